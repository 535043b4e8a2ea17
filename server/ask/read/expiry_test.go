package read_test

import (
	"testing"

	"svc/server/schema"
)

// batches are those of a health shop, each with the day after which it cannot be sold.
func batches() schema.Source {
	return schema.Source{
		ID: "ds_batches", Name: "batches", Kind: schema.Stocklist, From: "rows", Rows: 90,
		Columns: []schema.Column{
			text("Batch No", schema.None, "B1", "B2", "B3"), text("Product", schema.Product, "Vitamin D", "Aspirin", "Zinc"), text("Range", schema.Category, "Vitamins", "Pain relief"),
			number("Qty", schema.Stock, schema.Count), day("Best Before", schema.None), number("Cost", schema.UnitCost, schema.Money),
		},
	}
}

// Days of expiry are those to come: asked on 19 December 2024.
func TestExpiry(t *testing.T) {
	const from, list = "Best Before from 2024-12-19", "List of rows with Product, Best Before, Batch No, Range, Qty, Cost"
	for _, row := range []struct {
		source         schema.Source
		question, want string
	}{
		{batches(), "what expires in the next 30 days", list + ", where " + from + " and Best Before until 2025-01-18, lowest Best Before first"},
		{batches(), "anything going out of date soon", list + ", where " + from + " and Best Before until 2025-01-18, lowest Best Before first"},
		{batches(), "how many units expire within 2 weeks", "Stock, where " + from + " and Best Before until 2025-01-02"},
		{batches(), "value of stock expiring next month", "Stock value at cost, where Best Before from 2025-01-01 and Best Before until 2025-01-31"},
		{batches(), "what has expired", list + ", where Best Before before 2024-12-19, lowest Best Before first"},
		{batches(), "how much stock is out of date", "Stock, where Best Before before 2024-12-19"},
		{batches(), "what will expire by the end of january", list + ", where " + from + " and Best Before until 2025-01-31, lowest Best Before first"},
		{batches(), "which vitamins go out of date next", "List of rows with Product, Best Before, Range, Batch No, Qty, Cost, where Vitamins and " + from + ", lowest Best Before first, at most 10"},
		{batches(), "next 5 batches to expire", list + ", where " + from + ", lowest Best Before first, at most 5"},
		{batches(), "what will sales be in the next 30 days", ""},
		{tills(), "what goes out of date soon", ""},
		{tills(), "sales in the next 2 weeks", ""},
	} {
		if row.want != "" {
			reads(t, row.source, row.question, row.want)
		} else if got, err := ask(t, row.question, row.source); err == nil {
			t.Errorf("%q: %v", row.question, got.Plan)
		}
	}
}
