package sheet

import (
	"errors"
	"io"
	"slices"
	"strings"
)

// edge finds the row at which a table ends because another begins below it, as in reports.
//
// The headings of another table are a row of words under columns of figures (numbers or
// dates), after a blank row or a title, with a figure below one of the words. Without a
// blank row or a title before it, a row of words is taken for data unless it has a word
// under each column of figures, of which there must be two.
type edge struct {
	columns []tally
	rows    int  // of data so far
	isGap   bool // the row before was blank, or a title
	// run are rows that may belong to the next table: titles, and, if hasHead, a row that
	// may be its headings.
	run     []aheadRow
	hasHead bool
	out     []aheadRow // rows of this table to return next, from outAt on
	outAt   int
	after   []aheadRow // the rows of run, and the first row of data, once the table has ended
}

// tally counts the cells of a column.
type tally struct{ filled, figures int }

const (
	// talliedRows is the number of rows that decide which columns have figures.
	talliedRows = 1000
	// maxTitles bounds the titles above a table.
	maxTitles = 5
)

func (t tally) isFigures() bool { return t.figures > 0 && t.figures*5 >= t.filled*4 }

// next returns the next row of the table, or io.EOF.
func (e *edge) next(p *part) (int, []string, error) {
	for e.outAt == len(e.out) {
		if len(e.after) > 0 {
			return 0, nil, io.EOF
		}
		e.out, e.outAt = e.out[:0], 0
		e.pass(p, p.nextRaw())
	}
	row := e.out[e.outAt]
	e.outAt++
	return row.line, row.cells, row.err
}

// pass takes one more row.
func (e *edge) pass(p *part, row aheadRow) {
	switch {
	case row.err != nil:
		e.keep()
		e.out = append(e.out, row)
		return
	case isBlank(row.cells):
		e.isGap = true
		if len(e.run) > 0 {
			e.run = append(e.run, row)
		} else {
			e.out = append(e.out, row)
		}
		return
	case e.hasHead && confirms(e.head().cells, row.cells):
		e.after = append(e.run, row)
		e.run = nil
		return
	case e.hasHead:
		e.keep()
	}
	switch {
	case p.isRepeated(row.cells):
		e.keep()
	case e.isHeadings(row.cells):
		e.run, e.hasHead = append(e.run, row), true
		return
	case isTitle(row.cells) && len(p.headings) > 1 && len(e.run) < maxTitles:
		e.run, e.isGap = append(e.run, row), true
		return
	default:
		e.keep()
		e.count(row.cells)
	}
	e.isGap = false
	e.out = append(e.out, row)
}

// keep gives the rows of run to this table.
func (e *edge) keep() {
	for _, row := range e.run {
		e.count(row.cells)
	}
	e.out = append(e.out, e.run...)
	e.run, e.hasHead, e.isGap = nil, false, false
}

// head returns the row of run, or of after, that is the headings.
func (e *edge) head() aheadRow {
	run := e.run
	if len(e.after) > 0 {
		run = e.after[:len(e.after)-1]
	}
	at := len(run) - 1
	for at > 0 && isBlank(run[at].cells) {
		at--
	}
	return run[at]
}

func (e *edge) count(cells []string) {
	if isBlank(cells) {
		return
	}
	if e.rows++; e.rows > talliedRows {
		return
	}
	for len(e.columns) < len(cells) {
		e.columns = append(e.columns, tally{})
	}
	for i, text := range cells {
		if text != "" {
			e.columns[i].filled++
			if isFigure(text) {
				e.columns[i].figures++
			}
		}
	}
}

// isHeadings reports whether a row may be the headings of another table.
func (e *edge) isHeadings(cells []string) bool {
	if e.rows == 0 {
		return false
	}
	hits, figures, width := 0, 0, 0
	for i, column := range e.columns {
		if column.filled > 0 {
			width = i + 1
		}
		if !column.isFigures() || i >= filled(cells) {
			continue
		}
		figures++
		switch {
		case cells[i] == "":
		case isFigure(cells[i]) && !isYear(cells[i]):
			return false // most rows of data end here
		default:
			hits++
		}
	}
	isOther := hits > 0 && hits == figures && (hits > 1 || filled(cells)*5 < width*3)
	if e.isGap {
		isOther = hits > 0 || filled(cells) != width
	}
	return isOther && isWords(cells)
}

// isWords reports whether a row has two different texts at least, and nothing else but
// years.
func isWords(cells []string) bool {
	words := 0
	for _, text := range cells {
		switch {
		case text == "" || isYear(text):
		case len(text) > longHeading || isFigure(text):
			return false
		default:
			words++
		}
	}
	return words >= 2 && words == differentWords(cells)
}

func differentWords(cells []string) int {
	seen := map[string]bool{}
	for _, text := range cells {
		if text != "" && !isYear(text) {
			seen[strings.ToLower(text)] = true
		}
	}
	return len(seen)
}

// confirms reports whether a row may be the first one under headings: it is not wider,
// and has a figure below a word.
func confirms(headings, cells []string) bool {
	if filled(cells) > filled(headings) {
		return false
	}
	return slices.ContainsFunc(positionsOf(headings), func(i int) bool { return i < len(cells) && isFigure(cells[i]) })
}

// positionsOf returns the indexes of the cells that are not blank.
func positionsOf(cells []string) (all []int) {
	for i, text := range cells {
		if text != "" {
			all = append(all, i)
		}
	}
	return all
}

// isTitle reports whether a row has text in its first cell only.
func isTitle(cells []string) bool { return filled(cells) == 1 && cells[0] != "" && !isFigure(cells[0]) }

// isFigure reports whether a text is a number, or a date in digits. A text of digits and
// signs counts as one without being parsed, since most cells of data are such.
func isFigure(text string) bool {
	digits, others := 0, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			digits++
		case strings.IndexByte(" .,-/:$%()+'", c) < 0:
			others++
		}
	}
	return digits > 0 && (others == 0 || isNumber(text) || isDate(text))
}

// ownRows returns the rows among those read ahead that belong to the table.
func (p *part) ownRows() []aheadRow {
	trial := part{rawHeadings: p.rawHeadings, headings: p.rawHeadings}
	for _, row := range p.ahead {
		if row.err != nil && errors.Is(row.err, io.EOF) {
			break
		}
		if trial.edge.pass(&trial, row); len(trial.edge.after) > 0 {
			return trial.edge.out
		}
	}
	return p.ahead
}
