package read_test

import (
	"runtime"
	"testing"

	"svc/server/ask/read"
	"svc/server/schema"
)

// Garbage of questions makes the calls of others slow, since the collector runs beside them.
// It was 1,160 kB for this one when each state of a reading had its whole meaning, then 350.
func TestReadingMakesLittleGarbage(t *testing.T) {
	const question = "top 5 customers by revenue in 2024 compared with the year before"
	const most, runs = 500_000, 20
	r := read.New([]schema.Source{sales()})
	reads := func() {
		if _, err := r.Read(question, today); err != nil {
			t.Fatal(err)
		}
	}
	reads() // makes what is kept
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range runs {
		reads()
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / runs; got > most {
		t.Errorf("a question makes %d bytes of garbage, at most %d are expected", got, most)
	}
}
