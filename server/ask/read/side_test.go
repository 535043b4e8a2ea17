package read_test

import (
	"strings"
	"testing"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// purchases are a shop's purchase orders, until some days after its last sale.
func purchases() schema.Source {
	return schema.Source{
		ID: "shop_purchases", Name: "your purchase orders", Kind: schema.Purchases, Rows: 40, First: "2024-01-04", Last: "2024-12-20",
		Columns: []schema.Column{
			{Heading: "Ordered", Name: "ordered", Type: schema.Moment, Role: schema.Day},
			{Heading: "Purchase order", Name: "purchase", Type: schema.Text, Role: schema.Order, Distinct: 20},
			{Heading: "Supplier", Name: "supplier", Type: schema.Text, Role: schema.Supplier, Distinct: 2, Values: []string{"Hill Roasters", "Meadow Wholesale"}},
			{Heading: "Product", Name: "product", Type: schema.Text, Role: schema.Product, Distinct: 2, Values: []string{"Wool Jumper", "Silk Scarf"}},
			{Heading: "Quantity", Name: "quantity", Type: schema.Number, Unit: schema.Count, Role: schema.Quantity},
			{Heading: "Cost", Name: "cost", Type: schema.Number, Scale: 2, Unit: schema.Money, Role: schema.Cost},
		},
	}
}

func TestWordsChooseBetweenSalesAndPurchases(t *testing.T) {
	for question, want := range map[string]string{
		"how much did we spend with suppliers this year": "Cost of purchases from your purchase orders, 2024-01-01 to 2024-12-31.",
		"how much did I spend on purchases in october":   "Cost of purchases from your purchase orders, 2024-10-01 to 2024-10-31.",
		"purchases in october":                           "Cost of purchases from your purchase orders, 2024-10-01 to 2024-10-31.",
		"cost of goods bought in october":                "Cost of purchases from your purchase orders, 2024-10-01 to 2024-10-31.",
		"what did we buy from Hill Roasters":             "Cost of purchases from your purchase orders, where Hill Roasters.",
		"how many units did we buy in october":           "Units ordered from your purchase orders, 2024-10-01 to 2024-10-31.",
		"how many purchase orders in october":            "Purchase orders from your purchase orders, 2024-10-01 to 2024-10-31.",
		"how many orders in october":                     "Orders from " + sales().Name + ", 2024-10-01 to 2024-10-31.",
		"average spend per customer":                     "Average revenue per Customer from " + sales().Name + ".",
	} {
		got, err := ask(t, question, sales(), purchases())
		if err != nil {
			t.Errorf("%q: %v", question, err)
			continue
		}
		if said := plan.Sentence(got.Plan, got.Source); said != want {
			t.Errorf("%q:\n got %s\nwant %s", question, said, want)
		}
	}
}

// Questions about sales are answered from the sales, even if only the purchases have the
// days.
func TestQuestionsOfSalesAreNotReadOverPurchases(t *testing.T) {
	early := sales()
	late := purchases()
	late.Last = "2024-12-31"
	for _, question := range []string{"sales today", "how many units did we sell today", "orders today", "how are we doing today"} {
		early.Last = today.AddDate(0, 0, -1).Format("2006-01-02")
		got, err := ask(t, question, early, late)
		if err == nil {
			t.Errorf("%q: answered from %s", question, got.Source.Name)
		} else if !strings.Contains(err.Error(), early.Name) {
			t.Errorf("%q: %v", question, err)
		}
	}
}
