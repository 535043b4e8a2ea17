package db

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"
)

// Act is a row of the audit log (L11): what was done to an account's credit, plan, keys,
// grants or settings. The method of Tx that does it writes the row in the same transaction, so neither
// is without the other.
type Act struct {
	Seq       int64
	AccountID string // whose it is
	Actor     string // who did it: a person's id, which is the account's for its owner, or one of Actor…
	Action    Action
	Subject   string // the id of the key or connection; may be empty
	Detail    string // like "growth" of PlanSet; may be empty
	At        time.Time
}

// Actors that are no person.
const (
	ActorCommand = "command" // a command of svc, so somebody with the database file at hand
	ActorLink    = "link"    // a visitor with a link or a code that was mailed
	ActorServer  = "server"  // a payment that Stripe confirmed, a job, the demo
)

// Action is what was done.
type Action string

// The actions, with their Subject and Detail.
const (
	AccountMade     Action = "account.created"
	AccountDisabled Action = "account.disabled"
	AccountEnabled  Action = "account.enabled"
	AccountDeleted  Action = "account.deleted"
	PasswordSet     Action = "password.changed"  // person; empty: the owner
	PlanSet         Action = "plan.changed"      // -, plan
	CreditAdded     Action = "credit.added"      // -, signed US cents
	ThresholdSet    Action = "threshold.set"     // -, US cents of the low-balance warning
	ProfileChanged  Action = "profile.changed"   // -, what was changed: "currency GBP to EUR, region"
	WebhookMailsSet Action = "webhook_mails.set" // -, on or off
	KeyMade         Action = "key.created"       // key, environment and mode
	KeyLabelled     Action = "key.labelled"      // key
	KeyMoved        Action = "key.moved"         // key, app; empty: to none
	KeyDisabled     Action = "key.disabled"      // key
	KeyEnabled      Action = "key.enabled"       // key
	KeyRotated      Action = "key.rotated"       // key, the end of the old secret
	KeySecretsEnded Action = "key.old_ended"     // key, number of secrets
	KeyLimitsSet    Action = "key.limits"        // key, endpoint and limits
	GrantApproved   Action = "grant.approved"    // connection, scopes
	GrantNarrowed   Action = "grant.narrowed"    // connection, scopes
	GrantRevoked    Action = "grant.revoked"     // connection
	PersonInvited   Action = "person.invited"    // invitation
	PersonUninvited Action = "person.uninvited"  // invitation
	PersonJoined    Action = "person.joined"     // person
	PersonRemoved   Action = "person.removed"    // person

	TwoFactorOn       Action = "two_factor.on"       // person; empty: the owner
	TwoFactorOff      Action = "two_factor.off"      // likewise
	RecoveryCodesMade Action = "recovery_codes.made" // likewise, number of codes
	RecoveryCodeUsed  Action = "recovery_code.used"  // likewise, number of codes that are left
)

type actorKey struct{}

// WithActor returns a context whose updates are acts of the actor. Without one they are
// ActorServer's.
func WithActor(ctx context.Context, actor string) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

func actorOf(ctx context.Context) string {
	actor, _ := ctx.Value(actorKey{}).(string)
	return cmp.Or(actor, ActorServer)
}

const actColumns = `seq, account_id, actor, action, subject, detail, created_at`

var (
	insertAct = newQuery(`
INSERT INTO audit (account_id, actor, action, subject, detail, created_at)
VALUES ($1, $2, $3, $4, $5, $6)`)

	insertKeyAct = newQuery(`
INSERT INTO audit (account_id, actor, action, subject, detail, created_at)
SELECT account_id, $2, $3, id, $4, $5
FROM api_keys
WHERE id = $1`)

	actsOfAccount = newQuery(`
SELECT ` + actColumns + `
FROM audit
WHERE account_id = $1 AND seq < $2
ORDER BY seq DESC
LIMIT $3`)

	lastAct = newQuery(`SELECT coalesce(max(seq), 0) FROM audit WHERE account_id = $1`)

	actsOfAll = newQuery(`
SELECT ` + actColumns + `
FROM audit
WHERE seq < $1
ORDER BY seq DESC
LIMIT $2`)
)

func scanAct(row scanner) (a Act, err error) {
	err = row.Scan(&a.Seq, &a.AccountID, &a.Actor, &a.Action, &a.Subject, &a.Detail, timestamp(&a.At))
	return a, err
}

// audit stores an act of this transaction's actor, unless it failed with err.
func (tx *Tx) audit(err error, accountID string, action Action, subject, detail string) error {
	if err != nil {
		return err
	}
	if err := tx.exec(insertAct, accountID, tx.actor, action, subject, detail, tx.nowMs()); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

// auditPerson is audit of an act on what a person signs in with.
func (tx *Tx) auditPerson(err error, p Person, action Action, detail string) error {
	subject := p.ID
	if p.Role == Owner {
		subject = ""
	}
	return tx.audit(err, p.AccountID, action, subject, detail)
}

// auditKey is audit of an act on the key of any account.
func (tx *Tx) auditKey(err error, keyID string, action Action, detail string) error {
	if err != nil {
		return err
	}
	if err := tx.exec(insertKeyAct, keyID, tx.actor, action, detail, tx.nowMs()); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

// Acts lists what was done to an account, newest first; before is the Seq of the act before
// which they were, 0 for the newest.
func (tx *Tx) Acts(accountID string, before int64, limit int) ([]Act, error) {
	return collect(tx, actsOfAccount, scanAct, accountID, newest(before), limit)
}

// AllActs is Acts of all accounts. It is the operator's view.
func (tx *Tx) AllActs(before int64, limit int) ([]Act, error) {
	return collect(tx, actsOfAll, scanAct, newest(before), limit)
}

// LastAct returns the Seq of the newest act on an account, or 0 if nothing was done to it.
func (tx *Tx) LastAct(accountID string) (int64, error) { return value[int64](tx, lastAct, accountID) }

func newest(before int64) int64 {
	if before <= 0 {
		return 1<<63 - 1
	}
	return before
}

// cents writes a signed amount of US cents.
func cents(n int64) string {
	if n > 0 {
		return "+" + strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt(n, 10)
}
