package read_test

import (
	"strings"
	"testing"

	"svc/server/schema"
)

// skates are hires of a rink, of which no column tells people apart.
func skates() schema.Source {
	ref, fault := text("Hire ref", schema.Order), text("Fault", schema.None, "loose blade", "torn lace")
	ref.Distinct, fault.Blank = 400, 360
	boot := text("Boot", schema.None, "Figure", "Hockey", "Child")
	return schema.Source{
		ID: "ds_skates", Name: "skates", Kind: schema.Sales, From: "rows", Rows: 400, First: "2024-01-03", Last: "2024-11-30",
		Columns: []schema.Column{
			ref, day("Day", schema.Day), boot, {Heading: "Helmet", Name: "c", Type: schema.Truth, Distinct: 2}, number("Charge", schema.Revenue, schema.Money), fault,
			text("Country", schema.Country, "Norway", "Latvia"),
		},
	}
}

// TestVisits counts people by what each came for, which is a guess that the answer says.
func TestVisits(t *testing.T) {
	for question, want := range map[string]string{
		"how many people took a helmet":          "Orders, where Helmet",
		"how many customers did we serve in may": "Orders, 2024-05-01 to 2024-05-31",
		"number of people by country":            "Orders by Country, highest first",
		"percentage of people with a helmet":     "Orders, the share of Helmet",
		"customers per week on average":          "Average orders per week",
	} {
		reads(t, skates(), question, want)
		got, err := ask(t, question, skates())
		if err != nil || got.Certain || !strings.Contains(strings.Join(got.Notes, " "), "no column of skates tells people apart") {
			t.Errorf("%q: loose %t, notes %q, want a guess that is noted", question, !got.Certain, got.Notes)
		}
	}
}

// TestPeopleApart refuses what only a column of people tells, or rows that are no visits.
func TestPeopleApart(t *testing.T) {
	daily := sales()
	daily.Columns = []schema.Column{day("Day", schema.Day), text("Product", schema.Product, "Tea", "Bun"), number("Sold", schema.Quantity, schema.Count), number("Sales", schema.Revenue, schema.Money)}
	for question, source := range map[string]schema.Source{
		"how many different people came":        skates(),
		"how many people came more than once":   skates(),
		"how many customers do we have":         skates(),
		"how many people came back in may":      skates(),
		"repeat customers in may":               skates(),
		"how many new customers in may":         skates(),
		"which customer spends the most":        skates(),
		"how many people do we employ":          skates(),
		"how many customers did we have in may": daily,
	} {
		if got, err := ask(t, question, source); err == nil {
			t.Errorf("%q: %+v, want a refusal", question, got.Plan)
		}
	}
}

// TestListedThings expects a list of the rows, whatever a clause says the condition is of, and of
// the people that a list names.
func TestListedThings(t *testing.T) {
	for _, question := range []string{"list the hires where the boot came back with a torn lace", "list the hires with a loose blade"} {
		got, err := ask(t, question, skates())
		if err != nil || got.Plan.List == nil || got.Plan.List.Columns[0] != "Hire ref" || len(got.Plan.Where) != 1 {
			t.Errorf("%q: %+v, %v, want a list of the hires with the fault", question, got.Plan, err)
		}
	}
	reads(t, sales(), "list the customers in Texas", "Revenue by Customer, where Texas, highest first")
}

// stools is the stock of a shop that marks what it no longer sells.
func stools(heading string) schema.Source {
	product := text("Product", schema.Product, "Oak Stool", "Ash Desk")
	product.Distinct = 60
	return schema.Source{
		ID: "ds_shelves", Name: "shelves", Kind: schema.Stocklist, From: "rows", Rows: 60,
		Columns: []schema.Column{
			product, text("Range", schema.Category, "Indoor", "Outdoor"), text("Supplier", schema.Supplier, "Millwood", "Nordhaus"), number("Price", schema.Price, schema.Money),
			number("In stock", schema.Stock, schema.Count), {Heading: heading, Name: "c", Type: schema.Truth, Distinct: 2},
		},
	}
}

// TestGoodsOfAList counts and lists the things of a stock list, and not their stock.
func TestGoodsOfAList(t *testing.T) {
	for question, want := range map[string]string{
		"how many are discontinued":                    "Rows, where Discontinued",
		"how many of the range are discontinued":       "Rows, where Discontinued",
		"what percentage of our range is discontinued": "Different Product, the share of Discontinued",
		"number of products still being sold":          "Different Product, where not Discontinued",
		"average price of current lines":               "Average Price and rows, where not Discontinued",
		"what do we get from Millwood":                 "Stock by Product, where Millwood, highest first",
		"how many suppliers do we buy from":            "Different Supplier",
		"how many products by range":                   "Different Product by Range, highest first",
	} {
		reads(t, stools("Discontinued"), question, want)
	}
	got, err := ask(t, "how many products are discontinued", stools("Disc."))
	if err != nil || got.Certain || len(got.Plan.Where) != 1 {
		t.Errorf("discontinued of Disc.: %+v, %v, want a guess", got.Plan, err)
	}
	for _, question := range []string{"what did we buy from Millwood in may", "how many did we buy from Millwood"} {
		if got, err := ask(t, question, stools("Discontinued")); err == nil {
			t.Errorf("%q: %+v, want a refusal", question, got.Plan)
		}
	}
}
