package fairqueue

import (
	"context"
	"syscall"
	"testing"
)

// nice returns the niceness of the calling thread.
func nice(t *testing.T) int {
	t.Helper()
	raw, err := syscall.Getpriority(syscall.PRIO_PROCESS, syscall.Gettid())
	if err != nil {
		t.Fatal(err)
	}
	return 20 - raw
}

// Heavy work runs on threads that are nicer than those of the rest, also of what it starts.
func TestHeavyThreadsAreNicer(t *testing.T) {
	q := New(1)
	usual := nice(t)
	want := min(usual+niceness, 19)
	for range 3 {
		var in, beside int
		if err := q.Do(t.Context(), Questions, "a", func(context.Context) error {
			in = nice(t)
			started := make(chan int)
			go func() { started <- nice(t) }()
			beside = <-started
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if now := nice(t); in != want || beside != usual || now != usual {
			t.Errorf("in the slot %d, beside it %d, after it %d; want %d, %d and %d", in, beside, now, want, usual, usual)
		}
	}
}
