package checkout

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/stripe"
)

// Receive takes an event that Stripe sent to /webhooks/stripe (E3): its body and its
// Stripe-Signature. It returns nil when Stripe need not send the event again. An
// InvalidRequest is an event that is not Stripe's; Unavailable: payments are not set up.
func (s *Service) Receive(ctx context.Context, payload []byte, signature string) error {
	if err := s.requireEvents(); err != nil {
		return err
	}
	event, err := stripe.Verify(payload, signature, s.Secrets, s.Clock())
	if err != nil {
		return &fault.Error{Code: fault.InvalidRequest, Message: "Stripe-Signature: does not fit the body, the secret or the time", Err: err}
	}
	if !event.IsCheckout() {
		return nil
	}
	// Stripe may hang up; the event is processed all the same.
	if err := s.process(context.WithoutCancel(ctx), event); err != nil {
		return &fault.Error{Code: fault.Internal, Message: "internal error", Err: err}
	}
	return nil
}

// requireEvents returns Unavailable unless Stripe's events are taken.
func (s *Service) requireEvents() error {
	if !s.ReceivesEvents() {
		s.Log.Error("an event came to /webhooks/stripe, but --stripe-key or --stripe-webhook-secret is not set")
		return &fault.Error{Code: fault.Unavailable, Message: "payments are not set up"}
	}
	return nil
}

// process fetches the session that an event names, and stores the event with its
// effect.
func (s *Service) process(ctx context.Context, event stripe.Event) error {
	known, err := db.Read(ctx, s.Store, func(tx *db.Tx) (bool, error) { return tx.HasPaymentEvent(event.ID) })
	if err != nil || known {
		return err
	}

	var session stripe.Session
	mismatch := s.checkMode("event", event.Live)
	if mismatch == "" {
		session, err = s.Provider.Session(ctx, event.SessionID)
		switch {
		case kindOf(err) == stripe.NotFound:
			mismatch = unknownToStripe
		case err != nil:
			return fmt.Errorf("fetch session %s: %w", event.SessionID, err)
		}
	}
	return s.keepEvent(ctx, event, session, mismatch)
}

// checkMode returns what does not match between our key and an event or a session.
func (s *Service) checkMode(what string, live bool) string {
	if live == s.Provider.Live() {
		return ""
	}
	return fmt.Sprintf("the %s is of %s mode, our key of %s mode", what, modeNames[live], modeNames[!live])
}

var modeNames = map[bool]string{true: "live", false: "test"}

// keepEvent stores the event and lets the session take effect in one commit. Of copies
// that come at once the first one does.
func (s *Service) keepEvent(ctx context.Context, event stripe.Event, session stripe.Session, mismatch string) error {
	err := s.Store.Update(ctx, func(tx *db.Tx) (err error) {
		if mismatch == "" {
			if mismatch, err = s.settle(tx, session); err != nil {
				return err
			}
		}
		return tx.AddPaymentEvent(db.PaymentEvent{
			ID: event.ID, Type: event.Type, SessionID: event.SessionID, Reference: event.Reference, Mismatch: mismatch,
		})
	})
	if errors.Is(err, db.ErrConflict) {
		return nil // another copy was first; this transaction is undone
	}
	if err == nil && mismatch != "" {
		s.Log.Error("a payment event that does not match; see svc charges mismatches", "event", event.ID, "fault", mismatch)
	}
	return err
}

// settle applies a session that was fetched from Stripe. It is the one place that
// believes a payment. It returns what does not match; then nothing is changed.
func (s *Service) settle(tx *db.Tx, session stripe.Session) (mismatch string, err error) {
	c, err := tx.CheckoutBySession(session.ID)
	if errors.Is(err, db.ErrNotFound) {
		return checkUnknown(session), nil
	}
	if err != nil {
		return "", err
	}
	if mismatch := s.checkSession(c, session); mismatch != "" {
		return mismatch, nil
	}

	switch {
	case session.PaymentStatus == paymentPaid && session.Status == statusComplete:
		err = tx.PayCheckout(c)
		if errors.Is(err, db.ErrConflict) {
			return "paid twice: " + c.SubjectID + " had been paid before; refund one of the payments at Stripe", nil
		}
	case session.Failed, session.Status == statusExpired:
		err = tx.EndCheckout(c)
	case session.Status == statusComplete:
		err = tx.ProcessCheckout(c)
	}
	return "", ignoreStale(err) // an earlier event may have brought it to this state, or further
}

// checkUnknown: others may take payments through the same Stripe account, and what
// was never paid is nobody's concern. Money that came under one of our ids is.
func checkUnknown(session stripe.Session) string {
	if session.PaymentStatus != paymentPaid || !db.IsCheckoutSubject(session.Reference) {
		return ""
	}
	return "paid, but no charge and no bundle has this session"
}

// checkSession compares a session with what was stored before Stripe heard of it (E3).
func (s *Service) checkSession(c db.Checkout, session stripe.Session) string {
	switch {
	case session.Reference != c.SubjectID:
		return fmt.Sprintf("the session refers to %q, not to %s", session.Reference, c.SubjectID)
	case session.Currency != c.Currency || session.AmountTotal != c.Amount:
		return fmt.Sprintf("the session is of %s, %s is of %s",
			money.Format(session.AmountTotal, session.Currency), c.SubjectID, money.Format(c.Amount, c.Currency))
	}
	return s.checkMode("session", session.Live)
}

const (
	sweepAtOnce = 20
	// sweepAgain is the interval at which an undecided try is asked about.
	sweepAgain = 30 * time.Minute
	keepEvents = 90 * 24 * time.Hour
	sweepChunk = 200
)

// Sweep ends the open sessions of expired charges, and asks Stripe about sessions whose
// event is overdue.
func (s *Service) Sweep(ctx context.Context) error {
	if s.Provider == nil {
		return nil
	}
	due, err := db.Write(ctx, s.Store, func(tx *db.Tx) ([]db.Checkout, error) {
		if _, err := tx.DeletePaymentEventsBefore(tx.Now().Add(-keepEvents), sweepChunk); err != nil {
			return nil, err
		}
		return tx.ClaimCheckouts(sweepAtOnce, sweepAgain)
	})
	if err != nil {
		return err
	}
	for _, c := range due { // each of them, since Stripe may fail for one alone
		if failed := s.followUp(ctx, c); failed != nil {
			err = errors.Join(err, fmt.Errorf("checkout %s: %w", c.IdempotencyKey(), failed))
		}
	}
	return err
}

// followUp ends a try whose time is over, unless it is paid.
func (s *Service) followUp(ctx context.Context, c db.Checkout) error {
	if c.State == db.CheckoutCreating {
		return s.end(ctx, c) // nobody was ever sent to its page
	}
	if c.State == db.CheckoutOpen {
		_, err := s.Provider.Expire(ctx, c.SessionID)
		if err == nil {
			return s.end(ctx, c)
		}
		if kindOf(err) != stripe.Refused && kindOf(err) != stripe.NotFound {
			return err
		}
	}
	_, err := s.ask(ctx, c)
	if kindOf(err) == stripe.NotFound {
		return s.keepLost(ctx, c)
	}
	return err
}

// keepLost shows the operator a try whose session Stripe does not know: perhaps the key is
// of another account, or of the other mode. It is asked about again, in case the key
// was wrong, for as long as a payment may take.
func (s *Service) keepLost(ctx context.Context, c db.Checkout) error {
	return s.Store.Update(ctx, func(tx *db.Tx) error {
		if tx.Now().Sub(c.ExpiresAt) > longestPayment {
			return ignoreStale(tx.EndCheckout(c))
		}
		return s.keepMismatch(tx, "lost", stripe.Session{ID: c.SessionID, Reference: c.SubjectID}, unknownToStripe)
	})
}

const (
	unknownToStripe = "Stripe does not know the session under our key"
	// longestPayment: a bank transfer may take two weeks.
	longestPayment = 14 * 24 * time.Hour
)

// Reconciled is Stripe's answer on one try whose outcome was open.
type Reconciled struct {
	Checkout db.Checkout
	Outcome  string // paid, processing, open, over; or what does not match
	// Failed reports whether Stripe could not be asked.
	Failed bool
}

// Reconcile asks Stripe about every try whose outcome is open, for the case that events
// were missed.
func (s *Service) Reconcile(ctx context.Context) (all []Reconciled, err error) {
	if s.Provider == nil {
		return nil, fault.Invalid("stripe-key", "is required to ask Stripe")
	}
	open, err := db.Read(ctx, s.Store, (*db.Tx).UnsettledCheckouts)
	if err != nil {
		return nil, err
	}
	for _, c := range open {
		if c.SessionID == "" {
			continue // it may not exist at Stripe, and nobody was sent to its page
		}
		outcome, err := s.ask(ctx, c)
		var e *stripe.Error
		failed := errors.As(err, &e)
		if failed {
			outcome, err = e.Error(), nil // it holds no secret
		}
		if err != nil {
			return all, err
		}
		all = append(all, Reconciled{Checkout: c, Outcome: outcome, Failed: failed})
	}
	return all, nil
}

// ask fetches the session of a try and applies it.
func (s *Service) ask(ctx context.Context, c db.Checkout) (outcome string, err error) {
	session, err := s.Provider.Session(ctx, c.SessionID)
	if err != nil {
		return "", err
	}
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		mismatch, err := s.settle(tx, session)
		if err != nil {
			return err
		}
		if mismatch != "" {
			outcome = mismatch
			return s.keepMismatch(tx, "asked", session, mismatch)
		}
		now, err := tx.CheckoutBySession(session.ID)
		outcome = string(now.State)
		return err
	})
	return outcome, err
}

// keepMismatch shows the operator a session that does not match, though no event told
// of it; once of each kind, since one that was lost may be found again, and not match.
func (s *Service) keepMismatch(tx *db.Tx, kind string, session stripe.Session, mismatch string) error {
	id := kind + ":" + session.ID
	known, err := tx.HasPaymentEvent(id)
	if err != nil || known {
		return err
	}
	s.Log.Error("a payment that does not match; see svc charges mismatches", "session", session.ID, "fault", mismatch)
	return tx.AddPaymentEvent(db.PaymentEvent{
		ID: id, Type: kind, SessionID: session.ID, Reference: session.Reference, Mismatch: mismatch,
	})
}

// Mismatches lists the newest events that did not match. It is the operator's view.
func (s *Service) Mismatches(ctx context.Context, limit int) ([]db.PaymentEvent, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) ([]db.PaymentEvent, error) { return tx.PaymentMismatches(limit) })
}
