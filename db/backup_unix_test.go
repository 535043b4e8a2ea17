//go:build unix

package db_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// TestBackupBeginsAnew removes two datasets after the backup's snapshot of the database. A
// pipe in the place of the first holds the backup there until the second is gone.
func TestBackupBeginsAnew(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	first, second := s.dataset(1), s.dataset(1)
	pipe := s.store.DataPath(first)
	if err := errors.Join(os.Remove(pipe), syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	type outcome struct {
		db.BackupContents
		error
	}
	ended := make(chan outcome, 1)
	go func() {
		contents, err := db.Backup(t.Context(), s.path, filepath.Join(t.TempDir(), "backup.tar"), s.clock.Now())
		ended <- outcome{contents, err}
	}()
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for the backup to read
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []db.Dataset{first, second} {
		dbtest.Update(t, s.store, func(tx *db.Tx) error { return tx.DropDataset(d) })
		if err := db.RemoveDataFile(s.store.DataPath(d)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-ended; got.error != nil || got.Datasets != 1 {
		t.Errorf("%+v", got)
	}
}
