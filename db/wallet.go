package db

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Wallet is an account's prepaid credit in usd_cents (C1). Two invariants hold: the
// balance is the sum of the ledger, and held is the sum of the open holds. Neither goes
// below zero, and held never exceeds the balance, so concurrent calls cannot overdraw.
// Credit is spent in two steps: a hold before the action, then a post (a debit) or a
// void.
type Wallet struct {
	AccountID       string
	BalanceCents    int64
	HeldCents       int64
	LowBalanceCents int64 // 0 for no warning
}

// Low reports whether the balance is below the threshold.
func (w Wallet) Low() bool { return w.BalanceCents < w.LowBalanceCents }

// DefaultLowBalanceCents is the threshold of a new wallet (C4).
const DefaultLowBalanceCents = 100

// EntryKind is the reason of a change of the balance.
type EntryKind string

// The kinds of entries.
const (
	TopUp      EntryKind = "topup"
	Debit      EntryKind = "debit"
	Adjustment EntryKind = "adjustment"
	Refund     EntryKind = "refund"
)

// Entry is one row of the append-only ledger. Seq counts from 1 without gaps within the
// account. KeyID, Endpoint and RequestID are set if a call caused the entry.
type Entry struct {
	AccountID         string
	Seq               int64
	Kind              EntryKind
	AmountCents       int64 // signed
	BalanceAfterCents int64
	KeyID             string
	Endpoint          string
	RequestID         string
	Note              string
	CreatedAt         time.Time
}

// purchaseNote is before the purchase's id in the note of an entry.
const purchaseNote = "bundle "

// PurchaseID returns the id of the purchase that the entry's note names, or "".
func (e Entry) PurchaseID() string {
	id, ok := strings.CutPrefix(e.Note, purchaseNote)
	if !ok || e.Kind != TopUp {
		return ""
	}
	return id
}

const (
	walletColumns = `account_id, balance_cents, held_cents, low_balance_cents`
	entryColumns  = `account_id, seq, kind, amount_cents, balance_after_cents, key_id, endpoint, request_id, note, created_at`
)

var (
	insertWallet = newQuery(`
INSERT INTO wallets (` + walletColumns + `, last_seq)
VALUES ($1, 0, 0, $2, 0)`)

	walletOfAccount = newQuery(`SELECT ` + walletColumns + ` FROM wallets WHERE account_id = $1`)

	holdFunds = newQuery(`
UPDATE wallets
SET held_cents = held_cents + $2
WHERE account_id = $1 AND balance_cents - held_cents >= $2`)

	voidHold = newQuery(`UPDATE wallets SET held_cents = held_cents - $2 WHERE account_id = $1`)

	// $3 is the hold that the change releases, which must exist. The new balance must
	// cover the remaining holds.
	moveBalance = newQuery(`
UPDATE wallets
SET balance_cents = balance_cents + $2, held_cents = held_cents - $3, last_seq = last_seq + 1
WHERE account_id = $1 AND held_cents >= $3 AND balance_cents + $2 >= held_cents - $3
RETURNING balance_cents, low_balance_cents, last_seq`)

	insertEntry = newQuery(`
INSERT INTO ledger (` + entryColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`)

	ledgerOfAccount = newQuery(`SELECT ` + entryColumns + ` FROM ledger WHERE account_id = $1 ORDER BY seq`)
	setThreshold    = newQuery(`UPDATE wallets SET low_balance_cents = $2 WHERE account_id = $1`)

	newestEntries = newQuery(`
SELECT ` + entryColumns + `
FROM ledger
WHERE account_id = $1 AND seq < $2
  AND ($3 = '' OR kind = $3)
  AND ($4 = '' OR key_id = $4)
  AND created_at >= $5 AND created_at < $6
ORDER BY seq DESC
LIMIT $7`)
)

func scanWallet(row scanner) (w Wallet, err error) {
	err = row.Scan(&w.AccountID, &w.BalanceCents, &w.HeldCents, &w.LowBalanceCents)
	return w, err
}

func scanEntry(row scanner) (e Entry, err error) {
	err = row.Scan(&e.AccountID, &e.Seq, &e.Kind, &e.AmountCents, &e.BalanceAfterCents,
		nullable(&e.KeyID), nullable(&e.Endpoint), nullable(&e.RequestID), &e.Note, timestamp(&e.CreatedAt))
	return e, err
}

func (tx *Tx) openWallet(accountID string) error {
	return tx.exec(insertWallet, accountID, DefaultLowBalanceCents)
}

// Wallet reads the account's wallet.
func (tx *Tx) Wallet(accountID string) (Wallet, error) {
	return one(tx, walletOfAccount, scanWallet, accountID)
}

// Credit adds e.AmountCents (below zero for an operator's adjustment) with its ledger
// row. ErrInsufficientFunds: the balance would not cover zero or the open holds.
func (tx *Tx) Credit(e Entry) (Entry, error) {
	e, _, err := tx.move(e, 0)
	return e, tx.audit(err, e.AccountID, CreditAdded, "", cents(e.AmountCents))
}

// SetLowBalance sets the threshold of the low-balance warning, 0 for none.
func (tx *Tx) SetLowBalance(accountID string, cents int64) error {
	w, err := tx.Wallet(accountID)
	if err != nil || w.LowBalanceCents == cents {
		return err
	}
	return tx.audit(tx.execOne(setThreshold, accountID, cents), accountID, ThresholdSet, "", strconv.FormatInt(cents, 10))
}

// holdFunds reserves cents of the balance. ErrInsufficientFunds: it cannot cover them.
func (tx *Tx) holdFunds(accountID string, cents int64) error {
	return translate(tx.execOne(holdFunds, accountID, cents), ErrNotFound, ErrInsufficientFunds)
}

// voidHold releases a hold without a debit.
func (tx *Tx) voidHold(accountID string, cents int64) error {
	if cents == 0 {
		return nil
	}
	return tx.execOne(voidHold, accountID, cents)
}

// move changes the balance by the entry's amount, releases the hold for it and writes the
// ledger row. It also returns the threshold of the low-balance warning.
func (tx *Tx) move(e Entry, releaseCents int64) (Entry, int64, error) {
	var threshold int64
	err := tx.row(moveBalance, []any{e.AccountID, e.AmountCents, releaseCents},
		&e.BalanceAfterCents, &threshold, &e.Seq)
	if errors.Is(err, ErrNotFound) {
		return Entry{}, 0, ErrInsufficientFunds
	}
	if err != nil {
		return Entry{}, 0, fmt.Errorf("wallet: %w", err)
	}

	e.CreatedAt = tx.Now()
	err = tx.exec(insertEntry, e.AccountID, e.Seq, e.Kind, e.AmountCents, e.BalanceAfterCents,
		nullString(e.KeyID), nullString(e.Endpoint), nullString(e.RequestID), e.Note, tx.nowMs())
	if err != nil {
		return Entry{}, 0, fmt.Errorf("wallet: ledger: %w", err)
	}
	return e, threshold, nil
}

// Ledger lists the account's entries, oldest first.
func (tx *Tx) Ledger(accountID string) ([]Entry, error) {
	return collect(tx, ledgerOfAccount, scanEntry, accountID)
}

// EntryFilter picks entries of an account's ledger. Its zero fields pick all.
type EntryFilter struct {
	Kind   EntryKind
	KeyID  string
	From   time.Time
	Until  time.Time // exclusive
	Before int64     // seq, exclusive
}

// NewestEntries lists the account's newest entries that the filter picks, at most limit,
// newest first. With a filter it may read the whole ledger: use it in a LongView.
func (tx *Tx) NewestEntries(accountID string, f EntryFilter, limit int) ([]Entry, error) {
	before, until := int64(math.MaxInt64), int64(math.MaxInt64)
	if f.Before > 0 {
		before = f.Before
	}
	if !f.Until.IsZero() {
		until = f.Until.UnixMilli()
	}
	return collect(tx, newestEntries, scanEntry, accountID, before, f.Kind, f.KeyID, f.From.UnixMilli(), until, limit)
}

var (
	entrySpan = newQuery(`SELECT 1, coalesce(max(seq), 0) FROM ledger WHERE account_id = $1`)
	entryTime = newQuery(`SELECT created_at FROM ledger WHERE account_id = $1 AND seq = $2`)
	debitOf   = newQuery(`
SELECT seq
FROM ledger
WHERE account_id = $1 AND seq >= $2 AND seq < $2 + 10000 AND request_id = $3
ORDER BY seq
LIMIT 1`)
)

// DebitOf returns the seq of the account's entry that a request caused, which began at a
// time; 0 if it caused none. It reads the next entries after that time, up to 10,000: a call
// is debited at its end.
func (tx *Tx) DebitOf(accountID, requestID string, began time.Time) (int64, error) {
	var low, high int64
	if err := tx.row(entrySpan, []any{accountID}, &low, &high); err != nil {
		return 0, err
	}
	for low < high {
		middle := low + (high-low)/2
		at, err := value[int64](tx, entryTime, accountID, middle)
		if err != nil {
			return 0, err
		}
		if at < began.UnixMilli() {
			low = middle + 1
		} else {
			high = middle
		}
	}
	seq, err := value[int64](tx, debitOf, accountID, low, requestID)
	return seq, translate(err, ErrNotFound, nil)
}

// Order is what a person's message cost (G5).
type Order struct {
	At    time.Time
	Cents int64
}

// The literals are those of the index ledger_orders.
var ordersSince = newQuery(`
SELECT created_at, -amount_cents
FROM ledger
WHERE account_id = $1 AND created_at >= $2 AND kind = 'debit' AND key_id IS NULL`)

// Orders lists the debits of an account since a time that no key has caused.
func (tx *Tx) Orders(accountID string, since time.Time) ([]Order, error) {
	return collect(tx, ordersSince, func(row scanner) (o Order, err error) {
		err = row.Scan(timestamp(&o.At), &o.Cents)
		return o, err
	}, accountID, since.UnixMilli())
}

// WalletFault is a wallet that does not match its ledger or its holds.
type WalletFault struct {
	AccountID string
	Email     string
	Fault     string
}

var verifyWallets = newQuery(`
SELECT a.id, a.email, w.balance_cents, w.held_cents, w.last_seq,
  coalesce((SELECT sum(amount_cents) FROM ledger l WHERE l.account_id = a.id), 0),
  (SELECT count(*) FROM ledger l WHERE l.account_id = a.id),
  coalesce((SELECT max(seq) FROM ledger l WHERE l.account_id = a.id), 0),
  coalesce((SELECT sum(hold_cents) FROM calls c WHERE c.account_id = a.id AND c.state IN ('running', 'calling')), 0),
  (SELECT count(*) FROM (
     SELECT balance_after_cents, sum(amount_cents) OVER (ORDER BY seq) AS running
     FROM ledger l WHERE l.account_id = a.id)
   WHERE balance_after_cents <> running)
FROM accounts a
LEFT JOIN wallets w ON w.account_id = a.id
ORDER BY a.id`)

// VerifyWallets checks the invariants of every wallet (C1): the balance is the sum of the
// ledger, each row's balance follows from the row before, seq has no gap, and held is the
// sum of the open holds. It also returns how many wallets it checked.
func (tx *Tx) VerifyWallets() (faults []WalletFault, checked int, err error) {
	found, err := collect(tx, verifyWallets, scanFault)
	for _, f := range found {
		if f.Fault != "" {
			faults = append(faults, f)
		}
	}
	return faults, len(found), err
}

func scanFault(row scanner) (f WalletFault, err error) {
	var balance, held, lastSeq *int64
	var sum, rows, maxSeq, holds, broken int64
	err = row.Scan(&f.AccountID, &f.Email, &balance, &held, &lastSeq, &sum, &rows, &maxSeq, &holds, &broken)
	if err != nil {
		return f, err
	}
	switch {
	case balance == nil:
		f.Fault = "the account has no wallet"
	case *balance != sum:
		f.Fault = fmt.Sprintf("balance is %d, the ledger sums to %d", *balance, sum)
	case broken > 0:
		f.Fault = fmt.Sprintf("%d ledger rows have a balance that does not follow from the rows before", broken)
	case rows != maxSeq || *lastSeq != maxSeq:
		f.Fault = fmt.Sprintf("the ledger has %d rows, its last is %d, the wallet expects %d", rows, maxSeq, *lastSeq)
	case *held != holds:
		f.Fault = fmt.Sprintf("held is %d, the open calls hold %d", *held, holds)
	}
	return f, nil
}
