//go:build crashtest

package db

import (
	"os"
	"syscall"
)

// crashPoint kills the process at the step that SVC_CRASH_AT names, as a power cut would:
// nothing is flushed, no deferred call runs. It exists only in binaries built with the tag
// crashtest.
func crashPoint(step string) {
	if os.Getenv("SVC_CRASH_AT") == step {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}
