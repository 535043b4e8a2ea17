package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/server/schema"
)

// Title returns a measure in words: revenue, revenue per order, average Rating, median
// revenue per day for Tea in March 2024.
func Title(s schema.Source, m Measure) string {
	title := metricTitle(s, m)
	switch n, isPercentile := m.Fold.Percent(); {
	case m.Fold == FoldLeast:
		title = "lowest " + title
	case m.Fold == FoldMost:
		title = "highest " + title
	case m.Fold == FoldMedian:
		title = "median " + title
	case isPercentile:
		title = fmt.Sprintf("%s percentile of %s", ordinal(n), title)
	case m.Per != "" && m.Per != PerUnit:
		title = "average " + title
	}
	if m.Per != "" {
		title += " per " + m.Per
	}
	title += ScopeText(m.Where, s)
	if m.Period != nil {
		title += During(m.Period)
	}
	return title
}

// ordinal returns a number as 1st, 2nd, 90th.
func ordinal(n int) string {
	suffix := "th"
	if n/10 != 1 && n%10 > 0 && n%10 < 4 {
		suffix = []string{"st", "nd", "rd"}[n%10-1]
	}
	return strconv.Itoa(n) + suffix
}

// metricTitle returns a metric with its column in words.
func metricTitle(s schema.Source, m Measure) string {
	title := m.Metric.Title()
	if bought := m.Metric.definition().bought; bought != "" && s.Kind == schema.Purchases {
		return bought
	}
	if _, ok := s.ByRole(schema.Order); m.Metric == Orders && !ok {
		return "sales"
	}
	switch {
	case m.ValuesStock():
		return "stock value at " + m.Column
	case m.Metric == StockValue:
		return title + " " + StockValuedAt(s)
	case m.Metric == Distinct:
		return "different " + m.Column
	case m.Since != "":
		title = map[Metric]string{Least: "fewest days", Most: "most days"}[m.Metric]
		if title == "" {
			title = m.Metric.Title() + " days"
		}
		title += " from " + m.Since + " to " + m.Column
	case m.Metric == Sum && isReorderPoint(s, m.Column):
		title = m.Column // one for each product
	case m.Metric == Sum && isRunning(s, m.Column):
		title = "latest " + m.Column
	case m.Metric == Sum && strings.HasPrefix(strings.ToLower(m.Column), "total "):
		title = m.Column + inUnit(s, m) // and not the total of the total
	case m.Metric.OfColumn():
		title += " " + m.Column + inUnit(s, m)
	}
	if _, isPercentile := m.Fold.Percent(); isPercentile && m.Per == "" {
		title = strings.TrimPrefix(title, "average ")
	}
	return title
}

// StockValuedAt says at which price StockValue takes a piece.
func StockValuedAt(s schema.Source) string {
	_, unit := s.ByRole(schema.UnitCost)
	_, cost := s.ByRole(schema.Cost)
	if unit || cost {
		return "at cost"
	}
	return "at selling prices"
}

func isRunning(s schema.Source, heading string) bool {
	c, _ := Column(s, heading)
	return c.Running
}

func isReorderPoint(s schema.Source, heading string) bool {
	c, _ := Column(s, heading)
	return c.Role == schema.Reorder
}

// inUnit returns the unit of a measure of a column in words: " in kg"; "" without one.
func inUnit(s schema.Source, m Measure) string {
	if m.In != "" {
		return " in " + sizes[m.In].plural
	}
	if c, _ := Column(s, m.Column); c.Suffix != "" {
		return " in " + strings.TrimSpace(c.Suffix)
	}
	return ""
}

// FigureTitle returns a figure of a plan in words: a measure's Title, or what is made from
// measures.
func (p Plan) FigureTitle(s schema.Source, i int) string {
	if i < len(p.Measures) {
		return Title(s, p.Measures[i])
	}
	d := p.Derived[i-len(p.Measures)]
	of, and := Title(s, p.Measures[d.Of]), Title(s, p.Measures[d.And])
	switch d.Kind {
	case Ratio:
		return of + " per " + and
	case Total:
		return of + " and " + and + " together"
	case Difference:
		return of + " less " + and
	case ShareOf:
		if m := p.Measures[d.Of]; strings.HasPrefix(of, and) && !p.Measures[d.And].Restricted() && m.Restricted() {
			return "share of " + of
		}
		return of + " in % of " + and
	case ChangeFrom:
		from, to := p.Measures[d.And], p.Measures[d.Of]
		if from.Period == nil || to.Period == nil {
			return "change to " + of + " from " + and
		}
		first, second := from.Period, to.Period
		if from.Period, to.Period = nil, nil; from.Equal(to) {
			return "change in " + Title(s, from) + " from " + first.Words + " to " + second.Words
		}
		return "change to " + of + " from " + and
	}
	return "running total of " + of
}

// During returns the days of a figure in words: " on 5 March 2024", " in March 2024".
func During(p *Period) string {
	words := p.Words
	if words == "" {
		words = p.From + " to " + p.To
	}
	switch {
	case p.From == p.To:
		return " on " + words
	case strings.Contains(words, " to "):
		return " from " + words
	}
	return " in " + words
}

// ScopeText returns filters in words: " for Tea without North on Monday".
func ScopeText(filters []Filter, s schema.Source) string {
	var with, bounded, without []string
	times := ""
	for _, f := range filters {
		text := FilterText(f, s)
		switch excluded, isNot := strings.CutPrefix(text, "not "); {
		case f.Op == Blank:
			without = append(without, pretty(f.Column))
		case f.Op == In && timePrepositions[f.Part] != "":
			times += " " + timePrepositions[f.Part] + " " + text
		case f.Op == In && ofState(f, s):
			bounded = append(bounded, pretty(f.Column)+" "+text)
		case isNot:
			without = append(without, excluded)
		case f.Op == In || f.Op == Has:
			with = append(with, text)
		default:
			bounded = append(bounded, text)
		}
	}
	return listed(" for ", with) + listed(" with ", bounded) + listed(" without ", without) + times
}

// ofState reports whether a filter is of the state of rows, whose values are adjectives: paid, ordered.
func ofState(f Filter, s schema.Source) bool {
	c, ok := Column(s, f.Column)
	return ok && c.Role == schema.Status && c.Type == schema.Text
}

// timePrepositions are the words before a part of time that filters select.
var timePrepositions = map[Part]string{Hour: "from", Weekday: "on", Day: "on", Month: "in", Year: "in"}

// listed returns a list in words after a preposition, or "" if it is empty.
func listed(preposition string, names []string) string {
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return preposition + names[0]
	default:
		return preposition + strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// pretty returns a heading without underscores.
func pretty(heading string) string { return strings.ReplaceAll(heading, "_", " ") }

// OpText returns a comparison in words.
func OpText(o Op) string {
	return map[Op]string{Less: "below", AtMost: "at most", More: "above", AtLeast: "at least", In: "", NotIn: "not", Blank: "without"}[o]
}

// FilterText returns a filter in words: the values alone if no column name is needed,
// after "not" if they are excluded.
func FilterText(f Filter, s schema.Source) string {
	c, _ := Column(s, f.Column)
	switch {
	case f.Other != "" && (c.Type == schema.Date || c.Type == schema.Moment):
		return fmt.Sprintf("%s %s %s", f.Column, map[Op]string{Less: "before", AtMost: "not after", More: "after", AtLeast: "not before", In: "on"}[f.Op], f.Other)
	case f.Other != "":
		return fmt.Sprintf("%s %s %s", f.Column, OpText(f.Op), f.Other)
	case f.Op == Before:
		return fmt.Sprintf("%s before %s or never", f.Column, f.Values[0])
	case f.Op == Has:
		return fmt.Sprintf("%s with %s", f.Column, f.Values[0])
	case f.Op == Blank:
		return "blank " + f.Column
	case f.Op == Filled:
		return "a " + f.Column
	case f.Op != In && f.Op != NotIn && (c.Type == schema.Date || c.Type == schema.Moment) && (f.Part == Whole || f.Part == Day):
		return fmt.Sprintf("%s %s %s", f.Column, map[Op]string{Less: "before", AtMost: "until", More: "after", AtLeast: "from"}[f.Op], f.Values[0])
	case f.Op != In && f.Op != NotIn:
		return fmt.Sprintf("%s %s %s%s", f.Column, OpText(f.Op), f.Values[0], c.Suffix)
	case f.Part == Hour:
		return notPrefix(f) + hoursText(f.Values)
	case c.Type == schema.Truth:
		if f.Values[0] == "0" {
			return "not " + f.Column
		}
		return notPrefix(f) + f.Column
	}
	values := slices.Clone(f.Values)
	switch {
	case f.Part == Weekday && slices.Equal(values, Weekdays[5:]):
		return notPrefix(f) + "weekends"
	case f.Part == Weekday && slices.Equal(values, Weekdays[:5]):
		return notPrefix(f) + "weekdays"
	case f.Part == Month:
		for i, v := range values {
			n, _ := strconv.Atoi(v)
			values[i] = time.Month(n).String()
		}
	}
	const few = 4
	if len(values) > few {
		return fmt.Sprintf("%s%s and others of %s", notPrefix(f), strings.Join(values[:few], ", "), f.Column)
	}
	text := strings.Join(values, " or ")
	if c.Type == schema.Number && f.Part == Whole {
		text = f.Column + " " + text + c.Suffix
	}
	return notPrefix(f) + text
}

func notPrefix(f Filter) string {
	if f.Op == NotIn {
		return "not "
	}
	return ""
}

// hoursText returns consecutive hours as a range, "17:00 to 19:00".
func hoursText(values []string) string {
	first, err1 := strconv.Atoi(values[0])
	last, err2 := strconv.Atoi(values[len(values)-1])
	if err1 != nil || err2 != nil {
		return strings.Join(values, ", ")
	}
	return fmt.Sprintf("%02d:00 to %02d:00", first, last+1)
}

// WhatIfText returns a change in words: "prices up 5 % for Online".
func WhatIfText(w WhatIf, s schema.Source) string {
	names := map[Change]string{Price: "prices", Volume: "sales", Costs: "costs"}
	way, n, unit := "up", w.Percent, " %"
	if w.Amount != 0 {
		n, unit = w.Amount, " each"
	}
	if n < 0 {
		way, n = "down", -n
	}
	text := fmt.Sprintf("%s %s %s%s", names[w.Change], way, strconv.FormatFloat(n, 'f', -1, 64), unit)
	if len(w.Scope) == 0 {
		return text
	}
	return text + " for " + filtersText(w.Scope, s)
}

func filtersText(fs []Filter, s schema.Source) string {
	var out []string
	for _, f := range fs {
		out = append(out, FilterText(f, s))
	}
	return strings.Join(out, " and ")
}

// WhatIfsText returns changes in words.
func WhatIfsText(all []WhatIf, s schema.Source) string {
	var out []string
	for _, w := range all {
		out = append(out, WhatIfText(w, s))
	}
	return strings.Join(out, " and ")
}

// Sentence returns the whole plan in words, to show what was computed (H10).
func Sentence(p Plan, s schema.Source) string {
	var titles []string
	for i := range p.Figures() {
		titles = append(titles, p.FigureTitle(s, i))
	}
	text := strings.Join(titles, " and ")
	if p.List != nil {
		text = "list of rows with " + strings.Join(p.List.Columns, ", ")
	}
	if p.Count {
		text = "number of groups"
		if p.Share {
			text = "share of groups"
		}
	}
	for i, d := range p.By {
		text += map[bool]string{true: " by ", false: " and "}[i == 0] + d.Column
		if d.Part != Whole {
			text += " (" + string(d.Part) + ")"
		}
	}
	text += " from " + s.Name
	if p.Steps {
		text += ", each beside the " + string(p.By[0].Part) + " before"
	}
	if len(p.Where) > 0 {
		text += ", where " + filtersText(p.Where, s)
	}
	if len(p.Part) > 0 {
		text += ", the share of " + filtersText(p.Part, s)
	}
	for _, h := range p.Having {
		bound := strconv.FormatFloat(h.Value, 'f', -1, 64)
		if h.Other != nil {
			bound = titles[*h.Other]
		}
		text += fmt.Sprintf(", with %s %s %s", titles[h.Measure], OpText(h.Op), bound)
	}
	if p.Period != nil {
		text += ", " + p.Period.From + " to " + p.Period.To
	}
	if p.Compare != nil {
		text += ", compared with " + p.Compare.From + " to " + p.Compare.To
	}
	if len(p.WhatIf) > 0 {
		text += ", with " + WhatIfsText(p.WhatIf, s)
	}
	return Capitalized(text + orderText(p, titles[p.OrderBy]) + ".")
}

// orderText returns the order of the groups in words, by a figure if it is not the first.
func orderText(p Plan, by string) string {
	if p.List != nil && p.List.By != "" {
		return fmt.Sprintf(", %s %s first%s", p.Order, p.List.By, limitText(p))
	}
	if p.List != nil {
		return limitText(p)
	}
	if p.Count || len(p.By) == 0 {
		return ""
	}
	text := ", " + map[Order]string{"": "in order", ByLabel: "in order", Highest: "highest first", Lowest: "lowest first", Grown: "most gained first", Shrunk: "most lost first"}[p.Order]
	if p.OrderBy > 0 {
		text += " by " + by
	}
	return text + limitText(p)
}

func limitText(p Plan) string {
	if p.Limit == 0 {
		return ""
	}
	if p.Ends {
		return fmt.Sprintf(", the first and the last %d", p.Limit)
	}
	return fmt.Sprintf(", at most %d", p.Limit)
}

// Capitalized returns a text with its first letter, if it is ASCII, in upper case.
func Capitalized(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] }
