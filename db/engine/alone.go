package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

var (
	beginExclusive = NewQuery(`BEGIN EXCLUSIVE`)
	truncateLog    = NewQuery(`PRAGMA wal_checkpoint(TRUNCATE)`)
)

// Alone runs fn, which exchanges the file at path, while no process has it open and none
// can open it. It fails with ErrInUse if one has.
//
// Two locks see to that. Every connection to a file with a write-ahead log holds SQLite's
// shared lock on it, which ends with the process, however that ends; so if Alone gets the
// exclusive lock, nobody has the file open, no svc of an older version either. And Open
// makes its first connection under the lock file, which Alone holds until fn returns; so
// who comes later waits and then opens the new file. (Without flock, see lock_other.go, a
// process that starts while fn runs may open the old one.)
//
// Before it calls fn, Alone copies the write-ahead log into the file and removes it, so
// that the file alone is the whole database. That SQLite finds no database in the file is
// no error: nothing can work on such a file.
func Alone(ctx context.Context, path string, fn func() error) error {
	unlock, err := lockFile(path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	if err := settle(ctx, path); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return fn()
}

// Locked runs fn while no process opens, migrates or exchanges the file at path. It must not
// be called within Alone or another Locked.
func Locked(path string, fn func() error) error {
	unlock, err := lockFile(path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	return fn()
}

// settle takes the exclusive lock, empties the log and closes again. As the last connection
// it removes the log, which it must not do after the file has been exchanged: it would
// remove the log of the new one.
func settle(ctx context.Context, path string) (err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	defer func() {
		if isDamaged(err) {
			err = nil
		}
	}()
	c, err := Dial(ctx, path, "busy_timeout(1000)", "locking_mode(EXCLUSIVE)")
	if err == nil {
		err = c.settle()
	}
	if isBusy(err) {
		return ErrInUse
	}
	return err
}

func (c *Conn) settle() (err error) {
	defer func() {
		if closeErr := c.Close(); err == nil {
			err = closeErr
		}
	}()
	if _, err := c.Exec(beginExclusive); err != nil {
		return err
	}
	if _, err := c.Exec(commit); err != nil {
		return err
	}
	var busy, pages, copied int64
	return c.row(truncateLog, nil, &busy, &pages, &copied)
}
