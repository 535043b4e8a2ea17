// Package session owns the sessions of browsers (L3): their cookie, the guard before every
// page, and the refusal of forms that another site's page sends.
package session

import (
	"cmp"
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

	"golang.org/x/sync/semaphore"

	"svc/db"
	"svc/server/fault"
	"svc/server/views"
	"svc/server/web"
)

// Visitor is the person and the session of a request for a page, and the account in which
// they work; all are zero if nobody is signed in. What a person may do in the account is
// decided by the route's audience, not by its handler (L11).
type Visitor struct {
	Account   db.Account
	Person    db.Person
	SessionID string
	Browser   db.Token // that an earlier sign-in gave to the browser, or empty; see Sessions.Browser

	host     views.Host
	builds   bool          // the account has API keys
	proof    string        // a hidden field in forms of the session, or of the browser's entry cookie
	unproven bool          // the request may come from another site's page
	newProof func() string // sets an entry cookie and returns its proof
}

// SignedIn reports whether the visitor is signed in.
func (v Visitor) SignedIn() bool { return v.SessionID != "" }

// IsOwner reports whether the visitor owns the account.
func (v Visitor) IsOwner() bool { return v.Person.Role == db.Owner }

// Handler answers a visitor's request.
type Handler func(w *web.Response, r *http.Request, v Visitor) error

// FormHandler answers a form that a visitor sends.
type FormHandler func(w *web.Response, r *http.Request, v Visitor, form web.Form) error

// Form returns the Handler that reads the form for handle.
func Form(handle FormHandler) Handler {
	return func(w *web.Response, r *http.Request, v Visitor) error {
		form, err := web.ReadForm(w, r)
		if err != nil {
			return err
		}
		return handle(w, r, v, form)
	}
}

// uploadRoom bounds the sum of all uploads in memory. What has arrived of each counts until
// its handler returns; uploadPatience bounds the wait for room.
var uploadRoom = semaphore.NewWeighted(64 << 20) // bytes

const uploadPatience = 10 * time.Second

// Upload returns the Handler that reads a form with a file, of at most limit bytes, for
// handle.
func Upload(limit int64, handle FormHandler) Handler {
	return func(w *web.Response, r *http.Request, v Visitor) error {
		var arrived int64
		defer func() { uploadRoom.Release(arrived) }()
		form, err := web.ReadUpload(w, r, limit, func(bytes int64) error {
			ctx, cancel := context.WithTimeout(r.Context(), uploadPatience)
			defer cancel()
			if err := uploadRoom.Acquire(ctx, bytes); err != nil {
				return &fault.Error{
					Code: fault.Unavailable, Message: "too many files are sent at once; try again",
					Err: err, RetryAfter: time.Second,
				}
			}
			arrived += bytes
			return nil
		})
		if err != nil {
			return err
		}
		return handle(w, r, v, form)
	}
}

// Sessions starts and ends sessions and guards the pages.
type Sessions struct {
	Config
	secure     bool
	protection *http.CrossOriginProtection
}

// Config are the dependencies of Sessions.
type Config struct {
	Store      *db.DB
	Clock      func() time.Time
	ConsoleURL string // with https, cookies are Secure and limited to its host
	Host       views.Host
}

// New returns the sessions of the pages at ConsoleURL.
func New(c Config) (*Sessions, error) {
	u, err := url.Parse(c.ConsoleURL)
	if err != nil {
		return nil, fmt.Errorf("console url: %w", err)
	}
	protection := http.NewCrossOriginProtection()
	// The origin is compared with Host, which a proxy may have rewritten.
	if err := protection.AddTrustedOrigin(origin(u)); err != nil {
		return nil, fmt.Errorf("console url: %w", err)
	}
	return &Sessions{Config: c, secure: u.Scheme == "https", protection: protection}, nil
}

// origin returns an address as browsers send it in Origin: in lower case and without the
// default port.
func origin(u *url.URL) string {
	host := strings.ToLower(u.Host)
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	return u.Scheme + "://" + host
}

// Anyone serves every visitor, signed in or not.
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
		v.unproven, v.Browser, w.AccountID = !proven, s.Browser(r), v.Account.ID
		if !v.SignedIn() {
			s.prepareEntry(w, r, &v)
		}
		actor := cmp.Or(v.Person.ID, db.ActorLink)
		return handle(w, r.WithContext(db.WithActor(r.Context(), actor)), v)
	}
}

// Member serves people who are signed in, and sends others to sign in first.
func (s *Sessions) Member(handle Handler) web.Handler {
	return s.Anyone(func(w *web.Response, r *http.Request, v Visitor) error {
		if v.SignedIn() {
			return handle(w, r, v)
		}
		next := r.URL.Path
		if isWrite(r) {
			next = "/console" // a form is not posted again
		}
		return w.Redirect("/signin?next=" + url.QueryEscape(next))
	})
}

// Owner serves owners of accounts, and tells staff whom to ask (L11).
func (s *Sessions) Owner(handle Handler) web.Handler {
	return s.Member(func(w *web.Response, r *http.Request, v Visitor) error {
		if !v.IsOwner() {
			return v.errStaff()
		}
		return handle(w, r, v)
	})
}

// Addressee serves every visitor but staff, whose owner answers for the account (L11).
func (s *Sessions) Addressee(handle Handler) web.Handler {
	return s.Anyone(func(w *web.Response, r *http.Request, v Visitor) error {
		if v.SignedIn() && !v.IsOwner() {
			return v.errStaff()
		}
		return handle(w, r, v)
	})
}

// Operator serves the operator alone; for all others there is no such page.
func (s *Sessions) Operator(handle Handler) web.Handler {
	return s.Member(func(w *web.Response, r *http.Request, v Visitor) error {
		if !v.Account.Operator || !v.IsOwner() {
			return &fault.Error{Code: fault.NotFound, Message: "there is no such page"}
		}
		return handle(w, r, v)
	})
}

// OwnerAPI serves JSON to owners of accounts (K9). Without a session, or with an API key,
// which cannot manage an account, it returns a SignInRequired, and a Forbidden to staff.
func (s *Sessions) OwnerAPI(handle Handler) web.Handler {
	signedIn := s.Anyone(func(w *web.Response, r *http.Request, v Visitor) error {
		if !v.SignedIn() {
			return errNoSession
		}
		if !v.IsOwner() {
			return v.errStaff()
		}
		return handle(w, r, v)
	})
	return func(w *web.Response, r *http.Request) error {
		if len(r.Header.Values("x-api-key")) > 0 {
			return errKey
		}
		return signedIn(w, r)
	}
}

var (
	errNoSession = &fault.Error{Code: fault.SignInRequired, Message: "sign in first: this is for a browser that is signed in to the console"}
	errKey       = &fault.Error{Code: fault.SignInRequired, Message: "an API key cannot do this: it is for a browser that is signed in to the console"}
)

// ErrStaff is the cause of a refusal of what only the owner of an account may see and do.
var ErrStaff = errors.New("for the owner of the account")

// errStaff names who may instead. It says nothing of what is there: it comes before an id or
// a token is looked at.
func (v Visitor) errStaff() error {
	return &fault.Error{
		Code: fault.Forbidden, Err: ErrStaff,
		Message: fmt.Sprintf("only the owner of %s may see and do this; ask %s, or sign in as the owner", v.Account.Name, v.Account.Email),
	}
}

// checkOrigin refuses writes that another site's page sent, and reports whether the origin
// is proven. A page with a token in its address sends no referrer (D3), so its forms,
// signing out among them, come with the origin "null". Over plain http a browser sends
// nothing else from which the page can be known. The handlers of such forms call CheckForm
// before they act for a session, and CheckEntry before they begin one.
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

// CheckForm refuses a form that another site's page may have sent in the visitor's name: it
// must hold the proof that only pages of this session hold.
func (v Visitor) CheckForm(form web.Form) error {
	if !v.SignedIn() || v.isProven(form) {
		return nil
	}
	return errCrossOrigin(errors.New("neither an origin nor a proof"))
}

// CheckEntry refuses a form that signs in, makes an account or begins to, if another site's
// page may have sent it: somebody would then work in the account of an attacker, who reads
// along. The form must hold the proof of this browser's cookie; see EntryFrame. Whoever sent
// the form gets it again, with what was typed.
func (v Visitor) CheckEntry(form web.Form) error {
	if v.isProven(form) {
		return nil
	}
	return &fault.Error{
		Code: web.CrossOrigin,
		Message: "nothing was done yet, because the cookie that belongs to this form did not come with it; send it again, " +
			"and if you see this again, allow cookies for this site",
		Err: errors.New("neither an origin nor a proof"),
	}
}

func (v Visitor) isProven(form web.Form) bool {
	return !v.unproven || v.proof != "" && subtle.ConstantTimeCompare([]byte(form.Value("proof")), []byte(v.proof)) == 1
}

// proofOf derives the proof from the token of a cookie, which no page and no script can read.
func proofOf(token db.Token) string {
	sum := sha256.Sum256([]byte("form\x00" + token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

const signOutPath = "/signout"

// seenEvery bounds how often a session's last visit is stored.
const seenEvery = time.Minute

func (s *Sessions) visitor(r *http.Request) (v Visitor, err error) {
	v.host = s.Host
	token, ok := s.token(r)
	if !ok {
		return v, nil
	}
	var found db.Session
	err = s.Store.View(r.Context(), func(tx *db.Tx) error {
		if found, err = tx.SessionByToken(token); err != nil {
			return err
		}
		v.SessionID, v.proof = found.ID, proofOf(token)
		if v.Person, err = tx.Person(found.PersonID); err != nil {
			return err
		}
		if v.Account, err = tx.Account(v.Person.AccountID); err != nil {
			return err
		}
		v.builds, err = tx.HasKeys(v.Account.ID)
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return Visitor{host: s.Host}, nil
	}
	if err != nil {
		return Visitor{}, err
	}
	if s.Clock().Sub(found.SeenAt) >= seenEvery {
		// If this cannot be stored, pages can still be read; the store logs why.
		_ = s.Store.RelaxedUpdate(r.Context(), func(tx *db.Tx) error { return tx.TouchSession(found.ID) })
	}
	return v, nil
}

// End signs the browser out.
func (s *Sessions) End(w *web.Response, r *http.Request) error {
	err := s.Store.Update(r.Context(), func(tx *db.Tx) error { return s.drop(tx, r) })
	if err == nil {
		http.SetCookie(w, s.cookie(sessionCookie, "", -time.Second))
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

func (s *Sessions) token(r *http.Request) (db.Token, bool) { return s.cookieToken(r, sessionCookie) }

// LocalPath returns next, the address to which a form leads, if it is a path of this server,
// else otherwise. It refuses all that a browser would take for another server's address.
func LocalPath(next, otherwise string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil || !strings.HasPrefix(next, "/") ||
		strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\t\r\n") {
		return otherwise
	}
	return next
}

// Frame returns the frame of a page of an error, for whoever is signed in if that can be
// read.
func (s *Sessions) Frame(r *http.Request, title string) views.Frame {
	v, err := s.visitor(r)
	if err != nil {
		v = Visitor{host: s.Host}
	}
	return v.Frame(title)
}

// Frame returns the frame of a page for this visitor.
func (v Visitor) Frame(title string) views.Frame {
	frame := views.Frame{Title: title, Host: v.host}
	if v.SignedIn() {
		frame.CSRFToken = v.proof
		frame.Account = &views.Badge{Name: v.Account.Name, Email: v.Person.Email, Staff: true}
		if v.IsOwner() {
			frame.Account.Staff, frame.Account.Operator, frame.Account.Builds = false, v.Account.Operator, v.builds
		}
	}
	return frame
}

// EntryFrame is the frame of a page with a form that CheckEntry checks. It gives a browser
// without one the cookie that belongs to the form.
func (v Visitor) EntryFrame(title string) views.Frame {
	frame := v.Frame(title)
	if frame.CSRFToken = v.proof; v.proof == "" && v.newProof != nil {
		frame.CSRFToken = v.newProof()
	}
	return frame
}
