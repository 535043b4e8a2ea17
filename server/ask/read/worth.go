package read

import (
	"slices"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// What the shop pays or takes for the goods of a list as a whole: what all that is on order costs, what it costs to
// bring the stock back up to its reorder levels, and what is taken if all of it is sold.

// readShelfMoney reads these questions, whose words for what happens then name no figure by themselves.
func (b *builder) readShelfMoney() error {
	if b.x.source.Kind != schema.Stocklist || b.s.rank != nil && !(b.s.rank.text == "top" && b.hasWord("up")) || b.s.fold != "" || b.s.has("howmany", "list") || b.wordAt(0, "which") || b.hasWord("average", "avg", "mean") {
		return nil
	}
	switch stock, _ := b.heading(schema.Stock); {
	case b.sellsAll():
		profit := b.hasWord("profit", "margin")
		b.takeShelf(plan.RetailValue)
		b.s.figures[0].column = b.offered()
		if profit && plan.StockValuedAt(b.x.source) == "at cost" {
			b.s.figures = append(b.s.figures, figure{span: b.s.figures[0].span, metric: plan.StockValue, text: plan.StockValue.Title()})
			b.s.pair = plan.Difference
		}
	case !b.hasWord("cost", "costs", "costing") || b.s.has("if"):
	case b.topsUp():
		reorder, _ := b.heading(schema.Reorder)
		b.takeShelf(plan.TopUpCost)
		b.p.Where = addFilter(b.p.Where, plan.Filter{Column: stock, Op: plan.Less, Other: reorder})
	case len(b.s.bounds) == 0 && slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.metric == plan.OnOrder && f.plain() }) && b.x.can(plan.OnOrderValue):
		b.takeShelf(plan.OnOrderValue)
	}
	return nil
}

// sellsAll reports whether the question supposes that all goods are sold: if we sold the lot.
func (b *builder) sellsAll() bool {
	m := b.s.find("if")
	isOther := func(f figure) bool {
		return f.column != nil && f.column.Role != schema.Price || slices.Contains([]plan.Metric{plan.StockValue, plan.Cost}, f.metric)
	}
	if m == nil || !b.x.can(plan.RetailValue) || len(b.s.numbers) > 0 || slices.ContainsFunc(b.s.figures, isOther) {
		return false // at cost, at trade price
	}
	says := func(words ...string) bool {
		return slices.ContainsFunc(b.tokens[m.to:], func(t link.Token) bool { return slices.Contains(words, t.Text) })
	}
	return says("sell", "sold", "sells", "went", "go", "goes", "shifted") && says("lot", "everything", "all", "every", "whole")
}

// offered returns the price for which the goods that are asked for sell now, if they are those on offer; else nil.
func (b *builder) offered() *schema.Column {
	offer := b.x.offerColumn()
	if offer == nil || offer.Type != schema.Number || !slices.ContainsFunc(b.s.where, func(f cond) bool { return f.Column == offer.Heading && f.Op == plan.Filled }) {
		return nil
	}
	return offer
}

// topsUp reports whether the stock is to be brought back up to its reorder level.
func (b *builder) topsUp() bool {
	isLevel := func(f *figure) bool { return f != nil && f.column != nil && f.column.Role == schema.Reorder }
	names := slices.ContainsFunc(b.s.bounds, func(o bound) bool { return isLevel(o.other) || isLevel(o.of) }) || slices.ContainsFunc(b.s.figures, func(f figure) bool { return isLevel(&f) }) ||
		slices.ContainsFunc(b.s.names, func(n name) bool { return n.role == schema.Reorder })
	return (names || b.s.has("lowstock")) && b.hasWord("up", "back", "top", "topping", "restock", "replenish", "refill") && b.x.can(plan.TopUpCost)
}

// takeShelf makes the money of all goods, or of those of some values, the only figure of a question.
func (b *builder) takeShelf(metric plan.Metric) {
	at := span{0, 1}
	if len(b.s.figures) > 0 {
		at = b.s.figures[0].span
	}
	b.s.figures, b.s.counts, b.s.bounds, b.s.pair, b.s.per = []figure{{span: at, metric: metric, text: metric.Title()}}, nil, nil, "", nil
	b.s.names, b.s.rank = nil, nil
	b.s.groups, _ = cut(b.s.groups, func(g group) bool {
		return slices.Contains([]string{"by", "per", "each"}, g.word) && g.role != schema.Product
	})
	b.s.marks = nil
	b.guessed = true
	for _, i := range b.s.unused {
		b.taken[i] = b.taken[i] || b.wordAt(i, "up", "back", "top", "everything", "all", "lot", "every", "last", "single", "thing", "going", "go", "sell", "sold", "will", "be", "me", "us", "bring", "get", "in")
	}
}
