package engine_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"svc/db/engine"
)

// older makes a file with the older schema and one counter, which an older binary has open.
func older(t *testing.T) (path string, server *engine.Engine) {
	t.Helper()
	path = newPath(t)
	o := options(path)
	o.Schema = olderSchema
	server = openWith(t, o)
	update(t, server, count("a"))
	return path, server
}

// version reads the schema version of a file.
func version(t *testing.T, path string) (v int64) {
	t.Helper()
	raw := rawOpen(t, path)
	defer raw.Close()
	if err := raw.QueryRow(`PRAGMA user_version`).Scan(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestOlderSchema(t *testing.T) {
	t.Parallel()
	t.Run("IsRefused", func(t *testing.T) {
		path, server := older(t)
		_, err := engine.Open(t.Context(), options(path))
		wantErr(t, err, engine.ErrOlderSchema)
		if got := version(t, path); got != 1 {
			t.Errorf("schema version is %d", got)
		}
		update(t, server, count("a")) // the older binary works on
		wantCount(t, server, "a", 2)
		if left, _ := filepath.Glob(path + ".before-*"); len(left) > 0 {
			t.Errorf("copies %v", left)
		}
	})

	t.Run("IsCopiedWithItsLogAndMigrated", func(t *testing.T) {
		path, server := older(t) // the counter is still in the write-ahead log
		var log bytes.Buffer
		o := options(path)
		o.Migrate, o.Log = true, slog.New(slog.NewTextHandler(&log, nil))
		update(t, openWith(t, o), note("new"))
		wantErr(t, server.Update(t.Context(), count("a")), engine.ErrNewerSchema)

		kept := path + ".before-1"
		wantPrivate(t, kept)
		if !strings.Contains(log.String(), kept) {
			t.Errorf("log %q", log.String())
		}
		if got := version(t, kept); got != 1 {
			t.Errorf("the copy has schema version %d", got)
		}
		o = options(kept)
		o.Schema = olderSchema
		wantCount(t, openWith(t, o), "a", 1)
	})

	t.Run("IsCopiedWithItsDataFolder", func(t *testing.T) {
		path, _ := older(t)
		for _, name := range []string{path + "-data/ds_1.db", path + ".before-1-data/ds_0.db"} {
			if err := errors.Join(os.Mkdir(filepath.Dir(name), 0o700), os.WriteFile(name, []byte("rows"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := engine.Migrate(t.Context(), path, schema); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path + "-data/ds_1.db"); err != nil { // as a new svc may do
			t.Fatal(err)
		}
		kept, _ := filepath.Glob(path + ".before-1-data/*")
		if len(kept) != 1 || filepath.Base(kept[0]) != "ds_1.db" {
			t.Errorf("kept %v", kept)
		}
		if text, err := os.ReadFile(path + ".before-1-data/ds_1.db"); err != nil || string(text) != "rows" {
			t.Errorf("%q, %v", text, err)
		}
	})

	t.Run("KeepsTheLastTwoCopies", func(t *testing.T) {
		path, _ := older(t)
		for i, name := range []string{"7", "5", "x"} {
			name = path + ".before-" + name
			if err := os.MkdirAll(name+"-data/of an old copy", 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			at := time.Now().Add(-time.Hour * time.Duration(i+1))
			if err := os.Chtimes(name, at, at); err != nil {
				t.Fatal(err)
			}
		}
		made, err := engine.Migrate(t.Context(), path, schema)
		if err != nil || made.Path != path+".before-1" || made.Version != 1 {
			t.Errorf("%+v, %v", made, err)
		}
		left, _ := filepath.Glob(path + ".before-*")
		want := strings.ReplaceAll("*1 *7 *7-data *x *x-data", "*", path+".before-")
		if strings.Join(left, " ") != want {
			t.Errorf("copies %v, want %s", left, want)
		}
		if made, err = engine.Migrate(t.Context(), path, schema); err != nil || made.Path != "" {
			t.Errorf("copied a current file: %+v, %v", made, err)
		}
	})

	t.Run("KeepsTheCopyOfAnEarlierUpgrade", func(t *testing.T) {
		path, server := older(t)
		upgrade := func() string {
			t.Helper()
			made, err := engine.Migrate(t.Context(), path, schema)
			if err != nil {
				t.Fatal(err)
			}
			return filepath.Base(made.Path)
		}
		// goBack puts a copy in the place of the database, as the README tells.
		goBack := func(copied string) {
			t.Helper()
			for _, suffix := range []string{"", "-wal", "-shm"} {
				if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
			}
			if err := engine.CopyFile(filepath.Join(filepath.Dir(path), copied), path); err != nil {
				t.Fatal(err)
			}
		}
		counted := func(name string) {
			t.Helper()
			o := options(path)
			o.Schema = olderSchema
			store := openWith(t, o)
			update(t, store, count(name))
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if err := server.Close(); err != nil {
			t.Fatal(err)
		}
		var made []string
		for i := range 3 {
			made = append(made, upgrade())
			goBack(made[i])
			counted("a")
		}
		left, _ := filepath.Glob(path + ".before-*")
		if len(left) != 2 || filepath.Base(left[0]) != made[1] || filepath.Base(left[1]) != made[2] {
			t.Errorf("copies %v, want the last two", left)
		}
		if want := []string{"svc.db.before-1", "svc.db.before-1-2", "svc.db.before-1-3"}; !slices.Equal(made, want) {
			t.Errorf("copies %v, want %v", made, want)
		}
	})

	t.Run("IsCopiedOnceWhenUpgradesFail", func(t *testing.T) {
		path, server := older(t)
		update(t, server, count("b"))
		first := path + ".before-0"
		if err := os.WriteFile(first, []byte("a copy from before another migration"), 0o600); err != nil {
			t.Fatal(err)
		}
		broken := schema
		broken.Migrations = fstest.MapFS{
			"00001_counters.sql": schema.Migrations.(fstest.MapFS)["00001_counters.sql"],
			"00002_notes.sql":    {Data: []byte("-- +goose Up\nCREATE TABLE counters (n INTEGER);\nPRAGMA user_version = 2;\n")},
		}
		for range 4 {
			if _, err := engine.Migrate(t.Context(), path, broken); err == nil {
				t.Fatal("the broken migration succeeded")
			}
		}
		left, _ := filepath.Glob(path + ".before-*")
		if len(left) != 2 || left[0] != first {
			t.Errorf("copies %v, want %s and one more", left, first)
		}
	})

	t.Run("IsNotMigratedWithoutACopy", func(t *testing.T) {
		path, _ := older(t)
		if err := os.MkdirAll(path+".before-1.tmp/in the way", 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := engine.Migrate(t.Context(), path, schema); err == nil {
			t.Error("migrated")
		}
		if got := version(t, path); got != 1 {
			t.Errorf("schema version is %d", got)
		}
	})
}

func TestCopyDatabase(t *testing.T) {
	t.Parallel()
	t.Run("HasWhatWasCommittedBefore", func(t *testing.T) {
		path := newPath(t)
		store := openAt(t, path)
		var over atomic.Bool
		writing := make(chan error)
		go func() {
			for !over.Load() {
				if err := store.Update(background, count("load")); err != nil {
					writing <- err
					return
				}
			}
			writing <- nil
		}()
		for i := range int64(5) {
			update(t, store, count("before"))
			to := filepath.Join(t.TempDir(), "copy.db")
			if got, err := engine.CopyDatabase(t.Context(), path, to, schema); err != nil || got != schema.Version {
				t.Fatalf("schema version %d, %v", got, err)
			}
			wantPrivate(t, to)
			wantCount(t, openAt(t, to), "before", i+1)
		}
		over.Store(true)
		if err := <-writing; err != nil {
			t.Error(err)
		}
	})

	t.Run("KeepsAnOlderSchema", func(t *testing.T) {
		path, server := older(t)
		to := filepath.Join(t.TempDir(), "copy.db")
		if got, err := engine.CopyDatabase(t.Context(), path, to, schema); err != nil || got != 1 || version(t, to) != 1 {
			t.Errorf("schema version %d, %v", got, err)
		}
		update(t, server, count("a")) // the older binary works on
		wantCount(t, server, "a", 2)
	})

	t.Run("Refuses", func(t *testing.T) {
		to := filepath.Join(t.TempDir(), "copy.db")
		_, err := engine.CopyDatabase(t.Context(), newPath(t), to, schema)
		wantErr(t, err, engine.ErrNotFound)
		if left, _ := filepath.Glob(to + "*"); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	store, err := engine.Open(t.Context(), options(path))
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		update(t, store, note(strings.Repeat("text ", 500)))
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := engine.Check(t.Context(), path); err != nil || got != schema.Version {
		t.Errorf("%d, %v", got, err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"truncated": whole[:len(whole)/2],
		"altered":   append(bytes.Repeat([]byte{7}, 4096*3), whole[4096*3:]...),
		"a letter":  bytes.Repeat([]byte("to a friend "), 1000),
		"a page":    append(append(bytes.Clone(whole[:4096*4]), bytes.Repeat([]byte{0xff}, 4096)...), whole[4096*5:]...),
	} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := engine.Check(t.Context(), path); err == nil {
			t.Errorf("%s: no error", name)
		} else {
			wantErr(t, err, engine.ErrDamaged)
		}
	}
}
