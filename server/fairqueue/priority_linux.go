package fairqueue

import "syscall"

// niceness is how much heavy threads are nicer than the others. By it they get a third of
// the time that another thread gets that always runs, so that a busy machine delays their
// work and does not end it.
//
// Beside two askers on two cores the p99 of GET /connections and of a send was 1.5 and 1.6
// times that of the moment before, and with the same niceness for all 2.4 times both. With
// more Ps than cores (GOMAXPROCS) the least nice heavy thread that computed without a pause
// made it 2.0 to 3.1 times, and nicer ones (19, SCHED_IDLE) 3.5 to 3.9: probably the kernel
// takes the core from a thread that holds a P, and to stop the world takes until it has one
// again. With as many Ps as cores that thread cost others nothing (1.0).
const niceness = 5

// lowerPriority makes the calling thread, which must be locked, wait for others.
func lowerPriority() {
	thread := syscall.Gettid()
	if raw, err := syscall.Getpriority(syscall.PRIO_PROCESS, thread); err == nil {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, thread, 20-raw+niceness) // else it runs as others do
	}
}
