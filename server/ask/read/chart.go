package read

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"svc/server/ask/link"
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

// String returns the derivation, for tests and logs.
func (it *item) String() string {
	if len(it.of) == 0 {
		return it.cat
	}
	parts := make([]string, len(it.of))
	for i, p := range it.of {
		parts[i] = p.String()
	}
	return it.rule + "(" + strings.Join(parts, " ") + ")"
}

// Categories of items. A word of function has its sense as its category.
const (
	figureCat = "figure" // names a figure
	nameCat   = "name"   // names a column or a part of time
	valueCat  = "value"  // restricts rows
	timeCat   = "time"   // names days
	numberCat = "number"
	opCat     = "op"    // compares with a number that follows
	afterCat  = "after" // compares with a number before it: "or more"
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
	x       *lexicon
	tokens  []link.Token
	today   time.Time
	starts  [][]*item // by first token
	skips   [][]int   // by token: the ends of fillers that begin there
	unknown []skipped // by token: what it costs to leave it out
	made    int       // items
	within  float64   // cost of the mentions that are parts of longer ones
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
// too many.
func (c *chart) fill() bool {
	for from := len(c.tokens) - 1; from >= 0; from-- {
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
		if s, ok := p.compose(c, parts); ok {
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

// state is a reading of the first words of a question.
type state struct {
	s    sketch
	cost float64
	last *item
	prev *state
}

// String returns the derivation, for tests and logs.
func (st *state) String() string {
	var out []string
	for ; st != nil; st = st.prev {
		if st.last != nil {
			out = append([]string{st.last.String()}, out...)
		}
	}
	return strings.Join(out, " · ")
}

// maxStates bounds the readings that are kept at each token.
const maxStates = 40

// compose returns the readings of the whole question, the best first. Items beside each
// other merge if they do not contradict; a token that no item uses costs its weight.
func (c *chart) compose() []*state {
	beams := make([][]*state, len(c.tokens)+1)
	beams[0] = []*state{{}}
	for i := range c.tokens {
		beams[i] = best(beams[i])
		for _, st := range beams[i] {
			for _, it := range c.starts[i] {
				loose, ok := looseCost[it.cat]
				if !ok {
					loose = looseWord
				}
				if loose < 0 {
					continue
				}
				if s, ok := merge(st.s, it.s); ok {
					beams[it.to] = append(beams[it.to], &state{s: s, cost: st.cost + it.cost + loose, last: it, prev: st})
				}
			}
			for _, end := range c.skips[i] {
				beams[end] = append(beams[end], &state{s: st.s, cost: st.cost, prev: st})
			}
			left := c.unknown[i]
			s := st.s
			if !left.silent {
				s.unused = join(s.unused, []int{i})
			}
			beams[i+1] = append(beams[i+1], &state{s: s, cost: st.cost + left.cost, prev: st})
		}
	}
	return best(beams[len(c.tokens)])
}

func best(states []*state) []*state {
	slices.SortStableFunc(states, func(a, b *state) int { return cmp.Compare(a.cost, b.cost) })
	return states[:min(len(states), maxStates)]
}
