package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/pressly/goose/v3"
)

// Schema describes the tables of a binary.
type Schema struct {
	// Migrations are goose SQL files. The first sets application_id to
	// ApplicationID, and each sets user_version to its own version.
	Migrations fs.FS
	// Version is the newest of Migrations.
	Version int64
	// ApplicationID marks the files of this program.
	ApplicationID int64
}

// Migration is one step of the schema.
type Migration struct {
	Version int64
	File    string
	Applied bool // to the file
}

// Migrate brings the file at path to schema.Version. A file with an older schema is first
// copied, see copyBefore; the zero Copy means that there was nothing to copy. Migrate
// creates the file (0600) if there is none, and switches it to WAL, which fails while
// others use the file. Processes that start at once take turns: goose has no lock for
// SQLite, so Migrate holds a lock file beside the database from before the file is created
// or opened until it is closed.
func Migrate(ctx context.Context, path string, schema Schema) (Copy, error) {
	unlock, err := lockFile(path + ".lock")
	if err != nil {
		return Copy{}, err
	}
	defer unlock()
	return prepare(ctx, path, schema, true)
}

// prepare creates the file, if there is none, or migrates it. Without migrate it leaves a
// file with an older schema as it is and fails with ErrOlderSchema. The caller has the lock
// file.
func prepare(ctx context.Context, path string, schema Schema, migrate bool) (made Copy, err error) {
	err = withProvider(ctx, path, schema, func(ctx context.Context, provider *goose.Provider, have int64) (err error) {
		switch {
		case have == schema.Version:
			return nil
		case have > 0 && !migrate:
			return fmt.Errorf("open database %s: %w", path, ErrOlderSchema)
		case have > 0:
			if made, err = copyBefore(ctx, path, have); err != nil {
				return err
			}
		}
		if _, err := provider.Up(ctx); err != nil {
			return fmt.Errorf("migrate: %w", sentinel(err))
		}
		return nil
	})
	return made, err
}

// Migrations lists all steps of the schema, oldest first. It fails with ErrNotFound
// if there is no file.
func Migrations(ctx context.Context, path string, schema Schema) (all []Migration, err error) {
	if err := mustExist(path); err != nil {
		return nil, err
	}
	unlock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	defer unlock()
	err = withProvider(ctx, path, schema, func(ctx context.Context, provider *goose.Provider, have int64) error {
		for _, source := range provider.ListSources() {
			all = append(all, Migration{Version: source.Version, File: source.Path, Applied: source.Version <= have})
		}
		return nil
	})
	return all, err
}

// withProvider calls fn with the schema version that the file has, 0 if it is new. The
// caller has the lock file.
func withProvider(ctx context.Context, path string, schema Schema, fn func(context.Context, *goose.Provider, int64) error) (err error) {
	if err := createFile(path); err != nil {
		return err
	}

	pool, err := sql.Open("sqlite", address(path, "busy_timeout(5000)"))
	if err != nil {
		return sentinel(err)
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	pool.SetMaxOpenConns(1)

	have, err := schema.inspect(ctx, func(ctx context.Context, text string, dest any) error {
		return sentinel(pool.QueryRowContext(ctx, text).Scan(dest))
	})
	if err != nil {
		return fmt.Errorf("open database %s: %w", path, err)
	}
	if _, err := pool.ExecContext(ctx, `PRAGMA journal_mode = WAL`); err != nil {
		return fmt.Errorf("open database %s: %w", path, sentinel(err))
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, pool, schema.Migrations, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return fn(ctx, provider, have)
}

// createFile creates the file with mode 0600, which SQLite would make readable to
// all; the -wal and -shm files take its mode. It must not open a file that exists:
// closing that again would drop the locks that this process holds on it.
func createFile(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("create database: %w", err)
	}
	return file.Close()
}

// Peek runs fn on the file at path without migrating or writing it. The file's
// schema may be older than the binary's. Peek fails with ErrNotFound if there is no
// file, or if it is empty.
func Peek(ctx context.Context, path string, schema Schema, fn func(*Tx) error) (err error) {
	if err := mustExist(path); err != nil {
		return err
	}
	c, err := Dial(ctx, path, "busy_timeout(5000)", "query_only(1)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	have, err := schema.inspect(ctx, c.value)
	if err != nil {
		return fmt.Errorf("open database %s: %w", path, err)
	}
	if have == 0 {
		return fmt.Errorf("nothing in database %s: %w", path, ErrNotFound)
	}
	return fn(&Tx{conn: c, now: time.Now().UTC()})
}

// inspect returns the schema version of a file that this program may use: one of its own,
// or an empty one. It changes nothing, so that another program's file stays as it is. Read
// reads the value of a SELECT into dest.
func (s Schema) inspect(ctx context.Context, read func(ctx context.Context, text string, dest any) error) (have int64, err error) {
	var id, tables int64
	for _, look := range []struct {
		query string
		dest  *int64
	}{
		{`PRAGMA application_id`, &id},
		{`PRAGMA user_version`, &have},
		{`SELECT count(*) FROM sqlite_master WHERE name NOT LIKE 'goose%' AND name NOT LIKE 'sqlite%'`, &tables},
	} {
		if err := read(ctx, look.query, look.dest); err != nil {
			return 0, err
		}
	}
	switch {
	case id != s.ApplicationID && tables > 0:
		return 0, ErrForeign
	case have > s.Version:
		return 0, ErrNewerSchema
	}
	return have, nil
}
