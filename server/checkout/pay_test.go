package checkout_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/servertest"
	"svc/server/stripe/stripetest"
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
		s.expectAttempts(t, c.ID, "1 open")
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
				t.Errorf("with %d characters the name is %q, the description %q", n, made.Name, made.Description)
			}
		}
	})

	// The session ends with the charge, within the 30 minutes to 24 hours of Stripe.
	for name, test := range map[string]struct{ left, life time.Duration }{
		"WholeLife": {week, 24 * time.Hour}, "MoreThanADay": {24*time.Hour + time.Second, 24 * time.Hour},
		"LessThanADay": {24*time.Hour - time.Second, 24*time.Hour - time.Second}, "Hours": {10 * time.Hour, 10 * time.Hour},
		"JustAbove": {31*time.Minute + time.Second, 31*time.Minute + time.Second}, "JustBelow": {31*time.Minute - time.Second, 31 * time.Minute},
		"Minutes": {5 * time.Minute, 31 * time.Minute}, "AlmostNothing": {time.Second, 31 * time.Minute},
	} {
		t.Run("Life"+name, func(t *testing.T) {
			s, c := newCharge(t)
			s.Clock.Advance(week - test.left)
			made := s.Pay(t, c)
			if got := made.ExpiresAt.Sub(s.Clock.Now()); got != test.life {
				t.Errorf("with %v left the session lasts %v, want %v", test.left, got, test.life)
			}
		})
	}

	t.Run("LifeOfAFractionOfASecond", func(t *testing.T) {
		s := newCashier(t)
		s.Clock.Advance(999 * time.Millisecond)
		c := s.MakeCharge(t, s.Live)
		made := s.Pay(t, c)
		if got, want := made.ExpiresAt, s.Clock.Now().Add(24*time.Hour).Truncate(time.Second); !got.Equal(want) {
			t.Errorf("ends at %v, want %v: at most a day later", got, want)
		}
		s.Clock.Advance(week - time.Millisecond)
		if made := s.Pay(t, c); made.ExpiresAt.Sub(s.Clock.Now()) < 30*time.Minute {
			t.Errorf("ends at %v, sooner than Stripe accepts", made.ExpiresAt)
		}
	})

	t.Run("EndedCharge", func(t *testing.T) {
		s, c := newCharge(t)
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

	// After Pay is pressed again, only the newest session can be paid.
	t.Run("AgainEndsTheEarlierSession", func(t *testing.T) {
		s, c := newCharge(t)
		for range 3 {
			s.Pay(t, c)
		}
		s.ExpectTrace(t, "create 1", "expire 1", "create 2", "expire 2", "create 3")
		s.expectAttempts(t, c.ID, "1 over", "2 over", "3 open")
		s.expectOpen(t, 1)
	})

	t.Run("AgainAfterTheSessionEnded", func(t *testing.T) {
		s, c, _ := newPayment(t)
		s.Clock.Advance(25 * time.Hour)
		s.Pay(t, c)
		s.ExpectTrace(t, "create 1", "expire 1", "fetch 1", "create 2")
		s.expectAttempts(t, c.ID, "1 over", "2 open")
	})

	t.Run("AgainAfterStripeReportedTheEnd", func(t *testing.T) {
		s, c := newCharge(t)
		first := s.Pay(t, c)
		s.Stripe.Expire(first.ID)
		s.TakeEvent(t, first.ID, sessionExpired)
		s.expectAttempts(t, c.ID, "1 over")
		s.Pay(t, c)
		s.ExpectTrace(t, "create 1", "fetch 1", "create 2")
	})

	// The payer has paid, and Stripe's event has not arrived yet.
	for name, how := range map[string]func(*stripetest.Stripe, string){"Paid": (*stripetest.Stripe).Pay, "PaidDelayed": (*stripetest.Stripe).PayDelayed} {
		t.Run("AgainAfter"+name, func(t *testing.T) {
			s, c, session := newPayment(t)
			how(s.Stripe, session.ID)

			refused := s.Press(t, c, "pay")
			refused.ExpectErrorPage(t, 409, "conflict", "This is being paid already", "Please do not pay again")
			refused.ExpectNoForms(t)
			s.ExpectTrace(t, "create 1", "expire 1", "fetch 1")
			s.expectAttempts(t, c.ID, "1 processing")
			s.ExpectStatus(t, c, db.ChargePending)
			s.Show(t, c, "/status").ExpectState(t, "processing")

			refused = s.Press(t, c, "pay")
			refused.ExpectPage(t, 409, "Please do not pay again")
			s.ExpectTrace(t, "create 1", "expire 1", "fetch 1")

			if name == "PaidDelayed" {
				s.Stripe.Settle(session.ID)
			}
			s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
			s.ExpectStatus(t, c, db.ChargeApproved)
			s.expectAttempts(t, c.ID, "1 paid")
		})
	}

	// The payment failed, and Stripe's event has not arrived yet.
	t.Run("AgainAfterADelayedPaymentFailed", func(t *testing.T) {
		s, c, session := newPayment(t)
		s.Stripe.PayDelayed(session.ID)
		s.Stripe.FailDelayed(session.ID)
		s.Pay(t, c)
		s.ExpectTrace(t, "create 1", "expire 1", "fetch 1", "create 2")
		s.expectAttempts(t, c.ID, "1 over", "2 open")
	})

	t.Run("AfterApproval", func(t *testing.T) {
		s, c := newCharge(t)
		s.settle(t, c)
		before, trace := s.DumpPayments(t), s.Trace()
		refused := s.Press(t, c, "pay")
		refused.ExpectPage(t, 409, "Paid", "The payment is confirmed")
		refused.ExpectNoForms(t)
		servertest.ExpectSame(t, before, s.DumpPayments(t))
		s.ExpectTrace(t, trace...)
	})
}

// The return page proves nothing: it shows that the payment is unconfirmed, and changes
// nothing (E2).
func TestReturnChangesNothing(t *testing.T) {
	s, c := newCharge(t)
	s.Show(t, c, "/return").ExpectPage(t, 200, "Pay £12.50") // no session yet
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
	s.Show(t, c, "").ExpectPage(t, 200, "Pay £12.50") // the payer may have cancelled

	s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
	s.Show(t, c, "/status").ExpectState(t, "approved")
	page := s.Show(t, c, "/return")
	page.ExpectPage(t, 200, "Paid", "The payment is confirmed")
	if page.Says("http-equiv") {
		t.Error("the page still reloads itself")
	}
}

// A payer who paid in the last minutes comes back after the charge expired, and reads
// that the payment is unconfirmed, not that the request has ended.
func TestReturnAfterExpiry(t *testing.T) {
	servertest.Sequential(t)
	for _, paid := range []bool{true, false} {
		t.Run(fmt.Sprint("Paid", paid), func(t *testing.T) {
			s, c := newCharge(t)
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

// With the link, Pay may be pressed twenty times an hour. Pressing it once more does not
// end the open session.
func TestPayIsThrottled(t *testing.T) {
	s := newCashier(t)
	c, other := s.MakeCharge(t, s.Live), s.MakeCharge(t, s.Live)
	for range 20 {
		s.Pay(t, c)
		s.Clock.Advance(time.Second)
	}
	before, trace := s.DumpPayments(t), s.Trace()
	for range 2 {
		refused := s.Press(t, c, "pay")
		refused.ExpectErrorPage(t, 429, "too_many_tries", "no new payment was begun, try again later", "Pay £12.50")
		if refused.Header.Get("Retry-After") != "3600" {
			t.Errorf("Retry-After %q", refused.Header.Get("Retry-After"))
		}
	}
	servertest.ExpectSame(t, before, s.DumpPayments(t))
	s.ExpectTrace(t, trace...)
	s.expectOpen(t, 1)
	s.Pay(t, other) // another charge is not affected

	s.Clock.Advance(time.Hour - 20*time.Second - time.Millisecond)
	s.Press(t, c, "pay").Expect(t, 429, "too_many_tries")
	s.Clock.Advance(time.Millisecond)
	s.Pay(t, c) // the first attempt is an hour ago
	s.expectOpen(t, 2)
}
