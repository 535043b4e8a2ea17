package db_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"svc/db"
	"svc/db/dbtest"
)

// boundless limits make Count a plain counter.
var boundless = db.Limits{Month: db.Unlimited, Minute: 1 << 40}

var errRefused = errors.New("refused by the test")

var background = context.Background()

// count returns an update that adds one to the counter of each name.
func count(names ...string) func(*db.Tx) error {
	return func(tx *db.Tx) error {
		for _, name := range names {
			if _, _, err := tx.Count(name, boundless, true); err != nil {
				return err
			}
		}
		return nil
	}
}

// get reads one value in a View.
func get[T any](t testing.TB, store *db.DB, read func(*db.Tx) (T, error)) (value T) {
	t.Helper()
	dbtest.View(t, store, func(tx *db.Tx) (err error) {
		value, err = read(tx)
		return err
	})
	return value
}

// wantCount checks a counter.
func wantCount(t testing.TB, store *db.DB, name string, want int64) {
	t.Helper()
	meter := get(t, store, func(tx *db.Tx) (db.Meter, error) { return tx.Meter(name) })
	if meter.MonthUsed != want {
		t.Errorf("counter %s is %d, want %d", name, meter.MonthUsed, want)
	}
}

func wantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error is %v, want %v", err, want)
	}
}

// outcome is how an update ended for its caller.
type outcome struct {
	err      error
	panicked any
}

// enqueue starts an update and returns once it waits in the queue, or has ended. It needs
// a synctest bubble.
func enqueue(ctx context.Context, store *db.DB, fn func(*db.Tx) error) <-chan outcome {
	ended := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			o.panicked = recover()
			ended <- o
		}()
		o.err = store.Update(ctx, fn)
	}()
	synctest.Wait()
	return ended
}

// hold occupies the writer until release is called, so that updates wait in the queue.
func hold(store *db.DB) (release func()) {
	gate := make(chan struct{})
	enqueue(context.Background(), store, func(*db.Tx) error { <-gate; return nil })
	return func() { close(gate) }
}

// rawOpen opens the file without the store, as another program would.
func rawOpen(t testing.TB, path string) *sql.DB {
	t.Helper()
	raw, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	raw.SetMaxOpenConns(1)
	t.Cleanup(func() { raw.Close() })
	return raw
}

func mustExec(t testing.TB, raw *sql.DB, text string) {
	t.Helper()
	if _, err := raw.Exec(text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func TestOpen(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	t.Run("MustExistRefusesNewFile", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		_, err := db.Open(t.Context(), db.Options{Path: path, MustExist: true})
		wantErr(t, err, db.ErrNotFound)
	})

	t.Run("KeepsRows", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		first := dbtest.OpenAt(t, path, dbtest.NewClock())
		dbtest.Update(t, first, count("a"))
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		wantCount(t, dbtest.OpenAt(t, path, dbtest.NewClock()), "a", 1)
	})

	t.Run("RefusesNewerSchema", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		store := dbtest.OpenAt(t, path, dbtest.NewClock())
		mustExec(t, rawOpen(t, path), fmt.Sprintf("PRAGMA user_version = %d", db.SchemaVersion+1))
		wantErr(t, store.Update(t.Context(), count("a")), db.ErrNewerSchema)
		select {
		case <-store.Outdated():
		default:
			t.Error("Outdated is still open")
		}
		_, err := db.Open(t.Context(), db.Options{Path: path})
		wantErr(t, err, db.ErrNewerSchema)
	})

	t.Run("RefusesForeignFile", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "other.db")
		mustExec(t, rawOpen(t, path), "CREATE TABLE t (x)")
		_, err := db.Open(t.Context(), db.Options{Path: path})
		wantErr(t, err, db.ErrForeign)
	})
}

func TestLimitIsExactAcrossProcesses(t *testing.T) {
	t.Parallel()
	one, two := openTwice(t)
	limits := db.Limits{Month: 100, Minute: 50}
	var mu sync.Mutex
	admitted := 0
	var wg sync.WaitGroup
	for _, store := range []*db.DB{one, two, one, two} {
		wg.Go(func() {
			for range limits.Minute {
				var over db.Over
				err := store.RelaxedUpdate(t.Context(), func(tx *db.Tx) (err error) {
					_, over, err = tx.Count("key", limits, true)
					return err
				})
				mu.Lock()
				if err != nil {
					t.Error(err)
				} else if over == db.Within {
					admitted++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if admitted != 50 {
		t.Errorf("%d calls were admitted, want 50", admitted)
	}
}

// openTwice opens one new file twice, as two processes would.
func openTwice(t *testing.T) (one, two *db.DB) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "svc.db")
	clock := dbtest.NewClock()
	return dbtest.OpenAt(t, path, clock), dbtest.OpenAt(t, path, clock)
}
