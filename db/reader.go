package db

import (
	"log/slog"
	"time"
)

// reader is the goroutine that owns the connection for short reads. Views that
// wait share one read transaction: each still sees every commit that ended
// before it joined, since the snapshot is taken after all of them were.
type reader struct {
	line     *line
	dial     func() (*conn, error)
	conn     *conn
	clock    func() time.Time
	log      *slog.Logger
	finished chan struct{}
}

func (r *reader) run() {
	defer close(r.finished)
	for range r.line.wake {
		for batch := r.line.take(); len(batch) > 0; batch = r.line.take() {
			r.serve(batch)
		}
		if r.line.isClosed() {
			r.disconnect()
			return
		}
	}
}

// serve answers every member. One that breaks the connection fails alone: the
// others go on in a new transaction.
func (r *reader) serve(batch []*member) {
	for len(batch) > 0 {
		if err := r.begin(); err != nil {
			r.log.Error("database read refused", "cause", err)
			r.disconnect()
			for _, m := range batch {
				m.err = unavailable(err)
				close(m.done)
			}
			return
		}
		batch = r.share(batch)
	}
}

// share runs members in the open transaction and returns those that it could
// not, after a failure of the connection.
func (r *reader) share(batch []*member) (rest []*member) {
	for i, m := range batch {
		tx := &Tx{conn: r.conn, now: tick(r.clock(), time.Time{})}
		m.run(tx)
		close(m.done)
		if tx.broken != nil {
			r.log.Error("database read refused", "cause", tx.broken)
			r.disconnect()
			return batch[i+1:]
		}
	}
	if _, err := r.conn.exec(commit); err != nil {
		r.disconnect()
	}
	return nil
}

func (r *reader) begin() error {
	if r.conn == nil {
		c, err := r.dial()
		if err != nil {
			return err
		}
		r.conn = c
	}
	_, err := r.conn.exec(beginDeferred)
	return err
}

func (r *reader) disconnect() {
	if r.conn == nil {
		return
	}
	if err := r.conn.close(); err != nil {
		r.log.Warn("database connection closed with an error", "cause", err)
	}
	r.conn = nil
}
