package read

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// readFilters reads the values, weekdays, hours, states of stock and yes-or-no columns
// that the question names.
func (r *reading) readFilters() error {
	if r.comparesHours() {
		return r.refuse(Unknown, "Two times of the day cannot be set side by side in one question, so this cannot be answered. By hour they can.")
	}
	if r.asksBoughtTogether() {
		return r.refuse(Missing, "What is bought together is not computed from %s, so this cannot be answered.", r.x.source.Name)
	}
	if r.hasWord("both") && r.has(howMany) && r.has(and) && r.has(value) {
		return r.refuse(Missing, "How many have both is not computed, only how many have the one or the other, so this cannot be answered.")
	}
	r.filterByPresence()
	for i, m := range r.marks {
		if c, ok := r.blankColumn(i); ok {
			r.p.Where = addFilter(r.p.Where, plan.Filter{Column: c, Op: plan.Blank})
			continue
		}
		switch m.kind {
		case value:
			if err := r.filterByValue(i, m); err != nil {
				return err
			}
		case days:
			if r.comparesDaytypes() {
				continue
			}
			h, _ := r.timeHeading(m.piece)
			r.p.Where = addFilter(r.p.Where, plan.Filter{Column: h, Part: m.piece, Op: r.filterOp(i), Values: m.values})
		case column:
			if c := r.x.source.Columns[m.column]; isFlag(c) {
				r.p.Where = addFilter(r.p.Where, plan.Filter{Column: c.Heading, Op: plan.In, Values: []string{r.flagValue(i)}})
			}
		case soldOut, lowStock, refund, loss:
			if err := r.filterByState(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// asksBoughtTogether reports whether a question asks what is bought with a product: "what
// do people buy with coffee" is not about coffee.
func (r *reading) asksBoughtTogether() bool {
	if !r.has(which) || r.has(metric, howMany, howMuch, share, perOrder, average) {
		return false
	}
	return slices.ContainsFunc(r.marks, func(m mark) bool {
		if m.kind != value || !wordIs(r.ts, m.from-1, "with", "alongside") && !(wordIs(r.ts, m.from-1, "a", "the", "our", "their") && wordIs(r.ts, m.from-2, "with", "alongside")) {
			return false
		}
		role := r.x.source.Columns[m.column].Role
		return (role == schema.Product || role == schema.Category) && r.has(sell, bestSeller)
	})
}

// blankColumn reads "without a customer": rows whose cell in a column of names is blank.
func (r *reading) blankColumn(i int) (heading string, ok bool) {
	if m := r.marks[i]; m.kind != not || m.text != "without" && m.text != "no" && m.text != "had no" {
		return "", false
	}
	next, j := r.after(i)
	c, ok := r.columnOf(next)
	if j < 0 || !ok || r.isPlural(next) || r.has(value) || r.x.source.Columns[c].Type != schema.Text {
		return "", false
	}
	return r.x.source.Columns[c].Heading, true
}

// comparesDaytypes reports whether weekdays and weekends are compared.
func (r *reading) comparesDaytypes() bool {
	return r.hasWord("weekend", "weekends") && r.hasWord("weekday", "weekdays") && r.has(compared, or, and)
}

// comparesHours reports whether times of the day are compared.
func (r *reading) comparesHours() bool {
	n := 0
	for _, m := range r.marks {
		if m.kind == days && m.piece == plan.Hour {
			n++
		}
	}
	return n > 1 && r.has(compared, or, than, comparison, which)
}

func (r *reading) flagValue(i int) string {
	if r.filterOp(i) == plan.NotIn {
		return "0"
	}
	return "1"
}

// filterOp returns NotIn after a negation, which may apply to several values.
func (r *reading) filterOp(i int) plan.Op {
	for j := i - 1; j >= 0; j-- {
		switch k := r.marks[j].kind; k {
		case not:
			return plan.NotIn
		case harmless, and, or, value, link, dim:
		default:
			return plan.In
		}
	}
	return plan.In
}

func (r *reading) filterByValue(i int, m mark) error {
	c := r.x.source.Columns[m.column]
	f := plan.Filter{Column: c.Heading, Op: r.filterOp(i), Values: m.values}
	if len(m.values) > plan.MaxValues {
		if f.Op == plan.NotIn {
			return r.refuse(Unknown, "“%s” is part of %d values of %s in %s: too many to leave out, so this cannot be answered.",
				m.text, len(m.values), c.Heading, r.x.source.Name)
		}
		f.Op, f.Values = plan.Has, []string{m.text}
	}
	if len(r.p.WhatIf) > 0 && r.inSupposition(i) && f.Op == plan.In {
		r.p.WhatIf[0].Scope = addFilter(r.p.WhatIf[0].Scope, f)
		return nil
	}
	r.p.Where = addFilter(r.p.Where, f)
	switch _, one := onlyColumn(m.refs); {
	case f.Op == plan.Has:
		r.note(fmt.Sprintf("These are the rows whose %s has “%s” in it.", c.Heading, m.text))
	case m.loose:
		r.note(fmt.Sprintf("“%s” was taken for the %s %s.", m.text, c.Heading, someOf(m.values)))
	case !one:
		r.note(fmt.Sprintf("%s is the %s here.", m.values[0], c.Heading))
	}
	return nil
}

func someOf(values []string) string {
	if len(values) > 3 {
		return fmt.Sprintf("%s and others", strings.Join(values[:3], ", "))
	}
	return strings.Join(values, ", ")
}

// filterByPresence reads "orders with a discount" if orders are counted: rows with a
// discount. It also reads "which products are in stock": those with any.
func (r *reading) filterByPresence() {
	counted := r.find(0, howMany)
	for i, m := range r.marks {
		if m.kind != metric {
			continue
		}
		role := map[plan.Metric]schema.Role{plan.Discounts: schema.Discount, plan.ShippingPaid: schema.Shipping, plan.Taxes: schema.Tax}[m.metric]
		if h, ok := r.heading(role); ok && counted >= 0 && i > counted+1 && r.countsRows(counted) && !r.hasBound() {
			r.p.Where = addFilter(r.p.Where, plan.Filter{Column: h, Op: plan.More, Values: []string{"0"}})
			r.consume(i)
		}
		inStock := m.metric == plan.StockUnits && slices.Contains([]string{"in stock", "left in stock", "on the shelf", "on the shelves"}, m.text)
		if h, ok := r.heading(schema.Stock); ok && inStock && r.has(which, list) && !r.has(top, bottom, howMany, howMuch, comparison, average, share, by, soldOut, lowStock, expensive, cheap) {
			r.p.Where = addFilter(r.p.Where, plan.Filter{Column: h, Op: plan.More, Values: []string{"0"}})
		}
	}
}

// countsRows reports whether orders, rows or names are counted, which a figure can
// qualify.
func (r *reading) countsRows(i int) bool {
	next, j := r.after(i, different, link)
	return j >= 0 && (next.kind == metric && next.metric == plan.Orders || next.kind == dim)
}

// filterByState reads out of stock, below the reorder point, and refunded.
func (r *reading) filterByState(m mark) error {
	h, hasStock := r.heading(schema.Stock)
	other, hasReorder := r.heading(schema.Reorder)
	switch {
	case m.kind == refund:
		return r.filterByStatus(m)
	case m.kind == loss:
		return nil
	case !hasStock:
		return r.missingRole(schema.Stock)
	case m.kind == soldOut:
		r.p.Where = addFilter(r.p.Where, plan.Filter{Column: h, Op: plan.AtMost, Values: []string{"0"}})
	case r.hasBound():
		return nil
	case !hasReorder:
		return r.missingRole(schema.Reorder)
	case strings.HasPrefix(m.text, "at or below"):
		r.p.Where = addFilter(r.p.Where, plan.Filter{Column: h, Op: plan.AtMost, Other: other})
	default:
		r.p.Where = addFilter(r.p.Where, plan.Filter{Column: h, Op: plan.Less, Other: other})
	}
	return nil
}

// filterByStatus looks up the state in the rules of the source, else in the values of the
// status column.
func (r *reading) filterByStatus(m mark) error {
	if f, ok := r.stateFilter(m); ok {
		r.p.Where = addFilter(r.p.Where, f)
		return nil
	}
	c, ok := r.x.role(schema.Status)
	var values []string
	for _, v := range c.Values {
		k := key(v)
		if strings.Contains(k, m.text[:min(len(m.text), 6)]) || strings.Contains(k, "refund") && m.text != "cancelled" && m.text != "canceled" {
			values = append(values, v)
		}
	}
	if !ok || len(values) == 0 {
		if len(r.x.source.Reversals) > 0 {
			return r.refuse(Missing, "No row of %s is %s, so this cannot be answered from it.", r.x.source.Name, stateWord(m))
		}
		return r.refuse(Missing, "There is no column in %s that says what was returned, refunded or cancelled, so this cannot be answered.", r.x.source.Name)
	}
	r.p.Where = addFilter(r.p.Where, plan.Filter{Column: c.Heading, Op: plan.In, Values: values})
	if !r.has(metric, sell) {
		r.addMeasure(plan.Measure{Metric: plan.Orders})
	}
	return nil
}

// readBounds reads "over $100", "at least 10 units", "50 or more", "losing money".
func (r *reading) readBounds() error {
	if r.has(loss) {
		r.p.Having = append(r.p.Having, plan.Threshold{Measure: r.addMeasure(plan.Measure{Metric: plan.Profit}), Op: plan.Less})
	}
	for i, m := range r.marks {
		if m.kind != comparison {
			continue
		}
		j := r.boundNumber(i)
		if j < 0 {
			continue
		}
		if err := r.bound(i, j, plan.Op(m.arg)); err != nil {
			return err
		}
	}
	return nil
}

// boundNumber returns the index of the number that a comparison is about, or -1.
func (r *reading) boundNumber(i int) int {
	suffix := strings.HasPrefix(r.marks[i].text, "or ") || strings.HasPrefix(r.marks[i].text, "and ")
	if suffix {
		for j := i - 1; j >= 0 && j >= i-2; j-- {
			if r.marks[j].kind == number {
				return j
			}
		}
		return -1
	}
	if next, j := r.after(i, link); j >= 0 && next.kind == number {
		return j
	}
	return -1
}

// bound adds a threshold on groups, or a filter if nothing is grouped.
func (r *reading) bound(i, j int, op plan.Op) error {
	n := r.marks[j].number
	r.marks[j].used = true
	if n.kind == plainNumber && !r.has(metric, sell, price, expensive, cheap, column, perOrder) && r.hasWord("have", "got") && !r.x.can(plan.StockUnits) {
		return r.missingRole(schema.Stock)
	}
	target, named := r.boundMetric(i, j)
	if len(r.p.By) > 0 {
		k := 0
		if named {
			k = r.addMeasure(target)
		}
		r.p.Having = append(r.p.Having, plan.Threshold{Measure: k, Op: op, Value: n.number})
		return nil
	}
	return r.boundRows(target, op, n)
}

// boundMetric returns the figure that a bound applies to.
func (r *reading) boundMetric(i, j int) (plan.Measure, bool) {
	if next, k := r.after(j, link); k >= 0 && r.marks[k].from-r.marks[j].to <= 1 && next.kind == metric {
		return plan.Measure{Metric: next.metric}, true
	}
	if text := r.marks[i].text; strings.HasPrefix(text, "cost") || strings.HasPrefix(text, "pric") {
		if h, ok := r.heading(schema.Price); ok {
			return plan.Measure{Metric: plan.Average, Column: h}, true
		}
	}
	if prev, ok := r.before(i, link); ok && prev.kind == column && r.x.source.Columns[prev.column].Type == schema.Number {
		return plan.Measure{Metric: plan.Average, Column: r.x.source.Columns[prev.column].Heading}, true
	}
	if prev, ok := r.before(i, link); ok && prev.kind == metric && !r.has(howMany) {
		return plan.Measure{Metric: prev.metric}, true
	}
	switch r.marks[j].number.kind {
	case percentNumber:
		return plan.Measure{Metric: plan.Margin}, true
	case moneyNumber:
		if r.has(price, expensive, cheap) || r.x.source.Kind == schema.Stocklist {
			if h, ok := r.heading(schema.Price); ok {
				return plan.Measure{Metric: plan.Average, Column: h}, true
			}
		}
		return plan.Measure{Metric: plan.Revenue}, true
	}
	if len(r.p.Measures) > 0 {
		return r.p.Measures[0], true
	}
	return plan.Measure{Metric: r.defaultMetric()}, true
}

// boundRows makes a bound one of orders or of rows.
func (r *reading) boundRows(m plan.Measure, op plan.Op, n token) error {
	orders := m.Column == "" && len(r.p.Measures) > 0 && r.p.Measures[0].Metric == plan.Orders
	if order, ok := r.x.role(schema.Order); ok && orders && order.Distinct < r.x.source.Rows {
		r.p.By = []plan.Dimension{{Column: order.Heading}}
		r.p.Count = true
		if m.Metric == plan.Orders {
			m.Metric = plan.Revenue
		}
		r.p.Measures = []plan.Measure{m}
		r.p.Having = append(r.p.Having, plan.Threshold{Op: op, Value: n.number})
		return nil
	}
	if c, ok := r.boundColumn(m); ok {
		r.p.Where = addFilter(r.p.Where, plan.Filter{Column: c, Op: op, Values: []string{strconv.FormatFloat(n.number, 'f', -1, 64)}})
		return nil
	}
	return r.refuse(Unknown, "It is not clear what should be compared with %s, so this cannot be answered.", n.text)
}

// boundColumn returns the heading of the column with a figure of each row.
func (r *reading) boundColumn(m plan.Measure) (string, bool) {
	if m.Column != "" {
		return m.Column, true
	}
	if m.Metric == plan.Orders || m.Metric == plan.Distinct {
		m.Metric = plan.Revenue
	}
	terms, ok := plan.Terms(r.x.source, m.Metric)
	if ok && len(terms) == 1 && len(terms[0].Factors) == 1 {
		return terms[0].Factors[0].Heading, true
	}
	return "", false
}

// readShare decides what is the part and what is the whole.
func (r *reading) readShare() error {
	i := r.find(0, share)
	if i < 0 || r.p.Measures[0].Metric == plan.Margin {
		return nil
	}
	if r.p.Measures[0].Metric == plan.RepeatCustomers {
		if r.p.Measures = r.p.Measures[:1]; r.namesMetric(plan.Revenue, plan.Profit, plan.Orders, plan.Units) {
			return r.refuse(Unknown, "What customers who came back bought is not computed, only how many they are, so this cannot be answered.")
		}
		r.p.Share = true
		r.addMeasure(plan.Measure{Metric: plan.Customers})
		return nil
	}
	r.p.Share = true
	if len(r.p.By) > 0 && (len(r.p.Where) == 0 || r.has(by, which, rank)) {
		return nil
	}
	if len(r.p.Where) == 0 {
		r.p.Share = len(r.p.Measures) == 2
		return nil
	}
	r.p.By = nil
	base := r.baseOfShare(i)
	for _, f := range r.p.Where {
		if !slices.Contains(base, f.Column) {
			r.p.Part = append(r.p.Part, f)
		}
	}
	r.p.Where = slices.DeleteFunc(r.p.Where, func(f plan.Filter) bool { return !slices.Contains(base, f.Column) })
	if len(r.p.Part) == 0 {
		r.p.Part, r.p.Where = r.p.Where, nil
	}
	return nil
}

// namesMetric reports whether one of some figures is named.
func (r *reading) namesMetric(metrics ...plan.Metric) bool {
	return slices.ContainsFunc(r.marks, func(m mark) bool { return m.kind == metric && slices.Contains(metrics, m.metric) })
}

// baseOfShare returns the headings that restrict the whole: values between the share and
// the verb, as in "what share of sales in the West is online".
func (r *reading) baseOfShare(i int) []string {
	verb := len(r.ts)
	for j := r.marks[i].to; j < len(r.ts); j++ {
		if wordIs(r.ts, j, "is", "are", "was", "were", "come", "comes", "came", "go", "goes", "went", "made", "makes", "make", "do", "does", "did", "account", "accounts", "contribute", "contributes", "through", "from", "paid", "sold") {
			verb = j
			break
		}
	}
	var base []string
	after := false
	for _, m := range r.marks {
		if m.kind != value && m.kind != days {
			continue
		}
		if m.from > r.marks[i].from && m.from < verb {
			h := r.x.source.Columns[m.column].Heading
			if m.kind == days {
				h, _ = r.timeHeading(m.piece)
			}
			base = append(base, h)
		} else {
			after = true
		}
	}
	if !after {
		return nil
	}
	return base
}
