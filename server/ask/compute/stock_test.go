package compute_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/dataset"
	"svc/server/schema"
)

// stockLines is the number of sale lines over which a question about stock takes at most
// 300 ms.
const stockLines = 125_000

// stockOf returns a store with the stock of a shop of 2,000 items that sold lines of them
// in a year.
func stockOf(b testing.TB, lines int) (*db.DB, schema.Source) {
	b.Helper()
	store := dbtest.Open(b, dbtest.NewClock())
	owner := dbtest.MustAccount(b, store, "shop@example.com", db.Free)
	r := rand.New(rand.NewPCG(6, 7))
	items := make([]db.Item, 2000)
	dbtest.Update(b, store, func(tx *db.Tx) (err error) {
		for i := range items {
			change := db.ItemChange{Name: fmt.Sprintf("Item %d", i), StockMilli: new(int64(r.IntN(100) * 1000)), CostPrice: new(int64(100 + i)), ReorderMilli: new(int64(5000))}
			if items[i], err = tx.PutItem(owner.ID, change, db.MovedByCount); err != nil {
				return err
			}
		}
		return nil
	})
	const perSale, perUpdate = 5, 1000
	begin := time.Date(2025, 3, 1, 9, 0, 0, 0, time.UTC)
	for from := 0; from < lines; from += perSale * perUpdate {
		dbtest.Update(b, store, func(tx *db.Tx) error {
			for i := from; i < min(lines, from+perSale*perUpdate); i += perSale {
				sale := db.Sale{AccountID: owner.ID, ExternalID: fmt.Sprint(i), Currency: "gbp", SoldAt: begin.Add(time.Duration(i) * 365 * 24 * time.Hour / time.Duration(lines))}
				for range perSale {
					item := items[r.IntN(len(items))]
					sale.Lines = append(sale.Lines, db.SaleLine{ItemID: item.ID, Name: item.Name, QuantityMilli: int64(1+r.IntN(3)) * 1000, Price: 450})
				}
				if _, _, err := tx.PutSale(sale); err != nil {
					return err
				}
			}
			return nil
		})
	}
	sources, err := dataset.New(dataset.Config{Store: store}).Shop(context.Background(), owner)
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range sources {
		if s.Kind == schema.Stocklist {
			return store, s
		}
	}
	b.Fatal("no stock")
	return nil, schema.Source{}
}

func BenchmarkStock(b *testing.B) {
	store, s := stockOf(b, stockLines)
	for name, p := range map[string]plan.Plan{
		"cover":   {Measures: of(plan.Cover, plan.StockUnits, plan.SoldLately), By: by("Product"), Order: plan.Lowest, Limit: 10},
		"dead":    {Measures: of(plan.StockValue, plan.LastDay), By: by("Product"), Where: []plan.Filter{{Column: "Last sold", Op: plan.Before, Values: []string{"2025-06-01"}}}},
		"reorder": {Measures: of(plan.StockUnits), By: by("Product"), Where: []plan.Filter{{Column: "Stock", Op: plan.Less, Other: "Reorder point"}}, Order: plan.Lowest},
		"value":   {Measures: of(plan.StockValue, plan.StockUnits)},
	} {
		p.Source, p.Day = s.ID, s.SoldLast
		b.Run(name, func(b *testing.B) {
			var sql []string
			took := median(b, func() error {
				r, err := compute.Run(context.Background(), store, s, p)
				sql = r.SQL
				return err
			})
			b.ReportMetric(float64(took.Milliseconds()), "ms")
			b.ReportMetric(float64(len(sql)), "statements")
		})
	}
}
