package server_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// An owner invites somebody, who opens the link in a browser of their own, chooses a
// password, edits an item, and is refused where money and keys are, also by forms and guessed
// addresses. The owner removes them, and their next request is signed out.
func TestBrowserPeople(t *testing.T) {
	t.Parallel()
	owner, helper := viewstest.Open(t), viewstest.Open(t)
	s := servertest.New(t)
	s.Person(t, "boss@example.com")
	shop := s.Person(t, "anna@example.com")
	stockShop(t, s, shop)
	s.Key(t, shop.Email, db.Live, db.AccountMode)

	enter(owner, s, shop.Email)
	owner.Go(s.URL + "/console/people")
	look(owner, "people-alone")
	owner.Type("input[name=email]", "sam@example.com")
	owner.Press("Invite")
	owner.Until(`document.body.innerText.includes("Its link waits with the people who run this server")`)
	look(owner, "people-waits")
	house := &servertest.House{Server: s}
	link := regexp.MustCompile(`http://\S+/join/[A-Za-z0-9_-]{43}`).FindString(house.Outbox(t, "sam@example.com")[0].Text)
	owner.Go(s.URL + "/console/people")
	if text := owner.Text(); strings.Contains(text, link) || !strings.Contains(text, "Invited less than an hour ago") {
		t.Errorf("after a reload: %s", text)
	}

	helper.Go(link)
	look(helper, "join")
	helper.Type("input[name=password]", servertest.Password)
	helper.Press("Join")
	helper.UntilTitle("Overview")
	look(helper, "staff-overview")
	staffWork(t, helper, s)
	staffRefused(t, helper, s)

	s.Staff(t, shop, "eve@example.com")
	invited := house.Enter(t, shop.Email)
	invited.Post(t, "/console/people/invite", map[string][]string{"email": {"new@example.com"}}).ExpectRedirect(t, "/console/people?done=link-waits")
	s.Clock.Advance(3 * time.Hour)
	owner.Go(s.URL + "/console/people")
	look(owner, "people")
	owner.Click("details.confirm summary")
	look(owner, "people-remove")
	owner.Press("Remove them")
	owner.Until(`document.body.innerText.includes("They are removed")`)
	helper.Go(s.URL + "/console/inventory")
	helper.UntilTitle("Sign in")
	owner.Go(s.URL + "/console/activity")
	if text := owner.Text(); !strings.Contains(text, "sam@example.com removed from the staff") {
		t.Errorf("activity: %s", text)
	}
	if problems := owner.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

// staffWork edits an item as staff; the move has their name.
func staffWork(t *testing.T, b *viewstest.Tab, s *servertest.Server) {
	t.Helper()
	menu := textOf(b, "#menu") + textOf(b, ".tabs")
	for _, title := range []string{"Wallet", "Keys", "Webhooks", "Granted", "Activity", "People"} {
		if strings.Contains(menu, title) {
			t.Errorf("the sidebar of staff has %s", title)
		}
	}
	b.Go(s.URL + "/console/settings")
	look(b, "staff-settings")
	b.Go(s.URL + "/console/inventory?q=mug+gift")
	b.Click("#rows th a")
	b.Until(`document.querySelector("#detail h2")?.textContent === "Ceramic Mug Gift box"`)
	viewstest.Evaluate[bool](b, `document.querySelector("#adjust-how").value = "take", true`)
	b.Type("#adjust-quantity", "2")
	b.Type("#adjust-reason", "two were broken")
	b.Press("Save the stock")
	b.Until(`document.querySelector("#detail").innerText.includes("Adjusted: two were broken")`)
	b.Until(`document.querySelector("#detail").innerText.includes("sam@example.com")`)
	look(b, "staff-inventory")
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

// staffRefused opens what is the owner's, by its address and by forms of the page.
func staffRefused(t *testing.T, b *viewstest.Tab, s *servertest.Server) {
	t.Helper()
	for _, path := range []string{"wallet", "wallet/ledger.csv", "keys", "keys?open=key_guessed", "people", "activity", "granted", "try"} {
		b.Go(s.URL + "/console/" + path)
		b.UntilTitle("This is for the owner")
		if text := b.Text(); !strings.Contains(text, "anna@example.com") || strings.Contains(text, "$") {
			t.Errorf("%s: %s", path, text)
		}
	}
	look(b, "staff-refused")
	b.Go(s.URL + "/console/operator")
	b.UntilTitle("Not found")
	for path, body := range map[string]string{
		"keys": "env=live&mode=account&label=mine", "try/key": "call=pulse", "wallet/buy": "bundle=500-gbp-600", "wallet/threshold": "threshold=5",
		"people/invite": "email=friend@example.com", "settings/profile": "name=Mine", "operator/credit": "amount=100",
	} {
		want := http.StatusForbidden
		if strings.HasPrefix(path, "operator") {
			want = http.StatusNotFound
		}
		viewstest.Evaluate[bool](b, `window.answer = 0, true`)
		viewstest.Evaluate[bool](b, `fetch("/console/`+path+`", {method: "POST", body: new URLSearchParams("`+body+`")}).then((r) => { window.answer = r.status }), true`)
		b.Until(`window.answer !== 0`)
		if status := viewstest.Evaluate[int](b, `window.answer`); status != want {
			t.Errorf("POST %s: %d, want %d", path, status, want)
		}
	}
	if keys := keysOf(t, s, "anna@example.com"); len(keys) != 1 {
		t.Errorf("%d keys", len(keys))
	}
	b.Problems() // the browser logs the refusals
}
