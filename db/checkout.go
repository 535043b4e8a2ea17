package db

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// CheckoutState is the state of one attempt to pay. Transitions: creating → open →
// processing → paid; each of the first three → over; any → paid, because a proven
// payment always counts.
type CheckoutState string

const (
	// CheckoutCreating: Stripe may have made a session. Making it again uses the same
	// idempotency key and returns the same session.
	CheckoutCreating CheckoutState = "creating"
	// CheckoutOpen: the payer may be paying.
	CheckoutOpen CheckoutState = "open"
	// CheckoutProcessing: the payer has finished, a slow payment method has not.
	CheckoutProcessing CheckoutState = "processing"
	// CheckoutPaid: the payment is proven.
	CheckoutPaid CheckoutState = "paid"
	// CheckoutOver: it was refused, has expired or failed.
	CheckoutOver CheckoutState = "over"
)

// Checkout is one attempt to pay a charge or a purchase through Stripe. It has all that
// the session is made from, fixed, so that making it again is the same request (E2).
type Checkout struct {
	SubjectID   string // ch_… or buy_…
	N           int64  // number of the subject's attempt, from 1
	OwnerID     string // key of a charge, account of a purchase
	Amount      int64
	Currency    string
	Description string
	State       CheckoutState
	SessionID   string // Stripe's; empty while creating
	CreatedAt   time.Time
	ExpiresAt   time.Time // the session's
	DueAt       time.Time // when the sweep checks it
}

// IdempotencyKey returns the key of the request to Stripe that makes the session (E2).
func (c Checkout) IdempotencyKey() string { return c.SubjectID + "-" + strconv.FormatInt(c.N, 10) }

const checkoutColumns = `subject_id, n, owner_id, amount, currency, description, state, session_id,
  created_at, expires_at, due_at`

var (
	insertCheckout = newQuery(`
INSERT INTO checkouts (subject_id, n, owner_id, amount, currency, description, state, created_at, expires_at, due_at)
VALUES ($1, 1 + coalesce((SELECT max(n) FROM checkouts WHERE subject_id = $1), 0), $2, $3, $4, $5, 'creating', $6, $7, $8)
RETURNING ` + checkoutColumns)

	lastCheckout = newQuery(`
SELECT ` + checkoutColumns + `
FROM checkouts
WHERE subject_id = $1
ORDER BY n DESC
LIMIT 1`)

	countCheckouts = newQuery(`SELECT count(*) FROM checkouts WHERE subject_id = $1 AND created_at > $2`)

	checkoutBySession = newQuery(`SELECT ` + checkoutColumns + ` FROM checkouts WHERE session_id = $1`)

	openCheckout = newQuery(`
UPDATE checkouts
SET state = 'open', session_id = $3
WHERE subject_id = $1 AND n = $2 AND (state = 'creating' OR state = 'open' AND session_id = $3)`)

	processCheckout = newQuery(`
UPDATE checkouts
SET state = 'processing'
WHERE subject_id = $1 AND n = $2 AND state IN ('creating', 'open')`)

	// An attempt that got a session since it was read may be paid, so it does not end.
	endCheckout = newQuery(`
UPDATE checkouts
SET state = 'over'
WHERE subject_id = $1 AND n = $2 AND state IN ('creating', 'open', 'processing')
  AND session_id IS NOT DISTINCT FROM CAST($3 AS TEXT)`)

	payCheckout = newQuery(`UPDATE checkouts SET state = 'paid' WHERE subject_id = $1 AND n = $2 AND state <> 'paid'`)

	// The claim lasts until $2; a checkout that is settled by then is not due again.
	claimCheckouts = newQuery(`
UPDATE checkouts
SET due_at = $2
WHERE state IN ('creating', 'open', 'processing') AND due_at <= $1
  AND (subject_id, n) IN (
    SELECT subject_id, n
    FROM checkouts
    WHERE state IN ('creating', 'open', 'processing') AND due_at <= $1
    ORDER BY due_at
    LIMIT $3)
RETURNING ` + checkoutColumns)

	unsettledCheckouts = newQuery(`
SELECT ` + checkoutColumns + `
FROM checkouts
WHERE state IN ('creating', 'open', 'processing')
ORDER BY due_at`)
)

func scanCheckout(row scanner) (c Checkout, err error) {
	err = row.Scan(&c.SubjectID, &c.N, &c.OwnerID, &c.Amount, &c.Currency, &c.Description, &c.State, nullable(&c.SessionID),
		timestamp(&c.CreatedAt), timestamp(&c.ExpiresAt), timestamp(&c.DueAt))
	return c, err
}

// CreateCheckout stores the next attempt to pay c's subject, before the request to
// Stripe.
func (tx *Tx) CreateCheckout(c Checkout) (Checkout, error) {
	made, err := one(tx, insertCheckout, scanCheckout, c.SubjectID, c.OwnerID, c.Amount, c.Currency, c.Description,
		tx.nowMs(), c.ExpiresAt.UnixMilli(), c.DueAt.UnixMilli())
	if err != nil {
		return Checkout{}, fmt.Errorf("create checkout: %w", err)
	}
	return made, nil
}

// LastCheckout finds the newest attempt to pay a charge or a purchase.
func (tx *Tx) LastCheckout(subjectID string) (Checkout, error) {
	return one(tx, lastCheckout, scanCheckout, subjectID)
}

// CountCheckouts counts the attempts to pay a charge or a purchase since a time.
func (tx *Tx) CountCheckouts(subjectID string, since time.Time) (int, error) {
	return value[int](tx, countCheckouts, subjectID, since.UnixMilli())
}

// IsCheckoutSubject reports whether an id has the form of a charge's or a purchase's.
func IsCheckoutSubject(id string) bool {
	rest, found := strings.CutPrefix(id, purchasePrefix)
	if !found {
		rest, found = strings.CutPrefix(id, chargePrefix)
	}
	return found && len(rest) == idLength && strings.Trim(rest, crockford) == ""
}

// CheckoutBySession finds the attempt that Stripe's session belongs to.
func (tx *Tx) CheckoutBySession(sessionID string) (Checkout, error) {
	return one(tx, checkoutBySession, scanCheckout, sessionID)
}

// OpenCheckout stores the session that Stripe has made. ErrStale: the attempt is over.
func (tx *Tx) OpenCheckout(c Checkout, sessionID string) error {
	return tx.step(openCheckout, c.SubjectID, c.N, sessionID)
}

// ProcessCheckout records that the payer has finished and the payment has not.
// ErrStale: the attempt is in a later state.
func (tx *Tx) ProcessCheckout(c Checkout) error { return tx.step(processCheckout, c.SubjectID, c.N) }

// EndCheckout records that the attempt failed. ErrStale: it has ended already, or it has
// a session that c does not have; a payer may be using that session, so it must be ended
// first.
func (tx *Tx) EndCheckout(c Checkout) error {
	return tx.step(endCheckout, c.SubjectID, c.N, nullString(c.SessionID))
}

// PayCheckout is the only place where a proven payment takes effect: it approves the
// charge, or credits the wallet with the bundle, once, from any state (E1, C5).
// ErrStale: this attempt is paid already, and nothing changes. ErrConflict: another
// attempt has paid the subject, so money came in twice.
func (tx *Tx) PayCheckout(c Checkout) error {
	if err := tx.step(payCheckout, c.SubjectID, c.N); err != nil {
		return err
	}
	pay := tx.payCharge
	if strings.HasPrefix(c.SubjectID, purchasePrefix) {
		pay = tx.payPurchase
	}
	return translate(pay(c.OwnerID, c.SubjectID), ErrStale, ErrConflict)
}

// ClaimCheckouts claims up to limit attempts that are due, for the time of the lease.
func (tx *Tx) ClaimCheckouts(limit int, lease time.Duration) ([]Checkout, error) {
	return collect(tx, claimCheckouts, scanCheckout, tx.nowMs(), tx.Now().Add(lease).UnixMilli(), limit)
}

// UnsettledCheckouts lists every attempt whose outcome is open. It is the operator's
// view.
func (tx *Tx) UnsettledCheckouts() ([]Checkout, error) {
	return collect(tx, unsettledCheckouts, scanCheckout)
}
