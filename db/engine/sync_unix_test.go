//go:build unix

package engine_test

import (
	"syscall"
	"testing"

	"svc/db/engine"
)

// fillDisk makes every write of this process to a file fail until mend is called.
func fillDisk(t *testing.T) (mend func()) {
	t.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	full := before
	full.Cur = 0
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	mend = func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(mend)
	return mend
}

// TestNoDurableCommitFollowsALogThatMayHaveHoles makes a durable commit fail behind relaxed
// ones. It must not run in parallel with others, since it fills the disk.
func TestNoDurableCommitFollowsALogThatMayHaveHoles(t *testing.T) {
	path := newPath(t)
	store := openAt(t, path)
	update(t, store, count("a"))
	err := store.LongView(background, func(tx *engine.Tx) error { // keeps the log from starting anew
		if _, err := read(tx, "a"); err != nil {
			return err
		}
		for range 300 {
			if err := store.RelaxedUpdate(background, count("a")); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	before := logSize(t, path)

	mend := fillDisk(t)
	wantErr(t, store.Update(background, count("a")), engine.ErrUnavailable)
	mend()
	if err := store.RelaxedUpdate(background, count("a")); err != nil {
		t.Fatal(err)
	}
	if size := logSize(t, path); size < before {
		t.Fatalf("the log has %d pages and had %d: a relaxed commit needs no sync", size, before)
	}
	update(t, store, count("a"))
	if size := logSize(t, path); size > before/10 {
		t.Errorf("the log has %d pages and had %d, so a durable commit follows unsynced ones", size, before)
	}
	wantCount(t, store, "a", 303)
}
