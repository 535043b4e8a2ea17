package certain

import (
	"slices"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// wholeWords set something of a whole customer or order: only scones, scones with muffins.
var wholeWords = []string{"only", "with", "both", "together"}

// countsByRows reports whether customers or orders are counted, or divided by, of which the rows
// lack some goods, or have one of several: a customer with one row of tea is none without scones.
func (a *account) countsByRows() bool {
	isWhole := slices.ContainsFunc(a.p.Measures, func(m plan.Measure) bool {
		c, _ := plan.Column(a.s, m.Column)
		d, _ := plan.Column(a.s, m.Per)
		counted := slices.Contains([]plan.Metric{plan.Customers, plan.RepeatCustomers, plan.NewCustomers, plan.Orders}, m.Metric) || m.Per == plan.PerOrder
		return counted || isWholeRole(c.Role) || isWholeRole(d.Role)
	}) || slices.ContainsFunc(a.p.By, func(d plan.Dimension) bool {
		c, _ := plan.Column(a.s, d.Column)
		return isWholeRole(c.Role)
	})
	says := a.saysAny(wholeWords...)
	return isWhole && slices.ContainsFunc(a.filters(), func(f plan.Filter) bool {
		c, _ := plan.Column(a.s, f.Column)
		several := len(f.Values) > 1 || f.Op == plan.NotIn
		return f.Part == plan.Whole && slices.Contains(goods, c.Role) && (several || says)
	})
}

// isWholeRole reports whether a column tells customers or orders apart, of which one has many rows.
func isWholeRole(r schema.Role) bool { return r == schema.Customer || r == schema.Order }

// asksWhetherAll reports whether a question of yes or no is about all of something, which no figure
// answers: do all customers pay by card.
func (a *account) asksWhetherAll() bool {
	asks := slices.Contains([]string{"do", "does", "did", "is", "are", "was", "were", "has", "have", "can"}, a.Tokens[0].Text)
	return asks && a.saysAny("all", "every", "any", "each", "always")
}

// asksAdvice reports whether it is asked what to do, of which only what to order again is known.
func (a *account) asksAdvice() bool {
	isReorder := slices.ContainsFunc(a.sure, func(row []link.Mention) bool {
		return slices.ContainsFunc(row, func(m link.Mention) bool { return m.Kind == link.State && m.Sense == "lowstock" })
	})
	return !isReorder && a.saysAny("should", "need", "must")
}

// saysAny reports whether one of some words is in the question.
func (a *account) saysAny(words ...string) bool {
	return slices.ContainsFunc(a.Tokens, func(t link.Token) bool { return slices.Contains(words, t.Text) })
}
