package account_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

// trySignIn posts a password from an address, which a trusted proxy names.
func (h *house) trySignIn(t *testing.T, address, email, password string) servertest.Answer {
	t.Helper()
	return h.Browser(t).Post(t, "/signin", url.Values{"email": {email}, "password": {password}}, servertest.From(address))
}

// signInWrongly posts n wrong passwords, which are not throttled.
func (h *house) signInWrongly(t *testing.T, n int, address, email string) {
	t.Helper()
	for i := range n {
		if a := h.trySignIn(t, address, email, "wrong password"); a.Status != 401 || a.Code() != "wrong_password" {
			t.Fatalf("try %d: %d %s", i+1, a.Status, a.Body)
		}
	}
}

// expectThrottled checks that even the right password is refused.
func (h *house) expectThrottled(t *testing.T, address, email string, retryAfter int) {
	t.Helper()
	for _, password := range []string{"wrong password", servertest.Password} {
		a := h.trySignIn(t, address, email, password)
		a.ExpectErrorPage(t, 429, "too_many_tries", "Too many wrong passwords; wait a quarter of an hour and try again.")
		if a.Header.Get("Retry-After") != fmt.Sprint(retryAfter) || a.Header.Get("Set-Cookie") != "" {
			t.Errorf("headers %v, want Retry-After %d", a.Header, retryAfter)
		}
	}
}

func (h *house) expectSignIn(t *testing.T, address, email string) {
	t.Helper()
	if a := h.trySignIn(t, address, email, servertest.Password); a.Status != 303 {
		t.Fatalf("%s from %s: %d %s", email, address, a.Status, a.Body)
	}
}

func TestSignInIsThrottled(t *testing.T) {
	const here, there = "203.0.113.9", "198.51.100.7"

	t.Run("PerAccountAndAddress", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.Person(t, servertest.Member)
		h.signInWrongly(t, 8, here, servertest.Boss)
		h.signInWrongly(t, 1, here, `"boss"@example.com`)
		h.expectSignIn(t, here, servertest.Boss) // does not count as wrong
		h.signInWrongly(t, 1, here, "BOSS@example.com")
		h.expectThrottled(t, here, servertest.Boss, 900)
		h.expectThrottled(t, here, "boss@EXAMPLE.com", 900)
		h.expectThrottled(t, here, `"b\oss"@example.com`, 900)
		h.expectSignIn(t, there, servertest.Boss)
		h.expectSignIn(t, here, servertest.Member)
	})

	t.Run("SuccessesAreNotCounted", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		for range 35 {
			h.expectSignIn(t, here, servertest.Boss)
		}
	})

	t.Run("WindowIsAQuarterOfAnHour", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.signInWrongly(t, 4, here, servertest.Boss)
		h.Clock.Advance(5 * time.Minute)
		h.signInWrongly(t, 6, here, servertest.Boss)
		h.expectThrottled(t, here, servertest.Boss, 600)
		h.Clock.Advance(10*time.Minute - time.Second)
		h.expectThrottled(t, here, servertest.Boss, 1)
		h.Clock.Advance(time.Second)
		h.signInWrongly(t, 10, here, servertest.Boss) // all ten of a new window
		h.expectThrottled(t, here, servertest.Boss, 900)
		h.Clock.Advance(15 * time.Minute)
		h.expectSignIn(t, here, servertest.Boss)
	})

	t.Run("EndsWhenTheClockIsSetBack", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.signInWrongly(t, 10, here, servertest.Boss)
		h.Clock.Advance(-48 * time.Hour)
		h.expectSignIn(t, here, servertest.Boss)
	})

	t.Run("PerAddressOverAllAccounts", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		for i := range 4 {
			h.Person(t, fmt.Sprintf("a%d@example.com", i))
		}
		for i := range 3 {
			h.signInWrongly(t, 9, here, fmt.Sprintf("a%d@example.com", i))
		}
		h.signInWrongly(t, 3, here, "a3@example.com")
		h.expectThrottled(t, here, "a3@example.com", 900)
		h.expectThrottled(t, here, servertest.Boss, 900)
		h.expectSignIn(t, there, servertest.Boss)
	})

	t.Run("PerAccountOverAllAddresses", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.Person(t, servertest.Member)
		for i := range 200 {
			h.signInWrongly(t, 1, fmt.Sprintf("203.0.113.%d", i), servertest.Boss)
		}
		h.expectThrottled(t, there, servertest.Boss, 900)
		h.expectSignIn(t, there, servertest.Member)
		h.Clock.Advance(15 * time.Minute)
		h.expectSignIn(t, there, servertest.Boss)
	})

	t.Run("UnknownEmailsAreThrottledAlike", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		h.Person(t, servertest.Member)
		h.signInWrongly(t, 10, here, "nobody@example.com")
		h.signInWrongly(t, 10, here, servertest.Member)
		a, b := h.trySignIn(t, here, "nobody@example.com", "x"), h.trySignIn(t, here, servertest.Member, "x")
		a.Expect(t, 429, "too_many_tries")
		expectSameAnswer(t, a, b, "nobody@example.com", servertest.Member)
	})

	t.Run("IPv6CountsByNetwork", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		for i := range 10 {
			h.signInWrongly(t, 1, fmt.Sprintf("2001:db8:1:2::%x", i), servertest.Boss)
		}
		h.expectThrottled(t, "2001:db8:1:2:ffff::1", servertest.Boss, 900)
		h.expectSignIn(t, "2001:db8:1:3::1", servertest.Boss)
	})

	t.Run("ForgedForwardedForIsIgnored", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		for i := range 10 {
			h.signInWrongly(t, 1, fmt.Sprintf("10.0.0.%d, %s", i, here), servertest.Boss)
		}
		h.expectThrottled(t, "1.1.1.1, "+here, servertest.Boss, 900)

		direct := openHouse(t) // which trusts no proxy
		for i := range 10 {
			direct.signInWrongly(t, 1, fmt.Sprintf("203.0.113.%d", i), servertest.Boss)
		}
		direct.expectThrottled(t, there, servertest.Boss, 900)
	})

	t.Run("InParallel", func(t *testing.T) {
		h := openHouse(t, servertest.BehindProxy)
		got := servertest.Parallel(60, func(int) int { return h.trySignIn(t, here, servertest.Boss, "wrong password").Status })
		if got[401] > 10 || got[401]+got[429]+got[503] != 60 {
			t.Errorf("answers %v", got)
		}
		h.signInWrongly(t, 10-got[401], here, servertest.Boss) // those that were too many at once do not count
		h.expectThrottled(t, here, servertest.Boss, 900)
	})

	// Other forms with a password share the count.
	t.Run("AllPasswordFormsShareTheCount", func(t *testing.T) {
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
		for range 5 {
			change("wrong password").ExpectErrorPage(t, 400, "invalid_request", "The current password is not your password.")
			in.SignIn(t, servertest.Member, "wrong password").Expect(t, 401, "wrong_password")
			knock("wrong password").Expect(t, 401, "wrong_password")
		}
		change("wrong password").Expect(t, 429, "too_many_tries")
		change(servertest.Password).Expect(t, 429, "too_many_tries")
		h.signInWrongly(t, 5, here, servertest.Member)
		knock(servertest.Password).Expect(t, 429, "too_many_tries")
		h.expectThrottled(t, here, servertest.Member, 900)
		h.expectSignIn(t, there, servertest.Member)
	})
}

// Of very many sign-ins at once most are told at once to come again, on the page that they
// came from; those who wait are answered as ever.
func TestVeryManySignIns(t *testing.T) {
	h := openHouse(t, servertest.BehindProxy)
	const many = 200
	refused := make(chan servertest.Answer, many)
	got := servertest.Parallel(many, func(i int) int {
		email := fmt.Sprintf("nobody%d@example.com", i) // of whom the hash has its full cost
		a := h.trySignIn(t, fmt.Sprintf("203.0.%d.%d", i>>8, i&255), email, "wrong password")
		if a.Status == 503 {
			if !a.Says(`value="` + email + `"`) {
				t.Errorf("the e-mail is lost: %s", a.Body)
			}
			refused <- a
		}
		return a.Status
	})
	if got[401]+got[503] != many || got[401] == 0 || got[503] == 0 {
		t.Fatalf("answers %v, want 401 and 503", got)
	}
	a := <-refused
	a.ExpectErrorPage(t, 503, "busy", "Very many passwords are being checked right now, and yours was not; try again in a few seconds.")
	if a.Header.Get("Retry-After") != "2" || len(a.Forms()) != 1 {
		t.Errorf("Retry-After %q, forms %v", a.Header.Get("Retry-After"), a.Forms())
	}
	h.expectSignIn(t, "198.51.100.7", servertest.Boss)
}
