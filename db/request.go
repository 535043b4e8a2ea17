package db

import (
	"math"
	"strings"
	"time"
)

// Request is one row of the request log (L6): the route and the outcome, never a body or
// a secret.
type Request struct {
	ID              string
	AccountID       string
	KeyID           string
	Method          string
	Route           string
	Status          int
	Duration        time.Duration
	ChargeCents     int64
	ErrorCode       string
	ClientRequestID string
	// ReplayOf is the id of the request whose stored answer was sent again (B3); empty if
	// the call was no replay.
	ReplayOf string
	At       time.Time
	Seq      int64 // number of the row, which rises with each; it is set by reading
}

const (
	requestColumns = `id, account_id, key_id, method, route, status,
  duration_us, charge_cents, error_code, client_request_id, replay_of, created_at`
	requestValues = `($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`
	storedRequest = requestColumns + `, seq`

	// maxClientRequestID bounds the text that a caller can have stored.
	maxClientRequestID = 200
)

var (
	insertRequest = newQuery(`INSERT INTO requests (` + requestColumns + `) VALUES ` + requestValues)

	requestsOfAccount = newQuery(`
SELECT ` + storedRequest + `
FROM requests
WHERE account_id = $1
ORDER BY seq DESC
LIMIT $2`)

	// The log has no index but its seq, so the statement reads all rows from $1 to $2.
	requestsBetween = newQuery(`
SELECT ` + storedRequest + `
FROM requests
WHERE seq > $1 AND seq <= $2
  AND ($3 = '' OR account_id = $3)
  AND ($4 = '' OR key_id = $4)
  AND ($5 = 0 OR status = $5 OR status / 100 = $5)
  AND ($6 = '' OR id = $6 OR client_request_id = $6)
  AND ($7 = '' OR route = $7)
  AND created_at >= $8 AND created_at < $9
ORDER BY seq DESC
LIMIT $10`)

	requestTime = newQuery(`SELECT created_at FROM requests WHERE seq >= $1 ORDER BY seq LIMIT 1`)

	lastUses = newQuery(`
SELECT key_id, max(created_at)
FROM requests
WHERE seq > $1 AND seq <= $2 AND account_id = $3
GROUP BY key_id`)

	// One SELECT of both would read the whole table.
	requestBounds = newQuery(`
SELECT coalesce((SELECT min(seq) FROM requests), 0), coalesce((SELECT max(seq) FROM requests), 0)`)

	// There is no index by time. The statement checks only the rows with the lowest seq,
	// which are the oldest unless the clock was set. The last row stays, so that its seq is
	// not given to another: blocks of the log are counted once, see StoreRequestBlock.
	deleteOldRequests = newQuery(`
DELETE FROM requests
WHERE seq IN (
  SELECT seq
  FROM (SELECT seq, created_at FROM requests ORDER BY seq LIMIT $2)
  WHERE created_at < $1)
  AND seq < (SELECT max(seq) FROM requests)`)
)

func (r Request) args() []any {
	client := r.ClientRequestID
	if len(client) > maxClientRequestID {
		client = strings.ToValidUTF8(client[:maxClientRequestID], "")
	}
	return []any{r.ID, r.AccountID, r.KeyID, r.Method, r.Route, r.Status,
		r.Duration.Microseconds(), r.ChargeCents, r.ErrorCode, client, r.ReplayOf, r.At.UnixMilli()}
}

// LogRequest stores a log row in the transaction of the change that it is about. Calls
// that settle no money use DB.LogRequest.
func (tx *Tx) LogRequest(r Request) error { return tx.exec(insertRequest, r.args()...) }

// Requests returns the account's newest log rows, at most limit.
func (tx *Tx) Requests(accountID string, limit int) ([]Request, error) {
	return collect(tx, requestsOfAccount, scanRequest, accountID, limit)
}

// RequestFilter picks rows of the log. Its zero fields pick all.
type RequestFilter struct {
	AccountID string
	KeyID     string
	ID        string // the request's, or the caller's own X-Request-Id
	Status    int    // 402, or a class: 4 is any from 400 to 499
	Route     string
	From      time.Time // when the call began
	Until     time.Time // exclusive
}

// span returns the filter's times in milliseconds, with the bounds that hold all.
func (f RequestFilter) span() (from, until int64) {
	if from, until = f.From.UnixMilli(), f.Until.UnixMilli(); f.Until.IsZero() {
		until = math.MaxInt64
	}
	return from, until
}

// RequestsBetween returns the newest rows with after < seq ≤ last that the filter picks,
// at most limit, newest first. It reads up to last-after rows. It is the operator's view.
func (tx *Tx) RequestsBetween(after, last int64, f RequestFilter, limit int) ([]Request, error) {
	from, until := f.span()
	return collect(tx, requestsBetween, scanRequest, after, last, f.AccountID, f.KeyID, f.Status, f.ID, f.Route, from, until, limit)
}

// RequestSeq returns about the seq of the log's rows of a time: rows that began then are
// near it, because a row is stored when its call ends.
func (tx *Tx) RequestSeq(t time.Time) (int64, error) {
	low, high, err := tx.RequestBounds()
	if err != nil {
		return 0, err
	}
	for low < high {
		middle := low + (high-low)/2
		at, err := value[int64](tx, requestTime, middle)
		if err != nil {
			return 0, err
		}
		if at < t.UnixMilli() {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, nil
}

// RequestBounds returns the seq of the log's first and last row, which rises with each
// row. Both are 0 if the log is empty.
func (tx *Tx) RequestBounds() (first, last int64, err error) {
	err = tx.row(requestBounds, nil, &first, &last)
	return first, last, err
}

// LastUse is the time of a key's last call.
type LastUse struct {
	KeyID string
	At    time.Time
}

func scanLastUse(row scanner) (u LastUse, err error) {
	err = row.Scan(&u.KeyID, timestamp(&u.At))
	return u, err
}

// LastUses returns the last use of each of the account's keys in the rows with
// after < seq ≤ last. It reads last-after rows.
func (tx *Tx) LastUses(after, last int64, accountID string) ([]LastUse, error) {
	return collect(tx, lastUses, scanLastUse, after, last, accountID)
}

func scanRequest(row scanner) (r Request, err error) {
	var us int64
	err = row.Scan(&r.ID, &r.AccountID, &r.KeyID, &r.Method, &r.Route, &r.Status,
		&us, &r.ChargeCents, &r.ErrorCode, &r.ClientRequestID, &r.ReplayOf, timestamp(&r.At), &r.Seq)
	r.Duration = time.Duration(us) * time.Microsecond
	return r, err
}

// DeleteRequestsBefore removes at most limit rows older than t and returns how many. The
// log's last row stays whatever its age.
func (tx *Tx) DeleteRequestsBefore(t time.Time, limit int) (int64, error) {
	return tx.execCount(deleteOldRequests, t.UnixMilli(), limit)
}

// LogRequest stores a log row soon, with another batch. A crash in the meantime may
// lose it.
func (db *DB) LogRequest(r Request) { db.engine.Defer(insertRequest, r.args()...) }
