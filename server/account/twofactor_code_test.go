package account_test

import (
	"net/url"
	"regexp"
	"testing"
	"time"

	"svc/server/servertest"
)

func TestCodeWhereSomebodyElseIsSignedIn(t *testing.T) {
	servertest.Sequential(t)
	p, _ := newPhone(t)
	const third, newPassword = "third@example.com", "another long password"
	p.Person(t, third)
	takeOver := func(begin func(b *servertest.Browser) servertest.Answer) {
		t.Helper()
		b := p.Enter(t, third)
		begin(b).ExpectRedirect(t, codePath+"?next=%2Fconsole")
		page := b.Get(t, codePath+"?next=%2Fconsole")
		page.ExpectPage(t, 200, "Enter your code", p.email)
		if page.Says(third) {
			t.Error("the page for the code shows who was signed in")
		}
		send(t, b, p.code(0)).ExpectRedirect(t, "/console")
		b.Get(t, "/console/settings").ExpectPage(t, 200, p.email)
		b.Get(t, codePath+"?next=/console/keys").ExpectRedirect(t, "/console/keys")
		p.Clock.Advance(30 * time.Second)
	}
	takeOver(func(b *servertest.Browser) servertest.Answer {
		return b.SignIn(t, p.email, servertest.Password)
	})
	takeOver(func(b *servertest.Browser) servertest.Answer {
		b.Post(t, "/recover", url.Values{"email": {p.email}}).ExpectPage(t, 200)
		link := regexp.MustCompile(`/reset/\S+`).FindString(p.Outbox(t, p.email)[0].Text)
		return b.Post(t, link, url.Values{"password": {newPassword}})
	})
}
