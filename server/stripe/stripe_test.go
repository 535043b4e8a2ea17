package stripe

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"svc/server/stripe/stripetest"
)

var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// clock always shows noon.
func clock() time.Time { return noon }

// order returns an order that Stripe accepts.
func order() Order {
	return Order{
		IdempotencyKey: "ch_01j0000000000000000000000a-1",
		Reference:      "ch_01j0000000000000000000000a",
		Amount:         1250,
		Currency:       "gbp",
		Description:    "Repair of a bicycle & two bells",
		SuccessURL:     "https://svc.example/charges/t0ken?done=1",
		CancelURL:      "https://svc.example/charges/t0ken",
		ExpiresAt:      noon.Add(31 * time.Minute),
	}
}

// calls are the three calls, for tests that apply to each.
var calls = map[string]func(context.Context, Provider) error{
	"Create": func(ctx context.Context, p Provider) error {
		_, err := p.Create(ctx, order())
		return err
	},
	"Session": func(ctx context.Context, p Provider) error {
		_, err := p.Session(ctx, "cs_test_a1")
		return err
	},
	"Expire": func(ctx context.Context, p Provider) error {
		_, err := p.Expire(ctx, "cs_test_a1")
		return err
	},
}

func eachCall(t *testing.T, do func(t *testing.T, call func(context.Context, Provider) error)) {
	for name, call := range calls {
		t.Run(name, func(t *testing.T) { do(t, call) })
	}
}

// newFake starts a fake Stripe and returns it with a client.
func newFake(t *testing.T) (*stripetest.Stripe, *Client) {
	t.Helper()
	fake := stripetest.New(t, clock)
	return fake, New(Config{Key: fake.Key, API: fake.URL})
}

// newServer starts a server for answers that stripetest cannot give.
func newServer(t *testing.T, answer http.HandlerFunc) (*httptest.Server, *Client) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return server, New(Config{Key: stripetest.DefaultKey, API: server.URL})
}

func create(t *testing.T, p Provider, o Order) Session {
	t.Helper()
	s, err := p.Create(t.Context(), o)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	return s
}

// fails expects an *Error of a kind that contains neither the key nor a link.
func fails(t *testing.T, err error, kind Kind) *Error {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("error = %v, want an *Error", err)
	}
	if e.Kind != kind {
		t.Errorf("kind = %v, want %v (%v)", e.Kind, kind, e)
	}
	if e.Err == nil {
		t.Fatalf("%v has no cause for the log", e)
	}
	if !strings.HasSuffix(e.Reason, ".") {
		t.Errorf("Reason = %q, want a sentence", e.Reason)
	}
	for _, text := range []string{e.Error(), e.Reason, e.Code, e.Err.Error()} {
		if strings.Contains(text, stripetest.DefaultKey) {
			t.Errorf("%q contains the key", text)
		}
		if strings.Contains(text, "t0ken") {
			t.Errorf("%q contains a link", text)
		}
		if strings.ContainsAny(text, "\r\n\t\x00") || len([]rune(text)) > 2*maxTextRunes {
			t.Errorf("%q is not one short line", text)
		}
	}
	return e
}

func TestErrorText(t *testing.T) {
	cause := errors.New("dial tcp: connection refused")
	e := newError(Unavailable, cause)
	if got, want := e.Error(), "stripe: unavailable: dial tcp: connection refused"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if !errors.Is(e, cause) {
		t.Error("errors.Is does not find the cause")
	}
	if got, want := (&Error{Kind: NotFound}).Error(), "stripe: not found"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
}

func TestKindString(t *testing.T) {
	names := map[Kind]string{
		Refused: "refused", NotFound: "not found", Unavailable: "unavailable", Misconfigured: "misconfigured",
		0: "kind 0", 99: "kind 99",
	}
	for kind, name := range names {
		if kind.String() != name {
			t.Errorf("Kind(%d) = %q, want %q", int(kind), kind, name)
		}
	}
	reasons := map[string]bool{}
	for _, kind := range kinds[Refused:] {
		reasons[kind.reason] = true
	}
	if len(reasons) != 4 {
		t.Errorf("%d reasons for 4 kinds", len(reasons))
	}
}
