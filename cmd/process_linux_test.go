package cmd_test

import (
	"os/exec"
	"syscall"
)

// dieWithParent makes the kernel kill the child when the test process ends, even by a
// signal.
func dieWithParent(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
