package db_test

import (
	"context"
	"testing"
	"testing/synctest"

	"svc/db"
	"svc/db/dbtest"
)

func TestContext(t *testing.T) {
	t.Run("BoundsTheWait", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := dbtest.Open(t, dbtest.NewClock())
			release := hold(store)
			ctx, cancel := context.WithCancel(t.Context())
			waiting := enqueue(ctx, store, count("a"))
			cancel()
			wantErr(t, (<-waiting).err, context.Canceled) // while the writer is still held

			release()
			wantCount(t, store, "a", 0)
		})
	})

	t.Run("DoesNotStopWhatWasTaken", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := dbtest.Open(t, dbtest.NewClock())
			ctx, cancel := context.WithCancel(t.Context())
			taken := enqueue(ctx, store, func(tx *db.Tx) error {
				cancel()
				return count("a")(tx)
			})
			if o := <-taken; o.err != nil {
				t.Error(o.err)
			}
			wantCount(t, store, "a", 1)
		})
	})

	t.Run("BoundsAView", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := dbtest.Open(t, dbtest.NewClock())
			gate := make(chan struct{})
			go store.View(context.Background(), func(*db.Tx) error { <-gate; return nil })
			synctest.Wait()

			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			err := store.View(ctx, func(*db.Tx) error { t.Error("the view ran"); return nil })
			wantErr(t, err, context.Canceled)
			close(gate)
		})
	})
}

func TestClose(t *testing.T) {
	t.Run("ServesWhatWaits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			clock := dbtest.NewClock()
			path := t.TempDir() + "/svc.db"
			store := dbtest.OpenAt(t, path, clock)
			release := hold(store)
			queued := []<-chan outcome{
				enqueue(t.Context(), store, count("a")),
				enqueue(t.Context(), store, count("a")),
			}
			closed := make(chan error, 1)
			go func() { closed <- store.Close() }()
			synctest.Wait()
			late := enqueue(t.Context(), store, count("a"))
			wantErr(t, (<-late).err, db.ErrClosed)

			release()
			for _, ended := range queued {
				if o := <-ended; o.err != nil {
					t.Error(o.err)
				}
			}
			if err := <-closed; err != nil {
				t.Error(err)
			}
			wantCount(t, dbtest.OpenAt(t, path, clock), "a", 2)
		})
	})

	t.Run("RefusesFromThenOn", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		for range 2 { // the second Close has nothing left to do
			if err := store.Close(); err != nil {
				t.Error(err)
			}
			wantErr(t, store.View(t.Context(), func(*db.Tx) error { return nil }), db.ErrClosed)
			wantErr(t, store.Update(t.Context(), count("a")), db.ErrClosed)
			wantErr(t, store.RelaxedUpdate(t.Context(), count("a")), db.ErrClosed)
			store.LogRequest(db.Request{ID: "req_late"})
		}
	})
}
