// Package sheet reads tables from merchants' files: CSV in any of the usual dialects, or
// an XLSX workbook.
//
// It owns everything between the bytes and the cells: the encoding, the delimiter, the
// tables of a workbook or a report (table.go) and which of them are read, the headings, which rows are not data (rows above the headings, blank
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
	"math"
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
	Worksheet string // if rows of several worksheets are read: the one at fault
	Line      int    // line of a text file, row of a worksheet; 0: the file as a whole
	Reason    string // a clause without a full stop, such as "the file is empty"
	// Cells are those of a row that is at fault by itself: the others are read as if it were
	// not there. It is nil for any other fault.
	Cells []string
}

// Error returns the worksheet, the line and the reason.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Reason
	}
	return Place(e.Worksheet, e.Line) + ": " + e.Reason
}

// Place names a row for a merchant: "line 5", or "March, line 5" if rows of several
// worksheets are read.
func Place(worksheet string, line int) string {
	if worksheet == "" {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("%s, line %d", worksheet, line)
}

func errorAt(line int, format string, args ...any) *Error {
	return &Error{Line: line, Reason: fmt.Sprintf(format, args...)}
}

// Row is one row of data.
type Row struct {
	Worksheet string   // where it is, if rows of several worksheets are read
	Line      int      // where it begins: line of a text file, row of a worksheet
	Cells     []string // trimmed, one for each heading; the caller owns them
}

// Dialect is the format of the file.
type Dialect struct {
	Format    string // "csv" or "xlsx"
	Encoding  string // of a text file: "utf-8", "utf-8-bom", "utf-16le", "utf-16be", "windows-1252", "mixed"
	Delimiter rune   // of a text file: comma, semicolon, tab or bar; 0: one column
	Worksheet string // of a workbook: the name of the first sheet that is read
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
	Beyond   int // rows with text to the right of the last heading, which is not read
}

func (s Skipped) plus(o Skipped) Skipped {
	return Skipped{s.Before + o.Before, s.Blank + o.Blank, s.Repeated + o.Repeated, s.Totals + o.Totals, s.Beyond + o.Beyond}
}

// book is an open file: the worksheets of a workbook, or one text.
type book interface {
	worksheets() []tab
	// open returns the rows of a worksheet from its beginning.
	open(name string) (source, error)
	// restart begins a pass anew: what bounds all rows of a pass counts from zero.
	restart()
	close() error
}

// tab is one worksheet; that of a text file has no name.
type tab struct {
	name   string
	hidden bool
}

// source returns the rows of the file.
type source interface {
	// next returns a row, which may be blank, with its line. After an *Error it
	// continues with the next row, or returns io.EOF if it cannot.
	next() (line int, cells []string, err error)
	close() error
}

// Sheet reads a table of a file: one, or several with equal headings one after the other.
// It is not safe for concurrent use.
type Sheet struct {
	book     book
	dialect  Dialect
	limits   Limits
	tables   []Table
	headings []string
	keys     []int // columns that identify a row
	first    int   // index of the first table that is read

	next    int   // index of the table to read next
	part    *part // nil: the next is to be opened
	columns []int // for each heading its column in the part; -1: none
	several bool  // rows of several worksheets are read
	skipped Skipped
	rows    int // returned so far
	done    bool
}

// Open detects the format of the file by its content, finds its tables, and opens those
// that are chosen. The name matters only if the delimiter is ambiguous. The reader must
// stay readable until Close.
func Open(name string, r io.ReaderAt, size int64, limits Limits, choice Choice) (*Sheet, error) {
	limits = limits.withDefaults()
	if size == 0 {
		return nil, errorAt(0, "the file is empty")
	}
	if limits.Bytes > 0 && size > limits.Bytes {
		return nil, errorAt(0, "the file is larger than %s", sizeText(limits.Bytes))
	}
	s := &Sheet{limits: limits}
	var err error
	if s.book, s.dialect, err = openBook(name, r, size, limits); err != nil {
		return nil, err
	}
	if err = s.choose(choice); err == nil {
		err = s.Rewind()
	}
	if err != nil {
		return nil, errors.Join(err, s.book.close())
	}
	return s, nil
}

// choose finds the tables and marks those that are read.
func (s *Sheet) choose(choice Choice) (err error) {
	if s.tables, err = survey(s.book, s.dialect.Format, s.limits); err != nil {
		return err
	}
	known := map[string]extent{}
	measure := func(t Table) (e extent, err error) {
		e, ok := known[t.Name()]
		if !ok {
			e, err = s.measure(t)
			known[t.Name()] = e
		}
		return e, err
	}
	if err := choice.take(s.tables, measure); err != nil {
		return err
	}
	first := ""
	for i, t := range s.tables {
		if !t.Taken {
			continue
		}
		if s.headings == nil {
			first, s.first, s.headings = t.Worksheet, i, slices.Clone(t.Headings)
			continue
		}
		s.several = s.several || t.Worksheet != first
		s.headings = append(s.headings, missing(s.headings, t.Headings)...)
	}
	s.dialect.Worksheet = first
	return nil
}

// measure reads a table to its end.
func (s *Sheet) measure(t Table) (e extent, err error) {
	s.book.restart()
	src, err := s.book.open(t.Worksheet)
	if err != nil {
		return extent{}, err
	}
	p := &part{src: src, format: s.dialect.Format, limits: s.limits}
	if err = p.seek(t); err == nil {
		e.rows, e.digest, _, err = p.countRows(math.MaxInt)
	}
	return e, errors.Join(err, src.close())
}

// Rewind begins anew: Next returns the first row again, and Skipped counts from zero.
func (s *Sheet) Rewind() error {
	if err := s.closePart(); err != nil {
		return err
	}
	s.book.restart()
	s.next, s.skipped, s.rows, s.done = s.first, Skipped{}, 0, false
	return s.openNext()
}

func (s *Sheet) closePart() error {
	if s.part == nil {
		return nil
	}
	err := s.part.src.close()
	s.part = nil
	return err
}

// openNext opens the table at s.next.
func (s *Sheet) openNext() error {
	t := s.tables[s.next]
	src, err := s.book.open(t.Worksheet)
	if err != nil {
		return err
	}
	s.part = &part{src: src, format: s.dialect.Format, limits: s.limits}
	if err := s.part.seek(t); err != nil {
		return s.placed(err)
	}
	s.columns = nil
	if !slices.Equal(s.headings, s.part.headings) {
		s.columns = positions(s.headings, s.part.headings)
	}
	s.identify()
	return nil
}

// identify tells the part which of its columns identify a row.
func (s *Sheet) identify() {
	if s.part == nil {
		return
	}
	s.part.keys = s.keys
	if s.columns != nil {
		s.part.keys = nil
		for _, key := range s.keys {
			s.part.keys = append(s.part.keys, s.columns[key])
		}
	}
}

// placed adds the worksheet to a fault of a row, if it is needed to find it.
func (s *Sheet) placed(err error) error {
	fault, ok := errors.AsType[*Error](err)
	if !ok || !s.several {
		return err
	}
	return &Error{Worksheet: s.tables[s.next].Worksheet, Line: fault.Line, Reason: fault.Reason, Cells: fault.Cells}
}

// Headings returns the names of the columns: trimmed, without line breaks, and distinct.
// A column without a heading is called "Column 3".
func (s *Sheet) Headings() []string { return slices.Clone(s.headings) }

// HeadingLine returns the line of the headings of the first table that is read.
func (s *Sheet) HeadingLine() int { return s.tables[s.first].Line }

// Dialect returns the format of the file.
func (s *Sheet) Dialect() Dialect { return s.dialect }

// Tables returns all tables of the file, and worksheets without one, in order.
func (s *Sheet) Tables() []Table { return slices.Clone(s.tables) }

// Skipped returns the counts so far; they are complete after io.EOF.
func (s *Sheet) Skipped() Skipped {
	if s.part == nil {
		return s.skipped
	}
	return s.skipped.plus(s.part.skipped)
}

// Close removes the temporary files of a workbook.
func (s *Sheet) Close() error { return errors.Join(s.closePart(), s.book.close()) }

// Identify sets the columns that identify a row, such as the number of a product: a row
// with such a cell is not a total. Call it before Next.
func (s *Sheet) Identify(columns ...int) {
	s.keys = columns
	s.identify()
}

// Next returns the next row of data, io.EOF after the last one, or an *Error.
// After an *Error the call may be repeated: it continues with the next row, or returns
// io.EOF if nothing after the fault can be read.
func (s *Sheet) Next() (Row, error) {
	for !s.done {
		if s.part == nil {
			if err := s.openNext(); err != nil {
				s.done = true
				return Row{}, err
			}
		}
		row, err := s.part.next()
		if errors.Is(err, io.EOF) {
			if err := s.endPart(); err != nil {
				return Row{}, err
			}
			continue
		}
		if err != nil {
			return Row{}, s.placed(err)
		}
		return s.count(row)
	}
	return Row{}, io.EOF
}

// endPart goes on to the next table that is taken. A table below one that was too long to
// be surveyed to its end is a fault, since nobody could choose it.
func (s *Sheet) endPart() error {
	t, p := s.tables[s.next], s.part
	s.skipped = s.skipped.plus(p.skipped)
	if err := s.closePart(); err != nil {
		return err
	}
	if len(p.edge.after) > 0 && t.More {
		s.done = true
		head := p.edge.head()
		return s.placed(errorAt(head.line, "a second table begins here, with the headings %s; save it as a file of its own", quotedList(head.cells)))
	}
	more := slices.IndexFunc(s.tables[s.next+1:], func(t Table) bool { return t.Taken })
	if more < 0 {
		s.done = true
		return nil
	}
	s.next += 1 + more
	return nil
}

// count enforces the limit of rows, and returns the row below the headings.
func (s *Sheet) count(row Row) (Row, error) {
	if s.limits.Rows > 0 && s.rows == s.limits.Rows {
		s.done = true
		return Row{}, s.placed(errorAt(row.Line, "the file has more than %s rows", grouped(s.limits.Rows)))
	}
	s.rows++
	if s.several {
		row.Worksheet = s.tables[s.next].Worksheet
	}
	if s.columns != nil {
		row.Cells = align(row.Cells, s.columns)
	}
	return row, nil
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
