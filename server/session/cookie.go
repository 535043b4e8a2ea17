package session

import (
	"errors"
	"net/http"
	"net/netip"
	"time"

	"svc/db"
	"svc/server/throttle"
	"svc/server/web"
)

// The names of the cookies, which hold a token each. With https their names begin with
// __Host-, which binds them to the host and to https.
const (
	sessionCookie = "svc_session"
	// browserCookie stays when the session ends. The people who were signed in with the
	// browser know it by the hash of its token, which alone says nothing about them.
	browserCookie = "svc_browser"
	// entryCookie proves that a form for signing in or up was on a page of ours.
	entryCookie = "svc_form"
	// halfCookie belongs to a sign-in whose code is waited for.
	halfCookie = "svc_half"
)

// entryLife is how long a form for signing in or up may stay open.
const entryLife = 24 * time.Hour

// Browser returns the token by which accounts know the browser, or "" if it has none.
func (s *Sessions) Browser(r *http.Request) db.Token {
	token, ok := s.cookieToken(r, browserCookie)
	if !ok {
		return ""
	}
	return token
}

// prepareEntry reads the entry cookie of a visitor who is not signed in. A browser without
// one gets it with the first page that has such a form. A form whose origin is known needs
// no cookie, so that its answer sets none.
func (s *Sessions) prepareEntry(w *web.Response, r *http.Request, v *Visitor) {
	if token, ok := s.cookieToken(r, entryCookie); ok {
		v.proof = proofOf(token)
		return
	}
	if isWrite(r) && !v.unproven {
		return
	}
	v.newProof = func() string {
		token := db.NewToken()
		http.SetCookie(w, s.cookie(entryCookie, string(token), entryLife))
		return proofOf(token)
	}
}

func isWrite(r *http.Request) bool { return r.Method != http.MethodGet && r.Method != http.MethodHead }

// remember makes the browser and its network known to the person: their wrong passwords are
// counted apart from those of strangers.
func remember(tx *db.Tx, personID string, browser db.Token, address netip.Addr) error {
	return errors.Join(
		tx.RememberCaller(personID, db.BrowserCaller(browser)),
		tx.RememberCaller(personID, db.NetworkCaller(throttle.Network(address))))
}

func (s *Sessions) cookieToken(r *http.Request, name string) (db.Token, bool) {
	cookie, err := r.Cookie(s.cookieName(name))
	if err != nil {
		return "", false
	}
	return db.ParseToken(cookie.Value)
}

func (s *Sessions) cookieName(name string) string {
	if s.secure {
		return "__Host-" + name
	}
	return name
}

func (s *Sessions) cookie(name, value string, life time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: s.cookieName(name), Value: value, Path: "/", MaxAge: int(life / time.Second),
		Secure: s.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}
}
