package servertest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"svc/server/carrier"
)

// Carrier is a fake message provider. It counts as remote, as a real one, unless it is
// Local. Its fields are set before the first send.
type Carrier struct {
	// OnSend answers a send; nil confirms each.
	OnSend func(ctx context.Context, m carrier.Message) (string, error)
	// Local makes Remote false.
	Local bool

	mu   sync.Mutex
	sent []carrier.Message
}

// Name is that of a real provider.
func (c *Carrier) Name() string { return "webhook" }

// Remote reports whether a send has an effect outside the appliance.
func (c *Carrier) Remote() bool { return !c.Local }

// Send records the message, then answers.
func (c *Carrier) Send(ctx context.Context, m carrier.Message) (string, error) {
	c.mu.Lock()
	c.sent = append(c.sent, m)
	n := len(c.sent)
	c.mu.Unlock()
	if c.OnSend != nil {
		return c.OnSend(ctx, m)
	}
	return fmt.Sprintf("provider-%d", n), nil
}

// Sent returns the messages that reached the provider.
func (c *Carrier) Sent() []carrier.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]carrier.Message(nil), c.sent...)
}

// Refusal returns the error of a provider that certainly did not send: the call is free
// and may be repeated.
func Refusal(reason string) error { return &carrier.Error{Provider: "webhook", Reason: reason} }

// Doubt returns the error of a provider that may have sent.
func Doubt(reason string) error {
	return &carrier.Error{Provider: "webhook", Reason: reason, Unknown: true}
}

// Hold makes the carrier hold each send until the test answers it. Sends without an
// answer fail at the end of the test.
func (c *Carrier) Hold(t testing.TB) *Held {
	h := &Held{t: t, arrived: make(chan carrier.Message, 100), answers: make(chan error)}
	ended := make(chan struct{})
	t.Cleanup(func() { close(ended) })
	c.OnSend = func(_ context.Context, m carrier.Message) (string, error) {
		h.arrived <- m
		err := Refusal("the test has ended")
		select {
		case err = <-h.answers:
		case <-ended:
		}
		if err != nil {
			return "", err
		}
		return "provider-" + m.ID, nil
	}
	return h
}

// Held are sends that the provider holds.
type Held struct {
	t       testing.TB
	arrived chan carrier.Message
	answers chan error
}

// Arrived waits until one more send has reached the provider.
func (h *Held) Arrived() carrier.Message {
	h.t.Helper()
	return Receive(h.t, h.arrived)
}

// Answer lets one send go: confirmed, or failed with err.
func (h *Held) Answer(err error) {
	h.t.Helper()
	select {
	case h.answers <- err:
	case <-time.After(patience):
		h.t.Fatal("no send waits for an answer")
	}
}
