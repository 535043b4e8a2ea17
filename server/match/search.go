package match

import (
	"cmp"
	"slices"
	"strings"
)

const (
	maxScored = 150       // names that are compared word by word
	maxGrams  = 200_000   // entries of trigram lists that are read
	maxNames  = 1_000_000 // entries of lists of names that are read
)

// search is one look for a name, and the memory for it, which the next one reuses.
type search struct {
	comparer
	query side
	item  side
	known uint64 // the words of the query that the inventory has, but for slips

	gramsLeft int // how much may still be read, of maxGrams
	namesLeft int // and of maxNames
	grams     []gram
	shared    []uint8 // by word, all 0 between two uses
	touched   []uint32
	relatives []relative
	leads     []lead
	sums      []float32 // by slot, all 0 between two uses
	slots     []uint32
	ranked    []ranked
	floor     float32 // what is less is not among the best
}

// lead is a word that names like the query may have.
type lead struct {
	word   uint32
	weight float64
}

// ranked is a name with an estimate of its score.
type ranked struct {
	slot uint32
	rank float32
}

// candidate is an item with its name that is most like the query.
type candidate struct {
	entry *entry
	comparison
}

// run finds the items with names like the query, the best first.
func (s *search) run(x *Index, n name) []candidate {
	s.query = *x.side(n)
	s.gramsLeft, s.namesLeft = maxGrams, maxNames
	s.follow(x)
	s.rank(x)

	best := make(map[*stored]int, len(s.ranked))
	out := make([]candidate, 0, len(s.ranked))
	weights := slices.Clone(s.query.terms)
	for _, r := range s.ranked {
		e := &x.names[r.slot]
		s.item.sizes, s.item.terms = e.sizes, s.item.terms[:0]
		for _, id := range e.words {
			w := &x.words.words[id]
			s.item.terms = append(s.item.terms, weigh(w.text, w.class, len(w.names), x.len()))
		}
		copy(s.query.terms, weights)
		c := candidate{entry: e, comparison: s.compare(&s.query, &s.item)}
		if at, ok := best[e.item]; !ok {
			best[e.item] = len(out)
			out = append(out, c)
		} else if c.score > out[at].score {
			out[at] = c
		}
	}
	slices.SortFunc(out, func(a, b candidate) int {
		if by := cmp.Compare(b.score, a.score); by != 0 {
			return by
		}
		return strings.Compare(a.entry.item.ID, b.entry.item.ID)
	})
	return out
}

// follow gathers the leads of the query's words: their relatives, and what two of
// them are when written as one, or one when written as two.
func (s *search) follow(x *Index) {
	s.leads, s.known = s.leads[:0], 0
	terms := s.query.terms
	for i := range terms {
		t := &terms[i]
		for _, r := range x.words.relatives(t, s) {
			s.leads = append(s.leads, lead{r.id, r.sim * t.weight})
			if r.sim >= sure {
				s.known |= 1 << i
			}
		}
		if i+1 < len(terms) {
			if id, ok := x.words.ids[t.text+terms[i+1].text]; ok {
				s.leads = append(s.leads, lead{id, t.weight + terms[i+1].weight})
			}
		}
		for at := range t.text {
			if !splits(t.text, at) {
				continue
			}
			first, ok := x.words.ids[t.text[:at]]
			second, both := x.words.ids[t.text[at:]]
			if ok && both {
				s.leads = append(s.leads, lead{first, t.weight / 2}, lead{second, t.weight / 2})
			}
		}
	}
}

// splits says that two words may have been written as one at a place: of two letters
// and more, or a number and a word.
func splits(s string, at int) bool {
	return at >= 2 && at <= len(s)-2 || at > 0 && isDigit(s[at-1]) != isDigit(s[at])
}

// rank adds the leads up for each name, the rarest words first and within the
// bounds of work, and keeps the best.
func (s *search) rank(x *Index) {
	df := func(l lead) int { return len(x.words.words[l.word].names) }
	slices.SortStableFunc(s.leads, func(a, b lead) int { return cmp.Compare(df(a), df(b)) })
	s.sums = grow(s.sums, len(x.names))
	s.slots = s.slots[:0]
	for _, l := range s.leads {
		if df(l) > s.namesLeft {
			break
		}
		s.namesLeft -= df(l)
		for _, slot := range x.words.words[l.word].names {
			if s.sums[slot] == 0 {
				s.slots = append(s.slots, slot)
			}
			s.sums[slot] += float32(l.weight)
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
		s.keep(x, ranked{slot, s.sums[slot] / float32(all)})
		s.sums[slot] = 0
	}
	s.cut(x)
}

// keep adds to the ranked names, which it cuts back when they are too many.
func (s *search) keep(x *Index, r ranked) {
	if r.rank < s.floor {
		return
	}
	if len(s.ranked) == 4*maxScored {
		s.cut(x)
		s.floor = s.ranked[maxScored-1].rank
	}
	s.ranked = append(s.ranked, r)
}

// cut keeps the best of the ranked names.
func (s *search) cut(x *Index) {
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
