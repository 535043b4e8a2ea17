package engine_test

import (
	"errors"
	"fmt"
	"slices"
	"svc/db/engine"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func deferNotes(store *engine.Engine, texts ...string) {
	for _, text := range texts {
		store.Defer(addNote, text)
	}
}

func wantNotes(t *testing.T, store *engine.Engine, want ...string) {
	t.Helper()
	if got := noted(t, store); !slices.Equal(got, want) {
		t.Errorf("stored rows %v, want %v", got, want)
	}
}

func TestDefer(t *testing.T) {
	t.Parallel()
	t.Run("RunsAfterDelay", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := open(t)
			deferNotes(store, "note_1", "note_2")
			update(t, store, count("a"))
			wantNotes(t, store) // they wait for the delay

			time.Sleep(engine.DeferDelay)
			synctest.Wait()
			wantNotes(t, store, "note_1", "note_2")
		})
	})

	t.Run("DelayStartsWithFirstRow", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := open(t)
			deferNotes(store, "note_1")
			time.Sleep(engine.DeferDelay / 2)
			deferNotes(store, "note_2")
			time.Sleep(engine.DeferDelay / 2)
			synctest.Wait()
			wantNotes(t, store, "note_1", "note_2")

			deferNotes(store, "note_3")
			update(t, store, count("a"))
			wantNotes(t, store, "note_1", "note_2")
			time.Sleep(engine.DeferDelay)
			synctest.Wait()
			wantNotes(t, store, "note_1", "note_2", "note_3")
		})
	})

	t.Run("ChunkRunsWithNextBatch", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := open(t)
			deferChunk(store)
			update(t, store, count("a"))
			if n := len(noted(t, store)); n != engine.DeferChunk {
				t.Errorf("%d rows are stored, want %d", n, engine.DeferChunk)
			}

			// The delay of the chunk ends with it: a row that comes just before has a
			// delay of its own.
			time.Sleep(engine.DeferDelay - time.Millisecond)
			deferNotes(store, "note_own")
			time.Sleep(2 * time.Millisecond)
			update(t, store, count("a"))
			if n := len(noted(t, store)); n != engine.DeferChunk {
				t.Errorf("%d rows are stored, want %d and one waiting", n, engine.DeferChunk)
			}
			time.Sleep(engine.DeferDelay)
			synctest.Wait()
			if n := len(noted(t, store)); n != engine.DeferChunk+1 {
				t.Errorf("%d rows are stored, want %d", n, engine.DeferChunk+1)
			}
		})
	})

	t.Run("RunsBeforeClose", func(t *testing.T) {
		path := newPath(t)
		store := openAt(t, path)
		deferNotes(store, "note_1", "note_2")
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		wantNotes(t, openAt(t, path), "note_1", "note_2")
	})

	t.Run("SurvivesFailedBatch", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := open(t)
			deferChunk(store)
			for range 3 {
				err := store.Update(t.Context(), func(tx *engine.Tx) error {
					return errors.Join(tx.SQL("PRAGMA query_only = 1"), count("a")(tx))
				})
				wantErr(t, err, engine.ErrUnavailable)
			}
			wantNotes(t, store)

			time.Sleep(engine.DeferDelay)
			synctest.Wait()
			if n := len(noted(t, store)); n != engine.DeferChunk {
				t.Errorf("%d rows are stored, want each of %d once", n, engine.DeferChunk)
			}
		})
	})

	t.Run("RunsEachOnce", func(t *testing.T) {
		path := newPath(t)
		store := openAt(t, path)
		const callers, rows = 4, 500
		var wg sync.WaitGroup
		for caller := range callers {
			wg.Go(func() {
				for i := range rows {
					deferNotes(store, fmt.Sprint("note_", caller, "_", i))
					if i%10 == 0 {
						if err := store.RelaxedUpdate(t.Context(), count("a")); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		wg.Wait()
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		stored := noted(t, openAt(t, path))
		slices.Sort(stored)
		if unique := slices.Compact(slices.Clone(stored)); len(stored) != callers*rows || len(unique) != len(stored) {
			t.Errorf("%d rows are stored, %d of them different, want %d", len(stored), len(unique), callers*rows)
		}
	})

	t.Run("RetriesAfterDelay", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := open(t)
			var broken atomic.Bool
			broken.Store(true)
			err := store.Update(t.Context(), func(tx *engine.Tx) error {
				store.ReadOnlyWhile(&broken)
				return errors.Join(tx.SQL("PRAGMA query_only = 1"), count("a")(tx))
			})
			wantErr(t, err, engine.ErrUnavailable)

			deferNotes(store, "note_1")
			time.Sleep(10 * engine.DeferDelay) // passes only if the writer pauses between its tries
			broken.Store(false)
			time.Sleep(engine.DeferDelay)
			synctest.Wait()
			wantNotes(t, store, "note_1")
		})
	})

	t.Run("IsBounded", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := open(t)
			release := hold(store)
			for i := range engine.DeferLimit + 5 {
				deferNotes(store, fmt.Sprint("note_", i))
			}
			release()
			time.Sleep(engine.DeferDelay)
			synctest.Wait()
			if n := len(noted(t, store)); n != engine.DeferLimit {
				t.Errorf("%d rows are stored, want %d", n, engine.DeferLimit)
			}
		})
	})

	t.Run("WaitsForLock", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			path := newPath(t)
			store, other := openAt(t, path), rawOpen(t, path)
			mustExec(t, other, "BEGIN IMMEDIATE")
			deferNotes(store, "note_1")
			time.Sleep(3 * engine.LockTimeout)
			mustExec(t, other, "COMMIT")
			time.Sleep(engine.DeferDelay + time.Millisecond)
			synctest.Wait()
			wantNotes(t, store, "note_1")
		})
	})
}

// deferChunk defers as many rows as the next batch takes without waiting for the delay.
func deferChunk(store *engine.Engine) {
	for i := range engine.DeferChunk {
		deferNotes(store, fmt.Sprint("note_chunk_", i))
	}
}
