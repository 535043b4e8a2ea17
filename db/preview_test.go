package db_test

import (
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

func TestPreviews(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	p := newConnectionFixture(t)
	preview := func() (token db.Token) {
		dbtest.Update(t, p.store, func(tx *db.Tx) (err error) {
			token, err = tx.CreatePreview(p.key.ID)
			return err
		})
		return token
	}
	look := func(token db.Token) (keyID string, err error) {
		err = p.store.View(background, func(tx *db.Tx) (err error) {
			keyID, err = tx.PreviewKey(token)
			return err
		})
		return keyID, err
	}
	sweep := func(limit int) (gone int64) {
		dbtest.Update(t, p.store, func(tx *db.Tx) (err error) {
			gone, err = tx.DeleteOldPreviews(limit)
			return err
		})
		return gone
	}

	first, second := preview(), preview()
	if first == second {
		t.Error("two links have one token")
	}
	p.clock.Advance(connectionLife - 1)
	young := preview()
	for _, token := range []db.Token{first, second, young} {
		if keyID, err := look(token); err != nil || keyID != p.key.ID {
			t.Errorf("key %q, %v", keyID, err)
		}
	}
	if gone := sweep(10); gone != 0 {
		t.Errorf("%d live links were deleted", gone)
	}
	p.clock.Advance(1)
	for _, token := range []db.Token{first, second, db.NewToken(), p.token, ""} {
		_, err := look(token)
		wantErr(t, err, db.ErrNotFound)
	}
	for _, want := range []int64{1, 1, 0} {
		if gone := sweep(1); gone != want {
			t.Errorf("%d were deleted, want %d", gone, want)
		}
	}
	if _, err := look(young); err != nil {
		t.Errorf("young link: %v", err)
	}
}
