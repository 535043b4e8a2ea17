package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/schema"
)

// What to reorder: products low on stock, the most urgent first, without those that are
// discontinued.

// shopStock is the id of the source with the shop's own items.
const shopStock = "shop_stock"

// readLowStock restricts the rows to those low on stock.
func (b *builder) readLowStock(m mark) error {
	stock, hasStock := b.heading(schema.Stock)
	reorder, hasReorder := b.heading(schema.Reorder)
	switch {
	case !hasStock:
		return b.missingRole(schema.Stock)
	case len(b.s.bounds) > 0:
		return nil
	case !hasReorder:
		return b.missingRole(schema.Reorder)
	}
	b.p.Where = addFilter(b.p.Where, plan.Filter{Column: stock, Op: b.reorderOp(), Other: reorder})
	if b.isToOrder(m) {
		b.leaveOutDiscontinued()
	}
	return nil
}

// reorderOp compares the stock of what is to be ordered with its reorder point. The shop's own
// items are low at their point (K8); a file's level is taken as the stock that is enough.
func (b *builder) reorderOp() plan.Op {
	if b.x.source.ID == shopStock || b.phraseOf("at or below", "at or under", "at or less", "on or below", "at minimum", "at min", "at reorder level", "at reorder point") {
		return plan.AtMost
	}
	return plan.Less
}

// readShortfall reads how many units bring everything back up to its reorder level: what the stock
// lacks of it, of what is below it.
func (b *builder) readShortfall() error {
	stock, hasStock := b.heading(schema.Stock)
	reorder, hasReorder := b.heading(schema.Reorder)
	isLevel := func(f *figure) bool { return f != nil && f.column != nil && f.column.Role == schema.Reorder }
	names := slices.ContainsFunc(b.s.bounds, func(o bound) bool { return isLevel(o.other) }) || slices.ContainsFunc(b.s.figures, func(f figure) bool { return isLevel(&f) })
	ofThings := slices.ContainsFunc(b.s.counts, func(n count) bool { return n.name != nil || n.figure != nil && n.figure.metric == plan.Rows })
	asks := b.s.has("howmany", "howmuch") || len(b.s.counts) > 0
	if !hasStock || !hasReorder || !names || ofThings || !asks || b.s.rank != nil || b.x.source.Kind != schema.Stocklist || !b.hasWord("up", "back", "reach", "short", "shortfall", "missing") {
		return nil
	}
	for i, t := range b.tokens {
		if t.Unit == "" {
			b.taken[i] = b.taken[i] || !slices.Contains(negations, t.Text)
		}
	}
	b.s.figures, b.s.counts, b.s.bounds, b.s.names = nil, nil, nil, nil
	b.s.groups, _ = cut(b.s.groups, func(g group) bool { return g.role != schema.Product }) // of every product
	b.s.marks, _ = cut(b.s.marks, func(m mark) bool {
		return !slices.Contains([]link.Sense{"more", "row", "lowstock", "howmany", "refund", "sell", "buy"}, m.sense) // bring back up
	})
	b.s.pair = plan.Difference
	b.addMeasure(plan.Measure{Metric: plan.Sum, Column: reorder})
	b.addMeasure(plan.Measure{Metric: plan.StockUnits})
	b.p.Where = addFilter(b.p.Where, plan.Filter{Column: stock, Op: plan.Less, Other: reorder})
	return nil
}

// isToOrder reports whether words for low stock ask what to order, and not only what is low.
func (b *builder) isToOrder(m mark) bool {
	words := b.tokens[m.from:m.to]
	return slices.ContainsFunc(words, func(t link.Token) bool {
		return slices.Contains([]string{"order", "reorder", "restock", "replenish"}, t.Lemma)
	}) && !slices.ContainsFunc(words, func(t link.Token) bool { return t.Lemma == "level" || t.Lemma == "point" })
}

// suppliesOrder reports whether a name is of the supplier whom things are to be ordered from.
func (b *builder) suppliesOrder(n name) bool {
	m := b.s.find("lowstock")
	return m != nil && n.role == schema.Supplier && b.isToOrder(*m)
}

// splitOrder puts the supplier beside each product in a list of what to order that names
// suppliers and none of them.
func (b *builder) splitOrder() {
	m, h := b.s.find("lowstock"), ""
	if m == nil || !b.isToOrder(*m) || b.p.Count {
		return
	}
	for _, n := range b.s.names {
		if b.suppliesOrder(n) {
			h = n.column.Heading
		}
	}
	for _, g := range b.s.groups {
		if b.suppliesOrder(g.name) && g.word != "which" {
			h = g.column.Heading
		}
	}
	if product, ok := b.productHeading(); ok && h != "" {
		b.p.By = []plan.Dimension{{Column: h}, {Column: product}}
	}
}

// Words for what is no longer ordered, in the headings of flags and in the values of states.
var discontinued = []string{"discontinued", "delisted", "obsolete", "retired", "archived", "inactive"}

// isDiscontinued reports whether a column of yes and no says what is no longer ordered. Its heading
// may be cut short: Disc.
func isDiscontinued(c schema.Column) bool {
	return isFlag(c) && slices.ContainsFunc(strings.Fields(strings.ToLower(link.Spaced(c.Heading))), isEndWord)
}

// isEndWord reports whether a word, which may be abbreviated, means that goods are discontinued.
func isEndWord(w string) bool {
	const least = 4
	w = strings.Trim(w, ".?()")
	return len(w) >= least && slices.ContainsFunc(discontinued, func(d string) bool { return strings.HasPrefix(d, w) })
}

// leaveOutDiscontinued leaves out the products that a column says are discontinued, unless the
// question speaks of that column itself.
func (b *builder) leaveOutDiscontinued() {
	for _, c := range b.x.source.Columns {
		if slices.ContainsFunc(b.s.where, func(f cond) bool { return f.Column == c.Heading }) {
			continue
		}
		var out []string
		switch {
		case isDiscontinued(c):
			out = []string{yesOf(c)}
		case c.Type == schema.Text && c.Role != schema.Product && c.Role != schema.SKU:
			for _, v := range c.Values {
				if slices.Contains(discontinued, strings.ToLower(v)) {
					out = append(out, v)
				}
			}
		}
		if len(out) > 0 {
			f := plan.Filter{Column: c.Heading, Op: plan.NotIn, Values: out}
			b.p.Where, b.implied = addFilter(b.p.Where, f), append(b.implied, f)
			b.note("Discontinued products are left out.")
		}
	}
}

// orderByUrgency puts the most urgent first in a list of what is low on stock: the fewest days
// of cover if the sales are known, else the least stock for its reorder point.
func (b *builder) orderByUrgency() error {
	reorder, hasReorder := b.heading(schema.Reorder)
	isLow := slices.ContainsFunc(b.p.Where, func(f plan.Filter) bool { return f.Other == reorder && f.Op == b.reorderOp() })
	if !b.s.has("lowstock") || !hasReorder || !isLow || len(b.p.By) == 0 || b.p.Count || b.s.rank != nil || b.s.has("ascending", "descending") ||
		!slices.EqualFunc(b.p.Measures, []plan.Measure{{Metric: plan.StockUnits}}, plan.Measure.Equal) {
		return nil
	}
	point := b.addMeasure(plan.Measure{Metric: plan.Sum, Column: reorder})
	b.addIfGiven(plan.OnOrder)
	b.p.Order = plan.Lowest
	if b.x.can(plan.Cover) {
		b.p.OrderBy = b.addMeasure(plan.Measure{Metric: plan.Cover})
		return nil
	}
	b.p.Derived = []plan.Derived{{Kind: plan.ShareOf, Of: 0, And: point}}
	b.p.OrderBy = len(b.p.Measures)
	return nil
}

// stockPeriod reads the period of a question on the state of the stock, which is known of now
// only: a period of today changes nothing, another cannot be looked at.
func (b *builder) stockPeriod(s when.Span) (isOfStock bool, err error) {
	day, own := b.x.source.ByRole(schema.LastSold)
	isOfStock = b.s.has("lowstock", "soldout") ||
		own && b.x.day != nil && b.x.day.Heading == day.Heading && !b.s.has("sell", "unsold", "never") && slices.ContainsFunc(b.s.figures, func(f figure) bool {
			return f.metric == plan.StockUnits || f.metric == plan.StockValue || f.metric == plan.OnOrder
		})
	isFigure := slices.ContainsFunc(b.s.figures, func(f figure) bool {
		return f.metric == plan.StockValue || f.metric == plan.RetailValue || f.metric == plan.StockUnits
	})
	isOfStock = isOfStock || isFigure && s.From.Equal(b.now.Today) && s.To.Equal(b.now.Today) && b.day != nil && !b.x.tellsOf(b.day, b.tokens)
	isNow := !s.From.After(b.now.Today) && !s.To.Before(b.now.Today)
	switch {
	case !isOfStock:
		return false, nil
	case isNow && b.x.day == nil:
		b.cost -= costNoDays // the period needs none
		return true, nil
	case isNow:
		return true, nil
	}
	return true, b.refuse(Outside, "The stock is known as it is now: what it was or will be %s is not kept, so that cannot be looked at. Ask without the date for the stock of now.", withPreposition(s.Plan(b.now).Words))
}
