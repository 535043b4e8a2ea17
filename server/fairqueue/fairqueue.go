// Package fairqueue bounds how much heavy work runs at once and serves accounts round-robin.
package fairqueue

import (
	"context"
	"slices"
	"sync"
)

// Queue holds back work that keeps a core busy or takes much memory. Accounts that wait
// are served round-robin, so an account that sends a thousand requests delays only its own.
type Queue struct {
	mu      sync.Mutex
	free    int                        // slots
	waiting map[string][]chan struct{} // by account, first come first; closed when the waiter gets a slot
	order   []string                   // accounts in waiting, the next one first
}

// New returns a queue with the given number of slots.
func New(slots int) *Queue {
	return &Queue{free: slots, waiting: map[string][]chan struct{}{}}
}

// Acquire waits for a slot. The caller must call release once its work is done. The error
// is that of ctx.
func (q *Queue) Acquire(ctx context.Context, account string) (release func(), err error) {
	ready := q.enqueue(account)
	select {
	case <-ready:
		return q.release, nil
	case <-ctx.Done():
		q.abandon(account, ready)
		return nil, ctx.Err()
	}
}

func (q *Queue) enqueue(account string) chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	ready := make(chan struct{})
	if q.free > 0 {
		q.free--
		close(ready)
		return ready
	}
	if len(q.waiting[account]) == 0 {
		q.order = append(q.order, account)
	}
	q.waiting[account] = append(q.waiting[account], ready)
	return ready
}

// abandon stops waiting. If the slot was granted at the same moment, it is released.
func (q *Queue) abandon(account string, ready chan struct{}) {
	q.mu.Lock()
	i := slices.Index(q.waiting[account], ready)
	if i >= 0 {
		q.remove(account, i)
	}
	q.mu.Unlock()
	if i < 0 {
		q.release()
	}
}

// remove deletes the waiter i of an account. The caller holds mu.
func (q *Queue) remove(account string, i int) {
	q.waiting[account] = slices.Delete(q.waiting[account], i, i+1)
	if len(q.waiting[account]) == 0 {
		delete(q.waiting, account)
		q.order = slices.DeleteFunc(q.order, func(other string) bool { return other == account })
	}
}

// release grants the slot to the first waiter of the next account, or frees it.
func (q *Queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.order) == 0 {
		q.free++
		return
	}
	account := q.order[0]
	ready := q.waiting[account][0]
	q.order = append(q.order[1:], account)
	q.remove(account, 0)
	close(ready)
}
