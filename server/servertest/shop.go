package servertest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/account"
)

// The call that a [Shop] makes, and its answers.
const (
	SendPath  = "/api/v1/messaging/send"
	SendPrice = 2 // usd_cents (seed 1)

	// Phone and Text are those of SendBody.
	Phone    = "+447700900123"
	Text     = "Thank you! 2 x Ground Coffee 250g"
	SendBody = `{"phone":"` + Phone + `","template":"receipt","text":"` + Text + `"}`

	// Sent is the body of the answer to a live key, SentAsTest to a test key.
	Sent       = `{"success":true}` + "\n"
	SentAsTest = `{"success":true,"test_mode":true}` + "\n"
)

// Shop is an appliance with a remote message provider, and one account with a live key.
type Shop struct {
	*Server
	Provider *Carrier
	Email    string
	// LiveKey is the account's key, and Secret what the shop sends as x-api-key.
	LiveKey db.Key
	Secret  string
}

// NewShop opens a shop with cents in its wallet. When the test ends, its wallets must
// agree with their ledgers and nothing may be held.
func NewShop(t testing.TB, plan db.Plan, cents int64, change ...func(*server.Config)) *Shop {
	t.Helper()
	s := &Shop{Provider: &Carrier{}}
	change = slices.Insert(change, 0, func(c *server.Config) { c.Carrier = s.Provider })
	s.Server = New(t, change...)
	s.Email = s.Account(t, "shop@example.com", string(plan), cents)
	s.LiveKey, s.Secret = s.Key(t, s.Email, db.Live, db.AccountMode)
	t.Cleanup(func() {
		s.VerifyWallets(t)
		if held := s.Wallet(t, s.Email).HeldCents; held != 0 {
			t.Errorf("held at the end: %d", held)
		}
	})
	return s
}

// OpenAgain opens a second appliance on the shop's file, with the same provider.
func (s *Shop) OpenAgain(t testing.TB) *Shop {
	t.Helper()
	second := *s
	second.Server = Open(t, s.Path, s.Clock, func(c *server.Config) { c.Carrier = s.Provider })
	return &second
}

// Send posts SendBody with the shop's live key, which an option may replace.
func (s *Shop) Send(t testing.TB, options ...Option) Answer {
	t.Helper()
	return s.Post(t, SendBody, options...)
}

// Post posts any body to SendPath with the shop's live key, which an option may replace.
func (s *Shop) Post(t testing.TB, body any, options ...Option) Answer {
	t.Helper()
	options = slices.Insert(options, 0, WithKey(s.Secret))
	return s.Call(t, http.MethodPost, SendPath, body, options...)
}

// SendAside sends from another goroutine; the answer may be read once done is closed.
func (s *Shop) SendAside(t testing.TB, options ...Option) (a *Answer, done <-chan struct{}) {
	t.Helper()
	a, closed := new(Answer), make(chan struct{})
	go func() {
		defer close(closed)
		*a = s.Send(t, options...)
	}()
	return a, closed
}

// TestKey makes a test key of the shop's account.
func (s *Shop) TestKey(t testing.TB) (db.Key, string) {
	t.Helper()
	return s.Key(t, s.Email, db.Test, db.AccountMode)
}

// SetKeyEnabled disables or enables the shop's live key.
func (s *Shop) SetKeyEnabled(t testing.TB, enabled bool) {
	t.Helper()
	if err := s.App.Accounts.SetKeyEnabled(context.Background(), account.KeyRef{ID: s.LiveKey.ID}, enabled); err != nil {
		t.Fatal(err)
	}
}

// Credit adds cents to the shop's wallet; a negative amount takes them away.
func (s *Shop) Credit(t testing.TB, cents int64) {
	t.Helper()
	if _, err := s.App.Accounts.Credit(context.Background(), s.Email, cents, "more"); err != nil {
		t.Fatal(err)
	}
}

// PlantCalls counts calls as ones that the shop's key made earlier in this month, and
// lets their minute pass.
func (s *Shop) PlantCalls(t testing.TB, calls int) {
	t.Helper()
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		for range calls {
			if _, _, err := tx.Count(s.LiveKey.ID, db.Limits{Month: db.Unlimited, Minute: 1000}, true); err != nil {
				return err
			}
		}
		return nil
	})
	s.Clock.Advance(db.Window)
}

// UseMinute uses up the five calls that the shop's key has in this minute on the free
// plan.
func (s *Shop) UseMinute(t testing.TB) {
	t.Helper()
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		for range 5 {
			if _, _, err := tx.Count(s.LiveKey.ID, db.Limits{Month: db.Unlimited, Minute: 5}, false); err != nil {
				return err
			}
		}
		return nil
	})
}

// PlantCall stores a send of the shop's key with the Idempotency-Key k, as another
// process would have: running, or, with an answer, done. What c leaves out is that of
// a call made now.
func (s *Shop) PlantCall(t testing.TB, c db.Call, answer string) {
	t.Helper()
	idem, body := sha256.Sum256([]byte("k")), sha256.Sum256([]byte(SendBody))
	c.KeyID, c.AccountID, c.IdemHash, c.BodyHash = s.LiveKey.ID, s.LiveKey.AccountID, idem[:], body[:]
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		c.Month, c.ExpiresAt = tx.Month(), tx.Now().Add(24*time.Hour)
		if c.LeaseUntil.IsZero() {
			c.LeaseUntil = tx.Now().Add(15 * time.Second)
		}
		if err := tx.OpenCall(c); err != nil || answer == "" {
			return err
		}
		return tx.CloseCall(c, 200, []byte(answer))
	})
}

// Meter reads the call counts of the shop's key.
func (s *Shop) Meter(t testing.TB) (m db.Meter) {
	t.Helper()
	dbtest.View(t, s.Store, func(tx *db.Tx) (err error) {
		m, err = tx.Meter(s.LiveKey.ID)
		return err
	})
	return m
}

// UntilCounted waits until the minute of the shop's key counts n calls.
func (s *Shop) UntilCounted(t testing.TB, n int64) {
	t.Helper()
	Until(t, fmt.Sprintf("%d counted calls", n), func() bool { return s.Meter(t).WindowUsed >= n })
}

// Requests reads the account's rows of the stored request log, newest first.
func (s *Shop) Requests(t testing.TB) (rows []db.Request) {
	t.Helper()
	dbtest.View(t, s.Store, func(tx *db.Tx) (err error) {
		rows, err = tx.Requests(s.LiveKey.AccountID, 100)
		return err
	})
	return rows
}

// Debits counts the debits in the account's ledger.
func (s *Shop) Debits(t testing.TB) (n int) {
	t.Helper()
	for _, e := range s.Ledger(t, s.Email) {
		if e.Kind == db.Debit {
			n++
		}
	}
	return n
}

// ExpectWallet checks the account's balance and holds, in cents.
func (s *Shop) ExpectWallet(t testing.TB, balance, held int64) {
	t.Helper()
	if w := s.Wallet(t, s.Email); w.BalanceCents != balance || w.HeldCents != held {
		t.Errorf("balance %d, held %d, want %d and %d", w.BalanceCents, w.HeldCents, balance, held)
	}
}

// ExpectSent checks how many messages reached the provider.
func (s *Shop) ExpectSent(t testing.TB, want int) {
	t.Helper()
	if got := len(s.Provider.Sent()); got != want {
		t.Errorf("%d messages reached the provider, want %d", got, want)
	}
}

// ExpectStored checks how many messages are stored as sent.
func (s *Shop) ExpectStored(t testing.TB, want int) {
	t.Helper()
	all, err := s.App.Messages.List(context.Background(), s.LiveKey.AccountID, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != want {
		t.Errorf("%d messages stored, want %d", len(all), want)
	}
}
