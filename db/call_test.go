package db_test

import (
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

const (
	price   = 3
	lease   = time.Minute
	keeping = 24 * time.Hour
)

// callFixture is a store with one account that has credit, and its key.
type callFixture struct {
	store   *db.DB
	clock   *dbtest.Clock
	account db.Account
	key     db.Key
}

func newCallFixture(t *testing.T, cents int64) *callFixture {
	t.Helper()
	clock := dbtest.NewClock()
	store := dbtest.Open(t, clock)
	account := dbtest.MustAccount(t, store, "shop@example.com", db.Business)
	key, _ := dbtest.MustKey(t, store, account.ID, db.Live, db.AccountMode)
	if cents > 0 {
		dbtest.MustCredit(t, store, account.ID, cents)
	}
	return &callFixture{store: store, clock: clock, account: account, key: key}
}

// call returns a call that starts now. idem is its Idempotency-Key, if any.
func (s *callFixture) call(id string, state db.CallState, cents int64, idem string) db.Call {
	now := s.clock.Now()
	c := db.Call{
		ID: id, KeyID: s.key.ID, AccountID: s.account.ID, Endpoint: "/api/v1/scan", State: state, HoldCents: cents,
		LeaseUntil: now.Add(lease), Month: 202603, CreatedAt: now, ExpiresAt: now.Add(keeping),
	}
	if idem != "" {
		c.IdemHash, c.BodyHash = hashOf(idem), hashOf("body")
	}
	return c
}

func hashOf(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}

// open opens a call and counts it, as admission does.
func (s *callFixture) open(t *testing.T, c db.Call) db.Call {
	t.Helper()
	dbtest.Update(t, s.store, func(tx *db.Tx) error {
		return errors.Join(count(c.KeyID)(tx), tx.OpenCall(c))
	})
	return c
}

// settle posts and closes a call, as settlement does.
func (s *callFixture) settle(c db.Call, answer string) (receipt db.Receipt, err error) {
	err = s.store.Update(background, func(tx *db.Tx) (err error) {
		if receipt, err = tx.PostCall(c); err != nil {
			return err
		}
		return tx.CloseCall(c, 200, []byte(answer))
	})
	return receipt, err
}

// settleLate settles a call whose lease has ended.
func (s *callFixture) settleLate(c db.Call, answer string) (receipt db.Receipt, err error) {
	err = s.store.Update(background, func(tx *db.Tx) (err error) {
		if receipt, err = tx.PostLateCall(c, price); err != nil {
			return err
		}
		return tx.CloseLateCall(c, 200, []byte(answer))
	})
	return receipt, err
}

func (s *callFixture) endLeases(t *testing.T, want int) {
	t.Helper()
	var ended int
	dbtest.Update(t, s.store, func(tx *db.Tx) (err error) {
		ended, err = tx.EndLeases(100)
		return err
	})
	if ended != want {
		t.Errorf("%d leases ended, want %d", ended, want)
	}
}

// wantWallet checks the wallet, also against its ledger and holds.
func (s *callFixture) wantWallet(t *testing.T, balance, held int64) {
	t.Helper()
	if w := dbtest.MustWallet(t, s.store, s.account.ID); w.BalanceCents != balance || w.HeldCents != held {
		t.Errorf("balance %d, held %d; want %d, %d", w.BalanceCents, w.HeldCents, balance, held)
	}
	dbtest.MustVerify(t, s.store)
}

func (s *callFixture) wantState(t *testing.T, id string, want db.CallState) {
	t.Helper()
	if c := get(t, s.store, func(tx *db.Tx) (db.Call, error) { return tx.Call(id) }); c.State != want {
		t.Errorf("call %s is %s, want %s", id, c.State, want)
	}
}

func (s *callFixture) wantGone(t *testing.T, id string) {
	t.Helper()
	err := s.store.View(background, func(tx *db.Tx) error {
		_, err := tx.Call(id)
		return err
	})
	wantErr(t, err, db.ErrNotFound)
}

func TestOpenCall(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	t.Run("HoldsPrice", func(t *testing.T) {
		s := newCallFixture(t, 10)
		c := s.open(t, s.call("req_1", db.Running, price, "idem"))
		s.wantWallet(t, 10, price)

		stored := get(t, s.store, func(tx *db.Tx) (db.Call, error) { return tx.PeekCall(c.KeyID, c.IdemHash) })
		if stored.ID != c.ID || stored.State != db.Running || !stored.LeaseUntil.Equal(c.LeaseUntil) ||
			string(stored.BodyHash) != string(c.BodyHash) || stored.Month != c.Month {
			t.Errorf("stored %+v, opened %+v", stored, c)
		}
	})

	t.Run("InsufficientFundsLeavesNothing", func(t *testing.T) {
		s := newCallFixture(t, 5)
		s.open(t, s.call("req_1", db.Running, price, ""))
		dbtest.Update(t, s.store, func(tx *db.Tx) error { // a refusal does not fail the transaction
			err := tx.OpenCall(s.call("req_2", db.Running, price, "idem"))
			wantErr(t, err, db.ErrInsufficientFunds)
			return nil
		})
		s.wantGone(t, "req_2")
		s.wantWallet(t, 5, price)
	})

	t.Run("ConflictsOnSameKey", func(t *testing.T) {
		s := newCallFixture(t, 10)
		s.open(t, s.call("req_1", db.Running, price, "idem"))
		err := s.store.Update(t.Context(), func(tx *db.Tx) error {
			return tx.OpenCall(s.call("req_2", db.Running, price, "idem"))
		})
		wantErr(t, err, db.ErrConflict)
		s.wantWallet(t, 10, price)
	})

	t.Run("FreeCallNeedsNoCredit", func(t *testing.T) {
		s := newCallFixture(t, 0)
		c := s.open(t, s.call("req_1", db.Running, 0, "idem"))
		receipt, err := s.settle(c, "answer")
		if err != nil || receipt != (db.Receipt{}) {
			t.Errorf("%+v, %v", receipt, err)
		}
		s.wantWallet(t, 0, 0)
	})
}

func TestSettleCall(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	t.Run("OK", func(t *testing.T) {
		s := newCallFixture(t, 10)
		c := s.open(t, s.call("req_1", db.Running, price, "idem"))
		receipt, err := s.settle(c, "answer")
		if want := (db.Receipt{ChargedCents: price, BalanceCents: 7}); err != nil || receipt != want {
			t.Errorf("receipt %+v (%v), want %+v", receipt, err, want)
		}
		s.wantWallet(t, 7, 0)

		stored := get(t, s.store, func(tx *db.Tx) (db.Call, error) { return tx.PeekCall(c.KeyID, c.IdemHash) })
		if stored.State != db.Done || stored.Status != 200 || string(stored.Answer) != "answer" {
			t.Errorf("stored %+v", stored)
		}
		ledger := get(t, s.store, func(tx *db.Tx) ([]db.Entry, error) { return tx.Ledger(s.account.ID) })
		want := db.Entry{
			AccountID: s.account.ID, Seq: 2, Kind: db.Debit, AmountCents: -price, BalanceAfterCents: 7,
			KeyID: c.KeyID, Endpoint: c.Endpoint, RequestID: c.ID, CreatedAt: s.clock.Now(),
		}
		if len(ledger) != 2 || ledger[1] != want {
			t.Errorf("ledger %+v, want %+v", ledger, want)
		}
	})

	t.Run("WithoutIdempotencyKeyLeavesNoRow", func(t *testing.T) {
		s := newCallFixture(t, 10)
		c := s.open(t, s.call("req_1", db.Running, price, ""))
		if _, err := s.settle(c, "answer"); err != nil {
			t.Error(err)
		}
		s.wantGone(t, c.ID)
		s.wantWallet(t, 7, 0)
	})

	t.Run("OnlyOnce", func(t *testing.T) {
		for _, idem := range []string{"", "idem"} {
			s := newCallFixture(t, 10)
			c := s.open(t, s.call("req_1", db.Running, price, idem))
			s.open(t, s.call("req_2", db.Running, price, "")) // its hold must not pay for the first
			if _, err := s.settle(c, "first"); err != nil {
				t.Error(err)
			}
			_, err := s.settle(c, "second")
			wantErr(t, err, db.ErrSettled)
			s.wantWallet(t, 7, price)
		}
	})

	t.Run("RefusedAfterLease", func(t *testing.T) {
		for _, state := range []db.CallState{db.Running, db.Calling} {
			s := newCallFixture(t, 10)
			c := s.open(t, s.call("req_1", state, price, "idem"))
			s.clock.Advance(lease)
			s.endLeases(t, 1)
			_, err := s.settle(c, "answer")
			wantErr(t, err, db.ErrSettled)
			s.wantWallet(t, 10, 0)

			s.open(t, s.call("req_2", db.Running, price, "")) // its hold must not pay for the first
			_, err = s.settle(c, "answer")
			wantErr(t, err, db.ErrSettled)
			s.wantWallet(t, 10, price)
		}
	})

	t.Run("RefusedWithoutClaim", func(t *testing.T) {
		s := newCallFixture(t, 10)
		lost := s.open(t, s.call("req_1", db.Running, price, "idem"))
		s.clock.Advance(lease)
		dbtest.Update(t, s.store, func(tx *db.Tx) error {
			_, err := tx.CallOf(lost.KeyID, lost.IdemHash)
			wantErr(t, err, db.ErrNotFound)
			return tx.OpenCall(s.call("req_2", db.Running, price, "idem"))
		})
		_, err := s.settle(lost, "lost")
		wantErr(t, err, db.ErrSettled)
		wantErr(t, s.store.Update(t.Context(), func(tx *db.Tx) error { return tx.VoidCall(lost, true) }), db.ErrSettled)
		s.wantState(t, "req_2", db.Running)
		s.wantWallet(t, 10, price)
	})

	t.Run("LowBalanceOnCrossingCall", func(t *testing.T) {
		s := newCallFixture(t, 16)
		dbtest.Update(t, s.store, func(tx *db.Tx) error { return tx.SetLowBalance(s.account.ID, 10) })
		for i, want := range []db.Receipt{
			{ChargedCents: 3, BalanceCents: 13},
			{ChargedCents: 3, BalanceCents: 10}, // at the threshold, not below
			{ChargedCents: 3, BalanceCents: 7, LowBalance: true},
			{ChargedCents: 3, BalanceCents: 4},
		} {
			receipt, err := s.settle(s.open(t, s.call("req_1", db.Running, price, "")), "answer")
			if err != nil || receipt != want {
				t.Errorf("call %d: %+v (%v), want %+v", i, receipt, err, want)
			}
		}
	})

	t.Run("NoWarningWithoutThreshold", func(t *testing.T) {
		s := newCallFixture(t, price)
		dbtest.Update(t, s.store, func(tx *db.Tx) error { return tx.SetLowBalance(s.account.ID, 0) })
		receipt, err := s.settle(s.open(t, s.call("req_1", db.Running, price, "")), "answer")
		if want := (db.Receipt{ChargedCents: price}); err != nil || receipt != want {
			t.Errorf("%+v (%v), want %+v", receipt, err, want)
		}
	})
}

func TestVoidCall(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	for _, test := range []struct {
		name      string
		giveBack  bool
		wantMonth int64
	}{
		{"Counted", false, 1},
		{"GivenBack", true, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newCallFixture(t, 10)
			c := s.open(t, s.call("req_1", db.Calling, price, "idem"))
			dbtest.Update(t, s.store, func(tx *db.Tx) error { return tx.VoidCall(c, test.giveBack) })
			s.wantGone(t, c.ID)
			s.wantWallet(t, 10, 0)
			wantCount(t, s.store, c.KeyID, test.wantMonth)
			s.open(t, s.call("req_2", db.Calling, price, "idem")) // the Idempotency-Key is free again
		})
	}
}

func TestMarkCallUnknown(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	t.Run("IsKeptUnbilled", func(t *testing.T) {
		s := newCallFixture(t, 10)
		c := s.open(t, s.call("req_1", db.Calling, price, "idem"))
		dbtest.Update(t, s.store, func(tx *db.Tx) error { return tx.MarkCallUnknown(c, 502, []byte("nobody knows")) })
		s.wantWallet(t, 10, 0)
		wantCount(t, s.store, c.KeyID, 0)

		s.clock.Advance(100 * keeping)
		dbtest.Update(t, s.store, func(tx *db.Tx) error {
			kept, err := tx.CallOf(c.KeyID, c.IdemHash)
			if kept.State != db.Unknown || kept.HoldCents != 0 || kept.Status != 502 || string(kept.Answer) != "nobody knows" {
				t.Errorf("kept %+v", kept)
			}
			return err
		})
		unknown := get(t, s.store, func(tx *db.Tx) ([]db.Call, error) { return tx.UnknownCalls(s.account.ID, 10) })
		if len(unknown) != 1 || unknown[0].ID != c.ID {
			t.Errorf("unknown calls: %+v", unknown)
		}
	})

	t.Run("RefusesRunningCall", func(t *testing.T) {
		s := newCallFixture(t, 10)
		c := s.open(t, s.call("req_1", db.Running, price, "idem"))
		wantErr(t, s.store.Update(t.Context(), func(tx *db.Tx) error { return tx.MarkCallUnknown(c, 502, nil) }), db.ErrSettled)
		s.wantWallet(t, 10, price)
	})

	t.Run("SettledLate", func(t *testing.T) {
		s := newCallFixture(t, 10)
		c := s.open(t, s.call("req_1", db.Calling, price, "idem"))
		s.clock.Advance(lease)
		s.endLeases(t, 1)
		receipt, err := s.settleLate(c, "answer")
		if want := (db.Receipt{ChargedCents: price, BalanceCents: 7}); err != nil || receipt != want {
			t.Errorf("%+v (%v), want %+v", receipt, err, want)
		}
		s.wantState(t, c.ID, db.Done)
		s.wantWallet(t, 7, 0)

		_, err = s.settleLate(c, "answer")
		wantErr(t, err, db.ErrSettled)
		s.wantWallet(t, 7, 0)
	})

	t.Run("NotBilledWithoutFunds", func(t *testing.T) {
		s := newCallFixture(t, 5)
		c := s.open(t, s.call("req_1", db.Calling, price, "idem"))
		s.clock.Advance(lease)
		s.endLeases(t, 1)
		s.open(t, s.call("req_2", db.Calling, price, "")) // holds the rest of the balance
		receipt, err := s.settleLate(c, "answer")
		if err != nil || receipt != (db.Receipt{}) {
			t.Errorf("%+v, %v", receipt, err)
		}
		s.wantState(t, c.ID, db.Done)
		s.wantWallet(t, 5, price)
	})
}
