package charge_test

import (
	"strings"
	"testing"

	"svc/db"
	"svc/server/servertest"
)

const chargesPath = "/api/v1/charges"

// A live charge that is addressed to an account is on its pages until it is paid or has
// expired. Its id opens it there as its link does, and only for that account.
func TestChargeWaitsOnThePages(t *testing.T) {
	servertest.Sequential(t)
	s := newCashier(t)
	_, mia := s.PlantMember(t, "Mia@shop.example")
	_, other := s.PlantMember(t, "other@shop.example")
	ask := func(key, to, description string) string {
		a := s.Call(t, "POST", chargesPath, map[string]any{"merchant_email": to, "amount_cents": 123450, "description": description}, servertest.WithKey(key))
		a.Expect(t, 200, "")
		made, _ := a.Field(t, "charge").(map[string]any)
		id, _ := made["id"].(string)
		return id
	}
	first := ask(s.Live, "mia@shop.example", "Invoice <1>")
	quoted := ask(s.Live, `"MIA"@shop.example`, "Invoice 2")
	test := ask(s.Test, "mia@shop.example", "Only a test")

	for _, path := range []string{"/console", "/console/charges"} {
		page := mia.Get(t, path)
		page.ExpectPage(t, 200, "asks you to pay £1,234.50", "Invoice <1>", "Invoice 2", `href="/charges/`+first+`"`, `href="/charges/`+quoted+`"`)
		if page.Says(test) || page.Says("Only a test") {
			t.Errorf("%s lists a test", path)
		}
		if page := other.Get(t, path); page.Status != 200 || page.Says("Invoice") {
			t.Errorf("%s of somebody else: %d %s", path, page.Status, page.Body)
		}
	}

	mia.Get(t, "/charges/"+first).ExpectPage(t, 200, "Pay £1,234.50", `action="/charges/`+first+`/pay"`)
	mia.Get(t, "/charges/"+test).ExpectErrorPage(t, 404, "not_found")
	mia.Post(t, "/charges/"+test+"/approve", nil).ExpectErrorPage(t, 404, "not_found")
	for _, b := range []*servertest.Browser{other, s.Browser(t)} {
		for _, tail := range []string{"", "/return", "/status"} {
			b.Get(t, "/charges/"+first+tail).Expect(t, 404, "not_found")
		}
		b.Post(t, "/charges/"+first+"/pay", nil).ExpectErrorPage(t, 404, "not_found")
	}
	if n := len(s.Stripe.Sessions()); n != 0 {
		t.Fatalf("%d sessions at Stripe", n)
	}

	mia.Post(t, "/charges/"+first+"/pay", nil, servertest.WithHeader("Sec-Fetch-Site", ""), servertest.WithHeader("Origin", "null")).
		Expect(t, 403, "cross_origin")
	to := mia.Post(t, "/charges/"+first+"/pay", nil)
	if to.Status != 303 || !strings.HasPrefix(to.Header.Get("Location"), s.Stripe.URL) {
		t.Fatalf("%d to %s", to.Status, to.Header.Get("Location"))
	}
	session := s.Stripe.Sessions()[0]
	s.Stripe.Pay(session.ID)
	s.Event(t, s.Stripe, session.ID, "checkout.session.completed").Expect(t, 200, "")
	page := mia.Get(t, "/console/charges")
	page.ExpectPage(t, 200, "paid", "Invoice <1>", "Waiting for your answer")
	mia.Get(t, "/charges/"+first+"/return").ExpectPage(t, 200, "The payment is confirmed")

	mia.Post(t, "/charges/"+quoted+"/pay", nil).Expect(t, 303, "")
	for _, delayed := range s.Stripe.Sessions() {
		if delayed.ID != session.ID {
			s.Stripe.PayDelayed(delayed.ID)
			s.Event(t, s.Stripe, delayed.ID, "checkout.session.completed").Expect(t, 200, "")
		}
	}
	mia.Get(t, "/console").ExpectPage(t, 200, "asks you to pay £1,234.50; the payment is not confirmed yet")

	s.Clock.Advance(servertest.LinkLife)
	mia.SignIn(t, "mia@shop.example", servertest.Password).Expect(t, 303, "")
	page = mia.Get(t, "/console/charges")
	page.ExpectPage(t, 200, "expired", "paid")
	if page.Says("Waiting for your answer") || mia.Get(t, "/console").Says("asks you to pay") {
		t.Errorf("an expired charge waits: %s", page.Body)
	}
}

// The address of an account counts only once it is verified.
func TestChargeDoesNotWaitForAnUnverifiedAccount(t *testing.T) {
	servertest.Sequential(t)
	s := servertest.New(t)
	s.Account(t, "dev@example.com", "business", 0)
	_, key := s.Key(t, "dev@example.com", db.Live, db.AccountMode)
	s.PlantAccount(t, "mia@shop.example", false)
	mia := s.Browser(t)
	mia.SignIn(t, "mia@shop.example", servertest.Password).Expect(t, 303, "")
	a := s.Call(t, "POST", chargesPath, `{"merchant_email":"mia@shop.example","amount_cents":500,"description":"x"}`, servertest.WithKey(key))
	a.Expect(t, 200, "")
	mia.Get(t, "/console/charges").ExpectPage(t, 200, "No payment requests")
	mia.Get(t, "/charges/"+a.Field(t, "charge").(map[string]any)["id"].(string)).ExpectErrorPage(t, 404, "not_found")
}
