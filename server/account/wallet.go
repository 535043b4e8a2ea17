package account

import (
	"context"
	"errors"

	"svc/db"
	"svc/server/fault"
	"svc/server/mail"
)

// maxCredit bounds one credit, in usd_cents: a slip of the finger stays visible.
const maxCredit = 100_000_000

// Wallet reads an account's wallet.
func (s *Service) Wallet(ctx context.Context, email string) (w db.Wallet, err error) {
	err = s.store.View(ctx, func(tx *db.Tx) error {
		a, err := find(tx, email)
		if err != nil {
			return err
		}
		w, err = tx.Wallet(a.ID)
		return err
	})
	return w, err
}

// Credit adds usd_cents to an account's wallet, or takes them out below zero.
func (s *Service) Credit(ctx context.Context, email string, cents int64, note string) (made db.Entry, err error) {
	if cents == 0 || cents > maxCredit || cents < -maxCredit {
		return db.Entry{}, fault.Invalid("cents", "must be a whole number from 1 to 100000000, or below zero to take credit back")
	}
	entry := db.Entry{Kind: db.TopUp, AmountCents: cents, Note: note}
	if cents < 0 {
		entry.Kind = db.Adjustment
	}
	err = s.change(ctx, email, func(tx *db.Tx, a db.Account) (err error) {
		entry.AccountID = a.ID
		made, err = tx.Credit(entry)
		return err
	})
	if errors.Is(err, db.ErrInsufficientFunds) {
		return db.Entry{}, fault.Invalid("cents", "the wallet does not have that much free")
	}
	return made, err
}

// SetLowBalance sets the threshold of the low-balance warning in usd_cents, 0 for none (C4).
func (s *Service) SetLowBalance(ctx context.Context, email string, cents int64) error {
	if cents < 0 || cents > maxCredit {
		return fault.Invalid("cents", "must be a whole number from 0 to 100000000")
	}
	return s.change(ctx, email, func(tx *db.Tx, a db.Account) error { return tx.SetLowBalance(a.ID, cents) })
}

// Ledger lists an account's entries, oldest first.
func (s *Service) Ledger(ctx context.Context, email string) (all []db.Entry, err error) {
	err = s.store.View(ctx, func(tx *db.Tx) error {
		a, err := find(tx, email)
		if err != nil {
			return err
		}
		all, err = tx.Ledger(a.ID)
		return err
	})
	return all, err
}

// VerifyWallets checks every wallet against its ledger and its holds (C1), and
// returns what is wrong and how many it checked.
func (s *Service) VerifyWallets(ctx context.Context) (faults []db.WalletFault, checked int, err error) {
	err = s.store.View(ctx, func(tx *db.Tx) (err error) {
		faults, checked, err = tx.VerifyWallets()
		return err
	})
	return faults, checked, err
}

// MailLowBalance tells the account's owner that the balance has fallen below the
// threshold (C4), in the transaction in which it did.
func (s *Service) MailLowBalance(tx *db.Tx, accountID string, balanceCents int64) error {
	a, err := tx.Account(accountID)
	if err != nil {
		return err
	}
	w, err := tx.Wallet(accountID)
	if err != nil {
		return err
	}
	return s.mails.Queue(tx, a.Email, noticeLife, mail.LowBalance{
		BalanceCents: balanceCents, ThresholdCents: w.LowBalanceCents, Link: s.consoleURL + "/console/wallet",
	})
}
