package read

import (
	"fmt"
	"slices"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// ordersWorth makes the value of purchase orders what they cost in all, unless a mean is asked for: order
// value by supplier.
func (b *builder) ordersWorth() error {
	if b.x.source.Kind != schema.Purchases || b.s.fold == "mean" || b.saysMean() {
		return nil
	}
	for i, f := range b.s.figures {
		if f.metric == plan.Revenue && f.per == plan.PerOrder && (f.fold == "" || f.fold == "sum") && b.x.can(plan.Cost) {
			b.s.figures = slices.Clone(b.s.figures)
			b.s.figures[i].metric, b.s.figures[i].per = plan.Cost, ""
		}
	}
	return nil
}

// saysMean reports whether a word for an average is in the question, whatever its spelling.
func (b *builder) saysMean() bool {
	for i := range b.tokens {
		if slices.Contains([]string{"average", "avg", "mean", "typical", "usual"}, b.corrected(i).Text) {
			return true
		}
	}
	return false
}

// deliveredShort adds the condition that less came than was ordered, by two columns of numbers.
func (c *chart) deliveredShort(m link.Mention, cost float64) {
	ordered, ok := c.x.source.ByRole(schema.Quantity)
	i := slices.IndexFunc(c.x.source.Columns, func(o schema.Column) bool {
		return o.Type == schema.Number && o.Unit != schema.Money && o.Heading != ordered.Heading && hasWord(o.Heading, "received", "recd", "rcvd", "delivered", "in")
	})
	if !ok || i < 0 {
		return
	}
	at := span{m.From, m.To}
	f := plan.Filter{Column: c.x.source.Columns[i].Heading, Op: plan.Less, Other: ordered.Heading}
	c.add(m.From, m.To, valueCat, cost, sketch{where: []cond{{span: at, Filter: f, text: c.text(m.From, m.To)}}})
}

// spendingVerbs are those of a shop that buys.
var spendingVerbs = []string{"spend", "spent", "spending", "buy", "bought", "buying", "purchase", "purchased", "purchases", "pay", "paid", "cost", "costs"}

// skipStock ignores "stock" in a question about spending over purchases, since every purchase is stock.
func (c *chart) skipStock() {
	if c.x.source.Kind != schema.Purchases || !c.hasWord(spendingVerbs...) {
		return
	}
	for i, t := range c.tokens {
		if t.Text != "stock" && t.Text != "inventory" {
			continue
		}
		from := i
		if i > 0 && c.tokens[i-1].Text == "on" {
			from--
		}
		c.clear(i, i+1)
		c.skip(from, i+1)
	}
}

// readComing takes days to come for those of a column that tells of what is to come, such as when
// deliveries are due: the days of the rows are over.
func (b *builder) readComing() error {
	if len(b.s.periods) != 1 || !b.s.periods[0].Ahead || b.s.periods[0].From.Before(b.now.Today) {
		return nil
	}
	due := b.x.dayOf(dueWords, nil)
	for i := range b.x.source.Columns { // check-outs, collections
		c := &b.x.source.Columns[i]
		isSaid := isDay(c) && c.Role != schema.Day && b.x.tellsOf(c, b.tokens) && !b.isMade(c)
		if isSaid && (due == nil || !b.x.tellsOf(due, b.tokens)) {
			due = c
		}
	}
	isDue := func(n name) bool {
		return n.column != nil && due != nil && n.column.Heading == due.Heading
	}
	at := slices.IndexFunc(b.s.names, isDue)
	isMeant := b.hasWord("due", "expected", "expecting", "expect", "coming", "arriving") && !b.now.Last.After(b.now.Today)
	if due == nil || due.Role == schema.Day || at < 0 && !isMeant && !b.x.tellsOf(due, b.tokens) {
		return nil
	}
	days := span{0, 1}
	if len(b.s.days) > 0 {
		days = b.s.days[0]
	}
	b.s.where = join(b.s.where, withinDays(b.s.periods[0], cond{span: days, Filter: plan.Filter{Column: due.Heading}, role: due.Role, text: b.text(days.from, days.to)}))
	slices.SortStableFunc(b.s.where, func(x, y cond) int { return x.from - y.from })
	b.s.names = slices.DeleteFunc(slices.Clone(b.s.names), isDue)
	b.s.periods, b.s.days, b.relative = nil, nil, true
	return nil
}

// readLastPaid lists the last purchase of some goods with what one of them cost: what did we last pay for peat.
func (b *builder) readLastPaid() error {
	cost, priced := b.heading(schema.UnitCost)
	day, dated := b.heading(schema.Day)
	asks := b.phraseOf("last pay", "last paid", "last cost", "last charge", "last charged", "last price", "latest price", "last buy price", "most recent price", "latest cost", "last cost price")
	isGoods := func(f cond) bool { return (f.role == schema.Product || f.role == schema.SKU) && f.Op == plan.In }
	if !asks || !priced || !dated || b.x.source.Kind != schema.Purchases || b.s.rank != nil || len(b.s.periods)+len(b.s.groups)+len(b.s.counts) > 0 || !slices.ContainsFunc(b.s.where, isGoods) {
		return nil
	}
	b.p.List, b.asked = &plan.Listing{By: day}, cost
	b.p.Measures, b.p.Order, b.p.Limit = []plan.Measure{{Metric: plan.Rows}}, plan.Highest, 1
	b.s.figures, b.s.names, b.s.fold = nil, nil, ""
	b.s.marks, _ = cut(b.s.marks, func(m mark) bool {
		return !slices.Contains([]link.Sense{"sell", "buy", "price", "money", "howmuch", "when"}, m.sense)
	})
	for i := range b.tokens {
		b.taken[i] = b.taken[i] || b.wordAt(i, "last", "latest", "recent", "most", "pay", "paid", "price", "cost", "charge", "charged")
	}
	return nil
}

// readLate lists the purchase orders that have not come, the oldest first, where no column says when they are due.
func (b *builder) readLate() error {
	done := b.x.done()
	if b.x.source.Kind != schema.Purchases || !b.hasWord("late", "overdue") || b.x.dayOf(dueWords, nil) != nil || done == nil {
		return nil
	}
	order := ""
	if b.guessed = true; b.isOrders() && b.s.rank == nil && b.x.can(plan.LastDay) {
		b.p.Measures = append([]plan.Measure{{Metric: plan.LastDay}}, b.p.Measures...)
		b.p.Order, b.p.OrderBy, order = plan.Lowest, 0, ", the oldest first"
	}
	b.note(fmt.Sprintf("No column of %s says when an order is due: these are the ones without %s%s.", b.x.source.Name, done.Heading, order))
	return nil
}

// buysGoods reports whether the names of what is bought are asked for: what do we buy from Hill Farm, what have we ordered this month.
func (b *builder) buysGoods() bool {
	asks := b.wordAt(0, "what") && b.phraseOf("we buy", "we order", "we get", "i buy", "i order", "i get", "we bought", "we ordered")
	return asks && b.x.source.Kind == schema.Purchases && !b.s.has("money", "howmuch", "howmany") && len(b.s.figures)+len(b.s.counts) == 0 && b.s.rank == nil
}

// havingWords are verbs of what a customer does.
var havingWords = []string{"buy", "bought", "order", "ordered", "get", "got", "had", "purchase", "purchased", "hire", "hired", "book", "booked"}

// customerBuys reports whether the names of what a customer bought are asked for: what has Ann Lee bought.
func (b *builder) customerBuys() bool {
	isCustomer := func(f cond) bool { return f.role == schema.Customer && f.Op == plan.In && (f.from == 2 || f.from == 3) }
	return b.hasWord(havingWords...) && b.wordAt(0, "what") && b.wordAt(1, "has", "have", "did", "does", "do") && slices.ContainsFunc(b.s.where, isCustomer) && !b.s.has("money", "howmuch", "howmany") && len(b.s.figures)+len(b.s.counts) == 0 && b.s.rank == nil && b.s.fold == ""
}

// refuseSales refuses what was sold of a list of what the shop buys, and what the shop charges for it.
func (b *builder) refuseSales() error {
	isCost := func(m plan.Measure) bool { return m.Metric == plan.Cost }
	buys := b.hasWord("spend", "spent", "spending", "pay", "paid", "buy", "bought", "purchase", "purchases", "cost", "costs")
	sells := b.hasWord("sell", "sold") || b.phraseOf("we charge", "i charge", "we charging", "i charging") ||
		b.hasWord("take", "took", "taken") && slices.ContainsFunc(b.p.Measures, isCost)
	takings := b.hasWord("takings", "sales", "revenue", "turnover", "till") && slices.ContainsFunc(b.p.Measures, isCost)
	if b.x.source.Kind == schema.Purchases && (takings || sells && !buys) {
		return b.refuse(Missing, "%s holds what was bought, and not what was sold, so this cannot be answered.", b.x.source.Name)
	}
	return nil
}
