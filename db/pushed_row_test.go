package db_test

import (
	"fmt"
	"testing"

	"svc/db"
)

func TestPutRow(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	put := func(account db.Account, id, content string) (db.Outcome, error) {
		var outcome db.Outcome
		err := p.store.Update(background, func(tx *db.Tx) (err error) {
			outcome, err = tx.PutRow(db.PushedRow{AccountID: account.ID, ExternalID: id, Digest: []byte(content), Cells: []string{"a", content}})
			return err
		})
		return outcome, err
	}
	for i, step := range []struct {
		account     db.Account
		id, content string
		want        db.Outcome
	}{
		{p.anna, "1", "x", db.Inserted}, {p.anna, "1", "x", db.Unchanged}, {p.anna, "2", "x", db.Inserted}, {p.anna, "1", "y", db.Updated},
		{p.ben, "1", "y", db.Inserted},
	} {
		if got, err := put(step.account, step.id, step.content); got != step.want || err != nil {
			t.Errorf("step %d: %s, %v, want %s", i, got, err, step.want)
		}
	}
	rows := get(t, p.store, func(tx *db.Tx) (all []string, err error) {
		_, err = tx.PushedRows(p.anna.ID, 0, 10, func(cells []string) error {
			all = append(all, fmt.Sprint(cells))
			return nil
		})
		return all, err
	})
	set := get(t, p.store, func(tx *db.Tx) (db.PushedSet, error) { return tx.PushedSet(p.anna.ID) })
	if fmt.Sprint(rows) != "[[a y] [a x]]" || set.Rows != 2 || set.Version != 3 || set.Built != 0 {
		t.Errorf("rows %v, %+v", rows, set)
	}

	mustExec(t, rawOpen(t, p.path), fmt.Sprintf("UPDATE pushed_sets SET rows = %d", db.MaxPushedRows))
	_, err := put(p.anna, "3", "x")
	wantErr(t, err, db.ErrTooManyRows)
	if got, err := put(p.anna, "2", "z"); got != db.Updated || err != nil {
		t.Errorf("a known row: %s, %v", got, err)
	}
	stale := set
	stale.DatasetID = "ds_other"
	wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.MarkBuilt(stale, "ds_1") }), db.ErrStale)
}
