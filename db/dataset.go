package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Dataset is a table that an account brought. Its rows stand in a file of their own
// (see DataWriter), which is made while the dataset is importing, and complete when it
// is ready. The newest that is ready is the one that ask reads (H3). A row comes before
// its file and goes before it, so a file without a row is nobody's and may be removed.
type Dataset struct {
	ID        string
	AccountID string
	Name      string
	Rows      int64
	Source    string // JSON, the caller's own; empty in lists
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

	// An empty id is the latest.
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

	spentDatasets = newQuery(`
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
	var created int64
	var readyAt sql.NullInt64
	err = row.Scan(&d.ID, &d.AccountID, &d.Name, &d.Rows, &state, &created, &readyAt, &d.revision, &d.Source)
	d.Ready, d.CreatedAt, d.ReadyAt = state == "ready", millis(created), millis(readyAt.Int64)
	return d, err
}

// BeginDataset opens a dataset, of which nothing counts until it is ready. Its file is
// made after this is stored.
func (tx *Tx) BeginDataset(accountID, name string) (Dataset, error) {
	d := Dataset{ID: tx.newID("ds_"), AccountID: accountID, Name: name, CreatedAt: tx.Now()}
	_, err := tx.exec(insertDataset, d.ID, accountID, name, tx.nowMs())
	if err != nil {
		return Dataset{}, fmt.Errorf("begin dataset: %w", err)
	}
	return d, nil
}

// ReadyDataset flips an import whose file is published. ErrStale: it was dropped
// meanwhile.
func (tx *Tx) ReadyDataset(d Dataset, rows int64, source string) error {
	return tx.step(readyDataset, d.AccountID, d.ID, rows, source, tx.nowMs())
}

// CorrectDataset puts another source in the place of the one that d was read with.
// ErrStale: somebody else has changed it.
func (tx *Tx) CorrectDataset(d Dataset, source string) error {
	return tx.step(correctDataset, d.AccountID, d.ID, d.revision, source)
}

// Dataset finds one of the account's datasets.
func (tx *Tx) Dataset(accountID, id string) (Dataset, error) {
	return one(tx, datasetByID, scanDataset, accountID, id)
}

// LatestDataset is the one whose import completed last; ErrNotFound: none has.
func (tx *Tx) LatestDataset(accountID string) (Dataset, error) {
	return one(tx, latestDataset, scanDataset, accountID)
}

// DatasetStamp is another one whenever the source of a dataset, or with no id of the
// latest, may be another. ErrNotFound: there is none.
func (tx *Tx) DatasetStamp(accountID, id string) (stamp string, err error) {
	var revision int64
	err = tx.row(datasetStamp, []any{accountID, id}, &stamp, &revision)
	return fmt.Sprint(stamp, " ", revision), err
}

// Datasets lists the account's datasets, those on their way first, then the newest.
func (tx *Tx) Datasets(accountID string) ([]Dataset, error) {
	return collect(tx, datasetsOfAccount, scanDataset, accountID)
}

// SpentDatasets lists, of all accounts, what is ready beyond the newest keep, and what
// was begun before t and never became ready.
func (tx *Tx) SpentDatasets(keep int, t time.Time) ([]Dataset, error) {
	return collect(tx, spentDatasets, scanDataset, keep, t.UnixMilli())
}

// DropDataset removes a dataset; its file is nobody's from then on.
func (tx *Tx) DropDataset(d Dataset) error {
	_, err := tx.exec(deleteDataset, d.AccountID, d.ID)
	return err
}

// datasetIDs lists those of all accounts.
func (tx *Tx) datasetIDs() ([]string, error) { return collect(tx, datasetIDs, scanText) }

// dataDir is where the files of datasets stand, beside the database.
func (db *DB) dataDir() string { return db.path + "-data" }

// DataPath is where the file of a dataset stands once it is published.
func (db *DB) DataPath(d Dataset) string { return filepath.Join(db.dataDir(), d.ID+".db") }

// DataDraft is where it is built.
func (db *DB) DataDraft(d Dataset) string { return db.DataPath(d) + ".tmp" }

// SweepDataFiles removes the files of datasets without a row. It looks at the folder
// first and at the rows after, so that it cannot take what is begun meanwhile.
func (db *DB) SweepDataFiles(ctx context.Context) error {
	files, err := os.ReadDir(db.dataDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sweep datasets: %w", err)
	}
	var ids []string
	err = db.View(ctx, func(tx *Tx) (err error) {
		ids, err = tx.datasetIDs()
		return err
	})
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
