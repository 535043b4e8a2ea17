package dataset

import (
	"cmp"
	"strings"
	"sync"

	"svc/server/english"
)

// writtenOut returns a heading with its abbreviations in full.
func writtenOut(heading string) string {
	words := strings.Fields(apart.Replace(" " + heading + " "))
	for i, w := range words {
		words[i] = cmp.Or(abbreviations[w], inFull(w), w)
	}
	return strings.Join(words, " ")
}

// apart joins words that are written in two parts, and leaves out the s of a possessive.
var apart = strings.NewReplacer(" a c ", " account ", " w hse ", " warehouse ", " w house ", " warehouse ", " o s ", " outstanding ", " o h ", " on hand ", " showrm ", " showroom ", " stockrm ", " stockroom ", " strm ", " stockroom ", " pp ", " per person ", " p p ", " per person ", " re order ", " reorder ", " r o ", " reorder ", " s ", " ")

// headingWords are the English words of all known headings, with the number of these.
var headingWords = sync.OnceValue(func() map[string]int {
	all := map[string]int{}
	for _, headings := range vocabulary {
		for _, h := range headings {
			for w := range strings.FieldsSeq(h) {
				if english.Known(w) && len(w) > 3 {
					all[w]++
				}
			}
		}
	}
	return all
})

// toDate are abbreviations of days so far, which are short for no other word.
var toDate = wordSet("mtd ytd wtd")

// inFull returns the word of a known heading that a word which is none in English is cut short of:
// server of svr, sales of sls. It returns "" if there is none.
func inFull(word string) string {
	const least = 3
	if english.Known(word) || len(known().byHeading[word]) > 0 || toDate[word] {
		return ""
	}
	best := ""
	words := headingWords()
	lost := func(full string) int { return 4*(consonants(full)-consonants(word)) + len(full) }
	for full, n := range words {
		isCut := english.Abbreviates(word, full) && (len(word) > least || endsAlike(word, full) && !strings.ContainsAny(word[1:], "aeiou"))
		if isCut && (best == "" || cmp.Or(cmp.Compare(lost(full), lost(best)), -cmp.Compare(n, words[best]), cmp.Compare(full, best)) < 0) {
			best = full
		}
	}
	return best
}

// endsAlike reports whether a word keeps the last consonant of another, as prc does of price.
func endsAlike(short, full string) bool {
	full = strings.TrimRight(full, "aeiou")
	return full != "" && short[len(short)-1] == full[len(full)-1]
}

// consonants returns the number of the consonants of a word, of which double ones count once.
func consonants(word string) (n int) {
	for i := range len(word) {
		if strings.IndexByte("aeiouy", word[i]) < 0 && (i == 0 || word[i] != word[i-1]) {
			n++
		}
	}
	return n
}
