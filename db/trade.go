package db

import "encoding/json"

// What follows are sums over an account's own tables for the rules of alerts (J3). Days are
// YYYY-MM-DD in the shop's zone; a span of days includes the first and excludes the last.
// Money is in minor units of one currency, quantities are in thousandths. Revenue is net (I4):
// a cancelled sale counts nowhere, a refunded one brought its amount and gave it back on the
// same day, and so does a line with an amount below zero.

// TradeSpan is what is summed: an account's sales in a currency from a day to before another.
type TradeSpan struct {
	AccountID, Currency string
	From, To            string
}

// TradeDay sums the sales of a day.
type TradeDay struct {
	Day      string
	Sales    int64 // sales with an amount above zero that was kept
	Gross    int64 // before refunds
	Refunded int64 // above zero
	Refunds  int64 // sales that give money back
	Costed   int64 // net revenue of the lines whose cost is known
	Cost     int64
}

// Revenue returns the net revenue of the day.
func (d TradeDay) Revenue() int64 { return d.Gross - d.Refunded }

// TradeProduct sums the sales of a product since a day, and those of a span before it. Its
// days are those on which some of it was sold.
type TradeProduct struct {
	ItemID string // empty if it is not in the inventory
	Name   string
	SKU    string
	TradeSums
	Before   TradeSums
	First    string // the first and the last day of sale
	Last     string
	SoldDays int64 // in both spans
}

// TradeSums are the net sums of a product over a span.
type TradeSums struct {
	Sales  int64 // sales that have some of it
	Days   int64
	Milli  int64
	Amount int64
	Costed int64 // net revenue of the lines whose cost is known
	Cost   int64
}

// TradeOrder is a purchase order with its value.
type TradeOrder struct {
	ID, ExternalID, Supplier string
	Ordered                  string // a day
	Received                 string // a day; empty if it has not arrived
	Amount                   int64
	Products                 int64
}

// TradeOrderLine is what an order has of an item.
type TradeOrderLine struct {
	OrderID, ItemID string
	Milli           int64
}

// CustomerDay is a day on which a customer bought something.
type CustomerDay struct{ Customer, Day string }

// CustomerTrade is a customer with what they paid, net of refunds.
type CustomerTrade struct {
	Customer, Name string
	Revenue        int64
}

// TradeRefund is a sale that gave money back.
type TradeRefund struct {
	Sale, Day, Customer string
	Amount              int64 // above zero
}

// tradeLines are the lines of an account's sales of a span: $1 to $4 are a TradeSpan.
const tradeLines = `
FROM sales s
CROSS JOIN sale_lines l ON l.account_id = s.account_id AND l.sale_id = s.id
WHERE s.account_id = $1 AND s.currency = $2 AND s.sold_local >= $3 AND s.sold_local < $4 AND s.status <> 'cancelled'`

// givenBack is what a line gives back, NULL if it gives nothing.
const givenBack = `CASE WHEN s.status = 'refunded' THEN max(l.amount, 0) WHEN l.amount < 0 THEN -l.amount END`

var (
	tradeEnds = newQuery(`
SELECT coalesce(substr(min(sold_local), 1, 10), ''), coalesce(substr(max(sold_local), 1, 10), '')
FROM sales
WHERE account_id = $1`)

	tradeDays = newQuery(`
SELECT substr(s.sold_local, 1, 10) AS day,
  count(DISTINCT s.id) FILTER (WHERE l.amount > 0 AND s.status = 'completed'),
  coalesce(sum(l.amount) FILTER (WHERE l.amount > 0), 0),
  coalesce(sum(` + givenBack + `), 0),
  count(DISTINCT s.id) FILTER (WHERE ` + givenBack + ` > 0),
  coalesce(sum(l.amount) FILTER (WHERE l.cost IS NOT NULL AND s.status = 'completed'), 0),
  coalesce(sum(l.cost) FILTER (WHERE s.status = 'completed'), 0)` + tradeLines + `
GROUP BY 1
ORDER BY 1`)

	tradeProducts = newQuery(`
SELECT l.item_id, max(l.name), max(l.sku),
  count(DISTINCT s.id) FILTER (WHERE l.amount > 0 AND s.sold_local >= $5),
  count(DISTINCT substr(s.sold_local, 1, 10)) FILTER (WHERE l.quantity_milli > 0 AND s.sold_local >= $5),
  coalesce(sum(l.quantity_milli) FILTER (WHERE s.sold_local >= $5), 0),
  coalesce(sum(l.amount) FILTER (WHERE s.sold_local >= $5), 0),
  coalesce(sum(l.amount) FILTER (WHERE l.cost IS NOT NULL AND s.sold_local >= $5), 0),
  coalesce(sum(l.cost) FILTER (WHERE s.sold_local >= $5), 0),
  count(DISTINCT s.id) FILTER (WHERE l.amount > 0 AND s.sold_local < $5),
  count(DISTINCT substr(s.sold_local, 1, 10)) FILTER (WHERE l.quantity_milli > 0 AND s.sold_local < $5),
  coalesce(sum(l.quantity_milli) FILTER (WHERE s.sold_local < $5), 0),
  coalesce(sum(l.amount) FILTER (WHERE s.sold_local < $5), 0),
  coalesce(sum(l.amount) FILTER (WHERE l.cost IS NOT NULL AND s.sold_local < $5), 0),
  coalesce(sum(l.cost) FILTER (WHERE s.sold_local < $5), 0),
  coalesce(substr(min(s.sold_local) FILTER (WHERE l.quantity_milli > 0), 1, 10), ''),
  coalesce(substr(max(s.sold_local) FILTER (WHERE l.quantity_milli > 0), 1, 10), '')` + tradeLines + ` AND s.status = 'completed'
GROUP BY l.item_id, CASE WHEN l.item_id = '' THEN l.name END
ORDER BY 2, 1`)

	tradeOrders = newQuery(`
SELECT p.id, p.external_id, p.supplier, substr(p.ordered_local, 1, 10), coalesce(substr(p.received_local, 1, 10), ''),
  coalesce(sum(l.amount), 0), count(l.line)
FROM purchase_orders p
LEFT JOIN purchase_order_lines l ON l.account_id = p.account_id AND l.purchase_order_id = p.id
WHERE p.account_id = $1 AND p.ordered_local >= $2
GROUP BY p.id
ORDER BY 4, 2`)

	tradeOrderLines = newQuery(`
SELECT l.purchase_order_id, l.item_id, sum(l.quantity_milli)
FROM purchase_orders p
JOIN purchase_order_lines l ON l.account_id = p.account_id AND l.purchase_order_id = p.id
WHERE p.account_id = $1 AND p.ordered_local >= $2 AND l.item_id <> ''
GROUP BY 1, 2`)

	lastSales = newQuery(`
SELECT l.item_id, substr(max(s.sold_local), 1, 10)
FROM sale_lines l
JOIN sales s ON s.account_id = l.account_id AND s.id = l.sale_id
WHERE l.account_id = $1 AND l.quantity_milli > 0 AND s.status = 'completed' AND l.item_id IN (SELECT value FROM json_each($2))
GROUP BY 1`)

	customerDays = newQuery(`
SELECT s.customer, substr(s.sold_local, 1, 10)
FROM sales s
WHERE s.account_id = $1 AND s.customer <> '' AND s.sold_local >= $2 AND s.status <> 'cancelled' AND EXISTS (
  SELECT 1 FROM sale_lines l WHERE l.account_id = s.account_id AND l.sale_id = s.id AND l.quantity_milli > 0)
GROUP BY 1, 2
ORDER BY 1, 2`)

	customerTrade = newQuery(`
SELECT j.value, coalesce(nullif(c.name, ''), j.value), coalesce((
    SELECT sum(l.amount)
    FROM sales s
    CROSS JOIN sale_lines l ON l.account_id = s.account_id AND l.sale_id = s.id
    WHERE s.account_id = $1 AND s.customer = j.value AND s.customer <> '' AND s.currency = $2 AND s.status = 'completed'
      AND s.sold_local >= $3 AND s.sold_local < $4), 0)
FROM json_each($5) j
LEFT JOIN customers c ON c.account_id = $1 AND c.external_id = j.value`)

	refundedSales = newQuery(`
SELECT s.external_id, substr(s.sold_local, 1, 10), s.customer, sum(` + givenBack + `) AS given` + tradeLines + `
GROUP BY s.id
HAVING given > 0
ORDER BY given DESC, s.external_id
LIMIT $5`)
)

func (s TradeSpan) args(more ...any) []any {
	return append([]any{s.AccountID, s.Currency, s.From, s.To}, more...)
}

// TradeEnds returns the first and the last day with a sale, empty if there is none.
func (tx *Tx) TradeEnds(accountID string) (first, last string, err error) {
	err = tx.row(tradeEnds, []any{accountID}, &first, &last)
	return first, last, err
}

// TradeDays lists the days of a span that have sales, in order.
func (tx *Tx) TradeDays(s TradeSpan) ([]TradeDay, error) {
	return collect(tx, tradeDays, func(row scanner) (d TradeDay, err error) {
		err = row.Scan(&d.Day, &d.Sales, &d.Gross, &d.Refunded, &d.Refunds, &d.Costed, &d.Cost)
		return d, err
	}, s.args()...)
}

// TradeProducts lists the products that were sold or returned in a span, with what was sold
// from a day of it on, and before that day.
func (tx *Tx) TradeProducts(s TradeSpan, since string) ([]TradeProduct, error) {
	return collect(tx, tradeProducts, func(row scanner) (p TradeProduct, err error) {
		now, before := &p.TradeSums, &p.Before
		err = row.Scan(&p.ItemID, &p.Name, &p.SKU,
			&now.Sales, &now.Days, &now.Milli, &now.Amount, &now.Costed, &now.Cost,
			&before.Sales, &before.Days, &before.Milli, &before.Amount, &before.Costed, &before.Cost,
			&p.First, &p.Last)
		p.SoldDays = now.Days + before.Days
		return p, err
	}, s.args(since)...)
}

// TradeOrders lists the purchase orders since a day, the oldest first, and their lines of
// items in the inventory.
func (tx *Tx) TradeOrders(accountID, since string) (orders []TradeOrder, lines []TradeOrderLine, err error) {
	orders, err = collect(tx, tradeOrders, func(row scanner) (o TradeOrder, err error) {
		err = row.Scan(&o.ID, &o.ExternalID, &o.Supplier, &o.Ordered, &o.Received, &o.Amount, &o.Products)
		return o, err
	}, accountID, since)
	if err != nil {
		return nil, nil, err
	}
	lines, err = collect(tx, tradeOrderLines, func(row scanner) (l TradeOrderLine, err error) {
		err = row.Scan(&l.OrderID, &l.ItemID, &l.Milli)
		return l, err
	}, accountID, since)
	return orders, lines, err
}

// LastSales returns the day on which each of some items was last sold, by item. It reads all
// of the account's sales.
func (tx *Tx) LastSales(accountID string, items []string) (map[string]string, error) {
	list, err := json.Marshal(items)
	if err != nil {
		return nil, err
	}
	days, err := collect(tx, lastSales, scanPair, accountID, string(list))
	last := map[string]string{}
	for _, d := range days {
		last[d[0]] = d[1]
	}
	return last, err
}

func scanPair(row scanner) (p [2]string, err error) {
	err = row.Scan(&p[0], &p[1])
	return p, err
}

// CustomerDays lists the days since a day on which each customer bought something, by
// customer and in order.
func (tx *Tx) CustomerDays(accountID, since string) ([]CustomerDay, error) {
	return collect(tx, customerDays, func(row scanner) (d CustomerDay, err error) {
		err = row.Scan(&d.Customer, &d.Day)
		return d, err
	}, accountID, since)
}

// CustomerTrade returns the names of customers, and what each paid in a span.
func (tx *Tx) CustomerTrade(s TradeSpan, customers []string) ([]CustomerTrade, error) {
	list, err := json.Marshal(customers)
	if err != nil {
		return nil, err
	}
	return collect(tx, customerTrade, func(row scanner) (c CustomerTrade, err error) {
		err = row.Scan(&c.Customer, &c.Name, &c.Revenue)
		return c, err
	}, s.args(string(list))...)
}

// TradeRefunds lists the sales of a span that gave money back, the largest first, at most limit.
func (tx *Tx) TradeRefunds(s TradeSpan, limit int) ([]TradeRefund, error) {
	return collect(tx, refundedSales, func(row scanner) (r TradeRefund, err error) {
		err = row.Scan(&r.Sale, &r.Day, &r.Customer, &r.Amount)
		return r, err
	}, s.args(limit)...)
}
