package engine_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"svc/db/engine"
)

// archived writes an archive of two files and returns its path and its bytes.
func archived(t *testing.T) (path string, text []byte) {
	t.Helper()
	folder := t.TempDir()
	path = filepath.Join(folder, "backup.tar")
	manifest := engine.Manifest{Schema: 3, CreatedAt: newClock().Now()}
	for name, content := range map[string]string{"one": "first content", "two": ""} {
		source := filepath.Join(folder, name)
		if err := os.WriteFile(source, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		manifest.Files = append(manifest.Files, engine.FileToArchive("folder/"+name, source))
	}
	if err := engine.WriteArchive(t.Context(), path, manifest); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, text
}

func TestArchive(t *testing.T) {
	t.Parallel()
	path, text := archived(t)
	wantPrivate(t, path)

	t.Run("GivesBackItsFiles", func(t *testing.T) {
		folder := filepath.Join(t.TempDir(), "new")
		manifest, err := engine.Unpack(t.Context(), path, folder)
		if err != nil || manifest.Schema != 3 || len(manifest.Files) != 2 || !manifest.CreatedAt.Equal(newClock().Now()) {
			t.Fatalf("%+v, %v", manifest, err)
		}
		for name, want := range map[string]string{"one": "first content", "two": ""} {
			got, err := os.ReadFile(filepath.Join(folder, "folder", name))
			if err != nil || string(got) != want {
				t.Errorf("%s is %q, %v", name, got, err)
			}
			wantPrivate(t, filepath.Join(folder, "folder", name))
		}
	})

	t.Run("RefusesAnyTruncation", func(t *testing.T) {
		for length := range len(text) {
			if length%97 != 0 && length%512 != 0 {
				continue // each would take too long
			}
			wantDamaged(t, text[:length], "cut to %d bytes", length)
		}
	})

	t.Run("RefusesAlteredText", func(t *testing.T) {
		for _, part := range []string{"first content", "folder/one", `"sha256": "`, `"format": `, `"size": `} {
			for at := bytes.Index(text, []byte(part)); at >= 0; {
				altered := bytes.Clone(text)
				altered[at+len(part)-1] ^= 4
				wantDamaged(t, altered, "%q at %d", part, at)
				next := bytes.Index(text[at+1:], []byte(part))
				if next < 0 {
					break
				}
				at += 1 + next
			}
		}
	})

	t.Run("RefusesWhatFollowsTheEnd", func(t *testing.T) {
		wantDamaged(t, append(bytes.Clone(text), text...), "twice")
	})

	t.Run("LeavesTheFolderOnly", func(t *testing.T) {
		escaping := bytes.ReplaceAll(text, []byte("folder/"), []byte("../../x"))
		wantDamaged(t, escaping, "another path")
	})

	t.Run("FailsWithoutASource", func(t *testing.T) {
		err := engine.WriteArchive(t.Context(), filepath.Join(t.TempDir(), "a.tar"),
			engine.Manifest{CreatedAt: time.Now(), Files: []engine.ArchivedFile{engine.FileToArchive("x", path+".none")}})
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error is %v", err)
		}
	})
}

func wantDamaged(t *testing.T, text []byte, format string, args ...any) {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "backup.tar")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Unpack(t.Context(), path, filepath.Join(folder, "new")); !errors.Is(err, engine.ErrDamaged) {
		t.Errorf(format+": error is %v", append(args, err)...)
	}
}
