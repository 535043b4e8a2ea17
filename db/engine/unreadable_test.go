package engine_test

import (
	"database/sql"
	"errors"
	"os"
	"strings"
	"testing"

	"svc/db/engine"
)

var countNotes = engine.NewQuery(`SELECT count(*) FROM notes WHERE text <> ''`)

// A page that cannot be read fails the reads that need it, each with an error. If the file
// were mapped into memory, the process would end with SIGBUS here.
func TestUnreadablePageIsAnError(t *testing.T) {
	path := newPath(t)
	store := openAt(t, path)
	update(t, store, func(tx *engine.Tx) error {
		for range 2_000 {
			if err := note(strings.Repeat("x", 1_000))(tx); err != nil {
				return err
			}
		}
		return nil
	})
	raw, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		t.Fatal(err)
	}
	if err := store.View(background, func(tx *engine.Tx) error { _, err := read(tx, "a"); return ignoreMissing(err) }); err != nil {
		t.Fatal(err)
	}

	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, int64(len(whole)/2)); err != nil {
		t.Fatal(err)
	}
	count := func(tx *engine.Tx) error {
		var n int64
		return tx.Row(countNotes, nil, &n)
	}
	if err := store.View(background, count); err == nil {
		t.Error("a view reads pages that are gone")
	}
	if err := store.LongView(background, count); err == nil {
		t.Error("a long view reads pages that are gone")
	}
	if _, err := store.Query(background, 1, countNotes.Text); err == nil {
		t.Error("a composed query reads pages that are gone")
	}

	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := store.View(background, count); err != nil {
		t.Errorf("after the file is whole again: %v", err)
	}
}

func ignoreMissing(err error) error {
	if errors.Is(err, engine.ErrNotFound) {
		return nil
	}
	return err
}
