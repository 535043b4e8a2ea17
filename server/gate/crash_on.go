//go:build crashtest

package gate

import (
	"os"
	"sync/atomic"
	"syscall"
)

var passes atomic.Int64

// crashPoint kills the process at the third pass of the point that SVC_CRASH_AT
// names, as a power cut would: nothing is flushed, no deferred call runs. It
// exists only in binaries built with the tag crashtest.
func crashPoint(name string) {
	if os.Getenv("SVC_CRASH_AT") == name && passes.Add(1) == 3 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}
