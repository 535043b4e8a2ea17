// Package certain decides whether a reading of a question is certain (H4). The reader guesses
// well and is often right about a question that nobody foresaw; an answer with confidence high
// needs more than that: an account of the question. The words are laid out as a row of phrases,
// each of a kind that is listed here, and each phrase stands for parts of the plan. A reading is
// certain if no word is outside of the phrases and no part of the plan is without one.
//
// The list is short on purpose. What is not in it makes an answer medium and not wrong, so a new
// kind of phrase is added once it has proved right, and never for one question.
//
// Package certain reads nothing itself: it gets the plan, and the meanings of the words that
// packages link and when have found.
package certain

import (
	"slices"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/schema"
)

// Question is a question with the meanings of its words over one source.
type Question struct {
	Source schema.Source
	Tokens []link.Token
	Links  []link.Mention
	Times  []when.Mention
	Now    when.Now
}

// Accounts reports whether the words of the question stand for the parts of a plan, all of them
// and nothing else. Measures that the question does not ask for, and filters that it implies, are
// none of the plan's parts here.
func (q Question) Accounts(p plan.Plan) bool {
	if !isPlain(p) || isOfOneValue(p) {
		return false
	}
	a := &account{Question: q, p: p, s: plan.Apply(p, q.Source), sure: make([][]link.Mention, len(q.Tokens)), failed: map[state]bool{}}
	for _, m := range q.Links {
		if isSure(m) {
			a.sure[m.From] = append(a.sure[m.From], m)
		}
	}
	a.list()
	if len(a.parts) > maxParts || a.isDoubted() {
		return false
	}
	return a.from(0, 0)
}

// isPlain reports whether a plan has a shape that phrases can account for: no list of rows, no
// causes, no places of an order, and no figures of rows of their own.
func isPlain(p plan.Plan) bool {
	restricted := func(m plan.Measure) bool { return m.Restricted() || m.In != "" }
	ofFirst := p.Share && p.Limit > 1 // which may be of each, or of them together
	return !ofFirst && p.List == nil && !p.Why && !p.Each && !p.Ends && !p.Steps && p.Nth == 0 && !slices.ContainsFunc(p.Measures, restricted)
}

// isOfOneValue reports whether the groups are those of one value, so that a name may have been meant
// to say what the value is: customers in the town of Bath.
func isOfOneValue(p plan.Plan) bool {
	return slices.ContainsFunc(p.By, func(d plan.Dimension) bool {
		return slices.ContainsFunc(p.Where, func(f plan.Filter) bool {
			return f.Column == d.Column && f.Part == d.Part && f.Op == plan.In && len(f.Values) == 1
		})
	})
}

// claim is a set of parts of a plan, by their index.
type claim uint64

// maxParts bounds the parts of a plan, and maxStates the search for its phrases.
const (
	maxParts  = 64
	maxStates = 20_000
)

// account is the search for a row of phrases that accounts for a plan.
type account struct {
	Question
	p      plan.Plan
	s      schema.Source    // as the plan sees it
	sure   [][]link.Mention // by their first token
	parts  []part
	needed claim // of the parts that words must stand for
	once   claim // of the parts that words stand for only once: a third period is one too many
	failed map[state]bool
}

// state is a place in the question and what the words before it stand for.
type state struct {
	at      int
	claimed claim
}

// phrase is a run of words up to a token, and the parts that it stands for.
type phrase struct {
	to    int
	parts claim
}

// from reports whether the words from token at on stand for all parts that are not yet claimed.
func (a *account) from(at int, claimed claim) bool {
	if at == len(a.Tokens) {
		return a.needed&^claimed == 0
	}
	st := state{at, claimed}
	if a.failed[st] || len(a.failed) > maxStates {
		return false
	}
	for _, rule := range rules {
		for _, found := range rule(a, at) {
			if claimed&found.parts&a.once == 0 && a.from(found.to, claimed|found.parts) {
				return true
			}
		}
	}
	a.failed[st] = true
	return false
}
