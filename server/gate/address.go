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
	f, ok := a.failed[key]
	if age := now.Sub(f.since); ok && age >= 0 && age < time.Minute {
		return f
	}
	return failures{since: now}
}

// makeRoom keeps the table within its bound: first what is over goes, then, under
// attack from very many addresses, any.
func (a *addresses) makeRoom(now time.Time) {
	if len(a.failed) < maxAddresses {
		return
	}
	for key, f := range a.failed {
		if age := now.Sub(f.since); age < 0 || age >= time.Minute {
			delete(a.failed, key)
		}
	}
	for key := range a.failed {
		if len(a.failed) < maxAddresses {
			return
		}
		delete(a.failed, key)
	}
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
