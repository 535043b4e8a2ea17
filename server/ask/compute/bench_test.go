package compute_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/dataset"
	"svc/server/schema"
	"svc/server/sheet"
)

// large is the number of rows for which the goal is a grouped question in 300 ms on one
// core.
const large = 1_000_000

// shop imports a file of sales with n rows over two years.
func shop(b *testing.B, n int) (schema.Source, *db.DataFile) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	text.WriteString("Order ID,Order Date,Product,Category,Store,Quantity,Price,Total Sales,Customer,Ship Date\n")
	for i := range n {
		day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i*730/n)
		product, q := r.IntN(500), 1+r.IntN(5)
		fmt.Fprintf(&text, "S%d,%s,Product %d,Category %d,Store %d,%d,%d.50,%d.%02d,Customer %d,%s\n",
			i/2, day.Format(time.DateOnly), product, product%12, i/2*31%8, q, product%40, (product%40)*q+q/2, q%2*50, i/2*7919%20_000, day.AddDate(0, 0, r.IntN(9)).Format(time.DateOnly))
	}
	path := filepath.Join(b.TempDir(), "rows.db")
	source, _, err := dataset.Build(context.Background(), "sales.csv", strings.NewReader(text.String()), int64(text.Len()), sheet.Limits{}, path)
	if err != nil {
		b.Fatal(err)
	}
	file, err := db.OpenDataFile(path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { file.Close() })
	return source, file
}

// benchShapes are the shapes of questions that are compared with a plain scan.
func benchShapes() map[string]plan.Plan {
	revenue := []plan.Measure{{Metric: plan.Revenue}}
	perDay := []plan.Measure{{Metric: plan.Revenue, Per: "day"}}
	half := &plan.Period{From: "2025-07-01", To: "2025-12-31", Words: "H2 2025"}
	before := &plan.Period{From: "2025-01-01", To: "2025-06-30", Words: "H1 2025"}
	one := func(store string) plan.Measure { return plan.Measure{Metric: plan.Revenue, Where: in("Store", store)} }
	share := []plan.Derived{{Kind: plan.ShareOf, And: 1}}
	return map[string]plan.Plan{
		"total":                {Measures: revenue},
		"by store":             {Measures: revenue, By: by("Store")},
		"by product":           {Measures: []plan.Measure{{Metric: plan.Revenue}, {Metric: plan.Units}}, By: by("Product"), Order: plan.Highest, Limit: 10},
		"by month":             {Measures: revenue, By: at(plan.Month)},
		"compared":             {Measures: revenue, By: by("Category"), Period: half, Compare: before},
		"filtered":             {Measures: revenue, Where: in("Store", "Store 3"), By: at(plan.Month)},
		"per order":            {Measures: []plan.Measure{{Metric: plan.Revenue, Per: plan.PerOrder}}},
		"share by month":       {Measures: []plan.Measure{one("Store 3"), revenue[0]}, Derived: share, By: at(plan.Month)},
		"more here than there": {Measures: []plan.Measure{one("Store 1"), one("Store 2")}, By: by("Product"), Having: []plan.Threshold{{Op: plan.More, Other: new(1)}}},
		"running":              {Measures: revenue, Derived: []plan.Derived{{Kind: plan.Running}}, By: at(plan.Month)},
		"a day by store":       {Measures: perDay, By: by("Store")},
		"a day by product":     {Measures: perDay, By: by("Product"), Having: []plan.Threshold{{Op: plan.Less, Value: 5}}},
		"saturdays":            {Measures: perDay, Where: onDays("Saturday")},
		"weekend by product":   {Measures: []plan.Measure{{Metric: plan.Units, Per: "day", Where: onDays("Saturday", "Sunday")}, {Metric: plan.Units, Per: "day", Where: onDays("Monday", "Tuesday")}}, By: by("Product")},
		"median order":         {Measures: []plan.Measure{{Metric: plan.Revenue, Per: plan.PerOrder, Fold: plan.FoldMedian}}},
		"median by store":      {Measures: []plan.Measure{{Metric: plan.Average, Column: "Total Sales", Fold: plan.FoldMedian}}, By: by("Store")},
		"best month by store":  {Measures: []plan.Measure{{Metric: plan.Revenue, Per: "month", Fold: plan.FoldMost}}, By: by("Store")},
		"days to ship":         {Measures: []plan.Measure{{Metric: plan.Average, Column: "Ship Date", Since: "Order Date"}}},
		"column beside column": {Measures: []plan.Measure{{Metric: plan.Orders}}, Where: []plan.Filter{{Column: "Price", Op: plan.More, Other: "Total Sales"}}},
		"not sold":             {Measures: []plan.Measure{{Metric: plan.Rows, Period: half}}, By: by("Product"), Having: []plan.Threshold{{Op: plan.AtMost}}},
		"groups that pass":     {Measures: []plan.Measure{{Metric: plan.Orders}}, By: by("Customer"), Having: []plan.Threshold{{Op: plan.More, Value: 30}}, Count: true},
		"orders by store":      {Measures: []plan.Measure{{Metric: plan.Orders}}, By: by("Store")},
		"without one store":    {Measures: revenue, Where: []plan.Filter{{Column: "Store", Op: plan.NotIn, Values: []string{"Store 3"}}}},
		"two changes":          {Measures: revenue, By: by("Store"), WhatIf: []plan.WhatIf{{Change: plan.Price, Percent: 5, Scope: in("Product", "Product 7")}, {Change: plan.Volume, Percent: -3}}},
	}
}

// BenchmarkQuestions compares each shape of question with a plain scan of the table, in
// the same run.
func BenchmarkQuestions(b *testing.B) {
	s, file := shop(b, large)
	for name, p := range benchShapes() {
		p.Source = s.ID
		b.Run(name, func(b *testing.B) {
			scan := median(b, func() error {
				_, err := file.Query(context.Background(), 1, "SELECT sum(c8) FROM rows")
				return err
			})
			took := median(b, func() error {
				_, err := compute.Run(context.Background(), file, s, p)
				return err
			})
			b.ReportMetric(float64(took.Milliseconds()), "ms")
			b.ReportMetric(float64(took)/float64(scan), "scans")
		})
	}
}

func median(b *testing.B, run func() error) time.Duration {
	b.Helper()
	var took []time.Duration
	for range 5 {
		start := time.Now()
		if err := run(); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	return took[2]
}
