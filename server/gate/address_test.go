package gate

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"time"
)

func TestAddressesStayWithinTheirBound(t *testing.T) {
	nth := func(i int) netip.Addr {
		var raw [4]byte
		binary.BigEndian.PutUint32(raw[:], uint32(i))
		return netip.AddrFrom4(raw)
	}
	now := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)
	a := newAddresses()
	for i := range maxAddresses + 1000 {
		if s := a.fail(nth(i), now); s.remaining != failuresPerMinute-1 {
			t.Fatalf("address %d has %d left", i, s.remaining)
		}
	}
	if n := len(a.failed); n != maxAddresses {
		t.Errorf("%d addresses are kept, want %d", n, maxAddresses)
	}

	// What is over goes before what is not.
	later := now.Add(time.Minute)
	for i := range 1000 {
		a.fail(nth(-1-i), later)
	}
	for i := range 1000 {
		if s := a.standing(nth(-1-i), later); s.remaining != failuresPerMinute-1 {
			t.Errorf("a failure was forgotten: %d left", s.remaining)
		}
	}
	if n := len(a.failed); n > maxAddresses {
		t.Errorf("%d addresses are kept", n)
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
		if got := network(netip.MustParseAddr(address)); got.String() != want {
			t.Errorf("%s is of %s, want %s", address, got, want)
		}
	}
	if got := network(netip.Addr{}); got.IsValid() {
		t.Errorf("no address is of %s", got)
	}
}
