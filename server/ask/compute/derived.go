package compute

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// running adds the columns of a running total: each of a figure's columns summed over the
// groups up to this one in time.
func (q *query) running(of quotient) quotient {
	var among []string
	time := ""
	for i, d := range q.plan.By {
		label := fmt.Sprintf("grouped.g%d", i+1)
		if d.Part.Series() {
			time = label
		} else {
			among = append(among, label)
		}
	}
	window := "ORDER BY " + time
	if len(among) > 0 {
		window = "PARTITION BY " + strings.Join(among, ", ") + " " + window
	}
	var out quotient
	for _, c := range of.top {
		c.column = q.addExtra(fmt.Sprintf("sum(%s) OVER (%s)", c.column, window))
		out.top = append(out.top, c)
	}
	return out
}

// derive returns a figure that is made of two others; nil if there is none.
func derive(kind plan.Derivation, of, and *big.Rat) *big.Rat {
	switch {
	case of == nil || and == nil:
		return nil
	case kind == plan.Difference:
		return new(big.Rat).Sub(of, and)
	case kind == plan.Total:
		return new(big.Rat).Add(of, and)
	case kind == plan.ShareOf:
		return Percent(of, and)
	case kind == plan.ChangeFrom && and.Sign() > 0:
		return Percent(new(big.Rat).Sub(of, and), and)
	case kind == plan.Ratio && and.Sign() != 0:
		return new(big.Rat).Quo(of, and)
	}
	return nil
}

// withDerived adds the derived figures to those of the measures. Running totals have no
// figure of the whole.
func (q *query) withDerived(measures []*big.Rat, row []any, running bool) []*big.Rat {
	for i, d := range q.plan.Derived {
		switch {
		case d.Kind != plan.Running:
			measures = append(measures, derive(d.Kind, measures[d.Of], measures[d.And]))
		case running:
			f := q.figures[len(q.plan.Measures)+i]
			measures = append(measures, q.value(row, f, f.now, false))
		default:
			measures = append(measures, nil)
		}
	}
	return measures
}

// expression returns a figure for ORDER BY and thresholds, in whole units; with before
// that of the comparison. Rounding makes equal figures equal that are derived from
// different ones.
func (q *query) expression(i int, before bool) string {
	n := len(q.plan.Measures)
	if i < n || q.plan.Derived[i-n].Kind == plan.Running {
		f := q.figures[i]
		switch {
		case f.day:
			return f.now.top[0].column
		case before:
			return ratio(f.before, f.percent)
		}
		return ratio(f.now, f.percent)
	}
	d := q.plan.Derived[i-n]
	of, and := q.expression(d.Of, before), q.expression(d.And, before)
	form := map[plan.Derivation]string{
		plan.Ratio: "(%[1]s) / (%[2]s)", plan.Difference: "(%[1]s) - (%[2]s)", plan.Total: "(%[1]s) + (%[2]s)", plan.ShareOf: "100.0 * (%[1]s) / (%[2]s)",
		plan.ChangeFrom: "CASE WHEN (%[2]s) > 0 THEN 100.0 * ((%[1]s) - (%[2]s)) / (%[2]s) END",
	}[d.Kind]
	return "round(" + fmt.Sprintf(form, of, and) + ", 9)"
}

// ratio returns a quotient in whole units, or in per cent. One column over another is
// divided once, so that it equals the decimal that a threshold states.
func ratio(s quotient, percent bool) string {
	single := func(cells []cell) bool { return len(cells) == 1 && cells[0].factor.Cmp(one) == 0 }
	switch {
	case single(s.top) && len(s.bottom) == 0:
		return s.top[0].column + " / " + real(power(s.top[0].scale))
	case single(s.top) && single(s.bottom):
		up, down := s.bottom[0].scale-s.top[0].scale, s.top[0].scale-s.bottom[0].scale
		if percent {
			up, down = up+2, down-2
		}
		return fmt.Sprintf("%s * %s / (%s * %s)", s.top[0].column, real(power(max(up, 0))), s.bottom[0].column, real(power(max(down, 0))))
	case len(s.bottom) == 0:
		return added(s.top)
	}
	out := added(s.top) + " / " + added(s.bottom)
	if percent {
		out = "100.0 * " + out
	}
	return out
}

// added returns the sum of columns in whole units. The first decides whether there is a
// figure.
func added(cells []cell) string {
	var parts []string
	for i, c := range cells {
		f, _ := new(big.Rat).Quo(c.factor, new(big.Rat).SetInt(power(c.scale))).Float64()
		column := c.column
		if i > 0 {
			column = "coalesce(" + column + ", 0)"
		}
		parts = append(parts, fmt.Sprintf("%s * %e", column, f))
	}
	return "(" + strings.Join(parts, " + ") + ")"
}

// real returns a literal that SQL reads as REAL.
func real(n *big.Int) string { return n.String() + ".0" }

// having returns the condition of the plan's thresholds.
func (q *query) having() string {
	var out []string
	for _, h := range q.plan.Having {
		bound := ""
		if h.Other != nil {
			bound = "(" + q.expression(*h.Other, false) + ")"
		} else {
			bound = q.arg(h.Value)
		}
		out = append(out, fmt.Sprintf("(%s) %s %s", q.expression(h.Measure, false), h.Op, bound))
	}
	return strings.Join(out, " AND ")
}

// order returns the ORDER BY terms. Labels break ties, so that an answer is always the
// same.
func (q *query) order() string {
	var labels []string
	for i := range q.labels {
		labels = append(labels, fmt.Sprintf("g%d", i+1))
	}
	byLabel := strings.Join(labels, ", ")
	i := q.plan.OrderBy
	timed := slices.ContainsFunc(q.plan.By[:1], func(d plan.Dimension) bool { return d.Part != plan.Whole })
	switch o := q.plan.Order; {
	case o == plan.ByLabel, o == "" && timed:
		return byLabel
	case o == plan.Lowest:
		return q.expression(i, false) + " ASC NULLS LAST, " + byLabel
	case o == plan.Grown:
		return q.gain(i) + " DESC, " + byLabel
	case o == plan.Shrunk:
		return q.gain(i) + " ASC, " + byLabel
	}
	first := q.expression(i, false) + " DESC NULLS LAST, "
	if q.lastMoment() != "" {
		first += "moment DESC, "
	}
	return first + byLabel
}

// lastMoment returns the column by whose time of day the last days are ordered, the latest first; "" if the order is
// another one, or if no column has it.
func (q *query) lastMoment() string {
	p := q.plan
	isLast := p.Order == plan.Highest && q.pre == nil && p.OrderBy < len(p.Measures) && p.Measures[p.OrderBy].Equal(plan.Measure{Metric: plan.LastDay})
	day, ok := q.source.ByRole(schema.Day)
	if !isLast || !ok || day.Type != schema.Moment {
		return ""
	}
	return day.Name
}

// gain returns the expression of a group's change; no sales count as 0.
func (q *query) gain(i int) string {
	return "coalesce(" + q.expression(i, false) + ", 0) - coalesce(" + q.expression(i, true) + ", 0)"
}
