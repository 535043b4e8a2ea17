package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"svc/db/engine"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	t.Run("AnyFileName", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a b?c#d%41&e=é.db")
		store := openAt(t, path)
		update(t, store, count("a"))

		file, err := os.Stat(path)
		if err != nil || file.Size() == 0 {
			t.Errorf("the file of this name is not the database: %v, %v", file, err)
		}
	})

	t.Run("MustExistRefusesNewFile", func(t *testing.T) {
		path := newPath(t)
		o := options(path)
		o.MustExist = true
		_, err := engine.Open(t.Context(), o)
		wantErr(t, err, engine.ErrNotFound)

		left, err := os.ReadDir(filepath.Dir(path))
		if err != nil || len(left) > 0 {
			t.Errorf("refused Open left %v (%v)", left, err)
		}
	})

	t.Run("KeepsRows", func(t *testing.T) {
		path := newPath(t)
		first := openAt(t, path)
		update(t, first, count("a"))
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		wantCount(t, openAt(t, path), "a", 1)
	})

	t.Run("RefusesMissingFileUntilItReturns", func(t *testing.T) {
		path := newPath(t)
		store := openAt(t, path)
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		wantErr(t, store.Update(t.Context(), count("a")), engine.ErrUnavailable)
		wantErr(t, store.View(t.Context(), func(*engine.Tx) error { return nil }), engine.ErrUnavailable)

		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
		update(t, store, count("a"))
		wantCount(t, store, "a", 1)
	})

	t.Run("FilesArePrivate", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("Windows has no file modes")
		}
		path := newPath(t)
		update(t, openAt(t, path), count("a"))
		wantPrivate(t, path, path+"-wal", path+"-shm", path+".lock")
	})
}

func wantPrivate(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		file, err := os.Stat(path)
		if err != nil {
			t.Error(err)
		} else if mode := file.Mode().Perm(); mode != 0o600 {
			t.Errorf("%s has mode %v, want 0600", filepath.Base(path), mode)
		}
	}
}

func TestNewerSchemaStopsWrites(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	store := openAt(t, path)
	update(t, store, count("a"))
	select {
	case <-store.Outdated():
		t.Fatal("outdated before the schema changed")
	default:
	}

	mustExec(t, rawOpen(t, path), fmt.Sprintf("PRAGMA user_version = %d", schema.Version+1))

	for range 2 {
		wantErr(t, store.Update(t.Context(), count("a")), engine.ErrNewerSchema)
		wantErr(t, store.RelaxedUpdate(t.Context(), count("a")), engine.ErrNewerSchema)
	}
	select {
	case <-store.Outdated():
	default:
		t.Error("Outdated is still open")
	}
	wantCount(t, store, "a", 1) // reads still work

	_, err := engine.Open(t.Context(), options(path))
	if wantErr(t, err, engine.ErrNewerSchema); !strings.Contains(err.Error(), path) {
		t.Errorf("Open: %q, want the path in it", err)
	}
}

func TestOpenLeavesForeignFileUnchanged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "other.db")
	mustExec(t, rawOpen(t, path), "CREATE TABLE t (x)")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	_, err = engine.Open(t.Context(), options(path))

	wantErr(t, err, engine.ErrForeign)
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file changed (%v)", err)
	}
}

func TestTimeAfter(t *testing.T) {
	t.Parallel()
	last := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	tests := []struct {
		name string
		step time.Duration
		want time.Duration
	}{
		{"Forward", time.Hour, time.Hour},
		{"Same", 0, 0},
		{"SmallStepBackIsHidden", -time.Millisecond, 0},
		{"LargestHiddenStep", -2 * time.Second, 0},
		{"LargeStepBackShows", -2*time.Second - time.Millisecond, -2*time.Second - time.Millisecond},
		{"WholeMilliseconds", 1999 * time.Microsecond, time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			zone := time.FixedZone("elsewhere", 3*60*60)
			got := engine.TimeAfter(last.Add(test.step).In(zone), last)
			if want := last.Add(test.want); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}

	t.Run("AcrossUpdates", func(t *testing.T) {
		clock := newClock()
		o := options(newPath(t))
		o.Clock = clock.Now
		store := openWith(t, o)
		now := func() (now time.Time) {
			update(t, store, func(tx *engine.Tx) error { now = tx.Now(); return nil })
			return now
		}
		first := now()
		clock.Advance(-time.Second)
		if hidden := now(); hidden != first {
			t.Errorf("a step back of a second shows: %v after %v", hidden, first)
		}
		clock.Advance(-time.Hour)
		if shown := now(); shown != clock.Now() {
			t.Errorf("a step back of an hour is hidden: %v after %v", shown, first)
		}
	})
}

func TestInvalidate(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	path := newPath(t)
	o := options(path)
	o.Invalidate = func() { calls.Add(1) }
	store := openWith(t, o)
	update(t, store, count("a"))

	steps := []struct {
		name string
		run  func() error
		want int64
	}{
		{"OtherStatement", func() error { return store.Update(background, count("a")) }, 0},
		{"Statement", func() error { return store.Update(background, invalidates) }, 1},
		{"UndoneStatement", func() error {
			return store.Update(background, func(tx *engine.Tx) error { return errors.Join(invalidates(tx), errRefused) })
		}, 1},
		{"OtherProcess", func() error {
			_, err := rawOpen(t, path).Exec("INSERT INTO notes (text) VALUES ('theirs')")
			return errors.Join(err, store.Update(background, count("a")))
		}, 1},
		{"View", func() error { return store.View(background, invalidates) }, 0},
		{"FailedBatch", func() error {
			return store.Update(background, func(tx *engine.Tx) error {
				return errors.Join(tx.SQL("PRAGMA query_only = 1"), count("a")(tx))
			})
		}, 1},
		{"NewConnection", func() error { return store.Update(background, count("a")) }, 1},
	}
	for _, step := range steps {
		before := calls.Load()
		_ = step.run()
		if got := calls.Load() - before; got != step.want {
			t.Errorf("%s: invalidated %d times, want %d", step.name, got, step.want)
		}
	}
}

func invalidates(tx *engine.Tx) error {
	_, err := tx.Exec(invalidate)
	return err
}

func TestCacheValid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := open(t)
		var valid []bool
		look := func(tx *engine.Tx) error {
			valid = append(valid, tx.CacheValid())
			return nil
		}
		release := hold(store)
		enqueue(background, store, look)
		enqueue(background, store, func(tx *engine.Tx) error { return errors.Join(invalidates(tx), look(tx), errRefused) })
		enqueue(background, store, look) // of the same batch
		release()
		synctest.Wait()
		update(t, store, look)
		if err := store.View(background, look); err != nil {
			t.Fatal(err)
		}
		if want := []bool{true, false, false, true, false}; !slices.Equal(valid, want) {
			t.Errorf("got %v, want %v", valid, want)
		}
	})
}
