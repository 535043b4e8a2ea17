package read

import (
	"slices"
	"strconv"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

func boundNumber(c *chart, parts []*item) (sketch, bool) {
	b := parts[0].s.bounds[0]
	n := parts[1].s.numbers[0]
	if b.op == "between" {
		return sketch{}, false
	}
	b.number, b.unit, b.to, b.measure = n.Number, n.Unit, parts[1].to, n.Arg
	if n.Column != nil {
		b.of, b.arg = &figure{span: parts[1].span, column: n.Column, text: c.text(n.From, n.To)}, ""
	}
	if text := c.tokens[n.From].Text; b.of == nil && (text == "once" || text == "twice") {
		b.of = &figure{span: parts[1].span, metric: plan.Orders, text: "times"}
	}
	return sketch{bounds: []bound{b}}, n.Unit != link.Ordinal
}

// perUnit adds an amount for one of something with the column of such amounts: 10 euro a kilo, of Cost/kg,
// $5 each. Of what the shop pays and what it charges it is the price, unless the words are about what
// the shop pays.
func (c *chart) perUnit(m link.Mention) {
	to := m.To
	each := to < len(c.tokens) && slices.Contains([]string{"each", "apiece"}, c.tokens[to].Text)
	if !each && to+1 < len(c.tokens) && slices.Contains([]string{"a", "an", "per"}, c.tokens[to].Text) {
		to++
	}
	if m.Unit != link.Plain && m.Unit != link.Money || m.Arg != "" || !each && to == m.To {
		return
	}
	prices := []schema.Role{schema.Price, schema.UnitCost}
	if c.pays() {
		slices.Reverse(prices)
	}
	var found *schema.Column
	for i := range c.x.source.Columns {
		col := &c.x.source.Columns[i]
		isPrice := slices.Contains(prices, col.Role)
		if col.Unit != schema.Money || each && !isPrice || !each && !isPer(col, c.tokens[to].Lemma) {
			continue
		}
		if found == nil || slices.Index(prices, col.Role) == 0 {
			found = col
		}
	}
	if found != nil {
		m.To, m.Unit, m.Column = to+1, link.Money, found
		c.add(m.From, m.To, numberCat, gainPerUnit, sketch{numbers: []link.Mention{m}})
	}
}

// gainPerUnit makes up for the cost of a bound without a figure beside it, which the number itself names.
const gainPerUnit = -0.6

// isPer reports whether a heading says that its amounts are per unit, as Cost/kg does for kg.
func isPer(c *schema.Column, unit string) bool {
	words := strings.FieldsFunc(strings.ToLower(link.Spaced(c.Heading)), func(r rune) bool { return strings.ContainsRune(" /()", r) })
	return slices.ContainsFunc(words, func(w string) bool {
		return plan.Unit(w) == plan.Unit(unit) || len(words) > 1 && link.Abbreviates(w, unit)
	})
}

// pays reports whether the words are of what the shop pays: cost us, we pay.
func (c *chart) pays() bool {
	for i, t := range c.tokens[:max(0, len(c.tokens)-1)] {
		next := c.tokens[i+1]
		if t.Lemma == "cost" && slices.Contains([]string{"us", "me"}, next.Text) || slices.Contains([]string{"we", "i"}, t.Text) && slices.Contains([]string{"pay", "buy", "spend"}, next.Lemma) {
			return true
		}
	}
	return false
}

func boundAfter(c *chart, parts []*item) (sketch, bool) {
	return boundNumber(c, []*item{parts[1], parts[0]})
}

// boundAfterThings reads 4 nights or longer, and 3 products or more.
func boundAfterThings(c *chart, parts []*item) (sketch, bool) {
	s, ok := boundAfter(c, []*item{parts[0], parts[2]})
	if !ok || !c.adjacent(parts[0], parts[1]) {
		return sketch{}, false
	}
	number := &item{span: span{parts[0].from, parts[2].to}, cat: boundCat, s: s}
	if parts[1].cat == nameCat {
		return boundOnNames(c, []*item{number, parts[1]})
	}
	return boundOfFigure(c, []*item{number, parts[1]})
}

func between(_ *chart, parts []*item) (sketch, bool) {
	b := parts[0].s.bounds[0]
	low, high := parts[1].s.numbers[0], parts[3].s.numbers[0]
	if b.op != "between" || high.Number < low.Number {
		return sketch{}, false
	}
	at := span{parts[0].from, parts[3].to}
	return sketch{bounds: []bound{
		{span: at, op: plan.AtLeast, number: low.Number, unit: high.Unit, measure: high.Arg},
		{span: at, op: plan.AtMost, number: high.Number, unit: high.Unit, measure: high.Arg},
	}}, true
}

// rowsWithin reads in rows with a weight above 30: a condition on each row, whatever the groups.
func rowsWithin(c *chart, parts []*item) (sketch, bool) {
	rows, of := parts[1].s, parts[3].s
	f := of.figures[0]
	if len(rows.figures) == 1 && rows.figures[0].metric != plan.Rows || f.column == nil || f.fold != "" || f.since != nil || len(of.where) > 0 {
		return sketch{}, false
	}
	var s sketch
	for _, one := range parts[4].s.bounds {
		if one.of != nil || one.other != nil || one.measure != "" || one.per != plan.Whole {
			return sketch{}, false
		}
		value := strconv.FormatFloat(one.number, 'f', -1, 64)
		at := span{parts[0].from, parts[4].to}
		s.where = append(s.where, cond{span: at, Filter: plan.Filter{Column: f.column.Heading, Op: one.op, Values: []string{value}}, role: f.column.Role, text: c.text(at.from, at.to)})
	}
	return s, true
}

// boundOfFigure joins a bound and the figure beside it: sales over 500, more than 3 units.
func boundOfFigure(c *chart, parts []*item) (sketch, bool) {
	f, b := parts[0].s, parts[1].s
	if parts[0].cat == boundCat {
		f, b = b, f
	}
	if len(f.figures) != 1 || len(f.where) > 0 || parts[0].cat == figureCat && c.countsAt(parts[1].to) {
		return sketch{}, false
	}
	out := sketch{marks: f.marks}
	for _, one := range b.bounds {
		if one.unit == link.Days && f.figures[0].metric != plan.Cover && f.figures[0].since == nil {
			return sketch{}, false
		}
		isRow := f.figures[0].metric == plan.Rows || f.figures[0].metric == plan.Orders && f.figures[0].plain() && c.listedFrom(parts[0].from) >= 0
		if isRow && one.unit == link.Money && one.of == nil && one.other == nil {
			out.figures, out.bounds = f.figures, append(out.bounds, one) // of what each comes to
			continue
		}
		isPercent := one.unit == link.Percent && c.x.percentages() != nil
		if (one.unit == link.Money || isPercent) && f.figures[0].metric.Countable() {
			return sketch{}, false
		}
		if one.of != nil || one.other != nil || c.isAge(one) || c.isInAnother(one, f.figures[0]) {
			return sketch{}, false
		}
		if col := c.sizeOf(f.figures[0], one); col != nil {
			one.of = &figure{span: parts[1].span, column: col, text: c.text(one.from, one.to)}
			out.figures = []figure{{span: f.figures[0].span, metric: c.x.counted(), text: f.figures[0].text}}
			out.bounds = append(out.bounds, one)
			continue
		}
		one.of = &f.figures[0]
		if parts[0].cat == boundCat && c.adjacent(parts[0], parts[1]) && c.countsSales(*one.of, one) {
			one.of = &figure{span: one.of.span, metric: plan.Orders, text: one.of.text}
		}
		out.bounds = append(out.bounds, one)
	}
	return out, true
}

// sizeOf returns the column of how many people or pieces a row is for, if a bound without a unit says
// how large it is: parties bigger than 6, bookings of 8 or more, orders of 3 or more.
func (c *chart) sizeOf(f figure, o bound) *schema.Column {
	isRow := (f.metric == plan.Orders || f.metric == plan.Rows) && f.plain() && f.to < len(c.tokens) && c.tokens[f.to].Text == "of"
	if o.unit != link.Plain || o.arg+o.measure != "" || o.from < f.to || o.op == "between" || !isRow && !link.IsRow(c.tokens[f.to-1].Lemma, "party") {
		return nil
	}
	people := c.x.words.Measure("person")
	if quantity, ok := c.x.source.ByRole(schema.Quantity); people == nil && isRow && ok {
		return &quantity
	}
	return people
}

// countsAt reports whether what is counted follows a bound, which is then of that: jobs over 5 days.
func (c *chart) countsAt(at int) bool {
	return at < len(c.tokens) && slices.ContainsFunc(c.starts[at], func(it *item) bool {
		return it.cat == figureCat && len(it.of) == 0 && countsThings(it.s.figures[0].column)
	})
}

// boundOff reads more than 20 % off and more than $5 off: of the discount, where it is in the same unit.
func boundOff(c *chart, parts []*item) (sketch, bool) {
	off, ok := c.x.source.ByRole(schema.Discount)
	of := &item{span: parts[1].span, cat: figureCat, s: sketch{figures: []figure{{span: parts[1].span, column: &off, text: c.text(parts[1].from, parts[1].to)}}}}
	unit := parts[0].s.bounds[0].unit
	isIn := unit == link.Percent && off.Unit == schema.Percent || unit != link.Percent && off.Unit == schema.Money
	return must(boundOfFigure(c, []*item{parts[0], of}))(ok && isIn && c.adjacent(parts[0], parts[1]))
}

// isInAnother reports whether a bound is in the unit of a column other than a figure's: hires of 4
// hours or longer.
func (c *chart) isInAnother(o bound, f figure) bool {
	if o.measure == "" || f.fold != "" {
		return false
	}
	col := c.x.words.Measure(o.measure)
	return col != nil && (f.column == nil && f.metric == plan.Orders || f.column != nil && f.column.Heading != col.Heading)
}

// countsSales reports whether sales beside a number without a currency are counted: fewer
// than 50 sales.
func (c *chart) countsSales(f figure, o bound) bool {
	return f.metric == plan.Revenue && f.per == "" && f.fold == "" && strings.EqualFold(f.text, "sales") && o.unit == link.Plain && c.x.can(plan.Orders)
}

// bothBounds reads more than 20 and less than 30: both are of the same figure.
func bothBounds(_ *chart, parts []*item) (sketch, bool) {
	a, b := parts[0].s.bounds[0], parts[2].s.bounds[0]
	if len(parts[0].s.bounds)+len(parts[2].s.bounds) != 2 || b.of != nil && a.of == nil || b.arg != "" && a.arg == "" || a.name != nil || b.name != nil {
		return sketch{}, false
	}
	b.of, b.arg = a.of, a.arg
	return sketch{bounds: []bound{a, b}}, true
}

// boundOfTimes reads more than 5 times: orders.
func boundOfTimes(_ *chart, parts []*item) (sketch, bool) {
	var out sketch
	for _, one := range parts[0].s.bounds {
		if one.of != nil && one.of.metric != plan.Orders || one.other != nil {
			return sketch{}, false
		}
		one.of = &figure{span: parts[1].span, metric: plan.Orders, text: "times"}
		out.bounds = append(out.bounds, one)
	}
	return out, true
}

// timesOrMore reads 3 times or more.
func timesOrMore(c *chart, parts []*item) (sketch, bool) {
	s, ok := boundAfter(c, []*item{parts[0], parts[2]})
	if !ok || !c.adjacent(parts[0], parts[1]) {
		return sketch{}, false
	}
	return boundOfTimes(c, []*item{{s: s}, parts[1]})
}

// feePerTime reads over £40 a month, of what each of a list of people pays.
func feePerTime(c *chart, parts []*item) (sketch, bool) {
	b, g := parts[0].s.bounds[0], parts[1].s.groups
	isFee := c.x.source.Kind == schema.Customers && c.x.fee() != nil && b.unit == link.Money && b.of == nil
	return parts[0].s, isFee && len(g) == 1 && g[0].part.Series() && slices.Contains([]string{"a", "per", "each"}, g[0].word)
}

// boundOneUnit reads less than a week, in days.
func boundOneUnit(_ *chart, parts []*item) (sketch, bool) {
	b, g := parts[0].s.bounds[0], parts[1].s.groups
	if len(g) != 1 || g[0].word != "a" || b.op == "between" || daysOf[g[0].part] == 0 {
		return sketch{}, false
	}
	b.number, b.unit, b.to = float64(daysOf[g[0].part]), link.Days, max(b.to, parts[1].to)
	return sketch{bounds: []bound{b}}, true
}

// boundOneUnitAfter reads a week or longer.
func boundOneUnitAfter(c *chart, parts []*item) (sketch, bool) {
	if len(parts[1].s.bounds) != 1 {
		return sketch{}, false // after is a word, too
	}
	s, ok := boundOneUnit(c, []*item{parts[1], parts[0]})
	if ok {
		s.bounds[0].from = parts[0].from
	}
	return s, ok
}

// boundPerTime reads less than 5 a day.
func boundPerTime(_ *chart, parts []*item) (sketch, bool) {
	g := parts[1].s.groups
	if len(g) != 1 || !g[0].part.Series() || g[0].word == "by" {
		return sketch{}, false
	}
	var out sketch
	for _, one := range parts[0].s.bounds {
		one.per, one.to = g[0].part, parts[1].to
		out.bounds = append(out.bounds, one)
	}
	return out, true
}

func boundOnNames(_ *chart, parts []*item) (sketch, bool) {
	n := parts[1].s.names[0]
	if n.column == nil || n.column.Type == schema.Number || n.part != plan.Whole {
		return sketch{}, false
	}
	out := sketch{where: parts[1].s.where}
	for _, one := range parts[0].s.bounds {
		if one.unit == link.Days || one.unit == link.Money {
			return sketch{}, false
		}
		one.name = &n
		out.bounds = append(out.bounds, one)
	}
	return out, true
}

// boundOnDifferent reads more than 3 different products.
func boundOnDifferent(c *chart, parts []*item) (sketch, bool) {
	s, ok := boundOnNames(c, []*item{parts[0], parts[2]})
	for i, o := range s.bounds {
		n := *o.name
		n.role = schema.None // of each once
		s.bounds[i].name = &n
	}
	return s, ok
}

// onlyNumber reads only once, and only one order.
func onlyNumber(c *chart, parts []*item) (sketch, bool) {
	n := parts[1].s.numbers[0]
	exact := &item{s: sketch{bounds: []bound{{span: parts[0].span, op: plan.In}}}}
	s, ok := boundNumber(c, []*item{exact, parts[1]})
	return s, ok && n.Unit == link.Plain && c.adjacent(parts[0], parts[1])
}

// onlyHad reads only had one, only ordered once.
func onlyHad(c *chart, parts []*item) (sketch, bool) {
	if !c.adjacent(parts[1], parts[2]) {
		return sketch{}, false
	}
	return onlyNumber(c, []*item{{span: span{parts[0].from, parts[2].from}}, parts[2]})
}

// onlyFigure reads only takings; only one order is a bound.
func onlyFigure(c *chart, parts []*item) (sketch, bool) {
	isOne := func(t link.Token) bool { return t.Unit != "" || t.Text == "one" || t.Text == "once" }
	return parts[1].s, !slices.ContainsFunc(c.tokens[parts[0].to:parts[1].to], isOne)
}

// boundOnPieces reads more than 5 mochas: units of what is sold.
func boundOnPieces(c *chart, parts []*item) (sketch, bool) {
	out := parts[1].s
	if len(out.where) != 1 || out.where[0].role != schema.Product || out.where[0].Op != plan.In || !c.adjacent(parts[0], parts[1]) || !c.x.can(plan.Units) {
		return sketch{}, false
	}
	for _, one := range parts[0].s.bounds {
		if one.unit != link.Plain || one.of != nil || one.name != nil || one.other != nil || one.arg != "" {
			return sketch{}, false
		}
		one.of = &figure{span: one.span, metric: plan.Units, text: "units"}
		out.bounds = join(out.bounds, []bound{one})
	}
	return out, true
}

// besideFigure compares two figures: stock below reorder level.
func besideFigure(c *chart, parts []*item) (sketch, bool) {
	b := parts[len(parts)-2].s.bounds[0]
	other := parts[len(parts)-1].s.figures[0]
	isOwn := func(t link.Token) bool { return t.Text == "their" || t.Text == "its" }
	if op, of := parts[len(parts)-2], parts[len(parts)-1]; op.from > 0 && c.tokens[op.from-1].Lemma != "be" && c.tokens[op.from].Text == "over" && slices.ContainsFunc(c.tokens[op.to:of.from], isOwn) {
		return sketch{}, false // what they are worth over their lifetime
	}
	if price, ok := c.x.source.ByRole(schema.Price); ok && b.arg == "price" && len(parts) == 2 && other.column != nil && other.column.Role == schema.UnitCost {
		b.other, b.to, b.arg = &other, other.to, ""
		b.of = &figure{span: parts[0].span, column: &price, text: "price"}
		return sketch{bounds: []bound{b}}, true // priced below what it cost
	}
	if isPiece := b.arg == "price" && c.x.bought != nil; b.arg != "" && !isPiece {
		return sketch{}, false // "cost above" a price has a number after it
	}
	b.arg = ""
	b.other, b.to = &other, other.to
	if len(parts) == 3 && parts[0].s.figures[0].counts() {
		return sketch{}, false // how many customers are over their limit
	}
	if len(parts) == 3 {
		b.of, b.from = &parts[0].s.figures[0], parts[0].from
		return sketch{bounds: []bound{b}}, true
	}
	if of, ok := c.x.usual(other); ok {
		b.of = &of
		return sketch{bounds: []bound{b}}, true
	}
	return sketch{}, false
}

// sellsBeside reads selling for less than it cost.
func sellsBeside(c *chart, parts []*item) (sketch, bool) {
	for _, o := range parts[0].s.bounds {
		if o.arg != "price" {
			return sketch{}, false
		}
	}
	than := *parts[len(parts)-2]
	if than.cat != opCat {
		op := map[string]plan.Op{"less": plan.Less, "more": plan.More}[than.cat]
		than.s = sketch{bounds: []bound{{span: than.span, op: op}}}
	}
	o := than.s.bounds[0]
	o.arg, o.from = "price", parts[0].from
	than.s, than.span.from = sketch{bounds: []bound{o}}, parts[0].from
	return besideFigure(c, []*item{&than, parts[len(parts)-1]})
}

// moreThanFigure reads more on order than in stock.
func moreThanFigure(_ *chart, parts []*item) (sketch, bool) {
	o := bound{span: span{parts[0].from, parts[3].to}, op: plan.More, of: &parts[1].s.figures[0], other: &parts[3].s.figures[0]}
	if parts[0].cat == "less" {
		o.op = plan.Less
	}
	return sketch{bounds: []bound{o}}, true
}

// howFar reads "how far below the list price".
func howFar(c *chart, parts []*item) (sketch, bool) {
	s, ok := besideFigure(c, parts[1:])
	if !ok || parts[1].from == parts[0].to {
		return sketch{}, false
	}
	s.bounds[0].far = true
	return s, true
}
