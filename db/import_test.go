package db_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/db/event"
)

// stage begins an import and stages its rows, the last one first.
func (p *twoAccounts) stage(t *testing.T, account db.Account, changes ...db.ItemChange) db.Import {
	t.Helper()
	return set(t, p.store, func(tx *db.Tx) (db.Import, error) {
		i, err := tx.BeginImport(account.ID)
		for seq := len(changes) - 1; seq >= 0 && err == nil; seq-- {
			err = tx.StageItem(i, seq, changes[seq])
		}
		return i, err
	})
}

func (p *twoAccounts) ready(t *testing.T, i db.Import) {
	t.Helper()
	dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.ReadyImport(i) })
}

func (p *twoAccounts) apply(t *testing.T, i db.Import, limit int) (done bool) {
	t.Helper()
	return set(t, p.store, func(tx *db.Tx) (bool, error) {
		done, _, err := tx.ApplyImport(i, limit)
		return done, err
	})
}

func (p *twoAccounts) drop(t *testing.T, i db.Import, limit int) (done bool) {
	t.Helper()
	return set(t, p.store, func(tx *db.Tx) (bool, error) { return tx.DropImport(i, limit) })
}

// chunks counts the steps until a change is done.
func chunks(t *testing.T, step func() (done bool)) (n int) {
	t.Helper()
	for n = 1; !step(); n++ {
		if n > 100 {
			t.Fatal("the import never ends")
		}
	}
	return n
}

// wantLeft counts the imports and rows in the file.
func (p *twoAccounts) wantLeft(t *testing.T, imports, rows int) {
	t.Helper()
	var gotImports, gotRows int
	err := rawOpen(t, p.path).QueryRow(`SELECT (SELECT count(*) FROM imports), (SELECT count(*) FROM import_rows)`).Scan(&gotImports, &gotRows)
	if err != nil || gotImports != imports || gotRows != rows {
		t.Errorf("%d imports and %d rows are left (%v), want %d and %d", gotImports, gotRows, err, imports, rows)
	}
}

// numbered returns items with the numbers as names, SKUs and stocks.
func numbered(n int) (all []db.ItemChange) {
	for i := range n {
		all = append(all, db.ItemChange{Name: fmt.Sprint(i), SKU: fmt.Sprint(i), StockMilli: new(int64(i))})
	}
	return all
}

func TestImport(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	t.Run("StagedRowsDoNotCount", func(t *testing.T) {
		p := newTwoAccounts(t)
		i := p.stage(t, p.anna, tea())
		if !strings.HasPrefix(i.ID, "imp_") || i.AccountID != p.anna.ID || !i.CreatedAt.Equal(p.clock.Now()) {
			t.Errorf("import %+v", i)
		}
		if all := get(t, p.store, (*db.Tx).ReadyImports); len(all) != 0 {
			t.Errorf("ready: %v", all)
		}
		p.apply(t, i, 10) // it is not ready, so nothing happens
		if all := p.items(t, p.anna.ID); all != "" || p.version(t, p.anna.ID) != 0 {
			t.Errorf("items %s", all)
		}
		p.ready(t, i) // still possible
		p.apply(t, i, 10)
		if all := p.items(t, p.anna.ID); all != "Tea" {
			t.Errorf("items %s", all)
		}
	})

	t.Run("AppliesStagedRows", func(t *testing.T) {
		p := newTwoAccounts(t)
		zero := db.ItemChange{Name: "<zero> & \"é\"", Price: new(int64(0)), StockMilli: new(int64(0))}
		i := p.stage(t, p.anna, tea(), zero, db.ItemChange{Name: "bare"})
		p.ready(t, i)
		if !p.apply(t, i, 10) {
			t.Error("a chunk below the limit was not the last")
		}
		all := get(t, p.other, func(tx *db.Tx) ([]db.Item, error) { return tx.Items(p.anna.ID, "", 10) })
		if len(all) != 3 {
			t.Fatalf("items %+v", all)
		}
		for n, want := range []string{toldTea, "<zero> & \"é\"||0|-|0|||-", "bare||-|-|-|||-"} {
			wantItem(t, all[n], want)
		}
		p.wantNames(t, all[0], "4006381333931 96385074", "brew, char")
		p.wantMoves(t, p.anna.ID, "1 Tea import +24500 24500", `2 <zero> & "é" import +0 0`)
		if p.items(t, p.ben.ID) != "" {
			t.Error("another account has items")
		}
		p.wantLeft(t, 0, 0)
	})

	t.Run("AppliesInOrder", func(t *testing.T) {
		p := newTwoAccounts(t)
		var changes []db.ItemChange
		for n := range 12 { // more than ten, to tell numeric order from that of texts
			changes = append(changes, db.ItemChange{Name: fmt.Sprint("n", n), SKU: "same"})
		}
		i := p.stage(t, p.anna, changes...)
		p.ready(t, i)
		for n, want := range []string{"n4", "n9", "n11"} {
			if done := p.apply(t, i, 5); done != (n == 2) || p.items(t, p.anna.ID) != want {
				t.Errorf("after chunk %d: %v, %s, want %s", n, done, p.items(t, p.anna.ID), want)
			}
		}
	})
}

func TestImportConflicts(t *testing.T) {
	t.Parallel()
	t.Run("LeavesOutConflictingRows", func(t *testing.T) {
		p := newTwoAccounts(t)
		both := db.ItemChange{Name: "both", SKU: "tea-1", Barcodes: []string{"4006381333931"}, StockMilli: new(int64(5))}
		i := p.stage(t, p.anna, db.ItemChange{Name: "before"}, both, db.ItemChange{Name: "after"})
		p.ready(t, i)
		dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: "tea", SKU: "tea-1"})
		dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: "other", Barcodes: []string{"4006381333931"}})
		for chunk, want := range []int{1, 0} {
			left := set(t, p.store, func(tx *db.Tx) (n int, err error) {
				_, n, err = tx.ApplyImport(i, 2)
				return n, err
			})
			if left != want {
				t.Errorf("chunk %d left out %d rows, want %d", chunk, left, want)
			}
		}
		if all := p.items(t, p.anna.ID); all != "tea other before after" {
			t.Errorf("items %s", all)
		}
		p.wantMoves(t, p.anna.ID)
		p.wantLeft(t, 0, 0)
	})
}

func TestReadyImport(t *testing.T) {
	t.Parallel()
	dbtest.Sequential(t)
	t.Run("BecomesReadyOnce", func(t *testing.T) {
		p := newTwoAccounts(t)
		i, other := p.stage(t, p.anna, tea()), p.stage(t, p.ben, tea())
		var readied, stale atomic.Int32
		var all sync.WaitGroup
		for n := range 20 {
			all.Go(func() {
				err := []*db.DB{p.store, p.other}[n%2].Update(background, func(tx *db.Tx) error { return tx.ReadyImport(i) })
				switch {
				case err == nil:
					readied.Add(1)
				case errors.Is(err, db.ErrStale):
					stale.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if readied.Load() != 1 || stale.Load() != 19 {
			t.Errorf("made ready %d times, refused %d times", readied.Load(), stale.Load())
		}
		if got := get(t, p.store, (*db.Tx).ReadyImports); len(got) != 1 || got[0] != i {
			t.Errorf("ready: %+v, want %+v and not %+v", got, i, other)
		}
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.StageItem(i, 99, tea()) }), db.ErrStale)
		p.wantLeft(t, 2, 2)
	})

	t.Run("RefusedAfterDrop", func(t *testing.T) {
		p := newTwoAccounts(t)
		i := p.stage(t, p.anna, numbered(3)...)
		for _, done := range []bool{false, true} { // in part, and to its end
			if p.drop(t, i, 2) != done {
				t.Errorf("done: %v", !done)
			}
			wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.ReadyImport(i) }), db.ErrStale)
			wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.StageItem(i, 99, tea()) }), db.ErrStale)
		}
		if all := p.items(t, p.anna.ID); all != "" {
			t.Errorf("items %s", all)
		}
		p.wantLeft(t, 0, 0)
	})

	t.Run("ListsOldestFirst", func(t *testing.T) {
		p := newTwoAccounts(t)
		first, staged, second := p.stage(t, p.anna, tea()), p.stage(t, p.anna, tea()), p.stage(t, p.ben, tea())
		p.ready(t, second)
		p.ready(t, first)
		all := get(t, p.other, (*db.Tx).ReadyImports)
		if len(all) != 2 || all[0] != first || all[1] != second {
			t.Errorf("ready: %+v, want %+v and %+v, not %+v", all, first, second, staged)
		}
	})
}

// wantOnce checks that each of n rows was applied once, and that nothing is left.
func (p *twoAccounts) wantOnce(t *testing.T, n int) {
	t.Helper()
	if moves := p.moves(t, p.anna.ID); len(moves) != n || p.version(t, p.anna.ID) != int64(n) {
		t.Errorf("%d moves at version %d, want %d", len(moves), p.version(t, p.anna.ID), n)
	}
	for i := range n {
		item := get(t, p.store, func(tx *db.Tx) (db.Item, error) { return tx.ItemBySKU(p.anna.ID, fmt.Sprint(i)) })
		wantItem(t, item, fmt.Sprintf("%d|%d|-|-|%d|||-", i, i, i))
	}
	p.wantFaults(t, p.anna.ID)
	p.wantLeft(t, 0, 0)
	// The end of the import is announced once, with the counts of all its chunks.
	all := get(t, p.store, func(tx *db.Tx) ([]db.Event, error) { return tx.Events(p.anna.ID, 0, 10) })
	want := fmt.Sprintf(`"source":"inventory_import","received":%[1]d,"inserted":%[1]d,"updated":0,"unchanged":0,"rejected":0`, n)
	if len(all) != 1 || all[0].Kind != event.SyncCompleted || !strings.Contains(string(all[0].Body), want) {
		t.Errorf("events %+v", all)
	}
}

func TestApplyImport(t *testing.T) {
	t.Parallel()
	dbtest.Sequential(t)
	t.Run("AppliesOnceConcurrently", func(t *testing.T) {
		p := newTwoAccounts(t)
		i := p.stage(t, p.anna, numbered(60)...)
		p.ready(t, i)
		var all sync.WaitGroup
		for _, store := range []*db.DB{p.store, p.other} {
			all.Go(func() {
				for n, done := 0, false; !done; n++ {
					if err := store.RelaxedUpdate(background, func(tx *db.Tx) (err error) {
						done, _, err = tx.ApplyImport(i, 3)
						return err
					}); err != nil || n > 100 {
						t.Errorf("chunk %d: %v", n, err)
						return
					}
				}
			})
		}
		all.Wait()
		p.wantOnce(t, 60)
		if !p.apply(t, i, 3) {
			t.Error("a missing import is not done")
		}
	})

	t.Run("ContinuesAfterCrash", func(t *testing.T) {
		p := newTwoAccounts(t)
		i := p.stage(t, p.anna, numbered(5)...)
		p.ready(t, i)
		for n, done := 0, false; !done; n++ {
			if done = p.apply(t, i, 2); done != (n == 2) {
				t.Fatalf("chunk %d: %v", n, done)
			}
			if err := errors.Join(p.store.Close(), p.other.Close()); err != nil {
				t.Fatal(err)
			}
			p.store, p.other = dbtest.OpenAt(t, p.path, p.clock), dbtest.OpenAt(t, p.path, p.clock)
			if all := get(t, p.store, (*db.Tx).ReadyImports); !done && (len(all) != 1 || all[0] != i) {
				t.Errorf("ready after chunk %d: %v", n, all)
			}
		}
		p.wantOnce(t, 5)
	})

	t.Run("FailedChunkHasNoEffect", func(t *testing.T) {
		p := newTwoAccounts(t)
		i := p.stage(t, p.anna, numbered(4)...)
		p.ready(t, i)
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error {
			_, _, err := tx.ApplyImport(i, 2)
			return errors.Join(err, errRefused)
		}), errRefused)
		p.wantLeft(t, 1, 4)
		// A full chunk is not known to be the last.
		if n := chunks(t, func() bool { return p.apply(t, i, 2) }); n != 3 {
			t.Errorf("%d chunks", n)
		}
		p.wantOnce(t, 4)
	})
}

func TestDropImport(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	t.Run("DropsInChunks", func(t *testing.T) {
		for rows, want := range []int{1, 1, 2, 2, 3, 3} {
			p := newTwoAccounts(t)
			kept, i := p.stage(t, p.anna, numbered(3)...), p.stage(t, p.anna, numbered(rows)...)
			left := rows
			n := chunks(t, func() bool {
				done := p.drop(t, i, 2)
				if left = max(left-2, 0); !done {
					p.wantLeft(t, 2, 3+left)
				}
				return done
			})
			if n != want {
				t.Errorf("%d rows in %d chunks, want %d", rows, n, want)
			}
			p.wantLeft(t, 1, 3)
			p.ready(t, kept)
			p.apply(t, kept, 10)
			if all := p.items(t, p.anna.ID); all != "0 1 2" {
				t.Errorf("items %s", all)
			}
		}
	})

	// The import may become ready after it was found to be stale.
	t.Run("KeepsReadyImport", func(t *testing.T) {
		p := newTwoAccounts(t)
		i := p.stage(t, p.anna, numbered(3)...)
		p.ready(t, i)
		if !p.drop(t, i, 2) {
			t.Error("DropImport of a ready import is not done")
		}
		p.wantLeft(t, 1, 3)
		p.apply(t, i, 10)
		if all := p.items(t, p.anna.ID); all != "0 1 2" {
			t.Errorf("items %s", all)
		}
	})
}

func TestStaleImports(t *testing.T) {
	t.Parallel()
	t.Run("FindsOldImports", func(t *testing.T) {
		p := newTwoAccounts(t)
		stale := func(age time.Duration) (ids []string) {
			t.Helper()
			for _, i := range get(t, p.other, func(tx *db.Tx) ([]db.Import, error) { return tx.StaleImports(tx.Now().Add(-age)) }) {
				ids = append(ids, i.ID)
			}
			return ids
		}
		first, ready, bens := p.stage(t, p.anna, numbered(3)...), p.stage(t, p.anna, tea()), p.stage(t, p.ben)
		p.ready(t, ready)
		p.clock.Advance(time.Minute)
		young := p.stage(t, p.anna)
		if got := stale(time.Minute); got != nil {
			t.Errorf("stale at the limit: %v", got)
		}
		p.clock.Advance(time.Millisecond)
		if got, want := fmt.Sprint(stale(time.Minute)), fmt.Sprint([]string{first.ID, bens.ID}); got != want {
			t.Errorf("stale %s, want %s and not %s", got, want, young.ID)
		}
		// A partly dropped import is found again, a ready one is not.
		p.drop(t, first, 2)
		p.clock.Advance(time.Hour)
		if got, want := fmt.Sprint(stale(time.Minute)), fmt.Sprint([]string{first.ID, bens.ID, young.ID}); got != want {
			t.Errorf("stale %s, want %s", got, want)
		}
	})
}
