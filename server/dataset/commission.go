package dataset

import (
	"slices"

	"svc/server/header"
	"svc/server/schema"
)

// commissionHeading is the heading of what a shop keeps of each sale.
const commissionHeading = "Commission"

// commissionWords are in the headings of what a shop keeps of what it sells for others.
var commissionWords = wordSet("commission comm commn")

// commission is what a shop keeps of each sale, where only the share is told beside the amount.
func (p *plan) commission() []madeColumn {
	share, amount := -1, -1
	for i, column := range p.profiles {
		isNumber := p.formats[i].kind == schema.Number
		switch role := hintOf(column.title); {
		case isNumber && hasWord(column.title, commissionWords):
			if share >= 0 || !p.formats[i].percent {
				return nil
			}
			share = i
		case role == schema.Quantity, role == schema.UnitCost, header.Fold(column.title) == "commission":
			return nil
		case isNumber && slices.Contains([]schema.Role{schema.Revenue, schema.Gross, schema.Price}, role) && (amount < 0 || hasWord(column.title, soldForWords)):
			amount = i
		}
	}
	if share < 0 || amount < 0 {
		return nil
	}
	const scale = 2
	return []madeColumn{{
		column: schema.Column{Heading: commissionHeading, Type: schema.Number, Scale: scale, Unit: schema.Money}, of: p.titles(amount, share),
		value: func(_ []string, values []any) any {
			paid, known := values[amount].(int64)
			percent, told := values[share].(int64)
			if !known || !told {
				return nil
			}
			return roundedShare(paid*percent*tenTo(scale), tenTo(p.formats[amount].scale+p.formats[share].scale)*hundred)
		},
	}}
}

// soldForWords are in the headings of what something was sold for, beside its list price.
var soldForWords = wordSet("sale sold net paid total")

// hundred is the whole of a share in per cent.
const hundred = 100

// roundedShare returns a quotient to the nearest whole, halves away from zero.
func roundedShare(a, b int64) int64 {
	half := b / 2
	if a < 0 {
		half = -half
	}
	return (a + half) / b
}
