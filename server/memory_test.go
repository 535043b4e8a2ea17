package server

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

func TestAvailableMemory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "memory.max")
	for text, want := range map[string]int64{
		"max\n": defaultMemory, "268435456\n": 268435456 / 10 * 9, "1000\n": minMemory, "": defaultMemory,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := availableMemory(file); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if got := availableMemory(file + "x"); got != defaultMemory {
		t.Errorf("no file: %d, want %d", got, defaultMemory)
	}
}

func TestMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	t.Setenv("GOMEMLIMIT", "1GiB")
	debug.SetMemoryLimit(1 << 30)
	Config{}.limitMemory()
	if got := debug.SetMemoryLimit(-1); got != 1<<30 {
		t.Errorf("GOMEMLIMIT: %d, want 1 GiB", got)
	}
	Config{Memory: 100 << 20}.limitMemory()
	if got := debug.SetMemoryLimit(-1); got != 100<<20 {
		t.Errorf("--memory: %d, want 100 MiB", got)
	}
}
