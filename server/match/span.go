package match

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// span is a match of a word of the query with one or more adjacent words of an item, or of
// two adjacent words of the query with one.
type span struct {
	i, ni    int
	j, nj    int
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
		if item[j].class.trait != anyWord && r.cost > costPlural && p.ambiguous(w, item[j]) {
			continue
		}
		single = min(single, r.cost)
		add(span{i, 1, j, 1, p.evidence(w, r.cost), r.short && r.cost > costPlural})
	}
	if !w.letters {
		return
	}
	for j := range item {
		if n := initials(w.text, item[j:]); n > 0 {
			add(span{i, 1, j, n, p.evidence(w, initialsCost), true})
		}
		if w.class.runes >= 3 && single > costPlural && !p.known(w) {
			add(p.glued(i, j, item))
		}
	}
	if i+1 < len(p.words) && p.words[i+1].letters {
		whole := w.text + p.words[i+1].text
		for j := range item {
			if cost := p.joined(whole, item[j].text); cost <= mostCost {
				evidence := math.Log(p.names/float64(len(item[j].names)+1)) - cost - splitCost
				add(span{i, 2, j, 1, evidence, true})
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

// glued returns the match of a word that is two or three words of an item written as one,
// each shortened or not: crystlgt, crystal light.
func (p *printed) glued(i, j int, item []*interned) span {
	best := span{i: i, ni: 1, j: j, short: true}
	text := p.words[i].text
	for k := range text {
		if k == 0 || j+1 >= len(item) || p.words[i].class.runes < 5 && text[:k] != item[j].text {
			continue
		}
		first, rest := p.part(text[:k], item[j]), 0.0
		if first <= 0 {
			continue
		}
		rest = p.part(text[k:], item[j+1])
		if evidence := first + rest - gluedCost; rest > 0 && evidence > best.evidence {
			best.evidence, best.nj = evidence, 2
		}
	}
	return best
}

// part returns the evidence of a part of a word for a word of an item. The fewer letters
// it has, the more words it could mean.
func (p *printed) part(text string, w *interned) float64 {
	n := utf8.RuneCountInString(text)
	cost := 0.0
	if text != w.text {
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
