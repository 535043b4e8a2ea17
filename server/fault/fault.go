// Package fault is the error of the domain: a stable code, the field at fault, a
// sentence for whoever asked, and a cause for the log alone. Services return it, and
// each front end words it in its own way: package web as an HTTP answer, package views
// on a page, the commands on stderr. It knows nothing of HTTP.
package fault

import (
	"fmt"
	"time"
)

// Code is the stable name of an error. The API sends it as X-Error-Code (A9).
type Code string

// The codes of the domain. Package web maps each to an HTTP status, and adds those
// that only HTTP has.
const (
	InvalidRequest    Code = "invalid_request"
	InvalidKey        Code = "invalid_key"
	InsufficientFunds Code = "insufficient_funds"
	KeyDisabled       Code = "key_disabled"
	ModeForbidden     Code = "mode_forbidden"
	SignInRequired    Code = "sign_in_required"
	WrongPassword     Code = "wrong_password"
	Forbidden         Code = "forbidden"
	NotFound          Code = "not_found"
	Conflict          Code = "conflict"
	Gone              Code = "gone"
	NotIdentified     Code = "not_identified"
	RateLimited       Code = "rate_limited"
	TooManyTries      Code = "too_many_tries"
	QuotaExceeded     Code = "quota_exceeded"
	Internal          Code = "internal"
	ProviderFailed    Code = "provider_failed"
	InProgress        Code = "in_progress"
	OutcomeUnknown    Code = "outcome_unknown"
	Unavailable       Code = "unavailable"
	Busy              Code = "busy" // a new try in a moment may succeed
	SetupRequired     Code = "setup_required"
)

// Error is an error that may be shown to whoever caused it.
type Error struct {
	Code    Code
	Field   string // the field at fault, as the API names it; empty: none
	Message string // what is wrong; with a Field, what is wrong with it
	Err     error  // for the log; never shown
	// Details are further facts, by their name in the API (seed 7).
	Details map[string]any
	// RetryAfter is when a new try makes sense, if above zero.
	RetryAfter time.Duration
}

// Invalid returns an InvalidRequest: a field and what is wrong with it (A9).
func Invalid(field, problem string) *Error {
	return &Error{Code: InvalidRequest, Field: field, Message: problem}
}

// Because sets the cause of an error: what is stored, or a file, contradicts the request.
// The commands tell by it a value that can never be right from one that is refused now.
func (e *Error) Because(err error) *Error {
	e.Err = err
	return e
}

// Text returns the message with the field before it, as the API and the commands
// print it: "phone: is required".
func (e *Error) Text() string {
	if e.Field == "" {
		return e.Message
	}
	return e.Field + ": " + e.Message
}

// Error returns the code, the text and the cause, for the log.
func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Text(), e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Text())
}

func (e *Error) Unwrap() error { return e.Err }
