package read_test

import (
	"testing"

	"svc/server/schema"
)

// harbour is a log of boats of which some cells were not filled in.
func harbour() schema.Source {
	blank := func(c schema.Column) schema.Column {
		c.Blank = 20
		return c
	}
	ref := text("Ref", schema.Order)
	ref.Distinct = 400
	return schema.Source{
		ID: "ds_harbour", Name: "quay", Kind: schema.Sales, From: "rows", Rows: 400, First: "2024-01-02", Last: "2024-12-18",
		Columns: []schema.Column{
			ref, day("Arrived", schema.Day), text("Owner", schema.Customer, "Ann Lee", "Bob Ray"), text("Boat", schema.Product, "Ketch", "Sloop"),
			blank(text("Radio No", schema.None, "R11", "R12")), blank(text("Harbourmaster", schema.Staff, "Dot", "Len")), blank(text("Remarks", schema.None, "rope frayed", "late")),
			blank(day("Surveyed On", schema.None)), blank(number("Draught", schema.None, schema.Plain)), blank(number("Charge", schema.Revenue, schema.Money)), number("Nights", schema.Quantity, schema.Count),
		},
	}
}

// TestBlanks asks for rows of which a cell is blank, in the ways in which people say so. A word of
// negation must never be lost.
func TestBlanks(t *testing.T) {
	for question, want := range map[string]string{
		"how many bookings had no radio number on them":         "Orders, where blank Radio No",
		"how many bookings have a radio number":                 "Orders, where a Radio No",
		"how many bookings have no survey date yet":             "Orders, where blank Surveyed On",
		"how many bookings lack a survey date":                  "Orders, where blank Surveyed On",
		"how many bookings have the draught missing":            "Orders, where blank Draught",
		"how many bookings were never given a draught":          "Orders, where blank Draught",
		"how many bookings didn't we put a charge on":           "Orders, where blank Charge",
		"how many bookings have no remarks written down":        "Orders, where blank Remarks",
		"how many bookings dont we know the harbourmaster of":   "Orders, where blank Harbourmaster",
		"how many bookings have nothing under harbourmaster":    "Orders, where blank Harbourmaster",
		"on how many bookings was nobody down as harbourmaster": "Orders, where blank Harbourmaster",
		"how many bookings have an unknown harbourmaster":       "Orders, where blank Harbourmaster",
		"how many bookings are still to be surveyed":            "Orders, where blank Surveyed On",
		"how many bookings carry no remarks":                    "Orders, where blank Remarks",
		"which boat forgets the radio number most":              "Orders by Boat, where blank Radio No, highest first, at most 1",
	} {
		reads(t, harbour(), question, want)
	}
	for _, question := range []string{"how many bookings were not arrived", "how many bookings did nobody wave at", "bookings not boarded, how many", "how many bookings are missing a tow"} {
		if got, err := ask(t, question, harbour()); err == nil {
			t.Errorf("%q: %+v, want a refusal", question, got.Plan)
		}
	}
}

// TestListedStates asks for the rows in a state, by name or number, and for people without such rows.
func TestListedStates(t *testing.T) {
	tours := harbour()
	tours.Columns = append(tours.Columns, text("Outcome", schema.Status, "Sailed", "Cancelled", "Weather cancel", "No show"))
	tours.Reversals = []schema.Reversal{{Kind: schema.CancelledSale, Column: "Outcome", Values: []string{"Cancelled", "Weather cancel"}, Rows: 40}}
	const columns = "List of rows with Ref, Boat, Arrived, Outcome, Owner, Radio No, Harbourmaster, Remarks, Surveyed On, Draught"
	for question, want := range map[string]string{
		"list the weather cancels in june":      columns + ", where Weather cancel, 2024-06-01 to 2024-06-30",
		"show me all the no shows":              columns + ", where No show",
		"names of the no shows":                 columns + ", where No show",
		"give me every no show in may":          columns + ", where No show, 2024-05-01 to 2024-05-31",
		"list the cancelled bookings":           columns + ", where Cancelled or Weather cancel",
		"which bookings were cancelled in june": columns + ", where Cancelled or Weather cancel, 2024-06-01 to 2024-06-30",
		"how many weather cancels in june":      "Orders, where Weather cancel, 2024-06-01 to 2024-06-30",
		"how many cancellations in june":        "Cancelled orders, 2024-06-01 to 2024-06-30",
		"show me the cancellations by boat":     "Cancelled orders by Boat, highest first",
		"which owners have never cancelled":     "Rows with Outcome Cancelled or Weather cancel by Owner, with rows with Outcome Cancelled or Weather cancel at most 0, in order",
		"which owners never left a remark":      "Rows with a Remarks by Owner, with rows with a Remarks at most 0, in order",
	} {
		reads(t, tours, question, want)
	}
	tours.Columns[0].Distinct = 200 // of an order are several rows
	reads(t, tours, "list the cancelled orders", "Revenue by Ref, where Cancelled or Weather cancel, highest first")
}
