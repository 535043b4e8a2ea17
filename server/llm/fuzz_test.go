package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
)

// FuzzParseProduct checks that any answer gives a well-formed product or an error.
func FuzzParseProduct(f *testing.F) {
	for _, seed := range []string{
		coffee(nil), coffee(map[string]any{"name": "unknown"}), coffee(map[string]any{"name": "<b>x</b>\x00"}),
		`{"name":"a\ud800\u0000"}`, `{"NAME":"x","name":null}`, "{}", "null", "", "prose", `{"name":"`, "{\"name\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		p, err := parseProduct(answer)
		if err != nil {
			if p != (Product{}) || len(err.Error()) > 100 {
				t.Errorf("%+v, %v", p, err)
			}
			return
		}
		if err := wellFormed(p); err != nil {
			t.Error(err)
		}
	})
}

// FuzzAsk checks that any response gives a JSON object, or an *Error that does not quote
// the question.
func FuzzAsk(f *testing.F) {
	done := `{"message":{"content":"{}"},"response":"{}","done":true,"done_reason":"stop"}`
	for _, body := range []string{
		done, strings.Replace(done, "stop", "length", 1), "", "{}", "null", "[]", "<html>", `{"error":"x"}`,
		`{"message":{"content":"{"}}` + "\n" + done, done[:40], "\xff\n\n\x00", `{"done":"yes"}`, question().Prompt,
	} {
		f.Add(200, []byte(body))
	}
	f.Add(404, []byte(`{"error":"model 'x' not found"}`))
	f.Add(500, []byte(`{"error":"cannot read: `+question().Prompt+`"}`))
	f.Add(302, []byte(""))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 200 || status > 599 || status == http.StatusServiceUnavailable {
			return // net/http returns no others, and 503 is repeated after a pause
		}
		c, err := newClient(Config{URL: "http://ollama.example"}, roundTripper(func(*http.Request) (*http.Response, error) {
			return respond(status, string(body)), nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := c.Ask(t.Context(), question())
		if err == nil {
			if !json.Valid(answer) || !bytes.HasPrefix(answer, []byte("{")) {
				t.Errorf("answer = %q", answer)
			}
			return
		}
		e, ok := errors.AsType[*Error](err)
		if !ok || answer != nil || e.Kind == 0 || e.Err == nil {
			t.Fatalf("answer = %q, error = %#v", answer, err)
		}
		if text := err.Error(); len(text) > 2000 || strings.Contains(text, "first letter of all") {
			t.Errorf("error = %v", err)
		}
	})
}
