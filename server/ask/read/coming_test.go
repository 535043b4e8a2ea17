package read_test

import (
	"testing"

	"svc/server/ask/read"
	"svc/server/schema"
)

// cattery is a list of stays of cats up to the end of February, asked about in December.
func cattery() schema.Source {
	deposit := number("Deposit", schema.None, schema.Money)
	deposit.Blank = 40
	ref := text("Ref", schema.Order)
	ref.Distinct = 400
	vaccine := day("Vaccine due", schema.None)
	vaccine.Blank = 20
	return schema.Source{
		ID: "ds_cattery", Name: "cattery", Kind: schema.Sales, From: "rows", Rows: 400, First: "2024-01-03", Last: "2025-02-27",
		Columns: []schema.Column{
			ref, day("Booked", schema.None), text("Owner", schema.Customer, "Ann Lee", "Bob Ray"), text("Run", schema.Product, "Large run", "Small run"),
			day("Arrives", schema.Day), number("Nights", schema.None, schema.Plain), number("Price", schema.Revenue, schema.Money), deposit, vaccine,
			text("Status", schema.Status, "Confirmed", "Checked out", "Cancelled"),
		},
		Reversals: []schema.Reversal{{Kind: schema.CancelledSale, Column: "Status", Values: []string{"Cancelled"}, Rows: 20}},
	}
}

// TestDaysToCome asks a list that has rows of days to come for these, and never for what nobody has arranged yet.
func TestDaysToCome(t *testing.T) {
	for question, want := range map[string]string{
		"who's checking in tomorrow":               "Revenue by Owner, 2024-12-20 to 2024-12-20, highest first",
		"how many stays are booked in next month":  "Orders, 2025-01-01 to 2025-01-31",
		"upcoming stays with no deposit":           "List of rows with Ref, Run, Arrives, Status, Deposit, Booked, Owner, Nights, Price, Vaccine due, where not Cancelled and blank Deposit, 2024-12-19 to 2025-02-27",
		"deposits on bookings coming up":           "Total Deposit, 2024-12-19 to 2025-02-27",
		"how many arrivals do we expect next week": "Orders, 2024-12-23 to 2024-12-29",
		"who has a vaccine coming up":              "Revenue by Owner, where Vaccine due from 2024-12-19, highest first",
		"next month's vaccines":                    "Revenue and units sold, where Vaccine due from 2025-01-01 and Vaccine due until 2025-01-31",
	} {
		reads(t, cattery(), question, want)
	}
	for question, want := range map[string]string{
		"when is ann lee's vaccine due":     "Last day, where Ann Lee",
		"when did bob ray book":             "Last day, where Bob Ray",
		"who is new since november":         "New customers by Owner, 2024-11-01 to 2024-12-19, highest first",
		"new large run customers this year": "New customers, where Large run, 2024-01-01 to 2024-12-31",
		"how many new starters in may":      "New customers, 2024-05-01 to 2024-05-31",
	} {
		reads(t, cattery(), question, want)
	}
	for _, question := range []string{"what revenue do we expect next month", "forecast for january"} {
		if got, err := ask(t, question, cattery()); err == nil {
			t.Errorf("%q was read as %v", question, got.Plan)
		} else if got := err.(*read.Refusal); got.Reason != read.Forecast {
			t.Errorf("%q is refused as %s", question, got.Reason)
		}
	}
}
