package server_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

const helper = "sam@example.com"

// Staff see the shop and neither its money nor its keys (L11).
func TestStaffPages(t *testing.T) {
	servertest.Sequential(t)
	h := servertest.OpenHouse(t)
	shop := h.Person(t, servertest.Member)
	h.Staff(t, shop, helper)
	_, secret := h.Key(t, servertest.Member, db.Live, db.AccountMode)
	_, developers := h.Key(t, servertest.Boss, db.Live, db.AccountMode)
	asked := h.Call(t, "POST", "/api/v1/connections", map[string]any{"merchant_email": servertest.Member}, servertest.WithKey(developers))
	charge := h.Call(t, "POST", "/api/v1/charges",
		map[string]any{"merchant_email": servertest.Member, "amount_cents": 100, "description": "x"}, servertest.WithKey(developers))
	h.Call(t, "GET", "/api/v1/connections", nil, servertest.WithKey(secret)).Expect(t, 200, "")
	owner, sam := h.Enter(t, servertest.Member), h.Enter(t, helper)

	t.Run("Overview", func(t *testing.T) {
		for _, words := range []string{"Nobody has checked the names in requests", "The API today", "/console/wallet", "/console/keys"} {
			if !owner.Get(t, "/console").Says(words) {
				t.Errorf("the owner's overview lacks %q", words)
			}
			if sam.Get(t, "/console").Says(words) {
				t.Errorf("the overview of staff has %q", words)
			}
		}
		sam.Get(t, "/console").ExpectPage(t, 200, helper, "/console/inventory", "/console/settings")
	})

	t.Run("NoLinkLeadsToARefusal", func(t *testing.T) {
		for _, page := range []string{"/console", "/console/ask", "/console/inventory", "/console/inventory/scan", "/console/inventory/import", "/console/data", "/console/messages", "/console/settings", "/console/search?q=a"} {
			a := sam.Get(t, page)
			a.ExpectPage(t, 200)
			for part := range strings.SplitSeq(string(a.Body), `href="`) {
				link, _, _ := strings.Cut(part, `"`)
				if strings.HasPrefix(link, "/console") && sam.Get(t, link).Status == 403 {
					t.Errorf("%s links to %s, which refuses staff", page, link)
				}
			}
		}
	})

	t.Run("Search", func(t *testing.T) {
		for query, links := range map[string]string{"key": "/console/keys", "svc": "", "wallet": "/console/wallet"} {
			a := sam.Get(t, "/console/search?q="+query)
			a.ExpectPage(t, 200)
			if links != "" && (a.Says(links) || !owner.Get(t, "/console/search?q="+query).Says(links)) {
				t.Errorf("%s: %s", query, a.Body)
			}
		}
		request := h.Call(t, "GET", "/api/v1/connections", nil, servertest.WithKey(secret)).Header.Get("X-Request-Id")
		if request == "" || sam.Get(t, "/console/search?q="+request).Says("/console/requests?open=") {
			t.Errorf("staff find the request %q", request)
		}
	})

	t.Run("Links", func(t *testing.T) {
		for _, a := range []servertest.Answer{asked, charge} {
			link := servertest.Path(a.Fields(t)["confirmation_url"].(string))
			sam.Get(t, link).ExpectErrorPage(t, 403, "forbidden", "Only the owner of member may see and do this", servertest.Member)
			sam.Post(t, link+"/approve", url.Values{"scope": {"read_inventory"}}).ExpectErrorPage(t, 403, "forbidden")
			owner.Get(t, link).ExpectPage(t, 200)
		}
	})

	t.Run("JSON", func(t *testing.T) {
		sam.Get(t, "/api/v1/webhooks").Expect(t, 403, "forbidden")
		owner.Get(t, "/api/v1/webhooks").Expect(t, 200, "")
	})

	t.Run("Settings", func(t *testing.T) {
		page := sam.Get(t, "/console/settings")
		page.ExpectPage(t, 200, helper, "this browser", "Nowhere else.")
		if page.Says("/console/settings/profile") || page.Says(servertest.Member) {
			t.Errorf("page %s", page.Body)
		}
		change := url.Values{"current": {servertest.Password}, "password": {servertest.OtherPassword}}
		sam.Post(t, "/console/settings/password", change).ExpectRedirect(t, "/console/settings?done=password")
		h.Browser(t).SignIn(t, helper, servertest.Password).ExpectErrorPage(t, 401, "wrong_password")
		h.Browser(t).SignIn(t, helper, servertest.OtherPassword).ExpectRedirect(t, "/console")
		h.Browser(t).SignIn(t, servertest.Member, servertest.Password).ExpectRedirect(t, "/console")
		owner.Get(t, "/console").ExpectPage(t, 200) // still signed in
		if mails := h.Outbox(t, helper); len(mails) != 1 || mails[0].Subject != "Your password was changed" {
			t.Errorf("mails %+v", mails)
		}
	})

	t.Run("ForgottenPassword", func(t *testing.T) {
		link := servertest.Path(h.Recover(t, helper))
		b := h.Browser(t)
		b.Get(t, link).ExpectPage(t, 200, helper)
		b.Post(t, link, url.Values{"password": {"a third password"}}).ExpectRedirect(t, "/console")
		b.Get(t, "/console/wallet").ExpectErrorPage(t, 403, "forbidden")
		sam.Get(t, "/console").ExpectRedirect(t, "/signin?next=%2Fconsole") // ended with the old password
		owner.Get(t, "/console/wallet").ExpectPage(t, 200)
	})

	t.Run("SignUpWithTheEmail", func(t *testing.T) {
		h.Clock.Advance(2 * time.Hour)
		h.AskCode(t, helper).Expect(t, 200, "")
		if link := h.NewestResetLink(t, helper); link == "" {
			t.Error("no link to a new password")
		}
	})
}
