package engine_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"svc/db/engine"
)

func TestUpdateBatch(t *testing.T) {
	t.Parallel()
	t.Run("UndoesOnlyFailingUpdates", func(t *testing.T) { synctest.Test(t, undoesOnlyFailingUpdates) })

	t.Run("SkipsManyCancelledUpdates", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := open(t)
			release := hold(store)
			ctx, cancel := context.WithCancel(t.Context())
			for range 3 * engine.MaxBatch {
				enqueue(ctx, store, count("cancelled"))
			}
			last := enqueue(t.Context(), store, count("last"))
			cancel()
			synctest.Wait()
			release()

			if o := <-last; o.err != nil {
				t.Error(o.err)
			}
			wantCount(t, store, "cancelled", 0)
			wantCount(t, store, "last", 1)
		})
	})

	t.Run("SplitsLongQueue", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := open(t)
			release := hold(store)
			const updates = 2*engine.MaxBatch + 1
			var queued []<-chan outcome
			for range updates {
				queued = append(queued, enqueue(t.Context(), store, count("a")))
			}
			release()
			for _, ended := range queued {
				if o := <-ended; o.err != nil {
					t.Error(o.err)
				}
			}
			wantCount(t, store, "a", updates)
		})
	})
}

// ticking returns a clock that moves at each call, so that each transaction has its
// own time.
func ticking() func() time.Time {
	clock := newClock()
	return func() time.Time {
		clock.Advance(time.Second)
		return clock.Now()
	}
}

func undoesOnlyFailingUpdates(t *testing.T) {
	const updates, failing, panicking, cancelled = 10, 3, 5, 7
	o := options(newPath(t))
	o.Clock = ticking()
	store := openWith(t, o)
	release := hold(store)

	ctx, cancel := context.WithCancel(t.Context())
	batches := map[time.Time]bool{}
	var queued [updates]<-chan outcome
	for i := range queued {
		updateCtx := background
		if i == cancelled {
			updateCtx = ctx
		}
		queued[i] = enqueue(updateCtx, store, func(tx *engine.Tx) error {
			batches[tx.Now()] = true
			if err := count("shared", fmt.Sprint("update ", i))(tx); err != nil {
				return err
			}
			switch i {
			case failing:
				return errRefused
			case panicking:
				panic("panic of the test")
			}
			return nil
		})
	}
	cancel()
	synctest.Wait()
	release()

	model := map[string]int64{}
	for i, ended := range queued {
		o := <-ended
		switch i {
		case failing:
			wantErr(t, o.err, errRefused)
		case panicking:
			if text := fmt.Sprint(o.panicked); !strings.Contains(text, "panic of the test") {
				t.Errorf("caller got panic %q", text)
			}
		case cancelled:
			wantErr(t, o.err, context.Canceled)
		default:
			if o != (outcome{}) {
				t.Errorf("update %d: %+v", i, o)
			}
			model["shared"]++
			model[fmt.Sprint("update ", i)]++
		}
		wantCount(t, store, fmt.Sprint("update ", i), model[fmt.Sprint("update ", i)])
	}
	wantCount(t, store, "shared", model["shared"])
	if len(batches) != 1 {
		t.Errorf("updates ran in %d transactions, want 1", len(batches))
	}
}

// Each of faults breaks the connection that it runs on, so that one of the engine's
// own statements fails, at once or at the commit.
var faults = []struct {
	name  string
	cause func(*engine.Tx) error
}{
	{"FullDisk", func(tx *engine.Tx) error {
		if err := tx.SQL("PRAGMA max_page_count = 1"); err != nil { // less than there is
			return err
		}
		return note(strings.Repeat("x", 1<<20))(tx)
	}},
	{"ReadOnly", func(tx *engine.Tx) error {
		if err := tx.SQL("PRAGMA query_only = 1"); err != nil {
			return err
		}
		return count("fault")(tx)
	}},
	{"DroppedError", func(tx *engine.Tx) error {
		if err := tx.SQL("PRAGMA query_only = 1"); err != nil {
			return err
		}
		_ = count("fault")(tx)
		return nil
	}},
	{"DroppedErrorAndMoreWrites", func(tx *engine.Tx) error {
		// After an interrupt SQLite rolls the whole transaction back by itself, and
		// each later statement would commit alone.
		if err := tx.SQL("PRAGMA query_only = 1"); err != nil {
			return err
		}
		_ = count("fault")(tx)
		if err := errors.Join(tx.SQL("PRAGMA query_only = 0"), tx.SQL("ROLLBACK")); err != nil {
			return err
		}
		_ = count("fault")(tx)
		_ = note("fault")(tx)
		return nil
	}},
	{"DroppedErrorAndPanic", func(tx *engine.Tx) error {
		if err := tx.SQL("PRAGMA query_only = 1"); err != nil {
			return err
		}
		_ = count("fault")(tx)
		panic("after the fault")
	}},
	{"TransactionGone", func(tx *engine.Tx) error {
		return errors.Join(count("fault")(tx), tx.SQL("ROLLBACK"))
	}},
	{"FailedCommit", func(tx *engine.Tx) error {
		if err := tx.SQL("PRAGMA defer_foreign_keys = ON"); err != nil {
			return err
		}
		return dangle(tx)
	}},
}

func TestFaultFailsWholeBatch(t *testing.T) {
	t.Parallel()
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := open(t)
				update(t, store, count("before"))

				release := hold(store)
				queued := []<-chan outcome{
					enqueue(t.Context(), store, func(*engine.Tx) error { return errRefused }),
					enqueue(t.Context(), store, count("a")),
					enqueue(t.Context(), store, fault.cause),
					enqueue(t.Context(), store, count("a", "b")),
				}
				release()
				for i, ended := range queued {
					if o := <-ended; o.panicked == nil {
						wantErr(t, o.err, engine.ErrUnavailable)
					} else if i != 2 {
						t.Errorf("update %d got panic %v", i, o.panicked)
					}
				}

				// The engine works again, and nothing of the batch is stored.
				update(t, store, count("after"))
				for name, want := range map[string]int64{"before": 1, "a": 0, "b": 0, "fault": 0, "after": 1} {
					wantCount(t, store, name, want)
				}
				if texts := noted(t, store); len(texts) > 0 {
					t.Errorf("%d notes were stored, want none", len(texts))
				}
			})
		})
	}
}

func TestLastingFaultFailsUntilRepaired(t *testing.T) {
	t.Parallel()
	store := open(t)
	update(t, store, count("a"))

	var broken atomic.Bool
	broken.Store(true)
	err := store.Update(t.Context(), func(tx *engine.Tx) error {
		store.ReadOnlyWhile(&broken)
		return errors.Join(tx.SQL("PRAGMA query_only = 1"), count("a")(tx))
	})
	wantErr(t, err, engine.ErrUnavailable)
	for range 3 {
		wantErr(t, store.Update(t.Context(), count("a")), engine.ErrUnavailable)
		wantErr(t, store.RelaxedUpdate(t.Context(), count("a")), engine.ErrUnavailable)
		wantCount(t, store, "a", 1)
	}

	broken.Store(false)
	update(t, store, count("a"))
	wantCount(t, store, "a", 2)
}

func TestStatementErrorFailsOneUpdate(t *testing.T) {
	t.Parallel()
	// A statement that SQLite refuses does not affect the rest of the batch.
	synctest.Test(t, func(t *testing.T) {
		store := open(t)
		release := hold(store)
		good := enqueue(t.Context(), store, count("a"))
		dangling := enqueue(t.Context(), store, dangle)
		wrong := enqueue(t.Context(), store, func(tx *engine.Tx) error { return tx.SQL("not SQL") })
		dropped := enqueue(t.Context(), store, func(tx *engine.Tx) error {
			_ = tx.SQL("not SQL")
			return count("a")(tx)
		})
		release()

		for _, ended := range []<-chan outcome{good, dropped} {
			if o := <-ended; o.err != nil {
				t.Error(o.err)
			}
		}
		for _, ended := range []<-chan outcome{dangling, wrong} {
			if o := <-ended; o.err == nil || errors.Is(o.err, engine.ErrUnavailable) {
				t.Errorf("error is %v, want the statement's own", o.err)
			}
		}
		wantCount(t, store, "a", 2)
	})
}

func TestLockedFile(t *testing.T) {
	t.Parallel()
	// other holds the write lock. Time in a bubble passes only while all goroutines
	// wait.
	locked := func(t *testing.T) (store *engine.Engine, other *sql.DB) {
		path := newPath(t)
		store, other = openAt(t, path), rawOpen(t, path)
		update(t, store, count("a"))
		mustExec(t, other, "BEGIN IMMEDIATE")
		return store, other
	}

	t.Run("WaitsForLock", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, other := locked(t)
			waiting := enqueue(t.Context(), store, count("a"))
			time.Sleep(engine.LockTimeout / 2)
			mustExec(t, other, "COMMIT")
			if o := <-waiting; o.err != nil {
				t.Error(o.err)
			}
			wantCount(t, store, "a", 2)
		})
	})

	t.Run("WaitsWhileOpening", func(t *testing.T) {
		path := newPath(t)
		if _, err := engine.Migrate(t.Context(), path, schema); err != nil {
			t.Fatal(err)
		}
		other := rawOpen(t, path)
		mustExec(t, other, "PRAGMA journal_mode = DELETE") // where one process can lock all others out
		mustExec(t, other, "BEGIN EXCLUSIVE")
		if err := os.Remove(path + ".lock"); err != nil {
			t.Fatal(err)
		}
		opened := make(chan error)
		go func() {
			store, err := engine.Open(background, options(path))
			if err == nil {
				err = store.Close()
			}
			opened <- err
		}()
		for _, err := os.Stat(path + ".lock"); err != nil; _, err = os.Stat(path + ".lock") {
			runtime.Gosched() // until Open has begun
		}
		mustExec(t, other, "COMMIT")
		if err := <-opened; err != nil {
			t.Error(err)
		}
	})

	t.Run("FailsAfterTimeout", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, other := locked(t)
			wantErr(t, store.Update(t.Context(), count("a")), engine.ErrUnavailable)
			wantCount(t, store, "a", 1)

			mustExec(t, other, "COMMIT")
			update(t, store, count("a"))
			wantCount(t, store, "a", 2)
		})
	})
}
