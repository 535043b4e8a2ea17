package gate_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

// failAuth makes n calls that fail authentication and returns the last answer.
func (s *shop) failAuth(t *testing.T, n int, options ...servertest.Option) (a servertest.Answer) {
	t.Helper()
	for range n {
		a = s.Send(t, append(options, servertest.WithKey("wrong"))...)
		a.Expect(t, 401, "invalid_key")
	}
	return a
}

// failuresLeft returns how many failures an address has left, as the price list shows.
func (s *shop) failuresLeft(t *testing.T, options ...servertest.Option) int {
	t.Helper()
	a := s.Call(t, "GET", "/api/v1/pricing", nil, options...)
	a.Expect(t, 200, "")
	return a.Remaining()
}

func TestFailedAuthentications(t *testing.T) {
	t.Run("CountDownToZeroAndStay401", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		for want := 59; want >= 0; want-- {
			a := s.failAuth(t, 1)
			if a.Remaining() != want || a.Header.Get("X-RateLimit-Limit") != "60" ||
				a.Header.Get("X-RateLimit-Reset") != fmt.Sprint(s.Clock.Now().Add(time.Minute).Unix()) {
				t.Fatalf("want %d remaining of 60: %v", want, a.Header)
			}
		}
		s.Clock.Advance(20 * time.Second)
		a := s.failAuth(t, 3)
		if a.Remaining() != 0 || a.Header.Get("Retry-After") != "40" {
			t.Errorf("headers %v", a.Header)
		}
		a.ExpectBody(t, 401, `{"error":"too many requests from this address had an invalid API key; try again later"}`+"\n")
	})

	t.Run("UnknownKeysAreThenRefusedUnread", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		_, fresh := s.TestKey(t)
		s.Send(t)
		s.failAuth(t, 60)
		if a := s.Send(t, servertest.WithKey(fresh)); a.Status != 401 || a.Remaining() != 0 {
			t.Errorf("a key not used before: %d with %d remaining", a.Status, a.Remaining())
		}
		s.Send(t).ExpectBody(t, 200, servertest.Sent) // a key used before still works
		if err := s.App.Accounts.SetPlan(context.Background(), s.Email, "business"); err != nil {
			t.Fatal(err)
		}
		s.Send(t).ExpectBody(t, 200, servertest.Sent) // even if it must be read again
		s.Clock.Advance(time.Minute)
		s.Send(t, servertest.WithKey(fresh)).ExpectBody(t, 200, servertest.SentAsTest)
	})

	t.Run("KeysThenShowTheAddressLimit", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.failAuth(t, 60)
		for _, path := range []string{"/api/v1/nothing", servertest.SendPath} {
			a := s.Call(t, "GET", path, nil, servertest.WithKey(s.Secret))
			if a.Header.Get("X-RateLimit-Limit") != "60" || a.Remaining() != 0 {
				t.Errorf("%d: %v", a.Status, a.Header)
			}
		}
	})

	t.Run("WindowEndsAMinuteAfterTheFirst", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.failAuth(t, 1)
		s.Clock.Advance(59 * time.Second)
		s.failAuth(t, 59)
		s.Clock.Advance(time.Second - time.Nanosecond)
		if left := s.failuresLeft(t); left != 0 {
			t.Errorf("%d left", left)
		}
		s.Clock.Advance(time.Nanosecond)
		if left := s.failuresLeft(t); left != 60 {
			t.Errorf("%d left after a minute, want 60", left)
		}
		if a := s.failAuth(t, 1); a.Remaining() != 59 {
			t.Errorf("%d remaining in the new minute", a.Remaining())
		}
	})

	t.Run("EndWhenTheClockIsSetBack", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.failAuth(t, 60)
		s.Clock.Advance(-time.Hour)
		if left := s.failuresLeft(t); left != 60 {
			t.Errorf("%d left", left)
		}
	})

	t.Run("OnlyFailuresCount", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.Send(t)
		s.Post(t, `{}`)
		s.Call(t, "GET", "/api/v1/nothing", nil, servertest.WithKey("wrong"))
		s.Call(t, "GET", servertest.SendPath, nil, servertest.WithKey("wrong"))
		s.SetKeyEnabled(t, false)
		s.Send(t).Expect(t, 403, "key_disabled")
		if left := s.failuresLeft(t); left != 60 {
			t.Errorf("%d left", left)
		}
	})
}

func TestClientAddress(t *testing.T) {
	t.Run("IsThePeerWithoutTrustedProxies", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		for i := range 5 {
			s.failAuth(t, 1, servertest.From(fmt.Sprintf("203.0.113.%d", i)))
		}
		if left := s.failuresLeft(t, servertest.From("203.0.113.99")); left != 55 {
			t.Errorf("%d left, want 55: X-Forwarded-For of an untrusted peer was used", left)
		}
	})

	for _, row := range []struct{ name, failing, looking string }{
		{"NamedByTheProxy", "203.0.113.9", "203.0.113.9"},
		{"NearestUntrusted", "203.0.113.9", "198.51.100.1, 203.0.113.9, 10.1.2.3"},
		{"ForgedEntryIsIgnored", "1.1.1.1, 203.0.113.9", "2.2.2.2, 203.0.113.9"},
		{"ForgedProxyIsIgnored", "10.9.9.9, 203.0.113.9", "203.0.113.9"},
		{"SpacesDoNotMatter", " 203.0.113.9 ", "203.0.113.9,10.0.0.1"},
		{"MappedIPv4IsIPv4", "::ffff:203.0.113.9", "203.0.113.9"},
		{"ZoneIsIgnored", "2001:db8::1%eth0", "2001:db8::1"},
		{"OneIPv6NetworkOf64Bits", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2:ffff::1"},
		{"GarbageCountsForTheLastProxy", "nonsense", "1.1.1.1, also nonsense"},
		{"GarbageCountsForTheNearestProxy", "nonsense, 10.1.1.1", "more, 10.1.1.1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newShop(t, db.Growth, 1000, servertest.BehindProxy)
			s.failAuth(t, 7, servertest.From(row.failing))
			if left := s.failuresLeft(t, servertest.From(row.looking)); left != 53 {
				t.Errorf("%d left, want 53: the same address", left)
			}
		})
	}

	for _, row := range []struct{ name, failing, looking string }{
		{"OtherAddress", "203.0.113.9", "203.0.113.10"},
		{"OtherIPv6Network", "2001:db8:1:2::1", "2001:db8:1:3::1"},
		{"SpoofedVictim", "203.0.113.9, 198.51.100.1", "203.0.113.9"},
		{"Proxy", "203.0.113.9", ""},
	} {
		t.Run(row.name+"IsNotTheSame", func(t *testing.T) {
			s := newShop(t, db.Growth, 1000, servertest.BehindProxy)
			s.failAuth(t, 7, servertest.From(row.failing))
			if left := s.failuresLeft(t, servertest.From(row.looking)); left != 60 {
				t.Errorf("%d left, want 60: another address", left)
			}
		})
	}

	t.Run("HeaderInSeveralLines", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000, servertest.BehindProxy)
		s.failAuth(t, 7, servertest.From("203.0.113.9"))
		a := s.Call(t, "GET", "/api/v1/pricing", nil, func(r *http.Request) {
			r.Header["X-Forwarded-For"] = []string{"1.1.1.1", "203.0.113.9", "10.0.0.1"}
		})
		if a.Remaining() != 53 {
			t.Errorf("%d left", a.Remaining())
		}
	})
}

// Answers outside keyed routes show a valid key its own limits and count nothing (A6).
func TestUnkeyedRoutesShowTheKeysLimits(t *testing.T) {
	s := newShop(t, db.Free, 1000)
	expectOwn := func(t *testing.T, a servertest.Answer, remaining int) {
		t.Helper()
		if a.Header.Get("X-RateLimit-Limit") != "5" || a.Remaining() != remaining {
			t.Errorf("%d: want the key's %d of 5: %v", a.Status, remaining, a.Header)
		}
	}
	unused := s.Call(t, "GET", "/api/v1/nothing", nil, servertest.WithKey(s.Secret))
	expectOwn(t, unused, 5)
	if unused.Header.Get("X-RateLimit-Reset") != fmt.Sprint(s.Clock.Now().Unix()) {
		t.Errorf("Reset %s without an open minute", unused.Header.Get("X-RateLimit-Reset"))
	}
	s.Send(t)
	s.Send(t)
	for range 7 {
		expectOwn(t, s.Call(t, "GET", "/api/v1/nothing", nil, servertest.WithKey(s.Secret)), 3)
		expectOwn(t, s.Call(t, "GET", servertest.SendPath, nil, servertest.WithKey(s.Secret)), 3)
	}
	if m := s.Meter(t); m.WindowUsed != 2 || m.MonthUsed != 2 {
		t.Errorf("meter %+v", m)
	}
	a := s.Call(t, "GET", "/api/v1/nothing", nil, servertest.WithKey("wrong"))
	if a.Header.Get("X-RateLimit-Limit") != "60" || a.Remaining() != 60 {
		t.Errorf("want the address's 60 of 60: %v", a.Header)
	}
}
