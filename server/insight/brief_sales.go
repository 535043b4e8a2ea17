package insight

import (
	"fmt"
	"math/big"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// yesterday reports on the last complete day, or on when the sales end if they are stale.
func (w *writer) yesterday() ([]string, error) {
	if w.sales == nil {
		return nil, nil
	}
	f, day := w.pulse.Freshness, w.today.AddDate(0, 0, -1)
	revenue, orders := w.pulse.kpi("revenue_yesterday"), w.pulse.kpi("orders_yesterday")
	named := weekdayText(day, w.today)
	switch {
	case f.Stale:
		return []string{fmt.Sprintf("The newest sale in %s is of %s, %s ago, so all figures below end on that day.", f.Source, w.newest.Format("Monday 2 January 2006"), counted(f.AgeDays, "day"))}, nil
	case revenue.Value == nil:
		return []string{fmt.Sprintf("No sale of %s is stored: the newest in %s is of %s, %s ago.", named, f.Source, weekdayText(w.newest, w.today), counted(f.AgeDays, "day"))}, nil
	case orders.Value.Sign() == 0 && revenue.Previous != nil && revenue.Previous.Sign() == 0:
		return []string{fmt.Sprintf("Nothing was sold on %s, as on the %d %ss before.", named, usualWeeks, day.Weekday())}, nil
	}
	text := fmt.Sprintf("%s brought %s from %s", named, w.pulse.text(revenue.Value, Money), w.counted(orders.Value, "order"))
	if against := w.pulse.Against(revenue); against != "" {
		text += ", " + against
	}
	top, ok := w.ranking(schema.Product, Span{day, day}, 1)
	if !ok {
		return []string{text + "."}, nil
	}
	results, err := w.compute(*w.sales, top)
	if err != nil || len(results[0].Groups) == 0 {
		return []string{text + "."}, err
	}
	best := results[0].Groups[0]
	return []string{text + ".", fmt.Sprintf("The best seller was %s with %s.", label(best), w.pulse.text(best.Now[0], Money))}, nil
}

// counted writes a count with its noun.
func (w *writer) counted(n *big.Rat, noun string) string {
	return counted(int(compute.Rounded(n, 0).Int64()), noun)
}

// label returns the name of a group.
func label(g compute.Group) string {
	if g.Labels[0] == "" {
		return "a product without a name"
	}
	return g.Labels[0]
}

// lastWeek reports on the 7 days of week: their revenue, their best day, and the products that
// changed most.
func (w *writer) lastWeek() ([]string, error) {
	if w.sales == nil {
		return nil, nil
	}
	week := w.week()
	text := fmt.Sprintf("The 7 days from %s brought %s from %s", spanText(week), w.pulse.text(w.pulse.kpi("revenue_7_days").Value, Money),
		w.counted(w.pulse.kpi("orders_7_days").Value, "order"))
	if against := w.pulse.Against(w.pulse.kpi("revenue_7_days")); against != "" {
		text += ", " + against
	}
	sentences := []string{text + "."}
	if aov := w.pulse.kpi("average_order_value"); aov.Value != nil && aov.Value.Sign() > 0 {
		sentences = append(sentences, fmt.Sprintf("An order was worth %s on average%s.", w.pulse.text(aov.Value, Money), w.after(aov)))
	}
	more, err := w.products(week)
	return append(sentences, more...), err
}

// products reports on the best products of a week and those that changed most since the
// week before.
func (w *writer) products(week Span) ([]string, error) {
	top, ok := w.ranking(schema.Product, week, 3)
	if !ok {
		return nil, nil
	}
	top.Period.Words = "these 7 days"
	gained, lost := top, top
	gained.Compare, lost.Compare = week.before().period(), week.before().period()
	gained.Limit, lost.Limit, gained.Order, lost.Order = 1, 1, plan.Grown, plan.Shrunk
	plans := []plan.Plan{top}
	if w.covers(week.before()) {
		plans = append(plans, gained, lost)
	}
	results, err := w.compute(*w.sales, plans...)
	if err != nil {
		return nil, err
	}
	sentences := []string{w.service.Books.Sentence(w.owner, results[0])}
	if results[0].Count < 2 {
		return sentences, nil
	}
	for _, r := range results[1:] {
		if len(r.Groups) > 0 {
			sentences = append(sentences, w.moved(r.Groups[0], r.Plan.Order == plan.Grown))
		}
	}
	return sentences, nil
}

// moved reports how a product's revenue has changed; "" if it did not, or not that way.
func (w *writer) moved(g compute.Group, up bool) string {
	by := new(big.Rat).Sub(orZero(g.Now[0]), orZero(g.Before[0]))
	size := w.pulse.text(new(big.Rat).Abs(by), Money)
	switch {
	case by.Sign() == 0 || (by.Sign() > 0) != up:
		return ""
	case up:
		return fmt.Sprintf("%s gained most, %s more than in the 7 days before.", label(g), size)
	}
	return fmt.Sprintf("%s lost most, %s less than in the 7 days before.", label(g), size)
}

func orZero(r *big.Rat) *big.Rat {
	if r == nil {
		return new(big.Rat)
	}
	return r
}

// customers reports on who bought in the 7 days of week.
func (w *writer) customers() ([]string, error) {
	if w.sales == nil {
		return nil, nil
	}
	top, ok := w.ranking(schema.Customer, w.week(), 1)
	if !ok {
		return nil, nil
	}
	c, _ := w.sales.ByRole(schema.Customer)
	top.Where = []plan.Filter{{Column: c.Heading, Op: plan.Filled}}
	count := plan.Plan{Source: w.sales.ID, Period: top.Period, Measures: []plan.Measure{{Metric: plan.Customers}}}
	first := count
	first.Measures = []plan.Measure{{Metric: plan.NewCustomers}}
	results, err := w.compute(*w.sales, top, count, first)
	if err != nil {
		return nil, err
	}
	all, fresh := results[1].Total.Now[0], orZero(results[2].Total.Now[0])
	if all == nil || all.Sign() == 0 || len(results[0].Groups) == 0 {
		return nil, nil
	}
	text := w.counted(all, "known customer") + " bought in these 7 days"
	if w.covers(w.week().before()) && fresh.Sign() > 0 {
		text += fmt.Sprintf(", %s of them for the first time", w.pulse.text(fresh, Count))
	}
	best := results[0].Groups[0]
	return []string{text + ".", fmt.Sprintf("%s spent most: %s.", label(best), w.pulse.text(best.Now[0], Money))}, nil
}
