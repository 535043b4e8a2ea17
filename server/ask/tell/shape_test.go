package tell_test

import (
	"strings"
	"testing"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/ask/read"
	"svc/server/ask/tell"
)

// tellPlan computes and words a plan.
func (s *shop) tellPlan(t *testing.T, p plan.Plan) (tell.Answer, compute.Result) {
	t.Helper()
	p.Source = s.source.ID
	r, err := compute.Run(t.Context(), s.file, s.source, p)
	if err != nil {
		t.Fatal(err)
	}
	return tell.Tell(r, read.Reading{Plan: p, Source: s.source, AsOf: today}, tell.Options{Today: today, Currency: "usd"}), r
}

func where(column string, values ...string) []plan.Filter {
	return []plan.Filter{{Column: column, Op: plan.In, Values: values}}
}

func revenueOf(product string) plan.Measure {
	return plan.Measure{Metric: plan.Revenue, Where: where("Product", product)}
}

func byMonth() []plan.Dimension { return []plan.Dimension{{Column: "Order Date", Part: plan.Month}} }

// TestShapes words plans whose figures are made from others, folded, or of rows of their
// own.
func TestShapes(t *testing.T) {
	s := open(t, sales())
	product := []plan.Dimension{{Column: "Product"}}
	february := &plan.Period{From: "2024-02-01", To: "2024-02-29", Words: "February 2024"}
	weekend := plan.Measure{Metric: plan.Units, Per: "day", Where: []plan.Filter{{Column: "Order Date", Part: plan.Weekday, Op: plan.In, Values: []string{"Saturday", "Sunday"}}}}
	revenue := plan.Measure{Metric: plan.Revenue}
	perDay := plan.Measure{Metric: plan.Revenue, Per: "day"}
	share, running := []plan.Derived{{Kind: plan.ShareOf, And: 1}}, []plan.Derived{{Kind: plan.Running}}
	for name, row := range map[string]struct {
		plan plan.Plan
		want string
	}{
		"share": {plan.Plan{Measures: []plan.Measure{revenueOf("Tea"), revenue}, Derived: share}, "Revenue for Tea came to $1,665, 78.54 % of revenue ($2,120)."},
		"share by month": {
			plan.Plan{Measures: []plan.Measure{revenueOf("Tea"), revenue}, Derived: share, By: byMonth(), Order: plan.ByLabel},
			"Share of revenue for Tea came to 78.54 %. By month, it was highest for January 2024 (83.33 %) and lowest for March 2024 (66.67 %). Read as: share of revenue for Tea, by month.",
		},
		"difference": {plan.Plan{Measures: []plan.Measure{revenueOf("Tea"), revenueOf("Mug")}, Derived: []plan.Derived{{Kind: plan.Difference, And: 1}}}, "Revenue for Tea came to $1,665, $1,210 more than revenue for Mug ($455)."},
		"change":     {plan.Plan{Measures: []plan.Measure{revenueOf("Mug"), revenueOf("Tea")}, Derived: []plan.Derived{{Kind: plan.ChangeFrom, And: 1}}}, "Revenue for Mug came to $455, down 72.67 % from revenue for Tea ($1,665)."},
		"ratio":      {plan.Plan{Measures: []plan.Measure{revenue, {Metric: plan.Cost}}, Derived: []plan.Derived{{Kind: plan.Ratio, And: 1}}}, "Revenue came to $2,120, which is 1.75 for each of cost ($1,212)."},
		"running total": {
			plan.Plan{Measures: []plan.Measure{revenue}, Derived: running, By: byMonth(), Order: plan.ByLabel},
			"Running total of revenue reaches $2,120 by the end of March 2024, from $930 at the end of January 2024.",
		},
		"running total above a bound": {
			plan.Plan{Measures: []plan.Measure{revenue}, Derived: running, By: byMonth(), Order: plan.ByLabel, Having: []plan.Threshold{{Measure: 1, Op: plan.More, Value: 1000}}, Limit: 1},
			"Running total of revenue is first above $1,000 for February 2024: $1,655.",
		},
		"one above another": {
			plan.Plan{Measures: []plan.Measure{revenueOf("Tea"), revenueOf("Mug")}, By: []plan.Dimension{{Column: "Store"}}, Having: []plan.Threshold{{Op: plan.More, Other: new(1)}}},
			"1 store with revenue for Tea above revenue for Mug: North ($1,665 against $0).",
		},
		"below a day": {
			plan.Plan{Measures: []plan.Measure{{Metric: plan.Units, Per: "day"}}, By: product, Having: []plan.Threshold{{Op: plan.Less, Value: 5}}},
			"1 product with average units sold per day below 5: Mug (1).",
		},
		"a day by store": {
			plan.Plan{Measures: []plan.Measure{perDay}, By: []plan.Dimension{{Column: "Store"}}, Order: plan.Highest},
			"North has the highest average revenue per day: $18.30. Then South ($5). The difference is $13.30. Read as: average revenue per day by Store.",
		},
		"nothing in a month": {
			plan.Plan{Measures: []plan.Measure{{Metric: plan.Rows, Period: &plan.Period{From: "2023-03-01", To: "2023-03-31", Words: "March 2023"}}}, By: product, Having: []plan.Threshold{{Op: plan.AtMost}}},
			"2 products have no sales in March 2023: Mug and Tea.",
		},
		"something in a month": {
			plan.Plan{Measures: []plan.Measure{{Metric: plan.Rows, Period: february}}, By: product, Having: []plan.Threshold{{Op: plan.AtMost}}, Count: true},
			"Every product has sales in February 2024.",
		},
		"median day":  {plan.Plan{Measures: []plan.Measure{{Metric: plan.Revenue, Per: "day", Fold: plan.FoldMedian}}}, "Median revenue per day came to $25."},
		"best day":    {plan.Plan{Measures: []plan.Measure{{Metric: plan.Revenue, Per: "day", Fold: plan.FoldMost}}}, "Highest revenue per day came to $30."},
		"two changes": {plan.Plan{Measures: []plan.Measure{revenue}, WhatIf: []plan.WhatIf{{Change: plan.Price, Percent: 10}, {Change: plan.Volume, Percent: -10}}}, "Simulated: with prices up 10 % and sales down 10 %, revenue would be $2,098.80 instead of $2,120, a change of -$21.20."},
		"two figures by product": {
			plan.Plan{Measures: []plan.Measure{weekend, {Metric: plan.Units, Per: "day"}}, By: product, Order: plan.Highest},
			"Tea has the highest average units sold per day on weekends: 7.08 (average units sold per day: 7.32). Then Mug (1). The difference is 6.08. Read as: average units sold per day on weekends, by Product.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			a, r := s.tellPlan(t, row.plan)
			if !strings.HasPrefix(a.Answer, row.want) {
				t.Errorf("got %s\nwant %s", a.Answer, row.want)
			}
			for _, text := range []string{a.Answer, *a.InsightHeader, a.KPICards[0].Value} {
				if bad := tell.Grounded(text, tell.FiguresOf(r)); len(bad) > 0 {
					t.Errorf("not computed: %v in %q", bad, text)
				}
			}
		})
	}
}
