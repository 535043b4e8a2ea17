package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc/db"
	"svc/server/checkout"
	"svc/server/fault"
	"svc/server/mail"
	"svc/server/money"
)

const (
	maxCredit     = 100_000_000 // usd_cents of one credit; more is a typing mistake
	maxPurchases  = 20          // that one account begins in an hour
	statementRows = 10          // of the ledger
	walletPath    = "/console/wallet"
)

// Bundle is wallet credit at a price (C5).
type Bundle struct {
	Amount      int64 // minor units
	Currency    string
	CreditCents int64 // usd_cents
}

// DefaultBundles are those of C5.
var DefaultBundles = []Bundle{{500, "gbp", 600}, {1000, "gbp", 1250}, {2500, "gbp", 3250}}

func (b Bundle) id() string {
	return fmt.Sprintf("%d-%s-%d", b.Amount, b.Currency, b.CreditCents)
}

// Statement is a wallet with its newest entries, and the credit that is for sale.
type Statement struct {
	db.Wallet
	Ledger  []Line // the newest, newest first
	Bundles []Bundle
}

// Statement reads the wallet of an account.
func (s *Service) Statement(ctx context.Context, accountID string) (Statement, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (st Statement, err error) {
		st.Bundles = s.Bundles
		if st.Wallet, err = tx.Wallet(accountID); err != nil {
			return st, err
		}
		newest, err := readLines(tx, accountID, db.EntryFilter{}, statementRows)
		st.Ledger = newest.Lines
		return st, err
	})
}

// Buy begins the purchase of a bundle and returns the address of Stripe's page. The
// wallet is credited when an event of Stripe's proves the payment. A *fault.Error: the
// bundle is not for sale, or too many purchases were begun. Other errors are those of
// checkout's Begin.
func (s *Service) Buy(ctx context.Context, accountID, bundleID string) (url string, err error) {
	i := slices.IndexFunc(s.Bundles, func(b Bundle) bool { return b.id() == bundleID })
	if i < 0 || !s.Payments.Ready() {
		return "", fault.Invalid("bundle", "is not for sale here")
	}
	b := s.Bundles[i]
	bought, err := db.Write(ctx, s.Store, func(tx *db.Tx) (db.Purchase, error) {
		n, err := tx.CountPurchases(accountID, tx.Now().Add(-time.Hour))
		if err == nil && n >= maxPurchases {
			err = errTooManyPurchases
		}
		if err != nil {
			return db.Purchase{}, err
		}
		return tx.CreatePurchase(db.Purchase{
			AccountID: accountID, Amount: b.Amount, Currency: b.Currency, CreditCents: b.CreditCents,
		})
	})
	if err != nil {
		return "", err
	}
	back := s.ConsoleURL + walletPath
	return s.Payments.Begin(ctx, checkout.Subject{
		ID: bought.ID, OwnerID: accountID, Amount: bought.Amount, Currency: bought.Currency,
		Description: money.Digits(bought.CreditCents, 0) + " US cents of credit",
		SuccessURL:  back + "?bought=" + bought.ID, CancelURL: back,
	}, func(*db.Tx) error { return nil })
}

// Purchase returns an account's purchase of a bundle, or db.ErrNotFound.
func (s *Service) Purchase(ctx context.Context, accountID, id string) (db.Purchase, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (db.Purchase, error) { return tx.Purchase(accountID, id) })
}

var errTooManyPurchases = &fault.Error{
	Code: fault.TooManyTries, Message: "too many purchases were begun within an hour; try again later", RetryAfter: time.Hour,
}

// Wallet reads the wallet of an account by its e-mail.
func (s *Service) Wallet(ctx context.Context, email string) (db.Wallet, error) {
	return readOf(ctx, s, email, (*db.Tx).Wallet)
}

// Credit adds usd_cents to an account's wallet, or takes them out if cents is negative.
func (s *Service) Credit(ctx context.Context, email string, cents int64, note string) (db.Entry, error) {
	return s.credit(ctx, email, cents, note, func(*db.Tx) error { return nil })
}

// credit is Credit if check, in the same transaction, returns nil.
func (s *Service) credit(ctx context.Context, email string, cents int64, note string, check func(*db.Tx) error) (made db.Entry, err error) {
	if cents == 0 || cents > maxCredit || cents < -maxCredit {
		return db.Entry{}, fault.Invalid("cents", "must be a whole number from 1 to 100000000, or below zero to take credit back")
	}
	entry := db.Entry{Kind: db.TopUp, AmountCents: cents, Note: note}
	if cents < 0 {
		entry.Kind = db.Adjustment
	}
	err = s.change(ctx, email, func(tx *db.Tx, a db.Account) (err error) {
		if err := check(tx); err != nil {
			return err
		}
		entry.AccountID = a.ID
		made, err = tx.Credit(entry)
		return err
	})
	if errors.Is(err, db.ErrInsufficientFunds) {
		return db.Entry{}, fault.Invalid("cents", "takes back more than the wallet has free").Because(err)
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

// AllEntries lists an account's entries, oldest first, by its e-mail.
func (s *Service) AllEntries(ctx context.Context, email string) ([]db.Entry, error) {
	return readOf(ctx, s, email, (*db.Tx).Ledger)
}

// VerifyWallets checks every wallet against its ledger and its holds (C1). It returns the
// faults and the number of wallets checked.
func (s *Service) VerifyWallets(ctx context.Context) (faults []db.WalletFault, checked int, err error) {
	err = s.Store.View(ctx, func(tx *db.Tx) (err error) {
		faults, checked, err = tx.VerifyWallets()
		return err
	})
	return faults, checked, err
}

// MailLowBalance queues a mail to the account's owner that the balance is below the
// threshold (C4). It runs in the transaction that lowers the balance.
func (s *Service) MailLowBalance(tx *db.Tx, accountID string, balanceCents int64) error {
	a, err := tx.Account(accountID)
	if err != nil {
		return err
	}
	w, err := tx.Wallet(accountID)
	if err != nil {
		return err
	}
	return s.Mails.Queue(tx, a.Email, noticeLife, mail.LowBalance{
		BalanceCents: balanceCents, ThresholdCents: w.LowBalanceCents, Link: s.ConsoleURL + walletPath,
	})
}
