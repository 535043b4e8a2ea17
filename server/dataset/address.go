package dataset

import (
	"strings"

	"svc/server/header"
	"svc/server/schema"
)

// addressParts returns the columns to make from a column of American addresses, "944 Walnut
// St, Boston, MA 02215": the city and the state. Mail-order sellers ask where their
// customers are, and many exports have no other column that shows it. There are none if the file has a
// column of cities or states.
func (p *plan) addressParts() (all []madeColumn) {
	for _, column := range p.profiles {
		if hint := hintOf(column.title); hint == schema.City || hint == schema.State {
			return nil
		}
	}
	for i, column := range p.profiles {
		if column.addresses > 0 && nearlyAll(column.addresses, column.filled-column.nones) {
			return []madeColumn{addressPart(i, column.title+": City", schema.City), addressPart(i, column.title+": State", schema.State)}
		}
	}
	return nil
}

// addressPart is the city or the state of the addresses of a column.
func addressPart(from int, title string, role schema.Role) madeColumn {
	return madeColumn{
		column: schema.Column{Heading: title, Type: schema.Text, Role: role},
		value: func(cells []string, _ []any) any {
			city, state, ok := splitAddress(cells[from])
			switch {
			case !ok:
				return nil
			case role == schema.State:
				return state
			}
			return city
		},
	}
}

// isAddressHeading reports whether a heading is that of addresses.
func isAddressHeading(title string) bool {
	words := strings.Fields(header.Fold(title))
	return len(words) > 0 && words[len(words)-1] == "address"
}

// splitAddress returns city and state of an American address. It must end in a state and a
// ZIP code of five digits, or five and four.
func splitAddress(text string) (city, state string, ok bool) {
	rest, last, found := cutLast(text, ",")
	_, city, hasStreet := cutLast(rest, ",")
	state, code, hasCode := strings.Cut(strings.TrimSpace(last), " ")
	five, four, isLong := strings.Cut(code, "-")
	city = strings.TrimSpace(city)
	isState := len(state) == 2 && strings.ToUpper(state) == state && !hasDigit(state)
	isCode := len(five) == 5 && isDigits(five) && (!isLong || len(four) == 4 && isDigits(four))
	return city, state, found && hasStreet && hasCode && city != "" && isState && isCode
}

func cutLast(text, mark string) (before, after string, found bool) {
	i := strings.LastIndex(text, mark)
	if i < 0 {
		return "", text, false
	}
	return text[:i], text[i+len(mark):], true
}
