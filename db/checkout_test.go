package db_test

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// checkoutFixture is a store with a charge and a purchase that can be paid, opened twice.
type checkoutFixture struct {
	store, other *db.DB
	clock        *dbtest.Clock
	path         string
	account      db.Account
	key          db.Key
	charge       db.Charge
	token        db.Token
	purchase     db.Purchase
	sessions     int
}

func newCheckoutFixture(t *testing.T) *checkoutFixture {
	t.Helper()
	d := &checkoutFixture{clock: dbtest.NewClock(), path: filepath.Join(t.TempDir(), "svc.db")}
	d.store, d.other = dbtest.OpenAt(t, d.path, d.clock), dbtest.OpenAt(t, d.path, d.clock)
	d.account = dbtest.MustAccount(t, d.store, "shop@example.com", db.Free)
	d.key, _ = dbtest.MustKey(t, d.store, d.account.ID, db.Live, db.AccountMode)
	d.charge, d.token = d.newCharge(t, d.key)
	dbtest.Update(t, d.store, func(tx *db.Tx) (err error) {
		d.purchase, err = tx.CreatePurchase(db.Purchase{AccountID: d.account.ID, Amount: 500, Currency: "gbp", CreditCents: 600})
		return err
	})
	t.Cleanup(func() { dbtest.MustVerify(t, d.store) })
	return d
}

func (d *checkoutFixture) newCharge(t *testing.T, key db.Key) (c db.Charge, token db.Token) {
	t.Helper()
	dbtest.Update(t, d.store, func(tx *db.Tx) (err error) {
		c, token, err = tx.CreateCharge(db.Charge{
			KeyID: key.ID, AccountID: key.AccountID, MerchantEmail: "Merchant@shop.example",
			Amount: 1250, Currency: "gbp", Description: "Invoice 17", Env: key.Env,
		})
		return err
	})
	return c, token
}

// try returns a new attempt to pay the charge or the purchase.
func (d *checkoutFixture) try(subjectID string) db.Checkout {
	c := db.Checkout{
		SubjectID: subjectID, OwnerID: d.key.ID, Amount: 1250, Currency: "gbp", Description: "Invoice 17",
		ExpiresAt: d.clock.Now().Add(24 * time.Hour), DueAt: d.clock.Now().Add(25 * time.Hour),
	}
	if subjectID == d.purchase.ID {
		c.OwnerID, c.Amount = d.account.ID, 500
	}
	return c
}

func (d *checkoutFixture) create(t *testing.T, subjectID string) (made db.Checkout) {
	t.Helper()
	dbtest.Update(t, d.store, func(tx *db.Tx) (err error) {
		made, err = tx.CreateCheckout(d.try(subjectID))
		return err
	})
	return made
}

// open makes an attempt that has a session.
func (d *checkoutFixture) open(t *testing.T, subjectID string) db.Checkout {
	t.Helper()
	c := d.create(t, subjectID)
	d.sessions++
	session := fmt.Sprintf("cs_%d", d.sessions)
	dbtest.Update(t, d.store, func(tx *db.Tx) error { return tx.OpenCheckout(c, session) })
	return d.bySession(t, session)
}

func (d *checkoutFixture) bySession(t *testing.T, id string) db.Checkout {
	t.Helper()
	return get(t, d.other, func(tx *db.Tx) (db.Checkout, error) { return tx.CheckoutBySession(id) })
}

func (d *checkoutFixture) last(t *testing.T, subjectID string) db.Checkout {
	t.Helper()
	return get(t, d.other, func(tx *db.Tx) (db.Checkout, error) { return tx.LastCheckout(subjectID) })
}

// do runs one update and returns its error.
func (d *checkoutFixture) do(fn func(*db.Tx) error) error { return d.store.Update(background, fn) }

func (d *checkoutFixture) pay(c db.Checkout) error {
	return d.do(func(tx *db.Tx) error { return tx.PayCheckout(c) })
}

func (d *checkoutFixture) chargeNow(t *testing.T) db.Charge {
	t.Helper()
	return get(t, d.other, func(tx *db.Tx) (db.Charge, error) { return tx.ChargeByToken(d.token) })
}

// wantCredits checks the ledger's credits.
func (d *checkoutFixture) wantCredits(t *testing.T, want ...int64) {
	t.Helper()
	var got []int64
	for _, e := range get(t, d.store, func(tx *db.Tx) ([]db.Entry, error) { return tx.Ledger(d.account.ID) }) {
		if e.Kind != db.TopUp || e.Note != "bundle "+d.purchase.ID || e.KeyID != "" || e.RequestID != "" {
			t.Errorf("ledger has %+v", e)
		}
		got = append(got, e.AmountCents)
	}
	if !slices.Equal(got, want) {
		t.Errorf("credits %v, want %v", got, want)
	}
	dbtest.MustVerify(t, d.store)
}

func TestCheckout(t *testing.T) {
	t.Parallel()
	t.Run("IsStoredAsMade", func(t *testing.T) {
		d := newCheckoutFixture(t)
		made := d.create(t, d.charge.ID)
		want := d.try(d.charge.ID)
		want.N, want.State, want.CreatedAt = 1, db.CheckoutCreating, d.clock.Now()
		if made != want || d.last(t, d.charge.ID) != want {
			t.Errorf("made %+v, found %+v, want %+v", made, d.last(t, d.charge.ID), want)
		}
		if made.IdempotencyKey() != d.charge.ID+"-1" {
			t.Errorf("key %q", made.IdempotencyKey())
		}
		d.clock.Advance(time.Hour)
		want.State, want.SessionID = db.CheckoutOpen, "cs_1"
		dbtest.Update(t, d.store, func(tx *db.Tx) error { return tx.OpenCheckout(made, "cs_1") })
		if got := d.bySession(t, "cs_1"); got != want {
			t.Errorf("opened %+v, want %+v", got, want)
		}
	})

	t.Run("AttemptsAreNumbered", func(t *testing.T) {
		d := newCheckoutFixture(t)
		for n := int64(1); n <= 12; n++ {
			if made := d.create(t, d.charge.ID); made.N != n || made.IdempotencyKey() != fmt.Sprintf("%s-%d", d.charge.ID, n) {
				t.Errorf("attempt %d is %+v", n, made)
			}
			if last := d.last(t, d.charge.ID); last.N != n {
				t.Errorf("the last of %d attempts has number %d", n, last.N)
			}
		}
		if made := d.create(t, d.purchase.ID); made.N != 1 {
			t.Errorf("another subject's first attempt has number %d", made.N)
		}
	})

	t.Run("NumbersAreUnique", func(t *testing.T) {
		d := newCheckoutFixture(t)
		var all sync.WaitGroup
		keys := make([]string, 20)
		for i := range keys {
			all.Go(func() {
				err := []*db.DB{d.store, d.other}[i%2].Update(background, func(tx *db.Tx) error {
					c, err := tx.CreateCheckout(d.try(d.charge.ID))
					keys[i] = c.IdempotencyKey()
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		slices.Sort(keys)
		if got := len(slices.Compact(keys)); got != 20 {
			t.Errorf("%d different keys for 20 attempts", got)
		}
	})

	t.Run("Unknown", func(t *testing.T) {
		d := newCheckoutFixture(t)
		d.create(t, d.charge.ID) // has no session, and an empty one must not find it
		wantErr(t, d.do(func(tx *db.Tx) error { _, err := tx.LastCheckout(d.purchase.ID); return err }), db.ErrNotFound)
		for _, session := range []string{"", "cs_1"} {
			wantErr(t, d.do(func(tx *db.Tx) error { _, err := tx.CheckoutBySession(session); return err }), db.ErrNotFound)
		}
	})

	t.Run("SessionBelongsToOneAttempt", func(t *testing.T) {
		d := newCheckoutFixture(t)
		first, second := d.open(t, d.charge.ID), d.create(t, d.charge.ID)
		wantErr(t, d.do(func(tx *db.Tx) error { return tx.OpenCheckout(second, first.SessionID) }), db.ErrConflict)
		if got := d.last(t, d.charge.ID); got != second {
			t.Errorf("the other attempt is %+v", got)
		}
	})
}

// TestCheckoutSteps runs each step in each state: it leads to the next state, or is
// refused and changes nothing.
func TestCheckoutSteps(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	const creating, open, processing, paid, over = db.CheckoutCreating, db.CheckoutOpen, db.CheckoutProcessing, db.CheckoutPaid, db.CheckoutOver
	states := map[string]func(*testing.T, *checkoutFixture) db.Checkout{
		"creating": func(t *testing.T, d *checkoutFixture) db.Checkout { return d.create(t, d.charge.ID) },
		"open":     func(t *testing.T, d *checkoutFixture) db.Checkout { return d.open(t, d.charge.ID) },
		"processing": func(t *testing.T, d *checkoutFixture) db.Checkout {
			c := d.open(t, d.charge.ID)
			dbtest.Update(t, d.store, func(tx *db.Tx) error { return tx.ProcessCheckout(c) })
			return c
		},
		"paid": func(t *testing.T, d *checkoutFixture) db.Checkout {
			c := d.open(t, d.charge.ID)
			dbtest.Update(t, d.store, func(tx *db.Tx) error { return tx.PayCheckout(c) })
			return c
		},
		"over": func(t *testing.T, d *checkoutFixture) db.Checkout {
			c := d.open(t, d.charge.ID)
			dbtest.Update(t, d.store, func(tx *db.Tx) error { return tx.EndCheckout(c) })
			return c
		},
		"neverMade": func(t *testing.T, d *checkoutFixture) db.Checkout {
			c := d.create(t, d.charge.ID)
			dbtest.Update(t, d.store, func(tx *db.Tx) error { return tx.EndCheckout(c) })
			return c
		},
	}
	steps := map[string]func(*db.Tx, db.Checkout) error{
		"Open":      func(tx *db.Tx, c db.Checkout) error { return tx.OpenCheckout(c, "cs_1") },
		"OpenOther": func(tx *db.Tx, c db.Checkout) error { return tx.OpenCheckout(c, "cs_2") },
		"Process":   (*db.Tx).ProcessCheckout,
		"End":       (*db.Tx).EndCheckout,
		// EndUnaware ends a checkout that was read before it had a session.
		"EndUnaware": func(tx *db.Tx, c db.Checkout) error {
			c.SessionID = ""
			return tx.EndCheckout(c)
		},
		"EndOther": func(tx *db.Tx, c db.Checkout) error {
			c.SessionID = "cs_2"
			return tx.EndCheckout(c)
		},
		"Pay": (*db.Tx).PayCheckout,
	}
	want := map[string]map[string]db.CheckoutState{ // all others are refused
		"creating":   {"Open": open, "OpenOther": open, "Process": processing, "End": over, "EndUnaware": over, "Pay": paid},
		"open":       {"Open": open, "Process": processing, "End": over, "Pay": paid},
		"processing": {"End": over, "Pay": paid},
		"paid":       {},
		"over":       {"Pay": paid},
		"neverMade":  {"Pay": paid},
	}
	for state, reach := range states {
		for name, step := range steps {
			t.Run(state+name, func(t *testing.T) {
				d := newCheckoutFixture(t)
				c := reach(t, d)
				bystander := d.create(t, d.purchase.ID)
				before := d.last(t, d.charge.ID)
				err := d.do(func(tx *db.Tx) error { return step(tx, c) })
				after := d.last(t, d.charge.ID)
				if next, ok := want[state][name]; ok {
					wantErr(t, err, nil)
					if err != nil || after.State != next {
						t.Errorf("state is %s (%v), want %s", after.State, err, next)
					}
				} else {
					wantErr(t, err, db.ErrStale)
					if after != before {
						t.Errorf("refused step changed it to %+v, from %+v", after, before)
					}
				}
				if got := d.last(t, d.purchase.ID); got != bystander {
					t.Errorf("another subject's attempt became %+v", got)
				}
			})
		}
	}
}

func TestClaimCheckouts(t *testing.T) {
	t.Parallel()
	claim := func(t *testing.T, store *db.DB, limit int) (subjects []string) {
		t.Helper()
		dbtest.Update(t, store, func(tx *db.Tx) error {
			all, err := tx.ClaimCheckouts(limit, 30*time.Minute)
			for _, c := range all {
				subjects = append(subjects, c.IdempotencyKey())
				if !c.DueAt.Equal(tx.Now().Add(30 * time.Minute)) {
					t.Errorf("claimed until %v", c.DueAt)
				}
			}
			return err
		})
		slices.Sort(subjects)
		return subjects
	}

	t.Run("ClaimsDueAndUnsettled", func(t *testing.T) {
		d := newCheckoutFixture(t)
		var want []string
		for i, end := range []func(*db.Tx, db.Checkout) error{
			func(*db.Tx, db.Checkout) error { return nil }, (*db.Tx).ProcessCheckout, (*db.Tx).EndCheckout, (*db.Tx).PayCheckout,
		} {
			c := d.open(t, d.charge.ID)
			dbtest.Update(t, d.store, func(tx *db.Tx) error { return end(tx, c) })
			if i < 2 {
				want = append(want, c.IdempotencyKey())
			}
		}
		want = append(want, d.create(t, d.charge.ID).IdempotencyKey())
		d.clock.Advance(25*time.Hour - time.Millisecond)
		if got := claim(t, d.store, 10); len(got) > 0 {
			t.Errorf("claimed %v before they are due", got)
		}
		d.clock.Advance(time.Millisecond)
		if got := claim(t, d.store, 10); !slices.Equal(got, want) {
			t.Errorf("claimed %v, want %v", got, want)
		}
		// They cannot be claimed again before the lease ends.
		d.clock.Advance(30*time.Minute - time.Millisecond)
		if got := claim(t, d.other, 10); len(got) > 0 {
			t.Errorf("claimed again: %v", got)
		}
		d.clock.Advance(time.Millisecond)
		if got := claim(t, d.other, 10); !slices.Equal(got, want) {
			t.Errorf("claimed %v, want %v", got, want)
		}
	})

	t.Run("MostOverdueFirst", func(t *testing.T) {
		d := newCheckoutFixture(t)
		var want []string
		for range 5 {
			want = append(want, d.create(t, d.charge.ID).IdempotencyKey())
			d.clock.Advance(time.Minute)
		}
		d.clock.Advance(48 * time.Hour)
		for _, part := range [][]string{want[:2], want[2:4], want[4:], nil} {
			if got := claim(t, d.store, 2); !slices.Equal(got, part) {
				t.Errorf("claimed %v, want %v", got, part)
			}
		}
	})

	t.Run("ClaimsEachOnceConcurrently", func(t *testing.T) {
		d := newCheckoutFixture(t)
		for range 50 {
			d.create(t, d.charge.ID)
		}
		d.clock.Advance(48 * time.Hour)
		var mu sync.Mutex
		var all sync.WaitGroup
		claimed := map[int64]int{}
		for i := range 10 {
			all.Go(func() {
				err := []*db.DB{d.store, d.other}[i%2].Update(background, func(tx *db.Tx) error {
					some, err := tx.ClaimCheckouts(7, time.Hour)
					mu.Lock()
					defer mu.Unlock()
					for _, c := range some {
						claimed[c.N]++
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		for n, times := range claimed {
			if times != 1 {
				t.Errorf("attempt %d was claimed %d times", n, times)
			}
		}
		if len(claimed) != 50 {
			t.Errorf("%d were claimed, want 50", len(claimed))
		}
	})
}

func TestUnsettledCheckouts(t *testing.T) {
	t.Parallel()
	d := newCheckoutFixture(t)
	creating, open, processing := d.create(t, d.charge.ID), d.open(t, d.charge.ID), d.open(t, d.purchase.ID)
	over, paid := d.open(t, d.charge.ID), d.open(t, d.charge.ID)
	dbtest.Update(t, d.store, func(tx *db.Tx) error {
		return errors.Join(tx.ProcessCheckout(processing), tx.EndCheckout(over), tx.PayCheckout(paid))
	})
	got := map[string]db.CheckoutState{}
	for _, c := range get(t, d.store, (*db.Tx).UnsettledCheckouts) {
		got[c.IdempotencyKey()] = c.State
	}
	want := map[string]db.CheckoutState{
		creating.IdempotencyKey(): db.CheckoutCreating, open.IdempotencyKey(): db.CheckoutOpen, processing.IdempotencyKey(): db.CheckoutProcessing,
	}
	if !maps.Equal(got, want) {
		t.Errorf("unsettled %v, want %v", got, want)
	}
}
