package gate

import (
	"net/netip"
	"sync"
	"time"
)

const (
	// failuresPerMinute is how many failed authentications an address has (A6).
	failuresPerMinute = 60
	maxAddresses      = 100_000
)

// addresses counts failed authentications, in the memory of this process.
type addresses struct {
	mu     sync.Mutex
	failed map[netip.Addr]failures
}

type failures struct {
	since time.Time
	count int64
}

func newAddresses() *addresses { return &addresses{failed: map[netip.Addr]failures{}} }

// standing is what an address may still fail.
func (a *addresses) standing(address netip.Addr, now time.Time) standing {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.current(network(address), now).standing(now)
}

// fail counts one failed authentication.
func (a *addresses) fail(address netip.Addr, now time.Time) standing {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := network(address)
	f := a.current(key, now)
	if f.count == 0 {
		a.makeRoom(now)
	}
	if f.count < failuresPerMinute {
		f.count++
		a.failed[key] = f
	}
	return f.standing(now)
}

func (a *addresses) current(key netip.Addr, now time.Time) failures {
	if f, ok := a.failed[key]; ok && f.open(now) {
		return f
	}
	return failures{since: now}
}

// makeRoom keeps the table within its bound. It looks at a few addresses only,
// since it runs for each failure of an attack from very many: those that are over
// go, and if there is none, any.
func (a *addresses) makeRoom(now time.Time) {
	if len(a.failed) < maxAddresses {
		return
	}
	var last netip.Addr
	looked := 0
	for key, f := range a.failed {
		if f.open(now) {
			last = key
		} else {
			delete(a.failed, key)
		}
		if looked++; looked == 16 {
			break
		}
	}
	if len(a.failed) >= maxAddresses {
		delete(a.failed, last)
	}
}

// open says that the minute of the failures is not over. One that begins in the
// future (clock set back) is.
func (f failures) open(now time.Time) bool {
	age := now.Sub(f.since)
	return age >= 0 && age < time.Minute
}

func (f failures) standing(now time.Time) standing {
	s := standing{limit: failuresPerMinute, remaining: failuresPerMinute - f.count, reset: now}
	if f.count > 0 {
		s.reset = f.since.Add(time.Minute)
	}
	return s
}

// network is the address, or for IPv6 its /64: one customer has all of it.
func network(address netip.Addr) netip.Addr {
	if !address.Is6() || address.Is4In6() {
		return address.Unmap()
	}
	prefix, err := address.Prefix(64)
	if err != nil {
		return address
	}
	return prefix.Addr()
}
