package dataset

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"svc/server/schema"
	"svc/server/sheet"
)

// longestName is the length in bytes above which a heading is a sentence.
const longestName = 120

// checkTable refuses a text that only looks like a table: one whose headings are no names,
// or whose columns have neither dates nor numbers (I5).
func (p *plan) checkTable(headingLine int) error {
	implausible, figures := 0, false
	for i, column := range p.profiles {
		if !isName(column.title) {
			implausible++
		}
		figures = figures || column.hasFigures(p.formats[i])
	}
	if implausible*2 > len(p.profiles) {
		return &sheet.Error{Line: headingLine, Reason: fmt.Sprintf("the row has no headings but %q; a table begins with the names of its columns", shortened(p.profiles[0].title))}
	}
	if !figures {
		return &sheet.Error{Reason: "no column has dates or numbers, so there is nothing to compute"}
	}
	return nil
}

// hasFigures reports whether most cells of a column are dates or numbers, even if they are
// kept as text because they are codes.
func (p *profile) hasFigures(f format) bool {
	switch f.kind {
	case schema.Number, schema.Date, schema.Moment, schema.Time:
		return true
	}
	most := max(p.numeric, p.dates.count, p.dates.compact, p.clocks)
	return most > 0 && most*2 >= p.filled-p.nones
}

// periodTitle matches a year or a month, the headings of figures side by side.
var periodTitle = regexp.MustCompile(`^(19|20)[0-9]{2}([-/.][0-9]{1,2})?$`)

// isName reports whether a text may name a column: it is a year or a month, or it is short,
// has a letter or a common sign, and is no markup, comment or code.
func isName(title string) bool {
	if periodTitle.MatchString(title) {
		return true
	}
	if len(title) > longestName || !strings.ContainsFunc(title, func(r rune) bool { return unicode.IsLetter(r) || strings.ContainsRune("#%€$£№", r) }) {
		return false
	}
	for _, mark := range []string{"# ", "## ", "//", "/*", "<", "{", "[{", "```", "---", "- ", "* "} {
		if strings.HasPrefix(title, mark) {
			return false
		}
	}
	return !strings.HasSuffix(title, "{") && !strings.HasSuffix(title, ";")
}

func shortened(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
