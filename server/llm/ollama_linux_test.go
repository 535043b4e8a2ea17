package llm

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"svc/server/datatest"
	"svc/server/llm/llmtest"
	"svc/server/proctest"
)

// Tests of the protocol with a real Ollama and a model that writes nonsense in valid
// JSON. Vision is tested with the fake only: an Ollama with vision cannot be built from
// the module proxy.

// realOllama is a running Ollama with its own HOME.
type realOllama struct {
	url     string
	log     string // path of its log
	process *os.Process
	ended   chan struct{}
}

// startOllama starts the program in OLLAMA_BIN, or ollama on the PATH. Without one the
// test fails in CI and is skipped elsewhere.
func startOllama(t *testing.T) *realOllama {
	t.Helper()
	path, err := exec.LookPath(cmp.Or(os.Getenv("OLLAMA_BIN"), "ollama"))
	if err != nil {
		missing := "no ollama: go install github.com/ollama/ollama@v0.6.5 (two minutes, needs a C++ compiler), then put it on the PATH or its path in OLLAMA_BIN (" + err.Error() + ")"
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}

	home := t.TempDir()
	s := &realOllama{log: filepath.Join(home, "ollama.log"), ended: make(chan struct{})}
	// The log is a file, not a pipe: Ollama hangs at its end if nobody reads a pipe.
	log, err := os.Create(s.log)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	command := exec.Command(path, "serve")
	command.Env = []string{
		"HOME=" + home, "TMPDIR=" + home, "PATH=" + os.Getenv("PATH"),
		"OLLAMA_HOST=127.0.0.1:0", "OLLAMA_MODELS=" + home + "/models", "OLLAMA_NO_CLOUD=1", "OLLAMA_DEBUG=1",
	}
	command.Stdout, command.Stderr = log, log
	// The runners are in its process group, so they end with it when this test is killed.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	proctest.Start(t, command)
	s.process = command.Process
	go func() {
		command.Wait()
		close(s.ended)
	}()
	t.Cleanup(s.stop)

	s.url = "http://" + s.await(t, regexp.MustCompile(`Listening on (127\.0\.0\.1:\d+)`))
	return s
}

// stop gives Ollama five seconds to end its runners, then kills them all.
func (s *realOllama) stop() {
	s.process.Signal(os.Interrupt)
	select {
	case <-s.ended:
	case <-time.After(5 * time.Second):
	}
	s.kill()
}

// kill kills Ollama and its runners.
func (s *realOllama) kill() {
	syscall.Kill(-s.process.Pid, syscall.SIGKILL)
	<-s.ended
}

// await waits for a log line that matches and returns the last group.
func (s *realOllama) await(t *testing.T, line *regexp.Regexp) string {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		content, err := os.ReadFile(s.log)
		if err != nil {
			t.Fatal(err)
		}
		if match := line.FindSubmatch(content); match != nil {
			return string(match[len(match)-1])
		}
		select {
		case <-s.ended:
			t.Fatalf("Ollama ended:\n%s", content)
		case <-time.After(5 * time.Millisecond):
		}
	}
	content, _ := os.ReadFile(s.log)
	t.Fatalf("no line of the log matches %v:\n%s", line, content)
	return ""
}

// loads returns how often a model was loaded.
func (s *realOllama) loads(t *testing.T) int {
	t.Helper()
	content, err := os.ReadFile(s.log)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(content, []byte("llama runner started"))
}

const tiny = "tiny:latest"

// create gives Ollama the model of testdata.
func (s *realOllama) create(t *testing.T) {
	t.Helper()
	address, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	ollama := api.NewClient(address, http.DefaultClient)
	content := datatest.Read(t, "models/tiny.gguf")
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(content))
	if err := ollama.CreateBlob(t.Context(), digest, bytes.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	err = ollama.Create(t.Context(), &api.CreateRequest{
		Model:      tiny,
		Files:      map[string]string{"tiny.gguf": digest},
		Template:   "{{- range .Messages }}[{{ .Role }}] {{ .Content }}\n{{ end }}[assistant] ",
		Parameters: map[string]any{"num_thread": 1}, // with two it takes seconds
	}, func(api.ProgressResponse) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
}

// realTest is a test with the one real Ollama, a client for it and a question to its
// model.
type realTest func(t *testing.T, s *realOllama, c *Client, q Request)

func TestRealOllama(t *testing.T) {
	s := startOllama(t)
	s.create(t)
	// The timeout is generous, since the machine may be busy.
	c := client(t, Config{URL: s.url, Timeout: time.Minute})
	q := question()
	q.Model = tiny
	for _, test := range []struct {
		name string
		run  realTest
	}{
		{"Preload", realPreload},
		{"AnswersFollowTheSchema", realAnswersFollowTheSchema},
		{"OrderOfTheSchema", realOrderOfTheSchema},
		{"AnyObject", realAnyObject},
		{"Generate", realGenerate},
		{"CutOff", realCutOff},
		{"LoadedOnce", realLoadedOnce},
		{"Missing", realMissing},
		{"NoVision", realNoVision},
		{"InvalidSchema", realInvalidSchema},
		{"OtherPath", realOtherPath},
		{"FakeAnswersAlike", realFakeAnswersAlike},
		{"Concurrent", realConcurrent},
		{"Cancel", realCancel},
		{"Slow", realSlow},
		{"Killed", realKilled}, // the last one, as it ends the server
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, s, c, q) })
	}
}

func realPreload(t *testing.T, s *realOllama, c *Client, _ Request) {
	if err := c.Preload(t.Context(), tiny); err != nil {
		t.Fatal(err)
	}
	if n := s.loads(t); n != 1 {
		t.Errorf("loaded %d times, want once", n)
	}
}

func realAnswersFollowTheSchema(t *testing.T, s *realOllama, c *Client, q Request) {
	task, err := readTask(prompts, "scan")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		r := Request{Model: tiny, System: task.system, Prompt: fmt.Sprintf("%s %d äöü 漢字", task.prompt, i), Schema: task.schema, NumPredict: scanPredict}
		answer := ask(t, c, r)
		fields := map[string]string{}
		if err := json.Unmarshal([]byte(answer), &fields); err != nil || len(fields) != 7 {
			t.Errorf("answer = %s: %v", answer, err)
		}
		if kind := fields["kind"]; kind != "product" && kind != "several" && kind != "none" {
			t.Errorf("kind = %q", kind)
		}
		if again := ask(t, c, r); again != answer {
			t.Errorf("two answers to the same question: %s and %s", answer, again)
		}
	}
}

func realOrderOfTheSchema(t *testing.T, s *realOllama, c *Client, q Request) {
	answer := ask(t, c, q)
	if !regexp.MustCompile(`(?s)^\{\s*"zeta".*"alpha".*\}$`).MatchString(answer) {
		t.Errorf("answer = %s", answer)
	}
}

func realAnyObject(t *testing.T, s *realOllama, c *Client, q Request) {
	r := q
	r.Schema = nil
	answer, err := c.Ask(t.Context(), r)
	if err == nil && !json.Valid(answer) || err != nil && KindOf(err) != CutOff {
		t.Errorf("answer = %s, %v", answer, err)
	}
}

func realGenerate(t *testing.T, s *realOllama, c *Client, q Request) {
	got, err := c.generate(t.Context(), q, &usage{})
	if err != nil {
		t.Fatal(err)
	}
	if object, _, err := got.object(); err != nil || !json.Valid(object) {
		t.Errorf("answer = %s, %v", object, err)
	}
}

func realCutOff(t *testing.T, _ *realOllama, c *Client, q Request) {
	r := q
	r.NumPredict = 5
	e := fails(t, c, r, CutOff)
	if !strings.Contains(e.Error(), "incomplete after 5 tokens") {
		t.Errorf("error = %v", e)
	}
}

func realLoadedOnce(t *testing.T, s *realOllama, _ *Client, _ Request) {
	if n := s.loads(t); n != 1 {
		t.Errorf("loaded %d times, want once: the options of some call differ", n)
	}
}

func realMissing(t *testing.T, _ *realOllama, c *Client, q Request) {
	r := q
	r.Model = "nobody:7b"
	e := fails(t, c, r, Missing)
	if want := `Ollama does not have the model nobody:7b; "ollama pull nobody:7b" fetches it.`; e.Reason != want {
		t.Errorf("Reason = %q", e.Reason)
	}
	r.Images = [][]byte{llmtest.Photo(t, 96, 64)}
	fails(t, c, r, Missing)
	expectKind(t, c.Preload(t.Context(), r.Model), Missing)
}

func realNoVision(t *testing.T, _ *realOllama, c *Client, q Request) {
	r := q
	r.Images = [][]byte{llmtest.Photo(t, 96, 64)}
	fails(t, c, r, NoVision)
}

func realInvalidSchema(t *testing.T, _ *realOllama, c *Client, q Request) {
	r := q
	r.Schema = json.RawMessage(`{"type":"object","properties":{"a":{"type":"sting"}}}`)
	fails(t, c, r, Failed)
}

func realOtherPath(t *testing.T, s *realOllama, _ *Client, q Request) {
	fails(t, client(t, Config{URL: s.url + "/v1", Timeout: time.Minute}), q, NotOllama)
}

func realConcurrent(t *testing.T, _ *realOllama, c *Client, q Request) {
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			if answer, err := c.Ask(t.Context(), q); err != nil || !json.Valid(answer) {
				t.Errorf("answer = %s, %v", answer, err)
			}
		})
	}
	running.Wait()
}

func realCancel(t *testing.T, s *realOllama, c *Client, q Request) {
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := c.Ask(ctx, endless("canceled"))
		failed <- err
	}()
	s.await(t, startOf("canceled"))
	began := time.Now()
	cancel()
	expectKind(t, <-failed, Canceled)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("returned after %v", took)
	}
	// Ollama has stopped, too, so the next question is answered.
	ask(t, c, q)
}

func realSlow(t *testing.T, s *realOllama, c *Client, q Request) {
	fails(t, client(t, Config{URL: s.url, Timeout: 300 * time.Millisecond}), endless("slow"), Slow)
	ask(t, c, q)
}

func realKilled(t *testing.T, s *realOllama, c *Client, q Request) {
	failed := make(chan error, 1)
	go func() {
		_, err := c.Ask(t.Context(), endless("killed"))
		failed <- err
	}()
	s.await(t, startOf("killed"))
	s.kill()
	expectKind(t, <-failed, Down)
	fails(t, c, q, Down)
}

// realFakeAnswersAlike compares the answers of llmtest with this Ollama's. Newer versions
// use the text for a missing model in chat that this one uses in its other calls.
func realFakeAnswersAlike(t *testing.T, s *realOllama, _ *Client, _ Request) {
	o := llmtest.New(t)
	o.Add(tiny)
	o.Answer("{}")
	picture, err := json.Marshal(llmtest.Photo(t, 64, 64)) // in base64
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ path, body string }{
		{"/api/generate", `{"model":"nobody","prompt":"x"}`},
		{"/api/show", `{"model":"nobody"}`},
		{"/api/show", `{"model":""}`},
		{"/api/show", `{"model":"tiny"}`},
		{"/api/show", `{"model":"tiny:other"}`},
		{"/api/chat", `{"model":"","messages":[{"role":"user","content":"x"}]}`},
		{"/api/chat", `{"model":"tiny","keep_alive":0}`},
		{"/api/chat", `{"model":"tiny"}`},
		{"/api/generate", `{"model":"tiny","keep_alive":0}`},
		{"/api/generate", `{"model":"Tiny:latest"}`},
		{"/api/chat", `{"model":"tiny","messages":[{"role":"user","content":"x"}],"stream":false,"format":@}`},
		{"/api/generate", `{"model":"tiny","prompt":"x","stream":false,"format":@}`},
		{"/api/chat", `{"model":"tiny","messages":[{"role":"user","content":"x","images":[` + string(picture) + `]}],"stream":false,"format":@}`},
		{"/api/chat", `{"model":"tiny","messages":[{"role":"user","content":"x","images":["data:image/jpeg;base64,/9j"]}]}`},
		{"/api/chat", `{"model":"tiny","messages":[{"role":"user","content":"x"}],"stream":false,"format":"yaml"}`},
		{"/api/chat", `{"model":"tiny","messages":[{"role":"user","content":"x"}],"stream":false,"format":[1]}`},
		{"/api/chat", `{"model":"tiny","messages":[{"role":"user","content":"x"}],"stream":false,"format":{"type":"sting"}}`},
		{"/api/chat", `{"model":"tiny","messages":[{"role":"user","content":"x"}],"stream":false,"format":{"type":"string","pattern":"a"}}`},
		{"/api/chat", `{"model":"tiny","messages":[{"role":"user","content":"x"}],"stream":false,"options":{"temperature":"hot"}}`},
		{"/api/chat", `{"model":"tiny","messages":[{"role":"user","content":"x"}],"stream":false,"keep_alive":"long"}`},
		{"/api/chat", `{"model":"tiny","messages":[{"role":"user","content":"x"}],"stream":false,"keep_alive":true}`},
		{"/api/chat", `{"model":`},
		{"/api/chat", ``},
	}
	for _, test := range tests {
		body := strings.ReplaceAll(test.body, "@", string(schema))
		want, got := post(t, s.url+test.path, body), post(t, o.URL+test.path, body)
		if got != want {
			t.Errorf("%s %.150s\n  fake = %+v\nOllama = %+v", test.path, body, got, want)
		}
	}
}

// outcome is the part of an answer that does not depend on the model.
type outcome struct {
	status       int
	contentType  string
	Error        string
	Done         bool
	DoneReason   string `json:"done_reason"`
	capabilities string
}

func post(t *testing.T, address, body string) outcome {
	t.Helper()
	resp, err := http.Post(address, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		outcome
		Capabilities []string
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	answer.status, answer.contentType = resp.StatusCode, resp.Header.Get("Content-Type")
	answer.capabilities = strings.Join(answer.Capabilities, " ")
	return answer.outcome
}

// endless returns a question whose answer takes seconds.
func endless(mark string) Request {
	return Request{
		Model:      tiny,
		Prompt:     "mark-" + mark,
		Schema:     json.RawMessage(`{"type":"object","properties":{"list":{"type":"array","minItems":100,"items":{"type":"string","minLength":150,"maxLength":200}}},"required":["list"]}`),
		NumPredict: 20000,
	}
}

// startOf matches the log line of the moment when the model begins with a question.
func startOf(mark string) *regexp.Regexp {
	return regexp.MustCompile(`chat request.*(mark-` + mark + `)`)
}
