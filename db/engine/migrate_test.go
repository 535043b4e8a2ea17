package engine_test

import (
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"svc/db/engine"
)

func TestMigrate(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(schema.Migrations, "*.sql")
	if err != nil {
		t.Fatal(err)
	}

	t.Run("SwitchesToWAL", func(t *testing.T) { // which fails once others use the file
		path := newPath(t)
		if _, err := engine.Migrate(t.Context(), path, schema); err != nil {
			t.Fatal(err)
		}
		var mode string
		if err := rawOpen(t, path).QueryRow("PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
			t.Errorf("journal mode is %q (%v)", mode, err)
		}
	})

	t.Run("CreatesPrivateFile", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("Windows has no file modes")
		}
		path := newPath(t)
		for range 2 { // the second time there is nothing to do
			if _, err := engine.Migrate(t.Context(), path, schema); err != nil {
				t.Fatal(err)
			}
		}
		wantPrivate(t, path, path+".lock")
	})

	t.Run("Lists", func(t *testing.T) {
		path := newPath(t)
		_, err := engine.Migrations(t.Context(), path, schema)
		wantErr(t, err, engine.ErrNotFound)
		if _, err := os.Stat(path); err == nil {
			t.Error("Migrations created a file")
		}

		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, applied := range []bool{false, true} {
			all, err := engine.Migrations(t.Context(), path, schema)
			if err != nil || len(all) != len(files) {
				t.Fatalf("%+v, %v", all, err)
			}
			for i, m := range all {
				if m.Version != int64(i+1) || m.File != files[i] || m.Applied != applied {
					t.Errorf("step %d is %+v, want file %s, applied %v", i+1, m, files[i], applied)
				}
			}
			if _, err := engine.Migrate(t.Context(), path, schema); err != nil {
				t.Fatal(err)
			}
		}
	})

	t.Run("RefusesNewerSchema", func(t *testing.T) {
		path := newPath(t)
		mustExec(t, rawOpen(t, path), "PRAGMA user_version = 1000")
		_, err := engine.Migrate(t.Context(), path, schema)
		wantErr(t, err, engine.ErrNewerSchema)
		_, err = engine.Migrations(t.Context(), path, schema)
		wantErr(t, err, engine.ErrNewerSchema)
	})

	t.Run("RefusesOtherFile", func(t *testing.T) {
		path := newPath(t)
		text := []byte(strings.Repeat("a letter to a friend\n", 100))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := engine.Open(t.Context(), options(path))
		wantErr(t, err, engine.ErrUnavailable)
		if after, err := os.ReadFile(path); err != nil || string(after) != string(text) {
			t.Errorf("the file was changed (%v)", err)
		}
	})
}

// TestLibcPin checks the version of the SQLite driver's libc: the driver is tested
// with exactly one and requires it, and an upgrade may select another.
func TestLibcPin(t *testing.T) {
	t.Parallel()
	var used, driverMod string
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Path}} {{.Version}} {{.GoMod}}",
		"modernc.org/libc", "modernc.org/sqlite").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		switch fields[0] {
		case "modernc.org/libc":
			used = fields[1]
		case "modernc.org/sqlite":
			driverMod = fields[2]
		}
	}

	text, err := os.ReadFile(driverMod)
	if err != nil {
		t.Fatal(err)
	}
	required := regexp.MustCompile(`(?m)^\s*(?:require\s+)?modernc\.org/libc\s+(\S+)`).FindSubmatch(text)
	if required == nil || string(required[1]) != used {
		t.Errorf("modernc.org/libc is %s, the driver requires %s", used, required)
	}
}
