// Package certain decides whether the reading of a question is certain (H4).
//
// The reader guesses well, but an answer with confidence high must not be a guess. So the words
// are split into phrases of a few known kinds, and each phrase is matched with parts of the plan:
// "by shop" with a group, "in March" with the period. A reading is certain if every word is in a
// phrase and every part of the plan has one.
//
// The kinds of phrases are few on purpose. A question with any other phrase gets a medium answer,
// not a wrong one. A kind is added when it has proved right on many questions, never for one.
//
// The package reads no question itself. It gets the plan, and the meanings of the words that
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

// Accounts reports whether every word of the question is in a phrase that matches the plan, and
// every part of the plan is matched. The plan must be without the measures and filters that the
// reader added by itself.
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
	needed claim // parts that a phrase must match
	once   claim // parts that at most one phrase may match, such as the period
	failed map[state]bool
}

// state is a token, and the parts that the phrases before it match.
type state struct {
	at      int
	claimed claim
}

// phrase is a run of words that ends before a token, with the parts that it matches.
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
