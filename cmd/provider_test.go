package cmd_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

const providerSecret = "a secret of the operator's own sender"

// provider stands in for the operator's webhook: it counts what reached it.
type provider struct {
	*httptest.Server
	// onMessage runs before the answer, if set. It is told the path of the
	// address that svc was given.
	onMessage func(path string)

	mu   sync.Mutex
	seen map[string]int // by text
}

func newProvider(t testing.TB, onMessage func(path string)) *provider {
	t.Helper()
	p := &provider{onMessage: onMessage, seen: map[string]int{}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := receive(r)
		if err != nil {
			t.Errorf("provider: %v", err)
			http.Error(w, `{"error":"refused"}`, http.StatusBadRequest)
			return
		}
		p.mu.Lock()
		p.seen[text]++
		p.mu.Unlock()
		if p.onMessage != nil {
			p.onMessage(r.URL.Path)
		}
		fmt.Fprintf(w, `{"id":%q}`, "provider-"+text)
	}))
	t.Cleanup(p.Close)
	return p
}

// receive checks the signature and returns the message's text.
func receive(r *http.Request) (string, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, []byte(providerSecret))
	mac.Write(body)
	if want := hex.EncodeToString(mac.Sum(nil)); r.Header.Get("X-Service-Signature") != want {
		return "", fmt.Errorf("signature is %q, want %q", r.Header.Get("X-Service-Signature"), want)
	}
	var message struct{ Text string }
	err = json.Unmarshal(body, &message)
	return message.Text, err
}

// flags are what makes svc send through the provider.
func (p *provider) flags() []string {
	return []string{"--messaging", "webhook", "--messaging-url", p.URL, "--messaging-secret", providerSecret}
}

// sent is how often a text reached the provider.
func (p *provider) sent(text string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen[text]
}

// total is how many messages reached the provider.
func (p *provider) total() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, times := range p.seen {
		n += times
	}
	return n
}
