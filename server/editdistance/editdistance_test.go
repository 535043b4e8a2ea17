package editdistance

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestRunes(t *testing.T) {
	long := strings.Repeat("ab", maxOnStack)
	for _, c := range []struct {
		a, b  string
		limit int
		want  int
	}{
		{"", "", 0, 0},
		{"choco", "choco", 2, 0},
		{"choco", "chaco", 2, 1},       // changed
		{"choco", "chocco", 2, 1},      // added
		{"choco", "coco", 2, 1},        // left out
		{"choco", "cohco", 2, 1},       // swapped
		{"ca", "abc", 3, 3},            // no second mistake inside a swap
		{"ab", "bca", 3, 3},            // the same in the other direction
		{"choco", "vanilla", 2, 3},     // capped
		{"choco", "c", 2, 3},           // too short
		{"", "abc", 3, 3},              // nothing to align
		{"abcdef", "ab", 5, 4},         // only left out
		{long, "x" + long, 2, 1},       // longer than the buffer
		{"x" + long + "y", long, 2, 2}, // and as the first word
		{"müsli", "musli", 2, 1},       // one rune
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := Runes(pair[0], pair[1], c.limit); got != c.want {
				t.Errorf("Runes(%q, %q, %d) = %d, want %d", pair[0], pair[1], c.limit, got, c.want)
			}
		}
	}
	if got := Bytes("müsli", "musli", 2); got != 2 {
		t.Errorf("Bytes of müsli and musli = %d, want 2: ü is two bytes", got)
	}
}

// TestEqualsDefinition compares with the whole table of distances.
func TestEqualsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	letters := []rune("abü")
	word := func() string {
		w := make([]rune, r.IntN(9))
		for i := range w {
			w[i] = letters[r.IntN(len(letters))]
		}
		return string(w)
	}
	for range 200_000 {
		a, b, limit := word(), word(), r.IntN(4)
		if got, want := Runes(a, b, limit), min(wholeTable([]rune(a), []rune(b)), limit+1); got != want {
			t.Fatalf("Runes(%q, %q, %d) = %d, want %d", a, b, limit, got, want)
		}
		if got, want := Bytes(a, b, limit), min(wholeTable([]byte(a), []byte(b)), limit+1); got != want {
			t.Fatalf("Bytes(%q, %q, %d) = %d, want %d", a, b, limit, got, want)
		}
	}
}

func wholeTable[E byte | rune](a, b []E) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
		table[i][0] = i
		for j := range table[i] {
			if i == 0 {
				table[i][j] = j
				continue
			}
			if j == 0 {
				continue
			}
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			table[i][j] = min(table[i-1][j]+1, table[i][j-1]+1, table[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				table[i][j] = min(table[i][j], table[i-2][j-2]+1)
			}
		}
	}
	return table[len(a)][len(b)]
}
