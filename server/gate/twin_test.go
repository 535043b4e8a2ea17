package gate_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// Parallel calls with the same Idempotency-Key are one call (B4).
func TestTwins(t *testing.T) {
	const n = 20
	for _, appliances := range []int{1, 2} {
		t.Run(fmt.Sprintf("On%dAppliances", appliances), func(t *testing.T) {
			s := newShop(t, db.Business, 1000)
			provider := s.Provider.Hold(t)
			shops := []*shop{s}
			if appliances == 2 {
				shops = append(shops, s.again(t))
			}
			answers := make([]servertest.Answer, n)
			finished := make(chan map[int]int)
			go func() {
				finished <- servertest.Parallel(n, func(i int) int {
					answers[i] = shops[i%len(shops)].Send(t, withKeyK)
					return answers[i].Status
				})
			}()
			provider.Arrived()
			s.UntilCounted(t, n)
			provider.Answer(nil)
			if count := servertest.Receive(t, finished); count[200] != n {
				t.Errorf("answers %v", count)
			}

			replays := 0
			for _, a := range answers {
				a.ExpectBody(t, 200, servertest.Sent)
				if a.Header.Get("Idempotency-Replayed") == "true" {
					replays++
				}
			}
			if replays != n-1 {
				t.Errorf("%d replays, want %d", replays, n-1)
			}
			s.ExpectSent(t, 1)
			s.ExpectStored(t, 1)
			s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
			if m := s.Meter(t); m.MonthUsed != 1 {
				t.Errorf("the month counts %d", m.MonthUsed)
			}
		})

		t.Run(fmt.Sprintf("FirstFailsOn%dAppliances", appliances), func(t *testing.T) {
			s := newShop(t, db.Business, 1000)
			provider := s.Provider.Hold(t)
			other := s
			if appliances == 2 {
				other = s.again(t)
			}
			first, firstDone := s.SendAside(t, withKeyK)
			provider.Arrived()
			twin, twinDone := other.SendAside(t, withKeyK)
			s.UntilCounted(t, 2)

			provider.Answer(servertest.Refusal("not now"))
			servertest.Receive(t, firstDone)
			first.Expect(t, 502, "provider_failed")
			provider.Arrived() // the twin makes the next attempt
			if m := s.Meter(t); m.WindowUsed != 2 || m.MonthUsed != 1 {
				t.Errorf("meter %+v, want 2 in the minute and 1 in the month", m)
			}
			provider.Answer(nil)
			servertest.Receive(t, twinDone)
			twin.ExpectBody(t, 200, servertest.Sent)
			if twin.Header.Get("Idempotency-Replayed") != "" {
				t.Error("the second attempt is marked as a replay")
			}
			s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
		})
	}

	t.Run("EachFailureLetsOneTwinTry", func(t *testing.T) {
		s := newShop(t, db.Business, 1000)
		provider := s.Provider.Hold(t)
		finished := make(chan map[int]int)
		go func() {
			finished <- servertest.Parallel(5, func(int) int { return s.Send(t, withKeyK).Status })
		}()
		provider.Arrived()
		s.UntilCounted(t, 5)
		for range 3 {
			provider.Answer(servertest.Refusal("not now"))
			provider.Arrived()
		}
		provider.Answer(nil)
		if count := servertest.Receive(t, finished); count[502] != 3 || count[200] != 2 {
			t.Errorf("answers %v, want 3 failures and 2 successes", count)
		}
		s.ExpectSent(t, 4)
		s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
	})

	t.Run("NextAttemptRepeatsEveryCheck", func(t *testing.T) {
		for _, row := range []struct {
			name   string
			change func(s *shop)
			status int
			code   string
		}{
			{"Month", func(s *shop) { s.useMonth(t) }, 429, "quota_exceeded"},
			{"Key", func(s *shop) { s.SetKeyEnabled(t, false) }, 403, "key_disabled"},
		} {
			t.Run(row.name, func(t *testing.T) {
				s := newShop(t, db.Free, 2*servertest.SendPrice)
				provider := s.Provider.Hold(t)
				_, firstDone := s.SendAside(t, withKeyK)
				provider.Arrived()
				twin, twinDone := s.SendAside(t, withKeyK)
				s.UntilCounted(t, 2)
				row.change(s)
				provider.Answer(servertest.Refusal("not now"))
				servertest.Receive(t, firstDone)
				servertest.Receive(t, twinDone)
				twin.Expect(t, row.status, row.code)
				s.ExpectSent(t, 1)
			})
		}
	})

	t.Run("OtherBodyWaitsToo", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		provider := s.Provider.Hold(t)
		first, firstDone := s.SendAside(t, withKeyK)
		provider.Arrived()
		twin := make(chan servertest.Answer)
		go func() { twin <- s.Post(t, otherBody, withKeyK) }()
		s.UntilCounted(t, 2)
		provider.Answer(nil)
		servertest.Receive(t, firstDone)
		a := servertest.Receive(t, twin)
		a.ExpectReplay(t, *first)
		if a.Header.Get("Idempotency-Mismatch") != "true" {
			t.Error("no Idempotency-Mismatch")
		}
	})

	t.Run("StillRunningAfterHalfAMinute", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.PlantCall(t, db.Call{ID: "req_slow", Endpoint: servertest.SendPath, State: db.Calling, HoldCents: servertest.SendPrice,
			LeaseUntil: s.Clock.Now().Add(45 * time.Second)}, "")
		twin, done := s.SendAside(t, withKeyK)
		s.UntilCounted(t, 1)
		s.Clock.Advance(30 * time.Second)
		servertest.Receive(t, done)
		twin.Expect(t, 502, "in_progress")
		twin.ExpectBody(t, 502, `{"error":"a call with this Idempotency-Key is still running"}`+"\n")
		if twin.Header.Get("Retry-After") != "15" || twin.Remaining() != 59 {
			t.Errorf("headers %v", twin.Header)
		}
		if m := s.Meter(t); m.MonthUsed != 0 {
			t.Errorf("the month counts %d", m.MonthUsed)
		}
		s.Clock.Advance(15 * time.Second)
		s.Send(t, withKeyK).Expect(t, 502, "outcome_unknown")
		s.ExpectSent(t, 0)
	})
}

func TestClientHangsUp(t *testing.T) {
	t.Run("DuringTheProvidersCall", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		provider := s.Provider.Hold(t)
		ctx, hangUp := context.WithCancel(context.Background())
		_, done := s.SendAside(t, withKeyK, servertest.WithContext(ctx))
		provider.Arrived()
		hangUp()
		servertest.Receive(t, done)
		provider.Answer(nil)
		servertest.Until(t, "the debit", func() bool { return s.Debits(t) == 1 })
		a := s.Send(t, withKeyK)
		a.ExpectBody(t, 200, servertest.Sent)
		if a.Header.Get("Idempotency-Replayed") != "true" {
			t.Error("sent again")
		}
		s.ExpectSent(t, 1)
		s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
	})

	t.Run("WhileWaitingForItsTwin", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		provider := s.Provider.Hold(t)
		first, firstDone := s.SendAside(t, withKeyK)
		provider.Arrived()
		ctx, hangUp := context.WithCancel(context.Background())
		_, twinDone := s.SendAside(t, withKeyK, servertest.WithContext(ctx))
		s.UntilCounted(t, 2)
		hangUp()
		servertest.Receive(t, twinDone)
		provider.Answer(nil)
		servertest.Receive(t, firstDone)
		first.ExpectBody(t, 200, servertest.Sent)
		s.ExpectSent(t, 1)
	})
}

// useMonth uses up the free plan's month of the shop's key, given that one counted call is
// about to fail and will be uncounted.
func (s *shop) useMonth(t *testing.T) {
	t.Helper()
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		for {
			_, over, err := tx.CountMonth(s.LiveKey.ID, db.Limits{Month: 101, Minute: 5})
			if over == db.OverMonth || err != nil {
				return err
			}
		}
	})
}
