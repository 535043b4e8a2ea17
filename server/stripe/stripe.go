// Package stripe creates, looks up and expires hosted checkout sessions at Stripe, and
// verifies the events that Stripe sends about them.
//
// It moves no money and stores nothing. Whether a session is paid is known only by
// looking it up (Provider.Session), never from an event, which only tells which session
// to look up (E3). What follows from a paid session is for the caller to do, and so is
// every retry: each call tries once, and the Kind of its *Error tells whether another
// try makes sense.
//
// No text of any error contains the secret key.
package stripe

import (
	"context"
	"time"
)

// Order is the data of a new checkout session. The caller stores it before the first
// try, so that a retry is the same request and Stripe answers with the same session
// (E2).
type Order struct {
	// IdempotencyKey is "<subject id>-<n>": 1 to 255 visible ASCII characters.
	IdempotencyKey string
	// Reference is the id of the charge or purchase. It becomes the session's
	// client_reference_id, and is in the metadata of the session and its payment.
	Reference   string
	Amount      int64  // Stripe's minor units
	Currency    string // ISO 4217, lower case
	Description string // what is paid for, shown to the payer
	SuccessURL  string
	CancelURL   string
	ExpiresAt   time.Time // in whole seconds, 30 minutes to 24 hours from now
}

// Session is a checkout session as it was when Stripe answered.
type Session struct {
	ID            string
	URL           string // where the payer pays; empty once the session is not open
	Status        string // open, complete or expired
	PaymentStatus string // paid, unpaid or no_payment_required
	Reference     string // client_reference_id
	Currency      string // lower case; that of the order, even if the payer chose another
	AmountTotal   int64  // Stripe's minor units
	Live          bool   // made with a live key
	// Failed: the session is complete, but its slow payment failed. Only
	// Provider.Session sets it.
	Failed bool
}

// Provider takes payments. Its methods may be called concurrently. They return when ctx
// ends, and their errors are *Error.
type Provider interface {
	// Create makes the session for an order. The same order again returns the session
	// as it was at first, whatever its present state; another order with the same
	// IdempotencyKey is Refused.
	Create(ctx context.Context, o Order) (Session, error)
	// Session returns the present state of a session.
	Session(ctx context.Context, id string) (Session, error)
	// Expire ends an open session, which then cannot be paid. A session that is not
	// open is Refused.
	Expire(ctx context.Context, id string) (Session, error)
	// Live reports whether the key moves real money.
	Live() bool
}
