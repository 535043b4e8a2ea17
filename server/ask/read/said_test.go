package read_test

import (
	"testing"

	"svc/server/schema"
)

// jams are the orders of a preserves maker, who sells to shops and at markets.
func jams() schema.Source {
	return schema.Source{
		ID: "ds_jams", Name: "jams", Kind: schema.Sales, From: "rows", Rows: 900, First: "2024-02-01", Last: "2024-12-18",
		Columns: []schema.Column{
			day("Sent", schema.Day), text("Order", schema.Order), text("Line", schema.Product, "Christmas Chutney", "Quince Jelly", "Hot Cross Curd", "Onion Chutney"), text("Jar", schema.None, "250g", "1kg"),
			number("Qty", schema.Quantity, schema.Count), number("Takings", schema.Revenue, schema.Money), text("Sold To", schema.Segment, "Wholesale", "Retail"), text("Pitch", schema.Store, "Bath", "Wells"),
			text("Buyer sex", schema.None, "M", "F"), text("Card Brand", schema.None, "Visa", "American Express"), text("Stage", schema.None, "Frozen", "On hold", "Sent"),
		},
	}
}

// TestWordsAsPeopleWriteThem reads contractions, marks, and other names of values.
func TestWordsAsPeopleWriteThem(t *testing.T) {
	for question, want := range map[string]string{
		"what'd we take in may":                        "Revenue and units sold, 2024-05-01 to 2024-05-31",
		"how'd may do against april":                   "Revenue, 2024-05-01 to 2024-05-31, compared with 2024-04-01 to 2024-04-30",
		"takings thru may":                             "Revenue and units sold, 2024-05-01 to 2024-05-31",
		"best month takings wise":                      "Revenue by Sent (month), highest first, at most 1",
		"best month moneywise":                         "Revenue by Sent (month), highest first, at most 1",
		"takings by pitch, to be honest":               "Revenue by Pitch, highest first",
		"takings of the xmas chutney":                  "Revenue and units sold, where Christmas Chutney",
		"units of hot x curd":                          "Units sold, where Hot Cross Curd",
		"trade takings in may":                         "Revenue and units sold, where Wholesale, 2024-05-01 to 2024-05-31",
		"blokes v women by takings":                    "Revenue by Buyer sex, where M or F, highest first",
		"how many kilo tubs sold in may":               "Units sold, where 1kg, 2024-05-01 to 2024-05-31",
		"takings on amex":                              "Revenue and units sold, where American Express",
		"how many orders are on pause":                 "Orders, where On hold",
		"units of xmas chutney on weds":                "Units sold, where Christmas Chutney and Wednesday",
		"takings this month v same bit of november":    "Revenue, 2024-12-01 to 2024-12-18, compared with 2024-11-01 to 2024-11-18",
		"which spot takes the most":                    "Revenue and units sold by Pitch, highest first, at most 1",
		"remind me of the takings in may":              "Revenue and units sold, 2024-05-01 to 2024-05-31",
		"how much of our footfall came thru in may":    "",
		"what's o/s":                                   "",
		"how many pallets went out of the door in may": "",
	} {
		if want != "" {
			reads(t, jams(), question, want)
		} else if got, err := ask(t, question, jams()); err == nil {
			t.Errorf("%q: %v", question, got.Plan)
		}
	}
}

// pool is a list of the members of a pool, with kinds of passes of which one column has finer ones.
func pool() schema.Source {
	return schema.Source{
		ID: "ds_pool", Name: "swimmers", Kind: schema.Customers, From: "rows", Rows: 300, First: "2024-02-01", Last: "2024-12-18",
		Columns: []schema.Column{
			text("Swimmer", schema.Customer), day("Since", schema.Day), text("Plan", schema.None, "Lane Pass 5", "Lane Pass 10", "Family Open", "Senior Pass Lane", "Club"),
			text("Kind", schema.None, "Membership", "Lane Pass", "Trial"), text("Billed", schema.None, "Monthly", "Annual"), text("Heard via", schema.None, "LanePass", "Friend"),
		},
	}
}

// A shop's own word for a value is what it is, and no other name of another one.
func TestOwnWordsOfValues(t *testing.T) {
	for question, want := range map[string]string{
		"how many passes against memberships":  "Rows by Kind, where Lane Pass or Membership, highest first",
		"which lane pass is the least popular": "Rows by Plan, where Lane Pass, lowest first, at most 10",
		"least popular lane pass":              "Rows by Plan, where Lane Pass, lowest first, at most 10",
		"new starts by month":                  "New customers by Since (month), in order",
		"how many annual members do we have":   "Rows, where Annual and Membership",
		"how many monthly memberships":         "Rows, where Monthly and Membership",
	} {
		reads(t, pool(), question, want)
	}
	for question, want := range map[string]string{
		"units of onion and christmas chutney":     "Units sold by Line, where Onion Chutney or Christmas Chutney, highest first",
		"quince jelly out in may":                  "Revenue and units sold, where Quince Jelly, 2024-05-01 to 2024-05-31",
		"takings of quince jelly, retail left out": "Revenue and units sold, where Quince Jelly and not Retail",
		"takings b4 may w/o quince jelly":          "Revenue and units sold, where not Quince Jelly, 2024-02-01 to 2024-04-30",
	} {
		reads(t, jams(), question, want)
	}
}

// Credits are refunds, unless they are goods.
func TestCredits(t *testing.T) {
	s := jams()
	s.Reversals = []schema.Reversal{{Kind: schema.CancelledSale, Column: "Stage", Values: []string{"On hold"}, Rows: 9}}
	if got, err := ask(t, "how many credits did we sell in may", s); err == nil {
		t.Errorf("credits of no goods: %v", got.Plan)
	}
	s.Columns[2] = text("Line", schema.Product, "10 Tasting Credits", "Quince Jelly")
	reads(t, s, "how many credits did we sell in may", "Units sold, where 10 Tasting Credits, 2024-05-01 to 2024-05-31")
}

// deli sells cheese and what goes with it.
func deli() schema.Source {
	return schema.Source{
		ID: "ds_deli", Name: "lines", Kind: schema.Sales, From: "rows", Rows: 700, First: "2024-02-01", Last: "2024-12-18",
		Columns: []schema.Column{
			day("Date", schema.Day), text("Item", schema.Product, "Cheddar Mature", "Brie de Meaux", "Manchego", "Cheese Knife", "Slate Cheese Board", "Fig Tin", "Plain Tin"), text("Wrap size", schema.None, "250g", "1kg"),
			number("Qty", schema.Quantity, schema.Count), number("Takings", schema.Revenue, schema.Money),
		},
	}
}

// A word for most of the goods is no tool for them that has it in its name.
func TestWordForMostGoods(t *testing.T) {
	for question, want := range map[string]string{
		"best selling cheese":      "Revenue and units sold by Item, where Cheddar Mature or Brie de Meaux or Manchego, highest first",
		"units of cheese in may":   "Units sold, where Cheddar Mature or Brie de Meaux or Manchego, 2024-05-01 to 2024-05-31",
		"takings of cheese knives": "Revenue and units sold, where Cheese Knife",
		"how many tins in may":     "Units sold, where Fig Tin or Plain Tin, 2024-05-01 to 2024-05-31",
		"takings of knives":        "Revenue and units sold, where Cheese Knife",
		"1kg v 250g":               "Revenue by Wrap size, where 1kg or 250g, highest first",
	} {
		reads(t, deli(), question, want)
	}
}

// TestRankedKinds ranks those who are of a kind by its noun: customers by their segment, places by their channel.
func TestRankedKinds(t *testing.T) {
	source := jams()
	source.Columns = append(source.Columns, text("Stockist", schema.Customer, "Bell Deli", "The Ship"))
	source.Columns[6] = text("Sold To", schema.Segment, "Pub", "Deli")
	quoted := number("Quote", schema.None, schema.Money)
	source.Columns = append(source.Columns, quoted)
	for question, want := range map[string]string{
		"top 3 pubs":                          "Revenue by Stockist, where Pub, highest first, at most 3",
		"worst deli in may":                   "Revenue by Stockist, where Deli, 2024-05-01 to 2024-05-31, lowest first, at most 1",
		"how many orders went over the quote": "Number of groups by Order, where Takings above Quote",
		"how many orders came in under quote": "Number of groups by Order, where Takings below Quote",
	} {
		reads(t, source, question, want)
	}
	pieces := schema.Source{
		ID: "ds_pots", Name: "pots", Kind: schema.Sales, From: "rows", Rows: 400, First: "2024-02-01", Last: "2024-12-18",
		Columns: []schema.Column{day("Date", schema.Day), text("Pot", schema.Product, "Jug", "Bowl"), number("Label", schema.Price, schema.Money), number("Fetched", schema.Revenue, schema.Money)},
	}
	for question, want := range map[string]string{
		"how many pieces went for over 50": "Units sold, where Label above 50",
		"how much did i knock off in may":  "Discounts, 2024-05-01 to 2024-05-31",
	} {
		reads(t, pieces, question, want)
	}
}
