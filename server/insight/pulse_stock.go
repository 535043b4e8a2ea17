package insight

import (
	"context"
	"math/big"
	"strconv"

	"svc/db"
	"svc/server/ask/plan"
	"svc/server/money"
	"svc/server/schema"
)

// defaultReorder is the reorder point of a row without one, in pieces: as of an item (K8).
const defaultReorder = db.DefaultReorderMilli / 1000

// stockKPIs returns the figures of the stock as it is now.
func (s *Service) stockKPIs(ctx context.Context, sh sources) ([]KPI, error) {
	kpis := []KPI{
		{Key: "stock_value", Label: "Stock value at cost", Unit: Money},
		{Key: "low_stock_items", Label: "Products at or below their reorder point", Unit: Count},
		{Key: "out_of_stock_items", Label: "Products out of stock", Unit: Count},
	}
	if sh.stock == nil {
		return kpis, nil
	}
	kpis[0].Label = "Stock value " + valuedAt(*sh.stock)
	stock, ok := sh.stock.ByRole(schema.Stock)
	if !ok {
		return kpis, nil
	}
	rows := func(filters ...plan.Filter) plan.Measure { return plan.Measure{Metric: plan.Rows, Where: filters} }
	p := plan.Plan{Source: sh.stock.ID, Day: name(sh.today), Measures: []plan.Measure{
		rows(plan.Filter{Column: stock.Heading, Op: plan.Filled}),
		rows(plan.Filter{Column: stock.Heading, Op: plan.AtMost, Values: []string{"0"}}),
	}}
	reorder, points := sh.stock.ByRole(schema.Reorder)
	if points {
		p.Measures = append(p.Measures,
			rows(plan.Filter{Column: stock.Heading, Op: plan.AtMost, Other: reorder.Heading}),
			rows(plan.Filter{Column: reorder.Heading, Op: plan.Blank}, plan.Filter{Column: stock.Heading, Op: plan.AtMost, Values: []string{strconv.Itoa(defaultReorder)}}))
	}
	value := plan.Measure{Metric: plan.StockValue}
	_, err := plan.FormulaOf(*sh.stock, value)
	valued := err == nil
	if valued {
		p.Measures = append(p.Measures, value)
	}
	results, err := s.Books.Compute(ctx, sh.owner, *sh.stock, p)
	if err != nil {
		return nil, err
	}
	now := results[0].Total.Now
	if now[0] == nil || now[0].Sign() == 0 {
		return kpis, nil // no stock is known
	}
	kpis[2].Value = now[1]
	if points {
		kpis[1].Value = new(big.Rat).Add(now[2], now[3])
	}
	if valued {
		kpis[0].Value = now[len(now)-1]
	}
	return kpis, nil
}

// valuedAt returns what plan.StockValue takes for the value of a piece.
func valuedAt(stock schema.Source) string { return plan.StockValuedAt(stock) }

// ordered selects purchase orders that have not arrived.
func ordered(source schema.Source) []plan.Filter {
	status, _ := source.ByRole(schema.Status)
	return []plan.Filter{{Column: status.Heading, Op: plan.In, Values: []string{"ordered"}}}
}

// orderKPIs returns the figures of the shop's open purchase orders.
func (s *Service) orderKPIs(ctx context.Context, sh sources) ([]KPI, error) {
	kpis := []KPI{
		{Key: "open_purchase_orders", Label: "Open purchase orders", Unit: Count},
		{Key: "on_order_value", Label: "Value of open purchase orders", Unit: Money},
	}
	if sh.purchases == nil {
		return kpis, nil
	}
	open := ordered(*sh.purchases)
	results, err := s.Books.Compute(ctx, sh.owner, *sh.purchases, plan.Plan{Source: sh.purchases.ID, Measures: []plan.Measure{
		{Metric: plan.Orders, Where: open}, {Metric: plan.Cost, Where: open},
	}})
	if err != nil {
		return nil, err
	}
	kpis[0].Value, kpis[1].Value = results[0].Total.Now[0], results[0].Total.Now[1]
	return kpis, nil
}

// chargeKPIs returns the figures of the live charges that the account's keys have made, in
// its currency; nil if there never was one.
func (s *Service) chargeKPIs(ctx context.Context, sh sources) ([]KPI, error) {
	kpis := []KPI{
		{Key: "charges_paid_7_days", Label: "Charges paid, last 7 days", Unit: Money},
		{Key: "charges_pending", Label: "Charges waiting for payment", Unit: Money},
	}
	currency := sh.owner.Profile.Currency
	if currency != sh.currency {
		return kpis, nil
	}
	sums, err := db.Read(ctx, s.Store, func(tx *db.Tx) (db.ChargeSums, error) {
		return tx.ChargeSums(sh.owner, sh.now.AddDate(0, 0, -7))
	})
	if err != nil || sums.Charges == 0 {
		return kpis, err
	}
	kpis[0].Value, kpis[1].Value = fromMinor(sums.Paid, currency), fromMinor(sums.Pending, currency)
	return kpis, nil
}

// fromMinor returns an amount in units of the currency.
func fromMinor(amount int64, currency string) *big.Rat {
	n, _ := new(big.Rat).SetString(money.Decimal(amount, currency))
	return n
}
