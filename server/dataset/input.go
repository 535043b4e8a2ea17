package dataset

import (
	"context"
	"errors"
	"io"

	"svc/server/fairqueue"
	"svc/server/sheet"
)

// input is a file that is read several times, after the rows of the dataset that it is added
// to.
type input struct {
	name  string
	sheet *sheet.Sheet // closed by whoever has opened it
	// refuseText refuses a text that only looks like a table: see plan.checkTable.
	refuseText bool
	merge      *merge // nil: the file alone
	repeats    repeats
	home       string // currency of amounts without a sign: the dataset's, else the account's; "" is not known
	locale     locale
}

// openSheet opens the tables of a file that are chosen. Reading fails when ctx ends, also
// while a large workbook is checked.
func (f File) openSheet(ctx context.Context, choice sheet.Choice) (*sheet.Sheet, error) {
	return sheet.Open(f.Name, sheet.Bound(ctx, f.Content), f.Size, f.Limits, choice)
}

// entry is a row of a dataset that is built.
type entry struct {
	file, line int   // where the row was typed
	shown      place // for warnings; zero: in an earlier file
	cells      []string
}

// place is where a row of the file is.
type place struct {
	worksheet string // if rows of several are read
	line      int
}

// reader is one pass over the rows of an input.
type reader struct {
	sheet   *sheet.Sheet
	merge   *merge
	repeats repeats
}

// open begins a pass. There is one at a time.
func (in input) open() (*reader, error) {
	if err := in.sheet.Rewind(); err != nil {
		return nil, err
	}
	return &reader{in.sheet, in.merge, in.repeats}, nil
}

func (r *reader) headings() []string {
	if r.merge != nil {
		return r.merge.headings
	}
	return r.sheet.Headings()
}

// width returns the number of the headings that later files must have.
func (r *reader) width() int {
	if r.merge != nil {
		return r.merge.required
	}
	return len(r.sheet.Headings())
}

// hasComma reports whether ambiguous numbers probably have a decimal comma. The first file
// of a dataset decides, so that its figures stay as they are.
func (r *reader) hasComma() bool {
	if r.merge != nil {
		return r.merge.hasComma
	}
	return r.sheet.Dialect().CommaLikely()
}

// each calls fn with every row: with those of earlier files that the file does not bring
// anew, and then with those of the file.
func (r *reader) each(ctx context.Context, fn func(entry) error) error {
	file := 0
	if r.merge != nil {
		if err := r.merge.eachKept(ctx, fn); err != nil {
			return err
		}
		file = r.merge.file
	}
	return r.eachRow(ctx, func(row sheet.Row) error {
		cells := row.Cells
		if r.merge != nil {
			cells = r.merge.align(cells)
		}
		return fn(entry{file: file, line: row.Line, shown: place{row.Worksheet, row.Line}, cells: cells})
	})
}

// checkEvery is the number of rows between two moments in which the context may end it, or
// other heavy work interrupt it: a few milliseconds.
const checkEvery = 1024

// eachRow calls fn with the rows of the file, without those that a later worksheet has again.
func (r *reader) eachRow(ctx context.Context, fn func(sheet.Row) error) error {
	for n := 0; ; n++ {
		if n%checkEvery == 0 {
			if err := fairqueue.Yield(ctx); err != nil {
				return err
			}
		}
		row, err := r.sheet.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if r.repeats.rows[n] {
			continue
		}
		if err := fn(row); err != nil {
			return err
		}
	}
}
