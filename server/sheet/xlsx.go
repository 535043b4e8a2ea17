package sheet

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
)

// xlsxSource returns the rows of one worksheet, which excelize reads as a stream.
//
// Cells have their stored values, not the displayed ones: a price displayed as 4.50 may
// be 4.499, and a barcode may be displayed as 5.01E+12. Numbers have 15 digits, as in
// spreadsheets, so that 0.55000000000000004 is 0.55. Only two kinds of cells are
// formatted: dates, in ISO form, and codes padded with zeros.
type xlsxSource struct {
	file   *excelize.File
	rows   *excelize.Rows
	limits Limits
	line   int
	first  []string // cells of the first row that is not blank, which next returns first
	done   bool
	blank  int   // rows that were read to find the worksheet
	bytes  int64 // of all cells so far

	from1904 bool // days count from 1904-01-01
}

const (
	damaged = "the workbook is damaged"
	// maxBlank is one whole worksheet.
	maxBlank = 1_048_576
	// maxCell is the most characters of a cell in Excel.
	maxCell = 32_767
)

// openXLSX reads the whole file, and opens the first visible worksheet that is not empty,
// else the first hidden one.
func openXLSX(r io.ReaderAt, size int64, limits Limits) (source, Dialect, error) {
	watched := &watchedReader{ReaderAt: r}
	src, dialect, err := openWatched(watched, size, limits)
	if err != nil && watched.err != nil {
		return nil, Dialect{}, fmt.Errorf("read: %w", watched.err)
	}
	return src, dialect, err
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

func openWatched(r io.ReaderAt, size int64, limits Limits) (source, Dialect, error) {
	if err := checkWorkbook(r, size, limits.Unzipped); err != nil {
		return nil, Dialect{}, err
	}
	file, err := openWorkbook(r, size, limits.Unzipped)
	if err != nil {
		return nil, Dialect{}, err
	}
	src := &xlsxSource{file: file, limits: limits}
	if book := file.WorkBook; book != nil && book.WorkbookPr != nil {
		src.from1904 = book.WorkbookPr.Date1904
	}
	name, err := src.chooseWorksheet()
	if err != nil {
		src.close()
		return nil, Dialect{}, err
	}
	return src, Dialect{Format: "xlsx", Worksheet: name}, nil
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

// chooseWorksheet opens the worksheet to read and returns its name.
func (x *xlsxSource) chooseWorksheet() (string, error) {
	names := x.file.GetSheetList()
	for _, hidden := range []bool{false, true} {
		for _, name := range names {
			if shown, err := x.file.GetSheetVisible(name); err != nil || shown == hidden {
				continue
			}
			ok, err := x.openWorksheet(name)
			if err != nil {
				return "", err
			}
			if ok {
				return name, nil
			}
		}
	}
	return "", errorAt(0, "the workbook has no worksheet with anything in it")
}

// openWorksheet opens a worksheet and reads its first row that is not blank. It reports
// false if there is none.
func (x *xlsxSource) openWorksheet(name string) (bool, error) {
	rows, err := x.file.Rows(name)
	if errors.Is(err, excelize.ErrSheetNameLength) {
		return false, errorAt(0, "the name of the worksheet %s is too long; give it a shorter one", Quote(name))
	}
	if err != nil {
		return false, nil // a chart
	}
	x.rows, x.line, x.done = rows, 0, false
	for {
		_, cells, err := x.next()
		if errors.Is(err, io.EOF) {
			return false, rows.Close()
		}
		if err != nil {
			return false, err
		}
		if trimCells(cells); !isBlank(cells) {
			x.first = cells
			return true, nil
		}
		if x.blank++; x.blank > maxBlank {
			return false, errorAt(0, "the workbook is too complex: its worksheets begin with more than %s blank rows", grouped(maxBlank))
		}
	}
}

// next implements source.
func (x *xlsxSource) next() (line int, cells []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			x.done = true
			line, cells, err = 0, nil, errorAt(x.line, damaged)
		}
	}()
	if x.first != nil {
		cells, x.first = x.first, nil
		return x.line, cells, nil
	}
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
		cells[i] = decodeDate(text, x.from1904)
	}
	return x.line, cells, nil
}

// checkLimits enforces the limits on a row and on all rows: the file stores a shared text
// once, but each cell has a copy.
func (x *xlsxSource) checkLimits(cells []string) error {
	if most := x.limits.Columns; len(cells) > most && !isBlank(cells[most:]) {
		x.done = true
		return errorAt(x.line, "the row has more than %d cells", most)
	}
	size, isLong := 0, false
	for _, text := range cells {
		size += len(text)
		isLong = isLong || len(text) > maxCell && utf8.RuneCountInString(text) > maxCell
	}
	x.bytes += int64(size)
	switch {
	case x.bytes > x.limits.Unzipped:
		x.done = true
		return errorAt(x.line, "the cells of the workbook hold more than %s", sizeText(x.limits.Unzipped))
	case isLong:
		return errorAt(x.line, "a cell has more than %s characters", grouped(maxCell))
	case size > x.limits.RowBytes:
		return errorAt(x.line, "the row is longer than %s", sizeText(int64(x.limits.RowBytes)))
	}
	return nil
}

func (x *xlsxSource) close() error {
	if x.rows != nil {
		x.rows.Close()
	}
	return x.file.Close()
}
