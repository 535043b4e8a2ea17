package read_test

import (
	"testing"

	"svc/server/schema"
)

// TestStrengthOfGoods asks for what bottles are, over a list of stock with one column of percentages.
func TestStrengthOfGoods(t *testing.T) {
	cellar := stock()
	cellar.Columns[0].Heading = "Wine"
	cellar.Columns = append(cellar.Columns, number("Alcohol %", schema.None, schema.Percent))
	for question, want := range map[string]string{
		"3 strongest wines":              "Average Alcohol % by Wine, highest first, at most 3",
		"how many wines are over 13%":    "Number of groups by Wine, with average Alcohol % above 13",
		"how many wines are over £13":    "Number of groups by Wine, with average Price above 13",
		"how many wines are below 9.5 %": "Number of groups by Wine, with average Alcohol % below 9.5",
	} {
		reads(t, cellar, question, want)
	}
	if r, err := ask(t, "5 best wines", cellar); err == nil && r.Certain {
		t.Error("the best of a list of stock is certain")
	}
	for _, question := range []string{"how many items are over 13%", "how many items are under 4 percent"} {
		if r, err := ask(t, question, stock()); err == nil {
			t.Errorf("%q: %v", question, r.Plan)
		}
	}
}

// TestGoodsOfAShop asks with the word that a shop has its name from.
func TestGoodsOfAShop(t *testing.T) {
	shop := sales()
	shop.Name = "toyshop"
	shop.Columns = append(shop.Columns, text("Range", schema.Category, "Soft Toys", "Wooden Toys", "Cards"))
	for question, want := range map[string]string{
		"how many toys did we sell in may": "Units sold, 2024-05-01 to 2024-05-31",
	} {
		reads(t, shop, question, want)
	}
}
