package insight

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"svc/db"
	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// finances reports on profit, refunds, the month and charges.
func (w *writer) finances() ([]string, error) {
	var sentences []string
	if w.sales != nil {
		sentences = append(sentences, w.margin(), w.refunds(), w.month())
	}
	charges, err := w.charges()
	return append(sentences, charges), err
}

func (w *writer) margin() string {
	k := w.pulse.kpi("gross_margin")
	if k.Value == nil {
		return ""
	}
	return fmt.Sprintf("The gross margin of the 7 days was %s%s.", w.pulse.text(k.Value, Percent), w.after(k))
}

// after returns what a figure of the 7 days was in the 7 before: ", after £9.25".
func (w *writer) after(k KPI) string {
	if k.Previous == nil {
		return ""
	}
	before := w.pulse.text(k.Previous, k.Unit)
	if before == w.pulse.text(k.Value, k.Unit) {
		return ", as in the 7 days before"
	}
	return ", after " + before
}

func (w *writer) refunds() string {
	k := w.pulse.kpi("refunds_7_days")
	if k.Value == nil || k.Value.Sign() == 0 {
		return ""
	}
	return fmt.Sprintf("Refunds of the 7 days came to %s%s.", w.pulse.text(k.Value, Money), w.after(k))
}

func (w *writer) month() string {
	k := w.pulse.kpi("revenue_month")
	if soFar, _ := monthOf(w.week().To); k.Value == nil || soFar.days() < 2 {
		return "" // the first day is the one reported
	}
	day, sum := w.week().To, w.pulse.text(k.Value, Money) // without today, which is not over
	text := fmt.Sprintf("%s has brought %s up to the %s", day.Format("January"), sum, ordinal(day.Day()))
	if w.pulse.Freshness.Stale {
		text = fmt.Sprintf("%s brought %s until the %s", day.Format("January 2006"), sum, ordinal(day.Day()))
	}
	if against := w.pulse.Against(k); against != "" {
		text += ", " + against
	}
	return text + "."
}

func (w *writer) charges() (string, error) {
	currency := w.owner.Profile.Currency
	if currency != w.currency {
		return "", nil
	}
	sums, err := db.Read(w.ctx, w.service.Store, func(tx *db.Tx) (db.ChargeSums, error) {
		return tx.ChargeSums(w.owner, w.now.AddDate(0, 0, -7))
	})
	if err != nil || sums.Paid == 0 && sums.Pending == 0 {
		return "", err
	}
	paid, pending := w.pulse.text(fromMinor(sums.Paid, currency), Money), w.pulse.text(fromMinor(sums.Pending, currency), Money)
	return fmt.Sprintf("Charges of %s were paid in 7 days, and %s for %s.", paid, counted(int(sums.Payables), "charge"), waits(sums.Payables, pending)), nil
}

func waits(n int64, pending string) string {
	return pending + map[bool]string{true: " waits", false: " wait"}[n == 1]
}

// inventory reports on the stock: its value, what is low, what ends next, and what is on
// order.
func (w *writer) inventory() ([]string, error) {
	var sentences []string
	if w.stock != nil {
		if value := w.pulse.kpi("stock_value"); value.Value != nil && value.Value.Sign() > 0 {
			sentences = append(sentences, fmt.Sprintf("The stock is worth %s %s.", w.pulse.text(value.Value, Money), valuedAt(*w.stock)))
		}
		low, err := w.low()
		if err != nil {
			return nil, err
		}
		next, err := w.endsNext()
		if err != nil {
			return nil, err
		}
		sentences = append(sentences, low, next)
	}
	open, err := w.openOrders()
	return append(sentences, open), err
}

// maxLow is how many products at their reorder points are read; all are counted.
const maxLow = 50

// low reports which products are at or below their reorder point, the lowest stock first.
func (w *writer) low() (string, error) {
	names, err := w.lowProducts()
	if err != nil || len(names) == 0 {
		return "", err
	}
	n := int(w.pulse.kpi("low_stock_items").Value.Num().Int64())
	verb := map[bool]string{true: "is", false: "are"}[n == 1]
	return fmt.Sprintf("%s %s at or below the reorder point: %s.", counted(n, "product"), verb, listed(names)), nil
}

// lowProducts returns the products that low_stock_items counts, at most maxLow of each kind of
// reorder point, with their stock: "Tea (0 left)". There are none if the stock does not name them.
func (w *writer) lowProducts() (names []string, err error) {
	total := w.pulse.kpi("low_stock_items").Value
	if total == nil || total.Sign() == 0 {
		return nil, nil
	}
	stock, _ := w.stock.ByRole(schema.Stock)
	reorder, _ := w.stock.ByRole(schema.Reorder)
	product, ok := w.stock.ByRole(schema.Product)
	if !ok {
		return nil, nil
	}
	p := plan.Plan{
		Source: w.stock.ID, Day: name(w.today), Measures: []plan.Measure{{Metric: plan.StockUnits}}, By: []plan.Dimension{{Column: product.Heading}},
		Order: plan.Lowest, Limit: maxLow,
	}
	pointed, unpointed := p, p
	pointed.Where = []plan.Filter{{Column: stock.Heading, Op: plan.AtMost, Other: reorder.Heading}}
	unpointed.Where = []plan.Filter{{Column: reorder.Heading, Op: plan.Blank}, {Column: stock.Heading, Op: plan.AtMost, Values: []string{fmt.Sprint(defaultReorder)}}}
	results, err := w.compute(*w.stock, pointed, unpointed)
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		for _, g := range r.Groups {
			names = append(names, fmt.Sprintf("%s (%s left)", label(g), w.pulse.text(orZero(g.Now[0]), Count)))
		}
	}
	return names, nil
}

// soonDays is how many days of cover are soon.
const soonDays = 14

// endsNext reports which product that is in stock ends next.
func (w *writer) endsNext() (string, error) {
	product, ok := w.stock.ByRole(schema.Product)
	stock, has := w.stock.ByRole(schema.Stock)
	cover := plan.Measure{Metric: plan.Cover}
	if _, err := plan.FormulaOf(*w.stock, cover); err != nil || !ok || !has {
		return "", nil
	}
	results, err := w.compute(*w.stock, plan.Plan{
		Source: w.stock.ID, Day: name(w.today), Measures: []plan.Measure{cover}, By: []plan.Dimension{{Column: product.Heading}},
		Where: []plan.Filter{{Column: stock.Heading, Op: plan.More, Values: []string{"0"}}}, Order: plan.Lowest, Limit: 1,
	})
	if err != nil || len(results[0].Groups) == 0 {
		return "", err
	}
	g := results[0].Groups[0]
	if days := g.Now[0]; days == nil || days.Cmp(big.NewRat(soonDays, 1)) > 0 {
		return "", nil
	}
	return fmt.Sprintf("%s ends next: what is there lasts %s at the usual rate.", label(g), daysText(w.pulse.text(g.Now[0], Count))), nil
}

func daysText(n string) string {
	if n == "1" {
		return "1 day"
	}
	return n + " days"
}

// openOrders reports on the purchase orders that have not arrived.
func (w *writer) openOrders() (string, error) {
	n, value := w.pulse.kpi("open_purchase_orders").Value, w.pulse.kpi("on_order_value").Value
	if n == nil || n.Sign() == 0 {
		return "", nil
	}
	day, _ := w.purchases.ByRole(schema.Day)
	results, err := w.compute(*w.purchases, plan.Plan{
		Source: w.purchases.ID, Where: ordered(*w.purchases), Measures: []plan.Measure{{Metric: plan.Cost}},
		By: []plan.Dimension{{Column: day.Heading, Part: plan.Day}},
	})
	if err != nil || len(results[0].Groups) == 0 {
		return "", err
	}
	oldest, err := time.Parse(time.DateOnly, results[0].Groups[0].Labels[0])
	if err != nil {
		return "", err
	}
	age := counted(Span{oldest, w.today}.days()-1, "day") + " ago"
	worth := w.pulse.text(orZero(value), Money)
	if n.Cmp(big.NewRat(1, 1)) == 0 {
		return fmt.Sprintf("One purchase order of %s has not arrived: it was placed on %s, %s.", worth, dayText(oldest, w.today), age), nil
	}
	return fmt.Sprintf("%s of %s in all have not arrived: the oldest was placed on %s, %s.", w.counted(n, "purchase order"), worth, dayText(oldest, w.today), age), nil
}

// headline is the brief in one line.
func (w *writer) headline(actions int) string {
	var parts []string
	week, revenue := w.pulse.kpi("revenue_7_days"), w.pulse.kpi("revenue_yesterday")
	value, low := w.pulse.kpi("stock_value"), w.pulse.kpi("low_stock_items")
	switch {
	case w.sales == nil && w.unused != nil:
		return fmt.Sprintf("%s has %s, but no revenue by day in one currency.", w.unused.Name, counted(int(w.unused.Rows), "row"))
	case w.sales == nil && w.stock == nil:
		return "There is no data yet: 0 sales and 0 products."
	case w.sales == nil && value.Value == nil:
		parts = append(parts, counted(int(w.stock.Rows), "product")+" in the inventory, and no sales yet")
	case w.sales == nil:
		parts = append(parts, fmt.Sprintf("The stock is worth %s %s", w.pulse.text(value.Value, Money), valuedAt(*w.stock)))
	case w.pulse.Freshness.Stale:
		parts = append(parts, fmt.Sprintf("No sale for %s", counted(w.pulse.Freshness.AgeDays, "day")),
			fmt.Sprintf("the 7 days to %s brought %s", dayText(w.newest, w.today), w.pulse.text(week.Value, Money)))
	case revenue.Value != nil && revenue.Value.Sign() > 0:
		parts = append(parts, w.moveOf(w.today.AddDate(0, 0, -1).Weekday().String(), "the usual", revenue))
	default:
		parts = append(parts, w.moveOf("The "+w.weekName(), "the 7 before", week))
	}
	if low.Value != nil && low.Value.Sign() > 0 {
		parts = append(parts, w.counted(low.Value, "product")+" low on stock")
	}
	if actions > 0 {
		parts = append(parts, counted(actions, "thing")+" to do")
	}
	return strings.Join(parts, "; ") + "."
}

// moveOf writes a figure with its change in short: "Sunday brought £123, 12 % above the usual".
func (w *writer) moveOf(what, than string, k KPI) string {
	text := fmt.Sprintf("%s brought %s", what, w.pulse.text(k.Value, Money))
	change := k.Change()
	if change == nil {
		return text
	}
	if compute.Rounded(change, 1).Sign() == 0 {
		return text + ", as much as " + than
	}
	way := "above"
	if change.Sign() < 0 {
		way = "below"
	}
	return fmt.Sprintf("%s, %s %s %s", text, w.pulse.text(new(big.Rat).Abs(change), Percent), way, than)
}

// advice is what an open alert of a kind asks for.
var advice = map[string]string{
	"stock_out":           "Order again",
	"days_of_cover":       "Order soon",
	"low_stock":           "Reorder",
	"sold_below_cost":     "Raise the price or find a cheaper supplier",
	"sales_drop":          "Find out why sales fell",
	"margin_drop":         "Check prices and costs",
	"refund_spike":        "Find out why goods come back",
	"purchase_order_late": "Ask the supplier",
	"customer_churn":      "Get in touch",
	"dead_stock":          "Clear what does not sell",
	"data_stale":          "Check that sales still arrive",
}

// actionOf returns what an alert asks for, with its figures.
func actionOf(a Alert) string {
	if verb, ok := advice[a.Kind]; ok {
		return verb + ": " + a.Detail
	}
	return a.Detail
}
