package db_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// imported stores a dataset that is ready, with a file.
func imported(t *testing.T, store *db.DB, accountID, name string) (d db.Dataset) {
	t.Helper()
	d = begun(t, store, accountID, name)
	dbtest.Update(t, store, func(tx *db.Tx) error {
		return tx.ReadyDataset(d, db.DatasetContent{Rows: 7, Source: `{"Name":"` + name + `"}`, Files: "[]"})
	})
	return d
}

func begun(t *testing.T, store *db.DB, accountID, name string) (d db.Dataset) {
	t.Helper()
	dbtest.Update(t, store, func(tx *db.Tx) (err error) {
		d, err = tx.BeginDataset(accountID, name)
		return err
	})
	return d
}

func TestDatasets(t *testing.T) {
	t.Parallel()
	clock := dbtest.NewClock()
	store := dbtest.Open(t, clock)
	shop := dbtest.MustAccount(t, store, "shop@example.com", db.Free).ID
	other := dbtest.MustAccount(t, store, "other@example.com", db.Free).ID
	latest := func(accountID string) string {
		var d db.Dataset
		err := store.View(t.Context(), func(tx *db.Tx) (err error) {
			d, err = tx.LatestDataset(accountID)
			return err
		})
		if err != nil {
			return err.Error()
		}
		return d.Name
	}

	if got := latest(shop); got != db.ErrNotFound.Error() {
		t.Errorf("latest of none is %s", got)
	}
	slow := begun(t, store, shop, "slow.csv")
	if got := latest(shop); got != db.ErrNotFound.Error() {
		t.Errorf("latest while one is importing is %s", got)
	}
	clock.Advance(time.Minute)
	first := imported(t, store, shop, "first.csv")
	imported(t, store, other, "other.csv")
	if got := latest(shop); got != "first.csv" {
		t.Errorf("latest is %s", got)
	}
	clock.Advance(time.Minute)
	dbtest.Update(t, store, func(tx *db.Tx) error {
		return tx.ReadyDataset(slow, db.DatasetContent{Rows: 9, Source: "{}", Files: "[]"})
	})
	if got := latest(shop); got != "slow.csv" {
		t.Errorf("latest is %s, want the one that became ready last", got)
	}

	t.Run("BecomesReadyOnce", func(t *testing.T) {
		wantErr(t, store.Update(t.Context(), func(tx *db.Tx) error {
			return tx.ReadyDataset(slow, db.DatasetContent{Rows: 1, Source: "{}", Files: "[]"})
		}), db.ErrStale)
	})

	t.Run("OnlyOfItsAccount", func(t *testing.T) {
		dbtest.View(t, store, func(tx *db.Tx) error {
			_, err := tx.Dataset(other, first.ID)
			wantErr(t, err, db.ErrNotFound)
			all, err := tx.Datasets(shop)
			if err != nil || len(all) != 2 || all[0].ID != slow.ID || all[1].ID != first.ID || all[0].Rows != 9 {
				t.Errorf("%+v, %v", all, err)
			}
			return nil
		})
		stolen := first
		stolen.AccountID = other
		wantErr(t, store.Update(t.Context(), func(tx *db.Tx) error { return tx.CorrectDataset(stolen, "{}") }), db.ErrStale)
		dbtest.Update(t, store, func(tx *db.Tx) error { return tx.DropDataset(stolen) })
		dbtest.View(t, store, func(tx *db.Tx) error {
			_, err := tx.Dataset(shop, first.ID)
			return err
		})
	})

	t.Run("CorrectsSource", func(t *testing.T) {
		read := func() (d db.Dataset) {
			dbtest.View(t, store, func(tx *db.Tx) (err error) {
				d, err = tx.Dataset(shop, first.ID)
				return err
			})
			return d
		}
		before := read()
		dbtest.Update(t, store, func(tx *db.Tx) error { return tx.CorrectDataset(before, `{"corrected":1}`) })
		if got := read().Source; got != `{"corrected":1}` {
			t.Errorf("the source is %s", got)
		}
		wantErr(t, store.Update(t.Context(), func(tx *db.Tx) error { return tx.CorrectDataset(before, `{"late":1}`) }), db.ErrStale)
	})

	t.Run("Dead", func(t *testing.T) {
		begun(t, store, shop, "new.csv")
		var all []db.Dataset
		var now time.Time
		dbtest.View(t, store, func(tx *db.Tx) (err error) {
			now = tx.Now()
			all, err = tx.ImportingDatasets()
			return err
		})
		if len(all) != 1 || all[0].Name != "new.csv" {
			t.Fatalf("importing: %+v", all)
		}
		isDead := func(after time.Duration) bool {
			dead, err := store.IsDead(all[0], now.Add(after))
			wantErr(t, err, nil)
			return dead
		}
		if isDead(0) || !isDead(2*time.Minute) {
			t.Error("an import that is not claimed yet must be dead after a minute only")
		}
		release, err := store.ClaimDataset(all[0])
		wantErr(t, err, nil)
		if isDead(48 * time.Hour) {
			t.Error("an import that is claimed is dead")
		}
		wantErr(t, release(), nil)
		wantErr(t, os.WriteFile(store.DataPath(all[0])+".lock", nil, 0o600), nil) // its process was killed
		if !isDead(0) {
			t.Error("an import whose process has ended is not dead")
		}
		ready := first
		ready.Ready = true
		if dead, err := store.IsDead(ready, now.Add(48*time.Hour)); dead || err != nil {
			t.Errorf("a ready dataset: %v, %v", dead, err)
		}
	})

	t.Run("NameIsUnique", func(t *testing.T) {
		twin := begun(t, store, shop, "FIRST.csv")
		ready := func() error {
			return store.Update(t.Context(), func(tx *db.Tx) error { return tx.ReadyDataset(twin, db.DatasetContent{Source: "{}", Files: "[]"}) })
		}
		wantErr(t, ready(), db.ErrConflict)
		dbtest.Update(t, store, func(tx *db.Tx) error { return tx.DropDataset(first) })
		wantErr(t, ready(), nil)
	})

	t.Run("Use", func(t *testing.T) {
		use := func(accountID, id string) error {
			return store.Update(t.Context(), func(tx *db.Tx) error { return tx.UseDataset(accountID, id) })
		}
		newest := latest(shop)
		wantErr(t, use(shop, slow.ID), nil)
		clock.Advance(time.Minute)
		imported(t, store, shop, "later.csv")
		if got := latest(shop); newest == "slow.csv" || got != "slow.csv" {
			t.Errorf("latest was %s and is %s, want the one in use", newest, got)
		}
		wantErr(t, use(other, slow.ID), db.ErrStale)
		wantErr(t, use(shop, "ds_none"), db.ErrStale)
		wantErr(t, use(shop, ""), nil)
		if got := latest(shop); got != "later.csv" {
			t.Errorf("latest is %s, want the newest", got)
		}
	})
}

// A change takes over the file of its import, once, if nothing has changed meanwhile.
func TestChangeDataset(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	store := dbtest.Open(t, dbtest.NewClock())
	shop := dbtest.MustAccount(t, store, "shop@example.com", db.Free).ID
	read := func(id string) (d db.Dataset, err error) {
		err = store.View(t.Context(), func(tx *db.Tx) error {
			d, err = tx.Dataset(shop, id)
			return err
		})
		return d, err
	}
	imported(t, store, shop, "sales")
	before, err := read("Sales")
	wantErr(t, err, nil)
	change := func(importing db.Dataset) error {
		return store.Update(t.Context(), func(tx *db.Tx) error {
			return tx.ChangeDataset(before, importing, db.DatasetContent{Rows: 8, Source: `{"Name":"sales"}`, Files: "[]"})
		})
	}
	first, late := begun(t, store, shop, "sales"), begun(t, store, shop, "sales")
	wantErr(t, change(first), nil)
	after, err := read(before.ID)
	if err != nil || after.File != first.File || after.Rows != 8 || after.Name != "sales" {
		t.Errorf("%+v, %v", after, err)
	}
	_, err = read(first.ID)
	wantErr(t, err, db.ErrNotFound)

	wantErr(t, store.Update(t.Context(), func(tx *db.Tx) error { return tx.AbandonDataset(after) }), db.ErrStale)

	wantErr(t, change(late), db.ErrStale)
	if _, err := read(late.ID); err != nil {
		t.Errorf("a refused change removed its import: %v", err)
	}
	dropped := begun(t, store, shop, "sales")
	dbtest.Update(t, store, func(tx *db.Tx) error { return tx.DropDataset(dropped) })
	before = after
	wantErr(t, change(dropped), db.ErrStale)
}

func TestSweepDataFiles(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	store := dbtest.OpenAt(t, path, dbtest.NewClock())
	if err := store.SweepDataFiles(t.Context()); err != nil {
		t.Errorf("without a folder: %v", err)
	}
	shop := dbtest.MustAccount(t, store, "shop@example.com", db.Free).ID
	kept, half := imported(t, store, shop, "kept.csv"), begun(t, store, shop, "half.csv")
	gone := db.Dataset{File: "ds_0000000000000000000000000a"}
	foreign := filepath.Join(path+"-data", "notes.txt")
	staged := set(t, store, func(tx *db.Tx) (db.Import, error) { return tx.BeginImport(shop) })
	list, ended := filepath.Join(path+"-data", staged.ID+".file"), filepath.Join(path+"-data", "imp_0000000000000000000000000a.file")
	if err := os.MkdirAll(filepath.Dir(foreign), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{store.DataPath(kept), store.DataTempPath(half), store.DataPath(gone), store.DataTempPath(gone), foreign, list, ended} {
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	if err := store.SweepDataFiles(t.Context()); err != nil {
		t.Fatal(err)
	}
	wantNoFile(t, store.DataPath(gone))
	wantNoFile(t, store.DataTempPath(gone))
	wantNoFile(t, ended)
	for _, file := range []string{store.DataPath(kept), store.DataTempPath(half), foreign, list} {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}
