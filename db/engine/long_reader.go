package engine

import (
	"context"
	"errors"
	"sync"
	"time"
)

// maxLongViews is how many long views run at a time.
const maxLongViews = 2

// longReader owns the connections of long views, one for each that runs, so that
// they never delay the short ones.
type longReader struct {
	dial  func() (*Conn, error)
	clock func() time.Time
	slots chan *Conn // a nil connection is not open yet
	ended sync.Once
}

func newLongReader(dial func() (*Conn, error), clock func() time.Time) *longReader {
	r := &longReader{dial: dial, clock: clock, slots: make(chan *Conn, maxLongViews)}
	for range maxLongViews {
		r.slots <- nil
	}
	return r
}

func (r *longReader) view(ctx context.Context, fn func(*Tx) error) (err error) {
	c, err := r.take(ctx)
	if err != nil {
		return err
	}
	keep := false // a panic of fn, or a failure, costs the connection
	defer func() {
		if !keep && c != nil {
			err = errors.Join(err, c.Close())
			c = nil
		}
		r.slots <- c
	}()
	if c == nil {
		if c, err = r.dial(); err != nil {
			return unavailable(err)
		}
	}
	if _, err := c.Exec(beginDeferred); err != nil {
		return unavailable(err)
	}

	tx := &Tx{conn: c, now: timeAfter(r.clock(), time.Time{})}
	err = fn(tx)
	_, endErr := c.Exec(commit)
	keep = endErr == nil && tx.broken == nil
	return err
}

// take waits for a slot.
func (r *longReader) take(ctx context.Context) (*Conn, error) {
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

// close waits for the long views that run.
func (r *longReader) close() {
	r.ended.Do(func() {
		for range maxLongViews {
			if c := <-r.slots; c != nil {
				_ = c.Close() // it has only read
			}
		}
		close(r.slots)
	})
}
