package plan

import (
	"slices"

	"svc/server/schema"
)

// Metric names a figure.
type Metric string

// The metrics; the table below defines them. The last five are of one column, which the
// plan names.
const (
	Revenue         Metric = "revenue"
	Units           Metric = "units"
	Orders          Metric = "orders"
	Rows            Metric = "rows"
	Profit          Metric = "profit"
	Cost            Metric = "cost"
	Margin          Metric = "margin"        // profit in per cent of revenue
	Markup          Metric = "markup"        // profit in per cent of cost
	AveragePrice    Metric = "average_price" // what a unit sold for
	Discounts       Metric = "discounts"
	Taxes           Metric = "taxes"
	ShippingPaid    Metric = "shipping"
	AmountOwed      Metric = "amount_owed"      // of what was sold, not yet paid
	Customers       Metric = "customers"        // different ones
	RepeatCustomers Metric = "repeat_customers" // those with two orders or more
	NewCustomers    Metric = "new_customers"    // whose first order is in the period
	StockUnits      Metric = "stock_units"
	StockValue      Metric = "stock_value"  // at cost if it is known, else at the price; below zero nothing
	RetailValue     Metric = "retail_value" // of the stock, at selling prices
	OnOrder         Metric = "on_order"
	OnOrderValue    Metric = "on_order_value" // at cost
	TopUpCost       Metric = "top_up_cost"    // of what the stock is below its reorder level
	Cover           Metric = "cover"          // days until the stock is gone at the recent rate of sales
	SoldLately      Metric = "sold_lately"    // units, in the days that Cover counts
	FirstDay        Metric = "first_day"
	LastDay         Metric = "last_day"

	// Revenue, units and the like are net of refunds and cancellations (I4). These are what
	// they leave out.
	Gross            Metric = "gross_revenue"   // before refunds and cancellations
	Refunds          Metric = "refunds"         // money given back
	RefundRate       Metric = "refund_rate"     // refunds in per cent of gross revenue
	RefundedOrders   Metric = "refunded_orders" // those with a refund, and returns
	ReturnRate       Metric = "return_rate"     // refunded orders in per cent of all
	CancelledOrders  Metric = "cancelled_orders"
	CancellationRate Metric = "cancellation_rate" // cancelled orders in per cent of all
	Cancellations    Metric = "cancellations"     // revenue of cancelled orders

	Sum      Metric = "sum"
	Average  Metric = "average"
	Least    Metric = "least"
	Most     Metric = "most"
	Distinct Metric = "distinct"
)

// definition is a metric's row of the table: its name in words, its formula, and how
// answers speak of it.
type definition struct {
	metric       Metric
	title        string      // in words
	bought       string      // title over purchases, if it is another
	role         schema.Role // whose column's heading asks for the metric
	sums         []formula   // values in one row that are summed, the most direct first
	rows         Scope       // of those that are summed or counted
	fold         Fold        // of a metric that folds one column
	unit         schema.Unit // of a metric whose column does not decide it
	needs        string      // words for the columns that a source without it lacks
	ofColumn     bool        // of one column, which the plan names
	day          bool        // a day and not a number
	countable    bool        // counts things: has the most, not the highest
	plural       bool        // title is a plural
	lessIsBetter bool        // a rise is a change for the worse
	advised      bool        // says how well a group does, so that advice can follow
}

// refundColumns and cancelColumns are words for the columns that refunds and cancellations
// are recognized by.
const (
	refundColumns = "a column of refunds or of the orders' status, or rows below zero"
	cancelColumns = "a column of the orders' status, or of the days of cancellations"
)

// table defines all metrics, the one that people ask for most first.
var table = []definition{
	{metric: Revenue, title: "revenue", role: schema.Revenue, sums: netRevenue, rows: NetRows, unit: schema.Money, needs: "a column of sales, or of prices and quantities", advised: true},
	{metric: Units, title: "units sold", bought: "units ordered", role: schema.Quantity, sums: []formula{product(schema.Quantity)}, rows: NetRows, unit: schema.Count, needs: "a column of quantities", countable: true, plural: true, advised: true},
	{metric: Orders, title: "orders", bought: "purchase orders", unit: schema.Count, needs: "rows of orders", countable: true, plural: true},
	{metric: Profit, title: "profit", role: schema.Profit, sums: profitFormulas(), rows: NetRows, unit: schema.Money, needs: "a column of costs, profits or margins", advised: true},
	{metric: Markup, title: "markup", unit: schema.Percent, needs: "columns of prices and costs", advised: true},
	{metric: Margin, title: "margin", role: schema.Margin, unit: schema.Percent, needs: "a column of costs, profits or margins", advised: true},
	{
		metric: Cost, title: "cost", bought: "cost of purchases", role: schema.Cost, rows: NetRows, unit: schema.Money, needs: "a column of costs or profits", lessIsBetter: true,
		sums: []formula{product(schema.Cost), product(schema.UnitCost, schema.Quantity), product(schema.Revenue).less(schema.Profit)},
	},
	{metric: AveragePrice, title: "average price", unit: schema.Money, needs: "a column of prices, or of sales and quantities"},
	{
		metric: Discounts, title: "discounts", role: schema.Discount, rows: NetRows, unit: schema.Money, needs: "a column of discounts", plural: true, lessIsBetter: true,
		sums: []formula{product(schema.Discount), product(schema.Gross).less(schema.Revenue), product(schema.Price, schema.Quantity, schema.Discount)},
	},
	{metric: Taxes, title: "tax", role: schema.Tax, sums: []formula{product(schema.Tax)}, rows: NetRows, unit: schema.Money, needs: "a column of taxes", lessIsBetter: true},
	{metric: ShippingPaid, title: "shipping", role: schema.Shipping, sums: []formula{product(schema.Shipping)}, rows: NetRows, unit: schema.Money, needs: "a column of shipping costs", lessIsBetter: true},
	{
		metric: AmountOwed, title: "amount owed", role: schema.Owed, rows: NetRows, unit: schema.Money, needs: "a column of what is owed, or of what was paid beside the amounts",
		sums: []formula{product(schema.Owed), product(schema.Revenue).less(schema.Paid), product(schema.Gross).less(schema.Paid)}, lessIsBetter: true,
	},
	{metric: Customers, title: "customers", fold: FoldDistinct, unit: schema.Count, needs: "a column of customers", countable: true, plural: true},
	{metric: RepeatCustomers, title: "repeat customers", fold: FoldRepeat, unit: schema.Count, needs: "a column of customers", countable: true, plural: true},
	{metric: NewCustomers, title: "new customers", fold: FoldNew, unit: schema.Count, needs: "columns of customers and dates", countable: true, plural: true},
	{metric: StockUnits, title: "stock", role: schema.Stock, sums: []formula{product(schema.Stock)}, unit: schema.Count, needs: "a column of stock on hand"},
	{
		metric: StockValue, title: "stock value", unit: schema.Money, needs: "columns of stock on hand and of costs or prices",
		sums: []formula{product(schema.Stock, schema.UnitCost), product(schema.Stock, schema.Cost), product(schema.Stock, schema.Price)},
	},
	{
		metric: RetailValue, title: "stock value at selling prices", unit: schema.Money, needs: "columns of stock on hand and of prices",
		sums: []formula{product(schema.Stock, schema.Price)},
	},
	{metric: OnOrder, title: "units on order", role: schema.Incoming, sums: []formula{product(schema.Incoming)}, unit: schema.Count, needs: "a column of units on order", countable: true, plural: true},
	{
		metric: OnOrderValue, title: "value on order at cost", unit: schema.Money, needs: "columns of units on order and of costs",
		sums: []formula{product(schema.Incoming, schema.UnitCost)},
	},
	{
		metric: TopUpCost, title: "cost of what is below the reorder level", unit: schema.Money, needs: "columns of stock on hand, of reorder levels and of costs",
		sums: []formula{product(schema.Reorder, schema.UnitCost).less(schema.Stock, schema.UnitCost)},
	},
	{metric: Cover, title: "days of cover", unit: schema.Count, needs: "sales and stock side by side"},
	{metric: SoldLately, title: "units sold lately", sums: []formula{product(schema.SoldLately)}, unit: schema.Count, needs: "sales and stock side by side", countable: true, plural: true},
	{metric: FirstDay, title: "first day", fold: FoldLeast, needs: "a column of dates", day: true},
	{metric: LastDay, title: "last day", fold: FoldMost, needs: "a column of dates", day: true},
	{metric: Gross, title: "gross revenue", sums: netRevenue, rows: PlacedRows, unit: schema.Money, needs: "a column of sales, or of prices and quantities"},
	{metric: Refunds, title: "refunds", bought: "credit from suppliers", role: schema.Refund, unit: schema.Money, needs: refundColumns, plural: true, lessIsBetter: true},
	{metric: RefundRate, title: "refund rate", unit: schema.Percent, needs: refundColumns, lessIsBetter: true},
	{metric: RefundedOrders, title: "refunded orders", bought: "credit notes", rows: RefundedRows, unit: schema.Count, needs: refundColumns, countable: true, plural: true, lessIsBetter: true},
	{metric: ReturnRate, title: "return rate", rows: RefundedRows, unit: schema.Percent, needs: refundColumns, lessIsBetter: true},
	{metric: CancelledOrders, title: "cancelled orders", rows: CancelledRows, unit: schema.Count, needs: cancelColumns, countable: true, plural: true, lessIsBetter: true},
	{metric: CancellationRate, title: "cancellation rate", rows: CancelledRows, unit: schema.Percent, needs: cancelColumns, lessIsBetter: true},
	{metric: Cancellations, title: "cancelled revenue", unit: schema.Money, needs: cancelColumns, lessIsBetter: true},
	{metric: Rows, title: "rows", unit: schema.Count, countable: true, plural: true},
	{metric: Sum, title: "total", fold: FoldSum, ofColumn: true},
	{metric: Average, title: "average", fold: FoldMean, ofColumn: true},
	{metric: Least, title: "lowest", fold: FoldLeast, ofColumn: true},
	{metric: Most, title: "highest", fold: FoldMost, ofColumn: true},
	{metric: Distinct, title: "different values", fold: FoldDistinct, ofColumn: true},
}

// Metrics are all metrics, in the order of the table.
var Metrics = func() (all []Metric) {
	for _, d := range table {
		all = append(all, d.metric)
	}
	return all
}()

// definition returns the metric's row of the table, or an empty row.
func (m Metric) definition() definition {
	if i := slices.Index(Metrics, m); i >= 0 {
		return table[i]
	}
	return definition{}
}

// MetricOf returns the metric that the heading of a column with a role asks for.
func MetricOf(r schema.Role) (Metric, bool) {
	i := slices.IndexFunc(table, func(d definition) bool { return d.role == r && r != schema.None })
	if i < 0 {
		return "", false
	}
	return table[i].metric, true
}

// Title returns the metric in words.
func (m Metric) Title() string { return m.definition().title }

// OfColumn reports whether the metric is of one column that the plan names.
func (m Metric) OfColumn() bool { return m.definition().ofColumn }

// AsDay reports whether the metric is a day and not a number.
func (m Metric) AsDay() bool { return m.definition().day }

// Countable reports whether the metric counts things, so that a group has the most and
// not the highest.
func (m Metric) Countable() bool { return m.definition().countable }

// Plural reports whether the metric's title is a plural.
func (m Metric) Plural() bool { return m.definition().plural }

// LessIsBetter reports whether a rise of the metric is a change for the worse.
func (m Metric) LessIsBetter() bool { return m.definition().lessIsBetter }

// Advised reports whether the metric says how well a group does, so that advice can
// follow from it.
func (m Metric) Advised() bool { return m.definition().advised }

// ByCustomer reports whether the metric counts customers by all of their orders, for
// which each customer is looked at first.
func (m Metric) ByCustomer() bool { return m == RepeatCustomers || m == NewCustomers }
