//go:build unix

package barcode

import (
	"syscall"
	"testing"
	"time"
)

// coreTime returns the CPU time of this process, which other processes do not change.
func coreTime(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
