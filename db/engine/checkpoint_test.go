package engine_test

import (
	"encoding/binary"
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

// restarts returns how often the write-ahead log of the database at path has started anew, as
// its header counts.
func restarts(t *testing.T, path string) uint32 {
	t.Helper()
	log, err := os.Open(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	count := make([]byte, 4)
	if _, err := log.ReadAt(count, 12); err != nil {
		t.Fatal(err)
	}
	return binary.BigEndian.Uint32(count)
}

// TestLogIsBoundedWhileLongReadsOverlap writes while there is always an old snapshot: a read
// ends only after the next was asked for. The log starts anew nevertheless, how soon depends
// on the machine. Without a limit it does not in all the time that the test allows.
func TestLogIsBoundedWhileLongReadsOverlap(t *testing.T) {
	t.Parallel()
	const limit, reads, updates = 200, 100, 100 // each update writes at least one page
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

			begin := func() (end func() error) {
				until, ended := make(chan struct{}), make(chan error, 1)
				go func() {
					ended <- long(store, func() error { <-until; return nil })
				}()
				return func() error { close(until); return <-ended }
			}
			before, last := restarts(t, path), begin()
			for n := 0; restarts(t, path) == before; n++ {
				if n == reads {
					t.Errorf("the log did not start anew in %d updates", reads*updates)
					break
				}
				next := begin()
				for range updates {
					update(t, store, count("a", "b"))
				}
				if err := last(); err != nil {
					t.Fatal(err)
				}
				last = next
			}
			if err := last(); err != nil {
				t.Fatal(err)
			}
		})
	}
}
