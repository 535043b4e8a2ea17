package db_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

func TestBatch(t *testing.T) {
	t.Run("OnlyTheFailingAreUndone", func(t *testing.T) { synctest.Test(t, onlyTheFailingAreUndone) })

	t.Run("ManyCancelledHideNobody", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := dbtest.Open(t, dbtest.NewClock())
			release := hold(store)
			ctx, cancel := context.WithCancel(t.Context())
			for range 3 * db.MaxBatch {
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

	t.Run("LongLineInSeveral", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := dbtest.Open(t, dbtest.NewClock())
			release := hold(store)
			const members = 2*db.MaxBatch + 1
			var queued []<-chan outcome
			for range members {
				queued = append(queued, enqueue(t.Context(), store, count("a")))
			}
			release()
			for _, ended := range queued {
				if o := <-ended; o.err != nil {
					t.Error(o.err)
				}
			}
			wantCount(t, store, "a", members)
		})
	})
}

// ticking is a clock that moves with each look, so each transaction has a time
// of its own.
func ticking() func() time.Time {
	clock := dbtest.NewClock()
	return func() time.Time {
		clock.Advance(time.Second)
		return clock.Now()
	}
}

func onlyTheFailingAreUndone(t *testing.T) {
	const members, failing, panicking, cancelled = 10, 3, 5, 7
	store, err := db.Open(t.Context(), db.Options{Path: filepath.Join(t.TempDir(), "svc.db"), Clock: ticking()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	release := hold(store)

	ctx, cancel := context.WithCancel(t.Context())
	batches := map[time.Time]bool{}
	var queued [members]<-chan outcome
	for i := range queued {
		memberCtx := context.Background()
		if i == cancelled {
			memberCtx = ctx
		}
		queued[i] = enqueue(memberCtx, store, func(tx *db.Tx) error {
			batches[tx.Now()] = true
			if err := count("shared", fmt.Sprint("member ", i))(tx); err != nil {
				return err
			}
			switch i {
			case failing:
				return errRefused
			case panicking:
				panic("out of the test's hat")
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
			if text := fmt.Sprint(o.panicked); !strings.Contains(text, "out of the test's hat") {
				t.Errorf("the caller got the panic %q", text)
			}
		case cancelled:
			wantErr(t, o.err, context.Canceled)
		default:
			if o != (outcome{}) {
				t.Errorf("member %d: %+v", i, o)
			}
			model["shared"]++
			model[fmt.Sprint("member ", i)]++
		}
		wantCount(t, store, fmt.Sprint("member ", i), model[fmt.Sprint("member ", i)])
	}
	wantCount(t, store, "shared", model["shared"])
	if len(batches) != 1 {
		t.Errorf("the members ran in %d transactions, want one", len(batches))
	}
}

// A fault breaks the connection of the member that it runs in, so that one of
// the store's own statements fails, now or at the commit.
var faults = []struct {
	name  string
	cause func(*db.Tx) error
}{
	{"FullDisk", func(tx *db.Tx) error {
		if err := tx.SQL("PRAGMA max_page_count = 1"); err != nil { // of what is there already, more stays
			return err
		}
		return tx.SetSetting("large", strings.Repeat("x", 1<<20))
	}},
	{"ReadOnly", func(tx *db.Tx) error {
		if err := tx.SQL("PRAGMA query_only = 1"); err != nil {
			return err
		}
		return count("fault")(tx)
	}},
	{"Swallowed", func(tx *db.Tx) error {
		if err := tx.SQL("PRAGMA query_only = 1"); err != nil {
			return err
		}
		_ = count("fault")(tx)
		return nil
	}},
	{"SwallowedAndWroteOn", func(tx *db.Tx) error {
		// As SQLite does after an interrupt: it rolls the whole transaction back,
		// and what follows would commit by itself.
		if err := tx.SQL("PRAGMA query_only = 1"); err != nil {
			return err
		}
		_ = count("fault")(tx)
		if err := errors.Join(tx.SQL("PRAGMA query_only = 0"), tx.SQL("ROLLBACK")); err != nil {
			return err
		}
		_ = count("fault")(tx)
		_ = tx.SetSetting("fault", "stored")
		return nil
	}},
	{"SwallowedAndPanicked", func(tx *db.Tx) error {
		if err := tx.SQL("PRAGMA query_only = 1"); err != nil {
			return err
		}
		_ = count("fault")(tx)
		panic("after the fault")
	}},
	{"TransactionGone", func(tx *db.Tx) error {
		return errors.Join(count("fault")(tx), tx.SQL("ROLLBACK"))
	}},
	{"FailedCommit", func(tx *db.Tx) error {
		if err := tx.SQL("PRAGMA defer_foreign_keys = ON"); err != nil {
			return err
		}
		_, _, err := tx.CreateKey(db.Key{AccountID: "acct_none", Env: db.Test, Mode: db.AccountMode})
		return err
	}},
}

func TestFault(t *testing.T) {
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := dbtest.Open(t, dbtest.NewClock())
				dbtest.Update(t, store, count("before"))

				release := hold(store)
				queued := []<-chan outcome{
					enqueue(t.Context(), store, func(*db.Tx) error { return errRefused }),
					enqueue(t.Context(), store, count("a")),
					enqueue(t.Context(), store, fault.cause),
					enqueue(t.Context(), store, count("a", "b")),
				}
				release()
				for i, ended := range queued {
					if o := <-ended; o.panicked == nil {
						wantErr(t, o.err, db.ErrUnavailable)
					} else if i != 2 {
						t.Errorf("member %d got the panic %v", i, o.panicked)
					}
				}

				// The store is itself again, and nothing of the batch is in it.
				dbtest.Update(t, store, count("after"))
				for name, want := range map[string]int64{"before": 1, "a": 0, "b": 0, "fault": 0, "after": 1} {
					wantCount(t, store, name, want)
				}
				for _, name := range []string{"large", "fault"} {
					value := get(t, store, func(tx *db.Tx) (string, error) { return tx.Setting(name) })
					if value != "" {
						t.Errorf("setting %s was stored", name)
					}
				}
			})
		})
	}
}

func TestFaultThatLasts(t *testing.T) {
	store := dbtest.Open(t, dbtest.NewClock())
	dbtest.Update(t, store, count("a"))

	var broken atomic.Bool
	broken.Store(true)
	err := store.Update(t.Context(), func(tx *db.Tx) error {
		store.ReadOnlyWhile(&broken)
		return errors.Join(tx.SQL("PRAGMA query_only = 1"), count("a")(tx))
	})
	wantErr(t, err, db.ErrUnavailable)
	for range 3 {
		wantErr(t, store.Update(t.Context(), count("a")), db.ErrUnavailable)
		wantErr(t, store.RelaxedUpdate(t.Context(), count("a")), db.ErrUnavailable)
		wantCount(t, store, "a", 1)
	}

	broken.Store(false)
	dbtest.Update(t, store, count("a"))
	wantCount(t, store, "a", 2)
}

func TestFaultOfOneMember(t *testing.T) {
	// A statement that SQLite refuses by itself says nothing about the batch.
	synctest.Test(t, func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		release := hold(store)
		good := enqueue(t.Context(), store, count("a"))
		dangling := enqueue(t.Context(), store, func(tx *db.Tx) error {
			_, _, err := tx.CreateKey(db.Key{AccountID: "acct_none", Env: db.Test, Mode: db.AccountMode})
			return err
		})
		wrong := enqueue(t.Context(), store, func(tx *db.Tx) error { return tx.SQL("not SQL") })
		swallowed := enqueue(t.Context(), store, func(tx *db.Tx) error {
			_ = tx.SQL("not SQL")
			return count("a")(tx)
		})
		release()

		for _, ended := range []<-chan outcome{good, swallowed} {
			if o := <-ended; o.err != nil {
				t.Error(o.err)
			}
		}
		for _, ended := range []<-chan outcome{dangling, wrong} {
			if o := <-ended; o.err == nil || errors.Is(o.err, db.ErrUnavailable) {
				t.Errorf("error is %v, want the member's own", o.err)
			}
		}
		wantCount(t, store, "a", 2)
	})
}

func TestLockedFile(t *testing.T) {
	// other holds the write lock; time in a bubble passes only while all wait.
	locked := func(t *testing.T) (store *db.DB, other *sql.DB) {
		path := filepath.Join(t.TempDir(), "svc.db")
		store, other = dbtest.OpenAt(t, path, dbtest.NewClock()), rawOpen(t, path)
		dbtest.Update(t, store, count("a"))
		mustExec(t, other, "BEGIN IMMEDIATE")
		return store, other
	}

	t.Run("WaitsForItsTurn", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, other := locked(t)
			waiting := enqueue(t.Context(), store, count("a"))
			time.Sleep(db.LockPatience / 2)
			mustExec(t, other, "COMMIT")
			if o := <-waiting; o.err != nil {
				t.Error(o.err)
			}
			wantCount(t, store, "a", 2)
		})
	})

	t.Run("WaitsWhileItOpens", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "svc.db")
			store, other := dbtest.OpenAt(t, path, dbtest.NewClock()), rawOpen(t, path)
			mustExec(t, other, "PRAGMA journal_mode = DELETE") // in which one can lock all others out
			mustExec(t, other, "BEGIN EXCLUSIVE")
			waiting := enqueue(t.Context(), store, count("a"))
			mustExec(t, other, "COMMIT")
			if o := <-waiting; o.err != nil {
				t.Error(o.err)
			}
			wantCount(t, store, "a", 1)
		})
	})

	t.Run("GivesUp", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store, other := locked(t)
			wantErr(t, store.Update(t.Context(), count("a")), db.ErrUnavailable)
			wantCount(t, store, "a", 1)

			mustExec(t, other, "COMMIT")
			dbtest.Update(t, store, count("a"))
			wantCount(t, store, "a", 2)
		})
	})
}
