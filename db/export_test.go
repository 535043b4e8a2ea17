package db

import (
	"context"
	"os"
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

// OnFsync puts fn in the place of the write-ahead log's fsync. It must be called
// inside an Update of this store, while the syncer is idle.
func (db *DB) OnFsync(fn func(*os.File) error) { db.writer.syncer.fsync = fn }
