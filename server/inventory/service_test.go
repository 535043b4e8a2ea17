package inventory_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/fault"
	"svc/server/inventory"
)

// shop is a service with two accounts that sell in pounds.
type shop struct {
	*inventory.Service
	path      string
	clock     *dbtest.Clock
	reads     atomic.Int64 // of the clock by the store
	onRead    atomic.Pointer[func(int64)]
	anna, ben db.Account
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{clock: dbtest.NewClock(), path: filepath.Join(t.TempDir(), "svc.db")}
	s.open(t)
	s.anna = dbtest.MustAccount(t, s.Store, "anna@example.com", db.Free)
	s.ben = dbtest.MustAccount(t, s.Store, "ben@example.com", db.Free)
	return s
}

// open opens the database file, as a new process does.
func (s *shop) open(t *testing.T) {
	t.Helper()
	store, err := db.Open(context.Background(), db.Options{Path: s.path, Clock: s.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s.Service = inventory.New(inventory.Config{Store: store})
}

// now is the store's clock, which each transaction reads once.
func (s *shop) now() time.Time {
	n := s.reads.Add(1)
	if do := s.onRead.Load(); do != nil {
		(*do)(n)
	}
	return s.clock.Now()
}

func fileOf(content string) inventory.File {
	return inventory.File{Name: "products.csv", Content: strings.NewReader(content), Size: int64(len(content))}
}

func rows(all ...string) string { return strings.Join(all, "\n") + "\n" }

// mustImport is Import; it fails the test on an error.
func (s *shop) mustImport(t *testing.T, owner db.Account, content string, dryRun bool) inventory.Report {
	t.Helper()
	r, err := s.Import(t.Context(), owner, fileOf(content), dryRun)
	if err != nil {
		t.Fatal(err)
	}
	if r.DryRun != dryRun {
		t.Errorf("got DryRun %v, want %v", r.DryRun, dryRun)
	}
	return r
}

// errorText returns the errors of a report, one per line.
func errorText(r inventory.Report) string {
	var all []string
	for _, e := range r.Errors {
		all = append(all, e.Error())
	}
	return strings.Join(all, "\n")
}

func wantCounts(t *testing.T, r inventory.Report, added, updated int) {
	t.Helper()
	if r.Added != added || r.Updated != updated || len(r.Errors) > 0 {
		t.Errorf("got %d added and %d updated, want %d and %d; %s", r.Added, r.Updated, added, updated, errorText(r))
	}
}

func (s *shop) entries(t *testing.T, owner db.Account) (all []inventory.Entry) {
	t.Helper()
	err := s.Each(t.Context(), owner.ID, func(e inventory.Entry) error {
		all = append(all, e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// summary returns an inventory as text, one line for each item.
func (s *shop) summary(t *testing.T, owner db.Account) string {
	t.Helper()
	number := func(n *int64) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	var lines []string
	for _, e := range s.entries(t, owner) {
		lines = append(lines, strings.Join([]string{
			e.Name, e.SKU, number(e.Price), number(e.CostPrice), number(e.StockMilli), e.Unit, e.Category, number(e.ReorderMilli),
			strings.Join(e.Barcodes, " "), strings.Join(e.Aliases, " "),
		}, "|"))
	}
	return strings.Join(lines, "\n")
}

func (s *shop) want(t *testing.T, owner db.Account, lines ...string) {
	t.Helper()
	if got := s.summary(t, owner); got != strings.Join(lines, "\n") {
		t.Errorf("got inventory\n%s\nwant\n%s", got, strings.Join(lines, "\n"))
	}
	if broken, err := s.Verify(t.Context(), owner.ID); err != nil || broken != nil {
		t.Errorf("verify: %v, %v", broken, err)
	}
}

func (s *shop) raw(t *testing.T) *sql.DB {
	t.Helper()
	raw, err := sql.Open("sqlite", "file:"+(&url.URL{Path: s.path}).EscapedPath()+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { raw.Close() })
	return raw
}

// staged counts the rows of imports in the database.
func (s *shop) staged(t *testing.T) (n int) {
	t.Helper()
	err := s.raw(t).QueryRow(`SELECT (SELECT count(*) FROM imports) + (SELECT count(*) FROM import_rows)`).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (s *shop) sweep(t *testing.T) {
	t.Helper()
	if err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
}

const (
	headings   = "name,sku,barcode,price,cost_price,stock_qty,unit,category,reorder_point,aliases"
	teaRow     = "Tea,TEA-1,4006381333931,4.50,2.70,24.5,bag,Drinks,5,char;brew"
	teaSummary = "Tea|TEA-1|450|270|24500|bag|Drinks|5000|4006381333931|brew char"
)

// stage stores an incomplete import, as a crashed process leaves it.
func (s *shop) stage(t *testing.T, owner db.Account, ready bool, n int) {
	t.Helper()
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		i, err := tx.BeginImport(owner.ID)
		for seq := 0; seq < n && err == nil; seq++ {
			err = tx.StageItem(i, seq, db.ItemChange{Name: fmt.Sprint(seq), SKU: fmt.Sprint(seq), StockMilli: new(int64(seq))})
		}
		if err == nil && ready {
			err = tx.ReadyImport(i)
		}
		if err == nil && ready {
			_, _, err = tx.ApplyImport(i, 10)
		}
		return err
	})
}

func TestSweepFinishesReadyAndDropsAbandonedImports(t *testing.T) {
	s := newShop(t)
	s.stage(t, s.anna, true, 250)
	s.stage(t, s.ben, true, 5)
	s.stage(t, s.anna, false, 450)
	s.stage(t, s.ben, false, 1)
	s.clock.Advance(time.Hour)
	if err := s.Store.Close(); err != nil {
		t.Fatal(err)
	}
	s.open(t)
	wantItems := func(annas, bens, left int) {
		t.Helper()
		if a, b := len(s.entries(t, s.anna)), len(s.entries(t, s.ben)); a != annas || b != bens || s.staged(t) != left {
			t.Errorf("got %d and %d items, %d staged rows left; want %d and %d, %d", a, b, s.staged(t), annas, bens, left)
		}
	}
	wantItems(10, 5, 1+240+2+451)
	s.sweep(t)
	wantItems(250, 5, 2+451)
	s.clock.Advance(23 * time.Hour) // exactly a day
	s.sweep(t)
	wantItems(250, 5, 2+451)
	s.clock.Advance(time.Millisecond)
	s.sweep(t)
	wantItems(250, 5, 0)
	for _, owner := range []db.Account{s.anna, s.ben} {
		if broken, err := s.Verify(t.Context(), owner.ID); err != nil || broken != nil {
			t.Errorf("verify: %v, %v", broken, err)
		}
	}

	if err := s.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Sweep(t.Context()); !errors.Is(err, db.ErrClosed) {
		t.Errorf("sweep of a closed store: got %v, want db.ErrClosed", err)
	}
}

// An interrupted import is finished before a newer one, or its old figures would
// overwrite the new ones.
func TestImportFinishesOldImportsFirst(t *testing.T) {
	s := newShop(t)
	s.stage(t, s.anna, true, 250)
	r := s.mustImport(t, s.anna, rows("name,sku,stock", "240,240,999"), false)
	wantCounts(t, r, 0, 1)
	s.sweep(t)
	all := s.entries(t, s.anna)
	if len(all) != 250 || *all[240].StockMilli != 999_000 || s.staged(t) != 0 {
		t.Errorf("got %d items, %d staged rows left; want 250, 0 and a stock of 999", len(all), s.staged(t))
	}
}

func TestAddAndRemoveAlias(t *testing.T) {
	s := newShop(t)
	s.mustImport(t, s.anna, rows(headings, teaRow, "Mug,m,,,,,,,,"), false)
	mug := s.entries(t, s.anna)[1]
	for item, alias := range map[string]string{mug.ID: "beaker", "M": "cup", "tea-1": "brew"} {
		found, _, err := s.AddAlias(t.Context(), s.anna.ID, item, alias)
		if err != nil || (found.ID == mug.ID) != (alias != "brew") {
			t.Errorf("AddAlias to %s = %+v, %v", item, found, err)
		}
	}
	_, before, err := s.AddAlias(t.Context(), s.anna.ID, mug.ID, " char ") // an alias of the tea
	if err != nil || before.SKU != "TEA-1" {
		t.Errorf("got previous item %+v, %v; want the tea", before, err)
	}
	want := []string{"Tea|TEA-1|450|270|24500|bag|Drinks|5000|4006381333931|brew", "Mug|m|-|-|-|||-||beaker char cup"}
	s.want(t, s.anna, want...)

	s.mustImport(t, s.ben, rows("name", "Mug"), false)
	for owner, item := range map[string]string{s.ben.ID: mug.ID, s.anna.ID: "none", "acct_none": "m", s.ben.ID + "x": ""} {
		if found, _, err := s.AddAlias(t.Context(), owner, item, "x"); !errors.Is(err, db.ErrNotFound) || found.ID != "" {
			t.Errorf("item %s of %s: got %+v, %v; want db.ErrNotFound", item, owner, found, err)
		}
	}
	if _, _, err := s.AddAlias(t.Context(), s.ben.ID, "", "x"); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("empty SKU: got %v, want db.ErrNotFound", err)
	}
	s.want(t, s.anna, want...)
	s.want(t, s.ben, "Mug||-|-|-|||-||")

	for _, alias := range []string{"", " \t", strings.Repeat("x", 1001), "tea"} { // the last is another item's own name
		_, _, err := s.AddAlias(t.Context(), s.anna.ID, mug.ID, alias)
		if e, ok := errors.AsType[*fault.Error](err); !ok || e.Code != fault.InvalidRequest {
			t.Errorf("%.10q: got %v, want InvalidRequest", alias, err)
		}
	}
	s.want(t, s.anna, want...)
	if _, err := s.RemoveAlias(t.Context(), s.anna.ID, "TEA-1", "cup"); err == nil {
		t.Error("removing an alias that the item does not have: got no error")
	}
	if _, err := s.RemoveAlias(t.Context(), s.ben.ID, mug.ID, "cup"); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("another account's item: got %v, want db.ErrNotFound", err)
	}
	if found, err := s.RemoveAlias(t.Context(), s.anna.ID, "m", "cup"); err != nil || found.ID != mug.ID {
		t.Errorf("got %+v, %v; want the mug", found, err)
	}
	s.want(t, s.anna, want[0], "Mug|m|-|-|-|||-||beaker char")
}

func TestEachYieldsAllItems(t *testing.T) {
	for _, n := range []int{0, 1, 199, 200, 201, 400, 401} {
		s := newShop(t)
		dbtest.Update(t, s.Store, func(tx *db.Tx) error {
			for i := range n {
				c := db.ItemChange{Name: fmt.Sprint(i), SKU: fmt.Sprint(i), Aliases: []string{fmt.Sprint("a", i)}}
				if _, err := tx.PutItem(s.anna.ID, c, db.MovedByCount); err != nil {
					return err
				}
			}
			_, err := tx.PutItem(s.ben.ID, db.ItemChange{Name: "ben's"}, db.MovedByCount)
			return err
		})
		all := s.entries(t, s.anna)
		for i, e := range all {
			if e.Name != fmt.Sprint(i) || !slices.Equal(e.Aliases, []string{fmt.Sprint("a", i)}) || len(e.Barcodes) != 0 {
				t.Fatalf("of %d items, got item %d %+v", n, i, e)
			}
		}
		if len(all) != n {
			t.Errorf("got %d items, want %d", len(all), n)
		}
	}

	t.Run("EndsWithTheFirstError", func(t *testing.T) {
		s := newShop(t)
		s.mustImport(t, s.anna, rows("name", "a", "b", "c"), false)
		boom, calls := errors.New("boom"), 0
		err := s.Each(t.Context(), s.anna.ID, func(inventory.Entry) error {
			if calls++; calls == 2 {
				return boom
			}
			return nil
		})
		if !errors.Is(err, boom) || calls != 2 {
			t.Errorf("got %v after %d calls, want boom after 2", err, calls)
		}
	})
}

func TestVerifyFindsWrongStocks(t *testing.T) {
	s := newShop(t)
	for _, owner := range []db.Account{s.anna, s.ben} {
		s.mustImport(t, owner, rows("name,stock", "Tea,1", "Mug,2", "Jam,"), false)
	}
	if _, err := s.raw(t).Exec(`UPDATE items SET stock_milli = 5 WHERE account_id = $1 AND name <> 'Mug'`, s.ben.ID); err != nil {
		t.Fatal(err)
	}
	bens := s.entries(t, s.ben)
	for account, want := range map[string][]string{s.anna.ID: nil, s.ben.ID: {bens[0].ID, bens[2].ID}, "acct_none": nil} {
		if got, err := s.Verify(t.Context(), account); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %v (%v), want %v", account, got, err, want)
		}
	}
}
