package read

import (
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// resolveFigures reads "sales" as units if the data have no money, and "units" as stock in
// a stock list.
func (r *reading) resolveFigures() {
	for i := range r.marks {
		m := &r.marks[i]
		if m.kind != metric || r.x.can(m.metric) {
			continue
		}
		last := r.ts[m.to-1].stem
		switch {
		case m.metric == plan.Cover:
			m.sense = sense{kind: unavailable, arg: "days of cover, which need sales and stock together"}
		case m.metric == plan.Revenue && last == "sale" && r.x.can(plan.Units) && !r.has(money):
			m.metric = plan.Units
			r.note("There are no prices in " + r.x.source.Name + ", so sales are counted in units.")
		case m.metric == plan.Units && r.x.can(plan.StockUnits) && !r.has(sell):
			m.metric = plan.StockUnits
		}
	}
}

// resolveRatings reads "best rated" as the column of ratings, if there is one.
func (r *reading) resolveRatings() {
	for i := range r.marks {
		m := &r.marks[i]
		if m.kind != rating {
			continue
		}
		m.sense = sense{kind: unavailable, arg: "satisfaction"}
		for c, have := range r.x.source.Columns {
			if have.Role == schema.Rating {
				order := sense{kind: top}
				if wordIs(r.ts, m.from, "lowest", "worst") {
					order.kind = bottom
				}
				m.sense, m.column = sense{kind: column}, c
				if m.to-m.from > 1 {
					r.marks = slices.Insert(r.marks, i, mark{from: m.from, to: m.from + 1, sense: order, text: r.ts[m.from].text})
				}
				break
			}
		}
	}
}

// resolveArticles reads "a" as "per" only before a unit of time: $500 a day.
func (r *reading) resolveArticles() {
	for i := range r.marks {
		m := &r.marks[i]
		if m.kind != by || m.text != "a" && m.text != "an" {
			continue
		}
		if next, j := r.after(i); j != i+1 || next.kind != unit {
			m.kind = harmless
		}
	}
}

// resolvePieces reads "items" as units if the data name no products.
func (r *reading) resolvePieces() {
	if !r.x.can(plan.Units) {
		return
	}
	_, named := r.x.role(schema.Product)
	for i := range r.marks {
		m := &r.marks[i]
		if m.kind == unit && strings.HasSuffix(m.text, "times") && i >= 2 && r.boundBefore(i-1) {
			m.sense = sense{kind: metric, metric: plan.Orders}
			continue
		}
		c, ok := r.columnOf(*m)
		if !(m.kind == dim && m.role == schema.Product) && !(ok && r.x.source.Columns[c].Role == schema.Product) {
			continue
		}
		prev, _ := r.before(i)
		first := r.find(0, dim, column)
		if (prev.kind == bestSeller || prev.kind == worstSeller) && first >= 0 && first < i && prev.from > r.marks[first].from {
			m.sense = sense{kind: metric, metric: plan.Units}
			continue
		}
		if prev.kind == top && i >= 2 && (prev.text == "most" || prev.text == "fewest" || prev.text == "more") {
			continue
		}
		if !named && (prev.kind == howMany || r.has(perOrder)) || prev.kind == number && i >= 2 && r.boundBefore(i) {
			m.sense = sense{kind: metric, metric: plan.Units}
		}
	}
}

// resolveValues decides which column each value belongs to. A heading beside it decides:
// the West region, category coffee.
func (r *reading) resolveValues() {
	for i := range r.marks {
		m := &r.marks[i]
		if m.kind != value {
			continue
		}
		named := map[int]bool{}
		for _, j := range []int{i - 1, i + 1} {
			if j >= 0 && j < len(r.marks) {
				if c, ok := r.columnOf(r.marks[j]); ok && r.isValueOf(m, c) && !(j > i && r.isPlural(r.marks[j])) {
					named[c] = true
					r.marks[j].kind = harmless
				}
			}
		}
		for _, other := range r.marks {
			if other.kind != value || len(other.refs) == 0 || other.from == m.from {
				continue
			}
			c, only := onlyColumn(other.refs)
			if _, alone := onlyColumn(m.refs); only && !alone && r.isValueOf(m, c) {
				named[c] = true
			}
		}
		places := r.x.pickColumn(m.refs, named)
		m.column = places[0].column
		m.values = nil
		for _, p := range places {
			m.values = append(m.values, r.x.source.Columns[p.column].Values[p.value])
		}
	}
}

// isPlural reports whether a name is a plural: "Iron Maiden tracks" are no track.
func (r *reading) isPlural(m mark) bool {
	t := r.ts[m.to-1]
	return t.text != t.stem
}

// onlyColumn returns the column of values that are all in one.
func onlyColumn(places []valueRef) (int, bool) {
	first := places[0].column
	return first, !slices.ContainsFunc(places, func(p valueRef) bool { return p.column != first })
}

// isValueOf reports whether a column has the value.
func (r *reading) isValueOf(m *mark, c int) bool {
	return slices.ContainsFunc(m.refs, func(p valueRef) bool { return p.column == c })
}

// columnOf returns the index of the column that a mark names, by heading or role.
func (r *reading) columnOf(m mark) (int, bool) {
	switch m.kind {
	case column:
		return m.column, true
	case dim:
		for _, s := range append([]sense{m.sense}, m.also...) {
			i := slices.IndexFunc(r.x.source.Columns, func(c schema.Column) bool { return c.Role == s.role })
			if s.kind == dim && i >= 0 {
				return i, true
			}
		}
		return r.columnByHeadingEnd(m)
	}
	return 0, false
}

// columnByHeadingEnd finds the column of names whose heading ends in the word, if no
// column has the role: the reps of "Support Rep".
func (r *reading) columnByHeadingEnd(m mark) (int, bool) {
	if m.to == 0 || m.to > len(r.ts) {
		return 0, false
	}
	last := r.ts[m.to-1].stem
	for i, c := range r.x.source.Columns {
		words := strings.Fields(key(spaced(c.Heading)))
		if c.Type == schema.Text && c.Role == schema.None && len(words) > 0 && words[len(words)-1] == last {
			return i, true
		}
	}
	return 0, false
}
