package read_test

import (
	"testing"

	"svc/server/ask/plan"
	"svc/server/ask/read"
	"svc/server/schema"
)

// Numbers beyond plan.MaxNumber, and infinity, are refused.
func TestNumbersBeyondMaxNumberAreRefused(t *testing.T) {
	s := schema.Source{ID: "d", Name: "sales", Kind: schema.Sales, Rows: 100, Columns: []schema.Column{
		{Name: "c1", Heading: "Product", Type: schema.Text, Role: schema.Product, Distinct: 9, Values: []string{"Tea"}},
		{Name: "c2", Heading: "Total Sales", Type: schema.Number, Role: schema.Revenue, Unit: schema.Money, Scale: 2},
	}}
	reader := read.New([]schema.Source{s})
	for question, want := range map[string]bool{
		"raise prices by 1e308 million percent":   false,
		"raise prices by 900000 billion percent":  true,
		"products with sales above 1e308 million": false,
		"products with sales above 1e16":          false,
		"products with sales above 2 million":     true,
	} {
		if got, err := reader.Read(question, today); (err == nil) != want {
			t.Errorf("%q: got %+v, %v, want an answer: %v", question, got.Plan, err, want)
		}
	}
	revenue := []plan.Measure{{Metric: plan.Revenue}}
	for _, p := range []plan.Plan{
		{Measures: revenue, WhatIf: []plan.WhatIf{{Change: plan.Price, Percent: 1e300}}},
		{Measures: revenue, WhatIf: []plan.WhatIf{{Change: plan.Price, Amount: -1e16}}},
		{Measures: revenue, By: []plan.Dimension{{Column: "Product"}}, Having: []plan.Threshold{{Op: plan.More, Value: 1e16}}},
		{Measures: revenue, Where: []plan.Filter{{Column: "Total Sales", Op: plan.More, Values: []string{"Inf"}}}},
	} {
		if p.Source = s.ID; plan.Check(p, s) == nil {
			t.Errorf("%+v: no error", p)
		}
	}
}
