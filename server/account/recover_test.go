package account_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

func TestRecover(t *testing.T) {
	servertest.Sequential(t)
	fresh := url.Values{"password": {servertest.OtherPassword}}

	t.Run("DoesNotRevealAccounts", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		b := h.Browser(t)
		b.Get(t, "/recover").ExpectPage(t, 200)
		known, unknown := b.Post(t, "/recover", url.Values{"email": {servertest.Member}}), b.Post(t, "/recover", url.Values{"email": {"nobody@example.com"}})
		known.ExpectPage(t, 200, "If "+servertest.Member+" has an account here")
		expectSameAnswer(t, known, unknown, servertest.Member, "nobody@example.com")
		if left := h.Query(t, `SELECT DISTINCT tries_left FROM codes`); !slices.Equal(left, []string{"0"}) {
			t.Errorf("the decoy code has tries left: %v", left)
		}
		if len(h.Outbox(t, "nobody@example.com")) != 0 || len(h.Outbox(t, servertest.Member)) != 1 {
			t.Errorf("mails %+v", h.Outbox(t, ""))
		}
		again, neither := b.Post(t, "/recover", url.Values{"email": {servertest.Member}}), b.Post(t, "/recover", url.Values{"email": {"nobody@example.com"}})
		again.Expect(t, 429, "too_many_tries")
		expectSameAnswer(t, again, neither, servertest.Member, "nobody@example.com")

		// No code works for an address without an account.
		b.Post(t, "/signup/code", servertest.SignUpForm("nobody@example.com", "123456", "", servertest.OtherPassword)).ExpectErrorPage(t, 400, "invalid_request")
	})

	t.Run("GivesANewPasswordOnce", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		old, bosses := h.Enter(t, servertest.Member), h.Enter(t, servertest.Boss)
		link := h.Recover(t, "Member@EXAMPLE.com")
		b := h.Browser(t)
		for range 2 {
			a := b.Get(t, link)
			a.ExpectPage(t, 200, `value="`+servertest.Member+`"`)
			if !slices.Equal(a.Forms(), []string{servertest.Path(link)}) || a.Header.Get("Referrer-Policy") != "no-referrer" {
				t.Errorf("forms %q, headers %v", a.Forms(), a.Header)
			}
		}
		for _, bad := range []string{"", "123456789", strings.Repeat("ж", 201)} {
			a := b.Post(t, link, url.Values{"password": {bad}})
			a.ExpectErrorPage(t, 400, "invalid_request", "The password must have 10 to 200 characters.", `value="`+servertest.Member+`"`)
			if !slices.Equal(a.Forms(), []string{servertest.Path(link)}) {
				t.Errorf("forms %q", a.Forms())
			}
		}
		old.Get(t, "/console").ExpectPage(t, 200) // nothing has changed yet

		h.Clock.Advance(time.Second)
		b.Post(t, link, fresh).ExpectRedirect(t, "/console")
		b.Get(t, "/console").ExpectPage(t, 200)
		old.Get(t, "/console").ExpectRedirect(t, "/signin?next=%2Fconsole")
		bosses.Get(t, "/console").ExpectPage(t, 200)
		h.Browser(t).SignIn(t, servertest.Member, servertest.Password).ExpectErrorPage(t, 401, "wrong_password")
		h.Browser(t).SignIn(t, servertest.Member, servertest.OtherPassword).ExpectRedirect(t, "/console")
		h.Browser(t).SignIn(t, servertest.Boss, servertest.Password).ExpectRedirect(t, "/console")
		if m := h.Outbox(t, servertest.Member)[0]; m.Subject != "Your password was changed" {
			t.Errorf("the newest mail is %+v", m)
		}
		if mails := h.Outbox(t, servertest.Boss); len(mails) != 0 {
			t.Errorf("mails to another account: %+v", mails)
		}

		for _, a := range []servertest.Answer{
			b.Get(t, link), b.Post(t, link, url.Values{"password": {"yet another password"}}), h.Browser(t).Post(t, link, url.Values{"password": {"short"}}),
		} {
			a.ExpectErrorPage(t, 404, "not_found", "It has been used, it is too old, or it is not complete.")
			a.ExpectNoAction(t)
		}
		h.Browser(t).SignIn(t, servertest.Member, servertest.OtherPassword).ExpectRedirect(t, "/console")
		if strings.Contains(h.Log.String(), strings.TrimPrefix(servertest.Path(link), "/reset/")) {
			t.Error("the log contains the link")
		}
	})

	t.Run("FirstPassword", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		h.Exec(t, `UPDATE accounts SET password_hash = '' WHERE email = '`+servertest.Member+`'`)
		b, link := h.Browser(t), h.Recover(t, servertest.Member)
		b.Post(t, link, fresh).ExpectRedirect(t, "/console")
		m := h.Outbox(t, servertest.Member)[0]
		if m.Subject != "Your account has a password now" || !strings.Contains(m.Text, "A password was set for your account, which had none, on ") {
			t.Errorf("the newest mail is %+v", m)
		}
		b.Get(t, link).ExpectErrorPage(t, 404, "not_found", "You are signed in", `href="/console/settings"`)
		h.Browser(t).Get(t, link).ExpectErrorPage(t, 404, "not_found", "Ask for a new link", `href="/recover"`)
	})

	t.Run("LinkWorksOnceInParallel", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		link := h.Recover(t, servertest.Member)
		got := servertest.Parallel(6, func(i int) int {
			return h.Browser(t).Post(t, link, url.Values{"password": {fmt.Sprint("a new password ", i)}}).Status
		})
		if got[303] != 1 || got[404] != 5 {
			t.Errorf("answers %v", got)
		}
	})

	t.Run("LinkWorksFor30Minutes", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		link := h.Recover(t, servertest.Member)
		h.Clock.Advance(30*time.Minute - time.Millisecond)
		h.Browser(t).Get(t, link).ExpectPage(t, 200)
		h.Clock.Advance(time.Millisecond)
		h.Browser(t).Get(t, link).ExpectErrorPage(t, 404, "not_found")
		h.Browser(t).Post(t, link, fresh).ExpectErrorPage(t, 404, "not_found")
		h.Browser(t).SignIn(t, servertest.Member, servertest.Password).ExpectRedirect(t, "/console")
	})

	t.Run("NewLinkReplacesTheOldOne", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		first := h.Recover(t, servertest.Member)
		h.Clock.Advance(time.Minute)
		second := h.Recover(t, servertest.Member)
		h.Browser(t).Post(t, first, fresh).ExpectErrorPage(t, 404, "not_found")
		h.Browser(t).Post(t, second, fresh).ExpectRedirect(t, "/console")
	})

	t.Run("WhileSignedInElsewhere", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		boss, link := h.Enter(t, servertest.Boss), h.Recover(t, servertest.Member)
		boss.Post(t, link, url.Values{"password": {servertest.Password}}).ExpectRedirect(t, "/console")
		boss.Get(t, "/console/settings").ExpectPage(t, 200, servertest.Member)
		expectByLink(t, h, db.PasswordSet, "Password changed")
	})

	t.Run("ChangesOnlyItsAccount", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		victim := h.Enter(t, servertest.Boss)
		link := h.Recover(t, servertest.Member)
		form := url.Values{"password": {servertest.OtherPassword}, "email": {servertest.Boss}, "account": {servertest.Boss}, "id": {h.Accounts(t)[0].ID}}
		b := h.Browser(t)
		b.Post(t, link+"?email="+url.QueryEscape(servertest.Boss), form).ExpectRedirect(t, "/console")
		b.Get(t, "/console/settings").ExpectPage(t, 200, servertest.Member)
		b.Get(t, "/console/operator").ExpectErrorPage(t, 404, "not_found")
		victim.Get(t, "/console").ExpectPage(t, 200)
		h.Browser(t).SignIn(t, servertest.Boss, servertest.Password).ExpectRedirect(t, "/console")
	})

	// A browser that was signed in to another account is signed in to the link's account
	// instead.
	t.Run("ReplacesTheSessionOfTheBrowser", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		b := h.Enter(t, servertest.Boss)
		b.Post(t, h.Recover(t, servertest.Member), fresh).ExpectRedirect(t, "/console")
		b.Get(t, "/console/settings").ExpectPage(t, 200, servertest.Member)
		if all, err := h.App.Accounts.AllSessions(context.Background(), servertest.Boss); err != nil || len(all) != 0 {
			t.Errorf("sessions %+v, %v", all, err)
		}
	})

	t.Run("SetsAFirstPassword", func(t *testing.T) {
		h := openHouse(t)
		h.Account(t, "none@example.com", "free", 0)
		h.Browser(t).Post(t, h.Recover(t, "none@example.com"), fresh).ExpectRedirect(t, "/console")
		h.Browser(t).SignIn(t, "none@example.com", servertest.OtherPassword).ExpectRedirect(t, "/console")
	})

	t.Run("WrongLinksAreNotFound", func(t *testing.T) {
		h := openHouse(t)
		setup := strings.Replace(h.SetupLink(t), "/setup/", "/reset/", 1)
		for _, wrong := range []string{"/reset/" + string(db.NewToken()), "/reset/x", setup} {
			for _, a := range []servertest.Answer{
				h.Browser(t).Get(t, wrong), h.Browser(t).Post(t, wrong, fresh), h.Browser(t).Post(t, wrong, url.Values{"password": {"short"}}),
			} {
				a.ExpectErrorPage(t, 404, "not_found", "This link does not work")
				a.ExpectNoAction(t)
			}
		}
	})
}
