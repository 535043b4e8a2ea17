//go:build unix

package barcode

import (
	"syscall"
	"testing"
	"time"
)

// coreTime is how long this process has had a core. Differences of it do not
// depend on who else wants one.
func coreTime(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
