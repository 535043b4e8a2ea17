package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"svc/db/engine"
)

// Tx is one change or one read of the store. All its rows share one time. It is
// valid only inside the function that received it.
type Tx struct {
	core       *engine.Tx
	principals *principalCache // nil in a read
	ids        *sequence       // nil in a read, which makes no rows
	test       bool            // see MarkTest
	actor      string          // see WithActor
	queued     bool            // deliveries, see NotifyQueued
	isPast     bool            // see MarkPast
}

// reading adapts a function of a read to the engine.
func reading(fn func(*Tx) error) func(*engine.Tx) error {
	return func(core *engine.Tx) error { return fn(&Tx{core: core}) }
}

// write runs fn in an update of the engine. It tells the sender if that queued deliveries.
func (db *DB) write(ctx context.Context, update func(context.Context, func(*engine.Tx) error) error, fn func(*Tx) error) error {
	queued := false
	err := update(ctx, func(core *engine.Tx) error {
		tx := &Tx{core: core, principals: db.principals, ids: &db.ids, actor: actorOf(ctx)}
		err := fn(tx)
		queued = tx.queued
		return err
	})
	if wake := db.wake.Load(); err == nil && queued && wake != nil {
		(*wake)()
	}
	return err
}

// query is one statement of the store, prepared once on each connection.
type query = engine.Query

func newQuery(text string) *query { return engine.NewQuery(text) }

// newPrincipalQuery makes a statement that writes accounts, api_keys or old_key_secrets,
// the tables that cached principals are read from. The cache is emptied after its batch.
func newPrincipalQuery(text string) *query { return &query{Text: text, Invalidates: true} }

// Now returns the time that every row of this transaction carries.
func (tx *Tx) Now() time.Time { return tx.core.Now() }

func (tx *Tx) nowMs() int64 { return tx.Now().UnixMilli() }

// Raw calls fn with the driver's connection, for tests that ask SQLite about it.
func (tx *Tx) Raw(fn func(driverConn any) error) error { return tx.core.Raw(fn) }

// exec runs a statement.
func (tx *Tx) exec(q *query, args ...any) error {
	_, err := tx.core.Exec(q, args...)
	return err
}

// execCount runs a statement and returns how many rows it changed.
func (tx *Tx) execCount(q *query, args ...any) (int64, error) { return tx.core.Exec(q, args...) }

// execOne runs a statement that must change exactly one row, else it returns ErrNotFound.
func (tx *Tx) execOne(q *query, args ...any) error {
	n, err := tx.execCount(q, args...)
	if err != nil {
		return err
	}
	if n != 1 {
		return ErrNotFound
	}
	return nil
}

// step moves a row from one state to another. It returns ErrStale if the row is not
// in the state that the statement's WHERE asks for.
func (tx *Tx) step(q *query, args ...any) error {
	return translate(tx.execOne(q, args...), ErrNotFound, ErrStale)
}

// row reads the first row of a query into dest. It returns ErrNotFound if there is none.
func (tx *Tx) row(q *query, args []any, dest ...any) error { return tx.core.Row(q, args, dest...) }

// scanner is the source of a row's scan function.
type scanner = engine.Scanner

// collect reads all rows of a query.
func collect[T any](tx *Tx, q *query, scan func(scanner) (T, error), args ...any) ([]T, error) {
	return engine.Collect(tx.core, q, scan, args...)
}

// one reads the first row of a query. It returns ErrNotFound if there is none.
func one[T any](tx *Tx, q *query, scan func(scanner) (T, error), args ...any) (T, error) {
	return engine.One(tx.core, q, scan, args...)
}

// value reads the first row of a query, which has one column. It returns ErrNotFound if
// there is none.
func value[T any](tx *Tx, q *query, args ...any) (v T, err error) {
	err = tx.row(q, args, &v)
	return v, err
}

func scanText(row scanner) (s string, err error) {
	err = row.Scan(&s)
	return s, err
}

// translate returns to if err is from, else err.
func translate(err, from, to error) error {
	if errors.Is(err, from) {
		return to
	}
	return err
}

func nullString(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// millis converts a stored time to a UTC time; zero becomes the zero time.
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
func nullable(s *string) sql.Scanner { return (*nullText)(s) }

type nullText string

// Scan implements sql.Scanner.
func (n *nullText) Scan(value any) error {
	text, ok := value.(string)
	if !ok && value != nil {
		return fmt.Errorf("a stored text is %T", value)
	}
	*n = nullText(text)
	return nil
}

// timestamp scans a stored time as a UTC time, and NULL or zero as the zero time.
func timestamp(t *time.Time) sql.Scanner { return (*storedTime)(t) }

type storedTime time.Time

// Scan implements sql.Scanner.
func (t *storedTime) Scan(value any) error {
	ms, ok := value.(int64)
	if !ok && value != nil {
		return fmt.Errorf("a stored time is %T", value)
	}
	*t = storedTime(millis(ms))
	return nil
}
