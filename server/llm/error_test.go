package llm

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"svc/server/llm/llmtest"
)

func expectKind(t *testing.T, err error, want Kind) *Error {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("error = %v, want an *Error of kind %v", err, want)
	}
	if e.Kind != want || KindOf(err) != want {
		t.Errorf("kind = %v, want %v: %v", e.Kind, want, err)
	}
	if e.Err == nil || e.Reason == "" || strings.ContainsAny(e.Reason+e.Error(), "\n\r") {
		t.Errorf("error = %#v, want a cause and a reason on one line", e)
	}
	return e
}

func fails(t *testing.T, m Model, r Request, want Kind) *Error {
	t.Helper()
	answer, err := m.Ask(t.Context(), r)
	if answer != nil {
		t.Errorf("answer = %s with an error", answer)
	}
	e := expectKind(t, err, want)
	if e.Model != r.Model {
		t.Errorf("Model = %q, want %q", e.Model, r.Model)
	}
	return e
}

// failures are ways in which Ollama fails a question, with the resulting kind.
var failures = []struct {
	name   string
	script func(*llmtest.Ollama)
	kind   Kind
	asked  int // questions that reached Ollama
}{
	{"Down", (*llmtest.Ollama).Down, Down, 0},
	{"Missing", func(o *llmtest.Ollama) { o.Remove(textModel) }, Missing, 1},
	{"MissingOfOldOllama", func(o *llmtest.Ollama) {
		o.Status(404, `{"error":"model \"reader\" not found, try pulling it first"}`)
	}, Missing, 1},
	{"NotOllama", func(o *llmtest.Ollama) { o.Status(404, "404 page not found") }, NotOllama, 1},
	{"NotOllamaButJSON", func(o *llmtest.Ollama) { o.Status(404, `{"error":"The requested URL /api/chat was not found"}`) }, NotOllama, 1},
	{"NotOllamaWithoutText", func(o *llmtest.Ollama) { o.Status(404, `{"detail":"t0ken"}`) }, NotOllama, 1},
	{"Prose", (*llmtest.Ollama).Prose, Malformed, 2},
	{"HalfJSON", (*llmtest.Ollama).HalfJSON, Malformed, 2},
	{"Nothing", func(o *llmtest.Ollama) { o.Answer("") }, Malformed, 2},
	{"CutOff", func(o *llmtest.Ollama) { o.CutOff(`{"zeta":"zz`) }, CutOff, 1},
	{"CutOffAfterTheObject", func(o *llmtest.Ollama) { o.CutOff(object + "   ") }, CutOff, 1},
	{"CutOffProse", func(o *llmtest.Ollama) { o.CutOff("Let me") }, CutOff, 2},
	{"StreamCut", func(o *llmtest.Ollama) { o.StreamCut(`{"zeta":`, `"z"}`) }, CutOff, 1},
	{"StreamCutAtOnce", func(o *llmtest.Ollama) { o.StreamCut(``) }, Malformed, 1},
	{"ConnectionCut", (*llmtest.Ollama).CutConnection, CutOff, 1},
	{"Crash", (*llmtest.Ollama).Crash, Failed, 1},
	{"EmptyAnswer", func(o *llmtest.Ollama) { o.Status(200, "") }, Malformed, 1},
	{"OtherJSON", func(o *llmtest.Ollama) { o.Status(200, `{"foo":1}`) }, Malformed, 1},
	{"Page", func(o *llmtest.Ollama) { o.Status(200, "<html>t0ken</html>") }, Malformed, 1},
	{"WrongType", func(o *llmtest.Ollama) { o.Status(200, `{"message":"t0ken"}`) }, Malformed, 1},
	{"HalfAnswer", func(o *llmtest.Ollama) { o.Status(200, `{"message":{"content":"t0ken`) }, Malformed, 1},
	{"OtherEnd", func(o *llmtest.Ollama) {
		o.Status(200, `{"message":{"content":"{}"},"done":true,"done_reason":"load"}`)
	}, Malformed, 2},
	{"NoReasonToEnd", func(o *llmtest.Ollama) {
		o.Status(200, `{"message":{"content":"{}"},"response":"{}","done":true}`)
	}, Malformed, 2},
	{"ErrorAfter200", func(o *llmtest.Ollama) { o.Status(200, `{"error":"out of memory"}`) }, Failed, 1},
	{"ErrorAmidStream", func(o *llmtest.Ollama) {
		o.Status(200, `{"message":{"content":"{"}}`+"\n"+`{"error":"out of memory"}`)
	}, Failed, 1},
	{"ErrorWithoutText", func(o *llmtest.Ollama) { o.Status(500, "") }, Failed, 1},
	{"ErrorPage", func(o *llmtest.Ollama) { o.Status(502, "<html>t0ken</html>") }, Failed, 1},
	{"Unauthorized", func(o *llmtest.Ollama) { o.Status(401, `{"error":"unauthorized","signin_url":"https://x"}`) }, Failed, 1},
	{"BadRequest", func(o *llmtest.Ollama) { o.Status(400, `{"error":"invalid"}`) }, Failed, 1},
	{"NoContent", func(o *llmtest.Ollama) { o.Status(204, "") }, Failed, 1},
	{"NotModified", func(o *llmtest.Ollama) { o.Status(304, "") }, Failed, 1},
	{"ErrorWithAnAnswer", func(o *llmtest.Ollama) {
		o.Status(500, `{"message":{"content":"{}"},"done":true,"done_reason":"stop"}`)
	}, Failed, 1},
}

func TestKinds(t *testing.T) {
	for _, test := range failures {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o, c := newOllama(t)
			test.script(o)
			e := fails(t, c, question(), test.kind)
			if n := len(o.Questions()); n != test.asked {
				t.Errorf("%d questions, want %d", n, test.asked)
			}
			if strings.Contains(e.Error()+e.Reason, "t0ken") {
				t.Errorf("error = %v, %s: it quotes the answer", e, e.Reason)
			}

			// The client still works: the next question is answered.
			o.Up()
			o.Add(textModel)
			o.Answer(object)
			ask(t, c, question())
		})
	}
}

func TestNoVision(t *testing.T) {
	o, c := newOllama(t)
	r := picture(t)
	r.Model = textModel
	e := fails(t, c, r, NoVision)
	if n := len(o.Questions()); n != 0 {
		t.Errorf("%d questions: the picture was sent", n)
	}
	if want := "The model reader:1b cannot see pictures."; e.Reason != want {
		t.Errorf("Reason = %q", e.Reason)
	}

	r.Model = "nobody"
	fails(t, c, r, Missing)
	o.Down()
	r.Model = textModel
	fails(t, c, r, Down)
}

func TestConnectionRefusedIsDown(t *testing.T) {
	server := httptest.NewServer(nil)
	c := client(t, Config{URL: strings.Replace(server.URL, "http://", "http://user:s3cret@", 1) + "/path"})
	server.Close()
	e := fails(t, c, question(), Down)
	if want := "There is no Ollama server at " + server.URL + "."; e.Reason != want {
		t.Errorf("Reason = %q, want %q", e.Reason, want)
	}
	if !errors.Is(e, syscall.ECONNREFUSED) || strings.Contains(e.Error(), "user") {
		t.Errorf("error = %v", e)
	}
}

func TestAnswerBeyondLimitIsMalformed(t *testing.T) {
	o, c := newOllama(t)
	o.Status(200, strings.Repeat(" ", maxAnswer)+`{"message":{"content":"{}"},"done":true,"done_reason":"stop"}`)
	if e := fails(t, c, question(), Malformed); !errors.Is(e, errTooLong) {
		t.Errorf("error = %v", e)
	}
}

func TestUnresolvedNameIsDown(t *testing.T) {
	c := faked(t, Config{}, func(*http.Request) (*http.Response, error) {
		return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "ollama.example"}}
	})
	fails(t, c, question(), Down)
}

func TestNonHTTPAnswerIsFailed(t *testing.T) {
	c := faked(t, Config{}, func(*http.Request) (*http.Response, error) {
		return nil, errors.New(`malformed HTTP response "SSH-2.0 s3cret"`)
	})
	e := fails(t, c, question(), Failed)
	if strings.Contains(e.Error(), "s3cret") {
		t.Errorf("error = %v", e)
	}
}

func TestReasons(t *testing.T) {
	want := map[Kind]string{
		Down:      "There is no Ollama server at http://host:1.",
		Missing:   `Ollama does not have the model llava; "ollama pull llava" fetches it.`,
		Slow:      "The model llava did not answer in time.",
		Busy:      "The Ollama server is busy. Please try again in a moment.",
		Malformed: "The model llava gave no usable answer.",
		CutOff:    "The answer of the model llava was cut off.",
		NoVision:  "The model llava cannot see pictures.",
		Canceled:  "The question to the model llava was withdrawn.",
		NotOllama: "The server in Ollama's place is no Ollama.",
		Failed:    "The model llava could not be asked.",
	}
	names := map[string]bool{}
	for kind, reason := range want {
		if got := kind.reason("llava", "http://host:1"); got != reason {
			t.Errorf("%v: %q", kind, got)
		}
		names[kind.String()] = true
	}
	if len(names) != len(want) || Kind(99).String() != "kind 99" {
		t.Errorf("names = %v", names)
	}
	if KindOf(nil) != 0 || KindOf(io.EOF) != 0 || KindOf(fmt.Errorf("scan: %w", &Error{Kind: Slow})) != Slow {
		t.Error("KindOf is wrong for nil, another error or a wrapped one")
	}
}

func TestErrorMatchesContext(t *testing.T) {
	o, c := newOllama(t)
	o.Hang()
	ctx, cancel := context.WithTimeout(t.Context(), 1)
	defer cancel()
	_, err := c.Ask(ctx, question())
	if !errors.Is(expectKind(t, err, Slow), context.DeadlineExceeded) {
		t.Errorf("error = %v", err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	stop(errors.New("t0ken"))
	_, err = c.Ask(ctx, question())
	if !errors.Is(expectKind(t, err, Canceled), context.Canceled) || strings.Contains(err.Error(), "t0ken") {
		t.Errorf("error = %v", err)
	}
}

// A redirect would send the picture to another server.
func TestRedirectIsNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the redirect was followed")
	}))
	defer elsewhere.Close()
	o, c := newOllama(t)
	o.Redirect(elsewhere.URL)
	fails(t, c, picture(t), Failed)
}

// Errors and the log contain no part of the question or the credentials, even if
// Ollama, or a proxy in front of it, repeats them.
func TestErrorsKeepSecrets(t *testing.T) {
	secrets := []string{"s3cret", "dXNlcjpzM2NyZXQ", "turnover", "grandmother", "/9j/"}
	r := picture(t)
	r.System = "Speak of the grandmother of the shop's owner, in JSON."
	r.Prompt = "Which of her sons has stolen the turnover of\nthe first \"quarter\" of 2025?"
	echo, err := json.Marshal(map[string]any{"messages": []string{r.System, r.Prompt}, "images": r.Images})
	if err != nil {
		t.Fatal(err)
	}
	image := base64.StdEncoding.EncodeToString(r.Images[0])
	errorOf := func(text string) string {
		content, err := json.Marshal(map[string]string{"error": text})
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	bodies := map[string]string{
		"Prompt":        errorOf("cannot tokenize: " + r.Prompt),
		"PartOfPrompt":  errorOf("bad word near: has stolen the turnover"),
		"Upper":         errorOf(strings.ToUpper(r.Prompt)),
		"System":        errorOf("no template for: " + r.System),
		"Body":          errorOf("cannot parse " + string(echo)),
		"Image":         errorOf("bad image " + image),
		"StartOfImage":  errorOf("bad image " + image[:100] + "…"),
		"Credentials":   errorOf("no user user:s3cret, Basic dXNlcjpzM2NyZXQ="),
		"PlainBody":     string(echo),
		"LongLine":      strings.Repeat(r.Prompt, 1000),
		"AnswerOfModel": `{"message":{"content":"her turnover"},"response":"her turnover","done":true,"done_reason":"stop"}`,
	}
	for name, body := range bodies {
		for _, status := range []int{200, 400, 404, 500, 503} {
			t.Run(fmt.Sprint(name, status), func(t *testing.T) {
				t.Parallel()
				var log strings.Builder
				c := faked(t, Config{Timeout: 1e8, Log: slog.New(slog.NewTextHandler(&log, nil))}, func(r *http.Request) (*http.Response, error) {
					if strings.HasSuffix(r.URL.Path, "/api/show") {
						return respond(200, `{"capabilities":["vision"]}`), nil
					}
					return respond(status, body), nil
				})
				_, err := c.Ask(t.Context(), r)
				e, ok := errors.AsType[*Error](err)
				if !ok {
					t.Fatalf("error = %v", err)
				}
				for all := error(e); all != nil; all = errors.Unwrap(all) {
					text := strings.ToLower(all.Error() + e.Reason + log.String())
					for _, secret := range secrets {
						if strings.Contains(text, strings.ToLower(secret)) {
							t.Errorf("%q contains %q", text, secret)
						}
					}
				}
			})
		}
	}
}

func TestErrorsKeepOllamasReason(t *testing.T) {
	o, c := newOllama(t)
	help := "model requires more system memory (5.6 GiB) than is available (3.1 GiB)"
	o.Status(500, fmt.Sprintf(`{"error":%q}`, help))
	if e := fails(t, c, question(), Failed); !strings.Contains(e.Error(), "HTTP 500: "+help) {
		t.Errorf("error = %v", e)
	}

	r := question()
	r.Prompt = strings.Repeat("A very long question. ", 2000)
	if e := fails(t, c, r, Failed); !strings.Contains(e.Error(), "the input length exceeds the context length") {
		t.Errorf("error = %v", e)
	}
}

func TestAddressSecretsAreRedacted(t *testing.T) {
	for address, want := range map[string]string{
		"http://user:s3cret@h":    "[redacted] [redacted] user",
		"http://s3cret@h":         "[redacted] dXNlcjpzM2NyZXQ= user",
		"http://user:s3%2fcret@h": "s3cret dXNlcjpzM2NyZXQ= user",
		"http://h":                "s3cret dXNlcjpzM2NyZXQ= user",
	} {
		c := client(t, Config{URL: address})
		if got := c.redactor.Clean("s3cret dXNlcjpzM2NyZXQ= user"); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
	c := client(t, Config{URL: "http://user:s3%2Fcret@h"})
	if got := c.redactor.Clean("s3/cret s3%2Fcret"); got != "[redacted] [redacted]" {
		t.Errorf("%q", got)
	}
}
