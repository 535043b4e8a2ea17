package checkout_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/account"
	"svc/server/servertest"
	"svc/server/stripe"
	"svc/server/stripe/stripetest"
)

// cashier adds to the cashier of servertest what only these tests need.
type cashier struct{ *servertest.Cashier }

func newCashier(t *testing.T, change ...func(*server.Config)) *cashier {
	t.Helper()
	return &cashier{servertest.NewCashier(t, change...)}
}

// again opens a second appliance on the cashier's file, as another process does.
func (s *cashier) again(t *testing.T, change ...func(*server.Config)) *cashier {
	t.Helper()
	return &cashier{s.OpenAgain(t, change...)}
}

// How a payment is begun, proven and settled (E1–E4, C5): against a Stripe that
// fails, repeats itself, answers late, or is not believed.

const (
	asyncSucceeded = "checkout.session.async_payment_succeeded"
	asyncFailed    = "checkout.session.async_payment_failed"
	sessionExpired = "checkout.session.expired"

	week = 7 * 24 * time.Hour
)

func TestPay(t *testing.T) {
	t.Run("SessionIsExactly", func(t *testing.T) {
		s := newCashier(t, func(c *server.Config) { c.ConsoleURL = "https://console.example.com" })
		c := s.MakeCharge(t, s.Live)
		a := s.Press(t, c, "pay")

		made := s.Stripe.Sessions()[0]
		if a.Status != 303 || a.Header.Get("Location") != s.Stripe.URL+"/pay/"+made.ID {
			t.Errorf("answer %d to %q, want Stripe's page", a.Status, a.Header.Get("Location"))
		}
		want := url.Values{
			"mode":                {"payment"},
			"client_reference_id": {c.ID},
			"metadata[reference]": {c.ID},
			"payment_intent_data[metadata][reference]":      {c.ID},
			"line_items[0][quantity]":                       {"1"},
			"line_items[0][price_data][currency]":           {"gbp"},
			"line_items[0][price_data][unit_amount]":        {"1250"},
			"line_items[0][price_data][product_data][name]": {"Invoice 17"},
			"success_url": {c.Link + "/return"},
			"cancel_url":  {c.Link},
			"expires_at":  {fmt.Sprint(s.Clock.Now().Add(24 * time.Hour).Unix())},
		}
		if !strings.HasPrefix(c.Link, "https://console.example.com/charges/") || made.Params.Encode() != want.Encode() {
			t.Errorf("parameters\n%v, want\n%v", made.Params, want)
		}
		if made.IdempotencyKey != c.ID+"-1" {
			t.Errorf("Idempotency-Key %q, want %s-1", made.IdempotencyKey, c.ID)
		}
		s.ExpectStatus(t, c, db.ChargePending)
		s.wantTries(t, c.ID, "1 open")
	})

	t.Run("NameIsCut", func(t *testing.T) {
		s := newCashier(t)
		for n, name := range map[int]string{250: strings.Repeat("💷", 250), 251: strings.Repeat("💷", 249) + "…", 500: strings.Repeat("💷", 249) + "…"} {
			full := strings.Repeat("💷", n)
			made := s.Pay(t, s.MakeCharge(t, s.Live, "description", `"`+full+`"`))
			description := full
			if n == 250 {
				description = ""
			}
			if made.Name != name || made.Description != description {
				t.Errorf("of %d characters the name is %q, the description %q", n, made.Name, made.Description)
			}
		}
	})

	// The session lives as long as the charge does, within what Stripe takes.
	for name, test := range map[string]struct{ left, life time.Duration }{
		"WholeLife": {week, 24 * time.Hour}, "MoreThanADay": {24*time.Hour + time.Second, 24 * time.Hour},
		"LessThanADay": {24*time.Hour - time.Second, 24*time.Hour - time.Second}, "Hours": {10 * time.Hour, 10 * time.Hour},
		"JustAbove": {31*time.Minute + time.Second, 31*time.Minute + time.Second}, "JustBelow": {31*time.Minute - time.Second, 31 * time.Minute},
		"Minutes": {5 * time.Minute, 31 * time.Minute}, "AlmostNothing": {time.Second, 31 * time.Minute},
	} {
		t.Run("Life"+name, func(t *testing.T) {
			s := newCashier(t)
			c := s.MakeCharge(t, s.Live)
			s.Clock.Advance(week - test.left)
			made := s.Pay(t, c)
			if got := made.ExpiresAt.Sub(s.Clock.Now()); got != test.life {
				t.Errorf("with %v left the session lives %v, want %v", test.left, got, test.life)
			}
		})
	}

	t.Run("LifeOfAFractionOfASecond", func(t *testing.T) {
		s := newCashier(t)
		s.Clock.Advance(999 * time.Millisecond)
		c := s.MakeCharge(t, s.Live)
		made := s.Pay(t, c)
		if got, want := made.ExpiresAt, s.Clock.Now().Add(24*time.Hour).Truncate(time.Second); !got.Equal(want) {
			t.Errorf("ends at %v, want %v: never after a day", got, want)
		}
		s.Clock.Advance(week - time.Millisecond)
		if made := s.Pay(t, c); made.ExpiresAt.Sub(s.Clock.Now()) < 30*time.Minute {
			t.Errorf("ends at %v, sooner than Stripe takes", made.ExpiresAt)
		}
	})

	t.Run("EndedCharge", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.Clock.Advance(week)
		before := s.DumpPayments(t)
		page := s.Show(t, c, "")
		page.ExpectPage(t, 410, "This payment request has ended")
		page.ExpectNoForms(t)
		refused := s.Press(t, c, "pay")
		refused.ExpectPage(t, 409, "This payment request has ended")
		refused.ExpectNoForms(t)
		servertest.ExpectSame(t, before, s.DumpPayments(t))
		s.ExpectTrace(t)
	})

	// Whoever presses Pay again pays by the newest session alone.
	t.Run("AgainEndsTheEarlierSession", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		for range 3 {
			s.Pay(t, c)
		}
		s.ExpectTrace(t, "create 1", "expire 1", "create 2", "expire 2", "create 3")
		s.wantTries(t, c.ID, "1 over", "2 over", "3 open")
		s.wantOpen(t, 1)
	})

	t.Run("AgainAfterTheSessionEnded", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.Pay(t, c)
		s.Clock.Advance(25 * time.Hour)
		s.Pay(t, c)
		s.ExpectTrace(t, "create 1", "expire 1", "fetch 1", "create 2")
		s.wantTries(t, c.ID, "1 over", "2 open")
	})

	t.Run("AgainAfterItEndedAndStripeSaidSo", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		first := s.Pay(t, c)
		s.Stripe.Expire(first.ID)
		s.TakeEvent(t, first.ID, sessionExpired)
		s.wantTries(t, c.ID, "1 over")
		s.Pay(t, c)
		s.ExpectTrace(t, "create 1", "fetch 1", "create 2")
	})

	// The payer has paid, and Stripe's event is still on its way.
	for name, how := range map[string]func(*stripetest.Stripe, string){"Paid": (*stripetest.Stripe).Pay, "PaidSlowly": (*stripetest.Stripe).PayDelayed} {
		t.Run("AgainAfter"+name, func(t *testing.T) {
			s := newCashier(t)
			c := s.MakeCharge(t, s.Live)
			session := s.Pay(t, c)
			how(s.Stripe, session.ID)

			refused := s.Press(t, c, "pay")
			refused.Expect(t, 409, "conflict")
			refused.ExpectPage(t, 409, "This is being paid already", "Please do not pay again")
			refused.ExpectNoForms(t)
			s.ExpectTrace(t, "create 1", "expire 1", "fetch 1")
			s.wantTries(t, c.ID, "1 processing")
			s.ExpectStatus(t, c, db.ChargePending)
			s.Show(t, c, "/status").ExpectState(t, "processing")

			refused = s.Press(t, c, "pay")
			refused.ExpectPage(t, 409, "Please do not pay again")
			s.ExpectTrace(t, "create 1", "expire 1", "fetch 1")

			if name == "PaidSlowly" {
				s.Stripe.Settle(session.ID)
			}
			s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
			s.ExpectStatus(t, c, db.ChargeApproved)
			s.wantTries(t, c.ID, "1 paid")
		})
	}

	// It came to nothing, and Stripe's event is still on its way.
	t.Run("AgainAfterASlowPaymentFailed", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.PayDelayed(session.ID)
		s.Stripe.FailDelayed(session.ID)
		s.Pay(t, c)
		s.ExpectTrace(t, "create 1", "expire 1", "fetch 1", "create 2")
		s.wantTries(t, c.ID, "1 over", "2 open")
	})

	t.Run("AfterApproval", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.settled(t, c)
		before, trace := s.DumpPayments(t), s.Trace()
		refused := s.Press(t, c, "pay")
		refused.ExpectPage(t, 409, "Paid", "The payment is confirmed")
		refused.ExpectNoForms(t)
		servertest.ExpectSame(t, before, s.DumpPayments(t))
		s.ExpectTrace(t, trace...)
	})
}

// The return page believes nobody: it shows that it waits, and changes nothing (E2).
func TestReturn(t *testing.T) {
	s := newCashier(t)
	c := s.MakeCharge(t, s.Live)
	s.Show(t, c, "/return").ExpectPage(t, 200, "Pay GBP 12.50") // nobody was sent to pay yet
	s.Show(t, c, "/status").ExpectState(t, "pay")
	session := s.Pay(t, c)
	before, trace := s.DumpPayments(t), s.Trace()
	for _, paid := range []bool{false, true} {
		if paid {
			s.Stripe.Pay(session.ID)
		}
		for _, tail := range []string{"/return", "/return?session_id=" + session.ID + "&payment_status=paid"} {
			page := s.Show(t, c, tail)
			page.ExpectPage(t, 200, "Payment not confirmed yet", `data-address="`+c.Path()+`/status"`, `http-equiv="refresh"`)
			page.ExpectNoForms(t)
		}
		s.Show(t, c, "/status").ExpectState(t, "processing")
	}
	servertest.ExpectSame(t, before, s.DumpPayments(t))
	s.ExpectTrace(t, trace...)
	s.ExpectStatus(t, c, db.ChargePending)
	s.Show(t, c, "").ExpectPage(t, 200, "Pay GBP 12.50") // the payer may have turned back

	s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
	s.Show(t, c, "/status").ExpectState(t, "approved")
	page := s.Show(t, c, "/return")
	page.ExpectPage(t, 200, "Paid", "The payment is confirmed")
	if page.Says("http-equiv") {
		t.Error("the page still watches")
	}
}

// Who has paid in the last minutes comes back after the end, and is not told that
// nothing can be paid any more.
func TestReturnAfterTheEnd(t *testing.T) {
	servertest.Sequential(t)
	for _, paid := range []bool{true, false} {
		t.Run(fmt.Sprint("Paid", paid), func(t *testing.T) {
			s := newCashier(t)
			c := s.MakeCharge(t, s.Live)
			s.Clock.Advance(week - 5*time.Minute)
			session := s.Pay(t, c)
			if paid {
				s.Stripe.Pay(session.ID)
			}
			s.Clock.Advance(5 * time.Minute)
			s.ExpectStatus(t, c, db.ChargeExpired)
			page := s.Show(t, c, "/return")
			page.ExpectPage(t, 200, "Payment not confirmed yet", `data-state="processing"`)
			page.ExpectNoForms(t)
			s.Show(t, c, "/status").ExpectState(t, "processing")
			s.Show(t, c, "").ExpectPage(t, 410, "This payment request has ended", "If you have paid already, the payment counts")

			s.Sweep(t)
			if paid {
				s.Show(t, c, "/status").ExpectState(t, "approved")
				s.Show(t, c, "/return").ExpectPage(t, 200, "Paid")
				return
			}
			s.Show(t, c, "/status").ExpectState(t, "expired")
			s.Show(t, c, "/return").ExpectPage(t, 410, "This payment request has ended")
		})
	}
}

// calls that fail, and what stands at Stripe after.
var failures = map[string]struct {
	fail func(*stripetest.Stripe)
	made int // sessions, though no answer came
}{
	"Down":          {(*stripetest.Stripe).Down, 0},
	"Cut":           {(*stripetest.Stripe).Cut, 1},
	"ServerError":   {answers(500, `{"error":{"type":"api_error","message":"boom"}}`), 0},
	"Overloaded":    {answers(503, `<html>busy</html>`), 0},
	"RateLimited":   {answers(429, `{"error":{"type":"invalid_request_error","code":"rate_limit"}}`), 0},
	"KeyInUse":      {answers(409, `{"error":{"type":"idempotency_error"}}`), 0},
	"Redirect":      {answers(302, ``), 0},
	"NoBody":        {answers(200, ``), 0},
	"Page":          {answers(200, `<html>`), 0},
	"OtherObject":   {answers(200, `{"object":"customer","id":"cus_1"}`), 0},
	"WithoutURL":    {answers(200, `{"object":"checkout.session","id":"cs_test_1","url":null}`), 0},
	"NotFound":      {answers(404, `{"error":{"type":"invalid_request_error"}}`), 0},
	"KeyRefused":    {answers(401, `{"error":{"type":"invalid_request_error","message":"Invalid API Key provided"}}`), 0},
	"KeyNotAllowed": {answers(403, `{"error":{"type":"invalid_request_error"}}`), 0},
}

func answers(status int, body string) func(*stripetest.Stripe) {
	return func(s *stripetest.Stripe) { s.Fail(status, body) }
}

// When Stripe fails, the page says so, the charge stays payable, and the next try is
// the same request: it gets the session that may have been made (E2).
func TestPayFails(t *testing.T) {
	for name, failure := range failures {
		t.Run(name, func(t *testing.T) {
			s := newCashier(t)
			c := s.MakeCharge(t, s.Live)
			failure.fail(s.Stripe)
			s.wantTryAgain(t, c, s.Press(t, c, "pay"))
			s.Stripe.Up()
			s.wantTries(t, c.ID, "1 creating")
			if got := len(s.Stripe.Sessions()); got != failure.made {
				t.Fatalf("%d sessions at Stripe, want %d", got, failure.made)
			}

			s.Clock.Advance(20 * time.Minute) // a retry is the same request, whenever it comes
			made := s.Pay(t, c)
			if made.IdempotencyKey != c.ID+"-1" || len(s.Stripe.Sessions()) != 1 {
				t.Errorf("the retry's key is %q, and %d sessions were made", made.IdempotencyKey, len(s.Stripe.Sessions()))
			}
			s.wantTries(t, c.ID, "1 open")
			s.Stripe.Pay(made.ID)
			s.TakeEvent(t, made.ID, servertest.CheckoutCompleted)
			s.ExpectStatus(t, c, db.ChargeApproved)
		})
	}

	t.Run("Hangs", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		arrived := s.Stripe.Hang()
		answer := make(chan servertest.Answer, 1)
		go func() { answer <- s.Press(t, c, "pay") }()
		servertest.Receive(t, arrived)
		s.Show(t, c, "").ExpectPage(t, 200, "Pay GBP 12.50") // nobody else waits
		s.Stripe.Up()
		s.wantTryAgain(t, c, servertest.Receive(t, answer))
		s.Pay(t, c)
		s.ExpectTrace(t, "create 1", "create 1")
	})

	// The payer has closed the window, and Stripe answers after that.
	t.Run("PayerHangsUp", func(t *testing.T) {
		s, calls := newWiredCashier(t)
		c := s.MakeCharge(t, s.Live)
		arrived, release := make(chan struct{}), make(chan struct{})
		calls.on(func(int, *http.Request) (int, string) {
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
		servertest.Until(t, "the session is known", func() bool {
			return slices.Equal(s.tries(t, c.ID), []string{"1 open"})
		})
	})

	// Stripe repeats even its own fault for the same key, for a day.
	t.Run("TwiceGivesANewKey", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		for range 2 {
			s.Stripe.Fail(500, `{"error":{"type":"api_error"}}`)
			s.wantTryAgain(t, c, s.Press(t, c, "pay"))
		}
		s.wantTries(t, c.ID, "1 over")
		s.Pay(t, c)
		s.ExpectTrace(t, "create 1", "create 1", "create 2")
		s.wantTries(t, c.ID, "1 over", "2 open")
	})

	t.Run("CutTwice", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		for range 2 {
			s.Stripe.Cut()
			s.wantTryAgain(t, c, s.Press(t, c, "pay"))
		}
		made := s.Pay(t, c)
		s.ExpectTrace(t, "create 1", "create 1", "create 2")
		s.Stripe.Pay(made.ID)
		s.TakeEvent(t, made.ID, servertest.CheckoutCompleted)
		s.ExpectStatus(t, c, db.ChargeApproved)
	})

	// Too late for the same request: its session would be too short for Stripe.
	t.Run("RetryOfAnOldTry", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.Clock.Advance(week - 31*time.Minute)
		s.Stripe.Down()
		s.Press(t, c, "pay")
		s.Stripe.Up()
		s.Clock.Advance(time.Minute)
		s.Pay(t, c) // 30 minutes are left to it
		s.wantTries(t, c.ID, "1 open")

		c = s.MakeCharge(t, s.Live)
		s.Clock.Advance(week - 31*time.Minute)
		s.Stripe.Down()
		s.Press(t, c, "pay")
		s.Stripe.Up()
		s.Clock.Advance(time.Minute + time.Millisecond)
		s.Pay(t, c)
		s.wantTries(t, c.ID, "1 over", "2 open")
	})

	// The links of the old request have changed: Stripe refuses it under its key, and
	// a new one is made.
	t.Run("RetryAfterTheAddressChanged", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.Stripe.Cut()
		s.Press(t, c, "pay")
		moved := s.again(t, func(c *server.Config) { c.ConsoleURL = "https://moved.example.com" })
		made := moved.Pay(t, c)
		s.ExpectTrace(t, "create 1", "create 1", "create 2")
		s.wantTries(t, c.ID, "1 over", "2 open")
		if want := "https://moved.example.com" + c.Path() + "/return"; made.SuccessURL != want {
			t.Errorf("leads to %q, want %q", made.SuccessURL, want)
		}
	})

	t.Run("WrongKey", func(t *testing.T) {
		const wrong = "sk_test_this_is_the_wrong_key"
		s := newCashier(t, func(c *server.Config) { c.Stripe.Key = wrong })
		c := s.MakeCharge(t, s.Live)
		for range 3 {
			s.wantTryAgain(t, c, s.Press(t, c, "pay"))
		}
		s.wantTries(t, c.ID, "1 creating")
		logged := s.Log.String()
		if !strings.Contains(logged, `"level":"ERROR"`) || !strings.Contains(logged, "misconfigured") || strings.Contains(logged, wrong) {
			t.Errorf("log %s", logged)
		}
		s.again(t).Pay(t, c) // with the right key
		s.wantTries(t, c.ID, "1 open")
	})

	// The earlier session must be over before there is another.
	t.Run("EarlierSessionCannotBeEnded", func(t *testing.T) {
		for name, failure := range failures {
			if name == "NotFound" || name == "WithoutURL" {
				continue // an end that is as good as any
			}
			t.Run(name, func(t *testing.T) {
				s := newCashier(t)
				c := s.MakeCharge(t, s.Live)
				s.Pay(t, c)
				failure.fail(s.Stripe)
				s.wantTryAgain(t, c, s.Press(t, c, "pay"))
				s.Stripe.Up()
				s.wantTries(t, c.ID, "1 open")
				s.Pay(t, c)
				s.wantTries(t, c.ID, "1 over", "2 open")
				s.wantOpen(t, 1)
			})
		}
	})

	// Stripe refuses to end it, and it can still be paid: perhaps it is, just now.
	t.Run("EarlierSessionStaysOpen", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		first := s.Pay(t, c)
		for range 2 {
			s.Stripe.Fail(400, `{"error":{"type":"invalid_request_error","message":"A payment is in progress."}}`)
			s.wantTryAgain(t, c, s.Press(t, c, "pay"))
		}
		s.ExpectTrace(t, "create 1", "expire 1", "fetch 1", "expire 1", "fetch 1")
		s.wantTries(t, c.ID, "1 open")
		s.Stripe.Pay(first.ID)
		s.Press(t, c, "pay").ExpectPage(t, 409, "This is being paid already")
		s.wantOpen(t, 0)
	})

	t.Run("EarlierSessionCannotBeFetched", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.Stripe.Pay(s.Pay(t, c).ID)
		s.Stripe.Fail(400, `{"error":{"type":"invalid_request_error"}}`)
		s.Stripe.Fail(500, ``)
		s.wantTryAgain(t, c, s.Press(t, c, "pay"))
		s.wantTries(t, c.ID, "1 open")
		s.Press(t, c, "pay").ExpectPage(t, 409, "This is being paid already")
	})
}

// wantTryAgain checks the page that follows a failure of Stripe's.
func (s *cashier) wantTryAgain(t *testing.T, c servertest.Charge, a servertest.Answer) {
	t.Helper()
	a.Expect(t, 503, "unavailable")
	a.ExpectPage(t, 503, "The payment page cannot be reached just now, and no new payment was begun; try again in a moment, unless you have paid already.", "Pay GBP 12.50")
	if got, want := a.Forms(), []string{c.Path() + "/pay"}; !slices.Equal(got, want) {
		t.Errorf("forms %v, want %v", got, want)
	}
	if a.Header.Get("Retry-After") != "5" {
		t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
	}
	s.ExpectStatus(t, c, db.ChargePending)
}

// What Stripe will not take is said, in its words where they are about the amount
// (E6), and the charge stays as it is.
func TestPayRefused(t *testing.T) {
	const general = "Stripe does not accept this payment."
	for name, test := range map[string]struct {
		status         int
		code, message  string
		says, saysNone string
	}{
		"TooSmall":    {400, "amount_too_small", "The total amount must convert to at least 175.00 Ft.", "must convert to at least 175.00 Ft.", general},
		"TooLarge":    {400, "amount_too_large", "The amount must be no more than 999,999.99.", "no more than 999,999.99.", general},
		"OtherReason": {400, "parameter_invalid", "Invalid success_url: https://x/charges/t0ken", general, "t0ken"},
		"Card":        {402, "card_declined", "Your account t0ken is poor.", general, "t0ken"},
		"Markup":      {400, "amount_too_small", "<script>alert(1)</script>", "&lt;script&gt;", "<script>alert"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newCashier(t)
			c := s.MakeCharge(t, s.Live)
			body, err := json.Marshal(map[string]any{"error": map[string]string{
				"type": "invalid_request_error", "code": test.code, "message": test.message,
			}})
			if err != nil {
				t.Fatal(err)
			}
			s.Stripe.Fail(test.status, string(body))
			refused := s.Press(t, c, "pay")
			refused.Expect(t, 409, "conflict")
			refused.ExpectPage(t, 409, test.says)
			if refused.Says(test.saysNone) {
				t.Errorf("the page says %q: %s", test.saysNone, refused.Body)
			}
			s.ExpectStatus(t, c, db.ChargePending)
			s.wantTries(t, c.ID, "1 over")
			s.Pay(t, c)
			s.ExpectTrace(t, "create 1", "create 2")
		})
	}

	// The stand-in itself refuses what Stripe's rules forbid.
	t.Run("AmountThatStripeCannotTake", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.Exec(t, `UPDATE charges SET amount = 29`)
		s.Press(t, c, "pay").ExpectPage(t, 409, "must convert to at least 30 pence.")
		s.ExpectStatus(t, c, db.ChargePending)
	})
}

// Whoever has the link can press Pay twenty times an hour. Who presses it once more
// ends nobody's session.
func TestPayTooOften(t *testing.T) {
	s := newCashier(t)
	c, other := s.MakeCharge(t, s.Live), s.MakeCharge(t, s.Live)
	for range 20 {
		s.Pay(t, c)
		s.Clock.Advance(time.Second)
	}
	before, trace := s.DumpPayments(t), s.Trace()
	for range 2 {
		refused := s.Press(t, c, "pay")
		refused.Expect(t, 429, "too_many_tries")
		refused.ExpectPage(t, 429, "no new payment was begun, try again later", "Pay GBP 12.50")
		if refused.Header.Get("Retry-After") != "3600" {
			t.Errorf("Retry-After %q", refused.Header.Get("Retry-After"))
		}
	}
	servertest.ExpectSame(t, before, s.DumpPayments(t))
	s.ExpectTrace(t, trace...)
	s.wantOpen(t, 1)
	s.Pay(t, other) // another charge is another matter

	s.Clock.Advance(time.Hour - 20*time.Second - time.Millisecond)
	s.Press(t, c, "pay").Expect(t, 429, "too_many_tries")
	s.Clock.Advance(time.Millisecond)
	s.Pay(t, c) // the first is an hour old
	s.wantOpen(t, 2)
}

// However Pays come together, the payer is sent to one session that can be paid, and
// no other can.
func TestPayAtOnce(t *testing.T) {
	for round := range 6 {
		t.Run(fmt.Sprint("Round", round), func(t *testing.T) {
			s := newCashier(t)
			other := s.again(t, func(c *server.Config) {
				if round < 4 { // else the two make different requests under one key
					c.ConsoleURL = s.URL
				}
			})
			c := s.MakeCharge(t, s.Live)
			if round%2 == 1 {
				s.Pay(t, c)
			}
			servertest.Parallel(8, func(i int) int { return []*cashier{s, other}[i%2].Press(t, c, "pay").Status })
			s.Pay(t, c)
			s.wantOpen(t, 1)
			s.paidOnce(t, c)
		})
	}

	// A second Pay finds the first one's call under way, and Stripe answers that the
	// key is in use. The first one has sent the payer to Stripe's page by then: that
	// session must stay known, or the next Pay would leave it open beside its own.
	for name, refusal := range map[string]struct {
		status int
		body   string
	}{
		"KeyInUse": {409, `{"error":{"type":"idempotency_error"}}`}, "Refused": {400, `{"error":{"type":"idempotency_error"}}`},
		"Fault": {500, `{"error":{"type":"api_error"}}`},
	} {
		t.Run("SecondFailsLate"+name, func(t *testing.T) {
			s, calls := newWiredCashier(t)
			c := s.MakeCharge(t, s.Live)
			first, second := make(chan struct{}), make(chan struct{})
			arrived := make(chan int, 10)
			calls.on(func(n int, _ *http.Request) (int, string) {
				arrived <- n
				switch n {
				case 1:
					<-first
				case 2:
					<-second
					return refusal.status, refusal.body
				}
				return 0, ""
			})
			pressed := func() <-chan servertest.Answer {
				answer := make(chan servertest.Answer, 1)
				go func() { answer <- s.Press(t, c, "pay") }()
				servertest.Receive(t, arrived)
				return answer
			}
			one, two := pressed(), pressed()
			close(first)
			if a := servertest.Receive(t, one); a.Status != 303 {
				t.Fatalf("the first is answered %d", a.Status)
			}
			close(second)
			servertest.Receive(t, two)
			s.Pay(t, c)
			s.wantOpen(t, 1)
			s.paidOnce(t, c)
		})
	}

	// A retry is refused late: by then another one of the same try has sent the payer to
	// Stripe, who is done, and waits for the money.
	t.Run("RetryFailsWhileItIsBeingPaid", func(t *testing.T) {
		s, calls := newWiredCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.Stripe.Fail(500, `{"error":{"type":"api_error"}}`)
		s.Press(t, c, "pay")
		arrived, release := make(chan struct{}), make(chan struct{})
		calls.on(func(n int, _ *http.Request) (int, string) {
			if n > 1 {
				return 0, ""
			}
			close(arrived)
			<-release
			return 400, `{"error":{"type":"idempotency_error"}}`
		})
		answer := make(chan servertest.Answer, 1)
		go func() { answer <- s.Press(t, c, "pay") }()
		servertest.Receive(t, arrived)
		session := s.Pay(t, c)
		s.Stripe.PayDelayed(session.ID)
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
		close(release)
		servertest.Receive(t, answer).ExpectPage(t, 409, "This is being paid already", "Please do not pay again")
		s.wantTries(t, c.ID, "1 processing")
		if got := len(s.Stripe.Sessions()); got != 1 {
			t.Errorf("%d sessions were made", got)
		}
	})

	// The sweep ends what was never made while it is being made.
	t.Run("SweepMeanwhile", func(t *testing.T) {
		s, calls := newWiredCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.Clock.Advance(week - time.Minute)
		arrived, release := make(chan struct{}), make(chan struct{})
		calls.on(func(n int, _ *http.Request) (int, string) {
			if n == 1 {
				close(arrived)
				<-release
			}
			return 0, ""
		})
		answer := make(chan servertest.Answer, 1)
		go func() { answer <- s.Press(t, c, "pay") }()
		servertest.Receive(t, arrived)
		s.Clock.Advance(time.Minute)
		s.Sweep(t)
		close(release)
		servertest.Receive(t, answer).ExpectPage(t, 409, "This payment request has ended")
		s.wantTries(t, c.ID, "1 over")
		s.wantOpen(t, 0)
		s.ExpectStatus(t, c, db.ChargeExpired)
	})

	// Paid while the second Pay ends the first session.
	t.Run("PaidMeanwhile", func(t *testing.T) {
		s, calls := newWiredCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		calls.on(func(_ int, r *http.Request) (int, string) {
			if strings.HasSuffix(r.URL.Path, "/expire") {
				s.Stripe.Pay(session.ID)
				s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
			}
			return 0, ""
		})
		s.Press(t, c, "pay").ExpectPage(t, 409, "Paid")
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.wantTries(t, c.ID, "1 paid")
	})
}

// paidOnce pays the one open session and sees the charge approved by it.
func (s *cashier) paidOnce(t *testing.T, c servertest.Charge) {
	t.Helper()
	for _, session := range s.Stripe.Sessions() {
		if session.Status == "open" {
			s.Stripe.Pay(session.ID)
		}
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
	}
	s.ExpectStatus(t, c, db.ChargeApproved)
	s.wantMismatches(t)
}

func TestWebhook(t *testing.T) {
	t.Run("Paid", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		s.Clock.Advance(time.Minute)
		a := s.Event(t, s.Stripe, session.ID, servertest.CheckoutCompleted)
		a.ExpectBody(t, 200, `{"received":true}`+"\n")
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.wantTries(t, c.ID, "1 paid")
		s.ExpectTrace(t, "create 1", "fetch 1")
		if got := s.StoredCharge(t, c).ApprovedAt; !got.Equal(s.Clock.Now()) {
			t.Errorf("approved at %v, want now", got)
		}
		s.ExpectListed(t, s.Live, map[string]string{c.ID: "approved 2026-03-02T10:01:00.000Z"})
		s.Show(t, c, "").ExpectPage(t, 200, "Paid", "The payment is confirmed")
		s.wantEvents(t, 1)
	})

	t.Run("SlowlyPaid", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.PayDelayed(session.ID)
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
		s.ExpectStatus(t, c, db.ChargePending)
		s.wantTries(t, c.ID, "1 processing")
		page := s.Show(t, c, "")
		page.ExpectPage(t, 200, "Payment not confirmed yet", "Please do not pay again")
		page.ExpectNoForms(t)

		s.Clock.Advance(3 * 24 * time.Hour)
		s.Stripe.Settle(session.ID)
		s.TakeEvent(t, session.ID, asyncSucceeded)
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.wantEvents(t, 2)
	})

	// A slow payment that ends after the charge has expired is waited for, and counts.
	t.Run("SlowlyPaidPastTheEnd", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.PayDelayed(session.ID)
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
		s.Clock.Advance(week + 24*time.Hour)
		s.ExpectStatus(t, c, db.ChargeExpired)
		page := s.Show(t, c, "")
		page.ExpectPage(t, 200, "Payment not confirmed yet")
		s.Show(t, c, "/status").ExpectState(t, "processing") // as the page that asks
		s.Stripe.Settle(session.ID)
		s.TakeEvent(t, session.ID, asyncSucceeded)
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.Show(t, c, "/status").ExpectState(t, "approved")
	})

	t.Run("SlowPaymentFails", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.PayDelayed(session.ID)
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
		s.Stripe.FailDelayed(session.ID)
		s.TakeEvent(t, session.ID, asyncFailed)
		s.ExpectStatus(t, c, db.ChargePending)
		s.wantTries(t, c.ID, "1 over")
		// Payable again, and whoever still looks at a page that waits is told.
		for _, tail := range []string{"", "/return"} {
			page := s.Show(t, c, tail)
			page.ExpectPage(t, 200, "Pay GBP 12.50")
			if got, want := page.Forms(), []string{c.Path() + "/pay"}; !slices.Equal(got, want) {
				t.Errorf("forms %v, want %v", got, want)
			}
		}
		s.Show(t, c, "/status").ExpectState(t, "pay")
		again := s.Pay(t, c)
		s.ExpectTrace(t, "create 1", "fetch 1", "fetch 1", "create 2")
		s.Show(t, c, "/status").ExpectState(t, "processing")
		s.Stripe.Pay(again.ID)
		s.TakeEvent(t, again.ID, servertest.CheckoutCompleted)
		s.ExpectStatus(t, c, db.ChargeApproved)
	})

	t.Run("SessionExpired", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Clock.Advance(24 * time.Hour)
		s.TakeEvent(t, session.ID, sessionExpired)
		s.ExpectStatus(t, c, db.ChargePending)
		s.wantTries(t, c.ID, "1 over")
		s.Show(t, c, "").ExpectPage(t, 200, "Pay GBP 12.50")
	})

	// Money wins over the timer (E1).
	t.Run("ExpiredChargeIsApproved", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		s.Clock.Advance(8 * 24 * time.Hour)
		s.ExpectStatus(t, c, db.ChargeExpired)
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.Show(t, c, "").ExpectPage(t, 200, "Paid")
	})

	// An event only says which session to look at. A completed session that says
	// unpaid approves nothing, whatever the event is called or claims.
	t.Run("EventIsNotBelieved", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		forged := s.altered(t, session.ID, asyncSucceeded, func(event, object map[string]any) {
			object["payment_status"], object["status"] = "paid", "complete"
		})
		s.SignedEvent(t, s.Stripe, forged).Expect(t, 200, "")
		s.ExpectStatus(t, c, db.ChargePending)
		s.Stripe.PayDelayed(session.ID)
		forged = s.altered(t, session.ID, asyncSucceeded, func(event, object map[string]any) { object["payment_status"] = "paid" })
		s.SignedEvent(t, s.Stripe, forged).Expect(t, 200, "")
		s.ExpectStatus(t, c, db.ChargePending)
		s.Stripe.Alter(session.ID, func(c *stripetest.Session) { c.PaymentStatus = "no_payment_required" })
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
		s.ExpectStatus(t, c, db.ChargePending)
		// Paid, says an open session: no.
		s.Stripe.Alter(session.ID, func(c *stripetest.Session) { c.PaymentStatus, c.Status = "paid", "open" })
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
		s.ExpectStatus(t, c, db.ChargePending)
	})

	// The reverse: an event with wrong words about a paid session.
	t.Run("EventOfOldWords", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		odd := s.altered(t, session.ID, sessionExpired, func(event, object map[string]any) {
			event["api_version"] = "2099-01-01.zinnia"
			object["payment_status"], object["amount_total"], object["currency"] = "unpaid", 1, "usd"
			delete(object, "client_reference_id")
		})
		s.SignedEvent(t, s.Stripe, odd).Expect(t, 200, "")
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.wantMismatches(t)
	})

	t.Run("OtherTypesAreIgnored", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		before, trace := s.DumpPayments(t), s.Trace()
		for _, other := range []string{"payment_intent.succeeded", "charge.succeeded", "checkout.session.created", "checkout.session.completed.v2", "ping", "x"} {
			s.Event(t, s.Stripe, session.ID, other).ExpectBody(t, 200, `{"received":true}`+"\n")
		}
		for _, odd := range []string{`{"id":"evt_1","type":"ping"}`, `{"id":"evt_2","type":"ping","data":null}`, `{"id":"evt_3","type":"ping","data":{"object":[1]}}`} {
			s.SignedEvent(t, s.Stripe, []byte(odd)).Expect(t, 200, "")
		}
		servertest.ExpectSame(t, before, s.DumpPayments(t))
		s.ExpectTrace(t, trace...)
	})
}

// Copies of an event have one effect, whenever they come and to whichever appliance.
func TestRepeatedEvents(t *testing.T) {
	t.Run("Later", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		payload := s.Stripe.Event(session.ID, servertest.CheckoutCompleted)
		s.SignedEvent(t, s.Stripe, payload).Expect(t, 200, "")
		before, trace := s.DumpPayments(t), s.Trace()
		s.Clock.Advance(time.Hour)
		s.SignedEvent(t, s.Stripe, payload).ExpectBody(t, 200, `{"received":true}`+"\n")
		s.TakeEvent(t, session.ID, sessionExpired) // another event, of the same session
		s.TakeEvent(t, session.ID, asyncFailed)
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.wantTries(t, c.ID, "1 paid")
		s.wantEvents(t, 4)
		s.wantMismatches(t)
		s.Exec(t, `DELETE FROM payment_events WHERE type <> 'checkout.session.completed' OR created_at > `+fmt.Sprint(s.Clock.Now().Add(-time.Hour).UnixMilli()))
		servertest.ExpectSame(t, before, s.DumpPayments(t))
		s.ExpectTrace(t, append(trace, "fetch 1", "fetch 1", "fetch 1")...) // the copy was not looked up
	})

	t.Run("TenAtOnce", func(t *testing.T) {
		s := newCashier(t)
		other := s.again(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		payload := s.Stripe.Event(session.ID, servertest.CheckoutCompleted)
		s.Clock.Advance(time.Second)
		approved := s.Clock.Now()
		count := servertest.Parallel(10, func(i int) int { return []*cashier{s, other}[i%2].SignedEvent(t, s.Stripe, payload).Status })
		if count[200] != 10 {
			t.Errorf("answers %v, want 10 of 200", count)
		}
		s.wantEvents(t, 1)
		s.ExpectStatus(t, c, db.ChargeApproved)
		if got := s.StoredCharge(t, c).ApprovedAt; !got.Equal(approved) {
			t.Errorf("approved at %v, want %v", got, approved)
		}
		s.wantMismatches(t)
	})

	t.Run("TenEventsOfOneSessionAtOnce", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		types := []string{servertest.CheckoutCompleted, asyncSucceeded, sessionExpired, asyncFailed}
		servertest.Parallel(12, func(i int) int { return s.Event(t, s.Stripe, session.ID, types[i%4]).Status })
		s.wantEvents(t, 12)
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.wantTries(t, c.ID, "1 paid")
		s.wantMismatches(t)
	})

	// In each order of the events of a slow payment the end is the same.
	t.Run("OutOfOrder", func(t *testing.T) {
		for name, test := range map[string]struct {
			end   func(*stripetest.Stripe, string)
			types []string
			want  db.ChargeStatus
			try   string
		}{
			"Succeeded": {(*stripetest.Stripe).Settle, []string{servertest.CheckoutCompleted, asyncSucceeded}, db.ChargeApproved, "1 paid"},
			"Failed":    {(*stripetest.Stripe).FailDelayed, []string{servertest.CheckoutCompleted, asyncFailed}, db.ChargePending, "1 over"},
		} {
			for range 2 {
				slices.Reverse(test.types)
				t.Run(name+test.types[0], func(t *testing.T) {
					s := newCashier(t)
					c := s.MakeCharge(t, s.Live)
					session := s.Pay(t, c)
					s.Stripe.PayDelayed(session.ID)
					test.end(s.Stripe, session.ID)
					for _, eventType := range test.types {
						s.TakeEvent(t, session.ID, eventType)
					}
					s.ExpectStatus(t, c, test.want)
					s.wantTries(t, c.ID, test.try)
					s.wantMismatches(t)
				})
			}
		}
	})

	// Events of an earlier session do nothing to the one that is open.
	t.Run("OfAnEarlierSession", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		first := s.Pay(t, c)
		s.Pay(t, c)
		for _, eventType := range []string{sessionExpired, asyncFailed, servertest.CheckoutCompleted} {
			s.TakeEvent(t, first.ID, eventType)
		}
		s.wantTries(t, c.ID, "1 over", "2 open")
		s.ExpectStatus(t, c, db.ChargePending)
		s.wantMismatches(t)
	})
}

// A session that is not what was ordered approves nothing; it is kept for the operator
// to see, and Stripe is told that we are done with it (E3).
func TestMismatches(t *testing.T) {
	type alteration struct {
		change func(*stripetest.Session)
		says   string
	}
	const other = "ch_00000000000000000000000000"
	tests := map[string]alteration{
		"AmountLess":     {func(c *stripetest.Session) { c.AmountTotal-- }, "the session is of GBP 12.49, %s is of GBP 12.50"},
		"AmountMore":     {func(c *stripetest.Session) { c.AmountTotal++ }, "the session is of GBP 12.51, %s is of GBP 12.50"},
		"AmountNone":     {func(c *stripetest.Session) { c.AmountTotal = 0 }, "the session is of GBP 0.00, %s is of GBP 12.50"},
		"Currency":       {func(c *stripetest.Session) { c.Currency = "usd" }, "the session is of USD 12.50, %s is of GBP 12.50"},
		"OtherReference": {func(c *stripetest.Session) { c.Reference = other }, `the session refers to "` + other + `", not to %s`},
		"NoReference":    {func(c *stripetest.Session) { c.Reference = "" }, `the session refers to "", not to %s`},
		"LiveSession":    {func(c *stripetest.Session) { c.Live = true }, "the event is of live mode, our key of test mode"},
	}
	check := func(t *testing.T, s *cashier, c servertest.Charge, payload []byte, says string) {
		t.Helper()
		s.SignedEvent(t, s.Stripe, payload).ExpectBody(t, 200, `{"received":true}`+"\n")
		s.ExpectStatus(t, c, db.ChargePending)
		s.wantTries(t, c.ID, "1 open")
		s.wantEvents(t, 1)
		s.wantMismatches(t, says)
		if !strings.Contains(s.Log.String(), `"level":"ERROR","msg":"a payment event that does not match`) {
			t.Errorf("log %s", s.Log)
		}
		s.SignedEvent(t, s.Stripe, payload).Expect(t, 200, "") // the same once more
		s.wantMismatches(t, says)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newCashier(t)
			c := s.MakeCharge(t, s.Live)
			session := s.Pay(t, c)
			s.Stripe.Pay(session.ID)
			s.Stripe.Alter(session.ID, test.change)
			check(t, s, c, s.Stripe.Event(session.ID, servertest.CheckoutCompleted), strings.ReplaceAll(test.says, "%s", c.ID))
		})
	}

	t.Run("LiveEventOfATestSession", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		check(t, s, c, s.altered(t, session.ID, servertest.CheckoutCompleted, func(event, _ map[string]any) { event["livemode"] = true }), tests["LiveSession"].says)
	})

	t.Run("LiveSessionOfATestEvent", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		s.Stripe.Alter(session.ID, func(c *stripetest.Session) { c.Live = true })
		check(t, s, c, s.altered(t, session.ID, servertest.CheckoutCompleted, func(event, _ map[string]any) { event["livemode"] = false }),
			"the session is of live mode, our key of test mode")
	})

	t.Run("TestEventOfALiveKey", func(t *testing.T) {
		for _, key := range []string{"sk_live_standin", "rk_live_standin"} {
			s := &cashier{servertest.NewCashierWith(t, func(p *stripetest.Stripe) { p.Key, p.Live = key, true })}
			c := s.MakeCharge(t, s.Live)
			session := s.Pay(t, c)
			s.Stripe.Pay(session.ID)
			check(t, s, c, s.altered(t, session.ID, servertest.CheckoutCompleted, func(event, _ map[string]any) { event["livemode"] = false }),
				"the event is of test mode, our key of live mode")
			s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
			s.ExpectStatus(t, c, db.ChargeApproved)
		}
	})

	// Sessions of other programs at the same Stripe account, also one that names a
	// charge of ours.
	t.Run("OfAnotherApp", func(t *testing.T) {
		s := newCashier(t)
		c, tested := s.MakeCharge(t, s.Live), s.MakeCharge(t, s.Test)
		for _, reference := range []string{"order_17", c.ID, tested.ID} {
			session := s.foreign(t, reference)
			s.Stripe.Pay(session)
			s.TakeEvent(t, session, servertest.CheckoutCompleted)
		}
		s.wantMismatches(t, "paid, but no charge and no bundle has this session", "paid, but no charge and no bundle has this session")
		s.ExpectStatus(t, c, db.ChargePending)
		s.ExpectStatus(t, tested, db.ChargePending)
	})

	// A session whose making we never heard of ends unpaid: that is no money, and no alarm.
	t.Run("OrphanThatNobodyPaid", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		for range 2 {
			s.Stripe.Cut()
			s.Press(t, c, "pay")
		}
		orphan := s.Stripe.Sessions()[0]
		s.wantTries(t, c.ID, "1 over")
		s.Clock.Advance(24 * time.Hour)
		s.TakeEvent(t, orphan.ID, sessionExpired)
		s.wantMismatches(t)
		s.wantEvents(t, 1)
	})

	t.Run("UnknownSession", func(t *testing.T) {
		s, elsewhere := newCashier(t), newCashier(t)
		session := elsewhere.Pay(t, elsewhere.MakeCharge(t, elsewhere.Live))
		elsewhere.Stripe.Pay(session.ID)
		for _, payload := range []string{
			string(elsewhere.Stripe.Event(session.ID, servertest.CheckoutCompleted)),
			`{"id":"evt_1","type":"checkout.session.completed"}`,
			`{"id":"evt_2","type":"checkout.session.completed","data":{"object":{"object":"checkout.session","id":""}}}`,
			`{"id":"evt_3","type":"checkout.session.completed","data":{"object":{"object":"checkout.session","id":"../customers/cus_1"}}}`,
			`{"id":"evt_4","type":"checkout.session.completed","data":{"object":{"object":"charge","id":"ch_1"}}}`,
		} {
			s.SignedEvent(t, s.Stripe, []byte(payload)).Expect(t, 200, "")
		}
		const says = "Stripe does not know the session under our key"
		s.wantMismatches(t, says, says, says, says, says)
		s.ExpectTrace(t, "fetch ?") // nothing but the first can be an id
	})

	// The one who is answered for another: believed by nobody, and asked again.
	t.Run("AnswerAboutAnotherSession", func(t *testing.T) {
		s := newCashier(t)
		c, cheap := s.MakeCharge(t, s.Live), s.MakeCharge(t, s.Live)
		session, paid := s.Pay(t, c), s.Pay(t, cheap)
		s.Stripe.Pay(paid.ID)
		var event struct {
			Data struct{ Object json.RawMessage }
		}
		if err := json.Unmarshal(s.Stripe.Event(paid.ID, servertest.CheckoutCompleted), &event); err != nil {
			t.Fatal(err)
		}
		s.Stripe.Fail(200, string(event.Data.Object))
		s.Event(t, s.Stripe, session.ID, servertest.CheckoutCompleted).Expect(t, 500, "internal")
		s.ExpectStatus(t, c, db.ChargePending)
		s.ExpectStatus(t, cheap, db.ChargePending)
		s.wantEvents(t, 0)
	})

	// Two sessions of one charge are paid: Stripe did not end the first when it said
	// so. The charge is approved once, and the operator is told of the other money.
	for name, failure := range map[string]func(*cashier, string){
		"EndedByAnAnswer": func(s *cashier, id string) {
			s.Stripe.Fail(200, `{"object":"checkout.session","id":"`+id+`","status":"expired"}`)
		},
		"EndedAsUnknown": func(s *cashier, _ string) { s.Stripe.Fail(404, `{"error":{"type":"invalid_request_error"}}`) },
	} {
		t.Run("PaidTwice"+name, func(t *testing.T) {
			s := newCashier(t)
			c := s.MakeCharge(t, s.Live)
			first := s.Pay(t, c)
			failure(s, first.ID)
			second := s.Pay(t, c)
			s.Stripe.Pay(first.ID)
			s.Stripe.Pay(second.ID)
			s.TakeEvent(t, first.ID, servertest.CheckoutCompleted)
			s.ExpectStatus(t, c, db.ChargeApproved)
			approved := s.StoredCharge(t, c).ApprovedAt
			s.wantMismatches(t)

			s.Clock.Advance(time.Minute)
			s.TakeEvent(t, second.ID, servertest.CheckoutCompleted)
			if got := s.StoredCharge(t, c).ApprovedAt; !got.Equal(approved) {
				t.Errorf("approved again at %v", got)
			}
			s.wantMismatches(t, "paid twice: "+c.ID+" had been paid before; refund one of the payments at Stripe")
			s.wantTries(t, c.ID, "1 paid", "2 paid")
			s.TakeEvent(t, second.ID, asyncSucceeded) // known by then
			s.wantMismatches(t, "paid twice: "+c.ID+" had been paid before; refund one of the payments at Stripe")
		})
	}

	t.Run("OperatorAloneSeesThem", func(t *testing.T) {
		s := newCashier(t) // the developer's account came first, so it is the operator's
		if err := s.App.Accounts.SetPassword(t.Context(), s.Email, servertest.Password); err != nil {
			t.Fatal(err)
		}
		operator := s.Browser(t)
		operator.SignIn(t, s.Email, servertest.Password)
		operator.Get(t, "/console/operator").ExpectPage(t, 200, "None of the events that Stripe has sent so far.")
		_, member := s.Member(t, "member@example.com")

		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		s.Stripe.Alter(session.ID, func(c *stripetest.Session) { c.Reference, c.AmountTotal = "<b>x</b>", 1 })
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)

		page := operator.Get(t, "/console/operator")
		page.ExpectPage(t, 200, `the session refers to "<b>x</b>", not to `+c.ID, session.ID, servertest.CheckoutCompleted, "&lt;b&gt;x")
		if page.Says("<b>x") {
			t.Error("markup of the event stands in the page")
		}
		hidden := member.Get(t, "/console/operator")
		hidden.Expect(t, 404, "not_found")
		if hidden.Says(session.ID) {
			t.Error("a member sees the mismatch")
		}
		if a := s.Browser(t).Get(t, "/console/operator"); a.Status != 303 {
			t.Errorf("to a stranger: %d", a.Status)
		}
	})
}

// What did not come from Stripe just now is refused before it is read (E3).
func TestWebhookSignature(t *testing.T) {
	s := newCashier(t)
	c := s.MakeCharge(t, s.Live)
	session := s.Pay(t, c)
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
			if !strings.Contains(s.Log.String(), "--stripe-webhook-secret") {
				t.Error("the log does not say what is missing")
			}
			s.wantEvents(t, 0)
		})
	}
}

// Our own failure is a 500, so that Stripe sends the event again, and the event then
// has its effect.
func TestWebhookFails(t *testing.T) {
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

		s.Clock.Advance(time.Hour) // Stripe signs anew
		s.SignedEvent(t, s.Stripe, payload).Expect(t, 200, "")
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.wantEvents(t, 1)
		s.wantMismatches(t)
	}
	for name, failure := range failures {
		if name == "NotFound" || name == "WithoutURL" {
			continue // that is an answer; and a session that is looked up needs no URL
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

	// Stripe hangs up before we have its own answer about the session.
	t.Run("StripeHangsUp", func(t *testing.T) {
		s, calls := newWiredCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		arrived, release := make(chan struct{}), make(chan struct{})
		calls.on(func(int, *http.Request) (int, string) {
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

// chargeState is a charge in one of its states, with a session that the payer has
// paid or may pay, if it is a live one.
type chargeState struct {
	env    db.Env
	status db.ChargeStatus
	reach  func(*testing.T, *cashier, servertest.Charge)
}

// The arrows of E1: pending → approved (a proven payment, a simulated approval),
// pending → declined (a simulated decline), pending → expired (time), expired →
// approved (a proven payment). For each state and each action there is no other.
func TestChargeStates(t *testing.T) {
	servertest.Sequential(t)
	later := func(t *testing.T, s *cashier, _ servertest.Charge) { s.Clock.Advance(8 * 24 * time.Hour) }
	simulate := func(action string) func(*testing.T, *cashier, servertest.Charge) {
		return func(t *testing.T, s *cashier, c servertest.Charge) { s.Press(t, c, action) }
	}
	states := []chargeState{
		{db.Live, db.ChargePending, func(*testing.T, *cashier, servertest.Charge) {}},
		{db.Live, db.ChargeApproved, func(t *testing.T, s *cashier, c servertest.Charge) { s.settled(t, c) }},
		{db.Live, db.ChargeExpired, later},
		{db.Test, db.ChargePending, func(*testing.T, *cashier, servertest.Charge) {}},
		{db.Test, db.ChargeApproved, simulate("approve")},
		{db.Test, db.ChargeDeclined, simulate("decline")},
		{db.Test, db.ChargeExpired, later},
	}
	look := func(tail string, approved, declined, expired, otherwise int) func(*testing.T, *cashier, servertest.Charge, chargeState) {
		return func(t *testing.T, s *cashier, c servertest.Charge, from chargeState) {
			want := map[db.ChargeStatus]int{db.ChargeApproved: approved, db.ChargeDeclined: declined, db.ChargeExpired: expired, db.ChargePending: otherwise}
			if a := s.Show(t, c, tail); a.Status != want[from.status] {
				t.Errorf("answer %d, want %d", a.Status, want[from.status])
			}
		}
	}
	press := func(action string, done func(chargeState) bool) func(*testing.T, *cashier, servertest.Charge, chargeState) {
		return func(t *testing.T, s *cashier, c servertest.Charge, from chargeState) {
			want := 409
			if done(from) {
				want = 303
			}
			if a := s.Press(t, c, action); a.Status != want {
				t.Errorf("answer %d, want %d", a.Status, want)
			}
		}
	}
	pendingOf := func(env db.Env) func(chargeState) bool {
		return func(from chargeState) bool { return from.env == env && from.status == db.ChargePending }
	}
	actions := map[string]func(*testing.T, *cashier, servertest.Charge, chargeState){
		"Look":    look("", 200, 200, 410, 200),
		"Return":  look("/return", 200, 200, 410, 200),
		"Status":  look("/status", 200, 200, 200, 200),
		"Pay":     press("pay", pendingOf(db.Live)),
		"Approve": press("approve", pendingOf(db.Test)),
		"Decline": press("decline", pendingOf(db.Test)),
		"Proof":   func(t *testing.T, s *cashier, c servertest.Charge, _ chargeState) { s.prove(t, c) },
		"Sweep":   func(t *testing.T, s *cashier, _ servertest.Charge, _ chargeState) { s.Sweep(t) },
		"Reconcile": func(t *testing.T, s *cashier, _ servertest.Charge, _ chargeState) {
			if _, err := s.App.Payments.Reconcile(t.Context()); err != nil {
				t.Error(err)
			}
		},
	}
	next := func(from chargeState, action string) db.ChargeStatus {
		switch {
		case action == "Approve" && from.env == db.Test && from.status == db.ChargePending,
			action == "Proof" && from.env == db.Live:
			return db.ChargeApproved
		case action == "Decline" && from.env == db.Test && from.status == db.ChargePending:
			return db.ChargeDeclined
		}
		return from.status
	}
	for _, from := range states {
		for name, act := range actions {
			t.Run(fmt.Sprint(from.env, from.status, name), func(t *testing.T) {
				s := newCashier(t)
				c := s.MakeCharge(t, map[db.Env]string{db.Live: s.Live, db.Test: s.Test}[from.env])
				if name == "Proof" && from.env == db.Live && from.status == db.ChargeExpired {
					s.Stripe.Pay(s.Pay(t, c).ID) // in time; the event is late
				}
				from.reach(t, s, c)
				s.ExpectStatus(t, c, from.status)
				before := s.StoredCharge(t, c)
				s.Clock.Advance(time.Second)

				act(t, s, c, from)
				s.ExpectStatus(t, c, next(from, name))
				if next(from, name) == from.status && s.StoredCharge(t, c) != before {
					t.Errorf("the charge changed: %+v, before %+v", s.StoredCharge(t, c), before)
				}
			})
		}
	}
}

// prove sends the event of a paid session that refers to the charge: its own if it
// is a live one, and one that somebody has put into our table if it is not.
func (s *cashier) prove(t *testing.T, c servertest.Charge) {
	t.Helper()
	found := s.StoredCharge(t, c)
	if len(s.tries(t, c.ID)) == 0 && found.Env == db.Live {
		s.Pay(t, c)
	}
	if len(s.tries(t, c.ID)) == 0 {
		id := s.foreign(t, c.ID)
		dbtest.Update(t, s.Store, func(tx *db.Tx) error {
			try, err := tx.CreateCheckout(db.Checkout{
				SubjectID: c.ID, OwnerID: found.KeyID, Amount: found.Amount, Currency: found.Currency, Description: found.Description,
				ExpiresAt: tx.Now().Add(time.Hour), DueAt: tx.Now().Add(24 * time.Hour),
			})
			if err != nil {
				return err
			}
			return tx.OpenCheckout(try, id)
		})
	}
	sessions := s.Stripe.Sessions()
	session := sessions[len(sessions)-1]
	if session.Status == "open" {
		s.Stripe.Pay(session.ID)
	}
	s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
}

func TestSweep(t *testing.T) {
	t.Run("EndsTheSessionWithItsCharge", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.Clock.Advance(week - time.Minute)
		session := s.Pay(t, c) // that lives 31 minutes
		s.Sweep(t)
		s.ExpectTrace(t, "create 1")
		s.Clock.Advance(time.Minute - time.Millisecond)
		s.Sweep(t)
		s.ExpectTrace(t, "create 1")
		s.Clock.Advance(time.Millisecond)
		s.Sweep(t)
		s.ExpectTrace(t, "create 1", "expire 1")
		s.wantTries(t, c.ID, "1 over")
		if got := s.Stripe.Sessions()[0].Status; got != "expired" {
			t.Errorf("session %s is %s", session.ID, got)
		}
		s.Sweep(t)
		s.Clock.Advance(week)
		s.Sweep(t)
		s.ExpectTrace(t, "create 1", "expire 1")
		s.ExpectStatus(t, c, db.ChargeExpired)
	})

	t.Run("AsksOnceTheSessionIsOver", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.Pay(t, c)
		s.Clock.Advance(24*time.Hour + 5*time.Minute - time.Millisecond)
		s.Sweep(t)
		s.wantTries(t, c.ID, "1 open")
		s.Clock.Advance(time.Millisecond)
		s.Sweep(t)
		s.wantTries(t, c.ID, "1 over")
		s.ExpectStatus(t, c, db.ChargePending)
		s.Pay(t, c)
	})

	for name, due := range map[string]time.Duration{"Pending": 25 * time.Hour, "Expired": week} {
		t.Run("ApprovesWhatWasPaidMeanwhile"+name, func(t *testing.T) {
			s := newCashier(t)
			c := s.MakeCharge(t, s.Live)
			session := s.Pay(t, c)
			s.Stripe.Pay(session.ID)
			s.Clock.Advance(due)
			s.Sweep(t)
			s.ExpectTrace(t, "create 1", "expire 1", "fetch 1")
			s.ExpectStatus(t, c, db.ChargeApproved)
			s.wantTries(t, c.ID, "1 paid")

			s.TakeEvent(t, session.ID, servertest.CheckoutCompleted) // comes after all
			s.wantMismatches(t)
			s.wantTries(t, c.ID, "1 paid")
		})
	}

	t.Run("WaitsForSlowPayments", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.PayDelayed(session.ID)
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
		s.Clock.Advance(25 * time.Hour)
		s.Sweep(t)
		s.wantTries(t, c.ID, "1 processing")
		trace := s.Trace()
		s.Clock.Advance(30*time.Minute - time.Millisecond)
		s.Sweep(t)
		s.ExpectTrace(t, trace...) // not yet again
		s.Stripe.Settle(session.ID)
		s.Clock.Advance(time.Millisecond)
		s.Sweep(t)
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.ExpectTrace(t, append(trace, "fetch 1")...) // and nobody tried to end it
	})

	// A slow payment came to nothing, and nobody was told.
	t.Run("SlowPaymentFailed", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.PayDelayed(session.ID)
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
		s.Stripe.FailDelayed(session.ID)
		s.Clock.Advance(25 * time.Hour)
		s.Sweep(t)
		s.wantTries(t, c.ID, "1 over")
		s.ExpectStatus(t, c, db.ChargePending)
		s.Pay(t, c)
	})

	// Stripe does not know the session: perhaps the key is another account's. The
	// operator is told once, and it is asked about again for as long as money may come.
	t.Run("SessionIsLost", func(t *testing.T) {
		s, calls := newWiredCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		s.Stripe.Alter(session.ID, func(c *stripetest.Session) { c.AmountTotal = 1 })
		calls.on(func(int, *http.Request) (int, string) { return 404, `{"error":{"type":"invalid_request_error"}}` })
		for range 3 {
			s.Clock.Advance(25 * time.Hour)
			s.Sweep(t)
		}
		const lost = "Stripe does not know the session under our key"
		s.wantMismatches(t, lost)
		s.wantTries(t, c.ID, "1 open")

		// The right key is back, and what it finds is told, too.
		calls.on(func(int, *http.Request) (int, string) { return 0, "" })
		s.Clock.Advance(30 * time.Minute)
		s.Sweep(t)
		s.wantMismatches(t, "the session is of GBP 0.01, "+c.ID+" is of GBP 12.50", lost)
		s.ExpectStatus(t, c, db.ChargePending)
	})

	t.Run("SessionIsLostAndFound", func(t *testing.T) {
		s, calls := newWiredCashier(t)
		found, gone := s.MakeCharge(t, s.Live), s.MakeCharge(t, s.Live)
		s.Stripe.Pay(s.Pay(t, found).ID)
		lost := s.Pay(t, gone)
		hide := func(all bool) {
			calls.on(func(_ int, r *http.Request) (int, string) {
				if all || strings.Contains(r.URL.Path, lost.ID) {
					return 404, `{"error":{"type":"invalid_request_error"}}`
				}
				return 0, ""
			})
		}
		hide(true)
		s.Clock.Advance(15 * 24 * time.Hour) // 14 days past the session's end
		s.Sweep(t)
		s.wantTries(t, found.ID, "1 open")
		hide(false)
		s.Clock.Advance(30 * time.Minute)
		s.Sweep(t)
		s.ExpectStatus(t, found, db.ChargeApproved)
		s.wantTries(t, gone.ID, "1 over") // too long ago for money to come
	})

	// The event that the payer is done was missed, and the money is not there yet.
	t.Run("SlowPaymentOfWhichNothingWasHeard", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.PayDelayed(session.ID)
		s.Clock.Advance(25 * time.Hour)
		s.Sweep(t)
		s.wantTries(t, c.ID, "1 processing")
		s.Show(t, c, "").ExpectPage(t, 200, "Please do not pay again")
		s.Press(t, c, "pay").ExpectPage(t, 409, "Please do not pay again")
		s.ExpectTrace(t, "create 1", "expire 1", "fetch 1")
	})

	t.Run("EndsWhatWasNeverMade", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.Stripe.Down()
		s.Press(t, c, "pay")
		s.Stripe.Up()
		s.Clock.Advance(25 * time.Hour)
		s.Sweep(t)
		s.wantTries(t, c.ID, "1 over")
		s.ExpectTrace(t)
		s.Pay(t, c)
		s.ExpectTrace(t, "create 2")
	})

	t.Run("StripeDown", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.Pay(t, c)
		s.Clock.Advance(25 * time.Hour)
		s.Stripe.Down()
		err := s.App.Sweep(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.ID+"-1") || strings.Contains(err.Error(), s.Stripe.Key) {
			t.Errorf("sweep: %v", err)
		}
		s.Stripe.Up()
		s.wantTries(t, c.ID, "1 open")
		s.Sweep(t)
		s.ExpectTrace(t, "create 1") // its turn comes again after half an hour
		s.Clock.Advance(30 * time.Minute)
		s.Sweep(t)
		s.wantTries(t, c.ID, "1 over")
	})

	// One that Stripe always fails for does not stand in the way of the others.
	t.Run("OneFails", func(t *testing.T) {
		s, calls := newWiredCashier(t)
		var all []servertest.Charge
		var sessions []stripetest.Session
		for range 5 {
			c := s.MakeCharge(t, s.Live)
			session := s.Pay(t, c)
			s.Stripe.Pay(session.ID)
			all, sessions = append(all, c), append(sessions, session)
		}
		calls.on(func(_ int, r *http.Request) (int, string) {
			if strings.Contains(r.URL.Path, sessions[0].ID) || strings.Contains(r.URL.Path, sessions[3].ID) {
				return 500, `{"error":{"type":"api_error"}}`
			}
			return 0, ""
		})
		s.Clock.Advance(25 * time.Hour)
		err := s.App.Sweep(t.Context())
		if err == nil || !strings.Contains(err.Error(), all[0].ID) || !strings.Contains(err.Error(), all[3].ID) {
			t.Errorf("sweep: %v, want both that failed", err)
		}
		for i, c := range all {
			s.ExpectStatus(t, c, map[bool]db.ChargeStatus{true: db.ChargePending, false: db.ChargeApproved}[i == 0 || i == 3])
		}
	})

	t.Run("Mismatch", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		s.Stripe.Alter(session.ID, func(c *stripetest.Session) { c.AmountTotal = 1 })
		for range 3 {
			s.Clock.Advance(25 * time.Hour)
			s.Sweep(t)
		}
		s.ExpectStatus(t, c, db.ChargePending)
		s.wantMismatches(t, "the session is of GBP 0.01, "+c.ID+" is of GBP 12.50") // told of once
	})

	// Two processes sweep at once: each try is looked after once.
	t.Run("Shared", func(t *testing.T) {
		s := newCashier(t)
		other := s.again(t)
		const due = 30
		for range due {
			s.Pay(t, s.PlantCharge(t, s.LiveKey))
		}
		before := len(s.Trace())
		s.Clock.Advance(25 * time.Hour)
		servertest.Parallel(4, func(i int) int {
			[]*cashier{s, other}[i%2].Sweep(t)
			return 0
		})
		asked := map[string]int{}
		for _, r := range s.Stripe.Requests()[before:] {
			if strings.HasSuffix(r.Path, "/expire") {
				asked[r.Path]++
			}
		}
		for path, n := range asked {
			if n != 1 {
				t.Errorf("%s was asked for %d times", path, n)
			}
		}
		if len(asked) != due || s.Count(t, `SELECT count(*) FROM checkouts WHERE state = 'over'`) != due {
			t.Errorf("%d were looked after, want %d", len(asked), due)
		}
	})

	t.Run("ABoundedNumber", func(t *testing.T) {
		s := newCashier(t)
		for range 21 {
			s.Pay(t, s.PlantCharge(t, s.LiveKey))
		}
		s.Clock.Advance(25 * time.Hour)
		for _, left := range []int{1, 0} {
			s.Sweep(t)
			if got := s.Count(t, `SELECT count(*) FROM checkouts WHERE state = 'open'`); got != left {
				t.Errorf("%d are left, want %d", got, left)
			}
		}
	})

	// What matched is kept for 90 days, what did not for ever.
	t.Run("ForgetsOldEvents", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.settled(t, c)
		stray := s.foreign(t, c.ID)
		s.Stripe.Pay(stray)
		s.TakeEvent(t, stray, servertest.CheckoutCompleted)
		s.Clock.Advance(90 * 24 * time.Hour)
		s.Sweep(t)
		s.wantEvents(t, 2)
		s.Clock.Advance(time.Millisecond)
		s.Sweep(t)
		s.wantEvents(t, 1)
		s.wantMismatches(t, "paid, but no charge and no bundle has this session")
	})

	t.Run("WithoutStripe", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.Pay(t, c)
		s.Clock.Advance(25 * time.Hour)
		s.again(t, servertest.WithoutStripe).Sweep(t)
		s.wantTries(t, c.ID, "1 open")
	})

	// A running server sweeps by itself and logs what fails.
	t.Run("Running", func(t *testing.T) {
		s := newCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.Pay(t, c)
		s.Clock.Advance(25 * time.Hour)
		s.Stripe.Down()
		log := &servertest.Log{}
		servertest.Run(t, server.Config{
			DB: s.Path, Clock: s.Clock.Now, Log: slog.New(slog.NewJSONHandler(log, nil)),
			Stripe: server.Stripe{Key: s.Stripe.Key, API: s.Stripe.URL},
		})
		servertest.Until(t, "the failure is logged", func() bool {
			return strings.Contains(log.String(), `"level":"ERROR","msg":"job","job":"payments","cause":"checkout `+c.ID+`-1: `)
		})
		if strings.Contains(log.String(), s.Stripe.Key) {
			t.Errorf("the log holds the key: %s", log)
		}
	})
}

func TestReconcile(t *testing.T) {
	servertest.Sequential(t)
	s := newCashier(t)
	type outcome struct{ subject, session, outcome string }
	var want []outcome
	stand := map[string]servertest.Charge{}
	for _, name := range []string{"open", "paid", "processing", "over", "settled", "mismatch", "unknown", "creating"} {
		c := s.MakeCharge(t, s.Live)
		stand[name] = c
		if name == "creating" {
			s.Stripe.Down()
			s.Press(t, c, "pay")
			s.Stripe.Up()
			continue
		}
		session := s.Pay(t, c)
		says := name
		switch name {
		case "paid":
			s.Stripe.Pay(session.ID)
		case "processing":
			s.Stripe.PayDelayed(session.ID)
		case "over":
			s.Stripe.Expire(session.ID)
		case "settled":
			s.Stripe.Pay(session.ID)
			s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
			continue
		case "mismatch":
			s.Stripe.Pay(session.ID)
			s.Stripe.Alter(session.ID, func(c *stripetest.Session) { c.Currency = "usd" })
			says = "the session is of USD 12.50, " + c.ID + " is of GBP 12.50"
		case "unknown":
			s.Exec(t, `UPDATE checkouts SET session_id = 'cs_test_other' WHERE subject_id = '`+c.ID+`'`)
			session.ID, says = "cs_test_other", "stripe: not found"
		}
		want = append(want, outcome{c.ID, session.ID, says})
	}

	for round := range 2 {
		all, err := s.App.Payments.Reconcile(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []outcome
		for _, r := range all {
			said, _, _ := strings.Cut(r.Outcome, ": HTTP")
			got = append(got, outcome{r.Checkout.SubjectID, r.Checkout.SessionID, said})
		}
		if round == 1 { // what was settled is not asked about again
			want = slices.DeleteFunc(want, func(o outcome) bool { return o.outcome == "paid" || o.outcome == "over" })
		}
		if len(got) != len(want) {
			t.Errorf("reconciled %+v, want %+v", got, want)
		}
		for _, o := range want {
			if !slices.Contains(got, o) {
				t.Errorf("reconciled %+v, want %+v", got, o)
			}
		}
	}
	for name, status := range map[string]db.ChargeStatus{
		"open": db.ChargePending, "paid": db.ChargeApproved, "processing": db.ChargePending, "over": db.ChargePending,
		"settled": db.ChargeApproved, "mismatch": db.ChargePending, "creating": db.ChargePending, "unknown": db.ChargePending,
	} {
		s.ExpectStatus(t, stand[name], status)
	}
	s.wantTries(t, stand["open"].ID, "1 open") // it may still be paid
	s.wantTries(t, stand["over"].ID, "1 over")
	s.wantTries(t, stand["creating"].ID, "1 creating")
	s.wantMismatches(t, "the session is of USD 12.50, "+stand["mismatch"].ID+" is of GBP 12.50")

	s.Stripe.Down()
	all, err := s.App.Payments.Reconcile(t.Context())
	if err != nil || len(all) != 4 || !all[0].Failed || !strings.HasPrefix(all[0].Outcome, "stripe: unavailable") {
		t.Errorf("with Stripe down: %+v, %v", all, err)
	}
	if _, err := s.again(t, servertest.WithoutStripe).App.Payments.Reconcile(t.Context()); err == nil {
		t.Error("reconciled without Stripe")
	}
}

func TestBundles(t *testing.T) {
	open := func(t *testing.T, change ...func(*server.Config)) (*cashier, *servertest.Browser, string) {
		t.Helper()
		s := newCashier(t, change...)
		id, b := s.Member(t, "buyer@example.com")
		return s, b, id
	}
	buy := func(t *testing.T, b *servertest.Browser, bundle string) servertest.Answer {
		t.Helper()
		return b.Post(t, "/console/wallet/buy", url.Values{"bundle": {bundle}})
	}
	wantTopUps := func(t *testing.T, s *cashier, cents ...int64) {
		t.Helper()
		var sum int64
		var got []int64
		for _, e := range s.Ledger(t, "buyer@example.com") {
			if e.Kind != db.TopUp || !strings.HasPrefix(e.Note, "bundle buy_") || e.KeyID != "" || e.Endpoint != "" {
				t.Errorf("ledger has %+v", e)
			}
			got = append(got, e.AmountCents)
		}
		for _, c := range cents {
			sum += c
		}
		if w := s.Wallet(t, "buyer@example.com"); !slices.Equal(got, cents) || w.BalanceCents != sum {
			t.Errorf("top-ups %v, balance %d; want %v", got, w.BalanceCents, cents)
		}
		s.VerifyWallets(t)
	}

	t.Run("OnThePage", func(t *testing.T) {
		_, b, _ := open(t)
		page := b.Get(t, "/console/wallet")
		page.ExpectPage(t, 200, "GBP 5.00", "GBP 10.00", "GBP 25.00", "600 US cents of credit", "1,250 US cents", "3,250 US cents",
			`value="500-gbp-600"`, `value="1000-gbp-1250"`, `value="2500-gbp-3250"`, "Credit is counted in US cents", "GBP")
		if !slices.Contains(page.Forms(), "/console/wallet/buy") {
			t.Errorf("forms %v", page.Forms())
		}
	})

	for bundle, want := range map[string]struct {
		amount, credit int64
		name           string
	}{
		"500-gbp-600":   {500, 600, "600 US cents of credit for API calls"},
		"1000-gbp-1250": {1000, 1250, "1,250 US cents of credit for API calls"},
		"2500-gbp-3250": {2500, 3250, "3,250 US cents of credit for API calls"},
	} {
		t.Run(bundle, func(t *testing.T) {
			s, _, account := open(t, func(c *server.Config) { c.ConsoleURL = "https://console.example.com" })
			// The console's cookie is of HTTPS alone there, so the buyer comes by another appliance.
			plain := s.again(t)
			b := plain.Browser(t)
			b.SignIn(t, "buyer@example.com", servertest.Password)
			a := buy(t, b, bundle)
			made := s.Stripe.Sessions()[0]
			if a.Status != 303 || a.Header.Get("Location") != s.Stripe.URL+"/pay/"+made.ID {
				t.Fatalf("answer %d to %q: %s", a.Status, a.Header.Get("Location"), a.Body)
			}
			id := made.Reference
			wantParams := url.Values{
				"mode": {"payment"}, "client_reference_id": {id}, "metadata[reference]": {id}, "payment_intent_data[metadata][reference]": {id},
				"line_items[0][quantity]": {"1"}, "line_items[0][price_data][currency]": {"gbp"},
				"line_items[0][price_data][unit_amount]":        {fmt.Sprint(want.amount)},
				"line_items[0][price_data][product_data][name]": {want.name},
				"success_url": {plain.URL + "/console/wallet?done=bought"}, "cancel_url": {plain.URL + "/console/wallet"},
				"expires_at": {fmt.Sprint(s.Clock.Now().Add(24 * time.Hour).Unix())},
			}
			if !strings.HasPrefix(id, "buy_") || made.IdempotencyKey != id+"-1" || made.Params.Encode() != wantParams.Encode() {
				t.Errorf("key %q, parameters\n%v, want\n%v", made.IdempotencyKey, made.Params, wantParams)
			}
			if got := s.Query(t, `SELECT account_id, amount, currency, credit_cents FROM purchases`); !slices.Equal(got, []string{fmt.Sprintf("%s %d gbp %d", account, want.amount, want.credit)}) {
				t.Errorf("purchases %v", got)
			}

			b.Get(t, "/console/wallet?done=bought").ExpectPage(t, 200, "Thank you.", "as soon as Stripe confirms")
			wantTopUps(t, s) // coming back is no proof
			s.Stripe.Pay(made.ID)
			s.TakeEvent(t, made.ID, servertest.CheckoutCompleted)
			wantTopUps(t, s, want.credit)
			b.Get(t, "/console/wallet").ExpectPage(t, 200, "bundle "+id)
			for _, again := range []string{servertest.CheckoutCompleted, asyncSucceeded, sessionExpired, asyncFailed} {
				s.TakeEvent(t, made.ID, again)
			}
			wantTopUps(t, s, want.credit)
			s.wantMismatches(t)
		})
	}

	t.Run("TenCopiesAtOnce", func(t *testing.T) {
		s, b, _ := open(t)
		other := s.again(t)
		buy(t, b, "500-gbp-600")
		session := s.Stripe.Sessions()[0]
		s.Stripe.Pay(session.ID)
		payload := s.Stripe.Event(session.ID, servertest.CheckoutCompleted)
		payloads := [][]byte{payload, payload, s.Stripe.Event(session.ID, asyncSucceeded)}
		count := servertest.Parallel(12, func(i int) int { return []*cashier{s, other}[i%2].SignedEvent(t, s.Stripe, payloads[i%3]).Status })
		if count[200] != 12 {
			t.Errorf("answers %v", count)
		}
		wantTopUps(t, s, 600)
		s.wantEvents(t, 2)
	})

	t.Run("EachPurchaseIsItsOwn", func(t *testing.T) {
		s, b, _ := open(t)
		for range 2 {
			buy(t, b, "500-gbp-600")
		}
		s.wantOpen(t, 2)
		for _, session := range s.Stripe.Sessions() {
			s.Stripe.Pay(session.ID)
			s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
		}
		wantTopUps(t, s, 600, 600)
		s.wantMismatches(t)
	})

	for name, change := range map[string]func(*stripetest.Session){
		"Amount":    func(c *stripetest.Session) { c.AmountTotal = 499 },
		"Currency":  func(c *stripetest.Session) { c.Currency = "usd" },
		"Reference": func(c *stripetest.Session) { c.Reference = "buy_other" },
		"Live":      func(c *stripetest.Session) { c.Live = true },
	} {
		t.Run("Wrong"+name, func(t *testing.T) {
			s, b, _ := open(t)
			buy(t, b, "500-gbp-600")
			session := s.Stripe.Sessions()[0]
			s.Stripe.Pay(session.ID)
			s.Stripe.Alter(session.ID, change)
			s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
			wantTopUps(t, s)
			if all, err := s.App.Payments.Mismatches(t.Context(), 10); err != nil || len(all) != 1 {
				t.Errorf("mismatches %+v, %v", all, err)
			}
		})
	}

	// The sweep credits what no event told of, and ends what nobody paid.
	t.Run("Sweep", func(t *testing.T) {
		s, b, _ := open(t)
		for range 2 {
			buy(t, b, "500-gbp-600")
		}
		s.Stripe.Pay(s.Stripe.Sessions()[1].ID)
		s.Clock.Advance(25 * time.Hour)
		s.Sweep(t)
		wantTopUps(t, s, 600)
		s.wantTries(t, s.Stripe.Sessions()[0].Reference, "1 over")
	})

	t.Run("SlowPayment", func(t *testing.T) {
		s, b, _ := open(t)
		buy(t, b, "500-gbp-600")
		session := s.Stripe.Sessions()[0]
		s.Stripe.PayDelayed(session.ID)
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
		wantTopUps(t, s)
		s.Stripe.Settle(session.ID)
		s.TakeEvent(t, session.ID, asyncSucceeded)
		wantTopUps(t, s, 600)
	})

	t.Run("Unknown", func(t *testing.T) {
		s, b, _ := open(t)
		before := s.DumpPayments(t)
		for _, bundle := range []string{"", "500", "500-gbp-700", "1-gbp-3250", "500-GBP-600", "0500-gbp-600", "500-gbp-600 "} {
			a := buy(t, b, bundle)
			a.Expect(t, 400, "invalid_request")
			a.ExpectPage(t, 400, "The bundle is not for sale here.")
		}
		b.Post(t, "/console/wallet/buy?bundle=500-gbp-600", nil).Expect(t, 400, "invalid_request")
		if a := b.Get(t, "/console/wallet/buy?bundle=500-gbp-600"); a.Status != 405 {
			t.Errorf("GET: %d", a.Status)
		}
		servertest.ExpectSame(t, before, s.DumpPayments(t))
		s.ExpectTrace(t)
	})

	t.Run("NotSignedIn", func(t *testing.T) {
		s, _, _ := open(t)
		before := s.DumpPayments(t)
		stranger := s.Browser(t)
		if a := buy(t, stranger, "500-gbp-600"); a.Status != 303 || !strings.HasPrefix(a.Header.Get("Location"), "/signin") {
			t.Errorf("answer %d to %q", a.Status, a.Header.Get("Location"))
		}
		if a := stranger.Get(t, "/console/wallet"); a.Status != 303 {
			t.Errorf("the page: %d", a.Status)
		}
		servertest.ExpectSame(t, before, s.DumpPayments(t))
		s.ExpectTrace(t)
	})

	t.Run("FromAnotherSite", func(t *testing.T) {
		s, b, _ := open(t)
		before := s.DumpPayments(t)
		for _, site := range []servertest.Option{
			servertest.WithHeader("Sec-Fetch-Site", "cross-site"), servertest.WithHeader("Sec-Fetch-Site", "same-site"),
		} {
			b.Post(t, "/console/wallet/buy", url.Values{"bundle": {"500-gbp-600"}}, site).Expect(t, 403, "cross_origin")
		}
		servertest.ExpectSame(t, before, s.DumpPayments(t))
	})

	t.Run("WithoutStripe", func(t *testing.T) {
		s, b, _ := open(t, servertest.WithoutStripe)
		before := s.DumpPayments(t)
		page := b.Get(t, "/console/wallet")
		page.ExpectPage(t, 200, "Payments are not set up on this server")
		if slices.Contains(page.Forms(), "/console/wallet/buy") || page.Says("GBP 5.00") {
			t.Error("bundles are offered")
		}
		buy(t, b, "500-gbp-600").Expect(t, 400, "invalid_request")
		servertest.ExpectSame(t, before, s.DumpPayments(t))
	})

	t.Run("StripeFails", func(t *testing.T) {
		s, b, _ := open(t)
		for _, failure := range failures {
			failure.fail(s.Stripe)
			a := buy(t, b, "500-gbp-600")
			s.Stripe.Up()
			a.Expect(t, 503, "unavailable")
			a.ExpectPage(t, 503, "no new payment was begun; try again in a moment", "GBP 5.00")
		}
		s.Stripe.Fail(400, `{"error":{"type":"invalid_request_error","code":"amount_too_small","message":"At least 6 pounds."}}`)
		buy(t, b, "500-gbp-600").ExpectPage(t, 409, "At least 6 pounds.")
		wantTopUps(t, s)
	})

	t.Run("TooOften", func(t *testing.T) {
		s, b, _ := open(t)
		_, other := s.Member(t, "other@example.com")
		for range 20 {
			if a := buy(t, b, "500-gbp-600"); a.Status != 303 {
				t.Fatalf("answer %d", a.Status)
			}
		}
		before, trace := s.DumpPayments(t), s.Trace()
		a := buy(t, b, "500-gbp-600")
		a.Expect(t, 429, "too_many_tries")
		a.ExpectPage(t, 429, "Too many purchases were begun within an hour", "GBP 5.00")
		servertest.ExpectSame(t, before, s.DumpPayments(t))
		s.ExpectTrace(t, trace...)
		if a := buy(t, other, "500-gbp-600"); a.Status != 303 {
			t.Errorf("another account: %d", a.Status)
		}
		s.Clock.Advance(time.Hour)
		if a := buy(t, b, "500-gbp-600"); a.Status != 303 {
			t.Errorf("after an hour: %d", a.Status)
		}
	})

	t.Run("ThePriceIsTheOperators", func(t *testing.T) {
		s, b, _ := open(t, func(c *server.Config) {
			c.Bundles = []account.Bundle{{Amount: 10000, Currency: "jpy", CreditCents: 7000}}
		})
		b.Get(t, "/console/wallet").ExpectPage(t, 200, "JPY 10,000", "7,000 US cents of credit")
		buy(t, b, "500-gbp-600").Expect(t, 400, "invalid_request")
		buy(t, b, "10000-jpy-7000")
		session := s.Stripe.Sessions()[0]
		if session.Currency != "jpy" || session.AmountTotal != 10000 {
			t.Errorf("session %+v", session)
		}
		s.Stripe.Pay(session.ID)
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
		wantTopUps(t, s, 7000)
	})
}

// Neither the log nor a page learns Stripe's key or a webhook secret, and the log no
// link, whatever Stripe says and however it fails.
func TestPaymentSecrets(t *testing.T) {
	servertest.Sequential(t)
	const key, first, second = "sk_test_in_confidence", "whsec_in_confidence", "whsec_also_in_confidence"
	s, calls := newWiredCashier(t, func(c *server.Config) { c.Stripe.Key, c.Stripe.WebhookSecrets = key, []string{first, second} })
	s.Stripe.Key = key
	var seen bytes.Buffer
	see := func(a servertest.Answer) {
		seen.Write(a.Body)
		for name, values := range a.Header {
			fmt.Fprintln(&seen, name, values)
		}
	}
	tokens := map[string]string{}
	for _, status := range []int{200, 302, 400, 401, 402, 403, 404, 409, 429, 500, 0} {
		c := s.MakeCharge(t, s.Live)
		tokens[fmt.Sprint("the link of ", status)] = string(c.Token())
		about := c.Link
		if status == 401 || status == 403 {
			about = "the key" // that alone is what these are about, and they are logged
		}
		chatter := fmt.Sprintf(`{"error":{"type":"x_%[1]s","code":"amount_too_small","param":"success_url","message":"%[1]s %[2]s"}}`, key, about)
		fails := func(int, *http.Request) (int, string) {
			if status == 0 {
				panic(http.ErrAbortHandler) // the connection breaks
			}
			return status, chatter
		}
		well := func(int, *http.Request) (int, string) { return 0, "" }
		calls.on(fails)
		see(s.Press(t, c, "pay"))
		calls.on(well)
		session := s.Pay(t, c)
		calls.on(fails)
		see(s.Press(t, c, "pay"))
		for _, tail := range []string{"", "/return", "/status", "/nothing"} {
			see(s.Show(t, c, tail))
		}
		for _, secret := range []string{first, second, "wrong", key} {
			payload := s.altered(t, session.ID, servertest.CheckoutCompleted, func(event, object map[string]any) { object["client_reference_id"] = "order_17" })
			see(s.Call(t, "POST", "/webhooks/stripe", payload, servertest.WithHeader("Stripe-Signature", s.Stripe.Sign(payload, secret, s.Clock.Now()))))
		}
		s.Clock.Advance(25 * time.Hour)
		if err := s.App.Sweep(t.Context()); err != nil {
			fmt.Fprintln(&seen, err)
		}
		s.Clock.Advance(week)
	}
	logged := s.Log.String()
	if len(logged) < 10_000 || seen.Len() < 10_000 {
		t.Fatalf("only %d bytes of log and %d of answers", len(logged), seen.Len())
	}
	for name, secret := range map[string]string{"the key": key, "a secret": first, "the other secret": second, "half a key": "in_confidence"} {
		if strings.Contains(logged, secret) {
			t.Errorf("the log holds %s", name)
		}
		if i := strings.Index(seen.String(), secret); i >= 0 {
			t.Errorf("an answer holds %s: …%s", name, seen.String()[max(0, i-200):i])
		}
	}
	for name, token := range tokens {
		if i := strings.Index(logged, token); i >= 0 {
			t.Errorf("the log holds %s: …%s", name, logged[max(0, i-300):i])
		}
	}
}

// settled pays a charge from the first press to the event.
func (s *cashier) settled(t *testing.T, c servertest.Charge) {
	t.Helper()
	session := s.Pay(t, c)
	s.Stripe.Pay(session.ID)
	s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
	s.ExpectStatus(t, c, db.ChargeApproved)
}

// altered is an event whose body was changed before it was signed.
func (s *cashier) altered(t *testing.T, sessionID, eventType string, change func(event, object map[string]any)) []byte {
	t.Helper()
	var event map[string]any
	if err := json.Unmarshal(s.Stripe.Event(sessionID, eventType), &event); err != nil {
		t.Fatal(err)
	}
	change(event, event["data"].(map[string]any)["object"].(map[string]any))
	payload, err := json.Marshal(event)
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// foreign makes a session that our table does not have, as another program of the
// same Stripe account does.
func (s *cashier) foreign(t *testing.T, reference string) (id string) {
	t.Helper()
	made, err := stripe.New(stripe.Config{Key: s.Stripe.Key, API: s.Stripe.URL}).Create(t.Context(), stripe.Order{
		IdempotencyKey: fmt.Sprint("foreign-", len(s.Stripe.Sessions())), Reference: reference, Amount: 1250, Currency: "gbp",
		Description: "Invoice 17", SuccessURL: "https://shop.example/", CancelURL: "https://shop.example/",
		ExpiresAt: s.Clock.Now().Add(time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// tries are a subject's tries to pay, in their order: number and state.
func (s *cashier) tries(t *testing.T, subjectID string) []string {
	t.Helper()
	return s.Query(t, `SELECT n, state FROM checkouts WHERE subject_id = '`+subjectID+`' ORDER BY n`)
}

func (s *cashier) wantTries(t *testing.T, subjectID string, want ...string) {
	t.Helper()
	if got := s.tries(t, subjectID); !slices.Equal(got, want) {
		t.Errorf("tries %q, want %q", got, want)
	}
}

// wantOpen checks how many sessions can be paid at Stripe.
func (s *cashier) wantOpen(t *testing.T, want int) {
	t.Helper()
	n := 0
	for _, session := range s.Stripe.Sessions() {
		if session.Status == "open" {
			n++
		}
	}
	if n != want {
		t.Errorf("%d sessions can be paid, want %d", n, want)
	}
}

func (s *cashier) wantEvents(t *testing.T, want int) {
	t.Helper()
	if got := s.Count(t, `SELECT count(*) FROM payment_events`); got != want {
		t.Errorf("%d events are stored, want %d", got, want)
	}
}

// wantMismatches checks what the operator is told.
func (s *cashier) wantMismatches(t *testing.T, want ...string) {
	t.Helper()
	all, err := s.App.Payments.Mismatches(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range all {
		got = append(got, m.Mismatch)
	}
	if !slices.Equal(got, want) {
		t.Errorf("mismatches %q, want %q", got, want)
	}
}

// wire stands between the appliance and Stripe, so that a test can hold one call
// among several or answer it in Stripe's place.
type wire struct {
	calls atomic.Int64
	hook  atomic.Pointer[func(n int, r *http.Request) (status int, body string)]
}

// on sees every call from now on, numbered from 1; status 0 lets it through.
func (w *wire) on(hook func(n int, r *http.Request) (status int, body string)) {
	w.calls.Store(0)
	w.hook.Store(&hook)
}

func newWiredCashier(t *testing.T, change ...func(*server.Config)) (*cashier, *wire) {
	t.Helper()
	w := &wire{}
	var through http.Handler
	between := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		n := int(w.calls.Add(1))
		if hook := w.hook.Load(); hook != nil {
			if status, body := (*hook)(n, r); status != 0 {
				out.WriteHeader(status)
				fmt.Fprint(out, body)
				return
			}
		}
		through.ServeHTTP(out, r)
	}))
	t.Cleanup(between.Close)
	s := newCashier(t, append(change, func(c *server.Config) { c.Stripe.API = between.URL })...)
	target, err := url.Parse(s.Stripe.URL)
	if err != nil {
		t.Fatal(err)
	}
	through = httputil.NewSingleHostReverseProxy(target)
	return s, w
}
