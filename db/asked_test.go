package db_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// ask stores a question of an account.
func ask(t testing.TB, store *db.DB, a db.Account, text string) db.Asked {
	t.Helper()
	return set(t, store, func(tx *db.Tx) (db.Asked, error) {
		return tx.StoreAsked(db.Asked{AccountID: a.ID, Text: text, Source: "sales", Confidence: "high"})
	})
}

func listAsked(t testing.TB, store *db.DB, a db.Account, before, search string, limit int) []db.Asked {
	t.Helper()
	return get(t, store, func(tx *db.Tx) ([]db.Asked, error) { return tx.AskedList(a.ID, before, search, limit) })
}

func TestAsked(t *testing.T) {
	t.Parallel()

	t.Run("KeepsTheLastAndThePinned", func(t *testing.T) {
		t.Parallel()
		p := newTwoAccounts(t)
		first := ask(t, p.store, p.anna, "question 0")
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.PinAsked(p.anna.ID, first.ID) })
		ask(t, p.store, p.ben, "of ben")
		for n := 1; n <= db.MaxAsked+5; n++ {
			ask(t, p.store, p.anna, fmt.Sprintf("question %d", n))
		}
		all := listAsked(t, p.store, p.anna, "", "", 1000)
		if len(all) != db.MaxAsked+1 || all[0].Text != fmt.Sprintf("question %d", db.MaxAsked+5) || all[len(all)-1].ID != first.ID || all[len(all)-2].Text != "question 6" {
			t.Errorf("%d are kept, from %q to %q", len(all), all[0].Text, all[len(all)-1].Text)
		}
		if n := len(listAsked(t, p.store, p.ben, "", "", 10)); n != 1 {
			t.Errorf("the other account has %d", n)
		}
	})

	t.Run("PagesAndSearches", func(t *testing.T) {
		t.Parallel()
		p := newTwoAccounts(t)
		for _, text := range []string{"Sales in May?", "margin", "sales 100%"} {
			ask(t, p.store, p.anna, text)
		}
		page := listAsked(t, p.store, p.anna, "", "SALES", 1)
		if len(page) != 1 || page[0].Text != "sales 100%" {
			t.Fatalf("%+v", page)
		}
		if page = listAsked(t, p.store, p.anna, page[0].ID, "SALES", 10); len(page) != 1 || page[0].Text != "Sales in May?" {
			t.Errorf("%+v", page)
		}
		if page = listAsked(t, p.store, p.anna, "", "%", 10); len(page) != 1 {
			t.Errorf("a search is a pattern: %+v", page)
		}
	})

	t.Run("RepeatKeepsItsRow", func(t *testing.T) {
		t.Parallel()
		p := newTwoAccounts(t)
		first := ask(t, p.store, p.anna, "margin")
		p.clock.Advance(time.Minute)
		again := ask(t, p.store, p.anna, "margin")
		if all := listAsked(t, p.store, p.anna, "", "", 10); len(all) != 1 || again.ID != first.ID || !all[0].AskedAt.Equal(p.clock.Now()) {
			t.Errorf("%+v", all)
		}
	})

	t.Run("PinsAreBounded", func(t *testing.T) {
		t.Parallel()
		p := newTwoAccounts(t)
		var ids []string
		for n := range db.MaxPinned + 1 {
			ids = append(ids, ask(t, p.store, p.anna, fmt.Sprint(n)).ID)
		}
		pin := func(id string) error {
			return p.store.Update(background, func(tx *db.Tx) error { return tx.PinAsked(p.anna.ID, id) })
		}
		for _, id := range ids[:db.MaxPinned] {
			wantErr(t, pin(id), nil)
		}
		wantErr(t, pin(ids[0]), nil) // again
		wantErr(t, pin(ids[db.MaxPinned]), db.ErrConflict)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.UnpinAsked(p.anna.ID, ids[0]) })
		wantErr(t, pin(ids[db.MaxPinned]), nil)
		pinned := get(t, p.store, func(tx *db.Tx) ([]db.Asked, error) { return tx.PinnedAsked(p.anna.ID) })
		if len(pinned) != db.MaxPinned {
			t.Errorf("%d are pinned", len(pinned))
		}
	})

	t.Run("IsTheAccountsOwn", func(t *testing.T) {
		t.Parallel()
		p := newTwoAccounts(t)
		id := ask(t, p.store, p.anna, "margin").ID
		for name, do := range map[string]func(*db.Tx) error{
			"read":  func(tx *db.Tx) error { _, err := tx.Asked(p.ben.ID, id); return err },
			"pin":   func(tx *db.Tx) error { return tx.PinAsked(p.ben.ID, id) },
			"unpin": func(tx *db.Tx) error { return tx.UnpinAsked(p.ben.ID, id) },
			"drop":  func(tx *db.Tx) error { return tx.DropAsked(p.ben.ID, id) },
		} {
			if err := p.store.Update(background, do); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
