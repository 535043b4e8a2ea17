package gate_test

import (
	"context"
	"testing"
	"time"

	"svc/db"
	"svc/server/carrier"
	"svc/server/servertest"
)

// spring lays the traps, the last one first, and checks that the first one decides the
// outcome.
func spring(t *testing.T, laid ...servertest.Trap) {
	t.Helper()
	a := &servertest.Attempt{Shop: servertest.NewShop(t, db.Free, 1000), Method: "POST", Body: servertest.SendBody}
	for i := len(laid) - 1; i >= 0; i-- {
		laid[i].Lay(t, a)
	}
	before, balance := a.Meter(t), a.Wallet(t, a.Email).BalanceCents

	got := a.Call(t, a.Method, servertest.SendPath, a.Body, servertest.WithKey(a.Secret), servertest.WithIdempotencyKey(servertest.TrappedKey))
	first := laid[0]
	got.Expect(t, first.Status, first.Code)
	if replayed := got.Header.Get("Idempotency-Replayed") == "true"; replayed != (first.Name == "Replayed") {
		t.Errorf("replayed: %v", replayed)
	}
	after := a.Meter(t)
	if by := after.WindowUsed - before.WindowUsed; by != first.Minute {
		t.Errorf("the minute counts %d more calls, want %d", by, first.Minute)
	}
	if by := after.MonthUsed - before.MonthUsed; by != first.Month {
		t.Errorf("the month counts %d more calls, want %d", by, first.Month)
	}
	sent, charged := 0, int64(0)
	switch first.Name {
	case "Sent":
		sent, charged = 1, servertest.SendPrice
	case "ProviderFailed":
		sent = 1
	}
	a.ExpectSent(t, sent)
	a.ExpectWallet(t, balance-charged, 0)
}

// Each outcome has its own effect on the counts (A4).
func TestOutcomesAreCounted(t *testing.T) {
	for _, one := range servertest.SendTraps() {
		t.Run(one.Name, func(t *testing.T) { spring(t, one) })
	}
}

// If several things are wrong with a call, the first check answers (A3).
func TestOrderOfChecks(t *testing.T) {
	traps := servertest.SendTraps()
	for i, first := range traps {
		for _, second := range traps[i+1:] {
			t.Run(first.Name+"Before"+second.Name, func(t *testing.T) { spring(t, first, second) })
		}
	}
	t.Run("AllAtOnce", func(t *testing.T) {
		for i := range traps {
			t.Run(traps[i].Name, func(t *testing.T) { spring(t, traps[i:]...) })
		}
	})
}

func TestMonthCountsSuccesses(t *testing.T) {
	t.Run("FailedCallIsUncountedAtTheLimit", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		s.PlantCalls(t, 99)
		fail := true
		s.Provider.OnSend = func(context.Context, carrier.Message) (string, error) {
			if fail {
				return "", servertest.Refusal("no")
			}
			return "id", nil
		}
		s.Send(t).Expect(t, 502, "provider_failed")
		fail = false
		s.Send(t).ExpectBody(t, 200, servertest.Sent)
		s.Send(t).Expect(t, 429, "quota_exceeded")
	})

	t.Run("UnknownOutcomeIsUncountedAtTheLimit", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		s.PlantCalls(t, 99)
		s.Provider.OnSend = func(context.Context, carrier.Message) (string, error) { return "", servertest.Doubt("no answer") }
		s.Send(t).Expect(t, 502, "outcome_unknown")
		s.Send(t).Expect(t, 502, "outcome_unknown")
	})

	t.Run("FailureInTheNextMonthDoesNotChangeItsCount", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		provider := s.Provider.Hold(t)
		s.Clock.Set(time.Date(2026, 3, 31, 23, 59, 59, 0, time.UTC))
		march, done := s.SendAside(t)
		provider.Arrived()
		s.Clock.Advance(time.Second)
		s.Post(t, `{}`).Expect(t, 400, "invalid_request") // the first call of April
		provider.Answer(servertest.Refusal("no"))
		servertest.Receive(t, done)
		march.Expect(t, 502, "provider_failed")
		if used := s.Meter(t).MonthUsed; used != 1 {
			t.Errorf("April counts %d, want its own 1", used)
		}
	})

	t.Run("RefusedCallsAreCountedAtTheLimit", func(t *testing.T) {
		s := newShop(t, db.Free, 0)
		s.PlantCalls(t, 98)
		s.Post(t, `{}`).Expect(t, 400, "invalid_request")
		s.Send(t).Expect(t, 402, "insufficient_funds")
		s.Send(t).Expect(t, 429, "quota_exceeded")
	})

	t.Run("ReplaysWorkAtTheLimit", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		s.PlantCalls(t, 99)
		first := s.Send(t, servertest.WithIdempotencyKey("k"))
		s.Send(t, servertest.WithIdempotencyKey("k")).ExpectReplay(t, first)
		s.Send(t).Expect(t, 429, "quota_exceeded")
	})
}
