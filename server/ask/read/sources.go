package read

import (
	"context"
	"slices"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// lexiconsFor returns the sources that a question may be about: without the purchases if
// it is about sales; if it is about suppliers without the sales, and without the shop's stock
// or the purchases.
func (r *Reader) lexiconsFor(ctx context.Context, q *words) []*lexicon {
	i := slices.IndexFunc(r.lexicons, func(x *lexicon) bool { return x.source.Kind == schema.Purchases })
	if i < 0 {
		return r.lexicons
	}
	isLeft := func(s schema.Source) bool { return s.Kind == schema.Purchases }
	if r.namesCustomer(ctx, q) {
		return r.without(isLeft)
	}
	if r.lexicons[i].asksPurchases(ctx, q) || r.asksDeliveries(ctx, q) {
		isLeft = func(s schema.Source) bool {
			return s.Kind == schema.Sales || s.Kind == schema.Customers || s.ID == shopStock
		}
		if r.asksStock(ctx, q) {
			isLeft = func(s schema.Source) bool { return s.Kind == schema.Sales || s.Kind == schema.Purchases }
		}
	}
	return r.without(isLeft)
}

// without returns the lexicons of other sources than some, or all if there are no others.
func (r *Reader) without(isLeft func(schema.Source) bool) []*lexicon {
	kept := slices.DeleteFunc(slices.Clone(r.lexicons), func(x *lexicon) bool { return isLeft(x.source) })
	if len(kept) == 0 {
		return r.lexicons
	}
	return kept
}

// namesCustomer reports whether a question names a customer of any source, who buys from the shop.
func (r *Reader) namesCustomer(ctx context.Context, q *words) bool {
	return slices.ContainsFunc(r.lexicons, func(x *lexicon) bool {
		return slices.ContainsFunc(q.over(ctx, x), func(m link.Mention) bool {
			return m.Kind == link.Value && m.How == link.Exact && m.Column.Role == schema.Customer
		})
	})
}

// asksDeliveries reports whether a question is about goods that come in, and not about something that a source
// calls a delivery or what customers pay for one.
func (r *Reader) asksDeliveries(ctx context.Context, q *words) bool {
	i := slices.IndexFunc(q.tokens, func(t link.Token) bool { return slices.Contains(deliveries, t.Text) })
	if i < 0 {
		return false
	}
	isOther := func(m link.Mention) bool {
		isCalled := m.Kind == link.Value || m.Kind == link.Column || m.Kind == link.Metric && m.Metric != plan.LastDay
		return m.From <= i && i < m.To && m.How == link.Exact && isCalled
	}
	return !slices.ContainsFunc(r.lexicons, func(x *lexicon) bool { return slices.ContainsFunc(q.over(ctx, x), isOther) })
}

// asksStock reports whether a question that names a supplier is about what there is of their
// goods, and not about what was bought: what to order from them. Money spent on stock is not.
func (r *Reader) asksStock(ctx context.Context, q *words) bool {
	i := slices.IndexFunc(r.lexicons, func(x *lexicon) bool { return x.source.ID == shopStock })
	isSpent := hasAny(q.tokens, "spend", "spent", "bought") || hasAny(q.tokens, "did") && hasAny(q.tokens, "buy")
	return i >= 0 && !isSpent && slices.ContainsFunc(q.over(ctx, r.lexicons[i]), func(m link.Mention) bool {
		isState := m.Kind == link.State && (m.Sense == "lowstock" || m.Sense == "soldout")
		return isState || m.Kind == link.Metric && slices.Contains([]plan.Metric{plan.StockUnits, plan.StockValue, plan.Cover}, m.Metric)
	})
}

// Words of selling and buying. Those of buying may also be about customers.
var (
	sellingWords = []string{"sell", "selling", "seller", "sold", "sale", "revenue", "turnover", "taking", "profit", "margin", "basket"}
	supplyWords  = []string{"supplier", "wholesaler", "purchase", "procurement"}
	buyingWords  = []string{"buy", "buying", "bought", "purchased", "purchasing", "spend", "spending", "spent", "pay", "paid", "order", "ordered"}
	ownerWords   = []string{"we", "i", "us", "our", "my"}
	boughtWords  = []string{"bought", "purchased"}
	deliveries   = []string{"delivery", "deliveries", "shipment", "shipments"}
)

// ownersBuy reports whether the shop is the subject of a verb of buying: what did we order.
func ownersBuy(tokens []link.Token) bool {
	for i, t := range tokens[:max(0, len(tokens)-1)] {
		if (t.Text == "we" || t.Text == "i") && slices.Contains([]string{"order", "buy", "purchase"}, tokens[i+1].Lemma) {
			return true
		}
	}
	return false
}

// asksPurchases reports whether a question is about what the shop buys, and not about what
// customers buy.
func (x *lexicon) asksPurchases(ctx context.Context, q *words) bool {
	has := func(words []string) bool {
		return slices.ContainsFunc(q.tokens, func(t link.Token) bool { return slices.Contains(words, t.Text) || slices.Contains(words, t.Lemma) })
	}
	mentions := q.over(ctx, x)
	names := func(r schema.Role) bool {
		return slices.ContainsFunc(mentions, func(m link.Mention) bool {
			return m.Kind == link.Dim && m.Role == r || m.Kind == link.Value && m.How == link.Exact && m.Column.Role == r
		})
	}
	ranked := slices.ContainsFunc(mentions, func(m link.Mention) bool { return m.Kind == link.Rank })
	switch {
	case has(sellingWords) || names(schema.Customer):
		return false
	case has(supplyWords) || names(schema.Supplier):
		return true
	case has([]string{"who"}):
		return false
	case ownersBuy(q.tokens):
		return true
	case has([]string{"order"}) && !has([]string{"place", "placed", "ordered"}):
		return false
	}
	return has(buyingWords) && has(ownerWords) || has(boughtWords) && !ranked
}
