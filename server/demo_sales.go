package server

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"

	"svc/db"
)

// The demo's shop has past sales to ask about. They follow from the calendar alone: the
// same day always has the same sales, so a start that was interrupted can continue.

const (
	demoHistory = "demo-history"
	demoDays    = 548 // 18 months
	demoChunk   = 7   // days a transaction
)

// demoTrade describes the sales of an item.
type demoTrade struct {
	sku      string
	category string
	share    int // of 100 lines
	most     int // pieces on a line
}

var demoTrades = []demoTrade{
	{"COF-250", "Coffee", 34, 2}, {"ESP-1KG", "Coffee", 14, 1}, {"OAT-1L", "Milk", 20, 4},
	{"CRO-ALM", "Bakery", 22, 3}, {"TEA-ASM", "Tea", 4, 1}, {"FIL-100", "Equipment", 6, 1},
}

// demoCustomers buy on account. Most sales have no customer.
var demoCustomers = []db.Customer{
	{ExternalID: "C-01", Name: "Harbour Office", Region: "Docklands"},
	{ExternalID: "C-02", Name: "Studio Nine", Region: "Shoreditch"},
	{ExternalID: "C-03", Name: "Canal Bookshop", Region: "Hackney"},
	{ExternalID: "C-04", Name: "North Gate Hotel", Region: "Camden"},
	{ExternalID: "C-05", Name: "Bridge Street Clinic", Region: "Docklands"},
	{ExternalID: "C-06", Name: "Corner Theatre", Region: "Camden"},
}

// fillDemoHistory makes the past sales once, a week in each transaction.
func (a *App) fillDemoHistory(ctx context.Context, shop db.Account) error {
	made, err := db.Read(ctx, a.store, func(tx *db.Tx) (string, error) { return tx.Setting(demoHistory) })
	if err != nil || made != "" {
		return err
	}
	zone, err := time.LoadLocation(shop.Profile.Timezone)
	if err != nil {
		return err
	}
	today := a.config.Clock().In(zone)
	first := time.Date(today.Year(), today.Month(), today.Day()-demoDays, 0, 0, 0, 0, zone)
	for from := 0; from < demoDays; from += demoChunk {
		err := a.store.RelaxedUpdate(ctx, func(tx *db.Tx) error {
			for n := from; n < min(from+demoChunk, demoDays); n++ {
				if err := sellDemoDay(tx, shop, first.AddDate(0, 0, n), n); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return a.store.Update(ctx, func(tx *db.Tx) error {
		if err := countDemoStock(tx, shop.ID); err != nil {
			return err
		}
		return tx.SetSetting(demoHistory, "made")
	})
}

// countDemoStock sets the stocks to those of demoItems, as after a count.
func countDemoStock(tx *db.Tx, accountID string) error {
	for i, item := range demoItems {
		item.Category = demoTrades[i].category
		if _, err := tx.PutItem(accountID, item, db.MovedByCount); err != nil {
			return err
		}
	}
	for _, c := range demoCustomers {
		c.AccountID = accountID
		if _, _, err := tx.PutCustomer(c); err != nil {
			return err
		}
	}
	return nil
}

// sellDemoDay records the sales of the nth day of the history: more towards the weekend
// and before Christmas, and slowly more each month. Every other Monday it orders goods.
func sellDemoDay(tx *db.Tx, shop db.Account, day time.Time, n int) error {
	date := day.Format(time.DateOnly)
	seed := fnv.New64a()
	fmt.Fprint(seed, date)
	r := rand.New(rand.NewPCG(seed.Sum64(), 1))

	busy := 3 + n/180
	if day.Weekday() == time.Friday || day.Weekday() == time.Saturday {
		busy += 2
	}
	if day.Month() == time.December {
		busy += 2
	}
	for i := range busy + r.IntN(3) {
		sale := db.Sale{
			AccountID: shop.ID, ExternalID: fmt.Sprintf("%s-%d", date, i), Currency: shop.Profile.Currency,
			SoldAt: day.Add(8*time.Hour + time.Duration(r.IntN(10*60))*time.Minute),
		}
		if r.IntN(3) == 0 {
			sale.Customer = demoCustomers[r.IntN(len(demoCustomers))].ExternalID
		}
		for range 1 + r.IntN(2) {
			line, err := demoLine(tx, shop.ID, r, n)
			if err != nil {
				return err
			}
			sale.Lines = append(sale.Lines, line)
		}
		if _, _, err := tx.PutSale(sale); err != nil {
			return err
		}
	}
	if day.Weekday() != time.Monday || n/7%2 != 0 {
		return nil
	}
	return orderDemoGoods(tx, shop, day, n)
}

// demoLine returns some pieces of an item. In the last months tea costs more than its
// price, so that there is a loss to find.
func demoLine(tx *db.Tx, accountID string, r *rand.Rand, n int) (db.SaleLine, error) {
	pick := r.IntN(100)
	trade := demoTrades[slices.IndexFunc(demoTrades, func(t demoTrade) bool {
		pick -= t.share
		return pick < 0
	})]
	item, err := tx.ItemBySKU(accountID, trade.sku)
	if err != nil {
		return db.SaleLine{}, err
	}
	line := db.SaleLine{
		ItemID: item.ID, Name: item.Name, SKU: item.SKU, Price: *item.Price, CostPrice: item.CostPrice,
		QuantityMilli: int64(1+r.IntN(trade.most)) * 1000,
	}
	if trade.sku == "TEA-ASM" {
		line.QuantityMilli = int64(1+r.IntN(4)) * 100
		if n > demoDays-150 {
			line.CostPrice = new(*item.Price + 180)
		}
	}
	if r.IntN(12) == 0 {
		line.Discount = *item.Price / 10
	}
	return line, nil
}

// orderDemoGoods places an order with each supplier. Orders of the last days have not
// arrived yet.
func orderDemoGoods(tx *db.Tx, shop db.Account, day time.Time, n int) error {
	for supplier, skus := range map[string][]string{
		"Hill Roasters": {"COF-250", "ESP-1KG"}, "Meadow Wholesale": {"OAT-1L", "CRO-ALM", "TEA-ASM", "FIL-100"},
	} {
		order := db.PurchaseOrder{
			AccountID: shop.ID, ExternalID: "PO-" + day.Format("060102") + "-" + supplier[:1], Supplier: supplier,
			OrderedAt: day.Add(9 * time.Hour),
		}
		if n < demoDays-5 {
			order.ReceivedAt = order.OrderedAt.AddDate(0, 0, 4)
		}
		for _, sku := range skus {
			item, err := tx.ItemBySKU(shop.ID, sku)
			if err != nil {
				return err
			}
			order.Lines = append(order.Lines, db.PurchaseLine{
				ItemID: item.ID, Name: item.Name, SKU: sku, QuantityMilli: 40_000, CostPrice: *item.CostPrice,
			})
		}
		if _, _, err := tx.PutPurchaseOrder(order); err != nil {
			return err
		}
	}
	return nil
}
