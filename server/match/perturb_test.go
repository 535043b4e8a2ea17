package match

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// typo makes one typo in a word of at least five letters, after its first letter.
func typo(r *rand.Rand, s string) string {
	words := strings.Fields(s)
	at := pick(r, words, 5)
	if at < 0 {
		return s
	}
	b := []byte(words[at])
	k := 1 + r.IntN(len(b)-2)
	letter := byte('a' + r.IntN(26))
	switch r.IntN(4) {
	case 0:
		b[k] = letter
	case 1:
		b = slices.Delete(b, k, k+1)
	case 2:
		b = slices.Insert(b, k, letter)
	default:
		b[k], b[k+1] = b[k+1], b[k]
	}
	words[at] = string(b)
	return strings.Join(words, " ")
}

// pick returns the index of a random word of at least so many letters and no other
// characters, or -1.
func pick(r *rand.Rand, words []string, letters int) int {
	var long []int
	for i, w := range words {
		if len(w) >= letters && strings.IndexFunc(w, func(r rune) bool { return !isLetter(byte(r)) || r > 'z' }) < 0 {
			long = append(long, i)
		}
	}
	if len(long) == 0 {
		return -1
	}
	return long[r.IntN(len(long))]
}

// drop leaves out one word of a name with at least three.
func drop(r *rand.Rand, s string) string {
	words := strings.Fields(s)
	if len(words) < 3 {
		return s
	}
	i := r.IntN(len(words))
	return strings.Join(slices.Delete(words, i, i+1), " ")
}

func reorder(r *rand.Rand, s string) string {
	words := strings.Fields(s)
	r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return strings.Join(words, " ")
}

// abbreviate cuts one long word to four letters.
func abbreviate(r *rand.Rand, s string) string {
	words := strings.Fields(s)
	if i := pick(r, words, 7); i >= 0 {
		words[i] = words[i][:4]
	}
	return strings.Join(words, " ")
}

// praise adds a word that does not distinguish products.
func praise(r *rand.Rand, s string) string {
	words := []string{"premium", "quality", "zesty", "yumfoods", "delicious", "bag", "extraordinary"}
	return s + " " + words[r.IntN(len(words))]
}
