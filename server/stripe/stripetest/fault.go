package stripetest

import (
	"io"
	"net/http"
)

// fault is what befalls one call. The zero fault is none.
type fault struct {
	before http.HandlerFunc // answers in place of Stripe, which then does nothing
	cut    bool             // Stripe acts, and the connection ends before it answers
}

// hang keeps calls until they are released.
type hang struct {
	arrived  chan Request
	released chan struct{}
}

// Fail answers the next call with this status and body, and does nothing of what
// it asks. Each Fail and each Cut stands for one call, in their order.
func (s *Stripe) Fail(status int, body string) {
	s.add(fault{before: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}})
}

// Cut does what the next call asks and cuts the connection before the answer.
func (s *Stripe) Cut() { s.add(fault{cut: true}) }

func (s *Stripe) add(f fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, f)
}

// Hang keeps every call from now on, without doing what it asks, until its
// client gives up, or Up or the end of the test cuts it. Each call that it keeps
// is sent to arrived, which need not be read.
func (s *Stripe) Hang() (arrived <-chan Request) {
	h := &hang{arrived: make(chan Request, 100), released: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hang == nil {
		s.hang = h
	}
	return s.hang.arrived
}

// Down cuts every connection from now on, also those of the payer's pages; the
// call gets nowhere and is not recorded.
func (s *Stripe) Down() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = true
}

// Up ends Down and Hang. What Fail and Cut have set stays.
func (s *Stripe) Up() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = false
	if s.hang != nil {
		close(s.hang.released)
		s.hang = nil
	}
}

// arrive records a call and says what befalls it.
func (s *Stripe) arrive(r *http.Request) fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return fault{before: func(w http.ResponseWriter, _ *http.Request) { cut(w) }}
	}
	request := newRequest(r)
	s.requests = append(s.requests, request)
	if s.hang != nil {
		return fault{before: s.keep(s.hang, request)}
	}
	if len(s.faults) == 0 {
		return fault{}
	}
	next := s.faults[0]
	s.faults = s.faults[1:]
	return next
}

func (s *Stripe) keep(h *hang, request Request) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case h.arrived <- request:
		default:
		}
		select {
		case <-r.Context().Done():
		case <-h.released:
		case <-s.ended:
		}
		cut(w)
	}
}

// cut ends the connection amid the first line of an answer. Were there nothing
// of an answer, net/http would repeat the call by itself on another connection.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the client has gone already
	}
	defer conn.Close()
	io.WriteString(conn, "HTTP/1.1 ")
}
