package cmd

import (
	"fmt"
	"slices"
	"strings"

	"svc/server/dataset"
	"svc/server/header"
	"svc/server/sheet"
)

const sheetUsage = "worksheet to read, or NAME:LINE or LINE of a table of several under one another (default: what fits best)"

type tableJSON struct {
	Name     string   `json:"name"` // for --sheet
	Sheet    string   `json:"sheet,omitempty"`
	Hidden   bool     `json:"hidden,omitempty"`
	Line     int      `json:"line,omitempty"` // of the headings
	Rows     int      `json:"rows"`
	More     bool     `json:"more,omitempty"` // it has more rows than were counted
	Headings []string `json:"headings"`
	Taken    bool     `json:"taken"`
	Problem  string   `json:"problem,omitempty"` // why a worksheet has no table, or is left out though it fits
}

func toTableJSON(t sheet.Table) tableJSON {
	return tableJSON{
		Name: t.Name(), Sheet: t.Worksheet, Hidden: t.Hidden, Line: t.Line, Rows: t.Rows, More: t.More,
		Headings: append([]string{}, t.Headings...), Taken: t.Taken, Problem: t.Problem,
	}
}

// mostTables is how many tables a note names.
const mostTables = 24

// tableNotes says which of several tables are read and which are left out, and how to
// choose another. It returns nothing for a file with one table.
func tableNotes(tables []sheet.Table) (notes []string) {
	var taken []string
	var left []sheet.Table
	for _, t := range tables {
		if t.Taken {
			taken = append(taken, tableText(t))
		} else {
			left = append(left, t)
		}
	}
	if len(tables) < 2 {
		return nil
	}
	read := "read " + strings.Join(taken[:min(len(taken), mostTables)], ", ")
	if rest := len(taken) - mostTables; rest > 0 {
		read += fmt.Sprintf(" and %d more", rest)
	}
	if len(taken) > 1 {
		read += ", which have equal headings, as one table"
	}
	notes = append(notes, read)
	for _, t := range left[:min(len(left), mostTables)] {
		if t.Problem != "" {
			notes = append(notes, fmt.Sprintf("left out %s: %s", tableText(t), t.Problem))
			continue
		}
		notes = append(notes, fmt.Sprintf("left out %s with the headings %s; --sheet %s takes it instead%s", tableText(t), someOf(t.Headings), quote(t.Name()), renamed(t, tables)))
	}
	if rest := len(left) - mostTables; rest > 0 {
		notes = append(notes, fmt.Sprintf("left out %d more tables", rest))
	}
	return notes
}

// renamed says which heading alone keeps a table from being one with those that are read; ""
// if there is no such heading.
func renamed(t sheet.Table, tables []sheet.Table) string {
	at := slices.IndexFunc(tables, func(t sheet.Table) bool { return t.Taken })
	if at < 0 {
		return ""
	}
	lacks := func(a, b []string) (all []string) {
		for _, heading := range a {
			if !slices.ContainsFunc(b, func(other string) bool { return header.Fold(other) == header.Fold(heading) }) {
				all = append(all, heading)
			}
		}
		return all
	}
	read := tables[at].Headings
	more, missing := lacks(t.Headings, read), lacks(read, t.Headings)
	if len(more) != 1 || len(missing) != 1 || len(read) < 3 {
		return ""
	}
	return fmt.Sprintf("; with %q in place of %q in the file it is read with the others", missing[0], more[0])
}

// repeatNotes says which rows are in several sheets.
func repeatNotes(r dataset.Report) (notes []string) {
	if r.Repeated > 0 {
		notes = append(notes, fmt.Sprintf("%s left out, since a later sheet has the same sales again", counted(r.Repeated, "row")))
	}
	if r.Alike > 0 {
		notes = append(notes, fmt.Sprintf("%s equal to one of a later sheet; all count, since no order numbers tell whether they are the same sales; to merge them, import each sheet with --sheet and --add", counted(r.Alike, "row")))
	}
	return notes
}

// tableText names a table: the sheet March (30 rows), the table in line 12 (4 rows).
func tableText(t sheet.Table) string {
	rows := counted(t.Rows, "row")
	if t.More {
		rows = "more than " + rows
	}
	name := "the sheet " + t.Worksheet
	switch {
	case t.Worksheet == "":
		name = fmt.Sprintf("the table in line %d", t.Line)
	case t.Name() != t.Worksheet:
		name = fmt.Sprintf("the table in line %d of the sheet %s", t.Line, t.Worksheet)
	}
	if t.Hidden {
		name = strings.Replace(name, "sheet", "hidden sheet", 1)
	}
	if t.Problem != "" {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, rows)
}

// rowNotes says which rows and cells beside a table are not read.
func spellingNotes(cells int) (notes []string) {
	if cells > 0 {
		notes = append(notes, fmt.Sprintf("%s read in a spelling that is more usual in the column, such as beer as Beer", counted(cells, "cell")))
	}
	return notes
}

func rowNotes(above, beyond int) (notes []string) {
	if above > 0 {
		notes = append(notes, fmt.Sprintf("%s above the headings not read", counted(above, "row")))
	}
	if beyond > 0 {
		notes = append(notes, fmt.Sprintf("%s with text to the right of the last heading, which is not read; give the column a heading", counted(beyond, "row")))
	}
	return notes
}
