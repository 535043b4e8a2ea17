package checkout

import (
	"net/http"

	"svc/server/web"
)

const maxEvent = 64 << 10 // bytes, E3

// Webhook is POST /webhooks/stripe (E3). Its status tells Stripe what to do: 200 the
// event is processed, 400 it is not from Stripe, 500 send it again.
type Webhook struct{ service *Service }

// NewWebhook returns the front end for Stripe's events.
func NewWebhook(s *Service) *Webhook { return &Webhook{s} }

// Receive answers Stripe.
func (h *Webhook) Receive(w *web.Response, r *http.Request) error {
	if err := h.service.requireEvents(); err != nil {
		return err
	}
	payload, err := web.ReadBody(w, r, maxEvent)
	if err != nil {
		return err
	}
	if err := h.service.Receive(r.Context(), payload, r.Header.Get("Stripe-Signature")); err != nil {
		return err
	}
	return w.JSON(http.StatusOK, map[string]bool{"received": true})
}
