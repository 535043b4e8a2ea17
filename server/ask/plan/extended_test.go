package plan_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// shop returns a source of sales with most roles.
func shop() schema.Source {
	shipped := schema.Column{Heading: "shipped", Name: "d2", Type: schema.Date}
	return source(schema.Sales, day(), shipped, text(schema.Order), text(schema.Product), text(schema.Customer), text(schema.Store), text(schema.Channel), text(schema.Payment),
		amount(schema.Quantity, schema.Count), amount(schema.Revenue, schema.Money), amount(schema.Cost, schema.Money))
}

func in(column string, values ...string) []plan.Filter {
	return []plan.Filter{{Column: column, Op: plan.In, Values: values}}
}

func month() []plan.Dimension { return []plan.Dimension{{Column: "date", Part: plan.Month}} }

// extended are plans of the shapes that one measure alone cannot express, with their text.
var extended = map[string]struct {
	plan plan.Plan
	want string
}{
	"share by month": {
		plan.Plan{
			Measures: []plan.Measure{{Metric: plan.Revenue, Where: in("product", "Coffee")}, {Metric: plan.Revenue}},
			Derived:  []plan.Derived{{Kind: plan.ShareOf, Of: 0, And: 1}}, By: month(), OrderBy: 2, Order: plan.ByLabel,
		},
		"Revenue for Coffee and revenue and share of revenue for Coffee by date (month) from shop, in order by share of revenue for Coffee.",
	},
	"one figure above another": {
		plan.Plan{
			Measures: []plan.Measure{{Metric: plan.Revenue, Where: in("channel", "Online")}, {Metric: plan.Revenue, Where: in("channel", "In-store")}},
			By:       []plan.Dimension{{Column: "customer"}}, Having: []plan.Threshold{{Measure: 0, Op: plan.More, Other: new(1)}},
		},
		"Revenue for Online and revenue for In-store by customer from shop, with revenue for Online above revenue for In-store, in order.",
	},
	"running total": {
		plan.Plan{Measures: []plan.Measure{{Metric: plan.Revenue}}, Derived: []plan.Derived{{Kind: plan.Running}}, By: month()},
		"Revenue and running total of revenue by date (month) from shop, in order.",
	},
	"median order": {
		plan.Plan{Measures: []plan.Measure{{Metric: plan.Revenue, Per: plan.PerOrder, Fold: plan.FoldMedian}}},
		"Median revenue per order from shop.",
	},
	"percentile of a column": {
		plan.Plan{Measures: []plan.Measure{{Metric: plan.Average, Column: "revenue", Fold: plan.Percentile(90)}}},
		"90th percentile of revenue from shop.",
	},
	"days between": {
		plan.Plan{Measures: []plan.Measure{{Metric: plan.Average, Column: "shipped", Since: "date"}}},
		"Average days from date to shipped from shop.",
	},
	"nothing in a month": {
		plan.Plan{
			Measures: []plan.Measure{{Metric: plan.Rows, Period: &plan.Period{From: "2024-03-01", To: "2024-03-31", Words: "March 2024"}}},
			By:       []plan.Dimension{{Column: "product"}}, Having: []plan.Threshold{{Op: plan.AtMost}},
		},
		"Rows in March 2024 by product from shop, with rows in March 2024 at most 0, in order.",
	},
	"two changes": {
		plan.Plan{Measures: []plan.Measure{{Metric: plan.Profit}}, WhatIf: []plan.WhatIf{{Change: plan.Price, Percent: 5}, {Change: plan.Costs, Percent: 3}}},
		"Profit from shop, with prices up 5 % and costs up 3 %.",
	},
	"count of groups": {
		plan.Plan{Measures: []plan.Measure{{Metric: plan.Orders}}, By: []plan.Dimension{{Column: "customer"}}, Having: []plan.Threshold{{Op: plan.More, Value: 5}}, Count: true},
		"Number of groups by customer from shop, with orders above 5.",
	},
}

func TestExtendedPlansPassAndSurviveJSON(t *testing.T) {
	s := shop()
	for name, row := range extended {
		p := row.plan
		p.Source = s.ID
		if err := plan.Check(p, s); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := plan.Sentence(p, s); got != row.want {
			t.Errorf("%s: got %s\nwant %s", name, got, row.want)
		}
		body, err := json.Marshal(p)
		var back plan.Plan
		if err != nil || json.Unmarshal(body, &back) != nil || !reflect.DeepEqual(p, back) {
			t.Errorf("%s: got %+v, %v from %s", name, back, err, body)
		}
	}
}

func TestCheckRefusesFiguresThatFitNothing(t *testing.T) {
	s := shop()
	revenue := plan.Measure{Metric: plan.Revenue}
	for name, p := range map[string]plan.Plan{
		"fold without parts":       {Measures: []plan.Measure{{Metric: plan.Revenue, Fold: plan.FoldMedian}}},
		"unknown fold":             {Measures: []plan.Measure{{Metric: plan.Revenue, Per: "day", Fold: "p100"}}},
		"fold of a quotient":       {Measures: []plan.Measure{{Metric: plan.AveragePrice, Per: "day", Fold: plan.FoldMost}}},
		"median per unit":          {Measures: []plan.Measure{{Metric: plan.Revenue, Per: plan.PerUnit, Fold: plan.FoldMedian}}},
		"days of a text":           {Measures: []plan.Measure{{Metric: plan.Average, Column: "shipped", Since: "product"}}},
		"days of a metric":         {Measures: []plan.Measure{{Metric: plan.Revenue, Since: "date"}}},
		"unknown column of a part": {Measures: []plan.Measure{{Metric: plan.Revenue, Where: in("nothing", "x")}}},
		"own days compared":        {Measures: []plan.Measure{{Metric: plan.Revenue, Period: &plan.Period{From: "2024-01-01", To: "2024-01-02"}}}, Period: &plan.Period{From: "2024-01-01", To: "2024-01-31"}, Compare: &plan.Period{From: "2023-01-01", To: "2023-01-31"}},
		"derived of nothing":       {Measures: []plan.Measure{revenue}, Derived: []plan.Derived{{Kind: plan.ShareOf, And: 1}}},
		"derived of a day":         {Measures: []plan.Measure{{Metric: plan.LastDay}, revenue}, Derived: []plan.Derived{{Kind: plan.Ratio, Of: 1}}},
		"difference of two units":  {Measures: []plan.Measure{revenue, {Metric: plan.Units}}, Derived: []plan.Derived{{Kind: plan.Difference, And: 1}}},
		"running without a series": {Measures: []plan.Measure{revenue}, Derived: []plan.Derived{{Kind: plan.Running}}, By: []plan.Dimension{{Column: "product"}}},
		"running customers":        {Measures: []plan.Measure{{Metric: plan.Customers}}, Derived: []plan.Derived{{Kind: plan.Running}}, By: month()},
		"order by no figure":       {Measures: []plan.Measure{revenue}, OrderBy: 1},
		"threshold of no figure":   {Measures: []plan.Measure{revenue}, By: month(), Having: []plan.Threshold{{Op: plan.More, Other: new(1)}}},
		"median with a change":     {Measures: []plan.Measure{{Metric: plan.Revenue, Per: "day", Fold: plan.FoldMedian}}, WhatIf: []plan.WhatIf{{Change: plan.Price, Percent: 1}}},
		"too many changes":         {Measures: []plan.Measure{revenue}, WhatIf: make([]plan.WhatIf, 5)},
		"no day in a filter":       {Measures: []plan.Measure{revenue}, Where: []plan.Filter{{Column: "date", Part: plan.Day, Op: plan.In, Values: []string{"yesterday"}}}},
	} {
		p.Source = s.ID
		if plan.Check(p, s) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestNarrows(t *testing.T) {
	s := shop()
	for heading, want := range map[string]bool{"product": true, "customer": true, "payment": true, "quantity": true, "store": false, "channel": false, "date": false} {
		if c, _ := plan.Column(s, heading); plan.Narrows(s, c) != want {
			t.Errorf("%s: got %v, want %v", heading, !want, want)
		}
	}
	other := s
	other.Kind = schema.Other
	if c, _ := plan.Column(s, "product"); plan.Narrows(other, c) {
		t.Error("a source that is no shop: got true, want false")
	}
}
