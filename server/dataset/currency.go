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
// the columns with signs have one, the file is in that currency. Else it is in that of the headings,
// or else in the account's, and a few cells with another sign do not fit. With more of them no
// amounts can be added up. Nothing is converted, and nothing taken for another currency than it says.
func (p *plan) settleCurrency() {
	named := p.currenciesOfHeadings()
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
	home := p.home
	if len(named) == 1 {
		home, p.currency = named[0], named[0]
	}
	if len(named) > 1 && len(signs) == 0 {
		p.mixed = severalCurrencies
	}
	if len(signs) == 0 {
		return
	}
	best := slices.MaxFunc(slices.Sorted(maps.Keys(signs)), func(a, b string) int { return cmp.Compare(signs[a], signs[b]) })
	foreign := marked - signs[home]
	_, isKnown := money.Known(best)
	switch {
	case len(signs) == 1 && (home == "" || best == home):
		p.currency = best
	case !isKnown && foreign*10 > amounts:
		p.mixed = fmt.Sprintf("%s amounts name %s, which is no sign of %s, so they cannot be added up", money.Digits(int64(foreign), 0), best, strings.ToUpper(home))
	case nearlyAll(signs[best], amounts):
		p.currency = best
		p.requireSign(best)
	case home != "" && (foreign*10 <= amounts || foreign == 1 && amounts > leastAmounts):
		if signs[home] > 0 {
			p.currency = home
		}
		p.requireSign(home)
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

// currenciesOfHeadings returns the codes that headings of numbers such as "Price (€)" and
// "price_usd" name.
func (p *plan) currenciesOfHeadings() []string {
	found := map[string]bool{}
	for i, column := range p.profiles {
		if named := header.Currency(column.title); p.formats[i].kind == schema.Number && money.Find(named) != "" {
			found[currencyOf(named, p.home)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
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
	isOther := known != "" && (p.currency != "" && currencyCode(p.currency) != known || after.Currency != "" && after.Currency != known)
	if !after.Mixed && p.mixed == "" && !isOther {
		if before.Currency == "" && after.Currency != "" {
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
	found := map[string]bool{}
	for _, title := range r.headings() {
		named = append(named, currencyWords[header.Fold(title)])
		if code := currencyCode(currencyOf(header.Currency(title), in.home)); code != "" {
			found[strings.ToUpper(code)] = true
		}
	}
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
