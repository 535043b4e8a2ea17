package certain

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// isClear reports whether words of shop talk can mean only one figure over this source.
func (a *account) isClear(m link.Mention, have plan.Measure) bool {
	_, costed := a.s.ByRole(schema.UnitCost)
	switch {
	case have.Metric == plan.StockValue && !costed: // at what it would sell for
		return false
	case have.Metric == plan.Units && a.countsGuests():
		return false
	case have.Metric == plan.Discounts && a.isDifference(have):
		return false
	}
	used := plan.Plan{Measures: []plan.Measure{have}}.Columns(a.s)
	isAmbiguous := !a.isWhole(m, used) && (a.isHeadingOfOther(m, used) || a.hasRivalAmount(have)) || have.Metric == plan.Revenue && a.hasOpenStates()
	if a.isWhole(m, used) && a.hasReversals() && !slices.Contains(takings, a.Tokens[m.To-1].Lemma) {
		return false // all that was quoted, or what is left of it after refunds
	}
	return !isAmbiguous && !a.countsUnsure(m, have) && !a.leavesOut(have) && !a.hasTax(have)
}

// hasTax reports whether a profit or a margin is of takings that include tax, of which nothing is earned. A profit that
// the source has is as it says.
func (a *account) hasTax(have plan.Measure) bool {
	_, given := a.s.ByRole(schema.Profit)
	if have.Metric != plan.Margin && (have.Metric != plan.Profit || given) {
		return false
	}
	revenue, _ := a.s.ByRole(schema.Revenue)
	return slices.ContainsFunc(strings.Fields(strings.ToLower(link.Spaced(revenue.Heading))), func(w string) bool {
		return slices.Contains([]string{"inc", "incl", "including", "inclusive", "gross", "ttc", "brutto"}, w)
	})
}

// takings are words for revenue, by their lemmas, which is net of refunds (I4).
var takings = []string{"revenue", "sale", "taking", "turnover", "income", "profit", "margin"}

// countsGuests reports whether the pieces are those of columns of kinds, such as adults and children,
// beside a column of goods, of which pieces may be meant.
func (a *account) countsGuests() bool {
	isGoods := func(c schema.Column) bool { return slices.Contains(goods, c.Role) }
	return len(a.s.Kinds()) > 0 && slices.ContainsFunc(a.s.Columns, isGoods)
}

// isDifference reports whether a figure is one amount less another.
func (a *account) isDifference(have plan.Measure) bool {
	f, err := plan.FormulaOf(a.s, have)
	return err == nil && slices.ContainsFunc(f.Top.Terms, func(t plan.Term) bool { return t.Minus })
}

// common are words for what any column of a role is of. Other words for a role, such as dish for a
// product, name a kind that the column may not be of.
var common = map[schema.Role][]string{
	schema.Product: {"product", "item", "article"}, schema.SKU: {"sku", "code"}, schema.Category: {"category", "type", "kind", "department"}, schema.Brand: {"brand"},
	schema.Supplier: {"supplier", "vendor"}, schema.Customer: {"customer", "client", "buyer"}, schema.Store: {"store", "shop", "branch", "location", "site", "outlet"},
	schema.City: {"city", "town"}, schema.Region: {"region", "area"}, schema.State: {"state"}, schema.Country: {"country"}, schema.Channel: {"channel"},
	schema.Payment: {"payment", "method", "tender"}, schema.Staff: {"staff", "employee", "member", "person"}, schema.Status: {"status"}, schema.Segment: {"segment"},
	schema.Order: {"order", "invoice", "receipt", "transaction", "sale"}, schema.Day: {"date", "day"},
}

// isCommon reports whether the last word for a role, a lemma, is one that fits its column whatever it
// is called, or the heading's own.
func isCommon(m link.Mention, lemma string) bool {
	words, ok := common[m.Role]
	isHeading := strings.Contains(strings.ToLower(link.Spaced(m.Column.Heading)), lemma)
	return !ok || isHeading || slices.Contains(words, lemma)
}

// isHeadingOfOther reports whether the words are a heading of a column of numbers, or what it is a
// kind of, that the figure is not made of: sales, where there are bar sales.
func (a *account) isHeadingOfOther(m link.Mention, used []schema.Column) bool {
	head := a.Tokens[m.To-1].Lemma
	isOther := func(c schema.Column) bool {
		isUsed := slices.ContainsFunc(used, func(u schema.Column) bool { return u.Heading == c.Heading })
		same, ok := plan.MetricOf(c.Role)
		return c.Type == schema.Number && !isUsed && !(ok && same == m.Metric) && !slices.Contains(ownRoles, c.Role) && headOf(c.Heading) == head
	}
	return slices.ContainsFunc(a.s.Columns, isOther)
}

// ownRoles are those of columns that only the shop's own stock has, whose headings are ours.
var ownRoles = []schema.Role{schema.SoldLately, schema.StockDays, schema.LastSold}

// headOf returns the lemma of what a heading is a kind of, its last word but for units and
// currencies; "" if it has none.
func headOf(heading string) string {
	before, _, _ := strings.Cut(link.Spaced(heading), "(")
	words := strings.Fields(strings.ToLower(before))
	for _, w := range slices.Backward(words) {
		if w = strings.Trim(w, ".,:£$€%#"); len(w) > 2 && !slices.Contains(units, w) {
			return english.Lemma(w)
		}
	}
	return ""
}

// units are words at the end of headings that say in what the numbers are.
var units = []string{"usd", "gbp", "eur", "aud", "cad", "mins", "hrs", "lbs"}

// isWhole reports whether the words are the whole heading of a column that the figure is made of.
func (a *account) isWhole(m link.Mention, used []schema.Column) bool {
	return slices.ContainsFunc(a.Links, func(o link.Mention) bool {
		return o.Kind == link.Column && o.How == link.Exact && o.From == m.From && o.To == m.To && slices.ContainsFunc(used, func(c schema.Column) bool { return c.Heading == o.Column.Heading })
	})
}

// lesser are words of headings of amounts that are no takings: a part of them, a price of one, or
// what was meant to be.
var lesser = []string{
	"cost", "tax", "vat", "gst", "ship", "freight", "postage", "delivery", "discount", "deposit", "tip", "refund", "price", "rate", "rrp", "budget", "target", "insurance", "late", "damage", "parts", "material",
	"profit", "margin", "each", "unit", "per", "fee", "bar", "spend", "ad", "duty", "credit", "comm", "labour", "labor", "mats", "cash", "card",
}

// hasRivalAmount reports whether the source has two columns of amounts that may be what was taken:
// what was charged and what was paid, or net and gross.
func (a *account) hasRivalAmount(have plan.Measure) bool {
	if have.Metric != plan.Revenue && have.Metric != plan.Gross {
		return false
	}
	rivals := 0
	for _, c := range a.s.Columns {
		heading := strings.ToLower(c.Heading)
		isLesser := c.Role != schema.Revenue && slices.ContainsFunc(lesser, func(w string) bool { return strings.Contains(heading, w) })
		ofRole := slices.Contains([]schema.Role{schema.None, schema.Revenue, schema.Gross, schema.Paid}, c.Role)
		if c.Type == schema.Number && c.Unit == schema.Money && ofRole && !isLesser {
			rivals++
		}
	}
	return rivals > 1 || a.hasOpenStates()
}

// openStates are words of states in which it is not known whether a sale was paid, or ever will be.
var openStates = append([]string{"did not", "missed", "pending", "hold", "process", "progress", "draft", "quote", "open", "unpaid", "await", "late", "postpone", "dispute", "reserve", "return"}, plan.MissedStates...)

// hasOpenStates reports whether a column of states, of which the plan chooses none, has sales of
// which two people would take one for taken and the other not.
func (a *account) hasOpenStates() bool {
	isOpen := func(v string) bool {
		v = strings.NewReplacer("-", " ", "_", " ").Replace(strings.ToLower(v))
		return slices.ContainsFunc(openStates, func(w string) bool { return strings.Contains(v, w) })
	}
	return slices.ContainsFunc(a.s.Columns, func(c schema.Column) bool {
		tells := c.Role == schema.Status || slices.ContainsFunc(a.s.Reversals, func(r schema.Reversal) bool { return r.Column == c.Heading })
		isChosen := slices.ContainsFunc(a.filters(), func(f plan.Filter) bool { return f.Column == c.Heading })
		isGroup := slices.ContainsFunc(a.p.By, func(d plan.Dimension) bool { return d.Column == c.Heading })
		return tells && !isChosen && !isGroup && slices.ContainsFunc(c.Values, isOpen)
	})
}

// countsUnsure reports whether orders are counted by rows, since no column tells them apart, and the
// words are none for any row of sales.
func (a *account) countsUnsure(m link.Mention, have plan.Measure) bool {
	_, ordered := a.s.ByRole(schema.Order)
	last := a.Tokens[m.To-1].Lemma
	return have.Metric == plan.Orders && !ordered && !slices.Contains([]string{"sale", "order", "transaction", "purchase", "busy"}, last)
}

// leavesOut reports whether a figure other than a sum of money leaves out rows that were cancelled or
// refunded, of which the question says nothing: two people would take them apart.
func (a *account) leavesOut(have plan.Measure) bool {
	isOfSales := !a.dividesByReturns(have) && slices.Contains([]plan.Metric{plan.Revenue, plan.Gross, plan.Profit, plan.Margin, plan.Cost, plan.Refunds, plan.CancelledOrders, plan.CancellationRate, plan.Cancellations}, have.Metric)
	if isOfSales {
		return false
	}
	return a.hasReversals() || a.p.CountsBookings(a.Source)
}

// dividesByReturns reports whether an average is by orders, of which rows that take a sale back may be
// some.
func (a *account) dividesByReturns(have plan.Measure) bool {
	return have.Per == plan.PerOrder && slices.ContainsFunc(a.s.Reversals, func(r schema.Reversal) bool { return r.Kind == schema.Return && r.Rows > 0 && !r.Unused })
}

// hasReversals reports whether rows were cancelled or refunded, of which the plan does not choose
// some.
func (a *account) hasReversals() bool {
	return slices.ContainsFunc(a.s.Reversals, func(r schema.Reversal) bool {
		isChosen := slices.ContainsFunc(a.p.Where, func(f plan.Filter) bool { return f.Column == r.Column })
		return r.Rows > 0 && !r.Unused && !isChosen
	})
}
