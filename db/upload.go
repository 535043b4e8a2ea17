package db

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Upload is a file that an account looks at before its rows are used. Its row is stored
// before the file and dropped before it, so a file without a row may be removed. An account
// has several, each for UploadLife.
type Upload struct {
	ID        string
	AccountID string
	Name      string // of the file, as the sender calls it
	Size      int64  // bytes
	Choice    string // JSON of the caller
	Preview   string // JSON of the caller: what Choice would do
	CreatedAt time.Time
	ExpiresAt time.Time
}

// UploadLife is how long an upload is kept.
const UploadLife = 24 * time.Hour

// uploadSuffix ends the names of the files of uploads, after a dot.
const uploadSuffix = "file"

const uploadColumns = `id, account_id, name, size, choice, created_at, expires_at, preview`

var (
	insertUpload = newQuery(`
INSERT INTO uploads (` + uploadColumns + `)
VALUES ($1, $2, $3, $4, '', $5, $6, '')`)

	dropUpload = newQuery(`DELETE FROM uploads WHERE account_id = $1 AND id = $2`)

	uploadByID = newQuery(`SELECT ` + uploadColumns + ` FROM uploads WHERE account_id = $1 AND id = $2 AND expires_at > $3`)

	uploadsOfAccount = newQuery(`
SELECT id, account_id, name, size, choice, created_at, expires_at, ''
FROM uploads
WHERE account_id = $1 AND expires_at > $2
ORDER BY id DESC`)

	describeUpload = newQuery(`UPDATE uploads SET choice = $3, preview = $4 WHERE account_id = $1 AND id = $2`)

	dropOldUploads = newQuery(`
DELETE FROM uploads
WHERE (account_id, id) IN (SELECT account_id, id FROM uploads WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`)
)

func scanUpload(row scanner) (u Upload, err error) {
	err = row.Scan(&u.ID, &u.AccountID, &u.Name, &u.Size, &u.Choice, timestamp(&u.CreatedAt), timestamp(&u.ExpiresAt), &u.Preview)
	return u, err
}

// KeepUpload stores an upload. Its file is written after that, see DB.WriteUpload.
func (tx *Tx) KeepUpload(accountID, name string, size int64) (Upload, error) {
	u := Upload{ID: tx.newID("up_"), AccountID: accountID, Name: name, Size: size, CreatedAt: tx.Now(), ExpiresAt: tx.Now().Add(UploadLife)}
	if err := tx.exec(insertUpload, u.ID, accountID, name, size, tx.nowMs(), u.ExpiresAt.UnixMilli()); err != nil {
		return Upload{}, fmt.Errorf("keep upload: %w", err)
	}
	return u, nil
}

// DescribeUpload stores what the account chose for an upload, and what that would do.
// ErrNotFound: it was dropped.
func (tx *Tx) DescribeUpload(u Upload) error {
	return tx.execOne(describeUpload, u.AccountID, u.ID, u.Choice, u.Preview)
}

// Upload finds one of the account's uploads.
func (tx *Tx) Upload(accountID, id string) (Upload, error) {
	return one(tx, uploadByID, scanUpload, accountID, id, tx.nowMs())
}

// Uploads lists the account's uploads, the newest first, without their previews.
func (tx *Tx) Uploads(accountID string) ([]Upload, error) {
	return collect(tx, uploadsOfAccount, scanUpload, accountID, tx.nowMs())
}

// DropUpload removes an upload, ErrNotFound if there is none. Its file may then be removed.
func (tx *Tx) DropUpload(accountID, id string) error { return tx.execOne(dropUpload, accountID, id) }

// DropOldUploads removes up to limit uploads that have ended, of all accounts.
func (tx *Tx) DropOldUploads(limit int) (int64, error) {
	return tx.execCount(dropOldUploads, tx.nowMs(), limit)
}

func (db *DB) uploadPath(u Upload) string {
	return filepath.Join(db.dataDir(), u.ID+"."+uploadSuffix)
}

// WriteUpload writes the file of an upload (0600).
func (db *DB) WriteUpload(u Upload, content []byte) error {
	if err := os.MkdirAll(db.dataDir(), 0o700); err != nil {
		return fmt.Errorf("upload: %w", err)
	}
	if err := os.WriteFile(db.uploadPath(u), content, 0o600); err != nil {
		return errors.Join(fmt.Errorf("upload: %w", err), db.RemoveUpload(u))
	}
	return nil
}

// OpenUpload opens the file of an upload. ErrNotFound: it has none, as in a database that
// was restored.
func (db *DB) OpenUpload(u Upload) (*os.File, error) {
	file, err := os.Open(db.uploadPath(u))
	if err != nil {
		return nil, fmt.Errorf("upload: %w", translate(err, fs.ErrNotExist, ErrNotFound))
	}
	return file, nil
}

// RemoveUpload deletes the file of an upload, if it exists.
func (db *DB) RemoveUpload(u Upload) error { return RemoveDataFile(db.uploadPath(u)) }
