package stripetest

import (
	"time"

	"github.com/stripe/stripe-go/v76/webhook"
)

// apiVersion is newer than the library's, as it is for a new account.
const apiVersion = "2025-09-30.clover"

// Event returns the body of a new event about the present state of a session.
func (s *Stripe) Event(id, eventType string) []byte {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.find(id)
	if c == nil {
		report(s.t, id, "known", nil)
		return nil
	}
	return encode(map[string]any{
		"id":               newID("evt_"),
		"object":           "event",
		"api_version":      apiVersion,
		"created":          s.now().Unix(),
		"data":             map[string]any{"object": s.object(c)},
		"livemode":         c.Live,
		"pending_webhooks": 1,
		"request":          map[string]any{"id": nil, "idempotency_key": nil},
		"type":             eventType,
	})
}

// Sign returns the Stripe-Signature header of a payload.
func (s *Stripe) Sign(payload []byte, secret string, at time.Time) string {
	return webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{
		Payload:   payload,
		Secret:    secret,
		Timestamp: at,
	}).Header
}
