package datatest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"svc/server/datatest"
)

// recorder records how a test ended.
type recorder struct {
	testing.TB
	outcome string
}

func (r *recorder) Fatalf(format string, args ...any) { r.end("failed: "+format, args...) }
func (r *recorder) Skipf(format string, args ...any)  { r.end("skipped: "+format, args...) }

func (r *recorder) end(format string, args ...any) {
	r.outcome = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// pathOutcome returns the path of a name, or how the test ended instead.
func pathOutcome(t *testing.T, name string) string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.outcome = datatest.Path(r, name)
	}()
	<-done
	return r.outcome
}

func TestPathPrefersTheProject(t *testing.T) {
	t.Setenv("SVC_DATA", t.TempDir())
	path := datatest.Path(t, "datasets/northwind/products.csv")
	if want := filepath.Join("testdata", "datasets", "northwind", "products.csv"); !strings.HasSuffix(path, want) || !filepath.IsAbs(path) {
		t.Errorf("path = %s, want an absolute path that ends with %s", path, want)
	}
}

func TestPathReadsTheFolderOfTheVariable(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SVC_DATA", dir)
	file := filepath.Join(dir, "only-here.csv")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := datatest.Path(t, "only-here.csv"); got != file {
		t.Errorf("path = %s, want %s", got, file)
	}
}

func TestMissingFileSkipsOnADeskAndFailsInCI(t *testing.T) {
	t.Setenv("SVC_DATA", "")
	for ci, want := range map[string]string{"": "skipped: no nowhere/at-all.csv", "true": "failed: no nowhere/at-all.csv"} {
		t.Setenv("CI", ci)
		if got := pathOutcome(t, "nowhere/at-all.csv"); !strings.HasPrefix(got, want) || !strings.Contains(got, "SVC_DATA") {
			t.Errorf("CI=%q: %s, want %s, and how to provide it", ci, got, want)
		}
	}
}
