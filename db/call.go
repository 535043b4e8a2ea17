package db

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// CallState is the state of a call. Transitions: running → done; calling → done or
// unknown; unknown → done if a confirmation settles late. A failed call leaves no row,
// so its Idempotency-Key is free again (B2).
type CallState string

const (
	// Running: admitted, without an outside effect so far; it may be run again.
	Running CallState = "running"
	// Calling: an outside effect may have happened. It is never run again.
	Calling CallState = "calling"
	// Done: the answer is stored and the price debited.
	Done CallState = "done"
	// Unknown: whether the effect happened is not known. Kept for ever, not billed (B5).
	Unknown CallState = "unknown"
)

// Call is a paid or idempotent call. One row is its claim on the Idempotency-Key, the
// hold of its price and its stored answer. Its id is the request id of the attempt that
// owns it, so an attempt that lost its claim cannot settle.
type Call struct {
	ID         string
	KeyID      string // or the id of the person who ordered it on a page (G5)
	AccountID  string
	Endpoint   string
	IdemHash   []byte // SHA-256 of the Idempotency-Key; nil if none was sent
	BodyHash   []byte // SHA-256 of the body
	State      CallState
	HoldCents  int64
	Recipient  string // phone of its message; "" once the outcome is known
	LeaseUntil time.Time
	Month      int64 // that it counts in, YYYYMM
	Status     int   // of the stored answer; 0 if there is none
	Answer     []byte
	CreatedAt  time.Time
	ExpiresAt  time.Time // of the stored answer
}

// maxLease is longer than any lease. A lease that ends later was given before the
// clock was set back, and counts as over.
const maxLease = 10 * time.Minute

// Open reports whether the call has not ended.
func (c Call) Open() bool { return c.State == Running || c.State == Calling }

// LeaseOver reports whether the process that runs the call should have ended it.
func (c Call) LeaseOver(now time.Time) bool {
	return !now.Before(c.LeaseUntil) || c.LeaseUntil.Sub(now) > maxLease
}

// key returns the key that made the call, empty if a person ordered it.
func (c Call) key() string {
	if strings.HasPrefix(c.KeyID, "acct_") || strings.HasPrefix(c.KeyID, "usr_") {
		return ""
	}
	return c.KeyID
}

// ErrSettled: the call is no longer open; another attempt or its lease ended it.
var ErrSettled = errors.New("call already settled")

const callColumns = `id, key_id, account_id, endpoint, idem_hash, body_hash, state,
  hold_cents, recipient, lease_until, month, status, answer, created_at, expires_at`

var (
	insertCall = newQuery(`
INSERT INTO calls (` + callColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 0, NULL, $12, $13)`)

	// Most calls find none, and the driver describes each column of a result even then.
	callIDByIdem = newQuery(`SELECT id FROM calls WHERE key_id = $1 AND idem_hash = $2`)
	callByID     = newQuery(`SELECT ` + callColumns + ` FROM calls WHERE id = $1`)

	overdueCalls = newQuery(`
SELECT ` + callColumns + `
FROM calls
WHERE state IN ('running', 'calling') AND (lease_until <= $1 OR lease_until > $2)
LIMIT $3`)

	unknownCalls = newQuery(`
SELECT ` + callColumns + `
FROM calls
WHERE state = 'unknown' AND account_id = $1
ORDER BY id DESC
LIMIT $2`)

	storeAnswer = newQuery(`
UPDATE calls
SET state = 'done', hold_cents = 0, recipient = '', status = $2, answer = $3
WHERE id = $1 AND state IN ('running', 'calling')`)

	storeLateAnswer = newQuery(`UPDATE calls SET state = 'done', recipient = '', status = $2, answer = $3 WHERE id = $1 AND state = 'unknown'`)

	deleteOpenCall = newQuery(`DELETE FROM calls WHERE id = $1 AND state IN ('running', 'calling')`)
	deleteCall     = newQuery(`DELETE FROM calls WHERE id = $1`)

	markCallUnknown = newQuery(`
UPDATE calls
SET state = 'unknown', hold_cents = 0, status = $2, answer = $3,
  recipient = CASE WHEN EXISTS (SELECT 1 FROM accounts a WHERE a.id = calls.account_id AND a.deleted_at IS NOT NULL) THEN '' ELSE recipient END
WHERE id = $1 AND state = 'calling'`)

	deleteExpiredAnswers = newQuery(`
DELETE FROM calls
WHERE id IN (SELECT id FROM calls WHERE state = 'done' AND expires_at <= $1 ORDER BY expires_at LIMIT $2)`)
)

func scanCall(row scanner) (c Call, err error) {
	err = row.Scan(&c.ID, &c.KeyID, &c.AccountID, &c.Endpoint, &c.IdemHash, &c.BodyHash, &c.State, &c.HoldCents, &c.Recipient,
		timestamp(&c.LeaseUntil), &c.Month, &c.Status, &c.Answer, timestamp(&c.CreatedAt), timestamp(&c.ExpiresAt))
	return c, err
}

// CallOf finds the call under a key's Idempotency-Key. It first ends what is over: it
// removes an expired answer and a running call past its lease (ErrNotFound), and makes
// a calling one past its lease unknown.
func (tx *Tx) CallOf(keyID string, idemHash []byte) (Call, error) {
	c, err := tx.PeekCall(keyID, idemHash)
	if err != nil {
		return Call{}, err
	}
	switch {
	case c.State == Done && !tx.Now().Before(c.ExpiresAt):
		if err := tx.execOne(deleteCall, c.ID); err != nil {
			return Call{}, err
		}
		return Call{}, ErrNotFound
	case c.Open() && c.LeaseOver(tx.Now()):
		return tx.endLease(c)
	}
	return c, nil
}

// PeekCall finds the call under an Idempotency-Key and changes nothing.
func (tx *Tx) PeekCall(keyID string, idemHash []byte) (Call, error) {
	id, err := value[string](tx, callIDByIdem, keyID, idemHash)
	if err != nil {
		return Call{}, err
	}
	return tx.Call(id)
}

// Call finds a call by its id.
func (tx *Tx) Call(id string) (Call, error) { return one(tx, callByID, scanCall, id) }

// UnknownCalls lists the account's calls of unknown outcome, newest first.
func (tx *Tx) UnknownCalls(accountID string, limit int) ([]Call, error) {
	return collect(tx, unknownCalls, scanCall, accountID, limit)
}

// OpenCall holds the call's price and stores its claim. ErrInsufficientFunds:
// the wallet cannot cover it. ErrConflict: another call has the claim.
func (tx *Tx) OpenCall(c Call) error {
	if c.HoldCents > 0 {
		if err := tx.holdFunds(c.AccountID, c.HoldCents); err != nil {
			return err
		}
	}
	return tx.exec(insertCall, c.ID, c.KeyID, c.AccountID, c.Endpoint, nullBytes(c.IdemHash), nullBytes(c.BodyHash),
		c.State, c.HoldCents, c.Recipient, c.LeaseUntil.UnixMilli(), c.Month, tx.nowMs(), c.ExpiresAt.UnixMilli())
}

// Receipt is the price of a settled call and the balance after it.
type Receipt struct {
	ChargedCents int64
	BalanceCents int64
	// LowBalance: this call took the balance from at or above the threshold to
	// below it (C4).
	LowBalance bool
}

// PostCall turns the call's hold into a debit with its ledger row. CloseCall
// must follow in the same transaction. ErrSettled: the wallet holds less than that. If
// other calls hold as much, only CloseCall notices that this hold is gone.
func (tx *Tx) PostCall(c Call) (Receipt, error) {
	receipt, err := tx.debit(c, c.HoldCents, c.HoldCents)
	return receipt, translate(err, ErrInsufficientFunds, ErrSettled)
}

// PostLateCall debits a call whose hold was released when its lease ended, if the
// balance still covers it. Otherwise the customer is not billed.
func (tx *Tx) PostLateCall(c Call, priceCents int64) (Receipt, error) {
	receipt, err := tx.debit(c, priceCents, 0)
	return receipt, translate(err, ErrInsufficientFunds, nil)
}

func (tx *Tx) debit(c Call, priceCents, releaseCents int64) (Receipt, error) {
	if priceCents == 0 {
		return Receipt{}, nil
	}
	entry, threshold, err := tx.move(Entry{
		AccountID: c.AccountID, Kind: Debit, AmountCents: -priceCents,
		KeyID: c.key(), Endpoint: c.Endpoint, RequestID: c.ID,
	}, releaseCents)
	if err != nil {
		return Receipt{}, err
	}
	after := entry.BalanceAfterCents
	return Receipt{
		ChargedCents: priceCents,
		BalanceCents: after,
		LowBalance:   after+priceCents >= threshold && after < threshold,
	}, nil
}

// CloseCall stores the answer of an open call; one without an Idempotency-Key
// has nothing to replay and is dropped. ErrSettled: the call is not open.
func (tx *Tx) CloseCall(c Call, status int, answer []byte) error {
	if c.IdemHash == nil {
		return settled(tx.execOne(deleteOpenCall, c.ID))
	}
	return settled(tx.execOne(storeAnswer, c.ID, status, answer))
}

// CloseLateCall stores the answer of a call that had become unknown.
func (tx *Tx) CloseLateCall(c Call, status int, answer []byte) error {
	return settled(tx.execOne(storeLateAnswer, c.ID, status, answer))
}

// VoidCall ends an open call that had no effect: it releases the hold and the
// Idempotency-Key, and with giveBack it uncounts the call from its month (a 5xx, A4).
func (tx *Tx) VoidCall(c Call, giveBack bool) error {
	if err := settled(tx.execOne(deleteOpenCall, c.ID)); err != nil {
		return err
	}
	return tx.release(c, giveBack)
}

// MarkCallUnknown makes a calling call unknown: whether it had its effect is not known. Its
// Idempotency-Key gets this answer from now on.
func (tx *Tx) MarkCallUnknown(c Call, status int, answer []byte) error {
	if err := settled(tx.execOne(markCallUnknown, c.ID, status, nullBytes(answer))); err != nil {
		return err
	}
	return tx.release(c, true)
}

func (tx *Tx) release(c Call, giveBack bool) error {
	if err := tx.voidHold(c.AccountID, c.HoldCents); err != nil {
		return fmt.Errorf("void hold: %w", err)
	}
	if !giveBack {
		return nil
	}
	return tx.Uncount(c.KeyID, c.Month)
}

// endLease ends a call whose process did not end it (B5).
func (tx *Tx) endLease(c Call) (Call, error) {
	if c.State == Running {
		if err := tx.VoidCall(c, true); err != nil {
			return Call{}, err
		}
		return Call{}, ErrNotFound
	}
	if err := tx.MarkCallUnknown(c, 0, nil); err != nil {
		return Call{}, err
	}
	c.State, c.HoldCents, c.Status, c.Answer = Unknown, 0, 0, nil
	return c, nil
}

// EndLeases ends at most limit calls whose lease is over and returns how many.
func (tx *Tx) EndLeases(limit int) (int, error) {
	overdue, err := collect(tx, overdueCalls, scanCall, tx.nowMs(), tx.Now().Add(maxLease).UnixMilli(), limit)
	if err != nil {
		return 0, err
	}
	for _, c := range overdue {
		if _, err := tx.endLease(c); err != nil && !errors.Is(err, ErrNotFound) {
			return 0, fmt.Errorf("end lease of %s: %w", c.ID, err)
		}
	}
	return len(overdue), nil
}

// DeleteExpiredAnswers removes at most limit expired answers (B1).
func (tx *Tx) DeleteExpiredAnswers(limit int) (int64, error) {
	return tx.execCount(deleteExpiredAnswers, tx.nowMs(), limit)
}

func settled(err error) error { return translate(err, ErrNotFound, ErrSettled) }

// nullBytes is the stored form of bytes that may be nil, which is stored as NULL. An
// empty slice is stored as an empty blob.
func nullBytes(b []byte) any {
	if b == nil {
		return sql.NullString{}
	}
	return b
}
