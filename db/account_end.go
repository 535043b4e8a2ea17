package db

import (
	"errors"
	"fmt"
	"time"
)

// An account that is deleted keeps its row, since wallets, ledgers, purchases, charges and
// the connections of others refer to it. DeleteAccount ends at once all that acts: people with their
// sessions and links, keys, webhooks, connections and pending charges. EraseAccount removes the account's data,
// which may be long, in chunks after it. Of the tables that refer to accounts or keys,
//
//   - wallets, ledger, purchases, checkouts and charges are money records and stay;
//   - api_keys stay without their secrets, because those records name them;
//   - connections stay, revoked or expired: they are the other side's records too;
//   - audit stays: it says what was done, without personal data (L11);
//   - meters, rolling_windows, calls without their recipients, requests and request_blocks have no
//     personal data and end by their own time;
//   - all others lose their rows.

var (
	setAccountDisabled = newPrincipalQuery(`UPDATE accounts SET disabled_at = $2 WHERE id = $1 AND deleted_at IS NULL`)

	otherOperator = newQuery(`
SELECT EXISTS (
  SELECT 1
  FROM accounts
  WHERE operator = 1 AND disabled_at IS NULL AND deleted_at IS NULL AND id <> $1)`)

	forgetAccount = newPrincipalQuery(`
UPDATE accounts
SET email = id, email_folded = id, name = 'deleted account', password_hash = NULL, verified_at = NULL, region = '', deleted_at = $2
WHERE id = $1 AND deleted_at IS NULL AND operator = 0`)

	dropCodes = newQuery(`DELETE FROM codes WHERE email_folded = $1`)

	// A mail that is being sent is its owner's, and goes after its time as all do.
	dropMails = newQuery(`DELETE FROM mails WHERE lower(recipient) IN ($1, lower($2)) AND state <> 'sending'`)

	forgetSecrets = newPrincipalQuery(`DELETE FROM old_key_secrets WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = $1)`)

	// A hash has 32 bytes and an id fewer, so no secret has the id as its hash.
	forgetKeys = newPrincipalQuery(`
UPDATE api_keys
SET secret_hash = CAST(id AS BLOB), app_id = NULL, label = '', disabled_at = coalesce(disabled_at, $2)
WHERE account_id = $1`)

	dropApps     = newQuery(`DELETE FROM apps WHERE account_id = $1`)
	dropLimits   = newQuery(`DELETE FROM endpoint_limits WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = $1)`)
	dropPreviews = newQuery(`DELETE FROM previews WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = $1)`)

	revokeGrants = newQuery(`UPDATE connections SET status = 'revoked', revoked_at = $2 WHERE merchant_id = $1 AND status = 'approved'`)

	revokeAccess = newQuery(`
UPDATE connections
SET status = 'revoked', revoked_at = $2
WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = $1) AND status = 'approved'`)

	expireRequests = newQuery(`
UPDATE connections
SET expires_at = $2
WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = $1) AND status = 'pending' AND expires_at > $2`)

	expireCharges = newQuery(`
UPDATE charges
SET expires_at = $2
WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = $1) AND status = 'pending' AND expires_at > $2`)

	unerasedAccounts = newQuery(`SELECT ` + storedAccount + ` FROM accounts WHERE deleted_at IS NOT NULL AND erased_at IS NULL ORDER BY id`)
	markErased       = newPrincipalQuery(`UPDATE accounts SET erased_at = $2 WHERE id = $1 AND deleted_at IS NOT NULL`)
)

// erasures remove up to $2 rows each of an account's data. The rows of imports come first,
// so that a ready import adds no items after them.
var erasures = []*query{
	newQuery(`DELETE FROM import_rows WHERE (import_id, seq) IN (
  SELECT r.import_id, r.seq FROM imports i JOIN import_rows r ON r.import_id = i.id WHERE i.account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM imports WHERE id IN (SELECT id FROM imports WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM import_faults WHERE account_id = $1 AND (import_id, seq) IN (SELECT import_id, seq FROM import_faults WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM import_befores WHERE account_id = $1 AND (import_id, seq) IN (SELECT import_id, seq FROM import_befores WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM past_imports WHERE account_id = $1 AND id IN (SELECT id FROM past_imports WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM item_codes WHERE account_id = $1 AND (kind, code) IN (SELECT kind, code FROM item_codes WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM items WHERE account_id = $1 AND id IN (SELECT id FROM items WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM pushed_products WHERE account_id = $1 AND item_id IN (SELECT item_id FROM pushed_products WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM pushed_rows WHERE account_id = $1 AND seq IN (SELECT seq FROM pushed_rows WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM pushed_sets WHERE account_id IN (SELECT account_id FROM pushed_sets WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM removed_items WHERE account_id = $1 AND version IN (SELECT version FROM removed_items WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM stock_moves WHERE account_id = $1 AND seq IN (SELECT seq FROM stock_moves WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM sale_lines WHERE account_id = $1 AND (sale_id, line) IN (SELECT sale_id, line FROM sale_lines WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM sales WHERE account_id = $1 AND id IN (SELECT id FROM sales WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM purchase_order_lines WHERE account_id = $1 AND (purchase_order_id, line) IN (
  SELECT purchase_order_id, line FROM purchase_order_lines WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM purchase_orders WHERE account_id = $1 AND id IN (SELECT id FROM purchase_orders WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM customers WHERE account_id = $1 AND id IN (SELECT id FROM customers WHERE account_id = $1 LIMIT $2)`),
	newQuery(`UPDATE calls SET recipient = '' WHERE id IN (SELECT id FROM calls WHERE account_id = $1 AND state = 'unknown' AND recipient <> '' LIMIT $2)`),
	newQuery(`DELETE FROM messages WHERE account_id = $1 AND id IN (SELECT id FROM messages WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM datasets WHERE account_id = $1 AND id IN (SELECT id FROM datasets WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM dataset_befores WHERE account_id = $1 AND dataset_id IN (SELECT dataset_id FROM dataset_befores WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM uploads WHERE account_id = $1 AND id IN (SELECT id FROM uploads WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM questions WHERE account_id = $1 AND id IN (SELECT id FROM questions WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM webhook_deliveries WHERE account_id = $1 AND (webhook_id, id) IN (
  SELECT webhook_id, id FROM webhook_deliveries WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM events WHERE account_id = $1 AND seq IN (SELECT seq FROM events WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM event_logs WHERE account_id IN (SELECT account_id FROM event_logs WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM daily_jobs WHERE account_id = $1 AND job IN (SELECT job FROM daily_jobs WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM alerts WHERE account_id = $1 AND id IN (SELECT id FROM alerts WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM alert_scans WHERE account_id IN (SELECT account_id FROM alert_scans WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM pulses WHERE account_id IN (SELECT account_id FROM pulses WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM briefs WHERE account_id = $1 AND day IN (SELECT day FROM briefs WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM shops WHERE account_id IN (SELECT account_id FROM shops WHERE account_id = $1 LIMIT $2)`),
	newQuery(`DELETE FROM inventories WHERE account_id IN (SELECT account_id FROM inventories WHERE account_id = $1 LIMIT $2)`),
}

// DisableAccount refuses the account's keys from the next call on, as disabled ones (A11),
// and ends its sessions.
func (tx *Tx) DisableAccount(id string) error {
	err := errors.Join(tx.execOne(setAccountDisabled, id, tx.nowMs()), tx.EndAccountSessions(id))
	return tx.audit(err, id, AccountDisabled, "", "")
}

// EnableAccount undoes DisableAccount. Keys that were disabled by themselves stay so.
func (tx *Tx) EnableAccount(id string) error {
	return tx.audit(tx.execOne(setAccountDisabled, id, nil), id, AccountEnabled, "", "")
}

// HasOtherOperator reports whether somebody else operates the server, too.
func (tx *Tx) HasOtherOperator(id string) (bool, error) { return value[bool](tx, otherOperator, id) }

// Ended counts what DeleteAccount has ended.
type Ended struct{ Keys, Connections, Charges int64 }

// DeleteAccount ends an account for good; see above. EraseAccount must follow. ErrNotFound:
// it is deleted already, or it is an operator's.
func (tx *Tx) DeleteAccount(a Account) (e Ended, err error) {
	now := tx.nowMs()
	count := func(n *int64, q *query, args ...any) {
		changed, execErr := tx.execCount(q, args...)
		*n += changed
		err = errors.Join(err, execErr)
	}
	var ignored int64
	count(&e.Connections, revokeGrants, a.ID, now)
	count(&e.Connections, revokeAccess, a.ID, now)
	count(&e.Connections, expireRequests, a.ID, now)
	count(&e.Charges, expireCharges, a.ID, now)
	count(&e.Keys, forgetKeys, a.ID, now)
	for _, q := range []*query{forgetSecrets, dropLimits, dropPreviews, dropApps, dropWebhooks} {
		count(&ignored, q, a.ID)
	}
	err = errors.Join(err, tx.endPeople(a), tx.execOne(forgetAccount, a.ID, now))
	if err = tx.audit(err, a.ID, AccountDeleted, "", ""); err != nil {
		return Ended{}, fmt.Errorf("delete account: %w", err)
	}
	return e, nil
}

// endPeople removes all that the account's people sign in with, and who they are, and its
// invitations with their mails.
func (tx *Tx) endPeople(a Account) error {
	people, err := tx.Staff(a.ID)
	for _, p := range append(people, a.Owner()) {
		err = errors.Join(err, tx.forgetPerson(p.ID),
			tx.exec(dropCodes, FoldEmail(p.Email)), tx.exec(dropMails, FoldEmail(p.Email), p.Email))
	}
	return errors.Join(err, tx.exec(dropInvitationMails, a.ID), tx.exec(dropInvitations, a.ID), tx.exec(dropStaff, a.ID))
}

// lateRows is how long a call or an import that ran when its account was deleted may still
// store rows.
const lateRows = time.Hour

// EraseAccount removes up to limit rows of a deleted account's data and reports whether none
// is left. Files of its datasets then have no row, see SweepDataFiles.
func (tx *Tx) EraseAccount(a Account, limit int) (done bool, err error) {
	for _, q := range erasures {
		n, err := tx.execCount(q, a.ID, limit)
		if err != nil {
			return false, fmt.Errorf("erase account: %w", err)
		}
		if n > 0 {
			return false, nil
		}
	}
	if tx.Now().Before(a.DeletedAt.Add(lateRows)) {
		return true, nil
	}
	return true, tx.execOne(markErased, a.ID, tx.nowMs())
}

// UnerasedAccounts lists the deleted accounts that may still have data.
func (tx *Tx) UnerasedAccounts() ([]Account, error) {
	return collect(tx, unerasedAccounts, scanAccount)
}
