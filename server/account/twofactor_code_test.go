package account_test

import (
	"net/url"
	"regexp"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/account"
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

func (p *phone) person(t *testing.T) (found db.Person) {
	t.Helper()
	dbtest.View(t, p.Store, func(tx *db.Tx) (err error) {
		found, err = tx.PersonByEmail(p.email)
		return err
	})
	return found
}

func TestCodeThatWaitsForItsTransaction(t *testing.T) {
	servertest.Sequential(t)
	p, _ := newPhone(t)
	person := p.person(t)
	old := p.code(0)
	err := p.App.Accounts.WithCode(t.Context(), person, old, account.Caller{}, func(use func(*db.Tx) error) error {
		p.Clock.Advance(90 * time.Second)
		send(t, p.half(t), p.code(0)).ExpectRedirect(t, "/console")
		return p.Store.Update(t.Context(), use)
	})
	if err == nil || err.Error() != "invalid_request: code: was used already; wait until your app shows the next one" {
		t.Errorf("the older code: %v", err)
	}
}
