package dataset_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/db/dbtest"
	"svc/server/dataset"
	"svc/server/schema"
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
		"Crowns":   {many(20, "5.00 kr"), "", true, 0, "0 currency: 20 amounts name kr, which is no sign of GBP, so they cannot be added up"},
		"OneCrown": {many(20, "5.00") + many(1, "4 kr"), "", false, 1, `22 Total: the cell "4 kr" is not in GBP and is left blank`},
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
	for heading, want := range map[string]string{"Total (€)": "eur", "Total (USD)": "usd", "total_usd": "usd", "Total (£)": "gbp", "Total GBP": "gbp", "Total": ""} {
		source, _, err := newFixture(t).importInto(fileOf("heading.csv", "Date,"+heading+"\n"+many(3, "5.00")))
		if err != nil || source.Currency != want {
			t.Errorf("currency of %s is %q, not %q, %v", heading, source.Currency, want, err)
		}
	}
}

// What a heading names holds for cells without a sign, whatever a few of them have.
func TestCurrencyOfHeadingWithSigns(t *testing.T) {
	t.Parallel()
	many := func(n int, cell string) string { return strings.Repeat("2024-01-31,"+cell+"\n", n) }
	for name, rows := range map[string]string{"OneSign": many(20, "5.00") + many(1, "€12"), "SomeSigns": many(20, "5.00") + many(10, "€12")} {
		source, report, err := newFixture(t).importInto(fileOf("heading.csv", "Date,Total (€)\n"+rows))
		if err != nil || source.Currency != "eur" || source.Mixed || report.Odd != 0 {
			t.Errorf("%s: %q, mixed %v, %d odd, %v", name, source.Currency, source.Mixed, report.Odd, err)
		}
	}
}

// A dataset keeps the currency of its heading when a file is added, and takes none in another.
func TestAddKeepsCurrency(t *testing.T) {
	t.Parallel()
	rows := func(day string) string { return strings.Repeat(day+",5.00\n", 3) }
	d := newFixture(t)
	if _, _, err := d.importInto(dataset.File{Name: "sales.csv", Content: strings.NewReader("Date,Total (€)\n" + rows("2024-01-31")), Size: int64(len("Date,Total (€)\n" + rows("2024-01-31")))}); err != nil {
		t.Fatal(err)
	}
	source, report, err := d.add("Date,Total (€)\n" + rows("2024-02-01"))
	if err != nil || source.Currency != "eur" || slices.ContainsFunc(report.Warnings, func(w dataset.Warning) bool { return w.Heading == "currency" }) {
		t.Errorf("added: %q, %v, %v", source.Currency, report.Warnings, err)
	}

	d = newFixture(t)
	base := "Date,Total,Currency\n" + strings.ReplaceAll(rows("2024-01-31"), "5.00", "5.00,GBP")
	if _, _, err := d.importInto(fileOf("sales.csv", base)); err != nil {
		t.Fatal(err)
	}
	if source, _, err := d.add("Date,Total,Currency\n" + strings.ReplaceAll(rows("2024-02-01"), "5.00", "5.00,USD")); err == nil && !source.Mixed {
		t.Errorf("dollars added to pounds are %q", source.Currency)
	}
	d = newFixture(t)
	if _, _, err := d.importInto(fileOf("sales.csv", "Date,Total\n"+strings.ReplaceAll(rows("2024-01-31"), "5.00", "£5.00"))); err != nil {
		t.Fatal(err)
	}
	if source, _, err := d.add("Date,Total,Currency\n" + strings.ReplaceAll(rows("2024-02-01"), "5.00", "5.00,USD")); err == nil {
		t.Errorf("dollars by a column added to pounds are %q", source.Currency)
	}
}

func fileOf(name, text string) dataset.File {
	return dataset.File{Name: name, Content: strings.NewReader(text), Size: int64(len(text))}
}

// Numbers of which all have two decimals are amounts, unless they are named like measures.
func TestAmountsByTheirDecimals(t *testing.T) {
	dbtest.Sequential(t)
	source, _, _ := buildText(t, "Date,Order no,Total,Duty,Gravity,Casks\n2026-01-02,1,90.00,8.50,1.04,1.5\n2026-01-03,2,80.00,7.00,1.05,2\n2026-01-04,3,85.00,7.25,1.05,2.25\n")
	for heading, want := range map[string]schema.Unit{"Duty": schema.Money, "Gravity": schema.Plain, "Casks": schema.Plain} {
		i := slices.IndexFunc(source.Columns, func(c schema.Column) bool { return c.Heading == heading })
		if got := source.Columns[i].Unit; got != want {
			t.Errorf("%s is %q, want %q", heading, got, want)
		}
	}
}
