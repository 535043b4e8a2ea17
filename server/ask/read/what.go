package read

import (
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// readMeasures decides which figures are asked for.
func (r *reading) readMeasures() error {
	if i := r.find(0, howMany); i >= 0 && r.readCount(i) {
		return nil
	}
	if i := r.find(0, perOrder); i >= 0 {
		m := r.consume(i)
		if r.countsOrders(m) {
			r.addMeasure(plan.Measure{Metric: plan.Orders})
			r.p.Measures[0].Per = string(plan.Day)
			r.readPer(&r.p.Measures[0])
			return nil
		}
		r.addMeasure(plan.Measure{Metric: m.metric})
		r.p.Measures[0].Per = plan.PerOrder
		if !namesOrder(m.text) {
			r.readPer(&r.p.Measures[0])
		}
		return nil
	}
	if r.has(loss) {
		r.addMeasure(plan.Measure{Metric: plan.Profit})
		return nil
	}
	if r.largestOrder() || r.mostDifferent() {
		return nil
	}
	if r.has(expensive, cheap) || r.has(price) && len(r.p.WhatIf) == 0 {
		return r.readPrices()
	}
	if c, ok := r.x.role(schema.Discount); ok && r.has(average) && r.asksFor(plan.Discounts) {
		r.addMeasure(plan.Measure{Metric: plan.Average, Column: c.Heading})
		return nil
	}
	r.namedMeasures()
	if len(r.p.Measures) == 0 {
		r.impliedMeasures()
	}
	r.readAverages()
	r.noteDiscounts()
	return nil
}

// noteDiscounts notes whether revenue is before or after discounts, if the question asks
// for either.
func (r *reading) noteDiscounts() {
	text := textOf(r.ts)
	says := func(phrases ...string) bool {
		return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
	}
	net := says("after discount", "after all discount", "net of discount", "less discount", "net sales", "net revenue", "net turnover")
	gross := says("gross sales", "gross revenue", "gross turnover", "gross takings")
	if !net && !gross || r.p.Measures[0].Metric != plan.Revenue {
		return
	}
	_, off := r.x.role(schema.Discount)
	_, before := r.x.role(schema.Gross)
	if gross && slices.ContainsFunc(r.x.source.Reversals, func(rule schema.Reversal) bool { return rule.Rows > 0 }) {
		r.p.Measures[0].Metric = plan.Gross
		gross = off || before
	}
	switch {
	case !net && !gross:
	case !off && !before:
		r.note("There is no column of discounts in " + r.x.source.Name + ": this is revenue as it stands there.")
	case net:
		r.note("This is after discounts.")
	default:
		r.note("This is after discounts; revenue before them is no column of " + r.x.source.Name + ".")
	}
}

// asksFor reports whether a metric is the only one named.
func (r *reading) asksFor(m plan.Metric) bool {
	i := r.find(0, metric)
	return i >= 0 && r.marks[i].metric == m && r.find(i+1, metric) < 0
}

// mostDifferent reads "which category has the most products": the number of different
// ones.
func (r *reading) mostDifferent() bool {
	for i, m := range r.marks {
		if m.kind != top && m.kind != bottom {
			continue
		}
		next, j := r.after(i, different)
		c, ok := r.columnOf(next)
		first := r.find(0, dim, column)
		if j < 0 || !ok || first < 0 || first >= i || r.has(sell, metric) || !slices.Contains([]string{"most", "fewest", "more", "least"}, m.text) {
			continue
		}
		r.consume(j)
		r.addMeasure(plan.Measure{Metric: plan.Distinct, Column: r.x.source.Columns[c].Heading})
		return true
	}
	return false
}

// largestOrder reads "biggest sale": one order, or one row if there are no order numbers.
func (r *reading) largestOrder() bool {
	i := r.find(0, metric)
	if i < 0 || !r.has(top, bottom) || r.has(dim, unit, series, who, where, when, howMany, grown, shrunk, average) {
		return false
	}
	last := r.ts[r.marks[i].to-1].text
	if !slices.Contains([]string{"sale", "order", "transaction", "invoice", "purchase", "ticket", "basket", "receipt", "bill"}, last) {
		return false
	}
	if h, ok := r.heading(schema.Order); ok {
		r.p.By = []plan.Dimension{{Column: h}}
		r.addMeasure(plan.Measure{Metric: r.defaultMetric()})
		return true
	}
	h, ok := r.boundColumn(plan.Measure{Metric: plan.Revenue})
	if ok {
		fold := plan.Most
		if r.has(bottom) {
			fold = plan.Least
		}
		r.addMeasure(plan.Measure{Metric: fold, Column: h})
	}
	return ok
}

// countsOrders reports whether orders are counted, as in "average orders per day", and not
// averaged, as in "average order".
func (r *reading) countsOrders(m mark) bool {
	last := r.ts[m.to-1]
	return m.to-m.from == 2 && last.text != last.stem && namesOrder(m.text)
}

// namesOrder reports whether the words of an average name orders, so that "per store"
// after them makes groups.
func namesOrder(text string) bool {
	words := []string{"order", "transaction", "basket", "ticket", "invoice", "bill", "aov", "upt", "receipt", "check"}
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// namedMeasures adds the figures and columns of numbers that the question names.
func (r *reading) namedMeasures() {
	for i, m := range r.marks {
		switch m.kind {
		case metric:
			if prev, ok := r.before(i, by, link); ok && prev.kind == comparison || ok && prev.kind == number && i > 0 && r.boundBefore(i) {
				continue // part of a bound
			}
			r.addMeasure(plan.Measure{Metric: m.metric})
		case column:
			c := r.x.source.Columns[m.column]
			if c.Type != schema.Number || isFlag(c) {
				continue
			}
			r.addMeasure(plan.Measure{Metric: r.foldOf(c), Column: c.Heading})
		}
	}
	// "sales profit" and "profit on sales" mean profit.
	if r.has(metric) && len(r.p.Measures) == 2 && r.p.Measures[0].Metric == plan.Revenue && !r.has(and, compared) {
		if m := r.p.Measures[1].Metric; m != plan.Revenue && r.adjacentMetrics() {
			r.p.Measures = r.p.Measures[1:]
		}
	}
}

func (r *reading) adjacentMetrics() bool {
	i := r.find(0, metric)
	_, j := r.after(i, link, sell)
	return j >= 0 && r.marks[j].kind == metric
}

// boundBefore reports whether a comparison comes before the number before i.
func (r *reading) boundBefore(i int) bool {
	for j := i - 1; j >= 0 && j >= i-4; j-- {
		if r.marks[j].kind == comparison {
			return true
		}
	}
	return false
}

// foldOf returns the fold of a column of numbers if the question names none. Shares,
// ratings and prices have no sum.
func (r *reading) foldOf(c schema.Column) plan.Metric {
	switch {
	case r.has(average) || isRate(c.Heading) || c.Unit == schema.Percent || c.Role == schema.Rating || c.Role == schema.Price || c.Role == schema.UnitCost || c.Role == schema.LeadTime:
		return plan.Average
	case r.has(top) && !r.has(dim, which, by):
		return plan.Most
	case r.has(bottom) && !r.has(dim, which, by):
		return plan.Least
	}
	return plan.Sum
}

// isRate reports whether a heading is of something per unit, which has no sum.
func isRate(heading string) bool {
	rates := []string{"price", "rate", "rating", "score", "average", "percent", "percentage", "age", "margin", "avg"}
	return slices.ContainsFunc(strings.Fields(key(spaced(heading))), func(w string) bool { return slices.Contains(rates, w) })
}

// isFlag reports whether a column of numbers is yes or no.
func isFlag(c schema.Column) bool {
	return c.Type == schema.Truth || c.Type == schema.Number && c.Scale == 0 && c.Distinct <= 2 && c.Role == schema.None && c.Unit == schema.Plain
}

// impliedMeasures adds the figure of a question that names none.
func (r *reading) impliedMeasures() {
	x := r.x
	switch {
	case x.source.Kind == schema.Stocklist && x.can(plan.StockUnits) && !r.has(sell, bestSeller, worstSeller):
		r.addMeasure(plan.Measure{Metric: plan.StockUnits})
		return
	case r.hasWord("busiest", "quietest", "busy", "quiet", "used", "common", "frequent", "frequently", "prefer", "preferred") && x.can(plan.Orders):
		r.addMeasure(plan.Measure{Metric: plan.Orders})
		r.addIfAvailable(plan.Revenue)
		return
	}
	first, rival := plan.Revenue, plan.Units
	if x.source.Kind == schema.Purchases {
		first = plan.Cost
	}
	if r.has(bestSeller, worstSeller) && !r.has(money) && r.countsPieces() {
		first, rival = rival, first
	}
	if !x.can(first) && !r.has(money) {
		first, rival = rival, first
	}
	if !x.can(first) && x.source.Kind == schema.Sales && !r.has(money, howMuch) {
		first = plan.Orders
	}
	r.addMeasure(plan.Measure{Metric: first})
	if r.has(bestSeller, worstSeller, sell) && r.has(top, bottom, bestSeller, worstSeller) && !r.has(money) {
		r.addIfAvailable(rival)
	}
}

// countsPieces reports whether the words are about units: most popular, sold the most.
func (r *reading) countsPieces() bool {
	i := r.find(0, bestSeller, worstSeller)
	switch first := r.ts[r.marks[i].from].stem; first {
	case "most", "sold", "sell", "ordered", "bought", "move", "slow", "slowest", "least", "go", "popular", "hardly", "barely", "dead":
		return !r.hasWord("spend", "spent")
	}
	return false
}

func (r *reading) hasWord(words ...string) bool {
	return slices.ContainsFunc(r.ts, func(t token) bool { return slices.Contains(words, t.text) })
}

func (r *reading) addIfAvailable(m plan.Metric) {
	if r.x.can(m) {
		r.addMeasure(plan.Measure{Metric: m})
	}
}

// defaultMetric returns the figure of a question that names none.
func (r *reading) defaultMetric() plan.Metric {
	if r.x.source.Kind == schema.Purchases {
		return plan.Cost
	}
	for _, m := range []plan.Metric{plan.Revenue, plan.StockUnits, plan.Units, plan.Orders} {
		if r.x.can(m) {
			return m
		}
	}
	return plan.Rows
}

// readPrices reads questions about prices.
func (r *reading) readPrices() error {
	h, ok := r.heading(schema.Price)
	if !ok && !r.x.can(plan.AveragePrice) {
		return r.missingRole(schema.Price)
	}
	plain := plan.Measure{Metric: plan.Average, Column: h}
	if !ok {
		plain = plan.Measure{Metric: plan.AveragePrice}
	}
	switch {
	case r.has(expensive, cheap):
		r.addMeasure(plain)
		if len(r.p.By) == 0 && !r.has(dim, column) {
			r.groupByProduct()
		}
	case ok && r.has(top, bottom) && !r.has(dim, which):
		fold := plan.Most
		if r.has(bottom) {
			fold = plan.Least
		}
		r.addMeasure(plan.Measure{Metric: fold, Column: h})
	case r.x.source.Kind == schema.Stocklist:
		r.addMeasure(plain)
	default:
		r.addMeasure(plan.Measure{Metric: plan.AveragePrice})
		if ok {
			r.addMeasure(plain)
		}
	}
	return nil
}

func (r *reading) groupByProduct() {
	if h, ok := r.productHeading(); ok {
		r.p.By = append(r.p.By, plan.Dimension{Column: h})
	}
}

// readAverages divides a figure by what the question averages over: a unit of time, an
// order, a row, or the values of a column.
func (r *reading) readAverages() {
	m := &r.p.Measures[0]
	perA := r.articleBeforeUnit()
	if i := r.find(0, by); i >= 0 && r.marks[i].text == "per" {
		if next, _ := r.after(i); next.kind == metric && next.metric == plan.Units && m.Metric != plan.Units {
			m.Per, r.p.Measures = plan.PerUnit, r.p.Measures[:1]
			return
		}
	}
	if !r.has(average) && perA < 0 || m.Per != "" || m.Metric.OfColumn() {
		return
	}
	f, err := plan.FormulaOf(r.x.source, *m)
	if err != nil || f.Bottom != nil {
		return
	}
	m.Per = plan.PerOrder
	if !r.readPer(m) && m.Metric != plan.Units && f.Unit != schema.Money {
		m.Per = ""
	}
}

// readPer finds what an average is over; false if the question does not say.
func (r *reading) readPer(m *plan.Measure) bool {
	if r.hasWord("line", "lines", "row", "rows", "record", "records") {
		m.Per = plan.PerRow
		return true
	}
	for i, k := range r.marks {
		if k.kind == series && k.part.Series() {
			m.Per = string(r.consume(i).part)
			return true
		}
		if k.kind == series && r.p.Measures[0].Metric != plan.Orders {
			m.Per = string(plan.Day) // per Monday, and per Tuesday
			return true
		}
		prev, ok := r.before(i)
		if !ok || prev.kind != by && !(k.kind == unit && prev.kind == average) {
			continue
		}
		if r.perAt(i, prev, m) {
			return true
		}
	}
	return false
}

// perAt reads what follows "per": a unit, an order, a name.
func (r *reading) perAt(i int, prev mark, m *plan.Measure) bool {
	k := r.marks[i]
	grouped := prev.text == "by" || prev.text == "across" || prev.text == "in each" || prev.text == "by each"
	switch {
	case k.kind == unit && k.part.Series():
		m.Per = string(r.consume(i).part)
		return true
	case k.kind == unit || k.kind == series:
		m.Per = string(plan.Day)
		return true
	case k.kind == metric && (k.metric == plan.Orders || r.ts[k.to-1].text == "sale"):
		r.p.Measures = r.p.Measures[:1]
		return true
	case (k.kind == dim || k.kind == column) && !grouped:
		if c, ok := r.columnOf(k); ok && r.x.source.Columns[c].Type != schema.Number {
			m.Per = r.x.source.Columns[c].Heading
			r.consume(i)
			return true
		}
	}
	return false
}

// articleBeforeUnit returns the index of the article of "a day" or "a month", which means
// an average, or -1.
func (r *reading) articleBeforeUnit() int {
	for i, m := range r.marks {
		if m.kind == by && (m.text == "a" || m.text == "an") {
			if next, j := r.after(i); j == i+1 && next.kind == unit {
				return i
			}
		}
	}
	return -1
}

// timeHeading returns the heading of the column with a part of time.
func (r *reading) timeHeading(p plan.Part) (string, bool) {
	c, ok := plan.TimeColumn(r.x.source, p)
	return c.Heading, ok
}
