package gate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

func TestFreePlanMinute(t *testing.T) {
	t.Run("FiveCallsThenRefused", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		for want := 4; want >= 0; want-- {
			a := s.Send(t)
			a.ExpectBody(t, 200, servertest.Sent)
			if a.Remaining() != want || a.Header.Get("X-RateLimit-Limit") != "5" ||
				a.Header.Get("X-RateLimit-Reset") != fmt.Sprint(s.Clock.Now().Add(time.Minute).Unix()) {
				t.Errorf("want %d remaining of 5: %v", want, a.Header)
			}
		}
		a := s.Send(t)
		a.Expect(t, 429, "rate_limited")
		if a.Header.Get("Retry-After") != "60" {
			t.Errorf("Retry-After %s", a.Header.Get("Retry-After"))
		}
	})

	t.Run("StartsWithTheFirstCall", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		s.Clock.Advance(37*time.Second + time.Millisecond) // not on a full minute
		if a := s.Send(t); a.Header.Get("X-RateLimit-Reset") != fmt.Sprint(s.Clock.Now().Add(time.Minute+time.Second).Unix()) {
			t.Errorf("Reset %s is before the minute ends", a.Header.Get("X-RateLimit-Reset"))
		}
		s.Clock.Advance(50 * time.Second)
		for range 4 {
			s.Send(t).ExpectBody(t, 200, servertest.Sent)
		}
		s.Clock.Advance(10*time.Second - time.Millisecond)
		a := s.Send(t)
		a.Expect(t, 429, "rate_limited")
		if a.Header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After %s, want 1: the last millisecond rounded up", a.Header.Get("Retry-After"))
		}
		s.Clock.Advance(time.Millisecond)
		if a := s.Send(t); a.Status != 200 || a.Remaining() != 4 {
			t.Errorf("%d with %d remaining, want a new minute", a.Status, a.Remaining())
		}
	})

	t.Run("RefusedCallsDoNotExtendIt", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		for range 5 {
			s.Send(t)
		}
		for range 6 {
			s.Clock.Advance(9 * time.Second)
			s.Send(t).Expect(t, 429, "rate_limited")
		}
		s.Clock.Advance(6 * time.Second)
		s.Send(t).ExpectBody(t, 200, servertest.Sent)
	})

	t.Run("EndsWhenTheClockIsSetBack", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		for range 5 {
			s.Send(t)
		}
		s.Clock.Advance(-time.Hour)
		if a := s.Send(t); a.Status != 200 || a.Remaining() != 4 {
			t.Errorf("%d with %d remaining, want a new minute", a.Status, a.Remaining())
		}
	})

	t.Run("IsPerKey", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		_, other := s.TestKey(t)
		for range 5 {
			s.Send(t)
		}
		if a := s.Send(t, servertest.WithKey(other)); a.Status != 200 || a.Remaining() != 4 {
			t.Errorf("the other key: %d with %d remaining", a.Status, a.Remaining())
		}
	})
}

func TestMonth(t *testing.T) {
	s := newShop(t, db.Free, 1000)
	for i := range 100 {
		if i%5 == 0 {
			s.Clock.Advance(time.Minute)
		}
		s.Send(t).ExpectBody(t, 200, servertest.Sent)
	}
	s.Clock.Advance(time.Minute)
	a := s.Send(t)
	a.Expect(t, 429, "quota_exceeded")
	if a.Field(t, "plan") != "free" || a.Field(t, "limit") != 100.0 || a.Field(t, "used") != 100.0 ||
		a.Field(t, "resets_at") != "2026-04-01T00:00:00Z" {
		t.Errorf("body %s", a.Body)
	}

	s.Clock.Set(time.Date(2026, 3, 31, 23, 59, 59, 999e6, time.UTC))
	s.Send(t).Expect(t, 429, "quota_exceeded")
	s.Clock.Advance(time.Millisecond)
	s.Send(t).ExpectBody(t, 200, servertest.Sent)
	if used := s.Meter(t).MonthUsed; used != 1 {
		t.Errorf("April counts %d, want 1", used)
	}
	s.ExpectSent(t, 101)
}

func TestQuotaOfASmallerPlan(t *testing.T) {
	s := newShop(t, db.Growth, 1000)
	s.PlantCalls(t, 150)
	if err := s.App.Accounts.SetPlan(context.Background(), s.Email, "free"); err != nil {
		t.Fatal(err)
	}
	a := s.Send(t)
	a.Expect(t, 429, "quota_exceeded")
	if a.Field(t, "limit") != 100.0 || a.Field(t, "used") != 150.0 {
		t.Errorf("body %s", a.Body)
	}
}

func TestDecemberEndsInTheNextYear(t *testing.T) {
	s := newShop(t, db.Free, 1000)
	s.Clock.Set(time.Date(2026, 12, 31, 12, 0, 0, 0, time.UTC))
	s.PlantCalls(t, 100)
	a := s.Send(t)
	a.Expect(t, 429, "quota_exceeded")
	if a.Field(t, "resets_at") != "2027-01-01T00:00:00Z" {
		t.Errorf("body %s", a.Body)
	}
}

// The operator's changes hold from the next call, on every appliance with the same file
// (A11).
func TestChangesTakeEffectAtOnce(t *testing.T) {
	here := newShop(t, db.Free, 1000)
	there := here.again(t)
	appliances := []*shop{here, there}
	expectLimit := func(t *testing.T, limit string) {
		t.Helper()
		for _, s := range appliances {
			a := s.Send(t)
			a.Expect(t, 200, "")
			if a.Header.Get("X-RateLimit-Limit") != limit {
				t.Errorf("limit %s, want %s", a.Header.Get("X-RateLimit-Limit"), limit)
			}
		}
	}

	expectLimit(t, "5")
	for _, plan := range []struct{ name, limit string }{{"growth", "60"}, {"business", "120"}, {"free", "5"}} {
		if err := here.App.Accounts.SetPlan(context.Background(), here.Email, plan.name); err != nil {
			t.Fatal(err)
		}
		here.Clock.Advance(time.Minute)
		expectLimit(t, plan.limit)
	}

	for range 2 {
		here.SetKeyEnabled(t, false)
		for _, s := range appliances {
			s.Send(t).Expect(t, 403, "key_disabled")
		}
		there.SetKeyEnabled(t, true)
		here.Clock.Advance(time.Minute)
		expectLimit(t, "5")
	}
}

func TestPlanChangesTheRunningMinute(t *testing.T) {
	s := newShop(t, db.Free, 1000)
	for range 5 {
		s.Send(t)
	}
	s.Send(t).Expect(t, 429, "rate_limited")
	if err := s.App.Accounts.SetPlan(context.Background(), s.Email, "growth"); err != nil {
		t.Fatal(err)
	}
	if a := s.Send(t); a.Status != 200 || a.Remaining() != 54 {
		t.Errorf("%d with %d remaining, want 54", a.Status, a.Remaining())
	}
	if err := s.App.Accounts.SetPlan(context.Background(), s.Email, "free"); err != nil {
		t.Fatal(err)
	}
	a := s.Send(t)
	a.Expect(t, 429, "rate_limited")
	if a.Remaining() != 0 {
		t.Errorf("%d remaining", a.Remaining())
	}
}

func TestBusinessHasNoMonth(t *testing.T) {
	s := newShop(t, db.Business, 1000)
	s.PlantCalls(t, 900)
	if a := s.Send(t); a.Status != 200 || a.Remaining() != 119 {
		t.Errorf("%d with %d remaining", a.Status, a.Remaining())
	}
}

// Of many parallel calls, on one or more appliances, exactly the plan's number pass.
func TestParallelCallsKeepTheLimit(t *testing.T) {
	for _, appliances := range []int{1, 2} {
		t.Run(fmt.Sprintf("On%dAppliances", appliances), func(t *testing.T) {
			s := newShop(t, db.Free, 1000)
			shops := []*shop{s}
			if appliances == 2 {
				shops = append(shops, s.again(t))
			}
			count := servertest.Parallel(50, func(i int) int { return shops[i%len(shops)].Send(t).Status })
			if count[200] != 5 || count[429] != 45 {
				t.Errorf("answers %v, want 5 of 200 and 45 of 429", count)
			}
			s.ExpectSent(t, 5)
			s.ExpectWallet(t, 1000-5*servertest.SendPrice, 0)
			if m := s.Meter(t); m.WindowUsed != 5 || m.MonthUsed != 5 {
				t.Errorf("meter %+v", m)
			}
		})
	}

	t.Run("OfTheMonth", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		s.PlantCalls(t, 97)
		other := s.again(t)
		count := servertest.Parallel(40, func(i int) int { return []*shop{s, other}[i%2].Send(t).Status })
		if count[200] != 3 || count[429] != 37 {
			t.Errorf("answers %v, want 3 of 200 and 37 of 429", count)
		}
	})
}

// model is A4 and A5 for one key, in the simplest form.
type model struct {
	now       time.Time
	began     time.Time // start of the open minute, or zero
	inMinute  int64
	month     time.Month
	inMonth   int64
	perMinute int64
	perMonth  int64
}

// call returns the error code of an otherwise good call, and what remains of the minute.
func (m *model) call(at time.Time, replay bool) (code string, remaining int) {
	if slip := m.now.Sub(at); slip <= 0 || slip > 2*time.Second {
		m.now = at // the store hides small adjustments of the clock
	}
	if m.now.Before(m.began) || m.now.Sub(m.began) >= time.Minute {
		m.began, m.inMinute = m.now, 0
	}
	if m.month != m.now.Month() {
		m.month, m.inMonth = m.now.Month(), 0
	}
	switch {
	case m.inMinute >= m.perMinute:
		return "rate_limited", 0
	case !replay && m.inMonth >= m.perMonth:
		return "quota_exceeded", int(m.perMinute - m.inMinute)
	}
	m.inMinute++
	if !replay {
		m.inMonth++
	}
	return "", int(m.perMinute - m.inMinute)
}

// Random calls at random times agree with the model.
func TestLimitsFollowTheModel(t *testing.T) {
	seen := map[string]int{}
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("Seed%d", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 1))
			s := newShop(t, db.Free, 0)
			_, secret := s.TestKey(t)
			withKey, withIdem := servertest.WithKey(secret), servertest.WithIdempotencyKey("replayed")
			m := &model{perMinute: 5, perMonth: 100}
			first := s.Send(t, withKey, withIdem)
			m.call(s.Clock.Now(), false)
			kept := s.Clock.Now().Add(24 * time.Hour)

			for i := range 400 {
				s.Clock.Advance(step(random))
				at := s.Clock.Now()
				options := []servertest.Option{withKey}
				replay := random.IntN(4) == 0 && at.Before(kept)
				if replay {
					options = append(options, withIdem)
				}

				code, remaining := m.call(at, replay)
				a := s.Send(t, options...)
				if a.Code() != code || a.Remaining() != remaining {
					t.Fatalf("call %d at %v: %q with %d remaining, the model has %q with %d",
						i, at, a.Code(), a.Remaining(), code, remaining)
				}
				if replay && code == "" {
					a.ExpectReplay(t, first)
				}
				seen[code]++
			}
		})
	}
	if seen["rate_limited"] == 0 || seen["quota_exceeded"] == 0 {
		t.Errorf("outcomes were only %v", seen)
	}
}

// step returns the time between two calls: mostly short, sometimes days, sometimes
// negative.
func step(random *rand.Rand) time.Duration {
	switch n := random.IntN(100); {
	case n < 60:
		return time.Duration(random.IntN(12_000)) * time.Millisecond
	case n < 80:
		return time.Duration(random.IntN(90_000)) * time.Millisecond
	case n < 90:
		return -time.Duration(random.IntN(4_000)) * time.Millisecond
	case n < 95:
		return -time.Duration(random.IntN(3600)) * time.Second
	case n < 99:
		return time.Duration(random.IntN(6*3600)) * time.Second
	}
	return time.Duration(random.IntN(20*24)) * time.Hour
}
