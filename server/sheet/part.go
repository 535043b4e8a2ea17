package sheet

import (
	"errors"
	"io"
	"slices"
)

// part reads one table of a source: from its headings to the end of the source, or to
// where another table begins.
type part struct {
	src    source
	format string // see Dialect
	limits Limits

	headings    []string
	rawHeadings []string // as they are in the file, trimmed
	headLine    int
	width       int   // cells of the line with the headings; 0: rows may be wider
	keys        []int // columns that identify a row
	ahead       []aheadRow
	edge        edge
	held        []Row // totals, unless data follows them
	ready       []Row // data to return next
	done        bool
	skipped     Skipped
}

// aheadRow is a row that was read before its turn.
type aheadRow struct {
	line  int
	cells []string
	err   error
}

// next returns the next row of data, as Sheet.Next does.
func (p *part) next() (Row, error) {
	for {
		if len(p.ready) > 0 {
			row := p.ready[0]
			p.ready = p.ready[1:]
			return row, nil
		}
		if p.done {
			return Row{}, io.EOF
		}
		row, ok, err := p.read()
		switch {
		case errors.Is(err, io.EOF):
			p.skipped.Totals += len(p.held)
			p.held = nil
			p.done = true
			return Row{}, io.EOF
		case err != nil:
			return Row{}, err
		case ok:
			p.holdTotals(row)
		}
	}
}

// read returns the next row of the table; false if it is not data.
func (p *part) read() (Row, bool, error) {
	line, cells, err := p.edge.next(p)
	if err != nil {
		return Row{}, false, err
	}
	switch {
	case isBlank(cells):
		p.skipped.Blank++
		return Row{}, false, nil
	case p.isRepeated(cells):
		p.skipped.Repeated++
		return Row{}, false, nil
	}
	cells, err = p.fitWidth(line, cells)
	return Row{Line: line, Cells: cells}, err == nil, err
}

// nextRaw returns the next row that was read ahead, or else that of the source, trimmed.
func (p *part) nextRaw() aheadRow {
	if len(p.ahead) > 0 {
		row := p.ahead[0]
		p.ahead[0] = aheadRow{}
		p.ahead = p.ahead[1:]
		return row
	}
	line, cells, err := p.src.next()
	trimCells(cells)
	return aheadRow{line, cells, err}
}

// fitWidth returns the row with one cell for each heading. In CSV, text beyond the last
// heading is an error: a wrong delimiter or quote has shifted cells to other columns.
func (p *part) fitWidth(line int, cells []string) ([]string, error) {
	if p.width > 0 && len(cells) > p.width && !isBlank(cells[p.width:]) {
		fault := errorAt(line, "the row has %d cells, but there are %d headings; a delimiter or a quote may be wrong", filled(cells), p.width)
		fault.Cells = cells
		return nil, fault
	}
	if n := len(p.headings); len(cells) >= n {
		if !isBlank(cells[n:]) {
			p.skipped.Beyond++
		}
		return cells[:n:n], nil
	}
	return append(cells, make([]string, len(p.headings)-len(cells))...), nil
}

// isRepeated reports whether a row repeats the headings, as after page breaks and in
// concatenated files.
func (p *part) isRepeated(cells []string) bool {
	for i, text := range p.rawHeadings {
		if i >= len(cells) || cells[i] != text {
			return false
		}
	}
	return len(cells) <= len(p.rawHeadings) || isBlank(cells[len(p.rawHeadings):])
}

// holdTotals makes a row of data ready, and holds back rows that look like totals until
// it is known whether data follows.
func (p *part) holdTotals(row Row) {
	isTail := p.isTotal(row.Cells) || len(p.held) > 0 && isNote(row.Cells)
	p.held = append(p.held, row)
	if !isTail || len(p.held) == maxHeld {
		p.ready, p.held = p.held, nil
	}
}

// seek reads up to the headings of a table that a survey found.
func (p *part) seek(t Table) error {
	for {
		line, cells, err := p.src.next()
		if _, isFault := errors.AsType[*Error](err); err != nil && !isFault {
			if errors.Is(err, io.EOF) {
				return errorAt(t.Line, "the headings are not there any more; the file has changed")
			}
			return err
		}
		if err == nil && line == t.Line {
			p.skipped = t.above
			trimCells(cells)
			if err := p.readAhead(false); err != nil {
				return err
			}
			p.begin(line, cells)
			return nil
		}
	}
}

// begin makes a row the headings.
func (p *part) begin(line int, cells []string) {
	p.headLine = line
	p.rawHeadings = slices.Clone(cells[:filled(cells)])
	p.nameColumns(cells)
}
