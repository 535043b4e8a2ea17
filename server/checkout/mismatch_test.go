package checkout_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
	"svc/server/stripe/stripetest"
)

// A session that differs from the order approves nothing. It is stored for the operator,
// and Stripe gets a 200 (E3).
func TestMismatches(t *testing.T) {
	type alteration struct {
		change func(*stripetest.Session)
		says   string
	}
	const other = "ch_00000000000000000000000000"
	tests := map[string]alteration{
		"AmountLess":     {func(c *stripetest.Session) { c.AmountTotal-- }, "the session is of £12.49, %s is of £12.50"},
		"AmountMore":     {func(c *stripetest.Session) { c.AmountTotal++ }, "the session is of £12.51, %s is of £12.50"},
		"AmountNone":     {func(c *stripetest.Session) { c.AmountTotal = 0 }, "the session is of £0.00, %s is of £12.50"},
		"Currency":       {func(c *stripetest.Session) { c.Currency = "usd" }, "the session is of $12.50, %s is of £12.50"},
		"OtherReference": {func(c *stripetest.Session) { c.Reference = other }, `the session refers to "` + other + `", not to %s`},
		"NoReference":    {func(c *stripetest.Session) { c.Reference = "" }, `the session refers to "", not to %s`},
		"LiveSession":    {func(c *stripetest.Session) { c.Live = true }, "the event is of live mode, our key of test mode"},
	}
	check := func(t *testing.T, s *cashier, c servertest.Charge, payload []byte, says string) {
		t.Helper()
		s.SignedEvent(t, s.Stripe, payload).ExpectBody(t, 200, `{"received":true}`+"\n")
		s.ExpectStatus(t, c, db.ChargePending)
		s.expectAttempts(t, c.ID, "1 open")
		s.expectEvents(t, 1)
		s.expectMismatches(t, says)
		if !strings.Contains(s.Log.String(), `"level":"ERROR","msg":"a payment event that does not match`) {
			t.Errorf("log %s", s.Log)
		}
		s.SignedEvent(t, s.Stripe, payload).Expect(t, 200, "") // a copy
		s.expectMismatches(t, says)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s, c, session := newPayment(t)
			s.Stripe.Pay(session.ID)
			s.Stripe.Alter(session.ID, test.change)
			check(t, s, c, s.Stripe.Event(session.ID, servertest.CheckoutCompleted), strings.ReplaceAll(test.says, "%s", c.ID))
		})
	}

	t.Run("LiveEventOfATestSession", func(t *testing.T) {
		s, c, session := newPayment(t)
		s.Stripe.Pay(session.ID)
		check(t, s, c, s.altered(t, session.ID, servertest.CheckoutCompleted, func(event, _ map[string]any) { event["livemode"] = true }), tests["LiveSession"].says)
	})

	t.Run("LiveSessionOfATestEvent", func(t *testing.T) {
		s, c, session := newPayment(t)
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

	// Sessions of other programs at the same Stripe account, one of which names our
	// charge.
	t.Run("OfAnotherApp", func(t *testing.T) {
		s := newCashier(t)
		c, tested := s.MakeCharge(t, s.Live), s.MakeCharge(t, s.Test)
		for _, reference := range []string{"order_17", c.ID, tested.ID} {
			session := s.foreign(t, reference)
			s.Stripe.Pay(session)
			s.TakeEvent(t, session, servertest.CheckoutCompleted)
		}
		s.expectMismatches(t, "paid, but no charge and no bundle has this session", "paid, but no charge and no bundle has this session")
		s.ExpectStatus(t, c, db.ChargePending)
		s.ExpectStatus(t, tested, db.ChargePending)
	})

	// A session that Stripe made without our knowing ends unpaid: no money, no alarm.
	t.Run("UnpaidOrphanIsIgnored", func(t *testing.T) {
		s, c := newCharge(t)
		for range 2 {
			s.Stripe.Cut()
			s.Press(t, c, "pay")
		}
		orphan := s.Stripe.Sessions()[0]
		s.expectAttempts(t, c.ID, "1 over")
		s.Clock.Advance(24 * time.Hour)
		s.TakeEvent(t, orphan.ID, sessionExpired)
		s.expectMismatches(t)
		s.expectEvents(t, 1)
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
		s.expectMismatches(t, says, says, says, says, says)
		s.ExpectTrace(t, "fetch ?") // only the first is an id of a session
	})

	// Stripe answers with another session: nothing is settled, and it is fetched again.
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
		s.expectEvents(t, 0)
	})

	// Two sessions of one charge are paid, since Stripe did not end the first although it
	// said so. The charge is approved once, and the operator sees the second payment.
	for name, failure := range map[string]func(*cashier, string){
		"EndedByAnAnswer": func(s *cashier, id string) {
			s.Stripe.Fail(200, `{"object":"checkout.session","id":"`+id+`","status":"expired"}`)
		},
		"EndedAsUnknown": func(s *cashier, _ string) { s.Stripe.Fail(404, `{"error":{"type":"invalid_request_error"}}`) },
	} {
		t.Run("PaidTwice"+name, func(t *testing.T) {
			s, c := newCharge(t)
			first := s.Pay(t, c)
			failure(s, first.ID)
			second := s.Pay(t, c)
			s.Stripe.Pay(first.ID)
			s.Stripe.Pay(second.ID)
			s.TakeEvent(t, first.ID, servertest.CheckoutCompleted)
			s.ExpectStatus(t, c, db.ChargeApproved)
			approved := s.StoredCharge(t, c).ApprovedAt
			s.expectMismatches(t)

			s.Clock.Advance(time.Minute)
			s.TakeEvent(t, second.ID, servertest.CheckoutCompleted)
			if got := s.StoredCharge(t, c).ApprovedAt; !got.Equal(approved) {
				t.Errorf("approved again at %v", got)
			}
			s.expectMismatches(t, "paid twice: "+c.ID+" had been paid before; refund one of the payments at Stripe")
			s.expectAttempts(t, c.ID, "1 paid", "2 paid")
			s.TakeEvent(t, second.ID, asyncSucceeded) // it is known by then
			s.expectMismatches(t, "paid twice: "+c.ID+" had been paid before; refund one of the payments at Stripe")
		})
	}

	t.Run("OnlyTheOperatorSeesThem", func(t *testing.T) {
		s := newCashier(t) // the developer's account came first, so it is the operator's
		if err := s.App.Accounts.SetPassword(t.Context(), s.Email, servertest.Password); err != nil {
			t.Fatal(err)
		}
		operator := s.Browser(t)
		operator.SignIn(t, s.Email, servertest.Password)
		before := operator.Get(t, "/console/operator/server")
		before.ExpectPage(t, 200, "Parts of the server")
		if strings.Contains(string(before.Body), "Payments that did not match") {
			t.Error("the page lists payments before any failed to match")
		}
		_, member := s.Member(t, "member@example.com")

		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		s.Stripe.Pay(session.ID)
		s.Stripe.Alter(session.ID, func(c *stripetest.Session) { c.Reference, c.AmountTotal = "<b>x</b>", 1 })
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)

		page := operator.Get(t, "/console/operator/server")
		page.ExpectPage(t, 200, `the session refers to "<b>x</b>", not to `+c.ID, session.ID, servertest.CheckoutCompleted, "&lt;b&gt;x")
		if page.Says("<b>x") {
			t.Error("the page contains markup from the session")
		}
		hidden := member.Get(t, "/console/operator/server")
		hidden.Expect(t, 404, "not_found")
		if hidden.Says(session.ID) {
			t.Error("a member sees the mismatch")
		}
		if a := s.Browser(t).Get(t, "/console/operator"); a.Status != 303 {
			t.Errorf("without a session: %d, want 303", a.Status)
		}
	})
}
