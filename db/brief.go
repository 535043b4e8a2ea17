package db

import (
	"fmt"
	"time"
)

// Brief is the report that an account got on a day (J3). An account has at most one for
// each day of its zone.
type Brief struct {
	ID        string
	AccountID string
	Day       string // YYYY-MM-DD
	Body      []byte // JSON of the caller
	CreatedAt time.Time
}

// briefKept is how long a brief is kept.
const briefKept = 90 * 24 * time.Hour

const briefPrefix = "brief_"

var (
	putBrief = newQuery(`
INSERT INTO briefs (account_id, day, id, body, created_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (account_id, day) DO UPDATE SET id = excluded.id, body = excluded.body, created_at = excluded.created_at`)

	briefOfDay = newQuery(`SELECT id, account_id, day, body, created_at FROM briefs WHERE account_id = $1 AND day = $2`)

	dropOldBriefs = newQuery(`
DELETE FROM briefs
WHERE (account_id, day) IN (SELECT account_id, day FROM briefs WHERE created_at < $1 ORDER BY created_at LIMIT $2)`)
)

// PutBrief stores the brief of a day with a new id, in place of one that the day has.
func (tx *Tx) PutBrief(b Brief) (Brief, error) {
	b.ID, b.CreatedAt = tx.newID(briefPrefix), tx.Now()
	if err := tx.exec(putBrief, b.AccountID, b.Day, b.ID, string(b.Body), tx.nowMs()); err != nil {
		return Brief{}, fmt.Errorf("put brief: %w", err)
	}
	return b, nil
}

// BriefOf finds the account's brief of a day.
func (tx *Tx) BriefOf(accountID, day string) (Brief, error) {
	return one(tx, briefOfDay, func(row scanner) (b Brief, err error) {
		err = row.Scan(&b.ID, &b.AccountID, &b.Day, &b.Body, timestamp(&b.CreatedAt))
		return b, err
	}, accountID, day)
}

// DropOldBriefs removes up to limit briefs that are older than 90 days, and returns how
// many.
func (tx *Tx) DropOldBriefs(limit int) (int64, error) {
	return tx.execCount(dropOldBriefs, tx.Now().Add(-briefKept).UnixMilli(), limit)
}
