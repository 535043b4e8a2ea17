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

// TestRestoreByRoot checks that what root backs up and restores belongs to whom the place
// belongs.
func TestRestoreByRoot(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	const server = 4321
	owner := func(path string) uint32 {
		t.Helper()
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Sys().(*syscall.Stat_t).Uid
	}
	s := newShop(t)
	if err := os.WriteFile(s.path+".key", []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := errors.Join(os.Chown(folder, server, server), os.Chown(s.path, server, server)); err != nil {
		t.Fatal(err)
	}
	from := filepath.Join(folder, "backup.tar")
	if _, err := db.Backup(t.Context(), s.path, from, s.clock.Now()); err != nil {
		t.Fatal(err)
	}
	if got := owner(from); got != server {
		t.Errorf("the backup belongs to %d", got)
	}
	s.dataset(2)
	s.stop()

	kept := s.restore(from).Kept
	inPlace := []string{s.path, s.path + ".key", s.path + ".lock", s.path + "-data", kept + "-data", s.path + "-data/" + s.dataFiles(s.path)[0] + ".db"}
	s.path = filepath.Join(folder, "new.db")
	s.restore(from) // where nothing is, the folder's owner counts
	inPlace = append(inPlace, s.path, s.path+".key", s.path+".lock", s.path+"-data", s.path+"-data/"+s.dataFiles(s.path)[0]+".db")
	for _, path := range inPlace {
		if got := owner(path); got != server {
			t.Errorf("%s belongs to %d", filepath.Base(path), got)
		}
	}
}

// TestStageInUse checks that what a running restore or backup works in is not taken for what
// a killed one left.
func TestStageInUse(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	s := newShop(t)
	folder := filepath.Dir(s.path)
	names := []string{filepath.Join(folder, ".svc.db.restore-1"), filepath.Join(folder, ".backup.tar.svc-tmp-1")}
	var running []*os.File
	for _, name := range names {
		if err := os.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(name)
		if err == nil {
			err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		}
		if err != nil {
			t.Fatal(err)
		}
		running = append(running, file)
	}
	for i, want := range []int{len(names), 0} {
		if _, err := db.Backup(t.Context(), s.path, filepath.Join(folder, []string{"a.tar", "b.tar"}[i]), s.clock.Now()); err != nil {
			t.Fatal(err)
		}
		s.stop()
		s.start()
		if left, _ := filepath.Glob(filepath.Join(folder, ".*")); len(left) != want {
			t.Errorf("left %v, want %d", left, want)
		}
		for _, file := range running {
			file.Close()
		}
	}
}
