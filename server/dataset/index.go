package dataset

import (
	"fmt"
	"slices"

	"svc/server/schema"
)

const (
	// indexedFrom is the number of rows from which grouping takes longer than a question
	// may: without an index SQLite sorts all rows first. An index costs as much as it
	// saves in a few questions, so smaller tables have none.
	indexedFrom = 200_001
	// maxIndexes bounds their time and space.
	maxIndexes = 8
)

// groupedBy are the roles that questions group by, or whose values they count, the most
// likely first.
var groupedBy = []schema.Role{
	schema.Product, schema.Category, schema.Store, schema.Order, schema.Customer, schema.Channel, schema.Region, schema.State,
	schema.City, schema.Country, schema.Brand, schema.Segment, schema.Payment, schema.Staff, schema.Supplier,
}

// summed are the roles that questions sum.
var summed = []schema.Role{
	schema.Quantity, schema.Price, schema.Revenue, schema.Gross, schema.Discount, schema.Cost, schema.UnitCost, schema.Profit,
}

// indexesOf returns the columns of the indexes from which a question reads its groups in
// order: each begins with the grouped column and has the day and the figures, so that the
// rows themselves are not read.
func indexesOf(source schema.Source) (all [][]string) {
	var rest []string
	day, hasDay := source.ByRole(schema.Day)
	if hasDay {
		rest = append(rest, day.Name)
	}
	for _, role := range summed {
		if c, ok := source.ByRole(role); ok {
			rest = append(rest, c.Name)
		}
	}
	if hasDay {
		all = append(all, slices.Concat([]string{fmt.Sprintf("substr(%s, 1, 7)", day.Name)}, rest))
	}
	for _, role := range groupedBy {
		c, ok := source.ByRole(role)
		if ok && c.Distinct > 1 && len(all) < maxIndexes {
			all = append(all, slices.Concat([]string{c.Name}, rest))
		}
	}
	return all
}
