package carrier

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"
)

// dialTimeout bounds connecting (name, TCP and TLS together). It is well below
// callTimeout: a time-out while connecting is harmless, one while the provider answers
// is not, so a slow connection must not use up the provider's time.
const dialTimeout = 5 * time.Second

// dialFunc opens a TCP connection. Tests replace it.
type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// dialer makes the connections of a poster, each a *requestConn.
type dialer struct {
	dial  dialFunc
	roots *x509.CertPool // nil: those of the system
}

// tlsError marks a failed handshake.
type tlsError struct{ err error }

func (e *tlsError) Error() string { return "tls handshake: " + e.err.Error() }

func (e *tlsError) Unwrap() error { return e.err }

// dialPlain connects for http. net/http's context does not end with the call, so the
// time-out is set again.
func (d *dialer) dialPlain(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()

	raw, err := d.dialRaw(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &requestConn{Conn: raw, raw: raw}, nil
}

// dialTLS connects for https. It makes the handshake itself, so that the requestConn is
// outside the TLS layer and sees only requests. HTTP/2 is not offered.
func (d *dialer) dialTLS(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()

	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("split address: %w", err)
	}
	raw, err := d.dialRaw(ctx, network, addr)
	if err != nil {
		return nil, err
	}

	conn := tls.Client(raw, &tls.Config{
		ServerName: host, RootCAs: d.roots, NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12,
	})
	if err := conn.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, &tlsError{err}
	}
	return &requestConn{Conn: conn, raw: raw}, nil
}

func (d *dialer) dialRaw(ctx context.Context, network, addr string) (*rawConn, error) {
	conn, err := d.dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &rawConn{Conn: conn}, nil
}

// rawConn counts all bytes that the kernel accepted.
type rawConn struct {
	net.Conn
	written atomic.Int64
}

func (c *rawConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

// requestConn counts the bytes of the raw connection that belong to requests. A handshake
// and TLS's closing alert do not: if they counted, a provider that closed an idle
// connection at the wrong moment would make the outcome of an unsent message unknown.
type requestConn struct {
	net.Conn          // the raw connection, or TLS on top of it
	raw      *rawConn // the raw connection
	sent     atomic.Int64
}

// Write counts what reached the raw connection during the call, since TLS reports 0 bytes
// even if a part of the record was written. (An alert at the same moment counts, too,
// which errs on the safe side.) net/http repeats a request of which 0 bytes were
// written, so Write reports at least 1 byte for such a part.
func (c *requestConn) Write(p []byte) (int, error) {
	before := c.raw.written.Load()
	n, err := c.Conn.Write(p)
	sent := c.raw.written.Load() - before
	c.sent.Add(sent)

	if err != nil && n == 0 && sent > 0 && len(p) > 0 {
		n = 1
	}
	return n, err
}

// writeTracker follows one call over the connections that net/http uses for it, and knows
// whether a byte of the request was written to any of them. After a failed RoundTrip
// nothing more is written and the connection is closed to other calls, so its answer is
// exact.
type writeTracker struct {
	mu      sync.Mutex
	conn    *requestConn
	before  int64 // bytes that conn had sent for earlier calls
	written bool  // to an earlier connection of this call, or perhaps to one that is no requestConn
}

func (w *writeTracker) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GotConn: w.gotConn}
}

func (w *writeTracker) gotConn(info httptrace.GotConnInfo) {
	w.mu.Lock()
	defer w.mu.Unlock()

	w.written = w.wroteLocked()
	conn, ok := info.Conn.(*requestConn)
	if !ok {
		w.conn, w.written = nil, true
		return
	}
	w.conn, w.before = conn, conn.sent.Load()
}

// wrote reports whether a byte of the call's request was written.
func (w *writeTracker) wrote() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wroteLocked()
}

func (w *writeTracker) wroteLocked() bool {
	return w.written || w.conn != nil && w.conn.sent.Load() > w.before
}
