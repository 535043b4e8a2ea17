package server

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	defaultMemory = 512 << 20
	minMemory     = 64 << 20
	// cgroupMemory is the file in which Linux tells a container its memory, in bytes or "max".
	cgroupMemory = "/sys/fs/cgroup/memory.max"
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
