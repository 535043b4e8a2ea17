package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"svc/db"
	"svc/server/account"
	"svc/server/ask"
	"svc/server/certificate"
	"svc/server/charge"
	"svc/server/checkout"
	"svc/server/connection"
	"svc/server/dataset"
	"svc/server/fairqueue"
	"svc/server/gate"
	"svc/server/insight"
	"svc/server/inventory"
	"svc/server/job"
	"svc/server/mail"
	"svc/server/message"
	"svc/server/metrics"
	"svc/server/push"
	"svc/server/requestlog"
	"svc/server/scan"
	"svc/server/tool"
	"svc/server/webhook"
)

// App is a built appliance. It serves through Handler; it does not listen, and
// its loops do not run until Run. Of OpenServices it has the services alone.
type App struct {
	Services
	config    Config
	store     *db.DB
	outside   outside
	heavy     *fairqueue.Queue
	sockets   *sockets
	fronts    *fronts
	gate      *gate.Gate
	readiness *readiness
	jobs      *job.Board
	handler   http.Handler

	connections drainer
}

// Services are the capabilities. The commands call them, and so do the front ends that
// the mount lists.
type Services struct {
	Accounts *account.Service
	Asks     *ask.Service
	// Certificates is nil if the server speaks plain HTTP.
	Certificates *certificate.Service
	Charges      *charge.Service
	Connections  *connection.Service
	Datasets     *dataset.Service
	Insights     *insight.Service
	Inventories  *inventory.Service
	Mails        *mail.Service
	Messages     *message.Service
	Payments     *checkout.Service
	Pushes       *push.Service
	Requests     *requestlog.Service
	Scans        *scan.Service
	Tools        *tool.Service
	Webhooks     *webhook.Service
}

// Open builds the appliance over the database that config names. A *ConfigError
// is the caller's setting; db.ErrNewerSchema, db.ErrOlderSchema and db.ErrNotFound are the
// file's.
func Open(ctx context.Context, config Config) (*App, error) {
	a, err := OpenServices(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := a.buildFronts(); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

// OpenServices is Open without the API and the pages, for commands that call the services
// and serve nobody: to make the pages takes longer than most commands.
func OpenServices(ctx context.Context, config Config) (*App, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	outside, err := config.connect() // before there is a file: it may refuse a setting
	if err != nil {
		return nil, err
	}
	if config.MetricsAddr != "" {
		outside = outside.watch(metrics.New(cmp.Or(config.Version, "unknown")))
	}
	store, err := db.Open(ctx, db.Options{
		Path: config.DB, Clock: config.Clock, Log: config.Log, MustExist: config.MustExist, Migrate: config.Migrate,
	})
	if err != nil {
		return nil, err
	}

	a := &App{config: config, outside: outside, store: store, heavy: fairqueue.ForProcess()}
	if a.Services, err = newServices(config, store, outside, a.heavy); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return a, nil
}

// buildFronts makes the front ends of the services and the router.
func (a *App) buildFronts() (err error) {
	a.readiness = newReadiness(a.store, a.config.Clock)
	a.sockets = newSockets(a.config.MaxConnections, a.config.TrustedProxies)
	a.jobs = job.NewBoard(a.config.Clock, a.config.jobText)
	if a.fronts, err = newFronts(a.config, a.store, a.Services, a.jobs, a.readiness); err != nil {
		return err
	}
	a.mount()
	a.watchMetrics()
	return nil
}

// Close ends the appliance. Transactions that wait for the store are still served.
func (a *App) Close() error { return a.store.Close() }

// Handler serves every route.
func (a *App) Handler() http.Handler { return a.handler }

// Sweep runs each background loop once.
func (a *App) Sweep(ctx context.Context) error {
	var all error
	for _, loop := range a.loops() {
		all = errors.Join(all, loop.Run(ctx))
	}
	return all
}

// Addr is the address on which the appliance listens, once it runs.
func (a *App) Addr() string { return a.config.Addr }

// ListenURL is the address on which the appliance listens, with its scheme, once it runs.
func (a *App) ListenURL() string {
	if a.config.TLS.on() {
		return "https://" + a.config.Addr
	}
	return "http://" + a.config.Addr
}

// Domains are those for which the appliance has certificates; none: it speaks plain HTTP.
func (a *App) Domains() []string { return a.config.TLS.Domains }

// URL is the base address of the API.
func (a *App) URL() string { return a.config.BaseURL }

// ConsoleURL is the base address of the pages.
func (a *App) ConsoleURL() string { return a.config.ConsoleURL }

// AskModel names the model that helps with questions; empty: none.
func (a *App) AskModel() string { return a.config.Ollama.AskModel }

// VisionModel names the model that looks at photos; empty: none.
func (a *App) VisionModel() string { return a.config.Ollama.VisionModel }

// Carrier names the message provider in use.
func (a *App) Carrier() string { return a.outside.carrier.Name() }

// DatabasePath is the path of the database file.
func (a *App) DatabasePath() string { return a.config.DB }

// Migrations lists the migrations of the schema, and which of them are applied.
func Migrations(ctx context.Context, path string) ([]db.Migration, error) {
	return db.Migrations(ctx, path)
}

// Migrate migrates the file to this binary's schema, and creates it if there is none. It
// returns the copy that it made of an older file, see db.Migrate.
func Migrate(ctx context.Context, path string) (db.Copy, error) {
	return db.Migrate(ctx, path)
}

// Backup writes the database at path and all that belongs to it to a new file; see
// db.Backup.
func Backup(ctx context.Context, path, to string) (db.BackupContents, error) {
	return db.Backup(ctx, path, to, time.Now())
}

// Restore puts a backup in the place of the database at path, which it keeps; see
// db.Restore.
func Restore(ctx context.Context, from, path string) (db.Restored, error) {
	return db.Restore(ctx, from, path, time.Now())
}
