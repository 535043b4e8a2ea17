package compute

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// query is a statement with the meaning of its columns.
type query struct {
	sql     string
	args    []any
	source  schema.Source
	plan    plan.Plan
	columns []string // of SELECT
	figures []figure
	rows    int // column with the number of rows; the columns of past and groups follow
	past    int
	groups  int
	pre     *pregroup               // nil: the source is read directly
	wide    bool                    // sums may exceed 64 bits
	bounds  map[*plan.Period]string // conditions of periods that are bound
	whole   plan.Scope              // of the rows that are read
	scopes  map[plan.Scope]string   // conditions of scopes that are bound
}

// figure has the columns of a measure.
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
	column int
	scale  int
	factor *big.Rat
	base   bool // not part of a WhatIf
}

// strategy is how a statement adds up rows.
type strategy int

const (
	direct        strategy = iota
	preaggregated          // groups of rows that pregroup added up
	wideSums               // each sum in two columns
)

// compile returns the statement of a plan.
func compile(s schema.Source, p plan.Plan, w strategy) (*query, error) {
	q := &query{source: s, plan: p, wide: w == wideSums, bounds: map[*plan.Period]string{}, scopes: map[plan.Scope]string{}}
	if s.SoldLast != "" {
		q.arg(p.Day) // parameter ?1 of From
	}
	if w == preaggregated {
		q.pre = &pregroup{}
	}
	if err := q.settleScope(); err != nil {
		return nil, err
	}
	from, where := q.scope()
	var groupBy []string
	for i, d := range p.By {
		c, _ := plan.Column(q.source, d.Column)
		where = append(where, c.Name+" IS NOT NULL")
		c = q.qualifiedCity(c)
		expr := partSQL(c, d.Part)
		if q.pre != nil {
			expr = q.pre.dimension(c, d.Part)
		}
		q.columns = append(q.columns, expr)
		groupBy = append(groupBy, strconv.Itoa(i+1))
	}
	if err := q.selectFigures(); err != nil {
		return nil, err
	}
	q.selectCounts()
	if q.pre != nil {
		from, where = q.pre.from(from, where), nil
	}

	var b strings.Builder
	fmt.Fprintf(&b, "SELECT %s\nFROM %s", strings.Join(q.columns, ",\n  "), from)
	if len(where) > 0 {
		fmt.Fprintf(&b, "\nWHERE %s", strings.Join(where, "\n  AND "))
	}
	if len(groupBy) > 0 {
		fmt.Fprintf(&b, "\nGROUP BY %s", strings.Join(groupBy, ", "))
		if having := q.having(); having != "" {
			fmt.Fprintf(&b, "\nHAVING %s", having)
		}
		fmt.Fprintf(&b, "\nORDER BY %s\nLIMIT %d", q.order(), limit(p))
	}
	q.sql = b.String()
	return q, nil
}

func limit(p plan.Plan) int {
	if p.Limit > 0 && !p.Each {
		return min(p.Limit+maxTies, MaxGroups)
	}
	return MaxGroups
}

// arg binds a value and returns its parameter.
func (q *query) arg(v any) string {
	q.args = append(q.args, v)
	return "?" + strconv.Itoa(len(q.args))
}

// add adds an expression to the columns, unless it is there, and returns its index.
func (q *query) add(expr string) int {
	by := len(q.plan.By)
	if i := slices.Index(q.columns[by:], expr); i >= 0 {
		return by + i
	}
	q.columns = append(q.columns, expr)
	return len(q.columns) - 1
}

// scope returns the FROM and WHERE of a plan. A plan that counts customers by their orders
// reads a table of customers in place of the source.
func (q *query) scope() (from string, where []string) {
	p := q.plan
	for _, f := range p.Where {
		where = append(where, q.filter(f))
	}
	if read := q.ofScope(q.whole); read != "" {
		where = append(where, read)
	}
	if p.Measures[0].Metric.ByCustomer() {
		return q.customersTable(where)
	}
	return q.source.From, q.withDays(where)
}

// customersTable returns the table of customers: with the first day of each, or only those
// with two orders in the period.
func (q *query) customersTable(where []string) (string, []string) {
	p := q.plan
	who, _ := q.source.ByRole(schema.Customer)
	inner := append(where, who.Name+" IS NOT NULL")
	if p.Measures[0].Metric == plan.NewCustomers {
		day, _ := q.source.ByRole(schema.Day)
		from := fmt.Sprintf("(SELECT %s, min(%s) AS %s FROM %s WHERE %s GROUP BY 1)", who.Name, day.Name, day.Name, q.source.From, strings.Join(inner, " AND "))
		return from, q.withDays(nil)
	}
	inner = q.withDays(inner)
	orders := "count(*)"
	if c, ok := q.source.ByRole(schema.Order); ok {
		orders = "count(DISTINCT " + c.Name + ")"
	}
	return fmt.Sprintf("(SELECT %s FROM %s WHERE %s GROUP BY 1 HAVING %s > 1)", who.Name, q.source.From, strings.Join(inner, " AND "), orders), nil
}

// withDays adds the condition of the period's days, or of those and the comparison's days.
func (q *query) withDays(where []string) []string {
	now, before := q.periodCondition(q.plan.Period), q.periodCondition(q.plan.Compare)
	switch {
	case before != "":
		return append(where, "("+now+" OR "+before+")")
	case now != "":
		return append(where, now)
	}
	return where
}

// periodCondition returns the condition of a period's days. It compares texts, which
// serves days and moments.
func (q *query) periodCondition(p *plan.Period) string {
	if p == nil {
		return ""
	}
	if q.bounds[p] == "" {
		day, _ := q.source.ByRole(schema.Day)
		end, _ := time.Parse(time.DateOnly, p.To)
		q.bounds[p] = fmt.Sprintf("(%s >= %s AND %s < %s)", day.Name, q.arg(p.From),
			day.Name, q.arg(end.AddDate(0, 0, 1).Format(time.DateOnly)))
	}
	return q.bounds[p]
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
		return "(strftime('%w', " + n + ") + 6) % 7"
	case plan.Daytype:
		return "CASE WHEN strftime('%w', " + n + ") IN ('0', '6') THEN 'weekend' WHEN " + n + " IS NOT NULL THEN 'weekday' END"
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
	c, _ := plan.Column(q.source, f.Column)
	left := partSQL(c, f.Part)
	if f.Part == plan.Month {
		left = "CAST(substr(" + c.Name + ", 6, 2) AS INTEGER)"
	}
	if f.Other != "" {
		other, _ := plan.Column(q.source, f.Other)
		return fmt.Sprintf("%s %s %s", scaledTo(left, other.Scale-c.Scale), f.Op, scaledTo(other.Name, c.Scale-other.Scale))
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

// conditions returns the conditions of filters, joined.
func (q *query) conditions(filters []plan.Filter) string {
	var out []string
	for _, f := range filters {
		out = append(out, q.filter(f))
	}
	return strings.Join(out, " AND ")
}

// scaledTo returns an integer expression times 10^n, if n is above zero.
func scaledTo(expr string, n int) string {
	if n <= 0 {
		return expr
	}
	return fmt.Sprintf("%s * %v", expr, power(n))
}

func power(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// sum returns the terms as one integer expression of 10^-scale. A NULL discount or refund
// counts as 0, and a refund as above zero. The products are below zero in rows that meet
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
		case t.Minus && c.Role == schema.Discount:
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
