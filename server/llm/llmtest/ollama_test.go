package llmtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The tests of package llm compare this fake with a real Ollama. The tests here cover
// what only a newer Ollama, or one with vision, can do.

func newOllama(t *testing.T) *Ollama {
	o := New(t)
	o.Add("reader")
	o.Add("seer", "completion", "vision")
	return o
}

// line is a line of an answer.
type line struct {
	Error      string
	Message    struct{ Role, Content, Thinking string }
	Response   string
	Thinking   string
	Done       bool
	DoneReason string `json:"done_reason"`
	PromptEval int    `json:"prompt_eval_count"`
}

// call makes a call and returns the status, the lines of the answer, and the error of
// reading it.
func call(t *testing.T, o *Ollama, path, body string) (status int, lines []line, err error) {
	t.Helper()
	resp, err := http.Post(o.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	decoder := json.NewDecoder(bytes.NewReader(content))
	for {
		var l line
		if decoder.Decode(&l) != nil {
			return resp.StatusCode, lines, err
		}
		lines = append(lines, l)
	}
}

// ask makes a call of /api/chat and returns its status with the content or the error.
func ask(t *testing.T, o *Ollama, body string) string {
	t.Helper()
	status, lines, err := call(t, o, "/api/chat", body)
	if err != nil || len(lines) == 0 {
		return fmt.Sprintf("%d %v", status, err)
	}
	return fmt.Sprintf("%d %s%s", status, lines[0].Message.Content, lines[0].Error)
}

// chat returns the body of a question with additional fields.
func chat(model string, more ...string) string {
	return `{"model":"` + model + `","stream":false,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hello?"}]` + strings.Join(more, "") + `}`
}

func withImage(model string, image []byte) string {
	return `{"model":"` + model + `","stream":false,"messages":[{"role":"user","content":"Hello?","images":["` + base64.StdEncoding.EncodeToString(image) + `"]}]}`
}

func TestAnswersComeInOrder(t *testing.T) {
	o := newOllama(t)
	o.Answer("one")
	o.Busy()
	o.Answer("two")
	for _, want := range []string{"200 one", "503 server busy, please try again.  maximum pending requests exceeded", "200 two", "200 two"} {
		if got := ask(t, o, chat("reader")); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	o.Crash()
	if got := ask(t, o, chat("reader")); !strings.HasPrefix(got, "500 model runner has unexpectedly stopped") {
		t.Errorf("%q, want the crash after the last answer", got)
	}
	o.Status(418, `{"error":"teapot"}`)
	if got := ask(t, o, chat("reader")); got != "418 teapot" {
		t.Errorf("%q", got)
	}
}

func TestAnswerLines(t *testing.T) {
	o := newOllama(t)
	o.Answer("äöü")
	streamed := strings.Replace(chat("reader"), `"stream":false`, `"stream":true`, 1)
	for _, body := range []string{streamed, strings.Replace(chat("reader"), `"stream":false,`, "", 1)} {
		_, lines, err := call(t, o, "/api/chat", body)
		if err != nil || len(lines) != 3 || lines[0].Message.Content+lines[1].Message.Content != "äöü" {
			t.Fatalf("lines = %+v, %v", lines, err)
		}
		if last := lines[2]; lines[1].Done || !last.Done || last.DoneReason != "stop" || last.Message.Content != "" {
			t.Errorf("last line = %+v", last)
		}
	}

	o.Stream("a", "b")
	if _, lines, _ := call(t, o, "/api/chat", chat("reader")); len(lines) != 3 || !lines[2].Done {
		t.Errorf("lines = %+v", lines)
	}
	o.StreamCut("a", "b")
	if _, lines, err := call(t, o, "/api/chat", chat("reader")); err != nil || len(lines) != 2 || lines[1].Done {
		t.Errorf("lines = %+v, %v", lines, err)
	}
	o.CutOff("half")
	if _, lines, _ := call(t, o, "/api/generate", `{"model":"reader","prompt":"x","stream":false}`); len(lines) != 1 || lines[0].Response != "half" || lines[0].DoneReason != "length" || !lines[0].Done {
		t.Errorf("lines = %+v", lines)
	}
	o.Thinking("hm")
	if _, lines, _ := call(t, o, "/api/generate", `{"model":"reader","prompt":"x","stream":false}`); lines[0].Thinking != "hm" || lines[0].Response != "" {
		t.Errorf("lines = %+v", lines)
	}
	if _, lines, _ := call(t, o, "/api/chat", chat("reader")); lines[0].Message.Thinking != "hm" || lines[0].Message.Content != "" {
		t.Errorf("lines = %+v", lines)
	}
	o.CutConnection()
	if status, _, err := call(t, o, "/api/chat", chat("reader")); status != 200 || err != io.ErrUnexpectedEOF {
		t.Errorf("%d, %v", status, err)
	}
}

func TestImages(t *testing.T) {
	o := newOllama(t)
	o.Answer("seen")
	photo := Photo(t, 64, 48)
	tests := []struct {
		name, model string
		image       []byte
		want        string
	}{
		{"Vision", "seer", photo, "200 seen"},
		{"NoVision", "reader", photo, "200 seen"},
		{"IgnoresNonImage", "reader", []byte("none"), "200 seen"},
		{"NotAnImage", "seer", []byte("none"), "500 failed to process inputs: image: unknown format"},
		{"Truncated", "seer", photo[:len(photo)-40], "500 failed to process inputs: invalid JPEG format: short Huffman data"},
		{"OnePixel", "seer", Photo(t, 1, 1), "500 " + crashed},
		{"Strip", "seer", Photo(t, 1000, 20), "500 " + crashed},
		{"AfterCrash", "seer", photo, "200 seen"},
	}
	for _, test := range tests {
		if got := ask(t, o, withImage(test.model, test.image)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
	first := o.Requests()[0].Images
	if len(first) != 1 || !bytes.Equal(first[0].Bytes, photo) || first[0].Width != 64 || first[0].Height != 48 || first[0].Format != "jpeg" {
		t.Errorf("images = %+v", first)
	}
}

func TestRefusals(t *testing.T) {
	o := newOllama(t)
	o.Add("thinker", "completion", "thinking")
	o.Add("embedder", "embedding")
	o.Answer("fine")
	format := func(schema string) string { return chat("reader", `,"format":`, schema) }
	const bad, grammar = "500 invalid JSON schema in format", "500 failed to load model vocabulary required for format"
	tests := map[string]string{
		chat("nobody"):                               "404 model 'nobody' not found",
		chat("reader", `,"think":true`):              `400 "reader" does not support thinking`,
		chat("reader", `,"think":false`):             "200 fine",
		chat("thinker", `,"think":true`):             "200 fine",
		chat("embedder"):                             `400 "embedder" does not support chat`,
		format(`"json"`):                             "200 fine",
		format(`null`):                               "200 fine",
		format(`""`):                                 "200 fine",
		format(`true`):                               `500 invalid format: "true"; expected "json" or a valid JSON Schema object`,
		format(`{"type":"string","maxLength":2000}`): "200 fine",
		format(`{"type":"string","maxLength":2001}`): grammar,
		format(`{"type":"array","maxItems":5000}`):   grammar,
		format(`{"not":{}}`):                         bad,
		format(`{"properties":{"a":{"items":{"type":"sting"}}}}`):   bad,
		format(`{"anyOf":[{"type":"null"},{"pattern":"x"}]}`):       bad,
		format(`{"$defs":{"a":{"maxLength":9999}}}`):                grammar,
		format(`{"type":["string","null"],"pattern":"^x$"}`):        "200 fine",
		chat("reader", `,"truncate":false,"options":{"num_ctx":4}`): "400 the input length exceeds the context length",
		chat("reader", `,"truncate":true,"options":{"num_ctx":4}`):  "200 fine",
		chat("reader", `,"truncate":false`):                         "200 fine",
	}
	for body, want := range tests {
		if got := ask(t, o, body); got != want {
			t.Errorf("%s\n %q, want %q", body, got, want)
		}
	}

	_, lines, _ := call(t, o, "/api/chat", chat("reader", `,"options":{"num_ctx":4}`))
	if lines[0].PromptEval != 4 {
		t.Errorf("prompt_eval_count is %d, want the 4 tokens that fit", lines[0].PromptEval)
	}
	_, lines, _ = call(t, o, "/api/generate", `{"model":"embedder","prompt":"x"}`)
	if want := `"embedder" does not support generate`; lines[0].Error != want {
		t.Errorf("%q", lines[0].Error)
	}
}

func TestRequestsAreRecorded(t *testing.T) {
	o := newOllama(t)
	o.Answer("fine")
	ask(t, o, chat("reader", `,"think":false,"truncate":false,"shift":true,"keep_alive":"90s","format":{"b":1,"a":2},"options":{"seed":7,"num_ctx":64}`))
	r := o.Requests()[0]
	if r.Path != "/api/chat" || r.Model != "reader" || r.System != "Be brief." || r.Prompt != "Hello?" || r.Messages != 2 || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("request = %+v", r)
	}
	if *r.Think || *r.Truncate || !*r.Shift || *r.Stream || *r.KeepAlive != 90*time.Second || string(r.Format) != `{"b":1,"a":2}` {
		t.Errorf("request = %+v", r)
	}
	if len(r.Options) != 2 || r.Options["seed"] != 7 || r.Options["num_ctx"] != 64 {
		t.Errorf("options = %v", r.Options)
	}

	call(t, o, "/api/generate", `{"model":"seer","system":"s","prompt":"p","keep_alive":-1}`)
	r = o.Requests()[1]
	if r.Path != "/api/generate" || r.System != "s" || r.Prompt != "p" || *r.KeepAlive != -time.Second || r.Think != nil || r.Stream != nil || r.Format != nil {
		t.Errorf("request = %+v", r)
	}

	call(t, o, "/api/show", `{"model":"seer"}`)
	call(t, o, "/api/chat", `{"model":"seer"}`)
	call(t, o, "/api/chat", chat("nobody"))
	if all, questions := len(o.Requests()), len(o.Questions()); all != 5 || questions != 3 {
		t.Errorf("%d requests and %d questions, want 5 and 3", all, questions)
	}
}

func TestModels(t *testing.T) {
	o := newOllama(t)
	status := func(model string) int {
		status, _, _ := call(t, o, "/api/show", `{"model":"`+model+`"}`)
		return status
	}
	for model, want := range map[string]int{"reader": 200, "reader:latest": 200, "Reader": 200, "reader:7b": 404, "": 400} {
		if got := status(model); got != want {
			t.Errorf("%q: %d, want %d", model, got, want)
		}
	}
	o.Remove("reader")
	if got := status("reader"); got != 404 {
		t.Errorf("after Remove: %d", got)
	}
}

func TestHangAndRelease(t *testing.T) {
	o := newOllama(t)
	arrived := o.Hang()
	failed := make(chan error)
	post := func() {
		_, err := http.Post(o.URL+"/api/chat", "application/json", strings.NewReader(chat("reader")))
		failed <- err
	}
	for range 2 {
		go post()
		if r := <-arrived; r.Model != "reader" {
			t.Errorf("request = %+v", r)
		}
		o.Release()
		if <-failed == nil {
			t.Error("a released call has an answer")
		}
	}

	go post()
	<-arrived
	o.Answer("fine")
	if got := ask(t, o, chat("reader")); got != "200 fine" {
		t.Errorf("%q, while another call hangs", got)
	}
	o.Release()
	<-failed
}

func TestDownAndUp(t *testing.T) {
	o := newOllama(t)
	o.Answer("fine")
	o.Down()
	for _, path := range []string{"/api/chat", "/api/generate", "/api/show"} {
		if _, _, err := call(t, o, path, chat("reader")); err == nil {
			t.Errorf("%s is answered while the server is down", path)
		}
	}
	o.Up()
	if got := ask(t, o, chat("reader")); got != "200 fine" {
		t.Errorf("%q", got)
	}
	if n := len(o.Requests()); n != 1 {
		t.Errorf("%d requests recorded, want only the one after Up", n)
	}
}

// recorder is a test that may fail.
type recorder struct {
	testing.TB
	failures int
}

func (r *recorder) Errorf(string, ...any) { r.failures++ }

func TestMistakesFailTheTest(t *testing.T) {
	for name, body := range map[string]string{
		"NoScript":      chat("reader"),
		"UnknownOption": chat("nobody", `,"options":{"num_predicts":5}`),
	} {
		r := &recorder{TB: t}
		o := New(r)
		o.Add("reader")
		ask(t, o, body)
		if r.failures != 1 {
			t.Errorf("%s: %d failures, want 1", name, r.failures)
		}
	}
}
