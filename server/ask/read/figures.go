package read

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// readFigures adds the figures that the question names.
func (b *builder) readFigures() error {
	b.rankByAmount()
	b.rankByBad()
	b.dropPriceOfStock()
	b.splitFlags()
	b.splitDiscrete()
	for _, f := range b.s.figures {
		if b.isBound(f) || b.isComing(f) || b.lacksBeside(f) {
			continue
		}
		if f.limit {
			return b.refuse(Unknown, "It is not clear how many days from %s to %s are meant in this question, so it cannot be answered.", f.since.Heading, f.column.Heading)
		}
		if h, ok := b.heading(schema.Customer); ok && f.metric == plan.Customers && b.namesCustomers(f) {
			b.groupBy(plan.Dimension{Column: h})
			continue
		}
		if b.ofOnePerson(f) {
			h, ok := b.heading(schema.Customer)
			if !ok {
				return b.missingRole(schema.Customer)
			}
			b.addMeasure(plan.Measure{Metric: plan.Revenue, Per: h})
			continue
		}
		if f.metric == plan.Customers && b.wordAt(f.from-1, "which") {
			b.assume(costNoGroup)
		}
		f.metric = b.lostBy(f)
		isVerb := f.metric == plan.Cost && (f.to == f.from+1 && b.s.rank != nil && b.s.rank.counts && f.to <= b.s.rank.from && len(b.s.figures) > 1 || b.wordAt(f.to, "us", "me", "you") && (len(b.s.figures) > 1 || len(b.s.bounds) > 0)) // what discounts cost us, what cost the most in repairs
		if isVerb || b.countsNothing(f) || f.metric == plan.StockUnits && b.paysForStock() {
			b.assume(costIncidental)
			continue
		}
		b.addFigure(f)
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
	b.dropSalesOf()
	return nil
}

// addFigure adds what a figure of the question measures.
func (b *builder) addFigure(f figure) {
	if (f.metric == plan.OnOrder || b.x.source.Kind == schema.Stocklist && isPieces(f.column)) && len(b.p.Measures) == 1 && b.p.Measures[0].Metric == plan.StockUnits && !b.wordAt(f.from-1, "and") {
		b.p.Measures = nil // units on order, committed
	}
	if f.fold == "" && b.s.fold != "" && len(b.s.figures) == 1 {
		f.fold = b.s.fold
	}
	if f.metric == plan.Revenue && b.wordAt(f.from, "sales") && b.wordAt(f.from-1, "fewest") && b.x.can(plan.Orders) {
		f.metric = plan.Orders
	}
	f = b.ofOnePiece(f)
	if m, ok := b.largestOf(f); ok {
		b.addMeasure(m)
		return
	}
	m := b.measureOf(f)
	b.addMeasure(m)
	if isEnd := m.Metric == plan.Least || m.Metric == plan.Most; isEnd && b.s.rank != nil && b.s.rank.both {
		m.Metric = map[plan.Metric]plan.Metric{plan.Least: plan.Most, plan.Most: plan.Least}[m.Metric]
		b.addMeasure(m) // the lowest and highest deposit
	}
}

// dropSalesOf drops the sales of "sales profit" and of "profit on sales", which mean profit.
func (b *builder) dropSalesOf() {
	if len(b.s.figures) == 2 && b.s.pair == "" && len(b.p.Measures) == 2 && b.p.Measures[0].Metric == plan.Revenue && b.p.Measures[0].Plain() && b.p.Measures[1].Metric != plan.Revenue &&
		!b.s.has("and", "versus") && b.s.figures[1].from-b.s.figures[0].to <= 1 && !b.wordAt(b.s.figures[0].to, verbs...) {
		b.p.Measures = b.p.Measures[1:]
	}
}

// namesCustomers reports whether customers are asked for by name: those who spent over 100, customers by last purchase.
func (b *builder) namesCustomers(f figure) bool {
	isBounded := f.fold == "" && (b.s.has("who", "both", "never") || len(b.s.bounds) > 0) && !b.s.has("howmany", "share") && len(b.s.counts)+len(b.s.groups) == 0 && !b.ofPeople()
	return isBounded || f.plain() && slices.ContainsFunc(b.s.figures, func(o figure) bool { return o.metric.AsDay() })
}

// rankByBad counts what is bad where a superlative that judges is for it.
func (b *builder) rankByBad() {
	if f := b.worstFor(); f != nil && len(b.s.figures)+len(b.s.counts) == 0 {
		b.s.figures = []figure{{span: f.span, metric: b.x.counted(), text: f.text}}
	}
}

// discountWords are in the headings of what a price was cut by.
var discountWords = []string{"code", "promo", "promotion", "coupon", "voucher", "discount", "offer"}

// lostBy returns what is lost by what costs the shop something, in place of a cost that no column has: the discounts
// of a code, the money of those who did not come. It returns the metric of other figures.
func (b *builder) lostBy(f figure) plan.Metric {
	if f.metric != plan.Cost || !f.plain() || b.x.can(plan.Cost) || !b.wordAt(f.to, "us", "me") {
		return f.metric
	}
	for _, o := range b.s.where {
		isLost := func(r schema.Reversal) bool {
			return r.Column == o.Column && (r.Kind == schema.MissedSale || r.Kind == schema.CancelledSale) && o.Op == plan.In && slices.Contains(r.Values, o.Values[0])
		}
		switch {
		case slices.ContainsFunc(b.x.source.Reversals, isLost) && b.x.can(plan.Revenue):
			return plan.Revenue
		case hasWord(o.Column, discountWords...) && o.Op == plan.In && b.x.can(plan.Discounts):
			return plan.Discounts
		}
	}
	return f.metric
}

// lacksBeside reports whether the source cannot give one of several figures that "and" joins, and notes it: the others
// are answered.
func (b *builder) lacksBeside(f figure) bool {
	given := func(f figure) bool { return f.column != nil || b.x.can(f.metric) }
	joins := b.s.has("and") && b.s.pair == "" && b.s.rank == nil && len(b.s.bounds)+len(b.s.earlier) == 0 && !b.s.has("versus", "share", "difference", "ratio", "relate", "than")
	if !joins || !f.plain() || given(f) || !slices.ContainsFunc(b.s.figures, given) {
		return false
	}
	_, err := plan.FormulaOf(b.x.source, plan.Measure{Metric: f.metric})
	var missing *plan.Missing
	if !errors.As(err, &missing) {
		return false
	}
	b.guessed = true
	b.note(b.lacking(missing))
	return true
}

// ofOnePiece returns the figure of a word for costs where it means that of one piece: what does a jug cost is its
// price, and has the cost of jugs gone up is what one costs the shop. Those of all that were sold go up with sales.
func (b *builder) ofOnePiece(f figure) figure {
	isCost := f.metric == plan.Cost && f.plain() || f.column != nil && f.column.Role == schema.Cost && f.fold == ""
	isGoods := func(at int) func(cond) bool {
		return func(w cond) bool {
			return (w.from <= at && at < w.to || w.to == at) && (w.role == schema.Product || w.role == schema.SKU) && w.Op == plan.In
		}
	}
	asks := b.phraseOf("how much do", "how much does", "what do", "what does") && slices.ContainsFunc(b.s.where, isGoods(f.from)) && len(b.s.periods) == 0
	ends := f.to == len(b.tokens)
	ofShop := asks && f.to+1 == len(b.tokens) && b.wordAt(f.to, "us", "me")
	price, priced := b.x.source.ByRole(schema.Price)
	switch {
	case !isCost || len(b.s.figures) > 1 || b.s.rank != nil || len(b.s.bounds) > 0:
	case asks && ends && priced:
		return figure{span: f.span, column: &price, fold: "mean", text: f.text}
	case asks && ends && b.x.can(plan.AveragePrice):
		return figure{span: f.span, metric: plan.AveragePrice, text: f.text}
	case f.column == nil && b.x.can(plan.Units) && (ofShop || b.wordAt(f.to, "of") && b.s.has("grown", "shrunk", "change") && slices.ContainsFunc(b.s.where, isGoods(f.to+1))):
		return figure{span: f.span, metric: plan.Cost, per: plan.PerUnit, text: f.text}
	}
	return f
}

// rankByAmount takes a superlative of the price beside an amount of money for one of the amount: the
// cheapest quote, the dearest job for parts.
func (b *builder) rankByAmount() {
	others := []plan.Metric{"", plan.Orders, plan.Rows, plan.Units, plan.Customers, plan.StockUnits, plan.AveragePrice}
	isAmount := func(f figure) bool {
		return f.column != nil && f.column.Unit == schema.Money && f.column.Role == schema.None || f.column == nil && !slices.Contains(others, f.metric)
	}
	if m := b.s.find("price"); m != nil && b.s.rank != nil && b.s.rank.from <= m.from && m.to <= b.s.rank.to && slices.ContainsFunc(b.s.figures, isAmount) {
		b.s.marks, _ = cut(b.s.marks, func(o mark) bool { return o.span != m.span })
	}
}

// readWorth takes what a stock is worth for its value, and not for its pieces: value of the teas in
// stock.
func (b *builder) readWorth() error {
	m := b.s.find("money")
	b.valueAtPrice()
	isStock := len(b.p.Measures) == 1 && b.p.Measures[0].Equal(plan.Measure{Metric: plan.StockUnits})
	if m != nil && isStock && b.wordAt(m.from, "value", "worth") && b.x.can(plan.StockValue) {
		b.p.Measures[0].Metric = plan.StockValue
	}
	return nil
}

// readSecondMoney adds the money of what the question counts first: and how much did they
// bring in.
func (b *builder) readSecondMoney() error {
	at := max(b.phrase("and how much"), b.phrase("and what"))
	earns := func(m mark) bool {
		return m.from > at && m.sense == "money" || m.sense == "sell" && m.from > at && b.wordAt(m.from, "earn", "make", "generate", "bring", "take", "come", "turn")
	}
	second := plan.Revenue
	if b.x.source.Kind == schema.Stocklist {
		second = plan.StockValue
	}
	if at < 0 || !slices.ContainsFunc(b.s.marks, earns) || len(b.p.Measures) != 1 || !b.x.can(second) || !b.hasWord("they", "it", "that", "those", "we", "these", "them") {
		return nil
	}
	others := func(f figure) bool { return f.from > at }
	if slices.ContainsFunc(b.s.figures, others) || b.p.Measures[0].Metric == plan.Revenue {
		return nil
	}
	for _, m := range b.s.marks {
		b.taken[m.from] = b.taken[m.from] || earns(m)
	}
	b.addMeasure(plan.Measure{Metric: second})
	return nil
}

// readFolds gives a fold that no figure took to what a bound compares: a rating above 8 on
// average.
func (b *builder) readFolds() error {
	b.readBoundOfVerb()
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

// readBoundOfVerb gives a bound without a figure the column that is the subject of the verb before
// it: days on which the bar took more than 300, when waste went over 40.
func (b *builder) readBoundOfVerb() {
	b.s.bounds = slices.Clone(b.s.bounds)
	for i, o := range b.s.bounds {
		isBare := o.of == nil && o.other == nil && o.name == nil && o.arg+o.measure == "" && o.unit != link.Days
		for _, f := range b.s.figures {
			isAlike := f.column != nil && (o.unit != link.Money || f.column.Unit == schema.Money)
			if isBare && isAlike && f.to <= o.from && b.areVerbs(f.to, o.from) {
				b.s.bounds[i].of = &f
			}
		}
	}
}

// areVerbs reports whether some tokens are verbs and words of grammar alone.
func (b *builder) areVerbs(from, to int) bool {
	for i := from; i < to; i++ {
		t := b.tokens[i]
		if !slices.Contains(silent, t.Text) && english.SensesOf(t.Lemma).Verb <= 0 || slices.Contains(prepositions, t.Text) {
			return false
		}
		b.taken[i] = true
	}
	return true
}

// maxDiscrete is the number of different values up to which a column of numbers beside
// another figure makes groups: cylinders, years.
const maxDiscrete = 30

func isDiscrete(c *schema.Column) bool {
	return c != nil && c.Type == schema.Number && c.Role == schema.None && c.Unit == schema.Plain && c.Scale == 0 && c.Distinct <= maxDiscrete && !isPieces(c)
}

// isPieces reports whether a column has numbers of goods, such as those committed to orders, which make no
// groups but add up.
func isPieces(c *schema.Column) bool {
	return c != nil && c.Type == schema.Number && c.Unit == schema.Plain && !isRate(c.Heading) && !hasWord(c.Heading, "min", "max", "minimum", "maximum", "pack", "case", "reorder") &&
		hasWord(c.Heading, "qty", "quantity", "sold", "sales", "committed", "allocated", "reserved", "incoming", "received", "available", "loose", "shop", "stockroom", "warehouse", "store", "damaged", "counted", "variance", "units", "usage")
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
	if others == 0 && b.s.fold != "count" && !b.s.has("howmany") || b.s.pair != "" {
		return
	}
	b.s.figures = slices.Clone(b.s.figures)
	if slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.since != nil }) {
		b.s.figures = slices.DeleteFunc(b.s.figures, func(f figure) bool {
			return f.since == nil && strings.EqualFold(f.text, "days") && b.wordAt(f.from-1, "in")
		})
	}
	for i := 0; i < len(b.s.figures); i++ {
		f := b.s.figures[i]
		if ranks := b.s.rank != nil && b.wordAt(f.from-1, "by"); isDiscrete(f.column) && f.fold == "" && !f.unit && !b.isBound(f) && !b.isJoined(f) && !ranks {
			b.s.figures = slices.Delete(b.s.figures, i, i+1)
			b.s.groups = join(b.s.groups, []group{{name: name{span: f.span, column: f.column, text: f.text}}})
			i--
		}
	}
	b.s.groups = slices.Clone(b.s.groups)
	slices.SortStableFunc(b.s.groups, func(x, y group) int { return x.from - y.from })
}

// isJoined reports whether a figure of a sale is asked for beside another, with "and" or
// "versus" between them, or with "how many": takings and tips.
func (b *builder) isJoined(f figure) bool {
	joins := func(from, to int) bool {
		joined := false
		for i := from; i < to; i++ {
			if b.wordAt(i, "and", "vs", "versus", "against", "with", "plus") {
				joined = true
			} else if len(b.skips[i]) == 0 && !b.wordAt(i, "total", "compared", "to") {
				return false
			}
		}
		return joined && from < to
	}
	if m := b.s.find("howmany"); m != nil && m.to == f.from && b.x.source.Kind == schema.Sales {
		return true // how many hours
	}
	others := make([]span, 0, len(b.s.figures)+len(b.s.counts))
	for _, o := range b.s.figures {
		others = append(others, o.span)
	}
	for _, n := range b.s.counts {
		others = append(others, n.span)
	}
	return b.x.source.Kind == schema.Sales && slices.ContainsFunc(others, func(o span) bool { return joins(o.to, f.from) || joins(f.to, o.from) })
}

// countsNothing reports whether a word for orders only says what the money is of: the value
// of disputed orders.
func (b *builder) countsNothing(f figure) bool {
	if f.metric == plan.StockUnits && b.buys() {
		return true // what have i spent on stock
	}
	if b.s.pair == plan.Ratio {
		return false // what is divided by them
	}
	if !b.x.can(f.metric) && f.metric == plan.StockUnits && len(b.s.counts) > 0 && f.column == nil && (f.text == "stock" || b.x.source.Kind == schema.Other) {
		return true // how many colours do we stock
	}
	if r := b.s.rank; r != nil && (r.column != nil || r.figure != nil) && !r.counts && f.per == "" && f.fold == "" && slices.Contains([]plan.Metric{plan.Orders, plan.Customers, plan.Rows}, f.metric) {
		return true // which plan has the oldest members
	}
	if timed := slices.ContainsFunc(b.s.figures, func(o figure) bool { return o.since != nil }); timed && (f.metric == b.x.counted() && f.per == "" || f.metric == plan.Revenue && f.per == plan.PerOrder) && !b.s.has("and", "howmany") {
		return true // how late are late deliveries
	}
	if f.metric == plan.StockUnits && b.s.rank != nil && b.wordAt(f.from, "stock", "keep") && b.wordAt(f.from-1, "we", "i") {
		return true // the dearest thing we stock
	}
	if isPiece := f.metric == plan.StockUnits || f.metric == plan.Units; isPiece && f.plain() && b.s.rank != nil && b.s.rank.to == f.from && !b.plural(f.to) && b.s.has("price") {
		return true // the most expensive piece
	}
	if b.earnsOn(f) || f.metric == plan.Rows && f.plain() && !b.plural(f.to) && len(b.s.counts) > 0 {
		return true // how many views does a listing get
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

// earnsOn reports whether a word for orders says on what money was made: who brought in more on
// repeat jobs.
func (b *builder) earnsOn(f figure) bool {
	m := b.s.find("sell", "buy")
	isCount := (f.metric == plan.Orders || f.metric == plan.Rows) && f.per == "" && f.fold == ""
	if m == nil || !isCount || !b.plural(f.to) || m.to > f.from || b.s.has("howmany") || !slices.Contains([]string{"bring", "earn", "make", "take", "generate", "rake", "pull", "spend"}, b.tokens[m.from].Lemma) {
		return false
	}
	i := f.from - 1
	for i >= m.to && slices.ContainsFunc(b.s.where, func(c cond) bool { return c.from <= i && i < c.to }) {
		i--
	}
	return i >= m.to && slices.Contains([]string{"on", "from", "for"}, b.tokens[i].Text)
}

// ofOnePerson reports whether a figure is what one customer spends: how much does a customer
// spend.
func (b *builder) ofOnePerson(f figure) bool {
	one := b.wordAt(f.from-1, "a", "an", "one", "each", "every", "typical") && !b.plural(f.to)
	return f.metric == plan.Customers && one && len(b.s.figures) == 1 && b.s.has("howmuch") && b.s.has("sell", "buy") && len(b.s.groups)+len(b.s.counts) == 0 && b.x.can(plan.Revenue)
}

// largestOf reads the largest sale of each group: the most that one of its orders made.
func (b *builder) largestOf(f figure) (plan.Measure, bool) {
	r := b.s.rank
	if r == nil || r.counts || r.judges || f.metric != plan.Orders || f.per != "" || f.fold != "" || b.plural(f.to) || b.wordAt(f.to-1, "count") || len(b.s.groups) == 0 || len(b.s.figures) > 1 || !b.x.can(plan.Revenue) {
		return plan.Measure{}, false
	}
	return plan.Measure{Metric: plan.Revenue, Per: plan.PerOrder, Fold: map[bool]plan.Fold{true: plan.FoldLeast, false: plan.FoldMost}[r.down]}, true
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
		return b.folded(plan.Measure{Metric: plan.Average, Column: price}, f)
	}
	if _, counted := b.heading(schema.Quantity); f.metric == plan.AveragePrice && f.column == nil && f.fold == "median" && !counted && b.x.can(plan.Revenue) {
		return plan.Measure{Metric: plan.Revenue, Per: plan.PerRow, Fold: plan.FoldMedian} // each row is one piece
	}
	if isLine := f.metric == plan.Rows && f.column == nil && f.per == "" && !b.plural(f.to); isLine && (f.fold == "mean" || f.fold == "median") && b.s.has("money") && b.x.can(plan.Revenue) {
		f.metric, f.per = plan.Revenue, plan.PerRow // the average line value
	}
	if m, ok := b.extreme(f); ok {
		return m
	}
	if f.metric == plan.RetailValue && f.column != nil {
		return plan.Measure{Metric: plan.RetailValue, Column: f.column.Heading}
	}
	if f.column == nil {
		m := plan.Measure{Metric: b.x.nearest(f.metric), Per: f.per}
		if f.metric.OfColumn() {
			m.Metric = plan.Rows
		}
		return b.folded(m, f)
	}
	m := plan.Measure{Metric: plan.Distinct, Column: f.column.Heading, In: f.in}
	if f.metric == plan.Distinct && f.column.Role == schema.Product && b.s.has("sell", "buy") && b.x.can(plan.Units) {
		return plan.Measure{Metric: plan.Units}
	}
	if f.metric == plan.Distinct {
		return m
	}
	if f.since != nil {
		m.Since = f.since.Heading
		if r := b.s.rank; f.fold == "" && r != nil && len(b.s.groups)+len(b.s.names)+len(b.p.By) == 0 && !b.asksWhich() && !b.s.has("who", "where") {
			f.fold = map[bool]link.Sense{true: "least", false: "most"}[r.down]
		}
		f.fold = cmp.Or(f.fold, "mean")
	}
	switch m.Metric = folds[f.fold]; {
	case m.Metric == "" && f.unit && b.s.rank == nil:
		m.Metric = plan.Sum
	case m.Metric == "":
		m.Metric = b.usualFold(*f.column)
	}
	if m.Metric == plan.Rows {
		return plan.Measure{Metric: plan.Rows}
	}
	if m.Metric == plan.Sum && f.column.Role == schema.UnitCost && b.x.can(plan.StockValue) {
		return plan.Measure{Metric: plan.StockValue} // what single pieces cost has no sum
	}
	return b.folded(m, f)
}

// asksWhich reports whether the question asks which of some things, and not what something
// is.
func (b *builder) asksWhich() bool {
	m := b.s.find("which")
	return m != nil && !(b.wordAt(m.from, "what") && b.wordAt(m.to, "is", "was", "are", "were"))
}

// extreme reads the biggest discount of all rows.
func (b *builder) extreme(f figure) (plan.Measure, bool) {
	role := map[plan.Metric]schema.Role{plan.Discounts: schema.Discount, plan.Taxes: schema.Tax, plan.ShippingPaid: schema.Shipping, plan.Refunds: schema.Refund}[f.metric]
	h, ok := b.heading(role)
	if c := f.named; c != nil && c.Role == schema.Revenue && !hasWord(c.Heading, earned...) {
		role, h, ok = schema.Revenue, c.Heading, true // the highest hire charge
	}
	r := b.s.rank
	if r == nil || r.counts || r.limit > 0 || role == schema.None || !ok || f.fold != "" || b.plural(f.to) || len(b.s.groups)+len(b.s.names) > 0 || b.asksWhich() || b.s.has("who", "where", "when") {
		return plan.Measure{}, false
	}
	return plan.Measure{Metric: map[bool]plan.Metric{true: plan.Least, false: plan.Most}[r.down], Column: h}, true
}

// nearest returns the figure that a word means in a source that cannot give its usual one:
// sales are counted in units without prices, and units are stock in a stock list.
func (x *lexicon) nearest(m plan.Metric) plan.Metric {
	switch {
	case x.can(m):
	case m == plan.Units && x.can(plan.StockUnits):
		return plan.StockUnits
	case m == plan.Revenue && x.source.Kind == schema.Purchases && x.can(plan.Cost):
		return plan.Cost // what is spent
	case m == plan.Orders && x.source.Kind == schema.Other && x.can(plan.Revenue):
		return plan.Rows // each bill is a row
	}
	return m
}

// logs reports whether rows are what a word says was done: the heading of a day that every
// row has begins with its stem, as Booked On with that of bookings.
func (x *lexicon) logs(word link.Token) bool {
	stem := strings.TrimSuffix(strings.TrimSuffix(word.Text, "s"), "ing")
	return len(stem) > 2 && x.source.Kind == schema.Other && x.hasDayOf(stem)
}

// logsOthers reports whether rows without numbers are of bookings, so that another word for what was done,
// such as repairs, is not of them.
func (x *lexicon) logsOthers(word link.Token) bool {
	_, numbered := x.source.ByRole(schema.Order)
	return !numbered && x.hasDayOf("booked") && slices.Contains([]string{"repair", "job", "lesson", "class", "treatment", "delivery"}, word.Lemma)
}

// hasDayOf reports whether every row has a day whose heading begins with a word.
func (x *lexicon) hasDayOf(stem string) bool {
	return slices.ContainsFunc(x.source.Columns, func(c schema.Column) bool {
		isDay := (c.Type == schema.Date || c.Type == schema.Moment) && c.Blank == 0
		return isDay && strings.HasPrefix(strings.ToLower(link.Spaced(c.Heading)), stem)
	})
}

// folded applies a median.
func (b *builder) folded(m plan.Measure, f figure) plan.Measure {
	if f.fold == "median" {
		b.ofOrder(&m, f)
		b.setMedian(&m)
	}
	return m
}

// ofOrder makes the orders of an average purchase, of which each is one, their revenue.
func (b *builder) ofOrder(m *plan.Measure, f figure) bool {
	if m.Metric != plan.Orders || strings.HasSuffix(f.text, "s") || !b.x.can(plan.Revenue) {
		return false
	}
	m.Metric, m.Per = plan.Revenue, plan.PerOrder
	return true
}

// usualFold returns the fold of a column of numbers if the question names none. Shares,
// ratings and prices have no sum; other numbers have one where rows are sales.
func (b *builder) usualFold(c schema.Column) plan.Metric {
	noSum := []schema.Role{schema.Rating, schema.Price, schema.UnitCost, schema.LeadTime, schema.Margin}
	r := b.s.rank
	switch {
	case b.s.pair == plan.Total, (b.s.pair == plan.ShareOf || b.s.pair == plan.Ratio) && addsUp(c):
		return plan.Sum
	case isRate(c.Heading) || c.Unit == schema.Percent || slices.Contains(noSum, c.Role):
		if r != nil && len(b.s.groups) == 0 && len(b.s.names) == 0 && !b.asksWhich() && !b.s.has("who", "where", "when") {
			return map[bool]plan.Metric{true: plan.Least, false: plan.Most}[r.down]
		}
		return plan.Average
	case r != nil && len(b.s.groups) == 0 && len(b.s.names) == 0 && !b.asksWhich() && !b.s.has("who", "where") && !(r.judges && b.s.has("sell")):
		return map[bool]plan.Metric{true: plan.Least, false: plan.Most}[r.down]
	case c.Unit == schema.Money || c.Unit == schema.Count || c.Role != schema.None || isPaid(c.Heading):
		return plan.Sum
	}
	if c.Suffix != "" || b.x.source.Kind == schema.Other || b.x.source.Kind == schema.Customers {
		return plan.Average
	}
	return plan.Sum
}

// addsUp reports whether the numbers of a column have a sum beside that of another.
func addsUp(c schema.Column) bool {
	noSum := []schema.Role{schema.Rating, schema.Price, schema.UnitCost, schema.LeadTime, schema.Margin}
	isOne := c.Unit == schema.Percent || slices.Contains(noSum, c.Role)
	return !isOne && (!isRate(c.Heading) || c.Unit == schema.Money && c.Role == schema.None)
}

// earned are words of headings of what was taken in a row, and paid of what was paid, which add up.
var (
	earned = []string{"gross", "revenue", "earning", "earnings", "takings", "income", "turnover", "sales"}
	paid   = []string{"rent", "fee", "fees", "fare", "fares", "tip", "tips", "wage", "wages", "commission", "donation", "donations", "paid", "budget", "spend"}
)

// isPaid reports whether a heading is of money that is taken or paid once a row.
func isPaid(heading string) bool { return hasWord(heading, earned...) || hasWord(heading, paid...) }

// earnedColumn returns the column to sum as revenue in a source without that role: the only one whose heading says
// earned, else the only one of what was paid. It returns nil if there is none, or more than one.
func (x *lexicon) earnedColumn() *schema.Column {
	_, owed := x.source.ByRole(schema.Owed)
	var taken, received []*schema.Column
	for i := range x.source.Columns {
		c := &x.source.Columns[i]
		isSpent := x.source.Kind == schema.Customers && hasWord(c.Heading, "spent", "spend", "ltv")
		switch {
		case c.Type != schema.Number || isRate(c.Heading) || x.can(plan.Revenue):
		case hasWord(c.Heading, earned...) || isSpent:
			taken = append(taken, c)
		case owed && x.source.Kind == schema.Other && c.Unit == schema.Money && hasWord(c.Heading, "paid", "received"):
			received = append(received, c)
		}
	}
	switch {
	case len(taken) == 1:
		return taken[0]
	case len(taken) == 0 && len(received) == 1:
		return received[0]
	}
	return nil
}

// isRate reports whether a heading is of something per unit, which has no sum.
func isRate(heading string) bool {
	rates := []string{"price", "rate", "rating", "score", "average", "percent", "percentage", "age", "margin", "avg", "msrp", "rrp", "trade", "each", "level", "stars"}
	return slices.ContainsFunc(strings.Fields(strings.ToLower(link.Spaced(heading))), func(w string) bool { return slices.Contains(rates, w) })
}

// usual returns the figure that another is usually compared with: stock with the reorder
// level, what is owed with its limit, what was charged with the quote, the price with the list price.
func (x *lexicon) usual(other figure) (figure, bool) {
	if other.column == nil {
		return figure{}, false
	}
	role := schema.Price
	switch owed := x.words.Measure("owed"); {
	case other.column.Role == schema.Reorder:
		role = schema.Stock
	case x.bought != nil && x.bought.paid != nil && other.column.Heading == x.bought.paid.Heading:
		role = schema.Revenue // of the one piece
	case plan.IsOffer(*other.column):
		role = schema.Revenue
	case hasWord(other.column.Heading, "limit", "lim", "max", "maximum") && owed != nil && owed.Unit == other.column.Unit:
		return figure{span: other.span, column: owed}, owed.Heading != other.column.Heading
	}
	c, ok := x.source.ByRole(role)
	if isAsked := !ok || c.Heading == other.column.Heading; isAsked && role == schema.Price && x.bought != nil {
		c, ok = x.source.ByRole(schema.Revenue) // beside the price on the tag
	}
	return figure{span: other.span, column: &c}, ok && c.Heading != other.column.Heading
}

// countsCopies reports whether "how many books" is answered with the units or the rows of a stock
// list, of which each row may have several units, or none.
func (b *builder) countsCopies() bool {
	p := &b.p
	plain := len(p.By) == 0 && !p.Count && !p.Share && p.WhatIf == nil && p.List == nil && len(p.Measures) == 1 && p.Measures[0].Plain() && (p.Measures[0].Metric == plan.StockUnits || p.Measures[0].Metric == plan.Rows)
	return plain && b.x.can(plan.StockUnits) && b.s.has("row") && !slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.metric == plan.StockUnits })
}

// addCompanions adds figures to a plain total, since "how much did we make" may mean sales
// or profit, and to the days of the last orders what these came to.
func (b *builder) addCompanions() error {
	p := &b.p
	if b.countsCopies() {
		b.addMeasure(plan.Measure{Metric: plan.Rows})
		b.addMeasure(plan.Measure{Metric: plan.StockUnits})
		b.companions++
		return nil
	}
	if isOfLast := len(p.Measures) == 1 && p.Measures[0].Equal(plan.Measure{Metric: plan.LastDay}); isOfLast && len(p.By) == 1 && b.isOrders() && b.x.can(plan.Revenue) {
		b.addMeasure(plan.Measure{Metric: plan.Revenue})
		b.companions++
	}
	if len(p.By) > 0 || p.Count || p.Share || p.WhatIf != nil || p.Compare != nil || len(p.Measures) != 1 || !p.Measures[0].Equal(plan.Measure{Metric: plan.Revenue}) {
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
func (b *builder) setMedian(m *plan.Measure) {
	if m.Metric == plan.Average {
		m.Fold = plan.FoldMedian
	} else if !m.Metric.OfColumn() {
		if m.Per == "" && (m.Metric == plan.Orders || m.Metric == plan.Customers) {
			m.Per = string(plan.Day)
		} else if m.Per == "" && b.ofLines() {
			m.Per = plan.PerRow
		} else if m.Per == "" {
			m.Per = plan.PerOrder
		}
		m.Fold = plan.FoldMedian
	}
}

// ofLines reports whether the words say that each row is taken by itself: median line total.
func (b *builder) ofLines() bool {
	return b.hasWord("line", "lines", "row", "rows", "record", "records")
}
