package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"svc/server/schema"
)

// Same reports whether two plans over a source have the same figures of the same rows and
// groups, in the same order. How a plan is written makes no difference: the order of its
// figures, filters and values, the words of periods, days without data at a period's ends,
// and whether a figure is named by its metric or by its column.
func Same(p, q Plan, s schema.Source) bool { return p.canonical(s) == q.canonical(s) }

// canonical returns a plan as text that is equal for all plans that are the same.
func (p Plan) canonical(s schema.Source) string {
	s = Apply(p, s)
	p = p.withoutShare().withoutCount()
	c := canonizer{p, s}
	var figures, by, having, changes []string
	for i := range p.Figures() {
		figures = append(figures, c.figure(i))
	}
	for _, d := range p.By {
		by = append(by, fmt.Sprintf("%q %s", d.Column, d.Part))
	}
	if !p.Each {
		slices.Sort(by)
	}
	for _, h := range p.Having {
		having = append(having, c.threshold(h))
	}
	for _, w := range p.WhatIf {
		changes = append(changes, fmt.Sprint(w.Change, w.Percent, w.Amount, c.filters(w.Scope)))
	}
	shared := ""
	if p.Share {
		shared = c.figure(0) // the one that Share is of
	}
	text, _ := json.Marshal([]any{
		p.Source, sorted(figures), by, c.filters(p.Where), c.filters(p.Part), sorted(having), c.period(p.Period), p.Compare != nil && p.Period != nil, c.period(p.Compare),
		c.order(), p.Limit, shared, sorted(changes), p.Each, p.Count, p.Nth, p.Steps, p.Why, p.Ends, p.On, c.list(),
	})
	return string(text)
}

// withoutShare returns a plan for the share of a part, or of one figure in another, with
// that share as a derived figure.
func (p Plan) withoutShare() Plan {
	if !p.Share || len(p.By) > 0 || len(p.Derived) > 0 {
		return p
	}
	if len(p.Part) > 0 && len(p.Measures) == 1 {
		whole, part := p.Measures[0], p.Measures[0]
		part.Where = slices.Concat(part.Where, p.Part)
		p.Measures, p.Part = []Measure{part, whole}, nil
	}
	if len(p.Part) == 0 && len(p.Measures) == 2 {
		p.Share, p.Derived = false, []Derived{{Kind: ShareOf, Of: 0, And: 1}}
	}
	return p
}

// withoutCount returns a plan for the number of groups of one column, which are its different
// values, with that number as its figure.
func (p Plan) withoutCount() Plan {
	if p.Count && len(p.By) == 1 && p.By[0].Part == Whole && len(p.Having)+p.Limit == 0 {
		p.Measures, p.Derived, p.By, p.Count, p.Order, p.OrderBy = []Measure{{Metric: Distinct, Column: p.By[0].Column}}, nil, nil, false, "", 0
	}
	return p
}

// canonizer writes the parts of a plan in their canonical form.
type canonizer struct {
	p Plan
	s schema.Source // with the plan's reversals
}

func sorted(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}

// figure returns a figure of the plan by what it is made of.
func (c canonizer) figure(i int) string {
	if i < len(c.p.Measures) {
		return c.measure(c.p.Measures[i])
	}
	d := c.p.Derived[i-len(c.p.Measures)]
	if d.Kind == Running {
		return fmt.Sprint(d.Kind, c.figure(d.Of))
	}
	return fmt.Sprint(d.Kind, c.figure(d.Of), c.figure(d.And))
}

// measure returns a measure by its formula.
func (c canonizer) measure(m Measure) string {
	f, _ := FormulaOf(c.s, m)
	text := fmt.Sprint(f.Fold, c.aggregate(f.Top), c.filters(m.Where), c.period(m.Period))
	if f.Bottom != nil {
		text += " / " + c.aggregate(*f.Bottom)
	}
	return text
}

func (c canonizer) aggregate(a Aggregate) string {
	text := fmt.Sprint(a.Fold, a.Part)
	if len(c.s.Reversals) > 0 {
		text += string(a.Rows) // without reversals all scopes have the same rows
	}
	if a.Since != nil {
		text += fmt.Sprintf(" since %q", a.Since.Heading)
	}
	for _, t := range a.Terms {
		text += fmt.Sprint(" ", t.Minus)
		for _, factor := range t.Factors {
			text += fmt.Sprintf("%q", factor.Heading)
		}
	}
	return text
}

// filters returns filters sorted, each with its values sorted; numbers in one spelling.
func (c canonizer) filters(all []Filter) []string {
	out := []string{}
	for _, f := range all {
		column, _ := Column(c.s, f.Column)
		values := slices.Clone(f.Values)
		for i, v := range values {
			n, err := strconv.ParseFloat(v, 64)
			if err == nil && (column.Type == schema.Number || column.Type == schema.Truth || f.Part != Whole) {
				values[i] = fmt.Sprint(n)
			}
		}
		out = append(out, fmt.Sprintf("%q %s %s %q %q", f.Column, f.Part, f.Op, sorted(values), f.Other))
	}
	return sorted(out)
}

func (c canonizer) threshold(h Threshold) string {
	if h.Other != nil {
		return fmt.Sprint(c.figure(h.Measure), h.Op, c.figure(*h.Other))
	}
	return fmt.Sprint(c.figure(h.Measure), h.Op, h.Value)
}

// period returns the days of a period that have data; "" if that is all days of the source.
func (c canonizer) period(p *Period) string {
	if p == nil {
		return ""
	}
	from, to := max(p.From, c.s.First), p.To
	if c.s.Last != "" {
		to = min(to, c.s.Last)
	}
	day, _ := c.s.ByRole(schema.Day)
	switch {
	case from > to:
		return p.From + p.To
	case from == c.s.First && to == c.s.Last && day.Blank == 0:
		return ""
	}
	return from + to
}

// list returns what a list is of and in order of, whatever its columns; "" for other plans.
func (c canonizer) list() string {
	if c.p.List == nil {
		return ""
	}
	return fmt.Sprintf("list %s %q", c.p.Order, c.p.List.By)
}

// order returns what the groups are in order of, with the defaults written out.
func (c canonizer) order() string {
	if len(c.p.By) == 0 || c.p.Count {
		return ""
	}
	order := cmp.Or(c.p.Order, Highest)
	if c.p.Order == "" && c.p.By[0].Part != Whole {
		order = ByLabel
	}
	if order == ByLabel {
		return string(order)
	}
	return string(order) + c.figure(c.p.OrderBy)
}
