package gate_test

import (
	"context"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/carrier"
	"svc/server/servertest"
)

// A failed call frees its Idempotency-Key (B2).
func TestFailureFreesTheKey(t *testing.T) {
	t.Run("BadRequestThenCorrected", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.Post(t, `{"phone":"1"}`, withKeyK).Expect(t, 400, "invalid_request")
		s.expectFirstAttempt(t, withKeyK)
	})
	t.Run("InsufficientFundsThenTopUp", func(t *testing.T) {
		s := newShop(t, db.Growth, 1)
		s.Send(t, withKeyK).Expect(t, 402, "insufficient_funds")
		s.Credit(t, 1000)
		s.expectFirstAttempt(t, withKeyK)
	})
	t.Run("RateLimitedThenLater", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		for range 5 {
			s.Post(t, `{}`)
		}
		s.Send(t, withKeyK).Expect(t, 429, "rate_limited")
		s.Clock.Advance(time.Minute)
		s.expectFirstAttempt(t, withKeyK)
	})
	t.Run("QuotaExceededThenNextMonth", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		s.PlantCalls(t, 100)
		s.Send(t, withKeyK).Expect(t, 429, "quota_exceeded")
		s.Clock.Set(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC))
		s.expectFirstAttempt(t, withKeyK)
	})
	t.Run("DisabledThenEnabled", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.SetKeyEnabled(t, false)
		s.Send(t, withKeyK).Expect(t, 403, "key_disabled")
		s.SetKeyEnabled(t, true)
		s.expectFirstAttempt(t, withKeyK)
	})
	t.Run("ProviderFailedThenWorks", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.Provider.OnSend = failFirst(1)
		s.Send(t, withKeyK).Expect(t, 502, "provider_failed")
		a := s.Send(t, withKeyK)
		a.ExpectBody(t, 200, servertest.Sent)
		s.Send(t, withKeyK).ExpectReplay(t, a)
		s.ExpectSent(t, 2)
		s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
	})
	t.Run("TestKeyNeedsNoProvider", func(t *testing.T) {
		s := newShop(t, db.Growth, 0, func(c *server.Config) { c.Carrier = carrier.NewNone() })
		_, secret := s.TestKey(t)
		s.Send(t, withKeyK, servertest.WithKey(secret)).ExpectBody(t, 200, servertest.SentAsTest)
	})
}

// expectFirstAttempt sends and expects an answer that is not a replay, then its replay.
func (s *shop) expectFirstAttempt(t *testing.T, option servertest.Option) {
	t.Helper()
	a := s.Send(t, option)
	a.ExpectBody(t, 200, servertest.Sent)
	if a.Header.Get("Idempotency-Replayed") != "" {
		t.Error("a failure was replayed")
	}
	s.Send(t, option).ExpectReplay(t, a)
	s.ExpectSent(t, 1)
}

// failFirst returns a provider that refuses the first n sends and confirms the rest.
func failFirst(n int) func(context.Context, carrier.Message) (string, error) {
	left := make(chan struct{}, n)
	for range n {
		left <- struct{}{}
	}
	return func(context.Context, carrier.Message) (string, error) {
		select {
		case <-left:
			return "", servertest.Refusal("not now")
		default:
			return "id", nil
		}
	}
}
