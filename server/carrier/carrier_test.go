package carrier

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

var receipt = Message{
	ID:       "msg_01j0000000000000000000000a",
	Phone:    "+4915112345678",
	Template: "receipt",
	Text:     "Thank you!\nTotal:\t12.50 EUR & more      soon",
}

// seen is a request as the provider got it.
type seen struct {
	*http.Request
	body []byte
}

// testProvider is a fake provider that records each request in full before it answers.
type testProvider struct {
	*httptest.Server
	requests chan seen
	count    atomic.Int64
}

func newProvider(t *testing.T, answer http.HandlerFunc) *testProvider {
	t.Helper()
	p := &testProvider{requests: make(chan seen, 16)}
	p.Server = httptest.NewServer(p.record(t, answer))
	t.Cleanup(p.Close)
	return p
}

func (p *testProvider) record(t *testing.T, answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("provider: read request: %v", err)
		}
		p.count.Add(1)
		p.requests <- seen{r, body}
		answer(w, r)
	}
}

// only returns the only request that reached the provider.
func (p *testProvider) only(t *testing.T) seen {
	t.Helper()
	if n := p.count.Load(); n != 1 {
		t.Fatalf("provider got %d requests, want 1", n)
	}
	r := <-p.requests
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key", "Accept-Encoding"} {
		if _, ok := r.Header[name]; ok {
			t.Errorf("request has the header %s", name)
		}
	}
	if r.Method != http.MethodPost || r.ProtoMajor != 1 {
		t.Errorf("request is %s %s, want POST with HTTP/1", r.Method, r.Proto)
	}
	return r
}

func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// sends sends the receipt and expects the provider's id.
func sends(t *testing.T, c Carrier, want string) {
	t.Helper()
	id, err := c.Send(t.Context(), receipt)
	if err != nil {
		t.Fatalf("Send: %v (%v)", err, errors.Unwrap(err))
	}
	if id != want {
		t.Errorf("id = %q, want %q", id, want)
	}
}

// fails sends the receipt and returns the expected *Error.
func fails(t *testing.T, ctx context.Context, c Carrier) *Error {
	t.Helper()
	id, err := c.Send(ctx, receipt)
	if id != "" {
		t.Errorf("id = %q with an error", id)
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("Send: %v, want an *Error", err)
	}
	if e.Provider != c.Name() {
		t.Errorf("error of %q, want %q", e.Provider, c.Name())
	}
	return e
}

func (e *Error) expect(t *testing.T, unknown bool, reason string) {
	t.Helper()
	if e.Unknown != unknown {
		t.Errorf("Unknown = %v, want %v", e.Unknown, unknown)
	}
	if e.Reason != reason {
		t.Errorf("Reason = %q\n     want %q", e.Reason, reason)
	}
	if e.Unknown != strings.HasSuffix(e.Reason, mayBeSent) {
		t.Errorf("Unknown = %v, but Reason is %q (%v)", e.Unknown, e.Reason, e.Err)
	}
}

func TestNameAndRemote(t *testing.T) {
	tests := []struct {
		carrier Carrier
		name    string
		remote  bool
	}{
		{NewWhatsApp(WhatsApp{}), "whatsapp", true},
		{NewTwilio(Twilio{}), "twilio", true},
		{NewWebhook(Webhook{}), "webhook", true},
		{NewOutbox(), "outbox", false},
		{NewNone(), "none", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.carrier.Name(); got != test.name {
				t.Errorf("Name = %q, want %q", got, test.name)
			}
			if got := test.carrier.Remote(); got != test.remote {
				t.Errorf("Remote = %v, want %v", got, test.remote)
			}
		})
	}
}

func TestOutboxReturnsMessageID(t *testing.T) {
	sends(t, NewOutbox(), receipt.ID)
}

func TestNoneRefuses(t *testing.T) {
	e := fails(t, t.Context(), NewNone())
	e.expect(t, false, "no messaging provider is configured")
	if e.Unwrap() != nil {
		t.Errorf("cause = %v, want none", e.Err)
	}
}

func TestErrorTextOmitsCause(t *testing.T) {
	e := &Error{Provider: "whatsapp", Reason: "refused the message: no", Err: io.ErrUnexpectedEOF}
	if got, want := e.Error(), "whatsapp: refused the message: no"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if !errors.Is(e, io.ErrUnexpectedEOF) {
		t.Error("errors.Is does not find the cause")
	}
}
