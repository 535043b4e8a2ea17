package dataset

import (
	"context"
	"errors"

	"svc/server/schema"
	"svc/server/sheet"
)

// repeats are the rows of a workbook that a later worksheet has again, as monthly exports
// do that overlap. They are known as the rows of a further file are (I5), and count once.
type repeats struct {
	rows  map[int]bool // that are left out, by their position in the file
	alike int          // rows that count, since their table has no orders: two equal sales may be two
}

// occurrence is how often rows of one identity are in the worksheets.
type occurrence struct {
	worksheet string // that is read
	met       int    // of its rows
	rows      []int  // the last row that is the first of its worksheet, the second and so on
}

// findRepeats finds the repeated rows of an input, given the identity of a row's cells.
func findRepeats(ctx context.Context, in input, source schema.Source, id func(cells []string) digest) (repeats, error) {
	r, err := in.open()
	if err != nil {
		return repeats{}, err
	}
	seen, again, at := map[digest]*occurrence{}, map[int]bool{}, 0
	err = r.eachRow(ctx, func(row sheet.Row) error {
		if row.Worksheet == "" { // one worksheet
			return errStop
		}
		key := id(row.Cells)
		o := seen[key]
		if o == nil {
			o = &occurrence{}
			seen[key] = o
		}
		if o.worksheet != row.Worksheet {
			o.worksheet, o.met = row.Worksheet, 0
		}
		if o.met < len(o.rows) {
			again[o.rows[o.met]], o.rows[o.met] = true, at
		} else {
			o.rows = append(o.rows, at)
		}
		o.met++
		at++
		return nil
	})
	switch {
	case errors.Is(err, errStop):
		return repeats{}, nil
	case hasAny(source, schema.Order) && hasAny(source, schema.Day):
		return repeats{rows: again}, err
	}
	return repeats{alike: len(again)}, err
}

// identity returns the function for the identity of a row of the file.
func (p *plan) identity(source schema.Source) func(cells []string) digest {
	var headings []string
	var columns []int
	for i, column := range p.profiles {
		headings, columns = append(headings, column.title), append(columns, i)
	}
	id := identityOf(source, headings, columns, len(headings))
	return func(cells []string) digest { return id.digest(values(p.formats).of(cells)) }
}
