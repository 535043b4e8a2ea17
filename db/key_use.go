package db

import "time"

// KeyUse is what a key has done in the current calendar month (UTC).
type KeyUse struct {
	KeyID      string
	Calls      int64 // that count against the plan
	SpentCents int64 // usd_cents
	// CountedAt is when a call of the key was counted last, or earlier by less than a minute.
	// It is there before the call's row in the log of requests.
	CountedAt time.Time
}

// Debits of the month are the newest rows of the ledger, whose seq rises with time: the
// statement reads no row that is older than the last one before the month.
var usesOfKeys = newQuery(`
SELECT k.id,
  coalesce((SELECT m.month_used FROM meters m WHERE m.key_id = k.id AND m.month = $2), 0),
  coalesce(s.spent, 0),
  (SELECT m.window_start_at FROM meters m WHERE m.key_id = k.id)
FROM api_keys k
LEFT JOIN (
  SELECT key_id, -sum(amount_cents) AS spent
  FROM ledger
  WHERE account_id = $1 AND kind = 'debit'
    AND seq > coalesce((
      SELECT seq FROM ledger WHERE account_id = $1 AND created_at < $3 ORDER BY seq DESC LIMIT 1), 0)
  GROUP BY key_id) s ON s.key_id = k.id
WHERE k.account_id = $1`)

// A call of an endpoint with rolling windows is not counted by the minute.
var rollingOfKeys = newQuery(`
SELECT w.key_id, w.calls
FROM api_keys k
JOIN rolling_windows w ON w.key_id = k.id
WHERE k.account_id = $1`)

func scanKeyUse(row scanner) (u KeyUse, err error) {
	err = row.Scan(&u.KeyID, &u.Calls, &u.SpentCents, timestamp(&u.CountedAt))
	return u, err
}

// KeyUses returns what each of the account's keys has done this month. It reads the month's
// part of the ledger: use it in a LongView.
func (tx *Tx) KeyUses(accountID string) ([]KeyUse, error) {
	start := nextMonth(tx.Now()).AddDate(0, -1, 0)
	uses, err := collect(tx, usesOfKeys, scanKeyUse, accountID, monthOf(tx.Now()), start.UnixMilli())
	if err != nil {
		return nil, err
	}
	rolling, err := collect(tx, rollingOfKeys, scanNewestCall, accountID)
	if err != nil {
		return nil, err
	}
	for i := range uses {
		for _, newest := range rolling {
			if newest.KeyID == uses[i].KeyID && newest.At.After(uses[i].CountedAt) {
				uses[i].CountedAt = newest.At
			}
		}
		if uses[i].CountedAt.After(tx.Now()) { // the clock was set back
			uses[i].CountedAt = tx.Now()
		}
	}
	return uses, nil
}

// scanNewestCall reads the newest call of rolling windows, or the zero time.
func scanNewestCall(row scanner) (u LastUse, err error) {
	var packed []byte
	if err := row.Scan(&u.KeyID, &packed); err != nil {
		return u, err
	}
	calls, err := unpackTimes(packed)
	if err == nil && len(calls) > 0 {
		u.At = millis(calls[len(calls)-1])
	}
	return u, err
}
