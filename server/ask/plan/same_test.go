package plan_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// share returns revenue of some products, revenue, and the share of the one in the other.
func share(by []plan.Dimension, first, second int) plan.Plan {
	measures := []plan.Measure{{Metric: plan.Revenue}, {Metric: plan.Revenue}}
	measures[first].Where = in("product", "Coffee", "Tea")
	return plan.Plan{Measures: measures, Derived: []plan.Derived{{Kind: plan.ShareOf, Of: first, And: second}}, By: by}
}

func TestSamePlansInOtherForms(t *testing.T) {
	s := shop()
	s.First, s.Last = "2024-01-01", "2024-03-31"
	revenue := []plan.Measure{{Metric: plan.Revenue}}
	days := func(from, to, words string) *plan.Period { return &plan.Period{From: from, To: to, Words: words} }
	both := slices.Concat(in("product", "Tea", "Coffee"), in("store", "North"))
	for name, row := range map[string][2]plan.Plan{
		"order of figures":         {{Measures: []plan.Measure{{Metric: plan.Revenue}, {Metric: plan.Units}}}, {Measures: []plan.Measure{{Metric: plan.Units}, {Metric: plan.Revenue}}}},
		"order of filters":         {{Measures: revenue, Where: both}, {Measures: revenue, Where: []plan.Filter{both[1], in("product", "Coffee", "Tea")[0]}}},
		"spelling of numbers":      {{Measures: revenue, Where: []plan.Filter{{Column: "quantity", Op: plan.More, Values: []string{"5"}}}}, {Measures: revenue, Where: []plan.Filter{{Column: "quantity", Op: plan.More, Values: []string{"5.0"}}}}},
		"column or metric":         {{Measures: revenue}, {Measures: []plan.Measure{{Metric: plan.Sum, Column: "revenue"}}}},
		"words of a period":        {{Measures: revenue, Period: days("2024-02-01", "2024-02-29", "February")}, {Measures: revenue, Period: days("2024-02-01", "2024-02-29", "")}},
		"days after the data":      {{Measures: revenue, Period: days("2024-03-01", "2024-03-31", "")}, {Measures: revenue, Period: days("2024-03-01", "2024-04-30", "")}},
		"all days":                 {{Measures: revenue}, {Measures: revenue, Period: days("2024-01-01", "2024-12-31", "2024")}},
		"default order":            {{Measures: revenue, By: month()}, {Measures: revenue, By: month(), Order: plan.ByLabel}},
		"order without groups":     {{Measures: revenue}, {Measures: revenue, Order: plan.Highest}},
		"derived of others":        {share(month(), 0, 1), share(month(), 1, 0)},
		"share of a part":          {share(nil, 0, 1), {Measures: revenue, Part: in("product", "Tea", "Coffee"), Share: true}},
		"bounds of another figure": {{Measures: append(revenue, plan.Measure{Metric: plan.Units}), By: month(), Having: []plan.Threshold{{Measure: 1, Op: plan.More, Value: 5}}}, {Measures: []plan.Measure{{Metric: plan.Units}, {Metric: plan.Revenue}}, By: month(), Having: []plan.Threshold{{Measure: 0, Op: plan.More, Value: 5}}}},
	} {
		if !plan.Same(row[0], row[1], s) || !plan.Same(row[1], row[0], s) {
			t.Errorf("%s: got false, want true", name)
		}
	}
}

func TestSameTellsPlansApart(t *testing.T) {
	s := shop()
	s.First, s.Last = "2024-01-01", "2024-03-31"
	base := plan.Plan{Measures: []plan.Measure{{Metric: plan.Revenue}}, By: month(), Where: in("store", "North"), Period: &plan.Period{From: "2024-02-01", To: "2024-02-29"}}
	for name, change := range map[string]func(*plan.Plan){
		"figure":   func(p *plan.Plan) { p.Measures[0].Metric = plan.Units },
		"per":      func(p *plan.Plan) { p.Measures[0].Per = "day" },
		"fold":     func(p *plan.Plan) { p.Measures[0].Per, p.Measures[0].Fold = "day", plan.FoldMedian },
		"own rows": func(p *plan.Plan) { p.Measures[0].Where, p.Where = p.Where, nil },
		"another":  func(p *plan.Plan) { p.Measures = append(p.Measures, plan.Measure{Metric: plan.Units}) },
		"derived":  func(p *plan.Plan) { p.Derived = []plan.Derived{{Kind: plan.Running}} },
		"group":    func(p *plan.Plan) { p.By = []plan.Dimension{{Column: "product"}} },
		"part":     func(p *plan.Plan) { p.By[0].Part = plan.Week },
		"value":    func(p *plan.Plan) { p.Where = in("store", "South") },
		"not": func(p *plan.Plan) {
			p.Where = []plan.Filter{{Column: "store", Op: plan.NotIn, Values: []string{"North"}}}
		},
		"period":     func(p *plan.Plan) { p.Period.To = "2024-03-01" },
		"comparison": func(p *plan.Plan) { p.Compare = &plan.Period{From: "2024-01-01", To: "2024-03-31"} },
		"threshold":  func(p *plan.Plan) { p.Having = []plan.Threshold{{Op: plan.More, Value: 5}} },
		"order":      func(p *plan.Plan) { p.Order = plan.Highest },
		"limit":      func(p *plan.Plan) { p.Limit = 3 },
		"share":      func(p *plan.Plan) { p.Share = true },
		"count":      func(p *plan.Plan) { p.Count = true },
		"what if":    func(p *plan.Plan) { p.WhatIf = []plan.WhatIf{{Change: plan.Price, Percent: 5}} },
		"steps":      func(p *plan.Plan) { p.Steps = true },
	} {
		var p plan.Plan
		text, _ := json.Marshal(base)
		if err := json.Unmarshal(text, &p); err != nil {
			t.Fatal(err)
		}
		if change(&p); plan.Same(base, p, s) {
			t.Errorf("%s: got true, want false", name)
		}
	}
}

// fieldsOf returns the fields of a struct in JSON, and of those in it.
func fieldsOf(t reflect.Type) (names []string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for f := range t.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
		names = append(names, fieldsOf(f.Type)...)
	}
	return names
}

// Only the program itself writes these fields of a plan.
var unwritten = []string{"whole", "words", "day", "on", "ends", "list", "columns"}

func TestSchemaHasAllFieldsInOrderAndStaysSmall(t *testing.T) {
	s := shop()
	for len(s.Columns) < 60 {
		c := text(schema.None)
		c.Heading = strings.Repeat("x", 58) + string(rune('A'+len(s.Columns)))
		s.Columns = append(s.Columns, c)
	}
	body, err := plan.Schema(s)
	if err != nil || !json.Valid(body) || len(body) > 10_000 {
		t.Errorf("%d bytes, %v: %s", len(body), err, body)
	}
	for _, name := range fieldsOf(reflect.TypeFor[plan.Draft]()) {
		if has := strings.Contains(string(body), `"`+name+`":{`); has == slices.Contains(unwritten, name) {
			t.Errorf("%s: got %v, want %v", name, has, !has)
		}
	}
	if got := string(body); strings.Index(got, `"measures":`) > strings.Index(got, `"derived":`) || strings.Index(got, `"having":`) > strings.Index(got, `"left_out":`) {
		t.Errorf("the fields are not in order: %s", got)
	}
}
