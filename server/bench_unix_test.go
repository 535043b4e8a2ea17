//go:build unix

package server

import (
	"syscall"
	"time"
)

// cpuTime returns how long the process has computed, on all cores together.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
