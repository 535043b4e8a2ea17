package read

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// readConditions reads the values that the question names.
func (b *builder) readConditions() error {
	if b.s.has("both") && (b.s.has("howmany") || len(b.s.counts) > 0) && b.listsValues() {
		return b.refuse(Missing, "How many have both is not computed, only how many have the one or the other, so this cannot be answered.")
	}
	for _, f := range b.s.where {
		if len(f.Values) > plan.MaxValues {
			return b.refuse(Unknown, "“%s” is part of %d values of %s in %s: too many, so this cannot be answered.", f.text, len(f.Values), f.Column, b.x.source.Name)
		}
		if slices.ContainsFunc(b.p.Where, func(w plan.Filter) bool {
			return w.Column == f.Column && w.Part == f.Part && w.Op == plan.In && f.Op == plan.In
		}) {
			b.assume(costTwoValues) // nothing joins two values of one column
		}
		b.p.Where = addFilter(b.p.Where, f.Filter)
		b.noteValue(f)
	}
	b.readPaid()
	return nil
}

// readPaid reads what was paid as the rows that have a day on which it was: total paid, how much
// did Ann pay.
func (b *builder) readPaid() {
	on := b.x.dayOf([]string{"pai"}, dueWords)
	isOf := func(f plan.Filter) bool { return f.Column == on.Heading }
	isValue := b.phrase("paid") < 0 && b.phrase("pay") < 0 // part paid
	isNamed := on == nil || isValue || slices.ContainsFunc(b.p.Where, isOf) || slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Column == on.Heading })
	if isNamed || on.Blank == 0 || !b.hasWord("paid") && !(b.hasWord("pay") && b.hasWord("did")) || b.shopPays() {
		return
	}
	b.p.Where = addFilter(b.p.Where, plan.Filter{Column: on.Heading, Op: plan.Filled})
}

// noteValue notes a value that the words do not name in full.
func (b *builder) noteValue(f cond) {
	switch {
	case f.Op == plan.Has:
		b.note(fmt.Sprintf("These are the rows whose %s has “%s” in it.", f.Column, f.text))
	case b.inOthers(f):
		b.note(fmt.Sprintf("%s is the %s here.", someOf(f.Values), f.Column))
	case f.guessed && f.Part == plan.Whole && f.Op != plan.Blank:
		b.note(fmt.Sprintf("“%s” was taken for the %s %s.", f.text, f.Column, someOf(f.Values)))
	}
}

// inOthers reports whether other columns have the value, too.
func (b *builder) inOthers(f cond) bool {
	return f.Op == plan.In && f.Part == plan.Whole && f.flag == nil && slices.ContainsFunc(b.starts[f.from], func(it *item) bool {
		return it.cat == valueCat && len(it.of) == 0 && it.to == f.to && it.s.where[0].Column != f.Column && it.s.where[0].Part == plan.Whole && !it.s.where[0].guessed
	})
}

// readPresence reads "which products are in stock" as those with any.
func (b *builder) readPresence() error {
	b.listIncoming()
	if slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.metric == plan.RetailValue || f.metric == plan.StockValue }) {
		return nil // everything on the shelf is worth
	}
	stock, ok := b.heading(schema.Stock)
	if !ok || b.s.rank != nil || len(b.s.bounds)+len(b.s.counts) > 0 || !b.s.has("which", "list") && !b.namesRows() && !slices.ContainsFunc(b.s.names, b.leads) || b.s.has("howmany", "howmuch", "share", "soldout", "lowstock") || b.s.fold != "" {
		return nil
	}
	for _, f := range b.s.figures {
		text := strings.ToLower(f.text)
		presence := slices.Contains([]string{"in stock", "left in stock", "on the shelf", "on the shelves"}, text) || b.wordAt(f.from-1, "with", "have") || b.asksWhatStock(f)
		if f.metric != plan.StockUnits || !presence || f.fold != "" {
			continue
		}
		b.p.Where = addFilter(b.p.Where, plan.Filter{Column: stock, Op: plan.More, Values: []string{"0"}})
		if len(b.s.groups)+len(b.s.names) == 0 {
			b.groupByProduct()
		}
	}
	return nil
}

// asksWhatStock reports whether it is asked what stock there is, and not how much: what stock have we,
// which coffee stock, list our stock.
func (b *builder) asksWhatStock(f figure) bool {
	at := f.from
	isOfOne := false
	for _, w := range b.s.where {
		isOfOne = isOfOne || w.role == schema.Product || w.role == schema.SKU
		if w.to == f.from {
			at = w.from
		}
	}
	isThing := slices.Contains([]string{"stock", "inventory", "stocks"}, strings.ToLower(f.text))
	return isThing && !isOfOne && (b.wordAt(at-1, "what", "which") || b.s.has("list"))
}

// isComing reads out of stock and on order, or not on order: what is said of what has run out, and no
// figure.
func (b *builder) isComing(f figure) bool {
	coming, ok := b.heading(schema.Incoming)
	at, not := f.from-1, none
	for ; b.wordAt(at, "already", "also", "currently", "still", "not", "now"); at-- {
		if b.wordAt(at, "not") {
			not = at
		}
	}
	isAmount := b.wordAt(at-1, "many", "much") || slices.ContainsFunc(b.s.counts, func(n count) bool { return n.figure != nil && n.to == at })
	isSaid := b.wordAt(at, "is", "are", "and", "but") && b.s.has("soldout", "lowstock")
	if !ok || f.metric != plan.OnOrder || f.fold != "" || isAmount || !isSaid {
		return false
	}
	op := plan.More
	if not != none {
		op, b.taken[not] = plan.AtMost, true
	}
	b.p.Where = addFilter(b.p.Where, plan.Filter{Column: coming, Op: op, Values: []string{"0"}})
	return true
}

// countsTimes reports whether days, weeks or the like are counted.
func (b *builder) countsTimes() bool {
	isTime := func(n name) bool { return n.part.Series() }
	return slices.ContainsFunc(b.s.counts, func(n count) bool { return n.name != nil && isTime(*n.name) }) || b.p.Count && slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return d.Part.Series() })
}

// listIncoming reads "products on order" and "what is on order" as those with any.
func (b *builder) listIncoming() {
	coming, ok := b.heading(schema.Incoming)
	leads := slices.ContainsFunc(b.s.names, func(n name) bool { return n.plural && n.from == 0 && n.role == schema.Product })
	asksWhat := b.wordAt(0, "what", "which") && b.wordAt(1, "is", "are", "have") || b.wordAt(0, "anything", "everything", "any")
	if !ok || !leads && !(asksWhat && len(b.s.names) == 0) || len(b.s.figures) != 1 || b.s.figures[0].from > 4 || b.s.figures[0].metric != plan.OnOrder || b.s.figures[0].fold != "" ||
		b.s.rank != nil || b.s.fold != "" || len(b.s.groups)+len(b.s.counts)+len(b.s.bounds) > 0 {
		return
	}
	b.p.Where = addFilter(b.p.Where, plan.Filter{Column: coming, Op: plan.More, Values: []string{"0"}})
	b.groupByProduct()
}

// readStates reads out of stock, below the reorder point, refunded, at a loss.
func (b *builder) readStates() error {
	stock, hasStock := b.heading(schema.Stock)
	for _, m := range b.s.marks {
		switch m.sense {
		case "soldout":
			if !hasStock {
				return b.missingRole(schema.Stock)
			}
			f := plan.Filter{Column: stock, Op: plan.AtMost, Values: []string{"0"}}
			if m.arg == "negative" {
				f.Op = plan.Less
			}
			b.p.Where = addFilter(b.p.Where, f)
			of, _ := plan.Column(b.x.source, stock)
			b.guessed = b.guessed || of.Blank > 0 // there may be none of what has no number
		case "lowstock":
			if err := b.readLowStock(m); err != nil {
				return err
			}
		case "refund", "cancelled":
			if err := b.filterByStatus(m); err != nil {
				return err
			}
		case "loss":
			if f, ok := b.lossOfRow(); ok {
				b.p.Where = addFilter(b.p.Where, f)
				b.showPrices()
				continue
			}
			b.p.Having = append(b.p.Having, plan.Threshold{Measure: b.addMeasure(plan.Measure{Metric: plan.Profit}), Op: plan.Less})
		case "unsold", "never":
			if b.soldNothing() {
				continue
			}
			if isOfGoods := b.sellsNoneOf(); m.sense == "never" {
				continue
			} else if isOfGoods {
				b.s.marks = join(b.s.marks, []mark{{span: m.span, sense: "never"}})
				continue
			}
			if slices.ContainsFunc(b.s.groups, func(g group) bool { return g.word == "which" && g.part == plan.Whole }) {
				b.s.marks = join(b.s.marks, []mark{{span: m.span, sense: "never"}})
				continue
			}
			return b.refuse(Missing, "There is nothing in %s about what did not sell, which needs sales and stock together, so this cannot be answered.", b.x.source.Name)
		case "runout", "forecast":
			return b.refuse(Forecast, "This asks about days that have not come. The data do not hold them, and no forecast is made from them.")
		}
	}
	return nil
}

// sellsNoneOf makes groups of the goods of which none were sold in some days, if nothing else is asked for: what did we
// not sell since May.
func (b *builder) sellsNoneOf() bool {
	isOther := len(b.s.groups)+len(b.s.counts)+len(b.s.figures)+len(b.p.By) > 0 || b.s.rank != nil || b.s.has("who", "when", "where", "howmany", "howmuch", "share", "money")
	isAsked := b.wordAt(0, "what", "anything", "any") || slices.ContainsFunc(b.s.names, func(n name) bool { return n.role == schema.Product && n.plural })
	isOpen := b.hasWord("since", "nobody", "noone") // of other days it is not known what was in stock
	return !isOther && isAsked && isOpen && b.p.Period != nil && b.x.source.Kind == schema.Sales && b.groupByProduct()
}

// soldNothing restricts the rows of a list of goods to those of which a column says that none was
// sold; false if no column does.
func (b *builder) soldNothing() bool {
	columns := b.x.source.Columns
	i := slices.IndexFunc(columns, func(c schema.Column) bool {
		return c.Type == schema.Number && (c.Role == schema.Quantity || !b.x.ofSpan && c.Role == schema.None && hasWord(c.Heading, "sold", "sales", "orders", "ordered"))
	})
	f := plan.Filter{Op: plan.AtMost, Values: []string{"0"}}
	if i < 0 { // no day on which it was last sold
		f = plan.Filter{Op: plan.Blank}
		i = slices.IndexFunc(columns, func(c schema.Column) bool {
			return isDay(&c) && c.Blank > 0 && hasWord(c.Heading, "sold", "sale", "sales")
		})
	}
	if i < 0 || b.x.source.Kind != schema.Stocklist && !b.x.ofSpan || len(b.s.periods) > 0 {
		return false
	}
	f.Column = columns[i].Heading
	b.p.Where = addFilter(b.p.Where, f)
	b.s.marks, _ = cut(b.s.marks, func(m mark) bool { return m.sense != "unsold" && m.sense != "never" })
	if b.x.ofSpan && b.wordAt(0, "what") && len(b.s.figures)+len(b.s.groups)+len(b.s.names)+len(b.s.counts) == 0 {
		b.groupByProduct()
	}
	return true
}

// readBelowCost shows both sides of a price beside a cost.
func (b *builder) readBelowCost() error {
	isPrice := func(f *figure, role schema.Role) bool { return f != nil && f.column != nil && f.column.Role == role }
	if slices.ContainsFunc(b.s.bounds, func(o bound) bool {
		return isPrice(o.of, schema.Price) && isPrice(o.other, schema.UnitCost)
	}) {
		b.showPrices()
	}
	return nil
}

// showPrices adds the price and the cost of goods of which one is above the other, if they are
// named and not counted.
func (b *builder) showPrices() {
	if b.x.source.Kind != schema.Stocklist || len(b.p.Measures)+len(b.s.counts)+len(b.s.figures) > 0 || b.s.has("howmany", "howmuch", "share") {
		return
	}
	for _, role := range []schema.Role{schema.Price, schema.UnitCost} {
		if h, ok := b.heading(role); ok {
			b.addMeasure(plan.Measure{Metric: plan.Average, Column: h})
		}
	}
	if len(b.s.groups)+len(b.s.names) == 0 {
		b.groupByProduct()
	}
}

// lossOfRow returns the condition that a row makes a loss: of goods that sell below their cost, and
// where rows are counted and none of their names.
func (b *builder) lossOfRow() (f plan.Filter, ok bool) {
	beside := func(less, than schema.Role) (plan.Filter, bool) {
		x, hasX := b.heading(less)
		y, hasY := b.heading(than)
		return plan.Filter{Column: x, Op: plan.Less, Other: y}, hasX && hasY
	}
	if b.x.source.Kind == schema.Stocklist {
		return beside(schema.Price, schema.UnitCost)
	}
	order, ordered := b.x.source.ByRole(schema.Order)
	rows := len(b.p.Measures) == 1 && (b.p.Measures[0].Metric == plan.Rows || b.p.Measures[0].Metric == plan.Orders && (!ordered || order.Distinct == b.x.source.Rows))
	if !rows || b.p.Count || b.s.rank != nil || !b.s.has("howmany") && len(b.s.counts) == 0 {
		return plan.Filter{}, false
	}
	if profit, has := b.heading(schema.Profit); has {
		return plan.Filter{Column: profit, Op: plan.Less, Values: []string{"0"}}, true
	}
	return beside(schema.Revenue, schema.Cost)
}

// readBounds reads "over $100", "at least 10 units", "stock below the reorder level".
func (b *builder) readBounds() error {
	for _, o := range b.s.bounds {
		if err := b.bound(o); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) bound(o bound) error {
	if o.other != nil {
		return b.boundBeside(o)
	}
	if b.readOlder(o) {
		return nil
	}
	if c, ok := b.age(o); ok {
		o.of, o.name = &figure{span: o.span, column: &c}, nil
	} else if b.isPlural(o) || b.isYoungOrOld(o) {
		return b.refuse(Missing, "There is no column of ages in %s, so this cannot be answered.", b.x.source.Name)
	}
	if c := cmp.Or(b.x.words.Measure("days"), b.x.words.Measure("nights")); c != nil && o.of == nil && o.name == nil && o.unit == link.Days {
		o.of, o.unit = &figure{span: o.span, column: c}, link.Plain
	}
	if days, ok := b.daysBound(o); ok {
		o.of, o.unit = days, link.Plain
	}
	if o.measure != "" && (o.of == nil || o.of.column == nil) && o.name == nil {
		c := b.x.words.Measure(o.measure)
		if c == nil {
			return b.refuse(Missing, "No column in %s is in %s, so this cannot be answered.", b.x.source.Name, o.measure)
		}
		o.of = &figure{span: o.span, column: c}
	}
	o = b.inColumnsUnit(o)
	if b.p.List != nil {
		return b.boundListed(o)
	}
	if o.of == nil && o.name == nil && o.unit == link.Plain && b.hasWord("have", "got") && len(b.s.figures) == 0 && !b.countsTimes() && !b.s.has("sell", "buy", "price") && !b.x.can(plan.StockUnits) && b.x.source.Kind != schema.Other {
		return b.missingRole(schema.Stock)
	}
	target := b.boundMeasure(o)
	if o.per != plan.Whole && target.Per == "" {
		target.Per = string(o.per)
		if len(b.p.Measures) > 0 && b.s.rank == nil && len(b.s.figures) == 0 {
			b.p.Measures = nil
		}
	}
	value := strconv.FormatFloat(o.number, 'f', -1, 64)
	if o.unit == link.Days && target.Since == "" && target.Metric != plan.Cover && (target.Metric.Countable() || target.Metric == plan.Revenue || target.Metric == plan.Cost) {
		return b.refuse(Unknown, "It is not clear what should be compared with %s days, so this cannot be answered.", value)
	}
	f, err := plan.FormulaOf(b.x.source, target)
	if isCount := target.Metric.Countable() || err == nil && f.Unit == schema.Count; o.unit == link.Money && target.Plain() && isCount && target.Metric != plan.Orders {
		return b.refuse(Unknown, "It is not clear what should be compared with %s, so this cannot be answered.", value)
	}
	if o.unit == link.Percent && target.Metric == plan.StockUnits && !b.s.has("share") {
		return b.refuse(Unknown, "It is not clear what should be compared with %s %%, so this cannot be answered.", value)
	}
	return b.placeBound(o, target, value)
}

// placeBound makes a bound on a figure a condition on rows or on groups.
func (b *builder) placeBound(o bound, target plan.Measure, value string) error {
	op := o.op
	column, hasColumn := b.boundColumn(target)
	perRow := b.ofRow(o) && hasColumn
	switch {
	case op == plan.In && hasColumn && len(b.p.By) == 0, perRow && (!b.namesRows() && !b.leadsGroups() || b.groupsByKey()):
		b.p.Where = addFilter(b.p.Where, plan.Filter{Column: column, Op: op, Values: []string{value}})
		return nil
	case op == plan.In && len(b.p.By) > 0:
		of := b.addMeasure(target)
		b.p.Having = append(b.p.Having, plan.Threshold{Measure: of, Op: plan.AtLeast, Value: o.number}, plan.Threshold{Measure: of, Op: plan.AtMost, Value: o.number})
		return nil
	case op == plan.In:
		return b.refuse(Unknown, "It is not clear what should be exactly %s, so this cannot be answered.", value)
	case len(b.p.By) > 0:
		b.p.Having = append(b.p.Having, plan.Threshold{Measure: b.addMeasure(target), Op: op, Value: o.number})
		return nil
	}
	return b.boundRows(o, target)
}

// readOlder reads older than 30 days, and more than 30 days old: the day of the row, or that which the words name, is
// as long past.
func (b *builder) readOlder(o bound) bool {
	day, ok := b.x.source.ByRole(schema.Day)
	named := b.namedDay()
	if named != nil {
		day, ok = *named, true
	}
	isOld := o.arg == "age" || b.wordAt(o.to, "old")
	if !ok || !isOld || o.unit != link.Days || o.of != nil || named == nil && (b.x.age() != nil || b.x.source.Kind == schema.Customers) {
		return false
	}
	f, ok := past(o, day.Heading, b.now.Today)
	if !ok {
		return false
	}
	b.taken[o.to], b.relative = true, true
	b.p.Where = addFilter(b.p.Where, f)
	if named != nil && len(b.p.By) == 1 && b.p.By[0].Column == named.Heading {
		b.p.By, b.p.Count = nil, false // patch tests over six months old are rows, and no days
		b.p.Measures = []plan.Measure{{Metric: b.x.counted()}}
	}
	return true
}

// namedDay returns the column of days, other than that of the row, whose number is asked for or which is named; nil if
// there is none.
func (b *builder) namedDay() *schema.Column {
	for _, n := range b.s.counts {
		if n.name != nil && isDay(n.name.column) && n.name.column.Role != schema.Day {
			return n.name.column
		}
	}
	i := slices.IndexFunc(b.s.names, func(n name) bool { return isDay(n.column) && n.role != schema.Day })
	if i < 0 {
		return nil
	}
	return b.s.names[i].column
}

// past returns the filter of days that are as long past as a bound says; false if it is not of whole days.
func past(o bound, heading string, today time.Time) (plan.Filter, bool) {
	op := map[plan.Op]plan.Op{plan.More: plan.Less, plan.AtLeast: plan.AtMost, plan.Less: plan.More, plan.AtMost: plan.AtLeast}[o.op]
	day := today.AddDate(0, 0, -int(o.number)).Format(time.DateOnly)
	return plan.Filter{Column: heading, Part: plan.Day, Op: op, Values: []string{day}}, op != "" && o.number == math.Trunc(o.number)
}

// daysBound returns the days that the work on a row takes, if a bound of days is of what took
// or lasted so long.
func (b *builder) daysBound(o bound) (*figure, bool) {
	if o.unit != link.Days || o.of != nil || o.name != nil || !b.hasWord("take", "takes", "took", "taken", "taking", "last", "lasted", "longer", "stay", "stayed") {
		return nil, false
	}
	f, ok := b.daysOfSpeed(link.Mention{From: o.from, To: o.to, Arg: "speed"})
	for _, m := range b.s.marks {
		if m.from < o.to && (m.sense == "sell" || m.sense == "buy") {
			b.taken[m.from] = true
		}
	}
	return &f, ok
}

// inColumnsUnit returns a bound with a unit of measure in the unit of its column: 2 hours as
// 120 of minutes.
func (b *builder) inColumnsUnit(o bound) bound {
	if o.of == nil || o.of.column == nil {
		return o
	}
	unit := plan.Unit(o.measure)
	if unit == "" && o.to < len(b.tokens) {
		unit = plan.Unit(b.tokens[o.to].Lemma)
	}
	if !plan.Measures(unit) {
		return o
	}
	if o.measure == "" {
		b.taken[o.to] = true
	}
	ratio, ok := plan.Conversion(unit, plan.UnitOf(*o.of.column))
	if !ok {
		return o
	}
	times, _ := ratio.Float64()
	o.number *= times
	return o
}

// age returns the column of ages that a bound on people is of: customers over 60, women under 30,
// the over 50s.
func (b *builder) age(o bound) (schema.Column, bool) {
	ofRows := o.arg == "" && len(b.s.figures) == 0 && (b.x.source.Kind == schema.Other || b.x.source.Kind == schema.Customers)
	isPeople := o.name != nil && o.name.role == schema.Customer || o.of != nil && o.of.metric == plan.Customers
	isBare := o.name == nil && (o.of == nil || o.of.metric == plan.Rows)
	if c := b.x.age(); c != nil && o.unit == link.Plain && (isPeople || isBare && (ofRows || b.isAge(o))) {
		return *c, true
	}
	return schema.Column{}, false
}

// isAge reports whether a bound without a figure follows people, or its number is a plural: the
// over 50s.
func (c *chart) isAge(o bound) bool {
	if o.unit != link.Plain || o.arg != "" {
		return false
	}
	return c.isPlural(o) || c.x.age() != nil && o.from > 0 && slices.Contains(people, c.tokens[o.from-1].Lemma)
}

// isPlural reports whether the number of a bound is a plural, which only ages are.
func (c *chart) isPlural(o bound) bool {
	raw := c.tokens[o.to-1].Raw
	return strings.HasSuffix(raw, "0s") || strings.HasSuffix(raw, "5s")
}

// isYoungOrOld reports whether a number that nothing else has can only be an age: pupils under 18, the guests who were
// over 60. What people spend is not said in this way.
func (c *chart) isYoungOrOld(o bound) bool {
	isBare := o.of == nil && o.name == nil && o.unit == link.Plain && o.arg == "" && o.number == math.Trunc(o.number) && o.number < oldest
	if !isBare || o.from == 0 || !slices.Contains([]string{"under", "over", "below", "above", "aged"}, c.tokens[o.from].Text) {
		return false
	}
	isPerson := func(t link.Token) bool { return t.Lemma != "those" && slices.Contains(people, t.Lemma) }
	return isPerson(c.tokens[o.from-1]) || slices.Contains([]string{"are", "were", "is", "was"}, c.tokens[o.from-1].Text) && slices.ContainsFunc(c.tokens[:o.from], isPerson)
}

// oldest bounds the ages of people.
const oldest = 100

// people are words for customers, in the singular.
var people = []string{"people", "those", "person", "customer", "client", "shopper", "buyer", "guest", "member", "patient", "student", "pupil", "donor", "woman", "man", "female", "male", "lady", "girl", "boy", "child", "kid", "adult", "women", "men"}

// age returns the column of ages, or nil.
func (x *lexicon) age() *schema.Column {
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool { return c.Type == schema.Number && hasWord(c.Heading, "age") })
	if i < 0 {
		return nil
	}
	return &x.source.Columns[i]
}

// namesRows reports whether the groups are names that are asked for, each of which has one
// figure: which products have less than 5 units.
func (b *builder) namesRows() bool {
	return slices.ContainsFunc(b.s.groups, func(g group) bool { return g.word == "which" || g.word == "list" || g.word == "rank" })
}

// leadsGroups reports whether a plural that begins the question makes the groups, each of
// which may have several rows: branches with a rating below 5. Their mean is compared.
func (b *builder) leadsGroups() bool {
	if len(b.p.By) != 1 || b.groupsByKey() || !slices.ContainsFunc(b.s.names, b.leads) {
		return false
	}
	return true
}

// groupsByKey reports whether each row is a group of its own.
func (b *builder) groupsByKey() bool {
	if len(b.p.By) != 1 {
		return false
	}
	c, ok := plan.Column(b.x.source, b.p.By[0].Column)
	return ok && b.isKey(name{column: &c})
}

// holds reports whether a bound of goods of a list is on how many there are: that we have fewer than 2 of.
func (b *builder) holds(o bound) bool {
	return b.x.source.Kind == schema.Stocklist && b.x.can(plan.StockUnits) && (b.wordAt(o.from-1, "have", "got") || b.wordAt(o.to, "left"))
}

// boundMeasure returns the figure that a bound applies to.
func (b *builder) boundMeasure(o bound) plan.Measure {
	price, priced := b.heading(schema.Price)
	switch {
	case o.of != nil && o.of.metric == plan.Cost && !b.x.can(plan.Cost) && priced:
		return plan.Measure{Metric: plan.Average, Column: price}
	case o.of == nil && o.name == nil && o.unit == link.Plain && b.holds(o):
		return plan.Measure{Metric: plan.StockUnits}
	case o.of != nil:
		f := *o.of
		if isAdjective := f.from == o.from && f.to < o.to && f.column != nil && f.fold == ""; isAdjective {
			f.fold = "mean" // treatments longer than an hour
		}
		return b.measureOf(f)
	case o.name != nil:
		if o.unit == link.Money && priced && o.name.role == schema.Product {
			return plan.Measure{Metric: plan.Average, Column: price}
		}
		if o.name.role == schema.Product && b.x.can(plan.Units) {
			return plan.Measure{Metric: plan.Units}
		}
		if o.name.role == schema.Order {
			return plan.Measure{Metric: plan.Orders}
		}
		return plan.Measure{Metric: plan.Distinct, Column: o.name.column.Heading}
	case o.unit == link.Percent && b.x.percentages() != nil && !b.s.has("share"):
		return plan.Measure{Metric: plan.Average, Column: b.x.percentages().Heading}
	case o.arg == "price" && b.x.bought != nil && b.hasWord("sold"):
		sold, _ := b.x.source.ByRole(schema.Revenue)
		return plan.Measure{Metric: plan.Average, Column: sold.Heading} // what it went for, and not what was asked
	case (o.arg == "price" || b.hasWord("cost", "costs", "costing", "priced")) && priced:
		return plan.Measure{Metric: plan.Average, Column: price}
	case o.unit == link.Money && priced && b.x.source.Kind == schema.Stocklist: // genres that average over £10
		return plan.Measure{Metric: plan.Average, Column: price}
	case (o.unit == link.Money || o.unit == link.Plain && o.number != math.Trunc(o.number)) && priced && b.ofProducts(): // under 2.50
		return plan.Measure{Metric: plan.Average, Column: price}
	case o.unit == link.Plain && b.sellsProducts():
		return plan.Measure{Metric: plan.Units}
	case o.unit == link.Money && b.sellsAt(o) && priced:
		return plan.Measure{Metric: plan.Average, Column: price}
	case o.unit == link.Money && b.sellsAt(o) && b.x.can(plan.AveragePrice):
		return plan.Measure{Metric: plan.AveragePrice}
	case o.unit == link.Money && b.x.source.Kind == schema.Customers && b.x.fee() != nil:
		return plan.Measure{Metric: plan.Average, Column: b.x.fee().Heading} // what each member pays
	case o.unit == link.Money && b.isOrders():
		return plan.Measure{Metric: b.orderAmount()}
	case o.unit == link.Money && b.x.can(b.x.nearest(plan.Revenue)):
		b.noteAmount(o)
		return plan.Measure{Metric: b.x.nearest(plan.Revenue)}
	case len(b.p.Measures) > 0:
		return b.p.Measures[0]
	}
	return plan.Measure{Metric: b.defaultMetric()}
}

// fee returns the column of what each of a list of people pays, or nil.
func (x *lexicon) fee() *schema.Column {
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool {
		return c.Type == schema.Number && c.Unit == schema.Money && hasWord(c.Heading, "fee", "monthly", "month", "price", "pays", "rate", "subscription") && !hasWord(c.Heading, "joining", "setup", "registration")
	})
	if i < 0 {
		return nil
	}
	return &x.source.Columns[i]
}

// percentages returns the only column of percentages, which a number of per cent is compared with
// where nothing is named, or that of the strength of drinks, which has no sign; nil if there is none,
// or several.
func (x *lexicon) percentages() *schema.Column {
	all := slices.DeleteFunc(slices.Clone(x.source.Columns), func(c schema.Column) bool { return c.Type != schema.Number || c.Unit != schema.Percent })
	switch len(all) {
	case 0:
		return x.words.Measure("percent")
	case 1:
		return &all[0]
	}
	return nil
}

// ofProducts reports whether products are asked for by their price: everything under £20.
func (b *builder) ofProducts() bool {
	product, ok := b.productHeading()
	return ok && len(b.s.figures) == 0 && !b.s.has("sell", "buy", "money") && len(b.p.By) == 1 && b.p.By[0].Column == product
}

// sellsProducts reports whether pieces are sold of the products that are asked for.
func (b *builder) sellsProducts() bool {
	product, ok := b.productHeading()
	return ok && b.s.has("sell", "buy") && !b.s.has("money") && len(b.s.figures) == 0 && len(b.p.By) == 1 && b.p.By[0].Column == product && b.x.can(plan.Units)
}

// sellsAt reports whether a bound of money right after "sell" is of what products sell at, and not of what they
// brought in: which products sell over £10, selling at more than £10. In some days, and beside "more than", it is
// what they brought in.
func (b *builder) sellsAt(o bound) bool {
	isPrice := b.wordAt(o.from, "over", "above", "under", "below") && len(b.s.periods) == 0 && !b.wordAt(o.from-1, "sold")
	return b.boundsSold(o) && (isPrice || b.wordAt(o.from-1, "for", "at"))
}

// boundsSold reports whether a bound right after a verb of selling is of products, which have a price and an amount.
func (b *builder) boundsSold(o bound) bool {
	product, ok := b.productHeading()
	at := o.from - 1
	if b.wordAt(at, "for", "at") {
		at--
	}
	return ok && b.groupsBy(product) && o.per == plan.Whole && b.wordAt(at, "sell", "sells", "selling", "sold")
}

// noteAmount adds a note that a bound limits what products brought in, where it might limit their prices
// as well. "Sold more than £500 last month" cannot mean a price and gets none.
func (b *builder) noteAmount(o bound) {
	isAmount := b.wordAt(o.from-1, "sold") && len(b.s.periods) > 0 && b.hasWord("than")
	if b.boundsSold(o) && !isAmount {
		b.guessed = true
		b.note("The limit is on what each brought in, and not on its price.")
	}
}

// boundRows bounds the rows, or the orders, of a figure without groups.
func (b *builder) boundRows(o bound, m plan.Measure) error {
	order, ok := b.x.source.ByRole(schema.Order)
	counts := len(b.p.Measures) > 0 && b.p.Measures[0].Metric == plan.Orders
	if ok && (counts || m.Since != "") && (order.Distinct < b.x.source.Rows || m.Since != "") {
		if m.Metric == plan.Orders {
			m.Metric = b.orderAmount()
		}
		b.p.By, b.p.Count = []plan.Dimension{{Column: order.Heading}}, true
		b.p.Measures = []plan.Measure{m}
		b.p.Having = append(b.p.Having, plan.Threshold{Op: o.op, Value: o.number})
		return nil
	}
	if m.Metric == plan.Orders || m.Metric == plan.Rows {
		m = plan.Measure{Metric: b.orderAmount()}
	}
	value := strconv.FormatFloat(o.number, 'f', -1, 64)
	c, ofRows := b.boundColumn(m)
	if total, has := b.heading(schema.Revenue); !ofRows && has && m.Plain() && (m.Metric == plan.Revenue || m.Metric == plan.Gross) {
		c, ofRows = total, true // before what was paid back since
	}
	if ofRows {
		b.p.Where = addFilter(b.p.Where, plan.Filter{Column: c, Op: o.op, Values: []string{value}})
		return nil
	}
	return b.refuse(Unknown, "It is not clear what should be compared with %s, so this cannot be answered.", value)
}

// orderAmount returns the figure that says how large an order was, whatever was paid back since.
func (b *builder) orderAmount() plan.Metric {
	if b.x.hasReversals() && b.x.can(plan.Gross) {
		return plan.Gross
	}
	return b.x.nearest(plan.Revenue)
}

// boundColumn returns the heading of the column with a figure of each row.
func (b *builder) boundColumn(m plan.Measure) (string, bool) {
	if m.Since != "" {
		return "", false
	}
	if m.Column != "" && m.Metric != plan.Distinct {
		return m.Column, true
	}
	if c, ok := b.x.source.ByRole(schema.Discount); ok && m.Metric == plan.Discounts {
		return c.Heading, true
	}
	terms, ok := plan.Terms(b.x.source, m.Metric)
	if ok && len(terms) == 1 && len(terms[0].Factors) == 1 {
		return terms[0].Factors[0].Heading, true
	}
	return "", false
}

// boundBeside compares two columns of each row.
func (b *builder) boundBeside(o bound) error {
	if o.far {
		b.p.Measures = nil
		b.p.Derived = []plan.Derived{{Kind: plan.Difference, Of: 0, And: 1}}
		for _, f := range []figure{*o.other, *o.of} {
			f.fold = "mean"
			b.addMeasure(b.measureOf(f))
		}
		if o.op == plan.More || o.op == plan.AtLeast {
			b.p.Derived[0] = plan.Derived{Kind: plan.Difference, Of: 1, And: 0}
		}
		return nil
	}
	of, ok1 := b.boundColumn(b.measureOf(*o.of))
	other, ok2 := b.boundColumn(b.measureOf(*o.other))
	if !ok1 || !ok2 || of == other {
		return b.refuse(Unknown, "It is not clear what should be compared with “%s”, so this cannot be answered.", o.other.text)
	}
	b.p.Where = addFilter(b.p.Where, plan.Filter{Column: of, Op: o.op, Other: other})
	return nil
}
