package compute

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// withDays adds the condition of the period's days, or of those and the comparison's days.
// Of both it adds the days from the first to the last, too: an index serves one run of days,
// and not an OR.
func (q *query) withDays(where []string) []string {
	now, before := q.during(q.plan.Period), q.during(q.plan.Compare)
	switch {
	case before != "":
		all := plan.Period{From: min(q.plan.Period.From, q.plan.Compare.From), To: max(q.plan.Period.To, q.plan.Compare.To)}
		return append(where, q.during(&all), "("+now+" OR "+before+")")
	case now != "":
		return append(where, now)
	}
	return where
}

// during returns the condition of a period's days. It compares texts, which serves days
// and moments.
func (q *query) during(p *plan.Period) string {
	if p == nil {
		return ""
	}
	return q.once(p.From+" "+p.To, func() string {
		day, _ := q.source.ByRole(schema.Day)
		end, _ := time.Parse(time.DateOnly, p.To)
		return fmt.Sprintf("(%s >= %s AND %s < %s)", day.Name, q.arg(p.From), day.Name, q.arg(end.AddDate(0, 0, 1).Format(time.DateOnly)))
	})
}

// once returns a condition of which the values are bound, the same text for the same key.
func (q *query) once(key string, bind func() string) string {
	if _, ok := q.bound[key]; !ok {
		q.bound[key] = bind()
	}
	return q.bound[key]
}

// partSQL returns the SQL of a part of a time.
func partSQL(c schema.Column, p plan.Part) string {
	n := c.Name
	switch p {
	case plan.Day:
		return "substr(" + n + ", 1, 10)"
	case plan.Week:
		return "date(" + n + ", '-6 days', 'weekday 1')"
	case plan.Month:
		return "substr(" + n + ", 1, 7)"
	case plan.Quarter:
		return "substr(" + n + ", 1, 4) || '-Q' || ((substr(" + n + ", 6, 2) + 2) / 3)"
	case plan.Year:
		return "substr(" + n + ", 1, 4)"
	case plan.Weekday:
		return db.DaysFunction + "(" + n + ") % 7"
	case plan.Daytype:
		return "CASE WHEN " + db.DaysFunction + "(" + n + ") % 7 > 4 THEN 'weekend' WHEN " + n + " IS NOT NULL THEN 'weekday' END"
	case plan.Hour:
		if c.Type == schema.Time {
			return "CAST(substr(" + n + ", 1, 2) AS INTEGER)"
		}
		return "CAST(substr(" + n + ", 12, 2) AS INTEGER)"
	}
	return n
}

// filter returns the condition of a filter.
func (q *query) filter(f plan.Filter) string {
	return q.once(fmt.Sprintf("%+q", f), func() string { return q.newFilter(f) })
}

func (q *query) newFilter(f plan.Filter) string {
	c, _ := plan.Column(q.source, f.Column)
	left := partSQL(c, f.Part)
	if f.Part == plan.Month {
		left = "CAST(substr(" + c.Name + ", 6, 2) AS INTEGER)"
	}
	if f.Other != "" {
		other, _ := plan.Column(q.source, f.Other)
		op := f.Op
		if op == plan.In {
			op = "="
		}
		return fmt.Sprintf("%s %s %s", scaledTo(left, other.Scale-c.Scale), op, scaledTo(partSQL(other, f.Part), c.Scale-other.Scale))
	}
	switch f.Op {
	case plan.Blank:
		return left + " IS NULL"
	case plan.Filled:
		return left + " IS NOT NULL"
	}
	var values []string
	for _, v := range f.Values {
		values = append(values, q.arg(boundValue(c, f.Part, v)))
	}
	switch f.Op {
	case plan.In:
		return left + " IN (" + strings.Join(values, ", ") + ")"
	case plan.NotIn:
		return "(" + left + " NOT IN (" + strings.Join(values, ", ") + ") OR " + left + " IS NULL)"
	case plan.Before:
		return fmt.Sprintf("(%[1]s < %[2]s OR %[1]s IS NULL)", left, values[0])
	case plan.Has:
		return fmt.Sprintf("instr(lower(%s), lower(%s)) > 0", left, values[0])
	}
	return fmt.Sprintf("%s %s %s", left, f.Op, values[0])
}

// boundValue returns a filter's value as the column stores it.
func boundValue(c schema.Column, p plan.Part, v string) any {
	if p == plan.Weekday {
		if i := slices.Index(plan.Weekdays, v); i >= 0 {
			return i
		}
	}
	if p == plan.Day || p == plan.Year || p == plan.Whole && c.Type != schema.Number && c.Type != schema.Truth {
		return v
	}
	r, ok := new(big.Rat).SetString(v)
	if !ok {
		return v
	}
	if p == plan.Whole {
		r.Mul(r, new(big.Rat).SetInt(power(c.Scale)))
	}
	if r.IsInt() && r.Num().IsInt64() {
		return r.Num().Int64()
	}
	f, _ := r.Float64()
	return f
}

// scaledTo returns an integer expression times 10^n, if n is above zero.
func scaledTo(expr string, n int) string {
	if n <= 0 {
		return expr
	}
	return fmt.Sprintf("%s * %v", expr, power(n))
}

func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// sum returns the terms as one integer expression of 10^-scale. A NULL discount, refund
// or factor of a sparse term counts as 0, a refund as above zero, and stock below zero is worth 0. The products are below zero in rows that meet
// the condition negative, unless that is empty.
func sum(terms []plan.Term, negative string) (expr string, scale int) {
	scales := make([]int, len(terms))
	for i, t := range terms {
		for _, c := range t.Factors {
			scales[i] += c.Scale
			if c.Unit == schema.Percent && len(t.Factors) > 1 {
				scales[i] += 2
			}
		}
		scale = max(scale, scales[i])
	}
	for i, t := range terms {
		product := scaledTo(productSQL(t, negative), scale-scales[i])
		switch {
		case i > 0 && t.Minus:
			expr += " - " + product
		case i > 0:
			expr += " + " + product
		default:
			expr = product
		}
	}
	return expr, scale
}

func productSQL(t plan.Term, negative string) string {
	var names []string
	for _, c := range t.Factors {
		name := c.Name
		switch {
		case c.Role == schema.Refund:
			name, negative = "abs(coalesce("+name+", 0))", ""
		case c.Role == schema.Stock && len(t.Factors) > 1 && !t.Minus:
			name = "max(" + name + ", 0)" // less than nothing is worth nothing
		case t.Sparse, t.Minus && (c.Role == schema.Discount || c.Role == schema.Paid):
			name = "coalesce(" + name + ", 0)"
		}
		names = append(names, name)
	}
	product := strings.Join(names, " * ")
	if negative != "" {
		product = fmt.Sprintf("CASE WHEN %s THEN -abs(%s) ELSE %s END", negative, product, product)
	}
	return product
}

// sumOfRows returns the expression of an aggregate's terms in a row, of 10^-scale.
func (q *query) sumOfRows(a plan.Aggregate) (expr string, scale int) {
	negative := ""
	if a.Rows == plan.NetRows && a.Fold == plan.FoldSum {
		negative = q.unsigned()
	}
	expr, scale = sum(a.Terms, negative)
	if q.zeroed(a.Rows) && a.Fold == plan.FoldSum {
		expr = q.reversedSum(expr, a.Rows)
	}
	return expr, scale
}
