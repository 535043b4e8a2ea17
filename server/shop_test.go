package server_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/servertest"
)

const (
	sendPath = "/api/v1/messaging/send"
	priceOf  = 2 // usd_cents a send costs, as seed 1 says

	phone    = "+447700900123"
	text     = "Thank you! 2 x Ground Coffee 250g"
	sendBody = `{"phone":"` + phone + `","template":"receipt","text":"` + text + `"}`

	ok     = `{"success":true}` + "\n"
	okTest = `{"success":true,"test_mode":true}` + "\n"
)

// shop is an appliance with a remote provider and one account with a live key.
type shop struct {
	*servertest.Server
	provider *servertest.Carrier
	email    string
	key      db.Key
	secret   string
}

// newShop opens a shop with cents in its wallet. When the test ends, its wallets
// must agree with their ledgers and nothing may be held.
func newShop(t *testing.T, plan db.Plan, cents int64, change ...func(*server.Config)) *shop {
	t.Helper()
	s := &shop{provider: &servertest.Carrier{}}
	change = slices.Insert(change, 0, func(c *server.Config) { c.Carrier = s.provider })
	s.Server = servertest.New(t, change...)
	s.email = s.Account(t, "shop@example.com", string(plan), cents)
	s.key, s.secret = s.Key(t, s.email, db.Live, db.AccountMode)
	t.Cleanup(func() {
		s.VerifyWallets(t)
		if held := s.Wallet(t, s.email).HeldCents; held != 0 {
			t.Errorf("held at the end: %d", held)
		}
	})
	return s
}

// again opens a second appliance on the shop's file, with the same provider.
func (s *shop) again(t *testing.T) *shop {
	t.Helper()
	second := *s
	second.Server = servertest.Open(t, s.Path, s.Clock, func(c *server.Config) { c.Carrier = s.provider })
	return &second
}

// send sends a good message with the shop's live key.
func (s *shop) send(t *testing.T, options ...servertest.Option) servertest.Answer {
	t.Helper()
	return s.post(t, sendBody, options...)
}

// post sends any body with the shop's live key, which an option may replace.
func (s *shop) post(t *testing.T, body any, options ...servertest.Option) servertest.Answer {
	t.Helper()
	options = slices.Insert(options, 0, servertest.WithKey(s.secret))
	return s.Call(t, http.MethodPost, sendPath, body, options...)
}

// testKey makes another key of the shop.
func (s *shop) testKey(t *testing.T) (db.Key, string) {
	t.Helper()
	return s.Key(t, s.email, db.Test, db.AccountMode)
}

// used plants calls that the shop's key made earlier in this month.
func (s *shop) used(t *testing.T, calls int) {
	t.Helper()
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		for range calls {
			if _, _, err := tx.Count(s.key.ID, db.Limits{Month: db.Unlimited, Minute: 1000}, true); err != nil {
				return err
			}
		}
		return nil
	})
	s.Clock.Advance(db.Window)
}

// meter reads the standing of the shop's key.
func (s *shop) meter(t *testing.T) (m db.Meter) {
	t.Helper()
	dbtest.View(t, s.Store, func(tx *db.Tx) (err error) {
		m, err = tx.Meter(s.key.ID)
		return err
	})
	return m
}

// expect checks status and code of an answer; code is empty for a success.
func expect(t *testing.T, a servertest.Answer, status int, code string) {
	t.Helper()
	if a.Status != status || a.Code() != code {
		t.Fatalf("answer %d %q, want %d %q: %s", a.Status, a.Code(), status, code, a.Body)
	}
}

// expectBody also checks the body, byte by byte.
func expectBody(t *testing.T, a servertest.Answer, status int, body string) {
	t.Helper()
	if a.Status != status || string(a.Body) != body {
		t.Fatalf("answer %d %s, want %d %s", a.Status, a.Body, status, body)
	}
}

// expectReplay checks that an answer is the stored one, byte by byte.
func expectReplay(t *testing.T, a, first servertest.Answer) {
	t.Helper()
	if a.Status != first.Status || !bytes.Equal(a.Body, first.Body) {
		t.Errorf("replay %d %s, want %d %s", a.Status, a.Body, first.Status, first.Body)
	}
	if a.Header.Get("Idempotency-Replayed") != "true" {
		t.Error("no Idempotency-Replayed on a replay")
	}
}

// expectWallet checks balance and holds.
func (s *shop) expectWallet(t *testing.T, balance, held int64) {
	t.Helper()
	if w := s.Wallet(t, s.email); w.BalanceCents != balance || w.HeldCents != held {
		t.Errorf("balance %d, held %d, want %d and %d", w.BalanceCents, w.HeldCents, balance, held)
	}
}

// expectSent checks how many messages reached the provider.
func (s *shop) expectSent(t *testing.T, want int) {
	t.Helper()
	if got := len(s.provider.Sent()); got != want {
		t.Errorf("%d messages reached the provider, want %d", got, want)
	}
}

// expectStored checks how many messages are kept as sent.
func (s *shop) expectStored(t *testing.T, want int) {
	t.Helper()
	all, err := s.App.Messages.List(context.Background(), s.key.AccountID, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != want {
		t.Errorf("%d messages stored, want %d", len(all), want)
	}
}

// debits counts the ledger's debits.
func (s *shop) debits(t *testing.T) (n int) {
	t.Helper()
	for _, e := range s.Ledger(t, s.email) {
		if e.Kind == db.Debit {
			n++
		}
	}
	return n
}

func unixSeconds(at time.Time) string { return fmt.Sprint(at.Unix()) }

// sequential marks a test in which one call follows another: it is left out with
// -short, which is for the race detector. CI runs all tests without it, too.
func sequential(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one call follows another here; run it without -short")
	}
}
