package mail

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"

	"svc/db"
	"svc/server/emailaddr"
	"svc/server/redact"

	gomail "github.com/wneessen/go-mail"
)

// Message is a mail that is ready to be sent.
type Message struct {
	// ID is the id of the stored mail, mail_…. The Message-ID is made from it alone, so
	// that mailboxes can recognise a mail that arrives twice.
	ID      string
	To      string // one addr-spec
	Subject string
	Text    string
	HTML    string    // may be empty
	At      time.Time // the Date header
}

// SMTP is the access to the mail server that takes our mails. Its methods may be
// called concurrently.
type SMTP struct {
	// RootCAs are trusted in place of the system's, for tests and private servers.
	// They are set before the first Send.
	RootCAs *x509.CertPool

	host           string
	port           int
	implicit       bool // TLS from the first byte, in place of STARTTLS
	loopback       bool // a relay on this host: TLS if it is offered
	user, password string
	from           netmail.Address
	domain         string // of from: our name in EHLO and the right side of a Message-ID
	redact         redact.Redactor
	dial           gomail.DialContextFunc // opens a TCP connection; tests replace it
}

// ParseSMTP reads the address of a mail server and the sender of all mails.
//
// smtp://user:password@host:port wants STARTTLS unless the host is a loopback
// one, where TLS is used if it is offered; smtps://… begins with TLS. Without a
// port it is 587 and 465. User and password may be left out. The sender is one
// addr-spec, or Name <addr-spec>. The errors are sentences for the operator that
// repeat neither argument, since a mistyped one may hold a password anywhere.
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
		implicit: u.Scheme == "smtps",
		loopback: isLoopback(u.Hostname()),
		dial:     new(net.Dialer).DialContext,
	}
	standard := map[string]string{"smtp": "587", "smtps": "465"}[u.Scheme]
	port, err := strconv.ParseUint(cmp.Or(u.Port(), standard), 10, 16)
	if err != nil || port == 0 {
		return nil, errors.New("the mail server's port must be a number from 1 to 65535")
	}
	s.port = int(port)
	if err := cmp.Or(s.setUser(u.User), s.setFrom(from)); err != nil {
		return nil, err
	}
	return s, nil
}

// isLoopback reports whether a host is a loopback one by its name or address alone.
// It does not ask DNS, which could be made to give any name a loopback address.
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
	if err != nil || !emailaddr.IsOne(a.Address) || !isASCII(a.Address) {
		return errors.New("the sender of mails must be one address in ASCII, " +
			"like name@example.com or Name <name@example.com>")
	}
	s.from = *a
	s.domain = a.Address[strings.LastIndexByte(a.Address, '@')+1:]
	return nil
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c > unicode.MaxASCII })
}

// String returns the address without user and password, for the log.
func (s *SMTP) String() string {
	scheme := "smtp"
	if s.implicit {
		scheme = "smtps"
	}
	return scheme + "://" + s.address()
}

func (s *SMTP) address() string { return net.JoinHostPort(s.host, strconv.Itoa(s.port)) }

// GoString keeps the password out of %#v too.
func (s *SMTP) GoString() string { return s.String() }

// message builds a mail. An error is permanent: the mail can never be built.
func (s *SMTP) message(m Message, options ...gomail.MsgOption) (*gomail.Msg, *Error) {
	if !emailaddr.IsOne(m.To) {
		return nil, &Error{Permanent: true, Reason: "was not asked, since the recipient is not one e-mail address"}
	}
	if !messageID.MatchString(m.ID) {
		return nil, &Error{Permanent: true, Reason: "was not asked, since the mail has no id"}
	}
	message := gomail.NewMsg(append(options, gomail.WithNoDefaultUserAgent())...)
	message.FromMailAddress(&s.from)
	message.ToMailAddress(&netmail.Address{Address: db.UnquoteEmail(m.To)}) // go-mail quotes it again
	// go-mail folds a run of spaces into a line of nothing but spaces, where a reader
	// may see the end of the header.
	message.Subject(strings.Join(strings.FieldsFunc(m.Subject, isBreak), " "))
	message.SetMessageIDWithValue(m.ID + "@" + s.domain)
	message.SetDateWithValue(m.At.UTC())
	message.SetGenHeader("Auto-Submitted", "auto-generated")
	message.SetBodyString(gomail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		message.AddAlternativeString(gomail.TypeTextHTML, m.HTML)
	}
	return message, nil
}

var messageID = regexp.MustCompile(`^[0-9A-Za-z_-]{1,64}$`)

func isBreak(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) }

// options are the settings of the client of one mail. SMTPUTF8 is asked for only if
// the recipient needs it, as a relay may then not pass the mail to servers without it.
func (s *SMTP) options(ascii bool) []gomail.Option {
	policy, plain, login := gomail.TLSMandatory, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin
	if s.loopback {
		policy, plain, login = gomail.TLSOpportunistic, gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc
	}
	options := []gomail.Option{
		gomail.WithPort(s.port),
		gomail.WithHELO(s.domain),
		gomail.WithTLSPolicy(policy),
		gomail.WithTLSConfig(s.tlsConfig()),
		gomail.WithTimeout(lease), // a session ends before
		gomail.WithoutNoop(),
		gomail.WithoutRset(),
	}
	if s.implicit {
		options = append(options, gomail.WithSSL())
	}
	if s.user != "" {
		options = append(options, gomail.WithOpportunisticSMTPAuth(plain, login),
			gomail.WithUsername(s.user), gomail.WithPassword(s.password))
	}
	if ascii {
		options = append(options, gomail.WithoutSMTPUTF8())
	}
	return options
}

// tlsConfig checks the server's certificate, except for a relay on this host that
// offers STARTTLS: its certificate is seldom for the name localhost, and the relay
// would be used without TLS too.
func (s *SMTP) tlsConfig() *tls.Config {
	return &tls.Config{
		ServerName:         s.host,
		RootCAs:            s.RootCAs,
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: s.loopback && !s.implicit && s.RootCAs == nil,
	}
}
