package db

import (
	"errors"
	"fmt"
	"time"
)

// Asked is a question that an account asked in its console. The last MaxAsked are kept, and
// those that are pinned.
type Asked struct {
	ID         string
	AccountID  string
	Text       string
	Scope      string // the dataset's id, AskedShop, or empty: the one in use and the shop
	Source     string // the data that answered; empty: none
	Confidence string
	AskedAt    time.Time
	PinnedAt   time.Time // zero: not pinned
}

// AskedShop is the scope of a question to the shop's own tables alone.
const AskedShop = "shop"

const (
	// MaxAsked bounds the questions of an account that are not pinned, and MaxPinned those
	// that are.
	MaxAsked  = 200
	MaxPinned = 12
)

const askedColumns = `id, account_id, text, scope, source, confidence, asked_at, pinned_at`

var (
	insertAsked = newQuery(`
INSERT INTO questions (` + askedColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, NULL)`)

	newestAsked = newQuery(`
SELECT ` + askedColumns + `
FROM questions
WHERE account_id = $1
ORDER BY id DESC
LIMIT 1`)

	repeatAsked = newQuery(`UPDATE questions SET source = $3, confidence = $4, asked_at = $5 WHERE account_id = $1 AND id = $2`)

	trimAsked = newQuery(`
DELETE FROM questions
WHERE account_id = $1 AND pinned_at IS NULL AND id <= (
  SELECT id FROM questions WHERE account_id = $1 AND pinned_at IS NULL ORDER BY id DESC LIMIT 1 OFFSET $2)`)

	askedByID = newQuery(`SELECT ` + askedColumns + ` FROM questions WHERE account_id = $1 AND id = $2`)

	askedOfAccount = newQuery(`
SELECT ` + askedColumns + `
FROM questions
WHERE account_id = $1 AND ($2 = '' OR id < $2) AND ($3 = '' OR instr(lower(text), lower($3)) > 0)
ORDER BY id DESC
LIMIT $4`)

	pinnedOfAccount = newQuery(`
SELECT ` + askedColumns + `
FROM questions
WHERE account_id = $1 AND pinned_at IS NOT NULL
ORDER BY pinned_at, id`)

	pinAsked = newQuery(`
UPDATE questions
SET pinned_at = coalesce(pinned_at, $3)
WHERE account_id = $1 AND id = $2 AND (
  pinned_at IS NOT NULL OR (SELECT count(*) FROM questions WHERE account_id = $1 AND pinned_at IS NOT NULL) < $4)`)

	unpinAsked = newQuery(`UPDATE questions SET pinned_at = NULL WHERE account_id = $1 AND id = $2`)
	dropAsked  = newQuery(`DELETE FROM questions WHERE account_id = $1 AND id = $2`)
)

func scanAsked(row scanner) (a Asked, err error) {
	err = row.Scan(&a.ID, &a.AccountID, &a.Text, &a.Scope, &a.Source, &a.Confidence, timestamp(&a.AskedAt), timestamp(&a.PinnedAt))
	return a, err
}

// StoreAsked stores a question, and drops those beyond MaxAsked. The account's newest
// question, asked again of the same data, keeps its row.
func (tx *Tx) StoreAsked(a Asked) (Asked, error) {
	last, err := one(tx, newestAsked, scanAsked, a.AccountID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return Asked{}, fmt.Errorf("store question: %w", err)
	}
	a.AskedAt = tx.Now()
	if err == nil && last.Text == a.Text && last.Scope == a.Scope {
		a.ID, a.PinnedAt = last.ID, last.PinnedAt
		return a, tx.execOne(repeatAsked, a.AccountID, a.ID, a.Source, a.Confidence, tx.nowMs())
	}
	a.ID = tx.newID("ask_")
	if err := tx.exec(insertAsked, a.ID, a.AccountID, a.Text, a.Scope, a.Source, a.Confidence, tx.nowMs()); err != nil {
		return Asked{}, fmt.Errorf("store question: %w", err)
	}
	return a, tx.exec(trimAsked, a.AccountID, MaxAsked)
}

// Asked finds one of the account's questions.
func (tx *Tx) Asked(accountID, id string) (Asked, error) {
	return one(tx, askedByID, scanAsked, accountID, id)
}

// AskedList lists up to limit of the account's questions that have a text in them, newest
// first, from before the one with the id before on. Empty texts mean all.
func (tx *Tx) AskedList(accountID, before, search string, limit int) ([]Asked, error) {
	return collect(tx, askedOfAccount, scanAsked, accountID, before, search, limit)
}

// PinnedAsked lists the account's pinned questions in the order in which they were pinned.
func (tx *Tx) PinnedAsked(accountID string) ([]Asked, error) {
	return collect(tx, pinnedOfAccount, scanAsked, accountID)
}

// PinAsked pins a question. ErrNotFound: there is none; ErrConflict: MaxPinned are pinned.
func (tx *Tx) PinAsked(accountID, id string) error {
	if _, err := tx.Asked(accountID, id); err != nil {
		return err
	}
	return translate(tx.execOne(pinAsked, accountID, id, tx.nowMs(), MaxPinned), ErrNotFound, ErrConflict)
}

// UnpinAsked makes a question one of the last ones again. It returns ErrNotFound if the
// account has no such question.
func (tx *Tx) UnpinAsked(accountID, id string) error { return tx.execOne(unpinAsked, accountID, id) }

// DropAsked removes a question. It returns ErrNotFound if the account has no such question.
func (tx *Tx) DropAsked(accountID, id string) error { return tx.execOne(dropAsked, accountID, id) }
