// Package tell words a computed result: the answer of seed 2.4 with its figures, cards,
// chart, table, verdict and confidence, or the sentence that says what is missing.
//
// It owns every word and every rounding of an answer. It computes nothing but sums,
// differences and percentages of figures that it was given, and never sees a row. The
// numbers that it writes are the result's own, which Grounded checks (H1).
package tell

import (
	"fmt"
	"math/big"
	"time"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/ask/read"
	"svc/server/schema"
)

// Answer is the body of the answer without its meta (seed 2.4). All keys are always
// present, null or [] when empty (H3); explain is ours (H10).
type Answer struct {
	Answer          string   `json:"answer"`
	InsightHeader   *string  `json:"insight_header"`
	Verdict         *string  `json:"verdict"`
	VerdictSentence *string  `json:"verdict_sentence"`
	Confidence      string   `json:"confidence"`
	KPICards        []Card   `json:"kpi_cards"`
	Chart           *Chart   `json:"chart"`
	Table           *Table   `json:"table"`
	Recommendations []string `json:"recommendations"`
	FollowUps       []string `json:"follow_up_questions"`
	Explain         *Explain `json:"explain,omitempty"`
	// Caveats are the sentences of Answer that say what stands behind it; whoever words
	// it anew keeps them.
	Caveats []string `json:"-"`
}

// Card is one figure.
type Card struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// Chart is bar, line or pie; a value is a number, or null where there is none.
type Chart struct {
	Type   string   `json:"type"`
	Labels []string `json:"labels"`
	Values []any    `json:"values"`
	Label  string   `json:"label"`
}

// Table mixes numbers and strings in its rows.
type Table struct {
	Headers []string `json:"headers"`
	Rows    [][]any  `json:"rows"`
}

// Explain says how an answer came about (H10).
type Explain struct {
	Plan   plan.Plan `json:"plan"`
	Text   string    `json:"text"` // the plan in English
	SQL    []string  `json:"sql"`
	Source string    `json:"source"`
	Rows   int64     `json:"rows"`
	AsOf   string    `json:"as_of"` // last day of the data; empty without days
}

// Levels of confidence (H4).
const (
	High   = "high"
	Medium = "medium"
	Low    = "low"
)

// Options are the caller's.
type Options struct {
	Today    time.Time
	Currency string // ISO 4217, of the business, for data that do not say theirs
	CFO      bool   // other wording, same figures (H6)
	Simulate bool   // the question's change is meant as a simulation (H6)
	Explain  bool
	// Reads says whether the engine can answer a question; what it cannot is not
	// suggested.
	Reads func(question string) bool
}

// verbalizer is the work on one answer.
type verbalizer struct {
	Options
	r        compute.Result
	reading  read.Reading
	p        plan.Plan
	s        schema.Source
	units    []schema.Unit
	titles   []string
	currency string
}

// Tell words a result.
func Tell(r compute.Result, reading read.Reading, o Options) Answer {
	v := &verbalizer{Options: o, r: r, reading: reading, p: r.Plan, s: r.Source, currency: r.Source.Currency}
	if v.currency == "" {
		v.currency = o.Currency
	}
	for _, m := range v.p.Measures {
		f, _ := plan.FormulaOf(v.s, m)
		v.units = append(v.units, f.Unit)
		v.titles = append(v.titles, plan.Title(v.s, m))
	}
	a := Answer{KPICards: []Card{}, Recommendations: []string{}, FollowUps: []string{}}
	if v.isEmpty() {
		return v.noRows(a)
	}
	a.Answer, a.Caveats = v.answer(), v.caveats()
	a.InsightHeader = ptr(v.header())
	a.KPICards = v.cards()
	a.Chart, a.Table = v.chart(), v.table()
	a.Confidence = v.confidence()
	if f := v.finding(); f != nil {
		a.Verdict, a.VerdictSentence = ptr(f.verdict), ptr(f.sentence)
	}
	a.Recommendations = v.recommendations()
	a.FollowUps = suggestions(v.s, v.p, o.Reads)
	if o.Explain {
		a.Explain = v.explain()
	}
	return a
}

func ptr(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// isEmpty says that no row was there to compute from.
func (v *verbalizer) isEmpty() bool {
	if len(v.p.By) > 0 {
		named := len(v.p.Having) > 0 || v.isList() || v.p.Count // "none" is the answer
		return len(v.r.Groups) == 0 && (!named || v.p.WhatIf != nil)
	}
	g := v.r.Total
	if g.Rows+g.Past > 0 {
		return false
	}
	f, _ := plan.FormulaOf(v.s, v.p.Measures[0])
	return f.Top.Fold != plan.FoldDistinct && f.Top.Fold != plan.FoldRows && f.Top.Fold != plan.FoldRepeat && f.Top.Fold != plan.FoldNew
}

// noRows says that no row fits, which is not the same as a figure of 0.
func (v *verbalizer) noRows(a Answer) Answer {
	a.Answer = "There are no rows in " + v.s.Name + v.scope() + ", so there is nothing to compute this from."
	if len(v.p.By) > 0 && v.p.By[0].Part == plan.Whole && len(v.p.Where) == 0 && v.p.Period == nil {
		a.Answer = fmt.Sprintf("No row in %s%s says its %s, so there is nothing to compute this from.", v.s.Name, v.scope(), pretty(v.p.By[0].Column))
	}
	a.Confidence = Low
	a.FollowUps = suggestions(v.s, plan.Plan{}, v.Reads)
	if v.Explain {
		a.Explain = v.explain()
	}
	return a
}

// Refuse words a question that cannot be answered, with the nearest that can (H5).
func Refuse(refusal *read.Refusal, o Options) Answer {
	a := Answer{
		Answer:          refusal.Sentence,
		Confidence:      Low,
		KPICards:        []Card{},
		Recommendations: []string{},
		FollowUps:       suggestions(refusal.Source, plan.Plan{}, o.Reads),
	}
	if o.Explain {
		a.Explain = &Explain{
			Plan: plan.Plan{Source: refusal.Source.ID, Measures: []plan.Measure{}},
			Text: "Nothing was computed. " + refusal.Sentence,
			SQL:  []string{}, Source: refusal.Source.Name, AsOf: refusal.Source.Last,
		}
	}
	return a
}

func (v *verbalizer) explain() *Explain {
	return &Explain{Plan: v.p, Text: plan.Sentence(v.p, v.s), SQL: v.r.SQL, Source: v.s.Name, Rows: v.rows(), AsOf: v.s.Last}
}

func (v *verbalizer) rows() int64 { return v.r.Total.Rows + v.r.Total.Past }

// staleAfter is when figures about now are old (H4).
const staleAfter = 48 * time.Hour

// enoughRows is the number of rows on which a figure stands firmly (H4).
const enoughRows = 30

// confidence follows H4.
func (v *verbalizer) confidence() string {
	partial := v.isPartial() || v.reading.Loose || v.blankColumn() != "" || len(v.omissions()) > 0
	switch {
	case partial, v.reading.Stale && v.reading.Relative, v.reading.Relative && v.isOld(), v.p.WhatIf != nil && v.p.WhatIf.Change == plan.Price:
		return Medium
	case v.s.Kind == schema.Stocklist:
		return High
	case v.rows() < enoughRows, v.p.Compare != nil && (v.r.Total.Rows < enoughRows || v.r.Total.Past < enoughRows):
		return Medium
	}
	return High
}

// isOld counts whole days, as read.AsOf does: a day of the data is one of the account's zone.
func (v *verbalizer) isOld() bool {
	last, err := time.Parse(time.DateOnly, v.soldUntil())
	today := time.Date(v.Today.Year(), v.Today.Month(), v.Today.Day(), 0, 0, 0, 0, time.UTC)
	return err == nil && today.Sub(last) > staleAfter
}

// isPartial says that the data cover the asked days in part only.
func (v *verbalizer) isPartial() bool {
	for _, p := range []*plan.Period{v.p.Period, v.p.Compare} {
		if p != nil && (p.From < v.s.First || p.To > v.s.Last) {
			return true
		}
	}
	return false
}

// negligibleShare is the share of blank cells below which they do not matter.
var negligibleShare = big.NewRat(1, 100)

// omissions are those that matter.
func (v *verbalizer) omissions() []compute.Omission {
	var out []compute.Omission
	for _, o := range v.r.Omitted {
		if all := o.Rows + v.rows(); big.NewRat(o.Rows, all).Cmp(negligibleShare) > 0 {
			out = append(out, o)
		}
	}
	return out
}

// blankColumn names the first column of the figures that has many blank cells.
func (v *verbalizer) blankColumn() string {
	if v.s.Rows == 0 {
		return ""
	}
	check := func(c schema.Column) bool {
		return c.Blank < v.s.Rows && big.NewRat(c.Blank, v.s.Rows).Cmp(negligibleShare) > 0
	}
	f, _ := plan.FormulaOf(v.s, v.p.Measures[0])
	for _, t := range f.Top.Terms {
		for _, c := range t.Factors {
			if check(c) && c.Role != schema.StockDays && !(t.Minus && c.Role == schema.Discount) { // no discount is one of 0
				return c.Heading
			}
		}
	}
	return ""
}
