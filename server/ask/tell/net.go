package tell

import (
	"fmt"
	"slices"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// net returns the sentences on cancelled and refunded sales that the figures leave out, and
// on refunds that they do not (I4); none if the data have no such sales.
func (v *verbalizer) net() (out []string) {
	has := func(kinds ...schema.ReversalKind) bool {
		return slices.ContainsFunc(v.s.Reversals, func(r schema.Reversal) bool { return slices.Contains(kinds, r.Kind) && r.Rows > 0 && !r.Unused })
	}
	sums, counts := v.isOf(plan.NetRows), v.isOf(plan.SoldRows)
	var left, without []string
	if has(schema.RefundedSale, schema.Return) || sums && has(schema.RefundPart) {
		left, without = append(left, "refunds"), append(without, "refunds")
	}
	if has(schema.CancelledSale) {
		left, without = append(left, "cancellations"), append(without, "cancelled sales")
	}
	switch {
	case len(left) == 0:
	case sums:
		out = append(out, "Net of "+joined(left)+".")
	case counts:
		out = append(out, plan.Capitalized(joined(without))+" are not counted.")
	}
	for _, r := range v.s.Reversals {
		if r.Kind == schema.RefundPart && r.Whole && r.Unused && r.Rows > 0 && sums && v.isNetOtherwise() {
			out = append(out, fmt.Sprintf("Refunds of a part of an order are not subtracted, since %s does not tell of which line they are.", pretty(r.Column)))
		}
	}
	return out
}

// isOf reports whether a figure is of the rows of a scope.
func (v *verbalizer) isOf(rows plan.Scope) bool {
	return slices.ContainsFunc(v.p.Measures, func(m plan.Measure) bool {
		f, err := plan.FormulaOf(v.s, m)
		return err == nil && (f.Top.Rows == rows || f.Bottom != nil && f.Bottom.Rows == rows)
	})
}

// isNetOtherwise reports whether the rules apply that are not of refunds of orders.
func (v *verbalizer) isNetOtherwise() bool {
	return !slices.ContainsFunc(v.s.Reversals, func(r schema.Reversal) bool { return r.Unused && !r.Whole })
}
