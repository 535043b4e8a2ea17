package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/textproto"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// One hand-over takes at most sendTimeout, answerTimeout and quitTimeout together. The
// lease of a mail is longer.
const (
	// dialTimeout bounds name, TCP and the handshake of implicit TLS together.
	dialTimeout = 10 * time.Second
	// sendTimeout bounds a conversation from the dialling to the answer to DATA.
	sendTimeout = 30 * time.Second
	// answerTimeout bounds what follows: the text, and the answer to its end. An answer
	// that nobody awaits any more costs a second copy of the mail. RFC 5321 (4.5.3.2.6)
	// recommends 10 minutes, in which the other mails would wait.
	answerTimeout = 2 * time.Minute
	// stopTimeout replaces what is left of the others when svc stops.
	stopTimeout = 20 * time.Second
	quitTimeout = 2 * time.Second
)

// session is the conversation about one mail. Its connection is closed when the session
// ends: go-mail leaves a connection open after some errors, and bounds each step but
// not their sum.
type session struct {
	context.Context
	end   context.CancelCauseFunc
	timer *time.Timer
	conn  *connection // nil until the server is reached
	last  error       // of a command
}

func newSession(ctx context.Context) *session {
	c := new(session)
	c.Context, c.end = context.WithCancelCause(context.WithoutCancel(ctx))
	c.timer = time.AfterFunc(sendTimeout, func() { c.end(context.DeadlineExceeded) })
	context.AfterFunc(c, func() { c.timer.Stop() })
	return c
}

// HandleError keeps the last error of a command, which go-mail hides in the text of its
// SendError. It implements smtp.ResponseErrorHandler.
func (c *session) HandleError(_, command string, _ *textproto.Conn, err error) error {
	if command != "rset" && command != "quit" { // go-mail says them after an error
		c.last = err
	}
	return err
}

// Handle begins the wait for the answer: go-mail calls it when the server has answered
// DATA and the text is written. It implements gomail.Middleware.
func (c *session) Handle(m *gomail.Msg) *gomail.Msg {
	c.timer.Reset(answerTimeout)
	return m
}

// Type implements gomail.Middleware.
func (c *session) Type() gomail.MiddlewareType { return "session" }

// connection notices when not all was written, so that the server lacks the end.
type connection struct {
	net.Conn
	short bool
}

func (c *connection) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.short = c.short || n < len(p)
	return n, err
}

// Send hands a mail over on a connection of its own. It returns nil if the server has
// taken the mail. When ctx ends, so does the session, if the server is not ready for the
// mail yet. After that the session goes on for up to stopTimeout, since a mail whose
// answer nobody awaits is sent again.
func (s *SMTP) Send(ctx context.Context, m Message) *Error {
	c := newSession(ctx)
	defer c.end(nil)
	message, fault := s.message(m, gomail.WithMiddleware(c))
	if fault != nil {
		return fault
	}
	client, err := gomail.NewClient(s.host, append(s.options(isASCII(m.To)), gomail.WithDialContextFunc(s.dialer(c)))...)
	if err != nil {
		return &Error{Down: true, Reason: "could not be asked", Err: s.redact.Cause(err)}
	}
	client.ErrorHandlerRegistry.SetDefaultHandler(c)

	stay := context.AfterFunc(ctx, func() { c.end(ctx.Err()) })
	server, err := client.DialToSMTPClientWithContext(ctx)
	if !stay() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return s.noSession(c, err)
	}
	if offered, _ := server.Extension("SMTPUTF8"); !offered && !isASCII(m.To) {
		c.quit(server)
		return &Error{Permanent: true, Reason: "takes no recipient with letters beyond ASCII"}
	}

	defer context.AfterFunc(ctx, c.endSoon)()
	e, _ := errors.AsType[*gomail.SendError](client.SendWithSMTPClient(server, message))
	taken := e == nil || message.IsDelivered() || confirmed(e)
	if taken || e.ErrorCode() != 0 {
		c.quit(server)
	}
	if taken {
		return nil
	}
	return s.explain(c, e)
}

// Check begins a session as Send does, signed in with the password if there is one, and ends
// it. It hands over nothing.
func (s *SMTP) Check(ctx context.Context) *Error {
	c := newSession(ctx)
	defer c.end(nil)
	defer context.AfterFunc(ctx, func() { c.end(ctx.Err()) })()
	client, err := gomail.NewClient(s.host, append(s.options(true), gomail.WithDialContextFunc(s.dialer(c)))...)
	if err != nil {
		return &Error{Down: true, Reason: "could not be asked", Err: s.redact.Cause(err)}
	}
	client.ErrorHandlerRegistry.SetDefaultHandler(c)
	server, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return s.noSession(c, err)
	}
	c.quit(server)
	return nil
}

// endSoon ends the session after stopTimeout.
func (c *session) endSoon() {
	select {
	case <-time.After(stopTimeout):
		c.end(context.Canceled)
	case <-c.Done():
	}
}

// quit says QUIT, the answer to which changes nothing. It must not be called after a text
// that was not written to its end: smtp.Client would end the text first, and the server
// would take the first part for the whole.
func (c *session) quit(server *smtp.Client) {
	c.timer.Reset(quitTimeout)
	_ = server.Quit()
}

// dialer opens connections that are closed when the session ends.
func (s *SMTP) dialer(c *session) gomail.DialContextFunc {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		conn, err := s.dial(ctx, network, s.address()) // go-mail's address lacks the brackets of IPv6
		if err != nil {
			return nil, err
		}
		c.conn = &connection{Conn: conn}
		context.AfterFunc(c, func() { conn.Close() })
		if !s.implicit {
			return c.conn, nil
		}
		// smtp.Client knows by the type *tls.Conn that it may send a password.
		encrypted := tls.Client(c.conn, s.tlsConfig())
		return encrypted, encrypted.HandshakeContext(ctx)
	}
}
