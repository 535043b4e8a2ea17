package requestlog_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/requestlog"
	"svc/server/servertest"
)

// desk is a shop whose owner looks at the console.
type desk struct {
	*servertest.Shop
	b *servertest.Browser
}

func newDesk(t *testing.T, plan db.Plan, cents int64) *desk {
	t.Helper()
	servertest.Sequential(t)
	s := servertest.NewShop(t, plan, cents)
	s.Exec(t, `UPDATE accounts SET password_hash = '`+servertest.PasswordHash()+`'`)
	d := &desk{Shop: s, b: s.Browser(t)}
	d.b.SignIn(t, s.Email, servertest.Password).ExpectRedirect(t, "/console")
	return d
}

// stored waits until n calls of the shop are in the log, where they come shortly after
// their answers.
func (d *desk) stored(t *testing.T, n int) {
	t.Helper()
	servertest.Until(t, "log rows", func() bool { return len(d.Requests(t)) >= n })
}

func (d *desk) see(t *testing.T, path string, want ...string) servertest.Answer {
	t.Helper()
	a := d.b.Get(t, path)
	if a.Status != http.StatusOK {
		t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	for _, text := range want {
		if !a.Says(text) {
			t.Errorf("%s does not say %q", path, text)
		}
	}
	return a
}

// TestRequestsPage makes calls with every kind of end and opens each on the page.
func TestRequestsPage(t *testing.T) {
	d := newDesk(t, db.Free, 2)
	d.see(t, "/console/requests", "No calls yet", `hx-get="/console/requests"`)

	first := d.Send(t, servertest.WithHeader("Idempotency-Key", "a"), servertest.WithHeader("X-Request-Id", "till-7"))
	again := d.Send(t, servertest.WithHeader("Idempotency-Key", "a"))
	poor := d.Send(t)
	wrong := d.Post(t, `{"phone":"1"}`)
	d.Send(t)
	over := d.Send(t)
	d.stored(t, 6)

	id := func(a servertest.Answer) string { return a.Header.Get("X-Request-Id") }
	page := d.see(t, "/console/requests?open="+id(first), "$0.02", "till-7", "The first with its Idempotency-Key", "YOUR_KEY",
		d.URL+"/api/v1/messaging/send", "/console/wallet/ledger?before=3", "/console/keys?open="+d.LiveKey.ID)
	if page.Says(d.Secret) {
		t.Error("the page has the key")
	}
	today := d.Clock.Now().Format(time.DateOnly)
	for query, total := range map[string]string{
		"": ">6 calls</strong> of 30 days", "?status=4": " calls</strong> that the filter picks", "?status=402": ">2 calls</strong>",
		"?route=/api/v1/ask": "No call is like that", "?day=" + today: ">6 calls</strong>", "?key=" + d.LiveKey.ID: ">6 calls</strong>",
	} {
		d.see(t, "/console/requests"+query, total)
	}
	d.see(t, "/console/wallet/ledger?before=3", "Message by API", "/console/requests?open="+id(first))
	d.see(t, "/console/requests?open="+id(again), "A replay", "open="+id(first), "A replay is free.")
	d.see(t, "/console/requests?open="+id(poor), "The wallet could not cover this call", `href="/console/wallet"`, "Nothing.")
	d.see(t, "/console/requests?open="+id(wrong), "The answer named the field")
	d.see(t, "/console/requests?open="+id(over), "more than the 5 calls a minute of the plan free", "/console/usage#limits")

	for query, want := range map[string][]servertest.Answer{
		"status=402": {poor}, "status=4&key=" + d.LiveKey.ID: {poor, wrong, over}, "route=/api/v1/scan": {}, "id=till-7": {first},
		"id=" + id(wrong): {wrong}, "id=nothing": {}, "day=2020-01-01": {}, "day=" + d.Clock.Now().Format(time.DateOnly): {first, again, poor, wrong, over},
	} {
		page := d.see(t, "/console/requests?"+query)
		for _, a := range []servertest.Answer{first, again, poor, wrong, over} {
			wanted := strings.Contains(requestIDs(want), id(a))
			if shown := page.Says("open=" + id(a)); shown != wanted {
				t.Errorf("%s: call %s is shown: %v", query, id(a), shown)
			}
		}
	}
	for query, want := range map[string]string{"status=9": "from 100 to 599", "status=x": "from 100 to 599", "day=today": "like 2026-03-31"} {
		if a := d.b.Get(t, "/console/requests?"+query); a.Status != http.StatusBadRequest || !a.Says(want) {
			t.Errorf("%s: %d %s", query, a.Status, a.Body)
		}
	}
	_, other := d.Member(t, "other@example.com")
	for _, path := range []string{"/console/requests?open=" + id(first), "/console/requests?key=" + d.LiveKey.ID, "/console/usage?key=" + d.LiveKey.ID} {
		if a := other.Get(t, path); a.Status != http.StatusNotFound || a.Says("till-7") {
			t.Errorf("another account, %s: %d", path, a.Status)
		}
	}
	if a := other.Get(t, "/console/requests?id="+url.QueryEscape(id(first))); a.Says("messaging") && a.Says("$0.02") {
		t.Error("another account finds the call by its id")
	}
}

func requestIDs(all []servertest.Answer) (text string) {
	for _, a := range all {
		text += a.Header.Get("X-Request-Id") + " "
	}
	return text
}

// TestRequestsPages walks through many calls by their pages.
func TestRequestsPages(t *testing.T) {
	d := newDesk(t, db.Growth, 0)
	fillLog(t, d.Shop, 1000)
	d.Exec(t, `UPDATE requests SET account_id = '`+d.LiveKey.AccountID+`', key_id = '`+d.LiveKey.ID+`' WHERE account_id = 'acct_0'`)
	page := d.see(t, "/console/requests", "Live", "live=off", `rel="next"`)
	if n := strings.Count(string(page.Body), "<tr"); n != 51 {
		t.Errorf("%d rows", n)
	}
	d.see(t, "/console/requests?live=off", "Paused")
	seen := 0
	next := "/console/requests"
	for pages := 0; next != "" && pages < 10; pages++ {
		page := d.see(t, next)
		seen += strings.Count(string(page.Body), `<tr><th scope="row">`)
		_, rest, found := strings.Cut(string(page.Body), `>Newest</a><a class="button quiet" href="`)
		if pages == 0 {
			_, rest, found = strings.Cut(string(page.Body), `pager"><a class="button quiet" href="`)
		}
		next = ""
		if found {
			next, _, _ = strings.Cut(rest, `"`)
			next = strings.ReplaceAll(next, "&amp;", "&")
		}
	}
	if seen != 141 {
		t.Errorf("%d calls on all pages, want 141", seen)
	}
}

// TestUsagePage compares the figures of the page with the calls that were made.
func TestUsagePage(t *testing.T) {
	d := newDesk(t, db.Growth, 10)
	d.see(t, "/console/usage", "30 days", "0 of 60")
	for range 3 {
		d.Send(t)
	}
	d.Post(t, `{}`)
	d.Clock.Advance(24 * time.Hour)
	d.b.SignIn(t, d.Email, servertest.Password)
	test, secret := d.TestKey(t)
	d.Call(t, http.MethodGet, "/pulse", nil, servertest.WithKey(secret))
	d.stored(t, 5)
	d.see(t, "/console/usage", `<p class="figure">5</p>`, `<p class="figure">1</p>`, `<p class="figure">$0.06</p>`, "4 of 10,000", "messaging/send",
		"status=400", "your plan", "day="+d.Clock.Now().Format(time.DateOnly))
	d.see(t, "/console/usage?days=7&key="+test.ID, `<p class="figure">1</p>`, "Limits by endpoint", "59 of 60", "10 of 10")
	d.see(t, "/console", `<span class="num">4 of 10,000 calls this month</span>`)
	_, other := d.Member(t, "other@example.com")
	if a := other.Get(t, "/console/usage"); a.Status != http.StatusOK || !a.Says("Make a key") {
		t.Errorf("an account without keys: %d %s", a.Status, a.Body)
	}
}

// TestEndpointsAreAll compares the list with the routes that the server answers with a key.
func TestEndpointsAreAll(t *testing.T) {
	servertest.Sequential(t)
	s := servertest.NewShop(t, db.Growth, 1000)
	for _, e := range requestlog.Endpoints {
		path := e.Route
		var body any
		if e.Method == http.MethodGet {
			path += "?" + e.Example
		} else {
			body = e.Example
		}
		a := s.Call(t, e.Method, path, body, servertest.WithKey(s.Secret))
		if a.Status == http.StatusNotFound || a.Status == http.StatusMethodNotAllowed || a.Status == http.StatusBadRequest && e.Route != "/api/v1/scan" {
			t.Errorf("%s %s: %d %s", e.Method, e.Route, a.Status, a.Body)
		}
	}
}
