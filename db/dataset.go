package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"svc/db/engine"
)

// Dataset is a named table that an account has imported, from one file or several. Its
// rows are in a file of its own (see DataWriter), which is built while the dataset is
// importing and complete when it is ready. Ask reads the one in use, else the newest ready
// one (H3). A change of its rows is imported as a dataset of its own, whose file it then
// takes over (ChangeDataset). The row that names a file is created before the file and
// deleted before it, so a file that no row names may be removed.
type Dataset struct {
	ID        string
	AccountID string
	Name      string // unique among the account's ready ones, regardless of case
	File      string // see DataPath
	Files     string // JSON of the caller: what was imported into it
	Rows      int64
	Source    string // JSON of the caller; in lists an object of its First and Last
	InUse     bool   // ask reads it, even if another is newer
	Ready     bool
	CreatedAt time.Time
	ReadyAt   time.Time // of the last import into it

	revision int64 // of Source
}

// DatasetContent is what an import gives a dataset, beside its file.
type DatasetContent struct {
	Rows          int64
	Source, Files string
	At            time.Time // when its rows came; zero: now
	// Change is what ChangeDataset does, so that it can be undone (see Before); empty: it
	// cannot.
	Change Change
}

// readyMs is the stored form of At.
func (c DatasetContent) readyMs(tx *Tx) int64 {
	if c.At.IsZero() {
		return tx.nowMs()
	}
	return c.At.UnixMilli()
}

const datasetColumns = `id, account_id, name, file, files, rows, state, in_use, created_at, ready_at, revision`

// newestFirst is the order in which ask prefers an account's ready datasets.
const newestFirst = `in_use DESC, ready_at DESC, id DESC`

var (
	insertDataset = newQuery(`
INSERT INTO datasets (id, account_id, name, file, files, rows, source, state, in_use, created_at, revision)
VALUES ($1, $2, $3, $1, '[]', 0, '', 'importing', 0, $4, 0)`)

	readyDataset = newQuery(`
UPDATE datasets
SET rows = $3, source = $4, files = $5, state = 'ready', ready_at = $6, revision = revision + 1
WHERE account_id = $1 AND id = $2 AND state = 'importing'`)

	changeDataset = newQuery(`
UPDATE datasets
SET file = $4, rows = $5, source = $6, files = $7, ready_at = $8, revision = revision + 1
WHERE account_id = $1 AND id = $2 AND revision = $3 AND state = 'ready'`)

	correctDataset = newQuery(`
UPDATE datasets
SET source = $4, revision = revision + 1
WHERE account_id = $1 AND id = $2 AND revision = $3 AND state = 'ready'`)

	releaseDatasets = newQuery(`UPDATE datasets SET in_use = 0 WHERE account_id = $1 AND in_use = 1`)
	useDataset      = newQuery(`UPDATE datasets SET in_use = 1 WHERE account_id = $1 AND id = $2 AND state = 'ready'`)

	datasetByID = newQuery(`
SELECT ` + datasetColumns + `, source
FROM datasets
WHERE account_id = $1 AND id = $2`)

	datasetByName = newQuery(`
SELECT ` + datasetColumns + `, source
FROM datasets
WHERE account_id = $1 AND name = $2 AND state = 'ready'`)

	latestDataset = newQuery(`
SELECT ` + datasetColumns + `, source
FROM datasets
WHERE account_id = $1 AND state = 'ready'
ORDER BY ` + newestFirst + `
LIMIT 1`)

	// An empty id selects the one that ask reads.
	datasetStamp = newQuery(`
SELECT id, revision
FROM datasets
WHERE account_id = $1 AND state = 'ready' AND ($2 = '' OR id = $2 OR name = $2)
ORDER BY ` + newestFirst + `
LIMIT 1`)

	datasetsOfAccount = newQuery(`
SELECT ` + datasetColumns + `,
  CASE WHEN state = 'ready' THEN json_object('First', json_extract(source, '$.First'), 'Last', json_extract(source, '$.Last')) ELSE '' END
FROM datasets
WHERE account_id = $1
ORDER BY state, ` + newestFirst)

	importingDatasets = newQuery(`
SELECT ` + datasetColumns + `, ''
FROM datasets
WHERE state = 'importing'
ORDER BY id`)

	deleteDataset    = newQuery(`DELETE FROM datasets WHERE account_id = $1 AND id = $2`)
	deleteImporting  = newQuery(`DELETE FROM datasets WHERE account_id = $1 AND id = $2 AND state = 'importing'`)
	namesOfDataFiles = newQuery(`
SELECT file FROM datasets
UNION
SELECT file FROM dataset_befores
UNION
SELECT id FROM uploads
UNION
SELECT id FROM imports WHERE state = 'staged'`)
)

func scanDataset(row scanner) (d Dataset, err error) {
	var state string
	err = row.Scan(&d.ID, &d.AccountID, &d.Name, &d.File, &d.Files, &d.Rows, &state, &d.InUse, timestamp(&d.CreatedAt), timestamp(&d.ReadyAt), &d.revision, &d.Source)
	d.Ready = state == "ready"
	return d, err
}

// BeginDataset stores a dataset that is importing. Its file is made after that, and it
// does not count until it is ready.
func (tx *Tx) BeginDataset(accountID, name string) (Dataset, error) {
	id := tx.newID("ds_")
	d := Dataset{ID: id, AccountID: accountID, Name: name, File: id, CreatedAt: tx.Now()}
	if err := tx.exec(insertDataset, d.ID, accountID, name, tx.nowMs()); err != nil {
		return Dataset{}, fmt.Errorf("begin dataset: %w", err)
	}
	return d, nil
}

// ReadyDataset makes a dataset ready whose file is published. ErrStale: it was dropped
// meanwhile. ErrConflict: another ready dataset of the account has its name.
func (tx *Tx) ReadyDataset(d Dataset, content DatasetContent) error {
	return tx.step(readyDataset, d.AccountID, d.ID, content.Rows, content.Source, content.Files, content.readyMs(tx))
}

// ChangeDataset gives a ready dataset the file of one that is importing, which ceases to
// exist. The file must be published. What the dataset was is kept (see Before). ErrStale: the
// dataset has changed since d was read, or the import was dropped meanwhile.
func (tx *Tx) ChangeDataset(d, importing Dataset, content DatasetContent) error {
	if err := tx.AbandonDataset(importing); err != nil {
		return err
	}
	if err := tx.keepBefore(d, content.Change); err != nil {
		return err
	}
	return tx.step(changeDataset, d.AccountID, d.ID, d.revision, importing.File, content.Rows, content.Source, content.Files, content.readyMs(tx))
}

// CorrectDataset replaces the dataset's source. ErrStale: the source has changed since d
// was read.
func (tx *Tx) CorrectDataset(d Dataset, source string) error {
	return tx.step(correctDataset, d.AccountID, d.ID, d.revision, source)
}

// UseDataset makes ask read a ready dataset, until another is used. With an empty id, ask
// reads the newest again. ErrStale: there is no such dataset.
func (tx *Tx) UseDataset(accountID, id string) error {
	if err := tx.exec(releaseDatasets, accountID); err != nil || id == "" {
		return err
	}
	return tx.step(useDataset, accountID, id)
}

// Dataset finds one of the account's datasets, by its id, or a ready one by its name.
func (tx *Tx) Dataset(accountID, idOrName string) (Dataset, error) {
	d, err := one(tx, datasetByID, scanDataset, accountID, idOrName)
	if errors.Is(err, ErrNotFound) {
		d, err = one(tx, datasetByName, scanDataset, accountID, idOrName)
	}
	return d, err
}

// LatestDataset finds the ready dataset that ask reads: the one in use, else the one whose
// last import ended last.
func (tx *Tx) LatestDataset(accountID string) (Dataset, error) {
	return one(tx, latestDataset, scanDataset, accountID)
}

// DatasetStamp returns a version token of a dataset's source, by its id or name, or with an
// empty id of the one that ask reads. When it changes, cached values of the source are stale.
func (tx *Tx) DatasetStamp(accountID, id string) (stamp string, err error) {
	var revision int64
	err = tx.row(datasetStamp, []any{accountID, id}, &stamp, &revision)
	return fmt.Sprint(stamp, " ", revision), err
}

// Datasets lists the account's datasets: importing ones first, then in the order in which
// ask prefers them.
func (tx *Tx) Datasets(accountID string) ([]Dataset, error) {
	return collect(tx, datasetsOfAccount, scanDataset, accountID)
}

// ImportingDatasets lists, of all accounts, the datasets that are not ready. Some may be
// dead (see DB.IsDead).
func (tx *Tx) ImportingDatasets() ([]Dataset, error) {
	return collect(tx, importingDatasets, scanDataset)
}

// AbandonDataset removes the row of a dataset that is importing. ErrStale: it is importing
// no longer, and its file may be that of a dataset.
func (tx *Tx) AbandonDataset(d Dataset) error { return tx.step(deleteImporting, d.AccountID, d.ID) }

// DropDataset removes a dataset's row, with what it was before. Its files may then be removed.
func (tx *Tx) DropDataset(d Dataset) error {
	return errors.Join(tx.exec(dropBefore, d.AccountID, d.ID), tx.exec(deleteDataset, d.AccountID, d.ID))
}

// dataDir returns the folder of the datasets' files, beside the database.
func (db *DB) dataDir() string { return dataFolder(db.path) }

// DataPath returns the path of a dataset's published file.
func (db *DB) DataPath(d Dataset) string { return filepath.Join(db.dataDir(), d.File+".db") }

// DataTempPath returns the path at which a dataset's file is built.
func (db *DB) DataTempPath(d Dataset) string { return db.DataPath(d) + ".tmp" }

// dataClaimPath returns the path of the file that the process locks that builds a dataset.
func (db *DB) dataClaimPath(d Dataset) string { return db.DataPath(d) + claimSuffix }

const claimSuffix = ".lock"

// ClaimDataset marks an importing dataset as being built by this process, until release or
// until the process ends, however it ends.
func (db *DB) ClaimDataset(d Dataset) (release func() error, err error) {
	if err := os.MkdirAll(db.dataDir(), 0o700); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return engine.Claim(db.dataClaimPath(d))
}

const (
	// unclaimedFor is the age at which an importing dataset without a claim is dead: it is
	// begun before it is claimed. Without flock no dataset has a claim.
	unclaimedFor       = time.Minute
	unclaimedElsewhere = 24 * time.Hour
)

// IsDead reports whether no process builds an importing dataset any more. The row and the
// files of a dead one may be removed.
func (db *DB) IsDead(d Dataset, now time.Time) (bool, error) {
	if d.Ready {
		return false, nil
	}
	held, found, err := engine.Claimed(db.dataClaimPath(d))
	switch {
	case err != nil || held:
		return false, err
	case found:
		return true, nil
	case !engine.HasClaims:
		return now.Sub(d.CreatedAt) > unclaimedElsewhere, nil
	}
	return now.Sub(d.CreatedAt) > unclaimedFor, nil
}

// RemoveImport removes the files of an importing dataset whose row is gone.
func (db *DB) RemoveImport(d Dataset) error {
	return errors.Join(RemoveDataFile(db.DataTempPath(d)), RemoveDataFile(db.DataPath(d)), RemoveDataFile(db.dataClaimPath(d)))
}

// dataSuffixes end the names of the files of a dataset.
var dataSuffixes = []string{"db", "db.tmp", "db" + claimSuffix, "db" + claimSuffix + engine.NewClaimSuffix}

// SweepDataFiles removes files of datasets, uploads and previews of imports that no row names. It lists the folder before it
// reads the rows, so that it cannot remove the file of a dataset that is begun meanwhile.
func (db *DB) SweepDataFiles(ctx context.Context) error {
	files, err := os.ReadDir(db.dataDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sweep datasets: %w", err)
	}
	named, err := Read(ctx, db, func(tx *Tx) ([]string, error) { return collect(tx, namesOfDataFiles, scanText) })
	if err != nil {
		return err
	}
	var all error
	for _, file := range files {
		name, suffix, _ := strings.Cut(file.Name(), ".")
		isOurs := strings.HasPrefix(name, "ds_") && slices.Contains(dataSuffixes, suffix) || suffix == uploadSuffix && (strings.HasPrefix(name, "up_") || strings.HasPrefix(name, "imp_"))
		if isOurs && !slices.Contains(named, name) {
			all = errors.Join(all, RemoveDataFile(filepath.Join(db.dataDir(), file.Name())))
		}
	}
	return all
}
