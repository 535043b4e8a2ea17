package scan

import (
	"context"
	"slices"
	"sync"
)

// turns bound how many photos are decoded and read at once, which keeps a core busy and
// takes memory. Whoever has to wait is served in turn with other accounts, so that one
// that sends a thousand photos makes nobody wait but itself.
type turns struct {
	mu      sync.Mutex
	free    int
	waiting map[string][]chan struct{} // by account; closed when its turn has come
	order   []string                   // accounts that wait, the next one first
}

func newTurns(atOnce int) *turns {
	return &turns{free: atOnce, waiting: map[string][]chan struct{}{}}
}

// take waits for a turn, and returns how it is given back.
func (t *turns) take(ctx context.Context, account string) (done func(), err error) {
	ready := t.enter(account)
	select {
	case <-ready:
		return t.release, nil
	case <-ctx.Done():
		t.leave(account, ready)
		return nil, ctx.Err()
	}
}

func (t *turns) enter(account string) chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	ready := make(chan struct{})
	if t.free > 0 {
		t.free--
		close(ready)
		return ready
	}
	if len(t.waiting[account]) == 0 {
		t.order = append(t.order, account)
	}
	t.waiting[account] = append(t.waiting[account], ready)
	return ready
}

// leave gives up waiting, or the turn that came at the same moment.
func (t *turns) leave(account string, ready chan struct{}) {
	t.mu.Lock()
	at := slices.Index(t.waiting[account], ready)
	if at >= 0 {
		t.remove(account, at)
	}
	t.mu.Unlock()
	if at < 0 {
		t.release()
	}
}

// remove takes one out of the waiting of an account.
func (t *turns) remove(account string, at int) {
	t.waiting[account] = slices.Delete(t.waiting[account], at, at+1)
	if len(t.waiting[account]) == 0 {
		delete(t.waiting, account)
		t.order = slices.DeleteFunc(t.order, func(other string) bool { return other == account })
	}
}

// release hands the turn on to the next account.
func (t *turns) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.order) == 0 {
		t.free++
		return
	}
	account := t.order[0]
	ready := t.waiting[account][0]
	t.order = append(t.order[1:], account)
	t.remove(account, 0)
	close(ready)
}
