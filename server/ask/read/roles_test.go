package read_test

import (
	"testing"

	"svc/server/schema"
)

// clocks are those that a dealer buys and sells one by one, some for their owners.
func clocks() schema.Source {
	no, sold, paid, got := text("No", schema.SKU), day("Out", schema.Day), number("Paid", schema.Cost, schema.Money), number("Sold For", schema.Revenue, schema.Money)
	no.Distinct, sold.Blank, paid.Blank, got.Blank = 240, 70, 60, 70
	return schema.Source{
		ID: "ds_clocks", Name: "clocks", Kind: schema.Sales, From: "rows", Rows: 240, First: "2024-01-05", Last: "2024-12-17",
		Columns: []schema.Column{
			no, text("Clock", schema.Product, "Oak mantel", "Brass carriage"), text("Where From", schema.Supplier, "Fair", "Auction"), day("In", schema.None), sold, paid, number("Ticket", schema.Price, schema.Money), got,
		},
	}
}

// lodge is a guest house whose bookings come through several sites.
func lodge() schema.Source {
	tried := text("Survey", schema.None, "Pass", "Fail")
	tried.Blank = 200
	return schema.Source{
		ID: "ds_lodge", Name: "lodge", Kind: schema.Sales, From: "rows", Rows: 240, First: "2024-01-05", Last: "2024-12-17",
		Columns: []schema.Column{
			text("Ref", schema.Order), day("Arrive", schema.Day), text("Guest", schema.Customer, "Ann Lee", "Bob Ray"), text("Source", schema.Channel, "Airbnb", "Expedia", "Phone"), number("Total", schema.Revenue, schema.Money), tried,
		},
	}
}

// TestColumnsOfRoles asks for what columns hold by words for their roles that are not in their headings.
func TestColumnsOfRoles(t *testing.T) {
	gym, pets, bikes := climbers(), shelf(), lodge()
	gym.Columns = append(gym.Columns[:7:7], number("Visits 30d", schema.None, schema.Plain), text("Referral", schema.Channel, "Google", "Friend"), day("Last Visit", schema.None))
	choir := climbers()
	choir.Columns = append(choir.Columns[:4:4], choir.Columns[5:]...)
	absent := lodge()
	absent.Columns = append(absent.Columns, schema.Column{Heading: "Marked as No-Show", Name: "c", Type: schema.Truth, Distinct: 2})
	pets.Columns[5].Values = []string{"current", "disc"}
	for question, c := range map[string]struct {
		source schema.Source
		want   string
	}{
		"how many clocks are for sale":        {clocks(), "Rows, where blank Out"},
		"dearest clocks for sale":             {clocks(), "Average Ticket by Clock, where blank Out, highest first, at most 10"},
		"where do we make the most profit":    {clocks(), "Profit by Where From, highest first, at most 1"},
		"which sites bring in the most":       {bikes, "Revenue by Source, highest first, at most 10"},
		"pass rate":                           {bikes, "Orders, the share of Pass"},
		"total visits in the last 30 days":    {gym, "Total Visits 30d"},
		"how many came to us through google":  {gym, "Rows, where Google"},
		"how much discontinued stock is left": {pets, "Stock, where disc"},
		"churn rate":                          {choir, "Rows, the share of Cancelled"},
		"how many have left":                  {choir, "Rows, where Cancelled"},
		"how many no shows":                   {absent, "Orders, where Marked as No-Show"},
	} {
		reads(t, c.source, question, c.want)
	}
	for question, source := range map[string]schema.Source{"total visits in the last 7 days": gym, "how many left in june": choir} {
		if got, err := ask(t, question, source); err == nil {
			t.Errorf("%q: got %+v", question, got.Plan)
		}
	}
}
