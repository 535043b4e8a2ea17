package checkout_test

import (
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/server/servertest"
	"svc/server/stripe/stripetest"
)

func TestReconcile(t *testing.T) {
	servertest.Sequential(t)
	s := newCashier(t)
	type outcome struct{ subject, session, outcome string }
	var want []outcome
	charges := map[string]servertest.Charge{}
	for _, name := range []string{"open", "paid", "processing", "over", "settled", "mismatch", "unknown", "creating"} {
		c := s.MakeCharge(t, s.Live)
		charges[name] = c
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
			s.complete(t, session.ID)
			continue
		case "mismatch":
			s.Stripe.Pay(session.ID)
			s.Stripe.Alter(session.ID, func(c *stripetest.Session) { c.Currency = "usd" })
			says = "the session is of $12.50, " + c.ID + " is of £12.50"
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
		if round == 1 { // settled sessions are not fetched again
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
		s.ExpectStatus(t, charges[name], status)
	}
	s.expectAttempts(t, charges["open"].ID, "1 open") // which may still be paid
	s.expectAttempts(t, charges["over"].ID, "1 over")
	s.expectAttempts(t, charges["creating"].ID, "1 creating")
	s.expectMismatches(t, "the session is of $12.50, "+charges["mismatch"].ID+" is of £12.50")

	s.Stripe.Down()
	all, err := s.App.Payments.Reconcile(t.Context())
	if err != nil || len(all) != 4 || !all[0].Failed || !strings.HasPrefix(all[0].Outcome, "stripe: unavailable") {
		t.Errorf("with Stripe down: %+v, %v", all, err)
	}
	if _, err := s.again(t, servertest.WithoutStripe).App.Payments.Reconcile(t.Context()); err == nil {
		t.Error("reconciled without Stripe")
	}
}
