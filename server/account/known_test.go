package account_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

// lockOut uses up the wrong passwords of an account, from many networks.
func (h *house) lockOut(t *testing.T, email string) {
	t.Helper()
	for i := range 20 {
		h.signInWrongly(t, 10, fmt.Sprintf("192.0.2.%d", i), email)
	}
	h.expectThrottled(t, "192.0.2.200", email, 900)
}

// Strangers can use up the tries of an account and of a network. Browsers and networks from
// which its owner has signed in have tries of their own.
func TestStrangersDoNotLockTheOwnerOut(t *testing.T) {
	servertest.Sequential(t)
	const home, away, office = "203.0.113.9", "198.51.100.7", "198.51.100.8"
	try := func(t *testing.T, b *servertest.Browser, address, email, password string, status int) {
		t.Helper()
		form := url.Values{"email": {email}, "password": {password}}
		if a := b.Post(t, "/signin", form, servertest.From(address)); a.Status != status {
			t.Errorf("%s: %d, want %d: %s", address, a.Status, status, a.Body)
		}
	}

	t.Run("KnownBrowserAnywhere", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		b := h.Enter(t, servertest.Boss, servertest.From(home))
		b.Post(t, "/signout", nil)
		h.lockOut(t, servertest.Boss)
		try(t, b, away, servertest.Boss, servertest.Password, 303)
		for range 10 {
			try(t, b, office, servertest.Boss, "wrong password", 401)
		}
		try(t, b, office, servertest.Boss, servertest.Password, 429) // its tries are bounded, too
		h.expectSignIn(t, home, servertest.Boss)
		h.Clock.Advance(15 * time.Minute)
		try(t, b, office, servertest.Boss, servertest.Password, 303)
	})

	t.Run("AnyBrowserInAKnownNetwork", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.expectSignIn(t, home, servertest.Boss)
		h.lockOut(t, servertest.Boss)
		h.signInWrongly(t, 9, home, servertest.Boss)
		h.expectSignIn(t, home, servertest.Boss)
		h.signInWrongly(t, 1, home, servertest.Boss)
		h.expectThrottled(t, home, servertest.Boss, 900)
	})

	t.Run("KnownNetworkThatTriedOtherAccounts", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.Person(t, servertest.Member)
		h.expectSignIn(t, home, servertest.Boss)
		for i := range 3 {
			h.signInWrongly(t, 10, home, fmt.Sprintf("nobody%d@example.com", i))
		}
		h.expectThrottled(t, home, servertest.Member, 900)
		h.expectSignIn(t, home, servertest.Boss)
	})

	t.Run("OnlyToThatAccount", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.Person(t, servertest.Member)
		b := h.Enter(t, servertest.Member, servertest.From(home))
		h.lockOut(t, servertest.Boss)
		try(t, b, home, servertest.Boss, servertest.Password, 429)
		for _, planted := range []string{"", "x", string(db.NewToken()), "acct_1"} {
			stranger := servertest.WithHeader("Cookie", "svc_browser="+planted)
			form := url.Values{"email": {servertest.Boss}, "password": {servertest.Password}}
			h.Browser(t).Post(t, "/signin", form, stranger, servertest.From(away)).Expect(t, 429, "too_many_tries")
		}
	})

	t.Run("UntilTheirEnd", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		b := h.Enter(t, servertest.Boss, servertest.From(home))
		h.Clock.Advance(30 * 24 * time.Hour)
		h.lockOut(t, servertest.Boss)
		h.expectThrottled(t, home, servertest.Boss, 900)
		try(t, b, home, servertest.Boss, servertest.Password, 303) // and is known for as long again
		h.Clock.Advance(180 * 24 * time.Hour)
		h.lockOut(t, servertest.Boss)
		try(t, b, home, servertest.Boss, servertest.Password, 429)
	})

	// Somebody who had the old password is a stranger again.
	t.Run("UntilTheNextPassword", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.Person(t, servertest.Member)
		owner := h.Enter(t, servertest.Member, servertest.From(home))
		thief := h.Enter(t, servertest.Member, servertest.From(away))
		form := url.Values{"current": {servertest.Password}, "password": {servertest.OtherPassword}}
		owner.Post(t, "/console/settings/password", form, servertest.From(home)).Expect(t, 303, "")
		h.lockOut(t, servertest.Member)
		try(t, thief, away, servertest.Member, servertest.OtherPassword, 429)
		try(t, owner, home, servertest.Member, servertest.OtherPassword, 303)

		link := h.Recover(t, servertest.Member)
		for range 10 {
			try(t, owner, home, servertest.Member, "wrong password", 401)
		}
		owner.Post(t, link, url.Values{"password": {servertest.Password}}, servertest.From(office)).Expect(t, 303, "")
		try(t, owner, office, servertest.Member, servertest.Password, 303) // and the tries begin anew
	})
}

// The cookie by which an account knows a browser says nothing and stays after the session.
func TestBrowserCookie(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.Person(t, servertest.Member)
	b := h.Browser(t)
	a := b.SignIn(t, servertest.Boss, servertest.Password)
	c, err := http.ParseSetCookie(a.Header.Values("Set-Cookie")[1])
	if err != nil || c.Name != "svc_browser" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.MaxAge != 180*24*3600 {
		t.Fatalf("cookie %v, %v", c, err)
	}
	if _, ok := db.ParseToken(c.Value); !ok || c.Value == b.Cookie(t, "svc_session") {
		t.Errorf("value %q, want a random token of its own", c.Value)
	}
	for _, row := range h.Query(t, `SELECT person_id, hex(caller), ends_at FROM known_callers`) {
		if strings.Contains(row, c.Value) {
			t.Error("the token itself is stored")
		}
	}
	b.Post(t, "/signout", nil)
	b.SignIn(t, servertest.Member, servertest.Password).Expect(t, 303, "")
	if b.Cookie(t, "svc_browser") != c.Value {
		t.Error("another account is known by another token, so the first one would forget the browser")
	}
	if a := h.Browser(t).SignIn(t, servertest.Boss, "wrong password"); a.Header.Get("Set-Cookie") != "" {
		t.Errorf("a wrong password sets %q", a.Header.Get("Set-Cookie"))
	}
}
