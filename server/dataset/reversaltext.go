package dataset

import (
	"fmt"
	"slices"
	"strings"

	"svc/server/schema"
)

// ReversalTexts returns how a source's cancelled and refunded sales are recognized, by
// column: "12 refunded, 3 voided rows do not count as revenue".
func ReversalTexts(source schema.Source) (all []Warning) {
	for i, r := range source.Reversals {
		isWhole := func(r schema.Reversal) bool {
			return r.Kind == schema.CancelledSale || r.Kind == schema.MissedSale || r.Kind == schema.DraftSale || r.Kind == schema.RefundedSale
		}
		before := slices.IndexFunc(source.Reversals[:i], func(b schema.Reversal) bool { return b.Column == r.Column && isWhole(b) && isWhole(r) })
		if r.Kind == schema.RefundPart {
			r.Rows, r.Counts = r.Counts[0], nil
		}
		if r.Rows == 0 || before >= 0 {
			continue
		}
		for _, other := range source.Reversals[i+1:] {
			if other.Column == r.Column && isWhole(other) && isWhole(r) {
				r.Values, r.Counts, r.Rows = slices.Concat(r.Values, other.Values), slices.Concat(r.Counts, other.Counts), r.Rows+other.Rows
			}
		}
		all = append(all, Warning{Heading: r.Column, Reason: reversalText(source, r)})
	}
	return append(all, orderTexts(source)...)
}

func reversalText(source schema.Source, r schema.Reversal) string {
	c := source.Columns[findColumn(source, r.Column)]
	if r.Kind == schema.RefundPart {
		of := map[bool]string{true: " of orders"}[r.Whole]
		return fmt.Sprintf("the refunds%s in %s are subtracted from revenue", of, rowsOf(c, r))
	}
	sales := "sales"
	if source.Kind == schema.Purchases {
		sales = "purchases"
	}
	does := func(one, several string) string {
		if r.Rows == 1 {
			return one
		}
		return several
	}
	switch {
	case r.Kind == schema.RefundUnknown:
		return rowsOf(c, r) + " " + does("counts", "count") + " in full, since no column has what was refunded"
	case r.Kind != schema.Return && len(r.Values) == 0:
		return rowsOf(c, r) + " with a day " + does("does", "do") + " not count as revenue"
	case r.Kind != schema.Return:
		return rowsOf(c, r) + " " + does("does", "do") + " not count as revenue"
	case len(r.Values) > 0:
		return rowsOf(c, r) + " " + does("takes", "take") + " " + sales + " back"
	case c.Type == schema.Number:
		return rowsOf(c, r) + " below zero " + does("takes", "take") + " " + sales + " back"
	}
	return rowsOf(c, r) + " with the number of a credit note, C and digits, " + does("takes", "take") + " " + sales + " back"
}

// rowsOf returns the rows of a rule: "1 row", "3 rows", "2 refunded, 1 returned rows".
func rowsOf(c schema.Column, r schema.Reversal) string {
	rows := "rows"
	if r.Rows == 1 {
		rows = "row"
	}
	var parts []string
	for i, v := range r.Values {
		if c.Type == schema.Truth {
			v = "marked"
		}
		parts = append(parts, fmt.Sprintf("%d %s", r.Counts[i], v))
	}
	if len(parts) == 0 {
		parts = []string{fmt.Sprint(r.Rows)}
	}
	return strings.Join(parts, ", ") + " " + rows
}
