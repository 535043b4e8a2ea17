package sheet

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
)

// xlsxSource gives the rows of one worksheet. Excelize reads them as a stream.
//
// Cells are what is stored and not what is shown: a price shown as 4.50 may be
// 4.499, and a barcode may be shown as 5.01E+12. Numbers have the 15 digits that
// a spreadsheet reckons with, so that 0.55000000000000004 is 0.55. Only two kinds
// of cells have the text of their format: dates, in ISO form, and codes padded
// with zeros.
type xlsxSource struct {
	file   *excelize.File
	rows   *excelize.Rows
	limits Limits
	line   int
	first  []string // of the row at line, read to see that the sheet is not empty
	over   bool
	blank  int   // rows that were read in search of the worksheet
	bytes  int64 // of all cells so far

	from1904 bool // days count from 1904-01-01
}

const (
	damaged = "the workbook is damaged"
	// maxBlank is one whole worksheet.
	maxBlank = 1_048_576
	// maxCell is how many characters a spreadsheet lets stand in a cell.
	maxCell = 32_767
)

// openXLSX opens the first worksheet that is shown and not empty. The whole file
// is read here.
func openXLSX(r io.ReaderAt, size int64, limits Limits) (source, Dialect, error) {
	watched := &watchedReader{ReaderAt: r}
	src, dialect, err := openWatched(watched, size, limits)
	if err != nil && watched.err != nil {
		return nil, Dialect{}, fmt.Errorf("read: %w", watched.err)
	}
	return src, dialect, err
}

// watchedReader remembers a failure to read, which those above it take for a
// fault of the file.
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
	if err := vet(r, size, limits.Unzipped); err != nil {
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
	name, err := src.choose()
	if err != nil {
		src.close()
		return nil, Dialect{}, err
	}
	return src, Dialect{Format: "xlsx", Worksheet: name}, nil
}

// openWorkbook keeps a panic of the library, which knows no bounds for what a
// file may claim, from being ours.
func openWorkbook(r io.ReaderAt, size, unzipped int64) (file *excelize.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = faulty(0, damaged)
		}
	}()
	options := excelize.Options{UnzipSizeLimit: unzipped, UnzipXMLSizeLimit: min(unzipped/4, 16<<20)}
	file, err = excelize.OpenReader(io.NewSectionReader(r, 0, size), options)
	if err != nil {
		if file != nil {
			file.Close()
		}
		return nil, faulty(0, damaged)
	}
	return file, plainStyles(file)
}

// choose finds the worksheet and reads its first row that is not blank.
func (x *xlsxSource) choose() (string, error) {
	names := x.file.GetSheetList()
	for _, hidden := range []bool{false, true} {
		for _, name := range names {
			if shown, err := x.file.GetSheetVisible(name); err != nil || shown == hidden {
				continue
			}
			ok, err := x.begin(name)
			if err != nil {
				return "", err
			}
			if ok {
				return name, nil
			}
		}
	}
	return "", faulty(0, "the workbook has no worksheet with anything in it")
}

// begin opens a worksheet; false if it is empty.
func (x *xlsxSource) begin(name string) (bool, error) {
	rows, err := x.file.Rows(name)
	if errors.Is(err, excelize.ErrSheetNameLength) {
		return false, faulty(0, "the name of the worksheet %s is too long; give it a shorter one", Quote(name))
	}
	if err != nil {
		return false, nil // a chart
	}
	x.rows, x.line, x.over = rows, 0, false
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
			return false, faulty(0, "the workbook is too complex: its worksheets begin with more than %s blank rows", grouped(maxBlank))
		}
	}
}

// next implements source.
func (x *xlsxSource) next() (line int, cells []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			x.over = true
			line, cells, err = 0, nil, faulty(x.line, damaged)
		}
	}()
	if x.first != nil {
		cells, x.first = x.first, nil
		return x.line, cells, nil
	}
	if x.over {
		return 0, nil, io.EOF
	}
	if !x.rows.Next() {
		x.over = true
		if x.rows.Error() != nil {
			return 0, nil, faulty(x.line+1, damaged)
		}
		return 0, nil, io.EOF
	}
	x.line++
	if cells, err = x.rows.Columns(); err != nil {
		x.over = true
		return 0, nil, faulty(x.line, damaged)
	}
	if err := x.measure(cells); err != nil {
		return 0, nil, err
	}
	for i, text := range cells {
		cells[i] = plainText(text, x.from1904)
	}
	return x.line, cells, nil
}

// measure enforces the limits on a row and on all of them: one text that many cells
// share is in the file once, and in each of the rows.
func (x *xlsxSource) measure(cells []string) error {
	if most := x.limits.Columns; len(cells) > most && !isBlank(cells[most:]) {
		x.over = true
		return faulty(x.line, "the row has more than %d cells", most)
	}
	size, isLong := 0, false
	for _, text := range cells {
		size += len(text)
		isLong = isLong || len(text) > maxCell && utf8.RuneCountInString(text) > maxCell
	}
	x.bytes += int64(size)
	switch {
	case x.bytes > x.limits.Unzipped:
		x.over = true
		return faulty(x.line, "the cells of the workbook hold more than %s", sizeText(x.limits.Unzipped))
	case isLong:
		return faulty(x.line, "a cell has more than %s characters", grouped(maxCell))
	case size > x.limits.RowBytes:
		return faulty(x.line, "the row is longer than %s", sizeText(int64(x.limits.RowBytes)))
	}
	return nil
}

func (x *xlsxSource) close() error {
	if x.rows != nil {
		x.rows.Close()
	}
	return x.file.Close()
}
