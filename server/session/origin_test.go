package session_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/servertest"
)

// Forms of the console change nothing without a session.
func TestConsoleNeedsASession(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.Person(t, servertest.Member)
	h.Enter(t, servertest.Boss)
	before := h.storedRows(t)
	form := url.Values{
		"threshold": {"5"}, "bundle": {"500-gbp-600"}, "current": {servertest.Password}, "password": {servertest.OtherPassword}, "id": {h.sessionsOf(t, servertest.Boss)[0].ID},
	}
	for _, path := range servertest.PostPages("") {
		if strings.HasPrefix(path, "/console") {
			h.Browser(t).Post(t, path, form).ExpectRedirect(t, "/signin?next=%2Fconsole")
		}
	}
	h.expectUnchanged(t, before)
}

// Forms from other sites are refused.
func TestCrossOriginFormsAreRefused(t *testing.T) {
	servertest.Sequential(t)
	const console, evil = "https://console.example.com", "https://evil.example"
	headers := func(site, origin, host string) servertest.Option {
		return func(r *http.Request) {
			r.Header.Del("Sec-Fetch-Site") // sent by the kit's browser
			if site != "" {
				r.Header.Set("Sec-Fetch-Site", site)
			}
			if origin != "" {
				r.Header.Set("Origin", origin)
			}
			if host != "" {
				r.Host = host
			}
		}
	}
	const none, onlyWithToken, all = 0, 1, 2 // forms that pass
	h := openHouse(t, func(c *server.Config) { c.ConsoleURL = "HTTPS://Console.Example.com:443/" })
	own := h.URL
	for _, row := range []struct {
		name, site, origin, host string
		passes                   int
	}{
		{"CrossSite", "cross-site", evil, "", none},
		{"CrossSiteWithoutOrigin", "cross-site", "", "", none},
		{"CrossSiteNullOrigin", "cross-site", "null", "", none},
		{"CrossSiteWithOurOrigin", "cross-site", own, "", none},
		{"SameSite", "same-site", "https://other.example.com", "", none},
		{"SameSiteWithoutOrigin", "same-site", "", "", none},
		{"SameSiteNullOrigin", "same-site", "null", "", none},
		{"UnknownFetchSite", "some-site", "", "", none},
		{"ForeignOrigin", "", evil, "", none},
		{"ForeignPort", "", "http://127.0.0.1:1", "", none},
		{"ConsoleByHTTP", "", "http://console.example.com", "", none},
		{"ConsoleOnAnotherPort", "", console + ":8443", "", none},
		{"LikeTheConsole", "", console + ".evil.example", "", none},
		{"NullOrigin", "", "null", "", onlyWithToken},
		{"SameOrigin", "same-origin", own, "", all},
		{"SameOriginNullOrigin", "same-origin", "null", "", all},
		{"TypedIn", "none", "", "", all},
		{"NoBrowser", "", "", "", all},
		{"OriginIsTheHost", "", own, "", all},
		{"ConsoleBehindAProxyThatRewritesTheHost", "", console, "10.0.0.1:8080", all},
		{"ConsoleBehindAProxyOfAnotherSite", "cross-site", console, "10.0.0.1:8080", all},
	} {
		t.Run(row.name, func(t *testing.T) {
			token := string(db.NewToken())
			for _, path := range servertest.PostPages(token) {
				a := h.Browser(t).Post(t, path, url.Values{}, headers(row.site, row.origin, row.host))
				passes := row.passes == all || row.passes == onlyWithToken && (strings.Contains(path, token) || path == "/signout")
				if refused := a.Code() == "cross_origin"; refused == passes {
					t.Errorf("%s: %d %s", path, a.Status, a.Code())
				}
				if !passes {
					a.ExpectErrorPage(t, 403, "cross_origin", "This form was sent from another site, so nothing was done.")
					a.ExpectNoAction(t)
				}
			}
		})
	}

	// The refusal comes first: nothing is stored, nobody is signed in, and no attempt is
	// counted.
	t.Run("ChangeNothing", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		b := h.Enter(t, servertest.Member)
		link := h.Recover(t, servertest.Member)
		before := h.storedRows(t)
		foreign := headers("cross-site", evil, "")
		form := url.Values{
			"email": {servertest.Member}, "password": {servertest.OtherPassword}, "current": {servertest.Password},
			"threshold": {"5"}, "id": {h.sessionsOf(t, servertest.Member)[0].ID}, "next": {"/"},
		}
		for range 12 {
			for _, path := range append(servertest.PostPages(string(db.NewToken())), servertest.Path(link)) {
				b.Post(t, path, form, foreign).Expect(t, 403, "cross_origin")
			}
		}
		h.expectUnchanged(t, before)
		h.Browser(t).SignIn(t, servertest.Member, servertest.Password).ExpectRedirect(t, "/console")
	})

	// Links from other sites and mails work.
	t.Run("LinksPass", func(t *testing.T) {
		b := h.Browser(t)
		for _, path := range []string{"/", "/signin", "/signup", "/recover"} {
			b.Get(t, path, headers("cross-site", evil, "")).ExpectPage(t, 200)
		}
	})
}

// A GET changes nothing (D3), except when the session was seen.
func TestGetChangesNothing(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.Person(t, servertest.Member)
	b := h.Enter(t, servertest.Boss)
	_, live := h.Key(t, servertest.Boss, db.Live, db.AccountMode)
	_, test := h.Key(t, servertest.Boss, db.Test, db.AccountMode)
	link := func(path string, body map[string]any, key string) string {
		made := h.Call(t, "POST", path, body, servertest.WithKey(key))
		made.Expect(t, 200, "")
		return servertest.Path(made.Fields(t)["confirmation_url"].(string))
	}
	charge := map[string]any{"merchant_email": servertest.Member, "amount_cents": 100, "description": "x"}
	paths := []string{
		"/", "/signin", "/signin?next=/console", "/signup", "/recover", "/signout", "/console", "/console/wallet", "/console/wallet?done=bought",
		"/console/granted", "/console/settings", "/console/settings?done=ended", "/console/operator", "/healthz", "/api/v1/pricing",
		servertest.Path(h.Recover(t, servertest.Member)), servertest.Path(h.SetupLink(t)), "/reset/x", "/setup/x", "/nowhere",
	}
	for _, key := range []string{live, test} {
		paths = append(paths, link("/api/v1/connections", map[string]any{"merchant_email": servertest.Member}, key))
		paths = append(paths, link("/api/v1/charges", charge, key))
	}
	for _, path := range slices.Clone(paths) {
		switch {
		case strings.HasPrefix(path, "/connect/"):
			paths = append(paths, path+"/logo", path+"/approve", path+"/signin", path+"/revoke")
		case strings.HasPrefix(path, "/charges/"):
			paths = append(paths, path+"/return", path+"/status", path+"/approve", path+"/pay")
		}
	}
	paths = append(paths, servertest.PostPages(string(db.NewToken()))...)

	m := h.Enter(t, servertest.Member)
	before := h.storedRows(t)
	for range 2 {
		for _, path := range paths {
			for _, visitor := range []*servertest.Browser{b, m, h.Browser(t)} {
				visitor.Get(t, path)
			}
			h.Call(t, "HEAD", path, nil)
		}
		h.Clock.Advance(2 * time.Minute)
	}
	h.expectUnchanged(t, before)
}
