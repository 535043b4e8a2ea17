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

const (
	// LinkLife is how long such a link works (L2).
	LinkLife = 30 * time.Minute
	// WelcomeLife is how long a link works with which somebody chooses their first password.
	WelcomeLife = 7 * 24 * time.Hour
)

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
	return tx.createLink(kind, personID, LinkLife)
}

// CreateWelcome makes a link to the first password of a person who has none, and ends earlier
// ones. It works for WelcomeLife.
func (tx *Tx) CreateWelcome(personID string) (Token, error) {
	return tx.createLink(ResetLink, personID, WelcomeLife)
}

func (tx *Tx) createLink(kind LinkKind, personID string, life time.Duration) (Token, error) {
	if err := tx.DropLinks(kind, personID); err != nil {
		return "", fmt.Errorf("create link: %w", err)
	}
	token := NewToken()
	if err := tx.exec(insertLink, token.Hash(), kind, nullString(personID), tx.Now().Add(life).UnixMilli()); err != nil {
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
	life, err := tx.linkLife(kind, token)
	if err != nil {
		return "", err
	}
	return value[string](tx, linkByToken, token.Hash(), kind, tx.nowMs(), tx.latestEnd(life))
}

// UseLink ends the link and returns its person's id. It fails as Link does.
func (tx *Tx) UseLink(kind LinkKind, token Token) (personID string, err error) {
	life, err := tx.linkLife(kind, token)
	if err != nil {
		return "", err
	}
	return value[string](tx, useLink, token.Hash(), kind, tx.nowMs(), tx.latestEnd(life))
}

// linkLife returns how long a link may last that is valid now: longer if its person has no
// password yet. It fails as Link does.
func (tx *Tx) linkLife(kind LinkKind, token Token) (time.Duration, error) {
	if kind != ResetLink {
		return LinkLife, nil
	}
	id, err := value[string](tx, linkByToken, token.Hash(), kind, tx.nowMs(), tx.latestEnd(WelcomeLife))
	if err != nil {
		return 0, err
	}
	p, err := tx.Person(id)
	if err == nil && p.PasswordHash == "" {
		return WelcomeLife, nil
	}
	return LinkLife, translate(err, ErrNotFound, nil)
}

// DeleteOldLinks removes up to limit expired links.
func (tx *Tx) DeleteOldLinks(limit int) (int64, error) {
	return tx.execCount(deleteOldLinks, tx.nowMs(), limit)
}
