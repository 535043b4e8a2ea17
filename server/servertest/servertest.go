// Package servertest runs the whole appliance in tests: over HTTP, on a real database
// file, with a manual clock and a message provider that records what it gets.
//
// Every Call also checks what holds for every answer of the API (seed 2.6, 8.1; A6–A9), and
// that it is as embed/openapi.yaml describes it, so that a test checks only what is specific
// to it.
//
// [Shop], [Cashier], [Desk] and [House] are appliances prepared for sends, payments,
// connections and pages. They hold what tests of several packages share. A package that
// needs more embeds one of them in a type of its own.
package servertest

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/account"
	"svc/server/carrier"
)

// Server is a running appliance, with access to its store, clock and log.
type Server struct {
	URL   string
	App   *server.App
	Clock *dbtest.Clock
	// Path is the database file.
	Path string
	// Log collects what the appliance logs.
	Log *Log
	// Store is a second handle on the file, as of another process, with which tests
	// read and plant rows.
	Store *db.DB

	http *httptest.Server
}

// New starts an appliance on a fresh database. change may alter its configuration first.
// The appliance is closed at the end of the test.
func New(t testing.TB, change ...func(*server.Config)) *Server {
	t.Helper()
	return Open(t, filepath.Join(t.TempDir(), "svc.db"), dbtest.NewClock(), change...)
}

// Open starts an appliance on a database file that other appliances may use, too.
func Open(t testing.TB, path string, clock *dbtest.Clock, change ...func(*server.Config)) *Server {
	t.Helper()
	log := &Log{}
	listening := httptest.NewUnstartedServer(nil) // it already has its address, for links
	config := server.Config{
		DB:        path,
		BaseURL:   "http://" + listening.Listener.Addr().String(),
		Clock:     clock.Now,
		Log:       slog.New(slog.NewJSONHandler(log, nil)),
		Messaging: carrier.Settings{Provider: "outbox"},
	}
	for _, c := range change {
		c(&config)
	}
	dbtest.MustExist(t, config.DB)
	app, err := server.Open(context.Background(), config)
	if err != nil {
		t.Fatalf("open appliance: %v", err)
	}
	s := &Server{App: app, Clock: clock, Path: path, Log: log, http: listening}
	s.Store = dbtest.OpenAt(t, path, clock)
	s.http.Config = app.HTTPServer()
	s.http.Start()
	s.URL = s.http.URL
	t.Cleanup(func() {
		s.http.CloseClientConnections() // Close would wait for a call that hangs
		s.http.Close()
		if err := app.Close(); err != nil {
			t.Errorf("close appliance: %v", err)
		}
	})
	return s
}

// Account makes an account with credit and returns its e-mail.
func (s *Server) Account(t testing.TB, email, plan string, creditCents int64) string {
	t.Helper()
	ctx := context.Background()
	if _, err := s.App.Accounts.Create(ctx, account.NewAccount{Email: email, Plan: plan}); err != nil {
		t.Fatalf("make account: %v", err)
	}
	if creditCents == 0 {
		return email
	}
	if _, err := s.App.Accounts.Credit(ctx, email, creditCents, "seed"); err != nil {
		t.Fatalf("credit: %v", err)
	}
	return email
}

// Key makes a key of an account and returns it with its secret.
func (s *Server) Key(t testing.TB, email string, env db.Env, mode db.Mode) (db.Key, string) {
	t.Helper()
	k, secret, err := s.App.Accounts.CreateKey(context.Background(), account.NewKey{
		Account: email, Env: string(env), Mode: string(mode),
	})
	if err != nil {
		t.Fatalf("make key: %v", err)
	}
	return k, string(secret)
}

// Wallet reads an account's wallet.
func (s *Server) Wallet(t testing.TB, email string) db.Wallet {
	t.Helper()
	w, err := s.App.Accounts.Wallet(context.Background(), email)
	if err != nil {
		t.Fatalf("read wallet: %v", err)
	}
	return w
}

// Ledger reads an account's ledger.
func (s *Server) Ledger(t testing.TB, email string) []db.Entry {
	t.Helper()
	all, err := s.App.Accounts.AllEntries(context.Background(), email)
	if err != nil {
		t.Fatalf("read ledger: %v", err)
	}
	return all
}

// VerifyWallets fails the test if a wallet differs from its ledger or its holds.
func (s *Server) VerifyWallets(t testing.TB) {
	t.Helper()
	faults, _, err := s.App.Accounts.VerifyWallets(context.Background())
	if err != nil || len(faults) > 0 {
		t.Fatalf("wallets: %v, %v", faults, err)
	}
}

// patience is how long a test waits for what should come at once. Only a failing test
// waits that long.
const patience = 30 * time.Second

// Receive takes the next value of a channel and ends the test if none comes. A closed
// channel gives the zero value.
func Receive[T any](t testing.TB, from <-chan T) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(patience):
		t.Fatal("no value was received")
	}
	return value
}

// Until polls until seen returns true, and ends the test if it never does. It is for
// effects of other goroutines or connections that send no signal.
func Until(t testing.TB, what string, seen func() bool) {
	t.Helper()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	tooLong := time.After(patience)
	for !seen() {
		select {
		case <-look.C:
		case <-tooLong:
			t.Fatalf("never seen: %s", what)
		}
	}
}

// Log collects what an appliance logs.
type Log struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}
