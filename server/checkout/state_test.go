package checkout_test

import (
	"fmt"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// chargeState is a state of a charge; reach brings a pending charge into it.
type chargeState struct {
	env    db.Env
	status db.ChargeStatus
	reach  func(*testing.T, *cashier, servertest.Charge)
}

// E1 allows these transitions and no others: pending → approved (a proven payment, a
// simulated approval), pending → declined (a simulated decline), pending → expired
// (time), expired → approved (a proven payment). Each action is tried in each state.
func TestChargeStates(t *testing.T) {
	servertest.Sequential(t)
	later := func(t *testing.T, s *cashier, _ servertest.Charge) { s.Clock.Advance(8 * 24 * time.Hour) }
	simulate := func(action string) func(*testing.T, *cashier, servertest.Charge) {
		return func(t *testing.T, s *cashier, c servertest.Charge) { s.Press(t, c, action) }
	}
	states := []chargeState{
		{db.Live, db.ChargePending, func(*testing.T, *cashier, servertest.Charge) {}},
		{db.Live, db.ChargeApproved, func(t *testing.T, s *cashier, c servertest.Charge) { s.settle(t, c) }},
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
		"Proof":   func(t *testing.T, s *cashier, c servertest.Charge, _ chargeState) { s.provePaid(t, c) },
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
					s.Stripe.Pay(s.Pay(t, c).ID) // in time, but the event is late
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

// provePaid sends the event about a paid session of the charge: its own if it is a live
// charge, a session planted in our table if it is a test charge.
func (s *cashier) provePaid(t *testing.T, c servertest.Charge) {
	t.Helper()
	found := s.StoredCharge(t, c)
	if len(s.attempts(t, c.ID)) == 0 && found.Env == db.Live {
		s.Pay(t, c)
	}
	if len(s.attempts(t, c.ID)) == 0 {
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
