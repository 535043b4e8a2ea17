package mail

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
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

// through makes the client dial by the given function.
func (s *SMTP) through(dial dialFunc) *SMTP {
	s.dial = dial
	return s
}

// handOver does what the queue does.
func handOver(ctx context.Context, s *SMTP, m Message) error {
	conn, err := s.Connect(ctx)
	if err != nil {
		return err
	}
	return errors.Join(conn.Send(ctx, m), conn.Close())
}

func sends(t *testing.T, s *SMTP, m Message) {
	t.Helper()
	if err := handOver(t.Context(), s, m); err != nil {
		t.Fatalf("hand over: %v (%v)", err, errors.Unwrap(err))
	}
}

// fails expects an *Error of that verdict and reason, which holds no secret.
func fails(t *testing.T, err error, verdict Verdict, reason string) *Error {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("error = %v, want an *Error", err)
	}
	if e.Verdict != verdict || e.Reason != reason {
		t.Errorf("%v: %q (%v)\nwant %v: %q", e.Verdict, e.Reason, e.Err, verdict, reason)
	}
	if (e.Verdict == Unknown) != strings.HasSuffix(e.Reason, mayBeSent) {
		t.Errorf("%v, but the reason is %q", e.Verdict, e.Reason)
	}
	holdsNoSecret(t, fmt.Sprintf("%v %+v %v", err, e, e.Err))
	return e
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
	s := parseSMTP(t, address).through(func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, sink.Address())
	})
	s.RootCAs = sink.Roots()
	return s
}

func TestSend_RecipientBeyondASCII(t *testing.T) {
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
		f := script(nil)
		fails(t, handOver(t.Context(), toScript(t, f), m), Refused, "takes no recipient with letters beyond ASCII")
		saw(t, f, "EHLO shop.example", "QUIT")
	})
}

func TestSend_Concurrently(t *testing.T) {
	const n = 16
	sink := mailtest.New(t, mailtest.StartTLS(), mailtest.Auth("jo", password))
	s := toSink(t, sink, mailtest.Host)

	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if err := handOver(t.Context(), s, hello); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if got := len(sink.Mails()); got != n {
		t.Errorf("%d mails, want %d", got, n)
	}
}

func TestSend_TwiceOnOneConnection(t *testing.T) {
	sink := mailtest.New(t)
	conn, err := parseSMTP(t, sink.URL()).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	if err := conn.Send(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
	fails(t, conn.Send(t.Context(), hello), NotSent, "was given a second mail on one connection")
	if n := len(sink.Mails()); n != 1 {
		t.Errorf("%d mails, want 1", n)
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
			f := script(nil)
			m := hello
			m.To = to
			fails(t, handOver(t.Context(), toScript(t, f), m), Refused, notOne)
			saw(t, f, "EHLO shop.example", "QUIT")
		})
	}
}

func TestNoHeaderCanBeAddedByID(t *testing.T) {
	for _, id := range []string{"", "mail_1\r\nBcc: eve@x.example", "mail 1", "mail_1>", "mail@1"} {
		f := script(nil)
		m := hello
		m.ID = id
		fails(t, handOver(t.Context(), toScript(t, f), m), Refused, "was not asked, since the mail has no id")
		saw(t, f, "EHLO shop.example", "QUIT")
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

// script is a server that answers by stage as it is told.
func script(answers map[string]string) *mailtest.Script {
	return &mailtest.Script{Answers: answers}
}

// toScript is a client of a scripted server on loopback, which signs in if AUTH is
// scripted.
func toScript(t *testing.T, f *mailtest.Script) *SMTP {
	t.Helper()
	user := url.UserPassword("jo", password)
	if _, ok := f.Answers["AUTH"]; !ok {
		user = nil
	}
	s := parseSMTP(t, (&url.URL{Scheme: "smtp", User: user, Host: "127.0.0.1"}).String())
	return s.through(f.Dial)
}

// saw expects these commands of a conversation that is over.
func saw(t *testing.T, f *mailtest.Script, want ...string) {
	t.Helper()
	if got, _ := f.Saw(); !slices.Equal(got, want) {
		t.Errorf("commands %q\nwant %q", got, want)
	}
}

const (
	cut  = mailtest.Cut
	hang = mailtest.Hang
)

// Verdicts.

func TestVerdict(t *testing.T) {
	tests := []struct {
		stage, answer string
		verdict       Verdict
		reason        string
	}{
		{"greeting", "554 no service", NotSent, "refused the connection: 554 no service"},
		{"greeting", "421 busy", NotSent, "refused the connection: 421 busy"},
		{"greeting", cut, NotSent, "broke off the connection at the connection"},
		{"greeting", "HTTP/1.1 400 Bad Request", NotSent, "gave an answer without a meaning to the connection"},
		{"EHLO", "421 busy", NotSent, "refused the greeting: 421 busy"},
		{"EHLO", cut, NotSent, "broke off the connection at the greeting"},
		{"AUTH", "535 5.7.8 wrong password", NotSent, "refused the sign-in: 535 5.7.8 wrong password"},
		{"AUTH", "454 later", NotSent, "refused the sign-in: 454 later"},
		{"AUTH", cut, NotSent, "broke off the connection at the sign-in"},
		{"MAIL", "451 later", NotSent, "refused the sender: 451 later"},
		{"MAIL", "550 not your domain", NotSent, "refused the sender: 550 not your domain"},
		{"MAIL", cut, NotSent, "broke off the connection at the sender"},
		{"RCPT", "450 4.2.0 greylisted", NotSent, "refused the recipient: 450 4.2.0 greylisted"},
		{"RCPT", "421 closing", NotSent, "refused the recipient: 421 closing"},
		{"RCPT", "550 5.1.1 nobody here", Refused, "refused the recipient: 550 5.1.1 nobody here"},
		{"RCPT", "553-no such\r\n553 mailbox", Refused, "refused the recipient: 553 no such mailbox"},
		{"RCPT", "530 sign in first", NotSent, "refused the recipient: 530 sign in first"},
		{"RCPT", "503 bad sequence", NotSent, "refused the recipient: 503 bad sequence"},
		{"RCPT", "354 what", NotSent, "refused the recipient: 354 what"},
		{"RCPT", cut, NotSent, "broke off the connection at the recipient"},
		{"DATA", "451 later", NotSent, "refused the message: 451 later"},
		{"DATA", "554 no valid recipients", Refused, "refused the message: 554 no valid recipients"},
		{"DATA", "250 fine", NotSent, "refused the message: 250 fine"},
		{"DATA", cut, NotSent, "broke off the connection at the message"},
		{"text", cut, NotSent, "broke off the connection at the message"},
		{"half", cut, Unknown, "broke off the connection at the message; the mail may have been sent"},
		{"end", cut, Unknown, "broke off the connection at the message; the mail may have been sent"},
		{"end", "421 4.3.2 closing", NotSent, "refused the message: 421 4.3.2 (the mail system)"},
		{"end", "452 full", NotSent, "refused the message: 452"},
		{"end", "550 5.7.1 spam: code is 483920", Refused, "refused the message: 550 5.7.1 (security or policy)"},
		{"end", "554-5.9.1 odd\r\n554 5.9.1 Zoë's code is 483920.", Refused, "refused the message: 554 5.9.1"},
		{"end", "554 483920", Refused, "refused the message: 554"},
		{"end", "535 who are you", NotSent, "refused the message: 535"},
		{"end", "354 go on: 483920", Unknown, "gave an answer without a meaning to the message; the mail may have been sent"},
		{"end", "483920 is your code", Unknown, "gave an answer without a meaning to the message; the mail may have been sent"},
		{"end", "600 483920", Unknown, "gave an answer without a meaning to the message; the mail may have been sent"},
	}
	for _, test := range tests {
		t.Run(test.stage+" "+test.answer, func(t *testing.T) {
			f := script(map[string]string{test.stage: test.answer})
			err := handOver(t.Context(), toScript(t, f), hello)
			fails(t, err, test.verdict, test.reason)
			_, texts := f.Saw()
			if took := len(texts) > 0; took != (test.stage == "end") {
				t.Errorf("server has the end: %v", took)
			}
		})
	}
}

// An answer that breaks off in the middle is no answer.
func TestVerdict_HalfAnAnswer(t *testing.T) {
	const broke, odd = "broke off the connection at the message", "gave an answer without a meaning to the message"
	for begun, reason := range map[string]string{"250-taken": broke, "550-no": broke, "25": odd} {
		t.Run(begun, func(t *testing.T) {
			dial := func(context.Context, string, string) (net.Conn, error) {
				client, server := net.Pipe()
				go script(map[string]string{"end": begun}).Serve(&closesAfter{server, begun})
				return client, nil
			}
			err := handOver(t.Context(), toScript(t, script(nil)).through(dial), hello)
			fails(t, err, Unknown, reason+mayBeSent)
		})
	}
}

// closesAfter closes a connection once an answer was begun.
type closesAfter struct {
	net.Conn
	text string
}

func (c *closesAfter) Write(p []byte) (int, error) {
	if string(p) != c.text+"\r\n" {
		return c.Conn.Write(p)
	}
	c.Conn.Write([]byte(c.text))
	c.Conn.Close()
	return 0, net.ErrClosed
}

// Any 2xx is a confirmation (RFC 5321, 4.2.1), and what follows it changes nothing.
func TestConfirmed(t *testing.T) {
	for stage, answer := range map[string]string{"end": "251 taken, though not by me", "QUIT": "500 no", "": ""} {
		f := script(map[string]string{stage: answer})
		sends(t, toScript(t, f), hello)
		saw(t, f, "EHLO shop.example", "MAIL FROM:<post@shop.example>", "RCPT TO:<jo@merchant.example>", "DATA", "QUIT")
	}
	f := script(map[string]string{"QUIT": cut})
	sends(t, toScript(t, f), hello)
}

// A command would end a text that is cut short, and the server take the stump.
func TestNothingIsWrittenAfterABrokenText(t *testing.T) {
	var broken *breakable
	f := script(nil)
	s := toScript(t, f).through(func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := f.Dial(ctx, network, addr)
		broken = &breakable{Conn: conn, at: []byte("Auto-Submitted")}
		return broken, err
	})
	fails(t, handOver(t.Context(), s, hello), NotSent, "broke off the connection at the message")

	if _, texts := f.Saw(); !broken.broken || len(texts) > 0 {
		t.Errorf("broke off: %v, texts: %q", broken.broken, texts)
	}
	saw(t, f, "EHLO shop.example", "MAIL FROM:<post@shop.example>", "RCPT TO:<jo@merchant.example>", "DATA")
}

func TestNoLeaveIsTakenInDoubt(t *testing.T) {
	f := script(map[string]string{"end": "600 what"})
	fails(t, handOver(t.Context(), toScript(t, f), hello), Unknown,
		"gave an answer without a meaning to the message; the mail may have been sent")
	saw(t, f, "EHLO shop.example", "MAIL FROM:<post@shop.example>", "RCPT TO:<jo@merchant.example>", "DATA")
}

// breakable fails the one Write that holds some bytes, after half of it.
type breakable struct {
	net.Conn
	at     []byte
	broken bool
}

func (c *breakable) Write(p []byte) (int, error) {
	if c.broken || !bytes.Contains(p, c.at) {
		return c.Conn.Write(p)
	}
	c.broken = true
	n, _ := c.Conn.Write(p[:len(p)/2])
	return n, syscall.EPIPE
}

func TestVerdictInWords(t *testing.T) {
	if got := fmt.Sprint(NotSent, Refused, Unknown); got != "not sent refused unknown" {
		t.Error(got)
	}
}

// Connections that do not come about.

func TestNotReached(t *testing.T) {
	tests := []struct {
		name, reason string
		dial         dialFunc
	}{
		{"NoSuchName", "could not be reached: its name does not resolve", failing(&net.DNSError{Err: "no such host"})},
		{"Refused", "could not be reached: connection refused", failing(syscall.ECONNREFUSED)},
		{"Unroutable", "could not be reached", failing(syscall.EHOSTUNREACH)},
		{"NoRouteInTime", "could not be reached: timed out while connecting", failing(syscall.ETIMEDOUT)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := parseSMTP(t, "smtp://mx.example").through(test.dial)
			if e := fails(t, handOver(t.Context(), s, hello), NotSent, test.reason); e.Err == nil {
				t.Error("no cause for the log")
			}
		})
	}
}

func failing(err error) dialFunc {
	return func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
}

func TestDownAndUp(t *testing.T) {
	sink := mailtest.New(t)
	s := parseSMTP(t, sink.URL())
	sink.Down()
	fails(t, handOver(t.Context(), s, hello), NotSent, "could not be reached: connection refused")
	sink.Up()
	sends(t, s, hello)
	sink.Wait(1)
}

func TestDownCutsWhatIsUnderWay(t *testing.T) {
	sink := mailtest.New(t)
	conn, err := parseSMTP(t, sink.URL()).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	sink.Down()
	if e, ok := errors.AsType[*Error](conn.Send(t.Context(), hello)); !ok || e.Verdict != NotSent {
		t.Errorf("error = %v", e)
	}
}

// TLS.

func TestTLS_NotSent(t *testing.T) {
	auth := mailtest.Auth("jo", password)
	tests := []struct {
		name    string
		options []mailtest.Option
		host    string
		reason  string // its beginning
	}{
		{"NotOffered", []mailtest.Option{auth}, mailtest.Host, "does not offer STARTTLS, without which nothing is sent to another host"},
		{"StartTLSUntrusted", []mailtest.Option{mailtest.StartTLS(), auth}, mailtest.Host, "failed at TLS: tls: failed to verify certificate: x509: certificate signed by unknown authority"},
		{"ImplicitUntrusted", []mailtest.Option{mailtest.ImplicitTLS(), auth}, mailtest.Host, "failed at TLS: tls: failed to verify certificate: x509: certificate signed by unknown authority"},
		{"ImplicitUntrustedOnLoopback", []mailtest.Option{mailtest.ImplicitTLS(), auth}, "", "failed at TLS: tls: failed to verify certificate: x509: certificate signed by unknown authority"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sink := mailtest.New(t, test.options...)
			s := toSink(t, sink, test.host)
			s.RootCAs = nil
			fails(t, handOver(t.Context(), s, hello), NotSent, test.reason)
		})
	}
}

func TestTLS_OtherName(t *testing.T) {
	for _, option := range []mailtest.Option{mailtest.StartTLS(), mailtest.ImplicitTLS()} {
		s := toSink(t, mailtest.New(t, option), "other.example")
		err := handOver(t.Context(), s, hello)
		if e, ok := errors.AsType[*Error](err); !ok || e.Verdict != NotSent || !strings.Contains(e.Reason, "not other.example") {
			t.Errorf("error = %v, want one of the name", err)
		}
	}
}

// Who names whom to trust is checked for it on loopback too.
func TestTLS_OtherRootsOnLoopback(t *testing.T) {
	s := toSink(t, mailtest.New(t, mailtest.StartTLS()), "")
	s.RootCAs = mailtest.New(t, mailtest.StartTLS()).Roots()
	err := handOver(t.Context(), s, hello)
	if e, ok := errors.AsType[*Error](err); !ok || e.Verdict != NotSent || !strings.HasPrefix(e.Reason, "failed at TLS: ") {
		t.Errorf("error = %v", err)
	}
}

// Nothing of the password is written before TLS protects it.
func TestTLS_PasswordStaysHome(t *testing.T) {
	f := script(map[string]string{
		"EHLO": "250-mx.example\r\n250-STARTTLS\r\n250 AUTH PLAIN LOGIN", "AUTH": "235 in", "STARTTLS": "454 not today",
	})
	address := (&url.URL{Scheme: "smtp", User: url.UserPassword("jo", password), Host: "mx.example"}).String()
	err := handOver(t.Context(), parseSMTP(t, address).through(f.Dial), hello)
	fails(t, err, NotSent, "refused STARTTLS: 454 not today")
	saw(t, f, "EHLO shop.example", "STARTTLS")
}

// Signing in.

func TestSignIn_Refused(t *testing.T) {
	sink := mailtest.New(t, mailtest.Auth("jo", "another"))
	address := strings.Replace(sink.URL(), "another", url.QueryEscape("not it"), 1)
	address = strings.Replace(address, "+", "%20", 1)
	fails(t, handOver(t.Context(), parseSMTP(t, address), hello), NotSent,
		"refused the sign-in: 535 5.7.8 Authentication failed")

	address = strings.Replace(sink.URL(), "jo:another@", "", 1)
	fails(t, handOver(t.Context(), parseSMTP(t, address), hello), NotSent,
		"refused the sender: 502 5.7.0 Please authenticate first")
	if n := len(sink.Mails()); n != 0 {
		t.Errorf("%d mails", n)
	}
}

func TestSignIn_Login(t *testing.T) {
	f := script(map[string]string{
		"EHLO": "250-mx.example\r\n250 AUTH LOGIN CRAM-MD5", "AUTH": "334 VXNlcm5hbWU6",
		base64.StdEncoding.EncodeToString([]byte("jo")):     "334 UGFzc3dvcmQ6",
		base64.StdEncoding.EncodeToString([]byte(password)): "235 in",
	})
	sends(t, toScript(t, f), hello)
	if _, texts := f.Saw(); len(texts) != 1 {
		t.Errorf("%d mails", len(texts))
	}
}

func TestSignIn_NothingKnown(t *testing.T) {
	for _, offer := range []string{"250 mx.example", "250-mx.example\r\n250 AUTH NTLM"} {
		f := script(map[string]string{"EHLO": offer, "AUTH": "235 in"})
		fails(t, handOver(t.Context(), toScript(t, f), hello), NotSent, "does not offer to sign in by PLAIN or LOGIN")
		saw(t, f, "EHLO shop.example")
	}
}

// A server may say what it likes, but not through us.
func TestPasswordIsNeverRepeated(t *testing.T) {
	for _, form := range passwordForms("jo", password) {
		for _, stage := range []string{"greeting", "EHLO", "AUTH", "MAIL", "RCPT", "DATA", "end"} {
			for _, answer := range []string{"550 you said " + form + "!", "you said " + form} {
				f := script(map[string]string{"AUTH": "235 in"})
				f.Answers[stage] = answer
				e, ok := errors.AsType[*Error](handOver(t.Context(), toScript(t, f), hello))
				if !ok {
					t.Fatalf("%s: no error", stage)
				}
				holdsNoSecret(t, fmt.Sprintf("%v %+v %v", e, e, e.Err))
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
	f := script(map[string]string{"RCPT": "550 " + strings.Repeat("no\x1b[31m ", 500)})
	e, _ := errors.AsType[*Error](handOver(t.Context(), toScript(t, f), hello))
	if n := len([]rune(e.Reason)); n > maxReplyRunes+40 || strings.Contains(e.Reason, "\x1b") {
		t.Errorf("reason of %d characters: %q", n, e.Reason)
	}
}

// Time-outs, in the fake time of a bubble.

func TestTimeOut(t *testing.T) {
	hangAt := func(stage string) dialFunc {
		return script(map[string]string{"AUTH": "235 in", stage: hang}).Dial
	}
	const smtp, smtps = "smtp://jo:secret@127.0.0.1", "smtps://jo:secret@127.0.0.1"
	tests := []struct {
		name    string
		address string
		dial    dialFunc
		took    time.Duration
		verdict Verdict
		reason  string
	}{
		{"Dialling", smtp, hanging, connectTimeout, NotSent, "could not be reached: timed out while connecting"},
		{"Handshake", smtps, hangAt("greeting"), connectTimeout, NotSent, "did not answer the TLS handshake in time"},
		{"Greeting", smtp, hangAt("greeting"), connectTimeout, NotSent, "did not answer the connection in time"},
		{"EHLO", smtp, hangAt("EHLO"), connectTimeout, NotSent, "did not answer the greeting in time"},
		{"AUTH", smtp, hangAt("AUTH"), connectTimeout, NotSent, "did not answer the sign-in in time"},
		{"MAIL", smtp, hangAt("MAIL"), HandOverTimeout, NotSent, "did not answer the sender in time"},
		{"RCPT", smtp, hangAt("RCPT"), HandOverTimeout, NotSent, "did not answer the recipient in time"},
		{"DATA", smtp, hangAt("DATA"), HandOverTimeout, NotSent, "did not answer the message in time"},
		{"Text", smtp, stuckAtText, HandOverTimeout, NotSent, "did not answer the message in time"},
		{"End", smtp, hangAt("end"), HandOverTimeout, Unknown, "did not answer the message in time; the mail may have been sent"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				s := parseSMTP(t, test.address).through(test.dial)
				e := fails(t, handOver(t.Context(), s, hello), test.verdict, test.reason)
				if took := time.Since(start); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
				if !errors.Is(e, context.DeadlineExceeded) {
					t.Errorf("cause = %v, want one that is a deadline", e.Err)
				}
			})

			t.Run("WithinTheCaller", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					start := time.Now()
					s := parseSMTP(t, test.address).through(test.dial)
					fails(t, handOver(ctx, s, hello), test.verdict, test.reason)
					if took := time.Since(start); took != time.Second {
						t.Errorf("took %v, want 1s", took)
					}
				})
			})

			t.Run("GivenUp", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancelCause(t.Context())
					time.AfterFunc(time.Second, func() { cancel(errors.New("the server stops")) })
					s := parseSMTP(t, test.address).through(test.dial)
					e, ok := errors.AsType[*Error](handOver(ctx, s, hello))
					if !ok || e.Verdict != test.verdict || !strings.Contains(e.Reason, "was given up") {
						t.Errorf("error = %v", e)
					}
				})
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
	conn, err := script(map[string]string{"AUTH": "235 in"}).Dial(ctx, network, addr)
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

// However long the connecting took, and the mark between the steps, the mail gets
// what is left.
func TestTimeOut_OfBothSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		f := script(map[string]string{"end": hang})
		s := toScript(t, f)
		s.through(func(ctx context.Context, network, addr string) (net.Conn, error) {
			time.Sleep(connectTimeout - time.Second)
			return f.Dial(ctx, network, addr)
		})
		conn, err := s.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		time.Sleep(5 * time.Second)
		fails(t, conn.Send(t.Context(), hello), Unknown, "did not answer the message in time; the mail may have been sent")
		if took := time.Since(start); took != HandOverTimeout {
			t.Errorf("took %v, want %v", took, HandOverTimeout)
		}
	})
}

func TestTimeOut_OfTheMark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := script(nil)
		conn, err := toScript(t, f).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(HandOverTimeout)
		fails(t, conn.Send(t.Context(), hello), NotSent, "did not answer the sender in time")
		conn.Close()
		saw(t, f, "EHLO shop.example", "QUIT")
	})
}

// A mail that is confirmed does not wait for the leave to be answered.
func TestTimeOut_OfTheLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		f := script(map[string]string{"QUIT": hang})
		sends(t, toScript(t, f), hello)
		if took := time.Since(start); took != quitTimeout {
			t.Errorf("took %v, want %v", took, quitTimeout)
		}
	})
}

func TestGivenUpBetweenTheSteps(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	f := script(nil)
	conn, err := toScript(t, f).Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	fails(t, conn.Send(ctx, hello), NotSent, "had not answered the sender when the hand-over was given up")
	conn.Close()
	saw(t, f, "EHLO shop.example", "QUIT")
}

// The end of Connect's context does not end the connection that it made.
func TestConnectOutlivesItsContext(t *testing.T) {
	sink := mailtest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	conn, err := parseSMTP(t, sink.URL()).Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	cancel()
	if err := conn.Send(t.Context(), hello); err != nil {
		t.Fatal(err)
	}
}
