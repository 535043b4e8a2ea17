package dataset

import (
	"svc/server/schema"
	"svc/server/sheet"
)

// choice returns how the tables of a file are chosen for a dataset, by the headings that
// its files must have; none if it is new.
func (f File) choice(known ...string) sheet.Choice {
	return sheet.Choice{Name: f.Sheet, Fit: func(headings []string) int {
		if len(known) > 0 && len(lacking(known, headings)) == 0 {
			return 3 + fitness(headings)
		}
		return fitness(headings)
	}}
}

// fitness returns 2 for headings of days and of amounts, 1 for those of one of them, and
// else 0.
func fitness(headings []string) int {
	days, amounts := 0, 0
	for _, title := range headings {
		switch role := hintOf(title); {
		case role == schema.Day:
			days = 1
		case moneyRoles[role] || countRoles[role]:
			amounts = 1
		}
	}
	return days + amounts
}
