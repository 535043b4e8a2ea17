package db

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// ChargeStatus is the status of a charge (E1). Transitions: pending → approved; pending
// → declined, with a test key only; pending → expired with time, and expired → approved
// when a payment is proven.
type ChargeStatus string

// The statuses of a charge.
const (
	ChargePending  ChargeStatus = "pending"
	ChargeApproved ChargeStatus = "approved"
	ChargeDeclined ChargeStatus = "declined"
	// ChargeExpired is computed and never stored.
	ChargeExpired ChargeStatus = "expired"
)

// Charge is a request for a payment. It belongs to the key that made it and has its
// environment.
type Charge struct {
	ID            string
	KeyID         string
	AccountID     string // the developer's
	MerchantEmail string
	Amount        int64 // in the currency's minor units
	Currency      string
	Description   string
	Env           Env
	CreatedAt     time.Time
	ExpiresAt     time.Time
	ApprovedAt    time.Time
	DeclinedAt    time.Time

	status ChargeStatus // as stored
}

// StatusAt returns the status at a time: a pending charge expires (E1).
func (c Charge) StatusAt(now time.Time) ChargeStatus {
	if c.status == ChargePending && !now.Before(c.ExpiresAt) {
		return ChargeExpired
	}
	return c.status
}

const chargeColumns = `id, key_id, account_id, merchant_email, amount, currency, description, env, status,
  created_at, expires_at, approved_at, declined_at`

var (
	insertCharge = newQuery(`
INSERT INTO charges (id, key_id, account_id, merchant_email, amount, currency, description, env, status,
  created_at, expires_at, token_hash, email_folded)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', $9, $10, $11, $12)`)

	chargeByToken = newQuery(`SELECT ` + chargeColumns + ` FROM charges WHERE token_hash = $1`)

	chargesOfKey = newQuery(`
SELECT ` + chargeColumns + `
FROM charges
WHERE key_id = $1
ORDER BY id DESC
LIMIT $2`)

	chargesOfKeyBefore = newQuery(`
SELECT ` + chargeColumns + `
FROM charges
WHERE key_id = $1 AND id < $2 AND ($3 = '' OR email_folded = $3)
  AND ($4 = '' OR $4 = CASE WHEN status = 'pending' AND expires_at <= $5 THEN 'expired' ELSE status END)
ORDER BY id DESC
LIMIT $6`)

	chargeOfAccount = newQuery(`
SELECT ` + chargeColumns + `
FROM charges
WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = $1) AND id = $2`)

	// The email_folded of a charge from before migration 10 may have needless quotes, so this
	// compares merchant_email; ChargesWith finds the spellings with quotes.
	chargesWith = newQuery(`
SELECT ` + chargeColumns + `
FROM charges
WHERE $1 = '' OR account_id = $1 OR lower(merchant_email) = $2 OR merchant_email IN (SELECT value FROM json_each($3))
ORDER BY id DESC
LIMIT $4`)

	quotedMerchants = newQuery(`SELECT DISTINCT merchant_email FROM charges WHERE merchant_email LIKE '"%'`)

	chargeTo  = newQuery(`SELECT ` + chargeColumns + ` FROM charges WHERE email_folded = $1 AND env = 'live' AND id = $2`)
	chargesTo = newQuery(`
SELECT ` + chargeColumns + `
FROM charges
WHERE email_folded = $1 AND env = 'live'
ORDER BY id DESC
LIMIT $2`)

	chargesPending = newQuery(`
SELECT ` + chargeColumns + `
FROM charges
WHERE email_folded = $1 AND env = 'live' AND status = 'pending' AND expires_at > $2
ORDER BY expires_at DESC, id DESC
LIMIT $3`)

	// Does not check expires_at: a proven payment counts (E1).
	payCharge = newQuery(`
UPDATE charges
SET status = 'approved', approved_at = $3
WHERE key_id = $1 AND id = $2 AND status = 'pending' AND env = 'live'`)

	simulateApproval = newQuery(`
UPDATE charges
SET status = 'approved', approved_at = $3
WHERE key_id = $1 AND id = $2 AND status = 'pending' AND env = 'test' AND expires_at > $3`)

	simulateDecline = newQuery(`
UPDATE charges
SET status = 'declined', declined_at = $3
WHERE key_id = $1 AND id = $2 AND status = 'pending' AND env = 'test' AND expires_at > $3`)
)

func scanCharge(row scanner) (c Charge, err error) {
	err = row.Scan(&c.ID, &c.KeyID, &c.AccountID, &c.MerchantEmail, &c.Amount, &c.Currency, &c.Description, &c.Env, &c.status,
		timestamp(&c.CreatedAt), timestamp(&c.ExpiresAt), timestamp(&c.ApprovedAt), timestamp(&c.DeclinedAt))
	return c, err
}

const chargePrefix = "ch_"

// CreateCharge stores a pending charge and returns the token of its link.
func (tx *Tx) CreateCharge(c Charge) (Charge, Token, error) {
	token := NewToken()
	c.ID, c.CreatedAt, c.ExpiresAt, c.status = tx.newID(chargePrefix), tx.Now(), tx.Now().Add(linkLife), ChargePending
	err := tx.exec(insertCharge, c.ID, c.KeyID, c.AccountID, c.MerchantEmail, c.Amount, c.Currency, c.Description, c.Env,
		tx.nowMs(), c.ExpiresAt.UnixMilli(), token.Hash(), FoldEmail(c.MerchantEmail))
	if err != nil {
		return Charge{}, "", fmt.Errorf("create charge: %w", err)
	}
	return c, token, nil
}

// ChargeByToken finds the charge of a link.
func (tx *Tx) ChargeByToken(token Token) (Charge, error) {
	return one(tx, chargeByToken, scanCharge, token.Hash())
}

// Charges lists the key's newest charges, at most limit.
func (tx *Tx) Charges(keyID string, limit int) ([]Charge, error) {
	return collect(tx, chargesOfKey, scanCharge, keyID, limit)
}

// ChargeTo finds a live charge that is addressed to an account's verified e-mail.
func (tx *Tx) ChargeTo(a Account, id string) (Charge, error) {
	return one(tx, chargeTo, scanCharge, a.provenEmail(), id)
}

// ChargesTo lists the newest live charges that are addressed to an account's verified
// e-mail, at most limit.
func (tx *Tx) ChargesTo(a Account, limit int) ([]Charge, error) {
	return collect(tx, chargesTo, scanCharge, a.provenEmail(), limit)
}

// ChargeFilter picks charges. Its zero value picks all.
type ChargeFilter struct {
	Before string       // an id: those that are older
	Email  string       // of the merchant
	Status ChargeStatus // as it is now
}

// ChargesOf lists the newest charges that the keys of an account have made, as ConnectionsOf
// lists connections.
func (tx *Tx) ChargesOf(accountID string, f ChargeFilter, limit int) ([]Charge, error) {
	return newestOfKeys(tx, accountID, limit, func(c Charge) string { return c.ID }, func(keyID string) ([]Charge, error) {
		return collect(tx, chargesOfKeyBefore, scanCharge, keyID, idBefore(f.Before), foldOrNone(f.Email), f.Status, tx.nowMs(), limit)
	})
}

// ChargeOf finds a charge that a key of an account has made.
func (tx *Tx) ChargeOf(accountID, id string) (Charge, error) {
	return one(tx, chargeOfAccount, scanCharge, accountID, id)
}

// ChargesPending lists the pending ones of ChargesTo.
func (tx *Tx) ChargesPending(a Account, limit int) ([]Charge, error) {
	return collect(tx, chargesPending, scanCharge, a.provenEmail(), tx.nowMs(), limit)
}

// ChargesWith lists the newest charges that an account asked for or was asked for, at
// most limit; for the zero account, everybody's. E-mails are compared by FoldEmail. It is
// the operator's view and reads the whole table: use it in a LongView.
func (tx *Tx) ChargesWith(a Account, limit int) ([]Charge, error) {
	folded := FoldEmail(a.Email)
	quoted, err := collect(tx, quotedMerchants, scanText)
	if err != nil {
		return nil, err
	}
	quoted = slices.DeleteFunc(quoted, func(email string) bool { return FoldEmail(email) != folded })
	spellings, err := json.Marshal(quoted)
	if err != nil {
		return nil, err
	}
	return collect(tx, chargesWith, scanCharge, a.ID, folded, string(spellings), limit)
}

// payCharge approves a live charge whose payment is proven. ErrStale: it is approved
// already.
func (tx *Tx) payCharge(keyID, id string) error { return tx.step(payCharge, keyID, id, tx.nowMs()) }

// SimulateApproval approves a test key's charge; no money moves (E5). ErrStale: it is
// no longer pending, or it is live.
func (tx *Tx) SimulateApproval(c Charge) error {
	return tx.step(simulateApproval, c.KeyID, c.ID, tx.nowMs())
}

// SimulateDecline declines a test key's charge. It fails as SimulateApproval does.
func (tx *Tx) SimulateDecline(c Charge) error {
	return tx.step(simulateDecline, c.KeyID, c.ID, tx.nowMs())
}
