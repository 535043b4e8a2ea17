package dataset

import (
	"testing"
	"time"
)

func TestNextBuild(t *testing.T) {
	began := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	for took, want := range map[time.Duration]time.Duration{
		0: 0, time.Second: time.Second, 2 * time.Second: 20 * time.Second,
	} {
		if got := nextBuild(began, began.Add(took)).Sub(began); got != want {
			t.Errorf("a build of %s: the next after %s, want %s", took, got, want)
		}
	}
}
