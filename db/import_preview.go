package db

import (
	"encoding/json"
	"fmt"
	"time"
)

// A preview is an import that is staged, and that a person looks at before it is made ready.
// Like any import that never is, it is dropped a day after it was begun. The file that it was
// read from may be kept until then, as that of an Upload with the id of the import.

// PreviewRow is a row of a preview.
type PreviewRow struct {
	Seq     int
	Outcome string // what would become of the row, in the words of the service
	Note    []byte // JSON of the service
	Change  ItemChange
}

var (
	insertPreviewRow = newQuery(`
INSERT INTO import_rows (import_id, seq, item, outcome, preview)
SELECT id, $2, $3, $4, $5
FROM imports
WHERE id = $1 AND state = 'staged'`)

	changePreviewRow = newQuery(`UPDATE import_rows SET outcome = $3, preview = $4 WHERE import_id = $1 AND seq = $2`)
	keepPreview      = newQuery(`UPDATE imports SET preview = $2 WHERE id = $1 AND state = 'staged'`)
	previewByID      = newQuery(`SELECT preview FROM imports WHERE account_id = $1 AND id = $2 AND state = 'staged' AND preview IS NOT NULL`)
	importByID       = newQuery(`SELECT ` + importColumns + ` FROM imports WHERE account_id = $1 AND id = $2`)
	runningByID      = newQuery(`SELECT coalesce(preview, '{}') FROM imports WHERE account_id = $1 AND id = $2 AND state = 'ready'`)
	previewIDs       = newQuery(`
SELECT ` + importColumns + `
FROM imports
WHERE account_id = $1 AND state = 'staged' AND preview IS NOT NULL
ORDER BY id DESC
LIMIT -1 OFFSET $2`)

	previewRows = newQuery(`
SELECT seq, outcome, preview, item
FROM import_rows
WHERE import_id = $1 AND seq >= $2 AND ($3 = '' OR outcome = $3)
ORDER BY seq
LIMIT $4`)

	pastImports = newQuery(`
SELECT ` + pastImportColumns + `
FROM past_imports
WHERE account_id = $1 AND ($2 = '' OR id = $2)
ORDER BY id DESC
LIMIT $3`)

	rowsLeft = newQuery(`SELECT count(*) FROM import_rows WHERE import_id = $1`)
)

// StagePreviewRow is StageItem for an import that becomes a preview.
func (tx *Tx) StagePreviewRow(i Import, r PreviewRow) error {
	item, err := json.Marshal(r.Change)
	if err != nil {
		return fmt.Errorf("stage preview: %w", err)
	}
	return tx.step(insertPreviewRow, i.ID, r.Seq, string(item), r.Outcome, string(r.Note))
}

// ChangePreviewRow stores a new outcome and note of a row. ErrNotFound: the row is gone.
func (tx *Tx) ChangePreviewRow(i Import, r PreviewRow) error {
	return tx.execOne(changePreviewRow, i.ID, r.Seq, r.Outcome, string(r.Note))
}

// KeepPreview makes a preview of a staged import, or replaces what is kept of it: JSON of the
// service. ErrStale: it was dropped meanwhile, or is ready.
func (tx *Tx) KeepPreview(i Import, preview []byte) error {
	return tx.step(keepPreview, i.ID, string(preview))
}

// ImportPreview finds a preview of the account, which is not ready yet.
func (tx *Tx) ImportPreview(accountID, id string) (i Import, preview []byte, err error) {
	text, err := value[string](tx, previewByID, accountID, id)
	if err != nil {
		return Import{}, nil, err
	}
	i, err = one(tx, importByID, scanImport, accountID, id)
	return i, []byte(text), err
}

// RunningImport finds an import of the account that is ready but not applied to its end, and
// returns what is kept of its preview, and how many of its rows are left.
func (tx *Tx) RunningImport(accountID, id string) (preview []byte, left int64, err error) {
	text, err := value[string](tx, runningByID, accountID, id)
	if err != nil {
		return nil, 0, err
	}
	left, err = value[int64](tx, rowsLeft, id)
	return []byte(text), left, err
}

// OldPreviews lists the account's previews except the newest ones.
func (tx *Tx) OldPreviews(accountID string, newest int) ([]Import, error) {
	return collect(tx, previewIDs, scanImport, accountID, newest)
}

// PreviewRows lists rows of a preview with an outcome (empty: any), from seq on, at most
// limit.
func (tx *Tx) PreviewRows(i Import, outcome string, seq, limit int) ([]PreviewRow, error) {
	scan := func(row scanner) (r PreviewRow, err error) {
		var note *string
		var item string
		if err = row.Scan(&r.Seq, &r.Outcome, &note, &item); err != nil {
			return r, err
		}
		if note != nil {
			r.Note = []byte(*note)
		}
		return r, json.Unmarshal([]byte(item), &r.Change)
	}
	return collect(tx, previewRows, scan, i.ID, seq, outcome, limit)
}

// PastImport is an import with a preview that was applied to its end.
type PastImport struct {
	ID        string
	AccountID string
	Actor     string
	Preview   []byte
	LeftOut   int64 // rows that contradicted what was changed since the preview was made ready
	EndedAt   time.Time

	Counted                 bool  // the next three are known
	Inserted, Updated, Same int64 // rows by what became of them; Updated counts Same, too

	KeptUntil time.Time // until when it can be undone, and its faults are kept; zero: no longer
	Undo      UndoState
	Undone    int64 // rows
	UndoneAt  time.Time
	UndoneBy  string
}

// UndoState is how far an import is undone.
type UndoState string

// The states.
const (
	NotUndone UndoState = ""
	UndoBegun UndoState = "begun"
	UndoDone  UndoState = "done"
)

const pastImportColumns = `id, account_id, actor, preview, left_out, ended_at, inserted, updated, same, kept_until, undo, undone, undone_at, undone_by`

func scanPastImport(row scanner) (p PastImport, err error) {
	var preview string
	var inserted, updated, same *int64
	err = row.Scan(&p.ID, &p.AccountID, &p.Actor, &preview, &p.LeftOut, timestamp(&p.EndedAt), &inserted, &updated, &same,
		timestamp(&p.KeptUntil), &p.Undo, &p.Undone, timestamp(&p.UndoneAt), &p.UndoneBy)
	p.Preview = []byte(preview)
	if p.Counted = inserted != nil && updated != nil && same != nil; p.Counted {
		p.Inserted, p.Updated, p.Same = *inserted, *updated, *same
	}
	return p, err
}

// PastImports lists the account's newest past imports with a preview, at most limit; only the
// one with an id if that is not empty.
func (tx *Tx) PastImports(accountID, id string, limit int) ([]PastImport, error) {
	return collect(tx, pastImports, scanPastImport, accountID, id, limit)
}
