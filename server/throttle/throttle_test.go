package throttle

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"
)

const (
	limit    = 60
	capacity = 10_000
)

func TestLimiterStaysWithinCapacity(t *testing.T) {
	nth := func(i int) netip.Addr {
		var raw [4]byte
		binary.BigEndian.PutUint32(raw[:], uint32(i))
		return netip.AddrFrom4(raw)
	}
	now := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	l := New[netip.Addr](limit, time.Minute, capacity)
	for i := range capacity + 1000 {
		if s := l.Fail(nth(i), now); s.Remaining != limit-1 {
			t.Fatalf("address %d has %d left, want %d", i, s.Remaining, limit-1)
		}
	}
	if n := len(l.counters); n != capacity {
		t.Errorf("%d addresses are kept, want %d", n, capacity)
	}

	// Keys whose window is over are deleted before others.
	later := now.Add(time.Minute)
	for i := range 1000 {
		l.Fail(nth(-1-i), later)
	}
	for i := range 1000 {
		if s := l.Standing(nth(-1-i), later); s.Remaining != limit-1 {
			t.Errorf("a failure was forgotten: %d left", s.Remaining)
		}
	}
	if n := len(l.counters); n > capacity {
		t.Errorf("%d addresses are kept, want at most %d", n, capacity)
	}
}

func TestNetwork(t *testing.T) {
	for address, want := range map[string]string{
		"203.0.113.9":          "203.0.113.9",
		"::ffff:203.0.113.9":   "203.0.113.9",
		"2001:db8:1:2:3:4:5:6": "2001:db8:1:2::",
		"fe80::1%eth0":         "fe80::",
		"::1":                  "::",
	} {
		if got := Network(netip.MustParseAddr(address)); got.String() != want {
			t.Errorf("Network(%s) = %s, want %s", address, got, want)
		}
	}
	if got := Network(netip.Addr{}); got.IsValid() {
		t.Errorf("Network of the zero address = %s, want an invalid one", got)
	}
}

func TestUndo(t *testing.T) {
	now := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	l := New[string](3, time.Minute, capacity)
	for i := range 3 {
		if s := l.Fail("a", now); s.Remaining != int64(2-i) {
			t.Fatalf("%d left", s.Remaining)
		}
	}
	l.Undo("a", now)
	if s := l.Standing("a", now); s.Remaining != 1 || s.Reset != now.Add(time.Minute) {
		t.Errorf("%+v after one of three was taken back", s)
	}
	l.Undo("a", now)
	l.Undo("a", now)
	l.Undo("a", now)
	if s := l.Standing("a", now); s.Remaining != 3 || len(l.counters) != 0 {
		t.Errorf("%+v after all were taken back", s)
	}
	if s := l.Standing("b", now); s.Remaining != 3 {
		t.Errorf("another key has %d left", s.Remaining)
	}
}
