package engine

import (
	"log/slog"
	"time"
)

// reader is the goroutine that owns the connection for short reads. Views that
// wait share one read transaction: each still sees every commit that ended before
// the view was queued, because the snapshot is taken after that.
type reader struct {
	queue    *queue
	dial     func() (*Conn, error)
	conn     *Conn
	clock    func() time.Time
	log      *slog.Logger
	finished chan struct{}
}

func (r *reader) run() {
	defer close(r.finished)
	for range r.queue.wakeup {
		for batch := r.queue.take(); len(batch) > 0; batch = r.queue.take() {
			r.serve(batch)
		}
		if r.queue.drained() {
			disconnect(&r.conn, r.log)
			return
		}
	}
}

// serve runs all requests. One that breaks the connection fails alone: the others
// run in a new transaction.
func (r *reader) serve(batch []*request) {
	for len(batch) > 0 {
		if err := r.begin(); err != nil {
			r.log.Error("database read refused", "cause", err)
			disconnect(&r.conn, r.log)
			for _, request := range batch {
				request.err = unavailable(err)
				close(request.done)
			}
			return
		}
		batch = r.share(batch)
	}
}

// share runs requests in the open transaction. After a failure of the connection
// it returns those that have not run.
func (r *reader) share(batch []*request) (rest []*request) {
	for i, request := range batch {
		request.run(Tx{conn: r.conn, now: timeAfter(r.clock(), time.Time{})})
		broken := request.tx.broken
		close(request.done)
		if broken != nil {
			r.log.Error("database read refused", "cause", broken)
			disconnect(&r.conn, r.log)
			return batch[i+1:]
		}
	}
	if _, err := r.conn.Exec(commit); err != nil {
		disconnect(&r.conn, r.log)
	}
	return nil
}

func (r *reader) begin() (err error) {
	if r.conn == nil {
		if r.conn, err = r.dial(); err != nil {
			return err
		}
	}
	_, err = r.conn.Exec(beginDeferred)
	return err
}
