package db

import "time"

// PaymentEvent is a processed event from Stripe: a second copy has no effect (E3). Its
// contents are not stored, only whether they matched the store's rows.
type PaymentEvent struct {
	ID        string // Stripe's
	Type      string
	SessionID string
	Reference string
	Mismatch  string // a sentence; empty if all matched
	CreatedAt time.Time
}

const paymentEventColumns = `id, type, session_id, reference, mismatch, created_at`

var (
	insertPaymentEvent = newQuery(`
INSERT INTO payment_events (` + paymentEventColumns + `)
VALUES ($1, $2, $3, $4, $5, $6)`)

	hasPaymentEvent = newQuery(`SELECT EXISTS (SELECT 1 FROM payment_events WHERE id = $1)`)

	paymentMismatches = newQuery(`
SELECT ` + paymentEventColumns + `
FROM payment_events
WHERE mismatch IS NOT NULL
ORDER BY created_at DESC
LIMIT $1`)

	deletePaymentEvents = newQuery(`
DELETE FROM payment_events
WHERE id IN (
  SELECT id
  FROM payment_events
  WHERE mismatch IS NULL AND created_at < $1
  ORDER BY created_at
  LIMIT $2)`)
)

func scanPaymentEvent(row scanner) (e PaymentEvent, err error) {
	err = row.Scan(&e.ID, &e.Type, &e.SessionID, &e.Reference, nullable(&e.Mismatch), timestamp(&e.CreatedAt))
	return e, err
}

// AddPaymentEvent stores an event, in the transaction of its effect. ErrConflict: it was
// processed before.
func (tx *Tx) AddPaymentEvent(e PaymentEvent) error {
	return tx.exec(insertPaymentEvent, e.ID, e.Type, e.SessionID, e.Reference, nullString(e.Mismatch), tx.nowMs())
}

// HasPaymentEvent reports whether an event was processed before.
func (tx *Tx) HasPaymentEvent(id string) (bool, error) { return value[bool](tx, hasPaymentEvent, id) }

// PaymentMismatches lists the newest events that did not match, at most limit. It is the
// operator's view.
func (tx *Tx) PaymentMismatches(limit int) ([]PaymentEvent, error) {
	return collect(tx, paymentMismatches, scanPaymentEvent, limit)
}

// DeletePaymentEventsBefore removes up to limit events that matched and are older than t.
// Stripe does not send an event again after that long.
func (tx *Tx) DeletePaymentEventsBefore(t time.Time, limit int) (int64, error) {
	return tx.execCount(deletePaymentEvents, t.UnixMilli(), limit)
}
