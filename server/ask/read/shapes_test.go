package read_test

import (
	"testing"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// nursery is a list of plants, of which each has a number of its own.
func nursery() schema.Source {
	code, plant := text("SKU", schema.SKU, "P-1", "P-2"), text("Plant", schema.Product, "Fern", "Moss")
	code.Distinct, plant.Distinct = 140, 138
	return schema.Source{
		ID: "ds_nursery", Name: "list", Kind: schema.Stocklist, From: "rows", Rows: 140,
		Columns: []schema.Column{
			code, plant, text("Range", schema.Category, "Shade", "Alpine"), text("Grower", schema.Supplier, "Dell", "Moor Farm"),
			number("Cost", schema.UnitCost, schema.Money), number("Price", schema.Price, schema.Money),
			number("In Stock", schema.Stock, schema.Count), number("Reorder Level", schema.Reorder, schema.Count),
			{Heading: "Discontinued", Name: "c", Type: schema.Truth},
		},
	}
}

func TestAverageDay(t *testing.T) {
	for question, want := range map[string]string{
		"what do we take on an average day":            "Average revenue per day",
		"how much do we make on a typical working day": "Average revenue per day",
		"how many jobs in a normal week":               "Average orders per week",
		"labour hours in an average month":             "Average total Labour Hrs per month",
		"average takings by day":                       "Average revenue per order by Booked In (day), in order",
	} {
		reads(t, garage(), question, want)
	}
}

func TestGroupsOfValues(t *testing.T) {
	for question, want := range map[string]string{
		"takings per month split by cash and card": "Revenue by Booked In (month) and Paid By, where Cash or Card, in order",
		"labour split between ford and toyota":     "Total Labour by Make, where Ford or Toyota, highest first",
		"ford vs toyota, how many of each":         "Orders by Make, where Ford or Toyota, highest first",
		"gary vs priti, how many jobs for each":    "Orders by Mechanic, where Gary or Priti, highest first",
		"jobs per month by booked in date":         "Orders by Booked In (month), in order",
	} {
		reads(t, garage(), question, want)
	}
}

// TestCountsOfRows counts what each row has one of by another name, and never groups by it.
func TestCountsOfRows(t *testing.T) {
	for question, want := range map[string]string{
		"plants by grower and range":                   "Different Plant by Grower and Range, highest first",
		"discontinued plants by grower":                "Different Plant by Grower, where Discontinued, highest first",
		"three growers with the most skus":             "Different SKU by Grower, highest first, at most 3",
		"which range has the most discontinued plants": "Different Plant by Range, where Discontinued, highest first, at most 1",
		"stock by grower and range":                    "Stock by Grower and Range, highest first",
	} {
		reads(t, nursery(), question, want)
	}
}

// boats is a list of hires with a rating, of which some are discounted in per cent.
func boats() schema.Source {
	off := number("Disc %", schema.Discount, schema.Percent)
	off.Blank = 80
	fee := number("Cleaning Fee", schema.None, schema.Money)
	fee.Blank = 60
	return schema.Source{
		ID: "ds_boats", Name: "boats", Kind: schema.Sales, From: "rows", Rows: 120, First: "2025-01-03", Last: "2025-12-20",
		Columns: []schema.Column{
			text("Hire No", schema.Order), {Heading: "Date", Name: "c", Type: schema.Date, Role: schema.Day}, text("Skipper", schema.Customer, "Ann Lee", "Bob Ray"),
			text("Boat", schema.Product, "Punt", "Canoe"), text("Booked Via", schema.Channel, "Punts.co", "Phone"), number("Hours", schema.None, schema.Plain),
			off, fee, number("Total", schema.Revenue, schema.Money), number("Deposit", schema.None, schema.Money), number("Stars", schema.Rating, schema.Plain),
		},
	}
}

func TestBoundsOfThings(t *testing.T) {
	for question, want := range map[string]string{
		"hires of 4 hours or longer":                   "Orders, where Hours at least 4",
		"how many hires were 3 hours or more":          "Orders, where Hours at least 3",
		"hires of 2 hours or less":                     "Orders, where Hours at most 2",
		"how many hires got 1 or 2 stars":              "Orders, where Stars 1 or 2",
		"which boats did we hire out at 20% off":       "Revenue by Boat, where Disc % 20, highest first",
		"how many hires had 10% off":                   "Orders, where Disc % 10",
		"average discount on punt lines":               "Average Disc % and rows, where Punt",
		"our three biggest spending skippers":          "Revenue and units sold by Skipper, highest first, at most 3",
		"average hours per hire by boat":               "Total Hours and orders and total Hours per orders by Boat, highest first by total Hours per orders",
		"two highest earning boats":                    "Revenue by Boat, highest first, at most 2",
		"what is the average discount of a punt hire":  "Average Disc %, where Punt",
		"how do punts.co skippers rate us":             "Average Stars, where Punts.co",
		"compare phone with Punts.co, number of hires": "Orders by Booked Via, where Phone or Punts.co, highest first",
	} {
		reads(t, boats(), question, want)
	}
	if got, err := ask(t, "hires of 4 seats or more", boats()); err == nil && got.Certain {
		t.Errorf("seats, which are no column, were read as %s", plan.Sentence(got.Plan, got.Source))
	}
}

func TestShareOfRange(t *testing.T) {
	for question, want := range map[string]string{
		"what percentage of the range is discontinued":  "Different Plant, the share of Discontinued",
		"what share of our range is from dell":          "Different Plant, the share of Dell",
		"what percentage of stock is discontinued":      "Stock, the share of Discontinued",
		"what percentage of each range is discontinued": "Stock for Discontinued and stock and share of stock for Discontinued by Range, highest first by share of stock for Discontinued",
	} {
		reads(t, nursery(), question, want)
	}
}

// club is a list of memberships, of which some ended.
func club() schema.Source {
	left := schema.Column{Heading: "left_on", Name: "c", Type: schema.Date, Blank: 200, Distinct: 55}
	member := text("member_no", schema.Customer, "M1", "M2")
	member.Distinct = 260
	return schema.Source{
		ID: "ds_club", Name: "club", Kind: schema.Sales, From: "rows", Rows: 260, First: "2022-01-03", Last: "2024-12-18",
		Columns: []schema.Column{
			member, text("tier", schema.None, "Gold", "Silver"), {Heading: "joined_on", Name: "c", Type: schema.Date, Role: schema.Day, Distinct: 200}, left,
			text("status", schema.Status, "Active", "Left", "Frozen"), number("monthly_fee", schema.Revenue, schema.Money), text("branch", schema.Store, "North", "South"),
		},
	}
}

// TestDaysOfEvents counts what happened on the days on which it did, and what was bought then and
// happened since on those of the rows.
func TestDaysOfEvents(t *testing.T) {
	for question, want := range map[string]struct{ plan, on string }{
		"how many left each month in 2023":                        {"Sales by left_on (month), where Left, 2023-01-01 to 2023-12-31, in order", "left_on"},
		"leavers this year versus last year":                      {"Sales, where a left_on, 2024-01-01 to 2024-12-18, compared with 2023-01-01 to 2023-12-18", "left_on"},
		"of those who joined in 2023, how many have left since":   {"Sales, where Left, 2023-01-01 to 2023-12-31", ""},
		"how many of the members who joined in 2023 have left":    {"Rows, where Left, 2023-01-01 to 2023-12-31", ""},
		"how many days does a member stay before they leave":      {"Average days from joined_on to left_on", ""},
		"how long do gold members stay with us before they leave": {"Average days from joined_on to left_on, where Gold", ""},
		"active members by branch":                                {"Sales by branch, where Active, highest first", ""},
	} {
		reads(t, club(), question, want.plan)
		if got, err := ask(t, question, club()); err != nil || got.Plan.On != want.on {
			t.Errorf("%q counts by %q, %v, want %q", question, got.Plan.On, err, want.on)
		}
	}
}

// TestSidesOfStock compares what each row of a list has in two columns.
func TestSidesOfStock(t *testing.T) {
	for question, want := range map[string]string{
		"what is the average price of a moor farm plant":                   "Average Price, where Moor Farm",
		"is anything priced below what we paid for it":                     "Average Price and average Cost by Plant, where Price below Cost, highest first",
		"are we selling anything for less than it cost":                    "Average Price and average Cost by Plant, where Price below Cost, highest first",
		"which plants do we sell at a loss":                                "Average Price and average Cost by Plant, where Price below Cost, lowest first",
		"how many plants are priced below cost":                            "Number of groups by Plant, where Price below Cost",
		"how many units to bring every plant back up to its reorder level": "Reorder Level and stock and Reorder Level less stock, where In Stock below Reorder Level",
		"how many moor farm units are we short of the reorder level":       "Reorder Level and stock and Reorder Level less stock, where In Stock below Reorder Level and Moor Farm",
		"how many plants are below their reorder level":                    "Different Plant, where In Stock below Reorder Level",
	} {
		reads(t, nursery(), question, want)
	}
	for _, question := range []string{"what did we pay dell last month", "how many plants did we buy"} {
		if got, err := ask(t, question, nursery()); err == nil {
			t.Errorf("%q was read as %s", question, plan.Sentence(got.Plan, got.Source))
		}
	}
}

func TestLeftAfterDeposit(t *testing.T) {
	for question, want := range map[string]string{
		"how much is left to pay after the deposit":      "Revenue and total Deposit and revenue less total Deposit",
		"what is left to pay on punts after the deposit": "Revenue and total Deposit and revenue less total Deposit, where Punt",
		"balance outstanding by boat":                    "Revenue and total Deposit and revenue less total Deposit by Boat, highest first by revenue less total Deposit",
	} {
		reads(t, boats(), question, want)
	}
	if got, err := ask(t, "how much is left to pay after the deposit", garage()); err == nil {
		t.Errorf("a deposit that is no column was read as %s", plan.Sentence(got.Plan, got.Source))
	}
}

// films is a table that is no shop's, with years as text and two columns of money.
func films() schema.Source {
	year := text("Release Year", schema.None, "1996", "1997", "2001", "2009")
	return schema.Source{
		ID: "ds_films", Name: "films", Kind: schema.Other, From: "rows", Rows: 300,
		Columns: []schema.Column{text("Film", schema.Product, "Dusk", "Up"), year, text("Studio", schema.None, "Acme", "Zenith"), number("World Gross", schema.None, schema.Plain), number("Length", schema.None, schema.Plain)},
	}
}

// TestYearsAndEarnings restricts rows by a column of years, and adds up what was earned by the
// heading that says so.
func TestYearsAndEarnings(t *testing.T) {
	for question, want := range map[string]string{
		"world gross by studio":                       "Total World Gross by Studio, highest first",
		"how much money did each studio make":         "Total World Gross by Studio, highest first",
		"earnings by studio, 1996 to 1997":            "Total World Gross by Studio, where 1996 or 1997, highest first",
		"average length from 2000 to 2009":            "Average Length, where 2001 or 2009",
		"total and average length by studio":          "Total Length and average Length by Studio, highest first",
		"list the unique studios":                     "Rows by Studio, highest first",
		"average world gross in each distinct studio": "Average World Gross by Studio, highest first",
	} {
		reads(t, films(), question, want)
	}
	choir := schema.Source{ID: "ds_choir", Name: "choir", Kind: schema.Other, From: "rows", Rows: 200, Columns: []schema.Column{
		text("Singer", schema.Customer, "Ann Lee", "Bob Ray"), text("Section", schema.None, "Alto", "Bass"), number("Subs", schema.None, schema.Money),
		number("Paid", schema.None, schema.Money), number("Balance", schema.Owed, schema.Money),
	}}
	reads(t, choir, "income by section", "Total Paid by Section, highest first")
	reads(t, choir, "which section brings in the most money", "Total Paid by Section, highest first, at most 1")
}

// TestCallOutsAreANoun reads call outs as what they are, and leaves none out.
func TestCallOutsAreANoun(t *testing.T) {
	jobs := schema.Source{
		ID: "ds_jobs", Name: "jobs", Kind: schema.Sales, From: "rows", Rows: 300, First: "2025-01-03", Last: "2025-08-30",
		Columns: []schema.Column{
			{Heading: "Date", Name: "c", Type: schema.Date, Role: schema.Day, Distinct: 180}, text("Invoice No", schema.Order),
			{Heading: "Night call out", Name: "n", Type: schema.Truth, Distinct: 2}, number("Total", schema.Revenue, schema.Money),
		},
	}
	reads(t, jobs, "how many night call outs each month", "Orders by Date (month), where Night call out, in order")
	reads(t, jobs, "revenue with night call outs left out", "Revenue, where not Night call out")
}
