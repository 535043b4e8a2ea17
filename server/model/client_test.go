package model

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"svc/server/model/modeltest"
)

// What reaches Ollama, and what comes back.

const (
	reader = "reader:1b" // reads
	seer   = "seer:3b"   // reads and sees
)

var schema = json.RawMessage(`{"type":"object","properties":{"zeta":{"type":"string","maxLength":20},"alpha":{"type":"string","maxLength":20}},"required":["zeta","alpha"]}`)

const object = `{"zeta":"z","alpha":"a"}`

func question() Request {
	return Request{Model: reader, System: "You answer in JSON.", Prompt: "What is the first letter of all?", Schema: schema}
}

func picture(t *testing.T) Request {
	r := question()
	r.Model, r.Images = seer, [][]byte{modeltest.Photo(t, 96, 64)}
	return r
}

func newStandIn(t *testing.T) (*modeltest.Ollama, *Client) {
	t.Helper()
	o := modeltest.New(t)
	o.Add(reader)
	o.Add(seer, "completion", "vision")
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
	o, c := newStandIn(t)
	o.Answer("  \n" + object + "\n ")
	if got := ask(t, c, question()); got != object {
		t.Errorf("answer = %s", got)
	}

	sent := o.Requests()
	if len(sent) != 1 {
		t.Fatalf("%d requests, want 1: a question without a picture needs no look", len(sent))
	}
	r := sent[0]
	if r.Path != "/api/chat" || r.Model != reader || r.System != question().System || r.Prompt != question().Prompt || r.Messages != 2 {
		t.Errorf("request = %+v", r)
	}
	if !bytes.Equal(r.Format, schema) {
		t.Errorf("format = %s, want the schema as it was written", r.Format)
	}
	expectOptions(t, r, 8192, 512)
}

func expectOptions(t *testing.T, r modeltest.Request, numCtx, numPredict float64) {
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

func TestAskWithAPicture(t *testing.T) {
	o, c := newStandIn(t)
	o.Answer(object)
	r := picture(t)
	r.Images = append(r.Images, modeltest.Photo(t, 100, 80))
	r.NumPredict, r.NumCtx = 99, 2048
	if got := ask(t, c, r); got != object {
		t.Errorf("answer = %s", got)
	}

	sent := o.Requests()
	if len(sent) != 2 || sent[0].Path != "/api/show" || sent[1].Path != "/api/chat" {
		t.Fatalf("requests = %+v, want a look and a question", sent)
	}
	images := sent[1].Images
	if len(images) != 2 || !bytes.Equal(images[0].Bytes, r.Images[0]) || !bytes.Equal(images[1].Bytes, r.Images[1]) {
		t.Errorf("%d images, or not those that were given", len(images))
	}
	expectOptions(t, sent[1], 2048, 99)
}

func TestConfig(t *testing.T) {
	o := modeltest.New(t)
	o.Add(reader)
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

func TestAddresses(t *testing.T) {
	for _, address := range []string{"", "127.0.0.1:11434", "localhost", "ftp://host", "http://", "http://:11434", "http://u:s3cret@host/?q", "http://host/#f", "http://u:s3cret@ho st", "http://host:port"} {
		c, err := New(Config{URL: address})
		if err == nil || c != nil {
			t.Errorf("%q is taken", address)
			continue
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", address, err)
		}
	}
	for _, address := range []string{"http://127.0.0.1:11434", "https://user:pass@ollama.example/path", "http://[::1]:11434/"} {
		client(t, Config{URL: address})
	}
}

func TestCredentialsReachOllama(t *testing.T) {
	o := modeltest.New(t)
	o.Add(seer, "vision", "completion")
	o.Answer(object)
	c := client(t, Config{URL: strings.Replace(o.URL, "http://", "http://user:s3cret@", 1)})
	ask(t, c, picture(t))
	for _, r := range o.Requests() {
		if got := r.Header.Get("Authorization"); got != "Basic dXNlcjpzM2NyZXQ=" {
			t.Errorf("%s: Authorization = %q", r.Path, got)
		}
	}
}

// The second call.

func TestProseIsAskedForAgain(t *testing.T) {
	tests := map[string]func(*modeltest.Ollama){
		"Prose":        (*modeltest.Ollama).Prose,
		"HalfJSON":     (*modeltest.Ollama).HalfJSON,
		"Nothing":      func(o *modeltest.Ollama) { o.Answer("") },
		"Spaces":       func(o *modeltest.Ollama) { o.Answer(" \n\t ") },
		"HTML":         func(o *modeltest.Ollama) { o.Answer("<html><body>no</body></html>") },
		"Array":        func(o *modeltest.Ollama) { o.Answer(`[{"zeta":"z"}]`) },
		"Text":         func(o *modeltest.Ollama) { o.Answer(`"z"`) },
		"Null":         func(o *modeltest.Ollama) { o.Answer(`null`) },
		"TwoObjects":   func(o *modeltest.Ollama) { o.Answer(object + object) },
		"Fenced":       func(o *modeltest.Ollama) { o.Answer("```json\n" + object + "\n```") },
		"LongProse":    func(o *modeltest.Ollama) { o.CutOff("Let me think about this photo, which") },
		"EndlessNull":  func(o *modeltest.Ollama) { o.CutOff("") },
		"OnlyThoughts": func(o *modeltest.Ollama) { o.Thought(object) }, // of a chat they do not count
	}
	for name, first := range tests {
		t.Run(name, func(t *testing.T) {
			o, c := newStandIn(t)
			first(o)
			o.Answer(object)
			r := picture(t)
			if got := ask(t, c, r); got != object {
				t.Errorf("answer = %s", got)
			}

			sent := o.Questions()
			if len(sent) != 2 || sent[0].Path != "/api/chat" || sent[1].Path != "/api/generate" {
				t.Fatalf("requests = %+v", sent)
			}
			again := sent[1]
			if again.Model != seer || again.System != r.System || again.Prompt != r.Prompt || !bytes.Equal(again.Format, schema) {
				t.Errorf("second request = %+v", again)
			}
			if len(again.Images) != 1 || !bytes.Equal(again.Images[0].Bytes, r.Images[0]) {
				t.Error("the second request has not the picture")
			}
			expectOptions(t, again, 8192, 512)
		})
	}
}

func TestAnswerInTheThoughtsOfAPlainPrompt(t *testing.T) {
	o, c := newStandIn(t)
	o.Prose()
	o.Thought(object)
	if got := ask(t, c, question()); got != object {
		t.Errorf("answer = %s", got)
	}
}

func TestProseTwice(t *testing.T) {
	o, c := newStandIn(t)
	o.Prose()
	e := fails(t, c, question(), Malformed)
	if !strings.Contains(e.Reason, reader) {
		t.Errorf("Reason = %q, want the model's name in it", e.Reason)
	}
	if n := len(o.Questions()); n != 2 {
		t.Errorf("%d questions, want 2", n)
	}
}

func TestStream(t *testing.T) {
	o, c := newStandIn(t)
	o.Stream(`{"zeta":"z`, ``, `","al`, `pha":"ä"}`)
	if got := ask(t, c, question()); got != `{"zeta":"z","alpha":"ä"}` {
		t.Errorf("answer = %s", got)
	}
}

// What is known of models.

func TestSightIsKnownForAWhile(t *testing.T) {
	o := modeltest.New(t)
	o.Add(seer, "completion", "vision")
	o.Answer(object)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := client(t, Config{URL: o.URL, Now: func() time.Time { return now }})

	looks := func(want int) {
		t.Helper()
		n := len(o.Requests()) - len(o.Questions())
		if n != want {
			t.Errorf("%d looks, want %d", n, want)
		}
	}
	ask(t, c, picture(t))
	ask(t, c, picture(t))
	looks(1)
	now = now.Add(sightLife - time.Second)
	ask(t, c, picture(t))
	looks(1)
	now = now.Add(time.Second)
	ask(t, c, picture(t))
	looks(2)

	other := picture(t)
	other.Model = "other"
	o.Add("other", "completion", "vision")
	ask(t, c, other)
	looks(3)
}

func TestSightIsLookedUpAgainAfterMissing(t *testing.T) {
	o, c := newStandIn(t)
	o.Answer(object)
	ask(t, c, picture(t))

	o.Remove(seer)
	fails(t, c, picture(t), Missing)
	o.Add(seer) // pulled again, and blind now
	fails(t, c, picture(t), NoVision)
	if n := len(o.Questions()); n != 2 {
		t.Errorf("%d questions, want the first and the one that found nothing", n)
	}

	o.Add(seer, "completion", "vision")
	ask(t, c, picture(t))
}

// Turns.

// kept is a client whose questions stay with Ollama until end is called once for
// each of them. Loading a model takes no time.
func kept(t *testing.T, config Config) (c *Client, underWay *atomic.Int32, end func()) {
	t.Helper()
	underWay = &atomic.Int32{}
	ends := make(chan struct{})
	c = faked(t, config, func(r *http.Request) (*http.Response, error) {
		if body, _ := io.ReadAll(r.Body); bytes.Contains(body, []byte(`"messages":null`)) {
			return respond(200, `{"done":true,"done_reason":"load"}`), nil
		}
		underWay.Add(1)
		defer underWay.Add(-1)
		select {
		case <-ends:
			return respond(200, `{"message":{"content":"{}"},"done":true,"done_reason":"stop"}`), nil
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	})
	return c, underWay, func() { ends <- struct{}{} }
}

func TestTwoQuestionsAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, underWay, end := kept(t, Config{})
		var running sync.WaitGroup
		for range 5 {
			running.Go(func() { ask(t, c, question()) })
		}
		for _, want := range []int32{2, 2, 2, 2, 1} {
			synctest.Wait()
			if n := underWay.Load(); n != want {
				t.Errorf("%d questions under way, want %d", n, want)
			}
			end()
		}
		running.Wait()
	})
}

func TestWaitForATurnEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, underWay, end := kept(t, Config{})
		var running sync.WaitGroup
		for range maxCalls {
			running.Go(func() { ask(t, c, question()) })
		}
		synctest.Wait()

		began := time.Now()
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := c.Ask(short, question())
		expectKind(t, err, Slow)
		canceled, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err = c.Ask(canceled, question())
		expectKind(t, err, Canceled)
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("gave up after %v", took)
		}
		if err := c.Preload(t.Context(), reader); err != nil {
			t.Errorf("loading a model waits for a turn: %v", err)
		}
		if n := underWay.Load(); n != maxCalls {
			t.Errorf("%d questions under way, want %d", n, maxCalls)
		}

		for range maxCalls {
			end()
		}
		running.Wait()
		running.Go(end)
		ask(t, c, question())
		running.Wait()
	})
}

// A question that fails gives its turn back.
func TestTurnsComeBack(t *testing.T) {
	o, c := newStandIn(t)
	o.Crash()
	for range 3 * maxCalls {
		fails(t, c, question(), Failed)
	}
}

// Time.

func TestTimeout(t *testing.T) {
	o, _ := newStandIn(t)
	arrived := o.Hang()
	c := client(t, Config{URL: o.URL, Timeout: 50 * time.Millisecond})
	e := fails(t, c, question(), Slow)
	<-arrived
	if !strings.Contains(e.Error(), "deadline") {
		t.Errorf("error = %v", e)
	}
}

func TestDefaultTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := faked(t, Config{}, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		began := time.Now()
		fails(t, c, question(), Slow)
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("gave up after %v", took)
		}

		began = time.Now()
		expectKind(t, c.Preload(t.Context(), reader), Slow)
		if took := time.Since(began); took != loadTimeout {
			t.Errorf("gave up loading after %v", took)
		}
	})
}

func TestCancelIsPrompt(t *testing.T) {
	o, c := newStandIn(t)
	arrived := o.Hang()
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := c.Ask(ctx, question())
		failed <- err
	}()
	<-arrived
	cancel()
	select {
	case err := <-failed:
		expectKind(t, err, Canceled)
	case <-time.After(5 * time.Second):
		t.Fatal("still waits")
	}
}

func TestCanceledBefore(t *testing.T) {
	o, c := newStandIn(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		_, err := c.Ask(ctx, question())
		expectKind(t, err, Canceled)
	}
	if n := len(o.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// A full queue.

// faked is a client whose requests go to respond, for a test in a bubble.
func faked(t *testing.T, config Config, respond roundTripper) *Client {
	t.Helper()
	config.URL = "http://user:s3cret@ollama.example:11434/under"
	c, err := newClient(config, respond)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func respond(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{}}
}

const busyBody = `{"error":"server busy, please try again.  maximum pending requests exceeded"}`

func TestBusyIsTriedAgain(t *testing.T) {
	o, c := newStandIn(t)
	o.Busy()
	o.Answer(object)
	if got := ask(t, c, question()); got != object {
		t.Errorf("answer = %s", got)
	}
	if n := len(o.Questions()); n != 2 {
		t.Errorf("%d questions, want 2", n)
	}
}

func TestBusyToTheEnd(t *testing.T) {
	for _, body := range []string{busyBody, "<html>t0ken</html>", ""} {
		synctest.Test(t, func(t *testing.T) {
			var calls []time.Time
			c := faked(t, Config{}, func(r *http.Request) (*http.Response, error) {
				calls = append(calls, time.Now())
				return respond(503, body), nil
			})
			if e := fails(t, c, question(), Busy); strings.Contains(e.Error(), "t0ken") {
				t.Errorf("error = %v: it quotes the answer", e)
			}
			if len(calls) != 1+len(busyDelays) {
				t.Fatalf("%d calls", len(calls))
			}
			for i, delay := range busyDelays {
				if pause := calls[i+1].Sub(calls[i]); pause < delay/2 || pause >= delay*3/2 {
					t.Errorf("pause %d = %v", i, pause)
				}
			}
		})
	}
}

func TestBusyHasAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		c := faked(t, Config{Timeout: 100 * time.Millisecond}, func(*http.Request) (*http.Response, error) {
			calls++
			return respond(503, busyBody), nil
		})
		began := time.Now()
		fails(t, c, question(), Busy)
		if took := time.Since(began); calls != 1 || took != 0 {
			t.Errorf("%d calls, %v: it waits for what it cannot have", calls, took)
		}
	})
}

func TestCancelWhileBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := faked(t, Config{}, func(*http.Request) (*http.Response, error) { return respond(503, busyBody), nil })
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		began := time.Now()
		_, err := c.Ask(ctx, question())
		expectKind(t, err, Canceled)
		if took := time.Since(began); took != time.Millisecond {
			t.Errorf("gave up after %v", took)
		}
	})
}

// Loading.

func TestPreload(t *testing.T) {
	o, c := newStandIn(t)
	if err := c.Preload(t.Context(), reader); err != nil {
		t.Fatal(err)
	}
	sent := o.Requests()
	if len(sent) != 1 || sent[0].Path != "/api/chat" || sent[0].Messages != 0 || sent[0].Model != reader {
		t.Fatalf("requests = %+v", sent)
	}
	// With another context size Ollama would load the model anew for the first question.
	expectOptions(t, sent[0], 8192, 512)

	expectKind(t, c.Preload(t.Context(), "nobody"), Missing)
	o.Down()
	expectKind(t, c.Preload(t.Context(), reader), Down)
}

func TestPreloadOfWhatLoadsNothing(t *testing.T) {
	for _, body := range []string{"", "{}", `{"done":true,"done_reason":"unload"}`, `{"done_reason":"load"}`} {
		c := faked(t, Config{}, func(*http.Request) (*http.Response, error) { return respond(200, body), nil })
		expectKind(t, c.Preload(t.Context(), reader), Malformed)
	}
}

// The log.

func TestLog(t *testing.T) {
	o := modeltest.New(t)
	o.Add(seer, "completion", "vision")
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
	if l.Level != "INFO" || l.Msg != "model asked" || l.Model != seer || l.Images != 1 || l.Calls != 3 || l.Cause != "" {
		t.Errorf("line = %+v", l)
	}
	// 256 for the picture, 5 and 8 for the texts, twice; the answers have 20 and 6.
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
}
