package read_test

import (
	"testing"

	"svc/server/schema"
)

// moorings are stays of boats, with numbers of what came along and a price for a night.
func moorings() schema.Source {
	ref, survey := text("Mooring ref", schema.Order), text("Survey", schema.None, "Clean", "Fouled")
	ref.Distinct, survey.Blank = 400, 30
	return schema.Source{
		ID: "ds_moorings", Name: "moorings", Kind: schema.Sales, From: "rows", Rows: 400, First: "2024-01-03", Last: "2024-11-30",
		Columns: []schema.Column{
			ref, day("Day", schema.Day), text("Hull", schema.None, "Steel", "Timber"), text("Owner", schema.Customer, "Ann Lee", "Bob Ray"),
			number("Nts", schema.None, schema.Plain), number("£/Night", schema.Price, schema.Money), number("Cats", schema.None, schema.Plain), number("Total", schema.Revenue, schema.Money),
			{Heading: "Club", Name: "c", Type: schema.Truth, Distinct: 2}, survey, text("Booked Via", schema.Channel, "Phone", "Radio"),
		},
	}
}

// TestThingsAlong reads a number of things that came along as a condition, and nights as what they
// are.
func TestThingsAlong(t *testing.T) {
	for question, want := range map[string]string{
		"how many stays included a cat":                 "Orders, where Cats above 0",
		"average total for stays with cats":             "Average revenue per order, where Cats above 0",
		"what does a stay with cats come to on average": "Average revenue per order, where Cats above 0",
		"total for stays over 5 nights":                 "Revenue, where Nts above 5",
		"total number of nights booked":                 "Total Nts",
		"average nightly rate for timber hulls":         "Average £/Night, where Timber",
		"average length of stay":                        "Average Nts",
		"average number of cats per stay":               "Average Cats",
	} {
		reads(t, moorings(), question, want)
	}
}

// TestSides sets two sides against each other, whoever they are said to be.
func TestSides(t *testing.T) {
	for question, want := range map[string]string{
		"compare steel takings with timber takings":                              "Revenue by Hull, where Steel or Timber, highest first",
		"which owners had more than 4 and less than 9 stays":                     "Orders by Owner, with orders above 4, with orders below 9, highest first",
		"does the club pay more per stay than non club":                          "Average revenue per order by Club, highest first",
		"do owners who booked by phone pay more than the ones who came by radio": "Revenue by Booked Via, where Phone or Radio, highest first",
		"who has the better clean rate, our steel or our timber owners":          "Orders for Clean and orders with a Survey and orders for Clean in % of orders with a Survey by Hull, where Steel or Timber, highest first by orders for Clean in % of orders with a Survey",
	} {
		reads(t, moorings(), question, want)
	}
}

// TestPeopleOfMoney reads whom the money is of as a condition, and those who owe as people.
func TestPeopleOfMoney(t *testing.T) {
	lessons := moorings()
	lessons.Columns = append(lessons.Columns, number("Balance", schema.Owed, schema.Money), day("Cast off", schema.None))
	for question, want := range map[string]string{
		"how much came from owners who booked by radio": "Revenue, where Radio",
		"how many owners still owe money":               "Customers, where Balance above 0",
		"how many stays have a balance outstanding":     "Orders, where Balance above 0",
	} {
		reads(t, lessons, question, want)
	}
	for _, question := range []string{
		"how many lessons did owners miss", "what percent of stays have electric", "stays with electric by month", "what percent of stays had disabled access",
	} {
		if got, err := ask(t, question, lessons); err == nil {
			t.Errorf("%q: %+v, want a refusal", question, got.Plan)
		}
	}
}

// TestUsualEnds refuses cancellations where all that is known is the day on which each row ended.
func TestUsualEnds(t *testing.T) {
	stays := moorings()
	stays.Columns = append(stays.Columns, day("Left", schema.None))
	if got, err := ask(t, "how many cancellations did we have this year", stays); err == nil {
		t.Errorf("%+v, want a refusal", got.Plan)
	}
}

// TestPacks counts a product in what it is sold in, and lists what is sold.
func TestPacks(t *testing.T) {
	shop := sales()
	shop.Columns = []schema.Column{
		day("Day", schema.Day), text("Product", schema.Product, "Oat Flour", "Paper Sacks", "Rye"), text("Use", schema.None, "Baking", "Packing"),
		number("Sold", schema.Quantity, schema.Count), number("Sales", schema.Revenue, schema.Money),
	}
	for question, want := range map[string]string{
		"how many sacks of oat flour have we sold": "Units sold, where Oat Flour",
		"list everything we sell for baking":       "Revenue by Product, where Baking, highest first",
	} {
		reads(t, shop, question, want)
	}
}
