package read_test

import (
	"testing"

	"svc/server/schema"
)

// shelf is the stock list of a gift shop: what was sold this season, what is committed to orders, three prices
// and the days of what happened last.
func shelf() schema.Source {
	sold, ordered := day("Last Sold", schema.None), day("Last Ordered", schema.None)
	sold.Blank = 6
	return schema.Source{
		ID: "ds_shelf", Name: "shelf", Kind: schema.Stocklist, From: "rows", Rows: 90,
		Columns: []schema.Column{
			text("SKU", schema.SKU, "A1", "A2", "A3"), text("Item", schema.Product, "Jug", "Mug", "Bowl"), text("Type", schema.Category, "Kitchen", "Jewellery", "Tops"),
			text("Maker", schema.Supplier, "Bronte", "Jellycat"), text("Colour", schema.None, "Navy", "Coral"), text("State", schema.Status, "active", "draft"), text("Pack", schema.None, "each", "box of 6"),
			number("On hand", schema.Stock, schema.Count), number("Committed", schema.None, schema.Plain), number("Sold this season", schema.None, schema.Plain),
			number("Cost", schema.UnitCost, schema.Money), number("RRP", schema.Price, schema.Money), number("Trade Price", schema.None, schema.Money),
			sold, ordered, text("Remarks", schema.None, "recall - send back", "on offer from May"),
		},
	}
}

// dealer is a list of single machines; the status of each says whether it is sold.
func dealer() schema.Source {
	return schema.Source{
		ID: "ds_dealer", Name: "dealer", Kind: schema.Other, From: "rows", Rows: 130,
		Columns: []schema.Column{
			text("Stock No", schema.None, "M1", "M2"), text("Make", schema.Brand, "Honda", "Stihl"), text("Type", schema.Category, "Mower", "Chainsaw"),
			number("Cost", schema.UnitCost, schema.Money), number("Asking Price", schema.Price, schema.Money), day("Date In", schema.None),
			text("Status", schema.Status, "In stock", "Reserved", "Sold"),
		},
	}
}

// What is asked of goods on a shelf is read from whatever columns the list has.
func TestShelf(t *testing.T) {
	for question, want := range map[string]string{
		"how many units are committed":                                    "Total Committed",
		"units sold this season by colour":                                "Total Sold this season by Colour, highest first",
		"best sellers":                                                    "Total Sold this season by Item, highest first, at most 10",
		"what type sells best":                                            "Total Sold this season by Type, highest first, at most 1",
		"top 5 best selling items":                                        "Total Sold this season by Item, highest first, at most 5",
		"products by state":                                               "Different Item by State, highest first",
		"how many variants are active":                                    "Rows, where active",
		"what is still in draft":                                          "Stock by Item, where draft, highest first",
		"stock value at trade price":                                      "Stock value at Trade Price",
		"what would it all fetch":                                         "Stock value at selling prices",
		"value of the kitchen range at cost":                              "Stock value at cost, where Kitchen",
		"how much is the jug":                                             "Average RRP, where Jug",
		"what do we sell the jug for":                                     "Average RRP, where Jug",
		"dearest thing we buy":                                            "Average Cost by Item, highest first, at most 1",
		"dearest pack we buy":                                             "Average Cost by Item, highest first, at most 1",
		"how many crates of jug do we have":                               "Stock, where Jug",
		"how many bottles of jug do we have":                              "Stock, where Jug",
		"which items have never sold":                                     "Stock by Item, where Sold this season at most 0, highest first",
		"items not sold since march":                                      "Stock by Item, where Last Sold before 2024-03-01 or never, highest first",
		"how many items last sold in november":                            "Different Item, where Last Sold from 2024-11-01 and Last Sold until 2024-11-30",
		"when was the mug last ordered":                                   "Last day, where Mug",
		"who do we get the mug from":                                      "Stock by Maker, where Mug, highest first",
		"which items are marked as recall":                                "Stock by Item, where Remarks with recall, highest first",
		"top 5 lines by money tied up":                                    "Stock value at cost by Item, highest first, at most 5",
		"how many lines from Bronte and what are they worth":              "Rows and stock value at cost, where Bronte",
		"biggest gap between cost and rrp":                                "Highest RRP and highest Cost and highest RRP less highest Cost by Item, highest first by highest RRP less highest Cost, at most 1",
		"if we knock 10% off the jewellery what would the stock sell for": "Stock value at selling prices, where Jewellery, with prices down 10 % for Jewellery",
		"potential profit in stock":                                       "Stock value at selling prices and stock value at cost and stock value at selling prices less stock value at cost",
		"any negative stock":                                              "Stock by Item, where On hand below 0, highest first",
		"anything oversold":                                               "Stock by Item, where On hand below 0, highest first",
		"which jewellery is showing minus":                                "Stock by Item, where On hand below 0 and Jewellery, highest first",
		"jug how many have we got":                                        "Stock, where Jug",
		"how many in each colour":                                         "Stock by Colour, highest first",
		"list the kitchen items":                                          "Stock by Item, where Kitchen, highest first",
		"what is the stock worth today":                                   "Stock value at cost",
		"the jewellery at rrp":                                            "Stock value at selling prices, where Jewellery",
		"the kitchen stuff at cost":                                       "Stock value at cost, where Kitchen",
		"stock value across both shops":                                   "Stock value at cost",
		"average rrp by type range":                                       "Average RRP by Type, highest first",
	} {
		reads(t, shelf(), question, want)
	}
	for question, want := range map[string]string{
		"how many are still unsold":               "Rows, where not Sold",
		"money tied up in unsold mowers":          "Total Cost, where not Sold and Mower",
		"unsold by make":                          "Rows by Make, where not Sold, highest first",
		"which type have we sold most of":         "Rows by Type, where Sold, highest first, at most 1",
		"how many came in in november":            "Rows, where Date In from 2024-11-01 and Date In until 2024-11-30",
		"did more come in in november or october": "Rows, 2024-11-01 to 2024-11-30, compared with 2024-10-01 to 2024-10-31",
		"average margin on mowers":                "Margin, where Mower",
	} {
		reads(t, dealer(), question, want)
	}
}

// TestVariants lists rows where sizes with codes of their own share the name of an item.
func TestVariants(t *testing.T) {
	source := shelf()
	source.Columns[0].Distinct, source.Columns[1].Distinct = source.Rows, 40
	const list = "List of rows with Item, On hand, "
	for question, want := range map[string]string{
		"whats under 3 left":                   list + "SKU, Type, Maker, Colour, State, Pack, Committed, Sold this season, where On hand below 3, lowest On hand first",
		"how many items have under 5 in stock": "Rows, where On hand below 5",
		"stock by item":                        "Stock by Item, highest first",
	} {
		reads(t, source, question, want)
	}
}

// places is a list with the stock of a shop and its stockroom.
func places() schema.Source {
	return schema.Source{
		ID: "ds_places", Name: "places", Kind: schema.Stocklist, From: "rows", Rows: 90,
		Columns: []schema.Column{
			text("Item", schema.Product, "Jug", "Mug"), text("Maker", schema.Supplier, "Bronte", "Jellycat"), number("Cost", schema.UnitCost, schema.Money), number("RRP", schema.Price, schema.Money),
			number("Shop", schema.None, schema.Plain), number("Stockroom", schema.None, schema.Plain), number("Reorder Level", schema.Reorder, schema.Count), number("Total stock", schema.Stock, schema.Count),
		},
	}
}

// toys is a list of goods with what was sold of each this year and last.
func toys() schema.Source {
	return schema.Source{
		ID: "ds_toys", Name: "toys", Kind: schema.Stocklist, From: "rows", Rows: 90,
		Columns: []schema.Column{
			text("Toy", schema.Product, "Kite", "Yo-yo"), text("Section", schema.Category, "Outdoor", "Puzzles"), number("Cost", schema.UnitCost, schema.Money), number("RRP", schema.Price, schema.Money),
			number("In stock", schema.Stock, schema.Count), number("Sold TY", schema.None, schema.Plain), number("Sold LY", schema.None, schema.Plain),
		},
	}
}

// What was sold this year, and beside last year, is read from the columns of a list that have it.
func TestSoldInSpans(t *testing.T) {
	const change = "Total Sold TY and total Sold LY and total Sold TY less total Sold LY and change to total Sold TY from total Sold LY"
	for question, want := range map[string]string{
		"how many kites have we sold this year": "Units sold, where Kite",
		"units sold this year v last":           change,
		"are puzzles down on last year":         change + ", where Puzzles",
		"what has grown most since last year":   change + " by Toy, highest first by total Sold TY less total Sold LY, at most 10",
		"whats not sold at all this year":       "Revenue by Toy, where Sold TY at most 0, highest first",
	} {
		reads(t, toys(), question, want)
	}
}

// What is asked of one place is of the stock there, and no other question is.
func TestStockOfPlaces(t *testing.T) {
	for question, want := range map[string]struct{ said, stock string }{
		"what is the stockroom stock worth at rrp":             {"Stock value at selling prices", "Stockroom"},
		"how many units are in the shop":                       {"Stock", "Shop"},
		"which items are out of stock in the stockroom":        {"Stock by Item, where Stockroom at most 0, highest first", "Stockroom"},
		"which items are below the reorder level in the shop":  {"Stock and Reorder Level and stock in % of Reorder Level by Item, where Shop below Reorder Level, lowest first by stock in % of Reorder Level", "Shop"},
		"what is our stock worth":                              {"Stock value at cost", "Total stock"},
		"stock by maker":                                       {"Stock by Maker, highest first", "Total stock"},
		"what share of the stock is in the stockroom":          {"Total Stockroom and stock and total Stockroom in % of stock", "Total stock"},
		"which items have more in the stockroom than the shop": {"", "Total stock"},
		"what is in the stockroom and none in the shop":        {"Stock by Item, where Shop at most 0 and Stockroom above 0, highest first", "Total stock"},
		"whats on show but not out back":                       {"Stock by Item, where Stockroom at most 0 and Shop above 0, highest first", "Total stock"},
	} {
		got, err := ask(t, question, places())
		if stock, _ := got.Source.ByRole(schema.Stock); err == nil && stock.Heading != want.stock {
			t.Errorf("%q is of %s, want %s", question, stock.Heading, want.stock)
		}
		if want.said != "" {
			reads(t, places(), question, want.said)
		}
	}
}
