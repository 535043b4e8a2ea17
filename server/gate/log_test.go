package gate_test

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

// logLines reads the request lines of the log.
func (s *shop) logLines(t *testing.T) (all []map[string]any) {
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
	s := newShop(t, db.Growth, 1000, servertest.BehindProxy)
	s.Provider.OnSend = func(context.Context, carrier.Message) (string, error) {
		s.Clock.Advance(40 * time.Millisecond)
		return "", &carrier.Error{Provider: "webhook", Reason: "could not be reached: timed out", Err: errors.New("dial tcp: i/o timeout")}
	}
	a := s.Send(t, servertest.From("203.0.113.9"), servertest.WithHeader("X-Request-Id", "their own"))
	s.Call(t, "GET", "/api/v1/nothing?token=secret", nil)
	s.Call(t, "HEAD", "/api/v1/pricing", nil)
	s.Call(t, "GET", "/healthz", nil) // probes are not logged
	s.Call(t, "GET", "/readyz", nil)

	lines := s.logLines(t)
	if len(lines) != 3 {
		t.Fatalf("log %s", s.Log)
	}
	for name, want := range map[string]any{
		"level": "ERROR", "id": a.Header.Get("X-Request-Id"), "client_id": "their own", "method": "POST", "route": servertest.SendPath,
		"status": 502.0, "duration_ms": 40.0, "bytes": float64(len(a.Body)), "address": "203.0.113.9", "key": s.LiveKey.ID, "account": s.LiveKey.AccountID, "code": "provider_failed",
		"cause": "webhook: could not be reached: dial tcp: i/o timeout",
	} {
		if lines[0][name] != want {
			t.Errorf("%s is %v, want %v", name, lines[0][name], want)
		}
	}
	if lines[1]["level"] != "INFO" || lines[1]["route"] != "" || lines[1]["status"] != 404.0 || lines[1]["code"] != "not_found" {
		t.Errorf("the line of a 404: %v", lines[1])
	}
	if lines[1]["bytes"] == 0.0 || lines[1]["account"] != nil || lines[2]["bytes"] != 0.0 || lines[2]["duration_ms"] != 0.0 {
		t.Errorf("the lines of a 404 and of a HEAD: %v", lines[1:])
	}
}

// A replayed error is logged with its own code.
func TestLogOfAReplayedUnknownOutcome(t *testing.T) {
	s := newShop(t, db.Growth, 1000)
	s.Provider.OnSend = func(context.Context, carrier.Message) (string, error) { return "", servertest.Doubt("no answer") }
	s.Send(t, withKeyK)
	s.Send(t, withKeyK)
	for i, line := range s.logLines(t) {
		if line["code"] != "outcome_unknown" || line["status"] != 502.0 {
			t.Errorf("line %d: %v", i, line)
		}
	}
	servertest.Until(t, "both rows of the request log", func() bool { return len(s.Requests(t)) == 2 })
	for i, row := range s.Requests(t) {
		if row.ErrorCode != "outcome_unknown" || row.Status != 502 || row.ChargeCents != 0 {
			t.Errorf("row %d: %+v", i, row)
		}
	}
}

// A caller over its limits cannot fill the disk with log rows.
func TestRefusalsOverALimitAreLoggedOnceAMinute(t *testing.T) {
	s := newShop(t, db.Free, 1000)
	s.PlantCalls(t, 99)
	var want []string
	for range 3 {
		for range 4 {
			s.Send(t, withKeyK).Expect(t, 200, "") // once sent, then replayed
			want = append(want, "")
		}
		s.Send(t).Expect(t, 429, "quota_exceeded")
		s.Send(t).Expect(t, 429, "quota_exceeded")
		s.Send(t, withKeyK).Expect(t, 200, "")
		s.Send(t).Expect(t, 429, "rate_limited")
		s.Send(t).Expect(t, 429, "rate_limited")
		want = append(want, "quota_exceeded", "", "rate_limited")
		s.Clock.Advance(time.Minute)
	}
	servertest.Until(t, "the last row", func() bool {
		rows := s.Requests(t)
		return len(rows) >= len(want)
	})
	var got []string
	for _, row := range s.Requests(t) {
		got = append(got, row.ErrorCode)
	}
	slices.Reverse(got)
	if !slices.Equal(got, want) {
		t.Errorf("logged %q, want %q", got, want)
	}
}

// A long X-Request-Id is stored in part and echoed in full.
func TestLongClientRequestID(t *testing.T) {
	s := newShop(t, db.Growth, 1000)
	theirs := strings.Repeat("x", 199) + "ééé"
	s.Send(t, servertest.WithHeader("X-Request-Id", theirs)) // Call checks the echo
	want := theirs[:199]
	if got := s.Requests(t)[0].ClientRequestID; got != want {
		t.Errorf("stored %q", got)
	}
	if got := s.logLines(t)[0]["client_id"]; got != want {
		t.Errorf("logged %q", got)
	}
}

// Neither the log nor the request log contains a key, a recipient or a text (A2, L6).
func TestNothingSecretIsLogged(t *testing.T) {
	const idem, secretText, messagingSecret = "idem-in-confidence", "Dear patient, your result", "signing-in-confidence"
	body := strings.Replace(servertest.SendBody, servertest.Text, secretText, 1)

	// echo is a provider whose answers repeat the request.
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
	_, testSecret := s.TestKey(t)
	_, genericSecret := s.Key(t, s.Email, db.Live, db.GenericMode)
	_, unknownSecret := newShop(t, db.Free, 0).TestKey(t)

	for range 2 {
		for _, key := range []string{s.Secret, testSecret, genericSecret, unknownSecret, s.Secret[:len(s.Secret)-1] + "!"} {
			withSecrets := []servertest.Option{servertest.WithKey(key), servertest.WithIdempotencyKey(idem)}
			for _, code := range []int{0, 200, 204, 302, 400, 500} {
				status.Store(int64(code))
				s.Post(t, body, append(withSecrets, servertest.WithIdempotencyKey(idem+http.StatusText(code)))...)
			}
			badPhone := strings.Replace(servertest.SendBody, servertest.Phone, servertest.Phone+" ", 1)
			badTemplate := strings.Replace(servertest.SendBody, "receipt", secretText, 1)
			for _, bad := range []string{body[1:], body + body, badPhone, badTemplate, strings.Repeat(body, 700)} {
				s.Post(t, bad, withSecrets...)
			}
			s.Call(t, "GET", servertest.SendPath+"?key="+key, nil, withSecrets...)
			s.Call(t, "GET", "/api/v1/"+key, nil, withSecrets...)
		}
		s.SetKeyEnabled(t, false)
		s.Post(t, body, servertest.WithIdempotencyKey(idem))
		s.SetKeyEnabled(t, true)
	}

	p := newShop(t, db.Growth, 1000)
	p.Provider.OnSend = func(context.Context, carrier.Message) (string, error) {
		var none []string
		return none[len(servertest.Phone)], nil
	}
	p.Post(t, body, servertest.WithIdempotencyKey(idem))
	if !strings.Contains(p.Log.String(), "index out of range") {
		t.Error("the log does not contain the panic")
	}

	logged := s.Log.String() + p.Log.String()
	for _, row := range s.Requests(t) {
		logged += row.Method + row.Route + row.ErrorCode + row.ClientRequestID
	}
	if len(s.logLines(t)) < 100 {
		t.Fatalf("only %d lines were logged", len(s.logLines(t)))
	}
	for name, secret := range map[string]string{
		"the live key": s.Secret, "the test key": testSecret, "the generic key": genericSecret, "an unknown key": unknownSecret,
		"half a key": s.Secret[:24], "the panicking shop's key": p.Secret, "the Idempotency-Key": idem,
		"the phone": strings.TrimPrefix(servertest.Phone, "+"), "the text": secretText, "a word of the text": "patient",
		"the signing secret": messagingSecret, "the address's token": "url-in-confidence",
	} {
		if i := strings.Index(logged, secret); i >= 0 {
			t.Errorf("the log contains %s: …%s…", name, logged[max(0, i-200):min(len(logged), i+100)])
		}
	}
}
