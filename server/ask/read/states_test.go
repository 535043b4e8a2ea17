package read_test

import (
	"testing"

	"svc/server/schema"
)

// fittings are the visits to a saddler, of which some were missed; timber is what a joiner buys.
func fittings() schema.Source {
	pieces := number("Straps", schema.None, schema.Plain)
	pieces.Distinct = 6
	ref := text("Docket", schema.Order)
	ref.Distinct = 640
	return schema.Source{
		ID: "ds_fittings", Name: "fittings", Kind: schema.Sales, From: "rows", Rows: 640, First: "2024-02-01", Last: "2024-12-18",
		Columns: []schema.Column{
			ref, day("Fitted", schema.Day), text("Rider", schema.Customer, "Ann Lee", "Bob Ray"), text("Saddler", schema.Staff, "Moira", "Tam"), pieces,
			number("Charge", schema.Revenue, schema.Money), number("Postage", schema.Shipping, schema.Money), text("Outcome", schema.Status, "Came", "No show", "Called off"),
			{Heading: "First fitting", Name: "c", Type: schema.Truth, Distinct: 2}, text("Heard of us", schema.None, "Vet", "Flyer"),
			text("Parcel", schema.None, "sent", "part", "pending"), number("Given back", schema.Refund, schema.Money),
		},
		Reversals: []schema.Reversal{{Kind: schema.RefundedSale, Column: "Given back", Rows: 12}},
	}
}

func timber() schema.Source {
	arrived := day("Arrived", schema.None)
	arrived.Blank = 9
	invoice := text("Inv No", schema.None)
	invoice.Blank = 14
	return schema.Source{
		ID: "ds_timber", Name: "timber", Kind: schema.Purchases, From: "rows", Rows: 300, First: "2024-02-01", Last: "2024-12-18",
		Columns: []schema.Column{
			text("PO Ref", schema.Order), day("Raised", schema.Day), day("Promised", schema.None), arrived, text("Mill", schema.Supplier, "Oakley", "Pine Bros"), text("Plank", schema.Product, "Ash 2m", "Elm 3m"),
			number("Bundles", schema.Quantity, schema.Count), number("Bundle cost", schema.UnitCost, schema.Money), number("Sum", schema.Cost, schema.Money), invoice,
			{Heading: "Paid? (Y/N)", Name: "c", Type: schema.Truth, Distinct: 2}, number("Straightness", schema.Rating, schema.Plain),
		},
	}
}

// What a row is, is counted unless the words name money.
func TestStatesAreCounted(t *testing.T) {
	for question, want := range map[string]string{
		"did we have more no shows in may than in april":    "Orders, where No show, 2024-05-01 to 2024-05-31, compared with 2024-04-01 to 2024-04-30",
		"which saddler has the most no shows":               "Orders by Saddler, where No show, highest first, at most 1",
		"which rider has not turned up the most":            "Orders by Rider, where No show, highest first, at most 1",
		"what is our no show rate":                          "Orders, the share of No show",
		"what percentage of first fittings are from a vet":  "Orders, where First fitting, the share of Vet",
		"where do first fittings come from":                 "Orders by Heard of us, where First fitting, highest first",
		"how much did first fittings bring in":              "Revenue, where First fitting",
		"takings from first fittings by saddler":            "Revenue by Saddler, where First fitting, highest first",
		"what share of orders were refunded":                "Return rate",
		"how many straps are in a typical order":            "Average Straps",
		"how many orders had free postage":                  "Orders, where Postage at most 0",
		"how many orders over 90":                           "Orders, where Charge above 90",
		"how many parcels are waiting to be sent":           "Orders, where pending",
		"after refunds, what is left of the takings in may": "Revenue, 2024-05-01 to 2024-05-31",
		"what is an order worth on average":                 "Average revenue per order",
	} {
		reads(t, fittings(), question, want)
	}
	for _, question := range []string{"where do our riders live", "how many riders paid nothing", "how many orders got a free lunch", "how much money do we owe"} {
		if got, err := ask(t, question, fittings()); err == nil {
			t.Errorf("%q: %+v, want a refusal", question, got.Plan)
		}
	}
}

// Purchase orders are numbered, priced, late and paid as the shop sees them.
func TestPurchases(t *testing.T) {
	for question, want := range map[string]string{
		"which plank do we spend the most on":          "Cost of purchases by Plank, highest first, at most 1",
		"which planks do we buy the most of":           "Units ordered by Plank, highest first, at most 10",
		"what is the dearest plank we buy, per bundle": "Cost of purchases per unit by Plank, highest first, at most 1",
		"average bundle price from oakley":             "Average Bundle cost, where Oakley",
		"largest purchase order in may":                "Cost of purchases by PO Ref, 2024-05-01 to 2024-05-31, highest first, at most 1",
		"what is a purchase order worth on average":    "Average cost of purchases per order",
		"what do we still owe oakley":                  "Cost of purchases, where not Paid? (Y/N) and Oakley",
		"how many lines came later than agreed":        "Rows, where Arrived after Promised",
		"how many lines arrived sooner than promised":  "Rows, where Arrived before Promised",
		"how many days does oakley take to deliver":    "Average days from Raised to Arrived, where Oakley",
		"how many days does each mill take to deliver": "Average days from Raised to Arrived by Mill, highest first",
		"which mill is quickest to deliver":            "Average days from Raised to Arrived by Mill, lowest first, at most 1",
		"how many invoices did oakley send":            "Different Inv No, where Oakley",
		"how many deliveries scored below 3":           "Purchase orders, where a Arrived and Straightness below 3",
	} {
		reads(t, timber(), question, want)
	}
	for _, question := range []string{"when did we pay oakley", "what day was the ash paid for", "who owes us money", "how much ash is left", "how many bundles of elm did we sell", "what do we charge for ash 2m"} {
		if got, err := ask(t, question, timber()); err == nil {
			t.Errorf("%q: %+v, want a refusal", question, got.Plan)
		}
	}
}

// An adverb before a value limits it, and is no second one.
func TestAdverbOfValue(t *testing.T) {
	s := fittings()
	s.Columns = append(s.Columns, text("Stitching", schema.None, "finished", "partial", "none yet"))
	reads(t, s, "how many orders are partially finished", "Orders, where partial")
	reads(t, s, "how many orders are partial or finished", "Orders by Stitching, where partial or finished, highest first")
}

// TestStatesAlone asks with nothing but a state, whose words a preposition may link: what is in it is listed.
func TestStatesAlone(t *testing.T) {
	repairs := fittings()
	repairs.Columns[7] = text("Outcome", schema.Status, "Came", "Awaiting leather", "On bench")
	for question, want := range map[string]string{
		"awaiting leather":               "List of rows with Docket, Fitted, Outcome, Rider, Saddler, Straps, Charge, Postage, First fitting, Heard of us, where Awaiting leather",
		"anything awaiting for leather":  "List of rows with Docket, Fitted, Outcome, Rider, Saddler, Straps, Charge, Postage, First fitting, Heard of us, where Awaiting leather",
		"takings still awaiting leather": "Revenue, where Awaiting leather",
	} {
		reads(t, repairs, question, want)
	}
	repairs.Columns = append(repairs.Columns, day("On bench", schema.None))
	reads(t, repairs, "how many fittings have been on bench over 30 days", "Rows, where On bench and On bench before 2024-11-19")
	regional := fittings()
	regional.Columns = append(regional.Columns, text("Tracking 1", schema.None, "North", "South West", "Midlands"))
	reads(t, regional, "takings by region", "Revenue by Tracking 1, highest first")
}
