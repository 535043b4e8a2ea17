package link

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"svc/server/schema"
)

// large returns a source of 10 text columns with schema.MaxValues different values each, of
// one to three invented words.
func large() schema.Source {
	r := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("ba ne ri to lu ma ke si do fa pel rin tas mor lin gar ven ost ul ich")
	word := func() string {
		var b strings.Builder
		for range 2 + r.IntN(3) {
			b.WriteString(syllables[r.IntN(len(syllables))])
		}
		return b.String()
	}
	s := schema.Source{ID: "l", Name: "large"}
	for i := range 10 {
		c := schema.Column{Heading: fmt.Sprintf("Field %d", i), Type: schema.Text, Distinct: schema.MaxValues}
		for j := range schema.MaxValues {
			c.Values = append(c.Values, fmt.Sprintf("%s %s %d", word(), word(), j))
		}
		s.Columns = append(s.Columns, c)
	}
	return s
}

func BenchmarkNew(b *testing.B) {
	s := large()
	shared()
	b.ResetTimer()
	for b.Loop() {
		New(s)
	}
}

func BenchmarkMentions(b *testing.B) {
	for _, c := range []struct {
		name   string
		source schema.Source
	}{{"Bakery", bakery}, {"Large", large()}} {
		x := New(c.source)
		tokens := Tokenize("what is the average takings of the harbour branch by loaf last year")
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := x.Mentions(b.Context(), tokens); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkTokenize(b *testing.B) {
	for b.Loop() {
		Tokenize("what is the average takings of the harbour branch by loaf last year")
	}
}

// gibberish is 110 words that nobody knows.
func gibberish() string {
	r := rand.New(rand.NewPCG(3, 4))
	var words []string
	for range 110 {
		w := make([]byte, 8+r.IntN(4))
		for i := range w {
			w[i] = "banerituls"[r.IntN(10)]
		}
		words = append(words, string(w))
	}
	return strings.Join(words, " ")
}

func BenchmarkGibberish(b *testing.B) {
	x := New(large())
	for b.Loop() {
		if _, err := x.Mentions(b.Context(), Tokenize(gibberish())); err != nil {
			b.Fatal(err)
		}
	}
}

func TestLargeSourceIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing runs beside another here; run it without -short")
	}
	s := large()
	shared()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	start := time.Now()
	x := New(s)
	took := time.Since(start)
	const mostBytes = 60 << 20
	if used := heap() - before; used > mostBytes {
		t.Errorf("a lexicon of 200,000 values takes %d MB, want at most %d", used>>20, mostBytes>>20)
	}
	t.Logf("%v, %d MB", took, (heap()-before)>>20)
	runtime.KeepAlive(x)
}

func TestMentionsHonoursContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(bakery).Mentions(ctx, Tokenize("takings by branch")); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
}
