package stripetest

import (
	"maps"
	"net/url"
	"testing"
	"time"
)

// Session is a checkout session as the stand-in keeps it.
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
	Params          url.Values // of the call that made it

	failed bool // a delayed payment that did not come
}

func (c *Session) open() bool { return c.Status == "open" }

// awaitsMoney says whether a delayed payment is on its way.
func (c *Session) awaitsMoney() bool {
	return c.Status == "complete" && c.PaymentStatus == "unpaid" && !c.failed
}

func (c *Session) copy() Session {
	session := *c
	session.Metadata = maps.Clone(c.Metadata)
	session.PaymentMetadata = maps.Clone(c.PaymentMetadata)
	session.Params = maps.Clone(c.Params)
	return session
}

// paymentState is what Stripe says of the payment itself.
func (c *Session) paymentState() string {
	switch {
	case c.failed:
		return "requires_payment_method"
	case c.awaitsMoney():
		return "processing"
	}
	return "succeeded"
}

// complete is the payer's doing: the session is over, paid or about to be.
func (c *Session) complete(paymentStatus string) {
	c.Status = "complete"
	c.PaymentStatus = paymentStatus
	c.PaymentIntent = newID("pi_")
}

// Sessions are copies of all sessions in the order in which they were made.
func (s *Stripe) Sessions() []Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Session
	for _, c := range s.sessions {
		s.age(c)
		all = append(all, c.copy())
	}
	return all
}

// Pay completes an open session with a payment that is there at once.
func (s *Stripe) Pay(id string) {
	s.t.Helper()
	s.change(id, "open", (*Session).open, func(c *Session) { c.complete("paid") })
}

// PayDelayed completes an open session with a payment that takes days.
func (s *Stripe) PayDelayed(id string) {
	s.t.Helper()
	s.change(id, "open", (*Session).open, func(c *Session) { c.complete("unpaid") })
}

// Settle lets a delayed payment arrive.
func (s *Stripe) Settle(id string) {
	s.t.Helper()
	s.change(id, "awaiting money", (*Session).awaitsMoney, func(c *Session) { c.PaymentStatus = "paid" })
}

// FailDelayed lets a delayed payment fail for good. The session stays complete
// and unpaid.
func (s *Stripe) FailDelayed(id string) {
	s.t.Helper()
	s.change(id, "awaiting money", (*Session).awaitsMoney, func(c *Session) { c.failed = true })
}

// Expire ends an open session, as its time would.
func (s *Stripe) Expire(id string) {
	s.t.Helper()
	s.change(id, "open", (*Session).open, func(c *Session) { c.Status = "expired" })
}

// Alter makes a session wrong in whatever way, its id excepted. change must not
// call the stand-in.
func (s *Stripe) Alter(id string, change func(*Session)) {
	s.t.Helper()
	s.change(id, "known", func(*Session) bool { return true }, func(c *Session) {
		change(c)
		c.ID = id
	})
}

// change alters a session that may be altered so, and fails the test otherwise.
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
		t.Errorf("stripe stand-in: no session %q", id)
		return
	}
	t.Errorf("stripe stand-in: session %q is not %s: %s, %s", id, needs, c.Status, c.PaymentStatus)
}

// find looks a session up as it is now, nil if there is none. The lock is held.
func (s *Stripe) find(id string) *Session {
	for _, c := range s.sessions {
		if c.ID == id {
			s.age(c)
			return c
		}
	}
	return nil
}

// age expires a session whose time is over.
func (s *Stripe) age(c *Session) {
	if c.open() && !s.now().Before(c.ExpiresAt) {
		c.Status = "expired"
	}
}

// wire is the session as the API and the events show it.
func (s *Stripe) wire(c *Session) map[string]any {
	wire := map[string]any{
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
		wire["url"] = s.URL + "/pay/" + c.ID
	}
	return wire
}

func nullable(text string) any {
	if text == "" {
		return nil
	}
	return text
}
