package fairqueue

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"
)

// slice is how long work that can stop keeps its slot while others wait for it: it delays a
// question hardly more than another question does.
const slice = 20 * time.Millisecond

// turn is the slot of some work. It is used by the work's goroutine alone.
type turn struct {
	queue   *Queue
	kind    Kind
	account string
	release func() // nil while the slot is given back
	since   time.Time
}

type turnKey struct{}

// Do waits for a slot and runs fn in it, with a context for Yield and Outside. Fn runs in the
// background: on Linux on a thread of lower priority, so that short calls go first. Work that
// has a slot already, by ctx, runs in that one, so that none waits for itself. Do returns fn's
// error, or that of Acquire, and passes on its panic.
func (q *Queue) Do(ctx context.Context, kind Kind, account string, fn func(context.Context) error) error {
	if t, ok := ctx.Value(turnKey{}).(*turn); ok && t.queue == q {
		return fn(ctx)
	}
	t := &turn{queue: q, kind: kind, account: account}
	if err := t.begin(ctx); err != nil {
		return err
	}
	defer t.end()
	return inBackground(func() error { return fn(context.WithValue(ctx, turnKey{}, t)) })
}

// Yield gives the slot of ctx to others, if some wait for it and the work has had it for a
// slice, and waits until it is its turn again. Work without a slot goes on. The error is that
// of ctx. The caller must hold nothing that others with a slot may wait for.
func Yield(ctx context.Context) error {
	t, ok := ctx.Value(turnKey{}).(*turn)
	if !ok || time.Since(t.since) < slice || !t.queue.isWanted() {
		return ctx.Err()
	}
	t.end()
	return t.begin(ctx)
}

// Outside runs fn, which waits for something and uses no core, without the slot of ctx. The
// error is that of ctx, if it ends before the work has a slot again.
func Outside(ctx context.Context, fn func()) error {
	t, ok := ctx.Value(turnKey{}).(*turn)
	if !ok {
		fn()
		return nil
	}
	t.end()
	fn()
	return t.begin(ctx)
}

func (t *turn) begin(ctx context.Context) (err error) {
	t.release, err = t.queue.Acquire(ctx, t.kind, t.account)
	t.since = time.Now()
	return err
}

func (t *turn) end() {
	if t.release != nil {
		t.release()
		t.release = nil
	}
}

// inBackground runs fn on a goroutine that keeps its thread, which ends with it: without
// privileges a thread cannot have its priority back.
func inBackground(fn func() error) (err error) {
	var panicked any
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				panicked = fmt.Errorf("%v\n\n%s", v, debug.Stack())
			}
		}()
		runtime.LockOSThread()
		lowerPriority()
		err = fn()
	}()
	<-done
	if panicked != nil {
		panic(panicked)
	}
	return err
}
