package tell

import (
	"fmt"
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/ask/read"
	"svc/server/schema"
)

// maxFollowUps bounds the suggested questions.
const maxFollowUps = 3

// suggestions returns questions that the engine can answer from a source, other than the
// one asked; none if reads is nil.
func suggestions(s schema.Source, asked plan.Plan, reads func(string) bool) []string {
	out := []string{}
	if reads == nil {
		return out
	}
	for _, q := range candidates(s, asked) {
		if len(out) == maxFollowUps {
			break
		}
		if !slices.Contains(out, q) && reads(q) {
			out = append(out, q)
		}
	}
	return out
}

// nearest returns the suggestions after a refusal, those that come nearest to the question first.
func nearest(refusal *read.Refusal, reads func(string) bool) []string {
	all := []string{}
	for _, q := range refusal.Nearest {
		if reads != nil && reads(q) {
			all = append(all, q)
		}
	}
	for _, about := range []plan.Plan{refusal.About, {}} {
		for _, q := range suggestions(refusal.Source, about, reads) {
			if !slices.Contains(all, q) {
				all = append(all, q)
			}
		}
	}
	return all[:min(maxFollowUps, len(all))]
}

// Suggestions returns questions that the engine can answer from a source; reads reports
// whether it can.
func Suggestions(s schema.Source, reads func(string) bool) []string {
	return suggestions(s, plan.Plan{}, reads)
}

// followUps returns the suggestions after an answer; first are other readings of its
// question that fit nearly as well.
func (v *verbalizer) followUps() []string {
	all := v.rivals()
	for _, q := range suggestions(v.s, v.p, v.Reads) {
		if !slices.Contains(all, q) {
			all = append(all, q)
		}
	}
	return append([]string{}, all[:min(maxFollowUps, len(all))]...)
}

// rivals returns a question for another reading that fits nearly as well, if it can be put
// as one.
func (v *verbalizer) rivals() (all []string) {
	if r := v.reading.Rival; r != nil && v.Reads != nil {
		if q, ok := plan.Question(r.Plan, v.s); ok && v.Reads(q) {
			all = append(all, q)
		}
	}
	return all
}

// Is returns the verb of a question for a figure: is our revenue, are our units sold.
func Is(figure string) string {
	plural := strings.HasSuffix(figure, "s") && !strings.HasSuffix(figure, "ss")
	if plural || strings.HasSuffix(figure, " sold") {
		return "are"
	}
	return "is"
}

// fixed returns a function that reports whether a plan is about one value of a column alone,
// so that there is nothing to split by it.
func fixed(asked plan.Plan) func(heading string) bool {
	return func(heading string) bool {
		return slices.ContainsFunc(asked.Where, func(f plan.Filter) bool {
			return f.Column == heading && f.Part == plan.Whole && f.Op == plan.In && f.Other == "" && len(f.Values) == 1
		})
	}
}

// candidates returns questions that fit the columns, those nearest to the one asked first.
func candidates(s schema.Source, asked plan.Plan) []string {
	figure := "sales"
	if len(asked.Measures) > 0 && asked.List == nil && !asked.Measures[0].Metric.OfColumn() && asked.Measures[0].Metric != plan.Rows {
		figure = asked.Measures[0].Metric.Title()
	} else if _, err := plan.FormulaOf(s, plan.Measure{Metric: plan.Revenue}); err != nil {
		figure = "units sold"
	}
	switch s.Kind {
	case schema.Stocklist:
		return []string{
			"What is out of stock?", "What should we reorder?", "What is our stock worth?",
			"Which product have we got most of?", "How many units are on order?", "What is the most expensive product?",
		}
	case schema.Purchases:
		return []string{
			"How much did we spend by supplier?", "What did we spend on purchases by month?", "Which products did we buy most of?",
			"How many purchase orders did we place?",
		}
	}
	is := Is(figure)
	var out []string
	_, dated := s.ByRole(schema.Day)
	one := fixed(asked)
	product, _ := s.ByRole(schema.Product)
	grouped := func(c schema.Column) bool {
		isOf := c.Role == schema.Category && one(product.Heading) // a product is of one
		return isOf || one(c.Heading) || slices.ContainsFunc(asked.By, func(d plan.Dimension) bool { return d.Column == c.Heading })
	}
	scope := plan.ScopeText(asked.Where, s)
	isMonthly := slices.ContainsFunc(asked.By, func(d plan.Dimension) bool { return d.Part == plan.Month })
	if dated && asked.Period == nil && !isMonthly {
		out = append(out, fmt.Sprintf("What %s our %s by month%s?", is, figure, scope))
	}
	if asked.Period != nil {
		scope += plan.During(asked.Period)
	}
	for _, r := range []schema.Role{schema.Product, schema.Category, schema.Store, schema.Region, schema.Channel, schema.Payment} {
		if c, ok := s.ByRole(r); ok && !grouped(c) {
			out = append(out, fmt.Sprintf("What %s our %s by %s%s?", is, figure, strings.ToLower(string(r)), scope))
		}
	}
	if dated {
		out = append(out, "How did last month do against the month before?", "Which day of the week is best?")
	}
	return append(out, "What is our margin?", "What is our average order value?", "How many units did we sell?")
}
