package sheet

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
)

// workbookFile is an open workbook.
type workbookFile struct {
	file     *excelize.File
	limits   Limits
	from1904 bool  // days count from 1904-01-01
	blank    int   // rows with which worksheets begin, so far in this pass
	bytes    int64 // of all cells so far in this pass
}

// xlsxSource returns the rows of one worksheet, which excelize reads as a stream.
//
// Cells have their stored values, not the displayed ones: a price displayed as 4.50 may
// be 4.499, and a barcode may be displayed as 5.01E+12. Numbers have 15 digits, as in
// spreadsheets, so that 0.55000000000000004 is 0.55. Only two kinds of cells are
// formatted: dates, in ISO form, and codes padded with zeros.
type xlsxSource struct {
	book *workbookFile
	rows *excelize.Rows
	line int
	any  bool // a row that is not blank was returned
	done bool
}

const (
	damaged = "the workbook is damaged"
	// maxBlank is one whole worksheet.
	maxBlank = 1_048_576
	// maxCell is the most characters of a cell in Excel.
	maxCell = 32_767
)

// openXLSX reads the whole file.
func openXLSX(r io.ReaderAt, size int64, limits Limits) (book, Dialect, error) {
	watched := &watchedReader{ReaderAt: r}
	file, err := openWatched(watched, size, limits)
	if err != nil {
		if watched.err != nil {
			err = fmt.Errorf("read: %w", watched.err)
		}
		return nil, Dialect{}, err
	}
	return file, Dialect{Format: "xlsx"}, nil
}

// watchedReader remembers a failure to read. The zip reader and the library report it as
// a fault of the file.
type watchedReader struct {
	io.ReaderAt
	err error
}

func (w *watchedReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := w.ReaderAt.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}

func openWatched(r io.ReaderAt, size int64, limits Limits) (*workbookFile, error) {
	if err := checkWorkbook(r, size, limits.Unzipped); err != nil {
		return nil, err
	}
	file, err := openWorkbook(r, size, limits.Unzipped)
	if err != nil {
		return nil, err
	}
	w := &workbookFile{file: file, limits: limits}
	if book := file.WorkBook; book != nil && book.WorkbookPr != nil {
		w.from1904 = book.WorkbookPr.Date1904
	}
	return w, nil
}

// openWorkbook opens the file with the library, and returns an error if the library
// panics, as it may on invalid values.
func openWorkbook(r io.ReaderAt, size, unzipped int64) (file *excelize.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errorAt(0, damaged)
		}
		if err != nil && file != nil {
			file.Close()
		}
	}()
	options := excelize.Options{UnzipSizeLimit: unzipped, UnzipXMLSizeLimit: min(unzipped/4, 16<<20)}
	file, err = excelize.OpenReader(io.NewSectionReader(r, 0, size), options)
	if err != nil {
		return file, errorAt(0, damaged)
	}
	return file, markDates(file)
}

// worksheets implements book. Charts are among them.
func (w *workbookFile) worksheets() (all []tab) {
	for _, name := range w.file.GetSheetList() {
		if shown, err := w.file.GetSheetVisible(name); err == nil {
			all = append(all, tab{name, !shown})
		}
	}
	return all
}

// open implements book. The source is nil for a chart.
func (w *workbookFile) open(name string) (source, error) {
	rows, err := w.file.Rows(name)
	if errors.Is(err, excelize.ErrSheetNameLength) {
		return nil, errorAt(0, "the name of the worksheet %s is too long; give it a shorter one", Quote(name))
	}
	if err != nil {
		return nil, nil // a chart
	}
	return &xlsxSource{book: w, rows: rows}, nil
}

// restart implements book.
func (w *workbookFile) restart() { w.blank, w.bytes = 0, 0 }

func (w *workbookFile) close() error { return w.file.Close() }

// errBlank is the fault of a workbook that takes too long to read for what is in it.
var errBlank = errorAt(0, "the workbook is too complex: its worksheets begin with more than %s blank rows", grouped(maxBlank))

// next implements source.
func (x *xlsxSource) next() (line int, cells []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			x.done = true
			line, cells, err = 0, nil, errorAt(x.line, damaged)
		}
	}()
	if x.done {
		return 0, nil, io.EOF
	}
	if !x.rows.Next() {
		x.done = true
		if x.rows.Error() != nil {
			return 0, nil, errorAt(x.line+1, damaged)
		}
		return 0, nil, io.EOF
	}
	x.line++
	if cells, err = x.rows.Columns(); err != nil {
		x.done = true
		return 0, nil, errorAt(x.line, damaged)
	}
	if err := x.checkLimits(cells); err != nil {
		return 0, nil, err
	}
	for i, text := range cells {
		cells[i] = decodeDate(text, x.book.from1904)
	}
	return x.line, cells, x.countBlank(cells)
}

// countBlank bounds the blank rows with which worksheets begin: a cell in the last row
// makes the library read all the rows above it.
func (x *xlsxSource) countBlank(cells []string) error {
	if x.any {
		return nil
	}
	if trimCells(cells); !isBlank(cells) {
		x.any = true
		return nil
	}
	if x.book.blank++; x.book.blank > maxBlank {
		x.done = true
		return errBlank
	}
	return nil
}

// checkLimits enforces the limits on a row and on all rows: the file stores a shared text
// once, but each cell has a copy.
func (x *xlsxSource) checkLimits(cells []string) error {
	if most := x.book.limits.Columns; len(cells) > most && !isBlank(cells[most:]) {
		x.done = true
		return errorAt(x.line, "the row has more than %d cells", most)
	}
	size, isLong := 0, false
	for _, text := range cells {
		size += len(text)
		isLong = isLong || len(text) > maxCell && utf8.RuneCountInString(text) > maxCell
	}
	x.book.bytes += int64(size)
	switch {
	case x.book.bytes > x.book.limits.Unzipped:
		x.done = true
		return errorAt(x.line, "the cells of the workbook hold more than %s", sizeText(x.book.limits.Unzipped))
	case isLong:
		return errorAt(x.line, "a cell has more than %s characters", grouped(maxCell))
	case size > x.book.limits.RowBytes:
		return errorAt(x.line, "the row is longer than %s", sizeText(int64(x.book.limits.RowBytes)))
	}
	return nil
}

func (x *xlsxSource) close() error { return x.rows.Close() }
