package account_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

var welcomeLink = regexp.MustCompile(`http://\S+/reset/[A-Za-z0-9_-]{43}\b`)

func found(t *testing.T, h *house, email string) db.Account {
	t.Helper()
	a, err := h.App.Accounts.Find(t.Context(), email)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The operator of a server without mail makes an account and passes on the link, which is
// shown once and works for 7 days. Its owner chooses a password.
func TestOperatorMakesAnAccount(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	boss := h.Enter(t, servertest.Boss)
	form := url.Values{"email": {"new@example.com"}, "name": {"Tea Room"}, "plan": {"growth"}, "currency": {"eur"}}
	boss.Get(t, "/console/operator?new=1").ExpectPage(t, 200, "New account", "shown once", "10,000 calls a month")
	made := boss.Post(t, "/console/operator/new", form)
	made.ExpectPage(t, 200, "Pass this link on now", "Tea Room")
	first := welcomeLink.FindString(string(made.Body))
	a := found(t, h, "new@example.com")
	if a.Plan != db.Growth || a.Profile.Currency != "eur" || a.Name != "Tea Room" || a.PasswordHash != "" || first == "" {
		t.Fatalf("account %+v, link %q", a, first)
	}
	boss.Post(t, "/console/operator/new", form).ExpectErrorPage(t, 400, "invalid_request", "has an account already")
	page := boss.Get(t, "/console/operator?open="+a.ID)
	page.ExpectPage(t, 200, "Its owner has no password yet")
	if page.Says("/reset/") {
		t.Error("the link is shown again")
	}
	h.Browser(t).SignIn(t, "new@example.com", servertest.Password).ExpectErrorPage(t, 401, "wrong_password")

	again := boss.Post(t, "/console/operator/welcome", url.Values{"id": {a.ID}})
	link := welcomeLink.FindString(string(again.Body))
	h.Browser(t).Get(t, first).ExpectErrorPage(t, 404, "not_found")
	h.Clock.Advance(7*24*time.Hour - time.Second)
	owner := h.Browser(t)
	owner.Get(t, link).ExpectPage(t, 200, "new@example.com")
	owner.Post(t, servertest.Path(link), url.Values{"password": {servertest.OtherPassword}}).ExpectRedirect(t, "/console")
	owner.Get(t, "/console/activity").ExpectPage(t, 200, "Account made: growth", "The operator")
	owner.Get(t, link).ExpectErrorPage(t, 404, "not_found")

	boss = h.Enter(t, servertest.Boss)
	boss.Post(t, "/console/operator/welcome", url.Values{"id": {a.ID}}).ExpectErrorPage(t, 409, "conflict", "has a password already")
	for path, form := range map[string]url.Values{"/console/operator/new": form, "/console/operator/welcome": {"id": {a.ID}}} {
		owner.Post(t, path, form).ExpectErrorPage(t, 404, "not_found")
	}
	for field, value := range map[string]string{"email": "no address", "plan": "gold", "currency": "xx", "timezone": " ", "name": strings.Repeat("x", 500)} {
		wrong := url.Values{"email": {"other@example.com"}, "plan": {"free"}, "currency": {"gbp"}}
		wrong.Set(field, value)
		boss.Post(t, "/console/operator/new", wrong).ExpectErrorPage(t, 400, "invalid_request")
	}
}

// With mail only its reader has the link, and 7 days later it is over.
func TestOperatorMakesAnAccountByMail(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t, withMail)
	boss := h.Enter(t, servertest.Boss)
	made := boss.Post(t, "/console/operator/new", url.Values{"email": {"new@example.com"}, "plan": {"free"}, "currency": {"gbp"}})
	a := found(t, h, "new@example.com")
	made.ExpectRedirect(t, "/console/operator?open="+a.ID+"&done=made")
	if a.Name != "new" {
		t.Errorf("name %q", a.Name)
	}
	link := h.NewestResetLink(t, "new@example.com")
	h.Browser(t).Get(t, link).ExpectPage(t, 200, "new@example.com")
	h.Clock.Advance(7 * 24 * time.Hour)
	h.Browser(t).Get(t, link).ExpectErrorPage(t, 404, "not_found")
	h.Browser(t).Post(t, servertest.Path(link), url.Values{"password": {servertest.OtherPassword}}).ExpectErrorPage(t, 404, "not_found")
}

// An owner turns off the second factor of one of their staff, and of nobody else.
func TestOwnerTurnsOffTwoFactorOfStaff(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	shop := h.Person(t, servertest.Member)
	sam := h.Staff(t, shop, "sam@example.com")
	other := h.Staff(t, h.Person(t, "other@example.com"), "eve@example.com")
	owner := h.Enter(t, servertest.Member)
	off := func(id string) servertest.Answer {
		return owner.Post(t, "/console/people/two-factor", url.Values{"id": {id}})
	}
	off(sam.ID).ExpectErrorPage(t, 409, "conflict", "signs in without a code already")
	h.turnOn(t, h.Enter(t, "sam@example.com"), "sam@example.com")
	h.turnOn(t, h.Enter(t, "eve@example.com"), "eve@example.com")
	owner.Get(t, "/console/people").ExpectPage(t, 200, "Lost the phone")
	for _, id := range []string{other.ID, shop.ID, "usr_none", ""} {
		off(id).ExpectErrorPage(t, 404, "not_found")
	}
	off(sam.ID).ExpectRedirect(t, "/console/people?done=staff-code")
	h.Enter(t, "sam@example.com").Get(t, "/console").ExpectPage(t, 200)
	owner.Get(t, "/console/activity").ExpectPage(t, 200, "Two-factor sign-in turned off", "You")
	if mails := h.Outbox(t, "sam@example.com"); len(mails) == 0 || !strings.Contains(mails[0].Text, "The owner of the account in which you work turned") {
		t.Errorf("mails %+v", mails)
	}
}

// The first account has the currency of the browser's language, unless another is chosen, and
// the time zone that was sent.
func TestSetupAsksForCurrencyAndZone(t *testing.T) {
	servertest.Sequential(t)
	h := newHouse(t)
	link := servertest.Path(h.SetupLink(t))
	page := h.Browser(t).Get(t, link, servertest.WithHeader("Accept-Language", "de-DE,de;q=0.9"))
	page.ExpectPage(t, 200, `<option value="eur" selected>`, `<option value="Europe/Berlin">`)
	form := url.Values{"email": {"a@example.com"}, "name": {"Shop"}, "password": {servertest.Password}, "currency": {"chf"}, "timezone": {"zurich"}}
	for _, row := range []struct{ field, bad, says string }{
		{"currency", "xx", "The currency must"}, {"timezone", "Mars", "must be an IANA zone or its city"}, {"timezone", " ", "The time zone is required"},
	} {
		wrong := url.Values{}
		for name := range form {
			wrong.Set(name, form.Get(name))
		}
		wrong.Set(row.field, row.bad)
		h.Browser(t).Post(t, link, wrong).ExpectErrorPage(t, 400, "invalid_request", row.says)
	}
	h.Browser(t).Post(t, link, form).ExpectRedirect(t, "/console")
	if p := found(t, h, "a@example.com").Profile; p.Currency != "chf" || p.Timezone != "Europe/Zurich" {
		t.Errorf("profile %+v", p)
	}
}
