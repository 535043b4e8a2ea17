package db

import (
	"errors"
	"fmt"
	"time"
)

// Window is the length of a key's minute, which starts with the first admitted call
// after the last minute ended (A5).
const Window = time.Minute

// Meter is how much of its minute and of its calendar month (UTC) a key has used. Count
// never raises it beyond a limit.
type Meter struct {
	// WindowUsed is the number of calls admitted in the open minute, 0 if none is open.
	WindowUsed int64
	// WindowEnds is the end of the open minute, now if none is open.
	WindowEnds time.Time
	// MonthUsed is the number of calls in the current month.
	MonthUsed int64
	// MonthEnds is the first moment of the next month.
	MonthEnds time.Time
}

// Over is the limit that refused a call.
type Over int

// The values of Over. Within means that no limit refused the call.
const (
	Within Over = iota
	OverMinute
	OverMonth
	OverWindow // a rolling window, see CountRolling
)

// countCall checks the limits and counts in one statement, so two calls cannot both take
// the last place. It changes no row if a limit is reached. A minute that starts in the
// future (the clock was set back) has ended.
var countCall = newQuery(`
INSERT INTO meters (key_id, window_start_at, window_used, month, month_used)
VALUES ($1, $2, 1, $3, $4)
ON CONFLICT (key_id) DO UPDATE SET
  window_start_at = CASE WHEN meters.window_start_at > $2 - $5 AND meters.window_start_at <= $2
                         THEN meters.window_start_at ELSE $2 END,
  window_used     = CASE WHEN meters.window_start_at > $2 - $5 AND meters.window_start_at <= $2
                         THEN meters.window_used + 1 ELSE 1 END,
  month_used      = CASE WHEN meters.month = $3 THEN meters.month_used + $4 ELSE $4 END,
  month           = $3
WHERE (meters.window_used < $6 OR meters.window_start_at <= $2 - $5 OR meters.window_start_at > $2)
  AND ($4 = 0 OR $7 < 0 OR meters.month <> $3 OR meters.month_used < $7)
RETURNING window_start_at, window_used, month, month_used`)

var (
	metersOfAccount = newQuery(`
SELECT m.key_id, m.window_start_at, m.window_used, m.month, m.month_used
FROM api_keys k
JOIN meters m ON m.key_id = k.id
WHERE k.account_id = $1`)

	meterOfKey = newQuery(`SELECT window_start_at, window_used, month, month_used FROM meters WHERE key_id = $1`)

	recountMonth = newQuery(`UPDATE meters SET month_used = month_used + 1 WHERE key_id = $1 AND month = $2`)

	uncountMinute = newQuery(`
UPDATE meters
SET window_used = window_used - 1
WHERE key_id = $1 AND window_start_at = $2 AND window_used > 0`)

	uncountMonth = newQuery(`
UPDATE meters
SET month_used = month_used - 1
WHERE key_id = $1 AND month = $2 AND month_used > 0`)
)

// Count counts one call by the minute and with byMonth, which is not set for a replay, by the
// month (A4). Over a limit it counts nothing and returns the meter as it is.
func (tx *Tx) Count(keyID string, limits Limits, byMonth bool) (Meter, Over, error) {
	var add int64
	if byMonth {
		add = 1
	}
	m, err := tx.meter(countCall, keyID, tx.nowMs(), monthOf(tx.Now()), add,
		Window.Milliseconds(), limits.Minute, limits.Month)
	if err == nil {
		return m, Within, nil
	}
	if !errors.Is(err, ErrNotFound) {
		return Meter{}, Within, fmt.Errorf("count call: %w", err)
	}

	m, err = tx.Meter(keyID)
	if err != nil {
		return Meter{}, Within, fmt.Errorf("count call: %w", err)
	}
	if m.WindowUsed >= limits.Minute {
		return m, OverMinute, nil
	}
	return m, OverMonth, nil
}

// CountMonth counts a call by the month alone: of an endpoint with rolling windows, or one
// that waited for another with the same Idempotency-Key and was counted by the minute
// before (B4). Over the limit it counts nothing and returns the meter as it is.
func (tx *Tx) CountMonth(keyID string, limits Limits) (Meter, Over, error) {
	m, err := tx.meter(countMonth, keyID, monthOf(tx.Now()), limits.Month)
	if err == nil {
		return m, Within, nil
	}
	if errors.Is(err, ErrNotFound) {
		m, err = tx.Meter(keyID)
	}
	if err != nil {
		return Meter{}, Within, fmt.Errorf("count call: %w", err)
	}
	return m, OverMonth, nil
}

// A key without a row has no open minute yet.
var countMonth = newQuery(`
INSERT INTO meters (key_id, window_start_at, window_used, month, month_used)
VALUES ($1, 0, 0, $2, 1)
ON CONFLICT (key_id) DO UPDATE SET
  month_used = CASE WHEN meters.month = $2 THEN meters.month_used + 1 ELSE 1 END,
  month      = $2
WHERE $3 < 0 OR meters.month <> $2 OR meters.month_used < $3
RETURNING window_start_at, window_used, month, month_used`)

// Uncount removes a call from its month (a YYYYMM number) after a 5xx (A4). It does
// nothing if another month has begun.
func (tx *Tx) Uncount(keyID string, month int64) error {
	return tx.exec(uncountMonth, keyID, month)
}

// UncountMinute removes a call from the minute that ends at a time, because the month has
// refused it (A4). It does nothing if another minute has begun.
func (tx *Tx) UncountMinute(keyID string, ends time.Time) error {
	return tx.exec(uncountMinute, keyID, ends.Add(-Window).UnixMilli())
}

// Recount undoes Uncount, because the call was a success after all. It does nothing if
// another month has begun.
func (tx *Tx) Recount(keyID string, month int64) error {
	return tx.exec(recountMonth, keyID, month)
}

// Month returns the number (YYYYMM, UTC) of the current month.
func (tx *Tx) Month() int64 { return monthOf(tx.Now()) }

// Meter reads a key's meter without counting.
func (tx *Tx) Meter(keyID string) (Meter, error) {
	m, err := tx.meter(meterOfKey, keyID)
	if errors.Is(err, ErrNotFound) {
		return Meter{WindowEnds: tx.Now(), MonthEnds: nextMonth(tx.Now())}, nil
	}
	return m, err
}

// Meters reads the meters of an account's keys, by the id of the key. Those that were never used
// have none.
func (tx *Tx) Meters(accountID string) (map[string]Meter, error) {
	all := map[string]Meter{}
	_, err := collect(tx, metersOfAccount, func(row scanner) (struct{}, error) {
		var key string
		var start, used, month, monthUsed int64
		err := row.Scan(&key, &start, &used, &month, &monthUsed)
		all[key] = tx.meterOf(start, used, month, monthUsed)
		return struct{}{}, err
	}, accountID)
	return all, err
}

func (tx *Tx) meter(q *query, args ...any) (Meter, error) {
	var start, used, month, monthUsed int64
	if err := tx.row(q, args, &start, &used, &month, &monthUsed); err != nil {
		return Meter{}, err
	}
	return tx.meterOf(start, used, month, monthUsed), nil
}

func (tx *Tx) meterOf(start, used, month, monthUsed int64) Meter {
	m := Meter{WindowEnds: tx.Now(), MonthEnds: nextMonth(tx.Now())}
	if age := tx.nowMs() - start; age >= 0 && age < Window.Milliseconds() {
		m.WindowUsed, m.WindowEnds = used, millis(start).Add(Window)
	}
	if month == monthOf(tx.Now()) {
		m.MonthUsed = monthUsed
	}
	return m
}

func monthOf(t time.Time) int64 { return int64(t.Year())*100 + int64(t.Month()) }

func nextMonth(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
}
