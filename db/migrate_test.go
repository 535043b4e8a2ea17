package db_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	return versionFile(t, 2, plant...)
}

// versionFile makes a file of an earlier schema version.
func versionFile(t *testing.T, version int64, plant ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "svc.db")
	raw := rawOpen(t, path)
	provider, err := goose.NewProvider(goose.DialectSQLite3, raw, embed.Migrations(), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), version); err != nil {
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
	dbtest.Sequential(t)
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

// Datasets of version 4 were named like their files, of which several could be alike.
func TestDatasetsOfVersion4(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	path := versionFile(t, 4, `
INSERT INTO accounts (id, email, email_folded, name, plan, operator, biz_type, currency, region, timezone, created_at)
VALUES ('acct_a', 'anna@example.com', 'anna@example.com', 'A', 'free', 1, 'retail', 'gbp', '', 'UTC', 1),
  ('acct_b', 'ben@example.com', 'ben@example.com', 'B', 'free', 0, 'retail', 'gbp', '', 'UTC', 1)`, `
INSERT INTO datasets (account_id, id, name, rows, state, created_at, ready_at, revision, source)
VALUES ('acct_a', 'ds_1', 'sales.csv', 3, 'ready', 1, 2, 1, '{"Name":"sales","First":"2024-01-01"}'),
  ('acct_a', 'ds_2', 'Sales.CSV', 4, 'ready', 3, 4, 2, '{"Name":"Sales"}'),
  ('acct_a', 'ds_3', 'sales.csv', 0, 'importing', 5, NULL, 0, ''),
  ('acct_b', 'ds_4', 'sales.csv', 5, 'ready', 1, 2, 1, '{"Name":"sales"}')`)
	store := dbtest.OpenAt(t, path, dbtest.NewClock())
	dbtest.View(t, store, func(tx *db.Tx) error {
		var got []string
		for _, account := range []string{"acct_a", "acct_b"} {
			all, err := tx.Datasets(account)
			if err != nil {
				return err
			}
			for _, d := range all {
				got = append(got, fmt.Sprint(d.Name, "=", d.File, " ", d.Rows, " ", d.Ready, d.InUse))
			}
		}
		want := "sales.csv=ds_3 0 false false, Sales=ds_2 4 true false, sales ds_1=ds_1 3 true false, sales=ds_4 5 true false"
		if strings.Join(got, ", ") != want {
			t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
		}
		d, err := tx.Dataset("acct_a", "sales ds_1")
		if err != nil || d.Files != `[{"name":"sales.csv","rows":3,"at":2}]` {
			t.Errorf("%+v, %v", d, err)
		}
		return nil
	})
}

// A title may be the name that another dataset gets.
func TestDatasetsOfVersion4Collide(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	path := versionFile(t, 4, `
INSERT INTO accounts (id, email, email_folded, name, plan, operator, biz_type, currency, region, timezone, created_at)
VALUES ('acct_a', 'anna@example.com', 'anna@example.com', 'A', 'free', 1, 'retail', 'gbp', '', 'UTC', 1)`, `
INSERT INTO datasets (account_id, id, name, rows, state, created_at, ready_at, revision, source)
VALUES ('acct_a', 'ds_1', 'sales.csv', 3, 'ready', 1, 2, 1, '{"Name":"sales"}'),
  ('acct_a', 'ds_2', 'sales.csv', 4, 'ready', 3, 4, 2, '{"Name":"sales"}'),
  ('acct_a', 'ds_3', 'sales.csv', 5, 'ready', 5, 6, 2, '{"Name":"Sales DS_1"}'),
  ('acct_a', 'ds_4', 'sales.csv', 5, 'ready', 7, 8, 2, '{"Name":"sales ds_1 ds_3"}'),
  ('acct_a', 'ds_5', 'sales.csv', 5, 'ready', 9, 10, 2, '{"Name":"sales ds_1"}')`)
	store := dbtest.OpenAt(t, path, dbtest.NewClock())
	dbtest.View(t, store, func(tx *db.Tx) error {
		all, err := tx.Datasets("acct_a")
		var got []string
		for _, d := range all {
			got = append(got, d.Name)
		}
		want := "sales ds_1 ds_5, sales ds_1 ds_3 ds_4, Sales DS_1 ds_3, sales, sales ds_1"
		if strings.Join(got, ", ") != want {
			t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
		}
		return err
	})
}

// What the people of version 13 are signed in with stays theirs.
func TestPeopleOfVersion13(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	clock, session, link, browser := dbtest.NewClock(), db.NewToken(), db.NewToken(), db.NewToken()
	now := clock.Now().UnixMilli()
	later := now + time.Minute.Milliseconds()
	caller := sha256.Sum256([]byte("browser\x00" + browser))
	path := versionFile(t, 13, `
INSERT INTO accounts (id, email, email_folded, name, plan, operator, password_hash, biz_type, currency, region, timezone, created_at)
VALUES ('acct_a', 'anna@example.com', 'anna@example.com', 'A', 'free', 1, 'hash', 'retail', 'gbp', '', 'UTC', 1)`,
		fmt.Sprintf(`INSERT INTO sessions VALUES ('ses_a', 'acct_a', x'%x', '', '', %d, %d, %d)`, session.Hash(), now, now, later),
		fmt.Sprintf(`INSERT INTO links VALUES (x'%x', 'reset', 'acct_a', %d)`, link.Hash(), later),
		fmt.Sprintf(`INSERT INTO known_callers VALUES ('acct_a', x'%x', %d)`, caller, later))
	store := dbtest.OpenAt(t, path, clock)
	dbtest.View(t, store, func(tx *db.Tx) error {
		s, err := tx.SessionByToken(session)
		if err != nil || s.AccountID != "acct_a" || s.PersonID != "acct_a" {
			t.Errorf("session %+v, %v", s, err)
		}
		if of, err := tx.Link(db.ResetLink, link); err != nil || of != "acct_a" {
			t.Errorf("link of %q, %v", of, err)
		}
		if knows, err := tx.KnowsCaller("acct_a", db.BrowserCaller(browser)); err != nil || !knows {
			t.Errorf("known %v, %v", knows, err)
		}
		if p, err := tx.PersonByEmail("anna@example.com"); err != nil || p.ID != "acct_a" || p.Role != db.Owner {
			t.Errorf("person %+v, %v", p, err)
		}
		return nil
	})
}

// Lines of version 15 that named an item's SKU before it was there are joined to it, with its
// cost in the account's currency.
func TestLinesOfVersion15(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	path := versionFile(t, 15, `
INSERT INTO accounts (id, email, email_folded, name, plan, operator, biz_type, currency, region, timezone, created_at)
VALUES ('acct_a', 'anna@example.com', 'anna@example.com', 'A', 'free', 1, 'retail', 'gbp', '', 'UTC', 1)`, `
INSERT INTO items (account_id, id, name, sku, price, cost_price, stock_milli, unit, category, version, created_at)
VALUES ('acct_a', 'item_1', 'tea', 'tea-1', 450, 270, 24000, 'bag', '', 1, 1000)`, `
INSERT INTO sales (account_id, id, external_id, customer, currency, sold_at, sold_local, created_at)
VALUES ('acct_a', 'sale_1', 's1', '', 'gbp', 1, '2026-01-02 10:00:00', 1), ('acct_a', 'sale_2', 's2', '', 'eur', 1, '2026-01-02 10:00:00', 1)`, `
INSERT INTO sale_lines (account_id, sale_id, line, item_id, name, sku, quantity_milli, price, discount, amount, cost_price, cost, moved_milli)
VALUES ('acct_a', 'sale_1', 1, '', 'Tea?', 'TEA-1', 1500, 450, 0, 675, NULL, NULL, 0),
  ('acct_a', 'sale_1', 2, '', 'Mug', 'mug', 1000, 900, 0, 900, NULL, NULL, 0),
  ('acct_a', 'sale_2', 1, '', 'Tea?', 'tea-1', 1000, 500, 0, 500, NULL, NULL, 0)`)
	dbtest.OpenAt(t, path, dbtest.NewClock())
	var got string
	err := rawOpen(t, path).QueryRow(`SELECT group_concat(sale_id || '.' || line || ' ' || item_id || ' ' || name || ' ' || coalesce(cost_price, '-') || ' ' || coalesce(cost, '-'), ', ') FROM sale_lines`).Scan(&got)
	if want := "sale_1.1 item_1 tea 270 405, sale_1.2  Mug - -, sale_2.1 item_1 tea - -"; err != nil || got != want {
		t.Errorf("got %s (%v), want %s", got, err, want)
	}
}
