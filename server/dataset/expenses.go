package dataset

import (
	"svc/server/header"
	"svc/server/schema"
)

// expensesHeading is the heading of what a month cost in all.
const expensesHeading = "Total costs"

// expenseWords are in the headings of what a shop spends besides its goods.
var expenseWords = wordSet(`rent rents wage wages salary salaries payroll utilities utility electricity electric gas water energy power insurance supplies consumables
	marketing advertising ads phone telephone broadband internet subscriptions software accountant accountancy accounting legal licence licences repairs maintenance cleaning
	fuel travel stationery packaging ingredients pension pensions expenses overheads sundries loan interest miete lohne gehalter strom versicherung loyer salaires assurance alquiler salarios nominas seguro`)

// expenses finds the amounts of a table that has what a shop spent in each month, or week, and nothing else but numbers.
// They are money, and together what the month cost.
func (p *plan) expenses() []madeColumn {
	var spent []int
	hasDay := false
	for i, column := range p.profiles {
		switch hint := hintOf(column.title); {
		case hint == schema.Day && !hasDay && (p.formats[i].kind == schema.Date || p.formats[i].kind == schema.Moment):
			hasDay = true
		case column.filled == 0:
		case p.formats[i].kind != schema.Number || p.formats[i].percent || hint != schema.None && !hasWord(column.title, expenseWords) || header.Fold(column.title) == header.Fold(expensesHeading):
			return nil
		case hasWord(column.title, expenseWords):
			spent = append(spent, i)
		}
	}
	if !hasDay {
		return nil
	}
	p.spent = spent
	if len(spent) < 2 {
		return nil
	}
	return []madeColumn{p.sumColumn(expensesHeading, schema.Cost, spent)}
}

// sumColumn returns the column of what some amounts of a row come to.
func (p *plan) sumColumn(heading string, role schema.Role, columns []int) madeColumn {
	scale := 0
	for _, i := range columns {
		scale = max(scale, p.formats[i].scale)
	}
	return madeColumn{
		column: schema.Column{Heading: heading, Type: schema.Number, Scale: scale, Unit: schema.Money, Role: role}, of: p.titles(columns...),
		value: func(_ []string, values []any) any { return p.sumOf(values, columns, scale) },
	}
}

// sumOf returns what some numbers of a row come to, of 10^-scale; nil if all are blank.
func (p *plan) sumOf(values []any, columns []int, scale int) any {
	sum, known := int64(0), false
	for _, i := range columns {
		if n, ok := values[i].(int64); ok {
			sum, known = sum+n*tenTo(scale-p.formats[i].scale), true
		}
	}
	if !known {
		return nil
	}
	return sum
}
