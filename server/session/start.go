package session

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/web"
)

// errChanged refuses a sign-in whose password was replaced while it was checked, which takes
// long.
var errChanged = &fault.Error{Code: fault.WrongPassword, Message: "the password was changed a moment ago; sign in with the new one"}

// errDisabled refuses a sign-in with the right password.
var errDisabled = &fault.Error{Code: fault.Forbidden, Message: "this account is disabled; ask the people who run this server"}

// ErrCodeNeeded: the password was right, but the person signs in with a code, too (L12). The
// browser has a cookie now with which Complete ends the sign-in; see CodeAddress.
var ErrCodeNeeded = errors.New("a code is needed")

// CodeAddress is the page that asks for the code and then leads to next.
func CodeAddress(next string) string { return "/signin/code?next=" + url.QueryEscape(next) }

// Start signs a person in with the browser, which is then known to belong to them, as its
// network is, and ends the session that it had. p is the person as they were when their
// password was checked. ErrCodeNeeded: nothing of this is done yet. A WrongPassword: the
// password was changed since, or they were removed. A Forbidden: the account is disabled.
func (s *Sessions) Start(w *web.Response, r *http.Request, p db.Person) error {
	begun := s.begin(w, r)
	var half db.Token
	err := s.Store.Update(r.Context(), func(tx *db.Tx) error {
		if err := mayStart(tx, p); err != nil {
			return err
		}
		needed, err := tx.HasTwoFactor(p.ID)
		if err != nil {
			return err
		}
		if !needed {
			return begun.start(tx, p)
		}
		half, err = tx.BeginSignIn(p.ID)
		return err
	})
	if err != nil {
		return err
	}
	if half != "" {
		http.SetCookie(w, s.cookie(halfCookie, string(half), db.HalfSignInLife))
		return ErrCodeNeeded
	}
	begun.setCookies()
	return nil
}

// Begun returns the person for whom Start returned ErrCodeNeeded in this browser.
// db.ErrNotFound: nobody, or too long ago.
func (s *Sessions) Begun(r *http.Request) (p db.Person, err error) {
	token, ok := s.cookieToken(r, halfCookie)
	if !ok {
		return p, db.ErrNotFound
	}
	return db.Read(r.Context(), s.Store, func(tx *db.Tx) (db.Person, error) {
		id, err := tx.HalfSignIn(token)
		if err != nil {
			return p, err
		}
		return tx.Person(id)
	})
}

// Complete is the second half of Start for the person p of Begun. use uses up a code in the
// transaction that makes the session, so that neither is without the other.
// db.ErrNotFound: the sign-in has waited too long, or was completed already.
func (s *Sessions) Complete(w *web.Response, r *http.Request, p db.Person, use func(*db.Tx) error) error {
	begun := s.begin(w, r)
	token, _ := s.cookieToken(r, halfCookie)
	err := s.Store.Update(r.Context(), func(tx *db.Tx) error {
		id, err := tx.UseHalfSignIn(token)
		if err == nil && id != p.ID {
			err = db.ErrNotFound
		}
		if err != nil {
			return err
		}
		if err := mayStart(tx, p); err != nil {
			return err
		}
		if err := use(tx); err != nil {
			return err
		}
		return begun.start(tx, p)
	})
	if err == nil {
		begun.setCookies()
		http.SetCookie(w, s.cookie(halfCookie, "", -time.Second))
	}
	return err
}

// beginning is a session that is started, and its cookies.
type beginning struct {
	sessions       *Sessions
	w              *web.Response
	r              *http.Request
	token, browser db.Token
}

func (s *Sessions) begin(w *web.Response, r *http.Request) *beginning {
	return &beginning{sessions: s, w: w, r: r, browser: cmp.Or(s.Browser(r), db.NewToken())}
}

// start stores the session.
func (b *beginning) start(tx *db.Tx, p db.Person) (err error) {
	if err := b.sessions.drop(tx, b.r); err != nil {
		return err
	}
	if err := remember(tx, p.ID, b.browser, b.w.Address); err != nil {
		return err
	}
	agent := b.r.UserAgent()
	name := strings.ToValidUTF8(agent[:min(len(agent), maxBrowser)], "")
	_, b.token, err = tx.StartSession(db.Session{AccountID: p.AccountID, PersonID: p.ID, Address: b.w.Address.String(), Browser: name})
	return err
}

// setCookies gives the cookies of a session that is stored to the browser.
func (b *beginning) setCookies() {
	http.SetCookie(b.w, b.sessions.cookie(sessionCookie, string(b.token), db.SessionLife))
	http.SetCookie(b.w, b.sessions.cookie(browserCookie, string(b.browser), db.KnownBrowserLife))
}

// mayStart refuses a person who changed since they were read, or whose account is disabled.
func mayStart(tx *db.Tx, p db.Person) error {
	now, err := tx.Person(p.ID)
	if errors.Is(err, db.ErrNotFound) || err == nil && now.PasswordHash != p.PasswordHash {
		return errChanged
	}
	if err != nil {
		return err
	}
	a, err := tx.Account(now.AccountID)
	if err == nil && !a.DisabledAt.IsZero() {
		err = errDisabled
	}
	return err
}

const maxBrowser = 200 // bytes of a User-Agent that are kept
