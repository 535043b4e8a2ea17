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
	text.WriteString("Order ID,Order Date,Product,Category,Store,Quantity,Price,Total Sales\n")
	for i := range n {
		day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i*730/n)
		product, q := r.IntN(500), 1+r.IntN(5)
		fmt.Fprintf(&text, "S%d,%s,Product %d,Category %d,Store %d,%d,%d.50,%d.%02d\n",
			i/2, day.Format(time.DateOnly), product, product%12, r.IntN(8), q, product%40, (product%40)*q+q/2, q%2*50)
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

// BenchmarkQuestions compares each shape of question with a plain scan of the table.
func BenchmarkQuestions(b *testing.B) {
	s, file := shop(b, large)
	revenue := []plan.Measure{{Metric: plan.Revenue}}
	half := &plan.Period{From: "2025-07-01", To: "2025-12-31", Words: "H2 2025"}
	before := &plan.Period{From: "2025-01-01", To: "2025-06-30", Words: "H1 2025"}
	scan := median(b, func() error {
		_, err := file.Query(context.Background(), 1, "SELECT sum(c8) FROM rows")
		return err
	})
	for name, p := range map[string]plan.Plan{
		"total":      {Measures: revenue},
		"by store":   {Measures: revenue, By: []plan.Dimension{{Column: "Store"}}},
		"by product": {Measures: []plan.Measure{{Metric: plan.Revenue}, {Metric: plan.Units}}, By: []plan.Dimension{{Column: "Product"}}, Order: plan.Highest, Limit: 10},
		"by month":   {Measures: revenue, By: []plan.Dimension{{Column: "Order Date", Part: plan.Month}}},
		"compared":   {Measures: revenue, By: []plan.Dimension{{Column: "Category"}}, Period: half, Compare: before},
		"filtered":   {Measures: revenue, Where: []plan.Filter{{Column: "Store", Op: plan.In, Values: []string{"Store 3"}}}, By: []plan.Dimension{{Column: "Order Date", Part: plan.Month}}},
		"per order":  {Measures: []plan.Measure{{Metric: plan.Revenue, Per: plan.PerOrder}}},
	} {
		p.Source = s.ID
		b.Run(name, func(b *testing.B) {
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
