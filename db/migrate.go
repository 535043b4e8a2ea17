package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/pressly/goose/v3"

	"svc/embed"
)

// Migration is one step of the schema and whether the file has it.
type Migration struct {
	Version int64
	File    string
	Applied bool
}

// Migrate brings the file at path to schemaVersion; it creates it (0600) when
// there is none. Processes that start at once take turns: goose has no lock for
// SQLite, so a lock file beside the database is held, from before the file is
// made or opened until it is closed. The switch to WAL happens here too: it
// fails when others use the file.
func Migrate(ctx context.Context, path string) error {
	return withProvider(ctx, path, func(ctx context.Context, provider *goose.Provider, have int64) error {
		if have == schemaVersion {
			return nil
		}
		_, err := provider.Up(ctx)
		return err
	})
}

// Migrations lists all steps that this binary carries, oldest first. It fails
// with ErrNotFound when there is no file.
func Migrations(ctx context.Context, path string) (all []Migration, err error) {
	if err := mustExist(path); err != nil {
		return nil, err
	}
	err = withProvider(ctx, path, func(ctx context.Context, provider *goose.Provider, have int64) error {
		for _, source := range provider.ListSources() {
			all = append(all, Migration{Version: source.Version, File: source.Path, Applied: source.Version <= have})
		}
		return nil
	})
	return all, err
}

func withProvider(ctx context.Context, path string, fn func(context.Context, *goose.Provider, int64) error) (err error) {
	unlock, err := lockFile(path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	if err := ensureFile(path); err != nil {
		return err
	}

	pool, err := sql.Open("sqlite", address(path, "busy_timeout(5000)"))
	if err != nil {
		return sentinel(err)
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	pool.SetMaxOpenConns(1)

	have, err := inspect(ctx, pool)
	if err != nil {
		return fmt.Errorf("open database %s: %w", path, err)
	}
	if _, err := pool.ExecContext(ctx, `PRAGMA journal_mode = WAL`); err != nil {
		return fmt.Errorf("open database %s: %w", path, sentinel(err))
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, pool, embed.Migrations(), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if err := fn(ctx, provider, have); err != nil {
		return fmt.Errorf("migrate: %w", sentinel(err))
	}
	return nil
}

// Peek runs fn on the file at path as it is: it migrates nothing and writes nothing.
// ErrNotFound: there is no file, or nothing in it. fn finds the schema of a file that
// may be older than this binary's.
func Peek(ctx context.Context, path string, fn func(*Tx) error) (err error) {
	if err := mustExist(path); err != nil {
		return err
	}
	c, err := dial(ctx, path, "busy_timeout(5000)", "query_only(1)")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	have, err := inspect(ctx, c.sql)
	if err != nil {
		return fmt.Errorf("open database %s: %w", path, err)
	}
	if have == 0 {
		return fmt.Errorf("nothing in database %s: %w", path, ErrNotFound)
	}
	return fn(&Tx{conn: c, now: time.Now().UTC()})
}

// rowQuerier is a pool or a connection.
type rowQuerier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// applicationID marks a file of ours, see the first migration.
const applicationID = 0x73766331

// inspect returns the schema version of a file that is ours to use: one that we
// made, or an empty one. It changes nothing, so that another program's file stays
// as it is.
func inspect(ctx context.Context, file rowQuerier) (have int64, err error) {
	var id, tables int64
	for _, look := range []struct {
		query string
		dest  *int64
	}{
		{`PRAGMA application_id`, &id},
		{`PRAGMA user_version`, &have},
		{`SELECT count(*) FROM sqlite_master WHERE name NOT LIKE 'goose%' AND name NOT LIKE 'sqlite%'`, &tables},
	} {
		if err := file.QueryRowContext(ctx, look.query).Scan(look.dest); err != nil {
			return 0, sentinel(err)
		}
	}
	switch {
	case id != applicationID && tables > 0:
		return 0, ErrForeign
	case have > schemaVersion:
		return 0, ErrNewerSchema
	}
	return have, nil
}
