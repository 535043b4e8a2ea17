package tell

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// The sentences on groups: rankings, lists and series.

// isList reports whether the groups are a list of what meets a condition or a threshold, and not
// values that are set beside each other.
func (v *verbalizer) isList() bool {
	isCompared := slices.ContainsFunc(v.p.Where, func(f plan.Filter) bool {
		return len(f.Values) > 1 && slices.ContainsFunc(v.p.By, func(d plan.Dimension) bool { return d.Column == f.Column })
	})
	return v.p.Limit == 0 && (len(v.p.Having) > 0 || v.p.NamesCustomers(v.s) || v.s.Kind == schema.Stocklist && len(v.p.By) > 0 && len(v.p.Where) > 0 && !isCompared && v.isByGoods())
}

// maxNamed is how many groups a sentence names; the table has all of them.
const maxNamed = 10

// named returns the first of a list, as many as a sentence names.
func named[T any](list []T) []T { return list[:min(maxNamed, len(list))] }

func (v *verbalizer) listing() string {
	if text := v.stockState(); text != "" {
		return text
	}
	condition := v.scope()
	if len(v.p.Having) > 0 {
		condition += " with " + v.thresholds()
	}
	noun := v.groupNoun()
	if v.p.NamesCustomers(v.s) {
		noun = strings.TrimSuffix(v.titles[v.main], "s")
	}
	if v.r.Count == 0 {
		return fmt.Sprintf("No %s%s.", noun, condition)
	}
	return counting(v.r.Count, noun) + condition + v.nameList()
}

// nameList returns the end of a sentence that names the first groups.
func (v *verbalizer) nameList() string {
	if len(v.r.Groups) > maxNamed {
		return fmt.Sprintf(". The first are %s.", Joined(v.names()))
	}
	return fmt.Sprintf(": %s.", Joined(v.names()))
}

// stockState returns the text of a list of what is out of stock or below its reorder
// point, or "" for another list.
func (v *verbalizer) stockState() string {
	state, isLow := v.lowState()
	if v.isOut() {
		state = "out of stock"
	}
	if state == "" || len(v.p.Having) > 0 || !v.isByGoods() && !v.isBySupplier() {
		return ""
	}
	if v.r.Count == 0 {
		return fmt.Sprintf("No %s%s are %s.", plural(v.groupNoun()), v.otherFilters(), state)
	}
	if v.isBySupplier() {
		return v.ordersBySupplier(state)
	}
	text := fmt.Sprintf("%s%s %s %s", v.groupCount(v.r.Count), v.otherFilters(), agreeing(v.r.Count, "is", "are"), state)
	if isLow && v.isUrgency() && v.r.Count > 1 {
		var names []string
		for _, g := range named(v.toOrder()) {
			names = append(names, v.left(g))
		}
		return fmt.Sprintf("%s. The most urgent first: %s%s.%s", text, Joined(names), v.andMore(), v.onItsWay())
	}
	return text + v.nameList()
}

// isByGoods reports whether the groups are goods, which have a stock.
func (v *verbalizer) isByGoods() bool {
	return len(v.p.By) == 0 || slices.ContainsFunc(v.p.By, func(d plan.Dimension) bool {
		c, ok := plan.Column(v.s, d.Column)
		return ok && c.Type == schema.Text && (c.Role == schema.Product || c.Role == schema.SKU || 2*c.Distinct > v.s.Rows)
	})
}

// isOut reports whether the rows are those out of stock.
func (v *verbalizer) isOut() bool {
	stock, ok := v.s.ByRole(schema.Stock)
	return ok && slices.ContainsFunc(v.p.Where, func(f plan.Filter) bool {
		return f.Column == stock.Heading && f.Op == plan.AtMost && f.Other == "" && f.Values[0] == "0"
	})
}

// lowState says where the stock of the rows is if a reorder point selects them.
func (v *verbalizer) lowState() (state string, ok bool) {
	for _, f := range v.p.Where {
		c, _ := plan.Column(v.s, f.Column)
		point, _ := plan.Column(v.s, f.Other)
		switch {
		case c.Role != schema.Stock || point.Role != schema.Reorder:
		case f.Op == plan.Less:
			return "below the reorder point", true
		case f.Op == plan.AtMost:
			return "at or below the reorder point", true
		}
	}
	return "", false
}

// isUrgency reports whether the groups of a list of stock are in the order of what to reorder
// first: another figure than the stock decides it.
func (v *verbalizer) isUrgency() bool {
	return len(v.p.By) > 0 && v.p.Order == plan.Lowest && v.p.OrderBy > 0 && v.p.Measures[0].Metric == plan.StockUnits
}

// left returns a product with its stock, and what is on order of it: Green Tea (3 left, 20 on order).
func (v *verbalizer) left(g compute.Group) string {
	last := len(g.Labels) - 1
	text := fmt.Sprintf("%s (%s left", labelText(v.p.By[last], g.Labels[last]), v.show(zero(g.Now[0]), v.units[0]))
	if on := v.incoming(g); on.Sign() > 0 {
		text += ", " + v.show(on, v.units[0]) + " on order"
	}
	return text + ")"
}

// incoming returns what is on order of a group, if the plan has it.
func (v *verbalizer) incoming(g compute.Group) *big.Rat {
	i := slices.IndexFunc(v.p.Measures, func(m plan.Measure) bool { return m.Metric == plan.OnOrder })
	if i < 0 {
		return new(big.Rat)
	}
	return zero(g.Now[i])
}

// isOnItsWay reports whether what is on order of a group brings its stock above the reorder point.
func (v *verbalizer) isOnItsWay(g compute.Group) bool {
	point := slices.IndexFunc(v.p.Measures, func(m plan.Measure) bool {
		c, _ := plan.Column(v.s, m.Column)
		return m.Metric == plan.Sum && c.Role == schema.Reorder
	})
	on := v.incoming(g)
	return v.isUrgency() && point >= 0 && on.Sign() > 0 && new(big.Rat).Add(on, zero(g.Now[0])).Cmp(zero(g.Now[point])) > 0
}

// onItsWay returns the sentence on what is low on stock of which enough is on order; "" if there is none.
func (v *verbalizer) onItsWay() string {
	var names []string
	for _, g := range v.r.Groups {
		if v.isOnItsWay(g) {
			last := len(g.Labels) - 1
			names = append(names, labelText(v.p.By[last], g.Labels[last]))
		}
	}
	if len(names) == 0 {
		return ""
	}
	shown := named(names)
	if more := len(names) - len(shown); more > 0 {
		shown = append(slices.Clone(shown), fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf(" What is on order brings %s above the reorder point.", Joined(shown))
}

// toOrder returns the groups of what is low on stock, those last of which enough is on its way.
func (v *verbalizer) toOrder() []compute.Group {
	var waits []compute.Group
	groups := slices.DeleteFunc(slices.Clone(v.r.Groups), func(g compute.Group) bool {
		is := v.isOnItsWay(g)
		if is {
			waits = append(waits, g)
		}
		return is
	})
	return append(groups, waits...)
}

// andMore says how many groups a sentence does not name.
func (v *verbalizer) andMore() string {
	if n := v.r.Count - maxNamed; n > 0 {
		return fmt.Sprintf(", then %s more", count(n))
	}
	return ""
}

// series returns the text of a time series: its total, its highest and its lowest.
func (v *verbalizer) series() string {
	high, low := v.extremes()
	text := ""
	title := plan.Capitalized(v.titles[v.main]) + v.scope()
	if t := v.r.Total; len(t.Now) > v.main && t.Now[v.main] != nil {
		text = fmt.Sprintf("%s %s %s. ", title, v.verb(), v.value(t, v.main))
	}
	unit := v.p.By[0].Part
	if high == nil {
		return text + fmt.Sprintf("There are no figures by %s.", unit)
	}
	begin := fmt.Sprintf("By %s, it was", unitText(unit))
	if isPlain := v.main >= len(v.p.Measures) || v.p.Measures[v.main].Per == ""; text == "" && isPlain {
		was := "it was"
		if v.isPlural(v.main) {
			was = "they were"
		}
		begin = fmt.Sprintf("%s by %s: %s", title, unitText(unit), was)
	}
	text += fmt.Sprintf("%s highest for %s (%s)", begin, v.name(*high), v.value(*high, v.main))
	whole, cut := v.wholeParts()
	switch {
	case len(whole) == 1:
		low, cut = nil, nil // one month alone is no lowest
	case len(cut) > 0:
		_, low = v.extremesOf(whole)
	}
	if len(v.r.Groups) > 1 && low != nil && v.name(*low) != v.name(*high) {
		text += fmt.Sprintf(" and lowest for %s (%s)", v.name(*low), v.value(*low, v.main))
	}
	mean := v.meanPerPart(whole)
	text += "." + mean
	switch {
	case len(cut) > 0 && mean != "":
		text += fmt.Sprintf(" Lowest and average are without %s.", Joined(cut))
	case len(cut) > 0:
		text += fmt.Sprintf(" The lowest is without %s.", Joined(cut))
	}
	return text
}

// wholeParts returns the groups of a series of which all days are counted, and in words those
// left out. Without a whole part, or without one that is cut short, it returns all.
func (v *verbalizer) wholeParts() (whole []compute.Group, cut []string) {
	at := slices.IndexFunc(v.p.By, func(d plan.Dimension) bool { return d.Part.Series() })
	if at < 0 || len(v.p.By) > 1 {
		return v.r.Groups, nil
	}
	for _, g := range v.r.Groups {
		if note := v.partly(v.p.By[at].Part, g.Labels[at]); note != "" {
			cut = append(cut, fmt.Sprintf("%s (%s)", v.name(g), note))
		} else {
			whole = append(whole, g)
		}
	}
	if len(whole) == 0 {
		return v.r.Groups, nil
	}
	return whole, cut
}

// unitText returns a part of time in words.
func unitText(p plan.Part) string {
	if p == plan.Daytype {
		return "kind of day"
	}
	return string(p)
}

// isPlural reports whether a figure's name is a plural.
func (v *verbalizer) isPlural(i int) bool {
	if i >= len(v.p.Measures) {
		return false
	}
	m := v.p.Measures[i]
	return m.Per == "" && m.Metric.Plural()
}

// meanPerPart returns the sentence on the average of a series over some of its groups, since
// "per day" may ask for that.
func (v *verbalizer) meanPerPart(whole []compute.Group) string {
	t := v.r.Total
	f, err := plan.FormulaOf(v.s, v.p.Measures[0])
	if v.main != 0 || err != nil || !f.Additive() || len(v.p.By) != 1 || !v.p.By[0].Part.Series() || t.Now[0] == nil || v.r.Count < 2 {
		return ""
	}
	mean := meanOf(whole)
	if len(whole) == len(v.r.Groups) {
		mean = new(big.Rat).Quo(t.Now[0], big.NewRat(v.r.Count, 1)) // of all, also those not shown
	} else if len(whole) < 2 {
		return ""
	}
	return fmt.Sprintf(" That is %s a %s on average.", v.show(mean, v.units[0]), v.p.By[0].Part)
}

// meanOf returns the mean of the first figure of groups.
func meanOf(groups []compute.Group) *big.Rat {
	sum := new(big.Rat)
	for _, g := range groups {
		sum.Add(sum, zero(g.Now[0]))
	}
	return sum.Quo(sum, big.NewRat(int64(max(1, len(groups))), 1))
}

// extremes returns the groups with the most and the least, in the table or not.
func (v *verbalizer) extremes() (high, low *compute.Group) {
	i := v.main
	if high, low = v.r.High, v.r.Low; high != nil && low != nil && high.Now[i] != nil && low.Now[i] != nil {
		return high, low
	}
	return v.extremesOf(v.r.Groups)
}

// extremesOf returns those of some groups with the most and the least; nil if none has a figure.
func (v *verbalizer) extremesOf(some []compute.Group) (high, low *compute.Group) {
	i := v.main
	groups := slices.DeleteFunc(slices.Clone(some), func(g compute.Group) bool { return g.Now[i] == nil })
	if len(groups) == 0 {
		return nil, nil
	}
	byFigure := func(a, b compute.Group) int { return a.Now[i].Cmp(b.Now[i]) }
	return new(slices.MaxFunc(groups, byFigure)), new(slices.MinFunc(groups, byFigure))
}

// ranked returns the text of a ranking: the first group and those after it.
func (v *verbalizer) ranked() string {
	if len(v.r.Groups) == 0 {
		return fmt.Sprintf("No %s%s with %s.", pretty(v.p.By[0].Column), v.scope(), v.thresholds())
	}
	if v.p.Nth > 1 {
		return v.nthPlace()
	}
	first := v.r.Groups[0]
	return v.contradiction(first) + v.leader(first) + v.apart() + v.followers() + v.sharesTogether() + v.together() + v.ties() + v.rivalText(first)
}

// contradiction returns the sentence on the part of time that the question takes for the
// first, if it is not.
func (v *verbalizer) contradiction(first compute.Group) string {
	c := v.reading.Claim
	if c == nil {
		return ""
	}
	part := v.p.By[0].Part
	isClaimed := func(g compute.Group) bool {
		from, to, ok := plan.PartDays(part, g.Labels[0])
		return ok && from.Format(time.DateOnly) <= c.From && c.To <= to.Format(time.DateOnly)
	}
	switch p := v.p.Period; {
	case isClaimed(first) || slices.ContainsFunc(v.r.Tied, isClaimed):
		return ""
	case p != nil && (c.From < p.From || c.To > p.To):
		return fmt.Sprintf("%s cannot be compared, since the data do not cover the whole %s. ", plan.Capitalized(c.Words), part)
	default:
		return fmt.Sprintf("Of the %ss in the data, %s does not have%s %s. ", part, c.Words, strings.TrimPrefix(v.superlative(), "has"), v.rankTitle())
	}
}

// apart returns the sentences on what sets the first part of time apart from the others.
func (v *verbalizer) apart() string {
	switch part := v.p.By[0].Part; {
	case !v.p.WhyOne():
		return ""
	case v.r.Count < 2:
		return fmt.Sprintf(" There is no other %s to compare it with.", part)
	case len(v.r.Causes) == 0:
		return fmt.Sprintf(" No column shows what sets it apart from the other %ss.", part)
	default:
		var parts []string
		for _, c := range v.r.Causes {
			parts = append(parts, fmt.Sprintf("%s %s (%s against %s)", c.Column, c.Label, v.show(c.Now, v.units[0]), v.show(c.Before, v.units[0])))
		}
		way := map[bool]string{true: "below", false: "above"}[v.r.Causes[0].Change.Sign() < 0]
		return fmt.Sprintf(" Furthest %s the average of the other %ss: %s. The data show what differs, not the reason.", way, part, Joined(parts))
	}
}

// leader returns the sentence on the first group.
func (v *verbalizer) leader(first compute.Group) string {
	text := fmt.Sprintf("%s %s %s%s: %s", v.name(first), v.superlative(), v.rankTitle(), v.scope(), v.value(first, v.main))
	if v.p.Compare != nil {
		before := first.Before[v.main]
		text += fmt.Sprintf(", %s %s%s", v.movement(first.Now[v.main], before, v.units[v.main]), v.show(zero(before), v.units[v.main]), v.during(v.p.Compare))
	}
	if first.Share != nil {
		text += fmt.Sprintf(" (%s of the whole)", v.show(first.Share, schema.Percent))
	}
	return text + v.beside(first) + "."
}

// bothEnds returns the sentence on the first and the last groups of an order.
func (v *verbalizer) bothEnds() string {
	if len(v.r.Groups) == 0 || len(v.r.Last) == 0 {
		return fmt.Sprintf("No %s%s.", v.groupNoun(), v.scope())
	}
	first := slices.Concat(v.r.Groups[:len(v.r.Groups)-len(v.r.Last)], v.r.Tied)
	many := plan.Capitalized(v.titles[v.main]) + v.scope()
	return fmt.Sprintf("%s %s %s for %s and %s for %s.", many, map[bool]string{true: "were", false: "was"}[v.isPlural(v.main)], ends[v.p.Order], v.withValues(first), ends[v.p.Order.Opposite()], v.withValues(v.r.Last))
}

// withValues returns groups with their figures.
func (v *verbalizer) withValues(groups []compute.Group) string {
	var out []string
	for _, g := range groups {
		out = append(out, fmt.Sprintf("%s (%s)", v.name(g), v.value(g, v.main)))
	}
	return Joined(out)
}

// endCards returns the groups of both ends.
func (v *verbalizer) endCards() []Card {
	var out []Card
	for _, g := range v.r.Groups {
		out = append(out, Card{v.name(g), v.value(g, v.main)})
	}
	return out
}

// followers returns the sentences on the groups after the first.
func (v *verbalizer) followers() string {
	if len(v.r.Groups) < 2 {
		return ""
	}
	var rest []string
	for _, g := range named(v.r.Groups)[1:] {
		rest = append(rest, fmt.Sprintf("%s (%s)", v.name(g), v.value(g, v.main)))
	}
	text := fmt.Sprintf(" Then %s.", Joined(rest))
	first, second := v.r.Groups[0].Now[v.main], v.r.Groups[1].Now[v.main]
	if len(v.r.Groups) == 2 && v.p.Limit == 0 && v.units[v.main] != schema.Percent && v.p.Compare == nil && first != nil && second != nil {
		d := new(big.Rat).Sub(first, second)
		text += fmt.Sprintf(" The difference is %s.", v.show(d.Abs(d), v.units[v.main]))
	}
	return text
}

// sharesTogether returns the sentence on the share of the groups of a ranking that asks for so many: how much
// of sales is our top 5.
func (v *verbalizer) sharesTogether() string {
	sum := sumOfShares(v.r)
	if sum == nil {
		return ""
	}
	return fmt.Sprintf(" Together they are %s of the whole.", v.show(sum, schema.Percent))
}

// sumOfShares returns the share of the first groups of a ranking together; nil without several of them.
func sumOfShares(r compute.Result) *big.Rat {
	if r.Plan.Limit < 2 || len(r.Groups) < 2 || !r.Plan.Share || r.Plan.Each || r.Plan.Ends || r.Plan.Nth > 0 {
		return nil
	}
	sum := new(big.Rat)
	for _, g := range r.Groups {
		if g.Share == nil {
			return nil
		}
		sum.Add(sum, g.Share)
	}
	return sum
}

// together returns the sentence on the figure of all groups.
func (v *verbalizer) together() string {
	t := v.r.Total
	if v.p.Limit > 0 || len(v.r.Groups) < 2 || len(t.Now) <= v.main || t.Now[v.main] == nil || v.units[v.main] == schema.Percent ||
		v.main < len(v.p.Measures) && v.p.Measures[v.main].Per != "" {
		return ""
	}
	return fmt.Sprintf(" %s it is %s.", v.togetherWord(), v.value(t, v.main))
}

// togetherWord returns the word before the figure of the whole, which is a sum only if
// groups add up.
func (v *verbalizer) togetherWord() string {
	if v.main >= len(v.p.Measures) {
		return "Overall"
	}
	if f, err := plan.FormulaOf(v.s, v.p.Measures[v.main]); err == nil && f.Additive() {
		return "Together"
	}
	return "Overall"
}

// rivalText returns the sentence on the first group by the other measure, if it is another
// group.
func (v *verbalizer) rivalText(first compute.Group) string {
	if v.r.Rival == nil || v.name(*v.r.Rival) == v.name(first) {
		return ""
	}
	return fmt.Sprintf(" By %s it is %s (%s).", v.titles[1], v.name(*v.r.Rival), v.show(v.r.Rival.Now[0], v.units[1]))
}

// namesRival reports whether the answer names another first group by another figure, which may be
// the one that is meant (H4).
func (v *verbalizer) namesRival() bool {
	return v.shape.shape == Ranked && v.p.Nth < 2 && len(v.r.Groups) > 0 && v.rivalText(v.r.Groups[0]) != ""
}

func (v *verbalizer) superlative() string {
	many := v.main < len(v.p.Measures) && v.p.Measures[v.main].Per == "" && v.p.Measures[v.main].Metric.Countable()
	switch gain := v.gainSign(); {
	case v.ranksDays():
		return "has the " + endOfDays[v.p.Order]
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

// ranksDays reports whether the groups are in order of a day.
func (v *verbalizer) ranksDays() bool {
	return v.main < len(v.p.Measures) && v.p.Measures[v.main].Metric.AsDay() && endOfDays[v.p.Order] != ""
}

// rankTitle returns the figure's name after a superlative, which may say as much itself.
func (v *verbalizer) rankTitle() string {
	if v.ranksDays() {
		return "day"
	}
	return strings.TrimPrefix(v.titles[v.main], ends[v.p.Order]+" ")
}

// gainSign returns the sign of the first group's change.
func (v *verbalizer) gainSign() int {
	if v.p.Compare == nil || len(v.r.Groups) == 0 {
		return 0
	}
	g := v.r.Groups[0]
	return zero(g.Now[v.main]).Cmp(zero(g.Before[v.main]))
}

// causes returns the text of what made up a change, and that this is not the reason.
func (v *verbalizer) causes() string {
	text := v.comparedWith()
	if len(v.r.Causes) == 0 {
		return text + " No column shows what made up the change."
	}
	var parts []string
	for _, c := range v.r.Causes {
		parts = append(parts, fmt.Sprintf("%s %s (%s to %s)", c.Column, c.Label, v.show(zero(c.Before), v.units[0]), v.show(zero(c.Now), v.units[0])))
	}
	return text + fmt.Sprintf(" The largest parts of the change are %s. The data show what changed, not the reason.", Joined(parts))
}

// groupNoun returns what one group is: a product, say, by its column's role or heading.
func (v *verbalizer) groupNoun() string {
	if part := v.p.By[0].Part; part != plan.Whole {
		return unitText(part)
	}
	c, _ := plan.Column(v.s, v.p.By[0].Column)
	return noun(c)
}

// noun returns what a value of a column is called.
func noun(c schema.Column) string {
	switch c.Role {
	case schema.None, schema.SKU:
		return strings.ToLower(pretty(c.Heading))
	case schema.Payment:
		return "payment method"
	case schema.Staff:
		return "staff member"
	}
	return strings.ReplaceAll(string(c.Role), "_", " ")
}

// plural returns the plural of a noun, well enough for headings and roles.
func plural(noun string) string {
	if stem, ok := strings.CutSuffix(noun, "y"); ok && !strings.HasSuffix(stem, "a") && !strings.HasSuffix(stem, "e") {
		return stem + "ies"
	}
	if strings.HasSuffix(noun, "s") {
		return noun
	}
	return noun + "s"
}

// isUneven reports whether the data begin inside the earlier of two periods. A change in
// per cent would then be misleading.
func (v *verbalizer) isUneven() bool { return v.p.Compare != nil && v.p.Compare.From < v.s.First }

func (v *verbalizer) pronounWas() string {
	if strings.HasSuffix(v.titles[v.main], "s") || v.units[v.main] == schema.Count {
		return "they were"
	}
	return "it was"
}

// nthPlace returns the text of one place of a ranking, with those before it.
func (v *verbalizer) nthPlace() string {
	if len(v.r.Groups) < v.p.Nth {
		return fmt.Sprintf("There are only %s: %s.", v.groupCount(int64(len(v.r.Groups))), Joined(v.names()))
	}
	g := v.r.Groups[v.p.Nth-1]
	place := map[int]string{2: "second", 3: "third", 4: "fourth", 5: "fifth"}[v.p.Nth]
	var before []string
	for _, b := range v.r.Groups[:v.p.Nth-1] {
		before = append(before, fmt.Sprintf("%s (%s)", v.name(b), v.value(b, v.main)))
	}
	return fmt.Sprintf("%s has the %s %s %s%s: %s, after %s.", v.name(g), place, strings.TrimPrefix(v.superlative(), "has the "), v.titles[v.main], v.scope(), v.value(g, v.main), Joined(before)) + v.ties()
}

// ties returns the sentence on the groups that share the last place.
func (v *verbalizer) ties() string {
	if len(v.r.Tied) == 0 {
		return ""
	}
	var names []string
	for _, g := range v.r.Tied {
		names = append(names, v.name(g))
	}
	share := agreeing(int64(len(names)), "shares", "share")
	if len(names) == compute.MaxTies {
		names = append(names, "perhaps others") // which were not compared
	}
	return fmt.Sprintf(" %s %s this place with %s.", Joined(names), share, v.name(v.r.Groups[len(v.r.Groups)-1]))
}

// groupCount returns a number of groups in words: 77 products.
func (v *verbalizer) groupCount(n int64) string { return counting(n, v.groupNoun()) }

// counting returns a number with a noun.
func counting(n int64, noun string) string { return count(n) + " " + agreeing(n, noun, plural(noun)) }

// agreeing returns the form of a word for a number of things.
func agreeing(n int64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
