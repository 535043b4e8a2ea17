package tell

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// ends are the words for the ends of an order.
var (
	ends      = map[plan.Order]string{plan.Highest: "highest", plan.Lowest: "lowest"}
	endOfDays = map[plan.Order]string{plan.Highest: "latest", plan.Lowest: "earliest"}
)

// listed returns the text of a list of rows: how many there are, and the names of the first.
func (v *verbalizer) listed() string {
	n := v.r.Total.Rows
	all := counting(n, v.rowNoun()) + v.scope()
	if len(v.r.Listed) == 0 {
		return fmt.Sprintf("There are no %s%s.", plural(v.rowNoun()), v.scope())
	}
	first := v.rowNames(v.r.Listed)
	switch {
	case v.p.Ends:
		return fmt.Sprintf("Of %s, %s %s and %s %s.", all, v.holds(v.r.Listed[:v.r.Ends]), v.endTitle(ends[v.p.Order]), v.holds(v.r.Listed[v.r.Ends:]), v.endTitle(ends[v.p.Order.Opposite()]))
	case v.p.List.By != "" && v.p.Limit == 1:
		return fmt.Sprintf("Of %s, %s %s.", all, v.holds(v.r.Listed), v.endTitle(ends[v.p.Order]))
	case v.p.List.By != "" && v.p.Limit > 0:
		return fmt.Sprintf("Of %s, these have %s: %s.", all, v.endTitle(ends[v.p.Order]), Joined(first))
	case v.p.Limit == 0 && int64(len(v.r.Listed)) < n:
		return fmt.Sprintf("%s. The first are %s. The table shows the first %s.", all, Joined(first), count(int64(len(v.r.Listed))))
	case len(first) < len(v.r.Listed):
		return fmt.Sprintf("%s. The first are %s.", all, Joined(first))
	}
	return fmt.Sprintf("%s: %s.", all, Joined(first))
}

// holds returns the names of rows with a verb: A and B share.
func (v *verbalizer) holds(rows [][]compute.Cell) string {
	names := v.rowNames(rows)
	if len(rows) == v.p.Limit+compute.MaxTies {
		names = append(names, "others")
	}
	return Joined(names) + " " + agreeing(int64(len(names)), "has", "share")
}

func (v *verbalizer) endTitle(end string) string {
	if by, _ := plan.Column(v.s, v.p.List.By); by.Type != schema.Number {
		end = map[string]string{"highest": "latest", "lowest": "earliest"}[end]
	}
	return "the " + end + " " + pretty(v.p.List.By)
}

// rowNames returns what the first rows are called, with the day of those that share a name,
// the figure that they are in order of, and what else the question asks of them.
func (v *verbalizer) rowNames(rows [][]compute.Cell) (names []string) {
	by := slices.Index(v.p.List.Columns, v.p.List.By)
	asked := slices.Index(v.p.List.Columns, v.reading.Asked)
	day, _ := v.s.ByRole(schema.Day)
	on := slices.Index(v.p.List.Columns, day.Heading)
	called, _ := plan.Column(v.s, v.p.List.Columns[0])
	for _, row := range named(rows) {
		name := v.cellText(0, row[0])
		if on > 0 && row[on].Text != "" && called.Distinct < v.s.Rows {
			name += " on " + v.cellText(on, row[on])
		}
		var also []string
		for i, column := range []int{by, asked} {
			if column > 0 && !(i > 0 && column == by) {
				also = append(also, v.cellText(column, row[column]))
			}
		}
		if len(also) > 0 {
			name += " (" + strings.Join(also, ", ") + ")"
		}
		names = append(names, name)
	}
	return names
}

// cellText returns a cell of the list in words.
func (v *verbalizer) cellText(column int, c compute.Cell) string {
	of, _ := plan.Column(v.s, v.p.List.Columns[column])
	switch {
	case c.Number != nil && column == 0:
		return fmt.Sprint(plainNumber(c.Number)) // a number that is a name
	case c.Number != nil:
		return v.show(c.Number, of.Unit) + of.Suffix
	case c.Text == "":
		return "one without " + pretty(of.Heading)
	case of.Type == schema.Date:
		return longDay(c.Text)
	case of.Type == schema.Moment:
		return longDay(c.Text[:len("2006-01-02")]) + c.Text[len("2006-01-02"):len("2006-01-02 15:04")]
	}
	return c.Text
}

// rowNoun returns what one row is called.
func (v *verbalizer) rowNoun() string { return cmp.Or(v.reading.Noun, "row") }

func (v *verbalizer) listHeader() string {
	return plan.Capitalized(plural(v.rowNoun())) + ": " + v.value(v.r.Total, 0)
}

func (v *verbalizer) listCards() []Card {
	return []Card{{plan.Capitalized(plural(v.rowNoun())), v.value(v.r.Total, 0)}}
}

// listTable returns the rows of a list.
func (v *verbalizer) listTable() *Table {
	if len(v.r.Listed) == 0 {
		return nil
	}
	t := &Table{Currency: v.currency}
	for _, heading := range v.p.List.Columns {
		of, _ := plan.Column(v.s, heading)
		t.addColumn(strings.TrimSpace(heading), of.Unit)
	}
	for _, row := range v.r.Listed {
		var cells []any
		for _, c := range row {
			if c.Number != nil {
				cells = append(cells, plainNumber(c.Number))
			} else {
				cells = append(cells, c.Text)
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}
