package account_test

import (
	"context"
	"fmt"
	"html"
	"maps"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
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

// How people come in: the first account, sign-in, sign-up, and a forgotten password.

func setupForm(email, name, password string) url.Values {
	return url.Values{"email": {email}, "name": {name}, "password": {password}}
}

func TestSetup(t *testing.T) {
	good := setupForm(servertest.Boss, " Corner Shop ", servertest.OtherPassword)

	t.Run("MakesTheOperatorOnce", func(t *testing.T) {
		h := newHouse(t)
		link := h.SetupLink(t)
		b := h.Browser(t)
		for range 2 { // to look changes nothing
			a := b.Get(t, link)
			a.ExpectErrorPage(t, 200, "", "Make the operator’s account")
			if forms := a.Forms(); !slices.Equal(forms, []string{servertest.Path(link)}) {
				t.Errorf("forms %q", forms)
			}
			if a.Header.Get("Referrer-Policy") != "no-referrer" {
				t.Error("the page tells its address")
			}
		}
		b.Post(t, link, good).ExpectRedirect(t, "/console")
		made := h.Accounts(t)[0]
		if made.Email != servertest.Boss || made.Name != "Corner Shop" || !made.Operator || made.VerifiedAt.IsZero() || made.Plan != db.Free {
			t.Errorf("made %+v", made)
		}
		b.Get(t, "/console").ExpectErrorPage(t, 200, "", "Corner Shop")
		h.Browser(t).SignIn(t, servertest.Boss, servertest.OtherPassword).ExpectRedirect(t, "/console")

		for range 2 {
			over := h.Browser(t)
			for _, a := range []servertest.Answer{
				over.Get(t, link), over.Post(t, link, setupForm("second@example.com", "", servertest.OtherPassword)), b.Post(t, link, url.Values{}),
			} {
				a.ExpectErrorPage(t, 404, "not_found", "This server is set up")
				a.ExpectNoAction(t)
			}
		}
		if n := len(h.Accounts(t)); n != 1 {
			t.Errorf("%d accounts", n)
		}
		if strings.Contains(h.Log.String(), strings.TrimPrefix(servertest.Path(link), "/setup/")) {
			t.Error("the log has the link")
		}
	})

	t.Run("WrongLinksOfferNothing", func(t *testing.T) {
		h := newHouse(t)
		link := h.SetupLink(t)
		token := strings.TrimPrefix(servertest.Path(link), "/setup/")
		for _, wrong := range []string{
			string(db.NewToken()), token[1:], token + "A", token + "=", token[:42], "x", "%00", strings.Repeat("x", 5000), `"><b>`, token + "%0a",
		} {
			b := h.Browser(t)
			for _, a := range []servertest.Answer{
				b.Get(t, "/setup/"+url.PathEscape(wrong)), b.Get(t, "/setup/"+wrong),
				b.Post(t, "/setup/"+wrong, good), b.Post(t, "/setup/"+wrong, setupForm("x", "", "short")), // nor does a mistake
			} {
				a.ExpectErrorPage(t, 404, "not_found", "A setup link works for 30 minutes")
				a.ExpectNoAction(t)
			}
		}
		if n := len(h.Accounts(t)); n != 0 {
			t.Errorf("%d accounts", n)
		}
		h.Browser(t).Post(t, link, good).ExpectRedirect(t, "/console")
	})

	t.Run("WorksFor30Minutes", func(t *testing.T) {
		h := newHouse(t)
		link := h.SetupLink(t)
		h.Clock.Advance(30*time.Minute - time.Millisecond)
		h.Browser(t).Get(t, link).ExpectErrorPage(t, 200, "")
		h.Clock.Advance(time.Millisecond)
		h.Browser(t).Get(t, link).ExpectErrorPage(t, 404, "not_found")
		h.Browser(t).Post(t, link, good).ExpectErrorPage(t, 404, "not_found")
		h.Browser(t).Post(t, h.SetupLink(t), good).ExpectRedirect(t, "/console")
	})

	t.Run("AFreshOneTakesItsPlace", func(t *testing.T) {
		h := newHouse(t)
		old := h.SetupLink(t)
		second := servertest.Open(t, h.Path, h.Clock) // svc serve has been started again
		fresh, err := second.App.Accounts.SetupLink(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		h.Browser(t).Get(t, old).ExpectErrorPage(t, 404, "not_found")
		h.Browser(t).Post(t, old, good).ExpectErrorPage(t, 404, "not_found")
		h.Browser(t).Post(t, fresh, good).ExpectRedirect(t, "/console")
	})

	t.Run("AnAccountMadeMeanwhileEndsIt", func(t *testing.T) {
		h := newHouse(t)
		link := h.SetupLink(t)
		h.Person(t, servertest.Member) // as svc accounts create does
		a := h.Browser(t).Get(t, link)
		a.ExpectErrorPage(t, 404, "not_found", "This server is set up")
		a.ExpectNoAction(t)
		h.Browser(t).Post(t, link, good).ExpectErrorPage(t, 404, "not_found", "This server is set up")
		if all := h.Accounts(t); len(all) != 1 || all[0].Email != servertest.Member || !all[0].Operator {
			t.Errorf("accounts %+v", all)
		}
	})

	t.Run("TwoAtOnceMakeOneAccount", func(t *testing.T) {
		h := newHouse(t)
		link := h.SetupLink(t)
		const n = 4
		answers := make([]servertest.Answer, n)
		var all sync.WaitGroup
		for i := range n {
			b := h.Browser(t)
			all.Go(func() {
				answers[i] = b.Post(t, link, setupForm(fmt.Sprintf("a%d@example.com", i), "", servertest.OtherPassword))
			})
		}
		all.Wait()
		made := h.Accounts(t)
		if len(made) != 1 || !made[0].Operator {
			t.Fatalf("accounts %+v", made)
		}
		for i, a := range answers {
			if made[0].Email == fmt.Sprintf("a%d@example.com", i) {
				a.ExpectRedirect(t, "/console")
			} else {
				a.ExpectErrorPage(t, 404, "not_found", "This server is set up")
			}
		}
	})

	for _, row := range []struct {
		name, email, business, password, sentence string
	}{
		{"NoEmail", "", "Shop", servertest.OtherPassword, "The e-mail is required."},
		{"BadEmail", "boss", "Shop", servertest.OtherPassword, "The e-mail must be one e-mail address, like name@example.com."},
		{"TwoEmails", "a@example.com, b@example.com", "Shop", servertest.OtherPassword, "The e-mail must be one e-mail address, like name@example.com."},
		{"EmailWithAName", "Boss <a@example.com>", "Shop", servertest.OtherPassword, "The e-mail must be one e-mail address, like name@example.com."},
		{"EmailWithALineEnd", "a@example.com\r\nBcc: b@example.com", "Shop", servertest.OtherPassword, "The e-mail must be one e-mail address, like name@example.com."},
		{"ShortPassword", servertest.Boss, "Shop", "123456789", "The password must have 10 to 200 characters."},
		{"LongPassword", servertest.Boss, "Shop", strings.Repeat("x", 201), "The password must have 10 to 200 characters."},
		{"NoPassword", servertest.Boss, "Shop", "", "The password must have 10 to 200 characters."},
		{"BlankName", servertest.Boss, "  ", servertest.OtherPassword, "The name of the business is required."},
		{"LongName", servertest.Boss, strings.Repeat("é", 101), servertest.OtherPassword, "The name of the business must be at most 100 characters."},
		{"Markup", `"><script>alert(1)</script>`, `</title><img src=x onerror=alert(1)>`, servertest.OtherPassword, "The e-mail must be one e-mail address"},
	} {
		t.Run("BadInputKeepsTheLink/"+row.name, func(t *testing.T) {
			h := newHouse(t)
			link := h.SetupLink(t)
			b := h.Browser(t)
			a := b.Post(t, link, setupForm(row.email, row.business, row.password))
			a.ExpectErrorPage(t, 400, "invalid_request", row.sentence)
			if !slices.Equal(a.Forms(), []string{servertest.Path(link)}) {
				t.Errorf("forms %q", a.Forms())
			}
			if row.email != "" && !a.Says(` value="`+html.EscapeString(row.email)+`"`) && !strings.Contains(row.email, "\r") {
				t.Errorf("the e-mail is gone: %s", a.Body)
			}
			if !a.Says(` value="` + html.EscapeString(row.business) + `"`) {
				t.Errorf("the name is gone: %s", a.Body)
			}
			if a.Says("<script>") || a.Says("<img src=x") || row.password != "" && a.Says(row.password) {
				t.Errorf("the page repeats markup or the password: %s", a.Body)
			}
			if len(b.Cookies(t)) > 0 || len(h.Accounts(t)) > 0 {
				t.Error("something was made")
			}
			b.Post(t, link, good).ExpectRedirect(t, "/console")
		})
	}

	t.Run("EdgesOfWhatIsGood", func(t *testing.T) {
		for password, name := range map[string]string{
			strings.Repeat("x", 10): "", strings.Repeat("x", 200): strings.Repeat("é", 100), strings.Repeat("🍵", 10): "名前", "пароль пароль": "<b>",
		} {
			h := newHouse(t)
			h.Browser(t).Post(t, h.SetupLink(t), setupForm(servertest.Boss, name, password)).ExpectRedirect(t, "/console")
			want := name
			if want == "" {
				want = "Boss"
			}
			if made := h.Accounts(t)[0]; made.Name != want {
				t.Errorf("made %+v", made)
			}
			h.Browser(t).SignIn(t, strings.ToUpper(servertest.Boss), password).ExpectRedirect(t, "/console")
		}
	})
}

// Before the first account nothing answers but what L2 names, and nothing but the
// setup link makes it.
func TestClosedBeforeSetup(t *testing.T) {
	servertest.Sequential(t)
	h := newHouse(t, func(c *server.Config) { c.SignupOpen = true })
	link := h.SetupLink(t)
	token := string(db.NewToken())
	code := ""
	dbtest.Update(t, h.Store, func(tx *db.Tx) (err error) {
		code, err = tx.IssueCode("thief@example.com")
		return err
	})

	for _, path := range []string{
		"/", "/signin", "/signup", "/recover", "/reset/" + token, "/connect/" + token, "/connect/" + token + "/logo",
		"/charges/" + token, "/charges/" + token + "/return", "/charges/" + token + "/status",
		"/console", "/console/wallet", "/console/granted", "/console/settings", "/console/operator", "/nowhere", "/setup", "/setup/",
		"/api/v1/connections", "/api/v1/charges",
	} {
		h.Call(t, "GET", path, nil).Expect(t, 503, "setup_required")
	}
	thief := url.Values{
		"email": {"thief@example.com"}, "code": {code}, "name": {"Thief"}, "password": {servertest.OtherPassword}, "next": {"/console"},
		"current": {servertest.OtherPassword}, "threshold": {"5"}, "bundle": {"500-gbp-600"}, "id": {"x"},
	}
	for _, path := range slices.Concat(servertest.PostPages(token), []string{"/webhooks/stripe", "/api/v1/connections", "/api/v1/charges", servertest.SendPath}) {
		if strings.HasPrefix(path, "/setup/") {
			continue
		}
		h.Browser(t).Post(t, path, thief).Expect(t, 503, "setup_required")
	}
	if n := len(h.Accounts(t)); n != 0 {
		t.Fatalf("%d accounts", n)
	}
	if mails := h.Outbox(t, ""); len(mails) != 0 {
		t.Errorf("mails %+v", mails)
	}

	setup := h.Browser(t).Get(t, link)
	style := regexp.MustCompile(`/static/[^"]+\.css`).Find(setup.Body)
	for _, path := range []string{string(style), "/healthz", "/readyz", "/api/v1/pricing"} {
		if a := h.Call(t, "GET", path, nil); a.Status != 200 || len(a.Body) == 0 {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	h.Browser(t).Post(t, link, setupForm(servertest.Boss, "", servertest.OtherPassword)).ExpectRedirect(t, "/console")
	for _, path := range []string{"/", "/signin", "/signup", "/recover"} {
		if a := h.Call(t, "GET", path, nil); a.Status != 200 {
			t.Errorf("%s once there is an account: %d", path, a.Status)
		}
	}
}

// whatTells is all of an answer that its client can see and compare, without what is
// of one request only, and with another e-mail in place of that which it echoes.
func whatTells(a servertest.Answer, email string) string {
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

func wantSameAnswer(t *testing.T, a, b servertest.Answer, emailOfA, emailOfB string) {
	t.Helper()
	if one, two := whatTells(a, emailOfA), whatTells(b, emailOfB); one != two {
		t.Errorf("the answers tell who has an account:\n%s\n\n%s", one, two)
	}
}

func TestSignIn(t *testing.T) {
	servertest.Sequential(t)
	t.Run("RightWhateverTheCaseOfTheEmail", func(t *testing.T) {
		h := openHouse(t)
		for _, email := range []string{servertest.Boss, "boss@example.com", "BOSS@EXAMPLE.COM"} {
			b := h.Browser(t)
			b.SignIn(t, email, servertest.Password).ExpectRedirect(t, "/console")
			b.Get(t, "/console").ExpectErrorPage(t, 200, "")
			b.Get(t, "/signin?next=/console/wallet").ExpectRedirect(t, "/console/wallet")
		}
	})

	t.Run("WrongTellsNothing", func(t *testing.T) {
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
			wantSameAnswer(t, known, h.Browser(t).SignIn(t, email, password), servertest.Member, email)
		}
	})

	t.Run("TheEmailIsEscaped", func(t *testing.T) {
		h := openHouse(t)
		for _, email := range []string{`"><script>alert(1)</script>`, `' onfocus='alert(1)`, "</form><form action=https://evil.example>"} {
			a := h.Browser(t).SignIn(t, email, "x")
			a.ExpectErrorPage(t, 401, "wrong_password", ` value="`+html.EscapeString(email)+`"`)
			if a.Says("<script>") || len(a.Forms()) != 1 {
				t.Errorf("page %s", a.Body)
			}
		}
	})

	t.Run("WhatIsNoFormIsRefused", func(t *testing.T) {
		h := openHouse(t)
		for _, body := range []string{"%zz", "email=%ff&password=x", "email=a%00b&password=x", "email=" + strings.Repeat("x", 64<<10)} {
			a := h.Call(t, "POST", "/signin", body)
			a.ExpectErrorPage(t, 400, "invalid_request")
			a.ExpectNoAction(t)
		}
		// What stands in the address is no part of the form.
		a := h.Browser(t).Post(t, "/signin?email="+url.QueryEscape(servertest.Boss)+"&password="+url.QueryEscape(servertest.Password), url.Values{})
		a.ExpectErrorPage(t, 401, "wrong_password")
	})
}

func TestNextIsAPathOfOurs(t *testing.T) {
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
			if !strings.ContainsRune(next, 0) { // which is no form
				b.Post(t, "/signin", url.Values{"email": {servertest.Boss}, "password": {servertest.Password}, "next": {next}}).ExpectRedirect(t, "/console")
				b.Post(t, "/signout", url.Values{"next": {next}}).ExpectRedirect(t, "/signin")
			}
			a := b.Get(t, "/signin?next="+url.QueryEscape(next))
			a.ExpectErrorPage(t, 200, "", `name="next" value="/console"`)
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
			a.ExpectErrorPage(t, 200, "", `name="next" value="`+html.EscapeString(next)+`"`)
			a = b.Post(t, "/signin", url.Values{"email": {servertest.Boss}, "password": {"wrong password"}, "next": {next}})
			a.ExpectErrorPage(t, 401, "wrong_password", `name="next" value="`+html.EscapeString(next)+`"`)
			a = b.Post(t, "/signin", url.Values{"email": {servertest.Boss}, "password": {servertest.Password}, "next": {next}})
			a.ExpectRedirect(t, next)
			if cookies := a.Header.Values("Set-Cookie"); len(cookies) != 1 || !strings.HasPrefix(cookies[0], "svc_session=") {
				t.Errorf("cookies %q", cookies)
			}
			b.Post(t, "/signout", url.Values{"next": {next}}).ExpectRedirect(t, next)
		})
		h.Clock.Advance(15 * time.Minute) // so many wrong passwords are not about this
	}
}

// tryIn posts a password from an address, as a trusted proxy names it.
func (h *house) tryIn(t *testing.T, address, email, password string) servertest.Answer {
	t.Helper()
	return h.Browser(t).Post(t, "/signin", url.Values{"email": {email}, "password": {password}}, servertest.From(address))
}

// wrongIn makes n tries that are wrong, and not refused.
func (h *house) wrongIn(t *testing.T, n int, address, email string) {
	t.Helper()
	for i := range n {
		if a := h.tryIn(t, address, email, "wrong password"); a.Status != 401 || a.Code() != "wrong_password" {
			t.Fatalf("try %d: %d %s", i+1, a.Status, a.Body)
		}
	}
}

// wantShut checks that not even the right password helps.
func (h *house) wantShut(t *testing.T, address, email string, retryAfter int) {
	t.Helper()
	for _, password := range []string{"wrong password", servertest.Password} {
		a := h.tryIn(t, address, email, password)
		a.ExpectErrorPage(t, 429, "too_many_tries", "Too many wrong passwords; wait a quarter of an hour and try again.")
		if a.Header.Get("Retry-After") != fmt.Sprint(retryAfter) || a.Header.Get("Set-Cookie") != "" {
			t.Errorf("headers %v, want Retry-After %d", a.Header, retryAfter)
		}
	}
}

func (h *house) wantOpen(t *testing.T, address, email string) {
	t.Helper()
	if a := h.tryIn(t, address, email, servertest.Password); a.Status != 303 {
		t.Fatalf("%s from %s: %d %s", email, address, a.Status, a.Body)
	}
}

func TestSignInIsThrottled(t *testing.T) {
	const here, there = "203.0.113.9", "198.51.100.7"

	t.Run("PerAccountAndAddress", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.Person(t, servertest.Member)
		h.wrongIn(t, 9, here, servertest.Boss)
		h.wantOpen(t, here, servertest.Boss) // which is no wrong try
		h.wrongIn(t, 1, here, "BOSS@example.com")
		h.wantShut(t, here, servertest.Boss, 900)
		h.wantShut(t, here, "boss@EXAMPLE.com", 900)
		h.wantOpen(t, there, servertest.Boss)
		h.wantOpen(t, here, servertest.Member)
	})

	t.Run("SuccessesAreNotCounted", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		for range 35 {
			h.wantOpen(t, here, servertest.Boss)
		}
	})

	t.Run("AQuarterOfAnHour", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.wrongIn(t, 4, here, servertest.Boss)
		h.Clock.Advance(5 * time.Minute)
		h.wrongIn(t, 6, here, servertest.Boss)
		h.wantShut(t, here, servertest.Boss, 600)
		h.Clock.Advance(10*time.Minute - time.Second)
		h.wantShut(t, here, servertest.Boss, 1)
		h.Clock.Advance(time.Second)
		h.wrongIn(t, 10, here, servertest.Boss) // all of a new window
		h.wantShut(t, here, servertest.Boss, 900)
		h.Clock.Advance(15 * time.Minute)
		h.wantOpen(t, here, servertest.Boss)
	})

	t.Run("EndsWhenTheClockIsSetBack", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.wrongIn(t, 10, here, servertest.Boss)
		h.Clock.Advance(-48 * time.Hour)
		h.wantOpen(t, here, servertest.Boss)
	})

	t.Run("PerAddressOverAllAccounts", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		for i := range 4 {
			h.Person(t, fmt.Sprintf("a%d@example.com", i))
		}
		for i := range 3 {
			h.wrongIn(t, 9, here, fmt.Sprintf("a%d@example.com", i))
		}
		h.wrongIn(t, 3, here, "a3@example.com")
		h.wantShut(t, here, "a3@example.com", 900)
		h.wantShut(t, here, servertest.Boss, 900)
		h.wantOpen(t, there, servertest.Boss)
	})

	t.Run("PerAccountOverAllAddresses", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.Person(t, servertest.Member)
		for i := range 200 {
			h.wrongIn(t, 1, fmt.Sprintf("203.0.113.%d", i), servertest.Boss)
		}
		h.wantShut(t, there, servertest.Boss, 900)
		h.wantOpen(t, there, servertest.Member)
		h.Clock.Advance(15 * time.Minute)
		h.wantOpen(t, there, servertest.Boss)
	})

	t.Run("UnknownEmailsToo", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.Person(t, servertest.Member)
		h.wrongIn(t, 10, here, "nobody@example.com")
		h.wrongIn(t, 10, here, servertest.Member)
		a, b := h.tryIn(t, here, "nobody@example.com", "x"), h.tryIn(t, here, servertest.Member, "x")
		a.Expect(t, 429, "too_many_tries")
		wantSameAnswer(t, a, b, "nobody@example.com", servertest.Member)
	})

	t.Run("OneIPv6Network", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		for i := range 10 {
			h.wrongIn(t, 1, fmt.Sprintf("2001:db8:1:2::%x", i), servertest.Boss)
		}
		h.wantShut(t, "2001:db8:1:2:ffff::1", servertest.Boss, 900)
		h.wantOpen(t, "2001:db8:1:3::1", servertest.Boss)
	})

	t.Run("WhatTheClientWritesIsNoAddress", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		for i := range 10 {
			h.wrongIn(t, 1, fmt.Sprintf("10.0.0.%d, %s", i, here), servertest.Boss)
		}
		h.wantShut(t, "1.1.1.1, "+here, servertest.Boss, 900)

		direct := openHouse(t) // which trusts nobody
		for i := range 10 {
			direct.wrongIn(t, 1, fmt.Sprintf("203.0.113.%d", i), servertest.Boss)
		}
		direct.wantShut(t, there, servertest.Boss, 900)
	})

	t.Run("AtOnce", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		got := servertest.Parallel(60, func(int) int { return h.tryIn(t, here, servertest.Boss, "wrong password").Status })
		if got[401] != 10 || got[429] != 50 {
			t.Errorf("answers %v", got)
		}
	})

	// The other places where a password is asked for are no way around it.
	t.Run("WhereverAPasswordIsAskedFor", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.Person(t, servertest.Member)
		in := h.Enter(t, servertest.Member, servertest.From(here))
		change := func(current string) servertest.Answer {
			return in.Post(t, "/console/settings/password", url.Values{"current": {current}, "password": {servertest.OtherPassword}}, servertest.From(here))
		}
		_, secret := h.Key(t, servertest.Boss, db.Live, db.AccountMode)
		made := h.Call(t, "POST", "/api/v1/connections", map[string]any{"merchant_email": servertest.Member}, servertest.WithKey(secret))
		consent := made.Fields(t)["confirmation_url"].(string) + "/signin"
		knock := func(password string) servertest.Answer {
			return h.Browser(t).Post(t, consent, url.Values{"email": {servertest.Member}, "password": {password}}, servertest.From(here))
		}
		for range 4 {
			change("wrong password").ExpectErrorPage(t, 400, "invalid_request", "The current password is not your password.")
			knock("wrong password").Expect(t, 401, "wrong_password")
		}
		h.wrongIn(t, 2, here, servertest.Member)
		change("wrong password").Expect(t, 429, "too_many_tries")
		change(servertest.Password).Expect(t, 429, "too_many_tries")
		knock(servertest.Password).Expect(t, 429, "too_many_tries")
		h.wantShut(t, here, servertest.Member, 900)
		h.wantOpen(t, there, servertest.Member)
	})
}

// wrongCode is a code that is not this one.
func wrongCode(code string) string {
	if code == "000000" {
		return "000001"
	}
	return "000000"
}

func TestSignUp(t *testing.T) {
	const newcomer = "New@example.com"
	const wrongSaid = "The code is wrong or no longer valid"

	t.Run("IsClosedUnlessOpened", func(t *testing.T) {
		h := newHouse(t)
		h.Person(t, servertest.Boss)
		code := ""
		dbtest.Update(t, h.Store, func(tx *db.Tx) (err error) {
			code, err = tx.IssueCode(newcomer)
			return err
		})
		b := h.Browser(t)
		for _, a := range []servertest.Answer{
			b.Get(t, "/signup"), b.Post(t, "/signup", url.Values{"email": {newcomer}}),
			b.Post(t, "/signup/code", servertest.SignUpForm(newcomer, code, "", servertest.OtherPassword)),
		} {
			a.ExpectErrorPage(t, 403, "forbidden", "Sign-up is closed")
			a.ExpectNoAction(t)
		}
		if len(h.Accounts(t)) != 1 || len(h.Outbox(t, "")) != 0 {
			t.Error("something was made")
		}
		if h.Browser(t).Get(t, "/signin").Says(`href="/signup"`) {
			t.Error("the sign-in page offers it")
		}
	})

	t.Run("MakesAnAccount", func(t *testing.T) {
		h := openHouse(t)
		b := h.Browser(t)
		if !b.Get(t, "/signin").Says(`href="/signup"`) {
			t.Error("the sign-in page does not offer it")
		}
		a := b.Get(t, "/signup?next=/console/wallet")
		a.ExpectErrorPage(t, 200, "", `name="next" value="/console/wallet"`)
		a = b.Post(t, "/signup", url.Values{"email": {newcomer}, "next": {"/console/wallet"}})
		a.ExpectErrorPage(t, 200, "", `name="email" type="email" value="New@example.com"`, `name="next" value="/console/wallet"`)
		if !slices.Equal(a.Forms(), []string{"/signup/code"}) || len(h.Accounts(t)) != 1 {
			t.Errorf("forms %q", a.Forms())
		}
		mails := h.Outbox(t, newcomer)
		if len(mails) != 1 || mails[0].Subject != "Your six-digit code" || !strings.Contains(mails[0].Text, "make an account") ||
			!strings.Contains(mails[0].Text, "10 minutes") || mails[0].State != db.MailKept {
			t.Errorf("mails %+v", mails)
		}
		form := servertest.SignUpForm("new@EXAMPLE.com", " "+h.Code(t, newcomer)+" ", "Corner Shop", servertest.OtherPassword)
		form.Set("next", "/console/wallet")
		b.Post(t, "/signup/code", form).ExpectRedirect(t, "/console/wallet")
		b.Get(t, "/console").ExpectErrorPage(t, 200, "", "Corner Shop")
		made := h.Accounts(t)[1]
		if made.Operator || made.VerifiedAt.IsZero() || made.Name != "Corner Shop" || made.Plan != db.Free {
			t.Errorf("made %+v", made)
		}
		h.Browser(t).SignIn(t, newcomer, servertest.OtherPassword).ExpectRedirect(t, "/console")
		if w := h.Wallet(t, newcomer); w.BalanceCents != 0 {
			t.Errorf("wallet %+v", w)
		}
	})

	t.Run("NextIsLocal", func(t *testing.T) {
		h := openHouse(t)
		b := h.Browser(t)
		b.Get(t, "/signup?next=//evil.example").ExpectErrorPage(t, 200, "", `name="next" value="/console"`)
		a := b.Post(t, "/signup", url.Values{"email": {newcomer}, "next": {`/\evil.example`}})
		a.ExpectErrorPage(t, 200, "", `name="next" value="/console"`)
		form := servertest.SignUpForm(newcomer, "x", "", servertest.OtherPassword)
		form.Set("next", "https://evil.example")
		b.Post(t, "/signup/code", form).ExpectErrorPage(t, 400, "invalid_request", `name="next" value="/console"`)
		form.Set("code", h.Code(t, newcomer))
		b.Post(t, "/signup/code", form).ExpectRedirect(t, "/console")
	})

	for name, email := range map[string]string{
		"NoEmail": "", "NoAddress": "x", "Two": "a@example.com,b@example.com", "WithAName": "A <a@example.com>", "Long": strings.Repeat("x", 250) + "@example.com",
		"LineEnd": "a@example.com\r\nBcc: b@example.com", "Markup": `"><script>@example.com`,
	} {
		t.Run("BadEmail/"+name, func(t *testing.T) {
			h := openHouse(t)
			for _, path := range []string{"/signup", "/recover"} {
				a := h.Browser(t).Post(t, path, url.Values{"email": {email}})
				a.ExpectErrorPage(t, 400, "invalid_request", "The e-mail ")
				if a.Says("<script>") || !slices.Equal(a.Forms(), []string{path}) {
					t.Errorf("page %s", a.Body)
				}
			}
			if len(h.Outbox(t, "")) != 0 {
				t.Error("a mail was sent")
			}
		})
	}

	t.Run("FiveTries", func(t *testing.T) {
		h := openHouse(t)
		b := h.Browser(t)
		h.AskCode(t, newcomer)
		code := h.Code(t, newcomer)

		// What is wrong beside the code costs none.
		for sentence, form := range map[string]url.Values{
			"The password must have 10 to 200 characters.":             servertest.SignUpForm(newcomer, wrongCode(code), "Shop", "short"),
			"The name of the business must be at most 100 characters.": servertest.SignUpForm(newcomer, code, strings.Repeat("x", 101), servertest.OtherPassword),
			"The name of the business is required.":                    servertest.SignUpForm(newcomer, code, " \t", servertest.OtherPassword),
		} {
			for range 6 {
				b.Post(t, "/signup/code", form).ExpectErrorPage(t, 400, "invalid_request", sentence)
			}
		}
		for i := range 5 {
			a := b.Post(t, "/signup/code", servertest.SignUpForm(newcomer, wrongCode(code), `"><b>Shop`, servertest.OtherPassword))
			a.ExpectErrorPage(t, 400, "invalid_request", wrongSaid, ` value="`+html.EscapeString(`"><b>Shop`)+`"`)
			if a.Says(servertest.OtherPassword) || a.Says("<b>") || a.Header.Get("Set-Cookie") != "" || !slices.Equal(a.Forms(), []string{"/signup/code"}) {
				t.Errorf("try %d: %s", i, a.Body)
			}
		}
		b.Post(t, "/signup/code", servertest.SignUpForm(newcomer, code, "Shop", servertest.OtherPassword)).ExpectErrorPage(t, 400, "invalid_request", wrongSaid)
		if len(h.Accounts(t)) != 1 {
			t.Error("an account was made")
		}

		h.Clock.Advance(time.Minute)
		h.AskCode(t, newcomer)
		b.Post(t, "/signup/code", servertest.SignUpForm(newcomer, h.Code(t, newcomer), "", servertest.OtherPassword)).ExpectRedirect(t, "/console")
	})

	t.Run("ACodeIsForItsAddressForTenMinutesAndOnce", func(t *testing.T) {
		h := openHouse(t)
		h.AskCode(t, newcomer)
		code := h.Code(t, newcomer)
		refused := func(email, code string) {
			t.Helper()
			h.Browser(t).Post(t, "/signup/code", servertest.SignUpForm(email, code, "", servertest.OtherPassword)).ExpectErrorPage(t, 400, "invalid_request", wrongSaid)
		}
		refused("other@example.com", code)
		refused(servertest.Boss, code)
		refused("", code)
		h.Clock.Advance(10 * time.Minute)
		refused(newcomer, code)
		h.AskCode(t, newcomer)
		code = h.Code(t, newcomer)
		h.Browser(t).Post(t, "/signup/code", servertest.SignUpForm(newcomer, code, "", servertest.OtherPassword)).ExpectRedirect(t, "/console")
		refused(newcomer, code)
		if len(h.Accounts(t)) != 2 {
			t.Errorf("%d accounts", len(h.Accounts(t)))
		}
	})

	t.Run("OneAccountHoweverManyUseTheCodeAtOnce", func(t *testing.T) {
		h := openHouse(t)
		h.AskCode(t, newcomer)
		form := servertest.SignUpForm(newcomer, h.Code(t, newcomer), "", servertest.OtherPassword)
		got := servertest.Parallel(8, func(int) int { return h.Browser(t).Post(t, "/signup/code", form).Status })
		if got[303] != 1 || got[400] != 7 || len(h.Accounts(t)) != 2 {
			t.Errorf("answers %v, %d accounts", got, len(h.Accounts(t)))
		}
	})

	// What is sent to an address is bounded, and so is what can be guessed; whether it
	// has an account does not show.
	t.Run("MailsToAnAddressAreBounded", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		asked := 0
		ask := func(status int) {
			t.Helper()
			a := h.AskCode(t, newcomer)
			if a.Status != status {
				t.Fatalf("%d, want %d: %s", a.Status, status, a.Body)
			}
			wantSameAnswer(t, a, h.AskCode(t, servertest.Member), newcomer, servertest.Member)
			if status == 200 {
				asked++
			} else if a.Code() != "too_many_tries" || a.Header.Get("Retry-After") != "60" {
				t.Errorf("headers %v", a.Header)
			}
			if n, m := len(h.Outbox(t, newcomer)), len(h.Outbox(t, servertest.Member)); n != asked || m != asked {
				t.Errorf("%d and %d mails, want %d", n, m, asked)
			}
		}
		begun := h.Clock.Now()
		for range 5 {
			ask(200)
			ask(429)
			h.Clock.Advance(time.Minute - time.Millisecond)
			ask(429)
			h.Clock.Advance(time.Millisecond)
		}
		ask(429)
		h.Browser(t).Post(t, "/recover", url.Values{"email": {strings.ToUpper(newcomer)}}).Expect(t, 200, "") // bounded for itself
		h.Clock.Set(begun.Add(time.Hour))
		ask(200)
	})

	// Nobody has us send mail to whomever he likes, whoever has an account.
	t.Run("MailsThatANetworkAsksForAreBounded", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.Person(t, servertest.Member)
		_, secret := h.Key(t, servertest.Boss, db.Live, db.AccountMode)
		made := h.Call(t, "POST", "/api/v1/connections", map[string]any{"merchant_email": "asked@example.com"}, servertest.WithKey(secret))
		consent := made.Fields(t)["confirmation_url"].(string) + "/code"
		requests := len(h.Outbox(t, ""))
		ask := func(i int, address string) servertest.Answer {
			t.Helper()
			path := []string{"/signup", "/recover"}[i%2]
			return h.Browser(t).Post(t, path, url.Values{"email": {fmt.Sprintf("a%d@example.com", i)}}, servertest.From(address))
		}
		for i := range 58 {
			ask(i, fmt.Sprintf("2001:db8:1:2::%x", i)).Expect(t, 200, "")
		}
		h.Clock.Advance(5 * time.Minute)
		h.Browser(t).Post(t, consent, nil, servertest.From("2001:db8:1:2::a")).Expect(t, 200, "")
		h.Browser(t).Post(t, "/recover", url.Values{"email": {servertest.Member}}, servertest.From("2001:db8:1:2::b")).Expect(t, 200, "")
		mails := len(h.Outbox(t, ""))
		if mails != requests+29+2 {
			t.Errorf("%d mails", mails-requests)
		}

		const network = "2001:db8:1:2:ffff::1"
		known := h.Browser(t).Post(t, "/signup", url.Values{"email": {servertest.Boss}}, servertest.From(network))
		known.ExpectErrorPage(t, 429, "too_many_tries", "A mail was asked for a moment ago")
		if known.Header.Get("Retry-After") != "600" {
			t.Errorf("headers %v", known.Header)
		}
		wantSameAnswer(t, known, h.Browser(t).Post(t, "/signup", url.Values{"email": {"x@example.com"}}, servertest.From(network)), servertest.Boss, "x@example.com")
		ask(101, network).Expect(t, 429, "too_many_tries")
		h.Clock.Advance(time.Minute)
		h.Browser(t).Post(t, consent, nil, servertest.From(network)).Expect(t, 429, "too_many_tries")
		if n := len(h.Outbox(t, "")); n != mails {
			t.Errorf("%d mails more", n-mails)
		}
		ask(102, "2001:db8:1:3::1").Expect(t, 200, "")
		h.Clock.Advance(9 * time.Minute)
		ask(104, network).Expect(t, 200, "")
	})

	t.Run("HoweverManyAreAskedForAtOnce", func(t *testing.T) {
		h := openHouse(t)
		got := servertest.Parallel(80, func(i int) int { return h.AskCode(t, fmt.Sprintf("a%d@example.com", i)).Status })
		if got[200] != 60 || got[429] != 20 || len(h.Outbox(t, "")) != 60 {
			t.Errorf("answers %v, %d mails", got, len(h.Outbox(t, "")))
		}
	})

	// A mailbox is somebody else's as soon as one letter is another, even one whose
	// lower case is the same.
	t.Run("MailboxesThatLookAlikeAreTwo", func(t *testing.T) {
		for _, pair := range [][2]string{
			{"shop@\u0130store.example", "shop@istore.example"}, {"mi\u212ae@example.com", "mike@example.com"}, {"mi\u212ae@example.com", "MIKE@example.com"},
			{"Ä@example.com", "ä@example.com"},
		} {
			h := openHouse(t)
			theirs, mine := pair[0], pair[1]
			_, secret := h.Key(t, servertest.Boss, db.Live, db.AccountMode)
			made := h.Call(t, "POST", "/api/v1/connections", map[string]any{"merchant_email": mine}, servertest.WithKey(secret))
			consent := made.Fields(t)["confirmation_url"].(string)

			b := h.Browser(t)
			h.AskCode(t, theirs)
			b.Post(t, "/signup/code", servertest.SignUpForm(theirs, h.Code(t, theirs), "", servertest.OtherPassword)).ExpectRedirect(t, "/console")
			h.Browser(t).SignIn(t, mine, servertest.OtherPassword).ExpectErrorPage(t, 401, "wrong_password")
			b.Get(t, consent).ExpectErrorPage(t, 403, "forbidden", "somebody else")
			b.Post(t, consent+"/approve", url.Values{"scope": {"read_inventory"}}).Expect(t, 403, "forbidden")
			h.Clock.Advance(time.Minute)
			h.Browser(t).Post(t, "/recover", url.Values{"email": {mine}}).Expect(t, 200, "")
			for _, m := range h.Outbox(t, "") {
				if m.Subject == "You have an account already" {
					t.Errorf("mail %+v", m)
				}
			}
			h.AskCode(t, mine)
			h.Browser(t).Post(t, "/signup/code", servertest.SignUpForm(mine, h.Code(t, mine), "", servertest.OtherPassword)).ExpectRedirect(t, "/console")
		}
	})

	t.Run("AnAddressWithAnAccountGetsALink", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		fresh, known := h.AskCode(t, newcomer), h.AskCode(t, "MEMBER@example.com")
		known.ExpectErrorPage(t, 200, "")
		wantSameAnswer(t, fresh, known, newcomer, "MEMBER@example.com")
		mails := h.Outbox(t, servertest.Member)
		if len(mails) != 1 || mails[0].To != servertest.Member || mails[0].Subject != "You have an account already" || !strings.Contains(mails[0].Text, h.URL+"/reset/") ||
			regexp.MustCompile(`\b\d{6}\b`).MatchString(mails[0].Text) {
			t.Errorf("mails %+v", mails)
		}
		if left := h.Query(t, `SELECT tries_left FROM codes WHERE email_folded = 'member@example.com'`); !slices.Equal(left, []string{"0"}) {
			t.Errorf("tries left at a code that nobody has: %v", left)
		}
		a := h.Browser(t).Post(t, "/signup/code", servertest.SignUpForm(newcomer, wrongCode(h.Code(t, newcomer)), "", servertest.OtherPassword))
		b := h.Browser(t).Post(t, "/signup/code", servertest.SignUpForm(servertest.Member, "123456", "", servertest.OtherPassword))
		wantSameAnswer(t, a, b, newcomer, servertest.Member)
		h.Browser(t).Get(t, h.NewestResetLink(t, servertest.Member)).ExpectErrorPage(t, 200, "", servertest.Member)
	})
}

// What a stranger calls himself is a text, wherever it is shown.
func TestHostileNames(t *testing.T) {
	servertest.Sequential(t)
	const name = `<script>alert(1)</script>"'&` + "\u202egnirts\r\nBcc: x@evil.example https://evil.example"
	h := openHouse(t)
	h.AskCode(t, "stranger@example.com")
	b := h.Browser(t)
	b.Post(t, "/signup/code", servertest.SignUpForm("stranger@example.com", h.Code(t, "stranger@example.com"), name, servertest.OtherPassword)).ExpectRedirect(t, "/console")
	for _, path := range []string{"/", "/console", "/console/wallet", "/console/settings", "/console/granted"} {
		a := b.Get(t, path)
		a.ExpectErrorPage(t, 200, "", "&lt;script&gt;alert(1)&lt;/script&gt;")
		if a.Says("<script>alert") {
			t.Errorf("%s: %s", path, a.Body)
		}
	}

	_, secret := h.Key(t, "stranger@example.com", db.Live, db.AccountMode)
	made := h.Call(t, "POST", "/api/v1/connections", map[string]any{"merchant_email": servertest.Member}, servertest.WithKey(secret))
	made.Expect(t, 200, "")
	h.Browser(t).Get(t, made.Fields(t)["confirmation_url"].(string)).ExpectErrorPage(t, 200, "", "&lt;script&gt;alert(1)&lt;/script&gt;")
	m := h.Outbox(t, servertest.Member)[0]
	if strings.Contains(m.HTML, "<script>") || strings.ContainsAny(m.Subject, "\r\n") || strings.Contains(m.Text, "\nBcc:") ||
		strings.Contains(m.Text+m.HTML, "https://evil.example") || strings.ContainsRune(m.Text+m.HTML, '\u202e') {
		t.Errorf("mail %+v", m)
	}
	if a := h.Enter(t, servertest.Boss).Get(t, "/console/operator"); a.Says("<script>alert") || a.Status != 200 {
		t.Errorf("operator's page: %s", a.Body)
	}
}

func TestRecover(t *testing.T) {
	fresh := url.Values{"password": {servertest.OtherPassword}}

	t.Run("TellsNothing", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		b := h.Browser(t)
		b.Get(t, "/recover").ExpectErrorPage(t, 200, "")
		known, unknown := b.Post(t, "/recover", url.Values{"email": {servertest.Member}}), b.Post(t, "/recover", url.Values{"email": {"nobody@example.com"}})
		known.ExpectErrorPage(t, 200, "", "If "+servertest.Member+" has an account here")
		wantSameAnswer(t, known, unknown, servertest.Member, "nobody@example.com")
		if left := h.Query(t, `SELECT DISTINCT tries_left FROM codes`); !slices.Equal(left, []string{"0"}) {
			t.Errorf("tries left at a code that nobody has: %v", left)
		}
		if len(h.Outbox(t, "nobody@example.com")) != 0 || len(h.Outbox(t, servertest.Member)) != 1 {
			t.Errorf("mails %+v", h.Outbox(t, ""))
		}
		again, neither := b.Post(t, "/recover", url.Values{"email": {servertest.Member}}), b.Post(t, "/recover", url.Values{"email": {"nobody@example.com"}})
		again.Expect(t, 429, "too_many_tries")
		wantSameAnswer(t, again, neither, servertest.Member, "nobody@example.com")

		// What was drawn for the stranger's address proves nothing.
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
			a.ExpectErrorPage(t, 200, "", `value="`+servertest.Member+`"`)
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
		old.Get(t, "/console").ExpectErrorPage(t, 200, "") // nothing has happened so far

		h.Clock.Advance(time.Second)
		b.Post(t, link, fresh).ExpectRedirect(t, "/console")
		b.Get(t, "/console").ExpectErrorPage(t, 200, "")
		old.Get(t, "/console").ExpectRedirect(t, "/signin?next=%2Fconsole")
		bosses.Get(t, "/console").ExpectErrorPage(t, 200, "")
		h.Browser(t).SignIn(t, servertest.Member, servertest.Password).ExpectErrorPage(t, 401, "wrong_password")
		h.Browser(t).SignIn(t, servertest.Member, servertest.OtherPassword).ExpectRedirect(t, "/console")
		h.Browser(t).SignIn(t, servertest.Boss, servertest.Password).ExpectRedirect(t, "/console")
		if m := h.Outbox(t, servertest.Member)[0]; m.Subject != "Your password was changed" {
			t.Errorf("the newest mail is %+v", m)
		}
		if mails := h.Outbox(t, servertest.Boss); len(mails) != 0 {
			t.Errorf("mails to somebody else: %+v", mails)
		}

		for _, a := range []servertest.Answer{
			b.Get(t, link), b.Post(t, link, url.Values{"password": {"yet another password"}}), h.Browser(t).Post(t, link, url.Values{"password": {"short"}}),
		} {
			a.ExpectErrorPage(t, 404, "not_found", "It has been used, it is older than 30 minutes, or it is not complete.")
			a.ExpectNoAction(t)
		}
		h.Browser(t).SignIn(t, servertest.Member, servertest.OtherPassword).ExpectRedirect(t, "/console")
		if strings.Contains(h.Log.String(), strings.TrimPrefix(servertest.Path(link), "/reset/")) {
			t.Error("the log has the link")
		}
	})

	t.Run("OnceHoweverManyAtOnce", func(t *testing.T) {
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

	t.Run("For30Minutes", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		link := h.Recover(t, servertest.Member)
		h.Clock.Advance(30*time.Minute - time.Millisecond)
		h.Browser(t).Get(t, link).ExpectErrorPage(t, 200, "")
		h.Clock.Advance(time.Millisecond)
		h.Browser(t).Get(t, link).ExpectErrorPage(t, 404, "not_found")
		h.Browser(t).Post(t, link, fresh).ExpectErrorPage(t, 404, "not_found")
		h.Browser(t).SignIn(t, servertest.Member, servertest.Password).ExpectRedirect(t, "/console")
	})

	t.Run("ANewerOneTakesItsPlace", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		first := h.Recover(t, servertest.Member)
		h.Clock.Advance(time.Minute)
		second := h.Recover(t, servertest.Member)
		h.Browser(t).Post(t, first, fresh).ExpectErrorPage(t, 404, "not_found")
		h.Browser(t).Post(t, second, fresh).ExpectRedirect(t, "/console")
	})

	t.Run("TouchesNobodyElse", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		victim := h.Enter(t, servertest.Boss)
		link := h.Recover(t, servertest.Member)
		form := url.Values{"password": {servertest.OtherPassword}, "email": {servertest.Boss}, "account": {servertest.Boss}, "id": {h.Accounts(t)[0].ID}}
		b := h.Browser(t)
		b.Post(t, link+"?email="+url.QueryEscape(servertest.Boss), form).ExpectRedirect(t, "/console")
		b.Get(t, "/console/settings").ExpectErrorPage(t, 200, "", servertest.Member)
		b.Get(t, "/console/operator").ExpectErrorPage(t, 404, "not_found")
		victim.Get(t, "/console").ExpectErrorPage(t, 200, "")
		h.Browser(t).SignIn(t, servertest.Boss, servertest.Password).ExpectRedirect(t, "/console")
	})

	// Who is signed in as somebody else is then signed in as the link's account alone.
	t.Run("InABrowserOfSomebodyElse", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		b := h.Enter(t, servertest.Boss)
		b.Post(t, h.Recover(t, servertest.Member), fresh).ExpectRedirect(t, "/console")
		b.Get(t, "/console/settings").ExpectErrorPage(t, 200, "", servertest.Member)
		if all, err := h.App.Accounts.AllSessions(context.Background(), servertest.Boss); err != nil || len(all) != 0 {
			t.Errorf("sessions %+v, %v", all, err)
		}
	})

	t.Run("GivesTheFirstPasswordToo", func(t *testing.T) {
		h := openHouse(t)
		h.Account(t, "none@example.com", "free", 0)
		h.Browser(t).Post(t, h.Recover(t, "none@example.com"), fresh).ExpectRedirect(t, "/console")
		h.Browser(t).SignIn(t, "none@example.com", servertest.OtherPassword).ExpectRedirect(t, "/console")
	})

	t.Run("WrongLinksOfferNothing", func(t *testing.T) {
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

// An account that has done nothing yet sees all of its pages.
func TestConsoleOfAFreshAccount(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.Person(t, servertest.Member)
	b := h.Enter(t, servertest.Member)
	for path, says := range map[string][]string{
		"/":                 {"Sign out"},
		"/console":          {"US$0.00", "None yet.", "Nobody else can read your data."},
		"/console/wallet":   {"US$0.00", "Nothing has changed the credit yet.", "Payments are not set up", `value="100"`},
		"/console/granted":  {"Granted"},
		"/console/settings": {servertest.Member, "this browser", "Nowhere else."},
	} {
		a := b.Get(t, path)
		a.ExpectErrorPage(t, 200, "", says...)
		if a.Says("Your credit is low.") && path == "/console" {
			t.Error("who has no keys is warned of low credit")
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
	operator.Get(t, "/console/operator").ExpectErrorPage(t, 200, "", "No mails yet.", "No mail server is set up")
	if !operator.Get(t, "/console").Says(`href="/console/operator"`) {
		t.Error("the operator is not offered the page")
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
	for value, want := range map[string]int64{"250": 250, "0": 0, "1": 1, "100000000": 100_000_000, " 7 ": 7} {
		set(value).ExpectRedirect(t, "/console/wallet?done=threshold")
		if w := h.Wallet(t, servertest.Member); w.LowBalanceCents != want {
			t.Errorf("threshold %q: %+v", value, w)
		}
	}
	set("250").ExpectRedirect(t, "/console/wallet?done=threshold")
	b.Get(t, "/console/wallet?done=threshold").ExpectErrorPage(t, 200, "", "The threshold is set.", `value="250"`)
	for _, bad := range []string{
		"", "x", "1.5", "1e2", "-1", "100000001", "9223372036854775808", "99999999999999999999", "0x10", "1,000", "१", "1 0", "NaN", "<script>",
	} {
		a := set(bad)
		a.ExpectErrorPage(t, 400, "invalid_request", "The threshold must be a whole number of US cents from 0 to 100000000.")
		if a.Says("<script>") {
			t.Errorf("%q: %s", bad, a.Body)
		}
	}
	b.Post(t, "/console/wallet/threshold", url.Values{}).ExpectErrorPage(t, 400, "invalid_request", "The threshold ")
	if mine, theirs := h.Wallet(t, servertest.Member), h.Wallet(t, servertest.Boss); mine.LowBalanceCents != 250 || theirs.LowBalanceCents != 100 {
		t.Errorf("thresholds %+v and %+v", mine, theirs)
	}
}

// The address that is throttled, listed and logged is the client's.
func TestAddressOfASession(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t, servertest.BehindProxy)
	h.Enter(t, servertest.Boss, servertest.From("2001:db8::1"))
	all, err := h.App.Accounts.AllSessions(context.Background(), servertest.Boss)
	if err != nil || len(all) != 1 || netip.MustParseAddr(all[0].Address) != netip.MustParseAddr("2001:db8::1") {
		t.Errorf("sessions %+v, %v", all, err)
	}
}
