package read

import (
	"cmp"
	"slices"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// keyOfCount maps metrics that count things to the role of the column that identifies one.
var keyOfCount = map[plan.Metric]schema.Role{plan.Customers: schema.Customer, plan.Orders: schema.Order}

// byFigure reads "by revenue". It reports false after "per", which divides, and for a word that also identifies
// groups, as in "by customer".
func byFigure(c *chart, parts []*item) (sketch, bool) {
	f := parts[1].s.figures[0]
	_, groups := c.x.source.ByRole(keyOfCount[f.metric])
	isGroup := groups && f.counts() && f.to == f.from+1 && (!c.plural(f.to) || f.metric == plan.Customers)
	return parts[1].s, !isGroup && c.tokens[parts[0].from].Text != "per"
}

// thingsOf returns the column that a part of a question names, such as "products", or whose values its figure counts,
// such as "customers". It reports false if there is no such column to group by.
func (c *chart) thingsOf(part *item) (n name, ok bool) {
	if len(part.s.names) == 1 {
		n = part.s.names[0]
		return n, c.mayGroup(n)
	}
	if len(part.s.figures) != 1 {
		return name{}, false
	}
	f := part.s.figures[0]
	key, ok := c.x.source.ByRole(keyOfCount[f.metric])
	n = name{span: f.span, column: &key, role: key.Role, plural: c.plural(f.to)}
	return n, ok && f.counts() && f.to == f.from+1 && f.per == "" && f.fold == ""
}

// thingsByFigure reads "products by revenue" as revenue grouped by product.
func thingsByFigure(c *chart, parts []*item) (sketch, bool) {
	n, ok := c.thingsOf(parts[0])
	by := parts[2].s.figures[0]
	isThing := by.metric == plan.Customers && by.counts() && by.to == by.from+1 // orders by customers
	isRanked := slices.ContainsFunc(slices.Concat(c.starts[:n.from]...), func(it *item) bool { return it.cat == rankCat })
	if !ok || !n.plural || isThing || isRanked || n.from > 0 && c.tokens[n.from-1].Text == "of" || c.tokens[parts[1].from].Text != "by" || !c.adjacent(parts[0], parts[1]) {
		return sketch{}, false
	}
	s, _ := grouped(sketch{names: []name{n}, where: parts[0].s.where}, "by")
	return merge(s, parts[2].s)
}

// totalsOf reads "customer totals" as totals grouped by customer.
func totalsOf(c *chart, parts []*item) (sketch, bool) {
	n, ok := c.thingsOf(parts[0])
	if !ok || n.plural || c.tokens[parts[1].from].Text != "totals" || !c.adjacent(parts[0], parts[1]) {
		return sketch{}, false
	}
	return grouped(sketch{names: []name{n}, where: parts[0].s.where}, "by")
}

// byWhat reads by what they owe.
func byWhat(c *chart, parts []*item) (sketch, bool) { return byFigure(c, []*item{parts[0], parts[2]}) }

// rangeOf reads the range of a figure: its least and its most.
func rangeOf(c *chart, parts []*item) (sketch, bool) {
	s, f := parts[1].s, parts[1].s.figures[0]
	if c.tokens[parts[0].from].Lemma != "range" || f.column == nil || f.fold != "" {
		return sketch{}, false
	}
	low, high := f, f
	low.fold, high.fold = "least", "most"
	s.figures = []figure{low, high}
	return s, true
}

// pairOf reads two figures of which one is set against the other: discounts as a percentage
// of sales.
func pairOf(kind plan.Derivation) func(*chart, []*item) (sketch, bool) {
	return func(c *chart, parts []*item) (sketch, bool) {
		s := sketch{pair: kind}
		for _, p := range parts {
			if p.cat == figureCat {
				s.figures = join(s.figures, p.s.figures)
			}
			if p.cat == nameCat {
				f, ok := c.amountOfOrder(p.s.names[0])
				if !ok || kind != plan.ShareOf {
					return sketch{}, false
				}
				s.figures = join(s.figures, []figure{f})
			}
		}
		isOne := len(s.figures) == 2 && s.figures[0].span != s.figures[1].span
		if isOne && kind == plan.Difference && s.figures[0].priced() == schema.UnitCost && (s.figures[1].priced() == schema.Price || otherPrice(s.figures[1]) != nil) && c.hasWord("gap", "difference", "spread", "between") {
			s.figures = []figure{s.figures[1], s.figures[0]} // the gap between cost and price
		}
		if isOne && kind == plan.ShareOf {
			s.figures = []figure{c.amountBeside(s.figures[0], s.figures[1]), c.amountBeside(s.figures[1], s.figures[0])}
			isOne = !(s.figures[0].counts() && s.figures[1].isMoney()) && !(s.figures[1].counts() && s.figures[0].isMoney())
		}
		return s, isOne
	}
}

// isMoney reports whether a figure is known to be an amount of money.
func (f figure) isMoney() bool {
	if f.column != nil {
		return f.column.Unit == schema.Money
	}
	return !f.metric.Countable()
}

// amountOfOrder returns the money of the order that a singular names: parts as a share of the bill.
func (c *chart) amountOfOrder(n name) (figure, bool) {
	return figure{span: n.span, metric: plan.Revenue, text: n.text}, n.role == schema.Order && !n.plural && c.x.can(plan.Revenue)
}

// shareOfBill reads what percent of the bill goes on parts.
func shareOfBill(c *chart, parts []*item) (sketch, bool) {
	f, ok := c.amountOfOrder(parts[1].s.names[0])
	return sketch{figures: []figure{f}, marks: parts[0].s.marks}, ok && c.tokens[f.from-1].Text == "the"
}

// amountBeside returns what was paid in place of a price or an order, of which an amount is a share.
func (c *chart) amountBeside(f, other figure) figure {
	isOrder := f.metric == plan.Orders && f.column == nil && !c.plural(f.to)
	isPrice := f.metric == plan.AveragePrice && f.column == nil || f.column != nil && f.column.Role == schema.Price
	isAmount := other.column != nil && other.column.Role == schema.None && other.fold == "" || other.column == nil && other.metric != plan.AveragePrice && other.isMoney()
	switch {
	case !isOrder && !isPrice || !isAmount || f.per != "" || f.fold != "":
	case c.x.can(plan.Revenue):
		f.metric, f.column = plan.Revenue, nil
	case f.column != nil:
		f.fold = "sum" // of what each row is let for
	}
	return f
}

// inPercent reads tip % and discounts as a percentage, of which the whole is what was taken.
func inPercent(c *chart, parts []*item) (sketch, bool) {
	share := parts[1]
	isOfNothing := share.to == len(c.tokens) || c.tokens[share.to].Text != "of"
	isPercent := slices.ContainsFunc(c.tokens[share.from:share.to], func(t link.Token) bool { return slices.Contains(percents, t.Text) })
	if off, is := c.x.source.ByRole(schema.Discount); is && off.Unit == schema.Percent && len(parts[0].s.figures) == 1 && parts[0].s.figures[0].metric == plan.Discounts {
		return sketch{figures: []figure{{span: span{parts[0].from, share.to}, column: &off, text: "discount"}}}, isPercent && isOfNothing // which is in per cent
	}
	s, ok := c.ofTakings(parts[0], share.span)
	return s, ok && isPercent && isOfNothing
}

// shareOfAll reads card as a share of the total.
func shareOfAll(c *chart, parts []*item) (sketch, bool) {
	s, ok := c.ofTakings(parts[0], parts[2].span)
	return s, ok && parts[2].s.fold == "sum" && slices.Contains([]string{"the", "of"}, c.tokens[parts[2].from-1].Text)
}

// ofTakings returns an amount as a share of what was taken, which other words do not name.
func (c *chart) ofTakings(part *item, whole span) (sketch, bool) {
	f := part.s.figures[0]
	isPart := f.column == nil && slices.Contains([]plan.Metric{plan.Discounts, plan.Taxes, plan.ShippingPaid}, f.metric)
	if f.column != nil {
		isPart = f.column.Type == schema.Number && (f.column.Unit == schema.Money || f.column.Scale > 0 && f.column.Unit == schema.Plain) && f.column.Role == schema.None && !isRate(f.column.Heading)
	}
	if off, ok := c.x.source.ByRole(schema.Discount); ok && f.metric == plan.Discounts && off.Unit == schema.Percent || f.fold != "" && f.fold != "mean" || f.per != "" || len(part.s.where) > 0 {
		return sketch{}, false
	}
	isNamed := func(it *item) bool {
		isOther := (it.to <= f.from || it.from >= f.to) && (it.to <= whole.from || it.from >= whole.to)
		return isOther && it.cat == figureCat && it.s.figures[0].column == nil && it.s.figures[0].metric == plan.Revenue
	}
	isOther := part.rule != "" && part.rule != "fold figure" // food cost is no takings of food
	if !isPart || isOther || !c.x.can(plan.Revenue) || c.x.source.Kind != schema.Sales || slices.ContainsFunc(slices.Concat(c.starts...), isNamed) {
		return sketch{}, false
	}
	f.fold = ""
	return sketch{pair: plan.ShareOf, figures: []figure{f, {span: whole, metric: plan.Revenue, text: "revenue"}}}, true
}

// percents are the words for a share that a figure may be followed by.
var percents = []string{"%", "percent", "percentage", "pct", "pc", "cent"}

// inMoney reads sales in pounds, and the margin in pounds, which is the profit.
func inMoney(c *chart, parts []*item) (sketch, bool) {
	f, word := parts[0].s.figures[0], c.tokens[parts[1].to-1].Lemma
	isMoney := f.column != nil && f.column.Unit == schema.Money || f.column == nil && f.metric == plan.Revenue
	isSaid := c.adjacent(parts[0], parts[1]) && slices.Contains([]string{"money", "pound", "dollar", "euro", "quid"}, word)
	if f.column == nil && f.metric == plan.Margin && f.plain() && isSaid && c.x.can(plan.Profit) {
		f.metric = plan.Profit
		return sketch{figures: []figure{f}}, true
	}
	return parts[0].s, isMoney && isSaid
}

// amountsAgainst reads parts vs labour, coffees vs cakes: two sums and their difference. Other
// figures of which one is set against the other may be the axes of a chart.
func amountsAgainst(c *chart, parts []*item) (sketch, bool) {
	isMoney := func(f figure) bool {
		if f.column != nil {
			return f.column.Unit == schema.Money
		}
		return slices.Contains([]plan.Metric{plan.Revenue, plan.Cost, plan.Profit}, f.metric) && f.per == ""
	}
	_, dated := c.x.source.ByRole(schema.Day)
	isCount := func(f figure) bool {
		return f.column != nil && f.column.Scale == 0 && dated && countsThings(f.column)
	}
	isAlike := func(f, g figure) bool { // two amounts of a row, whatever their unit
		adds := func(h figure) bool {
			return h.column != nil && h.column.Role == schema.None && !isRate(h.column.Heading) && h.column.Unit != schema.Percent
		}
		return dated && c.x.source.Kind == schema.Sales && adds(f) && adds(g) && f.column.Unit == g.column.Unit && f.column.Scale == g.column.Scale
	}
	isLonger := func(it *item) bool { return it.cat == figureCat && it.to > parts[2].to } // labour hours
	if c.hasWord("by", "per", "each", "every") || slices.ContainsFunc(c.starts[parts[2].from], isLonger) {
		return sketch{}, false // each group has both figures
	}
	s, ok := pairOf(plan.Difference)(c, parts)
	if !ok || !(isMoney(s.figures[0]) && isMoney(s.figures[1]) || isCount(s.figures[0]) && isCount(s.figures[1]) || isAlike(s.figures[0], s.figures[1])) {
		return sketch{}, false
	}
	a, b := s.figures[0], s.figures[1]
	fold := cmp.Or(a.fold, b.fold, "sum") // of both: total attended vs booked
	if a.column != nil {
		a.fold = cmp.Or(a.fold, fold)
	}
	if b.column != nil {
		b.fold = cmp.Or(b.fold, fold)
	}
	s.figures = []figure{a, b}
	return s, true
}

// converted reads the conversion of views to orders: the orders as a share of the views.
func converted(c *chart, parts []*item) (sketch, bool) {
	s, ok := pairOf(plan.ShareOf)(c, []*item{parts[3], parts[1]})
	return s, ok && c.tokens[parts[2].from].Text == "to"
}

// shareOfKind reads what share of our tickets are child tickets.
func shareOfKind(c *chart, parts []*item) (sketch, bool) {
	s, ok := pairOf(plan.ShareOf)(c, []*item{parts[2], parts[1]})
	return s, ok && c.isKind(s.figures[0], s.figures[1])
}

// isKind reports whether the column of a figure counts one kind of the pieces that another is the
// number of: child tickets of all tickets.
func (c *chart) isKind(f, all figure) bool {
	return f.column != nil && all.metric == plan.Units && slices.ContainsFunc(c.x.kinds, func(k schema.Column) bool { return k.Heading == f.column.Heading })
}

// countOf reads "how many", or "different", before what is counted.
func countOf(c *chart, parts []*item) (sketch, bool) {
	out := sketch{}
	n := count{span: span{parts[0].from, parts[len(parts)-1].to}}
	for _, p := range parts {
		switch p.cat {
		case "different":
			n.different = true
		case nameCat:
			n.name = &p.s.names[0]
			ofDays := n.name.part != plan.Whole
			if ofDays && n.name.column != nil && c.isHappening(*n.name) {
				return sketch{}, false // how many joined in 2024, how many fills
			}
			of := len(parts) == 3 && parts[1].cat == valueCat && !(n.name.plural && c.adjacent(parts[1], parts[2]))
			if ofDays && (of || c.sells(*n.name)) {
				return sketch{}, false // how many coffees a day
			}
			if n.name.part == plan.Hour && !n.different && c.x.words.Measure("hour") != nil {
				return sketch{}, false // how many hours something took
			}
			if n.name.column == nil || n.name.column.Type == schema.Number && (n.name.column.Role != schema.None || !c.asks(parts[0])) {
				return sketch{}, false
			}
			out.where = join(out.where, p.s.where)
		case figureCat:
			n.figure = &p.s.figures[0]
			if n.figure.fold != "" || isDiscrete(n.figure.column) && !c.asks(parts[0]) {
				return sketch{}, false
			}
		case valueCat:
			out.where, out.marks = join(out.where, p.s.where), join(out.marks, p.s.marks) // how many gold v silver
		}
	}
	out.counts = []count{n}
	return out, true
}

// sells reports whether a heading of days is heard in a word of selling, as Sold is.
func (c *chart) sells(n name) bool {
	return slices.ContainsFunc(c.starts[n.from], func(it *item) bool { return it.to == n.to && (it.cat == "sell" || it.cat == "buy") })
}

func isDay(c *schema.Column) bool {
	return c != nil && (c.Type == schema.Date || c.Type == schema.Moment)
}

// figureFolded reads invoiced total as the total of what was invoiced.
func figureFolded(c *chart, parts []*item) (sketch, bool) {
	s := parts[0].s
	f := s.figures[0]
	ok := f.fold == "" && parts[1].s.fold != "count" && (f.column != nil || parts[1].s.fold == "sum") && c.adjacent(parts[0], parts[1])
	f.fold, f.to = parts[1].s.fold, parts[1].to
	s.figures = []figure{f}
	return s, ok
}

// foldFigure reads average takings. A total for, or from, orders is their money.
func foldFigure(c *chart, parts []*item) (sketch, bool) {
	s := parts[1].s
	f := s.figures[0]
	ofThem := f.counts() && f.from > 0 && slices.Contains([]string{"for", "from"}, c.tokens[f.from-1].Text)
	if f.fold != "" || f.metric == plan.Distinct || ofThem && c.x.can(plan.Revenue) {
		return sketch{}, false
	}
	f.fold, f.from = parts[0].s.fold, parts[0].from
	s.figures = []figure{f}
	return s, true
}

// twoFolds reads the total and average fee as two figures.
func twoFolds(c *chart, parts []*item) (sketch, bool) {
	first, ok := foldFigure(c, []*item{parts[0], parts[3]})
	second, has := foldFigure(c, []*item{parts[2], parts[3]})
	if !ok || !has {
		return sketch{}, false
	}
	first.figures = join(first.figures, second.figures)
	return first, true
}

// foldOrder reads the median sale: the money of an order.
func foldOrder(c *chart, parts []*item) (sketch, bool) {
	n, fold := parts[1].s.names[0], parts[0].s.fold
	if n.role != schema.Order || n.plural || fold != "mean" && fold != "median" || !c.adjacent(parts[0], parts[1]) || !c.x.can(plan.Revenue) {
		return sketch{}, false
	}
	f := figure{span: span{parts[0].from, n.to}, metric: plan.Revenue, per: plan.PerOrder, fold: fold, text: string(fold) + " " + n.text}
	return sketch{figures: []figure{f}}, true
}

// foldNumber reads the average number of orders.
func foldNumber(c *chart, parts []*item) (sketch, bool) {
	return foldFigure(c, []*item{parts[0], parts[2]})
}

// foldPerTime reads average monthly sales.
func foldPerTime(c *chart, parts []*item) (sketch, bool) {
	return foldFigurePer(c, []*item{parts[0], parts[2], parts[1]})
}

// foldNumberPerTime reads average daily number of orders.
func foldNumberPerTime(c *chart, parts []*item) (sketch, bool) {
	return foldPerTime(c, []*item{parts[0], parts[1], parts[3]})
}

// foldFigurePer reads average sales per month.
func foldFigurePer(c *chart, parts []*item) (sketch, bool) {
	s, ok := foldFigure(c, parts[:2])
	g := parts[2].s.groups
	if !ok || len(g) != 1 || !g[0].part.Series() || s.figures[0].per != "" || s.figures[0].column != nil {
		return sketch{}, false
	}
	if g[0].word == "by" && parts[2].from > parts[1].from || s.figures[0].fold == "sum" {
		return sketch{}, false
	}
	s.figures[0].per = string(g[0].part)
	return s, true
}

// timeFoldFigure reads monthly average of sales.
func timeFoldFigure(c *chart, parts []*item) (sketch, bool) {
	return foldFigurePer(c, []*item{parts[1], parts[2], parts[0]})
}

// foldPerWeekday reads average revenue per Saturday.
func foldPerWeekday(c *chart, parts []*item) (sketch, bool) {
	return foldOnDays(c, []*item{parts[0], parts[3], parts[1]})
}

// foldOnDays reads average Saturday revenue.
func foldOnDays(c *chart, parts []*item) (sketch, bool) {
	v := parts[1].s
	s, ok := foldFigure(c, []*item{parts[0], parts[2]})
	if !ok || len(v.where) != 1 || v.where[0].Part == plan.Whole || v.where[0].Part == plan.Hour || s.figures[0].per != "" || s.figures[0].column != nil {
		return sketch{}, false
	}
	s.figures[0].per = string(plan.Day)
	s.where = join(s.where, v.where)
	return s, true
}

// foldOnWeekdays reads average takings on a Saturday.
func foldOnWeekdays(c *chart, parts []*item) (sketch, bool) {
	v := parts[2].s.where
	if len(v) != 1 || v[0].Part != plan.Weekday || v[0].listed || c.hasWord("vs", "versus", "v", "against", "than", "or") {
		return sketch{}, false
	}
	return foldOnDays(c, []*item{parts[0], parts[2], parts[1]})
}

// thingsOfOrder reads how many lines an order has, and how many items a ticket contains.
func thingsOfOrder(c *chart, parts []*item) (sketch, bool) {
	things, order, has := parts[0], parts[1], parts[2]
	isOrder := order.cat == nameCat && order.s.names[0].role == schema.Order || order.cat == figureCat && order.s.figures[0].metric == plan.Orders && order.s.figures[0].plain()
	isOne := !c.plural(order.to) && slices.Contains([]string{"a", "an", "each", "every", "average", "typical"}, c.tokens[order.from-1].Text) && slices.Contains([]string{"have", "has", "contain", "contains"}, c.tokens[has.from].Text)
	if !isOrder || !isOne || len(things.s.where) > 0 || !c.plural(things.to) {
		return sketch{}, false
	}
	f := figure{span: span{things.from, has.to}, per: plan.PerOrder, text: c.text(things.from, things.to)}
	isRows := things.cat == figureCat && things.s.figures[0].metric == plan.Rows
	isUnits := things.cat == figureCat && things.s.figures[0].metric == plan.Units || things.cat == nameCat && things.s.names[0].role == schema.Product
	switch {
	case isRows, isUnits && c.hasWord("different"):
		f.metric = plan.Rows
	case isUnits && c.x.can(plan.Units):
		f.metric = plan.Units
	default:
		return sketch{}, false
	}
	return sketch{figures: []figure{f}}, true
}

// countOfBefore reads Ann's pupils, how many: the number after the names.
func countOfBefore(c *chart, parts []*item) (sketch, bool) {
	if n := parts[0].s.names[0]; !n.plural || n.part != plan.Whole || parts[1].to < len(c.tokens) {
		return sketch{}, false
	}
	return countOf(c, []*item{parts[1], parts[0]})
}
