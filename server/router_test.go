package server_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

func TestNotFound(t *testing.T) {
	s := servertest.NewShop(t, db.Growth, 1000)
	for _, path := range []string{
		"/api/", "/api/v1/", "/api/v1/nothing", "/api/v1/messaging/send/", "/api/v1/messaging", "/api/v1/Messaging/send",
		"/api/v1/Scan", "/api/v1/pricing/", "/api/v2/pricing", "/api//v1/pricing", "//api/v1/pricing",
	} {
		t.Run(path, func(t *testing.T) {
			a := s.Call(t, "GET", path, nil)
			a.Expect(t, 404, "not_found")
			a.ExpectBody(t, 404, `{"error":"no such endpoint"}`+"\n")
		})
	}
	for _, path := range []string{"/pulse", "/alerts", "/brief", "/ask", "/data/push", "/tools/fx-risk", "/tools/landed-cost"} {
		a := s.Call(t, "DELETE", path, nil)
		if a.Header.Get("Content-Type") != "application/json" || a.Fields(t)["error"] == nil {
			t.Errorf("%s: %d %v %s", path, a.Status, a.Header, a.Body)
		}
	}
	if a := s.Call(t, "GET", "/somewhere", nil); a.Status != 404 || a.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("an unknown page: %d %v", a.Status, a.Header)
	}
}

func TestMethodNotAllowed(t *testing.T) {
	s := servertest.NewShop(t, db.Growth, 1000)
	for _, call := range []struct{ method, path, allow string }{
		{"GET", servertest.SendPath, "POST"},
		{"HEAD", servertest.SendPath, "POST"},
		{"OPTIONS", servertest.SendPath, "POST"},
		{"DELETE", servertest.SendPath, "POST"},
		{"PROPFIND", servertest.SendPath, "POST"},
		{"POST", "/api/v1/pricing", "GET, HEAD"},
		{"OPTIONS", "/api/v1/pricing", "GET, HEAD"},
	} {
		t.Run(call.method+call.path, func(t *testing.T) {
			a := s.Call(t, call.method, call.path, nil)
			if a.Header.Get("Allow") != call.allow {
				t.Errorf("Allow: %s, want %s", a.Header.Get("Allow"), call.allow)
			}
			a.Expect(t, 405, "method_not_allowed")
		})
	}
	for _, path := range []string{"/console", "/docs"} {
		a := s.Call(t, "POST", path, nil, servertest.WithHeader("Accept", "text/html,*/*;q=0.8"))
		a.ExpectErrorPage(t, 405, "method_not_allowed", "This page takes no form.")
	}
}

// A header of more than 20 KiB is refused before anything of the request is used, with the
// fields of other errors (A9). An Idempotency-Key may fill it (B1).
func TestHeaderTooLarge(t *testing.T) {
	s := servertest.NewShop(t, db.Growth, 1000)
	const body = `{"error":"the request's header must be at most 20 KiB"}` + "\n"
	large := servertest.WithHeader("X-Padding", strings.Repeat("x", 40_000))
	s.Send(t, large).ExpectBody(t, 431, body)
	s.Send(t, servertest.WithIdempotencyKey(strings.Repeat("x", 60_000))).ExpectBody(t, 431, body)
	s.Call(t, "GET", "/api/v1/pricing", nil, large).ExpectBody(t, 431, body)
	s.Call(t, "GET", "/api/v1/nothing", nil, large).Expect(t, 431, "header_too_large")
	s.Call(t, "GET", "/api/v1/pricing?x="+strings.Repeat("x", 20<<10), nil).Expect(t, 431, "header_too_large")
	s.Call(t, "GET", "/console", nil, large).ExpectErrorPage(t, 431, "header_too_large", "at most 20 KiB")
	s.ExpectSent(t, 0)
	if m := s.Meter(t); m.MonthUsed != 0 || m.WindowUsed != 0 {
		t.Errorf("a refused call was counted: %+v", m)
	}

	s.Send(t, servertest.WithIdempotencyKey(strings.Repeat("x", 19<<10))).Expect(t, 200, "")
	s.Send(t, servertest.WithHeader("X-Padding", strings.Repeat("x", 19<<10))).Expect(t, 200, "")
	s.ExpectSent(t, 2)
}

// Before the first account most paths are closed (L2).
func TestBeforeTheFirstAccount(t *testing.T) {
	s := servertest.New(t)
	const body = `{"error":"this server has no account yet; open the setup link that svc serve printed, or use svc accounts create --email you@example.com"}` + "\n"
	for _, call := range []struct{ method, path string }{
		{"POST", servertest.SendPath},
		{"GET", servertest.SendPath},
		{"GET", "/api/v1/nothing"},
		{"GET", "/nowhere"},
		{"POST", "/api/v1/pricing"},
	} {
		a := s.Call(t, call.method, call.path, nil)
		a.Expect(t, 503, "setup_required")
		a.ExpectBody(t, 503, body)
	}
	for _, path := range []string{"/", "/signin", "/console"} {
		a := s.Call(t, "GET", path, nil)
		a.Expect(t, 503, "setup_required")
		if !strings.Contains(string(a.Body), "open the setup link") {
			t.Errorf("%s: %s", path, a.Body)
		}
	}
	for _, path := range []string{"/api/v1/pricing", "/healthz", "/readyz"} {
		if a := s.Call(t, "GET", path, nil); a.Status != 200 {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}

	s.Account(t, "first@example.com", "free", 0)
	s.Call(t, "POST", servertest.SendPath, nil).Expect(t, 401, "invalid_key")
}

// A client that waits for "100 Continue" with its body gets the answer instead, if the body
// is not wanted, and not after the time that the server waits for a body.
func TestAnswerInsteadOfContinue(t *testing.T) {
	t.Parallel()
	empty, shop := servertest.New(t), servertest.NewShop(t, db.Free, 0)
	for _, row := range []struct {
		name, url, path, key string
		want                 int
	}{
		{"WithoutAccount", empty.URL, "/signin", "", 503},
		{"WithoutKey", shop.URL, "/api/v1/scan", "", 401},
		{"WrongMethod", shop.URL, "/api/v1/pricing", "", 405},
		{"NoPage", shop.URL, "/nothing", "", 404},
		{"Continue", shop.URL, servertest.SendPath, shop.Secret, 100},
	} {
		t.Run(row.name, func(t *testing.T) {
			conn, err := net.Dial("tcp", strings.TrimPrefix(row.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if err := conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 18\r\nX-Api-Key: %s\r\n\r\n", row.path, row.key)
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil || answer.StatusCode != row.want {
				t.Errorf("answer %v, %v; want %d", answer, err, row.want)
			}
		})
	}
}

func TestPricing(t *testing.T) {
	const document = `{"endpoints":[{"path":"/api/v1/scan","price_cents":3},{"path":"/api/v1/messaging/send","price_cents":2}],` +
		`"plans":{"business":{"month":-1,"minute":120},"free":{"month":100,"minute":5},"growth":{"month":10000,"minute":60}},` +
		`"currency":"usd_cents","note":"Only successful calls are billed; a 4xx, 429, 5xx or replayed call costs nothing."}` + "\n"

	t.Run("IsPublic", func(t *testing.T) {
		s := servertest.New(t)
		s.Call(t, "GET", "/api/v1/pricing", nil).ExpectBody(t, 200, document)
		if a := s.Call(t, "HEAD", "/api/v1/pricing", nil); a.Status != 200 || len(a.Body) != 0 {
			t.Errorf("HEAD: %d %q", a.Status, a.Body)
		}
	})

	t.Run("IgnoresAKeyAndCountsNothing", func(t *testing.T) {
		s := servertest.NewShop(t, db.Free, 1000)
		s.Send(t)
		s.SetKeyEnabled(t, false)
		for _, key := range []string{s.Secret, "nonsense"} {
			for range 7 {
				a := s.Call(t, "GET", "/api/v1/pricing", nil, servertest.WithKey(key))
				a.ExpectBody(t, 200, document)
				if a.Header.Get("X-RateLimit-Limit") != "60" || a.Remaining() != 60 {
					t.Fatalf("want the address's limits: %v", a.Header)
				}
			}
		}
		if m := s.Meter(t); m.WindowUsed != 1 || m.MonthUsed != 1 {
			t.Errorf("pricing was counted: %+v", m)
		}
	})
}

func TestRequestIDs(t *testing.T) {
	s := servertest.NewShop(t, db.Growth, 1000)
	a := s.Send(t, servertest.WithHeader("X-Request-Id", "their own"))
	b := s.Send(t)
	if a.Header.Get("X-Client-Request-Id") != "their own" || b.Header.Get("X-Client-Request-Id") != "" {
		t.Errorf("echoed %q and %q", a.Header.Get("X-Client-Request-Id"), b.Header.Get("X-Client-Request-Id"))
	}
	if a.Header.Get("X-Request-Id") == b.Header.Get("X-Request-Id") {
		t.Error("two calls have one request id")
	}

	var rows []db.Request
	dbtest.View(t, s.Store, func(tx *db.Tx) (err error) {
		rows, err = tx.Requests(s.LiveKey.AccountID, 10)
		return err
	})
	if len(rows) != 2 || rows[1].ID != a.Header.Get("X-Request-Id") || rows[1].ClientRequestID != "their own" ||
		rows[1].ChargeCents != servertest.SendPrice || rows[1].Status != 200 || rows[1].KeyID != s.LiveKey.ID ||
		rows[1].Method != http.MethodPost || rows[1].Route != servertest.SendPath {
		t.Errorf("the log has %+v", rows)
	}
}
