package db_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/embed"
)

func TestMigrate(t *testing.T) {
	files, err := fs.Glob(embed.Migrations(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}

	t.Run("OneVersionAFile", func(t *testing.T) {
		if len(files) != db.SchemaVersion {
			t.Errorf("schemaVersion is %d, there are %d migrations: %v", db.SchemaVersion, len(files), files)
		}
	})

	t.Run("UserVersionIsSet", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		dbtest.OpenAt(t, path, dbtest.NewClock())
		var version int
		if err := rawOpen(t, path).QueryRow("PRAGMA user_version").Scan(&version); err != nil || version != db.SchemaVersion {
			t.Errorf("user_version is %d (%v), want %d", version, err, db.SchemaVersion)
		}
	})

	t.Run("SwitchesToWAL", func(t *testing.T) { // which fails once others use the file
		path := filepath.Join(t.TempDir(), "svc.db")
		if err := db.Migrate(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		var mode string
		if err := rawOpen(t, path).QueryRow("PRAGMA journal_mode").Scan(&mode); err != nil || mode != "wal" {
			t.Errorf("journal mode is %q (%v)", mode, err)
		}
	})

	t.Run("CreatesAPrivateFile", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("no file modes here")
		}
		path := filepath.Join(t.TempDir(), "svc.db")
		for range 2 { // the second time there is nothing to do
			if err := db.Migrate(t.Context(), path); err != nil {
				t.Fatal(err)
			}
		}
		wantPrivate(t, path, path+".lock")
	})

	t.Run("Lists", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		_, err := db.Migrations(t.Context(), path)
		wantErr(t, err, db.ErrNotFound)
		if _, err := os.Stat(path); err == nil {
			t.Error("listing made a file")
		}

		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, applied := range []bool{false, true} {
			all, err := db.Migrations(t.Context(), path)
			if err != nil || len(all) != len(files) {
				t.Fatalf("%+v, %v", all, err)
			}
			for i, m := range all {
				if m.Version != int64(i+1) || m.File != files[i] || m.Applied != applied {
					t.Errorf("step %d is %+v, want file %s, applied %v", i+1, m, files[i], applied)
				}
			}
			if err := db.Migrate(t.Context(), path); err != nil {
				t.Fatal(err)
			}
		}
	})

	t.Run("RefusesANewerFile", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		mustExec(t, rawOpen(t, path), "PRAGMA user_version = 1000")
		wantErr(t, db.Migrate(t.Context(), path), db.ErrNewerSchema)
		_, err := db.Migrations(t.Context(), path)
		wantErr(t, err, db.ErrNewerSchema)
	})

	t.Run("RefusesWhatIsNoDatabase", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		text := []byte(strings.Repeat("a letter to a friend\n", 100))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := db.Open(t.Context(), db.Options{Path: path})
		wantErr(t, err, db.ErrUnavailable)
		if after, err := os.ReadFile(path); err != nil || string(after) != string(text) {
			t.Errorf("the file was changed (%v)", err)
		}
	})
}

// TestLibcPin: the SQLite driver is tested with exactly one version of its libc
// and asks that the program uses that one; a careless upgrade picks another.
func TestLibcPin(t *testing.T) {
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
