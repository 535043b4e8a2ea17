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

// foldScale is the number of decimals that db.FoldFunction adds.
const foldScale = 2

// foldSQL returns the fold of an expression over rows: of at least parts values, of which
// the missing ones are 0.
func foldSQL(f plan.Fold, expr, parts string) string {
	percent, _ := f.Percent()
	if f == plan.FoldMost {
		percent = 100
	}
	return fmt.Sprintf("%s(%d, %s, %s)", db.FoldFunction, percent, expr, parts)
}

// daysSQL returns the days between two columns.
func daysSQL(a plan.Aggregate) string {
	return fmt.Sprintf("%s(%s, %s)", db.DaysFunction, a.Terms[0].Factors[0].Name, a.Since.Name)
}

// isOpen reports whether a divisor counts parts of time in which the shop sold anything,
// and a condition or a group on products and the like leaves out some of its sales (see
// plan.Narrows).
func (q *query) isOpen(bottom plan.Aggregate, in subset) bool {
	if bottom.Part == plan.Whole {
		return false
	}
	narrows := func(heading string) bool {
		c, _ := plan.Column(q.source, heading)
		return plan.Narrows(q.source, c)
	}
	return slices.ContainsFunc(slices.Concat(q.plan.Where, in.filters), func(f plan.Filter) bool { return narrows(f.Column) }) ||
		slices.ContainsFunc(q.plan.By, func(d plan.Dimension) bool { return narrows(d.Column) })
}

// openParts adds a column with the number of parts of time in which the shop sold anything,
// by the groups of places and times.
func (q *query) openParts(f plan.Formula, in subset) cell {
	name := q.openTable(f, in)
	return cell{column: q.addExtra(name + ".parts"), factor: one, base: true}
}

// openTable adds the table of the open parts and returns its name. It reads the different
// days of the source once; what depends on the day alone is asked of those.
func (q *query) openTable(f plan.Formula, in subset) string {
	day := f.Bottom.Terms[0].Factors[0]
	o := openDays{q: q, day: day, names: []string{day.Name}}
	if scope := q.ofScope(f.Bottom.Rows); scope != "" {
		o.inner = append(o.inner, scope)
	}
	if known := notBlank(f); known != "" {
		o.inner = append(o.inner, known)
	}
	if q.plan.Compare == nil && q.plan.Period != nil {
		in = in.with(q.plan.Period)
	}
	for _, p := range in.periods {
		sold, _ := q.source.ByRole(schema.Day)
		o.where(sold, plan.Day, q.during(p))
	}
	for _, filter := range slices.Concat(q.plan.Where, in.filters) {
		if c, _ := plan.Column(q.source, filter.Column); !plan.Narrows(q.source, c) {
			o.where(c, filter.Part, q.filter(filter))
		}
	}
	var labels []string
	var on []int
	for i, d := range q.plan.By {
		c, _ := plan.Column(q.source, d.Column)
		if plan.Narrows(q.source, c) {
			continue
		}
		o.needs(c, d.Part)
		labels, on = append(labels, partSQL(q.qualifiedCity(c), d.Part)), append(on, i)
	}
	o.needs(day, f.Bottom.Part)
	columns := append(named("g", labels), "count(DISTINCT "+partSQL(day, f.Bottom.Part)+") AS parts")
	return q.addTable(table{text: selection(strings.Join(columns, ", "), o.table(), o.outer, len(labels)), joined: true, on: on})
}

// openDays is the table of the days on which the shop sold anything, with its places.
type openDays struct {
	q     *query
	day   schema.Column
	names []string // of columns
	inner []string // conditions of a row
	outer []string // conditions of a day
	hours bool
}

// needs adds a column of a condition or a label.
func (o *openDays) needs(c schema.Column, p plan.Part) {
	o.hours = o.hours || p == plan.Hour || p == plan.Whole && c.Name == o.day.Name
	all := []schema.Column{c}
	if c.Role == schema.City {
		for _, role := range []schema.Role{schema.State, schema.Country} {
			if wide, ok := o.q.source.ByRole(role); ok {
				all = append(all, wide)
			}
		}
	}
	for _, c := range all {
		if !slices.Contains(o.names, c.Name) {
			o.names = append(o.names, c.Name)
		}
	}
}

// where adds a condition on a column.
func (o *openDays) where(c schema.Column, p plan.Part, condition string) {
	if c.Name != o.day.Name || p == plan.Hour || p == plan.Whole {
		o.inner = append(o.inner, condition)
		return
	}
	o.outer = append(o.outer, condition)
}

func (o *openDays) table() string {
	names := slices.Clone(o.names)
	if o.day.Type == schema.Moment && !o.hours {
		names[0] = fmt.Sprintf("substr(%s, 1, 10) AS %[1]s", names[0])
	}
	text := selection("DISTINCT "+strings.Join(names, ", "), o.q.source.From, o.inner, 0)
	return o.q.addTable(table{text: text})
}

// foldedParts adds the column of a figure that folds those of parts: of orders, days, or
// the values of a column. A part of time without rows counts as 0 if the shop sold anything
// in it.
func (q *query) foldedParts(f plan.Formula, in subset) quotient {
	from, scale := q.parted(f, in)
	parts, column := "NULL", "%[1]s.value"
	if q.isOpen(*f.Bottom, in) {
		open := q.openTable(f, in)
		i := slices.IndexFunc(q.tables, func(t table) bool { return t.name == open })
		from += "\nLEFT JOIN " + open + " ON " + q.tables[i].matches("parted")
		parts, column = open+".parts", "CASE WHEN "+open+".parts > 0 THEN coalesce(%[1]s.value, 0) END"
	}
	folds := table{joined: true}
	var labels []string
	for i := range q.rowLabels {
		labels, folds.on = append(labels, "parted.g"+strconv.Itoa(i+1)), append(folds.on, i)
	}
	columns := append(named("g", labels), foldSQL(f.Fold, "parted.value", parts)+" AS value")
	folds.text = selection(strings.Join(columns, ", "), from, nil, len(labels))
	column = fmt.Sprintf(column, q.addTable(folds))
	return quotient{top: []cell{{column: q.addExtra(column), scale: scale + foldScale, factor: one, base: true}}}
}

// parted returns the table of the parts of each group, with the figure of each.
func (q *query) parted(f plan.Formula, in subset) (from string, scale int) {
	part, _ := q.rowValue(*f.Bottom)
	where := slices.Clone(q.where)
	for _, c := range []string{q.condition(in), notBlank(f), q.inScope("", f.Top), q.inScope("", *f.Bottom), f.Bottom.Terms[0].Factors[0].Name + " IS NOT NULL"} {
		if c != "" && !slices.Contains(where, c) {
			where = append(where, c)
		}
	}
	by := append(slices.Clone(q.plan.By), plan.Dimension{Column: f.Bottom.Terms[0].Factors[0].Heading, Part: f.Bottom.Part})
	rows := query{strategy: strategy{wide: q.wide}}
	labels := append(slices.Clone(q.rowLabels), part)
	if q.strategy.parts && pregrouped(q.source, by...) {
		rows.pre = &pregroup{exact: f.Top.Fold == plan.FoldDistinct}
		for i, d := range by {
			c, _ := plan.Column(q.source, d.Column)
			labels[i] = rows.pre.dimension(q.qualifiedCity(c), d.Part)
		}
	}
	expr, scale := q.rowValue(f.Top)
	switch {
	case f.Top.Fold == plan.FoldDistinct:
		expr, scale = rows.distinctOf(expr, ""), 0
	case f.Top.Fold == plan.FoldRows:
		expr = rows.rowsOf("")
	case q.wide:
		expr = "total(" + expr + ")"
	default:
		expr = rows.sumOf(expr, "")
	}
	from = q.from
	if rows.pre != nil {
		from, where = rows.pre.from(from, where), nil
	}
	last := len(labels) - 1
	columns := append(named("g", labels[:last]), labels[last]+" AS part", expr+" AS value")
	return "(" + selection(strings.Join(columns, ", "), from, where, len(labels)) + ") AS parted", scale
}
