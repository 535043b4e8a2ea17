package db

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"svc/db/engine"
)

// swap exchanges the database at path for the fresh one. It runs under engine.Alone, so no
// process uses either.
//
// A crash at any point leaves the old database whole or the new one, because one rename
// decides between them. Before it, the old files get second names (hard links), and the new
// datasets come beside the old ones: their names are ids, and the old database does not
// know theirs. The key file, if the backup has one, and a write-ahead log are exchanged, too.
// Then the new database file is renamed over the old one. What only the old database used is
// removed from its first name after that; if a crash prevents it, the server's sweep does it.
//
// A journal in the stage has what is needed to take all of that back. recoverRestore, which
// runs before a database is opened or restored, looks for it: if the new database file is
// still in the stage, the rename did not happen, and the second names are taken back; else
// the exchange is complete, and only the stage is left over.
//
// engine.Alone has removed the write-ahead log; the -shm of a server that was killed may be
// left. Either would be taken for the new file's, so both are moved away before the rename.
type swap struct {
	path  string
	kept  string // empty: there is nothing to keep
	stage stage
	added []string // names of the datasets of the backup
}

// journalName is the file of a stage that says what the exchange changes.
const journalName = "journal.json"

type journal struct {
	Kept   string // name beside the database; empty: there was nothing to keep
	HadKey bool   // there was a key file
	NewKey bool   // the backup has one
}

func (s swap) fresh(name string) string { return filepath.Join(s.stage.path(freshFolder), name) }

func (s *swap) run() error {
	if err := s.begin(); err != nil {
		return err
	}
	if err := s.exchange(); err != nil {
		return errors.Join(err, s.undo())
	}
	CrashPoint("restore-renamed")
	err := errors.Join(engine.Sync(filepath.Dir(s.path)), s.removeOldDatasets())
	CrashPoint("restore-swept")
	return err
}

// begin writes the journal.
func (s *swap) begin() error {
	hadKey, err := exists(keyPath(s.path))
	if err != nil {
		return err
	}
	newKey, err := exists(s.fresh(backupKey))
	if err != nil {
		return err
	}
	j := journal{HadKey: hadKey, NewKey: newKey}
	if s.kept != "" {
		j.Kept = filepath.Base(s.kept)
	}
	text, err := json.Marshal(j)
	if err != nil {
		return err
	}
	part := s.stage.path("journal.tmp")
	if err := os.WriteFile(part, text, 0o600); err != nil {
		return err
	}
	if err := errors.Join(engine.Chown(s.path, part), engine.Sync(part)); err != nil {
		return err
	}
	if err := os.Rename(part, s.stage.path(journalName)); err != nil {
		return err
	}
	return errors.Join(engine.Sync(s.stage.folder), engine.Sync(filepath.Dir(s.path)))
}

// exchange puts the new files in their place; its last step decides.
func (s *swap) exchange() error {
	CrashPoint("restore-begun")
	if s.kept != "" {
		if err := s.keep(); err != nil {
			return err
		}
	}
	CrashPoint("restore-kept")
	if err := s.addDatasets(); err != nil {
		return err
	}
	CrashPoint("restore-datasets")
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := ignoreMissing(os.Rename(s.path+suffix, s.kept+suffix)); err != nil {
			return err
		}
	}
	CrashPoint("restore-logs")
	if err := ignoreMissing(os.Rename(s.fresh(backupKey), keyPath(s.path))); err != nil {
		return err
	}
	CrashPoint("restore-key")
	if err := engine.Sync(filepath.Dir(s.path)); err != nil {
		return err
	}
	return os.Rename(s.fresh(backupDB), s.path)
}

// keep gives the old files their second names.
func (s *swap) keep() error {
	for _, f := range []struct{ old, kept string }{{s.path, s.kept}, {keyPath(s.path), keyPath(s.kept)}} {
		if err := ignoreMissing(engine.LinkOrCopy(f.old, f.kept)); err != nil {
			return err
		}
		CrashPoint("restore-kept-some")
	}
	if err := engine.LinkFolder(dataFolder(s.path), dataFolder(s.kept)); err != nil {
		return err
	}
	return engine.Chown(s.path, s.kept, keyPath(s.kept), dataFolder(s.kept))
}

// addDatasets moves the datasets of the backup to their place.
func (s *swap) addDatasets() (err error) {
	from, to := s.fresh(backupData), dataFolder(s.path)
	if s.added, err = engine.FileNames(from); err != nil || len(s.added) == 0 {
		return err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	if err := engine.Chown(s.path, to); err != nil {
		return err
	}
	for _, name := range s.added {
		if err := os.Rename(filepath.Join(from, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	return engine.Sync(to)
}

// removeOldDatasets removes the files that are kept elsewhere and that the backup did not add.
func (s *swap) removeOldDatasets() error {
	if s.kept == "" {
		return nil
	}
	names, err := engine.FileNames(dataFolder(s.kept))
	for _, name := range names {
		if !slices.Contains(s.added, name) {
			err = errors.Join(err, RemoveDataFile(filepath.Join(dataFolder(s.path), name)))
		}
	}
	return err
}

// stageOf matches the names of the stages of restores of the database at path.
func stageOf(path string) *regexp.Regexp {
	return regexp.MustCompile(`^\.` + regexp.QuoteMeta(filepath.Base(path)) + `\.restore-[0-9]+$`)
}

// recoverRestore takes back, or brings to its end, what restores of the database at path
// left that were killed. It removes no file that has no other copy.
func recoverRestore(path string) error {
	folder, name := filepath.Dir(path), stageOf(path)
	left, err := stages(folder, name)
	if err != nil || len(left) == 0 {
		return err
	}
	err = engine.Locked(path, func() error {
		return eachAbandoned(folder, name, func(left stage) error { return (&swap{path: path, stage: left}).recover() })
	})
	if err != nil {
		return fmt.Errorf("take back a restore that was interrupted: %w", err)
	}
	return nil
}

// Exists reports whether there is a store at path, or one that Open takes back from a restore
// that was killed. What cannot be looked at counts as one.
func Exists(path string) bool {
	is, err := exists(path)
	if is || err != nil {
		return true
	}
	left, err := stages(filepath.Dir(path), stageOf(path))
	return err != nil || len(left) > 0
}

// recover ends one exchange. What a restore by root had unpacked when it was killed before it
// changed anything is root's, and stays if it cannot be removed.
func (s *swap) recover() error {
	begun, err := exists(s.stage.path(journalName))
	if err == nil && !begun {
		return translate(s.stage.remove(), fs.ErrPermission, nil)
	}
	if err == nil {
		err = s.undoUnlessDone()
	}
	if err != nil {
		s.stage.unlock()
		return err
	}
	return s.stage.remove()
}

// undoUnlessDone takes an exchange back unless its last step was done.
func (s *swap) undoUnlessDone() error {
	waiting, err := exists(s.fresh(backupDB))
	if err != nil || !waiting {
		return err
	}
	return s.undo()
}

// undo takes back what exchange did before its last step. It may be repeated.
func (s *swap) undo() error {
	text, err := os.ReadFile(s.stage.path(journalName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was changed
	}
	var j journal
	if err == nil {
		err = json.Unmarshal(text, &j)
	}
	if err != nil {
		return err
	}
	if err := s.undoKey(j); err != nil || j.Kept == "" {
		return err
	}
	CrashPoint("undo-key")
	kept := filepath.Join(filepath.Dir(s.path), j.Kept)
	for _, suffix := range []string{"-wal", "-shm"} {
		if err := moveBack(kept+suffix, s.path+suffix); err != nil {
			return err
		}
	}
	names, err := engine.FileNames(dataFolder(kept))
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := moveBack(filepath.Join(dataFolder(kept), name), filepath.Join(dataFolder(s.path), name)); err != nil {
			return err
		}
	}
	CrashPoint("undo-data")
	err = errors.Join(ignoreMissing(os.Remove(dataFolder(kept))), moveBack(keyPath(kept), keyPath(s.path)), moveBack(kept, s.path))
	return errors.Join(err, engine.Sync(filepath.Dir(s.path)))
}

// undoKey puts the old key file back if that of the backup is in its place.
func (s *swap) undoKey(j journal) error {
	waiting, err := exists(s.fresh(backupKey))
	if err != nil || !j.NewKey || waiting {
		return err
	}
	if !j.HadKey {
		return ignoreMissing(os.Remove(keyPath(s.path)))
	}
	return ignoreMissing(os.Rename(keyPath(filepath.Join(filepath.Dir(s.path), j.Kept)), keyPath(s.path)))
}

// moveBack removes the second name of a file whose first exists, or else gives it the first
// name again.
func moveBack(second, first string) error {
	found, err := exists(first)
	if err != nil {
		return err
	}
	if found {
		return ignoreMissing(os.Remove(second))
	}
	return ignoreMissing(os.Rename(second, first))
}
