package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// readReversals reads words of refunds and cancellations as figures, if the data tell
// them: orders that were cancelled, refunds by month (I4). Beside other figures than orders
// they stay filters.
func (b *builder) readReversals() error {
	switch back := slices.IndexFunc(b.s.figures, b.x.cameBack); {
	case back >= 0 && (b.s.has("money", "howmuch") || b.hasWord("cost", "costs", "worth", "value")):
		return b.refuse(Missing, "%s how many came back, and not what they were worth, so this cannot be answered.", b.subject("has", "have"))
	case back >= 0 && (b.s.has("share") || b.hasWord("rate")) && b.x.can(plan.Units):
		b.s.figures, b.s.pair = []figure{b.s.figures[back], {metric: plan.Units, text: "units"}}, plan.ShareOf
		b.s.names = slices.DeleteFunc(slices.Clone(b.s.names), func(n name) bool { return n.plural && n.to < b.s.figures[0].from })
	}
	if back := slices.IndexFunc(b.s.figures, b.x.cameBack); back >= 0 && b.s.pair == "" {
		b.s.counts, _ = cut(b.s.counts, func(n count) bool { return n.name == nil || n.name.role != schema.Product }) // how many of a product came back
	}
	m := b.s.find("refund", "cancelled")
	if b.listsReversed(m) {
		return nil
	}
	values, others := cut(b.s.where, b.namesAllOfReversal)
	isOfState := func(f cond) bool {
		return slices.ContainsFunc(b.x.source.Reversals, func(r schema.Reversal) bool { return r.Column == f.Column })
	}
	for i := range b.tokens {
		loses := b.wordAt(i, "lose", "lost", "loose") && (m != nil || slices.ContainsFunc(b.s.where, isOfState))
		b.taken[i] = b.taken[i] || loses || m != nil && b.wordAt(i, "rate")
	}
	isOther := func(f figure) bool {
		costs := f.metric == plan.Cost && b.wordAt(f.to, "us", "me") // what refunds cost us
		return f.metric != plan.Orders && f.metric != plan.Rows && !costs && !b.isWholeOfRefunds(f)
	}
	if m == nil && len(values) == 0 || slices.ContainsFunc(b.s.figures, isOther) {
		return nil
	}
	if m != nil && b.listsWhatCameBack(*m) {
		b.s.where = others
		b.listWhatCameBack()
		return nil
	}
	cancelled := m != nil && m.sense == "cancelled"
	if m == nil {
		text := strings.ToLower(values[0].text)
		cancelled = strings.Contains(text, "cancel") || strings.Contains(text, "void")
	}
	metric := b.reversalMetric(cancelled)
	if !b.x.can(metric) {
		return nil
	}
	b.s.where, b.s.figures, b.s.counts = others, nil, nil
	b.s.names = slices.DeleteFunc(slices.Clone(b.s.names), func(n name) bool { return n.role == schema.Order })
	b.s.marks = slices.DeleteFunc(slices.Clone(b.s.marks), func(o mark) bool {
		return slices.Contains([]string{"refund", "cancelled", "howmany", "money", "row"}, string(o.sense))
	})
	b.addMeasure(plan.Measure{Metric: metric})
	if m != nil {
		b.reversed = m.span
	} else {
		b.reversed = values[0].span
	}
	return nil
}

// listsWhatCameBack reports whether what was refunded is asked for by name, and not for how much: what got
// refunded, show me the refunds, which receipts had refunds.
func (b *builder) listsWhatCameBack(m mark) bool {
	s := &b.s
	isOrder := func(n name) bool { return n.role == schema.Order }
	isOther := func(g group) bool { return !isOrder(g.name) && g.role != schema.Product }
	if m.sense != "refund" || !b.x.can(plan.Refunds) || s.has("howmany", "howmuch", "money", "share", "trend", "versus", "rank") || s.rank != nil || s.fold != "" || len(s.counts)+len(s.bounds) > 0 || slices.ContainsFunc(s.groups, isOther) {
		return false
	}
	isSaid := isVerb(b.tokens[m.to-1].Text) && b.wordAt(0, "what", "which")
	return isSaid || s.has("list") && b.plural(m.to) || b.wordAt(0, "which") && (len(s.groups) > 0 || slices.ContainsFunc(s.names, isOrder))
}

// listWhatCameBack makes groups of what was refunded: of the orders that the question names, or else of goods.
func (b *builder) listWhatCameBack() {
	isOrder := func(n name) bool { return n.role == schema.Order }
	ofOrders := slices.ContainsFunc(b.s.names, isOrder) || slices.ContainsFunc(b.s.groups, func(g group) bool { return isOrder(g.name) }) || len(b.s.figures) > 0
	if order, ok := b.heading(schema.Order); ofOrders && ok {
		b.groupBy(plan.Dimension{Column: order})
	} else {
		b.groupByProduct()
	}
	b.s.figures, b.s.groups = nil, nil
	b.s.names, _ = cut(b.s.names, func(n name) bool { return !isOrder(n) && n.role != schema.Product })
	b.s.marks, _ = cut(b.s.marks, func(o mark) bool { return !slices.Contains([]link.Sense{"refund", "row", "list"}, o.sense) })
	b.addMeasure(plan.Measure{Metric: plan.Refunds})
	b.p.Having = append(b.p.Having, plan.Threshold{Op: plan.More})
}

// listsReversed reads list the cancelled bookings: a condition of the rows that are listed.
func (b *builder) listsReversed(m *mark) bool {
	isRow := func(f figure) bool { return f.metric == plan.Orders || f.metric == plan.Rows }
	if !b.listsRows() || m != nil && m.sense == "refund" && len(b.s.groups) == 0 && !slices.ContainsFunc(b.s.figures, isRow) {
		return false
	}
	if m == nil {
		return true
	}
	r := b.x.reversalOf(*m)
	if r == nil {
		return false
	}
	b.s.where = join(b.s.where, []cond{{span: m.span, Filter: plan.Filter{Column: r.Column, Op: plan.In, Values: r.Values}, text: b.text(m.from, m.to)}})
	b.s.marks, _ = cut(b.s.marks, func(o mark) bool { return o.span != m.span })
	return true
}

// reversalOf returns the rule by whose values rows are refunded or cancelled; nil if there is none.
func (x *lexicon) reversalOf(m mark) *schema.Reversal {
	kinds := []schema.ReversalKind{schema.RefundedSale, schema.Return}
	if m.sense == "cancelled" {
		kinds = []schema.ReversalKind{schema.CancelledSale}
	}
	i := slices.IndexFunc(x.source.Reversals, func(r schema.Reversal) bool { return slices.Contains(kinds, r.Kind) && len(r.Values) > 0 })
	if i < 0 {
		return nil
	}
	return &x.source.Reversals[i]
}

// namesAllOfReversal reports whether a condition is of all values of namesReversal: late cancels are
// not all that were cancelled.
func (b *builder) namesAllOfReversal(f cond) bool {
	return b.namesReversal(f) && slices.ContainsFunc(b.x.source.Reversals, func(r schema.Reversal) bool {
		return r.Column == f.Column && !slices.ContainsFunc(r.Values, func(v string) bool { return !slices.Contains(f.Values, v) })
	})
}

// orCancelled reads cancellations and no-shows: the sales in either state.
func orCancelled(c *chart, parts []*item) (sketch, bool) {
	s := parts[2].s
	if parts[0].cat == valueCat {
		s = parts[0].s
	}
	for _, r := range c.x.source.Reversals {
		if r.Kind == schema.CancelledSale && len(s.where) == 1 && s.where[0].Column == r.Column && s.where[0].Op == plan.In && !slices.Contains(r.Values, s.where[0].Values[0]) {
			f := s.where[0]
			f.span, f.Values = span{parts[0].from, parts[2].to}, slices.Concat(r.Values, f.Values)
			s.where = []cond{f}
			return s, len(r.Values) > 0
		}
	}
	return sketch{}, false
}

// netOfReturns reads after returns and cancellations left out, which figures are.
func netOfReturns(c *chart, parts []*item) (sketch, bool) {
	at := span{parts[0].from, parts[1].to}
	return sketch{marks: []mark{{span: at, sense: "net of returns"}}}, c.x.hasReversals() && !slices.Contains([]string{"no", "never"}, c.tokens[parts[0].from].Text) && !isAtLeast(parts[0])
}

// neverReversed reads have never cancelled, of which readLacking makes the groups without such rows.
func neverReversed(c *chart, parts []*item) (sketch, bool) {
	r := c.x.reversalOf(parts[1].s.marks[0])
	if r == nil || c.tokens[parts[0].from].Text != "never" {
		return sketch{}, false
	}
	at := span{parts[0].from, parts[1].to}
	return sketch{where: []cond{{span: at, Filter: plan.Filter{Column: r.Column, Op: plan.NotIn, Values: r.Values}, text: c.text(at.from, at.to)}}}, true
}

// netRevenue reads net takings, unless a column is called net: they are net of what was taken back.
func netRevenue(c *chart, parts []*item) (sketch, bool) {
	f := parts[1].s.figures
	return parts[1].s, len(f) == 1 && f[0].metric == plan.Revenue && c.adjacent(parts[0], parts[1]) && !c.x.names("net")
}

// namesReversal reports whether a condition is of values by which reversed sales are
// recognized.
func (b *builder) namesReversal(f cond) bool {
	return f.Op == plan.In && slices.ContainsFunc(b.x.source.Reversals, func(r schema.Reversal) bool {
		return r.Column == f.Column && r.Kind != schema.MissedSale && r.Kind != schema.DraftSale && !slices.ContainsFunc(f.Values, func(v string) bool { return !slices.Contains(r.Values, v) })
	})
}

// returned returns the column of how many pieces came back, in a source that tells it by nothing
// else; nil if there is none.
func (x *lexicon) returned() *schema.Column {
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool {
		return countsThings(&c) && hasWord(c.Heading, "ret", "returned", "returns")
	})
	if i < 0 || x.hasReversals() {
		return nil
	}
	return &x.source.Columns[i]
}

// cameBack reports whether a figure is of the pieces that came back.
func (x *lexicon) cameBack(f figure) bool {
	back := x.returned()
	return f.column != nil && back != nil && f.column.Heading == back.Heading
}

// isMarked reports whether a column of yes and no has a word for a heading, in a source that
// does not know cancelled or refunded sales: then it is a condition like any other.
func (x *lexicon) isMarked(word link.Token) bool {
	return !x.hasReversals() && slices.ContainsFunc(x.source.Columns, func(c schema.Column) bool {
		return c.Type == schema.Truth && strings.EqualFold(c.Heading, word.Text)
	})
}

// reversalMetric returns the figure that a word of refunds or cancellations asks for:
// orders if they are counted, else money; of cancellations orders unless money is named.
func (b *builder) reversalMetric(cancelled bool) plan.Metric {
	isRate := b.s.has("share") || b.hasWord("rate", "percentage")
	counts := b.s.has("howmany") || len(b.s.counts) > 0
	isMoney := b.s.has("howmuch", "money") || b.hasWord("value", "worth", "amount")
	switch {
	case cancelled && isRate:
		return plan.CancellationRate
	case cancelled && isMoney && !counts:
		return plan.Cancellations
	case cancelled:
		return plan.CancelledOrders
	case slices.ContainsFunc(b.s.figures, b.isWholeOfRefunds):
		return plan.RefundRate
	case isRate && (b.hasWord("return", "returns", "returned", "back") || b.s.has("share") && (counts || b.hasWord("order", "orders") || len(b.s.figures) > 0)):
		return plan.ReturnRate // of orders, and not of money
	case isRate:
		return plan.RefundRate
	case (counts || b.hasWord("order", "orders")) && !isMoney:
		return plan.RefundedOrders
	}
	return plan.Refunds
}

// isWholeOfRefunds reports whether a figure is the money of which refunds are a share: what percentage of takings was
// refunded. Revenue is net of them (I4), so that they are no part of it.
func (b *builder) isWholeOfRefunds(f figure) bool {
	isMoney := f.metric == plan.Revenue || f.metric == plan.Gross
	return isMoney && f.fold == "" && f.per == "" && b.s.has("share") && b.s.has("refund") && b.x.can(plan.RefundRate)
}

// filterByStatus looks up the state in the rules of the source.
func (b *builder) filterByStatus(m mark) error {
	if r := b.x.reversalOf(m); r != nil {
		b.p.Where = addFilter(b.p.Where, plan.Filter{Column: r.Column, Op: plan.In, Values: r.Values})
		return nil
	}
	if len(b.x.source.Reversals) > 0 {
		return b.refuse(Missing, "No row of %s is %s, so this cannot be answered from it.", b.x.source.Name, map[bool]string{true: "cancelled", false: "refunded"}[m.sense == "cancelled"])
	}
	return b.refuse(Missing, "There is no column in %s that says what was returned, refunded or cancelled, so this cannot be answered.", b.x.source.Name)
}

// noteDiscounts notes whether revenue is before or after discounts, if the question asks
// for either.
func (b *builder) noteDiscounts() error {
	if m := b.s.find("net of returns"); m != nil {
		b.note("This is net of what was returned.")
		b.s.marks, _ = cut(b.s.marks, func(m mark) bool { return m.sense != "net" && m.sense != "after" })
	}
	net, gross := b.hasWord("net") || b.s.has("net"), b.hasWord("gross") || b.s.has("gross")
	if !net && !gross || len(b.p.Measures) == 0 || b.p.Measures[0].Metric != plan.Revenue && b.p.Measures[0].Metric != plan.Gross {
		return nil
	}
	_, off := b.heading(schema.Discount)
	_, before := b.heading(schema.Gross)
	switch isGross := b.p.Measures[0].Metric == plan.Gross; {
	case isGross && !off && !before:
	case !off && !before:
		b.note("There is no column of discounts in " + b.x.source.Name + ": this is revenue as it stands there.")
	case net:
		b.note("This is after discounts.")
	default:
		b.note("This is after discounts; revenue before them is no column of " + b.x.source.Name + ".")
	}
	return nil
}

// totalRefunded reads total refunded as the money that was given back.
func totalRefunded(c *chart, parts []*item) (sketch, bool) {
	at := span{parts[0].from, parts[1].to}
	said := c.tokens[at.to-1].Text
	isSum := parts[0].s.fold == "sum" && c.adjacent(parts[0], parts[1]) && strings.HasSuffix(said, "ed")
	return sketch{figures: []figure{{span: at, metric: plan.Refunds, text: c.text(at.from, at.to)}}}, isSum && c.x.can(plan.Refunds)
}
