package server_test

import (
	"encoding/base64"
	"io/fs"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/embed"
	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// A developer sees what merchants have answered and what was paid, and finds the id for scans
// and the link of a charge; the merchant sees when the app last read. Nobody else does.
func TestBrowserConnectionsAndCharges(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t)
	_, merchant := s.Member(t, "shop@example.com")
	developer := s.Account(t, "other@example.com", "business", 0)
	_, foreign := s.Key(t, developer, db.Live, db.AccountMode)
	s.Person(t, "dev@example.com")
	if err := s.App.Accounts.SetPlan(t.Context(), "dev@example.com", "business"); err != nil {
		t.Fatal(err)
	}
	enter(b, s, "dev@example.com")
	b.Go(s.URL + "/console/connections")
	look(b, "connections-empty")
	_, key := s.Key(t, "dev@example.com", db.Live, db.AccountMode)
	if _, err := s.App.Accounts.Credit(t.Context(), "dev@example.com", 100, ""); err != nil {
		t.Fatal(err)
	}

	ask := func(key, email string) servertest.Answer {
		a := s.Call(t, http.MethodPost, "/api/v1/connections", map[string]any{"merchant_email": email}, servertest.WithKey(key))
		a.Expect(t, http.StatusOK, "")
		return a
	}
	ask(key, "max@example.com")
	link := ask(key, "shop@example.com").Field(t, "confirmation_url").(string)
	merchant.Post(t, link+"/approve", servertest.Ticked("read_inventory"))
	ask(foreign, "shop@example.com")
	foreignID := firstOf(connections(t, s, foreign))["id"].(string)
	approved := firstOf(connections(t, s, key))
	photo, err := fs.ReadFile(embed.Static(), "coffee.jpg")
	if err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(time.Hour)
	s.Call(t, http.MethodPost, "/api/v1/scan", map[string]any{
		"image": base64.StdEncoding.EncodeToString(photo), "merchant_id": approved["merchant_user_id"],
	}, servertest.WithKey(key)).Expect(t, http.StatusOK, "")
	read := s.Clock.Now().UTC().Format("2 Jan 2006, 15:04")

	b.Go(s.URL + "/console/connections")
	if text := b.Text(); !strings.Contains(text, "max@example.com") || !strings.Contains(text, read) || strings.Contains(text, "Revoke") {
		t.Errorf("the connections: %s", text)
	}
	b.Click(`.tight a[href*="` + approved["id"].(string) + `"]`)
	b.Until(`document.querySelector(".detail") !== null`)
	look(b, "connections-open")
	if text := b.Text(); !strings.Contains(text, approved["merchant_user_id"].(string)) {
		t.Errorf("the open connection: %s", text)
	}
	b.Go(s.URL + "/console/connections?email=MAX@example.com")
	if text := b.Text(); !strings.Contains(text, "Pending") || strings.Contains(text, read) {
		t.Errorf("the search: %s", text)
	}

	chargeLink(t, s, key)
	chargeLink(t, s, foreign)
	charge, foreignCharge := newestCharge(t, s, key)["id"].(string), newestCharge(t, s, foreign)["id"].(string)
	b.Go(s.URL + "/console/charges?open=" + charge)
	look(b, "charges-made")
	if text := b.Text(); !strings.Contains(text, "£12.50") || !strings.Contains(text, s.URL+"/charges/"+charge) {
		t.Errorf("the charges: %s", text)
	}
	b.Click(`nav.groups a[href="/console/charges?status=approved"]`)
	b.Until(`document.body.textContent.includes("No charge is like that")`)
	b.Click(`nav.groups a[href="/console/charges?status=pending"]`)
	b.Until(`document.querySelectorAll("tbody tr").length === 1 && document.querySelector("nav.groups [aria-current]").textContent === "Pending"`)
	look(b, "charges-pending")
	for _, path := range []string{"/console/connections?open=" + foreignID, "/console/charges?open=" + foreignCharge} {
		b.Go(s.URL + path)
		b.UntilTitle("Not found")
	}
	if page := merchant.Get(t, "/console/granted"); !page.Says("Last read") || !page.Says(s.Clock.Now().UTC().Format("2006-01-02T15:04")) {
		t.Errorf("granted: %s", page.Body)
	}
	shop := viewstest.Open(t)
	enter(shop, s, "shop@example.com")
	shop.Go(s.URL + "/console/granted?open=" + approved["id"].(string))
	look(shop, "granted-open")
	shop.Click("details.confirm summary")
	shop.Press("Revoke the access")
	shop.Until(`location.search === "?done=revoked"`)
	look(shop, "granted-revoked")
	if c := connections(t, s, key)[0].(map[string]any); c["status"] != "revoked" && connections(t, s, key)[1].(map[string]any)["status"] != "revoked" {
		t.Errorf("after the revocation: %v", c)
	}
	for _, path := range []string{"/console/connections?open=" + approved["id"].(string), "/console/charges?open=" + charge} {
		merchant.Get(t, path).Expect(t, http.StatusNotFound, "not_found")
	}
	s.Clock.Advance(8 * 24 * time.Hour)
	enter(b, s, "dev@example.com")
	b.Go(s.URL + "/console/charges?status=pending")
	if text := b.Text(); !strings.Contains(text, "No charge is like that") {
		t.Errorf("pending after its end: %s", text)
	}
	b.Go(s.URL + "/console/charges?status=expired")
	b.Until(`document.querySelectorAll("tbody tr").length === 1`)
	if problems := b.Problems(); len(problems) > 2 { // the two that are not found
		t.Errorf("the browser logged: %q", problems)
	}
}
