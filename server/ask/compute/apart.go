package compute

import (
	"context"
	"slices"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// apart groups a figure for cities by city if one of their names is that of towns in two
// states or countries: Springfield is not one sum.
func apart(ctx context.Context, t Table, s schema.Source, p plan.Plan) (plan.Plan, error) {
	city, ok := s.ByRole(schema.City)
	isCity := func(f plan.Filter) bool { return f.Column == city.Heading && f.Op == plan.In }
	single := len(p.By)+len(p.Part)+len(p.WhatIf)+len(p.Derived) == 0 && p.Compare == nil && !p.Why
	if !ok || !single || !slices.ContainsFunc(p.Where, isCity) {
		return p, nil
	}
	for _, role := range []schema.Role{schema.State, schema.Country} {
		wide, ok := s.ByRole(role)
		if !ok || wide.Distinct < 2 || wide.Type != schema.Text {
			continue
		}
		if slices.ContainsFunc(p.Where, func(f plan.Filter) bool { return f.Column == wide.Heading }) {
			return p, nil
		}
		pairs := plan.Plan{Source: p.Source, Measures: []plan.Measure{{Metric: plan.Distinct, Column: wide.Heading}}, By: []plan.Dimension{{Column: city.Heading}},
			Where: p.Where, Period: p.Period, Day: p.Day, Limit: plan.MaxValues}
		found, err := run(ctx, t, s, pairs)
		if err != nil {
			return p, err
		}
		if len(found.Groups) > len(slices.Concat(valuesOf(p.Where, isCity)...)) {
			p.By = []plan.Dimension{{Column: city.Heading}}
		}
		return p, nil
	}
	return p, nil
}

// valuesOf returns the values of the filters that pass.
func valuesOf(filters []plan.Filter, passes func(plan.Filter) bool) (all [][]string) {
	for _, f := range filters {
		if passes(f) {
			all = append(all, f.Values)
		}
	}
	return all
}
