package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"svc/server/fault"
)

// The codes that only HTTP has.
const (
	CrossOrigin      fault.Code = "cross_origin"
	MethodNotAllowed fault.Code = "method_not_allowed"
	HeaderTooLarge   fault.Code = "header_too_large"
	clientGone       fault.Code = "client_gone"
)

// statuses are the HTTP statuses of all codes (seed 7).
var statuses = map[fault.Code]int{
	fault.InvalidRequest:    http.StatusBadRequest,
	fault.InvalidKey:        http.StatusUnauthorized,
	fault.InsufficientFunds: http.StatusPaymentRequired,
	fault.KeyDisabled:       http.StatusForbidden,
	fault.ModeForbidden:     http.StatusForbidden,
	fault.SignInRequired:    http.StatusUnauthorized,
	fault.WrongPassword:     http.StatusUnauthorized,
	CrossOrigin:             http.StatusForbidden,
	fault.Forbidden:         http.StatusForbidden,
	fault.NotFound:          http.StatusNotFound,
	MethodNotAllowed:        http.StatusMethodNotAllowed,
	HeaderTooLarge:          http.StatusRequestHeaderFieldsTooLarge,
	fault.Conflict:          http.StatusConflict,
	fault.Gone:              http.StatusGone,
	fault.NotIdentified:     http.StatusUnprocessableEntity,
	fault.RateLimited:       http.StatusTooManyRequests,
	fault.TooManyTries:      http.StatusTooManyRequests,
	fault.QuotaExceeded:     http.StatusTooManyRequests,
	fault.Internal:          http.StatusInternalServerError,
	fault.ProviderFailed:    http.StatusBadGateway,
	fault.InProgress:        http.StatusBadGateway,
	fault.OutcomeUnknown:    http.StatusBadGateway,
	fault.Unavailable:       http.StatusServiceUnavailable,
	fault.Busy:              http.StatusServiceUnavailable,
	fault.SetupRequired:     http.StatusServiceUnavailable,
	clientGone:              499, // never reaches anyone; it is for the log
}

// Codes returns all codes in the order of their names.
func Codes() []fault.Code { return slices.Sorted(maps.Keys(statuses)) }

// Status returns the HTTP status of an error's code.
func Status(e *fault.Error) int {
	if status, ok := statuses[e.Code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// Body returns what the caller gets: `error`, a sentence (seed 2.6), and the details
// of its code (seed 7).
func Body(e *fault.Error) []byte {
	fields := map[string]any{"error": e.Text()}
	maps.Copy(fields, e.Details)
	body, err := Encode(fields)
	if err != nil {
		return []byte(`{"error":"internal error"}` + "\n")
	}
	return body
}

// UserError returns the error in err that whoever sent a form can mend, if only by sending
// it again in a moment, or nil: for no error, and for a fault of ours.
func UserError(err error) *fault.Error {
	var e *fault.Error
	if errors.As(err, &e) && (e.Code == fault.Busy || Status(e) < http.StatusInternalServerError) {
		return e
	}
	return nil
}

// unexpected returns the answer to an error that is not a fault.Error: the caller
// learns nothing of it (A9).
func unexpected(err error) *fault.Error {
	return &fault.Error{Code: fault.Internal, Message: "internal error", Err: err}
}

// Seconds returns a wait in whole seconds, rounded up and at least 1.
func Seconds(d time.Duration) int64 { return max(1, int64(math.Ceil(d.Seconds()))) }

// SetCode sets the error code of an answer whose stored bytes are sent. The frame sets
// the code of a returned error itself.
func (w *Response) SetCode(code fault.Code) {
	w.code = code
	w.SetHeader("X-Error-Code", string(code))
}

// Record sets the error of an answer in its headers and the log. The caller writes the
// body, such as a page.
func (w *Response) Record(e *fault.Error) {
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
func (w *Response) write(e *fault.Error) {
	w.Record(e)
	if w.status == 0 {
		w.Send(Status(e), Body(e))
	}
}

// Encode writes v as JSON with a line's end, and without escaping what only
// HTML would need escaped.
func Encode(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return out.Bytes(), err
}
