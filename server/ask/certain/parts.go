package certain

import (
	"slices"

	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/schema"
)

// kind is what a part of a plan is.
type kind string

// The kinds. A part is one of its kind by its index in the plan, and a value of a filter by its
// text, too.
const (
	figure    kind = "figure"    // a measure: what is measured
	fold      kind = "fold"      // how its values become one
	per       kind = "per"       // what it is divided by
	derived   kind = "derived"   // a figure made of others
	group     kind = "group"     // a dimension
	value     kind = "value"     // a value that rows must have
	without   kind = "without"   // a value that rows must not have
	condition kind = "condition" // another filter
	bound     kind = "bound"     // a threshold
	period    kind = "period"
	compare   kind = "compare"
	order     kind = "order"
	limited   kind = "limit"
	share     kind = "share"
	count     kind = "count"  // of groups or of different values
	change    kind = "change" // that is supposed
)

// part is a part of a plan that words must stand for.
type part struct {
	kind  kind
	index int
	text  string
}

// list lists the parts of the plan.
func (a *account) list() {
	p := a.p
	for i, m := range p.Measures {
		a.listMeasure(i, m)
	}
	for i, f := range a.filters() {
		a.listFilter(i, f)
	}
	for kind, n := range map[kind]int{derived: len(p.Derived), group: len(p.By), bound: len(p.Having), change: len(p.WhatIf)} {
		for i := range n {
			a.need(part{kind: kind, index: i})
		}
	}
	isUnusual := p.Limit > 1 && p.Limit != usualLimit
	for kind, has := range map[kind]bool{
		period: p.Period != nil, compare: p.Compare != nil, share: p.Share, count: p.Count, order: p.Limit > 0, limited: isUnusual,
	} {
		if has {
			a.need(part{kind: kind})
		}
	}
	a.once = a.claim(part{kind: period}) | a.claim(part{kind: compare}) | a.claim(part{kind: limited})
	a.excuse()
}

// listMeasure lists the parts of a measure.
func (a *account) listMeasure(i int, m plan.Measure) {
	a.need(part{kind: figure, index: i})
	if m.Metric == plan.Average || m.Metric == plan.Least || m.Metric == plan.Most || m.Fold != "" || m.Per != "" {
		a.need(part{kind: fold, index: i})
	}
	if m.Per != "" {
		a.need(part{kind: per, index: i})
	}
	if m.Metric == plan.Distinct {
		a.need(part{kind: count, index: i})
	}
}

// listFilter lists the parts of a filter.
func (a *account) listFilter(i int, f plan.Filter) {
	switch {
	case f.Other != "" || f.Op != plan.In && f.Op != plan.NotIn, f.Part != plan.Whole:
		a.need(part{kind: condition, index: i})
	case f.Op == plan.NotIn:
		for _, v := range f.Values {
			a.need(part{kind: without, index: i, text: v})
		}
	default:
		for _, v := range f.Values {
			a.need(part{kind: value, index: i, text: v})
		}
	}
}

// need adds a part that words must stand for.
func (a *account) need(p part) {
	a.parts = append(a.parts, p)
	if n := len(a.parts); n <= maxParts {
		a.needed |= 1 << (n - 1)
	}
}

// excuse makes parts optional that have one usual value.
func (a *account) excuse() {
	for i, m := range a.p.Measures {
		if a.isOfEach(m) {
			a.needed &^= a.claim(part{kind: fold, index: i})
		}
	}
	for i, d := range a.p.By {
		if a.isNamedOnly(d) || i == 0 && a.isOfCategory(d) {
			a.needed &^= a.claim(part{kind: group, index: i})
		}
	}
	if a.leavesOutUnfinished() {
		a.needed &^= a.claim(part{kind: period})
	}
	m := a.p.Measures[0]
	isUsual := a.s.Kind == schema.Sales && m.Metric == plan.Revenue && !slices.ContainsFunc(a.p.Where, a.isOfRows) && !a.hasRivalAmount(m)
	isDaily := len(a.p.By) > 0 && a.p.By[0].Part == plan.Daytype
	if isUsual && (m.Per == "" || isDaily) && (a.p.Compare != nil || a.p.Limit > 0 || a.hasSides()) {
		a.needed &^= a.claim(part{kind: figure}) // of what is compared or ranked where nothing is named; goods in stock are the strongest by what they are
	}
}

// isOfRows reports whether a condition is of what a row is, which is counted, and not of what sells
// or where: are walk-ins up.
func (a *account) isOfRows(f plan.Filter) bool {
	c, _ := plan.Column(a.s, f.Column)
	return f.Part == plan.Whole && slices.Contains([]schema.Role{schema.None, schema.Payment, schema.Channel, schema.Status, schema.Segment}, c.Role) && !a.hasSides()
}

// isOfEach reports whether a mean is not said to be one: the price of a product of a stock list, a
// rating.
func (a *account) isOfEach(m plan.Measure) bool {
	c, _ := plan.Column(a.s, m.Column)
	isPrice := a.s.Kind == schema.Stocklist && (c.Role == schema.Price || c.Role == schema.UnitCost)
	return m.Metric == plan.Average && (isPrice || c.Role == schema.Rating)
}

// isOfCategory reports whether ranked products are named by their category: which tea.
func (a *account) isOfCategory(d plan.Dimension) bool {
	by, _ := plan.Column(a.s, d.Column)
	return by.Role == schema.Product && a.p.Limit > 0 && slices.ContainsFunc(a.p.Where, func(f plan.Filter) bool {
		c, _ := plan.Column(a.s, f.Column)
		return c.Role == schema.Category && f.Op == plan.In
	})
}

// leavesOutUnfinished reports whether the period is that of a ranking of parts of time without the
// one that has not ended, which cannot be the lowest.
func (a *account) leavesOutUnfinished() bool {
	asked := slices.ContainsFunc(a.Times, func(m when.Mention) bool { return m.Kind == when.Period })
	return len(a.p.By) > 0 && a.p.By[0].Part.Series() && a.p.Order == plan.Lowest && !asked
}

// claim returns the set of one part; none if the plan does not have it.
func (a *account) claim(p part) claim {
	if i := slices.Index(a.parts, p); i >= 0 {
		return 1 << i
	}
	return 0
}

// filters returns the filters of Where, then those of Part and of what is supposed.
func (a *account) filters() []plan.Filter {
	all := slices.Concat(a.p.Where, a.p.Part)
	for _, w := range a.p.WhatIf {
		all = append(all, w.Scope...)
	}
	return all
}

// filter returns the filter of a part by its index.
func (a *account) filter(i int) plan.Filter { return a.filters()[i] }

// claims returns the parts of some kinds for which a test holds.
func (a *account) claims(test func(part) bool, kinds ...kind) (all claim) {
	for i, p := range a.parts {
		if slices.Contains(kinds, p.kind) && test(p) {
			all |= 1 << i
		}
	}
	return all
}
