package message

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"svc/server/carrier"
	"svc/server/fault"
)

// e164 is the rule G3 as a pattern.
var e164 = regexp.MustCompile(`\A\+[1-9][0-9]{7,14}\z`)

func TestLogOmitsProvidersWords(t *testing.T) {
	for _, row := range []struct {
		err  carrier.Error
		want string
	}{
		{carrier.Error{Provider: "twilio", Reason: "refused the message: +447700900123 is a landline (HTTP 400)"}, "twilio: refused the message"},
		{carrier.Error{Provider: "twilio", Reason: "refused the message and gave no reason (HTTP 500)"}, "twilio: refused the message and gave no reason (HTTP 500)"},
		{carrier.Error{Provider: "webhook", Reason: "could not be reached: connection refused", Err: errors.New("dial tcp")}, "webhook: could not be reached: dial tcp"},
	} {
		if got := forLog(&row.err).Error(); got != row.want {
			t.Errorf("%q, want %q", got, row.want)
		}
	}
	cause := errors.New("cause")
	if !errors.Is(refusal(&carrier.Error{Provider: "webhook", Reason: "no", Err: cause}), cause) {
		t.Error("the cause is lost")
	}
}

// FuzzPhone checks that exactly the phones of G3 are accepted.
func FuzzPhone(f *testing.F) {
	for _, seed := range []string{
		"+447700900123", "+12345678", "+123456789012345", "+1234567", "+1234567890123456", "+01234567", "447700900123",
		"++447700900123", "+44 7700 900123", "+٤٤٧٧٠٠٩٠٠١٢٣", "+12345678\n", "+1234567a", "+a1234567", "+1234a567", "", "+",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, phone string) {
		if !utf8.ValidString(phone) {
			return // JSON cannot carry it
		}
		body, err := json.Marshal(map[string]string{"phone": phone, "template": "receipt", "text": "x"})
		if err != nil {
			t.Fatal(err)
		}
		req, err := ParseRequest(body)
		if good := e164.MatchString(phone); good != (err == nil) {
			t.Fatalf("%q: %v", phone, err)
		}
		if err == nil && req.Phone != phone {
			t.Fatalf("%q became %q", phone, req.Phone)
		}
	})
}

// FuzzParseRequest checks that every accepted request may be sent.
func FuzzParseRequest(f *testing.F) {
	const good = `{"phone":"+447700900123","template":"receipt","text":"Thank you"}`
	for _, seed := range []string{
		good, strings.Replace(good, "receipt", "purchase_order", 1), strings.Replace(good, "receipt", "otp", 1),
		strings.Replace(good, "Thank", `\u0000`, 1), strings.Replace(good, "Thank", `\ud83c`, 1), good + good, good[1:],
		`{"phone":"+447700900123","phone":"1","template":"receipt","text":"x"}`, `{"text":null}`, `[]`, ``,
		strings.Replace(good, "Thank you", strings.Repeat("🍵", 1024), 1), strings.Replace(good, "Thank you", strings.Repeat("x", 1025), 1),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := ParseRequest(body)
		if err != nil {
			var e *fault.Error
			if !errors.As(err, &e) || e.Code != fault.InvalidRequest || e.Field == "" {
				t.Fatalf("%q: not a 400 that names a field: %v", body, err)
			}
			return
		}
		var plain map[string]any // exact names, the last of two counts
		if err := json.Unmarshal(body, &plain); err != nil {
			t.Fatalf("%q was accepted: %v", body, err)
		}
		if plain["phone"] != req.Phone || plain["template"] != req.Template || plain["text"] != req.Text {
			t.Fatalf("%q became %+v", body, req)
		}
		if !e164.MatchString(req.Phone) || req.Template != "receipt" && req.Template != "purchase_order" {
			t.Fatalf("%q was accepted: %+v", body, req)
		}
		runes := []rune(req.Text)
		if !utf8.ValidString(req.Text) || len(runes) > 1024 || strings.TrimSpace(req.Text) == "" || strings.ContainsRune(req.Text, 0) {
			t.Fatalf("text %q was accepted", req.Text)
		}
	})
}
