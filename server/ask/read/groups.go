package read

import (
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/schema"
)

// readGroups decides what the figures are grouped by.
func (b *builder) readGroups() error {
	b.dropPacks()
	if b.p.List != nil {
		return nil
	}
	if b.p.Count && len(b.p.By) > 0 {
		return nil
	}
	if b.sellsOfKind() && b.groupByProduct() {
		return nil // what cakes do we sell
	}
	for _, g := range b.s.groups {
		if b.ranksByPeople(g) {
			b.addMeasure(plan.Measure{Metric: b.x.counted()})
			continue
		}
		if g.word == "which" && b.isOneOrder(g.name) || g.role == schema.Order && g.word != "by" && b.dividesByOrder() || b.dividesByName(g) {
			continue
		}
		if g.role == schema.Order && g.word == "rank" && g.plural && b.s.rank != nil && len(b.s.groups) > 1 && b.x.can(plan.Orders) {
			one := *b.s.rank
			one.plural = false
			b.s.rank = &one
			b.addMeasure(plan.Measure{Metric: plan.Orders}) // the month with the lowest orders
			continue
		}
		if err := b.group(g.name); err != nil {
			return err
		}
	}
	b.readHabit()
	b.readNames()
	b.dropClaim()
	if len(b.p.By) == 0 {
		if err := b.implyGroups(); err != nil {
			return err
		}
	}
	if len(b.p.By) == 0 && len(b.p.Measures) == 1 && b.p.Measures[0].Metric == plan.NewCustomers && b.s.has("list") {
		b.groupByRole(schema.Customer)
	}
	b.splitSides()
	if len(b.p.By) == 1 && (b.s.has("versus") || b.s.has("or") && (b.s.rank != nil || b.s.has("more", "less", "grown", "shrunk", "difference"))) {
		b.groupByCompared()
	}
	b.addOthers()
	if len(b.p.By) == 0 && b.hasWord("which") {
		b.assume(costNoGroup)
	}
	b.splitOrder()
	if err := b.readTrend(); err != nil {
		return err
	}
	b.joinDays()
	if len(b.p.By) > 2 {
		return b.refuse(Unknown, "Figures can be split by two things at once, and no more, so this cannot be answered.")
	}
	b.readEach()
	return nil
}

// readHabit takes the day on which something is done most for one of the week: what day do most jobs
// come in, the quietest day. That is a guess.
func (b *builder) readHabit() {
	isHabit := func(g group) bool {
		isBusy := b.s.rank.isBusy() && b.s.rank.limit == 0 && !b.hasWord("ever", "was", "were", "had", "have")
		return g.role == schema.Day && g.part == plan.Day && !g.plural && (g.word == "which" && b.wordAt(g.to, "do", "does") || g.word == "rank" && isBusy)
	}
	i := slices.IndexFunc(b.s.groups, isHabit)
	if i < 0 || b.s.rank == nil || len(b.s.periods) > 0 || len(b.p.By) != 1 || b.p.By[0].Part != plan.Day {
		return
	}
	b.guessed = true
	b.p.By = []plan.Dimension{{Column: b.p.By[0].Column, Part: plan.Weekday}}
}

// joinDays makes one group of a unit of time and of the days of a column: by month, by date out.
func (b *builder) joinDays() {
	day, _ := b.heading(schema.Day)
	saysDay := slices.ContainsFunc(b.s.groups, func(g group) bool { return g.part == plan.Day && b.wordAt(g.to-1, "day", "days") })
	unit := slices.IndexFunc(b.p.By, func(d plan.Dimension) bool { return d.Column == day && d.Part.Series() && d.Part != plan.Day })
	other := slices.IndexFunc(b.p.By, func(d plan.Dimension) bool { return d.Part == plan.Day && (d.Column != day || !saysDay) })
	if unit >= 0 && other >= 0 {
		b.p.By = slices.Clone(b.p.By)
		b.p.By[unit].Column = b.p.By[other].Column
		b.p.By = slices.Delete(b.p.By, other, other+1)
	}
}

// groupsBy reports whether groups are made by a column.
func (b *builder) groupsBy(heading string) bool {
	return slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return d.Column == heading })
}

// dividesByOrder reads "per order" after figures.
func (b *builder) dividesByOrder() bool {
	if order, ok := b.x.source.ByRole(schema.Order); ok && len(b.p.Measures) > 0 && (b.p.Measures[0].Metric == plan.Sum || b.p.Measures[0].Metric == plan.Average) && order.Distinct == b.x.source.Rows {
		b.p.Measures[0].Metric = plan.Average // damage fees per hire
		return true
	}
	if len(b.p.Measures) == 0 || b.p.Measures[0].Per != "" || b.p.Measures[0].Metric.OfColumn() {
		return b.p.Measures != nil && b.p.Measures[0].Per == plan.PerOrder
	}
	b.p.Measures[0].Per = plan.PerOrder
	return true
}

// dividesByName reads "average spend per customer": the mean of the customers' totals. What each row
// has one of divides beside other groups, too: balance per account by type.
func (b *builder) dividesByName(g group) bool {
	if g.word != "per" || g.column == nil || len(b.p.Measures) != 1 || len(b.s.figures) != 1 {
		return false
	}
	if b.dividesByKey(g) {
		return true
	}
	isText := g.column.Type == schema.Text && g.role != schema.None
	split := slices.ContainsFunc(b.s.groups, func(o group) bool { return o.word == "by" && o.from > g.from })
	if !isText || len(b.s.groups) > 1 && !split {
		return false
	}
	m := &b.p.Measures[0]
	ofOrders := m.Per == plan.PerOrder && !strings.Contains(b.s.figures[0].text, "spend")
	if m.Metric.OfColumn() || ofOrders || m.Per != plan.PerOrder && !(m.Per == "" && (split && g.role == schema.Customer || b.averages(0))) || b.s.has("which", "who") || b.s.rank != nil {
		return false
	}
	m.Per = g.column.Heading
	return true
}

// ranksByPeople reports whether a superlative is by how many people there are: top 3 towns by active members.
func (b *builder) ranksByPeople(g group) bool {
	isPeople := g.plural && g.part == plan.Whole && (g.role == schema.Customer || 10*g.column.Distinct >= 9*b.x.source.Rows && hasWord(g.column.Heading, "name", "member", "customer", "client", "pupil", "student"))
	return b.x.source.Kind == schema.Customers && isPeople && b.s.rank != nil && g.word == "by" && g.from > b.s.rank.from && len(b.s.figures) == 0 && len(b.s.groups)+len(b.s.names) > 1
}

// dividesByKey divides by what each row has one of, beside other groups or in an average.
func (b *builder) dividesByKey(g group) bool {
	m := &b.p.Measures[0]
	isKey := g.part == plan.Whole && 10*g.column.Distinct >= 9*b.x.source.Rows
	isCompared := slices.ContainsFunc(b.s.where, func(f cond) bool { return f.listed && f.Op == plan.In }) // Ann v Bea, spend per client
	isMean := b.averages(0) || len(b.s.groups) > 1 || isCompared
	if !isKey || !isMean || m.Per != "" && m.Per != plan.PerOrder || b.s.rank != nil || b.s.has("which", "who", "list") {
		return false
	}
	switch {
	case m.Metric == plan.Sum:
		m.Metric = plan.Average
	case m.Metric.OfColumn():
		return m.Metric == plan.Average
	default:
		m.Per = g.column.Heading
	}
	return true
}

func (b *builder) group(n name) error {
	if n.column == nil {
		return b.missingRole(n.role)
	}
	b.groupBy(plan.Dimension{Column: n.column.Heading, Part: n.part})
	return nil
}

// readNames decides what a name means that no word makes a group of: it is counted, it is
// what the figures are of, or it makes groups.
func (b *builder) readNames() {
	for _, n := range b.s.names {
		if n.column == nil || n.part == plan.Day && b.groupsBy(n.column.Heading) {
			continue // drop offs, by month
		}
		switch {
		case b.isOfEach(n):
			b.groupBy(plan.Dimension{Column: n.column.Heading, Part: n.part})
		case b.readHappenings(n), b.readOf(n), b.readCounted(n), b.readAmount(n), b.readGroup(n):
		default:
			b.s.unused = join(b.s.unused, []int{n.from})
			b.assume(costWordUnused)
		}
	}
}

// isOfEach reports whether a name says of which things a figure of each is asked for: what does each client owe.
func (b *builder) isOfEach(n name) bool {
	isEach := b.wordAt(n.from-1, "each", "every") && b.wordAt(n.from-2, "do", "does", "did", "has", "have")
	return isEach && n.part == plan.Whole && n.column.Type == schema.Text && len(b.p.By) == 0 && !b.isMean()
}

// readHappenings reads a name for what happens: an order, a visit, the verb of what a value did. It reports false for
// others, as those after it do.
func (b *builder) readHappenings(n name) bool {
	switch {
	case n.role == schema.Order && !n.plural && (b.asksAny() || b.isMean() && b.s.rank == nil && !b.s.has("which", "list", "who") && !b.wordAt(n.from-1, "by", "per", "each", "every")):
		b.assume(costIncidental) // did any bill come to more, the average value of a job
	case b.isMorePeople(n):
		b.addMeasure(plan.Measure{Metric: plan.Customers})
	case b.isVerb(n), b.suppliesOrder(n), b.isHappening(n) && (n.role == schema.Day && isVerb(n.text) || b.s.rank != nil && b.s.rank.figure != nil), b.isOneOrder(n):
		b.assume(costIncidental)
	case b.isHappening(n) && !n.plural && !b.s.has("which", "list") && len(b.p.By)+len(b.p.Measures)+len(b.s.figures)+len(b.s.where) > 0:
		b.readHappening(n)
	default:
		return false
	}
	return true
}

// readOf reads a name that only says of what the figures or the conditions are, and one for the days or the orders
// that are counted.
func (b *builder) readOf(n name) bool {
	d := plan.Dimension{Column: n.column.Heading, Part: n.part}
	switch {
	case b.s.has("who") && n.plural && b.wordAt(n.from-1, "the", "our") && b.wordAt(n.from-2, "on", "in", "at", "behind") && n.role != schema.Staff && n.role != schema.Customer:
		b.assume(costIncidental) // who takes most on the tills
	case b.isOfSides(n):
		b.assume(costIncidental)
	case b.ofThoseWho(n):
		b.s.marks, _ = cut(b.s.marks, func(m mark) bool { return m.from != n.to })
		b.assume(costIncidental)
	case b.wordAt(n.to, "who", "that") && (b.ofPeople() || n.role == schema.Customer && b.wordAt(n.from-1, "the", "those", "of", "our") && b.phrase("how many of") >= 0):
		b.assume(costIncidental) // the average age of customers who buy shoes
	case n.role == schema.Order && n.plural && (b.s.has("running") || len(b.s.contrast) == 2) && b.x.can(plan.Orders):
		b.addMeasure(plan.Measure{Metric: plan.Orders})
	case b.countsDays(n):
		b.p.By, b.p.Count = []plan.Dimension{d}, true
	case n.role == schema.Day && n.part == plan.Day && len(b.s.periods) > 0 && !b.s.has("which", "list"):
	case b.wordAt(n.from-1, "do", "did", "does") && b.isIncidental(n) && !n.guessed:
		b.assume(costIncidental) // what do people buy
	case b.isKey(n) && b.s.has("share") && b.s.rank == nil:
		b.assume(costIncidental)
	case b.isKey(n) && b.s.rank == nil && !b.s.has("which", "list") && len(b.s.bounds) == 0 && (len(b.s.groups) > 0 || len(b.p.Measures) > 0 || b.s.has("distribution", "howmany", "share")):
		b.assume(costIncidental)
	case slices.Contains(b.p.By, d), b.filters(d):
	case n.plural && b.wordAt(n.from-1, "all") && b.s.rank == nil && b.s.has("howmany", "howmuch") && b.wordAt(n.from-2, "across", "over", "in", "of", "adding"):
		b.assume(costIncidental) // how many have we got across all batches
	case b.leadsCount(n):
		b.assume(costIncidental) // batches received per month
	default:
		return false
	}
	return true
}

// readCounted reads a name for the goods that are counted, or of which a share is asked for.
func (b *builder) readCounted(n name) bool {
	isShare := n.role == schema.Product && (n.plural || b.wordAt(n.from, "stuff")) && b.s.has("share") && len(b.p.Measures)+len(b.p.By) == 0
	switch {
	case isShare && b.x.source.Kind == schema.Stocklist:
		b.addMeasure(plan.Measure{Metric: plan.Distinct, Column: n.column.Heading}) // what share of products is out of stock
	case b.isShareOf(n):
		h, _ := b.productHeading()
		b.addMeasure(plan.Measure{Metric: plan.Distinct, Column: h}) // what share of the range is discontinued
	case isShare && b.wordAt(n.from-1, "of") && b.x.can(plan.Units):
		b.addMeasure(plan.Measure{Metric: plan.Units}) // what percentage of products are organic
	case b.isSold(n):
		b.addMeasure(plan.Measure{Metric: plan.Units})
	default:
		return false
	}
	return true
}

// readAmount reads a name of a column of numbers as a figure, but for numbers that make groups.
func (b *builder) readAmount(n name) bool {
	isNumber := n.column.Type == schema.Number && !isFlag(*n.column) && n.role != schema.Order
	switch {
	case !isNumber:
		return false
	case n.role == schema.Stock:
		b.addMeasure(plan.Measure{Metric: plan.StockUnits})
	case len(b.p.Measures) > 0 && b.s.rank == nil && (n.column.Unit == schema.Money || n.column.Scale > 0) && n.role != schema.Price && n.role != schema.UnitCost:
		b.assume(costIncidental) // food and bar takings: no amount makes groups
		b.addMeasure(b.measureOf(figure{span: n.span, column: n.column}))
	case len(b.p.Measures) == 0 && !(isDiscrete(n.column) && b.x.source.Kind == schema.Other):
		b.addMeasure(b.measureOf(figure{span: n.span, column: n.column}))
	default:
		return false
	}
	return true
}

// readGroup makes groups of a name, unless it says nothing beside the figures.
func (b *builder) readGroup(n name) bool {
	d := plan.Dimension{Column: n.column.Heading, Part: n.part}
	switch {
	case n.part != plan.Whole && len(b.s.periods) > 0 && len(b.p.By) == 0 && b.s.rank == nil && !b.s.has("which", "list", "rank"):
	case !n.plural && !n.guessed && b.isIncidental(n) && b.s.rank == nil && b.isMean() && b.s.has("which") && !b.asksWhich() && !b.s.has("who", "list", "rank", "trend"):
		b.assume(costIncidental) // what is the average price of a Lee product
	case b.isWayOfShare(n):
		f := cond{span: n.span, Filter: plan.Filter{Column: n.column.Heading, Op: plan.Filled}, role: n.role, text: n.text}
		b.s.where = join(b.s.where, []cond{f})
	case len(b.p.By) == 0 && len(b.s.counts) == 0 && (b.s.rank != nil || b.leads(n) || b.s.has("list", "which", "who", "rank", "trend")):
		b.groupBy(d)
	case !n.guessed && b.isIncidental(n), b.s.has("howmany", "howmuch") && n.plural && b.wordAt(b.fromOf(n)-1, "from", "to", "by", "our", "the", "at", "with"):
		b.assume(costIncidental)
	case len(b.p.By) < 2 && !b.s.has("share", "where") && len(b.s.counts) == 0 && b.s.suppositionOf == nil:
		b.assume(costBareGroup)
		b.groupBy(d)
	default:
		return false
	}
	return true
}

// isWayOfShare reports whether a share is of the rows of which a column tells something, and not of each of its values:
// what percentage of the money comes through insurance.
func (b *builder) isWayOfShare(n name) bool {
	at := n.from - 1
	if b.wordAt(at, "a", "an", "any") {
		at--
	}
	isSaid := b.s.has("share") && !n.plural && b.wordAt(at, "through", "via", "from", "by", "on", "with")
	return isSaid && n.column.Type == schema.Text && n.column.Blank > 0 && b.s.rank == nil && len(b.p.By)+len(b.s.groups)+len(b.s.where) == 0
}

// isOfSides reports whether a name only says of what the two sides of a comparison are: French or
// Spanish pupils, pupils who passed and those who did not.
func (b *builder) isOfSides(n name) bool {
	isSide := func(f cond) bool { return f.listed && f.to == n.from && f.Column != n.column.Heading }
	return n.plural && n.role != schema.None && (b.s.has("or", "versus") && slices.ContainsFunc(b.s.where, isSide) || len(b.s.contrast) == 2 && b.wordAt(n.to, "who", "that"))
}

// ofThoseWho reports whether a name only says of whom the money is: what we took from people who came by bus.
func (b *builder) ofThoseWho(n name) bool {
	isSaid := n.role == schema.Customer && n.plural && b.wordAt(n.to, "who", "that") && b.wordAt(n.from-1, "from", "by", "off")
	isAsked := b.s.has("howmuch", "sell", "share") || len(b.s.figures) > 0
	return isSaid && isAsked && b.s.rank == nil && len(b.s.bounds)+len(b.s.groups) == 0
}

// fromOf returns where a name begins, with the value before it: Spanish pupils.
func (b *builder) fromOf(n name) int {
	for _, f := range join(b.s.where, b.s.contrast) {
		if f.to == n.from {
			return f.from
		}
	}
	return n.from
}

// isMorePeople reports whether a name is of people whose numbers are compared: did more people join.
func (b *builder) isMorePeople(n name) bool {
	return n.role == schema.Customer && n.plural && b.wordAt(b.fromOf(n)-1, "more", "fewer", "less") && len(b.p.Measures)+len(b.s.figures) == 0 && b.x.can(plan.Customers)
}

// isMean reports whether the first figure is an average.
func (b *builder) isMean() bool {
	return b.averages(0) || len(b.p.Measures) > 0 && slices.Contains([]plan.Metric{plan.Average, plan.AveragePrice}, b.p.Measures[0].Metric)
}

// isShareOf reports whether a share is of a singular for all that a stock list has, of which a verb
// says what the part is.
func (b *builder) isShareOf(n name) bool {
	m := b.s.find("share")
	_, ok := b.productHeading()
	isOne := n.role == schema.Category && !n.plural && n.part == plan.Whole && b.x.source.Kind == schema.Stocklist && ok
	return m != nil && isOne && b.s.rank == nil && len(b.s.figures)+len(b.s.counts)+len(b.p.Measures)+len(b.p.By) == 0 && b.wordAt(n.from-1, "the", "our", "my", "your", "whole", "entire") && b.wordAt(n.to, verbs...)
}

// isVerb reports whether a heading is the verb of what a value did: did Gary work.
func (b *builder) isVerb(n name) bool {
	return len(b.s.figures) > 0 && slices.ContainsFunc(b.s.where, func(f cond) bool { return f.to == n.from && b.wordAt(f.from-1, "do", "did", "does") })
}

// isOneOrder reports whether a name is the order that a figure is divided by: the average bill on
// a job, what a job comes to on average.
func (b *builder) isOneOrder(n name) bool {
	isOne := n.role == schema.Order && !n.plural && b.s.rank == nil && !b.s.has("list")
	isPer := len(b.p.Measures) == 1 && b.p.Measures[0].Per == plan.PerOrder && !b.s.has("which")
	return isOne && (isPer || b.s.fold == "mean" && b.wordAt(n.from-1, "a", "an", "one", "each"))
}

// countsDays reports whether the days of a value are all that is named: rainy days in May.
func (b *builder) countsDays(n name) bool {
	i := slices.IndexFunc(b.s.where, func(f cond) bool { return f.to == n.from && f.Part == plan.Whole })
	named := len(b.s.figures)+len(b.s.counts)+len(b.p.Measures)+len(b.p.By) > 0 || b.s.rank != nil || b.s.has("sell", "buy", "money", "howmuch", "which", "share", "trend", "versus")
	return i >= 0 && !named && n.role == schema.Day && n.part == plan.Day && n.plural && b.wordAt(0, b.tokens[b.s.where[i].from].Text)
}

// isSold reports whether a plural of goods is one of pieces: jazz tracks sold in May.
func (b *builder) isSold(n name) bool {
	return b.isGoods(n) && n.plural && b.wordAt(n.to, "sold", "bought", "ordered") && len(b.p.Measures) == 0 && len(b.s.figures)+len(b.s.counts)+len(b.s.bounds) == 0 && b.s.rank == nil && !b.s.has("which", "list", "who", "never") && b.x.can(plan.Units)
}

// leads reports whether a plural begins the question, which asks for a list of such things.
func (b *builder) leads(n name) bool {
	first := !slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.from < n.from }) && len(b.s.counts) == 0 && n.from <= 1
	if !n.plural || !first || n.column.Type != schema.Text {
		return false
	}
	return b.wordAt(n.to, "that", "who", "which", "with", "where") || (len(b.s.bounds)+len(b.s.earlier) > 0 || len(b.s.periods) > 1 || b.s.has("more", "less", "never"))
}

// isIncidental reports whether a noun only says whose or of what the figures are, as all
// of them are: what customers spend, products sold.
func (b *builder) isIncidental(n name) bool {
	isRow := n.role == schema.None && !n.plural && b.wordAt(n.from-1, "a", "an") && b.isEvent(n)
	switch {
	case isRow, slices.Contains([]schema.Role{schema.Customer, schema.Product, schema.Order, schema.Store}, n.role):
		isWorth := b.x.source.Kind == schema.Stocklist && n.from > 0 && b.asksWorth() && !b.s.has("which", "list") // value of stuff in the loft
		return isWorth || len(b.p.By) > 0 || len(b.p.Measures) > 0 || b.s.rank != nil || b.s.has("sell", "buy", "howmuch", "soldout", "lowstock")
	}
	return false
}

// filters reports whether a condition chooses values of a dimension.
func (b *builder) filters(d plan.Dimension) bool {
	return slices.ContainsFunc(b.s.where, func(f cond) bool { return f.Column == d.Column && f.Part == d.Part && f.Op == plan.In })
}

// implyGroups groups a question that asks for a name or a trend without saying by what:
// who buys most, where, when, what sells best.
func (b *builder) implyGroups() error {
	if len(b.s.contrast) == 2 && !b.asksNames() && !b.s.has("when", "where") {
		if b.s.rank.isBusy() && len(b.p.Measures) == 0 && b.x.can(plan.Orders) {
			b.addMeasure(plan.Measure{Metric: plan.Orders})
		}
		b.s.rank = nil // one is more popular than the other
	}
	ranked := b.s.rank != nil
	switch {
	case b.asksPriceOf():
	case ranked && b.s.pair == plan.Difference && b.x.source.Kind == schema.Stocklist && len(b.p.By)+len(b.s.groups) == 0:
		b.groupByProduct() // the biggest gap between cost and RRP
	case b.listsGoods() && len(b.p.By)+len(b.s.counts) == 0 && !slices.ContainsFunc(b.s.figures, func(f figure) bool { return !b.isBound(f) }):
		b.groupByProduct() // list the beers, any negative stock
	case b.wordAt(0, "what") && b.x.source.Kind == schema.Stocklist && len(b.s.bounds) > 0 && len(b.s.figures)+len(b.p.By)+len(b.p.Measures) == 0:
		b.groupByProduct() // what costs us more than $5
	case b.hasWord("everything", "anything") && !(b.asksAny() && b.x.source.Kind != schema.Stocklist) && (len(b.s.bounds) > 0 || b.s.has("list") || slices.ContainsFunc(b.s.where, boundsStock)) && len(b.s.figures) == 0:
		b.groupByProduct()
	case b.groupByCompared(), b.groupByKind():
	case b.asksContents(), b.asksOfOrder(), b.buysGoods(), b.customerBuys(), b.listsDated():
		b.groupByProduct()
	case b.asksWhatSold():
		b.groupByProduct()
	case b.p.Count || b.p.WhatIf != nil || len(b.s.counts) > 0:
	case b.s.has("who") && (b.s.fold == "" && b.ofPeople() || b.countsWho()):
		b.assume(costIncidental) // the average age of customers who buy shoes
	case b.s.has("who") && b.phrase("how many") >= 0 && b.s.rank == nil:
		b.taken[b.s.find("who").from] = true // of those who joined in May, how many
	case b.s.has("who"):
		return b.groupByWho()
	case b.s.has("where"):
		return b.groupByPlace()
	case b.s.has("when") && (ranked || b.s.has("sell", "buy") && !b.asksDay()):
		if _, ok := plan.TimeColumn(b.x.source, plan.Hour); ok {
			b.groupByTime(plan.Hour)
		} else {
			b.groupByTime(plan.Weekday)
		}
	case ranked && b.s.has("sell") && len(b.p.Measures) == 1 && slices.Contains([]plan.Metric{plan.Least, plan.Most}, b.p.Measures[0].Metric): // the smallest fare we took
	case ranked && (b.s.has("sell", "expensive", "cheap", "price") || b.s.rank.column != nil && len(b.s.figures) == 0), b.s.has("soldout", "lowstock", "loss") && !b.s.has("howmuch", "howmany", "share") && !slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.metric == plan.Rows && !b.wordAt(f.from-1, "which", "what") }):
		b.groupByProduct()
	case ranked && b.s.rank.limit > 1 && b.x.source.Kind == schema.Customers && b.groupByRole(schema.Customer):
	case ranked && (len(b.s.figures) == 0 && b.s.has("which") || b.s.rank.limit > 1):
		b.groupByProduct()
	case ranked && b.s.rank.counts && b.wordAt(0, "what") && slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.to <= b.s.rank.from }):
		b.groupByProduct() // what we bin most
	case ranked && (b.s.has("grown", "shrunk") || b.ranksStock()):
		b.groupByProduct()
	case b.s.has("steps") && b.s.steps == "":
		b.groupByTime(b.seriesUnit())
	case b.s.has("steps") && b.s.steps.Series():
		b.groupByTime(b.s.steps)
	}
	return nil
}

// asksWhatSold reports whether it is asked what was sold, and no figure of it: what sold yesterday, what sold better
// this month than last.
func (b *builder) asksWhatSold() bool {
	isOfMoney := b.s.has("money", "howmuch", "share")
	sold := b.phraseOf("what sold", "what sells", "what has sold", "what is selling") && (b.s.rank == nil || b.s.has("grown", "shrunk", "more", "less"))
	return (sold || b.phraseOf("what do we sell", "what did we sell", "what do i sell", "what else do we sell")) && !isOfMoney && len(b.s.figures)+len(b.s.counts) == 0
}

// membersOf are the roles of those of whom a column says of what kind they are, by its role.
var membersOf = map[schema.Role]schema.Role{schema.Segment: schema.Customer, schema.Channel: schema.Store}

// groupByKind groups by those who are of a kind that is ranked by its noun, and reports whether one is: top 3 pubs,
// which school spends most.
func (b *builder) groupByKind() bool {
	isRanked := func(f cond) bool {
		return f.Op == plan.In && len(f.Values) == 1 && !f.listed && membersOf[f.role] != "" && (b.s.rank.to == f.from || b.wordAt(f.from-1, "which"))
	}
	if b.s.rank == nil || len(b.p.By)+len(b.s.groups)+len(b.s.names)+len(b.s.counts) > 0 || b.x.source.Kind != schema.Sales {
		return false
	}
	i := slices.IndexFunc(b.s.where, isRanked)
	return i >= 0 && b.groupByRole(membersOf[b.s.where[i].role])
}

// groupByWho groups by the people whom "who" asks for.
func (b *builder) groupByWho() error {
	if b.agent != nil {
		b.groupBy(plan.Dimension{Column: b.agent.Heading})
		return nil
	}
	if who := b.whoRoles(); !b.groupByRole(who...) {
		return b.missingRole(who[0])
	}
	return nil
}

// comesFrom reports whether it is asked where something or somebody comes from.
func (b *builder) comesFrom() bool { return b.phraseOf("come from", "came from", "coming from") }

// groupByPlace groups by where rows are from: a place, or the way on which people came. It refuses
// where no column tells.
func (b *builder) groupByPlace() error {
	way := b.x.way()
	if shelf := b.x.shelfColumn(); shelf != nil {
		b.groupBy(plan.Dimension{Column: shelf.Heading})
		return nil
	}
	said := slices.IndexFunc(b.x.source.Columns, func(c schema.Column) bool { return c.Type == schema.Text && hasWord(c.Heading, "where") })
	switch {
	case said >= 0 && b.comesFrom(): // Where From
		b.groupBy(plan.Dimension{Column: b.x.source.Columns[said].Heading})
	case b.groupByRole(schema.Store, schema.City, schema.State, schema.Region, schema.Country):
	case said >= 0:
		b.groupBy(plan.Dimension{Column: b.x.source.Columns[said].Heading})
	case b.x.place != nil:
		b.groupBy(plan.Dimension{Column: b.x.place.Heading})
	case b.x.words.Like(schema.Country) != nil:
		b.groupBy(plan.Dimension{Column: b.x.words.Like(schema.Country).Heading})
	case way != nil && b.comesFrom():
		b.groupBy(plan.Dimension{Column: way.Heading})
	default:
		return b.refuse(Missing, "There is no column of places in %s, so this cannot be answered.", b.x.source.Name)
	}
	return nil
}

// way returns the column of the ways on which people came, or nil.
func (x *lexicon) way() *schema.Column {
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool {
		return c.Role == schema.Channel || c.Type == schema.Text && c.Role == schema.None && hasWord(c.Heading, "source", "referral", "referred", "referrer", "heard", "found", "lead")
	})
	if i < 0 {
		return nil
	}
	return &x.source.Columns[i]
}

// boundsStock reports whether a condition is a bound of what is in stock or on order.
func boundsStock(f cond) bool {
	return (f.role == schema.Stock || f.role == schema.Incoming) && f.Op != plan.In
}

// ranksStock reports whether the one figure is of what is in stock, which each product has: the
// worst margin, the lowest stock.
func (b *builder) ranksStock() bool {
	ofStock := []plan.Metric{plan.StockUnits, plan.StockValue, plan.RetailValue, plan.Margin}
	return b.x.source.Kind == schema.Stocklist && len(b.s.figures) == 1 && slices.Contains(ofStock, b.s.figures[0].metric) && b.s.figures[0].fold == ""
}

// asksContents reports whether a stock list is asked what is at a place, or what comes from somebody:
// what is on shelf A1, what do we get from Acme.
func (b *builder) asksContents() bool {
	other := func(f figure) bool { return f.metric != plan.StockUnits || f.from > 2 }
	comesFrom := func(f cond) bool {
		return (f.role == schema.Supplier || f.role == schema.Brand) && f.Op == plan.In && b.wordAt(f.from-1, "from")
	}
	at := 2
	if b.wordAt(at, "still", "left", "currently") {
		at++
	}
	asked := b.wordAt(0, "what") && (b.wordAt(1, "is") && b.wordAt(at, "on", "in", "at", "from") || !b.s.has("sell", "howmuch", "share") && !b.shopPays() && slices.ContainsFunc(b.s.where, comesFrom))
	return asked && !b.s.has("money") && b.x.source.Kind == schema.Stocklist && len(b.s.where) > 0 && len(b.s.counts)+len(b.s.bounds) == 0 && !slices.ContainsFunc(b.s.figures, other)
}

// ofPeople reports whether "who" follows the people that an average is of.
func (b *builder) ofPeople() bool {
	who := b.s.find("who")
	mean := func(f figure) bool {
		return (f.fold == "mean" || f.fold == "median" || f.per == plan.PerOrder) && f.to <= who.from
	}
	return who != nil && who.from > 0 && b.s.rank == nil && slices.Contains(people, b.tokens[who.from-1].Lemma) && slices.ContainsFunc(b.s.figures, mean)
}

// countsWho reports whether "who" only follows the people who are counted: how many of those who came.
func (b *builder) countsWho() bool {
	who, m := b.s.find("who"), b.s.find("howmany")
	return who != nil && m != nil && who.from > 0 && b.x.source.Kind == schema.Customers
}

// readTrend groups by time, or by a column of years.
func (b *builder) readTrend() error {
	timed := slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return d.Part != plan.Whole || isYear(d.Column) })
	if !b.s.has("trend") || timed || len(b.p.By) > 1 || b.p.Compare != nil {
		return nil
	}
	first := len(b.p.By)
	if b.x.source.Last != "" {
		b.groupByTime(b.seriesUnit())
	} else if i := slices.IndexFunc(b.x.source.Columns, func(c schema.Column) bool { return isYear(c.Heading) }); i >= 0 {
		b.groupBy(plan.Dimension{Column: b.x.source.Columns[i].Heading})
	} else {
		return b.missingRole(schema.Day)
	}
	if first == 1 && len(b.p.By) == 2 {
		b.p.By[0], b.p.By[1] = b.p.By[1], b.p.By[0]
	}
	return nil
}

// isYear reports whether a heading is of years, months or days that are no dates.
func isYear(heading string) bool {
	return hasWord(heading, "year", "month", "date")
}

// asksDay reports whether a figure is a day.
func (b *builder) asksDay() bool {
	return slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Metric.AsDay() })
}

// groupByCompared groups by the column of compared values: Walmart vs Amazon.
func (b *builder) groupByCompared() bool {
	isRate := b.s.has("share") && b.s.find("share").arg == "rate" && b.s.has("or", "versus")
	if b.s.has("share") && !isRate || b.s.suppositionOf != nil || b.s.has("both") {
		return false
	}
	compares := b.s.has("versus", "or", "difference", "which") || b.hasWord("etc", "each") || b.s.has("grown", "shrunk") && !b.s.has("if")
	if b.comparesDayTypes() {
		return true
	}
	if b.hasWord("together", "combined", "altogether") {
		return false
	}
	together := b.s.fold == "sum" || b.hasWord("together", "combined", "altogether", "total")
	for _, f := range b.s.where {
		if f.Op != plan.In || !f.listed || !(compares || b.s.has("and", "than") && !together) {
			continue
		}
		b.groupBy(plan.Dimension{Column: f.Column, Part: f.Part})
		return true
	}
	return false
}

// splitSides makes a second group of values that "and" or a comma joins, each of which is meant: won and lost
// jobs by suburb, meat and fish by month.
func (b *builder) splitSides() {
	if len(b.p.By) != 1 || b.p.Count || b.s.rank != nil || b.s.has("or", "share", "both", "all") || b.s.fold == "sum" || b.s.suppositionOf != nil || b.hasWord("together", "combined", "altogether", "total") {
		return
	}
	isState := func(f cond) bool {
		return f.listed && f.Op == plan.In && f.Part == plan.Whole && f.role != schema.Customer && f.Column != b.p.By[0].Column
	}
	i := slices.IndexFunc(b.s.where, isState)
	if i < 0 {
		return
	}
	b.guessed = true // the words may mean their sum
	b.groupBy(plan.Dimension{Column: b.s.where[i].Column})
}

// addOthers takes values that are listed with "etc" for examples of the groups, which have all others, too.
func (b *builder) addOthers() {
	if b.hasWord("etc") {
		b.s.where, _ = cut(b.s.where, func(f cond) bool { return !f.listed || !b.groupsBy(f.Column) })
	}
}

// comparesDayTypes groups by weekday and weekend if both are named.
func (b *builder) comparesDayTypes() bool {
	days := 0
	for _, f := range b.s.where {
		if f.Part == plan.Weekday && f.Op == plan.In {
			days += len(f.Values)
		}
	}
	if days != len(plan.Weekdays) {
		return false
	}
	b.s.where = slices.DeleteFunc(slices.Clone(b.s.where), func(f cond) bool { return f.Part == plan.Weekday })
	b.groupByTime(plan.Daytype)
	return true
}

// seriesUnit returns the unit that shows a trend well: months, unless the days are few.
func (b *builder) seriesUnit() plan.Part {
	s := when.Span{From: b.now.First, To: b.now.Last}
	if len(b.s.periods) > 0 {
		s = b.s.periods[0]
	}
	switch days := s.Days(); {
	case days <= 35:
		return plan.Day
	case days <= 100:
		return plan.Week
	}
	return plan.Month
}

// dropClaim turns "is it true that Downtown sells most" into who sells most.
func (b *builder) dropClaim() {
	if b.s.rank == nil || len(b.s.where) != 1 || len(b.p.By) > 0 || !b.wordAt(0, "is", "are", "does", "do", "did", "was", "were") || b.s.where[0].Op != plan.In {
		return
	}
	f := b.s.where[0]
	b.s.where = nil
	if f.Part == plan.Weekday && len(f.Values) > 1 && !f.listed {
		b.s.rank, b.s.fold = nil, "mean"
		if b.x.can(plan.Orders) && len(b.p.Measures) == 0 {
			b.addMeasure(plan.Measure{Metric: plan.Orders})
		}
		b.groupByTime(plan.Daytype) // is it busier at weekends
		return
	}
	b.groupBy(plan.Dimension{Column: f.Column, Part: f.Part})
}

// nameSellers names the goods that the best seller in each category is one of.
func (b *builder) nameSellers() error {
	product, ok := b.x.source.ByRole(schema.Product)
	isOther := func(g group) bool {
		return g.role != schema.Product && g.role != schema.Staff && g.column != nil && g.word != "which"
	}
	isProduct := func(n name) bool { return n.role == schema.Product }
	r := b.s.rank
	if ok && r != nil && r.nth == 0 && strings.Contains(r.text, "seller") && len(b.s.groups) == 1 && isOther(b.s.groups[0]) && !slices.ContainsFunc(b.s.names, isProduct) {
		b.s.groups = join([]group{{name: name{span: r.span, column: &product, role: schema.Product}, word: "rank"}}, b.s.groups)
	}
	return nil
}

// readEach reads "top product in each region": region comes first, and the limit applies
// within it.
func (b *builder) readEach() {
	if len(b.p.By) != 2 || b.s.rank == nil && !b.s.has("which") {
		return
	}
	for _, g := range b.s.groups {
		if g.word == "rank" || g.word == "which" || g.column == nil || b.s.rank == nil {
			continue
		}
		if b.p.By[1] == (plan.Dimension{Column: g.column.Heading, Part: g.part}) {
			b.p.By[0], b.p.By[1] = b.p.By[1], b.p.By[0]
		}
		b.p.Each = true
		return
	}
}

// readOrder decides the order of the groups and their number.
func (b *builder) readOrder() error {
	if len(b.p.By) == 0 || b.p.Count {
		return nil
	}
	timed := b.p.By[0].Part != plan.Whole || isYear(b.p.By[0].Column)
	r := b.s.rank
	ofFigure := func(f figure) bool { return f.per != "" || f.column != nil }
	if r != nil && (strings.HasPrefix(r.text, "most common") || strings.HasPrefix(r.text, "most frequent")) && slices.ContainsFunc(b.s.figures, ofFigure) {
		return b.refuse(Unknown, "Which %s is the most common is not computed, only what it is on average, so this cannot be answered.", b.s.figures[0].text)
	}
	if r == nil && len(b.s.counts) == 1 && len(b.s.figures) == 1 && b.s.figures[0].to <= b.s.counts[0].from && len(b.p.Measures) == 2 && b.p.OrderBy == 0 {
		b.p.OrderBy = 1 // takings and number of jobs: in the order of what is named first
	}
	down := r != nil && r.down || b.s.has("loss") || b.s.has("cheap") && r != nil
	if r != nil && r.judges && len(b.p.Measures) > 0 && (b.p.Measures[0].Metric.LessIsBetter() || b.p.Measures[0].Since != "" || b.countsBad()) {
		down = !down
	}
	switch {
	case r != nil && down || b.s.has("loss"):
		b.p.Order = plan.Lowest
	case r != nil:
		b.p.Order = plan.Highest
	case timed && !b.s.has("rank"):
		b.p.Order = plan.ByLabel
	default:
		b.p.Order = plan.Highest
	}
	switch {
	case r != nil:
	case b.s.has("ascending") && !timed:
		b.p.Order = plan.Lowest
	case b.s.has("descending"):
		b.p.Order = plan.Highest
	}
	if r == nil || b.s.has("rank", "soldout", "lowstock", "loss") && !r.counts {
		return nil
	}
	b.p.Limit, b.p.Ends = b.limit(r), r.both
	if r.both {
		b.p.Order, b.p.Limit = plan.Highest, max(1, r.limit)
	}
	b.p.Nth = r.nth
	if r.nth > 0 {
		b.p.Each = false
	}
	return nil
}

// badWords begin values and headings of what nobody wants.
var badWords = []string{"no show", "no-show", "noshow", "cancel", "late", "fail", "return", "refund", "complain", "fault", "defect", "broken", "lost", "waste", "leftover", "past due", "overdue"}

func isBad(v string) bool {
	return slices.ContainsFunc(badWords, func(w string) bool { return strings.HasPrefix(strings.ToLower(v), w) })
}

// worstFor returns the condition that is bad for which a superlative that judges ranks: worst client for not turning
// up. It returns nil if there is none.
func (b *builder) worstFor() *cond {
	i := slices.IndexFunc(b.s.where, func(f cond) bool {
		return f.Op == plan.In && f.Part == plan.Whole && b.wordAt(f.from-1, "for", "at") && slices.ContainsFunc(f.Values, isBad)
	})
	if r := b.s.rank; i < 0 || r == nil || !r.judges {
		return nil
	}
	return &b.s.where[i]
}

// countsBad reports whether the first figure is of what nobody wants: no-shows, or a column of waste.
func (b *builder) countsBad() bool {
	m := b.p.Measures[0]
	return b.worstFor() != nil || isBad(m.Column) || slices.ContainsFunc(m.Where, func(f plan.Filter) bool {
		return f.Op == plan.In && slices.ContainsFunc(append(slices.Clone(f.Values), f.Column), isBad)
	})
}

// limit returns the number beside a superlative, 1 for a singular noun, 10 for a plural,
// or 0 for all.
func (b *builder) limit(r *rank) int {
	ranksName := slices.ContainsFunc(b.s.groups, func(g group) bool { return g.word == "rank" || g.word == "which" })
	byWord := slices.ContainsFunc(b.s.groups, func(g group) bool {
		return slices.Contains([]string{"by", "each", "per", "every", "for", "in", "at", "within", "from", "to", "of"}, g.word)
	})
	plural := r.plural || slices.ContainsFunc(b.s.groups, func(g group) bool { return g.word == "which" && g.plural })
	switch {
	case r.limit > 0:
		return r.limit
	case byWord && !ranksName:
		return 0 // the highest sales by store ranks all stores
	case b.filters(b.p.By[0]):
		return 0
	case plural:
		return 10
	}
	return 1
}

// sellsOfKind reports whether the names of what is sold of a kind are asked for: what cakes do we sell.
func (b *builder) sellsOfKind() bool {
	asks := b.wordAt(0, "what", "which") && b.phraseOf("do we sell", "did we sell", "do i sell", "do you sell") && len(b.s.where) > 0 && b.s.where[0].from <= 1
	return asks && !b.s.has("money", "howmuch", "howmany") && len(b.s.figures)+len(b.s.counts) == 0 && b.s.rank == nil
}
