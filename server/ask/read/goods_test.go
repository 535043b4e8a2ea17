package read_test

import (
	"testing"

	"svc/server/schema"
)

// TestStrengthOfGoods asks for what bottles are, over a list of stock with one column of percentages.
func TestStrengthOfGoods(t *testing.T) {
	cellar := stock()
	cellar.Columns[0].Heading = "Wine"
	cellar.Columns = append(cellar.Columns, number("Alcohol %", schema.None, schema.Percent), number("Max", schema.None, schema.Count))
	for question, want := range map[string]string{
		"3 strongest wines":              "Average Alcohol % by Wine, highest first, at most 3",
		"how many wines are over 13%":    "Number of groups by Wine, with average Alcohol % above 13",
		"how many wines are over £13":    "Different Wine, where Price above 13",
		"which wines are over max":       "Stock by Wine, where On hand above Max, highest first",
		"how many wines are below 9.5 %": "Number of groups by Wine, with average Alcohol % below 9.5",
	} {
		reads(t, cellar, question, want)
	}
	if r, err := ask(t, "5 best wines", cellar); err == nil && r.Certain {
		t.Error("the best of a list of stock is certain")
	}
	for _, question := range []string{"how many items are over 13%", "how many items are under 4 percent"} {
		if r, err := ask(t, question, stock()); err == nil {
			t.Errorf("%q: %v", question, r.Plan)
		}
	}
}

// TestGoodsOfAShop asks with the word that a shop has its name from.
func TestGoodsOfAShop(t *testing.T) {
	shop := sales()
	shop.Name = "toyshop"
	shop.Columns = append(shop.Columns, text("Range", schema.Category, "Soft Toys", "Wooden Toys", "Cards"))
	for question, want := range map[string]string{
		"how many toys did we sell in may": "Units sold, 2024-05-01 to 2024-05-31",
	} {
		reads(t, shop, question, want)
	}
}

// TestBoundsThatFit asks for what a bound must be of: what rows come to, the people of a party, the
// price of one, what is off, and never the number of a check.
func TestBoundsThatFit(t *testing.T) {
	check := number("CHK", schema.None, schema.Plain)
	check.Distinct = 120
	tables := invoices()
	tables.Name, tables.Columns = "grill", []schema.Column{
		check, day("Date", schema.Day), number("Guests", schema.None, schema.Plain), text("Server", schema.Staff, "Ann", "Joe"),
		number("Disc $", schema.Discount, schema.Money), number("Total", schema.Revenue, schema.Money), number("Tip", schema.None, schema.Money),
	}
	for question, want := range map[string]string{
		"list the checks over 90 dollars":           "List of rows with CHK, Date, Total, Guests, Server, Disc $, Tip, where Total above 90",
		"checks above $90":                          "Sales, where Total above 90",
		"which servers had more than 20 checks":     "Sales by Server, with sales above 20, highest first",
		"how many parties larger than 8":            "Sales, where Guests above 8",
		"how many groups of 10 or more came in May": "Sales, where Guests at least 10, 2024-05-01 to 2024-05-31",
		"has anyone had over $15 off a check":       "Sales, where Disc $ above 15",
		"any tips above $40":                        "Sales, where Tip above 40",
	} {
		reads(t, tables, question, want)
	}
	cuts := stock()
	cuts.Columns = append(cuts.Columns, number("buy/kg", schema.UnitCost, schema.Money), number("sell/kg", schema.None, schema.Money))
	for question, want := range map[string]string{
		"which products cost us more than £9 a kilo": "Average buy/kg by Item, with average buy/kg above 9, highest first",
	} {
		reads(t, cuts, question, want)
	}
	name := text("Name", schema.Customer)
	name.Distinct = 60
	accounts := schema.Source{ID: "ds_accounts", Name: "accounts", Kind: schema.Customers, From: "rows", Rows: 60, Columns: []schema.Column{
		name, text("Rep", schema.Staff, "Ann", "Joe"), number("Bal", schema.None, schema.Money), number("Cr Lim", schema.None, schema.Money),
	}}
	for question, want := range map[string]string{
		"who is over their limit":                       "Rows by Name, where Bal above Cr Lim, highest first",
		"how many customers are above their credit lim": "Customers, where Bal above Cr Lim",
	} {
		reads(t, accounts, question, want)
	}
}

// TestGoodsThatComeIn asks for deliveries, and for goods that a shop buys and sells one by one.
func TestGoodsThatComeIn(t *testing.T) {
	note := text("GRN", schema.Order)
	note.Distinct = 60
	inward := schema.Source{
		ID: "ds_inward", Name: "inward", Kind: schema.Purchases, From: "rows", Rows: 140, First: "2024-01-05", Last: "2024-11-03",
		Columns: []schema.Column{
			note, day("Came in", schema.Day), text("Supplier", schema.Supplier, "Mill Farm", "Dale Dairy"), text("Milk", schema.Category, "Cow", "Goat"),
			number("Kg ordered", schema.None, schema.Plain), number("Kg received", schema.Quantity, schema.Count), number("Line total", schema.Cost, schema.Money),
		},
	}
	for question, want := range map[string]string{
		"how many shipments did we get in May": "Purchase orders, 2024-05-01 to 2024-05-31",
		"loads by supplier":                    "Purchase orders by Supplier, highest first",
		"when was the last delivery from Dale": "Last day, where Dale Dairy",
		"who do we spend the most with":        "Cost of purchases by Supplier, highest first, at most 1",
		"goat or cow, which do we buy more of": "Units ordered by Milk, where Goat or Cow, highest first",
		"list the lines over £200":             "List of rows with GRN, Milk, Came in, Line total, Supplier, Kg ordered, Kg received, where Line total above 200",
	} {
		reads(t, inward, question, want)
	}
	inward.Columns[4].Role, inward.Columns[5].Role = schema.Quantity, schema.None
	reads(t, inward, "how many shipments came short", "Purchase orders, where Kg received below Kg ordered")
	sold, paid := day("Sold on", schema.Day), number("Paid", schema.Paid, schema.Money)
	sold.Blank = 20
	item := text("Ref", schema.Order)
	item.Distinct = 150
	flips := schema.Source{
		ID: "ds_flips", Name: "flips", Kind: schema.Sales, From: "rows", Rows: 150, First: "2024-01-05", Last: "2024-11-03",
		Columns: []schema.Column{
			item, text("Thing", schema.Product, "Desk", "Lamp"), text("Type", schema.Category, "Lighting", "Furniture"), day("Date in", schema.None), paid,
			sold, number("Got", schema.Revenue, schema.Money),
		},
	}
	for question, want := range map[string]string{
		"what have I spent on stock in May":               "Total Paid, where Date in from 2024-05-01 and Date in until 2024-05-31",
		"how many lamps did I buy in March":               "Orders, where Lamp and Date in from 2024-03-01 and Date in until 2024-03-31",
		"show me the lamps I haven't shifted":             "List of rows with Ref, Thing, Sold on, Type, Date in, Paid, Got, where Lamp and blank Sold on",
		"what percentage of what I bought is not sold":    "Orders, the share of blank Sold on",
		"did I sell anything for less than I paid for it": "Orders, where Got below Paid",
	} {
		reads(t, flips, question, want)
	}
}
