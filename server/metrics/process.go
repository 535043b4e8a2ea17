package metrics

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	runtimemetrics "runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// goFigure is a metric of Go's runtime: the sum of some that package runtime/metrics has.
type goFigure struct {
	name, help string
	is         kind
	sum        []string
}

// goFigures have the names that dashboards for programs in Go look for.
var goFigures = []goFigure{
	{"go_goroutines", "Goroutines that exist.", gaugeKind, []string{"/sched/goroutines:goroutines"}},
	{"go_threads", "Threads of the operating system that Go made.", gaugeKind, []string{"/sched/threads/total:threads"}},
	{"go_sched_gomaxprocs_threads", "Threads that may run Go code at a time (GOMAXPROCS).", gaugeKind, []string{"/sched/gomaxprocs:threads"}},
	{"go_memstats_alloc_bytes", "Memory of objects on the heap, those that are not collected yet among them.", gaugeKind, []string{"/memory/classes/heap/objects:bytes"}},
	{"go_memstats_alloc_bytes_total", "Memory allocated on the heap since the start, even if it was freed.", counterKind, []string{"/gc/heap/allocs:bytes"}},
	{"go_memstats_mallocs_total", "Objects allocated on the heap since the start.", counterKind, []string{"/gc/heap/allocs:objects", "/gc/heap/tiny/allocs:objects"}},
	{"go_memstats_heap_objects", "Objects on the heap.", gaugeKind, []string{"/gc/heap/objects:objects"}},
	{"go_memstats_heap_inuse_bytes", "Memory of the parts of the heap that have objects.", gaugeKind, []string{"/memory/classes/heap/objects:bytes", "/memory/classes/heap/unused:bytes"}},
	{"go_memstats_heap_idle_bytes", "Memory of the parts of the heap that have no objects.", gaugeKind, []string{"/memory/classes/heap/free:bytes", "/memory/classes/heap/released:bytes"}},
	{"go_memstats_heap_released_bytes", "Memory of the heap that was given back to the system.", gaugeKind, []string{"/memory/classes/heap/released:bytes"}},
	{"go_memstats_stack_inuse_bytes", "Memory of the stacks of goroutines.", gaugeKind, []string{"/memory/classes/heap/stacks:bytes"}},
	{"go_memstats_sys_bytes", "Memory that Go has of the system, without what C and mapped files have.", gaugeKind, []string{"/memory/classes/total:bytes"}},
	{"go_memstats_next_gc_bytes", "Size of the heap at which the next garbage collection ends.", gaugeKind, []string{"/gc/heap/goal:bytes"}},
	{"go_gc_gomemlimit_bytes", "Memory that Go tries to stay below (GOMEMLIMIT, --memory).", gaugeKind, []string{"/gc/gomemlimit:bytes"}},
}

func (t *text) writeGo() {
	for _, f := range goFigures {
		samples := make([]runtimemetrics.Sample, len(f.sum))
		for i, name := range f.sum {
			samples[i].Name = name
		}
		runtimemetrics.Read(samples)
		var sum uint64
		for _, s := range samples {
			sum += s.Value.Uint64()
		}
		t.metric(f.name, f.help, f.is)
		t.sample(f.name, float64(sum))
	}
	t.writePauses()
	t.metric("go_info", "1, with the version of Go.", gaugeKind)
	t.sample("go_info", 1, "version", runtime.Version())
}

// writePauses writes how long garbage collections have stopped the program.
func (t *text) writePauses() {
	const name = "go_gc_duration_seconds"
	stats := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&stats)
	t.metric(name, "Pauses of the program for garbage collections.", summaryKind)
	for i, pause := range stats.PauseQuantiles {
		t.sample(name, pause.Seconds(), "quantile", number(float64(i)/4))
	}
	t.sample(name+"_sum", stats.PauseTotal.Seconds())
	t.sample(name+"_count", float64(stats.NumGC))
}

// began is when the process began, but for the first milliseconds.
var began = time.Now()

// process is what Linux tells of a process.
type process struct {
	cpuSeconds                   float64
	residentBytes, virtualBytes  float64
	openDescriptors, descriptors float64
}

var (
	startFigures = []figure[time.Time]{
		gauge("process_start_time_seconds", "When the process began, in seconds since 1970.", unix),
	}
	processFigures = []figure[process]{
		counter("process_cpu_seconds_total", "Processor time used, in seconds.", func(p process) float64 { return p.cpuSeconds }),
		gauge("process_resident_memory_bytes", "Memory of the process that is in RAM.", func(p process) float64 { return p.residentBytes }),
		gauge("process_virtual_memory_bytes", "Addresses that the process has reserved.", func(p process) float64 { return p.virtualBytes }),
		gauge("process_open_fds", "Open files and connections.", func(p process) float64 { return p.openDescriptors }),
		gauge("process_max_fds", "Files and connections that may be open.", func(p process) float64 { return p.descriptors }),
	}
)

// writeProcess writes figures of the process. Only Linux has more than the start.
func (t *text) writeProcess() {
	write(t, startFigures, nil, began)
	if p, known := readProcess("/proc/self"); known {
		write(t, processFigures, nil, p)
	}
}

// ticks is the unit of times in /proc, a hundredth of a second on all that Go runs on.
const ticks = 100

// The fields of /proc/self/stat that are read, counted from the one after the name, which may
// have spaces and parentheses itself (proc_pid_stat(5)).
const (
	userTicks     = 11
	systemTicks   = 12
	virtualBytes  = 20
	residentPages = 21
)

// readProcess reads the folder of a process in /proc.
func readProcess(folder string) (p process, known bool) {
	stat, err := os.ReadFile(folder + "/stat")
	if err != nil {
		return p, false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= residentPages {
		return p, false
	}
	field := func(i int) float64 {
		value, _ := strconv.ParseFloat(fields[i], 64)
		return value
	}
	p.cpuSeconds = (field(userTicks) + field(systemTicks)) / ticks
	p.virtualBytes, p.residentBytes = field(virtualBytes), field(residentPages)*float64(os.Getpagesize())

	open, err := os.ReadDir(folder + "/fd")
	if err != nil {
		return p, false
	}
	p.openDescriptors = float64(len(open))
	limits, err := os.ReadFile(folder + "/limits")
	if err != nil {
		return p, false
	}
	_, line, _ := strings.Cut(string(limits), "Max open files")
	if soft := strings.Fields(line); len(soft) > 0 {
		p.descriptors, err = strconv.ParseFloat(soft[0], 64)
	}
	return p, err == nil
}
