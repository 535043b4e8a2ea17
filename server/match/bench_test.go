package match

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// large is the size of the inventory in the goals: a search takes less than 20 ms, and
// the index less than 100 MB.
const large = 100_000

// inventory returns n invented items, some with sizes and some with model numbers. The
// frequencies of its words follow Zipf's law, as in natural language.
func inventory(n int) []Item {
	r := rand.New(rand.NewPCG(7, 11))
	syllables := []string{"ba", "co", "der", "fi", "gan", "hol", "ja", "kre", "lu", "mint", "no", "pra", "quo", "ras", "sel", "tro", "va", "wen", "yo", "zu", "chi", "sta", "ple", "mar"}
	words := make([]string, 20_000)
	for i := range words {
		for range 2 + r.IntN(3) {
			words[i] += syllables[r.IntN(len(syllables))]
		}
	}
	zipf := rand.NewZipf(r, 1.1, 8, uint64(len(words)-1))
	sizes := []string{"250 g", "500g", "1 kg", "330ml", "6 x 330 ml", "1,5 l", "12 oz", "pack of 4", "2%", "10 in"}
	items := make([]Item, n)
	for i := range items {
		name := ""
		for range 3 + r.IntN(5) {
			name += words[zipf.Uint64()] + " "
		}
		switch r.IntN(4) {
		case 0:
			name += fmt.Sprintf("%c%c-%d%c", 'A'+r.IntN(26), 'A'+r.IntN(26), r.IntN(10000), 'A'+r.IntN(26))
		default:
			name += sizes[r.IntN(len(sizes))]
		}
		items[i] = Item{
			ID:   fmt.Sprintf("item_%022d", i),
			Name: name,
			SKU:  fmt.Sprintf("SKU-%06d", i),
		}
	}
	return items
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// The memory includes the items, which the index keeps.
func TestIndexFitsInMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("100,000 items take several seconds")
	}
	before := heap()
	x := New(inventory(large))
	if mb := float64(heap()-before) / 1e6; mb > 100 {
		t.Errorf("%d items take %.0f MB, want at most 100", x.Len(), mb)
	}
	x.Find("anything at all") // the index keeps its buffers
	if mb := float64(heap()-before) / 1e6; mb > 100 {
		t.Errorf("with one search %d items take %.0f MB, want at most 100", x.Len(), mb)
	}
	runtime.KeepAlive(x)
}

// crowd returns an inventory in which each word is in most names and similar to the
// other words, and a function that returns further names of the same words.
func crowd(n int) (x *Index, name func() string) {
	r := rand.New(rand.NewPCG(3, 3))
	words := make([]string, 300)
	for i := range words {
		words[i] = fmt.Sprintf("station%c%c%cing", 'a'+r.IntN(26), 'a'+r.IntN(26), 'a'+r.IntN(26))
	}
	name = func() string {
		s := ""
		for range maxWords - 2 {
			s += words[r.IntN(len(words))] + " "
		}
		return s
	}
	items := make([]Item, n)
	for i := range items {
		items[i] = Item{ID: id(i), Name: name() + fmt.Sprintf("the%d", i)}
	}
	return New(items), name
}

// The test counts the work instead of measuring time.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("nothing runs beside another here; run it without -short")
	}
	const items = 20_000
	x, name := crowd(items)
	r := rand.New(rand.NewPCG(4, 4))
	misspelled := ""
	for range maxWords {
		misspelled += typo(r, name()[:13]) + " "
	}
	rare := ""
	for i := range maxWords {
		rare += fmt.Sprintf("the%d ", 100+i)
	}
	namesBound, trigramsBound := false, false
	for _, query := range []string{name(), misspelled, name() + misspelled, rare, "the7", "stationing", strings.Repeat(misspelled, 100)} {
		var s search
		found := s.run(x, parse(query))
		if s.trigramsLeft < 0 || s.namesLeft < 0 || len(s.ranked) > maxScored || len(found) > maxScored || len(s.expansions) > maxWords*(maxSimilar+1+2*maxWord) {
			t.Errorf("%.40q: %d expansions, %d trigram reads left, %d name reads left, %d names compared; want all within their bounds",
				query, len(s.expansions), s.trigramsLeft, s.namesLeft, len(s.ranked))
		}
		namesBound = namesBound || s.namesLeft < items && len(s.ranked) == maxScored
		trigramsBound = trigramsBound || s.trigramsLeft < items
		for i, sum := range s.sums {
			if sum != 0 {
				t.Fatalf("%.40q: sums[%d] is not reset to 0", query, i)
			}
		}
		for i, n := range s.shared {
			if n != 0 {
				t.Fatalf("%.40q: shared[%d] is not reset to 0", query, i)
			}
		}
	}
	if !namesBound || !trigramsBound {
		t.Errorf("no query reached the bounds: names %v, trigrams %v", namesBound, trigramsBound)
	}
	expectFind(t, x, x.items[id(77)].Name, id(77))

	// The rarest words are read first, so that the others cannot use up the bounds.
	var s search
	s.run(x, parse(misspelled[:len(misspelled)/2]+" the77"))
	if first := x.words.words[s.expansions[0].word]; first.text != "the77" {
		t.Errorf("the first expansion is %s, which %d names have; want the77", first.text, len(first.names))
	}
}

func BenchmarkFind(b *testing.B) {
	items := inventory(large)
	x := New(items)
	r := rand.New(rand.NewPCG(1, 1))
	queries := make([]string, 500)
	for i := range queries {
		queries[i] = typo(r, drop(r, items[r.IntN(len(items))].Name))
	}
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		x.Find(queries[i%len(queries)])
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
	b.ReportMetric(float64(took[len(took)-1].Microseconds()), "max-µs")
}

func BenchmarkNew(b *testing.B) {
	items := inventory(large)
	before := heap()
	var x *Index
	for b.Loop() {
		x = New(items)
	}
	b.ReportMetric(float64(heap()-before)/1e6, "heap-MB")
	runtime.KeepAlive(x)
}

// BenchmarkPut replaces items of a large inventory.
func BenchmarkPut(b *testing.B) {
	items := inventory(large)
	x := New(items)
	for i := 0; b.Loop(); i++ {
		x.Put(items[i%len(items)])
	}
}

// BenchmarkFindWorst searches with the most expensive inventories and names that an
// attacker could choose.
func BenchmarkFindWorst(b *testing.B) {
	crowded, name := crowd(large)
	r := rand.New(rand.NewPCG(4, 4))
	misspelled := ""
	for range maxWords {
		misspelled += typo(r, name()[:13]) + " "
	}
	// Words with the same beginning, in descending order.
	items := make([]Item, large)
	for i := range items {
		items[i] = Item{ID: id(i), Name: "prod" + strings.Map(func(r rune) rune { return 'j' - (r - '0') }, fmt.Sprintf("%06d", i))}
	}
	for _, worst := range []struct {
		name  string
		x     *Index
		query string
	}{{"CommonWords", crowded, name()}, {"Slips", crowded, misspelled}, {"OneBeginning", New(items), "prod"}} {
		b.Run(worst.name, func(b *testing.B) {
			for b.Loop() {
				worst.x.Find(worst.query)
			}
		})
	}
}

// BenchmarkOneAlias indexes items that all have the same alias.
func BenchmarkOneAlias(b *testing.B) {
	items := make([]Item, large)
	for i := range items {
		items[i] = Item{ID: id(i), Name: "thing", Aliases: []string{"same"}}
	}
	for b.Loop() {
		New(items)
	}
}
