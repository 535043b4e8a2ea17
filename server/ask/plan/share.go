package plan

import (
	"slices"
	"strings"

	"svc/server/schema"
)

// BlankIsOther reports whether a blank cell is on neither side of a share of a filter's values. It
// is on one if the filter asks for it, or for any amount, and in a column that has one value only,
// or none in most rows: it marks some. What is blank in a column of results has none.
func BlankIsOther(s schema.Source, f Filter) bool {
	c, ok := Column(s, f.Column)
	marks := (c.Type == schema.Text || c.Type == schema.Truth) && (c.Distinct == 1 || 2*c.Blank > s.Rows && !hasResults(c)) || f.Op == More && slices.Equal(f.Values, []string{"0"})
	return ok && c.Blank > 0 && f.Op != Blank && f.Op != Filled && !marks
}

// hasResults reports whether the values of a column are those of one thing that goes well or does not.
func hasResults(c schema.Column) bool {
	has := func(words ...string) bool {
		return slices.ContainsFunc(c.Values, func(v string) bool { return slices.Contains(words, strings.ToLower(v)) })
	}
	return has("pass", "passed", "won", "accepted", "approved", "success") && has("fail", "failed", "lost", "declined", "rejected", "failure")
}
