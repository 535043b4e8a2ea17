package gate_test

import (
	"crypto/sha256"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// A call of a dead process ends with its lease (B5).
func TestLeases(t *testing.T) {
	t.Run("AreFifteenSeconds", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		provider := s.Provider.Hold(t)
		_, done := s.SendAside(t, withKeyK)
		provider.Arrived()
		idem := sha256.Sum256([]byte("k"))
		dbtest.View(t, s.Store, func(tx *db.Tx) error {
			c, err := tx.PeekCall(s.LiveKey.ID, idem[:])
			if err == nil && (c.State != db.Calling || c.LeaseUntil != tx.Now().Add(15*time.Second) || c.HoldCents != servertest.SendPrice) {
				t.Errorf("row during the provider's call: %+v", c)
			}
			return err
		})
		provider.Answer(nil)
		servertest.Receive(t, done)
	})

	t.Run("CallThatMayHaveSentIsUnknownForEver", func(t *testing.T) {
		s := newShop(t, db.Growth, servertest.SendPrice)
		s.PlantCall(t, db.Call{ID: "req_dead", Endpoint: servertest.SendPath, State: db.Calling, HoldCents: servertest.SendPrice}, "")
		s.ExpectWallet(t, servertest.SendPrice, servertest.SendPrice)
		s.Send(t).Expect(t, 402, "insufficient_funds") // the hold cannot be spent

		s.Clock.Advance(15 * time.Second)
		first := s.Send(t, withKeyK)
		first.Expect(t, 502, "outcome_unknown")
		first.ExpectBody(t, 502, `{"error":"it is not known whether this call had its effect; nothing was charged, `+
			`and it will not be tried again under this Idempotency-Key"}`+"\n")
		s.ExpectWallet(t, servertest.SendPrice, 0)
		for range 3 {
			s.Clock.Advance(20 * 24 * time.Hour)
			s.Sweep(t)
			a := s.Send(t, withKeyK)
			a.ExpectReplay(t, first)
			a.Expect(t, 502, "outcome_unknown")
		}
		s.ExpectSent(t, 0)
		s.ExpectWallet(t, servertest.SendPrice, 0)
		dbtest.View(t, s.Store, func(tx *db.Tx) error {
			unknown, err := tx.UnknownCalls(s.LiveKey.AccountID, 10)
			if err == nil && (len(unknown) != 1 || unknown[0].ID != "req_dead") {
				t.Errorf("unknown calls %+v", unknown)
			}
			return err
		})
	})

	t.Run("CallWithoutAnEffectRunsAgain", func(t *testing.T) {
		s := newShop(t, db.Growth, servertest.SendPrice)
		s.PlantCall(t, db.Call{ID: "req_dead", Endpoint: servertest.SendPath, State: db.Running, HoldCents: servertest.SendPrice}, "")
		s.Clock.Advance(15 * time.Second)
		a := s.Send(t, withKeyK)
		a.ExpectBody(t, 200, servertest.Sent)
		s.ExpectSent(t, 1)
	})

	t.Run("SweepFreesHoldAndMonth", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.PlantCall(t, db.Call{ID: "req_dead", Endpoint: servertest.SendPath, State: db.Calling, HoldCents: servertest.SendPrice}, "")
		s.Clock.Advance(15*time.Second - time.Millisecond)
		s.Sweep(t)
		s.ExpectWallet(t, 1000, servertest.SendPrice)
		s.Clock.Advance(time.Millisecond)
		s.Sweep(t)
		s.ExpectWallet(t, 1000, 0)
	})

	t.Run("EndWhenTheClockIsSetBack", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.PlantCall(t, db.Call{ID: "req_dead", Endpoint: servertest.SendPath, State: db.Calling, HoldCents: servertest.SendPrice}, "")
		s.Clock.Advance(-time.Hour)
		s.Send(t, withKeyK).Expect(t, 502, "outcome_unknown")
		s.ExpectWallet(t, 1000, 0)
	})

	t.Run("WaitingTwinSeesTheEnd", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.PlantCall(t, db.Call{ID: "req_dead", Endpoint: servertest.SendPath, State: db.Calling, HoldCents: servertest.SendPrice}, "")
		twin, done := s.SendAside(t, withKeyK)
		s.UntilCounted(t, 1)
		s.Clock.Advance(15 * time.Second)
		servertest.Receive(t, done)
		twin.Expect(t, 502, "outcome_unknown")
	})
}

// A provider may confirm after the lease has ended.
func TestLateConfirmation(t *testing.T) {
	// late starts a send and lets its lease end while the provider holds it.
	late := func(t *testing.T, s *shop) (a, twin *servertest.Answer, done <-chan struct{}, provider *servertest.Held) {
		t.Helper()
		provider = s.Provider.Hold(t)
		a, done = s.SendAside(t, withKeyK)
		provider.Arrived()
		s.Clock.Advance(15 * time.Second)
		answer := s.Send(t, withKeyK)
		answer.Expect(t, 502, "outcome_unknown")
		s.ExpectWallet(t, s.Wallet(t, s.Email).BalanceCents, 0)
		return a, &answer, done, provider
	}

	t.Run("IsDoneAndDebited", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		a, _, done, provider := late(t, s)
		provider.Answer(nil)
		servertest.Receive(t, done)
		a.ExpectBody(t, 200, servertest.Sent)
		s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
		if m := s.Meter(t); m.MonthUsed != 1 {
			t.Errorf("the month counts %d for a success", m.MonthUsed)
		}
		s.Send(t, withKeyK).ExpectReplay(t, *a)
		s.ExpectSent(t, 1)
		s.ExpectStored(t, 1)
	})

	t.Run("InTheNextMonthIsNotCountedThere", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.Clock.Set(time.Date(2026, 3, 31, 23, 59, 50, 0, time.UTC))
		a, _, done, provider := late(t, s)
		s.Post(t, `{}`).Expect(t, 400, "invalid_request") // the first call of April
		provider.Answer(nil)
		servertest.Receive(t, done)
		a.ExpectBody(t, 200, servertest.Sent)
		if m := s.Meter(t); m.MonthUsed != 1 {
			t.Errorf("April counts %d, want its own 1", m.MonthUsed)
		}
	})

	t.Run("IsFreeIfTheBalanceIsTooLow", func(t *testing.T) {
		s := newShop(t, db.Growth, servertest.SendPrice)
		a, _, done, provider := late(t, s)
		s.Credit(t, -1)
		provider.Answer(nil)
		servertest.Receive(t, done)
		a.ExpectBody(t, 200, servertest.Sent)
		s.ExpectWallet(t, servertest.SendPrice-1, 0)
		s.Send(t, withKeyK).ExpectReplay(t, *a)
		if s.Debits(t) != 0 {
			t.Error("debited more than the balance covers")
		}
	})

	t.Run("DoesNotSpendOtherHolds", func(t *testing.T) {
		s := newShop(t, db.Growth, servertest.SendPrice)
		a, _, done, provider := late(t, s)
		other, otherDone := s.SendAside(t)
		provider.Arrived()
		provider.Answer(nil) // either of the two
		provider.Answer(nil)
		servertest.Receive(t, done)
		servertest.Receive(t, otherDone)
		for _, answer := range []*servertest.Answer{a, other} {
			if answer.Status != 200 {
				t.Errorf("answer %d %s", answer.Status, answer.Body)
			}
		}
		if s.Debits(t) != 1 {
			t.Errorf("%d debits, want 1: the wallet covers one", s.Debits(t))
		}
		s.ExpectWallet(t, 0, 0)
	})

	t.Run("FailureStaysUnknown", func(t *testing.T) {
		for _, err := range []error{servertest.Refusal("no such number"), servertest.Doubt("no answer")} {
			s := newShop(t, db.Growth, 1000)
			a, twin, done, provider := late(t, s)
			provider.Answer(err)
			servertest.Receive(t, done)
			a.Expect(t, 502, "outcome_unknown")
			s.Send(t, withKeyK).ExpectReplay(t, *twin)
			if string(a.Body) != string(twin.Body) {
				t.Errorf("two answers for one Idempotency-Key: %s and %s", a.Body, twin.Body)
			}
			s.ExpectWallet(t, 1000, 0)
		}
	})
}
