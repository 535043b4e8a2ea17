package compute_test

import (
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
)

var seed = flag.Uint64("seed", 1, "of the random plans of TestRandomPlansAgreeWithRows")

// formatNaive returns groups in the form of formatGroups, with exact fractions.
func formatNaive(all []naiveGroup) string {
	var out []string
	for _, g := range all {
		out = append(out, fmt.Sprint(g.labels, g.now, g.before))
	}
	return strings.Join(out, "\n")
}

func formatExact(r compute.Result) string {
	var out []naiveGroup
	for _, g := range r.Groups {
		out = append(out, naiveGroup{g.Labels, g.Now, g.Before})
	}
	return formatNaive(out)
}

// agrees computes a plan by SQL, directly and as if over many rows, and by naive.
func agrees(t *testing.T, rows []sale, text string, plans ...plan.Plan) (compared int) {
	t.Helper()
	s, file := open(t, text)
	for _, p := range plans {
		p.Source = s.ID
		if err := plan.Check(p, s); err != nil {
			continue
		}
		compared++
		want := formatNaive(naive{rows, p}.groups())
		for _, n := range []int64{s.Rows, 1_000_000} {
			source := s
			source.Rows = n
			r, err := compute.Run(t.Context(), file, source, p)
			if err != nil {
				t.Fatalf("%+v: %v", p, err)
			}
			if got := formatExact(r); got != want {
				t.Fatalf("%s %d rows: got\n%s\nwant\n%s\n%s", plan.Sentence(p, s), n, got, want, r.SQL[0])
			}
		}
	}
	return compared
}

func at(p plan.Part) []plan.Dimension { return []plan.Dimension{{Column: "Order Date", Part: p}} }

func onDays(days ...string) []plan.Filter {
	return []plan.Filter{{Column: "Order Date", Part: plan.Weekday, Op: plan.In, Values: days}}
}

// march is a month of madeUpSales.
var march = &plan.Period{From: "2024-03-01", To: "2024-03-31", Words: "March 2024"}

// shapes are the plans of questions that one measure alone cannot answer.
func shapes() map[string]plan.Plan {
	revenue := plan.Measure{Metric: plan.Revenue}
	of := func(where []plan.Filter) plan.Measure { return plan.Measure{Metric: plan.Revenue, Where: where} }
	per := func(m plan.Metric, per string, fold plan.Fold) plan.Measure {
		return plan.Measure{Metric: m, Per: per, Fold: fold}
	}
	weekend := plan.Measure{Metric: plan.Units, Per: "day", Where: onDays("Saturday", "Sunday")}
	week := plan.Measure{Metric: plan.Units, Per: "day", Where: onDays("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")}
	return map[string]plan.Plan{
		"share of a product by month":   {Measures: []plan.Measure{of(in("Product", "Coffee")), revenue}, Derived: []plan.Derived{{Kind: plan.ShareOf, And: 1}}, By: at(plan.Month), OrderBy: 2, Order: plan.Highest},
		"more in one place":             {Measures: []plan.Measure{of(in("Store", "North")), of(in("Store", "South"))}, By: by("Customer"), Having: []plan.Threshold{{Op: plan.More, Other: new(1)}}},
		"running total":                 {Measures: []plan.Measure{revenue}, Derived: []plan.Derived{{Kind: plan.Running}}, By: at(plan.Month)},
		"running total above a bound":   {Measures: []plan.Measure{revenue}, Derived: []plan.Derived{{Kind: plan.Running}}, By: at(plan.Week), Having: []plan.Threshold{{Measure: 1, Op: plan.More, Value: 2000}}, Limit: 1},
		"a day by store":                {Measures: []plan.Measure{per(plan.Revenue, "day", "")}, By: by("Store"), Order: plan.Highest},
		"a day by product":              {Measures: []plan.Measure{per(plan.Units, "day", "")}, By: by("Product"), Having: []plan.Threshold{{Op: plan.Less, Value: 3.5}}, Order: plan.Highest},
		"a day by product and store":    {Measures: []plan.Measure{per(plan.Units, "day", "")}, By: by("Product", "Store"), Order: plan.Lowest, Limit: 3},
		"Saturdays":                     {Measures: []plan.Measure{per(plan.Revenue, "day", "")}, Where: onDays("Saturday")},
		"a product on Saturdays":        {Measures: []plan.Measure{per(plan.Revenue, "day", "")}, Where: append(onDays("Saturday"), in("Product", "Mug")...)},
		"median order":                  {Measures: []plan.Measure{per(plan.Revenue, plan.PerOrder, plan.FoldMedian)}},
		"median order by store":         {Measures: []plan.Measure{per(plan.Revenue, plan.PerOrder, plan.FoldMedian)}, By: by("Store"), Order: plan.Lowest},
		"best day by product":           {Measures: []plan.Measure{per(plan.Units, "day", plan.FoldMost), per(plan.Units, "day", plan.FoldLeast)}, By: by("Product")},
		"median week by product":        {Measures: []plan.Measure{per(plan.Revenue, "week", plan.FoldMedian)}, By: by("Product")},
		"percentile of a column":        {Measures: []plan.Measure{{Metric: plan.Average, Column: "Total Sales", Fold: plan.Percentile(90)}}, By: by("Store")},
		"not sold in a month":           {Measures: []plan.Measure{{Metric: plan.Rows, Period: march}}, By: by("Customer", "Product"), Having: []plan.Threshold{{Op: plan.AtMost}}},
		"days to ship":                  {Measures: []plan.Measure{{Metric: plan.Average, Column: "Ship Date", Since: "Order Date"}, {Metric: plan.Most, Column: "Ship Date", Since: "Order Date"}}, By: by("Store")},
		"one column beside another":     {Measures: []plan.Measure{{Metric: plan.Orders}}, Where: []plan.Filter{{Column: "Total Sales", Op: plan.Less, Other: "Cost"}}},
		"weekends and weekdays":         {Measures: []plan.Measure{weekend, week}, By: by("Product"), Having: []plan.Threshold{{Op: plan.More, Other: new(1)}}},
		"kinds of days by product":      {Measures: []plan.Measure{per(plan.Units, "day", "")}, By: append(by("Product"), at(plan.Daytype)...)},
		"without one place":             {Measures: []plan.Measure{revenue}, Where: []plan.Filter{{Column: "Store", Op: plan.NotIn, Values: []string{"North"}}}},
		"share of orders by store":      {Measures: []plan.Measure{{Metric: plan.Orders, Where: in("Customer", "Ann")}, {Metric: plan.Orders}}, Derived: []plan.Derived{{Kind: plan.ShareOf, And: 1}}, By: by("Store"), OrderBy: 2, Order: plan.Highest},
		"customers with many orders":    {Measures: []plan.Measure{{Metric: plan.Orders}}, By: by("Customer"), Having: []plan.Threshold{{Op: plan.More, Value: 20}}},
		"a day of a product, two times": {Measures: []plan.Measure{per(plan.Units, "day", "")}, Where: in("Product", "Tea"), Period: &plan.Period{From: "2024-02-01", To: "2024-02-29"}, Compare: &plan.Period{From: "2024-01-01", To: "2024-01-31"}},
	}
}

func TestShapesAgreeWithRows(t *testing.T) {
	rows, text := madeUpSales(rand.New(rand.NewPCG(3, 4)), 300)
	for name, p := range shapes() {
		t.Run(name, func(t *testing.T) {
			if agrees(t, rows, text, p) != 1 {
				t.Error("the plan does not fit the source")
			}
		})
	}
}

// Random plans over random rows give what naive computes.
func TestRandomPlansAgreeWithRows(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 5))
	for range 3 {
		rows, text := madeUpSales(r, 20+r.IntN(150))
		var plans []plan.Plan
		for range 700 {
			plans = append(plans, randomPlan(r))
		}
		if n := agrees(t, rows, text, plans...); n < 200 {
			t.Errorf("got %d plans that fit, want at least 200", n)
		}
	}
}

func randomPlan(r *rand.Rand) plan.Plan {
	p := plan.Plan{Where: randomFilters(r), Order: pickOne(r, "", plan.ByLabel, plan.Highest, plan.Lowest), Limit: pickOne(r, 0, 0, 1, 3)}
	for range 1 + r.IntN(3) {
		p.Measures = append(p.Measures, randomMeasure(r))
	}
	for range r.IntN(3) {
		p.Derived = append(p.Derived, plan.Derived{Kind: pickOne(r, plan.Derivations...), Of: r.IntN(len(p.Measures)), And: r.IntN(len(p.Measures))})
	}
	for _, d := range []plan.Dimension{{Column: pickOne(r, "Product", "Store", "Customer")}, {Column: "Order Date", Part: pickOne(r, plan.Parts...)}} {
		if r.IntN(3) > 0 {
			p.By = append(p.By, d)
		}
	}
	p.OrderBy = r.IntN(p.Figures())
	if len(p.By) == 0 {
		p.Order, p.Limit, p.OrderBy = "", 0, 0
	}
	if r.IntN(4) == 0 {
		p.Period = randomPeriod(r)
		if r.IntN(2) == 0 {
			p.Compare = randomPeriod(r)
		}
	}
	if r.IntN(4) == 0 {
		h := plan.Threshold{Measure: r.IntN(p.Figures()), Op: pickOne(r, plan.More, plan.AtLeast, plan.Less, plan.AtMost), Value: float64(r.IntN(60))}
		if r.IntN(2) == 0 {
			h.Other = new(r.IntN(p.Figures()))
		}
		p.Having = append(p.Having, h)
	}
	return p
}

func randomMeasure(r *rand.Rand) plan.Measure {
	m := plan.Measure{
		Metric: pickOne(r, plan.Revenue, plan.Units, plan.Profit, plan.Cost, plan.Orders, plan.Rows, plan.Customers, plan.Sum, plan.Average, plan.Least, plan.Most, plan.Distinct),
		Where:  pickOne(r, nil, nil, randomFilters(r)), Period: pickOne(r, nil, nil, nil, randomPeriod(r)),
	}
	switch {
	case m.Metric == plan.Distinct:
		m.Column = pickOne(r, "Product", "Customer")
	case m.Metric.OfColumn() && r.IntN(2) == 0:
		m.Column, m.Since = "Ship Date", "Order Date"
	case m.Metric.OfColumn():
		m.Column = pickOne(r, moneyColumns...)
	}
	if m.Metric == plan.Average {
		m.Fold = pickOne(r, "", plan.FoldMedian, plan.Percentile(30))
	} else if r.IntN(3) == 0 && m.Metric != plan.Least && m.Metric != plan.Most && m.Metric != plan.Customers && m.Metric != plan.Distinct {
		m.Per = pickOne(r, "day", "week", "month", "weekday", plan.PerOrder, "Customer", "Store")
		m.Fold = pickOne(r, "", plan.FoldMean, plan.FoldMedian, plan.FoldLeast, plan.FoldMost, plan.Percentile(77))
	}
	return m
}

func randomPeriod(r *rand.Rand) *plan.Period {
	from := 1 + r.IntN(3)
	return &plan.Period{From: fmt.Sprintf("2024-%02d-05", from), To: fmt.Sprintf("2024-%02d-%02d", from+r.IntN(2), 6+r.IntN(20))}
}

func randomFilters(r *rand.Rand) []plan.Filter {
	return pickOne(r, nil, nil, in("Product", "Tea", "Mug"), in("Store", "North"), onDays("Monday", "Sunday"),
		[]plan.Filter{{Column: "Customer", Op: plan.NotIn, Values: []string{"Ann"}}}, []plan.Filter{{Column: "Customer", Op: plan.Blank}}, []plan.Filter{{Column: "Product", Op: plan.Filled}},
		[]plan.Filter{{Column: "Order Date", Part: plan.Month, Op: plan.In, Values: []string{"2", "3"}}}, []plan.Filter{{Column: "Cost", Op: plan.More, Values: []string{"12.5"}}},
		[]plan.Filter{{Column: "Total Sales", Op: plan.AtLeast, Other: "Cost"}})
}

// Shares, running totals and averages of sums beyond 64 bits are exact too.
func TestShapesOfLargeSumsAreExact(t *testing.T) {
	var text strings.Builder
	text.WriteString("Order Date,Product,Unit Price,Quantity\n")
	for i := range 12_000 {
		fmt.Fprintf(&text, "2024-%02d-%02d,%s,1999.999999,1000.000001\n", 1+i%3, 1+i/3%20, []string{"Tea", "Mug"}[i/3%2])
	}
	s, file := open(t, text.String())
	row := new(big.Rat).Mul(big.NewRat(1999_999_999, 1_000_000), big.NewRat(1000_000_001, 1_000_000))
	times := func(n, by int64) string { return new(big.Rat).Mul(row, big.NewRat(n, by)).String() }
	p := plan.Plan{
		Source:   s.ID,
		Measures: []plan.Measure{{Metric: plan.Revenue}, {Metric: plan.Revenue, Where: in("Product", "Tea")}, {Metric: plan.Revenue, Per: "day", Where: in("Product", "Tea")}},
		Derived:  []plan.Derived{{Kind: plan.Running}, {Kind: plan.ShareOf, Of: 1}, {Kind: plan.Running, Of: 1}},
		By:       at(plan.Month),
	}
	for _, n := range []int64{s.Rows, 1_000_000} {
		s.Rows = n
		r, err := compute.Run(t.Context(), file, s, p)
		if err != nil || len(r.Groups) != 3 {
			t.Fatalf("got %d groups, %v", len(r.Groups), err)
		}
		for i, g := range r.Groups {
			months := int64(i + 1)
			want := fmt.Sprint([]string{times(4000, 1), times(2000, 1), times(2000, 20), times(4000*months, 1), "50/1", times(2000*months, 1)})
			if got := fmt.Sprint(g.Now); got != want {
				t.Errorf("%d rows, %s: got %s, want %s", n, g.Labels, got, want)
			}
		}
	}
}

// Springfield of two states is two towns, never one sum.
func TestCitiesOfOneNameAreApart(t *testing.T) {
	s, file := open(t, "Date,City,State,Total\n2024-01-01,Springfield,Ohio,1\n2024-01-02,Springfield,Illinois,2\n2024-01-03,Dayton,Ohio,4\n")
	in := func(column string, values ...string) plan.Filter {
		return plan.Filter{Column: column, Op: plan.In, Values: values}
	}
	for want, where := range map[string][]plan.Filter{
		"Springfield, Illinois 2; Springfield, Ohio 1":           {in("City", "Springfield")},
		"Dayton 4; Springfield, Illinois 2; Springfield, Ohio 1": {in("City", "Springfield", "Dayton")},
		"4": {in("City", "Dayton")},
		"1": {in("City", "Springfield"), in("State", "Ohio")},
	} {
		p := plan.Plan{Source: s.ID, Measures: []plan.Measure{{Metric: plan.Revenue}}, Where: where}
		r, err := compute.Run(t.Context(), file, s, p)
		if err != nil {
			t.Fatal(err)
		}
		if got := formatGroups(r); got != want {
			t.Errorf("%v: got %s, want %s", where, got, want)
		}
	}
}

// The countries of wines are not those of the towns where they are sold.
func TestCountriesOfGoodsAreNotThoseOfTowns(t *testing.T) {
	s, file := open(t, "Date,Town,Wine,Country,Total\n"+strings.Repeat("2024-01-01,Ripon,Rioja,Spain,1\n2024-01-02,Ripon,Fleurie,France,2\n2024-01-02,Selby,Rioja,Spain,4\n2024-01-03,Selby,Fleurie,France,8\n2024-01-03,Thirsk,Fleurie,France,16\n", 3))
	p := plan.Plan{Source: s.ID, Measures: []plan.Measure{{Metric: plan.Revenue}}, By: []plan.Dimension{{Column: "Town"}}}
	r, err := compute.Run(t.Context(), file, s, p)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := formatGroups(r), "Thirsk 48; Selby 36; Ripon 9"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// One row of many that says another state is a slip, not another town; however a name is written.
func TestStrayRowsAreNoOtherTown(t *testing.T) {
	text := "Date,City,State,Total\n" + strings.Repeat("2024-01-01,Sydney,NSW,1\n", 28) + "2024-01-02,SYDNEY,NSW,1\n2024-01-03,sydney,NT,1\n"
	s, file := open(t, text)
	p := plan.Plan{Source: s.ID, Measures: []plan.Measure{{Metric: plan.Revenue}}, Where: []plan.Filter{{Column: "City", Op: plan.In, Values: []string{"Sydney", "SYDNEY", "sydney"}}}}
	r, err := compute.Run(t.Context(), file, s, p)
	if err != nil {
		t.Fatal(err)
	}
	if got := formatGroups(r); got != "30" || r.Strays == nil || r.Strays.Rows != 1 || r.Strays.Column != "State" {
		t.Errorf("got %s, strays %v; want 30 and 1 row of another State", got, r.Strays)
	}
}
