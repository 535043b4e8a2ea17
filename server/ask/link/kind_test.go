package link_test

import (
	"slices"
	"testing"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// pub is a log of what a bar sold, one a row.
var pub = schema.Source{ID: "pub", Name: "pub", Kind: schema.Sales, Rows: 900, Columns: []schema.Column{
	{Heading: "Date", Name: "c1", Type: schema.Date, Role: schema.Day, Distinct: 180},
	{Heading: "Poured", Name: "c2", Type: schema.Text, Role: schema.Product, Distinct: 6, Values: []string{"Pale Ale", "Stout", "Cider", "Merlot", "Gin and Tonic", "Zzbrew"}},
	{Heading: "Bartender", Name: "c3", Type: schema.Text, Role: schema.Staff, Distinct: 4, Values: []string{"Rose", "Lily", "Iris", "Daisy"}},
	{Heading: "Takings", Name: "c4", Type: schema.Number, Role: schema.Revenue, Unit: schema.Money, Distinct: 40},
}}

// TestKinds expects a noun for the kind of most values to name their column, and what is drunk to
// be counted by what it is served in. Other things and the names of people are of no kind.
func TestKinds(t *testing.T) {
	x := link.New(pub)
	of := func(question string) []link.Mention {
		found, _ := x.Mentions(t.Context(), link.Tokenize(question))
		return slices.DeleteFunc(found, func(m link.Mention) bool { return m.Arg != link.KindArg })
	}
	for _, question := range []string{"which drink sells best", "list the beverages"} {
		found := of(question)
		if len(found) != 1 || found[0].Column == nil || found[0].Column.Heading != "Poured" || found[0].How != link.Near {
			t.Errorf("%q: %+v, want Poured by the kind of its values", question, found)
		}
	}
	if found := of("how many pints were sold"); len(found) != 1 || found[0].Metric != plan.Units {
		t.Errorf("pints: %+v, want units", found)
	}
	for _, question := range []string{"how many umbrellas did we sell", "list the cakes", "which flower sells best", "how many tables", "boxes sold", "the persons", "which food sells best"} {
		if found := of(question); len(found) > 0 {
			t.Errorf("%q: %+v, want none", question, found)
		}
	}
}

// TestCustomersThatAreShops expects "shops" to be the customers of a wholesaler, and not people, nor
// those that few sales of a shop name.
func TestCustomersThatAreShops(t *testing.T) {
	wholesale := func(blank int64, customers ...string) schema.Source {
		return schema.Source{ID: "w", Name: "deliveries", Kind: schema.Sales, Rows: 90, Columns: []schema.Column{
			{Heading: "Account", Name: "c1", Type: schema.Text, Role: schema.Customer, Distinct: 5, Blank: blank, Values: customers},
			{Heading: "Total", Name: "c2", Type: schema.Number, Role: schema.Revenue, Unit: schema.Money, Distinct: 40},
		}}
	}
	shops := []string{"Mill Deli", "Harbour Stores", "Park Cafe", "Rose Inn", "Green & Sons"}
	for _, row := range []struct {
		source schema.Source
		want   bool
	}{{wholesale(0, shops...), true}, {wholesale(50, shops...), false}, {wholesale(0, "Ann Mill", "Bob Hall", "Cy Lee", "Di Orr", "Ed Fox"), false}} {
		found, _ := link.New(row.source).Mentions(t.Context(), link.Tokenize("which shops do we supply"))
		got := slices.ContainsFunc(found, func(m link.Mention) bool { return m.Role == schema.Store && m.Column != nil })
		if got != row.want {
			t.Errorf("shops of %q: %t, want %t", row.source.Columns[0].Values, got, row.want)
		}
	}
}
