// Package stripetest is a fake Stripe server for tests. It has Stripe's three calls for
// checkout sessions, records requests, lets a test act as the payer, signs events, and
// fails on demand.
//
// It is stricter than Stripe where that finds mistakes: it refuses unknown parameters.
// It uses only the test's clock.
package stripetest

import (
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

// DefaultKey is the secret key that the server accepts unless its Key is set.
const DefaultKey = "sk_test_fake"

// PayMode is how the button "Pay" of the payer's page pays.
type PayMode string

const (
	// Paid is like a card: the session is paid at once. It is the default.
	Paid PayMode = "paid"
	// Delayed is like a bank debit: the session is complete but unpaid until Settle or
	// FailDelayed.
	Delayed PayMode = "delayed"
)

// Stripe is a running fake server. Tests set its fields before the first call.
type Stripe struct {
	URL     string  // base address of the API (stripe.Config.API) and of the payer's pages
	Key     string  // the secret key of valid calls (default DefaultKey)
	Live    bool    // sessions are live
	PayMode PayMode // default Paid

	t    testing.TB
	now  func() time.Time
	done chan struct{} // closed when the test ends

	mu       sync.Mutex
	sessions []*Session
	replies  map[string]reply // by idempotency key
	requests []Request
	faults   []fault // of the next calls, in order
	down     bool
	hang     *hang // nil unless calls hang
}

// New starts a server with the clock now. It stops when the test ends.
func New(t testing.TB, now func() time.Time) *Stripe {
	t.Helper()
	s := &Stripe{
		Key:     DefaultKey,
		t:       t,
		now:     now,
		done:    make(chan struct{}),
		replies: map[string]reply{},
	}
	server := httptest.NewServer(s.routes())
	s.URL = server.URL
	t.Cleanup(func() {
		close(s.done) // server.Close would wait for a hanging call
		server.Close()
	})
	return s
}

func (s *Stripe) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/checkout/sessions", s.api(s.create))
	mux.HandleFunc("GET /v1/checkout/sessions/{id}", s.api(s.retrieve))
	mux.HandleFunc("POST /v1/checkout/sessions/{id}/expire", s.api(s.expire))
	mux.HandleFunc("/v1/", s.api(unrecognized))
	mux.HandleFunc("GET /pay/{id}", s.page(s.show))
	mux.HandleFunc("POST /pay/{id}/pay", s.page(s.pressPay))
	mux.HandleFunc("POST /pay/{id}/cancel", s.page(s.pressCancel))
	return mux
}

// Request is a recorded call of the API. Requests of the payer's pages and calls while the
// server is Down are not recorded.
type Request struct {
	Method         string
	Path           string
	IdempotencyKey string
	StripeVersion  string
	Form           url.Values  // the query and the body
	Header         http.Header // without Authorization
}

func newRequest(r *http.Request) Request {
	header := r.Header.Clone()
	header.Del("Authorization")
	return Request{
		Method:         r.Method,
		Path:           r.URL.Path,
		IdempotencyKey: r.Header.Get("Idempotency-Key"),
		StripeVersion:  r.Header.Get("Stripe-Version"),
		Form:           maps.Clone(r.Form),
		Header:         header,
	}
}

// Requests returns the calls of the API so far, including failed ones.
func (s *Stripe) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// newID returns a new random id in the form of Stripe's.
func newID(prefix string) string { return fmt.Sprintf("%s%s%s", prefix, rand.Text(), rand.Text()) }
