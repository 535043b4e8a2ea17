package plan

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"svc/server/schema"
)

// Fold is how the rows of a group become one number.
type Fold string

// The folds.
const (
	FoldSum      Fold = "sum"
	FoldMean     Fold = "mean"
	FoldLeast    Fold = "least"
	FoldMost     Fold = "most"
	FoldDistinct Fold = "distinct" // of the one factor
	FoldRows     Fold = "rows"
	FoldLatest   Fold = "latest" // of a running balance, the value of the newest row
	FoldRepeat   Fold = "repeat" // customers with two orders or more
	FoldNew      Fold = "new"    // customers whose first row is in the period
)

// Term is a product of columns that is added or, with Minus, subtracted.
type Term struct {
	Minus   bool
	Sparse  bool // a blank factor is 0
	Factors []schema.Column
}

// Aggregate is a fold over a sum of terms of each row.
type Aggregate struct {
	Fold  Fold
	Part  Part           // of the one factor, if it is a time
	Since *schema.Column // days from it to the one factor
	Terms []Term
	Over  []Term // of which Terms are per cent, in each row; none: the value is that of Terms
	Rows  Scope
}

// Formula is how a figure comes from a source's columns: Top, or Top over Bottom.
type Formula struct {
	Top    Aggregate
	Bottom *Aggregate
	Fold   Fold // of Top in each of the values that Bottom counts, in place of the quotient
	Unit   schema.Unit
	Ratio  *big.Rat // what Top is multiplied with to be in the unit that the measure asks for; nil: 1
}

// Additive reports whether the figures of groups add up to that of the whole.
func (f Formula) Additive() bool {
	return f.Bottom == nil && (f.Top.Fold == FoldSum || f.Top.Fold == FoldRows)
}

// Missing is the error for a figure that a source cannot give.
type Missing struct {
	What  string // "profit"
	Needs string // the columns that the figure needs: "a column of costs, profits or margins"
}

// Error returns both in one clause.
func (m *Missing) Error() string { return fmt.Sprintf("%s needs %s", m.What, m.Needs) }

// formula is a metric's value in one row: a product of the columns of some roles, less
// other products.
type formula struct {
	plus  []schema.Role
	minus [][]schema.Role
}

func product(roles ...schema.Role) formula { return formula{plus: roles} }

func (f formula) less(roles ...schema.Role) formula {
	f.minus = append(slices.Clone(f.minus), roles)
	return f
}

// netRevenue are the formulas of what was paid for a row. If the row has only an amount
// before discount, the discount is subtracted: as money, or as a share of the price.
var netRevenue = []formula{
	product(schema.Revenue),
	product(schema.Price, schema.Quantity).less(schema.Price, schema.Quantity, schema.Discount),
	product(schema.Price, schema.Quantity).less(schema.Discount),
	product(schema.Price, schema.Quantity),
	product(schema.Gross).less(schema.Gross, schema.Discount),
	product(schema.Gross).less(schema.Discount),
	product(schema.Gross),
	product(schema.Price).less(schema.Discount),
	product(schema.Price),
}

// isAmount reports whether the price of a row is all that was paid for it: the rows are sales
// on a day without a quantity, and no other column says how many of something the price is
// of, as nights do.
func isAmount(s schema.Source) bool {
	_, counted := s.ByRole(schema.Quantity)
	_, dated := s.ByRole(schema.Day)
	counts := func(c schema.Column) bool {
		return c.Type == schema.Number && c.Role == schema.None && slices.ContainsFunc(strings.Fields(strings.ToLower(c.Heading)), func(w string) bool { return slices.Contains(counters, w) })
	}
	return s.Kind == schema.Sales && dated && !counted && !slices.ContainsFunc(s.Columns, counts)
}

// counters are words of headings of numbers that a price may be of one of.
var counters = []string{"days", "nights", "hours", "hrs", "weeks", "months", "guests", "pax", "people", "persons", "adults", "seats", "kg", "litres", "liters", "metres", "meters", "number", "no", "num"}

// profitFormulas returns the formulas of profit: its own column, revenue less cost, or
// the margin of revenue.
func profitFormulas() []formula {
	out := []formula{product(schema.Profit)}
	for _, f := range netRevenue {
		out = append(out, f.less(schema.Cost), f.less(schema.UnitCost, schema.Quantity))
	}
	return append(out,
		product(schema.Revenue, schema.Margin),
		product(schema.Price, schema.Quantity, schema.Margin).less(schema.Price, schema.Quantity, schema.Discount, schema.Margin),
		product(schema.Price, schema.Quantity, schema.Margin))
}

// FormulaOf returns how a source gives a measure. The error is a *Missing if it lacks
// columns.
func FormulaOf(s schema.Source, m Measure) (Formula, error) {
	f, err := undivided(s, m)
	if err != nil {
		return f, err
	}
	if _, has := s.ByRole(schema.Order); m.Metric == Units && m.Per == PerOrder && !has && !rowIsUnit(s) {
		return Formula{}, &Missing{What: "units per order", Needs: "a column of order numbers"}
	}
	if m.In != "" {
		if f.Ratio, err = conversion(s, m); err != nil {
			return Formula{}, err
		}
	}
	return folded(s, m, f)
}

// undivided returns the formula of a measure without its Per.
func undivided(s schema.Source, m Measure) (Formula, error) {
	if m.ValuesStock() {
		s = s.With(schema.Price, m.Column)
	}
	d := m.Metric.definition()
	missing := &Missing{What: d.title, Needs: needsOf(s, d)}
	switch m.Metric {
	case Orders:
		if _, ok := s.ByRole(schema.Order); !ok && s.Kind != schema.Sales && s.Kind != schema.Purchases {
			return Formula{}, missing
		}
		a, err := divisor(s, PerOrder)
		a.Rows = MadeRows
		return Formula{Top: a, Unit: d.unit}, err
	case Refunds, RefundRate, RefundedOrders, ReturnRate, CancelledOrders, CancellationRate, Cancellations:
		return reversed(s, d, missing)
	case Rows:
		return Formula{Top: Aggregate{Fold: FoldRows}, Unit: d.unit}, nil
	case Margin:
		return margin(s, missing)
	case Markup:
		return markup(s, missing)
	case AveragePrice:
		return averagePrice(s, missing)
	case Customers, RepeatCustomers, NewCustomers:
		return customers(s, d, missing)
	case Cover:
		stock, ok := product(schema.StockDays).terms(s)
		sold, has := product(schema.SoldLately).terms(s)
		if !ok || !has {
			return Formula{}, missing
		}
		return ratio(stock, sold, AllRows, d.unit), nil
	case FirstDay, LastDay:
		return endDay(s, d, missing)
	}
	if d.ofColumn {
		return ofColumn(s, m, d)
	}
	terms, ok := Terms(s, m.Metric)
	switch {
	case ok:
		return Formula{Top: Aggregate{Fold: FoldSum, Terms: terms, Rows: d.rows}, Unit: d.unit}, nil
	case m.Metric == Units && rowIsUnit(s):
		return Formula{Top: Aggregate{Fold: FoldRows, Rows: SoldRows}, Unit: d.unit}, nil
	case m.Metric == Discounts && rowIsUnit(s):
		return piecesDiscount(s, d, missing)
	}
	return Formula{}, missing
}

// piecesDiscount returns what pieces were priced at less what they sold for.
func piecesDiscount(s schema.Source, d definition, missing error) (Formula, error) {
	off, ok := product(schema.Price).less(schema.Revenue).termsOf(s)
	if !ok {
		return Formula{}, missing
	}
	return Formula{Top: Aggregate{Fold: FoldSum, Terms: off, Rows: SoldRows}, Unit: d.unit}, nil
}

// needsOf returns in words the columns that a source without a metric lacks.
func needsOf(s schema.Source, d definition) string {
	isWhole := func(c schema.Column) bool { return c.Lost != schema.None && c.Lost == d.role }
	if slices.ContainsFunc(s.Columns, isWhole) {
		return "amounts of each line, but of whole orders"
	}
	return d.needs
}

// ratio returns the formula of one sum over another.
func ratio(top, bottom []Term, rows Scope, unit schema.Unit) Formula {
	return Formula{Top: Aggregate{Fold: FoldSum, Terms: top, Rows: rows}, Bottom: &Aggregate{Fold: FoldSum, Terms: bottom, Rows: rows}, Unit: unit}
}

// rowIsUnit reports whether each row is one piece sold: the source has products and no
// quantities.
func rowIsUnit(s schema.Source) bool {
	_, counted := s.ByRole(schema.Quantity)
	_, named := s.ByRole(schema.Product)
	isWeighed := slices.ContainsFunc(s.Columns, func(c schema.Column) bool { return c.Factor })
	return s.Kind == schema.Sales && named && !counted && !isWeighed
}

// Terms returns a metric's value in one row, by the first formula for which the source
// has all columns; false if there is none.
func Terms(s schema.Source, m Metric) ([]Term, bool) {
	for _, f := range m.definition().sums {
		if terms, ok := f.terms(s); ok {
			return lessRefunds(s, m, terms), true
		}
	}
	terms, ok := ofTenders(s, m)
	if m == Units {
		terms, ok = ofKinds(s)
	}
	if !ok {
		return nil, false
	}
	return lessRefunds(s, m, terms), true
}

// ofKinds returns the number of pieces of all kinds: adult, child and concession tickets; false if
// the source has no such columns.
func ofKinds(s schema.Source) (terms []Term, ok bool) {
	for _, c := range s.Kinds() {
		terms = append(terms, Term{Sparse: true, Factors: []schema.Column{c}})
	}
	return terms, terms != nil
}

// ofTenders returns what was taken in all ways of paying, less the cost if it is the profit;
// false if the source has no such columns.
func ofTenders(s schema.Source, m Metric) (terms []Term, ok bool) {
	if m != Revenue && m != Gross && m != Profit {
		return nil, false
	}
	for _, c := range s.Tenders() {
		terms = append(terms, Term{Sparse: true, Factors: []schema.Column{c}})
	}
	if m == Profit && terms != nil {
		cost, has := product(schema.Cost).termsOf(s)
		if !has {
			return nil, false
		}
		cost[0].Minus = true
		terms = append(terms, cost...)
	}
	return terms, terms != nil
}

// terms returns the formula with the source's columns in place of the roles.
func (f formula) terms(s schema.Source) ([]Term, bool) {
	if len(f.plus) == 1 && f.plus[0] == schema.Price && !isAmount(s) {
		return nil, false
	}
	return f.termsOf(s)
}

// termsOf returns the formula with the source's columns, whatever a price is of.
func (f formula) termsOf(s schema.Source) ([]Term, bool) {
	var terms []Term
	for i, roles := range append([][]schema.Role{f.plus}, f.minus...) {
		found, ok := factors(s, roles)
		if !ok || !unitsAgree(found) {
			return nil, false
		}
		terms = append(terms, Term{Minus: i > 0, Factors: found})
	}
	return terms, true
}

// unitsAgree reports whether a product of columns is an amount: a per cent alone is not,
// and a discount in money is not multiplied by a price.
func unitsAgree(factors []schema.Column) bool {
	percents := 0
	for _, c := range factors {
		if c.Unit == schema.Percent {
			percents++
		} else if c.Role == schema.Discount && len(factors) > 1 {
			return false
		}
	}
	return percents == 0 || percents < len(factors)
}

// factors returns the columns of numbers that have the roles; false if one is missing.
func factors(s schema.Source, roles []schema.Role) ([]schema.Column, bool) {
	var out []schema.Column
	for _, r := range roles {
		c, ok := s.ByRole(r)
		if !ok || c.Type != schema.Number {
			return nil, false
		}
		out = append(out, c)
	}
	return withContent(s, out)
}

// perWhat matches headings of what one of something costs or holds: Price £/kg, kg per Sack.
var perWhat = regexp.MustCompile(`(?i)^(.*?)[\s(]*(?:/|\bper\b)\s*([\p{L}\d²³]+)\)?$`)

// packs matches headings of numbers of packs.
var packs = regexp.MustCompile(`(?i)\b(box|boxes|pack|packs|packets|case|cases|crates|sacks|bags|rolls|pallets|cartons|drums|tubs)\b`)

// withContent multiplies the packs in stock and the price of a measure, such as boxes and a price per
// kilo, by the column of how much of it a pack holds; false if no column tells that.
func withContent(s schema.Source, factors []schema.Column) ([]schema.Column, bool) {
	if len(factors) != 2 || factors[0].Role != schema.Stock && factors[0].Role != schema.Incoming {
		return factors, true
	}
	stock := factors[0].Heading
	price := perWhat.FindStringSubmatch(factors[1].Heading)
	if price == nil || hasThing(stock, price[2]) || !packs.MatchString(stock) || slices.Contains([]string{"unit", "item", "piece"}, strings.ToLower(price[2])) {
		return factors, true
	}
	i := slices.IndexFunc(s.Columns, func(c schema.Column) bool {
		holds := perWhat.FindStringSubmatch(c.Heading)
		return holds != nil && c.Type == schema.Number && strings.EqualFold(holds[1], price[2]) && hasThing(stock, holds[2])
	})
	if i < 0 {
		return nil, false
	}
	return append(factors, s.Columns[i]), true
}

// hasThing reports whether a heading names a thing, of which it may have the plural.
func hasThing(heading, thing string) bool {
	return strings.Contains(strings.ToLower(heading), strings.ToLower(thing))
}

func termOf(c schema.Column) []Term { return []Term{{Factors: []schema.Column{c}}} }

// margin returns profit over revenue, and so a weighted mean; a margin column alone is
// averaged row by row.
func margin(s schema.Source, missing error) (Formula, error) {
	profit, ok := Terms(s, Profit)
	revenue, has := Terms(s, Revenue)
	if ok && has {
		return ratio(profit, revenue, NetRows, schema.Percent), nil
	}
	each, listed := product(schema.Price).less(schema.UnitCost).termsOf(s)
	price, priced := factors(s, []schema.Role{schema.Price})
	if _, own := s.ByRole(schema.Margin); listed && priced && !own && (s.Kind == schema.Stocklist || s.Kind == schema.Other) {
		return meanPercent(each, termOf(price[0])), nil // of one piece of each product
	}
	return mean(s, schema.Margin, missing)
}

// markup returns profit over cost, of a list of goods that of one piece of each.
func markup(s schema.Source, missing error) (Formula, error) {
	profit, ok := Terms(s, Profit)
	cost, has := Terms(s, Cost)
	if ok && has {
		return ratio(profit, cost, NetRows, schema.Percent), nil
	}
	each, listed := product(schema.Price).less(schema.UnitCost).termsOf(s)
	paid, priced := factors(s, []schema.Role{schema.UnitCost})
	if !listed || !priced || s.Kind != schema.Stocklist {
		return Formula{}, missing
	}
	return meanPercent(each, termOf(paid[0])), nil
}

// meanPercent is the mean over all rows of what terms are in per cent of others.
func meanPercent(of, over []Term) Formula {
	return Formula{Top: Aggregate{Fold: FoldMean, Terms: of, Over: over, Rows: AllRows}, Unit: schema.Percent}
}

// averagePrice weighs each row's price by its units. Revenue over units is second best:
// files round revenue, and some count packs.
func averagePrice(s schema.Source, missing error) (Formula, error) {
	units, ok := Terms(s, Units)
	revenue, sold := Terms(s, Gross)
	top, priced := product(schema.Price, schema.Quantity).terms(s)
	if _, paid := s.ByRole(schema.Revenue); !paid || !priced {
		top, priced = revenue, sold
	}
	if sold && rowIsUnit(s) {
		return FormulaOf(s, Measure{Metric: Revenue, Per: PerRow})
	}
	if ok && priced {
		return ratio(top, units, NetRows, schema.Money), nil
	}
	return mean(s, schema.Price, missing)
}

func mean(s schema.Source, r schema.Role, missing error) (Formula, error) {
	c, ok := s.ByRole(r)
	if !ok || c.Type != schema.Number {
		return Formula{}, missing
	}
	return Formula{Top: Aggregate{Fold: FoldMean, Terms: termOf(c), Rows: SoldRows}, Unit: c.Unit}, nil
}

func endDay(s schema.Source, d definition, missing error) (Formula, error) {
	day, ok := s.ByRole(schema.Day)
	if !ok && d.metric == LastDay {
		day, ok = s.ByRole(schema.LastSold)
	}
	if !ok {
		return Formula{}, missing
	}
	return Formula{Top: Aggregate{Fold: d.fold, Part: Day, Terms: termOf(day), Rows: MadeRows}}, nil
}

func customers(s schema.Source, d definition, missing error) (Formula, error) {
	c, ok := s.ByRole(schema.Customer)
	_, dated := s.ByRole(schema.Day)
	if !ok || d.metric == NewCustomers && !dated {
		return Formula{}, missing
	}
	return Formula{Top: Aggregate{Fold: d.fold, Terms: termOf(c), Rows: MadeRows}, Unit: d.unit}, nil
}

func ofColumn(s schema.Source, m Measure, d definition) (Formula, error) {
	c, ok := Column(s, m.Column)
	if !ok {
		return Formula{}, &Missing{What: d.title, Needs: fmt.Sprintf("a column %q", m.Column)}
	}
	if m.Since != "" {
		return daysSince(s, m, d)
	}
	f := Formula{Top: Aggregate{Fold: d.fold, Terms: termOf(c), Rows: MadeRows}, Unit: c.Unit}
	if c.Unit == schema.Money || m.Metric == Sum {
		f.Top.Rows = NetRows
	}
	if c.Role == schema.Paid || IsOffer(c) || slices.ContainsFunc(s.Reversals, func(r schema.Reversal) bool { return isMark(c, r) }) {
		f.Top.Rows = AllRows
	}
	switch {
	case m.Metric == Sum && c.Running: // which has no total
		f.Top.Fold, f.Top.Rows = FoldLatest, AllRows
	case m.Metric == Distinct:
		f.Unit = schema.Count
	case c.Type != schema.Number:
		return Formula{}, fmt.Errorf("%s of %q: it has no numbers", d.title, m.Column)
	}
	return f, nil
}

// IsOffer reports whether a column has what was offered or planned, which stands though nothing came of it.
func IsOffer(c schema.Column) bool {
	offers := []string{"quote", "quoted", "estimate", "estimated", "budget", "budgeted", "bid", "target"}
	return c.Role == schema.None && slices.ContainsFunc(strings.Fields(strings.ToLower(c.Heading)), func(w string) bool { return slices.Contains(offers, w) })
}

// divisor counts what Per names. In a source without order numbers each row is an order.
func divisor(s schema.Source, per string) (Aggregate, error) {
	switch per {
	case PerRow:
		return Aggregate{Fold: FoldRows, Rows: SoldRows}, nil
	case PerUnit:
		f, err := undivided(s, Measure{Metric: Units})
		return f.Top, err
	case PerOrder:
		if c, ok := s.ByRole(schema.Order); ok {
			return Aggregate{Fold: FoldDistinct, Terms: termOf(c), Rows: SoldRows}, nil
		}
		return Aggregate{Fold: FoldRows, Rows: SoldRows}, nil
	}
	if part := Part(per); slices.Contains(Parts, part) {
		c, ok := TimeColumn(s, part)
		if !ok {
			return Aggregate{}, &Missing{What: "an average per " + per, Needs: "a column of dates"}
		}
		return Aggregate{Fold: FoldDistinct, Part: part, Terms: termOf(c), Rows: NetRows}, nil
	}
	c, ok := Column(s, per)
	if !ok {
		return Aggregate{}, &Missing{What: "an average per " + strings.ToLower(per), Needs: fmt.Sprintf("a column %q", per)}
	}
	return Aggregate{Fold: FoldDistinct, Terms: termOf(c), Rows: NetRows}, nil
}
