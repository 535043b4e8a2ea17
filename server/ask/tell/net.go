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
	isChosen := v.choosesState()
	if v.p.CountsBookings(v.s) && !isChosen {
		some := func(kind schema.ReversalKind) bool {
			return slices.ContainsFunc(v.s.Reversals, func(r schema.Reversal) bool { return r.Kind == kind && r.Rows > 0 })
		}
		names := namesIf(namedIf{"cancelled", some(schema.CancelledSale)}, namedIf{"missed", some(schema.MissedSale)}, namedIf{"unfinished", some(schema.DraftSale)})
		return []string{plan.Capitalized(Joined(names)) + " ones are counted, too."}
	}
	has := func(kinds ...schema.ReversalKind) bool {
		return slices.ContainsFunc(v.s.Reversals, func(r schema.Reversal) bool {
			return slices.Contains(kinds, r.Kind) && r.Rows > 0 && !r.Unused && !(len(r.Values) > 0 && isChosen)
		})
	}
	kinds := namesIf(namedIf{"refunded", has(schema.RefundedSale)}, namedIf{"cancelled", has(schema.CancelledSale)}, namedIf{"missed", has(schema.MissedSale)}, namedIf{"unfinished", has(schema.DraftSale)})
	refunds := map[bool]string{true: "credit notes", false: "refunds"}[v.s.Kind == schema.Purchases]
	net := namesIf(namedIf{refunds, has(schema.RefundedSale, schema.RefundPart, schema.Return)}, namedIf{"cancellations", has(schema.CancelledSale)}, namedIf{"no-shows", has(schema.MissedSale)}, namedIf{"unfinished sales", has(schema.DraftSale)})
	sold := namesIf(namedIf{Joined(kinds) + " sales", len(kinds) > 0}, namedIf{"returns", has(schema.Return)}, namedIf{"refunds in part", has(schema.RefundPart)})
	made := namesIf(namedIf{"cancelled sales", has(schema.CancelledSale)}, namedIf{"no-shows", has(schema.MissedSale)}, namedIf{"unfinished sales", has(schema.DraftSale)}, namedIf{"returns", has(schema.Return)})
	sums := v.isOf(plan.NetRows)
	switch {
	case sums && len(net) > 0:
		out = append(out, "Net of "+Joined(net)+".")
	case !sums && v.isOf(plan.SoldRows) && len(sold) > 0:
		out = append(out, "Without "+Joined(sold)+".")
	case !sums && v.isOf(plan.MadeRows) && len(made) > 0:
		out = append(out, "Without "+Joined(made)+".")
	}
	if v.isAmount() && has(schema.RefundUnknown) {
		out = append(out, "Sales that were refunded in part count in full, since no column has the amount.")
	}
	isOfOrders := func(r schema.Reversal) bool { return r.Whole && r.Unused && len(r.Counts) > 0 && r.Counts[0] > 0 }
	if i := slices.IndexFunc(v.s.Reversals, isOfOrders); i >= 0 && (sums || v.isOf(plan.RefundedRows)) && v.isNetOtherwise() {
		out = append(out, fmt.Sprintf("Refunds of a part of an order are left out, since %s does not tell of which line they are.", pretty(v.s.Reversals[i].Column)))
	}
	return append(out, v.leftOut()...)
}

// leftOut returns the sentence on amounts of whole orders that figures of their lines do not
// have; none if there are none.
func (v *verbalizer) leftOut() []string {
	var names []string
	what, does := "Discounts", "does"
	for _, c := range plan.LeftOut(v.s, v.p.Measures) {
		if names = append(names, pretty(c.Heading)); len(names) > 1 {
			does = "do"
		}
		if c.Lost != schema.Discount {
			what = "Amounts"
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s of whole orders are left out, since %s %s not tell of which line they are.", what, Joined(names), does)}
}

// choosesState reports whether a filter chooses sales by their state, so that it says itself
// which are meant.
func (v *verbalizer) choosesState() bool {
	return slices.ContainsFunc(v.p.Where, func(f plan.Filter) bool {
		isState := func(r schema.Reversal) bool { return r.Column == f.Column && len(r.Values) > 0 }
		return f.Op == plan.In && slices.ContainsFunc(v.s.Reversals, isState)
	})
}

// hasUnknownRefunds reports whether the figures lack refunds whose amounts no column has.
func (v *verbalizer) hasUnknownRefunds() bool {
	isUnknown := func(r schema.Reversal) bool { return r.Kind == schema.RefundUnknown && !r.Unused }
	return slices.ContainsFunc(v.s.Reversals, isUnknown) && v.isAmount()
}

// isAmount reports whether a figure is made of what sales came to, net of refunds.
func (v *verbalizer) isAmount() bool {
	return v.isOf(plan.NetRows) || slices.ContainsFunc(v.p.Measures, func(m plan.Measure) bool {
		f, err := plan.FormulaOf(v.s, m)
		return err == nil && f.Top.Rows == plan.SoldRows && f.Top.Fold == plan.FoldSum
	})
}

// namedIf is a name of sales, and whether the data have them.
type namedIf struct {
	name  string
	holds bool
}

// namesIf returns the names whose conditions hold.
func namesIf(all ...namedIf) (names []string) {
	for _, one := range all {
		if one.holds {
			names = append(names, one.name)
		}
	}
	return names
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
