//go:build crashtest

package cmd

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"svc/db"
)

// The binary of the crash tests kills itself at the step that SVC_CRASH_AT names, such as
// "after-claim", or "after-claim 3" for the third time that it is there, as a power cut would:
// nothing is flushed, no deferred call runs.
func init() {
	at, times, several := strings.Cut(os.Getenv("SVC_CRASH_AT"), " ")
	last := 1
	if several {
		var err error
		if last, err = strconv.Atoi(times); err != nil {
			panic(err)
		}
	}
	var passes atomic.Int64
	db.CrashPoint = func(step string) {
		if step == at && passes.Add(1) == int64(last) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}
