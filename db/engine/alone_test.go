package engine_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"svc/db/engine"
)

func TestAlone(t *testing.T) {
	t.Parallel()
	never := func() error { t.Error("it ran"); return nil }

	t.Run("RefusedWhileOpen", func(t *testing.T) {
		path := newPath(t)
		openAt(t, path) // and does nothing
		wantErr(t, engine.Alone(t.Context(), path, never), engine.ErrInUse)
	})

	t.Run("RefusedWhileAnotherProgramReads", func(t *testing.T) {
		path := newPath(t)
		if _, err := engine.Migrate(t.Context(), path, schema); err != nil {
			t.Fatal(err)
		}
		mustExec(t, rawOpen(t, path), `SELECT count(*) FROM notes`)
		wantErr(t, engine.Alone(t.Context(), path, never), engine.ErrInUse)
	})

	t.Run("EmptiesTheLogAndKeepsOthersOut", func(t *testing.T) {
		path := newPath(t)
		store, err := engine.Open(t.Context(), options(path))
		if err != nil {
			t.Fatal(err)
		}
		update(t, store, count("a"))
		crashed := filepath.Join(t.TempDir(), "svc.db") // as a process that was killed leaves it
		for _, suffix := range []string{"", "-wal"} {
			text, err := os.ReadFile(path + suffix)
			if err == nil {
				err = os.WriteFile(crashed+suffix, text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}

		opened := make(chan error)
		err = engine.Alone(t.Context(), crashed, func() error {
			if _, err := os.Stat(crashed + "-wal"); err == nil {
				t.Error("the log is still there")
			}
			go func() {
				store, err := engine.Open(background, options(crashed))
				if err == nil {
					err = store.Close()
				}
				opened <- err
			}()
			return os.Rename(crashed, crashed+".old")
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := <-opened; err != nil {
			t.Error(err)
		}
		wantCount(t, openAt(t, crashed+".old"), "a", 1)
		wantCount(t, openAt(t, crashed), "a", 0) // who waited made a new file
	})

	t.Run("RunsWithoutAFileAndOnADamagedOne", func(t *testing.T) {
		path, ran := newPath(t), 0
		for range 2 {
			if err := engine.Alone(t.Context(), path, func() error { ran++; return nil }); err != nil {
				t.Error(err)
			}
			if err := os.WriteFile(path, bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if ran != 2 {
			t.Errorf("ran %d times", ran)
		}
	})
}
