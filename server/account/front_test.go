package account_test

import (
	"context"
	"fmt"
	"html"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/server"
	"svc/server/servertest"
)

// house adds to the house of servertest what only these tests need.
type house struct{ *servertest.House }

func newHouse(t *testing.T, change ...func(*server.Config)) *house {
	t.Helper()
	return &house{servertest.NewHouse(t, change...)}
}

func openHouse(t *testing.T, change ...func(*server.Config)) *house {
	t.Helper()
	return &house{servertest.OpenHouse(t, change...)}
}

// comparableText returns what a client can compare of an answer: without the headers that
// differ in each request, and with a placeholder for the e-mail that the page repeats.
func comparableText(a servertest.Answer, email string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(a.Header)) {
		if name != "X-Request-Id" && name != "Date" && name != "Content-Length" {
			all = append(all, fmt.Sprint(name, a.Header[name]))
		}
	}
	echo := html.EscapeString(email)
	body := strings.NewReplacer(
		`type="email" value="`+echo+`"`, `type="email" value="EMAIL"`, "If "+echo+" has", "If EMAIL has",
	).Replace(string(a.Body))
	return fmt.Sprint(a.Status, "\n", strings.Join(all, "\n"), "\n", body)
}

func expectSameAnswer(t *testing.T, a, b servertest.Answer, emailOfA, emailOfB string) {
	t.Helper()
	if one, two := comparableText(a, emailOfA), comparableText(b, emailOfB); one != two {
		t.Errorf("the answers show who has an account:\n%s\n\n%s", one, two)
	}
}

func TestSignIn(t *testing.T) {
	servertest.Sequential(t)
	t.Run("EmailInAnyCase", func(t *testing.T) {
		h := openHouse(t)
		for _, email := range []string{servertest.Boss, "boss@example.com", "BOSS@EXAMPLE.COM"} {
			b := h.Browser(t)
			b.SignIn(t, email, servertest.Password).ExpectRedirect(t, "/console")
			b.Get(t, "/console").ExpectPage(t, 200)
			b.Get(t, "/signin?next=/console/wallet").ExpectRedirect(t, "/console/wallet")
		}
	})

	t.Run("WrongPasswordLooksLikeAnUnknownEmail", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		h.Account(t, "none@example.com", "free", 0)
		known := h.Browser(t).SignIn(t, servertest.Member, "wrong password")
		known.ExpectErrorPage(t, 401, "wrong_password", "The e-mail or the password is wrong.", `value="`+servertest.Member+`"`)
		if len(known.Forms()) != 1 || known.Header.Get("Set-Cookie") != "" || known.Says("wrong password") {
			t.Errorf("page %s", known.Body)
		}
		for email, password := range map[string]string{
			"nobody@example.com": "wrong password", "none@example.com": "wrong password", servertest.Member: strings.ToUpper(servertest.Password),
			"none@example.com ": "", "x": "", "": "wrong password", "Boss@example.com": strings.Repeat("x", 300), "<b>@example.com": "x",
			strings.Repeat("x", 10_000) + "@example.com": "wrong password",
		} {
			expectSameAnswer(t, known, h.Browser(t).SignIn(t, email, password), servertest.Member, email)
		}
	})

	t.Run("EmailIsEscaped", func(t *testing.T) {
		h := openHouse(t)
		for _, email := range []string{`"><script>alert(1)</script>`, `' onfocus='alert(1)`, "</form><form action=https://evil.example>"} {
			a := h.Browser(t).SignIn(t, email, "x")
			a.ExpectErrorPage(t, 401, "wrong_password", ` value="`+html.EscapeString(email)+`"`)
			if a.Says("<script>") || len(a.Forms()) != 1 {
				t.Errorf("page %s", a.Body)
			}
		}
	})

	t.Run("MalformedFormsAreRefused", func(t *testing.T) {
		h := openHouse(t)
		for _, body := range []string{"%zz", "email=%ff&password=x", "email=a%00b&password=x", "email=" + strings.Repeat("x", 64<<10)} {
			a := h.Call(t, "POST", "/signin", body)
			a.ExpectErrorPage(t, 400, "invalid_request")
			a.ExpectNoAction(t)
		}
		// The query is not a part of the form.
		a := h.Browser(t).Post(t, "/signin?email="+url.QueryEscape(servertest.Boss)+"&password="+url.QueryEscape(servertest.Password), url.Values{})
		a.ExpectErrorPage(t, 401, "wrong_password")
	})
}

func TestNextIsALocalPath(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	in := h.Enter(t, servertest.Boss)
	for _, next := range []string{
		"", "console", "//evil.example", "///evil.example", "////evil.example", `/\evil.example`, `\\evil.example`, `\/evil.example`, `/\/evil.example`,
		"https://evil.example", "http:evil.example", "HTTPS:/evil.example", "javascript:alert(1)", "data:text/html,x", "mailto:a@evil.example",
		"/\t/evil.example", "/\n/evil.example", "/\r/evil.example", "\t//evil.example", " //evil.example", "\n", "/\r\nSet-Cookie: a=b",
		"/console\r\nLocation: https://evil.example", "//" + strings.TrimPrefix(h.URL, "http://"), h.URL + "/console", "?next=/", "#x",
		"//evil.example/%2f..", "/\x00", "/\x1f/evil.example", "/\x7f", "//@evil.example", `/..\evil.example`, "/%", "/%zz",
	} {
		t.Run(fmt.Sprintf("%q", next), func(t *testing.T) {
			in.Get(t, "/signin?next="+url.QueryEscape(next)).ExpectRedirect(t, "/console")
			b := h.Browser(t)
			if !strings.ContainsRune(next, 0) { // a form with NUL is malformed
				b.Post(t, "/signin", url.Values{"email": {servertest.Boss}, "password": {servertest.Password}, "next": {next}}).ExpectRedirect(t, "/console")
				b.Post(t, "/signout", url.Values{"next": {next}}).ExpectRedirect(t, "/signin?done=out")
			}
			a := b.Get(t, "/signin?next="+url.QueryEscape(next))
			a.ExpectPage(t, 200, `name="next" value="/console"`)
		})
	}

	for _, next := range []string{
		"/", "/console/wallet", "/connect/abc?x=1", "/console?a=//evil.example", "/a%20b", "/%0d%0aSet-Cookie:%20a=b", "/%5c%5cevil.example",
		"/%2f%2fevil.example", "/console#//evil.example", "/a/../b", "/ä", "/\"><script>",
	} {
		t.Run(fmt.Sprintf("Good%q", next), func(t *testing.T) {
			in.Get(t, "/signin?next="+url.QueryEscape(next)).ExpectRedirect(t, next)
			b := h.Browser(t)
			a := b.Get(t, "/signin?next="+url.QueryEscape(next))
			a.ExpectPage(t, 200, `name="next" value="`+html.EscapeString(next)+`"`)
			a = b.Post(t, "/signin", url.Values{"email": {servertest.Boss}, "password": {"wrong password"}, "next": {next}})
			a.ExpectErrorPage(t, 401, "wrong_password", `name="next" value="`+html.EscapeString(next)+`"`)
			a = b.Post(t, "/signin", url.Values{"email": {servertest.Boss}, "password": {servertest.Password}, "next": {next}})
			a.ExpectRedirect(t, next)
			if cookies := a.Header.Values("Set-Cookie"); len(cookies) != 2 || !strings.HasPrefix(cookies[0], "svc_session=") {
				t.Errorf("cookies %q", cookies)
			}
			b.Post(t, "/signout", url.Values{"next": {next}}).ExpectRedirect(t, next)
		})
		h.Clock.Advance(15 * time.Minute) // so that the wrong passwords are not throttled
	}
}

// An account that has done nothing yet sees all of its pages.
func TestConsoleOfAFreshAccount(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.Person(t, servertest.Member)
	b := h.Enter(t, servertest.Member)
	for path, says := range map[string][]string{
		"/":                 {"Sign out"},
		"/console":          {"Three steps to your first morning report", "Add your products"},
		"/console/wallet":   {"$0.00", "Nothing has changed the credit yet.", "what you do here costs nothing", `value="1.00"`},
		"/console/granted":  {"Granted"},
		"/console/settings": {servertest.Member, "this browser", "Nowhere else."},
	} {
		a := b.Get(t, path)
		a.ExpectPage(t, 200, says...)
		if path == "/console/wallet" && (a.Says("Your credit is low") || a.Says("Buy credit")) {
			t.Error("a new wallet without Stripe warns of low credit, or offers to buy some")
		}
		if a.Says("Your credit is low") && path == "/console" {
			t.Error("an account without keys is warned of low credit")
		}
		if a.Says("/console/operator") {
			t.Errorf("%s offers the operator's page", path)
		}
		if head := h.Call(t, "HEAD", path, nil); len(head.Body) != 0 {
			t.Errorf("HEAD %s: %q", path, head.Body)
		}
	}
	for _, path := range []string{"/console/operator", "/console/nothing"} {
		b.Get(t, path).ExpectErrorPage(t, 404, "not_found", "There is no such page.")
	}
	operator := h.Enter(t, servertest.Boss)
	operator.Get(t, "/console/operator/mails").ExpectPage(t, 200, "No mails yet", "No mail server is set up")
	if !operator.Get(t, "/console").Says(`href="/console/operator"`) {
		t.Error("the console does not offer the operator's page")
	}
	for _, path := range []string{"/console", "/console/wallet", "/console/granted", "/console/settings", "/console/operator"} {
		h.Browser(t).Get(t, path+"?x=1").ExpectRedirect(t, "/signin?next="+url.QueryEscape(path))
	}
}

func TestThreshold(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.Person(t, servertest.Member)
	b := h.Enter(t, servertest.Member)
	set := func(value string) servertest.Answer {
		t.Helper()
		return b.Post(t, "/console/wallet/threshold", url.Values{"threshold": {value}, "email": {servertest.Boss}})
	}
	for value, want := range map[string]int64{"2.50": 250, "0": 0, "0.01": 1, "1000000": 100_000_000, " 7 ": 700, "$1,234.50": 123_450, "12.5": 1250, "0.00": 0} {
		set(value).ExpectRedirect(t, "/console/wallet?done=threshold")
		if w := h.Wallet(t, servertest.Member); w.LowBalanceCents != want {
			t.Errorf("threshold %q: %+v", value, w)
		}
	}
	set("2,5").ExpectRedirect(t, "/console/wallet?done=threshold")
	b.Get(t, "/console/wallet?done=threshold").ExpectPage(t, 200, "The threshold is set.", `value="2.50"`)
	for _, bad := range []string{
		"", "x", "1.505", "1e2", "-1", "-0.01", "1000000.01", "9223372036854775808", "99999999999999999999", "0x10", "1,5,0", "1,0000", "1.", ".", ".5", "१", "1 0", "NaN", "<script>", "£1", "--1", "+1",
	} {
		a := set(bad)
		a.ExpectErrorPage(t, 400, "invalid_request", "The threshold ")
		if a.Says("<script>") {
			t.Errorf("%q: %s", bad, a.Body)
		}
	}
	b.Post(t, "/console/wallet/threshold", url.Values{}).ExpectErrorPage(t, 400, "invalid_request", "The threshold ")
	if mine, theirs := h.Wallet(t, servertest.Member), h.Wallet(t, servertest.Boss); mine.LowBalanceCents != 250 || theirs.LowBalanceCents != 100 {
		t.Errorf("thresholds %+v and %+v", mine, theirs)
	}
}

// A session has the client's address, not the proxy's.
func TestSessionHasClientAddress(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t, servertest.BehindProxy)
	h.Enter(t, servertest.Boss, servertest.From("2001:db8::1"))
	all, err := h.App.Accounts.AllSessions(context.Background(), servertest.Boss)
	if err != nil || len(all) != 1 || netip.MustParseAddr(all[0].Address) != netip.MustParseAddr("2001:db8::1") {
		t.Errorf("sessions %+v, %v", all, err)
	}
}
