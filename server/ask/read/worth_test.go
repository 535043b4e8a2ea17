package read_test

import (
	"testing"

	"svc/server/schema"
)

// lamps are the stock of a lamp shop.
func lamps() schema.Source {
	name := text("Lamp", schema.Product, "Arc", "Globe")
	name.Distinct = 60
	return schema.Source{ID: "ds_lamps", Name: "lamps", Kind: schema.Stocklist, From: "rows", Rows: 60, Columns: []schema.Column{
		name, text("Range", schema.Category, "Desk", "Floor"), number("In stock", schema.Stock, schema.Count), number("Min", schema.Reorder, schema.Count), number("On order", schema.Incoming, schema.Count),
		number("Cost", schema.UnitCost, schema.Money), number("Price", schema.Price, schema.Money),
	}}
}

func TestShelfMoney(t *testing.T) {
	for question, want := range map[string]string{
		"what is everything on order going to cost me":                    "Value on order at cost",
		"what would it cost to bring everything back up to min":           "Cost of what is below the reorder level, where In stock below Min",
		"if we sold the lot what would we take":                           "Stock value at selling prices",
		"if we sold every last thing what profit is in it":                "Stock value at selling prices and stock value at cost and stock value at selling prices less stock value at cost",
		"how much would it cost to top the desk lamps back up to the min": "Cost of what is below the reorder level, where In stock below Min and Desk",
	} {
		reads(t, lamps(), question, want)
	}
}

// paintings are sold for artists, at a share of the price.
func paintings() schema.Source {
	return schema.Source{ID: "ds_art", Name: "art", Kind: schema.Sales, From: "rows", Rows: 90, First: "2024-01-05", Last: "2024-11-10", Columns: []schema.Column{
		text("Work", schema.Product, "Blue Bay", "Red Sea"), day("Sold", schema.Day), number("Sale price", schema.Revenue, schema.Money), number("Comm %", schema.None, schema.Percent),
		number("Commission", schema.None, schema.Money), number("Framing", schema.None, schema.Money),
	}}
}

func TestSharesAndAmounts(t *testing.T) {
	for question, want := range map[string]string{
		"total commission in may":      "Total Commission, 2024-05-01 to 2024-05-31",
		"average commission rate":      "Average Comm %",
		"sales after framing by month": "Revenue and total Framing and revenue less total Framing by Sold (month), in order",
	} {
		reads(t, paintings(), question, want)
	}
}

// cheeses are weighed, tiles are kept in boxes.
func TestPacksAndWeights(t *testing.T) {
	name := text("Cheese", schema.Product, "Brie", "Edam")
	name.Distinct = 50
	offer := number("Reduced to", schema.None, schema.Money)
	offer.Blank, offer.Distinct = 40, 10
	cheeses := schema.Source{ID: "ds_cheese", Name: "cheese", Kind: schema.Stocklist, From: "rows", Rows: 50, Columns: []schema.Column{
		name, text("Milk", schema.None, "Cow", "Goat"), number("Stock kg", schema.Stock, schema.Count), number("Sell/kg", schema.Price, schema.Money), number("Cost/kg", schema.UnitCost, schema.Money), offer,
		number("Sold last mth kg", schema.None, schema.Plain),
	}}
	tile := text("Tile", schema.Product, "Slate", "Onyx")
	tile.Distinct = 50
	tiles := schema.Source{ID: "ds_tiles", Name: "tiles", Kind: schema.Stocklist, From: "rows", Rows: 50, Columns: []schema.Column{
		tile, text("Finish", schema.None, "Matt", "Gloss"), number("m2/box", schema.None, schema.Plain), number("Total stock", schema.Stock, schema.Count), number("Total m2", schema.None, schema.Plain),
	}}
	for question, want := range map[string]string{
		"how many kilos of goat have we got": "Stock, where Goat",
		"which goat cheeses are on offer":    "Stock by Cheese, where Goat and a Reduced to, highest first",
		"which brie is down to the last one": "Stock by Cheese, where Brie and Stock kg 1, highest first",
		"cow v goat last month":              "Revenue by Milk, where Cow or Goat, highest first",
	} {
		reads(t, cheeses, question, want)
	}
	for question, want := range map[string]string{
		"how many boxes of gloss have we got": "Stock, where Gloss",
		"sq metres in stock by finish":        "Total m2 and stock by Finish, highest first",
	} {
		reads(t, tiles, question, want)
	}
}
