package match

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// What makes Find sure. TestPairs says how enough was chosen; the others are the
// loosest with which TestShop finds hardly anything wrong. ahead is less than the
// step from a name to the same words in another order, which settles nothing else.
const (
	enough      = 0.68 // the least score of the same product
	ahead       = 0.04 // by how much the best must beat the next item
	mostOfQuery = 0.7  // the least share of the query's words and sizes that the name has
	mostOfName  = 0.7  // the least share of the name's words and sizes that the query has
	oneOther    = 0.9  // words on both sides that are not matched: one was put for the other
)

// Candidate is an item that a name may mean.
type Candidate struct {
	ID       string
	Name     string // the item's, or the alias that is most like
	How      How
	Score    float64
	Accepted bool   // it is the one that Find returns
	Reason   string // why it was accepted, or was not
}

// Find returns the one item that a name means, if there is one: by SKU or alias, each if
// exactly one item has it, else by a name that is like enough, whose sizes do not differ
// and which no other item comes near.
func (x *Index) Find(name string) (Hit, bool) {
	parsed := parse(name)

	x.mu.RLock()
	defer x.mu.RUnlock()

	for _, c := range x.claims(name, parsed) {
		if len(c.items) == 1 {
			return Hit{ID: c.items[0].ID, How: c.how, Score: 1}, true
		}
	}
	s := x.searches.Get().(*search)
	defer x.searches.Put(s)

	found := s.run(x, parsed)
	if len(found) == 0 || s.doubt(found) != "" {
		return Hit{}, false
	}
	return Hit{ID: found[0].entry.item.ID, How: ByName, Score: found[0].score}, true
}

// Explain returns the best n items for a name, the accepted one first, and says of
// each why it was accepted or was not.
func (x *Index) Explain(name string, n int) []Candidate {
	parsed := parse(name)

	x.mu.RLock()
	defer x.mu.RUnlock()

	out, accepted := x.explainClaims(name, parsed)
	s := x.searches.Get().(*search)
	defer x.searches.Put(s)

	for i, found := 0, s.run(x, parsed); i < len(found) && (i == 0 || len(out) < n); i++ {
		f := &found[i]
		c := Candidate{ID: f.entry.item.ID, Name: f.entry.text, How: ByName, Score: f.score}
		switch {
		case c.ID == accepted:
			continue
		case accepted != "":
			c.Reason = cmp.Or(f.flaw(), accepted+" is meant")
		case i > 0:
			c.Reason = cmp.Or(f.flaw(), found[0].beside(f))
		default:
			c.Reason = s.doubt(found)
			if c.Accepted = c.Reason == ""; c.Accepted {
				accepted, c.Reason = c.ID, f.merit()
			}
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b Candidate) int {
		switch {
		case a.Accepted == b.Accepted:
			return 0
		case a.Accepted:
			return -1
		}
		return 1
	})
	return out[:max(0, min(n, len(out)))]
}

// explainClaims lists what has a code or an alias that is the name itself, and says
// which of it is accepted.
func (x *Index) explainClaims(text string, parsed name) (out []Candidate, accepted string) {
	for _, claim := range x.claims(text, parsed) {
		items := slices.SortedFunc(slices.Values(claim.items), func(a, b *stored) int { return strings.Compare(a.ID, b.ID) })
		for _, item := range items {
			c := Candidate{ID: item.ID, Name: item.Name, How: claim.how, Score: 1}
			switch {
			case item.ID == accepted:
				continue
			case len(items) > 1:
				c.Reason = fmt.Sprintf("one of %d items with this %s", len(items), claim.how)
			case accepted == "":
				accepted = item.ID
				c.Accepted, c.Reason = true, "this is its "+string(claim.how)
			default:
				c.Reason = accepted + " is meant"
			}
			out = append(out, c)
		}
	}
	return out, accepted
}

// claim is what has a code or an alias that is the whole name.
type claim struct {
	how   How
	items []*stored
}

// claims come in the order of F4.
func (x *Index) claims(text string, parsed name) []claim {
	return []claim{
		{BySKU, x.withSKU(text)},
		{ByAlias, x.aliases[parsed.key()]},
	}
}

// doubt says why the best candidate is not what was meant, or "".
func (s *search) doubt(found []candidate) string {
	best := found[0]
	if reason := best.flaw(); reason != "" {
		return reason
	}
	if len(found) > 1 && best.score < found[1].score+ahead {
		return found[1].beside(&best)
	}
	if best.model {
		return ""
	}
	if word := s.tells(found); word != "" {
		return fmt.Sprintf("has no %q, as others have", word)
	}
	return ""
}

// flaw says what of a candidate by itself speaks against it, or "". Names that
// share a model number may say the rest in different words.
func (c *candidate) flaw() string {
	switch {
	case c.conflict:
		return "its " + dimensionNames[c.dim] + " differs"
	case c.score < enough:
		return "too little like it"
	case c.colour:
		return "its colour differs"
	case c.cousins:
		return "its model number differs"
	case c.words == 1 && c.worst < plural:
		return "only one word is like it"
	case c.model:
		return ""
	case c.variety:
		return "its variety differs"
	case c.ordinal:
		return "its number differs"
	case c.swapped:
		return "its numbers are in another order"
	case c.leftSized < mostOfQuery:
		return "lacks much of the name"
	case c.right < mostOfName:
		return "has much that the name lacks"
	case min(c.leftOver, c.rightOver) > oneOther:
		return "has other words instead"
	}
	return ""
}

// beside says how a candidate stands to another one.
func (c *candidate) beside(other *candidate) string {
	if other.score < c.score+ahead && c.score < other.score+ahead {
		return c.entry.item.ID + " is as much like it"
	}
	return c.entry.item.ID + " is more like it"
}

// merit says what speaks for an accepted candidate.
func (c *candidate) merit() string {
	switch {
	case c.exact:
		return "the same name"
	case c.full:
		return "the same words"
	case c.model:
		return "the same model number"
	}
	return "like enough, and no other is"
}

// tells finds a word of the query that the best lacks and that tells the items of
// this inventory apart: one that shares words with the best has it (zero), or the
// inventory knows it at all and too few other words agree (organic). What no item
// is called is but praise, or a maker whom the inventory does not mention.
func (s *search) tells(found []candidate) string {
	best := &found[0]
	lacked := s.known &^ best.matched
	for i, t := range s.query.terms {
		if t.class.count < 1 {
			lacked &^= 1 << i
		}
	}
	told := uint64(0)
	if best.left < mostOfQuery {
		told = lacked
	}
	for _, c := range found[1:] {
		if c.matched&best.matched != 0 {
			told |= c.matched & lacked
		}
	}
	if told == 0 {
		return ""
	}
	return s.query.terms[bits.TrailingZeros64(told)].text
}
