package message

import (
	"context"
	"slices"
	"strings"

	"svc/db"
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

// API answers POST /api/v1/messaging/send.
type API struct{ service *Service }

// NewAPI returns the API of a service.
func NewAPI(s *Service) *API { return &API{s} }

// ParseRequest reads and checks the body of a send. Every fault names its field.
func ParseRequest(body []byte) (req Request, err error) {
	in := web.ReadObject(body)
	req.Phone = in.Text("phone", maxPhone)
	in.Require(validPhone(req.Phone), "phone", "must be in international format, like +447700900123: + and 8 to 15 digits, the first not 0, and nothing between them")
	req.Template = in.Text("template", maxName)
	in.Require(slices.Contains(templates, req.Template), "template", "must be "+strings.Join(templates, " or ")+"; otp is reserved")
	req.Text = in.Text("text", maxText)
	return req, in.Err()
}

// validPhone checks E.164 (G3).
func validPhone(phone string) bool {
	digits, ok := strings.CutPrefix(phone, "+")
	return ok && len(digits) >= 8 && len(digits) <= 15 && digits[0] != '0' && strings.Trim(digits, "0123456789") == ""
}

// sent is a message that was handed on; a test key sends none.
type sent struct {
	message db.Message
	test    bool
}

// Send is the endpoint's action.
func (a *API) Send() gate.Endpoint {
	return gate.Action[Request, sent]{
		Parse:     func(_ gate.Caller, body []byte) (Request, error) { return ParseRequest(body) },
		Effect:    func(c gate.Caller) bool { return !c.Test() && a.service.Carrier.Remote() },
		Recipient: recipient,
		Do:        a.send,
		Settle:    settle,
	}
}

// recipient names whom a message goes to, as long as it is in doubt (G4).
func recipient(req Request) string { return req.Phone }

func (a *API) send(ctx context.Context, c gate.Caller, req Request) (sent, error) {
	if c.Test() {
		return sent{test: true}, nil
	}
	m, err := a.service.Send(ctx, c.Principal, c.RequestID, req)
	return sent{message: m}, err
}

// answer is the body of seed 4.3.
type answer struct {
	Success           bool   `json:"success"`
	TestMode          bool   `json:"test_mode,omitempty"`
	LowBalanceWarning bool   `json:"low_balance_warning,omitempty"`
	BalanceCents      *int64 `json:"balance_cents,omitempty"`
}

func settle(tx *db.Tx, _ gate.Caller, out sent, receipt db.Receipt) (any, error) {
	if out.test {
		return answer{Success: true, TestMode: true}, nil
	}
	if err := tx.AddMessage(out.message); err != nil {
		return nil, err
	}
	body := answer{Success: true, LowBalanceWarning: receipt.LowBalance}
	if receipt.LowBalance {
		body.BalanceCents = &receipt.BalanceCents
	}
	return body, nil
}
