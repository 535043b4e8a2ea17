package servertest

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/account"
)

// People of a [House].
const (
	Boss          = "Boss@example.com" // the operator
	Member        = "member@example.com"
	OtherPassword = "another password"
)

// House is an appliance as people see it: its pages.
type House struct{ *Server }

// NewHouse opens a house that has no account yet.
func NewHouse(t testing.TB, change ...func(*server.Config)) *House {
	t.Helper()
	return &House{New(t, change...)}
}

// OpenHouse opens a house that has the operator, and in which anybody may sign up.
func OpenHouse(t testing.TB, change ...func(*server.Config)) *House {
	t.Helper()
	h := NewHouse(t, append(change, func(c *server.Config) { c.SignupOpen = true })...)
	h.Person(t, Boss)
	return h
}

// Person makes an account with Password, whose hash is cheap to check.
func (s *Server) Person(t testing.TB, email string) db.Account {
	t.Helper()
	made, err := s.App.Accounts.Create(context.Background(), account.NewAccount{Email: email})
	if err != nil {
		t.Fatal(err)
	}
	made.PasswordHash = PasswordHash()
	dbtest.Update(t, s.Store, func(tx *db.Tx) error { return tx.SetPasswordHash(made.ID, made.PasswordHash) })
	return made
}

// Staff adds a person with Password to the staff of an account.
func (s *Server) Staff(t testing.TB, of db.Account, email string) (p db.Person) {
	t.Helper()
	dbtest.Update(t, s.Store, func(tx *db.Tx) (err error) {
		p, err = tx.AddStaff(of.ID, email, PasswordHash())
		return err
	})
	return p
}

// PasswordHash returns a hash of Password with the least cost, since sign-in with the
// real cost is slow on purpose.
func PasswordHash() string {
	salt := []byte("0123456789abcdef")
	key := argon2.IDKey([]byte(Password), salt, 1, 8, 1, 32)
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=19$m=8,t=1,p=1$%s$%s", encode(salt), encode(key))
}

// Enter returns a browser that is signed in with Password.
func (h *House) Enter(t testing.TB, email string, options ...Option) *Browser {
	t.Helper()
	b := h.Browser(t)
	b.Post(t, "/signin", url.Values{"email": {email}, "password": {Password}}, options...).ExpectRedirect(t, "/console")
	return b
}

// Accounts lists all accounts, the oldest first.
func (h *House) Accounts(t testing.TB) []db.Account {
	t.Helper()
	all, err := h.App.Accounts.List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// SetupLink makes a setup link, as svc serve does when it starts.
func (h *House) SetupLink(t testing.TB) string {
	t.Helper()
	link, err := h.App.Accounts.SetupLink(context.Background())
	if err != nil || !strings.HasPrefix(link, h.URL+"/setup/") {
		t.Fatalf("link %q, %v", link, err)
	}
	return link
}

// AskCode posts the first step of a sign-up.
func (h *House) AskCode(t testing.TB, email string) Answer {
	t.Helper()
	return h.Browser(t).Post(t, "/signup", url.Values{"email": {email}})
}

// SignUpForm is the second step's form; without a name it has not the field.
func SignUpForm(email, code, name, password string) url.Values {
	form := url.Values{"email": {email}, "code": {code}, "password": {password}}
	if name != "" {
		form.Set("name", name)
	}
	return form
}

// ResetLink matches the link in a mail to somebody who forgot the password.
var ResetLink = regexp.MustCompile(`http://\S+/reset/[A-Za-z0-9_-]{43}\b`)

// NewestResetLink finds the link in the newest mail to an address that has one.
func (h *House) NewestResetLink(t testing.TB, to string) string {
	t.Helper()
	for _, m := range h.Outbox(t, to) {
		if link := ResetLink.FindString(m.Text); link != "" {
			if !strings.Contains(m.HTML, link) {
				t.Errorf("the link is not in the HTML: %s", m.HTML)
			}
			return link
		}
	}
	t.Fatalf("no link to %s", to)
	return ""
}

// Recover asks for a link to set a new password and returns it.
func (h *House) Recover(t testing.TB, email string) string {
	t.Helper()
	h.Browser(t).Post(t, "/recover", url.Values{"email": {email}}).Expect(t, 200, "")
	return h.NewestResetLink(t, email)
}

// PostPages returns the paths of all pages that take a form. The pages of a link get
// this token.
func PostPages(token string) []string {
	return []string{
		"/setup/" + token, "/signin", "/signout", "/signup", "/signup/code", "/recover", "/reset/" + token, "/join/" + token,
		"/connect/" + token + "/signin", "/connect/" + token + "/code", "/connect/" + token + "/signup", "/connect/" + token + "/approve",
		"/connect/" + token + "/decline", "/connect/" + token + "/narrow", "/connect/" + token + "/revoke",
		"/charges/" + token + "/pay", "/charges/" + token + "/approve", "/charges/" + token + "/decline",
		"/console/wallet/buy", "/console/wallet/threshold", "/console/granted/revoke",
		"/console/people/invite", "/console/people/resend", "/console/people/withdraw", "/console/people/remove",
		"/console/settings/profile", "/console/settings/password", "/console/settings/end", "/console/settings/end-others",
		"/console/keys", "/console/keys/edit", "/console/keys/rotate", "/console/keys/end-old", "/console/keys/disable", "/console/keys/enable",
		"/console/apps", "/console/apps/edit", "/console/webhooks", "/console/webhooks/test", "/console/webhooks/rotate", "/console/webhooks/delete",
	}
}
