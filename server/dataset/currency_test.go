package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/server/dataset"
)

// Amounts with a sign of another currency than the account's are those of the file if nearly all
// have it. A few do not fit and are named, and with more nothing is added up.
func TestImportForeignSigns(t *testing.T) {
	t.Parallel()
	many := func(n int, cell string) string { return strings.Repeat("2024-01-31,"+cell+"\n", n) }
	for name, c := range map[string]struct {
		rows, currency string
		mixed          bool
		odd            int
		warning        string
	}{
		"None":       {many(20, "5.00"), "", false, 0, ""},
		"Own":        {many(20, "£5.00"), "gbp", false, 0, ""},
		"AllForeign": {many(20, "€5.00"), "eur", false, 0, ""},
		"ButZeros":   {many(20, "€5.00") + many(5, "0"), "eur", false, 0, ""},
		"OneForeign": {many(20, "5.00") + many(1, "€4.20"), "", false, 1, `22 Total: the cell "€4.20" is not in GBP and is left blank`},
		"OneAmongOwn": {many(20, "£5.00") + many(1, "4.20 EUR"), "gbp", false, 1,
			`22 Total: the cell "4.20 EUR" is not in GBP and is left blank`},
		"Some":     {many(18, "5.00") + many(2, "$4.20"), "", false, 2, `20 Total: 2 cells, the first "$4.20", are not in GBP and are left blank`},
		"OneOwn":   {many(99, "€5.00") + many(1, "£4.20"), "eur", false, 1, `101 Total: the cell "£4.20" is not in EUR and is left blank`},
		"Half":     {many(10, "5.00") + many(10, "€4.20"), "", true, 0, "0 currency: 10 of 20 amounts name EUR and the others no currency, so they cannot be added up"},
		"HalfEach": {many(10, "£5.00") + many(10, "€4.20"), "", true, 0, "0 currency: there are several currencies, whose amounts cannot be added up"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t)
			source, report, err := d.importInto(fileOf("sales.csv", "Date,Total\n"+c.rows))
			if err != nil {
				t.Fatal(err)
			}
			var warnings []string
			for _, w := range report.Warnings {
				if !strings.Contains(w.Reason, "two ways") {
					warnings = append(warnings, fmt.Sprintf("%d %s: %s", w.Line, w.Heading, w.Reason))
				}
			}
			if source.Currency != c.currency || source.Mixed != c.mixed || report.Odd != c.odd || strings.Join(warnings, "\n") != c.warning {
				t.Errorf("currency %q, mixed %v, %d odd, warnings %q", source.Currency, source.Mixed, report.Odd, warnings)
			}
		})
	}
	for heading, want := range map[string]string{"Total (€)": "eur", "Total (USD)": "usd", "total_usd": "usd", "Total (£)": "", "Total GBP": "", "Total": ""} {
		source, _, err := newFixture(t).importInto(fileOf("heading.csv", "Date,"+heading+"\n"+many(3, "5.00")))
		if err != nil || source.Currency != want {
			t.Errorf("currency of %s is %q, not %q, %v", heading, source.Currency, want, err)
		}
	}
}

func fileOf(name, text string) dataset.File {
	return dataset.File{Name: name, Content: strings.NewReader(text), Size: int64(len(text))}
}
