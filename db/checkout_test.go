package db_test

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// drawer is a store with a charge and a purchase that can be paid, opened twice.
type drawer struct {
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

func newDrawer(t *testing.T) *drawer {
	t.Helper()
	d := &drawer{clock: dbtest.NewClock(), path: filepath.Join(t.TempDir(), "svc.db")}
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

func (d *drawer) newCharge(t *testing.T, key db.Key) (c db.Charge, token db.Token) {
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
func (d *drawer) try(subjectID string) db.Checkout {
	c := db.Checkout{
		SubjectID: subjectID, OwnerID: d.key.ID, Amount: 1250, Currency: "gbp", Description: "Invoice 17",
		ExpiresAt: d.clock.Now().Add(24 * time.Hour), DueAt: d.clock.Now().Add(25 * time.Hour),
	}
	if subjectID == d.purchase.ID {
		c.OwnerID, c.Amount = d.account.ID, 500
	}
	return c
}

func (d *drawer) create(t *testing.T, subjectID string) (made db.Checkout) {
	t.Helper()
	dbtest.Update(t, d.store, func(tx *db.Tx) (err error) {
		made, err = tx.CreateCheckout(d.try(subjectID))
		return err
	})
	return made
}

// open makes an attempt that has a session.
func (d *drawer) open(t *testing.T, subjectID string) db.Checkout {
	t.Helper()
	c := d.create(t, subjectID)
	d.sessions++
	session := fmt.Sprintf("cs_%d", d.sessions)
	dbtest.Update(t, d.store, func(tx *db.Tx) error { return tx.OpenCheckout(c, session) })
	return d.bySession(t, session)
}

func (d *drawer) bySession(t *testing.T, id string) db.Checkout {
	t.Helper()
	return get(t, d.other, func(tx *db.Tx) (db.Checkout, error) { return tx.CheckoutBySession(id) })
}

func (d *drawer) last(t *testing.T, subjectID string) db.Checkout {
	t.Helper()
	return get(t, d.other, func(tx *db.Tx) (db.Checkout, error) { return tx.LastCheckout(subjectID) })
}

// do runs one update and returns its error.
func (d *drawer) do(fn func(*db.Tx) error) error { return d.store.Update(background, fn) }

func (d *drawer) pay(c db.Checkout) error {
	return d.do(func(tx *db.Tx) error { return tx.PayCheckout(c) })
}

func (d *drawer) chargeNow(t *testing.T) db.Charge {
	t.Helper()
	return get(t, d.other, func(tx *db.Tx) (db.Charge, error) { return tx.ChargeByToken(d.token) })
}

// wantCredits checks the ledger's credits.
func (d *drawer) wantCredits(t *testing.T, want ...int64) {
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
	t.Run("IsStoredAsMade", func(t *testing.T) {
		d := newDrawer(t)
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
		d := newDrawer(t)
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
		d := newDrawer(t)
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
		d := newDrawer(t)
		d.create(t, d.charge.ID) // has no session, and an empty one must not find it
		wantErr(t, d.do(func(tx *db.Tx) error { _, err := tx.LastCheckout(d.purchase.ID); return err }), db.ErrNotFound)
		for _, session := range []string{"", "cs_1"} {
			wantErr(t, d.do(func(tx *db.Tx) error { _, err := tx.CheckoutBySession(session); return err }), db.ErrNotFound)
		}
	})

	t.Run("SessionBelongsToOneAttempt", func(t *testing.T) {
		d := newDrawer(t)
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
	const creating, open, processing, paid, over = db.CheckoutCreating, db.CheckoutOpen, db.CheckoutProcessing, db.CheckoutPaid, db.CheckoutOver
	states := map[string]func(*testing.T, *drawer) db.Checkout{
		"creating": func(t *testing.T, d *drawer) db.Checkout { return d.create(t, d.charge.ID) },
		"open":     func(t *testing.T, d *drawer) db.Checkout { return d.open(t, d.charge.ID) },
		"processing": func(t *testing.T, d *drawer) db.Checkout {
			c := d.open(t, d.charge.ID)
			dbtest.Update(t, d.store, func(tx *db.Tx) error { return tx.ProcessCheckout(c) })
			return c
		},
		"paid": func(t *testing.T, d *drawer) db.Checkout {
			c := d.open(t, d.charge.ID)
			dbtest.Update(t, d.store, func(tx *db.Tx) error { return tx.PayCheckout(c) })
			return c
		},
		"over": func(t *testing.T, d *drawer) db.Checkout {
			c := d.open(t, d.charge.ID)
			dbtest.Update(t, d.store, func(tx *db.Tx) error { return tx.EndCheckout(c) })
			return c
		},
		"neverMade": func(t *testing.T, d *drawer) db.Checkout {
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
				d := newDrawer(t)
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

func TestPayCharge(t *testing.T) {
	t.Run("ApprovesOnce", func(t *testing.T) {
		d := newDrawer(t)
		c := d.open(t, d.charge.ID)
		d.clock.Advance(time.Minute)
		approved := d.clock.Now()
		wantErr(t, d.pay(c), nil)
		d.clock.Advance(time.Minute)
		wantErr(t, d.pay(c), db.ErrStale)
		got := d.chargeNow(t)
		if got.StatusAt(d.clock.Now()) != db.ChargeApproved || !got.ApprovedAt.Equal(approved) {
			t.Errorf("charge %+v, want it approved at %v", got, approved)
		}
		d.wantCredits(t)
	})

	t.Run("ApprovesExpiredCharge", func(t *testing.T) {
		d := newDrawer(t)
		c := d.open(t, d.charge.ID)
		d.clock.Advance(8 * 24 * time.Hour)
		if got := d.chargeNow(t).StatusAt(d.clock.Now()); got != db.ChargeExpired {
			t.Errorf("status is %s", got)
		}
		wantErr(t, d.pay(c), nil)
		if got := d.chargeNow(t).StatusAt(d.clock.Now()); got != db.ChargeApproved {
			t.Errorf("status is %s", got)
		}
	})

	// If its transaction commits, the second attempt is stored as paid.
	t.Run("SecondPaymentConflicts", func(t *testing.T) {
		d := newDrawer(t)
		first, second := d.open(t, d.charge.ID), d.open(t, d.charge.ID)
		wantErr(t, d.pay(second), nil)
		approved := d.chargeNow(t)
		d.clock.Advance(time.Minute)
		wantErr(t, d.pay(first), db.ErrConflict)
		if got := d.bySession(t, first.SessionID).State; got != db.CheckoutOpen {
			t.Errorf("state after rollback is %s", got)
		}
		wantErr(t, d.do(func(tx *db.Tx) error {
			if err := tx.PayCheckout(first); !errors.Is(err, db.ErrConflict) {
				return fmt.Errorf("paid: %w", err)
			}
			return nil
		}), nil)
		if got := d.bySession(t, first.SessionID).State; got != db.CheckoutPaid {
			t.Errorf("state after commit is %s", got)
		}
		wantErr(t, d.pay(first), db.ErrStale)
		if got := d.chargeNow(t); got != approved {
			t.Errorf("charge %+v, want %+v", got, approved)
		}
	})

	// Only a live charge of the checkout's own key can be paid.
	t.Run("RefusesOtherCharges", func(t *testing.T) {
		d := newDrawer(t)
		testKey, _ := dbtest.MustKey(t, d.store, d.account.ID, db.Test, db.AccountMode)
		tested, token := d.newCharge(t, testKey)
		for name, change := range map[string]func(*db.Checkout){
			"ATestCharge":    func(c *db.Checkout) { c.SubjectID, c.OwnerID = tested.ID, testKey.ID },
			"AnotherKeys":    func(c *db.Checkout) { c.OwnerID = testKey.ID },
			"NoCharge":       func(c *db.Checkout) { c.SubjectID = "ch_none" },
			"NoPurchase":     func(c *db.Checkout) { c.SubjectID, c.OwnerID = "buy_none", d.account.ID },
			"AnothersCredit": func(c *db.Checkout) { c.SubjectID = d.purchase.ID },
		} {
			t.Run(name, func(t *testing.T) {
				c := d.try(d.charge.ID)
				change(&c)
				dbtest.Update(t, d.store, func(tx *db.Tx) (err error) {
					c, err = tx.CreateCheckout(c)
					return err
				})
				wantErr(t, d.pay(c), db.ErrConflict)
			})
		}
		after := get(t, d.store, func(tx *db.Tx) (db.Charge, error) { return tx.ChargeByToken(token) })
		if after != tested || d.chargeNow(t) != d.charge {
			t.Errorf("charges %+v and %+v", after, d.chargeNow(t))
		}
		d.wantCredits(t)
	})

	t.Run("RefusesUnknownCheckout", func(t *testing.T) {
		d := newDrawer(t)
		wantErr(t, d.pay(db.Checkout{SubjectID: d.charge.ID, OwnerID: d.key.ID, N: 1}), db.ErrStale)
		if d.chargeNow(t) != d.charge {
			t.Errorf("charge %+v", d.chargeNow(t))
		}
	})
}

func TestPayPurchase(t *testing.T) {
	t.Run("CreditsOnce", func(t *testing.T) {
		d := newDrawer(t)
		first, second := d.open(t, d.purchase.ID), d.open(t, d.purchase.ID)
		d.wantCredits(t)
		wantErr(t, d.pay(first), nil)
		d.wantCredits(t, 600)
		wantErr(t, d.pay(first), db.ErrStale)
		wantErr(t, d.pay(second), db.ErrConflict)
		d.wantCredits(t, 600)
		bought := get(t, d.store, func(tx *db.Tx) (db.Purchase, error) { return tx.Purchase(d.account.ID, d.purchase.ID) })
		if !bought.ApprovedAt.Equal(d.clock.Now()) {
			t.Errorf("purchase %+v", bought)
		}
		if w := dbtest.MustWallet(t, d.store, d.account.ID); w.BalanceCents != 600 {
			t.Errorf("wallet %+v", w)
		}
	})

	// An error after the payment undoes it, and it can be paid later.
	t.Run("AllOrNothing", func(t *testing.T) {
		d := newDrawer(t)
		c := d.open(t, d.purchase.ID)
		wantErr(t, d.do(func(tx *db.Tx) error {
			if err := tx.PayCheckout(c); err != nil {
				return err
			}
			return errRefused
		}), errRefused)
		d.wantCredits(t)
		if got := d.last(t, d.purchase.ID); got != c {
			t.Errorf("attempt %+v, want %+v", got, c)
		}
		wantErr(t, d.pay(c), nil)
		d.wantCredits(t, 600)
	})

	t.Run("CreditsOnceConcurrently", func(t *testing.T) {
		d := newDrawer(t)
		tries := []db.Checkout{d.open(t, d.purchase.ID), d.open(t, d.purchase.ID)}
		var all sync.WaitGroup
		outcomes := make([]error, 40)
		for i := range outcomes {
			all.Go(func() {
				store := []*db.DB{d.store, d.other}[i%2]
				outcomes[i] = store.Update(background, func(tx *db.Tx) error { return tx.PayCheckout(tries[i/2%2]) })
			})
		}
		all.Wait()
		paid := 0
		for _, err := range outcomes {
			switch {
			case err == nil:
				paid++
			case !errors.Is(err, db.ErrStale) && !errors.Is(err, db.ErrConflict):
				t.Error(err)
			}
		}
		if paid != 1 {
			t.Errorf("paid %d times", paid)
		}
		d.wantCredits(t, 600)
	})

	t.Run("RefusesOtherAccount", func(t *testing.T) {
		d := newDrawer(t)
		other := dbtest.MustAccount(t, d.store, "other@example.com", db.Free)
		wantErr(t, d.do(func(tx *db.Tx) error { _, err := tx.Purchase(other.ID, d.purchase.ID); return err }), db.ErrNotFound)
	})
}

func TestClaimCheckouts(t *testing.T) {
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
		d := newDrawer(t)
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
		d := newDrawer(t)
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
		d := newDrawer(t)
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
	d := newDrawer(t)
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

func TestPaymentEvents(t *testing.T) {
	add := func(d *drawer, id, mismatch string) error {
		return d.do(func(tx *db.Tx) error {
			return tx.AddPaymentEvent(db.PaymentEvent{ID: id, Type: "x", SessionID: "cs_1", Reference: "ch_1", Mismatch: mismatch})
		})
	}
	has := func(t *testing.T, d *drawer, id string) bool {
		t.Helper()
		return get(t, d.other, func(tx *db.Tx) (bool, error) { return tx.HasPaymentEvent(id) })
	}

	t.Run("CopyUndoesItsTransaction", func(t *testing.T) {
		d := newDrawer(t)
		c := d.open(t, d.purchase.ID)
		wantErr(t, add(d, "evt_1", ""), nil)
		wantErr(t, d.do(func(tx *db.Tx) error {
			if err := tx.PayCheckout(c); err != nil {
				return err
			}
			return tx.AddPaymentEvent(db.PaymentEvent{ID: "evt_1", Type: "x"})
		}), db.ErrConflict)
		d.wantCredits(t)
		if !has(t, d, "evt_1") || has(t, d, "evt_2") || has(t, d, "") {
			t.Error("the event is not stored, or another one is")
		}
	})

	t.Run("Mismatches", func(t *testing.T) {
		d := newDrawer(t)
		for i, mismatch := range []string{"first", "", "second", "third"} {
			wantErr(t, add(d, fmt.Sprint("evt_", i), mismatch), nil)
			d.clock.Advance(time.Millisecond)
		}
		all := get(t, d.store, func(tx *db.Tx) ([]db.PaymentEvent, error) { return tx.PaymentMismatches(2) })
		want := []db.PaymentEvent{
			{ID: "evt_3", Type: "x", SessionID: "cs_1", Reference: "ch_1", Mismatch: "third", CreatedAt: d.clock.Now().Add(-time.Millisecond)},
			{ID: "evt_2", Type: "x", SessionID: "cs_1", Reference: "ch_1", Mismatch: "second", CreatedAt: d.clock.Now().Add(-2 * time.Millisecond)},
		}
		if !slices.Equal(all, want) {
			t.Errorf("mismatches %+v, want %+v", all, want)
		}
	})

	t.Run("DeletesOldEvents", func(t *testing.T) {
		d := newDrawer(t)
		for i := range 5 {
			wantErr(t, add(d, fmt.Sprint("evt_", i), map[int]string{1: "kept for ever"}[i]), nil)
			d.clock.Advance(time.Second)
		}
		before := d.clock.Now().Add(-2 * time.Second) // time of the fourth
		for _, want := range []int64{2, 0} {
			var n int64
			dbtest.Update(t, d.store, func(tx *db.Tx) (err error) {
				n, err = tx.DeletePaymentEventsBefore(before, 2)
				return err
			})
			if n != want {
				t.Errorf("%d were removed, want %d", n, want)
			}
		}
		for i, want := range []bool{false, true, false, true, true} {
			if has(t, d, fmt.Sprint("evt_", i)) != want {
				t.Errorf("evt_%d is stored: %v", i, !want)
			}
		}
	})
}

// TestSimulatedOutcomes checks that only a pending test charge of the key can get a
// simulated outcome, which is final.
func TestSimulatedOutcomes(t *testing.T) {
	outcomes := map[db.ChargeStatus]func(*db.Tx, db.Charge) error{
		db.ChargeApproved: (*db.Tx).SimulateApproval, db.ChargeDeclined: (*db.Tx).SimulateDecline,
	}
	for status, simulate := range outcomes {
		t.Run(string(status), func(t *testing.T) {
			d := newDrawer(t)
			key, _ := dbtest.MustKey(t, d.store, d.account.ID, db.Test, db.AccountMode)
			c, token := d.newCharge(t, key)
			now := func() db.Charge {
				return get(t, d.other, func(tx *db.Tx) (db.Charge, error) { return tx.ChargeByToken(token) })
			}
			foreign := c
			foreign.KeyID = d.key.ID
			for _, other := range []db.Charge{foreign, d.charge, {KeyID: key.ID, ID: "ch_none"}} {
				wantErr(t, d.do(func(tx *db.Tx) error { return simulate(tx, other) }), db.ErrStale)
			}
			if now() != c || d.chargeNow(t) != d.charge {
				t.Errorf("charges %+v and %+v", now(), d.chargeNow(t))
			}

			d.clock.Advance(7*24*time.Hour - time.Millisecond)
			wantErr(t, d.do(func(tx *db.Tx) error { return simulate(tx, c) }), nil)
			done := now()
			if done.StatusAt(d.clock.Now().Add(time.Hour)) != status ||
				done.ApprovedAt.IsZero() == (status == db.ChargeApproved) || done.DeclinedAt.IsZero() == (status == db.ChargeDeclined) {
				t.Errorf("charge %+v, want it %s", done, status)
			}
			for _, again := range outcomes {
				wantErr(t, d.do(func(tx *db.Tx) error { return again(tx, c) }), db.ErrStale)
			}
			if now() != done {
				t.Errorf("changed after: %+v", now())
			}

			late, lateToken := d.newCharge(t, key)
			d.clock.Advance(7 * 24 * time.Hour)
			wantErr(t, d.do(func(tx *db.Tx) error { return simulate(tx, late) }), db.ErrStale)
			found := get(t, d.store, func(tx *db.Tx) (db.Charge, error) { return tx.ChargeByToken(lateToken) })
			if found.StatusAt(d.clock.Now()) != db.ChargeExpired || found.StatusAt(d.clock.Now().Add(-time.Millisecond)) != db.ChargePending {
				t.Errorf("expired charge: %+v", found)
			}
		})
	}

	t.Run("UnknownToken", func(t *testing.T) {
		d := newDrawer(t)
		for _, token := range []db.Token{"", db.NewToken(), db.Token(d.charge.ID)} {
			wantErr(t, d.do(func(tx *db.Tx) error { _, err := tx.ChargeByToken(token); return err }), db.ErrNotFound)
		}
	})
}

// TestCheckoutModel runs random steps on the store and on a plain model: each purchase is
// credited when the first of its attempts is paid, and only then.
func TestCheckoutModel(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	d := newDrawer(t)
	raw := rawOpen(t, d.path)
	subjects := []string{d.purchase.ID}
	for range 5 {
		dbtest.Update(t, d.store, func(tx *db.Tx) error {
			p, err := tx.CreatePurchase(db.Purchase{AccountID: d.account.ID, Amount: 500, Currency: "gbp", CreditCents: 600})
			subjects = append(subjects, p.ID)
			return err
		})
	}

	type model struct {
		state   db.CheckoutState
		session string
	}
	tries := map[string]model{} // by idempotency key
	known := []db.Checkout{}    // as read at any time
	credited := map[string]bool{}
	steps := map[string]func(m *model, c db.Checkout, session string) error{
		"open": func(m *model, c db.Checkout, session string) error {
			if m.state != db.CheckoutCreating && (m.state != db.CheckoutOpen || m.session != session) {
				return db.ErrStale
			}
			*m = model{db.CheckoutOpen, session}
			return nil
		},
		"process": func(m *model, _ db.Checkout, _ string) error {
			if m.state != db.CheckoutCreating && m.state != db.CheckoutOpen {
				return db.ErrStale
			}
			m.state = db.CheckoutProcessing
			return nil
		},
		"end": func(m *model, c db.Checkout, _ string) error {
			if m.state == db.CheckoutPaid || m.state == db.CheckoutOver || m.session != c.SessionID {
				return db.ErrStale
			}
			m.state = db.CheckoutOver
			return nil
		},
		"pay": func(m *model, c db.Checkout, _ string) error {
			if m.state == db.CheckoutPaid {
				return db.ErrStale
			}
			m.state = db.CheckoutPaid
			if credited[c.SubjectID] {
				return db.ErrConflict
			}
			credited[c.SubjectID] = true
			return nil
		},
	}
	names := slices.Sorted(maps.Keys(steps))

	for i := range 800 {
		store := []*db.DB{d.store, d.other}[random.IntN(2)]
		if len(known) == 0 || random.IntN(8) == 0 {
			c := d.try(subjects[random.IntN(len(subjects))])
			c.OwnerID, c.Amount = d.account.ID, 500
			dbtest.Update(t, store, func(tx *db.Tx) (err error) {
				c, err = tx.CreateCheckout(c)
				return err
			})
			tries[c.IdempotencyKey()] = model{state: db.CheckoutCreating}
			known = append(known, c)
			continue
		}
		c := known[max(0, len(known)-1-random.IntN(20))]
		name, session := names[random.IntN(len(names))], fmt.Sprintf("cs_%s_%d", c.IdempotencyKey(), random.IntN(2))
		m := tries[c.IdempotencyKey()]
		want := steps[name](&m, c, session)
		err := store.Update(background, func(tx *db.Tx) error {
			return map[string]func() error{
				"open": func() error { return tx.OpenCheckout(c, session) }, "process": func() error { return tx.ProcessCheckout(c) },
				"end": func() error { return tx.EndCheckout(c) }, "pay": func() error { return keep(tx.PayCheckout(c)) },
			}[name]()
		})
		if errors.Is(want, db.ErrConflict) {
			want = nil // but commits
		}
		if want == nil {
			tries[c.IdempotencyKey()] = m
		}
		if !errors.Is(err, want) {
			t.Fatalf("step %d: %s of %+v in %+v: %v, want %v", i, name, c, m, err, want)
		}
		if now := find(t, raw, c); now.State != tries[c.IdempotencyKey()].state || now.SessionID != tries[c.IdempotencyKey()].session {
			t.Fatalf("step %d: %s led to %+v, want %+v", i, name, now, tries[c.IdempotencyKey()])
		} else if random.IntN(2) == 0 {
			known = append(known, now)
		}
	}
	w := dbtest.MustWallet(t, d.store, d.account.ID)
	if len(credited) == 0 || w.BalanceCents != int64(600*len(credited)) {
		t.Errorf("%d purchases are paid, and the balance is %d", len(credited), w.BalanceCents)
	}
}

// keep commits a transaction in which money came twice.
func keep(err error) error {
	if errors.Is(err, db.ErrConflict) {
		return nil
	}
	return err
}

// find reads an attempt through the lists that the store offers: the newest and the
// unsettled ones.
func find(t *testing.T, raw *sql.DB, c db.Checkout) db.Checkout {
	t.Helper()
	err := raw.QueryRow(`SELECT state, coalesce(session_id, '') FROM checkouts WHERE subject_id = $1 AND n = $2`, c.SubjectID, c.N).
		Scan(&c.State, &c.SessionID)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
