package read_test

import (
	"testing"

	"svc/server/ask/read"
	"svc/server/schema"
)

// bar is the till of a theatre bar: its takings are in two columns, and a row is one session.
func bar() schema.Source {
	session, host := text("Session", schema.None, "Matinee", "Evening"), text("Host", schema.None, "Ines", "Paul")
	session.Distinct, host.Distinct = 2, 2
	wet, card, cash := number("Wet", schema.None, schema.Money), number("Card Taken", schema.None, schema.Money), number("Cash Taken", schema.None, schema.Money)
	wet.Scale, card.Scale, cash.Scale = 2, 2, 2
	return schema.Source{
		ID: "ds_bar", Name: "bar", Kind: schema.Sales, From: "rows", Rows: 300, First: "2024-01-03", Last: "2024-11-30",
		Columns: []schema.Column{
			day("Day", schema.Day), session, host, number("Guests", schema.Quantity, schema.Count), wet,
			card, cash, number("Tips", schema.None, schema.Money),
		},
	}
}

// TestPartOfTakings reads which of two amounts is the part, and what happens in a row.
func TestPartOfTakings(t *testing.T) {
	for question, want := range map[string]string{
		"what percentage of our takings is paid by card":                                          "Total Card Taken and revenue and total Card Taken in % of revenue",
		"what share of takings is cash":                                                           "Total Cash Taken and revenue and total Cash Taken in % of revenue",
		"how much of our sales comes from wet, as a %":                                            "Total Wet and revenue and total Wet in % of revenue",
		"cash taken as a share of takings":                                                        "Total Cash Taken and revenue and total Cash Taken in % of revenue",
		"how many different hosts have run a session":                                             "Different Host",
		"number of matinees we have opened for":                                                   "Sales, where Matinee",
		"what do our tips add up to since the start of this sheet":                                "Total Tips",
		"did we get more tips in the second quarter of 2024 than in the three months before that": "Total Tips, 2024-04-01 to 2024-06-30, compared with 2024-01-01 to 2024-03-31",
	} {
		reads(t, bar(), question, want)
	}
}

// alterations is the book of a tailor: jobs with the days on which they came and went, a state of the
// payment and a mark.
func alterations() schema.Source {
	out, paid := day("Date Out", schema.None), text("Pay Status", schema.Status, "Paid", "Owing", "Written off")
	out.Blank = 14
	return schema.Source{
		ID: "ds_tailor", Name: "tailor", Kind: schema.Sales, From: "rows", Rows: 300, First: "2024-01-03", Last: "2024-11-30",
		Columns: []schema.Column{
			text("Slip No", schema.Order, "S1", "S2"), day("Date In", schema.Day), out, text("Tailor", schema.Staff, "Ada", "Milo"),
			paid, number("Price", schema.Revenue, schema.Money), {Heading: "Guarantee", Name: "c", Type: schema.Truth, Distinct: 2},
		},
	}
}

// TestWorkInHand reads what is not finished, not paid and under a guarantee, and how long jobs take.
func TestWorkInHand(t *testing.T) {
	for question, want := range map[string]string{
		"how many jobs are not closed":           "Orders, where blank Date Out",
		"how many jobs are closed":               "Orders, where a Date Out",
		"how much are we owed":                   "Revenue, where Owing",
		"how much is owed by tailor":             "Revenue by Tailor, where Owing, highest first",
		"what share of jobs was under guarantee": "Orders, the share of Guarantee",
		"how many jobs were not under guarantee": "Orders, where not Guarantee",
		"how long does a job take on average":    "Average days from Date In to Date Out",
		"which tailor takes longest":             "Average days from Date In to Date Out by Tailor, highest first, at most 1",
		"jobs under £50":                         "Number of groups by Slip No, with revenue below 50",
	} {
		reads(t, alterations(), question, want)
	}
	for _, question := range []string{"how many days were we closed", "how many jobs were under budget", "how many jobs were under hem"} {
		if got, err := ask(t, question, alterations()); err == nil {
			t.Errorf("%q: %v, want a refusal", question, got.Plan)
		} else if _, ok := err.(*read.Refusal); !ok {
			t.Error(err)
		}
	}
}

// TestNounsOfAKind reads a noun beside a name of which the heading has a wider word, and says so.
func TestNounsOfAKind(t *testing.T) {
	source := alterations()
	source.Columns = append(source.Columns, text("Garment Fabric", schema.None, "Wool", "Silk"))
	for _, question := range []string{"how many coat fabrics have we had", "how many different fabrics of coat"} {
		got, err := ask(t, question, source)
		if err != nil || got.Plan.Measures[0].Column != "Garment Fabric" || got.Certain || len(got.Notes) == 0 {
			t.Errorf("%q: %v, %v, want the fabrics of garments with a note", question, got, err)
		}
	}
	for _, question := range []string{"how many sofa fabrics have we had", "how many coats did we sell"} {
		if got, err := ask(t, question, source); err == nil {
			t.Errorf("%q: %v, want a refusal", question, got.Plan)
		}
	}
}
