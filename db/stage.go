package db

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"svc/db/engine"
)

// A stage is the folder (0700) in which a backup or a restore builds its files, beside the
// place where they go. Its process holds a lock on it, which ends with the process, so that
// what a killed process left can be told from what is in use.
type stage struct {
	folder string
	unlock func()
}

// stageTries is how often newStage begins anew because another process took the new folder
// for an abandoned one before it was locked.
const stageTries = 5

// newStage makes a stage whose name begins with a prefix. It belongs to the owner of the file
// at like (engine.Chown), who must be able to remove it if root is killed.
func newStage(folder, prefix, like string) (s stage, err error) {
	for range stageTries {
		if s.folder, err = os.MkdirTemp(folder, prefix); err != nil {
			return s, err
		}
		if err = engine.Chown(like, s.folder); err != nil {
			return s, errors.Join(err, os.Remove(s.folder))
		}
		var locked bool
		if s.unlock, locked, err = engine.TryLock(s.folder); err != nil || locked {
			return s, err
		}
	}
	return s, errors.New("no temporary folder could be locked")
}

func (s stage) path(name string) string { return filepath.Join(s.folder, name) }

// remove removes the stage with all that is in it. The journal goes first: without it the
// rest is only files of a backup.
func (s stage) remove() error {
	defer s.unlock()
	return errors.Join(ignoreMissing(os.Remove(s.path(journalName))), os.RemoveAll(s.folder))
}

// stages returns the paths of the folders in a folder whose names match. A folder that may not
// be listed has none.
func stages(folder string, name *regexp.Regexp) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		if entry.IsDir() && name.MatchString(entry.Name()) {
			paths = append(paths, filepath.Join(folder, entry.Name()))
		}
	}
	return paths, translate(ignoreMissing(err), fs.ErrPermission, nil)
}

// eachAbandoned calls fn with each stage of stages whose process has ended. Fn removes it.
func eachAbandoned(folder string, name *regexp.Regexp, fn func(stage) error) error {
	paths, err := stages(folder, name)
	for _, path := range paths {
		unlock, locked, lockErr := engine.TryLock(path)
		if locked {
			lockErr = fn(stage{path, unlock})
		}
		err = errors.Join(err, lockErr)
	}
	return err
}
