package db

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ConnectionStatus is the status of a connection (D1). Transitions: pending → approved
// or declined; approved → revoked; pending → expired with time. Declined, revoked and
// expired are final.
type ConnectionStatus string

// The statuses of a connection.
const (
	ConnectionPending  ConnectionStatus = "pending"
	ConnectionApproved ConnectionStatus = "approved"
	ConnectionDeclined ConnectionStatus = "declined"
	ConnectionRevoked  ConnectionStatus = "revoked"
	// ConnectionExpired is computed and never stored.
	ConnectionExpired ConnectionStatus = "expired"
)

// ReadInventory is the one scope that a connection may grant (seed 2.1).
const ReadInventory = "read_inventory"

// AllScopes are the scopes of a request that names none (seed 4.4).
var AllScopes = []string{ReadInventory}

// Connection is a developer's request for a merchant's data, and the merchant's
// answer. It belongs to the key that made it. At most one is active, that is approved
// and not revoked, for each key and merchant_email (D2).
type Connection struct {
	ID            string
	KeyID         string
	AccountID     string // the developer's
	MerchantEmail string // as given; compared without case (E7)
	MerchantID    string // the account that approved; empty until then
	Requested     []string
	Scopes        []string // granted ones if approved, else requested ones
	CreatedAt     time.Time
	ExpiresAt     time.Time // of the link while pending (D1)
	ApprovedAt    time.Time
	DeclinedAt    time.Time
	RevokedAt     time.Time
	ReadAt        time.Time // when the key last read the merchant's data, to the minute

	status ConnectionStatus // as stored
}

// linkLife is how long the link of a connection or a charge works (seed 8.2).
const linkLife = 7 * 24 * time.Hour

// StatusAt returns the status at a time: a pending connection expires (D1).
func (c Connection) StatusAt(now time.Time) ConnectionStatus {
	if c.status == ConnectionPending && !now.Before(c.ExpiresAt) {
		return ConnectionExpired
	}
	return c.status
}

// IsFor reports whether the request is addressed to this e-mail.
func (c Connection) IsFor(email string) bool { return FoldEmail(c.MerchantEmail) == FoldEmail(email) }

const connectionColumns = `id, key_id, account_id, merchant_email, merchant_id, status, requested, scopes,
  created_at, expires_at, approved_at, declined_at, revoked_at, read_at`

var (
	insertConnection = newQuery(`
INSERT INTO connections (id, key_id, account_id, merchant_email, status, requested, scopes,
  created_at, expires_at, email_folded, token_hash)
VALUES ($1, $2, $3, $4, 'pending', $5, $5, $6, $7, $8, $9)`)

	// A mail of the future, from before the clock was set back, does not count.
	countRequestMail = newQuery(`
UPDATE connections
SET mailed_at = $4
WHERE key_id = $1 AND id = $2
  AND (
    SELECT count(*)
    FROM connections
    WHERE key_id = $1 AND email_folded = $3 AND mailed_at > $5 AND mailed_at <= $4) = 0
  AND (
    SELECT count(*)
    FROM connections
    WHERE key_id = $1 AND email_folded = $3 AND mailed_at > $6 AND mailed_at <= $4) < $7`)

	connectionByToken = newQuery(`SELECT ` + connectionColumns + ` FROM connections WHERE token_hash = $1`)

	connectionsOfKey = newQuery(`
SELECT ` + connectionColumns + `
FROM connections
WHERE key_id = $1
ORDER BY id DESC
LIMIT $2`)

	connectionByID = newQuery(`
SELECT ` + connectionColumns + `
FROM connections
WHERE key_id IN (SELECT id FROM api_keys) AND id = $1`)

	connectionsWith = newQuery(`
SELECT ` + connectionColumns + `
FROM connections
WHERE $1 = '' OR account_id = $1 OR merchant_id = $1 OR email_folded = $2
ORDER BY id DESC
LIMIT $3`)

	connectionTo = newQuery(`
SELECT ` + connectionColumns + `
FROM connections
WHERE id = $1 AND (merchant_id = $2 OR merchant_id IS NULL AND email_folded = $3)`)

	connectionsPending = newQuery(`
SELECT ` + connectionColumns + `
FROM connections
WHERE id IN (
  SELECT max(id)
  FROM connections
  WHERE email_folded = $1 AND status = 'pending' AND expires_at > $2
  GROUP BY key_id)
ORDER BY id DESC
LIMIT $3`)

	activeConnection = newQuery(`
SELECT EXISTS (
  SELECT 1
  FROM connections
  WHERE key_id = $1 AND email_folded = $2 AND status = 'approved')`)

	grantsOfMerchant = newQuery(`
SELECT ` + connectionColumns + `
FROM connections
WHERE merchant_id = $1
ORDER BY id DESC
LIMIT $2`)

	grantOfMerchant = newQuery(`SELECT ` + connectionColumns + ` FROM connections WHERE merchant_id = $1 AND id = $2`)

	activeGrants = newQuery(`SELECT count(*) FROM connections WHERE merchant_id = $1 AND status = 'approved'`)

	// A merchant has approved few connections, a key may have made many: the plus sign
	// keeps the planner from using the key's index.
	activeScopes = newQuery(`SELECT scopes FROM connections WHERE merchant_id = $1 AND +key_id = $2 AND status = 'approved'`)

	// A merchant has approved few connections; see activeScopes.
	stampRead = newQuery(`
UPDATE connections
SET read_at = $3
WHERE merchant_id = $1 AND +key_id = $2 AND status = 'approved' AND (read_at IS NULL OR read_at <= $4 OR read_at > $3)`)

	connectionsOfKeyBefore = newQuery(`
SELECT ` + connectionColumns + `
FROM connections
WHERE key_id = $1 AND id < $2 AND ($3 = '' OR email_folded = $3)
ORDER BY id DESC
LIMIT $4`)

	connectionOfAccount = newQuery(`
SELECT ` + connectionColumns + `
FROM connections
WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = $1) AND id = $2`)

	approveConnection = newQuery(`
UPDATE connections
SET status = 'approved', merchant_id = $3, scopes = $4, approved_at = $5
WHERE key_id = $1 AND id = $2 AND status = 'pending' AND expires_at > $5`)

	declineConnection = newQuery(`
UPDATE connections
SET status = 'declined', declined_at = $3
WHERE key_id = $1 AND id = $2 AND status = 'pending' AND expires_at > $3`)

	narrowConnection = newQuery(`
UPDATE connections
SET scopes = $5
WHERE key_id = $1 AND id = $2 AND status = 'approved' AND merchant_id = $3 AND scopes = $4`)

	revokeConnection = newQuery(`
UPDATE connections
SET status = 'revoked', revoked_at = $4
WHERE key_id = $1 AND id = $2 AND status = 'approved' AND merchant_id = $3`)
)

func scanConnection(row scanner) (c Connection, err error) {
	var requested, scopes string
	err = row.Scan(&c.ID, &c.KeyID, &c.AccountID, &c.MerchantEmail, nullable(&c.MerchantID), &c.status, &requested, &scopes,
		timestamp(&c.CreatedAt), timestamp(&c.ExpiresAt), timestamp(&c.ApprovedAt), timestamp(&c.DeclinedAt), timestamp(&c.RevokedAt), timestamp(&c.ReadAt))
	c.Requested, c.Scopes = strings.Fields(requested), strings.Fields(scopes)
	return c, err
}

// CreateConnection stores a pending request with c's key, account, merchant_email and
// requested scopes, and returns the token of its link. ErrConflict: the key has an
// active connection to that merchant (seed 4.4).
func (tx *Tx) CreateConnection(c Connection) (Connection, Token, error) {
	active, err := tx.HasActiveConnection(c.KeyID, c.MerchantEmail)
	if err != nil {
		return Connection{}, "", fmt.Errorf("create connection: %w", err)
	}
	if active {
		return Connection{}, "", ErrConflict
	}
	token := NewToken()
	c.ID, c.CreatedAt, c.ExpiresAt = tx.newID("conn_"), tx.Now(), tx.Now().Add(linkLife)
	c.Scopes, c.status = c.Requested, ConnectionPending
	err = tx.exec(insertConnection, c.ID, c.KeyID, c.AccountID, c.MerchantEmail, strings.Join(c.Requested, " "),
		tx.nowMs(), c.ExpiresAt.UnixMilli(), FoldEmail(c.MerchantEmail), token.Hash())
	if err != nil {
		return Connection{}, "", fmt.Errorf("create connection: %w", err)
	}
	return c, token, nil
}

// One address gets at most one mail in requestMailPause and requestMailsADay in a day on
// behalf of one key (L10).
const (
	requestMailPause = time.Hour
	requestMailsADay = 5
)

// CountRequestMail counts the mail of a request before it is queued. ErrTooSoon: the
// address may get no mail on behalf of this key now.
func (tx *Tx) CountRequestMail(c Connection) error {
	now := tx.Now()
	err := tx.execOne(countRequestMail, c.KeyID, c.ID, FoldEmail(c.MerchantEmail), now.UnixMilli(),
		now.Add(-requestMailPause).UnixMilli(), now.AddDate(0, 0, -1).UnixMilli(), requestMailsADay)
	return translate(err, ErrNotFound, ErrTooSoon)
}

// HasActiveConnection reports whether the key has an active connection to the merchant
// with this e-mail (D2).
func (tx *Tx) HasActiveConnection(keyID, email string) (bool, error) {
	return value[bool](tx, activeConnection, keyID, FoldEmail(email))
}

// ConnectionByToken finds the connection of a link.
func (tx *Tx) ConnectionByToken(token Token) (Connection, error) {
	return one(tx, connectionByToken, scanConnection, token.Hash())
}

// Connections lists the key's newest connections, at most limit.
func (tx *Tx) Connections(keyID string, limit int) ([]Connection, error) {
	return collect(tx, connectionsOfKey, scanConnection, keyID, limit)
}

// Connection finds a connection of any key. It is the operator's view.
func (tx *Tx) Connection(id string) (Connection, error) {
	return one(tx, connectionByID, scanConnection, id)
}

// ConnectionsWith lists the newest connections that an account asked for or was asked
// for, at most limit; for the zero account, everybody's. It is the operator's view and
// reads the whole table: use it in a LongView.
func (tx *Tx) ConnectionsWith(a Account, limit int) ([]Connection, error) {
	return collect(tx, connectionsWith, scanConnection, a.ID, FoldEmail(a.Email), limit)
}

// ConnectionTo finds a request that is addressed to an account's verified e-mail, or that
// the account has approved.
func (tx *Tx) ConnectionTo(a Account, id string) (Connection, error) {
	return one(tx, connectionTo, scanConnection, id, a.ID, a.provenEmail())
}

// ConnectionsPending lists the pending requests that are addressed to an account's verified
// e-mail, newest first and at most limit: of each key the newest, since a key may ask so
// often that nobody else's would be among them.
func (tx *Tx) ConnectionsPending(a Account, limit int) ([]Connection, error) {
	return collect(tx, connectionsPending, scanConnection, a.provenEmail(), tx.nowMs(), limit)
}

// Grants lists the newest connections that a merchant has approved, including revoked
// ones, at most limit.
func (tx *Tx) Grants(merchantID string, limit int) ([]Connection, error) {
	return collect(tx, grantsOfMerchant, scanConnection, merchantID, limit)
}

// Grant finds a connection that a merchant has approved.
func (tx *Tx) Grant(merchantID, id string) (Connection, error) {
	return one(tx, grantOfMerchant, scanConnection, merchantID, id)
}

// ActiveGrants counts the merchant's active connections.
func (tx *Tx) ActiveGrants(merchantID string) (int, error) {
	return value[int](tx, activeGrants, merchantID)
}

// MayAccess reports whether an active connection of the key grants a scope of the
// merchant's data (F5).
func (tx *Tx) MayAccess(keyID, merchantID, scope string) (bool, error) {
	all, err := collect(tx, activeScopes, scanText, merchantID, keyID)
	return slices.ContainsFunc(all, func(scopes string) bool {
		return slices.Contains(strings.Fields(scopes), scope)
	}), err
}

// readStampEvery is how old the stamp of a connection's last read gets before a read renews it.
const readStampEvery = time.Minute

// StampRead notes that a key has read the data of a merchant who has granted it.
func (tx *Tx) StampRead(keyID, merchantID string) error {
	return tx.exec(stampRead, merchantID, keyID, tx.nowMs(), tx.Now().Add(-readStampEvery).UnixMilli())
}

// ConnectionsOf lists the newest connections that the keys of an account have asked for, older
// than the one with the id before ("" for all) and, unless email is "", to the merchant with
// this e-mail; at most limit.
func (tx *Tx) ConnectionsOf(accountID, before, email string, limit int) ([]Connection, error) {
	return newestOfKeys(tx, accountID, limit, func(c Connection) string { return c.ID }, func(keyID string) ([]Connection, error) {
		return collect(tx, connectionsOfKeyBefore, scanConnection, keyID, idBefore(before), foldOrNone(email), limit)
	})
}

// ConnectionOf finds a connection that a key of an account has asked for.
func (tx *Tx) ConnectionOf(accountID, id string) (Connection, error) {
	return one(tx, connectionOfAccount, scanConnection, accountID, id)
}

// newestOfKeys merges the newest rows of each key of an account: rows are stored by key, so
// that it reads no more than limit rows of each.
func newestOfKeys[T any](tx *Tx, accountID string, limit int, id func(T) string, ofKey func(keyID string) ([]T, error)) (all []T, err error) {
	keys, err := tx.Keys(accountID)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		rows, err := ofKey(k.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, rows...)
	}
	slices.SortFunc(all, func(a, b T) int { return strings.Compare(id(b), id(a)) })
	return all[:min(limit, len(all))], nil
}

// idBefore is the bound of ids below one; none is above all ids.
func idBefore(id string) string {
	if id == "" {
		return "~"
	}
	return id
}

func foldOrNone(email string) string {
	if email == "" {
		return ""
	}
	return FoldEmail(email)
}

// ApproveConnection grants some of the requested scopes of a merchant's data. ErrStale:
// the connection is no longer pending. ErrConflict: another connection of the key to
// this merchant is active.
func (tx *Tx) ApproveConnection(c Connection, merchantID string, scopes []string) error {
	for _, s := range scopes {
		if !slices.Contains(c.Requested, s) {
			return fmt.Errorf("approve connection: scope %q was not requested", s)
		}
	}
	granted := strings.Join(scopes, " ")
	err := tx.step(approveConnection, c.KeyID, c.ID, merchantID, granted, tx.nowMs())
	return tx.audit(err, merchantID, GrantApproved, c.ID, granted)
}

// DeclineConnection refuses a request. ErrStale: it is no longer pending.
func (tx *Tx) DeclineConnection(c Connection) error {
	return tx.step(declineConnection, c.KeyID, c.ID, tx.nowMs())
}

// NarrowConnection reduces the granted scopes to these; it never adds one (D4).
// ErrStale: the merchant has no such active connection, or its scopes have changed
// since c was read.
func (tx *Tx) NarrowConnection(c Connection, merchantID string, scopes []string) error {
	for _, s := range scopes {
		if !slices.Contains(c.Scopes, s) {
			return fmt.Errorf("narrow connection: scope %q was not granted", s)
		}
	}
	kept := strings.Join(scopes, " ")
	err := tx.step(narrowConnection, c.KeyID, c.ID, merchantID, strings.Join(c.Scopes, " "), kept)
	return tx.audit(err, merchantID, GrantNarrowed, c.ID, kept)
}

// RevokeConnection ends a connection for good; its scopes stay on record (D4).
// ErrStale: the merchant has no such active connection.
func (tx *Tx) RevokeConnection(c Connection, merchantID string) error {
	return tx.audit(tx.step(revokeConnection, c.KeyID, c.ID, merchantID, tx.nowMs()), merchantID, GrantRevoked, c.ID, "")
}
