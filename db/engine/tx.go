package engine

import (
	"errors"
	"time"
)

// Tx is one transaction, or one savepoint of the writer's. All its rows share one
// time. It is valid only inside the function that received it.
type Tx struct {
	conn *Conn
	now  time.Time
	// cacheChanged is the batch's, see Query.Invalidates; nil in a read, whose
	// snapshot may be older than the caller's cache.
	cacheChanged *bool
	// broken is the first failure after which nothing of this transaction may be
	// stored, even if the caller drops the error. No statement runs after it:
	// SQLite may have rolled back by itself, and the statement would commit alone.
	broken error
}

// Now returns the time of this transaction.
func (tx *Tx) Now() time.Time { return tx.now }

// CacheValid reports whether rows that earlier updates read are still what the
// file has. It is false in a read, and in an update once its batch ran a statement
// with Query.Invalidates.
func (tx *Tx) CacheValid() bool { return tx.cacheChanged != nil && !*tx.cacheChanged }

// Raw calls fn with the driver's connection, for tests that ask SQLite about it.
func (tx *Tx) Raw(fn func(driverConn any) error) error { return fn(tx.conn.driver) }

// Exec runs a statement and returns how many rows it changed.
func (tx *Tx) Exec(q *Query, args ...any) (int64, error) {
	if tx.broken != nil {
		return 0, tx.broken
	}
	n, err := tx.conn.Exec(q, args...)
	tx.recordOutcome(q, err)
	return n, err
}

// Row reads the first row of a query into dest. It returns ErrNotFound if there is none.
func (tx *Tx) Row(q *Query, args []any, dest ...any) error {
	if tx.broken != nil {
		return tx.broken
	}
	err := tx.conn.row(q, args, dest...)
	tx.recordOutcome(q, err)
	return err
}

// recordOutcome updates the state of the transaction after a statement.
func (tx *Tx) recordOutcome(q *Query, err error) {
	if q.Invalidates && tx.cacheChanged != nil {
		*tx.cacheChanged = true
	}
	if tx.broken == nil && errors.Is(err, ErrUnavailable) {
		tx.broken = err
	}
}

// Scanner is the source of a row's scan function.
type Scanner interface{ Scan(dest ...any) error }

// Collect reads all rows of a query.
func Collect[T any](tx *Tx, q *Query, scan func(Scanner) (T, error), args ...any) (all []T, err error) {
	if tx.broken != nil {
		return nil, tx.broken
	}
	statement, err := tx.conn.prepared(q)
	if err != nil {
		tx.recordOutcome(q, err)
		return nil, err
	}
	found, err := statement.rows(args)
	if err != nil {
		err = sentinel(err)
		tx.recordOutcome(q, err)
		return nil, err
	}
	defer func() {
		err = errors.Join(err, sentinel(found.close()))
		tx.recordOutcome(q, err)
	}()
	for {
		more, err := found.next()
		if err != nil || !more {
			return all, sentinel(err)
		}
		one, err := scan(found)
		if err != nil {
			return nil, sentinel(err)
		}
		all = append(all, one)
	}
}

// rowScanner is the Scanner of a query's first row, so that one scan function
// serves both one row and many.
type rowScanner struct {
	tx   *Tx
	q    *Query
	args []any
}

// Scan implements Scanner.
func (r rowScanner) Scan(dest ...any) error { return r.tx.Row(r.q, r.args, dest...) }

// One reads the first row of a query. It returns ErrNotFound if there is none.
func One[T any](tx *Tx, q *Query, scan func(Scanner) (T, error), args ...any) (T, error) {
	return scan(rowScanner{tx, q, args})
}
