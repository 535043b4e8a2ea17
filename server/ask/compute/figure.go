package compute

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// selectFigures adds the columns of each measure: over the period, the comparison and the
// part, and over all groups if groups add up.
func (q *query) selectFigures() error {
	p := q.plan
	for _, m := range p.Measures {
		f, err := plan.FormulaOf(q.source, m)
		if err != nil {
			return err
		}
		fig := figure{percent: f.Unit == schema.Percent && f.Bottom != nil, day: m.Metric.AsDay()}
		inPeriod := ""
		if p.Compare != nil {
			inPeriod = q.periodCondition(p.Period)
			fig.before = q.quotient(f, m.Metric, q.periodCondition(p.Compare))
		}
		if len(p.Part) > 0 {
			inPeriod = conjunction(inPeriod, q.partNotBlank(p.Part))
		}
		fig.now = q.quotient(f, m.Metric, inPeriod)
		if len(p.Part) > 0 {
			fig.part = q.quotient(f, m.Metric, conjunction(inPeriod, q.conditions(p.Part)))
		}
		if len(p.By) > 0 && addsUp(f) {
			fig.total, fig.pastTotal = q.totals(fig.now), q.totals(fig.before)
		}
		q.figures = append(q.figures, fig)
	}
	return nil
}

// addsUp reports whether the tops and bottoms of groups add up to those of the whole.
func addsUp(f plan.Formula) bool {
	sums := func(fold plan.Fold) bool {
		return fold == plan.FoldSum || fold == plan.FoldRows || fold == plan.FoldMean
	}
	return sums(f.Top.Fold) && (f.Bottom == nil || sums(f.Bottom.Fold))
}

// totals returns the columns summed over all groups.
func (q *query) totals(s quotient) quotient {
	over := func(cells []cell) []cell {
		var out []cell
		for _, c := range cells {
			c.column = q.add("sum(" + q.columns[c.column] + ") OVER ()")
			out = append(out, c)
		}
		return out
	}
	return quotient{over(s.top), over(s.bottom)}
}

func conjunction(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " AND " + b
}

// quotient adds the columns of a formula over the rows that meet a condition.
func (q *query) quotient(f plan.Formula, m plan.Metric, condition string) quotient {
	if f.Bottom != nil {
		condition = conjunction(condition, notBlank(f))
	}
	ofTop := q.inScope(condition, f.Top)
	s := quotient{top: q.aggregate(f.Top, ofTop)}
	if f.Top.Fold == plan.FoldMean {
		expr, _ := q.sumOfRows(f.Top)
		s.bottom = []cell{{column: q.add(q.countOf(expr, ofTop)), factor: big.NewRat(1, 1), base: true}}
	}
	if f.Bottom != nil {
		s.bottom = q.aggregate(*f.Bottom, q.inScope(condition, *f.Bottom))
	}
	if len(q.plan.WhatIf) > 0 {
		top, bottom := deltasOf(m)
		condition = conjunction(condition, q.within(plan.NetRows)) // of all figures that change
		s.top = append(s.top, q.whatIfCells(top, condition)...)
		if len(s.bottom) > 0 {
			s.bottom = append(s.bottom, q.whatIfCells(bottom, condition)...)
		}
	}
	return s
}

// inScope adds the condition of an aggregate's rows, unless its sum is 0 in other rows.
func (q *query) inScope(condition string, a plan.Aggregate) string {
	if q.zeroed(a.Rows) && a.Fold == plan.FoldSum {
		return condition
	}
	return conjunction(condition, q.within(a.Rows))
}

// notBlank returns the condition that restricts top and bottom of a quotient to the same
// rows: if a price is blank, its units must not count; if the customer is blank, the
// amount is not spending per customer.
func notBlank(f plan.Formula) string {
	var names []string
	for _, a := range []plan.Aggregate{f.Top, *f.Bottom} {
		if a.Fold != plan.FoldSum && a.Fold != plan.FoldDistinct {
			continue
		}
		for _, t := range a.Terms {
			for _, c := range t.Factors {
				name := c.Name + " IS NOT NULL"
				if (c.Blank > 0 || c.Role == schema.StockDays) && c.Role != schema.Discount && c.Role != schema.Refund && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return strings.Join(names, " AND ")
}

func filtered(aggregate, condition string) string {
	if condition == "" {
		return aggregate
	}
	return aggregate + " FILTER (WHERE " + condition + ")"
}

func (q *query) aggregate(a plan.Aggregate, condition string) []cell {
	expr, scale := "*", 0
	if a.Part != plan.Whole {
		expr = partSQL(a.Terms[0].Factors[0], a.Part)
	} else if len(a.Terms) > 0 {
		expr, scale = q.sumOfRows(a)
	}
	switch a.Fold {
	case plan.FoldSum, plan.FoldMean:
		return q.summed(expr, condition, cell{scale: scale, factor: big.NewRat(1, 1), base: true})
	case plan.FoldLeast:
		expr = "min(" + expr + ")"
	case plan.FoldMost:
		expr = "max(" + expr + ")"
	case plan.FoldDistinct:
		expr, scale = "count(DISTINCT "+expr+")", 0
	default:
		return []cell{{column: q.add(q.rowsOf(condition)), factor: big.NewRat(1, 1), base: true}}
	}
	return []cell{{column: q.add(filtered(expr, condition)), scale: scale, factor: big.NewRat(1, 1), base: true}}
}

// wideUnit splits a sum that may exceed 64 bits.
const wideUnit = 1_000_000_000

// summed adds the sum of an expression, with the cell's scale and factor. With q.wide it
// adds two columns, one in units of wideUnit and one of the remainders, so that the sum
// stays exact. If one row's product exceeds 64 bits, SQLite makes it a REAL, which has no
// remainder.
func (q *query) summed(expr, condition string, c cell) []cell {
	if !q.wide {
		c.column = q.add(q.sumOf(expr, condition))
		return []cell{c}
	}
	high, low := c, c
	high.column = q.add(q.sumOf(fmt.Sprintf("(%s) / %d", expr, wideUnit), condition))
	high.factor = new(big.Rat).Mul(c.factor, big.NewRat(wideUnit, 1))
	low.column = q.add(q.sumOf(fmt.Sprintf("CASE typeof(%[1]s) WHEN 'integer' THEN (%[1]s) %% %[2]d ELSE 0 END", expr, wideUnit), condition))
	return []cell{high, low}
}

// delta is a metric whose change is added to a figure or, with minus, subtracted.
type delta struct {
	change plan.Change
	metric plan.Metric
	minus  bool
}

// deltas are the effects of a change of price, volume or cost on each figure (H6): a
// higher price adds to revenue, and as much to profit.
var deltas = map[plan.Metric][]delta{
	plan.Revenue: {{plan.Price, plan.Revenue, false}, {plan.Volume, plan.Revenue, false}},
	plan.Units:   {{plan.Volume, plan.Units, false}},
	plan.Cost:    {{plan.Volume, plan.Cost, false}, {plan.Costs, plan.Cost, false}},
	plan.Profit:  {{plan.Price, plan.Revenue, false}, {plan.Volume, plan.Profit, false}, {plan.Costs, plan.Cost, true}},
}

// deltasOf returns the deltas of a figure's top and bottom.
func deltasOf(m plan.Metric) (top, bottom []delta) {
	switch m {
	case plan.Margin:
		return deltas[plan.Profit], deltas[plan.Revenue]
	case plan.AveragePrice:
		return deltas[plan.Revenue], deltas[plan.Units]
	}
	return deltas[m], nil
}

// whatIfCells adds the columns by which a WhatIf changes a figure.
func (q *query) whatIfCells(ds []delta, condition string) []cell {
	w := q.plan.WhatIf[0]
	var out []cell
	for _, d := range ds {
		if d.change != w.Change {
			continue
		}
		factor, metric := new(big.Rat).Quo(decimal(w.Percent), big.NewRat(100, 1)), d.metric
		if w.Amount != 0 {
			factor, metric = decimal(w.Amount), plan.Units
		}
		terms, ok := plan.Terms(q.source, metric)
		if !ok {
			continue
		}
		if d.minus {
			factor.Neg(factor)
		}
		expr, scale := q.sumOfRows(plan.Aggregate{Fold: plan.FoldSum, Terms: terms, Rows: plan.NetRows})
		out = append(out, q.summed(expr, conjunction(condition, q.conditions(w.Scope)), cell{scale: scale, factor: factor})...)
	}
	return out
}

// decimal returns the number as written: 0.1 is exactly a tenth.
func decimal(f float64) *big.Rat {
	r, _ := new(big.Rat).SetString(fmt.Sprint(f))
	return r
}

// selectCounts adds the numbers of rows and groups.
func (q *query) selectCounts() {
	rows, past := q.rowsOf(""), "0"
	if q.plan.Compare != nil {
		rows, past = q.rowsOf(q.periodCondition(q.plan.Period)), q.rowsOf(q.periodCondition(q.plan.Compare))
	}
	q.rows, q.past, q.groups = len(q.columns), len(q.columns)+1, len(q.columns)+2
	q.columns = append(q.columns, rows, past, "count(*) OVER ()")
	if len(q.plan.By) > 0 {
		q.columns = append(q.columns, "sum("+rows+") OVER ()", "sum("+past+") OVER ()")
	}
}

// ratio returns a quotient for ORDER BY and HAVING, in whole units.
func (q *query) ratio(s quotient) string {
	side := func(cells []cell) string {
		var parts []string
		for _, c := range cells {
			f, _ := new(big.Rat).Quo(c.factor, new(big.Rat).SetInt(power(c.scale))).Float64()
			parts = append(parts, fmt.Sprintf("%s * %s", q.columns[c.column], float(f)))
		}
		return "(" + strings.Join(parts, " + ") + ")"
	}
	if len(s.bottom) == 0 {
		return side(s.top)
	}
	return side(s.top) + " / " + side(s.bottom)
}

// float returns a literal that SQL reads as REAL.
func float(f float64) string { return fmt.Sprintf("%e", f) }

func (q *query) having() string {
	var out []string
	for _, h := range q.plan.Having {
		f := q.figures[h.Measure]
		expr := q.ratio(f.now)
		if f.percent {
			expr = "100.0 * " + expr
		}
		out = append(out, fmt.Sprintf("%s %s %s", expr, h.Op, q.arg(h.Value)))
	}
	return strings.Join(out, " AND ")
}

// order returns the ORDER BY terms. Labels break ties, so that an answer is always the
// same.
func (q *query) order() string {
	var labels []string
	for i := range q.plan.By {
		labels = append(labels, fmt.Sprint(i+1))
	}
	byLabel := strings.Join(labels, ", ")
	f := q.figures[0]
	switch o := q.plan.Order; {
	case o == plan.ByLabel, o == "" && q.plan.By[0].Part != plan.Whole:
		return byLabel
	case o == plan.Lowest:
		return q.measured(f) + " ASC NULLS LAST, " + byLabel
	case o == plan.Grown:
		return q.gain(f) + " DESC, " + byLabel
	case o == plan.Shrunk:
		return q.gain(f) + " ASC, " + byLabel
	}
	return q.measured(f) + " DESC NULLS LAST, " + byLabel
}

// measured returns the expression of a figure that groups are ordered by.
func (q *query) measured(f figure) string {
	if f.day {
		return q.columns[f.now.top[0].column]
	}
	return q.ratio(f.now)
}

// gain returns the expression of a group's change; no sales count as 0.
func (q *query) gain(f figure) string {
	return "coalesce(" + q.ratio(f.now) + ", 0) - coalesce(" + q.ratio(f.before) + ", 0)"
}
