package db

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"svc/db/event"
)

// Import is a file that is being imported into an account's inventory. Its rows are
// staged in chunks, made ready in one step, and applied in chunks to the end. So no
// chunk holds the write lock for long, and after a crash the import is either dropped or
// finished, never left half done.
type Import struct {
	ID        string
	AccountID string
	Actor     string // who imports it, as of StockMove
	CreatedAt time.Time
}

const importColumns = `id, account_id, actor, created_at`

var (
	insertImport = newQuery(`INSERT INTO imports (` + importColumns + `, state) VALUES ($1, $2, $3, $4, 'staged')`)

	insertImportRow = newQuery(`
INSERT INTO import_rows (import_id, seq, item)
SELECT id, $2, $3
FROM imports
WHERE id = $1 AND state = 'staged'`)

	readyImport    = newQuery(`UPDATE imports SET state = 'ready' WHERE id = $1 AND state = 'staged'`)
	readyOfAccount = newQuery(`SELECT ` + importColumns + ` FROM imports WHERE account_id = $1 AND state = 'ready' ORDER BY id`)
	readyImports   = newQuery(`SELECT ` + importColumns + ` FROM imports WHERE state = 'ready' ORDER BY id`)
	staleImports   = newQuery(`SELECT ` + importColumns + ` FROM imports WHERE state <> 'ready' AND created_at < $1 ORDER BY id`)

	dropImport = newQuery(`UPDATE imports SET state = 'dropped' WHERE id = $1 AND state <> 'ready'`)

	importRows = newQuery(`
SELECT seq, item
FROM import_rows
WHERE import_id = $1 AND EXISTS (SELECT 1 FROM imports WHERE id = $1 AND state = 'ready')
ORDER BY seq
LIMIT $2`)

	deleteImportRows = newQuery(`DELETE FROM import_rows WHERE import_id = $1 AND seq <= $2`)
	someImportRow    = newQuery(`SELECT seq FROM import_rows WHERE import_id = $1 ORDER BY seq LIMIT 1 OFFSET $2`)
	countImport      = newQuery(`UPDATE imports SET inserted = inserted + $2, updated = updated + $3, left_out = left_out + $4, same = same + $5 WHERE id = $1`)
	keepPastImport   = newQuery(`
INSERT INTO past_imports (account_id, id, actor, preview, left_out, ended_at, inserted, updated, same, kept_until)
SELECT account_id, id, actor, preview, left_out, $2, inserted, updated, same, $3
FROM imports
WHERE id = $1 AND state = 'ready' AND preview IS NOT NULL`)
	endImport    = newQuery(`DELETE FROM imports WHERE id = $1 AND state = 'ready' RETURNING inserted, updated, left_out`)
	deleteImport = newQuery(`DELETE FROM imports WHERE id = $1 AND state = $2`)
)

func scanImport(row scanner) (i Import, err error) {
	err = row.Scan(&i.ID, &i.AccountID, &i.Actor, timestamp(&i.CreatedAt))
	return i, err
}

// BeginImport starts an import, which has no effect until it is ready.
func (tx *Tx) BeginImport(accountID string) (Import, error) {
	i := Import{ID: tx.newID(importPrefix), AccountID: accountID, Actor: tx.actor, CreatedAt: tx.Now()}
	err := tx.exec(insertImport, i.ID, accountID, tx.actor, tx.nowMs())
	return i, err
}

// StageItem adds a row to an import. Rows are applied in the order of seq, which the
// caller chooses. ErrStale: the import was dropped meanwhile, or is ready.
func (tx *Tx) StageItem(i Import, seq int, c ItemChange) error {
	item, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("stage item: %w", err)
	}
	return tx.step(insertImportRow, i.ID, seq, string(item))
}

// ReadyImport makes an import ready: from now on it is applied, also after a crash.
// ErrStale: it was dropped meanwhile.
func (tx *Tx) ReadyImport(i Import) error { return tx.step(readyImport, i.ID) }

// ReadyImportsOf lists the account's ready imports, oldest first, which is the order in
// which they must be applied.
func (tx *Tx) ReadyImportsOf(accountID string) ([]Import, error) {
	return collect(tx, readyOfAccount, scanImport, accountID)
}

// ReadyImports lists the ready imports of all accounts, oldest first.
func (tx *Tx) ReadyImports() ([]Import, error) { return collect(tx, readyImports, scanImport) }

// StaleImports lists the imports of all accounts that were begun before t and never made
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

const importPrefix = "imp_"

// ApplyImport applies up to limit rows of a ready import to the inventory. It reports done if no
// rows are left and the import is gone, which may be another process's work. Rows that conflict
// with changes made since they were staged are left out and counted. What items were before is
// kept for UndoImport; earlier imports cannot be undone on an item that a row leaves unchanged.
// The end of an import emits sync.completed.
func (tx *Tx) ApplyImport(i Import, limit int) (done bool, leftOut int, err error) {
	rows, err := collect(tx, importRows, scanImportRow, i.ID, limit)
	if err != nil {
		return false, 0, err
	}
	tx.actor = i.Actor // a sweep may do it
	var inserted, updated int
	var same []string // ids of items
	for _, r := range rows {
		switch itemID, outcome, err := tx.applyRow(i, r); {
		case errors.Is(err, ErrConflict):
			leftOut++
		case err != nil:
			return false, 0, fmt.Errorf("apply import: %w", err)
		case outcome == Inserted:
			inserted++
		case outcome == Unchanged:
			same = append(same, itemID)
			updated++
		default:
			updated++
		}
	}
	if len(rows) > 0 {
		err = errors.Join(
			tx.exec(deleteImportRows, i.ID, rows[len(rows)-1].seq),
			tx.exec(countImport, i.ID, inserted, updated, leftOut, len(same)),
			tx.keepSame(i, same),
		)
	}
	if err == nil && len(rows) < limit {
		done, err = true, tx.endImport(i)
	}
	return done, leftOut, err
}

// applyRow applies a row, and keeps what its item was before, unless the row changes nothing.
func (tx *Tx) applyRow(i Import, r importRow) (itemID string, outcome Outcome, err error) {
	var c ItemChange
	if err := json.Unmarshal([]byte(r.item), &c); err != nil {
		return "", "", err
	}
	item, err := tx.MatchItem(i.AccountID, c)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return "", "", err
	}
	before, err := tx.remember(i.AccountID, item, c)
	if err != nil || before.isSame() {
		return item.ID, Unchanged, err
	}
	item, outcome, err = tx.putItem(i.AccountID, c, MovedByImport)
	if err == nil {
		err = tx.keepRow(i, r.seq, item.ID, before)
	}
	return item.ID, outcome, err
}

// endImport removes an import whose rows are applied, unless another process has.
func (tx *Tx) endImport(i Import) error {
	s := event.Sync{SyncID: i.ID, Source: "inventory_import"}
	if err := tx.exec(keepPastImport, i.ID, tx.nowMs(), tx.Now().Add(undoFor).UnixMilli()); err != nil {
		return err
	}
	err := tx.row(endImport, []any{i.ID}, &s.Inserted, &s.Updated, &s.Rejected)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	s.Received = s.Inserted + s.Updated + s.Rejected
	_, err = tx.Emit(i.AccountID, s)
	return err
}

// DropImport removes up to limit rows of an import that was never made ready, and the
// import itself with the last of them. Its first call marks the import as dropped, so
// that a process which still stages it can no longer make it ready.
func (tx *Tx) DropImport(i Import, limit int) (done bool, err error) {
	err = tx.execOne(dropImport, i.ID)
	if errors.Is(err, ErrNotFound) {
		return true, nil // it is gone, or was made ready meanwhile
	}
	if err != nil {
		return false, err
	}
	if n, err := tx.execCount(deleteImportFaults, i.AccountID, i.ID, limit); err != nil || n > 0 {
		return false, err
	}
	last, err := value[int64](tx, someImportRow, i.ID, limit-1)
	if err == nil {
		return false, tx.exec(deleteImportRows, i.ID, last)
	}
	if !errors.Is(err, ErrNotFound) {
		return false, err
	}
	if err := tx.exec(deleteImportRows, i.ID, int64(math.MaxInt64)); err != nil {
		return false, err
	}
	return true, tx.exec(deleteImport, i.ID, "dropped")
}
