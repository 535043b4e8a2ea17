package tell_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/ask/read"
	"svc/server/ask/tell"
)

var seed = flag.Uint64("seed", 1, "of the random plans of TestEveryValidPlanIsAnswered")

// Every plan that passes the check is computed and worded, since a model writes plans too,
// and each number of its texts is one of its figures (H1).
func TestEveryValidPlanIsAnswered(t *testing.T) {
	s := open(t, strings.ReplaceAll(sales(), "Store", "Customer"))
	r := rand.New(rand.NewPCG(*seed, 2))
	answered := 0
	for range 6000 {
		p := randomPlan(r)
		p.Source = s.source.ID
		if plan.Check(p, s.source) != nil {
			continue
		}
		source := s.source
		if r.IntN(2) == 0 {
			source.Rows = 1_000_000 // uses preaggregation
		}
		result, err := compute.Run(t.Context(), s.file, source, p)
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		a := tell.Tell(result, read.Reading{Plan: p, Source: source}, tell.Options{Today: today, Explain: true})
		if a.Answer == "" {
			t.Fatalf("%+v: no answer", p)
		}
		for _, text := range texts(a) {
			if bad := tell.Grounded(text, tell.FiguresOf(result)); len(bad) > 0 {
				t.Fatalf("%s\nnot computed: %v in %q", plan.Sentence(p, source), bad, text)
			}
		}
		answered++
	}
	if answered < 500 {
		t.Errorf("got %d valid plans, want at least 500", answered)
	}
}

// texts returns what a person reads in an answer.
func texts(a tell.Answer) []string {
	out := append([]string{a.Answer}, a.Recommendations...)
	for _, s := range []*string{a.InsightHeader, a.VerdictSentence} {
		if s != nil {
			out = append(out, *s)
		}
	}
	for _, c := range a.KPICards {
		out = append(out, c.Value)
	}
	return out
}

func randomPlan(r *rand.Rand) plan.Plan {
	p := plan.Plan{
		Measures: []plan.Measure{randomMeasure(r)}, Where: randomFilter(r), Period: randomPeriod(r),
		Order: pick(r, "", plan.ByLabel, plan.Highest, plan.Lowest), Limit: r.IntN(3), Share: r.IntN(6) == 0, Count: r.IntN(8) == 0, Each: r.IntN(8) == 0,
	}
	if p.Period != nil && r.IntN(2) == 0 {
		p.Compare, p.Why = randomPeriod(r), r.IntN(4) == 0
		p.Order = pick(r, p.Order, plan.Grown, plan.Shrunk)
	}
	for range r.IntN(3) {
		p.By = append(p.By, plan.Dimension{Column: pick(r, headings...)})
		if i := len(p.By) - 1; p.By[i].Column == "Order Date" {
			p.By[i].Part = pick(r, plan.Month, plan.Weekday, plan.Daytype)
		}
	}
	if r.IntN(2) == 0 {
		p.Measures = append(p.Measures, randomMeasure(r))
	}
	if r.IntN(5) == 0 {
		p.WhatIf = []plan.WhatIf{{Change: pick(r, plan.Changes...), Percent: 7, Scope: randomFilter(r)}, {Change: plan.Price, Amount: 1}}[:1+r.IntN(2)]
	}
	for range pick(r, 0, 0, 1, 2) {
		p.Derived = append(p.Derived, plan.Derived{Kind: pick(r, plan.Derivations...), Of: r.IntN(len(p.Measures)), And: r.IntN(len(p.Measures))})
	}
	p.OrderBy = r.IntN(p.Figures())
	if r.IntN(5) == 0 {
		p.Having = []plan.Threshold{{Op: pick(r, plan.More, plan.AtMost), Value: float64(r.IntN(4)), Measure: r.IntN(p.Figures()), Other: pick(r, nil, nil, new(r.IntN(p.Figures())))}}
	}
	if p.Share && r.IntN(2) == 0 {
		p.Part = randomFilter(r)
	}
	return p
}

var headings = []string{"Order Date", "Product", "Customer", "Quantity", "Total Sales", "Cost"}

func randomMeasure(r *rand.Rand) plan.Measure {
	m := plan.Measure{Metric: pick(r, plan.Metrics...), Where: pick(r, nil, nil, randomFilter(r)), Period: pick(r, nil, nil, nil, randomPeriod(r))}
	if m.Metric.OfColumn() {
		m.Column = pick(r, headings[3:]...)
	}
	if r.IntN(4) == 0 {
		m.Per = pick(r, "order", "row", "unit", "month", "day", "Product", "hour")
		m.Fold = pick(r, "", "", plan.FoldMedian, plan.FoldMost, plan.Percentile(90))
	}
	return m
}

func randomPeriod(r *rand.Rand) *plan.Period {
	n := 1 + r.IntN(3)
	return pick(r, nil, &plan.Period{From: fmt.Sprintf("2024-0%d-01", n), To: fmt.Sprintf("2024-0%d-28", n), Words: "then"})
}

func randomFilter(r *rand.Rand) []plan.Filter {
	return pick(r, nil, nil, []plan.Filter{{Column: "Product", Op: pick(r, plan.In, plan.NotIn, plan.Has), Values: []string{"Tea"}}},
		[]plan.Filter{{Column: "Order Date", Part: plan.Weekday, Op: plan.In, Values: []string{"Monday"}}}, []plan.Filter{{Column: "Cost", Op: plan.More, Values: []string{"5.5"}}})
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }
