package server

import (
	"net/http"
	"time"

	"svc/server/gate"
	"svc/server/message"
	"svc/server/web"
)

// audience is who may call a route.
type audience int

const (
	anyone audience = iota
	keyHolder
)

// route is one row of the mount: all that is to know of an address from outside.
type route struct {
	method  string
	pattern string
	who     audience
	// terms are a keyHolder's. The gate stands before its endpoint, which is billed
	// or idempotent, or else before free.
	terms    gate.Terms
	endpoint gate.Endpoint
	free     gate.FreeHandler
	// handler is anyone's.
	handler web.Handler
	// unready routes answer even before the first account exists (L2).
	unready bool
}

// providerDeadline is how long a message provider has (G4).
const providerDeadline = 10 * time.Second

const smallBody = 64 << 10 // bytes, A10

// routes is the mount: every address of the appliance.
func (a *App) routes() []route {
	const send = "/api/v1/messaging/send"
	return []route{
		{
			method: http.MethodGet, pattern: "/api/v1/pricing",
			who: anyone, handler: a.pricing, unready: true,
		},
		{
			method: http.MethodPost, pattern: send,
			who: keyHolder,
			terms: gate.Terms{
				Endpoint: send, PriceCents: gate.PriceOf(send), Idempotent: true, AccountMode: true,
				BodyLimit: smallBody, Deadline: providerDeadline,
			},
			endpoint: a.Messages.Send(),
		},
		{method: http.MethodGet, pattern: "/healthz", who: anyone, handler: a.healthz, unready: true},
		{method: http.MethodGet, pattern: "/readyz", who: anyone, handler: a.readyz, unready: true},
	}
}

// services builds the capabilities. Only here do they meet.
func (a *App) services() error {
	carrier, err := a.config.carrier()
	if err != nil {
		return err
	}
	a.carrier = carrier
	a.Messages = message.New(a.store, a.config.Clock, carrier)
	return nil
}
