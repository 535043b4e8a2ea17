package read

import (
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// readCount reads "how many"; false if the words after it do not show what.
func (r *reading) readCount(i int) bool {
	m, j := r.after(i, different, link, by, money, single, top, bottom)
	if j >= 0 && m.kind == value {
		if next, k := r.after(j, value, different, link); k >= 0 && (next.kind == metric || next.kind == dim && r.hasColumn(next)) && r.marks[k].from-r.marks[j].to <= 1 {
			m, j = next, k
		}
	}
	if j >= 0 && m.kind == column && isFlag(r.x.source.Columns[m.column]) {
		if m, j = r.after(j, different, link); j < 0 {
			return r.countThings()
		}
	}
	if j < 0 {
		return false
	}
	switch m.kind {
	case metric:
		return r.countMetric(m, j)
	case dim, column:
		return r.countNames(m, j)
	case value:
		r.addMeasure(plan.Measure{Metric: r.countOfValue(m)})
		return true
	case unit:
		r.consume(j)
		h, ok := r.timeHeading(m.part)
		if ok {
			r.p.By = []plan.Dimension{{Column: h, Part: m.part}}
			r.p.Count = true
			r.addMeasure(plan.Measure{Metric: r.defaultMetric()})
		}
		return ok
	case soldOut, lowStock, price, comparison:
		return r.countThings()
	}
	return false
}

func (r *reading) hasColumn(m mark) bool {
	_, ok := r.columnOf(m)
	return ok
}

func (r *reading) countMetric(m mark, j int) bool {
	r.consume(j)
	if k := r.find(j, metric); k >= 0 && r.marks[k].metric == plan.OnOrder || k >= 0 && m.metric == plan.Units && r.marks[k].metric == plan.StockUnits {
		m = r.consume(k)
	}
	switch m.metric {
	case plan.Revenue:
		m.metric = plan.Orders
	case plan.StockUnits:
		if r.x.source.Kind == schema.Stocklist && !r.has(value) && r.hasWord("product", "products") {
			return r.countThings()
		}
	}
	r.addMeasure(plan.Measure{Metric: m.metric})
	if r.has(average) {
		r.readPer(&r.p.Measures[0])
	}
	return true
}

// countNames counts the different values of a column. Products that were sold are counted
// in units unless the question says "different".
func (r *reading) countNames(m mark, j int) bool {
	c, ok := r.columnOf(m)
	if m.kind == dim && m.role == schema.Customer || ok && r.x.source.Columns[c].Role == schema.Customer {
		r.consume(j)
		if next, k := r.after(j); k >= 0 && next.kind == metric && (next.metric == plan.RepeatCustomers || next.metric == plan.NewCustomers) {
			m.metric = next.metric
			r.consume(k)
			r.addMeasure(plan.Measure{Metric: m.metric})
			return true
		}
		if r.hasBound() {
			return r.countGroups(r.x.source.Columns[c].Heading)
		}
		r.addMeasure(plan.Measure{Metric: plan.Customers})
		return true
	}
	if !ok {
		return false
	}
	if k := r.find(j, metric); k >= 0 && r.marks[k].metric == plan.OnOrder && r.x.can(plan.OnOrder) && !r.has(different) {
		r.consume(j)
		r.consume(k)
		r.addMeasure(plan.Measure{Metric: plan.OnOrder})
		return true
	}
	col := r.x.source.Columns[c]
	if len(r.p.WhatIf) == 0 && (col.Role == schema.Product || col.Role == schema.None && col.Type == schema.Text) && r.soldPieces(j) {
		r.consume(j)
		r.addMeasure(plan.Measure{Metric: plan.Units})
		return true
	}
	if col.Type == schema.Number && m.kind == column {
		if isFlag(col) {
			return false
		}
		r.consume(j)
		r.addMeasure(plan.Measure{Metric: plan.Sum, Column: col.Heading})
		return true
	}
	r.consume(j)
	if r.hasBound() {
		return r.countGroups(col.Heading)
	}
	r.addMeasure(plan.Measure{Metric: plan.Distinct, Column: col.Heading})
	return true
}

// countGroups counts the values of a column whose figure meets the bound.
func (r *reading) countGroups(heading string) bool {
	r.p.By = []plan.Dimension{{Column: heading}}
	r.p.Count = true
	r.boundedMeasure()
	return true
}

// soldPieces reports whether units are counted, as in "how many items did we sell", and
// not products, as in "how many products do we sell".
func (r *reading) soldPieces(j int) bool {
	if r.has(different) || r.hasBound() || !r.x.can(plan.Units) {
		return false
	}
	return r.hasWord("sold", "did", "bought", "purchased", "shifted") || r.has(series) || r.has(by) && r.has(unit)
}

// hasBound reports whether a number bounds a figure.
func (r *reading) hasBound() bool {
	i := r.find(0, comparison)
	if i < 0 {
		return r.has(loss)
	}
	return r.find(i, number) >= 0 || i > 0 && r.find(0, number) >= 0
}

func (r *reading) boundedMeasure() {
	if r.has(loss) {
		r.addMeasure(plan.Measure{Metric: plan.Profit})
		return
	}
	if i := r.find(0, comparison); i >= 0 {
		if j := r.boundNumber(i); j >= 0 && (strings.HasPrefix(r.marks[i].text, "cost") || strings.HasPrefix(r.marks[i].text, "pric")) {
			m, _ := r.boundMetric(i, j)
			r.addMeasure(m)
			return
		}
	}
	if i := r.find(0, metric); i >= 0 {
		r.addMeasure(plan.Measure{Metric: r.marks[i].metric})
		return
	}
	if i := r.find(0, number); i >= 0 && r.marks[i].number.kind == moneyNumber && r.x.can(plan.Revenue) {
		r.addMeasure(plan.Measure{Metric: plan.Revenue})
		return
	}
	if r.has(price) {
		if h, ok := r.heading(schema.Price); ok {
			r.addMeasure(plan.Measure{Metric: plan.Average, Column: h})
			return
		}
	}
	if r.x.source.Kind == schema.Stocklist {
		r.addMeasure(plan.Measure{Metric: plan.StockUnits})
		return
	}
	m := plan.Units
	if !r.x.can(m) {
		m = r.defaultMetric()
	}
	r.addMeasure(plan.Measure{Metric: m})
}

// countOfValue returns the metric that counts a value: units of what is sold, or orders.
func (r *reading) countOfValue(m mark) plan.Metric {
	if r.x.source.Kind == schema.Stocklist && !r.has(sell) {
		return plan.StockUnits
	}
	switch r.x.source.Columns[m.column].Role {
	case schema.Product, schema.Category, schema.Brand, schema.SKU:
		return plan.Units
	}
	if r.has(sell) && r.x.can(plan.Units) {
		return plan.Units
	}
	return plan.Orders
}

// countThings counts the products that pass the filters.
func (r *reading) countThings() bool {
	h, ok := r.productHeading()
	if ok {
		r.addMeasure(plan.Measure{Metric: plan.Distinct, Column: h})
	}
	return ok
}
