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
	// Refused: Stripe understood and said no, and would say so again.
	Refused Kind = iota + 1
	// NotFound: there is no such session under this key.
	NotFound
	// Unavailable: nothing that can be relied on came back, so Stripe may have
	// acted. The same order may be tried again under its key.
	Unavailable
	// Misconfigured: the key is missing, wrong, or not allowed to do this.
	Misconfigured
)

// String is the kind as a log names it.
func (k Kind) String() string {
	switch k {
	case Refused:
		return "refused"
	case NotFound:
		return "not found"
	case Unavailable:
		return "unavailable"
	case Misconfigured:
		return "misconfigured"
	}
	return fmt.Sprintf("kind %d", int(k))
}

// reason is what a payer may read of a failure where Stripe's own words would
// say nothing to him, or too much.
func (k Kind) reason() string {
	switch k {
	case Refused:
		return "Stripe does not accept this payment."
	case NotFound:
		return "Stripe does not know this payment."
	case Misconfigured:
		return "Payments are not set up correctly here."
	}
	return "Stripe did not answer as it should. Please try again in a moment."
}

// Error says why a call gave no session. None of its texts holds the secret key,
// nor what Stripe says of a parameter, which may quote the link of a payer.
type Error struct {
	Kind   Kind
	Code   string // Stripe's error code, such as amount_too_small; its error type where it gave no code
	Reason string // a sentence that may be shown to a payer
	Err    error  // the cause, for the log
}

// Error names the kind and the cause. It is for the log; a payer gets the Reason.
func (e *Error) Error() string {
	if e.Err == nil {
		return "stripe: " + e.Kind.String()
	}
	return fmt.Sprintf("stripe: %v: %v", e.Kind, e.Err)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

func newError(kind Kind, cause error) *Error {
	return &Error{Kind: kind, Reason: kind.reason(), Err: cause}
}

// payerCodes are the refusals whose message speaks of nothing but the amount, so
// that the payer may read it as Stripe wrote it (E6).
var payerCodes = map[stripe.ErrorCode]bool{
	stripe.ErrorCodeAmountTooSmall:      true,
	stripe.ErrorCodeAmountTooLarge:      true,
	stripe.ErrorCodeInvalidChargeAmount: true,
}

// refused words an error that Stripe itself gave.
func (r redactor) refused(e *stripe.Error) *Error {
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

// describe words Stripe's error for the log. Its message is left out, since it
// may quote a parameter; the request id finds it in Stripe's dashboard. Only a
// message about the key stays: it says what the operator has to change.
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

// redactor hides the secret key, which is never empty once a call is made.
type redactor struct{ redact.Redactor }

func newRedactor(key string) redactor { return redactor{redact.New(maxTextRunes, key)} }
