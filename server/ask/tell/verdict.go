package tell

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// finding is the result of a rule.
type finding struct{ verdict, sentence, advice string }

// rules are those of H9; the first with a finding decides. Each sentence names the rule
// and its figure.
var rules = []func(*verbalizer) *finding{stockOut, loss, coverBelowLeadTime, belowReorder, changeForWorse}

func (v *verbalizer) finding() *finding {
	if len(v.p.WhatIf) > 0 {
		return nil
	}
	for _, rule := range rules {
		if f := rule(v); f != nil {
			return f
		}
	}
	return nil
}

func count(n int64) string { return digits(big.NewRat(n, 1)) }

// stockOut finds products out of stock, which is a problem.
func stockOut(v *verbalizer) *finding {
	if !v.isOut() || v.found() == 0 {
		return nil
	}
	return &finding{"problem", fmt.Sprintf("Out of stock: %s.", counting(v.found(), "product")), fmt.Sprintf("Reorder what is out of stock: %s.", v.foundText())}
}

// foundText counts the products of a finding, with the figure of the answer if that is none of them.
func (v *verbalizer) foundText() string {
	text := counting(v.found(), "product")
	if len(v.p.By) == 0 && !v.countsThings() {
		text += fmt.Sprintf(" (%s)", v.value(v.r.Total, 0))
	}
	return text
}

// countsThings reports whether the first figure is a number of things or rows, and no amount.
func (v *verbalizer) countsThings() bool {
	m := v.p.Measures[0]
	return m.Metric == plan.Distinct || m.Metric == plan.Rows
}

// found returns the number of things in a list or a count, or of the rows of an amount.
func (v *verbalizer) found() int64 {
	if len(v.p.By) > 0 {
		return v.r.Count
	}
	switch {
	case !v.countsThings():
		return v.r.Total.Rows
	case v.r.Total.Now[0] == nil:
		return 0
	}
	return compute.Rounded(v.r.Total.Now[0], 0).Int64()
}

// loss finds profit below zero, which is a problem. Of groups it names the worst.
func loss(v *verbalizer) *finding {
	if v.main > 0 || v.p.Measures[0].Metric != plan.Profit && v.p.Measures[0].Metric != plan.Margin {
		return nil
	}
	if len(v.p.By) == 0 {
		if n := v.r.Total.Now[0]; n == nil || n.Sign() >= 0 {
			return nil
		}
		figure := fmt.Sprintf("%s is %s", v.titles[0], v.value(v.r.Total, 0))
		return &finding{"problem", "A loss: " + figure + ".", "Find what costs more than it brings: " + figure + "."}
	}
	_, least := v.extremes()
	if least == nil || least.Now[0].Sign() >= 0 {
		return nil
	}
	advice := "Find what costs more than it brings for %s: its %s is %s."
	if c, _ := plan.Column(v.s, v.p.By[0].Column); c.Role == schema.Product && len(v.p.By) == 1 {
		advice = "Raise the price of %s, lower its cost, or stop it: its %s is %s."
	}
	name, figure := v.name(*least), v.value(*least, 0)
	return &finding{"problem", fmt.Sprintf("A loss: %s has %s of %s.", name, v.titles[0], figure), fmt.Sprintf(advice, name, v.titles[0], figure)}
}

// belowReorder finds stock at or below the reorder point.
func belowReorder(v *verbalizer) *finding {
	state, ok := v.lowState()
	if !ok || v.found() == 0 {
		return nil
	}
	n := v.found()
	down := "down to the reorder point or lower"
	if len(v.p.By) == 0 && !v.countsThings() {
		down = state // of which the amount is
	}
	sentence := fmt.Sprintf("Time to reorder: %s %s %s", counting(n, "product"), agreeing(n, "is", "are"), down)
	if out := v.noneLeft(); out > 0 {
		sentence += fmt.Sprintf(", %s of them out of stock", count(out))
	}
	if v.onItsWay() != "" {
		sentence += ", and enough of some is on order"
	}
	advice := fmt.Sprintf("Reorder what has come down to its reorder point: %s.", v.foundText())
	if v.isUrgency() {
		first := v.toOrder()[0]
		advice = fmt.Sprintf("Reorder %s first.", v.left(first))
		if v.isOnItsWay(first) {
			advice = fmt.Sprintf("Wait for what is on order: %s.", v.left(first))
		}
	}
	return &finding{"act", sentence + ".", advice}
}

// noneLeft counts the listed products that are out of stock.
func (v *verbalizer) noneLeft() (n int64) {
	for _, g := range v.r.Groups {
		if v.isUrgency() && g.Now[0] != nil && g.Now[0].Sign() <= 0 {
			n++
		}
	}
	return n
}

// Bounds of a change for the worse, in per cent (H9).
var (
	toWatch = big.NewRat(3, 1)
	toAct   = big.NewRat(10, 1)
)

// isOfOtherLength reports whether the periods that are compared differ by more than a fifth in their days.
func (v *verbalizer) isOfOtherLength() bool {
	days := func(p *plan.Period) float64 {
		from, err1 := time.Parse(time.DateOnly, p.From)
		to, err2 := time.Parse(time.DateOnly, p.To)
		if err1 != nil || err2 != nil {
			return 0
		}
		return to.Sub(from).Hours()/24 + 1
	}
	if v.p.Period == nil || v.p.Compare == nil {
		return false
	}
	now, before := days(v.p.Period), days(v.p.Compare)
	return 5*max(now, before) > 6*min(now, before)
}

// changeForWorse finds a change for the worse over at least 30 rows: above 10 % to act on,
// 3 to 10 % to watch. Days that the data cover in part prove none.
func changeForWorse(v *verbalizer) *finding {
	if v.p.Compare == nil || v.main > 0 || v.isUneven() || v.isOfOtherLength() || v.isPartial() || len(v.p.By) > 0 || v.r.Total.Past < enoughRows || v.r.Total.Rows == 0 {
		return nil
	}
	pct := changePercent(v.r.Total.Now[0], v.r.Total.Before[0])
	if pct == nil {
		return nil
	}
	worse := new(big.Rat).Neg(pct)
	if v.p.Measures[0].Metric.LessIsBetter() {
		worse = pct
	}
	verdict, bound := "watch", toWatch
	switch {
	case worse.Cmp(toAct) > 0:
		verdict, bound = "act", toAct
	case worse.Cmp(toWatch) < 0:
		return nil
	}
	figure := v.show(new(big.Rat).Abs(pct), schema.Percent)
	return &finding{verdict, fmt.Sprintf("A change for the worse by more than %s: %s changed by %s.", v.show(bound, schema.Percent), v.titles[0], figure),
		fmt.Sprintf("Look at what changed: %s moved by %s against %s.", v.titles[0], figure, v.p.Compare.Words)}
}

// recommendations returns advice; each sentence cites a figure of the answer (H9).
func (v *verbalizer) recommendations() []string {
	out := []string{}
	if f := v.finding(); f != nil {
		out = append(out, f.advice)
	}
	if !v.advisable() || v.p.Count || v.isList() || len(v.r.Groups) == 0 || v.p.Compare != nil || v.r.Groups[0].Now[0] == nil {
		return out
	}
	first := v.r.Groups[0]
	switch c, _ := plan.Column(v.s, v.p.By[0].Column); {
	case v.p.Order == plan.Highest && v.p.Nth < 2:
		if first.Now[0].Sign() > 0 && (v.Loses == nil || !v.Loses(first)) {
			out = append(out, fmt.Sprintf("%s: %s.", v.bestAdvice(v.name(first)), v.figureOf(first)))
		}
	case v.p.Order == plan.Lowest && isMerchandise(c):
		out = append(out, fmt.Sprintf("Decide whether %s is worth its place: %s.", v.name(first), v.figureOf(first)))
	case v.p.Order == plan.Lowest:
		out = append(out, fmt.Sprintf("Look at what holds %s back: %s.", v.name(first), v.figureOf(first)))
	}
	return out
}

// figureOf words the first figure of a group: "£12 of revenue", "12 units sold", "a margin of
// 12 %".
func (v *verbalizer) figureOf(g compute.Group) string {
	value, title, metric := v.value(g, 0), v.titles[0], v.p.Measures[0].Metric
	switch {
	case v.p.Share:
	case metric == plan.Margin || metric == plan.Markup:
		return "a " + title + " of " + value
	case metric.Plural():
		return value + " " + title
	}
	return value + " of " + title
}

// advisedNames are the roles of the names on which a merchant can act.
var advisedNames = []schema.Role{schema.Product, schema.Category, schema.Brand, schema.Customer, schema.Store, schema.Region, schema.Channel}

// advisable reports whether advice on the groups makes sense.
func (v *verbalizer) advisable() bool {
	if len(v.p.By) != 1 || v.s.Kind == schema.Purchases {
		return false
	}
	c, _ := plan.Column(v.s, v.p.By[0].Column)
	m := v.p.Measures[0]
	return slices.Contains(advisedNames, c.Role) && m.Metric.Advised() && m.Per == "" && !v.isMade()
}

// isMerchandise reports whether a column names what is sold.
func isMerchandise(c schema.Column) bool {
	return c.Role == schema.Product || c.Role == schema.Category || c.Role == schema.Brand
}

// bestAdvice returns the advice on what does best.
func (v *verbalizer) bestAdvice(name string) string {
	c, _ := plan.Column(v.s, v.p.By[0].Column)
	switch {
	case v.CFO:
		return "Secure " + name
	case isMerchandise(c):
		return "Keep " + name + " well supplied"
	}
	return "Build on " + name
}
