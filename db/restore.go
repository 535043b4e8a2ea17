package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// freshFolder is the folder of a stage with the unpacked backup.
const freshFolder = "new"

// Restore puts the backup at from in the place of the database at path. It unpacks the
// backup beside it and checks all of it (ErrDamaged, ErrNewerSchema) before it changes
// anything. What it replaces it keeps as <path>.replaced-<time>. ErrInUse: a process has the
// database open. A backup with an older schema is restored as it is, and not migrated. The
// files get the owner of those that they replace.
func Restore(ctx context.Context, from, path string, now time.Time) (done Restored, err error) {
	if err := recoverRestore(path); err != nil {
		return Restored{}, err
	}
	stage, err := newStage(filepath.Dir(path), "."+filepath.Base(path)+".restore-", path)
	if err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	defer func() { err = errors.Join(err, stage.remove()) }()

	fresh := stage.path(freshFolder)
	if done.BackupContents, err = unpackChecked(ctx, from, fresh); err != nil {
		return Restored{}, ofFile(from, err)
	}
	if err := ownLike(path, fresh); err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	CrashPoint("restore-unpacked")
	s := swap{path: path, stage: stage}
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

// ofFile begins an error with the name of the file that is at fault. What the system says of
// that file has the name already, behind the name of a call.
func ofFile(path string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == path {
		err = e.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// ownLike gives all files of a folder the owner of the file at like, see engine.Chown.
func ownLike(like, folder string) error {
	return filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, engine.Chown(like, path))
	})
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

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	return err == nil, ignoreMissing(err)
}

func ignoreMissing(err error) error { return translate(err, fs.ErrNotExist, nil) }
