// Package throttle counts failures (of keys, of passwords) in the memory of this
// process, within a bound.
package throttle

import (
	"net/netip"
	"sync"
	"time"
)

// Failures counts what has failed for each K: at most limit in a window, which
// begins with the first failure after the last one ended.
type Failures[K comparable] struct {
	limit    int64
	window   time.Duration
	capacity int

	mu     sync.Mutex
	failed map[K]failures
}

type failures struct {
	since time.Time
	count int64
}

// Standing is what K may still fail.
type Standing struct {
	Limit     int64
	Remaining int64
	Reset     time.Time // when all of Limit is there again
}

// New makes a counter that keeps at most capacity of K.
func New[K comparable](limit int64, window time.Duration, capacity int) *Failures[K] {
	return &Failures[K]{limit: limit, window: window, capacity: capacity, failed: map[K]failures{}}
}

// Standing is what key may still fail.
func (f *Failures[K]) Standing(key K, now time.Time) Standing {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.standing(f.current(key, now), now)
}

// Fail counts one failure.
func (f *Failures[K]) Fail(key K, now time.Time) Standing {
	f.mu.Lock()
	defer f.mu.Unlock()
	current := f.current(key, now)
	if current.count == 0 {
		f.makeRoom(now)
	}
	if current.count < f.limit {
		current.count++
		f.failed[key] = current
	}
	return f.standing(current, now)
}

// Forgive takes one failure back: what was counted before it was tried went well.
func (f *Failures[K]) Forgive(key K, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	current := f.current(key, now)
	if current.count--; current.count <= 0 {
		delete(f.failed, key)
		return
	}
	f.failed[key] = current
}

// Forget takes all failures of key back.
func (f *Failures[K]) Forget(key K) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.failed, key)
}

func (f *Failures[K]) current(key K, now time.Time) failures {
	if current, ok := f.failed[key]; ok && f.open(current, now) {
		return current
	}
	return failures{since: now}
}

// makeRoom keeps the table within its bound. It looks at a few keys only, since it
// runs for each failure of an attack from very many: those that are over go, and
// if there is none, any.
func (f *Failures[K]) makeRoom(now time.Time) {
	if len(f.failed) < f.capacity {
		return
	}
	var last K
	looked := 0
	for key, current := range f.failed {
		if f.open(current, now) {
			last = key
		} else {
			delete(f.failed, key)
		}
		if looked++; looked == 16 {
			break
		}
	}
	if len(f.failed) >= f.capacity {
		delete(f.failed, last)
	}
}

// open says that the window is not over. One that begins in the future (clock set
// back) is.
func (f *Failures[K]) open(current failures, now time.Time) bool {
	age := now.Sub(current.since)
	return age >= 0 && age < f.window
}

func (f *Failures[K]) standing(current failures, now time.Time) Standing {
	s := Standing{Limit: f.limit, Remaining: f.limit - current.count, Reset: now}
	if current.count > 0 {
		s.Reset = current.since.Add(f.window)
	}
	return s
}

// Network is the address, or for IPv6 its /64: one customer has all of it.
func Network(address netip.Addr) netip.Addr {
	if !address.Is6() || address.Is4In6() {
		return address.Unmap()
	}
	prefix, err := address.Prefix(64)
	if err != nil {
		return address
	}
	return prefix.Addr()
}
