package match

import (
	"math"
	"slices"
	"strings"
)

// The costs of an abbreviation: the negative logarithms of the odds that whoever
// shortens a word leaves a letter out. A letter that is kept costs nothing.
const (
	costVowel     = 0.12 // a vowel inside the word: grnd, ground
	costDouble    = 0.08 // one of two equal letters, or the c of ck: hpy, happy
	costSoft      = 0.45 // l, m, n, r, w, y or h: lg, large
	costConsonant = 0.8  // another consonant
	costCut       = 0.5  // the end of the word: nat, natural
	costCutLetter = 0.02 // each letter of the end
	costPlural    = 0.05 // only the s of a plural
	costSound     = 0.4  // a letter written as another one that sounds alike: cuke, cucumber
	costRepeated  = 0.5  // the last letter written twice, though the word has it once: mozz, mozarella
	costSpoken    = 0.06 // a word that is spelled as it is spoken: lite, light
	mostCost      = 2.4  // what costs more is no abbreviation
)

// spoken has words that shops write otherwise, though they are not shortened. Each line has
// spellings of one word; the singular is not the plural of another.
var spoken = spellings(`
	lt lite light
	x extra
	decaf decaffeinated
	nite night
	bbq barbecue barbeque
	razz raspberry raspberries
	veggie veggies vegetable vegetables
	tater taters potato potatoes
	catsup ketchup
	zuke zukes zucchini
	krispy crispy
	kleen clean
	two 2
	three 3
	four 4
	five 5
	six 6
	seven 7
	eight 8
	nine 9
	ten 10
	twelve 12
`)

// spellings returns, for each word of a list, the others of its line.
func spellings(list string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(list) {
		words := strings.Fields(line)
		for i, w := range words {
			out[w] = slices.Concat(words[:i], words[i+1:])
		}
	}
	return out
}

func isVowel(r rune) bool {
	switch r {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

// leaveOut returns the cost of leaving out a letter inside a word.
func leaveOut(word []rune, i int) float64 {
	switch r := word[i]; {
	case r == word[i-1], r == 'c' && i+1 < len(word) && word[i+1] == 'k':
		return costDouble
	case isVowel(r):
		return costVowel
	case r == 'l', r == 'm', r == 'n', r == 'r', r == 'w', r == 'h':
		return costSoft
	}
	return costConsonant
}

// cut returns the cost of leaving out a word's end, from a position.
func cut(word []rune, from int) float64 {
	left := 0.0
	for i := from; i < len(word); i++ {
		left += leaveOut(word, i)
	}
	if end := string(word[from:]); end == "s" || end == "es" {
		return costPlural
	}
	return min(left, costCut+costCutLetter*float64(len(word)-from))
}

// sounds returns the cost of writing one letter as another, or infinity.
func sounds(a, b rune) float64 {
	switch {
	case a == b:
		return 0
	case a == 'c' && b == 'k', a == 'k' && b == 'c', a == 'x' && b == 'k', a == 'z' && b == 's', a == 's' && b == 'z':
		return costSound
	}
	return math.Inf(1)
}

// aligner aligns abbreviations with words; it reuses its buffers.
type aligner struct {
	word, short []rune
	row, next   []float64
}

// cost returns what it costs to shorten a word to an abbreviation, or infinity if it is
// none. The first letters must be equal, except in xtra, and the others in the order of the
// word.
func (a *aligner) cost(short, word string) float64 {
	if rest, ok := strings.CutPrefix(word, "e"); ok && strings.HasPrefix(short, "x") && strings.HasPrefix(rest, "x") {
		word = rest
	}
	if stem, ok := strings.CutSuffix(word, "ies"); ok && strings.HasSuffix(short, "y") { // blubry, blueberries
		word = stem + "y"
	}
	least := a.align(short, word)
	if stem, ok := strings.CutSuffix(short, "s"); ok && strings.HasSuffix(word, "s") { // vegs, vegetables
		least = min(least, a.align(stem, strings.TrimSuffix(word, "s"))+costPlural)
	}
	return least
}

// align returns the least cost of leaving letters out of a word, or writing others that sound
// alike.
func (a *aligner) align(shortened, whole string) float64 {
	a.short, a.word = append(a.short[:0], []rune(shortened)...), append(a.word[:0], []rune(whole)...)
	short, word := a.short, a.word
	if len(short) == 0 || len(short) > len(word) || short[0] != word[0] {
		return math.Inf(1)
	}
	// row[i] is the least cost with which the letters of short so far end at word[i].
	a.row = slices.Grow(a.row[:0], len(word))[:len(word)]
	a.next = slices.Grow(a.next[:0], len(word))[:len(word)]
	row, next := a.row, a.next
	for i := range row {
		row[i] = math.Inf(1)
	}
	row[0] = 0
	for k, r := range short[1:] {
		best := math.Inf(1) // of ending before i, with the letters between left out
		next[0] = math.Inf(1)
		for i := 1; i < len(word); i++ {
			best = min(best, row[i-1])
			next[i] = best + sounds(r, word[i])
			if r == short[k] && k+2 == len(short) && !isVowel(r) {
				next[i] = min(next[i], row[i]+costRepeated)
			}
			best += leaveOut(word, i)
		}
		row, next = next, row
	}
	least := math.Inf(1)
	for i := range row {
		if row[i] > mostCost {
			continue
		}
		end := 0.0
		if i+1 < len(word) {
			end = cut(word, i+1)
		}
		least = min(least, row[i]+end)
	}
	if least > mostCost {
		return math.Inf(1)
	}
	return least
}
