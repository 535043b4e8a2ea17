package ask_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"svc/db"
	"svc/server"
	"svc/server/datatest"
	"svc/server/servertest"
)

// realModel starts the program in OLLAMA_BIN, or ollama on the PATH, with a model that
// writes nonsense in valid JSON. Without the program the test is skipped, and fails in CI.
func realModel(t *testing.T) (at, name, logged string) {
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
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
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
	return at, createTiny(t, at), log.Name()
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

// With a real Ollama every answer has the fields of seed 2.4 and only computed numbers.
func TestAskRealOllama(t *testing.T) {
	servertest.Sequential(t)
	at, name, logged := realModel(t)
	b := newBooks(t, db.Business, func(c *server.Config) {
		c.Ollama = server.Ollama{URL: at, AskModel: name, Timeout: 20 * time.Second}
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

	// The model reads two of the questions, and words what it read if that is a plan: its weights
	// are random. Ollama logs a request after it has answered.
	var content []byte
	servertest.Until(t, "two requests in the log of Ollama", func() bool {
		var err error
		if content, err = os.ReadFile(logged); err != nil {
			t.Fatal(err)
		}
		return bytes.Count(content, []byte(`"/api/chat"`)) >= 2
	})
	if bytes.Contains(content, []byte("| 500 |")) || bytes.Contains(content, []byte("| 400 |")) {
		t.Errorf("Ollama refused a request:\n%s", content)
	}
}
