package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svc/db"
	"svc/server/account"
	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// An owner sees what was done to the account and by whom, and nothing of others; the
// operator sees all.
func TestBrowserActivity(t *testing.T) {
	t.Parallel()
	s := servertest.NewHouse(t)
	operator := s.Person(t, "boss@example.com")
	if !operator.Operator {
		t.Fatal("the first account is not the operator's")
	}
	shop := s.Person(t, "shop@example.com")
	key, secret := s.Key(t, shop.Email, db.Live, db.AccountMode)
	ctx := db.WithActor(t.Context(), db.ActorCommand)
	if _, err := s.App.Accounts.Credit(ctx, shop.Email, 1000, "for May"); err != nil {
		t.Fatal(err)
	}
	if err := s.App.Accounts.SetKeyEnabled(ctx, account.KeyRef{ID: key.ID}, false); err != nil {
		t.Fatal(err)
	}

	page := s.Enter(t, shop.Email)
	page.Post(t, "/console/wallet/threshold", url.Values{"threshold": {"2.50"}}).Expect(t, http.StatusSeeOther, "")
	profile := url.Values{"name": {"Tea & Co"}, "biz-type": {"retail"}, "currency": {"eur"}, "timezone": {"Europe/Paris"}}
	for range 2 { // what is saved again as it was is no act
		page.Post(t, "/console/settings/profile", profile).Expect(t, http.StatusSeeOther, "")
	}

	b := viewstest.Open(t)
	enter(b, s.Server, shop.Email)
	b.Go(s.URL + "/console/activity")
	look(b, "activity")
	b.Width(390)
	if cut := viewstest.Evaluate[int](b, `[...document.querySelectorAll("td.at")].filter((e) => e.getBoundingClientRect().right > innerWidth).length`); cut != 0 {
		t.Errorf("on a phone the times of %d acts are cut off", cut)
	}
	b.Width(1280)
	text := b.Text()
	for _, want := range []string{"+$10.00 credit", "Low-credit warning set: below $2.50",
		"Settings changed: name", "disabled", "The operator, by command", "made: live account"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if strings.Contains(text, "boss@") || strings.Contains(text, secret) {
		t.Errorf("shows what is not the owner's: %s", text)
	}

	if n := strings.Count(text, "Settings changed: currency GBP to EUR, time zone UTC to Europe/Paris"); n != 1 {
		t.Errorf("the change of the profile is there %d times: %s", n, text)
	}
	if strings.Contains(text, "Tea & Co") && strings.Contains(text, "name Tea") {
		t.Errorf("the log has a name: %s", text)
	}
	b.Type("#q", "key disabled")
	b.Press("Search")
	b.Until(`document.querySelectorAll("tbody tr").length === 1`)
	look(b, "activity-search")
	b.Click("tbody th a")
	b.UntilTitle("Keys")
	b.Until(`location.search.includes("open=` + key.ID + `")`)
	b.Go(s.URL + "/console/activity?q=nothing-like-this")
	b.Until(`document.body.textContent.includes("Nothing is like that")`)

	for email, all := range map[string]bool{shop.Email: false, operator.Email: true} {
		page := s.Enter(t, email).Get(t, "/console/activity?all=1")
		page.Expect(t, http.StatusOK, "")
		if got := strings.Contains(string(page.Body), "Of all accounts") || strings.Contains(string(page.Body), "Only mine"); got != all {
			t.Errorf("%s: all %v", email, got)
		}
		if email == shop.Email && strings.Contains(string(page.Body), operator.ID) {
			t.Error("the shop sees acts of others")
		}
	}
}
