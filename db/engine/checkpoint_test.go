package engine_test

import (
	"os"
	"testing"

	"svc/db/engine"
)

// logSize returns the size of the write-ahead log of the database at path, in pages of 4 KiB.
func logSize(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	return info.Size() / 4096
}

// TestLogIsBoundedWhileLongReadsOverlap writes while there is always an old snapshot: a read
// ends only after the next has begun.
func TestLogIsBoundedWhileLongReadsOverlap(t *testing.T) {
	t.Parallel()
	const limit, reads, updates = 200, 20, 100 // each update writes at least one page
	for name, long := range map[string]func(*engine.Engine, func() error) error{
		"LongView": func(e *engine.Engine, fn func() error) error {
			return e.LongView(background, func(tx *engine.Tx) error {
				if _, err := read(tx, "a"); err != nil {
					return err
				}
				return fn()
			})
		},
		"Snapshot": func(e *engine.Engine, fn func() error) error {
			return e.Snapshot(background, func(q engine.Querier) error {
				if _, err := q.Query(background, 1, `SELECT n FROM counters`); err != nil {
					return err
				}
				return fn()
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			store := openAt(t, path)
			store.LimitLog(limit)
			update(t, store, count("a"))

			ended := make([]chan error, reads)
			begun := func(i int, until <-chan struct{}) {
				ended[i] = make(chan error, 1)
				go func() {
					ended[i] <- long(store, func() error { <-until; return nil })
				}()
			}
			var last chan struct{}
			for i := range reads {
				until := make(chan struct{})
				begun(i, until)
				for range updates {
					update(t, store, count("a", "b"))
				}
				if i > 0 {
					close(last)
					if err := <-ended[i-1]; err != nil {
						t.Fatal(err)
					}
				}
				last = until
			}
			close(last)
			if err := <-ended[reads-1]; err != nil {
				t.Fatal(err)
			}
			// A restart waits for the reads that run: two of them, and the checkpointer's turn.
			if size := logSize(t, path); size > limit+5*updates {
				t.Errorf("the log has %d pages after %d updates, want about %d", size, reads*updates, limit)
			}
		})
	}
}
