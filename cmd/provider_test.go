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

// provider is a fake of the operator's webhook that counts the messages it gets.
type provider struct {
	*httptest.Server
	// onMessage, if set, is called with the request's path before the answer.
	onMessage func(path string)

	mu   sync.Mutex
	seen map[string]int // how often each text came
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

// receive checks the signature of a request and returns the message's text.
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

// flags returns the flags with which svc sends through the provider.
func (p *provider) flags() []string {
	return []string{"--messaging", "webhook", "--messaging-url", p.URL, "--messaging-secret", providerSecret}
}

// sent returns how often a text reached the provider.
func (p *provider) sent(text string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen[text]
}

// total returns how many messages reached the provider.
func (p *provider) total() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, times := range p.seen {
		n += times
	}
	return n
}
