package engine_test

import (
	"context"
	"testing"
	"testing/synctest"

	"svc/db/engine"
)

func TestContext(t *testing.T) {
	t.Parallel()
	t.Run("EndsWait", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := open(t)
			release := hold(store)
			ctx, cancel := context.WithCancel(t.Context())
			waiting := enqueue(ctx, store, count("a"))
			cancel()
			wantErr(t, (<-waiting).err, context.Canceled) // while the writer is busy

			release()
			wantCount(t, store, "a", 0)
		})
	})

	t.Run("DoesNotStopRunningUpdate", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := open(t)
			ctx, cancel := context.WithCancel(t.Context())
			taken := enqueue(ctx, store, func(tx *engine.Tx) error {
				cancel()
				return count("a")(tx)
			})
			if o := <-taken; o.err != nil {
				t.Error(o.err)
			}
			wantCount(t, store, "a", 1)
		})
	})

	t.Run("EndsWaitOfView", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := open(t)
			gate := make(chan struct{})
			go store.View(background, func(*engine.Tx) error { <-gate; return nil })
			synctest.Wait()

			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			err := store.View(ctx, func(*engine.Tx) error { t.Error("cancelled view ran"); return nil })
			wantErr(t, err, context.Canceled)
			close(gate)
		})
	})
}

func TestClose(t *testing.T) {
	t.Parallel()
	t.Run("RunsWaitingUpdates", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			path := newPath(t)
			store := openAt(t, path)
			release := hold(store)
			queued := []<-chan outcome{
				enqueue(t.Context(), store, count("a")),
				enqueue(t.Context(), store, count("a")),
			}
			closed := make(chan error, 1)
			go func() { closed <- store.Close() }()
			synctest.Wait()
			late := enqueue(t.Context(), store, count("a"))
			wantErr(t, (<-late).err, engine.ErrClosed)

			release()
			for _, ended := range queued {
				if o := <-ended; o.err != nil {
					t.Error(o.err)
				}
			}
			if err := <-closed; err != nil {
				t.Error(err)
			}
			wantCount(t, openAt(t, path), "a", 2)
		})
	})

	t.Run("RefusesLaterCalls", func(t *testing.T) {
		store := open(t)
		for range 2 { // a second Close does nothing
			if err := store.Close(); err != nil {
				t.Error(err)
			}
			wantErr(t, store.View(t.Context(), func(*engine.Tx) error { return nil }), engine.ErrClosed)
			wantErr(t, store.Update(t.Context(), count("a")), engine.ErrClosed)
			wantErr(t, store.RelaxedUpdate(t.Context(), count("a")), engine.ErrClosed)
			store.Defer(addNote, "late")
		}
	})
}
