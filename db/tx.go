package db

import (
	"database/sql"
	"errors"
	"time"
)

// Tx is one change or one look at the store. All its rows share one time.
// It is valid only inside the function that received it.
type Tx struct {
	conn *conn
	now  time.Time
	// principals is nil in a View, whose snapshot may be older than the cache, and
	// once the batch has changed an account or a key.
	principals *principalCache
	ids        *sequence // nil in a View, which makes no rows
	// broken is the first failure after which nothing of this transaction may be
	// kept, even when the caller swallowed it. No statement runs any more: SQLite
	// may have rolled back by itself, and then it would commit alone.
	broken error
	// principalsChanged: accounts or keys were written, see query.
	principalsChanged bool
}

// Now is the time that every row of this transaction carries.
func (tx *Tx) Now() time.Time { return tx.now }

func (tx *Tx) nowMs() int64 { return tx.now.UnixMilli() }

// exec runs a statement and returns how many rows it changed.
func (tx *Tx) exec(q *query, args ...any) (int64, error) {
	if tx.broken != nil {
		return 0, tx.broken
	}
	n, err := tx.conn.exec(q, args...)
	tx.note(q, err)
	return n, err
}

// execOne runs a statement that must change exactly one row, else ErrNotFound.
func (tx *Tx) execOne(q *query, args ...any) error {
	n, err := tx.exec(q, args...)
	if err != nil {
		return err
	}
	if n != 1 {
		return ErrNotFound
	}
	return nil
}

// step takes a row from one state to another: ErrStale when it is not in the state
// that the statement asks for.
func (tx *Tx) step(q *query, args ...any) error {
	err := tx.execOne(q, args...)
	if errors.Is(err, ErrNotFound) {
		return ErrStale
	}
	return err
}

// row reads the first row of a query into dest, else ErrNotFound.
func (tx *Tx) row(q *query, args []any, dest ...any) error {
	if tx.broken != nil {
		return tx.broken
	}
	err := tx.conn.row(q, args, dest...)
	tx.note(q, err)
	return err
}

// scanner is what a row's scan function reads from.
type scanner interface{ Scan(dest ...any) error }

// collect reads all rows of a query.
func collect[T any](tx *Tx, q *query, scan func(scanner) (T, error), args ...any) (all []T, err error) {
	if tx.broken != nil {
		return nil, tx.broken
	}
	statement, err := tx.conn.prepared(q)
	if err != nil {
		tx.note(q, err)
		return nil, err
	}
	rows, err := statement.Query(args...)
	if err != nil {
		err = sentinel(err)
		tx.note(q, err)
		return nil, err
	}
	defer func() {
		err = errors.Join(err, sentinel(rows.Close()))
		tx.note(q, err)
	}()
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, sentinel(err)
		}
		all = append(all, one)
	}
	return all, sentinel(rows.Err())
}

// rowScanner lets one scan function serve both one row and many.
type rowScanner struct {
	tx   *Tx
	q    *query
	args []any
}

func (r rowScanner) Scan(dest ...any) error { return r.tx.row(r.q, r.args, dest...) }

func one[T any](tx *Tx, q *query, scan func(scanner) (T, error), args ...any) (T, error) {
	return scan(rowScanner{tx, q, args})
}

func (tx *Tx) note(q *query, err error) {
	if q.changesPrincipals {
		tx.principalsChanged, tx.principals = true, nil
	}
	if tx.broken == nil && errors.Is(err, ErrUnavailable) {
		tx.broken = err
	}
}

func nullString(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// millis turns a stored time into a UTC time; zero stays the zero time.
func millis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// nullMillis is the stored form of a time that may be unset.
func nullMillis(t time.Time) sql.NullInt64 {
	return sql.NullInt64{Int64: t.UnixMilli(), Valid: !t.IsZero()}
}

// nullable scans NULL as the empty string.
func nullable(s *string) sql.Scanner { return nullText{s} }

type nullText struct{ s *string }

func (n nullText) Scan(value any) error {
	var v sql.NullString
	err := v.Scan(value)
	*n.s = v.String
	return err
}
