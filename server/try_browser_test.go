package server_test

import (
	"net/http"
	"strings"
	"testing"

	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// A developer goes from the reference to the page that calls, makes a key for it, changes the
// body and sees the answer. The secret is not shown again.
func TestBrowserTry(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t)
	s.Person(t, "dev@example.com")
	if err := s.App.Accounts.SetPlan(t.Context(), "dev@example.com", "business"); err != nil {
		t.Fatal(err)
	}
	enter(b, s, "dev@example.com")
	b.Go(s.URL + "/docs/charges")
	b.Width(1280)
	b.Until(`document.querySelector('a[href="/console/try?call=createCharge"]') !== null`)
	b.Click(`a[href="/console/try?call=createCharge"]`)
	b.UntilTitle("Try it")
	look(b, "try")

	send := func(status string) string {
		t.Helper()
		b.Until(`!document.getElementById("try-send").hidden`)
		b.Press("Send")
		b.Until(`document.getElementById("try-status").textContent.startsWith("` + status + ` ")`)
		return b.Text()
	}
	if text := send("401"); !strings.Contains(text, "missing or invalid API key") || !strings.Contains(text, "x-error-code: invalid_key") {
		t.Errorf("without a key: %s", text)
	}
	b.Press("Make a test key for this page")
	b.Until(`document.getElementById("try-key")?.value.startsWith("svc_test_")`)
	secret := viewstest.Evaluate[string](b, `document.getElementById("try-key").value`)
	b.Until(`(() => {
		const body = document.getElementById("try-body");
		body.value = body.value.replace("1250", "4200");
		body.dispatchEvent(new Event("input", { bubbles: true }));
		return true;
	})()`)
	text := send("200")
	look(b, "try-answer")
	if !strings.Contains(text, `"amount_cents": 4200`) || !strings.Contains(text, "x-ratelimit-remaining: ") || strings.Contains(text, secret) {
		t.Errorf("the answer: %s", text)
	}
	if c := newestCharge(t, s, secret); c["amount_cents"] != 4200.0 || c["key_env"] != "test" {
		t.Errorf("the charge: %v", c)
	}

	b.Go(s.URL + "/console/try?call=listDeliveries")
	if text := send("404"); !strings.Contains(text, "in the path") {
		t.Errorf("with a session: %s", text)
	}
	b.Go(s.URL + "/console/try?call=listWebhooks")
	send("200")
	b.Go(s.URL + "/console/try?call=getPulse")
	if found := viewstest.Evaluate[string](b, `document.getElementById("try-key").value`); found != "" {
		t.Error("the secret is shown again")
	}
	if problems := b.Problems(); len(problems) > 2 { // the two answers that are errors
		t.Errorf("the browser logged: %q", problems)
	}
}

// The page makes one key for an account, whose earlier secret ends; other endpoints than the
// described ones are not found, and each described one has its page.
func TestTry(t *testing.T) {
	s := servertest.New(t)
	_, b := s.Member(t, "dev@example.com")
	made := func() string {
		t.Helper()
		page := b.Post(t, "/console/try/key", map[string][]string{"call": {"getPulse"}})
		_, rest, found := strings.Cut(string(page.Body), `value="svc_test_`)
		if page.Status != http.StatusOK || !found {
			t.Fatalf("%d %s", page.Status, page.Body)
		}
		return "svc_test_" + rest[:strings.IndexByte(rest, '"')]
	}
	first := made()
	s.Call(t, http.MethodGet, "/api/v1/pulse", nil, servertest.WithKey(first)).Expect(t, http.StatusOK, "")
	second := made()
	s.Call(t, http.MethodGet, "/api/v1/pulse", nil, servertest.WithKey(first)).Expect(t, http.StatusUnauthorized, "invalid_key")
	s.Call(t, http.MethodGet, "/api/v1/pulse", nil, servertest.WithKey(second)).Expect(t, http.StatusOK, "")
	if keys, err := s.App.Accounts.Keys(t.Context(), "dev@example.com"); err != nil || len(keys) != 1 {
		t.Errorf("%d keys, %v", len(keys), err)
	}
	for _, call := range []string{"ask", "scan", "sendMessage", "pushData", "getFXRisk", "createWebhook", "getPricing", "getHealth", "getDescription"} {
		if page := b.Get(t, "/console/try?call="+call); page.Status != http.StatusOK || len(page.Body) > 150_000 {
			t.Errorf("%s: %d, %d bytes", call, page.Status, len(page.Body))
		}
	}
	for _, call := range []string{"nothing", "receiveStripeEvent"} {
		b.Get(t, "/console/try?call="+call).Expect(t, http.StatusNotFound, "not_found")
		b.Post(t, "/console/try/key", map[string][]string{"call": {call}}).Expect(t, http.StatusNotFound, "not_found")
	}
}
