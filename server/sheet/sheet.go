// Package sheet reads tables from merchants' files: CSV in any of the usual dialects, or
// an XLSX workbook.
//
// It owns everything between the bytes and the cells: the encoding, the delimiter, the
// worksheet, the row of headings, which rows are not data (rows above the headings, blank
// rows, headings repeated by page breaks, totals at the end), and how numbers are
// written. It does not know what a column means; the capabilities find that out by the
// headings. It knows no database and no HTTP. Of a text file it keeps one row in memory,
// and at first the fifty rows in which it looks for the headings; of a workbook, it keeps
// the file and its shared texts, too.
//
// A fault of the file is an *Error with the line and a reason for the merchant (I1). Any
// other error is a failure to read the file.
package sheet

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Limits bound the size of a file. The zero value does not limit bytes and rows, and has
// defaults for the rest.
type Limits struct {
	Bytes    int64 // of the file; 0: no limit
	Rows     int   // rows of data; 0: no limit
	Columns  int   // cells in a row; 0: 1,000
	RowBytes int   // of one row; 0: 1 MiB
	Unzipped int64 // bytes of an unpacked workbook, and of all its cells; 0: 512 MiB
}

func (l Limits) withDefaults() Limits {
	l.Columns = cmp.Or(l.Columns, 1000)
	l.RowBytes = cmp.Or(l.RowBytes, 1<<20)
	l.Unzipped = cmp.Or(l.Unzipped, 512<<20)
	return l
}

// Error is a fault of the file.
type Error struct {
	Line   int    // line of a text file, row of a worksheet; 0: the file as a whole
	Reason string // a clause without a full stop, such as "the file is empty"
}

// Error returns the line and the reason.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Reason
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
}

func errorAt(line int, format string, args ...any) *Error {
	return &Error{Line: line, Reason: fmt.Sprintf(format, args...)}
}

// Row is one row of data.
type Row struct {
	Line  int      // where it begins: line of a text file, row of a worksheet
	Cells []string // trimmed, one for each heading; the caller owns them
}

// Dialect is the format of the file.
type Dialect struct {
	Format    string // "csv" or "xlsx"
	Encoding  string // of a text file: "utf-8", "utf-8-bom", "utf-16le", "utf-16be", "windows-1252", "mixed"
	Delimiter rune   // of a text file: comma, semicolon, tab or bar; 0: one column
	Worksheet string // of a workbook: the name of the sheet that was read
}

// CommaLikely reports whether ambiguous numbers probably have a decimal comma: countries
// that use one separate cells by semicolons.
func (d Dialect) CommaLikely() bool { return d.Delimiter == ';' }

// Skipped counts the rows that are not data.
type Skipped struct {
	Before   int // rows above the headings that are not blank
	Blank    int // blank rows
	Repeated int // repeated headings
	Totals   int // totals at the end, and notes below them
}

// source returns the rows of the file.
type source interface {
	// next returns a row, which may be blank, with its line. After an *Error it
	// continues with the next row, or returns io.EOF if it cannot.
	next() (line int, cells []string, err error)
	close() error
}

// Sheet is an open table. It is not safe for concurrent use.
type Sheet struct {
	src         source
	dialect     Dialect
	limits      Limits
	headings    []string
	rawHeadings []string // as they are in the file, trimmed
	headLine    int
	width       int   // cells of the line with the headings; 0: rows may be wider
	keys        []int // columns that identify a row
	ahead       []aheadRow
	held        []Row // totals, unless data follows them
	ready       []Row // data to return next
	rows        int   // returned so far
	done        bool
	skipped     Skipped
}

// aheadRow is a row that was read to find the headings.
type aheadRow struct {
	line  int
	cells []string
	err   error
}

// Open detects the format of the file by its content, and finds its headings. The name
// matters only if the delimiter is ambiguous. The reader must stay readable until Close.
func Open(name string, r io.ReaderAt, size int64, limits Limits) (*Sheet, error) {
	limits = limits.withDefaults()
	if size == 0 {
		return nil, errorAt(0, "the file is empty")
	}
	if limits.Bytes > 0 && size > limits.Bytes {
		return nil, errorAt(0, "the file is larger than %s", sizeText(limits.Bytes))
	}
	s := &Sheet{limits: limits}
	var err error
	if s.src, s.dialect, err = openSource(name, r, size, limits); err != nil {
		return nil, err
	}

	if err := s.findHeadings(); err != nil {
		s.src.close()
		return nil, err
	}
	return s, nil
}

// Headings returns the names of the columns: trimmed, without line breaks, and distinct.
// A column without a heading is called "Column 3".
func (s *Sheet) Headings() []string { return slices.Clone(s.headings) }

// HeadingLine returns the line of the headings.
func (s *Sheet) HeadingLine() int { return s.headLine }

// Dialect returns the format of the file.
func (s *Sheet) Dialect() Dialect { return s.dialect }

// Skipped returns the counts so far; they are complete after io.EOF.
func (s *Sheet) Skipped() Skipped { return s.skipped }

// Close removes the temporary files of a workbook.
func (s *Sheet) Close() error { return s.src.close() }

// Identify sets the columns that identify a row, such as the number of a product: a row
// with such a cell is not a total. Call it before Next.
func (s *Sheet) Identify(columns ...int) { s.keys = columns }

// Next returns the next row of data, io.EOF after the last one, or an *Error.
// After an *Error the call may be repeated: it continues with the next row, or returns
// io.EOF if nothing after the fault can be read.
func (s *Sheet) Next() (Row, error) {
	for {
		if len(s.ready) > 0 {
			row := s.ready[0]
			s.ready = s.ready[1:]
			return s.count(row)
		}
		if s.done {
			return Row{}, io.EOF
		}
		row, ok, err := s.read()
		switch {
		case errors.Is(err, io.EOF):
			s.skipped.Totals += len(s.held)
			s.held = nil
			s.done = true
			return Row{}, io.EOF
		case err != nil:
			return Row{}, err
		case ok:
			s.holdTotals(row)
		}
	}
}

// count enforces the limit of rows.
func (s *Sheet) count(row Row) (Row, error) {
	if s.limits.Rows > 0 && s.rows == s.limits.Rows {
		s.done, s.ready, s.held = true, nil, nil
		return Row{}, errorAt(row.Line, "the file has more than %s rows", grouped(s.limits.Rows))
	}
	s.rows++
	return row, nil
}

// read returns the next row of the source; false if it is not data.
func (s *Sheet) read() (Row, bool, error) {
	line, cells, err := s.nextRaw()
	if err != nil {
		return Row{}, false, err
	}
	trimCells(cells)
	switch {
	case isBlank(cells):
		s.skipped.Blank++
		return Row{}, false, nil
	case s.isRepeated(cells):
		s.skipped.Repeated++
		return Row{}, false, nil
	}
	cells, err = s.fitWidth(line, cells)
	return Row{line, cells}, err == nil, err
}

// nextRaw returns the next row that was read ahead, or else that of the source.
func (s *Sheet) nextRaw() (int, []string, error) {
	if len(s.ahead) > 0 {
		row := s.ahead[0]
		s.ahead[0] = aheadRow{}
		s.ahead = s.ahead[1:]
		return row.line, row.cells, row.err
	}
	return s.src.next()
}

// fitWidth returns the row with one cell for each heading. In CSV, text beyond the last
// heading is an error: a wrong delimiter or quote has shifted cells to other columns.
func (s *Sheet) fitWidth(line int, cells []string) ([]string, error) {
	if s.width > 0 && len(cells) > s.width && !isBlank(cells[s.width:]) {
		return nil, errorAt(line, "the row has %d cells, but there are %d headings; a delimiter or a quote may be wrong", filled(cells), s.width)
	}
	if n := len(s.headings); len(cells) >= n {
		return cells[:n:n], nil
	}
	return append(cells, make([]string, len(s.headings)-len(cells))...), nil
}

// isRepeated reports whether a row repeats the headings, as after page breaks and in
// concatenated files.
func (s *Sheet) isRepeated(cells []string) bool {
	for i, text := range s.rawHeadings {
		if i >= len(cells) || cells[i] != text {
			return false
		}
	}
	return len(cells) <= len(s.rawHeadings) || isBlank(cells[len(s.rawHeadings):])
}

// holdTotals makes a row of data ready, and holds back rows that look like totals until
// it is known whether data follows.
func (s *Sheet) holdTotals(row Row) {
	isTail := s.isTotal(row.Cells) || len(s.held) > 0 && isNote(row.Cells)
	s.held = append(s.held, row)
	if !isTail || len(s.held) == maxHeld {
		s.ready, s.held = s.held, nil
	}
}

// trim removes white space from both ends, also non-breaking spaces and stray byte order
// marks.
func trim(s string) string {
	if s == "" || s[0] > ' ' && s[0] < 0x7f && s[len(s)-1] > ' ' && s[len(s)-1] < 0x7f {
		return s
	}
	return strings.TrimFunc(s, isSpace)
}

func trimCells(cells []string) {
	for i, text := range cells {
		cells[i] = trim(text)
	}
}

func isBlank(cells []string) bool {
	return !slices.ContainsFunc(cells, func(text string) bool { return text != "" })
}

// filled returns the number of cells up to the last one that is not blank.
func filled(cells []string) int {
	n := len(cells)
	for n > 0 && cells[n-1] == "" {
		n--
	}
	return n
}

// sizeText returns a limit as text, such as "20 MB" or "1 MiB".
func sizeText(n int64) string {
	switch {
	case n%1_000_000 == 0:
		return fmt.Sprintf("%d MB", n/1_000_000)
	case n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// grouped returns a number with commas between the thousands.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
