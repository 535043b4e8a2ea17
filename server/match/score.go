package match

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// The weights and factors of the score. TestPairs shows how good they are.
const (
	bestShare    = 0.5  // share of the better matched name in the score; the rest is the geometric mean of both
	sizeWeight   = 4.0  // weight of a size that both names have; a word weighs about six
	sizeMissing  = 3.0  // weight of a size that one name has
	modelMatched = 6.0  // factor for the weight of a model number that both names have
	modelMissing = 0.8  // factor for the weight of one that the other name lacks: shops have their own numbers
	newWord      = 0.4  // factor for the weight of an unmatched word that no name of the inventory has
	otherOrder   = 0.95 // factor for the same words in another order, or without a size: only equal names score 1
	otherWords   = 0.9  // factor for names with other words
	otherSize    = 0.5  // factor if sizes conflict
	lackedSize   = 0.95 // factor if only one name has a size of some dimension
	otherModel   = 0.5  // factor if both names have model numbers, and none in common
	otherNumber  = 0.8  // factor if each name has numbers or letters that the other one lacks
	lackedNumber = 0.95 // factor if only one name has such a number or letter
	otherColour  = 0.6  // factor if each name has a colour that the other one lacks
	lackedColour = 0.95 // factor if only one name has such a colour
	otherMaker   = 0.7  // factor if each name has a maker that the other one lacks
	otherVariety = 0.85 // factor if one name has the word of a variety that the other one lacks
)

// Names that share rare words are more alike than names that share as many common ones,
// which all goods of a kind have. This makes scores of different kinds of goods
// comparable: the score is raised to the power of typicalWeight divided by the mean weight
// of the matched words, within limits.
const (
	typicalWeight = 4.5 // of a matched word of the inventory
	leastPower    = 0.4
	mostPower     = 1.5
)

// side is one of two names that are compared.
type side struct {
	properties
	terms []term
	sims  [maxWords]float64 // similarity of each word to its match; 0 if it has none
	empty bool              // the inventory is empty: words have their prior weights
}

// comparison is the result of comparing two names.
type comparison struct {
	sizeComparison

	score float64
	exact bool // the same words in the same order, and the same sizes
	full  bool // the same words and sizes

	matched   uint64  // the words of the left name that are matched, one bit each
	words     int     // the number of matched words
	worst     float64 // the least similarity of a matched word
	left      float64 // matched share of the left name's words, by their counts
	leftSized float64 // matched share of the left name's words and sizes
	right     float64 // matched share of the right name's words and sizes
	leftOver  float64 // unmatched words of the left name, by their counts
	rightOver float64 // unmatched words of the right name, by their counts
	model     bool    // both have the same model number, or variants of it, and not both another one
	siblings  bool    // both have similar model numbers of different products
	colour    bool    // each has a colour that the other one lacks
	ordinal   bool    // each has a letter, a number or a code that the other one lacks
	maker     bool    // each has a maker that the other one lacks
	variety   bool    // one has the word of a variety that the other one lacks, or their systems differ
	swapped   bool    // both have the same numbers in another order
}

// comparer compares names; it reuses its buffer.
type comparer struct {
	links []link
}

// compare matches the words and the sizes of two names. It changes the weights of their
// words.
func (c *comparer) compare(a, b *side) comparison {
	c.match(a, b)
	l, r := a.totals(), b.totals()
	out := comparison{sizeComparison: compareSizes(a.sizes, b.sizes), matched: l.mask, words: bits.OnesCount64(l.mask), worst: l.worst}
	agree := float64(out.agree)
	left := l.total + agree*sizeWeight + float64(out.onlyLeft)*sizeMissing
	right := r.total + agree*sizeWeight + float64(out.onlyRight)*sizeMissing
	if left == 0 || right == 0 {
		return out
	}

	systemsDiffer := a.systems.differ(b.systems)
	sized := !out.conflict && out.onlyLeft+out.onlyRight == 0 && !systemsDiffer
	ordered := slices.EqualFunc(a.terms, b.terms, func(x, y term) bool { return x.text == y.text })
	out.exact = sized && ordered
	out.full = sized && l.full && r.full
	out.left, out.leftOver = share(l.count, l.counts)
	out.leftSized, _ = share(l.count+agree, l.counts+agree)
	out.right, out.rightOver = share(r.count+agree, r.counts+agree)
	out.model = (l.model || r.model) && (!l.otherModel || !r.otherModel)
	out.siblings = l.sibling || r.sibling
	out.colour = l.lacking[colour] && r.lacking[colour]
	out.ordinal = l.lacking[ordinal] && r.lacking[ordinal]
	out.maker = l.lackingMaker && r.lackingMaker
	out.variety = l.lacking[variety] || r.lacking[variety] || systemsDiffer
	out.swapped = swapped(a, b)

	p, q := (l.matched+agree*sizeWeight)/left, (r.matched+agree*sizeWeight)/right
	out.score = bestShare*max(p, q) + (1-bestShare)*math.Sqrt(p*q)
	out.score *= differences(&l, &r)
	if systemsDiffer {
		out.score *= otherVariety
	}
	if mean := (l.matched + r.matched) / float64(max(1, l.pairs+r.pairs)); mean > 0 && !out.exact && !a.empty {
		out.score = math.Pow(out.score, min(mostPower, max(leastPower, typicalWeight/mean)))
	}
	out.lower(ordered, l.models > 0 && r.models > 0 && !l.anyModel && !r.anyModel)
	return out
}

// differences returns the factor for the traits and makers that only one or each of two
// names has.
func differences(l, r *totals) float64 {
	factor := 1.0
	differ := func(t trait, each, one float64) {
		switch {
		case l.lacking[t] && r.lacking[t]:
			factor *= each
		case l.lacking[t] || r.lacking[t]:
			factor *= one
		}
	}
	differ(colour, otherColour, lackedColour)
	differ(variety, otherVariety, otherVariety)
	differ(ordinal, otherNumber, lackedNumber)
	if l.lackingMaker && r.lackingMaker {
		factor *= otherMaker
	}
	return factor
}

// lower lowers the score by the differences of the names: whether their words are in the
// same order, and whether both have model numbers but none in common.
func (c *comparison) lower(ordered, modelsDiffer bool) {
	switch {
	case c.exact:
	case c.full, ordered:
		c.score *= otherOrder
	default:
		c.score *= otherWords
	}
	switch {
	case c.conflict:
		c.score *= otherSize
	case c.onlyLeft+c.onlyRight > 0:
		c.score *= lackedSize
	}
	if modelsDiffer {
		c.score *= otherModel
	}
}

// swapped reports whether the numbers that two names share are in another order:
// trousers of 32/34 are not those of 34/32.
func swapped(a, b *side) bool {
	j := 0
	for i := range a.terms {
		if a.terms[i].class.kind != digits || a.sims[i] < 1 {
			continue
		}
		for b.terms[j].class.kind != digits || b.sims[j] < 1 {
			j++ // there are as many of them on both sides
		}
		if a.terms[i].text != b.terms[j].text {
			return true
		}
		j++
	}
	return false
}

// share returns part as a share of all, which is 1 if all is 0, and the rest.
func share(part, all float64) (of, over float64) {
	if all == 0 {
		return 1, 0
	}
	return part / all, all - part
}

// totals sums up the matches of one side.
type totals struct {
	matched, total float64      // weights of matched words, and of all words
	pairs          int          // matched words
	count, counts  float64      // counts of matched words, and of all words
	mask           uint64       // matched words, one bit each
	worst          float64      // the least similarity of a matched word
	full           bool         // all words are matched, apart from typos
	models         int          // model numbers
	anyModel       bool         // a model number is matched
	otherModel     bool         // a model number is not matched
	model          bool         // a model number is matched by itself or a variant
	sibling        bool         // a model number is matched by one of a different product
	lacking        [traits]bool // the traits of unmatched words
	lackingMaker   bool         // a maker is not matched
}

func (s *side) totals() totals {
	out := totals{worst: 1, full: true}
	for i := range s.terms {
		t, sim := &s.terms[i], s.sims[i]
		weight := t.weight
		if t.class.kind == model {
			out.models++
			if sim > 0 {
				weight *= modelMatched
				out.anyModel = true
				out.model = out.model || sim >= variant
				out.sibling = out.sibling || sim < variant
			} else {
				weight *= modelMissing
				out.otherModel = true
			}
		}
		if sim > 0 {
			out.pairs++
		} else if t.unknown {
			weight *= newWord
		}
		out.matched += sim * weight
		out.total += weight
		out.counts += t.class.count
		out.full = out.full && (sim >= sameWord || t.class.count == 0)
		if sim >= abbreviated {
			out.count += t.class.count * sim
			out.mask |= 1 << i
			out.worst = min(out.worst, sim)
			continue
		}
		out.lacking[t.class.trait] = true
		out.lackingMaker = out.lackingMaker || t.maker
		out.sibling = out.sibling || i > 0 && modelTails[t.text] && s.terms[i-1].class.kind == model && s.sims[i-1] > 0
	}
	return out
}

// absence tells what a product is without: the words after a negation, one bit each. Only the
// first of them is surely absent: without sugar, 1 l; but without added sugar.
type absence struct {
	first, all uint64
}

// absenceOf returns the absence in a name, whose negations end at words such as with.
func absenceOf(words []string) (out absence) {
	negated := false
	for i, word := range words {
		switch {
		case negations[word]:
			negated = true
			out.first |= 1 << (i + 1)
		case affirmations[word]:
			negated = false
			out.first &^= 1 << i
		case negated:
			out.all |= 1 << i
		}
	}
	return out
}

// opposes reports whether one product has what the other one is without, by the places in both
// names of words that mean the same, one bit each. They may include the negation: nn, no name.
func (a absence) opposes(words uint64, b absence, others uint64) bool {
	return a.first&words&^(words<<1) != 0 && b.all&others == 0 || b.first&others&^(others<<1) != 0 && a.all&words == 0
}

// link matches one or two words of the left name with one or two of the right name.
type link struct {
	i, j   int // the first word of each
	ni, nj int // the number of words
	sim    float64
}

// match matches the words of two names greedily, the most similar ones first.
func (c *comparer) match(a, b *side) {
	clear(a.sims[:len(a.terms)])
	clear(b.sims[:len(b.terms)])
	for i := range a.terms {
		for j := range b.terms {
			if b.sims[j] == 0 && a.terms[i].text == b.terms[j].text && !a.without.opposes(mask(i, 1), b.without, mask(j, 1)) {
				a.sims[i], b.sims[j] = 1, 1
				break
			}
		}
	}
	c.links = c.links[:0]
	for i := range a.terms {
		if a.sims[i] > 0 {
			continue
		}
		for j := range b.terms {
			if b.sims[j] > 0 || a.without.opposes(mask(i, 1), b.without, mask(j, 1)) {
				continue
			}
			c.add(link{i, j, 1, 1, wordSimilarity(&a.terms[i], &b.terms[j])})
			if i+1 < len(a.terms) && a.sims[i+1] == 0 {
				c.add(link{i, j, 2, 1, compoundSimilarity(&a.terms[i], &a.terms[i+1], &b.terms[j])})
			}
			if j+1 < len(b.terms) && b.sims[j+1] == 0 {
				c.add(link{i, j, 1, 2, compoundSimilarity(&b.terms[j], &b.terms[j+1], &a.terms[i])})
			}
		}
	}
	slices.SortFunc(c.links, func(p, q link) int { return p.compare(q, a, b) })
	for _, l := range c.links {
		l.apply(a, b)
	}
}

func (c *comparer) add(l link) {
	if l.sim > 0 {
		c.links = append(c.links, l)
	}
}

// compare orders links. The order does not depend on which name is the left one.
func (l link) compare(other link, a, b *side) int {
	if by := cmp.Compare(other.sim, l.sim); by != 0 {
		return by
	}
	p, q := a.terms[l.i].text, b.terms[l.j].text
	r, s := a.terms[other.i].text, b.terms[other.j].text
	return cmp.Or(strings.Compare(min(p, q), min(r, s)), strings.Compare(max(p, q), max(r, s)), cmp.Compare(l.ni+l.nj, other.ni+other.nj))
}

// apply matches the words of the link unless one of them is matched already. A word and
// its typo get the lower weight of both, because a typo is a rare word.
func (l link) apply(a, b *side) {
	for k := range l.ni {
		if a.sims[l.i+k] > 0 {
			return
		}
	}
	for k := range l.nj {
		if b.sims[l.j+k] > 0 {
			return
		}
	}
	for k := range l.ni {
		a.sims[l.i+k] = l.sim
	}
	for k := range l.nj {
		b.sims[l.j+k] = l.sim
	}
	if l.ni == 1 && l.nj == 1 {
		w := min(a.terms[l.i].weight, b.terms[l.j].weight)
		a.terms[l.i].weight, b.terms[l.j].weight = w, w
	}
}

// compoundSimilarity returns the similarity of two adjacent words to a third one: cush
// top, cushtop.
func compoundSimilarity(first, second, whole *term) float64 {
	rest, ok := strings.CutPrefix(whole.text, first.text)
	switch {
	case !ok || rest == "" || len(whole.text) < 5 && whole.class.kind != code:
		return 0
	case rest == second.text:
		return joined
	case whole.class.kind != model:
		return 0
	}
	both := first.text + second.text
	if !strings.HasPrefix(rest, second.text) && !strings.HasPrefix(both, whole.text) {
		return 0
	}
	t := term{text: both, class: classify(both)}
	return wordSimilarity(&t, whole)
}

// side returns a name with the weights that its words have in this inventory.
func (x *Index) side(n name) *side {
	s := &side{properties: n.properties, terms: make([]term, len(n.words)), empty: x.nameCount() == 0}
	for i, w := range n.words {
		s.terms[i] = newTerm(x.words.find(w), x.nameCount())
	}
	return s
}
