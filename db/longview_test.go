package db_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"svc/db"
	"svc/db/dbtest"
)

// long counts in a LongView.
func long(store *db.DB, name string) (used int64, err error) {
	err = store.LongView(background, func(tx *db.Tx) error {
		meter, err := tx.Meter(name)
		used = meter.MonthUsed
		return err
	})
	return used, err
}

func wantLong(t *testing.T, store *db.DB, name string, want int64) {
	t.Helper()
	if used, err := long(store, name); err != nil || used != want {
		t.Errorf("a long view sees %d (%v), want %d", used, err, want)
	}
}

// occupy starts a long view that stays until release is called, in a bubble.
type occupied struct {
	runs, ended atomic.Bool
	err         error
	gate        chan struct{}
}

func (o *occupied) release() {
	close(o.gate)
	synctest.Wait()
}

func occupy(ctx context.Context, store *db.DB) *occupied {
	o := &occupied{gate: make(chan struct{})}
	go func() {
		o.err = store.LongView(ctx, func(*db.Tx) error {
			o.runs.Store(true)
			<-o.gate
			return nil
		})
		o.ended.Store(true)
	}()
	synctest.Wait()
	return o
}

// wantSlots: two run at once, and a third only when one of them has ended.
func wantSlots(t *testing.T, store *db.DB) {
	t.Helper()
	one, two, three := occupy(background, store), occupy(background, store), occupy(background, store)
	if !one.runs.Load() || !two.runs.Load() || three.runs.Load() {
		t.Errorf("running: %v, %v, %v; want two at once", one.runs.Load(), two.runs.Load(), three.runs.Load())
	}
	for _, o := range []*occupied{one, two, three} {
		o.release()
		if !o.ended.Load() || o.err != nil {
			t.Errorf("ended: %v, %v", o.ended.Load(), o.err)
		}
		if !three.runs.Load() {
			t.Error("the third has not got the slot of the first")
		}
	}
}

func TestLongView(t *testing.T) {
	t.Run("IsOneSnapshot", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		dbtest.Update(t, store, count("a"))
		for range 3 { // the connection is kept, the snapshot is not
			err := store.LongView(t.Context(), func(tx *db.Tx) error {
				before, err := tx.Meter("a")
				if err != nil {
					return err
				}
				for range 5 {
					if err := store.Update(background, count("a")); err != nil {
						return err
					}
					if during, err := tx.Meter("a"); during != before || err != nil {
						t.Errorf("within one view the meter was %+v and %+v (%v)", before, during, err)
					}
				}
				wantCount(t, store, "a", before.MonthUsed+5) // short views run beside it
				wantLong(t, store, "a", before.MonthUsed+5)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		wantLong(t, store, "a", 16)
	})

	t.Run("SeesTheTimeOfNow", func(t *testing.T) {
		clock := dbtest.NewClock()
		store := dbtest.Open(t, clock)
		for range 2 {
			clock.Advance(1)
			if err := store.LongView(t.Context(), func(tx *db.Tx) error {
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
	t.Run("CannotWrite", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		dbtest.Update(t, store, count("a"))
		for range 3 { // more often than there are slots
			if err := store.LongView(t.Context(), count("a")); err == nil {
				t.Error("a long view wrote")
			}
		}
		wantLong(t, store, "a", 1)
	})

	t.Run("WithoutTheFile", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		store := dbtest.OpenAt(t, path, dbtest.NewClock())
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			_, err := long(store, "a")
			wantErr(t, err, db.ErrUnavailable)
		}
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
		dbtest.Update(t, store, count("a"))
		wantLong(t, store, "a", 1)
	})
}

// inBubble runs a test on a fresh store where "nothing moves any more" can be known.
func inBubble(t *testing.T, name string, run func(*testing.T, *db.DB)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := dbtest.Open(t, dbtest.NewClock())
			dbtest.Update(t, store, count("a"))
			run(t, store)
		})
	})
}

func TestLongViewSlots(t *testing.T) {
	inBubble(t, "AreTwo", func(t *testing.T, store *db.DB) {
		wantSlots(t, store)
		wantSlots(t, store)
	})

	inBubble(t, "LeaveTheShortOnesAlone", func(t *testing.T, store *db.DB) {
		one, two, three := occupy(background, store), occupy(background, store), occupy(background, store)
		dbtest.Update(t, store, count("a"))
		wantCount(t, store, "a", 2)
		one.release()
		two.release()
		three.release()
		wantLong(t, store, "a", 2)
	})

	inBubble(t, "WaitNoLongerThanTheCaller", func(t *testing.T, store *db.DB) {
		one, two := occupy(background, store), occupy(background, store)
		ctx, cancel := context.WithCancel(background)
		three := occupy(ctx, store)
		cancel()
		synctest.Wait()
		if !three.ended.Load() || three.runs.Load() {
			t.Fatalf("ended: %v, ran: %v", three.ended.Load(), three.runs.Load())
		}
		wantErr(t, three.err, context.Canceled)
		one.release()
		two.release()
		wantSlots(t, store)
	})
}

func TestLongViewSlotsLast(t *testing.T) {
	inBubble(t, "OutliveAFailure", func(t *testing.T, store *db.DB) {
		for range 3 {
			wantErr(t, store.LongView(background, func(*db.Tx) error { return errRefused }), errRefused)
			dbtest.Update(t, store, count("a"))
		}
		wantLong(t, store, "a", 4) // and no snapshot was left open
		wantLong(t, store, "a", 4)
		wantSlots(t, store)
	})

	inBubble(t, "OutliveAPanic", func(t *testing.T, store *db.DB) {
		for range 3 {
			func() {
				defer func() {
					if v := recover(); v != "out of the test's hat" {
						t.Errorf("the caller got the panic %v", v)
					}
				}()
				_ = store.LongView(background, func(tx *db.Tx) error {
					_, _ = tx.Meter("a")
					panic("out of the test's hat")
				})
			}()
			dbtest.Update(t, store, count("a"))
		}
		wantLong(t, store, "a", 4)
		wantSlots(t, store)
	})

	inBubble(t, "OutliveABrokenConnection", func(t *testing.T, store *db.DB) {
		for range 3 {
			err := store.LongView(background, func(tx *db.Tx) error {
				return errors.Join(tx.SQL("PRAGMA query_only = 0"), tx.SQL("ROLLBACK"), errRefused)
			})
			wantErr(t, err, errRefused)
			if err := store.LongView(background, count("a")); err == nil {
				t.Error("the broken connection is still in use: it writes")
			}
			wantErr(t, store.LongView(background, func(tx *db.Tx) error { return tx.SQL("COMMIT") }), nil)
		}
		wantLong(t, store, "a", 1)
		wantSlots(t, store)
	})
}

func TestLongViewAndClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
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
		late.release() // it was in the line when a slot fell free
		if !closed.Load() || one.err != nil || two.err != nil {
			t.Errorf("closed: %v; the long views ended with %v and %v", closed.Load(), one.err, two.err)
		}
		if !late.ended.Load() || late.runs.Load() != (late.err == nil) {
			t.Errorf("one that came late has ended: %v, ran: %v, with %v", late.ended.Load(), late.runs.Load(), late.err)
		}
		for range 3 {
			wantErr(t, store.LongView(background, func(*db.Tx) error { return fmt.Errorf("it ran") }), db.ErrClosed)
		}
	})
}
