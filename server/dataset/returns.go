package dataset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"svc/server/schema"
)

// invoiceWords are in the headings of numbers under which credit notes are written, too.
var invoiceWords = wordSet("invoice invoices bill bills rechnung rechnungsnummer rechnungsnr beleg belegnummer facture factura fatura fiscal document credit")

// creditNotes finds credit notes by their numbers: the letter C and digits, beside numbers
// of digits alone. If their amounts are not below zero, the heading must be of invoices and
// they must be few.
func (f *reversals) creditNotes(ctx context.Context) error {
	c, ok := f.source.ByRole(schema.Order)
	if !ok || c.Type != schema.Text {
		return nil
	}
	credit := c.Name + " GLOB '[Cc]*'"
	rest := fmt.Sprintf("ltrim(substr(%s, 2), '-/_# ')", c.Name)
	n, err := f.numbers(ctx, &statement{}, countIf(credit), countIf(credit, rest+" GLOB '[0-9]*'", rest+" NOT GLOB '*[^0-9]*'"), countIf(c.Name+" GLOB '[0-9]*'"),
		countIf(credit, f.amount+" < 0"), countIf(credit, f.amount+" > 0"))
	if err != nil {
		return err
	}
	credits, shaped, plain, below, above := n[0], n[1], n[2], n[3], n[4]
	const few = 5
	isNumber := shaped > 0 && shaped == credits && float64(plain) >= agreement*float64(f.source.Rows-c.Blank-credits)
	if isNumber && (below > above || hasWord(c.Heading, invoiceWords) && credits*few < plain) {
		f.rules = append(f.rules, schema.Reversal{Kind: schema.Return, Column: c.Heading, Rows: credits})
	}
	return nil
}

// belowZero finds returns by quantities and amounts below zero that no other rule
// recognizes. A column with more of them than others has another meaning.
func (f *reversals) belowZero(ctx context.Context) error {
	if f.isLedger {
		return nil
	}
	for _, role := range []schema.Role{schema.Quantity, schema.Revenue, schema.Gross, schema.Price, schema.Cost} {
		c, ok := f.source.ByRole(role)
		if !ok || role == schema.Cost && f.source.Kind != schema.Purchases || c.Type != schema.Number || role == schema.Price && hasAny(f.source, schema.Revenue, schema.Gross) {
			continue
		}
		s := &statement{}
		isNew := "NOT coalesce(" + f.condition(s, f.of(schema.CancelledSale, schema.MissedSale, schema.DraftSale, schema.RefundedSale, schema.Return)) + ", 0)"
		n, err := f.numbers(ctx, s, countIf(c.Name+" < 0", isNew), countIf(c.Name+" < 0"), countIf(c.Name+" > 0"))
		if err != nil {
			return err
		}
		if n[0] > 0 && n[1] < n[2] {
			f.rules = append(f.rules, schema.Reversal{Kind: schema.Return, Column: c.Heading, Rows: n[0]})
		}
	}
	return nil
}

// refunds finds the column of what was given back.
func (f *reversals) refunds(ctx context.Context) error {
	c, ok := f.source.ByRole(schema.Refund)
	if !ok {
		return nil
	}
	r := schema.Reversal{Kind: schema.RefundPart, Column: c.Heading}
	s := &statement{}
	n, err := f.numbers(ctx, s, countIf(c.Name+" <> 0"), countIf(c.Name+" <> 0", "NOT coalesce("+f.condition(s, f.of(schema.CancelledSale, schema.MissedSale, schema.DraftSale, schema.RefundedSale))+", 0)"))
	if err != nil {
		return err
	}
	r.Rows, r.Counts = n[0], n[1:]
	if r.Whole, err = f.isOfOrders(ctx, c, 1); err != nil {
		return err
	}
	isNet, err := f.isNetOf(ctx, c)
	if err != nil {
		return err
	}
	isBack, err := f.areBack(ctx, r, "abs("+unitsSQL(c)+")")
	switch {
	case err != nil:
		return err
	case isNet:
		revenue, _ := f.source.ByRole(schema.Revenue)
		f.doubt(c.Heading, "the refunds are not subtracted again from %s, which is less them already", revenue.Heading)
	case isBack:
		f.doubt(c.Heading, "the refunds are not subtracted, since other rows take them back")
	default:
		f.rules = append(f.rules, r)
	}
	return nil
}

// of returns the rules of some kinds that were found so far.
func (f *reversals) of(kinds ...schema.ReversalKind) (all []schema.Reversal) {
	for _, r := range f.rules {
		if slices.Contains(kinds, r.Kind) {
			all = append(all, r)
		}
	}
	return all
}

// isOfOrders reports whether amounts are those of orders, which are in the first line and
// leave the others blank, in so many orders at least.
func (f *reversals) isOfOrders(ctx context.Context, c schema.Column, least int64) (bool, error) {
	order, ok := f.source.ByRole(schema.Order)
	if !ok || order.Distinct == f.source.Rows {
		return false, nil
	}
	found, err := f.file.Query(ctx, 1, fmt.Sprintf(`
SELECT count(*), count(*) FILTER (WHERE filled = 1 AND at = first)
FROM (
  SELECT count(%[1]s) AS filled, min(rowid) AS first, min(CASE WHEN %[1]s IS NOT NULL THEN rowid END) AS at
  FROM %[2]s
  WHERE %[3]s IS NOT NULL
  GROUP BY %[3]s
  HAVING count(*) > 1 AND filled > 0)`, c.Name, f.source.From, order.Name))
	if err != nil {
		return false, err
	}
	orders, alike := found.Rows[0][0].(int64), found.Rows[0][1].(int64)
	return orders >= least && float64(alike) >= agreement*float64(orders), nil
}

// isNetOf reports whether the column of revenue is less the refunds already: it is what a
// row was sold for, less a discount or none, less the refund.
func (f *reversals) isNetOf(ctx context.Context, refund schema.Column) (bool, error) {
	revenue, ok := f.source.ByRole(schema.Revenue)
	if !ok {
		return false, nil
	}
	discounts := []string{"0"}
	for _, c := range f.source.Columns {
		if c.Type == schema.Number && c.Unit != schema.Percent && hintOf(c.Heading) == schema.Discount {
			discounts = append(discounts, "abs(coalesce("+unitsSQL(c)+", 0))")
		}
	}
	var wholes []string
	if c, ok := f.source.ByRole(schema.Gross); ok {
		wholes = append(wholes, unitsSQL(c))
	}
	price, priced := f.source.ByRole(schema.Price)
	if quantity, ok := f.source.ByRole(schema.Quantity); ok && priced {
		wholes = append(wholes, unitsSQL(price)+" * "+unitsSQL(quantity))
	}
	isGiven := refund.Name + " <> 0 AND " + revenue.Name + " IS NOT NULL"
	expressions := []string{countIf(isGiven)}
	for _, whole := range wholes {
		for _, discount := range discounts {
			expressions = append(expressions, countIf(isGiven, fmt.Sprintf("abs(%s - %s - abs(%s) - %s) < 0.011", whole, discount, unitsSQL(refund), unitsSQL(revenue))))
		}
	}
	n, err := f.numbers(ctx, &statement{}, expressions...)
	if err != nil {
		return false, err
	}
	return n[0] > 0 && float64(slices.Max(append(n[1:], 0))) >= agreement*float64(n[0]), nil
}

// markReturns marks the rules of returns if some of these rows have amounts or pieces above
// zero, and if most are lines of orders that sell something, too.
func (f *reversals) markReturns(ctx context.Context) error {
	s := &statement{}
	returns := f.of(schema.Return)
	if len(returns) == 0 {
		return nil
	}
	above := []string{f.amount + " > 0"}
	for _, role := range []schema.Role{schema.Quantity, schema.Cost, schema.Gross} {
		if c, ok := f.source.ByRole(role); ok && c.Type == schema.Number {
			above = append(above, c.Name+" > 0")
		}
	}
	isReturn, sells := f.condition(s, returns), "0"
	if order, ok := f.source.ByRole(schema.Order); ok {
		sells = fmt.Sprintf("%[1]s IN (SELECT %[1]s FROM %[2]s WHERE %[3]s IS NOT TRUE)", order.Name, f.source.From, isReturn)
	}
	n, err := f.numbers(ctx, s, countIf(isReturn), countIf(isReturn, "("+strings.Join(above, " OR ")+")"), countIf(isReturn, sells))
	if err != nil {
		return err
	}
	for i := range f.rules {
		r := &f.rules[i]
		r.Unsigned, r.Within = r.Kind == schema.Return && n[1] > 0, r.Kind == schema.Return && 2*n[2] > n[0]
	}
	return nil
}
