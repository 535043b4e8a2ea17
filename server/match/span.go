package match

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// span is a match of a word of the query with one or more words of an item, or of two
// adjacent words of the query with one.
type span struct {
	i, ni    int
	theirs   uint64 // the words of the item, one bit each
	evidence float64
	short    bool // the word is shortened
}

// linkWord adds the ways in which an item explains a word of the query.
func (p *printed) linkWord(i int, e *entry, item []*interned) {
	w := &p.words[i]
	least := p.linkReadings(i, e, item)
	if !w.letters {
		return
	}
	for j := range item {
		if n := initials(w.text, item[j:]); n > 0 {
			p.link(span{i, 1, mask(j, n), p.evidence(w, initialsCost), true})
		}
	}
	if w.class.runes >= 3 && least > costPlural && !p.known(w) {
		evidence, theirs := p.glued(w.text, item, 0, -1)
		p.link(span{i, 1, theirs, evidence, true})
	}
	p.linkSplit(i, item)
}

// link adds a way to explain a word, unless it tells nothing, or only one of the two products
// is without what the word names.
func (p *printed) link(l span) {
	if l.evidence > 0 && !p.without.opposes(mask(l.i, l.ni), p.itemWithout, l.theirs) {
		p.links = append(p.links, l)
	}
}

// linkReadings adds the words of an item that are readings of a word of the query. It returns
// the least of their costs, or infinity.
func (p *printed) linkReadings(i int, e *entry, item []*interned) float64 {
	w, least := &p.words[i], math.Inf(1)
	for j, id := range e.words {
		at := slices.IndexFunc(w.readings, func(r reading) bool { return r.word == id })
		if at < 0 {
			continue
		}
		r := w.readings[at]
		if item[j].class.trait != anyWord && r.cost > costSpoken && p.ambiguous(w, item[j]) {
			continue
		}
		least = min(least, r.cost)
		p.link(span{i, 1, mask(j, 1), p.evidence(w, r.cost), r.short && r.cost > costPlural})
	}
	return least
}

// linkSplit adds the words of an item that a word of the query and the next one spell together.
func (p *printed) linkSplit(i int, item []*interned) {
	if i+1 == len(p.words) || !p.words[i+1].letters {
		return
	}
	whole := p.words[i].text + p.words[i+1].text
	for j, w := range item {
		if cost := p.joined(whole, w.text); cost <= mostCost {
			p.link(span{i, 2, mask(j, 1), p.rarity(w) - cost - splitCost, true})
		}
	}
}

// rarity returns what a word of the inventory tells by itself.
func (p *printed) rarity(w *interned) float64 { return math.Log(p.names / float64(len(w.names)+1)) }

// known reports whether a word is one of the inventory.
func (p *printed) known(w *printedWord) bool {
	_, ok := p.x.words.ids[w.text]
	return ok
}

// initials returns how many words two or three letters are the initials of, connectives
// between them included, or 0.
func initials(letters string, words []*interned) int {
	if n := utf8.RuneCountInString(letters); n != 2 && n != 3 {
		return 0
	}
	at := 0
	for k, r := range letters {
		for k > 0 && at < len(words) && words[at].class.count == 0 {
			at++
		}
		if at >= len(words) || words[at].class.count == 0 {
			return 0
		}
		if head, ok := headOf(words[at].text); !ok || head != r {
			return 0
		}
		at++
	}
	return at
}

// ambiguous reports whether a shortened word may also mean another colour or variety than
// that of an item: bl may be blue and black.
func (p *printed) ambiguous(w *printedWord, meant *interned) bool {
	list := colours
	if meant.class.trait == variety {
		list = varieties
	} else if meant.class.trait != colour {
		return false
	}
	cost := p.cost(w.text, meant.text)
	for other := range list {
		if consonants(other) != consonants(meant.text) && p.cost(w.text, other) < cost+0.4 {
			return true
		}
	}
	return false
}

// glued returns the evidence for the words of an item that a text is, written as one, each
// shortened or not, and these words: crystlgt, crystal light; potamshd, mashed potatoes. The
// words had are what comes before the text, the last of them at last, which is -1 if none is.
func (p *printed) glued(text string, item []*interned, had uint64, last int) (best float64, words uint64) {
	for j, w := range item {
		cost := glueCost(text, item, had, last, j)
		if math.IsInf(cost, 1) {
			continue
		}
		evidence, others := p.headed(text, item, had, j)
		if had != 0 {
			if whole := p.part(text, w); whole > evidence {
				evidence, others = whole, 0
			}
		}
		if evidence > 0 && evidence-cost > best {
			best, words = evidence-cost, mask(j, 1)|others
		}
	}
	return best, words
}

// headed returns the evidence that a text begins with the word of an item at j, shortened or
// not, and goes on with others of its words, and these others.
func (p *printed) headed(text string, item []*interned, had uint64, j int) (best float64, others uint64) {
	if bits.OnesCount64(had)+1 == maxGlued {
		return 0, 0
	}
	letters := utf8.RuneCountInString(text)
	for k := range text {
		if k < leastPart || letters < 5 && text[:k] != item[j].text {
			continue
		}
		first := p.part(text[:k], item[j])
		if first <= 0 {
			continue
		}
		if rest, theirs := p.glued(text[k:], item, had|mask(j, 1), j); rest > 0 && first+rest > best {
			best, others = first+rest, theirs
		}
	}
	return best, others
}

// glueCost returns what it costs that a text begins with the word of an item at j after the
// words had, or infinity if it cannot.
func glueCost(text string, item []*interned, had uint64, last, j int) float64 {
	cost, least := 0.0, leastPart
	switch {
	case had != 0 && j != last+1:
		cost, least = gluedCost+strayCost, leastStray
	case had != 0:
		cost = gluedCost
	}
	w := item[j]
	if had>>j&1 == 1 || w.class.count == 0 || w.text[0] != text[0] || utf8.RuneCountInString(text) < least {
		return math.Inf(1)
	}
	return cost
}

// part returns the evidence of a part of a word for a word of an item. The fewer letters
// it has, the more words it could mean.
func (p *printed) part(text string, w *interned) float64 {
	n := utf8.RuneCountInString(text)
	cost := 0.0
	if text != w.text {
		if p.parts == maxParts {
			return 0
		}
		p.parts++
		if cost = p.cost(text, w.text); cost > mostCost {
			return 0
		}
		cost += max(0, 4-float64(n))
	}
	return p.rarity(w) - cost
}

// joined returns the cost of two words as the spelling of one with other vowels: wun tun,
// wonton.
func (p *printed) joined(whole, word string) float64 {
	if whole == word {
		return 0
	}
	if consonants(whole) == consonants(word) && utf8.RuneCountInString(consonants(word)) >= 3 {
		return 0.8
	}
	return p.cost(whole, word)
}

// consonants returns the first letter of a word and its consonants.
func consonants(word string) string {
	head, n := utf8.DecodeRuneInString(word)
	return string(head) + strings.Map(func(r rune) rune {
		if isVowel(r) {
			return -1
		}
		return r
	}, word[n:])
}
