package gate

import (
	"context"
	"sync"
	"time"

	"svc/db"
)

const (
	// maxWait is how long a twin waits for the call that came first (B4).
	maxWait = 30 * time.Second
	// pollEvery is the interval at which a waiting call looks at its twin, which may run
	// in another process.
	pollEvery = 50 * time.Millisecond
)

// waiters are woken when a call of this process settles.
type waiters struct {
	mu    sync.Mutex
	calls map[string]*waited
}

type waited struct {
	done    chan struct{}
	waiting int
}

func newWaiters() *waiters { return &waiters{calls: map[string]*waited{}} }

// on returns a channel that is closed when the call settles, and a function that stops
// waiting.
func (ws *waiters) on(callID string) (done <-chan struct{}, leave func()) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	w, ok := ws.calls[callID]
	if !ok {
		w = &waited{done: make(chan struct{})}
		ws.calls[callID] = w
	}
	w.waiting++
	return w.done, func() { ws.leave(callID, w) }
}

func (ws *waiters) leave(callID string, w *waited) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if w.waiting--; w.waiting == 0 && ws.calls[callID] == w {
		delete(ws.calls, callID)
	}
}

func (ws *waiters) wake(callID string) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if w, ok := ws.calls[callID]; ok {
		close(w.done)
		delete(ws.calls, callID)
	}
}

// await waits until the call is not running any more, at most until the deadline. It
// reports whether the call is over.
func (g *Gate) await(ctx context.Context, c db.Call, deadline time.Time) (bool, error) {
	settled, leave := g.waiters.on(c.ID)
	defer leave()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()

	for {
		over, err := g.isOver(ctx, c)
		if over || err != nil {
			return over, err
		}
		if !g.now().Before(deadline) {
			return false, nil
		}
		select {
		case <-settled:
			return true, nil
		case <-poll.C:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

func (g *Gate) isOver(ctx context.Context, c db.Call) (over bool, err error) {
	err = g.Store.View(ctx, func(tx *db.Tx) error {
		now, err := tx.PeekCall(c.KeyID, c.IdemHash)
		if err != nil {
			over = true
			return ignoreNotFound(err)
		}
		over = now.ID != c.ID || !now.Open() || now.LeaseOver(tx.Now())
		return nil
	})
	return over, err
}
