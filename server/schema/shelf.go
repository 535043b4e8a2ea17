package schema

import (
	"cmp"
	"slices"
	"strings"

	"svc/server/header"
)

// shelves are places of one shop in which goods are, as headings of how many are there.
var shelves = []string{
	"shop", "store", "counter", "front", "on shelf", "shelf", "shop floor", "back room", "backroom", "stockroom", "stock room", "store room",
	"storeroom", "warehouse", "display", "on display", "window", "cellar", "loft", "garage", "van", "shed", "unit",
}

// heldWords are beside a place in a heading.
var heldWords = []string{"qty", "quantity", "stock", "units", "in", "on", "the"}

// ShelfOf returns the place of a shop in which goods are that a folded heading names by itself or beside a
// word for how many: shop of Qty Shop; "" if it names none.
func ShelfOf(heading string) string {
	if slices.Contains(shelves, heading) {
		return heading
	}
	words := slices.DeleteFunc(strings.Fields(heading), func(w string) bool { return slices.Contains(heldWords, w) })
	if place := strings.Join(words, " "); slices.Contains(shelves, place) {
		return place
	}
	return ""
}

// Shelf returns the place that a column's heading names, as ShelfOf does.
func (c Column) Shelf() string { return ShelfOf(header.Fold(cmp.Or(c.Named, c.Heading))) }

// Shelves returns the columns of a list of goods that have how many are in each place, beside one that has
// the stock of all; nil if there are fewer than two.
func (s Source) Shelves() (found []Column) {
	if _, ok := s.ByRole(Stock); !ok || s.Kind != Stocklist {
		return nil
	}
	for _, c := range s.Columns {
		if c.Type == Number && c.Role == None && c.Unit == Plain && c.Shelf() != "" {
			found = append(found, c)
		}
	}
	if len(found) < 2 {
		return nil
	}
	return found
}

// With returns the source with a role of another column, by its heading.
func (s Source) With(role Role, heading string) Source {
	s.Columns = slices.Clone(s.Columns)
	for i := range s.Columns {
		switch c := &s.Columns[i]; {
		case c.Heading == heading:
			c.Role = role
		case c.Role == role:
			c.Role = None
		}
	}
	return s
}
