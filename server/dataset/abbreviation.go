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
var apart = strings.NewReplacer(" a c ", " account ", " re order ", " reorder ", " s ", " ")

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

// inFull returns the word of a known heading that a word which is none in English is cut short of:
// server of svr, sales of sls. It returns "" if there is none.
func inFull(word string) string {
	if len(word) < 2 || english.Known(word) || len(candidatesByWord[word]) > 0 || abbreviations[word] != "" {
		return ""
	}
	best, least := "", 0
	words := headingWords()
	for full, n := range words {
		cost, ok := costOfCutting(full, word)
		if ok && (best == "" || cmp.Or(cmp.Compare(cost, least), -cmp.Compare(n, words[best]), cmp.Compare(full, best)) < 0) {
			best, least = full, cost
		}
	}
	return best
}

// costOfCutting returns how much a word loses when it is cut short to another, which keeps its first
// letter and the order of the others; false if it cannot be. Two letters are the first and the last.
func costOfCutting(full, short string) (int, bool) {
	if len(full) < len(short)+1 || full[0] != short[0] {
		return 0, false
	}
	if strings.HasPrefix(full, short) {
		return len(full) - len(short), len(short) > 3
	}
	rest, vowels := full, 0
	for i := range len(short) {
		at := strings.IndexByte(rest, short[i])
		if at < 0 {
			return 0, false
		}
		rest = rest[at+1:]
		if i > 0 && isVowel(short[i]) {
			vowels++
		}
	}
	lost := len(full) - len(short)
	last := strings.TrimRight(full, "e")
	isWhole := last[len(last)-1] == short[len(short)-1]
	left := consonants(full) - consonants(short)
	return 2*left + lost, isWhole && vowels <= 1 && left <= len(short)/2 && (len(short) > 2 || left == 0)
}

// consonants returns the number of the consonants of a word, of which double ones count once.
func consonants(word string) (n int) {
	for i := range len(word) {
		if !isVowel(word[i]) && (i == 0 || word[i] != word[i-1]) {
			n++
		}
	}
	return n
}

func isVowel(b byte) bool { return strings.IndexByte("aeiouy", b) >= 0 }
