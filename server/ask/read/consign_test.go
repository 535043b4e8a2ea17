package read_test

import (
	"testing"

	"svc/server/schema"
)

// guitars are those that a shop sells for their owners.
func guitars() schema.Source {
	sold, due, share, paid := day("Sold On", schema.Day), number("Due Owner", schema.None, schema.Money), number("Shop Cut", schema.None, schema.Money), schema.Column{Heading: "Paid", Name: "c", Type: schema.Truth, Distinct: 1, Blank: 120}
	sold.Blank, due.Blank, share.Blank = 70, 70, 70
	ticket := text("Ticket", schema.SKU)
	ticket.Distinct = 240
	return schema.Source{
		ID: "ds_guitars", Name: "guitars", Kind: schema.Sales, From: "rows", Rows: 240, First: "2024-01-05", Last: "2024-12-17",
		Columns: []schema.Column{
			ticket, text("Guitar", schema.Product, "Red Strat", "Black Tele"), text("Make", schema.Brand, "Fender", "Gibson"), text("Owner", schema.None, "Ann Lee", "Bob Ray", "Cy Dunn"),
			number("Asking", schema.Price, schema.Money), text("State", schema.Status, "Sold", "Available", "Collected"), day("Date In", schema.None), sold,
			number("Sold For", schema.Revenue, schema.Money), due, share, paid, text("Stands", schema.None, "Window", "Back room"),
		},
	}
}

// TestGoodsOfOthers asks a shop that sells for others what it has, what it keeps and what it owes.
func TestGoodsOfOthers(t *testing.T) {
	for question, want := range map[string]string{
		"guitars in stock by make":                    "Sales by Make, where Available, highest first",
		"what has ann lee still got with us":          "List of rows with Guitar, Sold On, Owner, State, Ticket, Make, Asking, Date In, Sold For, Due Owner, where Ann Lee and Available",
		"how many fenders are still on the rack":      "Rows, where Fender and Available",
		"what has been sitting here for over 90 days": "List of rows with Guitar, Sold On, State, Date In, Ticket, Make, Owner, Asking, Sold For, Due Owner, where Available and Date In before 2024-09-20",
		"what is everything on the wall racks worth":  "",
		"what is everything on the racks worth":       "Total Asking, where Available",
		"average asking price of what is still here":  "Average Asking, where Available",
		"what are the fenders worth at asking":        "Total Asking, where Fender and Available",
		"what has been stuck here over 90 days":       "List of rows with Guitar, Sold On, State, Date In, Ticket, Make, Owner, Asking, Sold For, Due Owner, where Available and Date In before 2024-09-20",
		"how many guitars came in in may":             "Rows, where Date In from 2024-05-01 and Date In until 2024-05-31",
		"when did bob ray last bring one in":          "Last day, where Bob Ray",
		"what price did we get on average by make":    "Average Sold For by Make, highest first",
		"sell through by make":                        "Rows with a Sold On and rows and share of rows with a Sold On by Make, highest first by share of rows with a Sold On",
		"what was our cut in may":                     "Total Shop Cut, 2024-05-01 to 2024-05-31",
		"how much do we owe the owners":               "Total Due Owner, where not Paid",
		"who do we owe the most":                      "Total Due Owner by Owner, where not Paid, highest first, at most 1",
		"how much did fenders bring in in may":        "Revenue and units sold, where Fender, 2024-05-01 to 2024-05-31",
		"how much did we knock off asking in may":     "Total Asking and revenue and total Asking less revenue, where a Sold On, 2024-05-01 to 2024-05-31",
		"what % do we take off asking on average":     "Revenue and total Asking and change to revenue from total Asking, where a Sold On",
		"how many go for less than asking":            "Sales, where Sold For below Asking",
		"how long do gibsons sit before they sell":    "Average days from Date In to Sold On, where Gibson",
		"what gibsons have we got in the back room":   "List of rows with Guitar, Sold On, Make, Stands, State, Ticket, Owner, Asking, Date In, Sold For, where Gibson and Back room and Available",
		"how many fenders are in the window":          "Rows, where Fender and Window and Available",
	} {
		if want != "" {
			reads(t, guitars(), question, want)
		} else if got, err := ask(t, question, guitars()); err == nil {
			t.Errorf("%q: %+v, want a refusal", question, got.Plan)
		}
	}
	if got := mustAsk(t, "when did bob ray last bring one in", guitars()); got.Plan.On != "Date In" {
		t.Errorf("the days are those of %q", got.Plan.On)
	}
}

// bakeryBills are those of a bakery, of several lines each.
func bakeryBills() schema.Source {
	no, rate, tax, paid, paidOn := text("Bill No", schema.Order, "A1", "B2"), number("GST %", schema.None, schema.Percent), number("GST", schema.Tax, schema.Money), number("Paid", schema.Paid, schema.Money), day("Paid On", schema.None)
	no.Distinct, rate.Distinct, paid.Blank, paidOn.Blank = 90, 2, 30, 30
	return schema.Source{
		ID: "ds_bills", Name: "bills", Kind: schema.Purchases, From: "rows", Rows: 240, First: "2024-01-05", Last: "2024-12-17",
		Columns: []schema.Column{
			text("Supplier", schema.Supplier, "Mill Farm", "Dale Dairy"), no, day("Bill Date", schema.Day), number("Terms", schema.None, schema.Plain), day("Due", schema.None),
			text("Item", schema.Product, "Rye Flour", "Butter"), text("Group", schema.Category, "Flour", "Dairy"), number("Qty", schema.Quantity, schema.Count), number("Cost", schema.UnitCost, schema.Money),
			number("Net", schema.Cost, schema.Money), rate, tax, paid, paidOn,
		},
	}
}

// TestBakeryBills asks what a shop buys, pays and has to pay.
func TestBakeryBills(t *testing.T) {
	for question, want := range map[string]string{
		"gst on bills in may":                  "Tax, 2024-05-01 to 2024-05-31",
		"spend at the 10% gst rate":            "Cost of purchases, where GST % 10",
		"zero rated spend":                     "Cost of purchases, where GST % 0",
		"which supplier has the longest terms": "Average Terms by Supplier, highest first, at most 1",
		"avrage bill by supplier":              "Average cost of purchases per order by Supplier, highest first",
		"spend by type of stuff":               "Cost of purchases by Group, highest first",
		"what did we last pay for rye flour":   "List of rows with Bill No, Item, Bill Date, Cost, Supplier, Terms, Due, Group, Qty, Net, where Rye Flour, highest Bill Date first, at most 1",
		"what did we pay out in may":           "Total Paid, where Paid On from 2024-05-01 and Paid On until 2024-05-31",
		"bills due in the next 10 days":        "Cost of purchases by Bill No, where Due from 2024-12-19 and Due until 2024-12-29, highest first",
	} {
		reads(t, bakeryBills(), question, want)
	}
	for _, question := range []string{"what did we sell the butter for", "how much did we take in may"} {
		if got, err := ask(t, question, bakeryBills()); err == nil {
			t.Errorf("%q: %+v, want a refusal", question, got.Plan)
		}
	}
	rates := bakeryBills()
	rates.Columns = append(rates.Columns[:11:11], rates.Columns[12:]...) // without the amounts of tax
	if got, err := ask(t, "how much gst did we pay in may", rates); err == nil {
		t.Errorf("%+v, want a refusal", got.Plan)
	}
}

// TestWordsOfOwners asks with words of shop owners that have another use elsewhere.
func TestWordsOfOwners(t *testing.T) {
	for _, row := range []struct {
		source         schema.Source
		question, want string
	}{
		{tills(), "top 3 mondays", "Revenue by Date (day), where Monday, highest first, at most 3"},
		{tills(), "how many days have we done over 900", "Number of groups by Date (day), with revenue above 900"},
		{tills(), "which cut sells best", ""},
	} {
		if row.want != "" {
			reads(t, row.source, row.question, row.want)
		} else if got, err := ask(t, row.question, row.source); err == nil {
			t.Errorf("%q: %v", row.question, got.Plan)
		}
	}
}
