package plan

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"

	"svc/server/header"
	"svc/server/schema"
)

// spellings are other names of units of measure than the ones in sizes.
var spellings = map[string]string{
	"kilo": "kg", "kgs": "kg", "kilogram": "kg", "gram": "g", "gr": "g", "gm": "g", "litre": "l", "liter": "l", "ltr": "l", "inch": "in", `"`: "in", "″": "in", "metre": "m", "meter": "m", "foot": "ft", "feet": "ft",
	"kilometre": "km", "mile": "mi", "mileage": "mi", "minute": "min", "mins": "min", "hour": "h", "hr": "h", "hrs": "h", "second": "sec", "s": "sec", "secs": "sec", "pound": "lb", "ounce": "oz", "watt": "w", "nt": "night", "nts": "night", "wk": "week", "wks": "week", "mo": "month", "mth": "month", "volt": "v", "calorie": "kcal", "cal": "kcal",
}

// Unit returns a unit of measure, a lemma in lower case, by its short name: "h" of "hour".
func Unit(lemma string) string { return cmp.Or(spellings[lemma], lemma) }

// size is how large a unit is, beside others of its kind, and its plural.
type size struct {
	kind, plural string
	of           *big.Rat
}

var sizes = map[string]size{
	"sec": {"time", "seconds", big.NewRat(1, 1)}, "min": {"time", "minutes", big.NewRat(60, 1)}, "h": {"time", "hours", big.NewRat(3600, 1)},
	"mg": {"mass", "mg", big.NewRat(1, 1000)}, "g": {"mass", "g", big.NewRat(1, 1)}, "kg": {"mass", "kg", big.NewRat(1000, 1)},
	"ml": {"volume", "ml", big.NewRat(1, 1)}, "cl": {"volume", "cl", big.NewRat(10, 1)}, "l": {"volume", "litres", big.NewRat(1000, 1)},
	"mm": {"length", "mm", big.NewRat(1, 1)}, "cm": {"length", "cm", big.NewRat(10, 1)}, "m": {"length", "metres", big.NewRat(1000, 1)}, "km": {"length", "km", big.NewRat(1_000_000, 1)},
}

// Measures reports whether a unit by its short name is one that can be converted.
func Measures(unit string) bool { return sizes[unit].of != nil }

// Conversion returns how many of one unit are one of another, 60 of "h" to "min"; false if they
// measure different things.
func Conversion(from, to string) (*big.Rat, bool) {
	a, b := sizes[from], sizes[to]
	if a.of == nil || b.of == nil || a.kind != b.kind {
		return nil, false
	}
	return new(big.Rat).Quo(a.of, b.of), true
}

// UnitOf returns the unit of measure of a column of numbers: the one after each number, or the
// last word of its heading; "" if it has none that is converted.
func UnitOf(c schema.Column) string {
	words := strings.Fields(header.Fold(c.Heading))
	isShort := len(words) == 1 && len(words[0]) < 4 && words[0] != "hrs" // Min may be a minimum, L a size
	if c.Suffix == "" && (len(words) == 0 || isShort) || c.Type != schema.Number {
		return ""
	}
	written := strings.ToLower(strings.TrimSpace(c.Suffix))
	if written == "" {
		written = words[len(words)-1]
	}
	unit := Unit(written)
	if sizes[unit].of == nil || c.Suffix == "" && (written == "m" || written == "h" || written == "s") {
		return ""
	}
	return unit
}

// conversion returns what the numbers of a measure's column are multiplied with to be in the
// unit that it asks for.
func conversion(s schema.Source, m Measure) (*big.Rat, error) {
	c, _ := Column(s, m.Column)
	if ratio, ok := Conversion(UnitOf(c), m.In); ok {
		return ratio, nil
	}
	return nil, fmt.Errorf("%q is not in a unit that %q can be made of", m.Column, m.In)
}
