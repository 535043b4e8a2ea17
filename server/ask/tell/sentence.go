package tell

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/catalog"
)

// answer is the text: the figure first, then what it was made of.
func (v *voice) answer() string {
	var text string
	lain, isLain := v.lain()
	switch {
	case isLain:
		text = v.dead(lain)
	case v.ofCover() && len(v.p.By) > 0:
		text = v.cover()
	case v.p.Measures[0].Metric == plan.Lately && len(v.p.By) > 0 && len(v.r.Groups) > 0:
		text = v.slowMovers()
	case v.p.Steps:
		text = v.steps()
	case v.p.Why:
		text = v.because()
	case v.p.Count:
		text = v.counted()
	case v.p.WhatIf != nil:
		text = v.simulated()
	case v.p.Share && len(v.p.By) == 0:
		text = v.shared()
	case len(v.p.By) > 0 && v.listed():
		text = v.listing()
	case len(v.p.By) > 0 && v.p.By[0].Part != plan.Whole && v.p.Order == plan.ByLabel:
		text = v.course()
	case len(v.p.By) > 0:
		text = v.ranked()
	case v.p.Compare != nil:
		text = v.comparedWith()
	default:
		text = v.single()
	}
	return strings.Join(append([]string{text}, v.caveats()...), " ")
}

// caveats say what stands behind the figure: the day it counts from, what is missing,
// what was assumed.
func (v *voice) caveats() []string {
	var out []string
	if v.reading.Stale && v.reading.Relative {
		out = append(out, fmt.Sprintf("This is as of %s, the last day in %s.", longDay(v.soldUntil()), v.s.Name))
	}
	if v.partial() {
		out = append(out, fmt.Sprintf("The data only cover %s to %s.", longDay(v.s.First), longDay(v.s.Last)))
	}
	if b := v.blanks(); b != "" {
		out = append(out, fmt.Sprintf("Rows without %s are left out.", b))
	}
	for _, o := range v.omissions() {
		out = append(out, v.omission(o))
	}
	if v.r.Cut() && !v.p.Count {
		out = append(out, fmt.Sprintf("The table shows %s.", v.shown()))
	}
	if v.Simulate && v.p.WhatIf == nil {
		out = append(out, "Nothing was simulated, since the question states no change.")
	}
	return append(out, v.reading.Notes...)
}

// shown says how many of the groups the table has.
func (v *voice) shown() string {
	return fmt.Sprintf("the first %s of %s", count(int64(len(v.r.Groups))), count(v.r.Count))
}

// omission says what rows with a blank cell would have added.
func (v *voice) omission(o compute.Omission) string {
	rows := count(o.Rows) + " rows without " + pretty(o.Column) + " are"
	if o.Rows == 1 {
		rows = "1 row without " + pretty(o.Column) + " is"
	}
	if o.Amount == nil || v.p.Measures[0].Metric == plan.Rows {
		return rows + " left out."
	}
	plain := plan.Measure{Metric: v.p.Measures[0].Metric, Column: v.p.Measures[0].Column}
	return fmt.Sprintf("%s left out, with %s of %s.", rows, v.show(o.Amount, v.units[0]), plan.Title(v.s, plain))
}

// is is the verb between a figure's name and its value.
func (v *voice) is() string {
	switch {
	case v.s.Kind == catalog.Stocklist && v.CFO:
		return "amounts to"
	case v.s.Kind == catalog.Stocklist && v.isPlural(0):
		return "come to"
	case v.s.Kind == catalog.Stocklist:
		return "comes to"
	case v.CFO:
		return "amounted to"
	}
	return "came to"
}

// scope says of which rows: " in 2021 for Online, without Walmart".
func (v *voice) scope() string { return v.of() + v.during(v.p.Period) }

func (v *voice) during(p *plan.Period) string {
	switch {
	case p == nil:
		return ""
	case p.From == p.To:
		return " on " + p.Words
	case strings.Contains(p.Words, " to "):
		return " from " + p.Words
	}
	return " in " + p.Words
}

// of words the filters.
func (v *voice) of() string {
	var with, bounded, without []string
	hours := ""
	for _, f := range v.p.Where {
		text := plan.FilterText(f, v.s)
		if f.Op == plan.Blank {
			without = append(without, pretty(f.Column))
			continue
		}
		if f.Part == plan.Hour && f.Op == plan.In {
			hours += " from " + text
			continue
		}
		if rest, ok := strings.CutPrefix(text, "not "); ok {
			without = append(without, rest)
		} else if f.Op == plan.In || f.Op == plan.Has {
			with = append(with, text)
		} else {
			bounded = append(bounded, text)
		}
	}
	out := ""
	if len(with) > 0 {
		out = " for " + joined(with)
	}
	if len(bounded) > 0 {
		out += " with " + joined(bounded)
	}
	if len(without) > 0 {
		out += " without " + joined(without)
	}
	return out + hours
}

func (v *voice) value(g compute.Group, i int) string {
	if i < len(g.Days) && g.Days[i] != "" {
		return longDay(g.Days[i])
	}
	if g.Now[i] == nil && v.p.Compare != nil {
		return v.show(new(big.Rat), v.units[i]) // nothing in one of two periods
	}
	return v.show(g.Now[i], v.units[i])
}

// single is one figure, and those asked for beside it. Companions that the question
// does not name stand in the cards only.
func (v *voice) single() string {
	g := v.r.Total
	if v.p.Measures[0].Metric == plan.Distinct && v.p.Measures[0].Per == "" {
		if c, _ := plan.Column(v.s, v.p.Measures[0].Column); c.Role != catalog.None && c.Role != catalog.SKU && g.Now[0] != nil && g.Now[0].IsInt() {
			are := "are"
			if g.Now[0].Num().Int64() == 1 {
				are = "is"
			}
			return fmt.Sprintf("There %s %s%s.", are, counting(g.Now[0].Num().Int64(), noun(c)), v.scope())
		}
		if n := v.value(g, 0); n == "1" {
			return fmt.Sprintf("There is 1 value of %s%s.", pretty(v.p.Measures[0].Column), v.scope())
		}
		return fmt.Sprintf("There are %s different values of %s%s.", v.value(g, 0), pretty(v.p.Measures[0].Column), v.scope())
	}
	text := fmt.Sprintf("%s%s %s %s.", capital(v.titles[0]), v.scope(), v.is(), v.value(g, 0))
	for i := 1; i < len(v.p.Measures)-v.reading.Companions; i++ {
		text += fmt.Sprintf(" %s %s %s.", capital(v.titles[i]), v.is(), v.value(g, i))
	}
	return text
}

// movement words a change: up 11.6 %, down $5, the same.
func (v *voice) movement(now, before *big.Rat, u catalog.Unit) string {
	d := new(big.Rat).Sub(zero(now), zero(before))
	if d.Sign() == 0 {
		return "the same as"
	}
	way := "up"
	if d.Sign() < 0 {
		way = "down"
	}
	amount := new(big.Rat).Abs(d)
	if u == catalog.Percent {
		return fmt.Sprintf("%s %s points from", way, digits(amount))
	}
	if pct := changePercent(now, before); pct != nil {
		return fmt.Sprintf("%s %s (%s) from", way, v.show(new(big.Rat).Abs(pct), catalog.Percent), v.show(amount, u))
	}
	return fmt.Sprintf("%s %s from", way, v.show(amount, u))
}

func zero(r *big.Rat) *big.Rat {
	if r == nil {
		return new(big.Rat)
	}
	return r
}

// changePercent is nil where there was nothing before, or less than nothing.
func changePercent(now, before *big.Rat) *big.Rat {
	if before == nil || before.Sign() <= 0 {
		return nil
	}
	d := new(big.Rat).Sub(zero(now), before)
	d.Quo(d, before)
	return d.Mul(d, big.NewRat(100, 1))
}

func (v *voice) comparedWith() string {
	g := v.r.Total
	if v.uneven() {
		return fmt.Sprintf("%s%s %s %s. %s %s %s, but the data only begin on %s, so the two cannot be compared in full.", capital(v.titles[0]), v.scope(), v.is(),
			v.value(g, 0), capital(strings.TrimSpace(v.during(v.p.Compare))), v.itWas(), v.show(zero(g.Before[0]), v.units[0]), longDay(v.s.First))
	}
	text := fmt.Sprintf("%s%s %s %s, %s %s%s.", capital(v.titles[0]), v.scope(), v.is(), v.value(g, 0),
		v.movement(g.Now[0], g.Before[0], v.units[0]), v.show(zero(g.Before[0]), v.units[0]), v.during(v.p.Compare))
	if v.r.Whole != nil {
		text += fmt.Sprintf(" All of %s %s %s.", v.p.Whole.Words, v.is(), v.show(v.r.Whole, v.units[0]))
	}
	return text
}

func (v *voice) shared() string {
	g := v.r.Groups[0]
	if len(v.p.Part) == 0 {
		return fmt.Sprintf("%s %s %s of %s%s: %s of %s.", capital(v.titles[0]), v.are(), v.show(g.Share, catalog.Percent),
			v.titles[1], v.scope(), v.value(g, 0), v.value(g, 1))
	}
	var parts []string
	for _, f := range v.p.Part {
		parts = append(parts, plan.FilterText(f, v.s))
	}
	return fmt.Sprintf("%s %s %s of %s%s, which %s %s in all.", capital(joined(parts)), v.are(), v.show(g.Share, catalog.Percent),
		v.titles[0], v.scope(), v.is(), v.value(g, 0))
}

func (v *voice) are() string {
	if v.CFO {
		return "accounted for"
	}
	return "made up"
}

func (v *voice) simulated() string {
	g := v.r.Total
	text := fmt.Sprintf("Simulated: with %s, %s%s would be %s instead of %s", plan.WhatIfText(*v.p.WhatIf, v.s),
		v.titles[0], v.scope(), v.value(g, 0), v.show(v.r.Base[0], v.units[0]))
	if v.units[0] != catalog.Percent && g.Now[0] != nil && v.r.Base[0] != nil {
		d := new(big.Rat).Sub(g.Now[0], v.r.Base[0])
		text += fmt.Sprintf(", a change of %s", v.show(d, v.units[0]))
	}
	text += "."
	if v.p.WhatIf.Change == plan.Price {
		text += " This assumes that as much is sold as before."
	}
	return text
}

func (v *voice) counted() string {
	text := ""
	switch c, _ := plan.Column(v.s, v.p.By[0].Column); {
	case v.p.By[0].Part != plan.Whole && v.r.Count == 1:
		text = fmt.Sprintf("There is 1 %s with rows%s", v.p.By[0].Part, v.scope())
	case v.p.By[0].Part != plan.Whole:
		text = fmt.Sprintf("There are %s with rows%s", counting(v.r.Count, string(v.p.By[0].Part)), v.scope())
	case c.Role != catalog.None:
		text = v.things(v.r.Count) + v.scope()
	default:
		text = fmt.Sprintf("%s: %s%s", capital(pretty(c.Heading)), count(v.r.Count), v.scope())
	}
	if len(v.p.Having) > 0 {
		text += " with " + v.thresholds()
	}
	return text + "."
}

func (v *voice) thresholds() string {
	var out []string
	for _, h := range v.p.Having {
		out = append(out, fmt.Sprintf("%s %s %s", v.titles[h.Measure], plan.OpText(h.Op), v.show(rat(h.Value), v.units[h.Measure])))
	}
	return joined(out)
}

func rat(f float64) *big.Rat {
	r := new(big.Rat).SetFloat64(f)
	return zero(r)
}

// names are the first n groups as a sentence has them.
func (v *voice) names(n int) []string {
	var out []string
	for _, g := range v.r.Groups[:min(n, len(v.r.Groups))] {
		name := v.name(g)
		if g.Share != nil {
			name += fmt.Sprintf(" (%s of the whole)", v.show(g.Share, catalog.Percent))
		}
		out = append(out, name)
	}
	return out
}

func (v *voice) name(g compute.Group) string {
	var parts []string
	for i, l := range g.Labels {
		parts = append(parts, labelText(v.p.By[i], l))
	}
	return strings.Join(parts, ", ")
}

// listed says that the groups are a list of what passes a state or a threshold.
func (v *voice) listed() bool {
	if len(v.p.Having) > 0 && v.p.Limit == 0 {
		return true
	}
	if v.s.Kind != catalog.Stocklist || len(v.p.By) == 0 || v.p.Limit > 0 {
		return false
	}
	return len(v.p.Where) > 0
}

// inText is how many groups a sentence names; the table has them all.
const inText = 10

func (v *voice) listing() string {
	if text := v.inState(); text != "" {
		return text
	}
	n := digits(new(big.Rat).SetInt64(v.r.Count))
	condition := v.scope()
	if len(v.p.Having) > 0 {
		condition += " with " + v.thresholds()
	}
	thing := v.thing()
	if v.r.Count == 0 {
		return fmt.Sprintf("No %s%s.", thing, condition)
	}
	if v.r.Count != 1 {
		thing = plural(thing)
	}
	text := fmt.Sprintf("%s %s%s", n, thing, condition)
	if len(v.r.Groups) > inText {
		return text + fmt.Sprintf(". The first are %s.", joined(v.names(inText)))
	}
	return text + fmt.Sprintf(": %s.", joined(v.names(inText)))
}

// inState words a list of what is out of stock or below its reorder point, and nothing
// for any other list.
func (v *voice) inState() string {
	state := ""
	for _, f := range v.p.Where {
		c, _ := plan.Column(v.s, f.Column)
		switch {
		case c.Role != catalog.Stock:
		case f.Op == plan.AtMost && f.Other == "" && f.Values[0] == "0":
			state = "out of stock"
		case f.Op == plan.Less && f.Other != "":
			state = "below the reorder point"
		case f.Op == plan.AtMost && f.Other != "":
			state = "at or below the reorder point"
		}
	}
	if state == "" || len(v.p.Having) > 0 {
		return ""
	}
	thing, is := v.thing(), "is"
	if v.r.Count != 1 {
		thing, is = plural(thing), "are"
	}
	if v.r.Count == 0 {
		return fmt.Sprintf("No %s%s %s %s.", thing, v.besides(), is, state)
	}
	text := fmt.Sprintf("%s %s%s %s %s", count(v.r.Count), thing, v.besides(), is, state)
	if len(v.r.Groups) > inText {
		return text + fmt.Sprintf(". The first are %s.", joined(v.names(inText)))
	}
	return text + fmt.Sprintf(": %s.", joined(v.names(inText)))
}

// course words a series of time: its whole, its best and its worst.
func (v *voice) course() string {
	high, low := v.extremes()
	text := ""
	if t := v.r.Total; len(t.Now) > 0 && t.Now[0] != nil {
		text = fmt.Sprintf("%s%s %s %s. ", capital(v.titles[0]), v.scope(), v.is(), v.value(t, 0))
	}
	unit := v.p.By[0].Part
	if high == nil {
		return text + fmt.Sprintf("There are no figures by %s.", unit)
	}
	begin := fmt.Sprintf("By %s, it was", unitText(unit))
	if text == "" && v.p.Measures[0].Per == "" {
		begin = fmt.Sprintf("%s%s by %s: they were", capital(v.titles[0]), v.scope(), unitText(unit))
		if !v.isPlural(0) {
			begin = fmt.Sprintf("%s%s by %s: it was", capital(v.titles[0]), v.scope(), unitText(unit))
		}
	}
	text += fmt.Sprintf("%s highest for %s (%s)", begin, v.name(*high), v.value(*high, 0))
	if len(v.r.Groups) > 1 {
		text += fmt.Sprintf(" and lowest for %s (%s)", v.name(*low), v.value(*low, 0))
	}
	return text + "." + v.usual()
}

// unitText is a piece of time in a sentence.
func unitText(p plan.Part) string {
	if p == plan.Daytype {
		return "kind of day"
	}
	return string(p)
}

// things are the figures that count things, of which there are most and fewest.
var things = []plan.Metric{plan.Units, plan.Orders, plan.Rows, plan.Customers, plan.Repeat, plan.Newcomers, plan.OnOrder, plan.Lately}

// isPlural says that a figure's name stands in the plural.
func (v *voice) isPlural(i int) bool {
	m := v.p.Measures[i]
	return m.Per == "" && (slices.Contains(things, m.Metric) || m.Metric == plan.Discounts)
}

// usual is the average of the pieces of a series, which "per day" may ask for.
func (v *voice) usual() string {
	t := v.r.Total
	f, err := plan.FormulaOf(v.s, v.p.Measures[0])
	if err != nil || !f.Additive() || len(v.p.By) != 1 || !v.p.By[0].Part.Series() || t.Now[0] == nil || v.r.Count < 2 {
		return ""
	}
	mean := new(big.Rat).Quo(t.Now[0], new(big.Rat).SetInt64(v.r.Count))
	return fmt.Sprintf(" That is %s a %s on average.", v.show(mean, v.units[0]), v.p.By[0].Part)
}

// extremes are the groups with the most and the least, be they in the table or not.
func (v *voice) extremes() (high, low *compute.Group) {
	if high, low = v.r.High, v.r.Low; high != nil && low != nil && high.Now[0] != nil && low.Now[0] != nil {
		return high, low
	}
	high, low = nil, nil
	for i := range v.r.Groups {
		g := &v.r.Groups[i]
		if g.Now[0] == nil {
			continue
		}
		if high == nil || g.Now[0].Cmp(high.Now[0]) > 0 {
			high = g
		}
		if low == nil || g.Now[0].Cmp(low.Now[0]) < 0 {
			low = g
		}
	}
	return high, low
}

// ranked words groups in order: the first, and who follows.
func (v *voice) ranked() string {
	if len(v.r.Groups) == 0 {
		return fmt.Sprintf("No %s%s with %s.", pretty(v.p.By[0].Column), v.scope(), v.thresholds())
	}
	if v.p.Nth > 1 {
		return v.placed()
	}
	first := v.r.Groups[0]
	text := fmt.Sprintf("%s %s %s%s: %s", v.name(first), v.has(), v.titles[0], v.scope(), v.value(first, 0))
	if v.p.Compare != nil {
		text += fmt.Sprintf(", %s %s%s", v.movement(first.Now[0], first.Before[0], v.units[0]), v.show(zero(first.Before[0]), v.units[0]), v.during(v.p.Compare))
	}
	if first.Share != nil {
		text += fmt.Sprintf(" (%s of the whole)", v.show(first.Share, catalog.Percent))
	}
	text += "."
	if len(v.r.Groups) > 1 {
		var rest []string
		for _, g := range v.r.Groups[1:min(inText, len(v.r.Groups))] {
			rest = append(rest, fmt.Sprintf("%s (%s)", v.name(g), v.value(g, 0)))
		}
		text += fmt.Sprintf(" Then %s.", joined(rest))
	}
	if len(v.r.Groups) == 2 && v.p.Limit == 0 && v.units[0] != catalog.Percent && v.p.Compare == nil && first.Now[0] != nil && v.r.Groups[1].Now[0] != nil {
		d := new(big.Rat).Sub(first.Now[0], v.r.Groups[1].Now[0])
		text += fmt.Sprintf(" The difference is %s.", v.show(d.Abs(d), v.units[0]))
	}
	if t := v.r.Total; v.p.Limit == 0 && len(t.Now) > 0 && t.Now[0] != nil && len(v.r.Groups) > 1 && v.units[0] != catalog.Percent && v.p.Measures[0].Per == "" {
		text += fmt.Sprintf(" %s it is %s.", v.together(), v.value(t, 0))
	}
	return text + v.tied() + v.rivalText(first)
}

// together leads to the figure of the whole, which of averages is no sum.
func (v *voice) together() string {
	if f, err := plan.FormulaOf(v.s, v.p.Measures[0]); err == nil && f.Additive() {
		return "Together"
	}
	return "Overall"
}

// rivalText says who is first by the other measure, if that is somebody else.
func (v *voice) rivalText(first compute.Group) string {
	if v.r.Rival == nil || v.name(*v.r.Rival) == v.name(first) {
		return ""
	}
	return fmt.Sprintf(" By %s it is %s (%s).", v.titles[1], v.name(*v.r.Rival), v.show(v.r.Rival.Now[0], v.units[1]))
}

func (v *voice) has() string {
	many := v.p.Measures[0].Per == "" && slices.Contains(things, v.p.Measures[0].Metric)
	switch gain := v.gain(); {
	case v.p.Order == plan.Lowest && many:
		return "has the fewest"
	case v.p.Order == plan.Lowest:
		return "has the lowest"
	case v.p.Order == plan.Grown && gain < 0:
		return "lost least in"
	case v.p.Order == plan.Grown:
		return "gained most in"
	case v.p.Order == plan.Shrunk && gain > 0:
		return "gained least in"
	case v.p.Order == plan.Shrunk:
		return "lost most in"
	}
	if many {
		return "has the most"
	}
	return "has the highest"
}

// gain is the sign of the first group's change.
func (v *voice) gain() int {
	if v.p.Compare == nil || len(v.r.Groups) == 0 {
		return 0
	}
	g := v.r.Groups[0]
	return zero(g.Now[0]).Cmp(zero(g.Before[0]))
}

// because lists what made up a change, and says that it is no reason.
func (v *voice) because() string {
	text := v.comparedWith()
	if len(v.r.Causes) == 0 {
		return text + " No column shows what made up the change."
	}
	var parts []string
	for _, c := range v.r.Causes {
		parts = append(parts, fmt.Sprintf("%s %s (%s to %s)", c.Column, c.Label, v.show(zero(c.Before), v.units[0]), v.show(zero(c.Now), v.units[0])))
	}
	return text + fmt.Sprintf(" The largest parts of the change are %s. The data show what changed, not the reason.", joined(parts))
}

// thing is what one group is: a product, by its column's role, or else by its heading.
func (v *voice) thing() string {
	c, _ := plan.Column(v.s, v.p.By[0].Column)
	return noun(c)
}

// noun is what a value of a column is called.
func noun(c catalog.Column) string {
	switch c.Role {
	case catalog.None, catalog.SKU:
		return strings.ToLower(pretty(c.Heading))
	case catalog.Payment:
		return "payment method"
	case catalog.Staff:
		return "staff member"
	}
	return strings.ReplaceAll(string(c.Role), "_", " ")
}

// plural is enough for what tables call their rows.
func plural(noun string) string {
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(stem, "a") && !strings.HasSuffix(stem, "e") {
		return stem + "ies"
	}
	if strings.HasSuffix(noun, "s") {
		return noun
	}
	return noun + "s"
}

// uneven says that the data begin inside the earlier of two periods, so that a change
// in per cent would say more about the file than about the shop.
func (v *voice) uneven() bool {
	return v.p.Compare != nil && v.p.Compare.From < v.s.First
}

func (v *voice) itWas() string {
	if strings.HasSuffix(v.titles[0], "s") || v.units[0] == catalog.Count {
		return "they were"
	}
	return "it was"
}

// placed words one place of a ranking, and who is before it.
func (v *voice) placed() string {
	if len(v.r.Groups) < v.p.Nth {
		return fmt.Sprintf("There are only %s: %s.", v.things(int64(len(v.r.Groups))), joined(v.names(inText)))
	}
	g := v.r.Groups[v.p.Nth-1]
	place := map[int]string{2: "second", 3: "third", 4: "fourth", 5: "fifth"}[v.p.Nth]
	var before []string
	for _, b := range v.r.Groups[:v.p.Nth-1] {
		before = append(before, fmt.Sprintf("%s (%s)", v.name(b), v.value(b, 0)))
	}
	return fmt.Sprintf("%s has the %s %s %s%s: %s, after %s.", v.name(g), place, strings.TrimPrefix(v.has(), "has the "), v.titles[0], v.scope(), v.value(g, 0), joined(before)) + v.tied()
}

// tied names who shares the last place that was asked for.
func (v *voice) tied() string {
	if len(v.r.Tied) == 0 {
		return ""
	}
	var names []string
	for _, g := range v.r.Tied {
		names = append(names, v.name(g))
	}
	share := "shares"
	if len(names) > 1 {
		share = "share"
	}
	return fmt.Sprintf(" %s %s this place with %s.", joined(names), share, v.name(v.r.Groups[len(v.r.Groups)-1]))
}

// things counts what one group is: 77 products.
func (v *voice) things(n int64) string { return counting(n, v.thing()) }

// counting puts a number before a noun.
func counting(n int64, noun string) string {
	if n != 1 {
		noun = plural(noun)
	}
	return count(n) + " " + noun
}
