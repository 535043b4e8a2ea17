// Package datatest finds the real files that tests measure accuracy on: photos of
// barcodes, product lists, sales files, events. It only finds them; what a file means
// is known by the test that reads it.
package datatest

import (
	"os"
	"path/filepath"
	"testing"
)

// missing is the reason of a skipped or failed test.
const missing = "no %s: it is not in the project's testdata; give the folder of real data with SVC_DATA, or put it at ../shared/data beside the project"

// Path returns the absolute path of a file or folder of real data, named as in
// testdata/README.md, such as "datasets/northwind". It looks in the project's testdata,
// then in the folder of $SVC_DATA, then in ../shared/data beside the project. Without
// the file the test is skipped, and fails with CI=true.
func Path(t testing.TB, name string) string {
	t.Helper()
	path, ok := Lookup(t, name)
	if !ok {
		t.Skipf(missing, name)
	}
	return path
}

// SkipShort skips a test that computes for seconds over large files when -short is given,
// as it is with the race detector.
func SkipShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("computes over large files; run it without -short")
	}
}

// Read returns the content of the file at Path.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Lookup returns Path for a part of a test, and reports whether the file exists. With
// CI=true a missing file fails the test.
func Lookup(t testing.TB, name string) (path string, ok bool) {
	t.Helper()
	for _, root := range roots(t) {
		path = filepath.Join(root, filepath.FromSlash(name))
		if _, err := os.Stat(path); err == nil {
			return path, true
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf(missing, name)
	}
	return "", false
}

// roots returns the folders that may have the data, in the order of search.
func roots(t testing.TB) []string {
	t.Helper()
	project := project(t)
	all := []string{filepath.Join(project, "testdata")}
	if dir := os.Getenv("SVC_DATA"); dir != "" {
		all = append(all, dir)
	}
	return append(all, filepath.Join(filepath.Dir(project), "shared", "data"))
}

// project returns the folder with go.mod: a test runs in the folder of its package.
func project(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the working directory")
		}
		dir = parent
	}
}
