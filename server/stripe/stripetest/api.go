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

// keyTTL is how long Stripe remembers an idempotency key.
const keyTTL = 24 * time.Hour

// reply is the stored answer of a POST with an idempotency key.
type reply struct {
	path, params string
	body         []byte
	at           time.Time
}

// refusal is an error answer of Stripe.
type refusal struct {
	status  int
	kind    string
	code    string
	param   string
	message string
}

func (e *refusal) object() map[string]any {
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

// operation performs a call. Its caller holds the lock.
type operation func(*http.Request) (any, *refusal)

// api returns the handler of a call: it records the call, applies a fault, checks the key
// and the idempotency key, and performs the operation.
func (s *Stripe) api(do operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		f := s.record(r)
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

// answer returns the answer without a fault. Only a success is stored for the idempotency
// key: Stripe does not store the failure of a validation.
func (s *Stripe) answer(do operation, r *http.Request) (status int, header map[string]string, body []byte) {
	if e := s.authenticate(r); e != nil {
		return e.status, nil, encode(e.object())
	}
	key := r.Header.Get("Idempotency-Key")
	if r.Method != http.MethodPost {
		key = ""
	}
	if stored, ok := s.stored(key); ok {
		return stored.replay(key, r)
	}

	content, e := do(r)
	if e != nil {
		return e.status, nil, encode(e.object())
	}
	body = encode(content)
	if key != "" {
		s.replies[key] = reply{r.URL.Path, r.PostForm.Encode(), body, s.now()}
	}
	return http.StatusOK, nil, body
}

func (s *Stripe) stored(key string) (reply, bool) {
	stored, ok := s.replies[key]
	return stored, ok && s.now().Sub(stored.at) < keyTTL
}

func (p reply) replay(key string, r *http.Request) (status int, header map[string]string, body []byte) {
	if p.path != r.URL.Path || p.params != r.PostForm.Encode() {
		e := &refusal{
			status: http.StatusBadRequest,
			kind:   "idempotency_error",
			message: fmt.Sprintf("Keys for idempotent requests can only be used with the same parameters they were "+
				"first used with. Try using a key other than '%s' if you meant to execute a different request.", key),
		}
		return e.status, nil, encode(e.object())
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

// mask hides most of a key, as Stripe does in its errors.
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
	return s.object(c), nil
}

func (s *Stripe) retrieve(r *http.Request) (any, *refusal) {
	c, e := s.existing(r)
	if e != nil {
		return nil, e
	}
	object := s.object(c)
	if r.URL.Query().Get("expand[0]") == "payment_intent" && c.PaymentIntent != "" {
		object["payment_intent"] = map[string]any{"id": c.PaymentIntent, "object": "payment_intent", "status": c.paymentState()}
	}
	return object, nil
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
	return s.object(c), nil
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

// encode returns JSON in Stripe's form: indented, and without escapes for HTML.
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
