// Package read understands business questions in plain English, without a model: it
// turns the words of one into a plan, or says what is missing.
//
// It owns the shop talk, the values and headings of the data as people write them, the
// days that they mean, and the judgement of when not to answer. It computes nothing and
// sees no row: a catalog is all that it knows of the data.
//
// Each word of a question must be used or be known to say nothing. A word that is
// neither, such as the name of a thing that the data do not have, refuses the whole
// question: no answer is better than one to another question (H5).
package read

import (
	"errors"
	"strings"
	"time"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// Reading is a question that was understood.
type Reading struct {
	Plan   plan.Plan
	Source schema.Source
	// AsOf is the day from which relative periods count, and Stale that it is the last
	// day of the data and not today, more than a week later (H8).
	AsOf     time.Time
	Stale    bool
	Relative bool     // the question says a relative period, or means now
	Notes    []string // sentences on what was assumed
	Loose    bool     // something was guessed
	// Companions is how many of the plan's last measures the question does not name.
	Companions int
}

// Reason says why a question was refused.
type Reason string

const (
	Missing  Reason = "missing"  // the data have no such column
	Unknown  Reason = "unknown"  // words that mean nothing here
	Outside  Reason = "outside"  // days that the data do not cover
	Forecast Reason = "forecast" // days to come
	Foreign  Reason = "foreign"  // no question about the business
	NoData   Reason = "nodata"   //
)

// Refusal is a question that cannot be answered, in words for who asked.
type Refusal struct {
	Reason   Reason
	Sentence string
	Source   schema.Source // the one that comes nearest
}

// Error gives the sentence.
func (r *Refusal) Error() string { return r.Sentence }

// Reader reads questions over the sources of one account. It is safe for concurrent use.
type Reader struct{ lexicons []*lexicon }

// New prepares for questions over sources, the one to prefer first. It takes some
// milliseconds for each 10,000 values, and so is kept as long as the data stay.
func New(sources []schema.Source) *Reader {
	var r Reader
	for _, s := range sources {
		r.lexicons = append(r.lexicons, newLexicon(s))
	}
	return &r
}

// maxTokens bounds the words of a question that is read.
const maxTokens = 120

// staleAfter is how old the newest row may be before relative days count from it (H8).
const staleAfter = 7 * 24 * time.Hour

// Read understands a question asked on a day. The error is a *Refusal.
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

// isForeign knows what is no question: code, markup, or other letters than Latin ones.
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

// read tries one source; the score tells how much of the question it explains.
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

// AsOf is the day that relative days count from: today, or the last day of data that are
// older than a week, which is stale (H8).
func AsOf(s schema.Source, today time.Time) (day time.Time, stale bool) {
	today = date(today.Year(), today.Month(), today.Day())
	newest := s.Last
	if newest == "" {
		newest = s.SoldLast
	}
	last, err := time.Parse(time.DateOnly, newest)
	if err != nil {
		return today, false
	}
	if today.Sub(last) > staleAfter {
		return last, true
	}
	return today, false
}

// score counts what of the question stands in this source: its values most, then
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
	for _, m := range r.marks {
		if m.loose {
			return true
		}
	}
	return false
}

// isRelative says that the answer depends on the day when it was asked.
func (r *reading) isRelative() bool {
	if r.cover || r.p.Compare != nil && !r.has(period) {
		return true
	}
	for _, m := range r.marks {
		if m.kind == period {
			for _, w := range strings.Fields(m.text) {
				switch w {
				case "last", "this", "today", "yesterday", "past", "previous", "ago", "since", "current", "ytd", "mtd", "qtd", "wtd", "far", "prior":
					return true
				}
			}
			if m.span.yearless {
				return true
			}
		}
		if m.kind == versusEarlier {
			return true
		}
	}
	return false
}
