package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"svc/db/engine"
)

func TestView(t *testing.T) {
	t.Parallel()
	t.Run("SeesEarlierCommits", func(t *testing.T) {
		store := open(t)
		var wg sync.WaitGroup
		for caller := range 8 {
			name := fmt.Sprint("caller ", caller)
			wg.Go(func() {
				for i := range int64(50) {
					if err := store.RelaxedUpdate(t.Context(), count(name)); err != nil {
						t.Error(err)
						return
					}
					var n int64
					err := store.View(t.Context(), func(tx *engine.Tx) (err error) {
						n, err = read(tx, name)
						return err
					})
					if err != nil || n != i+1 {
						t.Errorf("%s sees %d (%v) after %d commits", name, n, err, i+1)
					}
				}
			})
		}
		wg.Wait()
	})

	t.Run("IsOneSnapshot", func(t *testing.T) {
		store := open(t)
		update(t, store, count("a"))
		err := store.View(background, func(tx *engine.Tx) error {
			before, err := read(tx, "a")
			if err != nil {
				return err
			}
			if err := store.Update(background, count("a")); err != nil {
				return err
			}
			after, err := read(tx, "a")
			if before != after {
				t.Errorf("one view saw %d and %d", before, after)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		wantCount(t, store, "a", 2)
	})

	t.Run("ReturnsItsError", func(t *testing.T) {
		store := open(t)
		if err := store.View(t.Context(), func(*engine.Tx) error { return errRefused }); err != errRefused {
			t.Errorf("got %v, want %v", err, errRefused)
		}
	})

	t.Run("CannotWrite", func(t *testing.T) {
		store := open(t)
		update(t, store, count("a"))
		if err := store.View(t.Context(), count("a")); err == nil {
			t.Error("a view wrote")
		}
		wantCount(t, store, "a", 1)
	})

	t.Run("PanicReachesCaller", func(t *testing.T) {
		store := open(t)
		defer func() {
			if text := fmt.Sprint(recover()); !strings.Contains(text, "panic of the test") {
				t.Errorf("caller got panic %q", text)
			}
			wantCount(t, store, "a", 0)
		}()
		store.View(t.Context(), func(*engine.Tx) error { panic("panic of the test") })
	})

	t.Run("BrokenConnectionFailsOneView", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := open(t)
			update(t, store, count("a"))
			gate := make(chan struct{})
			go store.View(background, func(*engine.Tx) error { <-gate; return nil })
			synctest.Wait()

			results := make([]error, 3)
			counts := make([]int64, 3)
			var wg sync.WaitGroup
			for i := range results {
				wg.Go(func() {
					results[i] = store.View(background, func(tx *engine.Tx) (err error) {
						if i == 1 {
							return errors.Join(count("a")(tx), tx.SQL("ROLLBACK"))
						}
						counts[i], err = read(tx, "a")
						return err
					})
				})
				synctest.Wait()
			}
			close(gate)
			wg.Wait()

			wantErr(t, results[1], engine.ErrUnavailable)
			for _, i := range []int{0, 2} {
				if results[i] != nil || counts[i] != 1 {
					t.Errorf("view %d: %v, count %d", i, results[i], counts[i])
				}
			}
		})
	})
}
