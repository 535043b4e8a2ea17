// Package server is the appliance: it builds the capabilities over one store,
// mounts their routes and runs. The mount itself is mount.go; what a call with a
// key goes through is package gate.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/julienschmidt/httprouter"

	"svc/db"
	"svc/server/account"
	"svc/server/carrier"
	"svc/server/gate"
	"svc/server/job"
	"svc/server/message"
	"svc/server/web"
)

// App is a built appliance. It serves through Handler; it does not listen, and
// its loops do not run until Run.
type App struct {
	Accounts *account.Service
	Messages *message.Service

	config  Config
	store   *db.DB
	gate    *gate.Gate
	carrier carrier.Carrier
	handler http.Handler
	// ready: the first account exists, and it stays.
	ready     atomic.Bool
	readiness readiness
}

// Open builds the appliance over the database that config names. A *ConfigError
// is the caller's setting; db.ErrNewerSchema and db.ErrNotFound are the file's.
func Open(ctx context.Context, config Config) (*App, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	store, err := db.Open(ctx, db.Options{
		Path: config.DB, Clock: config.Clock, Log: config.Log, MustExist: config.MustExist,
	})
	if err != nil {
		return nil, err
	}

	a := &App{config: config, store: store, Accounts: account.New(store)}
	if err := a.services(); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	a.mount(a.routes())
	return a, nil
}

// Close ends the appliance: what waits for the store is still served.
func (a *App) Close() error { return a.store.Close() }

// Handler serves every route.
func (a *App) Handler() http.Handler { return a.handler }

// Sweep does what the background loop does, once.
func (a *App) Sweep(ctx context.Context) error { return a.gate.Sweep(ctx) }

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
		Store:       a.store,
		Clock:       a.config.Clock,
		Log:         a.config.Log,
		Resolve:     frame.Resolve,
		TopUp:       a.config.ConsoleURL + "/console/wallet",
		KeepAnswers: a.config.KeepAnswers,
	})
	frame.BeforeHeader = a.gate.FillHeaders

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

// handle puts the gate, or what else its audience asks for, before a route.
func (a *App) handle(r route) httprouter.Handle {
	handler := r.handler
	switch {
	case r.endpoint != nil:
		handler = a.gate.Paid(r.terms, r.endpoint)
	case r.free != nil:
		handler = a.gate.Free(r.terms, r.free)
	}
	return func(out http.ResponseWriter, req *http.Request, params httprouter.Params) {
		w := out.(*web.Response)
		w.Route, w.Params = r.pattern, params
		if !r.unready {
			if err := a.requireSetup(req.Context()); err != nil {
				w.Fail(err)
				return
			}
		}
		w.Fail(handler(w, req))
	}
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
		return &web.Error{
			Code:    web.SetupRequired,
			Message: "this server has no account yet; make the operator's with: svc accounts create --email you@example.com",
		}
	}
	a.ready.Store(true)
	return nil
}

// jsonPaths are those outside /api/ whose errors are JSON too (A9).
var jsonPaths = []string{"/api/", "/pulse", "/alerts", "/brief", "/ask", "/data/push", "/tools/fx-risk", "/tools/landed-cost"}

func isJSONPath(path string) bool {
	for _, p := range jsonPaths {
		if path == p || strings.HasSuffix(p, "/") && strings.HasPrefix(path, p) {
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
		http.Error(w, "404 page not found", http.StatusNotFound)
		return nil
	}
	if err := a.gate.ShowStanding(w, r); err != nil {
		return err
	}
	return &web.Error{Code: web.NotFound, Message: "no such endpoint"}
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
	return &web.Error{
		Code:    web.MethodNotAllowed,
		Message: fmt.Sprintf("method %s is not allowed here; use %s", r.Method, allowed),
	}
}

// translate maps the store's sentinels to answers.
func translate(err error) *web.Error {
	if errors.Is(err, db.ErrUnavailable) || errors.Is(err, db.ErrClosed) || errors.Is(err, db.ErrNewerSchema) {
		return &web.Error{
			Code:       web.Unavailable,
			Message:    "the service cannot store anything right now; try again",
			RetryAfter: time.Second,
			Err:        err,
		}
	}
	return nil
}

const (
	// sweepEvery is how soon after its end a lease is noticed by itself.
	sweepEvery = 5 * time.Second
	// drainTime is how long running requests have when the process stops.
	drainTime = 20 * time.Second
	maxHeader = 16 << 10 // bytes, B1
)

// Run opens the appliance, listens and serves until ctx ends; then it drains.
// started is told once, when requests are answered.
func Run(ctx context.Context, config Config, started func(*App) error) (err error) {
	listener, config, err := listen(config)
	if err != nil {
		return err
	}
	app, err := Open(ctx, config)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, app.Close()) }()
	if err := app.ensureOperator(ctx); err != nil {
		return errors.Join(err, listener.Close())
	}
	return app.serve(ctx, listener, started)
}

// ensureOperator makes the first account from the configuration (L2).
func (a *App) ensureOperator(ctx context.Context) error {
	if a.config.OperatorEmail == "" {
		return nil
	}
	return a.Accounts.EnsureOperator(ctx, account.NewAccount{
		Email: a.config.OperatorEmail, Password: a.config.OperatorPassword,
	})
}

// URL is where the API is reached.
func (a *App) URL() string { return a.config.BaseURL }

// Carrier names the message provider in use.
func (a *App) Carrier() string { return a.carrier.Name() }

// listen comes first: a port of 0 is known only then, and links are made with it.
func listen(config Config) (net.Listener, Config, error) {
	if config.Addr == "" {
		config.Addr = defaultAddr
	}
	listener, err := net.Listen("tcp", config.Addr)
	if err != nil {
		return nil, config, fmt.Errorf("listen on %s: %w", config.Addr, err)
	}
	if config.BaseURL == "" {
		config.BaseURL = "http://" + listener.Addr().String()
	}
	return listener, config, nil
}

// HTTPServer is Handler behind the limits of size and time that it is served with.
func (a *App) HTTPServer() *http.Server {
	return &http.Server{
		Handler:           a.handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       60 * time.Second,
		WriteTimeout:      120 * time.Second, // a twin waits up to 30 s, a model longer
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(a.config.Log.Handler(), slog.LevelDebug),
	}
}

func (a *App) serve(ctx context.Context, listener net.Listener, started func(*App) error) error {
	server := a.HTTPServer()
	loops := job.Start(a.config.Log, job.Loop{Name: "sweep", Every: sweepEvery, Run: a.Sweep})
	defer loops.Stop()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()

	a.config.Log.Info("serving", "url", a.config.BaseURL, "database", a.config.DB, "messaging", a.carrier.Name())
	if err := started(a); err != nil {
		return errors.Join(err, server.Close())
	}
	select {
	case err := <-failed:
		return err
	case <-a.store.Outdated():
		return errors.Join(db.ErrNewerSchema, server.Close())
	case <-ctx.Done():
	}

	a.config.Log.Info("stopping: running requests are finished first")
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		return errors.Join(fmt.Errorf("requests cut off after %s: %w", drainTime, err), server.Close())
	}
	return nil
}

// DatabasePath is the file that the appliance stands on.
func (a *App) DatabasePath() string { return a.config.DB }

// Migrations lists the steps of the schema and which of them the file has.
func Migrations(ctx context.Context, path string) ([]db.Migration, error) {
	return db.Migrations(ctx, path)
}

// Migrate brings the file to this binary's schema, creating it if there is none.
func Migrate(ctx context.Context, path string) error {
	return db.Migrate(ctx, path)
}
