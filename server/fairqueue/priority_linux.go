package fairqueue

import "syscall"

// niceness is how much heavy threads are nicer than the others. By it they get a third of
// the time that another thread gets that always runs, so that a busy machine delays their
// work and does not end it.
const niceness = 5

// lowerPriority makes the calling thread, which must be locked, wait for others.
func lowerPriority() {
	thread := syscall.Gettid()
	if raw, err := syscall.Getpriority(syscall.PRIO_PROCESS, thread); err == nil {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, thread, 20-raw+niceness) // else it runs as others do
	}
}
