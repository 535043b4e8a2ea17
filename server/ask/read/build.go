package read

import (
	"slices"
	"time"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// build makes the plan of the marks. Each step consumes its own marks; marks that no step
// consumes have no effect.
func (r *reading) build() error {
	if err := r.refuseUnanswerable(); err != nil {
		return err
	}
	if !r.hasSubject() {
		return r.refuse(Foreign, "This does not name a figure or a thing that is in %s, so it cannot be answered.", r.x.source.Name)
	}
	r.p.Source = r.x.source.ID
	r.resolveNumberedNames()
	if r.x.source.SoldLast != "" {
		r.p.Day = r.c.today.Format(time.DateOnly)
	}
	if r.cover {
		return r.buildCover()
	}
	steps := []func() error{r.readWhatIf, r.readPeriods, r.readFilters, r.readMeasures, r.readGroups, r.readBounds, r.readShare, r.readOrder, r.finish}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// resolveNumberedNames makes the number after a name a value of its column: employee 4.
func (r *reading) resolveNumberedNames() {
	for i := 1; i < len(r.marks); i++ {
		m := &r.marks[i]
		c, ok := r.columnOf(r.marks[i-1])
		if m.kind != number || !ok {
			continue
		}
		for _, p := range r.x.valuesByKey[m.number.stem] {
			if p.column == c {
				m.sense, m.column, m.refs = sense{kind: value}, c, []valueRef{p}
				m.values = []string{r.x.source.Columns[c].Values[p.value]}
				r.marks[i-1].kind = harmless
			}
		}
	}
}

// hasSubject reports whether the question names something of a shop.
func (r *reading) hasSubject() bool {
	if i := r.find(0, howMany); i >= 0 {
		if next, j := r.after(i); j >= 0 && next.kind == unit {
			return true
		}
	}
	return r.has(versusEarlier, metric, sell, perOrder, value, dim, column, bestSeller, worstSeller, price, expensive, cheap, soldOut, lowStock, loss, refund, runOut, unsold, slowMoving) ||
		r.has(top, bottom, trend, grown, shrunk, change, share, compared, why) && r.has(unit, series, period, days, who, where, when)
}

// find returns the index of the first mark of some kinds from i on, or -1.
func (r *reading) find(i int, kinds ...kind) int {
	for j := max(i, 0); j < len(r.marks); j++ {
		if slices.Contains(kinds, r.marks[j].kind) {
			return j
		}
	}
	return -1
}

func (r *reading) has(kinds ...kind) bool { return r.find(0, kinds...) >= 0 }

// before returns the mark before i that is neither harmless nor skipped; after returns the
// one after i.
func (r *reading) before(i int, skip ...kind) (mark, bool) {
	for j := i - 1; j >= 0; j-- {
		if k := r.marks[j].kind; k != harmless && !slices.Contains(skip, k) {
			return r.marks[j], true
		}
	}
	return mark{}, false
}

func (r *reading) after(i int, skip ...kind) (mark, int) {
	for j := i + 1; j < len(r.marks); j++ {
		if k := r.marks[j].kind; k != harmless && !slices.Contains(skip, k) {
			return r.marks[j], j
		}
	}
	return mark{}, -1
}

func (r *reading) consume(i int) mark {
	m := r.marks[i]
	r.marks[i].kind = harmless
	return m
}

func (r *reading) note(sentence string) {
	if !slices.Contains(r.notes, sentence) {
		r.notes = append(r.notes, sentence)
	}
}

func (r *reading) heading(role schema.Role) (string, bool) {
	c, ok := r.x.role(role)
	return c.Heading, ok
}

// productHeading returns the heading of the finest column of what the shop sells.
func (r *reading) productHeading() (string, bool) {
	for _, role := range []schema.Role{schema.Product, schema.SKU, schema.Category, schema.Brand} {
		if h, ok := r.heading(role); ok {
			return h, true
		}
	}
	return "", false
}

func (r *reading) addMeasure(m plan.Measure) int {
	if i := slices.IndexFunc(r.p.Measures, m.Equal); i >= 0 {
		return i
	}
	r.p.Measures = append(r.p.Measures, m)
	return len(r.p.Measures) - 1
}

// addFilter adds a filter and merges the values of filters over one column.
func addFilter(to []plan.Filter, f plan.Filter) []plan.Filter {
	for i, have := range to {
		if have.Column == f.Column && have.Part == f.Part && have.Op == f.Op && (f.Op == plan.In || f.Op == plan.NotIn) {
			for _, v := range f.Values {
				if !slices.Contains(have.Values, v) {
					to[i].Values = append(slices.Clone(to[i].Values), v)
				}
			}
			return to
		}
	}
	if slices.ContainsFunc(to, func(have plan.Filter) bool {
		return have.Column == f.Column && have.Op == f.Op && have.Other == f.Other && slices.Equal(have.Values, f.Values)
	}) {
		return to
	}
	return append(to, f)
}
