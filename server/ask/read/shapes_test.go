package read_test

import (
	"testing"

	"svc/server/schema"
)

// nursery is a list of plants, of which each has a number of its own.
func nursery() schema.Source {
	code, plant := text("SKU", schema.SKU, "P-1", "P-2"), text("Plant", schema.Product, "Fern", "Moss")
	code.Distinct, plant.Distinct = 140, 138
	return schema.Source{
		ID: "ds_nursery", Name: "plants", Kind: schema.Stocklist, From: "rows", Rows: 140,
		Columns: []schema.Column{
			code, plant, text("Range", schema.Category, "Shade", "Alpine"), text("Grower", schema.Supplier, "Dell", "Moor Farm"),
			number("Cost", schema.UnitCost, schema.Money), number("Price", schema.Price, schema.Money),
			number("In Stock", schema.Stock, schema.Count), number("Reorder Level", schema.Reorder, schema.Count),
			{Heading: "Discontinued", Name: "c", Type: schema.Truth},
		},
	}
}

func TestAverageDay(t *testing.T) {
	for question, want := range map[string]string{
		"what do we take on an average day":            "Average revenue per day",
		"how much do we make on a typical working day": "Average revenue per day",
		"how many jobs in a normal week":               "Average orders per week",
		"labour hours in an average month":             "Average total Labour Hrs per month",
		"average takings by day":                       "Average revenue per order by Booked In (day), in order",
	} {
		reads(t, garage(), question, want)
	}
}

func TestGroupsOfValues(t *testing.T) {
	for question, want := range map[string]string{
		"takings per month split by cash and card":  "Revenue by Booked In (month) and Paid By, where Cash or Card, in order",
		"labour split between ford and toyota":      "Total Labour by Make, where Ford or Toyota, highest first",
		"ford vs toyota, how many of each":          "Orders by Make, where Ford or Toyota, highest first",
		"gary vs priti, how many jobs for each":     "Orders by Mechanic, where Gary or Priti, highest first",
		"jobs per month by booked in date":          "Orders by Booked In (month), in order",
	} {
		reads(t, garage(), question, want)
	}
}

// TestCountsOfRows counts what each row has one of by another name, and never groups by it.
func TestCountsOfRows(t *testing.T) {
	for question, want := range map[string]string{
		"plants by grower and range":                   "Different Plant by Grower and Range, highest first",
		"discontinued plants by grower":                "Different Plant by Grower, where Discontinued, highest first",
		"three growers with the most skus":             "Different SKU by Grower, highest first, at most 3",
		"which range has the most discontinued plants": "Different Plant by Range, where Discontinued, highest first, at most 1",
		"stock by grower and range":                    "Stock by Grower and Range, highest first",
	} {
		reads(t, nursery(), question, want)
	}
}
