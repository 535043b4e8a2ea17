package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/server/llm/llmtest"
)

// Requests to Ollama and their answers.

const (
	textModel   = "reader:1b"
	visionModel = "seer:3b"
)

var schema = json.RawMessage(`{"type":"object","properties":{"zeta":{"type":"string","maxLength":20},"alpha":{"type":"string","maxLength":20}},"required":["zeta","alpha"]}`)

const object = `{"zeta":"z","alpha":"a"}`

func question() Request {
	return Request{Model: textModel, System: "You answer in JSON.", Prompt: "What is the first letter of all?", Schema: schema}
}

func picture(t *testing.T) Request {
	r := question()
	r.Model, r.Images = visionModel, [][]byte{llmtest.Photo(t, 96, 64)}
	return r
}

func newOllama(t *testing.T) (*llmtest.Ollama, *Client) {
	t.Helper()
	o := llmtest.New(t)
	o.Add(textModel)
	o.Add(visionModel, "completion", "vision")
	return o, client(t, Config{URL: o.URL})
}

func client(t *testing.T, config Config) *Client {
	t.Helper()
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ask(t *testing.T, m Model, r Request) string {
	t.Helper()
	answer, err := m.Ask(t.Context(), r)
	if err != nil {
		t.Fatalf("Ask: %v", err)
	}
	return string(answer)
}

func TestAsk(t *testing.T) {
	o, c := newOllama(t)
	o.Answer("  \n" + object + "\n ")
	if got := ask(t, c, question()); got != object {
		t.Errorf("answer = %s, want %s", got, object)
	}

	sent := o.Requests()
	if len(sent) != 1 {
		t.Fatalf("%d requests, want 1: a question without a picture needs no /api/show", len(sent))
	}
	r := sent[0]
	if r.Path != "/api/chat" || r.Model != textModel || r.System != question().System || r.Prompt != question().Prompt || r.Messages != 2 {
		t.Errorf("request = %+v", r)
	}
	if !bytes.Equal(r.Format, schema) {
		t.Errorf("format = %s, want the schema as it was written", r.Format)
	}
	expectOptions(t, r, 8192, 512)
}

func expectOptions(t *testing.T, r llmtest.Request, numCtx, numPredict float64) {
	t.Helper()
	want := map[string]float64{"temperature": 0, "seed": 1, "num_ctx": numCtx, "num_predict": numPredict}
	for name, value := range want {
		if got, ok := r.Options[name]; !ok || got != value {
			t.Errorf("%s: option %s = %v, %v, want %v", r.Path, name, got, ok, value)
		}
	}
	if len(r.Options) != len(want) {
		t.Errorf("%s: options = %v", r.Path, r.Options)
	}
	for name, value := range map[string]*bool{"think": r.Think, "stream": r.Stream, "truncate": r.Truncate, "shift": r.Shift} {
		if value == nil || *value {
			t.Errorf("%s: %s is not false", r.Path, name)
		}
	}
	if r.KeepAlive == nil || *r.KeepAlive != 30*time.Minute {
		t.Errorf("%s: keep_alive = %v", r.Path, r.KeepAlive)
	}
}

func TestAskWithImages(t *testing.T) {
	o, c := newOllama(t)
	o.Answer(object)
	r := picture(t)
	r.Images = append(r.Images, llmtest.Photo(t, 100, 80))
	r.NumPredict = 99
	if got := ask(t, c, r); got != object {
		t.Errorf("answer = %s, want %s", got, object)
	}

	sent := o.Requests()
	if len(sent) != 2 || sent[0].Path != "/api/show" || sent[1].Path != "/api/chat" {
		t.Fatalf("requests = %+v, want /api/show and /api/chat", sent)
	}
	images := sent[1].Images
	if len(images) != 2 || !bytes.Equal(images[0].Bytes, r.Images[0]) || !bytes.Equal(images[1].Bytes, r.Images[1]) {
		t.Errorf("%d images, or not those of the request", len(images))
	}
	expectOptions(t, sent[1], 8192, 99)
}

func TestConfig(t *testing.T) {
	o := llmtest.New(t)
	o.Add(textModel)
	o.Answer(object)
	c := client(t, Config{URL: o.URL + "/", KeepAlive: -time.Second, NumCtx: 1024})
	r := question()
	r.System, r.Schema = "", nil
	ask(t, c, r)

	sent := o.Questions()[0]
	if *sent.KeepAlive >= 0 || sent.Options["num_ctx"] != 1024 {
		t.Errorf("keep_alive = %v, options = %v", sent.KeepAlive, sent.Options)
	}
	if sent.Messages != 1 || string(sent.Format) != `"json"` {
		t.Errorf("%d messages, format %s", sent.Messages, sent.Format)
	}
}

func TestNewChecksAddress(t *testing.T) {
	for _, address := range []string{"", "127.0.0.1:11434", "localhost", "ftp://host", "http://", "http://:11434", "http://u:s3cret@host/?q", "http://host/#f", "http://u:s3cret@ho st", "http://host:port"} {
		c, err := New(Config{URL: address})
		if err == nil || c != nil {
			t.Errorf("New accepts %q", address)
			continue
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("New(%q): %v: the error has the password", address, err)
		}
	}
	for _, address := range []string{"http://127.0.0.1:11434", "https://user:pass@ollama.example/path", "http://[::1]:11434/"} {
		client(t, Config{URL: address})
	}
}

func TestCredentialsReachOllama(t *testing.T) {
	o := llmtest.New(t)
	o.Add(visionModel, "vision", "completion")
	o.Answer(object)
	c := client(t, Config{URL: strings.Replace(o.URL, "http://", "http://user:s3cret@", 1)})
	ask(t, c, picture(t))
	for _, r := range o.Requests() {
		if got := r.Header.Get("Authorization"); got != "Basic dXNlcjpzM2NyZXQ=" {
			t.Errorf("%s: Authorization = %q", r.Path, got)
		}
	}
}

// The second call, after an answer that is not JSON.

func TestAskRepeatsAsPlainPromptAfterProse(t *testing.T) {
	tests := map[string]func(*llmtest.Ollama){
		"Prose":        (*llmtest.Ollama).Prose,
		"HalfJSON":     (*llmtest.Ollama).HalfJSON,
		"Nothing":      func(o *llmtest.Ollama) { o.Answer("") },
		"Spaces":       func(o *llmtest.Ollama) { o.Answer(" \n\t ") },
		"HTML":         func(o *llmtest.Ollama) { o.Answer("<html><body>no</body></html>") },
		"Array":        func(o *llmtest.Ollama) { o.Answer(`[{"zeta":"z"}]`) },
		"Text":         func(o *llmtest.Ollama) { o.Answer(`"z"`) },
		"Null":         func(o *llmtest.Ollama) { o.Answer(`null`) },
		"TwoObjects":   func(o *llmtest.Ollama) { o.Answer(object + object) },
		"Fenced":       func(o *llmtest.Ollama) { o.Answer("```json\n" + object + "\n```") },
		"LongProse":    func(o *llmtest.Ollama) { o.CutOff("Let me think about this photo, which") },
		"EndlessNull":  func(o *llmtest.Ollama) { o.CutOff("") },
		"OnlyThoughts": func(o *llmtest.Ollama) { o.Thinking(object) }, // in a chat the thinking is not the answer
	}
	for name, first := range tests {
		t.Run(name, func(t *testing.T) {
			o, c := newOllama(t)
			first(o)
			o.Answer(object)
			r := picture(t)
			if got := ask(t, c, r); got != object {
				t.Errorf("answer = %s, want %s", got, object)
			}

			sent := o.Questions()
			if len(sent) != 2 || sent[0].Path != "/api/chat" || sent[1].Path != "/api/generate" {
				t.Fatalf("requests = %+v", sent)
			}
			again := sent[1]
			if again.Model != visionModel || again.System != r.System || again.Prompt != r.Prompt || !bytes.Equal(again.Format, schema) {
				t.Errorf("second request = %+v", again)
			}
			if len(again.Images) != 1 || !bytes.Equal(again.Images[0].Bytes, r.Images[0]) {
				t.Error("the second request does not have the picture")
			}
			expectOptions(t, again, 8192, 512)
		})
	}
}

func TestAskTakesThinkingOfPlainPrompt(t *testing.T) {
	o, c := newOllama(t)
	o.Prose()
	o.Thinking(object)
	if got := ask(t, c, question()); got != object {
		t.Errorf("answer = %s, want %s", got, object)
	}
}

func TestAskFailsAfterProseTwice(t *testing.T) {
	o, c := newOllama(t)
	o.Prose()
	e := fails(t, c, question(), Malformed)
	if !strings.Contains(e.Reason, textModel) {
		t.Errorf("Reason = %q, want the model's name in it", e.Reason)
	}
	if n := len(o.Questions()); n != 2 {
		t.Errorf("%d questions, want 2", n)
	}
}

func TestAskJoinsStream(t *testing.T) {
	o, c := newOllama(t)
	o.Stream(`{"zeta":"z`, ``, `","al`, `pha":"ä"}`)
	if got := ask(t, c, question()); got != `{"zeta":"z","alpha":"ä"}` {
		t.Errorf("answer = %s", got)
	}
}

// The cache of models with vision.

func TestVisionIsCached(t *testing.T) {
	o := llmtest.New(t)
	o.Add(visionModel, "completion", "vision")
	o.Answer(object)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := client(t, Config{URL: o.URL, Now: func() time.Time { return now }})

	expectShows := func(want int) {
		t.Helper()
		n := len(o.Requests()) - len(o.Questions())
		if n != want {
			t.Errorf("%d requests to /api/show, want %d", n, want)
		}
	}
	ask(t, c, picture(t))
	ask(t, c, picture(t))
	expectShows(1)
	now = now.Add(visionTTL - time.Second)
	ask(t, c, picture(t))
	expectShows(1)
	now = now.Add(time.Second)
	ask(t, c, picture(t))
	expectShows(2)

	other := picture(t)
	other.Model = "other"
	o.Add("other", "completion", "vision")
	ask(t, c, other)
	expectShows(3)
}

func TestVisionIsForgottenAfterFailure(t *testing.T) {
	o, c := newOllama(t)
	o.Answer(object)
	ask(t, c, picture(t))

	o.Remove(visionModel)
	fails(t, c, picture(t), Missing)
	o.Add(visionModel) // pulled again, now without vision
	fails(t, c, picture(t), NoVision)
	if n := len(o.Questions()); n != 2 {
		t.Errorf("%d questions, want 2: the first, and the one for the missing model", n)
	}

	o.Add(visionModel, "completion", "vision")
	ask(t, c, picture(t))
}

// Loading.

func TestPreload(t *testing.T) {
	o, c := newOllama(t)
	if err := c.Preload(t.Context(), textModel); err != nil {
		t.Fatal(err)
	}
	sent := o.Requests()
	if len(sent) != 1 || sent[0].Path != "/api/chat" || sent[0].Messages != 0 || sent[0].Model != textModel {
		t.Fatalf("requests = %+v", sent)
	}
	// With another context size Ollama would reload the model for the first question.
	expectOptions(t, sent[0], 8192, 512)

	expectKind(t, c.Preload(t.Context(), "nobody"), Missing)
	o.Down()
	expectKind(t, c.Preload(t.Context(), textModel), Down)
}

func TestPreloadFailsWithoutConfirmation(t *testing.T) {
	for _, body := range []string{"", "{}", `{"done":true,"done_reason":"unload"}`, `{"done_reason":"load"}`} {
		c := faked(t, Config{}, func(*http.Request) (*http.Response, error) { return respond(200, body), nil })
		expectKind(t, c.Preload(t.Context(), textModel), Malformed)
	}
}

// The log.

func TestLog(t *testing.T) {
	o := llmtest.New(t)
	o.Add(visionModel, "completion", "vision")
	var lines bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&lines, nil))
	c := client(t, Config{URL: o.URL, Log: log})
	last := func() (line struct {
		Level, Msg, Model, Cause              string
		Images, Calls                         int
		Prompt_tokens, Answer_tokens, Load_ms int
		Took_ms                               *int
	}) {
		t.Helper()
		if n := strings.Count(lines.String(), "\n"); n != 1 {
			t.Errorf("%d lines, want 1: %s", n, lines.String())
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		lines.Reset()
		return line
	}

	o.Prose()
	o.Answer(object)
	ask(t, c, picture(t))
	l := last()
	if l.Level != "INFO" || l.Msg != "model asked" || l.Model != visionModel || l.Images != 1 || l.Calls != 3 || l.Cause != "" {
		t.Errorf("line = %+v", l)
	}
	// Twice: 256 tokens for the picture, 5 and 8 for the texts. The answers have 20 and 6.
	if l.Prompt_tokens != 2*(256+5+8) || l.Answer_tokens < 20 || l.Load_ms != 2 || l.Took_ms == nil {
		t.Errorf("line = %+v", l)
	}

	o.Crash()
	fails(t, c, picture(t), Failed)
	if l := last(); l.Level != "WARN" || !strings.Contains(l.Cause, "unexpectedly stopped") {
		t.Errorf("line = %+v", l)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.Ask(ctx, picture(t))
	if l := last(); l.Level != "INFO" || !strings.Contains(l.Cause, "canceled") {
		t.Errorf("line = %+v", l)
	}

	if err := c.Preload(t.Context(), visionModel); err != nil {
		t.Fatal(err)
	}
	if l := last(); l.Level != "INFO" || l.Msg != "model loaded" || l.Cause != "" {
		t.Errorf("line = %+v", l)
	}
	expectKind(t, c.Preload(t.Context(), "nobody"), Missing)
	if l := last(); l.Level != "WARN" || l.Msg != "model not loaded" || !strings.Contains(l.Cause, "not found") {
		t.Errorf("line = %+v", l)
	}
}
