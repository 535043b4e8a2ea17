package inventory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/server/gtin"
	"svc/server/inventory"
	"svc/server/sheet"
)

func TestImportAddsAndChangesItems(t *testing.T) {
	t.Run("AddsAndChanges", func(t *testing.T) {
		s := newShop(t)
		first := rows(headings, teaRow, "Mug,,036000291452,9,,,,,,", "Loaf,,,3,,,,,,")
		wantCounts(t, s.mustImport(t, s.anna, first, false), 3, 0)
		const mug, loaf = "Mug||900|-|-|||-|0036000291452|", "Loaf||300|-|-|||-||"
		s.want(t, s.anna, teaSummary, mug, loaf)

		wantCounts(t, s.mustImport(t, s.anna, first, false), 0, 3)
		s.want(t, s.anna, teaSummary, mug, loaf)

		// Items are found by SKU, by barcode in any form, and by name; blank cells change
		// nothing.
		r := s.mustImport(t, s.anna, rows(headings,
			"Green tea,tea-1,,5,,,,,,", "Cup,CUP-1,0036000291452,,,7,,,,", "LOAF,,,,1.5,,,,,", "Jam,,,,,,,,,"), false)
		wantCounts(t, r, 1, 3)
		s.want(t, s.anna, "Green tea|tea-1|500|270|24500|bag|Drinks|5000|4006381333931|brew char",
			"Cup|CUP-1|900|-|7000|||-|0036000291452|", "LOAF||300|150|-|||-||", "Jam||-|-|-|||-||")
		if len(r.Products) != 4 || r.Columns[inventory.FieldCost] != "cost_price" || s.staged(t) != 0 {
			t.Errorf("report %+v, %d staged rows left", r, s.staged(t))
		}
	})

	t.Run("RecordsEachStockAsAMove", func(t *testing.T) {
		s := newShop(t)
		s.mustImport(t, s.anna, rows("name,stock", "Tea,5", "Mug,"), false)
		s.mustImport(t, s.anna, rows("name,stock", "Tea,3", "Mug,0"), false)
		var n, sum int64
		err := s.raw(t).QueryRow(`SELECT count(*), sum(change_milli) FROM stock_moves WHERE reason = 'import'`).Scan(&n, &sum)
		if err != nil || n != 3 || sum != 3000 {
			t.Errorf("got %d moves with a sum of %d (%v), want 3 and 3000", n, sum, err)
		}
		s.want(t, s.anna, "Tea||-|-|3000|||-||", "Mug||-|-|0|||-||")
	})
}

func TestImportIsAllOrNothing(t *testing.T) {
	t.Run("AllOrNothing", func(t *testing.T) {
		s := newShop(t)
		r := s.mustImport(t, s.anna, rows("name,sku,price", "Tea,a,1", ",,2", "Mug,c,cheap", "Jam,A,3", "Loaf,d,4"), false)
		const want = "line 3, name: the product has no name\n" +
			"line 4, price: \"cheap\" is not a number\n" + "line 5, sku: \"A\" is on line 2 already"
		if errorText(r) != want || r.Added != 0 {
			t.Errorf("%d added, errors\n%s\nwant\n%s", r.Added, errorText(r), want)
		}
		s.want(t, s.anna)
		if s.staged(t) != 0 {
			t.Error("staged rows are left")
		}
	})

	t.Run("RefusesUnknownItemsWithoutNames", func(t *testing.T) {
		s := newShop(t)
		s.mustImport(t, s.anna, rows("name,sku,price", "Tea,a,1"), false)
		r := s.mustImport(t, s.anna, rows("name,sku,price", ",a,2", ",b,3"), false)
		if errorText(r) != "line 3: has no name, and the inventory does not know it" {
			t.Errorf("got errors %s", errorText(r))
		}
		wantCounts(t, s.mustImport(t, s.anna, rows("name,sku,price", ",A,2"), false), 0, 1)
		s.want(t, s.anna, "Tea|A|200|-|-|||-||")
	})

	t.Run("ImportsWithWarnings", func(t *testing.T) {
		s := newShop(t)
		r := s.mustImport(t, s.anna, rows("name,stock", "Tea,-3", ",", "Mug,1"), false)
		wantCounts(t, r, 2, 0)
		if len(r.Warnings) != 1 || r.Warnings[0].Error() != `line 2, stock: "-3" is negative` {
			t.Errorf("got warnings %v, want one", r.Warnings)
		}
		s.want(t, s.anna, "Tea||-|-|-3000|||-||", "Mug||-|-|1000|||-||")
	})

	t.Run("RefusesOtherFiles", func(t *testing.T) {
		s := newShop(t)
		for what, f := range map[string]inventory.File{
			"nothing": fileOf(""), "a PDF": fileOf("%PDF-1.7"), "no name": fileOf(rows("price", "1")),
		} {
			_, err := s.Import(t.Context(), s.anna, f, false)
			if _, ok := errors.AsType[*sheet.Error](err); !ok {
				t.Errorf("%s: got %v, want a *sheet.Error", what, err)
			}
		}
		long := fileOf(rows("name", "Tea", "Mug"))
		long.Limits.Rows = 1
		if r, err := s.Import(t.Context(), s.anna, long, false); err != nil || len(r.Errors) != 1 {
			t.Errorf("file above its limit: got %v, %s; want one error", err, errorText(r))
		}
		s.want(t, s.anna)
	})
}

func TestImportComparesWithTheInventory(t *testing.T) {
	t.Run("ReportsConflictsByLine", func(t *testing.T) {
		s := newShop(t)
		s.mustImport(t, s.anna, rows(headings, "Tea,a,,,,,,,,", "Mug,,4006381333931,,,,,,,", "Jam,,96385074,,,,,,,"), false)
		before := s.summary(t, s.anna)
		file := rows(headings, "New,n,,,,,,,,", "Tea,a,4006381333931,,,,,,,", "Fine,b,,,,,,,,")
		const reason = "its SKU, its barcodes or its name point to different items of the inventory"
		for _, dryRun := range []bool{true, false} {
			if r := s.mustImport(t, s.anna, file, dryRun); errorText(r) != "line 3: "+reason {
				t.Errorf("got errors\n%s", errorText(r))
			}
		}
		two := rows(headings, "New,n,,,,,,,,", "Jams,,96385074 4006381333931,,,,,,,", "Tea,A,4006381333931,,,,,,,")
		if got := errorText(s.mustImport(t, s.anna, strings.Replace(two, "96385074 4006381333931", "96385074", 1), false)); got != "line 4: "+reason {
			t.Errorf("got errors\n%s", got)
		}
		if got := errorText(s.mustImport(t, s.anna, strings.TrimSuffix(two, "Tea,A,4006381333931,,,,,,,\n"), false)); got != "line 3: "+reason {
			t.Errorf("got errors\n%s", got)
		}
		s.want(t, s.anna, before)
		if s.staged(t) != 0 {
			t.Error("staged rows are left")
		}
	})

	t.Run("ReportsAtMost100Errors", func(t *testing.T) {
		s := newShop(t)
		bySKU, byBarcode, both := []string{headings}, []string{headings}, []string{headings}
		for i := range 250 {
			bySKU = append(bySKU, fmt.Sprintf("a,s%d,,,,,,,,", i))
			byBarcode = append(byBarcode, fmt.Sprintf("b,,%s,,,,,,,", barcode(i)))
			both = append(both, fmt.Sprintf("c,s%d,%s,,,,,,,", i, barcode(i)))
		}
		s.mustImport(t, s.anna, rows(bySKU...), false)
		s.mustImport(t, s.anna, rows(byBarcode...), false)
		r := s.mustImport(t, s.anna, rows(both...), false)
		if n := len(r.Errors); n != 100 || r.Errors[0].Line != 2 || r.Errors[99].Line != 101 {
			t.Errorf("got %d errors, want 100 on lines 2 to 101", n)
		}
		wantCounts(t, s.mustImport(t, s.ben, rows(both...), false), 250, 0)
	})

	t.Run("DryRunCountsWithoutStoring", func(t *testing.T) {
		s := newShop(t)
		s.mustImport(t, s.anna, rows(headings, teaRow, "Mug,,,,,,,,,"), false)
		before := s.summary(t, s.anna)
		file := rows(headings, "Tea,tea-1,,1,,,,,,", "MUG,,,,,-1,,,,", "New,,,,,,,,,", "Newer,n,,,,,,,,")
		for _, dryRun := range []bool{true, true, false} {
			s.want(t, s.anna, before)
			r := s.mustImport(t, s.anna, file, dryRun)
			wantCounts(t, r, 2, 2)
			if len(r.Warnings) != 1 || s.staged(t) != 0 {
				t.Errorf("warnings %v, %d staged rows left", r.Warnings, s.staged(t))
			}
		}
		if n := len(s.entries(t, s.anna)); n != 4 {
			t.Errorf("got %d items, want 4", n)
		}
	})
}

// barcode returns the nth of a range of EAN-13.
func barcode(n int) string {
	digits := fmt.Sprintf("400638%06d", n)
	return digits + string(gtin.CheckDigit(digits))
}

func TestImportUsesDecimalsOfTheCurrency(t *testing.T) {
	const tooFine = `line 2, price: "4.50" has decimals, and the currency has none`
	for currency, want := range map[string][]string{
		"gbp": {"45000", "450", "455", `line 2, price: "4.005" has more than 2 decimals`},
		"jpy": {"450", tooFine, strings.Replace(tooFine, "4.50", "4.55", 1), strings.Replace(tooFine, "4.50", "4.005", 1)},
		"kwd": {"450000", "4500", "4550", "4005"},
	} {
		t.Run(currency, func(t *testing.T) {
			s := newShop(t)
			owner := s.anna
			owner.Profile.Currency = currency
			for i, price := range []string{"450", "4.50", "4.55", "4.005"} {
				got := errorText(s.mustImport(t, owner, rows("name,price", "Tea,"+price), false))
				if got == "" {
					got = fmt.Sprint(*s.entries(t, owner)[0].Price)
				}
				if got != want[i] {
					t.Errorf("%s: got %s, want %s", price, got, want[i])
				}
			}
		})
	}
}

// many returns a file of n products.
func many(n int) string {
	all := []string{"name,sku,stock,barcode"}
	for i := range n {
		all = append(all, fmt.Sprintf("Item %d,S%d,%d,%s", i, i, i, barcode(i)))
	}
	return rows(all...)
}

func TestImportOfManyProducts(t *testing.T) {
	const products = 5000
	s := newShop(t)
	file := many(products)
	wantCounts(t, s.mustImport(t, s.anna, file, true), products, 0)
	wantCounts(t, s.mustImport(t, s.anna, file, false), products, 0)
	wantCounts(t, s.mustImport(t, s.anna, file, true), 0, products)
	all := s.entries(t, s.anna)
	if len(all) != products {
		t.Fatalf("got %d items, want %d", len(all), products)
	}
	for i, e := range all {
		if e.SKU != fmt.Sprintf("S%d", i) || *e.StockMilli != int64(i)*1000 || !slices.Equal(e.Barcodes, []string{barcode(i)}) {
			t.Fatalf("item %d is %+v", i, e)
		}
	}
	if broken, err := s.Verify(t.Context(), s.anna.ID); err != nil || broken != nil || s.staged(t) != 0 {
		t.Errorf("verify: %v, %v; %d staged rows left", broken, err, s.staged(t))
	}
}

func TestConcurrentImports(t *testing.T) {
	t.Run("TwoAccounts", func(t *testing.T) {
		s := newShop(t)
		var all sync.WaitGroup
		for owner, price := range map[*db.Account]string{&s.anna: "1", &s.ben: "2"} {
			all.Go(func() {
				file := strings.ReplaceAll(many(450), "name,sku,stock", "name,sku,price")
				file = strings.Replace(file, "Item 0,S0,0,", "Item 0,S0,"+price+",", 1)
				if r, err := s.Import(t.Context(), *owner, fileOf(file), false); err != nil || r.Added != 450 {
					t.Errorf("%d added, %v, %s", r.Added, err, errorText(r))
				}
			})
		}
		all.Wait()
		for owner, price := range map[*db.Account]int64{&s.anna: 100, &s.ben: 200} {
			if got := s.entries(t, *owner); len(got) != 450 || *got[0].Price != price || got[0].AccountID != owner.ID {
				t.Errorf("got %d items, the first %+v; want 450", len(got), got[0])
			}
		}
	})

	t.Run("SameFile", func(t *testing.T) {
		s := newShop(t)
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if r, err := s.Import(t.Context(), s.anna, fileOf(many(250)), false); err != nil || r.Added+r.Updated != 250 {
					t.Errorf("%d added and %d updated, %v, %s; want 250 in all", r.Added, r.Updated, err, errorText(r))
				}
			})
		}
		all.Go(func() {
			if err := s.Sweep(t.Context()); err != nil {
				t.Error(err)
			}
		})
		all.Wait()
		if n := len(s.entries(t, s.anna)); n != 250 || s.staged(t) != 0 {
			t.Errorf("got %d items, %d staged rows left; want 250, 0", n, s.staged(t))
		}
		if broken, err := s.Verify(t.Context(), s.anna.ID); err != nil || broken != nil {
			t.Errorf("verify: %v, %v", broken, err)
		}
	})
}

// The store reads its clock once in each transaction. The test cancels the import at each
// of these points: the file is imported as a whole or not at all.
func TestCancelledImportIsAllOrNothing(t *testing.T) {
	const products = 450
	nothing, everything := 0, 0
	for read := int64(1); ; read++ {
		s := newShop(t)
		ctx, cancel := context.WithCancel(t.Context())
		begin := s.reads.Load()
		s.onRead.Store(new(func(n int64) {
			if n == begin+read {
				cancel()
			}
		}))
		_, err := s.Import(ctx, s.anna, fileOf(many(products)), false)
		cut := ctx.Err() != nil
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled at %d: %v", read, err)
		}
		if err := s.Store.Close(); err != nil {
			t.Fatal(err)
		}
		s.open(t)
		s.sweep(t)
		switch n := len(s.entries(t, s.anna)); n {
		case 0:
			nothing++
			s.clock.Advance(24*time.Hour + time.Millisecond)
			s.sweep(t)
			s.want(t, s.anna)
		case products:
			if everything++; err != nil {
				t.Errorf("cancelled at %d: all items are imported, but Import returned %v", read, err)
			}
		default:
			t.Errorf("cancelled at %d: %d items", read, n)
		}
		if left := s.staged(t); left != 0 {
			t.Errorf("cancelled at %d: %d staged rows left", read, left)
		}
		if !cut {
			break // the import ended before that point
		}
	}
	if nothing < 3 || everything < 2 {
		t.Errorf("cancelled %d times before the import was ready and %d times after, want at least 3 and 2", nothing, everything)
	}
}

// A cancelled import does not wait for the long views of others.
func TestCancelledImportDoesNotWait(t *testing.T) {
	s := newShop(t)
	running, release := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	for range 2 { // all that may run at a time
		all.Go(func() {
			_ = s.Store.LongView(context.Background(), func(*db.Tx) error {
				running <- struct{}{}
				<-release
				return nil
			})
		})
		<-running
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Import(ctx, s.anna, fileOf(many(1)), false); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	close(release)
	all.Wait()
	s.want(t, s.anna)
}
