package stripetest

import (
	"io"
	"net/http"
)

// fault is what happens to one call. The zero value is a normal answer.
type fault struct {
	before http.HandlerFunc // answers the call, which has no effect then; may be nil
	cut    bool             // the call has its effect, but the connection is closed without an answer
}

// hang is a state in which calls are not answered.
type hang struct {
	arrived  chan Request
	released chan struct{}
}

// Fail answers the next call with the given status and body; the call has no effect. Each
// Fail and each Cut applies to one call, in the order in which they were made.
func (s *Stripe) Fail(status int, body string) {
	s.add(fault{before: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}})
}

// Cut lets the next call have its effect and closes the connection without an answer.
func (s *Stripe) Cut() { s.add(fault{cut: true}) }

func (s *Stripe) add(f fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f)
}

// Hang leaves every call from now on without an effect and an answer: the connection is
// closed once the client gives up, by Up, or at the end of the test. Each such call is
// sent to arrived, which need not be read.
func (s *Stripe) Hang() (arrived <-chan Request) {
	h := &hang{arrived: make(chan Request, 100), released: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hang == nil {
		s.hang = h
	}
	return s.hang.arrived
}

// Down closes every connection from now on, including those of the payer's pages. Calls
// have no effect and are not recorded.
func (s *Stripe) Down() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = true
}

// Up ends the effect of Down and Hang. Faults set by Fail and Cut remain.
func (s *Stripe) Up() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = false
	if s.hang != nil {
		close(s.hang.released)
		s.hang = nil
	}
}

// record records a call and returns its fault.
func (s *Stripe) record(r *http.Request) fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return fault{before: func(w http.ResponseWriter, _ *http.Request) { cut(w) }}
	}
	request := newRequest(r)
	s.requests = append(s.requests, request)
	if s.hang != nil {
		return fault{before: s.hold(s.hang, request)}
	}
	if len(s.faults) == 0 {
		return fault{}
	}
	next := s.faults[0]
	s.faults = s.faults[1:]
	return next
}

// hold returns a handler that does not answer.
func (s *Stripe) hold(h *hang, request Request) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case h.arrived <- request:
		default:
		}
		select {
		case <-r.Context().Done():
		case <-h.released:
		case <-s.done:
		}
		cut(w)
	}
}

// cut closes the connection within the first line of an answer. Without any byte of an
// answer net/http would repeat the call on another connection.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the client has closed it already
	}
	defer conn.Close()
	io.WriteString(conn, "HTTP/1.1 ")
}
