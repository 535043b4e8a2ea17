package read

import (
	"slices"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// uses reports, for words of function that change a plan, whether the plan shows it. Words
// that are not here have an effect by their production only, or none.
var uses = map[link.Sense]func(*builder) bool{
	"share":        (*builder).hasShare,
	"grown":        (*builder).hasChange,
	"shrunk":       (*builder).hasChange,
	"change":       func(b *builder) bool { return b.hasChange() || b.isTimed() || b.performs() },
	"more":         func(b *builder) bool { return b.hasChange() || b.namesColumn("more") },
	"less":         func(b *builder) bool { return b.hasChange() || b.namesColumn("less") },
	"trend":        func(b *builder) bool { return b.isTimed() || b.p.Compare != nil },
	"steps":        func(b *builder) bool { return b.p.Steps || b.p.Compare != nil },
	"running":      func(b *builder) bool { return len(b.p.Derived) > 0 },
	"ratio":        func(b *builder) bool { return len(b.p.Derived) > 0 },
	"why":          func(b *builder) bool { return b.p.Why },
	"than":         (*builder).hasChange,
	"versus":       func(b *builder) bool { return len(b.p.By) > 0 || b.hasChange() },
	"difference":   func(b *builder) bool { return len(b.p.By) > 0 || b.hasChange() },
	"relate":       (*builder).isGrouped,
	"distribution": (*builder).isGrouped,
	"rank":         (*builder).isGrouped,
	"ascending":    (*builder).isGrouped,
	"descending":   (*builder).isGrouped,
	"who":          func(b *builder) bool { return b.isGrouped() || b.ofPeople() || b.countsWho() },
	"where":        (*builder).isGrouped,
	"when": func(b *builder) bool {
		return b.isGrouped() || len(b.p.Measures) > 0 && b.p.Measures[0].Metric.AsDay()
	},
	"both":      func(b *builder) bool { return b.listsValues() || len(b.s.contrast) > 0 || len(b.p.Measures) > 1 },
	"expensive": (*builder).hasPrice,
	"supply":    (*builder).bySupplier,
	"cheap":     (*builder).hasPrice,
	"price":     (*builder).hasPrice,
	"if":        func(b *builder) bool { return len(b.p.WhatIf) > 0 || len(b.p.Where) > 0 },
	"money":     (*builder).isMoney,
	"net":       func(b *builder) bool { return b.hasWord("discount", "discounts") && len(b.notes) > 0 },
	"gross":     unused,
	"leaving":   unused,
	"taxed":     unused,
	"untaxed":   unused,
	"different": unused,
	"single":    unused,
	"same":      unused,
	"nothing":   unused,
	"other":     unused,
	"only":      unused,
	"vague":     unused,
	"before":    unused,
	"after":     unused,
	"until":     unused,
	"season":    unused,
	"times":     unused,
	"howlong":   unused,
	"howoften":  (*builder).countsOrders,
	"stop":      unused,
	"rated":     unused,
	"without":   unused,
	"enough":    unused,
}

// limiting are the words that would limit what is supposed.
var limiting = []link.Sense{"vague", "before", "after", "until", "times", "only", "other", "same", "single", "different", "without", "stop"}

func unused(*builder) bool { return false }

// countsOrders reports whether how often is answered by a number of orders.
func (b *builder) countsOrders() bool {
	return slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Metric == plan.Orders })
}

// bySupplier reports whether the plan is of suppliers, or has none, so that the shop itself supplies.
func (b *builder) bySupplier() bool {
	h, ok := b.heading(schema.Supplier)
	return !ok || (b.groupsBy(h) || slices.ContainsFunc(b.p.Where, func(f plan.Filter) bool { return f.Column == h }))
}

func (b *builder) isGrouped() bool { return len(b.p.By) > 0 }

func (b *builder) isTimed() bool {
	return slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return d.Part != plan.Whole || isYear(d.Column) })
}

func (b *builder) hasShare() bool {
	isPercent := b.hasWord("percent", "percentage", "%", "pct", "cent") && !b.hasWord("share", "proportion", "fraction")
	return b.p.Share || len(b.p.Derived) > 0 || isPercent && b.changesInPercent() || slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool {
		return m.Metric == plan.Margin || m.Metric == plan.Markup || m.Metric == plan.RefundRate || m.Metric == plan.ReturnRate || m.Metric == plan.CancellationRate
	})
}

func (b *builder) hasChange() bool {
	isDifference := func(d plan.Derived) bool { return d.Kind == plan.Difference }
	return b.p.Compare != nil || slices.ContainsFunc(b.p.Derived, isDifference) || b.p.Steps || len(b.p.WhatIf) > 0 || len(b.s.contrast) > 0 || b.listsValues() && len(b.p.By) > 0
}

func (b *builder) hasPrice() bool {
	price, _ := b.heading(schema.Price)
	if cost, ok := b.heading(schema.UnitCost); ok && (b.shopPays() || b.phraseOf("by cost")) {
		price = cost
	}
	return len(b.p.WhatIf) > 0 || b.isOrders() || slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool {
		return m.Metric == plan.AveragePrice || m.Column == price && price != ""
	})
}

// namesColumn reports whether a figure is of the column that a word such as "heavier"
// names.
func (b *builder) namesColumn(sense link.Sense) bool {
	m := b.s.find(sense)
	return m != nil && m.column != nil && slices.ContainsFunc(b.p.Measures, func(o plan.Measure) bool { return o.Column == m.column.Heading })
}

// isMoney reports whether the first figure is money.
func (b *builder) isMoney() bool {
	if len(b.p.Measures) == 0 {
		return true
	}
	f, err := plan.FormulaOf(b.x.source, b.p.Measures[0])
	return err != nil || f.Unit == schema.Money || f.Unit == schema.Plain
}

// ordersNothing reports whether a superlative has no effect.
func (b *builder) ordersNothing() bool {
	return b.s.rank != nil && !b.isGrouped() && !slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool {
		return m.Metric == plan.Least || m.Metric == plan.Most || m.Metric.AsDay()
	})
}

// readUses adds the words of function that the plan does not show to those without a use.
func (b *builder) readUses() error {
	if r := b.s.rank; r != nil && r.attribute != "" && !b.s.has("grown", "shrunk") && !(r.text == "slowest" && b.isTimed()) {
		return b.refuse(Missing, "There is nothing in %s about %s, so this cannot be answered.", b.x.source.Name, r.attribute)
	}
	if b.ordersNothing() && !b.s.has("loss") {
		b.cost += costMarkUnused
		b.s.unused = join(b.s.unused, []int{b.s.rank.from})
	}
	asksMedian := b.s.fold == "median" || slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.fold == "median" })
	if asksMedian && b.p.List == nil && !slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Fold == plan.FoldMedian }) && len(b.p.Having) == 0 {
		return b.refuse(Unknown, "The median of what is asked for cannot be computed from %s, so this cannot be answered.", b.x.source.Name)
	}
	marks := b.s.marks
	if b.s.suppositionOf != nil {
		limits, _ := cut(b.s.suppositionOf.marks, func(m mark) bool { return slices.Contains(limiting, m.sense) })
		marks = join(marks, limits)
	}
	for _, m := range marks {
		if used := uses[m.sense]; used == nil || used(b) || b.taken[m.from] {
			continue
		}
		b.cost += costMarkUnused
		for i := m.from; i < m.to; i++ {
			if !slices.Contains(b.s.unused, i) {
				b.s.unused = join(b.s.unused, []int{i})
			}
		}
	}
	return nil
}
