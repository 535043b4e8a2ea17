package insight

import (
	"context"
	"math/big"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/schema"
	"svc/server/views"
)

// chartDays is how many days the overview's chart of revenue shows.
const chartDays = 28

// chart draws the revenue of each of the last complete days, up to the day of sh.week. A
// day without sales is 0, and days before the first sale are left out. It returns nil
// without sales.
func (s *Service) chart(ctx context.Context, sh sources, p Pulse) (*views.Chart, error) {
	if sh.sales == nil {
		return nil, nil
	}
	span := Span{To: sh.week().To}
	span.From = span.To.AddDate(0, 0, 1-chartDays)
	if span.From.Before(sh.first) {
		span.From = sh.first
	}
	if span.days() < 2 {
		return nil, nil
	}
	day, _ := sh.sales.ByRole(schema.Day)
	found, err := s.Books.Compute(ctx, sh.owner, *sh.sales, plan.Plan{
		Source: sh.sales.ID, Measures: []plan.Measure{{Metric: plan.Revenue}},
		By: []plan.Dimension{{Column: day.Heading, Part: plan.Day}}, Period: span.period(),
	})
	if err != nil {
		return nil, err
	}
	chart := views.Bars("revenue", "Revenue by day", "Day", "Revenue", p.dayPoints(span, found[0].Groups))
	return &chart, nil
}

// dayPoints returns a point for each day of a span, of groups by day.
func (p Pulse) dayPoints(span Span, groups []compute.Group) (points []views.Point) {
	of := map[string]*big.Rat{}
	for _, g := range groups {
		of[g.Labels[0]] = g.Now[0]
	}
	for d := span.From; !d.After(span.To); d = next(d) {
		value := of[name(d)]
		if value == nil {
			value = new(big.Rat)
		}
		height, _ := value.Float64()
		points = append(points, views.Point{Label: d.Format("Mon 2 Jan"), Text: p.text(value, Money), Value: height})
	}
	return points
}
