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
	"storeroom", "warehouse", "showroom", "display", "on display", "window", "cellar", "loft", "garage", "van", "shed", "unit", "floor", "back", "back shop", "basement", "upstairs", "downstairs", "attic", "barn", "lockup", "lock up", "yard", "tunnel", "polytunnel", "greenhouse", "fridge", "freezer", "cold store", "trailer", "studio", "office",
}

// storerooms are those of the places in which customers do not see the goods.
var storerooms = []string{"back room", "backroom", "stockroom", "stock room", "store room", "storeroom", "warehouse", "cellar", "loft", "garage", "van", "shed", "unit", "back", "back shop", "basement", "attic", "barn", "lockup", "lock up", "cold store", "trailer"}

// IsStoreroom reports whether a place is one in which customers do not see the goods.
func IsStoreroom(place string) bool { return slices.Contains(storerooms, place) }

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

// Shelf returns the place that a column's heading names, as ShelfOf does, or else, of a place of its own, the
// heading without words for how many: bench of On bench.
func (c Column) Shelf() string {
	folded := header.Fold(cmp.Or(c.Named, c.Heading))
	place := ShelfOf(folded)
	if place == "" && c.Place {
		words := slices.DeleteFunc(strings.Fields(folded), func(w string) bool { return slices.Contains(heldWords, w) })
		place = strings.Join(words, " ")
	}
	return place
}

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

// soldHeads are in headings of how many of each item were sold, soldUnits beside them, and spanAbbreviations are
// what they call the days.
var (
	soldHeads         = []string{"sold", "sales", "sls", "dispensed"}
	soldUnits         = []string{"kg", "kgs", "kilos", "g", "l", "ltr", "litres", "m", "metres", "units", "qty", "quantity", "pcs", "no", "number"}
	spanAbbreviations = map[string]string{
		"tw": "this week", "wtd": "this week", "lw": "last week", "ty": "this year", "tm": "this month", "mtd": "this month", "lm": "last month", "ytd": "this year", "ly": "last year", "wk": "week", "mth": "month", "yr": "year", "prev": "last", "previous": "last",
	}
)

// SoldSpan returns the days in which as many of each item were sold as a column has, as people say them: last
// week of Sold LW; "" of other columns.
func (c Column) SoldSpan() string {
	if c.Type != Number || c.Role != None || c.Unit != Plain && c.Unit != Count {
		return ""
	}
	words := strings.Fields(header.Fold(c.Heading))
	if !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(soldHeads, w) }) {
		return ""
	}
	rest := slices.DeleteFunc(words, func(w string) bool { return slices.Contains(soldHeads, w) || slices.Contains(soldUnits, w) })
	for i, w := range rest {
		rest[i] = cmp.Or(spanAbbreviations[w], w)
	}
	span := strings.Join(rest, " ")
	if first, unit, ok := strings.Cut(span, " "); ok && (first == "this" || first == "last") && slices.Contains([]string{"week", "month", "year"}, unit) {
		return span
	}
	return ""
}

// Spans returns a list of goods once for each column with what was sold of them in some days, as sales of these
// days, by the days; nil of other sources.
func (s Source) Spans() map[string]Source {
	if s.Kind != Stocklist && s.Kind != Other {
		return nil
	}
	if _, named := s.ByRole(Product); !named {
		return nil
	}
	spans := map[string]Source{}
	for _, c := range s.Columns {
		if span := c.SoldSpan(); span != "" {
			sold := s.With(Quantity, c.Heading).With(Stock, "").With(Reorder, "").With(Incoming, "")
			sold.Kind = Sales
			spans[span] = sold
		}
	}
	return spans
}
