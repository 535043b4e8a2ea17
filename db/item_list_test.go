package db_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

func TestSearchItems(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	for _, c := range []db.ItemChange{
		{Name: "Crème Brûlée", SKU: "cb-1", Price: new(int64(450)), StockMilli: new(int64(5000))},
		{Name: "apple pie", SKU: "ap-1", Category: "Bakery", Price: new(int64(300)), StockMilli: new(int64(5001))},
		{Name: "Bread", Barcodes: []string{"4006381333931"}, StockMilli: new(int64(0)), ReorderMilli: new(int64(0))},
		{Name: "Éclair", Aliases: []string{"choux bun"}, Category: "Bakery", CostPrice: new(int64(90))},
		{Name: "Flour", Category: "Baking", StockMilli: new(int64(-1)), ReorderMilli: new(int64(20_000))},
	} {
		dbtest.MustItem(t, p.store, p.anna.ID, c)
	}
	dbtest.MustItem(t, p.store, p.ben.ID, db.ItemChange{Name: "Bread of Ben", StockMilli: new(int64(1))})

	for _, row := range []struct {
		filter db.ItemFilter
		want   string
	}{
		{db.ItemFilter{}, "apple pie, Bread, Crème Brûlée, Flour, Éclair"},
		{db.ItemFilter{Order: db.ByNameDown}, "Éclair, Flour, Crème Brûlée, Bread, apple pie"},
		{db.ItemFilter{Order: db.ByPrice}, "apple pie, Crème Brûlée, Bread, Flour, Éclair"},
		{db.ItemFilter{Order: db.ByPriceDown}, "Crème Brûlée, apple pie, Bread, Flour, Éclair"},
		{db.ItemFilter{Order: db.BySKU}, "apple pie, Crème Brûlée, Bread, Flour, Éclair"},
		{db.ItemFilter{Order: db.BySKUDown}, "Crème Brûlée, apple pie, Bread, Flour, Éclair"},
		{db.ItemFilter{Order: db.ByCost}, "Éclair, apple pie, Bread, Crème Brûlée, Flour"},
		{db.ItemFilter{Order: db.ByCostDown}, "Éclair, apple pie, Bread, Crème Brûlée, Flour"},
		{db.ItemFilter{Order: db.ByStock}, "Flour, Bread, Crème Brûlée, apple pie, Éclair"},
		{db.ItemFilter{Order: db.ByStockDown}, "apple pie, Crème Brûlée, Bread, Flour, Éclair"},
		{db.ItemFilter{Order: "price; DROP TABLE items"}, "apple pie, Bread, Crème Brûlée, Flour, Éclair"},
		{db.ItemFilter{Offset: 3}, "Flour, Éclair"},
		{db.ItemFilter{Stock: db.LowStock}, "Bread, Crème Brûlée, Flour"},
		{db.ItemFilter{Stock: db.OutOfStock}, "Bread, Flour"},
		{db.ItemFilter{Stock: db.UnknownStock}, "Éclair"},
		{db.ItemFilter{Search: "CREME"}, "Crème Brûlée"},
		{db.ItemFilter{Search: "éclair"}, "Éclair"},
		{db.ItemFilter{Search: "ECLÁIR"}, "Éclair"},
		{db.ItemFilter{Search: "638133"}, "Bread"},
		{db.ItemFilter{Search: "bun"}, "Éclair"},
		{db.ItemFilter{Search: "bak"}, "apple pie, Flour, Éclair"},
		{db.ItemFilter{Search: "bak", Stock: db.LowStock}, "Flour"},
		{db.ItemFilter{Search: " pie  bakery ap-1 apple"}, "apple pie"},
		{db.ItemFilter{Search: "a p p l e pie"}, ""}, // the fourth word is "l e pie"
		{db.ItemFilter{Search: "pie bread"}, ""},
		{db.ItemFilter{Search: "%"}, ""},
		{db.ItemFilter{Search: "Ben"}, ""},
	} {
		dbtest.View(t, p.store, func(tx *db.Tx) error {
			all, err := tx.SearchItems(p.anna.ID, row.filter, 10)
			if got := strings.Join(names(all), ", "); got != row.want {
				t.Errorf("%+v: %q, want %q", row.filter, got, row.want)
			}
			if err != nil {
				return err
			}
			for _, i := range all {
				low, err := tx.SearchItems(p.anna.ID, db.ItemFilter{Search: i.Name, Stock: db.LowStock}, 1)
				if err != nil || i.IsLow() != (len(low) == 1) {
					t.Errorf("IsLow of %s: %v, listed %d, %v", i.Name, i.IsLow(), len(low), err)
				}
			}
			return nil
		})
	}
	dbtest.View(t, p.store, func(tx *db.Tx) error {
		all, err := tx.CountItems(p.anna.ID, db.ItemFilter{})
		some, err2 := tx.CountItems(p.anna.ID, db.ItemFilter{Search: "bak", Stock: db.OutOfStock})
		want := fmt.Sprint(db.ItemCounts{All: 5, Low: 3, Out: 2, Unknown: 1}, db.ItemCounts{All: 3, Low: 1, Out: 1, Unknown: 1})
		if got := fmt.Sprint(all, some); got != want || err != nil || err2 != nil {
			t.Errorf("counts %s, want %s; %v %v", got, want, err, err2)
		}
		return nil
	})
}

func names(all []db.Item) (names []string) {
	for _, i := range all {
		names = append(names, i.Name)
	}
	return names
}

// BenchmarkSearchItems measures one page and its counts in an inventory of 20,000 items.
func BenchmarkSearchItems(b *testing.B) {
	store := dbtest.Open(b, dbtest.NewClock())
	account := dbtest.MustAccount(b, store, "anna@example.com", db.Free)
	for n := 0; n < 20_000; n += 500 {
		dbtest.Update(b, store, func(tx *db.Tx) error {
			for i := n; i < n+500; i++ {
				c := db.ItemChange{Name: fmt.Sprintf("Ground Coffee %d g", i), SKU: fmt.Sprintf("gc-%d", i), Category: "Hot drinks", StockMilli: new(int64(i))}
				if _, err := tx.PutItem(account.ID, c, db.MovedByImport); err != nil {
					return err
				}
			}
			return nil
		})
	}
	for _, f := range []db.ItemFilter{{}, {Order: db.ByStock}, {Search: "coffee 777"}, {Search: "nothing"}} {
		b.Run(f.Search+string(f.Order), func(b *testing.B) {
			for b.Loop() {
				dbtest.View(b, store, func(tx *db.Tx) error {
					_, err := tx.SearchItems(account.ID, f, 50)
					_, err2 := tx.CountItems(account.ID, f)
					if err != nil {
						return err
					}
					return err2
				})
			}
		})
	}
}
