package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

const (
	// checkpointEvery is how many batches are committed between two checkpoints.
	checkpointEvery = 32
	// maxLogPages is the length of the write-ahead log, in pages of 4 KiB, from which it is
	// made to start anew. The log file keeps its size then: 64 MiB and what is written while
	// the running long reads end.
	maxLogPages = 16_384
	// restartWait bounds the wait for the long reads that run; they have limits of their own.
	restartWait = 20 * time.Second
)

var (
	checkpoint        = NewQuery(`PRAGMA wal_checkpoint(PASSIVE)`)
	restartCheckpoint = NewQuery(`PRAGMA wal_checkpoint(RESTART)`)
	emptyLog          = NewQuery(`PRAGMA wal_checkpoint(TRUNCATE)`)
)

// errLogInUse: a snapshot of the write-ahead log, or another process, is in the way.
var errLogInUse = errors.New("the write-ahead log is in use")

func isLogInUse(err error) bool { return isBusy(err) || errors.Is(err, errLogInUse) }

// checkpointer copies the write-ahead log into the database on a connection of its
// own, so that callers do not wait for it. The writer's own checkpoint, at a much
// longer log (see dialWriter), then finds little left to copy. It is still needed:
// only between two batches can the log be completely copied, and so be restarted.
//
// While long reads overlap, there is always an old snapshot, and the log would grow for as
// long as they go on. So a log of maxLogPages holds back new ones for once.
type checkpointer struct {
	dial      func() (*Conn, error)
	conn      *Conn // nil until first used, and after a failure
	snapshots *snapshots
	// onWriter runs a checkpoint on the writer's connection, between two of its batches. A
	// busy writer has the lock nearly always, so another connection would try for long.
	onWriter func(*Query) error
	maxPages int64
	log      *slog.Logger
	due      chan struct{} // buffered with one: a second signal adds nothing
	finished chan struct{}
}

func newCheckpointer(dial func() (*Conn, error), snapshots *snapshots, log *slog.Logger) *checkpointer {
	return &checkpointer{
		dial: dial, snapshots: snapshots, maxPages: maxLogPages, log: log,
		due: make(chan struct{}, 1), finished: make(chan struct{}),
	}
}

// wake requests a checkpoint and does not wait for it.
func (c *checkpointer) wake() {
	select {
	case c.due <- struct{}{}:
	default:
	}
}

// run makes checkpoints until due is closed. A failure is only logged: the log
// grows, and the writer's own checkpoint will meet the same failure.
func (c *checkpointer) run() {
	defer close(c.finished)
	defer disconnect(&c.conn, c.log)
	for range c.due {
		if err := c.copyLog(); err != nil {
			c.log.Warn("database checkpoint", "cause", err)
			disconnect(&c.conn, c.log)
		}
	}
}

// copyLog runs one passive checkpoint, which waits for no other connection, and makes a long
// log start anew.
func (c *checkpointer) copyLog() (err error) {
	if c.conn == nil {
		if c.conn, err = c.dial(); err != nil {
			return err
		}
	}
	var busy, pages, copied int64
	if err := c.conn.row(checkpoint, nil, &busy, &pages, &copied); err != nil || pages < c.maxPages {
		return err
	}
	return c.restartLog()
}

// restartLog waits for the long reads that run and makes the next batch write to the
// beginning of the log. Another process may have snapshots too; it then does the same at its
// next checkpoint, so that a try succeeds sooner or later.
func (c *checkpointer) restartLog() error {
	ctx, cancel := context.WithTimeout(context.Background(), restartWait)
	defer cancel()
	resume, err := c.snapshots.pause(ctx)
	if err != nil {
		return fmt.Errorf("long reads go on for more than %s: %w", restartWait, err)
	}
	defer resume()

	// Most is copied beside the writer. What is left is copied by the writer.
	if err := c.conn.checkpoint(checkpoint); err != nil && !isLogInUse(err) {
		return err
	}
	return retryWhile(isLogInUse, func() error { return c.onWriter(restartCheckpoint) })
}

// checkpoint runs one of the checkpoints. errLogInUse: it could not do all it should.
func (c *Conn) checkpoint(q *Query) error {
	var busy, pages, copied int64
	if err := c.row(q, nil, &busy, &pages, &copied); err != nil {
		return err
	}
	if busy != 0 {
		return errLogInUse
	}
	return nil
}
