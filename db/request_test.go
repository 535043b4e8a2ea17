package db_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// logged lists the ids of the log rows that are stored, oldest first.
func logged(t *testing.T, store *db.DB) (ids []string) {
	t.Helper()
	rows := get(t, store, func(tx *db.Tx) ([]db.Request, error) { return tx.Requests("acct_1", 10_000) })
	for i := range rows {
		ids = append(ids, rows[len(rows)-1-i].ID)
	}
	return ids
}

func logRows(store *db.DB, ids ...string) {
	for _, id := range ids {
		store.LogRequest(db.Request{ID: id, AccountID: "acct_1"})
	}
}

func wantLogged(t *testing.T, store *db.DB, want ...string) {
	t.Helper()
	if got := logged(t, store); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("stored log rows %v, want %v", got, want)
	}
}

func TestLogRequest(t *testing.T) {
	t.Run("WrittenAfterTheDelay", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := dbtest.Open(t, dbtest.NewClock())
			logRows(store, "req_1", "req_2")
			dbtest.Update(t, store, count("a"))
			wantLogged(t, store) // they wait for company

			time.Sleep(db.JournalDelay)
			synctest.Wait()
			wantLogged(t, store, "req_1", "req_2")
		})
	})

	t.Run("DelayBeginsWithTheFirstRow", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := dbtest.Open(t, dbtest.NewClock())
			logRows(store, "req_1")
			time.Sleep(db.JournalDelay / 2)
			logRows(store, "req_2")
			time.Sleep(db.JournalDelay / 2)
			synctest.Wait()
			wantLogged(t, store, "req_1", "req_2")

			logRows(store, "req_3")
			dbtest.Update(t, store, count("a"))
			wantLogged(t, store, "req_1", "req_2")
			time.Sleep(db.JournalDelay)
			synctest.Wait()
			wantLogged(t, store, "req_1", "req_2", "req_3")
		})
	})

	t.Run("ChunkRidesWithABatch", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := dbtest.Open(t, dbtest.NewClock())
			logChunk(store)
			dbtest.Update(t, store, count("a"))
			if n := len(logged(t, store)); n != db.JournalChunk {
				t.Errorf("%d rows are stored, want %d", n, db.JournalChunk)
			}

			// The delay of the first chunk is over with it: a row that comes just
			// before it would have ended has a delay of its own.
			time.Sleep(db.JournalDelay - time.Millisecond)
			logRows(store, "req_own")
			time.Sleep(2 * time.Millisecond)
			dbtest.Update(t, store, count("a"))
			if n := len(logged(t, store)); n != db.JournalChunk {
				t.Errorf("%d rows are stored, want %d and one that waits", n, db.JournalChunk)
			}
			time.Sleep(db.JournalDelay)
			synctest.Wait()
			if n := len(logged(t, store)); n != db.JournalChunk+1 {
				t.Errorf("%d rows are stored, want %d", n, db.JournalChunk+1)
			}
		})
	})

	t.Run("OnDiskAfterClose", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		store := dbtest.OpenAt(t, path, dbtest.NewClock())
		logRows(store, "req_1", "req_2")
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		wantLogged(t, dbtest.OpenAt(t, path, dbtest.NewClock()), "req_1", "req_2")
	})

	t.Run("SurvivesAFailedBatch", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := dbtest.Open(t, dbtest.NewClock())
			logChunk(store)
			for range 3 {
				err := store.Update(t.Context(), func(tx *db.Tx) error {
					return errors.Join(tx.SQL("PRAGMA query_only = 1"), count("a")(tx))
				})
				wantErr(t, err, db.ErrUnavailable)
			}
			wantLogged(t, store)

			time.Sleep(db.JournalDelay)
			synctest.Wait()
			if n := len(logged(t, store)); n != db.JournalChunk {
				t.Errorf("%d rows are stored, want each of %d once", n, db.JournalChunk)
			}
		})
	})

	t.Run("EachRowOnce", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		store := dbtest.OpenAt(t, path, dbtest.NewClock())
		const callers, rows = 4, 500
		var wg sync.WaitGroup
		for caller := range callers {
			wg.Go(func() {
				for i := range rows {
					logRows(store, fmt.Sprint("req_", caller, "_", i))
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
		stored := logged(t, dbtest.OpenAt(t, path, dbtest.NewClock()))
		slices.Sort(stored)
		if unique := slices.Compact(slices.Clone(stored)); len(stored) != callers*rows || len(unique) != len(stored) {
			t.Errorf("%d rows are stored, %d of them different, want %d", len(stored), len(unique), callers*rows)
		}
	})

	t.Run("TriedAgainAtItsPace", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := dbtest.Open(t, dbtest.NewClock())
			var broken atomic.Bool
			broken.Store(true)
			err := store.Update(t.Context(), func(tx *db.Tx) error {
				store.ReadOnlyWhile(&broken)
				return errors.Join(tx.SQL("PRAGMA query_only = 1"), count("a")(tx))
			})
			wantErr(t, err, db.ErrUnavailable)

			logRows(store, "req_1")
			time.Sleep(10 * db.JournalDelay) // passes only if the writer rests between its tries
			broken.Store(false)
			time.Sleep(db.JournalDelay)
			synctest.Wait()
			wantLogged(t, store, "req_1")
		})
	})

	t.Run("BoundedWhileNothingCanBeWritten", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := dbtest.Open(t, dbtest.NewClock())
			release := hold(store)
			for i := range db.JournalLimit + 5 {
				logRows(store, fmt.Sprint("req_", i))
			}
			release()
			time.Sleep(db.JournalDelay)
			synctest.Wait()
			rows := get(t, store, func(tx *db.Tx) ([]db.Request, error) { return tx.Requests("acct_1", 2*db.JournalLimit) })
			if len(rows) != db.JournalLimit {
				t.Errorf("%d rows are stored, want %d", len(rows), db.JournalLimit)
			}
		})
	})

	t.Run("KeptUntilTheFileIsFree", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "svc.db")
			store, other := dbtest.OpenAt(t, path, dbtest.NewClock()), rawOpen(t, path)
			mustExec(t, other, "BEGIN IMMEDIATE")
			logRows(store, "req_1")
			time.Sleep(3 * db.LockPatience)
			mustExec(t, other, "COMMIT")
			time.Sleep(db.JournalDelay + time.Millisecond)
			synctest.Wait()
			wantLogged(t, store, "req_1")
		})
	})
}

// logChunk logs as many rows as a batch takes along without waiting for the delay.
func logChunk(store *db.DB) {
	for i := range db.JournalChunk {
		logRows(store, fmt.Sprint("req_chunk_", i))
	}
}

func TestRequests(t *testing.T) {
	store := dbtest.Open(t, dbtest.NewClock())
	at := dbtest.NewClock().Now()
	full := db.Request{
		ID: "req_2", AccountID: "acct_1", KeyID: "key_1", Method: "POST", Route: "/api/v1/scan", Status: 402,
		Duration: 1500 * time.Microsecond, ChargeCents: 3, ErrorCode: "insufficient_funds", ClientRequestID: "theirs", At: at,
	}
	dbtest.Update(t, store, func(tx *db.Tx) error {
		return errors.Join(
			tx.LogRequest(db.Request{ID: "req_1", AccountID: "acct_1", At: at.Add(-time.Hour), ClientRequestID: strings.Repeat("x", 1000)}),
			tx.LogRequest(db.Request{ID: "req_other", AccountID: "acct_2", At: at.Add(-time.Hour)}),
			tx.LogRequest(full),
		)
	})

	rows := get(t, store, func(tx *db.Tx) ([]db.Request, error) { return tx.Requests("acct_1", 10) })
	if len(rows) != 2 || rows[0] != full || rows[1].ID != "req_1" {
		t.Errorf("newest first and none of another account, got %+v", rows)
	} else if n := len(rows[1].ClientRequestID); n > 200 {
		t.Errorf("a caller made us keep %d bytes", n)
	}

	var deleted int64
	for _, want := range []int64{1, 1, 0} { // a chunk at a time
		dbtest.Update(t, store, func(tx *db.Tx) (err error) {
			deleted, err = tx.DeleteRequestsBefore(at, 1)
			return err
		})
		if deleted != want {
			t.Errorf("%d rows deleted, want %d", deleted, want)
		}
	}
	wantLogged(t, store, "req_2")
}

// The sweep runs while callers wait for the writer, so it must not read a table
// from end to end however many rows there are.
func TestSweepReadsNoWholeTable(t *testing.T) {
	bounded := map[string]bool{
		"SCAN requests":                     true, // the oldest rows, up to the subquery's LIMIT
		"SCAN (subquery-1)":                 true,
		"SCAN calls USING INDEX calls_open": true, // those that run now
	}
	store := dbtest.Open(t, dbtest.NewClock())
	for name, text := range db.SweepQueries() {
		plan := get(t, store, func(tx *db.Tx) ([]string, error) { return tx.Plan(text) })
		for _, step := range plan {
			if strings.HasPrefix(step, "SCAN") && !bounded[step] {
				t.Errorf("%s: %s", name, step)
			}
		}
		if len(plan) == 0 {
			t.Errorf("%s has no plan", name)
		}
	}
}
