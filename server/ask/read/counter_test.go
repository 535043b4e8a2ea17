package read_test

import (
	"testing"

	"svc/server/schema"
)

// wines is a list of a shop's wines, one of which has the word of the list in a maker's name.
func wines() schema.Source {
	wine := text("Label", schema.Product, "Red Hill", "Old Barrel")
	wine.Distinct = 95
	return schema.Source{
		ID: "ds_wines", Name: "wine_stock", Kind: schema.Stocklist, From: "rows", Rows: 100,
		Columns: []schema.Column{
			wine, text("Grower", schema.Supplier, "Dell Wines", "Moor"), text("Grape", schema.Category, "Merlot", "Malbec"),
			number("Price", schema.Price, schema.Money), number("Cost", schema.UnitCost, schema.Money),
			number("Qty", schema.Stock, schema.Count), number("On Order", schema.Incoming, schema.Count), text("Rack", schema.None, "R1", "R2"),
		},
	}
}

// salon is the till of a nail bar: a receipt has a row for each treatment.
func salon() schema.Source {
	tip, client, paid := number("Gratuity", schema.None, schema.Money), text("Client", schema.Customer, "Mia Ray", "Jo Dean"), text("Paid By", schema.Payment, "Cash", "Card", "Gift Vchr", "Loyalty")
	tip.Blank, client.Blank = 400, 300
	receipt := text("Receipt No", schema.Order)
	receipt.Distinct = 500
	return schema.Source{
		ID: "ds_salon", Name: "nails", Kind: schema.Sales, From: "rows", Rows: 700, First: "2024-01-02", Last: "2024-12-18",
		Columns: []schema.Column{
			receipt, day("Visit Date", schema.Day), {Heading: "Start", Name: "c", Type: schema.Text, Role: schema.DayTime, Distinct: 90},
			text("Technician", schema.Staff, "Kim", "Lola"), text("Treatment", schema.Product, "Gel Manicure", "Pedicure"),
			number("Charge", schema.Revenue, schema.Money), tip, paid, text("Drop-in/Appt", schema.None, "Drop-in", "Appt"), client,
			text("Postcode District", schema.None, "LS1", "BD4"), text("Unit", schema.None, "each", "kg"), number("Product Sales", schema.None, schema.Money),
		},
	}
}

// TestStockOfCopies counts the pieces of a stock list, or its rows, by what the words are for.
func TestStockOfCopies(t *testing.T) {
	for question, want := range map[string]string{
		"how many wines do we have in stock":        "Rows and stock",
		"average cost of a wine from each grower":   "Average Cost by Grower, highest first",
		"how many copies of merlot do we have":      "Stock, where Merlot",
		"how many titles are malbec":                "Rows, where Malbec",
		"what are the 3 dearest wines":              "List of rows with Label, Price, Grower, Grape, Cost, Qty, On Order, Rack, highest Price first, at most 3",
		"average margin per wine by grape":          "Margin by Grape, highest first",
		"cost value of rack R1":                     "Stock value at cost, where R1",
		"value of malbec in stock":                  "Stock value at cost, where Malbec",
		"how many wines are sold out but on order":  "Rows, where On Order above 0 and Qty at most 0",
		"how many wines have no grape against them": "Rows, where blank Grape",
	} {
		reads(t, wines(), question, want)
	}
}

// TestCounterTalk reads what people say at a counter of a till with a column for it.
func TestCounterTalk(t *testing.T) {
	for question, want := range map[string]string{
		"how much have we had in gratuities":                 "Total Gratuity",
		"how many times did someone leave a gratuity over 5": "Orders, where Gratuity above 5",
		"are drop-ins up on last month":                      "Orders, where Drop-in, 2024-12-01 to 2024-12-18, compared with 2024-11-01 to 2024-11-18",
		"takings split between cash, card and vouchers":      "Revenue by Paid By, where Cash or Card or Gift Vchr, highest first",
		"how many receipts were on a loyalty card":           "Orders, where Loyalty",
		"how many treatments did Kim do in May":              "Units sold, where Kim, 2024-05-01 to 2024-05-31",
		"treatments done by technician":                      "Units sold by Technician, highest first",
		"which postcode area has the most receipts":          "Orders by Postcode District, highest first, at most 1",
		"how many receipts went through the till":            "Orders",
		"how many treatments does a receipt have on average": "Average units sold per order",
		"what did Kim take in product sales":                 "Total Product Sales, where Kim",
		"how many kilos went out":                            "Units sold, where kg",
		"takings since the start of the year":                "Revenue and units sold, 2024-01-01 to 2024-12-19",
	} {
		reads(t, salon(), question, want)
	}
	for _, question := range []string{
		"how many no shows did we get", "what do we use instead of gel", "which client region comes most often", "how many employees left", "takings by cash flow", "which product sells best", "top 3 products", "receipts with a treatment on top",
	} {
		if got, err := ask(t, question, salon()); err == nil {
			t.Errorf("%s: read as %v", question, got.Plan)
		}
	}
}
