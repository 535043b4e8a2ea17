package account_test

import (
	"net/url"
	"strings"
	"testing"

	"svc/db"
	"svc/server/servertest"
)

// A page where nothing can be done leads on.
func TestDeadEndsLeadOn(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.Person(t, servertest.Member)
	used := h.Recover(t, servertest.Member)
	in, out := h.Browser(t), h.Browser(t)
	in.Post(t, servertest.Path(used), url.Values{"password": {"another long password"}}).ExpectRedirect(t, "/console")

	token := string(db.NewToken())
	for path, want := range map[string]struct{ in, out string }{
		"/nothing":            {"/console", "/"},
		"/console/wallet/buy": {"/console/wallet", "/console/wallet"},
		"/connect/" + token:   {"/console/granted", "/console/granted"},
		"/connect/conn_none":  {"/console/granted", "/console/granted"},
		"/charges/" + token:   {"/console/charges", "/console/charges"},
		servertest.Path(used): {"/console/settings", "/recover"},
		"/setup/" + token:     {"/signin", "/signin"},
	} {
		for b, link := range map[*servertest.Browser]string{in: want.in, out: want.out} {
			a := b.Get(t, path)
			if a.Status < 400 || !a.Says(`class="button" href="`+link+`"`) {
				t.Errorf("%s: %d does not lead to %s: %s", path, a.Status, link, a.Body)
			}
			if signedIn := strings.Contains(string(a.Body), "Signed in as"); signedIn != (b == in) {
				t.Errorf("%s: says that somebody is signed in: %v", path, signedIn)
			}
		}
	}
	out.Post(t, "/recover", url.Values{"email": {servertest.Boss}}).ExpectPage(t, 200, `class="button" href="/signin"`)
	in.Post(t, "/signout", nil).ExpectRedirect(t, "/signin?done=out")
	in.Get(t, "/signin?done=out").ExpectPage(t, 200, "You are signed out.", `role="status"`)
}
