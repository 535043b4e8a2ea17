package dbtest

import (
	"sync/atomic"
	"testing"

	"modernc.org/sqlite"

	"svc/db"
)

// Commits counts the rows that a store writes.
type Commits struct {
	rows    int64 // of the running transaction; the writer's goroutine alone uses it
	all     atomic.Int64
	largest atomic.Int64
}

// CountCommits counts the rows that the store's updates write from now on, but not those of
// other stores on the same file.
func CountCommits(t testing.TB, store *db.DB) *Commits {
	t.Helper()
	c := &Commits{}
	Update(t, store, func(tx *db.Tx) error {
		return tx.Raw(func(driverConn any) error {
			hooks := driverConn.(sqlite.HookRegisterer)
			hooks.RegisterPreUpdateHook(func(sqlite.SQLitePreUpdateData) { c.rows++ })
			hooks.RegisterCommitHook(func() int32 {
				c.all.Add(c.rows)
				c.largest.Store(max(c.largest.Load(), c.rows))
				c.rows = 0
				return 0 // go on
			})
			return nil
		})
	})
	return c
}

// All returns the number of rows of all transactions.
func (c *Commits) All() int64 { return c.all.Load() }

// Largest returns the number of rows of the largest transaction.
func (c *Commits) Largest() int64 { return c.largest.Load() }
