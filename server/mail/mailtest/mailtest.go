// Package mailtest is a mail server for tests, made of go-smtp: it speaks real SMTP
// on a port of this host, keeps the mails that arrive, and fails where it is told to.
package mailtest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// Host is a name that the certificate of a Sink is valid for, beside 127.0.0.1. A
// client that dials the Sink under this name does not take it for a loopback host.
const Host = "example.com"

// Sink is the server. Its methods may be called concurrently.
type Sink struct {
	Address string         // host and port
	Roots   *x509.CertPool // what to trust, nil without TLS

	t        testing.TB
	user     *url.Userinfo // nil: nobody need sign in
	tls      *tls.Config   // nil: neither STARTTLS nor implicit TLS
	implicit bool
	faults   [Answer + 1]chan Fault

	mu       sync.Mutex
	mails    []Mail
	server   *smtp.Server // nil while down
	listener net.Listener
}

// Option is a variant of the server.
type Option func(*Sink)

// StartTLS makes the server offer STARTTLS, with a certificate of Roots.
func StartTLS() Option {
	return func(s *Sink) {
		web := httptest.NewTLSServer(nil) // for its certificate
		defer web.Close()
		s.tls = &tls.Config{Certificates: web.TLS.Certificates}
		s.Roots = x509.NewCertPool()
		s.Roots.AddCert(web.Certificate())
	}
}

// ImplicitTLS makes the server speak TLS from the first byte, with a certificate
// of Roots.
func ImplicitTLS() Option {
	return func(s *Sink) {
		StartTLS()(s)
		s.implicit = true
	}
}

// Auth makes the server refuse mails of clients that have not signed in by PLAIN.
func Auth(user, password string) Option {
	return func(s *Sink) { s.user = url.UserPassword(user, password) }
}

// New starts a server, which ends with the test.
func New(t testing.TB, options ...Option) *Sink {
	t.Helper()
	s := &Sink{t: t, Address: "127.0.0.1:0"}
	for at := range s.faults {
		s.faults[at] = make(chan Fault, 100)
	}
	for _, option := range options {
		option(s)
	}
	s.Up()
	t.Cleanup(s.Down)
	return s
}

// URL is the address for mail.ParseSMTP, with user and password if they are needed.
func (s *Sink) URL() string {
	u := url.URL{Scheme: "smtp", User: s.user, Host: s.Address}
	if s.implicit {
		u.Scheme = "smtps"
	}
	return u.String()
}

// Up starts the server again, on the same port. It does nothing while it runs.
func (s *Sink) Up() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server != nil {
		return
	}
	tcp, err := net.Listen("tcp", s.Address)
	if err != nil {
		s.t.Fatalf("mailtest: %v", err)
	}
	s.Address = tcp.Addr().String()
	s.listener = listener{tcp, s}
	if s.implicit {
		s.listener = tls.NewListener(s.listener, s.tls)
	}
	s.server = smtp.NewServer(smtp.BackendFunc(func(conn *smtp.Conn) (smtp.Session, error) {
		return &session{sink: s, conn: conn}, s.fail(Hello, conn.Conn())
	}))
	s.server.EnableSMTPUTF8, s.server.AllowInsecureAuth, s.server.TLSConfig = true, true, s.tls
	s.server.ErrorLog = log.New(io.Discard, "", 0)
	go s.server.Serve(s.listener)
}

// Down closes the port and cuts every connection. Nothing arrives any more once it
// returns. It does nothing while the server is down.
func (s *Sink) Down() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server != nil {
		s.listener.Close() // which the server may not know yet
		s.server.Close()
		s.server = nil
	}
}

// Mails returns what has arrived so far, in order. A mail is here before the server
// answers its end.
func (s *Sink) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

// Wait returns what has arrived once it is n mails or more, or ends the test. The
// client may not have the answer to the last one yet.
func (s *Sink) Wait(n int) []Mail {
	s.t.Helper()
	for tooLong := time.After(30 * time.Second); ; {
		if mails := s.Mails(); len(mails) >= n {
			return mails
		}
		select {
		case <-time.After(time.Millisecond):
		case <-tooLong:
			s.t.Fatalf("%d mails came, want %d", len(s.Mails()), n)
		}
	}
}

// Stage is a step of the conversation at which a Sink can fail.
type Stage int

const (
	Greeting  Stage = iota // before the first word of the server
	Hello                  // EHLO
	SignIn                 // AUTH, with the right password
	Sender                 // MAIL FROM
	Recipient              // RCPT TO
	Message                // the end of the message
	Answer                 // as Message, but the mail is kept
)

// Fault is what happens in place of a step. It returns the answer.
type Fault func(net.Conn) error

// Fail makes the next conversations fail at this stage, one for each fault.
func (s *Sink) Fail(at Stage, faults ...Fault) {
	for _, f := range faults {
		s.faults[at] <- f
	}
}

// Reply answers with code and text.
func Reply(code int, text string) Fault {
	return func(net.Conn) error { return &smtp.SMTPError{Code: code, Message: text} }
}

// Cut closes the connection.
func Cut(conn net.Conn) error {
	conn.Close()
	return net.ErrClosed
}

// Hang never answers: it ends when the client leaves or the Sink goes down. hangs is
// closed when it begins.
func Hang() (f Fault, hangs <-chan struct{}) {
	began := make(chan struct{})
	return func(conn net.Conn) error {
		close(began)
		io.Copy(io.Discard, conn)
		return Cut(conn)
	}, began
}

func (s *Sink) fail(at Stage, conn net.Conn) error {
	select {
	case f := <-s.faults[at]:
		return f(conn)
	default:
		return nil
	}
}

// listener fails at the Greeting, which go-smtp always sends.
type listener struct {
	net.Listener
	sink *Sink
}

func (l listener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if reply, ok := errors.AsType[*smtp.SMTPError](l.sink.fail(Greeting, conn)); ok {
		fmt.Fprintf(conn, "%d %s\r\n", reply.Code, reply.Message)
		conn.Close() // go-smtp finds it closed
	}
	return conn, nil
}

// session is one connection, which may carry several mails.
type session struct {
	sink     *Sink
	conn     *smtp.Conn
	signedIn bool
	mail     Mail // the one under way
}

func (s *session) AuthMechanisms() []string {
	if s.sink.user == nil {
		return nil
	}
	return []string{sasl.Plain}
}

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if s.signedIn = url.UserPassword(user, password).String() == s.sink.user.String(); !s.signedIn {
			return smtp.ErrAuthFailed
		}
		return s.sink.fail(SignIn, s.conn.Conn())
	}), nil
}

func (s *session) Mail(from string, opts *smtp.MailOptions) error {
	if s.sink.user != nil && !s.signedIn {
		return smtp.ErrAuthRequired
	}
	_, encrypted := s.conn.TLSConnectionState()
	s.mail = Mail{From: from, Hello: s.conn.Hostname(), TLS: encrypted, UTF8: opts.UTF8}
	return s.sink.fail(Sender, s.conn.Conn())
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.mail.To = append(s.mail.To, to)
	return s.sink.fail(Recipient, s.conn.Conn())
}

// Data keeps a mail, unless the server is down. One that cannot be read fails the test.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := s.mail.parse(raw); err != nil {
		s.sink.t.Errorf("mailtest: %v in the mail\n%s", err, raw)
	}
	if err := s.sink.fail(Message, s.conn.Conn()); err != nil {
		return err
	}
	s.sink.mu.Lock()
	up := s.sink.server == s.conn.Server()
	if up {
		s.sink.mails = append(s.sink.mails, s.mail)
	}
	s.sink.mu.Unlock()
	if !up {
		return Cut(s.conn.Conn())
	}
	return s.sink.fail(Answer, s.conn.Conn())
}

func (s *session) Reset()        { s.mail = Mail{} }
func (s *session) Logout() error { return nil }
