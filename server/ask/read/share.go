package read

import (
	"slices"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// readShare decides what is the part and what is the whole.
func (b *builder) readShare() error {
	m := b.s.find("share")
	if of := b.s.find("howmuch"); m == nil && of != nil && b.wordAt(of.to, "of") && (len(b.s.figures) == 2 && b.s.pair == "" || b.s.rank != nil && (len(b.s.figures) == 1 || b.s.has("money")) && len(b.p.By) == 1) {
		m = of // how much of the profit comes from the top 3 states, how much of it from tickets
	}
	if m == nil || len(b.p.Measures) == 0 || b.p.WhatIf != nil || b.s.has("if") || b.changesInPercent() || b.s.pair == plan.ChangeFrom {
		return nil
	}
	if first := &b.p.Measures[0]; first.Metric == plan.Average && first.Per == "" && first.Since == "" && b.addsToWhole(first.Column) && len(b.s.figures) == 1 && b.s.figures[0].fold == "" {
		first.Metric = plan.Sum // averages are no parts of a whole
	}
	switch first := b.p.Measures[0]; {
	case b.asksPartLast(*m):
		whole, part := b.s.figures[0], b.s.figures[1]
		b.s.pair = plan.ShareOf
		b.p.Measures = []plan.Measure{b.measureOf(b.amountBeside(part, whole)), b.measureOf(b.amountBeside(whole, part))}
		return nil
	case slices.Contains([]plan.Metric{plan.Margin, plan.Markup, plan.CancellationRate, plan.ReturnRate, plan.RefundRate}, first.Metric):
		return nil
	case first.Metric == plan.RepeatCustomers:
		others := slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.metric != plan.RepeatCustomers && f.metric != plan.Customers })
		if others || b.s.has("sell", "money") {
			return b.refuse(Unknown, "What customers who came back bought is not computed, only how many they are, so this cannot be answered.")
		}
		b.p.Measures, b.p.Share = b.p.Measures[:1], true
		b.addMeasure(plan.Measure{Metric: plan.Customers})
		return nil
	case len(b.p.Where) == 0:
		b.guessed = b.guessed || first.Metric.OfColumn() && b.wordAt(m.from, percents...) && len(b.s.figures) == 1 && b.s.figures[0].to == m.from // of which whole the words do not say
		b.p.Share = len(b.p.By) > 0 || len(b.p.Measures) == 2
		return nil
	}
	if b.shareOfOther(*m) {
		return nil
	}
	if b.boundsOrdersByLine() {
		return b.refuse(Unknown, "A share of orders of some size, or of what is in them, is not computed, so this cannot be answered.")
	}
	part, rest := b.partOfShare(*m)
	if len(b.p.By) == 0 {
		b.p.Share, b.p.Part, b.p.Where = true, part, rest
		return nil
	}
	if b.namesRows() && b.s.rank == nil && len(rest) == len(b.p.Where) {
		b.p.Share = true
		return nil
	}
	whole := b.p.Measures[0]
	of := whole
	of.Where = part
	whole.Where = b.told(part)
	b.p.Where = rest
	b.p.Measures = []plan.Measure{of, whole}
	b.p.Derived = append(b.p.Derived, plan.Derived{Kind: plan.ShareOf, Of: 0, And: 1})
	if b.p.By[0].Part == plan.Whole {
		b.p.OrderBy = 2
	}
	return nil
}

// boundsOrdersByLine reports whether an amount bounds the lines of orders, where the words say the orders.
func (b *builder) boundsOrdersByLine() bool {
	order, ok := b.x.source.ByRole(schema.Order)
	isBound := func(f plan.Filter) bool {
		c, _ := plan.Column(b.x.source, f.Column)
		return c.Role == schema.Revenue && slices.Contains([]plan.Op{plan.More, plan.Less, plan.AtLeast, plan.AtMost}, f.Op)
	}
	return ok && order.Distinct < b.x.source.Rows && slices.ContainsFunc(b.p.Where, isBound) && b.hasWord("orders", "sales", "transactions", "receipts", "baskets", "tickets", "invoices", "bills")
}

// asksPartLast reports whether the whole of a share is named before its part, as in what percentage of
// takings is paid by card, and how much of the cost is labour.
func (b *builder) asksPartLast(m mark) bool {
	if len(b.s.figures) != 2 || len(b.p.Measures) != 2 || b.s.pair != "" || b.s.figures[0].counts() {
		return false
	}
	whole, part := b.s.figures[0], b.s.figures[1]
	of := whole.from - 1
	for b.wordAt(of, "the", "our", "my", "all", "total") {
		of--
	}
	asks := m.from < whole.from || b.s.has("howmuch")
	isSaid := slices.ContainsFunc(b.tokens[whole.to:part.from], func(t link.Token) bool { return slices.Contains(verbs, t.Text) })
	return asks && isSaid && whole.to <= part.from && (b.wordAt(of, "of") || m.from < whole.from && whole.from <= m.to)
}

// shareThatIs reads what percentage of takings was cash: the second figure as a share of the first.
func shareThatIs(c *chart, parts []*item) (sketch, bool) {
	s, ok := pairOf(plan.ShareOf)(c, []*item{parts[2], parts[1]})
	return s, ok && parts[2].from > parts[1].to && !s.figures[0].counts()
}

// addsToWhole reports whether the values of a column are parts of a whole: amounts, of which one paid
// for each thing may be called a rate or a price.
func (b *builder) addsToWhole(heading string) bool {
	c, ok := plan.Column(b.x.source, heading)
	return ok && (addsUp(c) || c.Role == schema.Price && c.Unit == schema.Money && !b.x.can(plan.Revenue))
}

// isPercent reports whether a column is of percentages, which are no parts of a whole either.
func (b *builder) isPercent(heading string) bool {
	c, ok := plan.Column(b.x.source, heading)
	return ok && c.Unit == schema.Percent
}

// shareOfOther reads "tea as a percentage of bakery": the figure of one value beside that of
// another of the same column.
func (b *builder) shareOfOther(m mark) bool {
	for _, one := range b.s.where {
		for _, other := range b.s.where {
			if one.to > m.from || other.from < m.to || one.Column != other.Column || one.Part != other.Part || one.Op != plan.In || other.Op != plan.In || slices.Equal(one.Values, other.Values) {
				continue
			}
			first, second := b.p.Measures[0], b.p.Measures[0]
			first.Where, second.Where = []plan.Filter{one.Filter}, []plan.Filter{other.Filter}
			b.p.Measures = []plan.Measure{first, second}
			b.p.Derived = append(b.p.Derived, plan.Derived{Kind: plan.ShareOf, Of: 0, And: 1})
			b.p.Where = slices.DeleteFunc(slices.Clone(b.p.Where), func(f plan.Filter) bool { return f.Column == one.Column && f.Part == one.Part })
			return true
		}
	}
	return false
}

// verbs end the whole of a share: what share of sales in the West is online.
var verbs = []string{"is", "are", "was", "were", "come", "comes", "came", "go", "goes", "went", "made", "makes", "make", "do", "does", "did", "account", "accounts", "contribute", "contributes", "through", "from", "paid", "sold", "used", "use", "have", "has"}

// partOfShare returns the conditions of the part and those of the whole, which are between
// the share and the verb.
func (b *builder) partOfShare(m mark) (part, whole []plan.Filter) {
	if isRated := func(f cond) bool { return f.to == m.from }; m.arg == "rate" && slices.ContainsFunc(b.s.where, isRated) {
		rated := b.s.where[slices.IndexFunc(b.s.where, isRated)]
		return cut(b.p.Where, func(f plan.Filter) bool { return f.Column == rated.Column && f.Part == rated.Part })
	}
	if when := b.phrase("when"); when > m.from {
		ofWhole := func(f plan.Filter) bool {
			return slices.ContainsFunc(b.s.where, func(w cond) bool { return w.from > when && w.Column == f.Column })
		}
		if whole, part := cut(b.p.Where, ofWhole); len(whole) > 0 && len(part) > 0 {
			return part, whole // of shifts that sold out when Ann was on
		}
	}
	verb := len(b.tokens)
	for i := m.to; i < len(b.tokens); i++ {
		if slices.Contains(verbs, b.tokens[i].Text) {
			verb = i
			break
		}
	}
	var ofWhole []string
	after := false
	if verb == len(b.tokens) && len(b.s.where) > 1 && b.s.where[0].from > m.from {
		last := b.s.where[len(b.s.where)-1]
		if first := b.s.where[0]; len(b.s.where) == 2 && first.Column != last.Column && first.to < last.from-1 && b.wordAt(last.from-1, "on", "with", "by", "via", "using", "through") && !b.wordAt(first.to, prepositions...) && !b.wordAt(first.to, "and", "or") {
			return cut(b.p.Where, func(f plan.Filter) bool { return f.Column == last.Column }) // of active members on direct debit
		}
		for _, f := range b.p.Where {
			if f.Column == last.Column && last.from > m.from && b.wordAt(last.from-1, "in", "within", "among", "at", "inside") {
				whole = append(whole, f) // the share of Downtown in coffee
			} else {
				part = append(part, f)
			}
		}
		if len(whole) > 0 && len(part) > 0 {
			return part, whole
		}
		part, whole = nil, nil
	}
	for _, f := range b.s.where {
		if f.from > m.from && f.from < verb {
			ofWhole = append(ofWhole, f.Column)
		} else {
			after = true
		}
	}
	for _, f := range b.p.Where {
		if after && slices.Contains(ofWhole, f.Column) {
			whole = append(whole, f)
		} else {
			part = append(part, f)
		}
	}
	if len(part) == 0 {
		return whole, nil
	}
	return part, whole
}

// readDerived reads running totals, and figures of two things beside each other.
func (b *builder) readDerived() error {
	if b.s.has("running") {
		if len(b.p.By) == 0 {
			b.groupByTime(b.seriesUnit())
		}
		if len(b.p.By) != 1 || !b.p.By[0].Part.Series() || len(b.p.Measures) == 0 {
			return b.refuse(Unknown, "A running total needs figures by day, week, month or year, so this cannot be answered.")
		}
		b.p.Derived = append(b.p.Derived, plan.Derived{Kind: plan.Running, Of: 0})
		return nil
	}
	if b.s.pair != "" && len(b.p.Measures) == 2 && b.p.Compare == nil {
		b.p.Derived = append(b.p.Derived, plan.Derived{Kind: b.s.pair, Of: 0, And: 1})
		isOfPair := func(o bound) bool {
			return o.other == nil && o.name == nil && (o.of == nil || o.of.span == b.s.figures[0].span)
		}
		if len(b.p.Having) == 1 && b.p.Having[0].Measure == 0 && slices.ContainsFunc(b.s.bounds, isOfPair) {
			b.p.Having[0].Measure = 2 // which tables have a spend per guest above 30
		}
		if len(b.p.By) > 0 && b.p.By[0].Part == plan.Whole {
			b.p.OrderBy = 2
		}
		return nil
	}
	if b.s.has("both") && b.bothByGroup() {
		return nil
	}
	if b.comparePeriodsByGroup() {
		return nil
	}
	return b.compareValuesByGroup()
}

// bothByGroup reads "which retailers sell both online and in store": groups that have rows
// of each of two values.
func (b *builder) bothByGroup() bool {
	i := slices.IndexFunc(b.s.where, func(f cond) bool { return f.listed && f.Op == plan.In && len(f.Values) == 2 })
	if i < 0 || len(b.p.By) != 1 || b.p.By[0].Column == b.s.where[i].Column || !b.asksNames() && !b.ofCustomers() || b.s.rank != nil {
		return false
	}
	f := b.s.where[i].Filter
	b.p.Where = slices.DeleteFunc(b.p.Where, func(w plan.Filter) bool { return w.Column == f.Column && w.Op == plan.In })
	b.p.Measures = nil
	for k, v := range f.Values {
		one := f
		one.Values = []string{v}
		b.p.Measures = append(b.p.Measures, plan.Measure{Metric: plan.Rows, Where: []plan.Filter{one}})
		b.p.Having = append(b.p.Having, plan.Threshold{Measure: k, Op: plan.More})
	}
	return true
}

// ofCustomers reports whether the only word for a figure is one for customers, who are the
// groups: customers that bought both.
func (b *builder) ofCustomers() bool {
	h, _ := b.heading(schema.Customer)
	return len(b.s.figures) == 1 && b.s.figures[0].metric == plan.Customers && len(b.p.By) == 1 && b.p.By[0].Column == h
}

// compareValuesByGroup reads "which retailers made more online than in store": a figure of
// each value, and the groups in which the first is more. Days are compared by their mean.
func (b *builder) compareValuesByGroup() error {
	c := b.s.contrast
	if len(c) != 2 || len(b.p.Measures) == 0 {
		return nil
	}
	for i, t := range b.tokens {
		if slices.Contains([]string{"more", "less", "fewer", "better", "worse"}, t.Text) {
			b.taken[i] = true
		}
	}
	b.dropRestated(c[0].Filter)
	if b.p.Share && len(b.p.Part) > 0 && len(b.p.By) == 0 {
		b.shareOfEach(c)
		return nil
	}
	if c[0].Column != c[1].Column || c[1].Op == plan.NotIn || c[1].Op == plan.Blank {
		b.setApart(c[0], c[1])
		return nil
	}
	if b.p.By = b.withoutCompared(c[0]); len(b.p.By) == 0 && c[0].Part != plan.Hour && c[0].Part != plan.Month && !b.s.severalEach() && !areWeekdaysApart(c[0], c[1]) {
		b.groupByContrast(c[0].Filter, c[1].Filter)
		return nil
	}
	m := b.p.Measures[0]
	if c[0].Part != plan.Whole && c[0].Part != plan.Hour && m.Per == "" && !b.hasWord("vs", "versus", "v", "against") {
		m.Per = string(plan.Day)
	}
	first, second := m, m
	first.Where, second.Where = []plan.Filter{c[0].Filter}, []plan.Filter{c[1].Filter}
	op := plan.More
	if b.hasWord("less", "fewer", "worse") {
		op = plan.Less
	}
	b.p.Measures = []plan.Measure{first, second}
	everyTime := len(b.p.By) > 0 && b.p.By[0].Part.Series() && b.wordAt(0, "did", "does", "do", "is", "was")
	if everyTime || b.p.Count || len(b.p.By) > 0 && b.asksNames() {
		b.p.Having = append(b.p.Having, plan.Threshold{Measure: 0, Op: op, Other: new(1)})
	}
	if len(b.p.By) == 0 {
		b.p.Derived = []plan.Derived{{Kind: plan.Difference, Of: 0, And: 1}}
	}
	return nil
}

// told returns the conditions that rows tell what a part is of: as without groups, those that are blank are on neither
// side of its share.
func (b *builder) told(part []plan.Filter) (filled []plan.Filter) {
	for _, f := range part {
		if f.Op == plan.In && f.Part == plan.Whole && plan.BlankIsOther(b.x.source, f) {
			filled = append(filled, plan.Filter{Column: f.Column, Op: plan.Filled})
		}
	}
	return filled
}

// shareOfEach sets the share of a part in the rows of one condition beside that in those of another.
func (b *builder) shareOfEach(sides []cond) {
	m := b.p.Measures[0]
	b.p.Measures, b.p.Share = nil, false
	for _, side := range sides {
		whole, part := m, m
		whole.Where = append([]plan.Filter{side.Filter}, b.told(b.p.Part)...)
		part.Where = append([]plan.Filter{side.Filter}, b.p.Part...)
		n := len(b.p.Measures)
		b.p.Measures = append(b.p.Measures, part, whole)
		b.p.Derived = append(b.p.Derived, plan.Derived{Kind: plan.ShareOf, Of: n, And: n + 1})
	}
	b.p.Part = nil
}

// dropRestated drops a condition that says again what is set against something: weekend (Sat and
// Sun) vs Wed to Fri.
func (b *builder) dropRestated(f plan.Filter) {
	others := slices.DeleteFunc(slices.Clone(b.p.Where), func(w plan.Filter) bool {
		return w.Column == f.Column && w.Part == f.Part && w.Op == f.Op && slices.Equal(w.Values, f.Values)
	})
	b.p.Where = others
}

// setApart sets the figure of one value beside that of another column's, with the difference.
func (b *builder) setApart(one, other cond) {
	first, second := b.p.Measures[0], b.p.Measures[0]
	first.Where, second.Where = []plan.Filter{one.Filter}, []plan.Filter{other.Filter}
	b.s.rank, b.p.Measures = nil, []plan.Measure{first, second}
	if len(b.s.groups) == 0 {
		b.p.By, b.p.Steps = nil, false // which sells better
	}
	b.p.Derived = []plan.Derived{{Kind: plan.Difference, Of: 0, And: 1}}
	b.noteValue(one)
	b.noteValue(other)
}

// readContrast finds the two values that words such as "more" and "than" set
// against each other: does Riverside sell more bagels than Downtown.
func (b *builder) readContrast() error {
	than := b.s.find("than")
	if than == nil || !b.s.has("more", "less", "grown", "shrunk") || len(b.s.contrast) > 0 || b.s.suppositionOf != nil {
		return nil
	}
	after := slices.IndexFunc(b.s.where, func(f cond) bool { return f.from >= than.to && (f.from-than.to <= 1 || b.saysThose(than.to, f.from)) })
	if after < 0 {
		return nil
	}
	w := b.s.where[after]
	if b.setOpposites(w, *than) {
		return nil
	}
	isBefore := func(f cond) bool { return f.to <= than.from && f.Op == plan.In && !f.listed }
	before := slices.IndexFunc(b.s.where, func(f cond) bool { return isBefore(f) && f.Column == w.Column && f.Part == w.Part })
	if before < 0 {
		before = slices.IndexFunc(b.s.where, func(f cond) bool { return isBefore(f) && areSidesApart(f, w) })
	}
	if before < 0 || w.Op != plan.In || w.listed || slices.Equal(b.s.where[before].Values, w.Values) {
		return nil
	}
	b.s.contrast = []cond{b.s.where[before], w}
	b.s.marks, _ = cut(b.s.marks, func(m mark) bool { return m.sense != "who" || m.from == 0 })
	b.s.where, _ = cut(b.s.where, func(f cond) bool { return f.span != w.span && f.span != b.s.contrast[0].span })
	for _, m := range b.s.marks {
		if slices.Contains([]link.Sense{"than", "more", "less"}, m.sense) {
			b.taken[m.from] = true
		}
		ofPieces := func(f cond) bool { return f.from == m.to && f.role == schema.Product }
		if (m.sense == "more" || m.sense == "less") && len(b.s.figures) == 0 && slices.ContainsFunc(append(slices.Clone(b.s.where), b.s.contrast[0]), ofPieces) && b.x.can(plan.Units) {
			b.s.figures = []figure{{span: m.span, metric: plan.Units, text: "units"}} // more bagels
		}
	}
	return nil
}

// saysThose reports whether words say no more than that people are meant: the ones who, people who came by.
func (b *builder) saysThose(from, to int) bool {
	return slices.ContainsFunc(b.s.marks, func(m mark) bool { return m.sense == "who" && from <= m.from && m.to <= to }) && to-from <= 5
}

// setOpposites makes groups of yes and no where one is set against the other: do gift-wrapped orders
// earn more than those that are not gift-wrapped.
func (b *builder) setOpposites(w cond, than mark) bool {
	i := slices.IndexFunc(b.s.where, func(f cond) bool { return f.to <= than.from && areOpposite(f.Filter, w.Filter) })
	if i < 0 {
		return false
	}
	s, ok := b.yesOrNoOf(b.s.where[i])
	if !ok {
		return false
	}
	b.s.groups = join(b.s.groups, s.groups)
	b.s.where, _ = cut(b.s.where, func(f cond) bool { return f.Column != w.Column })
	b.s.marks, _ = cut(b.s.marks, func(m mark) bool { return !slices.Contains([]link.Sense{"than", "more", "less"}, m.sense) })
	return true
}

// withoutCompared returns the groups without the column of values that are set against each
// other: the more popular one of two products is not one of all.
func (b *builder) withoutCompared(c cond) []plan.Dimension {
	same := func(d plan.Dimension) bool {
		return d.Column == c.Column && (d.Part == c.Part || c.Part == plan.Hour && d.Part == plan.Whole)
	}
	if !slices.ContainsFunc(b.p.By, same) {
		return b.p.By
	}
	b.s.rank = nil
	return slices.DeleteFunc(slices.Clone(b.p.By), same)
}

// groupByContrast groups by the column of two conditions; weekdays and weekends are compared
// by the day, since they are not as many.
func (b *builder) groupByContrast(one, other plan.Filter) {
	one.Values = slices.Concat(one.Values, other.Values)
	if one.Part == plan.Weekday && len(one.Values) == len(plan.Weekdays) {
		if m := &b.p.Measures[0]; m.Per == "" && !m.Metric.OfColumn() {
			m.Per = string(plan.Day)
		}
		b.p.Measures = b.p.Measures[:1]
		b.groupByTime(plan.Daytype)
		return
	}
	b.p.Where = addFilter(b.p.Where, one)
	b.groupBy(plan.Dimension{Column: one.Column, Part: one.Part})
}

// asksNames reports whether the groups are names that are asked for, those alone that pass a
// condition.
func (b *builder) asksNames() bool {
	return b.namesRows() || b.s.has("which", "list", "who") || slices.ContainsFunc(b.s.names, b.leads)
}

// comparePeriodsByGroup reads "cities that sold more in 2023 than 2022": the groups in which
// the figure of one period is above that of the other.
func (b *builder) comparePeriodsByGroup() bool {
	p := &b.p
	each := slices.ContainsFunc(b.s.groups, func(g group) bool { return g.word == "which" && g.plural }) && b.s.has("grown", "shrunk")
	if p.Compare == nil || !(b.s.has("than") && b.s.has("more", "less", "grown", "shrunk") || each) || b.s.rank != nil ||
		len(p.By) != 1 || p.By[0].Part != plan.Whole || !b.asksNames() || len(p.Measures) == 0 || len(p.Having)+len(p.Derived) > 0 || b.s.has("why") {
		return false
	}
	now, before := p.Measures[0], p.Measures[0]
	now.Period, before.Period = p.Period, p.Compare
	if first := b.s.periods; b.s.has("than") && len(first) == 2 && first[0].Plan(b.now).From == p.Compare.From {
		now.Period, before.Period = p.Compare, p.Period // more in 2020 than in 2021
	}
	op := plan.More
	if b.s.has("less", "shrunk") {
		op = plan.Less
	}
	p.Measures = []plan.Measure{now, before}
	p.Having = []plan.Threshold{{Measure: 0, Op: op, Other: new(1)}}
	p.Period, p.Compare, p.Whole = nil, nil, nil
	for _, m := range b.s.marks {
		if slices.Contains([]link.Sense{"than", "more", "less", "grown", "shrunk"}, m.sense) {
			b.taken[m.from] = true
		}
	}
	return true
}

// changesInPercent reports whether a change is asked for, which is told in per cent.
func (b *builder) changesInPercent() bool {
	return b.p.Compare != nil && b.s.has("change", "grown", "shrunk")
}

// namesAsShare reads payment methods as a share of orders: the share of each.
func namesAsShare(c *chart, parts []*item) (sketch, bool) {
	n := parts[0].s.names[0]
	says := slices.ContainsFunc(c.tokens[parts[0].to:parts[1].to], func(t link.Token) bool { return t.Text == "as" })
	s := sketch{marks: parts[1].s.marks, figures: parts[2].s.figures, groups: []group{{name: n, word: "by"}}}
	return s, says && n.column != nil && n.column.Type == schema.Text && len(parts[0].s.where)+len(parts[2].s.where) == 0
}
