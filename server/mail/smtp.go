package mail

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
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
	"syscall"
	"time"
	"unicode"

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

// Verdict is what is certain about a mail that was not confirmed.
type Verdict int

const (
	// NotSent: the server certainly did not take the mail, and another try may succeed.
	NotSent Verdict = iota
	// Refused: the server will never take this mail for this recipient.
	Refused
	// Unknown: the mail was written to its end and no answer came, so that only the
	// server knows. To try again may send it twice.
	Unknown
)

func (v Verdict) String() string {
	switch v {
	case NotSent:
		return "not sent"
	case Refused:
		return "refused"
	}
	return "unknown"
}

// Error says why a mail is not known to have been sent. None of its texts holds
// the password or a word of the mail.
type Error struct {
	Verdict Verdict
	Reason  string // a fragment of a sentence with the server as its subject, such as "refused the recipient: …"
	Err     error  // the cause, for the log; nil where Reason already says all
}

// Error gives the reason, and leaves the cause to the log.
func (e *Error) Error() string { return "mail server: " + e.Reason }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

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
	redact         redactor
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
	return err == nil && ip.Unmap().IsLoopback()
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
	s.redact = newRedactor(passwordForms(s.user, s.password)...)
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
		// No leave is taken: a command in the middle of the text would first end it,
		// since that is how textproto begins a command.
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

// verdict judges an answer to the recipient, or to the message. A 5xx is for
// good, but for those that say that we must sign in, use TLS, or speak otherwise.
func verdict(err error) Verdict {
	reply, ok := errors.AsType[*textproto.Error](err)
	if !ok || reply.Code < 500 || reply.Code > 599 {
		return NotSent
	}
	switch reply.Code {
	case 502, 503, 504, 530, 534, 535, 538:
		return NotSent
	}
	return Refused
}

// fault words an error from before the end of the mail. What the server says here
// cannot quote the mail, which it has not seen.
func (s *SMTP) fault(step string, err error) *Error {
	e := &Error{Verdict: NotSent, Err: s.redact.cause(err)}
	reply, replied := errors.AsType[*textproto.Error](err)
	switch {
	case replied:
		e.Reason = "refused " + step + ": " + s.redact.clean(fmt.Sprint(reply.Code, " ", reply.Msg))
	case isTimeout(err):
		e.Reason = "did not answer " + step + " in time"
	case errors.Is(err, context.Canceled):
		e.Reason = "had not answered " + step + " when the hand-over was given up"
	case isA[textproto.ProtocolError](err):
		e.Reason = "gave an answer without a meaning to " + step
	default:
		e.Reason = "broke off the connection at " + step
	}
	return e
}

// unreached words an error from before there was a connection.
func (s *SMTP) unreached(err error) *Error {
	e := &Error{Verdict: NotSent, Reason: "could not be reached", Err: s.redact.cause(err)}
	switch {
	case isA[*net.DNSError](err):
		e.Reason += ": its name does not resolve"
	case isTimeout(err):
		e.Reason += ": timed out while connecting"
	case errors.Is(err, context.Canceled):
		e.Reason += ": the hand-over was given up"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Reason += ": connection refused"
	}
	return e
}

// tlsFailed words an error of the handshake. The operator needs its text, to see
// what is wrong with a certificate.
func (s *SMTP) tlsFailed(err error) *Error {
	if isTimeout(err) || errors.Is(err, context.Canceled) {
		return s.fault("the TLS handshake", err)
	}
	return &Error{Verdict: NotSent, Reason: "failed at TLS: " + s.redact.clean(err.Error()), Err: s.redact.cause(err)}
}

// unconfirmed judges what came in place of a confirmation, after the mail was
// written to its end. The words of an answer are left out, since they may quote
// the mail; its codes stay.
func (s *SMTP) unconfirmed(err error) *Error {
	reply, replied := errors.AsType[*textproto.Error](err)
	switch {
	case replied && reply.Code >= 400 && reply.Code <= 599:
		return &Error{Verdict: verdict(err), Reason: "refused the message: " + codes(reply)}
	case replied || isA[textproto.ProtocolError](err):
		return &Error{Verdict: Unknown, Reason: "gave an answer without a meaning to the message" + mayBeSent}
	}
	return s.inDoubt(err)
}

// inDoubt words an error from the moment on at which the end may have left.
func (s *SMTP) inDoubt(err error) *Error {
	e := s.fault("the message", err)
	e.Verdict = Unknown
	e.Reason += mayBeSent
	return e
}

var enhancedCode = regexp.MustCompile(`^[45]\.(\d)\.\d{1,3}\b`)

// enhancedSubjects is what the second number of an enhanced code is about (RFC 3463).
var enhancedSubjects = map[string]string{
	"1": "the address",
	"2": "the mailbox",
	"3": "the mail system",
	"4": "the network",
	"5": "the protocol",
	"6": "the content",
	"7": "security or policy",
}

// codes words the numbers of a reply, like "554 5.7.1 (security or policy)".
func codes(reply *textproto.Error) string {
	text := strconv.Itoa(reply.Code)
	if found := enhancedCode.FindStringSubmatch(reply.Msg); found != nil {
		text += " " + found[0]
		if subject := enhancedSubjects[found[1]]; subject != "" {
			text += " (" + subject + ")"
		}
	}
	return text
}

// ended names the end of ctx in an error that came of it: the connection was
// closed under the conversation, which is all that it noticed.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil || errors.Is(err, ctx.Err()) {
		return err
	}
	return fmt.Errorf("%w: %w", ctx.Err(), err)
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

// redactor makes texts from outside fit to be shown: one line, of a sane length,
// without the password.
type redactor struct{ replacer *strings.Replacer }

// newRedactor hides each secret. The longest go first, so that a secret within a
// longer one does not break it.
func newRedactor(secrets ...string) redactor {
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	var pairs []string
	for _, s := range secrets {
		pairs = append(pairs, s, "[redacted]")
	}
	return redactor{strings.NewReplacer(pairs...)}
}

// passwordForms gives the password as it may be echoed: bare, escaped as in an
// address or in an error of textproto, which quotes the reply, and as PLAIN and
// LOGIN write it, with and without padding.
func passwordForms(user, password string) []string {
	if password == "" {
		return nil
	}
	quoted := strconv.Quote(password)
	forms := []string{password, url.QueryEscape(password), url.PathEscape(password), quoted[1 : len(quoted)-1]}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding} {
		forms = append(forms,
			encoding.EncodeToString([]byte(password)),
			encoding.EncodeToString([]byte("\x00"+user+"\x00"+password)))
	}
	return forms
}

// clean redacts before and after the folding, as either may hide a secret from
// the other: one with spaces in it, or one that was broken by a control character.
func (r redactor) clean(text string) string {
	text = r.replacer.Replace(text)
	text = strings.Join(strings.Fields(text), " ")
	text = strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return -1
	}, text)
	text = strings.TrimSpace(r.replacer.Replace(text))

	if runes := []rune(text); len(runes) > maxReplyRunes {
		return string(runes[:maxReplyRunes-1]) + "…"
	}
	return text
}

// cause stands for an error in the log. It answers errors.Is as the error did,
// but does not unwrap to it, since the text of that may hold the password.
type cause struct {
	text string
	err  error
}

func (r redactor) cause(err error) error {
	return &cause{text: r.clean(err.Error()), err: err}
}

func (c *cause) Error() string { return c.text }

func (c *cause) Is(target error) bool { return errors.Is(c.err, target) }
