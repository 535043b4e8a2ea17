package tell

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// totalCards returns a card for each figure, and for a comparison the change.
func (v *verbalizer) totalCards() []Card {
	g := v.r.Total
	var out []Card
	for i := range v.p.Figures() {
		out = append(out, Card{plan.Capitalized(v.titles[i]), v.value(g, i)})
	}
	if v.p.Compare != nil {
		title, before := v.titles[v.main], g.Before[v.main]
		out = append(out, Card{plan.Capitalized(title) + v.during(v.p.Compare), v.show(zero(before), v.units[v.main])})
		switch pct := changePercent(g.Now[v.main], before); {
		case pct == nil || v.isUneven():
		case v.units[v.main] == schema.Percent:
			points := new(big.Rat).Sub(zero(g.Now[v.main]), before)
			out = append(out, Card{"Change", signed(digits(points)) + " points"})
		default:
			out = append(out, Card{"Change", signed(v.show(pct, schema.Percent))})
		}
	}
	return out
}

func (v *verbalizer) shareCards() []Card {
	return []Card{{"Share of " + v.titles[0], v.show(v.r.Groups[0].Share, schema.Percent)}, {plan.Capitalized(v.titles[0]) + ", all", v.value(v.r.Total, 0)}}
}

func signed(text string) string {
	if text[0] == '-' {
		return text
	}
	return "+" + text
}

// simulatedCards returns each figure with the change and without.
func (v *verbalizer) simulatedCards() []Card {
	var out []Card
	for i := range v.p.Figures() {
		if v.r.Base[i] == nil || v.r.Total.Now[i] == nil {
			continue
		}
		out = append(out, Card{"Simulated " + v.titles[i], v.value(v.r.Total, i)}, Card{plan.Capitalized(v.titles[i]) + " now", v.show(v.r.Base[i], v.units[i])})
	}
	return out
}

// groupCards returns the number of groups in a list, or else the first group with its
// figure.
func (v *verbalizer) groupCards() []Card {
	if share := countShare(v.r); share != nil {
		return []Card{{"Share of " + v.countedName(), v.show(share, schema.Percent)}, {v.countedName(), count(v.r.Count)}}
	}
	if v.p.Count || v.isList() {
		return []Card{{v.countedName(), count(v.r.Count)}}
	}
	if len(v.r.Groups) == 0 {
		return []Card{}
	}
	var out []Card
	title := v.titles[v.main]
	label := "Highest " + title
	first := v.r.Groups[0]
	switch {
	case v.p.Order == plan.ByLabel:
		high, _ := v.extremes()
		if high == nil {
			return []Card{}
		}
		first = *high
	case v.p.Order == plan.Lowest:
		label = "Lowest " + title
	case v.p.Compare != nil:
		label = plan.Capitalized(title)
	}
	out = append(out, Card{label, v.name(first)})
	if v.r.Rival != nil {
		out = append(out, Card{"By " + v.titles[1], v.name(*v.r.Rival)})
	}
	out = append(out, Card{v.name(first), v.value(first, v.main)})
	if t := v.r.Total; len(t.Now) > v.main && t.Now[v.main] != nil {
		out = append(out, Card{plan.Capitalized(title) + ", all", v.value(t, v.main)})
	}
	return out
}

// maxBars and maxSlices bound what is readable in a chart.
const (
	maxBars   = 60
	maxSlices = 6
)

// groupsChart returns a line for a time series, a pie for a few shares, bars otherwise, or
// nil.
func (v *verbalizer) groupsChart() *Chart {
	isDay := v.main < len(v.p.Measures) && v.p.Measures[v.main].Metric.AsDay()
	if len(v.p.By) != 1 || len(v.r.Groups) < 2 || v.p.Count || isDay {
		return nil
	}
	c := &Chart{Type: "bar", Label: plan.Capitalized(v.titles[v.main])}
	switch {
	case v.p.By[0].Part.Series() && v.p.Order == plan.ByLabel:
		c.Type = "line"
	case v.p.Share && len(v.r.Groups) <= maxSlices:
		c.Type = "pie"
	}
	for _, g := range v.r.Groups[:min(maxBars, len(v.r.Groups))] {
		v.plot(c, g.Labels[0], g.Now[v.main], v.main)
		c.Notes = append(c.Notes, v.partly(v.p.By[0].Part, g.Labels[0]))
	}
	return c
}

// periodsChart returns the chart of a comparison of two periods.
func (v *verbalizer) periodsChart() *Chart {
	g := v.r.Total
	if v.p.Compare == nil || g.Now[v.main] == nil || g.Before[v.main] == nil {
		return nil
	}
	c := &Chart{Type: "bar", Label: plan.Capitalized(v.titles[v.main])}
	v.plot(c, v.p.Compare.Words, g.Before[v.main], v.main)
	v.plot(c, v.p.Period.Words, g.Now[v.main], v.main)
	return c
}

// plot adds a value of the figure i to a chart.
func (v *verbalizer) plot(c *Chart, label string, value *big.Rat, i int) {
	c.Labels, c.Values = append(c.Labels, label), append(c.Values, plainNumber(value))
	c.Texts = append(c.Texts, v.show(value, v.units[i]))
}

// groupsTable returns a table with a row for each group.
func (v *verbalizer) groupsTable() *Table {
	if len(v.p.By) == 0 || v.p.Count || len(v.r.Groups) == 0 {
		return nil
	}
	t := &Table{Currency: v.currency}
	for _, d := range v.p.By {
		name := d.Column
		if d.Part != plan.Whole {
			name = plan.Capitalized(string(d.Part))
		}
		t.addColumn(name, schema.Count)
	}
	if v.r.Truncated() {
		t.Headers[0] += ", " + v.shown()
	}
	for i, title := range v.titles {
		t.addColumn(plan.Capitalized(title), v.units[i])
		if v.p.Compare != nil {
			t.addColumn(plan.Capitalized(title)+v.during(v.p.Compare), v.units[i])
		}
		if i == 0 && v.hasShares() {
			t.addColumn("Share, %", schema.Count)
		}
		if i == 0 && v.p.Steps {
			t.addColumn("Change, %", schema.Count)
		}
	}
	t.Timed = max(0, slices.IndexFunc(v.p.By, func(d plan.Dimension) bool { return d.Part.Series() }))
	for _, g := range v.r.Groups {
		t.Rows = append(t.Rows, v.tableRow(g))
		t.Notes = append(t.Notes, v.partly(v.p.By[t.Timed].Part, g.Labels[t.Timed]))
	}
	return t
}

// shortDay is the layout of a day beside its month and year.
const shortDay = "2 Jan"

// partly says which days of a part of time are counted, if not all are: the data or the period
// begin or end within it. It is empty for a whole part, for a day and for what is no part.
func (v *verbalizer) partly(part plan.Part, label string) string {
	from, to, ok := plan.PartDays(part, label)
	if !ok || part == plan.Day || v.s.First == "" {
		return ""
	}
	first, end := v.s.First, max(v.s.Last, v.reading.AsOf.Format(time.DateOnly))
	isCut := false
	if p := v.p.Period; p != nil {
		first, isCut = max(first, p.From), p.To < end
		end = min(end, p.To)
	}
	var notes []string
	if at, err := time.Parse(time.DateOnly, first); err == nil && from.Before(at) && !to.Before(at) {
		notes = append(notes, "from "+at.Format(shortDay))
	}
	if at, err := time.Parse(time.DateOnly, end); err == nil && to.After(at) && !from.After(at) {
		note := "so far"
		if isCut {
			note = "to " + at.Format(shortDay)
		}
		notes = append(notes, note)
	}
	return strings.Join(notes, ", ")
}

// hasShares reports whether the table has a column of shares.
func (v *verbalizer) hasShares() bool { return v.p.Share && v.r.Groups[0].Share != nil }

func (v *verbalizer) tableRow(g compute.Group) []any {
	var row []any
	for _, l := range g.Labels {
		row = append(row, l)
	}
	for i := range v.titles {
		switch {
		case g.Days[i] != "":
			row = append(row, g.Days[i])
		case v.p.Compare != nil:
			row = append(row, plainNumber(zero(g.Now[i])))
		default:
			row = append(row, plainNumber(g.Now[i]))
		}
		if v.p.Compare != nil {
			row = append(row, plainNumber(zero(g.Before[i])))
		}
		if i == 0 && v.hasShares() {
			row = append(row, plainNumber(g.Share))
		}
		if i == 0 && v.p.Steps {
			row = append(row, plainNumber(v.stepChange(g)))
		}
	}
	return row
}
