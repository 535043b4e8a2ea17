package account_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// wrongCode returns a code other than this one.
func wrongCode(code string) string {
	if code == "000000" {
		return "000001"
	}
	return "000000"
}

func TestSignUp(t *testing.T) {
	servertest.Sequential(t)
	const newcomer = "New@example.com"
	const wrongCodeText = "The code is wrong or no longer valid"

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
			t.Error("an account or a mail was made")
		}
		if h.Browser(t).Get(t, "/signin").Says(`href="/signup"`) {
			t.Error("the sign-in page offers sign-up")
		}
	})

	t.Run("MakesAnAccount", func(t *testing.T) {
		h := openHouse(t)
		b := h.Browser(t)
		if !b.Get(t, "/signin").Says(`href="/signup"`) {
			t.Error("the sign-in page does not offer sign-up")
		}
		a := b.Get(t, "/signup?next=/console/wallet")
		a.ExpectPage(t, 200, `name="next" value="/console/wallet"`)
		a = b.Post(t, "/signup", url.Values{"email": {newcomer}, "next": {"/console/wallet"}})
		a.ExpectPage(t, 200, `name="email" type="email" value="New@example.com"`, `name="next" value="/console/wallet"`)
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
		b.Get(t, "/console").ExpectPage(t, 200, "Corner Shop", "Add your products")
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
		b.Get(t, "/signup?next=//evil.example").ExpectPage(t, 200, `name="next" value="/console"`)
		a := b.Post(t, "/signup", url.Values{"email": {newcomer}, "next": {`/\evil.example`}})
		a.ExpectPage(t, 200, `name="next" value="/console"`)
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

		// Other mistakes in the form do not count.
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
			a.ExpectErrorPage(t, 400, "invalid_request", wrongCodeText, ` value="`+html.EscapeString(`"><b>Shop`)+`"`)
			if a.Says(servertest.OtherPassword) || a.Says("<b>") || a.Header.Get("Set-Cookie") != "" || !slices.Equal(a.Forms(), []string{"/signup/code"}) {
				t.Errorf("try %d: %s", i, a.Body)
			}
		}
		b.Post(t, "/signup/code", servertest.SignUpForm(newcomer, code, "Shop", servertest.OtherPassword)).ExpectErrorPage(t, 400, "invalid_request", wrongCodeText)
		if len(h.Accounts(t)) != 1 {
			t.Error("an account was made")
		}

		h.Clock.Advance(time.Minute)
		h.AskCode(t, newcomer)
		b.Post(t, "/signup/code", servertest.SignUpForm(newcomer, h.Code(t, newcomer), "", servertest.OtherPassword)).ExpectRedirect(t, "/console")
	})

	t.Run("CodeIsForOneAddressTenMinutesAndOneUse", func(t *testing.T) {
		h := openHouse(t)
		h.AskCode(t, newcomer)
		code := h.Code(t, newcomer)
		refused := func(email, code string) {
			t.Helper()
			h.Browser(t).Post(t, "/signup/code", servertest.SignUpForm(email, code, "", servertest.OtherPassword)).ExpectErrorPage(t, 400, "invalid_request", wrongCodeText)
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

	// Quotes and backslashes that an address does not need make no other address.
	t.Run("QuotedSpellingIsTheSameAddress", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		spell := func(email string) []string {
			local, domain, _ := strings.Cut(email, "@")
			return []string{`"` + local + `"@` + domain, `"\` + local + `"@` + domain}
		}

		for _, email := range spell(servertest.Member) {
			h.Clock.Advance(time.Minute)
			h.AskCode(t, email).Expect(t, 200, "")
			h.AskCode(t, servertest.Member).Expect(t, 429, "too_many_tries")
			if mails := h.Outbox(t, servertest.Member); mails[0].Subject != "You have an account already" || len(h.Outbox(t, email)) != 0 {
				t.Errorf("%s: mails %+v", email, mails)
			}
		}
		if n := len(h.Outbox(t, servertest.Member)); n != 2 {
			t.Errorf("%d mails, want 2", n)
		}

		h.AskCode(t, newcomer).Expect(t, 200, "")
		code := h.Code(t, newcomer)
		for _, email := range spell(newcomer) {
			h.AskCode(t, email).Expect(t, 429, "too_many_tries")
		}
		h.Browser(t).Post(t, "/signup/code", servertest.SignUpForm(spell(newcomer)[0], code, "", servertest.OtherPassword)).ExpectRedirect(t, "/console")
		h.Browser(t).SignIn(t, newcomer, servertest.OtherPassword).ExpectRedirect(t, "/console")
		if all := h.Accounts(t); len(all) != 3 || all[2].Name != "New" {
			t.Errorf("accounts %+v", all)
		}
	})

	t.Run("ParallelUsesOfACodeMakeOneAccount", func(t *testing.T) {
		h := openHouse(t)
		h.AskCode(t, newcomer)
		form := servertest.SignUpForm(newcomer, h.Code(t, newcomer), "", servertest.OtherPassword)
		got := servertest.Parallel(8, func(int) int { return h.Browser(t).Post(t, "/signup/code", form).Status })
		if got[303] != 1 || got[400] != 7 || len(h.Accounts(t)) != 2 {
			t.Errorf("answers %v, %d accounts", got, len(h.Accounts(t)))
		}
	})

	// The mails to an address are bounded, and so are the guesses. The answers do not show
	// whether the address has an account.
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
			expectSameAnswer(t, a, h.AskCode(t, servertest.Member), newcomer, servertest.Member)
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
		h.Browser(t).Post(t, "/recover", url.Values{"email": {strings.ToUpper(newcomer)}}).Expect(t, 200, "") // has its own bound
		h.Clock.Set(begun.Add(time.Hour))
		ask(200)
	})

	// The mails that one network requests are bounded, whether or not the addresses have
	// accounts.
	t.Run("MailsRequestedByANetworkAreBounded", func(t *testing.T) {
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
		known.ExpectErrorPage(t, 429, "too_many_tries", "This was asked for a moment ago; get it from the people")
		if known.Header.Get("Retry-After") != "600" {
			t.Errorf("headers %v", known.Header)
		}
		expectSameAnswer(t, known, h.Browser(t).Post(t, "/signup", url.Values{"email": {"x@example.com"}}, servertest.From(network)), servertest.Boss, "x@example.com")
		ask(101, network).Expect(t, 429, "too_many_tries")
		h.Clock.Advance(time.Minute)
		h.Browser(t).Post(t, consent, nil, servertest.From(network)).Expect(t, 429, "too_many_tries")
		if n := len(h.Outbox(t, "")); n != mails {
			t.Errorf("%d more mails", n-mails)
		}
		ask(102, "2001:db8:1:3::1").Expect(t, 200, "")
		h.Clock.Advance(9 * time.Minute)
		ask(104, network).Expect(t, 200, "")
	})

	t.Run("ParallelRequestsAreBounded", func(t *testing.T) {
		h := openHouse(t)
		got := servertest.Parallel(80, func(i int) int { return h.AskCode(t, fmt.Sprintf("a%d@example.com", i)).Status })
		if got[200] != 60 || got[429] != 20 || len(h.Outbox(t, "")) != 60 {
			t.Errorf("answers %v, %d mails", got, len(h.Outbox(t, "")))
		}
	})

	// Addresses that differ in one letter belong to different people, even if the letters
	// have the same lower case.
	t.Run("SimilarAddressesAreDistinct", func(t *testing.T) {
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

	t.Run("AddressWithAnAccountGetsALink", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		fresh, known := h.AskCode(t, newcomer), h.AskCode(t, "MEMBER@example.com")
		known.ExpectPage(t, 200)
		expectSameAnswer(t, fresh, known, newcomer, "MEMBER@example.com")
		mails := h.Outbox(t, servertest.Member)
		if len(mails) != 1 || mails[0].To != servertest.Member || mails[0].Subject != "You have an account already" || !strings.Contains(mails[0].Text, h.URL+"/reset/") ||
			regexp.MustCompile(`\b\d{6}\b`).MatchString(mails[0].Text) {
			t.Errorf("mails %+v", mails)
		}
		if left := h.Query(t, `SELECT tries_left FROM codes WHERE email_folded = 'member@example.com'`); !slices.Equal(left, []string{"0"}) {
			t.Errorf("the decoy code has tries left: %v", left)
		}
		wrong := wrongCode(h.Code(t, newcomer)) // which the page repeats
		a := h.Browser(t).Post(t, "/signup/code", servertest.SignUpForm(newcomer, wrong, "", servertest.OtherPassword))
		b := h.Browser(t).Post(t, "/signup/code", servertest.SignUpForm(servertest.Member, wrong, "", servertest.OtherPassword))
		expectSameAnswer(t, a, b, newcomer, servertest.Member)
		h.Browser(t).Get(t, h.NewestResetLink(t, servertest.Member)).ExpectPage(t, 200, servertest.Member)
	})
}

// The name of an account is escaped wherever it is shown.
func TestHostileNamesAreEscaped(t *testing.T) {
	servertest.Sequential(t)
	const name = `<script>alert(1)</script>"'&` + "\u202egnirts\r\nBcc: x@evil.example https://evil.example"
	h := openHouse(t)
	h.AskCode(t, "stranger@example.com")
	b := h.Browser(t)
	b.Post(t, "/signup/code", servertest.SignUpForm("stranger@example.com", h.Code(t, "stranger@example.com"), name, servertest.OtherPassword)).ExpectRedirect(t, "/console")
	for _, path := range []string{"/", "/console", "/console/wallet", "/console/settings", "/console/granted"} {
		a := b.Get(t, path)
		a.ExpectPage(t, 200, "&lt;script&gt;alert(1)&lt;/script&gt;")
		if a.Says("<script>alert") {
			t.Errorf("%s: %s", path, a.Body)
		}
	}

	_, secret := h.Key(t, "stranger@example.com", db.Live, db.AccountMode)
	made := h.Call(t, "POST", "/api/v1/connections", map[string]any{"merchant_email": servertest.Member}, servertest.WithKey(secret))
	made.Expect(t, 200, "")
	h.Browser(t).Get(t, made.Fields(t)["confirmation_url"].(string)).ExpectPage(t, 200, "&lt;script&gt;alert(1)&lt;/script&gt;")
	m := h.Outbox(t, servertest.Member)[0]
	if strings.Contains(m.HTML, "<script>") || strings.ContainsAny(m.Subject, "\r\n") || strings.Contains(m.Text, "\nBcc:") ||
		strings.Contains(m.Text+m.HTML, "https://evil.example") || strings.ContainsRune(m.Text+m.HTML, '\u202e') {
		t.Errorf("mail %+v", m)
	}
	if a := h.Enter(t, servertest.Boss).Get(t, "/console/operator/mails"); a.Says("<script>alert") || a.Status != 200 {
		t.Errorf("operator's page: %s", a.Body)
	}
}

// Who makes an account with a mailed code in a browser where somebody else is signed in is not
// that person to the audit log.
func TestSignUpWhereSomebodyElseIsSignedIn(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.AskCode(t, "new@example.com").Expect(t, 200, "")
	b := h.Enter(t, servertest.Boss)
	b.Post(t, "/signup/code", servertest.SignUpForm("new@example.com", h.Code(t, "new@example.com"), "Tea Room", servertest.OtherPassword)).ExpectRedirect(t, "/console")
	acts := h.Query(t, `SELECT actor FROM audit JOIN accounts ON accounts.id = account_id WHERE action = 'account.created' AND email = 'new@example.com'`)
	if len(acts) != 1 || acts[0] != "link" {
		t.Errorf("actors %q, want the link", acts)
	}
	b.Get(t, "/console/activity").ExpectPage(t, 200, "Tea Room", "Whoever had a mailed link or code")
}
