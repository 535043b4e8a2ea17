package engine

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// The states of a request. It is waiting until its goroutine takes it or its
// caller cancels it; the first to change the state wins.
const (
	waiting int32 = iota
	taken
	cancelled
)

// request is one View, Update or RelaxedUpdate in a queue.
type request struct {
	fn       func(*Tx) error
	tx       Tx // set when the request runs
	durable  bool
	state    atomic.Int32
	done     chan struct{}
	err      error
	panicked any
}

// run calls the request's function with a transaction and keeps its panic for the caller.
func (r *request) run(tx Tx) {
	defer func() {
		if v := recover(); v != nil {
			r.panicked = fmt.Errorf("%v\n\n%s", v, debug.Stack())
		}
	}()
	r.tx = tx
	r.err = r.fn(&r.tx)
}

func (r *request) failed() bool { return r.err != nil || r.panicked != nil }

// queue holds requests for the goroutine that owns a connection.
type queue struct {
	mu      sync.Mutex
	waiting []*request
	closed  bool
	wakeup  chan struct{} // buffered with one: a second signal adds nothing
}

func newQueue() *queue { return &queue{wakeup: make(chan struct{}, 1)} }

// do adds the request and returns its outcome. Ctx bounds only the wait: a request
// that was taken runs to its end, and do returns how it ended.
func (q *queue) do(ctx context.Context, r *request) error {
	r.done = make(chan struct{})
	if !q.add(r) {
		return ErrClosed
	}

	select {
	case <-r.done:
	case <-ctx.Done():
		if r.state.CompareAndSwap(waiting, cancelled) {
			return ctx.Err()
		}
		<-r.done
	}
	if r.panicked != nil {
		panic(r.panicked)
	}
	return r.err
}

func (q *queue) add(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.waiting = append(q.waiting, r)
	q.wake()
	return true
}

// wake signals the goroutine that serves the queue and does not block.
func (q *queue) wake() {
	select {
	case q.wakeup <- struct{}{}:
	default:
	}
}

// take removes up to maxBatch waiting requests. It returns none only if none waits.
func (q *queue) take() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()

	batch := make([]*request, 0, min(len(q.waiting), maxBatch))
	seen := 0
	for _, r := range q.waiting {
		if len(batch) == maxBatch {
			break
		}
		if seen++; r.state.CompareAndSwap(waiting, taken) {
			batch = append(batch, r)
		}
	}
	q.waiting = append([]*request(nil), q.waiting[seen:]...)
	return batch
}

// close refuses new requests; those that wait are still served.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake()
}

// drained reports whether the queue is closed and empty.
func (q *queue) drained() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.closed && len(q.waiting) == 0
}
