// Package editdistance counts the typing mistakes between two words. How many mistakes
// a word may have is up to the callers, match and ask.
package editdistance

import "unicode/utf8"

// Runes returns how many letters must be changed, added, left out or swapped with the
// next to turn a into b (optimal string alignment), or limit+1 if they are more than
// limit.
func Runes(a, b string, limit int) int {
	a, b = differing(a, b)
	if isASCII(a) && isASCII(b) {
		return bounded([]byte(a), []byte(b), limit)
	}
	return bounded([]rune(a), []rune(b), limit)
}

// Bytes is like Runes but counts bytes, for callers that index words by their bytes.
func Bytes(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	a, b = differing(a, b)
	return bounded([]byte(a), []byte(b), limit)
}

// differing returns a and b without the ASCII letters that both begin or end with.
func differing(a, b string) (string, string) {
	for a != "" && b != "" && a[0] == b[0] && a[0] < utf8.RuneSelf {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] && a[len(a)-1] < utf8.RuneSelf {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return a, b
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// maxOnStack bounds the words that bounded compares without an allocation.
const maxOnStack = 48

// bounded fills the table of distances row by row and keeps three rows, one more than
// a swap reaches back.
func bounded[E byte | rune](a, b []E, limit int) int {
	var buf [3 * (maxOnStack + 1)]int32
	cells, width := buf[:], len(b)+1
	if len(b) > maxOnStack {
		cells = make([]int32, 3*width)
	}
	previous, last, row := cells[:width], cells[width:2*width], cells[2*width:3*width]
	for j := range last {
		last[j] = int32(j)
	}
	for i := 1; i <= len(a); i++ {
		row[0] = int32(i)
		least := row[0]
		for j := 1; j <= len(b); j++ {
			d := last[j-1]
			if a[i-1] != b[j-1] {
				d = 1 + min(d, last[j], row[j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, previous[j-2]+1)
			}
			row[j] = d
			least = min(least, d)
		}
		if int(least) > limit {
			return limit + 1
		}
		previous, last, row = last, row, previous
	}
	return min(int(last[len(b)]), limit+1)
}
