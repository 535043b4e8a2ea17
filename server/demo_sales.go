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

// The demo's shop has past sales and purchases to ask about. They follow from the calendar
// alone: the same day always has the same sales, so a start that was interrupted can
// continue. They add up: what was received less what was sold is the stock of demoItems.

const (
	demoHistory = "demo-history"
	demoDays    = 548 // 18 months
	demoChunk   = 7   // days a transaction
	demoLead    = 4   // days from an order to its arrival
	demoReturns = 60  // days between returns

	demoDearer  = 150  // days for which tea has cost more than its price
	demoTeaCost = 1850 // before that, in pence a kilogram
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

// demoSuppliers are who the shop buys from.
var demoSuppliers = []struct {
	name string
	skus []string
}{
	{"Hill Roasters", []string{"COF-250", "ESP-1KG"}},
	{"Meadow Wholesale", []string{"OAT-1L", "CRO-ALM", "TEA-ASM", "FIL-100"}},
}

// demoOpenOrders have not arrived. The first is late: others take demoLead days, and the
// filters in it are below their reorder level.
var demoOpenOrders = []struct {
	daysAgo, supplier int
	milli             map[string]int64
}{
	{16, 1, map[string]int64{"FIL-100": 20_000, "TEA-ASM": 2_500}},
	{2, 0, map[string]int64{"COF-250": 60_000, "ESP-1KG": 20_000}},
	{1, 1, map[string]int64{"OAT-1L": 48_000, "CRO-ALM": 36_000}},
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

// demoPast is the history of the demo's shop, before it is stored.
type demoPast struct {
	shop  db.Account
	items map[string]db.Item // by SKU
	first time.Time          // the midnight that begins day 0
	sales [demoDays][]db.Sale
}

// fillDemoHistory makes the past once, a week in each transaction.
func (a *App) fillDemoHistory(ctx context.Context, shop db.Account) error {
	made, err := db.Read(ctx, a.store, func(tx *db.Tx) (string, error) { return tx.Setting(demoHistory) })
	if err != nil || made != "" {
		return err
	}
	past, err := a.planDemo(ctx, shop)
	if err != nil {
		return err
	}
	for from := 0; from < demoDays; from += demoChunk {
		err := a.store.RelaxedUpdate(ctx, func(tx *db.Tx) error {
			tx.MarkPast()
			for n := from; n < min(from+demoChunk, demoDays); n++ {
				if err := past.storeDay(tx, n); err != nil {
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
		tx.MarkPast()
		if err := countDemoStock(tx, shop.ID); err != nil {
			return err
		}
		return tx.SetSetting(demoHistory, "made")
	})
}

// planDemo computes the sales until yesterday.
func (a *App) planDemo(ctx context.Context, shop db.Account) (*demoPast, error) {
	zone, err := time.LoadLocation(shop.Profile.Timezone)
	if err != nil {
		return nil, err
	}
	today := a.config.Clock().In(zone)
	p := &demoPast{
		shop: shop, items: map[string]db.Item{},
		first: time.Date(today.Year(), today.Month(), today.Day()-demoDays, 0, 0, 0, 0, zone),
	}
	err = a.store.View(ctx, func(tx *db.Tx) error {
		for _, item := range demoItems {
			if p.items[item.SKU], err = tx.ItemBySKU(shop.ID, item.SKU); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for n := range p.sales {
		p.sales[n] = p.sell(n)
	}
	return p, nil
}

// day returns the midnight that begins the nth day.
func (p *demoPast) day(n int) time.Time { return p.first.AddDate(0, 0, n) }

// countDemoStock sets the stocks to those of demoItems, as after a count. It changes only
// those of a shop that an earlier svc made with items, but without a history.
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

// storeDay records the orders and the sales of the nth day. The first day begins with an
// order that has arrived already.
func (p *demoPast) storeDay(tx *db.Tx, n int) error {
	if n == 0 {
		if err := p.restock(tx, -demoLead); err != nil {
			return err
		}
	}
	for _, sale := range p.sales[n] {
		if _, _, err := tx.PutSale(sale); err != nil {
			return err
		}
	}
	if p.ordersOn(n) {
		if err := p.restock(tx, n); err != nil {
			return err
		}
	}
	for _, open := range demoOpenOrders {
		if n == demoDays-open.daysAgo {
			if err := p.order(tx, open.supplier, n, open.milli, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// sell returns the sales of the nth day: more towards the weekend and before Christmas,
// and slowly more each month.
func (p *demoPast) sell(n int) (sales []db.Sale) {
	day := p.day(n)
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
			AccountID: p.shop.ID, ExternalID: fmt.Sprintf("%s-%d", date, i), Currency: p.shop.Profile.Currency,
			SoldAt: day.Add(8*time.Hour + time.Duration(r.IntN(10*60))*time.Minute),
		}
		if r.IntN(3) == 0 {
			sale.Customer = demoCustomers[r.IntN(len(demoCustomers))].ExternalID
		}
		for range 1 + r.IntN(2) {
			sale.Lines = append(sale.Lines, p.line(r, n))
		}
		sales = append(sales, sale)
	}
	if n%demoReturns == demoReturns-1 {
		sales = append(sales, p.bagBack(n))
	}
	return sales
}

// bagBack returns the record of a bag of coffee that a customer brings back for its price.
func (p *demoPast) bagBack(n int) db.Sale {
	day, item := p.day(n), p.items["COF-250"]
	return db.Sale{
		AccountID: p.shop.ID, ExternalID: day.Format(time.DateOnly) + "-return", Currency: p.shop.Profile.Currency,
		SoldAt: day.Add(12 * time.Hour), Customer: demoCustomers[0].ExternalID,
		Lines: []db.SaleLine{{
			ItemID: item.ID, Name: item.Name, SKU: item.SKU, Price: *item.Price, CostPrice: new(p.cost(item, n)), QuantityMilli: -1000,
		}},
	}
}

// line returns some pieces of an item.
func (p *demoPast) line(r *rand.Rand, n int) db.SaleLine {
	pick := r.IntN(100)
	trade := demoTrades[slices.IndexFunc(demoTrades, func(t demoTrade) bool {
		pick -= t.share
		return pick < 0
	})]
	item := p.items[trade.sku]
	line := db.SaleLine{
		ItemID: item.ID, Name: item.Name, SKU: item.SKU, Price: *item.Price, CostPrice: new(p.cost(item, n)),
		QuantityMilli: int64(1+r.IntN(trade.most)) * 1000,
	}
	if trade.sku == "TEA-ASM" {
		line.QuantityMilli = int64(1+r.IntN(4)) * 100
	}
	if r.IntN(12) == 0 {
		line.Discount = *item.Price / 10
	}
	return line
}

// cost returns what an item costs on the nth day. In the last months tea costs more than
// its price, so that there is a loss to find; the inventory has the cost of now.
func (p *demoPast) cost(item db.Item, n int) int64 {
	if item.SKU == "TEA-ASM" && n <= demoDays-demoDearer {
		return demoTeaCost
	}
	return *item.CostPrice
}

// ordersOn reports whether the shop orders on the nth day, every other Monday, what has
// arrived since.
func (p *demoPast) ordersOn(n int) bool {
	return p.day(n).Weekday() == time.Monday && n/7%2 == 0 && n+demoLead < demoDays
}

// restock orders from each supplier what is sold from the arrival of this order until that
// of the next. The first order brings the stock of demoItems in addition, which is what is
// left in the end.
func (p *demoPast) restock(tx *db.Tx, n int) error {
	until := n + 1
	for until < demoDays && (until < 0 || !p.ordersOn(until)) {
		until++
	}
	until = min(until+demoLead, demoDays)
	milli := map[string]int64{}
	if n < 0 {
		for _, item := range demoItems {
			milli[item.SKU] = *item.StockMilli
		}
	}
	for _, sales := range p.sales[n+demoLead : until] {
		for _, sale := range sales {
			for _, l := range sale.Lines {
				milli[l.SKU] += l.QuantityMilli
			}
		}
	}
	for supplier := range demoSuppliers {
		if err := p.order(tx, supplier, n, milli, true); err != nil {
			return err
		}
	}
	return nil
}

// order records an order of the nth day for those of the quantities that the supplier has.
func (p *demoPast) order(tx *db.Tx, supplier, n int, milli map[string]int64, arrived bool) error {
	from, day := demoSuppliers[supplier], p.day(n)
	order := db.PurchaseOrder{
		AccountID: p.shop.ID, ExternalID: "PO-" + day.Format("060102") + "-" + from.name[:1], Supplier: from.name,
		OrderedAt: day.Add(9 * time.Hour),
	}
	if arrived {
		order.ReceivedAt = day.AddDate(0, 0, demoLead).Add(7 * time.Hour)
	} else {
		order.ExternalID += "2" // there may be another of the same day
	}
	for _, sku := range from.skus {
		if milli[sku] == 0 {
			continue
		}
		item := p.items[sku]
		order.Lines = append(order.Lines, db.PurchaseLine{
			ItemID: item.ID, Name: item.Name, SKU: sku, QuantityMilli: milli[sku], CostPrice: p.cost(item, n),
		})
	}
	_, _, err := tx.PutPurchaseOrder(order)
	return err
}
