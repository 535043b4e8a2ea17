package checkout_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
	"svc/server/stripe/stripetest"
)

func TestWebhook(t *testing.T) {
	t.Run("Paid", func(t *testing.T) {
		s, c, session := newPayment(t)
		s.Stripe.Pay(session.ID)
		s.Clock.Advance(time.Minute)
		a := s.Event(t, s.Stripe, session.ID, servertest.CheckoutCompleted)
		a.ExpectBody(t, 200, `{"received":true}`+"\n")
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.expectAttempts(t, c.ID, "1 paid")
		s.ExpectTrace(t, "create 1", "fetch 1")
		if got := s.StoredCharge(t, c).ApprovedAt; !got.Equal(s.Clock.Now()) {
			t.Errorf("approved at %v, want now", got)
		}
		s.ExpectListed(t, s.Live, map[string]string{c.ID: "approved 2026-03-02T10:01:00.000Z"})
		s.Show(t, c, "").ExpectPage(t, 200, "Paid", "The payment is confirmed")
		s.expectEvents(t, 1)
	})

	t.Run("Delayed", func(t *testing.T) {
		s, c, session := newPayment(t)
		s.completeDelayed(t, session.ID)
		s.ExpectStatus(t, c, db.ChargePending)
		s.expectAttempts(t, c.ID, "1 processing")
		page := s.Show(t, c, "")
		page.ExpectPage(t, 200, "Payment not confirmed yet", "Please do not pay again")
		page.ExpectNoForms(t)

		s.Clock.Advance(3 * 24 * time.Hour)
		s.Stripe.Settle(session.ID)
		s.TakeEvent(t, session.ID, asyncSucceeded)
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.expectEvents(t, 2)
	})

	// A delayed payment that succeeds after the charge expired still counts.
	t.Run("DelayedPastExpiry", func(t *testing.T) {
		s, c, session := newPayment(t)
		s.completeDelayed(t, session.ID)
		s.Clock.Advance(week + 24*time.Hour)
		s.ExpectStatus(t, c, db.ChargeExpired)
		page := s.Show(t, c, "")
		page.ExpectPage(t, 200, "Payment not confirmed yet")
		s.Show(t, c, "/status").ExpectState(t, "processing") // as the page is
		s.Stripe.Settle(session.ID)
		s.TakeEvent(t, session.ID, asyncSucceeded)
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.Show(t, c, "/status").ExpectState(t, "approved")
	})

	t.Run("DelayedPaymentFails", func(t *testing.T) {
		s, c, session := newPayment(t)
		s.completeDelayed(t, session.ID)
		s.Stripe.FailDelayed(session.ID)
		s.TakeEvent(t, session.ID, asyncFailed)
		s.ExpectStatus(t, c, db.ChargePending)
		s.expectAttempts(t, c.ID, "1 over")
		// The charge is payable again, and a page that waits learns so.
		for _, tail := range []string{"", "/return"} {
			page := s.Show(t, c, tail)
			page.ExpectPage(t, 200, "Pay £12.50")
			if got, want := page.Forms(), []string{c.Path() + "/pay"}; !slices.Equal(got, want) {
				t.Errorf("forms %v, want %v", got, want)
			}
		}
		s.Show(t, c, "/status").ExpectState(t, "pay")
		again := s.Pay(t, c)
		s.ExpectTrace(t, "create 1", "fetch 1", "fetch 1", "create 2")
		s.Show(t, c, "/status").ExpectState(t, "processing")
		s.complete(t, again.ID)
		s.ExpectStatus(t, c, db.ChargeApproved)
	})

	t.Run("SessionExpired", func(t *testing.T) {
		s, c, session := newPayment(t)
		s.Clock.Advance(24 * time.Hour)
		s.TakeEvent(t, session.ID, sessionExpired)
		s.ExpectStatus(t, c, db.ChargePending)
		s.expectAttempts(t, c.ID, "1 over")
		s.Show(t, c, "").ExpectPage(t, 200, "Pay £12.50")
	})

	// Money wins over the timer (E1).
	t.Run("ExpiredChargeIsApproved", func(t *testing.T) {
		s, c, session := newPayment(t)
		s.Stripe.Pay(session.ID)
		s.Clock.Advance(8 * 24 * time.Hour)
		s.ExpectStatus(t, c, db.ChargeExpired)
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.Show(t, c, "").ExpectPage(t, 200, "Paid")
	})

	// An event only names a session to fetch. A completed session that is unpaid approves
	// nothing, whatever the event's type and content.
	t.Run("EventAloneProvesNothing", func(t *testing.T) {
		s, c, session := newPayment(t)
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
		// An open session is not proof, even if it is marked as paid.
		s.Stripe.Alter(session.ID, func(c *stripetest.Session) { c.PaymentStatus, c.Status = "paid", "open" })
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
		s.ExpectStatus(t, c, db.ChargePending)
	})

	// The reverse: an event with wrong content about a paid session.
	t.Run("WrongEventAboutAPaidSession", func(t *testing.T) {
		s, c, session := newPayment(t)
		s.Stripe.Pay(session.ID)
		odd := s.altered(t, session.ID, sessionExpired, func(event, object map[string]any) {
			event["api_version"] = "2099-01-01.zinnia"
			object["payment_status"], object["amount_total"], object["currency"] = "unpaid", 1, "usd"
			delete(object, "client_reference_id")
		})
		s.SignedEvent(t, s.Stripe, odd).Expect(t, 200, "")
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.expectMismatches(t)
	})

	t.Run("OtherTypesAreIgnored", func(t *testing.T) {
		s, _, session := newPayment(t)
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

// Copies of an event have one effect, whenever they arrive and at whichever appliance.
func TestRepeatedEvents(t *testing.T) {
	t.Run("Later", func(t *testing.T) {
		s, c, session := newPayment(t)
		s.Stripe.Pay(session.ID)
		payload := s.Stripe.Event(session.ID, servertest.CheckoutCompleted)
		s.SignedEvent(t, s.Stripe, payload).Expect(t, 200, "")
		before, trace := s.DumpPayments(t), s.Trace()
		s.Clock.Advance(time.Hour)
		s.SignedEvent(t, s.Stripe, payload).ExpectBody(t, 200, `{"received":true}`+"\n")
		s.TakeEvent(t, session.ID, sessionExpired) // another event about the same session
		s.TakeEvent(t, session.ID, asyncFailed)
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.expectAttempts(t, c.ID, "1 paid")
		s.expectEvents(t, 4)
		s.expectMismatches(t)
		s.Exec(t, `DELETE FROM payment_events WHERE type <> 'checkout.session.completed' OR created_at > `+fmt.Sprint(s.Clock.Now().Add(-time.Hour).UnixMilli()))
		servertest.ExpectSame(t, before, s.DumpPayments(t))
		s.ExpectTrace(t, append(trace, "fetch 1", "fetch 1", "fetch 1")...) // nothing was fetched for the copy
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
		s.expectEvents(t, 1)
		s.ExpectStatus(t, c, db.ChargeApproved)
		if got := s.StoredCharge(t, c).ApprovedAt; !got.Equal(approved) {
			t.Errorf("approved at %v, want %v", got, approved)
		}
		s.expectMismatches(t)
	})

	t.Run("TenEventsOfOneSessionAtOnce", func(t *testing.T) {
		s, c, session := newPayment(t)
		s.Stripe.Pay(session.ID)
		types := []string{servertest.CheckoutCompleted, asyncSucceeded, sessionExpired, asyncFailed}
		servertest.Parallel(12, func(i int) int { return s.Event(t, s.Stripe, session.ID, types[i%4]).Status })
		s.expectEvents(t, 12)
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.expectAttempts(t, c.ID, "1 paid")
		s.expectMismatches(t)
	})

	// The order of the events about a delayed payment does not matter.
	t.Run("OutOfOrder", func(t *testing.T) {
		for name, test := range map[string]struct {
			end   func(*stripetest.Stripe, string)
			types []string
			want  db.ChargeStatus
			last  string // number and state of the attempt
		}{
			"Succeeded": {(*stripetest.Stripe).Settle, []string{servertest.CheckoutCompleted, asyncSucceeded}, db.ChargeApproved, "1 paid"},
			"Failed":    {(*stripetest.Stripe).FailDelayed, []string{servertest.CheckoutCompleted, asyncFailed}, db.ChargePending, "1 over"},
		} {
			for range 2 {
				slices.Reverse(test.types)
				t.Run(name+test.types[0], func(t *testing.T) {
					s, c, session := newPayment(t)
					s.Stripe.PayDelayed(session.ID)
					test.end(s.Stripe, session.ID)
					for _, eventType := range test.types {
						s.TakeEvent(t, session.ID, eventType)
					}
					s.ExpectStatus(t, c, test.want)
					s.expectAttempts(t, c.ID, test.last)
					s.expectMismatches(t)
				})
			}
		}
	})

	// Events about an earlier session do not change the open one.
	t.Run("OfAnEarlierSession", func(t *testing.T) {
		s, c := newCharge(t)
		first := s.Pay(t, c)
		s.Pay(t, c)
		for _, eventType := range []string{sessionExpired, asyncFailed, servertest.CheckoutCompleted} {
			s.TakeEvent(t, first.ID, eventType)
		}
		s.expectAttempts(t, c.ID, "1 over", "2 open")
		s.ExpectStatus(t, c, db.ChargePending)
		s.expectMismatches(t)
	})
}
