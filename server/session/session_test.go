package session_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/servertest"
)

// house adds to the house of servertest what only these tests need.
type house struct{ *servertest.House }

func openHouse(t *testing.T, change ...func(*server.Config)) *house {
	t.Helper()
	return &house{servertest.OpenHouse(t, change...)}
}

// Who is signed in (L3), and what other sites cannot do in his name.

const sessionCookie = "svc_session"

// withToken sends a cookie by hand, past what the browser knows.
func withToken(token string) servertest.Option {
	return servertest.WithHeader("Cookie", sessionCookie+"="+token)
}

// tokenOf is the cookie that a browser has.
func tokenOf(t *testing.T, b *servertest.Browser) string {
	t.Helper()
	cookies := b.Cookies(t)
	if len(cookies) != 1 || cookies[0].Name != sessionCookie {
		t.Fatalf("cookies %v", cookies)
	}
	return cookies[0].Value
}

// wantIn and wantOut look at the console with a token.
func (h *house) wantIn(t *testing.T, tokens ...string) {
	t.Helper()
	for _, token := range tokens {
		h.Browser(t).Get(t, "/console", withToken(token)).ExpectPage(t, 200)
	}
}

func (h *house) wantOut(t *testing.T, tokens ...string) {
	t.Helper()
	for _, token := range tokens {
		h.Browser(t).Get(t, "/console", withToken(token)).ExpectRedirect(t, "/signin?next=%2Fconsole")
	}
}

// sessionsOf lists the sessions of an account.
func (h *house) sessionsOf(t *testing.T, email string) []db.Session {
	t.Helper()
	all, err := h.App.Accounts.AllSessions(context.Background(), email)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// wholeFile is all that is stored, but for when sessions were seen and what was logged.
func (h *house) wholeFile(t *testing.T) (all []string) {
	t.Helper()
	for _, table := range h.Query(t, `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`) {
		columns := "*"
		if table == "sessions" {
			columns = "id, account_id, token_hash, address, browser, created_at"
		}
		if table != "requests" && table != "request_log" {
			for _, row := range h.Query(t, "SELECT "+columns+" FROM "+table) {
				all = append(all, table+": "+row)
			}
		}
	}
	return all
}

// wantUnchanged compares what is stored with what was.
func (h *house) wantUnchanged(t *testing.T, before []string) {
	t.Helper()
	after := h.wholeFile(t)
	for _, row := range after {
		if !slices.Contains(before, row) {
			t.Errorf("is new: %s", row)
		}
	}
	for _, row := range before {
		if !slices.Contains(after, row) {
			t.Errorf("is gone: %s", row)
		}
	}
}

func TestSessionCookie(t *testing.T) {
	servertest.Sequential(t)
	cookieOf := func(t *testing.T, a servertest.Answer) *http.Cookie {
		t.Helper()
		lines := a.Header.Values("Set-Cookie")
		if len(lines) != 1 {
			t.Fatalf("cookies %q", lines)
		}
		c, err := http.ParseSetCookie(lines[0])
		if err != nil {
			t.Fatal(err)
		}
		return c
	}

	for _, row := range []struct {
		name, consoleURL, cookie string
		secure                   bool
	}{
		{"HTTP", "", "svc_session", false},
		{"HTTPOfTheNetwork", "http://console.example.com", "svc_session", false},
		{"HTTPS", "https://console.example.com", "__Host-svc_session", true},
		{"HTTPSInCapitals", "HTTPS://Console.Example.com:443/", "__Host-svc_session", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := openHouse(t, func(c *server.Config) { c.ConsoleURL = row.consoleURL })
			c := cookieOf(t, h.Browser(t).SignIn(t, servertest.Boss, servertest.Password))
			if c.Name != row.cookie || c.Secure != row.secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" ||
				c.Domain != "" || c.MaxAge != 7*24*3600 || len(c.Value) != 43 {
				t.Errorf("cookie %s", c)
			}
			send := func(name string) servertest.Option {
				return servertest.WithHeader("Cookie", name+"="+c.Value)
			}
			h.Browser(t).Get(t, "/console", send(row.cookie)).ExpectPage(t, 200)
			for _, other := range []string{"svc_session", "__Host-svc_session", "__Secure-svc_session", "session", strings.ToUpper(row.cookie)} {
				if other != row.cookie { // one that anybody on the network may have set
					h.Browser(t).Get(t, "/console", send(other)).ExpectRedirect(t, "/signin?next=%2Fconsole")
				}
			}

			over := cookieOf(t, h.Browser(t).Post(t, "/signout", nil, send(row.cookie)))
			if over.Name != row.cookie || over.Value != "" || over.MaxAge != -1 || over.Secure != row.secure || !over.HttpOnly || over.Path != "/" {
				t.Errorf("cookie at the end %s", over)
			}
			h.Browser(t).Get(t, "/console", send(row.cookie)).ExpectRedirect(t, "/signin?next=%2Fconsole")
		})
	}
}

// What is stored lets nobody in.
func TestSessionTokenIsStoredHashed(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	token := tokenOf(t, h.Enter(t, servertest.Boss))
	names, err := filepath.Glob(h.Path + "*")
	if err != nil || len(names) < 2 {
		t.Fatalf("files %v, %v", names, err)
	}
	hash := db.Token(token).Hash()
	found := false
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found = found || strings.Contains(string(content), string(hash[:]))
		if strings.Contains(string(content), token) || strings.Contains(string(content), token[:20]) {
			t.Errorf("%s has the token", name)
		}
	}
	if !found {
		t.Error("not even the hash was found in the files")
	}
	if strings.Contains(h.Log.String(), token) {
		t.Error("the log has the token")
	}
	h.wantOut(t, hex.EncodeToString(hash[:]), h.sessionsOf(t, servertest.Boss)[0].ID)
}

func TestSessionEnds(t *testing.T) {
	servertest.Sequential(t)
	t.Run("After12HoursOfNothing", func(t *testing.T) {
		h := openHouse(t)
		token := tokenOf(t, h.Enter(t, servertest.Boss))
		h.Clock.Advance(11*time.Hour + 59*time.Minute)
		h.wantIn(t, token)
		h.Clock.Advance(11*time.Hour + 59*time.Minute) // since that visit
		h.wantIn(t, token)
		h.Clock.Advance(12 * time.Hour)
		h.wantOut(t, token)
		h.Clock.Advance(-time.Hour)
		h.wantIn(t, token) // it ended by the clock, and was not touched since
	})

	// A visit is stored once a minute, so at most a minute of the twelve hours is lost.
	t.Run("VisitsWithinAMinuteAreOne", func(t *testing.T) {
		h := openHouse(t)
		token := tokenOf(t, h.Enter(t, servertest.Boss))
		start := h.Clock.Now()
		seen := func() time.Time { return h.sessionsOf(t, servertest.Boss)[0].SeenAt }
		h.Clock.Advance(time.Minute - time.Millisecond)
		h.wantIn(t, token)
		if !seen().Equal(start) {
			t.Errorf("seen %v", seen())
		}
		h.Clock.Advance(time.Millisecond)
		h.wantIn(t, token)
		if !seen().Equal(start.Add(time.Minute)) {
			t.Errorf("seen %v", seen())
		}
	})

	t.Run("After7DaysOfActivity", func(t *testing.T) {
		h := openHouse(t)
		token := tokenOf(t, h.Enter(t, servertest.Boss))
		end := h.Clock.Now().Add(7 * 24 * time.Hour)
		for h.Clock.Now().Add(11 * time.Hour).Before(end) {
			h.Clock.Advance(11 * time.Hour)
			h.wantIn(t, token)
		}
		h.Clock.Set(end.Add(-time.Second))
		h.wantIn(t, token)
		h.Clock.Set(end)
		h.wantOut(t, token)
	})

	t.Run("BySigningOut", func(t *testing.T) {
		h := openHouse(t)
		b, elsewhere := h.Enter(t, servertest.Boss), h.Enter(t, servertest.Boss)
		stolen := tokenOf(t, b)
		b.Post(t, "/signout", nil).ExpectRedirect(t, "/signin")
		if len(b.Cookies(t)) != 0 {
			t.Errorf("cookies %v", b.Cookies(t))
		}
		h.wantOut(t, stolen)
		b.Post(t, "/signout", nil).ExpectRedirect(t, "/signin") // which is no fault
		h.Browser(t).Post(t, "/signout", nil, withToken(stolen)).ExpectRedirect(t, "/signin")
		h.Browser(t).SignIn(t, servertest.Boss, servertest.Password).ExpectRedirect(t, "/console")
		h.wantOut(t, stolen)
		h.wantIn(t, tokenOf(t, elsewhere))
	})

	t.Run("BySigningInAgain", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		b := h.Enter(t, servertest.Boss)
		first := tokenOf(t, b)
		b.SignIn(t, servertest.Boss, "wrong password").ExpectErrorPage(t, 401, "wrong_password")
		h.wantIn(t, first) // a failure changes nothing
		b.SignIn(t, servertest.Boss, servertest.Password).ExpectRedirect(t, "/console")
		second := tokenOf(t, b)
		if first == second {
			t.Error("the token stayed")
		}
		h.wantOut(t, first)
		b.SignIn(t, servertest.Member, servertest.Password).ExpectRedirect(t, "/console")
		h.wantOut(t, first, second)
		b.Get(t, "/console/settings").ExpectPage(t, 200, servertest.Member)
		if n := len(h.sessionsOf(t, "")); n != 1 {
			t.Errorf("%d sessions", n)
		}
	})

	// A cookie that somebody has planted is not the one that is signed in.
	t.Run("APlantedCookieIsNotUsed", func(t *testing.T) {
		h := openHouse(t)
		planted := string(db.NewToken())
		a := h.Browser(t).Post(t, "/signin", url.Values{"email": {servertest.Boss}, "password": {servertest.Password}}, withToken(planted))
		a.ExpectRedirect(t, "/console")
		if strings.Contains(a.Header.Get("Set-Cookie"), planted) {
			t.Error("the planted token was taken")
		}
		h.wantOut(t, planted)
	})

	// The command ends it in the file, under a server that runs.
	t.Run("ByACommand", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		token, stays := tokenOf(t, h.Enter(t, servertest.Member)), tokenOf(t, h.Enter(t, servertest.Boss))
		h.wantIn(t, token)
		second := servertest.Open(t, h.Path, h.Clock)
		if err := second.App.Accounts.EndAnySession(context.Background(), h.sessionsOf(t, servertest.Member)[0].ID); err != nil {
			t.Fatal(err)
		}
		h.wantOut(t, token)
		h.wantIn(t, stays)
	})

	t.Run("ByAPasswordThatTheOperatorSets", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		token, stays := tokenOf(t, h.Enter(t, servertest.Member)), tokenOf(t, h.Enter(t, servertest.Boss))
		if err := h.App.Accounts.SetPassword(context.Background(), servertest.Member, servertest.OtherPassword); err != nil {
			t.Fatal(err)
		}
		h.wantOut(t, token)
		h.wantIn(t, stays)
	})

	t.Run("AndIsSwept", func(t *testing.T) {
		h := openHouse(t)
		h.Enter(t, servertest.Boss)
		h.Clock.Advance(11 * time.Hour)
		live := tokenOf(t, h.Enter(t, servertest.Boss))
		h.Clock.Advance(time.Hour)
		if err := h.App.Sweep(context.Background()); err != nil {
			t.Fatal(err)
		}
		if rows := h.Query(t, `SELECT id FROM sessions`); len(rows) != 1 {
			t.Errorf("sessions %v", rows)
		}
		h.wantIn(t, live)
	})
}

func TestGarbageCookies(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.Person(t, servertest.Member)
	live := tokenOf(t, h.Enter(t, servertest.Boss))
	_, secret := h.Key(t, servertest.Boss, db.Live, db.AccountMode)
	lastOf := func(link any) string {
		parts := strings.Split(link.(string), "/")
		return parts[len(parts)-1]
	}
	consent := h.Call(t, "POST", "/api/v1/connections", map[string]any{"merchant_email": servertest.Member}, servertest.WithKey(secret))
	charge := h.Call(t, "POST", "/api/v1/charges",
		map[string]any{"merchant_email": servertest.Member, "amount_cents": 100, "description": "x"}, servertest.WithKey(secret))

	for name, token := range map[string]string{
		"Empty": "", "Short": "x", "Long": strings.Repeat("A", 10_000), "NoBase64": strings.Repeat("!", 43), "StandardBase64": live[:42] + "+",
		"Padded": live + "=", "Cut": live[:42], "Extended": live + "A", "OtherCase": swapCase(live), "Unknown": string(db.NewToken()),
		"Spaces": `" ` + live + `"`, "Key": secret, "ResetToken": lastOf(h.Recover(t, servertest.Member)), "SetupToken": lastOf(h.SetupLink(t)),
		"ConsentToken": lastOf(consent.Fields(t)["confirmation_url"]), "ChargeToken": lastOf(charge.Fields(t)["confirmation_url"]),
		"SQL": "' OR 1=1 --", "Bytes": "\xff\xfe",
	} {
		t.Run(name, func(t *testing.T) {
			h.wantOut(t, token)
			a := h.Browser(t).Post(t, "/console/wallet/threshold", url.Values{"threshold": {"5"}}, withToken(token))
			a.ExpectRedirect(t, "/signin?next=%2Fconsole")
			h.Browser(t).Get(t, "/", withToken(token)).ExpectPage(t, 200)
			h.Browser(t).Post(t, "/signout", nil, withToken(token)).ExpectRedirect(t, "/signin")
			h.Browser(t).Post(t, "/signin", url.Values{"email": {servertest.Boss}, "password": {servertest.Password}}, withToken(token)).ExpectRedirect(t, "/console")
		})
	}
	h.wantIn(t, live)
	h.Browser(t).Get(t, h.NewestResetLink(t, servertest.Member)).ExpectPage(t, 200) // the links are as they were
	h.Browser(t).Get(t, "/console", servertest.WithHeader("Cookie", "a=b; "+sessionCookie+"="+live+"; c=d")).ExpectPage(t, 200)
	if w := h.Wallet(t, servertest.Boss); w.LowBalanceCents != 100 {
		t.Errorf("wallet %+v", w)
	}
}

func swapCase(s string) string {
	if upper := strings.ToUpper(s); upper != s {
		return upper
	}
	return strings.ToLower(s)
}

func TestSettings(t *testing.T) {
	servertest.Sequential(t)
	t.Run("ListTheSessions", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.Person(t, servertest.Member)
		const hostile = `Lynx </bdi><script>alert(1)</script>`
		h.Enter(t, servertest.Member)
		h.Enter(t, servertest.Boss, servertest.WithHeader("User-Agent", hostile), servertest.From("203.0.113.9"))
		h.Clock.Advance(time.Hour)
		b := h.Enter(t, servertest.Boss, servertest.WithHeader("User-Agent", "Firefox"), servertest.From("198.51.100.7"))
		a := b.Get(t, "/console/settings")
		a.ExpectPage(t, 200, "Firefox", "198.51.100.7", hostile, "203.0.113.9", "2 March 2026, 10:00 UTC", "2 March 2026, 11:00 UTC")
		if strings.Count(string(a.Body), "this browser") != 1 || a.Says("<script>") {
			t.Errorf("page %s", a.Body)
		}
		mark, mine, other := strings.Index(string(a.Body), "this browser"), strings.Index(string(a.Body), "Firefox"), strings.Index(string(a.Body), "Lynx")
		if !(mine < mark && mark < other) {
			t.Errorf("the mark stands by another session: %s", a.Body)
		}
		if slices.Contains(a.Forms(), "") || strings.Count(string(a.Body), `name="id"`) != 1 {
			t.Errorf("one session can be ended: %s", a.Body)
		}
		if long := h.Enter(t, servertest.Boss, servertest.WithHeader("User-Agent", strings.Repeat("é", 5000))); tokenOf(t, long) != "" {
			if kept := h.sessionsOf(t, servertest.Boss)[0].Browser; kept != strings.Repeat("é", 100) {
				t.Errorf("kept %d bytes of a browser's name", len(kept))
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
		h.wantIn(t, tokenOf(t, b), tokenOf(t, other), tokenOf(t, theirs))

		otherToken := tokenOf(t, other)
		for _, s := range h.sessionsOf(t, servertest.Boss) {
			hash := db.Token(otherToken).Hash()
			if rows := h.Query(t, fmt.Sprintf(`SELECT id FROM sessions WHERE id = '%s' AND token_hash = x'%x'`, s.ID, hash)); len(rows) == 1 {
				end(s.ID)
			}
		}
		h.wantOut(t, otherToken)
		h.wantIn(t, tokenOf(t, b), tokenOf(t, theirs))
		b.Get(t, "/console/settings?done=ended").ExpectPage(t, 200, "The session has ended.", "Nowhere else.")
		end(h.sessionsOf(t, servertest.Boss)[0].ID) // one's own
		h.wantOut(t, tokenOf(t, b))
	})

	t.Run("EndTheOthers", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		b, other, third, theirs := h.Enter(t, servertest.Boss), h.Enter(t, servertest.Boss), h.Enter(t, servertest.Boss), h.Enter(t, servertest.Member)
		b.Post(t, "/console/settings/end-others", nil).ExpectRedirect(t, "/console/settings?done=others")
		h.wantOut(t, tokenOf(t, other), tokenOf(t, third))
		h.wantIn(t, tokenOf(t, b), tokenOf(t, theirs))
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
			a.ExpectErrorPage(t, 400, "invalid_request", row.sentence, `id="`+row.field+`-problem"`) // beside the field
			if a.Says(servertest.OtherPassword) || a.Says("wrong password") {
				t.Errorf("page %s", a.Body)
			}
		}
		h.wantIn(t, tokenOf(t, other))
		if mails := h.Outbox(t, ""); len(mails) != 0 {
			t.Errorf("mails %+v", mails)
		}

		change(servertest.Password, servertest.OtherPassword).ExpectRedirect(t, "/console/settings?done=password")
		h.wantIn(t, tokenOf(t, b), tokenOf(t, theirs))
		h.wantOut(t, tokenOf(t, other))
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

// What is behind a sign-in is done for nobody else.
func TestConsoleNeedsASession(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.Person(t, servertest.Member)
	h.Enter(t, servertest.Boss)
	before := h.wholeFile(t)
	form := url.Values{
		"threshold": {"5"}, "bundle": {"500-gbp-600"}, "current": {servertest.Password}, "password": {servertest.OtherPassword}, "id": {h.sessionsOf(t, servertest.Boss)[0].ID},
	}
	for _, path := range servertest.PostPages("") {
		if strings.HasPrefix(path, "/console") {
			h.Browser(t).Post(t, path, form).ExpectRedirect(t, "/signin?next=%2Fconsole")
		}
	}
	h.wantUnchanged(t, before)
}

// A page of another site sends nothing in the name of who looks at it.
func TestCrossOriginWrites(t *testing.T) {
	servertest.Sequential(t)
	const console, evil = "https://console.example.com", "https://evil.example"
	headers := func(site, origin, host string) servertest.Option {
		return func(r *http.Request) {
			r.Header.Del("Sec-Fetch-Site") // which the kit's browser sends
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
	const none, onlyWithToken, all = 0, 1, 2 // who gets through
	h := openHouse(t, func(c *server.Config) { c.ConsoleURL = "HTTPS://Console.Example.com:443/" })
	own := h.URL
	for _, row := range []struct {
		name, site, origin, host string
		passes                   int
	}{
		{"CrossSite", "cross-site", evil, "", none},
		{"CrossSiteWithoutOrigin", "cross-site", "", "", none},
		{"CrossSiteOfNobody", "cross-site", "null", "", none},
		{"CrossSiteThatSaysItIsUs", "cross-site", own, "", none},
		{"SameSite", "same-site", "https://other.example.com", "", none},
		{"SameSiteWithoutOrigin", "same-site", "", "", none},
		{"SameSiteOfNobody", "same-site", "null", "", none},
		{"AWordThatWeDoNotKnow", "some-site", "", "", none},
		{"ForeignOrigin", "", evil, "", none},
		{"ForeignPort", "", "http://127.0.0.1:1", "", none},
		{"ConsoleByHTTP", "", "http://console.example.com", "", none},
		{"ConsoleOnAnotherPort", "", console + ":8443", "", none},
		{"LikeTheConsole", "", console + ".evil.example", "", none},
		{"Nobody", "", "null", "", onlyWithToken},
		{"SameOrigin", "same-origin", own, "", all},
		{"SameOriginOfNobody", "same-origin", "null", "", all},
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

	// The refusal comes before everything else: nothing is stored, nobody is let in,
	// and no try is counted.
	t.Run("DoNothing", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		b := h.Enter(t, servertest.Member)
		link := h.Recover(t, servertest.Member)
		before := h.wholeFile(t)
		foreign := headers("cross-site", evil, "")
		form := url.Values{
			"email": {servertest.Member}, "password": {servertest.OtherPassword}, "current": {servertest.Password}, "threshold": {"5"}, "id": {h.sessionsOf(t, servertest.Member)[0].ID}, "next": {"/"},
		}
		for range 12 {
			for _, path := range append(servertest.PostPages(string(db.NewToken())), servertest.Path(link)) {
				b.Post(t, path, form, foreign).Expect(t, 403, "cross_origin")
			}
		}
		h.wantUnchanged(t, before)
		h.Browser(t).SignIn(t, servertest.Member, servertest.Password).ExpectRedirect(t, "/console")
	})

	// Links from other sites and mails are followed.
	t.Run("ReadsPass", func(t *testing.T) {
		b := h.Browser(t)
		for _, path := range []string{"/", "/signin", "/signup", "/recover"} {
			b.Get(t, path, headers("cross-site", evil, "")).ExpectPage(t, 200)
		}
	})
}

// To look at a page changes nothing (D3), but for when the session was seen.
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
	before := h.wholeFile(t)
	for range 2 {
		for _, path := range paths {
			for _, visitor := range []*servertest.Browser{b, m, h.Browser(t)} {
				visitor.Get(t, path)
			}
			h.Call(t, "HEAD", path, nil)
		}
		h.Clock.Advance(2 * time.Minute)
	}
	h.wantUnchanged(t, before)
}
