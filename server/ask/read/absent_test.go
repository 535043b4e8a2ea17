package read_test

import (
	"errors"
	"testing"

	"svc/server/ask/plan"
	"svc/server/ask/read"
	"svc/server/schema"
)

// shopFloor is a shop with clothes whose names share words, with staff, states by their codes, and an amount cut short.
func shopFloor() schema.Source {
	s := sales()
	s.Columns = append(s.Columns, text("Colour of piece", schema.None, "Navy", "Cherry Red"), text("Sold by", schema.Staff, "Mo", "Ines"))
	for i, c := range s.Columns {
		switch c.Role {
		case schema.Product:
			s.Columns[i] = text("Product", schema.Product, "Running Shoes", "Trail Shoes", "Wool Jumper", "Linen Shirt", "Baby Bear Mug", "Papa Wolf Vest")
		case schema.State:
			s.Columns[i] = text("State", schema.State, "NY", "TX")
		case schema.Revenue:
			s.Columns[i].Heading = "Amt"
		case schema.Category:
			s.Columns[i] = text("Fit", schema.None, "Slim", "Loose")
		}
	}
	return s
}

// TestAbsentThings refuses what no column tells though most of the words have a meaning, and reads the same words where
// they ask for nothing more.
func TestAbsentThings(t *testing.T) {
	for _, question := range []string{
		// A noun that only its place tells from a verb, and a word that says of which kind a thing is.
		"value of the watches", "sales of the travel range", "how many customers got the discount card",
		"how many walnut shoes did we sell", "how many striped shirts did we sell", "orders that were wrong",
		// Why, how far, how long it took, how often something else was done.
		"orders because of the rain", "how far do our customers drive", "how many days did the Texas orders take to arrive",
		"how many times did Bob Ray complain", "how often does Ann Lee ring",
		// Ages, what staff got, what is done to things.
		"customers under 18", "how many of the customers in october were over 60", "how much went to staff in november",
		"what are the shoes insured for",
		// Parts of two names, initials of any words, an abbreviation of another word.
		// What is counted or done, and by when, of which a word has no use.
		"how much got nicked off the shoes rail", "how many squeezed in in november", "embroidered shirts sold in october",
		"how many baby wolf mugs did we sell", "new year revenue of the aftermarket",
	} {
		var refusal *read.Refusal
		if got, err := ask(t, question, shopFloor()); !errors.As(err, &refusal) {
			t.Errorf("%q: read as %s", question, plan.Sentence(got.Plan, got.Source))
		}
	}
	for question, want := range map[string]string{
		"how many customers spent under 50":       "Number of groups by Customer, with revenue below 50",
		"how many running shoes did we sell":      "Units sold, where Running Shoes",
		"how many times did Bob Ray order":        "Orders, where Bob Ray",
		"how many trail and running shoes sold":   "Units sold by Product, where Trail Shoes or Running Shoes, highest first",
		"average amount":                          "Average revenue per order",
		"which products were sold in October":     "Revenue by Product, 2024-10-01 to 2024-10-31, highest first",
		"how many different customers in october": "Different Customer, 2024-10-01 to 2024-10-31",
	} {
		reads(t, shopFloor(), question, want)
	}
}

// TestKindsBeforeNames refuses a word for kinds right before a name, which would be a value that the source does not have.
func TestKindsBeforeNames(t *testing.T) {
	gym := schema.Source{ID: "ds_gym", Name: "gym", Kind: schema.Other, From: "rows", Rows: 120, Columns: []schema.Column{
		text("Member", schema.Customer, "Ann Lee", "Bob Ray"), text("Plan", schema.None, "Gold", "Silver"),
	}}
	if got, err := ask(t, "how many are on the family plan", gym); err == nil {
		t.Errorf("read as %s", plan.Sentence(got.Plan, got.Source))
	}
	reads(t, gym, "how many are on the gold plan", "Rows, where Gold")
}

// TestKindsOfHeadings takes a noun that the source does not know for a column whose heading says of which kind it is.
func TestKindsOfHeadings(t *testing.T) {
	hire := schema.Source{
		ID: "ds_hire", Name: "hire", Kind: schema.Sales, From: "rows", Rows: 300, First: "2023-01-05", Last: "2024-12-18",
		Columns: []schema.Column{
			text("Ref", schema.Order), text("Vessel", schema.None, "Kingfisher", "Heron"), text("Skipper", schema.Customer, "Ann Lee", "Bob Ray"),
			day("Out", schema.Day), number("Total", schema.Revenue, schema.Money),
		},
	}
	reads(t, hire, "which boat earned most in november", "Revenue by Vessel, 2024-11-01 to 2024-11-30, highest first, at most 1")
	reads(t, hire, "best earning boat", "Revenue by Vessel, highest first, at most 1")
	if got, err := ask(t, "revenue by rabbit", hire); err == nil {
		t.Errorf("read as %s", plan.Sentence(got.Plan, got.Source))
	}
}
