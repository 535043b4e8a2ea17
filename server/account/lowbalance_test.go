package account_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/carrier"
	"svc/server/servertest"
)

// lowMails returns all mails, which must tell the shop's owner of a low balance.
func lowMails(t *testing.T, s *servertest.Shop) (mails []db.Mail) {
	t.Helper()
	for _, m := range s.Outbox(t, "") {
		if m.Subject != "Your credit is low" || m.To != s.Email {
			t.Errorf("mail %+v", m)
		}
		mails = append(mails, m)
	}
	return mails
}

func expectLowMails(t *testing.T, s *servertest.Shop, n int) {
	t.Helper()
	if mails := lowMails(t, s); len(mails) != n {
		t.Fatalf("%d mails of a low balance, want %d: %+v", len(mails), n, mails)
	}
}

// One mail goes out for each crossing of the threshold (C4).
func TestLowBalanceMail(t *testing.T) {
	const warned = `"low_balance_warning":true`

	t.Run("OnTheCallThatCrosses", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 104)
		s.Send(t)
		s.Send(t)
		expectLowMails(t, s, 0) // 100 is not below 100
		crossing := s.Send(t, servertest.WithIdempotencyKey("crossing"))
		if !strings.Contains(string(crossing.Body), warned) {
			t.Errorf("answer %s", crossing.Body)
		}
		expectLowMails(t, s, 1)
		m := lowMails(t, s)[0]
		for _, text := range []string{"$0.98", "$1.00", s.URL + "/console/wallet"} {
			if !strings.Contains(m.Text, text) {
				t.Errorf("no %q in %s", text, m.Text)
			}
		}
		if !m.ExpiresAt.Equal(s.Clock.Now().Add(24*time.Hour)) || m.State != db.MailKept {
			t.Errorf("mail %+v", m)
		}
		s.Send(t)
		s.Send(t, servertest.WithIdempotencyKey("crossing")).ExpectReplay(t, crossing)
		expectLowMails(t, s, 1)
	})

	t.Run("AgainAfterATopUp", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 101)
		s.Send(t)
		expectLowMails(t, s, 1)
		s.Credit(t, 1) // to 100
		expectLowMails(t, s, 1)
		s.Send(t)
		expectLowMails(t, s, 2)
		s.Credit(t, 1) // to 99, which is still below
		s.Send(t)
		expectLowMails(t, s, 2)
	})

	t.Run("NoneWithoutThreshold", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 4)
		setThreshold(t, s, 0)
		s.Send(t)
		s.Send(t)
		expectLowMails(t, s, 0)
	})

	t.Run("NoneWhenTheThresholdMoves", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		setThreshold(t, s, 5000)
		s.Send(t)
		expectLowMails(t, s, 0)
		setThreshold(t, s, 998)
		expectLowMails(t, s, 0)
		s.Send(t)
		expectLowMails(t, s, 1)
	})

	t.Run("NoneForATestKey", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 100)
		_, secret := s.TestKey(t)
		for range 3 {
			s.Send(t, servertest.WithKey(secret)).ExpectBody(t, 200, servertest.SentAsTest)
		}
		expectLowMails(t, s, 0)
	})

	t.Run("NoneForACallThatFails", func(t *testing.T) {
		for _, err := range []error{servertest.Refusal("no"), servertest.Doubt("no answer")} {
			s := servertest.NewShop(t, db.Growth, 100)
			s.Provider.OnSend = func(context.Context, carrier.Message) (string, error) { return "", err }
			if a := s.Send(t); a.Status != 502 {
				t.Errorf("answer %d", a.Status)
			}
			expectLowMails(t, s, 0)
		}
	})

	t.Run("OneForManyCallsAtOnce", func(t *testing.T) {
		s := servertest.NewShop(t, db.Business, 120)
		second := s.OpenAgain(t)
		var warnings atomic.Int64
		got := servertest.Parallel(40, func(i int) int {
			a := []*servertest.Shop{s, second}[i%2].Send(t)
			if strings.Contains(string(a.Body), warned) {
				warnings.Add(1)
			}
			return a.Status
		})
		if got[200] != 40 || warnings.Load() != 1 {
			t.Errorf("answers %v, %d warnings", got, warnings.Load())
		}
		expectLowMails(t, s, 1)
		s.ExpectWallet(t, 40, 0)
	})

	// A call that is confirmed after its lease has ended is billed then, and warns then.
	t.Run("ForALateCall", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 101)
		held := s.Provider.Hold(t)
		a, done := s.SendAside(t)
		held.Arrived()
		s.Clock.Advance(time.Minute)
		s.Sweep(t)
		expectLowMails(t, s, 0)
		held.Answer(nil)
		servertest.Receive(t, done)
		if a.Status != 200 || !strings.Contains(string(a.Body), warned) {
			t.Errorf("%d %s", a.Status, a.Body)
		}
		expectLowMails(t, s, 1)
		s.ExpectWallet(t, 99, 0)
	})

	t.Run("InTheCommitOfTheDebit", func(t *testing.T) {
		var ticks atomic.Int64 // so that each transaction has a time of its own
		s := servertest.NewShop(t, db.Growth, 101, func(c *server.Config) {
			now := c.Clock
			c.Clock = func() time.Time { return now().Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
		})
		s.Send(t)
		ledger := s.Ledger(t, s.Email)
		if m, debit := lowMails(t, s)[0], ledger[len(ledger)-1]; debit.Kind != db.Debit || !m.CreatedAt.Equal(debit.CreatedAt) {
			t.Errorf("mail of %v, debit of %v", m.CreatedAt, debit.CreatedAt)
		}
	})

	// A debit whose warning cannot be stored is not made.
	t.Run("NoDebitWithoutIt", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 101)
		s.Exec(t, `CREATE TRIGGER no_mails BEFORE INSERT ON mails BEGIN SELECT RAISE(ABORT, 'no mails'); END`)
		s.Send(t).Expect(t, 502, "outcome_unknown")
		if n := s.Debits(t); n != 0 {
			t.Errorf("%d debits", n)
		}
		s.ExpectStored(t, 0)
		s.Clock.Advance(time.Minute)
		s.Sweep(t)
		s.ExpectWallet(t, 101, 0)
	})
}

func setThreshold(t *testing.T, s *servertest.Shop, cents int64) {
	t.Helper()
	if err := s.App.Accounts.SetLowBalance(context.Background(), s.Email, cents); err != nil {
		t.Fatal(err)
	}
}
