package db_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

func TestEditItem(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	item := dbtest.MustItem(t, p.store, p.anna.ID, tea())
	other := dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: "Mug", SKU: "mug-1", Barcodes: []string{"0036000291452"}})
	bens := dbtest.MustItem(t, p.store, p.ben.ID, tea())
	before := p.version(t, p.anna.ID)

	edited := item
	edited.Price, edited.CostPrice, edited.Unit, edited.Category, edited.ReorderMilli = new(int64(5)), nil, "", "x", nil
	dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EditItem(edited) })
	wantItem(t, p.item(t, p.anna.ID, item.ID), told(edited))
	p.wantSince(t, before, "", before)
	edited.SKU = ""
	dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EditItem(edited) })
	p.wantSince(t, before, "Tea", before+1)

	taken, foreign := edited, edited
	taken.SKU, foreign.AccountID = "MUG-1", p.ben.ID
	for want, change := range map[error]func(tx *db.Tx) error{
		db.ErrConflict: func(tx *db.Tx) error { return tx.EditItem(taken) },
		db.ErrNotFound: func(tx *db.Tx) error { return tx.EditItem(foreign) },
	} {
		wantErr(t, p.store.Update(background, change), want)
	}

	dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.SetBarcodes(edited, []string{"96385074", "12345670"}) })
	p.wantNames(t, item, "12345670 96385074", "brew, char")
	wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.SetBarcodes(edited, []string{"0036000291452"}) }), db.ErrConflict)
	p.wantNames(t, item, "12345670 96385074", "brew, char")
	p.wantNames(t, other, "0036000291452", "")
	p.wantNames(t, bens, "4006381333931 96385074", "brew, char")
}

func TestRemoveItem(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	item := dbtest.MustItem(t, p.store, p.anna.ID, tea())
	dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: "Mug"})
	bens := dbtest.MustItem(t, p.store, p.ben.ID, tea())
	before := p.version(t, p.anna.ID)
	foreign := item
	foreign.AccountID = p.ben.ID
	wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.RemoveItem(foreign) }), db.ErrNotFound)

	dbtest.Update(t, p.store, func(tx *db.Tx) error {
		if err := tx.AdjustStock(item, -500, "torn"); err != nil {
			return err
		}
		return tx.RemoveItem(item)
	})
	if got := p.items(t, p.anna.ID); got != "Mug" {
		t.Errorf("items %s", got)
	}
	p.wantNames(t, item, "", "")
	p.wantNames(t, bens, "4006381333931 96385074", "brew, char")
	p.wantFaults(t, p.anna.ID)
	moves := get(t, p.other, func(tx *db.Tx) ([]db.StockMove, error) { return tx.StockMoves(p.anna.ID, item.ID, 10) })
	var got []string
	for _, m := range moves {
		got = append(got, fmt.Sprint(m.Seq, " ", m.Reason, " ", m.Note, " ", m.ChangeMilli, " ", m.StockAfterMilli))
	}
	if strings.Join(got, ", ") != "2 adjustment torn -500 24000, 1 count  24500 24500" {
		t.Errorf("moves %q", got)
	}
	for since, want := range map[int64]string{0: item.ID, before: item.ID, before + 1: ""} {
		dbtest.View(t, p.other, func(tx *db.Tx) error {
			_, removed, upTo, err := tx.ItemsSince(p.anna.ID, since, 100)
			if strings.Join(removed, " ") != want || upTo != before+1 {
				t.Errorf("since %d: removed %v up to %d", since, removed, upTo)
			}
			return err
		})
	}

	// The codes are free again.
	again := dbtest.MustItem(t, p.store, p.anna.ID, tea())
	if again.ID == item.ID {
		t.Error("the id is used again")
	}
	p.wantNames(t, again, "4006381333931 96385074", "brew, char")
}
