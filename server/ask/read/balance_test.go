package read_test

import (
	"testing"

	"svc/server/schema"
)

// tills are what was counted up in a shop at the end of each day.
func tills() schema.Source {
	return schema.Source{
		ID: "ds_tills", Name: "cashup", Kind: schema.Sales, From: "rows", Rows: 200, First: "2024-04-01", Last: "2024-11-19",
		Columns: []schema.Column{
			day("Date", schema.Day), text("Counted by", schema.Staff, "Dot", "Ravi"), number("Wines Spirits", schema.None, schema.Money), number("Groceries", schema.None, schema.Money),
			number("Tobacco/Papers", schema.None, schema.Money), number("Total", schema.Revenue, schema.Money), number("Up/Down", schema.None, schema.Money),
		},
	}
}

// rooms are those of a landlord.
func rooms() schema.Source {
	return schema.Source{
		ID: "ds_rooms", Name: "rooms", Kind: schema.Other, From: "rows", Rows: 60,
		Columns: []schema.Column{
			text("Room #", schema.None, "R1", "R2"), text("Band", schema.None, "Small", "Large"), number("RATE / MO", schema.None, schema.Money), number("SQ FT", schema.None, schema.Plain),
			text("Status", schema.Status, "Let", "Vacant"), text("Plan Type", schema.None, "Gold", "Silver"), text("Heard via", schema.None, "Flyer", "Web"),
		},
	}
}

// corner is a shop whose sales say of which aisle they are, and for which country.
func corner() schema.Source {
	return schema.Source{
		ID: "ds_corner", Name: "corner", Kind: schema.Sales, From: "rows", Rows: 200, First: "2024-04-01", Last: "2024-11-19",
		Columns: []schema.Column{
			day("Date", schema.Day), text("Aisle", schema.Category, "Beer", "Wine", "Bread", "Cheese"), number("Total", schema.Revenue, schema.Money), text("Ship to", schema.None, "Poland", "Netherlands", "UK"),
		},
	}
}

// Words of shop owners mean what a table of theirs calls otherwise.
func TestShopOwnersWords(t *testing.T) {
	for _, row := range []struct {
		source         schema.Source
		question, want string
	}{
		{tills(), "how often was the till down by more than a fiver", "Sales, where Up/Down below -5"},
		{tills(), "how many times was our till up", "Sales, where Up/Down above 0"},
		{tills(), "how much is the till short", "Total Up/Down"},
		{tills(), "what does ravi's till come to", "Revenue, where Ravi"},
		{tills(), "days on which the till took over 500", "Revenue by Date (day), with revenue above 500, in order"},
		{tills(), "takings till the end of may", "Revenue, 2024-04-01 to 2024-05-31"},
		{tills(), "booze by month", "Total Wines Spirits by Date (month), in order"},
		{tills(), "what did we take on cigs", "Total Tobacco/Papers"},
		{tills(), "takings from the polish", ""},
		{tills(), "how much food did we sell", ""},
		{tills(), "how much gin did we sell", ""},
		{tills(), "was the till up by 10%", ""},
		{corner(), "booze by month", "Revenue by Date (month), where Beer or Wine, in order"},
		{corner(), "how much fruit did we sell", ""},
		{corner(), "takings from dutch people", "Revenue, where Netherlands"},
		{corner(), "takings from the swedes", ""},
		{corner(), "takings by nationality", "Revenue by Ship to, highest first"},
		{rooms(), "average rate by band", "Average RATE / MO by Band, highest first"},
		{rooms(), "average monthly rent", "Average RATE / MO"},
		{rooms(), "average square footage", "Average SQ FT"},
		{rooms(), "how many rooms are sitting empty", "Rows, where Vacant"},
		{rooms(), "rooms by channel", "Rows by Heard via, highest first"},
		{rooms(), "how many rooms by altitude", ""},
	} {
		if row.want != "" {
			reads(t, row.source, row.question, row.want)
		} else if got, err := ask(t, row.question, row.source); err == nil {
			t.Errorf("%q: %v", row.question, got.Plan)
		}
	}
}
