package metrics

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"svc/server/carrier"
	"svc/server/llm"
	"svc/server/stripe"
)

// ok is the outcome of a request to another server that did what it should.
const ok = "ok"

// Count counts a request to another server: outcome is ok, or one of a few ways to fail.
type Count = func(outcome string, took time.Duration)

// Outbound returns what counts the requests to a kind of servers; nil for a nil *Metrics.
func (m *Metrics) Outbound(service string) Count {
	if m == nil {
		return nil
	}
	return func(outcome string, took time.Duration) {
		of := [2]string{strings.ReplaceAll(outcome, " ", "_"), service}
		m.outbound.row(of, func() *histogram { return newHistogram(outboundBuckets) }).observe(took)
	}
}

// Carrier counts the messages that a carrier hands to a remote provider.
func (m *Metrics) Carrier(c carrier.Carrier) carrier.Carrier {
	if m == nil || !c.Remote() {
		return c
	}
	return countedCarrier{c, m.Outbound("messages")}
}

type countedCarrier struct {
	carrier.Carrier
	count Count
}

// Send implements carrier.Carrier.
func (c countedCarrier) Send(ctx context.Context, message carrier.Message) (string, error) {
	began := time.Now()
	id, err := c.Carrier.Send(ctx, message)
	outcome := ok
	if err != nil {
		outcome = "not sent"
	}
	if e, is := errors.AsType[*carrier.Error](err); is && e.Unknown {
		outcome = "unknown"
	}
	c.count(outcome, time.Since(began))
	return id, err
}

// Model counts the questions to a model.
func (m *Metrics) Model(model llm.Model) llm.Model {
	if m == nil {
		return model
	}
	return countedModel{model, m.Outbound("ollama")}
}

type countedModel struct {
	llm.Model
	count Count
}

// Ask implements llm.Model.
func (c countedModel) Ask(ctx context.Context, r llm.Request) (json.RawMessage, error) {
	began := time.Now()
	answer, err := c.Model.Ask(ctx, r)
	outcome := ok
	if err != nil {
		outcome = llm.KindOf(err).String()
	}
	c.count(outcome, time.Since(began))
	return answer, err
}

// Payments counts the calls of Stripe. A nil provider stays nil.
func (m *Metrics) Payments(p stripe.Provider) stripe.Provider {
	if m == nil || p == nil {
		return p
	}
	return countedPayments{p, m.Outbound("stripe")}
}

type countedPayments struct {
	stripe.Provider
	count Count
}

// Create implements stripe.Provider.
func (c countedPayments) Create(ctx context.Context, o stripe.Order) (stripe.Session, error) {
	return c.counted(func() (stripe.Session, error) { return c.Provider.Create(ctx, o) })
}

// Session implements stripe.Provider.
func (c countedPayments) Session(ctx context.Context, id string) (stripe.Session, error) {
	return c.counted(func() (stripe.Session, error) { return c.Provider.Session(ctx, id) })
}

// Expire implements stripe.Provider.
func (c countedPayments) Expire(ctx context.Context, id string) (stripe.Session, error) {
	return c.counted(func() (stripe.Session, error) { return c.Provider.Expire(ctx, id) })
}

func (c countedPayments) counted(call func() (stripe.Session, error)) (stripe.Session, error) {
	began := time.Now()
	session, err := call()
	outcome := ok
	if e, is := errors.AsType[*stripe.Error](err); is {
		outcome = e.Kind.String()
	}
	c.count(outcome, time.Since(began))
	return session, err
}
