package db_test

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// TestCheckoutModel runs random steps on the store and on a plain model: each purchase is
// credited when the first of its attempts is paid, and only then.
func TestCheckoutModel(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	d := newCheckoutFixture(t)
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
