package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"svc/server/schema"
)

// FoldMedian is the middle value, or the mean of the two in the middle.
const FoldMedian Fold = "median"

// Percentile returns the fold with n per cent of the values below it, n from 1 to 99, by
// linear interpolation between the two nearest values.
func Percentile(n int) Fold { return Fold("p" + strconv.Itoa(n)) }

// Percent returns n of a Percentile, which is 50 for the median; false for other folds.
func (f Fold) Percent() (n int, ok bool) {
	if f == FoldMedian {
		return 50, true
	}
	digits, isPercentile := strings.CutPrefix(string(f), "p")
	n, err := strconv.Atoi(digits)
	return n, isPercentile && err == nil && n > 0 && n < 100 && Percentile(n) == f
}

// folded returns the formula of a measure with its Per and Fold, from that without.
func folded(s schema.Source, m Measure, f Formula) (Formula, error) {
	fold := m.Fold
	if fold == FoldMean {
		fold = ""
	}
	if m.Per == "" {
		if fold != "" {
			f.Top.Fold = fold
		}
		return f, nil
	}
	if f.Bottom != nil {
		return Formula{}, fmt.Errorf("%s is already a quotient", m.Metric.Title())
	}
	if f.Top.Fold == FoldLatest {
		return Formula{}, fmt.Errorf("%q has no total to divide", m.Column)
	}
	bottom, err := divisor(s, m.Per)
	if err != nil {
		return Formula{}, err
	}
	if fold != "" && bottom.Fold == FoldRows { // the values themselves are the parts
		if f.Top.Fold != FoldSum {
			return Formula{}, fmt.Errorf("%s has no %s per %s", m.Metric.Title(), m.Fold, m.Per)
		}
		f.Top.Fold = fold
		return f, nil
	}
	isWithin := func(r schema.Reversal) bool { return r.Kind == schema.Return && r.Within && !r.Unused }
	switch { // the amounts are those of the orders that are counted
	case f.Top.Rows != NetRows || bottom.Rows != SoldRows:
	case slices.ContainsFunc(s.Reversals, isWithin):
		bottom.Rows = NetRows
	default:
		f.Top.Rows = SoldRows
	}
	f.Bottom, f.Fold = &bottom, fold
	return f, nil
}

// checkFold returns an error if a measure's Fold does not fit its metric and Per.
func checkFold(m Measure, s schema.Source) error {
	if m.Fold == "" {
		return nil
	}
	_, isPercentile := m.Fold.Percent()
	switch {
	case !isPercentile && m.Fold != FoldMean && m.Fold != FoldLeast && m.Fold != FoldMost:
		return fmt.Errorf("unknown fold %q", m.Fold)
	case m.Per == "" && (m.Metric != Average || m.Fold == FoldLeast || m.Fold == FoldMost):
		return fmt.Errorf("fold %q needs the average of a column, or per", m.Fold)
	case m.Per == PerUnit && m.Fold != FoldMean:
		return fmt.Errorf("units have no fold %q", m.Fold)
	}
	plain := m
	plain.Per, plain.Fold = "", ""
	f, err := FormulaOf(s, plain)
	if err == nil && m.Per != "" && m.Fold != FoldMean && !slices.Contains([]Fold{FoldSum, FoldRows, FoldDistinct}, f.Top.Fold) {
		return fmt.Errorf("%s has no %s per %s", m.Metric.Title(), m.Fold, m.Per)
	}
	return err
}

// daysSince returns the formula of the days from one column to another.
func daysSince(s schema.Source, m Measure, d definition) (Formula, error) {
	to, ok1 := Column(s, m.Column)
	from, ok2 := Column(s, m.Since)
	if !ok1 || !ok2 || !hasPart(to, Day) || !hasPart(from, Day) || m.Metric == Distinct {
		return Formula{}, fmt.Errorf("there are no days from %q to %q", m.Since, m.Column)
	}
	return Formula{Top: Aggregate{Fold: d.fold, Terms: termOf(to), Since: &from}, Unit: schema.Count}, nil
}

// narrowing are the roles of columns on which a condition chooses what was sold, to whom,
// or how it was paid, and not a place or a time.
var narrowing = []schema.Role{
	schema.Product, schema.SKU, schema.Category, schema.Brand, schema.Supplier, schema.Customer, schema.Segment,
	schema.Payment, schema.Order, schema.Status,
}

// Narrows reports whether a condition on a column leaves the parts of time by which
// Measure.Per divides as they are: the shop was open on a day on which it sold no tea. A
// condition on a place or a time restricts them as well, and in sources other than sales
// and purchases so does each condition.
func Narrows(s schema.Source, c schema.Column) bool {
	return (s.Kind == schema.Sales || s.Kind == schema.Purchases) &&
		(c.Type == schema.Number || c.Type == schema.Truth || slices.Contains(narrowing, c.Role))
}
