package db

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// A member of a batch is waiting until its goroutine takes it, or until its
// caller gives up. Whoever moves it away from waiting first has decided.
const (
	waiting int32 = iota
	taken
	gone
)

// member is one View, Update or RelaxedUpdate on its way through a line.
type member struct {
	fn       func(*Tx) error
	durable  bool
	state    atomic.Int32
	done     chan struct{}
	err      error
	panicked any
}

// run calls the member's function and keeps its panic for the caller.
func (m *member) run(tx *Tx) {
	defer func() {
		if v := recover(); v != nil {
			m.panicked = fmt.Errorf("%v\n\n%s", v, debug.Stack())
		}
	}()
	m.err = m.fn(tx)
}

func (m *member) failed() bool { return m.err != nil || m.panicked != nil }

// line is where members wait for the goroutine that owns a connection.
type line struct {
	mu      sync.Mutex
	waiting []*member
	closed  bool
	wake    chan struct{} // of one: a second wake-up says nothing new
}

func newLine() *line { return &line{wake: make(chan struct{}, 1)} }

// join waits for its turn and for its outcome. ctx bounds only the wait: what
// has been taken runs to its end, and join tells how it ended.
func (l *line) join(ctx context.Context, m *member) error {
	m.done = make(chan struct{})
	if !l.add(m) {
		return ErrClosed
	}

	select {
	case <-m.done:
	case <-ctx.Done():
		if m.state.CompareAndSwap(waiting, gone) {
			return ctx.Err()
		}
		<-m.done
	}
	if m.panicked != nil {
		panic(m.panicked)
	}
	return m.err
}

func (l *line) add(m *member) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.waiting = append(l.waiting, m)
	l.rouse()
	return true
}

func (l *line) rouse() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// take removes up to maxBatch members that still wait, none only when nobody does.
func (l *line) take() []*member {
	l.mu.Lock()
	defer l.mu.Unlock()

	batch := make([]*member, 0, min(len(l.waiting), maxBatch))
	seen := 0
	for _, m := range l.waiting {
		if len(batch) == maxBatch {
			break
		}
		if seen++; m.state.CompareAndSwap(waiting, taken) {
			batch = append(batch, m)
		}
	}
	l.waiting = append([]*member(nil), l.waiting[seen:]...)
	return batch
}

// close refuses new members; those that wait are still served.
func (l *line) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.rouse()
}

func (l *line) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed && len(l.waiting) == 0
}
