package server

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
)

const (
	defaultMemory = 512 << 20
	minMemory     = 64 << 20
	// cgroupMemory is the file in which Linux tells a container its memory, in bytes or "max".
	cgroupMemory = "/sys/fs/cgroup/memory.max"
	// keptMemory is how much memory without use the process keeps for what comes next.
	keptMemory = 32 << 20
)

// limitMemory sets the soft limit of the process: the garbage collector works harder near
// it, and gives memory back to the system. GOMEMLIMIT beats the default, as in any Go
// program.
func (c Config) limitMemory() {
	if c.Memory > 0 {
		debug.SetMemoryLimit(c.Memory)
		return
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(availableMemory(cgroupMemory))
	}
}

// availableMemory returns nine tenths of the container's memory, as the file at path has it,
// and outside of a container defaultMemory.
func availableMemory(path string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return defaultMemory
	}
	limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil { // "max"
		return defaultMemory
	}
	return max(limit/10*9, minMemory)
}

// giveMemoryBack returns memory that is not used to the system, if it is more than keptMemory.
// An idle process collects no garbage by itself, and would keep for minutes what a peak needed.
func giveMemoryBack(context.Context) error {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/gc/heap/live:bytes"},
	}
	metrics.Read(samples)
	free, objects, live := samples[0].Value.Uint64(), samples[1].Value.Uint64(), samples[2].Value.Uint64()
	if free+objects > live+keptMemory {
		debug.FreeOSMemory()
	}
	return nil
}
