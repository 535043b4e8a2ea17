package read_test

import (
	"testing"

	"svc/server/schema"
)

// market is a list of vegetables with what was sold of each this week and last.
func market() schema.Source {
	incoming := number("On order", schema.Incoming, schema.Count)
	incoming.Blank = 40
	return schema.Source{
		ID: "ds_market", Name: "market", Kind: schema.Stocklist, From: "rows", Rows: 90,
		Columns: []schema.Column{
			text("Item", schema.Product, "Leek", "Kale"), text("Dept", schema.Category, "Fruit", "Veg"), text("Grower", schema.Supplier, "Hill Farm"), number("Cost", schema.UnitCost, schema.Money), number("Sell", schema.Price, schema.Money),
			number("VAT %", schema.None, schema.Percent), number("On Hand", schema.Stock, schema.Count), incoming, number("Sold TW", schema.None, schema.Plain), number("Sold LW", schema.None, schema.Plain), day("Last Deliv", schema.None),
		},
	}
}

// garageJobs are those of a garage, each with the car and what is owed.
func garageJobs() schema.Source {
	reg := text("Reg", schema.None, "AB12", "CD34")
	reg.Distinct = 80
	order := text("Job No", schema.Order)
	order.Distinct = 90
	return schema.Source{
		ID: "ds_garage", Name: "garage", Kind: schema.Sales, From: "rows", Rows: 90, First: "2023-01-05", Last: "2024-12-18",
		Columns: []schema.Column{
			order, day("Date", schema.Day), text("Cust", schema.Customer, "Ann Lee", "Bob Ray"), reg, text("Work", schema.Product, "Service", "Brakes"), number("Total", schema.Revenue, schema.Money), number("Paid", schema.Paid, schema.Money),
			day("Due", schema.None), day("Paid On", schema.None), number("Owed", schema.Owed, schema.Money),
		},
	}
}

// groomer is a list of dogs and their owners.
func groomer() schema.Source {
	owner := text("Owner", schema.Customer, "Ann Lee", "Bob Ray")
	owner.Distinct = 80
	return schema.Source{
		ID: "ds_groomer", Name: "groomer", Kind: schema.Customers, From: "rows", Rows: 90,
		Columns: []schema.Column{
			owner, text("Town", schema.City, "Leeds", "York"), text("Dog", schema.None, "Rex", "Bella"), text("Breed", schema.None, "Poodle", "Pug"), day("Last Visit", schema.None), day("Next Appt", schema.None),
			number("Visits", schema.None, schema.Plain), number("Visits this mth", schema.None, schema.Plain), number("Total Spent", schema.None, schema.Money), number("Fee pm", schema.None, schema.Money),
		},
	}
}

// kiosk is a till without the names of its customers.
func kiosk() schema.Source {
	return schema.Source{
		ID: "ds_kiosk", Name: "kiosk", Kind: schema.Sales, From: "rows", Rows: 900, First: "2023-01-05", Last: "2024-12-18",
		Columns: []schema.Column{
			text("Rcpt", schema.Order), day("Date", schema.Day), text("Item", schema.Product, "Brownie", "Scone", "Lily Bouquet"), text("Kind", schema.Category, "Cakes", "Flowers"), text("Occasion", schema.None, "Valentine's", "Birthday"),
			number("Qty", schema.Quantity, schema.Count), number("Total", schema.Revenue, schema.Money), number("Shipping", schema.Shipping, schema.Money),
		},
	}
}

// Lists that owners keep are asked for what their columns say, in the words that people have for it.
func TestOwnersLists(t *testing.T) {
	for question, want := range map[string]string{
		"takings this week":                             "Revenue and profit and units sold",
		"takings by dept this week":                     "Revenue by Dept, highest first",
		"top 5 sellers this week":                       "Revenue and units sold by Item, highest first, at most 5",
		"what are we out of":                            "Stock by Item, where On Hand at most 0, highest first",
		"how many products are we out of":               "Different Item, where On Hand at most 0",
		"which items are out of stock and not on order": "Stock by Item, where On Hand at most 0 and blank On order, highest first",
		"how many things are on 5% vat":                 "Different Item, where VAT % 5",
		"which lines have less than 30% margin":         "Margin by Item, with margin below 30, highest first",
		"when did the leek last come in":                "Last day, where Leek",
		"what fruit have we got":                        "Stock by Item, where Fruit, highest first",
	} {
		reads(t, market(), question, want)
	}
	for question, want := range map[string]string{
		"how many cars came in in july":                   "Rows, 2024-07-01 to 2024-07-31",
		"how much is overdue":                             "Amount owed, where Owed above 0 and Due before 2024-12-19",
		"how much came in in july":                        "Total Paid, 2024-07-01 to 2024-07-31",
		"when did we last do a job for ann lee":           "Last day, where Ann Lee",
		"july and august this year compared to last year": "Revenue, 2024-07-01 to 2024-08-31, compared with 2023-07-01 to 2023-08-31",
		"what has ann lee had":                            "Revenue by Work, where Ann Lee, highest first",
	} {
		reads(t, garageJobs(), question, want)
	}
	for question, want := range map[string]string{
		"how many dogs are there":          "Rows",
		"top 10 spenders":                  "Total Spent by Owner, highest first, at most 10",
		"what have the poodles spent":      "Total Spent, where Poodle",
		"who has been the most times":      "Total Visits by Owner, highest first, at most 1",
		"when was ann lee last in":         "Last day, where Ann Lee",
		"what do the monthly fees come to": "Total Fee pm",
		"who has not been in for a month":  "Rows by Owner, where Last Visit before 2024-11-19 or never, highest first",
	} {
		reads(t, groomer(), question, want)
	}
	for question, want := range map[string]string{
		"average spend per customer":                        "Average revenue per order",
		"what did nobody buy in may":                        "Rows in May 2024 by Item, with rows in May 2024 at most 0, in order",
		"any items not sold since june":                     "Rows from 1 June 2024 to 19 December 2024 by Item, with rows from 1 June 2024 to 19 December 2024 at most 0, in order",
		"which single order was the biggest in may":         "Revenue by Rcpt, 2024-05-01 to 2024-05-31, highest first, at most 1",
		"what cakes do we sell":                             "Revenue by Item, where Cakes, highest first",
		"what did we make on valentines":                    "Revenue and units sold, where Valentine's",
		"how many orders had free shipping":                 "Orders, where Shipping at most 0",
		"how many bouquets went out in june":                "Units sold, where Lily Bouquet, 2024-06-01 to 2024-06-30",
		"did we sell more last quarter than the one before": "Revenue, 2024-07-01 to 2024-09-30, compared with 2024-04-01 to 2024-06-30",
	} {
		reads(t, kiosk(), question, want)
	}
}

// Things by a figure are told apart, and what a total is by makes groups.
func TestThingsByFigure(t *testing.T) {
	for question, want := range map[string]string{
		"customers by revenue":          "Revenue by Customer, highest first",
		"customers by number of orders": "Orders by Customer, highest first",
		"orders by customers":           "Orders by Customer, highest first",
		"total by customer":             "Revenue by Customer, highest first",
		"total for each customer":       "Revenue by Customer, highest first",
		"customer totals in june":       "Revenue by Customer, 2024-06-01 to 2024-06-30, highest first",
		"total customers":               "Customers",
	} {
		reads(t, netInvoices(), question, want)
	}
	for question, want := range map[string]string{
		"items by revenue":            "Revenue by Item, highest first",
		"items by units sold in june": "Units sold by Item, 2024-06-01 to 2024-06-30, highest first",
		"total by item":               "Revenue by Item, highest first",
	} {
		reads(t, kiosk(), question, want)
	}
}

// Two places are set beside each other, and one beside all.
func TestPlacesBesideEachOther(t *testing.T) {
	for question, want := range map[string]string{
		"have we more in the shop or the stockroom":                    "Total Shop and total Stockroom",
		"shop v stockroom how many in each":                            "Total Shop and total Stockroom",
		"what % of the stock is in the stockroom":                      "Total Stockroom and stock and total Stockroom in % of stock",
		"what is empty in the shop but there is some in the stockroom": "Stock by Item, where Shop at most 0 and Stockroom above 0, highest first",
	} {
		reads(t, places(), question, want)
	}
}

// What a list cannot tell is refused: what was on other days, and when something was spent or sold.
func TestOwnersListsRefuse(t *testing.T) {
	for question, source := range map[string]schema.Source{
		"what was the stock worth this time last year": market(),
		"takings for september":                        groomer(),
		"how many came in october":                     riders(),
	} {
		if got, err := ask(t, question, source); err == nil {
			t.Errorf("%q: got %+v", question, got.Plan)
		}
	}
}

// What goods cost that are to come, or that are lacking, is asked for without the words of a figure.
func TestCostOfOrders(t *testing.T) {
	for question, want := range map[string]string{
		"how much is everything on order going to cost us": "Value on order at cost",
		"how many are on order":                            "Units on order",
		"what is the average cost of what is on order":     "Average Cost and units on order",
	} {
		reads(t, market(), question, want)
	}
	for question, want := range map[string]string{
		"what would it cost to bring everything back up to the reorder level": "Cost of what is below the reorder level, where Total stock below Reorder Level",
		"what would it cost to top the mugs back up to reorder level":         "Cost of what is below the reorder level, where Total stock below Reorder Level and Mug",
		"which jugs are down to the last one":                                 "Stock by Item, where Jug and Total stock 1, highest first",
		"how much money is in the mugs":                                       "Stock value at cost, where Mug",
	} {
		reads(t, places(), question, want)
	}
}

// The people of a list are told apart by how often they came, and not by the one row that each has.
func TestEachHasOneRow(t *testing.T) {
	for question, want := range map[string]string{
		"who comes in the most": "Total Visits by Name, highest first, at most 1",
		"who trains the most":   "Total Visits by Name, highest first, at most 1",
	} {
		reads(t, climbers(), question, want)
	}
	if got, err := ask(t, "what % of climbers have we lost", climbers()); err == nil {
		t.Errorf("got %+v", got.Plan)
	}
}

// A list with the last day of something does not say what happened on the days before it.
func TestLastDays(t *testing.T) {
	for question, want := range map[string]string{
		"dogs by the month they were last in":        "Rows by Last Visit (month), in order",
		"how many dogs were last in during october":  "Rows, where Last Visit from 2024-10-01 and Last Visit until 2024-10-31",
		"how many had their last visit in october":   "Rows, where Last Visit from 2024-10-01 and Last Visit until 2024-10-31",
		"which owners have not been in for 2 months": "Rows by Owner, where Last Visit before 2024-10-19 or never, highest first",
	} {
		reads(t, groomer(), question, want)
	}
	for question, source := range map[string]schema.Source{
		"how many dogs came in in october":  groomer(),
		"how many items did we sell in may": shelf(),
		"who bought the last jug":           shelf(),
	} {
		if got, err := ask(t, question, source); err == nil {
			t.Errorf("%q: got %+v", question, got.Plan)
		}
	}
}

// A verb of what is done with things ranks them by how often, and a column that tells something of some rows is a part.
func TestWorkAndWays(t *testing.T) {
	insured := garageJobs()
	insurer := text("Insurer", schema.None, "Axa", "Aviva")
	insurer.Blank = 50
	insured.Columns = append(insured.Columns, insurer)
	for question, want := range map[string]string{
		"what % of the money comes through an insurer": "Revenue, the share of a Insurer",
		"top 3 work types we mend":                     "Orders by Work, highest first, at most 3",
	} {
		reads(t, insured, question, want)
	}
}

// What came back is asked for by name, and not for how much it was.
func TestWhatCameBack(t *testing.T) {
	for question, want := range map[string]string{
		"what got refunded":             "Refunds by Item, with refunds above 0, highest first",
		"show me the returns in may":    "Refunds by Item, with refunds above 0, 2024-05-01 to 2024-05-31, highest first",
		"which receipts had refunds":    "Refunds by Rcpt, with refunds above 0, highest first",
		"how much did we refund in may": "Refunds, 2024-05-01 to 2024-05-31",
	} {
		till := kiosk()
		till.Reversals = []schema.Reversal{{Kind: schema.Return, Column: "Qty", Rows: 9}}
		reads(t, till, question, want)
	}
}

// A word that the plan does not use may say of what the figure is.
func TestVerbsThatRestrict(t *testing.T) {
	for _, question := range []string{"how much do we lose in delivery", "on which days were we shut", "how many quotes did people get", "how many people looked at the website last month", "what did we pay ann in wages", "how many bags of lily did we sell"} {
		if got, err := ask(t, question, kiosk()); err == nil {
			t.Errorf("%q: got %+v", question, got.Plan)
		}
	}
}
