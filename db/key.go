package db

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// Key is an API key without its secret, which is not stored. Env and mode never change;
// a disabled key is refused until it is enabled (seed 5.3).
type Key struct {
	ID         string
	AccountID  string
	AppID      string // empty if it belongs to no app
	Prefix     string
	LastFour   string
	Env        Env
	Mode       Mode
	Label      string
	DisabledAt time.Time // zero if enabled
	CreatedAt  time.Time
	OldEndsAt  time.Time // when the last of its earlier secrets ends, also in the past; zero: it has none
}

// Principal is the caller of the API: the key, with its account and the account's plan.
type Principal struct {
	KeyID     string
	AccountID string
	Env       Env
	Mode      Mode
	Plan      Plan
	Disabled  bool // the key or its account
	Closed    bool // its account is disabled

	endsAt time.Time // of a secret that was rotated away; zero for the key's own
}

// endedAt reports whether the secret was rotated away and its grace time is over.
func (p Principal) endedAt(now time.Time) bool { return !p.endsAt.IsZero() && !now.Before(p.endsAt) }

const keyColumns = `id, account_id, app_id, prefix, last_four, env, mode, label, disabled_at, created_at`

const shownKey = keyColumns + `, (SELECT max(ends_at) FROM old_key_secrets WHERE key_id = api_keys.id)`

var (
	insertKey = newPrincipalQuery(`
INSERT INTO api_keys (` + keyColumns + `, secret_hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, NULL, $9, $10)`)

	keysOfAccount = newQuery(`SELECT ` + shownKey + ` FROM api_keys WHERE account_id = $1 ORDER BY created_at, id`)
	hasKeys       = newQuery(`SELECT EXISTS (SELECT 1 FROM api_keys WHERE account_id = $1)`)
	keyByID       = newQuery(`SELECT ` + shownKey + ` FROM api_keys WHERE id = $1`)

	keyName = newQuery(`
SELECT k.label, a.email, coalesce(p.name, '')
FROM api_keys k
JOIN accounts a ON a.id = k.account_id
LEFT JOIN apps p ON p.id = k.app_id
WHERE k.id = $1`)

	setDisabledAt = newPrincipalQuery(`UPDATE api_keys SET disabled_at = $3 WHERE account_id = $1 AND id = $2`)

	setAppOfKey = newPrincipalQuery(`UPDATE api_keys SET app_id = $3 WHERE account_id = $1 AND id = $2`)

	setLabel = newPrincipalQuery(`UPDATE api_keys SET label = $3 WHERE account_id = $1 AND id = $2`)

	keepSecret = newPrincipalQuery(`
INSERT INTO old_key_secrets (secret_hash, key_id, ends_at)
SELECT secret_hash, id, $3
FROM api_keys
WHERE account_id = $1 AND id = $2`)

	endOldSecrets  = newPrincipalQuery(`UPDATE old_key_secrets SET ends_at = $2 WHERE key_id = $1 AND ends_at > $2`)
	dropOldSecrets = newPrincipalQuery(`DELETE FROM old_key_secrets WHERE key_id = $1 AND ends_at <= $2`)
	oldSecrets     = newQuery(`SELECT EXISTS (SELECT 1 FROM old_key_secrets WHERE ends_at <= $1)`)
	deleteSecrets  = newPrincipalQuery(`
DELETE FROM old_key_secrets
WHERE secret_hash IN (SELECT secret_hash FROM old_key_secrets WHERE ends_at <= $1 LIMIT $2)`)
	replaceSecret   = newPrincipalQuery(`UPDATE api_keys SET secret_hash = $3, last_four = $4 WHERE account_id = $1 AND id = $2`)
	principalByHash = newQuery(`
SELECT k.id, k.account_id, k.env, k.mode, a.plan, k.disabled_at IS NOT NULL OR a.disabled_at IS NOT NULL, a.disabled_at IS NOT NULL, NULL
FROM api_keys k
JOIN accounts a ON a.id = k.account_id
WHERE k.secret_hash = $1
UNION ALL
SELECT k.id, k.account_id, k.env, k.mode, a.plan, k.disabled_at IS NOT NULL OR a.disabled_at IS NOT NULL, a.disabled_at IS NOT NULL, o.ends_at
FROM old_key_secrets o
JOIN api_keys k ON k.id = o.key_id
JOIN accounts a ON a.id = k.account_id
WHERE o.secret_hash = $1
LIMIT 1`)
)

func scanKey(row scanner) (k Key, err error) {
	err = row.Scan(&k.ID, &k.AccountID, nullable(&k.AppID), &k.Prefix, &k.LastFour, &k.Env, &k.Mode, &k.Label,
		timestamp(&k.DisabledAt), timestamp(&k.CreatedAt), timestamp(&k.OldEndsAt))
	return k, err
}

// NewKeyID makes the id of a new key.
func NewKeyID(at time.Time) string { return NewID("key_", at) }

// CreateKey stores a new key of k's account, environment, mode, label and app, and
// returns its secret, which cannot be read again. Its id is k's, made by NewKeyID, or a new
// one. ErrConflict: there is a key with k's id.
func (tx *Tx) CreateKey(k Key) (Key, Secret, error) {
	secret := NewSecret(k.Env, k.Mode)
	hash := secret.Hash()
	k.ID, k.CreatedAt, k.DisabledAt = cmp.Or(k.ID, tx.newID("key_")), tx.Now(), time.Time{}
	k.Prefix, k.LastFour = prefixOf(k.Env, k.Mode), secret.lastFour()

	err := tx.exec(insertKey, k.ID, k.AccountID, nullString(k.AppID), k.Prefix, k.LastFour,
		k.Env, k.Mode, k.Label, tx.nowMs(), hash[:])
	if err := tx.audit(err, k.AccountID, KeyMade, k.ID, string(k.Env)+" "+string(k.Mode)); err != nil {
		return Key{}, "", fmt.Errorf("create key: %w", err)
	}
	return k, secret, nil
}

// Keys lists the account's keys, oldest first.
func (tx *Tx) Keys(accountID string) ([]Key, error) {
	return collect(tx, keysOfAccount, scanKey, accountID)
}

// HasKeys reports whether the account ever made a key.
func (tx *Tx) HasKeys(accountID string) (bool, error) { return value[bool](tx, hasKeys, accountID) }

// Key finds a key of any account by its id. It is the operator's view.
func (tx *Tx) Key(id string) (Key, error) { return one(tx, keyByID, scanKey, id) }

// KeyName is how lists name a key to people.
type KeyName struct {
	Label string
	Email string // of the key's account
	App   string // empty: the key belongs to none
}

func scanKeyName(row scanner) (n KeyName, err error) {
	err = row.Scan(&n.Label, &n.Email, &n.App)
	return n, err
}

// KeyNames names the keys with these ids, which may repeat. An id without a key is left
// out. It is the operator's view.
func (tx *Tx) KeyNames(ids []string) (map[string]KeyName, error) {
	names := map[string]KeyName{}
	for _, id := range ids {
		if _, known := names[id]; known || id == "" {
			continue
		}
		name, err := one(tx, keyName, scanKeyName, id)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		names[id] = name
	}
	return names, nil
}

// Requester is who asks a merchant for access or for a payment.
type Requester struct {
	Key       Key
	App       App // zero: the key belongs to no app
	Developer Account
}

// AppName is the name of the app, or else the key's label; it may be empty.
func (r Requester) AppName() string { return cmp.Or(r.App.Name, r.Key.Label) }

// Requester reads a key with its app and its account.
func (tx *Tx) Requester(keyID string) (r Requester, err error) {
	if r.Key, err = tx.Key(keyID); err != nil {
		return r, err
	}
	if r.Developer, err = tx.Account(r.Key.AccountID); err != nil {
		return r, err
	}
	if r.Key.AppID != "" {
		r.App, err = tx.App(r.Key.AccountID, r.Key.AppID)
	}
	return r, err
}

// DisableKey disables a key from its next call on (A11).
func (tx *Tx) DisableKey(accountID, keyID string) error {
	return tx.audit(tx.execOne(setDisabledAt, accountID, keyID, tx.nowMs()), accountID, KeyDisabled, keyID, "")
}

// EnableKey undoes DisableKey.
func (tx *Tx) EnableKey(accountID, keyID string) error {
	return tx.audit(tx.execOne(setDisabledAt, accountID, keyID, nil), accountID, KeyEnabled, keyID, "")
}

// MoveKey makes a key belong to another of the account's apps; empty: to none.
func (tx *Tx) MoveKey(accountID, keyID, appID string) error {
	return tx.audit(tx.execOne(setAppOfKey, accountID, keyID, nullString(appID)), accountID, KeyMoved, keyID, appID)
}

// LabelKey changes what a key is called.
func (tx *Tx) LabelKey(accountID, keyID, label string) error {
	return tx.audit(tx.execOne(setLabel, accountID, keyID, label), accountID, KeyLabelled, keyID, "")
}

// RotateKey gives a key a new secret, which cannot be read again. The secrets that it had
// before are accepted until the grace time is over, those of earlier rotations at most as
// long as they were.
func (tx *Tx) RotateKey(k Key, grace time.Duration) (Key, Secret, error) {
	secret := NewSecret(k.Env, k.Mode)
	hash := secret.Hash()
	k.LastFour = secret.lastFour()
	k.OldEndsAt = tx.Now().Add(grace)
	endsAt := k.OldEndsAt.UnixMilli()
	err := errors.Join(
		tx.execOne(keepSecret, k.AccountID, k.ID, endsAt),
		tx.exec(endOldSecrets, k.ID, endsAt),
		tx.exec(dropOldSecrets, k.ID, tx.nowMs()),
		tx.execOne(replaceSecret, k.AccountID, k.ID, hash[:], k.LastFour),
	)
	if err := tx.audit(err, k.AccountID, KeyRotated, k.ID, k.OldEndsAt.UTC().Format(time.RFC3339)); err != nil {
		return Key{}, "", fmt.Errorf("rotate key: %w", err)
	}
	return k, secret, nil
}

// EndOldSecrets ends the secrets that a key had before it was rotated, and returns how many
// were still accepted.
func (tx *Tx) EndOldSecrets(k Key) (int64, error) {
	n, err := tx.execCount(endOldSecrets, k.ID, tx.nowMs())
	if err := tx.audit(err, k.AccountID, KeySecretsEnded, k.ID, strconv.FormatInt(n, 10)); err != nil {
		return 0, fmt.Errorf("end old secrets: %w", err)
	}
	return n, nil
}

// DeleteEndedSecrets removes up to limit secrets that were rotated away and have ended. If
// there are none, it writes nothing: a write empties the cache of principals.
func (tx *Tx) DeleteEndedSecrets(limit int) (int64, error) {
	some, err := value[bool](tx, oldSecrets, tx.nowMs())
	if err != nil || !some {
		return 0, err
	}
	return tx.execCount(deleteSecrets, tx.nowMs(), limit)
}

// Principal finds the principal of the key with this hash. In an update it may come
// from the cache, which is then known to match the file. A secret that was rotated away
// is not found once its grace time is over (A11).
func (tx *Tx) Principal(hash [sha256.Size]byte) (Principal, error) {
	useCache := tx.core.CacheValid()
	if useCache {
		if p, ok := tx.principals.get(hash, tx.Now()); ok {
			return p, nil
		}
	}
	var p Principal
	err := tx.row(principalByHash, []any{hash[:]}, &p.KeyID, &p.AccountID, &p.Env, &p.Mode, &p.Plan, &p.Disabled, &p.Closed,
		timestamp(&p.endsAt))
	if err == nil && p.endedAt(tx.Now()) {
		return Principal{}, ErrNotFound
	}
	if err == nil && useCache {
		tx.principals.put(hash, p)
	}
	return p, err
}

// RecentPrincipal returns a principal from the cache alone, which may be out of date. It
// serves a first check of a caller; admission reads the key again.
func (db *DB) RecentPrincipal(hash [sha256.Size]byte) (Principal, bool) {
	return db.principals.get(hash, db.clock())
}

// maxPrincipals bounds the cache; a full one is emptied.
const maxPrincipals = 20_000

// principalCache keeps principals that were read in updates. The engine empties it
// whenever keys or accounts may have changed, see engine.Options.Invalidate.
type principalCache struct {
	mu     sync.RWMutex
	byHash map[[sha256.Size]byte]Principal
}

func newPrincipalCache() *principalCache {
	return &principalCache{byHash: map[[sha256.Size]byte]Principal{}}
}

// get returns a principal unless its secret has ended.
func (c *principalCache) get(hash [sha256.Size]byte, now time.Time) (Principal, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	p, ok := c.byHash[hash]
	return p, ok && !p.endedAt(now)
}

func (c *principalCache) put(hash [sha256.Size]byte, p Principal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.byHash) >= maxPrincipals {
		clear(c.byHash)
	}
	c.byHash[hash] = p
}

func (c *principalCache) empty() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.byHash)
}
