package db_test

import (
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// sameDay is a day that does not end.
func sameDay(string) string { return "2026-03-02" }

func TestPulseIsClaimedOnce(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	dbtest.Update(t, p.store, func(tx *db.Tx) error {
		_, _, err := tx.PutCustomer(db.Customer{AccountID: p.anna.ID, ExternalID: "c1"})
		return err
	})
	due := get(t, p.store, func(tx *db.Tx) ([]db.PulseClaim, error) { return tx.DuePulses(10, sameDay) })
	if len(due) != 1 || due[0].AccountID != p.anna.ID {
		t.Fatalf("due: %+v, want that of the account with data", due)
	}
	outcomes := p.atOnce(t, 6, func(_ int, tx *db.Tx) error {
		_, err := tx.ClaimPulse(due[0])
		return err
	})
	if outcomes[nil] != 1 || outcomes[db.ErrStale] != 5 {
		t.Errorf("claims at once ended with %v, want one claim and five times ErrStale", outcomes)
	}
}

// TestPulseAfterCrash lets the process that has a claim come back after another has it.
func TestPulseAfterCrash(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	change := func(id string) {
		dbtest.Update(t, p.store, func(tx *db.Tx) error {
			_, _, err := tx.PutCustomer(db.Customer{AccountID: p.anna.ID, ExternalID: id})
			return err
		})
	}
	due := func(want int) (c db.PulseClaim) {
		t.Helper()
		all := get(t, p.other, func(tx *db.Tx) ([]db.PulseClaim, error) { return tx.DuePulses(10, sameDay) })
		if len(all) != want {
			t.Fatalf("%d due, want %d", len(all), want)
		}
		if want > 0 {
			c = all[0]
		}
		return c
	}
	claim := func(c db.PulseClaim) db.PulseClaim {
		return set(t, p.other, func(tx *db.Tx) (db.PulseClaim, error) { return tx.ClaimPulse(c) })
	}
	finish := func(c db.PulseClaim, figures string) error {
		return p.store.Update(t.Context(), func(tx *db.Tx) error { return tx.FinishPulse(c, figures) })
	}

	change("c1")
	lost := claim(due(1))
	due(0)
	p.clock.Advance(5 * time.Minute) // the lease ends
	second := claim(due(1))
	wantErr(t, finish(lost, "lost"), db.ErrStale)
	change("c2") // while it is computed: the stored stamp is the one before
	wantErr(t, finish(second, "second"), nil)
	wantErr(t, finish(second, "twice"), db.ErrStale)
	due(0)
	p.clock.Advance(db.PulseEvery)
	third := claim(due(1))
	if third.Last != "second" {
		t.Errorf("the last figures are %q, want %q", third.Last, "second")
	}
	wantErr(t, finish(third, "third"), nil)
	p.clock.Advance(db.PulseEvery)
	due(0) // nothing has changed

	change("c3")
	p.clock.Advance(-365 * 24 * time.Hour) // the clock was ahead
	claim(due(1))
}

func TestBriefs(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	put := func(a db.Account, day, body string) db.Brief {
		return set(t, p.store, func(tx *db.Tx) (db.Brief, error) {
			return tx.PutBrief(db.Brief{AccountID: a.ID, Day: day, Body: []byte(body)})
		})
	}
	put(p.anna, "2026-03-02", "first")
	second := put(p.anna, "2026-03-02", "second")
	found := get(t, p.store, func(tx *db.Tx) (db.Brief, error) { return tx.BriefOf(p.anna.ID, "2026-03-02") })
	if found.ID != second.ID || string(found.Body) != "second" {
		t.Errorf("found %s %s, want the second", found.ID, found.Body)
	}
	err := p.store.View(t.Context(), func(tx *db.Tx) error { _, err := tx.BriefOf(p.ben.ID, "2026-03-02"); return err })
	wantErr(t, err, db.ErrNotFound)

	p.clock.Advance(90 * 24 * time.Hour)
	drop := func() int64 { return set(t, p.store, func(tx *db.Tx) (int64, error) { return tx.DropOldBriefs(10) }) }
	if n := drop(); n != 0 {
		t.Errorf("dropped %d of 90 days, want 0", n)
	}
	p.clock.Advance(time.Millisecond)
	if n := drop(); n != 1 {
		t.Errorf("dropped %d, want 1", n)
	}
}
