package insight

import (
	"context"
	"fmt"
	"math/big"
	"time"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// usualWeeks is how many earlier weeks make up a usual weekday.
const usualWeeks = 4

// weekday is a day beside the same weekday of the weeks before it.
type weekday struct {
	value *big.Rat // nil: unknown
	usual *big.Rat // mean of the days before; nil: none is covered
	weeks int      // that are in usual
}

// dayKPIs returns the figures of today so far and of yesterday.
func (s *Service) dayKPIs(ctx context.Context, sh sources) ([]KPI, error) {
	kpis := []KPI{
		{Key: "revenue_today", Label: "Revenue today so far", Unit: Money},
		{Key: "orders_today", Label: "Orders today so far", Unit: Count},
		{Key: "revenue_yesterday", Label: "Revenue yesterday", Unit: Money},
		{Key: "orders_yesterday", Label: "Orders yesterday", Unit: Count},
	}
	if sh.sales == nil {
		return kpis, nil
	}
	yesterday := sh.today.AddDate(0, 0, -1)
	asked := []daily{
		{plan.Revenue, sh.today, sh.now.Format(time.TimeOnly)}, {plan.Orders, sh.today, sh.now.Format(time.TimeOnly)},
		{plan.Revenue, yesterday, ""}, {plan.Orders, yesterday, ""},
	}
	found, err := s.weekdays(ctx, sh, asked)
	if err != nil {
		return nil, err
	}
	for i, d := range found {
		kpis[i].Value = d.value
		if d.value != nil && d.usual != nil {
			kpis[i].Previous, kpis[i].ComparedTo = d.usual, asked[i].usualText(d.weeks)
		}
	}
	return kpis, nil
}

// usualText names the days that a weekday is compared with.
func (d daily) usualText(weeks int) string {
	text := fmt.Sprintf("the average of the %d %ss before", weeks, d.day.Weekday())
	if weeks == 1 {
		text = fmt.Sprintf("the %s before", d.day.Weekday())
	}
	if d.clock != "" {
		text += " until " + d.clock[:len("15:04")]
	}
	return text
}

// daily asks for a metric of a day, until a time of day if one is given.
type daily struct {
	metric plan.Metric
	day    time.Time
	clock  string // HH:MM:SS
}

// weekdays computes a metric of days and of the usual weekdays before each.
func (s *Service) weekdays(ctx context.Context, sh sources, asked []daily) ([]weekday, error) {
	var plans []plan.Plan
	out := make([]weekday, len(asked))
	for i, d := range asked {
		p := plan.Plan{Source: sh.sales.ID, Period: Span{d.day.AddDate(0, 0, -7*usualWeeks), d.day}.period()}
		for week := range usualWeeks + 1 {
			day := d.day.AddDate(0, 0, -7*week)
			if !sh.covers(Span{day, day}) && week > 0 {
				break
			}
			p.Measures = append(p.Measures, plan.Measure{Metric: d.metric, Where: on(*sh.sales, day, d.clock)})
			out[i].weeks = week
		}
		plans = append(plans, p)
	}
	results, err := s.Books.Compute(ctx, sh.owner, *sh.sales, plans...)
	if err != nil {
		return nil, err
	}
	for i, r := range results {
		out[i].fill(sh, asked[i], r.Total.Now)
	}
	return out, nil
}

// fill sets the figures from those of the day and of the weeks before. A day after the
// newest sale is unknown, unless it has passed and the shop never sells on its weekday.
func (w *weekday) fill(sh sources, d daily, figures []*big.Rat) {
	sum := new(big.Rat)
	for _, f := range figures[1:] {
		if f != nil {
			sum.Add(sum, f)
		}
	}
	_, timed := plan.TimeColumn(*sh.sales, plan.Hour)
	if w.weeks > 0 && (timed || d.clock == "") {
		w.usual = sum.Quo(sum, big.NewRat(int64(w.weeks), 1))
	}
	closed := d.clock == "" && w.weeks == usualWeeks && w.usual.Sign() == 0 && !sh.freshness.Stale
	if !d.day.After(sh.newest) || closed {
		w.value = new(big.Rat)
		if figures[0] != nil {
			w.value = figures[0]
		}
	}
}

// on selects the rows of a day, until a time of day if the source has times.
func on(source schema.Source, day time.Time, clock string) []plan.Filter {
	sold, _ := source.ByRole(schema.Day)
	filters := []plan.Filter{{Column: sold.Heading, Part: plan.Day, Op: plan.In, Values: []string{name(day)}}}
	hour, timed := plan.TimeColumn(source, plan.Hour)
	switch {
	case clock == "" || !timed:
	case hour.Type == schema.Time:
		filters = append(filters, plan.Filter{Column: hour.Heading, Op: plan.AtMost, Values: []string{clock}})
	default:
		filters = append(filters, plan.Filter{Column: hour.Heading, Op: plan.AtMost, Values: []string{name(day) + " " + clock}})
	}
	return filters
}

// weekly are the figures of 7 days.
var weekly = []struct {
	key, label string
	unit       Unit
	measure    plan.Measure
}{
	{"revenue_7_days", "Revenue", Money, plan.Measure{Metric: plan.Revenue}},
	{"orders_7_days", "Orders", Count, plan.Measure{Metric: plan.Orders}},
	{"average_order_value", "Average order value", Money, plan.Measure{Metric: plan.Revenue, Per: plan.PerOrder}},
	{"gross_margin", "Gross margin", Percent, plan.Measure{Metric: plan.Margin}},
	{"refunds_7_days", "Refunds", Money, plan.Measure{Metric: plan.Refunds}},
}

// weekKPIs returns the figures of 7 days and of the month so far.
func (s *Service) weekKPIs(ctx context.Context, sh sources) ([]KPI, error) {
	var kpis []KPI
	var at []int
	week := sh.week()
	p := plan.Plan{Period: week.period(), Compare: week.before().period()}
	for i, w := range weekly {
		kpis = append(kpis, KPI{Key: w.key, Label: w.label + ", " + sh.weekName(), Unit: w.unit})
		if sh.sales == nil {
			continue
		}
		if _, err := plan.FormulaOf(*sh.sales, w.measure); err == nil {
			p.Measures, at = append(p.Measures, w.measure), append(at, i)
		}
	}
	month := KPI{Key: "revenue_month", Label: "Revenue, month so far", Unit: Money}
	if sh.sales == nil {
		return append(kpis, month), nil
	}
	soFar, past := monthOf(week.To)
	p.Source = sh.sales.ID
	results, err := s.Books.Compute(ctx, sh.owner, *sh.sales, p, plan.Plan{
		Source: p.Source, Measures: []plan.Measure{{Metric: plan.Revenue}}, Period: soFar.period(), Compare: past.period(),
	})
	if err != nil {
		return nil, err
	}
	for n, i := range at {
		kpis[i].compare(sh, results[0], n, week.before(), "the 7 days before")
	}
	month.Label = "Revenue, " + soFar.From.Format("January") + " to the " + ordinal(soFar.To.Day())
	month.compare(sh, results[1], 0, past, "the same days of "+past.From.Format("January"))
	if past.days() != soFar.days() {
		month.Previous, month.ComparedTo = nil, ""
	}
	return append(kpis, month), nil
}

// monthOf returns the days of a day's month up to it, and the same days of the month
// before, which are fewer if that is shorter.
func monthOf(day time.Time) (soFar, past Span) {
	soFar = Span{day.AddDate(0, 0, 1-day.Day()), day}
	past.From = soFar.From.AddDate(0, -1, 0)
	past.To = past.From.AddDate(0, 0, soFar.days()-1)
	if !past.To.Before(soFar.From) {
		past.To = soFar.From.AddDate(0, 0, -1)
	}
	return soFar, past
}

// compare sets a KPI to the nth figure of a result. Sums and counts over no rows are 0.
func (k *KPI) compare(sh sources, r compute.Result, n int, past Span, words string) {
	adds := func(f *big.Rat) *big.Rat {
		formula, err := plan.FormulaOf(r.Source, r.Plan.Measures[n])
		if f == nil && err == nil && formula.Bottom == nil {
			return new(big.Rat)
		}
		return f
	}
	if k.Value = adds(r.Total.Now[n]); k.Value == nil || !sh.covers(past) {
		return
	}
	if k.Previous = adds(r.Total.Before[n]); k.Previous != nil {
		k.ComparedTo = words
	}
}
