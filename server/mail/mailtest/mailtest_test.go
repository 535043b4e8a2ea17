package mailtest

import (
	"errors"
	"io"
	"net"
	"net/textproto"
	"strings"
	"testing"
	"time"
)

// Each fault acts at its stage: the client is answered as usual before it.
func TestFaultActsAtItsStage(t *testing.T) {
	lines := []string{"", "EHLO a.example", "AUTH PLAIN AGpvAHB3", "MAIL FROM:<a@a.example>", "RCPT TO:<b@b.example>", "DATA", text}
	stages := []struct {
		name string
		at   Stage
		line int // the first one that is not answered as usual
	}{
		{"Greeting", Greeting, 0}, {"Hello", Hello, 1}, {"SignIn", SignIn, 2}, {"Sender", Sender, 3},
		{"Recipient", Recipient, 4}, {"Message", Message, 6}, {"Answer", Answer, 6},
	}
	for _, stage := range stages {
		for name, expect := range map[string]func(*testing.T, *textproto.Conn, *Sink){"Reply": expectReply, "Cut": expectCut, "Hang": expectHang} {
			t.Run(stage.name+name, func(t *testing.T) {
				sink := New(t, Auth("jo", "pw"))
				hang, hangs := Hang()
				sink.Fail(stage.at, map[string]Fault{"Reply": Reply(455, "as told"), "Cut": Cut, "Hang": hang}[name])
				conn, err := net.Dial("tcp", sink.Address)
				if err != nil {
					t.Fatal(err)
				}
				client := textproto.NewConn(conn)
				defer client.Close()
				for _, line := range lines[:stage.line] {
					if code := say(t, client, line); code/100 > 3 {
						t.Fatalf("%s: answer %d", line, code)
					}
				}
				if stage.at != Greeting {
					client.PrintfLine("%s", lines[stage.line])
				}
				if name == "Hang" {
					<-hangs
					conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
				}
				expect(t, client, sink)
				if kept := len(sink.Mails()) == 1; kept != (stage.at == Answer) {
					t.Errorf("the mail is kept: %v", kept)
				}
			})
		}
	}
}

const text = "Subject: hi\r\nContent-Type: text/plain; charset=UTF-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nhi\r\n."

// say writes a line, unless it is empty, and returns the code of the answer.
func say(t *testing.T, client *textproto.Conn, line string) int {
	t.Helper()
	if line != "" {
		client.PrintfLine("%s", line)
	}
	code, _, err := client.ReadResponse(0)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return code
}

func expectReply(t *testing.T, client *textproto.Conn, _ *Sink) {
	if code, words, err := client.ReadResponse(0); code != 455 || !strings.Contains(words, "as told") || err != nil {
		t.Errorf("got %d %s, %v", code, words, err)
	}
}

func expectCut(t *testing.T, client *textproto.Conn, _ *Sink) {
	if line, err := client.ReadLine(); !errors.Is(err, io.EOF) {
		t.Errorf("got %q, %v", line, err)
	}
}

func expectHang(t *testing.T, client *textproto.Conn, sink *Sink) {
	line, err := client.ReadLine()
	if timeout, ok := errors.AsType[net.Error](err); !ok || !timeout.Timeout() {
		t.Errorf("got %q, %v", line, err)
	}
	sink.Down()
}
