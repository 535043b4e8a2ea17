package read_test

import (
	"testing"

	"svc/server/schema"
)

// ferries are the crossings of a ferry, of which each row is a ticket with a number of its own.
func ferries() schema.Source {
	ticket := text("Ticket No", schema.Order)
	ticket.Distinct = 700
	return schema.Source{
		ID: "ds_ferries", Name: "ferries", Kind: schema.Sales, From: "rows", Rows: 700, First: "2024-01-02", Last: "2024-12-18",
		Columns: []schema.Column{
			ticket, {Heading: "Sailed", Name: "c", Type: schema.Date, Role: schema.Day}, text("Passenger", schema.Customer, "Ann Lee", "Bob Ray"),
			text("Crossing", schema.Product, "Harbour Loop", "Island Hop"), text("Occasion", schema.None, "Wedding", "School trip"), text("Skipper", schema.Staff, "Dev", "Karen"),
			{Heading: "Berth", Name: "c", Type: schema.Number, Distinct: 12}, number("Fare £", schema.Revenue, schema.Money), number("Tip £", schema.None, schema.Money),
			number("Luggage kg", schema.None, schema.Plain), number("Wasted Meals", schema.None, schema.Count),
		},
	}
}

// TestOfRankedRow asks what a row is that is first in an order, and for more of that row.
func TestOfRankedRow(t *testing.T) {
	for _, row := range []struct{ question, by, asked string }{
		{"biggest tip and who left it", "Tip £", "Passenger"},
		{"dearest ticket ever, and who was the skipper?", "Fare £", "Skipper"},
		{"smallest fare we took and when was it", "Fare £", "Sailed"},
		{"3 biggest tips and what was the occasion", "Tip £", "Occasion"},
		{"the single biggest ticket and which crossing was it", "Fare £", "Crossing"},
		{"heaviest ticket and who was it", "Luggage kg", "Passenger"},
	} {
		got, err := ask(t, row.question, ferries())
		if err != nil || got.Plan.List == nil || got.Plan.List.By != row.by || got.Asked != row.asked || got.Certain || got.Next != nil {
			t.Errorf("%q: by %+v, asks for %q, %v", row.question, got.Plan, got.Asked, err)
		}
	}
	for _, question := range []string{
		"biggest tip and what was the lighthouse", "takings in june and who was it", "which skipper sold most and what was the occasion", "biggest fare and who has the highest tip",
	} {
		if got, err := ask(t, question, ferries()); err == nil && got.Asked != "" {
			t.Errorf("%q asks for %q of %+v", question, got.Asked, got.Plan)
		}
	}
}

// TestWhatIsRanked asks for superlatives that do not name what is ranked, or by what.
func TestWhatIsRanked(t *testing.T) {
	for question, want := range map[string]string{
		"5 biggest tips":                       "List of rows with Ticket No, Crossing, Sailed, Tip £, Passenger, Occasion, Skipper, Berth, Fare £, Luggage kg, highest Tip £ first, at most 5",
		"lowest and highest tip":               "Lowest Tip £ and highest Tip £",
		"fattest tip":                          "Highest Tip £",
		"biggest single tip":                   "Highest Tip £",
		"our two worst earning berths":         "Revenue by Berth, lowest first, at most 2",
		"which skipper is used the least":      "Orders by Skipper, lowest first, at most 1",
		"which crossing do we do the least of": "Orders by Crossing, lowest first, at most 1",
		"worst 2 sellers":                      "Revenue and units sold by Crossing, lowest first, at most 2",
		"worst skipper for wasted meals":       "Total Wasted Meals by Skipper, highest first, at most 1",
		"what day did we take the most":        "Revenue and units sold by Sailed (day), highest first, at most 1",
		"what day do we take the most":         "Revenue and units sold by Sailed (weekday), highest first, at most 1",
		"what has cost us the most in tips":    "Total Tip £ by Crossing, highest first, at most 1",
	} {
		reads(t, ferries(), question, want)
	}
	for _, question := range []string{"windiest crossing", "dearest takings by skipper per lighthouse", "tallest ticket"} {
		if got, err := ask(t, question, ferries()); err == nil {
			t.Errorf("%q: read as %+v", question, got.Plan)
		}
	}
}
