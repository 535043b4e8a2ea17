package mail

import (
	"bufio"
	"bytes"
	"context"
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

func TestFailure(t *testing.T) {
	const notReady = "broke off the connection before it was ready for a mail"
	const brokeOff, noAnswer = "broke off the connection at ", ", or gave no valid answer"
	tests := []struct {
		name    string
		at      mailtest.Stage
		fault   mailtest.Fault
		meaning int
		reason  string
	}{
		{"Greeting421", mailtest.Greeting, mailtest.Reply(421, "busy"), down, "refused the session: 421 busy"},
		{"Greeting554", mailtest.Greeting, mailtest.Reply(554, "no service"), down, "refused the session: 554 no service"},
		{"GreetingCut", mailtest.Greeting, mailtest.Cut, down, notReady},
		{"Hello550", mailtest.Hello, mailtest.Reply(550, "who are you"), down,
			"refused the session: 550 5.0.0 who are you"},
		{"SignIn454", mailtest.SignIn, mailtest.Reply(454, "later"), down, "refused the session: 454 4.0.0 later"},
		{"SignIn535", mailtest.SignIn, mailtest.Reply(535, "no"), down, "refused the session: 535 5.0.0 no"},
		{"SignInCut", mailtest.SignIn, mailtest.Cut, down, notReady},
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
		{"Message354", mailtest.Message, mailtest.Reply(354, "go on: 483920"), doubt, brokeOff + "the message" + noAnswer},
		{"Message600", mailtest.Message, mailtest.Reply(600, "483920"), doubt, brokeOff + "the message" + noAnswer},
		{"MessageCut", mailtest.Message, mailtest.Cut, doubt, brokeOff + "the message" + noAnswer},
		{"AnswerCut", mailtest.Answer, mailtest.Cut, doubt, brokeOff + "the message" + noAnswer},
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
	fails(t, s.Send(t.Context(), hello), again, "broke off the connection at the message, or gave no valid answer")
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

func TestAnswerAfterConfirmationIsIgnored(t *testing.T) {
	for _, bye := range []string{"221 bye", "500 no", "what"} {
		sends(t, toScript(t, "smtp", script("220 hi", offer, "235 in", "250 ok", "251 ok", "354 go on", "250 taken", bye)), hello)
	}
}

func TestIncompleteAnswerIsNotAConfirmation(t *testing.T) {
	for _, begun := range []string{"250-taken", "550-no", "25", "250-taken\r\n"} {
		s := toScript(t, "smtp", script("220 hi", offer, "235 in", "250 ok", "250 ok", "354 go on", begun+cut))
		fails(t, s.Send(t.Context(), hello), doubt, "broke off the connection at the message, or gave no valid answer")
	}
}

// Any 2xx is a confirmation (RFC 5321, 4.2.1).
func TestConfirmed(t *testing.T) {
	for _, answer := range []string{"250 taken", "251 taken, though not by me", "299-taken\r\n299 twice"} {
		dial, wrote := record(script("220 hi", offer, "235 in", "250 ok", "250 ok", "354 go on", answer, "221 bye"))
		sends(t, toScript(t, "smtp", dial), hello)
		if !strings.HasSuffix(wrote.String(), "\r\n.\r\nQUIT\r\n") {
			t.Errorf("%s: wrote %q", answer, wrote)
		}
	}
}

func TestAnswerToData(t *testing.T) {
	for answer, want := range map[string]struct {
		meaning int
		reason  string
	}{
		"451 later":               {again, "refused the message: 451 later"},
		"554 no valid recipients": {failed, "refused the message: 554 no valid recipients"},
		"250 fine":                {again, "broke off the connection at the message, or gave no valid answer"},
		cut:                       {again, "broke off the connection at the message, or gave no valid answer"},
	} {
		dial, wrote := record(script("220 hi", offer, "235 in", "250 ok", "250 ok", answer))
		fails(t, toScript(t, "smtp", dial).Send(t.Context(), hello), want.meaning, want.reason)
		if strings.Contains(wrote.String(), "Auto-Submitted") {
			t.Errorf("%s: wrote %q", answer, wrote)
		}
	}
}

func TestGreetingIsNotSMTP(t *testing.T) {
	for _, greeting := range []string{"HTTP/1.1 400 Bad Request", "+OK"} {
		fails(t, toScript(t, "smtp", script(greeting)).Send(t.Context(), hello), down, "gave an answer that is not SMTP")
	}
}

// The server leaves when it has read a part of the text. A connection in memory tells
// at once that the rest was not written.
func TestCutInsideText(t *testing.T) {
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			lines := bufio.NewReaderSize(server, 16)
			for _, answer := range []string{"220 hi", offer, "235 in", "250 ok", "250 ok", "354 go on"} {
				io.WriteString(server, answer+"\r\n")
				lines.ReadString('\n')
			}
		}()
		return client, nil
	}
	long := hello
	long.Text = strings.Repeat("A line of a long mail.\n", 1000)
	for _, m := range []Message{hello, long} {
		fails(t, toScript(t, "smtp", dial).Send(t.Context(), m), again, "broke off the connection at the message, or gave no valid answer")
	}
}

// go-mail says RSET and QUIT after an error; their failures hide nothing.
func TestReasonIsTheFirstError(t *testing.T) {
	s := toScript(t, "smtp", script("220 hi", offer, "235 in", "250 ok", "550 nobody", "451 what"+cut))
	fails(t, s.Send(t.Context(), hello), failed, "refused the recipient: 550 nobody")
}

func TestServerIsDialledByItsAddress(t *testing.T) {
	for address, want := range map[string]string{
		"smtp://mx.example": "mx.example:587", "smtps://[::1]": "[::1]:465", "smtp://127.0.0.1:25": "127.0.0.1:25",
	} {
		s := parseSMTP(t, address)
		s.dial = func(_ context.Context, network, addr string) (net.Conn, error) {
			if network != "tcp" || addr != want {
				t.Errorf("dialled %s %s, want %s", network, addr, want)
			}
			return nil, syscall.ECONNREFUSED
		}
		fails(t, s.Send(t.Context(), hello), down, "could not be reached: connection refused")
	}
}

func TestServerNotReached(t *testing.T) {
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

func TestServerDownThenUp(t *testing.T) {
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

func TestServerGoesDownDuringConversation(t *testing.T) {
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

func TestLongReplyIsCut(t *testing.T) {
	sink := mailtest.New(t)
	sink.Fail(mailtest.Recipient, mailtest.Reply(550, strings.Repeat("no\x1b[31m ", 500)))
	err := parseSMTP(t, sink.URL()).Send(t.Context(), hello)
	if n := len([]rune(err.Reason)); n > maxReplyRunes+40 || strings.Contains(err.Reason, "\x1b") {
		t.Errorf("reason of %d characters: %q", n, err.Reason)
	}
}

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
		{"Handshake", "smtps", hang(0), dialTimeout, down, "did not answer in time"},
		{"Greeting", "smtp", hang(0), sendTimeout, down, "did not answer in time"},
		{"Hello", "smtp", hang(1), sendTimeout, down, "did not answer in time"},
		{"SignIn", "smtp", hang(2), sendTimeout, down, "did not answer in time"},
		{"Sender", "smtp", hang(3), sendTimeout, again, "did not answer the sender in time"},
		{"Recipient", "smtp", hang(4), sendTimeout, again, "did not answer the recipient in time"},
		{"Data", "smtp", hang(5), sendTimeout, again, "did not answer the message in time"},
		{"Text", "smtp", stuckAtText, answerTimeout, again, "did not answer the message in time"},
		{"End", "smtp", hang(6), answerTimeout, doubt, "did not answer the message in time"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				err := toScript(t, test.scheme, test.dial).Send(t.Context(), hello)
				fails(t, err, test.meaning, test.reason)
				if took := time.Since(start); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("cause = %v, want a deadline", err.Err)
				}
			})
		})
	}
}

// hanging never connects.
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

// Whatever the server takes its time for, the lease is longer.
func TestLeaseIsLongerThanHandOver(t *testing.T) {
	if longest := sendTimeout + answerTimeout + quitTimeout; lease < longest+10*time.Second {
		t.Errorf("lease %v, a hand-over takes %v", lease, longest)
	}
}

// The answer to the message is awaited in full, however long what came before took.
func TestAnswerTimeoutBeginsWithText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		dial := script("220 hi", offer, "235 in", "250 ok", "250 ok", "354 go on")
		s := toScript(t, "smtp", func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			return &slow{conn, 5 * time.Second}, err
		})
		fails(t, s.Send(t.Context(), hello), doubt, "did not answer the message in time")
		if took := time.Since(start); took != 25*time.Second+answerTimeout { // EHLO, AUTH, MAIL, RCPT, DATA
			t.Errorf("took %v", took)
		}
	})
}

// slow waits before each command.
type slow struct {
	net.Conn
	wait time.Duration
}

func (c *slow) Write(p []byte) (int, error) {
	if !bytes.Contains(p, []byte("Auto-Submitted")) {
		time.Sleep(c.wait)
	}
	return c.Conn.Write(p)
}

// A mail that is confirmed is sent, however long the answer to QUIT takes.
func TestQuitTimeoutIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		sends(t, toScript(t, "smtp", script("220 hi", offer, "235 in", "250 ok", "250 ok", "354 go on", "250 taken")), hello)
		if took := time.Since(start); took != quitTimeout {
			t.Errorf("took %v, want %v", took, quitTimeout)
		}
	})
}

// When svc stops, a session ends at once until the server is ready for the mail, and
// stopTimeout later from then on.
func TestSendGivenUp(t *testing.T) {
	usual := []string{"220 hi", offer, "235 in", "250 ok", "250 ok", "354 go on"}
	tests := []struct {
		name, scheme string
		answers      int
		wait         time.Duration
		meaning      int
		reason       string
	}{
		{"Handshake", "smtps", 0, 0, down, "had not answered when the hand-over was given up"},
		{"Greeting", "smtp", 0, 0, down, "had not answered when the hand-over was given up"},
		{"Hello", "smtp", 1, 0, down, "had not answered when the hand-over was given up"},
		{"SignIn", "smtp", 2, 0, down, "had not answered when the hand-over was given up"},
		{"Sender", "smtp", 3, stopTimeout, again, "had not answered the sender when the hand-over was given up"},
		{"Recipient", "smtp", 4, stopTimeout, again, "had not answered the recipient when the hand-over was given up"},
		{"Data", "smtp", 5, stopTimeout, again, "had not answered the message when the hand-over was given up"},
		{"End", "smtp", 6, stopTimeout, doubt, "had not answered the message when the hand-over was given up"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(errors.New("svc stops")) })
				start := time.Now()
				err := toScript(t, test.scheme, script(usual[:test.answers]...)).Send(ctx, hello)
				fails(t, err, test.meaning, test.reason)
				if took := time.Since(start); took != time.Second+test.wait {
					t.Errorf("took %v, want %v", took, time.Second+test.wait)
				}
				if !errors.Is(err, context.Canceled) {
					t.Errorf("cause = %v", err.Err)
				}
			})
		})
	}
}

// The end of ctx does not keep a server that is ready from taking the mail.
func TestSendOutlivesContextOnceReady(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sink := mailtest.New(t)
	s := parseSMTP(t, sink.URL())
	fails(t, s.Send(ctx, hello), down, "could not be reached: the hand-over was given up")

	ctx, cancel = context.WithCancel(t.Context())
	sink.Fail(mailtest.Sender, func(net.Conn) error { cancel(); return nil })
	if err := s.Send(ctx, hello); err != nil || len(sink.Mails()) != 1 {
		t.Errorf("%v, %d mails", err, len(sink.Mails()))
	}
}
