package db

import "log/slog"

// checkpointEvery is how many batches are committed between two checkpoints.
const checkpointEvery = 32

var checkpoint = newQuery(`PRAGMA wal_checkpoint(PASSIVE)`)

// checkpointer copies the write-ahead log into the database on a connection of
// its own, so that callers do not wait for it. The writer's own checkpoint, at a
// much longer log (see dialWriter), finds little left to copy; it has to be, since
// only between two batches can the log be found copied whole and be begun anew.
type checkpointer struct {
	dial     func() (*conn, error)
	conn     *conn // nil until first used, and after a failure
	log      *slog.Logger
	due      chan struct{} // of one: a second request says nothing new
	finished chan struct{}
}

func newCheckpointer(dial func() (*conn, error), log *slog.Logger) *checkpointer {
	return &checkpointer{dial: dial, log: log, due: make(chan struct{}, 1), finished: make(chan struct{})}
}

// rouse asks for a checkpoint and does not wait for it.
func (c *checkpointer) rouse() {
	select {
	case c.due <- struct{}{}:
	default:
	}
}

// run makes checkpoints until due is closed. A failure is only logged: the log
// grows, and the writer's own checkpoint will meet the same failure.
func (c *checkpointer) run() {
	defer close(c.finished)
	defer c.disconnect()
	for range c.due {
		if err := c.copyLog(); err != nil {
			c.log.Warn("database checkpoint", "cause", err)
			c.disconnect()
		}
	}
}

// copyLog runs one passive checkpoint, which waits for nobody.
func (c *checkpointer) copyLog() (err error) {
	if c.conn == nil {
		if c.conn, err = c.dial(); err != nil {
			return err
		}
	}
	var busy, pages, copied int64
	return c.conn.row(checkpoint, nil, &busy, &pages, &copied)
}

func (c *checkpointer) disconnect() {
	if c.conn != nil {
		c.conn.close()
		c.conn = nil
	}
}
