package match

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// What the score is made of.
const (
	bestShare    = 0.5  // the share of the better matched name in the score; the rest is of both
	almost       = 0.95 // of the same words in another order, or without a size: only one name scores 1
	different    = 0.9  // of other words, too: they must not come near the same words
	sizeWeight   = 4.0  // of a size that both names give, where a word weighs about six
	sizeMissing  = 2.0  // of a size that one gives
	modelMatched = 4.0  // times a model number weighs more when both names have it
	modelMissing = 0.5  // times when one lacks it: shops have numbers of their own
	otherSize    = 0.5  // is left of the score when sizes conflict,
	otherModel   = 0.5  // when both names have model numbers and none in common,
	otherNumber  = 0.8  // and when both have numbers or letters that the other one lacks
)

// side is one of two names while they are compared.
type side struct {
	terms []term
	sizes []size
	sims  [maxWords]float64 // how well each word is matched; 0: not at all
}

// comparison is what two names have in common.
type comparison struct {
	accord

	score float64
	exact bool // the same words in the same order, and the same sizes
	full  bool // the same words and sizes

	matched   uint64  // the words of the left name that the right one has, by position
	words     int     // how many these are
	worst     float64 // how well the worst of them is matched
	left      float64 // the share of the left name's words that is matched, as they count
	leftSized float64 // the same of its words and sizes
	right     float64 // and of the right name's
	leftOver  float64 // what of the left name's words is not matched
	rightOver float64
	model     bool // they have a model number in common
	cousins   bool // they have model numbers that are but cousins
	colour    bool // each has a colour that the other lacks,
	ordinal   bool // or a letter, a number or a code
	variety   bool // one has the word of a variety that the other lacks
	swapped   bool // they have the same numbers in another order
}

// comparer compares names; it keeps its memory from one to the next.
type comparer struct {
	links []link
}

// compare matches the words and the sizes of two names. It leaves the weights of
// their words changed.
func (c *comparer) compare(a, b *side) comparison {
	c.match(a, b)
	l, r := a.tally(), b.tally()
	out := comparison{accord: accordOf(a.sizes, b.sizes), matched: l.mask, words: bits.OnesCount64(l.mask), worst: l.worst}
	agree := float64(out.agree)
	left := l.total + agree*sizeWeight + float64(out.onlyLeft)*sizeMissing
	right := r.total + agree*sizeWeight + float64(out.onlyRight)*sizeMissing
	if left == 0 || right == 0 {
		return out
	}

	sized := !out.conflict && out.onlyLeft+out.onlyRight == 0
	ordered := slices.EqualFunc(a.terms, b.terms, func(x, y term) bool { return x.text == y.text })
	out.exact = sized && ordered
	out.full = sized && l.full && r.full
	out.left, out.leftOver = share(l.count, l.counts)
	out.leftSized, _ = share(l.count+agree, l.counts+agree)
	out.right, out.rightOver = share(r.count+agree, r.counts+agree)
	out.model = l.model || r.model
	out.cousins = l.cousin || r.cousin
	out.colour = l.lacking[colour] && r.lacking[colour]
	out.ordinal = l.lacking[ordinal] && r.lacking[ordinal]
	out.variety = l.lacking[variety] || r.lacking[variety]
	out.swapped = swapped(a, b)

	p, q := (l.matched+agree*sizeWeight)/left, (r.matched+agree*sizeWeight)/right
	out.score = bestShare*max(p, q) + (1-bestShare)*math.Sqrt(p*q)
	switch {
	case out.exact:
	case out.full, ordered:
		out.score *= almost
	default:
		out.score *= different
	}
	if out.conflict {
		out.score *= otherSize
	}
	if l.models > 0 && r.models > 0 && !l.anyModel && !r.anyModel {
		out.score *= otherModel
	}
	if out.ordinal {
		out.score *= otherNumber
	}
	return out
}

// swapped says that the numbers that two names share come in another order: trousers
// of 32/34 are not those of 34/32.
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

func share(part, all float64) (of, over float64) {
	if all == 0 {
		return 1, 0
	}
	return part / all, all - part
}

// tally is one side summed up.
type tally struct {
	matched, total float64 // weights
	count, counts  float64 // words that are matched, and all, as they count
	mask           uint64  // of the matched
	worst          float64
	full           bool // all words are matched, but for slips
	models         int
	anyModel       bool         // a model number is matched by one of its kind,
	model          bool         // by itself or a variant,
	cousin         bool         // or by less
	lacking        [traits]bool // the traits of words that are not matched
}

func (s *side) tally() tally {
	out := tally{worst: 1, full: true}
	for i := range s.terms {
		t, sim := &s.terms[i], s.sims[i]
		weight := t.weight
		if t.class.kind == model {
			out.models++
			if sim > 0 {
				weight *= modelMatched
				out.anyModel = true
				out.model = out.model || sim >= variant
				out.cousin = out.cousin || sim < variant
			} else {
				weight *= modelMissing
			}
		}
		out.matched += sim * weight
		out.total += weight
		out.counts += t.class.count
		out.full = out.full && (sim >= sure || t.class.count == 0)
		if sim >= shortcut {
			out.count += t.class.count * sim
			out.mask |= 1 << i
			out.worst = min(out.worst, sim)
			continue
		}
		out.lacking[t.class.trait] = true
		out.cousin = out.cousin || i > 0 && tails[t.text] && s.terms[i-1].class.kind == model && s.sims[i-1] > 0
	}
	return out
}

// link says that one or two words of the left name are one or two of the right.
type link struct {
	i, j   int
	ni, nj int // how many words
	sim    float64
}

// match links the words of two names, the best links first, each word once.
func (c *comparer) match(a, b *side) {
	clear(a.sims[:len(a.terms)])
	clear(b.sims[:len(b.terms)])
	for i := range a.terms {
		for j := range b.terms {
			if b.sims[j] == 0 && a.terms[i].text == b.terms[j].text {
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
			if b.sims[j] > 0 {
				continue
			}
			c.add(link{i, j, 1, 1, alike(&a.terms[i], &b.terms[j])})
			if i+1 < len(a.terms) && a.sims[i+1] == 0 {
				c.add(link{i, j, 2, 1, compound(&a.terms[i], &a.terms[i+1], &b.terms[j])})
			}
			if j+1 < len(b.terms) && b.sims[j+1] == 0 {
				c.add(link{i, j, 1, 2, compound(&b.terms[j], &b.terms[j+1], &a.terms[i])})
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

// compare orders links the same whichever name is the left one.
func (l link) compare(other link, a, b *side) int {
	if by := cmp.Compare(other.sim, l.sim); by != 0 {
		return by
	}
	p, q := a.terms[l.i].text, b.terms[l.j].text
	r, s := a.terms[other.i].text, b.terms[other.j].text
	return cmp.Or(strings.Compare(min(p, q), min(r, s)), strings.Compare(max(p, q), max(r, s)), cmp.Compare(l.ni+l.nj, other.ni+other.nj))
}

// apply takes the link unless one of its words is taken. The slip of a pen is a
// rare word, which must not weigh more than the word that was meant.
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

// compound says how well two words in a row stand for a third: cush top, cushtop.
func compound(first, second, whole *term) float64 {
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
	return alike(&t, whole)
}

// side weighs the words of a name.
func (x *Index) side(n name) *side {
	s := &side{sizes: n.sizes, terms: make([]term, len(n.words))}
	for i, w := range n.words {
		s.terms[i] = weigh(w, classify(w), x.words.df(w), x.len())
	}
	return s
}
