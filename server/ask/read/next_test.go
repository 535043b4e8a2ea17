package read_test

import (
	"testing"

	"svc/server/schema"
)

// walked are the clients of a dog walker, of whom some are booked again.
func walked() schema.Source {
	next := day("Next Walk", schema.None)
	next.Blank = 60
	owner := text("Owner", schema.Customer, "Ann Lee", "Bob Ray")
	owner.Distinct = 120
	pays := text("Pays by", schema.None, "DD", "S/O", "Cash")
	return schema.Source{
		ID: "ds_walks", Name: "walks", Kind: schema.Customers, From: "rows", Rows: 120,
		Columns: []schema.Column{
			owner, text("Breed", schema.None, "Shih Tzu", "Vizsla"), day("First Walk", schema.None), day("Last Visit", schema.None), next, pays,
			number("Visits", schema.None, schema.Plain), number("Spend to Date", schema.None, schema.Money), text("Walker", schema.Staff, "Kate Moon", "Dev Shah"),
		},
	}
}

// TestNextDays asks a list of people who comes next, who came first and when, and what a visit brings.
func TestNextDays(t *testing.T) {
	for question, want := range map[string]string{
		"whos in tomorrow":                                  "Rows by Owner, where Next Walk from 2024-12-20 and Next Walk until 2024-12-20, highest first",
		"how many are booked in":                            "Rows, where a Next Walk",
		"how many have nothing booked":                      "Rows, where blank Next Walk",
		"how many new clients in june":                      "Rows, where First Walk from 2024-06-01 and First Walk until 2024-06-30",
		"new clients by month":                              "Rows by First Walk (month), in order",
		"how many pay by standing order":                    "Rows, where S/O",
		"shih tzus v vizslas total spend to date":           "Total Spend to Date by Breed, where Shih Tzu or Vizsla, highest first",
		"who has spent over 300 and not been in since june": "Total Spend to Date by Owner, where Last Visit before 2024-06-01 or never, with total Spend to Date above 300, highest first",
		"how many does kate have":                           "Rows, where Kate Moon",
		"average spend a visit by walker":                   "Total Spend to Date and total Visits and total Spend to Date per total Visits by Walker, highest first by total Spend to Date per total Visits",
	} {
		reads(t, walked(), question, want)
	}
}

// TestWhenLast asks on which day something was last.
func TestWhenLast(t *testing.T) {
	for question, want := range map[string]string{
		"when was the last mot":               "Last day, where MOT",
		"last time we did an mot":             "Last day, where MOT",
		"when was the first time we did mot":  "First day, where MOT",
		"when did hill farm last pay us":      "Last day, where Hill Farm and a Paid on",
		"who havent we billed since june":     "Rows from 1 June 2024 to 3 November 2024 and last day by Customer, with rows from 1 June 2024 to 3 November 2024 at most 0, lowest first by last day",
		"mot v brakes what did each bring in": "Revenue by Job, where MOT or Brakes, highest first",
	} {
		reads(t, invoices(), question, want)
	}
}

// TestAllSold supposes that the whole stock of a list is sold, and asks for what was sold in the days of a column.
func TestAllSold(t *testing.T) {
	source := counter()
	source.Columns = append(source.Columns, day("Last sold", schema.None))
	for question, want := range map[string]string{
		"if we sold the lot what would we take":          "Stock value at selling prices",
		"if we sold everything what would the profit be": "Stock value at selling prices and stock value at cost and stock value at selling prices less stock value at cost",
	} {
		reads(t, source, question, want)
	}
	reads(t, source, "which 3 sold longest ago", "List of rows with Product, Last sold, Category, Supplier, Cost, RRP, In stock, lowest Last sold first, at most 3")
	sold := number("Sold last mth qty", schema.None, schema.Plain)
	source.Columns = append(source.Columns, sold)
	reads(t, source, "cheese v wine takings last month", "Revenue by Category, where Cheese or Wine, highest first")
}

// TestNumberWithoutNoun asks for so many of what only a superlative names, and for prices that are for a unit.
func TestNumberWithoutNoun(t *testing.T) {
	source := counter()
	source.Columns = append(source.Columns, text("Plan", schema.None, "Off-Peak Monthly", "Unlimited"))
	source.Columns[4].Heading, source.Columns[5].Heading = "Sell/kg", "Stock kg"
	for question, want := range map[string]string{
		"which 4 have the best margin":          "Margin by Product, highest first, at most 4",
		"4 lines with the worst margin":         "Margin by Product, lowest first, at most 4",
		"average price a kilo by supplier":      "Average Sell/kg and stock by Supplier, highest first",
		"how many off peak":                     "Stock, where Off-Peak Monthly",
		"off peak v unlimited how many on each": "Stock by Plan, where Off-Peak Monthly or Unlimited, highest first",
	} {
		reads(t, source, question, want)
	}
}
