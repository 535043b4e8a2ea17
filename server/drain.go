package server

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// drainer knows which connections have a call at work, and cuts those whose client is too
// slow over a body. When the process stops, it waits for calls at work and cuts the others
// that are sending: a request that has not arrived has done nothing.
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
			// net/http needs its own body in its own request: of another it does not know that the
			// client waits for "100 Continue", and would wait for the body before it answers.
			r = r.WithContext(r.Context())
			r.Body = &arriving{ReadCloser: r.Body, drainer: d, conn: c, begun: time.Now()}
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

const (
	// bodyGrace and minBodyRate bound the time over a body, beside readTime: its bytes so far
	// divided by the rate, and the grace. The rate is in bytes a second.
	bodyGrace   = 10 * time.Second
	minBodyRate = 32 << 10
)

// arriving is the body of a request on its way.
type arriving struct {
	io.ReadCloser
	drainer *drainer
	conn    net.Conn
	begun   time.Time
	bytes   int64
}

func (a *arriving) Read(p []byte) (int, error) {
	allowed := bodyGrace + time.Duration(a.bytes)*time.Second/minBodyRate
	a.drainer.extend(a.conn, a.begun.Add(min(allowed, readTime)))
	n, err := a.ReadCloser.Read(p)
	a.bytes += int64(n)
	if err == io.EOF {
		a.drainer.extend(a.conn, time.Time{})
		a.drainer.set(a.conn, true)
	}
	return n, err
}

// extend sets the end of a connection's reads, unless they were cut.
func (d *drainer) extend(c net.Conn, until time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.draining {
		_ = c.SetReadDeadline(until)
	}
}
