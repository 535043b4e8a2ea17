package mailtest

import (
	"errors"
	"io"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// session is one connection, which may carry several mails.
type session struct {
	sink     *Sink
	conn     *smtp.Conn
	down     <-chan struct{}
	signedIn bool

	mail  Mail // the one under way
	fault fault
}

var (
	_ smtp.AuthSession = (*session)(nil)

	errCut = errors.New("the connection was cut")
)

// AuthMechanisms offers PLAIN where a sign-in is needed, and nothing elsewhere.
func (s *session) AuthMechanisms() []string {
	if s.sink.user == nil {
		return nil
	}
	return []string{sasl.Plain}
}

// Auth lets in the one user that there is.
func (s *session) Auth(string) (sasl.Server, error) {
	if s.sink.user == nil {
		return nil, smtp.ErrAuthUnsupported
	}
	return sasl.NewPlainServer(func(_, user, password string) error {
		want, _ := s.sink.user.Password()
		if user != s.sink.user.Username() || password != want {
			return smtp.ErrAuthFailed
		}
		s.signedIn = true
		return nil
	}), nil
}

// Mail begins a mail, which takes the next fault.
func (s *session) Mail(from string, opts *smtp.MailOptions) error {
	if s.sink.user != nil && !s.signedIn {
		return smtp.ErrAuthRequired
	}
	_, encrypted := s.conn.TLSConnectionState()
	s.mail = Mail{From: from, Hello: s.conn.Hostname(), TLS: encrypted, UTF8: opts.UTF8}
	s.fault = s.sink.nextFault()
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if s.fault.atRcpt != nil {
		return s.fault.atRcpt(s)
	}
	s.mail.To = append(s.mail.To, to)
	return nil
}

// Data reads a mail to its end. One that breaks off before is not kept.
func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.mail.Raw = raw
	if s.fault.atEnd != nil {
		return s.fault.atEnd(s)
	}
	s.keep()
	return nil
}

// keep stores the mail under way. One that cannot be read fails the test.
func (s *session) keep() {
	if err := s.mail.parse(); err != nil {
		s.sink.t.Errorf("mailtest: a mail that cannot be read: %v\n%s", err, s.mail.Raw)
	}
	s.sink.keep(s.mail)
}

// cut closes the connection, so that whatever the server answers reaches nobody.
func (s *session) cut() error {
	s.conn.Conn().Close()
	return errCut
}

func (s *session) Reset() { s.mail, s.fault = Mail{}, fault{} }

func (s *session) Logout() error { return nil }
