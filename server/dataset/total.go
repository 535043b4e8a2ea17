package dataset

import (
	"context"
	"fmt"

	"svc/server/schema"
)

// Totals are quantities times prices if they are in nearly all rows that have all three.
const (
	totalsAgree   = 0.98
	leastAgreeing = 10 // rows
)

// totals finds how to compute the totals that rows leave blank. It does so only where nothing
// else, such as a discount, is between the product and the total, and no total is too large for
// a sum of all rows.
func (f *reversals) totals(ctx context.Context) error {
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
	written, product, scale := schema.TotalsSQL(total, price, quantity)
	if scale > maxScale {
		return nil
	}
	known := product + " IS NOT NULL"
	largest := fmt.Sprintf("CAST(max(abs(coalesce(%s, %s, 0))) AS INTEGER)", written, product)
	n, err := f.numbers(ctx, &statement{}, countIf(written+" IS NOT NULL", known), countIf(written+" = "+product), countIf(written+" IS NULL", known), largest)
	if err != nil {
		return err
	}
	full, agreeing, blank := n[0], n[1], n[2]
	if blank > 0 && full >= leastAgreeing && float64(agreeing) >= totalsAgree*float64(full) && n[3] <= maxUnits {
		f.source.Totals = &schema.Totals{Total: total.Heading, Price: price.Heading, Quantity: quantity.Heading, Rows: blank}
	}
	return nil
}
