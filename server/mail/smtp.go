package mail

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"svc/server/redact"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// HandOverTimeout bounds one hand-over, from the dialling to the last answer,
// whatever lies between Connect and Send. A lease on a mail must be longer.
const HandOverTimeout = 30 * time.Second

const (
	// connectTimeout ends the connecting (name, TCP, TLS and sign-in together) well
	// before HandOverTimeout, because a time-out here is harmless and one after it is
	// not: a slow start must not use up the time in which the server answers.
	connectTimeout = 10 * time.Second
	// quitTimeout is what it may cost to take leave.
	quitTimeout = 2 * time.Second

	maxReplyRunes = 200
	mayBeSent     = "; the mail may have been sent"
)

// Message is a mail that is ready to go.
type Message struct {
	// ID is ours, mail_…. The Message-ID is made from it alone, so that a mail which
	// arrives twice can be recognised.
	ID      string
	To      string // one addr-spec
	Subject string
	Text    string
	HTML    string
	At      time.Time // the Date header
}

// SMTP is the access to the mail server that takes our mails. Its methods may be
// called concurrently.
//
// Messages are built by go-mail; the conversation is held over its smtp.Client,
// one step at a time. go-mail's own Client.Send cannot be used: it reports one
// reason for an end that was never written and an answer that never came, takes a
// reset that fails for a mail that failed, and when the text of a mail could not
// be written whole, its QUIT first writes the end, which makes the server accept
// the stump.
type SMTP struct {
	// RootCAs is what to trust in place of the system's, for tests and private
	// servers. It is set before the first Connect.
	RootCAs *x509.CertPool

	host, port     string
	implicit       bool // TLS from the first byte, in place of STARTTLS
	loopback       bool // a relay on this host: TLS if it is offered
	user, password string
	from           netmail.Address
	domain         string // of from: our name in EHLO and the right side of a Message-ID
	redact         redact.Redactor
	dial           dialFunc
}

// dialFunc opens a TCP connection. Tests put their own in its place.
type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// ParseSMTP reads the address of a mail server and the sender of all mails.
//
// smtp://user:password@host:port wants STARTTLS unless the host is a loopback
// one, where TLS is used if it is offered; smtps://… begins with TLS. Without a
// port it is 587 and 465. User and password may be left out. The sender is one
// addr-spec, or Name <addr-spec>. The errors are sentences for the operator that
// repeat neither argument, since a password may stand anywhere in a mistyped one.
func ParseSMTP(address, from string) (*SMTP, error) {
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" {
		return nil, errors.New("the mail server must be given as smtp://user:password@host:port or smtps://…, " +
			"with special characters in user and password percent-encoded")
	}
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return nil, errors.New("the mail server's address must end with the port; " +
			"special characters in user and password must be percent-encoded")
	}

	s := &SMTP{
		host:     u.Hostname(),
		port:     cmp.Or(u.Port(), map[string]string{"smtp": "587", "smtps": "465"}[u.Scheme]),
		implicit: u.Scheme == "smtps",
		loopback: isLoopback(u.Hostname()),
		dial:     new(net.Dialer).DialContext,
	}
	if port, err := strconv.ParseUint(s.port, 10, 16); err != nil || port == 0 {
		return nil, errors.New("the mail server's port must be a number from 1 to 65535")
	}
	if err := s.setUser(u.User); err != nil {
		return nil, err
	}
	if err := s.setFrom(from); err != nil {
		return nil, err
	}
	return s, nil
}

// isLoopback knows a host by its name or address alone, without asking DNS, which
// could be made to say so of any name.
func isLoopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

func (s *SMTP) setUser(u *url.Userinfo) error {
	s.user = u.Username()
	s.password, _ = u.Password()
	if (s.user == "") != (s.password == "") {
		return errors.New("the mail server's address must have both user and password, or neither")
	}
	if strings.ContainsFunc(s.user+s.password, unicode.IsControl) {
		return errors.New("the mail server's user and password must not have control characters")
	}
	s.redact = redact.New(maxReplyRunes, passwordForms(s.user, s.password)...)
	return nil
}

func (s *SMTP) setFrom(from string) error {
	a, err := netmail.ParseAddress(from)
	if err != nil || !isAddrSpec(a.Address) || !isASCII(a.Address) {
		return errors.New("the sender of mails must be one address in ASCII, " +
			"like name@example.com or Name <name@example.com>")
	}
	s.from = *a
	s.domain = a.Address[strings.LastIndexByte(a.Address, '@')+1:]
	return nil
}

// isAddrSpec reports whether an address is one addr-spec within RFC 5321's
// limits, without a display name (E7). Such a one has no space or line break.
func isAddrSpec(address string) bool {
	a, err := netmail.ParseAddress(address)
	return err == nil && a.Name == "" && a.Address == address &&
		len(address) <= 254 && strings.LastIndexByte(address, '@') <= 64
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c > unicode.MaxASCII })
}

// String is the address without user and password, so that the server can be
// logged.
func (s *SMTP) String() string {
	scheme := "smtp"
	if s.implicit {
		scheme = "smtps"
	}
	return scheme + "://" + net.JoinHostPort(s.host, s.port)
}

// GoString keeps the password out of %#v too.
func (s *SMTP) GoString() string { return s.String() }

// Conn is a connection on which the server waits for a mail. It is for one mail,
// and for one goroutine. Whoever has it closes it.
type Conn struct {
	smtp     *SMTP
	raw      *countedConn
	client   *smtp.Client
	deadline time.Time // of the whole hand-over
	used     bool
}

// Connect dials, does TLS and signs in. What fails here was never sent: each of
// its errors is an *Error that says NotSent. It gives up when ctx does, and after
// 10 s at the latest.
func (s *SMTP) Connect(ctx context.Context) (*Conn, error) {
	deadline := time.Now().Add(HandOverTimeout)
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := s.dial(ctx, "tcp", net.JoinHostPort(s.host, s.port))
	if err != nil {
		return nil, s.unreached(ended(ctx, err))
	}

	c := &Conn{smtp: s, raw: &countedConn{Conn: conn}, deadline: deadline}
	stop := context.AfterFunc(ctx, c.abort)
	err = c.open(ctx)
	if !stop() && err == nil {
		err = s.fault("the sign-in", ended(ctx, net.ErrClosed))
	}
	if err != nil {
		c.abort()
		return nil, err
	}
	return c, nil
}

// open holds the conversation up to where the server would take a mail.
func (c *Conn) open(ctx context.Context) error {
	s := c.smtp
	conn, err := c.beginTLS(ctx)
	if err != nil {
		return s.tlsFailed(ended(ctx, err))
	}
	if c.client, err = smtp.NewClient(conn, s.host); err != nil {
		return s.fault("the connection", ended(ctx, err))
	}
	if err := c.client.Hello(s.domain); err != nil {
		return s.fault("the greeting", ended(ctx, err))
	}
	if err := c.startTLS(ctx); err != nil {
		return err
	}
	return c.signIn(ctx)
}

// beginTLS lays TLS on the connection if it is implicit. The smtp.Client knows by
// the type that it may send a password.
func (c *Conn) beginTLS(ctx context.Context) (net.Conn, error) {
	if !c.smtp.implicit {
		return c.raw, nil
	}
	conn := tls.Client(c.raw, c.smtp.tlsConfig())
	return conn, conn.HandshakeContext(ctx)
}

func (c *Conn) startTLS(ctx context.Context) error {
	s := c.smtp
	if s.implicit {
		return nil
	}
	offered, _ := c.client.Extension("STARTTLS")
	if !offered && s.loopback {
		return nil
	}
	if !offered {
		return &Error{Reason: "does not offer STARTTLS, without which nothing is sent to another host"}
	}
	err := c.client.StartTLS(s.tlsConfig())
	if isA[*textproto.Error](err) {
		return s.fault("STARTTLS", err)
	}
	if err != nil {
		return s.tlsFailed(ended(ctx, err))
	}
	return nil
}

// tlsConfig checks the server's certificate, but for a relay on this host that
// offers STARTTLS: its certificate is seldom for the name localhost, and nothing
// is worse than without TLS, which would do as well.
func (s *SMTP) tlsConfig() *tls.Config {
	return &tls.Config{
		ServerName:         s.host,
		RootCAs:            s.RootCAs,
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: s.loopback && !s.implicit && s.RootCAs == nil,
	}
}

// signIn is by PLAIN, or LOGIN where that is all there is. Both show the password
// to the server, which TLS or the loopback keeps from others.
func (c *Conn) signIn(ctx context.Context) error {
	s := c.smtp
	if s.user == "" {
		return nil
	}
	_, offered := c.client.Extension("AUTH")
	var auth smtp.Auth
	switch mechanisms := strings.Fields(strings.ToUpper(offered)); {
	case slices.Contains(mechanisms, "PLAIN"):
		auth = smtp.PlainAuth("", s.user, s.password, s.host, s.loopback)
	case slices.Contains(mechanisms, "LOGIN"):
		auth = smtp.LoginAuth(s.user, s.password, s.host, s.loopback)
	default:
		return &Error{Reason: "does not offer to sign in by PLAIN or LOGIN"}
	}

	if err := c.client.Auth(auth); err != nil {
		return s.fault("the sign-in", ended(ctx, err))
	}
	return nil
}

// Send hands a mail over. A nil error means that the server has taken it; any
// other is an *Error. It gives up when ctx does, and HandOverTimeout after the
// Connect began at the latest.
func (c *Conn) Send(ctx context.Context, m Message) error {
	mail, err := c.smtp.render(m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithDeadline(ctx, c.deadline)
	defer cancel()
	if ctx.Err() != nil {
		return c.smtp.fault("the sender", ctx.Err())
	}
	if c.used {
		return &Error{Reason: "was given a second mail on one connection"}
	}
	c.used = true
	defer context.AfterFunc(ctx, c.abort)()

	if err := c.envelope(ctx, m.To); err != nil {
		return err
	}
	if err := c.data(ctx, mail); err != nil {
		// No leave is taken: textproto ends an open text before it writes a command,
		// and the server would take the stump.
		c.abort()
		return err
	}
	return nil
}

// render writes a mail. What cannot be written will never be.
func (s *SMTP) render(m Message) ([]byte, error) {
	if !isAddrSpec(m.To) {
		return nil, &Error{Verdict: Refused, Reason: "was not asked, since the recipient is not one e-mail address"}
	}
	if !messageID.MatchString(m.ID) {
		return nil, &Error{Verdict: Refused, Reason: "was not asked, since the mail has no id"}
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&s.from)
	msg.ToMailAddress(&netmail.Address{Address: m.To})
	// go-mail folds a run of spaces into a line of nothing but spaces, where a reader
	// may see the end of the header.
	msg.Subject(strings.Join(strings.FieldsFunc(m.Subject, isBreak), " "))
	msg.SetMessageIDWithValue(m.ID + "@" + s.domain)
	msg.SetDateWithValue(m.At.UTC())
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		msg.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}

	var b bytes.Buffer
	if _, err := msg.WriteTo(&b); err != nil {
		return nil, &Error{Verdict: Refused, Reason: "was not asked, since the mail cannot be written"}
	}
	return b.Bytes(), nil
}

var messageID = regexp.MustCompile(`^[0-9A-Za-z_-]{1,64}$`)

func isBreak(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }

// envelope names sender and recipient. SMTPUTF8 is asked for only if it is
// needed, as a relay may then not pass the mail to servers without it.
func (c *Conn) envelope(ctx context.Context, to string) error {
	s := c.smtp
	if offered, _ := c.client.Extension("SMTPUTF8"); !offered && !isASCII(to) {
		return &Error{Verdict: Refused, Reason: "takes no recipient with letters beyond ASCII"}
	}
	c.client.SkipSMTPUTF8(isASCII(to))

	// A server that does not like the sender speaks of our settings, not of the mail.
	if err := c.client.Mail("<" + s.from.Address + ">"); err != nil {
		return s.fault("the sender", ended(ctx, err))
	}
	if err := c.client.Rcpt("<" + to + ">"); err != nil {
		e := s.fault("the recipient", ended(ctx, err))
		e.Verdict = verdict(err)
		return e
	}
	return nil
}

// data writes the mail and judges the answer. The end goes separately from the
// text, so that what breaks in the text is known to be not sent.
func (c *Conn) data(ctx context.Context, mail []byte) error {
	s, text := c.smtp, c.client.Text
	if err := c.beginData(); err != nil {
		e := s.fault("the message", ended(ctx, err))
		e.Verdict = verdict(err)
		return e
	}

	dot := text.DotWriter()
	dot.Write(mail) // an error is seen again by Flush
	if err := text.W.Flush(); err != nil {
		return s.fault("the message", ended(ctx, err))
	}
	before := c.raw.written.Load()
	if err := dot.Close(); err != nil && c.raw.written.Load() == before {
		return s.fault("the message", ended(ctx, err))
	} else if err != nil {
		return s.inDoubt(ended(ctx, err))
	}
	if _, _, err := text.ReadResponse(2); err != nil {
		return s.unconfirmed(ended(ctx, err))
	}
	return nil
}

func (c *Conn) beginData() error {
	id, err := c.client.Text.Cmd("DATA")
	if err != nil {
		return err
	}
	c.client.Text.StartResponse(id)
	defer c.client.Text.EndResponse(id)
	_, _, err = c.client.Text.ReadResponse(354)
	return err
}

// Close takes leave if it can and closes the connection. It says nothing about a
// mail: one that Send confirmed is sent however the leave-taking goes.
func (c *Conn) Close() error {
	c.raw.SetDeadline(time.Now().Add(quitTimeout))
	_ = c.client.Quit()
	if err := c.raw.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close connection to mail server: %w", err)
	}
	return nil
}

// abort closes the connection below TLS, which would write an alert and wait.
func (c *Conn) abort() { c.raw.Close() }

// countedConn counts the bytes that the kernel took, whatever TLS reports.
type countedConn struct {
	net.Conn
	written atomic.Int64
}

func (c *countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}
