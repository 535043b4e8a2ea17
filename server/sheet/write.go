package sheet

import (
	"encoding/csv"
	"io"
	"strings"
)

// Writer writes rows as CSV for people, who open it in a spreadsheet. A spreadsheet computes a
// cell that looks like a formula, and a formula can send what stands beside it to a server. Names
// come from files and from apps, so such a cell is written as text: with an apostrophe before it,
// which spreadsheets show or hide, and which reading a CSV takes away again.
type Writer struct{ out *csv.Writer }

// NewWriter returns a writer to out.
func NewWriter(out io.Writer) Writer { return Writer{csv.NewWriter(out)} }

// Write writes a row. The caller must Flush after the last one.
func (w Writer) Write(cells []string) error {
	guarded := make([]string, len(cells))
	for i, cell := range cells {
		guarded[i] = guard(cell)
	}
	return w.out.Write(guarded)
}

// Flush writes what is buffered. Error tells whether that succeeded.
func (w Writer) Flush() { w.out.Flush() }

// Error returns the first error of a Write or a Flush.
func (w Writer) Error() error { return w.out.Error() }

// formulaSigns begin a formula, in some spreadsheet or other. Tabs and line ends do where they are
// left out.
const formulaSigns = "=+-@＝＋－＠\t\r\n"

// guard returns a cell as it is written. One with an apostrophe of its own before a formula gets
// another, so that Unguard returns every cell as it was.
func guard(cell string) string {
	if isFormula(strings.TrimLeft(cell, "'")) {
		return "'" + cell
	}
	return cell
}

// Unguard returns a cell as it was before a Writer, or another program, wrote it as text.
func Unguard(cell string) string {
	if inner, ok := strings.CutPrefix(cell, "'"); ok && isFormula(strings.TrimLeft(inner, "'")) {
		return inner
	}
	return cell
}

// isFormula reports whether a spreadsheet may compute a cell. A number with its sign, such as
// -2.50 or a telephone number, is none.
func isFormula(cell string) bool {
	if cell == "" || !strings.ContainsAny(firstRune(cell), formulaSigns) {
		return false
	}
	number, isSigned := strings.CutPrefix(cell, "-")
	if !isSigned {
		number, isSigned = strings.CutPrefix(cell, "+")
	}
	return !isSigned || strings.Trim(number, "0123456789.,%() \u00a0£$€") != ""
}

func firstRune(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}
