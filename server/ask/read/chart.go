package read

import (
	"context"
	"slices"
	"strings"
	"time"

	"svc/server/ask/link"
	"svc/server/ask/when"
	"svc/server/schema"
)

// item is some words with one meaning: a mention, or what a production made of several.
type item struct {
	span
	cat  string // category: that of a mention, or the sense of a word of function
	s    sketch
	cost float64
	rule string // production; "" of a mention
	of   []*item
}

// Categories of items. A word of function has its sense as its category.
const (
	figureCat = "figure" // names a figure
	nameCat   = "name"   // names a column or a part of time
	valueCat  = "value"  // restricts rows
	timeCat   = "time"   // names days
	numberCat = "number"
	opCat     = "op"          // compares with a number that follows
	afterCat  = "bound after" // compares with a number before it: "or more"
	foldCat   = "fold"
	rankCat   = "superlative"
	groupCat  = "group"
	boundCat  = "bound"
	clauseCat = "clause" // a part of the question by itself
	thingCat  = "thing"  // names what the source does not have
)

// production composes adjacent items into one.
type production struct {
	name    string
	pattern []string // categories; alternatives are joined by |
	makes   string
	cost    float64 // negative: a usual shape
	compose func(c *chart, parts []*item) (sketch, bool)
}

// chart has the items over all spans of a question.
type chart struct {
	x        *lexicon
	tokens   []link.Token
	now      when.Now
	today    time.Time
	mentions []link.Mention
	times    []when.Mention
	starts   [][]*item      // by first token
	skips    [][]int        // by token: the ends of fillers that begin there
	unknown  []skipped      // by token: what it costs to leave it out
	made     int            // items
	nouns    []noun         // that may be what people call the rows, or the values of a column
	agent    *schema.Column // of the people that "who" asks for by its verb
	within   float64        // cost of the mentions that are parts of longer ones
	day      *schema.Column // of the days that are asked about, in a source of which no column has the role

	tail         []link.Token // as of words
	tailMentions []link.Mention
}

// noun is a word for the rows, or for the values of a column, that is assumed from what they are.
type noun struct {
	span
	of      string // what it was taken for, in words
	isName  bool   // it was taken for a column, which a name or a group is
	isVisit bool   // it is for people, and was taken for what they came for
}

// skipped is a token that a reading may leave out.
type skipped struct {
	cost   float64
	silent bool // its loss changes nothing that a person would notice
}

// Bounds of a chart: items of one category over one span, and items in all.
const (
	maxAlike = 4
	maxItems = 6_000
)

// fill makes all items, from the last token to the first: what begins after a token is
// complete when the productions that begin at it are tried. It reports false if there are
// too many. It stops when ctx ends.
func (c *chart) fill(ctx context.Context) bool {
	for from := len(c.tokens) - 1; from >= 0 && ctx.Err() == nil; from-- {
		agenda := c.starts[from]
		c.starts[from] = nil
		for len(agenda) > 0 {
			it := agenda[0]
			agenda = agenda[1:]
			if !c.keep(it) {
				continue
			}
			for i := range productions {
				p := &productions[i]
				if matches(p.pattern[0], it.cat) {
					c.extend(p, []*item{it}, it.cost, &agenda)
				}
			}
		}
	}
	return c.made <= maxItems
}

func matches(pattern, cat string) bool {
	for pattern != "" {
		var one string
		one, pattern, _ = strings.Cut(pattern, "|")
		if one == cat {
			return true
		}
	}
	return false
}

// keep adds an item to the chart; false if enough better ones of the category cover the
// same words.
func (c *chart) keep(it *item) bool {
	alike, worst := 0, -1
	row := c.starts[it.from]
	for i, have := range row {
		if have.to != it.to || have.cat != it.cat {
			continue
		}
		if alike++; worst < 0 || have.cost > row[worst].cost {
			worst = i
		}
	}
	if alike >= maxAlike {
		if row[worst].cost <= it.cost {
			return false
		}
		row[worst] = it
		return true
	}
	if c.made++; c.made > maxItems {
		return false
	}
	c.starts[it.from] = append(row, it)
	return true
}

// extend tries the rest of a production's pattern after its first parts.
func (c *chart) extend(p *production, parts []*item, cost float64, agenda *[]*item) {
	last := parts[len(parts)-1]
	if len(parts) == len(p.pattern) {
		if s, ok := p.compose(c, parts); ok && keepsConditions(parts, s) && keepsPairs(parts, s) {
			*agenda = append(*agenda, &item{
				span: span{parts[0].from, last.to}, cat: p.makes, s: s, cost: cost + p.cost, rule: p.name, of: slices.Clone(parts),
			})
		}
		return
	}
	for _, start := range c.after(last.to) {
		for _, next := range c.starts[start] {
			if matches(p.pattern[len(parts)], next.cat) {
				c.extend(p, append(parts, next), cost+next.cost, agenda)
			}
		}
	}
}

// keepsConditions reports whether what is made of items has the conditions that come with
// their names and figures.
func keepsConditions(parts []*item, s sketch) bool {
	for _, p := range parts {
		for _, f := range p.s.where {
			kept := func(w cond) bool { return w.from <= f.from && f.to <= w.to }
			if p.cat != valueCat && !slices.ContainsFunc(s.where, kept) {
				return false
			}
		}
	}
	return true
}

// keepsPairs reports whether what is made of items has both figures of a share or a ratio.
func keepsPairs(parts []*item, s sketch) bool {
	return !slices.ContainsFunc(parts, func(p *item) bool { return p.s.pair != "" && (s.pair == "" || len(s.figures) < len(p.s.figures)) })
}

// maxGap bounds the fillers between the parts of a production.
const maxGap = 3

// after returns the tokens at which a part may begin that follows one which ends at i: i,
// and those after fillers.
func (c *chart) after(i int) []int {
	out := []int{i}
	for k := 0; k < len(out) && k <= maxGap; k++ {
		if out[k] >= len(c.tokens) {
			continue
		}
		for _, end := range c.skips[out[k]] {
			if !slices.Contains(out, end) {
				out = append(out, end)
			}
		}
	}
	return slices.DeleteFunc(out, func(i int) bool { return i >= len(c.tokens) })
}

// state is a reading of the first words of a question: the one of the words before, and an
// item or a token that is left out. It has what decides which items may follow, and makes the
// whole sketch only at the end, since most states lead to none.
type state struct {
	shape
	cost   float64
	prev   *state
	last   *item // nil: words are left out
	unused int   // the token that is left out and missed, or none
}

// none is no token.
const none = -1

// sketch returns the meaning of the words.
func (st *state) sketch() sketch {
	var path []*state
	for ; st != nil; st = st.prev {
		if st.last != nil || st.unused != none {
			path = append(path, st)
		}
	}
	var s sketch
	for _, st := range slices.Backward(path) {
		if st.last == nil {
			s.unused = join(s.unused, []int{st.unused})
			continue
		}
		s, _ = merge(s, st.last.s) // it did when the state was made
	}
	return s
}

// maxStates bounds the readings that are kept at each token.
const maxStates = 40

// beam has the best states at a token, the best first, of equals the first that came.
type beam []*state

// admits reports whether a state of this cost is among the best so far.
func (b beam) admits(cost float64) bool {
	return len(b) < maxStates || cost < b[maxStates-1].cost
}

// add adds a state if it is among the best so far.
func (b *beam) add(st state) {
	if !b.admits(st.cost) {
		return
	}
	if len(*b) == maxStates {
		*b = (*b)[:maxStates-1]
	}
	i := len(*b)
	for i > 0 && (*b)[i-1].cost > st.cost {
		i--
	}
	kept := new(state)
	*kept = st
	*b = slices.Insert(*b, i, kept)
}

// compose returns the readings of the whole question, the best first. Items beside each
// other merge if they do not contradict; a token that no item uses costs its weight.
func (c *chart) compose() []*state {
	beams := make([]beam, len(c.tokens)+1)
	beams[0] = beam{{unused: none}}
	for i := range c.tokens {
		for _, st := range beams[i] {
			for _, it := range c.starts[i] {
				loose, ok := looseCost[it.cat]
				if !ok {
					loose = looseWord
				}
				cost := st.cost + it.cost + loose
				if loose < 0 || !beams[it.to].admits(cost) {
					continue
				}
				if s, ok := st.shape.merge(it.s.shape); ok {
					beams[it.to].add(state{shape: s, cost: cost, prev: st, last: it, unused: none})
				}
			}
			for _, end := range c.skips[i] {
				beams[end].add(state{shape: st.shape, cost: st.cost, prev: st, unused: none})
			}
			left, token := c.unknown[i], i
			if left.silent {
				token = none
			}
			beams[i+1].add(state{shape: st.shape, cost: st.cost + left.cost, prev: st, unused: token})
		}
	}
	return beams[len(c.tokens)]
}
