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
	add := func(l span) {
		if l.evidence > 0 {
			p.links = append(p.links, l)
		}
	}
	single := math.Inf(1)
	for j, id := range e.words {
		at := slices.IndexFunc(w.readings, func(r reading) bool { return r.word == id })
		if at < 0 {
			continue
		}
		r := w.readings[at]
		if item[j].class.trait != anyWord && r.cost > costSpoken && p.ambiguous(w, item[j]) {
			continue
		}
		single = min(single, r.cost)
		add(span{i, 1, mask(j, 1), p.evidence(w, r.cost), r.short && r.cost > costPlural})
	}
	if !w.letters {
		return
	}
	for j := range item {
		if n := initials(w.text, item[j:]); n > 0 {
			add(span{i, 1, mask(j, n), p.evidence(w, initialsCost), true})
		}
	}
	if w.class.runes >= 3 && single > costPlural && !p.known(w) {
		evidence, theirs := p.glued(w.text, item, 0, -1)
		add(span{i, 1, theirs, evidence, true})
	}
	if i+1 < len(p.words) && p.words[i+1].letters {
		whole := w.text + p.words[i+1].text
		for j := range item {
			if cost := p.joined(whole, item[j].text); cost <= mostCost {
				evidence := math.Log(p.names/float64(len(item[j].names)+1)) - cost - splitCost
				add(span{i, 2, mask(j, 1), evidence, true})
			}
		}
	}
}

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
	n, letters := bits.OnesCount64(had), utf8.RuneCountInString(text)
	for j, w := range item {
		stray := n > 0 && j != last+1
		if had>>j&1 == 1 || w.class.count == 0 || w.text[0] != text[0] || letters < leastPart || stray && letters < leastStray {
			continue
		}
		cost := gluedCost * float64(min(n, 1))
		if stray {
			cost += strayCost
		}
		if evidence := p.part(text, w); n > 0 && evidence > 0 && evidence-cost > best {
			best, words = evidence-cost, mask(j, 1)
		}
		if n+1 == maxGlued {
			continue
		}
		for k := range text {
			if k < leastPart || letters < 5 && text[:k] != w.text {
				continue
			}
			first := p.part(text[:k], w)
			if first <= 0 {
				continue
			}
			if rest, others := p.glued(text[k:], item, had|mask(j, 1), j); rest > 0 && first+rest-cost > best {
				best, words = first+rest-cost, mask(j, 1)|others
			}
		}
	}
	return best, words
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
	return math.Log(p.names/float64(len(w.names)+1)) - cost
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
