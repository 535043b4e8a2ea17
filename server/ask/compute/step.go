package compute

import (
	"context"
	"slices"
	"time"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// steps sets each group's figures before to those of the previous part of time. Those of
// the first group are computed separately if its period begins inside the data.
func steps(ctx context.Context, t Table, s schema.Source, r *Result) error {
	if !r.Plan.Steps || len(r.Groups) == 0 {
		return nil
	}
	part := r.Plan.By[0].Part
	for i := len(r.Groups) - 1; i > 0; i-- {
		_, end, _ := plan.PartDays(part, r.Groups[i-1].Labels[0])
		begin, _, ok := plan.PartDays(part, r.Groups[i].Labels[0])
		if ok && end.AddDate(0, 0, 1).Equal(begin) {
			r.Groups[i].Before = r.Groups[i-1].Now
		}
	}
	begin, _, ok := plan.PartDays(part, r.Groups[0].Labels[0])
	if !ok || r.Plan.Period == nil || r.Plan.Period.From > begin.Format(time.DateOnly) {
		return nil
	}
	from, to, _ := plan.PartDays(part, plan.PartLabel(part, begin.AddDate(0, 0, -1)))
	if from.Format(time.DateOnly) < s.First {
		return nil
	}
	p := totalPlan(r.Plan)
	p.Measures, p.Derived = r.Plan.Measures, r.Plan.Derived
	p.Period = &plan.Period{From: from.Format(time.DateOnly), To: to.Format(time.DateOnly)}
	before, err := run(ctx, t, s, p)
	if err != nil {
		return err
	}
	r.SQL = append(r.SQL, before.SQL...)
	r.Groups[0].Before = before.Total.Now
	return nil
}

// qualifiedCity returns the column with an expression that adds the state or country to
// names that several of them have: Charleston, South Carolina, and Charleston, West
// Virginia, are two cities. Other names stay as they are.
func (q *query) qualifiedCity(c schema.Column) schema.Column {
	if c.Role != schema.City {
		return c
	}
	for _, role := range []schema.Role{schema.State, schema.Country} {
		wide, ok := q.source.ByRole(role)
		if !ok || wide.Distinct < 2 || wide.Type != schema.Text {
			continue
		}
		if slices.ContainsFunc(q.plan.By, func(d plan.Dimension) bool { return d.Column == wide.Heading }) {
			return c
		}
		c.Name = "CASE WHEN " + c.Name + " IN (SELECT " + c.Name + " FROM " + q.source.From + " GROUP BY 1 HAVING min(" + wide.Name + ") <> max(" + wide.Name +
			")) THEN " + c.Name + " || coalesce(', ' || " + wide.Name + ", '') ELSE " + c.Name + " END"
		return c
	}
	return c
}
