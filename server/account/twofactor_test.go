package account_test

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"svc/server"
	"svc/server/servertest"
	"svc/server/totp"
)

const (
	twoFactorPath = "/console/settings/two-factor"
	codePath      = "/signin/code"
)

var (
	setupTicket = regexp.MustCompile(`name="ticket" value="([^"]+)"`)
	secretText  = regexp.MustCompile(`<pre id="secret" tabindex="0">([A-Z2-7 ]+)</pre>`)
	codesText   = regexp.MustCompile(`<pre id="codes" tabindex="0">([^<]+)</pre>`)
)

// phone is a person with two-factor sign-in on.
type phone struct {
	*house
	email    string
	secret   totp.Secret
	recovery []string
}

func setupTicketOf(t *testing.T, a servertest.Answer) string {
	t.Helper()
	found := setupTicket.FindSubmatch(a.Body)
	if found == nil {
		t.Fatalf("no ticket in %s", a.Body)
	}
	return string(found[1])
}

// begin asks for a secret and reads it from the page.
func (h *house) begin(t *testing.T, b *servertest.Browser) (ticket string, secret totp.Secret) {
	t.Helper()
	form := url.Values{"ticket": {setupTicketOf(t, b.Get(t, twoFactorPath))}, "current": {servertest.Password}}
	a := b.Post(t, twoFactorPath+"/begin", form)
	a.ExpectPage(t, 200)
	found := secretText.FindSubmatch(a.Body)
	if found == nil {
		t.Fatalf("no secret in %s", a.Body)
	}
	secret, err := totp.Parse(strings.ReplaceAll(string(found[1]), " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	if !a.Says(`href="otpauth://totp/svc:`) || !a.Says(secret.String()) || !a.Says(`<path d="M0 0h7v1h-7z`) {
		t.Errorf("the secret is not shown in all ways: %s", a.Body)
	}
	return setupTicketOf(t, a), secret
}

// turnOn sets it up in a browser that is signed in.
func (h *house) turnOn(t *testing.T, b *servertest.Browser, email string) *phone {
	t.Helper()
	ticket, secret := h.begin(t, b)
	p := &phone{house: h, email: email, secret: secret}
	a := b.Post(t, twoFactorPath+"/confirm", url.Values{"ticket": {ticket}, "code": {p.code(0)}})
	a.ExpectPage(t, 200)
	p.recovery = codesIn(t, a)
	h.Clock.Advance(30 * time.Second) // the code is used
	return p
}

func codesIn(t *testing.T, a servertest.Answer) []string {
	t.Helper()
	found := codesText.FindSubmatch(a.Body)
	if found == nil {
		t.Fatalf("no recovery codes in %s", a.Body)
	}
	codes := strings.Fields(string(found[1]))
	if len(codes) != 10 || len(codes[0]) != 19 {
		t.Errorf("recovery codes %q", codes)
	}
	return codes
}

// code returns what the app shows some steps from now.
func (p *phone) code(steps totp.Step) string {
	return p.secret.Code(totp.StepOf(p.Clock.Now()) + steps)
}

// half opens a browser in which the password was typed.
func (p *phone) half(t *testing.T) *servertest.Browser {
	t.Helper()
	b := p.Browser(t)
	b.SignIn(t, p.email, servertest.Password).ExpectRedirect(t, codePath+"?next=%2Fconsole")
	return b
}

func send(t *testing.T, b *servertest.Browser, code string) servertest.Answer {
	t.Helper()
	return b.Post(t, codePath, url.Values{"code": {code}})
}

// outside fails the test if the browser is signed in.
func outside(t *testing.T, b *servertest.Browser) {
	t.Helper()
	if b.Get(t, "/console").Status != 303 || b.Cookie(t, "svc_session") != "" {
		t.Error("the browser is signed in")
	}
}

func newPhone(t *testing.T, change ...func(*server.Config)) (*phone, *servertest.Browser) {
	t.Helper()
	h := openHouse(t, change...)
	h.Person(t, servertest.Member)
	b := h.Enter(t, servertest.Member)
	return h.turnOn(t, b, servertest.Member), b
}

func TestTwoFactorLife(t *testing.T) {
	servertest.Sequential(t)
	p, b := newPhone(t)
	b.Get(t, twoFactorPath).ExpectPage(t, 200, "10 codes left")
	b.Get(t, "/console/settings").ExpectPage(t, 200, "Recovery codes, or turn it off")

	other := p.half(t)
	outside(t, other)
	other.Get(t, codePath+"?next=/console/wallet").ExpectPage(t, 200, "Enter your code", p.email, `name="next" value="/console/wallet"`)
	a := other.Post(t, codePath, url.Values{"code": {p.code(0)}, "next": {"/console/wallet"}})
	a.ExpectRedirect(t, "/console/wallet")
	other.Get(t, "/console").ExpectPage(t, 200)
	if other.Cookie(t, "svc_half") != "" {
		t.Error("the cookie of the half sign-in stays")
	}
	other.Get(t, codePath+"?next=/console/keys").ExpectRedirect(t, "/console/keys")

	p.Clock.Advance(30 * time.Second)
	form := url.Values{"current": {"wrong password"}, "code": {p.code(0)}}
	b.Post(t, twoFactorPath+"/off", form).ExpectErrorPage(t, 400, "invalid_request", "is not your password", "<details class=\"confirm\" open>")
	form.Set("current", servertest.Password)
	form.Set("code", "000000")
	b.Post(t, twoFactorPath+"/off", form).ExpectErrorPage(t, 400, "invalid_request", "The code is wrong")
	form.Set("code", p.code(0))
	b.Post(t, twoFactorPath+"/off", form).ExpectRedirect(t, twoFactorPath+"?done=two-factor-off")
	b.Get(t, twoFactorPath).ExpectPage(t, 200, "Set it up")
	p.Browser(t).SignIn(t, p.email, servertest.Password).ExpectRedirect(t, "/console")
	if n := p.Count(t, `SELECT (SELECT count(*) FROM two_factors) + (SELECT count(*) FROM recovery_codes) + (SELECT count(*) FROM half_sign_ins)`); n != 0 {
		t.Errorf("%d rows are left", n)
	}

	acts := strings.Join(p.Query(t, `SELECT action, actor = account_id, subject FROM audit WHERE action LIKE 'two%' OR action LIKE 'recovery%' ORDER BY seq`), "; ")
	if acts != "two_factor.on 1 ; two_factor.off 1 " {
		t.Errorf("acts %q", acts)
	}
	var subjects []string
	for _, m := range p.Outbox(t, p.email) {
		subjects = append(subjects, m.Subject)
	}
	if fmt.Sprint(subjects) != "[Two-factor sign-in is off Two-factor sign-in is on]" {
		t.Errorf("mails %q", subjects)
	}
	b.Get(t, "/console/activity").ExpectPage(t, 200, "Two-factor sign-in turned on", "Two-factor sign-in turned off")
}

func TestTwoFactorSetupForms(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.Person(t, servertest.Member)
	b := h.Enter(t, servertest.Member)
	ticket := setupTicketOf(t, b.Get(t, twoFactorPath))
	b.Post(t, twoFactorPath+"/begin", url.Values{"ticket": {ticket}, "current": {"wrong password"}}).ExpectErrorPage(t, 400, "invalid_request", "is not your password")
	b.Post(t, twoFactorPath+"/begin", url.Values{"ticket": {"tfa_1.x"}, "current": {servertest.Password}}).ExpectErrorPage(t, 409, "conflict")
	if n := h.Count(t, `SELECT count(*) FROM two_factors`); n != 0 {
		t.Fatalf("%d secrets", n)
	}

	ticket, secret := h.begin(t, b)
	again := b.Post(t, twoFactorPath+"/begin", url.Values{"ticket": {ticket}, "current": {servertest.Password}})
	if !again.Says(secret.String()) {
		t.Error("the form that was sent twice made another secret")
	}
	for _, stored := range h.Query(t, `SELECT hex(secret) FROM two_factors`) {
		if strings.Contains(strings.ToLower(stored), fmt.Sprintf("%x", secret.String())) || strings.Contains(strings.ToLower(stored), fmt.Sprintf("%x", []byte(secret))) {
			t.Error("the secret is stored as it is")
		}
	}
	h.Browser(t).SignIn(t, servertest.Member, servertest.Password).ExpectRedirect(t, "/console") // begun only

	wrong := b.Post(t, twoFactorPath+"/confirm", url.Values{"ticket": {ticket}, "code": {"000000"}})
	wrong.ExpectErrorPage(t, 400, "invalid_request", "is not the one that the app shows")
	if !wrong.Says(secret.String()) {
		t.Error("the secret is gone after a wrong code")
	}
	now := totp.StepOf(h.Clock.Now())
	a := b.Post(t, twoFactorPath+"/confirm", url.Values{"ticket": {ticket}, "code": {secret.Code(now)}})
	codes := codesIn(t, a)
	for _, form := range []string{"begin", "confirm"} {
		a := b.Post(t, twoFactorPath+"/"+form, url.Values{"ticket": {ticket}, "current": {servertest.Password}, "code": {secret.Code(now + 1)}})
		a.ExpectErrorPage(t, 409, "conflict", "on already")
		if a.Says(codes[0]) || a.Says(secret.String()) {
			t.Errorf("%s, sent again, shows a secret", form)
		}
	}
	if log := h.Log.String(); strings.Contains(log, secret.String()) || strings.Contains(log, codes[0]) {
		t.Error("a secret is in the log")
	}
	for _, stored := range h.Query(t, `SELECT code_hash FROM recovery_codes`) {
		if strings.Contains(stored, strings.ReplaceAll(codes[0], "-", "")) {
			t.Error("a recovery code is stored as it is")
		}
	}
}

// A secret waits half an hour for its first code, and a newer one takes its place.
func TestTwoFactorIsConfirmedInTime(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.Person(t, servertest.Member)
	b := h.Enter(t, servertest.Member)
	old, secret := h.begin(t, b)
	newer, _ := h.begin(t, b)
	code := func() string { return secret.Code(totp.StepOf(h.Clock.Now())) }
	b.Post(t, twoFactorPath+"/confirm", url.Values{"ticket": {old}, "code": {code()}}).ExpectErrorPage(t, 409, "conflict", "begin again")
	h.Clock.Advance(31 * time.Minute)
	b.Post(t, twoFactorPath+"/confirm", url.Values{"ticket": {newer}, "code": {code()}}).ExpectErrorPage(t, 409, "conflict", "begin again")
	b.Get(t, twoFactorPath).ExpectPage(t, 200, "Set it up")
}

// A code works once, also for what is not a sign-in, and only around its time.
func TestCodesWorkOnceAndInTime(t *testing.T) {
	servertest.Sequential(t)
	p, b := newPhone(t)
	now := p.code(0)
	send(t, p.half(t), now).ExpectRedirect(t, "/console")
	late := p.half(t)
	send(t, late, now).ExpectErrorPage(t, 400, "invalid_request", "was used already")
	send(t, late, p.code(-1)).ExpectErrorPage(t, 400, "invalid_request", "was used already") // older than the last
	b.Post(t, twoFactorPath+"/codes", url.Values{"code": {now}}).ExpectErrorPage(t, 400, "invalid_request", "was used already")
	outside(t, late)
	for _, steps := range []totp.Step{-3, -2, 2, 3} {
		send(t, late, p.code(steps)).ExpectErrorPage(t, 400, "invalid_request", "The code is wrong")
	}
	send(t, late, " "+p.code(1)[:3]+" "+p.code(1)[3:]+" ").ExpectRedirect(t, "/console") // the phone is ahead

	p.Clock.Advance(2 * time.Minute)
	send(t, p.half(t), p.code(-1)).ExpectRedirect(t, "/console") // the phone is behind
	send(t, p.half(t), p.code(0)).ExpectRedirect(t, "/console")
}

// When the clock was ahead and is set back, codes of the time between work.
func TestCodesAfterTheClockIsSetBack(t *testing.T) {
	servertest.Sequential(t)
	p, _ := newPhone(t)
	p.Clock.Advance(time.Hour)
	send(t, p.half(t), p.code(0)).ExpectRedirect(t, "/console")
	p.Clock.Advance(-time.Hour + time.Minute)
	code := p.code(0)
	send(t, p.half(t), code).ExpectRedirect(t, "/console")
	send(t, p.half(t), code).ExpectErrorPage(t, 400, "invalid_request", "was used already")
}

func TestRecoveryCodes(t *testing.T) {
	servertest.Sequential(t)
	p, b := newPhone(t)
	recovery := func(b *servertest.Browser, code string) servertest.Answer {
		return b.Post(t, codePath, url.Values{"code": {code}, "with": {"recovery"}, "next": {"/console/keys"}})
	}
	recovery(p.half(t), p.recovery[0]).ExpectRedirect(t, "/console/keys")
	again := p.half(t)
	recovery(again, p.recovery[0]).ExpectErrorPage(t, 400, "invalid_request", "The code is wrong", "<details open>")
	typed := strings.ToUpper(strings.ReplaceAll(p.recovery[1], "-", " "))
	recovery(again, " "+strings.ReplaceAll(typed, "0", "O")+" ").ExpectRedirect(t, "/console/keys")
	b.Get(t, twoFactorPath).ExpectPage(t, 200, "8 codes left")
	if m := p.Outbox(t, p.email)[0]; m.Subject != "A recovery code was used" || !strings.Contains(m.Text, "8 left") {
		t.Errorf("mail %q %s", m.Subject, m.Text)
	}
	b.Get(t, "/console/activity").ExpectPage(t, 200, "with a recovery code: 8 left")
	if who := p.Query(t, `SELECT actor = account_id FROM audit WHERE action = 'recovery_code.used'`); fmt.Sprint(who) != "[1 1]" {
		t.Errorf("used by its owner: %v", who)
	}

	renewed := b.Post(t, twoFactorPath+"/codes", url.Values{"code": {p.code(0)}})
	renewed.ExpectPage(t, 200)
	codes := codesIn(t, renewed)
	b.Post(t, twoFactorPath+"/codes", url.Values{"code": {p.code(0)}}).ExpectErrorPage(t, 400, "invalid_request", "was used already")
	old := p.half(t)
	recovery(old, p.recovery[2]).ExpectErrorPage(t, 400, "invalid_request")
	recovery(old, codes[0]).ExpectRedirect(t, "/console/keys")
	if m := p.Outbox(t, p.email)[1]; m.Subject != "You have new recovery codes" {
		t.Errorf("mail %q", m.Subject)
	}

	// Who has lost the phone turns it off with the password and a recovery code.
	b.Post(t, twoFactorPath+"/off", url.Values{"current": {servertest.Password}, "code": {codes[1]}}).ExpectRedirect(t, twoFactorPath+"?done=two-factor-off")
	p.Browser(t).SignIn(t, p.email, servertest.Password).ExpectRedirect(t, "/console")
}

// Ten wrong codes from a network make it wait, and thirty the account, but not the browser
// from which its owner has signed in before.
func TestWrongCodesAreLimited(t *testing.T) {
	servertest.Sequential(t)
	p, known := newPhone(t, servertest.BehindProxy)
	known.Post(t, "/signout", url.Values{})
	wait := func(b *servertest.Browser, from, code string) servertest.Answer {
		return b.Post(t, codePath, url.Values{"code": {code}}, servertest.From(from))
	}
	guess := func(n int) string { return fmt.Sprintf("%06d", n) }
	refused := 0
	for network := range 4 {
		from := fmt.Sprintf("198.51.%d.7", network+1)
		b := p.Browser(t)
		b.Post(t, "/signin", url.Values{"email": {p.email}, "password": {servertest.Password}}, servertest.From(from)).ExpectRedirect(t, codePath+"?next=%2Fconsole")
		for n := range 12 {
			code := guess(n)
			if code == p.code(-1) || code == p.code(0) || code == p.code(1) {
				continue
			}
			a := wait(b, from, code)
			if a.Status == 429 {
				a.ExpectErrorPage(t, 429, "too_many_tries", "Too many wrong codes")
				refused++
			} else {
				a.ExpectErrorPage(t, 400, "invalid_request", "The code is wrong")
			}
		}
		if a := wait(b, from, p.code(0)); a.Status != 429 {
			t.Errorf("the right code of network %d: %d", network, a.Status)
		}
		outside(t, b)
	}
	if refused != 3*2+12 {
		t.Errorf("%d guesses were refused", refused)
	}

	known.Post(t, "/signin", url.Values{"email": {p.email}, "password": {servertest.Password}}).ExpectRedirect(t, codePath+"?next=%2Fconsole")
	send(t, known, "000000").ExpectErrorPage(t, 400, "invalid_request")
	send(t, known, p.code(0)).ExpectRedirect(t, "/console")
	stranger := p.Browser(t)
	p.Clock.Advance(16 * time.Minute)
	stranger.Post(t, "/signin", url.Values{"email": {p.email}, "password": {servertest.Password}}, servertest.From("198.51.9.7"))
	wait(stranger, "198.51.9.7", p.code(0)).ExpectRedirect(t, "/console")
}

// A sign-in that waits for its code is bound to its browser, to ten minutes and to the
// password, and is completed once.
func TestHalfSignIn(t *testing.T) {
	servertest.Sequential(t)
	t.Run("OtherBrowser", func(t *testing.T) {
		p, _ := newPhone(t)
		p.half(t)
		b := p.Browser(t)
		b.Get(t, codePath+"?next=/console/wallet").ExpectRedirect(t, "/signin?done=late&next=%2Fconsole%2Fwallet")
		send(t, b, p.code(0)).ExpectRedirect(t, "/signin?done=late&next=%2Fconsole")
		outside(t, b)
	})
	t.Run("TooLate", func(t *testing.T) {
		p, _ := newPhone(t)
		b := p.half(t)
		p.Clock.Advance(10 * time.Minute)
		send(t, b, p.code(0)).ExpectRedirect(t, "/signin?done=late&next=%2Fconsole")
		b.Get(t, "/signin?done=late&next=%2Fconsole").ExpectPage(t, 200, "Sign in again.")
		outside(t, b)
		p.Sweep(t)
		if n := p.Count(t, `SELECT count(*) FROM half_sign_ins`); n != 0 {
			t.Errorf("%d half sign-ins are left", n)
		}
	})
	t.Run("SentTwice", func(t *testing.T) {
		p, _ := newPhone(t)
		b := p.half(t)
		code := p.code(0)
		send(t, b, code).ExpectRedirect(t, "/console")
		send(t, b, code).ExpectRedirect(t, "/console")
	})
	t.Run("OtherPassword", func(t *testing.T) {
		p, b := newPhone(t)
		half := p.half(t)
		b.Post(t, "/console/settings/password", url.Values{"current": {servertest.Password}, "password": {"another long password"}}).ExpectRedirect(t, "/console/settings?done=password")
		send(t, half, p.code(0)).ExpectRedirect(t, "/signin?done=late&next=%2Fconsole")
		outside(t, half)
	})
	t.Run("DisabledAccount", func(t *testing.T) {
		p, _ := newPhone(t)
		half := p.half(t)
		if err := p.App.Accounts.Disable(t.Context(), p.email); err != nil {
			t.Fatal(err)
		}
		send(t, half, p.code(0)).ExpectErrorPage(t, 403, "forbidden")
		outside(t, half)
	})
	t.Run("TurnedOff", func(t *testing.T) {
		p, _ := newPhone(t)
		half := p.half(t)
		if _, err := p.App.Accounts.ForceTwoFactorOff(t.Context(), p.email); err != nil {
			t.Fatal(err)
		}
		send(t, half, p.code(0)).ExpectErrorPage(t, 400, "invalid_request") // sign in again, without a code
		half.SignIn(t, p.email, servertest.Password).ExpectRedirect(t, "/console")
	})
	t.Run("LocalNext", func(t *testing.T) {
		p, _ := newPhone(t)
		b := p.Browser(t)
		b.Post(t, "/signin", url.Values{"email": {p.email}, "password": {servertest.Password}, "next": {"//evil.example"}}).ExpectRedirect(t, codePath+"?next=%2Fconsole")
		b.Post(t, codePath, url.Values{"code": {p.code(0)}, "next": {"//evil.example"}}).ExpectRedirect(t, "/console")
	})
	t.Run("OtherSite", func(t *testing.T) {
		p, _ := newPhone(t)
		b := p.half(t)
		a := b.Post(t, codePath, url.Values{"code": {p.code(0)}}, servertest.WithHeader("Sec-Fetch-Site", "cross-site"))
		a.ExpectErrorPage(t, 403, "cross_origin")
		outside(t, b)
	})
}

// If the session cannot be stored, the code is not used up, and the other way round.
func TestCodeAndSessionAreOneTransaction(t *testing.T) {
	servertest.Sequential(t)
	p, _ := newPhone(t)
	for _, code := range []string{p.code(0), p.recovery[0]} {
		b := p.half(t)
		p.Exec(t, `CREATE TRIGGER crash BEFORE INSERT ON sessions BEGIN SELECT RAISE(ABORT, 'crash'); END`)
		if a := send(t, b, code); a.Status != 500 {
			t.Errorf("without a session: %d", a.Status)
		}
		outside(t, b)
		p.Exec(t, `DROP TRIGGER crash`)
		send(t, b, code).ExpectRedirect(t, "/console")
		send(t, p.half(t), code).ExpectErrorPage(t, 400, "invalid_request")
	}
	if mails := p.Outbox(t, p.email); len(mails) != 2 { // on, and the recovery code once
		t.Errorf("%d mails", len(mails))
	}
}

// Two browsers send one code at once: one of them gets in.
func TestOneCodeOfTwoBrowsers(t *testing.T) {
	p, _ := newPhone(t)
	for _, code := range []string{p.code(0), p.recovery[0]} {
		browsers := []*servertest.Browser{p.half(t), p.half(t), p.half(t), p.half(t)}
		statuses := servertest.Parallel(len(browsers), func(i int) int {
			return browsers[i].Post(t, codePath, url.Values{"code": {code}}).Status
		})
		if statuses[303] != 1 || statuses[400] != len(browsers)-1 {
			t.Errorf("statuses %v", statuses)
		}
	}
}

// A new password by a mailed link does not sign in without the code, and leaves it on.
func TestPasswordResetKeepsTwoFactor(t *testing.T) {
	servertest.Sequential(t)
	p, _ := newPhone(t)
	b := p.Browser(t)
	b.Post(t, "/recover", url.Values{"email": {p.email}}).ExpectPage(t, 200)
	link := regexp.MustCompile(`/reset/\S+`).FindString(p.Outbox(t, p.email)[0].Text)
	b.Post(t, link, url.Values{"password": {"another long password"}}).ExpectRedirect(t, codePath+"?next=%2Fconsole")
	outside(t, b)
	send(t, b, p.code(0)).ExpectRedirect(t, "/console")
	p.Browser(t).SignIn(t, p.email, "another long password").ExpectRedirect(t, codePath+"?next=%2Fconsole")
}

// Without the key file recovery codes work, and the page says so.
func TestTwoFactorWithoutTheKeyFile(t *testing.T) {
	servertest.Sequential(t)
	p, _ := newPhone(t)
	if err := os.Remove(p.Path + ".key"); err != nil {
		t.Fatal(err)
	}
	b := p.half(t)
	send(t, b, p.code(0)).ExpectErrorPage(t, 503, "unavailable", "a recovery code works")
	send(t, b, p.recovery[0]).ExpectRedirect(t, "/console")
	p.Person(t, "third@example.com")
	third := p.Enter(t, "third@example.com")
	form := url.Values{"ticket": {setupTicketOf(t, third.Get(t, twoFactorPath))}, "current": {servertest.Password}}
	third.Post(t, twoFactorPath+"/begin", form).ExpectErrorPage(t, 503, "unavailable")
}

// The merchant who signs in on the consent page needs the code, and comes back to it.
func TestConsentAsksForTheCode(t *testing.T) {
	servertest.Sequential(t)
	p, _ := newPhone(t)
	_, key := p.Key(t, servertest.Boss, "live", "account")
	a := p.Call(t, "POST", "/api/v1/connections", map[string]any{"merchant_email": p.email}, servertest.WithKey(key))
	link := servertest.Path(a.Field(t, "confirmation_url").(string))
	b := p.Browser(t)
	b.Post(t, link+"/signin", url.Values{"email": {p.email}, "password": {servertest.Password}}).ExpectRedirect(t, codePath+"?next="+url.QueryEscape(link))
	b.Get(t, link).ExpectPage(t, 200, "I have an account")
	b.Post(t, link+"/approve", url.Values{"scope": {"read_inventory"}}).ExpectErrorPage(t, 401, "sign_in_required")
	b.Post(t, codePath, url.Values{"code": {p.code(0)}, "next": {link}}).ExpectRedirect(t, link)
	b.Get(t, link).ExpectPage(t, 200, link+"/approve")
	if n := p.Count(t, `SELECT count(*) FROM connections WHERE status = 'approved'`); n != 0 {
		t.Errorf("%d connections were approved without a code", n)
	}
}

// The operator lets somebody in who has lost phone and codes; staff have a second factor of
// their own.
func TestOperatorTurnsTwoFactorOff(t *testing.T) {
	servertest.Sequential(t)
	p, _ := newPhone(t)
	const helper = "sam@example.com"
	shop, err := p.App.Accounts.Find(t.Context(), p.email)
	if err != nil {
		t.Fatal(err)
	}
	p.Staff(t, shop, helper)
	sam := p.turnOn(t, p.Enter(t, helper), helper)
	send(t, sam.half(t), sam.code(0)).ExpectRedirect(t, "/console")
	sam.half(t).Get(t, "/signin/code").ExpectPage(t, 200, "Ask the owner of your shop")
	p.half(t).Get(t, "/signin/code").ExpectPage(t, 200, "Ask the people who run this server")
	send(t, sam.half(t), p.code(0)).ExpectErrorPage(t, 400, "invalid_request") // the owner's

	boss := p.Enter(t, servertest.Boss)
	form := url.Values{"id": {shop.ID}, "email": {helper}}
	boss.Get(t, "/console/operator?open="+shop.ID).ExpectPage(t, 200, "/console/operator/two-factor", helper, p.email)
	p.Person(t, "third@example.com")
	p.Enter(t, "third@example.com").Post(t, "/console/operator/two-factor", form).ExpectErrorPage(t, 404, "not_found")
	boss.Post(t, "/console/operator/two-factor", url.Values{"id": {shop.ID}, "email": {servertest.Boss}}).ExpectErrorPage(t, 409, "conflict")
	boss.Post(t, "/console/operator/two-factor", form).Expect(t, 303, "")
	p.Browser(t).SignIn(t, helper, servertest.Password).ExpectRedirect(t, "/console")
	p.half(t) // the owner's is still on
	if m := p.Outbox(t, helper)[0]; m.Subject != "Two-factor sign-in is off" || !strings.Contains(m.Text, "people who run this server") {
		t.Errorf("mail %q %s", m.Subject, m.Text)
	}
	if acts := p.Query(t, `SELECT count(*) FROM audit JOIN accounts ON accounts.id = actor WHERE action = 'two_factor.off' AND operator = 1 AND subject LIKE 'usr_%'`); acts[0] != "1" {
		t.Errorf("acts %v", acts)
	}
	boss.Post(t, "/console/operator/two-factor", form).ExpectErrorPage(t, 409, "conflict")
}
