// Package unit writes quantities of goods with their units, in the number that goes with them.
package unit

import (
	"strings"

	"svc/server/money"
)

// pieces are the units that are counted, with what several of them are called. Other units,
// like kg and each, are the same for every number.
var pieces = map[string]string{
	"bag": "bags", "bar": "bars", "barrel": "barrels", "bottle": "bottles", "box": "boxes", "bunch": "bunches", "bundle": "bundles",
	"can": "cans", "card": "cards", "carton": "cartons", "case": "cases", "crate": "crates", "cup": "cups", "item": "items", "jar": "jars",
	"keg": "kegs", "kit": "kits", "loaf": "loaves", "pack": "packs", "packet": "packets", "pair": "pairs", "pallet": "pallets",
	"piece": "pieces", "portion": "portions", "pot": "pots", "pouch": "pouches", "punnet": "punnets", "ream": "reams", "reel": "reels",
	"roll": "rolls", "sachet": "sachets", "sack": "sacks", "set": "sets", "sheet": "sheets", "slice": "slices", "stick": "sticks",
	"tin": "tins", "tray": "trays", "tub": "tubs", "tube": "tubes", "unit": "units",
}

// single is pieces from the other side.
var single = func() map[string]string {
	all := make(map[string]string, len(pieces))
	for one, many := range pieces {
		all[many] = one
	}
	return all
}()

// oneUnit is a quantity of 1 in thousandths.
const oneUnit = 1000

// Quantity writes thousandths of a unit, like "1 bag" and "3 bags"; "–" if they are not known.
func Quantity(milli *int64, unit string) string {
	if milli == nil {
		return "–"
	}
	return strings.TrimSpace(money.Number(*milli, 3) + " " + Of(*milli, unit))
}

// Of returns a unit in the form that goes with thousandths of it.
func Of(milli int64, unit string) string {
	form := pieces
	if milli == oneUnit || milli == -oneUnit {
		form = single
	}
	if other, ok := form[strings.ToLower(unit)]; ok {
		return other
	}
	return unit
}
