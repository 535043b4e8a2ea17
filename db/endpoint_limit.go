package db

import "fmt"

// KeyLimits are the limits that a key has at an endpoint by individual arrangement instead
// of DefaultLimits (seed 8.4).
type KeyLimits struct {
	KeyID    string
	Endpoint string
	EndpointLimits
}

var (
	setEndpointLimits = newQuery(`
INSERT INTO endpoint_limits (key_id, endpoint, per_minute, per_hour)
VALUES ($1, $2, $3, $4)
ON CONFLICT (key_id, endpoint) DO UPDATE SET per_minute = excluded.per_minute, per_hour = excluded.per_hour`)

	dropEndpointLimits = newQuery(`DELETE FROM endpoint_limits WHERE key_id = $1 AND endpoint = $2`)

	endpointLimitsOfAccount = newQuery(`
SELECT l.key_id, l.endpoint, l.per_minute, l.per_hour
FROM api_keys k
JOIN endpoint_limits l ON l.key_id = k.id
WHERE k.account_id = $1
ORDER BY k.created_at, k.id, l.endpoint`)
)

// SetKeyLimits stores a key's limits at an endpoint, from its next call on.
func (tx *Tx) SetKeyLimits(l KeyLimits) error {
	err := tx.exec(setEndpointLimits, l.KeyID, l.Endpoint, l.Minute, l.Hour)
	if err := tx.auditKey(err, l.KeyID, KeyLimitsSet, fmt.Sprintf("%s %d %d", l.Endpoint, l.Minute, l.Hour)); err != nil {
		return fmt.Errorf("set limits: %w", err)
	}
	return nil
}

// ResetKeyLimits makes DefaultLimits hold for a key again, from its next call on.
func (tx *Tx) ResetKeyLimits(keyID, endpoint string) error {
	return tx.auditKey(tx.exec(dropEndpointLimits, keyID, endpoint), keyID, KeyLimitsSet, endpoint)
}

// KeyLimits lists the arrangements of an account's keys.
func (tx *Tx) KeyLimits(accountID string) ([]KeyLimits, error) {
	return collect(tx, endpointLimitsOfAccount, scanKeyLimits, accountID)
}

func scanKeyLimits(row scanner) (l KeyLimits, err error) {
	err = row.Scan(&l.KeyID, &l.Endpoint, &l.Minute, &l.Hour)
	return l, err
}
