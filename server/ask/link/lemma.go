package link

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"svc/server/english"
)

// fold returns a text in lower case without accents and apostrophes.
func fold(s string) string {
	isPlain := true
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] == '\'' || s[i] == '`' {
			isPlain = false
			break
		}
	}
	if isPlain {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ReplaceAll(s, "ß", "ss")) {
		if !unicode.Is(unicode.Mn, r) && !isApostrophe(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// ownLemma has words whose lemma would lose their meaning in a question about a shop, and
// plurals that english does not know.
var ownLemma = map[string]string{
	"shelves": "shelf", "loaves": "loaf", "knives": "knife", "leaves": "leaf", "halves": "half", "scarves": "scarf", "wives": "wife", "lives": "life", "wolves": "wolf",
	"ins": "in", "ups": "up", "offs": "off", "outs": "out", "ons": "on",
	"rose": "rose", "saw": "saw", "ground": "ground", "wound": "wound", "felt": "felt",
	"left": "left", "found": "find", "heard": "hear", "us": "us", "feet": "foot", "means": "means", "better": "better", "best": "best",
	"goods": "goods", "sales": "sales", "skus": "sku", "takings": "takings", "earnings": "earnings", "savings": "savings", "data": "data",
	"&": "and", "does": "do", "did": "do", "has": "have", "had": "have", "less": "less",
}

// lemma returns the form in which a word is looked up: singular, present tense. Degrees of
// comparison are kept: "higher" and "highest" are not "high" in a question.
func lemma(w string) string {
	if own, ok := ownLemma[w]; ok {
		return own
	}
	base := english.Lemma(w)
	if base != w && !english.Known(w) {
		base = english.Lemma(base) // mens
	}
	one, isPlural := strings.CutSuffix(w, "s")
	switch isPlural = isPlural && len(one) > 2 && !strings.HasSuffix(one, "s"); {
	case isPlural && english.Known(one) && (base == w && isThing(one) || base != w && base+"es" == w && !takesES(base)):
		return one // planes are not plans
	case base == w && strings.HasSuffix(w, "ed"):
		base = present(w)
	case base == w, isPlural:
	default:
		if s := english.SensesOf(base); max(s.Adjective, s.Adverb) > max(s.Noun, s.Verb) {
			return w
		}
	}
	if stem, ok := strings.CutSuffix(base, "ie"); ok && len(stem) > 3 && !english.Known(base) {
		return stem + "y" // hoodie, as of hoodies
	}
	return base
}

// present returns the verb of a past form such as "ordered", which english knows as an
// adjective; the word itself if there is none.
func present(w string) string {
	for _, verb := range []string{w[:len(w)-2], w[:len(w)-1]} {
		if len(verb) > 2 && english.SensesOf(verb).Verb > english.None {
			return verb
		}
	}
	return w
}

// isThing reports whether a word is a noun, or too rare for its part of speech to be known.
func isThing(w string) bool {
	s := english.SensesOf(w)
	return s.Noun > english.None || max(s.Verb, s.Adjective, s.Adverb) == english.None
}

// takesES reports whether the plural of a noun ends in "es".
func takesES(noun string) bool {
	for _, end := range []string{"s", "x", "z", "ch", "sh", "o"} {
		if strings.HasSuffix(noun, end) {
			return true
		}
	}
	return false
}

// lemmas returns the lemmas of a text's words without articles and possessive endings.
func lemmas(text string) []string {
	var out []string
	scan(text, func(p piece) {
		switch {
		case p.text == possessive:
		case p.text != "":
			out = append(out, lemma(p.text))
		default:
			out = append(out, lemma(fold(text[p.start:p.end])))
		}
	})
	return withoutArticles(out)
}

// articles are words that phrases are looked up without.
var articles = set("the our my your their a an")

// isLeftOut reports whether a key of n words leaves out the word at i: a possessive ending,
// or an article; the last of several words is no "a", which is then a name: vitamin A.
func isLeftOut(w string, i, n int) bool {
	return w == possessive || n > 1 && articles[w] && !(i == n-1 && len(w) == 1)
}

// withoutArticles returns the words of a key.
func withoutArticles(words []string) []string {
	out := words[:0:0]
	for i, w := range words {
		if !isLeftOut(w, i, len(words)) {
			out = append(out, w)
		}
	}
	return out
}

// compact returns a key in which spaces do not count: "customer name" is CUSTOMERNAME.
func compact(words []string) string { return strings.Join(words, "") }

// isPlural reports whether a token is a noun in the plural.
func isPlural(t Token) bool {
	switch t.Text {
	case "men", "women", "people", "children", "sales", "feet", "goods", "takings", "earnings":
		return true
	}
	return t.Text != t.Lemma && strings.HasSuffix(t.Text, "s")
}
