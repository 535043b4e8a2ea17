package db_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

func (p *twoAccounts) link(t *testing.T, kind db.LinkKind, account string) db.Token {
	t.Helper()
	return set(t, p.store, func(tx *db.Tx) (db.Token, error) { return tx.CreateLink(kind, account) })
}

// wantLink checks Link, which must not use the link up.
func (p *twoAccounts) wantLink(t *testing.T, kind db.LinkKind, token db.Token, account string, want error) {
	t.Helper()
	var got string
	err := p.other.View(background, func(tx *db.Tx) (err error) {
		got, err = tx.Link(kind, token)
		return err
	})
	wantErr(t, err, want)
	if got != account {
		t.Errorf("link of %q, want %q", got, account)
	}
}

func TestLink(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	t.Run("WorksOnce", func(t *testing.T) {
		p := newTwoAccounts(t)
		token := p.link(t, db.ResetLink, p.anna.ID)
		p.wantLink(t, db.ResetLink, token, p.anna.ID, nil)
		p.wantLink(t, db.ResetLink, token, p.anna.ID, nil) // Link does not use it up
		if id := set(t, p.store, func(tx *db.Tx) (string, error) { return tx.UseLink(db.ResetLink, token) }); id != p.anna.ID {
			t.Errorf("link of %q", id)
		}
		p.wantLink(t, db.ResetLink, token, "", db.ErrNotFound)
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error {
			_, err := tx.UseLink(db.ResetLink, token)
			return err
		}), db.ErrNotFound)
	})

	t.Run("WorksOnceConcurrently", func(t *testing.T) {
		p := newTwoAccounts(t)
		token := p.link(t, db.SetupLink, "")
		got := p.atOnce(t, 40, func(_ int, tx *db.Tx) error {
			_, err := tx.UseLink(db.SetupLink, token)
			return err
		})
		if got[nil] != 1 || got[db.ErrNotFound] != 39 {
			t.Errorf("outcomes %v", got)
		}
	})

	t.Run("RolledBackUseKeepsLink", func(t *testing.T) {
		p := newTwoAccounts(t)
		token := p.link(t, db.ResetLink, p.anna.ID)
		boom := errors.New("boom")
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error {
			if _, err := tx.UseLink(db.ResetLink, token); err != nil {
				return err
			}
			return boom
		}), boom)
		p.wantLink(t, db.ResetLink, token, p.anna.ID, nil)
	})

	t.Run("WorksFor30Minutes", func(t *testing.T) {
		p := newTwoAccounts(t)
		token := p.link(t, db.SetupLink, "")
		p.clock.Advance(30*time.Minute - time.Millisecond)
		p.wantLink(t, db.SetupLink, token, "", nil)
		p.clock.Advance(time.Millisecond)
		p.wantLink(t, db.SetupLink, token, "", db.ErrNotFound)
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error {
			_, err := tx.UseLink(db.SetupLink, token)
			return err
		}), db.ErrNotFound)
	})

	t.Run("HasOneKind", func(t *testing.T) {
		p := newTwoAccounts(t)
		setup, reset := p.link(t, db.SetupLink, ""), p.link(t, db.ResetLink, p.anna.ID)
		_, session := p.start(t, p.anna)
		for _, wrong := range []struct {
			kind  db.LinkKind
			token db.Token
		}{
			{db.ResetLink, setup}, {db.SetupLink, reset}, {db.SetupLink, session}, {db.ResetLink, session},
			{db.SetupLink, ""}, {db.SetupLink, setup + "x"}, {db.SetupLink, db.Token(strings.ToUpper(string(setup)))},
		} {
			p.wantLink(t, wrong.kind, wrong.token, "", db.ErrNotFound)
			wantErr(t, p.store.Update(background, func(tx *db.Tx) error {
				_, err := tx.UseLink(wrong.kind, wrong.token)
				return err
			}), db.ErrNotFound)
		}
		p.wantLink(t, db.SetupLink, setup, "", nil)
		p.wantLink(t, db.ResetLink, reset, p.anna.ID, nil)
		p.wantSession(t, setup, false)
		p.wantSession(t, reset, false)
	})

	t.Run("NewReplacesOld", func(t *testing.T) {
		p := newTwoAccounts(t)
		setup, bens := p.link(t, db.SetupLink, ""), p.link(t, db.ResetLink, p.ben.ID)
		first := p.link(t, db.ResetLink, p.anna.ID)
		second := p.link(t, db.ResetLink, p.anna.ID)
		p.wantLink(t, db.ResetLink, first, "", db.ErrNotFound)
		p.wantLink(t, db.ResetLink, second, p.anna.ID, nil)
		p.wantLink(t, db.SetupLink, setup, "", nil)
		p.wantLink(t, db.ResetLink, bens, p.ben.ID, nil)

		again := p.link(t, db.SetupLink, "")
		p.wantLink(t, db.SetupLink, setup, "", db.ErrNotFound)
		p.wantLink(t, db.SetupLink, again, "", nil)
		p.wantLink(t, db.ResetLink, second, p.anna.ID, nil)
	})

	t.Run("OnlyResetHasAccount", func(t *testing.T) {
		p := newTwoAccounts(t)
		for kind, account := range map[db.LinkKind]string{db.ResetLink: "", db.SetupLink: p.anna.ID} {
			err := p.store.Update(background, func(tx *db.Tx) error {
				_, err := tx.CreateLink(kind, account)
				return err
			})
			if err == nil {
				t.Errorf("made a %s link of %q", kind, account)
			}
		}
	})

	t.Run("DeletesExpired", func(t *testing.T) {
		p := newTwoAccounts(t)
		p.link(t, db.ResetLink, p.anna.ID)
		p.link(t, db.SetupLink, "")
		p.clock.Advance(time.Minute)
		live := p.link(t, db.ResetLink, p.ben.ID)
		p.clock.Advance(29 * time.Minute)
		for _, want := range []int64{1, 1, 0} {
			if n := set(t, p.store, func(tx *db.Tx) (int64, error) { return tx.DeleteOldLinks(1) }); n != want {
				t.Errorf("%d removed, want %d", n, want)
			}
		}
		p.wantLink(t, db.ResetLink, live, p.ben.ID, nil)
	})
}
