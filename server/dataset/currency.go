package dataset

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"svc/server/fault"
	"svc/server/header"
	"svc/server/schema"
	"svc/server/sheet"
)

// checkCurrency refuses a file whose amounts are in another currency than those of the
// dataset that it is added to, since no question over both could be answered. Before is the
// dataset's source, and after that with the file. If only the file names a currency, the
// report names it as the dataset's.
func checkCurrency(ctx context.Context, in input, before, after schema.Source, report *Report) error {
	hasMoney := slices.ContainsFunc(before.Columns, func(c schema.Column) bool { return c.Unit == schema.Money })
	switch {
	case before.Mixed || !after.Mixed && (before.Currency == after.Currency || !hasMoney):
		return nil
	case !after.Mixed:
		report.Warnings = append(report.Warnings, place{}.warning("currency", fmt.Sprintf(
			"the amounts that %s had name none; with this file all are taken for %s", before.Name, strings.ToUpper(after.Currency))))
		return nil
	}
	codes, err := fileCurrencies(ctx, in)
	if err != nil {
		return err
	}
	known := "no named currency"
	if before.Currency != "" {
		known = strings.ToUpper(before.Currency)
	}
	return refusal(fault.Conflict, "the file has amounts in %s, %s in %s, and amounts in several currencies cannot be added up; import the file as a dataset of its own with --name, or convert its amounts",
		strings.Join(codes, " and "), before.Name, known)
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
				code = currencyCode(currencyOf(text))
			}
			if code != "" {
				found[strings.ToUpper(code)] = true
			}
		}
		return nil
	})
	return slices.Sorted(maps.Keys(found)), err
}
