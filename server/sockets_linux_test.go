package server_test

import (
	"bufio"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"svc/server"
	"svc/server/servertest"
)

// wire is a connection to the server from an address of this machine: Linux has all of 127/8.
type wire struct {
	net.Conn
	reader *bufio.Reader
}

func dial(t *testing.T, s *servertest.Server, from string) *wire {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 10 * time.Second}
	c, err := dialer.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return &wire{c, bufio.NewReader(c)}
}

// status sends a request, or nothing if it is empty, and returns the status of the answer; 0:
// the connection was closed.
func (w *wire) status(t *testing.T, request string) int {
	t.Helper()
	if err := w.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, request); err != nil {
		return 0
	}
	response, err := http.ReadResponse(w.reader, nil)
	var slow net.Error
	if errors.As(err, &slow) && slow.Timeout() {
		t.Fatal("no answer within 30 s")
	}
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

const (
	quick = "GET /healthz HTTP/1.1\r\nHost: svc\r\n\r\n"
	// slow is a form of which nothing comes after the server has asked for it, with status 100.
	slow = "POST /signin HTTP/1.1\r\nHost: svc\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n"
)

func withConnections(n int) func(*server.Config) {
	return func(c *server.Config) { c.MaxConnections = n }
}

// idle opens n connections that stay open after a request.
func idle(t *testing.T, s *servertest.Server, from string, n int) (all []*wire) {
	t.Helper()
	for range n {
		w := dial(t, s, from)
		if got := w.status(t, quick); got != 200 {
			t.Fatalf("connection %d: status %d", len(all)+1, got)
		}
		all = append(all, w)
	}
	return all
}

// usable counts the connections over which the server answers.
func usable(t *testing.T, all []*wire) (n int) {
	t.Helper()
	for _, w := range all {
		if w.status(t, quick) == 200 {
			n++
		}
	}
	return n
}

// Idle connections give their places to new ones, those that were idle for longest first.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	s := servertest.NewHouse(t, servertest.BehindProxy, withConnections(16)) // a proxy's network is not bounded
	all := idle(t, s.Server, "127.0.0.1", 40)
	// The server learns that a connection is idle after its client has the answer, so that
	// a later one may be the idlest for a moment.
	if old, newest := usable(t, all[:24]), usable(t, all[24:]); old > 2 || old+newest != 16 {
		t.Errorf("%d of the first 24 connections and %d of the last 16 are open, want 0 and 16", old, newest)
	}
}

// A network takes a quarter of the places. Beyond that its own connections give theirs.
func TestConnectionsOfANetwork(t *testing.T) {
	s := servertest.NewHouse(t, withConnections(16))
	bystander := idle(t, s.Server, "127.0.0.2", 1)
	all := idle(t, s.Server, "127.0.0.1", 40)
	if n, old := usable(t, all[36:]), usable(t, all[:36]); old > 2 || old+n != 4 {
		t.Errorf("%d of the last 4 connections and %d others are open, want these alone", n, old)
	}
	if usable(t, bystander) != 1 {
		t.Error("another network lost its connection")
	}
}

// A connection at work is never closed for a new one, which is told to come again.
func TestConnectionsAtWorkStay(t *testing.T) {
	s := servertest.OpenHouse(t, withConnections(16))
	var busy []*wire
	for range 4 {
		w := dial(t, s.Server, "127.0.0.1")
		if got := w.status(t, slow); got != 100 {
			t.Fatalf("status %d, want 100", got)
		}
		busy = append(busy, w)
	}
	if got := dial(t, s.Server, "127.0.0.1").status(t, ""); got != 503 {
		t.Errorf("beyond the network's places: status %d, want 503", got)
	}
	if got := dial(t, s.Server, "127.0.0.2").status(t, quick); got != 200 {
		t.Errorf("from another network: status %d, want 200", got)
	}
	for _, w := range busy {
		if got := w.status(t, "email=abcd"); got != 401 {
			t.Errorf("the form that came late: status %d, want 401", got)
		}
	}
	if got := dial(t, s.Server, "127.0.0.1").status(t, quick); got != 200 {
		t.Errorf("once they are idle: status %d, want 200", got)
	}
}

// Beyond the bounds a connection that would speak TLS is closed at once. An answer would need its
// handshake, for which all others would have to wait.
func TestConnectionsBeyondTheBoundsOverTLS(t *testing.T) {
	s := servertest.OpenHouse(t, withConnections(16))
	secured := httptest.NewUnstartedServer(nil)
	secured.Config = s.App.HTTPServer()
	secured.StartTLS()
	t.Cleanup(secured.Close)
	address := secured.Listener.Addr().String()
	from := func(host string) *net.Dialer {
		return &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}, Timeout: 10 * time.Second}
	}
	speak := func(host, request string) int {
		c, err := tls.DialWithDialer(from(host), "tcp", address, &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return (&wire{c, bufio.NewReader(c)}).status(t, request)
	}
	for range 4 {
		if got := speak("127.0.0.1", slow); got != 100 {
			t.Fatalf("status %d, want 100", got)
		}
	}
	silent, err := from("127.0.0.1").Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if got := (&wire{silent, bufio.NewReader(silent)}).status(t, ""); got != 0 {
		t.Errorf("beyond the network's places: status %d, want a closed connection", got)
	}
	for range 20 { // idle ones give their places, and wait for no goodbye
		if got := speak("127.0.0.2", quick); got != 200 {
			t.Fatalf("from another network: status %d, want 200", got)
		}
	}
}
