// Package event has the eight kinds of events and their payloads (K1, K2). It knows no
// table, no subscription and no HTTP: db stores events, server/webhook sends them.
//
// Money in a payload is in minor units of the currency beside it, a quantity is a decimal
// number of the product's unit, and a time is RFC 3339 in UTC.
package event

import (
	"encoding/json"
	"fmt"
	"time"
)

// Kind is the name of a kind of event, the type in an event's body.
type Kind string

// The kinds (seed 6).
const (
	SaleCreated           Kind = "sale.created"
	PurchaseOrderReceived Kind = "purchase_order.received"
	StockLow              Kind = "stock.low"
	PulseUpdated          Kind = "pulse.updated"
	AlertTriggered        Kind = "alert.triggered"
	BriefReady            Kind = "brief.ready"
	SyncCompleted         Kind = "sync.completed"
	ChurnScanCompleted    Kind = "churn.scan.completed"
)

// Kinds lists all kinds. The first three are retried, see Retried.
var Kinds = []Kind{
	SaleCreated, PurchaseOrderReceived, StockLow,
	PulseUpdated, AlertTriggered, BriefReady, SyncCompleted, ChurnScanCompleted,
}

// Retried reports whether a delivery that fails is tried again. Events of the other kinds
// are sent exactly once (K5).
func (k Kind) Retried() bool {
	return k == SaleCreated || k == PurchaseOrderReceived || k == StockLow
}

// Payload is the data of an event.
type Payload interface {
	Kind() Kind
}

// long is a payload with a list that may be too long for a body.
type long interface {
	Payload
	// cut returns the payload with at most n entries of its list.
	cut(n int) Payload
	length() int
}

// maxBody is the size limit of a body, in bytes (K2).
const maxBody = 20_000

// Envelope is the body of an event without its data.
type Envelope struct {
	ID        string    `json:"id"`
	Type      Kind      `json:"type"`
	Timestamp time.Time `json:"timestamp"`
	TestMode  bool      `json:"test_mode"`
	AccountID string    `json:"account_id"`
	// Sequence numbers the account's events from 1, without gaps.
	Sequence int64 `json:"sequence"`
}

// Body returns the JSON that is sent, at most 20 kB. A list that is too long for that is
// cut; the payload then has the number of all its entries beside the list.
func Body(e Envelope, p Payload) ([]byte, error) {
	e.Type, e.Timestamp = p.Kind(), e.Timestamp.UTC()
	body, err := marshal(e, p)
	if all, ok := p.(long); ok && err == nil && len(body) > maxBody {
		for n := all.length() / 2; len(body) > maxBody && n > 0 && err == nil; n /= 2 {
			body, err = marshal(e, all.cut(n))
		}
	}
	if err == nil && len(body) > maxBody {
		err = fmt.Errorf("a body of %d bytes", len(body))
	}
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", e.Type, err)
	}
	return body, nil
}

func marshal(e Envelope, p Payload) ([]byte, error) {
	return json.Marshal(struct {
		Envelope
		Data Payload `json:"data"`
	}{e, p})
}
