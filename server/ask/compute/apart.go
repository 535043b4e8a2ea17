package compute

import (
	"context"
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// apart groups a figure for cities by city if one of their names is that of towns in two
// states or countries: Springfield is not one sum.
// A few rows of a name that are elsewhere are slips of data and no other town; they are returned.
func apart(ctx context.Context, t Table, s schema.Source, p plan.Plan) (plan.Plan, *Omission, error) {
	city, ok := s.ByRole(schema.City)
	isCity := func(f plan.Filter) bool { return f.Column == city.Heading && f.Op == plan.In }
	single := len(p.By)+len(p.Part)+len(p.WhatIf)+len(p.Derived) == 0 && p.Compare == nil && !p.Why
	if !ok || !single || !slices.ContainsFunc(p.Where, isCity) {
		return p, nil, nil
	}
	for _, role := range []schema.Role{schema.State, schema.Country} {
		wide, ok := s.ByRole(role)
		if !ok || wide.Distinct < 2 || wide.Type != schema.Text {
			continue
		}
		if slices.ContainsFunc(p.Where, func(f plan.Filter) bool { return f.Column == wide.Heading }) {
			return p, nil, nil
		}
		pairs := plan.Plan{Source: p.Source, Measures: []plan.Measure{{Metric: plan.Rows}}, By: []plan.Dimension{{Column: city.Heading}, {Column: wide.Heading}},
			Where: p.Where, Period: p.Period, Day: p.Day, Limit: plan.MaxValues}
		found, err := run(ctx, t, s, pairs)
		if err != nil {
			return p, nil, err
		}
		towns, strays := townsOf(found.Groups)
		if towns > len(namesOf(slices.Concat(valuesOf(p.Where, isCity)...))) {
			p.By = []plan.Dimension{{Column: city.Heading}}
			return p, nil, nil
		}
		if strays > 0 {
			return p, &Omission{Column: wide.Heading, Rows: strays}, nil
		}
		return p, nil, nil
	}
	return p, nil, nil
}

// withoutOtherPlaces returns the source without the role of a column of states or countries that are
// not where its cities are: most cities have several, such as the countries of the wines that were
// sold there. It looks only if the plan is of cities.
func withoutOtherPlaces(ctx context.Context, t Table, s schema.Source, p plan.Plan) (schema.Source, error) {
	city, ok := s.ByRole(schema.City)
	isOfCities := slices.ContainsFunc(p.By, func(d plan.Dimension) bool { return d.Column == city.Heading }) ||
		slices.ContainsFunc(p.Filters(), func(f plan.Filter) bool { return f.Column == city.Heading })
	if !ok || !isOfCities {
		return s, nil
	}
	for i, c := range s.Columns {
		if c.Role != schema.State && c.Role != schema.Country || c.Type != schema.Text || c.Distinct < 2 {
			continue
		}
		found, err := t.Query(ctx, 1, "SELECT count(*), sum(a <> b) FROM (SELECT min("+c.Name+") AS a, max("+c.Name+") AS b FROM "+s.From+
			" WHERE "+city.Name+" IS NOT NULL AND "+c.Name+" IS NOT NULL GROUP BY "+city.Name+")", s.Args...)
		if err != nil {
			return s, err
		}
		if cities, several := asInt(found.Rows[0][0]), asInt(found.Rows[0][1]); cities >= fewCities && 2*several > cities {
			s.Columns = slices.Clone(s.Columns)
			s.Columns[i].Role = schema.None
		}
	}
	return s, nil
}

// fewCities is the number of cities below which nothing can be said of where they are.
const fewCities = 3

// asInt returns a whole number of a row; 0 for NULL.
func asInt(v any) int64 {
	n, _ := v.(int64)
	return n
}

// fewStrays is the number of rows of a name for each of which one may be elsewhere.
const fewStrays = 20

// townsOf returns the number of towns of some names with their states, whatever the names' case,
// and that of the rows that say another state than nearly all of their name.
func townsOf(groups []Group) (towns int, strays int64) {
	rows := map[string]map[string]int64{}
	for _, g := range groups {
		name := strings.ToLower(strings.TrimSuffix(g.Labels[0], ", "+g.Labels[1]))
		if rows[name] == nil {
			rows[name] = map[string]int64{}
		}
		rows[name][g.Labels[1]] += g.Rows
	}
	for _, states := range rows {
		var all int64
		for _, n := range states {
			all += n
		}
		for _, n := range states {
			if n*fewStrays <= all {
				strays += n
			} else {
				towns++
			}
		}
	}
	return towns, strays
}

// namesOf returns names without those that differ from another by their case alone.
func namesOf(values []string) map[string]bool {
	out := map[string]bool{}
	for _, v := range values {
		out[strings.ToLower(v)] = true
	}
	return out
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
