package gate_test

import (
	"context"
	"testing"

	"svc/db"
	"svc/server/carrier"
	"svc/server/servertest"
)

// Parallel sends cannot overdraw the wallet (C2).
func TestParallelSendsKeepTheWallet(t *testing.T) {
	s := newShop(t, db.Growth, 3)
	provider := s.Provider.Hold(t)
	other := s.again(t)
	finished := make(chan map[int]int)
	go func() {
		finished <- servertest.Parallel(10, func(i int) int { return []*shop{s, other}[i%2].Send(t).Status })
	}()
	provider.Arrived()
	s.UntilCounted(t, 10) // so that nine are refused while one is running
	s.ExpectWallet(t, 3, servertest.SendPrice)
	provider.Answer(nil)

	if count := servertest.Receive(t, finished); count[200] != 1 || count[402] != 9 {
		t.Errorf("answers %v, want one 200 and nine 402", count)
	}
	s.ExpectSent(t, 1)
	s.ExpectWallet(t, 1, 0)
	ledger := s.Ledger(t, s.Email)
	if len(ledger) != 2 || ledger[0].Kind != db.TopUp || ledger[0].BalanceAfterCents != 3 ||
		ledger[1].Kind != db.Debit || ledger[1].AmountCents != -servertest.SendPrice || ledger[1].BalanceAfterCents != 1 || ledger[1].Seq != 2 {
		t.Errorf("ledger %+v", ledger)
	}
}

func TestKeysOfOneAccountShareItsWallet(t *testing.T) {
	s := newShop(t, db.Growth, 2*servertest.SendPrice)
	_, second := s.Key(t, s.Email, db.Live, db.AccountMode)
	s.Send(t).ExpectBody(t, 200, servertest.Sent)
	s.Send(t, servertest.WithKey(second)).ExpectBody(t, 200, servertest.Sent)
	s.Send(t).Expect(t, 402, "insufficient_funds")
	s.Send(t, servertest.WithKey(second)).Expect(t, 402, "insufficient_funds")
}

func TestAccountsDoNotShareWallets(t *testing.T) {
	s := newShop(t, db.Growth, 1000)
	poor := s.Account(t, "poor@example.com", "growth", 0)
	_, secret := s.Key(t, poor, db.Live, db.AccountMode)
	s.Send(t, servertest.WithKey(secret)).Expect(t, 402, "insufficient_funds")
	s.ExpectWallet(t, 1000, 0)
}

// A failed send frees its hold for the next one.
func TestFailedSendFreesItsHold(t *testing.T) {
	for name, err := range map[string]error{
		"Refused": servertest.Refusal("no such number"),
		"InDoubt": servertest.Doubt("no answer"),
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, db.Growth, servertest.SendPrice)
			provider := s.Provider.Hold(t)
			failed, done := s.SendAside(t)
			provider.Arrived()
			s.Send(t).Expect(t, 402, "insufficient_funds")
			provider.Answer(err)
			servertest.Receive(t, done)
			if failed.Status != 502 {
				t.Errorf("answer %d %s", failed.Status, failed.Body)
			}
			next, done := s.SendAside(t)
			provider.Arrived()
			provider.Answer(nil)
			servertest.Receive(t, done)
			next.ExpectBody(t, 200, servertest.Sent)
			s.ExpectWallet(t, 0, 0)
		})
	}
}

// Without an Idempotency-Key each call is billed (seed 5.7).
func TestCallsWithoutAnIdempotencyKeyAreBilledEach(t *testing.T) {
	s := newShop(t, db.Growth, 1000)
	for range 3 {
		s.Send(t).ExpectBody(t, 200, servertest.Sent)
	}
	s.ExpectSent(t, 3)
	s.ExpectWallet(t, 1000-3*servertest.SendPrice, 0)
	if s.Debits(t) != 3 {
		t.Errorf("%d debits", s.Debits(t))
	}
}

// The provider gets a message id of its own for each send, and a deadline.
func TestProviderGetsIDAndDeadline(t *testing.T) {
	s := newShop(t, db.Growth, 1000)
	s.Provider.OnSend = func(ctx context.Context, m carrier.Message) (string, error) {
		if _, limited := ctx.Deadline(); !limited {
			t.Error("the provider's call has no deadline")
		}
		return "id-" + m.ID, nil
	}
	s.Send(t)
	s.Send(t)
	sent := s.Provider.Sent()
	if sent[0].ID == sent[1].ID || len(sent[0].ID) != len("msg_")+26 || sent[0].ID[:4] != "msg_" {
		t.Errorf("message ids %s and %s", sent[0].ID, sent[1].ID)
	}
}
