package read

import (
	"cmp"
	"slices"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/schema"
)

// span is a run of tokens, to excluded.
type span struct{ from, to int }

// figure is a figure that the words name.
type figure struct {
	span
	metric plan.Metric
	per    string         // as plan.Measure.Per, if the words say it
	column *schema.Column // in place of a metric: a column of numbers, or with Distinct any
	named  *schema.Column // whose heading the words of a metric are
	since  *schema.Column // an earlier day: the figure is the days from it to column
	event  *schema.Column // days on which what is counted happened
	fold   link.Sense     // how values become one, if the words say it
	limit  bool           // only what a bound compares: 3 days before they came
	unit   bool           // called by the plural of its unit: litres, which add up
	in     string         // the unit that its numbers are converted to, as plan.Measure.In
	text   string         // as typed
}

// plain reports whether a figure is a metric without a fold or a division.
func (f figure) plain() bool { return f.column == nil && f.per == "" && f.fold == "" }

// counts reports whether a figure counts things, of which an amount is no share.
func (f figure) counts() bool { return f.column == nil && f.metric.Countable() }

// name is a noun for a column or a part of time, which may make groups or be counted.
type name struct {
	span
	column  *schema.Column // nil: the source has none of the role
	part    plan.Part      // of a time
	role    schema.Role
	plural  bool
	text    string
	partial bool   // the words are a part of the heading
	guessed bool   // the words are not the column's own
	in      string // as of a figure
}

// group is a name that makes groups, and the word that says so: "by", "per", "each", "a";
// "which", "rank", "list"; "" if the name alone makes them.
type group struct {
	name
	word string
}

// cond is a restriction of rows.
type cond struct {
	span
	plan.Filter
	role    schema.Role
	guessed bool           // the words are not the value's own
	flag    *schema.Column // that the words name as a heading of yes or no
	listed  bool           // one of several values that "and", "or" or a comparison joins
	text    string         // as typed
}

// count asks how many there are of something: a name, a figure, or what has a value.
type count struct {
	span
	name      *name
	figure    *figure
	different bool // each value once
}

// bound is a comparison with a number, or with another figure.
type bound struct {
	span
	op      plan.Op
	number  float64
	unit    link.Unit
	of      *figure   // what is compared; nil: the words do not say
	name    *name     // what is counted: "more than 3 products"
	other   *figure   // in place of number
	far     bool      // how far a figure is from other
	per     plan.Part // less than 5 a day
	arg     string    // "price" of "costs more than"
	measure string    // unit of the number: kg
}

// rank asks for the first groups of an order.
type rank struct {
	span
	down      bool // the lowest first
	judges    bool // best and worst: the figure decides which is which
	counts    bool // most and fewest: of counted things
	limit     int  // 0: by the number of the noun
	nth       int
	both      bool // the other end of the order as well: cheapest and dearest
	plural    bool
	attribute string // that the word names and no column has: fastest
	vague     bool   // only a number: which 3 shops
	text      string
	metric    plan.Metric    // that the word itself names: "busiest", "most popular"
	column    *schema.Column // that the word itself names: "heaviest"
	figure    *figure        // of it: the days that the slowest take
}

// sketch is the meaning of some words: a part of a plan. Sketches merge into the sketch of
// the whole question, of which finish makes a plan.
type sketch struct {
	shape
	figures  []figure
	names    []name
	groups   []group
	where    []cond
	bounds   []bound
	periods  []when.Span
	days     []span // of periods
	earlier  []when.Back
	counts   []count
	numbers  []link.Mention
	per      []figure // that the figure of the question is divided by, where it is not beside it
	marks    []mark
	pair     plan.Derivation // of the figures, two by two: profit as a share of sales
	contrast []cond          // two values of a column of which one has more: online than in store

	suppositionOf *sketch // the words of a supposition, which are taken out

	unused  []int // tokens without a use
	missing []missing
}

// shape is the part of a sketch that may contradict that of another.
type shape struct {
	rank  *rank
	fold  link.Sense // that no figure took
	steps plan.Part
}

// merge returns two shapes as one; false if they contradict each other.
func (a shape) merge(b shape) (shape, bool) {
	if a.rank != nil && b.rank != nil && !a.rank.joins(*b.rank) {
		return shape{}, false
	}
	if a.fold != "" && b.fold != "" && a.fold != b.fold || a.steps != "" && b.steps != "" && a.steps != b.steps {
		return shape{}, false
	}
	if b.rank != nil {
		a.rank = b.rank.with(a.rank)
	}
	a.fold, a.steps = cmp.Or(b.fold, a.fold), cmp.Or(b.steps, a.steps)
	return a, true
}

// mark is a word of function that shapes the whole question.
type mark struct {
	span
	sense  link.Sense
	arg    string
	column *schema.Column // that the word names: "heavier"
}

// missing is a thing that a question names and the source does not have.
type missing struct {
	span
	what string      // in words
	role schema.Role // or the role that no column plays
}

// has reports whether one of some senses is in the sketch.
func (s *sketch) has(senses ...link.Sense) bool { return s.find(senses...) != nil }

// find returns the first mark of some senses, or nil.
func (s *sketch) find(senses ...link.Sense) *mark {
	i := slices.IndexFunc(s.marks, func(m mark) bool { return slices.Contains(senses, m.sense) })
	if i < 0 {
		return nil
	}
	return &s.marks[i]
}

// merge returns two sketches as one; false if they contradict each other.
func merge(a, b sketch) (sketch, bool) {
	merged, ok := a.shape.merge(b.shape)
	if !ok {
		return sketch{}, false
	}
	out := a
	out.shape = merged
	out.figures = join(a.figures, b.figures)
	out.counts = join(a.counts, b.counts)
	out.names = join(a.names, b.names)
	out.groups = join(a.groups, b.groups)
	out.where = join(a.where, b.where)
	out.bounds = join(a.bounds, b.bounds)
	out.periods = join(a.periods, b.periods)
	out.days = join(a.days, b.days)
	out.earlier = join(a.earlier, b.earlier)
	out.numbers = join(a.numbers, b.numbers)
	out.per = join(a.per, b.per)
	out.marks = join(a.marks, b.marks)
	out.contrast = join(a.contrast, b.contrast)
	out.unused = join(a.unused, b.unused)
	out.missing = join(a.missing, b.missing)
	if b.pair != "" {
		out.pair = b.pair
	}
	return out, true
}

// isBusy reports whether an order is by how many customers come.
func (r *rank) isBusy() bool {
	return r != nil && slices.Contains([]string{"busiest", "quietest", "busier", "quieter"}, r.text)
}

// joins reports whether two orders can be one: "3 cities" and "the lowest sales".
func (r rank) joins(o rank) bool {
	if r.limit > 0 && o.limit > 0 {
		return false
	}
	return r.vague || o.vague || r.down == o.down || r.opposes(o)
}

// opposes reports whether two orders are the two ends of one: oldest and youngest.
func (r rank) opposes(o rank) bool {
	return r.down != o.down && !r.both && !o.both && r.judges == o.judges && r.counts == o.counts && r.metric == o.metric && r.column == o.column && r.attribute == o.attribute && r.nth+o.nth == 0
}

// with returns an order with the number and the noun of another.
func (r *rank) with(o *rank) *rank {
	if o == nil {
		return r
	}
	out := *r
	if r.vague {
		out = *o
	}
	if !r.vague && !o.vague && r.down != o.down {
		out.both, out.down = true, o.down
	}
	out.both = out.both || r.both || o.both
	out.limit, out.nth = max(r.limit, o.limit), max(r.nth, o.nth)
	out.plural = r.plural || o.plural
	return &out
}

// join appends without a change of a, which other sketches share.
func join[T any](a, b []T) []T {
	switch {
	case len(b) == 0:
		return a
	case len(a) == 0:
		return b
	}
	return append(slices.Clip(a), b...)
}
