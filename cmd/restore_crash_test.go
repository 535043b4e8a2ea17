package cmd_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// replaced is a folder with a backup of a shop with 100 cents, the key "old key" and the
// dataset "sales", whose database has since got 150 cents, the key "new key" and the dataset
// "later".
func replaced(t *testing.T) *folder {
	t.Helper()
	f := folderFor(t, crashBinary)
	f.account(owner, "business", "100")
	f.write("sales.csv", salesText)
	f.ok("data", "import", "sales.csv")
	f.write("svc.db.key", "old key")
	f.ok("backup", "b.tar")
	f.ok("wallet", "credit", owner, "50")
	f.ok("data", "import", "sales.csv", "--name", "later")
	f.write("svc.db.key", "new key")
	return f
}

// killed runs a command that kills itself at a step.
func (f *folder) killed(step string, args ...string) {
	f.Helper()
	if r := f.with("SVC_CRASH_AT="+step).run("", args...); r.status != -1 {
		f.Fatalf("%s: status %d, %s", step, r.status, r.err)
	}
}

// left lists the files of the folder that match.
func (f *folder) left(pattern string) (names []string) {
	f.Helper()
	found, err := filepath.Glob(f.path(pattern))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range found {
		names = append(names, filepath.Base(name))
	}
	return names
}

// wantShop checks that a database is whole, and which of the two it is.
func (f *folder) wantShop(database string, cents float64, key string, datasets ...string) {
	f.Helper()
	if w := f.object("wallet", "show", owner, "--db", database); w["balance_cents"] != cents {
		f.Errorf("%s: wallet %v, want %v", database, w, cents)
	}
	f.ok("wallet", "verify", "--db", database)
	if got := f.read(database + ".key"); got != key {
		f.Errorf("%s: the key is %q, want %q", database, got, key)
	}
	for _, name := range datasets {
		if rows := f.ok("data", "export", name, "--db", database); !strings.Contains(rows, "2024") {
			f.Errorf("%s: %s has %q", database, name, rows)
		}
	}
	if all := f.objects(f.ok("data", "list", "--db", database, "--json")); len(all) != len(datasets) {
		f.Errorf("%s: datasets %v, want %v", database, all, datasets)
	}
}

// TestRestoreKilled kills restores at each step. The next command finds the old database
// whole, with nothing left over, or the new one with the old one kept beside it.
func TestRestoreKilled(t *testing.T) {
	t.Parallel()
	steps := []string{
		"restore-unpacked", "restore-begun", "restore-kept-some", "restore-kept", "restore-datasets", "restore-logs", "restore-key",
		"restore-renamed", "restore-swept",
	}
	for i, step := range steps {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			f := replaced(t)
			f.killed(step, "restore", "b.tar")
			if len(f.left(".svc.db.restore-*")) != 1 {
				t.Fatalf("left %v", f.left(".*"))
			}
			if i >= slices.Index(steps, "restore-renamed") {
				f.restored()
				return
			}
			if step != "restore-unpacked" { // which leaves nothing to take back
				for _, again := range []string{"undo-key", "undo-data"} {
					f.killed(again, "wallet", "show", owner)
				}
			}
			if step == "restore-kept" { // a restore takes it back as other commands do
				contains(t, f.fails(1, "restore", "none.tar"), "no such file")
			}
			f.wantShop("svc.db", 150, "new key", "sales", "later")
			if left := append(f.left("svc.db.replaced-*"), f.left(".*")...); len(left) > 0 {
				t.Errorf("left %v", left)
			}
			f.ok("restore", "b.tar")
			f.restored()
		})
	}
}

// restored checks a restored database and the kept one.
func (f *folder) restored() {
	f.Helper()
	f.wantShop("svc.db", 100, "old key", "sales")
	kept := f.left("svc.db.replaced-*Z")
	if len(kept) != 1 {
		f.Fatalf("kept %v", kept)
	}
	f.wantShop(kept[0], 150, "new key", "sales", "later")
	if left := f.left(".*"); len(left) > 0 {
		f.Errorf("left %v", left)
	}
}

// TestRestoreKilledKeepsTheOnlyCopy removes a file from its first name before the restore that
// gave it a second one is taken back.
func TestRestoreKilledKeepsTheOnlyCopy(t *testing.T) {
	t.Parallel()
	f := replaced(t)
	f.killed("restore-kept", "restore", "b.tar")
	for _, name := range f.left("svc.db-data/*") {
		if err := os.Remove(f.path("svc.db-data/" + name)); err != nil {
			t.Fatal(err)
		}
	}
	f.wantShop("svc.db", 150, "new key", "sales", "later")
}

// TestBackupKilled kills backups at each step. The next one in the folder removes what they
// left, and none that has its name is damaged.
func TestBackupKilled(t *testing.T) {
	t.Parallel()
	f := folderFor(t, crashBinary)
	f.account(owner, "business", "100")
	for _, step := range []string{"backup-packed", "backup-checked", "backup-linked"} {
		f.killed(step, "backup", step+".tar")
		if len(f.left(".*")) != 1 {
			t.Errorf("%s left %v", step, f.left(".*"))
		}
		made := step == "backup-linked"
		if f.has(step+".tar") != made {
			t.Errorf("%s: the backup is there: %v", step, !made)
		}
		f.ok("backup", "after-"+step+".tar")
		if left := f.left(".*"); len(left) > 0 {
			t.Errorf("after %s: left %v", step, left)
		}
	}
	for _, name := range []string{"backup-linked.tar", "after-backup-packed.tar"} {
		f.ok("restore", name, "--db", name+".db")
		f.ok("wallet", "verify", "--db", name+".db")
	}

	// A folder of others stays.
	if err := os.Mkdir(f.path(".other.tmp-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	f.ok("backup", "last.tar")
	if left := f.left(".*"); len(left) != 1 {
		t.Errorf("left %v", left)
	}
}
