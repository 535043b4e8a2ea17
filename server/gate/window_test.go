package gate_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/gate"
	"svc/server/servertest"
	"svc/server/web"
)

const question = `{"question":"What did we sell last month?"}`

// ask posts a question to /ask with the shop's live key.
func (s *shop) ask(t *testing.T, options ...servertest.Option) servertest.Answer {
	t.Helper()
	return s.Call(t, "POST", "/ask", question, append([]servertest.Option{servertest.WithKey(s.Secret)}, options...)...)
}

func (s *shop) expectWindow(t *testing.T, a servertest.Answer, limit string, remaining int, reset time.Time) {
	t.Helper()
	h := a.Header
	if h.Get("X-RateLimit-Limit") != limit || a.Remaining() != remaining || h.Get("X-RateLimit-Reset") != fmt.Sprint(reset.Unix()) {
		t.Errorf("%d: want %d of %s, reset %d: %v", a.Status, remaining, limit, reset.Unix(), h)
	}
}

// expectFull checks the 429 of a rolling window as seed 8.4 has it.
func expectFull(t *testing.T, a servertest.Answer, seconds int) {
	t.Helper()
	a.Expect(t, 429, "rate_limited")
	a.ExpectBody(t, 429, fmt.Sprintf(`{"error":"rate_limit_exceeded","retry_after":%d}`+"\n", seconds))
	want := fmt.Sprint(seconds)
	if a.Header.Get("Retry-After") != want || a.Header.Get("X-RateLimit-Retry-After") != want {
		t.Errorf("want a retry after %s s: %v", want, a.Header)
	}
}

func TestRollingMinute(t *testing.T) {
	s := newShop(t, db.Growth, 1000)
	start := s.Clock.Now()
	for left := 9; left >= 0; left-- {
		a := s.ask(t)
		a.Expect(t, 200, "")
		s.expectWindow(t, a, "10", left, start.Add(time.Minute))
		s.Clock.Advance(2 * time.Second)
	}
	s.Clock.Set(start.Add(45*time.Second + time.Millisecond))
	a := s.ask(t)
	expectFull(t, a, 15)
	s.expectWindow(t, a, "10", 0, start.Add(time.Minute))
	s.Clock.Advance(15 * time.Second) // as the answer said
	s.ask(t).Expect(t, 200, "")
	expectFull(t, s.ask(t), 2)
	if m := s.Meter(t); m.WindowUsed != 0 || m.MonthUsed != 11 {
		t.Errorf("want the plan's minute unused and 11 calls in the month: %+v", m)
	}
	s.Send(t).ExpectBody(t, 200, servertest.Sent)
	plan := s.Call(t, "POST", "/api/v1/ask", question, servertest.WithKey(s.Secret))
	plan.Expect(t, 200, "")
	if plan.Header.Get("X-RateLimit-Limit") != "60" || plan.Remaining() != 58 {
		t.Errorf("/api/v1/ask obeys the plan: %v", plan.Header)
	}
}

func TestRollingHour(t *testing.T) {
	s := newShop(t, db.Growth, 1000)
	start := s.Clock.Now()
	for i := range 100 {
		if i > 0 && i%10 == 0 {
			s.Clock.Advance(2 * time.Minute)
		}
		a := s.ask(t)
		a.Expect(t, 200, "")
		if i == 94 {
			s.expectWindow(t, a, "10", 5, s.Clock.Now().Add(time.Minute)) // 5 of both
		}
	}
	s.Clock.Advance(time.Minute)
	a := s.ask(t)
	expectFull(t, a, int(start.Add(time.Hour).Sub(s.Clock.Now()).Seconds()))
	s.expectWindow(t, a, "100", 0, start.Add(time.Hour))
	s.Clock.Set(start.Add(time.Hour))
	s.ask(t).Expect(t, 200, "")
}

// The month counts every call, and its 429 is that of the plan (A8), with both retry
// headers. A 5xx gives the month's count back, and the window keeps it as the minute does.
func TestRollingAndTheMonth(t *testing.T) {
	t.Run("Quota", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		s.PlantCalls(t, 99)
		s.ask(t).Expect(t, 200, "")
		a := s.ask(t)
		a.Expect(t, 429, "quota_exceeded")
		if a.Field(t, "plan") != "free" || a.Field(t, "limit") != 100.0 || a.Field(t, "used") != 100.0 || a.Field(t, "resets_at") == nil {
			t.Errorf("body %s", a.Body)
		}
		if wait := a.Header.Get("Retry-After"); wait == "" || a.Header.Get("X-RateLimit-Retry-After") != wait {
			t.Errorf("headers %v", a.Header)
		}
		if a.Remaining() != 9 {
			t.Errorf("%d remaining: a refused call was counted", a.Remaining())
		}
	})

	t.Run("ServerError", func(t *testing.T) {
		k := newKit(t, db.AccountMode, 0)
		handler := k.Free(gate.Terms{Endpoint: "/ask", Rolling: "ask"}, func(*web.Response, *http.Request, gate.Caller, []byte) error {
			return &fault.Error{Code: fault.Internal, Message: "internal error"}
		})
		for _, left := range []string{"9", "8"} {
			a := k.call(handler)
			expect(t, a, 500, "internal")
			expectRemaining(t, a, left)
		}
		if m := k.meter(t); m.MonthUsed != 0 || m.WindowUsed != 0 {
			t.Errorf("meter %+v", m)
		}
	})
}

// Refused calls count nothing. A disabled key sees its window, and test keys have one.
func TestRollingRefusals(t *testing.T) {
	s := newShop(t, db.Growth, 1000)
	_, test := s.TestKey(t)
	s.ask(t, servertest.WithKey("wrong")).Expect(t, 401, "invalid_key")
	s.ask(t, servertest.WithKey(test)).Expect(t, 200, "")
	s.Call(t, "GET", "/ask", nil, servertest.WithKey(s.Secret)).Expect(t, 405, "method_not_allowed")
	foreign := s.Call(t, "GET", "/ask", nil)
	foreign.Expect(t, 405, "method_not_allowed")
	s.expectWindow(t, foreign, "60", 59, s.Clock.Now().Add(time.Minute)) // the address, after one wrong key
	bad := s.Call(t, "POST", "/ask", `{}`, servertest.WithKey(s.Secret))
	bad.Expect(t, 400, "invalid_request") // is admitted
	s.expectWindow(t, bad, "10", 9, s.Clock.Now().Add(time.Minute))
	s.SetKeyEnabled(t, false)
	refused := s.ask(t)
	refused.Expect(t, 403, "key_disabled")
	s.expectWindow(t, refused, "10", 9, s.Clock.Now().Add(time.Minute))
	s.SetKeyEnabled(t, true)
	for range 9 {
		s.ask(t).Expect(t, 200, "")
	}
	for range 5 {
		expectFull(t, s.ask(t), 60)
	}
	s.Clock.Advance(time.Minute)
	s.ask(t).Expect(t, 200, "")
	if used := s.Meter(t).MonthUsed; used != 11 {
		t.Errorf("the month counts %d", used)
	}
}

// Appliances on one file share the windows, also one that starts later.
func TestRollingWindowsAreShared(t *testing.T) {
	here := newShop(t, db.Growth, 1000)
	both := []*shop{here, here.again(t)}
	passed := servertest.Parallel(11, func(i int) int { return both[i%2].ask(t).Status })
	if passed[200] != 10 || passed[429] != 1 {
		t.Errorf("by status: %v", passed)
	}
	expectFull(t, here.again(t).ask(t), 60)
}
