// Package server is the appliance: it builds the capabilities over one store,
// mounts their routes and runs. The mount itself is mount.go; what a call with a
// key goes through is package gate.
package server

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"svc/db"
	"svc/server/account"
	"svc/server/ask"
	"svc/server/carrier"
	"svc/server/charge"
	"svc/server/checkout"
	"svc/server/connection"
	"svc/server/console"
	"svc/server/dataset"
	"svc/server/fault"
	"svc/server/gate"
	"svc/server/inventory"
	"svc/server/llm"
	"svc/server/mail"
	"svc/server/message"
	"svc/server/scan"
	"svc/server/session"
	"svc/server/views"
)

// App is a built appliance. It serves through Handler; it does not listen, and
// its loops do not run until Run.
type App struct {
	Accounts    *account.Service
	Asks        *ask.Service
	Connections *connection.Service
	Datasets    *dataset.Service
	Inventories *inventory.Service
	Mails       *mail.Service
	Messages    *message.Service
	Payments    *checkout.Service
	Scans       *scan.Service

	config  Config
	store   *db.DB
	gate    *gate.Gate
	carrier carrier.Carrier
	models  *llm.Client // nil: there is no Ollama
	// What is reached through its pages or its API only.
	charges  *charge.Service
	front    *account.Front
	own      *account.Console
	console  *console.Console
	pages    *views.Set
	sessions *session.Sessions
	handler  http.Handler
	// resolve is how an error will be answered.
	resolve func(error, *http.Request) *fault.Error
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

	a := &App{config: config, store: store}
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

// Sweep does what the background loops do, once.
func (a *App) Sweep(ctx context.Context) error {
	var all error
	for _, loop := range a.loops() {
		all = errors.Join(all, loop.Run(ctx))
	}
	return all
}

// Addr is where the appliance listens, once it runs.
func (a *App) Addr() string { return a.config.Addr }

// URL is where the API is reached.
func (a *App) URL() string { return a.config.BaseURL }

// ConsoleURL is where the pages are reached.
func (a *App) ConsoleURL() string { return a.config.ConsoleURL }

// AskModel names the model that helps with questions; empty: none does.
func (a *App) AskModel() string { return a.config.Ollama.AskModel }

// VisionModel names the model that looks at photos; empty: none does.
func (a *App) VisionModel() string { return a.config.Ollama.VisionModel }

// Carrier names the message provider in use.
func (a *App) Carrier() string { return a.carrier.Name() }

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
