package db_test

import (
	"net/netip"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

func TestKnownCallers(t *testing.T) {
	t.Parallel()
	browser, network := db.BrowserCaller(db.NewToken()), db.NetworkCaller(netip.MustParseAddr("203.0.113.9"))
	remember := func(t *testing.T, p *twoAccounts, account db.Account, c db.Caller) {
		t.Helper()
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.RememberCaller(account.ID, c) })
	}
	want := func(t *testing.T, p *twoAccounts, account db.Account, c db.Caller, known bool) {
		t.Helper()
		dbtest.View(t, p.other, func(tx *db.Tx) error {
			if got, err := tx.KnowsCaller(account.ID, c); err != nil || got != known {
				t.Errorf("%s knows the caller: %v, %v, want %v", account.Email, got, err, known)
			}
			return nil
		})
	}

	t.Run("OfOneAccount", func(t *testing.T) {
		p := newTwoAccounts(t)
		remember(t, p, p.anna, browser)
		remember(t, p, p.anna, browser)
		want(t, p, p.anna, browser, true)
		want(t, p, p.anna, network, false)
		want(t, p, p.ben, browser, false)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.ForgetCallers(p.ben.ID) })
		want(t, p, p.anna, browser, true)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.ForgetCallers(p.anna.ID) })
		want(t, p, p.anna, browser, false)
	})

	t.Run("End", func(t *testing.T) {
		p := newTwoAccounts(t)
		remember(t, p, p.anna, browser)
		remember(t, p, p.anna, network)
		p.clock.Advance(30*24*time.Hour - time.Millisecond)
		want(t, p, p.anna, network, true)
		p.clock.Advance(time.Millisecond)
		want(t, p, p.anna, network, false)
		if n := set(t, p.store, func(tx *db.Tx) (int64, error) { return tx.DeleteEndedCallers(10) }); n != 1 {
			t.Errorf("%d deleted, want 1", n)
		}
		p.clock.Advance(149 * 24 * time.Hour)
		want(t, p, p.anna, browser, true)
		remember(t, p, p.anna, browser)
		p.clock.Advance(179 * 24 * time.Hour)
		want(t, p, p.anna, browser, true)
		p.clock.Advance(-400 * 24 * time.Hour) // it was remembered by a clock that was ahead
		want(t, p, p.anna, browser, false)
	})

	t.Run("TheNewestFifty", func(t *testing.T) {
		p := newTwoAccounts(t)
		remember(t, p, p.ben, browser)
		var all []db.Caller
		for range 51 {
			all = append(all, db.BrowserCaller(db.NewToken()))
			remember(t, p, p.anna, all[len(all)-1])
			p.clock.Advance(time.Second)
		}
		want(t, p, p.anna, all[0], false)
		want(t, p, p.anna, all[1], true)
		want(t, p, p.anna, all[50], true)
		want(t, p, p.ben, browser, true)
	})
}

// Many browsers of one network, such as a script without cookies, do not push the network out.
func TestBrowsersDoNotPushOutNetworks(t *testing.T) {
	t.Parallel()
	clock := dbtest.NewClock()
	store := dbtest.Open(t, clock)
	shop := dbtest.MustAccount(t, store, "shop@example.com", db.Free)
	network := db.NetworkCaller(netip.MustParseAddr("203.0.113.0"))
	dbtest.Update(t, store, func(tx *db.Tx) error { return tx.RememberCaller(shop.ID, network) })
	first := db.NewToken()
	for i := range 60 {
		clock.Advance(time.Second)
		token := db.NewToken()
		if i == 0 {
			token = first
		}
		dbtest.Update(t, store, func(tx *db.Tx) error { return tx.RememberCaller(shop.ID, db.BrowserCaller(token)) })
	}
	for c, want := range map[db.Caller]bool{network: true, db.BrowserCaller(first): false} {
		got := get(t, store, func(tx *db.Tx) (bool, error) { return tx.KnowsCaller(shop.ID, c) })
		if got != want {
			t.Errorf("known: %v, want %v", got, want)
		}
	}
}
