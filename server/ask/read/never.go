package read

import (
	"slices"
	"time"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/english"
	"svc/server/schema"
)

// obtaining are verbs, in their basic form, of what a group has rows of, and "with".
var obtaining = []string{"with", "have", "sell", "buy", "order", "purchase", "make", "take", "get", "use", "book", "hire", "rent", "try"}

// lacks reports whether a condition is on what a group has no rows of: with no tea, bought no tea, without tea, never
// had tea.
func (b *builder) lacks(f cond) bool {
	obtained := func(i int) bool {
		return i >= 0 && i < len(b.tokens) && slices.Contains(obtaining, b.tokens[i].Lemma)
	}
	isValue := f.Op == plan.NotIn && f.Part == plan.Whole
	switch {
	case b.wordAt(f.from, "never"):
		return isValue || f.Op == plan.Blank
	case b.wordAt(f.from, "no"):
		return isValue && obtained(f.from-1)
	case b.wordAt(f.from, "not"):
		return isValue && obtained(f.from+1)
	}
	return isValue && b.wordAt(f.from, "without", "lacking")
}

// readLacking reads cities with no ewallet sales: groups without rows of a value, which are
// not the rows of other values.
func (b *builder) readLacking() {
	i := slices.IndexFunc(b.s.where, b.lacks)
	if i < 0 || b.s.rank != nil {
		return
	}
	if b.s.where[i].Op == plan.NotIn {
		b.countLacking()
	}
	other := func(f figure) bool {
		if b.p.Count && f.metric == plan.Customers {
			return false
		}
		return f.metric != plan.Revenue && f.metric != plan.Orders || !b.wordAt(f.from, "sales", "orders", "sale", "transactions", "purchases")
	}
	isNamed := b.p.Count || b.asksNames() || slices.ContainsFunc(b.s.names, func(n name) bool { return n.from == 0 && n.plural })
	of := b.s.where[i].Filter
	if len(b.p.By) != 1 || !isNamed || slices.ContainsFunc(b.s.figures, other) || of.Column == b.p.By[0].Column {
		return
	}
	b.p.Where = slices.DeleteFunc(slices.Clone(b.p.Where), func(f plan.Filter) bool {
		return f.Column == of.Column && (f.Op == of.Op || slices.Equal(f.Values, of.Values))
	})
	of.Op = map[plan.Op]plan.Op{plan.NotIn: plan.In, plan.Blank: plan.Filled}[of.Op]
	b.p.Measures = []plan.Measure{{Metric: plan.Rows, Where: []plan.Filter{of}}}
	b.p.Order, b.p.Limit = plan.ByLabel, 0
	b.p.Having = []plan.Threshold{{Measure: 0, Op: plan.AtMost}}
}

// countLacking makes groups of the orders, of the customers, or of the names whose number is asked for, if they have
// several rows: an order without tea may have rows of other things.
func (b *builder) countLacking() {
	b.countGroups()
	if len(b.p.By) > 0 || len(b.p.Measures) != 1 || !b.p.Measures[0].Plain() {
		return
	}
	counted := map[plan.Metric]schema.Role{plan.Orders: schema.Order, plan.Customers: schema.Customer}[b.p.Measures[0].Metric]
	if of, ok := b.x.source.ByRole(counted); ok && of.Distinct < b.x.source.Rows-of.Blank {
		b.p.By, b.p.Count = []plan.Dimension{{Column: of.Heading}}, true
	}
}

// readNotSince reads "have not been in since March" as a filter on a column such as Last Visit: before
// March, or blank.
func (b *builder) readNotSince() error {
	if len(b.s.periods) != 1 || b.s.periods[0].From.Year() == 1 {
		return nil
	}
	isLast := func(c *schema.Column) bool { return isLastDay(c) && c.Role != schema.Day }
	var col *schema.Column
	at := slices.IndexFunc(b.s.where, func(f cond) bool {
		c, ok := plan.Column(b.x.source, f.Column)
		return f.Op == plan.Blank && ok && isLast(&c)
	})
	never := b.s.find("never", "unsold")
	for i := range b.x.source.Columns {
		if c := &b.x.source.Columns[i]; isLast(c) && (col == nil || !b.x.happensIn(col, b.tokens)) && (at >= 0 && c.Heading == b.s.where[at].Column || at < 0 && never != nil && (b.x.happensIn(c, b.tokens) || hasWord(c.Heading, "in", "visit", "came", "trained", "seen", "attended", "order", "ordered", "purchase", "purchased", "bought", "sold", "sale"))) {
			col = c
		}
	}
	if col == nil {
		return nil
	}
	limit := cond{Filter: plan.Filter{Column: col.Heading, Op: plan.Before, Values: []string{b.s.periods[0].From.Format(time.DateOnly)}}}
	if at >= 0 {
		limit.span = b.s.where[at].span
		b.s.where = slices.Delete(slices.Clone(b.s.where), at, at+1)
	} else {
		limit.span = never.span
		b.s.marks = slices.DeleteFunc(slices.Clone(b.s.marks), func(m mark) bool { return m.sense == "never" || m.sense == "unsold" })
	}
	limit.text = b.text(limit.from, limit.to)
	b.relative = b.relative || b.s.periods[0].Relative || b.s.periods[0].Yearless
	b.s.where, b.s.periods, b.s.days = join(b.s.where, []cond{limit}), nil, nil
	return nil
}

// happensIn reports whether a word is for what happens on the days of a column.
func (x *lexicon) happensIn(c *schema.Column, tokens []link.Token) bool {
	return slices.ContainsFunc(tokens, func(t link.Token) bool {
		if len(t.Fixes) == 1 {
			t.Text, t.Lemma = t.Fixes[0], english.Lemma(t.Fixes[0])
		}
		return t.Unit == "" && len(t.Text) > 3 && x.happens(c, t)
	})
}

// readNever reads "which countries have not ordered in 2005": groups without such rows.
func (b *builder) readNever() error {
	b.readLacking()
	if !b.s.has("never") {
		return nil
	}
	b.countGroups()
	if len(b.p.By) != 1 || b.p.Period == nil && len(b.p.Where) == 0 || b.s.rank != nil || slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.metric != plan.Customers && f.metric != plan.Orders }) || b.p.By[0].Part != plan.Whole {
		return b.refuse(Missing, "There is nothing in %s about what did not sell, which needs sales and stock together or some days, so this cannot be answered.", b.x.source.Name)
	}
	b.p.Measures = []plan.Measure{{Metric: plan.Rows, Where: b.p.Where, Period: b.p.Period}}
	b.p.Where, b.p.Period, b.p.Order, b.p.Limit = nil, nil, plan.ByLabel, 0
	b.p.Having = []plan.Threshold{{Measure: 0, Op: plan.AtMost}}
	if customer, _ := b.heading(schema.Customer); b.p.By[0].Column == customer && b.x.can(plan.LastDay) && !b.p.Count {
		b.p.OrderBy, b.p.Order = b.addMeasure(plan.Measure{Metric: plan.LastDay}), plan.Lowest // who stays away longest comes first
	}
	return nil
}

// countGroups makes groups of the names whose number is asked for: how many customers have not ordered.
func (b *builder) countGroups() {
	if len(b.p.By) > 0 || len(b.s.counts) != 1 {
		return
	}
	n := b.s.counts[0].name
	if f := b.s.counts[0].figure; f != nil && f.metric == plan.Customers {
		if c, ok := b.x.source.ByRole(schema.Customer); ok {
			n = &name{column: &c}
		}
	}
	if n == nil || n.column == nil || n.column.Type != schema.Text || n.part != plan.Whole {
		return
	}
	b.p.By, b.p.Count = []plan.Dimension{{Column: n.column.Heading}}, true
}

// daysButNot reads in March but not in April: the second days are those without rows.
func daysButNot(_ *chart, parts []*item) (sketch, bool) {
	s, ok := merge(parts[0].s, parts[len(parts)-1].s)
	s.marks = join(s.marks, []mark{{span: parts[1].span, sense: butNot}})
	return s, ok && len(s.periods) == 2 && len(s.earlier) == 0
}

// butNot is the sense of "not" between two runs of days.
const butNot = "butnot"

// setPeriodButNot sets the days in which the groups have rows and those in which they have none.
// Without a year both are of one year, the last in which both have begun, or that of the other.
func (b *builder) setPeriodButNot(had, without when.Span) {
	year := min(had.From.Year(), without.From.Year())
	b.relative = had.Relative || without.Relative || had.Yearless && without.Yearless
	switch {
	case had.Yearless && without.Yearless:
		had, without = had.InYear(year), without.InYear(year)
	case had.Yearless:
		had = had.InYear(without.From.Year())
	case without.Yearless:
		without = without.InYear(had.From.Year())
	}
	b.setPeriod(had)
	b.without = without.Plan(b.now)
}

// readHadNot reads "which customers bought tea but not coffee" and "in March but not in April":
// groups that have rows of the one and none of the other. As a filter of rows the second part
// would rule out nothing.
func (b *builder) readHadNot() error {
	had, without := plan.Measure{Metric: plan.Rows}, plan.Measure{Metric: plan.Rows}
	rest, period := b.p.Where, b.p.Period
	if b.without != nil {
		had.Period, without.Period, period = period, b.without, nil
	} else if had.Where, without.Where, rest = b.apart(); len(had.Where) == 0 {
		return nil
	}
	customers := b.p.Measures
	ofProducts := b.hasWord("what", "which") || slices.ContainsFunc(b.s.names, func(n name) bool { return n.role == schema.Product })
	if b.without != nil && len(b.p.By) == 0 && ofProducts {
		b.groupByProduct()
	}
	if len(b.p.By) == 0 && len(customers) == 1 && customers[0].Metric == plan.Customers && customers[0].Plain() {
		b.p.Count = b.groupByRole(schema.Customer)
	}
	isTold := b.p.Count || b.without != nil || b.asksNames() || b.ofCustomers()
	if len(b.p.By) != 1 || b.p.By[0].Part != plan.Whole || !isTold || b.s.rank != nil || len(b.p.Having)+len(b.p.Derived) > 0 || b.p.Compare != nil {
		if b.without != nil {
			return b.refuse(Unknown, "It is not clear what had sales in the first of these periods and none in the second, so this cannot be answered.")
		}
		return nil
	}
	b.p.Measures, b.p.Where, b.p.Period = []plan.Measure{without, had}, rest, period
	b.p.Having = []plan.Threshold{{Measure: 0, Op: plan.AtMost}, {Measure: 1, Op: plan.More}}
	b.p.Order, b.p.OrderBy, b.p.Limit = plan.ByLabel, 0, 0
	return nil
}

// apart takes a condition that rules out nothing out of the filters: not coffee beside tea. It
// returns the filters of the rows that groups must have, none if there is no such condition,
// those of the rows that they must not have, and the others.
func (b *builder) apart() (had, without, rest []plan.Filter) {
	i := slices.IndexFunc(b.p.Where, func(f plan.Filter) bool { return f.Op == plan.NotIn && f.Part == plan.Whole && f.Other == "" })
	if i < 0 || len(b.p.By) > 0 && b.p.By[0].Column == b.p.Where[i].Column {
		return nil, nil, nil
	}
	not := b.p.Where[i]
	for k, f := range b.p.Where {
		switch {
		case k == i:
		case f.Column == not.Column && f.Op == plan.In && f.Part == plan.Whole:
			had = append(had, f)
		default:
			rest = append(rest, f)
		}
	}
	not.Op = plan.In
	return had, []plan.Filter{not}, rest
}

// refuseLastDays refuses what was sold, or who came, in some days that are over, of a list that has the last day of
// it alone for each thing or person: what was sold in March may have been sold again since. What last happened
// then is known, and what has or has not happened up to now.
func (b *builder) refuseLastDays() error {
	isOther := func(i int) bool {
		return b.wordAt(i, "last") && !slices.ContainsFunc(b.s.days, func(d span) bool { return d.from <= i && i < d.to })
	}
	saysLast := b.hasWord("latest", "recent", "recently", "since", "not", "never")
	for i := range b.tokens {
		saysLast = saysLast || isOther(i)
	}
	i := slices.IndexFunc(b.p.Where, func(f plan.Filter) bool {
		c, ok := plan.Column(b.x.source, f.Column)
		isSale := isLastDay(&c) && !hasWord(c.Heading, cameIn[1:]...) // goods come in once for long
		return ok && isSale && f.Part == plan.Day && f.Op == plan.AtMost && f.Values[0] < b.now.Today.Format(time.DateOnly)
	})
	if saysLast || i < 0 || b.x.source.Kind == schema.Sales || b.x.source.Kind == schema.Purchases {
		return nil
	}
	return b.refuse(Missing, "%s in %s is only the last day for each, so what happened on other days cannot be answered from it.", b.p.Where[i].Column, b.x.source.Name)
}
