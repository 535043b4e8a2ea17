package tell

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// The sentences on figures that are made from others, and on groups that lack something.

// related returns the text of a figure that is made from two others, with both.
func (v *verbalizer) related() string {
	g := v.r.Total
	var sentences []string
	told := map[int]bool{}
	for i, d := range v.p.Derived {
		sentences = append(sentences, v.relation(d, g, len(v.p.Measures)+i))
		told[d.Of], told[d.And] = true, true
	}
	for i := range len(v.p.Measures) - v.reading.Companions {
		if !told[i] {
			sentences = append(sentences, fmt.Sprintf("%s %s %s.", plan.Capitalized(v.titles[i]), v.verb(), v.value(g, i)))
		}
	}
	if v.p.Compare != nil {
		sentences = append(sentences, fmt.Sprintf("%s it was %s.", plan.Capitalized(strings.TrimSpace(v.during(v.p.Compare))), v.show(g.Before[v.main], v.units[v.main])))
	}
	return strings.Join(sentences, " ")
}

// relation returns the sentence on one derived figure of a group.
func (v *verbalizer) relation(d plan.Derived, g compute.Group, i int) string {
	begin := fmt.Sprintf("%s%s %s %s", plan.Capitalized(v.titles[d.Of]), v.scope(), v.verb(), v.value(g, d.Of))
	and := fmt.Sprintf("%s (%s)", v.titles[d.And], v.value(g, d.And))
	n := g.Now[i]
	if n == nil {
		return fmt.Sprintf("%s, and %s %s, so there is no figure of the two.", begin, v.titles[d.And], v.value(g, d.And))
	}
	size := v.show(new(big.Rat).Abs(n), v.units[i])
	switch way := n.Sign(); {
	case d.Kind == plan.ShareOf:
		return fmt.Sprintf("%s, %s of %s.", begin, v.show(n, v.units[i]), and)
	case d.Kind == plan.Total:
		return fmt.Sprintf("%s, together with %s %s.", begin, and, v.show(n, v.units[i]))
	case d.Kind == plan.Ratio:
		return fmt.Sprintf("%s, which is %s for each of %s.", begin, v.show(n, v.units[i]), and)
	case way == 0:
		return fmt.Sprintf("%s, the same as %s.", begin, v.titles[d.And])
	case d.Kind == plan.ChangeFrom:
		return fmt.Sprintf("%s, %s %s from %s.", begin, map[int]string{1: "up", -1: "down"}[way], size, and)
	default:
		return fmt.Sprintf("%s, %s %s than %s.", begin, size, map[int]string{1: "more", -1: "less"}[way], and)
	}
}

// relatedChart returns a bar for each measure, if they have one unit.
func (v *verbalizer) relatedChart() *Chart {
	n := len(v.p.Measures)
	if n < 2 || slices.ContainsFunc(v.units[:n], func(u schema.Unit) bool { return u != v.units[0] }) {
		return nil
	}
	c := &Chart{Type: "bar", Label: plan.Capitalized(v.titles[v.main])}
	for i := range n {
		v.plot(c, v.titles[i], v.r.Total.Now[i], i)
	}
	return c
}

// summed returns the text of a running total: where it ends and where it began, or where
// it passes a threshold.
func (v *verbalizer) summed() string {
	title := plan.Capitalized(v.titles[v.main]) + v.scope()
	groups := v.r.Groups
	if len(groups) == 0 {
		return fmt.Sprintf("%s is never %s.", title, v.bounds())
	}
	first, last := groups[0], groups[len(groups)-1]
	if len(v.p.Having) > 0 {
		return fmt.Sprintf("%s is first %s for %s: %s.", title, v.bounds(), v.name(first), v.value(first, v.main))
	}
	text := fmt.Sprintf("%s reaches %s by the end of %s", title, v.value(last, v.main), v.name(last))
	if len(groups) > 1 {
		text += fmt.Sprintf(", from %s at the end of %s", v.value(first, v.main), v.name(first))
	}
	return text + "."
}

// bounds returns the thresholds without their figures: above $500.
func (v *verbalizer) bounds() string {
	var out []string
	for _, h := range v.p.Having {
		out = append(out, v.bound(h))
	}
	return Joined(out)
}

// isLacking reports whether the groups are those without rows of a figure, or without any
// amount of it: products that did not sell in March.
func (v *verbalizer) isLacking() bool {
	if len(v.p.By) == 0 || len(v.p.Having) == 0 || len(v.p.Having) > 2 || v.p.Limit > 0 {
		return false
	}
	if len(v.p.Having) == 2 && !v.isHaving(v.p.Having[1]) {
		return false
	}
	h := v.p.Having[0]
	if h.Measure >= len(v.p.Measures) || h.Other != nil || !(h.Op == plan.AtMost && h.Value == 0 || h.Op == plan.Less && h.Value == 1) {
		return false
	}
	m := v.p.Measures[h.Measure]
	return m.Restricted() && m.Per == "" && (m.Metric == plan.Rows || m.Metric == plan.Orders || m.Metric == plan.Units)
}

// isHaving reports whether the groups of a threshold are those with rows of a figure.
func (v *verbalizer) isHaving(h plan.Threshold) bool {
	if h.Other != nil || h.Op != plan.More || h.Value != 0 || h.Measure >= len(v.p.Measures) {
		return false
	}
	m := v.p.Measures[h.Measure]
	return m.Metric == plan.Rows && m.Restricted() && m.Per == ""
}

// lacking returns the text of groups without something, and perhaps with something else.
func (v *verbalizer) lacking() string {
	without := v.rowsTitle(0)
	what := "no " + without
	if len(v.p.Having) == 2 {
		what = v.rowsTitle(1) + " but " + what
	}
	switch {
	case v.r.Count == 0 && len(v.p.Having) == 2:
		return fmt.Sprintf("No %s%s has %s.", v.groupNoun(), v.scope(), what)
	case v.r.Count == 0:
		return fmt.Sprintf("Every %s%s has %s.", v.groupNoun(), v.scope(), without)
	}
	text := fmt.Sprintf("%s%s %s %s", v.groupCount(v.r.Count), v.scope(), agreeing(v.r.Count, "has", "have"), what)
	if v.p.Count {
		return text + "."
	}
	return text + v.nameList()
}

// rowsTitle names what a threshold of the plan counts: sales for Tea in March.
func (v *verbalizer) rowsTitle(i int) string {
	at := v.p.Having[i].Measure
	if title := plan.Rows.Title(); v.p.Measures[at].Metric == plan.Rows && v.s.Kind == schema.Sales {
		return "sales" + strings.TrimPrefix(v.titles[at], title)
	}
	return v.titles[at]
}

// isMade reports whether the figures are more than metrics over the plan's rows: made from
// others, of rows of their own, or folded over parts.
func (v *verbalizer) isMade() bool {
	return len(v.p.Derived) > 0 || slices.ContainsFunc(v.p.Measures, func(m plan.Measure) bool {
		return m.Restricted() || m.Fold != "" || m.Since != "" || slices.Contains(plan.Parts, plan.Part(m.Per))
	})
}

// beside returns the other figures of a group, if a question asks for several that are
// made, or in a second question: " (revenue for In-store: $5)".
func (v *verbalizer) beside(g compute.Group) string {
	if !v.isMade() && !v.reading.Beside {
		return ""
	}
	var out []string
	for i := range v.p.Figures() {
		if i != v.main && (i < len(v.p.Measures)-v.reading.Companions || i >= len(v.p.Measures)) {
			out = append(out, fmt.Sprintf("%s: %s", v.titles[i], v.value(g, i)))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// readAs returns the sentence on how a question was read whose groups have figures that
// are made, or two dimensions (H5); "" for others, whose text says it.
func (v *verbalizer) readAs() string {
	if v.shape.shape != Ranked && v.shape.shape != Series || !v.isMade() && len(v.p.By) < 2 {
		return ""
	}
	asked := v.p
	asked.Limit = 0 // the groups show it
	asked.Measures = asked.Measures[:len(asked.Measures)-v.reading.Companions]
	if text, ok := plan.Say(asked, v.s); ok {
		return "Read as: " + text + "."
	}
	text := "Read as: " + v.titles[v.main]
	for i, d := range v.p.By {
		text += map[bool]string{true: ", by ", false: " and "}[i == 0] + v.dimensionName(d)
	}
	return text + v.scope() + "."
}

// dimensionName returns what groups are made by: Product, month.
func (v *verbalizer) dimensionName(d plan.Dimension) string {
	if d.Part != plan.Whole {
		return unitText(d.Part)
	}
	return pretty(d.Column)
}
