package mail

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"svc/db"
	"svc/server/mail/mailtest"

	gomail "github.com/wneessen/go-mail"
)

const (
	sender   = "svc <post@shop.example>"
	password = `pa:ss "w/ö\r=d%0d`
)

var hello = Message{
	ID:      "mail_01j0000000000000000000000a",
	To:      "jo@merchant.example",
	Subject: "Your code for Zoë",
	Text:    "Zoë's code is 483920.\n\n.\n..two dots\nhttps://shop.example/reset/tok-en_1?a=b&c=d\n",
	HTML:    "<p>Zoë's code is <b>483920</b>.</p>\n<a href=\"https://shop.example/reset/tok-en_1?a=b&amp;c=d\">x</a>\n",
	At:      time.Date(2026, 3, 1, 12, 30, 0, 0, time.FixedZone("", 3600)),
}

func parseSMTP(t *testing.T, address string) *SMTP {
	t.Helper()
	s, err := ParseSMTP(address, sender)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sends(t *testing.T, s *SMTP, m Message) {
	t.Helper()
	if err := s.Send(t.Context(), m); err != nil {
		t.Fatalf("send: %v (%v)", err, err.Err)
	}
}

// The meanings of an Error.
const (
	again  = iota // the mail is sent again
	doubt         // as again, and it may have been sent already
	down          // as again, and no other mail is tried now
	failed        // the mail is never sent
)

// fails checks an error, which must hold no secret.
func fails(t *testing.T, err *Error, meaning int, reason string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if err.Reason != reason {
		t.Errorf("%q (%v)\nwant %q", err.Reason, err.Err, reason)
	}
	if err.Permanent != (meaning == failed) || err.Down != (meaning == down) {
		t.Errorf("%s: permanent %v, down %v", reason, err.Permanent, err.Down)
	}
	if err.InDoubt != (meaning == doubt) {
		t.Errorf("%s: in doubt %v", reason, err.InDoubt)
	}
	holdsNoSecret(t, fmt.Sprintf("%v %+v %v", err, err, err.Err))
}

func holdsNoSecret(t *testing.T, text string) {
	t.Helper()
	secrets := append(passwordForms("jo", password), "483920", "tok-en", hello.Subject)
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%q holds %q", text, secret)
		}
	}
}

func TestSend(t *testing.T) {
	sink := mailtest.New(t)
	sends(t, parseSMTP(t, sink.URL()), hello)

	m := sink.Wait(1)[0]
	if m.From != "post@shop.example" || !slices.Equal(m.To, []string{hello.To}) || m.Hello != "shop.example" {
		t.Errorf("envelope: from %q to %q by %q", m.From, m.To, m.Hello)
	}
	if m.TLS || m.UTF8 {
		t.Errorf("TLS %v, SMTPUTF8 %v", m.TLS, m.UTF8)
	}
	if m.Subject != hello.Subject || m.Text != hello.Text || m.HTML != hello.HTML {
		t.Errorf("subject %q\ntext %q\nhtml %q", m.Subject, m.Text, m.HTML)
	}
	want := map[string]string{
		"From":           `"svc" <post@shop.example>`,
		"To":             "<jo@merchant.example>",
		"Date":           "Sun, 01 Mar 2026 11:30:00 +0000",
		"Message-Id":     "<mail_01j0000000000000000000000a@shop.example>",
		"Auto-Submitted": "auto-generated",
		"Mime-Version":   "1.0",
	}
	for name, value := range want {
		if got := m.Header[name]; len(got) != 1 || got[0] != value {
			t.Errorf("%s = %q, want %q", name, got, value)
		}
	}
	if len(m.Header) != len(want)+2 { // Subject and Content-Type
		t.Errorf("header has more: %v", m.Header)
	}
	if strings.Contains(strings.ToLower(string(m.Raw)), "go-mail") {
		t.Error("the mail names the library")
	}
}

func TestSendTextAlone(t *testing.T) {
	sink := mailtest.New(t)
	m := hello
	m.HTML = ""
	sends(t, parseSMTP(t, sink.URL()), m)
	if got := sink.Wait(1)[0]; got.Text != m.Text || got.HTML != "" {
		t.Errorf("text %q, html %q", got.Text, got.HTML)
	}
}

func TestSendWithTLSAndAuth(t *testing.T) {
	auth := mailtest.Auth("jo", password)
	tests := []struct {
		name    string
		options []mailtest.Option
		host    string // name of the server for the client, in place of 127.0.0.1
		roots   bool   // the client trusts the certificate
		tls     bool
	}{
		{"AuthOnLoopback", []mailtest.Option{auth}, "", false, false},
		{"AuthOnAnotherLoopback", []mailtest.Option{auth}, "127.8.9.1", false, false},
		{"StartTLS", []mailtest.Option{mailtest.StartTLS(), auth}, mailtest.Host, true, true},
		{"StartTLSOnLoopback", []mailtest.Option{mailtest.StartTLS(), auth}, "", true, true},
		{"StartTLSOnLoopbackUnchecked", []mailtest.Option{mailtest.StartTLS(), auth}, "", false, true},
		{"Implicit", []mailtest.Option{mailtest.ImplicitTLS(), auth}, mailtest.Host, true, true},
		{"ImplicitOnLoopback", []mailtest.Option{mailtest.ImplicitTLS(), auth}, "", true, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sink := mailtest.New(t, test.options...)
			s := toSink(t, sink, test.host)
			if !test.roots {
				s.RootCAs = nil
			}
			sends(t, s, hello)
			if m := sink.Wait(1)[0]; m.TLS != test.tls || m.Text != hello.Text {
				t.Errorf("TLS %v, text %q", m.TLS, m.Text)
			}
		})
	}
}

// toSink returns a client that knows a sink by the name host, if it is not empty.
func toSink(t *testing.T, sink *mailtest.Sink, host string) *SMTP {
	t.Helper()
	address := sink.URL()
	if host != "" {
		address = strings.Replace(address, "127.0.0.1", host, 1)
	}
	s := parseSMTP(t, address)
	s.dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, sink.Address)
	}
	s.RootCAs = sink.Roots
	return s
}

func TestSendToRecipientBeyondASCII(t *testing.T) {
	m := hello
	m.To = "zoë@merchant.example"

	t.Run("OK", func(t *testing.T) {
		sink := mailtest.New(t)
		sends(t, parseSMTP(t, sink.URL()), m)
		if got := sink.Wait(1)[0]; !got.UTF8 || !slices.Equal(got.To, []string{m.To}) {
			t.Errorf("SMTPUTF8 %v, to %q", got.UTF8, got.To)
		}
	})

	t.Run("NotOffered", func(t *testing.T) {
		dial, wrote := record(script("220 hi", "250 mx.example", "221 bye"))
		s := parseSMTP(t, "smtp://127.0.0.1")
		s.dial = dial
		fails(t, s.Send(t.Context(), m), failed, "takes no recipient with letters beyond ASCII")
		if want := "EHLO shop.example\r\nQUIT\r\n"; wrote.String() != want {
			t.Errorf("wrote %q, want %q", wrote, want)
		}
	})
}

func TestSendConcurrently(t *testing.T) {
	const n = 16
	sink := mailtest.New(t, mailtest.StartTLS(), mailtest.Auth("jo", password))
	s := toSink(t, sink, mailtest.Host)

	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if err := s.Send(t.Context(), hello); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := len(sink.Mails()); got != n {
		t.Errorf("%d mails, want %d", got, n)
	}
}

// A mailbox recognises a mail that comes twice by its Message-ID.
func TestSendTwiceHasOneMessageID(t *testing.T) {
	sink := mailtest.New(t)
	s := parseSMTP(t, sink.URL())
	sends(t, s, hello)
	sends(t, s, hello)
	mails := sink.Wait(2)
	if a, b := mails[0].Header, mails[1].Header; a.Get("Message-Id") != b.Get("Message-Id") || a.Get("Date") != b.Get("Date") {
		t.Errorf("headers %v and %v", a, b)
	}
}

func TestSubjectCannotAddHeader(t *testing.T) {
	tests := []struct{ name, subject, want string }{
		{"CRLF", "Hi\r\nBcc: eve@x.example", "Hi Bcc: eve@x.example"},
		{"LF", "Hi\nBcc: eve@x.example", "Hi Bcc: eve@x.example"},
		{"CR", "Hi\rBcc: eve@x.example", "Hi Bcc: eve@x.example"},
		{"Body", "Hi\r\n\r\nClick here", "Hi Click here"},
		{"Folded", "Hi\r\n Bcc: eve@x.example", "Hi Bcc: eve@x.example"},
		{"NextLine", "Hi\u0085Bcc: eve@x.example", "Hi Bcc: eve@x.example"},
		{"LineSeparator", "Hi\u2028Bcc: eve@x.example", "Hi Bcc: eve@x.example"},
		{"Zero", "Hi\x00Bcc: eve@x.example", "Hi Bcc: eve@x.example"},
		{"Spaces", strings.Repeat("x", 70) + strings.Repeat(" ", 80) + strings.Repeat("y", 71), strings.Repeat("x", 70) + " " + strings.Repeat("y", 71)},
		{"LongWord", strings.Repeat("x", 500), strings.Repeat("x", 500)},
		{"LongBeyondASCII", "Hi\r\n" + strings.Repeat("ë", 200), "Hi " + strings.Repeat("ë", 200)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sink := mailtest.New(t)
			m := hello
			m.Subject = test.subject
			sends(t, parseSMTP(t, sink.URL()), m)

			got := sink.Wait(1)[0]
			if got.Subject != test.want {
				t.Errorf("subject = %q, want %q", got.Subject, test.want)
			}
			if len(got.Header) != 8 || got.Header.Get("Bcc") != "" || got.Text != m.Text {
				t.Errorf("header = %v, text %q", got.Header, got.Text)
			}
			header, _, _ := strings.Cut(string(got.Raw), "\r\n\r\n")
			for line := range strings.SplitSeq(header, "\r\n") {
				if strings.TrimSpace(line) == "" || strings.ContainsAny(line, "\r\n") {
					t.Errorf("header has the line %q", line)
				}
			}
		})
	}
}

func TestRecipientCannotAddRecipient(t *testing.T) {
	const notOne = "was not asked, since the recipient is not one e-mail address"
	recipients := []string{
		"", " ", "jo", "jo@", "@x.example", "jo@x.example ", "jo @x.example",
		"jo@x.example\r\nBcc: eve@x.example",
		"jo@x.example\nBcc: eve@x.example",
		"jo@x.example>\r\nRCPT TO:<eve@x.example",
		"jo@x.example,eve@x.example",
		"jo@x.example, eve@x.example",
		"Jo <jo@x.example>",
		"<jo@x.example>",
		"\"jo\r\nBcc: eve\"@x.example",
		"\"jo eve\" <jo@x.example>",
		"jo@x.example (Jo)",
		strings.Repeat("a", 65) + "@x.example",
		"jo@" + strings.Repeat("a.", 126) + "example",
	}
	for _, to := range recipients {
		t.Run(to, func(t *testing.T) {
			m := hello
			m.To = to
			fails(t, nobody(t).Send(t.Context(), m), failed, notOne)
		})
	}
}

// A quoted recipient is one recipient to the server and in the header.
func TestQuotedRecipient(t *testing.T) {
	long := strings.Repeat("a", 60) + "." + strings.Repeat("b", 60) + ".example"
	for name, to := range map[string]string{
		"Space":       `"jo eve"@x.example`,
		"At":          `"jo@eve"@x.example`,
		"Brackets":    `"jo>, <eve"@x.example`,
		"Escaped":     `"jo\"eve\\"@x.example`,
		"Spaces":      `"jo` + strings.Repeat(" ", 57) + `eve"@` + long,
		"ManySpaces":  `"` + strings.Repeat(" ", 62) + `"@` + long,
		"BeyondASCII": `"jö eve"@x.example`,
	} {
		t.Run(name, func(t *testing.T) {
			sink := mailtest.New(t)
			m := hello
			m.To = to
			sends(t, parseSMTP(t, sink.URL()), m)

			got := sink.Wait(1)[0]
			if want := db.UnquoteEmail(to); !slices.Equal(got.To, []string{want}) { // the server takes off the quotes
				t.Errorf("to %q, want %q", got.To, want)
			}
			// A long header is folded, which makes one space of several.
			oneSpace := func(s string) string { return strings.Join(strings.Fields(s), " ") }
			if header := got.Header.Get("To"); oneSpace(header) != oneSpace("<"+to+">") {
				t.Errorf("header To: %q", header)
			}
			header, _, _ := strings.Cut(string(got.Raw), "\r\n\r\n")
			for line := range strings.SplitSeq(header, "\r\n") {
				if strings.TrimSpace(line) == "" || strings.ContainsAny(line, "\r\n") {
					t.Errorf("header has the line %q", line)
				}
			}
			if len(got.Header) != 8 {
				t.Errorf("header = %v", got.Header)
			}
		})
	}
}

// nobody is a client of a server that must not be asked.
func nobody(t *testing.T) *SMTP {
	s := parseSMTP(t, "smtp://127.0.0.1")
	s.dial = func(context.Context, string, string) (net.Conn, error) {
		t.Error("the server is asked")
		return nil, syscall.ECONNREFUSED
	}
	return s
}

func TestIDCannotAddHeader(t *testing.T) {
	for _, id := range []string{"", "mail_1\r\nBcc: eve@x.example", "mail 1", "mail_1>", "mail@1"} {
		m := hello
		m.ID = id
		fails(t, nobody(t).Send(t.Context(), m), failed, "was not asked, since the mail has no id")
	}
}

func TestSenderCannotAddHeader(t *testing.T) {
	sink := mailtest.New(t)
	s, err := ParseSMTP(sink.URL(), "=?utf-8?q?Zo=C3=AB=0D=0ABcc=3A_eve=40x.example?= <a@x.example>")
	if err != nil {
		t.Fatal(err)
	}
	sends(t, s, hello)
	if m := sink.Wait(1)[0]; len(m.Header) != 8 || m.From != "a@x.example" {
		t.Errorf("from %q, header = %v", m.From, m.Header)
	}
}

func TestTLSRefusesServer(t *testing.T) {
	auth := mailtest.Auth("jo", password)
	tests := []struct {
		name    string
		options []mailtest.Option
		host    string
		reason  string
	}{
		{"NotOffered", []mailtest.Option{auth}, mailtest.Host, "does not offer STARTTLS, without which nothing is sent to another host"},
		{"StartTLSUntrusted", []mailtest.Option{mailtest.StartTLS(), auth}, mailtest.Host, "takes no mail: tls: failed to verify certificate: x509: certificate signed by unknown authority"},
		{"ImplicitUntrusted", []mailtest.Option{mailtest.ImplicitTLS(), auth}, mailtest.Host, "takes no mail: tls: failed to verify certificate: x509: certificate signed by unknown authority"},
		{"ImplicitUntrustedOnLoopback", []mailtest.Option{mailtest.ImplicitTLS(), auth}, "", "takes no mail: tls: failed to verify certificate: x509: certificate signed by unknown authority"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sink := mailtest.New(t, test.options...)
			s := toSink(t, sink, test.host)
			s.RootCAs = nil
			fails(t, s.Send(t.Context(), hello), down, test.reason)
		})
	}
}

func TestTLSRefusesOtherName(t *testing.T) {
	for _, option := range []mailtest.Option{mailtest.StartTLS(), mailtest.ImplicitTLS()} {
		s := toSink(t, mailtest.New(t, option), "other.example")
		err := s.Send(t.Context(), hello)
		if err == nil || !err.Down || !strings.Contains(err.Reason, "not other.example") {
			t.Errorf("error = %v, want one about the name", err)
		}
	}
}

// RootCAs are checked on loopback too.
func TestTLSRefusesOtherRootsOnLoopback(t *testing.T) {
	s := toSink(t, mailtest.New(t, mailtest.StartTLS()), "")
	s.RootCAs = x509.NewCertPool()
	err := s.Send(t.Context(), hello)
	if err == nil || !err.Down || !strings.HasPrefix(err.Reason, "takes no mail: tls: ") {
		t.Errorf("error = %v", err)
	}
}

func TestPasswordIsNotSentBeforeTLS(t *testing.T) {
	dial, wrote := record(script("220 hi", "250-mx.example\r\n250-STARTTLS\r\n250 AUTH PLAIN LOGIN", "454 not today"))
	s := parseSMTP(t, (&url.URL{Scheme: "smtp", User: url.UserPassword("jo", password), Host: "mx.example"}).String())
	s.dial = dial
	fails(t, s.Send(t.Context(), hello), down, "refused the session: 454 not today")
	if want := "EHLO shop.example\r\nSTARTTLS\r\n"; wrote.String() != want {
		t.Errorf("wrote %q, want %q", wrote, want)
	}
}

// record makes a dialer whose connections copy what is written.
func record(dial gomail.DialContextFunc) (gomail.DialContextFunc, *bytes.Buffer) {
	wrote := new(bytes.Buffer)
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return &recorded{conn, wrote}, err
	}, wrote
}

// recorded copies what is written.
type recorded struct {
	net.Conn
	wrote *bytes.Buffer
}

func (c *recorded) Write(p []byte) (int, error) {
	c.wrote.Write(p)
	return c.Conn.Write(p)
}

func TestSignInRefused(t *testing.T) {
	sink := mailtest.New(t, mailtest.Auth("jo", "another"))
	address := strings.Replace(sink.URL(), "another", url.QueryEscape(password), 1)
	address = strings.Replace(address, "+", "%20", 1)
	fails(t, parseSMTP(t, address).Send(t.Context(), hello), down,
		"refused the session: 535 5.7.8 Authentication failed")

	address = strings.Replace(sink.URL(), "jo:another@", "", 1)
	fails(t, parseSMTP(t, address).Send(t.Context(), hello), again,
		"refused the sender: 502 5.7.0 Please authenticate first")
	if n := len(sink.Mails()); n != 0 {
		t.Errorf("%d mails", n)
	}
}

func TestSignInByLogin(t *testing.T) {
	dial, wrote := record(script("220 hi", "250-mx.example\r\n250 AUTH LOGIN", "334 VXNlcm5hbWU6", "334 UGFzc3dvcmQ6", "235 in",
		"250 ok", "250 ok", "354 go on", "250 taken", "221 bye"))
	sends(t, toScript(t, "smtp", dial), hello)
	encode := base64.StdEncoding.EncodeToString
	if want := "AUTH LOGIN\r\n" + encode([]byte("jo")) + "\r\n" + encode([]byte(password)) + "\r\n"; !strings.Contains(wrote.String(), want) {
		t.Errorf("wrote %q", wrote)
	}
}

func TestSignInNotOffered(t *testing.T) {
	for _, offer := range []string{"250 mx.example", "250-mx.example\r\n250 AUTH GSSAPI"} {
		fails(t, toScript(t, "smtp", script("220 hi", offer)).Send(t.Context(), hello), down, "does not offer to sign in by PLAIN or LOGIN")
	}
}
