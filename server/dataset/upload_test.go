package dataset_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/dataset"
	"svc/server/fault"
	"svc/server/schema"
)

const (
	january  = "Date,Order,Product,Qty,Price\n2026-01-02,1,Tea,2,£3.00\n2026-01-05,2,Coffee,1,£4.50\n"
	february = "Date,Order,Product,Qty,Price\n2026-01-05,2,Coffee,1,£4.50\n2026-02-01,3,Tea,4,£3.00\n"
)

func (d *fixture) keep(name, text string) (dataset.Uploaded, error) {
	d.clock.Advance(time.Minute)
	return d.service.Keep(d.Context(), d.owner.ID, name, []byte(text))
}

func (d *fixture) mustKeep(name, text string) dataset.Uploaded {
	d.Helper()
	u, err := d.keep(name, text)
	if err != nil {
		d.Fatal(err)
	}
	return u
}

func (d *fixture) mustUse(u dataset.Uploaded, c dataset.Choice, mode dataset.Mode) schema.Source {
	d.Helper()
	source, _, err := d.service.UseUpload(d.Context(), d.owner.ID, u.ID, c, mode)
	if err != nil {
		d.Fatal(err)
	}
	return source
}

// kept returns the names of the files beside the database that end with a suffix.
func (d *fixture) kept(suffix string) (names []string) {
	d.Helper()
	entries, err := os.ReadDir(d.path + "-data")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		d.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			names = append(names, e.Name())
		}
	}
	return names
}

func expectFault(t *testing.T, err error, code fault.Code, field, text string) {
	t.Helper()
	refused, ok := errors.AsType[*fault.Error](err)
	if !ok || refused.Code != code || refused.Field != field || !strings.Contains(refused.Message, text) {
		t.Errorf("%v, want %s of %q with %q", err, code, field, text)
	}
}

// The revenue of a preview has the totals that ask computes, and says so.
func TestUploadComputesMissingTotals(t *testing.T) {
	t.Parallel()
	dbtest.Sequential(t)
	d := newFixture(t)
	text := "Date,Item,Quantity,Price,Total\n" + strings.Repeat("2026-01-02,Tea,2,3.50,7.00\n2026-01-03,Mug,1,9.00,9.00\n", 20)
	p := d.mustKeep("january.csv", text+"2026-01-04,Tea,3,1.25,\n2026-01-04,Tea,0.5,2.50,ERROR\n2026-01-04,Tea,,2.50,\n").Preview
	if p.Revenue != "£325.00" { // 320 + 3.75 + 1.25
		t.Errorf("revenue %s", p.Revenue)
	}
	if want := "2 rows have no Total, which is computed as Quantity × Price."; !slices.Contains(p.Notes, want) {
		t.Errorf("%q, want %s", p.Notes, want)
	}
	large := strings.ReplaceAll(text, "2026-01-02,Tea,2,3.50,7.00", "2026-01-02,Tea,2,350000.00,700000.00")
	p = d.mustKeep("large.csv", large+"2026-01-04,Tea,900000000,900000000.00,\n").Preview // a sum of such rows is no int64
	if p.Revenue != "£14,000,180.00" || slices.ContainsFunc(p.Notes, func(n string) bool { return strings.Contains(n, "computed") }) {
		t.Errorf("%s %q", p.Revenue, p.Notes)
	}
}

func TestUploadShowsWhatItWouldMake(t *testing.T) {
	t.Parallel()
	dbtest.Sequential(t)
	d := newFixture(t)
	u := d.mustKeep("january.csv", january)
	p := u.Preview
	if p.Rows != 2 || p.First != "2026-01-02" || p.Last != "2026-01-05" || p.Revenue != "£10.50" || p.Made != "Price × Qty" {
		t.Errorf("%+v", p)
	}
	if len(p.Cells) != 2 || !slices.Equal(p.Cells[0], []string{"2026-01-02", "1", "Tea", "2", "£3.00"}) {
		t.Errorf("cells %q", p.Cells)
	}
	roles := map[string]schema.Role{"Date": schema.Day, "Order": schema.Order, "Product": schema.Product, "Qty": schema.Quantity, "Price": schema.Price}
	for _, c := range p.Columns {
		if c.Role != roles[c.Heading] || !slices.Contains(c.Roles, c.Role) {
			t.Errorf("%+v", c)
		}
	}
	if all, err := d.service.List(t.Context(), d.owner.ID); err != nil || len(all) != 0 {
		t.Errorf("looking made datasets: %+v, %v", all, err)
	}
	if stored, err := d.service.Upload(t.Context(), d.owner.ID, u.ID); err != nil || stored.Preview.Revenue != "£10.50" {
		t.Errorf("stored %+v, %v", stored, err)
	}

	// Without its price the file has no revenue, and the shop decides what the column is.
	u, err := d.service.Look(t.Context(), d.owner.ID, u.ID, dataset.Choice{Roles: map[string]schema.Role{"Price": schema.None, "Product": schema.Category}}, false)
	if err != nil || u.Preview.Revenue != "" || u.Preview.Columns[2].Role != schema.Category || !u.Preview.Columns[2].Corrected {
		t.Errorf("%+v, %v", u, err)
	}
	source := d.mustUse(u, u.Choice, dataset.Create)
	if c, ok := source.ByRole(schema.Category); !ok || c.Heading != "Product" || source.Name != "january" {
		t.Errorf("%+v", source)
	}
	if files := d.kept(".file"); len(files) != 0 {
		t.Errorf("a used upload is kept: %v", files)
	}
}

func TestUploadAddsReplacesAndIsUndone(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	d := newFixture(t)
	first := d.mustUse(d.mustKeep("sales.csv", january), dataset.Choice{}, dataset.Create)

	u := d.mustKeep("february.csv", february)
	if p := u.Preview; u.Choice.Target != first.ID || p.Before != 2 || p.Merged != (dataset.Merged{Added: 1, Known: 1}) || p.AddProblem != "" {
		t.Fatalf("%+v", u)
	}
	if added := d.mustUse(u, u.Choice, dataset.Add); added.Rows != 3 || added.ID != first.ID {
		t.Errorf("%+v", added)
	}
	if b, err := d.service.Before(t.Context(), d.owner.ID, first.ID); err != nil || b.Change != db.RowsAdded || b.Rows != 2 {
		t.Errorf("%+v, %v", b, err)
	}
	undone, err := d.service.Undo(t.Context(), d.owner.ID, first.ID)
	if err != nil || undone.Rows != 2 || undone.Last != "2026-01-05" {
		t.Errorf("%+v, %v", undone, err)
	}
	_, err = d.service.Undo(t.Context(), d.owner.ID, first.ID)
	expectFault(t, err, fault.Conflict, "", "nothing of sales can be undone")

	u = d.mustKeep("february.csv", february)
	d.mustUse(u, u.Choice, dataset.Replace)
	if _, _, err = d.service.Teach(t.Context(), d.owner.ID, "sales", "brew", "Tea"); err != nil {
		t.Fatal(err)
	}
	if undone, err = d.service.Undo(t.Context(), d.owner.ID, "sales"); err != nil || undone.First != "2026-01-02" || len(undone.Words) != 1 {
		t.Errorf("%+v, %v", undone, err)
	}
	if source, err := d.service.Find(t.Context(), d.owner.ID, "sales"); err != nil || source.Rows != 2 || len(source.Words) != 1 {
		t.Errorf("%+v, %v", source, err)
	}
	if files := d.kept(".db"); len(files) != 1 {
		t.Errorf("files %v", files)
	}
}

// What can no longer be undone, and uploads that nobody uses, end with their files.
func TestUploadsAndUndoEnd(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.mustUse(d.mustKeep("sales.csv", january), dataset.Choice{}, dataset.Create)
	u := d.mustKeep("sales.csv", february)
	d.mustUse(u, u.Choice, dataset.Replace)
	left := d.mustKeep("left.csv", january)
	if err := d.service.Sweep(t.Context()); err != nil || len(d.kept(".db")) != 2 || len(d.kept(".file")) != 1 {
		t.Fatalf("%v: %v %v", err, d.kept(".db"), d.kept(".file"))
	}
	d.clock.Advance(db.UploadLife)
	if _, err := d.service.Upload(t.Context(), d.owner.ID, left.ID); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("an upload that has ended: %v", err)
	}
	if err := d.service.Sweep(t.Context()); err != nil || len(d.kept(".file")) != 0 {
		t.Errorf("%v: %v", err, d.kept(".file"))
	}
	d.clock.Advance(db.BeforeKept)
	if err := d.service.Sweep(t.Context()); err != nil || len(d.kept(".db")) != 1 {
		t.Errorf("%v: %v", err, d.kept(".db"))
	}
}

func TestUploadRefuses(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	d := newFixture(t)
	for text, reason := range map[string]string{
		"":           "is empty",
		"just words": "cannot be used",
		"Date,Amount\n2026-01-02,1\n2026-01-03,2,3,4\n": "",
	} {
		_, err := d.keep("bad.csv", text)
		if reason != "" {
			expectFault(t, err, fault.InvalidRequest, "file", reason)
		}
	}
	_, err := d.keep("big.csv", january+strings.Repeat("x", int(dataset.Console.Bytes)))
	expectFault(t, err, fault.InvalidRequest, "file", "at most 20 MB")
	many := "Day,Amount\n" + strings.Repeat("2026-01-02,1\n", int(dataset.Console.Rows)+1)
	_, err = d.keep("many.csv", many)
	expectFault(t, err, fault.InvalidRequest, "file", "200,000")

	d.mustUse(d.mustKeep("sales.csv", january), dataset.Choice{}, dataset.Create)
	u := d.mustKeep("stock.csv", "SKU,Stock,Supplier\nA,1,X\nB,2,X\n")
	_, _, err = d.service.UseUpload(t.Context(), d.owner.ID, u.ID, dataset.Choice{Name: "SALES"}, dataset.Create)
	expectFault(t, err, fault.InvalidRequest, "name", "is that of a dataset")
	sales, err := d.service.Find(t.Context(), d.owner.ID, "sales")
	if err != nil {
		t.Fatal(err)
	}
	if u, err = d.service.Look(t.Context(), d.owner.ID, u.ID, dataset.Choice{Target: sales.ID}, false); err != nil || !strings.Contains(u.Preview.AddProblem, "has no column") {
		t.Errorf("%+v, %v", u.Preview, err)
	}
	_, _, err = d.service.UseUpload(t.Context(), d.owner.ID, u.ID, u.Choice, dataset.Add)
	expectFault(t, err, fault.InvalidRequest, "file", "has no column")

	if err := os.Remove(filepath.Join(d.path+"-data", u.ID+".file")); err != nil {
		t.Fatal(err)
	}
	_, err = d.service.Look(t.Context(), d.owner.ID, u.ID, u.Choice, false)
	expectFault(t, err, fault.Gone, "file", "send it again")
}

// Another account sees neither an upload nor what can be undone.
func TestUploadsAreTheAccountsOwn(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	d := newFixture(t)
	other := dbtest.MustAccount(t, d.store, "other@example.com", db.Free)
	source := d.mustUse(d.mustKeep("sales.csv", january), dataset.Choice{}, dataset.Create)
	u := d.mustKeep("sales.csv", february)
	d.mustUse(u, u.Choice, dataset.Replace)
	u = d.mustKeep("sales.csv", january)
	for name, do := range map[string]func() error{
		"upload": func() error { _, err := d.service.Upload(t.Context(), other.ID, u.ID); return err },
		"look":   func() error { _, err := d.service.Look(t.Context(), other.ID, u.ID, u.Choice, false); return err },
		"use": func() error {
			_, _, err := d.service.UseUpload(t.Context(), other.ID, u.ID, u.Choice, dataset.Replace)
			return err
		},
		"before": func() error { _, err := d.service.Before(t.Context(), other.ID, source.ID); return err },
		"undo":   func() error { _, err := d.service.Undo(t.Context(), other.ID, source.ID); return err },
	} {
		if err := do(); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := d.service.Discard(t.Context(), other.ID, u.ID); err != nil || len(d.kept(".file")) != 1 {
		t.Errorf("%v: %v", err, d.kept(".file"))
	}
}

// A wide file with long cells has a bounded preview.
func TestPreviewIsBounded(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	d := newFixture(t)
	var text strings.Builder
	text.WriteString("Date,Amount")
	for i := range 100 {
		fmt.Fprintf(&text, ",Extra %d", i)
	}
	for i := range 50 {
		fmt.Fprintf(&text, "\n2026-01-%02d,%d%s", i%28+1, i, strings.Repeat(","+strings.Repeat("é", 200), 100))
	}
	u := d.mustKeep("wide.csv", text.String())
	if p := u.Preview; len(p.Columns) != 40 || p.All != 102 || len(p.Cells) != 20 || len(p.Cells[0]) != 40 || len([]rune(p.Cells[0][5])) != 60 || p.Rows != 50 {
		t.Errorf("%d of %d columns, %d rows", len(p.Columns), p.All, len(p.Cells))
	}
}
