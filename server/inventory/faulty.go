package inventory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/sheet"
)

// A file is imported as a whole, unless its sender says that rows with faults are to be left
// out. These are then kept with the import, with their cells and why, so that they can be
// mended and sent again.

// faults are the errors of a file.
type faults struct {
	all []LineError
	// attached are rows that are left out only because they belong to a product with a fault:
	// its stock at another location.
	attached []LineError
	// whole reports whether no part of the file can be imported: the fault is not of a row, or
	// there are too many.
	whole bool
}

func (f *faults) add(e LineError) { f.all = append(f.all, e) }

// full reports whether enough faults were found, and makes them those of the whole file.
func (f *faults) full() bool {
	f.whole = f.whole || len(f.all) >= maxFaults
	return len(f.all) >= maxFaults
}

// first returns the first errors, by line.
func (f *faults) first() []LineError { return firstByLine(slices.Clone(f.all)) }

// FaultyRow is a row that is not imported, with why.
type FaultyRow struct {
	Seq       int         `json:"-"`
	Worksheet string      `json:"sheet,omitempty"`
	Line      int         `json:"line"`
	Name      string      `json:"name,omitempty"` // its name, else its SKU or barcode
	Cells     []string    `json:"cells"`          // one for each heading, or more
	Faults    []LineError `json:"faults"`
}

// Why returns the faults as one text.
func (r FaultyRow) Why() string {
	var all []string
	for _, e := range r.Faults {
		text := e.Reason
		if e.Heading != "" {
			text = e.Heading + ": " + text
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// place is where a row is.
type place struct {
	worksheet string
	line      int
}

// attachedTo is the error of a row whose product has a fault in another row.
func attachedTo(at place) LineError {
	return LineError{Worksheet: at.worksheet, Line: at.line, Reason: "belongs to a product with a problem"}
}

// rows returns the rows with faults by their place, without their cells.
func (f *faults) rows() map[place]*FaultyRow {
	found := map[place]*FaultyRow{}
	add := func(e LineError) {
		at := place{e.Worksheet, e.Line}
		if found[at] == nil {
			found[at] = &FaultyRow{Worksheet: e.Worksheet, Line: e.Line}
		}
		found[at].Faults = append(found[at].Faults, e)
	}
	for _, e := range f.all {
		add(e)
	}
	for _, e := range f.attached {
		if found[place{e.Worksheet, e.Line}] == nil {
			add(e)
		}
	}
	return found
}

// maxFaultyBytes bounds the cells that are kept of rows with faults: a workbook stores a text
// once for any number of cells.
const maxFaultyBytes = 20 << 20

// faultyRows returns the headings of a file and its rows with faults, in its order. It reads the
// file once more, because most files have no faults and are read without keeping their cells.
// It returns no rows if none of the file can be imported without them.
func faultyRows(ctx context.Context, f File, all *faults) (headings []string, rows []FaultyRow, err error) {
	if all.whole || len(all.all) == 0 {
		return nil, nil, nil
	}
	file, err := sheet.Open(f.Name, sheet.Bound(ctx, f.Content), f.Size, f.Limits, sheet.Choice{Name: f.Sheet, Fit: fitness})
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	columns, err := findColumns(file.Headings(), file.HeadingLine())
	if err != nil {
		return nil, nil, err
	}
	file.Identify(slices.Concat(columns.fields[FieldSKU], columns.fields[FieldBarcodes])...)
	wanted, bytes := all.rows(), 0
	for n := 0; len(rows) < len(wanted); n++ {
		if n%checkEvery == 0 {
			if err := fairqueue.Yield(ctx); err != nil {
				return nil, nil, err
			}
		}
		row, err := file.Next()
		if fault, ok := errors.AsType[*sheet.Error](err); ok {
			row = sheet.Row{Worksheet: fault.Worksheet, Line: fault.Line, Cells: fault.Cells}
		} else if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, err
		}
		found := wanted[place{row.Worksheet, row.Line}]
		if found == nil {
			continue
		}
		found.Cells, found.Name = row.Cells, columns.called(row)
		for _, cell := range row.Cells {
			bytes += len(cell)
		}
		rows = append(rows, *found)
	}
	if bytes > maxFaultyBytes || len(rows) < len(wanted) {
		all.whole = true
		return nil, nil, nil
	}
	return columns.headings, rows, nil
}

// called returns the first of name, SKU and barcode that a row has.
func (c *columns) called(row sheet.Row) string {
	for _, field := range []string{FieldName, FieldSKU, FieldBarcodes} {
		for _, i := range c.fields[field] {
			if i < len(row.Cells) && row.Cells[i] != "" {
				return row.Cells[i]
			}
		}
	}
	return ""
}

// stageFaulty keeps the rows that an import leaves out.
func (s *Service) stageFaulty(ctx context.Context, staged db.Import, rows []FaultyRow) error {
	seq := 0
	for some := range slices.Chunk(rows, chunk) {
		err := s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) error {
			for n, row := range some {
				text, err := json.Marshal(row)
				if err == nil {
					err = tx.StageImportFault(staged, db.ImportFault{Seq: seq + n, Row: text})
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		seq += len(some)
	}
	return nil
}

// Faulty lists rows that an import of the account leaves out or has left out, from one on, at
// most limit. They are kept as long as the import can be undone.
func (s *Service) Faulty(ctx context.Context, accountID, id string, from, limit int) (rows []FaultyRow, err error) {
	stored, err := db.Read(ctx, s.Store, func(tx *db.Tx) ([]db.ImportFault, error) { return tx.ImportFaults(accountID, id, from, limit) })
	for _, f := range stored {
		row := FaultyRow{Seq: f.Seq}
		err = cmp.Or(err, json.Unmarshal(f.Row, &row))
		rows = append(rows, row)
	}
	return rows, err
}

// WithFaulty returns an import of the account that leaves rows out, or has left them out, and
// still keeps them. A NotFound: there is none with this id.
func (s *Service) WithFaulty(ctx context.Context, accountID, id string) (Preview, error) {
	_, p, err := s.preview(ctx, accountID, id)
	if errors.Is(err, errNoPreview) {
		var done PastImport
		done, err = s.Progress(ctx, accountID, id)
		p = done.Preview
	}
	return p, err
}

// problemHeading is the heading of the column that says why a row is not imported. Import
// ignores it.
const problemHeading = "problem"

// WriteFaulty calls write with the headings of the file of an import, and with each row that it
// leaves out, in the file's own cells and a further one that says why.
func (s *Service) WriteFaulty(ctx context.Context, accountID string, p Preview, write func(cells []string) error) error {
	width := len(p.Headings)
	for from := 0; ; {
		rows, err := s.Faulty(ctx, accountID, p.ID, from, chunk)
		if err != nil {
			return err
		}
		if from == 0 {
			if len(rows) == 0 {
				return errNoPreview
			}
			if err := write(append(slices.Clone(p.Headings), problemHeading)); err != nil {
				return err
			}
		}
		for _, r := range rows {
			cells := append(slices.Clone(r.Cells), make([]string, max(0, width-len(r.Cells)))...)
			if err := write(slices.Insert(cells, width, r.Why())); err != nil {
				return err
			}
		}
		if len(rows) < chunk {
			return nil
		}
		from = rows[chunk-1].Seq + 1
	}
}
