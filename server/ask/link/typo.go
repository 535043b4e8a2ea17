package link

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"

	"svc/server/editdistance"
	"svc/server/english"
)

// typos finds the words of a list that are near a mistyped one. It is an index of the words
// with each letter left out: two words with one mistake between them share an entry. Of
// two mistakes, which long words may have, it finds most.
type typos struct {
	words []string
	start []uint32 // of each bucket in ids
	ids   []uint32 // of words
	seed  maphash.Seed
	sound map[string][]string // consonants → words; nil of a large list
}

// maxIndexed bounds the words of an index of typing errors, and so its memory.
const maxIndexed = 150_000

// maxBucket bounds the words that one entry is compared with.
const maxBucket = 200

// newTypos returns the index of the words that are long enough to be corrected to.
func newTypos(words []string) *typos {
	t := &typos{words: words[:min(len(words), maxIndexed)], seed: maphash.MakeSeed()}
	entries := 0
	for _, w := range t.words {
		entries += len(w) + 1
	}
	t.start = make([]uint32, 1<<bits.Len(uint(entries))+1)
	t.ids = make([]uint32, entries)
	buckets := make([]uint32, 0, entries)
	var buf []byte
	for _, w := range t.words {
		buf = shortened(w, buf, func(short []byte) {
			b := uint32(t.bucket(short))
			buckets = append(buckets, b)
			t.start[b+1]++
		})
	}
	for b := 1; b < len(t.start); b++ {
		t.start[b] += t.start[b-1]
	}
	next := slices.Clone(t.start)
	at := 0
	for id, w := range t.words {
		for range len(w) + 1 {
			b := buckets[at]
			t.ids[next[b]] = uint32(id)
			next[b]++
			at++
		}
	}
	if len(t.words) < maxSounds {
		t.sound = map[string][]string{}
		for _, w := range t.words {
			if k := consonants(w); len(k) >= leastSound {
				t.sound[k] = append(t.sound[k], w)
			}
		}
	}
	return t
}

const (
	maxSounds  = 5000 // words of a list with an index of sounds
	leastSound = 4    // consonants of a word that is found by them
)

// consonants returns the first letter of a word and its other consonants, a double one once:
// "difrent" and "different" have the same.
func consonants(w string) string {
	out := []byte{w[0]}
	for i := 1; i < len(w); i++ {
		if !strings.ContainsRune("aeiouy", rune(w[i])) && w[i] != out[len(out)-1] {
			out = append(out, w[i])
		}
	}
	return string(out)
}

func (t *typos) bucket(short []byte) uint64 {
	return maphash.Bytes(t.seed, short) % uint64(len(t.start)-1)
}

// shortened calls visit with a word and with the word without each of its bytes. It returns
// the buffer that it used.
func shortened(w string, buf []byte, visit func([]byte)) []byte {
	buf = append(buf[:0], w...)
	visit(buf)
	if len(w) == 0 {
		return buf
	}
	buf = append(buf[:0], w[1:]...)
	for i := range len(w) {
		visit(buf)
		if i < len(buf) {
			buf[i] = w[i]
		}
	}
	return buf
}

// maxWord bounds the words that may be mistyped, in letters. It is above the longest words of
// English and of shops. The work on a word grows with the cube of its length.
const maxWord = 64

// near returns the words with the fewest typing errors between them and w, at most most,
// or else the words of a short list with the same consonants. It returns nil if there are none, or more than three as near.
func (t *typos) near(w string, most int) []string {
	if len(w) > maxWord {
		return nil
	}
	var found []string
	seen := map[uint32]bool{}
	var buf []byte
	visit := func(short []byte) {
		b := t.bucket(short)
		ids := t.ids[t.start[b]:t.start[b+1]]
		for _, id := range ids[:min(len(ids), maxBucket)] {
			have := t.words[id]
			if seen[id] || !sameStart(w, have) {
				continue
			}
			seen[id] = true
			switch d := editdistance.Bytes(w, have, most); {
			case d > most, d > 1 && w[0] != have[0]:
			case d < most:
				most, found = d, append(found[:0], have)
			default:
				found = append(found, have)
			}
		}
	}
	buf = shortened(w, buf, visit)
	if most > 1 {
		for i := range len(w) {
			buf = shortened(w[:i]+w[i+1:], buf, visit)
		}
	}
	if len(found) == 0 && len(w) > leastSound {
		const most = 3
		for _, have := range t.sound[consonants(w)] {
			if editdistance.Bytes(w, have, most) <= most {
				found = append(found, have)
			}
		}
	}
	if len(found) > maxFixes {
		return nil
	}
	return found
}

// maxFixes bounds the words that a mistyped one may be.
const maxFixes = 3

// sameStart reports whether two words begin alike, as a word and its typing error mostly do.
func sameStart(a, b string) bool {
	return a[0] == b[0] || len(a) > 1 && len(b) > 1 && (a[1] == b[0] || a[0] == b[1])
}

// maxTypos returns how many typing errors a word of n letters may have. Short words are too
// close to others.
func maxTypos(n int) int {
	switch {
	case n < 5:
		return 0
	case n < 9:
		return 1
	}
	return 2
}

// isWord reports whether a text is of letters only and not too long, as a word that may be
// mistyped is.
func isWord(s string) bool {
	return s != "" && len(s) <= maxWord && strings.IndexFunc(s, func(r rune) bool { return r < 'a' || r > 'z' }) < 0
}

// fixes returns what a word that is neither English nor shop talk may have been before a
// typing error: shop talk, or else the most frequent English word.
func fixes(t Token) []string {
	v := shared()
	w := t.Text
	if !isWord(w) || len(w) < 4 || english.Known(w) || english.Known(t.Lemma) || v.words[t.Lemma] || english.IsSuperlative(w) {
		return nil
	}
	found := v.typos.near(w, max(1, maxTypos(len(w))))
	if len(w) < 5 { // too short for another letter, or one too many
		found = slices.DeleteFunc(found, func(have string) bool { return len(have) <= len(w) && !isSwap(have, w) })
	}
	if len(found) > 0 {
		return found
	}
	if found := commonFix(w); found != "" {
		return []string{found}
	}
	return nil
}

// maxCommon is the rank up to which an English word is common enough to be what was meant.
const maxCommon = 12_000

// commonFix returns the most frequent English word with one typing error between it and w.
// In a short word a letter was left out or two are swapped.
func commonFix(w string) string {
	best, found := maxCommon, ""
	try := func(s []byte) {
		if r := english.Rank(string(s)); r > 0 && r < best {
			best, found = r, string(s)
		}
	}
	buf := make([]byte, 0, len(w)+1)
	for i := 0; i <= len(w); i++ {
		for c := byte('a'); c <= 'z'; c++ {
			if buf = append(append(append(buf[:0], w[:i]...), c), w[i:]...); i > 0 {
				try(buf) // a letter was left out
			}
			if i > 0 && i < len(w) && len(w) > 4 {
				buf = append(append(append(buf[:0], w[:i]...), c), w[i+1:]...)
				try(buf) // another letter
			}
		}
		if i > 0 && i < len(w) && len(w) > 4 {
			try(append(append(buf[:0], w[:i]...), w[i+1:]...)) // a letter too many
		}
		if i > 0 && i < len(w) {
			try(append(append(buf[:0], w[:i-1]...), append([]byte{w[i], w[i-1]}, w[i+1:]...)...))
		}
	}
	return found
}
