package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svc/db"
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
	b.Width(1280)
	b.Go(s.URL + "/console/try") // opens on a call that needs neither key nor body
	b.Until(`!document.getElementById("try-send").hidden`)
	look(b, "try-first")
	b.Width(1280)
	b.Press("Send")
	b.Until(`document.getElementById("try-status").textContent.startsWith("200 ")`)
	b.Go(s.URL + "/docs/charges")
	b.Until(`document.querySelector('a[href="/console/try?call=createCharge"]') !== null`)
	b.Click(`a[href="/console/try?call=createCharge"]`)
	b.UntilTitle("Try it")
	b.Until(`!document.getElementById("try-form").hidden`)
	look(b, "try")

	send := func(status string) string {
		t.Helper()
		b.Until(`!document.getElementById("try-send").hidden`)
		b.Press("Send")
		b.Until(`document.getElementById("try-status").textContent.startsWith("` + status + ` ")`)
		if viewstest.Evaluate[bool](b, `!document.getElementById("try-more").open`) {
			b.Click("#try-more summary")
		}
		return b.Text()
	}
	if text := send("401"); !strings.Contains(text, "missing or invalid API key") || !strings.Contains(text, "x-error-code: invalid_key") {
		t.Errorf("without a key: %s", text)
	}
	b.Press("Make a test key for this page")
	b.Until(`document.getElementById("try-key")?.value.startsWith("svc_test_")`)
	secret := viewstest.Evaluate[string](b, `document.getElementById("try-key").value`)
	if number := fill(b, "amount_cents", "4200"); number != "4200" {
		t.Errorf("the field of the amount has %q", number)
	}
	fill(b, "currency", "")
	text := send("200")
	look(b, "try-answer")
	if !strings.Contains(text, `"amount_cents": 4200`) || !strings.Contains(text, "x-ratelimit-remaining: ") || strings.Contains(text, secret) {
		t.Errorf("the answer: %s", text)
	}
	if c := newestCharge(t, s, secret); c["amount_cents"] != 4200.0 || c["key_env"] != "test" || c["currency"] != "gbp" {
		t.Errorf("the charge: %v", c)
	}
	jsonBoth(t, b)
	tryPush(t, b, s, secret, send)

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

// fill types into a field of the body by its name, and returns what the field then has.
func fill(b *viewstest.Tab, name, value string) string {
	return viewstest.Evaluate[string](b, fmt.Sprintf(`(() => {
		const label = [...document.querySelectorAll("#try-form label")].find((l) => l.querySelector("code")?.textContent === %q);
		const field = document.getElementById(label.htmlFor);
		field.value = %q;
		field.dispatchEvent(new Event("input", { bubbles: true }));
		return field.value;
	})()`, name, value))
}

// body is the JSON of the body.
const body = `document.getElementById("try-body").value`

// jsonBoth changes the body as JSON, and finds it in the form; what is no JSON stays JSON.
func jsonBoth(t *testing.T, b *viewstest.Tab) {
	t.Helper()
	const edit = `(() => { const body = document.getElementById("try-body"); body.value = %q; body.dispatchEvent(new Event("input", { bubbles: true })); return true; })()`
	b.Press("JSON")
	b.Until(`document.getElementById("try-form").hidden && !document.getElementById("try-raw").hidden`)
	b.Until(fmt.Sprintf(edit, `{"amount_cents": `))
	b.Press("Form")
	b.Until(`document.getElementById("try-problem").textContent.startsWith("The form cannot show this") && document.getElementById("try-form").hidden`)
	b.Until(fmt.Sprintf(edit, `{"amount_cents": 700, "note": {"deep": [1]}}`))
	b.Press("Form")
	b.Until(`!document.getElementById("try-form").hidden`)
	if amount := fill(b, "amount_cents", "701"); amount != "701" {
		t.Errorf("the form has %q", amount)
	}
	// A field that the description does not name stays.
	b.Until(`JSON.stringify(JSON.parse(` + body + `)) === '{"amount_cents":701,"note":{"deep":[1]}}'`)
}

// tryPush makes a body of records of several kinds with the form, and sends it.
func tryPush(t *testing.T, b *viewstest.Tab, s *servertest.Server, secret string, send func(string) string) {
	t.Helper()
	b.Go(s.URL + "/console/try?call=pushData")
	b.Until(`!document.getElementById("try-form").hidden`)
	b.Type("#try-key", secret)
	look(b, "try-push")
	b.Press("Add a customer")
	b.Until(`JSON.parse(` + body + `).records.at(-1).type === "customer"`)
	b.Until(`(() => {
		const last = [...document.querySelectorAll("#try-form .rows-of > .part")].at(-1);
		const name = [...last.querySelectorAll("label")].find((l) => l.textContent.startsWith("name"));
		const field = document.getElementById(name.htmlFor);
		field.value = "Ada Lane";
		field.dispatchEvent(new Event("input", { bubbles: true }));
		return JSON.parse(` + body + `).records.at(-1).name === "Ada Lane";
	})()`)
	// The sale of the example is of a day after the clock of this test.
	if text := send("200"); !strings.Contains(text, `"received": 3`) || !strings.Contains(text, `"inserted": 2`) {
		t.Errorf("the push: %s", text)
	}
	b.Press("Remove A customer")
	b.Until(`JSON.parse(` + body + `).records.length === 2`)
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
	with := func(key, call string) servertest.Answer {
		return b.Post(t, "/console/try/with", map[string][]string{"call": {call}, "key": {key}})
	}
	if page := with(second, "ask"); page.Status != http.StatusOK || !page.Says(`value="`+second+`"`) || !page.Says("is filled in") {
		t.Errorf("with a key: %d %s", page.Status, page.Body)
	}
	s.Account(t, "other@example.com", "free", 0)
	_, theirs := s.Key(t, "other@example.com", db.Test, db.AccountMode)
	for _, key := range []string{theirs, first, "", "svc_test_"} {
		with(key, "ask").Expect(t, http.StatusNotFound, "not_found")
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
