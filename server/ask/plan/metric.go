package plan

import (
	"fmt"
	"slices"
	"strings"

	"svc/server/schema"
)

// Metric names a figure.
type Metric string

const (
	Revenue      Metric = "revenue"
	Units        Metric = "units"
	Orders       Metric = "orders"
	Rows         Metric = "rows"
	Profit       Metric = "profit"
	Cost         Metric = "cost"
	Margin       Metric = "margin"        // profit in per cent of revenue
	AveragePrice Metric = "average_price" // what a unit sold for
	Discounts    Metric = "discounts"
	Taxes        Metric = "taxes"
	ShippingPaid Metric = "shipping"
	Customers    Metric = "customers"        // different ones
	Repeat       Metric = "repeat_customers" // those with two orders or more
	Newcomers    Metric = "new_customers"    // whose first order falls into the period
	StockUnits   Metric = "stock_units"
	StockValue   Metric = "stock_value" // at cost where it is known, else at the price
	OnOrder      Metric = "on_order"
	Cover        Metric = "cover"       // days until the stock is gone, if it sells as lately
	Lately       Metric = "sold_lately" // units, in the days that Cover counts
	FirstDay     Metric = "first_day"
	LastDay      Metric = "last_day"

	// Of one column, whatever it is.
	Sum      Metric = "sum"
	Average  Metric = "average"
	Least    Metric = "least"
	Most     Metric = "most"
	Distinct Metric = "distinct"
)

// Fold is how the rows of a group become one number.
type Fold string

const (
	FoldSum      Fold = "sum"
	FoldMean     Fold = "mean"
	FoldLeast    Fold = "least"
	FoldMost     Fold = "most"
	FoldDistinct Fold = "distinct" // of the one factor
	FoldRows     Fold = "rows"
	FoldRepeat   Fold = "repeat" // customers with two orders or more
	FoldNew      Fold = "new"    // customers whose first row is in the period
)

// Term is a product of columns, to be added or taken away.
type Term struct {
	Minus   bool
	Factors []schema.Column
}

// Aggregate is a fold over a sum of terms of each row.
type Aggregate struct {
	Fold  Fold
	Part  Part // of the one factor, when it is a time
	Terms []Term
}

// Formula is how a figure comes from a source's columns: Top, or Top over Bottom.
type Formula struct {
	Top    Aggregate
	Bottom *Aggregate
	Unit   schema.Unit
}

// Additive says that the figures of groups add up to that of the whole.
func (f Formula) Additive() bool {
	return f.Bottom == nil && (f.Top.Fold == FoldSum || f.Top.Fold == FoldRows)
}

// Missing says which figure a source cannot give, and what it would need.
type Missing struct {
	What  string // "profit"
	Needs string // "a cost, profit or margin column"
}

// Error words it.
func (m *Missing) Error() string { return fmt.Sprintf("%s needs %s", m.What, m.Needs) }

// roles and recipe are the table's short forms: a recipe is a product of roles, from
// which other products are taken away.
type roles []schema.Role

type recipe struct {
	plus  roles
	minus []roles
}

func of(r ...schema.Role) recipe { return recipe{plus: r} }

func (r recipe) less(minus ...schema.Role) recipe {
	r.minus = append(slices.Clone(r.minus), minus)
	return r
}

// net are the ways to what was paid for a row. A discount is taken off wherever the row
// has only what it would have cost without: as money, or as a part of the price.
var net = []recipe{
	of(schema.Revenue),
	of(schema.Price, schema.Quantity).less(schema.Price, schema.Quantity, schema.Discount),
	of(schema.Price, schema.Quantity).less(schema.Discount),
	of(schema.Price, schema.Quantity),
	of(schema.Gross).less(schema.Gross, schema.Discount),
	of(schema.Gross).less(schema.Discount),
	of(schema.Gross),
}

// kept are the ways to profit: one that stands there, or what was paid less what it cost.
func kept() []recipe {
	out := []recipe{of(schema.Profit)}
	for _, r := range net {
		out = append(out, r.less(schema.Cost), r.less(schema.UnitCost, schema.Quantity))
	}
	return append(out,
		of(schema.Revenue, schema.Margin),
		of(schema.Price, schema.Quantity, schema.Margin).less(schema.Price, schema.Quantity, schema.Discount, schema.Margin),
		of(schema.Price, schema.Quantity, schema.Margin))
}

// sums are the ways to make what adds up, the most direct first.
var sums = map[Metric][]recipe{
	Revenue: net,
	Units:   {of(schema.Quantity)},
	Profit:  kept(),
	Cost: {
		of(schema.Cost),
		of(schema.UnitCost, schema.Quantity),
		of(schema.Revenue).less(schema.Profit),
	},
	Discounts:    {of(schema.Discount), of(schema.Gross).less(schema.Revenue), of(schema.Price, schema.Quantity, schema.Discount)},
	Taxes:        {of(schema.Tax)},
	ShippingPaid: {of(schema.Shipping)},
	StockUnits:   {of(schema.Stock)},
	StockValue:   {of(schema.Stock, schema.UnitCost), of(schema.Stock, schema.Cost), of(schema.Stock, schema.Price)},
	OnOrder:      {of(schema.Incoming)},
	Lately:       {of(schema.SoldLately)},
}

// needs words what a source lacks for a metric.
var needs = map[Metric]string{
	Revenue:      "a column of sales, or of prices and quantities",
	Units:        "a column of quantities",
	Orders:       "rows of orders",
	Profit:       "a column of costs, profits or margins",
	Cost:         "a column of costs or profits",
	Margin:       "a column of costs, profits or margins",
	AveragePrice: "a column of prices, or of sales and quantities",
	Discounts:    "a column of discounts",
	Taxes:        "a column of taxes",
	ShippingPaid: "a column of shipping costs",
	Customers:    "a column of customers",
	Repeat:       "a column of customers",
	Newcomers:    "columns of customers and dates",
	StockUnits:   "a column of stock on hand",
	StockValue:   "columns of stock on hand and of costs or prices",
	OnOrder:      "a column of units on order",
	Cover:        "sales and stock side by side",
	Lately:       "sales and stock side by side",
	FirstDay:     "a column of dates",
	LastDay:      "a column of dates",
}

// titles are the metrics in words.
var titles = map[Metric]string{
	Revenue: "revenue", Units: "units sold", Orders: "orders", Rows: "rows", Profit: "profit", Cost: "cost",
	Margin: "margin", AveragePrice: "average price", Discounts: "discounts", Taxes: "tax", ShippingPaid: "shipping",
	Customers: "customers", Repeat: "repeat customers", Newcomers: "new customers", StockUnits: "stock",
	StockValue: "stock value", OnOrder: "units on order", Cover: "days of cover", Lately: "units sold lately", FirstDay: "first day", LastDay: "last day",
	Sum: "total", Average: "average", Least: "lowest", Most: "highest", Distinct: "different values",
}

// Title is the metric in words.
func (m Metric) Title() string { return titles[m] }

// OfColumn says that the metric is of one column that the plan names.
func (m Metric) OfColumn() bool {
	return slices.Contains([]Metric{Sum, Average, Least, Most, Distinct}, m)
}

// AsDay says that the metric is a day and no number.
func (m Metric) AsDay() bool { return m == FirstDay || m == LastDay }

// Metrics are all of them, the one that people ask for most first.
var Metrics = []Metric{
	Revenue, Units, Orders, Profit, Margin, Cost, AveragePrice, Discounts, Taxes, ShippingPaid,
	Customers, Repeat, Newcomers, StockUnits, StockValue, OnOrder, Cover, Lately, FirstDay, LastDay, Rows,
	Sum, Average, Least, Most, Distinct,
}

// FormulaOf says how a source gives a measure; *Missing when it cannot.
func FormulaOf(s schema.Source, m Measure) (Formula, error) {
	f, err := whole(s, m)
	if err != nil || m.Per == "" {
		return f, err
	}
	if f.Bottom != nil {
		return Formula{}, fmt.Errorf("%s is an average already", m.Metric.Title())
	}
	bottom, err := divisor(s, m.Per)
	if err != nil {
		return Formula{}, err
	}
	f.Bottom = &bottom
	return f, nil
}

// whole is the formula without Per.
func whole(s schema.Source, m Measure) (Formula, error) {
	missing := &Missing{What: m.Metric.Title(), Needs: needs[m.Metric]}
	switch m.Metric {
	case Orders:
		if _, ok := s.ByRole(schema.Order); !ok && s.Kind != schema.Sales && s.Kind != schema.Purchases {
			return Formula{}, missing
		}
		a, err := divisor(s, PerOrder)
		return Formula{Top: a, Unit: schema.Count}, err
	case Rows:
		return Formula{Top: Aggregate{Fold: FoldRows}, Unit: schema.Count}, nil
	case Margin:
		return margin(s, missing)
	case AveragePrice:
		return averagePrice(s, missing)
	case Customers, Repeat, Newcomers:
		return customers(s, m.Metric, missing)
	case Cover:
		stock, ok := factors(s, roles{schema.StockDays})
		sold, has := factors(s, roles{schema.SoldLately})
		if !ok || !has {
			return Formula{}, missing
		}
		return Formula{
			Top:    Aggregate{Fold: FoldSum, Terms: []Term{{Factors: stock}}},
			Bottom: &Aggregate{Fold: FoldSum, Terms: []Term{{Factors: sold}}},
			Unit:   schema.Count,
		}, nil
	case FirstDay, LastDay:
		day, ok := s.ByRole(schema.Day)
		if !ok && m.Metric == LastDay {
			day, ok = s.ByRole(schema.LastSold)
		}
		if !ok {
			return Formula{}, missing
		}
		fold := map[Metric]Fold{FirstDay: FoldLeast, LastDay: FoldMost}[m.Metric]
		return Formula{Top: Aggregate{Fold: fold, Part: Day, Terms: one(day)}}, nil
	}
	if m.Metric.OfColumn() {
		return ofColumn(s, m)
	}
	terms, ok := cook(s, m.Metric)
	switch {
	case ok:
		return Formula{Top: Aggregate{Fold: FoldSum, Terms: terms}, Unit: unitOf(m.Metric)}, nil
	case m.Metric == Units && rowIsUnit(s):
		return Formula{Top: Aggregate{Fold: FoldRows}, Unit: schema.Count}, nil
	}
	return Formula{}, missing
}

// rowIsUnit says that each row is one piece sold: a list of products without quantities.
func rowIsUnit(s schema.Source) bool {
	_, counted := s.ByRole(schema.Quantity)
	_, named := s.ByRole(schema.Product)
	return s.Kind == schema.Sales && named && !counted
}

func unitOf(m Metric) schema.Unit {
	if m == Units || m == StockUnits || m == OnOrder || m == Lately {
		return schema.Count
	}
	return schema.Money
}

// Terms are a metric's value in one row; false when the source cannot give it.
func Terms(s schema.Source, m Metric) ([]Term, bool) { return cook(s, m) }

// cook takes the first recipe for which the source has all columns.
func cook(s schema.Source, m Metric) ([]Term, bool) {
	for _, r := range sums[m] {
		if terms, ok := prepare(s, r); ok {
			return terms, true
		}
	}
	return nil, false
}

func prepare(s schema.Source, r recipe) ([]Term, bool) {
	var terms []Term
	for i, product := range append([]roles{r.plus}, r.minus...) {
		found, ok := factors(s, product)
		if !ok || !wellMade(found) {
			return nil, false
		}
		terms = append(terms, Term{Minus: i > 0, Factors: found})
	}
	return terms, true
}

// wellMade rules out per cents that stand for money by themselves, and money that stands
// for a part: a discount of 10 % is none of ten dollars.
func wellMade(factors []schema.Column) bool {
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

func factors(s schema.Source, want roles) ([]schema.Column, bool) {
	var out []schema.Column
	for _, r := range want {
		c, ok := s.ByRole(r)
		if !ok || c.Type != schema.Number {
			return nil, false
		}
		out = append(out, c)
	}
	return out, true
}

func one(c schema.Column) []Term { return []Term{{Factors: []schema.Column{c}}} }

// margin is profit over revenue, and so a weighted mean; a margin column alone is
// averaged row by row.
func margin(s schema.Source, missing error) (Formula, error) {
	profit, ok := cook(s, Profit)
	revenue, has := cook(s, Revenue)
	if ok && has {
		return Formula{
			Top:    Aggregate{Fold: FoldSum, Terms: profit},
			Bottom: &Aggregate{Fold: FoldSum, Terms: revenue},
			Unit:   schema.Percent,
		}, nil
	}
	return mean(s, schema.Margin, missing)
}

// averagePrice weighs each row's price by its units. Sales over units is second best:
// files round it, and some count packs.
func averagePrice(s schema.Source, missing error) (Formula, error) {
	units, ok := cook(s, Units)
	top, priced := prepare(s, of(schema.Price, schema.Quantity))
	if _, paid := s.ByRole(schema.Revenue); !paid || !priced {
		top, priced = cook(s, Revenue)
	}
	if _, sold := cook(s, Revenue); sold && rowIsUnit(s) {
		return FormulaOf(s, Measure{Metric: Revenue, Per: PerRow})
	}
	if ok && priced {
		return Formula{
			Top:    Aggregate{Fold: FoldSum, Terms: top},
			Bottom: &Aggregate{Fold: FoldSum, Terms: units},
			Unit:   schema.Money,
		}, nil
	}
	return mean(s, schema.Price, missing)
}

func mean(s schema.Source, r schema.Role, missing error) (Formula, error) {
	c, ok := s.ByRole(r)
	if !ok || c.Type != schema.Number {
		return Formula{}, missing
	}
	return Formula{Top: Aggregate{Fold: FoldMean, Terms: one(c)}, Unit: c.Unit}, nil
}

func customers(s schema.Source, m Metric, missing error) (Formula, error) {
	c, ok := s.ByRole(schema.Customer)
	_, dated := s.ByRole(schema.Day)
	if !ok || m == Newcomers && !dated {
		return Formula{}, missing
	}
	fold := map[Metric]Fold{Customers: FoldDistinct, Repeat: FoldRepeat, Newcomers: FoldNew}[m]
	return Formula{Top: Aggregate{Fold: fold, Terms: one(c)}, Unit: schema.Count}, nil
}

var foldOf = map[Metric]Fold{Sum: FoldSum, Average: FoldMean, Least: FoldLeast, Most: FoldMost, Distinct: FoldDistinct}

func ofColumn(s schema.Source, m Measure) (Formula, error) {
	c, ok := Column(s, m.Column)
	if !ok {
		return Formula{}, &Missing{What: m.Metric.Title(), Needs: fmt.Sprintf("a column %q", m.Column)}
	}
	if m.Metric == Distinct {
		return Formula{Top: Aggregate{Fold: FoldDistinct, Terms: one(c)}, Unit: schema.Count}, nil
	}
	if c.Type != schema.Number {
		return Formula{}, fmt.Errorf("%s of %q: it has no numbers", m.Metric.Title(), m.Column)
	}
	return Formula{Top: Aggregate{Fold: foldOf[m.Metric], Terms: one(c)}, Unit: c.Unit}, nil
}

// divisor counts what Per names. A source whose rows have no order number counts each
// row as a sale.
func divisor(s schema.Source, per string) (Aggregate, error) {
	if per == PerRow {
		return Aggregate{Fold: FoldRows}, nil
	}
	if per == PerUnit {
		f, err := whole(s, Measure{Metric: Units})
		return f.Top, err
	}
	if per == PerOrder {
		if c, ok := s.ByRole(schema.Order); ok {
			return Aggregate{Fold: FoldDistinct, Terms: one(c)}, nil
		}
		return Aggregate{Fold: FoldRows}, nil
	}
	if part := Part(per); slices.Contains(Parts, part) {
		c, ok := TimeColumn(s, part)
		if !ok {
			return Aggregate{}, &Missing{What: "an average per " + per, Needs: "a column of dates"}
		}
		return Aggregate{Fold: FoldDistinct, Part: part, Terms: one(c)}, nil
	}
	c, ok := Column(s, per)
	if !ok {
		return Aggregate{}, &Missing{What: "an average per " + strings.ToLower(per), Needs: fmt.Sprintf("a column %q", per)}
	}
	return Aggregate{Fold: FoldDistinct, Terms: one(c)}, nil
}
