// Package mailtest is a mail server for tests: it speaks real SMTP on a port of
// this host, keeps what arrives, and fails in the ways that a queue must survive.
//
// A fault is for one mail. Those that are asked for wait in line, and each
// mail that begins (with MAIL FROM) takes the first of them; without one it is
// accepted.
package mailtest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// Host is a name that the certificate of a Sink is valid for, beside 127.0.0.1
// and localhost. A client that dials the Sink in its place is not on loopback as
// far as it knows.
const Host = "mail.example"

// patience is how long a test waits for what should come at once; only a test
// that fails needs so long.
const patience = 30 * time.Second

// Sink is the server. Its methods may be called concurrently.
type Sink struct {
	t        testing.TB
	scheme   string
	user     *url.Userinfo // nil: nobody need sign in
	tls      *tls.Config   // nil: neither STARTTLS nor implicit TLS
	implicit bool
	roots    *x509.CertPool
	address  string

	mu      sync.Mutex
	mails   []Mail
	arrived chan struct{} // closed, and made anew, with each mail
	faults  []fault
	running *running // nil while down
}

// Option is a variant of the server.
type Option func(*Sink)

// StartTLS makes the server offer STARTTLS, with a certificate of Roots.
func StartTLS() Option {
	return func(s *Sink) { s.tls, s.roots = certificate(s.t) }
}

// ImplicitTLS makes the server speak TLS from the first byte, with a certificate
// of Roots.
func ImplicitTLS() Option {
	return func(s *Sink) {
		s.tls, s.roots = certificate(s.t)
		s.scheme, s.implicit = "smtps", true
	}
}

// Auth makes the server refuse whoever has not signed in by PLAIN.
func Auth(user, password string) Option {
	return func(s *Sink) { s.user = url.UserPassword(user, password) }
}

// New starts a server, which ends with the test.
func New(t testing.TB, options ...Option) *Sink {
	t.Helper()
	s := &Sink{t: t, scheme: "smtp", address: "127.0.0.1:0", arrived: make(chan struct{})}
	for _, option := range options {
		option(s)
	}
	s.Up()
	t.Cleanup(s.Down)
	return s
}

// URL is the address for mail.ParseSMTP, with user and password if they are needed.
func (s *Sink) URL() string {
	return (&url.URL{Scheme: s.scheme, User: s.user, Host: s.address}).String()
}

// Address is the host and port.
func (s *Sink) Address() string { return s.address }

// Roots is what to trust, nil for a server without TLS.
func (s *Sink) Roots() *x509.CertPool { return s.roots }

// Mails gives what has arrived so far, in order. A mail is here before the server
// answers its end.
func (s *Sink) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

// Wait gives what has arrived once it is n mails or more. The client may not have
// had the answer to the last one yet. It ends the test when they do not come.
func (s *Sink) Wait(n int) []Mail {
	s.t.Helper()
	tooLong := time.After(patience)
	for {
		s.mu.Lock()
		mails, arrived := slices.Clone(s.mails), s.arrived
		s.mu.Unlock()
		if len(mails) >= n {
			return mails
		}
		select {
		case <-arrived:
		case <-tooLong:
			s.t.Fatalf("%d mails came, want %d", len(mails), n)
		}
	}
}

func (s *Sink) keep(m Mail) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mails = append(s.mails, m)
	close(s.arrived)
	s.arrived = make(chan struct{})
}

// running is the server between Up and Down.
type running struct {
	server   *smtp.Server
	listener *listener
	served   chan struct{} // closed when no more connections are accepted
	down     chan struct{} // closed when sessions that hang must end
}

// Up starts the server again, on the same port. It does nothing while it runs.
func (s *Sink) Up() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil {
		return
	}
	tcp, err := net.Listen("tcp", s.address)
	if err != nil {
		s.t.Fatalf("mailtest: %v", err)
	}
	s.address = tcp.Addr().String()

	r := &running{
		listener: &listener{Listener: tcp},
		served:   make(chan struct{}),
		down:     make(chan struct{}),
	}
	r.server = s.newServer(r.down)
	s.running = r
	go r.serve(s.implicit)
}

func (s *Sink) newServer(down <-chan struct{}) *smtp.Server {
	server := smtp.NewServer(smtp.BackendFunc(func(conn *smtp.Conn) (smtp.Session, error) {
		return &session{sink: s, conn: conn, down: down}, nil
	}))
	server.Domain = "localhost"
	server.EnableSMTPUTF8 = true
	server.AllowInsecureAuth = true
	server.TLSConfig = s.tls
	server.ErrorLog = log.New(io.Discard, "", 0)
	return server
}

func (r *running) serve(implicitTLS bool) {
	defer close(r.served)
	var l net.Listener = r.listener
	if implicitTLS {
		l = tls.NewListener(l, r.server.TLSConfig)
	}
	r.server.Serve(l)
}

// Down closes the port and cuts every connection. Nothing arrives any more once
// it returns. It does nothing while the server is down.
func (s *Sink) Down() {
	s.t.Helper()
	s.mu.Lock()
	r := s.running
	s.running = nil
	s.mu.Unlock()
	if r == nil {
		return
	}
	// The server is told last: it counts its connections while it accepts, and
	// must not be waited for before that has ended.
	close(r.down)
	r.listener.Close()
	<-r.served
	r.listener.cut()
	if err := r.server.Shutdown(context.Background()); err != nil && !errors.Is(err, net.ErrClosed) {
		s.t.Errorf("mailtest: shut down: %v", err)
	}
}

// listener knows the connections that it has accepted.
type listener struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func (l *listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = append(l.conns, conn)
	return conn, nil
}

func (l *listener) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, conn := range l.conns {
		conn.Close()
	}
}

// fault is what goes wrong with one mail. At most one of its moments is set.
type fault struct {
	atRcpt, atEnd func(*session) error
}

func (s *Sink) plan(f fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f)
}

func (s *Sink) nextFault() fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.faults) == 0 {
		return fault{}
	}
	f := s.faults[0]
	s.faults = s.faults[1:]
	return f
}

// Refuse answers the recipient of the next k mails with code and message. They
// are not kept.
func (s *Sink) Refuse(k, code int, message string) {
	for range k {
		s.plan(fault{atRcpt: answering(code, message)})
	}
}

// FailData answers the end of the next mail with code. It is not kept.
func (s *Sink) FailData(code int) {
	s.plan(fault{atEnd: answering(code, "no luck with this mail")})
}

func answering(code int, message string) func(*session) error {
	return func(*session) error { return &smtp.SMTPError{Code: code, Message: message} }
}

// CutBeforeData closes the connection of the next mail in place of the answer to
// its recipient.
func (s *Sink) CutBeforeData() { s.plan(fault{atRcpt: (*session).cut}) }

// CutAfterData takes the next mail to its end and keeps it, then closes the
// connection without an answer.
func (s *Sink) CutAfterData() { s.plan(fault{atEnd: keeping((*session).cut)}) }

// HangBeforeData never answers the recipient of the next mail. The channel is
// closed once it has come.
func (s *Sink) HangBeforeData() <-chan struct{} {
	hanging, hang := hanging()
	s.plan(fault{atRcpt: hang})
	return hanging
}

// Hang takes the next mail to its end and keeps it, then never answers. The
// channel is closed once that has happened.
func (s *Sink) Hang() <-chan struct{} {
	hanging, hang := hanging()
	s.plan(fault{atEnd: keeping(hang)})
	return hanging
}

func hanging() (<-chan struct{}, func(*session) error) {
	hanging := make(chan struct{})
	return hanging, func(s *session) error {
		close(hanging)
		<-s.down
		return s.cut()
	}
}

func keeping(then func(*session) error) func(*session) error {
	return func(s *session) error {
		s.keep()
		return then(s)
	}
}
