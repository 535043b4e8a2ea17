package docs_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/embed"
	"svc/server/webhook"
)

const (
	hookSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	hookBody   = `{"id":"evt_1","type":"stock.low","note":"Crème – 250 g"}`
)

// posted is a request that a receiver may take for an event.
type posted struct {
	secrets webhook.Secrets
	at      time.Time
	body    string // that arrives; hookBody was signed
	genuine bool
}

// postings are genuine and forged requests.
func postings() map[string]posted {
	own := webhook.Secrets{Current: hookSecret}
	other := webhook.Secrets{Current: "whsec_" + strings.Repeat("QUFB", 10) + "QUE="}
	now := time.Now()
	return map[string]posted{
		"Genuine":     {own, now, hookBody, true},
		"Rotated":     {webhook.Secrets{Current: other.Current, Old: hookSecret}, now, hookBody, true},
		"OtherSecret": {other, now, hookBody, false},
		"OtherBody":   {own, now, hookBody + " ", false},
		"Replayed":    {own, now.Add(-10 * time.Minute), hookBody, false},
		"InTheFuture": {own, now.Add(10 * time.Minute), hookBody, false},
	}
}

// headers are those of the request.
func (p posted) headers(t *testing.T) http.Header {
	t.Helper()
	signed, err := webhook.Sign(p.secrets, "evt_1", p.at, []byte(hookBody))
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	for _, one := range signed {
		h.Set(one.Name, one.Value)
	}
	return h
}

// receiver returns the file of a receiver, written to a folder.
func receiver(t *testing.T, file string) string {
	t.Helper()
	text, err := fs.ReadFile(embed.Receivers(), file)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), strings.TrimSuffix(file, ".txt"))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The receivers of /docs/events take what this server signs, and refuse what it has not.
func TestReceiversCheckSignatures(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]func() *exec.Cmd{
		"JavaScript": func() *exec.Cmd { return exec.Command(installed(t, "node"), receiver(t, "verify.mjs")) },
		"Python":     func() *exec.Cmd { return exec.Command(installed(t, "python3"), receiver(t, "verify.py")) },
		"Go":         func() *exec.Cmd { return exec.Command(built(t, receiver(t, "verify.go.txt"))) },
	} {
		t.Run(name, func(t *testing.T) {
			address, lines := listen(t, command())
			for what, p := range postings() {
				request, err := http.NewRequest(http.MethodPost, address, strings.NewReader(p.body))
				if err != nil {
					t.Fatal(err)
				}
				request.Header = p.headers(t)
				answer, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				answer.Body.Close()
				want := map[bool]int{true: http.StatusNoContent, false: http.StatusBadRequest}[p.genuine]
				if answer.StatusCode != want {
					t.Errorf("%s: %d, want %d", what, answer.StatusCode, want)
				}
				if p.genuine {
					if !lines.Scan() || lines.Text() != "stock.low evt_1" {
						t.Errorf("%s: it printed %q", what, lines.Text())
					}
				}
			}
			if answer, err := http.Post(address, "application/json", strings.NewReader(hookBody)); err != nil || answer.StatusCode != http.StatusBadRequest {
				t.Errorf("without a signature: %v %v", answer, err)
			}
		})
	}
}

// listen starts a receiver and returns its address and what it prints then.
func listen(t *testing.T, run *exec.Cmd) (address string, lines *bufio.Scanner) {
	t.Helper()
	run.Env = append(os.Environ(), "SVC_WEBHOOK_SECRET="+hookSecret, "PORT=0")
	run.Stderr = io.Discard // Python logs each request
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(run.Process.Kill(), run.Wait()) })
	lines = bufio.NewScanner(out)
	var port int
	if !lines.Scan() {
		t.Fatal("it ended without a word")
	}
	if _, err := fmt.Sscanf(lines.Text(), "listening on %d", &port); err != nil {
		t.Fatalf("%q: %v", lines.Text(), err)
	}
	return fmt.Sprintf("http://127.0.0.1:%d/", port), lines
}

// built returns the program of a file of Go.
func built(t *testing.T, path string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "receiver")
	if out, err := exec.Command("go", "build", "-o", program, path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

func TestShellChecksSignatures(t *testing.T) {
	t.Parallel()
	installed(t, "openssl")
	script := receiver(t, "verify.sh")
	for what, p := range postings() {
		h := p.headers(t)
		run := exec.Command("sh", script)
		run.Env = append(os.Environ(), "SVC_WEBHOOK_SECRET="+hookSecret,
			"ID="+h.Get("webhook-id"), "TIMESTAMP="+h.Get("webhook-timestamp"), "SIGNATURE="+h.Get("webhook-signature"))
		run.Stdin = bytes.NewReader([]byte(p.body))
		out, err := run.CombinedOutput()
		if genuine := err == nil && string(out) == "genuine\n"; genuine != p.genuine {
			t.Errorf("%s: %v %s", what, err, out)
		}
	}
}

// The page of events has each receiver, the schedule of K5 and a row for each kind.
func TestEventsPage(t *testing.T) {
	t.Parallel()
	visitor := open(t).Browser(t)
	for lang, part := range map[string]string{"": "openssl dgst", "javascript": "timingSafeEqual", "python": "hmac.compare_digest", "go": "hmac.Equal"} {
		page := visitor.Get(t, "/docs/events?lang="+lang)
		for _, text := range []string{part, `id="verify"`, `<td class="num">5 s</td>`, `<td class="num">24 h</td><td class="num">75 h 35 min</td>`, `<a href="#event-2"><code>stock.low</code></a>`, `href="/docs/events?lang=go#verify"`} {
			if page.Status != http.StatusOK || !strings.Contains(string(page.Body), text) {
				t.Errorf("%q: %d, says nothing of %q", lang, page.Status, text)
			}
		}
	}
	if page := visitor.Get(t, "/docs/webhooks"); !page.Says(`href="/docs/events#verify"`) {
		t.Error("the page of webhooks does not lead to signatures")
	}
}
