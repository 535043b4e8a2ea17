package read

import (
	"svc/server/ask/plan"
	"svc/server/schema"
)

// What is left of money without a part of it: revenue without shipping, sales after fees, what do we make after
// materials.

// lessPart is the sense of the words that take a part off money that other words name, if any do.
const lessPart = "less part"

// netOf reads revenue without shipping, and sales after fees.
func netOf(c *chart, parts []*item) (sketch, bool) {
	of, word, part := parts[0].s.figures[0], parts[1], parts[2].s.figures[0]
	isLeft := of.metric == plan.StockUnits && !c.x.can(plan.StockUnits) && word.cat == "after" // what is left after materials
	isMoney := of.metric == plan.Revenue || of.metric == plan.Profit && !c.x.can(plan.Profit) || isLeft
	isPart := c.isPartOfMoney(part, word) || isLeft && part.metric == plan.Cost && part.plain() && c.x.can(plan.Cost)
	if !isMoney || !of.plain() || !isPart {
		return sketch{}, false
	}
	s, ok := pairOf(plan.Difference)(c, parts)
	if ok {
		s.figures = []figure{s.figures[0], s.figures[1].summed()}
		s.figures[0].metric = plan.Revenue
	}
	return s, ok
}

// revenueMinusCost reads sales minus cost, which is the profit.
func revenueMinusCost(c *chart, parts []*item) (sketch, bool) {
	of, part := parts[0].s.figures[0], parts[2].s.figures[0]
	f := figure{span: span{parts[0].from, parts[2].to}, metric: plan.Profit, text: "profit"}
	isMeant := of.metric == plan.Revenue && of.column == nil && of.plain() && part.metric == plan.Cost && part.column == nil && part.plain()
	return sketch{figures: []figure{f}}, isMeant && len(parts[0].s.where)+len(parts[2].s.where) == 0 && c.x.can(plan.Profit)
}

// lessOf reads after pitch fees, of which other words say the money.
func lessOf(c *chart, parts []*item) (sketch, bool) {
	s := parts[1].s
	if len(s.figures) != 1 || s.figures[0].column == nil || len(s.where) > 0 || !c.isPartOfMoney(s.figures[0], parts[0]) {
		return sketch{}, false
	}
	s.marks = []mark{{span: span{parts[0].from, parts[1].to}, sense: lessPart}}
	return s, true
}

// isPartOfMoney reports whether a figure is a part that a word takes off revenue: tax, shipping, an expense, or after
// "after" the total of any column of money. What revenue is already net of has a role of its own.
func (c *chart) isPartOfMoney(f figure, word *item) bool {
	switch {
	case isAtLeast(word) || !c.x.can(plan.Revenue):
		return false
	case f.plain():
		return (f.metric == plan.ShippingPaid || f.metric == plan.Taxes) && c.x.can(f.metric)
	case c.isExpense(f):
		return word.cat != "before"
	}
	return word.cat == "after" && f.isTotal() && f.column.Role == schema.None && (f.column.Unit == schema.Money || f.column.Unit == schema.Plain && f.column.Scale == 2)
}

// isAtLeast reports whether words compare with a number before them: plus, or more.
func isAtLeast(it *item) bool { return len(it.s.bounds) > 0 }

// isTotal reports whether a figure is the total of a column of numbers.
func (f figure) isTotal() bool {
	return f.column != nil && f.column.Type == schema.Number && (f.fold == "" || f.fold == "sum") && f.per == "" && f.since == nil
}

// summed returns a figure of a column as its total.
func (f figure) summed() figure {
	if f.column != nil {
		f.fold = "sum"
	}
	return f
}

// readLess takes a part off revenue.
func (b *builder) readLess() error {
	m := b.s.find(lessPart)
	if m == nil || b.s.pair != "" {
		return nil
	}
	b.s.marks, _ = cut(b.s.marks, func(o mark) bool { return o.sense != lessPart })
	others, part := cut(b.s.figures, func(f figure) bool { return f.from < m.from || m.to < f.to })
	isRevenue := len(others)+len(b.s.counts) == 0 || len(others) == 1 && others[0].plain() && (others[0].metric == plan.Revenue || others[0].metric == plan.Profit && !b.x.can(plan.Profit))
	if !isRevenue || len(part) != 1 {
		return b.refuse(Unknown, "It is not clear what “%s” limits in this question, so it cannot be answered.", b.tokens[m.from].Raw)
	}
	b.s.figures, b.s.pair = []figure{{span: m.span, metric: plan.Revenue, text: "revenue"}, part[0].summed()}, plan.Difference
	return nil
}

// expenseWords are in the headings of what is paid out of takings.
var expenseWords = []string{"fee", "fees", "cost", "costs", "fuel", "rent", "commission", "comm", "wages", "staff", "labour", "parts", "expenses", "expense", "bought", "spent", "spend", "ingredients", "materials"}

// isExpense reports whether a figure is the sum of a column of amounts that are paid out of takings.
func (c *chart) isExpense(f figure) bool {
	isSaid := f.column != nil && (hasWord(f.column.Heading, expenseWords...) || hasWord(f.text, expenseWords...))
	return isSaid && f.isTotal() && f.column.Unit != schema.Percent && f.column.Unit != schema.Count && c.x.can(plan.Revenue)
}
