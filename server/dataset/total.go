package dataset

import (
	"context"
	"fmt"
	"strings"

	"svc/server/schema"
)

// Totals are quantities times prices if they are in nearly all rows that have all three.
const (
	totalsAgree   = 0.98
	leastAgreeing = 10 // rows
)

// totals finds how to compute the totals that rows leave blank. It does so only where nothing
// else, such as a discount, is between the product and the total.
func (f *reversals) totals(ctx context.Context) error {
	f.source.Totals = nil
	total, ok := f.source.ByRole(schema.Revenue)
	price, priced := f.source.ByRole(schema.Price)
	quantity, counted := f.source.ByRole(schema.Quantity)
	if !ok || !priced || !counted || total.Whole || total.Blank == 0 || hasAny(f.source, schema.Discount, schema.Gross) {
		return nil
	}
	for _, c := range []schema.Column{total, price, quantity} {
		if c.Type != schema.Number || c.Unit == schema.Percent {
			return nil
		}
	}
	made := schema.Totals{Total: total.Heading, Price: price.Heading, Quantity: quantity.Heading}
	if price.Scale+quantity.Scale > schema.MaxScale {
		return nil
	}
	product := fmt.Sprintf("%s * %s", price.Name, quantity.Name)
	left, right := total.Name+zeros(price.Scale+quantity.Scale-total.Scale), product+zeros(total.Scale-price.Scale-quantity.Scale)
	known := product + " IS NOT NULL"
	n, err := f.numbers(ctx, &statement{}, countIf(total.Name+" IS NOT NULL AND "+known), countIf(left+" = "+right), countIf(total.Name+" IS NULL AND "+known))
	if err != nil {
		return err
	}
	if made.Rows = n[2]; made.Rows > 0 && n[0] >= leastAgreeing && float64(n[1]) >= totalsAgree*float64(n[0]) {
		f.source.Totals = &made
	}
	return nil
}

// zeros returns a factor of a power of ten, or "" for one.
func zeros(places int) string {
	if places <= 0 {
		return ""
	}
	return " * 1" + strings.Repeat("0", places)
}
