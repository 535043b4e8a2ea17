// Package when reads expressions of time in questions: which days, which parts of time make
// groups, on which weekdays or hours, and what is compared with what.
//
// It returns every reading of every span of words and chooses none: "may" is a month and a
// verb, "saturday" the last one or any. The reader of questions weighs them by Likely. It
// refuses nothing; days in the future are a reading with Ahead. testdata/corpus.txt has an
// example of each rule with its readings.
//
// Relative days count from Now.Today, which is the last day of the data if that is more than
// a week ago (H8).
package when

import (
	"slices"
	"strings"
	"time"

	"svc/server/ask/plan"
)

// Now is the day of a question and what is known of the data's days.
type Now struct {
	Today       time.Time
	First, Last time.Time // of the data; zero: it has no days
	Time        bool      // the data's rows have a time of day
}

// Kind is what an expression of time says.
type Kind string

// The kinds.
const (
	Period  Kind = "period"  // days: Span
	Earlier Kind = "earlier" // days that depend on those of another period: Back
	Group   Kind = "group"   // a group for each Part; Part is empty if the words name none
	Days    Kind = "days"    // rows on weekdays, in hours or in months of any year: Part, Values
	Steps   Kind = "steps"   // each Part beside the one before
	Vague   Kind = "vague"   // "recently": days that nobody can say
)

// Mention is one reading of the words From to To, To excluded.
type Mention struct {
	From, To int
	Kind     Kind
	Span     Span
	Part     plan.Part
	Values   []string // as in plan.Filter
	Back     Back
	Bare     bool    // a Group that is the name of a unit: it groups after by, per, each or which
	Likely   float64 // 0 to 1: how usual the reading is for these words
}

// rule reads an expression that begins at word i. A reading has its end in To.
type rule func(r reader, i int) []Mention

var rules = []rule{reader.period, reader.weekdays, reader.hours, reader.months, reader.groups, reader.steps, reader.earlier, reader.vague}

// Find returns all readings of the spans of words. The words are in lower case, without
// accents; a possessive "'s" is a word of its own.
func Find(words []string, now Now) []Mention {
	r := reader{words: corrected(words), now: now}
	var found []Mention
	for i := range r.words {
		for _, read := range rules {
			for _, m := range read(r, i) {
				m.From = i
				found = append(found, r.outwards(m)...)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Mention) int { return a.From - b.From })
	return found
}

// prepositions before days and parts of days have no meaning of their own.
var prepositions = []string{"in", "on", "at", "for", "during", "over", "within", "throughout", "of", "from"}

// outwards returns a reading, and the reading with "the" and a preposition before it and a
// possessive after it.
func (r reader) outwards(m Mention) []Mention {
	if r.is(m.To, "'s") {
		m.To++
	}
	out := []Mention{m}
	if m.Kind != Period && m.Kind != Days {
		return out
	}
	isToday := m.Part == plan.Hour && r.is(m.From-1, "this") // of this morning
	if r.is(m.From-1, "the", "this", "a") && !r.is(m.From, "the") && !isToday {
		m.From--
		out = append(out, m)
	}
	if m.From > 0 && slices.Contains(prepositions, r.words[m.From-1]) {
		m.From--
		out = append(out, m)
	}
	return out
}

// reader has the words of one question.
type reader struct {
	words []string
	now   Now
}

// is reports whether word i is one of some words.
func (r reader) is(i int, words ...string) bool {
	return i >= 0 && i < len(r.words) && slices.Contains(words, r.words[i])
}

// has reports whether the words from i on begin with those of a phrase.
func (r reader) has(i int, phrase string) int {
	if i < 0 {
		return 0
	}
	n := 0
	for part := range strings.SplitSeq(phrase, " ") {
		if i+n >= len(r.words) || r.words[i+n] != part {
			return 0
		}
		n++
	}
	return n
}

// text returns the words from i to j.
func (r reader) text(i, j int) string {
	return strings.ReplaceAll(strings.Join(r.words[i:j], " "), " 's", "'s")
}

// number returns the whole number that word i is, 1 to 999.
func (r reader) number(i int) (int, bool) {
	if i < 0 || i >= len(r.words) {
		return 0, false
	}
	if n, ok := numbers[r.words[i]]; ok {
		return n, true
	}
	n, ok := atoi(r.words[i])
	return n, ok && n >= 1 && n < 1000 && r.words[i][0] != '0'
}

// dayNumber returns the day of a month that word i is: 3, 03, 3rd, third.
func (r reader) dayNumber(i int) (int, bool) {
	if i < 0 || i >= len(r.words) {
		return 0, false
	}
	w := r.words[i]
	for _, ending := range []string{"st", "nd", "rd", "th"} {
		w = strings.TrimSuffix(w, ending)
	}
	n, ok := atoi(w)
	return n, ok && n >= 1 && n <= 31 && len(w) <= 2
}

// yearNumber returns the year that word i is, 1980 to 2059, or '04 after a month.
func (r reader) yearNumber(i int) (int, bool) {
	if i < 0 || i >= len(r.words) {
		return 0, false
	}
	n, ok := atoi(r.words[i])
	return n, ok && len(r.words[i]) == 4 && n >= 1980 && n < 2060
}
