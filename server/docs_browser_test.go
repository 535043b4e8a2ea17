package server_test

import (
	"os"
	"strings"
	"testing"

	"svc/server"
	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// withChangelog has the list of changes as the binary has it.
func withChangelog(t *testing.T) func(*server.Config) {
	t.Helper()
	text, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	return func(c *server.Config) { c.Changelog = string(text) }
}

// A developer without an account finds the reference, chooses a language and copies a call.
func TestBrowserReference(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t, withChangelog(t))
	s.Account(t, "dev@example.com", "business", 0)

	b.Go(s.URL + "/")
	look(b, "start")
	b.Click(`main a[href="/docs"]`)
	b.UntilTitle("API reference")
	look(b, "docs-home")
	b.Go(s.URL + "/docs/charges")
	look(b, "docs-charges")
	b.Width(1280)
	b.Click(`nav[aria-label="Language of Ask a merchant for a payment"] a[href*="lang=python"]`)
	b.Until(`location.search === "?lang=python" && location.hash === "#createCharge"`)
	if text := b.Text(); !strings.Contains(text, "urllib.request") || !strings.Contains(text, s.URL+"/api/v1/charges") {
		t.Errorf("no program in Python: %s", text)
	}
	b.Until(`document.querySelector("[data-copy=createCharge-code]").hidden === false`)
	b.Click("[data-copy=createCharge-code]")
	b.Until(`document.querySelector("[data-copy=createCharge-code]").textContent !== "Copy"`)
	for _, topic := range []string{"webhooks", "data", "events"} {
		b.Go(s.URL + "/docs/" + topic)
		look(b, "docs-"+topic)
	}
	b.Go(s.URL + "/docs")
	b.Until(`(document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "/", bubbles: true })), document.activeElement.id === "q")`)
	b.Type("input[name=q]", "merchant_email\r")
	b.UntilTitle("Search the reference")
	look(b, "docs-search")
	b.Click(`.hits a[href="/docs/charges#createCharge"]`)
	b.UntilTitle("Charges API")
	b.Go(s.URL + "/docs?q=nothing-has-this")
	look(b, "docs-nothing")
	b.Go(s.URL + "/docs")
	b.Click(`footer a[href="/changelog"]`)
	b.UntilTitle("Changes")
	look(b, "docs-changelog")
	b.Click(`.topics .always a[href="#2026-11-22"]`)
	b.Until(`location.hash === "#2026-11-22"`)
	b.Click(`details:has(> summary [id="2026-11-22"]) > summary`)
	b.Until(`document.querySelector("details:has(> summary [id='2026-11-22'])").open`)
	if kinds := viewstest.Evaluate[int](b, `document.querySelectorAll("details:has(> summary [id='2026-11-22']) .kinds h3").length`); kinds != 3 {
		t.Errorf("%d kinds of changes, want New, Changed and Fixed", kinds)
	}
	s.Person(t, "shop@example.com")
	enter(b, s, "shop@example.com")
	b.Go(s.URL + "/")
	look(b, "start-signed-in")
	b.Click(`.doors a[href="/console/inventory"]`)
	b.UntilTitle("Inventory")
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}
