package read

import (
	"slices"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// bought is what a list of goods that are bought and sold one by one says of the buying: rows without a
// day of sale are what is left.
type bought struct {
	sold *schema.Column // day of the sale
	in   *schema.Column // day on which the shop bought it
	paid *schema.Column // what the shop paid for it
}

// findBought returns nil for sources that are no such list.
func (x *lexicon) findBought() *bought {
	sold, ok := x.source.ByRole(schema.Day)
	if !ok || x.source.Kind != schema.Sales || sold.Blank == 0 {
		return nil
	}
	b := bought{sold: &sold}
	for i := range x.source.Columns {
		c := &x.source.Columns[i]
		switch {
		case c.Blank > 0 || c.Heading == sold.Heading:
		case isDay(c) && hasWord(c.Heading, "in", "bought", "purchased", "purchase", "acquired", "got", "sourced"):
			b.in = c
		case c.Type == schema.Number && c.Unit == schema.Money && hasWord(c.Heading, "paid", "bought", "buy", "purchase", "cost"):
			b.paid = c
		}
	}
	if b.in == nil || b.paid == nil {
		return nil
	}
	return &b
}

// buys reports whether a question over goods that are bought and sold one by one is about the buying.
func (b *builder) buys() bool {
	return b.x.bought != nil && (b.shopPays() || b.weDo("buy") || b.hasWord("buying", "bought", "purchases", "purchased"))
}

// stockOfPieces adds the stock of a list of single pieces: those that are not sold, or what the shop paid
// for them or asks.
func (c *chart) stockOfPieces(m link.Mention, text string, cost float64) {
	at := span{m.From, m.To}
	left := cond{span: at, Filter: plan.Filter{Column: c.x.bought.sold.Heading, Op: plan.Blank}, text: text}
	if m.Metric == plan.StockUnits {
		c.add(m.From, m.To, valueCat, cost, sketch{where: []cond{left}})
	}
	f := figure{span: at, metric: plan.Orders, text: text}
	switch price, priced := c.x.source.ByRole(schema.Price); {
	case m.Metric == plan.StockValue:
		f = figure{span: at, column: c.x.bought.paid, fold: "sum", text: text}
	case m.Metric == plan.RetailValue && priced:
		f = figure{span: at, column: &price, fold: "sum", text: text}
	case m.Metric == plan.RetailValue:
		return
	}
	c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{f}, where: []cond{left}})
}

// piece adds the name of the single pieces of a list: the top 3 pieces by profit.
func (c *chart) piece(m link.Mention, text string, cost float64) {
	product, ok := c.x.source.ByRole(schema.Product)
	if c.x.bought == nil || !ok || m.Metric != plan.Units || c.tokens[m.From].Lemma != "piece" || m.To != m.From+1 {
		return
	}
	at := span{m.From, m.To}
	c.add(m.From, m.To, nameCat, cost, sketch{names: []name{{span: at, column: &product, role: schema.Product, plural: c.plural(m.To), text: text}}})
}

// isLeft reports whether a condition is about what is still there, or what became of it.
func (x *bought) isLeft(s schema.Source, f plan.Filter) bool {
	status, ok := s.ByRole(schema.Status)
	return f.Column == x.sold.Heading || ok && f.Column == status.Heading
}

// readUnsold takes what did not sell for the rows without a day of sale: haven't shifted yet.
func (b *builder) readUnsold() error {
	if b.x.bought == nil || !b.s.has("unsold", "never") || len(b.s.periods) > 0 {
		return nil
	}
	isNot := func(m mark) bool { return m.sense == "unsold" || m.sense == "never" }
	at := b.s.find("unsold", "never").span
	b.s.marks, _ = cut(b.s.marks, func(m mark) bool { return !isNot(m) && m.sense != "sell" })
	b.s.where = join(b.s.where, []cond{{span: at, Filter: plan.Filter{Column: b.x.bought.sold.Heading, Op: plan.Blank}, text: b.text(at.from, at.to)}})
	if b.s.has("share") {
		b.addMeasure(plan.Measure{Metric: plan.Orders})
	}
	return nil
}

// readBought takes money that is spent for what the shop paid, and the days for those on which it bought,
// of a question about the buying. In others what is counted was sold.
func (b *builder) readBought() error {
	x := b.x.bought
	if x == nil {
		return nil
	}
	if !b.buys() {
		b.countSold()
		return nil
	}
	for i, m := range b.p.Measures {
		if m.Plain() && (m.Metric == plan.Cost || m.Metric == plan.Revenue) {
			b.p.Measures[i] = plan.Measure{Metric: plan.Sum, Column: x.paid.Heading}
		}
		if m.Plain() && m.Metric == plan.Units {
			b.p.Measures[i] = plan.Measure{Metric: plan.Orders}
		}
	}
	if b.moveDays(x.in) {
		b.note("The days are those of " + x.in.Heading + ".")
	}
	return nil
}

// countSold makes the number of pieces that of those that were sold, if the words or the days say so, and
// of all others, and a column of them that of those that were sold.
func (b *builder) countSold() {
	x := b.x.bought
	sells := b.s.has("sell", "buy") || b.hasWord("sold")
	isTimed := b.p.Period != nil || slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return d.Column == x.sold.Heading })
	isChosen := slices.ContainsFunc(b.p.Filters(), func(f plan.Filter) bool { return x.isLeft(b.x.source, f) })
	isOne := func(m plan.Measure) bool {
		return m.Metric == plan.Units || m.Metric == plan.Sum || m.Metric == plan.Average
	}
	if !slices.ContainsFunc(b.p.Measures, isOne) {
		return
	}
	if sells && !isTimed && !isChosen {
		b.p.Where = addFilter(b.p.Where, plan.Filter{Column: x.sold.Heading, Op: plan.Filled})
	}
	if (sells || isTimed) && !isChosen {
		return
	}
	for i, m := range b.p.Measures {
		if m.Plain() && m.Metric == plan.Units {
			b.p.Measures[i] = plan.Measure{Metric: plan.Rows}
		}
	}
}
