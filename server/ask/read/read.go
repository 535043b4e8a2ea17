// Package read understands business questions in plain English without a model: it turns a
// question into a plan, or says what is missing.
//
// It owns the shop talk, the headings and values of the data as people write them, the
// calendar, and the decision not to answer. It computes nothing and sees no row: it knows
// the data only by their schema.
//
// Each word of a question must be used, or be known to have no effect. Any other word,
// such as the name of a thing that the data do not have, refuses the whole question: no
// answer is better than one to another question (H5).
package read

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// Reading is a question that was understood.
type Reading struct {
	Plan   plan.Plan
	Source schema.Source
	// AsOf is the day that relative periods count from. With Stale it is the last day of
	// the data, which is more than a week before today (H8).
	AsOf     time.Time
	Stale    bool
	Relative bool     // the question has a relative period, or means now
	Notes    []string // sentences on what was assumed
	Loose    bool     // some words were guessed
	// Companions is the number of the plan's last measures that the question does not
	// name.
	Companions int
}

// Reason is why a question was refused.
type Reason string

const (
	Missing  Reason = "missing"  // no such column
	Unknown  Reason = "unknown"  // unknown words
	Outside  Reason = "outside"  // days without data
	Forecast Reason = "forecast" // days in the future
	Foreign  Reason = "foreign"  // not about the business
	NoData   Reason = "nodata"   // no source
)

// Refusal is the error for a question that cannot be answered, with a sentence for the
// user.
type Refusal struct {
	Reason   Reason
	Sentence string
	Source   schema.Source // the nearest one
}

// Error returns the sentence.
func (r *Refusal) Error() string { return r.Sentence }

// Reader reads questions over the sources of one account. It is safe for concurrent use.
type Reader struct{ lexicons []*lexicon }

// New returns a reader over sources, the preferred one first. It takes some milliseconds
// for each 10,000 values, so callers keep readers.
func New(sources []schema.Source) *Reader {
	var r Reader
	for _, s := range sources {
		r.lexicons = append(r.lexicons, newLexicon(s))
	}
	return &r
}

// maxTokens bounds the words of a question.
const maxTokens = 120

// staleAfter is the age of the newest row from which relative days count from it (H8).
const staleAfter = 7 * 24 * time.Hour

// Read reads a question asked on a day. The error is a *Refusal.
func (r *Reader) Read(question string, today time.Time) (Reading, error) {
	if len(r.lexicons) == 0 {
		return Reading{}, &Refusal{Reason: NoData, Sentence: "There is no data yet: nothing has been imported, so there is nothing to compute this from."}
	}
	if isForeign(question) {
		return Reading{}, r.refuse(Foreign, "This does not read as a question about the business in English, so it cannot be answered.")
	}
	var best *Refusal
	bestScore := -1 << 30
	var chosen Reading
	found := false
	for _, x := range r.lexiconsFor(question) {
		got, score, err := x.read(question, today)
		var refusal *Refusal
		switch {
		case err == nil && (!found || score > bestScore):
			chosen, found, bestScore = got, true, score
		case errors.As(err, &refusal) && !found && score > bestScore:
			best, bestScore = refusal, score
		}
	}
	if found {
		return chosen, nil
	}
	return Reading{}, best
}

func (r *Reader) refuse(reason Reason, sentence string) *Refusal {
	return &Refusal{Reason: reason, Sentence: sentence, Source: r.lexicons[0].source}
}

// isForeign reports whether a text is no question: code, markup, other than Latin letters,
// no word, or too many.
func isForeign(question string) bool {
	lower := strings.ToLower(question)
	for _, sign := range []string{";", "--", "/*", "<", "{", "}", "`", "\\", "select *", "drop table", "http:", "https:"} {
		if strings.Contains(lower, sign) && !(sign == "<" && !strings.ContainsAny(lower, "/>")) {
			return true
		}
	}
	for _, char := range question {
		if char > 0x24F && (char < 0x2000 || char > 0x20CF) {
			return true
		}
	}
	return len(words(question)) == 0 || len(words(question)) > maxTokens
}

// read reads the question over one source; the score is higher the more of it the source
// explains.
func (x *lexicon) read(question string, today time.Time) (Reading, int, error) {
	r := &reading{x: x, ts: tokens(question)}
	asOf, stale := AsOf(x.source, today)
	r.c = calendar{today: asOf}
	r.markAll()
	score := r.score()
	if err := r.build(); err != nil {
		return Reading{}, score - 100, err
	}
	if err := plan.Check(r.p, x.source); err != nil {
		return Reading{}, score - 100, r.unfit(err)
	}
	return Reading{
		Plan: r.p, Source: x.source, AsOf: asOf, Stale: stale,
		Relative: r.isRelative(), Notes: r.notes, Loose: r.isLoose(), Companions: r.companions,
	}, score, nil
}

// AsOf returns the day that relative days count from: today, or the last day of data older
// than a week, which are stale (H8).
func AsOf(s schema.Source, today time.Time) (day time.Time, stale bool) {
	today = date(today.Year(), today.Month(), today.Day())
	last, err := time.Parse(time.DateOnly, cmp.Or(s.Last, s.SoldLast))
	if err == nil && today.Sub(last) > staleAfter {
		return last, true
	}
	return today, false
}

// score returns how much of the question is in this source: its values count most, then
// its headings, then figures that it can give.
func (r *reading) score() int {
	n := -10 * len(r.unknown)
	for _, m := range r.marks {
		switch {
		case m.kind == runOut || m.kind == unsold || m.kind == slowMoving, m.kind == value && !m.loose:
			n += 6
		case m.kind == value || m.kind == column:
			n += 4
		case m.kind == metric && r.x.can(m.metric):
			n += 3
		case m.kind == metric || m.kind == unavailable:
			n -= 3
		case m.kind == dim:
			if _, ok := r.columnOf(m); ok {
				n += 2
			}
		case m.kind == period && r.x.source.Last == "":
			n -= 5
		}
	}
	return n
}

func (r *reading) isLoose() bool {
	return slices.ContainsFunc(r.marks, func(m mark) bool { return m.loose })
}

// isRelative reports whether the answer depends on the day of the question.
func (r *reading) isRelative() bool {
	if r.cover || r.p.Compare != nil && !r.has(period) {
		return true
	}
	for _, m := range r.marks {
		isRelative := m.span.yearless || slices.ContainsFunc(strings.Fields(m.text), func(w string) bool { return slices.Contains(relativeWords, w) })
		if m.kind == versusEarlier || m.kind == period && isRelative {
			return true
		}
	}
	return false
}

// relativeWords are in periods that depend on the day of the question.
var relativeWords = []string{"last", "this", "today", "yesterday", "past", "previous", "ago", "since", "current", "ytd", "mtd", "qtd", "wtd", "far", "prior"}
