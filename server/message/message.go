// Package message sends receipts and purchase orders: POST /api/v1/messaging/send
// (seed 4.3). It decides what may be sent and what is kept of it; a carrier hands
// the message on, and the gate does all that a keyed call needs.
package message

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"svc/db"
	"svc/server/carrier"
	"svc/server/fault"
)

// PriceCents is what a message costs, in US cents, and Deadline the time that the provider
// has (seed 1, G4).
const (
	PriceCents = 2
	Deadline   = 10 * time.Second
)

// Config names what a Service works with.
type Config struct {
	Store   *db.DB
	Clock   func() time.Time
	Carrier carrier.Carrier
}

// Service sends messages through one carrier.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service { return &Service{c} }

// Request is a valid request to send.
type Request struct {
	Phone    string // E.164
	Template string
	Text     string
}

// Send hands a message to the carrier and returns what is to be stored of it. An
// error with the code OutcomeUnknown means that the message may have been sent; after
// any other it was not (G4).
func (s *Service) Send(ctx context.Context, caller db.Principal, requestID string, req Request) (db.Message, error) {
	m := db.Message{
		ID: messageID(requestID, s.Clock()), AccountID: caller.AccountID, KeyID: caller.KeyID, RequestID: requestID,
		Provider: s.Carrier.Name(), Phone: req.Phone, Template: req.Template,
	}
	providerID, err := s.Carrier.Send(ctx, carrier.Message{ID: m.ID, Phone: m.Phone, Template: m.Template, Text: req.Text})
	if err != nil {
		return db.Message{}, refusal(err)
	}
	m.ProviderID = providerID
	if !s.Carrier.Remote() {
		m.Text = req.Text // no provider has it
	}
	return m, nil
}

// messageID returns the id of the message of a request: that of the request with another
// prefix, so the ledger, which has the request's, leads to it.
func messageID(requestID string, now time.Time) string {
	if _, ok := db.IDTime("req_", requestID); ok {
		return "msg_" + strings.TrimPrefix(requestID, "req_")
	}
	return db.NewID("msg_", now)
}

// refusal sorts a carrier's error by what it means for the caller (G4).
func refusal(err error) error {
	var e *carrier.Error
	if !errors.As(err, &e) {
		return err
	}
	code := fault.ProviderFailed
	if e.Unknown {
		code = fault.OutcomeUnknown
	}
	subject := "the provider "
	if e.Provider == carrier.NameNone {
		subject = "" // its reason is a sentence of its own
	}
	message := "message not confirmed: " + subject + e.Reason + "; nothing was charged"
	return &fault.Error{Code: code, Message: message, Err: forLog(e)}
}

// forLog leaves out what follows a colon: there the reason has the provider's own
// words, which may repeat the recipient or the text (L6).
func forLog(e *carrier.Error) error {
	ours, _, _ := strings.Cut(e.Reason, ": ")
	if e.Status != 0 {
		ours = fmt.Sprintf("%s (HTTP %d)", ours, e.Status)
	}
	if e.Err == nil {
		return errors.New(e.Provider + ": " + ours)
	}
	return fmt.Errorf("%s: %s: %w", e.Provider, ours, e.Err)
}

// Unknown returns the account's newest calls whose message may or may not have been
// sent (G4), at most limit.
func (s *Service) Unknown(ctx context.Context, accountID string, limit int) ([]db.Call, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) ([]db.Call, error) { return tx.UnknownCalls(accountID, limit) })
}

// List returns the account's newest messages, at most limit.
func (s *Service) List(ctx context.Context, accountID string, limit int) ([]db.Message, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) ([]db.Message, error) { return tx.Messages(accountID, limit) })
}

// Find returns a message of any account. It is for the operator. A NotFound: there is
// none with this id.
func (s *Service) Find(ctx context.Context, id string) (db.Message, error) {
	m, err := db.Read(ctx, s.Store, func(tx *db.Tx) (db.Message, error) { return tx.Message(id) })
	if errors.Is(err, db.ErrNotFound) {
		err = &fault.Error{Code: fault.NotFound, Message: "no message " + id}
	}
	return m, err
}
