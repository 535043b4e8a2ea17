package tell

import (
	"fmt"
	"slices"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// computedTotals returns the sentence on totals that were computed, since the rows leave them
// blank; "" if no figure is made of them and no filter reads them.
func (v *verbalizer) computedTotals() string {
	t := v.s.Totals
	if t == nil || !t.Computed {
		return ""
	}
	isTotal := func(c schema.Column) bool { return c.Heading == t.Total }
	hasTotal := func(a *plan.Aggregate) bool {
		return a != nil && slices.ContainsFunc(a.Terms, func(t plan.Term) bool { return slices.ContainsFunc(t.Factors, isTotal) })
	}
	isMade := slices.ContainsFunc(v.p.Measures, func(m plan.Measure) bool {
		f, err := plan.FormulaOf(v.s, m)
		return err == nil && (hasTotal(&f.Top) || hasTotal(f.Bottom))
	})
	if !isMade && !slices.ContainsFunc(v.p.Where, func(f plan.Filter) bool { return f.Column == t.Total }) {
		return ""
	}
	return fmt.Sprintf("%s of %s %s no %s; it is computed as %s times %s.", counting(t.Rows, "row"), v.s.Name, agreeing(t.Rows, "has", "have"), pretty(t.Total), pretty(t.Quantity), pretty(t.Price))
}
