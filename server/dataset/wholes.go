package dataset

import (
	"math"
	"slices"

	"svc/server/schema"
)

// settleTotal finds the amount of the rows by the figures, where no heading tells it, and the price and
// the quantity of which it is the product. Of amounts of money that no heading tells it is the product
// of two other columns, or the sum of two. In a list of what was bought, or by what it cost, it is the
// cost.
func (f *numberSample) settleTotal() {
	isDeal := hasAny(*f.source, schema.Day, schema.Order) && hasAny(*f.source, schema.Order, schema.Product, schema.Customer, schema.Supplier)
	if !isDeal || hasAny(*f.source, schema.Stock, schema.Quantity) {
		return
	}
	cost, revenue := f.column(schema.Cost), f.column(schema.Revenue)
	switch {
	case len(f.amounts(schema.None)) > mostAmounts: // a table of many figures, of which any two may add up
	case revenue < 0 && cost >= 0:
		f.settleMultiple([]int{cost})
	case revenue < 0 && !hasAny(*f.source, schema.Gross) && !f.settleMultiple(f.wholes()):
		f.settleSum()
	}
}

// settleMultiple finds which of some amounts is a price times a quantity, and reports whether one is.
func (f *numberSample) settleMultiple(amounts []int) bool {
	factors := f.amounts(schema.None, schema.Price, schema.UnitCost)
	for _, amount := range amounts {
		for i, unit := range factors {
			for _, quantity := range factors[i+1:] {
				if unit != amount && quantity != amount && f.isProduct(unit, quantity, amount) {
					f.giveMultiple(unit, quantity, amount)
					return true
				}
			}
		}
	}
	return false
}

// settleSum finds an amount that others add up to, less what is taken off: labour and parts, or a frame and lenses
// without the voucher.
func (f *numberSample) settleSum() {
	isLost := func(i int) bool { return hasWord(f.source.Columns[i].Heading, lostWords) }
	for _, whole := range slices.DeleteFunc(f.amounts(schema.None), isLost) {
		parts := slices.DeleteFunc(f.amounts(schema.None, schema.Tax, schema.Shipping, schema.Discount), func(i int) bool { return i == whole || isLost(i) })
		mayBe := f.source.Columns[whole].Unit == schema.Money || f.source.Columns[whole].Scale > 0
		for set := 1<<min(len(parts), mostParts) - 1; mayBe && set > 0; set-- {
			if f.isTotal(whole, parts, set) {
				f.giveRole(whole, schema.Revenue)
				return
			}
		}
	}
}

// mostParts bounds the columns among which the parts of an amount are looked for.
const mostParts = 7

// offWords are in the headings of what is taken off an amount.
var offWords = wordSet("disc discount discounts voucher vouchers vchr vch rebate allowance deduction")

// isTotal reports whether an amount is what a set of parts comes to, each of which is in enough rows. Rows with one
// part alone show nothing.
func (f *numberSample) isTotal(whole int, parts []int, set int) bool {
	filled := make([]int, mostParts)
	holds := f.holds(func(row []float64) (float64, float64) {
		sum, n := 0.0, 0
		for i, part := range parts {
			v := row[part]
			if set&(1<<i) == 0 || v == 0 || math.IsNaN(v) {
				continue
			}
			n, filled[i] = n+1, filled[i]+1
			if hasWord(f.source.Columns[part].Heading, offWords) {
				v = -math.Abs(v)
			}
			sum += v
		}
		if n < 2 {
			return noNumber, noNumber
		}
		return sum, row[whole]
	})
	for i, n := range filled {
		holds = holds && (set&(1<<i) == 0 || n >= leastEvidence)
	}
	return holds
}

// settleMoney makes a number without a role money where it is what an amount of money and another
// number are together, or what is left of one: Payout beside Guest Total and Channel Fee.
func (f *numberSample) settleMoney() {
	rest := f.amounts(schema.None)
	if len(rest) > mostAmounts {
		return
	}
	columns := f.source.Columns
	isMoney := func(i int) bool { return columns[i].Unit == schema.Money || moneyRoles[columns[i].Role] }
	var known []int
	for i, c := range columns {
		if c.Type == schema.Number && isMoney(i) && c.Role != schema.Price && c.Role != schema.UnitCost {
			known = append(known, i)
		}
	}
	for _, a := range rest {
		for _, b := range slices.Concat(rest, known) {
			for _, whole := range known {
				if a == b || a == whole || b == whole || isMoney(a) && isMoney(b) || columns[a].Scale == 0 {
					continue
				}
				if f.isSum(a, b, whole) || f.isSum(a, whole, b) {
					columns[a].Unit, columns[b].Unit = schema.Money, schema.Money
				}
			}
		}
	}
}

// lostWords are in the headings of amounts that are no takings.
var lostWords = wordSet("lost loss waste wasted diff difference variance write off saved budget target forecast opening closing open close balance bal deposit owed owing due paid limit bonus topup credit float")

// wholes returns the columns of money that may be the amounts of the rows.
func (f *numberSample) wholes() []int {
	return slices.DeleteFunc(f.amounts(schema.None), func(i int) bool {
		c := f.source.Columns[i]
		return c.Unit != schema.Money || hasWord(c.Heading, lostWords)
	})
}

// mostAmounts bounds the numbers without a role among which an amount is looked for.
const mostAmounts = 12

// isSum reports whether an amount is two others together. Rows without one of them show nothing.
func (f *numberSample) isSum(a, b, whole int) bool {
	return f.holds(func(row []float64) (float64, float64) {
		if row[a] == 0 || row[b] == 0 {
			return noNumber, noNumber
		}
		return row[a] + row[b], row[whole]
	})
}

// giveMultiple gives their roles to an amount and to the price and the quantity of which it is the
// product. The price has a sign, or the larger numbers.
func (f *numberSample) giveMultiple(unit, quantity, amount int) {
	columns := f.source.Columns
	isPrice := func(i int) bool {
		return columns[i].Unit == schema.Money || columns[i].Role == schema.Price || columns[i].Role == schema.UnitCost
	}
	if isPrice(quantity) || !isPrice(unit) && f.mean(quantity) > f.mean(unit) {
		unit, quantity = quantity, unit
	}
	isBought := columns[amount].Role == schema.Cost || ofPurchases(*f.source)
	of, each := schema.Revenue, schema.Price
	if isBought || columns[unit].Role == schema.UnitCost || hasWord(columns[unit].Heading, costWords) {
		of, each = schema.Cost, schema.UnitCost
	}
	f.giveRole(amount, of)
	f.giveRole(unit, each)
	if columns[quantity].Scale == 0 || isBought {
		f.giveRole(quantity, schema.Quantity)
	} else {
		columns[quantity].Factor = true
	}
}

// costWords are in the headings of what the shop pays for a unit.
var costWords = wordSet("cost whsl wholesale buy landed")

// mean returns the mean of a column's numbers.
func (f *numberSample) mean(column int) float64 {
	sum, n := 0.0, 0.0
	for _, row := range f.rows {
		if v := row[column]; !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	return sum / max(n, 1)
}
