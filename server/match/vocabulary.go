package match

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// vocabulary has each word of the names once, and finds words similar to a word by the
// trigrams that they share.
type vocabulary struct {
	ids      map[string]uint32
	words    []interned
	free     []uint32             // ids without a word
	trigrams map[trigram][]uint32 // ids of the words that have it, ascending
	heads    map[rune][]uint32    // ids of the plain words that begin with the letter, ascending
	initials map[string][]uint32  // slots of the names with adjacent words that begin with these letters, ascending
}

type interned struct {
	text  string
	class class
	names []uint32 // slots of the names that have the word, ascending
	leads int      // names that begin with it
}

// trigram is three runes in a row, 21 bits each.
type trigram uint64

const (
	trigramMask  = 1<<63 - 1
	boundary     = 1 // the rune before and after a word
	minTrigramed = 4 // runes of the shortest word that is indexed by trigrams
)

func newVocabulary() *vocabulary {
	return &vocabulary{ids: map[string]uint32{}, trigrams: map[trigram][]uint32{}, heads: map[rune][]uint32{}, initials: map[string][]uint32{}}
}

// find returns what is known of a word, which may be in no name.
func (v *vocabulary) find(word string) *interned {
	if id, ok := v.ids[word]; ok {
		return &v.words[id]
	}
	return &interned{text: word, class: classify(word)}
}

// isMaker reports whether a word seems to be a maker: most names that have it begin with it.
func (w *interned) isMaker() bool {
	return w.class.kind == plain && len(w.names) >= commonNames && 2*w.leads >= len(w.names)
}

// add records that a name has the word, and returns the word's id.
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
	if head, ok := headOf(word); ok {
		v.heads[head] = insert(v.heads[head], id)
	}
	if hasTrigrams(word) {
		for _, g := range trigramsOf(word, nil) {
			v.trigrams[g] = insert(v.trigrams[g], id)
		}
	}
	return id
}

// drop records that a name no longer has the word, and removes the word with its last
// name.
func (v *vocabulary) drop(id, slot uint32) {
	w := &v.words[id]
	if w.names = remove(w.names, slot); len(w.names) > 0 {
		return
	}
	if hasTrigrams(w.text) {
		for _, g := range trigramsOf(w.text, nil) {
			removeFrom(v.trigrams, g, id)
		}
	}
	if head, ok := headOf(w.text); ok {
		removeFrom(v.heads, head, id)
	}
	delete(v.ids, w.text)
	*w = interned{}
	v.free = append(v.free, id)
}

// hasTrigrams reports whether a word is indexed by its trigrams. Shorter words may have
// no typos, and those that abbreviate a word are looked up by their text.
func hasTrigrams(word string) bool { return utf8.RuneCountInString(word) >= minTrigramed }

// trigramsOf appends each trigram of a word once.
func trigramsOf(word string, out []trigram) []trigram {
	g := trigram(boundary)
	put := func(r rune) {
		g = (g<<21 | trigram(r)) & trigramMask
		if g>>42 != 0 && !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	for _, r := range word {
		put(r)
	}
	put(boundary)
	return out
}

// insert inserts a number into an ascending list, once.
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

// removeFrom removes a number from the ascending list of a key, and the list with its last.
func removeFrom[K comparable](lists map[K][]uint32, key K, n uint32) {
	if lists[key] = remove(lists[key], n); len(lists[key]) == 0 {
		delete(lists, key)
	}
}

// headOf returns the first letter of a word, and reports whether the word may be an
// abbreviation or abbreviated: whether it has no digits.
func headOf(word string) (rune, bool) {
	head, _ := utf8.DecodeRuneInString(word)
	return head, !strings.ContainsAny(word, "0123456789%")
}

// similarWord is a word with its similarity to another one.
type similarWord struct {
	id  uint32
	sim float64
}

// maxSimilar bounds the words that are considered for one word of the query.
const maxSimilar = 32

// similar returns the words most similar to a term: itself, words that share trigrams
// with it, its beginnings, and the term with two letters swapped.
func (v *vocabulary) similar(t *term, s *search) []similarWord {
	best := shortlist{vocabulary: v, list: s.similar[:0]}
	if t.class.kind != digits {
		for _, id := range v.sharingTrigrams(t.text, s) { // each of them once
			best.add(t, id)
		}
	}
	best.keepBest()
	addText := func(word string) {
		if id, ok := v.ids[word]; ok && !best.has(id) {
			best.add(t, id)
		}
	}
	addText(t.text)
	for i := range t.text {
		if i >= 3 {
			addText(t.text[:i])
		}
	}
	if t.class.kind == plain {
		runes := []rune(t.text)
		for i := 1; i+1 < len(runes); i++ {
			runes[i], runes[i+1] = runes[i+1], runes[i]
			addText(string(runes))
			runes[i], runes[i+1] = runes[i+1], runes[i]
		}
	}
	best.keepBest()
	s.similar = best.list
	return best.list
}

// shortlist collects the words most similar to a term. It is bounded, because thousands
// of words may have the same beginning.
type shortlist struct {
	*vocabulary
	list []similarWord
	last similarWord // the last of the best words when the list was last cut; later ones are dropped
}

// add adds a word if it may be among the best.
func (l *shortlist) add(t *term, id uint32) {
	w := &l.words[id]
	other := term{text: w.text, class: w.class, common: len(w.names) >= commonNames}
	r := similarWord{id, wordSimilarity(t, &other)}
	if r.sim == 0 || l.last.sim > 0 && l.order(r, l.last) > 0 {
		return
	}
	if len(l.list) == 4*maxSimilar {
		l.keepBest()
		l.last = l.list[maxSimilar-1]
	}
	l.list = append(l.list, r)
}

func (l *shortlist) has(id uint32) bool {
	return slices.ContainsFunc(l.list, func(r similarWord) bool { return r.id == id })
}

// keepBest sorts the list and keeps the maxSimilar best words.
func (l *shortlist) keepBest() {
	slices.SortFunc(l.list, l.order)
	l.list = l.list[:min(len(l.list), maxSimilar)]
}

// order compares two words by their similarity, the best first.
func (v *vocabulary) order(a, b similarWord) int {
	return cmp.Or(cmp.Compare(b.sim, a.sim), strings.Compare(v.words[a.id].text, v.words[b.id].text))
}

// sharingTrigrams returns the words that share enough trigrams with a word to differ by
// typos, each of which changes three trigrams, or to begin with it, which changes the
// last one.
func (v *vocabulary) sharingTrigrams(word string, s *search) []uint32 {
	s.trigrams = trigramsOf(word, s.trigrams[:0])
	s.shared = grow(s.shared, len(v.words))
	touched := s.touched[:0]
	for _, g := range s.trigrams {
		list := v.trigrams[g]
		if len(list) > s.trigramsLeft {
			break
		}
		s.trigramsLeft -= len(list)
		for _, id := range list {
			if s.shared[id] == 0 {
				touched = append(touched, id)
			}
			s.shared[id]++
		}
	}
	need := max(2, len(s.trigrams)-max(1, 3*maxTypos(utf8.RuneCountInString(word))))
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

// grow returns s with at least n elements; new ones are zero.
func grow[T any](s []T, n int) []T {
	if len(s) >= n {
		return s
	}
	return make([]T, n+n/8)
}
