package read

import (
	"slices"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// sellsOfKind reports whether the names of what is sold of a kind are asked for: what cakes do we sell.
func (b *builder) sellsOfKind() bool {
	asks := b.wordAt(0, "what", "which") && b.phraseOf("do we sell", "did we sell", "do i sell", "do you sell") && len(b.s.where) > 0 && b.s.where[0].from <= 1
	return asks && !b.s.has("money", "howmuch", "howmany") && len(b.s.figures)+len(b.s.counts)+len(b.p.By) == 0 && b.s.rank == nil
}

// countRather counts the rows of a question for how many that names an amount of money: how many paid with a
// voucher.
func (b *builder) countRather() error {
	if !b.s.has("howmany") || len(b.p.Measures) != 1 || b.p.List != nil || len(b.p.Having)+len(b.p.Derived) > 0 {
		return nil
	}
	m := b.p.Measures[0]
	c, ok := plan.Column(b.x.source, m.Column)
	if ok && m.Metric == plan.Sum && c.Unit == schema.Money && c.Role == schema.Paid && m.Per == "" && !m.Restricted() {
		b.p.Measures[0] = plan.Measure{Metric: b.x.counted()}
	}
	isLong := func(f plan.Filter) bool { return f.Op == plan.Before }
	if b.x.source.Kind == schema.Stocklist && m.Equal(plan.Measure{Metric: plan.StockUnits}) && slices.ContainsFunc(b.p.Where, isLong) && !b.hasWord("stock", "units", "left", "hand") {
		b.p.Measures[0] = plan.Measure{Metric: plan.Rows} // how many have not been ordered since March
	}
	return nil
}

// cameIn are the words of headings of days on which goods came in, comingIn those of questions.
var (
	cameIn   = []string{"in", "received", "rcvd", "recd", "delivered", "delivery", "deliv", "del", "arrived", "added", "bought", "purchased"}
	comingIn = []string{"come in", "came in", "get in", "got in", "arrive", "arrived", "delivered", "be delivered", "come", "get it", "get them", "buy", "bought"}
)

// readCameIn reads when some goods of a list came in: when did the hamster bedding last come in.
func (b *builder) readCameIn() error {
	ofGoods := func(f plan.Filter) bool {
		c, ok := plan.Column(b.x.source, f.Column)
		return ok && (c.Role == schema.Product || c.Role == schema.SKU) && f.Op == plan.In
	}
	day := slices.IndexFunc(b.x.source.Columns, func(c schema.Column) bool { return isDay(&c) && hasWord(c.Heading, cameIn...) })
	if b.x.source.Kind != schema.Stocklist || day < 0 || !b.s.has("when") || !b.phraseOf(comingIn...) || !slices.ContainsFunc(b.p.Where, ofGoods) {
		return nil
	}
	b.p.Measures, b.p.By, b.p.List, b.p.Order, b.p.Limit = []plan.Measure{{Metric: plan.LastDay}}, nil, nil, "", 0
	b.p.On = b.x.source.Columns[day].Heading
	b.note("The days are those of " + b.p.On + ".")
	for i, t := range b.tokens {
		if t.Text == "when" || t.Text == "last" {
			b.taken[i] = true
		}
	}
	return nil
}

// refuseTimeOfSpent refuses when clients spent what a list of them has in all: takings for September.
func (b *builder) refuseTimeOfSpent() error {
	inTime := func(f plan.Filter) bool {
		c, ok := plan.Column(b.x.source, f.Column)
		return ok && isDay(&c) && f.Op != plan.Blank && f.Op != plan.Filled
	}
	if b.x.source.Kind != schema.Customers || b.x.earned == nil || len(b.p.Measures) == 0 || b.p.Measures[0].Column != b.x.earned.Heading || b.hasWord("visited", "visit", "joined", "came", "last", "who", "those") {
		return nil
	}
	if b.p.Period != nil || slices.ContainsFunc(b.p.Where, inTime) {
		return b.refuse(Missing, "%s in %s does not say on which day, so this cannot be answered.", b.x.earned.Heading, b.x.source.Name)
	}
	return nil
}

// refuseSales refuses what was sold of a list of what the shop buys.
func (b *builder) refuseSales() error {
	ofCost := len(b.p.Measures) > 0 && b.p.Measures[0].Metric == plan.Cost
	sells := b.hasWord("takings", "sales", "revenue", "turnover", "till") || b.hasWord("take", "took", "taken", "sell", "sold") && !b.hasWord("spend", "spent", "spending", "pay", "paid", "buy", "bought", "purchase", "purchases", "cost", "costs")
	if b.x.source.Kind == schema.Purchases && ofCost && sells {
		return b.refuse(Missing, "%s holds what was bought, and not what was sold, so this cannot be answered.", b.x.source.Name)
	}
	return nil
}

// refuseThen refuses what a list was worth on other days: it holds what there is now.
func (b *builder) refuseThen() error {
	isThen := b.phraseOf("this time last year", "this time last month", "a year ago", "a month ago", "last year", "last month", "last week", "same time last year") && b.hasWord("was", "were", "did", "had")
	ofStock := len(b.p.Measures) > 0 && slices.Contains([]plan.Metric{plan.StockUnits, plan.StockValue, plan.RetailValue}, b.p.Measures[0].Metric)
	inTime := func(f plan.Filter) bool { c, ok := plan.Column(b.x.source, f.Column); return ok && isDay(&c) }
	if b.x.source.Kind == schema.Stocklist && isThen && ofStock && !slices.ContainsFunc(b.p.Where, inTime) && b.p.On == "" {
		return b.refuse(Missing, "%s holds what there is now, and not what there was on other days, so this cannot be answered.", b.x.source.Name)
	}
	return nil
}

// clientFigure returns the column by which clients of a list are ranked where no figure is named: how often they came,
// or what they spent in all; nil if there is none.
func (b *builder) clientFigure() *schema.Column {
	if b.x.source.Kind != schema.Customers || len(b.s.figures) > 0 || b.s.rank.column != nil || b.s.rank.attribute != "" {
		return nil
	}
	if b.hasWord("times", "often", "regular", "regularly", "regulars", "frequent", "frequently") {
		i := slices.IndexFunc(b.x.source.Columns, func(c schema.Column) bool {
			return c.Type == schema.Number && c.Unit != schema.Money && hasWord(c.Heading, "visits", "bookings", "sessions", "appointments", "orders", "stays", "classes", "lessons")
		})
		if i < 0 {
			return nil
		}
		return &b.x.source.Columns[i]
	}
	if b.hasWord("spender", "spenders", "spend", "spends", "spent", "best", "biggest", "top", "valuable") {
		return b.x.earned
	}
	return nil
}

// visitsOf returns the column of a list of people that counts what a word names, such as their visits, or nil.
func (c *chart) visitsOf(m link.Mention) *schema.Column {
	if c.x.source.Kind != schema.Customers || m.To != m.From+1 || !c.plural(m.To) {
		return nil
	}
	i := slices.IndexFunc(c.x.source.Columns, func(col schema.Column) bool {
		return col.Type == schema.Number && col.Unit != schema.Money && hasWord(col.Heading, c.tokens[m.From].Text)
	})
	if i < 0 {
		return nil
	}
	return &c.x.source.Columns[i]
}
