package sheet

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// textFile is an open text.
type textFile struct {
	r         io.ReaderAt
	size      int64
	format    textFormat
	delimiter byte
	declared  bool // the first line names the delimiter
	limits    Limits
}

// openCSV detects the encoding, the line ends and the delimiter.
func openCSV(name string, r io.ReaderAt, size int64, limits Limits) (book, Dialect, error) {
	t, err := inspectText(r, size)
	if err != nil {
		return nil, Dialect{}, err
	}
	f := &textFile{r: r, size: size, format: t, limits: limits}
	if f.delimiter, f.declared, err = findDelimiter(name, t.reader(r, size), t.eol); err != nil {
		return nil, Dialect{}, err
	}
	return f, Dialect{Format: "csv", Encoding: t.encoding, Delimiter: rune(f.delimiter)}, nil
}

// worksheets implements book.
func (f *textFile) worksheets() []tab { return []tab{{}} }

// open implements book.
func (f *textFile) open(string) (source, error) {
	rows := newSplitter(f.format.reader(f.r, f.size), f.format.eol, f.delimiter, f.limits)
	if f.declared {
		if _, err := rows.readLine(); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// restart implements book.
func (f *textFile) restart() {}

func (f *textFile) close() error { return nil }

// splitter splits a text in UTF-8 into rows and cells. It is the source of a text file.
//
// A quote at the beginning of a cell, after optional spaces, opens a quoted cell; two
// quotes in it mean one; a quote before a delimiter or the end of a line closes it. A
// line that breaks these rules is read again by itself with tolerant rules (see lenient).
// A cell that is never closed is a fault of its row only: the lines that were read to
// find its end are put back. So a stray quote never swallows the rows after it, as it
// does with the LazyQuotes of encoding/csv.
type splitter struct {
	in        *bufio.Reader
	eol       byte
	delimiter byte // 0: each line is one cell
	maxBytes  int
	maxCells  int

	line int    // number of the last line that was read
	back []byte // lines to read again before the rest of in
	done bool   // after a fault after which nothing can be read

	raw  []byte // the lines of the row
	text []byte // the concatenated cells of the row
	ends []int  // end of each cell in text
}

func newSplitter(in io.Reader, eol, delimiter byte, limits Limits) *splitter {
	return &splitter{
		in:        bufio.NewReaderSize(in, 32<<10),
		eol:       eol,
		delimiter: delimiter,
		maxBytes:  limits.RowBytes,
		maxCells:  limits.Columns,
	}
}

var (
	errUnclosed = errors.New("a quoted cell is not closed")
	errMisquote = errors.New("text after a closing quote")
	errMany     = errors.New("too many cells")
)

func (s *splitter) close() error { return nil }

// next implements source.
func (s *splitter) next() (int, []string, error) {
	if s.done {
		return 0, nil, io.EOF
	}
	first, err := s.readLine()
	if err != nil {
		return 0, nil, err
	}
	line := s.line
	s.raw = append(s.raw[:0], first...)
	width := len(s.raw)

	err = s.split(s.strict)
	if errors.Is(err, errMisquote) && len(s.raw) == width {
		err = s.split(s.lenient)
	}
	switch {
	case err == nil:
		return line, s.cells(), nil
	case errors.Is(err, errMany):
		s.done = true
		return 0, nil, errorAt(line, "the row has more than %d cells", s.maxCells)
	case errors.Is(err, errUnclosed), errors.Is(err, errMisquote):
		s.putBack(line, width)
		return 0, nil, errorAt(line, "a quoted cell that begins here is not closed properly")
	}
	return 0, nil, err
}

// cells returns the cells of the row, with two allocations. A cell that a program has written as
// text, lest it be taken for a formula, is what it was.
func (s *splitter) cells() []string {
	all := string(s.text)
	cells := make([]string, len(s.ends))
	start := 0
	for i, end := range s.ends {
		cells[i] = Unguard(all[start:end])
		start = end
	}
	return cells
}

// split splits the row that begins with s.raw. Cell appends the text of the cell that
// begins at a position, and returns the position of the delimiter or the end after it.
func (s *splitter) split(cell func(at int) (end int, err error)) error {
	s.text, s.ends = s.text[:0], s.ends[:0]
	for at := 0; ; at++ {
		end, err := cell(at)
		if err != nil {
			return err
		}
		if s.ends = append(s.ends, len(s.text)); len(s.ends) > s.maxCells {
			return errMany
		}
		if at = end; at >= len(s.raw) {
			return nil
		}
	}
}

// strict reads a cell by the strict rules. It reads more lines if a quoted cell needs
// them.
func (s *splitter) strict(at int) (end int, err error) {
	if start := s.skipSpaces(at); start < len(s.raw) && s.raw[start] == '"' {
		return s.quoted(start + 1)
	}
	return s.unquoted(at), nil
}

// quoted reads a cell from after its opening quote, and returns the position of the
// delimiter or the end.
func (s *splitter) quoted(at int) (int, error) {
	for {
		i := bytes.IndexByte(s.raw[at:], '"')
		if i < 0 {
			s.text = append(s.text, s.raw[at:]...)
			at = len(s.raw)
			if err := s.appendLine(); err != nil {
				return 0, err
			}
			continue
		}
		s.text = append(s.text, s.raw[at:at+i]...)
		at += i + 1
		if at < len(s.raw) && s.raw[at] == '"' {
			s.text = append(s.text, '"')
			at++
			continue
		}
		if end := s.skipSpaces(at); s.isEnd(end) {
			return end, nil
		}
		return 0, errMisquote
	}
}

// lenient reads a cell of a line that breaks the strict rules. A quoted cell ends at the
// first quote before a delimiter, and other quotes are text: `"12" TV",5`. A cell without
// such an end is not quoted: `"Nice" soap,5`. But a cell with only the opening quote is a
// quoted cell that is not closed.
func (s *splitter) lenient(at int) (end int, err error) {
	start := s.skipSpaces(at)
	if start == len(s.raw) || s.raw[start] != '"' {
		return s.unquoted(at), nil
	}
	start++
	closing, end := s.closing(start)
	switch {
	case closing >= 0:
		s.text = append(s.text, bytes.ReplaceAll(s.raw[start:closing], []byte(`""`), []byte(`"`))...)
		return end, nil
	case bytes.IndexByte(s.raw[start:], '"') < 0:
		return 0, errUnclosed
	}
	return s.unquoted(at), nil
}

// closing returns the position of the quote that closes a cell, or -1, and that of the
// delimiter or the end after it.
func (s *splitter) closing(at int) (closing, after int) {
	for at < len(s.raw) {
		i := bytes.IndexByte(s.raw[at:], '"')
		if i < 0 {
			break
		}
		at += i
		if at+1 < len(s.raw) && s.raw[at+1] == '"' {
			at += 2
			continue
		}
		if end := s.skipSpaces(at + 1); s.isEnd(end) {
			return at, end
		}
		at++
	}
	return -1, 0
}

// unquoted reads an unquoted cell, and returns the position of the delimiter or the end.
func (s *splitter) unquoted(at int) (end int) {
	end = len(s.raw)
	if i := bytes.IndexByte(s.raw[at:], s.delimiter); i >= 0 && s.delimiter != 0 {
		end = at + i
	}
	s.text = append(s.text, s.raw[at:end]...)
	return end
}

func (s *splitter) isEnd(at int) bool {
	return at == len(s.raw) || s.delimiter != 0 && s.raw[at] == s.delimiter
}

func (s *splitter) skipSpaces(at int) int {
	for at < len(s.raw) && s.raw[at] == ' ' {
		at++
	}
	return at
}

// appendLine appends the next line to the row.
func (s *splitter) appendLine() error {
	line, err := s.readLine()
	if errors.Is(err, io.EOF) {
		return errUnclosed
	}
	if err != nil {
		return err
	}

	s.raw = append(append(s.raw, '\n'), line...)
	if len(s.raw) > s.maxBytes {
		return errUnclosed
	}
	return nil
}

// putBack makes the line after the given one the next line; width is the length of the
// given one in s.raw.
func (s *splitter) putBack(line, width int) {
	if rest := s.raw[width:]; len(rest) > 0 {
		lines := append(slices.Clone(rest[1:]), '\n')
		if s.eol != '\n' {
			lines = bytes.ReplaceAll(lines, []byte{'\n'}, []byte{s.eol})
		}
		s.back = append(lines, s.back...)
	}
	s.line = line
}

// readLine returns the next line without its end; the bytes are valid until the
// next call. After a line that is too long nothing more is read, because its end may not
// be found.
func (s *splitter) readLine() ([]byte, error) {
	if len(s.back) > 0 {
		line, rest, _ := bytes.Cut(s.back, []byte{s.eol})
		s.back = rest
		s.line++
		return bytes.TrimRight(line, "\r"), nil
	}
	line, err := s.in.ReadSlice(s.eol)
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = s.readLong(line)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		if _, ok := errors.AsType[*Error](err); ok {
			return nil, err
		}
		return nil, fmt.Errorf("read: %w", err)
	}
	if err != nil && len(line) == 0 {
		return nil, io.EOF
	}
	s.line++
	if len(line) > s.maxBytes {
		return nil, s.tooLong(s.line)
	}
	if n := len(line); line[n-1] == s.eol {
		line = line[:n-1]
	}
	return bytes.TrimRight(line, "\r"), nil
}

// readLong reads the rest of a line that is longer than the buffer.
func (s *splitter) readLong(begin []byte) ([]byte, error) {
	long := slices.Clone(begin)
	for {
		part, err := s.in.ReadSlice(s.eol)
		if len(long)+len(part) > s.maxBytes {
			return nil, s.tooLong(s.line + 1)
		}
		long = append(long, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return long, err
		}
	}
}

func (s *splitter) tooLong(line int) error {
	s.done = true
	return errorAt(line, "the line is longer than %s", sizeText(int64(s.maxBytes)))
}

const (
	sampleBytes = 64 << 10
	sampleRows  = 200
)

// delimiters are the candidates. If two fit equally well, the earlier one wins: tabs are
// never there by chance, but commas often are, as decimal commas.
const delimiters = "\t;|,"

// findDelimiter detects the delimiter by the beginning of the text. Declared reports
// whether the first line names it (`sep=;`, as in Excel).
func findDelimiter(name string, in io.Reader, eol byte) (delimiter byte, declared bool, err error) {
	sample, err := io.ReadAll(io.LimitReader(in, sampleBytes))
	if err != nil {
		return 0, false, fmt.Errorf("read: %w", err)
	}
	first, _, _ := bytes.Cut(sample, []byte{eol})
	first = bytes.Trim(bytes.TrimRight(first, "\r"), `"`)
	if value, ok := strings.CutPrefix(strings.ToLower(string(first)), "sep="); ok && len(value) == 1 && canDelimit(value[0]) {
		return value[0], true, nil
	}

	best := fitness{}
	for _, d := range []byte(delimiters) {
		f := tryDelimiter(sample, eol, d)
		if d == '\t' && f.cells > 1 && slices.Contains([]string{".tsv", ".tab"}, strings.ToLower(path.Ext(name))) {
			return d, false, nil
		}
		if f.betterThan(best) {
			best, delimiter = f, d
		}
	}
	return delimiter, false, nil
}

// canDelimit reports whether a byte may be a delimiter: a tab, or a sign other than a
// quote.
func canDelimit(b byte) bool { return b == '\t' || b > ' ' && b < 0x7f && !isWordByte(b) && b != '"' }

func isWordByte(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// fitness measures how well a delimiter fits a sample.
type fitness struct {
	cells int // the most frequent number of cells in a row; 0, or at least 2
	rows  int // the rows with that number
	all   int // all rows
}

// betterThan compares the share of rows with the most frequent number of cells, then
// that number.
func (f fitness) betterThan(g fitness) bool {
	if f.cells == 0 || g.cells == 0 {
		return f.cells > 0
	}
	if a, b := f.rows*g.all, g.rows*f.all; a != b {
		return a > b
	}
	return f.cells > g.cells
}

// tryDelimiter splits a sample. A delimiter can only fit if the first row has it, or if
// two adjacent rows have it equally often: the first rows may be a title.
func tryDelimiter(sample []byte, eol, delimiter byte) fitness {
	rows := newSplitter(bytes.NewReader(sample), eol, delimiter, Limits{}.withDefaults())
	var counts []int
	for len(counts) < sampleRows {
		_, cells, err := rows.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && (len(cells) > 1 || trim(cells[0]) != "") {
			counts = append(counts, len(cells))
		}
	}
	if len(sample) == sampleBytes && len(counts) > 1 {
		counts = counts[:len(counts)-1] // the sample ends within the last row
	}

	seen, f := map[int]int{}, fitness{all: len(counts)}
	for i, n := range counts {
		seen[n]++
		pair := i == 0 || counts[i-1] == n || i+1 < len(counts) && counts[i+1] == n
		if n > 1 && pair && f.cells == 0 {
			f.cells = n
		}
	}
	if f.cells == 0 {
		return f
	}
	for n, rows := range seen {
		if n > 1 && (rows > f.rows || rows == f.rows && n > f.cells) {
			f.cells, f.rows = n, rows
		}
	}
	return f
}
