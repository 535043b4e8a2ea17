package read_test

import (
	"testing"

	"svc/server/schema"
)

// lessons is a list of bookings, of which some were cancelled; one number tells each from the
// others.
func lessons(heading string) schema.Source {
	key := text(heading, schema.None)
	key.Distinct = 400
	return schema.Source{
		ID: "ds_lessons", Name: "diary", Kind: schema.Sales, From: "rows", Rows: 400, First: "2025-01-02", Last: "2025-06-28",
		Columns: []schema.Column{
			key, {Heading: "Date", Name: "c", Type: schema.Date, Role: schema.Day}, text("pupil", schema.None, "Ann Lee", "Bob Ray"), text("Instructor", schema.Staff, "Dev", "Karen"),
			text("STATUS", schema.Status, "Done", "Cancelled", "No show"), number("Price", schema.Revenue, schema.Money), number("Minutes", schema.None, schema.Plain),
		},
		Reversals: []schema.Reversal{{Kind: schema.CancelledSale, Column: "STATUS", Values: []string{"Cancelled"}, Rows: 50}},
	}
}

// TestCancelledBookingsAreCountedAndSaid asks for figures that two people would count apart.
func TestCancelledBookingsAreCountedAndSaid(t *testing.T) {
	for question, want := range map[string]struct{ counts, loose bool }{
		"how many lessons did karen do":   {counts: true, loose: true},
		"average minutes by instructor":   {counts: true, loose: true},
		"revenue by instructor":           {},
		"how many lessons were cancelled": {},
	} {
		got, err := ask(t, question, lessons("Lesson No"))
		if err != nil {
			t.Errorf("%s: %v", question, err)
			continue
		}
		if counts := got.Plan.CountsBookings(got.Source); counts != want.counts || got.Loose != want.loose {
			t.Errorf("%s: counts %v, loose %v", question, counts, got.Loose)
		}
	}
	if got, err := ask(t, "how many orders did karen do", lessons("Order No")); err != nil || got.Plan.CountsBookings(got.Source) {
		t.Errorf("cancelled orders count, or %v", err)
	}
}
