package carrier

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

// hides fails if any text of the error or its causes contains a secret.
func (e *Error) hides(t *testing.T, secrets ...string) {
	t.Helper()
	texts := []string{e.Error(), e.Reason}
	for err := e.Err; err != nil; err = errors.Unwrap(err) {
		texts = append(texts, err.Error())
	}
	for _, text := range texts {
		for _, s := range secrets {
			if strings.Contains(text, s) {
				t.Errorf("%q contains %q", text, s)
			}
		}
	}
}

// echo answers with status 400 and the request's credentials in the reason.
func echo(shape func(reason string) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		reason := "bad credentials " + r.Header.Get("Authorization") + " at http://" + r.Host + r.RequestURI
		if user, password, ok := r.BasicAuth(); ok {
			reason += " of " + user + ":" + password
		}
		body, _ := json.Marshal(shape(reason))
		answering(400, string(body))(w, r)
	}
}

func TestReasonHidesCredentials(t *testing.T) {
	t.Run("WhatsApp", func(t *testing.T) {
		p := newProvider(t, echo(func(s string) any { return map[string]any{"error": map[string]any{"message": s}} }))
		e := fails(t, t.Context(), NewWhatsApp(WhatsApp{API: p.URL, PhoneID: "555", Token: "EAAtoken"}))
		e.hides(t, "EAAtoken")
		e.expect(t, false, "refused the message: bad credentials Bearer [redacted] at [redacted]/555/messages (HTTP 400)")
	})

	t.Run("Twilio", func(t *testing.T) {
		p := newProvider(t, echo(func(s string) any { return map[string]any{"message": s} }))
		e := fails(t, t.Context(), NewTwilio(Twilio{API: p.URL, SID: "AC99", Token: "tw/token"}))
		e.hides(t, "AC99", "tw/token", "tw%2Ftoken", basicToken("AC99", "tw/token"))
	})

	t.Run("Webhook", func(t *testing.T) {
		p := newProvider(t, echo(func(s string) any { return map[string]any{"error": s + " " + webhookSecret} }))
		address := strings.Replace(p.URL, "//", "//op:hunter2@", 1) + "/hooks/0123456789abcdef?secret=swordfish&v=1"
		e := fails(t, t.Context(), newTestWebhook(address))
		e.hides(t, "hunter2", "swordfish", "0123456789abcdef", webhookSecret, basicToken("op", "hunter2"))
		if !strings.Contains(e.Reason, "(HTTP 400)") {
			t.Errorf("Reason = %q", e.Reason)
		}
	})
}

func TestCauseHidesCredentials(t *testing.T) {
	const path = "/hooks/0123456789abcdef?secret=swordfish"
	secrets := []string{"hunter2", "swordfish", "0123456789abcdef", webhookSecret}

	t.Run("NotReached", func(t *testing.T) {
		for _, dial := range []dialFunc{nameless, refused} {
			e := fails(t, t.Context(), newTestWebhook("http://op:hunter2@sms.invalid"+path).through(dial))
			e.hides(t, append(secrets, "op:")...)
		}
	})

	t.Run("BadAddress", func(t *testing.T) {
		fails(t, t.Context(), newTestWebhook("http://op:hunter2@sms.invalid:port"+path)).hides(t, secrets...)
	})

	t.Run("InvalidHeader", func(t *testing.T) {
		e := fails(t, t.Context(), NewWhatsApp(WhatsApp{API: "http://sms.invalid", PhoneID: "5", Token: "EAA\ntoken"}))
		e.expect(t, false, "could not be reached")
		e.hides(t, "EAA", "token")
	})

	// net/http quotes what it cannot read, here the secrets.
	t.Run("UnreadableAnswer", func(t *testing.T) {
		p := newProvider(t, cutting(t, "hunter2 swordfish 0123456789abcdef "+webhookSecret+"\r\n"))
		address := strings.Replace(p.URL, "//", "//op:hunter2@", 1) + path
		e := fails(t, t.Context(), newTestWebhook(address))
		if !e.Unknown || !strings.Contains(e.Err.Error(), "[redacted]") {
			t.Errorf("Unknown = %v, Err = %v, want the redacted quotation", e.Unknown, e.Err)
		}
		e.hides(t, secrets...)
	})
}

func TestCleanHidesEscapedSecrets(t *testing.T) {
	r := newRedactor("s3cret", "s3cret-longer", "with  two", "a/b c", "")
	tests := []struct{ name, in, want string }{
		{"Plain", "no such number", "no such number"},
		{"OneLine", " one\r\n two\tthree \u2028four ", "one two three four"},
		{"Control", "a\x00b\x1b[31mc\u202ed\u200be", "ab[31mcde"},
		{"NotUTF8", "a\xffb", "a\uFFFDb"},
		{"Secret", "token s3cret is bad", "token [redacted] is bad"},
		{"LongestFirst", "s3cret-longer", "[redacted]"},
		{"FoldedSecret", "it is with  two!", "it is [redacted]!"},
		{"BrokenSecret", "s3\x00cret", "[redacted]"},
		{"EscapedForAQuery", "?x=a%2Fb+c", "?x=[redacted]"},
		{"EscapedForAPath", "/a%2Fb%20c", "/[redacted]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := r.Clean(test.in); got != test.want {
				t.Errorf("Clean = %q, want %q", got, test.want)
			}
		})
	}
}

func TestCleanCutsLongReason(t *testing.T) {
	got := newRedactor().Clean(strings.Repeat("ä", 500))
	if n := utf8.RuneCountInString(got); n != maxReasonRunes || !strings.HasSuffix(got, "ä…") {
		t.Errorf("%d runes: %q", n, got)
	}
	if whole := strings.Repeat("ä", maxReasonRunes); newRedactor().Clean(whole) != whole {
		t.Error("a reason of maxReasonRunes was cut")
	}
}
