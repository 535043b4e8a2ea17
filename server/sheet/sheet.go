// Package sheet reads the rows of a table out of a file as merchants have them:
// CSV in any of the usual dialects, or an XLSX workbook.
//
// It owns everything between the bytes and the cells: the encoding, the
// delimiter, the worksheet, where the headings stand, which rows are none of the
// data (what precedes the headings, blank rows, headings repeated by page breaks,
// totals at the end), and how a column writes its numbers. It does not know what
// a column means: that is the business of the capabilities, which look at the
// headings. It knows no database and no HTTP. Of a text file it keeps
// one row in memory at a time, beside the first fifty, in which it looks for the
// headings; of a workbook the file as it came and its shared texts too.
//
// A fault of the file is an *Error with the line and a reason in words for the
// merchant (I1). Any other error is a failure to read, and ours.
package sheet

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Limits bound what a file may cost. The zero value has no limit on size and
// rows, and the defaults for the rest.
type Limits struct {
	Bytes    int64 // the file's size; 0: any
	Rows     int   // rows of data; 0: any
	Columns  int   // cells in a row; 0: 1,000
	RowBytes int   // one row; 0: 1 MiB
	Unzipped int64 // what a workbook unpacks to, and what its cells hold; 0: 512 MiB
}

const (
	defaultColumns  = 1000
	defaultRowBytes = 1 << 20
	defaultUnzipped = 512 << 20
)

func (l Limits) withDefaults() Limits {
	if l.Columns == 0 {
		l.Columns = defaultColumns
	}
	if l.RowBytes == 0 {
		l.RowBytes = defaultRowBytes
	}
	if l.Unzipped == 0 {
		l.Unzipped = defaultUnzipped
	}
	return l
}

// Error is a fault of the file.
type Error struct {
	Line   int    // line of a text file, row of a worksheet; 0: the file as a whole
	Reason string // a clause without a full stop, such as "the file is empty"
}

// Error puts the line before the reason.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Reason
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
}

func faulty(line int, format string, args ...any) *Error {
	return &Error{Line: line, Reason: fmt.Sprintf(format, args...)}
}

// Row is one row of data.
type Row struct {
	Line  int      // where it begins: the line of a text file, the row of a worksheet
	Cells []string // trimmed, one for each heading, and the caller's to keep
}

// Dialect says how the file was read.
type Dialect struct {
	Format    string // "csv" or "xlsx"
	Encoding  string // of a text file: "utf-8", "utf-8-bom", "utf-16le", "utf-16be", "windows-1252", "mixed"
	Delimiter rune   // of a text file: comma, semicolon, tab or bar; 0: one column
	Worksheet string // of a workbook: the name of the sheet that was read
}

// CommaLikely says whether numbers that leave it open have a decimal comma: the
// places that write one write semicolons between cells.
func (d Dialect) CommaLikely() bool { return d.Delimiter == ';' }

// Skipped counts the rows that were left out.
type Skipped struct {
	Before   int // not blank, above the headings
	Blank    int
	Repeated int // the headings once more
	Totals   int // totals at the end, and notes under them
}

// source gives the rows as they stand in the file.
type source interface {
	// next returns a row, which may be blank, with its line. After an *Error it
	// goes on with the row after, or returns io.EOF where it cannot.
	next() (line int, cells []string, err error)
	close() error
}

// Sheet is an open table. It is not safe for concurrent use.
type Sheet struct {
	src      source
	dialect  Dialect
	limits   Limits
	headings []string
	written  []string // the headings as they stand in the file, trimmed
	headLine int
	width    int   // cells of the line with the headings; 0: rows may be wider
	keys     []int // columns that identify a row
	ahead    []found
	held     []Row // totals, unless data follows them
	ready    []Row // no totals after all
	rows     int
	done     bool
	skipped  Skipped
}

// found is a row that was read in search of the headings.
type found struct {
	line  int
	cells []string
	err   error
}

// Open finds out what the file is and where its headings stand. The format comes
// of the content; name only breaks ties. The reader must stay readable until
// Close.
func Open(name string, r io.ReaderAt, size int64, limits Limits) (*Sheet, error) {
	limits = limits.withDefaults()
	if size == 0 {
		return nil, faulty(0, "the file is empty")
	}
	if limits.Bytes > 0 && size > limits.Bytes {
		return nil, faulty(0, "the file is larger than %s", sizeText(limits.Bytes))
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

// openSource looks at the first bytes.
func openSource(name string, r io.ReaderAt, size int64, limits Limits) (source, Dialect, error) {
	start := make([]byte, min(size, 4096))
	if _, err := r.ReadAt(start, 0); err != nil && err != io.EOF {
		return nil, Dialect{}, fmt.Errorf("read: %w", err)
	}
	switch kindOf(start) {
	case kindZip:
		return openXLSX(r, size, limits)
	case kindOLE:
		return nil, Dialect{}, oleFault(r, size)
	case kindOther:
		return nil, Dialect{}, faulty(0, "the file is neither CSV nor XLSX: %s", otherKind(start))
	}
	return openCSV(name, r, size, limits)
}

// Headings are the names of the columns: trimmed, without line breaks, and each
// a different one. A column without a heading is called "Column 3".
func (s *Sheet) Headings() []string { return slices.Clone(s.headings) }

// HeadingLine is where they stand.
func (s *Sheet) HeadingLine() int { return s.headLine }

// Dialect says how the file was read.
func (s *Sheet) Dialect() Dialect { return s.dialect }

// Skipped counts what was left out so far; it is complete after io.EOF.
func (s *Sheet) Skipped() Skipped { return s.skipped }

// Close frees the temporary files of a workbook.
func (s *Sheet) Close() error { return s.src.close() }

// Identify names columns whose cells tell one row from another, such as the number
// of a product: a row that has one is no total, whatever it is called. It is called
// before Next.
func (s *Sheet) Identify(columns ...int) { s.keys = columns }

// Next returns the next row of data, io.EOF after the last one, or an *Error.
// After an *Error the call may be repeated: it goes on with the row after, or
// returns io.EOF where nothing after the fault can be read.
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
			s.sift(row)
		}
	}
}

// count enforces the limit of rows.
func (s *Sheet) count(row Row) (Row, error) {
	if s.limits.Rows > 0 && s.rows == s.limits.Rows {
		s.done, s.ready, s.held = true, nil, nil
		return Row{}, faulty(row.Line, "the file has more than %s rows", grouped(s.limits.Rows))
	}
	s.rows++
	return row, nil
}

// read takes a row from the source; false if it is none of the data.
func (s *Sheet) read() (Row, bool, error) {
	line, cells, err := s.pull()
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
	cells, err = s.fit(line, cells)
	return Row{line, cells}, err == nil, err
}

func (s *Sheet) pull() (int, []string, error) {
	if len(s.ahead) > 0 {
		f := s.ahead[0]
		s.ahead[0] = found{}
		s.ahead = s.ahead[1:]
		return f.line, f.cells, f.err
	}
	return s.src.next()
}

// fit gives the row one cell for each heading. A text cell beyond the last
// heading means in CSV that a delimiter or a quote went wrong further left, so
// that every cell after it stands in the wrong column.
func (s *Sheet) fit(line int, cells []string) ([]string, error) {
	if s.width > 0 && len(cells) > s.width && !isBlank(cells[s.width:]) {
		return nil, faulty(line, "the row has %d cells, but there are %d headings; a delimiter or a quote may be wrong", filled(cells), s.width)
	}
	if n := len(s.headings); len(cells) >= n {
		return cells[:n:n], nil
	}
	return append(cells, make([]string, len(s.headings)-len(cells))...), nil
}

// isRepeated knows the headings once more, as page breaks and files that were
// put one after the other have them.
func (s *Sheet) isRepeated(cells []string) bool {
	for i, text := range s.written {
		if i >= len(cells) || cells[i] != text {
			return false
		}
	}
	return len(cells) <= len(s.written) || isBlank(cells[len(s.written):])
}

// sift lets a row of data out, and holds back what looks like totals until it is
// known whether data follows.
func (s *Sheet) sift(row Row) {
	if s.isTotal(row.Cells) || len(s.held) > 0 && isNote(row.Cells) {
		if s.held = append(s.held, row); len(s.held) < maxHeld {
			return
		}
		s.ready, s.held = s.held, nil
		return
	}
	if len(s.held) == 0 {
		s.ready = append(s.ready[:0:0], row)
		return
	}
	s.ready, s.held = append(s.held, row), nil
}

// trim takes white space off both ends, the non-breaking kind and stray byte
// order marks included.
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

// filled is the number of cells up to the last one that is not blank.
func filled(cells []string) int {
	n := len(cells)
	for n > 0 && cells[n-1] == "" {
		n--
	}
	return n
}

// sizeText words a limit, such as "20 MB" or "1 MiB".
func sizeText(n int64) string {
	switch {
	case n%1_000_000 == 0:
		return fmt.Sprintf("%d MB", n/1_000_000)
	case n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
