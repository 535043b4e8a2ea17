package ask

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/read"
	"svc/server/ask/when"
	"svc/server/llm"
	"svc/server/schema"
)

// Bounds of what a model is told of a source and a question.
const (
	maxToldColumns    = 60
	maxToldCandidates = 16
	maxToldValues     = 5  // of a candidate
	maxToldLength     = 60 // characters of a heading or a value; a longer one is left out
)

// help has the model read a question that the built-in reader does not understand, or is
// not sure of; a sure reading does not wait for the model (H2). The model's plan is used
// only if the built-in reader has none, and the answer calls it a guess. The same plan of
// both takes away the doubt of a guessed link or a rival, if the model finds no word without
// a use that changes the meaning; another plan leaves it as it is, with a rival. The returned model words the
// answer: none, if this one did not answer.
func (m Model) help(ctx context.Context, r *read.Reader, q Question, today time.Time, own read.Reading, failed error) (read.Reading, Model, error) {
	source := own.Source
	var refusal *read.Refusal
	switch isRefused := errors.As(failed, &refusal); {
	case m.Model == nil, isRefused && refusal.Reason != read.Unknown, failed != nil && !isRefused, failed == nil && isSure(own):
		return own, m, failed
	case isRefused:
		source = refusal.Source
	}
	asOf, stale := read.AsOf(source, today)
	if failed == nil {
		asOf, stale = own.AsOf, own.Stale // of newer data, perhaps
	}
	d, err := m.draft(ctx, q.Text, source, r.Mentions(q.Text, source.ID), asOf)
	var down *llm.Error
	if errors.As(err, &down) && down.Kind != llm.Malformed && down.Kind != llm.CutOff {
		return own, Model{}, failed
	}
	theirs := read.Reading{Plan: d.Plan, Source: source, AsOf: asOf, Stale: stale, Relative: d.Period != nil}
	switch {
	case err != nil, failed != nil && len(d.LeftOut) > 0: // a part of the question is no answer
		return own, m, failed
	case failed != nil:
		theirs.Notes = []string{"A model read the question as: " + plan.Sentence(d.Plan, source) + "."}
		return theirs, m, nil
	case !agree(own, d.Plan):
		own.Rival = cmp.Or(own.Rival, &theirs)
	case d.LeftOut != nil && len(d.LeftOut) == 0: // a word without a use stays one (H4)
		own.Certain, own.Rival = true, nil
	}
	return own, m, nil
}

// isSure reports whether a reading has no doubt that lowers the confidence (H4).
func isSure(r read.Reading) bool { return r.Certain && r.Rival == nil && len(r.Unused) == 0 }

// agree reports whether a plan is that of a reading, with or without the figures that the
// question does not name.
func agree(r read.Reading, p plan.Plan) bool {
	asked := r.Plan
	if len(asked.Derived) == 0 {
		asked.Measures = asked.Measures[:len(asked.Measures)-r.Companions]
	}
	return plan.Same(asked, p, r.Source) || plan.Same(r.Plan, p, r.Source)
}

// columnInfo describes a column to the model.
type columnInfo struct {
	Heading string      `json:"heading"`
	Type    schema.Type `json:"type"`
	Unit    schema.Unit `json:"unit,omitempty"`
	Role    schema.Role `json:"role,omitempty"`
}

// candidate is what some words of the question may mean in the data.
type candidate struct {
	Words  string      `json:"words"`
	Metric plan.Metric `json:"metric,omitempty"`
	Column string      `json:"column,omitempty"`
	Values []string    `json:"values,omitempty"`
}

// draft returns the model's plan. The model gets headings, types, the day, and those values
// that the question names, but no row. Its plan must fit the source.
func (m Model) draft(ctx context.Context, question string, s schema.Source, mentions []link.Mention, asOf time.Time) (d plan.Draft, err error) {
	told := toldSource(s, mentions)
	if len(told.Columns) == 0 {
		return d, errors.New("ask: all headings are too long for a model")
	}
	columns := make([]columnInfo, len(told.Columns))
	for i, c := range told.Columns {
		columns[i] = columnInfo{c.Heading, c.Type, c.Unit, c.Role}
	}
	shape, err := plan.Schema(told)
	if err != nil {
		return d, err
	}
	answer, err := m.ask(ctx, "ask-read.txt", shape, map[string]any{
		"question": question, "today": asOf.Format(time.DateOnly), "first_day": s.First, "last_day": s.Last,
		"source": s.ID, "columns": columns, "candidates": candidatesOf(told, mentions),
	})
	if err != nil {
		return d, err
	}
	decoder := json.NewDecoder(bytes.NewReader(answer))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return d, fmt.Errorf("ask: plan of the model: %w", err)
	}
	d.Day, d.Whole = "", nil
	if s.SoldLast != "" {
		d.Day = asOf.Format(time.DateOnly)
	}
	if err := plan.Check(d.Plan, s); err != nil {
		return d, err
	}
	return d, settle(&d.Plan, s, question, mentions)
}

// toldSource returns the source with the columns that the model is told of: those that the
// question names best, then those with a role.
func toldSource(s schema.Source, mentions []link.Mention) schema.Source {
	rank := map[string]float64{}
	for _, c := range s.Columns {
		if c.Role != schema.None {
			rank[c.Heading] = link.Hint
		}
	}
	for _, m := range mentions {
		if m.Column != nil {
			rank[m.Column.Heading] = max(rank[m.Column.Heading], m.Quality)
		}
	}
	s.Columns = slices.DeleteFunc(slices.Clone(s.Columns), func(c schema.Column) bool { return isLong(c.Heading) })
	slices.SortStableFunc(s.Columns, func(a, b schema.Column) int { return cmp.Compare(rank[b.Heading], rank[a.Heading]) })
	s.Columns = s.Columns[:min(len(s.Columns), maxToldColumns)]
	return s
}

func isLong(text string) bool { return utf8.RuneCountInString(text) > maxToldLength }

// candidatesOf returns what the words of the question may mean, the surest and longest
// first. Of words within others that mean the same column, it returns the longest.
func candidatesOf(s schema.Source, mentions []link.Mention) []candidate {
	mentions = slices.DeleteFunc(slices.Clone(mentions), func(m link.Mention) bool { return m.Quality <= link.Hint || isLong(m.Text) })
	slices.SortStableFunc(mentions, func(a, b link.Mention) int {
		return cmp.Or(cmp.Compare(b.To-b.From, a.To-a.From), cmp.Compare(b.Quality, a.Quality))
	})
	out := []candidate{}
	var told []link.Mention
	for _, m := range mentions {
		c, ok := candidateOf(s, m)
		isTold := slices.ContainsFunc(told, func(o link.Mention) bool {
			return o.From <= m.From && m.To <= o.To && o.Column == m.Column && o.Metric == m.Metric
		})
		if ok && !isTold && len(out) < maxToldCandidates {
			out, told = append(out, c), append(told, m)
		}
	}
	return out
}

// candidateOf returns a mention as the model is told of it; false if it is not.
func candidateOf(s schema.Source, m link.Mention) (candidate, bool) {
	c := candidate{Words: m.Text}
	switch m.Kind {
	case link.Metric:
		_, err := plan.FormulaOf(s, plan.Measure{Metric: m.Metric})
		c.Metric = m.Metric
		return c, err == nil
	case link.Column, link.Dim, link.Value:
		if m.Column == nil || isLong(m.Column.Heading) {
			return c, false
		}
		c.Column = m.Column.Heading
		if len(m.Values) <= maxToldValues && !slices.ContainsFunc(m.Values, isLong) {
			c.Values = m.Values
		}
		return c, true
	}
	return c, false
}

// settle replaces the free texts of a model's plan by those of the program and the data: it
// names the periods, and spells values as the column does. It returns an error if a filter
// has a value that is neither in the column nor in the question, or if a number is not in
// the question: a model chooses what is computed and adds nothing (H1, H7).
func settle(p *plan.Plan, s schema.Source, question string, mentions []link.Mention) error {
	namePeriod(p.Period)
	namePeriod(p.Compare)
	for _, m := range p.Measures {
		namePeriod(m.Period)
	}
	var numbers []float64
	for _, h := range p.Having {
		numbers = append(numbers, h.Value)
	}
	for _, w := range p.WhatIf {
		numbers = append(numbers, w.Percent, w.Amount)
	}
	for _, f := range p.Filters() { // which share their values with the plan
		c, _ := plan.Column(s, f.Column)
		for i, v := range f.Values {
			n, err := strconv.ParseFloat(v, 64)
			switch {
			case f.Part != plan.Whole: // Check knows the values
			case c.Type == schema.Number && err == nil:
				numbers = append(numbers, n)
			default:
				if f.Values[i], err = settledValue(f, c, v, question); err != nil {
					return err
				}
			}
		}
	}
	for _, n := range numbers {
		isAsked := func(m link.Mention) bool { return m.Kind == link.Number && m.Number == math.Abs(n) }
		if n != 0 && n != 1 && !slices.ContainsFunc(mentions, isAsked) {
			return fmt.Errorf("ask: plan of the model: the question does not have the number %v", n)
		}
	}
	return nil
}

// namePeriod gives a period, which Check has passed, its name.
func namePeriod(p *plan.Period) {
	if p != nil {
		from, _ := time.Parse(time.DateOnly, p.From)
		to, _ := time.Parse(time.DateOnly, p.To)
		p.Words = when.Span{From: from, To: to}.Title()
	}
}

// settledValue returns the value of a filter as the column spells it, or as it is if the
// question has it, or if it is a day or a truth.
func settledValue(f plan.Filter, c schema.Column, v, question string) (string, error) {
	if c.Type == schema.Truth {
		return v, nil
	}
	if c.Type == schema.Date || c.Type == schema.Moment {
		_, err := time.Parse(time.DateOnly, v)
		return v, err
	}
	if f.Op == plan.In || f.Op == plan.NotIn {
		if slices.Contains(c.Values, v) {
			return v, nil
		}
		if i := slices.IndexFunc(c.Values, func(known string) bool { return strings.EqualFold(known, v) }); i >= 0 {
			return c.Values[i], nil
		}
		if int64(len(c.Values)) >= c.Distinct {
			return v, fmt.Errorf("ask: plan of the model: %q has no such value", f.Column)
		}
	}
	if !strings.Contains(strings.ToLower(question), strings.ToLower(v)) || strings.TrimSpace(v) == "" {
		return v, fmt.Errorf("ask: plan of the model: a value of %q is not in the question", f.Column)
	}
	return v, nil
}
