package sheet

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strconv"
	"strings"

	"svc/server/header"
)

// Table is a table of a file: a worksheet has one, or several under one another, as in the
// reports of tills. A worksheet in which no headings were found is a Table with a Problem.
type Table struct {
	Worksheet string // of a workbook
	Hidden    bool   // the worksheet is hidden
	Line      int    // of the headings
	Headings  []string
	Rows      int    // of data, of which More are not counted
	More      bool   // the table goes on after the rows that were counted
	Problem   string // why the table is none, or is not read beside those that are
	Taken     bool   // the table is read

	isOnly bool // of its worksheet
	above  Skipped
	digest uint64 // of the rows that were counted
}

// Name returns what Choice.Name takes to choose the table: its worksheet, and its line if
// the worksheet has several.
func (t Table) Name() string {
	switch {
	case t.Worksheet == "":
		return strconv.Itoa(t.Line)
	case t.isOnly:
		return t.Worksheet
	}
	return fmt.Sprintf("%s:%d", t.Worksheet, t.Line)
}

// key is equal for tables with the same headings in any order.
func (t Table) key() string {
	var all []string
	for _, heading := range t.Headings {
		if !IsUnnamed(heading) {
			all = append(all, header.Fold(heading))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// Choice selects the tables of a file that are read: those of one worksheet or line, else
// those that fit best. All of these have equal headings. Of tables that fit equally well
// those of visible worksheets come first, then those with the most rows, then the first.
type Choice struct {
	Name string // of a table or a worksheet; empty: any
	// Fit returns how well a table fits by its headings; nil: all are equal.
	Fit func(headings []string) int
}

const (
	// surveyRows is the number of rows up to which a table is searched for others below
	// it, and surveyTotal that of all worksheets; surveyLeast is read of each.
	surveyRows  = 20_000
	surveyTotal = 200_000
	surveyLeast = 200
)

// survey finds the tables of a file. The error is that of the only worksheet with text if
// it has no table.
func survey(b book, format string, limits Limits) (tables []Table, err error) {
	left := surveyTotal
	var faults []error
	for _, w := range b.worksheets() {
		found, rows, err := surveyWorksheet(b, w, format, limits, max(surveyLeast, min(surveyRows, left)))
		left -= rows
		if fault, ok := errors.AsType[*Error](err); ok {
			if errors.Is(err, errBlank) {
				return nil, err
			}
			faults = append(faults, fault)
			found = append(found, Table{Worksheet: w.name, Hidden: w.hidden, Problem: fault.Error(), isOnly: true})
		} else if err != nil {
			return nil, err
		}
		tables = append(tables, found...)
	}
	switch {
	case len(tables) == 0:
		return nil, errorAt(0, "the workbook has no worksheet with anything in it")
	case len(faults) == len(tables):
		return nil, faults[0]
	}
	return tables, nil
}

// surveyWorksheet finds the tables of a worksheet in at most so many rows. None: it is
// empty.
func surveyWorksheet(b book, w tab, format string, limits Limits, most int) (tables []Table, rows int, err error) {
	src, err := b.open(w.name)
	if err != nil || src == nil {
		return nil, 0, err
	}
	p := &part{src: src, format: format, limits: limits}
	if err = p.findHeadings(); errors.Is(err, errNoRows) && w.name != "" {
		return nil, 0, src.close()
	}
	for err == nil {
		t := Table{Worksheet: w.name, Hidden: w.hidden, Line: p.headLine, Headings: p.headings, above: p.skipped}
		t.Rows, t.digest, t.More, err = p.countRows(most - rows)
		rows += t.Rows
		tables = append(tables, t)
		if len(p.edge.after) == 0 || t.More {
			break
		}
		p = p.below()
	}
	for i := range tables {
		tables[i].isOnly = len(tables) == 1
	}
	return tables, rows, errors.Join(err, src.close())
}

// seed makes digests of one process comparable.
var seed = maphash.MakeSeed()

// countRows reads the table to its end, or so many of its rows.
func (p *part) countRows(most int) (rows int, digest uint64, more bool, err error) {
	var hash maphash.Hash
	hash.SetSeed(seed)
	for {
		row, err := p.next()
		if errors.Is(err, io.EOF) {
			return rows, hash.Sum64(), false, nil
		}
		if _, isFault := errors.AsType[*Error](err); err != nil && !isFault {
			return rows, 0, false, err
		}
		for _, text := range row.Cells {
			hash.WriteString(text)
			hash.WriteByte('\n')
		}
		if rows++; rows >= most {
			return rows, hash.Sum64(), true, nil
		}
	}
}

// below returns the table that begins where p ends.
func (p *part) below() *part {
	head, titles := p.edge.head(), 0
	for _, row := range p.edge.after[:len(p.edge.after)-1] {
		if row.line != head.line && !isBlank(row.cells) {
			titles++
		}
	}
	next := &part{src: p.src, format: p.format, limits: p.limits, skipped: Skipped{Before: titles}}
	next.ahead = append([]aheadRow{p.edge.after[len(p.edge.after)-1]}, p.ahead...)
	next.begin(head.line, head.cells)
	return next
}

// extent is the number of all rows of a table, and their digest.
type extent struct {
	rows   int
	digest uint64
}

// take marks the tables that are chosen. Measure returns the extent of a table that goes on
// after the rows that were counted.
func (c Choice) take(tables []Table, measure func(Table) (extent, error)) error {
	if len(tables) == 1 && (c.Name == "" || c.names(tables[0])) {
		tables[0].Taken = true
		return nil
	}
	var groups [][]int // of equal headings
	byKey := map[string]int{}
	for i, t := range tables {
		if t.Problem != "" || c.Name != "" && !c.names(t) {
			continue
		}
		key := fmt.Sprint(t.Hidden, t.key())
		at, ok := byKey[key]
		if !ok {
			at, groups = len(groups), append(groups, nil)
			byKey[key] = at
		}
		groups[at] = append(groups[at], i)
	}
	if len(groups) == 0 {
		return c.unknown(tables)
	}
	best := slices.MaxFunc(groups, func(a, b []int) int { return c.compare(tables, a, b) })
	for at, i := range best {
		original, err := copyOf(tables, best[:at], tables[i], measure)
		if err != nil {
			return err
		}
		if original != "" {
			tables[i].Problem = "it has the same rows as " + original
			continue
		}
		tables[i].Taken = true
	}
	return nil
}

// leastCopied is the number of rows from which equal ones are no chance.
const leastCopied = 10

// copyOf returns the name of an earlier table with the same rows, else "". A copy of a
// worksheet would count everything twice. Two that begin alike and go on after the rows that
// were counted are compared to their ends.
func copyOf(tables []Table, earlier []int, t Table, measure func(Table) (extent, error)) (string, error) {
	for _, i := range earlier {
		other := tables[i]
		if other.Rows != t.Rows || other.digest != t.digest || other.More != t.More || t.Rows < leastCopied {
			continue
		}
		if !t.More {
			return other.Name(), nil
		}
		all, err := measure(t)
		if err != nil {
			return "", err
		}
		if others, err := measure(other); err != nil || all == others {
			return other.Name(), err
		}
	}
	return "", nil
}

// names reports whether the choice is that of a table, by its own name or its worksheet's.
func (c Choice) names(t Table) bool {
	return t.Worksheet != "" && strings.EqualFold(c.Name, t.Worksheet) || strings.EqualFold(c.Name, t.Name())
}

// compare compares two groups of tables, the better one last. Of equal ones the first is
// better.
func (c Choice) compare(tables []Table, a, b []int) int {
	fit := func(group []int) int {
		if c.Fit == nil {
			return 0
		}
		return c.Fit(tables[group[0]].Headings)
	}
	visible := func(group []int) int {
		if tables[group[0]].Hidden {
			return 0
		}
		return 1
	}
	rows := func(group []int) (n int) {
		for _, i := range group {
			n += tables[i].Rows
		}
		return n
	}
	return cmp.Or(cmp.Compare(visible(a), visible(b)), cmp.Compare(fit(a), fit(b)), cmp.Compare(rows(a), rows(b)), cmp.Compare(b[0], a[0]))
}

// unknown returns the error for a name that no table has.
func (c Choice) unknown(tables []Table) error {
	var names []string
	for _, t := range tables {
		if t.Problem != "" && c.names(t) {
			return errorAt(0, "the worksheet %s holds no table: %s", Quote(t.Worksheet), t.Problem)
		}
		if t.Problem == "" {
			names = append(names, t.Name())
		}
	}
	if tables[0].Worksheet == "" {
		begin := "its tables begin in the lines "
		if len(names) == 1 {
			begin = "its table begins in line "
		}
		return errorAt(0, "a text file has no worksheet %s; %s%s", Quote(c.Name), begin, strings.Join(names, ", "))
	}
	return errorAt(0, "the workbook has no worksheet %s; it has %s", Quote(c.Name), quotedList(names))
}

// quotedList returns the first texts in quotes.
func quotedList(all []string) string {
	const most = 12
	var quoted []string
	for _, text := range all {
		if text != "" && len(quoted) < most {
			quoted = append(quoted, Quote(text))
		}
	}
	text := strings.Join(quoted, ", ")
	if more := len(all) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// positions returns for each heading its index in other headings; -1: it is not there.
func positions(headings, in []string) []int {
	at := map[string]int{}
	for i, heading := range in {
		if _, taken := at[columnKey(heading)]; !taken {
			at[columnKey(heading)] = i
		}
	}
	var all []int
	for _, heading := range headings {
		i, ok := at[columnKey(heading)]
		if !ok {
			i = -1
		}
		all = append(all, i)
	}
	return all
}

// columnKey is equal for headings that name the same column of several tables. Headings
// are distinct, and so are their keys but for signs.
func columnKey(heading string) string {
	if folded := header.Fold(heading); folded != "" {
		return folded
	}
	return heading
}

// missing returns those of more that headings lack.
func missing(headings, more []string) (all []string) {
	for i, at := range positions(more, headings) {
		if at < 0 {
			all = append(all, more[i])
		}
	}
	return all
}

// align returns the cells at the columns; a column below 0 is blank.
func align(cells []string, columns []int) []string {
	all := make([]string, len(columns))
	for i, at := range columns {
		if at >= 0 {
			all[i] = cells[at]
		}
	}
	return all
}
