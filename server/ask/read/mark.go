package read

import (
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// mark is the meaning of some tokens of the question.
type mark struct {
	from, to int // tokens
	sense
	also   []sense // other meanings of the same words
	column int     // of kinds column and value
	values []string
	refs   []valueRef // values that the words may mean
	span   span
	number token
	piece  plan.Part // of days
	text   string
	used   bool // number that a step has used
	loose  bool // found by some of its words, or with a typing error
}

// reading is the state of reading one question over one source.
type reading struct {
	x             *lexicon
	c             calendar
	ts            []token
	marks         []mark
	unknown       []string
	notes         []string
	p             plan.Plan
	companions    int
	cover         bool // asks how long the stock lasts, or has not sold
	horizonDays   int  // days that a question of cover looks ahead, or 0
	durationCount int  // number of units of time that it names
	durationUnit  plan.Part
}

// markAll gives each token a meaning, from the left, longest phrases first.
func (r *reading) markAll() {
	for i := 0; i < len(r.ts); {
		m, ok := r.taughtAt(i)
		if !ok {
			m, ok = r.bestMark(i)
		}
		if !ok {
			m, ok = r.guessMark(i)
		}
		if !ok {
			r.unknown = append(r.unknown, r.ts[i].raw)
			i++
			continue
		}
		m.text = textOf(r.ts[m.from:m.to])
		r.marks = append(r.marks, m)
		i = m.to
	}
	r.resolveArticles()
	r.resolveRatings()
	r.resolveValues()
	r.resolvePieces()
	r.resolvePurchases()
	r.resolveFigures()
	r.resolveReversals()
	r.resolveCover()
}

// bestMark returns the longest phrase at i; of equally long ones, the one with the highest
// weight.
func (r *reading) bestMark(i int) (mark, bool) {
	var found mark
	ok := false
	for _, m := range []func(int) (mark, bool){r.periodAt, r.daysOrHoursAt, r.headingAt, r.valueAt, r.phraseAt, r.numberAt, r.lastAt} {
		got, has := m(i)
		if has && (!ok || got.to > found.to || got.to == found.to && r.weight(got) > r.weight(found)) {
			found, ok = got, true
		}
	}
	if v, has := r.valueAt(i); has && found.kind == column && v.to == found.to && r.prefersValue(found, v) {
		return v, true
	}
	return found, ok
}

// prefersValue reports whether words that are a heading and a value of another column mean
// the value: "cash" if one column has the method of payment and another the card. After
// "which" or in the plural they mean the heading.
func (r *reading) prefersValue(heading, v mark) bool {
	last := r.ts[heading.to-1]
	if r.isRareValue(v) || last.text != last.stem || wordIs(r.ts, heading.from-1, "which", "what", "each", "every", "per", "top", "best", "worst", "of") {
		return false
	}
	return !slices.ContainsFunc(v.refs, func(p valueRef) bool { return p.column == heading.column })
}

// weight ranks meanings of the same words. A value of the data is more likely than a word
// that may name a column, and less likely than a figure.
func (r *reading) weight(m mark) int {
	switch m.kind {
	case period, days:
		return 9
	case metric, comparison, top, bottom, bestSeller, worstSeller, perOrder, average, share, soldOut, lowStock, by, link, and, not, ifWord, howMany, howMuch, compared, or:
		return 7
	case column:
		return 6
	case value:
		if r.isRareValue(m) {
			return 1
		}
		return 5
	case number:
		return 0
	case harmless:
		return 2
	}
	return 3
}

// fewValues is the number of values of a column up to which people know them by name. In a
// column with more, such as song titles, any word may be a value.
const fewValues = 200

// isRareValue reports whether a single word is a value only of columns with very many
// values.
func (r *reading) isRareValue(m mark) bool {
	return m.to-m.from == 1 && !slices.ContainsFunc(m.refs, func(p valueRef) bool {
		return r.x.source.Columns[p.column].Distinct <= fewValues
	})
}

func (r *reading) periodAt(i int) (mark, bool) {
	s, n := r.c.period(r.ts, i)
	if n == 0 {
		return mark{}, false
	}
	return mark{from: i, to: i + n, sense: sense{kind: period}, span: s}, true
}

func (r *reading) numberAt(i int) (mark, bool) {
	t := r.ts[i]
	if t.kind == noNumber {
		return mark{}, false
	}
	return mark{from: i, to: i + 1, sense: sense{kind: number}, number: t}, true
}

// lastAt reads a final "last" that means the period before: this year compared with last.
func (r *reading) lastAt(i int) (mark, bool) {
	if !wordIs(r.ts, i, "last") || !wordIs(r.ts, i-1, "to", "with", "than", "vs", "versus", "on", "against") || i+1 < len(r.ts) {
		return mark{}, false
	}
	return mark{from: i, to: i + 1, sense: sense{kind: versusEarlier, arg: "before"}}, true
}

func (r *reading) headingAt(i int) (mark, bool) {
	for n := min(maxPhrase, len(r.ts)-i); n > 0; n-- {
		k := keyOf(r.ts[i : i+n])
		if c, ok := r.x.headings[k]; ok && !r.isSellingWord(c, k) && !(r.x.source.Last != "" && isUnit(k)) {
			return r.columnMark(i, i+n, c), true
		}
	}
	return mark{}, false
}

// isSellingWord reports whether the heading of the column of days is a word of selling:
// "what sold yesterday" does not ask for that column.
func (r *reading) isSellingWord(column int, k string) bool {
	return r.x.source.Columns[column].Role == schema.Day && slices.ContainsFunc(lookup[k], func(s sense) bool { return s.kind == sell })
}

// isUnit reports whether a phrase names a unit of time, which a column of days has anyway.
func isUnit(k string) bool {
	return slices.ContainsFunc(lookup[k], func(s sense) bool { return s.kind == unit })
}

// columnMark returns the meaning of a heading: the metric of the column's role, a unit of
// time, or the column.
func (r *reading) columnMark(from, to, i int) mark {
	c := r.x.source.Columns[i]
	m := mark{from: from, to: to, column: i}
	if known, ok := plan.MetricOf(c.Role); ok && r.x.can(known) {
		m.sense = sense{kind: metric, metric: known}
		return m
	}
	if c.Role == schema.Price {
		m.sense = sense{kind: price}
		return m
	}
	if c.Role == schema.Day && c.Type != schema.Number {
		m.sense = sense{kind: unit, part: plan.Day}
		return m
	}
	m.sense = sense{kind: column}
	return m
}

func (r *reading) valueAt(i int) (mark, bool) {
	for n := min(r.x.longest, len(r.ts)-i); n > 0; n-- {
		if places := r.x.valuesByKey[keyOf(r.ts[i:i+n])]; len(places) > 0 {
			if n == 1 && r.ts[i].kind == plainNumber {
				continue
			}
			return mark{from: i, to: i + n, sense: sense{kind: value}, refs: places}, true
		}
		if full, ok := r.abbreviation(i, n); ok {
			for _, name := range append([]string{full}, variants[full]...) {
				if places := r.x.valuesByKey[key(name)]; len(places) > 0 {
					return mark{from: i, to: i + n, sense: sense{kind: value}, refs: places}, true
				}
			}
		}
	}
	return mark{}, false
}

// abbreviation reads NY and USA; a word like "in" or "us" counts in capitals only.
func (r *reading) abbreviation(i, n int) (string, bool) {
	full, ok := abbreviations[textOf(r.ts[i:i+n])]
	if !ok || n > 1 {
		return full, ok
	}
	t := r.ts[i]
	if t.raw == strings.ToUpper(t.raw) || len(t.text) > 2 {
		return full, true
	}
	_, isWord := lookup[t.stem]
	return full, !isWord && wordIs(r.ts, i-1, "in", "from", "for", "of", "to")
}

func (r *reading) phraseAt(i int) (mark, bool) {
	for n := min(longest, len(r.ts)-i); n > 0; n-- {
		if senses := lookup[keyOf(r.ts[i:i+n])]; len(senses) > 0 {
			return mark{from: i, to: i + n, sense: senses[0], also: senses[1:]}, true
		}
		if n == 1 {
			if senses := lookup[r.ts[i].text]; len(senses) > 0 {
				return mark{from: i, to: i + 1, sense: senses[0], also: senses[1:]}, true
			}
		}
	}
	return mark{}, false
}

// daysOrHoursAt reads weekdays and times of the day: on Mondays, at weekends, mornings,
// between 9 and 11am, after 5pm.
func (r *reading) daysOrHoursAt(i int) (mark, bool) {
	if _, ok := r.x.role(schema.Day); !ok {
		return mark{}, false
	}
	if values, n := weekdaysAt(r.ts, i); n > 0 {
		return mark{from: i, to: i + n, sense: sense{kind: days}, piece: plan.Weekday, values: values}, true
	}
	if _, ok := plan.TimeColumn(r.x.source, plan.Hour); !ok {
		return mark{}, false
	}
	if values, n := hoursAt(r.ts, i); n > 0 {
		return mark{from: i, to: i + n, sense: sense{kind: days}, piece: plan.Hour, values: values}, true
	}
	return mark{}, false
}

// guessMark reads words as a part of a value's name, or as a typing error.
func (r *reading) guessMark(i int) (mark, bool) {
	if m, ok := r.partialValue(i); ok {
		return m, true
	}
	t := r.ts[i]
	if t.kind != noNumber {
		return mark{}, false
	}
	w, ok := r.x.completion(t.stem)
	if !ok {
		w, ok = r.x.correction(t.stem)
	}
	if !ok {
		return mark{}, false
	}
	r.ts[i].text, r.ts[i].stem = w, w
	m, ok := r.taughtAt(i)
	if !ok {
		m, ok = r.bestMark(i)
	}
	if !ok {
		m, ok = r.partialValue(i)
	}
	if !ok {
		r.ts[i] = t
		return mark{}, false
	}
	m.loose = m.loose || m.kind == value || m.kind == period
	if m.kind != harmless {
		r.note("“" + t.raw + "” was read as “" + w + "”.")
	}
	return m, true
}

// partialValue finds the values that have these words, as many words as possible.
func (r *reading) partialValue(i int) (mark, bool) {
	var places []valueRef
	n := 0
	for ; i+n < len(r.ts); n++ {
		next := r.x.valuesByWord[r.ts[i+n].stem]
		if n > 0 {
			if _, known := lookup[r.ts[i+n].stem]; known {
				break
			}
			next = intersect(places, next)
		}
		if len(next) == 0 {
			break
		}
		places = next
	}
	if n == 0 || n == 1 && wordIs(r.ts, i, "last", "first", "next", "this", "previous", "past") {
		return mark{}, false
	}
	if n == 1 && (len(r.ts[i].stem) < 3 || r.ts[i].kind != noNumber) {
		return mark{}, false
	}
	return mark{from: i, to: i + n, sense: sense{kind: value}, refs: places, loose: true}, true
}

func intersect(a, b []valueRef) []valueRef {
	in := map[valueRef]bool{}
	for _, p := range b {
		in[p] = true
	}
	return slices.DeleteFunc(slices.Clone(a), func(p valueRef) bool { return !in[p] })
}
