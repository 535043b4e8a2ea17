package message_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/carrier"
	"svc/server/servertest"
)

func TestSend(t *testing.T) {
	t.Run("LiveKeySendsAndIsDebited", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		a := s.Send(t)

		a.ExpectBody(t, 200, servertest.Sent)
		sent := s.Provider.Sent()
		if len(sent) != 1 || sent[0].Phone != servertest.Phone || sent[0].Template != "receipt" || sent[0].Text != servertest.Text {
			t.Errorf("the provider got %+v", sent)
		}
		s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
		entry := s.Ledger(t, s.Email)[1]
		if entry.Kind != db.Debit || entry.AmountCents != -servertest.SendPrice || entry.KeyID != s.LiveKey.ID ||
			entry.Endpoint != servertest.SendPath || entry.RequestID != a.Header.Get("X-Request-Id") {
			t.Errorf("ledger has %+v", entry)
		}
		s.ExpectStored(t, 1)
	})

	t.Run("PurchaseOrder", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		s.Post(t, `{"phone":"+12025550123","template":"purchase_order","text":"20 x beans"}`).ExpectBody(t, 200, servertest.Sent)
		if sent := s.Provider.Sent(); sent[0].Template != "purchase_order" {
			t.Errorf("the provider got %+v", sent)
		}
	})

	t.Run("TestKeySendsNothingAndIsFree", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 0)
		_, secret := s.TestKey(t)
		s.Send(t, servertest.WithKey(secret)).ExpectBody(t, 200, servertest.SentAsTest)
		s.ExpectSent(t, 0)
		s.ExpectStored(t, 0)
		s.ExpectWallet(t, 0, 0)
	})

	t.Run("OutboxKeepsTheText", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000, func(c *server.Config) { c.Carrier = carrier.NewOutbox() })
		s.Send(t).ExpectBody(t, 200, servertest.Sent)
		kept, err := s.App.Messages.List(context.Background(), s.LiveKey.AccountID, 10)
		if err != nil || len(kept) != 1 || kept[0].Text != servertest.Text || kept[0].ProviderID != kept[0].ID {
			t.Errorf("the outbox has %+v, %v", kept, err)
		}
	})

	t.Run("RemoteMessageIsStoredWithoutItsText", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		a := s.Send(t)
		kept, err := s.App.Messages.List(context.Background(), s.LiveKey.AccountID, 10)
		if err != nil || len(kept) != 1 || kept[0].Text != "" || kept[0].ProviderID != "provider-1" ||
			kept[0].Provider != "webhook" || kept[0].RequestID != a.Header.Get("X-Request-Id") {
			t.Errorf("stored %+v, %v", kept, err)
		}
	})
}

func TestLowBalance(t *testing.T) {
	t.Run("OnlyOnTheCallThatCrosses", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 102)
		s.Send(t).ExpectBody(t, 200, servertest.Sent) // 100 is not below the threshold of 100
		crossing := s.Send(t, servertest.WithIdempotencyKey("crossing"))
		crossing.ExpectBody(t, 200, `{"success":true,"low_balance_warning":true,"balance_cents":98}`+"\n")
		s.Send(t).ExpectBody(t, 200, servertest.Sent)
		s.Send(t, servertest.WithIdempotencyKey("crossing")).ExpectReplay(t, crossing)
	})

	t.Run("AgainAfterATopUp", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 101)
		s.Send(t).ExpectBody(t, 200, `{"success":true,"low_balance_warning":true,"balance_cents":99}`+"\n")
		s.Credit(t, 2)
		s.Send(t).ExpectBody(t, 200, `{"success":true,"low_balance_warning":true,"balance_cents":99}`+"\n")
	})

	t.Run("NeverIfTurnedOff", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 3)
		if err := s.App.Accounts.SetLowBalance(context.Background(), s.Email, 0); err != nil {
			t.Fatal(err)
		}
		s.Send(t).ExpectBody(t, 200, servertest.Sent)
	})

	t.Run("BalanceOfZeroIsShown", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 2)
		if err := s.App.Accounts.SetLowBalance(context.Background(), s.Email, 1); err != nil {
			t.Fatal(err)
		}
		s.Send(t).ExpectBody(t, 200, `{"success":true,"low_balance_warning":true,"balance_cents":0}`+"\n")
	})
}

func TestNoKey(t *testing.T) {
	s := servertest.NewShop(t, db.Growth, 1000)
	_, foreign := servertest.NewShop(t, db.Growth, 0).TestKey(t)
	wrongSum := s.Secret[:len(s.Secret)-1] + map[bool]string{true: "b", false: "a"}[s.Secret[len(s.Secret)-1] == 'a']
	for name, key := range map[string]string{
		"Missing":            "",
		"WrongChecksum":      wrongSum,
		"OfAnotherServer":    foreign,
		"AlmostAPrefix":      "svc_live",
		"LongerThanAny":      s.Secret + "0",
		"WithBearer":         "Bearer " + s.Secret,
		"OtherCase":          fmt.Sprintf("SVC%s", s.Secret[3:]),
		"OfAnotherPrefix":    "svc_test_" + s.Secret[len("svc_live_"):],
		"NotEvenLatinLetter": "ключ",
	} {
		t.Run(name, func(t *testing.T) {
			a := s.Send(t, servertest.WithKey(key))
			a.ExpectBody(t, 401, `{"error":"missing or invalid API key: send it in the x-api-key header"}`+"\n")
			a.Expect(t, 401, "invalid_key")
		})
	}
	t.Run("AuthorizationIsIgnored", func(t *testing.T) {
		a := s.Send(t, servertest.WithKey(""), servertest.WithHeader("Authorization", "Bearer "+s.Secret))
		a.Expect(t, 401, "invalid_key")
	})
	s.ExpectSent(t, 0)
}

func TestInsufficientFunds(t *testing.T) {
	s := servertest.NewShop(t, db.Growth, servertest.SendPrice-1, func(c *server.Config) { c.ConsoleURL = "https://console.example.com" })
	a := s.Send(t)
	a.Expect(t, 402, "insufficient_funds")
	a.ExpectBody(t, 402, `{"error":"the wallet cannot cover this call","required_cents":2,`+
		`"topup":"https://console.example.com/console/wallet"}`+"\n")
	s.ExpectSent(t, 0)
	s.ExpectStored(t, 0)
	s.ExpectWallet(t, servertest.SendPrice-1, 0)
}

func TestForbidden(t *testing.T) {
	t.Run("DisabledAccount", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		s.Send(t)
		dbtest.Update(t, s.Store, func(tx *db.Tx) error { return tx.DisableAccount(s.LiveKey.AccountID) })
		for range 2 { // first from the cache, then from the file
			a := s.Send(t)
			a.Expect(t, 403, "key_disabled")
			a.ExpectBody(t, 403, `{"error":"the account of this API key is disabled"}`+"\n")
		}
	})

	t.Run("DisabledKey", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		s.Send(t)
		s.SetKeyEnabled(t, false)
		for range 2 { // first from the cache, then from the file
			a := s.Send(t)
			a.Expect(t, 403, "key_disabled")
			a.ExpectBody(t, 403, `{"error":"this API key is disabled"}`+"\n")
			if a.Remaining() != 59 {
				t.Errorf("Remaining %d, want the key's own 59", a.Remaining())
			}
		}
		s.SetKeyEnabled(t, true)
		a := s.Send(t)
		a.ExpectBody(t, 200, servertest.Sent)
		if a.Remaining() != 58 {
			t.Errorf("Remaining %d, want 58: refused calls are not counted", a.Remaining())
		}
	})

	t.Run("GenericKey", func(t *testing.T) {
		for _, env := range []db.Env{db.Live, db.Test} {
			s := servertest.NewShop(t, db.Growth, 1000)
			_, secret := s.Key(t, s.Email, env, db.GenericMode)
			a := s.Send(t, servertest.WithKey(secret), servertest.WithIdempotencyKey("g"))
			a.Expect(t, 403, "mode_forbidden")
			a.ExpectBody(t, 403, `{"error":"a generic-mode key cannot do this; use a key in account mode"}`+"\n")
			s.ExpectSent(t, 0)
			s.ExpectWallet(t, 1000, 0)
		}
	})
}

func TestRateLimited(t *testing.T) {
	s := servertest.NewShop(t, db.Free, 1000)
	for range 5 {
		s.Send(t).ExpectBody(t, 200, servertest.Sent)
		s.Clock.Advance(time.Second)
	}
	a := s.Send(t)
	a.Expect(t, 429, "rate_limited")
	a.ExpectBody(t, 429, `{"error":"rate_limit_exceeded",`+
		`"message":"more than 5 calls in a minute; try again in 55 s","retry_after":55}`+"\n")
	if a.Header.Get("Retry-After") != "55" || a.Remaining() != 0 ||
		a.Header.Get("X-RateLimit-Reset") != fmt.Sprint(s.Clock.Now().Add(55*time.Second).Unix()) {
		t.Errorf("headers %v", a.Header)
	}
	s.ExpectSent(t, 5)
}

func TestQuotaExceeded(t *testing.T) {
	s := servertest.NewShop(t, db.Free, 1000)
	s.PlantCalls(t, 99)
	s.Send(t).ExpectBody(t, 200, servertest.Sent)

	a := s.Send(t)
	a.Expect(t, 429, "quota_exceeded")
	a.ExpectBody(t, 429, `{"error":"monthly quota exceeded: the free plan includes 100 calls a month",`+
		`"limit":100,"plan":"free","resets_at":"2026-04-01T00:00:00Z","used":100}`+"\n")
	untilApril := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC).Sub(s.Clock.Now())
	if got := a.Header.Get("Retry-After"); got != fmt.Sprintf("%.0f", untilApril.Seconds()) {
		t.Errorf("Retry-After %s, want the %v until April", got, untilApril)
	}
	if a.Remaining() != 4 {
		t.Errorf("Remaining %d, want 4: a refused call is not counted", a.Remaining())
	}
	s.ExpectSent(t, 1)
}

func TestPanic(t *testing.T) {
	panics := func(context.Context, carrier.Message) (string, error) { panic("boom") }

	// The provider may have sent the message before the panic.
	t.Run("OfAProviderIsAnUnknownOutcome", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		s.Provider.OnSend = panics
		a := s.Send(t, servertest.WithIdempotencyKey("k"))
		a.Expect(t, 502, "outcome_unknown")
		s.ExpectWallet(t, 1000, 0)
		s.Send(t, servertest.WithIdempotencyKey("k")).ExpectReplay(t, a)
		s.ExpectSent(t, 1)
	})

	t.Run("WithoutAnEffectIsAnInternalErrorAndFree", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		s.Provider.Local, s.Provider.OnSend = true, panics
		a := s.Send(t, servertest.WithIdempotencyKey("k"))
		a.Expect(t, 500, "internal")
		a.ExpectBody(t, 500, `{"error":"internal error"}`+"\n")
		s.ExpectWallet(t, 1000, 0)
		if used := s.Meter(t).MonthUsed; used != 0 {
			t.Errorf("the month counts %d calls after a 500", used)
		}
		s.Send(t, servertest.WithIdempotencyKey("k")).Expect(t, 500, "internal")
		s.ExpectSent(t, 2)
	})
}

func TestProviderFails(t *testing.T) {
	for _, row := range []struct {
		name string
		err  error
		code string
		body string
		kept bool // whether the answer is replayed
	}{
		{"Refused", servertest.Refusal("refused the message: no such number (HTTP 400)"), "provider_failed",
			`{"error":"message not confirmed: the provider refused the message: no such number (HTTP 400); nothing was charged"}`, false},
		{"InDoubt", servertest.Doubt("did not answer in time; the message may have been sent"), "outcome_unknown",
			`{"error":"message not confirmed: the provider did not answer in time; the message may have been sent; nothing was charged"}`, true},
		{"WithAnotherError", context.DeadlineExceeded, "outcome_unknown",
			`{"error":"it is not known whether this call had its effect; nothing was charged, and it will not be tried again under this Idempotency-Key"}`, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := servertest.NewShop(t, db.Growth, 1000)
			s.Provider.OnSend = func(context.Context, carrier.Message) (string, error) { return "", row.err }
			a := s.Send(t, servertest.WithIdempotencyKey("k"))
			a.Expect(t, 502, row.code)
			a.ExpectBody(t, 502, row.body+"\n")
			s.ExpectWallet(t, 1000, 0)
			s.ExpectStored(t, 0)
			if used := s.Meter(t).MonthUsed; used != 0 {
				t.Errorf("the month counts %d calls after a 502", used)
			}

			again := s.Send(t, servertest.WithIdempotencyKey("k"))
			if row.kept {
				again.ExpectReplay(t, a)
				again.Expect(t, 502, "outcome_unknown")
				s.ExpectSent(t, 1)
				return
			}
			again.ExpectBody(t, 502, row.body+"\n")
			s.ExpectSent(t, 2)
		})
	}

	t.Run("WithNoneConfigured", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000, func(c *server.Config) { c.Carrier = carrier.NewNone() })
		s.Send(t).ExpectBody(t, 502,
			`{"error":"message not confirmed: no messaging provider is configured; nothing was charged"}`+"\n")
		s.ExpectWallet(t, 1000, 0)
		_, secret := s.TestKey(t)
		s.Send(t, servertest.WithKey(secret)).ExpectBody(t, 200, servertest.SentAsTest)
	})
}

// Staff read the messages, and neither the label nor the id of a key (L11).
func TestStaffSeeNoKeys(t *testing.T) {
	s := servertest.NewShop(t, db.Growth, 1000)
	shop, err := s.App.Accounts.Find(t.Context(), s.Email)
	if err != nil {
		t.Fatal(err)
	}
	s.Staff(t, shop, "sam@example.com")
	dbtest.Update(t, s.Store, func(tx *db.Tx) error { return tx.SetPasswordHash(shop.ID, servertest.PasswordHash()) })
	s.Send(t)
	s.Provider.OnSend = func(context.Context, carrier.Message) (string, error) { panic("boom") }
	s.Send(t)
	s.Provider.OnSend = nil
	house := &servertest.House{Server: s.Server}
	sent, err := s.App.Messages.List(t.Context(), shop.ID, 1)
	if err != nil || len(sent) != 1 {
		t.Fatalf("sent %+v, %v", sent, err)
	}
	for _, label := range []string{"", "front till"} {
		dbtest.Update(t, s.Store, func(tx *db.Tx) error { return tx.LabelKey(shop.ID, s.LiveKey.ID, label) })
		name := cmp.Or(label, "An app") // never an id of a key
		for _, path := range []string{"/console/messages", "/console/messages?open=" + sent[0].ID} {
			owners, staffs := house.Enter(t, s.Email).Get(t, path), house.Enter(t, "sam@example.com").Get(t, path)
			owners.ExpectPage(t, 200, servertest.Phone[1:], name, "In doubt")
			staffs.ExpectPage(t, 200, servertest.Phone[1:], "In doubt")
			for _, word := range []string{label, s.LiveKey.ID} {
				if word != "" && strings.Contains(string(staffs.Body), word) {
					t.Errorf("%s shows %q to staff: %s", path, word, staffs.Body)
				}
			}
		}
	}
}
