package connection_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

func TestConsentSignIn(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	link := d.Ask(t)
	signin := func(b *servertest.Browser, address, password string) servertest.Answer {
		return b.Post(t, link+"/signin", url.Values{"email": {address}, "password": {password}})
	}

	t.Run("Addressee", func(t *testing.T) {
		b := d.Browser(t)
		signin(b, "MIA@shop.example", servertest.Password).ExpectDone(t, link)
		expectPage(t, b.Get(t, link), 200, "", "approve decline")
	})
	t.Run("SomebodyElse", func(t *testing.T) {
		d.PlantAccount(t, "max@other.example", true)
		b := d.Browser(t)
		signin(b, "max@other.example", servertest.Password).ExpectDone(t, link)
		expectPage(t, b.Get(t, link), 403, "forbidden", "", saysSomebodyElse)
	})
	t.Run("NextIsIgnored", func(t *testing.T) {
		a := d.Browser(t).Post(t, link+"/signin", url.Values{
			"email": {servertest.Mia}, "password": {servertest.Password}, "next": {"https://evil.example/"},
		})
		a.ExpectDone(t, link)
	})
	t.Run("WrongPassword", func(t *testing.T) {
		d.expectUntouched(t, func() {
			for _, address := range []string{servertest.Mia, "nobody@shop.example", ""} {
				b := d.Browser(t)
				a := signin(b, address, "not the password")
				expectPage(t, a, 401, "wrong_password", "signin code", "The e-mail or the password is wrong.", `id="signin-problem"`, `value="`+address+`"`)
				if a.Says("not the password") || len(b.Cookies(t)) != 0 {
					t.Errorf("cookies %v, page %s", b.Cookies(t), a.Body)
				}
			}
		})
	})
	t.Run("TooManyWrongPasswords", func(t *testing.T) {
		d.Clock.Advance(time.Hour)
		for range 10 {
			signin(d.Browser(t), servertest.Mia, "not the password").Expect(t, 401, "wrong_password")
		}
		a := signin(d.Browser(t), servertest.Mia, servertest.Password)
		expectPage(t, a, 429, "too_many_tries", "signin code")
		if a.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	})
}

// newMerchant makes a request to an address without an account and has a code mailed to
// it.
func (d *desk) newMerchant(t *testing.T, address string) (b *servertest.Browser, link, code string) {
	t.Helper()
	link = servertest.ConfirmationURL(t, d.Request(t, asking(`"`+address+`"`)))
	d.Clock.Advance(time.Millisecond) // so that the code is the newest mail
	b = d.Browser(t)
	expectPage(t, b.Post(t, link+"/code", nil), 200, "", "signup code signin")
	return b, link, d.Code(t, address)
}

// otherCode returns a wrong code.
func otherCode(code string) string {
	if code == "123456" {
		return "654321"
	}
	return "123456"
}

func signup(code string) url.Values {
	return url.Values{"code": {code}, "name": {"Nia's Shop"}, "password": {servertest.Password}}
}

// A merchant without an account makes one on the page, even if --signup is closed (D5).
func TestConsentSignUp(t *testing.T) {
	const nia = "Nia@Shop.example"
	t.Run("ByCodeThoughSignUpIsClosed", func(t *testing.T) {
		d := newDesk(t)
		d.Browser(t).Get(t, "/signup").Expect(t, 403, "forbidden")
		b, link, code := d.newMerchant(t, nia)
		if n := len(d.Outbox(t, nia)); n != 2 {
			t.Errorf("%d mails, want the request and the code", n)
		}
		form := signup(" " + code + "\n")
		form["email"] = []string{"eve@example.com"} // not a field of this form
		b.Post(t, link+"/signup", form).ExpectDone(t, link)
		expectPage(t, b.Get(t, link), 200, "", "approve decline", nia, "Nia&#39;s Shop")
		b.Post(t, link+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, link)

		var made db.Account
		dbtest.View(t, d.Store, func(tx *db.Tx) (err error) {
			made, err = tx.AccountByEmail(nia)
			return err
		})
		if made.Email != nia || made.Name != "Nia's Shop" || made.VerifiedAt.IsZero() || made.Operator || made.Plan != db.Free {
			t.Errorf("account %+v", made)
		}
		if got := d.Newest(t); got["merchant_user_id"] != made.ID || got["status"] != "approved" {
			t.Errorf("approved %v", got)
		}
		if strings.Contains(d.dump(t, "accounts"), "eve@example.com") {
			t.Error("an account of another address was made")
		}
		if a := d.Browser(t).SignIn(t, nia, servertest.Password); a.Status != 303 {
			t.Errorf("sign in: %d, want 303", a.Status)
		}
	})

	t.Run("CodeWorksOnce", func(t *testing.T) {
		d := newDesk(t)
		b, link, code := d.newMerchant(t, nia)
		b.Post(t, link+"/signup", signup(code)).ExpectDone(t, link)
		again := d.Browser(t)
		expectPage(t, again.Post(t, link+"/signup", signup(code)), 400, "invalid_request", "signup code signin", "wrong or no longer valid")
		if len(again.Cookies(t)) != 0 {
			t.Error("a used code signs in")
		}
	})

	t.Run("FiveTries", func(t *testing.T) {
		d := newDesk(t)
		b, link, code := d.newMerchant(t, nia)
		for range 5 {
			a := b.Post(t, link+"/signup", signup(otherCode(code)))
			expectPage(t, a, 400, "invalid_request", "signup code signin", "The code is wrong or no longer valid", "Nia&#39;s Shop")
		}
		b.Post(t, link+"/signup", signup(code)).Expect(t, 400, "invalid_request")
		d.expectNoAccount(t, nia)
	})

	t.Run("FifthTryMayBeRight", func(t *testing.T) {
		d := newDesk(t)
		b, link, code := d.newMerchant(t, nia)
		for range 4 {
			b.Post(t, link+"/signup", signup(otherCode(code))).Expect(t, 400, "invalid_request")
		}
		b.Post(t, link+"/signup", signup(code)).ExpectDone(t, link)
	})

	t.Run("BadPasswordSpendsNoTry", func(t *testing.T) {
		d := newDesk(t)
		b, link, code := d.newMerchant(t, nia)
		for range 6 {
			form := signup(code)
			form.Set("password", "short")
			expectPage(t, b.Post(t, link+"/signup", form), 400, "invalid_request", "signup code signin", "must have 10 to 200 characters", `name="code" type="text" value="`+code+`"`)
		}
		b.Post(t, link+"/signup", signup(code)).ExpectDone(t, link)
	})

	t.Run("CodeEndsAfterTenMinutes", func(t *testing.T) {
		d := newDesk(t)
		b, link, code := d.newMerchant(t, nia)
		d.Clock.Advance(10*time.Minute - time.Millisecond)
		b.Post(t, link+"/signup", signup(otherCode(code))).Expect(t, 400, "invalid_request")
		d.Clock.Advance(time.Millisecond)
		b.Post(t, link+"/signup", signup(code)).Expect(t, 400, "invalid_request")
		d.expectNoAccount(t, nia)
	})

	t.Run("CodeIsGoodForTenMinutes", func(t *testing.T) {
		d := newDesk(t)
		b, link, code := d.newMerchant(t, nia)
		d.Clock.Advance(10*time.Minute - time.Millisecond)
		b.Post(t, link+"/signup", signup(code)).ExpectDone(t, link)
	})

	t.Run("OneCodeAMinuteAndFiveAnHour", func(t *testing.T) {
		d := newDesk(t)
		other := servertest.ConfirmationURL(t, d.Request(t, asking(`"nia@shop.EXAMPLE"`))) // another request to the same address
		b, link, first := d.newMerchant(t, nia)
		tooSoon := func() {
			t.Helper()
			mails := len(d.Outbox(t, nia))
			a := b.Post(t, link+"/code", nil)
			expectPage(t, a, 429, "too_many_tries", "signup code signin", "a moment ago; get it from the people")
			if len(d.Outbox(t, nia)) != mails || a.Header.Get("Retry-After") == "" {
				t.Errorf("%d more mails, Retry-After %q", len(d.Outbox(t, nia))-mails, a.Header.Get("Retry-After"))
			}
		}
		tooSoon()
		d.Clock.Advance(time.Minute - time.Millisecond)
		tooSoon()
		b.Post(t, other+"/code", nil).Expect(t, 429, "too_many_tries")
		d.Clock.Advance(time.Millisecond)
		b.Post(t, link+"/code", nil).Expect(t, 200, "")
		if second := d.Code(t, nia); second != first {
			b.Post(t, link+"/signup", signup(first)).Expect(t, 400, "invalid_request") // only the newest counts
		}
		for range 3 {
			d.Clock.Advance(time.Minute)
			b.Post(t, link+"/code", nil).Expect(t, 200, "")
		}
		d.Clock.Advance(time.Minute)
		tooSoon()
		d.Clock.Advance(56 * time.Minute)
		b.Post(t, link+"/code", nil).Expect(t, 200, "")
		b.Post(t, link+"/signup", signup(d.Code(t, nia))).ExpectDone(t, link)
	})

	t.Run("CodeWorksOnceInParallel", func(t *testing.T) {
		d := newDesk(t)
		_, link, code := d.newMerchant(t, nia)
		browsers := []*servertest.Browser{d.Browser(t), d.Browser(t), d.Browser(t)}
		count := servertest.Parallel(len(browsers), func(i int) int { return browsers[i].Post(t, link+"/signup", signup(code)).Status })
		if count[303] != 1 || count[400] != 2 || strings.Count(onlyRows(d.dump(t, "accounts"), "accounts"), `"nia@shop.example"`) != 1 {
			t.Errorf("answers %v", count)
		}
	})

	t.Run("AccountMadeAfterTheCode", func(t *testing.T) {
		d := newDesk(t)
		b, link, code := d.newMerchant(t, nia)
		d.PlantAccount(t, strings.ToLower(nia), true)
		accounts := d.dump(t, "accounts", "sessions")
		expectPage(t, b.Post(t, link+"/signup", signup(code)), 400, "invalid_request", "signup code signin", "has an account already")
		if d.dump(t, "accounts", "sessions") != accounts {
			t.Error("the account was changed or signed in to")
		}
	})

	t.Run("MailNamesThePurpose", func(t *testing.T) {
		d := newDesk(t)
		d.newMerchant(t, nia)
		if m := d.Outbox(t, nia)[0]; !strings.Contains(m.Text, "“answer the request of dev”") {
			t.Errorf("the mail does not name the developer: %s", m.Text)
		}
	})

	t.Run("CodeOfAnotherAddress", func(t *testing.T) {
		d := newDesk(t)
		_, _, code := d.newMerchant(t, "eve@example.com")
		b, link, right := d.newMerchant(t, nia)
		if code != right {
			b.Post(t, link+"/signup", signup(code)).Expect(t, 400, "invalid_request")
		}
		d.expectNoAccount(t, nia)
	})
}

func (d *desk) expectNoAccount(t *testing.T, address string) {
	t.Helper()
	if strings.Contains(d.dump(t, "accounts"), strings.ToLower(address)) {
		t.Errorf("%s has an account", address)
	}
}

var anyToken = regexp.MustCompile(`/connect/[A-Za-z0-9_-]{43}`)

// The page does not show whether the addressee has an account; only the mail does.
func TestConsentDoesNotRevealAccounts(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	known, unknown := d.Ask(t), servertest.ConfirmationURL(t, d.Request(t, asking(`"max@shop.example"`)))
	b := d.Browser(t)
	b.Get(t, "/signin") // the first page of any browser sets its cookie
	same := func(what, action string, form url.Values) {
		t.Helper()
		var seen [2]string
		for i, link := range []string{known, unknown} {
			var a servertest.Answer
			if action == "" {
				a = b.Get(t, link)
			} else {
				a = b.Post(t, link+"/"+action, form)
			}
			for _, name := range []string{"X-Request-Id", "Date"} {
				a.Header.Del(name)
			}
			seen[i] = fmt.Sprintln(a.Status, a.Header, anyToken.ReplaceAllString(string(a.Body), "/connect/TOKEN"))
		}
		if seen[0] != seen[1] {
			t.Errorf("%s: %s\nbut without an account: %s", what, seen[0], seen[1])
		}
	}
	same("page", "", nil)
	d.Clock.Advance(time.Millisecond)
	same("first code", "code", nil)
	same("second code", "code", nil)
	for range 7 {
		same("wrong code", "signup", signup("12345"))
	}
	same("bad password", "signup", url.Values{"code": {"123456"}, "password": {"short"}})

	mails := d.Outbox(t, servertest.Mia)
	if len(mails) != 2 || mails[0].Subject != "You have an account already" || !strings.Contains(mails[0].Text, d.URL+"/reset/") ||
		sixDigits.MatchString(mails[0].Text) {
		t.Errorf("mails %+v", mails)
	}
	if mails := d.Outbox(t, "max@shop.example"); len(mails) != 2 || mails[0].Subject != "Your six-digit code" {
		t.Errorf("mails %+v", mails)
	}
	d.expectNoAccount(t, "max@shop.example")
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)
