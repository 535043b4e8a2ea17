package session_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

func TestSettings(t *testing.T) {
	servertest.Sequential(t)
	t.Run("ListSessions", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.Person(t, servertest.Member)
		const hostile = `Lynx </bdi><script>alert(1)</script>`
		h.Enter(t, servertest.Member)
		h.Enter(t, servertest.Boss, servertest.WithHeader("User-Agent", hostile), servertest.From("203.0.113.9"))
		h.Clock.Advance(time.Hour)
		b := h.Enter(t, servertest.Boss, servertest.WithHeader("User-Agent", "Firefox"), servertest.From("198.51.100.7"))
		a := b.Get(t, "/console/settings")
		a.ExpectPage(t, 200, "Firefox", "198.51.100.7", hostile, "203.0.113.9", "2 Mar 2026, 10:00", "2 Mar 2026, 11:00")
		if strings.Count(string(a.Body), "this browser") != 1 || a.Says("<script>") {
			t.Errorf("page %s", a.Body)
		}
		mark, mine, other := strings.Index(string(a.Body), "this browser"), strings.Index(string(a.Body), "Firefox"), strings.Index(string(a.Body), "Lynx")
		if !(mine < mark && mark < other) {
			t.Errorf("the wrong session is marked: %s", a.Body)
		}
		if slices.Contains(a.Forms(), "") || strings.Count(string(a.Body), `name="id"`) != 1 {
			t.Errorf("want a form for one session: %s", a.Body)
		}
		if long := h.Enter(t, servertest.Boss, servertest.WithHeader("User-Agent", strings.Repeat("é", 5000))); tokenOf(t, long) != "" {
			if kept := h.sessionsOf(t, servertest.Boss)[0].Browser; kept != strings.Repeat("é", 100) {
				t.Errorf("stored %d bytes of the browser's name", len(kept))
			}
		}
	})

	t.Run("EndOneSession", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		b, other, theirs := h.Enter(t, servertest.Boss), h.Enter(t, servertest.Boss), h.Enter(t, servertest.Member)
		end := func(id string) {
			t.Helper()
			b.Post(t, "/console/settings/end", url.Values{"id": {id}, "account_id": {h.Accounts(t)[1].ID}}).ExpectRedirect(t, "/console/settings?done=ended")
		}
		end(h.sessionsOf(t, servertest.Member)[0].ID)
		end("")
		end("ses_nothing")
		end("' OR 1=1 --")
		h.expectSignedIn(t, tokenOf(t, b), tokenOf(t, other), tokenOf(t, theirs))

		otherToken := tokenOf(t, other)
		for _, s := range h.sessionsOf(t, servertest.Boss) {
			hash := db.Token(otherToken).Hash()
			if rows := h.Query(t, fmt.Sprintf(`SELECT id FROM sessions WHERE id = '%s' AND token_hash = x'%x'`, s.ID, hash)); len(rows) == 1 {
				end(s.ID)
			}
		}
		h.expectSignedOut(t, otherToken)
		h.expectSignedIn(t, tokenOf(t, b), tokenOf(t, theirs))
		b.Get(t, "/console/settings?done=ended").ExpectPage(t, 200, "The session has ended.", "Nowhere else.")
		end(h.sessionsOf(t, servertest.Boss)[0].ID) // the own session
		h.expectSignedOut(t, tokenOf(t, b))
	})

	t.Run("EndTheOthers", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		b, other, third, theirs := h.Enter(t, servertest.Boss), h.Enter(t, servertest.Boss), h.Enter(t, servertest.Boss), h.Enter(t, servertest.Member)
		b.Post(t, "/console/settings/end-others", nil).ExpectRedirect(t, "/console/settings?done=others")
		h.expectSignedOut(t, tokenOf(t, other), tokenOf(t, third))
		h.expectSignedIn(t, tokenOf(t, b), tokenOf(t, theirs))
	})

	t.Run("ChangeThePassword", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		b, other, theirs := h.Enter(t, servertest.Member), h.Enter(t, servertest.Member), h.Enter(t, servertest.Boss)
		change := func(current, password string) servertest.Answer {
			t.Helper()
			return b.Post(t, "/console/settings/password", url.Values{"current": {current}, "password": {password}, "email": {servertest.Boss}})
		}
		for _, row := range []struct{ current, password, sentence, field string }{
			{"wrong password", servertest.OtherPassword, "The current password is not your password.", "settings-current"},
			{"", servertest.OtherPassword, "The current password is not your password.", "settings-current"},
			{servertest.Password, "123456789", "The password must have 10 to 200 characters.", "settings-password"},
			{servertest.Password, "", "The password must have 10 to 200 characters.", "settings-password"},
			{servertest.Password, strings.Repeat("🍵", 201), "The password must have 10 to 200 characters.", "settings-password"},
		} {
			a := change(row.current, row.password)
			a.ExpectErrorPage(t, 400, "invalid_request", row.sentence, `id="`+row.field+`-problem"`) // next to the field
			if a.Says(servertest.OtherPassword) || a.Says("wrong password") {
				t.Errorf("page %s", a.Body)
			}
		}
		h.expectSignedIn(t, tokenOf(t, other))
		if mails := h.Outbox(t, ""); len(mails) != 0 {
			t.Errorf("mails %+v", mails)
		}

		change(servertest.Password, servertest.OtherPassword).ExpectRedirect(t, "/console/settings?done=password")
		h.expectSignedIn(t, tokenOf(t, b), tokenOf(t, theirs))
		h.expectSignedOut(t, tokenOf(t, other))
		mails := h.Outbox(t, "")
		if len(mails) != 1 || mails[0].To != servertest.Member || mails[0].Subject != "Your password was changed" ||
			!strings.Contains(mails[0].Text, "2 March 2026, 10:00 UTC") || !strings.Contains(mails[0].Text, h.URL+"/signin") || strings.Contains(mails[0].Text, servertest.OtherPassword) {
			t.Errorf("mails %+v", mails)
		}
		h.Browser(t).SignIn(t, servertest.Member, servertest.Password).ExpectErrorPage(t, 401, "wrong_password")
		h.Browser(t).SignIn(t, servertest.Member, servertest.OtherPassword).ExpectRedirect(t, "/console")
		h.Browser(t).SignIn(t, servertest.Boss, servertest.Password).ExpectRedirect(t, "/console")
	})
}
