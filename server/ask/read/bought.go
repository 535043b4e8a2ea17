package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// bought is what a list of goods that are bought and sold one by one says of the buying and of what is left:
// rows without a day of sale, or that are in no state of being sold.
type bought struct {
	day   *schema.Column // of the sale; nil if a state says what was sold
	state *plan.Filter   // the states of what was sold; nil if a day does
	held  *plan.Filter   // beside a day, the states of what is for sale; nil if none is told apart
	in    *schema.Column // day on which the shop got it; may be nil with a state
	paid  *schema.Column // what the shop paid for it; nil if it sells for others, and with some states
}

// findBought returns nil for sources that are no such list.
func (x *lexicon) findBought() *bought {
	b := bought{state: x.soldState()}
	if day, ok := x.source.ByRole(schema.Day); ok && x.source.Kind == schema.Sales && day.Blank > 0 {
		b.day = &day
	}
	if b.day == nil && b.state == nil {
		return nil
	}
	if b.day != nil {
		b.held = x.heldState()
	}
	for i := range x.source.Columns {
		c := &x.source.Columns[i]
		ofOthers := c.Role == schema.Cost && 2*c.Blank < x.source.Rows // goods that it sells for others cost nothing
		switch {
		case 10*c.Blank > x.source.Rows && !ofOthers || b.day != nil && c.Heading == b.day.Heading:
		case isDay(c) && hasWord(c.Heading, "in", "bought", "purchased", "purchase", "acquired", "got", "sourced"):
			b.in = c
		case c.Type == schema.Number && c.Unit == schema.Money && hasWord(c.Heading, "paid", "bought", "buy", "purchase", "cost"):
			b.paid = c
		}
	}
	if b.state == nil && (b.in == nil || b.paid == nil && b.held == nil) {
		return nil
	}
	return &b
}

// heldStates are states of goods that are for sale, besides the phrases that say so in questions.
var heldStates = []string{"active", "available", "in stock", "for sale", "on sale", "listed", "live", "unsold", "in store", "in shop"}

// isHeldState reports whether a state is that of goods for sale. It may leave out articles: on floor.
func isHeldState(v string) bool {
	bare := func(phrase string) string { return strings.ReplaceAll(strings.ToLower(phrase), " the ", " ") }
	return slices.Contains(heldStates, bare(v)) || slices.ContainsFunc(heldPhrases, func(p string) bool { return bare(p) == bare(v) })
}

// heldState returns the states of what is for sale in a list of goods that tells them from what was sold; nil of
// others.
func (x *lexicon) heldState() *plan.Filter {
	status, ok := x.source.ByRole(schema.Status)
	held, others := cut(status.Values, isHeldState)
	if !ok || len(held) == 0 || !slices.ContainsFunc(others, func(v string) bool { return hasWord(v, "sold") }) {
		return nil
	}
	return &plan.Filter{Column: status.Heading, Op: plan.In, Values: held}
}

// soldState returns the states of what was sold in a list of goods of which each row is one, that are for
// sale, sold or reserved, with no day of the sale; nil of others.
func (x *lexicon) soldState() *plan.Filter {
	status, ok := x.source.ByRole(schema.Status)
	_, dated := x.source.ByRole(schema.Day)
	_, priced := x.source.ByRole(schema.Price)
	if !ok || dated || !priced || x.can(plan.StockUnits) || x.can(plan.Orders) {
		return nil
	}
	sold := slices.DeleteFunc(slices.Clone(status.Values), func(v string) bool { return !hasWord(v, "sold") })
	if len(sold) == 0 {
		return nil
	}
	return &plan.Filter{Column: status.Heading, Op: plan.In, Values: sold}
}

// wasSold returns the condition that a thing was sold.
func (x *bought) wasSold() plan.Filter {
	if x.state != nil {
		return *x.state
	}
	return plan.Filter{Column: x.day.Heading, Op: plan.Filled}
}

// isLeft returns the condition that a thing was not sold, nor left the shop in another way.
func (x *bought) isLeft() plan.Filter {
	if x.held != nil {
		return *x.held
	}
	f := x.wasSold()
	f.Op = plan.Blank
	if x.state != nil {
		f.Op = plan.NotIn
	}
	return f
}

// skipOff leaves out the verb before what goods are sold off a price: marked down off the tag, knocking off the ticket.
func (c *chart) skipOff() {
	if c.x.bought == nil || c.isMeanAmount() {
		return
	}
	isVerb := func(t link.Token) bool {
		return t.Unit == "" && !slices.Contains(silent, t.Text) && (t.Text == "down" || isVerb(t.Text) || english.SensesOf(t.Lemma).Verb > english.None)
	}
	for i, t := range c.tokens {
		for k := i - 1; t.Text == "off" && k > 0 && isVerb(c.tokens[k]); k-- {
			c.starts[k] = nil
			c.skip(k, k+1)
		}
	}
}

// offPrice reads off the tag, of goods that are sold one by one: the price that they were to fetch less what they did. In
// per cent it is the change from that price.
func offPrice(c *chart, parts []*item) (sketch, bool) {
	f := parts[1].s.figures[0]
	isPrice := f.column != nil && f.column.Unit == schema.Money && (f.column.Role == schema.None || f.column.Role == schema.Price)
	if c.x.bought == nil || !isPrice || c.x.bought.paid != nil && f.column.Heading == c.x.bought.paid.Heading || c.hasWord("many") {
		return sketch{}, false
	}
	f.fold = "sum"
	took := figure{span: parts[0].span, metric: plan.Revenue, text: "revenue"}
	s := sketch{pair: plan.Difference, figures: []figure{f, took}, where: []cond{{span: parts[0].span, Filter: c.x.bought.wasSold(), text: f.text}}}
	if c.hasWord(percents...) {
		s.pair, s.figures = plan.ChangeFrom, []figure{took, f}
	}
	return s, !c.isMeanAmount()
}

// isMeanAmount reports whether a mean is asked for, and not in per cent.
func (c *chart) isMeanAmount() bool {
	return c.hasWord("average", "avg", "typical", "mean") && !c.hasWord(percents...)
}

// buys reports whether a question over goods that are bought and sold one by one is about the buying.
func (b *builder) buys() bool {
	return b.x.bought != nil && (b.shopPays() || b.weDo("buy") || b.hasWord("buying", "bought", "purchases", "purchased") || b.takesIn())
}

// takesIn reports whether a question over such goods is about when they came in, and not about money that came in for
// them: how many pieces did we take in, when did she last bring something in.
func (b *builder) takesIn() bool {
	isIn := func(i int) bool { // at most two words after the verb
		isAfter := b.comesIn(i) || b.wordAt(i-2, bringing...) || b.wordAt(i-1, "get", "got") || b.wordAt(i-2, "get", "got")
		return b.wordAt(i, "in") && (isAfter || b.wordAt(i-3, "bring", "brought"))
	}
	isMoney := b.s.has("howmuch", "money", "share") || slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.isMoney() && !f.metric.AsDay() })
	for i := range b.tokens {
		last := i+1 == len(b.tokens) || !slices.ContainsFunc(b.s.where, func(f cond) bool { return f.from == i+1 })
		if isIn(i) && last && !isMoney && b.x.bought.in != nil {
			return true
		}
	}
	return false
}

// stockOfPieces adds the stock of a list of single pieces: those that are not sold, or what the shop paid
// for them or asks.
func (c *chart) stockOfPieces(m link.Mention, text string, cost float64) {
	at := span{m.From, m.To}
	left := cond{span: at, Filter: c.x.bought.isLeft(), text: text}
	if m.Metric == plan.StockUnits {
		c.add(m.From, m.To, valueCat, cost, sketch{where: []cond{left}})
	}
	f := figure{span: at, metric: c.x.counted(), text: text}
	switch price, priced := c.x.source.ByRole(schema.Price); {
	case m.Metric == plan.StockValue && c.x.bought.paid == nil && (!priced || c.hasWord("cost")):
		return
	case m.Metric == plan.StockValue && c.x.bought.paid == nil:
		f = figure{span: at, column: &price, fold: "sum", text: text}
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

// tells reports whether a condition is about what is still there, or what became of it.
func (x *bought) tells(s schema.Source, f plan.Filter) bool {
	status, ok := s.ByRole(schema.Status)
	return f.Column == x.wasSold().Column || ok && f.Column == status.Heading
}

// readUnsold takes what did not sell for the rows of what is left: haven't shifted yet.
func (b *builder) readUnsold() error {
	if b.x.bought == nil || !b.s.has("unsold", "never") || len(b.s.periods) > 0 {
		return nil
	}
	isNot := func(m mark) bool { return m.sense == "unsold" || m.sense == "never" }
	at := b.s.find("unsold", "never").span
	b.s.marks, _ = cut(b.s.marks, func(m mark) bool { return !isNot(m) && m.sense != "sell" })
	b.s.where = join(b.s.where, []cond{{span: at, Filter: b.x.bought.isLeft(), text: b.text(at.from, at.to)}})
	if b.s.has("share") {
		b.addMeasure(plan.Measure{Metric: b.x.counted()})
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
	if x.in == nil || x.paid == nil && !b.takesIn() {
		return nil
	}
	for i, m := range b.p.Measures {
		switch isMoney := m.Metric == plan.Cost || m.Metric == plan.Revenue; {
		case !m.Plain():
		case isMoney && x.paid != nil:
			b.p.Measures[i] = plan.Measure{Metric: plan.Sum, Column: x.paid.Heading}
		case isMoney, m.Metric == plan.Units && b.takesIn():
			b.p.Measures[i] = plan.Measure{Metric: plan.Rows}
		case m.Metric == plan.Units:
			b.p.Measures[i] = plan.Measure{Metric: b.x.counted()}
		case m.Metric.AsDay():
			b.p.On = x.in.Heading
		}
	}
	if b.moveDays(x.in) || b.p.On != "" {
		b.note("The days are those of " + x.in.Heading + ".")
	}
	return nil
}

// readGot takes the price that the shop gets for what it sells one by one for what was paid, and not for what was asked.
func (b *builder) readGot() error {
	price, priced := b.heading(schema.Price)
	sold, paid := b.heading(schema.Revenue)
	isGot := b.phraseOf("we get", "we got", "i get", "i got", "we sell for", "we sold for", "they sell for", "it sells for", "sold for", "sells for", "goes for", "go for", "went for", "fetch", "fetches", "fetched")
	for i, m := range b.p.Measures {
		if b.x.bought != nil && priced && paid && isGot && m.Metric == plan.Average && m.Column == price {
			b.p.Measures[i].Column = sold
		}
	}
	return nil
}

// countSold makes the number of pieces that of those that were sold, if the words or the days say so, and
// of all others, and a column of them that of those that were sold.
func (b *builder) countSold() {
	x := b.x.bought
	sells := b.s.has("sell", "buy") || b.hasWord("sold")
	isTimed := b.p.Period != nil || slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return d.Column == x.wasSold().Column })
	isChosen := slices.ContainsFunc(b.p.Filters(), func(f plan.Filter) bool { return x.tells(b.x.source, f) })
	isOne := func(m plan.Measure) bool {
		return m.Metric == plan.Units || m.Metric == plan.Sum || m.Metric == plan.Average || x.state != nil
	}
	if !slices.ContainsFunc(b.p.Measures, isOne) {
		return
	}
	if sells && !isTimed && !isChosen {
		b.p.Where = addFilter(b.p.Where, x.wasSold())
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
