package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"
)

// Options configure an Engine. All except MustExist and Migrate are required.
type Options struct {
	Path   string
	Clock  func() time.Time
	Log    *slog.Logger
	Schema Schema
	// MustExist makes Open fail with ErrNotFound if there is no file at Path.
	MustExist bool
	// Migrate makes Open bring a file with an older schema to Schema, after a copy whose
	// place it logs. Without it Open fails with ErrOlderSchema and leaves the file to the
	// older svc that may be using it.
	Migrate bool
	// Invalidate is called when rows that an Update has read and the caller has kept
	// may no longer be what the file has: after a batch that ran a statement with
	// Query.Invalidates, after a failed batch, and before the first batch that
	// follows another process's commit. It runs on the writer's goroutine, before
	// the updates of the batch return.
	Invalidate func()
}

// Engine is an open file. Its methods may be called from any goroutine.
type Engine struct {
	writer       *writer
	reader       *reader
	longReader   *longReader
	pool         *Pool
	deferred     *deferred
	checkpointer *checkpointer
	snapshots    *snapshots
	anchor       *Conn // see dialAnchor
	outdated     chan struct{}
}

// Open opens the file at options.Path. It creates the file (0600) unless
// options.MustExist, and takes from others than the owner the access to a file that exists. It fails with ErrNewerSchema if a newer svc has migrated the file,
// and with ErrOlderSchema if it was made by an older one and options.Migrate is unset.
func Open(ctx context.Context, options Options) (*Engine, error) {
	if options.MustExist {
		if err := mustExist(options.Path); err != nil {
			return nil, err
		}
	}
	anchor, err := enter(ctx, options)
	if err != nil {
		return nil, err
	}
	pool, err := openPool(address(options.Path, "busy_timeout(1000)", "query_only(1)",
		"cache_size(-16384)", "temp_store(MEMORY)"))
	if err != nil {
		return nil, errors.Join(err, anchor.Close())
	}

	e := &Engine{pool: pool, anchor: anchor, snapshots: newSnapshots(), outdated: make(chan struct{})}
	dialRead := func() (*Conn, error) { return dialReader(options.Path) }
	e.reader = &reader{
		queue:    newQueue(),
		dial:     dialRead,
		clock:    options.Clock,
		log:      options.Log,
		finished: make(chan struct{}),
	}
	e.longReader = newLongReader(dialRead, options.Clock)
	e.checkpointer = newCheckpointer(func() (*Conn, error) { return dialCheckpointer(options.Path) }, e.snapshots, options.Log)
	e.writer = newWriter(options, e)
	e.deferred = e.writer.deferred
	go e.checkpointer.run()
	go e.writer.run()
	go e.reader.run()
	return e, nil
}

// enter prepares the file and returns the engine's anchor. It holds the lock file until the
// anchor holds its lock, so that Alone cannot come in between.
func enter(ctx context.Context, options Options) (anchor *Conn, err error) {
	unlock, err := lockFile(options.Path + ".lock")
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := keepPrivate(options.Path); err != nil {
		return nil, err
	}
	made, err := prepare(ctx, options.Path, options.Schema, options.Migrate)
	if err != nil {
		return nil, err
	}
	if made.Path != "" {
		options.Log.Info("database migrated; a copy of it from before is kept",
			"copy", made.Path, "from", made.Version, "to", options.Schema.Version)
	}
	return dialAnchor(ctx, options.Path)
}

func mustExist(path string) error {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no database at %s: %w", path, ErrNotFound)
	}
	return err
}

// View runs fn on one consistent snapshot. All views share one connection, so fn
// should make short indexed reads; LongView is for others. View returns fn's error
// unchanged, or ErrUnavailable or ErrClosed.
func (e *Engine) View(ctx context.Context, fn func(*Tx) error) error {
	return e.reader.queue.do(ctx, &request{fn: fn})
}

// LongView runs fn on one consistent snapshot, for reads of many rows. Fn runs on the
// caller's goroutine, beside at most maxLongViews-1 others. It should check ctx between
// its statements, because the write-ahead log cannot be reset while a snapshot is open.
func (e *Engine) LongView(ctx context.Context, fn func(*Tx) error) error {
	_, err := read(ctx, e.snapshots.views, func() (struct{}, error) { return struct{}{}, e.longReader.view(ctx, fn) })
	return err
}

// Update runs fn in a savepoint of the writer's next transaction. The change is on
// disk, safe from a power cut, when Update returns nil; if fn returns an error or
// panics, nothing of it is stored. Fn runs on the writer's goroutine: it must not
// block, nor call View, Update or RelaxedUpdate of the same engine. Ctx bounds only
// the wait for the writer.
func (e *Engine) Update(ctx context.Context, fn func(*Tx) error) error {
	return e.writer.queue.do(ctx, &request{fn: fn, durable: true})
}

// RelaxedUpdate is Update without the fsync: the change survives a kill -9, but
// perhaps not a power cut.
func (e *Engine) RelaxedUpdate(ctx context.Context, fn func(*Tx) error) error {
	return e.writer.queue.do(ctx, &request{fn: fn})
}

// Defer runs one statement with one of the next batches, without a commit of its
// own and in the order of the calls. A crash within deferDelay may lose it, and so
// does a writer that falls deferLimit statements behind.
func (e *Engine) Defer(q *Query, args ...any) { e.deferred.add(q, args) }

// Query runs one SELECT that was composed at run time; see Pool.Query.
func (e *Engine) Query(ctx context.Context, limit int, text string, args ...any) (Rows, error) {
	return read(ctx, e.snapshots.selects, func() (Rows, error) { return e.pool.Query(ctx, limit, text, args...) })
}

// Snapshot runs fn with a Querier whose SELECTs all see one state of the file.
func (e *Engine) Snapshot(ctx context.Context, fn func(Querier) error) error {
	_, err := read(ctx, e.snapshots.selects, func() (struct{}, error) { return struct{}{}, e.pool.snapshot(ctx, fn) })
	return err
}

// Outdated is closed when another process has migrated the file to a newer
// schema. From then on every write fails with ErrNewerSchema.
func (e *Engine) Outdated() <-chan struct{} { return e.outdated }

// Close runs the waiting requests and the deferred statements, and closes the file.
func (e *Engine) Close() error {
	e.reader.queue.close()
	<-e.reader.finished
	e.longReader.close()
	err := errors.Join(e.pool.Close(), e.anchor.Close())
	e.writer.queue.close()
	<-e.writer.finished
	return err
}
