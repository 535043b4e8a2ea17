//go:build unix

package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"svc/db/engine"
)

func TestOpenTakesAccessFromOthers(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	first := openAt(t, path)
	update(t, first, count("a"))
	folder := engine.DataFolder(path)
	dataset := filepath.Join(folder, "x.db")
	err := errors.Join(os.Mkdir(folder, 0o755), os.WriteFile(dataset, nil, 0o640))
	files := []string{path, path + "-wal", path + "-shm", folder, dataset}
	for _, file := range files {
		err = errors.Join(err, os.Chmod(file, 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}

	second := openAt(t, path)
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v; want 0700", filepath.Base(file), info.Mode(), err)
		}
	}
	// Changing the mode has dropped no lock: both still write.
	update(t, first, count("a"))
	update(t, second, count("a"))
	wantCount(t, first, "a", 3)
}
