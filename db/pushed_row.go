package db

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// MaxPushedRows bounds the pushed rows of an account, as an upload is bounded (I1).
const MaxPushedRows = 200_000

// ErrTooManyRows: the account has MaxPushedRows rows.
var ErrTooManyRows = errors.New("there are too many pushed rows")

// PushedRow is a row of an account's pushed dataset (I2).
type PushedRow struct {
	AccountID  string
	ExternalID string
	Digest     []byte   // of its record, which is unchanged if it comes again
	Cells      []string // headings and values by turns
}

// PushedSet describes the pushed rows of an account. They are a dataset as of the version
// Built.
type PushedSet struct {
	AccountID string
	Rows      int64
	Version   int64 // rises with each change of a row
	Built     int64
	DatasetID string    // empty before the first is built
	PushedAt  time.Time // when a row changed last
}

var (
	pushedRowDigest = newQuery(`SELECT digest FROM pushed_rows WHERE account_id = $1 AND external_id = $2`)

	growPushedSet = newQuery(`
INSERT INTO pushed_sets (account_id, last_seq, rows, version, built, dataset_id, pushed_at)
VALUES ($1, 1, 1, 1, 0, '', $2)
ON CONFLICT (account_id) DO UPDATE
SET last_seq = last_seq + 1, rows = rows + 1, version = version + 1, pushed_at = excluded.pushed_at
WHERE rows < $3
RETURNING last_seq`)

	touchPushedSet = newQuery(`UPDATE pushed_sets SET version = version + 1, pushed_at = $2 WHERE account_id = $1`)

	insertPushedRow = newQuery(`
INSERT INTO pushed_rows (account_id, seq, external_id, digest, cells)
VALUES ($1, $2, $3, $4, $5)`)

	changePushedRow = newQuery(`UPDATE pushed_rows SET digest = $3, cells = $4 WHERE account_id = $1 AND external_id = $2`)

	pushedSet = newQuery(`
SELECT account_id, rows, version, built, dataset_id, pushed_at
FROM pushed_sets
WHERE account_id = $1`)

	pushedRowsAfter = newQuery(`
SELECT seq, cells
FROM pushed_rows
WHERE account_id = $1 AND seq > $2
ORDER BY seq
LIMIT $3`)

	builtPushedSet = newQuery(`
UPDATE pushed_sets
SET built = $3, dataset_id = $4
WHERE account_id = $1 AND dataset_id = $2`)

	deletePushedRows = newQuery(`
DELETE FROM pushed_rows
WHERE account_id = $1 AND seq IN (SELECT seq FROM pushed_rows WHERE account_id = $1 ORDER BY seq LIMIT $2)`)

	shrinkPushedSet = newQuery(`UPDATE pushed_sets SET rows = rows - $2, version = version + 1, built = version + 1 WHERE account_id = $1`)
)

// PutRow adds a row to the account's pushed ones, or changes the one of its external id.
// ErrTooManyRows: it is new, and there is no room. Nothing was changed then.
func (tx *Tx) PutRow(r PushedRow) (Outcome, error) {
	outcome, err := tx.CompareRow(r)
	if err != nil || outcome == Unchanged {
		return outcome, err
	}
	cells, err := json.Marshal(r.Cells)
	if err != nil {
		return "", fmt.Errorf("put row: %w", err)
	}
	if outcome == Updated {
		err = tx.execOne(changePushedRow, r.AccountID, r.ExternalID, r.Digest, string(cells))
		if err == nil {
			err = tx.execOne(touchPushedSet, r.AccountID, tx.nowMs())
		}
	} else {
		var seq int64
		seq, err = value[int64](tx, growPushedSet, r.AccountID, tx.nowMs(), MaxPushedRows)
		if errors.Is(err, ErrNotFound) {
			return "", ErrTooManyRows
		}
		if err == nil {
			err = tx.exec(insertPushedRow, r.AccountID, seq, r.ExternalID, r.Digest, string(cells))
		}
	}
	if err != nil {
		return "", fmt.Errorf("put row: %w", err)
	}
	return outcome, nil
}

// CompareRow returns what PutRow would do if there is room, and writes nothing.
func (tx *Tx) CompareRow(r PushedRow) (Outcome, error) {
	digest, err := value[[]byte](tx, pushedRowDigest, r.AccountID, r.ExternalID)
	return outcomeOf(err, err == nil && isRepeat(digest, r.Digest))
}

// PushedSet describes the account's pushed rows. ErrNotFound: it never had any.
func (tx *Tx) PushedSet(accountID string) (PushedSet, error) {
	scan := func(row scanner) (s PushedSet, err error) {
		err = row.Scan(&s.AccountID, &s.Rows, &s.Version, &s.Built, &s.DatasetID, timestamp(&s.PushedAt))
		return s, err
	}
	return one(tx, pushedSet, scan, accountID)
}

// PushedRows calls fn with the cells of the account's rows after the one with a sequence, at
// most limit, and returns the sequence of the last, 0 if there were none.
func (tx *Tx) PushedRows(accountID string, after int64, limit int, fn func(cells []string) error) (last int64, err error) {
	type page struct {
		seq   int64
		cells string
	}
	rows, err := collect(tx, pushedRowsAfter, func(row scanner) (p page, err error) {
		err = row.Scan(&p.seq, &p.cells)
		return p, err
	}, accountID, after, limit)
	for _, r := range rows {
		var cells []string
		if err := json.Unmarshal([]byte(r.cells), &cells); err != nil {
			return 0, fmt.Errorf("pushed row: %w", err)
		}
		if err := fn(cells); err != nil {
			return 0, err
		}
		last = r.seq
	}
	return last, err
}

// MarkBuilt records that a dataset has the rows of s.Version. ErrStale: the rows have another
// dataset than s.DatasetID meanwhile.
func (tx *Tx) MarkBuilt(s PushedSet, datasetID string) error {
	return tx.step(builtPushedSet, s.AccountID, s.DatasetID, s.Version, datasetID)
}

// DropPushedRows removes up to limit rows, and reports whether none is left.
func (tx *Tx) DropPushedRows(accountID string, limit int) (done bool, err error) {
	n, err := tx.execCount(deletePushedRows, accountID, limit)
	if err != nil || n == 0 {
		return err == nil, err
	}
	return n < int64(limit), tx.exec(shrinkPushedSet, accountID, n)
}
