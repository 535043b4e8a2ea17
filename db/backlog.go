package db

import (
	"context"
	"fmt"
	"time"
)

// Backlog is what waits in the database, of all accounts.
type Backlog struct {
	OpenCalls int   // calls that run, each with a lease (B5)
	HeldCents int64 // of wallets, for these calls
	Overdue   int   // see Health
	InDoubt   int   // see Health

	// Deliveries of webhooks. Those queued for a disabled account are left out: they wait until it
	// is enabled. Queued is at most backlogRows, and the times are those of the rows counted.
	Queued         int
	Sending        int
	OldestDelivery time.Time // when the oldest one that is queued was made; zero if none is
	DeliveryDue    time.Time // when the first one that is queued is due; zero if none is

	Mails      int       // that wait or are being sent
	OldestMail time.Time // when the oldest of them was made; zero if there are none
}

// backlogRows bounds the deliveries that a look at the backlog reads. It is a text, since a
// bound LIMIT is prepared at each run.
const backlogRows = "10000"

// The conditions on lease_until and due_at make SQLite use the partial indexes of what is open.
var (
	openCalls = newQuery(`
SELECT count(*), coalesce(sum(hold_cents), 0)
FROM calls
WHERE state IN ('running', 'calling') AND lease_until > 0`)

	unsettledCalls = newQuery(`
SELECT
  (SELECT count(*) FROM calls WHERE state IN ('running', 'calling') AND lease_until <= $1),
  (SELECT count(*) FROM calls WHERE state = 'unknown')`)

	queuedDeliveries = newQuery(`
SELECT count(*), coalesce(min(id), ''), coalesce(min(due_at), 0)
FROM (
  SELECT id, due_at
  FROM webhook_deliveries d
  WHERE state = 'queued' AND due_at > 0
    AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = d.account_id AND a.disabled_at IS NOT NULL)
  LIMIT ` + backlogRows + `)`)

	sendingDeliveries = newQuery(`SELECT count(*) FROM webhook_deliveries WHERE state = 'sending' AND due_at > 0`)

	waitingMails = newQuery(`
SELECT count(*), coalesce(min(id), '')
FROM mails
WHERE ` + openMail + ` AND due_at > 0`)
)

// Backlog reads what waits, by the indexes of what is open.
func (db *DB) Backlog(ctx context.Context) (b Backlog, err error) {
	err = db.LongView(ctx, func(tx *Tx) error { return tx.backlog(&b) })
	if err != nil {
		return b, fmt.Errorf("backlog: %w", err)
	}
	return b, nil
}

func (tx *Tx) backlog(b *Backlog) (err error) {
	if err := tx.row(openCalls, nil, &b.OpenCalls, &b.HeldCents); err != nil {
		return err
	}
	if b.Overdue, b.InDoubt, err = tx.unsettled(); err != nil {
		return err
	}
	var delivery, mail string
	if err := tx.row(queuedDeliveries, nil, &b.Queued, &delivery, timestamp(&b.DeliveryDue)); err != nil {
		return err
	}
	if err := tx.row(sendingDeliveries, nil, &b.Sending); err != nil {
		return err
	}
	if err := tx.row(waitingMails, nil, &b.Mails, &mail); err != nil {
		return err
	}
	b.OldestDelivery, _ = IDTime(deliveryPrefix, delivery)
	b.OldestMail, _ = IDTime(mailPrefix, mail)
	return nil
}

// unsettled counts the calls whose lease ended over graceOfLease ago, and those of unknown
// outcome.
func (tx *Tx) unsettled() (overdue, inDoubt int, err error) {
	err = tx.row(unsettledCalls, []any{tx.Now().Add(-graceOfLease).UnixMilli()}, &overdue, &inDoubt)
	return overdue, inDoubt, err
}
