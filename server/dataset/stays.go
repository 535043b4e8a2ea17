package dataset

import (
	"math"

	"svc/server/header"
	"svc/server/schema"
)

// spanCounters are in the headings of how long something was booked for.
var spanCounters = wordSet("nights nts days hours hrs weeks minutes mins")

// steepPrice and fewSpans bound what shows that a price is that of a whole stay: how fast it grows with the
// length, where 0 is not at all and 1 is in proportion, and the rows that must show it.
const (
	steepPrice = 0.5
	fewSpans   = 30
)

// settleStays makes the price of a booking its amount, where there is no other and the price grows with how
// long the booking is: a night costs the same in a short stay and in a long one.
func (f *numberSample) settleStays() {
	price := f.column(schema.Price)
	isStay := hasAny(*f.source, schema.Day) && !hasAny(*f.source, schema.Revenue, schema.Gross, schema.Quantity, schema.Stock, schema.UnitCost)
	if price < 0 || !isStay || hasWord(f.source.Columns[price].Heading, union(eachWords, spanCounters)) {
		return
	}
	for i, c := range f.source.Columns {
		isSpan := c.Type == schema.Number && c.Role == schema.None && c.Unit == schema.Plain && hasWord(writtenOut(header.Fold(c.Heading)), spanCounters)
		if isSpan && f.slope(i, price) > steepPrice {
			f.giveRole(price, schema.Revenue)
			settleOwed(f.source)
			return
		}
	}
}

// slope returns how fast the logarithm of one column grows with that of another, by least squares; 0 if too
// few rows show it.
func (f *numberSample) slope(of, what int) float64 {
	var n, x, y, xx, xy float64
	for _, row := range f.rows {
		if !(row[of] > 0 && row[what] > 0) {
			continue
		}
		a, b := math.Log(row[of]), math.Log(row[what])
		n, x, y, xx, xy = n+1, x+a, y+b, xx+a*a, xy+a*b
	}
	if spread := n*xx - x*x; n >= fewSpans && spread > 0 {
		return (n*xy - x*y) / spread
	}
	return 0
}
