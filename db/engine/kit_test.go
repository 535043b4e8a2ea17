package engine_test

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"svc/db/engine"
)

// schema is two migrations of a few small tables.
var schema = engine.Schema{
	Version:       2,
	ApplicationID: 1234,
	Migrations: fstest.MapFS{
		"00001_counters.sql": {Data: []byte(`-- +goose Up
CREATE TABLE counters (name TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE children (counter TEXT NOT NULL REFERENCES counters (name)) STRICT;
PRAGMA application_id = 1234;
PRAGMA user_version = 1;
`)},
		"00002_notes.sql": {Data: []byte(`-- +goose Up
CREATE TABLE notes (seq INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TABLE rows (c1 TEXT, c2 INTEGER) STRICT;
PRAGMA user_version = 2;
`)},
	},
}

// olderSchema is schema as a binary before the last migration knew it.
var olderSchema = engine.Schema{
	Version:       1,
	ApplicationID: schema.ApplicationID,
	Migrations:    fstest.MapFS{"00001_counters.sql": schema.Migrations.(fstest.MapFS)["00001_counters.sql"]},
}

var (
	addOne     = engine.NewQuery(`INSERT INTO counters (name, n) VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET n = n + 1`)
	counter    = engine.NewQuery(`SELECT n FROM counters WHERE name = $1`)
	addChild   = engine.NewQuery(`INSERT INTO children (counter) VALUES ($1)`)
	addNote    = engine.NewQuery(`INSERT INTO notes (text) VALUES ($1)`)
	notes      = engine.NewQuery(`SELECT text FROM notes ORDER BY seq`)
	invalidate = &engine.Query{Text: `INSERT INTO notes (text) VALUES ('invalidated')`, Invalidates: true}
)

var errRefused = errors.New("refused by the test")

var background = context.Background()

// clock is owned by a test and may be used from any goroutine.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func options(path string) engine.Options {
	return engine.Options{
		Path:       path,
		Clock:      newClock().Now,
		Log:        slog.New(slog.DiscardHandler),
		Schema:     schema,
		Invalidate: func() {},
	}
}

// openWith opens an engine, which is closed when the test ends.
func openWith(t testing.TB, options engine.Options) *engine.Engine {
	t.Helper()
	store, err := engine.Open(background, options)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return store
}

func newPath(t testing.TB) string { return filepath.Join(t.TempDir(), "svc.db") }

func openAt(t testing.TB, path string) *engine.Engine {
	t.Helper()
	return openWith(t, options(path))
}

// open opens an engine on a new file.
func open(t testing.TB) *engine.Engine {
	t.Helper()
	return openAt(t, newPath(t))
}

func update(t testing.TB, store *engine.Engine, fn func(*engine.Tx) error) {
	t.Helper()
	if err := store.Update(background, fn); err != nil {
		t.Fatalf("update: %v", err)
	}
}

// count returns an update that adds one to the counter of each name.
func count(names ...string) func(*engine.Tx) error {
	return func(tx *engine.Tx) error {
		for _, name := range names {
			if _, err := tx.Exec(addOne, name); err != nil {
				return err
			}
		}
		return nil
	}
}

// note returns an update that stores a text.
func note(text string) func(*engine.Tx) error {
	return func(tx *engine.Tx) error {
		_, err := tx.Exec(addNote, text)
		return err
	}
}

// dangle stores a child of no counter, which its foreign key forbids.
func dangle(tx *engine.Tx) error {
	_, err := tx.Exec(addChild, "nobody")
	return err
}

// read returns the counter of a name.
func read(tx *engine.Tx, name string) (n int64, err error) {
	err = tx.Row(counter, []any{name}, &n)
	if errors.Is(err, engine.ErrNotFound) {
		err = nil
	}
	return n, err
}

func wantCount(t testing.TB, store *engine.Engine, name string, want int64) {
	t.Helper()
	var got int64
	err := store.View(background, func(tx *engine.Tx) (err error) {
		got, err = read(tx, name)
		return err
	})
	if err != nil || got != want {
		t.Errorf("counter %s is %d (%v), want %d", name, got, err, want)
	}
}

// noted returns the stored texts, oldest first.
func noted(t testing.TB, store *engine.Engine) (texts []string) {
	t.Helper()
	err := store.View(background, func(tx *engine.Tx) (err error) {
		texts, err = engine.Collect(tx, notes, func(row engine.Scanner) (s string, err error) {
			err = row.Scan(&s)
			return s, err
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
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

// enqueue starts an update and returns once it waits in the queue, or has ended. It
// needs a synctest bubble.
func enqueue(ctx context.Context, store *engine.Engine, fn func(*engine.Tx) error) <-chan outcome {
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

// hold occupies the writer until release is called, so that updates wait in the
// queue.
func hold(store *engine.Engine) (release func()) {
	gate := make(chan struct{})
	enqueue(background, store, func(*engine.Tx) error { <-gate; return nil })
	return func() { close(gate) }
}

// rawOpen opens the file without the engine, as another program would.
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
