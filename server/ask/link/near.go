package link

import (
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// kin finds words of one family: "subscriber" of "Subscription". It has words by their
// first letters.
type kin map[string][]string

// kinLetters is how many first letters two words of a family share at least.
const kinLetters = 4

// newKin returns the families of the words of headings, and of the values of columns with
// few.
func newKin(h *headings, v *values) kin {
	k := kin{}
	for _, w := range h.words {
		k.add(w)
	}
	seen := map[int32]bool{}
	for value := range int32(len(v.column)) {
		if len(v.columns[v.column[value]].Values) > fewValues {
			continue
		}
		for _, id := range v.wordsOf(value) {
			if !seen[id] {
				seen[id] = true
				k.add(v.words[id])
			}
		}
	}
	return k
}

func (k kin) add(w string) {
	if len(w) >= kinLetters && isWord(w) && !slices.Contains(k[w[:kinLetters]], w) {
		k[w[:kinLetters]] = append(k[w[:kinLetters]], w)
	}
}

// of returns the words of the family of w.
func (k kin) of(w string) []string {
	if len(w) < kinLetters {
		return nil
	}
	var out []string
	for _, have := range k[w[:kinLetters]] {
		if have != w && related(have, w) {
			out = append(out, have)
		}
	}
	return out
}

// completion returns the one word that begins with w: "choc" of chocolate.
func (k kin) completion(w string) []string {
	if len(w) < kinLetters {
		return nil
	}
	var out []string
	for _, have := range k[w[:kinLetters]] {
		if strings.HasPrefix(have, w) && have != w {
			out = append(out, have)
		}
	}
	if len(out) != 1 {
		return nil
	}
	return out
}

// endings are endings of English words that make another word of the same family.
var endings = set("e s er or ication cation ed ing ion ation tion ption ment al y ity ly able ance ence ive be ber bing bed ure ian ial ly ies ied ist ship age ery")

// related reports whether two words differ in their endings only.
func related(a, b string) bool {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n >= kinLetters && 2*n > min(len(a), len(b)) && isEnding(a, n) && isEnding(b, n)
}

// inflections are endings that leave a word's meaning alone.
var inflections = set("e es s d ed ing")

// kinQuality returns how good a link by a word of the same family is.
func kinQuality(a, b string) float64 {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	if (a[n:] == "" || inflections[a[n:]]) && (b[n:] == "" || inflections[b[n:]]) {
		return 0.8
	}
	return 0.65
}

// isEnding reports whether a word ends at n, or with an ending from there; its first letter
// may double the one before: ship, shipping.
func isEnding(w string, n int) bool {
	rest := w[n:]
	return rest == "" || endings[rest] || rest[0] == w[n-1] && endings[rest[1:]]
}

// Qualities of links by other words of the same meaning.
const (
	synonymQuality     = 0.85
	synonymPartQuality = 0.65 // as the last word of a longer heading
	synonymNameQuality = 0.75 // as what a heading of names is of: "client" of Customer Name
	alikeQuality       = Hint // by vectors
)

// synonyms returns the headings and values that are called by another word of the same
// meaning: the words of a set of the vocabulary.
func (x *Lexicon) synonyms(f form) []Mention {
	var out []Mention
	own := strings.Join(f.words, " ")
	isHeading := slices.ContainsFunc(x.headings.whole[compact(f.words)], func(k headingKey) bool { return k.how == Exact })
	for _, set := range shared().sets[own] {
		if len(own) < 3 && !f.tokens[0].Upper && (english.Rank(own) > 0 && english.Rank(own) < 1000 || shared().words[own]) {
			continue // "in" is Indiana in capitals only
		}
		if set.role != schema.None && x.roles[set.role] != nil {
			continue // the words mean the column with the role
		}
		if _, err := plan.FormulaOf(x.source, plan.Measure{Metric: set.metric}); set.metric != "" && err == nil {
			continue // the words mean the figure
		}
		for _, words := range set.phrases {
			if strings.Join(words, " ") == own {
				continue
			}
			for _, m := range x.called(words, set) {
				if m.Kind == Value && (f.how == Corrected || x.values.anyIn(m.Column, f.words)) || m.Kind == Column && isHeading {
					continue // americano is not American, a pass no Membership beside a Class Pass, nor is memory RAM where both are headings
				}
				out = append(out, m)
			}
		}
	}
	return out
}

// called returns the headings and values with another name of what a question names.
func (x *Lexicon) called(words []string, set *synonymSet) []Mention {
	var out []Mention
	fits := func(c *schema.Column) bool { return set.fits(c) }
	for _, k := range x.headings.whole[compact(words)] {
		if !fits(k.column) {
			continue
		}
		out = append(out, Mention{Kind: Column, Column: k.column, How: Near, Quality: synonymQuality})
	}
	if len(words) == 1 {
		for _, at := range x.headings.by[words[0]] {
			h := x.headings.list[at]
			isAmount := set.role == schema.None && set.metric == "" && h.isAmountOf(words[0])
			isOther := set.metric == plan.Units && x.roles[schema.Stock] != nil && h.column.Role != schema.Stock // Reorder Qty is no stock
			if (h.isHead(words[0]) || isAmount) && fits(h.column) && !isOther {
				out = append(out, Mention{Kind: Column, Column: h.column, How: Near, Quality: h.headQuality()})
			}
		}
	}
	if set.role == schema.None && set.metric == "" {
		for _, found := range x.values.byColumn(x.values.exactly(words)) {
			m := x.values.mention(found, words, Mention{How: Near, Quality: synonymQuality})
			if len(words) > 1 || len(words[0]) > 1 || len(m.Column.Values) == 2 || isOfSexes(m.Column) || slices.ContainsFunc(lemmas(Spaced(m.Column.Heading)), func(w string) bool { return w == "gender" || w == "sex" }) {
				out = append(out, m) // M is a size where there are more than F and M
			}
		}
	}
	return out
}

// sexLetters are for whom goods are made: men, women, kids and the like.
var sexLetters = set("m f w u k b g")

// isOfSexes reports whether the values of a column are letters for whom goods are made, men and women among them.
func isOfSexes(c *schema.Column) bool {
	isOther := func(v string) bool { return !sexLetters[strings.ToLower(v)] }
	return slices.Contains(c.Values, "M") && (slices.Contains(c.Values, "F") || slices.Contains(c.Values, "W")) && !slices.ContainsFunc(c.Values, isOther)
}

// fits reports whether a column may be what a set names: a figure is a number, and a role a
// text.
func (set *synonymSet) fits(c *schema.Column) bool {
	switch set.role {
	case schema.None:
		return set.metric == "" || c.Type == schema.Number
	case schema.Day:
		return c.Type == schema.Date || c.Type == schema.Moment
	case schema.Price, schema.Rating, schema.UnitCost, schema.LeadTime, schema.Reorder, schema.Gross:
		return c.Type == schema.Number
	case schema.Order:
		words := lemmas(Spaced(c.Heading))
		return c.Type == schema.Text || c.Type == schema.Number && len(words) > 0 && identities[words[len(words)-1]]
	}
	return c.Type == schema.Text
}

// headQuality returns how good a link to a heading by a synonym of its head is.
func (h heading) headQuality() float64 {
	if last := h.words[len(h.words)-1]; last == "name" || last == "title" {
		return synonymNameQuality
	}
	return synonymPartQuality
}

// identities are words after what a heading names.
var identities = set("name id code number no key num title ref reference")

// isAmountOf reports whether a heading of numbers says how much there is of what a word names:
// Waste Units, Scrap kg.
func (h heading) isAmountOf(word string) bool {
	isAmount := func(w string) bool { return amounts[w] || countWords[w] || headingUnits[w] }
	return h.column.Type == schema.Number && len(h.words) > 1 && h.words[0] == word && !slices.ContainsFunc(h.words[1:], func(w string) bool { return !isAmount(w) })
}

// countWords are words of headings for a number of things.
var countWords = set("unit item piece count number")

// isHead reports whether a word is what a heading names: its last word, or the last but
// one for an identity, as in "Supplier name".
func (h heading) isHead(w string) bool {
	if isList := strings.ContainsAny(h.column.Heading, "/&"); isList && len(h.words) == 2 && !isLinking(w) {
		return slices.Contains(h.words, w) // Tobacco/Vape
	}
	for i := len(h.words) - 1; i >= 0; i-- {
		if h.words[i] == w {
			return true
		}
		if !identities[h.words[i]] && strings.Trim(h.words[i], "0123456789") != "" {
			return false
		}
	}
	return false
}

// leastAlike is the similarity from which two words are taken for alike. The vectors find
// synonyms (movie and film .90, doctor and physician .77) and siblings (male and female .95,
// height and weight .64) with the same figures, so that a link is a hint at most; words that
// the vocabulary knows are never linked so.
const leastAlike = 0.72

// alike returns the headings with a word that is used like the token.
func (x *Lexicon) alike(t Token) []Mention {
	if !english.IsNoun(t.Lemma) || shared().words[t.Lemma] {
		return nil
	}
	var out []Mention
	for _, w := range x.headings.words {
		if shared().words[w] || general[w] || !english.IsNoun(w) || english.Similarity(t.Lemma, w) < leastAlike {
			continue
		}
		for _, at := range x.headings.by[w] {
			if h := x.headings.list[at]; h.isHead(w) {
				out = append(out, Mention{Kind: Column, Column: h.column, How: Near, Quality: alikeQuality, Text: w})
			}
		}
	}
	return out
}
