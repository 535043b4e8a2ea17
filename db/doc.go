// Package db is the store: the rows of the program in one SQLite file that several
// processes may share. Package db/engine below it runs the transactions and knows no
// table; this package has the tables. It knows nothing of HTTP, of the wording of
// answers or of time zones.
//
// There is a file for each aggregate: its row type, the invariants that hold for it,
// its statements, and its methods on *Tx in the order of its life. A method on *Tx is
// the only way to a row, so any two operations compose into one atomic change. A
// method that serves an account takes the account's id, or a row that was read with
// it; a method that takes none is the operator's view and says so.
//
// # Doors
//
// A transaction is opened by one of these only. Fn is the caller's function.
//
//   - View reads one snapshot, which includes every commit that ended before the
//     call. Fn runs on the reader's goroutine and shares its connection with all
//     other views: it makes short indexed reads (below 1 ms), and must not block
//     nor call View.
//   - LongView reads one snapshot for lists, exports and other reads of many rows.
//     Fn runs on the caller's goroutine; two run at a time and others wait. Fn
//     checks its context between statements, since an open snapshot keeps the
//     write-ahead log from being reset.
//   - Update writes. All of fn's changes are stored, or none if fn returns an error
//     or panics. They are on disk, safe from a power cut, when Update returns nil.
//     Fn runs once, on the writer's goroutine: it must not block, call the network,
//     nor call View, Update or RelaxedUpdate, and it must be done in a few
//     milliseconds, since nothing else is written meanwhile.
//   - RelaxedUpdate is Update without the fsync: the change survives a kill -9, but
//     perhaps not a power cut. It is for counters of free calls, sweeps, and steps
//     of an import that is made durable by a later Update.
//   - DB.LogRequest stores one log row soon, with another batch. A crash within
//     200 ms may lose it.
//   - Query and Snapshot run SELECTs that ask composed over the store's own tables,
//     on read-only connections of their own, as long as their context lasts. Each
//     Query sees the newest state; all queries of a Snapshot see the same.
//   - Peek reads a file without opening a store, migrating or writing it. The file's
//     schema may be older than the statements of this package.
//
// The context of View, Update and RelaxedUpdate bounds only the wait: once fn has
// begun, it runs to its end, and the door returns how it ended. All doors return fn's
// error unchanged, or ErrUnavailable, ErrNewerSchema (updates only) or ErrClosed.
//
// Datasets are files of their own, see DataWriter and DataFile.
//
// Open leaves a file with another schema alone unless Options.Migrate is set, because an
// older svc may be serving it. Backup copies a store in use to one file, also one with an
// older schema, and Restore puts such a file in the place of a store that is not in use.
//
// # Isolation
//
// Updates of all processes run one after another, under the file's write lock. The
// file isolation.md lists every check of an update that precedes a write, with the
// unique index or the WHERE condition that makes it safe, or a note that it relies on
// the single writer.
package db
