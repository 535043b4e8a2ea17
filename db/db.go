// Package db is the store: one SQLite file that several processes may share.
//
// View, Update and RelaxedUpdate are the only ways to a transaction, and a function of
// *Tx is the only way to a row, so any two operations compose into one atomic
// change. A method that serves an account takes the account's id, or a row that
// was read with it; those that do not are the operator's and say so. There is a file
// for each aggregate, with its row type, the invariants that hold for it and its
// methods in the order of its life.
//
// The package knows nothing of HTTP, of wording or of time zones.
package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"
)

// schemaVersion is the newest migration that this binary carries.
const schemaVersion = 4

// Options say where the store is and what it lives on.
type Options struct {
	Path  string
	Clock func() time.Time // nil: time.Now
	Log   *slog.Logger     // nil: discarded
	// MustExist refuses to create the file.
	MustExist bool
}

// DB is an open store. Its methods may be called from any goroutine.
type DB struct {
	path       string
	questions  *sql.DB
	writer     *writer
	reader     *reader
	long       *longReader
	journal    *journal
	principals *principalCache
	outdated   chan struct{}
}

// Open brings the file at options.Path to this binary's schema and opens it. It
// creates the file (0600) unless options.MustExist; it fails with ErrNotFound
// when that is set and there is none, and with ErrNewerSchema when a newer svc
// has migrated it.
func Open(ctx context.Context, options Options) (*DB, error) {
	if options.Clock == nil {
		options.Clock = time.Now
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.MustExist {
		if err := mustExist(options.Path); err != nil {
			return nil, err
		}
	}
	if err := Migrate(ctx, options.Path); err != nil {
		return nil, err
	}

	questions, err := openQuestions(options.Path)
	if err != nil {
		return nil, err
	}
	db := &DB{path: options.Path, questions: questions, principals: newPrincipalCache(), outdated: make(chan struct{})}
	db.writer = &writer{
		line:       newLine(),
		dial:       func() (*conn, error) { return dialWriter(options.Path) },
		clock:      options.Clock,
		principals: db.principals,
		log:        options.Log,
		finished:   make(chan struct{}),
		onOutdated: func() { close(db.outdated) },
	}
	db.journal = newJournal(db.writer.line.rouse)
	db.writer.journal = db.journal
	db.reader = &reader{
		line:     newLine(),
		dial:     func() (*conn, error) { return dialReader(options.Path) },
		clock:    options.Clock,
		log:      options.Log,
		finished: make(chan struct{}),
	}
	db.long = newLongReader(func() (*conn, error) { return dialReader(options.Path) }, options.Clock)
	db.writer.checkpointer = newCheckpointer(func() (*conn, error) { return dialCheckpointer(options.Path) }, options.Log)
	go db.writer.checkpointer.run()
	go db.writer.run()
	go db.reader.run()
	return db, nil
}

func mustExist(path string) error {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no database at %s: %w", path, ErrNotFound)
	}
	return err
}

// ensureFile makes the file private before SQLite would make it readable to
// all; the -wal and -shm files take its mode. It must not touch a file that is
// there: closing it would drop the locks that this process holds on it.
func ensureFile(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("create database: %w", err)
	}
	return file.Close()
}

// dialWriter: the writer checkpoints only a log that the checkpointer let grow long.
func dialWriter(path string) (*conn, error) {
	return dial(context.Background(), path,
		"busy_timeout(0)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
		"wal_autocheckpoint(8000)", "journal_size_limit(67108864)", "cache_size(-65536)", "temp_store(MEMORY)")
}

func dialCheckpointer(path string) (*conn, error) {
	return dial(context.Background(), path, "busy_timeout(0)", "synchronous(NORMAL)")
}

func dialReader(path string) (*conn, error) {
	return dial(context.Background(), path,
		"busy_timeout(1000)", "query_only(1)", "cache_size(-16384)", "mmap_size(268435456)")
}

// View runs fn on one consistent snapshot. Its statements must be short indexed
// reads: all views share one connection, and LongView is for others. fn's error is returned as it is;
// ErrUnavailable and ErrClosed are the store's.
func (db *DB) View(ctx context.Context, fn func(*Tx) error) error {
	return db.reader.line.join(ctx, &member{fn: fn})
}

// Update runs fn and is on disk when it returns nil: it survives a power cut.
// When fn returns an error or panics, nothing of it is stored. fn must not block,
// nor call the store's View, Update or RelaxedUpdate: it runs on the goroutine that would
// serve them. ctx bounds only the wait for its turn.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	return db.writer.line.join(ctx, &member{fn: fn, durable: true})
}

// RelaxedUpdate is Update for what a power cut may take (counters of free calls,
// sweeps): it survives kill -9 and costs no fsync.
func (db *DB) RelaxedUpdate(ctx context.Context, fn func(*Tx) error) error {
	return db.writer.line.join(ctx, &member{fn: fn})
}

// Outdated is closed when another process has migrated the file to a newer
// schema. From then on every write fails with ErrNewerSchema.
func (db *DB) Outdated() <-chan struct{} { return db.outdated }

// Close serves what waits, writes the pending log rows and closes the file.
func (db *DB) Close() error {
	db.reader.line.close()
	<-db.reader.finished
	db.long.close()
	err := db.questions.Close()
	db.writer.line.close()
	<-db.writer.finished
	return err
}
