package connection

import (
	"strings"

	"svc/db"
	"svc/server/money"
	"svc/server/views"
)

var scopeWords = map[string]struct{ title, details string }{
	db.ReadInventory: {
		"Read your inventory",
		"Name, price, cost price, stock and unit of the products that the app scans.",
	},
}

func scopeTitles(names []string) (titles []string) {
	for _, name := range names {
		titles = append(titles, scopeWords[name].title)
	}
	return titles
}

func scopesInWords(names []string) (words []string) {
	for _, name := range names {
		words = append(words, scopeWords[name].title+": "+scopeWords[name].details)
	}
	return words
}

// sampleItems stand in the preview, where there is no merchant.
var sampleItems = []db.Item{
	{Name: "Ground Coffee 250g", SKU: "COF-250", Price: new(int64(450)), CostPrice: new(int64(270)), StockMilli: new(int64(24_000)), Unit: "bag"},
	{Name: "Oat Milk 1l", SKU: "OAT-1L", Price: new(int64(220)), CostPrice: new(int64(135)), StockMilli: new(int64(60_000)), Unit: "carton"},
	{Name: "Almond Croissant", SKU: "CRO-ALM", Price: new(int64(310)), CostPrice: new(int64(110)), StockMilli: new(int64(12_000)), Unit: "piece"},
}

// unknown stands for what the merchant has not told.
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
			Name: i.Name, SKU: i.SKU, Price: amount(i.Price), CostPrice: amount(i.CostPrice), Stock: stockOf(i),
		})
	}
	return rows
}

func stockOf(i db.Item) string {
	if i.StockMilli == nil {
		return unknown
	}
	stock := strings.TrimRight(strings.TrimRight(money.Digits(*i.StockMilli, 3), "0"), ".")
	return strings.TrimSpace(stock + " " + i.Unit)
}
