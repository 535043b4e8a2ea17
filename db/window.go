package db

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
	"time"
)

// An endpoint of seed 8.4 has two rolling windows for each key: never more calls than its
// limits in any 60 s and in any 3,600 s (J2). A key's calls of the last hour at an endpoint
// are one row of rolling_windows, which each admitted call writes anew without those that
// are older. Times are milliseconds.
//
// A stored time in the future means that the clock was set back. It counts as now, so
// the limits hold, and the call leaves its windows at most an hour later.

// EndpointLimits are the calls that a key has at an endpoint in any minute and any hour.
type EndpointLimits struct {
	Minute int64
	Hour   int64
}

// MaxHourly is the highest limit an hour that a key may be given. It bounds the row of the
// calls, at about two bytes each.
const MaxHourly = 36_000

// WindowedEndpoints lists the endpoints with rolling windows by their paths without the
// slash, in the order of seed 8.4.
var WindowedEndpoints = []string{"pulse", "alerts", "brief", "ask", "data/push", "tools/fx-risk", "tools/landed-cost"}

var endpointLimits = map[string]EndpointLimits{
	"pulse":             {Minute: 60, Hour: 1000},
	"alerts":            {Minute: 60, Hour: 1000},
	"brief":             {Minute: 60, Hour: 1000},
	"ask":               {Minute: 10, Hour: 100},
	"data/push":         {Minute: 30, Hour: 500},
	"tools/fx-risk":     {Minute: 20, Hour: 200},
	"tools/landed-cost": {Minute: 20, Hour: 200},
}

// DefaultLimits returns the limits of an endpoint for keys without an arrangement, and
// whether it has rolling windows at all.
func DefaultLimits(endpoint string) (l EndpointLimits, ok bool) {
	l, ok = endpointLimits[endpoint]
	return l, ok
}

// Rolling is how much a key has left at an endpoint: in its minute, or in its hour if less
// is left there.
type Rolling struct {
	Limit     int64
	Remaining int64
	// NextAt is when a call leaves the window, so that one more than now is possible, or
	// now if the window is empty. After a refusal the next call is admitted from then on.
	NextAt time.Time
}

const (
	rollingMinute = time.Minute
	rollingHour   = time.Hour
)

var (
	// The row of the calls may be absent, as may the arrangement.
	rollingOfKey = newQuery(`
SELECT coalesce(l.per_minute, $3), coalesce(l.per_hour, $4), coalesce(w.calls, x'')
FROM (SELECT $1 AS key_id, $2 AS endpoint) AS wanted
LEFT JOIN endpoint_limits l ON l.key_id = wanted.key_id AND l.endpoint = wanted.endpoint
LEFT JOIN rolling_windows w ON w.key_id = wanted.key_id AND w.endpoint = wanted.endpoint`)

	keepRolling = newQuery(`
INSERT INTO rolling_windows (key_id, endpoint, calls, expires_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT (key_id, endpoint) DO UPDATE SET calls = excluded.calls, expires_at = excluded.expires_at`)

	deleteRolling = newQuery(`
DELETE FROM rolling_windows
WHERE rowid IN (SELECT rowid FROM rolling_windows WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)`)
)

// CountRolling counts one call by an endpoint's rolling windows and by the month. Over a
// limit it counts nothing.
func (tx *Tx) CountRolling(keyID, endpoint string, plan Limits) (Rolling, Meter, Over, error) {
	fail := func(err error) (Rolling, Meter, Over, error) {
		return Rolling{}, Meter{}, Within, fmt.Errorf("count call of %s: %w", endpoint, err)
	}
	w, err := tx.rolling(keyID, endpoint)
	if err != nil {
		return fail(err)
	}
	if w.setBack { // also for a refused call, or the times would be in the future for good
		if err := tx.keepRolling(keyID, endpoint, w.calls); err != nil {
			return fail(err)
		}
	}
	if state := w.state(); state.Remaining == 0 {
		m, err := tx.Meter(keyID)
		if err != nil {
			return fail(err)
		}
		return state, m, OverWindow, nil
	}

	m, over, err := tx.CountMonth(keyID, plan)
	if err != nil {
		return fail(err)
	}
	if over != Within {
		return w.state(), m, over, nil
	}
	w.calls = append(w.calls, w.now)
	if err := tx.keepRolling(keyID, endpoint, w.calls); err != nil {
		return fail(err)
	}
	return w.state(), m, Within, nil
}

// Rolling reads the state of an endpoint's windows without counting.
func (tx *Tx) Rolling(keyID, endpoint string) (Rolling, error) {
	w, err := tx.rolling(keyID, endpoint)
	if err != nil {
		return Rolling{}, fmt.Errorf("read windows of %s: %w", endpoint, err)
	}
	return w.state(), nil
}

func (tx *Tx) rolling(keyID, endpoint string) (w windows, err error) {
	standard := endpointLimits[endpoint]
	var stored []byte
	err = tx.row(rollingOfKey, []any{keyID, endpoint, standard.Minute, standard.Hour}, &w.limits.Minute, &w.limits.Hour, &stored)
	if err != nil {
		return w, err
	}
	w.now = tx.nowMs()
	if w.calls, err = unpackTimes(stored); err != nil {
		return w, err
	}
	for i := len(w.calls) - 1; i >= 0 && w.calls[i] > w.now; i-- {
		w.calls[i], w.setBack = w.now, true
	}
	w.calls = w.calls[w.firstIn(rollingHour):]
	return w, nil
}

// keepRolling stores the calls of the last hour. expires_at is a full hour, so that its
// index changes once an hour and not with each call.
func (tx *Tx) keepRolling(keyID, endpoint string, calls []int64) error {
	expires := tx.Now().Truncate(time.Hour).Add(2 * time.Hour)
	return tx.exec(keepRolling, keyID, endpoint, packTimes(calls), expires.UnixMilli())
}

// DeleteOldRolling removes up to limit rows without a call in the last hour.
func (tx *Tx) DeleteOldRolling(limit int) (int64, error) {
	return tx.execCount(deleteRolling, tx.nowMs(), limit)
}

// windows are the calls of a key at an endpoint in the last hour, oldest first, none of
// them in the future.
type windows struct {
	limits  EndpointLimits
	calls   []int64
	now     int64
	setBack bool // a stored time was in the future
}

// firstIn returns the index of the oldest call in the window of this length that ends now.
// A call leaves a window of 60 s exactly 60 s later.
func (w windows) firstIn(length time.Duration) int {
	start := w.now - length.Milliseconds()
	return sort.Search(len(w.calls), func(i int) bool { return w.calls[i] > start })
}

func (w windows) state() Rolling {
	minute, hour := w.of(rollingMinute, w.limits.Minute), w.of(rollingHour, w.limits.Hour)
	bothFull := minute.Remaining == 0 && hour.Remaining == 0
	if hour.Remaining < minute.Remaining || bothFull && hour.NextAt.After(minute.NextAt) {
		return hour
	}
	return minute
}

// of returns the state of one window. It has more calls than its limit after the limit
// was lowered.
func (w windows) of(length time.Duration, limit int64) Rolling {
	first := w.firstIn(length)
	used := int64(len(w.calls) - first)
	r := Rolling{Limit: limit, Remaining: max(0, limit-used), NextAt: millis(w.now)}
	if used > 0 {
		next := max(int64(first), int64(len(w.calls))-limit)
		r.NextAt = millis(w.calls[next]).Add(length)
	}
	return r
}

// packTimes encodes times in ascending order: the first, then the distances, as varints.
func packTimes(times []int64) []byte {
	packed := make([]byte, 0, 8+2*len(times))
	before := int64(0)
	for _, t := range times {
		packed = binary.AppendUvarint(packed, uint64(t-before))
		before = t
	}
	return packed
}

var errDamagedTimes = errors.New("the stored times are damaged")

func unpackTimes(packed []byte) ([]int64, error) {
	times := make([]int64, 0, len(packed)/2+2)
	before := int64(0)
	for len(packed) > 0 {
		distance, n := binary.Uvarint(packed)
		if n <= 0 {
			return nil, errDamagedTimes
		}
		before += int64(distance)
		times, packed = append(times, before), packed[n:]
	}
	return times, nil
}
