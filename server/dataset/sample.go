package dataset

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"svc/db"
	"svc/server/header"
	"svc/server/schema"
)

// numberSample is a sample of a table's numbers that checks the roles from headings: a
// price times a quantity is an amount, whatever the headings are.
type numberSample struct {
	source *schema.Source
	rows   [][]float64 // by column; NaN: no number
}

const (
	sampleRows = 2000
	// leastEvidence is how many rows must show something, and agreement the share of them
	// that must agree.
	leastEvidence = 5
	agreement     = 0.95
)

// takeSample reads rows spread over the whole table.
func takeSample(ctx context.Context, file *db.DataFile, source *schema.Source) (*numberSample, error) {
	f := &numberSample{source: source}
	var names []string
	for _, c := range source.Columns {
		if c.Type == schema.Number {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return f, nil
	}
	step := max(1, source.Rows/sampleRows)
	found, err := file.Query(ctx, sampleRows, "SELECT "+strings.Join(names, ", ")+" FROM rows WHERE rowid % $1 = 0", step)
	if err != nil {
		return nil, err
	}
	for _, row := range found.Rows {
		f.rows = append(f.rows, f.byColumn(row))
	}
	return f, nil
}

// byColumn returns a row's numbers, each at the index of its column.
func (f *numberSample) byColumn(row []any) []float64 {
	all := make([]float64, len(f.source.Columns))
	for i, c := range f.source.Columns {
		all[i] = math.NaN()
		if c.Type != schema.Number {
			continue
		}
		if n, ok := row[0].(int64); ok {
			all[i] = float64(n) / math.Pow10(c.Scale)
		}
		row = row[1:]
	}
	return all
}

// holds reports whether two figures are equal in nearly all rows that have both, and
// whether there are enough such rows.
func (f *numberSample) holds(pair func(row []float64) (a, b float64)) bool {
	seen, same := 0, 0
	for _, row := range f.rows {
		a, b := pair(row)
		if math.IsNaN(a) || math.IsNaN(b) {
			continue
		}
		seen++
		if isClose(a, b) {
			same++
		}
	}
	return seen >= leastEvidence && float64(same) >= agreement*float64(seen)
}

// isClose reports whether two figures differ by no more than rounding to hundredths, or to
// four digits, explains.
func isClose(a, b float64) bool { return math.Abs(a-b) <= max(0.011, math.Abs(b)*0.0005) }

// noNumber marks a row that shows nothing.
var noNumber = math.NaN()

// isProduct reports whether unit × quantity is the amount, less a discount if there is one. Rows of one piece show
// nothing.
func (f *numberSample) isProduct(unit, quantity, amount int) bool {
	off := slices.IndexFunc(f.source.Columns, func(c schema.Column) bool {
		return c.Type == schema.Number && hasWord(c.Heading, wordSet("discount disc"))
	})
	isShare := off >= 0 && f.source.Columns[off].Unit == schema.Percent
	return f.holds(func(row []float64) (float64, float64) {
		if q := row[quantity]; q == 1 || row[unit] == 0 || q == 0 {
			return noNumber, noNumber
		}
		whole := row[unit] * row[quantity]
		switch isLess := off >= 0 && off != amount && !math.IsNaN(row[off]) && !isClose(whole, row[amount]); {
		case isLess && isShare:
			whole *= 1 - row[off]/100
		case isLess:
			whole -= math.Abs(row[off])
		}
		return whole, row[amount]
	})
}

// column returns the index of the column with a role, or -1.
func (f *numberSample) column(role schema.Role) int {
	return slices.IndexFunc(f.source.Columns, func(c schema.Column) bool { return c.Role == role })
}

func (f *numberSample) giveRole(column int, role schema.Role) {
	giveRole(f.source.Columns, column, role)
}

// amounts returns the columns that may be money and have one of the roles.
func (f *numberSample) amounts(roles ...schema.Role) (all []int) {
	for i, c := range f.source.Columns {
		if c.Type == schema.Number && c.Unit != schema.Percent && slices.Contains(roles, c.Role) {
			all = append(all, i)
		}
	}
	return all
}

// settle corrects the roles of headings by the figures.
func (f *numberSample) settle() {
	f.settleAmounts()
	f.settleFees()
	f.settleTotal()
	f.settleStays()
	f.settleParts()
	f.findFactor()
	f.settleTaxed()
	f.settleWholeStock()
	f.settleCosts()
	f.settleBought()
	f.settleSoldAt()
	f.settleProfit()
	f.settleMoney()
	f.dropContradictions()
}

// settleAmounts distinguishes the price of a unit from the amount of the row.
func (f *numberSample) settleAmounts() {
	quantity := f.column(schema.Quantity)
	if quantity < 0 {
		return
	}
	for _, unit := range f.amounts(schema.Price, schema.Revenue, schema.None) {
		for _, amount := range f.amounts(schema.Revenue, schema.Gross, schema.Price, schema.None) {
			if unit != amount && f.maySettle(unit, amount) && f.isProduct(unit, quantity, amount) {
				f.giveAmounts(unit, amount)
				return
			}
		}
	}
}

// settleFees takes the role from a fee that is no price times a quantity, or is beside a gross amount: that of a
// marketplace or of payments. What is left without it then has the role: Gross, Fee, Net.
func (f *numberSample) settleFees() {
	isFee := func(c schema.Column) bool { return hasWord(c.Heading, wordSet("fee fees commission charge charges")) }
	price, quantity, revenue := f.column(schema.Price), f.column(schema.Quantity), f.column(schema.Revenue)
	if revenue < 0 || !isFee(f.source.Columns[revenue]) {
		return
	}
	isTaken := f.column(schema.Gross) >= 0
	if !isTaken && (price < 0 || quantity < 0 || f.isProduct(price, quantity, revenue)) {
		return
	}
	f.source.Columns[revenue].Role, f.source.Columns[revenue].Unit = schema.None, schema.Money
	if isTaken {
		giveFirst(f.source, schema.Revenue, func(c schema.Column) bool { return hintOf(c.Heading) == schema.Revenue && !isFee(c) })
	}
}

// maySettle reports whether one of the pair is known to be what something was sold for,
// and the amount would not replace a better one.
func (f *numberSample) maySettle(unit, amount int) bool {
	revenue := f.column(schema.Revenue)
	switch f.source.Columns[amount].Role {
	case schema.Revenue, schema.Gross:
		return true
	case schema.None:
		isKnown := f.source.Columns[unit].Role != schema.None
		return isKnown && (revenue < 0 || revenue == unit)
	}
	return revenue < 0 || revenue == unit
}

func (f *numberSample) giveAmounts(unit, amount int) {
	wasRevenue := f.source.Columns[unit].Role == schema.Revenue
	if role := f.source.Columns[amount].Role; role == schema.None || role == schema.Price {
		f.giveRole(amount, schema.Revenue)
	}
	if wasRevenue || f.column(schema.Price) < 0 {
		f.giveRole(unit, schema.Price)
	}
}

// settleParts takes the role from an amount that is only a part of the revenue: Food Sales beside Bar
// Sales, or beside Card Total and Cash Total. An amount that is all parts together has it.
func (f *numberSample) settleParts() {
	revenue := f.column(schema.Revenue)
	if revenue < 0 || !f.source.Columns[revenue].IsOfGoods() {
		return
	}
	f.source.Columns[revenue].Role = schema.None
	parts := f.source.Tenders()
	isPart := func(i int) bool {
		return slices.ContainsFunc(parts, func(c schema.Column) bool { return c.Heading == f.source.Columns[i].Heading })
	}
	sum := func(row []float64) (all float64) {
		for i, n := range row {
			if isPart(i) && !math.IsNaN(n) {
				all += n
			}
		}
		return all
	}
	amounts := f.amounts(schema.None)
	total := slices.IndexFunc(amounts, func(i int) bool {
		return f.holds(func(row []float64) (float64, float64) {
			if isPart(i) {
				return sum(row), 2 * row[i]
			}
			return sum(row), row[i]
		})
	})
	switch {
	case parts == nil:
		f.giveRole(revenue, schema.Revenue)
	case total >= 0:
		f.giveRole(amounts[total], schema.Revenue)
	}
}

// findFactor marks what amounts are prices times of, where there is no quantity. Whole numbers that are
// named by how goods went out are the quantity, even beside what was ordered: Ordered, Sent, Returned.
func (f *numberSample) findFactor() {
	price, revenue, quantity := f.column(schema.Price), f.column(schema.Revenue), f.column(schema.Quantity)
	if price < 0 || revenue < 0 || quantity >= 0 && f.isProduct(price, quantity, revenue) {
		return
	}
	for i, c := range f.source.Columns {
		isSent := c.Scale == 0 && c.Unit != schema.Money && (hasWord(c.Heading, sentWords) || hasWord(c.Heading, soldWords))
		if c.Type != schema.Number || c.Role != schema.None || c.Unit == schema.Percent || quantity >= 0 && !isSent || !f.isProduct(price, i, revenue) {
			continue
		}
		if f.source.Columns[i].Factor = true; isSent {
			f.giveRole(i, schema.Quantity)
		}
		return
	}
}

// settleTaxed takes the role from a gross amount that is the revenue with tax, or with the fee of a marketplace:
// no discount was taken off it.
func (f *numberSample) settleTaxed() {
	gross, revenue := f.column(schema.Gross), f.column(schema.Revenue)
	if gross < 0 || revenue < 0 {
		return
	}
	for _, part := range f.amounts(schema.Tax, schema.None) {
		isTaken := f.source.Columns[part].Role == schema.Tax || hasWord(f.source.Columns[part].Heading, wordSet("fee fees commission"))
		if isTaken && (f.isRest(gross, []int{part}, revenue) || f.isRest(revenue, []int{part}, gross)) { // fees may be below zero
			f.source.Columns[gross].Role, f.source.Columns[gross].Unit = schema.None, schema.Money
		}
	}
}

// settleCosts distinguishes the cost of a unit from the cost of the row.
func (f *numberSample) settleCosts() {
	cost, quantity := f.column(schema.Cost), f.column(schema.Quantity)
	if cost < 0 || f.column(schema.UnitCost) >= 0 {
		return
	}
	if f.column(schema.Stock) >= 0 || quantity >= 0 && f.isCostOfOne(cost, quantity) {
		f.giveRole(cost, schema.UnitCost)
	}
}

func (f *numberSample) isCostOfOne(cost, quantity int) bool {
	revenue, profit, price := f.column(schema.Revenue), f.column(schema.Profit), f.column(schema.Price)
	if revenue >= 0 && profit >= 0 {
		return f.holds(func(row []float64) (float64, float64) {
			if row[quantity] == 1 {
				return noNumber, noNumber
			}
			return row[revenue] - row[cost]*row[quantity], row[profit]
		})
	}
	return price >= 0 && f.holds(func(row []float64) (float64, float64) { // the cost of several pieces exceeds the price of one
		if row[quantity] < 2 || row[price] == 0 {
			return noNumber, noNumber
		}
		return 0, max(0, row[cost]-row[price])
	})
}

// settleBought makes an amount the cost of what was bought where it is what a unit costs by some number of
// them, and nothing has a price at which it is sold. What a heading calls the cost is then that of a unit.
func (f *numberSample) settleBought() {
	unit, cost, amount := f.column(schema.UnitCost), f.column(schema.Cost), f.column(schema.Revenue)
	if unit >= 0 && cost >= 0 || hasAny(*f.source, schema.Price, schema.Customer, schema.Stock) {
		return
	}
	if unit = max(unit, cost); unit < 0 || amount < 0 {
		return
	}
	for _, quantity := range f.amounts(schema.Quantity, schema.None) {
		if quantity != unit && quantity != amount && f.isProduct(unit, quantity, amount) {
			f.giveRole(unit, schema.UnitCost)
			f.giveRole(amount, schema.Cost)
			f.giveRole(quantity, schema.Quantity)
			if gross := f.column(schema.Gross); gross >= 0 { // with tax, of a bill
				f.source.Columns[gross].Role, f.source.Columns[gross].Unit = schema.None, schema.Money
			}
			return
		}
	}
}

// settleSoldAt makes what a piece is said to cost the price where customers pay that for each: Item Cost of a web shop.
func (f *numberSample) settleSoldAt() {
	unit, quantity, amount := f.column(schema.UnitCost), f.column(schema.Quantity), f.column(schema.Revenue)
	if unit < 0 || quantity < 0 || amount < 0 || hasAny(*f.source, schema.Price) || !hasAny(*f.source, schema.Customer) {
		return
	}
	if f.isProduct(unit, quantity, amount) {
		f.giveRole(unit, schema.Price)
	}
}

// settleWholeStock makes a total of whole numbers the stock in a list of goods, if it is what columns beside
// it, of one place each, are together.
func (f *numberSample) settleWholeStock() {
	total := slices.IndexFunc(f.source.Columns, func(c schema.Column) bool {
		return c.Type == schema.Number && c.Unit == schema.Plain && (c.Role == schema.Revenue || c.Role == schema.Quantity || c.Role == schema.None) && hasWord(writtenOut(header.Fold(c.Heading)), wordSet("total"))
	})
	isList := hasAny(*f.source, schema.UnitCost, schema.Price) && hasAny(*f.source, schema.Supplier, schema.Reorder, schema.UnitCost, schema.Cost)
	if total < 0 || !isList || f.source.Columns[total].Scale > 0 || hasAny(*f.source, schema.Day, schema.Order, schema.Customer, schema.Stock) {
		return
	}
	for n := 2; n <= mostPlaces; n++ {
		for _, first := range []int{total - n, total + 1} {
			if f.isSumOfRun(first, first+n, total) {
				f.giveRole(total, schema.Stock)
				return
			}
		}
	}
}

// isSumOfRun reports whether a column is the sum of some whole numbers without a role that are beside each other.
func (f *numberSample) isSumOfRun(from, to, total int) bool {
	if from < 0 || to > len(f.source.Columns) || slices.ContainsFunc(f.source.Columns[from:to], func(c schema.Column) bool {
		return c.Type != schema.Number || c.Role != schema.None || c.Scale > 0 || c.Unit != schema.Plain
	}) {
		return false
	}
	return f.holds(func(row []float64) (sum, all float64) {
		for _, held := range row[from:to] {
			if !math.IsNaN(held) {
				sum += held
			}
		}
		return sum, row[total]
	})
}

// settleProfit finds the missing one of cost and profit as revenue less the other, and less the tax that is in it.
func (f *numberSample) settleProfit() {
	revenue, cost, profit := f.column(schema.Revenue), f.column(schema.Cost), f.column(schema.Profit)
	if revenue < 0 || (cost < 0) == (profit < 0) {
		return
	}
	known, missing := cost, schema.Profit
	if cost < 0 {
		known, missing = profit, schema.Cost
	}
	ways := [][]int{{known}}
	if tax := f.column(schema.Tax); tax >= 0 {
		ways = append(ways, []int{known, tax})
	}
	for _, less := range ways {
		for i, c := range f.source.Columns {
			isFree := c.Role == schema.None || c.Role == schema.Margin && missing == schema.Profit
			if c.Type == schema.Number && isFree && f.isRest(revenue, less, i) {
				f.source.Columns[i].Unit = schema.Money
				f.giveRole(i, missing)
				return
			}
		}
	}
}

// dropContradictions takes away roles that the figures contradict.
func (f *numberSample) dropContradictions() {
	unit, cost, quantity := f.column(schema.UnitCost), f.column(schema.Cost), f.column(schema.Quantity)
	if unit >= 0 && cost >= 0 && quantity >= 0 && !f.isProduct(unit, quantity, cost) {
		f.source.Columns[unit].Role = schema.None
	}
	if discount := f.column(schema.Discount); discount >= 0 && f.isNegative(discount) {
		f.source.Columns[discount].Role = schema.None
	}
}

// extras returns the warning that revenue is with shipping or tax, if another column is
// without them; none if the figures show nothing of it.
func (f *numberSample) extras() []Warning {
	revenue, shipping, tax := f.column(schema.Revenue), f.column(schema.Shipping), f.column(schema.Tax)
	for _, parts := range []struct {
		columns []int
		name    string
	}{{[]int{shipping, tax}, "shipping and tax"}, {[]int{shipping}, "shipping"}, {[]int{tax}, "tax"}} {
		if revenue < 0 || slices.Contains(parts.columns, -1) {
			continue
		}
		for _, rest := range f.amounts(schema.None, schema.Gross) {
			if f.isRest(revenue, parts.columns, rest) {
				c := f.source.Columns
				reason := fmt.Sprintf("it is the revenue and includes %s, unlike %s", parts.name, c[rest].Heading)
				return []Warning{place{}.warning(c[revenue].Heading, reason)}
			}
		}
	}
	return nil
}

// isRest reports whether whole − parts is the rest. Rows in which a part is 0 show nothing.
func (f *numberSample) isRest(whole int, parts []int, rest int) bool {
	return f.holds(func(row []float64) (float64, float64) {
		left := row[whole]
		for _, part := range parts {
			if row[part] == 0 {
				return noNumber, noNumber
			}
			left -= row[part]
		}
		return left, row[rest]
	})
}

// isNegative reports whether a column has negative numbers and no positive ones.
func (f *numberSample) isNegative(column int) bool {
	below := false
	for _, row := range f.rows {
		if row[column] > 0 {
			return false
		}
		below = below || row[column] < 0
	}
	return below
}

// dropRepeated takes the role from amounts of whole orders that are repeated on each line,
// since a sum would count them for each line. It returns their headings.
func (f *numberSample) dropRepeated(ctx context.Context, file *db.DataFile) (dropped []string, err error) {
	order, differs := f.column(schema.Order), f.column(schema.SKU)
	if product := f.column(schema.Product); product >= 0 {
		differs = product
	}
	if order < 0 || differs < 0 || f.source.Columns[order].Distinct == f.source.Rows {
		return nil, nil
	}
	for _, i := range f.amounts(schema.Revenue, schema.Gross, schema.Cost, schema.Profit, schema.Discount, schema.Tax, schema.Shipping, schema.Refund, schema.Owed, schema.Paid) {
		c := &f.source.Columns[i]
		found, err := file.Query(ctx, 1, fmt.Sprintf(`
SELECT count(*), coalesce(sum(least = most AND filled = lines), 0)
FROM (
  SELECT count(*) AS lines, count(%[1]s) AS filled, min(%[1]s) AS least, max(%[1]s) AS most
  FROM (SELECT * FROM rows LIMIT $1)
  GROUP BY %[2]s
  HAVING count(*) > 1 AND count(DISTINCT %[3]s) > 1 AND max(abs(%[1]s)) > 0)`,
			c.Name, f.source.Columns[order].Name, f.source.Columns[differs].Name), sampleRows*10)
		if err != nil {
			return nil, err
		}
		orders, alike := found.Rows[0][0].(int64), found.Rows[0][1].(int64)
		if orders >= leastEvidence && float64(alike) >= agreement*float64(orders) {
			c.Role = schema.None
			dropped = append(dropped, c.Heading)
		}
	}
	return dropped, nil
}
