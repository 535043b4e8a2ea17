package dataset

import (
	"fmt"
	"slices"

	"svc/server/catalog"
)

const (
	// indexedFrom is the number of rows from which on grouping takes longer than a
	// question may: without an index SQLite sorts all rows first. An index costs as
	// much as it saves in a few questions, so smaller tables have none.
	indexedFrom = 200_001
	// maxIndexes bounds the time and the room that they take.
	maxIndexes = 8
)

// groupedBy are the roles that questions group by, or whose values they count, the
// likelier first.
var groupedBy = []catalog.Role{
	catalog.Product, catalog.Category, catalog.Store, catalog.Order, catalog.Customer, catalog.Channel, catalog.Region, catalog.State,
	catalog.City, catalog.Country, catalog.Brand, catalog.Segment, catalog.Payment, catalog.Staff, catalog.Supplier,
}

// summed are the roles of the figures that questions sum.
var summed = []catalog.Role{
	catalog.Quantity, catalog.Price, catalog.Revenue, catalog.Gross, catalog.Discount, catalog.Cost, catalog.UnitCost, catalog.Profit,
}

// indexesOf are those that let a question read its groups one after the other: each
// begins with what is grouped by, and has the day and the figures, so that the rows
// themselves are not read at all.
func indexesOf(source catalog.Source) (all [][]string) {
	var rest []string
	day, hasDay := source.ByRole(catalog.Day)
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
