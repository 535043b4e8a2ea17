package gate_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/servertest"
)

const otherBody = `{"phone":"+447700900124","template":"receipt","text":"Another message"}`

func TestReplay(t *testing.T) {
	t.Run("RepeatsTheBytesSendsAndBillsOnce", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		first := s.Send(t, withKeyK)
		first.ExpectBody(t, 200, servertest.Sent)
		if first.Header.Get("Idempotency-Replayed") != "" {
			t.Error("the first answer is marked as a replay")
		}
		s.Clock.Advance(time.Second)
		again := s.Send(t, withKeyK)
		again.ExpectReplay(t, first)
		if again.Header.Get("Idempotency-Mismatch") != "" {
			t.Error("Idempotency-Mismatch for the same body")
		}
		if again.Remaining() != 3 || again.Header.Get("X-Request-Id") == first.Header.Get("X-Request-Id") {
			t.Errorf("want the headers of this call: %v", again.Header)
		}
		s.ExpectSent(t, 1)
		s.ExpectStored(t, 1)
		s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
	})

	t.Run("CountsByTheMinute", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		for range 5 {
			s.Send(t, withKeyK)
		}
		s.Send(t, withKeyK).Expect(t, 429, "rate_limited")
		if m := s.Meter(t); m.MonthUsed != 1 {
			t.Errorf("the month counts %d", m.MonthUsed)
		}
	})

	t.Run("OtherBodyGetsTheFirstAnswerAndAMismatch", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		first := s.Send(t, withKeyK)
		for _, body := range []string{otherBody, servertest.SendBody + " ", "nonsense", "", strings.Repeat(" ", 70<<10)} {
			a := s.Post(t, body, withKeyK)
			a.ExpectReplay(t, first)
			if a.Header.Get("Idempotency-Mismatch") != "true" {
				t.Errorf("no Idempotency-Mismatch for %.20q", body)
			}
		}
		s.ExpectSent(t, 1)
	})

	t.Run("OfAnotherEndpoint", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.PlantCall(t, db.Call{ID: "req_scan", Endpoint: "/api/v1/scan", State: db.Running}, `{"found":true}`)
		a := s.Send(t, withKeyK)
		a.ExpectBody(t, 200, `{"found":true}`)
		if a.Header.Get("Idempotency-Replayed") != "true" {
			t.Error("no Idempotency-Replayed")
		}
		s.ExpectSent(t, 0)
	})

	t.Run("NotOfAnotherAPIKey", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		_, second := s.Key(t, s.Email, db.Live, db.AccountMode)
		for _, secret := range []string{s.Secret, second} {
			if a := s.Send(t, withKeyK, servertest.WithKey(secret)); a.Header.Get("Idempotency-Replayed") != "" {
				t.Error("the answer of another API key was replayed")
			}
		}
		s.ExpectSent(t, 2)
	})

	t.Run("OfATestKey", func(t *testing.T) {
		s := newShop(t, db.Growth, 0)
		_, secret := s.TestKey(t)
		first := s.Send(t, withKeyK, servertest.WithKey(secret))
		first.ExpectBody(t, 200, servertest.SentAsTest)
		a := s.Post(t, otherBody, withKeyK, servertest.WithKey(secret))
		a.ExpectReplay(t, first)
		if a.Header.Get("Idempotency-Mismatch") != "true" {
			t.Error("no Idempotency-Mismatch")
		}
	})

	t.Run("OnAnotherAppliance", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		first := s.Send(t, withKeyK)
		s.again(t).Send(t, withKeyK).ExpectReplay(t, first)
		s.ExpectSent(t, 1)
	})

	t.Run("AfterTheWalletRanDry", func(t *testing.T) {
		s := newShop(t, db.Growth, servertest.SendPrice)
		first := s.Send(t, withKeyK)
		s.Send(t).Expect(t, 402, "insufficient_funds")
		s.Send(t, withKeyK).ExpectReplay(t, first)
	})

	t.Run("NotOfADisabledKey", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.Send(t, withKeyK)
		s.SetKeyEnabled(t, false)
		s.Send(t, withKeyK).Expect(t, 403, "key_disabled")
	})
}

func TestIdempotencyKeyValues(t *testing.T) {
	t.Run("EmptyIsAbsent", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		for _, value := range []string{"", "  "} {
			for range 2 {
				if a := s.Send(t, servertest.WithIdempotencyKey(value)); a.Header.Get("Idempotency-Replayed") != "" {
					t.Errorf("the blank value %q was used", value)
				}
			}
		}
		s.ExpectSent(t, 4)
		s.ExpectWallet(t, 1000-4*servertest.SendPrice, 0)
	})

	t.Run("EveryByteCounts", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		long := strings.Repeat("x", 15<<10)
		values := []string{"a", "A", "a b", "ключ", `"quoted"`, long + "1", long + "2"}
		for _, value := range values {
			if a := s.Send(t, servertest.WithIdempotencyKey(value)); a.Header.Get("Idempotency-Replayed") != "" {
				t.Errorf("%.20q was replayed for another value", value)
			}
		}
		for _, value := range values {
			if a := s.Send(t, servertest.WithIdempotencyKey(value)); a.Header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("%.20q was not replayed", value)
			}
		}
		s.ExpectSent(t, len(values))
	})

	t.Run("OverTheHeaderCapIsRefused", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		request, err := http.NewRequest("POST", s.URL+servertest.SendPath, strings.NewReader(servertest.SendBody))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Api-Key", s.Secret)
		request.Header.Set("Idempotency-Key", strings.Repeat("x", 32<<10))
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("status %d", response.StatusCode)
		}
		s.ExpectSent(t, 0)
	})
}

func TestAnswersExpire(t *testing.T) {
	for name, row := range map[string]struct {
		keep   time.Duration // 0: the default
		expect time.Duration
	}{
		"AfterADayByDefault": {0, 24 * time.Hour},
		"AsConfigured":       {time.Hour, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, db.Growth, 1000, func(c *server.Config) { c.KeepAnswers = row.keep })
			first := s.Send(t, withKeyK)
			s.Clock.Advance(row.expect - time.Millisecond)
			s.Sweep(t)
			s.Send(t, withKeyK).ExpectReplay(t, first) // a replay does not extend it
			s.Clock.Advance(time.Millisecond)
			a := s.Send(t, withKeyK)
			a.ExpectBody(t, 200, servertest.Sent)
			if a.Header.Get("Idempotency-Replayed") != "" {
				t.Error("an expired answer was replayed")
			}
			s.ExpectSent(t, 2)
			s.ExpectWallet(t, 1000-2*servertest.SendPrice, 0)
		})
	}

	t.Run("ExpiredRowsAreSwept", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		a := s.Send(t, withKeyK)
		s.Clock.Advance(24 * time.Hour)
		s.Sweep(t)
		err := s.Store.View(context.Background(), func(tx *db.Tx) error {
			_, err := tx.Call(a.Header.Get("X-Request-Id"))
			return err
		})
		if err != db.ErrNotFound {
			t.Errorf("the row of an expired answer: %v", err)
		}
	})
}
