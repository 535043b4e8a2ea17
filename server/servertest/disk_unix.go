//go:build unix

package servertest

import (
	"syscall"
	"testing"
)

// FillDisk makes every file write of this process fail, as on a full disk, until the test
// calls mend. Tests that use it must not be parallel.
func FillDisk(t testing.TB) (mend func()) {
	t.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatalf("fill disk: %v", err)
	}
	full := before
	full.Cur = 0
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatalf("fill disk: %v", err)
	}
	mend = func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Errorf("mend disk: %v", err)
		}
	}
	t.Cleanup(mend)
	return mend
}
