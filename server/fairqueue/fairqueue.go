// Package fairqueue bounds how much heavy work runs at once, and lets accounts take turns.
package fairqueue

import (
	"context"
	"slices"
	"sync"
)

// Line is where work waits that keeps a core busy or takes memory. Whoever has to wait is
// served in turn with other accounts, so that one that sends a thousand requests makes
// nobody wait but itself.
type Line struct {
	mu      sync.Mutex
	free    int
	waiting map[string][]chan struct{} // by account; closed when its turn has come
	order   []string                   // accounts that wait, the next one first
}

// New makes a line in which so many are served at once.
func New(atOnce int) *Line {
	return &Line{free: atOnce, waiting: map[string][]chan struct{}{}}
}

// Take waits for a turn, and returns how it is given back.
func (l *Line) Take(ctx context.Context, account string) (done func(), err error) {
	ready := l.enter(account)
	select {
	case <-ready:
		return l.release, nil
	case <-ctx.Done():
		l.leave(account, ready)
		return nil, ctx.Err()
	}
}

func (l *Line) enter(account string) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	ready := make(chan struct{})
	if l.free > 0 {
		l.free--
		close(ready)
		return ready
	}
	if len(l.waiting[account]) == 0 {
		l.order = append(l.order, account)
	}
	l.waiting[account] = append(l.waiting[account], ready)
	return ready
}

// leave gives up waiting, or the turn that came at the same moment.
func (l *Line) leave(account string, ready chan struct{}) {
	l.mu.Lock()
	at := slices.Index(l.waiting[account], ready)
	if at >= 0 {
		l.remove(account, at)
	}
	l.mu.Unlock()
	if at < 0 {
		l.release()
	}
}

// remove takes one out of the waiting of an account.
func (l *Line) remove(account string, at int) {
	l.waiting[account] = slices.Delete(l.waiting[account], at, at+1)
	if len(l.waiting[account]) == 0 {
		delete(l.waiting, account)
		l.order = slices.DeleteFunc(l.order, func(other string) bool { return other == account })
	}
}

// release hands the turn on to the next account.
func (l *Line) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.order) == 0 {
		l.free++
		return
	}
	account := l.order[0]
	ready := l.waiting[account][0]
	l.order = append(l.order[1:], account)
	l.remove(account, 0)
	close(ready)
}
