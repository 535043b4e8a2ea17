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

// dialTimeout ends the connecting (name, TCP and TLS together) well before
// callTimeout, because a time-out here is harmless and one after it is not: a
// slow start must not use up the time in which the provider answers.
const dialTimeout = 5 * time.Second

// dialFunc opens a TCP connection. Tests put their own in its place.
type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

// dialer makes the connections of one poster. Each is a *requestConn.
type dialer struct {
	dial  dialFunc
	roots *x509.CertPool // nil for those of the system
}

// tlsError marks a failed handshake.
type tlsError struct{ err error }

func (e *tlsError) Error() string { return "tls handshake: " + e.err.Error() }

func (e *tlsError) Unwrap() error { return e.err }

// dialPlain connects for http. The context that net/http gives here does not
// end with the call, so the time-out is set again.
func (d *dialer) dialPlain(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()

	raw, err := d.dialRaw(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &requestConn{Conn: raw, raw: raw}, nil
}

// dialTLS connects for https. The handshake is made here and not left to
// net/http, so that the requestConn lies outside the TLS layer and sees requests
// alone. An HTTP/2 connection cannot come about: it is not offered.
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
		ServerName: host,
		RootCAs:    d.roots,
		NextProtos: []string{"http/1.1"},
		MinVersion: tls.VersionTLS12,
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

// rawConn counts every byte that the kernel took, whoever wrote it.
type rawConn struct {
	net.Conn
	written atomic.Int64
}

func (c *rawConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.written.Add(int64(n))
	return n, err
}

// requestConn counts those bytes of the raw connection that belong to requests.
// A handshake, or the alert with which TLS takes its leave, is no request: were
// it counted, each idle connection that the provider closed at the wrong moment
// would make the fate of a message unknown that was never sent.
type requestConn struct {
	net.Conn          // the raw connection, or TLS upon it
	raw      *rawConn // what lies at the bottom
	sent     atomic.Int64
}

// Write counts by what reached the raw connection during the call, since TLS
// reports 0 bytes even when a part of the record has left. (An alert that leaves
// at the same moment counts too, which errs on the safe side.) net/http sends a
// request again if 0 bytes of it were written, so such a part is reported as one.
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

// wire follows one call over the connections that net/http gives it, and knows
// whether a byte of its request was written on any. Once RoundTrip has failed
// the writing is over and the connection is closed to other calls, so the
// answer is exact.
type wire struct {
	mu      sync.Mutex
	conn    *requestConn
	before  int64 // what conn had sent for earlier calls
	touched bool  // an earlier connection of this call, or one unknown to us, was written on
}

func (w *wire) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GotConn: w.gotConn}
}

func (w *wire) gotConn(info httptrace.GotConnInfo) {
	w.mu.Lock()
	defer w.mu.Unlock()

	w.touched = w.wroteLocked()
	conn, ok := info.Conn.(*requestConn)
	if !ok {
		w.conn, w.touched = nil, true
		return
	}
	w.conn, w.before = conn, conn.sent.Load()
}

// wrote reports whether a byte of the call's request was written.
func (w *wire) wrote() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wroteLocked()
}

func (w *wire) wroteLocked() bool {
	return w.touched || w.conn != nil && w.conn.sent.Load() > w.before
}
