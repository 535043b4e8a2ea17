package server_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/account"
	"svc/server/servertest"
)

// How people come in: the first account, sign-in, sign-up, and a forgotten password.

const (
	boss    = "Boss@example.com" // the operator
	member  = "member@example.com"
	another = "another password"
)

// house is an appliance seen by people.
type house struct{ *servertest.Server }

// newHouse has no account yet.
func newHouse(t *testing.T, change ...func(*server.Config)) *house {
	t.Helper()
	return &house{servertest.New(t, change...)}
}

// openHouse has the operator, and lets anybody make an account.
func openHouse(t *testing.T, change ...func(*server.Config)) *house {
	t.Helper()
	h := newHouse(t, append(change, func(c *server.Config) { c.SignupOpen = true })...)
	h.person(t, boss)
	return h
}

// person plants an account whose password is servertest.Password, and cheap to check.
func (h *house) person(t *testing.T, email string) db.Account {
	t.Helper()
	made, err := h.App.Accounts.Create(context.Background(), account.NewAccount{Email: email})
	if err != nil {
		t.Fatal(err)
	}
	salt := []byte("0123456789abcdef")
	key := argon2.IDKey([]byte(servertest.Password), salt, 1, 8, 1, 32)
	encode := base64.RawStdEncoding.EncodeToString
	made.PasswordHash = fmt.Sprintf("$argon2id$v=19$m=8,t=1,p=1$%s$%s", encode(salt), encode(key))
	dbtest.Update(t, h.Store, func(tx *db.Tx) error { return tx.SetPasswordHash(made.ID, made.PasswordHash) })
	return made
}

// enter is a browser that is signed in as somebody.
func (h *house) enter(t *testing.T, email string, options ...servertest.Option) *servertest.Browser {
	t.Helper()
	b := h.Browser(t)
	a := b.Post(t, "/signin", url.Values{"email": {email}, "password": {servertest.Password}}, options...)
	wantTo(t, a, "/console")
	return b
}

// wantTo checks that an answer sends the browser on.
func wantTo(t *testing.T, a servertest.Answer, to string) {
	t.Helper()
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != to || a.Code() != "" {
		t.Fatalf("%d %q to %q, want 303 to %q: %s", a.Status, a.Code(), a.Header.Get("Location"), to, a.Body)
	}
}

// wantSaid checks status, code and texts of a page.
func wantSaid(t *testing.T, a servertest.Answer, status int, code string, texts ...string) {
	t.Helper()
	expect(t, a, status, code)
	if a.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("no page: %v", a.Header)
	}
	for _, text := range texts {
		if !a.Says(html.EscapeString(text)) && !a.Says(text) {
			t.Errorf("the page does not say %q: %s", text, a.Body)
		}
	}
}

// wantNothingToDo checks that a page has no form and sets no cookie.
func wantNothingToDo(t *testing.T, a servertest.Answer) {
	t.Helper()
	if forms := a.Forms(); len(forms) > 0 || a.Says("<input") || a.Header.Get("Set-Cookie") != "" {
		t.Errorf("forms %q, cookie %q: %s", forms, a.Header.Get("Set-Cookie"), a.Body)
	}
}

// accounts lists all accounts, the first one first.
func (h *house) accounts(t *testing.T) []db.Account {
	t.Helper()
	all, err := h.App.Accounts.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// setup makes a setup link, as svc serve does when it starts.
func (h *house) setup(t *testing.T) string {
	t.Helper()
	link, err := h.App.Accounts.SetupLink(context.Background())
	if err != nil || !strings.HasPrefix(link, h.URL+"/setup/") {
		t.Fatalf("link %q, %v", link, err)
	}
	return link
}

func setupForm(email, name, password string) url.Values {
	return url.Values{"email": {email}, "name": {name}, "password": {password}}
}

func TestSetup(t *testing.T) {
	good := setupForm(boss, " Corner Shop ", another)

	t.Run("MakesTheOperatorOnce", func(t *testing.T) {
		h := newHouse(t)
		link := h.setup(t)
		b := h.Browser(t)
		for range 2 { // to look changes nothing
			a := b.Get(t, link)
			wantSaid(t, a, 200, "", "Make the operator’s account")
			if forms := a.Forms(); !slices.Equal(forms, []string{servertest.Path(link)}) {
				t.Errorf("forms %q", forms)
			}
			if a.Header.Get("Referrer-Policy") != "no-referrer" {
				t.Error("the page tells its address")
			}
		}
		wantTo(t, b.Post(t, link, good), "/console")
		made := h.accounts(t)[0]
		if made.Email != boss || made.Name != "Corner Shop" || !made.Operator || made.VerifiedAt.IsZero() || made.Plan != db.Free {
			t.Errorf("made %+v", made)
		}
		wantSaid(t, b.Get(t, "/console"), 200, "", "Corner Shop")
		wantTo(t, h.Browser(t).SignIn(t, boss, another), "/console")

		for range 2 {
			over := h.Browser(t)
			for _, a := range []servertest.Answer{
				over.Get(t, link), over.Post(t, link, setupForm("second@example.com", "", another)), b.Post(t, link, url.Values{}),
			} {
				wantSaid(t, a, 404, "not_found", "This server is set up")
				wantNothingToDo(t, a)
			}
		}
		if n := len(h.accounts(t)); n != 1 {
			t.Errorf("%d accounts", n)
		}
		if strings.Contains(h.Log.String(), strings.TrimPrefix(servertest.Path(link), "/setup/")) {
			t.Error("the log has the link")
		}
	})

	t.Run("WrongLinksOfferNothing", func(t *testing.T) {
		h := newHouse(t)
		link := h.setup(t)
		token := strings.TrimPrefix(servertest.Path(link), "/setup/")
		for _, wrong := range []string{
			string(db.NewToken()), token[1:], token + "A", token + "=", token[:42], "x", "%00", strings.Repeat("x", 5000), `"><b>`, token + "%0a",
		} {
			b := h.Browser(t)
			for _, a := range []servertest.Answer{
				b.Get(t, "/setup/"+url.PathEscape(wrong)), b.Get(t, "/setup/"+wrong),
				b.Post(t, "/setup/"+wrong, good), b.Post(t, "/setup/"+wrong, setupForm("x", "", "short")), // nor does a mistake
			} {
				wantSaid(t, a, 404, "not_found", "A setup link works for 30 minutes")
				wantNothingToDo(t, a)
			}
		}
		if n := len(h.accounts(t)); n != 0 {
			t.Errorf("%d accounts", n)
		}
		wantTo(t, h.Browser(t).Post(t, link, good), "/console")
	})

	t.Run("WorksFor30Minutes", func(t *testing.T) {
		h := newHouse(t)
		link := h.setup(t)
		h.Clock.Advance(30*time.Minute - time.Millisecond)
		wantSaid(t, h.Browser(t).Get(t, link), 200, "")
		h.Clock.Advance(time.Millisecond)
		wantSaid(t, h.Browser(t).Get(t, link), 404, "not_found")
		wantSaid(t, h.Browser(t).Post(t, link, good), 404, "not_found")
		wantTo(t, h.Browser(t).Post(t, h.setup(t), good), "/console")
	})

	t.Run("AFreshOneTakesItsPlace", func(t *testing.T) {
		h := newHouse(t)
		old := h.setup(t)
		second := servertest.Open(t, h.Path, h.Clock) // svc serve has been started again
		fresh, err := second.App.Accounts.SetupLink(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		wantSaid(t, h.Browser(t).Get(t, old), 404, "not_found")
		wantSaid(t, h.Browser(t).Post(t, old, good), 404, "not_found")
		wantTo(t, h.Browser(t).Post(t, fresh, good), "/console")
	})

	t.Run("AnAccountMadeMeanwhileEndsIt", func(t *testing.T) {
		h := newHouse(t)
		link := h.setup(t)
		h.person(t, member) // as svc accounts create does
		a := h.Browser(t).Get(t, link)
		wantSaid(t, a, 404, "not_found", "This server is set up")
		wantNothingToDo(t, a)
		wantSaid(t, h.Browser(t).Post(t, link, good), 404, "not_found", "This server is set up")
		if all := h.accounts(t); len(all) != 1 || all[0].Email != member || !all[0].Operator {
			t.Errorf("accounts %+v", all)
		}
	})

	t.Run("TwoAtOnceMakeOneAccount", func(t *testing.T) {
		h := newHouse(t)
		link := h.setup(t)
		const n = 4
		answers := make([]servertest.Answer, n)
		var all sync.WaitGroup
		for i := range n {
			b := h.Browser(t)
			all.Go(func() { answers[i] = b.Post(t, link, setupForm(fmt.Sprintf("a%d@example.com", i), "", another)) })
		}
		all.Wait()
		made := h.accounts(t)
		if len(made) != 1 || !made[0].Operator {
			t.Fatalf("accounts %+v", made)
		}
		for i, a := range answers {
			if made[0].Email == fmt.Sprintf("a%d@example.com", i) {
				wantTo(t, a, "/console")
			} else {
				wantSaid(t, a, 404, "not_found", "This server is set up")
			}
		}
	})

	for _, row := range []struct {
		name, email, business, password, sentence string
	}{
		{"NoEmail", "", "Shop", another, "The e-mail is required."},
		{"BadEmail", "boss", "Shop", another, "The e-mail must be one e-mail address, like name@example.com."},
		{"TwoEmails", "a@example.com, b@example.com", "Shop", another, "The e-mail must be one e-mail address, like name@example.com."},
		{"EmailWithAName", "Boss <a@example.com>", "Shop", another, "The e-mail must be one e-mail address, like name@example.com."},
		{"EmailWithALineEnd", "a@example.com\r\nBcc: b@example.com", "Shop", another, "The e-mail must be one e-mail address, like name@example.com."},
		{"ShortPassword", boss, "Shop", "123456789", "The password must have 10 to 200 characters."},
		{"LongPassword", boss, "Shop", strings.Repeat("x", 201), "The password must have 10 to 200 characters."},
		{"NoPassword", boss, "Shop", "", "The password must have 10 to 200 characters."},
		{"BlankName", boss, "  ", another, "The name of the business is required."},
		{"LongName", boss, strings.Repeat("é", 101), another, "The name of the business must be at most 100 characters."},
		{"Markup", `"><script>alert(1)</script>`, `</title><img src=x onerror=alert(1)>`, another, "The e-mail must be one e-mail address"},
	} {
		t.Run("BadInputKeepsTheLink/"+row.name, func(t *testing.T) {
			h := newHouse(t)
			link := h.setup(t)
			b := h.Browser(t)
			a := b.Post(t, link, setupForm(row.email, row.business, row.password))
			wantSaid(t, a, 400, "invalid_request", row.sentence)
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
			if len(b.Cookies(t)) > 0 || len(h.accounts(t)) > 0 {
				t.Error("something was made")
			}
			wantTo(t, b.Post(t, link, good), "/console")
		})
	}

	t.Run("EdgesOfWhatIsGood", func(t *testing.T) {
		for password, name := range map[string]string{
			strings.Repeat("x", 10): "", strings.Repeat("x", 200): strings.Repeat("é", 100), strings.Repeat("🍵", 10): "名前", "пароль пароль": "<b>",
		} {
			h := newHouse(t)
			wantTo(t, h.Browser(t).Post(t, h.setup(t), setupForm(boss, name, password)), "/console")
			want := name
			if want == "" {
				want = "Boss"
			}
			if made := h.accounts(t)[0]; made.Name != want {
				t.Errorf("made %+v", made)
			}
			wantTo(t, h.Browser(t).SignIn(t, strings.ToUpper(boss), password), "/console")
		}
	})
}

// Before the first account nothing answers but what L2 names, and nothing but the
// setup link makes it.
func TestClosedBeforeSetup(t *testing.T) {
	sequential(t)
	h := newHouse(t, func(c *server.Config) { c.SignupOpen = true })
	link := h.setup(t)
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
		expect(t, h.Call(t, "GET", path, nil), 503, "setup_required")
	}
	thief := url.Values{
		"email": {"thief@example.com"}, "code": {code}, "name": {"Thief"}, "password": {another}, "next": {"/console"},
		"current": {another}, "threshold": {"5"}, "bundle": {"500-gbp-600"}, "id": {"x"},
	}
	for _, path := range slices.Concat(postPages(token), []string{"/webhooks/stripe", "/api/v1/connections", "/api/v1/charges", sendPath}) {
		if strings.HasPrefix(path, "/setup/") {
			continue
		}
		expect(t, h.Browser(t).Post(t, path, thief), 503, "setup_required")
	}
	if n := len(h.accounts(t)); n != 0 {
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
	wantTo(t, h.Browser(t).Post(t, link, setupForm(boss, "", another)), "/console")
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
	sequential(t)
	t.Run("RightWhateverTheCaseOfTheEmail", func(t *testing.T) {
		h := openHouse(t)
		for _, email := range []string{boss, "boss@example.com", "BOSS@EXAMPLE.COM"} {
			b := h.Browser(t)
			wantTo(t, b.SignIn(t, email, servertest.Password), "/console")
			wantSaid(t, b.Get(t, "/console"), 200, "")
			wantTo(t, b.Get(t, "/signin?next=/console/wallet"), "/console/wallet")
		}
	})

	t.Run("WrongTellsNothing", func(t *testing.T) {
		h := openHouse(t)
		h.person(t, member)
		h.Account(t, "none@example.com", "free", 0)
		known := h.Browser(t).SignIn(t, member, "wrong password")
		wantSaid(t, known, 401, "wrong_password", "The e-mail or the password is wrong.", `value="`+member+`"`)
		if len(known.Forms()) != 1 || known.Header.Get("Set-Cookie") != "" || known.Says("wrong password") {
			t.Errorf("page %s", known.Body)
		}
		for email, password := range map[string]string{
			"nobody@example.com": "wrong password", "none@example.com": "wrong password", member: strings.ToUpper(servertest.Password),
			"none@example.com ": "", "x": "", "": "wrong password", "Boss@example.com": strings.Repeat("x", 300), "<b>@example.com": "x",
			strings.Repeat("x", 10_000) + "@example.com": "wrong password",
		} {
			wantSameAnswer(t, known, h.Browser(t).SignIn(t, email, password), member, email)
		}
	})

	t.Run("TheEmailIsEscaped", func(t *testing.T) {
		h := openHouse(t)
		for _, email := range []string{`"><script>alert(1)</script>`, `' onfocus='alert(1)`, "</form><form action=https://evil.example>"} {
			a := h.Browser(t).SignIn(t, email, "x")
			wantSaid(t, a, 401, "wrong_password", ` value="`+html.EscapeString(email)+`"`)
			if a.Says("<script>") || len(a.Forms()) != 1 {
				t.Errorf("page %s", a.Body)
			}
		}
	})

	t.Run("WhatIsNoFormIsRefused", func(t *testing.T) {
		h := openHouse(t)
		for _, body := range []string{"%zz", "email=%ff&password=x", "email=a%00b&password=x", "email=" + strings.Repeat("x", 64<<10)} {
			a := h.Call(t, "POST", "/signin", body)
			wantSaid(t, a, 400, "invalid_request")
			wantNothingToDo(t, a)
		}
		// What stands in the address is no part of the form.
		a := h.Browser(t).Post(t, "/signin?email="+url.QueryEscape(boss)+"&password="+url.QueryEscape(servertest.Password), url.Values{})
		wantSaid(t, a, 401, "wrong_password")
	})
}

func TestNextIsAPathOfOurs(t *testing.T) {
	sequential(t)
	h := openHouse(t)
	in := h.enter(t, boss)
	for _, next := range []string{
		"", "console", "//evil.example", "///evil.example", "////evil.example", `/\evil.example`, `\\evil.example`, `\/evil.example`, `/\/evil.example`,
		"https://evil.example", "http:evil.example", "HTTPS:/evil.example", "javascript:alert(1)", "data:text/html,x", "mailto:a@evil.example",
		"/\t/evil.example", "/\n/evil.example", "/\r/evil.example", "\t//evil.example", " //evil.example", "\n", "/\r\nSet-Cookie: a=b",
		"/console\r\nLocation: https://evil.example", "//" + strings.TrimPrefix(h.URL, "http://"), h.URL + "/console", "?next=/", "#x",
		"//evil.example/%2f..", "/\x00", "/\x1f/evil.example", "/\x7f", "//@evil.example", `/..\evil.example`, "/%", "/%zz",
	} {
		t.Run(fmt.Sprintf("%q", next), func(t *testing.T) {
			wantTo(t, in.Get(t, "/signin?next="+url.QueryEscape(next)), "/console")
			b := h.Browser(t)
			if !strings.ContainsRune(next, 0) { // which is no form
				wantTo(t, b.Post(t, "/signin", url.Values{"email": {boss}, "password": {servertest.Password}, "next": {next}}), "/console")
				wantTo(t, b.Post(t, "/signout", url.Values{"next": {next}}), "/signin")
			}
			a := b.Get(t, "/signin?next="+url.QueryEscape(next))
			wantSaid(t, a, 200, "", `name="next" value="/console"`)
		})
	}

	for _, next := range []string{
		"/", "/console/wallet", "/connect/abc?x=1", "/console?a=//evil.example", "/a%20b", "/%0d%0aSet-Cookie:%20a=b", "/%5c%5cevil.example",
		"/%2f%2fevil.example", "/console#//evil.example", "/a/../b", "/ä", "/\"><script>",
	} {
		t.Run(fmt.Sprintf("Good%q", next), func(t *testing.T) {
			wantTo(t, in.Get(t, "/signin?next="+url.QueryEscape(next)), next)
			b := h.Browser(t)
			a := b.Get(t, "/signin?next="+url.QueryEscape(next))
			wantSaid(t, a, 200, "", `name="next" value="`+html.EscapeString(next)+`"`)
			a = b.Post(t, "/signin", url.Values{"email": {boss}, "password": {"wrong password"}, "next": {next}})
			wantSaid(t, a, 401, "wrong_password", `name="next" value="`+html.EscapeString(next)+`"`)
			a = b.Post(t, "/signin", url.Values{"email": {boss}, "password": {servertest.Password}, "next": {next}})
			wantTo(t, a, next)
			if cookies := a.Header.Values("Set-Cookie"); len(cookies) != 1 || !strings.HasPrefix(cookies[0], "svc_session=") {
				t.Errorf("cookies %q", cookies)
			}
			wantTo(t, b.Post(t, "/signout", url.Values{"next": {next}}), next)
		})
		h.Clock.Advance(15 * time.Minute) // so many wrong passwords are not about this
	}
}

// tryIn posts a password from an address, as a trusted proxy names it.
func (h *house) tryIn(t *testing.T, address, email, password string) servertest.Answer {
	t.Helper()
	return h.Browser(t).Post(t, "/signin", url.Values{"email": {email}, "password": {password}}, from(address))
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
		wantSaid(t, a, 429, "too_many_tries", "Too many wrong passwords; wait a quarter of an hour and try again.")
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
		h := openHouse(t, behindProxy)
		h.person(t, member)
		h.wrongIn(t, 9, here, boss)
		h.wantOpen(t, here, boss) // which is no wrong try
		h.wrongIn(t, 1, here, "BOSS@example.com")
		h.wantShut(t, here, boss, 900)
		h.wantShut(t, here, "boss@EXAMPLE.com", 900)
		h.wantOpen(t, there, boss)
		h.wantOpen(t, here, member)
	})

	t.Run("SuccessesAreNotCounted", func(t *testing.T) {
		h := openHouse(t, behindProxy)
		for range 35 {
			h.wantOpen(t, here, boss)
		}
	})

	t.Run("AQuarterOfAnHour", func(t *testing.T) {
		h := openHouse(t, behindProxy)
		h.wrongIn(t, 4, here, boss)
		h.Clock.Advance(5 * time.Minute)
		h.wrongIn(t, 6, here, boss)
		h.wantShut(t, here, boss, 600)
		h.Clock.Advance(10*time.Minute - time.Second)
		h.wantShut(t, here, boss, 1)
		h.Clock.Advance(time.Second)
		h.wrongIn(t, 10, here, boss) // all of a new window
		h.wantShut(t, here, boss, 900)
		h.Clock.Advance(15 * time.Minute)
		h.wantOpen(t, here, boss)
	})

	t.Run("EndsWhenTheClockIsSetBack", func(t *testing.T) {
		h := openHouse(t, behindProxy)
		h.wrongIn(t, 10, here, boss)
		h.Clock.Advance(-48 * time.Hour)
		h.wantOpen(t, here, boss)
	})

	t.Run("PerAddressOverAllAccounts", func(t *testing.T) {
		h := openHouse(t, behindProxy)
		for i := range 4 {
			h.person(t, fmt.Sprintf("a%d@example.com", i))
		}
		for i := range 3 {
			h.wrongIn(t, 9, here, fmt.Sprintf("a%d@example.com", i))
		}
		h.wrongIn(t, 3, here, "a3@example.com")
		h.wantShut(t, here, "a3@example.com", 900)
		h.wantShut(t, here, boss, 900)
		h.wantOpen(t, there, boss)
	})

	t.Run("PerAccountOverAllAddresses", func(t *testing.T) {
		h := openHouse(t, behindProxy)
		h.person(t, member)
		for i := range 200 {
			h.wrongIn(t, 1, fmt.Sprintf("203.0.113.%d", i), boss)
		}
		h.wantShut(t, there, boss, 900)
		h.wantOpen(t, there, member)
		h.Clock.Advance(15 * time.Minute)
		h.wantOpen(t, there, boss)
	})

	t.Run("UnknownEmailsToo", func(t *testing.T) {
		h := openHouse(t, behindProxy)
		h.person(t, member)
		h.wrongIn(t, 10, here, "nobody@example.com")
		h.wrongIn(t, 10, here, member)
		a, b := h.tryIn(t, here, "nobody@example.com", "x"), h.tryIn(t, here, member, "x")
		expect(t, a, 429, "too_many_tries")
		wantSameAnswer(t, a, b, "nobody@example.com", member)
	})

	t.Run("OneIPv6Network", func(t *testing.T) {
		h := openHouse(t, behindProxy)
		for i := range 10 {
			h.wrongIn(t, 1, fmt.Sprintf("2001:db8:1:2::%x", i), boss)
		}
		h.wantShut(t, "2001:db8:1:2:ffff::1", boss, 900)
		h.wantOpen(t, "2001:db8:1:3::1", boss)
	})

	t.Run("WhatTheClientWritesIsNoAddress", func(t *testing.T) {
		h := openHouse(t, behindProxy)
		for i := range 10 {
			h.wrongIn(t, 1, fmt.Sprintf("10.0.0.%d, %s", i, here), boss)
		}
		h.wantShut(t, "1.1.1.1, "+here, boss, 900)

		direct := openHouse(t) // which trusts nobody
		for i := range 10 {
			direct.wrongIn(t, 1, fmt.Sprintf("203.0.113.%d", i), boss)
		}
		direct.wantShut(t, there, boss, 900)
	})

	t.Run("AtOnce", func(t *testing.T) {
		h := openHouse(t, behindProxy)
		got := parallel(60, func(int) int { return h.tryIn(t, here, boss, "wrong password").Status })
		if got[401] != 10 || got[429] != 50 {
			t.Errorf("answers %v", got)
		}
	})

	// The other places where a password is asked for are no way around it.
	t.Run("WhereverAPasswordIsAskedFor", func(t *testing.T) {
		h := openHouse(t, behindProxy)
		h.person(t, member)
		in := h.enter(t, member, from(here))
		change := func(current string) servertest.Answer {
			return in.Post(t, "/console/settings/password", url.Values{"current": {current}, "password": {another}}, from(here))
		}
		_, secret := h.Key(t, boss, db.Live, db.AccountMode)
		made := h.Call(t, "POST", "/api/v1/connections", map[string]any{"merchant_email": member}, servertest.WithKey(secret))
		consent := made.Fields(t)["confirmation_url"].(string) + "/signin"
		knock := func(password string) servertest.Answer {
			return h.Browser(t).Post(t, consent, url.Values{"email": {member}, "password": {password}}, from(here))
		}
		for range 4 {
			wantSaid(t, change("wrong password"), 400, "invalid_request", "The current password is not your password.")
			expect(t, knock("wrong password"), 401, "wrong_password")
		}
		h.wrongIn(t, 2, here, member)
		expect(t, change("wrong password"), 429, "too_many_tries")
		expect(t, change(servertest.Password), 429, "too_many_tries")
		expect(t, knock(servertest.Password), 429, "too_many_tries")
		h.wantShut(t, here, member, 900)
		h.wantOpen(t, there, member)
	})
}

func codeForm(email, code, name, password string) url.Values {
	return url.Values{"email": {email}, "code": {code}, "name": {name}, "password": {password}}
}

// askCode posts the first step of a sign-up.
func (h *house) askCode(t *testing.T, email string) servertest.Answer {
	t.Helper()
	return h.Browser(t).Post(t, "/signup", url.Values{"email": {email}})
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
		h.person(t, boss)
		code := ""
		dbtest.Update(t, h.Store, func(tx *db.Tx) (err error) {
			code, err = tx.IssueCode(newcomer)
			return err
		})
		b := h.Browser(t)
		for _, a := range []servertest.Answer{
			b.Get(t, "/signup"), b.Post(t, "/signup", url.Values{"email": {newcomer}}),
			b.Post(t, "/signup/code", codeForm(newcomer, code, "", another)),
		} {
			wantSaid(t, a, 403, "forbidden", "Sign-up is closed")
			wantNothingToDo(t, a)
		}
		if len(h.accounts(t)) != 1 || len(h.Outbox(t, "")) != 0 {
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
		wantSaid(t, a, 200, "", `name="next" value="/console/wallet"`)
		a = b.Post(t, "/signup", url.Values{"email": {newcomer}, "next": {"/console/wallet"}})
		wantSaid(t, a, 200, "", `name="email" type="email" value="New@example.com"`, `name="next" value="/console/wallet"`)
		if !slices.Equal(a.Forms(), []string{"/signup/code"}) || len(h.accounts(t)) != 1 {
			t.Errorf("forms %q", a.Forms())
		}
		mails := h.Outbox(t, newcomer)
		if len(mails) != 1 || mails[0].Subject != "Your six-digit code" || !strings.Contains(mails[0].Text, "make an account") ||
			!strings.Contains(mails[0].Text, "10 minutes") || mails[0].State != db.MailKept {
			t.Errorf("mails %+v", mails)
		}
		form := codeForm("new@EXAMPLE.com", " "+h.Code(t, newcomer)+" ", "Corner Shop", another)
		form.Set("next", "/console/wallet")
		wantTo(t, b.Post(t, "/signup/code", form), "/console/wallet")
		wantSaid(t, b.Get(t, "/console"), 200, "", "Corner Shop")
		made := h.accounts(t)[1]
		if made.Operator || made.VerifiedAt.IsZero() || made.Name != "Corner Shop" || made.Plan != db.Free {
			t.Errorf("made %+v", made)
		}
		wantTo(t, h.Browser(t).SignIn(t, newcomer, another), "/console")
		if w := h.Wallet(t, newcomer); w.BalanceCents != 0 {
			t.Errorf("wallet %+v", w)
		}
	})

	t.Run("NextIsLocal", func(t *testing.T) {
		h := openHouse(t)
		b := h.Browser(t)
		wantSaid(t, b.Get(t, "/signup?next=//evil.example"), 200, "", `name="next" value="/console"`)
		a := b.Post(t, "/signup", url.Values{"email": {newcomer}, "next": {`/\evil.example`}})
		wantSaid(t, a, 200, "", `name="next" value="/console"`)
		form := codeForm(newcomer, "x", "", another)
		form.Set("next", "https://evil.example")
		wantSaid(t, b.Post(t, "/signup/code", form), 400, "invalid_request", `name="next" value="/console"`)
		form.Set("code", h.Code(t, newcomer))
		wantTo(t, b.Post(t, "/signup/code", form), "/console")
	})

	for name, email := range map[string]string{
		"NoEmail": "", "NoAddress": "x", "Two": "a@example.com,b@example.com", "WithAName": "A <a@example.com>", "Long": strings.Repeat("x", 250) + "@example.com",
		"LineEnd": "a@example.com\r\nBcc: b@example.com", "Markup": `"><script>@example.com`,
	} {
		t.Run("BadEmail/"+name, func(t *testing.T) {
			h := openHouse(t)
			for _, path := range []string{"/signup", "/recover"} {
				a := h.Browser(t).Post(t, path, url.Values{"email": {email}})
				wantSaid(t, a, 400, "invalid_request", "The e-mail ")
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
		h.askCode(t, newcomer)
		code := h.Code(t, newcomer)

		// What is wrong beside the code costs none.
		for sentence, form := range map[string]url.Values{
			"The password must have 10 to 200 characters.":             codeForm(newcomer, wrongCode(code), "Shop", "short"),
			"The name of the business must be at most 100 characters.": codeForm(newcomer, code, strings.Repeat("x", 101), another),
			"The name of the business is required.":                    codeForm(newcomer, code, " \t", another),
		} {
			for range 6 {
				wantSaid(t, b.Post(t, "/signup/code", form), 400, "invalid_request", sentence)
			}
		}
		for i := range 5 {
			a := b.Post(t, "/signup/code", codeForm(newcomer, wrongCode(code), `"><b>Shop`, another))
			wantSaid(t, a, 400, "invalid_request", wrongSaid, ` value="`+html.EscapeString(`"><b>Shop`)+`"`)
			if a.Says(another) || a.Says("<b>") || a.Header.Get("Set-Cookie") != "" || !slices.Equal(a.Forms(), []string{"/signup/code"}) {
				t.Errorf("try %d: %s", i, a.Body)
			}
		}
		wantSaid(t, b.Post(t, "/signup/code", codeForm(newcomer, code, "Shop", another)), 400, "invalid_request", wrongSaid)
		if len(h.accounts(t)) != 1 {
			t.Error("an account was made")
		}

		h.Clock.Advance(time.Minute)
		h.askCode(t, newcomer)
		wantTo(t, b.Post(t, "/signup/code", codeForm(newcomer, h.Code(t, newcomer), "", another)), "/console")
	})

	t.Run("ACodeIsForItsAddressForTenMinutesAndOnce", func(t *testing.T) {
		h := openHouse(t)
		h.askCode(t, newcomer)
		code := h.Code(t, newcomer)
		refused := func(email, code string) {
			t.Helper()
			wantSaid(t, h.Browser(t).Post(t, "/signup/code", codeForm(email, code, "", another)), 400, "invalid_request", wrongSaid)
		}
		refused("other@example.com", code)
		refused(boss, code)
		refused("", code)
		h.Clock.Advance(10 * time.Minute)
		refused(newcomer, code)
		h.askCode(t, newcomer)
		code = h.Code(t, newcomer)
		wantTo(t, h.Browser(t).Post(t, "/signup/code", codeForm(newcomer, code, "", another)), "/console")
		refused(newcomer, code)
		if len(h.accounts(t)) != 2 {
			t.Errorf("%d accounts", len(h.accounts(t)))
		}
	})

	t.Run("OneAccountHoweverManyUseTheCodeAtOnce", func(t *testing.T) {
		h := openHouse(t)
		h.askCode(t, newcomer)
		form := codeForm(newcomer, h.Code(t, newcomer), "", another)
		got := parallel(8, func(int) int { return h.Browser(t).Post(t, "/signup/code", form).Status })
		if got[303] != 1 || got[400] != 7 || len(h.accounts(t)) != 2 {
			t.Errorf("answers %v, %d accounts", got, len(h.accounts(t)))
		}
	})

	// What is sent to an address is bounded, and so is what can be guessed; whether it
	// has an account does not show.
	t.Run("MailsToAnAddressAreBounded", func(t *testing.T) {
		h := openHouse(t)
		h.person(t, member)
		asked := 0
		ask := func(status int) {
			t.Helper()
			a := h.askCode(t, newcomer)
			if a.Status != status {
				t.Fatalf("%d, want %d: %s", a.Status, status, a.Body)
			}
			wantSameAnswer(t, a, h.askCode(t, member), newcomer, member)
			if status == 200 {
				asked++
			} else if a.Code() != "too_many_tries" || a.Header.Get("Retry-After") != "60" {
				t.Errorf("headers %v", a.Header)
			}
			if n, m := len(h.Outbox(t, newcomer)), len(h.Outbox(t, member)); n != asked || m != asked {
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
		expect(t, h.Browser(t).Post(t, "/recover", url.Values{"email": {strings.ToUpper(newcomer)}}), 200, "") // bounded for itself
		h.Clock.Set(begun.Add(time.Hour))
		ask(200)
	})

	// Nobody has us send mail to whomever he likes, whoever has an account.
	t.Run("MailsThatANetworkAsksForAreBounded", func(t *testing.T) {
		h := openHouse(t, behindProxy)
		h.person(t, member)
		_, secret := h.Key(t, boss, db.Live, db.AccountMode)
		made := h.Call(t, "POST", "/api/v1/connections", map[string]any{"merchant_email": "asked@example.com"}, servertest.WithKey(secret))
		consent := made.Fields(t)["confirmation_url"].(string) + "/code"
		requests := len(h.Outbox(t, ""))
		ask := func(i int, address string) servertest.Answer {
			t.Helper()
			path := []string{"/signup", "/recover"}[i%2]
			return h.Browser(t).Post(t, path, url.Values{"email": {fmt.Sprintf("a%d@example.com", i)}}, from(address))
		}
		for i := range 58 {
			expect(t, ask(i, fmt.Sprintf("2001:db8:1:2::%x", i)), 200, "")
		}
		h.Clock.Advance(5 * time.Minute)
		expect(t, h.Browser(t).Post(t, consent, nil, from("2001:db8:1:2::a")), 200, "")
		expect(t, h.Browser(t).Post(t, "/recover", url.Values{"email": {member}}, from("2001:db8:1:2::b")), 200, "")
		mails := len(h.Outbox(t, ""))
		if mails != requests+29+2 {
			t.Errorf("%d mails", mails-requests)
		}

		const network = "2001:db8:1:2:ffff::1"
		known := h.Browser(t).Post(t, "/signup", url.Values{"email": {boss}}, from(network))
		wantSaid(t, known, 429, "too_many_tries", "A mail was asked for a moment ago")
		if known.Header.Get("Retry-After") != "600" {
			t.Errorf("headers %v", known.Header)
		}
		wantSameAnswer(t, known, h.Browser(t).Post(t, "/signup", url.Values{"email": {"x@example.com"}}, from(network)), boss, "x@example.com")
		expect(t, ask(101, network), 429, "too_many_tries")
		h.Clock.Advance(time.Minute)
		expect(t, h.Browser(t).Post(t, consent, nil, from(network)), 429, "too_many_tries")
		if n := len(h.Outbox(t, "")); n != mails {
			t.Errorf("%d mails more", n-mails)
		}
		expect(t, ask(102, "2001:db8:1:3::1"), 200, "")
		h.Clock.Advance(9 * time.Minute)
		expect(t, ask(104, network), 200, "")
	})

	t.Run("HoweverManyAreAskedForAtOnce", func(t *testing.T) {
		h := openHouse(t)
		got := parallel(80, func(i int) int { return h.askCode(t, fmt.Sprintf("a%d@example.com", i)).Status })
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
			_, secret := h.Key(t, boss, db.Live, db.AccountMode)
			made := h.Call(t, "POST", "/api/v1/connections", map[string]any{"merchant_email": mine}, servertest.WithKey(secret))
			consent := made.Fields(t)["confirmation_url"].(string)

			b := h.Browser(t)
			h.askCode(t, theirs)
			wantTo(t, b.Post(t, "/signup/code", codeForm(theirs, h.Code(t, theirs), "", another)), "/console")
			wantSaid(t, h.Browser(t).SignIn(t, mine, another), 401, "wrong_password")
			wantSaid(t, b.Get(t, consent), 403, "forbidden", "somebody else")
			expect(t, b.Post(t, consent+"/approve", url.Values{"scope": {"read_inventory"}}), 403, "forbidden")
			h.Clock.Advance(time.Minute)
			expect(t, h.Browser(t).Post(t, "/recover", url.Values{"email": {mine}}), 200, "")
			for _, m := range h.Outbox(t, "") {
				if m.Subject == "You have an account already" {
					t.Errorf("mail %+v", m)
				}
			}
			h.askCode(t, mine)
			wantTo(t, h.Browser(t).Post(t, "/signup/code", codeForm(mine, h.Code(t, mine), "", another)), "/console")
		}
	})

	t.Run("AnAddressWithAnAccountGetsALink", func(t *testing.T) {
		h := openHouse(t)
		h.person(t, member)
		fresh, known := h.askCode(t, newcomer), h.askCode(t, "MEMBER@example.com")
		wantSaid(t, known, 200, "")
		wantSameAnswer(t, fresh, known, newcomer, "MEMBER@example.com")
		mails := h.Outbox(t, member)
		if len(mails) != 1 || mails[0].To != member || mails[0].Subject != "You have an account already" || !strings.Contains(mails[0].Text, h.URL+"/reset/") ||
			regexp.MustCompile(`\b\d{6}\b`).MatchString(mails[0].Text) {
			t.Errorf("mails %+v", mails)
		}
		if left := h.look(t, `SELECT tries_left FROM codes WHERE email_folded = 'member@example.com'`); !slices.Equal(left, []string{"0|"}) {
			t.Errorf("tries left at a code that nobody has: %v", left)
		}
		a := h.Browser(t).Post(t, "/signup/code", codeForm(newcomer, wrongCode(h.Code(t, newcomer)), "", another))
		b := h.Browser(t).Post(t, "/signup/code", codeForm(member, "123456", "", another))
		wantSameAnswer(t, a, b, newcomer, member)
		wantSaid(t, h.Browser(t).Get(t, h.resetLink(t, member)), 200, "", member)
	})
}

// What a stranger calls himself is a text, wherever it is shown.
func TestHostileNames(t *testing.T) {
	sequential(t)
	const name = `<script>alert(1)</script>"'&` + "\u202egnirts\r\nBcc: x@evil.example https://evil.example"
	h := openHouse(t)
	h.askCode(t, "stranger@example.com")
	b := h.Browser(t)
	wantTo(t, b.Post(t, "/signup/code", codeForm("stranger@example.com", h.Code(t, "stranger@example.com"), name, another)), "/console")
	for _, path := range []string{"/", "/console", "/console/wallet", "/console/settings", "/console/granted"} {
		a := b.Get(t, path)
		wantSaid(t, a, 200, "", "&lt;script&gt;alert(1)&lt;/script&gt;")
		if a.Says("<script>alert") {
			t.Errorf("%s: %s", path, a.Body)
		}
	}

	_, secret := h.Key(t, "stranger@example.com", db.Live, db.AccountMode)
	made := h.Call(t, "POST", "/api/v1/connections", map[string]any{"merchant_email": member}, servertest.WithKey(secret))
	expect(t, made, 200, "")
	wantSaid(t, h.Browser(t).Get(t, made.Fields(t)["confirmation_url"].(string)), 200, "", "&lt;script&gt;alert(1)&lt;/script&gt;")
	m := h.Outbox(t, member)[0]
	if strings.Contains(m.HTML, "<script>") || strings.ContainsAny(m.Subject, "\r\n") || strings.Contains(m.Text, "\nBcc:") ||
		strings.Contains(m.Text+m.HTML, "https://evil.example") || strings.ContainsRune(m.Text+m.HTML, '\u202e') {
		t.Errorf("mail %+v", m)
	}
	if a := h.enter(t, boss).Get(t, "/console/operator"); a.Says("<script>alert") || a.Status != 200 {
		t.Errorf("operator's page: %s", a.Body)
	}
}

var resetAddress = regexp.MustCompile(`http://\S+/reset/[A-Za-z0-9_-]{43}\b`)

// resetLink is the one in the newest mail to an address.
func (h *house) resetLink(t *testing.T, to string) string {
	t.Helper()
	for _, m := range h.Outbox(t, to) {
		if link := resetAddress.FindString(m.Text); link != "" {
			if !strings.Contains(m.HTML, link) {
				t.Errorf("the link is not in the HTML: %s", m.HTML)
			}
			return link
		}
	}
	t.Fatalf("no link to %s", to)
	return ""
}

// recover asks for a link and returns it.
func (h *house) recover(t *testing.T, email string) string {
	t.Helper()
	expect(t, h.Browser(t).Post(t, "/recover", url.Values{"email": {email}}), 200, "")
	return h.resetLink(t, email)
}

func TestRecover(t *testing.T) {
	fresh := url.Values{"password": {another}}

	t.Run("TellsNothing", func(t *testing.T) {
		h := openHouse(t)
		h.person(t, member)
		b := h.Browser(t)
		wantSaid(t, b.Get(t, "/recover"), 200, "")
		known, unknown := b.Post(t, "/recover", url.Values{"email": {member}}), b.Post(t, "/recover", url.Values{"email": {"nobody@example.com"}})
		wantSaid(t, known, 200, "", "If "+member+" has an account here")
		wantSameAnswer(t, known, unknown, member, "nobody@example.com")
		if left := h.look(t, `SELECT DISTINCT tries_left FROM codes`); !slices.Equal(left, []string{"0|"}) {
			t.Errorf("tries left at a code that nobody has: %v", left)
		}
		if len(h.Outbox(t, "nobody@example.com")) != 0 || len(h.Outbox(t, member)) != 1 {
			t.Errorf("mails %+v", h.Outbox(t, ""))
		}
		again, neither := b.Post(t, "/recover", url.Values{"email": {member}}), b.Post(t, "/recover", url.Values{"email": {"nobody@example.com"}})
		expect(t, again, 429, "too_many_tries")
		wantSameAnswer(t, again, neither, member, "nobody@example.com")

		// What was drawn for the stranger's address proves nothing.
		wantSaid(t, b.Post(t, "/signup/code", codeForm("nobody@example.com", "123456", "", another)), 400, "invalid_request")
	})

	t.Run("GivesANewPasswordOnce", func(t *testing.T) {
		h := openHouse(t)
		h.person(t, member)
		old, bosses := h.enter(t, member), h.enter(t, boss)
		link := h.recover(t, "Member@EXAMPLE.com")
		b := h.Browser(t)
		for range 2 {
			a := b.Get(t, link)
			wantSaid(t, a, 200, "", `value="`+member+`"`)
			if !slices.Equal(a.Forms(), []string{servertest.Path(link)}) || a.Header.Get("Referrer-Policy") != "no-referrer" {
				t.Errorf("forms %q, headers %v", a.Forms(), a.Header)
			}
		}
		for _, bad := range []string{"", "123456789", strings.Repeat("ж", 201)} {
			a := b.Post(t, link, url.Values{"password": {bad}})
			wantSaid(t, a, 400, "invalid_request", "The password must have 10 to 200 characters.", `value="`+member+`"`)
			if !slices.Equal(a.Forms(), []string{servertest.Path(link)}) {
				t.Errorf("forms %q", a.Forms())
			}
		}
		wantSaid(t, old.Get(t, "/console"), 200, "") // nothing has happened so far

		h.Clock.Advance(time.Second)
		wantTo(t, b.Post(t, link, fresh), "/console")
		wantSaid(t, b.Get(t, "/console"), 200, "")
		wantTo(t, old.Get(t, "/console"), "/signin?next=%2Fconsole")
		wantSaid(t, bosses.Get(t, "/console"), 200, "")
		wantSaid(t, h.Browser(t).SignIn(t, member, servertest.Password), 401, "wrong_password")
		wantTo(t, h.Browser(t).SignIn(t, member, another), "/console")
		wantTo(t, h.Browser(t).SignIn(t, boss, servertest.Password), "/console")
		if m := h.Outbox(t, member)[0]; m.Subject != "Your password was changed" {
			t.Errorf("the newest mail is %+v", m)
		}
		if mails := h.Outbox(t, boss); len(mails) != 0 {
			t.Errorf("mails to somebody else: %+v", mails)
		}

		for _, a := range []servertest.Answer{
			b.Get(t, link), b.Post(t, link, url.Values{"password": {"yet another password"}}), h.Browser(t).Post(t, link, url.Values{"password": {"short"}}),
		} {
			wantSaid(t, a, 404, "not_found", "It has been used, it is older than 30 minutes, or it is not complete.")
			wantNothingToDo(t, a)
		}
		wantTo(t, h.Browser(t).SignIn(t, member, another), "/console")
		if strings.Contains(h.Log.String(), strings.TrimPrefix(servertest.Path(link), "/reset/")) {
			t.Error("the log has the link")
		}
	})

	t.Run("OnceHoweverManyAtOnce", func(t *testing.T) {
		h := openHouse(t)
		h.person(t, member)
		link := h.recover(t, member)
		got := parallel(6, func(i int) int {
			return h.Browser(t).Post(t, link, url.Values{"password": {fmt.Sprint("a new password ", i)}}).Status
		})
		if got[303] != 1 || got[404] != 5 {
			t.Errorf("answers %v", got)
		}
	})

	t.Run("For30Minutes", func(t *testing.T) {
		h := openHouse(t)
		h.person(t, member)
		link := h.recover(t, member)
		h.Clock.Advance(30*time.Minute - time.Millisecond)
		wantSaid(t, h.Browser(t).Get(t, link), 200, "")
		h.Clock.Advance(time.Millisecond)
		wantSaid(t, h.Browser(t).Get(t, link), 404, "not_found")
		wantSaid(t, h.Browser(t).Post(t, link, fresh), 404, "not_found")
		wantTo(t, h.Browser(t).SignIn(t, member, servertest.Password), "/console")
	})

	t.Run("ANewerOneTakesItsPlace", func(t *testing.T) {
		h := openHouse(t)
		h.person(t, member)
		first := h.recover(t, member)
		h.Clock.Advance(time.Minute)
		second := h.recover(t, member)
		wantSaid(t, h.Browser(t).Post(t, first, fresh), 404, "not_found")
		wantTo(t, h.Browser(t).Post(t, second, fresh), "/console")
	})

	t.Run("TouchesNobodyElse", func(t *testing.T) {
		h := openHouse(t)
		h.person(t, member)
		victim := h.enter(t, boss)
		link := h.recover(t, member)
		form := url.Values{"password": {another}, "email": {boss}, "account": {boss}, "id": {h.accounts(t)[0].ID}}
		b := h.Browser(t)
		wantTo(t, b.Post(t, link+"?email="+url.QueryEscape(boss), form), "/console")
		wantSaid(t, b.Get(t, "/console/settings"), 200, "", member)
		wantSaid(t, b.Get(t, "/console/operator"), 404, "not_found")
		wantSaid(t, victim.Get(t, "/console"), 200, "")
		wantTo(t, h.Browser(t).SignIn(t, boss, servertest.Password), "/console")
	})

	// Who is signed in as somebody else is then signed in as the link's account alone.
	t.Run("InABrowserOfSomebodyElse", func(t *testing.T) {
		h := openHouse(t)
		h.person(t, member)
		b := h.enter(t, boss)
		wantTo(t, b.Post(t, h.recover(t, member), fresh), "/console")
		wantSaid(t, b.Get(t, "/console/settings"), 200, "", member)
		if all, err := h.App.Accounts.AllSessions(context.Background(), boss); err != nil || len(all) != 0 {
			t.Errorf("sessions %+v, %v", all, err)
		}
	})

	t.Run("GivesTheFirstPasswordToo", func(t *testing.T) {
		h := openHouse(t)
		h.Account(t, "none@example.com", "free", 0)
		wantTo(t, h.Browser(t).Post(t, h.recover(t, "none@example.com"), fresh), "/console")
		wantTo(t, h.Browser(t).SignIn(t, "none@example.com", another), "/console")
	})

	t.Run("WrongLinksOfferNothing", func(t *testing.T) {
		h := openHouse(t)
		setup := strings.Replace(h.setup(t), "/setup/", "/reset/", 1)
		for _, wrong := range []string{"/reset/" + string(db.NewToken()), "/reset/x", setup} {
			for _, a := range []servertest.Answer{
				h.Browser(t).Get(t, wrong), h.Browser(t).Post(t, wrong, fresh), h.Browser(t).Post(t, wrong, url.Values{"password": {"short"}}),
			} {
				wantSaid(t, a, 404, "not_found", "This link does not work")
				wantNothingToDo(t, a)
			}
		}
	})
}

// An account that has done nothing yet sees all of its pages.
func TestConsoleOfAFreshAccount(t *testing.T) {
	sequential(t)
	h := openHouse(t)
	h.person(t, member)
	b := h.enter(t, member)
	for path, says := range map[string][]string{
		"/":                 {"Sign out"},
		"/console":          {"US$0.00", "None yet.", "Nobody else can read your data."},
		"/console/wallet":   {"US$0.00", "Nothing has changed the credit yet.", "Payments are not set up", `value="100"`},
		"/console/granted":  {"Granted"},
		"/console/settings": {member, "this browser", "Nowhere else."},
	} {
		a := b.Get(t, path)
		wantSaid(t, a, 200, "", says...)
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
		wantSaid(t, b.Get(t, path), 404, "not_found", "There is no such page.")
	}
	operator := h.enter(t, boss)
	wantSaid(t, operator.Get(t, "/console/operator"), 200, "", "No mails yet.", "No mail server is set up")
	if !operator.Get(t, "/console").Says(`href="/console/operator"`) {
		t.Error("the operator is not offered the page")
	}
	for _, path := range []string{"/console", "/console/wallet", "/console/granted", "/console/settings", "/console/operator"} {
		wantTo(t, h.Browser(t).Get(t, path+"?x=1"), "/signin?next="+url.QueryEscape(path))
	}
}

func TestThreshold(t *testing.T) {
	sequential(t)
	h := openHouse(t)
	h.person(t, member)
	b := h.enter(t, member)
	set := func(value string) servertest.Answer {
		t.Helper()
		return b.Post(t, "/console/wallet/threshold", url.Values{"threshold": {value}, "email": {boss}})
	}
	for value, want := range map[string]int64{"250": 250, "0": 0, "1": 1, "100000000": 100_000_000, " 7 ": 7} {
		wantTo(t, set(value), "/console/wallet?done=threshold")
		if w := h.Wallet(t, member); w.LowBalanceCents != want {
			t.Errorf("threshold %q: %+v", value, w)
		}
	}
	wantTo(t, set("250"), "/console/wallet?done=threshold")
	wantSaid(t, b.Get(t, "/console/wallet?done=threshold"), 200, "", "The threshold is set.", `value="250"`)
	for _, bad := range []string{
		"", "x", "1.5", "1e2", "-1", "100000001", "9223372036854775808", "99999999999999999999", "0x10", "1,000", "१", "1 0", "NaN", "<script>",
	} {
		a := set(bad)
		wantSaid(t, a, 400, "invalid_request", "The threshold must be a whole number of US cents from 0 to 100000000.")
		if a.Says("<script>") {
			t.Errorf("%q: %s", bad, a.Body)
		}
	}
	wantSaid(t, b.Post(t, "/console/wallet/threshold", url.Values{}), 400, "invalid_request", "The threshold ")
	if mine, theirs := h.Wallet(t, member), h.Wallet(t, boss); mine.LowBalanceCents != 250 || theirs.LowBalanceCents != 100 {
		t.Errorf("thresholds %+v and %+v", mine, theirs)
	}
}

// The address that is throttled, listed and logged is the client's.
func TestAddressOfASession(t *testing.T) {
	sequential(t)
	h := openHouse(t, behindProxy)
	h.enter(t, boss, from("2001:db8::1"))
	all, err := h.App.Accounts.AllSessions(context.Background(), boss)
	if err != nil || len(all) != 1 || netip.MustParseAddr(all[0].Address) != netip.MustParseAddr("2001:db8::1") {
		t.Errorf("sessions %+v, %v", all, err)
	}
}
