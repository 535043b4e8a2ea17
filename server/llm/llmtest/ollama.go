// Package llmtest is an Ollama for tests: a server that speaks the part of
// Ollama's API that model uses, says what it is told to say, remembers what was
// asked, and fails on demand. It behaves as Ollama 0.17 was measured to, in its
// wording and in its faults: a model that cannot see ignores a picture and
// answers all the same, and a picture that is too small crashes the model.
//
// It is stricter than Ollama where that finds mistakes: an option that it does
// not know fails the test.
package llmtest

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Version is the version that the stand-in says it has.
const Version = "0.17.4"

// Ollama is a running stand-in.
type Ollama struct {
	URL string // base address, for model.Config.URL

	t     testing.TB
	ended chan struct{} // closed when the test ends

	mu       sync.Mutex
	models   map[string][]string // capabilities by full name
	requests []Request
	scripts  []script // for the next questions, in order
	last     script   // of the scripts that are used up; nil if there was none
	down     bool
	released chan struct{} // closed to end what hangs
}

// New starts a stand-in that ends with the test. It has no models yet.
func New(t testing.TB) *Ollama {
	t.Helper()
	o := &Ollama{
		t:        t,
		ended:    make(chan struct{}),
		models:   map[string][]string{},
		released: make(chan struct{}),
	}
	server := httptest.NewServer(o.routes())
	o.URL = server.URL
	t.Cleanup(func() {
		close(o.ended) // Close would wait for a call that hangs
		server.Close()
	})
	return o
}

func (o *Ollama) routes() http.Handler {
	mux := http.NewServeMux()
	running := func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("Ollama is running")) }
	mux.HandleFunc("GET /{$}", o.up(running))
	mux.HandleFunc("GET /api/version", o.up(o.version))
	mux.HandleFunc("GET /api/tags", o.up(o.tags))
	mux.HandleFunc("POST /api/show", o.up(o.show))
	mux.HandleFunc("POST /api/chat", o.up(o.question))
	mux.HandleFunc("POST /api/generate", o.up(o.question))
	return mux
}

// Add has a model pulled. Its capabilities are "completion", "vision",
// "thinking" and so on; without any it has "completion".
func (o *Ollama) Add(model string, capabilities ...string) {
	if len(capabilities) == 0 {
		capabilities = []string{"completion"}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.models[fullName(model)] = slices.Clone(capabilities)
}

// Remove has a model removed.
func (o *Ollama) Remove(model string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.models, fullName(model))
}

// find gives the capabilities of a model.
func (o *Ollama) find(model string) (capabilities []string, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	capabilities, ok = o.models[fullName(model)]
	return capabilities, ok
}

func fullName(model string) string {
	if !strings.Contains(model, ":") {
		model += ":latest"
	}
	return strings.ToLower(model)
}

func (o *Ollama) version(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, map[string]any{"version": Version})
}

func (o *Ollama) tags(w http.ResponseWriter, _ *http.Request) {
	o.mu.Lock()
	names := slices.Sorted(maps.Keys(o.models))
	o.mu.Unlock()

	models := []any{}
	for _, name := range names {
		models = append(models, map[string]any{"name": name, "model": name, "size": 1 << 20})
	}
	write(w, http.StatusOK, map[string]any{"models": models})
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
	if asked.Model == "" {
		refuse(w, http.StatusBadRequest, "model is required")
		return
	}
	capabilities, ok := o.find(asked.Model)
	if !ok {
		notFound(w, asked.Model)
		return
	}
	write(w, http.StatusOK, map[string]any{
		"license":      "A licence of some length.",
		"modelfile":    "FROM stand-in",
		"template":     "{{ .Prompt }}",
		"details":      map[string]any{"format": "gguf", "family": "standin"},
		"model_info":   map[string]any{"general.architecture": "standin", "standin.context_length": 32768},
		"capabilities": capabilities,
		"modified_at":  "2026-01-02T03:04:05Z",
	})
}

func notFound(w http.ResponseWriter, model string) {
	refuse(w, http.StatusNotFound, "model '"+model+"' not found")
}

// refuse answers with an error as Ollama words all of its.
func refuse(w http.ResponseWriter, status int, message string) {
	write(w, status, map[string]any{"error": message})
}

func write(w http.ResponseWriter, status int, content any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(content); err != nil {
		return // the client has gone
	}
}
