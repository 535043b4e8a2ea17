package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"time"
)

const (
	// maxBatch keeps a batch far below the 50 ms for which a transaction may
	// hold the write lock.
	maxBatch = 128
	// lockPatience is how long a batch waits for another process's write lock.
	lockPatience = 5 * time.Second
	// lockPause is the longest time between two looks at the lock, and lockRest
	// how long a busy writer leaves it to others: longer than that.
	lockPause = 500 * time.Microsecond
	lockRest  = 2 * lockPause
	// sharedFor is how long another's commit makes us expect the next.
	sharedFor = time.Second
	// maxClockStepBack is how far the clock may slip back before we believe it.
	// Smaller steps (an adjusted clock) are hidden, so that time does not run
	// backwards between two rows; a larger one is somebody setting the clock,
	// and a minute that began in the future then ends at once (A5).
	maxClockStepBack = 2 * time.Second
)

// noVersion is the data version before a connection's first batch.
const noVersion = -1

var (
	beginImmediate = newQuery(`BEGIN IMMEDIATE`)
	beginDeferred  = newQuery(`BEGIN`)
	commit         = newQuery(`COMMIT`)
	rollback       = newQuery(`ROLLBACK`)
	savepoint      = newQuery(`SAVEPOINT member`)
	rollbackTo     = newQuery(`ROLLBACK TO member`)
	release        = newQuery(`RELEASE member`)
	syncFull       = newQuery(`PRAGMA synchronous = FULL`)
	syncNormal     = newQuery(`PRAGMA synchronous = NORMAL`)
	dataVersion    = newQuery(`PRAGMA data_version`)
	userVersion    = newQuery(`PRAGMA user_version`)
)

// writer is the goroutine that owns the write connection. It commits all
// updates that wait in one transaction, each in a savepoint of its own, so a
// failing one is undone alone and one fsync serves them all.
type writer struct {
	line       *line
	dial       func() (*conn, error)
	conn       *conn // nil until first used, and after a failed batch
	clock      func() time.Time
	last       time.Time
	principals *principalCache
	ids        sequence
	journal    *journal
	log        *slog.Logger
	finished   chan struct{}

	checkpointer *checkpointer

	closing     bool
	durable     bool // what the connection's synchronous pragma says
	batches     int  // since the start
	complained  time.Time
	dataVersion int64     // of the last batch
	sharedAt    time.Time // when another connection's commit was last noticed
	outdated    atomic.Bool
	onOutdated  func() // called once, when a newer svc has migrated the file
}

func (w *writer) run() {
	defer close(w.finished)
	for range w.line.wake {
		for batch := w.gather(); len(batch) > 0 || w.journal.due(); batch = w.next() {
			w.commit(batch)
			for _, m := range batch {
				close(m.done)
			}
			if w.batches++; w.batches%checkpointEvery == 0 {
				w.checkpointer.rouse()
			}
		}
		if w.line.isClosed() {
			w.end()
			return
		}
	}
}

// gather takes all members that wait. One yield lets callers that are about to
// join do so: batches grow several times larger, for a few microseconds of delay.
func (w *writer) gather() []*member {
	runtime.Gosched()
	return w.line.take()
}

// next is gather after a batch. As long as another process writes to the file, it
// leaves the lock alone for a moment first: who waits for it only looks now and
// then, and a writer that is never idle would be found in possession every time.
func (w *writer) next() []*member {
	if time.Since(w.sharedAt) < sharedFor {
		time.Sleep(lockRest)
	}
	return w.gather()
}

// end stores the last log rows and closes. The writer's connection goes last: the
// last one to close tidies the write-ahead log away.
func (w *writer) end() {
	w.closing = true
	for left := w.journal.size(); left > 0; left = w.journal.size() {
		w.commit(nil)
		if w.journal.size() == left {
			break // they cannot be stored
		}
	}
	close(w.checkpointer.due)
	<-w.checkpointer.finished
	w.disconnect()
}

// commit runs one batch. After it, either every member that did not fail by
// itself is stored, or none is and each has ErrUnavailable.
func (w *writer) commit(batch []*member) {
	durable := false
	for _, m := range batch {
		durable = durable || m.durable
	}

	err := w.begin(durable)
	changed, logged := false, 0
	if err == nil {
		changed, err = w.runMembers(batch)
	}
	if err == nil {
		logged, err = w.writeJournal()
	}
	if err == nil {
		_, err = w.conn.exec(commit)
	}
	if changed {
		w.principals.empty()
	}
	if err == nil {
		w.journal.written(logged)
		return
	}

	w.journal.postpone()
	w.abandon(err)
	for _, m := range batch {
		if m.panicked == nil {
			m.err = unavailable(err)
		}
	}
}

// unavailable makes sure that the cause of a failed batch is a sentinel.
func unavailable(err error) error {
	if errors.Is(err, ErrUnavailable) || errors.Is(err, ErrNewerSchema) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

func (w *writer) begin(durable bool) error {
	if err := patiently(w.connect); err != nil {
		return err
	}
	if err := w.setDurable(durable); err != nil {
		return err
	}
	if err := patiently(w.lock); err != nil {
		return err
	}
	w.last = tick(w.clock(), w.last)
	return w.notice()
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
	if _, err := w.conn.exec(q); err != nil {
		return err
	}
	w.durable = durable
	return nil
}

// lock begins the transaction.
func (w *writer) lock() error {
	_, err := w.conn.exec(beginImmediate)
	return err
}

// patiently tries again while another process has the file locked: for a write,
// or altogether, when it is the last to close it and folds the WAL in. We wait
// ourselves, in small random steps: SQLite's own busy handler sleeps up to
// 100 ms between tries.
func patiently(try func() error) error {
	deadline := time.Now().Add(lockPatience)
	for {
		err := try()
		if !isBusy(err) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(lockPause/10 + rand.N(lockPause*9/10))
	}
}

// notice looks whether another connection has committed since the last batch:
// then what we know of keys and plans may be old, and so may be our schema.
func (w *writer) notice() error {
	var version int64
	if err := w.conn.row(dataVersion, nil, &version); err != nil {
		return err
	}
	if version == w.dataVersion {
		return nil
	}
	if w.dataVersion != noVersion {
		w.sharedAt = time.Now()
	}
	w.principals.empty()
	w.dataVersion = version

	var schema int64
	if err := w.conn.row(userVersion, nil, &schema); err != nil {
		return err
	}
	if schema <= schemaVersion {
		return nil
	}
	if w.outdated.CompareAndSwap(false, true) {
		w.onOutdated()
	}
	return ErrNewerSchema
}

// runMembers runs each member in its savepoint. It says whether accounts or
// keys were written; an error means that the whole batch must go.
func (w *writer) runMembers(batch []*member) (principalsChanged bool, err error) {
	for _, m := range batch {
		tx := &Tx{conn: w.conn, now: w.last, principals: w.principals, ids: &w.ids}
		if principalsChanged {
			tx.principals = nil
		}
		err := w.runMember(m, tx)
		principalsChanged = principalsChanged || tx.principalsChanged
		if err != nil {
			return principalsChanged, err
		}
	}
	return principalsChanged, nil
}

func (w *writer) runMember(m *member, tx *Tx) error {
	if _, err := w.conn.exec(savepoint); err != nil {
		return err
	}
	m.run(tx)
	if tx.broken != nil {
		return tx.broken
	}
	if m.failed() {
		if _, err := w.conn.exec(rollbackTo); err != nil {
			return err
		}
	}
	_, err := w.conn.exec(release)
	return err
}

// writeJournal stores the log rows that are ready and returns their number.
func (w *writer) writeJournal() (int, error) {
	rows := w.journal.ready(w.closing)
	for _, r := range rows {
		if _, err := w.conn.exec(insertRequest, r.args()...); err != nil {
			return 0, err
		}
	}
	return len(rows), nil
}

// abandon undoes a failed batch. The connection is thrown away with it: after
// some failures SQLite has rolled back by itself, and a statement that then
// runs on it would commit alone.
func (w *writer) abandon(cause error) {
	if !errors.Is(cause, ErrNewerSchema) && time.Since(w.complained) >= time.Second {
		w.complained = time.Now()
		w.log.LogAttrs(context.Background(), slog.LevelError, "database write refused", slog.Any("cause", cause))
	}
	w.principals.empty()
	if w.conn != nil {
		// An error only says that SQLite has rolled back already.
		_, _ = w.conn.exec(rollback)
		w.disconnect()
	}
}

func (w *writer) disconnect() {
	if w.conn == nil {
		return
	}
	if err := w.conn.close(); err != nil {
		w.log.Warn("database connection closed with an error", "cause", err)
	}
	w.conn = nil
}

// tick is the time of a transaction that follows one at last.
func tick(now, last time.Time) time.Time {
	now = now.UTC().Truncate(time.Millisecond)
	if back := last.Sub(now); back > 0 && back <= maxClockStepBack {
		return last
	}
	return now
}
