// Package checkout takes payments through Stripe's own page, for charges and for
// wallet bundles alike: it makes the sessions, takes Stripe's events on how they ended,
// and asks about the sessions for which no event came.
//
// One place decides what a payment does, db.PayCheckout, and one place which payment
// is believed, settle: only a session fetched from Stripe that matches what was
// stored before it was made (E3). Events may come twice, late, in any order, or never.
package checkout

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/stripe"
)

// Bounds of a session's life (E2): Stripe wants 30 minutes to 24 hours, and a minute
// more lets clocks differ.
const (
	minLife = 31 * time.Minute
	maxLife = 24 * time.Hour
	// stripeMinLife is the shortest life that Stripe accepts. A try with less left
	// cannot make its session any more.
	stripeMinLife = 30 * time.Minute
	// lateness is how long the sweep waits for Stripe's event after a session's end
	// before it asks.
	lateness = 5 * time.Minute
)

// Config names what a Service works with.
type Config struct {
	Store    *db.DB
	Provider stripe.Provider // nil: payments are not set up (E4)
	Secrets  []string        // of which any may sign Stripe's webhooks
	Clock    func() time.Time
	Log      *slog.Logger
}

// Service owns checkouts.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service { return &Service{c} }

// Subject is what is to be paid: a charge or a purchase.
type Subject struct {
	ID          string
	OwnerID     string // a charge's key, a purchase's account
	Amount      int64
	Currency    string
	Description string
	// ExpiresAt ends the session before a day is over; zero: after a day.
	ExpiresAt             time.Time
	SuccessURL, CancelURL string
}

// Ready reports whether payments are set up.
func (s *Service) Ready() bool { return s.Provider != nil }

// ReceivesEvents reports whether Stripe's events are taken.
func (s *Service) ReceivesEvents() bool { return s.Ready() && len(s.Secrets) > 0 }

// ErrProcessing means that the payer has finished, and the payment is on its way.
var ErrProcessing = errors.New("payment is being processed")

// maxSteps bounds the earlier tries that one Begin ends.
const maxSteps = 4

// Begin makes a session for the subject, after ending an earlier one, and returns
// the address of Stripe's page. allowed checks again whether the subject may be paid,
// in the transaction that begins the try. ErrProcessing: it is being paid already. After
// a *stripe.Error the caller may try again.
func (s *Service) Begin(ctx context.Context, subject Subject, allowed func(*db.Tx) error) (url string, err error) {
	// A payer who hangs up must not leave a session that nobody knows of.
	ctx = context.WithoutCancel(ctx)
	for range maxSteps {
		c, fresh, err := s.claim(ctx, subject, allowed)
		if err != nil {
			return "", err
		}
		if c.State == db.CheckoutOpen {
			if err := s.endEarlier(ctx, c); err != nil {
				return "", err
			}
			continue
		}
		url, err := s.create(ctx, c, subject)
		if errors.Is(err, db.ErrStale) || kindOf(err) == stripe.Refused && !fresh {
			continue // an earlier try came to nothing; a new one may do better
		}
		if kindOf(err) == stripe.Unavailable && !fresh {
			// Stripe repeats even its own fault for the same key for a day, so after a second
			// fault the next try gets a new key.
			err = errors.Join(err, s.end(ctx, c))
		}
		return url, err
	}
	return "", &stripe.Error{Kind: stripe.Unavailable, Reason: "This is being paid somewhere else, too."}
}

// claim returns the try to make, or the open try that must end first. fresh reports
// whether it was begun just now.
func (s *Service) claim(ctx context.Context, subject Subject, allowed func(*db.Tx) error) (c db.Checkout, fresh bool, err error) {
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		if err := allowed(tx); err != nil {
			return err
		}
		if c, err = tx.LastCheckout(subject.ID); err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
		switch c.State {
		case db.CheckoutProcessing, db.CheckoutPaid:
			return ErrProcessing
		case db.CheckoutOpen:
			return checkTries(tx, subject.ID) // only if another try may follow
		case db.CheckoutCreating:
			if c.ExpiresAt.Sub(tx.Now()) >= stripeMinLife {
				return nil // Stripe may have made it: the same key gets the same session
			}
			if err := tx.EndCheckout(c); err != nil {
				return err
			}
		}
		if err := checkTries(tx, subject.ID); err != nil {
			return err
		}
		fresh = true
		c, err = tx.CreateCheckout(newTry(subject, tx.Now()))
		return err
	})
	return c, fresh, err
}

// maxTries bounds the tries for one subject in an hour, since anyone with the link can
// begin them.
const maxTries = 20

func checkTries(tx *db.Tx, subjectID string) error {
	n, err := tx.CountCheckouts(subjectID, tx.Now().Add(-time.Hour))
	if err == nil && n >= maxTries {
		err = errTooManyTries
	}
	return err
}

var errTooManyTries = &fault.Error{
	Code: fault.TooManyTries, Message: "this was tried too often within an hour; no new payment was begun, try again later",
	RetryAfter: time.Hour,
}

func newTry(subject Subject, now time.Time) db.Checkout {
	life := maxLife
	if !subject.ExpiresAt.IsZero() {
		life = min(max(subject.ExpiresAt.Sub(now), minLife), maxLife)
	}
	c := db.Checkout{
		SubjectID: subject.ID, OwnerID: subject.OwnerID, Amount: subject.Amount, Currency: subject.Currency,
		Description: subject.Description,
		ExpiresAt:   now.Add(life).Truncate(time.Second), // as exactly as Stripe knows it
	}
	c.DueAt = c.ExpiresAt.Add(lateness)
	if !subject.ExpiresAt.IsZero() && subject.ExpiresAt.Before(c.DueAt) {
		c.DueAt = subject.ExpiresAt // the sweep ends the session with its charge
	}
	return c
}

// create makes the session at Stripe, stores it and returns its address.
// db.ErrStale: somebody has ended the try meanwhile.
func (s *Service) create(ctx context.Context, c db.Checkout, subject Subject) (url string, err error) {
	session, err := s.Provider.Create(ctx, stripe.Order{
		IdempotencyKey: c.IdempotencyKey(), Reference: c.SubjectID,
		Amount: c.Amount, Currency: c.Currency, Description: c.Description,
		SuccessURL: subject.SuccessURL, CancelURL: subject.CancelURL, ExpiresAt: c.ExpiresAt,
	})
	if err != nil {
		s.Log.Warn("stripe made no session", "checkout", c.IdempotencyKey(), "cause", err)
	}
	if kindOf(err) == stripe.Refused {
		return "", errors.Join(err, s.end(ctx, c))
	}
	if err != nil {
		return "", err
	}
	err = s.Store.Update(ctx, func(tx *db.Tx) error { return tx.OpenCheckout(c, session.ID) })
	if errors.Is(err, db.ErrStale) {
		// Nobody is sent to this session, so it must not stay open.
		_, expireErr := s.Provider.Expire(ctx, session.ID)
		s.Log.Warn("a try to pay was ended while its session was made", "checkout", c.IdempotencyKey(), "cause", expireErr)
	}
	return session.URL, err
}

// endEarlier expires the session of an open try, so that nobody pays twice.
// ErrProcessing: it is paid already, or about to be.
func (s *Service) endEarlier(ctx context.Context, c db.Checkout) error {
	_, refused := s.Provider.Expire(ctx, c.SessionID)
	if kindOf(refused) != stripe.Refused {
		if refused == nil || kindOf(refused) == stripe.NotFound {
			return s.end(ctx, c)
		}
		return refused
	}
	session, err := s.Provider.Session(ctx, c.SessionID)
	if err != nil {
		return err
	}
	switch {
	case session.Failed, session.Status == statusExpired:
		return s.end(ctx, c)
	case session.Status == statusOpen: // a second session would allow a second payment
		return &stripe.Error{Kind: stripe.Unavailable, Reason: "This is being paid somewhere else, too.", Err: refused}
	}
	err = s.Store.Update(ctx, func(tx *db.Tx) error { return tx.ProcessCheckout(c) })
	return cmp.Or(ignoreStale(err), ErrProcessing)
}

func (s *Service) end(ctx context.Context, c db.Checkout) error {
	return ignoreStale(s.Store.Update(ctx, func(tx *db.Tx) error { return tx.EndCheckout(c) }))
}

// ignoreStale returns err unless the try has ended, or is processing, already.
func ignoreStale(err error) error {
	if errors.Is(err, db.ErrStale) {
		return nil
	}
	return err
}

func kindOf(err error) stripe.Kind {
	var e *stripe.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return 0
}

// Stripe's names for the states of a session and of its payment.
const (
	statusOpen     = "open"
	statusComplete = "complete"
	statusExpired  = "expired"
	paymentPaid    = "paid"
)

// LastState returns the state of the newest try to pay the subject, empty if there is
// none.
func LastState(tx *db.Tx, subjectID string) (db.CheckoutState, error) {
	c, err := tx.LastCheckout(subjectID)
	if errors.Is(err, db.ErrNotFound) {
		return "", nil
	}
	return c.State, err
}

const (
	retryAfter  = 5 * time.Second
	unreachable = "the payment page cannot be reached just now, and no new payment was begun; " +
		"try again in a moment, unless you have paid already"
)

// Problem returns the error of Begin as a payer may read it, nil for an internal one.
func Problem(err error) *fault.Error {
	var failure *stripe.Error
	var problem *fault.Error
	switch {
	case errors.Is(err, ErrProcessing):
		return &fault.Error{Code: fault.Conflict, Message: "this is being paid already; no second payment was begun"}
	case errors.As(err, &failure) && failure.Kind == stripe.Refused:
		return &fault.Error{Code: fault.Conflict, Message: strings.TrimSuffix(failure.Reason, "."), Err: err}
	case errors.As(err, &failure):
		return &fault.Error{Code: fault.Unavailable, Message: unreachable, RetryAfter: retryAfter, Err: err}
	case errors.As(err, &problem):
		return problem
	}
	return nil
}
