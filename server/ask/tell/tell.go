// Package tell puts a computed result in words: the answer of seed 2.4 with its figures,
// cards, chart, table, verdict and confidence, or the sentence on what is missing.
//
// It owns all wording and rounding of an answer. It computes only sums, differences and
// percentages of given figures, and sees no row. Grounded checks that the numbers in a
// text are the result's own (H1).
package tell

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/ask/read"
	"svc/server/schema"
)

// Answer is the body of the answer without its meta (seed 2.4). All keys are always
// present, null or [] if empty (H3), except explain, which seed 2.4 does not have (H10).
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
	// Caveats are the sentences of Answer on its limits; a model that rewords it must keep
	// them.
	Caveats []string `json:"-"`
	// Rivals are questions for other readings that fit nearly as well, and Unread the words
	// of the question without a use.
	Rivals, Unread []string `json:"-"`
}

// Card is one figure.
type Card struct {
	Label string `json:"label"`
	Value string `json:"value"`
}

// Chart is a bar, line or pie chart; a value is a number, or null if there is none.
type Chart struct {
	Type   string   `json:"type"`
	Labels []string `json:"labels"`
	Values []any    `json:"values"`
	Label  string   `json:"label"`
	Texts  []string `json:"-"` // the values with their unit
	Notes  []string `json:"-"` // of labels, as Table has them
}

// Table has numbers and strings in its rows. Units and Currency are for pages, which write
// the numbers with them.
type Table struct {
	Headers  []string      `json:"headers"`
	Rows     [][]any       `json:"rows"`
	Units    []schema.Unit `json:"-"` // by column
	Currency string        `json:"-"` // of money, ISO 4217; may be empty
	// Notes are for pages: of each row whose part of time, the value of its column Timed, is
	// only partly in the data or in the period, "so far", "from 14 Mar" or "to 18 Nov"; else
	// empty.
	Notes []string `json:"-"`
	Timed int      `json:"-"`
}

func (t *Table) addColumn(heading string, u schema.Unit) {
	t.Headers, t.Units = append(t.Headers, heading), append(t.Units, u)
}

// Explain is how an answer was computed (H10).
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

// Options are given by the caller.
type Options struct {
	Today    time.Time
	Currency string // ISO 4217, of the business, for data without one
	CFO      bool   // other wording, same figures (H6)
	Simulate bool   // the question's change is a simulation (H6)
	Explain  bool
	// Given is true if the data are not rows but the pairs of a question's context (H3).
	Given bool
	// Reads reports whether the engine can answer a question; other questions are not
	// suggested.
	Reads func(question string) bool
	// Loses reports whether a group of a ranking makes a loss: there is no advice to sell
	// more of it. Nil: it is not known.
	Loses func(g compute.Group) bool
}

// verbalizer is the state of wording one answer.
type verbalizer struct {
	Options
	r        compute.Result
	reading  read.Reading
	p        plan.Plan
	s        schema.Source
	units    []schema.Unit // of the figures
	titles   []string
	main     int // the figure that the question asks for
	shape    presenter
	currency string
}

// Sentence returns the answer's text for a result of a plan that no question asked for,
// without its caveats; "" if there was no row to compute from.
func Sentence(r compute.Result, o Options) string {
	v := newVerbalizer(r, read.Reading{Plan: r.Plan, Source: r.Source}, o)
	if v.isEmpty() {
		return ""
	}
	return presenterOf(v).sentence(v)
}

func newVerbalizer(r compute.Result, reading read.Reading, o Options) *verbalizer {
	v := &verbalizer{Options: o, r: r, reading: reading, p: r.Plan, s: r.Source, currency: r.Source.Currency}
	if v.currency == "" {
		v.currency = o.Currency
	}
	for i := range v.p.Figures() {
		v.units = append(v.units, v.p.Unit(v.s, i))
		v.titles = append(v.titles, v.p.FigureTitle(v.s, i))
	}
	v.main = v.p.Main()
	return v
}

// Tell returns the answer for a result.
func Tell(r compute.Result, reading read.Reading, o Options) Answer {
	v := newVerbalizer(r, reading, o)
	a := newAnswer("")
	if v.isEmpty() {
		return v.noRows(a)
	}
	v.present(&a)
	a.Confidence = v.confidence()
	if f := v.finding(); f != nil && !o.Given {
		a.Verdict, a.VerdictSentence = ptr(f.verdict), ptr(f.sentence)
	}
	a.Recommendations = v.recommendations()
	a.FollowUps, a.Rivals, a.Unread = v.followUps(), v.rivals(), reading.Unused
	if o.Explain {
		a.Explain = v.explain()
	}
	return a
}

// present sets the parts of the answer that its shape decides.
func (v *verbalizer) present(a *Answer) {
	v.shape = presenterOf(v)
	a.Caveats = v.caveats()
	a.Answer = strings.Join(append([]string{v.shape.sentence(v)}, a.Caveats...), " ")
	a.InsightHeader = ptr(v.shape.header(v))
	a.KPICards = v.shape.cards(v)
	if v.shape.chart != nil {
		a.Chart = v.shape.chart(v)
	}
	if v.shape.table != nil {
		a.Table = v.shape.table(v)
	}
}

// newAnswer returns an answer whose lists are [] and not null (H3).
func newAnswer(sentence string) Answer {
	return Answer{Answer: sentence, Confidence: Low, KPICards: []Card{}, Recommendations: []string{}, FollowUps: []string{}}
}

func ptr(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// isEmpty reports whether there was no row to compute from.
func (v *verbalizer) isEmpty() bool {
	if len(v.p.By) > 0 {
		mayBeNone := len(v.p.Having) > 0 || v.isList() || v.p.Count
		return len(v.r.Groups) == 0 && (!mayBeNone || len(v.p.WhatIf) > 0)
	}
	g := v.r.Total
	if g.Rows+g.Past > 0 {
		return false
	}
	f, _ := plan.FormulaOf(v.s, v.p.Measures[0])
	return f.Top.Fold != plan.FoldDistinct && f.Top.Fold != plan.FoldRows && f.Top.Fold != plan.FoldRepeat && f.Top.Fold != plan.FoldNew
}

// noRows returns the answer if no row fits, which is not a figure of 0.
func (v *verbalizer) noRows(a Answer) Answer {
	a.Answer = "There are no rows in " + v.s.Name + v.scope() + ", so there is nothing to compute this from."
	if len(v.p.By) > 0 && v.p.By[0].Part == plan.Whole && len(v.p.Where) == 0 && v.p.Period == nil {
		a.Answer = fmt.Sprintf("No row in %s%s says its %s, so there is nothing to compute this from.", v.s.Name, v.scope(), pretty(v.p.By[0].Column))
	}
	a.FollowUps = suggestions(v.s, plan.Plan{}, v.Reads)
	if v.Explain {
		a.Explain = v.explain()
	}
	return a
}

// Refuse returns the answer to a question that cannot be answered, with questions that can
// (H5).
func Refuse(refusal *read.Refusal, o Options) Answer {
	a := newAnswer(refusal.Sentence)
	a.Unread = refusal.Words
	a.FollowUps = nearest(refusal, o.Reads)
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

// staleAfter is the age at which data are old for questions about now (H4).
const staleAfter = 48 * time.Hour

// enoughRows is the number of rows for high confidence (H4).
const enoughRows = 30

// confidence returns the level by the rules of H4.
func (v *verbalizer) confidence() string {
	partial := v.Given || v.isPartial() || v.hasUnknownRefunds() || !v.reading.Certain || v.reading.Elsewhere || len(v.reading.Unused) > 0 || v.reading.Rival != nil || v.blankColumn() != "" || v.sharesBlanks() || len(v.omissions()) > 0 || v.r.Strays != nil
	switch {
	case partial, v.namesRival(), v.reading.Stale && v.reading.Relative, v.reading.Relative && v.isOld(), v.changesPrice():
		return Medium
	case v.s.Kind == schema.Stocklist:
		return High
	case v.rows() < enoughRows, v.p.Compare != nil && (v.r.Total.Rows < enoughRows || v.r.Total.Past < enoughRows):
		return Medium
	}
	return High
}

// changesPrice reports whether a supposed change is one of prices, to which customers may
// react.
func (v *verbalizer) changesPrice() bool {
	return slices.ContainsFunc(v.p.WhatIf, func(w plan.WhatIf) bool { return w.Change == plan.Price })
}

// isOld reports whether the data are older than staleAfter. It counts whole days in the
// account's time zone, as read.AsOf does.
func (v *verbalizer) isOld() bool {
	last, err := time.Parse(time.DateOnly, v.soldUntil())
	today := time.Date(v.Today.Year(), v.Today.Month(), v.Today.Day(), 0, 0, 0, 0, time.UTC)
	return err == nil && today.Sub(last) > staleAfter
}

// isPartial reports whether the data cover only a part of the days.
func (v *verbalizer) isPartial() bool {
	return slices.ContainsFunc([]*plan.Period{v.p.Period, v.p.Compare}, func(p *plan.Period) bool {
		return p != nil && v.s.Last != "" && (p.From < v.s.First || p.To > v.s.Last)
	})
}

// negligibleShare is the share of blank cells that may be ignored.
var negligibleShare = big.NewRat(1, 100)

// omissions returns the omissions above negligibleShare.
func (v *verbalizer) omissions() []compute.Omission {
	var out []compute.Omission
	for _, o := range v.r.Omitted {
		if all := o.Rows + v.rows(); big.NewRat(o.Rows, all).Cmp(negligibleShare) > 0 {
			out = append(out, o)
		}
	}
	return out
}

// sharesBlanks reports whether a share is of values of a column with too many blank cells,
// which may be of the whole or not.
func (v *verbalizer) sharesBlanks() bool {
	filters := v.p.Part
	for _, d := range v.p.Derived {
		if d.Kind == plan.ShareOf {
			filters = append(slices.Clip(filters), v.p.Measures[d.Of].Where...)
		}
	}
	return slices.ContainsFunc(filters, func(f plan.Filter) bool {
		c, ok := plan.Column(v.s, f.Column)
		return ok && f.Op != plan.Blank && f.Op != plan.Filled && v.s.Rows > 0 && big.NewRat(c.Blank, v.s.Rows).Cmp(negligibleShare) > 0
	})
}

// blankColumn returns the first column of the figures with too many blank cells, or "".
func (v *verbalizer) blankColumn() string {
	if v.s.Rows == 0 {
		return ""
	}
	f, _ := plan.FormulaOf(v.s, v.p.Measures[0])
	for _, t := range f.Top.Terms {
		for _, c := range t.Factors {
			mayBeBlank := c.Role == schema.StockDays || c.Role == schema.Refund || c.Whole || t.Minus && c.Role == schema.Discount // a blank discount is 0
			if !mayBeBlank && c.Blank < v.s.Rows && big.NewRat(c.Blank, v.s.Rows).Cmp(negligibleShare) > 0 {
				return c.Heading
			}
		}
	}
	return ""
}
