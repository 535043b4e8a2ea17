// Package web is the HTTP side of every handler. A handler returns an error, and one
// place turns it into an answer. Every request gets an id, a client address, security
// headers, recovery from panics and a line in the log. The package knows nothing of
// keys, money or the store.
package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"svc/server/fault"
)

// Handler answers a request, or returns the error that is the answer.
type Handler func(w *Response, r *http.Request) error

// Response is the answer in progress and the facts about its request.
type Response struct {
	http.ResponseWriter
	// RequestID is our id of the request (`req_…`), in the log, the ledger and
	// X-Request-Id.
	RequestID string
	// ClientRequestID is the caller's own X-Request-Id, cut to maxClientRequestID. The
	// answer echoes it whole.
	ClientRequestID string
	// Address is the client's, seen through trusted proxies.
	Address netip.Addr
	// Started is when the request came in.
	Started time.Time
	// KeyID and AccountID are those of the API key, or AccountID that of the browser's
	// session, once they are known; for the log.
	KeyID, AccountID string
	// Quiet keeps a routine success out of the log, unless it logs everything.
	Quiet bool
	// Route is the pattern that matched, empty if none did. Logs name it and
	// never the path, which may hold a token.
	Route string
	// Params are the values of the route's variables.
	Params interface{ ByName(string) string }

	status       int
	bytes        int64 // of the body so far
	failed       error
	code         fault.Code
	cause        error
	beforeHeader func(*Response)
}

// SetHeader sets a header of the answer, which must not have begun.
func (w *Response) SetHeader(name, value string) { w.Header().Set(name, value) }

// WriteHeader records the status and lets the frame add what every answer carries.
func (w *Response) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	w.beforeHeader(w)
	w.ResponseWriter.WriteHeader(status)
}

func (w *Response) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Status is the status that was sent, 0 as long as none was.
func (w *Response) Status() int { return w.status }

// Code is the code of the error that was sent, empty if there was none.
func (w *Response) Code() fault.Code { return w.code }

// Fail stores a handler's error, since handlers of the router return none. Err returns
// it to the frame.
func (w *Response) Fail(err error) { w.failed = err }

// Err is what Fail was given.
func (w *Response) Err() error { return w.failed }

// Send answers with an encoded JSON body.
func (w *Response) Send(status int, body []byte) {
	w.Header()["Content-Type"] = jsonType
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone is no fault of ours
}

// Redirect sends a browser on with a GET, after a form was posted.
func (w *Response) Redirect(to string) error {
	w.SetHeader("Location", to)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// JSON answers with v.
func (w *Response) JSON(status int, v any) error {
	body, err := Encode(v)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	w.Send(status, body)
	return nil
}

// Header values that all answers share. They are never changed.
var (
	jsonType      = []string{"application/json"}
	noSniff       = []string{"nosniff"}
	noReferrer    = []string{"no-referrer"}
	noStore       = []string{"no-store"}
	oneYear       = []string{"max-age=31536000"}
	contentPolicy = []string{"default-src 'none'; frame-ancestors 'none'"}
)

// Frame wraps every handler.
type Frame struct {
	Log   *slog.Logger
	Clock func() time.Time
	// NewID makes a request id.
	NewID func(time.Time) string
	// Proxies are trusted to name the client in X-Forwarded-For (A6).
	Proxies []netip.Prefix
	// HTTPS tells browsers to come by https only: the public address has it.
	HTTPS bool
	// Translate turns errors of other packages into a fault.Error, or returns nil.
	Translate func(error) *fault.Error
	// BeforeHeader may add headers to any answer. It runs before they are sent.
	BeforeHeader func(*Response, *http.Request)
	// Observer counts the requests; nil: nobody does.
	Observer Observer

	warnOfProxy sync.Once
}

// Observer is told of every request. Each waits for it, so it must take no time.
type Observer interface {
	Began()
	// Ended is called once for each Began. The status is 0 if the connection was cut.
	Ended(w *Response, r *http.Request, took time.Duration)
}

// Handle returns an http.Handler that runs inner within the frame. A router inside
// receives a *Response as its ResponseWriter.
func (f *Frame) Handle(inner Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		started := f.Clock()
		w := &Response{
			ResponseWriter:  out,
			RequestID:       f.NewID(started),
			ClientRequestID: cut(r.Header.Get("X-Request-Id"), maxClientRequestID),
			Address:         clientAddress(r, f.Proxies),
			Started:         started,
		}
		w.beforeHeader = func(w *Response) { f.BeforeHeader(w, r) }
		if f.Observer != nil {
			f.Observer.Began()
			defer func() { f.Observer.Ended(w, r, f.Clock().Sub(started)) }()
		}
		writeCommonHeaders(w, r)
		if f.HTTPS {
			w.Header()["Strict-Transport-Security"] = oneYear
		}
		f.checkForwarded(r)

		f.call(inner, w, r)
		f.logRequest(r, w)
	})
}

// maxClientRequestID bounds the part of the caller's id that is kept, in bytes.
const maxClientRequestID = 200

func cut(s string, limit int) string {
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "")
	}
	return s
}

func writeCommonHeaders(w *Response, r *http.Request) {
	header := w.Header()
	header["X-Request-Id"] = []string{w.RequestID}
	header["X-Content-Type-Options"] = noSniff
	header["Referrer-Policy"] = noReferrer
	header["Cache-Control"] = noStore
	header["Content-Security-Policy"] = contentPolicy
	if theirs := r.Header.Get("X-Request-Id"); theirs != "" {
		header["X-Client-Request-Id"] = []string{theirs}
	}
}

// call runs the handler; a panic becomes an unexpected fault.
func (f *Frame) call(inner Handler, w *Response, r *http.Request) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if v == http.ErrAbortHandler {
			panic(v) // net/http's own way to cut the connection
		}
		w.write(unexpected(fmt.Errorf("panic: %v\n%s", v, debug.Stack())))
	}()
	if err := inner(w, r); err != nil {
		w.write(f.Resolve(err, r))
	}
}

// Resolve returns the answer to err.
func (f *Frame) Resolve(err error, r *http.Request) *fault.Error {
	var e *fault.Error
	if errors.As(err, &e) {
		return e
	}
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return &fault.Error{Code: clientGone, Message: "client closed the request"}
	}
	if e := f.Translate(err); e != nil {
		return e
	}
	return unexpected(err)
}

func (f *Frame) logRequest(r *http.Request, w *Response) {
	level := slog.LevelInfo
	switch {
	case w.status >= 500 && w.code != fault.SetupRequired && w.code != fault.Busy:
		level = slog.LevelError
	case w.Quiet:
		level = slog.LevelDebug
	}
	ctx := context.Background()
	if !f.Log.Enabled(ctx, level) {
		return
	}
	if r.Method == http.MethodHead {
		w.bytes = 0 // net/http dropped the body
	}
	attrs := make([]slog.Attr, 0, 12)
	attrs = append(attrs,
		slog.String("id", w.RequestID),
		slog.String("method", r.Method),
		slog.String("route", w.Route),
		slog.Int("status", w.status),
		slog.Float64("duration_ms", milliseconds(f.Clock().Sub(w.Started))),
		slog.Int64("bytes", w.bytes),
		slog.String("address", w.Address.String()))
	if w.AccountID != "" {
		attrs = append(attrs, slog.String("account", w.AccountID))
	}
	if w.KeyID != "" {
		attrs = append(attrs, slog.String("key", w.KeyID))
	}
	if w.code != "" {
		attrs = append(attrs, slog.String("code", string(w.code)))
	}
	if w.ClientRequestID != "" {
		attrs = append(attrs, slog.String("client_id", w.ClientRequestID))
	}
	if w.cause != nil {
		attrs = append(attrs, slog.Any("cause", w.cause))
	}
	f.Log.LogAttrs(ctx, level, "request", attrs...)
}

// milliseconds returns a duration in milliseconds, to the microsecond.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
