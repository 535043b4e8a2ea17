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

// errNoRows is the fault of a file, or of a worksheet, without text.
var errNoRows = errorAt(0, "the file has no rows")

// findHeadings reads the first rows and finds the first one that looks like headings. It
// keeps the rows after it for next.
func (p *part) findHeadings() error {
	if err := p.readAhead(true); err != nil {
		return err
	}
	width, rows := p.usualWidth(), 0
	for i, f := range p.ahead {
		if f.err != nil {
			return f.err
		}
		if looksLikeHeadings(f.cells, width) {
			p.beginAt(p.earlierTable(i))
			return nil
		}
		if !isBlank(f.cells) {
			rows++
		}
	}

	switch rows {
	case 0:
		return errNoRows
	case 1:
		return errorAt(0, "no row of headings was found in the first row")
	}
	return errorAt(0, "no row of headings was found in the first %d rows", rows)
}

// beginAt makes a row that was read ahead the headings.
func (p *part) beginAt(i int) {
	for _, above := range p.ahead[:i] {
		if isBlank(above.cells) {
			p.skipped.Blank++
		} else {
			p.skipped.Before++
		}
	}
	row := p.ahead[i]
	p.ahead = p.ahead[i+1:]
	p.begin(row.line, row.cells)
}

// earlierTable returns the index of the headings of a smaller table that ends where the
// one with headings at i begins; i if there is none.
func (p *part) earlierTable(i int) int {
	for at, row := range p.ahead[:i] {
		if row.err != nil || !isWords(row.cells) {
			continue
		}
		trial := part{ahead: slices.Clone(p.ahead[at+1:]), rawHeadings: row.cells, headings: row.cells}
		if below := firstFilled(trial.ahead); below == nil || !confirms(row.cells, below) {
			continue
		}
		for _, next := range trial.ahead[:min(len(trial.ahead), i-at+maxTitles)] {
			if trial.edge.pass(&trial, next); len(trial.edge.after) > 0 {
				break
			}
		}
		if len(trial.edge.after) > 0 && trial.edge.head().line == p.ahead[i].line {
			return at
		}
	}
	return i
}

// firstFilled returns the cells of the first row that is not blank.
func firstFilled(rows []aheadRow) []string {
	for _, row := range rows {
		if row.err == nil && !isBlank(row.cells) {
			return row.cells
		}
	}
	return nil
}

// readAhead reads the first rows. Blank ones before them are skipped if they are leading.
func (p *part) readAhead(leading bool) error {
	rows, size := len(p.ahead), 0
	for rows < headRows && size < headBytes {
		line, cells, err := p.src.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if _, ok := errors.AsType[*Error](err); err != nil && !ok {
			return err
		}
		trimCells(cells)
		if leading && err == nil && isBlank(cells) && len(p.ahead) == 0 {
			p.skipped.Blank++
			continue
		}
		p.ahead = append(p.ahead, aheadRow{line, cells, err})
		rows++
		for _, text := range cells {
			size += len(text)
		}
	}
	return nil
}

// usualWidth returns the most frequent number of cells in the first rows. Wide rows count
// more, because a table below a long title may be short.
func (p *part) usualWidth() int {
	seen := map[int]int{}
	for _, f := range p.ahead {
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

// unnamed begins the name of a column without a heading; its number follows.
const unnamed = "Column "

// IsUnnamed reports whether a heading is that of a column without one.
func IsUnnamed(heading string) bool {
	number, ok := strings.CutPrefix(heading, unnamed)
	return ok && isDigits(number)
}

// nameColumns sets the headings from their row.
func (p *part) nameColumns(cells []string) {
	n := filled(cells)
	if p.format == "csv" {
		p.width = len(cells)
	}
	for _, f := range p.ownRows() {
		if most := filled(f.cells); most > n && (p.width == 0 || most <= p.width) {
			n = most
		}
	}
	n = min(n, p.limits.Columns)

	used := map[string]int{}
	p.headings = make([]string, n)
	for i := range p.headings {
		if i < len(cells) {
			p.headings[i] = strings.Join(strings.FieldsFunc(cells[i], isSpace), " ")
		}
		if p.headings[i] == "" {
			p.headings[i] = fmt.Sprintf("%s%d", unnamed, i+1)
		}
		p.headings[i] = distinct(p.headings[i], used)
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
func (p *part) isTotal(cells []string) bool {
	label, numbers := "", 0
	for i, text := range cells {
		switch {
		case text == "":
		case label == "":
			label = strings.ToLower(strings.TrimRight(text, " :="))
			if !totalWords[label] {
				return false
			}
		case isNumber(text) && !slices.Contains(p.keys, i):
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
