package db

import (
	"fmt"
	"slices"
	"time"
)

// PulseClaim is the right to compute the next pulse of an account, for a lease of 5
// minutes. FinishPulse stores it in the transaction that emits its event.
type PulseClaim struct {
	AccountID string
	Stamp     string // of the data and the day, as DuePulses read them
	Last      string // figures of the last pulse, as they were stored; empty: there is none

	last  string // stamp of the last pulse
	claim int64
}

// Times of pulses.
const (
	PulseEvery = 15 * time.Minute // the least time between two of an account (K8)
	pulseLease = 5 * time.Minute
)

// pulseStamp is a token of the data of an account a at the time $1: it changes with its
// shop's tables, its inventory, its pushed rows, its live charges and the dataset in use.
const pulseStamp = `
  coalesce((SELECT version FROM shops WHERE account_id = a.id), 0) || '.'
  || coalesce((SELECT version || '.' || last_move FROM inventories WHERE account_id = a.id), 0) || '.'
  || coalesce((SELECT version FROM pushed_sets WHERE account_id = a.id), 0) || '.'
  || (SELECT count(*) || '.' || count(*) FILTER (WHERE status = 'approved') || '.' || count(*) FILTER (WHERE status = 'pending' AND expires_at > $1)
    FROM charges WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = a.id) AND env = 'live') || '.'
  || coalesce((SELECT id || '.' || revision FROM datasets WHERE account_id = a.id AND state = 'ready' ORDER BY ` + newestFirst + ` LIMIT 1), '')`

var (
	duePulses = newQuery(`
SELECT a.id, a.timezone, ` + pulseStamp + `, coalesce(p.stamp, '')
FROM accounts a
LEFT JOIN pulses p ON p.account_id = a.id
WHERE ` + hasData + ` AND (p.account_id IS NULL
  OR (p.lease_until <= $1 OR p.lease_until > $2) AND (p.updated_at <= $3 OR p.updated_at > $1))
ORDER BY a.id`)

	pulseStampOf = newQuery(`SELECT ` + pulseStamp + ` FROM accounts a WHERE a.id = $2`)

	claimPulse = newQuery(`
INSERT INTO pulses (account_id, stamp, figures, claim, lease_until, updated_at)
VALUES ($1, '', '', 1, $3, 0)
ON CONFLICT (account_id) DO UPDATE SET claim = claim + 1, lease_until = $3
WHERE (lease_until <= $2 OR lease_until > $3) AND (updated_at <= $4 OR updated_at > $2)
RETURNING claim, figures`)

	finishPulse = newQuery(`
UPDATE pulses
SET stamp = $3, figures = $4, lease_until = 0, updated_at = $5
WHERE account_id = $1 AND claim = $2 AND lease_until <> 0`)

	newestSale = newQuery(`
SELECT sold_at
FROM sales
WHERE account_id = $1 AND currency = $2 AND sold_at <= $3
ORDER BY sold_local DESC
LIMIT 1`)

	chargeSums = newQuery(`
SELECT count(*),
  coalesce(sum(amount) FILTER (WHERE status = 'approved' AND approved_at >= $3), 0),
  coalesce(sum(amount) FILTER (WHERE status = 'pending' AND expires_at > $4), 0),
  count(*) FILTER (WHERE status = 'pending' AND expires_at > $4)
FROM charges
WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = $1) AND currency = $2 AND env = 'live'`)
)

// DuePulses lists accounts whose data or day have changed since their last pulse, and which
// may have another, at most limit. today returns the day that it is in a zone. It is the
// operator's view.
func (tx *Tx) DuePulses(limit int, today func(timezone string) string) ([]PulseClaim, error) {
	all, err := collect(tx, duePulses, func(row scanner) (c PulseClaim, err error) {
		var timezone string
		err = row.Scan(&c.AccountID, &timezone, &c.Stamp, &c.last)
		c.Stamp += "." + today(timezone)
		return c, err
	}, tx.nowMs(), tx.Now().Add(pulseLease).UnixMilli(), tx.Now().Add(-PulseEvery).UnixMilli())
	due := slices.DeleteFunc(all, func(c PulseClaim) bool { return c.Stamp == c.last })
	return due[:min(limit, len(due))], err
}

// PulseStamp returns a token of the data that an account's pulse is computed from. It changes
// with them.
func (tx *Tx) PulseStamp(accountID string) (string, error) {
	return value[string](tx, pulseStampOf, tx.nowMs(), accountID)
}

// ClaimPulse claims one of DuePulses. ErrStale: another claim of the account lasts, or its
// last pulse is not old enough.
func (tx *Tx) ClaimPulse(c PulseClaim) (PulseClaim, error) {
	args := []any{c.AccountID, tx.nowMs(), tx.Now().Add(pulseLease).UnixMilli(), tx.Now().Add(-PulseEvery).UnixMilli()}
	if err := tx.row(claimPulse, args, &c.claim, &c.Last); err != nil {
		return PulseClaim{}, fmt.Errorf("claim pulse: %w", translate(err, ErrNotFound, ErrStale))
	}
	return c, nil
}

// FinishPulse stores the figures of a pulse and ends its claim. On ErrStale another process
// has the claim, and the caller undoes the transaction.
func (tx *Tx) FinishPulse(c PulseClaim, figures string) error {
	return tx.step(finishPulse, c.AccountID, c.claim, c.Stamp, figures, tx.nowMs())
}

// NewestSale returns when the account's newest sale in its currency was, the zero time
// without one. Sales that are dated in the future do not count.
func (tx *Tx) NewestSale(owner Account) (time.Time, error) {
	ms, err := value[int64](tx, newestSale, owner.ID, owner.Profile.Currency, tx.nowMs())
	return millis(ms), translate(err, ErrNotFound, nil)
}

// ChargeSums sums the live charges of an account's keys in its currency, in minor units.
type ChargeSums struct {
	Charges  int64 // number of all, whatever became of them
	Paid     int64 // since a time
	Pending  int64 // can still be paid
	Payables int64 // number of those in Pending
}

// ChargeSums sums the account's charges. Paid are those that were paid since a time.
func (tx *Tx) ChargeSums(owner Account, since time.Time) (s ChargeSums, err error) {
	args := []any{owner.ID, owner.Profile.Currency, since.UnixMilli(), tx.nowMs()}
	err = tx.row(chargeSums, args, &s.Charges, &s.Paid, &s.Pending, &s.Payables)
	return s, err
}
