package compute

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"svc/db"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// figure has the columns of a measure, or of a running total.
type figure struct {
	now, before quotient
	total       quotient // of all groups
	pastTotal   quotient
	part        quotient // of Part
	percent     bool
	day         bool
}

// quotient is a quotient's top and bottom; an empty bottom is 1.
type quotient struct{ top, bottom []cell }

// cell is a column in units of 10^-scale, times a factor.
type cell struct {
	column string // name, see query
	scale  int
	factor *big.Rat
	base   bool // not part of a WhatIf
}

var one = big.NewRat(1, 1)

// subset is the rows of a figure, among those that the statement reads.
type subset struct {
	filters []plan.Filter
	periods []*plan.Period
	isOwn   bool // those of the measure alone: a sum over none of them is 0
}

func (in subset) with(periods ...*plan.Period) subset {
	in.periods = append(slices.Clone(in.periods), periods...)
	return in
}

// condition returns the condition of the rows; "" for all.
func (q *query) condition(in subset) string {
	out := ""
	for _, p := range in.periods {
		out = conjunction(out, q.during(p))
	}
	for _, f := range in.filters {
		out = conjunction(out, q.filter(f))
	}
	return out
}

// selectFigures adds the columns of each measure and each running total.
func (q *query) selectFigures() error {
	for _, m := range q.plan.Measures {
		if err := q.selectMeasure(m); err != nil {
			return err
		}
	}
	for _, d := range q.plan.Derived {
		fig := figure{}
		if d.Kind == plan.Running {
			fig.now = q.running(q.figures[d.Of].now)
		}
		q.figures = append(q.figures, fig)
	}
	return nil
}

// selectMeasure adds the columns of a measure: over the period, the comparison and the
// part, and over all groups if groups add up.
func (q *query) selectMeasure(m plan.Measure) (err error) {
	p := q.plan
	f, err := plan.FormulaOf(q.source, m)
	if err != nil {
		return err
	}
	fig := figure{percent: f.Unit == schema.Percent && f.Bottom != nil, day: m.Metric.AsDay()}
	in := subset{filters: m.Where, isOwn: m.Restricted()}
	if m.Period != nil {
		in = in.with(m.Period)
	}
	now := in
	if p.Compare != nil {
		now = in.with(p.Period)
		if fig.before, err = q.quotient(f, m.Metric, in.with(p.Compare)); err != nil {
			return err
		}
	}
	if len(p.Part) > 0 {
		now.filters = slices.Concat(now.filters, q.filled(p.Part))
	}
	if fig.now, err = q.quotient(f, m.Metric, now); err != nil {
		return err
	}
	if len(p.Part) > 0 {
		now.filters = slices.Concat(now.filters, p.Part)
		if fig.part, err = q.quotient(f, m.Metric, now); err != nil {
			return err
		}
	}
	if len(p.By) > 0 && addsUp(f) {
		fig.total, fig.pastTotal = q.sumTotals(fig.now), q.sumTotals(fig.before)
	}
	q.figures = append(q.figures, fig)
	return nil
}

// addsUp reports whether the tops and bottoms of groups add up to those of the whole.
func addsUp(f plan.Formula) bool {
	sums := func(fold plan.Fold) bool {
		return fold == plan.FoldSum || fold == plan.FoldRows || fold == plan.FoldMean
	}
	return f.Fold == "" && sums(f.Top.Fold) && (f.Bottom == nil || sums(f.Bottom.Fold))
}

// sumTotals returns the columns summed over all groups.
func (q *query) sumTotals(s quotient) quotient {
	over := func(cells []cell) []cell {
		var out []cell
		for _, c := range cells {
			c.column = fmt.Sprintf("t%d", indexIn(&q.totals, "sum("+c.column+") OVER ()"))
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

// converted returns cells in another unit of measure.
func converted(cells []cell, ratio *big.Rat) []cell {
	if ratio == nil {
		return cells
	}
	out := slices.Clone(cells)
	for i := range out {
		out[i].factor = new(big.Rat).Mul(out[i].factor, ratio)
	}
	return out
}

// quotient adds the columns of a formula over some of the rows.
func (q *query) quotient(f plan.Formula, m plan.Metric, in subset) (s quotient, err error) {
	if f.Fold != "" {
		s = q.foldedParts(f, in)
		s.top = converted(s.top, f.Ratio)
		return s, nil
	}
	condition := q.condition(in)
	if f.Bottom != nil {
		condition = conjunction(condition, notBlank(f))
	}
	ofTop := q.inScope(condition, f.Top)
	isOpen := f.Bottom != nil && q.isOpen(*f.Bottom, in)
	if s.top, err = q.aggregate(f.Top, ofTop, in.isOwn || isOpen); err != nil {
		return s, err
	}
	s.top = converted(s.top, f.Ratio)
	if f.Top.Fold == plan.FoldMean {
		s.bottom = []cell{{column: q.add(q.valuesOf(f.Top, ofTop)), factor: one, base: true}}
	}
	switch {
	case isOpen:
		s.bottom = []cell{q.openParts(f, in)}
	case f.Bottom != nil:
		if s.bottom, err = q.aggregate(*f.Bottom, q.inScope(condition, *f.Bottom), false); err != nil {
			return s, err
		}
	}
	if len(q.plan.WhatIf) > 0 {
		top, bottom := deltasOf(m)
		condition = conjunction(condition, q.within(plan.NetRows)) // of all figures that change
		s.top = append(s.top, q.whatIfCells(top, condition)...)
		if len(s.bottom) > 0 {
			s.bottom = append(s.bottom, q.whatIfCells(bottom, condition)...)
		}
	}
	return s, nil
}

// valuesOf returns the number of rows in which an aggregate has a value.
func (q *query) valuesOf(a plan.Aggregate, condition string) string {
	if a.Since != nil { // no function is called
		return q.rowsOf(conjunction(condition, a.Terms[0].Factors[0].Name+" IS NOT NULL AND "+a.Since.Name+" IS NOT NULL"))
	}
	expr, _ := q.rowValue(a)
	return q.countOf(expr, condition)
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

// filled returns filters for the columns of filters not to be blank.
func (q *query) filled(filters []plan.Filter) (out []plan.Filter) {
	for _, f := range filters {
		if plan.BlankIsOther(q.source, f) {
			out = append(out, plan.Filter{Column: f.Column, Op: plan.Filled})
		}
	}
	return out
}

func filtered(aggregate, condition string) string {
	if condition == "" {
		return aggregate
	}
	return aggregate + " FILTER (WHERE " + condition + ")"
}

// errNotAdded is the error of compile for an aggregate that rows which were added up do
// not have.
var errNotAdded = errors.New("compute: an aggregate is not a sum")

// rowValue returns the expression of an aggregate in one row, of 10^-scale.
func (q *query) rowValue(a plan.Aggregate) (expr string, scale int) {
	switch {
	case a.Since != nil:
		return daysSQL(a), 0
	case a.Part != plan.Whole:
		return partSQL(a.Terms[0].Factors[0], a.Part), 0
	case len(a.Over) > 0:
		return q.percentOfRow(a), percentScale
	case len(a.Terms) > 0:
		return q.sumOfRows(a)
	}
	return "*", 0
}

// percentScale is the scale of a row's percentage.
const percentScale = 8

// percentOfRow returns the expression of what an aggregate's terms are in per cent of others in one row;
// NULL where these are 0.
func (q *query) percentOfRow(a plan.Aggregate) string {
	of, scale := sum(a.Terms, "")
	over, overScale := sum(a.Over, "")
	return fmt.Sprintf("CAST(round((%s) * 1e%d / (%s)) AS INTEGER)", of, percentScale+2+overScale-scale, over)
}

// aggregate adds the columns of an aggregate over the rows that meet a condition. With
// orZero a sum over no row is 0.
func (q *query) aggregate(a plan.Aggregate, condition string, orZero bool) ([]cell, error) {
	isAdded := a.Fold == plan.FoldSum || a.Fold == plan.FoldMean || a.Fold == plan.FoldRows
	isCounted := a.Fold == plan.FoldDistinct && q.pre != nil && q.pre.exact && len(q.pre.counted) < db.MaxGroupCounted
	if q.pre != nil && !isAdded && !isCounted {
		return nil, errNotAdded
	}
	expr, scale := q.rowValue(a)
	c := cell{scale: scale, factor: one, base: true}
	switch a.Fold {
	case plan.FoldSum, plan.FoldMean:
		return q.summed(expr, condition, c, orZero && a.Fold == plan.FoldSum), nil
	case plan.FoldRows, plan.FoldRepeat, plan.FoldNew:
		c.column = q.add(q.rowsOf(condition))
		return []cell{c}, nil
	case plan.FoldLeast, plan.FoldMost:
		expr = map[plan.Fold]string{plan.FoldLeast: "min(", plan.FoldMost: "max("}[a.Fold] + expr + ")"
	case plan.FoldLatest:
		c.column = q.add(q.latestSQL(a, expr, condition))
		return []cell{c}, nil
	case plan.FoldDistinct:
		c.column, c.scale = q.add(q.distinctOf(expr, condition)), 0
		return []cell{c}, nil
	default:
		expr = foldSQL(a.Fold, expr, "NULL")
		c.scale += foldScale
	}
	c.column = q.add(filtered(expr, condition))
	return []cell{c}, nil
}

// wideUnit splits a sum that may exceed 64 bits.
const wideUnit = 1_000_000_000

// summed adds the sum of an expression, with the cell's scale and factor. With q.wide it
// adds two columns, one in units of wideUnit and one of the remainders, so that the sum
// stays exact. If one row's product exceeds 64 bits, SQLite makes it a REAL, which has no
// remainder.
func (q *query) summed(expr, condition string, c cell, orZero bool) []cell {
	add := func(c cell, expr string) cell {
		expr = q.sumOf(expr, condition)
		if orZero {
			expr = "coalesce(" + expr + ", 0)"
		}
		c.column = q.add(expr)
		return c
	}
	if !q.wide {
		return []cell{add(c, expr)}
	}
	high := c
	high.factor = new(big.Rat).Mul(c.factor, big.NewRat(wideUnit, 1))
	return []cell{
		add(high, fmt.Sprintf("(%s) / %d", expr, wideUnit)),
		add(c, fmt.Sprintf("CASE typeof(%[1]s) WHEN 'integer' THEN (%[1]s) %% %[2]d ELSE 0 END", expr, wideUnit)),
	}
}
