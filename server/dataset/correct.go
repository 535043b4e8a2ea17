package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"svc/server/header"
	"svc/server/schema"
)

var (
	// ErrHeading is returned if the source has no such column.
	ErrHeading = errors.New("no such column")
	// ErrRole is returned if the role does not exist or the column cannot have it.
	ErrRole = errors.New("not a role of this column")
)

// WithRole returns the source with a corrected role (I1). "none" or nothing takes the
// column's role away; a column that had the new role loses it. The source given is not
// changed. First and Last stay those of the old Day column: see Span.
func WithRole(source schema.Source, title string, role schema.Role) (schema.Source, error) {
	if role = schema.Role(strings.ToLower(string(role))); role == "none" {
		role = schema.None
	}
	if role != schema.None && !slices.Contains(rolesInOrder, role) {
		return schema.Source{}, fmt.Errorf("%w: there is no role %q; the roles are %s", ErrRole, role, strings.Join(Roles(), ", "))
	}
	at := findColumn(source, title)
	if at < 0 {
		return schema.Source{}, fmt.Errorf("%w: %q", ErrHeading, title)
	}
	if c := source.Columns[at]; !fits(role, c) {
		return schema.Source{}, fmt.Errorf("%w: %q holds %s, so it cannot be the %s", ErrRole, c.Heading, heldText(c), role)
	}

	source.Columns = slices.Clone(source.Columns)
	giveRole(source.Columns, at, role)
	source.Columns[at].Corrected = true
	derive(&source)
	return source, nil
}

var typeNames = map[schema.Type]string{
	schema.Text: "text", schema.Number: "numbers", schema.Date: "days", schema.Moment: "days with a time",
	schema.Time: "times", schema.Truth: "yes and no",
}

func heldText(c schema.Column) string {
	if c.Unit == schema.Percent {
		return "shares"
	}
	return typeNames[c.Type]
}

// Roles lists the roles that a column can be given, by name.
func Roles() []string {
	var all []string
	for _, role := range rolesInOrder {
		all = append(all, string(role))
	}
	slices.Sort(all)
	return all
}

// findColumn returns the index of the column with the exact heading, else of one that
// differs in spelling only, else -1.
func findColumn(source schema.Source, title string) int {
	if i := slices.IndexFunc(source.Columns, func(c schema.Column) bool { return c.Heading == title }); i >= 0 {
		return i
	}
	folded := header.Fold(title)
	return slices.IndexFunc(source.Columns, func(c schema.Column) bool { return folded != "" && header.Fold(c.Heading) == folded })
}
