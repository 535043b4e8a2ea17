package db

import (
	"crypto/sha256"
	"fmt"
	"net/netip"
	"time"
)

// Caller is a browser or a network from which passwords come. The store has only its hash.
type Caller struct {
	hash [sha256.Size]byte
	life time.Duration
}

// How long an account knows a caller after a sign-in. A network changes hands sooner.
const (
	KnownBrowserLife = 180 * 24 * time.Hour
	knownNetworkLife = 30 * 24 * time.Hour
)

// maxKnownCallers bounds the browsers that an account knows, and its networks by themselves:
// a script that signs in without cookies is a new browser each time, and must not push out the
// network that it comes from. Those that end first are forgotten. A browser that ends within
// knownNetworkLife counts as a network.
const maxKnownCallers = `50`

// BrowserCaller is the browser that holds a token.
func BrowserCaller(token Token) Caller {
	return Caller{sha256.Sum256([]byte("browser\x00" + token)), KnownBrowserLife}
}

// NetworkCaller is a network; see throttle.Network.
func NetworkCaller(network netip.Addr) Caller {
	return Caller{sha256.Sum256([]byte("network\x00" + network.String())), knownNetworkLife}
}

var (
	rememberCaller = newQuery(`
INSERT INTO known_callers (account_id, caller, ends_at)
VALUES ($1, $2, $3)
ON CONFLICT (account_id, caller) DO UPDATE SET ends_at = excluded.ends_at`)

	forgetOldestCallers = newQuery(`
DELETE FROM known_callers
WHERE account_id = $1 AND caller IN (
  SELECT caller FROM known_callers WHERE account_id = $1 AND (ends_at > $2) = $3 ORDER BY ends_at DESC LIMIT -1 OFFSET ` + maxKnownCallers + `)`)

	knowsCaller = newQuery(`
SELECT EXISTS (SELECT 1 FROM known_callers WHERE account_id = $1 AND caller = $2 AND ends_at > $3 AND ends_at <= $4)`)

	forgetCallers = newQuery(`DELETE FROM known_callers WHERE account_id = $1`)

	deleteEndedCallers = newQuery(`
DELETE FROM known_callers
WHERE (account_id, caller) IN (SELECT account_id, caller FROM known_callers WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2)`)
)

// RememberCaller makes a caller known to the account, or known for longer.
func (tx *Tx) RememberCaller(accountID string, c Caller) error {
	if err := tx.exec(rememberCaller, accountID, c.hash[:], tx.Now().Add(c.life).UnixMilli()); err != nil {
		return fmt.Errorf("remember caller: %w", err)
	}
	networksEnd := tx.Now().Add(knownNetworkLife).UnixMilli()
	isBrowser := c.life == KnownBrowserLife
	return tx.exec(forgetOldestCallers, accountID, networksEnd, isBrowser)
}

// KnowsCaller reports whether the account knows the caller.
func (tx *Tx) KnowsCaller(accountID string, c Caller) (bool, error) {
	return value[bool](tx, knowsCaller, accountID, c.hash[:], tx.nowMs(), tx.latestEnd(c.life))
}

// ForgetCallers makes all callers strangers to the account.
func (tx *Tx) ForgetCallers(accountID string) error { return tx.exec(forgetCallers, accountID) }

// DeleteEndedCallers removes up to limit callers that are not known any more.
func (tx *Tx) DeleteEndedCallers(limit int) (int64, error) {
	return tx.execCount(deleteEndedCallers, tx.nowMs(), limit)
}
