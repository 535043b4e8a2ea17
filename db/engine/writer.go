package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"time"
)

const (
	// maxBatch keeps a batch far below the 50 ms for which a transaction may hold
	// the write lock.
	maxBatch = 128
	// lockTimeout is how long a batch waits for another process's write lock.
	lockTimeout = 5 * time.Second
	// lockPause is the longest pause between two tries to get the lock. A busy
	// writer leaves the lock free for lockRest, which is longer, so that other
	// processes get their turn.
	lockPause = 500 * time.Microsecond
	lockRest  = 2 * lockPause
	// sharedFor is how long after another process's commit the next is expected.
	sharedFor = time.Second
	// maxClockStepBack is the largest step back of the clock that is hidden.
	// Smaller steps come from an adjusted clock, and time must not run backwards
	// between two rows. A larger one means that somebody set the clock; a minute
	// that began in the future then ends at once (A5).
	maxClockStepBack = 2 * time.Second
)

// noVersion is the data version before a connection's first batch.
const noVersion = -1

var (
	beginImmediate = NewQuery(`BEGIN IMMEDIATE`)
	beginDeferred  = NewQuery(`BEGIN`)
	commit         = NewQuery(`COMMIT`)
	rollback       = NewQuery(`ROLLBACK`)
	savepoint      = NewQuery(`SAVEPOINT request`)
	rollbackTo     = NewQuery(`ROLLBACK TO request`)
	release        = NewQuery(`RELEASE request`)
	syncFull       = NewQuery(`PRAGMA synchronous = FULL`)
	syncNormal     = NewQuery(`PRAGMA synchronous = NORMAL`)
	dataVersion    = NewQuery(`PRAGMA data_version`)
	userVersion    = NewQuery(`PRAGMA user_version`)
)

// writer is the goroutine that owns the write connection. It commits all waiting
// updates in one transaction, each in a savepoint of its own, so that a failing
// update is undone alone and one fsync serves all.
type writer struct {
	queue        *queue
	deferred     *deferred
	checkpointer *checkpointer
	dial         func() (*Conn, error)
	clock        func() time.Time
	log          *slog.Logger
	schema       int64 // version that this binary knows
	checkpoints  chan checkpointRequest
	invalidate   func() // see Options.Invalidate
	onOutdated   func() // called once, when a newer svc has migrated the file
	finished     chan struct{}

	conn            *Conn // nil until first used, and after a failed batch
	lastTime        time.Time
	closing         bool
	durable         bool // value of the connection's synchronous pragma
	unsynced        bool // a durable commit has failed, see secureLog
	cacheChanged    bool // by this batch, see Query.Invalidates
	batches         int  // since the start
	errorLoggedAt   time.Time
	dataVersion     int64     // of the last batch
	foreignCommitAt time.Time // when another process's commit was last seen
	outdated        atomic.Bool
}

func newWriter(options Options, e *Engine) *writer {
	w := &writer{
		queue:        newQueue(),
		checkpointer: e.checkpointer,
		dial:         func() (*Conn, error) { return dialWriter(options.Path) },
		clock:        options.Clock,
		log:          options.Log,
		schema:       options.Schema.Version,
		checkpoints:  make(chan checkpointRequest, 1),
		invalidate:   options.Invalidate,
		onOutdated:   func() { close(e.outdated) },
		finished:     make(chan struct{}),
	}
	w.deferred = &deferred{wake: w.queue.wake}
	w.checkpointer.onWriter = w.checkpoint
	return w
}

func (w *writer) run() {
	defer close(w.finished)
	for range w.queue.wakeup {
		w.runCheckpoint()
		for batch := w.take(); len(batch) > 0 || w.deferred.due(); batch = w.takeNext() {
			w.commit(batch)
			for _, r := range batch {
				close(r.done)
			}
			if w.batches++; w.batches%checkpointEvery == 0 {
				w.checkpointer.wake()
			}
			w.runCheckpoint()
		}
		if w.queue.drained() {
			w.end()
			return
		}
	}
}

// take removes the waiting requests from the queue. It yields once first, so that
// callers which are about to add one can do so: batches grow several times larger,
// for a few microseconds of delay.
func (w *writer) take() []*request {
	runtime.Gosched()
	return w.queue.take()
}

// takeNext is take after a batch. While another process writes to the file, it
// first leaves the lock free for a moment: a process that waits for the lock only
// tries now and then, and would find it held every time by a busy writer.
func (w *writer) takeNext() []*request {
	if time.Since(w.foreignCommitAt) < sharedFor {
		time.Sleep(lockRest)
	}
	return w.take()
}

// end runs the last deferred statements and closes. The writer's connection closes
// last: SQLite removes the write-ahead log with the last connection.
func (w *writer) end() {
	w.closing = true
	for left := w.deferred.size(); left > 0; left = w.deferred.size() {
		w.commit(nil)
		if w.deferred.size() == left {
			break // they cannot be stored
		}
	}
	close(w.checkpointer.due)
	for open := true; open; {
		select {
		case r := <-w.checkpoints:
			r.done <- w.runOn(r.query)
		case <-w.checkpointer.finished:
			open = false
		}
	}
	disconnect(&w.conn, w.log)
}

// checkpointRequest is a checkpoint to run on the writer's connection.
type checkpointRequest struct {
	query *Query
	done  chan error
}

// checkpoint runs a checkpoint between two batches and waits for it. The checkpointer calls
// it, one at a time.
func (w *writer) checkpoint(q *Query) error {
	r := checkpointRequest{q, make(chan error, 1)}
	w.checkpoints <- r
	w.queue.wake()
	return <-r.done
}

// runCheckpoint runs the checkpoint that was requested, if one was.
func (w *writer) runCheckpoint() {
	select {
	case r := <-w.checkpoints:
		r.done <- w.runOn(r.query)
	default:
	}
}

func (w *writer) runOn(checkpoint *Query) error {
	if err := w.connect(); err != nil {
		return err
	}
	return w.conn.checkpoint(checkpoint)
}

// commit runs one batch. After it, either every request that did not fail by
// itself is stored, or none is and each has ErrUnavailable.
func (w *writer) commit(batch []*request) {
	w.cacheChanged = false
	err := w.begin(slices.ContainsFunc(batch, func(r *request) bool { return r.durable }))
	if err == nil {
		err = w.runRequests(batch)
	}
	ran := 0
	if err == nil {
		ran, err = w.runDeferred()
	}
	if err == nil {
		err = w.store()
	}
	if w.cacheChanged {
		w.invalidate()
	}
	if err == nil {
		w.deferred.committed(ran)
		return
	}

	w.deferred.postpone()
	w.discard(err)
	for _, r := range batch {
		if r.panicked == nil {
			r.err = unavailable(err)
		}
	}
}

// store commits the batch.
func (w *writer) store() error {
	_, err := w.conn.Exec(commit)
	w.unsynced = w.unsynced || err != nil && w.durable
	return err
}

// secureLog copies the write-ahead log into the database, syncs that and empties the log.
// After a failed fsync the system may have dropped written pages of earlier, relaxed
// commits from its cache: a power cut would then leave a hole in the log, and lose all
// commits after it, durable ones too. So none is added behind such a place.
func (w *writer) secureLog() error {
	err := retryWhile(isLogInUse, func() error { return w.conn.checkpoint(emptyLog) })
	w.unsynced = err != nil
	return err
}

// unavailable wraps the cause of a failed batch, unless it is a sentinel already.
func unavailable(err error) error {
	if errors.Is(err, ErrUnavailable) || errors.Is(err, ErrNewerSchema) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

func (w *writer) begin(durable bool) error {
	if err := retryWhileBusy(w.connect); err != nil {
		return err
	}
	if err := w.setDurable(durable); err != nil {
		return err
	}
	if durable && w.unsynced {
		if err := w.secureLog(); err != nil {
			return err
		}
	}
	if err := retryWhileBusy(w.lock); err != nil {
		return err
	}
	w.lastTime = timeAfter(w.clock(), w.lastTime)
	return w.checkForeignCommit()
}

func (w *writer) connect() error {
	if w.conn != nil {
		return nil
	}
	c, err := w.dial()
	if err != nil {
		return err
	}
	w.conn, w.durable, w.dataVersion = c, true, noVersion
	return nil
}

// setDurable sets the pragma, which SQLite refuses inside a transaction.
func (w *writer) setDurable(durable bool) error {
	if w.durable == durable {
		return nil
	}
	q := syncNormal
	if durable {
		q = syncFull
	}
	if _, err := w.conn.Exec(q); err != nil {
		return err
	}
	w.durable = durable
	return nil
}

// lock begins the transaction.
func (w *writer) lock() error {
	_, err := w.conn.Exec(beginImmediate)
	return err
}

// retryWhileBusy retries while another process has the file locked, for at most
// lockTimeout. The lock may be a write lock, or that of the last process to close
// the file, which checkpoints it. The pauses are short and random; SQLite's own
// busy handler sleeps up to 100 ms.
func retryWhileBusy(try func() error) error { return retryWhile(isBusy, try) }

// retryWhile retries while wait reports that the error of the last try will pass.
func retryWhile(wait func(error) bool, try func() error) error {
	deadline := time.Now().Add(lockTimeout)
	for {
		err := try()
		if !wait(err) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(lockPause/10 + rand.N(lockPause*9/10))
	}
}

// checkForeignCommit looks whether another connection has committed since the last
// batch. If so, the caller's cache may be out of date, and so may this binary's
// schema, in which case it returns ErrNewerSchema.
func (w *writer) checkForeignCommit() error {
	var version int64
	if err := w.conn.row(dataVersion, nil, &version); err != nil {
		return err
	}
	if version == w.dataVersion {
		return nil
	}
	if w.dataVersion != noVersion {
		w.foreignCommitAt = time.Now()
	}
	w.invalidate()
	w.dataVersion = version

	var schema int64
	if err := w.conn.row(userVersion, nil, &schema); err != nil {
		return err
	}
	if schema <= w.schema {
		return nil
	}
	if w.outdated.CompareAndSwap(false, true) {
		w.onOutdated()
	}
	return ErrNewerSchema
}

// runRequests runs each request in its savepoint. An error means that the whole
// batch must be rolled back.
func (w *writer) runRequests(batch []*request) error {
	for _, r := range batch {
		if err := w.runRequest(r); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) runRequest(r *request) error {
	if _, err := w.conn.Exec(savepoint); err != nil {
		return err
	}
	r.run(Tx{conn: w.conn, now: w.lastTime, cacheChanged: &w.cacheChanged})
	if r.tx.broken != nil {
		return r.tx.broken
	}
	if r.failed() {
		if _, err := w.conn.Exec(rollbackTo); err != nil {
			return err
		}
	}
	_, err := w.conn.Exec(release)
	return err
}

// runDeferred runs the deferred statements that are ready and returns their number.
func (w *writer) runDeferred() (int, error) {
	ready := w.deferred.ready(w.closing)
	for _, s := range ready {
		w.cacheChanged = w.cacheChanged || s.query.Invalidates
		if _, err := w.conn.Exec(s.query, s.args...); err != nil {
			return 0, err
		}
	}
	return len(ready), nil
}

// discard rolls a failed batch back and closes the connection: after some failures
// SQLite has rolled back by itself, and a statement that then ran on the connection
// would commit alone.
func (w *writer) discard(cause error) {
	if !errors.Is(cause, ErrNewerSchema) && time.Since(w.errorLoggedAt) >= time.Second {
		w.errorLoggedAt = time.Now()
		w.log.LogAttrs(context.Background(), slog.LevelError, "database write refused", slog.Any("cause", cause))
	}
	w.invalidate()
	if w.conn != nil {
		// An error only means that SQLite has rolled back already.
		_, _ = w.conn.Exec(rollback)
		disconnect(&w.conn, w.log)
	}
}

// timeAfter returns the time of a transaction that follows one at last; see
// maxClockStepBack.
func timeAfter(now, last time.Time) time.Time {
	now = now.UTC().Truncate(time.Millisecond)
	if back := last.Sub(now); back > 0 && back <= maxClockStepBack {
		return last
	}
	return now
}
