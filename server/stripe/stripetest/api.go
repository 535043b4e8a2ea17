package stripetest

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// replyLife is how long Stripe remembers an idempotency key.
const replyLife = 24 * time.Hour

// reply is what a POST was answered with, for the next one with its key.
type reply struct {
	path, params string
	body         []byte
	at           time.Time
}

// refusal is an error object of Stripe.
type refusal struct {
	status  int
	kind    string
	code    string
	param   string
	message string
}

func (e *refusal) wire() map[string]any {
	object := map[string]any{"type": e.kind, "message": e.message}
	for name, value := range map[string]string{"code": e.code, "param": e.param} {
		if value != "" {
			object[name] = value
		}
	}
	return map[string]any{"error": object}
}

func invalid(code, param, format string, args ...any) *refusal {
	return &refusal{http.StatusBadRequest, "invalid_request_error", code, param, fmt.Sprintf(format, args...)}
}

// act does what a call asks for. The lock is held.
type act func(*http.Request) (any, *refusal)

// api is the way of every call: its record, the fault that awaits it, the key,
// the idempotency key, and the act.
func (s *Stripe) api(do act) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		f := s.arrive(r)
		if f.before != nil {
			f.before(w, r)
			return
		}

		s.mu.Lock()
		status, header, body := s.answer(do, r)
		s.mu.Unlock()

		if f.cut {
			cut(w)
			return
		}
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Request-Id", newID("req_")[:18])
		w.WriteHeader(status)
		w.Write(body)
	}
}

// answer is the answer of a Stripe in good health. Only a success is kept for
// the idempotency key: what fails validation has not begun.
func (s *Stripe) answer(do act, r *http.Request) (status int, header map[string]string, body []byte) {
	if e := s.authenticate(r); e != nil {
		return e.status, nil, encode(e.wire())
	}
	key := r.Header.Get("Idempotency-Key")
	if r.Method != http.MethodPost {
		key = ""
	}
	if kept, ok := s.kept(key); ok {
		return kept.replay(key, r)
	}

	content, e := do(r)
	if e != nil {
		return e.status, nil, encode(e.wire())
	}
	body = encode(content)
	if key != "" {
		s.replies[key] = reply{r.URL.Path, r.PostForm.Encode(), body, s.now()}
	}
	return http.StatusOK, nil, body
}

func (s *Stripe) kept(key string) (reply, bool) {
	kept, ok := s.replies[key]
	return kept, ok && s.now().Sub(kept.at) < replyLife
}

func (p reply) replay(key string, r *http.Request) (status int, header map[string]string, body []byte) {
	if p.path != r.URL.Path || p.params != r.PostForm.Encode() {
		e := &refusal{
			status: http.StatusBadRequest,
			kind:   "idempotency_error",
			message: fmt.Sprintf("Keys for idempotent requests can only be used with the same parameters they were "+
				"first used with. Try using a key other than '%s' if you meant to execute a different request.", key),
		}
		return e.status, nil, encode(e.wire())
	}
	return http.StatusOK, map[string]string{"Idempotent-Replayed": "true"}, p.body
}

func (s *Stripe) authenticate(r *http.Request) *refusal {
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return &refusal{status: http.StatusUnauthorized, kind: "invalid_request_error",
			message: "You did not provide an API key. You need to provide your API key in the Authorization header."}
	}
	if subtle.ConstantTimeCompare([]byte(key), []byte(s.Key)) != 1 {
		return &refusal{status: http.StatusUnauthorized, kind: "invalid_request_error",
			message: "Invalid API Key provided: " + mask(key)}
	}
	return nil
}

// mask shows of a key what Stripe shows.
func mask(key string) string {
	if len(key) < 12 {
		return strings.Repeat("*", len(key))
	}
	return key[:8] + strings.Repeat("*", len(key)-12) + key[len(key)-4:]
}

func (s *Stripe) create(r *http.Request) (any, *refusal) {
	c, e := newSession(r.PostForm, s.now())
	if e != nil {
		return nil, e
	}
	c.ID = newID("cs_test_")
	if s.Live {
		c.ID = newID("cs_live_")
	}
	c.Live = s.Live
	c.IdempotencyKey = r.Header.Get("Idempotency-Key")
	s.sessions = append(s.sessions, c)
	return s.wire(c), nil
}

func (s *Stripe) retrieve(r *http.Request) (any, *refusal) {
	c, e := s.existing(r)
	if e != nil {
		return nil, e
	}
	wire := s.wire(c)
	if r.URL.Query().Get("expand[0]") == "payment_intent" && c.PaymentIntent != "" {
		wire["payment_intent"] = map[string]any{"id": c.PaymentIntent, "object": "payment_intent", "status": c.paymentState()}
	}
	return wire, nil
}

func (s *Stripe) expire(r *http.Request) (any, *refusal) {
	c, e := s.existing(r)
	if e != nil {
		return nil, e
	}
	if !c.open() {
		return nil, invalid("", "", "Only Checkout Sessions with a status in [\"open\"] can be expired. "+
			"This Checkout Session has a status of `%s`.", c.Status)
	}
	c.Status = "expired"
	return s.wire(c), nil
}

func (s *Stripe) existing(r *http.Request) (*Session, *refusal) {
	id := r.PathValue("id")
	if c := s.find(id); c != nil {
		return c, nil
	}
	return nil, &refusal{http.StatusNotFound, "invalid_request_error", "resource_missing", "session",
		fmt.Sprintf("No such checkout.session: '%s'", id)}
}

func unrecognized(r *http.Request) (any, *refusal) {
	return nil, &refusal{status: http.StatusNotFound, kind: "invalid_request_error",
		message: fmt.Sprintf("Unrecognized request URL (%s: %s).", r.Method, r.URL.Path)}
}

// encode writes JSON as Stripe does, indented and with & as it is.
func encode(content any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(content); err != nil {
		panic(err) // maps of strings and numbers always encode
	}
	return b.Bytes()
}
