package session_test

import (
	"context"
	"encoding/hex"
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

const sessionCookie = "svc_session" // over plain HTTP (L3)

// withToken sends a session cookie instead of the browser's own.
func withToken(token string) servertest.Option {
	return servertest.WithHeader("Cookie", sessionCookie+"="+token)
}

// tokenOf returns the value of a browser's session cookie.
func tokenOf(t *testing.T, b *servertest.Browser) string {
	t.Helper()
	token := b.Cookie(t, sessionCookie)
	if token == "" {
		t.Fatalf("cookies %v", b.Cookies(t))
	}
	return token
}

// expectSignedIn checks that each token opens the console.
func (h *house) expectSignedIn(t *testing.T, tokens ...string) {
	t.Helper()
	for _, token := range tokens {
		h.Browser(t).Get(t, "/console", withToken(token)).ExpectPage(t, 200)
	}
}

// expectSignedOut checks that each token leads to the sign-in page.
func (h *house) expectSignedOut(t *testing.T, tokens ...string) {
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

// storedRows returns all stored rows, except the request log, the times when sessions
// were seen, and the row that shows that the disk takes writes (server's state, /readyz).
func (h *house) storedRows(t *testing.T) (all []string) {
	t.Helper()
	for _, table := range h.Query(t, `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`) {
		columns := "*"
		if table == "sessions" {
			columns = "id, account_id, token_hash, address, browser, created_at"
		}
		if table != "requests" && table != "request_log" {
			for _, row := range h.Query(t, "SELECT "+columns+" FROM "+table) {
				if !strings.HasPrefix(row, "ready_at ") {
					all = append(all, table+": "+row)
				}
			}
		}
	}
	return all
}

// expectUnchanged compares the stored rows with earlier ones.
func (h *house) expectUnchanged(t *testing.T, before []string) {
	t.Helper()
	after := h.storedRows(t)
	for _, row := range after {
		if !slices.Contains(before, row) {
			t.Errorf("new row: %s", row)
		}
	}
	for _, row := range before {
		if !slices.Contains(after, row) {
			t.Errorf("missing row: %s", row)
		}
	}
}

func TestSessionCookie(t *testing.T) {
	servertest.Sequential(t)
	cookieOf := func(t *testing.T, a servertest.Answer) *http.Cookie {
		t.Helper()
		lines := a.Header.Values("Set-Cookie")
		if len(lines) == 0 {
			t.Fatal("no cookie")
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
		{"HTTPWithAName", "http://console.example.com", "svc_session", false},
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
				if other != row.cookie { // anybody on the network may have set such a cookie
					h.Browser(t).Get(t, "/console", send(other)).ExpectRedirect(t, "/signin?next=%2Fconsole")
				}
			}

			expired := cookieOf(t, h.Browser(t).Post(t, "/signout", nil, send(row.cookie)))
			if expired.Name != row.cookie || expired.Value != "" || expired.MaxAge != -1 || expired.Secure != row.secure || !expired.HttpOnly || expired.Path != "/" {
				t.Errorf("cookie after sign-out %s", expired)
			}
			h.Browser(t).Get(t, "/console", send(row.cookie)).ExpectRedirect(t, "/signin?next=%2Fconsole")
		})
	}
}

// The stored rows contain no token that signs in.
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
			t.Errorf("%s contains the token", name)
		}
	}
	if !found {
		t.Error("no file contains the hash")
	}
	if strings.Contains(h.Log.String(), token) {
		t.Error("the log contains the token")
	}
	h.expectSignedOut(t, hex.EncodeToString(hash[:]), h.sessionsOf(t, servertest.Boss)[0].ID)
}

func TestSessionEnds(t *testing.T) {
	servertest.Sequential(t)
	t.Run("After12IdleHours", func(t *testing.T) {
		h := openHouse(t)
		token := tokenOf(t, h.Enter(t, servertest.Boss))
		h.Clock.Advance(11*time.Hour + 59*time.Minute)
		h.expectSignedIn(t, token)
		h.Clock.Advance(11*time.Hour + 59*time.Minute) // since that visit
		h.expectSignedIn(t, token)
		h.Clock.Advance(12 * time.Hour)
		h.expectSignedOut(t, token)
		h.Clock.Advance(-time.Hour)
		h.expectSignedIn(t, token) // the row is still there, and the clock was set back
	})

	// A visit is stored at most once a minute, so a session may end a minute early.
	t.Run("VisitsAreStoredOnceAMinute", func(t *testing.T) {
		h := openHouse(t)
		token := tokenOf(t, h.Enter(t, servertest.Boss))
		start := h.Clock.Now()
		seen := func() time.Time { return h.sessionsOf(t, servertest.Boss)[0].SeenAt }
		h.Clock.Advance(time.Minute - time.Millisecond)
		h.expectSignedIn(t, token)
		if !seen().Equal(start) {
			t.Errorf("seen %v", seen())
		}
		h.Clock.Advance(time.Millisecond)
		h.expectSignedIn(t, token)
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
			h.expectSignedIn(t, token)
		}
		h.Clock.Set(end.Add(-time.Second))
		h.expectSignedIn(t, token)
		h.Clock.Set(end)
		h.expectSignedOut(t, token)
	})

	t.Run("BySigningOut", func(t *testing.T) {
		h := openHouse(t)
		b, elsewhere := h.Enter(t, servertest.Boss), h.Enter(t, servertest.Boss)
		stolen := tokenOf(t, b)
		b.Post(t, "/signout", nil).ExpectRedirect(t, "/signin?done=out")
		if b.Cookie(t, sessionCookie) != "" {
			t.Errorf("cookies %v", b.Cookies(t))
		}
		h.expectSignedOut(t, stolen)
		b.Post(t, "/signout", nil).ExpectRedirect(t, "/signin?done=out") // signing out twice is not an error
		h.Browser(t).Post(t, "/signout", nil, withToken(stolen)).ExpectRedirect(t, "/signin?done=out")
		h.Browser(t).SignIn(t, servertest.Boss, servertest.Password).ExpectRedirect(t, "/console")
		h.expectSignedOut(t, stolen)
		h.expectSignedIn(t, tokenOf(t, elsewhere))
	})

	t.Run("BySigningInAgain", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		b := h.Enter(t, servertest.Boss)
		first := tokenOf(t, b)
		b.SignIn(t, servertest.Boss, "wrong password").ExpectErrorPage(t, 401, "wrong_password")
		h.expectSignedIn(t, first) // a failure changes nothing
		b.SignIn(t, servertest.Boss, servertest.Password).ExpectRedirect(t, "/console")
		second := tokenOf(t, b)
		if first == second {
			t.Error("the token is still the first one")
		}
		h.expectSignedOut(t, first)
		b.SignIn(t, servertest.Member, servertest.Password).ExpectRedirect(t, "/console")
		h.expectSignedOut(t, first, second)
		b.Get(t, "/console/settings").ExpectPage(t, 200, servertest.Member)
		if n := len(h.sessionsOf(t, "")); n != 1 {
			t.Errorf("%d sessions", n)
		}
	})

	// A token planted before the sign-in is not used for the session.
	t.Run("PlantedCookieIsNotUsed", func(t *testing.T) {
		h := openHouse(t)
		planted := string(db.NewToken())
		a := h.Browser(t).Post(t, "/signin", url.Values{"email": {servertest.Boss}, "password": {servertest.Password}}, withToken(planted))
		a.ExpectRedirect(t, "/console")
		if strings.Contains(a.Header.Get("Set-Cookie"), planted) {
			t.Error("the session uses the planted token")
		}
		h.expectSignedOut(t, planted)
	})

	// The command ends the session in the file while a server runs.
	t.Run("ByACommand", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		token, stays := tokenOf(t, h.Enter(t, servertest.Member)), tokenOf(t, h.Enter(t, servertest.Boss))
		h.expectSignedIn(t, token)
		second := servertest.Open(t, h.Path, h.Clock)
		if err := second.App.Accounts.EndAnySession(context.Background(), h.sessionsOf(t, servertest.Member)[0].ID); err != nil {
			t.Fatal(err)
		}
		h.expectSignedOut(t, token)
		h.expectSignedIn(t, stays)
	})

	t.Run("ByANewPasswordFromTheOperator", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		token, stays := tokenOf(t, h.Enter(t, servertest.Member)), tokenOf(t, h.Enter(t, servertest.Boss))
		if err := h.App.Accounts.SetPassword(context.Background(), servertest.Member, servertest.OtherPassword); err != nil {
			t.Fatal(err)
		}
		h.expectSignedOut(t, token)
		h.expectSignedIn(t, stays)
	})

	t.Run("EndedSessionsAreDeleted", func(t *testing.T) {
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
		h.expectSignedIn(t, live)
	})
}

func TestInvalidCookiesAreIgnored(t *testing.T) {
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
			h.expectSignedOut(t, token)
			a := h.Browser(t).Post(t, "/console/wallet/threshold", url.Values{"threshold": {"5"}}, withToken(token))
			a.ExpectRedirect(t, "/signin?next=%2Fconsole")
			h.Browser(t).Get(t, "/", withToken(token)).ExpectPage(t, 200)
			h.Browser(t).Post(t, "/signout", nil, withToken(token)).ExpectRedirect(t, "/signin?done=out")
			h.Browser(t).Post(t, "/signin", url.Values{"email": {servertest.Boss}, "password": {servertest.Password}}, withToken(token)).ExpectRedirect(t, "/console")
		})
	}
	h.expectSignedIn(t, live)
	h.Browser(t).Get(t, h.NewestResetLink(t, servertest.Member)).ExpectPage(t, 200) // the links still work
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

// The log names the account of a session, and nobody for a visitor.
func TestLogNamesTheAccount(t *testing.T) {
	h := openHouse(t)
	b := h.Enter(t, servertest.Boss)
	b.Get(t, "/console").ExpectPage(t, 200)
	h.Browser(t).Get(t, "/signin").ExpectPage(t, 200)
	for route, want := range map[string]string{"/console": `"account":"` + h.Accounts(t)[0].ID + `"`, "/signin": ""} {
		for line := range strings.Lines(h.Log.String()) {
			if !strings.Contains(line, `"method":"GET","route":"`+route+`"`) {
				continue
			}
			if want == "" && strings.Contains(line, `"account"`) || !strings.Contains(line, want) {
				t.Errorf("%s: %s", route, line)
			}
		}
	}
}
