package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"svc/db"
	"svc/server/fault"
	"svc/server/gate"
	"svc/server/views"
	"svc/server/web"
)

// mount builds the router from the routes, inside the frame.
func (a *App) mount(routes []route) {
	frame := &web.Frame{
		Log:       a.config.Log,
		Clock:     a.config.Clock,
		NewID:     func(at time.Time) string { return db.NewID("req_", at) },
		Proxies:   a.config.TrustedProxies,
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
	a.resolve = frame.Resolve

	router := httprouter.New()
	router.RedirectTrailingSlash = false
	router.RedirectFixedPath = false
	router.HandleOPTIONS = false
	router.NotFound = adapt(a.notFound)
	router.MethodNotAllowed = adapt(a.methodNotAllowed)
	for _, r := range routes {
		handle := a.handle(r)
		router.Handle(r.method, r.pattern, handle)
		if r.method == http.MethodGet {
			router.Handle(http.MethodHead, r.pattern, handle) // net/http drops the body
		}
	}
	a.handler = frame.Handle(func(w *web.Response, r *http.Request) error {
		router.ServeHTTP(w, r)
		return w.Err()
	})
}

// handle fits a route into the router.
func (a *App) handle(r route) httprouter.Handle {
	handler := a.guard(r)
	return func(out http.ResponseWriter, req *http.Request, params httprouter.Params) {
		w := out.(*web.Response)
		w.Route, w.Params = r.pattern, params
		if !r.unready {
			err := a.requireSetup(req.Context())
			if err != nil && r.page != nil {
				err = a.errorPage(w, a.resolve(err, req))
			}
			if err != nil || w.Status() != 0 {
				w.Fail(err)
				return
			}
		}
		w.Fail(handler(w, req))
	}
}

// guard puts before a route what its audience asks for. A keyHolder's route
// without an endpoint would be served to anyone, so it is no route at all.
func (a *App) guard(r route) web.Handler {
	switch {
	case r.who == anyone && r.handler != nil:
		return r.handler
	case r.who == visitor && r.page != nil:
		return a.asPage(a.sessions.Anyone(r.page))
	case r.who == member && r.page != nil:
		return a.asPage(a.sessions.Member(r.page))
	case r.who == operator && r.page != nil:
		return a.asPage(a.sessions.Operator(r.page))
	case r.who == keyHolder && r.endpoint != nil:
		return a.gate.Paid(r.terms, r.endpoint)
	case r.who == keyHolder && r.free != nil:
		return a.gate.Free(r.terms, r.free)
	}
	panic("mount: " + r.method + " " + r.pattern + " has no handler for its audience")
}

// asPage answers with a page where the handler fails: a person is looking.
func (a *App) asPage(handler web.Handler) web.Handler {
	return func(w *web.Response, r *http.Request) error {
		err := handler(w, r)
		if err == nil || w.Status() != 0 {
			return err
		}
		return a.errorPage(w, a.resolve(err, r))
	}
}

func (a *App) errorPage(w *web.Response, e *fault.Error) error {
	w.Record(e)
	title := "This did not work"
	if web.Status(e) == http.StatusNotFound {
		title = "Not found"
	}
	return a.pages.Render(w, web.Status(e), views.Message{
		Frame: views.Frame{Title: title},
		Text:  []string{views.Sentence(e), "The number of this request is " + w.RequestID + "."},
		Link:  "/", LinkText: "To the start",
	})
}

// adapt makes a handler fit where the router wants one of net/http.
func adapt(handler web.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w := out.(*web.Response)
		w.Fail(handler(w, r))
	})
}

// requireSetup refuses everything until the operator's account exists (L2).
func (a *App) requireSetup(ctx context.Context) error {
	if a.ready.Load() {
		return nil
	}
	has, err := a.Accounts.Any(ctx)
	if err != nil {
		return err
	}
	if !has {
		return &fault.Error{
			Code:    fault.SetupRequired,
			Message: "this server has no account yet; open the setup link that svc serve printed, or use svc accounts create --email you@example.com",
		}
	}
	a.ready.Store(true)
	return nil
}

// jsonPaths are those outside /api/ whose errors are JSON too (A9).
var jsonPaths = []string{"/api/", "/pulse", "/alerts", "/brief", "/ask", "/data/push", "/tools/fx-risk", "/tools/landed-cost"}

// isJSONPath forgives a doubled slash: who sends it is a client of the API too.
func isJSONPath(name string) bool {
	name = strings.ReplaceAll(name, "//", "/")
	for _, p := range jsonPaths {
		if name == p || strings.HasSuffix(p, "/") && strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// notFound comes before authentication, but shows a valid key its standing (A6, A9).
func (a *App) notFound(w *web.Response, r *http.Request) error {
	if err := a.requireSetup(r.Context()); err != nil {
		return err
	}
	if !isJSONPath(r.URL.Path) {
		return a.errorPage(w, &fault.Error{Code: fault.NotFound, Message: "there is no such page"})
	}
	if err := a.gate.ShowStanding(w, r); err != nil {
		return err
	}
	return &fault.Error{Code: fault.NotFound, Message: "no such endpoint"}
}

func (a *App) methodNotAllowed(w *web.Response, r *http.Request) error {
	if err := a.requireSetup(r.Context()); err != nil {
		return err
	}
	if err := a.gate.ShowStanding(w, r); err != nil {
		return err
	}
	// The router adds OPTIONS, which it would answer itself if we let it.
	methods := strings.Split(w.Header().Get("Allow"), ", ")
	methods = slices.DeleteFunc(methods, func(m string) bool { return m == http.MethodOptions })
	allowed := strings.Join(methods, ", ")
	w.SetHeader("Allow", allowed)
	e := &fault.Error{
		Code:    web.MethodNotAllowed,
		Message: fmt.Sprintf("method %s is not allowed here; use %s", r.Method, allowed),
	}
	if r.Method == http.MethodGet && !isJSONPath(r.URL.Path) && !strings.HasPrefix(r.URL.Path, "/webhooks/") {
		return a.formPage(w, r, e)
	}
	return e
}

// formPage is what a browser gets that opens the address of a form anew, as a phone
// does that had dropped the page.
func (a *App) formPage(w *web.Response, r *http.Request, e *fault.Error) error {
	w.Record(e)
	return a.pages.Render(w, web.Status(e), views.Message{
		Frame: views.Frame{Title: "Nothing to show here"},
		Text:  []string{"This address only takes what a form sends. Nothing is lost: go on from the page with the form."},
		Link:  path.Dir(r.URL.Path), LinkText: "Go on",
	})
}

// translate maps the store's sentinels to answers.
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
