//go:build unix

package server_test

import (
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

func TestFullDisk(t *testing.T) {
	servertest.Sequential(t)
	t.Run("CallIsRefusedAndWorksLater", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		s.Send(t)
		mend := servertest.FillDisk(t)
		for range 3 {
			a := s.Send(t, withKeyK)
			a.Expect(t, 503, "unavailable")
			a.ExpectBody(t, 503, `{"error":"the service cannot store anything right now; try again"}`+"\n")
			if a.Header.Get("Retry-After") != "1" || a.Remaining() != 59 {
				t.Errorf("headers %v", a.Header)
			}
		}
		if a := s.Call(t, "GET", "/api/v1/pricing", nil); a.Status != 200 {
			t.Errorf("pricing: %d", a.Status)
		}
		s.Send(t, servertest.WithKey("wrong")).Expect(t, 401, "invalid_key")
		s.Clock.Advance(time.Second)
		if a := s.Call(t, "GET", "/", nil); strings.Contains(string(a.Body), ">not served<") {
			t.Error("the start page wrote to the disk") // it shows what /readyz found last
		}
		if a := s.Call(t, "GET", "/readyz", nil); a.Status != 503 {
			t.Errorf("readyz: %d %s", a.Status, a.Body)
		}
		if a := s.Call(t, "GET", "/", nil); !strings.Contains(string(a.Body), ">not served<") {
			t.Error("the start page says that calls are served")
		}
		if a := s.Call(t, "GET", "/healthz", nil); a.Status != 200 {
			t.Errorf("healthz: %d %s", a.Status, a.Body)
		}
		s.ExpectSent(t, 1)
		s.ExpectWallet(t, 1000-servertest.SendPrice, 0)

		mend()
		expectRecovered(t, s, 2)
		s.Clock.Advance(time.Second)
		if a := s.Call(t, "GET", "/readyz", nil); a.Status != 200 {
			t.Errorf("readyz: %d %s", a.Status, a.Body)
		}
	})

	t.Run("TestKeyIsRefusedToo", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 0)
		_, secret := s.TestKey(t)
		mend := servertest.FillDisk(t)
		s.Send(t, servertest.WithKey(secret)).Expect(t, 503, "unavailable")
		mend()
		s.Send(t, servertest.WithKey(secret)).ExpectBody(t, 200, servertest.SentAsTest)
	})

	// The provider has confirmed, but the confirmation cannot be stored.
	t.Run("ConfirmedThenSpaceWithinTheLease", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		a, done, mend := fillDuringSend(t, s, nil)
		mend()
		servertest.Receive(t, done)
		a.ExpectBody(t, 200, servertest.Sent)
		s.Send(t, withKeyK).ExpectReplay(t, *a)
		s.ExpectSent(t, 1)
		s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
		if s.Debits(t) != 1 {
			t.Errorf("%d debits", s.Debits(t))
		}
	})

	t.Run("ConfirmedThenSpaceAfterTheLease", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		a, done, mend := fillDuringSend(t, s, nil)
		s.Clock.Advance(15 * time.Second)
		servertest.Receive(t, done)
		a.Expect(t, 502, "outcome_unknown")
		mend()
		again := s.Send(t, withKeyK)
		again.ExpectReplay(t, *a)
		again.Expect(t, 502, "outcome_unknown")
		s.ExpectSent(t, 1)
		s.ExpectWallet(t, 1000, 0)
	})

	t.Run("ConfirmedThenClockSetBack", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		a, done, mend := fillDuringSend(t, s, nil)
		s.Clock.Advance(-time.Hour) // this does not extend the lease
		servertest.Receive(t, done)
		a.Expect(t, 502, "outcome_unknown")
		mend()
		s.Send(t, withKeyK).ExpectReplay(t, *a)
	})

	t.Run("RefusedThenSpaceAfterTheLease", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		a, done, mend := fillDuringSend(t, s, servertest.Refusal("no such number"))
		s.Clock.Advance(15 * time.Second)
		servertest.Receive(t, done)
		a.Expect(t, 502, "outcome_unknown")
		mend()
		s.Send(t, withKeyK).ExpectReplay(t, *a)
		s.ExpectWallet(t, 1000, 0)
	})

	t.Run("RefusedThenSpaceWithinTheLease", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		a, done, mend := fillDuringSend(t, s, servertest.Refusal("no such number"))
		mend()
		servertest.Receive(t, done)
		a.Expect(t, 502, "provider_failed")
		s.Provider.OnSend = nil
		expectRecovered(t, s, 2)
	})

	// A local provider has no effect outside, so an unstored send has not happened.
	t.Run("OutboxThenSpaceAfterTheLease", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		s.Provider.Local = true
		a, done, mend := fillDuringSend(t, s, nil)
		s.Clock.Advance(15 * time.Second)
		servertest.Receive(t, done)
		a.Expect(t, 503, "unavailable")
		mend()
		s.Provider.OnSend = nil
		expectRecovered(t, s, 2)
		s.ExpectStored(t, 1)
		s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
	})
}

// fillDuringSend fills the disk while the provider holds a send with the Idempotency-Key
// k, then lets the provider answer. It returns once the settlement has failed at least
// once.
func fillDuringSend(t *testing.T, s *servertest.Shop, err error) (a *servertest.Answer, done <-chan struct{}, mend func()) {
	t.Helper()
	provider := s.Provider.Hold(t)
	a, done = s.SendAside(t, withKeyK)
	provider.Arrived()
	mend = servertest.FillDisk(t)
	provider.Answer(err)
	servertest.Until(t, "a refused write", func() bool { return strings.Contains(s.Log.String(), "database write refused") })
	return a, done, mend
}

// expectRecovered sends with the Idempotency-Key k, as the provider's nth message.
func expectRecovered(t *testing.T, s *servertest.Shop, nth int) {
	t.Helper()
	a := s.Send(t, withKeyK)
	a.ExpectBody(t, 200, servertest.Sent)
	if a.Header.Get("Idempotency-Replayed") != "" {
		t.Error("a refused call was replayed")
	}
	s.ExpectSent(t, nth)
}
