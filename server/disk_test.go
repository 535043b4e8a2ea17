//go:build unix

package server_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

// fillDisk makes every write of this process to a file fail, as a full disk
// does, until the test calls mend. Tests that use it must not be parallel.
func fillDisk(t *testing.T) (mend func()) {
	t.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	full := before
	full.Cur = 0
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Fatal(err)
	}
	mend = func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(mend)
	return mend
}

func TestFullDisk(t *testing.T) {
	t.Run("CallIsRefusedFreeAndWorksLater", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.send(t)
		mend := fillDisk(t)
		for range 3 {
			a := s.send(t, withKeyK)
			expect(t, a, 503, "unavailable")
			expectBody(t, a, 503, `{"error":"the service cannot store anything right now; try again"}`+"\n")
			if a.Header.Get("Retry-After") != "1" || a.Remaining() != 59 {
				t.Errorf("headers %v", a.Header)
			}
		}
		if a := s.Call(t, "GET", "/api/v1/pricing", nil); a.Status != 200 {
			t.Errorf("pricing: %d", a.Status)
		}
		expect(t, s.send(t, servertest.WithKey("wrong")), 401, "invalid_key")
		s.Clock.Advance(time.Second)
		if a := s.Call(t, "GET", "/readyz", nil); a.Status != 503 {
			t.Errorf("readyz: %d %s", a.Status, a.Body)
		}
		if a := s.Call(t, "GET", "/healthz", nil); a.Status != 200 {
			t.Errorf("healthz: %d %s", a.Status, a.Body)
		}
		s.expectSent(t, 1)
		s.expectWallet(t, 1000-priceOf, 0)

		mend()
		s.expectRecovered(t, 2)
		s.Clock.Advance(time.Second)
		if a := s.Call(t, "GET", "/readyz", nil); a.Status != 200 {
			t.Errorf("readyz: %d %s", a.Status, a.Body)
		}
	})

	t.Run("TestKeyIsRefusedToo", func(t *testing.T) {
		s := newShop(t, db.Growth, 0)
		_, secret := s.testKey(t)
		mend := fillDisk(t)
		expect(t, s.send(t, servertest.WithKey(secret)), 503, "unavailable")
		mend()
		expectBody(t, s.send(t, servertest.WithKey(secret)), 200, okTest)
	})

	// The provider has confirmed, and nothing can be stored of it.
	t.Run("ConfirmedAndMendedInTime", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		a, done, mend := s.fillDuringSend(t, nil)
		mend()
		<-done
		expectBody(t, *a, 200, ok)
		expectReplay(t, s.send(t, withKeyK), *a)
		s.expectSent(t, 1)
		s.expectWallet(t, 1000-priceOf, 0)
		if s.debits(t) != 1 {
			t.Errorf("%d debits", s.debits(t))
		}
	})

	t.Run("ConfirmedAndMendedTooLate", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		a, done, mend := s.fillDuringSend(t, nil)
		s.Clock.Advance(15 * time.Second)
		<-done
		expect(t, *a, 502, "outcome_unknown")
		mend()
		again := s.send(t, withKeyK)
		expectReplay(t, again, *a)
		expect(t, again, 502, "outcome_unknown")
		s.expectSent(t, 1)
		s.expectWallet(t, 1000, 0)
	})

	t.Run("RefusedAndMendedTooLate", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		a, done, mend := s.fillDuringSend(t, servertest.Refusal("no such number"))
		s.Clock.Advance(15 * time.Second)
		<-done
		expect(t, *a, 502, "outcome_unknown")
		mend()
		expectReplay(t, s.send(t, withKeyK), *a)
		s.expectWallet(t, 1000, 0)
	})

	t.Run("RefusedAndMendedInTime", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		a, done, mend := s.fillDuringSend(t, servertest.Refusal("no such number"))
		mend()
		<-done
		expect(t, *a, 502, "provider_failed")
		s.provider.OnSend = nil
		s.expectRecovered(t, 2)
	})

	// Without an effect outside, what could not be stored has not happened.
	t.Run("OutboxMendedTooLate", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.provider.Local = true
		a, done, mend := s.fillDuringSend(t, nil)
		s.Clock.Advance(15 * time.Second)
		<-done
		expect(t, *a, 503, "unavailable")
		mend()
		s.provider.OnSend = nil
		s.expectRecovered(t, 2)
		s.expectStored(t, 1)
		s.expectWallet(t, 1000-priceOf, 0)
	})
}

// fillDuringSend fills the disk while a send with the Idempotency-Key k is at the
// provider, which then answers, and returns when the settlement has failed at
// least once.
func (s *shop) fillDuringSend(t *testing.T, err error) (a *servertest.Answer, done <-chan struct{}, mend func()) {
	t.Helper()
	provider := s.provider.Hold(t)
	a, done = s.sendAside(t, withKeyK)
	provider.Arrived()
	mend = fillDisk(t)
	provider.Answer(err)
	servertest.Until(t, "a refused write", func() bool { return strings.Contains(s.Log.String(), "database write refused") })
	return a, done, mend
}

// expectRecovered sends with the Idempotency-Key k, which is the provider's nth.
func (s *shop) expectRecovered(t *testing.T, nth int) {
	t.Helper()
	a := s.send(t, withKeyK)
	expectBody(t, a, 200, ok)
	if a.Header.Get("Idempotency-Replayed") != "" {
		t.Error("a refused call was replayed")
	}
	s.expectSent(t, nth)
}
