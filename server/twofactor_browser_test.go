package server_test

import (
	"strings"
	"testing"
	"time"

	"svc/server/servertest"
	"svc/server/totp"
	"svc/server/views/viewstest"
)

// A person sets up two-factor sign-in, signs in with a code and with a recovery code, makes
// new ones and turns it off.
func TestBrowserTwoFactor(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.NewHouse(t)
	s.Person(t, servertest.Boss)
	s.Person(t, servertest.Member)
	enter(b, s.Server, servertest.Member)
	b.Go(s.URL + "/console/settings")
	b.Click(`a[href="/console/settings/two-factor"]`)
	b.UntilTitle("Two-factor sign-in")
	look(b, "two-factor-off")
	b.Type("#begin-current", "wrong password")
	b.Press("Go on")
	b.Until(`document.querySelector("[aria-invalid]") !== null`)
	b.Problems() // Chromium logs the 400
	b.Type("#begin-current", servertest.Password)
	b.Press("Go on")
	b.Until(`document.querySelector("#secret") !== null`)
	look(b, "two-factor-setup")
	secret, err := totp.Parse(strings.ReplaceAll(viewstest.Evaluate[string](b, `document.querySelector("#secret").textContent`), " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	code := func() string { return secret.Code(totp.StepOf(s.Clock.Now())) }
	b.Type("#confirm-code", code())
	b.Press("Turn it on")
	b.Until(`document.querySelector("#codes") !== null`)
	look(b, "two-factor-codes")
	codes := strings.Fields(viewstest.Evaluate[string](b, `document.querySelector("#codes").textContent`))
	if len(codes) != 10 {
		t.Fatalf("recovery codes %q", codes)
	}
	file := viewstest.Evaluate[string](b, `decodeURIComponent(document.querySelector("a[download]").href)`)
	if !strings.Contains(file, codes[0]) || !strings.Contains(file, codes[9]) {
		t.Errorf("the file to save: %q", file)
	}
	b.Click(`a.main[href="/console/settings/two-factor"]`)
	b.Until(`document.body.textContent.includes("10 codes left")`)
	look(b, "two-factor-on")

	password := func() {
		t.Helper()
		b.Click(`form[action="/signout"] button`)
		b.UntilTitle("Sign in")
		b.Go(s.URL + "/signin?next=/console/settings/two-factor")
		b.Type("input[name=email]", servertest.Member)
		b.Type("input[name=password]", servertest.Password)
		b.Press("Sign in")
		b.UntilTitle("Enter your code")
	}
	password()
	look(b, "signin-code")
	b.Type("#signin-code", code()) // it was used to confirm
	b.Press("Sign in")
	b.Until(`document.querySelector("[aria-invalid]") !== null`)
	look(b, "signin-code-used")
	b.Problems()
	s.Clock.Advance(30 * time.Second)
	b.Type("#signin-code", code())
	b.Press("Sign in")
	b.UntilTitle("Two-factor sign-in")

	password()
	b.Click("details summary")
	b.Type("#signin-recovery", codes[3])
	look(b, "signin-recovery")
	b.Press("Sign in with it")
	b.UntilTitle("Two-factor sign-in")
	b.Until(`document.body.textContent.includes("9 codes left")`)

	s.Clock.Advance(30 * time.Second)
	b.Click("details.confirm summary")
	b.Type("#off-current", servertest.Password)
	b.Type("#off-code", code())
	look(b, "two-factor-turn-off")
	b.Press("Turn it off")
	b.Until(`document.body.textContent.includes("Two-factor sign-in is off")`)
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}
