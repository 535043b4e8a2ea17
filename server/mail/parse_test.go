package mail

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

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

func TestParseSMTPRefuses(t *testing.T) {
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
