package certain

import (
	"reflect"
	"slices"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// figures are names of what is measured.
func figures(a *account, at int) (found []phrase) {
	for _, m := range a.linked(at, link.Metric, link.Column, link.Dim) {
		if m.Metric == plan.StockUnits && at > 0 && a.says(at-1, "we", "i", "you") > 0 {
			continue // how many teas do we stock: kinds or pieces
		}
		for i, have := range a.p.Measures {
			if parts := a.named(m, i, have); parts != 0 {
				found = append(found, phrase{m.To, parts})
			}
		}
	}
	ofOrders := func(m link.Mention) bool { return m.Metric == plan.Orders || m.Role == schema.Order }
	if of := a.p.Measures[0].Metric; (of == plan.CancelledOrders || of == plan.CancellationRate) && slices.ContainsFunc(a.linked(at, link.Metric, link.Dim), ofOrders) {
		found = append(found, phrase{to: at + 1})
	}
	isRow := func(m link.Mention) bool { return m.Sense == "row" }
	if slices.ContainsFunc(a.linked(at, link.Word), isRow) {
		parts := a.claims(func(p part) bool {
			m := a.p.Measures[p.index]
			return (m.Metric == plan.Rows || m.Metric == plan.Orders) && !a.leavesOut(m)
		}, figure)
		found = append(found, phrase{at + 1, parts})
	}
	return found
}

// named returns the parts of measure i that a mention names.
func (a *account) named(m link.Mention, i int, have plan.Measure) claim {
	parts := a.claim(part{kind: figure, index: i})
	if m.Kind != link.Metric {
		if m.Column != nil && m.Column.Heading == have.Column && have.Since == "" && !a.leavesOut(have) {
			return parts
		}
		return 0
	}
	if !a.isClear(m, have) {
		return 0
	}
	plain := have
	plain.Fold = ""
	if m.Per == "" {
		plain.Per = ""
	} else if m.Per == have.Per {
		parts |= a.claim(part{kind: per, index: i}) | a.claim(part{kind: fold, index: i})
	}
	if !a.isSame(plan.Measure{Metric: m.Metric, Per: m.Per}, plain) {
		return 0
	}
	return parts
}

// isSame reports whether two measures have one formula.
func (a *account) isSame(m, n plan.Measure) bool {
	if m.Equal(n) {
		return true
	}
	f, err := plan.FormulaOf(a.s, m)
	g, failed := plan.FormulaOf(a.s, n)
	return err == nil && failed == nil && reflect.DeepEqual(f, g)
}

// valuations are words for the price at which a stock is valued.
func valuations(a *account, at int) (found []phrase) {
	main := a.p.Measures[0].Metric
	price := map[plan.Metric]schema.Role{plan.RetailValue: schema.Price, plan.StockValue: schema.UnitCost}[main]
	if _, known := a.s.ByRole(price); price == schema.None || !known {
		return nil
	}
	says := func(m link.Mention) bool {
		return m.Role == price || m.Sense == "valued" && m.Arg == string(price) || price == schema.UnitCost && m.Metric == plan.Cost
	}
	for _, m := range a.linked(at, link.Metric, link.Dim, link.Word) {
		ofStock := m.Metric == plan.StockUnits || m.Metric == plan.StockValue
		switch {
		case says(m):
			found = append(found, phrase{to: m.To})
		case ofStock && slices.ContainsFunc(a.sure, func(row []link.Mention) bool { return slices.ContainsFunc(row, says) }):
			found = append(found, phrase{m.To, a.claim(part{kind: figure})})
		}
	}
	return found
}

// folds are words for how values become one figure.
func folds(a *account, at int) (found []phrase) {
	for _, m := range a.linked(at, link.Fold) {
		parts := a.claims(func(p part) bool { return a.folds(m.Sense, a.p.Measures[p.index]) }, fold)
		if parts != 0 || m.Sense == "sum" && a.addsUp() {
			found = append(found, phrase{m.To, parts})
		}
	}
	return found
}

// folds reports whether a word for a fold says that of a measure.
func (a *account) folds(sense link.Sense, m plan.Measure) bool {
	switch sense {
	case "mean":
		return m.Metric == plan.Average && m.Fold == "" || m.Per != "" && (m.Fold == "" || m.Fold == plan.FoldMean)
	case "median":
		return m.Fold == plan.FoldMedian
	case "least":
		return m.Metric == plan.Least
	case "most":
		return m.Metric == plan.Most
	}
	return false
}

// addsUp reports whether the figures are sums or counts.
func (a *account) addsUp() bool {
	return !slices.ContainsFunc(a.p.Measures, func(m plan.Measure) bool {
		f, err := plan.FormulaOf(a.s, m)
		return err != nil || !f.Additive()
	})
}

// counts are "how many", "number of" and "how much" before what they are of.
func counts(a *account, at int) (found []phrase) {
	all := a.claims(func(part) bool { return true }, count)
	for _, m := range a.linked(at, link.Word, link.Fold) {
		switch {
		case m.Sense == "howmany" && a.isGroup(m.To):
			found = append(found, phrase{to: m.To}) // the number of cylinders, which is a column
		case m.Sense == "howmany" && (all != 0 || a.isCount()):
			found = append(found, phrase{m.To, all | a.pieces(m.To)})
		case m.Sense == "count" && a.isCount():
			found = append(found, phrase{m.To, all | a.claims(func(p part) bool { return a.p.Measures[p.index].Metric == plan.Rows }, figure)})
		case m.Sense == "different" && (all != 0 || len(a.p.By) > 0):
			found = append(found, phrase{m.To, all})
		case m.Sense == "howmuch" && m.Arg == "" && a.isAmount(), m.Sense == "money" && a.isAmount():
			found = append(found, phrase{to: m.To})
		}
	}
	return found
}

// isGroup reports whether the words at a token are the heading of a column of numbers that makes
// groups.
func (a *account) isGroup(at int) bool {
	return slices.ContainsFunc(a.linked(at, link.Column), func(m link.Mention) bool {
		return m.Column.Type == schema.Number && slices.ContainsFunc(a.p.By, func(d plan.Dimension) bool { return d.Column == m.Column.Heading })
	})
}

// goods are the roles of what a shop sells.
var goods = []schema.Role{schema.Product, schema.SKU, schema.Category, schema.Brand}

// pieces returns the figure if it is of units and the words at a token are goods: how many lattes,
// how many items.
func (a *account) pieces(at int) claim {
	main := a.p.Measures[0].Metric
	isGoods := slices.ContainsFunc(a.linked(a.skip(at), link.Value, link.Dim), func(m link.Mention) bool {
		return m.Column != nil && slices.Contains(goods, m.Column.Role) || m.Role == schema.Product
	})
	if !isGoods || main != plan.Units {
		return 0
	}
	return a.claim(part{kind: figure})
}

// isCount reports whether the first figure counts.
func (a *account) isCount() bool {
	return a.p.Unit(a.s, 0) == schema.Count
}

// isAmount reports whether the first figure is an amount.
func (a *account) isAmount() bool {
	unit := a.p.Unit(a.s, 0)
	return unit == schema.Money || unit == schema.Plain && a.p.Measures[0].Metric == plan.Sum
}

// shares are words for a share.
func shares(a *account, at int) (found []phrase) {
	parts := a.claim(part{kind: share}) | a.claims(func(p part) bool { return a.p.Derived[p.index].Kind == plan.ShareOf }, derived)
	isRate := slices.ContainsFunc(a.p.Measures, func(m plan.Measure) bool { return m.Metric == plan.Margin || m.Metric == plan.CancellationRate })
	for _, m := range a.linked(at, link.Word) {
		if m.Sense == "share" && (parts != 0 || isRate) {
			found = append(found, phrase{m.To, parts})
		}
		if sums := a.claims(func(p part) bool { return a.p.Derived[p.index].Kind == plan.Running }, derived); m.Sense == "running" && sums != 0 {
			found = append(found, phrase{m.To, sums})
		}
	}
	return found
}

// pairs are words between two figures that a third is made of.
func pairs(a *account, at int) (found []phrase) {
	kinds := map[link.Sense]plan.Derivation{"ratio": plan.Ratio, "plus": plan.Total, "minus": plan.Difference, "difference": plan.Difference, "by": plan.Ratio}
	for _, m := range a.linked(at, link.Word) {
		kind, ok := kinds[m.Sense]
		if parts := a.claims(func(p part) bool { return a.p.Derived[p.index].Kind == kind }, derived); ok && parts != 0 {
			found = append(found, phrase{m.To, parts})
		}
	}
	return found
}

// suppositions are words for a change that is supposed.
func suppositions(a *account, at int) (found []phrase) {
	if len(a.p.WhatIf) == 0 {
		return nil
	}
	if slices.Contains([]string{"if", "suppose", "supposing", "would", "more", "less"}, a.Tokens[at].Text) {
		found = append(found, phrase{to: at + 1})
	}
	for _, m := range a.linked(at, link.Word, link.Number) {
		isSaid := func(p part) bool {
			w := a.p.WhatIf[p.index]
			of := map[plan.Change]string{plan.Price: "price", plan.Costs: "cost"}[w.Change]
			named := of == "" || slices.ContainsFunc(a.Tokens, func(t link.Token) bool { return t.Lemma == of })
			return named && w.Amount == 0 && max(w.Percent, -w.Percent) == m.Number && m.Unit == link.Percent && a.turns(w.Percent > 0)
		}
		switch {
		case m.Kind == link.Number:
			if parts := a.claims(isSaid, change); parts != 0 {
				found = append(found, phrase{m.To, parts})
			}
		case m.Sense == "grown" || m.Sense == "shrunk":
			found = append(found, phrase{to: m.To})
		}
	}
	return found
}

// turns reports whether the words of change say up, or down, and never the other.
func (a *account) turns(up bool) bool {
	says := func(senses ...link.Sense) bool {
		return slices.ContainsFunc(a.sure, func(row []link.Mention) bool {
			return slices.ContainsFunc(row, func(m link.Mention) bool { return slices.Contains(senses, m.Sense) })
		})
	}
	rises, falls := says("grown", "more"), says("shrunk", "less")
	return up && rises && !falls || !up && falls && !rises
}
