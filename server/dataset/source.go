package dataset

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/header"
	"svc/server/money"
	"svc/server/schema"
)

// describe returns the source of the table that was written. It queries the table for what
// its columns hold.
func (p *plan) describe(ctx context.Context, name, path string, corrections []Correction, report *Report) (source schema.Source, err error) {
	file, err := db.OpenDataFile(path)
	if err != nil {
		return schema.Source{}, err
	}
	defer func() {
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
	}()

	source = schema.Source{Name: baseName(name), From: "rows", Rows: int64(report.Rows)}
	for i, column := range p.columns() {
		if err := fairqueue.Yield(ctx); err != nil { // a file may have a thousand columns
			return schema.Source{}, err
		}
		column.Name = db.DataColumn(i)
		held, err := db.Summarise(ctx, file, source.From, column.Name, column.Type == schema.Text, schema.MaxValues)
		if err != nil {
			return schema.Source{}, err
		}
		column.Distinct, column.Blank, column.Values = held.Distinct, held.Blank, held.Values
		source.Columns = append(source.Columns, column)
	}
	if err := p.giveRoles(ctx, file, &source, report); err != nil {
		return schema.Source{}, err
	}
	source = repeatCorrections(source, corrections, report)
	source, doubts, err := withReversals(ctx, file, source)
	if err != nil {
		return schema.Source{}, err
	}
	report.Warnings = append(report.Warnings, doubts...)
	return Span(ctx, file, source)
}

// baseName returns the name of a file without its extension.
func baseName(file string) string {
	return cmp.Or(strings.TrimSuffix(file, filepath.Ext(file)), file)
}

// repeatCorrections makes the corrections of a dataset's roles again, after a change of its
// rows. One that no longer fits is a warning.
func repeatCorrections(source schema.Source, corrections []Correction, report *Report) schema.Source {
	for _, c := range corrections {
		corrected, err := WithRole(source, c.Heading, c.Role)
		if err != nil {
			report.Warnings = append(report.Warnings, place{}.warning(c.Heading, "its corrected role was not kept: "+err.Error()))
			continue
		}
		source = corrected
	}
	return source
}

// correctionsOf returns the corrections that have been made to a source.
func correctionsOf(source schema.Source) (all []Correction) {
	for _, c := range source.Columns {
		if c.Corrected {
			all = append(all, Correction{c.Heading, c.Role})
		}
	}
	return all
}

// columns returns the columns of the file and those made of addresses.
func (p *plan) columns() (all []schema.Column) {
	for i, f := range p.formats {
		column := schema.Column{Heading: p.profiles[i].title, Type: f.kind, Scale: f.scale, Suffix: f.suffix}
		if f.percent {
			column.Unit = schema.Percent
		} else if f.kind == schema.Number && (len(p.profiles[i].currencies) > 0 || money.Find(header.Currency(column.Heading)) != "") {
			column.Unit = schema.Money
		}
		all = append(all, column)
	}
	for _, i := range p.spent {
		all[i].Unit = schema.Money
	}
	for _, i := range p.places {
		all[i].Place = true
	}
	for _, added := range p.added {
		all = append(all, added.column)
	}
	return all
}

// giveRoles gives the columns their roles by headings first, and then by values and
// figures. The headings of a known export decide alone.
func (p *plan) giveRoles(ctx context.Context, file *db.DataFile, source *schema.Source, report *Report) error {
	figures, err := takeSample(ctx, file, source)
	if err != nil {
		return err
	}
	if p.export != nil {
		p.export.assign(source.Columns)
		settleCutExport(source)
	} else {
		for _, check := range []func(context.Context, *db.DataFile, *schema.Source) error{p.checkOwed, p.checkTakings, p.checkTax} {
			if err := check(ctx, file, source); err != nil {
				return err
			}
		}
		assign(source.Columns)
		settleNames(source)
		p.settleTakings(source)
		figures.settle()
		for _, settle := range []func(context.Context, db.Querier, *schema.Source) error{settleLines, settleLinePrices, settleSegment, checkBalance} {
			if err := settle(ctx, file, source); err != nil {
				return err
			}
		}
	}
	if balance, err := settleStatement(ctx, file, source, p.export != nil); err != nil {
		return err
	} else if balance != "" {
		report.Warnings = append(report.Warnings, place{}.warning(balance, "it is what the account holds after each row, so it is not summed, and the newest counts"))
	}
	dropped, err := figures.dropRepeated(ctx, file)
	for _, title := range p.settleOnce(source, dropped) {
		report.Warnings = append(report.Warnings, place{}.warning(title, "the amounts are those of whole orders, repeated on each line, so they are not summed"))
	}
	report.Warnings = append(append(report.Warnings, p.madeOf()...), figures.extras()...)
	p.markAmounts(source)
	derive(source)
	if p.export != nil && p.export.kind != "" {
		source.Kind = p.export.kind
	}
	source.Currency, source.Mixed = p.currencyOf(*source, report)
	return err
}

// currencyOf returns the currency from the column that names it, else from the signs
// beside the figures.
func (p *plan) currencyOf(source schema.Source, report *Report) (code string, mixed bool) {
	for i, c := range source.Columns[:len(p.folded)] {
		if !currencyWords[p.folded[i]] || len(c.Values) == 0 {
			continue
		}
		code := currencyCode(c.Values[0])
		if code == "" || len(c.Values) == 1 {
			return code, false
		}
		report.Warnings = append(report.Warnings, place{}.warning(c.Heading, severalCurrencies))
		return "", true
	}
	if p.mixed != "" {
		report.Warnings = append(report.Warnings, place{}.warning("currency", p.mixed))
	}
	return currencyCode(p.currency), p.mixed != ""
}

// currencyCode returns the code of a currency that is supported, else "".
func currencyCode(text string) string {
	if code, ok := money.Currency(text); ok {
		return code
	}
	return ""
}

var currencyWords = wordSet("currency wahrung devise monnaie moneda divisa moeda valuta")

// amountWords are in the headings of amounts of money without a sign, otherAmounts in those of
// other amounts: Amount Paid, but net weight.
var (
	amountWords  = wordSet("net gross amount paid balance owed owing outstanding deposit subtotal")
	priceWords   = wordSet("spend spent ex exc excl inc incl price cost costs fee fees charge charges rent wages tip tips deposit resto restoration")
	otherAmounts = wordSet(`time weight wt kg g lb oz litres liters ml hours hrs mins minutes days qty quantity units pct percent rate ratio
		abv gravity rating score stars lat lng latitude longitude length width height depth size miles km distance mileage duration temp ph dose strength`)
)

// markAmounts makes numbers without a role money if all are written with two decimals, as amounts are.
func (p *plan) markAmounts(source *schema.Source) {
	for i, column := range p.profiles {
		c := &source.Columns[i]
		isAmount := column.cents == column.numeric && c.Scale == 2 && c.Suffix == "" && !hasWord(c.Heading, otherAmounts)
		if c.Type == schema.Number && c.Role == schema.None && c.Unit == schema.Plain && isAmount {
			c.Unit = schema.Money
		}
	}
}

// isAmountOfMoney reports whether a number without a role is money by its heading. Whole numbers are
// only if it is of fees or the like, which are no flags.
func isAmountOfMoney(c schema.Column) bool {
	isAmount := c.Scale == 2 && hasWord(c.Heading, amountWords) || c.Scale <= 2 && c.Distinct > 2 && hasWord(c.Heading, priceWords)
	return isAmount && !hasWord(c.Heading, otherAmounts)
}

// derive sets units and kind from the roles.
func derive(source *schema.Source) {
	for i := range source.Columns {
		c := &source.Columns[i]
		switch {
		case c.Type != schema.Number || c.Unit == schema.Percent:
		case moneyRoles[c.Role]:
			c.Unit = schema.Money
		case countRoles[c.Role]:
			c.Unit = schema.Count
		case c.Role == schema.None && c.Unit == schema.Plain && isAmountOfMoney(*c):
			c.Unit = schema.Money
		}
	}
	for _, way := range source.Tenders() {
		source.Columns[findColumn(*source, way.Heading)].Unit = schema.Money
	}
	source.Kind = kindOf(*source)
	nameAbbreviated(source)
}

// kindOf returns what one row of the source is.
func kindOf(s schema.Source) schema.Kind {
	isSold := hasAny(s, schema.Revenue, schema.Gross, schema.Price, schema.Quantity, schema.Product, schema.SKU) || s.Tenders() != nil
	switch {
	case hasAny(s, schema.Stock) && !hasAny(s, schema.Day, schema.Order):
		return schema.Stocklist
	case (hasAny(s, schema.Supplier) || ofPurchases(s)) && hasAny(s, schema.Cost, schema.UnitCost) && hasAny(s, schema.Day) && !hasAny(s, schema.Revenue, schema.Gross, schema.Price, schema.Customer, schema.Stock):
		return schema.Purchases
	case listsClients(s):
		return schema.Customers
	case hasAny(s, schema.Order) && hasAny(s, schema.Day), isSold && hasAny(s, schema.Day, schema.Order):
		return schema.Sales
	case hasAny(s, schema.Revenue, schema.Gross) && hasAny(s, schema.Product, schema.Category, schema.Store):
		return schema.Sales
	case hasAny(s, schema.Customer) && !hasAny(s, schema.Revenue, schema.Product) && listsOnce(s):
		return schema.Customers
	}
	return schema.Other
}

// Span returns the source with the first and the last day of its Day column, from the
// rows. A list of people is as new as the last day on which one of them was there, and
// one of months covers all days of the last of them.
func Span(ctx context.Context, file db.Querier, source schema.Source) (schema.Source, error) {
	source.First, source.Last, source.ByMonth = "", "", false
	day, ok := source.ByRole(schema.Day)
	if !ok {
		return source, nil
	}
	found, err := file.Query(ctx, 1, fmt.Sprintf("SELECT coalesce(substr(min(%[1]s), 1, 10), ''), coalesce(substr(max(%[1]s), 1, 10), ''), count(%[1]s) - coalesce(sum(%[1]s LIKE '____-__-01'), 0), date(max(%[1]s), '+1 month', '-1 day') FROM %[2]s", day.Name, source.From))
	if err != nil {
		return schema.Source{}, err
	}
	row := found.Rows[0]
	source.First, source.Last = row[0].(string), row[1].(string)
	if others := row[2].(int64); others == 0 && source.First < source.Last && source.Kind != schema.Customers {
		source.Last, source.ByMonth = row[3].(string), true
	}
	for _, c := range source.Columns {
		if source.Kind != schema.Customers || c.Role == schema.Day || c.Type != schema.Date && c.Type != schema.Moment || !hasWord(c.Heading, wordSet("last")) {
			continue
		}
		found, err := file.Query(ctx, 1, fmt.Sprintf("SELECT coalesce(substr(max(%s), 1, 10), '') FROM %s", c.Name, source.From))
		if err != nil {
			return schema.Source{}, err
		}
		source.Last = max(source.Last, found.Rows[0][0].(string))
	}
	return source, nil
}
