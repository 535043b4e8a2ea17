package db

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"svc/db/engine"
	"svc/embed"
)

// schemaVersion is the newest migration that this binary carries.
const schemaVersion = 20

// applicationID marks the program's files; the first migration sets it.
const applicationID = 0x73766331

func schema() engine.Schema {
	return engine.Schema{Migrations: embed.Migrations(), Version: schemaVersion, ApplicationID: applicationID}
}

// Options configure a DB.
type Options struct {
	Path  string
	Clock func() time.Time // nil: time.Now
	Log   *slog.Logger     // nil: discarded
	// MustExist makes Open fail with ErrNotFound if there is no file at Path.
	MustExist bool
	// Migrate makes Open bring an older file to this binary's schema, after a copy whose
	// place it logs. It is for svc serve (L8).
	Migrate bool
}

// DB is an open store. Its methods may be called from any goroutine.
type DB struct {
	path       string
	clock      func() time.Time
	engine     *engine.Engine
	principals *principalCache
	ids        sequence // the writer's: only functions of Update and RelaxedUpdate use it
	wake       atomic.Pointer[func()]
}

// Open opens the file at options.Path. It creates the file (0600) unless
// options.MustExist. It fails with ErrNewerSchema if a newer svc has migrated the file,
// and with ErrOlderSchema if an older one made it and options.Migrate is unset. Before that
// it takes back a restore that was killed.
func Open(ctx context.Context, options Options) (*DB, error) {
	if options.Clock == nil {
		options.Clock = time.Now
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if err := recoverRestore(options.Path); err != nil {
		return nil, err
	}
	db := &DB{path: options.Path, clock: options.Clock, principals: newPrincipalCache()}
	var err error
	db.engine, err = engine.Open(ctx, engine.Options{
		Path:       options.Path,
		Clock:      options.Clock,
		Log:        options.Log,
		Schema:     schema(),
		MustExist:  options.MustExist,
		Migrate:    options.Migrate,
		Invalidate: db.principals.empty,
	})
	if err != nil {
		return nil, err
	}
	return db, nil
}

// Close runs what waits, writes the pending log rows and closes the file.
func (db *DB) Close() error { return db.engine.Close() }

// NotifyQueued makes every later update of this process that queued deliveries call wake,
// once it is committed. Wake must not block.
func (db *DB) NotifyQueued(wake func()) { db.wake.Store(&wake) }

// KeyPath is the path of the file with the key that seals secrets (L4).
func (db *DB) KeyPath() string { return keyPath(db.path) }

// Own gives a file beside the database, such as the key file, the owner of the database.
func (db *DB) Own(path string) error { return engine.Chown(db.path, path) }

// Outdated is closed when another process has migrated the file to a newer
// schema. From then on every write fails with ErrNewerSchema.
func (db *DB) Outdated() <-chan struct{} { return db.engine.Outdated() }

// View runs fn on one consistent snapshot; see the package comment.
func (db *DB) View(ctx context.Context, fn func(*Tx) error) error {
	return db.engine.View(ctx, reading(fn))
}

// Read returns the result of fn on one consistent snapshot. It is View for a function
// with a result.
func Read[T any](ctx context.Context, db *DB, fn func(*Tx) (T, error)) (out T, err error) {
	err = db.View(ctx, func(tx *Tx) (err error) {
		out, err = fn(tx)
		return err
	})
	return out, err
}

// LongView runs fn on one consistent snapshot, for reads of many rows; see the
// package comment.
func (db *DB) LongView(ctx context.Context, fn func(*Tx) error) error {
	return db.engine.LongView(ctx, reading(fn))
}

// Update runs fn and stores all of its changes or none. They are on disk when it
// returns nil; see the package comment.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	return db.write(ctx, db.engine.Update, fn)
}

// Write returns the result of fn. It is Update for a function with a result.
func Write[T any](ctx context.Context, db *DB, fn func(*Tx) (T, error)) (out T, err error) {
	err = db.Update(ctx, func(tx *Tx) (err error) {
		out, err = fn(tx)
		return err
	})
	return out, err
}

// RelaxedUpdate is Update for changes that a power cut may lose (counters of free
// calls, sweeps); see the package comment.
func (db *DB) RelaxedUpdate(ctx context.Context, fn func(*Tx) error) error {
	return db.write(ctx, db.engine.RelaxedUpdate, fn)
}

// InChunks runs step in one RelaxedUpdate after another until it is done, so that no
// transaction holds the write lock for long.
func (db *DB) InChunks(ctx context.Context, step func(*Tx) (done bool, err error)) error {
	for done := false; !done; {
		err := db.RelaxedUpdate(ctx, func(tx *Tx) (err error) {
			done, err = step(tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Migration is one step of the schema.
type Migration = engine.Migration

// Copy is a copy of the database from before a migration.
type Copy = engine.Copy

// Migrate brings the file at path to this binary's schema and creates it (0600) if there
// is none. It copies a file with an older schema first and returns the copy, else the zero
// Copy. Processes that start at once take turns. ErrInUse: a process, perhaps an older server,
// has a file with an older schema open; a migration would end its service.
func Migrate(ctx context.Context, path string) (Copy, error) {
	if err := recoverRestore(path); err != nil {
		return Copy{}, err
	}
	steps, err := Migrations(ctx, path)
	if err := translate(err, ErrNotFound, nil); err != nil {
		return Copy{}, err
	}
	if len(steps) > 0 && steps[0].Applied && !steps[len(steps)-1].Applied {
		if err := engine.Alone(ctx, path, func() error { return nil }); err != nil {
			return Copy{}, err
		}
	}
	return engine.Migrate(ctx, path, schema())
}

// Migrations lists all steps that this binary carries, oldest first. It fails with
// ErrNotFound if there is no file.
func Migrations(ctx context.Context, path string) ([]Migration, error) {
	return engine.Migrations(ctx, path, schema())
}

// Peek runs fn on the file at path without migrating or writing it. The file's
// schema may be older than this binary's. It fails with ErrNotFound if there is no
// file, or if it is empty.
func Peek(ctx context.Context, path string, fn func(*Tx) error) error {
	return engine.Peek(ctx, path, schema(), reading(fn))
}
