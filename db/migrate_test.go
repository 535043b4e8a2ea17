package db_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/embed"
)

func TestMigrate(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(embed.Migrations(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}

	t.Run("OneVersionPerFile", func(t *testing.T) {
		if len(files) != db.SchemaVersion {
			t.Errorf("schemaVersion is %d, want %d for %v", db.SchemaVersion, len(files), files)
		}
	})

	t.Run("SetsUserVersion", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		dbtest.OpenAt(t, path, dbtest.NewClock())
		var version int
		if err := rawOpen(t, path).QueryRow("PRAGMA user_version").Scan(&version); err != nil || version != db.SchemaVersion {
			t.Errorf("user_version is %d (%v), want %d", version, err, db.SchemaVersion)
		}
	})

	t.Run("ListsSteps", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		if err := db.Migrate(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		all, err := db.Migrations(t.Context(), path)
		if err != nil || len(all) != len(files) || !all[len(all)-1].Applied {
			t.Errorf("got %+v, %v", all, err)
		}
	})
}
