package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"github.com/ollama/ollama/api"
)

const (
	defaultTimeout    = 20 * time.Second
	defaultKeepAlive  = 30 * time.Minute
	defaultNumCtx     = 8192
	defaultNumPredict = 512
	// loadTimeout bounds a Preload: a large model on a slow disk takes minutes.
	loadTimeout = 10 * time.Minute
	// maxCalls is how many questions are with Ollama at a time. It answers them
	// one by one unless it is told otherwise; the second one keeps it busy.
	maxCalls = 2
	// seed makes the same question have the same answer.
	seed = 1
)

// busyDelays are the pauses after an answer that Ollama's queue is full.
var busyDelays = []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second}

// Config says where Ollama is. All but the URL may be left out.
type Config struct {
	URL       string           // http or https; may carry a name and a password
	Timeout   time.Duration    // of an Ask from its wait for a turn to the last byte; 20 s
	KeepAlive time.Duration    // how long Ollama keeps an idle model in memory; 30 min, negative for ever
	NumCtx    int              // context size, one for all questions, as another one loads the model anew; 8192
	Log       *slog.Logger     // gets a line for each question; nothing
	Now       func() time.Time // clock of what is known of models; the machine's
}

// Client is the Model that asks Ollama.
type Client struct {
	api       *api.Client
	timeout   time.Duration
	keepAlive time.Duration
	numCtx    int
	log       *slog.Logger
	redactor  redactor
	seeing    *seeing
	turns     chan struct{} // holds one for each question under way
}

var _ Model = (*Client)(nil)

// New returns a client with connections of its own. Nothing is called yet.
func New(config Config) (*Client, error) {
	return newClient(config, newTransport())
}

func newClient(config Config, base http.RoundTripper) (*Client, error) {
	u, err := url.Parse(config.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		// The text is left out: it may hold a password.
		return nil, errors.New("model: Ollama's address is not of the form http://host:port")
	}

	now := config.Now
	if now == nil {
		now = time.Now
	}
	return &Client{
		api: api.NewClient(u, &http.Client{
			Transport:     &transport{base},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}),
		timeout:   cmp.Or(config.Timeout, defaultTimeout),
		keepAlive: cmp.Or(config.KeepAlive, defaultKeepAlive),
		numCtx:    cmp.Or(config.NumCtx, defaultNumCtx),
		log:       cmp.Or(config.Log, slog.New(slog.DiscardHandler)),
		redactor:  newRedactor(u),
		seeing:    newSeeing(now),
		turns:     make(chan struct{}, maxCalls),
	}, nil
}

// Ask implements Model. The model answers with temperature 0 and without
// thinking aloud first.
func (c *Client) Ask(ctx context.Context, r Request) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()

	began := time.Now()
	var spent spent
	answer, err := c.inTurn(ctx, r, &spent)
	if err != nil {
		// It may be another model by now, or one that was pulled again.
		c.seeing.forget(r.Model)
	}
	c.note(ctx, "model asked", r, time.Since(began), spent, err)
	return answer, err
}

// Preload has Ollama load a model, so that the first question finds it in memory.
// It takes as long as that takes, ten minutes at most. A model that is loaded
// already is kept for another KeepAlive and costs next to nothing, so this may
// well be called every few minutes: nothing else brings a model back that takes
// longer to load than an Ask may last, since Ollama gives up loading with it.
func (c *Client) Preload(ctx context.Context, model string) error {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()

	began := time.Now()
	var spent spent
	r := Request{Model: model}
	err := c.load(ctx, r, &spent)
	message := "model loaded"
	if err != nil {
		message = "model not loaded"
	}
	c.note(ctx, message, r, time.Since(began), spent, err)
	return err
}

func (c *Client) load(ctx context.Context, r Request, spent *spent) error {
	said, err := c.chat(ctx, r, nil, spent)
	if err != nil {
		return err
	}
	if !said.done || said.doneReason != "load" {
		return c.redactor.newError(Malformed, r, errors.New("it does not say that the model is loaded"))
	}
	return nil
}

// inTurn waits for its turn and asks.
func (c *Client) inTurn(ctx context.Context, r Request, spent *spent) (json.RawMessage, error) {
	if ctx.Err() == nil {
		select {
		case c.turns <- struct{}{}:
			defer func() { <-c.turns }()
			return c.ask(ctx, r, spent)
		case <-ctx.Done():
		}
	}
	return nil, c.ended(ctx, r, errors.New("while it waited for its turn"))
}

// ask has up to three parts: a look at whether the model sees, the chat, and
// where the chat brought no JSON, the same as a plain prompt. Some models with a
// parser of their own heed the schema only there.
func (c *Client) ask(ctx context.Context, r Request, spent *spent) (json.RawMessage, error) {
	if len(r.Images) > 0 {
		if err := c.mustSee(ctx, r, spent); err != nil {
			return nil, err
		}
	}

	said, err := c.chat(ctx, r, messages(r), spent)
	if err != nil {
		return nil, err
	}
	if said.isProse() {
		if said, err = c.generate(ctx, r, spent); err != nil {
			return nil, err
		}
	}
	object, kind, err := said.object()
	if err != nil {
		return nil, c.redactor.newError(kind, r, err)
	}
	return object, nil
}

func messages(r Request) []api.Message {
	var all []api.Message
	if r.System != "" {
		all = append(all, api.Message{Role: "system", Content: r.System})
	}
	return append(all, api.Message{Role: "user", Content: r.Prompt, Images: images(r)})
}

func images(r Request) []api.ImageData {
	var all []api.ImageData
	for _, image := range r.Images {
		all = append(all, image)
	}
	return all
}

// question is a question without its words, as both kinds of calls have it.
func (c *Client) question(r Request) api.ChatRequest {
	return api.ChatRequest{
		Model:     r.Model,
		Stream:    new(false),
		Format:    format(r),
		KeepAlive: &api.Duration{Duration: c.keepAlive},
		Options:   c.options(r),
		Think:     &api.ThinkValue{Value: false},
		Truncate:  new(false),
		Shift:     new(false),
	}
}

// chat makes one call. Without messages it loads the model.
func (c *Client) chat(ctx context.Context, r Request, messages []api.Message, spent *spent) (speech, error) {
	question := c.question(r)
	question.Messages = messages
	var said speech
	err := c.call(ctx, r, spent, func(ctx context.Context) error {
		return c.api.Chat(ctx, &question, func(part api.ChatResponse) error {
			said.add(part.Message.Content, "", part.Done, part.DoneReason, part.Metrics)
			return nil
		})
	})
	spent.add(said.metrics)
	return said, err
}

// generate makes one call with the same question.
func (c *Client) generate(ctx context.Context, r Request, spent *spent) (speech, error) {
	q := c.question(r)
	question := &api.GenerateRequest{
		System: r.System, Prompt: r.Prompt, Images: images(r),
		Model: q.Model, Stream: q.Stream, Format: q.Format, KeepAlive: q.KeepAlive,
		Options: q.Options, Think: q.Think, Truncate: q.Truncate, Shift: q.Shift,
	}
	var said speech
	err := c.call(ctx, r, spent, func(ctx context.Context) error {
		return c.api.Generate(ctx, question, func(part api.GenerateResponse) error {
			said.add(part.Response, part.Thinking, part.Done, part.DoneReason, part.Metrics)
			return nil
		})
	})
	spent.add(said.metrics)
	return said, err
}

// format is the schema, or any object.
func format(r Request) json.RawMessage {
	if len(r.Schema) == 0 {
		return json.RawMessage(`"json"`)
	}
	return r.Schema
}

func (c *Client) options(r Request) map[string]any {
	return map[string]any{
		"temperature": 0,
		"seed":        seed,
		"num_ctx":     c.numCtx,
		"num_predict": cmp.Or(r.NumPredict, defaultNumPredict),
	}
}

// call makes a call and judges it, and makes it again while Ollama's queue is
// full and there is time.
func (c *Client) call(ctx context.Context, r Request, spent *spent, do func(context.Context) error) error {
	for _, delay := range busyDelays {
		spent.calls++
		err := c.once(ctx, r, do)
		if KindOf(err) != Busy {
			return err
		}
		if !wait(ctx, delay/2+rand.N(delay)) {
			return c.ended(ctx, r, err)
		}
	}
	spent.calls++
	return c.once(ctx, r, do)
}

// wait says whether it waited. It does not begin what the deadline would end.
func wait(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// noModel is how Ollama says that it does not have a model. It has each path that is
// called, so any other 404 is that of another server.
var noModel = regexp.MustCompile(`^model .*not found`)

// once makes one call. That the library has no error says little: neither a
// broken line nor an empty answer is one to it.
func (c *Client) once(ctx context.Context, r Request, do func(context.Context) error) error {
	seen := &answer{}
	err := do(context.WithValue(ctx, answerKey{}, seen))
	text := seen.errorText()
	switch {
	case seen.status == 0:
		return c.unanswered(ctx, r, err)
	case seen.status == http.StatusNotFound && noModel.MatchString(text):
		return c.redactor.newError(Missing, r, errors.New(text))
	case seen.status == http.StatusNotFound:
		return c.redactor.newError(NotOllama, r, fmt.Errorf("HTTP 404: %s", text))
	case seen.status == http.StatusServiceUnavailable:
		return c.redactor.newError(Busy, r, fmt.Errorf("HTTP 503: %s", text))
	case seen.status != http.StatusOK || text != "":
		return c.redactor.newError(Failed, r, fmt.Errorf("HTTP %d: %s", seen.status, text))
	case err != nil:
		// It quotes the answer.
		return c.redactor.newError(Malformed, r, errors.New("the answer is not one of Ollama"))
	}
	return nil
}

// note writes the one line of a call.
func (c *Client) note(ctx context.Context, message string, r Request, took time.Duration, spent spent, err error) {
	level, attrs := slog.LevelInfo, []slog.Attr{
		slog.String("model", c.redactor.Clean(r.Model)),
		slog.Int("images", len(r.Images)),
		slog.Int("calls", spent.calls),
		slog.Int("prompt_tokens", spent.promptTokens),
		slog.Int("answer_tokens", spent.answerTokens),
		slog.Int64("load_ms", spent.load.Milliseconds()),
		slog.Int64("took_ms", took.Milliseconds()),
	}
	if err != nil {
		attrs = append(attrs, slog.Any("cause", err))
		if KindOf(err) != Canceled {
			level = slog.LevelWarn
		}
	}
	c.log.LogAttrs(ctx, level, message, attrs...)
}
