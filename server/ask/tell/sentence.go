package tell

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/ask/read"
	"svc/server/schema"
)

// caveats returns the sentences on the day that counts as now, on missing rows, on how the
// question was read, and on assumptions.
func (v *verbalizer) caveats() []string {
	var out []string
	if v.Given {
		return []string{"This is from the context of the question, not computed from rows."}
	}
	if v.reading.Stale && v.reading.Relative {
		out = append(out, fmt.Sprintf("This is as of %s, the last day in %s.", longDay(v.soldUntil()), v.s.Name))
	}
	if v.isPartial() {
		out = append(out, fmt.Sprintf("The data only cover %s.", read.Covered(v.s.First, v.s.Last)))
	}
	computed := v.computedTotals()
	if computed != "" {
		out = append(out, computed)
	}
	switch b := v.blankColumn(); {
	case b != "" && computed != "" && b == v.s.Totals.Total:
		out = append(out, fmt.Sprintf("The other rows without %s are left out.", b))
	case b != "":
		out = append(out, fmt.Sprintf("Rows without %s are left out.", b))
	}
	if text := v.parts(); text != "" {
		out = append(out, text)
	}
	for _, o := range v.omissions() {
		out = append(out, v.omission(o))
	}
	if o := v.r.Strays; o != nil {
		out = append(out, fmt.Sprintf("%s of these %s another %s than the others.", counting(o.Rows, "row"), agreeing(o.Rows, "says", "say"), pretty(o.Column)))
	}
	if v.r.Truncated() && !v.p.Count {
		out = append(out, fmt.Sprintf("The table shows %s.", v.shown()))
	}
	if text := v.readAs(); text != "" {
		out = append(out, text)
	}
	if v.Simulate && len(v.p.WhatIf) == 0 {
		out = append(out, "Nothing was simulated, since the question states no change.")
	}
	return slices.Concat(out, v.net(), v.reading.Notes)
}

// parts returns the sentence on the columns that add up to the revenue, where no column has it; "" if
// the answer is of none.
func (v *verbalizer) parts() string {
	isMade := func(m plan.Measure) bool { return m.Metric == plan.Revenue || m.Metric == plan.Gross }
	var names []string
	for _, c := range v.s.Tenders() {
		names = append(names, pretty(c.Heading))
	}
	if len(names) == 0 || !slices.ContainsFunc(v.p.Measures, isMade) {
		return ""
	}
	return fmt.Sprintf("Revenue is %s together.", Joined(names))
}

// shown returns in words how many of the groups the table has.
func (v *verbalizer) shown() string {
	return fmt.Sprintf("the first %s of %s", count(int64(len(v.r.Groups))), count(v.r.Count))
}

// omission returns the sentence on rows that are left out for a blank cell.
func (v *verbalizer) omission(o compute.Omission) string {
	rows := count(o.Rows) + " rows without " + pretty(o.Column) + " are"
	if o.Rows == 1 {
		rows = "1 row without " + pretty(o.Column) + " is"
	}
	if o.Amount == nil || v.p.Measures[0].Metric == plan.Rows {
		return rows + " left out."
	}
	plain := plan.Measure{Metric: v.p.Measures[0].Metric, Column: v.p.Measures[0].Column}
	if plain.Metric.Countable() {
		return fmt.Sprintf("%s left out, with %s %s.", rows, v.show(o.Amount, v.units[0]), plan.Title(v.s, plain))
	}
	return fmt.Sprintf("%s left out, with %s of %s.", rows, v.show(o.Amount, v.units[0]), plan.Title(v.s, plain))
}

// verb returns the verb between a figure's name and its value.
func (v *verbalizer) verb() string {
	switch {
	case v.s.Kind == schema.Stocklist && v.CFO:
		return "amounts to"
	case v.s.Kind == schema.Stocklist && v.isPlural(0):
		return "come to"
	case v.s.Kind == schema.Stocklist:
		return "comes to"
	case v.CFO:
		return "amounted to"
	}
	return "came to"
}

// scope returns which rows are meant: " for Online without Walmart in 2021".
func (v *verbalizer) scope() string { return v.filters() + v.during(v.p.Period) }

func (v *verbalizer) during(p *plan.Period) string {
	if p == nil {
		return ""
	}
	return plan.During(p)
}

// filters returns the filters in words, without those of which a note of the reading speaks.
func (v *verbalizer) filters() string {
	said := slices.DeleteFunc(slices.Clone(v.p.Where), func(f plan.Filter) bool {
		return slices.ContainsFunc(v.reading.Implied, func(i plan.Filter) bool { return i.Column == f.Column && i.Op == f.Op })
	})
	return plan.ScopeText(said, v.s)
}

func (v *verbalizer) value(g compute.Group, i int) string {
	if i < len(g.Days) && g.Days[i] != "" {
		return longDay(g.Days[i])
	}
	if g.Now[i] == nil && v.p.Compare != nil {
		return v.show(new(big.Rat), v.units[i]) // no rows in one of two periods
	}
	return v.show(g.Now[i], v.units[i])
}

// total returns the text of one figure and those asked for with it. Companions, which the
// question does not name, are in the cards only.
func (v *verbalizer) total() string {
	text := v.totalAlone()
	for _, h := range v.p.Having {
		text += fmt.Sprintf(" That is %s%s.", map[bool]string{true: "not "}[!v.passes(h)], v.bound(h))
	}
	return text
}

// passes reports whether the figure of all rows passes a threshold.
func (v *verbalizer) passes(h plan.Threshold) bool {
	than := rat(h.Value)
	if h.Other != nil {
		than = zero(v.r.Total.Now[*h.Other])
	}
	order := zero(v.r.Total.Now[h.Measure]).Cmp(than)
	switch h.Op {
	case plan.More:
		return order > 0
	case plan.AtLeast:
		return order >= 0
	case plan.Less:
		return order < 0
	}
	return order <= 0
}

// totalAlone returns the text of a total without its thresholds.
func (v *verbalizer) totalAlone() string {
	g := v.r.Total
	if v.p.Measures[0].Metric == plan.Distinct && v.p.Measures[0].Per == "" {
		if c, _ := plan.Column(v.s, v.p.Measures[0].Column); c.Role != schema.None && c.Role != schema.SKU && g.Now[0] != nil && g.Now[0].IsInt() {
			n := g.Now[0].Num().Int64()
			return fmt.Sprintf("There %s %s%s.", agreeing(n, "is", "are"), counting(n, noun(c)), v.scope())
		}
		if n := v.value(g, 0); n == "1" {
			return fmt.Sprintf("There is 1 value of %s%s.", pretty(v.p.Measures[0].Column), v.scope())
		}
		return fmt.Sprintf("There are %s different values of %s%s.", v.value(g, 0), pretty(v.p.Measures[0].Column), v.scope())
	}
	text := fmt.Sprintf("%s%s %s %s.", plan.Capitalized(v.titles[0]), v.scope(), v.verb(), v.value(g, 0))
	for i := 1; i < v.p.Figures()-v.reading.Companions; i++ {
		text += fmt.Sprintf(" %s %s %s.", plan.Capitalized(v.titles[i]), v.verb(), v.value(g, i))
	}
	return text
}

// movement returns a change in words: up 11.6 %, down $5, the same.
func (v *verbalizer) movement(now, before *big.Rat, u schema.Unit) string {
	d := new(big.Rat).Sub(zero(now), zero(before))
	if d.Sign() == 0 {
		return "the same as"
	}
	way := "up"
	if d.Sign() < 0 {
		way = "down"
	}
	amount := new(big.Rat).Abs(d)
	if u == schema.Percent {
		return fmt.Sprintf("%s %s points from", way, digits(amount))
	}
	if pct := changePercent(now, before); pct != nil {
		return fmt.Sprintf("%s %s (%s) from", way, v.show(new(big.Rat).Abs(pct), schema.Percent), v.show(amount, u))
	}
	return fmt.Sprintf("%s %s from", way, v.show(amount, u))
}

func zero(r *big.Rat) *big.Rat {
	if r == nil {
		return new(big.Rat)
	}
	return r
}

// changePercent returns the change in per cent; nil if the figure before was not above
// zero.
func changePercent(now, before *big.Rat) *big.Rat {
	if before == nil || before.Sign() <= 0 {
		return nil
	}
	d := new(big.Rat).Sub(zero(now), before)
	d.Quo(d, before)
	return d.Mul(d, big.NewRat(100, 1))
}

func (v *verbalizer) comparedWith() string {
	g := v.r.Total
	if v.isUneven() {
		return fmt.Sprintf("%s%s %s %s. %s %s %s, but the data only begin on %s, so the two cannot be compared in full.", plan.Capitalized(v.titles[0]), v.scope(), v.verb(),
			v.value(g, 0), plan.Capitalized(strings.TrimSpace(v.during(v.p.Compare))), v.pronounWas(), v.show(zero(g.Before[0]), v.units[0]), longDay(v.s.First))
	}
	text := fmt.Sprintf("%s%s %s %s, %s %s%s.", plan.Capitalized(v.titles[0]), v.scope(), v.verb(), v.value(g, 0),
		v.movement(g.Now[0], g.Before[0], v.units[0]), v.show(zero(g.Before[0]), v.units[0]), v.during(v.p.Compare))
	if v.r.Whole != nil {
		text += fmt.Sprintf(" All of %s %s %s.", v.p.Whole.Words, v.verb(), v.show(v.r.Whole, v.units[0]))
	}
	return text
}

func (v *verbalizer) shareOfPart() string {
	g := v.r.Groups[0]
	if len(v.p.Part) == 0 {
		return fmt.Sprintf("%s %s %s of %s%s: %s of %s.", plan.Capitalized(v.titles[0]), v.shareVerb(), v.show(g.Share, schema.Percent),
			v.titles[1], v.scope(), v.value(g, 0), v.value(g, 1))
	}
	var parts []string
	for _, f := range v.p.Part {
		parts = append(parts, plan.FilterText(f, v.s))
	}
	return fmt.Sprintf("%s %s %s of %s%s, which %s %s in all.", plan.Capitalized(Joined(parts)), v.shareVerb(), v.show(g.Share, schema.Percent),
		v.titles[0], v.scope(), v.verb(), v.value(g, 0))
}

func (v *verbalizer) shareVerb() string {
	if v.CFO {
		return "accounted for"
	}
	return "made up"
}

func (v *verbalizer) simulated() string {
	g := v.r.Total
	text := fmt.Sprintf("Simulated: with %s, %s%s would be %s instead of %s", plan.WhatIfsText(v.p.WhatIf, v.s),
		v.titles[0], v.scope(), v.value(g, 0), v.show(v.r.Base[0], v.units[0]))
	if v.units[0] != schema.Percent && g.Now[0] != nil && v.r.Base[0] != nil {
		text += fmt.Sprintf(", a change of %s", v.show(new(big.Rat).Sub(g.Now[0], v.r.Base[0]), v.units[0]))
	}
	text += "."
	if v.changesPrice() && !slices.ContainsFunc(v.p.WhatIf, func(w plan.WhatIf) bool { return w.Change == plan.Volume }) {
		text += " This assumes that as much is sold as before."
	}
	return text
}

func (v *verbalizer) groupsCounted() string {
	if share := countShare(v.r); share != nil {
		return fmt.Sprintf("%s of the %s%s (%s) had %s.", count(v.r.Count), counting(v.r.Of, v.groupNoun()), v.scope(), v.show(share, schema.Percent), v.thresholds())
	}
	text, rows := "", " with rows"
	if len(v.p.Having) > 0 {
		rows = ""
	}
	switch c, _ := plan.Column(v.s, v.p.By[0].Column); {
	case v.p.By[0].Part != plan.Whole && v.r.Count == 1:
		text = fmt.Sprintf("There is 1 %s%s%s", v.p.By[0].Part, rows, v.scope())
	case v.p.By[0].Part != plan.Whole:
		text = fmt.Sprintf("There are %s%s%s", counting(v.r.Count, string(v.p.By[0].Part)), rows, v.scope())
	case c.Role != schema.None:
		text = v.groupCount(v.r.Count) + v.scope()
	default:
		text = fmt.Sprintf("%s: %s%s", plan.Capitalized(pretty(c.Heading)), count(v.r.Count), v.scope())
	}
	if len(v.p.Having) > 0 {
		text += " with " + v.thresholds()
	}
	return text + "."
}

// countShare returns the groups that pass in per cent of all groups, if that is asked for; else nil.
func countShare(r compute.Result) *big.Rat {
	if r.Of == 0 {
		return nil
	}
	return compute.Percent(big.NewRat(r.Count, 1), big.NewRat(r.Of, 1))
}

func (v *verbalizer) thresholds() string {
	var out []string
	if h := v.p.Having; len(h) == 2 && h[0].Op == plan.AtLeast && h[1].Op == plan.AtMost && h[0].Measure == h[1].Measure && h[0].Other == nil && h[1].Other == nil && h[0].Value == h[1].Value {
		return v.titles[h[0].Measure] + " equal to " + v.show(rat(h[0].Value), v.units[h[0].Measure])
	}
	for _, h := range v.p.Having {
		out = append(out, v.titles[h.Measure]+" "+v.bound(h))
	}
	return Joined(out)
}

// bound returns a threshold without its figure: above $500.
func (v *verbalizer) bound(h plan.Threshold) string {
	bound := v.show(rat(h.Value), v.units[h.Measure])
	if h.Other != nil {
		bound = v.titles[*h.Other]
	}
	return plan.OpText(h.Op) + " " + bound
}

func rat(f float64) *big.Rat { return zero(new(big.Rat).SetFloat64(f)) }

// names returns the groups that a sentence names, in words.
func (v *verbalizer) names() []string {
	var out []string
	for _, g := range named(v.r.Groups) {
		name := v.name(g)
		switch {
		case g.Share != nil:
			name += fmt.Sprintf(" (%s of the whole)", v.show(g.Share, schema.Percent))
		case v.isLacking() && v.ranksDays():
			name += fmt.Sprintf(" (last on %s)", v.value(g, v.main))
		case v.isMade() && len(v.p.Having) > 0 && !v.isLacking():
			name += v.passing(g)
		}
		out = append(out, name)
	}
	return out
}

// passing returns the figures of a group that passes thresholds: " ($5 against $3)".
func (v *verbalizer) passing(g compute.Group) string {
	h := v.p.Having[0]
	text := v.value(g, h.Measure)
	if h.Other != nil {
		text += " against " + v.value(g, *h.Other)
	}
	return " (" + text + ")"
}

func (v *verbalizer) name(g compute.Group) string {
	var parts []string
	for i, l := range g.Labels {
		parts = append(parts, labelText(v.p.By[i], l))
	}
	return strings.Join(parts, ", ")
}
