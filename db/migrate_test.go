package db_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/embed"

	"github.com/pressly/goose/v3"
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
		if _, err := db.Migrate(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		all, err := db.Migrations(t.Context(), path)
		if err != nil || len(all) != len(files) || !all[len(all)-1].Applied {
			t.Errorf("got %+v, %v", all, err)
		}
	})
}

// version2 makes a file of schema version 2.
func version2(t *testing.T, plant ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "svc.db")
	raw := rawOpen(t, path)
	provider, err := goose.NewProvider(goose.DialectSQLite3, raw, embed.Migrations(), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	for _, text := range plant {
		mustExec(t, raw, text)
	}
	if err := raw.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestItemsOfVersion2(t *testing.T) {
	t.Parallel()
	clock := dbtest.NewClock()
	p := &twoAccounts{clock: clock, path: version2(t, `
INSERT INTO accounts (id, email, email_folded, name, plan, operator, biz_type, currency, region, timezone, created_at)
VALUES ('acct_a', 'anna@example.com', 'anna@example.com', 'A', 'free', 1, 'retail', 'gbp', '', 'UTC', 1),
  ('acct_b', 'ben@example.com', 'ben@example.com', 'B', 'free', 0, 'retail', 'gbp', '', 'UTC', 1),
  ('acct_c', 'mia@example.com', 'mia@example.com', 'C', 'free', 0, 'retail', 'gbp', '', 'UTC', 1)`, `
INSERT INTO items (account_id, id, name, sku, price, cost_price, stock_milli, unit, created_at)
VALUES ('acct_a', 'item_3', 'jam', '', 0, 0, -250, '', 3000),
  ('acct_a', 'item_1', 'tea', 'tea-1', 450, 270, 24000, 'bag', 1000),
  ('acct_a', 'item_2', 'mug', '', 900, 0, 0, 'piece', 2000),
  ('acct_b', 'item_0', 'tea', 'tea-1', 1, 1, 7000, 'kg', 4000)`)}
	p.store, p.other = dbtest.OpenAt(t, p.path, clock), dbtest.OpenAt(t, p.path, clock)
	p.anna.ID, p.ben.ID = "acct_a", "acct_b"

	for id, want := range map[string]string{
		"item_1": "tea|tea-1|450|270|24000|bag||-", "item_2": "mug||900|0|0|piece||-", "item_3": "jam||0|0|-250|||-",
	} {
		wantItem(t, p.item(t, "acct_a", id), want)
	}
	wantItem(t, p.item(t, "acct_b", "item_0"), "tea|tea-1|1|1|7000|kg||-")
	if made := p.item(t, "acct_a", "item_2").CreatedAt.UnixMilli(); made != 2000 {
		t.Errorf("created at %d", made)
	}
	p.wantMoves(t, "acct_a", "1 tea opening +24000 24000", "2 jam opening -250 -250")
	p.wantMoves(t, "acct_b", "1 tea opening +7000 7000")
	p.wantFaults(t, "acct_a")
	p.wantFaults(t, "acct_b")
	p.wantSince(t, 0, "tea mug jam", 3)
	if b, c := p.version(t, "acct_b"), p.version(t, "acct_c"); b != 1 || c != 0 {
		t.Errorf("versions %d and %d", b, c)
	}

	// New changes continue from there.
	dbtest.MustItem(t, p.store, "acct_a", db.ItemChange{SKU: "TEA-1", StockMilli: new(int64(23_000))})
	dbtest.MustItem(t, p.store, "acct_c", db.ItemChange{Name: "new", StockMilli: new(int64(1))})
	p.wantMoves(t, "acct_a", "1 tea opening +24000 24000", "2 jam opening -250 -250", "3 tea count -1000 23000")
	p.wantMoves(t, "acct_c", "1 new count +1 1")
	p.wantSince(t, 0, "mug jam tea", 4)
	p.wantFaults(t, "acct_a")
}
