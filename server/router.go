package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/julienschmidt/httprouter"

	"svc/db"
	"svc/server/account"
	"svc/server/fault"
	"svc/server/gate"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// router serves the routes of the mount, and answers where there is none.
type router struct {
	gate     *gate.Gate
	views    *views.Set
	sessions *session.Sessions
	accounts *account.Service
	// resolve turns any error into the one that is answered.
	resolve func(error, *http.Request) *fault.Error
	// ready is set once an account exists. One always does from then on.
	ready atomic.Bool
}

// mount makes the gate and the handler that serves every route.
func (a *App) mount() {
	frame := &web.Frame{
		Log:       a.config.Log,
		Clock:     a.config.Clock,
		NewID:     newRequestID,
		Proxies:   a.config.TrustedProxies,
		HTTPS:     strings.HasPrefix(a.config.BaseURL, "https://"),
		Translate: translate,
	}
	a.gate = gate.New(gate.Config{
		Store:        a.store,
		Clock:        a.config.Clock,
		Log:          a.config.Log,
		Resolve:      frame.Resolve,
		OnLowBalance: a.Accounts.MailLowBalance,
		TopUp:        a.config.ConsoleURL + "/console/wallet",
		KeepAnswers:  a.config.KeepAnswers,
	})
	frame.BeforeHeader = a.gate.FillHeaders
	if m := a.outside.metrics; m != nil {
		frame.Observer = m
	}
	a.fronts.messagePage.Gate = a.gate

	r := &router{
		gate: a.gate, views: a.fronts.views, sessions: a.fronts.sessions, accounts: a.Accounts, resolve: frame.Resolve,
	}
	inner := r.build(a.routes())
	a.handler = frame.Handle(func(w *web.Response, req *http.Request) error {
		if headerBytes(req) > maxHeader {
			return r.headerTooLarge(w, req)
		}
		inner.ServeHTTP(w, req)
		return w.Err()
	})
}

// build fills httprouter, without its redirects and its own answers.
func (m *router) build(routes []route) *httprouter.Router {
	router := httprouter.New()
	router.RedirectTrailingSlash = false
	router.RedirectFixedPath = false
	router.HandleOPTIONS = false
	router.NotFound = adapt(m.notFound)
	router.MethodNotAllowed = adapt(m.methodNotAllowed)
	for _, r := range routes {
		handle := m.handle(r)
		router.Handle(r.method, r.pattern, handle)
		if r.method == http.MethodGet {
			router.Handle(http.MethodHead, r.pattern, handle) // net/http drops the body
		}
	}
	return router
}

// handle returns the handler of a route for httprouter.
func (m *router) handle(r route) httprouter.Handle {
	handler := m.guard(r)
	return func(out http.ResponseWriter, req *http.Request, params httprouter.Params) {
		w := out.(*web.Response)
		w.Route, w.Params = r.pattern, params
		if !r.unready {
			err := m.requireSetup(req.Context())
			if err != nil && r.page != nil {
				err = m.errorPage(w, req, m.resolve(err, req))
			}
			if err != nil || w.Status() != 0 {
				w.Fail(err)
				return
			}
		}
		w.Fail(handler(w, req))
	}
}

// guard returns the handler of a route behind the checks of its audience. It panics for
// a route without a handler for its audience, so that none is served without checks.
func (m *router) guard(r route) web.Handler {
	switch {
	case r.who == anyone && r.handler != nil:
		return r.handler
	case r.who == owner && r.api != nil:
		return m.showStanding(m.sessions.OwnerAPI(r.api))
	case r.who == owner && r.page != nil:
		return m.asPage(m.sessions.Owner(r.page))
	case r.who == addressee && r.page != nil:
		return m.asPage(m.sessions.Addressee(r.page))
	case r.who == visitor && r.page != nil:
		return m.asPage(m.sessions.Anyone(r.page))
	case r.who == member && r.page != nil:
		return m.asPage(m.sessions.Member(r.page))
	case r.who == operator && r.page != nil:
		return m.asPage(m.sessions.Operator(r.page))
	case r.who == keyHolder && r.endpoint != nil:
		return m.gate.Paid(r.terms, r.endpoint)
	case r.who == keyHolder && r.free != nil:
		return m.gate.Free(r.terms, r.free)
	}
	panic("mount: " + r.method + " " + r.pattern + " has no handler for its audience")
}

// showStanding shows a request with a valid key its own limits, whatever the answer (A6).
func (m *router) showStanding(handler web.Handler) web.Handler {
	return func(w *web.Response, r *http.Request) error {
		if err := m.gate.ShowStanding(w, r); err != nil {
			return err
		}
		return handler(w, r)
	}
}

// asPage answers with a page when the handler fails, since a person reads the answer.
func (m *router) asPage(handler web.Handler) web.Handler {
	return func(w *web.Response, r *http.Request) error {
		err := handler(w, r)
		if err == nil || w.Status() != 0 {
			return err
		}
		return m.errorPage(w, r, m.resolve(err, r))
	}
}

// errorPage answers with the page of an error. It leads whoever is signed in back to the
// console, and others to the start.
func (m *router) errorPage(w *web.Response, r *http.Request, e *fault.Error) error {
	w.Record(e)
	title := "This did not work"
	if web.Status(e) == http.StatusNotFound {
		title = "Not found"
	}
	if errors.Is(e, session.ErrStaff) {
		title = "This is for the owner"
	}
	if e.Code == fault.SetupRequired {
		title = "Set this server up"
	}
	page := views.Message{
		Frame: m.sessions.Frame(r, title),
		Text:  []string{views.Sentence(e)},
		Link:  "/", LinkText: "To the start",
	}
	if web.Status(e) >= http.StatusInternalServerError { // who runs the server finds it in the log
		page.Text = append(page.Text, "If it happens again, tell "+page.Host.Waits()+" the number "+w.RequestID+".")
	}
	if page.Account != nil {
		page.Link, page.LinkText = "/console", "To the console"
	}
	if page.Account != nil && r.URL != nil && strings.HasPrefix(r.URL.Path, "/console/") {
		place := page.Place(r.URL.Path)
		page.Section, page.Link, page.LinkText = place.Section, place.Path, "To "+place.Title
	}
	if e.Code == fault.SetupRequired {
		page.Link = "" // every page answers so
	}
	return m.views.Render(w, web.Status(e), page)
}

// adapt turns a handler into one of net/http.
func adapt(handler web.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w := out.(*web.Response)
		w.Fail(handler(w, r))
	})
}

// requireSetup refuses everything until the operator's account exists (L2).
func (m *router) requireSetup(ctx context.Context) error {
	if m.ready.Load() {
		return nil
	}
	has, err := m.accounts.Any(ctx)
	if err != nil {
		return err
	}
	if !has {
		return &fault.Error{
			Code:    fault.SetupRequired,
			Message: "this server has no account yet; open the setup link that svc serve printed, or use svc accounts create --email you@example.com",
		}
	}
	m.ready.Store(true)
	return nil
}

// jsonPaths are the paths whose errors are JSON (A9). Those outside /api/ are of seed 8.4.
var jsonPaths = []string{"/api/", "/pulse", "/alerts", "/brief", "/ask", "/data/push", "/tools/fx-risk", "/tools/landed-cost"}

// isJSONPath reports whether the errors of a path are JSON. It treats a doubled slash as
// one, since a client of the API sends it too.
func isJSONPath(name string) bool {
	name = strings.ReplaceAll(name, "//", "/")
	for _, p := range jsonPaths {
		if name == p || strings.HasSuffix(p, "/") && strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// notFound answers before authentication, but with the standing of a valid key (A6, A9).
func (m *router) notFound(w *web.Response, r *http.Request) error {
	if err := m.requireSetup(r.Context()); err != nil {
		return err
	}
	if !isJSONPath(r.URL.Path) {
		return m.errorPage(w, r, &fault.Error{Code: fault.NotFound, Message: "there is no such page"})
	}
	if err := m.gate.ShowStanding(w, r); err != nil {
		return err
	}
	return &fault.Error{Code: fault.NotFound, Message: "no such endpoint"}
}

func (m *router) methodNotAllowed(w *web.Response, r *http.Request) error {
	if err := m.requireSetup(r.Context()); err != nil {
		return err
	}
	if err := m.gate.ShowStanding(w, r); err != nil {
		return err
	}
	// httprouter adds OPTIONS, which it would answer itself by default.
	methods := strings.Split(w.Header().Get("Allow"), ", ")
	methods = slices.DeleteFunc(methods, func(m string) bool { return m == http.MethodOptions })
	allowed := strings.Join(methods, ", ")
	w.SetHeader("Allow", allowed)
	e := &fault.Error{
		Code:    web.MethodNotAllowed,
		Message: fmt.Sprintf("method %s is not allowed here; use %s", r.Method, allowed),
	}
	if r.Method == http.MethodGet && !isJSONPath(r.URL.Path) && !strings.HasPrefix(r.URL.Path, "/webhooks/") {
		return m.formPage(w, r, e)
	}
	if wantsPage(r) && !isJSONPath(r.URL.Path) {
		return m.errorPage(w, r, &fault.Error{Code: web.MethodNotAllowed, Message: "this page takes no form"})
	}
	return e
}

// wantsPage reports whether a person sees the answer: a browser asks for HTML.
func wantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

// headerTooLarge answers before anything of the request is used.
func (m *router) headerTooLarge(w *web.Response, r *http.Request) error {
	e := &fault.Error{
		Code:    web.HeaderTooLarge,
		Message: fmt.Sprintf("the request's header must be at most %d KiB", maxHeader>>10),
	}
	if !isJSONPath(r.URL.Path) {
		return m.errorPage(w, &http.Request{}, e)
	}
	return e
}

// headerBytes returns the size of a request's line and header, as HTTP/1.1 sends them.
func headerBytes(r *http.Request) int {
	n := len(r.Method) + len(r.RequestURI) + len(r.Proto) + len(r.Host)
	for name, values := range r.Header {
		for _, value := range values {
			n += len(name) + len(value) + len(": \r\n")
		}
	}
	return n
}

// formPage answers a browser that opens the address of a form with GET, as a phone does
// that had dropped the page.
func (m *router) formPage(w *web.Response, r *http.Request, e *fault.Error) error {
	w.Record(e)
	return m.views.Render(w, web.Status(e), views.Message{
		Frame: m.sessions.Frame(r, "Nothing to show here"),
		Text:  []string{"This address only takes what a form sends. Nothing is lost: go on from the page with the form."},
		Link:  path.Dir(r.URL.Path), LinkText: "Go on",
	})
}

// translate maps the store's sentinels to errors of the API, and nil to others.
func translate(err error) *fault.Error {
	if errors.Is(err, db.ErrUnavailable) || errors.Is(err, db.ErrClosed) || errors.Is(err, db.ErrNewerSchema) {
		return &fault.Error{
			Code:       fault.Unavailable,
			Message:    "the service cannot store anything right now; try again",
			RetryAfter: time.Second,
			Err:        err,
		}
	}
	return nil
}
