// Package message sends receipts and purchase orders: POST /api/v1/messaging/send
// (seed 4.3). It decides what may be sent and what is kept of it; a carrier hands
// the message on, and the gate does all that a keyed call needs.
package message

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/carrier"
	"svc/server/fault"
	"svc/server/gate"
	"svc/server/web"
)

const (
	maxText  = 1024 // code points, seed 8.2
	maxPhone = 64   // longer than any; G3 has its own sentence
	maxName  = 64   // longer than any template's name
)

// templates that may be sent. `otp` is reserved and never accepted (seed 4.3).
var templates = []string{"receipt", "purchase_order"}

// Service sends messages through one carrier.
type Service struct {
	carrier carrier.Carrier
	store   *db.DB
	clock   func() time.Time
}

// New makes the service.
func New(store *db.DB, clock func() time.Time, c carrier.Carrier) *Service {
	return &Service{carrier: c, store: store, clock: clock}
}

// Request is a valid request to send.
type Request struct {
	Phone    string // E.164
	Template string
	Text     string
}

// ParseRequest reads and checks the body of a send. Every fault names its field.
func ParseRequest(body []byte) (req Request, err error) {
	object, err := web.ParseObject(body)
	if err != nil {
		return Request{}, err
	}
	if req.Phone, err = object.Text("phone", maxPhone); err != nil {
		return Request{}, err
	}
	if !validPhone(req.Phone) {
		return Request{}, fault.Invalid("phone", "must be in international format: + and 8 to 15 digits, the first not 0")
	}
	if req.Template, err = object.Text("template", maxName); err != nil {
		return Request{}, err
	}
	if !slices.Contains(templates, req.Template) {
		return Request{}, fault.Invalid("template", "must be "+strings.Join(templates, " or ")+"; otp is reserved")
	}
	if req.Text, err = object.Text("text", maxText); err != nil {
		return Request{}, err
	}
	return req, nil
}

// validPhone checks E.164 (G3).
func validPhone(phone string) bool {
	digits, ok := strings.CutPrefix(phone, "+")
	return ok && len(digits) >= 8 && len(digits) <= 15 && digits[0] != '0' && strings.Trim(digits, "0123456789") == ""
}

// sent is what became of a message; a test key sends none.
type sent struct {
	message db.Message
	test    bool
}

// Send is the endpoint's action.
func (s *Service) Send() gate.Endpoint {
	return gate.Action[Request, sent]{
		Parse:  func(_ gate.Caller, body []byte) (Request, error) { return ParseRequest(body) },
		Effect: func(c gate.Caller) bool { return !c.Test() && s.carrier.Remote() },
		Do:     s.send,
		Settle: s.settle,
	}
}

func (s *Service) send(ctx context.Context, c gate.Caller, req Request) (sent, error) {
	if c.Test() {
		return sent{test: true}, nil
	}
	m := db.Message{
		ID:        db.NewID("msg_", s.clock()),
		AccountID: c.AccountID,
		KeyID:     c.KeyID,
		RequestID: c.RequestID,
		Provider:  s.carrier.Name(),
		Phone:     req.Phone,
		Template:  req.Template,
	}
	providerID, err := s.carrier.Send(ctx, carrier.Message{ID: m.ID, Phone: m.Phone, Template: m.Template, Text: req.Text})
	if err != nil {
		return sent{}, refusal(err)
	}
	m.ProviderID = providerID
	if !s.carrier.Remote() {
		m.Text = req.Text // nobody else has it
	}
	return sent{message: m}, nil
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
	return &fault.Error{
		Code:    code,
		Message: "message not confirmed: " + subject + e.Reason + "; nothing was charged",
		Err:     forLog(e),
	}
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

// answer is the body of seed 4.3.
type answer struct {
	Success           bool   `json:"success"`
	TestMode          bool   `json:"test_mode,omitempty"`
	LowBalanceWarning bool   `json:"low_balance_warning,omitempty"`
	BalanceCents      *int64 `json:"balance_cents,omitempty"`
}

func (s *Service) settle(tx *db.Tx, _ gate.Caller, out sent, receipt db.Receipt) (any, error) {
	if out.test {
		return answer{Success: true, TestMode: true}, nil
	}
	if err := tx.AddMessage(out.message); err != nil {
		return nil, err
	}
	a := answer{Success: true, LowBalanceWarning: receipt.LowBalance}
	if receipt.LowBalance {
		a.BalanceCents = &receipt.BalanceCents
	}
	return a, nil
}

// Unknown returns the account's newest calls of which nobody knows whether their
// message was sent (G4), at most limit.
func (s *Service) Unknown(ctx context.Context, accountID string, limit int) (all []db.Call, err error) {
	err = s.store.View(ctx, func(tx *db.Tx) (err error) {
		all, err = tx.UnknownCalls(accountID, limit)
		return err
	})
	return all, err
}

// List returns the account's newest messages, at most limit.
func (s *Service) List(ctx context.Context, accountID string, limit int) (all []db.Message, err error) {
	err = s.store.View(ctx, func(tx *db.Tx) (err error) {
		all, err = tx.Messages(accountID, limit)
		return err
	})
	return all, err
}
