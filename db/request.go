package db

import (
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
	At              time.Time
}

const (
	requestColumns = `id, account_id, key_id, method, route, status,
  duration_us, charge_cents, error_code, client_request_id, created_at`
	requestValues = `($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`

	// maxClientRequestID bounds the text that a caller can have stored.
	maxClientRequestID = 200
)

var (
	insertRequest = newQuery(`INSERT INTO requests (` + requestColumns + `) VALUES ` + requestValues)

	requestsOfAccount = newQuery(`
SELECT ` + requestColumns + `
FROM requests
WHERE account_id = $1
ORDER BY seq DESC
LIMIT $2`)

	// There is no index by time. The statement checks only the rows with the lowest seq,
	// which are the oldest unless the clock was set.
	deleteOldRequests = newQuery(`
DELETE FROM requests
WHERE seq IN (
  SELECT seq
  FROM (SELECT seq, created_at FROM requests ORDER BY seq LIMIT $2)
  WHERE created_at < $1)`)
)

func (r Request) args() []any {
	client := r.ClientRequestID
	if len(client) > maxClientRequestID {
		client = strings.ToValidUTF8(client[:maxClientRequestID], "")
	}
	return []any{r.ID, r.AccountID, r.KeyID, r.Method, r.Route, r.Status,
		r.Duration.Microseconds(), r.ChargeCents, r.ErrorCode, client, r.At.UnixMilli()}
}

// LogRequest stores a log row in the transaction of the change that it is about. Calls
// that settle no money use DB.LogRequest.
func (tx *Tx) LogRequest(r Request) error { return tx.exec(insertRequest, r.args()...) }

// Requests returns the account's newest log rows, at most limit.
func (tx *Tx) Requests(accountID string, limit int) ([]Request, error) {
	return collect(tx, requestsOfAccount, scanRequest, accountID, limit)
}

func scanRequest(row scanner) (r Request, err error) {
	var us int64
	err = row.Scan(&r.ID, &r.AccountID, &r.KeyID, &r.Method, &r.Route, &r.Status,
		&us, &r.ChargeCents, &r.ErrorCode, &r.ClientRequestID, timestamp(&r.At))
	r.Duration = time.Duration(us) * time.Microsecond
	return r, err
}

// DeleteRequestsBefore removes at most limit rows older than t and returns how many.
func (tx *Tx) DeleteRequestsBefore(t time.Time, limit int) (int64, error) {
	return tx.execCount(deleteOldRequests, t.UnixMilli(), limit)
}

// LogRequest stores a log row soon, with another batch. A crash in the meantime may
// lose it.
func (db *DB) LogRequest(r Request) { db.engine.Defer(insertRequest, r.args()...) }
