package read

import (
	"slices"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// lexiconsFor returns the sources that a question may be about: without the purchases if
// it is about sales, and without the sales if it is about what was bought from suppliers.
func (r *Reader) lexiconsFor(question string) []*lexicon {
	i := slices.IndexFunc(r.lexicons, func(x *lexicon) bool { return x.source.Kind == schema.Purchases })
	if i < 0 {
		return r.lexicons
	}
	other := schema.Purchases
	if r.lexicons[i].asksPurchases(tokens(question)) {
		other = schema.Sales
	}
	kept := slices.DeleteFunc(slices.Clone(r.lexicons), func(x *lexicon) bool { return x.source.Kind == other })
	if len(kept) == 0 {
		return r.lexicons
	}
	return kept
}

// Words of selling and buying. Those of buying may also be about customers.
var (
	sellingWords = []string{"sell", "selling", "seller", "sold", "sale", "revenue", "turnover", "taking", "profit", "margin"}
	supplyWords  = []string{"supplier", "wholesaler", "purchase", "procurement"}
	buyingWords  = []string{"buy", "buying", "bought", "purchased", "purchasing", "spend", "spending", "spent", "pay", "paid", "order", "ordered"}
	ownerWords   = []string{"we", "weve", "i", "ive", "us", "our", "my"}
	boughtWords  = []string{"bought", "purchased"}
)

// asksPurchases reports whether a question is about what the shop buys, and not about what
// customers buy.
func (x *lexicon) asksPurchases(ts []token) bool {
	r := &reading{x: x, ts: ts}
	r.markAll()
	has := func(words []string) bool {
		return slices.ContainsFunc(ts, func(t token) bool { return slices.Contains(words, t.text) || slices.Contains(words, t.stem) })
	}
	if has(sellingWords) || r.has(who, perOrder) || r.namesRole(schema.Customer) {
		return false
	}
	if has(supplyWords) || r.namesRole(schema.Supplier) {
		return true
	}
	if has([]string{"order"}) && !has([]string{"place", "placed", "ordered"}) {
		return false
	}
	return has(buyingWords) && has(ownerWords) || has(boughtWords) && !r.has(bestSeller, worstSeller)
}

// namesRole reports whether a question has a word for a role, or a value of its column.
func (r *reading) namesRole(role schema.Role) bool {
	return slices.ContainsFunc(r.marks, func(m mark) bool {
		return m.kind == dim && m.role == role || m.kind == value && !m.loose && r.x.source.Columns[m.column].Role == role
	})
}

// resolvePurchases reads "purchases" as their cost, unless they are counted.
func (r *reading) resolvePurchases() {
	if r.x.source.Kind != schema.Purchases || r.has(howMany) {
		return
	}
	for i := range r.marks {
		m := &r.marks[i]
		if m.kind == metric && m.metric == plan.StockUnits && r.has(sell) {
			m.kind = harmless // as in "stock that was bought"
		}
		if m.kind == metric && m.metric == plan.Orders && (m.text == "purchases" || m.text == "purchase") {
			m.metric = plan.Cost
		}
	}
}
