package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// A developer watches calls come in, opens those that were refused, follows them to the
// wallet and the limits, and from the ledger back to the call that was charged.
func TestBrowserRequests(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.NewShop(t, db.Free, 6)
	s.Exec(t, `UPDATE accounts SET password_hash = '`+servertest.PasswordHash()+`'`)
	enter(b, s.Server, s.Email)

	b.Go(s.URL + "/console/requests")
	look(b, "console-requests-empty")
	sent := s.Send(t, servertest.WithHeader("Idempotency-Key", "one"), servertest.WithHeader("X-Request-Id", "till-7-0001"))
	b.Until(`document.querySelectorAll("#log tr").length === 1`) // by itself
	s.Send(t, servertest.WithHeader("Idempotency-Key", "one"))
	s.Send(t)
	s.Send(t)
	s.Send(t)
	s.Send(t)
	b.Until(`document.querySelectorAll("#log tr").length === 6`)
	look(b, "console-requests")

	b.Click(`#log tr:first-child th a`)
	b.Until(`document.querySelector("aside.detail") !== null`)
	if text := b.Text(); !strings.Contains(text, "more than the 5 calls a minute") {
		t.Errorf("the call over the limit: %s", text)
	}
	b.Click(`aside.detail a.main`)
	b.UntilTitle("Usage and limits")
	if text := b.Text(); !strings.Contains(text, "This minute") {
		t.Errorf("the limits: %s", text)
	}
	look(b, "console-usage")

	b.Go(s.URL + "/console/requests?status=402")
	b.Click(`#log tr:first-child th a`)
	b.Until(`document.querySelector("aside.detail") !== null`)
	look(b, "console-requests-open")
	if curl := viewstest.Evaluate[string](b, `document.getElementById("open-curl").textContent`); !strings.Contains(curl, "YOUR_KEY") || strings.Contains(curl, s.Secret) {
		t.Errorf("curl: %s", curl)
	}
	b.Click(`aside.detail a.main`)
	b.UntilTitle("Wallet")
	look(b, "wallet")

	b.Click(`a[href="/console/requests?open=` + sent.Header.Get("X-Request-Id") + `"]`)
	b.UntilTitle("Requests")
	if text := b.Text(); !strings.Contains(text, "till-7-0001") || !strings.Contains(text, "$0.02") {
		t.Errorf("the call of a debit: %s", text)
	}
	if whole := viewstest.Evaluate[string](b, `[...document.querySelectorAll("aside [data-copy-text]:not([hidden])")].map((e) => e.dataset.copyText).join()`); whole != sent.Header.Get("X-Request-Id") {
		t.Errorf("the id to copy: %s", whole)
	}
	b.Click(`a[href^="/console/wallet/ledger?before="]`)
	b.UntilTitle("Ledger")
	if first := viewstest.Evaluate[string](b, `document.querySelector("tbody tr").innerHTML`); !strings.Contains(first, sent.Header.Get("X-Request-Id")) {
		t.Errorf("the debit of a call: %s", first)
	}

	b.Go(s.URL + "/console/requests?live=off&id=till-7-0001")
	if rows := viewstest.Evaluate[int](b, `document.querySelectorAll("#log tr").length`); rows != 1 {
		t.Errorf("%d calls have the caller's id", rows)
	}
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}

	_, other := s.Member(t, "other@example.com")
	for _, path := range []string{"/console/requests?open=" + sent.Header.Get("X-Request-Id"), "/console/usage?key=" + url.QueryEscape(s.LiveKey.ID)} {
		if a := other.Get(t, path); a.Status != http.StatusNotFound {
			t.Errorf("another account, %s: %d", path, a.Status)
		}
	}
}

// A developer with many calls reads what they come to, and narrows it to a key.
func TestBrowserUsage(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.NewShop(t, db.Growth, 500)
	plantUsage(t, s)
	s.Exec(t, `UPDATE accounts SET password_hash = '`+servertest.PasswordHash()+`'`)
	enter(b, s.Server, s.Email)

	s.Send(t)
	b.Go(s.URL + "/console/usage")
	look(b, "console-usage-busy")
	if high := viewstest.Evaluate[float64](b, `document.querySelector("main").getBoundingClientRect().height`); high > 1000 {
		t.Errorf("the page is %.0f pixels high before anything is unfolded", high)
	}
	if first := viewstest.Evaluate[bool](b, `document.querySelector(".meters").getBoundingClientRect().top < document.querySelector(".chart").getBoundingClientRect().top`); !first || !strings.Contains(b.Text(), "1 of 10,000 calls") {
		t.Errorf("the quota does not stand above the charts: %s", b.Text())
	}
	if text := b.Text(); strings.Count(text, "of 10,000") != 1 {
		t.Errorf("the quota of the key that is used is not said once, and of the other not: %s", text)
	}
	b.Click("#sides > summary")
	b.Click(".chart details summary")
	b.Until(`document.querySelector(".chart details").open`)
	if text := b.Text(); !strings.Contains(text, "Calls by answer") || !strings.Contains(text, "$0.5") {
		t.Errorf("unfolded: %s", text)
	}
	b.Go(s.URL + "/console/usage?days=7&key=" + s.LiveKey.ID)
	look(b, "console-usage-key")
	if text := b.Text(); !strings.Contains(text, "Limits by endpoint of") || !strings.Contains(text, "Free again at") {
		t.Errorf("the key's limits by endpoint: %s", text)
	}
	b.Go(s.URL + "/console/requests?live=off")
	look(b, "console-requests-busy")
	b.Width(390) // a row has two lines
	if high := viewstest.Evaluate[float64](b, `Math.max(...[...document.querySelectorAll("#log tr")].map((e) => e.getBoundingClientRect().height))`); high > 64 {
		t.Errorf("a row on a phone is %.0f pixels high", high)
	}
	b.Width(1280)
	b.Click(`a[rel=next]`)
	b.Until(`location.search.includes("before=")`)
	if text := b.Text(); !strings.Contains(text, "Newest") {
		t.Errorf("older calls: %s", text)
	}
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

// plantUsage stores calls of 30 days of the shop's keys.
func plantUsage(t *testing.T, s *servertest.Shop) {
	t.Helper()
	test, _ := s.TestKey(t)
	err := s.Store.Update(t.Context(), func(tx *db.Tx) error {
		for i := range 1500 {
			at := tx.Now().Add(-time.Duration(1500-i) * 28 * time.Minute)
			r := db.Request{
				ID: db.NewID("req_", at), AccountID: s.LiveKey.AccountID, KeyID: s.LiveKey.ID, Method: "POST", Route: "/api/v1/messaging/send",
				Status: 200, ChargeCents: 2, Duration: time.Duration(i%40+3) * time.Millisecond, At: at,
			}
			switch {
			case i%3 == 0:
				r.KeyID, r.Method, r.Route, r.ChargeCents = test.ID, "GET", "/pulse", 0
			case i%17 == 0:
				r.Status, r.ChargeCents, r.ErrorCode = 402, 0, "insufficient_funds"
			case i%23 == 0:
				r.Status, r.ChargeCents, r.ErrorCode = 502, 0, "provider_failed"
			case i%5 == 0:
				r.Route, r.ChargeCents = "/api/v1/ask", 0
			}
			if err := tx.LogRequest(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
