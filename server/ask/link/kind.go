package link

import (
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// KindArg is the Arg of a column that is called by a word for the kind of its values, such as
// drinks, and of the figure that counts what is drunk: cups.
const KindArg = "kind"

// kindQuality is how good a link by the kind of values is.
const kindQuality = 0.8

// ofKind returns the column of goods whose values are of the kind that a noun names, which
// nothing else in the source is called: drinks, of latte and espresso. What drinks are served
// in counts them.
func (x *Lexicon) ofKind(t Token) []Mention {
	if t.Unit != "" || t.Upper || len(t.Lemma) < 3 || english.IsPerson(t.Lemma) {
		return nil
	}
	if vessels[t.Lemma] && x.columnOf("drink") != nil {
		return []Mention{{Kind: Metric, Metric: plan.Units, How: Near, Quality: kindQuality, Arg: KindArg, Text: t.Text}}
	}
	for _, kind := range NamesOf(t.Lemma) {
		c := x.columnOf(kind)
		if c == nil {
			c = x.headingOf(kind)
		}
		if c != nil {
			return []Mention{{Kind: Column, Column: c, How: Near, Quality: kindQuality, Arg: KindArg, Text: t.Text}}
		}
		if m, ok := x.someOf(kind); ok {
			m.Text = t.Text
			return []Mention{m}
		}
	}
	return nil
}

// NamesOf returns a word and those that the vocabulary has for the same.
func NamesOf(word string) []string {
	out := []string{word}
	for _, set := range shared().sets[word] {
		for _, words := range set.phrases {
			if set.role == schema.None && set.metric == "" && len(words) == 1 {
				out = append(out, words[0])
			}
		}
	}
	return out
}

// IsOfCountry reports whether a word is a country or means of one: Dutch.
func IsOfCountry(word string) bool {
	const least = 4 // "in" and "or" are states
	return len(word) >= least && slices.ContainsFunc(shared().sets[word], func(set *synonymSet) bool { return set.values == schema.Country })
}

// isOfKind reports whether a noun is of a kind of goods. WordNet takes drinks for food, and people do
// not.
func isOfKind(noun, kind string) bool {
	isA := english.IsA(noun, kind) || english.IsA(noun+"s", kind) // spirits
	return isA && (kind != "food" || !english.IsA(noun, "drink"))
}

// headingOf returns the only number column whose heading lists goods of a kind, as Beers Wines
// lists alcohol, or nil. Food is excluded: columns of other goods are food, too.
func (x *Lexicon) headingOf(kind string) *schema.Column {
	if kind == "food" {
		return nil
	}
	isOther := func(w string) bool { return !isOfKind(w, kind) }
	var found *schema.Column
	for _, h := range x.headings.list {
		if h.column.Type != schema.Number || slices.ContainsFunc(h.words, isOther) {
			continue
		}
		if found != nil {
			return nil
		}
		found = h.column
	}
	return found
}

// someOf returns the categories that are of a kind, by the last noun of each: alcohol of Beer, Wine
// and Bread. All must be known, so that none of the kind is missed. Of products too little is known:
// a pack of coffee is no drink.
func (x *Lexicon) someOf(kind string) (Mention, bool) {
	c := x.roles[schema.Category]
	if c == nil || len(c.Values) == 0 || len(c.Values) > plan.MaxValues {
		return Mention{}, false
	}
	var of []string
	isUnknown := func(v string) bool {
		for _, w := range slices.Backward(lemmas(v)) {
			if len(english.KindsOf(w)) == 0 {
				continue
			}
			if isOfKind(w, kind) {
				of = append(of, v)
			}
			return false
		}
		return true
	}
	if slices.ContainsFunc(c.Values, isUnknown) || len(of) == 0 {
		return Mention{}, false
	}
	return Mention{Kind: Value, Column: c, Values: of, How: Near, Quality: kindQuality}, true
}

// vessels are what people drink from. Bottles and cans are not: they are goods of their own.
var vessels = set("cup mug glass pint shot")

// goods is a column of things with the kinds that nearly all of them are of.
type goods struct {
	column *schema.Column
	kinds  map[string]bool
}

// columnOf returns the column of goods that are of a kind, the product before any other; nil if
// there is none.
func (x *Lexicon) columnOf(kind string) *schema.Column {
	for _, g := range x.goods() {
		if g.kinds[kind] {
			return g.column
		}
	}
	return nil
}

// findGoods returns the columns of goods, the product first. A category is a kind by itself, and
// has none.
func (x *Lexicon) findGoods() []goods {
	var out []goods
	for i := range x.source.Columns {
		c := &x.source.Columns[i]
		if c.Type != schema.Text || c.Role != schema.Product && c.Role != schema.None {
			continue
		}
		if g := (goods{c, kindsOf(c)}); c.Role == schema.Product {
			out = slices.Insert(out, 0, g)
		} else {
			out = append(out, g)
		}
	}
	return out
}

// Bounds of what tells of which kind the values of a column are: the values that are looked at,
// and how many of a kind there must be.
const (
	maxKindValues = 200
	leastOfKind   = 3
)

// kindsOf returns the kinds of which nearly all known values of a column are, if half of all
// values are known.
func kindsOf(c *schema.Column) map[string]bool {
	values := c.Values[:min(len(c.Values), maxKindValues)]
	known, of := 0, map[string]int{}
	for _, v := range values {
		kinds := map[string]bool{}
		for _, w := range lemmas(v) {
			for _, kind := range english.KindsOf(w) {
				kinds[kind] = true
			}
			if len(english.KindsOf(w)) > 0 {
				kinds[w] = true
			}
		}
		if len(kinds) > 0 {
			known++
		}
		for kind := range kinds {
			of[kind]++
		}
	}
	out := map[string]bool{}
	for kind, n := range of {
		if n >= leastOfKind && 10*n >= 9*known && 2*known >= len(values) {
			out[kind] = true
		}
	}
	if out["drink"] {
		delete(out, "food") // which WordNet takes drinks for, and people do not
	}
	return out
}

// areFor reports whether all found values are things for what a noun means, and some other goods are of its kind: Tea
// Strainer beside Oolong. It returns the goods that are no such things, as few names of teas are known to be.
func (x *Lexicon) areFor(noun string, found []int32) (goods []string, ok bool) {
	c := x.values.columns[x.values.column[found[0]]]
	if c.Role != schema.Product || len(c.Values) > maxKindValues || !english.IsA(noun, "food") && !english.IsA(noun, "plant") {
		return nil, false
	}
	for _, value := range found {
		if !isUtensil(c.Values[x.values.number[value]]) {
			return nil, false
		}
	}
	for _, v := range c.Values {
		if !isUtensil(v) {
			goods = append(goods, v)
			ok = ok || slices.ContainsFunc(lemmas(v), func(w string) bool { return english.IsA(w, noun) })
		}
	}
	return goods, ok
}

// isUtensil reports whether the name of some goods ends on a noun for a thing to use or to put something in: Enamel Mug -
// Large.
func isUtensil(name string) bool {
	for _, end := range []string{"(", " - ", " of "} {
		name, _, _ = strings.Cut(name, end)
	}
	words := slices.DeleteFunc(lemmas(name), func(w string) bool { return w[0] >= '0' && w[0] <= '9' || shared().units[w] })
	if len(words) == 0 {
		return false
	}
	last := words[len(words)-1]
	isAgent := strings.HasSuffix(last, "er") && english.IsPerson(last) // a maker
	return isAgent || english.IsA(last, "container") || english.IsA(last, "device") || english.IsA(last, "implement")
}

// arePlaces reports whether a column has the customers of a wholesaler: each row has one, and they
// are shops and the like by their names, such as Corner Deli and St Johns Stores.
func arePlaces(c *schema.Column) bool {
	if c.Role != schema.Customer || c.Blank > 0 {
		return false
	}
	places := 0
	values := c.Values[:min(len(c.Values), maxKindValues)]
	for _, v := range values {
		if slices.ContainsFunc(lemmas(v), func(w string) bool { return english.IsA(w, "structure") }) {
			places++
		}
	}
	return places >= leastOfKind && 5*places >= 2*len(values)
}
