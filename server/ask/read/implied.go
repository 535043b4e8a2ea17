package read

import (
	"math"
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// implyMeasures adds the figure of a question that names none.
func (b *builder) implyMeasures() error {
	if len(b.p.Measures) > 0 || b.s.suppositionOf != nil {
		return nil
	}
	counted := b.countsValues()
	b.guessed = b.guessed || b.s.rank != nil && b.s.rank.text == "slowest" && b.ranksTime() // by revenue, or by who came
	switch {
	case b.implyCount(), b.implyRanked(counted), b.implyPrice():
	case b.s.has("price", "expensive", "cheap"):
		return b.priceMeasure()
	case b.implyGoods():
	default:
		if b.holdsMost() {
			b.assume(costNoGroup) // rows, where another source may know the stock
		}
		b.implySales()
	}
	if b.p.WhatIf == nil && !counted && !b.s.has("sell", "buy", "money", "howmuch") && b.s.rank == nil && len(b.p.Measures) > 0 && len(b.s.counts) == 0 {
		b.assume(costNoFigure)
	}
	return nil
}

// implyCount adds how many orders or rows there were, how long they took or what a bound compares, and reports
// whether the words ask for one of these.
func (b *builder) implyCount() bool {
	switch {
	case b.s.has("when") && b.s.fold == "mean" && b.x.can(plan.Orders):
		b.addMeasure(plan.Measure{Metric: plan.Orders}) // when do they usually order
		b.s.fold = ""
	case b.s.has("share") && b.s.find("share").arg == "rate" && b.x.can(plan.Orders):
		b.addMeasure(plan.Measure{Metric: plan.Orders}) // the pass rate
	case b.s.has("howlong") && b.takesDays():
	case b.boundsNamed():
	case b.s.fold == "count", b.boundsRows():
		b.countRows()
	default:
		return false
	}
	return true
}

// implyRanked adds what a superlative is of by its own word, and the number of rows or pieces that the words count
// without naming it. It reports whether there is such a figure.
func (b *builder) implyRanked(counted bool) bool {
	r := b.s.rank
	switch {
	case r != nil && r.figure != nil:
		b.addMeasure(b.measureOf(b.daysOf(*r.figure)))
	case r != nil && b.clientFigure() != nil:
		b.addMeasure(plan.Measure{Metric: plan.Sum, Column: b.clientFigure().Heading})
	case r != nil && r.counts && (b.hasWord("often") || b.phraseOf("most times", "fewest times", "most number of times")) && !b.s.has("sell", "buy"), b.agent != nil && r == nil && !b.s.has("sell", "buy", "money", "howmuch"):
		b.addMeasure(plan.Measure{Metric: b.x.counted()}) // who is late most often, who worked yesterday
	case counted:
		b.addMeasure(plan.Measure{Metric: plan.Orders}) // no-shows by stylist
	case len(b.s.names) == 1 && b.wereDone(b.s.names[0]) && r == nil && !b.s.has("sell", "buy", "money", "howmuch", "share") && b.x.can(plan.Units):
		b.addMeasure(plan.Measure{Metric: plan.Units}) // treatments done by weekday
	case r != nil && r.metric != "":
		b.addMeasure(plan.Measure{Metric: r.metric})
	case r != nil && isDay(r.column) && r.column.Role == schema.Day && len(b.p.By) > 0:
		b.addMeasure(plan.Measure{Metric: map[bool]plan.Metric{true: plan.FirstDay, false: plan.LastDay}[r.down]})
	case r != nil && r.column != nil:
		b.addMeasure(b.measureOf(figure{column: r.column, fold: "mean"}))
	default:
		return false
	}
	return true
}

// implyPrice adds the mean price or cost of goods, and reports whether the words ask for it without naming it.
func (b *builder) implyPrice() bool {
	role := schema.Price
	switch {
	case b.asksPriceOf():
	case b.paysForPieces():
		role = schema.UnitCost
	default:
		return false
	}
	h, _ := b.heading(role)
	b.addMeasure(plan.Measure{Metric: plan.Average, Column: h})
	return true
}

// implyGoods adds how many goods, visits or pieces there are, or what they are worth, and reports whether that is
// asked for.
func (b *builder) implyGoods() bool {
	ofList := b.x.source.Kind == schema.Stocklist
	switch {
	case b.heldWorth():
	case b.asksHeld() && b.hasWord("stuff", "things", "pieces", "items", "goods") && b.s.has("howmuch"):
		b.addMeasure(plan.Measure{Metric: plan.Rows}) // how much stuff is on the floor
	case b.countsLow(), b.countsGoods():
		b.countProducts()
	case b.countsBatches():
		b.addMeasure(plan.Measure{Metric: plan.Rows})
	case b.isBusier() && b.x.can(plan.Orders):
		b.addMeasure(plan.Measure{Metric: plan.Orders})
	case b.s.rank.isBusy() && b.x.can(plan.Orders):
		b.addMeasure(plan.Measure{Metric: plan.Orders})
		b.addIfGiven(plan.Revenue)
	case b.s.has("share") && b.s.has("row") && ofList:
		b.addMeasure(plan.Measure{Metric: plan.Rows}) // what proportion of the titles are signed
	case ofList && b.x.can(plan.StockValue) && b.asksWorth() && !b.s.has("sell"):
		b.addMeasure(plan.Measure{Metric: plan.StockValue})
	case ofList && b.x.can(plan.StockUnits) && !b.s.has("sell") && !b.paysForStock():
		b.addMeasure(plan.Measure{Metric: plan.StockUnits})
	default:
		return false
	}
	return true
}

// asksWorth reports whether a question is what goods are worth, and not how many there are: what is in the cellar
// worth, how much money is in it.
func (b *builder) asksWorth() bool {
	m := b.s.find("money")
	return b.phraseOf("by value", "in value") || m != nil && len(b.s.figures)+len(b.s.counts) == 0 && (b.wordAt(m.from, "worth", "value") || b.wordAt(m.from-1, "much"))
}

// boundsRows reports whether all that a question says is what each row comes to: any tips over $60.
func (b *builder) boundsRows() bool {
	isOfRow := func(o bound) bool { return b.ofRow(o) && o.other == nil }
	isOther := func(o bound) bool { return !isOfRow(o) && !(o.other != nil && b.asksAny()) }
	return len(b.s.bounds) > 0 && len(b.p.By)+len(b.s.figures) == 0 && b.s.rank == nil && b.x.source.Kind != schema.Stocklist && !slices.ContainsFunc(b.s.bounds, isOther) && (b.asksAny() || !b.s.has("sell", "buy", "money", "howmuch", "price", "share"))
}

// asksAny reports whether a question is whether there is any row of a kind: did anyone, are there any.
func (b *builder) asksAny() bool {
	return (b.wordAt(0, auxiliaries...) || b.wordAt(0, "any", "anyone", "anybody")) && b.hasWord("any", "anyone", "anybody", "anything")
}

// isBusier reports whether how many came is compared: were we busier in May.
func (b *builder) isBusier() bool {
	m := b.s.find("more", "less")
	return m != nil && m.arg == "bustle"
}

// countsValues reports whether rows are counted by their values: what a row is, such as missed or
// new, has no amount unless the words name money. The plural of another value counts where it begins
// the question. Of goods it may be their sales, too.
func (b *builder) countsValues() bool {
	begins := func(at int) bool {
		return at == 0 || at == 1 && b.wordAt(0, "is", "are", "was", "were", "do", "did", "have", "has")
	}
	if r := b.s.rank; b.x.can(plan.Orders) && b.p.WhatIf == nil && !b.isOrders() && !b.hasWord("lose", "lost") && !b.s.has("sell", "buy", "money", "howmuch", "price") && (r == nil || r.column == nil && !r.judges) && slices.ContainsFunc(b.s.where, b.isState) {
		return true
	}
	i := slices.IndexFunc(b.s.where, func(f cond) bool { return begins(f.from) && f.Op == plan.In && f.Part == plan.Whole })
	if i < 0 || b.s.rank != nil || b.s.has("sell", "buy", "money", "howmuch", "share") {
		return false
	}
	f := b.s.where[i]
	isPlural := b.plural(f.to) && !slices.ContainsFunc(f.Values, func(v string) bool { return strings.HasSuffix(strings.ToLower(v), "s") })
	if _, sold := b.heading(schema.Quantity); sold && slices.Contains([]schema.Role{schema.Product, schema.Category, schema.Brand, schema.SKU}, f.role) {
		return false
	}
	return isPlural && b.x.can(plan.Orders)
}

// isState reports whether a condition is of a column that says what a row is: of yes and no, or of
// its status. What is not paid is an amount.
func (b *builder) isState(f cond) bool {
	unpaid, _ := b.x.unpaid()
	isState := f.flag != nil || b.isLate(f) || f.role == schema.Status || f.role == schema.None && hasWord(f.Column, "status", "outcome", "result")
	return isState && f.Column != unpaid.Column && (f.Op == plan.In || f.Op == plan.NotIn || b.isLate(f))
}

// isLate reports whether a condition is that something happened before or after it was due.
func (b *builder) isLate(f cond) bool {
	c, ok := plan.Column(b.x.source, f.Column)
	return ok && isDay(&c) && f.Other != "" && f.Part == plan.Whole
}

// takesDays reads how long jobs take: the mean of the days from the first to the last of two
// columns of days.
func (b *builder) takesDays() bool {
	f, ok := b.daysOfSpeed(link.Mention{Arg: "speed"})
	if !ok || b.s.rank != nil || !b.hasWord("take", "takes", "took", "last", "lasts", "lasted", "stay", "stays", "keep", "away") {
		return false
	}
	b.addMeasure(b.measureOf(f))
	m := b.s.find("howlong")
	b.taken[m.from], b.taken[m.to-1] = true, true
	b.s.fold = ""
	return true
}

// boundsNamed adds the figure that a bound names, of groups that the question asks for:
// products with a margin below 20 %.
func (b *builder) boundsNamed() bool {
	for _, o := range b.s.bounds {
		if o.of == nil && len(b.p.By) > 0 && ((o.unit == link.Money || o.number != math.Trunc(o.number)) && (b.ofProducts() || b.sellsAt(o)) || o.unit == link.Plain && o.per == plan.Whole && b.sellsProducts() && b.s.rank == nil) {
			b.addMeasure(b.boundMeasure(o))
		}
		if o.name != nil && o.name.role == schema.None && o.of == nil && o.other == nil && len(b.p.By) > 0 {
			b.addMeasure(b.boundMeasure(o)) // grades with more than 3 different bays
		}
		if o.of != nil && o.other == nil && len(b.p.By) > 0 && (!b.ofRow(o) || b.namesRows() || b.leadsGroups() || b.groupsByKey()) {
			b.addMeasure(b.boundMeasure(o))
		}
	}
	return len(b.p.Measures) > 0
}

// countProducts counts the goods of a list.
func (b *builder) countProducts() {
	if h, ok := b.productHeading(); ok {
		b.addMeasure(plan.Measure{Metric: plan.Distinct, Column: h})
		return
	}
	b.addMeasure(plan.Measure{Metric: plan.Rows})
}

// soldGoods reports whether the plural of what the shop sells is said to be sold, and no money: how many
// are meant.
func (b *builder) soldGoods() bool {
	ofGoods := func(f cond) bool {
		isGoods := slices.Contains([]schema.Role{schema.Product, schema.Category, schema.SKU}, f.role)
		return isGoods && b.plural(f.to) && b.wordAt(f.to, "sold", "ordered", "bought", "shifted")
	}
	return slices.ContainsFunc(b.s.where, ofGoods) && !b.s.has("money", "howmuch") && b.x.can(plan.Units)
}

// impliedSales are the figures of questions about buying and selling whose words choose one without naming it, in the
// order in which they are tried.
var impliedSales = []struct {
	metric plan.Metric
	isSaid func(*builder) bool
}{
	{plan.Units, (*builder).buysMost},
	{plan.StockValue, (*builder).paysForStock},
	{plan.Units, (*builder).soldGoods}, // dresses sold by size
	{plan.Cost, (*builder).shopPays},
	{plan.Orders, (*builder).ranksOrders},
	{plan.Units, (*builder).sellsMore},
	{plan.Orders, (*builder).ranksVisits}, // which make comes in most
	{plan.Orders, (*builder).ranksWays},
}

// implySales chooses between money and pieces.
func (b *builder) implySales() {
	for _, s := range impliedSales {
		if s.isSaid(b) {
			b.addMeasure(plan.Measure{Metric: s.metric})
			return
		}
	}
	if b.makesMoney() {
		b.measureEarned()
		return
	}
	first, rival := plan.Revenue, plan.Units
	if b.x.source.Kind == schema.Purchases {
		first = plan.Cost
	}
	money := (b.s.has("money", "howmuch") || b.earns()) && !b.countsPieces()
	if b.countsPieces() && !b.s.has("money") {
		first, rival = rival, first
	}
	if !b.x.can(first) && !money {
		first, rival = rival, first
	}
	if !b.x.can(first) {
		if c := b.x.earned; money && c != nil {
			b.addMeasure(b.measureOf(figure{column: c, fold: b.s.fold}))
			return
		}
		first = b.insteadOfSales(money)
	}
	if b.x.source.Kind == schema.Customers && !b.s.has("sell", "buy", "money", "howmuch") {
		first = plan.Rows
	}
	b.addMeasure(plan.Measure{Metric: first})
	if b.s.rank != nil && b.s.has("sell") && !money {
		b.addIfGiven(rival)
	}
}

// insteadOfSales returns what a source without revenue is asked for: money is refused by name.
func (b *builder) insteadOfSales(money bool) plan.Metric {
	order, _ := b.heading(schema.Order)
	isList := b.x.source.Kind == schema.Other || b.x.source.Kind == schema.Customers
	isByOrder := len(b.p.By) > 0 && b.p.By[0].Column == order
	switch {
	case isList && !money && (isByOrder || !b.x.can(plan.Orders)):
		return plan.Rows
	case money || isByOrder:
		return plan.Revenue
	}
	return plan.Orders
}

// buysMost reports whether it is asked what the shop buys most of: which products did we buy most of, which do we
// bring in more of.
func (b *builder) buysMost() bool {
	r := b.s.rank
	isMost := b.weDo("buy", "bought") && r != nil && r.counts && !b.s.has("money")
	isMore := b.x.source.Kind == schema.Purchases && b.s.has("more", "less") && b.phraseOf("more of", "less of")
	return (isMost || isMore) && b.x.can(plan.Units)
}

// ranksOrders reports whether a superlative is of how many orders there were: which day had most drop offs, the top 3
// breeds we see.
func (b *builder) ranksOrders() bool {
	r := b.s.rank
	if r == nil || !b.x.can(plan.Orders) {
		return false
	}
	isEvent := r.counts && slices.ContainsFunc(b.s.names, func(n name) bool { return n.from == r.to && n.plural && isDay(n.column) })
	return isEvent || (b.weDo("see") || b.worksOn()) && !b.s.has("money", "howmuch")
}

// sellsMore reports whether the pieces of two goods are compared: do we sell more cones or cups.
func (b *builder) sellsMore() bool {
	isGoods := func(f cond) bool { return f.listed && (f.role == schema.Product || f.role == schema.Category) }
	return b.phraseOf("sell more", "sold more", "sell fewer", "sold fewer") && b.s.has("or", "than") && !b.s.has("money", "howmuch") && b.x.can(plan.Units) && slices.ContainsFunc(b.s.where, isGoods)
}

// ranksWays reports whether a superlative is of how often something is used: the most used payment method.
func (b *builder) ranksWays() bool {
	return b.countsPieces() && b.ranksUse() && !b.s.has("money") && len(b.p.By) == 1 && (!b.ranksGoods() || !b.x.can(plan.Units)) && b.x.can(plan.Orders)
}

// ranksVisits reports whether a superlative is of how often something comes, or is done.
func (b *builder) ranksVisits() bool {
	isNumber := func(d plan.Dimension) bool {
		c, _ := plan.Column(b.x.source, d.Column)
		return c.Type == schema.Number && !isFlag(c)
	}
	if b.s.rank == nil || !b.s.rank.counts || b.s.has("money", "howmuch") || !b.x.can(plan.Orders) || slices.ContainsFunc(b.p.By, isNumber) {
		return false
	}
	isOther := func(m mark) bool {
		isVisit := b.wordAt(m.from, "come", "comes", "came", "coming")
		return slices.Contains([]link.Sense{"buy", "grown", "shrunk"}, m.sense) || m.sense == "sell" && !isVisit
	}
	isVerb := func(t link.Token) bool {
		return !slices.Contains(silent, t.Text) && english.SensesOf(t.Lemma).Verb > english.None || t.Lemma == "do"
	}
	before := b.tokens[:b.s.rank.from]
	return !slices.ContainsFunc(b.s.marks, isOther) && slices.ContainsFunc(before, isVerb)
}

// worksOn reports whether the last word is a verb of what the shop does with the things that are ranked, and no
// money: the top 5 phones we mend. It then has a use.
func (b *builder) worksOn() bool {
	last := len(b.tokens) - 1
	isVerb := last > b.s.rank.to && b.wordAt(last-1, "we", "i") && english.SensesOf(b.tokens[last].Lemma).Verb > 0 && !slices.Contains(restricting, b.tokens[last].Lemma)
	if !isVerb || b.s.has("sell", "buy", "price", "expensive", "cheap") || len(b.p.By) == 0 || b.s.rank.judges {
		return false
	}
	b.taken[last] = true
	return true
}

// earns reports whether a verb is of money, and not of goods.
func (b *builder) earns() bool {
	m := b.s.find("sell")
	return m != nil && m.arg == "" && b.wordAt(m.from, "earn", "earns", "earned", "earning", "make", "makes", "made", "spend", "spends", "spent", "generate", "generates", "generated", "bring", "brings", "brought", "rake", "turn", "turned")
}

// makesMoney reports whether the words say that something makes or earns money, which is
// profit or revenue.
func (b *builder) makesMoney() bool {
	m := b.s.find("sell")
	return m != nil && b.s.rank != nil && b.s.has("money") && !b.countsPieces() && b.x.can(plan.Revenue) && b.wordAt(m.from, "make", "makes", "made", "making", "earn", "earns", "earned", "earning")
}

// measureEarned reads money that is made as profit where costs are known, else as revenue,
// and says so.
func (b *builder) measureEarned() {
	if !b.x.can(plan.Profit) {
		b.addMeasure(plan.Measure{Metric: plan.Revenue})
		b.note("The money that is made was read as revenue, since no costs are known.")
		return
	}
	b.addMeasure(plan.Measure{Metric: plan.Profit})
	b.addMeasure(plan.Measure{Metric: plan.Revenue})
	b.note("The money that is made was read as profit, since costs are known; revenue stands beside it.")
}

// ranksUse reports whether a superlative is of how often something occurs, and not of what
// sells.
func (b *builder) ranksUse() bool {
	return b.s.rank != nil && slices.ContainsFunc([]string{"used", "common", "frequent", "often", "popular"}, func(w string) bool { return strings.Contains(b.s.rank.text, w) })
}

// ranksGoods reports whether the groups are of what is sold, or of times.
func (b *builder) ranksGoods() bool {
	c, _ := plan.Column(b.x.source, b.p.By[0].Column)
	return slices.Contains([]schema.Role{schema.Product, schema.SKU, schema.Category, schema.Brand, schema.Supplier, schema.Day, schema.DayTime}, c.Role) || !slices.Contains([]schema.Role{schema.Payment, schema.Channel, schema.Store, schema.Staff, schema.City, schema.State, schema.Region, schema.Country}, c.Role)
}

// shopPays reports whether the words are about what the shop itself pays: what do we pay.
func (b *builder) shopPays() bool {
	return b.weDo("pay", "paid", "spend", "spent", "buy", "bought")
}

// weDo reports whether one of some verbs is of what the shop does.
func (b *builder) weDo(words ...string) bool {
	for i, t := range b.tokens {
		at := i - 1
		for b.wordAt(at, "last", "first", "usually", "normally", "always", "ever", "still") {
			at-- // what did we last pay
		}
		if slices.Contains(words, t.Text) && (b.wordAt(at, "we", "i") || b.wordAt(at, "have") && b.wordAt(at-1, "we", "i")) {
			return true
		}
	}
	return false
}

// holdsMost reports whether a superlative is of how many there are of something: what do we have most of.
func (b *builder) holdsMost() bool {
	return b.s.rank != nil && b.s.rank.counts && b.wordAt(b.s.rank.to, "of") && b.weDo("have", "hold", "stock", "keep", "got")
}

// paysForStock reports whether a question is what the shop paid for the stock that it has.
func (b *builder) paysForStock() bool {
	_, known := b.heading(schema.UnitCost)
	return known && b.x.source.Kind == schema.Stocklist && b.shopPays() && b.s.has("howmuch") && b.hasWord("stock", "inventory")
}

// countsPieces reports whether words of selling are about units: most popular, sold most.
func (b *builder) countsPieces() bool {
	if m := b.s.find("howmuch"); m != nil && b.wordAt(m.to, "of") && slices.ContainsFunc(b.s.groups, func(g group) bool { return g.role == schema.Product }) {
		return true // how much of each product
	}
	for _, m := range b.s.marks {
		if m.sense == "sell" && m.arg == "units" {
			text := strings.ToLower(b.text(m.from, m.to))
			return !strings.Contains(text, "best") && !strings.Contains(text, "top") && !strings.Contains(text, "worst")
		}
	}
	return false
}

// priceMeasure reads questions about prices.
func (b *builder) priceMeasure() error {
	h, ok := b.heading(schema.Price)
	if cost, known := b.heading(schema.UnitCost); known && b.shopPays() && b.x.source.Kind == schema.Stocklist {
		h, ok = cost, true // the dearest thing we buy
	}
	inTime := len(b.p.By) == 1 && b.p.By[0].Part.Series()
	switch {
	case b.isOrders() && b.x.can(plan.Revenue):
		b.addMeasure(plan.Measure{Metric: plan.Revenue}) // the cheapest order
	case ok:
		b.addMeasure(plan.Measure{Metric: plan.Average, Column: h})
	case b.x.source.Kind == schema.Purchases && b.x.can(plan.Cost) && b.x.can(plan.Units):
		if b.addMeasure(plan.Measure{Metric: plan.Cost, Per: plan.PerUnit}); inTime {
			b.p.Measures[0].Per = "" // the cheapest supplier, but the most expensive month
		}
		for _, m := range b.s.marks {
			b.taken[m.from] = b.taken[m.from] || m.sense == "cheap" || m.sense == "price" || m.sense == "expensive"
		}
	case b.x.can(plan.AveragePrice):
		b.addMeasure(plan.Measure{Metric: plan.AveragePrice})
	default:
		return b.missingRole(schema.Price)
	}
	if len(b.p.By) == 0 && (b.s.rank != nil || b.asksDearest()) && !b.groupByProduct() {
		b.groupByKey()
	}
	return nil
}

// asksDearest reports whether goods of a list are asked for by a superlative of their price: the dearest
// book in cookery.
func (b *builder) asksDearest() bool {
	m := b.s.find("expensive", "cheap")
	return m != nil && b.x.source.Kind == schema.Stocklist && (strings.HasSuffix(b.tokens[m.to-1].Text, "est") || b.wordAt(m.from, "most", "least")) && !b.s.has("howmany", "howmuch") && b.s.fold == ""
}

// groupByKey makes a group of each row of a list, by the column that names it: the cheapest vacant one.
func (b *builder) groupByKey() {
	if i := slices.IndexFunc(b.x.source.Columns, func(c schema.Column) bool { return b.isKey(name{column: &c}) }); i >= 0 {
		b.groupBy(plan.Dimension{Column: b.x.source.Columns[i].Heading})
	}
}

// defaultMetric returns the figure of a question that names none.
func (b *builder) defaultMetric() plan.Metric {
	for _, m := range []plan.Metric{b.x.nearest(plan.Revenue), plan.StockUnits, plan.Units, plan.Orders} {
		if b.x.can(m) {
			return m
		}
	}
	return plan.Rows
}

// readAverages divides a figure by what the question averages over.
func (b *builder) readAverages() error {
	for i := range b.p.Measures {
		m := &b.p.Measures[i]
		b.perTimeOfSale(m)
		if (b.addsUp(i) || m.Metric == plan.Sum && m.Per == "") && b.perTime(m) {
			m.Metric = plan.Sum // or the mean of the rows of each day
			continue
		}
		if m.Per != "" || m.Metric.OfColumn() {
			continue
		}
		f, err := plan.FormulaOf(b.x.source, *m)
		if err != nil || f.Bottom != nil {
			continue
		}
		if b.perTime(m) || !b.averages(i) {
			continue
		}
		b.perRow(m, f)
	}
	return nil
}

// addsUp reports whether an average is of a column that is called by a plural, of which the rows
// of a day have so many together: average players per day.
func (b *builder) addsUp(i int) bool {
	m := b.p.Measures[i]
	if m.Metric != plan.Average || m.Since != "" || m.Fold != "" || m.Per != "" || i >= len(b.s.figures) || len(b.s.counts) > 0 {
		return false
	}
	f, c := b.s.figures[i], b.s.figures[i].column
	return c != nil && f.fold == "mean" && b.plural(f.to) && c.Heading == m.Column && !isRate(c.Heading) && c.Unit != schema.Percent && c.Role == schema.None
}

// perTimeOfSale reads "average sale per day" as what is sold in a day; it may also be the
// mean of the orders by day.
func (b *builder) perTimeOfSale(m *plan.Measure) {
	if m.Per != plan.PerOrder || len(b.s.figures) != 1 || !strings.HasSuffix(strings.ToLower(b.s.figures[0].text), " sale") {
		return
	}
	for i, d := range b.p.By {
		if d.Part.Series() && slices.ContainsFunc(b.s.groups, func(g group) bool { return g.word == "per" && g.part == d.Part }) {
			m.Per = string(d.Part)
			b.p.By = slices.Delete(slices.Clone(b.p.By), i, i+1)
			return
		}
	}
}

// averages reports whether the words ask for an average of a measure.
func (b *builder) averages(i int) bool {
	if b.s.pair == plan.ShareOf || b.s.pair == plan.ChangeFrom {
		return false // average occupancy is that of all
	}
	mean := func(s link.Sense) bool { return s == "mean" || s == "median" }
	i -= len(b.s.counts) // their measures come first
	return mean(b.s.fold) && b.s.pair != plan.Ratio || i >= 0 && i < len(b.s.figures) && mean(b.s.figures[i].fold)
}

// perTime reads "sales per day on average" and "how many cups a day" from the groups.
func (b *builder) perTime(m *plan.Measure) bool {
	ofType := func(d plan.Dimension) bool { return d.Part == plan.Daytype }
	perDay := func(g group) bool { return g.part == plan.Day && (g.word == "per" || g.word == "a") }
	if slices.ContainsFunc(b.p.By, ofType) && (b.averages(0) || slices.ContainsFunc(b.s.groups, perDay)) {
		m.Per = string(plan.Day)
		b.p.By = slices.DeleteFunc(slices.Clone(b.p.By), func(d plan.Dimension) bool { return d.Part == plan.Day })
		return true
	}
	ofDays := func(f cond) bool {
		return f.Part == plan.Weekday && b.wordAt(f.from-1, "average", "avg", "typical", "normal", "usual")
	}
	if slices.ContainsFunc(b.s.where, ofDays) {
		m.Per = string(plan.Day) // on an average Saturday
		return true
	}
	for _, g := range b.s.groups {
		d := plan.Dimension{Part: g.part}
		if g.column != nil {
			d.Column = g.column.Heading
		}
		if slices.Contains([]plan.Part{plan.Weekday, plan.Daytype, plan.Hour}, g.part) && b.averages(0) {
			m.Per = string(plan.Day)
			return true
		}
		isPer := g.word == "a" || g.word == "an" || (g.word == "per" || g.word == "each" || g.word == "every") && b.averages(0) || b.wordAt(g.to, "average", "mean", "avg")
		if i := slices.Index(b.p.By, d); isPer && g.part.Series() && i >= 0 {
			m.Per = string(g.part)
			b.p.By = slices.Delete(slices.Clone(b.p.By), i, i+1)
			return true
		}
	}
	return false
}

// meanOfRows makes the average of a quantity that of its rows, if no column tells orders apart:
// average covers of a log.
func (b *builder) meanOfRows(m *plan.Measure) bool {
	quantity, ok := b.heading(schema.Quantity)
	if _, has := b.heading(schema.Order); has || !ok {
		return false
	}
	*m = plan.Measure{Metric: plan.Average, Column: quantity, Fold: m.Fold, Where: m.Where, Period: m.Period}
	return true
}

// discount returns the heading of the column of discounts, or "".
func (b *builder) discount() string {
	h, _ := b.heading(schema.Discount)
	return h
}

// perRow averages over orders, or over the parts of a column that has the figure.
func (b *builder) perRow(m *plan.Measure, f plan.Formula) {
	if b.s.fold == "median" {
		b.setMedian(m)
	}
	switch {
	case len(b.s.figures) == 1 && b.ofOrder(m, b.s.figures[0]):
	case m.Metric == plan.Orders || m.Metric == plan.Customers:
		m.Per = string(plan.Day)
	case m.Metric == plan.Discounts && b.isPercent(b.discount()):
		*m = plan.Measure{Metric: plan.Average, Column: b.discount()}
	case b.ofLines():
		m.Per = plan.PerRow
	case m.Metric == plan.Discounts || m.Metric == plan.StockUnits:
		if h := b.discount(); h != "" && m.Metric == plan.Discounts {
			*m = plan.Measure{Metric: plan.Average, Column: h}
		} else if terms, ok := plan.Terms(b.x.source, m.Metric); ok && len(terms) == 1 && len(terms[0].Factors) == 1 {
			*m = plan.Measure{Metric: plan.Average, Column: terms[0].Factors[0].Heading}
		}
	case m.Metric == plan.Units && b.meanOfRows(m):
	case m.Metric == plan.Units || f.Unit == schema.Money:
		m.Per = plan.PerOrder
	}
}
