// Package proctest starts programs beside a test.
package proctest

import (
	"os/exec"
	"runtime"
	"testing"
)

// Start starts a program that, on Linux, ends with the test's process, even when that is
// killed. The caller ends it with the test.
//
// The kernel takes the end of the thread that started a program for the end of its parent,
// and threads end while a process goes on: those of package fairqueue do. So a thread is
// kept for the program until the test's end.
func Start(t testing.TB, c *exec.Cmd) {
	t.Helper()
	endWithParent(c)
	started, ended := make(chan error), make(chan struct{})
	t.Cleanup(func() { close(ended) })
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		started <- c.Start()
		<-ended
	}()
	if err := <-started; err != nil {
		t.Fatalf("start %s: %v", c.Path, err)
	}
}
