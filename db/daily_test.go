package db_test

import (
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/db/event"
)

func TestDailyJobIsClaimedOnce(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	outcomes := p.atOnce(t, 8, func(_ int, tx *db.Tx) error {
		_, err := tx.ClaimDaily(p.anna.ID, db.DailyBrief, "2026-03-02")
		return err
	})
	if outcomes[nil] != 1 || outcomes[db.ErrStale] != 7 {
		t.Errorf("claims at once ended with %v, want one claim and seven times ErrStale", outcomes)
	}
	for _, other := range []struct {
		account string
		job     db.DailyJob
	}{{p.ben.ID, db.DailyBrief}, {p.anna.ID, db.ChurnScan}} {
		set(t, p.store, func(tx *db.Tx) (db.Daily, error) { return tx.ClaimDaily(other.account, other.job, "2026-03-02") })
	}
}

// TestDailyJobAfterCrash lets the first process stop after its claim, and come back when
// another has claimed and when another has finished.
func TestDailyJobAfterCrash(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	claim := func(store *db.DB, day string) (db.Daily, error) {
		return db.Write(t.Context(), store, func(tx *db.Tx) (db.Daily, error) { return tx.ClaimDaily(p.anna.ID, db.DailyBrief, day) })
	}
	finish := func(store *db.DB, d db.Daily) error {
		return store.Update(t.Context(), func(tx *db.Tx) error {
			if _, err := tx.Emit(p.anna.ID, event.Brief{Period: d.Day}); err != nil {
				return err
			}
			return tx.FinishDaily(d)
		})
	}

	lost, err := claim(p.store, "2026-03-02")
	wantErr(t, err, nil)
	p.clock.Advance(db.DailyLease - time.Millisecond)
	_, err = claim(p.other, "2026-03-02")
	wantErr(t, err, db.ErrStale)
	p.clock.Advance(time.Millisecond)
	second, err := claim(p.other, "2026-03-02")
	wantErr(t, err, nil)

	wantErr(t, finish(p.store, lost), db.ErrStale)
	wantErr(t, finish(p.other, second), nil)
	wantErr(t, finish(p.store, lost), db.ErrStale)
	wantErr(t, finish(p.other, second), db.ErrStale)
	p.clock.Advance(time.Hour)
	_, err = claim(p.store, "2026-03-02")
	wantErr(t, err, db.ErrStale)
	if all := get(t, p.store, func(tx *db.Tx) ([]db.Event, error) { return tx.Events(p.anna.ID, 0, 9) }); len(all) != 1 {
		t.Errorf("%d events, want the one of the claim that finished", len(all))
	}

	next, err := claim(p.store, "2026-03-03")
	wantErr(t, err, nil)
	wantErr(t, finish(p.store, next), nil)
}

func TestDailyJobAfterChangedClock(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	claim := func(day string) error {
		_, err := db.Write(t.Context(), p.store, func(tx *db.Tx) (db.Daily, error) {
			d, err := tx.ClaimDaily(p.anna.ID, db.DailyBrief, day)
			if err == nil {
				err = tx.FinishDaily(d)
			}
			return d, err
		})
		return err
	}
	wantErr(t, claim("2026-03-02"), nil)
	p.clock.Advance(-time.Hour)
	wantErr(t, claim("2026-03-02"), db.ErrStale)
	p.clock.Advance(365 * 24 * time.Hour)
	wantErr(t, claim("2027-03-02"), nil)
	wantErr(t, claim("2027-03-01"), db.ErrStale) // another zone
	p.clock.Advance(-364 * 24 * time.Hour)
	wantErr(t, claim("2026-03-03"), nil)
	wantErr(t, claim("2026-03-03"), db.ErrStale)
}

func TestDailyStates(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	states := func() []db.DailyState {
		t.Helper()
		return get(t, p.store, func(tx *db.Tx) ([]db.DailyState, error) { return tx.DailyStates(db.DailyBrief) })
	}
	if all := states(); len(all) != 0 {
		t.Errorf("states of accounts without data: %+v", all)
	}
	dbtest.Update(t, p.store, func(tx *db.Tx) error {
		_, _, err := tx.PutSale(db.Sale{AccountID: p.anna.ID, ExternalID: "1", Currency: "gbp", SoldAt: tx.Now()})
		return err
	})
	const day, next = "2026-03-02", "2026-03-03"
	want := func(when string, waits, waitsNext bool) {
		t.Helper()
		all := states()
		if len(all) != 1 || all[0].AccountID != p.anna.ID || all[0].Waits(day) != waits || all[0].Waits(next) != waitsNext {
			t.Errorf("%s: %+v, want anna's, waiting %v and the next day %v", when, all, waits, waitsNext)
		}
	}
	want("before", true, true)
	set(t, p.store, func(tx *db.Tx) (db.Daily, error) { return tx.ClaimDaily(p.anna.ID, db.DailyBrief, day) })
	want("claimed", false, true)
	p.clock.Advance(db.DailyLease)
	want("lease over", true, true)
	dbtest.Update(t, p.store, func(tx *db.Tx) error {
		d, err := tx.ClaimDaily(p.anna.ID, db.DailyBrief, day)
		if err != nil {
			return err
		}
		return tx.FinishDaily(d)
	})
	want("done", false, true)
	dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.DisableAccount(p.anna.ID) })
	if all := states(); len(all) != 0 {
		t.Errorf("states of a disabled account: %+v", all)
	}
}
