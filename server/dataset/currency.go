package dataset

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"svc/server/fault"
	"svc/server/header"
	"svc/server/money"
	"svc/server/schema"
	"svc/server/sheet"
)

const severalCurrencies = "there are several currencies, whose amounts cannot be added up"

// leastAmounts is how many amounts it takes to tell a stray sign from another currency.
const leastAmounts = 3

// settleCurrency decides in which currency the amounts of the file are. If nearly all amounts of
// the columns with signs have one, the file is in that currency. Else it is in the account's, and
// a few cells with another sign do not fit. With more of them no amounts can be added up. Nothing
// is converted, and nothing taken for another currency than it says.
func (p *plan) settleCurrency() {
	signs, amounts, marked := map[string]int{}, 0, 0
	for i, column := range p.profiles {
		if p.formats[i].kind != schema.Number || len(column.currencies) == 0 {
			continue
		}
		amounts += column.numeric - column.zeros
		for code, n := range column.currencies {
			signs[code] += n
			marked += n
		}
	}
	if len(signs) == 0 {
		p.currencyOfHeadings()
		return
	}
	best := slices.MaxFunc(slices.Sorted(maps.Keys(signs)), func(a, b string) int { return cmp.Compare(signs[a], signs[b]) })
	foreign := marked - signs[p.home]
	switch {
	case len(signs) == 1 && (p.home == "" || best == p.home):
		p.currency = best
	case nearlyAll(signs[best], amounts):
		p.currency = best
		p.requireSign(best)
	case p.home != "" && (foreign*10 <= amounts || foreign == 1 && amounts > leastAmounts):
		if signs[p.home] > 0 {
			p.currency = p.home
		}
		p.requireSign(p.home)
	case len(signs) == 1:
		p.mixed = fmt.Sprintf("%s of %s amounts name %s and the others no currency, so they cannot be added up",
			money.Digits(int64(marked), 0), money.Digits(int64(amounts), 0), strings.ToUpper(best))
	default:
		p.mixed = severalCurrencies
	}
}

// requireSign makes cells with the sign of another currency odd, unless a column of the file
// names the currency of each row.
func (p *plan) requireSign(code string) {
	if slices.ContainsFunc(p.folded, func(title string) bool { return currencyWords[title] }) {
		return
	}
	for i := range p.formats {
		if p.formats[i].kind == schema.Number {
			p.formats[i].currency = code
		}
	}
}

// currencyOfHeadings takes the currency from headings like "Price (€)" and "price_usd", if it is not
// the account's and no cell names one.
func (p *plan) currencyOfHeadings() {
	if p.home == "" {
		return
	}
	found := map[string]bool{}
	for i, column := range p.profiles {
		if p.formats[i].kind != schema.Number {
			continue
		}
		if named := header.Currency(column.title); money.Find(named) != "" {
			found[currencyOf(named, p.home)] = true
		}
	}
	switch codes := slices.Sorted(maps.Keys(found)); {
	case len(codes) > 1:
		p.mixed = severalCurrencies
	case len(codes) == 1 && codes[0] != p.home:
		p.currency = codes[0]
	}
}

// checkCurrency refuses a file whose amounts are in another currency than those of the
// dataset that it is added to, since no question over both could be answered. Before is the
// dataset's source, and after that with the file. If only the file names a currency, which is
// the account's, the report names it as the dataset's.
func checkCurrency(ctx context.Context, in input, before, after schema.Source, report *Report) error {
	hasMoney := slices.ContainsFunc(before.Columns, func(c schema.Column) bool { return c.Unit == schema.Money })
	if before.Mixed || !hasMoney {
		return nil
	}
	alone := in
	alone.merge, alone.refuseText = nil, false
	p, err := inspect(ctx, alone)
	if err != nil {
		return err
	}
	known := cmp.Or(before.Currency, in.home)
	if !after.Mixed && p.mixed == "" && (p.currency == "" || known == "" || currencyCode(p.currency) == known) {
		if before.Currency != after.Currency {
			report.Warnings = append(report.Warnings, place{}.warning("currency", fmt.Sprintf(
				"the amounts that %s had name none; with this file all are taken for %s", before.Name, strings.ToUpper(after.Currency))))
		}
		return nil
	}
	codes, err := fileCurrencies(ctx, in)
	if err != nil {
		return err
	}
	return refusal(fault.Conflict, "the file has amounts in %s, %s in %s, and amounts in several currencies cannot be added up; import the file as a dataset of its own with --name, or convert its amounts",
		strings.Join(codes, " and "), before.Name, cmp.Or(strings.ToUpper(known), "no named currency"))
}

// fileCurrencies returns the codes, in upper case, of the currencies that a file names in a
// column of its own or beside its figures.
func fileCurrencies(ctx context.Context, in input) ([]string, error) {
	in.merge = nil
	r, err := in.open()
	if err != nil {
		return nil, err
	}
	var named []bool
	for _, title := range r.headings() {
		named = append(named, currencyWords[header.Fold(title)])
	}
	found := map[string]bool{}
	err = r.eachRow(ctx, func(row sheet.Row) error {
		for i, text := range row.Cells {
			code := ""
			if named[i] {
				code = currencyCode(text)
			} else if _, err := asPoint.ParseDecimal(text); err == nil {
				code = currencyCode(currencyOf(text, in.home))
			}
			if code != "" {
				found[strings.ToUpper(code)] = true
			}
		}
		return nil
	})
	return slices.Sorted(maps.Keys(found)), err
}
