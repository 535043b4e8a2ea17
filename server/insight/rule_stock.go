package insight

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"time"

	"svc/db"
)

// lowStock is a product of stock_out and of days_of_cover.
type lowStock struct {
	ProductID     string `json:"product_id"`
	Product       string `json:"product"`
	SKU           string `json:"sku"`
	StockQty      any    `json:"stock_qty"`
	OnOrder       any    `json:"on_order"`
	SoldPerDay    any    `json:"sold_per_day"`
	RevenuePerDay any    `json:"revenue_per_day"`
	LastSold      string `json:"last_sold"`
	CoverDays     any    `json:"cover_days,omitempty"`
	LeadDays      any    `json:"lead_days,omitempty"`

	revenue, cover, lead float64
}

func (s *facts) lowStock(i db.Item, p db.TradeProduct, onOrder int64, milli, revenue float64) lowStock {
	return lowStock{
		ProductID: i.ID, Product: i.Name, SKU: i.SKU, StockQty: quantity(*i.StockMilli), OnOrder: quantity(onOrder),
		SoldPerDay: rounded(milli / 1000), RevenuePerDay: s.amount(int64(revenue)), LastSold: p.Last, revenue: revenue,
	}
}

// findStockOut uses the rate at which an item sold from its first to its last day of sale:
// days without stock say nothing of it.
func findStockOut(r rule, s *facts, m memory) (f finding, err error) {
	s.out = memory{}
	var rows []lowStock
	total := 0.0
	for _, i := range s.items {
		p, sold := s.sold[i.ID]
		if !sold || p.SoldDays == 0 || p.SoldDays < r.least && !m[i.ID] {
			continue
		}
		days := daysBetween(parseDay(p.First), parseDay(p.Last)) + 1
		milli, revenue := float64(p.Milli+p.Before.Milli)/days, float64(p.Amount+p.Before.Amount)/days
		stock := float64(*i.StockMilli)
		if !m.holds(i.ID, stock <= r.fires, stock > 0 && stock >= r.clears*milli) {
			continue
		}
		s.out[i.ID] = true
		total += revenue
		rows = append(rows, s.lowStock(i, p, s.onOrder(i.ID, false), milli, revenue))
	}
	if len(rows) == 0 {
		return f, nil
	}
	slices.SortStableFunc(rows, func(a, b lowStock) int { return cmp.Compare(b.revenue, a.revenue) })
	f = productsFound(rows, func(l lowStock) (string, string) { return l.ProductID, l.Product })
	f.title = isAre(f, "out of stock")
	if first := rows[0]; len(rows) == 1 {
		f.detail = fmt.Sprintf("%s sold %s a day, worth %s, until %s; %s on order.", first.Product, first.SoldPerDay, s.money(int64(first.revenue)),
			written(parseDay(first.LastSold)), orNothing(first.OnOrder))
		return f, nil
	}
	f.detail = fmt.Sprintf("%s. Together they sold for %s a day while there was stock; %s sold for most, %s a day.", listed(f.names()),
		s.money(int64(total)), rows[0].Product, s.money(int64(rows[0].revenue)))
	return f, nil
}

// findLowCover leaves out what stock_out has.
func findLowCover(r rule, s *facts, m memory) (f finding, err error) {
	s.ending = memory{}
	var rows []lowStock
	window := min(recentDays, daysBetween(s.first, s.until))
	for _, i := range s.items {
		p, sold := s.sold[i.ID]
		if !sold || p.Days < r.least && !m[i.ID] || p.Milli <= 0 || *i.StockMilli <= 0 || s.out[i.ID] || window < recentDays/2 {
			continue
		}
		milli, onOrder := float64(p.Milli)/window, s.onOrder(i.ID, true)
		cover, lead := float64(*i.StockMilli+onOrder)/milli, s.leadOf(i.ID)
		if !m.holds(i.ID, cover < r.fires*lead, cover >= r.clears*lead) {
			continue
		}
		s.ending[i.ID] = true
		row := s.lowStock(i, p, onOrder, milli, float64(p.Amount)/window)
		row.cover, row.lead = cover, lead
		row.CoverDays, row.LeadDays = rounded(cover), rounded(lead)
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return f, nil
	}
	slices.SortStableFunc(rows, func(a, b lowStock) int { return cmp.Compare(a.cover-a.lead, b.cover-b.lead) })
	f = productsFound(rows, func(l lowStock) (string, string) { return l.ProductID, l.Product })
	first := rows[0]
	f.title = counted(len(rows), "product") + " will run out before an order arrives"
	if len(rows) == 1 {
		f.title = fmt.Sprintf("%s will run out in %s", first.Product, daysOf(first.cover))
	}
	f.figure = daysOf(first.cover) + " of cover"
	f.detail = fmt.Sprintf("%s: %s in stock and %s on order last %s at %s a day, and an order takes %s to arrive.", first.Product,
		first.StockQty, first.OnOrder, daysOf(first.cover), first.SoldPerDay, daysOf(first.lead))
	if len(rows) > 1 {
		f.detail = listed(f.names()) + ". The shortest is " + f.detail
	}
	return f, nil
}

// atPoint is a product at or below its reorder point.
type atPoint struct {
	ProductID    string `json:"product_id"`
	Product      string `json:"product"`
	SKU          string `json:"sku"`
	StockQty     any    `json:"stock_qty"`
	ReorderPoint any    `json:"reorder_point"`
	OnOrder      any    `json:"on_order"`

	short float64 // stock as a part of the reorder point
}

// findLowStock leaves out what stock_out and days_of_cover have.
func findLowStock(_ rule, s *facts, _ memory) (f finding, err error) {
	var rows []atPoint
	for _, i := range s.items {
		if !i.IsLow() || s.out[i.ID] || s.ending[i.ID] {
			continue
		}
		rows = append(rows, atPoint{
			ProductID: i.ID, Product: i.Name, SKU: i.SKU, StockQty: quantity(*i.StockMilli), ReorderPoint: quantity(i.ReorderPoint()),
			OnOrder: quantity(s.onOrder(i.ID, false)), short: float64(*i.StockMilli) / float64(max(1, i.ReorderPoint())),
		})
	}
	if len(rows) == 0 {
		return f, nil
	}
	slices.SortStableFunc(rows, func(a, b atPoint) int { return cmp.Compare(a.short, b.short) })
	f = productsFound(rows, func(a atPoint) (string, string) { return a.ProductID, a.Product })
	first := rows[0]
	f.title = isAre(f, "at or below the reorder point")
	f.detail = fmt.Sprintf("%s: %s in stock, %s on order, and the reorder point is %s.", first.Product, first.StockQty, orNothing(first.OnOrder), first.ReorderPoint)
	if len(rows) > 1 {
		f.detail = listed(f.names()) + ". The lowest is " + f.detail
	}
	return f, nil
}

// deadStock is a product that does not sell.
type deadStock struct {
	ProductID string  `json:"product_id"`
	Product   string  `json:"product"`
	SKU       string  `json:"sku"`
	StockQty  any     `json:"stock_qty"`
	Value     any     `json:"value"`
	LastSold  *string `json:"last_sold"` // null if it never sold

	value *big.Int
}

// deadDays is how long dead stock has not sold.
const deadDays = 90

// findDeadStock counts an item from the day on which it was recorded or last received.
func findDeadStock(r rule, s *facts, m memory) (f finding, err error) {
	since := s.until.AddDate(0, 0, -deadDays)
	known := !s.first.After(since) && s.sum(since, s.until).Sales >= r.least
	if s.first.IsZero() || !known && !m[whole] {
		return f, nil
	}
	var rows []deadStock
	dead, all := new(big.Int), new(big.Int)
	for _, i := range s.items {
		value := stockValue(i)
		all.Add(all, value)
		p, sold := s.sold[i.ID]
		fresh := sold && p.Last >= name(since) || i.CreatedAt.After(since) || s.receivedSince(i.ID, since)
		if value.Sign() <= 0 || fresh {
			continue
		}
		dead.Add(dead, value)
		rows = append(rows, deadStock{ProductID: i.ID, Product: i.Name, SKU: i.SKU, StockQty: quantity(*i.StockMilli), Value: s.bigAmount(value), value: value})
	}
	part := 0.0
	if all.Sign() > 0 {
		part, _ = new(big.Rat).SetFrac(new(big.Int).Mul(dead, big.NewInt(100)), all).Float64()
	}
	if len(rows) == 0 || !m.holds(whole, part >= r.fires, part < r.clears) {
		return f, nil
	}
	slices.SortStableFunc(rows, func(a, b deadStock) int { return b.value.Cmp(a.value) })
	f = productsFound(rows, func(d deadStock) (string, string) { return d.ProductID, d.Product })
	if err := s.addLastSold(f.rows); err != nil {
		return f, err
	}
	f.subjects, f.figure = []string{whole}, s.bigMoney(dead)
	f.title = fmt.Sprintf("%s of stock has not sold in %d days", s.bigMoney(dead), deadDays)
	f.detail = fmt.Sprintf("%s: %s of the %s in stock. The most is in %s: %s.", counted(len(rows), "product"), percent(part), s.bigMoney(all),
		rows[0].Product, s.bigMoney(rows[0].value))
	return f, nil
}

func (s *facts) addLastSold(rows []any) error {
	var ids []string
	for _, row := range rows {
		ids = append(ids, row.(deadStock).ProductID)
	}
	last, err := s.tx.LastSales(s.owner.ID, ids)
	for n, id := range ids {
		if day, ok := last[id]; ok {
			row := rows[n].(deadStock)
			row.LastSold = &day
			rows[n] = row
		}
	}
	return err
}

// stockValue returns what the stock of an item is worth, at its cost if that is known, else
// at its price. The product of the two may be larger than an int64.
func stockValue(i db.Item) *big.Int {
	price := i.CostPrice
	if price == nil {
		price = i.Price
	}
	if price == nil || *i.StockMilli <= 0 {
		return new(big.Int)
	}
	value := new(big.Int).Mul(big.NewInt(*i.StockMilli), big.NewInt(*price))
	return value.Quo(value, big.NewInt(1000))
}

// onOrder returns how much of an item is on order, in thousandths.
func (s *facts) onOrder(itemID string, inTime bool) (milli int64) {
	for _, l := range s.linesOf[itemID] {
		if o := s.orderOf[l.OrderID]; o.Received == "" && !(inTime && s.late(o)) {
			milli += l.Milli
		}
	}
	return milli
}

func (s *facts) receivedSince(itemID string, since time.Time) bool {
	return slices.ContainsFunc(s.linesOf[itemID], func(l db.TradeOrderLine) bool {
		return s.orderOf[l.OrderID].Received >= name(since)
	})
}

// defaultLead is the days that an order takes to arrive, if no order of the shop tells.
const defaultLead = 7

// leadOf returns how many days an order of an item usually takes: of its newest supplier.
func (s *facts) leadOf(itemID string) float64 {
	supplier, newest := "", ""
	for _, l := range s.linesOf[itemID] {
		if o := s.orderOf[l.OrderID]; o.Ordered >= newest {
			supplier, newest = o.Supplier, o.Ordered
		}
	}
	if lead, ok := s.usualLead(supplier, 2); ok {
		return lead
	}
	return defaultLead
}

// orNothing writes a quantity, or that there is none.
func orNothing(q any) string {
	if text := fmt.Sprint(q); text != "0" {
		return text
	}
	return "nothing is"
}
