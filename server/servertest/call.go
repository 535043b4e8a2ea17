package servertest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Answer is a response with its body read.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Code is the answer's X-Error-Code, empty if it is no error.
func (a Answer) Code() string { return a.Header.Get("X-Error-Code") }

// Remaining is the answer's X-RateLimit-Remaining, -1 if it has none.
func (a Answer) Remaining() int { return a.number("X-RateLimit-Remaining") }

// Field reads a top-level field of a JSON body, or nil.
func (a Answer) Field(t testing.TB, name string) any {
	t.Helper()
	return a.Fields(t)[name]
}

// Fields reads a JSON body that is an object.
func (a Answer) Fields(t testing.TB) (fields map[string]any) {
	t.Helper()
	if err := json.Unmarshal(a.Body, &fields); err != nil {
		t.Errorf("body is not a JSON object: %q", a.Body)
	}
	return fields
}

// number reads a header that is a whole number from 0 on, or returns -1.
func (a Answer) number(header string) int {
	n, err := strconv.Atoi(a.Header.Get(header))
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// Option changes a request.
type Option func(*http.Request)

// WithKey sends an API key.
func WithKey(secret string) Option { return WithHeader("x-api-key", secret) }

// WithIdempotencyKey sends an Idempotency-Key.
func WithIdempotencyKey(key string) Option { return WithHeader("Idempotency-Key", key) }

// WithHeader sends a header.
func WithHeader(name, value string) Option {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

// WithContext lets the test hang up. The call then fails for the client and returns the
// zero Answer without failing the test.
func WithContext(ctx context.Context) Option {
	return func(r *http.Request) { *r = *r.WithContext(ctx) }
}

// Call sends one request. body may be nil, a string, bytes, a reader (which is
// sent in chunks), or a value that is sent as JSON. It may be used from several
// goroutines, so it reports failures with t.Error and returns a zero Answer.
func (s *Server) Call(t testing.TB, method, path string, body any, options ...Option) Answer {
	t.Helper()
	request, err := http.NewRequest(method, s.URL+path, reader(t, body))
	if err != nil {
		t.Errorf("make request: %v", err)
		return Answer{}
	}
	for _, o := range options {
		o(request)
	}
	response, err := s.http.Client().Do(request)
	if err != nil && request.Context().Err() != nil {
		return Answer{}
	}
	if err != nil {
		t.Errorf("%s %s: %v", method, path, err)
		return Answer{}
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Errorf("%s %s: read answer: %v", method, path, err)
	}
	answer := Answer{Status: response.StatusCode, Header: response.Header, Body: content}
	answer.check(t, request)
	answer.checkDescribed(t, request)
	return answer
}

func reader(t testing.TB, body any) io.Reader {
	t.Helper()
	switch b := body.(type) {
	case nil:
		return nil
	case string:
		return strings.NewReader(b)
	case []byte:
		return bytes.NewReader(b)
	case io.Reader:
		return b
	}
	encoded, err := json.Marshal(body)
	if err != nil {
		t.Errorf("encode body: %v", err)
	}
	return bytes.NewReader(encoded)
}

var requestID = regexp.MustCompile(`^req_[0-9a-hjkmnp-tv-z]{26}$`)

// check checks what holds for every answer.
func (a Answer) check(t testing.TB, r *http.Request) {
	t.Helper()
	fault := func(what string) {
		t.Helper()
		t.Errorf("%s %s: %s\n%d %v\n%s", r.Method, r.URL.Path, what, a.Status, a.Header, a.Body)
	}
	if !requestID.MatchString(a.Header.Get("X-Request-Id")) {
		fault("X-Request-Id is not one of ours")
	}
	if a.Header.Get("X-Client-Request-Id") != r.Header.Get("X-Request-Id") {
		fault("X-Client-Request-Id is not the caller's")
	}
	if !strings.HasPrefix(r.URL.Path, "/api/v1/") {
		return
	}
	limit, remaining, reset := a.number("X-RateLimit-Limit"), a.Remaining(), a.number("X-RateLimit-Reset")
	if limit < 1 || remaining < 0 || remaining > limit || reset < 0 {
		fault("rate headers missing or impossible")
	}
	if a.Header.Get("Content-Type") != "application/json" {
		fault("not JSON")
	}
	if a.Status >= 400 && r.Method != http.MethodHead {
		a.checkError(t, r, fault)
	}
	if a.Status < 400 && a.Code() != "" {
		fault("an error code on a success")
	}
}

// checkError checks which fields besides `error` a status may have (seed 2.6, 7).
func (a Answer) checkError(t testing.TB, r *http.Request, fault func(string)) {
	t.Helper()
	fields := a.Fields(t)
	if sentence, ok := fields["error"].(string); !ok || sentence == "" {
		fault("no sentence in error")
	}
	if a.Code() == "" {
		fault("no X-Error-Code")
	}
	if a.Status == http.StatusTooManyRequests && a.number("Retry-After") < 1 {
		fault("no Retry-After")
	}
	if a.Status == http.StatusMethodNotAllowed && a.Header.Get("Allow") == "" {
		fault("no Allow")
	}
	extra := a.Status == http.StatusPaymentRequired || a.Status == http.StatusTooManyRequests ||
		strings.HasSuffix(r.URL.Path, "/data/push") // the errors of its records
	if len(fields) != 1 && !extra {
		fault("fields besides error")
	}
}
