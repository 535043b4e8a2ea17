package db_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"svc/db"
	"svc/db/dbtest"
)

func TestView(t *testing.T) {
	t.Run("SeesTheCommitsBeforeIt", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		var wg sync.WaitGroup
		for caller := range 8 {
			name := fmt.Sprint("caller ", caller)
			wg.Go(func() {
				for i := range int64(50) {
					if err := store.RelaxedUpdate(t.Context(), count(name)); err != nil {
						t.Error(err)
						return
					}
					var meter db.Meter
					err := store.View(t.Context(), func(tx *db.Tx) (err error) {
						meter, err = tx.Meter(name)
						return err
					})
					if err != nil || meter.MonthUsed != i+1 {
						t.Errorf("%s sees %d (%v) after %d commits", name, meter.MonthUsed, err, i+1)
					}
				}
			})
		}
		wg.Wait()
	})

	t.Run("IsOneSnapshot", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		dbtest.Update(t, store, count("a"))
		dbtest.View(t, store, func(tx *db.Tx) error {
			before, err := tx.Meter("a")
			if err != nil {
				return err
			}
			if err := store.Update(context.Background(), count("a")); err != nil {
				return err
			}
			after, err := tx.Meter("a")
			if before != after {
				t.Errorf("within one view the meter was %+v and %+v", before, after)
			}
			return err
		})
		wantCount(t, store, "a", 2)
	})

	t.Run("ReturnsItsError", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		if err := store.View(t.Context(), func(*db.Tx) error { return errRefused }); err != errRefused {
			t.Errorf("got %v", err)
		}
	})

	t.Run("CannotWrite", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		dbtest.Update(t, store, count("a"))
		if err := store.View(t.Context(), count("a")); err == nil {
			t.Error("a view wrote")
		}
		wantCount(t, store, "a", 1)
	})

	t.Run("PanicReachesItsCaller", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		defer func() {
			if text := fmt.Sprint(recover()); !strings.Contains(text, "out of the test's hat") {
				t.Errorf("the caller got the panic %q", text)
			}
			wantCount(t, store, "a", 0)
		}()
		store.View(t.Context(), func(*db.Tx) error { panic("out of the test's hat") })
	})

	t.Run("OneThatBreaksFailsAlone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := dbtest.Open(t, dbtest.NewClock())
			dbtest.Update(t, store, count("a"))
			gate := make(chan struct{})
			go store.View(context.Background(), func(*db.Tx) error { <-gate; return nil })
			synctest.Wait()

			results := make([]error, 3)
			meters := make([]db.Meter, 3)
			var wg sync.WaitGroup
			for i := range results {
				wg.Go(func() {
					results[i] = store.View(context.Background(), func(tx *db.Tx) (err error) {
						if i == 1 {
							return errors.Join(count("a")(tx), tx.SQL("ROLLBACK"))
						}
						meters[i], err = tx.Meter("a")
						return err
					})
				})
				synctest.Wait()
			}
			close(gate)
			wg.Wait()

			wantErr(t, results[1], db.ErrUnavailable)
			for _, i := range []int{0, 2} {
				if results[i] != nil || meters[i].MonthUsed != 1 {
					t.Errorf("view %d: %v, %+v", i, results[i], meters[i])
				}
			}
		})
	})
}
