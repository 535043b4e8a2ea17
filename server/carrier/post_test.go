package carrier

import (
	"bufio"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// newTestWebhook returns a webhook carrier, which tests of the poster use for all three
// remote carriers.
func newTestWebhook(address string) *webhook {
	return NewWebhook(Webhook{URL: address, Secret: webhookSecret}).(*webhook)
}

// through makes the carrier dial with the given function.
func (c *webhook) through(dial dialFunc) *webhook {
	c.poster.dialer.dial = dial
	return c
}

// Complete answers.

func TestCompleteAnswer(t *testing.T) {
	const unknown, notSent = true, false
	const wanted = `, but must answer {"id":"<of the message>"}; the message may have been sent`
	tests := []struct {
		name    string
		status  int
		body    string
		unknown bool
		reason  string
	}{
		{"BadRequest", 400, `{"error":"bad number"}`, notSent, "refused the message: bad number (HTTP 400)"},
		{"TooMany", 429, `{"error":"slow down"}`, notSent, "refused the message: slow down (HTTP 429)"},
		{"ServerError", 500, `{"error":"boom"}`, notSent, "refused the message: boom (HTTP 500)"},
		{"GatewayPage", 502, `<html>Bad gateway</html>`, notSent, "refused the message and gave no reason (HTTP 502)"},
		{"EmptyRefusal", 503, ``, notSent, "refused the message and gave no reason (HTTP 503)"},
		{"HugeRefusal", 500, strings.Repeat("x", 3*maxAnswer), notSent, "refused the message and gave no reason (HTTP 500)"},
		{"OddReason", 400, `{"error":{"message":"bad"}}`, notSent, "refused the message and gave no reason (HTTP 400)"},
		{"Garbage", 200, `OK`, unknown, "gave an unreadable answer (HTTP 200)" + wanted},
		{"Empty", 204, ``, unknown, "gave an unreadable answer (HTTP 204)" + wanted},
		{"Huge", 200, `{"id":"x","pad":"` + strings.Repeat("x", maxAnswer) + `"}`, unknown, "gave an unreadable answer (HTTP 200)" + wanted},
		{"NoID", 200, `{}`, unknown, "gave no message id and gave no reason (HTTP 200)" + wanted},
		{"BlankID", 200, `{"id":" "}`, unknown, "gave no message id and gave no reason (HTTP 200)" + wanted},
		{"NumberForID", 200, `{"id":7}`, unknown, "gave no message id and gave no reason (HTTP 200)" + wanted},
		{"NotAnObject", 200, `["x"]`, unknown, "gave no message id and gave no reason (HTTP 200)" + wanted},
		{"ReasonForID", 200, `{"error":"bad number"}`, unknown, "gave no message id: bad number (HTTP 200)" + wanted},
		{"Beyond", 600, `{"id":"x"}`, unknown, "gave an answer without a meaning (HTTP 600); the message may have been sent"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newProvider(t, answering(test.status, test.body))
			fails(t, t.Context(), newTestWebhook(p.URL)).expect(t, test.unknown, test.reason)
			p.only(t)
		})
	}
}

func TestIDCountsBesideOddField(t *testing.T) {
	p := newProvider(t, answering(200, `{"error":0,"id":"their-1"}`))
	sends(t, newTestWebhook(p.URL), "their-1")
}

func TestRedirectIsNotFollowed(t *testing.T) {
	elsewhere := newProvider(t, answering(200, `{"id":"x"}`))
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, elsewhere.URL, status)
			})
			fails(t, t.Context(), newTestWebhook(p.URL)).expect(t, true,
				fmt.Sprintf("answered with a redirect (HTTP %d), which is not followed; the message may have been sent", status))
			p.only(t)
		})
	}
	if n := elsewhere.count.Load(); n != 0 {
		t.Errorf("%d requests followed the redirect", n)
	}
}

// Incomplete answers. The provider has read the request.

func TestIncompleteAnswerIsUnknown(t *testing.T) {
	tests := []struct{ name, answer string }{
		{"AtOnce", ""},
		{"InTheHeader", "HTTP/1.1 200 OK\r\nContent-Le"},
		{"NotHTTP", "SSH-2.0-OpenSSH\r\n"},
		{"InA200", "HTTP/1.1 200 OK\r\nContent-Length: 90\r\n\r\n{\"id\":\"their-1\"}"},
		{"InAChunked200", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n{\"id\":\"their-1\"}\r\n"},
		{"InA400", "HTTP/1.1 400 Bad Request\r\nContent-Length: 90\r\n\r\n{\"error\":\"no\"}"},
		{"InA500", "HTTP/1.1 500 Oops\r\nContent-Length: 90\r\n\r\n{\"error\":\"no\"}"},
		{"InAChunked500", "HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\ne\r\n{\"error\":\"no\"}\r\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := newProvider(t, cutting(t, test.answer))
			fails(t, t.Context(), newTestWebhook(p.URL)).expect(t, true,
				"broke off the connection; the message may have been sent")
			p.only(t)
		})
	}
}

// cutting writes the bytes of an answer and closes the connection.
func cutting(t *testing.T, answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Errorf("hijack: %v", err)
			return
		}
		defer conn.Close()
		io.WriteString(conn, answer)
	}
}

func TestReusedConnectionClosedAfterRequestIsUnknown(t *testing.T) {
	var p *testProvider
	p = newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		if p.count.Load() == 1 {
			answering(200, `{"id":"their-1"}`)(w, r)
			return
		}
		cutting(t, "")(w, r)
	})
	c := newTestWebhook(p.URL)

	sends(t, c, "their-1")
	fails(t, t.Context(), c).expect(t, true, "broke off the connection; the message may have been sent")

	if n := p.count.Load(); n != 2 {
		t.Errorf("provider got %d requests, want 2", n)
	}
	if first, second := <-p.requests, <-p.requests; first.RemoteAddr != second.RemoteAddr {
		t.Errorf("connection was not reused: %s, %s", first.RemoteAddr, second.RemoteAddr)
	}
}

// Connections on which nothing is written.

func TestConnectErrorIsNotSent(t *testing.T) {
	tests := []struct {
		name   string
		dial   dialFunc
		reason string
	}{
		{"NoSuchName", nameless, "could not be reached: its name does not resolve"},
		{"Refused", refused, "could not be reached: connection refused"},
		{"Unroutable", failing(syscall.EHOSTUNREACH), "could not be reached"},
		{"NoRouteInTime", failing(syscall.ETIMEDOUT), "could not be reached: timed out while connecting"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, scheme := range []string{"http", "https"} {
				e := fails(t, t.Context(), newTestWebhook(scheme+"://sms.invalid/in").through(test.dial))
				e.expect(t, false, test.reason)
				if e.Err == nil {
					t.Error("no cause for the log")
				}
			}
		})
	}
}

// nameless dials with a resolver that cannot reach a name server.
func nameless(ctx context.Context, network, addr string) (net.Conn, error) {
	resolver := &net.Resolver{PreferGo: true, Dial: failing(syscall.ENETUNREACH)}
	d := net.Dialer{Resolver: resolver}
	return d.DialContext(ctx, network, addr)
}

// refused dials a port of this host that is no longer in use.
func refused(ctx context.Context, network, _ string) (net.Conn, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l.Close()
	return new(net.Dialer).DialContext(ctx, network, l.Addr().String())
}

func failing(err error) dialFunc {
	return func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
}

func TestCanceledContextIsNotSent(t *testing.T) {
	p := newProvider(t, answering(200, `{"id":"x"}`))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the server stops"))

	fails(t, ctx, newTestWebhook(p.URL)).expect(t, false, "could not be reached: the call was given up")
	if n := p.count.Load(); n != 0 {
		t.Errorf("provider got %d requests", n)
	}
}

// TLS.

func newTLSProvider(t *testing.T, answer http.HandlerFunc) *testProvider {
	t.Helper()
	p := &testProvider{requests: make(chan seen, 16)}
	p.Server = httptest.NewUnstartedServer(p.record(t, answer))
	p.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.EnableHTTP2 = true
	p.StartTLS()
	t.Cleanup(p.Close)
	return p
}

// trusting makes the carrier accept the test provider's certificate.
func (c *webhook) trusting(p *testProvider) *webhook {
	c.poster.dialer.roots = x509.NewCertPool()
	c.poster.dialer.roots.AddCert(p.Certificate())
	return c
}

func TestTLS_OK(t *testing.T) {
	p := newTLSProvider(t, answering(200, `{"id":"their-1"}`))
	sends(t, newTestWebhook(p.URL).trusting(p), "their-1")
	p.only(t)
}

func TestTLS_UnknownAuthority(t *testing.T) {
	p := newTLSProvider(t, answering(200, `{"id":"their-1"}`))
	fails(t, t.Context(), newTestWebhook(p.URL)).expect(t, false, "could not be reached: TLS failed")
	if n := p.count.Load(); n != 0 {
		t.Errorf("provider got %d requests", n)
	}
}

func TestTLS_ProviderSpeaksPlainHTTP(t *testing.T) {
	p := newProvider(t, answering(200, `{"id":"their-1"}`))
	p.Config.ErrorLog = log.New(io.Discard, "", 0)
	address := strings.Replace(p.URL, "http:", "https:", 1)
	fails(t, t.Context(), newTestWebhook(address)).expect(t, false, "could not be reached: TLS failed")
}

func TestTLS_CutAfterReading(t *testing.T) {
	p := newTLSProvider(t, cutting(t, ""))
	fails(t, t.Context(), newTestWebhook(p.URL).trusting(p)).expect(t, true,
		"broke off the connection; the message may have been sent")
	p.only(t)
}

// The bytes of a handshake and of the closing alert are not those of a request.
func TestTLS_OnlyRequestsCount(t *testing.T) {
	p := newTLSProvider(t, answering(200, `{"id":"their-1"}`))
	d := newTestWebhook(p.URL).trusting(p).poster.dialer
	conn, err := d.dialTLS(t.Context(), "tcp", p.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	rc := conn.(*requestConn)

	atStart := rc.raw.written.Load()
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if atStart == 0 || rc.raw.written.Load() == atStart {
		t.Fatal("no handshake or no alert was written")
	}
	if n := rc.sent.Load(); n != 0 {
		t.Errorf("%d bytes of a request counted, want 0", n)
	}
}

// A part of a TLS record that was written counts, although TLS reports 0 bytes.
func TestTLS_PartOfARecordCounts(t *testing.T) {
	p := newTLSProvider(t, answering(200, `{"id":"their-1"}`))
	var broken *breakable
	c := newTestWebhook(p.URL).trusting(p).through(func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		broken = &breakable{Conn: conn, taken: 3}
		return broken, err
	})
	conn, err := c.poster.dialer.dialTLS(t.Context(), "tcp", p.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	broken.broken.Store(true)
	n, err := conn.Write([]byte("POST / HTTP/1.1\r\n"))
	if n != 1 || !errors.Is(err, syscall.EPIPE) {
		t.Errorf("Write = %d, %v, want 1, EPIPE", n, err)
	}
	if got := conn.(*requestConn).sent.Load(); got != 3 {
		t.Errorf("%d bytes counted, want 3", got)
	}
}

// breakable is a connection whose Write can be made to fail after some bytes.
type breakable struct {
	net.Conn
	taken  int
	broken atomic.Bool
}

func (c *breakable) Write(p []byte) (int, error) {
	if !c.broken.Load() {
		return c.Conn.Write(p)
	}
	n, err := c.Conn.Write(p[:min(c.taken, len(p))])
	if err != nil {
		return n, err
	}
	return n, syscall.EPIPE
}

// Connections that break while a request is written.

// breaksAfter returns a dial function whose first connection breaks after taken more
// bytes once breakFirst is called. Later connections are made by next.
func breaksAfter(taken int, next dialFunc) (dial dialFunc, breakFirst func()) {
	var first *breakable
	var mu sync.Mutex
	dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		if first != nil {
			return next(ctx, network, addr)
		}
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		first = &breakable{Conn: conn, taken: taken}
		return first, nil
	}
	return dial, func() {
		mu.Lock()
		defer mu.Unlock()
		first.broken.Store(true)
	}
}

func TestReusedConnectionTakesNoByte(t *testing.T) {
	t.Run("SentOnceOnAnother", func(t *testing.T) {
		p := newProvider(t, answering(200, `{"id":"their-1"}`))
		dial, breakFirst := breaksAfter(0, new(net.Dialer).DialContext)
		c := newTestWebhook(p.URL).through(dial)

		sends(t, c, "their-1")
		breakFirst()
		sends(t, c, "their-1")
		if n := p.count.Load(); n != 2 {
			t.Errorf("provider got %d requests, want 2", n)
		}
	})

	t.Run("NotSentWithoutAnother", func(t *testing.T) {
		p := newProvider(t, answering(200, `{"id":"their-1"}`))
		dial, breakFirst := breaksAfter(0, refused)
		c := newTestWebhook(p.URL).through(dial)

		sends(t, c, "their-1")
		breakFirst()
		fails(t, t.Context(), c).expect(t, false, "could not be reached: connection refused")
	})
}

func TestReusedConnectionTakesOneByte(t *testing.T) {
	p := newProvider(t, answering(200, `{"id":"their-1"}`))
	dial, breakFirst := breaksAfter(1, func(context.Context, string, string) (net.Conn, error) {
		t.Error("the request was repeated")
		return nil, syscall.ECONNREFUSED
	})
	c := newTestWebhook(p.URL).through(dial)

	sends(t, c, "their-1")
	breakFirst()
	fails(t, t.Context(), c).expect(t, true, "broke off the connection; the message may have been sent")
	if n := p.count.Load(); n != 1 {
		t.Errorf("provider got %d requests, want 1", n)
	}
}

// Time-outs, with the fake clock of synctest and with pipes.

// piped returns a dial function to a provider in memory.
func piped(serve func(conn net.Conn, r *http.Request)) dialFunc {
	return func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go func() {
			defer server.Close()
			r, err := http.ReadRequest(bufio.NewReader(server))
			if err != nil {
				return
			}
			io.Copy(io.Discard, r.Body)
			serve(server, r)
		}()
		return client, nil
	}
}

// silent keeps the connection open until the client closes it.
func silent(conn net.Conn, _ *http.Request) { io.Copy(io.Discard, conn) }

// halfway stops within an answer.
func halfway(status string) dialFunc {
	return piped(func(conn net.Conn, r *http.Request) {
		io.WriteString(conn, "HTTP/1.1 "+status+"\r\nContent-Length: 90\r\n\r\n{")
		silent(conn, r)
	})
}

// mute accepts all bytes and does not answer.
func mute(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go silent(server, nil)
	return client, nil
}

// deaf accepts a connection, but no byte.
func deaf(context.Context, string, string) (net.Conn, error) {
	client, _ := net.Pipe()
	return client, nil
}

// hanging never completes a connection.
func hanging(ctx context.Context, _, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestTimeOut(t *testing.T) {
	const unknown, notSent = true, false
	const late = "did not answer in time; the message may have been sent"
	const unconnected = "could not be reached: timed out while connecting"
	tests := []struct {
		name    string
		address string
		dial    dialFunc
		limit   time.Duration // of the caller, if any
		took    time.Duration
		unknown bool
		reason  string
	}{
		{"Dialling", "http://sms.invalid", hanging, 0, dialTimeout, notSent, unconnected},
		{"DiallingWithinTheCaller", "http://sms.invalid", hanging, time.Second, time.Second, notSent, unconnected},
		{"Handshake", "https://sms.invalid", mute, 0, dialTimeout, notSent, unconnected},
		{"HandshakeWithinTheCaller", "https://sms.invalid", deaf, time.Second, time.Second, notSent, unconnected},
		{"NothingTaken", "http://sms.invalid", deaf, 0, callTimeout, notSent, unconnected},
		{"NoAnswer", "http://sms.invalid", piped(silent), 0, callTimeout, unknown, late},
		{"NoAnswerWithinTheCaller", "http://sms.invalid", piped(silent), time.Second, time.Second, unknown, late},
		{"HalfA200", "http://sms.invalid", halfway("200 OK"), 0, callTimeout, unknown, late},
		{"HalfA500", "http://sms.invalid", halfway("500 Oops"), 0, callTimeout, unknown, late},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if test.limit > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.limit)
					defer cancel()
				}
				start := time.Now()
				c := newTestWebhook(test.address).through(test.dial)
				e := fails(t, ctx, c)
				// A dial outlives its call, to serve the next one, unless it is stopped.
				c.poster.transport.CloseIdleConnections()

				e.expect(t, test.unknown, test.reason)
				if took := time.Since(start); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
				if !errors.Is(e, context.DeadlineExceeded) {
					t.Errorf("cause = %v, want one that matches context.DeadlineExceeded", e.Err)
				}
			})
		})
	}
}

func TestDeadlineDuringAnswerIsUnknown(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan struct{})
	p := newProvider(t, func(http.ResponseWriter, *http.Request) {
		// The deadline ends once the request has arrived.
		cancel(context.DeadlineExceeded)
		<-done
	})
	t.Cleanup(func() { close(done) })

	fails(t, ctx, newTestWebhook(p.URL)).expect(t, true, "did not answer in time; the message may have been sent")
	p.only(t)
}

func TestCancelDuringAnswerIsUnknown(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan struct{})
	p := newProvider(t, func(http.ResponseWriter, *http.Request) {
		cancel(errors.New("the server stops"))
		<-done
	})
	t.Cleanup(func() { close(done) })

	fails(t, ctx, newTestWebhook(p.URL)).expect(t, true,
		"had not answered when the call was given up; the message may have been sent")
}

func TestConcurrentCalls(t *testing.T) {
	p := newProvider(t, answering(200, `{"id":"their-1"}`))
	c := newTestWebhook(p.URL)

	var calls sync.WaitGroup
	for range cap(p.requests) {
		calls.Go(func() { sends(t, c, "their-1") })
	}
	calls.Wait()
	if n := p.count.Load(); n != int64(cap(p.requests)) {
		t.Errorf("provider got %d requests, want %d", n, cap(p.requests))
	}
}
