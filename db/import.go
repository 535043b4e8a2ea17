package db

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Import is a file on its way into an account's inventory. Its rows are staged in
// chunks, made ready in one step, and applied in chunks to the end, so that no chunk
// holds the store for long, and a crash leaves either nothing or what will be
// finished.
type Import struct {
	ID        string
	AccountID string
	CreatedAt time.Time
}

const importColumns = `id, account_id, created_at`

var (
	insertImport    = newQuery(`INSERT INTO imports (` + importColumns + `, ready) VALUES ($1, $2, $3, 0)`)
	insertImportRow = newQuery(`INSERT INTO import_rows (import_id, seq, item) VALUES ($1, $2, $3)`)
	readyImport     = newQuery(`UPDATE imports SET ready = 1 WHERE id = $1 AND ready = 0`)
	readyImports    = newQuery(`SELECT ` + importColumns + ` FROM imports WHERE ready = 1 ORDER BY id`)
	staleImports    = newQuery(`SELECT ` + importColumns + ` FROM imports WHERE ready = 0 AND created_at < $1 ORDER BY id`)

	importRows = newQuery(`
SELECT seq, item
FROM import_rows
WHERE import_id = $1 AND EXISTS (SELECT 1 FROM imports WHERE id = $1 AND ready = 1)
ORDER BY seq
LIMIT $2`)

	deleteImportRows = newQuery(`DELETE FROM import_rows WHERE import_id = $1 AND seq <= $2`)
	someImportRow    = newQuery(`SELECT seq FROM import_rows WHERE import_id = $1 ORDER BY seq LIMIT 1 OFFSET $2`)
	deleteImport     = newQuery(`DELETE FROM imports WHERE id = $1`)
)

func scanImport(row scanner) (i Import, err error) {
	var created int64
	err = row.Scan(&i.ID, &i.AccountID, &created)
	i.CreatedAt = millis(created)
	return i, err
}

// BeginImport opens an import, of which nothing counts until it is ready.
func (tx *Tx) BeginImport(accountID string) (Import, error) {
	i := Import{ID: tx.newID("imp_"), AccountID: accountID, CreatedAt: tx.now}
	_, err := tx.exec(insertImport, i.ID, accountID, tx.nowMs())
	return i, err
}

// StageItem adds a row under a number of the caller's, by which rows are applied in
// order.
func (tx *Tx) StageItem(i Import, seq int, c ItemChange) error {
	item, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("stage item: %w", err)
	}
	_, err = tx.exec(insertImportRow, i.ID, seq, string(item))
	return err
}

// ReadyImport makes an import count: from now on it is applied, whatever happens.
// ErrStale: it was dropped meanwhile.
func (tx *Tx) ReadyImport(i Import) error { return tx.step(readyImport, i.ID) }

// ReadyImports lists those of all accounts that are to be applied, oldest first.
func (tx *Tx) ReadyImports() ([]Import, error) { return collect(tx, readyImports, scanImport) }

// StaleImports lists those of all accounts that were begun before t and never made
// ready.
func (tx *Tx) StaleImports(t time.Time) ([]Import, error) {
	return collect(tx, staleImports, scanImport, t.UnixMilli())
}

type importRow struct {
	seq  int64
	item string
}

func scanImportRow(row scanner) (r importRow, err error) {
	err = row.Scan(&r.seq, &r.item)
	return r, err
}

// ApplyImport puts up to limit rows of an import that is ready into the inventory.
// done: there are no more, and the import is gone, perhaps by another's hand. A row that
// contradicts what came in since it was staged is left out.
func (tx *Tx) ApplyImport(i Import, limit int) (done bool, err error) {
	rows, err := collect(tx, importRows, scanImportRow, i.ID, limit)
	if err != nil {
		return false, err
	}
	for _, r := range rows {
		var c ItemChange
		if err := json.Unmarshal([]byte(r.item), &c); err != nil {
			return false, fmt.Errorf("apply import: %w", err)
		}
		if _, err := tx.PutItem(i.AccountID, c, MovedByImport); err != nil && !errors.Is(err, ErrConflict) {
			return false, fmt.Errorf("apply import: %w", err)
		}
	}
	if len(rows) > 0 {
		if _, err := tx.exec(deleteImportRows, i.ID, rows[len(rows)-1].seq); err != nil {
			return false, err
		}
	}
	if len(rows) == limit {
		return false, nil
	}
	_, err = tx.exec(deleteImport, i.ID)
	return true, err
}

// DropImport removes up to limit rows of an import that was never made ready, and
// the import with its last.
func (tx *Tx) DropImport(i Import, limit int) (done bool, err error) {
	var last int64
	err = tx.row(someImportRow, []any{i.ID, limit - 1}, &last)
	if err == nil {
		_, err = tx.exec(deleteImportRows, i.ID, last)
		return false, err
	}
	if !errors.Is(err, ErrNotFound) {
		return false, err
	}
	if _, err := tx.exec(deleteImportRows, i.ID, int64(1)<<62); err != nil {
		return false, err
	}
	_, err = tx.exec(deleteImport, i.ID)
	return true, err
}
