package server_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svc/server"
	"svc/server/servertest"
	"svc/server/views/viewstest"
	"svc/server/webhook"
)

// A developer makes a webhook, changes it, sends a test event to a local receiver, looks at
// the delivery, sends it again, rotates the secret, disables, recovers and deletes it.
func TestBrowserWebhooks(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t, func(c *server.Config) { c.WebhookAllow = []string{"loopback"} })
	got := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- string(body)
		w.Header().Set("X-Answered-By", "till")
		w.Header().Set("Set-Cookie", "crumbs")
		_, _ = io.WriteString(w, "thank you")
	}))
	t.Cleanup(receiver.Close)
	boss := s.Person(t, "boss@example.com")
	dev := s.Person(t, "dev@example.com")
	theirs, _, err := s.App.Webhooks.Create(context.Background(), boss.ID, webhook.NewWebhook{URL: receiver.URL, Events: []string{"sale.created"}})
	if err != nil {
		t.Fatal(err)
	}
	deliver := func() string {
		t.Helper()
		if err := s.App.Webhooks.Deliver(context.Background()); err != nil {
			t.Fatal(err)
		}
		return servertest.Receive(t, got)
	}
	enter(b, s, "dev@example.com")
	b.Go(s.URL + "/console/webhooks")
	look(b, "webhooks-empty")
	b.Click("main a[href='/console/webhooks?new=1']")
	b.Until(`document.querySelector("input[name=url]") !== null`)
	look(b, "webhooks-new")
	b.Type("input[name=url]", receiver.URL+"/hook")
	b.Click("input[value='stock.low']")
	b.Press("Make the webhook")
	b.Until(`document.querySelector("#secret-text")?.textContent.startsWith("whsec_") ?? false`)
	look(b, "webhooks-secret")
	secret := textOf(b, "#secret-text")
	b.Click("main section a.button")
	b.Until(`document.querySelector("aside #open") !== null`)
	b.Click("aside a[href$='edit=1']")
	b.Until(`document.querySelector("form[action='/console/webhooks/edit']") !== null`)
	look(b, "webhooks-edit")
	b.Type("input[name=description]", "The till")
	b.Click("input[value='sale.created']")
	b.Press("Save")
	b.Until(`document.body.innerText.includes("Webhook “The till” is changed.") && document.querySelector("aside #open") !== null`)
	b.Press("Send a test event")
	b.Until(`document.body.innerText.includes("A test event is on its way to “The till”")`)
	if body := deliver(); !strings.Contains(body, `"type":"sale.created"`) || !strings.Contains(body, `"test_mode":true`) {
		t.Errorf("the receiver got %s", body)
	}
	b.Click("tbody a[href*='delivery=dlv_']")
	b.Until(`document.querySelector("#delivery-body")?.textContent.includes("sale.created") ?? false`)
	for _, part := range []string{"thank you", "Answer 200", "x-answered-by: till", "webhook-signature: v1,", "x-service-signature: ", "POST " + receiver.URL + "/hook"} {
		if text := textOf(b, "aside.detail"); !strings.Contains(text, part) {
			t.Errorf("the delivery says nothing of %q: %s", part, text)
		}
	}
	if text := b.Text(); strings.Contains(text, secret) || strings.Contains(text, "crumbs") {
		t.Error("the delivery shows a secret")
	}
	if wide := viewstest.Evaluate[bool](b, `[...document.querySelectorAll("aside pre")].some((e) => e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX !== "auto")`); wide {
		t.Error("a part of the delivery is cut off")
	}
	if text := textOf(b, "#delivery-body"); !strings.Contains(text, "{\n  \"id\": \"evt_") {
		t.Errorf("the body of a delivery is not indented: %s", text)
	}
	if viewstest.Evaluate[bool](b, `document.querySelector("aside form[action='/console/webhooks/delete']") !== null`) {
		t.Error("beside a delivery stands all of its endpoint")
	}
	look(b, "webhooks-delivery")
	b.Press("Send it again")
	b.Until(`document.body.innerText.includes("The event is on its way to “The till” again")`)
	deliver()
	if tops := viewstest.Evaluate[int](b, `new Set([...document.querySelectorAll(".acts > *")].map((e) => Math.round(e.getBoundingClientRect().top))).size`); tops > 2 {
		t.Errorf("the endpoint's actions take %d rows", tops)
	}
	look(b, "webhooks-open")
	press := func(form, seen string) {
		b.Click(`details:has(> form[action="/console/webhooks/` + form + `"]) > summary`)
		b.Click(`form[action="/console/webhooks/` + form + `"] button`)
		b.Until(`document.body.innerText.includes("` + seen + `")`)
	}
	b.Click(`details:has(> form[action="/console/webhooks/delete"]) > summary`)
	b.Click(`form[action="/console/webhooks/delete"] [data-cancel]`)
	b.Until(`!document.querySelector("form[action='/console/webhooks/delete']").parentElement.open`)
	press("rotate", "The old secret signs too until")
	b.Click("main section a.button")
	b.Until(`document.querySelector("aside #open") !== null`)
	press("disable", "Webhook “The till” is disabled.")
	b.Press("Enable")
	b.Until(`document.body.innerText.includes("Webhook “The till” is enabled.")`)
	b.Click(`details:has(> form[action="/console/webhooks/recover"]) > summary`)
	b.Type("input[name=since]", s.Clock.Now().Format("01/02/2006"))
	b.Click(`form[action="/console/webhooks/recover"] button`)
	b.Until(`document.body.innerText.includes("“The till” has missed nothing since that day.")`)
	press("delete", "The webhook is deleted.")
	// Of many events each can be read on a phone, and so can the state.
	all := []string{"sale.created", "purchase_order.received", "stock.low", "pulse.updated", "alert.triggered", "brief.ready", "sync.completed", "churn.scan.completed"}
	_, _, err = s.App.Webhooks.Create(t.Context(), dev.ID, webhook.NewWebhook{URL: "http://127.0.0.1:4242/a/receiver/with/a/long/address/of/its/own", Events: all, Description: "All events"})
	if err != nil {
		t.Fatal(err)
	}
	b.Go(s.URL + "/console/webhooks")
	look(b, "webhooks-list")
	for _, width := range []int64{360, 1280} {
		b.Width(width)
		if wide := viewstest.Evaluate[int](b, `(() => { const s = document.querySelector(".scroll"); return s.scrollWidth - s.clientWidth })()`); wide > 0 {
			t.Errorf("at %d pixels the list is %d too wide", width, wide)
		}
	}
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
	b.Go(s.URL + "/console/webhooks?open=" + theirs.ID)
	b.Until(`document.body.innerText.includes("o webhook wh_")`)
}
