package metrics_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"svc/server/metrics"
)

// The figures of the process are those that the system tells by its calls.
func TestProcessFigures(t *testing.T) {
	before := processorTime(t)
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	found := scrape(t, metrics.New("1.2.3"))
	gauge := func(name string) float64 { return found[name].GetMetric()[0].GetGauge().GetValue() }

	const tick = .01 // /proc rounds down to it, user's time and the system's
	used := found["process_cpu_seconds_total"].GetMetric()[0].GetCounter().GetValue()
	if after := processorTime(t); used < before-2*tick || used > after+2*tick {
		t.Errorf("%v s used, want %v to %v", used, before, after)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if open, most := gauge("process_open_fds"), gauge("process_max_fds"); open < 4 || open > most || most != float64(limit.Cur) {
		t.Errorf("%v files of %v are open, the limit is %d", open, most, limit.Cur)
	}
	if resident, all := gauge("process_resident_memory_bytes"), gauge("process_virtual_memory_bytes"); resident < 1<<20 || resident > all {
		t.Errorf("%v bytes of %v are in RAM", resident, all)
	}
	if start, now := gauge("process_start_time_seconds"), float64(time.Now().Unix()+1); start > now || start < now-24*3600 {
		t.Errorf("began at %v, now is %v", start, now)
	}
}

func processorTime(t testing.TB) (seconds float64) {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}
