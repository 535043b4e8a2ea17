package compute

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// query is a statement with the meaning of its columns. The table grouped has a row for
// each group: labels g1, g2; aggregates a1, a2 …; the numbers of rows, n and past. Columns
// x1, x2 … come from other tables or from the groups before, and t1, t2 … are totals over
// all groups.
type query struct {
	sql    string
	args   []any
	source schema.Source
	plan   plan.Plan
	from   string   // of the rows
	where  []string // of the rows
	labels []string // expressions of g1, g2
	// rowLabels are labels over the source's rows, also if those are added up first.
	rowLabels []string
	cells     []string // expressions of a1, a2 …
	extras    []string // expressions of x1, x2 …
	totals    []string // expressions of t1, t2 …
	tables    []table
	figures   []figure
	index     map[string]int // of the answer's columns, by name
	strategy
	bound  map[string]string
	whole  plan.Scope            // of the rows that are read
	scopes map[plan.Scope]string // conditions of scopes that are bound
}

// table is a common table expression. If it is joined, its columns g1, g2 … are labels of
// groups, those of the dimensions in on.
type table struct {
	name, text string
	joined     bool
	on         []int
}

// strategy is how a statement adds up rows. The zero value leaves it to SQLite.
type strategy struct {
	pre   *pregroup // the groups of rows are added up first
	parts bool      // so are those of parts that are folded
	wide  bool      // each sum is in two columns, since it may exceed 64 bits
}

// compile returns the statement of a plan.
func compile(s schema.Source, p plan.Plan, w strategy) (*query, error) {
	q := &query{source: s, plan: p, strategy: w, bound: map[string]string{}, scopes: map[plan.Scope]string{}, index: map[string]int{}}
	for _, value := range s.Args {
		q.arg(value)
	}
	switch {
	case s.SoldLast == "":
	case s.FromUnsold != "" && !readsSales(s, p):
		q.source.From = s.FromUnsold
	default:
		q.arg(p.Day) // parameter ?1 of From
	}
	if err := q.settleScope(); err != nil {
		return nil, err
	}
	q.from, q.where = q.rows()
	for _, d := range p.By {
		c, _ := plan.Column(q.source, d.Column)
		q.where = append(q.where, c.Name+" IS NOT NULL")
		c = q.qualifiedCity(c)
		expr := partSQL(c, d.Part)
		q.rowLabels = append(q.rowLabels, expr)
		if q.pre != nil {
			expr = q.pre.dimension(c, d.Part)
		}
		q.labels = append(q.labels, expr)
	}
	if err := q.selectFigures(); err != nil {
		return nil, err
	}
	q.sql = q.statement()
	return q, nil
}

// readsSales reports whether a plan over a stock list needs what was sold of it.
func readsSales(s schema.Source, p plan.Plan) bool {
	return slices.ContainsFunc(p.Columns(s), func(c schema.Column) bool {
		return c.Role == schema.SoldLately || c.Role == schema.StockDays || c.Role == schema.LastSold
	})
}

// grouped returns the SELECT of the groups.
func (q *query) grouped() string {
	rows, past := q.rowsOf(""), "0"
	if q.plan.Compare != nil {
		rows, past = q.rowsOf(q.during(q.plan.Period)), q.rowsOf(q.during(q.plan.Compare))
	}
	from, where := q.from, q.where
	if q.pre != nil {
		from, where = q.pre.from(from, where), nil
	}
	columns := slices.Concat(named("g", q.labels), named("a", q.cells), []string{rows + " AS n", past + " AS past"})
	if day := q.lastMoment(); day != "" {
		columns = append(columns, "max("+day+") AS moment")
	}
	return selection(strings.Join(columns, ",\n  "), from, where, len(q.labels))
}

// named returns expressions with the names name1, name2 ….
func named(name string, exprs []string) []string {
	var out []string
	for i, expr := range exprs {
		out = append(out, fmt.Sprintf("%s AS %s%d", expr, name, i+1))
	}
	return out
}

// selection returns a SELECT that is grouped by its first columns.
func selection(columns, from string, where []string, groups int) string {
	text := "SELECT " + columns + "\nFROM " + from
	if len(where) > 0 {
		text += "\nWHERE " + strings.Join(where, "\n  AND ")
	}
	var by []string
	for i := range groups {
		by = append(by, strconv.Itoa(i+1))
	}
	if groups > 0 {
		text += "\nGROUP BY " + strings.Join(by, ", ")
	}
	return text
}

// statement joins the parts, and fills index.
func (q *query) statement() string {
	tables := append(slices.Clone(q.tables), table{name: "grouped", text: q.grouped()})
	from := "grouped"
	if len(q.extras) > 0 {
		columns := slices.Concat([]string{"grouped.*"}, named("x", q.extras))
		tables = append(tables, table{name: "complete", text: "SELECT " + strings.Join(columns, ",\n  ") + "\nFROM " + q.joins()})
		from = "complete"
	}
	var with []string
	for _, t := range tables {
		with = append(with, t.name+" AS (\n"+t.text+")")
	}

	var columns []string
	add := func(name, expr string) {
		q.index[name] = len(columns)
		columns = append(columns, expr)
	}
	for _, list := range []struct {
		name  string
		exprs []string
	}{{"g", q.labels}, {"a", q.cells}, {"x", q.extras}} {
		for i := range list.exprs {
			name := list.name + strconv.Itoa(i+1)
			add(name, name)
		}
	}
	for i, expr := range q.totals {
		add("t"+strconv.Itoa(i+1), expr)
	}
	add("n", "n")
	add("past", "past")
	add("groups", "count(*) OVER ()")
	add("all", "sum(n) OVER ()")
	add("all past", "sum(past) OVER ()")

	text := "WITH " + strings.Join(with, ", ") + "\nSELECT " + strings.Join(columns, ", ") + "\nFROM " + from
	if len(q.labels) == 0 {
		return text
	}
	if having := q.having(); having != "" {
		text += "\nWHERE " + having
	}
	return text + fmt.Sprintf("\nORDER BY %s\nLIMIT %d", q.order(), limit(q.plan))
}

// joins returns the groups with the tables that have columns of theirs.
func (q *query) joins() string {
	text := "grouped"
	for _, t := range q.tables {
		if !t.joined {
			continue
		}
		text += fmt.Sprintf("\nLEFT JOIN %s ON %s", t.name, t.matches("grouped"))
	}
	return text
}

// matches returns the condition that a joined table is of the same group as another.
func (t table) matches(other string) string {
	on := []string{}
	for i, dimension := range t.on {
		on = append(on, fmt.Sprintf("%s.g%d = %s.g%d", t.name, i+1, other, dimension+1))
	}
	return cmp.Or(strings.Join(on, " AND "), "1")
}

func limit(p plan.Plan) int {
	if p.Limit > 0 && !p.Each {
		return min(p.Limit+MaxTies, MaxGroups)
	}
	return MaxGroups
}

// arg binds a value and returns its parameter.
func (q *query) arg(v any) string {
	q.args = append(q.args, v)
	return "?" + strconv.Itoa(len(q.args))
}

// add adds an aggregate of the groups, unless it is there, and returns its name.
func (q *query) add(expr string) string { return "a" + strconv.Itoa(indexIn(&q.cells, expr)) }

// addTable adds a table, unless it is there, and returns its name.
func (q *query) addTable(t table) string {
	if i := slices.IndexFunc(q.tables, func(have table) bool { return have.text == t.text && have.joined == t.joined }); i >= 0 {
		return q.tables[i].name
	}
	t.name = "f" + strconv.Itoa(len(q.tables)+1)
	q.tables = append(q.tables, t)
	return t.name
}

// addExtra adds a column of other tables or groups and returns its name.
func (q *query) addExtra(expr string) string { return "x" + strconv.Itoa(indexIn(&q.extras, expr)) }

// rows returns the FROM and WHERE of a plan. A plan that counts customers by their orders
// reads a table of customers in place of the source.
func (q *query) rows() (from string, where []string) {
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
