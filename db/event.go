package db

import (
	"fmt"
	"time"

	"svc/db/event"
)

// Event is one row of an account's log of events (K1). It commits in the transaction of
// the change that caused it (K4), and is never changed. Its sequence has no gaps.
type Event struct {
	ID        string
	AccountID string
	Sequence  int64 // of the account, from 1
	Kind      event.Kind
	TestMode  bool
	CreatedAt time.Time
	Body      []byte // JSON as it is sent
}

// eventKept is how long an event is kept, and with it the log of its deliveries (K7).
const eventKept = 30 * 24 * time.Hour

const eventPrefix = "evt_"

const eventColumns = `id, account_id, seq, kind, test_mode, created_at, body`

var (
	nextEvent = newQuery(`
INSERT INTO event_logs (account_id, last_seq)
VALUES ($1, 1)
ON CONFLICT (account_id) DO UPDATE SET last_seq = last_seq + 1
RETURNING last_seq`)

	insertEvent = newQuery(`
INSERT INTO events (` + eventColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7)`)

	eventsAfter = newQuery(`
SELECT ` + eventColumns + `
FROM events
WHERE account_id = $1 AND seq > $2
ORDER BY seq
LIMIT $3`)

	lastEvent = newQuery(`SELECT coalesce(max(last_seq), 0) FROM event_logs WHERE account_id = $1`)

	dropOldEvents = newQuery(`
DELETE FROM events
WHERE (account_id, seq) IN (SELECT account_id, seq FROM events WHERE created_at < $1 ORDER BY created_at LIMIT $2)`)
)

func scanEvent(row scanner) (e Event, err error) {
	err = row.Scan(&e.ID, &e.AccountID, &e.Sequence, &e.Kind, &e.TestMode, timestamp(&e.CreatedAt), &e.Body)
	return e, err
}

// MarkTest makes the events of this transaction carry test_mode: a test key caused it (J2).
func (tx *Tx) MarkTest() { tx.test = true }

// Emit adds an event to the account's log and queues it for the account's webhooks.
func (tx *Tx) Emit(accountID string, p event.Payload) (Event, error) {
	seq, err := value[int64](tx, nextEvent, accountID)
	if err != nil {
		return Event{}, fmt.Errorf("emit: %w", err)
	}
	e := Event{
		ID: tx.newID(eventPrefix), AccountID: accountID, Sequence: seq,
		Kind: p.Kind(), TestMode: tx.test, CreatedAt: tx.Now(),
	}
	e.Body, err = event.Body(event.Envelope{
		ID: e.ID, Timestamp: e.CreatedAt, TestMode: e.TestMode, AccountID: accountID, Sequence: seq,
	}, p)
	if err == nil {
		err = tx.exec(insertEvent, e.ID, accountID, seq, e.Kind, e.TestMode, tx.nowMs(), string(e.Body))
	}
	if err == nil {
		err = tx.queueEvent(e)
	}
	if err != nil {
		return Event{}, fmt.Errorf("emit: %w", err)
	}
	return e, nil
}

// Events lists the account's events after a sequence, in order, at most limit.
func (tx *Tx) Events(accountID string, after int64, limit int) ([]Event, error) {
	return collect(tx, eventsAfter, scanEvent, accountID, after, limit)
}

// LastEvent returns the sequence of the account's newest event, 0 if it had none.
func (tx *Tx) LastEvent(accountID string) (int64, error) {
	return value[int64](tx, lastEvent, accountID)
}

// DropOldEvents removes up to limit events that are older than 30 days (K7), and returns
// how many.
func (tx *Tx) DropOldEvents(limit int) (int64, error) {
	return tx.execCount(dropOldEvents, tx.Now().Add(-eventKept).UnixMilli(), limit)
}
