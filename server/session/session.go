// Package session knows who a browser is signed in as (L3): its cookie, the guard
// before every page, and the refusal of what another site's page sends.
package session

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/views"
	"svc/server/web"
)

// Visitor is who looks at a page; the zero value is nobody.
type Visitor struct {
	Account   db.Account
	SessionID string

	proof    string // what forms of this session hold
	unproven bool   // it is not known whose page sent the request
}

// SignedIn says whether it is somebody.
func (v Visitor) SignedIn() bool { return v.SessionID != "" }

// Handler answers a visitor's request.
type Handler func(w *web.Response, r *http.Request, v Visitor) error

// Sessions starts and ends sessions and stands before the pages.
type Sessions struct {
	store      *db.DB
	clock      func() time.Time
	secure     bool
	protection *http.CrossOriginProtection
}

// New makes the sessions of a console at this address. Under HTTPS their cookie is
// Secure and of this host alone.
func New(store *db.DB, clock func() time.Time, consoleURL string) (*Sessions, error) {
	u, err := url.Parse(consoleURL)
	if err != nil {
		return nil, fmt.Errorf("console url: %w", err)
	}
	protection := http.NewCrossOriginProtection()
	// A proxy may have rewritten Host, by which the origin is compared.
	if err := protection.AddTrustedOrigin(origin(u)); err != nil {
		return nil, fmt.Errorf("console url: %w", err)
	}
	return &Sessions{store: store, clock: clock, secure: u.Scheme == "https", protection: protection}, nil
}

// origin is what browsers call an address: in lower case and without the usual port.
func origin(u *url.URL) string {
	host := strings.ToLower(u.Host)
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	return u.Scheme + "://" + host
}

// Anyone lets everybody in, signed in or not.
func (s *Sessions) Anyone(handle Handler) web.Handler {
	return func(w *web.Response, r *http.Request) error {
		proven, err := s.checkOrigin(w, r)
		if err != nil {
			return err
		}
		v, err := s.visitor(r)
		if err != nil {
			return err
		}
		v.unproven = !proven
		return handle(w, r, v)
	}
}

// Member lets in who is signed in and sends anybody else to sign in first.
func (s *Sessions) Member(handle Handler) web.Handler {
	return s.Anyone(func(w *web.Response, r *http.Request, v Visitor) error {
		if v.SignedIn() {
			return handle(w, r, v)
		}
		next := r.URL.Path
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			next = "/console" // what was posted is not posted again
		}
		return w.Redirect("/signin?next=" + url.QueryEscape(next))
	})
}

// Operator lets in the operator alone; to all others there is no such page.
func (s *Sessions) Operator(handle Handler) web.Handler {
	return s.Member(func(w *web.Response, r *http.Request, v Visitor) error {
		if !v.Account.Operator {
			return &fault.Error{Code: fault.NotFound, Message: "there is no such page"}
		}
		return handle(w, r, v)
	})
}

// checkOrigin refuses writes that another site's page sent. A page whose address
// holds a token tells nobody its address (D3), so its forms, signing out among them,
// come with the origin "null"; where the browser says no more, which is over plain
// http, it is not proven whose page it was. The forms of such pages do nothing with a
// session but what CheckForm lets pass.
func (s *Sessions) checkOrigin(w *web.Response, r *http.Request) (proven bool, err error) {
	fromToken := w.Params != nil && w.Params.ByName("token") != "" || r.URL.Path == signOutPath
	if fromToken && r.Header.Get("Origin") == "null" && r.Header.Get("Sec-Fetch-Site") == "" {
		return false, nil
	}
	if err := s.protection.Check(r); err != nil {
		return false, errCrossOrigin(err)
	}
	return true, nil
}

func errCrossOrigin(cause error) error {
	return &fault.Error{Code: web.CrossOrigin, Message: "this form was sent from another site, so nothing was done", Err: cause}
}

// CheckForm refuses a form that somebody else's page may have sent in the visitor's
// name: it must hold what only pages that were shown in this very session hold.
func (v Visitor) CheckForm(form web.Form) error {
	if !v.unproven || !v.SignedIn() || subtle.ConstantTimeCompare([]byte(form.Value("proof")), []byte(v.proof)) == 1 {
		return nil
	}
	return errCrossOrigin(errors.New("neither an origin nor a proof"))
}

// proofOf is derived from the session's token, which no page and no script can read.
func proofOf(token db.Token) string {
	sum := sha256.Sum256([]byte("form\x00" + token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

const signOutPath = "/signout"

// seenEvery is how exactly a session's last visit is known.
const seenEvery = time.Minute

func (s *Sessions) visitor(r *http.Request) (v Visitor, err error) {
	token, ok := s.token(r)
	if !ok {
		return Visitor{}, nil
	}
	var found db.Session
	err = s.store.View(r.Context(), func(tx *db.Tx) error {
		if found, err = tx.SessionByToken(token); err != nil {
			return err
		}
		v.SessionID, v.proof = found.ID, proofOf(token)
		v.Account, err = tx.Account(found.AccountID)
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return Visitor{}, nil
	}
	if err != nil {
		return Visitor{}, err
	}
	if s.clock().Sub(found.SeenAt) >= seenEvery {
		// Without room to note it, pages can still be read; the store logs why.
		_ = s.store.RelaxedUpdate(r.Context(), func(tx *db.Tx) error { return tx.TouchSession(found.ID) })
	}
	return v, nil
}

// errChanged: checking a password takes so long that it may be replaced meanwhile.
// Who knew only the old one is not let in by it.
var errChanged = &fault.Error{Code: fault.WrongPassword, Message: "the password was changed a moment ago; sign in with the new one"}

// Start signs the browser in as an account, in place of whoever it was signed in as.
// The account is as it was when its password was checked.
func (s *Sessions) Start(w *web.Response, r *http.Request, a db.Account) error {
	var token db.Token
	err := s.store.Update(r.Context(), func(tx *db.Tx) error {
		now, err := tx.Account(a.ID)
		if err != nil {
			return err
		}
		if now.PasswordHash != a.PasswordHash {
			return errChanged
		}
		if err := s.drop(tx, r); err != nil {
			return err
		}
		_, token, err = tx.StartSession(db.Session{
			AccountID: a.ID,
			Address:   w.Address.String(),
			Browser:   cut(r.UserAgent(), maxBrowser),
		})
		return err
	})
	if err == nil {
		http.SetCookie(w, s.cookie(string(token), db.SessionLife))
	}
	return err
}

const maxBrowser = 200 // bytes of a User-Agent that are kept

func cut(text string, limit int) string {
	return strings.ToValidUTF8(text[:min(len(text), limit)], "")
}

// End signs the browser out.
func (s *Sessions) End(ctx context.Context, w *web.Response, r *http.Request) error {
	err := s.store.Update(ctx, func(tx *db.Tx) error { return s.drop(tx, r) })
	if err == nil {
		http.SetCookie(w, s.cookie("", -time.Second))
	}
	return err
}

func (s *Sessions) drop(tx *db.Tx, r *http.Request) error {
	token, ok := s.token(r)
	if !ok {
		return nil
	}
	old, err := tx.SessionByToken(token)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return tx.EndAnySession(old.ID)
}

func (s *Sessions) token(r *http.Request) (db.Token, bool) {
	cookie, err := r.Cookie(s.cookieName())
	if err != nil {
		return "", false
	}
	return db.ParseToken(cookie.Value)
}

func (s *Sessions) cookieName() string {
	if s.secure {
		return "__Host-svc_session"
	}
	return "svc_session"
}

func (s *Sessions) cookie(value string, life time.Duration) *http.Cookie {
	return &http.Cookie{
		Name:     s.cookieName(),
		Value:    value,
		Path:     "/",
		MaxAge:   int(life / time.Second),
		Secure:   s.secure,
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	}
}

// LocalPath is where a form's `next` leads: a path of this server, else otherwise.
// Nothing a browser would take for another server's address passes.
func LocalPath(next, otherwise string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || !strings.HasPrefix(next, "/") ||
		strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\t\r\n") {
		return otherwise
	}
	return next
}

// Frame is what stands around a page that this visitor sees.
func (v Visitor) Frame(title string) views.Frame {
	frame := views.Frame{Title: title, Proof: v.proof}
	if v.SignedIn() {
		frame.Account = &views.Badge{Name: v.Account.Name, Email: v.Account.Email, Operator: v.Account.Operator}
	}
	return frame
}
