package read_test

import (
	"testing"

	"svc/server/schema"
)

// plants are the sales of a nursery, of which some are thrown away.
func plants() schema.Source {
	return schema.Source{
		ID: "ds_plants", Name: "plants", Kind: schema.Sales, From: "rows", Rows: 900, First: "2024-02-01", Last: "2024-12-18",
		Columns: []schema.Column{
			day("Sold", schema.Day), text("Ticket", schema.Order), text("Plant", schema.Product, "Climbing Rose", "Cut Holly", "Compost Bin"), text("Bed", schema.Category, "Shrubs", "Sundries"),
			number("Qty", schema.Quantity, schema.Count), number("Takings", schema.Revenue, schema.Money), number("Scrapped Units", schema.None, schema.Count), number("Wastage Units", schema.None, schema.Count),
			text("Clerk", schema.Staff, "Moira", "Tam"), text("Stage", schema.None, "Completed", "Awaiting"),
		},
	}
}

// cellar is the stock of a wine merchant, with headings cut short.
func cellar() schema.Source {
	return schema.Source{
		ID: "ds_cellar", Name: "cellar", Kind: schema.Stocklist, From: "rows", Rows: 60,
		Columns: []schema.Column{
			text("Wine", schema.Product, "Chablis", "Rioja"), text("Shipper", schema.Supplier, "Bodega Imports", "Rhine & Sons"), number("On hand", schema.Stock, schema.Count),
			{Heading: "Disc?", Name: "c", Type: schema.Truth, Distinct: 2}, number("Lead time (days)", schema.LeadTime, schema.Plain), number("ltv_gbp", schema.None, schema.Plain),
		},
	}
}

// Words of change compare two periods only as the predicate or the noun that is asked for.
func TestWordsOfChange(t *testing.T) {
	for question, want := range map[string]string{
		"what did roses bring in":              "Revenue and units sold, where Climbing Rose",
		"takings of roses by month":            "Revenue by Sold (month), where Climbing Rose, in order",
		"takings of rose plants by clerk":      "Revenue by Clerk, where Climbing Rose, highest first",
		"takings of what went ahead":           "Revenue and units sold, where Completed",
		"takings moira rang up":                "Revenue and units sold, where Moira",
		"takings that tam wrote down by bed":   "Revenue by Bed, where Tam, highest first",
		"did takings of roses rise":            "Revenue, where Climbing Rose, 2024-11-01 to 2024-11-30, compared with 2024-10-01 to 2024-10-31",
		"are takings ahead of november":        "Revenue, 2024-12-01 to 2024-12-18, compared with 2024-11-01 to 2024-11-18",
		"how far are takings up on last month": "Revenue, 2024-12-01 to 2024-12-18, compared with 2024-11-01 to 2024-11-18",
	} {
		reads(t, plants(), question, want)
	}
}

// A topic that data of shops mostly lack is answered where a heading or its abbreviation has it.
func TestTopicsOfHeadings(t *testing.T) {
	for question, want := range map[string]string{
		"total wastage by bed":                            "Total Wastage Units by Bed, highest first",
		"how much did we throw away in may":               "Total Wastage Units, 2024-05-01 to 2024-05-31",
		"which plants do we bin most":                     "Total Wastage Units by Plant, highest first, at most 10",
		"what do we bin the most of":                      "Total Wastage Units by Plant, highest first, at most 1",
		"how many holly have gone out of the door in may": "Units sold, where Cut Holly, 2024-05-01 to 2024-05-31",
		"how much have we taken this season":              "Revenue and units sold",
		"how much have we recieved for roses":             "Revenue and units sold, where Climbing Rose",
		"were we busier in may than in april":             "Orders, 2024-05-01 to 2024-05-31, compared with 2024-04-01 to 2024-04-30",
	} {
		reads(t, plants(), question, want)
	}
	for question, want := range map[string]string{
		"stock of discontinued wines":                  "Stock, where Disc?",
		"what percentage of the wines is discontinued": "Different Wine, the share of Disc?",
		"how long does bodega imports take to deliver": "Average Lead time (days), where Bodega Imports",
		"average lifetime value by shipper":            "Average ltv_gbp by Shipper, highest first",
	} {
		reads(t, cellar(), question, want)
	}
}

// campers are the bookings of a site; vines is a stock list whose goods are bought from suppliers.
func campers() schema.Source {
	return schema.Source{
		ID: "ds_camp", Name: "camp", Kind: schema.Sales, From: "rows", Rows: 420, First: "2024-02-01", Last: "2024-12-18",
		Columns: []schema.Column{
			text("Booking", schema.Order), day("Arrives", schema.Day), text("Unit", schema.None, "Yurt", "Pod"), number("Nights", schema.None, schema.Count), number("Bill", schema.Revenue, schema.Money),
			number("Deposit", schema.None, schema.Money), number("Stars", schema.Rating, schema.Plain), text("Cust Type", schema.Segment, "Family", "Scouts"), text("Till No", schema.None, "1", "2"),
			text("Why they left", schema.None, "Too much rain", "Moved to another site", "Too loud", "Noise"), {Heading: "At", Name: "c", Type: schema.Time, Role: schema.DayTime},
		},
	}
}

func vines() schema.Source {
	s := cellar()
	s.Columns = append(s.Columns, number("Cost", schema.UnitCost, schema.Money), number("Price", schema.Price, schema.Money), text("Country", schema.Country, "France", "Spain"))
	return s
}

// Words of two senses mean what their place allows.
func TestWordsOfTwoSenses(t *testing.T) {
	for question, want := range map[string]string{
		"takings by till":                             "Revenue by Till No, highest first",
		"average length of stay in yurts":             "Average Nights, where Yurt",
		"what is left to pay after the deposit":       "Revenue and total Deposit and revenue less total Deposit",
		"bookings with 1 or 2 stars":                  "Orders, where Stars 1 or 2",
		"takings on 3 may versus the 2nd":             "Revenue, 2024-05-03 to 2024-05-03, compared with 2024-05-02 to 2024-05-02",
		"takings by customer type":                    "Revenue by Cust Type, highest first",
		"which units did we send rain covers to most": "",
		"how many yurts do we have":                   "",
		"how many yurts do we own":                    "",
		"how many hours did pods take":                "",
		"which customer spent most":                   "",
		"who is our best customer":                    "",
	} {
		if want != "" {
			reads(t, campers(), question, want)
		} else if got, err := ask(t, question, campers()); err == nil {
			t.Errorf("%q: %v", question, got.Plan)
		}
	}
	for question, want := range map[string]string{
		"how many shippers do we buy from":          "Different Shipper",
		"how many countries do we buy from":         "Different Country",
		"who do we buy rioja from":                  "Stock by Shipper, where Rioja, highest first",
		"which wines are priced below what we paid": "Average Price and average Cost by Wine, where Price below Cost, highest first",
		"stock of the wines that we still sell":     "Stock, where not Disc?",
		"average price of current wines":            "Average Price, where not Disc?",
		"how much did we buy from rhine & sons":     "",
	} {
		if want != "" {
			reads(t, vines(), question, want)
		} else if got, err := ask(t, question, vines()); err == nil {
			t.Errorf("%q: %v", question, got.Plan)
		}
	}
}

// What a question needs and the table lacks is refused, and not answered with something else.
func TestWordsThatTheTableLacks(t *testing.T) {
	for source, questions := range map[string][]string{
		"plants": {"which shipping line is the cheapest", "what is held up at customs", "main reason for our wastage", "what is our churn rate", "takings last season", "how many tickets dropped out", "how many plants grew tall",
			"how far ahead do people book", "how long do plants take to deliver", "how much have we recieved for tulips"},
		"cellar": {"total wastage", "which wines are vegan", "churn rate by shipper", "what did we throw away"},
	} {
		for _, question := range questions {
			s := map[string]schema.Source{"plants": plants(), "cellar": cellar()}[source]
			if got, err := ask(t, question, s); err == nil {
				t.Errorf("%q over %s: %v", question, source, got.Plan)
			}
		}
	}
}
