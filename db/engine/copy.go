package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// keepCopies is how many copies from before a migration are kept.
const keepCopies = 2

// Copy is a copy of a database that was made before a migration. Its data folder is beside it.
type Copy struct {
	Path    string
	Version int64 // of its schema
}

// DataFolder returns the folder of the files that belong to the database at path, which are
// never changed after they got their names.
func DataFolder(path string) string { return path + "-data" }

// copyBefore copies the file to <path>.before-<version> (0600), links its data folder to
// that of the copy, and removes all such copies but the newest keepCopies. If that name is
// taken, since somebody went back to an older copy and upgrades again, a number is added. If
// an older svc still serves the file, what it writes between the copy and the migration is
// only in the file.
func copyBefore(ctx context.Context, path string, version int64) (made Copy, err error) {
	made = Copy{Version: version}
	if made.Path, err = freeCopy(path, version); err != nil {
		return Copy{}, fmt.Errorf("copy the database before its migration: %w", err)
	}
	c, err := Dial(ctx, path, "busy_timeout(5000)")
	if err != nil {
		return Copy{}, err
	}
	copied, err := c.copyTo(ctx, made.Path)
	if err == nil && copied != version {
		err = fmt.Errorf("%w: the copy has schema version %d, not %d", ErrDamaged, copied, version)
	}
	err = errors.Join(err, c.Close())
	if err == nil {
		err = os.RemoveAll(DataFolder(made.Path)) // of a copy that somebody moved away
	}
	if err == nil {
		err = LinkFolder(DataFolder(path), DataFolder(made.Path))
	}
	if err == nil {
		err = Chown(path, made.Path, DataFolder(made.Path))
	}
	if err != nil {
		return Copy{}, fmt.Errorf("copy the database before its migration: %w", err)
	}
	if err := removeCopies(path, made.Path); err != nil {
		return Copy{}, fmt.Errorf("remove old copies: %w", err)
	}
	return made, nil
}

// freeCopy returns a name that no copy has: <path>.before-<version>, then with -2 and so on.
func freeCopy(path string, version int64) (string, error) {
	name := path + ".before-" + strconv.FormatInt(version, 10)
	for n, free := 2, name; ; n++ {
		if _, err := os.Lstat(free); errors.Is(err, fs.ErrNotExist) {
			return free, nil
		} else if err != nil {
			return "", err
		}
		free = fmt.Sprintf("%s-%d", name, n)
	}
}

// copyName matches what follows the name of the database in the name of a copy.
var copyName = regexp.MustCompile(`^\.before-[0-9]+(-[0-9]+)?$`)

// removeCopies removes the copies of the database at path but the newest keepCopies, made
// among them. It also removes one with the same content as made, so that a migration that
// fails at each start does not push out a copy from before another one.
func removeCopies(path, made string) error {
	folder, base := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(folder + "."))
	if err != nil {
		return err
	}
	type found struct {
		path string
		at   time.Time
	}
	var others []found
	for _, entry := range entries {
		suffix, ours := strings.CutPrefix(entry.Name(), base)
		name := filepath.Join(folder, entry.Name())
		if !ours || !copyName.MatchString(suffix) || !entry.Type().IsRegular() || name == filepath.Clean(made) {
			continue
		}
		twins, err := sameContent(name, made)
		if err == nil && twins {
			err = removeCopy(name)
		} else if err == nil {
			var info fs.FileInfo
			info, err = entry.Info()
			others = append(others, found{name, info.ModTime()})
		}
		if err != nil {
			return err
		}
	}
	slices.SortFunc(others, func(a, b found) int { return b.at.Compare(a.at) })
	for _, old := range others[min(keepCopies-1, len(others)):] {
		err = errors.Join(err, removeCopy(old.path))
	}
	return err
}

// removeCopy removes the data folder first: only the copy leads to it.
func removeCopy(path string) error {
	if err := os.RemoveAll(DataFolder(path)); err != nil {
		return err
	}
	return os.Remove(path)
}

// CopyDatabase writes one state of the database at path to a new file (0600), while others
// may write to it. The state includes every commit that ended before the call, also those
// that are only in the write-ahead log. The copy is checked and on disk when CopyDatabase
// returns the version of its schema, which is that of the file and may be older than the
// schema's: CopyDatabase migrates nothing.
func CopyDatabase(ctx context.Context, path, to string, schema Schema) (version int64, err error) {
	c, err := dialExisting(ctx, path, schema)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return c.copyTo(ctx, to)
}

// dialExisting opens a file that has the schema or an older one. It takes the lock file
// first, so that Alone cannot exchange the file meanwhile; afterwards the connection's own
// lock keeps Alone away.
func dialExisting(ctx context.Context, path string, schema Schema) (*Conn, error) {
	if err := mustExist(path); err != nil {
		return nil, err
	}
	unlock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	defer unlock()
	c, err := Dial(ctx, path, "busy_timeout(5000)")
	if err != nil {
		return nil, err
	}
	have, err := schema.inspect(ctx, c.value)
	if err == nil && have == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", path, err), c.Close())
	}
	return c, nil
}

// copyTo writes the state of the connection's database to a file under a temporary name,
// checks it, renames it and returns the version of its schema. VACUUM INTO reads in one
// transaction, which delays no writer.
func (c *Conn) copyTo(ctx context.Context, to string) (version int64, err error) {
	part := to + ".tmp"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	if err := createFile(part); err != nil { // before SQLite does, for the mode
		return 0, err
	}
	defer func() {
		if err != nil {
			os.Remove(part)
		}
	}()
	if err := c.execText(ctx, `VACUUM INTO $1`, part); err != nil {
		return 0, selectError(ctx, err)
	}
	if version, err = Check(ctx, part); err != nil {
		return 0, err
	}
	if err := Sync(part); err != nil {
		return 0, err
	}
	if err := os.Rename(part, to); err != nil {
		return 0, err
	}
	return version, Sync(filepath.Dir(to))
}

// Check reads the whole of a SQLite file that nobody changes, and returns the version of its
// schema. It fails with ErrDamaged if the file is not whole.
func Check(ctx context.Context, path string) (version int64, err error) {
	pool, err := OpenImmutable(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	found, err := pool.Query(ctx, 1, `PRAGMA integrity_check(1)`)
	if err == nil && (len(found.Rows) != 1 || found.Rows[0][0] != "ok") {
		err = fmt.Errorf("%w: integrity_check: %v", ErrDamaged, found.Rows)
	}
	if err == nil {
		found, err = pool.Query(ctx, 1, `PRAGMA user_version`)
	}
	if isDamaged(err) {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if err != nil {
		return 0, fmt.Errorf("check %s: %w", filepath.Base(path), err)
	}
	version, _ = found.Rows[0][0].(int64)
	return version, nil
}

// Sync writes a file or a folder through to disk.
func Sync(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil && (runtime.GOOS != "windows" || !info.IsDir()) { // Windows cannot sync folders and orders renames itself
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
