package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// readFigures adds the figures that the question names.
func (b *builder) readFigures() error {
	b.splitFlags()
	b.splitDiscrete()
	for _, f := range b.s.figures {
		if b.isBound(f) {
			continue
		}
		if h, ok := b.heading(schema.Customer); ok && f.metric == plan.Customers && f.fold == "" && (b.s.has("who") || len(b.s.bounds) > 0) && !b.s.has("howmany", "share") && len(b.s.counts)+len(b.s.groups) == 0 {
			b.groupBy(plan.Dimension{Column: h}) // customers who spent over 100
			continue
		}
		if b.countsNothing(f) {
			b.assume(costIncidental)
			continue
		}
		if f.metric == plan.OnOrder && len(b.p.Measures) == 1 && b.p.Measures[0].Metric == plan.StockUnits {
			b.p.Measures = nil // units on order
		}
		if f.fold == "" && b.s.fold != "" && len(b.s.figures) == 1 {
			f.fold = b.s.fold
		}
		b.addMeasure(b.measureOf(f))
	}
	if b.s.fold == "count" && len(b.s.figures) > 0 {
		b.assume(costMarkUnused)
	}
	if m := b.s.find("more", "less"); m != nil && m.column != nil && len(b.p.Measures) == 0 && m.column.Type == schema.Number {
		b.addMeasure(b.measureOf(figure{span: m.span, column: m.column, fold: "mean"}))
	}
	if i := slices.IndexFunc(b.p.Measures, func(m plan.Measure) bool { return m.Metric == plan.RepeatCustomers }); i > 0 {
		b.p.Measures = b.p.Measures[i : i+1]
	}
	// "sales profit" and "profit on sales" mean profit.
	if len(b.s.figures) == 2 && len(b.p.Measures) == 2 && b.p.Measures[0].Metric == plan.Revenue && b.p.Measures[0].Plain() && b.p.Measures[1].Metric != plan.Revenue &&
		!b.s.has("and", "versus") && b.s.figures[1].from-b.s.figures[0].to <= 1 {
		b.p.Measures = b.p.Measures[1:]
	}
	return nil
}

// readFolds gives a fold that no figure took to what a bound compares: a rating above 8 on
// average.
func (b *builder) readFolds() error {
	if b.s.fold != "mean" && b.s.fold != "median" || len(b.s.figures) > 0 {
		return nil
	}
	b.s.bounds = slices.Clone(b.s.bounds)
	for i, o := range b.s.bounds {
		if o.of != nil && o.other == nil && o.of.fold == "" && o.of.column != nil {
			f := *o.of
			f.fold = b.s.fold
			b.s.bounds[i].of = &f
		}
	}
	return nil
}

// maxDiscrete is the number of different values up to which a column of numbers beside
// another figure makes groups: cylinders, years.
const maxDiscrete = 30

func isDiscrete(c *schema.Column) bool {
	return c != nil && c.Type == schema.Number && c.Role == schema.None && c.Unit == schema.Plain && c.Scale == 0 && c.Distinct <= maxDiscrete
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// splitFlags makes groups of a heading of yes or no that something depends on: how does
// the subscription status affect sales.
func (b *builder) splitFlags() {
	if !b.s.has("relate") {
		return
	}
	in, out := cut(b.s.where, func(f cond) bool { return f.flag != nil })
	for _, f := range in {
		b.s.groups = join(b.s.groups, []group{{name: name{span: f.span, column: f.flag, text: f.text}, word: "by"}})
	}
	b.s.where = out
}

// splitDiscrete makes groups of a number with few values beside another figure: mpg
// against cylinders.
func (b *builder) splitDiscrete() {
	others := len(b.s.counts) + len(b.s.groups)*btoi(b.s.has("distribution")) + btoi(b.s.has("distribution", "row"))
	for _, f := range b.s.figures {
		if !isDiscrete(f.column) || f.fold != "" {
			others++
		}
	}
	if b.x.source.Kind == schema.Other {
		others += len(b.s.groups)
	}
	if others == 0 && b.s.fold != "count" && !b.s.has("howmany") {
		return
	}
	b.s.figures = slices.Clone(b.s.figures)
	for i := 0; i < len(b.s.figures); i++ {
		f := b.s.figures[i]
		if isDiscrete(f.column) && f.fold == "" && !b.isBound(f) {
			b.s.figures = slices.Delete(b.s.figures, i, i+1)
			b.s.groups = join(b.s.groups, []group{{name: name{span: f.span, column: f.column, text: f.text}}})
			i--
		}
	}
	b.s.groups = slices.Clone(b.s.groups)
	slices.SortStableFunc(b.s.groups, func(x, y group) int { return x.from - y.from })
}

// countsNothing reports whether a word for orders only says what the money is of: the value
// of disputed orders.
func (b *builder) countsNothing(f figure) bool {
	if !b.x.can(f.metric) && f.metric == plan.StockUnits && len(b.s.counts) > 0 && f.column == nil {
		return true // how many colours do we stock
	}
	if f.metric != plan.Orders && f.metric != plan.Customers || f.per != "" || f.fold != "" || b.s.has("and", "by", "versus") || len(b.s.counts) > 0 || b.s.has("howmany") {
		return false
	}
	if f.metric == plan.Customers && (b.wordAt(f.from-1, "which", "what", "each", "per") || b.s.rank != nil) {
		return false
	}
	other := slices.ContainsFunc(b.s.figures, func(o figure) bool {
		return o.metric != plan.Orders && o.metric != plan.Customers && !b.isBound(o) && o.per == ""
	})
	return other || b.s.has("money", "howmuch")
}

// isBound reports whether a figure only compares with a bound.
func (b *builder) isBound(f figure) bool {
	return slices.ContainsFunc(b.s.bounds, func(o bound) bool { return o.of != nil && o.of.span == f.span })
}

// folds are the metrics of a column by the words for them.
var folds = map[link.Sense]plan.Metric{"mean": plan.Average, "median": plan.Average, "sum": plan.Sum, "least": plan.Least, "most": plan.Most, "count": plan.Rows}

// measureOf returns a named figure as a measure.
func (b *builder) measureOf(f figure) plan.Measure {
	if price, ok := b.heading(schema.Price); ok && f.metric == plan.AveragePrice && f.column == nil {
		return plan.Measure{Metric: plan.Average, Column: price}
	}
	if f.column == nil {
		m := plan.Measure{Metric: b.x.nearest(f.metric), Per: f.per}
		if f.metric.OfColumn() {
			m.Metric = plan.Rows
		}
		return b.folded(m, f)
	}
	m := plan.Measure{Metric: plan.Distinct, Column: f.column.Heading}
	if f.metric == plan.Distinct && f.column.Role == schema.Product && b.s.has("sell", "buy") && b.x.can(plan.Units) {
		return plan.Measure{Metric: plan.Units}
	}
	if f.metric == plan.Distinct {
		return m
	}
	if f.since != nil {
		m.Since = f.since.Heading
		if f.fold == "" {
			f.fold = "mean"
		}
	}
	if m.Metric = folds[f.fold]; m.Metric == "" {
		m.Metric = b.usualFold(*f.column)
	}
	if m.Metric == plan.Rows {
		return plan.Measure{Metric: plan.Rows}
	}
	return b.folded(m, f)
}

// nearest returns the figure that a word means in a source that cannot give its usual one:
// sales are counted in units without prices, and units are stock in a stock list.
func (x *lexicon) nearest(m plan.Metric) plan.Metric {
	switch {
	case x.can(m):
	case m == plan.Units && x.can(plan.StockUnits):
		return plan.StockUnits
	}
	return m
}

// folded applies a median.
func (b *builder) folded(m plan.Measure, f figure) plan.Measure {
	if f.fold == "median" {
		setMedian(&m)
	}
	return m
}

// usualFold returns the fold of a column of numbers if the question names none. Shares,
// ratings and prices have no sum; other numbers have one where rows are sales.
func (b *builder) usualFold(c schema.Column) plan.Metric {
	noSum := []schema.Role{schema.Rating, schema.Price, schema.UnitCost, schema.LeadTime, schema.Margin}
	r := b.s.rank
	switch {
	case isRate(c.Heading) || c.Unit == schema.Percent || slices.Contains(noSum, c.Role):
		if r != nil && len(b.s.groups) == 0 && len(b.s.names) == 0 && !b.s.has("which", "who", "where", "when") {
			return map[bool]plan.Metric{true: plan.Least, false: plan.Most}[r.down]
		}
		return plan.Average
	case r != nil && len(b.s.groups) == 0 && len(b.s.names) == 0 && !b.s.has("which", "who", "where"):
		return map[bool]plan.Metric{true: plan.Least, false: plan.Most}[r.down]
	case c.Unit == schema.Money || c.Unit == schema.Count || c.Role != schema.None:
		return plan.Sum
	}
	b.loose = true
	if b.x.source.Kind == schema.Other || b.x.source.Kind == schema.Customers {
		return plan.Average
	}
	return plan.Sum
}

// isRate reports whether a heading is of something per unit, which has no sum.
func isRate(heading string) bool {
	rates := []string{"price", "rate", "rating", "score", "average", "percent", "percentage", "age", "margin", "avg", "msrp", "each", "level", "duration"}
	return slices.ContainsFunc(strings.Fields(strings.ToLower(link.Spaced(heading))), func(w string) bool { return slices.Contains(rates, w) })
}

// readCounts reads what "how many" and "different" count.
func (b *builder) readCounts() error {
	for _, n := range b.s.counts {
		switch {
		case n.figure != nil:
			b.countFigure(*n.figure)
		case n.name != nil:
			b.countNames(n)
		default:
			b.addMeasure(plan.Measure{Metric: b.countOfValue(b.s.where[0])})
		}
	}
	if m := b.s.find("howmany"); m != nil && len(b.s.counts) == 0 && len(b.s.figures) == 0 {
		b.countRows()
	}
	return nil
}

func (b *builder) countFigure(f figure) {
	if h, ok := b.heading(schema.Customer); ok && f.metric == plan.Customers && b.boundsGroups() {
		b.p.By, b.p.Count = []plan.Dimension{{Column: h}}, true
		return
	}
	m := b.measureOf(f)
	if m.Metric == plan.Revenue && m.Per == "" {
		m.Metric = plan.Orders // how many sales
	}
	b.addMeasure(m)
}

// countNames counts the values of a column, or those that a bound selects. Products that
// were sold are counted in units unless the question says "different".
func (b *builder) countNames(n count) {
	c := *n.name.column
	switch {
	case n.name.part != plan.Whole:
		b.p.By = []plan.Dimension{{Column: c.Heading, Part: n.name.part}}
		b.p.Count = true
	case c.Role == schema.Order && b.x.can(plan.Orders) && !b.boundsGroups():
		b.addMeasure(plan.Measure{Metric: plan.Orders})
	case b.boundsGroups():
		b.p.By = []plan.Dimension{{Column: c.Heading}}
		b.p.Count = true
	case c.Role == schema.Customer && !n.different:
		b.addMeasure(plan.Measure{Metric: plan.Customers})
	case c.Type == schema.Number && c.Role == schema.None && !n.different:
		b.addMeasure(plan.Measure{Metric: plan.Sum, Column: c.Heading})
	case !n.different && b.sellsPieces(c) && b.x.can(plan.Units):
		b.addMeasure(plan.Measure{Metric: plan.Units})
	case !n.different && b.x.source.Kind == schema.Other && c.Type == schema.Text && 10*c.Distinct >= 9*b.x.source.Rows:
		b.addMeasure(plan.Measure{Metric: plan.Rows})
	default:
		b.addMeasure(plan.Measure{Metric: plan.Distinct, Column: c.Heading})
	}
}

// boundsGroups reports whether a bound selects among what is counted: how many customers
// ordered more than 5 times.
func (b *builder) boundsGroups() bool {
	return b.s.has("loss") || slices.ContainsFunc(b.s.bounds, func(o bound) bool { return !b.ofRow(o) })
}

// ofRow reports whether a bound is on a column whose value each row has, and not on a sum.
func (b *builder) ofRow(o bound) bool {
	return o.of != nil && o.of.fold == "" && (o.of.column != nil || o.of.metric == plan.Cost && !b.x.can(plan.Cost)) || o.arg == "price"
}

// sellsPieces reports whether units of a column's things are counted, as in "how many items
// did we sell", and not the things, as in "how many products do we sell".
func (b *builder) sellsPieces(c schema.Column) bool {
	if c.Role != schema.Product && !(c.Role == schema.None && c.Type == schema.Text) {
		return false
	}
	return b.word("sold", "did", "bought", "purchased", "shifted") || len(b.s.groups) > 0 && b.s.groups[0].part != plan.Whole
}

// countOfValue returns the metric that counts a value: units of what is sold, or orders.
func (b *builder) countOfValue(f cond) plan.Metric {
	k := b.x.source.Kind
	switch {
	case k == schema.Stocklist && !b.s.has("sell"):
		return plan.StockUnits
	case k == schema.Stocklist:
		return plan.Units // refused by name
	case k == schema.Other || k == schema.Customers:
		return plan.Rows
	case slices.Contains([]schema.Role{schema.Product, schema.Category, schema.Brand, schema.SKU}, f.role) && b.x.can(plan.Units):
		return plan.Units
	case b.s.has("sell") && b.x.can(plan.Units) && f.role != schema.Status:
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

// implyMeasures adds the figure of a question that names none.
func (b *builder) implyMeasures() error {
	if len(b.p.Measures) > 0 {
		return nil
	}
	if s := b.s.suppositionOf; s != nil {
		return nil
	}
	r := b.s.rank
	switch {
	case b.boundsNamed():
	case b.s.fold == "count":
		b.countRows()
	case r != nil && r.metric != "":
		b.addMeasure(plan.Measure{Metric: r.metric})
	case r != nil && r.column != nil:
		b.addMeasure(b.measureOf(figure{column: r.column, fold: "mean"}))
	case b.s.has("price", "expensive", "cheap"):
		return b.priceMeasure()
	case r != nil && slices.Contains([]string{"busiest", "quietest", "slowest"}, r.text) && b.x.can(plan.Orders) && r.text != "slowest":
		b.addMeasure(plan.Measure{Metric: plan.Orders})
		b.addIfGiven(plan.Revenue)
	case b.x.source.Kind == schema.Stocklist && b.x.can(plan.StockUnits) && !b.s.has("sell"):
		b.addMeasure(plan.Measure{Metric: plan.StockUnits})
	default:
		b.implySales()
	}
	b.loose = b.loose || len(b.s.bounds) > 0 && len(b.s.groups) == 0 && b.p.Measures[0].Metric != plan.Revenue && !b.p.Count
	if b.p.WhatIf == nil && !b.s.has("sell", "buy", "money", "howmuch") && b.s.rank == nil && len(b.p.Measures) > 0 && len(b.s.counts) == 0 {
		b.assume(costNoFigure)
	}
	return nil
}

// boundsNamed adds the figure that a bound names, of groups that the question asks for:
// products with a margin below 20 %.
func (b *builder) boundsNamed() bool {
	for _, o := range b.s.bounds {
		if o.of != nil && o.other == nil && len(b.p.By) > 0 && (!b.ofRow(o) || b.namesRows() || b.groupsByKey()) {
			b.addMeasure(b.boundMeasure(o))
		}
	}
	return len(b.p.Measures) > 0
}

// implySales chooses between money and pieces.
func (b *builder) implySales() {
	first, rival := plan.Revenue, plan.Units
	if b.x.source.Kind == schema.Purchases {
		first = plan.Cost
	}
	if b.shopPays() {
		b.addMeasure(plan.Measure{Metric: plan.Cost})
		return
	}
	money := b.s.has("money", "howmuch") && !b.countsPieces()
	if b.countsPieces() && !b.s.has("money") {
		first, rival = rival, first
	}
	if !b.x.can(first) && !money {
		first, rival = rival, first
	}
	if !b.x.can(first) {
		first = plan.Orders
		order, _ := b.heading(schema.Order)
		if money || len(b.p.By) > 0 && b.p.By[0].Column == order {
			first = plan.Revenue // refused by name
		}
	}
	if k := b.x.source.Kind; k == schema.Other && !b.x.can(first) && !money || k == schema.Customers && !b.s.has("sell", "buy", "money", "howmuch") {
		first = plan.Rows
	}
	b.addMeasure(plan.Measure{Metric: first})
	if b.s.rank != nil && b.s.has("sell") && !money {
		b.addIfGiven(rival)
	}
}

// shopPays reports whether the words are about what the shop itself pays: what do we pay.
func (b *builder) shopPays() bool {
	for i, t := range b.tokens {
		if slices.Contains([]string{"pay", "paid", "spend", "spent", "buy", "bought"}, t.Text) && (b.wordAt(i-1, "we", "i") || b.wordAt(i-1, "have") && b.wordAt(i-2, "we", "i")) {
			return true
		}
	}
	return false
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
	switch {
	case ok:
		b.addMeasure(plan.Measure{Metric: plan.Average, Column: h})
	case b.x.can(plan.AveragePrice):
		b.addMeasure(plan.Measure{Metric: plan.AveragePrice})
	default:
		return b.missingRole(schema.Price)
	}
	if len(b.p.By) == 0 && b.s.rank != nil {
		b.groupByProduct()
	}
	return nil
}

// defaultMetric returns the figure of a question that names none.
func (b *builder) defaultMetric() plan.Metric {
	if b.x.source.Kind == schema.Purchases {
		return plan.Cost
	}
	for _, m := range []plan.Metric{plan.Revenue, plan.StockUnits, plan.Units, plan.Orders} {
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

// averages reports whether the words ask for an average of a measure.
func (b *builder) averages(i int) bool {
	mean := func(s link.Sense) bool { return s == "mean" || s == "median" }
	return mean(b.s.fold) || i < len(b.s.figures) && mean(b.s.figures[i].fold)
}

// perTime reads "sales per day on average" and "how many cups a day" from the groups.
func (b *builder) perTime(m *plan.Measure) bool {
	for _, g := range b.s.groups {
		d := plan.Dimension{Part: g.part}
		if g.column != nil {
			d.Column = g.column.Heading
		}
		if slices.Contains([]plan.Part{plan.Weekday, plan.Daytype, plan.Hour}, g.part) && b.averages(0) {
			m.Per = string(plan.Day)
			return true
		}
		isPer := g.word == "a" || g.word == "an" || (g.word == "per" || g.word == "each" || g.word == "every") && b.averages(0)
		if i := slices.Index(b.p.By, d); isPer && g.part.Series() && i >= 0 {
			m.Per = string(g.part)
			b.p.By = slices.Delete(slices.Clone(b.p.By), i, i+1)
			return true
		}
	}
	return false
}

// perRow averages over orders, or over the parts of a column that has the figure.
func (b *builder) perRow(m *plan.Measure, f plan.Formula) {
	if b.s.fold == "median" {
		setMedian(m)
	}
	switch {
	case m.Metric == plan.Orders || m.Metric == plan.Customers:
		m.Per = string(plan.Day)
	case b.word("line", "lines", "row", "rows", "record", "records"):
		m.Per = plan.PerRow
	case m.Metric == plan.Discounts || m.Metric == plan.StockUnits || m.Metric == plan.ShippingPaid && false:
		if terms, ok := plan.Terms(b.x.source, m.Metric); ok && len(terms) == 1 && len(terms[0].Factors) == 1 {
			*m = plan.Measure{Metric: plan.Average, Column: terms[0].Factors[0].Heading}
		}
	case m.Metric == plan.Units || f.Unit == schema.Money:
		m.Per = plan.PerOrder
	}
}

// usual returns the figure that another is usually compared with: stock with the reorder
// level, the price with the list price.
func (x *lexicon) usual(other figure) (figure, bool) {
	if other.column == nil {
		return figure{}, false
	}
	role := schema.Price
	if other.column.Role == schema.Reorder {
		role = schema.Stock
	}
	c, ok := x.source.ByRole(role)
	return figure{span: other.span, column: &c}, ok && c.Heading != other.column.Heading
}

// addCompanions adds figures to a plain total, since "how much did we make" may mean sales
// or profit.
func (b *builder) addCompanions() error {
	p := &b.p
	if len(p.By) > 0 || p.Count || p.Share || p.WhatIf != nil || p.Compare != nil || len(p.Measures) != 1 || !equal(p.Measures[0], plan.Measure{Metric: plan.Revenue}) {
		return nil
	}
	for _, m := range []plan.Metric{plan.Profit, plan.Units} {
		if b.x.can(m) {
			b.addMeasure(plan.Measure{Metric: m})
			b.companions++
		}
	}
	return nil
}

// setMedian makes the median of a figure's parts of its mean.
func setMedian(m *plan.Measure) {
	if m.Metric == plan.Average {
		m.Fold = plan.FoldMedian
	} else if !m.Metric.OfColumn() {
		if m.Per == "" {
			m.Per = plan.PerOrder
		}
		m.Fold = plan.FoldMedian
	}
}
