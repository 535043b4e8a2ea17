package dataset

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"svc/db"
	"svc/server/money"
	"svc/server/schema"
	"svc/server/sheet"
)

// write is the second pass: it types the rows and writes them to path.
func (p *plan) write(ctx context.Context, in input, path string) (Report, error) {
	file, err := in.open()
	if err != nil {
		return Report{}, err
	}
	out, err := db.CreateDataFile(ctx, path, p.types())
	if err != nil {
		return Report{}, err
	}

	w := newWriter(p, out)
	err = w.addRaw(entry{cells: file.headings()})
	if err == nil {
		err = file.each(ctx, w.add)
	}
	if err == nil && w.report.Rows == 0 {
		err = &sheet.Error{Reason: "none of the rows is a sale"}
	}
	if err != nil {
		out.Abandon()
		return Report{}, err
	}
	w.report.Tables, w.report.width = file.sheet.Tables(), file.width()
	w.report.Skipped, w.report.hasComma = file.sheet.Skipped(), file.sheet.Dialect().CommaLikely()
	return w.finish(), out.Finish()
}

func (p *plan) types() []db.DataType {
	types := slices.Repeat([]db.DataType{db.DataText}, len(p.formats)+len(p.added))
	for i, f := range p.formats {
		if f.kind == schema.Number || f.kind == schema.Truth {
			types[i] = db.DataInteger
		}
	}
	for i, added := range p.added {
		if added.column.Type == schema.Number {
			types[len(p.formats)+i] = db.DataInteger
		}
	}
	return types
}

// writer converts the rows of a file and appends them to a dataset.
type writer struct {
	plan   *plan
	out    *db.DataWriter
	filler *filler
	odd    []map[string]oddity // by column, and by what the cells should be
	blank  []blankCells        // by column
	values []any
	report Report
}

// oddity counts the cells of a column that do not fit it.
type oddity struct {
	cells int
	first place
	text  string // of the first
}

func (o *oddity) add(at place, text string) {
	o.cells++
	if o.first.line == 0 && at.line > 0 || o.cells == 1 {
		o.first, o.text = at, text
	}
}

// reason says what becomes of the cells.
func (o oddity) reason(wanted string) string {
	text := sheet.Quote(o.text)
	if o.cells == 1 {
		return fmt.Sprintf("the cell %s is not %s and is left blank", text, wanted)
	}
	return fmt.Sprintf("%d cells, the first %s, are not %s and are left blank", o.cells, text, wanted)
}

// blankCells counts the cells of a column that are empty, and those whose text means as much,
// such as UNKNOWN.
type blankCells struct {
	empty int
	words oddity
	texts []string // different ones of words, at most maxBlankTexts
}

// maxBlankTexts is how many examples a warning names.
const maxBlankTexts = 3

func (b *blankCells) add(at place, text string) {
	switch {
	case text == "":
		b.empty++
	case strings.ContainsFunc(text, unicode.IsLetter): // a dash is empty to everybody
		b.words.add(at, text)
		if len(b.texts) < maxBlankTexts && !slices.Contains(b.texts, text) {
			b.texts = append(b.texts, text)
		}
	}
}

// reason says which cells were read as empty; "" if there are none.
func (b blankCells) reason() string {
	if b.words.cells == 0 {
		return ""
	}
	var examples []string
	for _, text := range b.texts {
		examples = append(examples, sheet.Quote(text))
	}
	reason := fmt.Sprintf("%s cells such as %s are read as empty", money.Digits(int64(b.words.cells), 0), strings.Join(examples, ", "))
	if b.words.cells == 1 {
		reason = fmt.Sprintf("the cell %s is read as empty", examples[0])
	}
	switch {
	case b.empty == 1:
		reason += ", and 1 is empty"
	case b.empty > 1:
		reason += fmt.Sprintf(", and %s are empty", money.Digits(int64(b.empty), 0))
	}
	return reason + "; an export has them as they were typed"
}

func newWriter(p *plan, out *db.DataWriter) *writer {
	return &writer{
		plan: p, out: out, filler: newFiller(p.export, p.folded, p.formats),
		odd: make([]map[string]oddity, len(p.formats)), blank: make([]blankCells, len(p.formats)), values: make([]any, len(p.formats)+len(p.added)),
	}
}

// addRaw keeps a row as it was typed.
func (w *writer) addRaw(row entry) error {
	text, err := formatCells(row.cells)
	if err != nil {
		return err
	}
	return w.out.AppendRaw(db.RawRow{File: row.file, Line: row.line, Cells: text})
}

func (w *writer) add(row entry) error {
	if err := w.addRaw(row); err != nil {
		return err
	}
	if row.shown.line > 0 {
		w.report.FileRows++
	}
	isSum := w.plan.isSum(row.cells)
	w.filler.fill(row.cells, isSum)
	if isSum || w.plan.export.isUnsold(w.plan.folded, row.cells) {
		if row.shown.line > 0 {
			w.report.Unsold++
		}
		return nil
	}
	w.report.Rows++
	var faults []string
	for i, text := range row.cells {
		value, ok := w.plan.formats[i].value(text)
		if !ok {
			w.report.Odd++
			faults = append(faults, w.addOdd(i, row.shown, text))
		} else if value == nil {
			w.blank[i].add(row.shown, text)
			if slices.Contains(w.plan.places, i) {
				value = int64(0) // none is there
			}
		} else if usual, ok := w.plan.formats[i].usual[text]; ok {
			value = usual
			w.report.Respelled++
		}
		w.values[i] = value
	}
	for i, added := range w.plan.added {
		w.values[len(row.cells)+i] = added.value(row.cells, w.values)
	}
	slices.Sort(faults)
	for _, reason := range slices.Compact(faults) {
		if err := w.out.AppendFaulty(int64(w.report.Rows), reason); err != nil {
			return err
		}
	}
	return w.out.Append(w.values)
}

// addOdd counts a cell that does not fit its column, and returns what is wrong with it.
func (w *writer) addOdd(column int, at place, text string) string {
	wanted := w.plan.formats[column].wanted(text)
	if w.odd[column] == nil {
		w.odd[column] = map[string]oddity{}
	}
	o := w.odd[column][wanted]
	o.add(at, text)
	w.odd[column][wanted] = o
	return fmt.Sprintf("%s: %s is not %s", w.plan.profiles[column].title, sheet.Quote(text), wanted)
}

// finish returns the report with the warnings about odd cells and about words read as empty.
func (w *writer) finish() Report {
	w.report.Warnings, w.report.Dates = w.plan.doubts, w.plan.openDates
	for i, odd := range w.odd {
		title := w.plan.profiles[i].title
		for _, wanted := range slices.Sorted(maps.Keys(odd)) {
			w.report.Warnings = append(w.report.Warnings, odd[wanted].first.warning(title, odd[wanted].reason(wanted)))
		}
		if reason := w.blank[i].reason(); reason != "" {
			w.report.Warnings = append(w.report.Warnings, w.blank[i].words.first.warning(title, reason))
		}
	}
	w.report.Warnings = w.report.Warnings[:min(len(w.report.Warnings), maxWarnings)]
	return w.report
}
