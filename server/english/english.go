// Package english knows 20,000 common English words: how frequent each is, its lemma, its
// parts of speech, and which words are used alike. It tells an ordinary word from a name, a
// missing thing from a verb, and finds "supplier" near "vendor". Of nouns it knows the kinds: a
// latte is a drink.
//
// The words are data (embed/ask/words.tsv, kinds.tsv, vectors.i8; sources in NOTICE). They are
// parsed at the first use. All functions take words in lower case and are safe for concurrent use.
package english

import (
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"svc/embed"
)

// dimensions is the length of a word's vector.
const dimensions = 100

// None means that WordNet has no sense of a word as a part of speech.
const None = -1

// Senses are how often a word's lemma is tagged as each part of speech in WordNet's corpus;
// None: it has no such sense.
type Senses struct{ Noun, Verb, Adjective, Adverb int }

type entry struct {
	rank   int // 1 is the most frequent
	lemma  string
	senses Senses
}

// loadEntries parses the words.
var loadEntries = sync.OnceValue(func() map[string]entry {
	text := string(read("words.tsv"))
	entries := make(map[string]entry, strings.Count(text, "\n"))
	for line := range strings.Lines(text) {
		word, fields := cutField(strings.TrimSuffix(line, "\n"))
		e := entry{rank: len(entries) + 1}
		if e.lemma, fields = cutField(fields); e.lemma == "" {
			e.lemma = word
		}
		for _, n := range []*int{&e.senses.Noun, &e.senses.Verb, &e.senses.Adjective, &e.senses.Adverb} {
			var field string
			field, fields = cutField(fields)
			*n = count(field)
		}
		entries[word] = e
	}
	return entries
})

// loadVectors returns the vectors of all words, the most frequent first. They are ten times as
// much as the words, and few programs ask for one.
var loadVectors = sync.OnceValue(func() []byte { return read("vectors.i8") })

func read(file string) []byte {
	content, err := fs.ReadFile(embed.Ask(), file)
	if err != nil {
		panic("english: the words are part of the binary") // go:embed includes them
	}
	return content
}

// cutField returns the first field of a line and the others.
func cutField(line string) (field, others string) {
	field, others, _ = strings.Cut(line, "\t")
	return field, others
}

// count parses a number of senses. A field that is empty or no number is None.
func count(field string) int {
	if field == "" { // most are, and Atoi makes an error of each
		return None
	}
	if n, err := strconv.Atoi(field); err == nil {
		return n
	}
	return None
}

// Rank returns a word's place by frequency, from 1; 0 if the word is not known.
func Rank(word string) int { return loadEntries()[word].rank }

// Known reports whether a word is one of the common words.
func Known(word string) bool { return Rank(word) > 0 }

// Lemma returns the base form of a word: "sold" is "sell". A word that is not known loses
// the ending of a plural.
func Lemma(word string) string {
	if e, ok := loadEntries()[word]; ok {
		return e.lemma
	}
	return singular(word)
}

// singular returns a noun without the ending of a plural.
func singular(word string) string {
	stem, ok := strings.CutSuffix(word, "s")
	switch {
	case !ok || len(word) < 4 || strings.HasSuffix(stem, "s") || strings.HasSuffix(stem, "u") || strings.HasSuffix(stem, "i"):
		return word
	case strings.HasSuffix(stem, "ie") && len(stem) > 4:
		return stem[:len(stem)-2] + "y"
	case strings.HasSuffix(stem, "she"), strings.HasSuffix(stem, "che"), strings.HasSuffix(stem, "xe"), strings.HasSuffix(stem, "sse"):
		return stem[:len(stem)-1]
	}
	return stem
}

// SensesOf returns the parts of speech of a word; all None if the word is not known.
func SensesOf(word string) Senses {
	if e, ok := loadEntries()[word]; ok {
		return e.senses
	}
	return Senses{None, None, None, None}
}

// IsNoun reports whether a word is mostly a noun.
func IsNoun(word string) bool {
	s := SensesOf(word)
	return s.Noun > None && s.Noun >= s.Verb && s.Noun >= s.Adjective && s.Noun >= s.Adverb
}

// IsSuperlative reports whether a word is a superlative of a known adjective: fattest, slimmest.
func IsSuperlative(word string) bool {
	stem, ok := strings.CutSuffix(word, "est")
	n := len(stem)
	if !ok || n < 3 {
		return false
	}
	forms := []string{stem + "e"}
	if y, ok := strings.CutSuffix(stem, "i"); ok {
		forms = append(forms, y+"y")
	}
	if !changesEnding(stem) {
		forms = append(forms, stem)
	}
	if stem[n-1] == stem[n-2] {
		forms = append(forms, stem[:n-1])
	}
	return slices.ContainsFunc(forms, func(w string) bool { return SensesOf(w).Adjective > 0 })
}

// changesEnding reports whether the end of an adjective of three letters or more changes before an ending: busy
// becomes busiest, and big biggest.
func changesEnding(adjective string) bool {
	n := len(adjective)
	isVowel := func(i int) bool { return strings.IndexByte("aeiou", adjective[i]) >= 0 }
	switch last := adjective[n-1]; {
	case last == 'y':
		return !isVowel(n - 2)
	case last == 'w' || last == 'x' || isVowel(n-1) || !isVowel(n-2) || isVowel(n-3):
		return false
	}
	return !strings.ContainsAny(adjective[:n-2], "aeiouy") // of one syllable
}

// Similarity returns how alike two words are used, the cosine of their vectors, -1 to 1; 0
// if one is not known. Below 0.6 it is a hint at most, and opposites are alike, too.
func Similarity(a, b string) float64 {
	va, vb := vector(a), vector(b)
	if va == nil || vb == nil {
		return 0
	}
	var dot, aa, bb float64
	for i := range va {
		x, y := float64(int8(va[i])), float64(int8(vb[i]))
		dot += x * y
		aa += x * x
		bb += y * y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return dot / math.Sqrt(aa*bb)
}

// vector returns the word's signed bytes; nil if it is not known.
func vector(word string) []byte {
	rank := Rank(word)
	if rank == 0 {
		return nil
	}
	return loadVectors()[(rank-1)*dimensions : rank*dimensions]
}
