package db

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"svc/db/event"
)

// DisabledReason says why a webhook is disabled.
type DisabledReason string

// The reasons.
const (
	NotDisabled     DisabledReason = ""
	DisabledByOwner DisabledReason = "owner"
	DisabledGone    DisabledReason = "gone"    // the receiver answered 410
	DisabledFailing DisabledReason = "failing" // no success for 5 days (K5)
)

// Webhook is a subscription of an account to kinds of events (K1). A disabled one gets no
// deliveries: none is claimed, events queue none, and DropQueued drops what was queued, in
// small transactions, before it is enabled again.
type Webhook struct {
	ID          string
	AccountID   string
	URL         string
	Events      []event.Kind // in the order of event.Kinds
	Description string
	Enabled     bool
	Reason      DisabledReason
	DisabledAt  time.Time // zero while enabled
	// Secret signs. OldSecret signs beside it until OldSecretEndsAt, while a rotation lasts;
	// nil: there is none. Both are sealed.
	Secret          []byte
	OldSecret       []byte
	OldSecretEndsAt time.Time
	FailingSince    time.Time // of the first failure since the last success; zero: none
	Failures        int       // since then
	CreatedAt       time.Time
	UpdatedAt       time.Time // of the last change by the owner
}

const webhookColumns = `id, account_id, url, events, description, enabled, disabled_reason, disabled_at,
  secret, old_secret, old_secret_ends_at, failing_since, failures, created_at, updated_at`

var (
	insertWebhook = newQuery(`
INSERT INTO webhooks (` + webhookColumns + `)
VALUES ($1, $2, $3, $4, $5, 1, '', NULL, $6, NULL, NULL, NULL, 0, $7, $7)`)

	webhookByID       = newQuery(`SELECT ` + webhookColumns + ` FROM webhooks WHERE account_id = $1 AND id = $2`)
	webhooksOfAccount = newQuery(`SELECT ` + webhookColumns + ` FROM webhooks WHERE account_id = $1 ORDER BY id`)

	updateWebhook = newQuery(`
UPDATE webhooks
SET url = $3, events = $4, description = $5, updated_at = $6
WHERE account_id = $1 AND id = $2`)

	enableWebhook = newQuery(`
UPDATE webhooks
SET enabled = 1, disabled_reason = '', disabled_at = NULL, failing_since = NULL, failures = 0, updated_at = $3
WHERE account_id = $1 AND id = $2 AND enabled = 0`)

	disableWebhook = newQuery(`
UPDATE webhooks
SET enabled = 0, disabled_reason = $3, disabled_at = $4
WHERE account_id = $1 AND id = $2 AND enabled = 1`)

	rotateWebhook = newQuery(`
UPDATE webhooks
SET secret = $3, old_secret = CASE WHEN $4 > $5 THEN secret END, old_secret_ends_at = CASE WHEN $4 > $5 THEN $4 END, updated_at = $5
WHERE account_id = $1 AND id = $2`)

	forgetOldSecrets = newQuery(`UPDATE webhooks SET old_secret = NULL, old_secret_ends_at = NULL WHERE old_secret_ends_at <= $1`)

	countWebhookFailure = newQuery(`
UPDATE webhooks
SET failures = failures + 1, failing_since = coalesce(failing_since, $3)
WHERE account_id = $1 AND id = $2
RETURNING ` + webhookColumns)

	clearWebhookFailures = newQuery(`
UPDATE webhooks
SET failures = 0, failing_since = NULL
WHERE account_id = $1 AND id = $2 AND failures > 0`)

	deleteWebhook = newQuery(`DELETE FROM webhooks WHERE account_id = $1 AND id = $2`)
	dropWebhooks  = newQuery(`DELETE FROM webhooks WHERE account_id = $1`)
)

func scanWebhook(row scanner) (w Webhook, err error) {
	var kinds string
	err = row.Scan(&w.ID, &w.AccountID, &w.URL, &kinds, &w.Description, &w.Enabled, &w.Reason, timestamp(&w.DisabledAt),
		&w.Secret, &w.OldSecret, timestamp(&w.OldSecretEndsAt), timestamp(&w.FailingSince), &w.Failures,
		timestamp(&w.CreatedAt), timestamp(&w.UpdatedAt))
	for name := range strings.FieldsSeq(kinds) {
		w.Events = append(w.Events, event.Kind(name))
	}
	return w, err
}

// kindList is the stored form of Events: each kind once, in the order of event.Kinds.
func kindList(kinds []event.Kind) string {
	var names []string
	for _, k := range event.Kinds {
		if slices.Contains(kinds, k) {
			names = append(names, string(k))
		}
	}
	return strings.Join(names, " ")
}

// NewWebhookID makes the id of a new webhook. The secret is sealed for it.
func NewWebhookID(at time.Time) string { return NewID("wh_", at) }

// CreateWebhook stores an enabled webhook that has its id, made by NewWebhookID. It uses
// URL, Events, Description and Secret.
func (tx *Tx) CreateWebhook(w Webhook) (Webhook, error) {
	err := tx.exec(insertWebhook, w.ID, w.AccountID, w.URL, kindList(w.Events), w.Description, w.Secret, tx.nowMs())
	if err != nil {
		return Webhook{}, fmt.Errorf("create webhook: %w", err)
	}
	return tx.Webhook(w.AccountID, w.ID)
}

// Webhook finds the account's webhook.
func (tx *Tx) Webhook(accountID, id string) (Webhook, error) {
	return one(tx, webhookByID, scanWebhook, accountID, id)
}

// Webhooks lists the account's webhooks, oldest first.
func (tx *Tx) Webhooks(accountID string) ([]Webhook, error) {
	return collect(tx, webhooksOfAccount, scanWebhook, accountID)
}

// ChangeWebhook stores URL, Events and Description. ErrNotFound: there is none.
func (tx *Tx) ChangeWebhook(w Webhook) error {
	return tx.execOne(updateWebhook, w.AccountID, w.ID, w.URL, kindList(w.Events), w.Description, tx.nowMs())
}

// ErrQueueLeft: a disabled webhook has deliveries that DropQueued has yet to drop.
var ErrQueueLeft = errors.New("deliveries from before are queued")

// enableChunk bounds what EnableWebhook drops.
const enableChunk = 100

// EnableWebhook undoes DisableWebhook, and starts to count failures anew. It drops the few
// deliveries that are still queued. ErrQueueLeft: they are more than a few; DropQueued must
// come first. ErrStale: it is enabled, or there is none.
func (tx *Tx) EnableWebhook(accountID, id string) error {
	n, err := tx.DropQueued(accountID, id, enableChunk)
	if err != nil {
		return err
	}
	if n == enableChunk {
		return ErrQueueLeft
	}
	return tx.step(enableWebhook, accountID, id, tx.nowMs())
}

// DisableWebhook disables a webhook: from now on none of its deliveries is claimed. DropQueued
// drops them. ErrStale: it is disabled, or there is none.
func (tx *Tx) DisableWebhook(accountID, id string, reason DisabledReason) error {
	return tx.step(disableWebhook, accountID, id, reason, tx.nowMs())
}

// RotateWebhookSecret stores a new sealed secret and keeps the one before until a time, if
// that is to come. An earlier one that is still kept is forgotten. ErrNotFound: there is none.
func (tx *Tx) RotateWebhookSecret(accountID, id string, sealed []byte, oldUntil time.Time) error {
	return tx.execOne(rotateWebhook, accountID, id, sealed, oldUntil.UnixMilli(), tx.nowMs())
}

// ForgetOldSecrets removes the secrets whose overlap is over, of all accounts.
func (tx *Tx) ForgetOldSecrets() error { return tx.exec(forgetOldSecrets, tx.nowMs()) }

// CountWebhookFailure counts a failed try and returns the webhook as it is then.
func (tx *Tx) CountWebhookFailure(accountID, id string) (Webhook, error) {
	return one(tx, countWebhookFailure, scanWebhook, accountID, id, tx.nowMs())
}

// ClearWebhookFailures ends a series of failures with a success.
func (tx *Tx) ClearWebhookFailures(accountID, id string) error {
	return tx.exec(clearWebhookFailures, accountID, id)
}

// DeleteWebhook removes a webhook with its secrets: from now on none of its deliveries is
// claimed. DeleteDeliveries must follow. ErrNotFound: there is none.
func (tx *Tx) DeleteWebhook(accountID, id string) error {
	return tx.execOne(deleteWebhook, accountID, id)
}
