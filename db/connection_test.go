package db_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

const connectionLife = 7 * 24 * time.Hour // seed 8.2

// connectionFixture is a store with a developer's key and two merchants.
type connectionFixture struct {
	store      *db.DB
	clock      *dbtest.Clock
	key        db.Key
	mia, max   db.Account
	connection db.Connection // the key's request to mia, as made
	token      db.Token
}

func newConnectionFixture(t *testing.T) *connectionFixture {
	t.Helper()
	clock := dbtest.NewClock()
	p := &connectionFixture{store: dbtest.Open(t, clock), clock: clock}
	developer := dbtest.MustAccount(t, p.store, "dev@acme.example", db.Free)
	p.key, _ = dbtest.MustKey(t, p.store, developer.ID, db.Live, db.AccountMode)
	p.mia = dbtest.MustAccount(t, p.store, "mia@shop.example", db.Free)
	p.max = dbtest.MustAccount(t, p.store, "max@shop.example", db.Free)
	p.connection, p.token = p.make(t, p.key, "Mia@Shop.example")
	return p
}

// make stores a request one millisecond later, so that it is the newest.
func (p *connectionFixture) make(t *testing.T, key db.Key, email string) (c db.Connection, token db.Token) {
	t.Helper()
	p.clock.Advance(time.Millisecond)
	dbtest.Update(t, p.store, func(tx *db.Tx) (err error) {
		c, token, err = tx.CreateConnection(db.Connection{
			KeyID: key.ID, AccountID: key.AccountID, MerchantEmail: email, Requested: db.AllScopes,
		})
		return err
	})
	return c, token
}

// step runs one step in a transaction of its own.
func (p *connectionFixture) step(fn func(tx *db.Tx) error) error {
	return p.store.Update(background, fn)
}

func (p *connectionFixture) approve(c db.Connection, scopes ...string) error {
	return p.step(func(tx *db.Tx) error { return tx.ApproveConnection(c, p.mia.ID, scopes) })
}

func (p *connectionFixture) decline(c db.Connection) error {
	return p.step(func(tx *db.Tx) error { return tx.DeclineConnection(c) })
}

func (p *connectionFixture) narrow(c db.Connection, scopes ...string) error {
	return p.step(func(tx *db.Tx) error { return tx.NarrowConnection(c, p.mia.ID, scopes) })
}

func (p *connectionFixture) revoke(c db.Connection) error {
	return p.step(func(tx *db.Tx) error { return tx.RevokeConnection(c, p.mia.ID) })
}

// stored reads a connection by its link.
func (p *connectionFixture) stored(t *testing.T, token db.Token) db.Connection {
	t.Helper()
	return get(t, p.store, func(tx *db.Tx) (db.Connection, error) { return tx.ConnectionByToken(token) })
}

func (p *connectionFixture) status(t *testing.T, token db.Token) db.ConnectionStatus {
	t.Helper()
	return p.stored(t, token).StatusAt(p.clock.Now())
}

func TestCreateConnection(t *testing.T) {
	t.Parallel()
	t.Run("IsPendingForSevenDays", func(t *testing.T) {
		p := newConnectionFixture(t)
		c := p.stored(t, p.token)
		if c.ID != p.connection.ID || c.KeyID != p.key.ID || c.AccountID != p.key.AccountID || c.MerchantEmail != "Mia@Shop.example" ||
			c.MerchantID != "" || !slices.Equal(c.Requested, db.AllScopes) || !slices.Equal(c.Scopes, db.AllScopes) ||
			!c.CreatedAt.Equal(p.clock.Now()) || !c.ExpiresAt.Equal(c.CreatedAt.Add(connectionLife)) ||
			!c.ApprovedAt.IsZero() || !c.DeclinedAt.IsZero() || !c.RevokedAt.IsZero() {
			t.Errorf("stored %+v", c)
		}
		for _, of := range []db.Connection{c, p.connection} {
			if of.StatusAt(c.ExpiresAt.Add(-1)) != db.ConnectionPending || of.StatusAt(c.ExpiresAt) != db.ConnectionExpired {
				t.Errorf("status at the end is %s, just before %s", of.StatusAt(c.ExpiresAt), of.StatusAt(c.ExpiresAt.Add(-1)))
			}
		}
		kim, _ := p.make(t, p.key, "kim@shop.example")
		if !c.IsFor("mia@shop.EXAMPLE") || c.IsFor("max@shop.example") || c.IsFor("") || kim.IsFor("\u212aim@shop.example") {
			t.Error("IsFor is true for another e-mail")
		}
	})

	t.Run("ConflictsOnlyWithActive", func(t *testing.T) {
		p := newConnectionFixture(t)
		another := func(key db.Key, email string) error {
			return p.step(func(tx *db.Tx) error {
				_, _, err := tx.CreateConnection(db.Connection{
					KeyID: key.ID, AccountID: key.AccountID, MerchantEmail: email, Requested: db.AllScopes,
				})
				return err
			})
		}
		sibling, _ := dbtest.MustKey(t, p.store, p.key.AccountID, db.Live, db.AccountMode)
		wantErr(t, another(p.key, "mia@shop.example"), nil) // the first is pending
		wantErr(t, p.approve(p.connection), nil)
		wantErr(t, another(p.key, "MIA@SHOP.EXAMPLE"), db.ErrConflict)
		wantErr(t, another(p.key, "max@shop.example"), nil)
		wantErr(t, another(p.key, "m\u0131a@shop.example"), nil)
		wantErr(t, another(sibling, "mia@shop.example"), nil)
		p.clock.Advance(10 * connectionLife)
		wantErr(t, another(p.key, "mia@shop.example"), db.ErrConflict)
		wantErr(t, p.revoke(p.stored(t, p.token)), nil)
		wantErr(t, another(p.key, "mia@shop.example"), nil)
	})

	t.Run("UnknownLink", func(t *testing.T) {
		p := newConnectionFixture(t)
		hash := p.token.Hash()
		for _, token := range []db.Token{"", db.NewToken(), p.token[:42], p.token + "A", db.Token(hash[:])} {
			err := p.store.View(background, func(tx *db.Tx) error {
				_, err := tx.ConnectionByToken(token)
				return err
			})
			wantErr(t, err, db.ErrNotFound)
		}
	})
}

// TestConnectionTransitions checks that D1 has all transitions, and that the stored row
// decides, whatever status the given row has.
func TestConnectionTransitions(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	states := map[string]func(t *testing.T, p *connectionFixture){
		"Pending":  func(*testing.T, *connectionFixture) {},
		"Expired":  func(_ *testing.T, p *connectionFixture) { p.clock.Advance(connectionLife) },
		"Declined": func(t *testing.T, p *connectionFixture) { wantErr(t, p.decline(p.connection), nil) },
		"Approved": func(t *testing.T, p *connectionFixture) { wantErr(t, p.approve(p.connection, db.ReadInventory), nil) },
		"Revoked": func(t *testing.T, p *connectionFixture) {
			wantErr(t, p.approve(p.connection, db.ReadInventory), nil)
			wantErr(t, p.revoke(p.connection), nil)
		},
	}
	steps := map[string]func(p *connectionFixture) error{
		"Approve": func(p *connectionFixture) error { return p.approve(p.connection, db.ReadInventory) },
		"Decline": func(p *connectionFixture) error { return p.decline(p.connection) },
		"Narrow":  func(p *connectionFixture) error { return p.narrow(p.connection) },
		"Revoke":  func(p *connectionFixture) error { return p.revoke(p.connection) },
	}
	allowed := map[string]db.ConnectionStatus{
		"PendingApprove": db.ConnectionApproved, "PendingDecline": db.ConnectionDeclined,
		"ApprovedNarrow": db.ConnectionApproved, "ApprovedRevoke": db.ConnectionRevoked,
	}
	for state, reach := range states {
		for name, step := range steps {
			t.Run(state+name, func(t *testing.T) {
				p := newConnectionFixture(t)
				reach(t, p)
				before := p.stored(t, p.token)
				p.clock.Advance(time.Second)
				want, ok := allowed[state+name]
				if ok {
					wantErr(t, step(p), nil)
				} else {
					wantErr(t, step(p), db.ErrStale)
					want = before.StatusAt(p.clock.Now())
				}
				after := p.stored(t, p.token)
				if got := after.StatusAt(p.clock.Now()); got != want {
					t.Errorf("status is %s, want %s", got, want)
				}
				if !ok && !sameConnection(before, after) {
					t.Errorf("changed from %+v to %+v", before, after)
				}
			})
		}
	}
}

func sameConnection(a, b db.Connection) bool {
	return a.MerchantID == b.MerchantID && slices.Equal(a.Scopes, b.Scopes) && slices.Equal(a.Requested, b.Requested) &&
		a.ApprovedAt.Equal(b.ApprovedAt) && a.DeclinedAt.Equal(b.DeclinedAt) && a.RevokedAt.Equal(b.RevokedAt) &&
		a.StatusAt(a.CreatedAt) == b.StatusAt(a.CreatedAt)
}

func TestApproveConnection(t *testing.T) {
	t.Parallel()
	dbtest.Sequential(t)
	t.Run("StoresMerchantScopesAndTime", func(t *testing.T) {
		p := newConnectionFixture(t)
		p.clock.Advance(time.Hour)
		wantErr(t, p.approve(p.connection, db.ReadInventory), nil)
		c := p.stored(t, p.token)
		if c.MerchantID != p.mia.ID || !slices.Equal(c.Scopes, db.AllScopes) || !c.ApprovedAt.Equal(p.clock.Now()) {
			t.Errorf("approved %+v", c)
		}
	})
	t.Run("WithoutScopes", func(t *testing.T) {
		p := newConnectionFixture(t)
		wantErr(t, p.approve(p.connection), nil)
		if c := p.stored(t, p.token); len(c.Scopes) != 0 || c.Scopes == nil || !slices.Equal(c.Requested, db.AllScopes) {
			t.Errorf("approved %+v", c)
		}
	})
	t.Run("RefusesUnrequestedScope", func(t *testing.T) {
		p := newConnectionFixture(t)
		if err := p.approve(p.connection, db.ReadInventory, "read_sales"); err == nil || errors.Is(err, db.ErrStale) {
			t.Errorf("error is %v", err)
		}
		if got := p.status(t, p.token); got != db.ConnectionPending {
			t.Errorf("status is %s", got)
		}
	})
	t.Run("ConflictsWithActive", func(t *testing.T) {
		p := newConnectionFixture(t)
		second, secondToken := p.make(t, p.key, "MIA@shop.example")
		wantErr(t, p.approve(p.connection), nil)
		wantErr(t, p.approve(second), db.ErrConflict)
		if got := p.status(t, secondToken); got != db.ConnectionPending {
			t.Errorf("status is %s", got)
		}
		wantErr(t, p.revoke(p.connection), nil)
		wantErr(t, p.approve(second), nil)
	})
	t.Run("AtLastMoment", func(t *testing.T) {
		for _, step := range []func(p *connectionFixture) error{
			func(p *connectionFixture) error { return p.approve(p.connection) },
			func(p *connectionFixture) error { return p.decline(p.connection) },
		} {
			p := newConnectionFixture(t)
			p.clock.Advance(connectionLife - 1)
			wantErr(t, step(p), nil)
			p = newConnectionFixture(t)
			p.clock.Advance(connectionLife)
			wantErr(t, step(p), db.ErrStale)
		}
	})
	// Two processes open the file.
	t.Run("OneOfTwoConcurrently", func(t *testing.T) {
		one, two := openTwice(t)
		p := &connectionFixture{store: one, clock: dbtest.NewClock()}
		p.mia = dbtest.MustAccount(t, one, "mia@shop.example", db.Free)
		p.key, _ = dbtest.MustKey(t, one, p.mia.ID, db.Live, db.AccountMode)
		for range 30 {
			first, firstToken := p.make(t, p.key, "mia@shop.example")
			second, secondToken := p.make(t, p.key, "mia@shop.example")
			var errs [2]error
			var wg sync.WaitGroup
			for i, c := range []db.Connection{first, second} {
				wg.Go(func() { errs[i] = (&connectionFixture{store: []*db.DB{one, two}[i], mia: p.mia}).approve(c) })
			}
			wg.Wait()
			won := 0
			if errs[0] != nil {
				won = 1
			}
			wantErr(t, errs[won], nil)
			wantErr(t, errs[1-won], db.ErrConflict)
			for i, token := range []db.Token{firstToken, secondToken} {
				if want := []db.ConnectionStatus{db.ConnectionApproved, db.ConnectionPending}[i^won]; p.stored(t, token).StatusAt(first.CreatedAt) != want {
					t.Fatalf("connection %d is %s, want %s", i, p.stored(t, token).StatusAt(first.CreatedAt), want)
				}
			}
			wantErr(t, p.revoke([]db.Connection{first, second}[won]), nil)
		}
	})
}

func TestNarrowConnection(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	t.Run("NeverWidens", func(t *testing.T) {
		p := newConnectionFixture(t)
		wantErr(t, p.approve(p.connection, db.ReadInventory), nil)
		granted := p.stored(t, p.token)
		wantErr(t, p.narrow(granted), nil)
		if err := p.narrow(p.stored(t, p.token), db.ReadInventory); err == nil {
			t.Error("a dropped scope came back")
		}
		wantErr(t, p.narrow(granted, db.ReadInventory), db.ErrStale) // as a browser tab that was opened before
		if c := p.stored(t, p.token); len(c.Scopes) != 0 {
			t.Errorf("scopes %q", c.Scopes)
		}
	})
	t.Run("OnlyByItsMerchant", func(t *testing.T) {
		p := newConnectionFixture(t)
		wantErr(t, p.approve(p.connection, db.ReadInventory), nil)
		c := p.stored(t, p.token)
		for _, id := range []string{p.max.ID, p.key.AccountID, ""} {
			wantErr(t, p.step(func(tx *db.Tx) error { return tx.NarrowConnection(c, id, nil) }), db.ErrStale)
			wantErr(t, p.step(func(tx *db.Tx) error { return tx.RevokeConnection(c, id) }), db.ErrStale)
		}
		if got := p.stored(t, p.token); !sameConnection(c, got) {
			t.Errorf("changed to %+v", got)
		}
	})
}

// TestRevokeConnection also checks that the scopes stay on record (D4).
func TestRevokeConnection(t *testing.T) {
	t.Parallel()
	p := newConnectionFixture(t)
	wantErr(t, p.approve(p.connection, db.ReadInventory), nil)
	before := p.stored(t, p.token)
	p.clock.Advance(time.Hour)
	wantErr(t, p.revoke(before), nil)
	after := p.stored(t, p.token)
	if !after.RevokedAt.Equal(p.clock.Now()) {
		t.Errorf("revoked at %v", after.RevokedAt)
	}
	if after.MerchantID != p.mia.ID || !slices.Equal(after.Scopes, before.Scopes) || !after.ApprovedAt.Equal(before.ApprovedAt) {
		t.Errorf("revoked %+v", after)
	}
	p.clock.Advance(time.Hour)
	wantErr(t, p.revoke(after), db.ErrStale)
	if again := p.stored(t, p.token); !sameConnection(after, again) {
		t.Errorf("revoked again %+v", again)
	}
}

func TestConnectionsOfAKey(t *testing.T) {
	t.Parallel()
	p := newConnectionFixture(t)
	sibling, _ := dbtest.MustKey(t, p.store, p.key.AccountID, db.Live, db.AccountMode)
	want := []string{p.connection.ID}
	for range 4 {
		c, _ := p.make(t, p.key, "mia@shop.example")
		want = append(want, c.ID)
		p.make(t, sibling, "mia@shop.example")
	}
	slices.Reverse(want)
	for _, limit := range []int{1, 3, 5, 200} {
		all := get(t, p.store, func(tx *db.Tx) ([]db.Connection, error) { return tx.Connections(p.key.ID, limit) })
		if got := connectionIDs(all); !slices.Equal(got, want[:min(limit, len(want))]) {
			t.Errorf("newest %d are %v, want %v", limit, got, want)
		}
	}
	if all := get(t, p.store, func(tx *db.Tx) ([]db.Connection, error) { return tx.Connections("key_none", 10) }); len(all) != 0 {
		t.Errorf("connections of an unknown key: %v", all)
	}
}

func connectionIDs(all []db.Connection) (ids []string) {
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return ids
}

// TestPendingRequestsOfKeys lists the newest request of each key, however often one asks.
func TestPendingRequestsOfKeys(t *testing.T) {
	t.Parallel()
	p := newConnectionFixture(t)
	other, _ := dbtest.MustKey(t, p.store, p.key.AccountID, db.Live, db.AccountMode)
	newest := p.connection
	for range 3 {
		newest, _ = p.make(t, other, p.mia.Email)
	}
	p.make(t, other, p.max.Email)
	declined, _ := p.make(t, p.key, p.mia.Email)
	if err := p.step(func(tx *db.Tx) error { return tx.DeclineConnection(declined) }); err != nil {
		t.Fatal(err)
	}
	p.mia.VerifiedAt = p.clock.Now()
	var got []db.Connection
	dbtest.View(t, p.store, func(tx *db.Tx) (err error) {
		got, err = tx.ConnectionsPending(p.mia, 2)
		return err
	})
	if len(got) != 2 || got[0].ID != newest.ID || got[1].ID != p.connection.ID {
		t.Errorf("got %+v, want %s and %s", got, newest.ID, p.connection.ID)
	}
}

func TestGrantsOfAMerchant(t *testing.T) {
	t.Parallel()
	p := newConnectionFixture(t)
	sibling, _ := dbtest.MustKey(t, p.store, p.key.AccountID, db.Live, db.AccountMode)
	second, _ := p.make(t, sibling, "mia@shop.example")
	third, _ := p.make(t, sibling, "another@shop.example")
	p.make(t, sibling, "mia@shop.example") // stays pending
	foreign, _ := p.make(t, p.key, "max@shop.example")
	wantErr(t, p.approve(p.connection, db.ReadInventory), nil)
	wantErr(t, p.approve(second), nil)
	wantErr(t, p.revoke(second), nil)
	wantErr(t, p.decline(third), nil)
	wantErr(t, p.step(func(tx *db.Tx) error { return tx.ApproveConnection(foreign, p.max.ID, nil) }), nil)

	grants := get(t, p.store, func(tx *db.Tx) ([]db.Connection, error) { return tx.Grants(p.mia.ID, 10) })
	if got, want := connectionIDs(grants), []string{second.ID, p.connection.ID}; !slices.Equal(got, want) {
		t.Errorf("granted %v, want %v", got, want)
	}
	newest := get(t, p.store, func(tx *db.Tx) ([]db.Connection, error) { return tx.Grants(p.mia.ID, 1) })
	if got := connectionIDs(newest); !slices.Equal(got, []string{second.ID}) {
		t.Errorf("the newest is %v", got)
	}
	if active := get(t, p.store, func(tx *db.Tx) (int, error) { return tx.ActiveGrants(p.mia.ID) }); active != 1 {
		t.Errorf("%d are active", active)
	}
	find := func(merchantID, id string) error {
		return p.store.View(background, func(tx *db.Tx) error {
			c, err := tx.Grant(merchantID, id)
			if err == nil && c.ID != id {
				t.Errorf("found %s, want %s", c.ID, id)
			}
			return err
		})
	}
	wantErr(t, find(p.mia.ID, second.ID), nil)
	for _, id := range []string{foreign.ID, third.ID, "", strings.ToUpper(second.ID)} {
		wantErr(t, find(p.mia.ID, id), db.ErrNotFound)
	}
	wantErr(t, find("", p.connection.ID), db.ErrNotFound)
}
