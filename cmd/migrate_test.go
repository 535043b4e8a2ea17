package cmd_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pressly/goose/v3"

	"svc/embed"
)

// older makes svc.db with an account, as a binary with an older schema does.
func (f *folder) older(version int64) {
	f.Helper()
	raw := f.sql("svc.db")
	provider, err := goose.NewProvider(goose.DialectSQLite3, raw, embed.Migrations(), goose.WithDisableGlobalRegistry(true))
	if err == nil {
		_, err = provider.UpTo(f.Context(), version)
	}
	if err != nil {
		f.Fatal(err)
	}
	raw.Close()
	f.exec("svc.db", `PRAGMA journal_mode = WAL`)
	f.exec("svc.db", `INSERT INTO accounts (id, email, email_folded, name, plan, operator, biz_type, currency, region, timezone, created_at)
		VALUES ('acct_a', '`+owner+`', '`+owner+`', 'A', 'free', 1, 'retail', 'gbp', '', 'UTC', 1)`)
	f.exec("svc.db", `INSERT INTO wallets (account_id, balance_cents, held_cents, low_balance_cents, last_seq) VALUES ('acct_a', 0, 0, 100, 0)`)
}

func (f *folder) schema() (version int) {
	f.Helper()
	pool := f.sql("svc.db")
	defer pool.Close()
	if err := pool.QueryRow(`PRAGMA user_version`).Scan(&version); err != nil {
		f.Fatal(err)
	}
	return version
}

// TestOlderSchema checks that only serve and migrate up migrate, after a copy.
func TestOlderSchema(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.older(3)
	for _, line := range []string{
		"accounts list", "accounts create --email b@example.com", "accounts plan owner@example.com growth", "keys create", "keys list",
		"apps list", "wallet show owner@example.com", "wallet credit owner@example.com 5", "wallet verify", "inventory list",
		"data list", "messages list", "mails list", "sessions list",
	} {
		contains(t, f.fails(1, words(line)...), "made by an older svc; run svc migrate up (or start svc serve) first")
	}
	if steps := f.objects(f.ok("migrate", "status", "--json")); steps[2]["applied"] != true || steps[3]["applied"] != false {
		t.Errorf("steps %v", steps)
	}
	if left, _ := filepath.Glob(f.path("*.before-*")); f.schema() != 3 || len(left) > 0 {
		t.Errorf("schema version %d, copies %v", f.schema(), left)
	}

	contains(t, f.ok("backup", "a.tar"), "verified: 1 wallet, 0 ledger rows, 0 datasets", "copied as it is (schema version 3)")
	if made := f.object("backup", "a2.tar"); made["schema"] != 3.0 || f.schema() != 3 {
		t.Errorf("backup %v, schema version %d", made, f.schema())
	}

	server := f.sql("svc.db") // of the older svc
	if err := server.QueryRow(`SELECT count(*) FROM accounts`).Scan(new(int)); err != nil {
		t.Fatal(err)
	}
	contains(t, f.fails(1, "migrate", "up"), "the database is in use; stop svc serve")
	if server.Close(); f.schema() != 3 || f.has("svc.db.before-3") {
		t.Errorf("schema version %d after a refusal", f.schema())
	}
	contains(t, f.ok("migrate", "up"), "The database as it was is kept at svc.db.before-3 (schema version 3).")
	f.ok("backup", "b.tar")
	contains(t, f.ok("restore", "a.tar", "--db", "old.db"), "1 wallet", "run svc migrate up")
	f.ok("migrate", "up", "--db", "old.db")
	contains(t, f.ok("accounts", "list", "--db", "old.db"), owner)
	contains(t, f.ok("accounts", "list"), owner)
	contains(t, f.fails(1, "accounts", "list", "--db", "svc.db.before-3"), "older svc")

	t.Run("JSON", func(t *testing.T) {
		f := newFolder(t)
		f.older(3)
		steps := f.objects(f.ok("migrate", "up", "--json"))
		if steps[2]["copy"] != nil || steps[3]["copy"] != "svc.db.before-3" || steps[3]["applied"] != true {
			t.Errorf("steps %v", steps)
		}
	})

	t.Run("Serve", func(t *testing.T) {
		f := newFolder(t)
		f.older(3)
		p := f.serve()
		contains(t, p.err.String(), "copy=svc.db.before-3", "from=3")
		p.stop()
		if info, err := os.Stat(f.path("svc.db.before-3")); err != nil || info.Mode().Perm() != 0o600 || f.schema() < 4 {
			t.Errorf("%v, %v, schema version %d", info, err, f.schema())
		}
	})
}
