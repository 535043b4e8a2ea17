package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// drainer knows which connections have a call at work. When the process stops, it waits for
// those and cuts the others that are sending: a request that has not arrived has done
// nothing, and its client may take minutes over the rest.
type drainer struct {
	mu       sync.Mutex
	draining bool
	atWork   map[net.Conn]bool // open connections; true while a whole request is handled
}

// connKey is the key of the connection in the context of its requests.
type connKey struct{}

// watch makes the server report its connections and requests.
func (d *drainer) watch(s *http.Server) {
	d.atWork = map[net.Conn]bool{}
	inner := s.Handler
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) }
	s.ConnState = func(c net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			d.set(c, false)
		case http.StateClosed, http.StateHijacked:
			d.forget(c)
		}
	}
	s.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _ := r.Context().Value(connKey{}).(net.Conn)
		if r.ContentLength == 0 {
			d.set(c, true)
		} else {
			d.set(c, false) // cuts it if the process is stopping
			r.Body = &arriving{r.Body, func() { d.set(c, true) }}
		}
		defer d.set(c, false)
		inner.ServeHTTP(w, r)
	})
}

// set notes whether a whole request is handled on the connection.
func (d *drainer) set(c net.Conn, atWork bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.atWork[c] = atWork
	if d.draining && !atWork {
		cut(c)
	}
}

func (d *drainer) forget(c net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.atWork, c)
}

// drain ends the reads of all connections without a call at work. Answers are still written.
func (d *drainer) drain() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.draining = true
	for c, atWork := range d.atWork {
		if !atWork {
			cut(c)
		}
	}
}

// cut ends what the connection is reading, and all it would read.
func cut(c net.Conn) { _ = c.SetReadDeadline(time.Unix(1, 0)) }

// arriving is a request's body that calls arrived at its end.
type arriving struct {
	io.ReadCloser
	arrived func()
}

func (a *arriving) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if err == io.EOF {
		a.arrived()
	}
	return n, err
}
