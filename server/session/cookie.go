package session

import (
	"errors"
	"net/http"
	"net/netip"
	"time"

	"svc/db"
	"svc/server/throttle"
)

// The names of the cookies, which hold a token each. With https their names begin with
// __Host-, which binds them to the host and to https.
const (
	sessionCookie = "svc_session"
	// browserCookie stays when the session ends. The accounts that were signed in to with the
	// browser know it by the hash of its token, which alone says nothing about them.
	browserCookie = "svc_browser"
)

// Browser returns the token by which accounts know the browser, or "" if it has none.
func (s *Sessions) Browser(r *http.Request) db.Token {
	token, ok := s.cookieToken(r, browserCookie)
	if !ok {
		return ""
	}
	return token
}

// remember makes the browser and its network known to the account: their wrong passwords are
// counted apart from those of strangers.
func remember(tx *db.Tx, accountID string, browser db.Token, address netip.Addr) error {
	return errors.Join(
		tx.RememberCaller(accountID, db.BrowserCaller(browser)),
		tx.RememberCaller(accountID, db.NetworkCaller(throttle.Network(address))))
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
