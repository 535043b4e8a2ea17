package connection

import (
	"svc/db"
	"svc/server/money"
	"svc/server/unit"
	"svc/server/views"
)

// sampleItems are shown in a preview, where there is no merchant.
var sampleItems = []db.Item{
	{Name: "Ground Coffee 250g", SKU: "COF-250", Price: new(int64(450)), CostPrice: new(int64(270)), StockMilli: new(int64(24_000)), Unit: "bag"},
	{Name: "Oat Milk 1l", SKU: "OAT-1L", Price: new(int64(220)), CostPrice: new(int64(135)), StockMilli: new(int64(60_000)), Unit: "carton"},
	{Name: "Almond Croissant", SKU: "CRO-ALM", Price: new(int64(310)), CostPrice: new(int64(110)), StockMilli: new(int64(12_000)), Unit: "piece"},
}

// unknown is shown for what the merchant has not entered.
const unknown = "–"

func rowsOf(items []db.Item, currency string) (rows []views.Row) {
	amount := func(n *int64) string {
		if n == nil {
			return unknown
		}
		return money.Format(*n, currency)
	}
	for _, i := range items {
		rows = append(rows, views.Row{
			Name: i.Name, SKU: i.SKU, Price: amount(i.Price), CostPrice: amount(i.CostPrice), Stock: unit.Quantity(i.StockMilli, i.Unit),
		})
	}
	return rows
}
