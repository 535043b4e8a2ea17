package server_test

import (
	"strings"
	"testing"

	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// newcomer counts what somebody does on the way from an empty database to the first call.
type newcomer struct {
	*viewstest.Tab
	fields, clicks int
	pages          []string // by their titles
}

func (n *newcomer) fill(selector, text string) {
	n.fields++
	n.Type(selector, text)
}

// arrive waits for a page and counts it.
func (n *newcomer) arrive(title string) {
	n.UntilTitle(title)
	n.pages = append(n.pages, title)
}

// From an empty database, the link that the terminal prints leads to an account, a key and
// the line of a successful call: 3 fields, 3 clicks, 4 pages, and nothing to look up.
func TestBrowserFirstRun(t *testing.T) {
	t.Parallel()
	h := servertest.NewHouse(t)
	n := &newcomer{Tab: viewstest.Open(t)}
	n.Go(h.SetupLink(t))
	n.arrive("Set up")
	zone := viewstest.Evaluate[string](n.Tab, `Intl.DateTimeFormat().resolvedOptions().timeZone`)
	n.Until(`document.querySelector("#setup-timezone").value === "` + zone + `"`)
	look(n.Tab, "setup")
	n.Width(1280)
	n.fill("input[name=email]", "founder@example.com")
	n.fill("input[name=name]", "Corner Shop")
	n.fill("input[name=password]", servertest.OtherPassword)
	n.Press("Show Password")
	n.Until(`document.querySelector("input[name=password]").type === "text" && document.querySelector("[data-show]").innerText.startsWith("Hide")`)
	n.Press("Hide Password")
	n.Until(`document.querySelector("input[name=password]").type === "password"`)
	n.clicks++
	n.Press("Make the account")
	n.arrive("Overview")
	look(n.Tab, "first-overview")
	if a := h.Accounts(t)[0]; a.Profile.Timezone != zone {
		t.Errorf("in the zone %s: %+v", zone, a.Profile)
	}
	n.clicks++
	n.Click("main a[href='/console/keys?new=1']")
	n.arrive("Keys")
	n.clicks++
	n.Press("Make the key")
	n.Until(`document.querySelector("#secret-curl") !== null`)
	n.arrive("Keys")
	look(n.Tab, "first-key")
	if answer := runCurl(t, textOf(n.Tab, "#secret-curl")); !strings.Contains(answer, `"per_unit":`) {
		t.Errorf("the line answers %s", answer)
	}
	if n.fields != 3 || n.clicks != 3 || len(n.pages) != 4 {
		t.Errorf("%d fields, %d clicks, pages %q; want 3, 3 and 4", n.fields, n.clicks, n.pages)
	}
	if problems := n.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}
