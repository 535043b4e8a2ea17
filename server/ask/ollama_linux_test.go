package ask_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
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

	"svc/db"
	"svc/server"
	"svc/server/datatest"
	"svc/server/proctest"
	"svc/server/servertest"
)

// realModel starts the program in OLLAMA_BIN, or ollama on the PATH, with a model that
// writes nonsense in valid JSON. Without the program the test is skipped, and fails in CI.
func realModel(t *testing.T) (at, name string) {
	t.Helper()
	path, err := exec.LookPath(cmp.Or(os.Getenv("OLLAMA_BIN"), "ollama"))
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	if err != nil {
		t.Skip("no ollama on the PATH or in OLLAMA_BIN: see the test of server/llm for how to install it")
	}
	home := t.TempDir()
	log, err := os.Create(filepath.Join(home, "ollama.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	command := exec.Command(path, "serve")
	command.Env = []string{
		"HOME=" + home, "TMPDIR=" + home, "PATH=" + os.Getenv("PATH"),
		"OLLAMA_HOST=127.0.0.1:0", "OLLAMA_MODELS=" + filepath.Join(home, "models"), "OLLAMA_NO_CLOUD=1",
	}
	command.Stdout, command.Stderr = log, log
	// Its runners are in its process group and end with it if this test is killed.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	proctest.Start(t, command)
	t.Cleanup(func() {
		syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		command.Wait() // its error is the kill
	})
	listening := regexp.MustCompile(`Listening on (127\.0\.0\.1:\d+)`)
	servertest.Until(t, "Ollama listens", func() bool {
		content, err := os.ReadFile(log.Name())
		if err != nil {
			t.Fatal(err)
		}
		if match := listening.FindSubmatch(content); match != nil {
			at = "http://" + string(match[1])
		}
		return at != ""
	})
	return at, createTiny(t, at)
}

// createTiny creates the tiny test model in an Ollama.
func createTiny(t *testing.T, at string) (name string) {
	t.Helper()
	address, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	content := datatest.Read(t, "models/tiny.gguf")
	ollama := api.NewClient(address, http.DefaultClient)
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(content))
	if err := ollama.CreateBlob(t.Context(), digest, bytes.NewReader(content)); err != nil {
		t.Fatal(err)
	}
	err = ollama.Create(t.Context(), &api.CreateRequest{
		Model:      "tiny:latest",
		Files:      map[string]string{"tiny.gguf": digest},
		Template:   "{{- range .Messages }}[{{ .Role }}] {{ .Content }}\n{{ end }}[assistant] ",
		Parameters: map[string]any{"num_thread": 1},
	}, func(api.ProgressResponse) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return "tiny:latest"
}

// peer passes requests on to an Ollama and keeps what it answered.
type peer struct {
	*httptest.Server
	mu      sync.Mutex
	answers []string // "200 /api/chat", in order
}

func newPeer(t *testing.T, at string) *peer {
	t.Helper()
	address, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{}
	proxy := httputil.NewSingleHostReverseProxy(address)
	proxy.ModifyResponse = func(r *http.Response) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.answers = append(p.answers, fmt.Sprint(r.StatusCode, " ", r.Request.URL.Path))
		return nil
	}
	p.Server = httptest.NewServer(proxy)
	t.Cleanup(p.Close)
	return p
}

// expectAnswers fails the test unless Ollama answered at least so many chats, and refused
// none.
func (p *peer) expectAnswers(t *testing.T, chats int) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	answered := 0
	for _, a := range p.answers {
		if a == "200 /api/chat" {
			answered++
		}
		if !strings.HasPrefix(a, "200 ") {
			t.Errorf("Ollama refused a request: %s", a)
		}
	}
	if answered < chats {
		t.Errorf("Ollama answered %q, want %d chats", p.answers, chats)
	}
}

// With a real Ollama every answer has the fields of seed 2.4 and only computed numbers.
func TestAskRealOllama(t *testing.T) {
	servertest.Sequential(t)
	at, name := realModel(t)
	ollama := newPeer(t, at)
	b := newBooks(t, db.Business, func(c *server.Config) {
		c.Ollama = server.Ollama{URL: ollama.URL, AskModel: name, Timeout: 100 * time.Second}
	})
	lines := makeLines("2026-01-01", 60)
	b.importFile(t, "sales.csv", csvFile(lines))
	b.ask(t, unclear) // parsed and perhaps worded by the model
	b.ask(t, "What is our revenue?").expectFigures(t, total(lines, line.revenue, everyLine))
	b.ask(t, "What will our sales be next month?").expectRefusal(t)

	// Ollama accepts the schema of a wide table.
	headings, cells := "Sum", "5"
	for n := range 30 { // one letter is one token of this model
		headings += fmt.Sprintf(",%02d %s", n, strings.Repeat("x", 50))
		cells += ",y"
	}
	b.Clock.Advance(time.Minute)
	b.importFile(t, "wide.csv", headings+"\n"+cells+"\n")
	b.ask(t, "What is the sum of gubbins?")

	// The model reads two of the questions and words the answer of one.
	ollama.expectAnswers(t, 3)
}
