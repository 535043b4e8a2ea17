package account_test

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

var entryProof = regexp.MustCompile(`name="proof" value="([^"]{20,})"`)

// proofOf returns the proof of a page's form.
func proofOf(t *testing.T, a servertest.Answer) string {
	t.Helper()
	found := entryProof.FindSubmatch(a.Body)
	if found == nil {
		t.Fatalf("no proof: %d %s", a.Status, a.Body)
	}
	return string(found[1])
}

// fromNowhere is a form of a page without a referrer, over plain http: its browser tells
// nothing of where it comes from.
func fromNowhere(r *http.Request) {
	r.Header.Del("Sec-Fetch-Site")
	r.Header.Set("Origin", "null")
}

// Forms of links that begin a session need the proof of a cookie if their origin is unknown:
// another site could else sign a visitor in to the account of an attacker.
func TestFormsOfLinksNeedTheirCookie(t *testing.T) {
	servertest.Sequential(t)
	try := func(t *testing.T, h *house, link string, form url.Values, keeps ...string) {
		t.Helper()
		b, attacker := h.Browser(t), h.Browser(t)
		theirs, proof := proofOf(t, attacker.Get(t, link)), proofOf(t, b.Get(t, link))
		for name, c := range map[string]struct {
			from  *servertest.Browser
			proof string
		}{"NoProof": {b, ""}, "OfTheAttacker": {b, theirs}, "WithoutTheCookie": {h.Browser(t), theirs}} {
			form.Set("proof", c.proof)
			a := c.from.Post(t, link, form, fromNowhere)
			a.ExpectErrorPage(t, 403, "cross_origin", append(keeps, "Nothing was done yet", "send it again")...)
			if c.from.Cookie(t, "svc_session") != "" {
				t.Errorf("%s: signed in", name)
			}
		}
		form.Set("proof", proof)
		b.Post(t, link, form, fromNowhere).ExpectRedirect(t, "/console")
	}

	t.Run("Reset", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		link := h.Recover(t, servertest.Member)
		try(t, h, link, url.Values{"password": {servertest.OtherPassword}}, servertest.Member)
		h.Clock.Advance(2 * time.Minute)
		in := h.Enter(t, servertest.Boss) // somebody who is signed in is not moved to another account, either
		again := h.Recover(t, servertest.Member)
		in.Post(t, again, url.Values{"password": {servertest.Password}}, fromNowhere).Expect(t, 403, "cross_origin")
		in.Get(t, "/console/settings").ExpectPage(t, 200, servertest.Boss)
	})

	t.Run("Setup", func(t *testing.T) {
		h := &house{servertest.NewHouse(t)}
		form := url.Values{"email": {servertest.Boss}, "name": {"Corner shop"}, "password": {servertest.Password}, "timezone": {"UTC"}}
		try(t, h, h.SetupLink(t), form, servertest.Boss, "Corner shop")
	})

	// A cookie that is no token proves nothing, and is replaced.
	t.Run("PlantedCookie", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		link := h.Recover(t, servertest.Member)
		b := h.Browser(t)
		for _, planted := range []string{"", "x", string(db.NewToken())[:42]} {
			a := b.Post(t, link, url.Values{"proof": {""}}, fromNowhere, servertest.WithHeader("Cookie", "svc_form="+planted))
			a.Expect(t, 403, "cross_origin")
			c, err := http.ParseSetCookie(a.Header.Get("Set-Cookie"))
			if err != nil || c.Name != "svc_form" || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || len(c.Value) != 43 {
				t.Errorf("cookie %v, %v", c, err)
			}
		}
	})
}

// Every page for signing in or up has its proof in each form, whether or not its origin is
// known, and only these pages set the cookie.
func TestEntryFormsHaveAProof(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.Person(t, servertest.Member)
	link := h.Recover(t, servertest.Member)
	for _, path := range []string{"/signin", "/signup", "/recover", link} {
		a := h.Browser(t).Get(t, path)
		if found := entryProof.FindAll(a.Body, -1); len(found) != len(a.Forms()) || len(found) == 0 {
			t.Errorf("%s: %d of %d forms have a proof", path, len(found), len(a.Forms()))
		}
	}
	if a := h.AskCode(t, "new@example.com"); a.Status != 200 || len(a.Forms()) != 1 {
		t.Errorf("status %d, forms %v", a.Status, a.Forms())
	}
	for _, path := range []string{"/", "/nowhere", "/charges/" + string(db.NewToken())} {
		if a := h.Browser(t).Get(t, path); a.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s sets %q", path, a.Header.Get("Set-Cookie"))
		}
	}
}
