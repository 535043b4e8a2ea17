package db

import (
	"fmt"
	"time"
)

// LinkKind is the purpose of a link that works once.
type LinkKind string

const (
	// SetupLink creates the operator's account (L2).
	SetupLink LinkKind = "setup"
	// ResetLink sets a person's password.
	ResetLink LinkKind = "reset"
)

// LinkLife is how long such a link works (L2).
const LinkLife = 30 * time.Minute

var (
	insertLink = newQuery(`
INSERT INTO links (token_hash, kind, account_id, person_id, expires_at)
VALUES ($1, $2, coalesce((SELECT account_id FROM staff WHERE id = $3), $3), $3, $4)`)

	linkByToken = newQuery(`
SELECT coalesce(person_id, '')
FROM links
WHERE token_hash = $1 AND kind = $2 AND expires_at > $3 AND expires_at <= $4`)

	useLink = newQuery(`
DELETE FROM links
WHERE token_hash = $1 AND kind = $2 AND expires_at > $3 AND expires_at <= $4
RETURNING coalesce(person_id, '')`)

	dropLinks = newQuery(`DELETE FROM links WHERE kind = $1 AND person_id IS NOT DISTINCT FROM CAST($2 AS TEXT)`)

	deleteOldLinks = newQuery(`
DELETE FROM links
WHERE token_hash IN (SELECT token_hash FROM links WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`)
)

// CreateLink makes a link of the kind and ends earlier ones. A setup link has no person,
// a reset link has one.
func (tx *Tx) CreateLink(kind LinkKind, personID string) (Token, error) {
	if err := tx.DropLinks(kind, personID); err != nil {
		return "", fmt.Errorf("create link: %w", err)
	}
	token := NewToken()
	if err := tx.exec(insertLink, token.Hash(), kind, nullString(personID), tx.Now().Add(LinkLife).UnixMilli()); err != nil {
		return "", fmt.Errorf("create link: %w", err)
	}
	return token, nil
}

// DropLinks ends the person's links of a kind.
func (tx *Tx) DropLinks(kind LinkKind, personID string) error {
	return tx.exec(dropLinks, kind, nullString(personID))
}

// Link returns the person's id of a link without using it. ErrNotFound: the link is
// unknown, used or expired.
func (tx *Tx) Link(kind LinkKind, token Token) (personID string, err error) {
	return value[string](tx, linkByToken, token.Hash(), kind, tx.nowMs(), tx.latestEnd(LinkLife))
}

// UseLink ends the link and returns its person's id. It fails as Link does.
func (tx *Tx) UseLink(kind LinkKind, token Token) (personID string, err error) {
	return value[string](tx, useLink, token.Hash(), kind, tx.nowMs(), tx.latestEnd(LinkLife))
}

// DeleteOldLinks removes up to limit expired links.
func (tx *Tx) DeleteOldLinks(limit int) (int64, error) {
	return tx.execCount(deleteOldLinks, tx.nowMs(), limit)
}
