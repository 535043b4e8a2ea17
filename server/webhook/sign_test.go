package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"svc/db/event"
	"svc/server/webhook"
)

// TestStandardVector signs what the tests of Standard Webhooks' libraries sign.
func TestStandardVector(t *testing.T) {
	headers, err := webhook.Sign(webhook.Secrets{Current: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
		"msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"webhook-id":        "msg_p5jXN8AQM9LWM0D4loKWxJek",
		"webhook-timestamp": "1614265330",
		"webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
	}
	for _, h := range headers {
		if text, ok := want[h.Name]; ok && h.Value != text {
			t.Errorf("%s: %s, want %s", h.Name, h.Value, text)
		}
		delete(want, h.Name)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}

func TestSignRefusesBadSecrets(t *testing.T) {
	const good = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	for _, s := range []webhook.Secrets{{}, {Current: "whsec_"}, {Current: "whsec_%%"}, {Current: good, Old: "whsec_"}} {
		if headers, err := webhook.Sign(s, "evt_1", time.Unix(0, 0), nil); err == nil {
			t.Errorf("%q: signed as %v", s, headers)
		}
	}
}

// verifies reports whether Standard Webhooks' own library accepts a request. The time of the
// test is not the library's, so only what it proves of the timestamp is checked.
func verifies(t testing.TB, secret string, header http.Header, body []byte) bool {
	t.Helper()
	library, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	return library.VerifyIgnoringTimestamp(body, header) == nil
}

// serviceSignature is X-Service-Signature as a receiver computes it (K3).
func serviceSignature(secret string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

func TestReceiverVerifies(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := newReceiver(t, nil)
	w, secret := s.subscribe(t, r.URL+"/hooks", event.SaleCreated)
	e := s.emit(t, event.Sale{ID: "sale_1", Currency: "gbp", Total: 900})
	s.deliver(t)

	got := r.expect(t, 1)[0]
	if got.method != "POST" || got.path != "/hooks" || got.Get("Content-Type") != "application/json" ||
		got.Get("User-Agent") != "svc-webhook/1" || got.id() != e.ID || string(got.body) != string(e.Body) {
		t.Errorf("got %+v %s", got, got.body)
	}
	if !verifies(t, secret, got.Header, got.body) {
		t.Error("the library refuses it")
	}
	if got.Get("X-Service-Signature") != serviceSignature(secret, got.body) || got.Get("X-Service-Signature-Next") != "" {
		t.Errorf("X-Service-Signature %q, next %q", got.Get("X-Service-Signature"), got.Get("X-Service-Signature-Next"))
	}
	if w.Secret == nil || strings.Contains(string(w.Secret), secret) || !strings.HasPrefix(secret, "whsec_") || len(secret) != len("whsec_")+44 {
		t.Errorf("secret %q, stored %q", secret, w.Secret)
	}

	_, other := s.subscribe(t, r.URL, event.StockLow)
	for what, change := range map[string]func(http.Header, []byte) (string, []byte){
		"id": func(h http.Header, b []byte) (string, []byte) { h.Set("webhook-id", "evt_other"); return secret, b },
		"timestamp": func(h http.Header, b []byte) (string, []byte) {
			h.Set("webhook-timestamp", "1614265330")
			return secret, b
		},
		"signature": func(h http.Header, b []byte) (string, []byte) {
			h.Set("webhook-signature", strings.Replace(h.Get("webhook-signature"), "v1,", "v1,A", 1))
			return secret, b
		},
		"version": func(h http.Header, b []byte) (string, []byte) {
			h.Set("webhook-signature", strings.Replace(h.Get("webhook-signature"), "v1,", "v2,", 1))
			return secret, b
		},
		"byte":    func(_ http.Header, b []byte) (string, []byte) { b[len(b)/2] ^= 1; return secret, b },
		"cut":     func(_ http.Header, b []byte) (string, []byte) { return secret, b[:len(b)-1] },
		"longer":  func(_ http.Header, b []byte) (string, []byte) { return secret, append(b, ' ') },
		"secret":  func(_ http.Header, b []byte) (string, []byte) { return other, b },
		"missing": func(h http.Header, b []byte) (string, []byte) { h.Del("webhook-signature"); return secret, b },
	} {
		header := got.Header.Clone()
		with, body := change(header, append([]byte(nil), got.body...))
		if verifies(t, with, header, body) {
			t.Errorf("the library accepts another %s", what)
		}
	}
}

func TestRotation(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := newReceiver(t, nil)
	w, first := s.subscribe(t, r.URL, event.StockLow)
	send := func() request {
		t.Helper()
		before := len(r.requests())
		s.emit(t, event.Stock{})
		s.deliver(t)
		return r.expect(t, before+1)[before]
	}
	expect := func(got request, service, next string, accepted ...string) {
		t.Helper()
		for _, secret := range accepted {
			if !verifies(t, secret, got.Header, got.body) {
				t.Errorf("refused with %s", secret)
			}
		}
		if n := len(strings.Fields(got.Get("webhook-signature"))); n != len(accepted) {
			t.Errorf("%d signatures, want %d", n, len(accepted))
		}
		if got.Get("X-Service-Signature") != serviceSignature(service, got.body) {
			t.Error("X-Service-Signature is made with another secret")
		}
		if next == "" && got.Get("X-Service-Signature-Next") != "" || next != "" && got.Get("X-Service-Signature-Next") != serviceSignature(next, got.body) {
			t.Errorf("X-Service-Signature-Next %q", got.Get("X-Service-Signature-Next"))
		}
	}
	rotate := func(overlap time.Duration) string {
		t.Helper()
		_, secret, err := s.App.Webhooks.RotateSecret(t.Context(), s.account.ID, w.ID, webhook.Rotation{Overlap: overlap})
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}

	expect(send(), first, "", first)
	second := rotate(webhook.DefaultOverlap)
	expect(send(), first, second, second, first)
	s.Clock.Advance(24*time.Hour - time.Millisecond)
	expect(send(), first, second, second, first)
	s.Clock.Advance(time.Millisecond)
	expect(send(), second, "", second)
	if s.find(t, w).OldSecret != nil {
		t.Error("the old secret is kept after the overlap")
	}

	// A second rotation within the overlap ends the first secret; none keeps no old one.
	third := rotate(time.Hour)
	fourth := rotate(time.Hour)
	expect(send(), third, fourth, fourth, third)
	fifth := rotate(0)
	expect(send(), fifth, "", fifth)
	for _, overlap := range []time.Duration{-1, webhook.MaxOverlap + 1} {
		if _, _, err := s.App.Webhooks.RotateSecret(t.Context(), s.account.ID, w.ID, webhook.Rotation{Overlap: overlap}); err == nil {
			t.Errorf("overlap %v is accepted", overlap)
		}
	}
}
