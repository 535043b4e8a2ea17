package db_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

func TestPayCharge(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	t.Run("ApprovesOnce", func(t *testing.T) {
		d := newCheckoutFixture(t)
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
		d := newCheckoutFixture(t)
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
		d := newCheckoutFixture(t)
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
		d := newCheckoutFixture(t)
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
		d := newCheckoutFixture(t)
		wantErr(t, d.pay(db.Checkout{SubjectID: d.charge.ID, OwnerID: d.key.ID, N: 1}), db.ErrStale)
		if d.chargeNow(t) != d.charge {
			t.Errorf("charge %+v", d.chargeNow(t))
		}
	})
}

func TestPayPurchase(t *testing.T) {
	t.Parallel()
	t.Run("CreditsOnce", func(t *testing.T) {
		d := newCheckoutFixture(t)
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
		d := newCheckoutFixture(t)
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
		d := newCheckoutFixture(t)
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
		d := newCheckoutFixture(t)
		other := dbtest.MustAccount(t, d.store, "other@example.com", db.Free)
		wantErr(t, d.do(func(tx *db.Tx) error { _, err := tx.Purchase(other.ID, d.purchase.ID); return err }), db.ErrNotFound)
	})
}

func TestPaymentEvents(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	add := func(d *checkoutFixture, id, mismatch string) error {
		return d.do(func(tx *db.Tx) error {
			return tx.AddPaymentEvent(db.PaymentEvent{ID: id, Type: "x", SessionID: "cs_1", Reference: "ch_1", Mismatch: mismatch})
		})
	}
	has := func(t *testing.T, d *checkoutFixture, id string) bool {
		t.Helper()
		return get(t, d.other, func(tx *db.Tx) (bool, error) { return tx.HasPaymentEvent(id) })
	}

	t.Run("CopyUndoesItsTransaction", func(t *testing.T) {
		d := newCheckoutFixture(t)
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
		d := newCheckoutFixture(t)
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
		d := newCheckoutFixture(t)
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
	dbtest.Sequential(t)
	t.Parallel()
	outcomes := map[db.ChargeStatus]func(*db.Tx, db.Charge) error{
		db.ChargeApproved: (*db.Tx).SimulateApproval, db.ChargeDeclined: (*db.Tx).SimulateDecline,
	}
	for status, simulate := range outcomes {
		t.Run(string(status), func(t *testing.T) {
			d := newCheckoutFixture(t)
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
		d := newCheckoutFixture(t)
		for _, token := range []db.Token{"", db.NewToken(), db.Token(d.charge.ID)} {
			wantErr(t, d.do(func(tx *db.Tx) error { _, err := tx.ChargeByToken(token); return err }), db.ErrNotFound)
		}
	})
}
