package db_test

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

func TestCredit(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	credit := func(s *callFixture, kind db.EntryKind, cents int64) (entry db.Entry, err error) {
		err = s.store.Update(background, func(tx *db.Tx) (err error) {
			entry, err = tx.Credit(db.Entry{AccountID: s.account.ID, Kind: kind, AmountCents: cents, Note: "n"})
			return err
		})
		return entry, err
	}

	t.Run("OK", func(t *testing.T) {
		s := newCallFixture(t, 10)
		entry, err := credit(s, db.TopUp, 5)
		want := db.Entry{
			AccountID: s.account.ID, Seq: 2, Kind: db.TopUp, AmountCents: 5, BalanceAfterCents: 15, Note: "n", CreatedAt: s.clock.Now(),
		}
		if err != nil || entry != want {
			t.Errorf("entry %+v (%v), want %+v", entry, err, want)
		}
		ledger := get(t, s.store, func(tx *db.Tx) ([]db.Entry, error) { return tx.Ledger(s.account.ID) })
		if len(ledger) != 2 || ledger[1] != want {
			t.Errorf("ledger %+v", ledger)
		}
		s.wantWallet(t, 15, 0)
	})

	t.Run("NewWalletIsEmpty", func(t *testing.T) {
		s := newCallFixture(t, 0)
		want := db.Wallet{AccountID: s.account.ID, LowBalanceCents: db.DefaultLowBalanceCents}
		if w := dbtest.MustWallet(t, s.store, s.account.ID); w != want {
			t.Errorf("wallet %+v, want %+v", w, want)
		}
	})

	t.Run("AdjustmentKeepsHolds", func(t *testing.T) {
		s := newCallFixture(t, 10)
		s.open(t, s.call("req_1", db.Running, price, ""))
		_, err := credit(s, db.Adjustment, -8)
		wantErr(t, err, db.ErrInsufficientFunds)
		s.wantWallet(t, 10, price)

		if _, err := credit(s, db.Adjustment, -7); err != nil {
			t.Error(err)
		}
		s.wantWallet(t, 3, price)
	})

	t.Run("MissingWallet", func(t *testing.T) {
		s := newCallFixture(t, 10)
		err := s.store.Update(t.Context(), func(tx *db.Tx) error {
			_, err := tx.Credit(db.Entry{AccountID: "acct_none", Kind: db.TopUp, AmountCents: 5})
			return err
		})
		if err == nil {
			t.Error("credited a missing wallet")
		}
		wantErr(t, s.store.Update(t.Context(), func(tx *db.Tx) error { return tx.SetLowBalance("acct_none", 1) }), db.ErrNotFound)
	})

	t.Run("RefusesOverflow", func(t *testing.T) {
		s := newCallFixture(t, 10)
		if _, err := credit(s, db.TopUp, 1<<63-1); err == nil {
			t.Error("the balance overflowed")
		}
		s.wantWallet(t, 10, 0)
	})
}

func TestVerifyWallets(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	damages := map[string]string{
		"Balance":       `UPDATE wallets SET balance_cents = balance_cents + 1`,
		"Held":          `UPDATE wallets SET held_cents = held_cents + 1`,
		"LastSeq":       `UPDATE wallets SET last_seq = last_seq + 1`,
		"LostEntry":     `DELETE FROM ledger WHERE seq = 1`,
		"LostLastEntry": `DELETE FROM ledger WHERE seq = 2`,
		"Gap":           `UPDATE ledger SET seq = 3 WHERE seq = 2`,
		"EntryChanged":  `UPDATE ledger SET amount_cents = amount_cents + 1 WHERE seq = 1`,
		"BalanceAfter":  `UPDATE ledger SET balance_after_cents = 7 WHERE seq = 1`,
		"Swapped":       `UPDATE ledger SET amount_cents = CASE seq WHEN 1 THEN 5 ELSE 10 END`,
		"LostCall":      `DELETE FROM calls`,
		"LostWallet":    `DELETE FROM wallets`,
	}
	for _, name := range slices.Sorted(maps.Keys(damages)) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "svc.db")
			store := dbtest.OpenAt(t, path, dbtest.NewClock())
			account := dbtest.MustAccount(t, store, "shop@example.com", db.Free)
			dbtest.MustCredit(t, store, account.ID, 10)
			dbtest.MustCredit(t, store, account.ID, 5)
			dbtest.Update(t, store, func(tx *db.Tx) error {
				return tx.OpenCall(db.Call{ID: "req_1", KeyID: "key_1", AccountID: account.ID, State: db.Running, HoldCents: price})
			})
			dbtest.MustVerify(t, store)

			mustExec(t, rawOpen(t, path), damages[name])
			faults := get(t, store, func(tx *db.Tx) ([]db.WalletFault, error) {
				faults, _, err := tx.VerifyWallets()
				return faults, err
			})
			if len(faults) != 1 || faults[0].AccountID != account.ID || faults[0].Email != account.Email {
				t.Errorf("faults: %+v", faults)
			}
		})
	}
}
