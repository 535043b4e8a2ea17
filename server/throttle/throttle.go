// Package throttle counts failures (of keys, of passwords) in the memory of this
// process, within a bound.
package throttle

import (
	"net/netip"
	"sync"
	"time"
)

// Limiter counts the failures of each key K. A key may fail limit times in a window,
// which begins with its first failure after the last window ended.
type Limiter[K comparable] struct {
	limit    int64
	window   time.Duration
	capacity int // keys in counters

	mu       sync.Mutex
	counters map[K]counter
}

// counter counts the failures of a window.
type counter struct {
	start time.Time
	count int64
}

// Standing is how often a key may still fail.
type Standing struct {
	Limit     int64
	Remaining int64
	Reset     time.Time // when Remaining is Limit again
}

// New returns a limiter that keeps at most capacity keys; beyond that it forgets some.
func New[K comparable](limit int64, window time.Duration, capacity int) *Limiter[K] {
	return &Limiter[K]{limit: limit, window: window, capacity: capacity, counters: map[K]counter{}}
}

// Standing returns how often key may still fail.
func (l *Limiter[K]) Standing(key K, now time.Time) Standing {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.standing(l.current(key, now), now)
}

// Fail counts one failure of key.
func (l *Limiter[K]) Fail(key K, now time.Time) Standing {
	l.mu.Lock()
	defer l.mu.Unlock()
	current := l.current(key, now)
	if current.count == 0 {
		l.makeRoom(now)
	}
	if current.count < l.limit {
		current.count++
		l.counters[key] = current
	}
	return l.standing(current, now)
}

// Undo takes one failure back: an attempt that was counted before it began succeeded.
func (l *Limiter[K]) Undo(key K, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	current := l.current(key, now)
	if current.count--; current.count <= 0 {
		delete(l.counters, key)
		return
	}
	l.counters[key] = current
}

// Reset takes all failures of key back.
func (l *Limiter[K]) Reset(key K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.counters, key)
}

func (l *Limiter[K]) current(key K, now time.Time) counter {
	if current, ok := l.counters[key]; ok && l.open(current, now) {
		return current
	}
	return counter{start: now}
}

// makeRoom keeps counters within capacity. It looks at a few keys only, since an
// attack from very many addresses runs it for each failure: it deletes those whose
// window is over, or if there are none any key.
func (l *Limiter[K]) makeRoom(now time.Time) {
	if len(l.counters) < l.capacity {
		return
	}
	var last K
	looked := 0
	for key, current := range l.counters {
		if l.open(current, now) {
			last = key
		} else {
			delete(l.counters, key)
		}
		if looked++; looked == 16 {
			break
		}
	}
	if len(l.counters) >= l.capacity {
		delete(l.counters, last)
	}
}

// open reports whether the window of a counter is not over. A window that begins in
// the future is: the clock was set back.
func (l *Limiter[K]) open(current counter, now time.Time) bool {
	age := now.Sub(current.start)
	return age >= 0 && age < l.window
}

func (l *Limiter[K]) standing(current counter, now time.Time) Standing {
	s := Standing{Limit: l.limit, Remaining: l.limit - current.count, Reset: now}
	if current.count > 0 {
		s.Reset = current.start.Add(l.window)
	}
	return s
}

// Network returns the address, or for IPv6 its /64, all of which one customer has.
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
