package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// readCounts reads what "how many" and "different" count.
func (b *builder) readCounts() error {
	for _, n := range b.s.counts {
		switch {
		case n.name != nil && n.name.part == plan.Hour && len(b.s.bounds) == 0 && !b.wordAt(n.from-1, "in", "during"):
			return b.refuse(Missing, "There is no column in %s that says how many hours anything took, so this cannot be answered.", b.x.source.Name)
		case n.name != nil && n.name.part == plan.Day && slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.since != nil }):
			continue // how many days does one take, start to finish
		case b.asksWhatIsOwned(n):
			return b.refuse(Missing, "%s rows of what took place, and none of what there is, so how many there are cannot be answered.", b.subject("has", "have"))
		case n.figure != nil:
			b.countFigure(*n.figure)
		case n.name != nil && n.different && b.s.has("list") && b.phrase("how many") < 0 && n.name.column != nil && n.name.part == plan.Whole:
			b.groupBy(plan.Dimension{Column: n.name.column.Heading}) // list the unique brands
		case n.name != nil:
			b.countNames(n)
		case b.countWeekdays(n.span):
		case b.phraseOf("kinds of", "types of", "sorts of", "varieties of") && b.countKinds():
		case n.different && b.sellsTo(b.s.where[0]):
			b.addMeasure(plan.Measure{Metric: plan.Customers}) // how many different pubs did we sell to
		default:
			b.addMeasure(plan.Measure{Metric: b.countOfValue(b.s.where[0])})
		}
	}
	ofPeople := func(o bound) bool { return o.of != nil && o.of.metric == plan.Customers }
	if b.s.has("howmany") && len(b.s.counts) == 0 && slices.ContainsFunc(b.s.bounds, ofPeople) && b.x.can(plan.Customers) {
		b.addMeasure(plan.Measure{Metric: plan.Customers}) // how many customers over 50
		return nil
	}
	if m := b.s.find("howoften"); m != nil && len(b.s.counts) == 0 && len(b.s.where) > 0 && b.x.can(plan.Orders) {
		isOrders := len(b.s.figures) == 1 && b.s.figures[0].metric == plan.Orders && b.s.figures[0].plain()
		isHabit := b.wordAt(m.to, "do", "does") && b.x.source.Last != "" && len(b.s.periods)+len(b.s.groups)+len(b.s.bounds) == 0
		switch {
		case isHabit && (isOrders || len(b.s.figures) == 0):
			b.addMeasure(plan.Measure{Metric: plan.Orders, Per: string(plan.Month)}) // how often does Acme order
			b.s.figures = nil
		case len(b.s.figures) == 0:
			b.addMeasure(plan.Measure{Metric: plan.Orders}) // how often was Tash on
		}
		return nil
	}
	if m := b.s.find("howmany"); m != nil && len(b.s.counts) == 0 && len(b.s.figures) == 0 {
		b.countRows()
	}
	return nil
}

// countDifferent reads how many different pubs did we sell to: the customers of a kind, each once.
func countDifferent(c *chart, parts []*item) (sketch, bool) {
	return must(countOf(c, parts))(len(parts[2].s.where) == 1 && c.sellsTo(parts[2].s.where[0]))
}

// sellsTo reports whether a value says of which kind the customers are to whom something was sold.
func (c *chart) sellsTo(f cond) bool {
	ofGoods := slices.Contains(sideRoles[0], f.role)
	return !ofGoods && f.Part == plan.Whole && c.x.can(plan.Customers) && c.hasWord("to", "bought", "buy", "ordered", "order")
}

// ofEach reads how many of each, where no noun follows: of what, other words say.
func ofEach(c *chart, parts []*item) (sketch, bool) {
	by := parts[1]
	isNoun := func(it *item) bool {
		return slices.Contains([]string{nameCat, valueCat, figureCat, thingCat, "row"}, it.cat)
	}
	follows := by.to < len(c.tokens) && slices.ContainsFunc(c.starts[by.to], isNoun)
	return parts[0].s, c.tokens[by.to-1].Text == "each" && !follows
}

// asksWhatIsOwned reports whether the number of things that the shop has is asked of rows of sales or
// hires, of which one thing has many: how many tandems do we own.
func (b *builder) asksWhatIsOwned(n count) bool {
	last := len(b.tokens) - 1
	owns := b.wordAt(last, "own", "have", "keep", "possess") && b.wordAt(last-1, "we", "i", "they") && b.wordAt(last-2, "do")
	_, dated := b.heading(schema.Day)
	if !owns || !dated || b.x.source.Kind != schema.Sales || n.figure != nil || len(b.s.periods) > 0 {
		return false
	}
	goods := []schema.Role{schema.Product, schema.Category, schema.Brand, schema.SKU, schema.None}
	return slices.ContainsFunc(b.s.where, func(f cond) bool {
		return f.Op == plan.In && f.Part == plan.Whole && f.flag == nil && slices.Contains(goods, f.role) && (n.name == nil || n.name.column.Heading == f.Column)
	})
}

// countWeekdays counts the days that follow "how many": how many Saturdays were we open.
func (b *builder) countWeekdays(at span) bool {
	day, ok := plan.TimeColumn(b.x.source, plan.Day)
	isDays := func(f cond) bool {
		return at.from < f.from && f.to <= at.to && f.Part == plan.Weekday && b.plural(f.to)
	}
	if !ok || !slices.ContainsFunc(b.s.where, isDays) {
		return false
	}
	b.p.By, b.p.Count = []plan.Dimension{{Column: day.Heading, Part: plan.Day}}, true
	return true
}

// countKinds counts the products of a value: how many kinds of tea.
func (b *builder) countKinds() bool {
	h, ok := b.productHeading()
	if !ok || slices.ContainsFunc(b.s.where, func(f cond) bool { return f.Column == h }) {
		return false
	}
	b.addMeasure(plan.Measure{Metric: plan.Distinct, Column: h})
	return true
}

func (b *builder) countFigure(f figure) {
	if f.column != nil && f.since == nil && slices.ContainsFunc(b.s.where, func(o cond) bool { return o.Column == f.column.Heading && o.Op == plan.In }) {
		b.addMeasure(plan.Measure{Metric: b.x.counted()}) // how many 1 star ratings
		return
	}
	if b.x.isNumbering(f.column) && f.since == nil {
		b.addMeasure(plan.Measure{Metric: plan.Distinct, Column: f.column.Heading})
		return
	}
	if h, ok := b.heading(schema.Customer); ok && f.metric == plan.Customers && b.boundsGroups() {
		b.p.By, b.p.Count = []plan.Dimension{{Column: h}}, true
		return
	}
	if f.fold == "" && f.column != nil && b.s.fold == "mean" {
		f.fold = b.s.fold // how many views do they get on average
	}
	if b.plural(f.to) && f.fold == "" && f.since == nil && b.countAmounts(f.column, f.span) {
		return
	}
	m := b.measureOf(f)
	if h, ok := b.productHeading(); ok && m.Metric == plan.Units && b.boundsPrices() {
		b.addMeasure(plan.Measure{Metric: plan.Distinct, Column: h}) // how many pieces cost over 20
		return
	}
	if m.Metric == plan.Revenue && m.Per == "" {
		m.Metric = plan.Orders // how many sales
	}
	b.addMeasure(m)
}

// countAmounts counts the rows that have some of an amount of money: how many tips.
func (b *builder) countAmounts(c *schema.Column, at span) bool {
	isAmount := c != nil && (c.Unit == schema.Money || hasWord(c.Heading, "quote", "quoted", "estimate", "invoiced") || isPaid(c.Heading))
	if !isAmount || c.Type != schema.Number || c.Role != schema.None {
		return false
	}
	some := plan.Filter{Column: c.Heading, Op: plan.More, Values: []string{"0"}}
	b.s.where = join(b.s.where, []cond{{span: at, Filter: some, text: b.text(at.from, at.to)}})
	b.countRows()
	return true
}

// isNumbering reports whether the numbers of a column name things and have no sum: no two rows
// share one.
func (x *lexicon) isNumbering(c *schema.Column) bool {
	const least = 10
	return c != nil && c.Type == schema.Number && c.Scale == 0 && c.Unit == schema.Plain && c.Role == schema.None && c.Distinct >= least && c.Distinct == x.source.Rows-c.Blank
}

// numbersRows reports whether the numbers of a column are those of the rows: of checks, and not an age of
// each, of which there are not as many, nor what a plural counts.
func (x *lexicon) numbersRows(c *schema.Column) bool {
	const least = 100
	isCount := c != nil && strings.HasSuffix(strings.ToLower(c.Heading), "s")
	return x.isNumbering(c) && c.Distinct >= least && c.Blank == 0 && !isCount && !isRate(c.Heading) && plan.UnitOf(*c) == ""
}

// countNames counts the values of a column, or those that a bound selects. Products that
// were sold are counted in units unless the question says "different".
func (b *builder) countNames(n count) {
	c := *n.name.column
	restricts := func(f cond) bool { return f.Column == c.Heading && f.Op == plan.In }
	switch {
	case b.isWhole(*n.name), b.x.bought != nil && c.Role == schema.Product && !n.different:
		b.addMeasure(plan.Measure{Metric: plan.Rows})
	case slices.ContainsFunc(b.s.where, restricts): // large deals
		b.addMeasure(plan.Measure{Metric: b.countOfValue(b.s.where[slices.IndexFunc(b.s.where, restricts)])})
	case n.name.part == plan.Day && len(b.s.groups) > 0:
		b.addMeasure(plan.Measure{Metric: plan.Distinct, Column: c.Heading})
	case n.name.part == plan.Day && c.Role != schema.Day && hasWord(c.Heading, "last", "first") && !b.wordAt(n.to-1, "day", "days", "date", "dates"):
		b.addMeasure(plan.Measure{Metric: b.x.counted()}) // how many had their last visit in May
	case n.name.part != plan.Whole:
		b.p.By = []plan.Dimension{{Column: c.Heading, Part: n.name.part}}
		b.p.Count = true
	case c.Role == schema.Order && b.x.can(plan.Orders) && !b.boundsGroups():
		b.addMeasure(plan.Measure{Metric: plan.Orders})
	case !n.different && (b.areEvents(*n.name) || b.hasKind(*n.name)):
		b.addMeasure(plan.Measure{Metric: b.x.counted()})
	case n.name.plural && !n.different && b.countAmounts(&c, n.name.span):
	case c.Type == schema.Number && c.Role == schema.None && !n.different && !b.x.isNumbering(&c):
		ofEach := b.s.fold == "mean" && !slices.ContainsFunc(b.s.groups, func(g group) bool { return g.part != plan.Whole }) // how many views does one get on average
		b.addMeasure(plan.Measure{Metric: map[bool]plan.Metric{true: plan.Average, false: plan.Sum}[ofEach], Column: c.Heading, In: n.name.in})
	case c.Role == schema.Product && b.boundsPrices():
		b.addMeasure(plan.Measure{Metric: plan.Distinct, Column: c.Heading}) // how many items sell for over 25
	case b.boundsGroups():
		b.p.By = []plan.Dimension{{Column: c.Heading}}
		b.p.Count = true
	case c.Role == schema.Product && !n.different && b.happened() && slices.Contains([]string{"item", "thing", "piece", "tool"}, b.tokens[n.to-1].Lemma):
		b.addMeasure(plan.Measure{Metric: b.x.nearest(plan.Units)}) // how many items came back late
	case c.Role == schema.Customer && !n.different:
		b.addMeasure(plan.Measure{Metric: plan.Customers})
	case !n.different && (b.sellsPieces(c) || b.wereDone(*n.name)) && b.x.can(plan.Units):
		b.addMeasure(plan.Measure{Metric: plan.Units})
	case !n.different && b.isRowID(*n.name) && len(b.s.where)+len(b.s.periods) > 0:
		b.addMeasure(plan.Measure{Metric: plan.Rows})
	case !n.different && b.x.source.Kind == schema.Other && c.Type == schema.Text && 10*c.Distinct >= 9*b.x.source.Rows:
		b.addMeasure(plan.Measure{Metric: plan.Rows})
	default:
		b.addMeasure(plan.Measure{Metric: plan.Distinct, Column: c.Heading})
	}
}

// happened reports whether what is counted is said to have gone out, come back, or the like, each time
// that it did.
func (b *builder) happened() bool {
	isState := func(f cond) bool {
		c, ok := plan.Column(b.x.source, f.Column)
		return ok && (isDay(&c) && (f.Other != "" || f.Op == plan.Blank || f.Part == plan.Day) || c.Role == schema.Status)
	}
	return b.x.source.Kind == schema.Sales && b.x.can(plan.Units) && slices.ContainsFunc(b.s.where, isState)
}

// hasKind reports whether a plural names the things of which a column has the kind, one in each row:
// bikes of Bike Type.
func (b *builder) hasKind(n name) bool {
	heading := strings.Fields(strings.ToLower(link.Spaced(n.column.Heading)))
	isOf := n.partial && n.plural && n.to == n.from+1 && len(heading) == 2 && heading[0] == b.tokens[n.from].Lemma
	return isOf && slices.Contains([]string{"type", "kind", "category", "class"}, heading[1])
}

// isWhole reports whether a word for a category stands for all goods of a list, some of which are
// asked for: how many of the range are discontinued.
func (b *builder) isWhole(n name) bool {
	isOne := n.role == schema.Category && !n.plural && b.x.source.Kind == schema.Stocklist
	isPart := len(b.s.where) > 0 || b.s.has("soldout", "lowstock")
	return isOne && isPart && b.wordAt(n.from-1, "the", "our") && b.wordAt(n.from-2, "of") && (len(b.s.counts) > 0 || b.s.has("share", "howmany"))
}

// boundsPrices reports whether all bounds are amounts of money, of which each of the goods of a list has
// one.
func (b *builder) boundsPrices() bool {
	isOther := func(o bound) bool { return o.unit != link.Money && o.arg != "price" }
	return b.x.source.Kind == schema.Stocklist && len(b.s.bounds) > 0 && !slices.ContainsFunc(b.s.bounds, isOther)
}

// boundsGroups reports whether a bound selects among what is counted: how many customers
// ordered more than 5 times.
func (b *builder) boundsGroups() bool {
	return b.s.has("loss") || slices.ContainsFunc(b.s.bounds, func(o bound) bool { return !b.ofRow(o) })
}

// boundsOrders reports whether a bound is on an amount of orders of several rows, each of which has a part of
// it: how many invoices came to over £300 gross.
func (b *builder) boundsOrders(o bound) bool {
	order, ok := b.x.source.ByRole(schema.Order)
	if !ok || order.Distinct >= b.x.source.Rows || o.of == nil || o.of.column == nil || o.of.fold != "" || o.of.column.Unit != schema.Money || isRate(o.of.column.Heading) {
		return false
	}
	isOrders := func(n count) bool {
		return n.figure != nil && n.figure.metric == plan.Orders || n.name != nil && n.name.role == schema.Order
	}
	return !slices.Contains([]schema.Role{schema.Price, schema.UnitCost, schema.Shipping}, o.of.column.Role) && len(b.s.counts) == 1 && isOrders(b.s.counts[0]) && !b.hasWord("with", "line", "lines", "item", "items")
}

// ofRow reports whether a bound is on a column whose value each row has, and not on a sum.
func (b *builder) ofRow(o bound) bool {
	if b.boundsOrders(o) {
		return false
	}
	if ofOne := len(b.s.counts) == 1 && b.s.counts[0].name != nil && b.s.counts[0].name.role != schema.Order; ofOne && b.x.source.Kind == schema.Sales && o.of != nil && o.of.column != nil && !isRate(o.of.column.Heading) &&
		(o.of.column.Unit == schema.Money || b.s.has("sell")) {
		return false // how many stylists took over 500 in tips
	}
	return o.of != nil && o.of.fold == "" && (o.of.column != nil || o.of.metric == plan.Cost && !b.x.can(plan.Cost)) || o.arg == "price"
}

// sellsPieces reports whether units of a column's things are counted, as in "how many items
// did we sell", and not the things, as in "how many products do we sell".
func (b *builder) sellsPieces(c schema.Column) bool {
	isThing := c.Role == schema.None && c.Type == schema.Text
	if c.Role != schema.Product && c.Role != schema.SKU && !isThing {
		return false
	}
	if isThing && slices.ContainsFunc(b.s.counts, func(n count) bool { return b.wordAt(n.to, "bought", "purchased", "ordered", "spent", "paid") }) {
		return false // how many garages bought from us
	}
	isPriced := slices.ContainsFunc(b.s.bounds, func(o bound) bool { return o.arg == "price" }) // went for over £100
	return b.hasWord("sold", "bought", "purchased", "shifted", "gone", "went") && (isPriced || b.s.has("sell", "buy")) || !isThing && b.hasWord("did") || len(b.s.groups) > 0 && b.s.groups[0].part != plan.Whole
}

// countOfValue returns the metric that counts a value: units of what is sold, or orders.
func (b *builder) countOfValue(f cond) plan.Metric {
	k := b.x.source.Kind
	switch {
	case k == schema.Stocklist && f.flag != nil && !b.s.has("row"):
		return plan.Rows // how many are discontinued: things, and not their stock
	case k == schema.Stocklist && !b.s.has("sell"):
		return plan.StockUnits
	case k == schema.Stocklist:
		return plan.Units // refused by name
	case k == schema.Other || k == schema.Customers:
		return plan.Rows
	case b.s.has("row") && b.x.can(plan.Orders):
		return plan.Orders // festivals and private gigs
	case slices.Contains([]schema.Role{schema.Product, schema.Category, schema.Brand, schema.SKU}, f.role) && b.x.can(plan.Units):
		return plan.Units
	case (b.s.has("sell") || hasWord(f.Column, "unit", "uom", "measure")) && b.x.can(plan.Units) && f.role != schema.Status:
		return plan.Units
	case b.x.can(plan.Orders):
		return plan.Orders
	}
	return plan.Rows
}

// countRows counts what passes the conditions, where the question does not say what is
// counted.
func (b *builder) countRows() {
	switch {
	case b.x.source.Kind == schema.Stocklist && b.s.has("sell", "buy"):
		b.addMeasure(plan.Measure{Metric: plan.Orders}) // refused by name
	case b.x.source.Kind == schema.Stocklist && slices.ContainsFunc(b.s.where, func(f cond) bool { return f.listed }):
		b.addMeasure(plan.Measure{Metric: plan.StockUnits}) // how many of each
	case b.x.source.Kind == schema.Stocklist && b.s.has("row"):
		b.addMeasure(plan.Measure{Metric: plan.Rows})
	case b.x.source.Kind == schema.Stocklist && (len(b.s.groups) > 0 && b.phraseOf("in each", "of each", "for each") || slices.ContainsFunc(b.s.where, func(f cond) bool { return f.Op == plan.In && (f.role == schema.Product || f.role == schema.SKU) })):
		b.addMeasure(plan.Measure{Metric: plan.StockUnits})
	case b.x.source.Kind == schema.Stocklist:
		if h, ok := b.productHeading(); ok {
			b.addMeasure(plan.Measure{Metric: plan.Distinct, Column: h})
		}
	case len(b.s.where) > 0:
		b.addMeasure(plan.Measure{Metric: b.countOfValue(b.s.where[0])})
	case b.s.has("sell") && b.x.can(plan.Units):
		b.addMeasure(plan.Measure{Metric: plan.Units})
	case b.x.can(plan.Orders):
		b.addMeasure(plan.Measure{Metric: plan.Orders})
	default:
		b.addMeasure(plan.Measure{Metric: plan.Rows})
	}
}

// countRather counts the rows of a question for how many that names an amount of money, or a last day, and asks for
// neither: how many paid with a voucher.
func (b *builder) countRather() error {
	if !b.s.has("howmany") && !b.phraseOf("how many") {
		return nil
	}
	isDay := func(m plan.Measure) bool { return m.Metric.AsDay() && m.Plain() }
	if len(b.p.By) == 0 && b.p.List == nil && !b.hasWord("when") && slices.ContainsFunc(b.p.Measures, isDay) {
		b.p.Measures = slices.DeleteFunc(slices.Clone(b.p.Measures), isDay) // how many were last in during May
		if len(b.p.Measures) == 0 {
			b.addMeasure(plan.Measure{Metric: b.x.counted()})
		}
	}
	if len(b.p.Measures) != 1 || b.p.List != nil || len(b.p.Having)+len(b.p.Derived) > 0 {
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

// skipEach leaves out "each" where it is each of the values that the words before it set side by side, and no
// noun follows: Ann v Ben, how much did each take.
func (c *chart) skipEach() {
	for i, t := range c.tokens {
		if i > 0 && t.Text == "each" && slices.Contains([]string{"for", "of", "on", "from", "in", "by", "per"}, c.tokens[i-1].Text) {
			isNamed := func(it *item) bool { return (it.cat == figureCat || it.cat == nameCat) && it.to == i+1 }
			c.starts[i] = slices.DeleteFunc(c.starts[i], isNamed) // no heading
		}
		isOf := t.Text == "each" && c.setsSideBySide(i)
		next := i + 1
		if isOf && next < len(c.tokens) && c.tokens[next].Text == "one" {
			next++
		}
		if isOf && (next == len(c.tokens) || isVerb(c.tokens[next].Text) || slices.Contains(sideVerbs, c.tokens[next].Lemma)) {
			c.starts[i] = nil
			c.skips[i] = append(c.skips[i], next)
		}
	}
}

// sideVerbs come after "each" where it is what does something.
var sideVerbs = []string{"bring", "take", "make", "do", "sell", "earn", "have", "get", "cost", "come", "spend", "turn"}

// setsSideBySide reports whether two values with a word of comparison between them are before a token.
func (c *chart) setsSideBySide(at int) bool {
	isValue := func(it *item) bool { return it.cat == valueCat && it.to <= at }
	for i := 1; i < at; i++ {
		isVersus := slices.ContainsFunc(c.starts[i], func(it *item) bool { return it.cat == "versus" || it.cat == "and" || it.cat == "or" })
		from := i + 1
		if c.tokens[i].Mark == "," {
			isVersus, from = true, i // bread, rolls
		}
		after := slices.ContainsFunc(slices.Concat(c.starts[from:at]...), isValue)
		before := slices.ContainsFunc(slices.Concat(c.starts[:i]...), func(it *item) bool { return it.cat == valueCat && it.to <= i })
		if isVersus && before && after {
			return true
		}
	}
	return false
}
