package match

import (
	"cmp"
	"slices"
	"strings"
)

const (
	maxScored       = 150       // names that are compared word by word
	maxTrigramReads = 200_000   // entries of trigram lists that are read
	maxNameReads    = 1_000_000 // entries of lists of names that are read
)

// search is one search for a name, with buffers that later searches reuse.
type search struct {
	comparer
	query side
	left  side // the query, with weights that a comparison changes
	item  side
	known uint64 // the words of the query that the inventory has, as they are or longer, apart from typos; one bit each

	trigramsLeft int // of maxTrigramReads
	namesLeft    int // of maxNameReads
	trigrams     []trigram
	shared       []uint8 // by word, all 0 between two uses
	touched      []uint32
	similar      []similarWord
	expansions   []expansion
	sums         []float32 // by slot, all 0 between two uses
	slots        []uint32
	ranked       []ranked
	floor        float32 // names with a lower rank are not among the best
}

// expansion is a word of the inventory that names similar to the query may have, with
// its weight in the query.
type expansion struct {
	word   uint32
	weight float64
}

// ranked is a name with an estimate of its score.
type ranked struct {
	slot uint32
	rank float32
}

// candidate is an item with its name that is most similar to the query.
type candidate struct {
	entry *entry
	comparison
	printed bool // the name is that of the item, shortened
}

// run returns the items with names similar to the query, the best first.
func (s *search) run(x *Index, n name) []candidate {
	s.query = *x.side(n)
	s.trigramsLeft, s.namesLeft = maxTrigramReads, maxNameReads
	s.expand(x)
	s.rank(x)

	best := make(map[*stored]int, len(s.ranked))
	out := make([]candidate, 0, len(s.ranked))
	for _, r := range s.ranked {
		e := &x.names[r.slot]
		c := s.candidate(x, e)
		if at, ok := best[e.item]; !ok {
			best[e.item] = len(out)
			out = append(out, c)
		} else if c.score > out[at].score {
			out[at] = c
		}
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.entry.item.ID, b.entry.item.ID))
	})
	return out
}

// candidate compares the query with a name of the inventory.
func (s *search) candidate(x *Index, e *entry) candidate {
	s.left = side{terms: append(s.left.terms[:0], s.query.terms...), properties: s.query.properties, empty: s.query.empty}
	s.item.properties, s.item.terms = e.properties, s.item.terms[:0]
	for _, id := range e.words {
		s.item.terms = append(s.item.terms, newTerm(&x.words.words[id], x.nameCount()))
	}
	return candidate{entry: e, comparison: s.compare(&s.left, &s.item)}
}

// expand collects the expansions of the query: words similar to its words, two of its
// words written as one, and one written as two.
func (s *search) expand(x *Index) {
	s.expansions, s.known = s.expansions[:0], 0
	terms := s.query.terms
	for i := range terms {
		t := &terms[i]
		for _, w := range x.words.similar(t, s) {
			s.expansions = append(s.expansions, expansion{w.id, w.sim * t.weight})
			if w.sim >= sameWord || w.sim >= abbreviated && len(x.words.words[w.id].text) > len(t.text) {
				s.known |= 1 << i
			}
		}
		if i+1 < len(terms) {
			if id, ok := x.words.ids[t.text+terms[i+1].text]; ok {
				s.expansions = append(s.expansions, expansion{id, t.weight + terms[i+1].weight})
			}
		}
		for at := range t.text {
			if !isSplitPoint(t.text, at) {
				continue
			}
			first, ok := x.words.ids[t.text[:at]]
			second, both := x.words.ids[t.text[at:]]
			if ok && both {
				s.expansions = append(s.expansions, expansion{first, t.weight / 2}, expansion{second, t.weight / 2})
			}
		}
	}
}

// isSplitPoint reports whether s may be two words, split at a position: both have at
// least two letters, or one is a number.
func isSplitPoint(s string, at int) bool {
	return at >= 2 && at <= len(s)-2 || at > 0 && isDigit(s[at-1]) != isDigit(s[at])
}

// rank sums the weights of the expansions for each name, the rarest words first and
// within maxNameReads, and keeps the best names.
func (s *search) rank(x *Index) {
	df := func(e expansion) int { return len(x.words.words[e.word].names) }
	slices.SortStableFunc(s.expansions, func(a, b expansion) int { return cmp.Compare(df(a), df(b)) })
	s.sums = grow(s.sums, len(x.names))
	s.slots = s.slots[:0]
	for _, e := range s.expansions {
		if df(e) > s.namesLeft {
			break
		}
		s.namesLeft -= df(e)
		for _, slot := range x.words.words[e.word].names {
			if s.sums[slot] == 0 {
				s.slots = append(s.slots, slot)
			}
			s.sums[slot] += float32(e.weight)
		}
	}

	total := 0.0
	for _, t := range s.query.terms {
		total += t.weight
	}
	mean := total / float64(max(len(s.query.terms), 1))
	s.ranked, s.floor = s.ranked[:0], 0
	for _, slot := range s.slots {
		all := total + mean*float64(len(x.names[slot].words))
		s.addRanked(x, ranked{slot, s.sums[slot] / float32(all)})
		s.sums[slot] = 0
	}
	s.keepBest(x)
}

// addRanked adds a ranked name, and drops the worst ones if there are too many.
func (s *search) addRanked(x *Index, r ranked) {
	if r.rank < s.floor {
		return
	}
	if len(s.ranked) == 4*maxScored {
		s.keepBest(x)
		s.floor = s.ranked[maxScored-1].rank
	}
	s.ranked = append(s.ranked, r)
}

// keepBest keeps the maxScored best of the ranked names.
func (s *search) keepBest(x *Index) {
	slices.SortFunc(s.ranked, func(a, b ranked) int {
		if by := cmp.Compare(b.rank, a.rank); by != 0 {
			return by
		}
		m, n := &x.names[a.slot], &x.names[b.slot]
		if by := strings.Compare(m.item.ID, n.item.ID); by != 0 {
			return by
		}
		return strings.Compare(m.text, n.text)
	})
	s.ranked = s.ranked[:min(len(s.ranked), maxScored)]
}
