package engine

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// The sentinels. A driver error becomes one of them by its code, never by its
// text. An error with any other code is a bug of this program and stays as it is.
var (
	// ErrNotFound: no row matches.
	ErrNotFound = errors.New("not found")
	// ErrConflict: a row with the same unique value exists.
	ErrConflict = errors.New("already exists")
	// ErrUnavailable: the file cannot be read or written now (full or failing
	// disk, read-only file, locked for longer than lockTimeout). Nothing of the
	// change is stored, and the caller may retry it.
	ErrUnavailable = errors.New("database unavailable")
	// ErrNewerSchema: a newer svc has migrated the file.
	ErrNewerSchema = errors.New("the database was made by a newer svc; use that version or a newer one")
	// ErrOlderSchema: an older svc made the file, and nobody has migrated it yet.
	ErrOlderSchema = errors.New("the database was made by an older svc; run svc migrate up (or start svc serve) first")
	// ErrInUse: another process has the file open.
	ErrInUse = errors.New("the database is in use; stop svc serve, and whatever else has it open, first")
	// ErrDamaged: a file is not what was once written: cut off, altered, or not whole.
	ErrDamaged = errors.New("damaged")
	// ErrForeign: the file is another program's database.
	ErrForeign = errors.New("the file is a database of another program")
	// ErrClosed: the engine was closed.
	ErrClosed = errors.New("database closed")
)

// sentinel maps an error of the driver to one of the sentinels above.
func sentinel(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	if errors.Is(err, sql.ErrConnDone) || errors.Is(err, driver.ErrBadConn) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}

	driverErr, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	switch driverErr.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("%w: %w", ErrConflict, err)
	}
	switch driverErr.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_FULL,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

// isBusy reports whether another process has locked the file.
func isBusy(err error) bool {
	driverErr, ok := errors.AsType[*sqlite.Error](err)
	return ok && driverErr.Code()&0xff == sqlite3.SQLITE_BUSY
}

// isDamaged reports whether SQLite could not make sense of the file.
func isDamaged(err error) bool {
	driverErr, ok := errors.AsType[*sqlite.Error](err)
	return ok && (driverErr.Code()&0xff == sqlite3.SQLITE_CORRUPT || driverErr.Code()&0xff == sqlite3.SQLITE_NOTADB)
}
