package connection

import (
	"strings"

	"svc/db"
	"svc/server/money"
	"svc/server/page"
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
	{Name: "Ground Coffee 250g", SKU: "COF-250", Price: 450, CostPrice: 270, StockMilli: 24_000, Unit: "bag"},
	{Name: "Oat Milk 1l", SKU: "OAT-1L", Price: 220, CostPrice: 135, StockMilli: 60_000, Unit: "carton"},
	{Name: "Almond Croissant", SKU: "CRO-ALM", Price: 310, CostPrice: 110, StockMilli: 12_000, Unit: "piece"},
}

func rowsOf(items []db.Item, currency string) (rows []page.Row) {
	for _, i := range items {
		stock := strings.TrimRight(strings.TrimRight(money.Digits(i.StockMilli, 3), "0"), ".")
		rows = append(rows, page.Row{
			Name: i.Name, SKU: i.SKU, Price: money.Format(i.Price, currency), CostPrice: money.Format(i.CostPrice, currency),
			Stock: strings.TrimSpace(stock + " " + i.Unit),
		})
	}
	return rows
}
