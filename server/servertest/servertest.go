// Package servertest is the whole appliance for tests: over HTTP, on a real
// database file, with a manual clock and a provider that records what reaches it.
package servertest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/account"
)

// Server is a running appliance and what a test needs to look behind it.
type Server struct {
	URL   string
	App   *server.App
	Clock *dbtest.Clock
	// Path is the database file.
	Path string
	// Log is what was logged.
	Log *Log

	http *httptest.Server
}

// New starts an appliance on a fresh database. change may alter its
// configuration first. Everything ends with the test.
func New(t testing.TB, change ...func(*server.Config)) *Server {
	t.Helper()
	return Open(t, filepath.Join(t.TempDir(), "svc.db"), dbtest.NewClock(), change...)
}

// Open starts an appliance on a database file that others may use too.
func Open(t testing.TB, path string, clock *dbtest.Clock, change ...func(*server.Config)) *Server {
	t.Helper()
	log := &Log{}
	config := server.Config{
		DB:        path,
		BaseURL:   "http://127.0.0.1:8080",
		Clock:     clock.Now,
		Log:       slog.New(slog.NewJSONHandler(log, nil)),
		Messaging: server.Messaging{Provider: "outbox"},
	}
	for _, c := range change {
		c(&config)
	}
	app, err := server.Open(context.Background(), config)
	if err != nil {
		t.Fatalf("open appliance: %v", err)
	}
	s := &Server{App: app, Clock: clock, Path: path, Log: log, http: httptest.NewServer(app.Handler())}
	s.URL = s.http.URL
	t.Cleanup(func() {
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
	all, err := s.App.Accounts.Ledger(context.Background(), email)
	if err != nil {
		t.Fatalf("read ledger: %v", err)
	}
	return all
}

// VerifyWallets fails the test when a wallet contradicts its ledger or its holds.
func (s *Server) VerifyWallets(t testing.TB) {
	t.Helper()
	faults, _, err := s.App.Accounts.VerifyWallets(context.Background())
	if err != nil || len(faults) > 0 {
		t.Fatalf("wallets: %v, %v", faults, err)
	}
}

// Answer is a response with its body read.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Field reads a top-level field of a JSON body, nil if there is none.
func (a Answer) Field(t testing.TB, name string) any {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(a.Body, &fields); err != nil {
		t.Fatalf("body is not JSON: %q", a.Body)
	}
	return fields[name]
}

// Option changes a request.
type Option func(*http.Request)

// WithKey sends an API key.
func WithKey(secret string) Option { return WithHeader("x-api-key", secret) }

// WithIdempotencyKey sends an Idempotency-Key.
func WithIdempotencyKey(key string) Option { return WithHeader("Idempotency-Key", key) }

// WithHeader sends a header.
func WithHeader(name, value string) Option {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// Call sends one request. body may be nil, a string, bytes, or a value that is
// sent as JSON. It may be used from several goroutines, so it reports failures
// with t.Error and returns a zero Answer.
func (s *Server) Call(t testing.TB, method, path string, body any, options ...Option) Answer {
	t.Helper()
	request, err := http.NewRequest(method, s.URL+path, reader(t, body))
	if err != nil {
		t.Errorf("make request: %v", err)
		return Answer{}
	}
	for _, o := range options {
		o(request)
	}
	response, err := s.http.Client().Do(request)
	if err != nil {
		t.Errorf("%s %s: %v", method, path, err)
		return Answer{}
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Errorf("%s %s: read answer: %v", method, path, err)
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Body: content}
}

func reader(t testing.TB, body any) io.Reader {
	t.Helper()
	switch b := body.(type) {
	case nil:
		return nil
	case string:
		return strings.NewReader(b)
	case []byte:
		return bytes.NewReader(b)
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Errorf("encode body: %v", err)
	}
	return bytes.NewReader(encoded)
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
