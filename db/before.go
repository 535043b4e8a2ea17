package db

import (
	"fmt"
	"time"
)

// Change is what an import did to a dataset that there was.
type Change string

// The changes.
const (
	RowsAdded    Change = "added"
	RowsReplaced Change = "replaced"
)

// Before is what a dataset was before its last import, which UndoDataset takes back. It is
// kept, with its file, until the next import into the dataset, or for BeforeKept.
type Before struct {
	AccountID string
	DatasetID string
	Change    Change
	File      string // see DataPath
	Files     string
	Rows      int64
	Source    string
	ReadyAt   time.Time
	KeptAt    time.Time // when the import was
}

// BeforeKept is how long an import can be undone.
const BeforeKept = 30 * 24 * time.Hour

const beforeColumns = `account_id, dataset_id, change, file, files, rows, source, ready_at, kept_at`

var (
	putBefore = newQuery(`
INSERT INTO dataset_befores (` + beforeColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
ON CONFLICT (account_id, dataset_id) DO UPDATE SET change = excluded.change, file = excluded.file, files = excluded.files,
  rows = excluded.rows, source = excluded.source, ready_at = excluded.ready_at, kept_at = excluded.kept_at`)

	beforeOf   = newQuery(`SELECT ` + beforeColumns + ` FROM dataset_befores WHERE account_id = $1 AND dataset_id = $2`)
	dropBefore = newQuery(`DELETE FROM dataset_befores WHERE account_id = $1 AND dataset_id = $2`)

	dropOldBefores = newQuery(`
DELETE FROM dataset_befores
WHERE (account_id, dataset_id) IN (SELECT account_id, dataset_id FROM dataset_befores WHERE kept_at < $1 ORDER BY kept_at LIMIT $2)`)
)

// keepBefore stores what a dataset is, before a change; without one there is nothing that
// could be undone then.
func (tx *Tx) keepBefore(d Dataset, change Change) error {
	if change == "" {
		return tx.exec(dropBefore, d.AccountID, d.ID)
	}
	err := tx.exec(putBefore, d.AccountID, d.ID, string(change), d.File, d.Files, d.Rows, d.Source, d.ReadyAt.UnixMilli(), tx.nowMs())
	if err != nil {
		return fmt.Errorf("keep dataset: %w", err)
	}
	return nil
}

// BeforeOf finds what one of the account's datasets was before its last import.
func (tx *Tx) BeforeOf(accountID, datasetID string) (Before, error) {
	return one(tx, beforeOf, func(row scanner) (b Before, err error) {
		err = row.Scan(&b.AccountID, &b.DatasetID, &b.Change, &b.File, &b.Files, &b.Rows, &b.Source, timestamp(&b.ReadyAt), timestamp(&b.KeptAt))
		return b, err
	}, accountID, datasetID)
}

// UndoDataset makes a dataset what it was before its last import, with the given source. The
// file that it has now may then be removed. ErrStale: it has changed since d was read.
func (tx *Tx) UndoDataset(d Dataset, b Before, source string) error {
	if err := tx.exec(dropBefore, d.AccountID, d.ID); err != nil {
		return err
	}
	return tx.step(changeDataset, d.AccountID, d.ID, d.revision, b.File, b.Rows, source, b.Files, b.ReadyAt.UnixMilli())
}

// DropOldBefores removes up to limit of what datasets were longer than BeforeKept ago, of all
// accounts.
func (tx *Tx) DropOldBefores(limit int) (int64, error) {
	return tx.execCount(dropOldBefores, tx.Now().Add(-BeforeKept).UnixMilli(), limit)
}
