package dataset_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/dataset"
	"svc/server/schema"
	"svc/server/sheet"
)

// fixture is a service over a fresh store with one account.
type fixture struct {
	*testing.T
	service *dataset.Service
	store   *db.DB
	clock   *dbtest.Clock
	path    string
	owner   db.Account
}

func newFixture(t *testing.T) *fixture {
	d := &fixture{T: t, clock: dbtest.NewClock(), path: filepath.Join(t.TempDir(), "svc.db")}
	d.store = dbtest.OpenAt(t, d.path, d.clock)
	d.service = dataset.New(dataset.Config{Store: d.store})
	d.owner = dbtest.MustAccount(t, d.store, "shop@example.com", db.Free)
	return d
}

func (d *fixture) importText(name, text string) (schema.Source, error) {
	return d.importContent(name, int64(len(text)), strings.NewReader(text))
}

func (d *fixture) importContent(name string, size int64, content io.ReaderAt) (schema.Source, error) {
	source, _, err := d.importInto(dataset.File{Name: name, Content: content, Size: size})
	return source, err
}

func (d *fixture) importInto(f dataset.File) (schema.Source, dataset.Report, error) {
	d.clock.Advance(time.Minute)
	return d.service.Import(d.Context(), d.owner.ID, f)
}

func (d *fixture) mustImport(name, text string) schema.Source {
	d.Helper()
	source, err := d.importText(name, text)
	if err != nil {
		d.Fatal(err)
	}
	return source
}

// latest returns the name of the dataset that ask reads, and the sum of its second column.
func (d *fixture) latest() string {
	d.Helper()
	source, err := d.service.Find(d.Context(), d.owner.ID, "")
	if err != nil {
		return err.Error()
	}
	file, err := d.service.Open(source)
	if err != nil {
		return err.Error()
	}
	defer file.Close()
	return source.Name + " " + figure(d, source, file, "sum(c2)")
}

// files returns the names of the files in the folder of datasets.
func (d *fixture) files() (names []string) {
	d.Helper()
	all, err := os.ReadDir(d.path + "-data")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.Fatal(err)
	}
	for _, file := range all {
		names = append(names, file.Name())
	}
	return names
}

func (d *fixture) sweep() {
	d.Helper()
	if err := d.service.Sweep(d.Context()); err != nil {
		d.Error(err)
	}
}

const (
	march = "Date,Total,Product\n2024-03-01,5,Tea\n2024-03-02,6,Bun\n"
	april = "Date,Total,Product\n2024-04-01,7,Tea\n2024-04-02,8,Bun\n"
)

func TestImport(t *testing.T) {
	t.Run("LatestIsRead", func(t *testing.T) {
		d := newFixture(t)
		wantText(t, d.latest(), "not found")
		d.mustImport("march.csv", march)
		wantText(t, d.latest(), "march 11")
		first, err := d.service.Find(t.Context(), d.owner.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		d.mustImport("april.csv", april)
		wantText(t, d.latest(), "april 15")
		if again, err := d.service.Find(t.Context(), d.owner.ID, first.ID); err != nil || again.Name != "march" {
			t.Errorf("%+v, %v", again, err)
		}
	})

	t.Run("BadFileLeavesTheOneBefore", func(t *testing.T) {
		d := newFixture(t)
		d.mustImport("march.csv", march)
		before := d.files()
		_, err := d.importText("april.csv", april+"2024-04-03,9,Tea,oops\n")
		if fault, ok := errors.AsType[*sheet.Error](err); !ok || fault.Line != 4 {
			t.Errorf("%v", err)
		}
		wantText(t, d.latest(), "march 11")
		if after := d.files(); strings.Join(after, " ") != strings.Join(before, " ") {
			t.Errorf("got files %v, want %v", after, before)
		}
		if all, err := d.service.List(t.Context(), d.owner.ID); err != nil || len(all) != 1 {
			t.Errorf("%+v, %v", all, err)
		}
	})

	t.Run("UnreadableFileLeavesTheOneBefore", func(t *testing.T) {
		d := newFixture(t)
		d.mustImport("march.csv", march)
		if _, err := d.importContent("april.csv", int64(len(april)), broken{strings.NewReader(april)}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%v", err)
		}
		wantText(t, d.latest(), "march 11")
		if len(d.files()) != 1 {
			t.Errorf("%v", d.files())
		}
	})

	t.Run("OtherAccountFindsNothing", func(t *testing.T) {
		d := newFixture(t)
		source := d.mustImport("march.csv", march)
		other := dbtest.MustAccount(t, d.store, "other@example.com", db.Free)
		for _, id := range []string{"", source.ID} {
			if _, err := d.service.Find(t.Context(), other.ID, id); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("%q: %v", id, err)
			}
		}
		if _, err := d.service.SetRoles(t.Context(), other.ID, source.ID, nil); !errors.Is(err, db.ErrNotFound) {
			t.Error(err)
		}
	})
}

func wantText(t *testing.T, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// broken fails on reading, as a disk may.
type broken struct{ *strings.Reader }

func (b broken) ReadAt(p []byte, off int64) (int, error) { return 0, io.ErrUnexpectedEOF }

// Wherever an import stops, the dataset before it stays readable, and the sweep removes
// what the import left.
func TestInterruptedImportIsSwept(t *testing.T) {
	for name, left := range map[string]func(d *fixture, half db.Dataset) error{
		"BeforeTheFile": func(*fixture, db.Dataset) error { return nil },
		"WhileItIsBuilt": func(d *fixture, half db.Dataset) error {
			return os.WriteFile(d.store.DataTempPath(half), []byte("half"), 0o600)
		},
		"WhenItIsPublished": func(d *fixture, half db.Dataset) error {
			return os.WriteFile(d.store.DataPath(half), []byte("half"), 0o600)
		},
		"AfterItsRowIsDropped": (*fixture).dropRow,
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t)
			d.mustImport("march.csv", march)
			var half db.Dataset
			dbtest.Update(t, d.store, func(tx *db.Tx) (err error) {
				half, err = tx.BeginDataset(d.owner.ID, "april.csv")
				return err
			})
			if err := left(d, half); err != nil {
				t.Fatal(err)
			}
			wantText(t, d.latest(), "march 11")
			d.clock.Advance(25 * time.Hour)
			d.sweep()
			wantText(t, d.latest(), "march 11")
			if all, err := d.service.List(t.Context(), d.owner.ID); err != nil || len(all) != 1 || len(d.files()) != 1 {
				t.Errorf("%+v, files %v, %v", all, d.files(), err)
			}
		})
	}
}

func (d *fixture) dropRow(half db.Dataset) error {
	if err := os.WriteFile(d.store.DataPath(half), []byte("half"), 0o600); err != nil {
		return err
	}
	return d.store.Update(d.Context(), func(tx *db.Tx) error { return tx.DropDataset(half) })
}

// The sweep removes no dataset, however many there are, and no import under way.
func TestSweep(t *testing.T) {
	d := newFixture(t)
	for n := range 5 {
		d.mustImport(fmt.Sprint("march", n, ".csv"), march)
	}
	newest := d.mustImport("april.csv", april)
	file, err := d.service.Open(newest)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var running db.Dataset
	dbtest.Update(t, d.store, func(tx *db.Tx) (err error) {
		running, err = tx.BeginDataset(d.owner.ID, "may.csv")
		return err
	})
	if err := os.WriteFile(d.store.DataTempPath(running), nil, 0o600); err != nil {
		t.Fatal(err)
	}

	if _, err := d.service.Find(t.Context(), d.owner.ID, running.ID); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("dataset being imported: got %v, want not found", err)
	}
	d.sweep()
	all, err := d.service.List(t.Context(), d.owner.ID)
	if err != nil || len(all) != 7 || len(d.files()) != 7 || all[0].ID != running.ID || all[1].ID != newest.ID {
		t.Errorf("%+v, files %v, %v", all, d.files(), err)
	}
	wantText(t, d.latest(), "april 15")
}

func TestSetRoles(t *testing.T) {
	d := newFixture(t)
	source := d.mustImport("sales.csv", "Date,Total,Product,Extra,Paid on\n2024-03-01,5,Tea,1,2024-05-01\n2024-03-02,6,Bun,2,2024-05-02\n")
	set := func(all ...dataset.Correction) (string, error) {
		got, err := d.service.SetRoles(t.Context(), d.owner.ID, "", all)
		return rolesOf(got) + " " + got.First, err
	}
	for _, c := range []struct {
		corrections []dataset.Correction
		want        string
	}{
		{[]dataset.Correction{{"Extra", schema.Revenue}, {"Total", schema.Cost}}, "cost=Total date=Date product=Product revenue=Extra 2024-03-01"},
		{[]dataset.Correction{{"Paid on", schema.Day}}, "cost=Total date=Paid_on product=Product revenue=Extra 2024-05-01"},
		{[]dataset.Correction{{"paid_on", "none"}}, "cost=Total product=Product revenue=Extra "},
	} {
		if got, err := set(c.corrections...); err != nil || got != c.want {
			t.Errorf("%v: got %s, %v; want %s", c.corrections, got, err, c.want)
		}
	}
	if _, err := set(dataset.Correction{"Product", schema.Customer}, dataset.Correction{"Product", schema.Revenue}); !errors.Is(err, dataset.ErrRole) {
		t.Errorf("%v", err)
	}
	stored, err := d.service.Find(t.Context(), d.owner.ID, source.ID)
	if got := rolesOf(stored); err != nil || got != "cost=Total product=Product revenue=Extra" {
		t.Errorf("got stored roles %s, %v", got, err)
	}
}

// The shop's own tables are described and queried like a dataset.
func TestShopSources(t *testing.T) {
	d := newFixture(t)
	if all, err := d.service.Shop(t.Context(), d.owner); err != nil || len(all) > 0 {
		t.Errorf("empty shop: got %+v, %v; want none", all, err)
	}
	item := dbtest.MustItem(t, d.store, d.owner.ID, db.ItemChange{Name: "Tea", SKU: "T", StockMilli: new(int64(9_500)), CostPrice: new(int64(120)), ReorderMilli: new(int64(2_000))})
	dbtest.Update(t, d.store, func(tx *db.Tx) error {
		for i, quantity := range []int64{1_000, 2_500} {
			_, _, err := tx.PutSale(db.Sale{
				AccountID: d.owner.ID, ExternalID: string(rune('a' + i)), Currency: "gbp", SoldAt: time.Date(2026, 2, 1+i, 9, 0, 0, 0, time.UTC),
				Lines: []db.SaleLine{{ItemID: item.ID, Name: "Tea", SKU: "T", QuantityMilli: quantity, Price: 300, CostPrice: new(int64(120))}},
			})
			if err != nil {
				return err
			}
		}
		return nil
	})

	all, err := d.service.Shop(t.Context(), d.owner)
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	sales, stock := all[0], all[1]
	if sales.Name != "your sales" || sales.Kind != schema.Sales || sales.Rows != 2 || sales.Currency != "gbp" || sales.First != "2026-02-01" || sales.Last != "2026-02-02" {
		t.Errorf("%+v", sales)
	}
	if stock.Name != "your stock" || stock.Kind != schema.Stocklist || stock.Rows != 1 || stock.SoldFirst != "2026-02-01" || stock.SoldLast != "2026-02-02" {
		t.Errorf("%+v", stock)
	}
	for _, c := range []struct {
		source           schema.Source
		expression, want string
	}{
		{sales, "sum({revenue})", "1050"}, {sales, "sum({quantity})", "3500"}, {sales, "sum({cost})", "420"}, {sales, "count(DISTINCT {order})", "2"},
		{stock, "sum({stock})", "6000"}, {stock, "sum({unit_cost})", "120"}, {stock, "max({reorder})", "2000"},
	} {
		if got := figure(t, c.source, d.store, c.expression); got != c.want {
			t.Errorf("%s: got %s, want %s", c.expression, got, c.want)
		}
	}
	if price, _ := sales.ByRole(schema.Price); price.Scale != 2 || price.Unit != schema.Money {
		t.Errorf("%+v", price)
	}
	if product, _ := sales.ByRole(schema.Product); len(product.Values) != 1 || product.Values[0] != "Tea" {
		t.Errorf("%+v", product)
	}
}
