package checkout_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/servertest"
	"svc/server/stripe"
	"svc/server/stripe/stripetest"
)

// These tests begin, prove and settle payments (E1–E4, C5) with a Stripe that fails,
// repeats events, answers late, or sends what is wrong.

const (
	asyncSucceeded = "checkout.session.async_payment_succeeded"
	asyncFailed    = "checkout.session.async_payment_failed"
	sessionExpired = "checkout.session.expired"

	week = 7 * 24 * time.Hour
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

// newCharge opens a cashier with one live charge, which is pending.
func newCharge(t *testing.T) (*cashier, servertest.Charge) {
	t.Helper()
	s := newCashier(t)
	return s, s.MakeCharge(t, s.Live)
}

// newPayment also presses Pay: Stripe has an open session for the charge.
func newPayment(t *testing.T) (*cashier, servertest.Charge, stripetest.Session) {
	t.Helper()
	s, c := newCharge(t)
	return s, c, s.Pay(t, c)
}

// complete pays a session and delivers Stripe's event about it.
func (s *cashier) complete(t *testing.T, sessionID string) {
	t.Helper()
	s.Stripe.Pay(sessionID)
	s.TakeEvent(t, sessionID, servertest.CheckoutCompleted)
}

// completeDelayed completes a session whose money comes later, and delivers Stripe's
// event about it.
func (s *cashier) completeDelayed(t *testing.T, sessionID string) {
	t.Helper()
	s.Stripe.PayDelayed(sessionID)
	s.TakeEvent(t, sessionID, servertest.CheckoutCompleted)
}

// settle pays a charge: Pay, the payment at Stripe and the event.
func (s *cashier) settle(t *testing.T, c servertest.Charge) {
	t.Helper()
	session := s.Pay(t, c)
	s.complete(t, session.ID)
	s.ExpectStatus(t, c, db.ChargeApproved)
}

// altered returns the body of an event after a change.
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

// foreign makes a session as another program of the same Stripe account does.
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

// attempts returns the attempts to pay for a subject in order, each as number and state.
func (s *cashier) attempts(t *testing.T, subjectID string) []string {
	t.Helper()
	return s.Query(t, `SELECT n, state FROM checkouts WHERE subject_id = '`+subjectID+`' ORDER BY n`)
}

func (s *cashier) expectAttempts(t *testing.T, subjectID string, want ...string) {
	t.Helper()
	if got := s.attempts(t, subjectID); !slices.Equal(got, want) {
		t.Errorf("attempts %q, want %q", got, want)
	}
}

// expectOpen checks how many sessions can be paid at Stripe.
func (s *cashier) expectOpen(t *testing.T, want int) {
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

func (s *cashier) expectEvents(t *testing.T, want int) {
	t.Helper()
	if got := s.Count(t, `SELECT count(*) FROM payment_events`); got != want {
		t.Errorf("%d events are stored, want %d", got, want)
	}
}

// expectMismatches checks the mismatches that the operator sees, newest first.
func (s *cashier) expectMismatches(t *testing.T, want ...string) {
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
