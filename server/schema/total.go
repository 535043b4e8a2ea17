package schema

import (
	"slices"
	"strings"
)

// Totals are the totals that rows of a file leave blank, though they have a quantity and the
// price of one. Headings name the columns.
type Totals struct {
	Total, Price, Quantity string
	Rows                   int64 // in which the total is computed
	Computed               bool  `json:"-"` // the source is one of WithTotals
}

// WithTotals returns the source with the totals computed, exactly, that its rows leave blank.
// The rows of the file stay as they are.
func (s Source) WithTotals() Source {
	if s.Totals == nil || s.Totals.Computed {
		return s
	}
	s.Columns = slices.Clone(s.Columns)
	find := func(heading string) *Column {
		return &s.Columns[slices.IndexFunc(s.Columns, func(c Column) bool { return c.Heading == heading })]
	}
	total, price, quantity := find(s.Totals.Total), find(s.Totals.Price), find(s.Totals.Quantity)
	written, product, scale := TotalsSQL(*total, *price, *quantity)
	made := "coalesce(" + written + ", " + product + ")"
	var columns []string
	for i := range s.Columns {
		if c := &s.Columns[i]; c == total {
			columns = append(columns, made+" AS "+c.Name)
		} else {
			columns = append(columns, c.Name)
		}
	}
	totals := *s.Totals
	totals.Computed, s.Totals = true, &totals
	total.Scale = scale
	total.Blank -= totals.Rows
	s.From = "(SELECT " + strings.Join(columns, ", ") + " FROM " + s.From + ")"
	return s
}

// TotalsSQL returns the expressions of a row's total as it is written and as it is computed, both
// with the same scale.
func TotalsSQL(total, price, quantity Column) (written, product string, scale int) {
	scale = max(total.Scale, price.Scale+quantity.Scale)
	written = total.Name + tenTo(scale-total.Scale)
	product = price.Name + " * " + quantity.Name + tenTo(scale-price.Scale-quantity.Scale)
	return written, product, scale
}

// tenTo returns a factor of a power of ten, or "" for one.
func tenTo(places int) string {
	if places == 0 {
		return ""
	}
	return " * 1" + strings.Repeat("0", places)
}
