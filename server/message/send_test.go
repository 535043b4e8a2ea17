package message_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/carrier"
	"svc/server/servertest"
)

// shop adds to the shop of servertest what only these tests need.
type shop struct{ *servertest.Shop }

func newShop(t *testing.T, plan db.Plan, cents int64, change ...func(*server.Config)) *shop {
	t.Helper()
	return &shop{servertest.NewShop(t, plan, cents, change...)}
}

// One test for each outcome that a send may have (seed 4.3, 7).

func TestSend(t *testing.T) {
	t.Run("LiveKeySendsAndIsDebited", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
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
		s := newShop(t, db.Growth, 1000)
		s.Post(t, `{"phone":"+12025550123","template":"purchase_order","text":"20 x beans"}`).ExpectBody(t, 200, servertest.Sent)
		if sent := s.Provider.Sent(); sent[0].Template != "purchase_order" {
			t.Errorf("the provider got %+v", sent)
		}
	})

	t.Run("TestKeySendsNothingAndIsFree", func(t *testing.T) {
		s := newShop(t, db.Growth, 0)
		_, secret := s.TestKey(t)
		s.Send(t, servertest.WithKey(secret)).ExpectBody(t, 200, servertest.SentAsTest)
		s.ExpectSent(t, 0)
		s.ExpectStored(t, 0)
		s.ExpectWallet(t, 0, 0)
	})

	t.Run("OutboxKeepsTheText", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000, func(c *server.Config) { c.Carrier = carrier.NewOutbox() })
		s.Send(t).ExpectBody(t, 200, servertest.Sent)
		kept, err := s.App.Messages.List(context.Background(), s.LiveKey.AccountID, 10)
		if err != nil || len(kept) != 1 || kept[0].Text != servertest.Text || kept[0].ProviderID != kept[0].ID {
			t.Errorf("the outbox has %+v, %v", kept, err)
		}
	})

	t.Run("RemoteMessageIsStoredWithoutItsText", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
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
		s := newShop(t, db.Growth, 102)
		s.Send(t).ExpectBody(t, 200, servertest.Sent) // 100 is not below the threshold of 100
		crossing := s.Send(t, servertest.WithIdempotencyKey("crossing"))
		crossing.ExpectBody(t, 200, `{"success":true,"low_balance_warning":true,"balance_cents":98}`+"\n")
		s.Send(t).ExpectBody(t, 200, servertest.Sent)
		s.Send(t, servertest.WithIdempotencyKey("crossing")).ExpectReplay(t, crossing)
	})

	t.Run("AgainAfterATopUp", func(t *testing.T) {
		s := newShop(t, db.Growth, 101)
		s.Send(t).ExpectBody(t, 200, `{"success":true,"low_balance_warning":true,"balance_cents":99}`+"\n")
		s.Credit(t, 2)
		s.Send(t).ExpectBody(t, 200, `{"success":true,"low_balance_warning":true,"balance_cents":99}`+"\n")
	})

	t.Run("NeverWhenSwitchedOff", func(t *testing.T) {
		s := newShop(t, db.Growth, 3)
		if err := s.App.Accounts.SetLowBalance(context.Background(), s.Email, 0); err != nil {
			t.Fatal(err)
		}
		s.Send(t).ExpectBody(t, 200, servertest.Sent)
	})

	t.Run("BalanceOfZeroIsShown", func(t *testing.T) {
		s := newShop(t, db.Growth, 2)
		if err := s.App.Accounts.SetLowBalance(context.Background(), s.Email, 1); err != nil {
			t.Fatal(err)
		}
		s.Send(t).ExpectBody(t, 200, `{"success":true,"low_balance_warning":true,"balance_cents":0}`+"\n")
	})
}

func TestNoKey(t *testing.T) {
	s := newShop(t, db.Growth, 1000)
	_, foreign := newShop(t, db.Growth, 0).TestKey(t)
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
	t.Run("AuthorizationIsNotRead", func(t *testing.T) {
		a := s.Send(t, servertest.WithKey(""), servertest.WithHeader("Authorization", "Bearer "+s.Secret))
		a.Expect(t, 401, "invalid_key")
	})
	s.ExpectSent(t, 0)
}

func TestInsufficientFunds(t *testing.T) {
	s := newShop(t, db.Growth, servertest.SendPrice-1, func(c *server.Config) { c.ConsoleURL = "https://console.example.com" })
	a := s.Send(t)
	a.Expect(t, 402, "insufficient_funds")
	a.ExpectBody(t, 402, `{"error":"the wallet cannot cover this call","required_cents":2,`+
		`"topup":"https://console.example.com/console/wallet"}`+"\n")
	s.ExpectSent(t, 0)
	s.ExpectStored(t, 0)
	s.ExpectWallet(t, servertest.SendPrice-1, 0)
}

func TestForbidden(t *testing.T) {
	t.Run("DisabledKey", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.Send(t)
		s.SetKeyEnabled(t, false)
		for range 2 { // what the cache knows and what the file says must agree
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
			s := newShop(t, db.Growth, 1000)
			_, secret := s.Key(t, s.Email, env, db.GenericMode)
			a := s.Send(t, servertest.WithKey(secret), servertest.WithIdempotencyKey("g"))
			a.Expect(t, 403, "mode_forbidden")
			a.ExpectBody(t, 403, `{"error":"a generic-mode key cannot do this; use a key in account mode"}`+"\n")
			s.ExpectSent(t, 0)
			s.ExpectWallet(t, 1000, 0)
		}
	})
}

func TestNotFound(t *testing.T) {
	s := newShop(t, db.Growth, 1000)
	for _, path := range []string{
		"/api/", "/api/v1/", "/api/v1/nothing", "/api/v1/messaging/send/", "/api/v1/messaging", "/api/v1/Messaging/send",
		"/api/v1/Scan", "/api/v1/pricing/", "/api/v2/pricing", "/api//v1/pricing", "//api/v1/pricing",
	} {
		t.Run(path, func(t *testing.T) {
			a := s.Call(t, "GET", path, nil)
			a.Expect(t, 404, "not_found")
			a.ExpectBody(t, 404, `{"error":"no such endpoint"}`+"\n")
		})
	}
	for _, path := range []string{"/pulse", "/alerts", "/brief", "/ask", "/data/push", "/tools/fx-risk", "/tools/landed-cost"} {
		a := s.Call(t, "GET", path, nil)
		a.ExpectBody(t, 404, `{"error":"no such endpoint"}`+"\n")
	}
	if a := s.Call(t, "GET", "/somewhere", nil); a.Status != 404 || a.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("a page that is not there: %d %v", a.Status, a.Header)
	}
}

func TestMethodNotAllowed(t *testing.T) {
	s := newShop(t, db.Growth, 1000)
	for _, call := range []struct{ method, path, allow string }{
		{"GET", servertest.SendPath, "POST"},
		{"HEAD", servertest.SendPath, "POST"},
		{"OPTIONS", servertest.SendPath, "POST"},
		{"DELETE", servertest.SendPath, "POST"},
		{"PROPFIND", servertest.SendPath, "POST"},
		{"POST", "/api/v1/pricing", "GET, HEAD"},
		{"OPTIONS", "/api/v1/pricing", "GET, HEAD"},
	} {
		t.Run(call.method+call.path, func(t *testing.T) {
			a := s.Call(t, call.method, call.path, nil)
			if a.Header.Get("Allow") != call.allow {
				t.Errorf("Allow: %s, want %s", a.Header.Get("Allow"), call.allow)
			}
			a.Expect(t, 405, "method_not_allowed")
		})
	}
}

func TestRateLimited(t *testing.T) {
	s := newShop(t, db.Free, 1000)
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
	s := newShop(t, db.Free, 1000)
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

	// Where the effect may have happened, nobody knows that it did not.
	t.Run("OfAProviderIsAnUnknownOutcome", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.Provider.OnSend = panics
		a := s.Send(t, servertest.WithIdempotencyKey("k"))
		a.Expect(t, 502, "outcome_unknown")
		s.ExpectWallet(t, 1000, 0)
		s.Send(t, servertest.WithIdempotencyKey("k")).ExpectReplay(t, a)
		s.ExpectSent(t, 1)
	})

	t.Run("WithoutAnEffectIsAnInternalErrorAndFree", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
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
		kept bool // its Idempotency-Key is not free again
	}{
		{"RefusedForCertain", servertest.Refusal("refused the message: no such number (HTTP 400)"), "provider_failed",
			`{"error":"message not confirmed: the provider refused the message: no such number (HTTP 400); nothing was charged"}`, false},
		{"InDoubt", servertest.Doubt("did not answer in time; the message may have been sent"), "outcome_unknown",
			`{"error":"message not confirmed: the provider did not answer in time; the message may have been sent; nothing was charged"}`, true},
		{"InAWayThatSaysNothing", context.DeadlineExceeded, "outcome_unknown",
			`{"error":"it is not known whether this call had its effect; nothing was charged, and it will not be tried again under this Idempotency-Key"}`, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newShop(t, db.Growth, 1000)
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
		s := newShop(t, db.Growth, 1000, func(c *server.Config) { c.Carrier = carrier.NewNone() })
		s.Send(t).ExpectBody(t, 502,
			`{"error":"message not confirmed: no messaging provider is configured; nothing was charged"}`+"\n")
		s.ExpectWallet(t, 1000, 0)
		_, secret := s.TestKey(t)
		s.Send(t, servertest.WithKey(secret)).ExpectBody(t, 200, servertest.SentAsTest)
	})
}

// Until the first account exists all but a few addresses are closed (L2).
func TestBeforeTheFirstAccount(t *testing.T) {
	s := servertest.New(t)
	const body = `{"error":"this server has no account yet; open the setup link that svc serve printed, or use svc accounts create --email you@example.com"}` + "\n"
	for _, call := range []struct{ method, path string }{
		{"POST", servertest.SendPath},
		{"GET", servertest.SendPath},
		{"GET", "/api/v1/nothing"},
		{"GET", "/nowhere"},
		{"POST", "/api/v1/pricing"},
	} {
		a := s.Call(t, call.method, call.path, nil)
		a.Expect(t, 503, "setup_required")
		a.ExpectBody(t, 503, body)
	}
	for _, path := range []string{"/", "/signin", "/console"} {
		a := s.Call(t, "GET", path, nil)
		a.Expect(t, 503, "setup_required")
		if !strings.Contains(string(a.Body), "open the setup link") {
			t.Errorf("%s: %s", path, a.Body)
		}
	}
	for _, path := range []string{"/api/v1/pricing", "/healthz", "/readyz"} {
		if a := s.Call(t, "GET", path, nil); a.Status != 200 {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}

	s.Account(t, "first@example.com", "free", 0)
	s.Call(t, "POST", servertest.SendPath, nil).Expect(t, 401, "invalid_key")
}

func TestPricing(t *testing.T) {
	const document = `{"endpoints":[{"path":"/api/v1/scan","price_cents":3},{"path":"/api/v1/messaging/send","price_cents":2}],` +
		`"plans":{"business":{"month":-1,"minute":120},"free":{"month":100,"minute":5},"growth":{"month":10000,"minute":60}},` +
		`"currency":"usd_cents","note":"Only successful calls are billed; a 4xx, 429, 5xx or replayed call costs nothing."}` + "\n"

	t.Run("IsPublic", func(t *testing.T) {
		s := servertest.New(t)
		s.Call(t, "GET", "/api/v1/pricing", nil).ExpectBody(t, 200, document)
		if a := s.Call(t, "HEAD", "/api/v1/pricing", nil); a.Status != 200 || len(a.Body) != 0 {
			t.Errorf("HEAD: %d %q", a.Status, a.Body)
		}
	})

	t.Run("IgnoresAKeyAndCountsNothing", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		s.Send(t)
		s.SetKeyEnabled(t, false)
		for _, key := range []string{s.Secret, "nonsense"} {
			for range 7 {
				a := s.Call(t, "GET", "/api/v1/pricing", nil, servertest.WithKey(key))
				a.ExpectBody(t, 200, document)
				if a.Header.Get("X-RateLimit-Limit") != "60" || a.Remaining() != 60 {
					t.Fatalf("not the standing of the address: %v", a.Header)
				}
			}
		}
		if m := s.Meter(t); m.WindowUsed != 1 || m.MonthUsed != 1 {
			t.Errorf("pricing was counted: %+v", m)
		}
	})
}

func TestRequestIDs(t *testing.T) {
	s := newShop(t, db.Growth, 1000)
	a := s.Send(t, servertest.WithHeader("X-Request-Id", "their own"))
	b := s.Send(t)
	if a.Header.Get("X-Client-Request-Id") != "their own" || b.Header.Get("X-Client-Request-Id") != "" {
		t.Errorf("echoed %q and %q", a.Header.Get("X-Client-Request-Id"), b.Header.Get("X-Client-Request-Id"))
	}
	if a.Header.Get("X-Request-Id") == b.Header.Get("X-Request-Id") {
		t.Error("two calls have one request id")
	}

	var rows []db.Request
	dbtest.View(t, s.Store, func(tx *db.Tx) (err error) {
		rows, err = tx.Requests(s.LiveKey.AccountID, 10)
		return err
	})
	if len(rows) != 2 || rows[1].ID != a.Header.Get("X-Request-Id") || rows[1].ClientRequestID != "their own" ||
		rows[1].ChargeCents != servertest.SendPrice || rows[1].Status != 200 || rows[1].KeyID != s.LiveKey.ID ||
		rows[1].Method != http.MethodPost || rows[1].Route != servertest.SendPath {
		t.Errorf("the log has %+v", rows)
	}
}
