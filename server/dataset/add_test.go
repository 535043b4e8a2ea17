package dataset_test

import (
	"slices"
	"strings"
	"testing"

	"svc/db/dbtest"
	"svc/server/dataset"
)

// A file may lack columns that a later file has added, but none of the first file's. Rows
// that it brings again keep what only others have.
func TestAddWithoutLaterColumns(t *testing.T) {
	dbtest.Sequential(t)
	d := newFixture(t)
	const january, march = "Date,Product,Total\n2024-01-01,Tea,5\n2024-01-02,Bun,6\n", "Product,Date,Total\nJam,2024-03-01,7\n"
	d.mustImport("sales.csv", january)
	d.mustAdd("Date,Product,Staff,Total\n2024-01-02,Bun,Ann,6\n2024-02-01,Tea,Bob,5\n")
	if _, report := d.mustAdd(march); report.Merged != (dataset.Merged{Added: 1}) {
		t.Errorf("a file without the later column: %+v", report.Merged)
	}
	if _, report := d.mustAdd(january); report.Merged != (dataset.Merged{Known: 2}) {
		t.Errorf("the first file again: %+v", report.Merged)
	}
	want := "Date,Product,Total,Staff\n2024-01-01,Tea,5,\n2024-01-02,Bun,6,Ann\n2024-02-01,Tea,5,Bob\n2024-03-01,Jam,7,\n"
	if got := d.exported("sales"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	_, report, err := d.add("Date,Product,Total\n2024-01-02,Bun,6\n2024-04-01,Bun,6\n")
	if err != nil || report.Merged != (dataset.Merged{Added: 1, Known: 1}) || !strings.Contains(d.exported("sales"), "2024-01-02,Bun,6,Ann\n") {
		t.Errorf("an overlap lost cells: %+v, %v\n%s", report.Merged, err, d.exported("sales"))
	}
	if _, _, err := d.add("Date,Staff,Total\n2024-05-01,Ann,5\n"); err == nil || !strings.Contains(err.Error(), `the file does not fit sales: it has no column "Product"`) {
		t.Errorf("a file without a column of the first: %v", err)
	}
	_, offered, err := d.importInto(dataset.File{Name: "march.csv", Content: strings.NewReader(march), Size: int64(len(march))})
	if err != nil || !slices.Equal(offered.Fits, []string{"sales"}) {
		t.Errorf("offered %v, %v", offered.Fits, err)
	}

	d.mustImport("notes.csv", "Date,Total,\n2024-01-01,5,stray\n")
	if _, _, err := d.importInto(dataset.File{Name: "more.csv", Content: strings.NewReader(march), Size: int64(len(march)), Dataset: "notes", Mode: dataset.Add}); err != nil {
		t.Errorf("a file without a column that has no heading: %v", err)
	}

	d.mustImport("orders.csv", "Order,Date,Product,Total\n1,2024-01-01,Tea,5\n1,2024-01-01,Bun,6\n")
	add := func(text string) dataset.Report {
		_, report, err := d.importInto(dataset.File{Name: "more.csv", Content: strings.NewReader(text), Size: int64(len(text)), Dataset: "orders", Mode: dataset.Add})
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	add("Order,Date,Product,Total,SKU,Note\n1,2024-01-01,Tea,5,T1,hot\n2,2024-01-02,Tea,5,T1,\n")
	if report := add("Order,Date,Product,Total\n1,2024-01-01,Tea,4\n1,2024-01-01,Bun,6\n"); report.Merged.Added != 0 || report.Merged.Updated+report.Merged.Known != 2 {
		t.Errorf("orders again without the later columns: %+v\n%s", report.Merged, d.exported("orders"))
	}
	if got := d.exported("orders"); !strings.Contains(got, "1,2024-01-01,Tea,4,T1,hot\n") {
		t.Errorf("got\n%s", got)
	}
}

// A file in another currency is refused with both currencies, also if the dataset names none and
// so is in the account's; one that names that first is not, but says so.
func TestAddOtherCurrency(t *testing.T) {
	dbtest.Sequential(t)
	for name, c := range map[string]struct{ first, more, refusal, warning string }{
		"Signs":     {"Date,Total\n2024-01-01,$5.00\n2024-01-02,$6.00\n", "Date,Total\n2024-02-01,€5.00\n", "the file has amounts in EUR, sales in USD", ""},
		"Column":    {"Date,Total,Currency\n2024-01-01,5.00,USD\n", "Date,Total,Currency\n2024-02-01,5.00,EUR\n", "the file has amounts in EUR, sales in USD", ""},
		"Same":      {"Date,Total\n2024-01-01,$5.00\n", "Date,Total\n2024-02-01,$7.00\n", "", ""},
		"NoneNamed": {"Date,Total\n2024-01-01,$5.00\n", "Date,Total\n2024-02-01,7.00\n", "", ""},
		"FirstName": {"Date,Total\n2024-01-01,5.00\n", "Date,Total\n2024-02-01,£7.00\n", "", "the amounts that sales had name none; with this file all are taken for GBP"},
		"Foreign":   {"Date,Total\n2024-01-01,5.00\n", "Date,Total\n2024-02-01,€7.00\n", "the file has amounts in EUR, sales in GBP", ""},
		"OneStray":  {"Date,Total\n2024-01-01,5.00\n", "Date,Total\n2024-02-01,€7.00\n2024-02-02,7.00\n2024-02-03,7.00\n2024-02-04,7.00\n", "", "the cell \"€7.00\" is not in GBP and is left blank"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t)
			d.mustImport("sales.csv", c.first)
			before := d.exported("sales")
			_, report, err := d.add(c.more)
			switch {
			case c.refusal == "" && err != nil:
				t.Error(err)
			case c.refusal != "" && (err == nil || !strings.Contains(err.Error(), c.refusal) || d.exported("sales") != before):
				t.Errorf("got %v, want %s", err, c.refusal)
			}
			warned := slices.ContainsFunc(report.Warnings, func(w dataset.Warning) bool { return w.Reason == c.warning })
			if warned != (c.warning != "") {
				t.Errorf("warnings %+v", report.Warnings)
			}
		})
	}
}
