package engine

import (
	"sync"
	"time"
)

const (
	// deferDelay is how long a deferred statement waits for a batch at most, before
	// the writer runs a batch for it.
	deferDelay = 200 * time.Millisecond
	// deferChunk is the number of statements at which the next batch runs them
	// without waiting for the delay.
	deferChunk = 32
	// deferBatch bounds how many statements lengthen one batch.
	deferBatch = 1_000
	// deferLimit bounds the memory of statements while nothing can be written.
	deferLimit = 10_000
)

// statement is a query with its arguments.
type statement struct {
	query *Query
	args  []any
}

// deferred holds statements until a batch runs them.
type deferred struct {
	mu      sync.Mutex
	pending []statement
	late    bool // deferDelay has passed since the first of pending came
	timer   *time.Timer
	wake    func() // wakes the writer
}

func (d *deferred) add(q *Query, args []any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.pending) >= deferLimit {
		return
	}
	d.pending = append(d.pending, statement{q, args})
	if len(d.pending) == 1 {
		d.restartDelay()
	}
}

func (d *deferred) expire() {
	d.mu.Lock()
	d.late = true
	d.mu.Unlock()
	d.wake()
}

// due reports whether statements should run even if no update waits.
func (d *deferred) due() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.late && len(d.pending) > 0
}

func (d *deferred) size() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.pending)
}

// ready returns the statements that the current batch should run: none before
// their delay has passed, unless they are a chunk or all is set.
func (d *deferred) ready(all bool) []statement {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !all && !d.late && len(d.pending) < deferChunk {
		return nil
	}
	n := min(len(d.pending), deferBatch)
	return d.pending[:n:n]
}

// committed drops the first n statements after their batch was committed.
func (d *deferred) committed(n int) {
	if n == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending = append([]statement(nil), d.pending[n:]...)
	if d.restartDelay(); len(d.pending) >= deferChunk {
		d.late = true // a backlog continues without a pause
	}
}

// postpone keeps the statements for a later batch after one has failed.
func (d *deferred) postpone() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.late {
		d.restartDelay()
	}
}

// restartDelay starts the delay of what is pending, and stops that of statements
// which are gone.
func (d *deferred) restartDelay() {
	d.late = false
	if d.timer != nil {
		d.timer.Stop()
	}
	if len(d.pending) > 0 {
		d.timer = time.AfterFunc(deferDelay, d.expire)
	}
}
