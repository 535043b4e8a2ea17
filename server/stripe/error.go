package stripe

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"svc/server/redact"

	"github.com/stripe/stripe-go/v76"
)

// Kind sorts failures by what to do about them.
type Kind int

const (
	// Refused: Stripe refused the request and would refuse it again.
	Refused Kind = iota + 1
	// NotFound: the key's account has no such session.
	NotFound
	// Unavailable: there was no reliable answer, so Stripe may have acted. The same
	// order may be tried again with its idempotency key.
	Unavailable
	// Misconfigured: the secret key is missing, wrong, or lacks the permission.
	Misconfigured
)

// kinds has the name of each kind for the log, and the sentence for payers, which
// replaces Stripe's own text: that may be meaningless to a payer or disclose too much.
var kinds = [...]struct{ name, reason string }{
	Refused:       {"refused", "Stripe does not accept this payment."},
	NotFound:      {"not found", "Stripe does not know this payment."},
	Unavailable:   {"unavailable", "Stripe did not answer as it should. Please try again in a moment."},
	Misconfigured: {"misconfigured", "Payments are not set up correctly here."},
}

// String returns the name of the kind for the log.
func (k Kind) String() string {
	if k >= Refused && int(k) < len(kinds) {
		return kinds[k].name
	}
	return fmt.Sprintf("kind %d", int(k))
}

// Error is why a call returned no session. Its texts never contain the secret key, nor
// Stripe's message about a parameter, which may quote a payer's link.
type Error struct {
	Kind   Kind
	Code   string // Stripe's error code, like amount_too_small, or its error type if there is no code
	Reason string // a sentence for the payer
	Err    error  // the cause, for the log
}

// Error returns the kind and the cause for the log. Payers are shown the Reason.
func (e *Error) Error() string {
	if e.Err == nil {
		return "stripe: " + e.Kind.String()
	}
	return fmt.Sprintf("stripe: %v: %v", e.Kind, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func newError(kind Kind, cause error) *Error {
	return &Error{Kind: kind, Reason: kinds[kind].reason, Err: cause}
}

// payerCodes are the refusals whose message is about the amount only, so that the payer
// is shown Stripe's own text (E6).
var payerCodes = map[stripe.ErrorCode]bool{
	stripe.ErrorCodeAmountTooSmall:      true,
	stripe.ErrorCodeAmountTooLarge:      true,
	stripe.ErrorCodeInvalidChargeAmount: true,
}

// stripeError returns the *Error for an error object of Stripe.
func (r redactor) stripeError(e *stripe.Error) *Error {
	kind := kindOf(e.HTTPStatusCode)
	refusal := newError(kind, errors.New(r.describe(kind, e)))
	refusal.Code = r.Clean(cmp.Or(string(e.Code), string(e.Type)))
	if kind == Refused && payerCodes[e.Code] {
		refusal.Reason = cmp.Or(r.Clean(e.Msg), refusal.Reason)
	}
	return refusal
}

func kindOf(status int) Kind {
	switch {
	case status == http.StatusNotFound:
		return NotFound
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return Misconfigured
	case status == http.StatusConflict, status == http.StatusTooManyRequests:
		return Unavailable
	case status >= 400 && status <= 499:
		return Refused
	}
	return Unavailable
}

// describe returns the text of Stripe's error for the log. It omits the message, which
// may quote a parameter and can be found by the request id in Stripe's dashboard, unless
// it is about the key: then the operator needs it.
func (r redactor) describe(kind Kind, e *stripe.Error) string {
	parts := []string{fmt.Sprintf("HTTP %d", e.HTTPStatusCode)}
	add := func(name, value string) {
		if value = r.Clean(value); value != "" {
			parts = append(parts, name+value)
		}
	}
	add("", string(e.Type))
	add("code ", string(e.Code))
	add("parameter ", e.Param)
	add("request ", e.RequestID)
	if kind == Misconfigured {
		add("", e.Msg)
	}
	return strings.Join(parts, ", ")
}

// maxTextRunes bounds what is kept of a text from outside.
const maxTextRunes = 300

// redactor hides the secret key.
type redactor struct{ redact.Redactor }

func newRedactor(key string) redactor { return redactor{redact.New(maxTextRunes, key)} }
