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
	look(b, "docs-start")
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
	b.Click(`footer a[href="/changelog"]`)
	b.UntilTitle("Changes")
	look(b, "docs-changelog")
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}
