package match

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"unicode"
)

// The thresholds of Find. TestPairs shows how minScore was chosen; the others are the
// loosest with which TestShop finds almost no wrong items. minLead is less than the
// difference between a name and the same words in another order, so that an equal name
// wins.
const (
	minScore      = 0.68 // the least score of the same product
	farScore      = 0.55 // with less, the score alone is the reason why a name is another one
	minLead       = 0.04 // by how much the best item must beat the next one
	minQueryShare = 0.7  // the least share of the query's words and sizes that the name has
	minNameShare  = 0.7  // the least share of the name's words and sizes that the query has
	maxOther      = 0.9  // the most unmatched words if both sides have some
)

// Candidate is an item that Find considers for a name.
type Candidate struct {
	ID       string
	Name     string // the most similar of the item's name and its aliases
	How      How
	Score    float64 // from 0 to 1, less if another item is as much or more like the name
	Accepted bool    // Find returns this item
	Reason   string  // why it was accepted or not
}

// Find returns the one item with a name, if there is one: by SKU or alias if exactly
// one item has it; else by a similar name whose sizes do not differ, if no other item is
// nearly as similar.
func (x *Index) Find(name string) (Hit, bool) {
	parsed := parse(name)

	x.mu.RLock()
	defer x.mu.RUnlock()

	for _, exact := range x.exactMatches(name, parsed) {
		if len(exact.items) == 1 {
			return Hit{ID: exact.items[0].ID, How: exact.how, Score: 1}, true
		}
	}
	s := x.searches.Get().(*search)
	defer x.searches.Put(s)

	found, objection := s.choose(x, parsed)
	if objection != "" {
		return Hit{}, false
	}
	return Hit{ID: found[0].entry.item.ID, How: ByName, Score: found[0].score}, true
}

// Explain returns the best n items for a name, the accepted one first, with the reasons
// why each was accepted or not.
func (x *Index) Explain(name string, n int) []Candidate {
	parsed := parse(name)

	x.mu.RLock()
	defer x.mu.RUnlock()

	out, accepted := x.explainExact(name, parsed)
	s := x.searches.Get().(*search)
	defer x.searches.Put(s)

	found, objection := s.choose(x, parsed)
	for i := 0; i < len(found) && (i == 0 || len(out) < n); i++ {
		f := &found[i]
		id := f.entry.item.ID
		c := Candidate{ID: id, Name: f.entry.text, How: ByName, Score: beside(f.score, rivalScore(found, id))}
		switch {
		case c.ID == accepted:
			continue
		case accepted != "":
			c.Reason = cmp.Or(f.flaw(), accepted+" is meant")
		case i > 0:
			c.Reason = cmp.Or(f.flaw(), found[0].rivalry(f))
		default:
			c.Reason = objection
			if c.Accepted = c.Reason == ""; c.Accepted {
				accepted, c.Score, c.Reason = c.ID, f.score, f.merits()
			}
		}
		out = append(out, c)
	}
	if i := slices.IndexFunc(out, func(c Candidate) bool { return c.Accepted }); i > 0 {
		first := out[i]
		copy(out[1:], out[:i])
		out[0] = first
	}
	return out[:max(0, min(n, len(out)))]
}

// beside returns the score of an item beside that of its best rival for the name: it loses
// as much as its lead over the rival is less than minLead. Otherwise items of a kind would
// all score high, and a name that fits several of them would mean each.
func beside(score, rival float64) float64 { return max(0, score-max(0, rival+minLead-score)) }

// rivalScore returns the best score of the items other than one, or 0.
func rivalScore(found []candidate, id string) (best float64) {
	for i := range found {
		if found[i].entry.item.ID != id {
			best = max(best, found[i].score)
		}
	}
	return best
}

// explainExact returns the items whose SKU or alias is the name, and the id of the
// accepted one, if any.
func (x *Index) explainExact(text string, parsed name) (out []Candidate, accepted string) {
	for _, exact := range x.exactMatches(text, parsed) {
		items := slices.SortedFunc(slices.Values(exact.items), func(a, b *stored) int { return strings.Compare(a.ID, b.ID) })
		for _, item := range items {
			c := Candidate{ID: item.ID, Name: item.Name, How: exact.how, Score: 1}
			switch {
			case item.ID == accepted:
				continue
			case len(items) > 1:
				c.Reason = fmt.Sprintf("one of %d items with this %s", len(items), exact.how)
			case accepted == "":
				accepted = item.ID
				c.Accepted, c.Reason = true, "this is its "+string(exact.how)
			default:
				c.Reason = accepted + " is meant"
			}
			out = append(out, c)
		}
	}
	return out, accepted
}

// exactMatch has the items whose SKU or alias is the whole name.
type exactMatch struct {
	how   How
	items []*stored
}

// exactMatches returns the matches by SKU and by alias, in the order of F4.
func (x *Index) exactMatches(text string, parsed name) []exactMatch {
	return []exactMatch{
		{BySKU, x.withSKU(text)},
		{ByAlias, x.aliases[parsed.key()]},
	}
}

// skuKey returns an SKU without case and punctuation: ab-12 equals AB12. Only between
// two digits punctuation becomes a hyphen: 1-10 is not 11-0.
func skuKey(s string) string {
	var b strings.Builder
	afterDigit, separated := false, false
	for _, r := range fold(s) {
		digit := unicode.IsDigit(r)
		if !digit && !unicode.IsLetter(r) {
			separated = true
			continue
		}
		if digit && afterDigit && separated {
			b.WriteByte('-')
		}
		b.WriteRune(r)
		afterDigit, separated = digit, false
	}
	return b.String()
}

// withSKU returns the items with an SKU of this key. If there are several, it prefers
// those whose SKU has the same punctuation, too.
func (x *Index) withSKU(sku string) []*stored {
	found := x.skus[skuKey(sku)]
	exact := slices.DeleteFunc(slices.Clone(found), func(s *stored) bool {
		return !strings.EqualFold(strings.TrimSpace(s.SKU), strings.TrimSpace(sku))
	})
	if len(exact) > 0 {
		return exact
	}
	return found
}

// choose returns the candidates for a name, the accepted one first, and why the first is not
// accepted, or "". A name that is like no item, or that has a word which the item lacks,
// may be the shortened name of another one.
func (s *search) choose(x *Index, n name) (found []candidate, objection string) {
	found = s.run(x, n)
	objection = s.objection(found)
	if objection == "" && (found[0].left == 1 || found[0].model) {
		return found, ""
	}
	e := s.findPrinted(x)
	if e == nil || objection == "" && e.item == found[0].entry.item {
		return found, objection
	}
	at := slices.IndexFunc(found, func(c candidate) bool { return c.entry.item == e.item })
	if at < 0 {
		at, found = len(found), append(found, s.candidate(x, e))
	}
	best := found[at]
	best.printed = true
	copy(found[1:], found[:at])
	found[0] = best
	return found, ""
}

// objection returns why the best candidate is not accepted, or "" if it is.
func (s *search) objection(found []candidate) string {
	if len(found) == 0 {
		return "no item is like it"
	}
	best := found[0]
	if reason := best.flaw(); reason != "" {
		return reason
	}
	if len(found) > 1 && best.score < found[1].score+minLead {
		return found[1].rivalry(&best)
	}
	if best.model {
		return ""
	}
	if word := s.missingWord(found); word != "" {
		return fmt.Sprintf("has no %q, as others have", word)
	}
	return ""
}

// flaw returns what speaks against a candidate by itself, or "". Names that share a
// model number may have different words.
func (c *candidate) flaw() string {
	switch {
	case c.conflict:
		return "its " + dimensionNames[c.dim] + " differs"
	case c.score < farScore:
		return "too little like it"
	case c.colour:
		return "its colour differs"
	case c.siblings:
		return "its model number differs"
	case c.words == 1 && c.worst < plural:
		return "only one word is like it"
	case c.model:
		return c.unlike()
	case c.variety:
		return "its variety differs"
	case c.maker:
		return "its maker differs"
	case c.ordinal:
		return "its number differs"
	case c.swapped:
		return "its numbers are in another order"
	case c.leftSized < minQueryShare:
		return "lacks much of the name"
	case c.right < minNameShare:
		return "has much that the name lacks"
	case min(c.leftOver, c.rightOver) > maxOther:
		return "has other words instead"
	}
	return c.unlike()
}

// unlike returns that the score is too low, or "".
func (c *candidate) unlike() string {
	if c.score < minScore {
		return "too little like it"
	}
	return ""
}

// rivalry returns the reason why a candidate prevents another one from being accepted.
func (c *candidate) rivalry(other *candidate) string {
	if other.score < c.score+minLead && c.score < other.score+minLead {
		return c.entry.item.ID + " is as much like it"
	}
	return c.entry.item.ID + " is more like it"
}

// merits returns why a candidate is accepted.
func (c *candidate) merits() string {
	switch {
	case c.printed:
		return "its words, shortened"
	case c.exact:
		return "the same name"
	case c.full:
		return "the same words"
	case c.model:
		return "the same model number"
	}
	return "like enough, and no other is"
}

// missingWord returns a word of the query that the best candidate lacks and that
// distinguishes items of this inventory, or "". Such a word is in another candidate that
// shares words with the best one (zero), or anywhere in the inventory if too few other
// words agree (organic). A word that is in no item is only praise, or a maker whom the
// inventory does not mention.
func (s *search) missingWord(found []candidate) string {
	best := &found[0]
	lacked := s.known &^ best.matched
	for i, t := range s.query.terms {
		if t.class.count < 1 {
			lacked &^= 1 << i
		}
	}
	distinguishing := uint64(0)
	if best.left < minQueryShare {
		distinguishing = lacked
	}
	for _, c := range found[1:] {
		if c.matched&best.matched != 0 {
			distinguishing |= c.matched & lacked
		}
	}
	if distinguishing == 0 {
		return ""
	}
	return s.query.terms[bits.TrailingZeros64(distinguishing)].text
}
