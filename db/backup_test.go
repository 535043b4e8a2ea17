package db_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/db/engine"
)

// shop is a store with an account of 100 cents and a dataset of three rows.
type shop struct {
	*testing.T
	clock *dbtest.Clock
	path  string
	store *db.DB // nil after stop
	owner string
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{T: t, clock: dbtest.NewClock(), path: filepath.Join(t.TempDir(), "svc.db")}
	s.start()
	t.Cleanup(s.stop)
	s.owner = dbtest.MustAccount(t, s.store, "shop@example.com", db.Free).ID
	dbtest.MustCredit(t, s.store, s.owner, 100)
	s.dataset(3)
	return s
}

func (s *shop) start() {
	s.Helper()
	var err error
	if s.store, err = db.Open(context.Background(), db.Options{Path: s.path, Clock: s.clock.Now}); err != nil {
		s.Fatal(err)
	}
}

// stop closes the store, as a server does that ends.
func (s *shop) stop() {
	if s.store != nil {
		if err := s.store.Close(); err != nil {
			s.Error(err)
		}
	}
	s.store = nil
}

// dataset stores a ready dataset with its file.
func (s *shop) dataset(rows int) db.Dataset {
	s.Helper()
	d := begun(s.T, s.store, s.owner, db.NewID("sales_", s.clock.Now()))
	w, err := db.CreateDataFile(s.Context(), s.store.DataTempPath(d), []db.DataType{db.DataInteger})
	if err != nil {
		s.Fatal(err)
	}
	for i := range rows {
		if err := w.Append([]any{int64(i)}); err != nil {
			s.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		s.Fatal(err)
	}
	if err := db.PublishDataFile(s.store.DataTempPath(d), s.store.DataPath(d)); err != nil {
		s.Fatal(err)
	}
	dbtest.Update(s.T, s.store, func(tx *db.Tx) error {
		return tx.ReadyDataset(d, db.DatasetContent{Rows: int64(rows), Source: "{}", Files: "[]"})
	})
	return d
}

// backup makes a backup that must succeed and returns its path.
func (s *shop) backup() string {
	s.Helper()
	to := filepath.Join(s.TempDir(), "backup.tar")
	if _, err := db.Backup(s.Context(), s.path, to, s.clock.Now()); err != nil {
		s.Fatal(err)
	}
	return to
}

func (s *shop) restore(from string) db.Restored {
	s.Helper()
	done, err := db.Restore(s.Context(), from, s.path, s.clock.Now())
	if err != nil {
		s.Fatal(err)
	}
	return done
}

// dataFiles lists the dataset files beside the database at path.
func (s *shop) dataFiles(path string) (names []string) {
	s.Helper()
	found, err := filepath.Glob(path + "-data/*")
	if err != nil {
		s.Fatal(err)
	}
	for _, name := range found {
		names = append(names, strings.TrimSuffix(filepath.Base(name), ".db"))
	}
	return names
}

// wantClean checks that nothing temporary is left beside a path.
func (s *shop) wantClean(path string) {
	s.Helper()
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		s.Errorf("left %v", left)
	}
}

func TestBackup(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	t.Run("HoldsDatabaseDatasetsAndKey", func(t *testing.T) {
		s := newShop(t)
		if err := os.WriteFile(s.path+".key", []byte("secret"), 0o600); err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(t.TempDir(), "backup.tar")
		got, err := db.Backup(t.Context(), s.path, to, s.clock.Now())
		if err != nil || got.Wallets != 1 || got.Entries != 1 || got.Datasets != 1 || got.Schema != db.SchemaVersion || got.Older {
			t.Errorf("%+v, %v", got, err)
		}
		info, err := os.Stat(to)
		if err != nil || info.Mode().Perm() != 0o600 || info.Size() != got.Bytes {
			t.Errorf("%v, %v", info, err)
		}
		s.wantClean(to)

		s.path = filepath.Join(t.TempDir(), "elsewhere.db")
		if done := s.restore(to); done.BackupContents != got || done.Kept != "" {
			t.Errorf("restored %+v, want %+v", done, got)
		}
		if key, err := os.ReadFile(s.path + ".key"); err != nil || string(key) != "secret" {
			t.Errorf("key %q, %v", key, err)
		}
		s.wantClean(s.path)
		s.stop()
		s.start()
		if w := dbtest.MustWallet(t, s.store, s.owner); w.BalanceCents != 100 || len(s.dataFiles(s.path)) != 1 {
			t.Errorf("wallet %+v, datasets %v", w, s.dataFiles(s.path))
		}
	})

	t.Run("OverwritesNothing", func(t *testing.T) {
		s := newShop(t)
		to := s.backup()
		before, _ := os.ReadFile(to)
		for _, to := range []string{to, s.path} {
			_, err := db.Backup(t.Context(), s.path, to, s.clock.Now())
			wantErr(t, err, db.ErrConflict)
		}
		if after, err := os.ReadFile(to); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the file changed (%v)", err)
		}
	})

	// Whatever Backup refuses, it leaves no file.
	refused := func(s *shop, want error, text string) {
		s.Helper()
		to := filepath.Join(s.TempDir(), "backup.tar")
		_, err := db.Backup(s.Context(), s.path, to, s.clock.Now())
		if wantErr(s.T, err, want); err != nil && !strings.Contains(err.Error(), text) {
			s.Errorf("error is %v, want %q in it", err, text)
		}
		if left, _ := os.ReadDir(filepath.Dir(to)); len(left) > 0 {
			s.Errorf("left %v", left)
		}
	}

	t.Run("RefusesAWalletThatContradictsItsLedger", func(t *testing.T) {
		s := newShop(t)
		mustExec(t, rawOpen(t, s.path), `UPDATE wallets SET balance_cents = 101`)
		refused(s, db.ErrDamaged, "shop@example.com")
	})

	t.Run("RefusesADatasetWithoutItsFile", func(t *testing.T) {
		s := newShop(t)
		if err := db.RemoveDataFile(s.store.DataPath(s.dataset(2))); err != nil {
			t.Fatal(err)
		}
		refused(s, os.ErrNotExist, "missing")
	})

	t.Run("RefusesADatasetWithOtherRows", func(t *testing.T) {
		s := newShop(t)
		dbtest.Update(t, s.store, func(tx *db.Tx) error { return tx.SQL(`UPDATE datasets SET rows = rows + 1`) })
		refused(s, db.ErrDamaged, "3 rows, not 4")
	})

	t.Run("CopiesAnOlderSchemaAsItIs", func(t *testing.T) {
		s := olderShop(t)
		to := filepath.Join(t.TempDir(), "backup.tar")
		got, err := db.Backup(t.Context(), s.path, to, s.clock.Now())
		if err != nil || !got.Older || got.Schema != 4 || got.Wallets != 1 || got.Datasets != 1 {
			t.Fatalf("%+v, %v", got, err)
		}
		s.wantClean(to)
		_, err = db.Open(t.Context(), db.Options{Path: s.path})
		wantErr(t, err, db.ErrOlderSchema) // it was not migrated
		if left, _ := filepath.Glob(s.path + ".before-*"); len(left) > 0 {
			t.Errorf("left %v", left)
		}

		s.path = filepath.Join(t.TempDir(), "elsewhere.db")
		if done := s.restore(to); done.BackupContents != got {
			t.Errorf("restored %+v, want %+v", done, got)
		}
		store := dbtest.OpenAt(t, s.path, s.clock) // migrates
		dbtest.MustVerify(t, store)
		if names := s.dataFiles(s.path); len(names) != 1 {
			t.Errorf("datasets %v", names)
		}
	})

	t.Run("RefusesADamagedOlderShop", func(t *testing.T) {
		s := olderShop(t)
		mustExec(t, rawOpen(t, s.path), `UPDATE datasets SET rows = rows + 1`)
		refused(s, db.ErrDamaged, "3 rows, not 4")
		mustExec(t, rawOpen(t, s.path), `UPDATE wallets SET balance_cents = 101`)
		refused(s, db.ErrDamaged, "anna@example.com")
	})
}

// olderShop is a shop with a wallet and a dataset, in a file of schema version 4.
func olderShop(t *testing.T) *shop {
	t.Helper()
	s := newShop(t)
	folder := s.path + "-data"
	id := s.dataFiles(s.path)[0]
	s.stop()
	s.path = versionFile(t, 4, annasAccount, annasWallet, `
INSERT INTO datasets (account_id, id, name, rows, state, created_at, ready_at, revision, source)
VALUES ('acct_a', '`+id+`', 'sales', 3, 'ready', 1, 1, 0, '{}')`)
	if err := os.Rename(folder, s.path+"-data"); err != nil {
		t.Fatal(err)
	}
	return s
}

// Statements that plant an account with its wallet in a file of an earlier schema.
const (
	annasAccount = `
INSERT INTO accounts (id, email, email_folded, name, plan, operator, biz_type, currency, region, timezone, created_at)
VALUES ('acct_a', 'anna@example.com', 'anna@example.com', 'A', 'free', 1, 'retail', 'gbp', '', 'UTC', 1)`
	annasWallet = `INSERT INTO wallets (account_id, balance_cents, held_cents, low_balance_cents, last_seq) VALUES ('acct_a', 0, 0, 0, 0)`
)

func TestPublishBackup(t *testing.T) {
	t.Parallel()
	noLinks := func(string, string) error { return errors.ErrUnsupported }
	for name, link := range map[string]func(string, string) error{"Links": os.Link, "NoLinks": noLinks} {
		t.Run(name, func(t *testing.T) {
			part, to := filepath.Join(t.TempDir(), "part"), filepath.Join(t.TempDir(), "backup.tar")
			for i, text := range []string{"first", "second"} {
				if err := os.WriteFile(part, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				want := []error{nil, db.ErrConflict}[i]
				if err := db.PublishBackup(part, to, link); !errors.Is(err, want) {
					t.Errorf("%s: error is %v, want %v", text, err, want)
				}
				if _, err := os.Stat(part); (err == nil) != (want != nil) {
					t.Errorf("%s: the temporary file: %v", text, err)
				}
			}
			if text, err := os.ReadFile(to); err != nil || string(text) != "first" {
				t.Errorf("%q, %v", text, err)
			}
		})
	}

	t.Run("RefusesAFileMadeMeanwhile", func(t *testing.T) {
		part, to := filepath.Join(t.TempDir(), "part"), filepath.Join(t.TempDir(), "backup.tar")
		if err := os.WriteFile(part, []byte("backup"), 0o600); err != nil {
			t.Fatal(err)
		}
		err := db.PublishBackup(part, to, func(from, to string) error {
			return errors.Join(os.WriteFile(to, []byte("another"), 0o600), os.Link(from, to))
		})
		wantErr(t, err, db.ErrConflict)
		if text, err := os.ReadFile(to); err != nil || string(text) != "another" {
			t.Errorf("%q, %v", text, err)
		}
	})
}

func TestRestore(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	t.Run("KeepsWhatItReplaces", func(t *testing.T) {
		s := newShop(t)
		shared := s.dataFiles(s.path)
		from := s.backup()
		dbtest.MustCredit(t, s.store, s.owner, 50)
		later := s.dataset(2).ID
		s.stop()

		done := s.restore(from)
		if want := s.path + ".replaced-20260302T100000.000Z"; done.Kept != want {
			t.Errorf("kept at %s, want %s", done.Kept, want)
		}
		if got := s.dataFiles(s.path); !slices.Equal(got, shared) {
			t.Errorf("datasets %v, want %v", got, shared)
		}
		if got := s.dataFiles(done.Kept); !slices.Equal(got, append(slices.Clone(shared), later)) {
			t.Errorf("kept datasets %v", got)
		}
		for path, cents := range map[string]int64{s.path: 100, done.Kept: 150} {
			store := dbtest.OpenAt(t, path, s.clock)
			if w := dbtest.MustWallet(t, store, s.owner); w.BalanceCents != cents {
				t.Errorf("%s has %d cents, want %d", path, w.BalanceCents, cents)
			}
		}
		s.wantClean(s.path)
	})

	t.Run("RefusedWhileAServerRuns", func(t *testing.T) {
		s := newShop(t)
		from := s.backup()
		dbtest.MustCredit(t, s.store, s.owner, 50)
		_, err := db.Restore(t.Context(), from, s.path, s.clock.Now())
		wantErr(t, err, db.ErrInUse)
		if w := dbtest.MustWallet(t, s.store, s.owner); w.BalanceCents != 150 {
			t.Errorf("%d cents", w.BalanceCents)
		}
		if left, _ := filepath.Glob(s.path + ".replaced*"); len(left) > 0 {
			t.Errorf("left %v", left)
		}
		s.wantClean(s.path)
	})

	t.Run("KeepsADamagedFile", func(t *testing.T) {
		s := newShop(t)
		from := s.backup()
		s.stop()
		damaged := bytes.Repeat([]byte("no database "), 1000)
		for _, suffix := range []string{"", "-wal", "-shm"} { // which must not be applied to the new file
			if err := os.WriteFile(s.path+suffix, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		done := s.restore(from)
		if text, err := os.ReadFile(done.Kept); err != nil || !bytes.Equal(text, damaged) {
			t.Errorf("kept %d bytes, %v", len(text), err)
		}
		for _, suffix := range []string{"-wal", "-shm"} {
			if _, err := os.Stat(s.path + suffix); err == nil {
				t.Errorf("the old %s is beside the new file", suffix)
			}
		}
		s.start()
		dbtest.MustVerify(t, s.store)
	})

	t.Run("RestoresAnOlderSchemaAsItIs", func(t *testing.T) {
		s := newShop(t)
		s.stop()
		done := s.restore(s.archive(2, version2(t, annasAccount, annasWallet)))
		if !done.Older || done.Schema != 2 || done.Wallets != 1 {
			t.Errorf("%+v", done)
		}
		_, err := db.Open(t.Context(), db.Options{Path: s.path})
		wantErr(t, err, db.ErrOlderSchema)
		dbtest.OpenAt(t, s.path, s.clock) // migrates
	})

	t.Run("RefusesANewerSchema", func(t *testing.T) {
		s := newShop(t)
		s.refuses(s.archive(db.SchemaVersion+1, version2(t)), db.ErrNewerSchema)
		s.refuses(s.archive(db.SchemaVersion, version2(t)), db.ErrDamaged) // which is not its own
	})

	t.Run("RefusesATruncatedOrAlteredFile", func(t *testing.T) {
		s := newShop(t)
		whole, err := os.ReadFile(s.backup())
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string][]byte{
			"empty":   nil,
			"half":    whole[:len(whole)/2],
			"no end":  whole[:len(whole)-512],
			"altered": bytes.Replace(whole, []byte("shop@example.com"), []byte("ship@example.com"), 1),
			"a row":   bytes.Replace(whole, []byte("test kit"), []byte("text kit"), 1),
		} {
			if bytes.Equal(text, whole) {
				t.Fatalf("%s: nothing is altered", name)
			}
			from := filepath.Join(t.TempDir(), "backup.tar")
			if err := os.WriteFile(from, text, 0o600); err != nil {
				t.Fatal(err)
			}
			s.refuses(from, db.ErrDamaged)
		}
	})

	t.Run("RefusesOtherFiles", func(t *testing.T) {
		s := newShop(t)
		for _, name := range []string{
			"svc.db-wal", "svc.db-journal", "svc.db-shm", "SVC.DB", "migrated/svc.db", "svc.db.key",
			"data/notes.txt", "data/ds_1.db-wal", "data/ds_1.db-journal", "data/ds_1/x.db", "ds_1.db",
		} {
			s.refuses(s.archive(2, version2(t), name), db.ErrDamaged)
		}
		s.stop()
		s.restore(s.archive(2, version2(t), "svc.key", "data/ds_1.db"))
	})

	t.Run("RefusesADatasetElsewhere", func(t *testing.T) {
		s := newShop(t)
		s.stop()
		raw := rawOpen(t, s.path)
		mustExec(t, raw, `UPDATE datasets SET file = '../' || file`)
		if err := raw.Close(); err != nil {
			t.Fatal(err)
		}
		s.refuses(s.archive(db.SchemaVersion, s.path), db.ErrDamaged)
	})

	t.Run("LeavesTheOldWholeWhenItFails", func(t *testing.T) {
		s := newShop(t)
		from := s.backup()
		dbtest.MustCredit(t, s.store, s.owner, 50)
		mine := filepath.Join(s.path+"-data", s.dataFiles(s.path)[0]+".db")
		later := s.dataset(2)
		s.stop()
		if err := os.Remove(mine); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(mine, "in the way"), 0o700); err != nil {
			t.Fatal(err)
		}
		s.refuses(from, nil)
		s.start()
		if w := dbtest.MustWallet(t, s.store, s.owner); w.BalanceCents != 150 {
			t.Errorf("%d cents", w.BalanceCents)
		}
		if _, err := os.Stat(s.store.DataPath(later)); err != nil {
			t.Error(err)
		}
	})
}

// refuses checks that Restore fails and changes nothing. A nil error means any.
func (s *shop) refuses(from string, want error) {
	s.Helper()
	s.stop()
	before, err := os.ReadFile(s.path)
	if err != nil {
		s.Fatal(err)
	}
	_, err = db.Restore(s.Context(), from, s.path, s.clock.Now())
	if want != nil {
		wantErr(s.T, err, want)
	} else if err == nil {
		s.Error("it was restored")
	}
	if after, err := os.ReadFile(s.path); err != nil || !bytes.Equal(before, after) {
		s.Errorf("the database changed (%v)", err)
	}
	if left, _ := filepath.Glob(s.path + ".replaced*"); len(left) > 0 {
		s.Errorf("left %v", left)
	}
	s.wantClean(s.path)
}

// archive makes a backup file of one database file, and of more files with any content.
func (s *shop) archive(version int64, path string, more ...string) string {
	s.Helper()
	to := filepath.Join(s.TempDir(), "backup.tar")
	manifest := engine.Manifest{
		Schema: version, CreatedAt: s.clock.Now(),
		Files: []engine.ArchivedFile{engine.FileToArchive("svc.db", path)},
	}
	for _, name := range more {
		odd := filepath.Join(s.TempDir(), "odd")
		if err := os.WriteFile(odd, []byte("odd"), 0o600); err != nil {
			s.Fatal(err)
		}
		manifest.Files = append(manifest.Files, engine.FileToArchive(name, odd))
	}
	if err := engine.WriteArchive(s.Context(), to, manifest); err != nil {
		s.Fatal(err)
	}
	return to
}
