package db

import (
	"strings"
	"sync"
	"time"
)

// Request is one row of the request log (L6): what was asked and how it ended,
// never a body and never a secret.
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

	// maxClientRequestID bounds what a caller can make us keep.
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

	// Rows are as old as their seq, but for a clock that was set: the oldest
	// are looked at, and no others, since there is no index by time.
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

// LogRequest stores a log row with the change that it tells of. Calls that
// settle no money use DB.LogRequest.
func (tx *Tx) LogRequest(r Request) error {
	_, err := tx.exec(insertRequest, r.args()...)
	return err
}

// Requests returns the account's newest log rows, at most limit.
func (tx *Tx) Requests(accountID string, limit int) ([]Request, error) {
	return collect(tx, requestsOfAccount, scanRequest, accountID, limit)
}

func scanRequest(row scanner) (r Request, err error) {
	var us, at int64
	err = row.Scan(&r.ID, &r.AccountID, &r.KeyID, &r.Method, &r.Route, &r.Status,
		&us, &r.ChargeCents, &r.ErrorCode, &r.ClientRequestID, &at)
	r.Duration, r.At = time.Duration(us)*time.Microsecond, millis(at)
	return r, err
}

// DeleteRequestsBefore removes at most limit rows older than t and returns how many.
func (tx *Tx) DeleteRequestsBefore(t time.Time, limit int) (int64, error) {
	return tx.exec(deleteOldRequests, t.UnixMilli(), limit)
}

// LogRequest stores a log row with one of the next batches; a crash within
// journalDelay may lose it.
func (db *DB) LogRequest(r Request) { db.journal.add(r) }

const (
	journalDelay = 200 * time.Millisecond
	journalChunk = 32
	// journalBatch bounds how many rows lengthen one batch.
	journalBatch = 1_000
	// journalLimit bounds the memory that rows take while nothing can be written.
	journalLimit = 10_000
)

// journal holds log rows until a batch takes them along.
type journal struct {
	mu      sync.Mutex
	pending []Request
	late    bool // journalDelay has passed since the first of them
	timer   *time.Timer
	rouse   func()
}

func newJournal(rouse func()) *journal { return &journal{rouse: rouse} }

func (j *journal) add(r Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.pending) >= journalLimit {
		return
	}
	j.pending = append(j.pending, r)
	if len(j.pending) == 1 {
		j.rearm()
	}
}

func (j *journal) expire() {
	j.mu.Lock()
	j.late = true
	j.mu.Unlock()
	j.rouse()
}

// due says that rows should be written even if no batch comes by.
func (j *journal) due() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.late && len(j.pending) > 0
}

func (j *journal) size() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.pending)
}

// ready returns the rows that the batch under way should take along.
func (j *journal) ready(all bool) []Request {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !all && !j.late && len(j.pending) < journalChunk {
		return nil
	}
	n := min(len(j.pending), journalBatch)
	return j.pending[:n:n]
}

// written drops the first n rows once their batch is committed.
func (j *journal) written(n int) {
	if n == 0 {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.pending = append([]Request(nil), j.pending[n:]...)
	if j.rearm(); len(j.pending) >= journalChunk {
		j.late = true // a backlog goes on without a pause
	}
}

// postpone keeps the rows for a later batch after this one failed.
func (j *journal) postpone() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.late {
		j.rearm()
	}
}

// rearm begins the delay anew; that of rows which are gone is over.
func (j *journal) rearm() {
	j.late = false
	if j.timer != nil {
		j.timer.Stop()
	}
	if len(j.pending) > 0 {
		j.timer = time.AfterFunc(journalDelay, j.expire)
	}
}
