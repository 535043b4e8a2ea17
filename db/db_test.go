package db_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// boundless limits let Count serve as a plain counter.
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

// enqueue starts an update and returns once it waits in the line, or has ended.
// It needs a bubble (synctest), where "nothing moves any more" can be known.
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

// hold occupies the writer, so that updates queue up, until release is called.
func hold(store *db.DB) (release func()) {
	gate := make(chan struct{})
	enqueue(context.Background(), store, func(*db.Tx) error { <-gate; return nil })
	return func() { close(gate) }
}

// rawOpen opens the file past the store, as a foreign process would.
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
	t.Run("AnyFileName", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a b?c#d%41&e=é.db")
		store := dbtest.OpenAt(t, path, dbtest.NewClock())
		dbtest.Update(t, store, count("a"))

		file, err := os.Stat(path)
		if err != nil || file.Size() == 0 {
			t.Errorf("the file of that very name is not the database: %v, %v", file, err)
		}
	})

	t.Run("MustExist", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		_, err := db.Open(t.Context(), db.Options{Path: path, MustExist: true})
		wantErr(t, err, db.ErrNotFound)

		left, err := os.ReadDir(filepath.Dir(path))
		if err != nil || len(left) > 0 {
			t.Errorf("the refused Open left %v (%v)", left, err)
		}
	})

	t.Run("KeepsWhatItFinds", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		first := dbtest.OpenAt(t, path, dbtest.NewClock())
		dbtest.Update(t, first, count("a"))
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
		wantCount(t, dbtest.OpenAt(t, path, dbtest.NewClock()), "a", 1)
	})

	t.Run("FileGoneMeanwhile", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		store := dbtest.OpenAt(t, path, dbtest.NewClock())
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		wantErr(t, store.Update(t.Context(), count("a")), db.ErrUnavailable)
		wantErr(t, store.View(t.Context(), func(*db.Tx) error { return nil }), db.ErrUnavailable)

		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
		dbtest.Update(t, store, count("a"))
		wantCount(t, store, "a", 1)
	})

	t.Run("PrivateFiles", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("no file modes here")
		}
		path := filepath.Join(t.TempDir(), "svc.db")
		dbtest.Update(t, dbtest.OpenAt(t, path, dbtest.NewClock()), count("a"))
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

func TestOpenAtOnce(t *testing.T) {
	// Handles come and go on one file, which none of them has seen before: each
	// meets others that migrate it, turn it to WAL or fold the WAL in.
	path := filepath.Join(t.TempDir(), "svc.db")
	const handles, rounds = 4, 12

	var wg sync.WaitGroup
	for range handles {
		wg.Go(func() {
			for range rounds {
				if err := openCountClose(path); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	wantCount(t, dbtest.OpenAt(t, path, dbtest.NewClock()), "shared", handles*rounds)
}

func openCountClose(path string) error {
	store, err := db.Open(context.Background(), db.Options{Path: path, Clock: dbtest.NewClock().Now})
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	err = store.Update(context.Background(), count("shared"))
	return errors.Join(err, store.Close())
}

// A test binary that finds this variable is a process of its own: it adds to
// the counter "shared" of the store at that path, and ends.
const childEnv = "SVC_DB_TEST_CHILD"

const (
	childCallers = 8
	childCounts  = 40 // of each caller
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		if err := childMain(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func childMain(path string) error {
	store, err := db.Open(context.Background(), db.Options{Path: path, Clock: dbtest.NewClock().Now})
	if err != nil {
		return err
	}
	return errors.Join(hammer(store), store.Close())
}

// hammer counts from several goroutines at once.
func hammer(store *db.DB) error {
	errs := make([]error, childCallers)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for range childCounts {
				errs[i] = errors.Join(errs[i], store.Update(context.Background(), count("shared")))
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func TestSharedFile(t *testing.T) {
	t.Run("FourProcesses", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		const processes = 4
		var wg sync.WaitGroup
		for range processes {
			wg.Go(func() {
				child := exec.Command(self)
				child.Env = append(os.Environ(), childEnv+"="+path)
				if out, err := child.CombinedOutput(); err != nil {
					t.Errorf("child: %v\n%s", err, out)
				}
			})
		}
		wg.Wait()
		wantCount(t, dbtest.OpenAt(t, path, dbtest.NewClock()), "shared", processes*childCallers*childCounts)
	})

	t.Run("TwoHandles", func(t *testing.T) {
		one, two := openTwice(t)
		var wg sync.WaitGroup
		for _, store := range []*db.DB{one, two} {
			wg.Go(func() {
				if err := hammer(store); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		wantCount(t, one, "shared", 2*childCallers*childCounts)
		wantCount(t, two, "shared", 2*childCallers*childCounts)
	})

	t.Run("LimitIsExact", func(t *testing.T) {
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
	})
}

// openTwice opens two handles on one fresh file, as two processes would.
func openTwice(t *testing.T) (one, two *db.DB) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "svc.db")
	clock := dbtest.NewClock()
	return dbtest.OpenAt(t, path, clock), dbtest.OpenAt(t, path, clock)
}

func TestNewerSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "svc.db")
	store := dbtest.OpenAt(t, path, dbtest.NewClock())
	dbtest.Update(t, store, count("a"))
	select {
	case <-store.Outdated():
		t.Fatal("outdated before the schema changed")
	default:
	}

	mustExec(t, rawOpen(t, path), fmt.Sprintf("PRAGMA user_version = %d", db.SchemaVersion+1))

	for range 2 {
		wantErr(t, store.Update(t.Context(), count("a")), db.ErrNewerSchema)
		wantErr(t, store.RelaxedUpdate(t.Context(), count("a")), db.ErrNewerSchema)
	}
	select {
	case <-store.Outdated():
	default:
		t.Error("Outdated is still open")
	}
	wantCount(t, store, "a", 1) // reads go on

	_, err := db.Open(t.Context(), db.Options{Path: path})
	if wantErr(t, err, db.ErrNewerSchema); !strings.Contains(err.Error(), path) {
		t.Errorf("Open: %q, want it to name the file", err)
	}
}

func TestForeignFileIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	mustExec(t, rawOpen(t, path), "CREATE TABLE t (x)")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	_, err = db.Open(t.Context(), db.Options{Path: path})

	wantErr(t, err, db.ErrForeign)
	after, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file changed (%v)", err)
	}
}

func TestTick(t *testing.T) {
	last := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	tests := []struct {
		name string
		step time.Duration
		want time.Duration
	}{
		{"Forward", time.Hour, time.Hour},
		{"StandsStill", 0, 0},
		{"SmallStepBackIsHidden", -time.Millisecond, 0},
		{"LargestHiddenStep", -2 * time.Second, 0},
		{"LargeStepBackIsBelieved", -2*time.Second - time.Millisecond, -2*time.Second - time.Millisecond},
		{"WholeMilliseconds", 1999 * time.Microsecond, time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			zone := time.FixedZone("elsewhere", 3*60*60)
			got := db.Tick(last.Add(test.step).In(zone), last)
			if want := last.Add(test.want); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}

	t.Run("InTransactions", func(t *testing.T) {
		clock := dbtest.NewClock()
		store := dbtest.Open(t, clock)
		now := func() (now time.Time) {
			dbtest.Update(t, store, func(tx *db.Tx) error { now = tx.Now(); return nil })
			return now
		}
		first := now()
		clock.Advance(-time.Second)
		if hidden := now(); hidden != first {
			t.Errorf("a second back shows: %v after %v", hidden, first)
		}
		clock.Advance(-time.Hour)
		if believed := now(); believed != clock.Now() {
			t.Errorf("an hour back does not show: %v after %v", believed, first)
		}
	})
}
