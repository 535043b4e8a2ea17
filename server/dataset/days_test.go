package dataset_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/server/dataset"
	"svc/server/schema"
)

// dated returns a file of 20 rows of which some have no date, under a heading.
func dated(heading string, bad int) string {
	var out strings.Builder
	out.WriteString(heading + ",Product,Total\n")
	for i := range 20 {
		cell := fmt.Sprintf("2024-01-%02d", i+1)
		if i < bad {
			cell = "to be told"
		}
		fmt.Fprintf(&out, "%s,Tea,5\n", cell)
	}
	return out.String()
}

// A column of which most cells are dates is the date, with a warning; of others it can be chosen
// in the preview. Other cells are left blank and are rows with problems.
func TestDaysWithBadCells(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	source, report, err := d.importInto(fileOf("most.csv", dated("Date", 6)))
	if day, ok := source.ByRole(schema.Day); err != nil || !ok || day.Type != schema.Date || day.Blank != 6 || report.Odd != 6 || source.First != "2024-01-07" {
		t.Fatalf("most are dates: %+v %+v %v", source.Columns, report, err)
	}
	want := `6 cells, the first "to be told", are not a date and are left blank`
	if !slices.ContainsFunc(report.Warnings, func(w dataset.Warning) bool { return w.Heading == "Date" && w.Line == 2 && w.Reason == want }) {
		t.Errorf("warnings %+v", report.Warnings)
	}

	u := d.mustKeep("few.csv", dated("When it was", 13))
	if c := u.Preview.Columns[0]; c.Role != schema.None || !slices.Contains(c.Roles, schema.Day) {
		t.Fatalf("column %+v", c)
	}
	if c := u.Preview.Columns[1]; slices.Contains(c.Roles, schema.Day) {
		t.Errorf("the product can be the date: %+v", c)
	}
	source = d.mustUse(u, dataset.Choice{Name: "few", Roles: map[string]schema.Role{"When it was": schema.Day}}, dataset.Create)
	if day, ok := source.ByRole(schema.Day); !ok || !day.Corrected || day.Type != schema.Date || day.Blank != 13 || source.First != "2024-01-14" {
		t.Errorf("chosen: %+v", source.Columns)
	}
	// It stays the date when a further file is added.
	f := fileOf("more.csv", strings.ReplaceAll(dated("When it was", 13), "2024-01", "2024-02"))
	f.Dataset, f.Mode = "few", dataset.Add
	source, _, err = d.importInto(f)
	if day, ok := source.ByRole(schema.Day); err != nil || !ok || day.Type != schema.Date || source.Last != "2024-02-20" {
		t.Errorf("added: %+v %v", source.Columns, err)
	}
}

// Totals that a short file lacks are computed, too, if all others are quantity times price.
func TestTotalsOfAShortFile(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	const head = "Date,Product,Quantity,Price,Total\n2024-01-01,Tea,2,3,6\n2024-01-02,Bun,3,2,6\n2024-01-03,Jam,1,4,4\n"
	source, _, err := d.importInto(fileOf("short.csv", head+"2024-01-04,Tea,5,3,\n"))
	if err != nil || source.Totals == nil || source.Totals.Rows != 1 {
		t.Errorf("totals %+v %v", source.Totals, err)
	}
	source, _, err = d.importInto(fileOf("odd.csv", strings.Replace(head, "4,4", "4,3", 1)+"2024-01-04,Tea,5,3,\n"))
	if err != nil || source.Totals != nil {
		t.Errorf("totals that do not agree: %+v %v", source.Totals, err)
	}
}
