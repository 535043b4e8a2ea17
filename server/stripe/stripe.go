// Package stripe is Stripe as the appliance sees it: hosted checkout sessions that
// are made, looked up and expired, and the events that tell of them.
//
// Nothing here moves money or remembers anything. What was paid is known by
// looking a session up (Provider.Session), never from an event: an event only
// says which session to look at (E3). What a paid session then does to a charge
// or a wallet is the caller's affair, and so is every retry: each call makes one
// try, and an *Error tells by its Kind whether another makes sense.
//
// The secret key stays inside. No text of any error holds it.
package stripe

import (
	"context"
	"time"
)

// Order is what a checkout session is made from. All of it is fixed once and
// stored by the caller, so that a retry is the same request and Stripe answers
// it with the same session (E2).
type Order struct {
	// IdempotencyKey is "<subject id>-<n>": 1 to 255 visible ASCII characters.
	IdempotencyKey string
	// Reference is the id of the charge or purchase. The session carries it as
	// client_reference_id and in its metadata, the payment in its metadata.
	Reference   string
	Amount      int64  // Stripe's minor units
	Currency    string // ISO 4217, lower case
	Description string // what is paid for, as the payer reads it
	SuccessURL  string
	CancelURL   string
	ExpiresAt   time.Time // whole seconds; Stripe takes 30 minutes to 24 hours from now
}

// Session is a checkout session as Stripe described it at that moment.
type Session struct {
	ID            string
	URL           string // where the payer pays; empty once the session is not open
	Status        string // open, complete or expired
	PaymentStatus string // paid, unpaid or no_payment_required
	Reference     string // client_reference_id
	Currency      string // lower case, that of the order even where the payer chose another
	AmountTotal   int64  // Stripe's minor units
	Live          bool   // made with a live key
	// Failed: the session is complete, and the payment has come to nothing. It is known
	// of a session that was looked up.
	Failed bool
}

// Provider takes payments. Its methods may be called concurrently, give up when
// ctx does, and fail with an *Error.
type Provider interface {
	// Create makes the session for an order. The same order again gives the same
	// session as it was at first, whatever has become of it; the same
	// IdempotencyKey with another order is Refused.
	Create(ctx context.Context, o Order) (Session, error)
	// Session looks a session up.
	Session(ctx context.Context, id string) (Session, error)
	// Expire ends an open session, so that it cannot be paid any more. One that
	// is not open is Refused.
	Expire(ctx context.Context, id string) (Session, error)
	// Live says whether the key is one that moves real money.
	Live() bool
}
