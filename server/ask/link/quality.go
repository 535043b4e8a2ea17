package link

import (
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// fewValues is the number of values of a column up to which people know them by name. In a
// column with more, such as song titles, any word may be a value.
const fewValues = 200

// namedValues is the number of values of a column up to which people name a value by any
// noun in it: "beauty" of Health and beauty.
const namedValues = 60

// ordinary is the rank up to which an English word is ordinary: it may be in a question
// without meaning a value.
const ordinary = 8000

// isRare reports whether a word is unlikely in a question unless it means a value.
func isRare(word string) bool { return isUncommon(word) && !isShopTalk(word) }

// isUncommon reports whether a word is not an ordinary English one.
func isUncommon(word string) bool {
	r := english.Rank(word)
	return r == 0 || r > ordinary
}

// isGivenName reports whether a word has no part of speech though it is English, as names have: kate.
func isGivenName(word string) bool {
	const wordsOfGrammar = 1000
	s := english.SensesOf(word)
	return max(s.Noun, s.Verb, s.Adjective, s.Adverb) == english.None && english.Rank(word) > wordsOfGrammar
}

// isShopTalk reports whether a word has a meaning for every source.
func isShopTalk(lemma string) bool {
	return shared().times[lemma] || isTalk(shared().senses[lemma])
}

// isTalk reports whether one of some meanings is of every source.
func isTalk(senses []sense) bool {
	return slices.ContainsFunc(senses, func(s sense) bool { return s.mention.Kind != Topic })
}

// sensesIn returns the meanings that shop talk gives to a word as a token writes it: roses are not
// what rose. A word in place of the token's has all of its meanings.
func sensesIn(word string, t Token) []sense {
	all := shared().senses[word]
	if word != t.Lemma {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(s sense) bool { return !s.written([]Token{t}) })
}

// isPack reports whether a meaning is that units are sold in something, which may be a part of the name of goods, too: tins.
func (s sense) isPack() bool {
	return s.mention.Metric == plan.Units && len(s.words) == 1 && s.words[0] != ""
}

// isChange reports whether all of some meanings are that something grew or shrank, which a noun of
// the same letters does not say.
func isChange(senses []sense) bool {
	return len(senses) > 0 && !slices.ContainsFunc(senses, func(s sense) bool { return s.mention.Sense != "grown" && s.mention.Sense != "shrunk" })
}

// wholeQuality returns how good a link to a whole value is. A single ordinary word is
// weaker in a column with many values, a word of function weaker still, and so is a number,
// and a verb that the value has in another form: "ships" and Shipped.
func wholeQuality(span []Token, c *schema.Column, value string) float64 {
	if span[0].Quote > 0 {
		return 1
	}
	t := span[0]
	switch isMany := c.Distinct > fewValues; {
	case len(span) > 1:
		return 1
	case t.Unit != "" && isMany:
		return 0.4
	case t.Unit != "":
		return 0.7
	case isFunction(t.Lemma) && !t.Upper && !isMany && !isFiller(t.Lemma):
		return 0.75
	case isFunction(t.Lemma) && !t.Upper, isMany && shared().times[t.Lemma]:
		return 0.4
	case shared().times[t.Lemma]:
		return 0.8
	case isMany && isShopTalk(t.Lemma):
		return 0.4
	case isMany && !isRare(t.Lemma):
		return 0.7
	case !sameNumber(t.Text, fold(value)):
		return 0.8
	}
	return 1
}

// sameNumber reports whether two words of the same lemma differ in number at most.
func sameNumber(a, b string) bool {
	verbal := func(w string) bool { return strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "ing") }
	return verbal(a) == verbal(b)
}

// isFiller reports whether a word carries nothing, or joins others.
func isFiller(lemma string) bool {
	return slices.ContainsFunc(shared().senses[lemma], func(s sense) bool {
		switch m := s.mention; m.Sense {
		case "by", "of", "for", "in", "with", "not", "and", "or", "than":
			return true
		default:
			return m.Kind == Filler
		}
	})
}

// isFunction reports whether a word is mostly a word of function or of comparison, or
// carries nothing.
func isFunction(lemma string) bool { return areFunction(shared().senses[lemma]) }

// areFunction reports whether one of some meanings is that of a word of function.
func areFunction(senses []sense) bool {
	return slices.ContainsFunc(senses, func(s sense) bool {
		switch s.mention.Kind {
		case Filler, Op, Fold, Rank:
			return true
		case Word:
			return s.mention.Sense != "unit" && s.mention.Sense != "money" && s.mention.Arg != "delivery" && s.mention.Arg != "party"
		}
		return false
	})
}

// share returns the largest share of a found value that the words are.
func (v *values) share(words []string, found []int32) float64 {
	covered := 0
	for _, w := range words {
		covered += len(w)
	}
	share := 0.0
	for _, value := range found[:min(len(found), 100)] {
		all := 0
		for _, id := range v.wordsOf(value) {
			all += len(v.words[id])
		}
		share = max(share, float64(covered)/float64(all))
	}
	return min(share, 1)
}

// partQuality returns how good a link to values by some of their words is, or 0 if the
// words are too ordinary to mean them: they count where one is rare in English, where they
// are a large share of a value, or where there are several.
func (v *values) partQuality(f form, found []int32, share float64, quoted bool) float64 {
	rare := quoted
	content := 0
	words := f.words
	for i, w := range words {
		isTalk := shared().times[w] || slices.ContainsFunc(sensesIn(w, f.tokens[i]), func(s sense) bool { return s.mention.Kind != Topic && s.mention.Kind != State && !s.isPack() })
		rare = rare || (isUncommon(w) || isGivenName(w)) && !isTalk
		if !isTalk {
			content++
		}
	}
	q := 0.45 + 0.4*share
	switch {
	case len(words) == 1 && !quoted && isChange(sensesIn(words[0], f.tokens[0])) && english.SensesOf(words[0]).Noun > english.None:
		return Hint
	case content == 0 && !quoted && len(words) > 1 && len(found) <= mostNamed && v.columns[v.column[found[0]]].Distinct <= namedValues && v.haveRun(found, words):
		return q - 0.1 // off peak, of Off-Peak Monthly
	case content == 0 && !quoted:
		return 0
	case len(words) == 1 && (directions[words[0]] || v.isOtherPlace(words[0], found)):
		return Hint
	case rare, content > 1:
		return q
	}
	isNamed := hasNames(v.columns[v.column[found[0]]])
	switch {
	case share >= 0.5 && isNamed:
		return q - 0.15
	case isProse(v.columns[v.column[found[0]]]):
		return 0
	case share < 0.5 && !english.IsNoun(words[0]) && !english.IsNoun(f.tokens[0].Text) && !(isPlural(f.tokens[0]) && v.endOn(found, words[0])):
		return 0 // passes, of Class Pass, are a noun
	case isNamed:
		return 0.5
	}
	return Hint
}

// mostNamed bounds the values that words of shop talk name together.
const mostNamed = 3

// haveRun reports whether all values have the words one after the other.
func (v *values) haveRun(found []int32, words []string) bool {
	return !slices.ContainsFunc(found, func(value int32) bool { return !v.hasRun(value, words) })
}

// endOn reports whether the last word of all values is the same.
func (v *values) endOn(found []int32, word string) bool {
	return !slices.ContainsFunc(found, func(value int32) bool { ids := v.wordsOf(value); return v.words[ids[len(ids)-1]] != word })
}

// hasNames reports whether people name the values of a column by an ordinary word of
// theirs: things, or few values that are no places.
func hasNames(c *schema.Column) bool {
	switch c.Role {
	case schema.Product, schema.Category, schema.Brand:
		return c.Distinct <= fewValues
	case schema.City, schema.State, schema.Country, schema.Customer:
		return false
	}
	return c.Distinct <= namedValues
}

// isProse reports whether the values of a column are said and are no names, such as reasons: a third
// or more of those of several words have one that names do not have, as too or another.
func isProse(c *schema.Column) bool {
	if c.Role != schema.None || len(c.Values) > namedValues {
		return false
	}
	several, said := 0, 0
	isSaid := func(w string) bool {
		s := english.SensesOf(w)
		return english.Known(w) && !isLinking(w) && s.Noun == english.None && s.Adjective == english.None
	}
	for _, v := range c.Values {
		words := strings.Fields(fold(v))
		if len(words) < 2 {
			continue
		}
		several++
		if slices.ContainsFunc(words, isSaid) {
			said++
		}
	}
	return said > 0 && 3*said >= several
}

// InProse reports whether a word is in a cell that says something, so that it is known though it
// names nothing: coffee of "Too much coffee".
func (x *Lexicon) InProse(lemma string) bool {
	return slices.ContainsFunc(x.values.postings(lemma), func(value int32) bool { return isProse(x.values.columns[x.values.column[value]]) })
}

// InGoods reports whether a word is in the name or the kind of some goods.
func (x *Lexicon) InGoods(lemma string) bool {
	return slices.ContainsFunc(x.values.postings(lemma), func(value int32) bool {
		role := x.values.columns[x.values.column[value]].Role
		return role == schema.Product || role == schema.Category
	})
}

// notes are in the headings of columns of notes.
var notes = set("note notes comment comments remark remarks memo")

// NoteWith returns the column of notes of which one has a word, or nil.
func (x *Lexicon) NoteWith(lemma string) *schema.Column {
	for _, value := range x.values.postings(lemma) {
		c := x.values.columns[x.values.column[value]]
		if slices.ContainsFunc(strings.Fields(strings.ToLower(Spaced(c.Heading))), func(w string) bool { return notes[w] }) {
			return c
		}
	}
	return nil
}

// directions make another place of a place: New Mexico is not Mexico.
var directions = set("new north south east west upper lower")

// isOtherPlace reports whether all values are a word with a direction before it.
func (v *values) isOtherPlace(word string, found []int32) bool {
	for _, value := range found {
		ids := v.wordsOf(value)
		if len(ids) != 2 || !directions[v.words[ids[0]]] || v.words[ids[1]] != word {
			return false
		}
	}
	return true
}
