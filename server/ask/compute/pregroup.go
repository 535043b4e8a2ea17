package compute

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"svc/db"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// pregroup adds rows up in a hash table before SQLite groups them, by the dimensions and
// by each condition of the figures. The statement around it is the same, but over some
// thousand rows in place of a million that SQLite would sort.
type pregroup struct {
	keys   []string // expressions: dimensions, then conditions
	values []string // expressions that are summed
}

// pregroupRows is the number of rows below which the plain statement is as fast, and
// easier to read.
const pregroupRows = 50_000

// maxPregroups bounds the groups of the dimensions, to leave room for the conditions.
const maxPregroups = db.MaxGroups / 8

// pregrouped reports whether a plan's rows are added up first: many rows, few groups, and
// figures that add up.
func pregrouped(s schema.Source, p plan.Plan) bool {
	if s.Rows < pregroupRows || len(p.By) == 0 || p.ByCustomer() {
		return false
	}
	groups := int64(1)
	for _, d := range p.By {
		c, _ := plan.Column(s, d.Column)
		n := max(1, c.Distinct)
		if c.Type == schema.Moment && d.Part != plan.Whole {
			n = maxDays // the number of parts is unknown; days are the finest
		}
		groups *= n
		if groups > maxPregroups {
			return false
		}
	}
	return !slices.ContainsFunc(p.Measures, func(m plan.Measure) bool {
		f, err := plan.FormulaOf(s, m)
		return err != nil || !addsUp(f)
	})
}

// maxDays is the assumed number of days in a column of moments: ten years.
const maxDays = 3660

// key returns the name of an expression among the keys; "" for no condition.
func (g *pregroup) key(expr string) string {
	if expr == "" {
		return ""
	}
	return "k" + strconv.Itoa(indexIn(&g.keys, expr))
}

// dimension returns the expression of a dimension. Parts of time are computed from the
// days that were added up, and not for each row.
func (g *pregroup) dimension(c schema.Column, p plan.Part) string {
	day := schema.Column{Type: schema.Date}
	switch {
	case p == plan.Whole || p == plan.Hour:
		return g.key(partSQL(c, p))
	case c.Type == schema.Moment:
		day.Name = g.key(partSQL(c, plan.Day))
	default:
		day.Name = g.key(c.Name)
	}
	return partSQL(day, p)
}

// sum and count return the names of an expression's sum and count.
func (g *pregroup) sum(expr string) string   { return "s" + strconv.Itoa(indexIn(&g.values, expr)) }
func (g *pregroup) count(expr string) string { return "n" + strconv.Itoa(indexIn(&g.values, expr)) }

func indexIn(list *[]string, expr string) int {
	if i := slices.Index(*list, expr); i >= 0 {
		return i + 1
	}
	*list = append(*list, expr)
	return len(*list)
}

// from returns the table of groups that replaces the source.
func (g *pregroup) from(source string, where []string) string {
	var columns []string
	at := func(name string) {
		columns = append(columns, fmt.Sprintf("value ->> %d AS %s", len(columns), name))
	}
	for i := range g.keys {
		at("k" + strconv.Itoa(i+1))
	}
	at("n0")
	for i := range g.values {
		at("s" + strconv.Itoa(i+1))
		at("n" + strconv.Itoa(i+1))
	}
	args := append([]string{strconv.Itoa(len(g.keys))}, g.keys...)
	inner := fmt.Sprintf("SELECT %s(%s) FROM %s", db.GroupsFunction, strings.Join(append(args, g.values...), ", "), source)
	if len(where) > 0 {
		inner += " WHERE " + strings.Join(where, " AND ")
	}
	return fmt.Sprintf("(SELECT %s\n  FROM json_each((%s)))", strings.Join(columns, ", "), inner)
}

// sumOf, countOf and rowsOf return aggregates that add up, over the source or over its
// groups.
func (q *query) sumOf(expr, condition string) string {
	if q.pre == nil {
		return filtered("sum("+expr+")", condition)
	}
	return filtered("sum("+q.pre.sum(expr)+")", q.pre.key(condition))
}

func (q *query) countOf(expr, condition string) string {
	if q.pre == nil {
		return filtered("count("+expr+")", condition)
	}
	return "coalesce(" + filtered("sum("+q.pre.count(expr)+")", q.pre.key(condition)) + ", 0)"
}

func (q *query) rowsOf(condition string) string {
	if q.pre == nil {
		return filtered("count(*)", condition)
	}
	return "coalesce(" + filtered("sum(n0)", q.pre.key(condition)) + ", 0)"
}
