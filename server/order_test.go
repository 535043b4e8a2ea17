package server_test

import (
	"context"
	"crypto/sha256"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/carrier"
	"svc/server/servertest"
)

// attempt is a call that would succeed, before traps are laid for it.
type attempt struct {
	*shop
	method string
	body   string
}

// trap makes an attempt end in one way. The traps stand in the order of A3.
type trap struct {
	name   string
	lay    func(t *testing.T, a *attempt)
	status int
	code   string
	minute int64 // what the key's minute counts after it
	month  int64 // and its month (A4)
}

const trappedKey = "trapped" // the Idempotency-Key of every attempt

var traps = []trap{
	{"MethodNotAllowed", func(_ *testing.T, a *attempt) { a.method = "PUT" }, 405, "method_not_allowed", 0, 0},
	{"InvalidKey", func(_ *testing.T, a *attempt) { a.secret = "svc_live_nonsense" }, 401, "invalid_key", 0, 0},
	{"KeyDisabled", func(t *testing.T, a *attempt) { a.setEnabled(t, false) }, 403, "key_disabled", 0, 0},
	{"RateLimited", useMinute, 429, "rate_limited", 0, 0},
	{"Replayed", plantAnswer, 200, "", 1, 0},
	{"QuotaExceeded", func(t *testing.T, a *attempt) { a.used(t, 100) }, 429, "quota_exceeded", 0, 0},
	{"ModeForbidden", func(t *testing.T, a *attempt) {
		a.key, a.secret = a.Key(t, a.email, db.Live, db.GenericMode)
	}, 403, "mode_forbidden", 1, 1},
	{"InvalidRequest", func(_ *testing.T, a *attempt) { a.body = `{"phone":1}` }, 400, "invalid_request", 1, 1},
	{"InsufficientFunds", func(t *testing.T, a *attempt) { a.credit(t, -1000) }, 402, "insufficient_funds", 1, 1},
	{"ProviderFailed", func(_ *testing.T, a *attempt) {
		a.provider.OnSend = func(context.Context, carrier.Message) (string, error) { return "", servertest.Refusal("no") }
	}, 502, "provider_failed", 1, 0},
	{"Sent", func(*testing.T, *attempt) {}, 200, "", 1, 1},
}

func useMinute(t *testing.T, a *attempt) {
	dbtest.Update(t, a.Store, func(tx *db.Tx) error {
		for range 5 {
			if _, _, err := tx.Count(a.key.ID, db.Limits{Month: db.Unlimited, Minute: 5}, false); err != nil {
				return err
			}
		}
		return nil
	})
}

// plantAnswer stores an answer under the attempt's Idempotency-Key.
func plantAnswer(t *testing.T, a *attempt) {
	idem, body := sha256.Sum256([]byte(trappedKey)), sha256.Sum256([]byte(sendBody))
	dbtest.Update(t, a.Store, func(tx *db.Tx) error {
		c := db.Call{
			ID: "req_planted", KeyID: a.key.ID, AccountID: a.key.AccountID, Endpoint: sendPath,
			IdemHash: idem[:], BodyHash: body[:], State: db.Running, Month: tx.Month(),
			LeaseUntil: tx.Now().Add(time.Minute), ExpiresAt: tx.Now().Add(24 * time.Hour),
		}
		if err := tx.OpenCall(c); err != nil {
			return err
		}
		return tx.CloseCall(c, 200, []byte(ok))
	})
}

// spring lays the traps, the last one first, and checks that the first one wins
// and that nothing behind it happened.
func spring(t *testing.T, laid ...trap) {
	t.Helper()
	a := &attempt{shop: newShop(t, db.Free, 1000), method: "POST", body: sendBody}
	for i := len(laid) - 1; i >= 0; i-- {
		laid[i].lay(t, a)
	}
	before, balance := a.meter(t), a.Wallet(t, a.email).BalanceCents

	got := a.Call(t, a.method, sendPath, a.body, servertest.WithKey(a.secret), servertest.WithIdempotencyKey(trappedKey))
	first := laid[0]
	expect(t, got, first.status, first.code)
	if replayed := got.Header.Get("Idempotency-Replayed") == "true"; replayed != (first.name == "Replayed") {
		t.Errorf("replayed is %v", replayed)
	}
	after := a.meter(t)
	if by := after.WindowUsed - before.WindowUsed; by != first.minute {
		t.Errorf("the minute counts %d more, want %d", by, first.minute)
	}
	if by := after.MonthUsed - before.MonthUsed; by != first.month {
		t.Errorf("the month counts %d more, want %d", by, first.month)
	}
	sent, charged := 0, int64(0)
	switch first.name {
	case "Sent":
		sent, charged = 1, priceOf
	case "ProviderFailed":
		sent = 1
	}
	a.expectSent(t, sent)
	a.expectWallet(t, balance-charged, 0)
}

// Each outcome by itself, with what is counted for it (A4).
func TestOutcomesAreCounted(t *testing.T) {
	for _, one := range traps {
		t.Run(one.name, func(t *testing.T) { spring(t, one) })
	}
}

// Whatever else is wrong with a call, the check that comes first answers (A3).
func TestOrderOfChecks(t *testing.T) {
	for i, first := range traps {
		for _, second := range traps[i+1:] {
			t.Run(first.name+"Before"+second.name, func(t *testing.T) { spring(t, first, second) })
		}
	}
	t.Run("AllAtOnce", func(t *testing.T) {
		for i := range traps {
			t.Run(traps[i].name, func(t *testing.T) { spring(t, traps[i:]...) })
		}
	})
}

func TestCountedByTheMonth(t *testing.T) {
	t.Run("FailedCallIsGivenBackAtTheLimit", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		s.used(t, 99)
		fail := true
		s.provider.OnSend = func(context.Context, carrier.Message) (string, error) {
			if fail {
				return "", servertest.Refusal("no")
			}
			return "id", nil
		}
		expect(t, s.send(t), 502, "provider_failed")
		fail = false
		expectBody(t, s.send(t), 200, ok)
		expect(t, s.send(t), 429, "quota_exceeded")
	})

	t.Run("UnknownOutcomeIsGivenBackAtTheLimit", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		s.used(t, 99)
		s.provider.OnSend = func(context.Context, carrier.Message) (string, error) { return "", servertest.Doubt("no answer") }
		expect(t, s.send(t), 502, "outcome_unknown")
		expect(t, s.send(t), 502, "outcome_unknown")
	})

	t.Run("FailureInTheNextMonthIsNotGivenBackToIt", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		provider := s.provider.Hold(t)
		s.Clock.Set(time.Date(2026, 3, 31, 23, 59, 59, 0, time.UTC))
		march, done := s.sendAside(t)
		provider.Arrived()
		s.Clock.Advance(time.Second)
		expect(t, s.post(t, `{}`), 400, "invalid_request") // April's first
		provider.Answer(servertest.Refusal("no"))
		servertest.Receive(t, done)
		expect(t, *march, 502, "provider_failed")
		if used := s.meter(t).MonthUsed; used != 1 {
			t.Errorf("April counts %d, want its own 1", used)
		}
	})

	t.Run("RefusedCallsAreCountedAtTheLimit", func(t *testing.T) {
		s := newShop(t, db.Free, 0)
		s.used(t, 98)
		expect(t, s.post(t, `{}`), 400, "invalid_request")
		expect(t, s.send(t), 402, "insufficient_funds")
		expect(t, s.send(t), 429, "quota_exceeded")
	})

	t.Run("ReplaysAtTheLimitGoOn", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		s.used(t, 99)
		first := s.send(t, servertest.WithIdempotencyKey("k"))
		expectReplay(t, s.send(t, servertest.WithIdempotencyKey("k")), first)
		expect(t, s.send(t), 429, "quota_exceeded")
	})
}

// sendAside sends from another goroutine; the answer is there once done is closed.
func (s *shop) sendAside(t *testing.T, options ...servertest.Option) (a *servertest.Answer, done <-chan struct{}) {
	t.Helper()
	a, closed := new(servertest.Answer), make(chan struct{})
	go func() {
		defer close(closed)
		*a = s.send(t, options...)
	}()
	return a, closed
}
