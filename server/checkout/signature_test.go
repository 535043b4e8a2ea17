package checkout_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/servertest"
)

// A webhook without a valid, recent signature is refused before its body is read (E3).
func TestWebhookSignature(t *testing.T) {
	s, c, session := newPayment(t)
	s.Stripe.Pay(session.ID)
	payload := s.Stripe.Event(session.ID, servertest.CheckoutCompleted)
	now := s.Clock.Now()
	good := s.Stripe.Sign(payload, servertest.WebhookSecret, now)
	send := func(body []byte, signature string) servertest.Answer {
		t.Helper()
		return s.Call(t, "POST", "/webhooks/stripe", body, servertest.WithHeader("Stripe-Signature", signature))
	}
	before, trace := s.DumpPayments(t), s.Trace()

	tampered := bytes.Replace(payload, []byte(`"amount_total": 1250`), []byte(`"amount_total": 1251`), 1)
	longest := append(slices.Clone(payload), bytes.Repeat([]byte(" "), 64<<10-len(payload))...)
	tooLong := append(slices.Clone(longest), ' ')
	for name, test := range map[string]struct {
		body      []byte
		signature string
	}{
		"Unsigned":     {payload, ""},
		"Garbage":      {payload, "t=,v1="},
		"OtherSecret":  {payload, s.Stripe.Sign(payload, "whsec_other", now)},
		"EmptySecret":  {payload, s.Stripe.Sign(payload, "", now)},
		"Tampered":     {tampered, good},
		"SpaceAdded":   {append(slices.Clone(payload), ' '), good},
		"Old":          {payload, s.Stripe.Sign(payload, servertest.WebhookSecret, now.Add(-301*time.Second))},
		"Future":       {payload, s.Stripe.Sign(payload, servertest.WebhookSecret, now.Add(301*time.Second))},
		"NoScheme":     {payload, strings.Replace(good, "v1=", "v0=", 1)},
		"EmptyBody":    {nil, good},
		"EmptySigned":  {nil, s.Stripe.Sign(nil, servertest.WebhookSecret, now)},
		"NoJSON":       {[]byte("{"), s.Stripe.Sign([]byte("{"), servertest.WebhookSecret, now)},
		"NoEvent":      {[]byte("{}"), s.Stripe.Sign([]byte("{}"), servertest.WebhookSecret, now)},
		"TimeReplaced": {payload, strings.Replace(s.Stripe.Sign(payload, servertest.WebhookSecret, now.Add(-time.Hour)), "t=", "t="+fmt.Sprint(now.Unix())+",x=", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			a := send(test.body, test.signature)
			a.Expect(t, 400, "invalid_request")
			a.ExpectBody(t, 400, `{"error":"Stripe-Signature: does not fit the body, the secret or the time"}`+"\n")
		})
	}
	t.Run("TooLong", func(t *testing.T) {
		send(tooLong, s.Stripe.Sign(tooLong, servertest.WebhookSecret, now)).ExpectBody(t, 400, `{"error":"body: must be at most 64 KiB"}`+"\n")
	})
	t.Run("OtherMethods", func(t *testing.T) {
		for _, method := range []string{"GET", "PUT", "DELETE", "PATCH"} {
			a := s.Call(t, method, "/webhooks/stripe", payload, servertest.WithHeader("Stripe-Signature", good))
			a.Expect(t, 405, "method_not_allowed")
			if a.Header.Get("Allow") != "POST" {
				t.Errorf("Allow: %s", a.Header.Get("Allow"))
			}
		}
	})
	servertest.ExpectSame(t, before, s.DumpPayments(t))
	s.ExpectTrace(t, trace...)
	s.ExpectStatus(t, c, db.ChargePending)

	t.Run("EdgesOfTheTolerance", func(t *testing.T) {
		for _, age := range []time.Duration{-300 * time.Second, 300 * time.Second} {
			body := s.Stripe.Event(session.ID, "ping")
			send(body, s.Stripe.Sign(body, servertest.WebhookSecret, now.Add(age))).Expect(t, 200, "")
		}
	})
	t.Run("Longest", func(t *testing.T) {
		send(longest, s.Stripe.Sign(longest, servertest.WebhookSecret, now)).Expect(t, 200, "")
		s.ExpectStatus(t, c, db.ChargeApproved)
	})

	t.Run("EitherOfTwoSecrets", func(t *testing.T) {
		s := newCashier(t, func(c *server.Config) { c.Stripe.WebhookSecrets = []string{"whsec_old", "whsec_new"} })
		for secret, want := range map[string]int{"whsec_old": 200, "whsec_new": 200, "whsec_old,whsec_new": 400, servertest.WebhookSecret: 400} {
			c := s.MakeCharge(t, s.Live)
			session := s.Pay(t, c)
			s.Stripe.Pay(session.ID)
			payload := s.Stripe.Event(session.ID, servertest.CheckoutCompleted)
			a := s.Call(t, "POST", "/webhooks/stripe", payload, servertest.WithHeader("Stripe-Signature", s.Stripe.Sign(payload, secret, s.Clock.Now())))
			if a.Status != want || (s.StoredCharge(t, c).StatusAt(s.Clock.Now()) == db.ChargeApproved) != (want == 200) {
				t.Errorf("signed with %s: %d, want %d; charge %+v", secret, a.Status, want, s.StoredCharge(t, c))
			}
		}
	})

	for name, change := range map[string]func(*server.Config){
		"NoKey": servertest.WithoutStripe, "NoSecret": func(c *server.Config) { c.Stripe.WebhookSecrets = nil },
	} {
		t.Run(name, func(t *testing.T) {
			s := newCashier(t, change)
			for _, secret := range []string{servertest.WebhookSecret, ""} {
				a := s.Call(t, "POST", "/webhooks/stripe", payload, servertest.WithHeader("Stripe-Signature", s.Stripe.Sign(payload, secret, s.Clock.Now())))
				a.Expect(t, 503, "unavailable")
				a.ExpectBody(t, 503, `{"error":"payments are not set up"}`+"\n")
			}
			s.Call(t, "POST", "/webhooks/stripe", strings.Repeat("x", 65<<10)).Expect(t, 503, "unavailable")
			if !strings.Contains(s.Log.String(), "--stripe-webhook-secret") {
				t.Error("the log does not name the missing flag")
			}
			s.expectEvents(t, 0)
		})
	}
}

// When we fail, the answer is 500, so that Stripe sends the event again, which then has
// its effect.
func TestWebhookFailureIsRetried(t *testing.T) {
	check := func(t *testing.T, s *cashier, fail, mend func()) {
		t.Helper()
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		payload := s.Stripe.Event(session.ID, servertest.CheckoutCompleted)
		before := s.DumpPayments(t)
		fail()
		a := s.SignedEvent(t, s.Stripe, payload)
		mend()
		a.Expect(t, 500, "internal")
		a.ExpectBody(t, 500, `{"error":"internal error"}`+"\n")
		servertest.ExpectSame(t, before, s.DumpPayments(t))
		if !strings.Contains(s.Log.String(), `"level":"ERROR","msg":"request"`) {
			t.Errorf("log %s", s.Log)
		}

		s.Clock.Advance(time.Hour) // Stripe signs again
		s.SignedEvent(t, s.Stripe, payload).Expect(t, 200, "")
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.expectEvents(t, 1)
		s.expectMismatches(t)
	}
	for name, failure := range failures {
		if name == "NotFound" || name == "WithoutURL" {
			continue // not found is an answer, and a fetched session needs no URL
		}
		t.Run("Fetch"+name, func(t *testing.T) {
			s := newCashier(t)
			check(t, s, func() { failure.fail(s.Stripe) }, s.Stripe.Up)
		})
	}
	t.Run("FetchRefused", func(t *testing.T) {
		s := newCashier(t)
		check(t, s, func() { s.Stripe.Fail(400, `{"error":{"type":"invalid_request_error"}}`) }, func() {})
	})
	t.Run("StoreRefuses", func(t *testing.T) {
		s := newCashier(t)
		check(t, s, func() { servertest.SetVersion(t, s.Path, 99) }, func() { servertest.SetVersion(t, s.Path, 2) })
	})
	t.Run("WrongKeyUntilTheRestart", func(t *testing.T) {
		s := newCashier(t)
		broken := s.again(t, func(c *server.Config) { c.Stripe.Key = "sk_test_wrong" })
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		payload := s.Stripe.Event(session.ID, servertest.CheckoutCompleted)
		broken.SignedEvent(t, s.Stripe, payload).Expect(t, 500, "internal")
		s.ExpectStatus(t, c, db.ChargePending)
		s.SignedEvent(t, s.Stripe, payload).Expect(t, 200, "")
		s.ExpectStatus(t, c, db.ChargeApproved)
	})

	// Stripe hangs up before its own answer about the session arrives.
	t.Run("StripeHangsUp", func(t *testing.T) {
		s, calls := newTappedCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		arrived, release := make(chan struct{}), make(chan struct{})
		calls.intercept(func(int, *http.Request) (int, string) {
			close(arrived)
			<-release
			return 0, ""
		})
		ctx, hangUp := context.WithCancel(t.Context())
		payload := s.Stripe.Event(session.ID, servertest.CheckoutCompleted)
		gone := make(chan servertest.Answer)
		go func() {
			gone <- s.Call(t, "POST", "/webhooks/stripe", payload, servertest.WithContext(ctx),
				servertest.WithHeader("Stripe-Signature", s.Stripe.Sign(payload, servertest.WebhookSecret, s.Clock.Now())))
		}()
		servertest.Receive(t, arrived)
		hangUp()
		servertest.Receive(t, gone)
		close(release)
		servertest.Until(t, "the charge is approved", func() bool { return !s.StoredCharge(t, c).ApprovedAt.IsZero() })
	})
}
