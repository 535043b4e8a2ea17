// Package llmtest is a fake Ollama server for tests. It has the part of Ollama's API
// that llm uses, gives the answers that a test prepares, records requests, and fails on
// demand. Its error messages and faults are those measured with Ollama 0.17: a model
// without vision ignores pictures and answers, and a picture that is too small crashes
// the model.
//
// It is stricter than Ollama where that finds mistakes: an unknown option fails the
// test.
package llmtest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Ollama is a running fake server.
type Ollama struct {
	URL string // base address, for llm.Config.URL

	t    testing.TB
	done chan struct{} // closed when the test ends

	mu       sync.Mutex
	models   map[string][]string // capabilities by full name
	requests []Request
	scripts  []script // for the next questions, in order
	last     script   // the last one used; nil before the first
	down     bool
	released chan struct{} // closed by Release
}

// New starts a server without models. It stops when the test ends.
func New(t testing.TB) *Ollama {
	t.Helper()
	o := &Ollama{
		t:        t,
		done:     make(chan struct{}),
		models:   map[string][]string{},
		released: make(chan struct{}),
	}
	server := httptest.NewServer(o.routes())
	o.URL = server.URL
	t.Cleanup(func() {
		close(o.done) // server.Close would wait for a hanging call
		server.Close()
	})
	return o
}

func (o *Ollama) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/show", o.up(o.show))
	mux.HandleFunc("POST /api/chat", o.up(o.ask))
	mux.HandleFunc("POST /api/generate", o.up(o.ask))
	return mux
}

// Add adds a model with capabilities such as "completion", "vision" and "thinking";
// the default is "completion".
func (o *Ollama) Add(model string, capabilities ...string) {
	if len(capabilities) == 0 {
		capabilities = []string{"completion"}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.models[fullName(model)] = slices.Clone(capabilities)
}

// Remove removes a model.
func (o *Ollama) Remove(model string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.models, fullName(model))
}

// find returns the capabilities of a model. For one that does not exist it writes
// Ollama's error and returns false.
func (o *Ollama) find(w http.ResponseWriter, model string) (capabilities []string, ok bool) {
	o.mu.Lock()
	capabilities, ok = o.models[fullName(model)]
	o.mu.Unlock()
	switch {
	case model == "":
		refuse(w, http.StatusBadRequest, "model is required")
		return nil, false
	case !ok:
		refuse(w, http.StatusNotFound, "model '"+model+"' not found")
	}
	return capabilities, ok
}

func fullName(model string) string {
	if !strings.Contains(model, ":") {
		model += ":latest"
	}
	return strings.ToLower(model)
}

func (o *Ollama) show(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Model, Name string
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	if asked.Model == "" {
		asked.Model = asked.Name
	}
	o.record(Request{Path: r.URL.Path, Header: r.Header.Clone(), Model: asked.Model})
	capabilities, ok := o.find(w, asked.Model)
	if !ok {
		return
	}
	write(w, http.StatusOK, map[string]any{
		"license":      "A licence of some length.",
		"modelfile":    "FROM fake",
		"template":     "{{ .Prompt }}",
		"details":      map[string]any{"format": "gguf", "family": "fake"},
		"model_info":   map[string]any{"general.architecture": "fake", "fake.context_length": 32768},
		"capabilities": capabilities,
		"modified_at":  "2026-01-02T03:04:05Z",
	})
}

// refuse writes an error in Ollama's form.
func refuse(w http.ResponseWriter, status int, message string) {
	write(w, status, map[string]any{"error": message})
}

func write(w http.ResponseWriter, status int, content any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(content); err != nil {
		return // the client has closed the connection
	}
}
