package db

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"math/big"
	"time"
)

const (
	CodeLife  = 10 * time.Minute // how long a code is valid
	CodeTries = 5                // how many guesses at a code are allowed

	// codePause and codesPerWindow limit the mails to one address, and so the guesses:
	// 25 of a million codes in an hour.
	codePause      = time.Minute
	codeWindow     = time.Hour
	codesPerWindow = 5
)

var (
	// ErrTooSoon: the address has had as many mails lately as it may get.
	ErrTooSoon = errors.New("too soon")
	// ErrWrongCode: the code is wrong or expired, or had too many guesses.
	ErrWrongCode = errors.New("wrong code")
)

// The purposes of a mail. Each has its own limits, so that requests for one do not
// block the other.
const (
	forSignUp  = "signup"
	forRecover = "recover"
)

var (
	// storeCode changes no row if the address may not get another mail yet.
	storeCode = newQuery(`
INSERT INTO codes (email_folded, purpose, code_hash, tries_left, sent_at, expires_at, window_start_at, window_sent)
VALUES ($1, $9, $2, $3, $4, $5, $4, 1)
ON CONFLICT (email_folded, purpose) DO UPDATE SET
  code_hash = excluded.code_hash,
  tries_left = excluded.tries_left,
  sent_at = excluded.sent_at,
  expires_at = excluded.expires_at,
  window_start_at = CASE WHEN window_start_at BETWEEN $6 AND $4 THEN window_start_at ELSE $4 END,
  window_sent = CASE WHEN window_start_at BETWEEN $6 AND $4 THEN window_sent + 1 ELSE 1 END
WHERE sent_at NOT BETWEEN $7 AND $4
  AND (window_start_at NOT BETWEEN $6 AND $4 OR window_sent < $8)`)

	guessCode = newQuery(`
UPDATE codes
SET tries_left = tries_left - 1
WHERE email_folded = $1 AND purpose = '` + forSignUp + `' AND tries_left > 0 AND expires_at > $2 AND expires_at <= $3
RETURNING code_hash`)

	spendCode = newQuery(`UPDATE codes SET tries_left = 0 WHERE email_folded = $1 AND purpose = '` + forSignUp + `'`)

	deleteOldCodes = newQuery(`
DELETE FROM codes
WHERE (email_folded, purpose) IN (SELECT email_folded, purpose FROM codes WHERE sent_at < $1 ORDER BY sent_at LIMIT $2)`)
)

// IssueCode draws a six-digit code that proves an address. It replaces the last one.
// ErrTooSoon: the address may not get another mail yet.
func (tx *Tx) IssueCode(email string) (code string, err error) {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		return "", err
	}
	code = fmt.Sprintf("%06d", n)
	hash := hashCode(email, code)
	return code, tx.storeCode(email, forSignUp, hash[:], CodeTries)
}

// CountReset counts a mail, without a code, to an address whose owner has forgotten the
// password. It fails as IssueCode does.
func (tx *Tx) CountReset(email string) error { return tx.storeCode(email, forRecover, []byte{}, 0) }

func (tx *Tx) storeCode(email, purpose string, hash []byte, tries int) error {
	now := tx.nowMs()
	changed, err := tx.execCount(storeCode, FoldEmail(email), hash, tries, now, now+CodeLife.Milliseconds(),
		now-codeWindow.Milliseconds()+1, now-codePause.Milliseconds()+1, codesPerWindow, purpose)
	if err == nil && changed == 0 {
		err = ErrTooSoon
	}
	return err
}

// GuessCode uses up one guess at the code of an address, or the code itself if the guess
// is right. The guess counts only if the transaction commits, so the caller must not
// fail the transaction because of ErrWrongCode.
func (tx *Tx) GuessCode(email, code string) error {
	stored, err := value[[]byte](tx, guessCode, FoldEmail(email), tx.nowMs(), tx.latestEnd(CodeLife))
	if err != nil {
		return translate(err, ErrNotFound, ErrWrongCode)
	}
	hash := hashCode(email, code)
	if subtle.ConstantTimeCompare(stored, hash[:]) != 1 {
		return ErrWrongCode
	}
	return tx.exec(spendCode, FoldEmail(email))
}

// SpendCode ends the code of an address, because a mail of another kind replaces it.
func (tx *Tx) SpendCode(email string) error { return tx.exec(spendCode, FoldEmail(email)) }

func hashCode(email, code string) [sha256.Size]byte {
	return sha256.Sum256([]byte(FoldEmail(email) + "\x00" + code))
}

// DeleteOldCodes removes up to limit rows that no longer limit any mail.
func (tx *Tx) DeleteOldCodes(limit int) (int64, error) {
	return tx.execCount(deleteOldCodes, tx.Now().Add(-codeWindow).UnixMilli(), limit)
}
