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

// pregroup adds rows up in a hash table before SQLite groups them, by the dimensions. The
// statement around it is the same, but over some thousand rows in place of a million that
// SQLite would sort.
type pregroup struct {
	exact   bool     // keys are the labels, so that different values can be counted
	keys    []string // expressions of the dimensions
	counted []string // expressions of which the different values are counted
	summed  []string // expressions that are summed
}

// pregroupRows is the number of rows below which the plain statement is as fast, and
// easier to read.
const pregroupRows = 50_000

// maxPregroups bounds the groups of the dimensions; the source's counts may be too low.
const maxPregroups = db.MaxGroups / 2

// pregrouped reports whether rows may be added up first by some columns: many rows, few
// groups.
func pregrouped(s schema.Source, by ...plan.Dimension) bool {
	groups := int64(1)
	for _, d := range by {
		c, _ := plan.Column(s, d.Column)
		n := max(1, c.Distinct)
		if c.Type == schema.Moment && d.Part != plan.Whole {
			n = maxDays // the number of parts is unknown; days are the finest
		}
		if groups *= n; groups > maxPregroups {
			return false
		}
	}
	return s.Rows >= pregroupRows && len(by) > 0
}

// maxDays is the assumed number of days in a column of moments: ten years.
const maxDays = 3660

// key returns the name of an expression among the keys.
func (g *pregroup) key(expr string) string { return "k" + strconv.Itoa(indexIn(&g.keys, expr)) }

// dimension returns the expression of a dimension. Parts of time are computed from the
// days that were added up, and not for each row.
func (g *pregroup) dimension(c schema.Column, p plan.Part) string {
	day := schema.Column{Type: schema.Date}
	switch {
	case g.exact || p == plan.Whole || p == plan.Hour:
		return g.key(partSQL(c, p))
	case c.Type == schema.Moment:
		day.Name = g.key(partSQL(c, plan.Day))
	default:
		day.Name = g.key(c.Name)
	}
	return partSQL(day, p)
}

// sum, count and distinct return the names of the sum and the count of an expression and
// of the number of its values, in the rows that meet a condition.
func (g *pregroup) sum(expr, condition string) string {
	return "s" + strconv.Itoa(indexIn(&g.summed, inRows(expr, condition)))
}

func (g *pregroup) count(expr, condition string) string {
	return "n" + strconv.Itoa(indexIn(&g.summed, inRows(expr, condition)))
}

func (g *pregroup) distinct(expr, condition string) string {
	return "d" + strconv.Itoa(indexIn(&g.counted, inRows(expr, condition)))
}

func inRows(expr, condition string) string {
	if condition == "" {
		return expr
	}
	return "CASE WHEN " + condition + " THEN " + expr + " END"
}

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
	for i := range g.counted {
		at("d" + strconv.Itoa(i+1))
	}
	for i := range g.summed {
		at("s" + strconv.Itoa(i+1))
		at("n" + strconv.Itoa(i+1))
	}
	args := slices.Concat(g.keys, g.counted, g.summed)
	inner := fmt.Sprintf("SELECT %s(%s) FROM %s", db.GroupsFunction(len(g.keys), len(g.counted)), strings.Join(args, ", "), source)
	if len(where) > 0 {
		inner += " WHERE " + strings.Join(where, " AND ")
	}
	return fmt.Sprintf("(SELECT %s\n  FROM json_each((%s)))", strings.Join(columns, ", "), inner)
}

// sumOf, countOf, distinctOf and rowsOf return aggregates over the source or over its
// groups.
func (q *query) sumOf(expr, condition string) string {
	if q.pre == nil {
		return filtered("sum("+expr+")", condition)
	}
	return "sum(" + q.pre.sum(expr, condition) + ")"
}

func (q *query) countOf(expr, condition string) string {
	if q.pre == nil {
		return filtered("count("+expr+")", condition)
	}
	return "coalesce(sum(" + q.pre.count(expr, condition) + "), 0)"
}

func (q *query) distinctOf(expr, condition string) string {
	if q.pre == nil {
		return filtered("count(DISTINCT "+expr+")", condition)
	}
	return "coalesce(sum(" + q.pre.distinct(expr, condition) + "), 0)"
}

func (q *query) rowsOf(condition string) string {
	switch {
	case q.pre == nil:
		return filtered("count(*)", condition)
	case condition == "":
		return "coalesce(sum(n0), 0)"
	}
	return "coalesce(sum(" + q.pre.count("1", condition) + "), 0)"
}
