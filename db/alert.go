package db

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"svc/db/event"
)

// Alert is what a rule has found in an account's shop (J3). An account has at most one alert
// of a kind that is not resolved. It keeps its id from the moment it fires until it is
// resolved; if the rule fires again after that, the alert is a new one.
type Alert struct {
	ID        string
	AccountID string
	Kind      string
	Verdict   string // act, watch or problem
	Status    AlertStatus
	Title     string
	Detail    string
	Figure    string // the figure that fired, in words
	Subjects  []string
	Evidence  json.RawMessage // an object
	FirstSeen time.Time
	LastSeen  time.Time
	// SnoozedUntil is when an acknowledged alert fires again; zero: it does not by time.
	SnoozedUntil time.Time
}

// AlertStatus is the state of an alert.
type AlertStatus string

// The states.
const (
	Firing       AlertStatus = "firing"
	Acknowledged AlertStatus = "acknowledged" // somebody knows of it
	Resolved     AlertStatus = "resolved"
)

// StatusAt returns the state at a time: a snooze that is over has no effect.
func (a Alert) StatusAt(now time.Time) AlertStatus {
	if a.Status == Acknowledged && !a.SnoozedUntil.IsZero() && !now.Before(a.SnoozedUntil) {
		return Firing
	}
	return a.Status
}

// ResolvedKept is how long a resolved alert is kept.
const ResolvedKept = 30 * 24 * time.Hour

const alertColumns = `id, account_id, kind, verdict, status, title, detail, figure, subjects, evidence, first_seen, last_seen,
  snoozed_until`

var (
	insertAlert = newQuery(`
INSERT INTO alerts (` + alertColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, NULL)`)

	changeAlert = newQuery(`
UPDATE alerts
SET verdict = $3, status = $4, title = $5, detail = $6, figure = $7, subjects = $8, evidence = $9, last_seen = $10,
  snoozed_until = $11
WHERE account_id = $1 AND id = $2 AND status <> 'resolved'`)

	resolveAlert = newQuery(`
UPDATE alerts
SET status = 'resolved', snoozed_until = NULL
WHERE account_id = $1 AND id = $2 AND status <> 'resolved'`)

	acknowledgeAlert = newQuery(`
UPDATE alerts
SET status = 'acknowledged', snoozed_until = $3
WHERE account_id = $1 AND id = $2 AND status <> 'resolved'
RETURNING ` + alertColumns)

	alertByID = newQuery(`SELECT ` + alertColumns + ` FROM alerts WHERE account_id = $1 AND id = $2`)

	alertOwner = newQuery(`
SELECT ` + storedAccount + `
FROM accounts
WHERE id = (SELECT account_id FROM alerts WHERE id = $1) AND deleted_at IS NULL`)

	openAlerts = newQuery(`
SELECT ` + alertColumns + `
FROM alerts
WHERE account_id = $1 AND status <> 'resolved'
ORDER BY id`)

	recentAlerts = newQuery(`
SELECT ` + alertColumns + `
FROM alerts
WHERE account_id = $1 AND (status <> 'resolved' OR last_seen >= $2)
ORDER BY id DESC`)

	dropOldAlerts = newQuery(`DELETE FROM alerts WHERE account_id = $1 AND status = 'resolved' AND last_seen < $2`)
)

func scanAlert(row scanner) (a Alert, err error) {
	var subjects string
	err = row.Scan(&a.ID, &a.AccountID, &a.Kind, &a.Verdict, &a.Status, &a.Title, &a.Detail, &a.Figure, &subjects,
		(*[]byte)(&a.Evidence), timestamp(&a.FirstSeen), timestamp(&a.LastSeen), timestamp(&a.SnoozedUntil))
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal([]byte(subjects), &a.Subjects)
}

// Alerts lists the account's alerts, the newest first: those that are not resolved, and
// those that were last seen in the last 30 days.
func (tx *Tx) Alerts(accountID string) ([]Alert, error) {
	return collect(tx, recentAlerts, scanAlert, accountID, tx.Now().Add(-ResolvedKept).UnixMilli())
}

// OpenAlerts lists the account's alerts that are not resolved.
func (tx *Tx) OpenAlerts(accountID string) ([]Alert, error) {
	return collect(tx, openAlerts, scanAlert, accountID)
}

// AlertOwner finds the account of an alert. It is the operator's view.
func (tx *Tx) AlertOwner(id string) (Account, error) { return one(tx, alertOwner, scanAccount, id) }

// AcknowledgeAlert marks one of the account's alerts as known, until a time or, if that is
// zero, until it concerns something new. ErrNotFound: the account has no such alert.
// ErrStale: it is resolved.
func (tx *Tx) AcknowledgeAlert(accountID, id string, until time.Time) (Alert, error) {
	a, err := one(tx, acknowledgeAlert, scanAlert, accountID, id, nullMillis(until))
	if errors.Is(err, ErrNotFound) {
		if _, err = one(tx, alertByID, scanAlert, accountID, id); err == nil {
			err = ErrStale
		}
	}
	if err != nil {
		return Alert{}, fmt.Errorf("acknowledge alert: %w", err)
	}
	return a, nil
}

// AlertScan is the claim of an evaluation of an account's rules. Only the newest claim may
// store its findings, so two processes never both begin an alert.
type AlertScan struct {
	AccountID string
	lease     int64
}

// scanLease bounds an evaluation. If its process dies, another one may begin after it.
const scanLease = 5 * time.Minute

var (
	claimScan = newQuery(`
INSERT INTO alert_scans (account_id, seen, lease, leased_until, seen_at)
VALUES ($1, '', 1, $3, 0)
ON CONFLICT (account_id) DO UPDATE SET lease = lease + 1, leased_until = $3
WHERE leased_until <= $2 OR leased_until > $3
RETURNING lease`)

	finishScan  = newQuery(`UPDATE alert_scans SET seen = $3, leased_until = 0, seen_at = $4 WHERE account_id = $1 AND lease = $2`)
	releaseScan = newQuery(`UPDATE alert_scans SET leased_until = 0 WHERE account_id = $1 AND lease = $2`)
	shopOwners  = newQuery(`
SELECT ` + storedAccount + `
FROM accounts a
WHERE disabled_at IS NULL AND deleted_at IS NULL AND (
  EXISTS (SELECT 1 FROM shops WHERE account_id = a.id)
  OR EXISTS (SELECT 1 FROM inventories WHERE account_id = a.id))
ORDER BY id`)

	scanSeen = newQuery(`SELECT coalesce(max(seen), ''), coalesce(max(seen_at), 0) FROM alert_scans WHERE account_id = $1`)
)

// ClaimAlertScan claims the evaluation of an account's rules. ErrStale: another one runs.
func (tx *Tx) ClaimAlertScan(accountID string) (AlertScan, error) {
	lease, err := value[int64](tx, claimScan, accountID, tx.nowMs(), tx.Now().Add(scanLease).UnixMilli())
	if err != nil {
		return AlertScan{}, fmt.Errorf("claim alert scan: %w", translate(err, ErrNotFound, ErrStale))
	}
	return AlertScan{AccountID: accountID, lease: lease}, nil
}

// ReleaseAlertScan ends a claim without findings.
func (tx *Tx) ReleaseAlertScan(s AlertScan) error { return tx.exec(releaseScan, s.AccountID, s.lease) }

// AlertsSeen returns the token of the data that the account's stored alerts are of, empty if
// it was never evaluated, and when it was evaluated.
func (tx *Tx) AlertsSeen(accountID string) (seen string, at time.Time, err error) {
	err = tx.row(scanSeen, []any{accountID}, &seen, timestamp(&at))
	return seen, at, err
}

// ShopOwners lists the enabled accounts with sales, orders, customers or an inventory. It is
// the operator's view.
func (tx *Tx) ShopOwners() ([]Account, error) { return collect(tx, shopOwners, scanAccount) }

// StoreAlerts stores all that an evaluation of the data with a token has found, and ends the
// claim. Of found only kind, verdict, texts, subjects and evidence count. An alert of a new
// kind begins to fire, with an event in the same transaction (K8); one of a kind that is not
// found any more is resolved. An acknowledged alert fires again, without an event, if it has
// a subject that it had not and is not snoozed. ErrStale: the claim is another process's.
func (tx *Tx) StoreAlerts(s AlertScan, seen string, found []Alert) error {
	if err := tx.step(finishScan, s.AccountID, s.lease, seen, tx.nowMs()); err != nil {
		return fmt.Errorf("store alerts: %w", err)
	}
	open, err := tx.OpenAlerts(s.AccountID)
	if err != nil {
		return fmt.Errorf("store alerts: %w", err)
	}
	was := map[string]Alert{}
	for _, a := range open {
		was[a.Kind] = a
	}
	for _, a := range found {
		a.AccountID = s.AccountID
		if old, fires := was[a.Kind]; fires {
			err = tx.continueAlert(old, a)
		} else {
			err = tx.beginAlert(a)
		}
		if err != nil {
			return fmt.Errorf("store alert %s: %w", a.Kind, err)
		}
		delete(was, a.Kind)
	}
	for _, gone := range was {
		if err := tx.step(resolveAlert, gone.AccountID, gone.ID); err != nil {
			return fmt.Errorf("resolve alert %s: %w", gone.Kind, err)
		}
	}
	return tx.exec(dropOldAlerts, s.AccountID, tx.Now().Add(-ResolvedKept).UnixMilli())
}

func (tx *Tx) beginAlert(a Alert) error {
	a.ID, a.FirstSeen = tx.newID("alert_"), tx.Now()
	subjects, err := json.Marshal(a.Subjects)
	if err != nil {
		return err
	}
	err = tx.exec(insertAlert, a.ID, a.AccountID, a.Kind, a.Verdict, Firing, a.Title, a.Detail, a.Figure, string(subjects),
		string(a.Evidence), tx.nowMs(), tx.nowMs())
	if err != nil {
		return err
	}
	_, err = tx.Emit(a.AccountID, event.Alert{
		ID: a.ID, Rule: a.Kind, Verdict: a.Verdict, Title: a.Title, Detail: a.Detail, FirstSeen: a.FirstSeen,
	})
	return err
}

func (tx *Tx) continueAlert(old, a Alert) error {
	known := map[string]bool{}
	for _, subject := range old.Subjects {
		known[subject] = true
	}
	status, snoozed := old.StatusAt(tx.Now()), old.SnoozedUntil
	for _, subject := range a.Subjects {
		if !known[subject] && snoozed.IsZero() {
			status = Firing
		}
	}
	if status == Firing {
		snoozed = time.Time{}
	}
	subjects, err := json.Marshal(a.Subjects)
	if err != nil {
		return err
	}
	return tx.step(changeAlert, old.AccountID, old.ID, a.Verdict, status, a.Title, a.Detail, a.Figure, string(subjects),
		string(a.Evidence), tx.nowMs(), nullMillis(snoozed))
}
