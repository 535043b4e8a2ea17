package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"svc/db/engine"
)

// Restored is the outcome of Restore.
type Restored struct {
	BackupContents
	// Kept is the path at which the database that was replaced is; empty: there was none.
	// Its datasets and its key file are beside it under their usual names.
	Kept string
}

// Restore puts the backup at from in the place of the database at path. It unpacks the
// backup beside it and checks all of it (ErrDamaged, ErrNewerSchema) before it changes
// anything. What it replaces it keeps as <path>.replaced-<time>. ErrInUse: a process has the
// database open. A backup with an older schema is restored as it is, and not migrated.
func Restore(ctx context.Context, from, path string, now time.Time) (done Restored, err error) {
	stage, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".restore-") // 0700
	if err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }()

	s := swap{path: path, fresh: filepath.Join(stage, "new")}
	if done.BackupContents, err = unpackChecked(ctx, from, s.fresh); err != nil {
		return Restored{}, fmt.Errorf("%s: %w", from, err)
	}
	err = engine.Alone(ctx, path, func() error {
		if s.kept, err = keptPath(path, now); err != nil {
			return err
		}
		return s.run()
	})
	if err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	done.Kept = s.kept
	return done, nil
}

// keptPath returns a free name for what is at path, or "" if there is nothing.
func keptPath(path string, now time.Time) (string, error) {
	nothing := true
	for _, old := range []string{path, path + "-wal", path + "-shm", dataFolder(path), keyPath(path)} {
		found, err := exists(old)
		if err != nil {
			return "", err
		}
		nothing = nothing && !found
	}
	if nothing {
		return "", nil
	}
	kept := path + ".replaced-" + now.UTC().Format("20060102T150405.000Z")
	return kept, mustBeFree(kept)
}

// swap exchanges the database at path for the fresh one. It runs under engine.Alone, so no
// process uses either.
//
// A crash at any point leaves the old database whole or the new one, because one rename
// decides between them. The old files first get second names (hard links), and the new
// datasets come beside the old ones: their names are ids, and the old database does not
// know theirs. Then the new database file is renamed over the old one. What only the old
// database used is removed from its first name after that; if a crash prevents it, the
// server's sweep does it, or the next restore.
//
// One thing is outside of this: if the backup has another key file than the one in place,
// that is exchanged just before the rename. After a crash between the two the key of the
// old database is at <kept>.key.
//
// engine.Alone has removed the write-ahead log; the -shm of a server that was killed may be
// left. Either would be taken for the new file's, so both are moved away before the rename.
type swap struct {
	path  string
	kept  string // empty: there is nothing to keep
	fresh string // folder with the files of the backup
}

func (s swap) run() error {
	added, err := s.prepare()
	if err != nil {
		return err
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := ignoreMissing(os.Rename(s.path+suffix, s.kept+suffix)); err != nil {
			return err
		}
	}
	if err := ignoreMissing(os.Rename(filepath.Join(s.fresh, backupKey), keyPath(s.path))); err != nil {
		return err
	}
	if err := engine.Sync(filepath.Dir(s.path)); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(s.fresh, backupDB), s.path); err != nil {
		return err
	}
	return errors.Join(engine.Sync(filepath.Dir(s.path)), s.removeOldDatasets(added))
}

// prepare does what leaves the old database in its place. If it fails, it takes the second
// names back, so that nobody takes them for a whole copy.
func (s swap) prepare() (added []string, err error) {
	if s.kept != "" {
		defer func() {
			if err != nil {
				err = errors.Join(err, os.RemoveAll(s.kept), os.RemoveAll(dataFolder(s.kept)), os.RemoveAll(keyPath(s.kept)))
			}
		}()
		if err := s.keep(); err != nil {
			return nil, err
		}
	}
	return s.addDatasets()
}

// keep gives the old files their second names.
func (s swap) keep() error {
	for old, kept := range map[string]string{s.path: s.kept, keyPath(s.path): keyPath(s.kept)} {
		if err := ignoreMissing(engine.LinkOrCopy(old, kept)); err != nil {
			return err
		}
	}
	return engine.LinkFolder(dataFolder(s.path), dataFolder(s.kept))
}

// addDatasets moves the datasets of the backup to their place and returns their names.
func (s swap) addDatasets() (names []string, err error) {
	from, to := filepath.Join(s.fresh, backupData), dataFolder(s.path)
	if names, err = engine.FileNames(from); err != nil || len(names) == 0 {
		return nil, err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return nil, err
		}
	}
	return names, engine.Sync(to)
}

// removeOldDatasets removes the files that are kept elsewhere and that the backup did not add.
func (s swap) removeOldDatasets(added []string) error {
	if s.kept == "" {
		return nil
	}
	names, err := engine.FileNames(dataFolder(s.kept))
	for _, name := range names {
		if !slices.Contains(added, name) {
			err = errors.Join(err, RemoveDataFile(filepath.Join(dataFolder(s.path), name)))
		}
	}
	return err
}

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	return err == nil, ignoreMissing(err)
}

func ignoreMissing(err error) error { return translate(err, fs.ErrNotExist, nil) }
