package server_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/account"
	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// textOf returns the text of an element.
func textOf(b *viewstest.Tab, selector string) string {
	return viewstest.Evaluate[string](b, `document.querySelector("`+selector+`").textContent`)
}

// runCurl runs a command that a page shows, as somebody does who pastes it.
func runCurl(t *testing.T, line string) string {
	t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("the line needs curl, which is not installed")
		}
		t.Skip("the line needs curl, which is not installed")
	}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", line+" -sS --fail-with-body").CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v: %s", line, err, out)
	}
	return string(out)
}

// A developer makes the first key, calls with it, rotates it, ends the old secret, disables
// it and makes a similar one.
func TestBrowserKeyLife(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t)
	s.Person(t, "dev@example.com")
	enter(b, s, "dev@example.com")
	b.Go(s.URL + "/console/keys")
	look(b, "keys-empty")
	b.Click("a[href='/console/keys?new=1']")
	b.Until(`document.querySelector("input[name=label]") !== null`)
	look(b, "keys-new")
	b.Type("input[name=label]", "Till in the shop")
	b.Press("Make the key")
	b.Until(`document.querySelector("#secret-curl") !== null`)
	look(b, "keys-secret")
	first := textOf(b, "#secret-text")
	if answer := runCurl(t, textOf(b, "#secret-curl")); !strings.Contains(answer, `"per_unit":`) {
		t.Errorf("the curl line answers %s", answer)
	}

	// A reload sends the form again: nothing is made, nothing is shown.
	viewstest.Evaluate[any](b, `location.reload()`)
	b.Until(`document.body.innerText.includes("This form was sent before")`)
	if strings.Contains(b.Text(), first) || len(keysOf(t, s, "dev@example.com")) != 1 {
		t.Error("after a reload there is another key, or the secret is shown again")
	}
	b.Problems() // the browser logs the 409

	id := keysOf(t, s, "dev@example.com")[0].ID
	if list := textOf(b, "main tbody"); !strings.Contains(list, "2 Mar 2026") { // one call, whose row may not be in the log yet
		t.Errorf("the key has a call and was never used: %s", list)
	}
	b.Click(`a[href$="open=` + id + `"]`)
	b.Until(`document.querySelector("aside #open") !== null`)
	look(b, "keys-open")
	b.Click("aside details.confirm summary")
	b.Press("Rotate it")
	b.Until(`document.body.innerText.includes("The old secret works until")`)
	look(b, "keys-rotated")
	second := textOf(b, "#secret-text")
	call := func(secret string, status int) {
		t.Helper()
		if a := s.Call(t, http.MethodGet, "/api/v1/connections", nil, servertest.WithKey(secret)); a.Status != status {
			t.Errorf("a call: %d, want %d", a.Status, status)
		}
	}
	call(first, 200)
	call(second, 200)
	press := func(form, notice string) {
		b.Click(`details:has(> form[action="/console/keys/` + form + `"]) > summary`)
		b.Click(`form[action="/console/keys/` + form + `"] button`)
		b.Until(`document.querySelector(".banner.good")?.textContent.includes("` + notice + `") ?? false`)
	}
	b.Click(`main a[href="/console/keys?open=` + id + `"]`)
	b.Until(`document.querySelector("form[action='/console/keys/end-old']") !== null`)
	press("end-old", "The old secret of key “Till in the shop” has ended")
	call(first, 401)
	press("disable", "Key “Till in the shop” is disabled")
	call(second, 403)
	look(b, "keys-disabled")
	b.Press("Enable")
	b.Until(`document.body.innerText.includes("Key “Till in the shop” works again")`)
	call(second, 200)

	b.Click(`a[href="/console/keys?like=` + id + `"]`)
	b.Until(`document.body.innerText.includes("must approve this one too")`)
	look(b, "keys-similar")
	b.Press("Make the key")
	b.Until(`document.querySelector("#secret-text") !== null`)
	third := textOf(b, "#secret-text")
	b.Press("Open in Try it")
	b.UntilTitle("Try it")
	if filled := viewstest.Evaluate[string](b, `document.querySelector("#try-key").value`); filled != third || !strings.Contains(b.Text(), "Key “Till in the shop …") {
		t.Errorf("Try it has the key %q: %s", filled, b.Text())
	}
	b.Press("Send")
	b.Until(`document.querySelector("#try-status").textContent.startsWith("200")`)
	if all := keysOf(t, s, "dev@example.com"); len(all) != 2 || all[1].Label != "Till in the shop" || all[1].Env != db.Test {
		t.Errorf("a similar key: %+v", all)
	}
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

// A developer with many keys finds one, sorts them, and sees nobody else's.
func TestBrowserManyKeys(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.NewShop(t, db.Growth, 1000)
	s.Person(t, "dev@example.com")
	fillKeys(t, s, "dev@example.com")
	enter(b, s.Server, "dev@example.com")
	b.Go(s.URL + "/console/keys")
	look(b, "keys")
	b.Click(`th a[href*="sort=-calls"]`)
	b.Until(`document.querySelector("th[aria-sort=descending]") !== null`)
	b.Type("input[name=q]", "till")
	b.Press("Show")
	b.Until(`document.querySelectorAll("tbody tr").length === 2`)
	b.Click("tbody th a")
	b.Until(`document.querySelector("aside #open") !== null`)
	look(b, "keys-found")
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
	b.Go(s.URL + "/console/keys?open=" + s.LiveKey.ID)
	b.Until(`document.body.innerText.includes("here is no such key")`)
	if text := b.Text(); strings.Contains(text, s.LiveKey.LastFour) {
		t.Errorf("another account's key: %s", text)
	}
}

// fillKeys makes nine keys of an account, most of which have called.
func fillKeys(t *testing.T, s *servertest.Shop, email string) {
	t.Helper()
	ctx := context.Background()
	if _, err := s.App.Accounts.Credit(ctx, email, 500, ""); err != nil {
		t.Fatal(err)
	}
	if err := s.App.Accounts.SetPlan(ctx, email, "growth"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.App.Accounts.CreateApp(ctx, account.NewApp{Account: email, Name: "Shelf Counter"}); err != nil {
		t.Fatal(err)
	}
	for i, label := range []string{"Till in the shop", "Till at the market", "Stock-taking, summer", "Website", "Website (staging)", "Nightly export", "Tablet at the door", "Warehouse scanner", "Old phone app"} {
		k, secret, err := s.App.Accounts.CreateKey(ctx, account.NewKey{
			Account: email, Env: []string{"live", "test"}[i%2], Mode: []string{"account", "account", "generic"}[i%3], Label: label, App: []string{"", "Shelf Counter"}[i%2],
		})
		if err != nil {
			t.Fatal(err)
		}
		for range i % 3 * (4 - i%4) {
			s.Call(t, http.MethodPost, servertest.SendPath, servertest.SendBody, servertest.WithKey(string(secret)))
		}
		s.Clock.Advance(7 * time.Hour)
		if i == 8 {
			if err := s.App.Accounts.SetKeyEnabled(ctx, account.KeyRef{ID: k.ID}, false); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func keysOf(t *testing.T, s *servertest.Server, email string) []db.Key {
	t.Helper()
	all, err := s.App.Accounts.Keys(context.Background(), email)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
