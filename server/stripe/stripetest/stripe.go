// Package stripetest is a Stripe for tests: a server that speaks the three calls of
// checkout sessions as Stripe does, remembers what was asked, lets a test play
// the payer, signs events, and fails on demand.
//
// It is stricter than Stripe where that finds mistakes: it takes no parameter
// that it does not know. It keeps time by the test's clock alone.
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

// DefaultKey is the secret key that a stand-in takes unless its Key is set.
const DefaultKey = "sk_test_standin"

// PagesPay says how the payer's button "Pay" pays.
type PagesPay string

const (
	// Paid is a card: the money is there at once. It is the default.
	Paid PagesPay = "paid"
	// Delayed is a bank debit: the session is complete and still unpaid, until
	// Settle or FailDelayed.
	Delayed PagesPay = "delayed"
)

// Stripe is a running stand-in. Its fields are set before the first call.
type Stripe struct {
	URL      string   // base address, for pay.Config.API and of the payer's pages
	Key      string   // the secret key that calls must carry; DefaultKey unless set
	Live     bool     // makes its sessions live
	PagesPay PagesPay // Paid unless set

	t     testing.TB
	now   func() time.Time
	ended chan struct{} // closed when the test ends

	mu       sync.Mutex
	sessions []*Session
	replies  map[string]reply // by idempotency key
	requests []Request
	faults   []fault // the next calls' own, in order
	down     bool
	hang     *hang // nil unless calls are kept
}

// New starts a stand-in that ends with the test. now is its clock.
func New(t testing.TB, now func() time.Time) *Stripe {
	t.Helper()
	s := &Stripe{
		Key:     DefaultKey,
		t:       t,
		now:     now,
		ended:   make(chan struct{}),
		replies: map[string]reply{},
	}
	server := httptest.NewServer(s.routes())
	s.URL = server.URL
	t.Cleanup(func() {
		close(s.ended) // Close would wait for a call that hangs
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

// Request is one call of the API as it arrived. The payer's pages are not among
// them, nor is what arrived while the stand-in was down.
type Request struct {
	Method         string
	Path           string
	IdempotencyKey string
	StripeVersion  string
	Form           url.Values  // of the query and the body
	Header         http.Header // all but Authorization
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

// Requests are the calls of the API so far, also those that failed.
func (s *Stripe) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// newID makes an id in the shape of Stripe's, unlike any other.
func newID(prefix string) string { return fmt.Sprintf("%s%s%s", prefix, rand.Text(), rand.Text()) }
