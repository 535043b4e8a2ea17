package dataset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"svc/db"
	"svc/server/schema"
)

// taxHeading is the heading of what is charged on each row.
const taxHeading = "Tax"

// Words of the headings of taxes, and of amounts without them and with them.
var (
	taxNames   = wordSet(strings.Join(schema.TaxNames, " "))
	netWords   = wordSet("net subtotal")
	grossWords = wordSet("gross total")
)

// tax is what is charged on each row, where only its rate is told beside the amounts without it and with it.
func (p *plan) tax() []madeColumn {
	rate, net, gross := -1, -1, -1
	for i, column := range p.profiles {
		if p.formats[i].kind != schema.Number {
			continue
		}
		of := (*int)(nil)
		switch isRate := p.formats[i].percent; {
		case isRate && hasWord(column.title, taxNames):
			of = &rate
		case isRate:
		case hintOf(column.title) == schema.Tax:
			return nil
		case hasWord(column.title, netWords):
			of = &net
		case hasWord(column.title, grossWords):
			of = &gross
		}
		if of != nil && *of >= 0 {
			return nil // which of the two is not known
		}
		if of != nil {
			*of = i
		}
	}
	if rate < 0 || net < 0 || gross < 0 {
		return nil
	}
	scale := max(p.formats[net].scale, p.formats[gross].scale)
	return []madeColumn{{
		column: schema.Column{Heading: taxHeading, Type: schema.Number, Scale: scale, Unit: schema.Money, Role: schema.Tax}, of: p.titles(net, gross),
		value: func(_ []string, values []any) any {
			without, known := values[net].(int64)
			with, told := values[gross].(int64)
			if !known || !told {
				return nil
			}
			return with*tenTo(scale-p.formats[gross].scale) - without*tenTo(scale-p.formats[net].scale)
		},
	}}
}

// checkTax drops the tax that was made of two amounts, unless it is that of its rate in nearly all rows.
func (p *plan) checkTax(ctx context.Context, file *db.DataFile, source *schema.Source) error {
	at := p.madeAt(*source, taxHeading)
	if at < 0 {
		return nil
	}
	tax := source.Columns[at]
	amountOf := func(is func(schema.Column) bool) string {
		c := source.Columns[slices.IndexFunc(source.Columns[:len(p.profiles)], is)]
		return fmt.Sprintf("(%s / %d.0)", c.Name, tenTo(c.Scale))
	}
	rate := amountOf(func(c schema.Column) bool { return c.Unit == schema.Percent && hasWord(c.Heading, taxNames) })
	net := amountOf(func(c schema.Column) bool {
		return c.Type == schema.Number && c.Unit != schema.Percent && hasWord(c.Heading, netWords)
	})
	found, err := file.Query(ctx, 1, fmt.Sprintf("SELECT count(*), coalesce(sum(abs(%[1]s / %[2]d.0 - %[3]s * %[4]s / 100) < 0.02), 0) FROM %[5]s WHERE %[1]s IS NOT NULL AND %[4]s IS NOT NULL", tax.Name, tenTo(tax.Scale), net, rate, source.From))
	if err != nil {
		return err
	}
	rows, alike := found.Rows[0][0].(int64), found.Rows[0][1].(int64)
	if rows == 0 || float64(alike) < agreement*float64(rows) {
		p.dropMade(source, taxHeading)
	}
	return nil
}
