package schema

import (
	"strings"

	"svc/server/header"
)

// Kinds returns the columns that count one thing by its kind, such as Adult Tix and Child Tix, or
// Adults and Children, which add up to the quantity of a row; nil if there are fewer than two, if
// two things are counted so, or if a column has the quantity.
func (s Source) Kinds() []Column {
	of := map[string][]Column{}
	for _, c := range s.Columns {
		if c.Role == Quantity || c.Role == Stock {
			return nil
		}
		if thing, ok := countedByKind(c.Heading); ok && c.Type == Number && c.Role == None && c.Unit != Money && c.Unit != Percent && c.Scale == 0 {
			of[thing] = append(of[thing], c)
		}
	}
	var found []Column
	for _, columns := range of {
		if len(columns) < 2 {
			continue
		}
		if found != nil {
			return nil
		}
		found = columns
	}
	return found
}

// guests are words for kinds of people who come, sizes for kinds of things.
var (
	guests = header.Set("adult adults child children kid kids conc concs concession concessions senior seniors oap oaps student students infant infants toddler toddlers junior juniors under over teen teens men women boys girls")
	// things are what is counted by kinds of people or sizes, besides the people themselves.
	things = header.Set("tix ticket tickets guest guests cover covers place places seat seats entry entries admission admissions pass passes pax meal meals visitor visitors")
	sizes  = header.Set("full half standard reduced premium vip family group single double small medium large regular hot cold male female member members guest lunch dinner morning evening")
)

// countedByKind returns the thing of which a heading says the kind: tix of Adult Tix, and "" of
// Adults.
func countedByKind(heading string) (thing string, ok bool) {
	words := strings.Fields(header.Fold(heading))
	last := len(words) - 1
	if last < 0 || last > 0 && guests[words[last]] {
		return "", false
	}
	if guests[words[last]] {
		return "", true
	}
	for _, w := range words[:last] {
		if !guests[w] && !sizes[w] {
			return "", false
		}
	}
	return words[last], last > 0 && things[words[last]]
}
