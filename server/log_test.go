package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/carrier"
	"svc/server/servertest"
)

// lines reads the log of requests.
func (s *shop) lines(t *testing.T) (all []map[string]any) {
	t.Helper()
	for line := range strings.Lines(s.Log.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("log line %q: %v", line, err)
		}
		if fields["msg"] == "request" {
			all = append(all, fields)
		}
	}
	return all
}

func TestLogLine(t *testing.T) {
	s := newShop(t, db.Growth, 1000, behindProxy)
	s.provider.OnSend = func(context.Context, carrier.Message) (string, error) {
		s.Clock.Advance(40 * time.Millisecond)
		return "", &carrier.Error{Provider: "webhook", Reason: "could not be reached: timed out", Err: errors.New("dial tcp: i/o timeout")}
	}
	a := s.send(t, from("203.0.113.9"), servertest.WithHeader("X-Request-Id", "their own"))
	s.Call(t, "GET", "/api/v1/nothing?token=secret", nil)
	s.Call(t, "GET", "/healthz", nil) // asked every few seconds
	s.Call(t, "GET", "/readyz", nil)

	lines := s.lines(t)
	if len(lines) != 2 {
		t.Fatalf("log %s", s.Log)
	}
	for name, want := range map[string]any{
		"level": "ERROR", "id": a.Header.Get("X-Request-Id"), "client_id": "their own", "method": "POST", "route": sendPath,
		"status": 502.0, "took": float64(40 * time.Millisecond), "address": "203.0.113.9", "key": s.key.ID, "code": "provider_failed",
		"cause": "webhook: could not be reached: dial tcp: i/o timeout",
	} {
		if lines[0][name] != want {
			t.Errorf("%s is %v, want %v", name, lines[0][name], want)
		}
	}
	if lines[1]["level"] != "INFO" || lines[1]["route"] != "" || lines[1]["status"] != 404.0 || lines[1]["code"] != "not_found" {
		t.Errorf("the line of a 404: %v", lines[1])
	}
}

// A replayed error is logged as the error that it is.
func TestLogOfAReplayedUnknownOutcome(t *testing.T) {
	s := newShop(t, db.Growth, 1000)
	s.provider.OnSend = func(context.Context, carrier.Message) (string, error) { return "", servertest.Doubt("no answer") }
	s.send(t, withKeyK)
	s.send(t, withKeyK)
	for i, line := range s.lines(t) {
		if line["code"] != "outcome_unknown" || line["status"] != 502.0 {
			t.Errorf("line %d: %v", i, line)
		}
	}
	servertest.Until(t, "both rows of the request log", func() bool { return len(s.requests(t)) == 2 })
	for i, row := range s.requests(t) {
		if row.ErrorCode != "outcome_unknown" || row.Status != 502 || row.ChargeCents != 0 {
			t.Errorf("row %d: %+v", i, row)
		}
	}
}

// A caller that runs against its limits cannot fill the disk with log rows.
func TestRefusalsOverALimitAreLoggedOnceAMinute(t *testing.T) {
	s := newShop(t, db.Free, 1000)
	s.used(t, 99)
	var want []string
	for range 3 {
		for range 4 {
			expect(t, s.send(t, withKeyK), 200, "") // once sent, then replayed
			want = append(want, "")
		}
		expect(t, s.send(t), 429, "quota_exceeded")
		expect(t, s.send(t), 429, "quota_exceeded")
		expect(t, s.send(t, withKeyK), 200, "")
		expect(t, s.send(t), 429, "rate_limited")
		expect(t, s.send(t), 429, "rate_limited")
		want = append(want, "quota_exceeded", "", "rate_limited")
		s.Clock.Advance(time.Minute)
	}
	servertest.Until(t, "the last row", func() bool {
		rows := s.requests(t)
		return len(rows) >= len(want)
	})
	var got []string
	for _, row := range s.requests(t) {
		got = append(got, row.ErrorCode)
	}
	slices.Reverse(got)
	if !slices.Equal(got, want) {
		t.Errorf("logged %q, want %q", got, want)
	}
}

// What a caller can make us keep is bounded; what it is told is its own.
func TestLongClientRequestID(t *testing.T) {
	s := newShop(t, db.Growth, 1000)
	theirs := strings.Repeat("x", 199) + "ééé"
	s.send(t, servertest.WithHeader("X-Request-Id", theirs)) // which checks the echo
	want := theirs[:199]
	if got := s.requests(t)[0].ClientRequestID; got != want {
		t.Errorf("kept %q", got)
	}
	if got := s.lines(t)[0]["client_id"]; got != want {
		t.Errorf("logged %q", got)
	}
}

// requests reads the account's rows of the stored request log, newest first.
func (s *shop) requests(t *testing.T) (rows []db.Request) {
	t.Helper()
	err := s.Store.View(context.Background(), func(tx *db.Tx) (err error) {
		rows, err = tx.Requests(s.key.AccountID, 100)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Neither the log nor the request log learns a key, a recipient or a text,
// whatever happens (A2, L6).
func TestNothingSecretIsLogged(t *testing.T) {
	const idem, secretText, messagingSecret = "idem-in-confidence", "Dear patient, your result", "signing-in-confidence"
	body := with("text", `"`+secretText+`"`)

	// echo is a provider that repeats all that it was told.
	var status atomic.Int64 // 0: the connection breaks
	echo := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status.Load() == 0 {
			panic(http.ErrAbortHandler)
		}
		told, _ := io.ReadAll(r.Body)
		w.WriteHeader(int(status.Load()))
		answer, _ := json.Marshal(map[string]string{"error": string(told) + r.Header.Get("X-Service-Signature") + messagingSecret})
		_, _ = w.Write(answer)
	}))
	defer echo.Close()
	webhook := carrier.NewWebhook(carrier.Webhook{URL: echo.URL + "/?token=url-in-confidence", Secret: messagingSecret})
	s := newShop(t, db.Business, 1000, func(c *server.Config) { c.Carrier = webhook })
	_, testSecret := s.testKey(t)
	_, genericSecret := s.Key(t, s.email, db.Live, db.GenericMode)
	_, unknownSecret := newShop(t, db.Free, 0).testKey(t)

	for range 2 {
		for _, key := range []string{s.secret, testSecret, genericSecret, unknownSecret, s.secret[:len(s.secret)-1] + "!"} {
			withSecrets := []servertest.Option{servertest.WithKey(key), servertest.WithIdempotencyKey(idem)}
			for _, code := range []int{0, 200, 204, 302, 400, 500} {
				status.Store(int64(code))
				s.post(t, body, append(withSecrets, servertest.WithIdempotencyKey(idem+http.StatusText(code)))...)
			}
			for _, bad := range []string{body[1:], body + body, with("phone", `"`+phone+` "`), with("template", `"`+secretText+`"`), strings.Repeat(body, 700)} {
				s.post(t, bad, withSecrets...)
			}
			s.Call(t, "GET", sendPath+"?key="+key, nil, withSecrets...)
			s.Call(t, "GET", "/api/v1/"+key, nil, withSecrets...)
		}
		s.setEnabled(t, false)
		s.post(t, body, servertest.WithIdempotencyKey(idem))
		s.setEnabled(t, true)
	}

	p := newShop(t, db.Growth, 1000)
	p.provider.OnSend = func(context.Context, carrier.Message) (string, error) {
		var none []string
		return none[len(phone)], nil
	}
	p.post(t, body, servertest.WithIdempotencyKey(idem))
	if !strings.Contains(p.Log.String(), "index out of range") {
		t.Error("the log does not tell of the panic")
	}

	logged := s.Log.String() + p.Log.String()
	for _, row := range s.requests(t) {
		logged += row.Method + row.Route + row.ErrorCode + row.ClientRequestID
	}
	if len(s.lines(t)) < 100 {
		t.Fatalf("only %d lines were logged", len(s.lines(t)))
	}
	for name, secret := range map[string]string{
		"the live key": s.secret, "the test key": testSecret, "the generic key": genericSecret, "an unknown key": unknownSecret,
		"half a key": s.secret[:24], "the panicking shop's key": p.secret, "the Idempotency-Key": idem,
		"the phone": strings.TrimPrefix(phone, "+"), "the text": secretText, "a word of the text": "patient",
		"the signing secret": messagingSecret, "the address's token": "url-in-confidence",
	} {
		if i := strings.Index(logged, secret); i >= 0 {
			t.Errorf("the log holds %s: …%s…", name, logged[max(0, i-200):min(len(logged), i+100)])
		}
	}
}
