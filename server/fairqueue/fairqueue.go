// Package fairqueue bounds how much heavy work runs at once and serves kinds of work, and in
// each kind accounts, round-robin.
package fairqueue

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
)

// Kind is a kind of work. Kinds take turns, so that many photos do not delay a question.
type Kind string

// The kinds.
const (
	Questions Kind = "questions"
	Photos    Kind = "photos"
	Insights  Kind = "insights" // evaluations of a shop's rules
	Files     Kind = "files"    // imports, and looks at what they would do
	// Passwords of callers who have signed in before or have proved an address, and those of
	// all others.
	KnownPasswords Kind = "known passwords"
	Passwords      Kind = "passwords"
)

// Bounds limit how many wait in a kind.
type Bounds struct {
	Waiting int // in all
	Each    int // of one account
}

// ErrFull: as many wait in the kind as its Bounds allow.
var ErrFull = errors.New("too many wait already")

// Queue holds back work that keeps a core busy or takes much memory. Kinds, and in a kind the
// accounts, are served round-robin, so an account that sends a thousand requests delays only
// its own.
type Queue struct {
	bounds map[Kind]Bounds

	mu    sync.Mutex
	free  int     // slots
	lines []*line // with waiters, the next one first
}

// line is the waiters of one kind.
type line struct {
	kind    Kind
	waiting map[string][]chan struct{} // by account, first come first; closed when the waiter gets a slot
	order   []string                   // accounts in waiting, the next one first
	count   int                        // of waiters
}

// New returns a queue with the given number of slots.
func New(slots int) *Queue { return &Queue{free: slots} }

// Bounded returns a queue in which only so many of each kind may wait. A kind without bounds
// has as many waiters as come.
func Bounded(slots int, bounds map[Kind]Bounds) *Queue { return &Queue{free: slots, bounds: bounds} }

// ForProcess returns the queue of a process that does its heavy work with all cores but one,
// which is left to the calls that take no time. On a single core they share it.
func ForProcess() *Queue { return New(max(runtime.GOMAXPROCS(0)-1, 1)) }

// Acquire waits for a slot. The caller must call release once its work is done. The error
// is that of ctx, or ErrFull.
func (q *Queue) Acquire(ctx context.Context, kind Kind, account string) (release func(), err error) {
	ready := q.enqueue(kind, account)
	if ready == nil {
		return nil, ErrFull
	}
	select {
	case <-ready:
		return q.release, nil
	case <-ctx.Done():
		q.abandon(kind, account, ready)
		return nil, ctx.Err()
	}
}

// enqueue returns a channel that is closed when the waiter gets a slot, or nil if the kind is
// full.
func (q *Queue) enqueue(kind Kind, account string) chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	ready := make(chan struct{})
	if q.free > 0 {
		q.free--
		close(ready)
		return ready
	}
	i := q.index(kind)
	if i < 0 {
		i = len(q.lines)
		q.lines = append(q.lines, &line{kind: kind, waiting: map[string][]chan struct{}{}})
	}
	if b, bounded := q.bounds[kind]; bounded && !q.lines[i].hasRoom(account, b) {
		return nil
	}
	q.lines[i].add(account, ready)
	return ready
}

// isWanted reports whether somebody waits for a slot.
func (q *Queue) isWanted() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.lines) > 0
}

// Waiting returns how many wait in a kind.
func (q *Queue) Waiting(kind Kind) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := q.index(kind); i >= 0 {
		return q.lines[i].count
	}
	return 0
}

// index returns the place of the kind's line, -1 if nobody waits in it. The caller holds mu.
func (q *Queue) index(kind Kind) int {
	return slices.IndexFunc(q.lines, func(l *line) bool { return l.kind == kind })
}

// abandon stops waiting. If the slot was granted at the same moment, it is released.
func (q *Queue) abandon(kind Kind, account string, ready chan struct{}) {
	if !q.leave(kind, account, ready) {
		q.release()
	}
}

// leave reports whether the waiter was still waiting.
func (q *Queue) leave(kind Kind, account string, ready chan struct{}) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := q.index(kind)
	if i < 0 {
		return false
	}
	l := q.lines[i]
	at := slices.Index(l.waiting[account], ready)
	if at < 0 {
		return false
	}
	l.remove(account, at)
	if len(l.order) == 0 {
		q.lines = slices.Delete(q.lines, i, i+1)
	}
	return true
}

// release grants the slot to the first waiter of the next account of the next kind, or frees
// it.
func (q *Queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lines) == 0 {
		q.free++
		return
	}
	l := q.lines[0]
	close(l.next())
	q.lines = q.lines[1:]
	if len(l.order) > 0 {
		q.lines = append(q.lines, l)
	}
}

func (l *line) hasRoom(account string, b Bounds) bool {
	return l.count < b.Waiting && len(l.waiting[account]) < b.Each
}

func (l *line) add(account string, ready chan struct{}) {
	l.count++
	if len(l.waiting[account]) == 0 {
		l.order = append(l.order, account)
	}
	l.waiting[account] = append(l.waiting[account], ready)
}

// next removes and returns the first waiter of the next account.
func (l *line) next() chan struct{} {
	account := l.order[0]
	ready := l.waiting[account][0]
	l.order = append(l.order[1:], account)
	l.remove(account, 0)
	return ready
}

// remove deletes the waiter i of an account.
func (l *line) remove(account string, i int) {
	l.count--
	l.waiting[account] = slices.Delete(l.waiting[account], i, i+1)
	if len(l.waiting[account]) == 0 {
		delete(l.waiting, account)
		l.order = slices.DeleteFunc(l.order, func(other string) bool { return other == account })
	}
}
