package plan

import (
	"fmt"
	"slices"
	"strings"

	"svc/server/catalog"
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
	Factors []catalog.Column
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
	Unit   catalog.Unit
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
type roles []catalog.Role

type recipe struct {
	plus  roles
	minus []roles
}

func of(r ...catalog.Role) recipe { return recipe{plus: r} }

func (r recipe) less(minus ...catalog.Role) recipe {
	r.minus = append(slices.Clone(r.minus), minus)
	return r
}

// net are the ways to what was paid for a row. A discount is taken off wherever the row
// has only what it would have cost without: as money, or as a part of the price.
var net = []recipe{
	of(catalog.Revenue),
	of(catalog.Price, catalog.Quantity).less(catalog.Price, catalog.Quantity, catalog.Discount),
	of(catalog.Price, catalog.Quantity).less(catalog.Discount),
	of(catalog.Price, catalog.Quantity),
	of(catalog.Gross).less(catalog.Gross, catalog.Discount),
	of(catalog.Gross).less(catalog.Discount),
	of(catalog.Gross),
}

// kept are the ways to profit: one that stands there, or what was paid less what it cost.
func kept() []recipe {
	out := []recipe{of(catalog.Profit)}
	for _, r := range net {
		out = append(out, r.less(catalog.Cost), r.less(catalog.UnitCost, catalog.Quantity))
	}
	return append(out,
		of(catalog.Revenue, catalog.Margin),
		of(catalog.Price, catalog.Quantity, catalog.Margin).less(catalog.Price, catalog.Quantity, catalog.Discount, catalog.Margin),
		of(catalog.Price, catalog.Quantity, catalog.Margin))
}

// sums are the ways to make what adds up, the most direct first.
var sums = map[Metric][]recipe{
	Revenue: net,
	Units:   {of(catalog.Quantity)},
	Profit:  kept(),
	Cost: {
		of(catalog.Cost),
		of(catalog.UnitCost, catalog.Quantity),
		of(catalog.Revenue).less(catalog.Profit),
	},
	Discounts:    {of(catalog.Discount), of(catalog.Gross).less(catalog.Revenue), of(catalog.Price, catalog.Quantity, catalog.Discount)},
	Taxes:        {of(catalog.Tax)},
	ShippingPaid: {of(catalog.Shipping)},
	StockUnits:   {of(catalog.Stock)},
	StockValue:   {of(catalog.Stock, catalog.UnitCost), of(catalog.Stock, catalog.Cost), of(catalog.Stock, catalog.Price)},
	OnOrder:      {of(catalog.Incoming)},
	Lately:       {of(catalog.SoldLately)},
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
func FormulaOf(s catalog.Source, m Measure) (Formula, error) {
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
func whole(s catalog.Source, m Measure) (Formula, error) {
	missing := &Missing{What: m.Metric.Title(), Needs: needs[m.Metric]}
	switch m.Metric {
	case Orders:
		if _, ok := s.ByRole(catalog.Order); !ok && s.Kind != catalog.Sales && s.Kind != catalog.Purchases {
			return Formula{}, missing
		}
		a, err := divisor(s, PerOrder)
		return Formula{Top: a, Unit: catalog.Count}, err
	case Rows:
		return Formula{Top: Aggregate{Fold: FoldRows}, Unit: catalog.Count}, nil
	case Margin:
		return margin(s, missing)
	case AveragePrice:
		return averagePrice(s, missing)
	case Customers, Repeat, Newcomers:
		return customers(s, m.Metric, missing)
	case Cover:
		stock, ok := factors(s, roles{catalog.StockDays})
		sold, has := factors(s, roles{catalog.SoldLately})
		if !ok || !has {
			return Formula{}, missing
		}
		return Formula{
			Top:    Aggregate{Fold: FoldSum, Terms: []Term{{Factors: stock}}},
			Bottom: &Aggregate{Fold: FoldSum, Terms: []Term{{Factors: sold}}},
			Unit:   catalog.Count,
		}, nil
	case FirstDay, LastDay:
		day, ok := s.ByRole(catalog.Day)
		if !ok && m.Metric == LastDay {
			day, ok = s.ByRole(catalog.LastSold)
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
		return Formula{Top: Aggregate{Fold: FoldRows}, Unit: catalog.Count}, nil
	}
	return Formula{}, missing
}

// rowIsUnit says that each row is one piece sold: a list of products without quantities.
func rowIsUnit(s catalog.Source) bool {
	_, counted := s.ByRole(catalog.Quantity)
	_, named := s.ByRole(catalog.Product)
	return s.Kind == catalog.Sales && named && !counted
}

func unitOf(m Metric) catalog.Unit {
	if m == Units || m == StockUnits || m == OnOrder || m == Lately {
		return catalog.Count
	}
	return catalog.Money
}

// Terms are a metric's value in one row; false when the source cannot give it.
func Terms(s catalog.Source, m Metric) ([]Term, bool) { return cook(s, m) }

// cook takes the first recipe for which the source has all columns.
func cook(s catalog.Source, m Metric) ([]Term, bool) {
	for _, r := range sums[m] {
		if terms, ok := prepare(s, r); ok {
			return terms, true
		}
	}
	return nil, false
}

func prepare(s catalog.Source, r recipe) ([]Term, bool) {
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
func wellMade(factors []catalog.Column) bool {
	percents := 0
	for _, c := range factors {
		if c.Unit == catalog.Percent {
			percents++
		} else if c.Role == catalog.Discount && len(factors) > 1 {
			return false
		}
	}
	return percents == 0 || percents < len(factors)
}

func factors(s catalog.Source, want roles) ([]catalog.Column, bool) {
	var out []catalog.Column
	for _, r := range want {
		c, ok := s.ByRole(r)
		if !ok || c.Type != catalog.Number {
			return nil, false
		}
		out = append(out, c)
	}
	return out, true
}

func one(c catalog.Column) []Term { return []Term{{Factors: []catalog.Column{c}}} }

// margin is profit over revenue, and so a weighted mean; a margin column alone is
// averaged row by row.
func margin(s catalog.Source, missing error) (Formula, error) {
	profit, ok := cook(s, Profit)
	revenue, has := cook(s, Revenue)
	if ok && has {
		return Formula{
			Top:    Aggregate{Fold: FoldSum, Terms: profit},
			Bottom: &Aggregate{Fold: FoldSum, Terms: revenue},
			Unit:   catalog.Percent,
		}, nil
	}
	return mean(s, catalog.Margin, missing)
}

// averagePrice weighs each row's price by its units. Sales over units is second best:
// files round it, and some count packs.
func averagePrice(s catalog.Source, missing error) (Formula, error) {
	units, ok := cook(s, Units)
	top, priced := prepare(s, of(catalog.Price, catalog.Quantity))
	if _, paid := s.ByRole(catalog.Revenue); !paid || !priced {
		top, priced = cook(s, Revenue)
	}
	if _, sold := cook(s, Revenue); sold && rowIsUnit(s) {
		return FormulaOf(s, Measure{Metric: Revenue, Per: PerRow})
	}
	if ok && priced {
		return Formula{
			Top:    Aggregate{Fold: FoldSum, Terms: top},
			Bottom: &Aggregate{Fold: FoldSum, Terms: units},
			Unit:   catalog.Money,
		}, nil
	}
	return mean(s, catalog.Price, missing)
}

func mean(s catalog.Source, r catalog.Role, missing error) (Formula, error) {
	c, ok := s.ByRole(r)
	if !ok || c.Type != catalog.Number {
		return Formula{}, missing
	}
	return Formula{Top: Aggregate{Fold: FoldMean, Terms: one(c)}, Unit: c.Unit}, nil
}

func customers(s catalog.Source, m Metric, missing error) (Formula, error) {
	c, ok := s.ByRole(catalog.Customer)
	_, dated := s.ByRole(catalog.Day)
	if !ok || m == Newcomers && !dated {
		return Formula{}, missing
	}
	fold := map[Metric]Fold{Customers: FoldDistinct, Repeat: FoldRepeat, Newcomers: FoldNew}[m]
	return Formula{Top: Aggregate{Fold: fold, Terms: one(c)}, Unit: catalog.Count}, nil
}

var foldOf = map[Metric]Fold{Sum: FoldSum, Average: FoldMean, Least: FoldLeast, Most: FoldMost, Distinct: FoldDistinct}

func ofColumn(s catalog.Source, m Measure) (Formula, error) {
	c, ok := Column(s, m.Column)
	if !ok {
		return Formula{}, &Missing{What: m.Metric.Title(), Needs: fmt.Sprintf("a column %q", m.Column)}
	}
	if m.Metric == Distinct {
		return Formula{Top: Aggregate{Fold: FoldDistinct, Terms: one(c)}, Unit: catalog.Count}, nil
	}
	if c.Type != catalog.Number {
		return Formula{}, fmt.Errorf("%s of %q: it has no numbers", m.Metric.Title(), m.Column)
	}
	return Formula{Top: Aggregate{Fold: foldOf[m.Metric], Terms: one(c)}, Unit: c.Unit}, nil
}

// divisor counts what Per names. A source whose rows have no order number counts each
// row as a sale.
func divisor(s catalog.Source, per string) (Aggregate, error) {
	if per == PerRow {
		return Aggregate{Fold: FoldRows}, nil
	}
	if per == PerUnit {
		f, err := whole(s, Measure{Metric: Units})
		return f.Top, err
	}
	if per == PerOrder {
		if c, ok := s.ByRole(catalog.Order); ok {
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
