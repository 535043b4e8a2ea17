package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"time"

	"svc/db/engine"
)

// A backup is one archive (see engine.WriteArchive) with the database as backupDB, each
// ready dataset as <id>.db in backupData, and the key file that seals secrets, if there is
// one, as backupKey (L4).
const (
	backupDB   = "svc.db"
	backupData = "data"
	backupKey  = "svc.key"
)

// backupTries is how often Backup begins anew because a dataset was removed meanwhile.
const backupTries = 5

// BackupContents is what a backup was found to hold, after it was written or before it is
// restored.
type BackupContents struct {
	Schema    int64 // version
	Older     bool  // whether Schema is older than this binary's
	CreatedAt time.Time
	Wallets   int
	Entries   int64 // rows of all ledgers
	Datasets  int
	Bytes     int64 // length of the backup file
}

var (
	countEntries  = newQuery(`SELECT count(*) FROM ledger`)
	readyDatasets = newQuery(`SELECT id, file, rows FROM datasets WHERE state = 'ready' ORDER BY id`)
)

// keyPath returns the path of the file with the key that seals secrets, beside the database.
func keyPath(path string) string { return path + ".key" }

// dataFolder returns the folder of the datasets' files, beside the database.
func dataFolder(path string) string { return engine.DataFolder(path) }

// dataFileName returns the name of a ready dataset's file, here and in its folder.
func dataFileName(d Dataset) string { return d.File + ".db" }

// Backup writes the database at path, with its datasets and its key file, to a new file at
// to (0600), while servers may be writing to it. The backup holds every change that was
// confirmed before the call. Before it gets its name, all of it is unpacked and checked as
// Restore would; ErrDamaged: it did not pass. ErrConflict: there is a file at to. A database
// with an older schema is copied as it is, so that it can be backed up before an upgrade.
func Backup(ctx context.Context, path, to string, now time.Time) (contents BackupContents, err error) {
	if err := mustBeFree(to); err != nil {
		return BackupContents{}, err
	}
	stage, err := prepareBackup(path, to)
	if err != nil {
		return BackupContents{}, fmt.Errorf("backup: %w", err)
	}
	defer func() { err = errors.Join(err, stage.remove()) }()

	part := stage.path("backup.tar")
	if err := pack(ctx, path, stage.folder, part, now); err != nil {
		return BackupContents{}, err
	}
	CrashPoint("backup-packed")
	if contents, err = unpackChecked(ctx, part, stage.path("check")); err != nil {
		return BackupContents{}, fmt.Errorf("the backup was written and did not pass its check: %w", err)
	}
	if err := engine.Chown(filepath.Dir(to), part); err != nil {
		return BackupContents{}, fmt.Errorf("backup: %w", err)
	}
	CrashPoint("backup-checked")
	if err := publishBackup(part, to, os.Link); err != nil {
		return BackupContents{}, err
	}
	return contents, engine.Sync(filepath.Dir(to))
}

// backupStage matches the names of the stages of backups.
var backupStage = regexp.MustCompile(`^\..+\.svc-tmp-[0-9]+$`)

// prepareBackup removes what killed backups left in the folder, unless they were somebody
// else's, finishes an interrupted restore of the database, and makes a stage.
func prepareBackup(path, to string) (stage, error) {
	folder := filepath.Dir(to)
	left := eachAbandoned(folder, backupStage, stage.remove)
	if err := errors.Join(recoverRestore(path), translate(left, fs.ErrPermission, nil)); err != nil {
		return stage{}, err
	}
	return newStage(folder, "."+filepath.Base(to)+".svc-tmp-", folder)
}

// publishBackup gives a finished backup its name. ErrConflict: there is a file. A link fails
// if one was made meanwhile, which a rename would overwrite; so a rename is only for file
// systems without links.
func publishBackup(part, to string, link func(from, to string) error) error {
	err := link(part, to)
	switch {
	case errors.Is(err, fs.ErrExist):
		return notFree(to)
	case err == nil:
		CrashPoint("backup-linked")
		err = os.Remove(part)
	default:
		if err := mustBeFree(to); err != nil {
			return err
		}
		err = os.Rename(part, to)
	}
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}

func mustBeFree(path string) error {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = notFree(path)
	}
	return err
}

func notFree(path string) error {
	return fmt.Errorf("%s %w; name another file, or move it away", path, ErrConflict)
}

// pack writes the archive. The snapshot of the database comes first, and names the datasets.
// Their files are never changed; one that was removed after the snapshot lost its row
// before its file, so that the next snapshot does not name it.
func pack(ctx context.Context, path, stage, to string, now time.Time) error {
	snapshot := filepath.Join(stage, backupDB)
	for try := 1; ; try++ {
		version, err := engine.CopyDatabase(ctx, path, snapshot, schema())
		if err != nil {
			return err
		}
		files, err := backupFiles(ctx, path, snapshot, version)
		if err != nil {
			return err
		}
		manifest := engine.Manifest{Schema: version, CreatedAt: now.UTC(), Files: files}
		err = engine.WriteArchive(ctx, to, manifest)
		if err == nil {
			return os.Remove(snapshot) // its room is needed for the check
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("backup: %w", err)
		}
		if try == backupTries {
			return fmt.Errorf("backup: a file of the database is missing: %w", err)
		}
		if err := errors.Join(os.Remove(to), os.Remove(snapshot)); err != nil {
			return fmt.Errorf("backup: %w", err)
		}
	}
}

// backupFiles lists what belongs to a snapshot of the database at path, which has a schema.
func backupFiles(ctx context.Context, path, snapshot string, version int64) ([]engine.ArchivedFile, error) {
	files := []engine.ArchivedFile{engine.FileToArchive(backupDB, snapshot)}
	var sets []Dataset
	err := peekMigrated(ctx, snapshot, version, func(tx *Tx) (err error) {
		sets, err = tx.readyDatasets()
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, d := range sets {
		file := dataFileName(d)
		files = append(files, engine.FileToArchive(backupData+"/"+file, filepath.Join(dataFolder(path), file)))
	}
	_, err = os.Stat(keyPath(path))
	switch {
	case err == nil:
		files = append(files, engine.FileToArchive(backupKey, keyPath(path)))
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("backup: %w", err)
	}
	return files, nil
}

// peekMigrated is Peek of a file that nobody uses, of this version of the schema. Fn sees an
// older one as if it were migrated: it reads a migrated copy, which is made beside the file
// and removed.
func peekMigrated(ctx context.Context, path string, version int64, fn func(*Tx) error) (err error) {
	if version == schemaVersion {
		return Peek(ctx, path, fn)
	}
	scratch, err := os.MkdirTemp(filepath.Dir(path), "migrated-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	migrated := filepath.Join(scratch, backupDB)
	if err := engine.CopyFile(path, migrated); err != nil {
		return err
	}
	if _, err := Migrate(ctx, migrated); err != nil {
		return err
	}
	return Peek(ctx, migrated, fn)
}

// readyDatasets lists the ready datasets of all accounts, with id, file and rows only.
func (tx *Tx) readyDatasets() ([]Dataset, error) {
	return collect(tx, readyDatasets, func(row scanner) (d Dataset, err error) {
		err = row.Scan(&d.ID, &d.File, &d.Rows)
		return d, err
	})
}

// unpackChecked unpacks a backup into a new folder and checks what it holds: every SQLite
// file is whole, the database has the schema that the manifest names, every wallet agrees
// with its ledger, and every ready dataset has its file with all its rows.
func unpackChecked(ctx context.Context, from, folder string) (contents BackupContents, err error) {
	info, err := os.Stat(from)
	if err != nil {
		return BackupContents{}, err
	}
	manifest, err := engine.Unpack(ctx, from, folder)
	if err != nil {
		return BackupContents{}, err
	}
	if manifest.Schema > schemaVersion {
		return BackupContents{}, ErrNewerSchema
	}
	for _, file := range manifest.Files {
		if !isBackupName(file.Name) {
			return BackupContents{}, fmt.Errorf("%w: unexpected file %q", ErrDamaged, file.Name)
		}
	}
	database := filepath.Join(folder, backupDB)
	version, err := engine.Check(ctx, database)
	if err == nil && version != manifest.Schema {
		err = fmt.Errorf("%w: its database has schema version %d, its manifest says %d", ErrDamaged, version, manifest.Schema)
	}
	if err != nil {
		return BackupContents{}, err
	}
	contents = BackupContents{Schema: version, Older: version < schemaVersion, CreatedAt: manifest.CreatedAt, Bytes: info.Size()}
	err = contents.check(ctx, database, folder)
	return contents, err
}

// isBackupName reports whether a backup may hold a file of this name. Others are refused: a
// svc.db-wal or svc.db-journal would be applied to the database when it is first opened.
func isBackupName(name string) bool {
	isDataset, _ := path.Match(backupData+"/ds_*.db", name) // * matches no slash
	return name == backupDB || name == backupKey || isDataset
}

// check checks the rows of the database at path, which has the schema b.Schema, and the
// datasets of the folder, and counts them.
func (b *BackupContents) check(ctx context.Context, path, folder string) error {
	var sets []Dataset
	err := peekMigrated(ctx, path, b.Schema, func(tx *Tx) error {
		faults, wallets, err := tx.VerifyWallets()
		if err != nil {
			return err
		}
		if len(faults) > 0 {
			return fmt.Errorf("%w: %d of %d wallets contradict their ledgers; the first is that of %s: %s",
				ErrDamaged, len(faults), wallets, faults[0].Email, faults[0].Fault)
		}
		b.Wallets = wallets
		if b.Entries, err = value[int64](tx, countEntries); err != nil {
			return err
		}
		sets, err = tx.readyDatasets()
		return err
	})
	if err != nil {
		return err
	}
	for _, d := range sets {
		if !isBackupName(backupData + "/" + dataFileName(d)) { // a path out of the folder
			return fmt.Errorf("dataset %s: %w: its file has the name %q", d.ID, ErrDamaged, d.File)
		}
		if err := checkDataset(ctx, filepath.Join(folder, backupData, dataFileName(d)), d.Rows); err != nil {
			return fmt.Errorf("dataset %s: %w", d.ID, err)
		}
	}
	b.Datasets = len(sets)
	return nil
}

func checkDataset(ctx context.Context, path string, rows int64) (err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: its file is missing", ErrDamaged)
	}
	if _, err := engine.Check(ctx, path); err != nil {
		return err
	}
	file, err := OpenDataFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	found, err := file.Query(ctx, 1, `SELECT count(*) FROM rows`)
	if err != nil {
		return err
	}
	if found.Rows[0][0] != rows {
		return fmt.Errorf("%w: its file has %v rows, not %d", ErrDamaged, found.Rows[0][0], rows)
	}
	return nil
}
