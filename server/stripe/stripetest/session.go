package stripetest

import (
	"maps"
	"net/url"
	"testing"
	"time"
)

// Session is a stored checkout session.
type Session struct {
	ID              string
	Status          string // open, complete or expired
	PaymentStatus   string // paid or unpaid
	Live            bool
	Reference       string // client_reference_id
	Currency        string
	AmountTotal     int64
	Name            string // of the product
	Description     string // of the product
	Metadata        map[string]string
	PaymentMetadata map[string]string // payment_intent_data.metadata
	PaymentIntent   string            // empty until the payer has paid
	SuccessURL      string
	CancelURL       string
	Created         time.Time
	ExpiresAt       time.Time
	IdempotencyKey  string
	Params          url.Values // of the call that created it

	failed bool // the delayed payment failed
}

func (c *Session) open() bool { return c.Status == "open" }

// pending reports whether a delayed payment is under way.
func (c *Session) pending() bool {
	return c.Status == "complete" && c.PaymentStatus == "unpaid" && !c.failed
}

func (c *Session) copy() Session {
	session := *c
	session.Metadata = maps.Clone(c.Metadata)
	session.PaymentMetadata = maps.Clone(c.PaymentMetadata)
	session.Params = maps.Clone(c.Params)
	return session
}

// paymentState returns the status of the payment intent.
func (c *Session) paymentState() string {
	switch {
	case c.failed:
		return "requires_payment_method"
	case c.pending():
		return "processing"
	}
	return "succeeded"
}

// complete ends the session with a payment.
func (c *Session) complete(paymentStatus string) {
	c.Status = "complete"
	c.PaymentStatus = paymentStatus
	c.PaymentIntent = newID("pi_")
}

// Sessions returns copies of all sessions in the order of their creation.
func (s *Stripe) Sessions() []Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Session
	for _, c := range s.sessions {
		s.expireIfDue(c)
		all = append(all, c.copy())
	}
	return all
}

// Pay completes an open session with an immediate payment.
func (s *Stripe) Pay(id string) {
	s.t.Helper()
	s.change(id, "open", (*Session).open, func(c *Session) { c.complete("paid") })
}

// PayDelayed completes an open session with a payment that takes days.
func (s *Stripe) PayDelayed(id string) {
	s.t.Helper()
	s.change(id, "open", (*Session).open, func(c *Session) { c.complete("unpaid") })
}

// Settle makes a delayed payment succeed.
func (s *Stripe) Settle(id string) {
	s.t.Helper()
	s.change(id, "pending", (*Session).pending, func(c *Session) { c.PaymentStatus = "paid" })
}

// FailDelayed makes a delayed payment fail. The session stays complete and unpaid.
func (s *Stripe) FailDelayed(id string) {
	s.t.Helper()
	s.change(id, "pending", (*Session).pending, func(c *Session) { c.failed = true })
}

// Expire ends an open session before its time.
func (s *Stripe) Expire(id string) {
	s.t.Helper()
	s.change(id, "open", (*Session).open, func(c *Session) { c.Status = "expired" })
}

// Alter changes any field of a session but its id, for instance to wrong values. change
// must not call methods of s.
func (s *Stripe) Alter(id string, change func(*Session)) {
	s.t.Helper()
	s.change(id, "known", func(*Session) bool { return true }, func(c *Session) {
		change(c)
		c.ID = id
	})
}

// change calls do for a session that satisfies may, and fails the test otherwise.
func (s *Stripe) change(id, needs string, may func(*Session) bool, do func(*Session)) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.find(id)
	if c == nil || !may(c) {
		report(s.t, id, needs, c)
		return
	}
	do(c)
}

func report(t testing.TB, id, needs string, c *Session) {
	t.Helper()
	if c == nil {
		t.Errorf("fake Stripe: no session %q", id)
		return
	}
	t.Errorf("fake Stripe: session %q is not %s: %s, %s", id, needs, c.Status, c.PaymentStatus)
}

// find returns a session in its present state, or nil. The caller holds the lock.
func (s *Stripe) find(id string) *Session {
	for _, c := range s.sessions {
		if c.ID == id {
			s.expireIfDue(c)
			return c
		}
	}
	return nil
}

// expireIfDue ends a session whose time is over.
func (s *Stripe) expireIfDue(c *Session) {
	if c.open() && !s.now().Before(c.ExpiresAt) {
		c.Status = "expired"
	}
}

// object returns the session as it is in answers and events.
func (s *Stripe) object(c *Session) map[string]any {
	object := map[string]any{
		"id":                   c.ID,
		"object":               "checkout.session",
		"amount_subtotal":      c.AmountTotal,
		"amount_total":         c.AmountTotal,
		"cancel_url":           c.CancelURL,
		"client_reference_id":  nullable(c.Reference),
		"created":              c.Created.Unix(),
		"currency":             c.Currency,
		"customer":             nil,
		"expires_at":           c.ExpiresAt.Unix(),
		"livemode":             c.Live,
		"metadata":             c.Metadata,
		"mode":                 "payment",
		"payment_intent":       nullable(c.PaymentIntent),
		"payment_method_types": []string{"card"},
		"payment_status":       c.PaymentStatus,
		"status":               c.Status,
		"success_url":          c.SuccessURL,
		"total_details":        map[string]any{"amount_discount": 0, "amount_shipping": 0, "amount_tax": 0},
		"url":                  nil,
	}
	if c.open() {
		object["url"] = s.URL + "/pay/" + c.ID
	}
	return object
}

func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}
