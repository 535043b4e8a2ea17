package read

import (
	"slices"
	"strconv"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// readList reads a question for the rows themselves: list every sale over 22,000, which
// orders are unpaid, show me the movies from 1994, the biggest sale.
func (b *builder) readList() error {
	if b.p.List != nil {
		return nil
	}
	b.dropRepeatedNoun()
	b.dropSubjects()
	noun, ok := b.listedNoun()
	if !ok {
		noun, ok = b.onlyState()
	}
	if !ok {
		return nil
	}
	if order, has := b.x.source.ByRole(schema.Order); has && order.Distinct < b.x.source.Rows && !b.saysRow(noun) {
		b.listOrders(noun, order)
		return nil
	}
	by := ""
	if r := b.s.rank; r != nil {
		c, found := b.rankColumn(*r)
		if !found {
			return nil
		}
		by = c
	}
	if b.ranksPrice() {
		b.s.marks, _ = cut(b.s.marks, func(m mark) bool { return m.sense != "price" })
	}
	b.dropNoun(noun)
	b.noun = b.tokens[noun.to-1].Lemma
	switch isState := slices.ContainsFunc(b.s.where, func(f cond) bool { return f.span == noun }); {
	case isState, b.wordAt(noun.from, "ones"):
		b.noun = ""
	case b.noun == "sales":
		b.noun = "sale"
	}
	b.p.List = &plan.Listing{By: by}
	b.p.Measures = []plan.Measure{{Metric: plan.Rows}}
	if b.ofComing() && !slices.ContainsFunc(b.s.where, b.isState) {
		for _, f := range b.x.stillOn() {
			b.p.Where = addFilter(b.p.Where, f)
		}
	}
	if r := b.s.rank; r != nil {
		b.p.Order = map[bool]plan.Order{true: plan.Lowest, false: plan.Highest}[r.down]
		b.p.Limit, b.p.Ends = max(1, r.limit), r.both
		if r.limit == 0 && b.plural(noun.to) && !r.both {
			b.p.Limit = 10
		}
		b.s.rank = nil
		b.s.names, _ = cut(b.s.names, func(n name) bool { return !isNumeric(n) })
		b.s.figures = nil
	}
	return nil
}

// listOrders lists orders of several rows as groups, and by what each comes to where no figure is compared.
func (b *builder) listOrders(noun span, order schema.Column) {
	if b.s.rank != nil {
		return
	}
	b.dropNoun(noun)
	b.s.bounds = slices.Clone(b.s.bounds)
	for i, o := range b.s.bounds {
		if o.of != nil && b.countsOrNames(*o.of) {
			b.s.bounds[i].of = nil
		}
	}
	b.s.groups = join(b.s.groups, []group{{name: name{span: noun, column: &order, role: schema.Order, plural: true}, word: "list"}})
}

// listsRows reports whether rows are asked for and no figure of them: list, show me, the names of.
func (b *builder) listsRows() bool {
	s := &b.s
	isFigure := func(f figure) bool { return f.metric != plan.Orders && f.metric != plan.Rows }
	isOther := func(g group) bool { return g.role != schema.Order || g.word != "which" && g.word != "list" }
	return (s.has("list", "which") || len(s.groups) > 0) && !s.has("howmany", "howmuch", "share", "trend", "money") && s.rank == nil && s.fold == "" && len(s.counts) == 0 && !slices.ContainsFunc(s.groups, isOther) && !slices.ContainsFunc(s.figures, isFigure)
}

// dropRepeatedNoun drops the first of two words for the rows of which the second is asked for:
// unpaid jobs, give me the job numbers.
func (b *builder) dropRepeatedNoun() {
	isAsked := func(n name) bool {
		return n.role == schema.Order && n.plural && slices.ContainsFunc(b.s.marks, func(m mark) bool { return m.sense == "list" && m.from < n.from })
	}
	asked := slices.ContainsFunc(b.s.names, isAsked) || slices.ContainsFunc(b.s.groups, func(g group) bool { return isAsked(g.name) })
	first, ok := b.rowNoun()
	if isFirst := len(b.s.figures) == 1 && b.s.figures[0].span == first; asked && ok && isFirst {
		b.dropNoun(first)
	}
}

// dropSubjects drops nouns of which a clause says what the condition after it is of: rentals where
// the bike came back with a puncture.
func (b *builder) dropSubjects() {
	isSubject := func(n name) bool {
		at := n.from - 1
		for at > 0 && b.wordAt(at, "the", "a", "an") {
			at--
		}
		said := slices.ContainsFunc(b.s.where, func(f cond) bool { return f.from >= n.to && n.column != nil && f.Column != n.column.Heading })
		return !n.plural && said && at > 0 && b.wordAt(at, "where", "whose", "when", "because")
	}
	b.s.names, _ = cut(b.s.names, func(n name) bool { return !isSubject(n) })
}

// listWords may be before the rows that are listed, besides words without a meaning.
var listWords = []string{"list", "which", "what", "show", "display", "give", "find", "name", "names", "see", "view", "tell"}

// listedNoun returns the words for the rows that a question lists; false if it asks for
// something else.
func (b *builder) listedNoun() (span, bool) {
	s := &b.s
	isBorn := s.rank != nil && s.rank.column != nil && isDay(s.rank.column) // who is our oldest member
	if s.has("who") && !isBorn || s.has("howmany", "howmuch", "share", "trend", "grown", "shrunk", "change", "more", "less", "versus", "difference", "running", "why", "when", "where", "how", "steps", "distribution", "ratio", "different", "loss",
		"soldout", "lowstock", "runout", "unsold", "never", "money", "expensive", "cheap", "refund", "cancelled", "relate") || s.has("price") && !b.ranksPrice() ||
		len(s.counts)+len(s.earlier)+len(s.contrast)+len(s.missing) > 0 || s.fold != "" || s.pair != "" || s.suppositionOf != nil || len(s.periods) > 1 || b.x.source.Kind == schema.Stocklist && !s.has("row") && !slices.ContainsFunc(s.figures, func(f figure) bool { return f.metric == plan.Rows }) {
		return span{}, false
	}
	noun, ok := b.rowNoun()
	if !ok {
		return span{}, false
	}
	other := func(f figure) bool {
		return f.span != noun && !b.isBound(f) && !(s.rank != nil && f.fold == "" && f.per == "")
	}
	if slices.ContainsFunc(s.figures, other) || slices.ContainsFunc(s.groups, func(g group) bool { return g.span != noun }) || slices.ContainsFunc(s.names, func(n name) bool { return n.span != noun && !(s.rank != nil && isNumeric(n)) }) {
		return span{}, false
	}
	if s.rank != nil {
		return noun, b.plural(noun.to) == (s.rank.limit > 1) || s.rank.limit == 0
	}
	asked := slices.ContainsFunc(b.tokens[:noun.from], func(t link.Token) bool { return slices.Contains(listWords, t.Text) }) || b.phrase("which ones") >= 0
	limited := len(s.where)+len(s.bounds) > 0 || b.ofComing()
	asked = asked || noun.from == 0 && b.plural(noun.to) && len(s.bounds) > 0 && b.x.source.Kind == schema.Other || noun == span{0, 1} && b.asksUndone() || noun.from == 0 && b.plural(noun.to) && b.hasWord("that", "which", "still", "yet") && slices.ContainsFunc(s.where, isUndone) || b.isTitle(noun)
	return noun, asked && (limited || b.wordAt(0, "list") || b.hasWord("all"))
}

// onlyState returns the words for a state of rows, where a question has no others: waiting for parts, anything still in
// draft. What rows are in it is asked.
func (b *builder) onlyState() (span, bool) {
	s := &b.s
	others := len(s.figures) + len(s.names) + len(s.groups) + len(s.bounds) + len(s.periods) + len(s.counts) + len(s.missing) + len(s.contrast) + len(s.numbers)
	if others > 0 || s.rank != nil || s.fold != "" || len(s.where) != 1 || b.x.source.Kind == schema.Stocklist {
		return span{}, false
	}
	f := s.where[0]
	isAsked := func(m mark) bool { return !slices.Contains([]link.Sense{"which", "list", "all", "any"}, m.sense) }
	isOpen := f.Op == plan.In && f.role == schema.Status && !slices.ContainsFunc(b.x.source.Reversals, func(r schema.Reversal) bool {
		return r.Kind != schema.DraftSale && r.Column == f.Column && slices.Contains(r.Values, f.Values[0])
	})
	return f.span, isOpen && !slices.ContainsFunc(s.marks, isAsked)
}

// ofComing reports whether the one period is of days to come.
func (b *builder) ofComing() bool { return len(b.s.periods) == 1 && b.s.periods[0].Ahead }

// isTitle reports whether a question is no more than the plural of what it lists, with what became of them by some day
// after it, or with days to come: bills due in the next 7 days, active members not seen since May, upcoming stays.
func (b *builder) isTitle(noun span) bool {
	from := noun.from
	for _, f := range b.s.where {
		if f.to == from {
			from = f.from
		}
	}
	if b.ofComing() {
		return (from == 0 || from == b.s.days[0].to && b.s.days[0].from == 0) && b.plural(noun.to)
	}
	isDated := func(f cond) bool {
		c, ok := plan.Column(b.x.source, f.Column)
		return ok && isDay(&c) && c.Role != schema.Day && f.Part != plan.Whole || ok && isDay(&c) && f.Op == plan.Before
	}
	return from == 0 && !b.wordAt(0, "how") && b.plural(noun.to) && len(b.s.periods) == 0 && slices.ContainsFunc(b.s.where, func(f cond) bool { return f.from >= noun.to && isDated(f) })
}

// rowNoun returns the words for the rows: sales, orders, movies, bookings.
func (b *builder) rowNoun() (span, bool) {
	for _, f := range b.s.figures {
		if b.countsOrNames(f) && !b.isBound(f) && (f.metric != plan.Revenue || len(b.s.bounds) > 0 || b.wordAt(f.from-1, "which")) {
			return f.span, true
		}
	}
	for _, m := range b.s.marks {
		if m.sense == "row" {
			return m.span, true
		}
	}
	for _, o := range b.s.bounds {
		if o.of != nil && o.of.to <= o.from && b.countsOrNames(*o.of) {
			return o.of.span, true // sales over 500
		}
	}
	isRow := func(n name) bool { return n.role == schema.Order || b.isKey(n) || b.isOneEvent(n) }
	for _, n := range b.s.names {
		if isRow(n) {
			return n.span, true
		}
	}
	for _, g := range b.s.groups {
		if isRow(g.name) && slices.Contains([]string{"which", "list", "rank", "each"}, g.word) {
			return g.span, true
		}
	}
	if f := b.s.figures; b.s.rank != nil && len(f) == 1 && b.ofRows(f[0]) {
		return f[0].span, true // the 5 biggest balances
	}
	isGoods := func(f cond) bool {
		ofGoods := slices.Contains([]schema.Role{schema.Product, schema.SKU, schema.Category, schema.Brand}, f.role)
		return f.Part != plan.Whole || ofGoods && !english.IsA(b.tokens[f.to-1].Lemma, english.Event)
	}
	if i := slices.IndexFunc(b.s.where, func(f cond) bool { return b.s.rank != nil && f.from == b.s.rank.to && f.Op == plan.In && !isGoods(f) }); i >= 0 {
		return b.s.where[i].span, true // the heaviest dog
	}
	if at := b.phrase("which ones"); at >= 0 && b.x.source.Kind != schema.Stocklist {
		return span{at + 1, at + 2}, true
	}
	if b.asksUndone() {
		return span{0, 1}, true
	}
	for _, f := range b.s.where {
		if isAll := b.plural(f.to) || b.wordAt(f.from-1, "every", "each", "any"); isAll && b.listedFrom(f.from) >= 0 {
			return f.span, true // list the no-shows
		}
	}
	return span{}, false
}

// listVariants lists or counts the rows of a list of goods that pass conditions, where several rows with codes of their
// own share the name of a product: sizes and colours run out one by one.
func (b *builder) listVariants() error {
	p := &b.p
	product, _ := b.x.source.ByRole(schema.Product)
	code, coded := b.x.source.ByRole(schema.SKU)
	stock, _ := b.heading(schema.Stock)
	isShared := b.x.source.Kind == schema.Stocklist && coded && product.Distinct < b.x.source.Rows && code.Distinct == b.x.source.Rows
	isByName := len(p.By) == 1 && p.By[0].Column == product.Heading && len(p.Derived) == 0 && p.Limit == 0 && !p.Share
	if !isShared || !isByName || len(p.Measures) == 0 {
		return nil
	}
	isBy := func(g group) bool { return g.word == "by" || g.word == "each" }
	isOfName := func(f plan.Filter) bool { return f.Column == product.Heading }
	isListed := len(p.Where) > 0 && !slices.ContainsFunc(p.Where, isOfName) && len(b.s.figures) == 0 && !slices.ContainsFunc(b.s.groups, isBy) && p.Measures[0].Metric == plan.StockUnits
	if len(p.Having) == 0 && !isListed {
		return nil
	}
	where := p.Where
	for _, h := range p.Having {
		m := p.Measures[h.Measure]
		column := map[bool]string{true: stock, false: m.Column}[m.Metric == plan.StockUnits]
		isOfRow := m.Per+string(m.Fold)+m.Since == "" && !m.Restricted() && (m.Metric == plan.StockUnits || m.Metric == plan.Average || m.Metric == plan.Sum)
		if h.Other != nil || !isOfRow || column == "" {
			return nil
		}
		where = addFilter(where, plan.Filter{Column: column, Op: h.Op, Values: []string{strconv.FormatFloat(h.Value, 'f', -1, 64)}})
	}
	if !p.Count {
		p.List, p.Order = &plan.Listing{By: stock, Columns: []string{product.Heading}}, plan.Lowest
	}
	p.Where, p.Having, p.By, p.Count, p.OrderBy = where, nil, nil, false, 0
	p.Measures, b.companions = []plan.Measure{{Metric: plan.Rows}}, 0
	return nil
}

// asksOfOrder reports whether what one order has is asked for: what was on receipt 402.
func (b *builder) asksOfOrder() bool {
	order, ok := b.x.source.ByRole(schema.Order)
	isOne := func(f cond) bool { return f.role == schema.Order && f.Op == plan.In && len(f.Values) == 1 }
	isOther := func(n name) bool { return n.role != schema.Order }
	if !ok || order.Distinct == b.x.source.Rows || !b.wordAt(0, "what") || !slices.ContainsFunc(b.s.where, isOne) || len(b.s.figures)+len(b.s.counts)+len(b.s.groups)+len(b.s.missing) > 0 || slices.ContainsFunc(b.s.names, isOther) {
		return false
	}
	return b.hasWord("on", "in", "order", "bought", "buy", "have", "had", "got") && !b.hasWord("total", "worth", "cost", "come", "came") && b.s.fold == "" && !b.s.has("money", "howmuch", "when", "where")
}

// asksUndone reports whether the rows to which something has not happened, or that are in some state, are asked for,
// without a word for them: what have I not posted yet, what is still at the workshop.
func (b *builder) asksUndone() bool {
	isNow := b.wordAt(1, "is", "are") || b.wordAt(0, "anything")
	isMeant := func(f cond) bool { return isUndone(f) || isNow && b.isState(f) }
	return b.x.source.Kind != schema.Stocklist && b.wordAt(0, "what", "anything") && len(b.s.figures)+len(b.s.names)+len(b.s.counts)+len(b.s.groups) == 0 && slices.ContainsFunc(b.s.where, isMeant)
}

// isUndone reports whether a condition is that something has not happened.
func isUndone(f cond) bool { return f.Op == plan.Blank || f.Op == plan.NotIn && f.flag != nil }

// isOneEvent reports whether a name that is also of a column of kinds is for one row of all that there
// were: the dearest job that we ever did, beside a Job Type.
func (b *builder) isOneEvent(n name) bool {
	return b.s.rank != nil && !b.s.rank.counts && !b.s.rank.judges && !n.plural && b.isEvent(n) && b.hasWord("ever", "single")
}

// countsOrNames reports whether a figure before a bound is a word for rows: each sale's own
// amount is compared.
func (b *builder) countsOrNames(f figure) bool {
	isSales := f.metric == plan.Revenue && b.tokens[f.from].Text == "sales" && f.to == f.from+1
	isNumber := slices.ContainsFunc(b.tokens[f.from:f.to], func(t link.Token) bool { return slices.Contains([]string{"number", "count", "#"}, t.Lemma) })
	return (isSales || f.metric == plan.Orders || f.metric == plan.Rows) && f.per == "" && f.fold == "" && !isNumber
}

// ofRows reports whether a plural is for the amounts of a column, of which each row has one.
func (b *builder) ofRows(f figure) bool {
	isNoun := b.s.rank.to == f.from && b.s.rank.column == nil && !b.s.rank.counts && b.plural(f.to)
	return isNoun && f.fold == "" && f.per == "" && f.since == nil && (f.column != nil && f.metric == "" || f.named != nil)
}

// saysRow reports whether the words are for rows and not for orders.
func (b *builder) saysRow(at span) bool {
	return slices.Contains(rowNouns, b.tokens[at.to-1].Lemma)
}

// dropNoun takes the words for the rows out of the sketch.
func (b *builder) dropNoun(at span) {
	b.s.figures, _ = cut(b.s.figures, func(f figure) bool { return f.span != at })
	b.s.names, _ = cut(b.s.names, func(n name) bool { return n.span != at })
	b.s.groups, _ = cut(b.s.groups, func(g group) bool { return g.span != at })
}

// boundListed compares a column of each row that is listed.
func (b *builder) boundListed(o bound) error {
	m := plan.Measure{Metric: b.x.nearest(plan.Revenue)}
	price, priced := b.heading(schema.Price)
	switch {
	case o.of != nil && !b.countsOrNames(*o.of):
		m = b.measureOf(*o.of)
	case priced && (o.arg == "price" || o.unit == link.Money && b.x.source.Kind == schema.Stocklist):
		m = plan.Measure{Metric: plan.Average, Column: price}
	case b.x.source.Kind == schema.Stocklist:
		m = plan.Measure{Metric: plan.StockUnits}
	}
	column, ok := b.boundColumn(m)
	if total, has := b.heading(schema.Revenue); !ok && has && m.Metric == plan.Revenue && o.unit == link.Money {
		column, ok = total, true // before refunds
	}
	if !ok || o.name != nil || o.per != plan.Whole || o.unit == link.Days {
		return b.refuse(Unknown, "It is not clear what should be compared with %s, so this cannot be answered.", strconv.FormatFloat(o.number, 'f', -1, 64))
	}
	b.p.Where = addFilter(b.p.Where, plan.Filter{Column: column, Op: o.op, Values: []string{strconv.FormatFloat(o.number, 'f', -1, 64)}})
	return nil
}

// ranksPrice reports whether a superlative is of the price: the dearest book.
func (b *builder) ranksPrice() bool {
	m := b.s.find("price")
	isRow := b.s.has("row") || slices.ContainsFunc(b.s.figures, b.countsOrNames) || slices.ContainsFunc(b.s.groups, func(g group) bool { return b.isOneEvent(g.name) })
	return m != nil && b.s.rank != nil && b.s.rank.from <= m.from && m.to <= b.s.rank.to && isRow
}

// rankColumn returns the column of numbers that rows are in order of.
func (b *builder) rankColumn(r rank) (string, bool) {
	price, priced := b.heading(schema.Price)
	switch {
	case b.ranksPrice() && priced && b.s.has("row"):
		return price, priced
	case r.column != nil:
		return r.column.Heading, r.column.Type != schema.Text
	case r.counts || r.judges || r.figure != nil || r.nth > 0 || r.attribute != "" || r.vague || len(b.s.figures) > 2:
		return "", false
	}
	m := plan.Measure{Metric: b.x.nearest(plan.Revenue)}
	for _, f := range b.s.figures {
		if f.metric != plan.Orders && f.metric != plan.Rows {
			m = b.measureOf(f)
		}
	}
	for _, n := range b.s.names {
		if isNumeric(n) && !b.namesPlaces(n) {
			m = plan.Measure{Metric: plan.Average, Column: n.column.Heading} // which model has the highest weight
		}
	}
	return b.boundColumn(m)
}

// showListed chooses the columns of a list: the name of a row, what the conditions are of,
// and others.
func (b *builder) showListed() error {
	if b.p.List == nil {
		return nil
	}
	add := func(heading string) {
		if heading != "" && len(b.p.List.Columns) < plan.MaxListed && !slices.Contains(b.p.List.Columns, heading) {
			b.p.List.Columns = append(b.p.List.Columns, heading)
		}
	}
	all := b.x.source.Columns
	if i := slices.IndexFunc(all, func(c schema.Column) bool {
		return c.Role == schema.Order || c.Role == schema.Customer && c.Distinct == b.x.source.Rows || b.x.numbersRows(&c) || b.isKey(name{column: &c})
	}); i >= 0 {
		add(all[i].Heading)
	}
	product, _ := b.productHeading()
	day, _ := b.heading(schema.Day)
	if c, _ := plan.Column(b.x.source, product); c.Role != schema.Product && c.Role != schema.SKU && c.Role != schema.None && len(b.p.List.Columns) == 0 {
		add(day) // rows without a name are told apart by their day
	}
	if i := slices.IndexFunc(all, func(c schema.Column) bool { return c.Type == schema.Text && c.Distinct > 1 }); i >= 0 && product == "" && len(b.p.List.Columns) == 0 {
		product = all[i].Heading // a row needs a name
	}
	add(product)
	add(day)
	add(b.p.List.By)
	add(b.asked)
	for _, f := range b.p.Where {
		add(f.Column)
		add(f.Other)
	}
	for _, c := range all {
		add(c.Heading)
	}
	return nil
}
