package dataset

import (
	"context"
	"fmt"
	"slices"

	"svc/db"
	"svc/server/schema"
)

// thingWords are in the headings of codes of things, people and places, of which one may be in rows
// beside each other, and again on another day.
var thingWords = wordSet("reg registration plate vehicle postcode zip phone tel mobile email batch lot serial imei sku barcode pin")

// settleLines finds the number of the sale by the rows, where no heading names it: a code that
// neighbouring rows share, all of one day and time, and no others have. Without it each line of a
// receipt would be taken for a sale of its own.
func settleLines(ctx context.Context, file db.Querier, source *schema.Source) error {
	day, ok := source.ByRole(schema.Day)
	if !ok || hasAny(*source, schema.Order, schema.Stock) {
		return nil
	}
	same := fmt.Sprintf("min(%[1]s) = max(%[1]s)", day.Name)
	if clock, ok := source.ByRole(schema.DayTime); ok {
		same += fmt.Sprintf(" AND min(%[1]s) = max(%[1]s)", clock.Name)
	}
	for i, c := range source.Columns {
		isWord := func(value string) bool { return !hasDigit(value) }
		if c.Role != schema.None || c.Type != schema.Text || hasWord(c.Heading, thingWords) || c.Blank > 0 || c.Distinct == source.Rows || c.Distinct <= day.Distinct || slices.ContainsFunc(c.Values, isWord) {
			continue
		}
		found, err := file.Query(ctx, 1, fmt.Sprintf(`
SELECT count(*), coalesce(sum(alike), 0)
FROM (
  SELECT max(rowid) - min(rowid) + 1 = count(*) AND %s AS alike
  FROM %s
  GROUP BY %s
  HAVING count(*) > 1)`, same, source.From, c.Name))
		if err != nil {
			return err
		}
		several, alike := found.Rows[0][0].(int64), found.Rows[0][1].(int64)
		if several >= leastEvidence && float64(alike) >= agreement*float64(several) {
			source.Columns[i].Role = schema.Order
			return nil
		}
	}
	return nil
}

// settleSegment makes a column that looks like categories the kinds of customers, if each customer has one and most goods
// have several: pubs and shops to whom a brewer sells.
func settleSegment(ctx context.Context, file db.Querier, source *schema.Source) error {
	kind, ok := source.ByRole(schema.Category)
	customer, has := source.ByRole(schema.Customer)
	product, sold := source.ByRole(schema.Product)
	if !ok || !has || !sold || hasAny(*source, schema.Segment) || 2*customer.Distinct > source.Rows {
		return nil
	}
	several := func(of schema.Column) string {
		return fmt.Sprintf("(SELECT count(*) FROM (SELECT 1 FROM %[1]s GROUP BY %[2]s HAVING count(DISTINCT %[3]s) > 1))", source.From, of.Name, kind.Name)
	}
	found, err := file.Query(ctx, 1, "SELECT "+several(customer)+", "+several(product))
	if err == nil && found.Rows[0][0].(int64) == 0 && 2*found.Rows[0][1].(int64) > product.Distinct {
		source.Columns[findColumn(*source, kind.Heading)].Role = schema.Segment
	}
	return err
}

// settleLinePrices makes the price of a row its amount where the rows say so: of a product that is
// sold one and several at a time it is not the price that stays the same, but the price by the
// quantity. Marketplaces call what a line comes to the item price.
func settleLinePrices(ctx context.Context, file db.Querier, source *schema.Source) error {
	price, priced := source.ByRole(schema.Price)
	quantity, counted := source.ByRole(schema.Quantity)
	product, named := source.ByRole(schema.SKU)
	if !named {
		product, named = source.ByRole(schema.Product)
	}
	if !priced || !counted || !named || hasAny(*source, schema.Revenue, schema.Gross, schema.Stock, schema.UnitCost) {
		return nil
	}
	found, err := file.Query(ctx, 1, fmt.Sprintf(`
SELECT count(*), coalesce(sum(2 * line < each), 0)
FROM (
  SELECT 1 - min(p) / max(p) AS each, 1 - min(p / q) / max(p / q) AS line
  FROM (SELECT %s AS name, 1.0 * %s AS p, 1.0 * %s AS q FROM %s)
  WHERE p > 0 AND q > 0
  GROUP BY name
  HAVING count(DISTINCT q) > 1)`, product.Name, price.Name, quantity.Name, source.From))
	if err != nil {
		return err
	}
	several, ofLines := found.Rows[0][0].(int64), found.Rows[0][1].(int64)
	if several >= leastEvidence && float64(ofLines) >= agreement*float64(several) {
		giveRole(source.Columns, slices.IndexFunc(source.Columns, func(c schema.Column) bool { return c.Heading == price.Heading }), schema.Revenue)
	}
	return nil
}
