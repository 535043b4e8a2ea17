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
	// loadTimeout bounds Preload: a large model on a slow disk takes minutes.
	loadTimeout = 10 * time.Minute
	// maxCalls bounds the concurrent questions to Ollama. By default Ollama answers
	// them one by one; the second one keeps it busy.
	maxCalls = 2
	// seed makes answers repeatable.
	seed = 1
)

// busyDelays are the pauses, each ±50 %, before another try while Ollama's queue is full.
var busyDelays = []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second}

// Config says how to reach Ollama. Only URL is required.
type Config struct {
	URL       string           // http or https; may carry a name and a password
	Timeout   time.Duration    // of Ask, including its wait for a slot (default 20 s)
	KeepAlive time.Duration    // how long Ollama keeps an idle model in memory (default 30 min; negative: for ever)
	NumCtx    int              // context size (default 8192), the same for all questions: another one reloads the model
	Log       *slog.Logger     // has a line for each question (default none)
	Now       func() time.Time // clock of what is cached about models (default time.Now)
}

// Client is the Model that asks Ollama.
type Client struct {
	api       *api.Client
	timeout   time.Duration
	keepAlive time.Duration
	numCtx    int
	log       *slog.Logger
	redactor  redactor
	vision    *visionCache
	slots     chan struct{} // has an element for each running question
}

var _ Model = (*Client)(nil)

// New returns a client with its own connections. It makes no call.
func New(config Config) (*Client, error) {
	return newClient(config, newTransport())
}

func newClient(config Config, base http.RoundTripper) (*Client, error) {
	u, err := url.Parse(config.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "" {
		// The error does not quote the address, which may have a password.
		return nil, errors.New("llm: Ollama's address must be like http://host:port")
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
		vision:    &visionCache{now: now, expires: map[string]time.Time{}},
		slots:     make(chan struct{}, maxCalls),
	}, nil
}

// Ask implements Model. The model answers with temperature 0 and without thinking
// first.
func (c *Client) Ask(ctx context.Context, r Request) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()

	began := time.Now()
	var used usage
	answer, err := c.askInSlot(ctx, r, &used)
	if err != nil {
		// The name may belong to another model by now.
		c.vision.remove(r.Model)
	}
	c.logCall(ctx, "model asked", r, time.Since(began), used, err)
	return answer, err
}

// Preload makes Ollama load a model, so that the first question finds it in memory.
// It returns when the model is loaded, after ten minutes at most. For a model that is
// in memory it is cheap and extends its KeepAlive, so it may be called every few
// minutes. It is the only way to load a model that takes longer than the timeout of
// Ask: Ollama stops loading when the question ends.
func (c *Client) Preload(ctx context.Context, model string) error {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()

	began := time.Now()
	var used usage
	r := Request{Model: model}
	err := c.load(ctx, r, &used)
	message := "model loaded"
	if err != nil {
		message = "model not loaded"
	}
	c.logCall(ctx, message, r, time.Since(began), used, err)
	return err
}

func (c *Client) load(ctx context.Context, r Request, used *usage) error {
	got, err := c.chat(ctx, r, nil, used)
	if err != nil {
		return err
	}
	if !got.done || got.doneReason != "load" {
		return c.redactor.newError(Malformed, r, errors.New("the answer does not confirm that the model is loaded"))
	}
	return nil
}

// askInSlot waits for a slot and asks.
func (c *Client) askInSlot(ctx context.Context, r Request, used *usage) (json.RawMessage, error) {
	if ctx.Err() == nil {
		select {
		case c.slots <- struct{}{}:
			defer func() { <-c.slots }()
			return c.ask(ctx, r, used)
		case <-ctx.Done():
		}
	}
	return nil, c.contextError(ctx, r, errors.New("while it waited for a slot"))
}

// ask makes up to three calls: one for the model's capabilities, the chat, and if its
// reply is not JSON, the same question as a plain prompt. Some models with a parser of
// their own follow the schema only for a plain prompt.
func (c *Client) ask(ctx context.Context, r Request, used *usage) (json.RawMessage, error) {
	if len(r.Images) > 0 {
		if err := c.requireVision(ctx, r, used); err != nil {
			return nil, err
		}
	}

	got, err := c.chat(ctx, r, messages(r), used)
	if err != nil {
		return nil, err
	}
	if got.isProse() {
		if got, err = c.generate(ctx, r, used); err != nil {
			return nil, err
		}
	}
	object, kind, err := got.object()
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

// question returns what chat and generate share: everything but the texts and images.
func (c *Client) question(r Request) api.ChatRequest {
	return api.ChatRequest{
		Model:     r.Model,
		Stream:    new(false),
		Format:    format(r),
		KeepAlive: &api.Duration{Duration: c.keepAlive},
		Options: map[string]any{
			"temperature": 0, "seed": seed, "num_ctx": c.numCtx, "num_predict": cmp.Or(r.NumPredict, defaultNumPredict),
		},
		Think:    &api.ThinkValue{Value: false},
		Truncate: new(false),
		Shift:    new(false),
	}
}

// chat asks in the form of a chat. Without messages it loads the model.
func (c *Client) chat(ctx context.Context, r Request, messages []api.Message, used *usage) (reply, error) {
	question := c.question(r)
	question.Messages = messages
	var got reply
	err := c.call(ctx, r, used, func(ctx context.Context) error {
		return c.api.Chat(ctx, &question, func(part api.ChatResponse) error {
			got.add(part.Message.Content, "", part.Done, part.DoneReason, part.Metrics)
			return nil
		})
	})
	used.add(got.metrics)
	return got, err
}

// generate asks the same question as a plain prompt.
func (c *Client) generate(ctx context.Context, r Request, used *usage) (reply, error) {
	q := c.question(r)
	question := &api.GenerateRequest{
		System: r.System, Prompt: r.Prompt, Images: images(r),
		Model: q.Model, Stream: q.Stream, Format: q.Format, KeepAlive: q.KeepAlive,
		Options: q.Options, Think: q.Think, Truncate: q.Truncate, Shift: q.Shift,
	}
	var got reply
	err := c.call(ctx, r, used, func(ctx context.Context) error {
		return c.api.Generate(ctx, question, func(part api.GenerateResponse) error {
			got.add(part.Response, part.Thinking, part.Done, part.DoneReason, part.Metrics)
			return nil
		})
	})
	used.add(got.metrics)
	return got, err
}

// format returns the schema, or "json" for any object.
func format(r Request) json.RawMessage {
	if len(r.Schema) == 0 {
		return json.RawMessage(`"json"`)
	}
	return r.Schema
}

// call makes a call, and repeats it while Ollama's queue is full and there is time.
func (c *Client) call(ctx context.Context, r Request, used *usage, do func(context.Context) error) error {
	for _, delay := range busyDelays {
		used.calls++
		err := c.once(ctx, r, do)
		if KindOf(err) != Busy {
			return err
		}
		if !wait(ctx, delay/2+rand.N(delay)) {
			return c.contextError(ctx, r, err)
		}
	}
	used.calls++
	return c.once(ctx, r, do)
}

// wait reports whether it waited for d. It returns at once if ctx would end before.
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

// noModel matches Ollama's error for a model that it does not have. Ollama has every
// path that is called, so any other 404 comes from another server.
var noModel = regexp.MustCompile(`^model .*not found`)

// once makes one call and returns an *Error unless the answer is complete. The library
// alone does not tell: it reports no error for a broken connection or an empty answer.
func (c *Client) once(ctx context.Context, r Request, do func(context.Context) error) error {
	got := &response{}
	err := do(context.WithValue(ctx, responseKey{}, got))
	text := got.errorText()
	switch {
	case got.status == 0:
		return c.transportError(ctx, r, err)
	case got.status == http.StatusNotFound && noModel.MatchString(text):
		return c.redactor.newError(Missing, r, errors.New(text))
	case got.status == http.StatusNotFound:
		return c.redactor.newError(NotOllama, r, fmt.Errorf("HTTP 404: %s", text))
	case got.status == http.StatusServiceUnavailable:
		return c.redactor.newError(Busy, r, fmt.Errorf("HTTP 503: %s", text))
	case got.status != http.StatusOK || text != "":
		return c.redactor.newError(Failed, r, fmt.Errorf("HTTP %d: %s", got.status, text))
	case err != nil:
		// err quotes the answer.
		return c.redactor.newError(Malformed, r, errors.New("the answer is not in the form of Ollama's"))
	}
	return nil
}

// logCall writes the log line of a question or of a Preload.
func (c *Client) logCall(ctx context.Context, message string, r Request, took time.Duration, used usage, err error) {
	level, attrs := slog.LevelInfo, []slog.Attr{
		slog.String("model", c.redactor.Clean(r.Model)),
		slog.Int("images", len(r.Images)),
		slog.Int("calls", used.calls),
		slog.Int("prompt_tokens", used.promptTokens),
		slog.Int("answer_tokens", used.answerTokens),
		slog.Int64("load_ms", used.load.Milliseconds()),
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
