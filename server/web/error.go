package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Code is the stable name of an error, sent as X-Error-Code (A9). Its HTTP
// status stands in one table.
type Code string

const (
	InvalidRequest    Code = "invalid_request"
	InvalidKey        Code = "invalid_key"
	InsufficientFunds Code = "insufficient_funds"
	KeyDisabled       Code = "key_disabled"
	ModeForbidden     Code = "mode_forbidden"
	SignInRequired    Code = "sign_in_required"
	WrongPassword     Code = "wrong_password"
	CrossOrigin       Code = "cross_origin"
	Forbidden         Code = "forbidden"
	NotFound          Code = "not_found"
	MethodNotAllowed  Code = "method_not_allowed"
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
	SetupRequired     Code = "setup_required"
	clientGone        Code = "client_gone"
)

var statuses = map[Code]int{
	InvalidRequest:    http.StatusBadRequest,
	InvalidKey:        http.StatusUnauthorized,
	InsufficientFunds: http.StatusPaymentRequired,
	KeyDisabled:       http.StatusForbidden,
	ModeForbidden:     http.StatusForbidden,
	SignInRequired:    http.StatusUnauthorized,
	WrongPassword:     http.StatusUnauthorized,
	CrossOrigin:       http.StatusForbidden,
	Forbidden:         http.StatusForbidden,
	NotFound:          http.StatusNotFound,
	MethodNotAllowed:  http.StatusMethodNotAllowed,
	Conflict:          http.StatusConflict,
	Gone:              http.StatusGone,
	NotIdentified:     http.StatusUnprocessableEntity,
	RateLimited:       http.StatusTooManyRequests,
	TooManyTries:      http.StatusTooManyRequests,
	QuotaExceeded:     http.StatusTooManyRequests,
	Internal:          http.StatusInternalServerError,
	ProviderFailed:    http.StatusBadGateway,
	InProgress:        http.StatusBadGateway,
	OutcomeUnknown:    http.StatusBadGateway,
	Unavailable:       http.StatusServiceUnavailable,
	SetupRequired:     http.StatusServiceUnavailable,
	clientGone:        499, // never reaches anyone; it is for the log
}

// Error is the one way to answer with an error: a stable code, a sentence for
// the caller, and a cause for the log alone.
type Error struct {
	Code    Code
	Message string
	Err     error // never sent
	// Extra are further fields of the body (seed 7), or another `error`.
	Extra map[string]any
	// RetryAfter is sent in whole seconds, rounded up, when above zero.
	RetryAfter time.Duration
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }

// Status is the HTTP status of the error's code.
func (e *Error) Status() int {
	if status, ok := statuses[e.Code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// Body is what the caller gets: at least `error`, a sentence (seed 2.6).
func (e *Error) Body() []byte {
	fields := map[string]any{"error": e.Message}
	for name, value := range e.Extra {
		fields[name] = value
	}
	body, err := Encode(fields)
	if err != nil {
		return []byte(`{"error":"internal error"}` + "\n")
	}
	return body
}

// Invalid is a 400: the field at fault and what is wrong with it (A9).
func Invalid(field, problem string) *Error {
	return &Error{Code: InvalidRequest, Message: field + ": " + problem}
}

// Field is the field that an Invalid names, empty for any other error.
func (e *Error) Field() string {
	field, _, found := strings.Cut(e.Message, ": ")
	if e.Code != InvalidRequest || !found {
		return ""
	}
	return field
}

// Sentence is the message as a page says it: "The password must have…".
func (e *Error) Sentence() string {
	message := e.Message
	if field := e.Field(); field != "" {
		name, ok := fieldNames[field]
		if !ok {
			name = field
		}
		message = "the " + name + strings.TrimPrefix(message, field+":")
	}
	first, size := utf8.DecodeRuneInString(message)
	return string(unicode.ToUpper(first)) + message[size:] + "."
}

// fieldNames are what people call a field that programs call otherwise.
var fieldNames = map[string]string{
	"email": "e-mail", "current": "current password", "name": "name of the business", "body": "form",
}

// UserError is the error as far as whoever sent a form can mend it; nil for none
// and for a fault of ours.
func UserError(err error) *Error {
	var e *Error
	if errors.As(err, &e) && e.Status() < http.StatusInternalServerError {
		return e
	}
	return nil
}

// AsError finds the Error in err. Anything else is an unexpected fault, of which
// the caller learns nothing (A9).
func AsError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: Internal, Message: "internal error", Err: err}
}

// Seconds rounds up, and never to zero: a caller that waits that long is let in.
func Seconds(d time.Duration) int64 { return max(1, int64(math.Ceil(d.Seconds()))) }

// SetCode names the error of an answer that is sent as it was stored; that of a
// returned Error is set by itself.
func (w *Response) SetCode(code Code) {
	w.code = code
	w.SetHeader("X-Error-Code", string(code))
}

// Record notes the error of an answer, for its headers and the log, and leaves
// the body to the caller: a page, where a person asked.
func (w *Response) Record(e *Error) {
	w.code, w.cause = e.Code, e.Err
	if w.status != 0 {
		return // the answer has begun; the log is all that is left
	}
	w.SetCode(e.Code)
	if e.RetryAfter > 0 {
		w.SetHeader("Retry-After", strconv.FormatInt(Seconds(e.RetryAfter), 10))
	}
}

// write answers with the error, unless an answer has begun.
func (w *Response) write(e *Error) {
	w.Record(e)
	if w.status == 0 {
		w.Send(e.Status(), e.Body())
	}
}

// Encode writes v as JSON with a line's end, and without escaping what only
// HTML would need escaped.
func Encode(v any) ([]byte, error) {
	var out buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return out, err
}

type buffer []byte

func (b *buffer) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}
