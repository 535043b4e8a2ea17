package dataset

import (
	"context"
	"fmt"
	"slices"

	"svc/db"
	"svc/server/header"
	"svc/server/schema"
)

// owedHeading is the heading of what is still to be paid.
const owedHeading = "Owed"

// billedWords are in the headings of amounts as customers pay them, with tax.
var billedWords = wordSet("gross total inc incl including grand due")

// names reports whether a heading is that of what was paid of an amount beside it, or of what is still to be paid.
func names(role schema.Role, title string) bool {
	return slices.Contains(vocabulary[role], writtenOut(header.Fold(title))) || slices.Contains(vocabulary[role], header.Fold(title)) || slices.Contains(composed(title), role)
}

// owed is what is still to be paid, of a list of invoices that has the amounts and what was paid of them.
func (p *plan) owed() []madeColumn {
	paid, billed, due := -1, -1, -1
	isNamed := false
	for i, column := range p.profiles {
		role, isNumber := hintOf(column.title), p.formats[i].kind == schema.Number && !p.formats[i].percent
		isNamed = isNamed || role == schema.Customer || role == schema.Order
		switch isAmount := role == schema.Revenue || role == schema.Gross; {
		case role == schema.Discount, header.Fold(column.title) == "owed":
			return nil // what was taken off is not owed
		case isNumber && names(schema.Owed, column.title) && hasWord(column.title, wordSet("due")):
			due = i
		case isNumber && names(schema.Owed, column.title):
			return nil
		case isNumber && names(schema.Paid, column.title):
			if paid >= 0 {
				return nil
			}
			paid = i
		case isNumber && isAmount && (billed < 0 || hasWord(column.title, billedWords) && !hasWord(p.profiles[billed].title, billedWords)):
			billed = i
		}
	}
	if billed < 0 {
		billed, due = due, -1 // what was due for it
	}
	if paid < 0 || billed < 0 || due >= 0 || !isNamed {
		return nil
	}
	scale := max(p.formats[paid].scale, p.formats[billed].scale)
	return []madeColumn{{
		column: schema.Column{Heading: owedHeading, Type: schema.Number, Scale: scale, Unit: schema.Money, Role: schema.Owed}, of: p.titles(billed, paid),
		value: func(_ []string, values []any) any {
			amount, known := values[billed].(int64)
			if !known {
				return nil
			}
			part, _ := values[paid].(int64)
			return amount*tenTo(scale-p.formats[billed].scale) - part*tenTo(scale-p.formats[paid].scale)
		},
	}}
}

// mostPaid is the share of the rows with a payment that must be paid in full: where it is less, the amount is
// not the one that customers pay.
const mostPaid = 0.5

// checkOwed drops what is still to be paid, unless most of what has a payment is paid in full and something
// is not.
func (p *plan) checkOwed(ctx context.Context, file *db.DataFile, source *schema.Source) error {
	at := p.madeAt(*source, owedHeading)
	if at < 0 {
		return nil
	}
	owed := source.Columns[at]
	paid := slices.IndexFunc(source.Columns, func(c schema.Column) bool { return c.Type == schema.Number && names(schema.Paid, c.Heading) })
	found, err := file.Query(ctx, 1, fmt.Sprintf("SELECT count(*), coalesce(sum(%[1]s = 0), 0), coalesce(sum(%[1]s < 0), 0) FROM %[3]s WHERE %[2]s <> 0 AND %[1]s IS NOT NULL", owed.Name, source.Columns[paid].Name, source.From))
	if err != nil {
		return err
	}
	rows, full, over := found.Rows[0][0].(int64), found.Rows[0][1].(int64), found.Rows[0][2].(int64)
	if float64(full) < mostPaid*float64(rows) || float64(over) > (1-agreement)*float64(rows) {
		p.dropMade(source, owedHeading)
		return nil
	}
	due := slices.IndexFunc(source.Columns, func(c schema.Column) bool {
		return c.Type == schema.Number && names(schema.Owed, c.Heading) && c.Heading != owedHeading
	})
	if isRevenue := func(c schema.Column) bool {
		r := hintOf(c.Heading)
		return c.Type == schema.Number && (r == schema.Revenue || r == schema.Gross)
	}; due >= 0 && !slices.ContainsFunc(source.Columns, isRevenue) {
		source.Columns[due].Role, source.Columns[due].Unit = schema.Revenue, schema.Money
	}
	return nil
}

// checkBalance takes a balance that is often far above the amount of its row for what a customer owes by then, and not
// for the row.
func checkBalance(ctx context.Context, file db.Querier, source *schema.Source) error {
	owed, ok := source.ByRole(schema.Owed)
	amount, sold := source.ByRole(schema.Revenue)
	if !ok || !sold || header.Fold(owed.Heading) != "balance" {
		return nil
	}
	found, err := file.Query(ctx, 1, fmt.Sprintf("SELECT count(*) FILTER (WHERE %[1]s > 1.5 * %[2]s), count(*) FROM %[3]s WHERE %[1]s > 0 AND %[2]s > 0", unitsSQL(owed), unitsSQL(amount), source.From))
	if err == nil && 5*found.Rows[0][0].(int64) > found.Rows[0][1].(int64) {
		giveNone(source, schema.Owed)
	}
	return err
}
