package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"svc/db/engine"
)

// longRead reads a counter in a LongView.
func longRead(store *engine.Engine, name string) (n int64, err error) {
	err = store.LongView(background, func(tx *engine.Tx) (err error) {
		n, err = read(tx, name)
		return err
	})
	return n, err
}

func wantLong(t *testing.T, store *engine.Engine, name string, want int64) {
	t.Helper()
	if n, err := longRead(store, name); err != nil || n != want {
		t.Errorf("a long view sees %d (%v), want %d", n, err, want)
	}
}

// occupied is a long view that runs until release is called, in a synctest bubble.
type occupied struct {
	started, ended atomic.Bool
	err            error
	gate           chan struct{}
}

func (o *occupied) release() {
	close(o.gate)
	synctest.Wait()
}

func occupy(ctx context.Context, store *engine.Engine) *occupied {
	o := &occupied{gate: make(chan struct{})}
	go func() {
		o.err = store.LongView(ctx, func(*engine.Tx) error {
			o.started.Store(true)
			<-o.gate
			return nil
		})
		o.ended.Store(true)
	}()
	synctest.Wait()
	return o
}

// wantSlots checks that two long views run at once, and a third after one has ended.
func wantSlots(t *testing.T, store *engine.Engine) {
	t.Helper()
	one, two, three := occupy(background, store), occupy(background, store), occupy(background, store)
	if !one.started.Load() || !two.started.Load() || three.started.Load() {
		t.Errorf("running: %v, %v, %v; want the first two", one.started.Load(), two.started.Load(), three.started.Load())
	}
	for _, o := range []*occupied{one, two, three} {
		o.release()
		if !o.ended.Load() || o.err != nil {
			t.Errorf("ended: %v, %v", o.ended.Load(), o.err)
		}
		if !three.started.Load() {
			t.Error("the third did not get the slot of the first")
		}
	}
}

func TestLongView(t *testing.T) {
	t.Parallel()
	t.Run("IsOneSnapshot", func(t *testing.T) {
		store := open(t)
		update(t, store, count("a"))
		for range 3 { // the connection is reused, the snapshot is not
			err := store.LongView(t.Context(), func(tx *engine.Tx) error {
				before, err := read(tx, "a")
				if err != nil {
					return err
				}
				for range 5 {
					if err := store.Update(background, count("a")); err != nil {
						return err
					}
					if during, err := read(tx, "a"); during != before || err != nil {
						t.Errorf("one view saw %d and %d (%v)", before, during, err)
					}
				}
				wantCount(t, store, "a", before+5) // short views run beside it
				wantLong(t, store, "a", before+5)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		wantLong(t, store, "a", 16)
	})

	t.Run("HasCurrentTime", func(t *testing.T) {
		clock := newClock()
		o := options(newPath(t))
		o.Clock = clock.Now
		store := openWith(t, o)
		for range 2 {
			clock.Advance(1)
			if err := store.LongView(t.Context(), func(tx *engine.Tx) error {
				if !tx.Now().Equal(clock.Now().Truncate(1e6)) {
					t.Errorf("now is %v", tx.Now())
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			clock.Advance(5e9)
		}
	})
}

func TestLongViewRefuses(t *testing.T) {
	t.Parallel()
	t.Run("CannotWrite", func(t *testing.T) {
		store := open(t)
		update(t, store, count("a"))
		for range 3 { // more often than there are slots
			if err := store.LongView(t.Context(), count("a")); err == nil {
				t.Error("a long view wrote")
			}
		}
		wantLong(t, store, "a", 1)
	})

	t.Run("MissingFile", func(t *testing.T) {
		path := newPath(t)
		store := openAt(t, path)
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			_, err := longRead(store, "a")
			wantErr(t, err, engine.ErrUnavailable)
		}
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
		update(t, store, count("a"))
		wantLong(t, store, "a", 1)
	})
}

// inBubble runs a test on a new file in a synctest bubble.
func inBubble(t *testing.T, name string, run func(*testing.T, *engine.Engine)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := open(t)
			update(t, store, count("a"))
			run(t, store)
		})
	})
}

func TestLongViewSlots(t *testing.T) {
	t.Parallel()
	inBubble(t, "AreTwo", func(t *testing.T, store *engine.Engine) {
		wantSlots(t, store)
		wantSlots(t, store)
	})

	inBubble(t, "DoNotDelayShortViews", func(t *testing.T, store *engine.Engine) {
		one, two, three := occupy(background, store), occupy(background, store), occupy(background, store)
		update(t, store, count("a"))
		wantCount(t, store, "a", 2)
		one.release()
		two.release()
		three.release()
		wantLong(t, store, "a", 2)
	})

	inBubble(t, "WaitEndsWithContext", func(t *testing.T, store *engine.Engine) {
		one, two := occupy(background, store), occupy(background, store)
		ctx, cancel := context.WithCancel(background)
		three := occupy(ctx, store)
		cancel()
		synctest.Wait()
		if !three.ended.Load() || three.started.Load() {
			t.Fatalf("ended: %v, ran: %v", three.ended.Load(), three.started.Load())
		}
		wantErr(t, three.err, context.Canceled)
		one.release()
		two.release()
		wantSlots(t, store)
	})
}

func TestLongViewSlotsSurvive(t *testing.T) {
	t.Parallel()
	inBubble(t, "Error", func(t *testing.T, store *engine.Engine) {
		for range 3 {
			wantErr(t, store.LongView(background, func(*engine.Tx) error { return errRefused }), errRefused)
			update(t, store, count("a"))
		}
		wantLong(t, store, "a", 4) // no snapshot was left open
		wantLong(t, store, "a", 4)
		wantSlots(t, store)
	})

	inBubble(t, "Panic", func(t *testing.T, store *engine.Engine) {
		for range 3 {
			func() {
				defer func() {
					if v := recover(); v != "panic of the test" {
						t.Errorf("caller got panic %v", v)
					}
				}()
				_ = store.LongView(background, func(tx *engine.Tx) error {
					_, _ = read(tx, "a")
					panic("panic of the test")
				})
			}()
			update(t, store, count("a"))
		}
		wantLong(t, store, "a", 4)
		wantSlots(t, store)
	})

	inBubble(t, "BrokenConnection", func(t *testing.T, store *engine.Engine) {
		for range 3 {
			err := store.LongView(background, func(tx *engine.Tx) error {
				return errors.Join(tx.SQL("PRAGMA query_only = 0"), tx.SQL("ROLLBACK"), errRefused)
			})
			wantErr(t, err, errRefused)
			if err := store.LongView(background, count("a")); err == nil {
				t.Error("the broken connection is still in use: it writes")
			}
			wantErr(t, store.LongView(background, func(tx *engine.Tx) error { return tx.SQL("COMMIT") }), nil)
		}
		wantLong(t, store, "a", 1)
		wantSlots(t, store)
	})
}

func TestCloseWaitsForLongViews(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := open(t)
		one, two := occupy(background, store), occupy(background, store)
		var closed atomic.Bool
		go func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
			closed.Store(true)
		}()
		synctest.Wait()
		late := occupy(background, store)
		one.release()
		if closed.Load() {
			t.Error("closed while a long view runs")
		}
		two.release()
		late.release() // it waited for a slot
		if !closed.Load() || one.err != nil || two.err != nil {
			t.Errorf("closed: %v; long views ended with %v and %v", closed.Load(), one.err, two.err)
		}
		if !late.ended.Load() || late.started.Load() != (late.err == nil) {
			t.Errorf("late view ended: %v, ran: %v, error %v", late.ended.Load(), late.started.Load(), late.err)
		}
		for range 3 {
			wantErr(t, store.LongView(background, func(*engine.Tx) error { return fmt.Errorf("it ran") }), engine.ErrClosed)
		}
	})
}
