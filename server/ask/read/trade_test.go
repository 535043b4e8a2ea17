package read_test

import (
	"strings"
	"testing"

	"svc/server/ask/plan"
	"svc/server/ask/read"
	"svc/server/schema"
)

// invoices are those of a workshop: a column Job says what was done, and two others when an invoice
// was due and paid.
func invoices() schema.Source {
	paid := day("Paid on", schema.None)
	paid.Blank = 19
	hours := number("Labour hrs", schema.None, schema.Plain)
	hours.Distinct = 6
	return schema.Source{
		ID: "ds_invoices", Name: "invoices", Kind: schema.Sales, From: "rows", Rows: 120, First: "2024-01-05", Last: "2024-11-03",
		Columns: []schema.Column{
			text("Invoice", schema.Order), day("Issued", schema.Day), day("Due", schema.None), paid, text("Customer", schema.Customer, "Hill Farm", "Vale School"),
			text("Job", schema.None, "MOT", "Brakes"), hours, number("Parts", schema.None, schema.Money), number("Labour", schema.None, schema.Money),
			number("Total", schema.Revenue, schema.Money), text("Technician", schema.Staff, "Dean", "Mo"), text("Reg", schema.None, "AB12 CDE", "XY65 ZZT"),
		},
	}
}

// appointments are those of a salon, which take minutes.
func appointments() schema.Source {
	ref := text("Booking ref", schema.Order)
	ref.Distinct = 240
	minutes := number("Duration mins", schema.None, schema.Plain)
	minutes.Distinct = 4
	return schema.Source{
		ID: "ds_salon", Name: "salon", Kind: schema.Sales, From: "rows", Rows: 240, First: "2024-06-01", Last: "2024-11-16",
		Columns: []schema.Column{
			ref, day("Appt date", schema.Day), {Heading: "Appt time", Name: "c", Type: schema.Time, Role: schema.DayTime}, text("Client", schema.Customer, "Carla Diaz", "Anna Reid"),
			text("Treatment", schema.Product, "Lash lift", "Pedicure"), text("Therapist", schema.Staff, "Priya", "Gemma"), minutes, number("Price", schema.Revenue, schema.Money),
			text("Source", schema.Channel, "Online", "Phone"),
		},
	}
}

// pitches are the days of a stall at markets.
func pitches() schema.Source {
	card := number("Paid by card", schema.None, schema.Percent)
	return schema.Source{
		ID: "ds_stall", Name: "stall", Kind: schema.Sales, From: "rows", Rows: 150, First: "2024-01-06", Last: "2024-11-23",
		Columns: []schema.Column{
			day("When", schema.Day), text("Market", schema.None, "Crouch End", "Lewes"), text("Line", schema.Category, "Candles", "Soap"), number("Sold", schema.Quantity, schema.Count),
			number("Takings", schema.Revenue, schema.Money), text("Weather", schema.None, "Rain", "Sunny"), card,
		},
	}
}

// counter is the stock of a delicatessen.
func counter() schema.Source {
	return schema.Source{
		ID: "ds_deli", Name: "deli", Kind: schema.Stocklist, From: "rows", Rows: 23,
		Columns: []schema.Column{
			text("Product", schema.Product, "Brie de Meaux", "Malbec"), text("Category", schema.Category, "Cheese", "Wine"), text("Supplier", schema.Supplier, "Brindisa", "Vinoteca"),
			number("Cost", schema.UnitCost, schema.Money), number("RRP", schema.Price, schema.Money), number("In stock", schema.Stock, schema.Count),
		},
	}
}

func day(heading string, r schema.Role) schema.Column {
	return schema.Column{Heading: heading, Name: "c", Type: schema.Date, Role: r}
}

// mustAsk returns the reading of a question that is no error.
func mustAsk(t *testing.T, question string, source schema.Source) read.Reading {
	t.Helper()
	got, err := ask(t, question, source)
	if err != nil {
		t.Fatalf("%q: %v", question, err)
	}
	return got
}

func TestWorkThatIsPaid(t *testing.T) {
	for question, want := range map[string]string{
		"who pays slowest":                      "Average days from Issued to Paid on by Customer, highest first, at most 1",
		"who pays fastest":                      "Average days from Issued to Paid on by Customer, lowest first, at most 1",
		"total paid":                            "Revenue, where a Paid on",
		"how much did vale school pay":          "Revenue, where Vale School and a Paid on",
		"which customer pays late most often":   "Orders by Customer, where Paid on after Due, highest first, at most 1",
		"how many invoices are overdue":         "Orders, where blank Paid on and Due before 2024-11-03",
		"total invoiced":                        "Revenue",
		"parts vs labour":                       "Total Parts and total Labour and total Parts less total Labour",
		"jobs per month":                        "Orders by Issued (month), in order",
		"how many jobs did mo do":               "Orders, where Mo",
		"which technician did the most jobs":    "Orders by Technician, highest first, at most 1",
		"which technician does the most brakes": "Orders by Technician, where Brakes, highest first, at most 1",
		"which reg comes in most":               "Orders by Reg, highest first, at most 1",
		"what do we make per labour hour":       "Revenue and total Labour hrs and revenue per total Labour hrs",
	} {
		reads(t, invoices(), question, want)
	}
}

func TestWorkThatTakesTime(t *testing.T) {
	for question, want := range map[string]string{
		"what do we earn per minute on lash lifts": "Revenue and total Duration mins and revenue per total Duration mins, where Lash lift",
		"revenue per minute by treatment":          "Revenue and total Duration mins and revenue per total Duration mins by Treatment, highest first by revenue per total Duration mins",
		"which treatment earns most per minute":    "Revenue and total Duration mins and revenue per total Duration mins by Treatment, highest first by revenue per total Duration mins, at most 1",
		"which treatment is booked most":           "Orders by Treatment, highest first, at most 1",
		"total hours booked":                       "Total Duration mins in hours",
		"busiest time on saturdays":                "Orders and revenue by Appt time (hour), where Saturday, highest first, at most 1",
		"when did carla diaz last come":            "Last day, where Carla Diaz",
	} {
		reads(t, appointments(), question, want)
	}
}

func TestDaysAtMarkets(t *testing.T) {
	for question, want := range map[string]string{
		"how many markets did we do":              "Different Market",
		"how many saturdays did it rain":          "Number of groups by When (day), where Saturday and Rain",
		"card share by market":                    "Average Paid by card by Market, highest first",
		"what sold best in lewes":                 "Revenue and units sold by Line, where Lewes, highest first, at most 1",
		"how many saturdays did we take over 300": "Number of groups by When (day), where Saturday, with revenue above 300",
	} {
		reads(t, pitches(), question, want)
	}
	if _, err := ask(t, "is crouch end worth it", pitches()); err == nil || !strings.Contains(err.Error(), "What to stop or to keep") {
		t.Errorf("a judgement: %v", err)
	}
}

func TestStockOfAKind(t *testing.T) {
	for question, want := range map[string]string{
		"total cost of stock":              "Stock value at cost",
		"cost of stock by supplier":        "Stock value at cost by Supplier, highest first",
		"which cheese has the best margin": "Margin by Product, where Cheese, highest first, at most 1",
		"worst margin":                     "Margin by Product, lowest first, at most 1",
		"lowest stock":                     "Stock by Product, lowest first, at most 1",
		"which wine is the most expensive": "Average RRP by Product, where Wine, highest first, at most 1",
	} {
		reads(t, counter(), question, want)
	}
	for _, question := range []string{"which supplier do we use most", "how many wines do we stock"} {
		if mustAsk(t, question, counter()).Certain {
			t.Errorf("%q is read without doubt", question)
		}
	}
}

// crafts are the orders of a maker who ships abroad.
func crafts() schema.Source {
	shipped := day("Date Shipped", schema.None)
	shipped.Blank = 16
	return schema.Source{
		ID: "ds_crafts", Name: "crafts", Kind: schema.Sales, From: "rows", Rows: 260, First: "2023-10-03", Last: "2024-11-14",
		Columns: []schema.Column{
			day("Sale Date", schema.Day), text("Order ID", schema.Order), text("Item Name", schema.Product, "Ceramic mug", "Candle"), text("Buyer", schema.Customer, "moonbeam", "ollie88"),
			number("Quantity", schema.Quantity, schema.Count), text("Coupon Code", schema.None, "WELCOME10", "BFCM20"), number("Discount Amount", schema.Discount, schema.Money),
			number("Order Shipping", schema.Shipping, schema.Money), number("Order Total", schema.Revenue, schema.Money), text("Ship Country", schema.Country, "United Kingdom", "United States"), shipped,
		},
	}
}

// wholesale are the goods that a bakery delivers to its customers.
func wholesale() schema.Source {
	return schema.Source{
		ID: "ds_rounds", Name: "rounds", Kind: schema.Sales, From: "rows", Rows: 320, First: "2024-09-01", Last: "2024-11-19",
		Columns: []schema.Column{
			day("Delivery date", schema.Day), text("Customer", schema.Customer, "The Larder", "Seven Bees"), text("Product", schema.Product, "Croissant", "Baguette"),
			number("Ordered", schema.None, schema.Plain), number("Delivered", schema.None, schema.Plain), number("Returned", schema.None, schema.Plain), number("Line total", schema.Revenue, schema.Money),
		},
	}
}

func TestOrdersFromAbroad(t *testing.T) {
	for question, want := range map[string]string{
		"how many orders have i had from the US":  "Orders, where United States",
		"orders from the us":                      "Orders, where United States",
		"tell us the sales":                       "Revenue and units sold",
		"TELL US THE SALES":                       "Revenue and units sold",
		"top 3 items by revenue in the uk":        "Revenue by Item Name, where United Kingdom, highest first, at most 3",
		"UK vs US sales":                          "Revenue by Ship Country, where United Kingdom or United States, highest first",
		"which coupon gets used most":             "Orders by Coupon Code, highest first, at most 1",
		"how much have i given away in discounts": "Discounts",
		"revenue without shipping":                "Revenue and shipping and revenue less shipping",
		"how many orders went overseas":           "Orders, where United States",
		"share of orders that go abroad":          "Orders, the share of United States",
		"what have we not dispatched yet":         "Revenue by Order ID, where blank Date Shipped, highest first",
		"how much did we charge for delivery":     "Shipping",
		"worst seller this year":                  "Revenue and units sold by Item Name, 2024-01-01 to 2024-12-31, lowest first, at most 1",
	} {
		reads(t, crafts(), question, want)
	}
	numbered := crafts()
	numbered.Columns[1].Values, numbered.Columns[1].Distinct = []string{"7731", "7732"}, 2
	if got, err := ask(t, "what was on order 7731", numbered); err != nil || len(got.Plan.By) != 1 || got.Plan.By[0].Column != "Item Name" {
		t.Errorf("what an order has was read as %+v, %v", got.Plan, err)
	}
	for _, question := range []string{"how many visits did we have in may", "what did the courier charge us"} {
		if got, err := ask(t, question, crafts()); err == nil {
			t.Errorf("%q: %+v, want a refusal", question, got.Plan)
		}
	}
	if got, err := ask(t, "how many orders from the US", wholesale()); err == nil {
		t.Errorf("a country, which is no value, was read as %s", plan.Sentence(got.Plan, got.Source))
	}
}

// TestTerms reads the days in which customers have to pay, and what falls due.
func TestTerms(t *testing.T) {
	source := invoices()
	source.Columns = append(source.Columns, number("Terms", schema.None, schema.Plain), number("Owed", schema.Owed, schema.Money))
	for question, want := range map[string]string{
		"which customers are on 60 days":          "Revenue by Customer, where Terms 60, highest first",
		"sales on 30 day terms":                   "Revenue, where Terms 30",
		"how much falls due in the next 14 days":  "Amount owed, where Due from 2024-11-03 and Due until 2024-11-17",
		"how much does each customer owe":         "Amount owed by Customer, highest first",
		"invoices from may that are not paid yet": "Revenue by Invoice, where blank Paid on, 2024-05-01 to 2024-05-31, highest first",
	} {
		reads(t, source, question, want)
	}
}

func TestGoodsThatComeBack(t *testing.T) {
	for question, want := range map[string]string{
		"which customer returns the most":          "Total Returned by Customer, highest first, at most 1",
		"average order per customer":               "Average revenue per order by Customer, highest first",
		"how many croissants did the larder order": "Total Ordered, where Croissant and The Larder",
	} {
		reads(t, wholesale(), question, want)
	}
	if got, err := ask(t, "return rate by product", wholesale()); err == nil && got.Certain {
		t.Error("a rate of returns is read without doubt, beside a column of what was returned")
	}
}

// classes are those of a studio, of which each row is one.
func classes() schema.Source {
	return schema.Source{
		ID: "ds_yoga", Name: "yoga", Kind: schema.Other, From: "rows", Rows: 200, First: "2024-05-04", Last: "2024-11-19",
		Columns: []schema.Column{
			day("Class date", schema.Day), text("Class", schema.None, "Yin", "Hot yoga"), text("Teacher", schema.Staff, "Nia", "Sol"),
			number("Booked", schema.None, schema.Plain), number("Attended", schema.None, schema.Plain), number("Waitlist", schema.None, schema.Plain),
		},
	}
}

func TestClasses(t *testing.T) {
	for question, want := range map[string]string{
		"who teaches the most classes":        "Rows by Teacher, highest first, at most 1",
		"how many classes did nia teach":      "Rows, where Nia",
		"total attended vs booked":            "Total Attended and total Booked and total Attended less total Booked",
		"classes per month":                   "Rows by Class date (month), in order",
		"how many yin classes had a waitlist": "Rows, where Yin and Waitlist above 0",
	} {
		reads(t, classes(), question, want)
	}
}
