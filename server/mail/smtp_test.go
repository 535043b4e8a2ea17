package mail

import (
	"bufio"
	"bytes"
	"context"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"svc/server/mail/mailtest"
	"svc/server/redact"

	"github.com/emersion/go-smtp"
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

// The settings.

func TestParseSMTP(t *testing.T) {
	withUser := (&url.URL{Scheme: "smtp", User: url.UserPassword("jo", password), Host: "mx.example"}).String()
	tests := []struct {
		address, want      string
		loopback, implicit bool
		password           string
	}{
		{"smtp://mx.example", "smtp://mx.example:587", false, false, ""},
		{"SMTP://mx.example:25/", "smtp://mx.example:25", false, false, ""},
		{"smtps://mx.example", "smtps://mx.example:465", false, true, ""},
		{withUser, "smtp://mx.example:587", false, false, password},
		{"smtp://localhost:2525", "smtp://localhost:2525", true, false, ""},
		{"smtp://LOCALHOST.", "smtp://LOCALHOST.:587", true, false, ""},
		{"smtp://127.8.9.1", "smtp://127.8.9.1:587", true, false, ""},
		{"smtp://[::1]:25", "smtp://[::1]:25", true, false, ""},
		{"smtp://[::ffff:127.0.0.1]", "smtp://[::ffff:127.0.0.1]:587", true, false, ""},
		{"smtp://10.0.0.1", "smtp://10.0.0.1:587", false, false, ""},
		{"smtp://localhost.example", "smtp://localhost.example:587", false, false, ""},
	}
	for _, test := range tests {
		t.Run(test.want, func(t *testing.T) {
			s := parseSMTP(t, test.address)
			if s.String() != test.want || s.loopback != test.loopback || s.implicit != test.implicit || s.password != test.password {
				t.Errorf("got %v, loopback %v, implicit %v, password %q", s, s.loopback, s.implicit, s.password)
			}
			holdsNoSecret(t, fmt.Sprintf("%v %+v %#v %s", s, s, s, s))
		})
	}
}

func TestParseSMTP_Faults(t *testing.T) {
	const notAnAddress = "the mail server must be given as"
	const tooMuch = "the mail server's address must end with the port"
	const port = "the mail server's port"
	const both = "both user and password, or neither"
	tests := []struct{ address, from, want string }{
		{"", sender, notAnAddress},
		{"mx.example:587", sender, notAnAddress},
		{"smtp:mx.example", sender, notAnAddress},
		{"smtp://", sender, notAnAddress},
		{"smtp://jo:se#cret@mx.example", sender, notAnAddress},
		{"smtp://jo:se%cret@mx.example", sender, notAnAddress},
		{"smtp://jo:secret@mx.example:port", sender, notAnAddress},
		{"https://jo:secret@mx.example", sender, notAnAddress},
		{"jo:secret@mx.example", sender, notAnAddress},
		{"smtp://jo:1/secret@mx.example", sender, tooMuch},
		{"smtp://jo:1?secret@mx.example", sender, tooMuch},
		{"smtp://jo:1#secret@mx.example", sender, tooMuch},
		{"smtp://jo:secret@mx.example?", sender, tooMuch},
		{"smtp://jo:secret@mx.example:0", sender, port},
		{"smtp://jo:secret@mx.example:65536", sender, port},
		{"smtp://jo@mx.example", sender, both},
		{"smtp://jo:@mx.example", sender, both},
		{"smtp://:secret@mx.example", sender, both},
		{"smtp://jo:secret%0Dx@mx.example", sender, "control characters"},
		{"smtp://mx.example", "", "the sender of mails"},
		{"smtp://mx.example", "shop", "the sender of mails"},
		{"smtp://mx.example", "a@x.example, b@x.example", "the sender of mails"},
		{"smtp://mx.example", "Zoë <zoë@x.example>", "the sender of mails"},
		{"smtp://mx.example", "a@zoë.example", "the sender of mails"},
		{"smtp://mx.example", "a@x.example\r\nBcc: b@x.example", "the sender of mails"},
		{"smtp://mx.example", strings.Repeat("a", 65) + "@x.example", "the sender of mails"},
	}
	for _, test := range tests {
		t.Run(test.address+" "+test.from, func(t *testing.T) {
			s, err := ParseSMTP(test.address, test.from)
			if err == nil {
				t.Fatalf("accepted as %v", s)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %q, want one with %q", err, test.want)
			}
			if strings.Contains(err.Error(), "cret") {
				t.Errorf("error = %q repeats the password", err)
			}
		})
	}
}

// Mails that arrive.

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

func TestSend_TextAlone(t *testing.T) {
	sink := mailtest.New(t)
	m := hello
	m.HTML = ""
	sends(t, parseSMTP(t, sink.URL()), m)
	if got := sink.Wait(1)[0]; got.Text != m.Text || got.HTML != "" {
		t.Errorf("text %q, html %q", got.Text, got.HTML)
	}
}

func TestSend_Protected(t *testing.T) {
	auth := mailtest.Auth("jo", password)
	tests := []struct {
		name    string
		options []mailtest.Option
		host    string // for what the client takes the server, in place of 127.0.0.1
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

// toSink is a client of a sink, under another name if host is one.
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

func TestSend_RecipientBeyondASCII(t *testing.T) {
	sink := mailtest.New(t)
	m := hello
	m.To = "zoë@merchant.example"
	sends(t, parseSMTP(t, sink.URL()), m)
	if got := sink.Wait(1)[0]; !got.UTF8 || !slices.Equal(got.To, []string{m.To}) {
		t.Errorf("SMTPUTF8 %v, to %q", got.UTF8, got.To)
	}
}

func TestSend_Concurrently(t *testing.T) {
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
func TestSend_TwiceWithOneMessageID(t *testing.T) {
	sink := mailtest.New(t)
	s := parseSMTP(t, sink.URL())
	sends(t, s, hello)
	sends(t, s, hello)
	mails := sink.Wait(2)
	if a, b := mails[0].Header, mails[1].Header; a.Get("Message-Id") != b.Get("Message-Id") || a.Get("Date") != b.Get("Date") {
		t.Errorf("headers %v and %v", a, b)
	}
}

// Headers.

func TestNoHeaderCanBeAdded(t *testing.T) {
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

func TestNoRecipientCanBeAdded(t *testing.T) {
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
		"\"jo eve\"@x.example",
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

// nobody is a client of a server that must not be asked.
func nobody(t *testing.T) *SMTP {
	s := parseSMTP(t, "smtp://127.0.0.1")
	s.dial = func(context.Context, string, string) (net.Conn, error) {
		t.Error("the server is asked")
		return nil, syscall.ECONNREFUSED
	}
	return s
}

func TestNoHeaderCanBeAddedByID(t *testing.T) {
	for _, id := range []string{"", "mail_1\r\nBcc: eve@x.example", "mail 1", "mail_1>", "mail@1"} {
		m := hello
		m.ID = id
		fails(t, nobody(t).Send(t.Context(), m), failed, "was not asked, since the mail has no id")
	}
}

func TestNoHeaderCanBeAddedBySender(t *testing.T) {
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

// Failures.

func TestFailure(t *testing.T) {
	const brokeOff, noAnswer = "broke off the connection at ", ", or gave no valid answer"
	const doubt = "; the mail may have been sent"
	tests := []struct {
		name    string
		at      mailtest.Stage
		fault   mailtest.Fault
		meaning int
		reason  string
	}{
		{"Greeting421", mailtest.Greeting, mailtest.Reply(421, "busy"), down, "refused the session: 421 busy"},
		{"Greeting554", mailtest.Greeting, mailtest.Reply(554, "no service"), down, "refused the session: 554 no service"},
		{"GreetingCut", mailtest.Greeting, mailtest.Cut, down, "takes no mail: EOF"},
		{"Hello550", mailtest.Hello, mailtest.Reply(550, "who are you"), down,
			"refused the session: 550 5.0.0 who are you"},
		{"SignIn454", mailtest.SignIn, mailtest.Reply(454, "later"), down, "refused the session: 454 4.0.0 later"},
		{"SignIn535", mailtest.SignIn, mailtest.Reply(535, "no"), down, "refused the session: 535 5.0.0 no"},
		{"SignInCut", mailtest.SignIn, mailtest.Cut, down, "takes no mail: SMTP AUTH failed: EOF"},
		{"Sender451", mailtest.Sender, mailtest.Reply(451, "later"), again, "refused the sender: 451 4.0.0 later"},
		{"Sender550", mailtest.Sender, mailtest.Reply(550, "not your domain"), again, "refused the sender: 550 5.0.0 not your domain"},
		{"SenderCut", mailtest.Sender, mailtest.Cut, again, brokeOff + "the sender" + noAnswer},
		{"Recipient450", mailtest.Recipient, mailtest.Reply(450, "greylisted"), again, "refused the recipient: 450 4.0.0 greylisted"},
		{"Recipient421", mailtest.Recipient, mailtest.Reply(421, "closing"), again, "refused the recipient: 421 4.0.0 closing"},
		{"Recipient550", mailtest.Recipient, mailtest.Reply(550, "nobody here"), failed, "refused the recipient: 550 5.0.0 nobody here"},
		{"Recipient553OfTwoLines", mailtest.Recipient, mailtest.Reply(553, "no such\nmailbox"), failed, "refused the recipient: 553 no such 5.0.0 mailbox"},
		{"Recipient530", mailtest.Recipient, mailtest.Reply(530, "sign in first"), again, "refused the recipient: 530 5.0.0 sign in first"},
		{"Recipient503", mailtest.Recipient, mailtest.Reply(503, "bad sequence"), again, "refused the recipient: 503 5.0.0 bad sequence"},
		{"Recipient354", mailtest.Recipient, mailtest.Reply(354, "what"), again, brokeOff + "the recipient" + noAnswer},
		{"RecipientCut", mailtest.Recipient, mailtest.Cut, again, brokeOff + "the recipient" + noAnswer},
		{"Message451", mailtest.Message, mailtest.Reply(451, "later: 483920"), again, "refused the message: 451 4.0.0"},
		{"Message421", mailtest.Message, replyWith(421, 4, 3, 2, "closing"), again, "refused the message: 421 4.3.2 (the mail system)"},
		{"Message554", mailtest.Message, mailtest.Reply(554, "483920"), failed, "refused the message: 554 5.0.0"},
		{"Message550", mailtest.Message, replyWith(550, 5, 7, 1, "spam: code is 483920"), failed, "refused the message: 550 5.7.1 (security or policy)"},
		{"Message535", mailtest.Message, mailtest.Reply(535, "who are you"), again, "refused the message: 535 5.0.0"},
		{"Message354", mailtest.Message, mailtest.Reply(354, "go on: 483920"), again, brokeOff + "the message" + noAnswer + doubt},
		{"Message600", mailtest.Message, mailtest.Reply(600, "483920"), again, brokeOff + "the message" + noAnswer + doubt},
		{"MessageCut", mailtest.Message, mailtest.Cut, again, brokeOff + "the message" + noAnswer + doubt},
		{"AnswerCut", mailtest.Answer, mailtest.Cut, again, brokeOff + "the message" + noAnswer + doubt},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sink := mailtest.New(t, mailtest.Auth("jo", password))
			sink.Fail(test.at, test.fault)
			if test.at == mailtest.Hello {
				sink.Fail(test.at, test.fault) // of HELO
			}
			s := parseSMTP(t, sink.URL())
			fails(t, s.Send(t.Context(), hello), test.meaning, test.reason)
			if kept := len(sink.Mails()) == 1; kept != (test.at == mailtest.Answer) {
				t.Errorf("the mail has arrived: %v", kept)
			}
			sends(t, s, hello) // the next one
		})
	}
}

func replyWith(code, class, subject, detail int, text string) mailtest.Fault {
	return func(net.Conn) error {
		return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{class, subject, detail}, Message: text}
	}
}

// A write that fails in the middle of the text must not be followed by the end, since
// the server would take the first part for the whole.
func TestNothingIsWrittenAfterABrokenText(t *testing.T) {
	sink := mailtest.New(t)
	s := parseSMTP(t, sink.URL())
	var broken *breakable
	s.dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		broken = &breakable{Conn: conn}
		return broken, err
	}
	fails(t, s.Send(t.Context(), hello), again,
		"broke off the connection at the message, or gave no valid answer; the mail may have been sent")
	sink.Down()
	if n := len(sink.Mails()); !broken.broken || n != 0 {
		t.Errorf("broke off: %v, %d mails", broken.broken, n)
	}
}

// breakable fails the one Write that holds a header, after half of it.
type breakable struct {
	net.Conn
	broken bool
}

func (c *breakable) Read(p []byte) (int, error) {
	if c.broken {
		return 0, syscall.ECONNRESET
	}
	return c.Conn.Read(p)
}

func (c *breakable) Write(p []byte) (int, error) {
	if c.broken || !bytes.Contains(p, []byte("Auto-Submitted")) {
		return c.Conn.Write(p)
	}
	c.broken = true
	n, _ := c.Conn.Write(p[:len(p)/2])
	return n, syscall.EPIPE
}

// cut ends an answer at which the connection is closed.
const cut = "(cut)"

// script is a server in memory that gives these answers, one for each line or text of
// the client, and then none.
func script(answers ...string) gomail.DialContextFunc {
	return func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			lines := textproto.NewReader(bufio.NewReader(server))
			for _, answer := range answers {
				if begun, cut := strings.CutSuffix(answer, cut); cut {
					io.WriteString(server, begun)
					return
				}
				io.WriteString(server, answer+"\r\n")
				if strings.HasPrefix(answer, "354") {
					lines.ReadDotBytes()
				} else {
					lines.ReadLine()
				}
			}
			io.Copy(io.Discard, server)
		}()
		return client, nil
	}
}

// toScript is a client of a scripted server on loopback.
func toScript(t *testing.T, scheme string, dial gomail.DialContextFunc) *SMTP {
	t.Helper()
	s := parseSMTP(t, (&url.URL{Scheme: scheme, User: url.UserPassword("jo", password), Host: "127.0.0.1"}).String())
	s.dial = dial
	return s
}

const offer = "250-mx.example\r\n250 AUTH PLAIN"

// What follows the confirmation changes nothing.
func TestConfirmed(t *testing.T) {
	for _, bye := range []string{"221 bye", "500 no", "what"} {
		sends(t, toScript(t, "smtp", script("220 hi", offer, "235 in", "250 ok", "251 ok", "354 go on", "250 taken", bye)), hello)
	}
}

// An answer that breaks off in the middle is no answer.
func TestHalfAnAnswer(t *testing.T) {
	for _, begun := range []string{"250-taken", "550-no", "25", "250-taken\r\n"} {
		s := toScript(t, "smtp", script("220 hi", offer, "235 in", "250 ok", "250 ok", "354 go on", begun+cut))
		fails(t, s.Send(t.Context(), hello), again,
			"broke off the connection at the message, or gave no valid answer; the mail may have been sent")
	}
}

func TestNotReached(t *testing.T) {
	tests := []struct {
		name, reason string
		dial         gomail.DialContextFunc
	}{
		{"NoSuchName", "could not be reached: its name does not resolve", failing(&net.DNSError{Err: "no such host"})},
		{"Refused", "could not be reached: connection refused", failing(syscall.ECONNREFUSED)},
		{"Unroutable", "could not be reached", failing(syscall.EHOSTUNREACH)},
		{"NoRouteInTime", "could not be reached: timed out while connecting", failing(syscall.ETIMEDOUT)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := parseSMTP(t, "smtp://mx.example")
			s.dial = test.dial
			err := s.Send(t.Context(), hello)
			fails(t, err, down, test.reason)
			if err.Err == nil {
				t.Error("no cause for the log")
			}
		})
	}
}

func failing(err error) gomail.DialContextFunc {
	return func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
}

func TestDownAndUp(t *testing.T) {
	sink := mailtest.New(t)
	s, address := parseSMTP(t, sink.URL()), sink.URL()
	sink.Down()
	sink.Down()
	fails(t, s.Send(t.Context(), hello), down, "could not be reached: connection refused")
	sink.Up()
	sink.Up()
	if sink.URL() != address {
		t.Errorf("address = %s, was %s", sink.URL(), address)
	}
	sends(t, s, hello)
}

func TestDownCutsWhatIsUnderWay(t *testing.T) {
	sink := mailtest.New(t)
	hang, hangs := mailtest.Hang()
	sink.Fail(mailtest.Recipient, hang)
	go func() {
		<-hangs
		sink.Down()
	}()
	fails(t, parseSMTP(t, sink.URL()).Send(t.Context(), hello), again,
		"broke off the connection at the recipient, or gave no valid answer")
}

// TLS.

func TestTLS_NoSession(t *testing.T) {
	auth := mailtest.Auth("jo", password)
	tests := []struct {
		name    string
		options []mailtest.Option
		host    string
		reason  string
	}{
		{"NotOffered", []mailtest.Option{auth}, mailtest.Host, `takes no mail: STARTTLS mode set to: "TLSMandatory", but target host does not support STARTTLS`},
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

func TestTLS_OtherName(t *testing.T) {
	for _, option := range []mailtest.Option{mailtest.StartTLS(), mailtest.ImplicitTLS()} {
		s := toSink(t, mailtest.New(t, option), "other.example")
		err := s.Send(t.Context(), hello)
		if err == nil || !err.Down || !strings.Contains(err.Reason, "not other.example") {
			t.Errorf("error = %v, want one about the name", err)
		}
	}
}

// RootCAs are checked on loopback too.
func TestTLS_OtherRootsOnLoopback(t *testing.T) {
	s := toSink(t, mailtest.New(t, mailtest.StartTLS()), "")
	s.RootCAs = x509.NewCertPool()
	err := s.Send(t.Context(), hello)
	if err == nil || !err.Down || !strings.HasPrefix(err.Reason, "takes no mail: tls: ") {
		t.Errorf("error = %v", err)
	}
}

// Nothing of the password is written before TLS protects it.
func TestTLS_PasswordStaysHome(t *testing.T) {
	var wrote bytes.Buffer
	dial := script("220 hi", "250-mx.example\r\n250-STARTTLS\r\n250 AUTH PLAIN LOGIN", "454 not today")
	s := parseSMTP(t, (&url.URL{Scheme: "smtp", User: url.UserPassword("jo", password), Host: "mx.example"}).String())
	s.dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return &recorded{conn, &wrote}, err
	}
	fails(t, s.Send(t.Context(), hello), down, "refused the session: 454 not today")
	if want := "EHLO shop.example\r\nSTARTTLS\r\n"; wrote.String() != want {
		t.Errorf("wrote %q, want %q", &wrote, want)
	}
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

// Signing in.

func TestSignIn_Refused(t *testing.T) {
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

func TestSignIn_Login(t *testing.T) {
	var wrote bytes.Buffer
	dial := script("220 hi", "250-mx.example\r\n250 AUTH LOGIN", "334 VXNlcm5hbWU6", "334 UGFzc3dvcmQ6", "235 in",
		"250 ok", "250 ok", "354 go on", "250 taken", "221 bye")
	s := toScript(t, "smtp", func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return &recorded{conn, &wrote}, err
	})
	sends(t, s, hello)
	encode := base64.StdEncoding.EncodeToString
	if want := "AUTH LOGIN\r\n" + encode([]byte("jo")) + "\r\n" + encode([]byte(password)) + "\r\n"; !strings.Contains(wrote.String(), want) {
		t.Errorf("wrote %q", &wrote)
	}
}

func TestSignIn_NothingKnown(t *testing.T) {
	for offer, reason := range map[string]string{
		"250 mx.example":                    "takes no mail: server does not support SMTP AUTH",
		"250-mx.example\r\n250 AUTH GSSAPI": "takes no mail: SMTP Auth autodiscover was not able to detect a supported authentication mechanism",
	} {
		fails(t, toScript(t, "smtp", script("220 hi", offer)).Send(t.Context(), hello), down, reason)
	}
}

// A server may say what it likes, but not through us.
func TestPasswordIsNeverRepeated(t *testing.T) {
	usual := []string{"220 hi", offer, "235 in", "250 ok", "250 ok", "354 go on", "250 taken"}
	for _, form := range passwordForms("jo", password) {
		for at := range usual {
			for _, answer := range []string{"550 you said " + form + "!", "you said " + form} {
				answers := append(slices.Clone(usual[:at]), answer, answer+cut) // the second for HELO
				err := toScript(t, "smtp", script(answers...)).Send(t.Context(), hello)
				if err == nil {
					t.Fatalf("%d: no error", at)
				}
				holdsNoSecret(t, fmt.Sprintf("%v %+v %v", err, err, err.Err))
			}
		}
	}
}

func TestRedactor(t *testing.T) {
	tests := []struct{ password, text, want string }{
		{"se  cret", "it is se  cret", "it is [redacted]"},
		{"se  cret", "it is\r\nse%20%20cret", "it is [redacted]"},
		{"se  cret", "AUTH PLAIN AGpvAHNlICBjcmV0", "AUTH PLAIN [redacted]"},
		{"secret", "it is secr\x01et!", "it is [redacted]!"},
		{"", "nothing \x1b[31mhere\u202e", "nothing [31mhere"},
	}
	for _, test := range tests {
		r := redact.New(maxReplyRunes, passwordForms("jo", test.password)...)
		if got := r.Clean(test.text); got != test.want {
			t.Errorf("%q becomes %q, want %q", test.text, got, test.want)
		}
	}
}

func TestLongAnswerIsCut(t *testing.T) {
	sink := mailtest.New(t)
	sink.Fail(mailtest.Recipient, mailtest.Reply(550, strings.Repeat("no\x1b[31m ", 500)))
	err := parseSMTP(t, sink.URL()).Send(t.Context(), hello)
	if n := len([]rune(err.Reason)); n > maxReplyRunes+40 || strings.Contains(err.Reason, "\x1b") {
		t.Errorf("reason of %d characters: %q", n, err.Reason)
	}
}

// Time-outs, in the fake time of a bubble.

func TestTimeout(t *testing.T) {
	hang := func(n int) gomail.DialContextFunc {
		return script([]string{"220 hi", offer, "235 in", "250 ok", "250 ok", "354 go on", "250 taken"}[:n]...)
	}
	tests := []struct {
		name, scheme string
		dial         gomail.DialContextFunc
		took         time.Duration
		meaning      int
		reason       string
	}{
		{"Dialling", "smtp", hanging, dialTimeout, down, "could not be reached: timed out while connecting"},
		{"Handshake", "smtps", hang(0), dialTimeout, down, "could not be reached: timed out while connecting"},
		{"Greeting", "smtp", hang(0), sendTimeout, down, "did not answer in time"},
		{"Hello", "smtp", hang(1), sendTimeout, down, "did not answer in time"},
		{"SignIn", "smtp", hang(2), sendTimeout, down, "did not answer in time"},
		{"Sender", "smtp", hang(3), sendTimeout, again, "did not answer the sender in time"},
		{"Recipient", "smtp", hang(4), sendTimeout, again, "did not answer the recipient in time"},
		{"Data", "smtp", hang(5), sendTimeout, again, "did not answer the message in time"},
		{"Text", "smtp", stuckAtText, sendTimeout, again, "did not answer the message in time; the mail may have been sent"},
		{"End", "smtp", hang(6), sendTimeout, again, "did not answer the message in time; the mail may have been sent"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				err := toScript(t, test.scheme, test.dial).Send(t.Context(), hello)
				fails(t, err, test.meaning, test.reason)
				if took := time.Since(start); took != test.took || took >= lease {
					t.Errorf("took %v, want %v", took, test.took)
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("cause = %v, want a deadline", err.Err)
				}
			})
		})
	}
}

// hanging never finishes to connect.
func hanging(ctx context.Context, _, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// stuckAtText is a connection that takes no byte of the text.
func stuckAtText(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := script("220 hi", offer, "235 in", "250 ok", "250 ok", "354 go on")(ctx, network, addr)
	return &stuck{Conn: conn, closed: make(chan struct{})}, err
}

type stuck struct {
	net.Conn
	once   sync.Once
	closed chan struct{}
}

func (c *stuck) Write(p []byte) (int, error) {
	if !bytes.Contains(p, []byte("Auto-Submitted")) {
		return c.Conn.Write(p)
	}
	<-c.closed
	return 0, net.ErrClosed
}

func (c *stuck) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// A mail that is confirmed is sent, however long the answer to QUIT takes.
func TestTimeout_OfQuit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sends(t, toScript(t, "smtp", script("220 hi", offer, "235 in", "250 ok", "250 ok", "354 go on", "250 taken")), hello)
	})
}

// The end of ctx ends the dialling, and not a conversation.
func TestGivenUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sink := mailtest.New(t)
	s := parseSMTP(t, sink.URL())
	fails(t, s.Send(ctx, hello), down, "could not be reached: the hand-over was given up")

	ctx, cancel = context.WithCancel(t.Context())
	s.dial = func(_ context.Context, network, addr string) (net.Conn, error) {
		defer cancel()
		return net.Dial(network, addr)
	}
	if err := s.Send(ctx, hello); err != nil || len(sink.Mails()) != 1 {
		t.Errorf("%v, %d mails", err, len(sink.Mails()))
	}
}
