package db

import (
	"context"
	"errors"
	"sync"
	"time"
)

// maxLongViews is how many long reads run at a time.
const maxLongViews = 2

// longReader keeps the connections of long reads, each its own: they run beside the
// short ones and never before them.
type longReader struct {
	dial  func() (*conn, error)
	clock func() time.Time
	slots chan *conn // nil: one that is not open yet
	ended sync.Once
}

func newLongReader(dial func() (*conn, error), clock func() time.Time) *longReader {
	r := &longReader{dial: dial, clock: clock, slots: make(chan *conn, maxLongViews)}
	for range maxLongViews {
		r.slots <- nil
	}
	return r
}

// LongView runs fn on one consistent snapshot, as View does, for reads of many rows. fn
// runs on the caller's goroutine, beside at most maxLongViews others, and should look
// at ctx between its statements: a snapshot that stays keeps the log from being cut.
func (db *DB) LongView(ctx context.Context, fn func(*Tx) error) error {
	return db.long.view(ctx, fn)
}

func (r *longReader) view(ctx context.Context, fn func(*Tx) error) (err error) {
	c, err := r.take(ctx)
	if err != nil {
		return err
	}
	sound := false // a panic of fn, or a failure, costs the connection
	defer func() {
		if !sound && c != nil {
			err = errors.Join(err, c.close())
			c = nil
		}
		r.slots <- c
	}()
	if c == nil {
		if c, err = r.dial(); err != nil {
			return unavailable(err)
		}
	}
	if _, err := c.exec(beginDeferred); err != nil {
		return unavailable(err)
	}

	tx := &Tx{conn: c, now: tick(r.clock(), time.Time{})}
	err = fn(tx)
	_, endErr := c.exec(commit)
	sound = endErr == nil && tx.broken == nil
	return err
}

// take waits for a slot.
func (r *longReader) take(ctx context.Context) (*conn, error) {
	select {
	case c, open := <-r.slots:
		if !open {
			return nil, ErrClosed
		}
		return c, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// close waits for the reads that run.
func (r *longReader) close() {
	r.ended.Do(func() {
		for range maxLongViews {
			if c := <-r.slots; c != nil {
				_ = c.close() // it only read
			}
		}
		close(r.slots)
	})
}
