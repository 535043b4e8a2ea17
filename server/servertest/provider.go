package servertest

import (
	"context"
	"fmt"
	"sync"

	"svc/server/carrier"
)

// Carrier stands in for a message provider within the process. It has an effect
// outside, as a real one: Remote is true.
type Carrier struct {
	// OnSend answers a send; nil confirms each.
	OnSend func(ctx context.Context, m carrier.Message) (string, error)

	mu   sync.Mutex
	sent []carrier.Message
}

func (c *Carrier) Name() string { return "webhook" }

func (c *Carrier) Remote() bool { return true }

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

// Sent is what reached the provider.
func (c *Carrier) Sent() []carrier.Message {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]carrier.Message(nil), c.sent...)
}
