package match

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// vocabulary holds each word of the names once, and finds the words like a word by
// the trigrams they share.
type vocabulary struct {
	ids   map[string]uint32
	words []interned
	free  []uint32
	grams map[gram][]uint32 // the words that have it, of minGrams runes and more
}

type interned struct {
	text  string
	class class
	names []uint32 // the slots of the names that have it, ascending
}

// gram is three runes in a row, of 21 bits each.
type gram uint64

const (
	gramMask = 1<<63 - 1
	edge     = 1 // the rune before and behind a word
	minGrams = 4
)

func newVocabulary() *vocabulary {
	return &vocabulary{ids: map[string]uint32{}, grams: map[gram][]uint32{}}
}

// df is how many names have the word.
func (v *vocabulary) df(word string) int {
	id, ok := v.ids[word]
	if !ok {
		return 0
	}
	return len(v.words[id].names)
}

// add notes that a name has the word.
func (v *vocabulary) add(word string, slot uint32) uint32 {
	id, ok := v.ids[word]
	if !ok {
		id = v.intern(word)
	}
	w := &v.words[id]
	w.names = insert(w.names, slot)
	return id
}

func (v *vocabulary) intern(word string) uint32 {
	id := uint32(len(v.words))
	if n := len(v.free); n > 0 {
		id, v.free = v.free[n-1], v.free[:n-1]
	} else {
		v.words = append(v.words, interned{})
	}
	v.words[id] = interned{text: word, class: classify(word)}
	v.ids[word] = id
	if hasGrams(word) {
		for _, g := range gramsOf(word, nil) {
			v.grams[g] = insert(v.grams[g], id)
		}
	}
	return id
}

// drop notes that a name has the word no more. The word goes with its last name.
func (v *vocabulary) drop(id, slot uint32) {
	w := &v.words[id]
	if w.names = remove(w.names, slot); len(w.names) > 0 {
		return
	}
	if hasGrams(w.text) {
		for _, g := range gramsOf(w.text, nil) {
			if v.grams[g] = remove(v.grams[g], id); len(v.grams[g]) == 0 {
				delete(v.grams, g)
			}
		}
	}
	delete(v.ids, w.text)
	*w = interned{}
	v.free = append(v.free, id)
}

// hasGrams says that a word is found by its trigrams. A short one has no slips, and
// what it is short for is looked up.
func hasGrams(word string) bool { return utf8.RuneCountInString(word) >= minGrams }

// gramsOf appends each trigram of a word once.
func gramsOf(word string, out []gram) []gram {
	g := gram(edge)
	put := func(r rune) {
		g = (g<<21 | gram(r)) & gramMask
		if g>>42 != 0 && !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	for _, r := range word {
		put(r)
	}
	put(edge)
	return out
}

// insert puts a number into an ascending list, once.
func insert(list []uint32, n uint32) []uint32 {
	if len(list) == 0 || list[len(list)-1] < n {
		return append(list, n)
	}
	at, found := slices.BinarySearch(list, n)
	if found {
		return list
	}
	return slices.Insert(list, at, n)
}

func remove(list []uint32, n uint32) []uint32 {
	if at, found := slices.BinarySearch(list, n); found {
		return slices.Delete(list, at, at+1)
	}
	return list
}

// relative is a word that may stand for another one.
type relative struct {
	id  uint32
	sim float64
}

// maxRelatives is how many words are tried for one of the query.
const maxRelatives = 32

// relatives finds the words that may stand for one: what shares its trigrams, itself,
// what it is short for and what is short for it, and swaps of two letters.
func (v *vocabulary) relatives(t *term, s *search) []relative {
	best := shortlist{vocabulary: v, list: s.relatives[:0]}
	if t.class.kind != digits {
		for _, id := range v.sharing(t.text, s) { // each of them once
			best.take(t, id)
		}
	}
	best.cut()
	look := func(word string) {
		if id, ok := v.ids[word]; ok && !best.has(id) {
			best.take(t, id)
		}
	}
	look(t.text)
	for i := range t.text {
		if i >= 3 {
			look(t.text[:i])
		}
	}
	if t.class.kind == plain {
		runes := []rune(t.text)
		for i := 1; i+1 < len(runes); i++ {
			runes[i], runes[i+1] = runes[i+1], runes[i]
			look(string(runes))
			runes[i], runes[i+1] = runes[i+1], runes[i]
		}
	}
	best.cut()
	s.relatives = best.list
	return best.list
}

// shortlist holds the best relatives of a word while others come by: thousands of
// words may begin as it does.
type shortlist struct {
	*vocabulary
	list []relative
	last relative // the last of the best when the list was cut; what comes behind it is not kept
}

// take adds a word if it may stand for a term and be among the best.
func (l *shortlist) take(t *term, id uint32) {
	w := &l.words[id]
	other := term{text: w.text, class: w.class, common: len(w.names) >= manyNames}
	r := relative{id, alike(t, &other)}
	if r.sim == 0 || l.last.sim > 0 && l.order(r, l.last) > 0 {
		return
	}
	if len(l.list) == 4*maxRelatives {
		l.cut()
		l.last = l.list[maxRelatives-1]
	}
	l.list = append(l.list, r)
}

func (l *shortlist) has(id uint32) bool {
	return slices.ContainsFunc(l.list, func(r relative) bool { return r.id == id })
}

// cut keeps the best, in their order.
func (l *shortlist) cut() {
	slices.SortFunc(l.list, l.order)
	l.list = l.list[:min(len(l.list), maxRelatives)]
}

// order is that of the relatives of one word, the best first.
func (v *vocabulary) order(a, b relative) int {
	return cmp.Or(cmp.Compare(b.sim, a.sim), strings.Compare(v.words[a.id].text, v.words[b.id].text))
}

// sharing finds the words with so many of a word's trigrams that they may be a
// slip of the pen away, which spoils three for each letter, or begin with it, which
// spoils the last.
func (v *vocabulary) sharing(word string, s *search) []uint32 {
	s.grams = gramsOf(word, s.grams[:0])
	s.shared = grow(s.shared, len(v.words))
	touched := s.touched[:0]
	for _, g := range s.grams {
		list := v.grams[g]
		if len(list) > s.gramsLeft {
			break
		}
		s.gramsLeft -= len(list)
		for _, id := range list {
			if s.shared[id] == 0 {
				touched = append(touched, id)
			}
			s.shared[id]++
		}
	}
	need := max(2, len(s.grams)-max(1, 3*slips(utf8.RuneCountInString(word))))
	kept := touched[:0]
	for _, id := range touched {
		if int(s.shared[id]) >= need {
			kept = append(kept, id)
		}
		s.shared[id] = 0
	}
	s.touched = touched
	return kept
}

// grow makes room for n numbers, all of them zero.
func grow[T any](s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	return make([]T, n+n/8)
}
