package read

import (
	"slices"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// readSupposition reads a supposed change: prices up 5 %, 10 % more sold. Its words are
// taken out of the sketch, so that only the question remains.
func (b *builder) readSupposition() error {
	at, ok := b.supposition()
	if !ok {
		return nil
	}
	inside, outside := split(b.s, at)
	changes := b.changes(inside)
	if len(changes) == 0 {
		return b.withoutChange(inside)
	}
	if inside.has("stop") {
		return b.refuse(Unknown, "This supposes that something stops and that something else changes, which cannot be computed together.")
	}
	ofStock := b.x.source.Kind == schema.Stocklist && (b.x.can(plan.StockValue) || b.x.can(plan.RetailValue))
	if b.x.source.Kind != schema.Purchases && !b.x.can(plan.Revenue) && !ofStock {
		return b.refuse(Missing, "What follows from a change needs sales, which %s %s not have, so this cannot be computed.", b.x.source.Name, b.agreeing("does", "do"))
	}
	for i, n := range changes {
		clause := at
		if len(changes) > 1 {
			if clause, ok = b.clauseOf(at, changes, i); !ok {
				return b.refuse(Unknown, "This supposes more than one change, and it is not clear which words are of which, so it cannot be computed.")
			}
		}
		w, err := b.whatIf(inside, clause, n)
		if err != nil {
			return err
		}
		b.p.WhatIf = append(b.p.WhatIf, w)
	}
	outside.suppositionOf = &inside
	b.s = outside
	if ofStock {
		return b.supposeStock()
	}
	if len(outside.figures) == 0 && len(outside.counts) == 0 {
		if len(changes) == 1 && b.p.WhatIf[0].Change == plan.Costs {
			b.addMeasure(plan.Measure{Metric: plan.Profit})
			return nil
		}
		b.addMeasure(plan.Measure{Metric: b.defaultMetric()})
		b.addIfGiven(plan.Profit)
	}
	return nil
}

// supposeStock makes the value of the stock what a change is asked of: at selling prices where these
// change, else at cost.
func (b *builder) supposeStock() error {
	value := plan.StockValue
	if b.phraseOf("at cost", "worth at cost", "cost value") { // what suppliers charge
		for i := range b.p.WhatIf {
			b.p.WhatIf[i].Change = plan.Costs
		}
	}
	if slices.ContainsFunc(b.p.WhatIf, func(w plan.WhatIf) bool { return w.Change == plan.Price }) {
		value = plan.RetailValue
	}
	isStock := func(f figure) bool {
		return f.column == nil && slices.Contains([]plan.Metric{plan.StockUnits, plan.StockValue, plan.RetailValue, plan.Cost, plan.AveragePrice}, f.metric)
	}
	if slices.ContainsFunc(b.s.figures, func(f figure) bool { return !isStock(f) }) || len(b.s.counts) > 0 || !b.x.can(value) || value == plan.StockValue && plan.StockValuedAt(b.x.source) != "at cost" {
		return b.refuse(Unknown, "What a change of this leads to does not follow from the data, so it cannot be computed.")
	}
	if w := b.p.WhatIf; len(w) == 1 && len(b.s.where) == 0 {
		for _, f := range w[0].Scope {
			b.p.Where = addFilter(b.p.Where, f) // the goods of which a price changes
		}
	}
	b.s.figures = nil
	b.s.marks = slices.DeleteFunc(slices.Clone(b.s.marks), func(m mark) bool { return m.sense == "sell" || m.sense == "money" })
	b.addMeasure(plan.Measure{Metric: value})
	return nil
}

// clauseOf returns the words of a supposition that are of one of its changes: up to the
// "and" before the next.
func (b *builder) clauseOf(at span, changes []link.Mention, i int) (span, bool) {
	joint := func(n int) int { // between change n and the next
		for k := changes[n].To; k < changes[n+1].From; k++ {
			if b.wordAt(k, "and", "but", "while") {
				return k
			}
		}
		return -1
	}
	if i > 0 {
		at.from = joint(i - 1)
	}
	if i < len(changes)-1 {
		at.to = joint(i)
	}
	return at, at.from >= 0 && at.to > at.from
}

// supposition returns the words of the supposition: from "if" to "would" or "what", or a
// command such as "raise prices 5 %".
func (b *builder) supposition() (span, bool) {
	if m := b.s.find("if"); m != nil {
		at := span{m.from, len(b.tokens)}
		for i := m.to + 1; i < len(b.tokens); i++ {
			if b.wordAt(i, "what", "would", "how", "which", "could") {
				at.to = i
				break
			}
		}
		return at, true
	}
	change := b.s.find("grown", "shrunk")
	if change == nil || len(b.percents(b.s)) == 0 || b.s.has("versus", "which") && !b.s.has("would") || len(b.s.bounds) > 0 {
		return span{}, false
	}
	if would := b.s.find("would"); would != nil && would.from < change.from {
		return span{would.to, len(b.tokens)}, true
	}
	return span{0, len(b.tokens)}, change.from <= 1 || b.s.has("would")
}

// split returns the parts of a sketch within some words and outside.
func split(s sketch, at span) (inside, outside sketch) {
	in := func(p span) bool { return p.from >= at.from && p.from < at.to }
	outside = s
	inside.figures, outside.figures = cut(s.figures, func(f figure) bool { return in(f.span) })
	inside.names, outside.names = cut(s.names, func(n name) bool { return in(n.span) })
	inside.groups, outside.groups = cut(s.groups, func(g group) bool { return in(g.span) })
	inside.where, outside.where = cut(s.where, func(f cond) bool { return in(f.span) })
	inside.bounds, outside.bounds = cut(s.bounds, func(o bound) bool { return in(o.span) })
	inside.counts, outside.counts = cut(s.counts, func(n count) bool { return in(n.span) })
	inside.marks, outside.marks = cut(s.marks, func(m mark) bool { return in(m.span) })
	inside.numbers, outside.numbers = cut(s.numbers, func(m link.Mention) bool { return in(span{m.From, m.To}) })
	return inside, outside
}

// cut returns the elements that pass and those that do not.
func cut[T any](all []T, passes func(T) bool) (in, out []T) {
	for _, one := range all {
		if passes(one) {
			in = append(in, one)
		} else {
			out = append(out, one)
		}
	}
	return in, out
}

// percents returns the percentages of a sketch.
func (b *builder) percents(s sketch) []link.Mention {
	in, _ := cut(s.numbers, func(m link.Mention) bool { return m.Unit == link.Percent })
	return in
}

// changes returns the numbers by which something is supposed to change: percentages, else
// amounts.
func (b *builder) changes(s sketch) []link.Mention {
	if all := b.percents(s); len(all) > 0 {
		return all
	}
	for _, m := range s.marks {
		switch text := b.tokens[m.from].Lemma; {
		case m.sense == "grown" && text == "double":
			return []link.Mention{{From: m.from, To: m.to, Number: 100, Unit: link.Percent}}
		case m.sense == "shrunk" && text == "halve":
			return []link.Mention{{From: m.from, To: m.to, Number: 50, Unit: link.Percent}}
		}
	}
	in, _ := cut(s.numbers, func(m link.Mention) bool { return m.Unit == link.Money || m.Unit == link.Plain && asksPrice(s) })
	return in
}

// asksPrice reports whether a sketch names prices.
func asksPrice(s sketch) bool {
	isPrice := func(f figure) bool {
		return f.column != nil && f.column.Role == "price" || f.metric == plan.AveragePrice
	}
	return s.has("price") || slices.ContainsFunc(s.figures, isPrice) || slices.ContainsFunc(s.names, func(n name) bool { return n.role == "price" })
}

// whatIf returns the change that a clause of a supposition makes.
func (b *builder) whatIf(of sketch, clause span, n link.Mention) (plan.WhatIf, error) {
	s, _ := split(of, clause)
	says := slices.ContainsFunc(b.tokens[clause.from:clause.to], func(t link.Token) bool {
		return slices.Contains([]string{"off", "charged", "charge", "prices", "price", "put"}, t.Text)
	})
	w := plan.WhatIf{Percent: n.Number}
	if n.Unit != link.Percent {
		w.Percent, w.Amount = 0, n.Number
	}
	names := func(metrics ...plan.Metric) bool {
		return slices.ContainsFunc(s.figures, func(f figure) bool { return f.column == nil && slices.Contains(metrics, f.metric) })
	}
	switch {
	case names(plan.Discounts) && s.has("grown", "shrunk"), names(plan.Profit, plan.Margin, plan.Taxes, plan.ShippingPaid):
		return w, b.refuse(Unknown, "What a change of this leads to does not follow from the data, so it cannot be computed.")
	case asksPrice(s) || names(plan.Discounts) || says:
		w.Change = plan.Price
	case names(plan.Cost) || slices.ContainsFunc(s.figures, func(f figure) bool { return f.column != nil && f.column.Role == "unit_cost" }):
		w.Change = plan.Costs
	case len(b.p.WhatIf) > 0 && !s.has("sell", "buy") && !names(plan.Revenue, plan.Units, plan.Orders):
		w.Change = b.p.WhatIf[0].Change // raise coffee prices by 5 % and assam by 10 %
	case b.x.source.Kind == schema.Stocklist:
		w.Change = plan.Costs
	default:
		w.Change = plan.Volume
	}
	if b.goesDown(s, n) {
		w.Percent, w.Amount = -w.Percent, -w.Amount
	}
	if w.Amount != 0 && w.Change == plan.Volume {
		return w, b.refuse(Unknown, "A change of sales must be given in per cent, so this cannot be answered.")
	}
	for _, f := range s.where {
		if f.Op != plan.In {
			return w, b.refuse(Unknown, "It is not clear what is left as it is in this supposition, so it cannot be computed.")
		}
		w.Scope = addFilter(w.Scope, f.Filter)
		b.noteValue(f)
	}
	refers := slices.ContainsFunc(b.tokens[clause.from:clause.to], func(t link.Token) bool {
		return slices.Contains([]string{"their", "its", "them", "it", "those", "these"}, t.Text)
	})
	if n := len(b.p.WhatIf); refers && n > 0 && len(w.Scope) == 0 {
		w.Scope = b.p.WhatIf[n-1].Scope
	}
	return w, nil
}

// goesDown reports whether a change is a decrease, by the word nearest to the number.
func (b *builder) goesDown(s sketch, n link.Mention) bool {
	down, dist := false, len(b.tokens)
	for _, m := range s.marks {
		if d := max(m.from-n.From, n.From-m.from); (m.sense == "grown" || m.sense == "shrunk") && d < dist {
			down, dist = m.sense == "shrunk", d
		}
	}
	if s.rank != nil || b.wordAt(n.To, "more", "extra") {
		return false
	}
	if b.wordAt(n.To, "less", "fewer", "off", "discount") {
		return true
	}
	return down
}

// withoutChange accepts "what would profit be without Walmart" and "if we stopped selling
// tea" as a question without those rows, and refuses other suppositions.
func (b *builder) withoutChange(s sketch) error {
	excludes := func(f cond) bool { return f.Op == plan.NotIn }
	if slices.ContainsFunc(b.s.where, excludes) {
		return nil
	}
	if b.hasWord("stopped", "stop", "dropped", "drop", "lost", "closed", "close") && len(s.where) > 0 {
		b.s.where = slices.Clone(b.s.where)
		for i, f := range b.s.where {
			if slices.ContainsFunc(s.where, func(g cond) bool { return g.span == f.span }) {
				b.s.where[i].Op = plan.NotIn
			}
		}
		b.s.marks = slices.DeleteFunc(slices.Clone(b.s.marks), func(m mark) bool { return m.sense == "shrunk" || m.sense == "if" })
		return nil
	}
	return b.refuse(Unknown, "What is supposed does not say by how many per cent something changes, so it cannot be computed.")
}
