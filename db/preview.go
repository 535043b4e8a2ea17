package db

import "fmt"

var (
	insertPreview = newQuery(`INSERT INTO previews (token_hash, key_id, expires_at) VALUES ($1, $2, $3)`)
	previewKey    = newQuery(`SELECT key_id FROM previews WHERE token_hash = $1 AND expires_at > $2`)

	deleteOldPreviews = newQuery(`
DELETE FROM previews
WHERE token_hash IN (SELECT token_hash FROM previews WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`)
)

// CreatePreview makes a link to the preview of a test key's consent page (D9), and
// returns its token.
func (tx *Tx) CreatePreview(keyID string) (Token, error) {
	token := NewToken()
	if err := tx.exec(insertPreview, token.Hash(), keyID, tx.Now().Add(linkLife).UnixMilli()); err != nil {
		return "", fmt.Errorf("create preview: %w", err)
	}
	return token, nil
}

// PreviewKey returns the id of the key whose preview a link shows.
func (tx *Tx) PreviewKey(token Token) (keyID string, err error) {
	return value[string](tx, previewKey, token.Hash(), tx.nowMs())
}

// DeleteOldPreviews removes up to limit expired links.
func (tx *Tx) DeleteOldPreviews(limit int) (int64, error) {
	return tx.execCount(deleteOldPreviews, tx.nowMs(), limit)
}
