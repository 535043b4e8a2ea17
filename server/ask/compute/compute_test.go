package compute_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"
	"testing"

	"svc/db"
	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/dataset"
	"svc/server/schema"
	"svc/server/sheet"
)

// sales is a small shop: Ann buys three times, Bob twice, O'Hara once; one product is
// blank, and one is sold below cost.
const sales = `Order ID,Order Date,Product,Store,Customer,Quantity,Unit Price,Total Sales,Cost
1,2024-01-05,Tea,North,Ann,1,0.10,0.10,0.05
1,2024-01-05,Coffee,North,Ann,2,0.20,0.40,0.10
2,2024-01-20,Tea,South,Bob,3,0.10,0.30,0.15
3,2024-02-03,Tea,North,Ann,1,0.10,0.10,0.05
4,2024-02-10,Mug,South,Bob,1,5.00,5.00,6.00
5,2024-02-11,Coffee,South,O'Hara,5,0.20,1.00,0.25
6,2024-03-02,,North,Ann,1,0.70,0.70,0.35
`

// blanks has a blank price, quantity or total in some rows.
const blanks = `Order ID,Order Date,Product,Quantity,Unit Price,Total Sales
1,2024-01-05,Tea,1,2.00,2.00
2,2024-01-05,Tea,50,,
3,2024-01-06,Tea,,3.00,
4,2024-01-06,Tea,1,4.00,4.00
5,2024-01-07,Mug,2,5.00,10.00
6,2024-01-07,Mug,2,5.00,10.00
`

func open(t *testing.T, text string) (schema.Source, *db.DataFile) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.db")
	s, _, err := dataset.Build(t.Context(), "sales.csv", strings.NewReader(text), int64(len(text)), sheet.Limits{}, path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := db.OpenDataFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return s, file
}

func run(t *testing.T, p plan.Plan) compute.Result {
	t.Helper()
	s, file := open(t, sales)
	p.Source = s.ID
	r, err := compute.Run(t.Context(), file, s, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// runLarge computes p as if over a million rows, which are added up before SQLite groups.
func runLarge(t *testing.T, p plan.Plan) compute.Result {
	t.Helper()
	s, file := open(t, sales)
	s.Rows, p.Source = 1_000_000, s.ID
	r, err := compute.Run(t.Context(), file, s, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// formatGroups returns the groups as text: labels, figures, and figures before.
func formatGroups(r compute.Result) string {
	var out []string
	for _, g := range r.Groups {
		line := strings.Join(g.Labels, "/")
		for i, n := range g.Now {
			line += " " + number(n) + g.Days[i]
		}
		for _, n := range g.Before {
			line += " <" + number(n)
		}
		if g.Share != nil {
			line += " " + number(g.Share) + "%"
		}
		out = append(out, strings.TrimSpace(line))
	}
	return strings.Join(out, "; ")
}

func number(r *big.Rat) string {
	if r == nil {
		return "-"
	}
	return strings.TrimSuffix(strings.TrimRight(r.FloatString(4), "0"), ".")
}

func of(m ...plan.Metric) []plan.Measure {
	var out []plan.Measure
	for _, metric := range m {
		out = append(out, plan.Measure{Metric: metric})
	}
	return out
}

func by(columns ...string) []plan.Dimension {
	var out []plan.Dimension
	for _, c := range columns {
		out = append(out, plan.Dimension{Column: c})
	}
	return out
}

func in(column string, values ...string) []plan.Filter {
	return []plan.Filter{{Column: column, Op: plan.In, Values: values}}
}

func month(n int) *plan.Period {
	last := map[int]int{1: 31, 2: 29, 3: 31}[n]
	return &plan.Period{From: fmt.Sprintf("2024-%02d-01", n), To: fmt.Sprintf("2024-%02d-%d", n, last)}
}

func TestFigures(t *testing.T) {
	timed := func(p plan.Part) []plan.Dimension { return []plan.Dimension{{Column: "Order Date", Part: p}} }
	for name, row := range map[string]struct {
		plan plan.Plan
		want string
	}{
		"sums are exact":           {plan.Plan{Measures: of(plan.Revenue)}, "7.6"},
		"profit and margin":        {plan.Plan{Measures: of(plan.Profit, plan.Margin), Where: in("Product", "Tea")}, "0.25 50"},
		"groups with a loss":       {plan.Plan{Measures: of(plan.Profit), By: by("Product"), Having: []plan.Threshold{{Op: plan.Less}}}, "Mug -1"},
		"blank makes no group":     {plan.Plan{Measures: of(plan.Revenue), By: by("Product")}, "Mug 5; Coffee 1.4; Tea 0.5"},
		"lowest first":             {plan.Plan{Measures: of(plan.Units), By: by("Product"), Order: plan.Lowest, Limit: 2}, "Mug 1; Tea 5"},
		"per order":                {plan.Plan{Measures: []plan.Measure{{Metric: plan.Revenue, Per: plan.PerOrder}}}, "1.2667"},
		"per month":                {plan.Plan{Measures: []plan.Measure{{Metric: plan.Revenue, Per: "month"}}}, "2.5333"},
		"per unit":                 {plan.Plan{Measures: []plan.Measure{{Metric: plan.Revenue, Per: plan.PerUnit}}, Where: in("Product", "Coffee")}, "0.2"},
		"months in order":          {plan.Plan{Measures: of(plan.Revenue), By: timed(plan.Month)}, "2024-01 0.8; 2024-02 6.1; 2024-03 0.7"},
		"quarters":                 {plan.Plan{Measures: of(plan.Orders), By: timed(plan.Quarter)}, "2024-Q1 6"},
		"weeks begin on Monday":    {plan.Plan{Measures: of(plan.Orders), By: timed(plan.Week), Limit: 1}, "2024-01-01 1"},
		"weekdays by name":         {plan.Plan{Measures: of(plan.Orders), By: timed(plan.Weekday)}, "Friday 1; Saturday 4; Sunday 1"},
		"weekends":                 {plan.Plan{Measures: of(plan.Orders), By: timed(plan.Daytype)}, "weekday 1; weekend 5"},
		"one period":               {plan.Plan{Measures: of(plan.Revenue), Period: month(2)}, "6.1"},
		"period has its last day":  {plan.Plan{Measures: of(plan.Revenue), Period: &plan.Period{From: "2024-02-03", To: "2024-02-11"}}, "6.1"},
		"compared":                 {plan.Plan{Measures: of(plan.Revenue), Period: month(2), Compare: month(1)}, "6.1 <0.8"},
		"group in one period only": {plan.Plan{Measures: of(plan.Revenue), By: by("Product"), Period: month(2), Compare: month(1), Order: plan.Shrunk}, "Tea 0.1 <0.4; Coffee 1 <0.4; Mug 5 <-"},
		"share of a part":          {plan.Plan{Measures: of(plan.Revenue), Share: true, Part: in("Store", "South")}, "7.6 82.8947%"},
		"share of each":            {plan.Plan{Measures: of(plan.Units), By: by("Store"), Share: true}, "South 9 64.2857%; North 5 35.7143%"},
		"share of two figures":     {plan.Plan{Measures: of(plan.Cost, plan.Revenue), Share: true}, "6.95 7.6 91.4474%"},
		"blanks pass not in":       {plan.Plan{Measures: of(plan.Revenue), Where: []plan.Filter{{Column: "Product", Op: plan.NotIn, Values: []string{"Mug"}}}}, "2.6"},
		"numbers in filters":       {plan.Plan{Measures: of(plan.Orders), Where: []plan.Filter{{Column: "Total Sales", Op: plan.AtLeast, Values: []string{"0.7"}}}}, "3"},
		"text contains":            {plan.Plan{Measures: of(plan.Orders), Where: []plan.Filter{{Column: "Customer", Op: plan.Has, Values: []string{"hara"}}}}, "1"},
		"quote in a value":         {plan.Plan{Measures: of(plan.Revenue), Where: in("Customer", "O'Hara")}, "1"},
		"customers":                {plan.Plan{Measures: of(plan.Customers, plan.RepeatCustomers)}, "3 2"},
		"new customers":            {plan.Plan{Measures: of(plan.NewCustomers), Period: month(2)}, "1"},
		"new customers by month":   {plan.Plan{Measures: of(plan.NewCustomers), By: timed(plan.Month)}, "2024-01 2; 2024-02 1"},
		"last day":                 {plan.Plan{Measures: of(plan.LastDay), Where: in("Product", "Tea")}, "-2024-02-03"},
		"first in each group":      {plan.Plan{Measures: of(plan.Revenue), By: by("Store", "Product"), Order: plan.Highest, Limit: 1, Each: true}, "South/Mug 5; North/Coffee 0.4"},
		"different values":         {plan.Plan{Measures: []plan.Measure{{Metric: plan.Distinct, Column: "Product"}}}, "3"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := formatGroups(run(t, row.plan)); got != row.want {
				t.Errorf("%s, want %s", got, row.want)
			}
			if got := formatGroups(runLarge(t, row.plan)); got != row.want {
				t.Errorf("preaggregated: got %s, want %s", got, row.want)
			}
		})
	}
}

func TestWhatIf(t *testing.T) {
	for name, row := range map[string]struct {
		whatIf plan.WhatIf
		metric plan.Metric
		want   string
	}{
		"a price raises revenue":       {plan.WhatIf{Change: plan.Price, Percent: 10}, plan.Revenue, "8.36"},
		"a price raises profit":        {plan.WhatIf{Change: plan.Price, Percent: 10}, plan.Profit, "1.41"},
		"a price by an amount":         {plan.WhatIf{Change: plan.Price, Amount: 0.5}, plan.Revenue, "14.6"},
		"volume raises profit with it": {plan.WhatIf{Change: plan.Volume, Percent: 10}, plan.Profit, "0.715"},
		"a price leaves units":         {plan.WhatIf{Change: plan.Price, Percent: 10}, plan.Units, "14"},
		"costs lower profit":           {plan.WhatIf{Change: plan.Costs, Percent: 10}, plan.Profit, "-0.045"},
		"costs change the margin":      {plan.WhatIf{Change: plan.Costs, Percent: -100}, plan.Margin, "100"},
		"scope limits the rows":        {plan.WhatIf{Change: plan.Volume, Percent: 100, Scope: in("Product", "Mug")}, plan.Revenue, "12.6"},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, plan.Plan{Measures: of(row.metric), WhatIf: []plan.WhatIf{row.whatIf}})
			if got := formatGroups(r); got != row.want {
				t.Errorf("%s, want %s", got, row.want)
			}
			if plain := run(t, plan.Plan{Measures: of(row.metric)}); r.Base[0].Cmp(plain.Total.Now[0]) != 0 {
				t.Errorf("got base %s, want %s", number(r.Base[0]), formatGroups(plain))
			}
		})
	}
}

// Changes that meet in a row multiply, those of prices and costs add up.
func TestSeveralWhatIfs(t *testing.T) {
	price, volume, cost := plan.WhatIf{Change: plan.Price, Percent: 10}, plan.WhatIf{Change: plan.Volume, Percent: 10}, plan.WhatIf{Change: plan.Costs, Percent: 10}
	for name, row := range map[string]struct {
		changes []plan.WhatIf
		metric  plan.Metric
		want    string
	}{
		"price and volume":         {[]plan.WhatIf{price, volume}, plan.Revenue, "9.196"},
		"price and cost":           {[]plan.WhatIf{price, cost}, plan.Profit, "0.715"},
		"price, volume and cost":   {[]plan.WhatIf{price, volume, cost}, plan.Profit, "0.7865"},
		"volume alone moves units": {[]plan.WhatIf{price, volume, cost}, plan.Units, "15.4"},
		"margin":                   {[]plan.WhatIf{price, volume, cost}, plan.Margin, "8.5526"},
		"an amount and volume":     {[]plan.WhatIf{{Change: plan.Price, Amount: 0.5}, {Change: plan.Volume, Percent: 100}}, plan.Revenue, "29.2"},
		"a percentage, an amount":  {[]plan.WhatIf{price, {Change: plan.Price, Amount: 1}}, plan.Revenue, "22.36"},
		"rows that do not meet": {
			[]plan.WhatIf{{Change: plan.Price, Percent: 100, Scope: in("Product", "Mug")}, {Change: plan.Price, Percent: 100, Scope: in("Product", "Tea")}}, plan.Revenue, "13.1",
		},
		"rows that meet": {
			[]plan.WhatIf{{Change: plan.Price, Percent: 10, Scope: in("Store", "South")}, {Change: plan.Volume, Percent: -50, Scope: in("Product", "Coffee")}}, plan.Revenue, "7.48",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := formatGroups(run(t, plan.Plan{Measures: of(row.metric), WhatIf: row.changes})); got != row.want {
				t.Errorf("got %s, want %s", got, row.want)
			}
		})
	}
}

// The rows of a quotient's top and bottom are the same.
func TestQuotientSkipsRowsWithBlanks(t *testing.T) {
	s, file := open(t, blanks)
	for _, row := range []struct {
		measure plan.Measure
		want    string
	}{
		{plan.Measure{Metric: plan.AveragePrice}, "3"},
		{plan.Measure{Metric: plan.Revenue, Per: plan.PerOrder}, "3"},
		{plan.Measure{Metric: plan.Revenue, Per: "day"}, "2"}, // on the third day only mugs were sold
		{plan.Measure{Metric: plan.Average, Column: "Unit Price"}, "3"},
		{plan.Measure{Metric: plan.Units}, "52"},
	} {
		p := plan.Plan{Source: s.ID, Measures: []plan.Measure{row.measure}, Where: in("Product", "Tea")}
		r, err := compute.Run(t.Context(), file, s, p)
		if err != nil || formatGroups(r) != row.want {
			t.Errorf("%+v: got %s, %v, want %s", row.measure, formatGroups(r), err, row.want)
		}
	}
}

func TestTotalIsOfAllGroups(t *testing.T) {
	r := run(t, plan.Plan{Measures: of(plan.Revenue), By: by("Store"), Limit: 1})
	if r.Count != 2 || number(r.Total.Now[0]) != "7.6" || r.Total.Rows != 7 {
		t.Errorf("got %d groups, total %s over %d rows, want 2, 7.6 and 7", r.Count, number(r.Total.Now[0]), r.Total.Rows)
	}
}

func TestRivalIsFirstBySecondMeasure(t *testing.T) {
	r := run(t, plan.Plan{Measures: of(plan.Revenue, plan.Units), By: by("Product"), Order: plan.Highest, Limit: 1})
	if formatGroups(r) != "Mug 5 1" || r.Rival == nil || r.Rival.Labels[0] != "Coffee" {
		t.Errorf("got %s and rival %+v, want Mug and Coffee", formatGroups(r), r.Rival)
	}
}

func TestCausesStartWithTheLargestChange(t *testing.T) {
	r := run(t, plan.Plan{Measures: of(plan.Revenue), Period: month(2), Compare: month(1), Why: true})
	if len(r.Causes) == 0 || number(r.Causes[0].Change) != "5.7" || r.Causes[0].Label != "South" {
		t.Errorf("got %+v, want South first with 5.7", r.Causes)
	}
}

func TestFilterValueIsNotExecuted(t *testing.T) {
	evil := "x') OR 1=1; DROP TABLE rows; --"
	r := run(t, plan.Plan{Measures: of(plan.Revenue), Where: in("Product", evil)})
	if r.Total.Rows != 0 || strings.Contains(strings.Join(r.SQL, " "), "DROP") {
		t.Errorf("got %d rows, want 0: %s", r.Total.Rows, r.SQL)
	}
}

func TestRunStopsWhenContextIsCancelled(t *testing.T) {
	s, file := open(t, sales)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := compute.Run(ctx, file, s, plan.Plan{Source: s.ID, Measures: of(plan.Revenue)})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestGroupsAreBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString("Date,Product,Total Sales\n")
	for i := range compute.MaxGroups + 500 {
		fmt.Fprintf(&text, "2024-01-05,Thing %d,%d.50\n", i, i%90+1)
	}
	s, file := open(t, text.String())
	r, err := compute.Run(t.Context(), file, s, plan.Plan{Source: s.ID, Measures: of(plan.Revenue), By: by("Product")})
	if err != nil || len(r.Groups) != compute.MaxGroups || r.Count != int64(compute.MaxGroups+500) {
		t.Errorf("got %d groups of %d, %v", len(r.Groups), r.Count, err)
	}
}

// A row with a price, a quantity and a discount has exactly what is left as revenue; a
// blank discount is none.
func TestRevenueSubtractsDiscounts(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"OrderID,Product,UnitPrice,Quantity,Discount\n1,Tea,0.35,3,0.15\n1,Tea,0.10,1,0\n2,Mug,9.99,2,0.05\n2,Mug,1,1,\n", "20.9735 7"},
		{"OrderID,Product,UnitPrice,Quantity,Discount\n1,Tea,$0.35,3,$0.15\n1,Tea,$0.10,1,$0.00\n2,Mug,$9.99,2,$5.05\n2,Mug,$1.00,1,\n", "16.93 7"},
	} {
		s, file := open(t, c.text)
		r, err := compute.Run(t.Context(), file, s, plan.Plan{Source: s.ID, Measures: of(plan.Revenue, plan.Units)})
		if err != nil {
			t.Fatal(err)
		}
		if got := number(r.Total.Now[0]) + " " + number(r.Total.Now[1]); got != c.want {
			t.Errorf("got %s, want %s: %s", got, c.want, r.SQL)
		}
	}
}

// More products and days than pregroup bears, whether the source's counts show it or not.
func TestMoreGroupsThanPregroupBears(t *testing.T) {
	var text strings.Builder
	text.WriteString("Sold At,Product,Total Sales\n")
	for i := range 120_000 {
		fmt.Fprintf(&text, "2024-01-%02d 10:30:00,Thing %d,1.50\n", i/5000+1, i%5000)
	}
	s, file := open(t, text.String())
	p := plan.Plan{Source: s.ID, Measures: of(plan.Revenue), By: []plan.Dimension{{Column: "Product"}, {Column: "Sold At", Part: plan.Month}}}
	for _, known := range []bool{true, false} {
		for i := range s.Columns {
			if !known {
				s.Columns[i].Distinct = 1
			}
		}
		r, err := compute.Run(t.Context(), file, s, p)
		if err != nil || r.Count != 5000 || number(r.Total.Now[0]) != "180000" || number(r.Groups[0].Now[0]) != "36" {
			t.Errorf("got %d groups, %v, want 5000", r.Count, err)
		}
	}
}

// Products of numbers with many decimals add up exactly.
func TestSumsBeyond64BitsAreExact(t *testing.T) {
	var text strings.Builder
	text.WriteString("Product,Unit Price,Quantity\n")
	for range 9_000 {
		text.WriteString("Tea,1999.999999,1000.000001\n")
	}
	text.WriteString("Mug,-0.000001,0.000001\n")
	s, file := open(t, text.String())
	tea, _ := new(big.Rat).SetString("1999.999999")
	times, _ := new(big.Rat).SetString("1000.000001")
	want := new(big.Rat).Mul(tea, times)
	want.Mul(want, big.NewRat(9000, 1)).Sub(want, big.NewRat(1, 1_000_000_000_000))
	for _, rows := range []int64{s.Rows, 1_000_000} {
		s.Rows = rows
		r, err := compute.Run(t.Context(), file, s, plan.Plan{Source: s.ID, Measures: of(plan.Revenue)})
		if err != nil || r.Total.Now[0].Cmp(want) != 0 {
			t.Errorf("got %v, %v, want %s", r.Total.Now, err, want.FloatString(12))
		}
		r, err = compute.Run(t.Context(), file, s, plan.Plan{Source: s.ID, Measures: of(plan.Revenue), By: by("Product"), WhatIf: []plan.WhatIf{{Change: plan.Price, Percent: 100}}})
		if err != nil || len(r.Groups) != 2 || r.Groups[0].Labels[0] != "Tea" || r.Total.Now[0].Cmp(new(big.Rat).Add(want, want)) != 0 {
			t.Errorf("%v %v", formatGroups(r), err)
		}
	}
}

// One row's product exceeds 64 bits; SQLite computes it as a REAL.
func TestProductBeyond64BitsIsApproximate(t *testing.T) {
	s, file := open(t, "Product,Unit Price,Quantity\nTea,99999999.9999,1000000.0001\nTea,2.000000,3.000000\n")
	r, err := compute.Run(t.Context(), file, s, plan.Plan{Source: s.ID, Measures: of(plan.Revenue)})
	if err != nil || r.Total.Now[0].FloatString(0) != "100000000009906" {
		t.Errorf("%v %v", formatGroups(r), err)
	}
}
