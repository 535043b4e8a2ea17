package server_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
	"svc/server/stripe/stripetest"
	"svc/server/views/viewstest"
)

// These tests use a real browser. With SVC_SCREENSHOTS set to a folder, they write
// screenshots to it.

// look audits a page at two widths, light and dark. axe-core sees each width and each scheme
// once, since a run of it takes as long as the rest of an audit.
func look(b *viewstest.Tab, name string) {
	b.UntilLoaded()
	for _, scheme := range []string{"dark", "light"} {
		b.Scheme(scheme)
		for _, width := range []int64{390, 1280} {
			b.Width(width)
			b.Audit(name)
			if (scheme == "light") == (width == 1280) {
				b.Axe(name)
			}
			if folder := os.Getenv("SVC_SCREENSHOTS"); folder != "" {
				b.Screenshot(filepath.Join(folder, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)))
			}
		}
	}
}

// enter signs the browser in and waits for the overview.
func enter(b *viewstest.Tab, s *servertest.Server, email string) {
	b.Go(s.URL + "/signin?next=/console")
	b.Type("input[name=email]", email)
	b.Type("input[name=password]", servertest.Password)
	b.Press("Sign in")
	b.UntilTitle("Overview")
}

// connections lists the connections of a key.
func connections(t *testing.T, s *servertest.Server, key string) []any {
	t.Helper()
	a := s.Call(t, http.MethodGet, "/api/v1/connections", nil, servertest.WithKey(key))
	return a.Field(t, "connections").([]any)
}

// firstOf returns the first of a list, which is the newest.
func firstOf(all []any) map[string]any { return all[0].(map[string]any) }

// A merchant without an account follows the link, makes an account, approves with fewer
// scopes, and later revokes; the developer sees each step.
func TestBrowserConsent(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t)
	developer := s.Account(t, "dev@example.com", "business", 0)
	_, key := s.Key(t, developer, db.Live, db.AccountMode)
	const merchant = "Shop@Example.com"
	body := map[string]any{"merchant_email": merchant, "scopes": []string{"read_inventory"}}
	post := func() servertest.Answer {
		return s.Call(t, http.MethodPost, "/api/v1/connections", body, servertest.WithKey(key))
	}
	link := post().Field(t, "confirmation_url").(string)

	b.Go(link)
	look(b, "consent-signed-out")
	if text := b.Text(); strings.Contains(text, merchant) || !strings.Contains(text, "@Example.com") {
		t.Errorf("the address is not masked: %s", text)
	}
	b.Press("Ask for a code")
	b.Until(`document.querySelector("input[name=code]") !== null`)
	look(b, "consent-code")
	b.Type("input[name=code]", s.Code(t, merchant))
	b.Type("input[name=name]", "The Corner Shop")
	b.Type("input[autocomplete=new-password]", servertest.Password)
	b.Press("Make the account")
	b.Until(`document.querySelector("form[action$='/approve']") !== null`)
	look(b, "consent-decide")
	if text := b.Text(); !strings.Contains(text, merchant) || !strings.Contains(text, "The Corner Shop") {
		t.Errorf("the page does not show the merchant: %s", text)
	}

	b.Click("input[name=scope]") // untick it
	b.Press("Approve")
	b.Until(`document.querySelector("form[action$='/revoke']") !== null`)
	look(b, "consent-manage")
	approved := firstOf(connections(t, s, key))
	if approved["status"] != "approved" || len(approved["scopes"].([]any)) != 0 || approved["merchant_user_id"] == nil || approved["approved_at"] == nil {
		t.Errorf("after approval: %v", approved)
	}
	if a := post(); a.Status != http.StatusConflict {
		t.Errorf("a second request: %d %s", a.Status, a.Body)
	}

	b.Press("Revoke access")
	b.UntilTitle("This access was revoked")
	look(b, "consent-revoked")
	revoked := firstOf(connections(t, s, key))
	if revoked["status"] != "revoked" || revoked["revoked_at"] == nil || revoked["merchant_user_id"] != approved["merchant_user_id"] {
		t.Errorf("after revocation: %v", revoked)
	}

	again := post().Field(t, "confirmation_url").(string)
	b.Go(again)
	b.Press("Approve") // still signed in, now with all scopes
	b.Until(`document.querySelector("form[action$='/revoke']") !== null`)
	if c := firstOf(connections(t, s, key)); c["status"] != "approved" || len(c["scopes"].([]any)) != 1 {
		t.Errorf("after the full approval: %v", c)
	}
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

// A merchant who has an account finds a request on the console, opens it there on a phone
// and approves it without scrolling.
func TestBrowserRequestOnTheConsole(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t)
	developer := s.Account(t, "dev@example.com", "business", 0)
	_, key := s.Key(t, developer, db.Live, db.AccountMode)
	s.Person(t, "shop@example.com")
	chargeLink(t, s, key)
	s.Call(t, http.MethodPost, "/api/v1/connections", `{"merchant_email":"shop@example.com"}`, servertest.WithKey(key)).Expect(t, 200, "")

	enter(b, s, "shop@example.com")
	look(b, "console-waiting")
	for _, page := range []string{"charges", "granted", "settings", "wallet", "wallet/ledger"} {
		b.Go(s.URL + "/console/" + page)
		look(b, "console-"+strings.ReplaceAll(page, "/", "-"))
	}

	b.Go(s.URL + "/console/granted")
	b.Width(390)
	b.Click(`a[href^="/connect/conn_"]`)
	b.UntilTitle("A request for access")
	b.Press("Approve")
	b.UntilTitle("Access that you have given")
	if c := firstOf(connections(t, s, key)); c["status"] != "approved" || len(c["scopes"].([]any)) != 1 {
		t.Errorf("after the approval: %v", c)
	}
	b.Go(s.URL + "/console")
	b.UntilTitle("Overview")
	if text := b.Text(); strings.Contains(text, "asks for access") || !strings.Contains(text, "asks you to pay £12.50") {
		t.Errorf("what waits after the approval: %s", text)
	}
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

// A payer opens a test key's charge and simulates both outcomes.
func TestBrowserTestCharge(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t)
	_, key := s.Key(t, s.Account(t, "dev@example.com", "business", 0), db.Test, db.AccountMode)
	for _, row := range []struct{ press, status string }{{"Simulate approve", "approved"}, {"Simulate decline", "declined"}} {
		b.Go(chargeLink(t, s, key))
		if row.status == "approved" {
			look(b, "charge-test")
		}
		b.Press(row.press)
		b.Until(`!document.querySelector("main form")`)
		look(b, "charge-"+row.status)
		if status := newestCharge(t, s, key)["status"]; status != row.status {
			t.Errorf("%s: the charge is %s", row.press, status)
		}
	}
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

// chargeLink creates a charge and returns its confirmation_url.
func chargeLink(t *testing.T, s *servertest.Server, key string) string {
	t.Helper()
	a := s.Call(t, http.MethodPost, "/api/v1/charges", map[string]any{
		"merchant_email": "shop@example.com", "amount_cents": 1250, "description": "Two bags of coffee",
	}, servertest.WithKey(key))
	return a.Field(t, "confirmation_url").(string)
}

func newestCharge(t *testing.T, s *servertest.Server, key string) map[string]any {
	t.Helper()
	a := s.Call(t, http.MethodGet, "/api/v1/charges", nil, servertest.WithKey(key))
	return firstOf(a.Field(t, "charges").([]any))
}

// A live charge is paid on Stripe's page. The return page waits for Stripe's event and
// approves nothing by itself.
func TestBrowserLiveCharge(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	clock := dbtest.NewClock()
	stripe := stripetest.New(t, clock.Now)
	s := servertest.Open(t, filepath.Join(t.TempDir(), "svc.db"), clock, servertest.WithStripe(stripe))
	_, key := s.Key(t, s.Account(t, "dev@example.com", "business", 0), db.Live, db.AccountMode)

	b.Go(chargeLink(t, s, key))
	look(b, "charge-live")
	b.Click(`form[action$="/pay"] button`)
	b.Until(`location.href.startsWith("` + stripe.URL + `")`)
	b.Press("Pay")
	b.Until(`location.pathname.endsWith("/return")`)
	look(b, "charge-processing")
	if status := newestCharge(t, s, key)["status"]; status != "pending" {
		t.Errorf("the return page alone made the charge %s", status)
	}

	if a := s.Event(t, stripe, stripe.Sessions()[0].ID, "checkout.session.completed"); a.Status != http.StatusOK {
		t.Fatalf("event: %d %s", a.Status, a.Body)
	}
	b.Until(`document.body.innerText.includes("The payment is confirmed")`) // without a reload by the payer
	look(b, "charge-live-approved")
	if c := newestCharge(t, s, key); c["status"] != "approved" || c["approved_at"] == nil {
		t.Errorf("after the event: %v", c)
	}
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}
