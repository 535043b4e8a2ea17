package checkout_test

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/servertest"
	"svc/server/stripe/stripetest"
)

// failures are failed calls to Stripe.
var failures = map[string]struct {
	fail func(*stripetest.Stripe)
	made int // sessions that Stripe has nevertheless
}{
	"Down":          {(*stripetest.Stripe).Down, 0},
	"Cut":           {(*stripetest.Stripe).Cut, 1},
	"ServerError":   {failWith(500, `{"error":{"type":"api_error","message":"boom"}}`), 0},
	"Overloaded":    {failWith(503, `<html>busy</html>`), 0},
	"RateLimited":   {failWith(429, `{"error":{"type":"invalid_request_error","code":"rate_limit"}}`), 0},
	"KeyInUse":      {failWith(409, `{"error":{"type":"idempotency_error"}}`), 0},
	"Redirect":      {failWith(302, ``), 0},
	"NoBody":        {failWith(200, ``), 0},
	"Page":          {failWith(200, `<html>`), 0},
	"OtherObject":   {failWith(200, `{"object":"customer","id":"cus_1"}`), 0},
	"WithoutURL":    {failWith(200, `{"object":"checkout.session","id":"cs_test_1","url":null}`), 0},
	"NotFound":      {failWith(404, `{"error":{"type":"invalid_request_error"}}`), 0},
	"KeyRefused":    {failWith(401, `{"error":{"type":"invalid_request_error","message":"Invalid API Key provided"}}`), 0},
	"KeyNotAllowed": {failWith(403, `{"error":{"type":"invalid_request_error"}}`), 0},
}

func failWith(status int, body string) func(*stripetest.Stripe) {
	return func(s *stripetest.Stripe) { s.Fail(status, body) }
}

// When Stripe fails, the page says so and the charge stays payable. The next attempt
// repeats the request, so that it gets the session if Stripe made one (E2).
func TestPayFails(t *testing.T) {
	for name, failure := range failures {
		t.Run(name, func(t *testing.T) {
			s, c := newCharge(t)
			failure.fail(s.Stripe)
			s.expectTryAgain(t, c, s.Press(t, c, "pay"))
			s.Stripe.Up()
			s.expectAttempts(t, c.ID, "1 creating")
			if got := len(s.Stripe.Sessions()); got != failure.made {
				t.Fatalf("%d sessions at Stripe, want %d", got, failure.made)
			}

			s.Clock.Advance(20 * time.Minute) // a later retry is the same request, too
			made := s.Pay(t, c)
			if made.IdempotencyKey != c.ID+"-1" || len(s.Stripe.Sessions()) != 1 {
				t.Errorf("the retry's key is %q, and %d sessions were made", made.IdempotencyKey, len(s.Stripe.Sessions()))
			}
			s.expectAttempts(t, c.ID, "1 open")
			s.complete(t, made.ID)
			s.ExpectStatus(t, c, db.ChargeApproved)
		})
	}

	t.Run("Hangs", func(t *testing.T) {
		s, c := newCharge(t)
		arrived := s.Stripe.Hang()
		answer := make(chan servertest.Answer, 1)
		go func() { answer <- s.Press(t, c, "pay") }()
		servertest.Receive(t, arrived)
		s.Show(t, c, "").ExpectPage(t, 200, "Pay £12.50") // other requests do not wait
		s.Stripe.Up()
		s.expectTryAgain(t, c, servertest.Receive(t, answer))
		s.Pay(t, c)
		s.ExpectTrace(t, "create 1", "create 1")
	})

	// The payer closes the window, and Stripe answers after that.
	t.Run("PayerHangsUp", func(t *testing.T) {
		s, calls := newTappedCashier(t)
		c := s.MakeCharge(t, s.Live)
		arrived, release := make(chan struct{}), make(chan struct{})
		calls.intercept(func(int, *http.Request) (int, string) {
			close(arrived)
			<-release
			return 0, ""
		})
		ctx, hangUp := context.WithCancel(t.Context())
		gone := make(chan servertest.Answer)
		go func() {
			gone <- s.Call(t, "POST", c.Path()+"/pay", nil, servertest.WithContext(ctx))
		}()
		servertest.Receive(t, arrived)
		hangUp()
		servertest.Receive(t, gone)
		close(release)
		servertest.Until(t, "the session is stored", func() bool {
			return slices.Equal(s.attempts(t, c.ID), []string{"1 open"})
		})
	})

	// Stripe repeats even its own 500 for the same Idempotency-Key, for a day.
	t.Run("TwiceMakesANewKey", func(t *testing.T) {
		s, c := newCharge(t)
		for range 2 {
			s.Stripe.Fail(500, `{"error":{"type":"api_error"}}`)
			s.expectTryAgain(t, c, s.Press(t, c, "pay"))
		}
		s.expectAttempts(t, c.ID, "1 over")
		s.Pay(t, c)
		s.ExpectTrace(t, "create 1", "create 1", "create 2")
		s.expectAttempts(t, c.ID, "1 over", "2 open")
	})

	t.Run("CutTwice", func(t *testing.T) {
		s, c := newCharge(t)
		for range 2 {
			s.Stripe.Cut()
			s.expectTryAgain(t, c, s.Press(t, c, "pay"))
		}
		made := s.Pay(t, c)
		s.ExpectTrace(t, "create 1", "create 1", "create 2")
		s.complete(t, made.ID)
		s.ExpectStatus(t, c, db.ChargeApproved)
	})

	// It is too late to repeat the request: its session would be too short for Stripe.
	t.Run("RetryTooLateMakesANewRequest", func(t *testing.T) {
		s, c := newCharge(t)
		s.Clock.Advance(week - 31*time.Minute)
		s.Stripe.Down()
		s.Press(t, c, "pay")
		s.Stripe.Up()
		s.Clock.Advance(time.Minute)
		s.Pay(t, c) // its session has 30 minutes left
		s.expectAttempts(t, c.ID, "1 open")

		c = s.MakeCharge(t, s.Live)
		s.Clock.Advance(week - 31*time.Minute)
		s.Stripe.Down()
		s.Press(t, c, "pay")
		s.Stripe.Up()
		s.Clock.Advance(time.Minute + time.Millisecond)
		s.Pay(t, c)
		s.expectAttempts(t, c.ID, "1 over", "2 open")
	})

	// The links in the request have changed: Stripe refuses it under the old key, so a
	// new request is made.
	t.Run("RetryAfterBaseURLChanged", func(t *testing.T) {
		s, c := newCharge(t)
		s.Stripe.Cut()
		s.Press(t, c, "pay")
		moved := s.again(t, func(c *server.Config) { c.ConsoleURL = "https://moved.example.com" })
		made := moved.Pay(t, c)
		s.ExpectTrace(t, "create 1", "create 1", "create 2")
		s.expectAttempts(t, c.ID, "1 over", "2 open")
		if want := "https://moved.example.com" + c.Path() + "/return"; made.SuccessURL != want {
			t.Errorf("success_url %q, want %q", made.SuccessURL, want)
		}
	})

	t.Run("WrongKey", func(t *testing.T) {
		const wrong = "sk_test_this_is_the_wrong_key"
		s := newCashier(t, func(c *server.Config) { c.Stripe.Key = wrong })
		c := s.MakeCharge(t, s.Live)
		for range 3 {
			s.expectTryAgain(t, c, s.Press(t, c, "pay"))
		}
		s.expectAttempts(t, c.ID, "1 creating")
		logged := s.Log.String()
		if !strings.Contains(logged, `"level":"ERROR"`) || !strings.Contains(logged, "misconfigured") || strings.Contains(logged, wrong) {
			t.Errorf("log %s", logged)
		}
		s.again(t).Pay(t, c) // with the right key
		s.expectAttempts(t, c.ID, "1 open")
	})

	// The earlier session must have ended before another is made.
	t.Run("EarlierSessionCannotBeEnded", func(t *testing.T) {
		for name, failure := range failures {
			if name == "NotFound" || name == "WithoutURL" {
				continue // these mean that the session has ended
			}
			t.Run(name, func(t *testing.T) {
				s, c, _ := newPayment(t)
				failure.fail(s.Stripe)
				s.expectTryAgain(t, c, s.Press(t, c, "pay"))
				s.Stripe.Up()
				s.expectAttempts(t, c.ID, "1 open")
				s.Pay(t, c)
				s.expectAttempts(t, c.ID, "1 over", "2 open")
				s.expectOpen(t, 1)
			})
		}
	})

	// Stripe refuses to end the session, which can still be paid, perhaps right now.
	t.Run("EarlierSessionStaysOpen", func(t *testing.T) {
		s, c := newCharge(t)
		first := s.Pay(t, c)
		for range 2 {
			s.Stripe.Fail(400, `{"error":{"type":"invalid_request_error","message":"A payment is in progress."}}`)
			s.expectTryAgain(t, c, s.Press(t, c, "pay"))
		}
		s.ExpectTrace(t, "create 1", "expire 1", "fetch 1", "expire 1", "fetch 1")
		s.expectAttempts(t, c.ID, "1 open")
		s.Stripe.Pay(first.ID)
		s.Press(t, c, "pay").ExpectPage(t, 409, "This is being paid already")
		s.expectOpen(t, 0)
	})

	t.Run("EarlierSessionCannotBeFetched", func(t *testing.T) {
		s, c := newCharge(t)
		s.Stripe.Pay(s.Pay(t, c).ID)
		s.Stripe.Fail(400, `{"error":{"type":"invalid_request_error"}}`)
		s.Stripe.Fail(500, ``)
		s.expectTryAgain(t, c, s.Press(t, c, "pay"))
		s.expectAttempts(t, c.ID, "1 open")
		s.Press(t, c, "pay").ExpectPage(t, 409, "This is being paid already")
	})
}

// expectTryAgain checks the page that is shown when Stripe fails.
func (s *cashier) expectTryAgain(t *testing.T, c servertest.Charge, a servertest.Answer) {
	t.Helper()
	a.ExpectErrorPage(t, 503, "unavailable", "The payment page cannot be reached just now, and no new payment was begun; try again in a moment, unless you have paid already.", "Pay £12.50")
	if got, want := a.Forms(), []string{c.Path() + "/pay"}; !slices.Equal(got, want) {
		t.Errorf("forms %v, want %v", got, want)
	}
	if a.Header.Get("Retry-After") != "5" {
		t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
	}
	s.ExpectStatus(t, c, db.ChargePending)
}

// When Stripe refuses a payment, the page says so, in Stripe's words if they are about
// the amount (E6), and the charge stays pending.
func TestPayRefused(t *testing.T) {
	const general = "Stripe does not accept this payment."
	for name, test := range map[string]struct {
		status        int
		code, message string
		says, hides   string
	}{
		"TooSmall":    {400, "amount_too_small", "The total amount must convert to at least 175.00 Ft.", "must convert to at least 175.00 Ft.", general},
		"TooLarge":    {400, "amount_too_large", "The amount must be no more than 999,999.99.", "no more than 999,999.99.", general},
		"OtherReason": {400, "parameter_invalid", "Invalid success_url: https://x/charges/t0ken", general, "t0ken"},
		"Card":        {402, "card_declined", "Your account t0ken is poor.", general, "t0ken"},
		"Markup":      {400, "amount_too_small", "<script>alert(1)</script>", "&lt;script&gt;", "<script>alert"},
	} {
		t.Run(name, func(t *testing.T) {
			s, c := newCharge(t)
			body, err := json.Marshal(map[string]any{"error": map[string]string{
				"type": "invalid_request_error", "code": test.code, "message": test.message,
			}})
			if err != nil {
				t.Fatal(err)
			}
			s.Stripe.Fail(test.status, string(body))
			refused := s.Press(t, c, "pay")
			refused.ExpectErrorPage(t, 409, "conflict", test.says)
			if refused.Says(test.hides) {
				t.Errorf("the page contains %q: %s", test.hides, refused.Body)
			}
			s.ExpectStatus(t, c, db.ChargePending)
			s.expectAttempts(t, c.ID, "1 over")
			s.Pay(t, c)
			s.ExpectTrace(t, "create 1", "create 2")
		})
	}

	// The fake Stripe applies Stripe's minimum.
	t.Run("AmountThatStripeCannotTake", func(t *testing.T) {
		s, c := newCharge(t)
		s.Exec(t, `UPDATE charges SET amount = 29`)
		s.Press(t, c, "pay").ExpectPage(t, 409, "must convert to at least 30 pence.")
		s.ExpectStatus(t, c, db.ChargePending)
	})
}
