package sheet

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	// headRows and headBytes bound the rows in which the headings are searched.
	headRows  = 50
	headBytes = 1 << 20
	// longHeading is the length of a cell, in bytes, above which a row is data.
	longHeading = 200
	// maxHeld bounds the totals and notes at the end of a table.
	maxHeld = 20
)

// findHeadings reads the first rows and finds the first one that looks like headings. It
// keeps the rows after it for Next.
func (s *Sheet) findHeadings() error {
	if err := s.readAhead(); err != nil {
		return err
	}
	width := s.usualWidth()
	for i, f := range s.ahead {
		if f.err != nil {
			return f.err
		}
		if isBlank(f.cells) {
			s.skipped.Blank++
			continue
		}
		if looksLikeHeadings(f.cells, width) {
			s.headLine = f.line
			s.ahead = s.ahead[i+1:]
			s.nameColumns(f.cells)
			return nil
		}
		s.skipped.Before++
	}

	if s.skipped.Before == 0 {
		return errorAt(0, "the file has no rows")
	}
	first := "row"
	if s.skipped.Before > 1 {
		first = fmt.Sprintf("%d rows", s.skipped.Before)
	}
	return errorAt(0, "no row of headings was found in the first %s", first)
}

func (s *Sheet) readAhead() error {
	rows, size := 0, 0
	for rows < headRows && size < headBytes {
		line, cells, err := s.src.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if _, ok := errors.AsType[*Error](err); err != nil && !ok {
			return err
		}
		trimCells(cells)
		if err == nil && isBlank(cells) && len(s.ahead) == 0 {
			s.skipped.Blank++
			continue
		}
		s.ahead = append(s.ahead, aheadRow{line, cells, err})
		rows++
		for _, text := range cells {
			size += len(text)
		}
	}
	return nil
}

// usualWidth returns the most frequent number of cells in the first rows. Wide rows count
// more, because a table below a long title may be short.
func (s *Sheet) usualWidth() int {
	seen := map[int]int{}
	for _, f := range s.ahead {
		if n := filled(f.cells); n > 0 {
			seen[n] += n
		}
	}
	width := 0
	for n, weight := range seen {
		if weight > seen[width] || weight == seen[width] && n < width {
			width = n
		}
	}
	return width
}

// looksLikeHeadings reports whether at least three of five columns have a name, and most
// names are words. Years count neither as words nor against them, because tables may
// have a column for each year.
func looksLikeHeadings(cells []string, width int) bool {
	names, words, years := 0, 0, 0
	for _, text := range cells {
		switch {
		case text == "":
			continue
		case len(text) > longHeading:
			return false
		case isYear(text):
			years++
		case !isNumber(text) && !isDate(text):
			words++
		}
		names++
	}
	return words > 0 && names*5 >= width*3 && words*2 > names-years
}

// nameColumns sets the headings from their row.
func (s *Sheet) nameColumns(cells []string) {
	n := filled(cells)
	if s.dialect.Format == "csv" {
		s.width = len(cells)
	}
	for _, f := range s.ahead {
		if most := filled(f.cells); most > n && (s.width == 0 || most <= s.width) {
			n = most
		}
	}
	n = min(n, s.limits.Columns)
	s.rawHeadings = cells[:filled(cells)]

	used := map[string]int{}
	s.headings = make([]string, n)
	for i := range s.headings {
		if i < len(cells) {
			s.headings[i] = strings.Join(strings.FieldsFunc(cells[i], isSpace), " ")
		}
		if s.headings[i] == "" {
			s.headings[i] = fmt.Sprintf("Column %d", i+1)
		}
		s.headings[i] = distinct(s.headings[i], used)
	}
}

// distinct returns the heading, with a number appended if an earlier one is equal. Used
// has the last number of each heading so far.
func distinct(heading string, used map[string]int) string {
	key, name := strings.ToLower(heading), heading
	for used[strings.ToLower(name)] > 0 {
		used[key]++
		name = fmt.Sprintf("%s (%d)", heading, used[key])
	}
	used[strings.ToLower(name)] = 1
	return name
}

func isYear(text string) bool {
	return len(text) == 4 && (text[:2] == "19" || text[:2] == "20") && isDigits(text)
}

func isNumber(text string) bool {
	_, err := new(Numbers).ParseDecimal(text)
	return err == nil
}

// isDate reports whether a text is a date or time in digits: 2026-01-31, 31.1.26 14:05,
// 9:30 PM.
func isDate(text string) bool {
	marks := 0
	for i, r := range text {
		switch {
		case r >= '0' && r <= '9':
		case i == 0:
			return false
		case strings.ContainsRune("-/.:", r):
			marks++
		case !strings.ContainsRune(" TZ+,AaPpMm", r):
			return false
		}
	}
	return marks > 0 && (marks > 1 || strings.Contains(text, ":"))
}

// totalWords are the labels of totals. A label is a whole cell.
var totalWords = map[string]bool{}

func init() {
	for word := range strings.SplitSeq(`total,totals,grand total,sub total,subtotal,sub-total,sum,total amount,`+
		`summe,gesamt,gesamtsumme,gesamtbetrag,zwischensumme,endsumme,`+
		`total général,total general,sous-total,sous total,somme,total ht,total ttc,totaux,`+
		`suma,sumatoria,totales,total geral,soma,totais,subtotais,`+
		`totale,totali,totale generale,subtotale,somma,totaal,eindtotaal,subtotaal`, ",") {
		totalWords[word] = true
	}
}

// isTotal reports whether the first filled cell of a row is a label of totals, and the
// others are numbers, at least one. The row of a product called Total has other words, or
// a cell that identifies it.
func (s *Sheet) isTotal(cells []string) bool {
	label, numbers := "", 0
	for i, text := range cells {
		switch {
		case text == "":
		case label == "":
			label = strings.ToLower(strings.TrimRight(text, " :="))
			if !totalWords[label] {
				return false
			}
		case isNumber(text) && !slices.Contains(s.keys, i):
			numbers++
		default:
			return false
		}
	}
	return numbers > 0
}

// isNote reports whether a row has one filled cell in a table of several columns.
func isNote(cells []string) bool {
	n := 0
	for _, text := range cells {
		if text != "" {
			n++
		}
	}
	return n == 1 && len(cells) > 2
}
