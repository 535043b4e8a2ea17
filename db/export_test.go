package db

import (
	"context"
	"sync/atomic"
)

// What the tests use from inside the package.

const (
	SchemaVersion = schemaVersion
	MaxBatch      = maxBatch
	JournalDelay  = journalDelay
	JournalChunk  = journalChunk
	JournalLimit  = journalLimit
	LockPatience  = lockPatience
)

var Tick = tick

// ChangesPrincipals says whether a statement of this text empties the cache.
func ChangesPrincipals(text string) bool { return newQuery(text).changesPrincipals }

// SQL runs text on the transaction's own connection, past everything that
// guards it. Tests break the connection with it.
func (tx *Tx) SQL(text string, args ...any) error {
	_, err := tx.conn.sql.ExecContext(context.Background(), text, args...)
	return err
}

// ReadOnlyWhile makes the writer's next connections refuse to write as long as
// broken says so. It must be called inside an Update of this store.
func (db *DB) ReadOnlyWhile(broken *atomic.Bool) {
	dial := db.writer.dial
	db.writer.dial = func() (*conn, error) {
		c, err := dial()
		if err == nil && broken.Load() {
			_, err = c.sql.ExecContext(context.Background(), "PRAGMA query_only = 1")
		}
		return c, err
	}
}

// SweepQueries are the statements that the sweep runs, by name.
func SweepQueries() map[string]string {
	return map[string]string{
		"deleteOldRequests":    deleteOldRequests.text,
		"deleteExpiredAnswers": deleteExpiredAnswers.text,
		"overdueCalls":         overdueCalls.text,
	}
}

// Plan is how SQLite would run a statement, a step a line.
func (tx *Tx) Plan(text string) (steps []string, err error) {
	rows, err := tx.conn.sql.QueryContext(context.Background(), "EXPLAIN QUERY PLAN "+text, 1, 2, 3)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, rows.Err()
}
