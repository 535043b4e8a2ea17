package db

import (
	"errors"
	"fmt"
	"time"

	"svc/db/event"
)

// DeliveryState is the state of a delivery: queued → sending → sent, or failed, or queued
// again for the next try; queued → dropped when its webhook is disabled or deleted. A
// delivery that is being sent when its lease ends is queued again or, if it may be requested
// only once, failed: it may have arrived (K5).
type DeliveryState string

// The states of a delivery.
const (
	DeliveryQueued  DeliveryState = "queued"
	DeliverySending DeliveryState = "sending"
	DeliverySent    DeliveryState = "sent" // answered with 2xx
	DeliveryFailed  DeliveryState = "failed"
	DeliveryDropped DeliveryState = "dropped"
)

// DeliveryStates lists the states.
var DeliveryStates = []DeliveryState{DeliveryQueued, DeliverySending, DeliverySent, DeliveryFailed, DeliveryDropped}

// DeliveryCause says what has queued a delivery.
type DeliveryCause string

// The causes.
const (
	CauseEvent   DeliveryCause = "event"
	CauseTest    DeliveryCause = "test"    // a sample, asked for by the owner
	CauseResend  DeliveryCause = "resend"  // asked for by the owner, once more
	CauseRecover DeliveryCause = "recover" // of an event that the webhook has missed
)

// Attempt is the outcome of one try.
type Attempt struct {
	Code     int // of the answer; 0: there was none
	Duration time.Duration
	Answer   string // its beginning, at most 1 kB
	Problem  string // why it failed; empty: it did not
	// SentHeaders and AnswerHeaders are lines like "content-type: application/json".
	SentHeaders, AnswerHeaders string
}

// Delivery is an event on its way to one webhook, or a test event (K7). It holds the outcome
// of its last try.
type Delivery struct {
	ID        string
	AccountID string
	WebhookID string
	Cause     DeliveryCause
	EventID   string
	Sequence  int64 // of the event; 0: a test event
	Kind      event.Kind
	Once      bool // is requested at most once (K5)
	State     DeliveryState
	Attempts  int
	DueAt     time.Time // of the next try; while it is being sent, the end of the lease
	Last      Attempt
	CreatedAt time.Time
	UpdatedAt time.Time
}

// deliveryKept is how long a delivery is kept (K7).
const deliveryKept = eventKept

// deliveryPrefix begins the ids of deliveries.
const deliveryPrefix = "dlv_"

const droppedProblem = "the webhook was disabled"

const deliveryColumns = `id, account_id, webhook_id, cause, event_id, seq, kind, once, state, attempts, due_at,
  code, duration_ms, answer, problem, sent_headers, answer_headers, created_at, updated_at`

var (
	insertDelivery = newQuery(`
INSERT INTO webhook_deliveries (` + deliveryColumns + `, body)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'queued', 0, $9, 0, 0, '', '', '', '', $9, $9, $10)`)

	webhooksForKind = newQuery(`
SELECT id
FROM webhooks
WHERE account_id = $1 AND enabled = 1 AND instr(' ' || events || ' ', ' ' || $2 || ' ') > 0
ORDER BY id`)

	deliveryByID = newQuery(`
SELECT ` + deliveryColumns + `
FROM webhook_deliveries
WHERE account_id = $1 AND webhook_id = $2 AND id = $3`)

	deliveriesOfWebhook = newQuery(`
SELECT ` + deliveryColumns + `
FROM webhook_deliveries
WHERE account_id = $1 AND webhook_id = $2 AND ($3 = '' OR id < $3) AND ($4 = '' OR state = $4)
ORDER BY id DESC
LIMIT $5`)

	deliveryBody = newQuery(`
SELECT coalesce(d.body, e.body)
FROM webhook_deliveries d
LEFT JOIN events e ON e.account_id = d.account_id AND e.seq = d.seq
WHERE d.account_id = $1 AND d.webhook_id = $2 AND d.id = $3 AND coalesce(d.body, e.body) IS NOT NULL`)

	// Accounts that are disabled wait; nothing is queued for deleted ones.
	dueWebhooks = newQuery(`
SELECT account_id, id, due
FROM (
  SELECT w.account_id, w.id, (
    SELECT count(*)
    FROM (
      SELECT 1
      FROM webhook_deliveries d
      WHERE d.account_id = w.account_id AND d.webhook_id = w.id AND d.state = 'queued' AND d.due_at <= $1
      LIMIT $2)) AS due
  FROM webhooks w
  WHERE w.enabled = 1)
WHERE due > 0
  AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.id = account_id AND a.disabled_at IS NOT NULL)
ORDER BY id`)

	// due_at and attempts of a claimed delivery are the token of its owner.
	claimDelivery = newQuery(`
UPDATE webhook_deliveries
SET state = 'sending', due_at = $4, attempts = attempts + 1, updated_at = $3
WHERE account_id = $1 AND webhook_id = $2 AND state = 'queued' AND due_at <= $3
  AND EXISTS (SELECT 1 FROM webhooks w WHERE w.account_id = $1 AND w.id = $2 AND w.enabled = 1)
  AND id = (
    SELECT id
    FROM webhook_deliveries
    WHERE account_id = $1 AND webhook_id = $2 AND state = 'queued' AND due_at <= $3
    ORDER BY due_at, id
    LIMIT 1)
RETURNING ` + deliveryColumns)

	endDelivery = newQuery(`
UPDATE webhook_deliveries
SET state = $6, due_at = $7, code = $8, duration_ms = $9, answer = $10, problem = $11, updated_at = $12,
  sent_headers = $13, answer_headers = $14
WHERE account_id = $1 AND webhook_id = $2 AND id = $3 AND state = 'sending' AND due_at = $4 AND attempts = $5`)

	returnDelivery = newQuery(`
UPDATE webhook_deliveries
SET state = 'queued', attempts = attempts - 1, due_at = $6, problem = $7, updated_at = $8
WHERE account_id = $1 AND webhook_id = $2 AND id = $3 AND state = 'sending' AND due_at = $4 AND attempts = $5`)

	endDeliveryLeases = newQuery(`
UPDATE webhook_deliveries
SET updated_at = $1,
  state = CASE
    WHEN once = 1 THEN 'failed'
    WHEN EXISTS (SELECT 1 FROM webhooks w WHERE w.account_id = webhook_deliveries.account_id AND w.id = webhook_id AND w.enabled = 1) THEN 'queued'
    ELSE 'dropped' END,
  problem = CASE once WHEN 1 THEN $2 ELSE $3 END
WHERE state = 'sending' AND due_at <= $1`)

	hastenDelivery = newQuery(`
UPDATE webhook_deliveries
SET due_at = $4
WHERE account_id = $1 AND webhook_id = $2 AND id = $3 AND state = 'queued'`)

	copyBody = newQuery(`SELECT body FROM webhook_deliveries WHERE account_id = $1 AND webhook_id = $2 AND id = $3`)

	firstEventSince = newQuery(`SELECT seq FROM events WHERE account_id = $1 AND created_at >= $2 ORDER BY seq LIMIT 1`)

	missedEvents = newQuery(`
SELECT ` + eventColumns + `
FROM events e
WHERE account_id = $1 AND seq > $3 AND seq <= $4 AND created_at >= $5
  AND instr((SELECT ' ' || w.events || ' ' FROM webhooks w WHERE w.account_id = $1 AND w.id = $2), ' ' || kind || ' ') > 0
  AND NOT EXISTS (
    SELECT 1
    FROM webhook_deliveries d
    WHERE d.account_id = $1 AND d.webhook_id = $2 AND d.seq = e.seq AND d.state IN ('queued', 'sending', 'sent'))
ORDER BY seq`)

	// The conditions on due_at make SQLite use the index of what is queued.
	nextQueue = newQuery(`
SELECT account_id, webhook_id
FROM webhook_deliveries
WHERE state = 'queued' AND due_at > 0 AND (account_id, webhook_id) > ($1, $2)
ORDER BY account_id, webhook_id
LIMIT 1`)

	dropQueuedDeliveries = newQuery(`
UPDATE webhook_deliveries
SET state = 'dropped', problem = $3, updated_at = $4
WHERE account_id = $1 AND webhook_id = $2 AND state = 'queued'
  AND NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.account_id = $1 AND w.id = $2 AND w.enabled = 1)
  AND id IN (
    SELECT id
    FROM webhook_deliveries
    WHERE account_id = $1 AND webhook_id = $2 AND state = 'queued' AND due_at > 0
    LIMIT $5)`)

	deleteDeliveries = newQuery(`
DELETE FROM webhook_deliveries
WHERE account_id = $1 AND webhook_id = $2 AND id IN (
  SELECT id FROM webhook_deliveries WHERE account_id = $1 AND webhook_id = $2 AND state <> 'sending' LIMIT $3)`)

	dropOldDeliveries = newQuery(`
DELETE FROM webhook_deliveries
WHERE (account_id, webhook_id, id) IN (
  SELECT account_id, webhook_id, id FROM webhook_deliveries WHERE created_at < $1 ORDER BY created_at LIMIT $2)`)
)

func scanDelivery(row scanner) (d Delivery, err error) {
	var ms int64
	err = row.Scan(&d.ID, &d.AccountID, &d.WebhookID, &d.Cause, &d.EventID, &d.Sequence, &d.Kind, &d.Once,
		&d.State, &d.Attempts, timestamp(&d.DueAt), &d.Last.Code, &ms, &d.Last.Answer, &d.Last.Problem, &d.Last.SentHeaders, &d.Last.AnswerHeaders,
		timestamp(&d.CreatedAt), timestamp(&d.UpdatedAt))
	d.Last.Duration = time.Duration(ms) * time.Millisecond
	return d, err
}

// queueEvent queues an event for the account's enabled webhooks of its kind.
func (tx *Tx) queueEvent(e Event) error {
	ids, err := collect(tx, webhooksForKind, scanText, e.AccountID, e.Kind)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := tx.queueDelivery(e.delivery(id, CauseEvent), nil); err != nil {
			return err
		}
	}
	return nil
}

func (e Event) delivery(webhookID string, cause DeliveryCause) Delivery {
	return Delivery{
		AccountID: e.AccountID, WebhookID: webhookID, Cause: cause,
		EventID: e.ID, Sequence: e.Sequence, Kind: e.Kind, Once: !e.Kind.Retried(),
	}
}

// queueDelivery stores a delivery that is due now. Only test events have a body.
func (tx *Tx) queueDelivery(d Delivery, body *string) (Delivery, error) {
	d.ID = tx.newID(deliveryPrefix)
	d.State, d.DueAt, d.CreatedAt, d.UpdatedAt = DeliveryQueued, tx.Now(), tx.Now(), tx.Now()
	err := tx.exec(insertDelivery, d.ID, d.AccountID, d.WebhookID, d.Cause, d.EventID, d.Sequence, d.Kind, d.Once, tx.nowMs(), body)
	if err != nil {
		return Delivery{}, fmt.Errorf("queue delivery: %w", err)
	}
	tx.queued = true
	return d, nil
}

// QueueTest queues a test event for a webhook, whatever kinds it has. It is no event of the
// account's log and has the sequence 0. ErrStale: the webhook is disabled, or there is none.
func (tx *Tx) QueueTest(accountID, webhookID string, p event.Payload) (Delivery, error) {
	if err := tx.mustBeEnabled(accountID, webhookID); err != nil {
		return Delivery{}, err
	}
	id := tx.newID(eventPrefix)
	body, err := event.Body(event.Envelope{ID: id, Timestamp: tx.Now(), TestMode: true, AccountID: accountID}, p)
	if err != nil {
		return Delivery{}, err
	}
	text := string(body)
	return tx.queueDelivery(Delivery{
		AccountID: accountID, WebhookID: webhookID, Cause: CauseTest, EventID: id, Kind: p.Kind(), Once: true,
	}, &text)
}

// mustBeEnabled returns ErrStale unless there is an enabled webhook.
func (tx *Tx) mustBeEnabled(accountID, webhookID string) error {
	w, err := tx.Webhook(accountID, webhookID)
	if err == nil && !w.Enabled {
		err = ErrStale
	}
	return translate(err, ErrNotFound, ErrStale)
}

// ResendDelivery queues a delivery once more, as a new one with the same event. One that is
// queued is made due now instead, and returned. ErrNotFound: there is none. ErrStale: its
// webhook is disabled or, as the state of what is returned tells, it is being sent.
func (tx *Tx) ResendDelivery(accountID, webhookID, id string) (Delivery, error) {
	d, err := tx.Delivery(accountID, webhookID, id)
	if err != nil {
		return Delivery{}, err
	}
	if err := tx.mustBeEnabled(accountID, webhookID); err != nil {
		return Delivery{}, err
	}
	switch d.State {
	case DeliverySending:
		return d, ErrStale
	case DeliveryQueued:
		tx.queued, d.DueAt = true, tx.Now()
		return d, tx.step(hastenDelivery, accountID, webhookID, id, tx.nowMs())
	}
	body, err := value[*string](tx, copyBody, accountID, webhookID, id)
	if err != nil {
		return Delivery{}, err
	}
	return tx.queueDelivery(Delivery{
		AccountID: accountID, WebhookID: webhookID, Cause: CauseResend,
		EventID: d.EventID, Sequence: d.Sequence, Kind: d.Kind, Once: d.Once,
	}, body)
}

// FirstEventSince returns the sequence of the account's first event since a time. It may read
// the whole log: use it in a LongView. ErrNotFound: there is none.
func (tx *Tx) FirstEventSince(accountID string, since time.Time) (int64, error) {
	return value[int64](tx, firstEventSince, accountID, since.UnixMilli())
}

// RecoverDeliveries queues the events of the webhook's kinds that it has missed, of those
// with after < sequence ≤ last and since a time: each without a delivery that was sent, is
// queued or is being sent. It reads last-after events and returns how many it queued.
// ErrStale: the webhook is disabled, or there is none.
func (tx *Tx) RecoverDeliveries(accountID, webhookID string, since time.Time, after, last int64) (int, error) {
	if err := tx.mustBeEnabled(accountID, webhookID); err != nil {
		return 0, err
	}
	missed, err := collect(tx, missedEvents, scanEvent, accountID, webhookID, after, last, since.UnixMilli())
	if err != nil {
		return 0, fmt.Errorf("recover deliveries: %w", err)
	}
	for _, e := range missed {
		if _, err := tx.queueDelivery(e.delivery(webhookID, CauseRecover), nil); err != nil {
			return 0, err
		}
	}
	return len(missed), nil
}

// Delivery finds a delivery of the account's webhook.
func (tx *Tx) Delivery(accountID, webhookID, id string) (Delivery, error) {
	return one(tx, deliveryByID, scanDelivery, accountID, webhookID, id)
}

// Deliveries lists a webhook's deliveries, newest first, at most limit: those before an id
// and in a state, each unless it is empty.
func (tx *Tx) Deliveries(accountID, webhookID, before string, state DeliveryState, limit int) ([]Delivery, error) {
	return collect(tx, deliveriesOfWebhook, scanDelivery, accountID, webhookID, before, state, limit)
}

// DeliveryBody returns what is sent. ErrNotFound: the event is not kept any more.
func (tx *Tx) DeliveryBody(d Delivery) ([]byte, error) {
	text, err := value[string](tx, deliveryBody, d.AccountID, d.WebhookID, d.ID)
	return []byte(text), err
}

// DueWebhook names a webhook with deliveries that are due.
type DueWebhook struct {
	AccountID, ID string
	Due           int // how many, at most the limit of DueWebhooks
}

// DueWebhooks lists the webhooks of all accounts that have deliveries to send now. It counts
// these up to limit.
func (tx *Tx) DueWebhooks(limit int) ([]DueWebhook, error) {
	return collect(tx, dueWebhooks, func(row scanner) (w DueWebhook, err error) {
		err = row.Scan(&w.AccountID, &w.ID, &w.Due)
		return w, err
	}, tx.nowMs(), limit)
}

// ClaimDelivery takes the delivery of an enabled webhook that is due for longest, for the
// time of the lease. The claim must be durable before the request, so that what may be
// requested only once never is requested again. ErrNotFound: none is due.
func (tx *Tx) ClaimDelivery(w DueWebhook, lease time.Duration) (Delivery, error) {
	return one(tx, claimDelivery, scanDelivery, w.AccountID, w.ID, tx.nowMs(), tx.Now().Add(lease).UnixMilli())
}

// EndDelivery stores the outcome of a claimed delivery: DeliverySent, DeliveryFailed,
// DeliveryDropped, or DeliveryQueued for another try at next. ErrStale: the claim is over.
func (tx *Tx) EndDelivery(d Delivery, state DeliveryState, next time.Time, a Attempt) error {
	if next.IsZero() {
		next = tx.Now()
	}
	return tx.step(endDelivery, d.AccountID, d.WebhookID, d.ID, d.DueAt.UnixMilli(), d.Attempts,
		state, next.UnixMilli(), a.Code, a.Duration.Milliseconds(), a.Answer, a.Problem, tx.nowMs(), a.SentHeaders, a.AnswerHeaders)
}

// ReturnDelivery undoes a claim after which nothing was sent. It is due again at next.
func (tx *Tx) ReturnDelivery(d Delivery, next time.Time, problem string) error {
	return tx.step(returnDelivery, d.AccountID, d.WebhookID, d.ID, d.DueAt.UnixMilli(), d.Attempts,
		next.UnixMilli(), problem, tx.nowMs())
}

// EndDeliveryLeases ends the claims whose owner stored no outcome, and returns how many.
// once is the problem of those that fail by that, others of those that are queued again.
func (tx *Tx) EndDeliveryLeases(once, others string) (int64, error) {
	n, err := tx.execCount(endDeliveryLeases, tx.nowMs(), once, others)
	tx.queued = tx.queued || n > 0
	return n, err
}

// IdleQueues lists the webhooks with queued deliveries that are disabled or deleted, of all
// accounts, with Due unset. It reads one row for each webhook that has any.
func (tx *Tx) IdleQueues() (idle []DueWebhook, err error) {
	for w := (DueWebhook{}); ; {
		err := tx.row(nextQueue, []any{w.AccountID, w.ID}, &w.AccountID, &w.ID)
		if errors.Is(err, ErrNotFound) {
			return idle, nil
		}
		if err != nil {
			return nil, err
		}
		if err := tx.mustBeEnabled(w.AccountID, w.ID); errors.Is(err, ErrStale) {
			idle = append(idle, w)
		} else if err != nil {
			return nil, err
		}
	}
}

// DropQueued drops up to limit queued deliveries of a webhook that is disabled or deleted, and
// returns how many. It drops none of one that is enabled again.
func (tx *Tx) DropQueued(accountID, webhookID string, limit int) (int64, error) {
	problem := droppedProblem
	if _, err := tx.Webhook(accountID, webhookID); errors.Is(err, ErrNotFound) {
		problem = "the webhook was deleted"
	} else if err != nil {
		return 0, err
	}
	return tx.execCount(dropQueuedDeliveries, accountID, webhookID, problem, tx.nowMs(), limit)
}

// DeleteDeliveries removes up to limit deliveries of a webhook that was deleted, and returns
// how many. One that is being sent goes by its age.
func (tx *Tx) DeleteDeliveries(accountID, webhookID string, limit int) (int64, error) {
	return tx.execCount(deleteDeliveries, accountID, webhookID, limit)
}

// DropOldDeliveries removes up to limit deliveries that are older than 30 days (K7), and
// returns how many.
func (tx *Tx) DropOldDeliveries(limit int) (int64, error) {
	return tx.execCount(dropOldDeliveries, tx.Now().Add(-deliveryKept).UnixMilli(), limit)
}
