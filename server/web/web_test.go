package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"svc/server/fault"
)

var now = time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)

// newFrame returns a frame that logs to out and translates errElsewhere.
func newFrame(out *bytes.Buffer) *Frame {
	return &Frame{
		Log:   slog.New(slog.NewJSONHandler(out, nil)),
		Clock: func() time.Time { return now },
		NewID: func(time.Time) string { return "req_1" },
		Translate: func(err error) *fault.Error {
			if errors.Is(err, errElsewhere) {
				return &fault.Error{Code: fault.Unavailable, Message: "later", RetryAfter: 1500 * time.Millisecond, Err: err}
			}
			return nil
		},
		BeforeHeader: func(w *Response, _ *http.Request) { w.SetHeader("X-Before", "yes") },
	}
}

var errElsewhere = errors.New("elsewhere")

func TestErrorsBecomeAnswers(t *testing.T) {
	for _, row := range []struct {
		name   string
		err    error
		status int
		code   string
		body   string
	}{
		{"Invalid", fault.Invalid("phone", "is required"), 400, "invalid_request", `{"error":"phone: is required"}`},
		{"Wrapped", fmt.Errorf("message: %w", fault.Invalid("phone", "is required")), 400, "invalid_request", `{"error":"phone: is required"}`},
		{"Details", &fault.Error{Code: fault.InsufficientFunds, Message: "no", Details: map[string]any{"required_cents": 2, "topup": "http://x/?a=1&b=<2>"}},
			402, "insufficient_funds", `{"error":"no","required_cents":2,"topup":"http://x/?a=1&b=<2>"}`},
		{"Unexpected", errors.New("dial tcp 10.0.0.1: secret"), 500, "internal", `{"error":"internal error"}`},
		{"OfAnotherPackage", fmt.Errorf("store: %w", errElsewhere), 503, "unavailable", `{"error":"later"}`},
		{"UnknownCode", &fault.Error{Code: "new", Message: "no"}, 500, "new", `{"error":"no"}`},
		{"UnencodableDetail", &fault.Error{Code: fault.InvalidRequest, Message: "no", Details: map[string]any{"f": func() {}}}, 400, "invalid_request", `{"error":"internal error"}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			var log bytes.Buffer
			answer := httptest.NewRecorder()
			newFrame(&log).Handle(func(*Response, *http.Request) error { return row.err }).
				ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
			if answer.Code != row.status || answer.Header().Get("X-Error-Code") != row.code || answer.Body.String() != row.body+"\n" {
				t.Errorf("answer %d %q %s", answer.Code, answer.Header().Get("X-Error-Code"), answer.Body)
			}
			if answer.Header().Get("X-Before") != "yes" {
				t.Error("BeforeHeader did not run")
			}
		})
	}
}

func TestEveryCodeHasAStatus(t *testing.T) {
	for code, status := range statuses {
		if Status(&fault.Error{Code: code}) != status || status < 400 {
			t.Errorf("%s is %d", code, status)
		}
	}
}

func TestRetryAfterIsRoundedUp(t *testing.T) {
	for wait, want := range map[time.Duration]string{
		time.Nanosecond: "1", time.Second: "1", 1500 * time.Millisecond: "2", time.Hour: "3600", 0: "", -time.Second: "",
	} {
		answer := httptest.NewRecorder()
		newFrame(&bytes.Buffer{}).Handle(func(*Response, *http.Request) error {
			return &fault.Error{Code: fault.InProgress, Message: "wait", RetryAfter: wait}
		}).ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
		if got := answer.Header().Get("Retry-After"); got != want {
			t.Errorf("%v is %q, want %q", wait, got, want)
		}
	}
}

func TestPanicIsAnInternalError(t *testing.T) {
	t.Run("BeforeTheAnswer", func(t *testing.T) {
		var log bytes.Buffer
		answer := httptest.NewRecorder()
		newFrame(&log).Handle(func(*Response, *http.Request) error { panic("boom") }).
			ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
		if answer.Code != 500 || answer.Body.String() != `{"error":"internal error"}`+"\n" {
			t.Errorf("answer %d %s", answer.Code, answer.Body)
		}
		if !strings.Contains(log.String(), "panic: boom") || !strings.Contains(log.String(), "web_test.go") {
			t.Errorf("the log lacks the place of the panic: %s", &log)
		}
	})

	t.Run("AfterTheAnswerBegan", func(t *testing.T) {
		var log bytes.Buffer
		answer := httptest.NewRecorder()
		newFrame(&log).Handle(func(w *Response, _ *http.Request) error {
			w.Send(200, []byte("{}"))
			panic("boom")
		}).ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
		if answer.Code != 200 || answer.Body.String() != "{}" {
			t.Errorf("answer %d %s", answer.Code, answer.Body)
		}
		if !strings.Contains(log.String(), "panic: boom") {
			t.Errorf("log %s", &log)
		}
	})

	t.Run("AbortIsPassedOn", func(t *testing.T) {
		defer func() {
			if v := recover(); v != http.ErrAbortHandler {
				t.Errorf("recovered %v", v)
			}
		}()
		newFrame(&bytes.Buffer{}).Handle(func(*Response, *http.Request) error { panic(http.ErrAbortHandler) }).
			ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		t.Error("the panic was swallowed")
	})
}

func TestClientGoneIsNotOurError(t *testing.T) {
	var log bytes.Buffer
	ctx, hangUp := context.WithCancel(context.Background())
	newFrame(&log).Handle(func(*Response, *http.Request) error {
		hangUp()
		return fmt.Errorf("wait: %w", ctx.Err())
	}).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil).WithContext(ctx))

	var line map[string]any
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatal(err)
	}
	if line["level"] != "INFO" || line["status"] != 499.0 || line["code"] != "client_gone" {
		t.Errorf("log %v", line)
	}
	canceled := newFrame(&log).Resolve(context.Canceled, httptest.NewRequest("GET", "/", nil))
	if canceled.Code != fault.Internal {
		t.Errorf("canceled while the client is connected: %v", canceled)
	}
}

func TestCommonHeaders(t *testing.T) {
	answer := httptest.NewRecorder()
	newFrame(&bytes.Buffer{}).Handle(func(w *Response, _ *http.Request) error { return w.JSON(200, 1) }).
		ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
	for name, want := range map[string]string{
		"X-Request-Id": "req_1", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cache-Control": "no-store", "Content-Type": "application/json",
	} {
		if got := answer.Header().Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestUnencodableAnswer(t *testing.T) {
	answer := httptest.NewRecorder()
	newFrame(&bytes.Buffer{}).Handle(func(w *Response, _ *http.Request) error { return w.JSON(200, func() {}) }).
		ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
	if answer.Code != 500 || answer.Body.String() != `{"error":"internal error"}`+"\n" {
		t.Errorf("answer %d %s", answer.Code, answer.Body)
	}
}

func TestClientAddressOfOddPeers(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for _, row := range []struct{ name, peer, forwarded, want string }{
		{"IPv4", "203.0.113.9:1", "1.1.1.1", "203.0.113.9"},
		{"MappedIPv4", "[::ffff:203.0.113.9]:1", "1.1.1.1", "203.0.113.9"},
		{"MappedProxy", "[::ffff:10.0.0.1]:1", "1.1.1.1", "1.1.1.1"},
		{"IPv6Proxy", "[::1]:1", "1.1.1.1", "1.1.1.1"},
		{"ProxyThatNamesNobody", "10.0.0.1:1", "", "10.0.0.1"},
		{"ProxiesAlone", "10.0.0.1:1", "10.0.0.3, 10.0.0.2", "10.0.0.3"},
		{"NoAddress", "@", "1.1.1.1", "invalid IP"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr = row.peer
			if row.forwarded != "" {
				r.Header.Set("X-Forwarded-For", row.forwarded)
			}
			if got := clientAddress(r, trusted).String(); got != row.want {
				t.Errorf("address %s, want %s", got, row.want)
			}
		})
	}
}

func TestHTTPSIsRemembered(t *testing.T) {
	for https, want := range map[bool]string{true: "max-age=31536000", false: ""} {
		frame, answer := newFrame(&bytes.Buffer{}), httptest.NewRecorder()
		frame.HTTPS = https
		frame.Handle(func(w *Response, _ *http.Request) error { return w.JSON(200, 1) }).
			ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
		if got := answer.Header().Get("Strict-Transport-Security"); got != want {
			t.Errorf("https %v: %q, want %q", https, got, want)
		}
	}
}

func TestUntrustedProxyIsNamedOnce(t *testing.T) {
	var log bytes.Buffer
	frame := newFrame(&log)
	frame.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	handler := frame.Handle(func(w *Response, _ *http.Request) error { return w.JSON(200, 1) })
	call := func(peer, forwarded string) {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = peer
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	warnings := func() int { return strings.Count(log.String(), "--trusted-proxies") }

	call("203.0.113.9:1", "")
	call("10.0.0.1:1", "203.0.113.9")
	if warnings() != 0 {
		t.Errorf("a trusted proxy is warned of: %s", &log)
	}
	call("192.0.2.1:1", "203.0.113.9")
	call("192.0.2.2:1", "203.0.113.9")
	if warnings() != 1 || !strings.Contains(log.String(), "192.0.2.1") {
		t.Errorf("want one warning of 192.0.2.1: %s", &log)
	}
}
