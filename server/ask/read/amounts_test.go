package read_test

import (
	"testing"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// nightly are the totals of a theatre's nights, an amount of money a column.
func nightly() schema.Source {
	people := number("Audience", schema.None, schema.Plain)
	people.Distinct = 90
	spoilt := number("Spoilage", schema.None, schema.Money)
	spoilt.Blank = 12
	return schema.Source{
		ID: "ds_nightly", Name: "nightly", Kind: schema.Sales, From: "rows", Rows: 180, First: "2025-01-03", Last: "2025-12-20",
		Columns: []schema.Column{
			day("Date", schema.Day), text("Show", schema.None, "Macbeth", "Carmen"), people, number("Bar", schema.None, schema.Money), number("Ice Cream", schema.None, schema.Money),
			number("Total", schema.Revenue, schema.Money), spoilt, number("Ushers", schema.None, schema.Money),
		},
	}
}

func TestShareOfAmounts(t *testing.T) {
	for question, want := range map[string]string{
		"what share of takings is the bar":                      "Total Bar and revenue and total Bar in % of revenue",
		"how much of our takings comes from ice cream":          "Total Ice Cream and revenue and total Ice Cream in % of revenue",
		"what percentage of total sales goes on ushers":         "Total Ushers and revenue and total Ushers in % of revenue",
		"what percentage of takings does the ice cream make up": "Total Ice Cream and revenue and total Ice Cream in % of revenue",
		"bar as a share of takings":                             "Total Bar and revenue and total Bar in % of revenue",
	} {
		reads(t, nightly(), question, want)
	}
	if got, err := ask(t, "what percentage of takings comes from programmes", nightly()); err == nil {
		t.Errorf("programmes, which are no column, were read as %s", plan.Sentence(got.Plan, got.Source))
	}
}

func TestBoundsOfVerbs(t *testing.T) {
	for question, want := range map[string]string{
		"list the days when spoilage went over £40":     "Total Spoilage by Date (day), with total Spoilage above 40, in order",
		"on how many days did spoilage come to over 40": "Number of groups by Date (day), with total Spoilage above 40",
	} {
		reads(t, nightly(), question, want)
	}
	for question, want := range map[string]string{
		"how many hires had more than 20% off": "Orders, where Disc % above 20",
		"hires with at least 10% off":          "Orders, where Disc % at least 10",
	} {
		reads(t, boats(), question, want)
	}
	for _, question := range []string{"what time of day are we busiest", "days when heating went over £40"} {
		if got, err := ask(t, question, nightly()); err == nil {
			t.Errorf("%q was read as %s", question, plan.Sentence(got.Plan, got.Source))
		}
	}
}

func TestPartsOfUnits(t *testing.T) {
	for question, want := range map[string]string{
		"appointments longer than an hour and a half":               "Orders, where Duration mins above 90",
		"how many appointments took over three quarters of an hour": "Number of groups by Booking ref, where Duration mins above 45",
		"appointments of half an hour":                              "Orders, where Duration mins 30",
		"how many appointments were under two and a half hours":     "Number of groups by Booking ref, where Duration mins below 150",
		"appointments longer than an hour":                          "Orders, where Duration mins above 60",
		"takings since the start of the year":                       "Revenue and units sold, 2024-01-01 to 2024-11-16",
	} {
		reads(t, appointments(), question, want)
	}
}

// visitsOf is a list of bookings of which some were cancelled and to some of which nobody came.
func visitsOf() schema.Source {
	s := appointments()
	s.Columns = append(s.Columns, text("Status", schema.Status, "Done", "Cancelled", "Did not attend"))
	s.Reversals = []schema.Reversal{
		{Kind: schema.CancelledSale, Column: "Status", Values: []string{"Cancelled"}, Counts: []int64{20}, Rows: 20},
		{Kind: schema.MissedSale, Column: "Status", Values: []string{"Did not attend"}, Counts: []int64{9}, Rows: 9},
	}
	return s
}

func TestMissedBookings(t *testing.T) {
	for question, want := range map[string]string{
		"how many no shows did we have":                                "Orders, where Did not attend",
		"how many clients didn't turn up":                              "Customers, where Did not attend",
		"what did we lose to cancellations and no shows by therapist":  "Revenue by Therapist, where Cancelled or Did not attend, highest first",
		"how many appointments were lost to cancellations or no-shows": "Orders, where Cancelled or Did not attend",
		"how many appointments were cancelled":                         "Cancelled orders",
	} {
		reads(t, visitsOf(), question, want)
	}
	if got, err := ask(t, "how many no shows did we have", appointments()); err == nil {
		t.Errorf("no-shows, which nothing tells, were read as %s", plan.Sentence(got.Plan, got.Source))
	}
}

// TestNounsAfterWhich refuses a thing by name that a verb or an adjective is spelled like.
func TestNounsAfterWhich(t *testing.T) {
	for _, question := range []string{"which lash colour is the most popular", "which polish sells best", "how did our clients hear about us"} {
		if got, err := ask(t, question, appointments()); err == nil {
			t.Errorf("%q was read as %s", question, plan.Sentence(got.Plan, got.Source))
		}
	}
	s := appointments()
	s.Columns = append(s.Columns, schema.Column{Heading: "Rebooked", Name: "c", Type: schema.Truth})
	reads(t, s, "which therapist has the best rebooked rate", "Orders for Rebooked and orders and share of orders for Rebooked by Therapist, highest first by share of orders for Rebooked, at most 1")
	remarks := text("Notes", schema.None, "Coach party", "Rain - coach party early", "Late start")
	remarks.Blank = 170
	s = nightly()
	s.Columns = append(s.Columns, remarks)
	reads(t, s, "takings on days with a coach party", "Revenue by Date (day), where Notes with coach party, in order")
}

// TestCountsOfBuyers counts who bought, and not what: a column of buyers has no role here.
func TestCountsOfBuyers(t *testing.T) {
	s := pitches()
	s.Columns = append(s.Columns, text("Trader", schema.None, "Hale", "Moss"))
	for question, want := range map[string]string{
		"how many traders bought from us in may": "Different Trader, 2024-05-01 to 2024-05-31",
		"how many lines do we sell":              "Different Line",
	} {
		reads(t, s, question, want)
	}
}
