package server_test

import (
	"strings"
	"testing"

	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// An owner is told all that is wrong with the profile at once, mends it, chooses a new password
// that can be looked at while it is typed, and ends the session of another browser.
func TestBrowserSettings(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	shop := s.Person(t, "shop@example.com")
	elsewhere := s.Browser(t)
	elsewhere.SignIn(t, shop.Email, servertest.Password)
	b := viewstest.Open(t)
	enter(b, s, shop.Email)
	b.Go(s.URL + "/console/settings")
	empty := func(selector string) {
		viewstest.Evaluate[string](b, `document.querySelector("`+selector+`").value = ""`)
	}

	b.Type("#profile-name", strings.Repeat("x", 300))
	empty("#profile-timezone")
	b.Type("#profile-timezone", "Atlantis")
	b.Press("Save")
	b.Until(`document.querySelectorAll("#profile-name[aria-invalid], #profile-timezone[aria-invalid]").length === 2`)
	look(b, "settings-faults")
	b.Width(1280)
	empty("#profile-name")
	empty("#profile-timezone")
	b.Type("#profile-name", "Corner Shop")
	b.Type("#profile-timezone", "Lisbon")
	b.Choose("#profile-currency", "eur")
	b.Press("Save")
	b.Until(`document.body.innerText.includes("Saved.")`)
	if got := s.Query(t, "SELECT name || ' ' || currency || ' ' || timezone FROM accounts WHERE email = 'shop@example.com'"); len(got) != 1 || got[0] != "Corner Shop eur Europe/Lisbon" {
		t.Errorf("the profile is %q", got)
	}

	b.Type("#settings-current", servertest.Password)
	b.Type("#settings-password", servertest.OtherPassword)
	b.Click("#settings-password ~ button, :has(> #settings-password) > button")
	b.Until(`document.querySelector("#settings-password").type === "text"`)
	b.Press("Change the password")
	b.Until(`document.body.innerText.includes("The password is changed, and every other session has ended.")`)
	elsewhere.Get(t, "/console/settings").ExpectRedirect(t, "/signin?next=%2Fconsole%2Fsettings")
	if problems := b.Problems(); len(problems) != 1 || !strings.Contains(problems[0], "400 (Bad Request)") { // the faults
		t.Errorf("the browser logged: %q", problems)
	}
}
