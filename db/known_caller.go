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

// How long a person knows a caller after a sign-in. A network changes hands sooner.
const (
	KnownBrowserLife = 180 * 24 * time.Hour
	knownNetworkLife = 30 * 24 * time.Hour
)

// maxKnownCallers bounds the browsers that a person knows, and its networks by themselves:
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
INSERT INTO known_callers (person_id, caller, ends_at)
VALUES ($1, $2, $3)
ON CONFLICT (person_id, caller) DO UPDATE SET ends_at = excluded.ends_at`)

	forgetOldestCallers = newQuery(`
DELETE FROM known_callers
WHERE person_id = $1 AND caller IN (
  SELECT caller FROM known_callers WHERE person_id = $1 AND (ends_at > $2) = $3 ORDER BY ends_at DESC LIMIT -1 OFFSET ` + maxKnownCallers + `)`)

	knowsCaller = newQuery(`
SELECT EXISTS (SELECT 1 FROM known_callers WHERE person_id = $1 AND caller = $2 AND ends_at > $3 AND ends_at <= $4)`)

	forgetCallers = newQuery(`DELETE FROM known_callers WHERE person_id = $1`)

	deleteEndedCallers = newQuery(`
DELETE FROM known_callers
WHERE (person_id, caller) IN (SELECT person_id, caller FROM known_callers WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2)`)
)

// RememberCaller makes a caller known to the person, or known for longer.
func (tx *Tx) RememberCaller(personID string, c Caller) error {
	if err := tx.exec(rememberCaller, personID, c.hash[:], tx.Now().Add(c.life).UnixMilli()); err != nil {
		return fmt.Errorf("remember caller: %w", err)
	}
	networksEnd := tx.Now().Add(knownNetworkLife).UnixMilli()
	isBrowser := c.life == KnownBrowserLife
	return tx.exec(forgetOldestCallers, personID, networksEnd, isBrowser)
}

// KnowsCaller reports whether the person knows the caller.
func (tx *Tx) KnowsCaller(personID string, c Caller) (bool, error) {
	return value[bool](tx, knowsCaller, personID, c.hash[:], tx.nowMs(), tx.latestEnd(c.life))
}

// ForgetCallers makes all callers strangers to the person.
func (tx *Tx) ForgetCallers(personID string) error { return tx.exec(forgetCallers, personID) }

// DeleteEndedCallers removes up to limit callers that are not known any more.
func (tx *Tx) DeleteEndedCallers(limit int) (int64, error) {
	return tx.execCount(deleteEndedCallers, tx.nowMs(), limit)
}
