package checkout_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/servertest"
	"svc/server/stripe/stripetest"
)

func TestSweep(t *testing.T) {
	t.Run("EndsTheSessionWithItsCharge", func(t *testing.T) {
		s, c := newCharge(t)
		s.Clock.Advance(week - time.Minute)
		session := s.Pay(t, c) // lasts 31 minutes
		s.Sweep(t)
		s.ExpectTrace(t, "create 1")
		s.Clock.Advance(time.Minute - time.Millisecond)
		s.Sweep(t)
		s.ExpectTrace(t, "create 1")
		s.Clock.Advance(time.Millisecond)
		s.Sweep(t)
		s.ExpectTrace(t, "create 1", "expire 1")
		s.expectAttempts(t, c.ID, "1 over")
		if got := s.Stripe.Sessions()[0].Status; got != "expired" {
			t.Errorf("session %s is %s", session.ID, got)
		}
		s.Sweep(t)
		s.Clock.Advance(week)
		s.Sweep(t)
		s.ExpectTrace(t, "create 1", "expire 1")
		s.ExpectStatus(t, c, db.ChargeExpired)
	})

	t.Run("FetchesASessionThatHasEnded", func(t *testing.T) {
		s, c, _ := newPayment(t)
		s.Clock.Advance(24*time.Hour + 5*time.Minute - time.Millisecond)
		s.Sweep(t)
		s.expectAttempts(t, c.ID, "1 open")
		s.Clock.Advance(time.Millisecond)
		s.Sweep(t)
		s.expectAttempts(t, c.ID, "1 over")
		s.ExpectStatus(t, c, db.ChargePending)
		s.Pay(t, c)
	})

	for name, due := range map[string]time.Duration{"Pending": 25 * time.Hour, "Expired": week} {
		t.Run("ApprovesWhatWasPaid"+name, func(t *testing.T) {
			s, c, session := newPayment(t)
			s.Stripe.Pay(session.ID)
			s.Clock.Advance(due)
			s.Sweep(t)
			s.ExpectTrace(t, "create 1", "expire 1", "fetch 1")
			s.ExpectStatus(t, c, db.ChargeApproved)
			s.expectAttempts(t, c.ID, "1 paid")

			s.TakeEvent(t, session.ID, servertest.CheckoutCompleted) // late
			s.expectMismatches(t)
			s.expectAttempts(t, c.ID, "1 paid")
		})
	}

	t.Run("WaitsForDelayedPayments", func(t *testing.T) {
		s, c, session := newPayment(t)
		s.completeDelayed(t, session.ID)
		s.Clock.Advance(25 * time.Hour)
		s.Sweep(t)
		s.expectAttempts(t, c.ID, "1 processing")
		trace := s.Trace()
		s.Clock.Advance(30*time.Minute - time.Millisecond)
		s.Sweep(t)
		s.ExpectTrace(t, trace...) // not due again yet
		s.Stripe.Settle(session.ID)
		s.Clock.Advance(time.Millisecond)
		s.Sweep(t)
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.ExpectTrace(t, append(trace, "fetch 1")...) // and no attempt to end it
	})

	// A delayed payment failed, and no event arrived.
	t.Run("DelayedPaymentFailed", func(t *testing.T) {
		s, c, session := newPayment(t)
		s.completeDelayed(t, session.ID)
		s.Stripe.FailDelayed(session.ID)
		s.Clock.Advance(25 * time.Hour)
		s.Sweep(t)
		s.expectAttempts(t, c.ID, "1 over")
		s.ExpectStatus(t, c, db.ChargePending)
		s.Pay(t, c)
	})

	// Stripe does not know the session: perhaps the key is another account's. The operator
	// sees one mismatch, and the session is fetched again as long as money may come.
	t.Run("SessionIsLost", func(t *testing.T) {
		s, calls := newTappedCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		s.Stripe.Alter(session.ID, func(c *stripetest.Session) { c.AmountTotal = 1 })
		calls.intercept(func(int, *http.Request) (int, string) { return 404, `{"error":{"type":"invalid_request_error"}}` })
		for range 3 {
			s.Clock.Advance(25 * time.Hour)
			s.Sweep(t)
		}
		const lost = "Stripe does not know the session under our key"
		s.expectMismatches(t, lost)
		s.expectAttempts(t, c.ID, "1 open")

		// The right key is back: the difference that it finds is stored, too.
		calls.intercept(func(int, *http.Request) (int, string) { return 0, "" })
		s.Clock.Advance(30 * time.Minute)
		s.Sweep(t)
		s.expectMismatches(t, "the session is of £0.01, "+c.ID+" is of £12.50", lost)
		s.ExpectStatus(t, c, db.ChargePending)
	})

	t.Run("SessionIsLostAndFound", func(t *testing.T) {
		s, calls := newTappedCashier(t)
		found, gone := s.MakeCharge(t, s.Live), s.MakeCharge(t, s.Live)
		s.Stripe.Pay(s.Pay(t, found).ID)
		lost := s.Pay(t, gone)
		hide := func(all bool) {
			calls.intercept(func(_ int, r *http.Request) (int, string) {
				if all || strings.Contains(r.URL.Path, lost.ID) {
					return 404, `{"error":{"type":"invalid_request_error"}}`
				}
				return 0, ""
			})
		}
		hide(true)
		s.Clock.Advance(15 * 24 * time.Hour) // 14 days after the session's end
		s.Sweep(t)
		s.expectAttempts(t, found.ID, "1 open")
		hide(false)
		s.Clock.Advance(30 * time.Minute)
		s.Sweep(t)
		s.ExpectStatus(t, found, db.ChargeApproved)
		s.expectAttempts(t, gone.ID, "1 over") // too late for money to come
	})

	// The event that the payer completed the session was missed, and the money has not
	// come yet.
	t.Run("DelayedPaymentWithoutAnEvent", func(t *testing.T) {
		s, c, session := newPayment(t)
		s.Stripe.PayDelayed(session.ID)
		s.Clock.Advance(25 * time.Hour)
		s.Sweep(t)
		s.expectAttempts(t, c.ID, "1 processing")
		s.Show(t, c, "").ExpectPage(t, 200, "Please do not pay again")
		s.Press(t, c, "pay").ExpectPage(t, 409, "Please do not pay again")
		s.ExpectTrace(t, "create 1", "expire 1", "fetch 1")
	})

	t.Run("EndsAnAttemptWithoutASession", func(t *testing.T) {
		s, c := newCharge(t)
		s.Stripe.Down()
		s.Press(t, c, "pay")
		s.Stripe.Up()
		s.Clock.Advance(25 * time.Hour)
		s.Sweep(t)
		s.expectAttempts(t, c.ID, "1 over")
		s.ExpectTrace(t)
		s.Pay(t, c)
		s.ExpectTrace(t, "create 2")
	})

	t.Run("StripeDown", func(t *testing.T) {
		s, c, _ := newPayment(t)
		s.Clock.Advance(25 * time.Hour)
		s.Stripe.Down()
		err := s.App.Sweep(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.ID+"-1") || strings.Contains(err.Error(), s.Stripe.Key) {
			t.Errorf("sweep: %v", err)
		}
		s.Stripe.Up()
		s.expectAttempts(t, c.ID, "1 open")
		s.Sweep(t)
		s.ExpectTrace(t, "create 1") // due again after half an hour
		s.Clock.Advance(30 * time.Minute)
		s.Sweep(t)
		s.expectAttempts(t, c.ID, "1 over")
	})

	// Sessions for which Stripe always fails do not block the others.
	t.Run("SomeFail", func(t *testing.T) {
		s, calls := newTappedCashier(t)
		var all []servertest.Charge
		var sessions []stripetest.Session
		for range 5 {
			c := s.MakeCharge(t, s.Live)
			session := s.Pay(t, c)
			s.Stripe.Pay(session.ID)
			all, sessions = append(all, c), append(sessions, session)
		}
		calls.intercept(func(_ int, r *http.Request) (int, string) {
			if strings.Contains(r.URL.Path, sessions[0].ID) || strings.Contains(r.URL.Path, sessions[3].ID) {
				return 500, `{"error":{"type":"api_error"}}`
			}
			return 0, ""
		})
		s.Clock.Advance(25 * time.Hour)
		err := s.App.Sweep(t.Context())
		if err == nil || !strings.Contains(err.Error(), all[0].ID) || !strings.Contains(err.Error(), all[3].ID) {
			t.Errorf("sweep: %v, want both failures", err)
		}
		for i, c := range all {
			s.ExpectStatus(t, c, map[bool]db.ChargeStatus{true: db.ChargePending, false: db.ChargeApproved}[i == 0 || i == 3])
		}
	})

	t.Run("Mismatch", func(t *testing.T) {
		s, c, session := newPayment(t)
		s.Stripe.Pay(session.ID)
		s.Stripe.Alter(session.ID, func(c *stripetest.Session) { c.AmountTotal = 1 })
		for range 3 {
			s.Clock.Advance(25 * time.Hour)
			s.Sweep(t)
		}
		s.ExpectStatus(t, c, db.ChargePending)
		s.expectMismatches(t, "the session is of £0.01, "+c.ID+" is of £12.50") // once
	})

	// Two processes sweep at once: each session is ended once.
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
				t.Errorf("%s was called %d times", path, n)
			}
		}
		if len(asked) != due || s.Count(t, `SELECT count(*) FROM checkouts WHERE state = 'over'`) != due {
			t.Errorf("%d sessions were ended, want %d", len(asked), due)
		}
	})

	t.Run("TakesABoundedNumber", func(t *testing.T) {
		s := newCashier(t)
		for range 21 {
			s.Pay(t, s.PlantCharge(t, s.LiveKey))
		}
		s.Clock.Advance(25 * time.Hour)
		for _, left := range []int{1, 0} {
			s.Sweep(t)
			if got := s.Count(t, `SELECT count(*) FROM checkouts WHERE state = 'open'`); got != left {
				t.Errorf("%d sessions are left, want %d", got, left)
			}
		}
	})

	// Events that matched are kept for 90 days, mismatches for ever.
	t.Run("DeletesOldEvents", func(t *testing.T) {
		s, c := newCharge(t)
		s.settle(t, c)
		stray := s.foreign(t, c.ID)
		s.Stripe.Pay(stray)
		s.TakeEvent(t, stray, servertest.CheckoutCompleted)
		s.Clock.Advance(90 * 24 * time.Hour)
		s.Sweep(t)
		s.expectEvents(t, 2)
		s.Clock.Advance(time.Millisecond)
		s.Sweep(t)
		s.expectEvents(t, 1)
		s.expectMismatches(t, "paid, but no charge and no bundle has this session")
	})

	t.Run("WithoutStripe", func(t *testing.T) {
		s, c, _ := newPayment(t)
		s.Clock.Advance(25 * time.Hour)
		s.again(t, servertest.WithoutStripe).Sweep(t)
		s.expectAttempts(t, c.ID, "1 open")
	})

	// A running server sweeps by itself and logs failures.
	t.Run("Running", func(t *testing.T) {
		s, c, _ := newPayment(t)
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
			t.Errorf("the log contains the key: %s", log)
		}
	})
}
