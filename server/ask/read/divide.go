package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// A figure is divided by what "per" names: a number of pieces, orders or rows, or what a column
// counts, such as hours or guests. Beside the figure a production divides it. Further off, and where
// only a verb says that money is meant, the divisor waits in the sketch for readDivisor.

// perFigure reads average price per unit, sales per order, revenue per hour.
func perFigure(c *chart, parts []*item) (sketch, bool) {
	if c.tokens[parts[1].from].Text != "per" || len(parts[0].s.where)+len(parts[2].s.where) > 0 || parts[0].s.pair != "" {
		return sketch{}, false
	}
	s, ok := c.divide(parts[0].s.figures[0], parts[2].s.figures[0])
	s.where = parts[0].s.where
	return s, ok
}

// divisorOf reads "per hour" where the figure that it divides is not beside it: what do we charge per
// hour, which therapist earns most per hour.
func divisorOf(c *chart, parts []*item) (sketch, bool) {
	d, ok := c.divisor(parts[1])
	return sketch{per: []figure{d}, where: parts[1].s.where}, ok && c.tokens[parts[0].from].Text == "per" && c.adjacent(parts[0], parts[1])
}

// oneOf reads earn an hour, sales a head, and items in an order.
func oneOf(c *chart, parts []*item) (sketch, bool) {
	d, ok := c.divisor(parts[0])
	one := d.from - 1
	if !ok || one < 1 || !slices.Contains([]string{"a", "an", "one"}, c.tokens[one].Text) {
		return sketch{}, false
	}
	before := c.tokens[one-1]
	isWithin := (d.metric == plan.Orders || d.metric == plan.Rows) && slices.Contains([]string{"in", "on", "at"}, before.Text)
	isDivided := func(it *item) bool {
		isOrder := d.metric == plan.Orders || d.metric == plan.Rows
		return it.to == one && (it.cat == figureCat || it.cat == nameCat && isOrder || it.cat == "sell" && !isOrder)
	}
	return sketch{per: []figure{d}, where: parts[0].s.where}, isWithin || d.column != nil && slices.Contains(earning, before.Lemma) || slices.ContainsFunc(slices.Concat(c.starts[:one]...), isDivided)
}

// spentByOne reads what the average guest spends, where a column counts guests.
func spentByOne(c *chart, parts []*item) (sketch, bool) {
	d, ok := c.divisor(parts[1])
	isOne := parts[0].cat == foldCat && parts[0].s.fold == "mean" || slices.Contains([]string{"each", "every"}, c.tokens[parts[0].from].Text)
	spends := slices.Contains([]string{"spend", "pay"}, c.tokens[parts[2].from].Lemma) && c.adjacent(parts[1], parts[2])
	if !ok || !isOne || !spends || d.column == nil || !english.IsPerson(c.tokens[d.to-1].Lemma) || !c.x.can(plan.Revenue) {
		return sketch{}, false
	}
	return c.quotient(figure{span: parts[2].span, metric: plan.Revenue, text: "revenue"}, d)
}

// earning are verbs of taking money for something.
var earning = []string{"earn", "make", "charge", "take", "bring", "get"}

// divisor returns what a figure may be divided by.
func (c *chart) divisor(it *item) (figure, bool) {
	d := figure{span: it.span, text: c.text(it.from, it.to)}
	switch {
	case c.plural(it.to) && !plan.Measures(plan.Unit(c.tokens[it.to-1].Text)):
		return figure{}, false
	case it.cat == "row":
		d.metric = plan.Rows
	case it.cat == nameCat && it.s.names[0].role == schema.Order:
		d.metric = plan.Orders
	case it.cat == nameCat && it.s.names[0].role == schema.Customer && c.x.source.Kind == schema.Customers:
		d.metric = plan.Rows
	case it.cat == nameCat:
		return figure{}, false
	default:
		d = it.s.figures[0]
		if isOrder := d.metric == plan.Revenue && d.per == plan.PerOrder || d.metric == plan.Orders && d.fold == "mean"; isOrder && d.column == nil {
			d.metric, d.per, d.fold = plan.Orders, "", "" // a typical order
		}
	}
	if col := c.numberOf(c.tokens[it.to-1].Lemma + "s"); col != nil && d.column == nil && !c.x.can(plan.Orders) {
		d = figure{span: it.span, column: col, text: d.text} // a visit, of a list with Visits
	}
	if isTime := slices.Contains([]string{"day", "week", "month", "year"}, d.text) && c.now.Last.After(c.now.First); isTime && d.column != nil && c.earnsOrCounts(it.from) {
		return figure{}, false // hires a day, though a column has the days of each
	}
	isCount := d.column == nil && slices.Contains([]plan.Metric{plan.Units, plan.Orders, plan.Rows}, d.metric) || c.x.isNumbering(d.column) || d.counted(c.x)
	isOrder := d.column == nil && d.metric != plan.Units // of which some may be meant: per completed job
	return d, isCount && d.fold == "" && d.per == "" && d.since == nil && (isOrder || len(it.s.where) == 0)
}

// earnsOrCounts reports whether words before a token are for a number of orders or rows, or what was
// taken.
func (c *chart) earnsOrCounts(at int) bool {
	isSaid := at+1 < len(c.tokens) && isVerb(c.tokens[at+1].Text) // income per day rented
	return !isSaid && slices.ContainsFunc(slices.Concat(c.starts[:at]...), func(it *item) bool {
		return it.to <= at && it.cat == figureCat && slices.Contains([]plan.Metric{plan.Orders, plan.Rows, plan.Revenue}, it.s.figures[0].metric)
	})
}

// divide returns a figure for each of what a divisor counts.
func (c *chart) divide(f, d figure) (sketch, bool) {
	of := map[plan.Metric]string{plan.Units: plan.PerUnit, plan.Orders: plan.PerOrder, plan.Rows: plan.PerRow}[d.metric]
	if d.column != nil {
		of = ""
	}
	if c.x.isNumbering(d.column) {
		of = plan.PerRow // no two rows have the same number
	}
	isMean := f.fold == "" || f.fold == "mean"
	switch {
	case d.fold != "" || d.since != nil || f.since != nil || f.event != nil:
		return sketch{}, false
	case of == "" && isMean && d.counted(c.x):
		return c.quotient(f, d)
	case of == "":
		return sketch{}, false
	case f.column != nil && f.column.Role == schema.None && !isRate(f.column.Heading) && of == plan.PerUnit: // minutes per bag
		return c.quotient(f, d)
	case f.column != nil && isMean && (of == plan.PerRow || of == plan.PerOrder && c.x.ordersAreRows()):
		f.fold = "mean"
	case f.column != nil && isMean && of == plan.PerOrder:
		return c.quotient(f, d)
	case f.column != nil, f.metric == plan.AveragePrice, f.per == of: // prices are per unit
	case f.metric.OfColumn():
		return sketch{}, false
	case f.metric == plan.Margin: // which has no mean
	case f.per == "" || f.per == plan.PerOrder:
		if f.per = of; isMean {
			f.fold = ""
		}
	default:
		return sketch{}, false
	}
	f.to = max(f.to, d.to)
	return sketch{figures: []figure{f}}, true
}

// quotient returns the sum of a figure over the sum of another, where the first adds up. What an
// order comes to, and a price, are money for something else if they are per hour.
func (c *chart) quotient(f, d figure) (sketch, bool) {
	if f.column == nil && f.metric == plan.Revenue && c.x.earned != nil {
		f.column, f.metric, f.per = c.x.earned, "", ""
	}
	isMoney := f.column == nil && (f.metric == plan.Revenue && (f.per == plan.PerOrder || f.per == "") || f.metric == plan.AveragePrice && c.x.can(plan.Revenue))
	isSum := f.column == nil && f.per == "" && slices.Contains([]plan.Metric{plan.Profit, plan.Cost, plan.Units}, f.metric)
	if f.column != nil {
		isSum = f.column.Type == schema.Number && f.column.Unit != schema.Percent && (f.column.Unit == schema.Money || c.x.earned != nil && f.column.Heading == c.x.earned.Heading || (c.x.source.Kind == schema.Sales || d.column == nil) && f.column.Role == schema.None && !isRate(f.column.Heading))
		f.fold, f.unit = "sum", false
	}
	if isMoney {
		f.metric, f.per = plan.Revenue, ""
	}
	if f.column == nil {
		f.fold = ""
	}
	if d.column != nil {
		d.fold = "sum"
	}
	return sketch{pair: plan.Ratio, figures: []figure{f, d}}, isMoney || isSum
}

// counted reports whether the column of a figure counts things that another may be divided by: hours,
// of a unit, or guests, a plural. Table, without either, numbers them.
func (f figure) counted(x *lexicon) bool {
	if !countsThings(f.column) || x.isNumbering(f.column) {
		return false
	}
	words := strings.Fields(strings.ToLower(link.Spaced(f.column.Heading)))
	last := words[len(words)-1]
	return f.column.Scale > 0 || f.unit || f.in != "" || plan.UnitOf(*f.column) != "" || english.Lemma(last) != last || hasWord(f.column.Heading, "count", "number", "size") || x.words.Measure(f.text) != nil
}

// ordersAreRows reports whether each row is an order of its own.
func (x *lexicon) ordersAreRows() bool {
	order, ok := x.source.ByRole(schema.Order)
	return !ok || order.Distinct == x.source.Rows
}

// countsThings reports whether a column of numbers counts something, such as hours, that it has no
// role for.
func countsThings(col *schema.Column) bool {
	return col != nil && col.Type == schema.Number && col.Role == schema.None && col.Unit == schema.Plain && !isRate(col.Heading) && !isYear(col.Heading) && !isFlag(*col)
}

// readDivisor divides what the question asks for by what is not beside it. Without a figure it is what
// was earned.
func (b *builder) readDivisor() error {
	if len(b.s.per) == 0 {
		return nil
	}
	d := b.s.per[0]
	f, ok := b.dividend()
	s, divides := b.divide(f, d)
	divides = divides && ok && len(b.s.per) == 1 && b.s.pair == ""
	isPriced := d.metric == plan.Units && d.column == nil && !ok && (b.s.rank != nil || b.p.List != nil || b.s.has("price", "expensive", "cheap"))
	isOne := (d.metric == plan.Orders || d.metric == plan.Rows) && !b.wordAt(d.from-1, "per")
	switch {
	case isPriced, ok && b.isPricedPer(d, f): // the dearest wine per bottle
		return nil
	case isOne && (b.s.rank != nil || !divides): // the biggest line on a receipt
		b.assume(costIncidental)
		return nil
	case !divides:
		return b.refuse(Unknown, "It is not clear what should be divided by “%s” in this question, so it cannot be answered.", d.text)
	}
	others, _ := cut(b.s.figures, func(o figure) bool { return o.span != f.span && o.span != d.span })
	b.s.figures, b.s.counts, b.s.pair = join(others, s.figures), nil, s.pair
	if b.s.fold == "mean" {
		b.s.fold = ""
	}
	return nil
}

// dividend returns the only figure of a question that has a divisor.
func (b *builder) dividend() (figure, bool) {
	earns := b.s.has("sell", "money", "howmuch")
	figures, _ := cut(b.s.figures, func(f figure) bool { return !b.isBound(f) && !(earns && f.metric == plan.Customers && f.plain()) })
	for i, t := range b.tokens {
		if slices.Contains(earning, t.Lemma) {
			b.taken[i], earns = true, true
		}
	}
	switch counts := b.s.counts; {
	case len(figures) == 1 && len(counts) == 0:
		return figures[0], true
	case len(figures)+len(counts) > 1:
		return figure{}, false
	case len(counts) == 1 && counts[0].figure != nil:
		return *counts[0].figure, true
	case len(counts) == 1 && counts[0].name != nil && b.isGoods(*counts[0].name):
		metric := plan.Units
		if counts[0].different {
			metric = plan.Rows
		}
		return figure{span: counts[0].span, metric: metric, text: counts[0].name.text}, true
	case len(counts) == 0 && len(b.s.names) == 1 && b.s.names[0].plural && b.isGoods(b.s.names[0]) && b.x.can(plan.Units):
		n := b.s.names[0]
		b.s.names = nil
		return figure{span: n.span, metric: plan.Units, text: n.text}, true
	case len(counts) == 0 && b.x.earned != nil && b.x.source.Kind == schema.Customers && (earns || b.hasWord("spend", "average")):
		return figure{span: b.s.per[0].span, column: b.x.earned, text: b.x.earned.Heading}, true
	case len(counts) == 0 && earns:
		return figure{span: b.s.per[0].span, metric: plan.Revenue, text: "revenue"}, b.x.can(b.x.nearest(plan.Revenue))
	}
	return figure{}, false
}

// perRows reads waste per shift and average takings of a shift, where a shift is a row: what each row
// has.
func perRows(c *chart, parts []*item) (sketch, bool) {
	s := parts[0].s
	f := s.figures[0]
	isOne := slices.Contains([]string{"per", "each", "every", "for", "a"}, c.tokens[parts[1].from].Text) && !c.plural(parts[2].to)
	if !isOne || f.per != "" {
		return sketch{}, false
	}
	if f.column != nil && f.fold != "" {
		return s, true
	}
	divided, ok := c.divide(f, figure{span: parts[2].span, metric: plan.Rows})
	s.figures = divided.figures
	return s, ok
}

// isGoods reports whether a name is of what the shop sells.
func (b *builder) isGoods(n name) bool {
	return n.role == schema.Product || b.x.product != nil && n.column != nil && n.column.Heading == b.x.product.Heading
}
