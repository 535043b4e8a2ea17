package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"svc/server/catalog"
	"svc/server/heading"
)

var (
	// ErrHeading: the source has no such column.
	ErrHeading = errors.New("no such column")
	// ErrRole: there is no such role, or the column cannot play it.
	ErrRole = errors.New("not a role of this column")
)

// WithRole corrects what a column is taken for (I1); "none" or nothing takes its role
// away, and the column that had the role loses it. The source given stays as it is.
// First and Last are those of the old Day column: see Span.
func WithRole(source catalog.Source, title string, role catalog.Role) (catalog.Source, error) {
	if role = catalog.Role(strings.ToLower(string(role))); role == "none" {
		role = catalog.None
	}
	if role != catalog.None && !slices.Contains(rolesInOrder, role) {
		return catalog.Source{}, fmt.Errorf("%w: there is no role %q; the roles are %s", ErrRole, role, roleNames())
	}
	at := findColumn(source, title)
	if at < 0 {
		return catalog.Source{}, fmt.Errorf("%w: %q", ErrHeading, title)
	}
	if c := source.Columns[at]; !fits(role, c) {
		return catalog.Source{}, fmt.Errorf("%w: %q holds %s, so it cannot be the %s", ErrRole, c.Heading, held(c), role)
	}

	source.Columns = slices.Clone(source.Columns)
	for i := range source.Columns {
		if role != catalog.None && source.Columns[i].Role == role {
			source.Columns[i].Role = catalog.None
		}
	}
	source.Columns[at].Role = role
	derive(&source)
	return source, nil
}

var typeNames = map[catalog.Type]string{
	catalog.Text: "text", catalog.Number: "numbers", catalog.Date: "days", catalog.Moment: "days with a time",
	catalog.Time: "times", catalog.Truth: "yes and no",
}

func held(c catalog.Column) string {
	if c.Unit == catalog.Percent {
		return "shares"
	}
	return typeNames[c.Type]
}

func roleNames() string {
	var all []string
	for _, role := range rolesInOrder {
		all = append(all, string(role))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// findColumn prefers the heading to the letter, and forgives how it is spelt.
func findColumn(source catalog.Source, title string) int {
	for i, c := range source.Columns {
		if c.Heading == title {
			return i
		}
	}
	folded := heading.Fold(title)
	return slices.IndexFunc(source.Columns, func(c catalog.Column) bool { return folded != "" && heading.Fold(c.Heading) == folded })
}
