package engine

import "log/slog"

// checkpointEvery is how many batches are committed between two checkpoints.
const checkpointEvery = 32

var checkpoint = NewQuery(`PRAGMA wal_checkpoint(PASSIVE)`)

// checkpointer copies the write-ahead log into the database on a connection of its
// own, so that callers do not wait for it. The writer's own checkpoint, at a much
// longer log (see dialWriter), then finds little left to copy. It is still needed:
// only between two batches can the log be completely copied, and so be restarted.
type checkpointer struct {
	dial     func() (*Conn, error)
	conn     *Conn // nil until first used, and after a failure
	log      *slog.Logger
	due      chan struct{} // buffered with one: a second signal adds nothing
	finished chan struct{}
}

func newCheckpointer(dial func() (*Conn, error), log *slog.Logger) *checkpointer {
	return &checkpointer{dial: dial, log: log, due: make(chan struct{}, 1), finished: make(chan struct{})}
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

// copyLog runs one passive checkpoint, which waits for no other connection.
func (c *checkpointer) copyLog() (err error) {
	if c.conn == nil {
		if c.conn, err = c.dial(); err != nil {
			return err
		}
	}
	var busy, pages, copied int64
	return c.conn.row(checkpoint, nil, &busy, &pages, &copied)
}
