package db

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// CheckoutState is where one try to pay stands. The arrows: creating → open →
// processing → paid; each of the first three → over; and any → paid, since a proven
// payment wins.
type CheckoutState string

const (
	// CheckoutCreating: Stripe may have made a session. Whoever makes it again does so
	// under the same key and gets the same one.
	CheckoutCreating CheckoutState = "creating"
	// CheckoutOpen: the payer may be paying.
	CheckoutOpen CheckoutState = "open"
	// CheckoutProcessing: the payer is done, and a slow payment method is not.
	CheckoutProcessing CheckoutState = "processing"
	CheckoutPaid       CheckoutState = "paid"
	// CheckoutOver: it was refused, has expired or failed.
	CheckoutOver CheckoutState = "over"
)

// Checkout is one try to pay a charge or a purchase through Stripe: all that its
// session is made from, fixed, so that making it again is the same request (E2).
type Checkout struct {
	SubjectID   string // ch_… or buy_…
	N           int64  // counts the subject's tries, from 1
	OwnerID     string // a charge's key, a purchase's account
	Amount      int64
	Currency    string
	Description string
	State       CheckoutState
	SessionID   string // Stripe's; empty while creating
	CreatedAt   time.Time
	ExpiresAt   time.Time // the session's
	DueAt       time.Time // when the sweep looks after it
}

// IdempotencyKey is the one that the session is made under (E2).
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

	// A try that has got a session since it was looked at is somebody's to pay.
	endCheckout = newQuery(`
UPDATE checkouts
SET state = 'over'
WHERE subject_id = $1 AND n = $2 AND state IN ('creating', 'open', 'processing')
  AND session_id IS NOT DISTINCT FROM CAST($3 AS TEXT)`)

	payCheckout = newQuery(`UPDATE checkouts SET state = 'paid' WHERE subject_id = $1 AND n = $2 AND state <> 'paid'`)

	// Whoever claims them has them until $2; what is settled by then is not due again.
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
	var created, expires, due int64
	err = row.Scan(&c.SubjectID, &c.N, &c.OwnerID, &c.Amount, &c.Currency, &c.Description, &c.State, nullable(&c.SessionID),
		&created, &expires, &due)
	c.CreatedAt, c.ExpiresAt, c.DueAt = millis(created), millis(expires), millis(due)
	return c, err
}

// CreateCheckout stores the next try to pay c's subject, before Stripe hears of it.
func (tx *Tx) CreateCheckout(c Checkout) (Checkout, error) {
	made, err := one(tx, insertCheckout, scanCheckout, c.SubjectID, c.OwnerID, c.Amount, c.Currency, c.Description,
		tx.nowMs(), c.ExpiresAt.UnixMilli(), c.DueAt.UnixMilli())
	if err != nil {
		return Checkout{}, fmt.Errorf("create checkout: %w", err)
	}
	return made, nil
}

// LastCheckout finds the newest try to pay a charge or a purchase.
func (tx *Tx) LastCheckout(subjectID string) (Checkout, error) {
	return one(tx, lastCheckout, scanCheckout, subjectID)
}

// CountCheckouts counts the tries to pay a charge or a purchase since a time.
func (tx *Tx) CountCheckouts(subjectID string, since time.Time) (n int, err error) {
	err = tx.row(countCheckouts, []any{subjectID, since.UnixMilli()}, &n)
	return n, err
}

// IsCheckoutSubject says whether an id has the form of a charge's or a purchase's.
func IsCheckoutSubject(id string) bool {
	rest, found := strings.CutPrefix(id, purchasePrefix)
	if !found {
		rest, found = strings.CutPrefix(id, chargePrefix)
	}
	return found && len(rest) == idLength && strings.Trim(rest, crockford) == ""
}

// CheckoutBySession finds the try that Stripe's session belongs to.
func (tx *Tx) CheckoutBySession(sessionID string) (Checkout, error) {
	return one(tx, checkoutBySession, scanCheckout, sessionID)
}

// OpenCheckout stores the session that Stripe has made. ErrStale: the try is over.
func (tx *Tx) OpenCheckout(c Checkout, sessionID string) error {
	return tx.step(openCheckout, c.SubjectID, c.N, sessionID)
}

// ProcessCheckout notes that the payer is done and the payment is not. ErrStale: the
// try has gone on.
func (tx *Tx) ProcessCheckout(c Checkout) error { return tx.step(processCheckout, c.SubjectID, c.N) }

// EndCheckout notes that the try came to nothing. ErrStale: it has ended already, or
// has a session that c does not have: a payer may be on its way there, so that the
// session must be ended first.
func (tx *Tx) EndCheckout(c Checkout) error {
	return tx.step(endCheckout, c.SubjectID, c.N, nullString(c.SessionID))
}

// PayCheckout is the one place where a proven payment takes effect: it approves the
// charge, or credits the wallet with the bundle, once, whatever came before (E1, C5).
// ErrStale: this try was paid before, and nothing is changed. ErrConflict: the
// subject was paid by another try, so that money came in twice.
func (tx *Tx) PayCheckout(c Checkout) error {
	if err := tx.step(payCheckout, c.SubjectID, c.N); err != nil {
		return err
	}
	pay := tx.payCharge
	if strings.HasPrefix(c.SubjectID, purchasePrefix) {
		pay = tx.payPurchase
	}
	err := pay(c.OwnerID, c.SubjectID)
	if errors.Is(err, ErrStale) {
		return ErrConflict
	}
	return err
}

// ClaimCheckouts takes up to limit tries that the sweep must look after, until their
// lease is over.
func (tx *Tx) ClaimCheckouts(limit int, lease time.Duration) ([]Checkout, error) {
	return collect(tx, claimCheckouts, scanCheckout, tx.nowMs(), tx.Now().Add(lease).UnixMilli(), limit)
}

// UnsettledCheckouts lists every try whose outcome is open. It is the operator's view.
func (tx *Tx) UnsettledCheckouts() ([]Checkout, error) {
	return collect(tx, unsettledCheckouts, scanCheckout)
}
