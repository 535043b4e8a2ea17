package dataset

import (
	"context"
	"fmt"
	"slices"

	"svc/server/schema"
)

// orderAmountRoles are those of amounts that may be of whole orders.
var orderAmountRoles = []schema.Role{schema.Revenue, schema.Gross, schema.Cost, schema.Profit, schema.Discount, schema.Tax, schema.Shipping, schema.Owed, schema.Paid}

// orderAmounts marks the columns with amounts of whole orders: figures of lines, such as
// those by product, cannot be made of them (I4).
func (f *reversals) orderAmounts(ctx context.Context) error {
	if err := f.orderDiscounts(ctx); err != nil {
		return err
	}
	for i := range f.source.Columns {
		f.source.Columns[i].Whole = false
	}
	for _, role := range orderAmountRoles {
		c, ok := f.source.ByRole(role)
		if !ok || c.Type != schema.Number || c.Unit == schema.Percent || c.Blank == 0 {
			continue
		}
		isWhole, err := f.isOfOrders(ctx, c, leastEvidence)
		if err != nil {
			return err
		}
		f.source.Columns[findColumn(f.source, c.Heading)].Whole = isWhole
	}
	return nil
}

// orderDiscounts makes the discounts of orders those of an export whose lines have none,
// unless somebody has corrected the role.
func (f *reversals) orderDiscounts(ctx context.Context) error {
	e := f.export()
	if e == nil || e.orderDiscount == "" {
		return nil
	}
	at := findColumn(f.source, e.orderDiscount)
	if at < 0 || f.source.Columns[at].Corrected || !accepts(schema.Discount, f.source.Columns[at]) {
		return nil
	}
	figures := []string{countIf(f.source.Columns[at].Name + " <> 0")}
	ofLines, ok := f.source.ByRole(schema.Discount)
	if ok {
		figures = append(figures, countIf(ofLines.Name+" <> 0"))
	}
	n, err := f.numbers(ctx, &statement{}, append(figures, "0")...)
	switch {
	case err != nil || n[0] == 0 || ofLines.Corrected || ofLines.Heading == f.source.Columns[at].Heading:
	case n[1] > 0:
		f.doubt(f.source.Columns[at].Heading, "the discounts of orders are not subtracted from revenue, since %s has those of lines", ofLines.Heading)
	default:
		giveRole(f.source.Columns, at, schema.Discount)
		f.source.Columns[at].Unit = schema.Money
	}
	return err
}

// orderTexts returns the columns of whole orders that revenue, cost or profit come from.
func orderTexts(source schema.Source) (all []Warning) {
	for _, c := range source.Columns {
		switch {
		case !c.Whole || slices.Contains([]schema.Role{schema.Tax, schema.Shipping, schema.Owed, schema.Paid}, c.Role):
		case c.Role == schema.Discount:
			all = append(all, Warning{Heading: c.Heading, Reason: "the discounts of orders are subtracted from revenue, but not from figures of their lines, such as those by product"})
		default:
			all = append(all, Warning{Heading: c.Heading, Reason: "the amounts are those of orders, so figures of their lines, such as those by product, are without them"})
		}
	}
	return all
}

// alikeColumns marks the texts and days without a role that are the same in all lines of each order, such as discount
// codes and the days when it is due, if there are amounts of whole orders, of which figures can be made by them.
func (f *reversals) alikeColumns(ctx context.Context) error {
	order, ok := f.source.ByRole(schema.Order)
	isWhole := slices.ContainsFunc(f.source.Columns, func(c schema.Column) bool { return c.Whole }) || slices.ContainsFunc(f.rules, func(r schema.Reversal) bool { return r.Whole })
	for i, c := range f.source.Columns {
		f.source.Columns[i].Alike = false
		if !ok || !isWhole || c.Type == schema.Number || c.Role != schema.None || c.Distinct == 0 {
			continue
		}
		n, err := f.file.Query(ctx, 1, fmt.Sprintf(`
SELECT count(*), count(*) FILTER (WHERE low <> high OR filled NOT IN (0, lines))
FROM (
  SELECT count(*) AS lines, count(%[1]s) AS filled, min(%[1]s) AS low, max(%[1]s) AS high
  FROM %[2]s
  WHERE %[3]s IS NOT NULL
  GROUP BY %[3]s
  HAVING count(*) > 1 AND filled > 0)`, c.Name, f.source.From, order.Name))
		if err != nil {
			return err
		}
		f.source.Columns[i].Alike = n.Rows[0][0].(int64) >= leastEvidence && n.Rows[0][1].(int64) == 0
	}
	return nil
}
