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
)

// Dataset is a table that an account has imported. Its rows are in a file of its own
// (see DataWriter), which is built while the dataset is importing and complete when it is
// ready. Ask reads the newest ready one (H3). The dataset's row is created before its
// file and deleted before it, so a file without a row belongs to no dataset and may be
// removed.
type Dataset struct {
	ID        string
	AccountID string
	Name      string
	Rows      int64
	Source    string // JSON of the caller; empty in lists
	Ready     bool
	CreatedAt time.Time
	ReadyAt   time.Time

	revision int64 // of Source
}

const datasetColumns = `id, account_id, name, rows, state, created_at, ready_at, revision`

var (
	insertDataset = newQuery(`
INSERT INTO datasets (id, account_id, name, rows, source, state, created_at, revision)
VALUES ($1, $2, $3, 0, '', 'importing', $4, 0)`)

	readyDataset = newQuery(`
UPDATE datasets
SET rows = $3, source = $4, state = 'ready', ready_at = $5, revision = revision + 1
WHERE account_id = $1 AND id = $2 AND state = 'importing'`)

	correctDataset = newQuery(`
UPDATE datasets
SET source = $4, revision = revision + 1
WHERE account_id = $1 AND id = $2 AND revision = $3 AND state = 'ready'`)

	datasetByID = newQuery(`
SELECT ` + datasetColumns + `, source
FROM datasets
WHERE account_id = $1 AND id = $2`)

	latestDataset = newQuery(`
SELECT ` + datasetColumns + `, source
FROM datasets
WHERE account_id = $1 AND state = 'ready'
ORDER BY ready_at DESC, id DESC
LIMIT 1`)

	// An empty id selects the latest.
	datasetStamp = newQuery(`
SELECT id, revision
FROM datasets
WHERE account_id = $1 AND state = 'ready' AND ($2 = '' OR id = $2)
ORDER BY ready_at DESC, id DESC
LIMIT 1`)

	datasetsOfAccount = newQuery(`
SELECT ` + datasetColumns + `, ''
FROM datasets
WHERE account_id = $1
ORDER BY state, ready_at DESC, id DESC`)

	removableDatasets = newQuery(`
SELECT ` + datasetColumns + `, ''
FROM (
  SELECT ` + datasetColumns + `, row_number() OVER (PARTITION BY account_id, state ORDER BY ready_at DESC, id DESC) AS place
  FROM datasets)
WHERE state = 'ready' AND place > $1 OR state = 'importing' AND created_at < $2
ORDER BY id`)

	deleteDataset = newQuery(`DELETE FROM datasets WHERE account_id = $1 AND id = $2`)
	datasetIDs    = newQuery(`SELECT id FROM datasets ORDER BY id`)
)

func scanDataset(row scanner) (d Dataset, err error) {
	var state string
	err = row.Scan(&d.ID, &d.AccountID, &d.Name, &d.Rows, &state, timestamp(&d.CreatedAt), timestamp(&d.ReadyAt), &d.revision, &d.Source)
	d.Ready = state == "ready"
	return d, err
}

// BeginDataset stores a dataset that is importing. Its file is made after that, and it
// does not count until it is ready.
func (tx *Tx) BeginDataset(accountID, name string) (Dataset, error) {
	d := Dataset{ID: tx.newID("ds_"), AccountID: accountID, Name: name, CreatedAt: tx.Now()}
	if err := tx.exec(insertDataset, d.ID, accountID, name, tx.nowMs()); err != nil {
		return Dataset{}, fmt.Errorf("begin dataset: %w", err)
	}
	return d, nil
}

// ReadyDataset makes a dataset ready whose file is published. ErrStale: it was dropped
// meanwhile.
func (tx *Tx) ReadyDataset(d Dataset, rows int64, source string) error {
	return tx.step(readyDataset, d.AccountID, d.ID, rows, source, tx.nowMs())
}

// CorrectDataset replaces the dataset's source. ErrStale: the source has changed since d
// was read.
func (tx *Tx) CorrectDataset(d Dataset, source string) error {
	return tx.step(correctDataset, d.AccountID, d.ID, d.revision, source)
}

// Dataset finds one of the account's datasets.
func (tx *Tx) Dataset(accountID, id string) (Dataset, error) {
	return one(tx, datasetByID, scanDataset, accountID, id)
}

// LatestDataset finds the ready dataset whose import ended last.
func (tx *Tx) LatestDataset(accountID string) (Dataset, error) {
	return one(tx, latestDataset, scanDataset, accountID)
}

// DatasetStamp returns a version token of a dataset's source, or with an empty id of the
// latest dataset's. When it changes, cached values of the source are stale.
func (tx *Tx) DatasetStamp(accountID, id string) (stamp string, err error) {
	var revision int64
	err = tx.row(datasetStamp, []any{accountID, id}, &stamp, &revision)
	return fmt.Sprint(stamp, " ", revision), err
}

// Datasets lists the account's datasets, importing ones first, then the newest.
func (tx *Tx) Datasets(accountID string) ([]Dataset, error) {
	return collect(tx, datasetsOfAccount, scanDataset, accountID)
}

// RemovableDatasets lists, of all accounts, the ready datasets except each account's
// newest keep, and those that were begun before t and never became ready.
func (tx *Tx) RemovableDatasets(keep int, t time.Time) ([]Dataset, error) {
	return collect(tx, removableDatasets, scanDataset, keep, t.UnixMilli())
}

// DropDataset removes a dataset's row. Its file may then be removed.
func (tx *Tx) DropDataset(d Dataset) error { return tx.exec(deleteDataset, d.AccountID, d.ID) }

// dataDir returns the folder of the datasets' files, beside the database.
func (db *DB) dataDir() string { return db.path + "-data" }

// DataPath returns the path of a dataset's published file.
func (db *DB) DataPath(d Dataset) string { return filepath.Join(db.dataDir(), d.ID+".db") }

// DataTempPath returns the path at which a dataset's file is built.
func (db *DB) DataTempPath(d Dataset) string { return db.DataPath(d) + ".tmp" }

// SweepDataFiles removes dataset files without a row. It lists the folder before it reads
// the rows, so that it cannot remove the file of a dataset that is begun meanwhile.
func (db *DB) SweepDataFiles(ctx context.Context) error {
	files, err := os.ReadDir(db.dataDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sweep datasets: %w", err)
	}
	ids, err := Read(ctx, db, func(tx *Tx) ([]string, error) { return collect(tx, datasetIDs, scanText) })
	if err != nil {
		return err
	}
	var all error
	for _, file := range files {
		id, suffix, _ := strings.Cut(file.Name(), ".")
		if isOurs := strings.HasPrefix(id, "ds_") && (suffix == "db" || suffix == "db.tmp"); isOurs && !slices.Contains(ids, id) {
			all = errors.Join(all, RemoveDataFile(filepath.Join(db.dataDir(), file.Name())))
		}
	}
	return all
}
