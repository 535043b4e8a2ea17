// Package engine runs transactions on one SQLite file that several processes may
// share. It knows no table: package db, its only user, brings the migrations, the
// statements and the rows.
//
// It owns
//   - the write connection and its goroutine, which commits all waiting updates in
//     one transaction (writer.go), and the queue in front of it (queue.go);
//   - statements that ride along with a batch (deferred.go);
//   - the read connections: one for short reads (reader.go), a few for long reads
//     (long_reader.go), and a pool for SELECTs composed at run time (pool.go);
//   - connections with prepared statements (conn.go), and the file's creation,
//     lock, migration and checkpoints;
//   - copies of the file while it is in use (copy.go), its exchange while it is not
//     (alone.go), and archives of such files (archive.go);
//   - the mapping of driver errors to sentinels, by code (errors.go).
//
// # Memory maps
//
// No connection maps the file into memory. With a map, a page that the disk cannot read is
// no error of a statement but the signal SIGBUS, which ends the process and with it the
// calls of everybody. Read through the system's cache instead, the same page is an error,
// and its transaction fails with ErrUnavailable (TestUnreadablePageIsAnError). A map of
// 256 MiB made a point query in 400,000 rows with a cold page cache a fifth faster (18
// instead of 23 µs of CPU) and a scan of them a quarter (99 instead of 129 ms). A call of
// the API spends a few such µs of some 190. The log's index is always mapped; the driver
// turns a fault there into an error.
//
// # Another engine
//
// There is no interface: there is one engine. An engine on another database, such
// as a PostgreSQL-compatible one, has to provide what package db uses of this one:
//
//   - View: one consistent snapshot that includes every commit which ended before
//     the call.
//   - Update: atomic, durable when it returns, with fn run at most once. Fn may
//     have effects in memory, so an engine that answers a conflict by running fn
//     again needs each fn checked for that first.
//   - RelaxedUpdate: as Update, but the last commits may be lost in a power cut.
//   - LongView, Query and Snapshot: reads of many rows that delay no Update.
//   - Defer: a statement that runs soon and costs no commit of its own.
//   - Tx.Now: one time for each transaction, which does not run backwards between
//     two rows by less than maxClockStepBack.
//   - Tx.CacheValid and Options.Invalidate: notice, inside the transaction, that
//     another process has committed (here PRAGMA data_version).
//   - The sentinels of errors.go, and a transaction that fails as a whole once a
//     statement got ErrUnavailable, even if fn drops that error.
//   - Isolation. Here one writer runs every update of all processes after another,
//     under the file's write lock. The list in db/isolation.md says which of its
//     checks rely on that instead of a unique index or a WHERE condition: another
//     engine must run those at SERIALIZABLE, or lock the row that they read.
//   - The function groups (groups.go), and the SQL that is SQLite's own: strict
//     tables, date functions in question.go, window functions with MATERIALIZED.
package engine
